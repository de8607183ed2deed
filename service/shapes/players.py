"""Accounts as they are sent and answered."""

from msgspec import Struct

from domain.kernel.words import PlayerId
from service.shapes.common import Text
from service.store.protocol import PlayerRow


class Registration(Struct, frozen=True, forbid_unknown_fields=True):
    """Who wants to play.

    Attributes:
        name: the name that others see.
    """

    name: Text


class Player(Struct, frozen=True):
    """An account.

    Attributes:
        id: its id, by which games know it.
        name: the name that others see.
        created: when it was registered.
    """

    id: PlayerId
    name: str
    created: str


class Registered(Struct, frozen=True):
    """A new account.

    Attributes:
        player: the account.
        token: what proves that a request is this player's: ``Authorization: Bearer <token>``. It is shown this once
            and kept nowhere.
    """

    player: Player
    token: str


def player_view(row: PlayerRow) -> Player:
    """Return an account."""
    return Player(row.player, row.name, row.created)
