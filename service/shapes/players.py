"""Accounts as they are sent and answered."""

from msgspec import Struct

from domain.kernel.words import PlayerId
from service.access.scopes import Scope
from service.shapes.common import Text
from service.store.accounts import PlayerRow, TokenId


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


class Me(Struct, frozen=True):
    """The caller's account, and what the token of the request may be used for.

    Attributes:
        id: its id, by which games know it.
        name: the name that others see.
        created: when it was registered.
        scopes: what this token may be used for.
        granted: what the account's tokens may be used for at most.
        token: the id of this token; null if another issuer made it.
        ends: when it ends; null for never.
    """

    id: PlayerId
    name: str
    created: str
    scopes: tuple[Scope, ...]
    granted: tuple[Scope, ...]
    token: TokenId | None
    ends: str | None


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
