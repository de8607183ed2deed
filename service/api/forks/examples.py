"""Examples of the endpoints for forks."""

import msgspec

from domain.kernel.chance.draws import commitment_to
from domain.kernel.ids import GameId
from domain.kernel.log import forking
from domain.kernel.log.record import Cause
from projections.lobby import ForkOf
from service.api.forks.bodies import NewFork
from service.api.games.bodies import GamePage
from service.api.games.views import game_detail, game_summary
from service.api.scene import AT, Example, Scene
from service.games.views import Viewer

FORK = GameId("gk7t2c4m9x6v8b3nwq")


def examples(scene: Scene) -> dict[str, Example]:
    me, game = scene.players[0].player, scene.started.game
    fork = forking.fork(game, FORK, "analysis", commitment_to(bytes(32)), Cause(me), AT).game
    title, began = "What if they had stayed?", ForkOf(game.id, game.version, "analysis")
    row = msgspec.structs.replace(scene.row(fork), game=FORK, title=title, fork=began)
    listed = msgspec.structs.replace(row, seats=dict.fromkeys(row.seats))
    return {
        "forkGame": Example(
            game_detail(row, fork, scene.accounts, Viewer(me, everything=True)), NewFork(game.version, title=title)
        ),
        "listForks": Example(GamePage((game_summary(listed, scene.accounts, None),), None)),
    }
