"""Examples of the endpoints for playing."""

from itertools import islice
from typing import Any

from msgspec.structs import replace

from domain.kernel.log import answering, ending
from domain.kernel.log.record import Cause
from service.api.play.answers import answers_view
from service.api.play.bodies import EndReply, NewEnd, NewTakeBack, OptionsView, TakeBackReply
from service.api.play.routes import snapshot, state_view
from service.api.scene import AT, GAME, SECRET, Example, Scene
from service.games.views import Checked


def examples(scene: Scene) -> dict[str, Example]:
    now, viewer, started = scene.now, scene.viewer(scene.now), scene.started.game
    body = replace(snapshot(now, viewer, scene.vault), options=_options(scene).options[:1])
    body = replace(body, view=_excerpt(body.view))
    command = {"command": scene.command}
    return {
        "showState": Example(state_view(now, viewer, body.view)),
        "showOptions": Example(_options(scene)),
        "showSnapshot": Example(body),
        "giveCommands": Example(scene.accepted(started, scene.given), command),
        **_answers(scene),
        "askTakeBack": Example(scene.accepted(scene.now, scene.asked), NewTakeBack(started.version)),
        "answerTakeBack": Example(scene.accepted(scene.asked.game, scene.agreed), TakeBackReply(True)),
        **_ends(scene),
        "checkCommands": Example(Checked(started.version, 1, True), command),
    }


def _excerpt(view: Any) -> Any:
    """Return a position with two entries of each mapping that has more than eight, such as the provinces."""
    parts = {field: getattr(view, field) for field in view.__struct_fields__}
    many = {field: part for field, part in parts.items() if isinstance(part, dict) and len(part) > 8}
    return replace(view, **{field: dict(islice(part.items(), 2)) for field, part in many.items()})


def _options(scene: Scene) -> Any:
    game = scene.started.game
    options = game.options(scene.seat, scene.vault)[:2]
    mine = tuple(decision for decision in game.decisions if scene.seat in decision.seats)
    return OptionsView(GAME, game.ruleset.id, game.version, scene.seat, mine, tuple(options))


def _answers(scene: Scene) -> dict[str, Example]:
    leaving = scene.left
    seat = next(each.seat for each in leaving.game.answers.values())
    view = answers_view(leaving.game, seat, scene.vault.joined_by(leaving.secrets))
    (mine,) = view.answers
    revoked = answering.revoke_answer(leaving.game, seat, mine.version, Cause(leaving.game.players[seat]), AT)
    wish = {"decision": mine.decision, "command": mine.command, "until": mine.until}
    return {
        "listAnswers": Example(view),
        "leaveAnswer": Example(scene.accepted(scene.now, leaving), wish),
        "revokeAnswer": Example(scene.accepted(leaving.game, revoked)),
    }


def _ends(scene: Scene) -> dict[str, Example]:
    """Propose to end the game with all seats tied, and agree."""
    game, (first, second, *_) = scene.now, scene.now.players
    chance, order = game.chance(SECRET), [[*game.players]]
    proposed = ending.propose_end(game, first, order, chance, Cause(game.players[first]), AT)
    after = proposed.game
    agreed = ending.answer_end(after, second, after.version, True, chance, Cause(game.players[second]), AT)
    return {
        "proposeEnd": Example(scene.accepted(game, proposed), NewEnd([[*map(str, group)] for group in order])),
        "answerEnd": Example(scene.accepted(after, agreed), EndReply(True)),
    }
