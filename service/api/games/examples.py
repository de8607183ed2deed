"""What is asked of games until they begin, and answered."""

import msgspec

from domain.kernel.ids import PlayerId
from domain.kernel.log.record import Cause
from domain.kernel.rules.papers import Line, Paper, Section
from service.api.games.bodies import (
    GamePage,
    PapersView,
    TakeSeat,
    Upgrade,
    UpgradeChecked,
    game_detail,
    game_summary,
)
from service.api.rulesets.bodies import DocumentView, rule_changes
from service.api.scene import AT, SECRET, Example, Scene
from service.games.views import Viewer


def examples(scene: Scene) -> dict[str, Example]:
    created, joined, me = scene.created.game, scene.joined[0], scene.players[0]
    row, names, viewer = scene.row(scene.now), scene.names, scene.viewer(scene.now)
    seat = next(iter(scene.now.players))
    return {
        "createGame": Example(
            game_detail(scene.row(created), created, names, Viewer(me.player)),
            {"ruleset": scene.ruleset.id, "players": len(scene.players), "title": row.title},
        ),
        "listGames": Example(GamePage((game_summary(row, names),), None)),
        "showGame": Example(game_detail(row, scene.now, names, viewer)),
        "showGameDocument": Example(DocumentView(f"sha256:{'5c' * 32}", {"title": "My cards", "nations": []})),
        "showPapers": Example(_papers(scene)),
        "changeGame": Example(
            game_detail(msgspec.structs.replace(row, title="Sunday evening"), scene.now, names, viewer),
            {"title": "Sunday evening"},
        ),
        "cancelGame": Example(scene.accepted(created, created.cancel(Cause(me.player), AT))),
        "takeSeat": Example(scene.accepted(created, joined), TakeSeat(seat, f"dice of {me.name}")),
        "leaveSeat": Example(scene.accepted(joined.game, joined.game.leave_seat(seat, Cause(me.player), AT))),
        "startGame": Example(scene.accepted(scene.joined[-1].game, scene.started)),
        **_officials(scene),
        **_upgrades(scene),
    }


def _papers(scene: Scene) -> PapersView:
    """Return the papers of a game that has some."""
    lines = (Line("Counters: 22 infantry", "ours", "a guess after [R1]"), Line("Has turns in rounds 1 to 9", "stated"))
    origins = {"stated": "stated in the rules", "ours": "made up by us; not the printed card"}
    paper = Paper("celts", "Celts", (Section("The nation", lines),), "cards")
    return PapersView(scene.now.id, origins, {"R1": "the rule book"}, (paper,))


def _officials(scene: Scene) -> dict[str, Example]:
    game, organizer = scene.now, Cause(scene.now.organizer)
    named = game.name_official(PlayerId("p7c2m9k4x6v8b3nwq"), organizer, AT)
    released = named.game.release_official(PlayerId("p7c2m9k4x6v8b3nwq"), organizer, AT)
    return {
        "nameOfficial": Example(scene.accepted(game, named)),
        "releaseOfficial": Example(scene.accepted(named.game, released)),
    }


def _upgrades(scene: Scene) -> dict[str, Example]:
    """Return how the scene would be moved from version 1 of its ruleset to version 2; nothing while there is none."""
    if 2 not in scene.ruleset.versions:
        return {}
    game = msgspec.structs.replace(scene.started.game, ruleset=scene.ruleset.at(1), began_with=1)
    moved = game.upgrade(2, game.chance(SECRET), scene.vault, Cause(game.organizer), AT)
    checked = UpgradeChecked(game.version, 1, 2, rule_changes(scene.ruleset, 1, 2))
    return {
        "upgradeGame": Example(scene.accepted(game, moved), Upgrade(2)),
        "checkUpgrade": Example(checked, Upgrade(2)),
    }
