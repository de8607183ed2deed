"""What players ask about themselves and others, and the answers."""

import msgspec

from domain.kernel.chance.secret import Vault
from service.accounts.accounts import Caller
from service.api.accounts.bodies import LoggedEvent
from service.api.games.bodies import GamePage, game_summary
from service.api.log.bodies import StreamedLogged
from service.api.players.bodies import PlayerPage, Registered, Registration, player_view
from service.api.players.routes import me
from service.api.scene import FIRST, GAME, Example, Scene
from service.games.views import Viewer, event_view


def examples(scene: Scene) -> dict[str, Example]:
    owner = scene.players[0]
    granted = frozenset(owner.scopes)
    caller = Caller(owner.player, granted, granted, FIRST, b"")
    record = scene.given.records[0]
    logged = LoggedEvent(GAME, event_view(scene.ruleset.id, record, Vault(), Viewer()))
    return {
        "registerPlayer": Example(
            Registered(player_view(owner), "tab_0yH8xk2bq5mQf7w9s1u3d5r7t9v1x3z5A7C9E1G3I5K"), Registration(owner.name)
        ),
        "showMe": Example(me(owner, caller)),
        "changeMe": Example(
            me(msgspec.structs.replace(owner, findable=True), caller), {"name": owner.name, "findable": True}
        ),
        "findPlayers": Example(PlayerPage((player_view(owner),), None)),
        "listMyGames": Example(GamePage((game_summary(scene.row(scene.now), scene.names),), None)),
        "streamMyEvents": Example(StreamedLogged("1208", logged.event.type, msgspec.json.encode(logged).decode())),
        "showPlayer": Example(player_view(owner)),
    }
