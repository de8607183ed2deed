"""Examples of the endpoints for rulesets."""

from itertools import islice
from typing import Any

import msgspec
from msgspec import Struct

from projections.sightings import Sighting
from service.api.rulesets import schemas
from service.api.rulesets.bodies import (
    AtWorkPage,
    DocumentView,
    RulePage,
    RulesetDetail,
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
    detail = ruleset_detail(ruleset)
    record = scene.records[-1]
    at_work = rule_at_work(scene.row(scene.now), Sighting(GAME, record.version, record.type))
    return {
        "listRulesets": Example(
            RulesetPage(tuple(ruleset_summary(library.current(id_)) for id_ in library.ids()), None)
        ),
        "showRuleset": Example(_detail_excerpt(detail)),
        "showBoard": Example(board_view(_excerpt(scene))),
        "showDocument": Example(DocumentView(f"sha256:{'5c' * 32}", {"title": "My cards", "nations": []})),
        "listRules": Example(RulePage((first,), "Q0MtQlJELTAx")),
        "showRule": Example(first),
        "listScenarios": Example(ScenarioPage((_SCENARIO,), None)),
        "listGamesOfRule": Example(AtWorkPage((at_work,), None)),
        "showSchemas": Example(_schemas_excerpt(ruleset)),
    }


def _excerpt(scene: Scene) -> Any:
    """Return the board with only two areas, one source and one note, so that the example is short."""
    areas = scene.board.areas[:2]
    area_ids = {area.id for area in areas}
    borders = tuple(border for border in scene.board.borders if set(border.between) <= area_ids)
    sources = dict(islice(scene.board.sources.items(), 1))
    return msgspec.structs.replace(
        scene.board, areas=areas, borders=borders, sources=sources, notes=scene.board.notes[:1]
    )


def _detail_excerpt(detail: RulesetDetail) -> RulesetDetail:
    """Return a ruleset with only the first entries of its long lists, so that the example is short."""
    newest = detail.versions[-1]
    return msgspec.structs.replace(
        detail,
        versions=(*detail.versions[:-1], msgspec.structs.replace(newest, changes=newest.changes[:1])),
        chapters=detail.chapters[:3],
        commands=detail.commands[:4],
        decisions=dict(islice(detail.decisions.items(), 4)),
        events=detail.events[:4],
        chance=dict(islice(detail.chance.items(), 2)),
        concerns=dict(islice(detail.concerns.items(), 4)),
        setup=_alone(detail.setup),
    )


def _schemas_excerpt(ruleset: Any) -> Any:
    """Return schemas without a `$ref`: generators of clients follow one in an example, and do not find its target."""
    whole = schemas.of_ruleset(ruleset)
    command = schemas.alone(_plainest(ruleset.commands), f"A command of {ruleset.title}")
    event = schemas.alone(_plainest(ruleset.events), f"An event of {ruleset.title}")
    setup = _alone(whole.setup)
    return msgspec.structs.replace(whole, commands=command, events=event, view={"type": "object"}, setup=setup)


def _alone(setup: dict[str, Any]) -> dict[str, Any]:
    """Return the schema without its `$defs`, and without the fields that need them."""
    fields = {name: field for name, field in setup["properties"].items() if "$ref" not in str(field)}
    return {**{name: part for name, part in setup.items() if name != "$defs"}, "properties": fields}


def _plainest(shapes: tuple[type[Struct], ...]) -> type[Struct]:
    return next(shape for shape in shapes if "$defs" not in schemas.alone(shape, ""))
