"""Requests to games: who sent one, what it did when it was accepted, and why it was not."""

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
    """There is no such ruleset; the message names the known ones."""


class UnknownPlayer(LookupError):
    """There is no such account."""


class StaleVersion(Exception):
    """The client expected other versions than the one at which the game, or what else it is, stands: `head`."""

    def __init__(self, expected: Collection[Version], head: Version, what: str = "game") -> None:
        asked = " or ".join(map(str, expected))
        super().__init__(f"You expected version {asked}, but the {what} is at version {head}.")
        self.expected = expected
        self.head = head


class Done(Struct, frozen=True):
    """What an accepted request did.

    Attributes:
        state: the game after it.
        after: the version before it.
        records: what it added to the log.
        vault: the secrets of the game.
        repeated: whether the request came again with its idempotency key, and this was done the first time.
        present: the game as it is now, if it came again: its sender may see less of it than before.
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
        """The version after it."""
        return self.state.version

    def viewer(self, caller: Caller | None) -> Viewer:
        """Return what a caller may see of it: what the first answer showed, as far as they still may."""
        first = viewer_of(self.state, caller)
        if self.present is None or (now := viewer_of(self.present, caller)).everything:
            return first
        return Viewer(first.player, first.seat if first.seat == now.seat else None)

    def seen_by(self, viewer: Viewer) -> Accepted:
        """Return it as `viewer` may see it."""
        ruleset, vault = self.state.ruleset.id, self.vault
        events = tuple(event_view(ruleset, record, vault, viewer) for record in self.records)
        return Accepted(self.game, self.after, self.version, events, self.repeated)


class Request(Struct, frozen=True):
    """A request to a game: who sent it, when, and under which key. `player` is None for what the clock does."""

    player: PlayerId | None
    at: str
    use: KeyUse | None = None

    @property
    def cause(self) -> Cause:
        if self.player is None:
            return BY_CLOCK
        return Cause(self.player, key=self.use.key if self.use is not None else None)


def request_of(player: PlayerId, clock: Clock, key: str | None = None, content: Sequence[Any] = ()) -> Request:
    """Return a request that comes now; `content` is what the key stands for."""
    if not key:
        return Request(player, stamp(clock))
    fingerprint = hashlib.sha256(canonical(content)).digest()
    return Request(player, stamp(clock), KeyUse(player, hashed_key(player, key), fingerprint))


def hashed_key(player: PlayerId, key: str) -> str:
    """Return an idempotency key as log and store have it. The log is public, and a client's key may say something."""
    return hashlib.sha256(player.encode() + b"\0" + key.encode()).hexdigest()[:32]
