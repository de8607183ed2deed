"""Chance that was fixed before the game and can be checked after it.

When a game is created the service draws a 32-byte secret and publishes its SHA-256, the commitment. Each seat may
then add entropy of its own. Draw number n (n = 1, 2, … over the whole log, retracted events included) yields the
byte stream

    HMAC-SHA256(secret, SHA-256(canonical {"entropy": {seat: text}, "game": id}) ‖ n as 8 bytes ‖ block as 4 bytes)

for block = 0, 1, 2, … (integers big-endian), of which

    a die of s sides    takes bytes until one, b, is below 256 - 256 mod s, and shows b mod s + 1;
    a shuffle of n      runs i from n-1 down to 1; for each i it takes four bytes as a number u until one is below
                        2^32 - 2^32 mod (i+1), and swaps the items at i and u mod (i+1);
    a salt              is the first 16 bytes.

Numbers that would favour a face are thrown away, so there is no modulo bias. When the game ends, the service publishes
its secret, and everybody can derive all draws again.
"""

import hashlib
import hmac
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count as counting
from typing import Any, Protocol

from domain.kernel.canonical import canonical
from domain.kernel.ids import GameId, Seat

SECRET_BYTES = 32


def commitment_to(secret: bytes) -> str:
    """Return the published commitment, SHA-256 of the secret, in hex."""
    return hashlib.sha256(secret).hexdigest()


def keyed_bytes(secret: bytes, message: bytes) -> Iterator[int]:
    """Yield the bytes of HMAC-SHA256(secret, message ‖ block as 4 bytes) for block = 0, 1, 2, …"""
    for block in counting():
        yield from hmac.digest(secret, message + block.to_bytes(4, "big"), "sha256")


def shuffled_places(count: int, stream: Iterator[int]) -> tuple[int, ...]:
    """Return the places, from 0, of `count` items in shuffled order. `stream` has the bytes of the draw."""
    places = list(range(count))
    for last in range(count - 1, 0, -1):
        choices = last + 1
        fair = 2**32 - 2**32 % choices
        number = fair
        while number >= fair:
            number = int.from_bytes(bytes(next(stream) for _ in range(4)), "big")
        choice = number % choices
        places[last], places[choice] = places[choice], places[last]
    return tuple(places)


class Chance(Protocol):
    """The source of dice, shuffles and salts. `draw` is the number of the draw."""

    @property
    def secret(self) -> bytes:
        """What the game publishes at its end, so that everyone can draw again."""
        ...

    def dice(self, draw: int, count: int, sides: int) -> tuple[int, ...]:
        """Return `count` faces, each 1..sides. A die has 256 sides at most."""
        ...

    def order(self, draw: int, items: Sequence[Any]) -> tuple[int, ...]:
        """Return the order in which shuffled items come: their places, from 0, each once."""
        ...

    def salt(self, draw: int) -> bytes:
        """Return 16 bytes that hide a sealed value until it is opened."""
        ...


class CommittedChance:
    """Chance derived from a committed secret and the seats' entropy, as the module describes."""

    __slots__ = ("_context", "secret")

    def __init__(self, secret: bytes, game: GameId, entropy: Mapping[Seat, str]) -> None:
        self.secret = secret
        self._context = hashlib.sha256(canonical({"entropy": dict(entropy), "game": game})).digest()

    def message(self, draw: int, block: int = 0) -> bytes:
        """Return the message whose HMAC is a block of a draw's bytes."""
        return self._context + draw.to_bytes(8, "big") + block.to_bytes(4, "big")

    def _bytes(self, draw: int) -> Iterator[int]:
        return keyed_bytes(self.secret, self._context + draw.to_bytes(8, "big"))

    def rolled(self, draw: int, count: int, sides: int) -> Iterator[tuple[int, int | None]]:
        """Yield the bytes of a roll of `count` dice, and the number that each shows; None for one thrown away."""
        fair = 256 - 256 % sides
        stream = self._bytes(draw)
        while count:
            byte = next(stream)
            yield byte, byte % sides + 1 if byte < fair else None
            count -= byte < fair

    def dice(self, draw: int, count: int, sides: int) -> tuple[int, ...]:
        if not 1 <= sides <= 256:
            raise ValueError(f"a die cannot have {sides} sides; expected 1 to 256")
        return tuple(number for _, number in self.rolled(draw, count, sides) if number is not None)

    def order(self, draw: int, items: Sequence[Any]) -> tuple[int, ...]:
        return shuffled_places(len(items), self._bytes(draw))

    def salt(self, draw: int) -> bytes:
        stream = self._bytes(draw)
        return bytes(next(stream) for _ in range(16))


class ScriptedChance:
    """Dice and lots that a scenario lays down in advance. A salt is the number of its draw.

    Args:
        rolls: the faces of each roll.
        lots: the items that come first in each shuffle; the others, and those of further shuffles, keep their order.
        sides: the numbers of sides that dice of the ruleset have; empty to allow any.

    `dice` raises `LookupError` for a roll that is not the next one laid down, or has dice that the ruleset does not
    have. `order` does so when an item that is to come first is not among the items shuffled.
    """

    secret = b""

    def __init__(
        self, rolls: Sequence[Sequence[int]], sides: Collection[int] = (), lots: Sequence[Sequence[Any]] = ()
    ) -> None:
        self._rolls = [tuple(roll) for roll in rolls]
        self._lots = [list(first) for first in lots]
        self._sides = sides
        self.used = 0
        self.shuffles = 0

    @property
    def remaining(self) -> tuple[Sequence[Sequence[int]], Sequence[Sequence[Any]]]:
        """The rolls and the lots that are still to come."""
        return self._rolls[self.used :], self._lots[self.shuffles :]

    def dice(self, draw: int, count: int, sides: int) -> tuple[int, ...]:
        if self.used >= len(self._rolls):
            raise LookupError(f"all {len(self._rolls)} rolls of the scenario are used; {count} more dice were rolled")
        if self._sides and sides not in self._sides:
            raise LookupError(f"dice of {sides} sides were rolled; the ruleset has dice of {sorted(self._sides)}")
        roll = self._rolls[self.used]
        if len(roll) != count or not all(1 <= face <= sides for face in roll):
            raise LookupError(f"roll {self.used + 1} is {list(roll)}; {count} dice of {sides} sides were rolled")
        self.used += 1
        return roll

    def order(self, draw: int, items: Sequence[Any]) -> tuple[int, ...]:
        first = self._lots[self.shuffles] if self.shuffles < len(self._lots) else []
        self.shuffles += 1
        rest, places = list(range(len(items))), list[int]()
        for item in first:
            place = next((place for place in rest if items[place] == item), None)
            if place is None:
                raise LookupError(f"shuffle {self.shuffles} lays down {item!r}; left to come are {list(items)}")
            rest.remove(place)
            places.append(place)
        return (*places, *rest)

    def salt(self, draw: int) -> bytes:
        return draw.to_bytes(16, "big")
