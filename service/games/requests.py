"""Requests to games: their sender, the outcome of an accepted one, and errors."""

import hashlib
from collections.abc import Collection, Sequence
from typing import Any

from msgspec import Struct

from domain.kernel.canonical import canonical
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId, PlayerId, Version
from domain.kernel.log.game import Game
from domain.kernel.log.record import Cause, Record
from domain.kernel.log.timing import BY_CLOCK
from service.accounts.caller import Caller
from service.base.clock import Clock, stamp
from service.games.views import Accepted, Viewer, event_view, viewer_of
from service.store.protocol import KeyUse


class UnknownRuleset(LookupError):
    """There is no such ruleset. The message names those that exist."""


class UnknownPlayer(LookupError):
    """There is no such account."""


class StaleVersion(Exception):
    """The client expected another version. `head` is the present one."""

    def __init__(self, expected: Collection[Version], head: Version, what: str = "game") -> None:
        versions = " or ".join(map(str, expected))
        super().__init__(f"You expected version {versions}, but the {what} is at version {head}.")
        self.expected = expected
        self.head = head


class Done(Struct, frozen=True):
    """The outcome of an accepted request.

    Attributes:
        state: the game after the request.
        after: the version before the request.
        records: the records that it added to the log.
        vault: the secrets of the game.
        repeated: whether this answers a repeated request with the outcome of the first.
        present: for a repeated request, the game as it is now: its sender may see less than before.
    """

    state: Game
    after: Version
    records: Sequence[Record]
    vault: Vault
    repeated: bool = False
    present: Game | None = None

    @property
    def game(self) -> GameId:
        return self.state.id

    @property
    def version(self) -> Version:
        """The version after the request."""
        return self.state.version

    def viewer(self, caller: Caller | None) -> Viewer:
        """Return the view of a caller: what the first answer showed, as far as they may still see it."""
        first = viewer_of(self.state, caller)
        if self.present is None or (now := viewer_of(self.present, caller)).everything:
            return first
        return Viewer(first.player, first.seat if first.seat == now.seat else None)

    def seen_by(self, viewer: Viewer) -> Accepted:
        """Return the answer with the events as `viewer` may see them."""
        ruleset, vault = self.state.ruleset.id, self.vault
        events = tuple(event_view(ruleset, record, vault, viewer) for record in self.records)
        return Accepted(self.game, self.after, self.version, events, self.repeated)


class Request(Struct, frozen=True):
    """A request to a game: its sender, time and idempotency key. `player` is None for acts of the clock."""

    player: PlayerId | None
    at: str
    use: KeyUse | None = None

    @property
    def cause(self) -> Cause:
        if self.player is None:
            return BY_CLOCK
        return Cause(self.player, key=self.use.key if self.use is not None else None)


def request_of(player: PlayerId, clock: Clock, key: str | None = None, content: Sequence[Any] = ()) -> Request:
    """Return a request at the present time. The key belongs to `content`."""
    if not key:
        return Request(player, stamp(clock))
    fingerprint = hashlib.sha256(canonical(content)).digest()
    return Request(player, stamp(clock), KeyUse(player, hashed_key(player, key), fingerprint))


def hashed_key(player: PlayerId, key: str) -> str:
    """Return the hash of an idempotency key, for log and store: the log is public, and keys may be meaningful."""
    return hashlib.sha256(player.encode() + b"\0" + key.encode()).hexdigest()[:32]
