"""A sandbox as it is shown, and the time that it is given."""

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
        token: a token for all that the account may do, the same in every sandbox.
    """

    player: PlayerId
    name: str
    token: str


class SandboxGame(Struct, frozen=True):
    """A game that every sandbox has.

    Attributes:
        game: its id.
        about: what it is there for.
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
    """What a sandbox began with, as it is now.

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
        at: the time, at most 366 days after its time now.
    """

    at: Annotated[datetime, Meta(tz=True)]
