"""A sandbox as it is answered, and the body that moves its time."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from domain.kernel.ids import GameId, PlayerId, Version
from domain.kernel.log.lifecycle import Status


class SandboxAccount(Struct, frozen=True):
    """An account that every sandbox has.

    Attributes:
        player: its id.
        name: its name.
        token: a token with all scopes of the account, the same in every sandbox.
    """

    player: PlayerId
    name: str
    token: str


class SandboxGame(Struct, frozen=True):
    """A game that every sandbox has.

    Attributes:
        game: its id.
        about: what it shows.
        ruleset: its ruleset.
        version: its version now.
        status: its status now.
        waits_for: the accounts that have a decision to make.
    """

    game: GameId
    about: str
    ruleset: str
    version: Version
    status: Status
    waits_for: tuple[PlayerId, ...]


class Sandbox(Struct, frozen=True):
    """The time of a sandbox, and the present state of the accounts and games that it began with.

    Attributes:
        now: its time, which stands still until you move it.
        accounts: its accounts.
        games: its games.
    """

    now: str
    accounts: tuple[SandboxAccount, ...]
    games: tuple[SandboxGame, ...]


class SandboxTime(Struct, frozen=True, forbid_unknown_fields=True):
    """A time for a sandbox.

    Attributes:
        at: the new time, at most 366 days after the present one.
    """

    at: Annotated[datetime, Meta(tz=True)]
