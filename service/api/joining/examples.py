"""Examples of joining accounts."""

import msgspec

from domain.kernel.ids import PlayerId
from service.api.joining.bodies import (
    AccountJoining,
    JoiningCode,
    JoiningPage,
    JoiningPlan,
    JoiningWish,
    NewJoining,
    PassingGame,
)
from service.api.players.bodies import player_view
from service.api.scene import AT, Example, Scene


def examples(scene: Scene) -> dict[str, Example]:
    game, account = scene.now, scene.players[1]
    heir = msgspec.structs.replace(account, player=PlayerId("p7c3v6m9tk5n2q8w4"), name="Marcus Tullius")
    seat = next(seat for seat, holder in game.players.items() if holder == account.player)
    passing = PassingGame(game.id, scene.row(game).title, seat, game.organizer)
    joined = AccountJoining(account.player, heir.player, AT)
    code = "k4xq-2m7a-hbk3-oxw7"
    return {
        "askForJoining": Example(JoiningCode(code, "2026-11-21T18:10:00.000000Z")),
        "planJoining": Example(JoiningPlan(player_view(account), player_view(heir), (passing,)), JoiningWish(code)),
        "joinAccounts": Example(joined, NewJoining(code, account.player)),
        "listJoinings": Example(JoiningPage((joined,))),
    }
