"""What is asked in play, and answered."""

from typing import Any

from service.api.play.bodies import OptionsView
from service.api.play.routes import state_view
from service.api.scene import GAME, Example, Scene
from service.games.views import Checked


def examples(scene: Scene) -> dict[str, Example]:
    now, viewer, started = scene.now, scene.viewer(scene.now), scene.started.game
    command = {"command": scene.command}
    return {
        "showState": Example(state_view(now, viewer, now.view(viewer.seat, scene.vault))),
        "showOptions": Example(_options(scene)),
        "giveCommands": Example(scene.accepted(started, scene.given), command),
        "checkCommands": Example(Checked(started.version, 1), command),
    }


def _options(scene: Scene) -> Any:
    game = scene.started.game
    options = game.options(scene.seat, scene.vault)[:3]
    mine = tuple(decision for decision in game.decisions if scene.seat in decision.seats)
    return OptionsView(GAME, game.ruleset.id, game.version, scene.seat, mine, tuple(options))
