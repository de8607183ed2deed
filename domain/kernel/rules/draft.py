"""The working copy on which one command is decided."""

from collections.abc import Iterable, Sequence
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from domain.kernel.canonical import canonical
from domain.kernel.chance.draws import Chance
from domain.kernel.chance.secret import Opened, Sealed, Secret, Vault, commitment_of
from domain.kernel.ids import Seat
from domain.kernel.rules.message import Event
from domain.kernel.rules.table import Table

T = TypeVar("T", bound=Table)


class Roll(Struct, frozen=True):
    """Dice that were rolled: the number of the draw, by which they can be derived again, and the faces, from 1 up."""

    draw: int
    faces: tuple[int, ...]


class Draft(Generic[T]):
    """The table as it becomes while a command is decided, the events so far and the chance they use up.

    A draft that ends in a refusal is dropped, and nothing has happened: no event, no draw.
    """

    __slots__ = ("_draws_after", "_vault", "chance", "draws", "events", "secrets", "table")

    def __init__(self, table: T, chance: Chance, vault: Vault, draws: int = 0) -> None:
        self.table = table
        self.draws = draws
        self.events: list[Event[T]] = []
        self.secrets: list[Secret] = []
        self._draws_after: list[int] = []
        self.chance = chance
        self._vault = vault

    def emit(self, event: Event[T]) -> None:
        """Let `event` happen: it is recorded and the table changes at once."""
        event.apply(self.table)
        self.events.append(event)
        self._draws_after.append(self.draws)

    @property
    def happened(self) -> list[tuple[Event[T], int]]:
        """The events, each with the number of draws that were used up to it."""
        return list(zip(self.events, self._draws_after, strict=True))

    def roll(self, count: int, sides: int) -> Roll:
        """Roll `count` dice with faces 1..`sides`. Store the result's draw and outcome in an event."""
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
        # As it comes out of a store: what is shown of it now is what is shown of it later, to the byte.
        kept = msgspec.json.decode(canonical(value))
        secret = Secret(commitment_of(salt, kept), tuple(readers), salt.hex(), kept)
        self.secrets.append(secret)
        self._vault = self._vault.joined_by((secret,))
        return Sealed(secret.commitment, secret.readers)

    def open(self, sealed: Sealed) -> Any:
        """Return a hidden value to the rules, which know everything. Nobody is shown it."""
        return self._vault.open(sealed)

    def reveal(self, sealed: Sealed) -> Opened:
        """Return a hidden value with its salt, to be published in an event that `reveals`."""
        secret = self._vault.secret(sealed.commitment)
        return Opened(secret.commitment, secret.salt, secret.value)
