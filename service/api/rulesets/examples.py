"""What is asked about rulesets, and answered."""

from typing import Any

import msgspec

from projections.sightings import Sighting
from service.api.rulesets import schemas
from service.api.rulesets.bodies import (
    AtWorkPage,
    DocumentView,
    RulePage,
    RulesetPage,
    ScenarioPage,
    ScenarioView,
    board_view,
    rule_at_work,
    rule_view,
    ruleset_summary,
)
from service.api.rulesets.routes import ruleset_detail
from service.api.scene import GAME, Example, Scene

_SCENARIO = ScenarioView(
    "a legion does not cross the sea without a fleet",
    "example/movement.toml",
    '[[scenario]]\ntitle = "a legion does not cross the sea without a fleet"\nrules = ["EX-MOV-02"]\n…',
)


def examples(scene: Scene) -> dict[str, Example]:
    ruleset, library = scene.ruleset, scene.library
    first = rule_view(ruleset.catalogue, ruleset.catalogue.for_ruleset(ruleset.id)[0])
    shown = scene.records[-1]
    at_work = rule_at_work(scene.row(scene.now), Sighting(GAME, shown.version, shown.type))
    return {
        "listRulesets": Example(
            RulesetPage(tuple(ruleset_summary(library.current(known)) for known in library.ids()), None)
        ),
        "showRuleset": Example(ruleset_detail(ruleset)),
        "showBoard": Example(board_view(_excerpt(scene))),
        "showDocument": Example(DocumentView(f"sha256:{'5c' * 32}", {"title": "My cards", "nations": []})),
        "listRules": Example(RulePage((first,), "Q0MtQlJELTAx")),
        "showRule": Example(first),
        "listScenarios": Example(ScenarioPage((_SCENARIO,), None)),
        "listGamesOfRule": Example(AtWorkPage((at_work,), None)),
        "showSchemas": Example(_schemas_excerpt(ruleset)),
    }


def _excerpt(scene: Scene) -> Any:
    """Return the first areas of the board: the whole has dozens."""
    areas = scene.board.areas[:2]
    kept = {area.id for area in areas}
    borders = tuple(border for border in scene.board.borders if set(border.between) <= kept)
    return msgspec.structs.replace(scene.board, areas=areas, borders=borders, notes=scene.board.notes[:1])


def _schemas_excerpt(ruleset: Any) -> Any:
    whole = schemas.of_ruleset(ruleset)
    command = schemas.alone(ruleset.commands[0], f"A command of {ruleset.title}")
    event = schemas.alone(ruleset.events[0], f"An event of {ruleset.title}")
    return msgspec.structs.replace(whole, commands=command, events=event, view={"type": "object"})
