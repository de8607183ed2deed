"""Examples of the endpoints of a sandbox."""

from datetime import UTC, datetime

from service.api.sandbox.bodies import Sandbox, SandboxAccount, SandboxGame, SandboxTime
from service.api.scene import AT, Example, Scene


def examples(scene: Scene) -> dict[str, Example]:
    me, game = scene.players[0], scene.now
    account = SandboxAccount(me.player, me.name, "tab_sandbox_ann")
    sandbox_game = SandboxGame(
        game.id, "Somebody has to move.", game.ruleset.id, game.version, game.status, (me.player,)
    )
    sandbox = Sandbox(AT, (account,), (sandbox_game,))
    return {
        "showSandbox": Example(sandbox),
        "moveTime": Example(sandbox, SandboxTime(datetime(2026, 11, 21, 18, tzinfo=UTC))),
        "resetSandbox": Example(None),
    }
