"""The working copy on which one command is decided."""

from collections.abc import Iterable, Sequence
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from domain.kernel.canonical import canonical
from domain.kernel.chance.draws import Chance
from domain.kernel.chance.secret import Opened, Sealed, Secret, Vault, commitment_of
from domain.kernel.ids import Seat
from domain.kernel.rules.decision import Decision
from domain.kernel.rules.message import Event
from domain.kernel.rules.table import Table

T = TypeVar("T", bound=Table)


class Roll(Struct, frozen=True):
    """Dice that were rolled: the number of the draw, from which they can be derived again, and the faces, from 1 up."""

    draw: int
    faces: tuple[int, ...]


class Draft(Generic[T]):
    """The changing table while a command is decided, the events so far and the draws of chance that they used.

    A refusal drops the draft. Then nothing has happened: no event, no draw.

    Attributes:
        asked: the decisions that are open on the table, once the ruleset has advanced it to them; None before.
    """

    __slots__ = ("_draws_after", "_vault", "asked", "chance", "draws", "events", "secrets", "table")

    def __init__(self, table: T, chance: Chance, vault: Vault, draws: int = 0) -> None:
        self.table = table
        self.draws = draws
        self.events: list[Event[T]] = []
        self.secrets: list[Secret] = []
        self._draws_after: list[int] = []
        self.asked: Sequence[Decision] | None = None
        self.chance = chance
        self._vault = vault

    def emit(self, event: Event[T]) -> None:
        """Record `event` and apply it to the table at once."""
        event.apply(self.table)
        self.events.append(event)
        self._draws_after.append(self.draws)

    @property
    def happened(self) -> list[tuple[Event[T], int]]:
        """The events, each with the number of draws that were used up to it."""
        return list(zip(self.events, self._draws_after, strict=True))

    def roll(self, count: int, sides: int) -> Roll:
        """Roll `count` dice with faces 1..`sides`. Store the draw and the faces in an event."""
        self.draws += 1
        return Roll(self.draws, self.chance.dice(self.draws, count, sides))

    def shuffle(self, items: Sequence[Any]) -> list[Any]:
        """Return `items` in an order fixed by chance."""
        self.draws += 1
        return [items[index] for index in self.chance.order(self.draws, items)]

    def seal(self, value: Any, readers: Iterable[Seat]) -> Sealed:
        """Hide a JSON-shaped `value` from all but `readers`; the event may carry the returned commitment."""
        self.draws += 1
        salt = self.chance.salt(self.draws)
        # Decoded again, as it will come out of a store, so that it is shown in the same way now and later.
        content = msgspec.json.decode(canonical(value))
        secret = Secret(commitment_of(salt, content), tuple(readers), salt.hex(), content)
        self.secrets.append(secret)
        self._vault = self._vault.joined_by((secret,))
        return Sealed(secret.commitment, secret.readers)

    def open(self, sealed: Sealed) -> Any:
        """Return a hidden value for the rules to use, which may know everything. It stays hidden from players."""
        return self._vault.open(sealed)

    def reveal(self, sealed: Sealed) -> Opened:
        """Return a hidden value with its salt, to be published in an event that `reveals`."""
        secret = self._vault.secret(sealed.commitment)
        return Opened(secret.commitment, secret.salt, secret.value)
