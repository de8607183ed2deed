"""Accounts as they are sent and answered."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from domain.kernel.ids import PlayerId
from service.api.bodies import Listed, Page, Text
from service.base.scopes import Scope
from service.store.accounts import PlayerRow, TokenId


class Registration(Struct, frozen=True, forbid_unknown_fields=True):
    """Who wants to play.

    Attributes:
        name: the name that others see.
    """

    name: Text


class PlayerChange(Struct, frozen=True, forbid_unknown_fields=True):
    """Changes to your account; absent fields stay the same.

    Attributes:
        name: your new name, which others see from now on, also in games that are over.
        findable: whether others can find you by your name.
    """

    name: Text | UnsetType = UNSET
    findable: bool | UnsetType = UNSET


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


class PlayerSearch(Page, frozen=True, kw_only=True):
    """Whom you are looking for.

    Attributes:
        name: their name, or how it begins. Case makes no difference.
        match: `exact` for the whole name, `prefix` for its beginning.
    """

    name: Text
    match: Literal["exact", "prefix"] = "exact"


class PlayerPage(Listed[Player], frozen=True):
    """Players who can be found, by their names."""


class Me(Player, frozen=True):
    """The caller's account, and what the token of the request may be used for.

    Attributes:
        scopes: what this token may be used for.
        granted: the most that the account's tokens may be used for.
        token: the id of this token; null for an external JWT.
        ends: when it ends; null for never.
        findable: whether others can find the account by its name.
    """

    scopes: tuple[Scope, ...]
    granted: tuple[Scope, ...]
    token: TokenId | None
    ends: str | None
    findable: bool


class Registered(Struct, frozen=True):
    """A new account.

    Attributes:
        player: the account.
        token: proves that a request comes from this player: ``Authorization: Bearer <token>``. It is shown only once
            and is not stored.
    """

    player: Player
    token: str


def player_view(row: PlayerRow) -> Player:
    """Return an account."""
    return Player(row.player, row.name, row.created)
