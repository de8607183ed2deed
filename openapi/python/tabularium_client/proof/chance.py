"""Dice, shuffles and salts, drawn again from the secret that a finished game publishes.

    HMAC-SHA256(secret, SHA-256(canonical {"entropy", "game"}) ‖ draw as 8 bytes ‖ block as 4 bytes), block = 0, 1, …

A die of s sides takes a byte b, the next one while b >= 256 - 256 mod s, and shows b mod s + 1. A shuffle of n runs i
from n-1 down to 1 and swaps i with u mod (i+1), u being four bytes, taken again while u is too large to be fair. A salt
is the first 16 bytes.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Any

from tabularium_client.proof.chain import canonical

Row = dict[str, Any]


class Chance:
    """The chance of one game."""

    def __init__(self, secret: str, game: str, entropy: dict[str, str]) -> None:
        self._secret = bytes.fromhex(secret)
        self._context = hashlib.sha256(canonical({"entropy": entropy, "game": game})).digest()

    def _bytes(self, draw: int) -> Iterator[int]:
        for block in count():
            message = self._context + draw.to_bytes(8, "big") + block.to_bytes(4, "big")
            yield from hmac.digest(self._secret, message, "sha256")

    def dice(self, draw: int, number: int, sides: int) -> list[int]:
        """Return a list of dice rolls, each from 1 to `sides`."""
        fair = 256 - 256 % sides
        return list(islice((byte % sides + 1 for byte in self._bytes(draw) if byte < fair), number))

    def order(self, draw: int, items: Sequence[Any]) -> list[Any]:
        """Return shuffled items."""
        stream, shuffled = self._bytes(draw), list(items)
        for last in range(len(items) - 1, 0, -1):
            fair = 2**32 - 2**32 % (last + 1)
            number = fair
            while number >= fair:
                number = int.from_bytes(bytes(islice(stream, 4)), "big")
            choice = number % (last + 1)
            shuffled[last], shuffled[choice] = shuffled[choice], shuffled[last]
        return shuffled

    def salt(self, draw: int) -> str:
        """Return a salt in hex."""
        return bytes(islice(self._bytes(draw), 16)).hex()


class Draws:
    """Every draw of a finished game, repeated and compared with what its events show.

    Args:
        ruleset: the answer of ``GET /v1/rulesets/{ruleset}``, which says where events show chance.
        salts: of the secrets that were published, in the order of sealing; None where the reader may not see all.
    """

    def __init__(
        self, secret: str, game: str, rows: list[Row], ruleset: dict[str, Any], salts: list[str] | None
    ) -> None:
        self._chance = Chance(secret, game, entropy_of(rows))
        self._rows, self._ruleset, self._salts = rows, ruleset, salts
        self._seats: list[str] = rows[0]["event"]["seats"]
        self._published = len(salts or ())
        self._rolls = self._shuffles = 0
        self._untold: list[int] = []
        """The versions with shuffles of what depends on the position."""

    def fault(self) -> tuple[str, int | None] | None:
        """Return the first thing that is wrong, and the version where it is."""
        before = 0
        for row in self._rows:
            unused = dict.fromkeys(range(before + 1, row["draws"] + 1))
            before = row["draws"]
            for evidence in self._ruleset["chance"].get(row["event"]["type"], ()):
                holder = _member(row["event"], evidence["at"])
                draw = holder.get("draw") if isinstance(holder, dict) else None
                if draw is None:
                    continue
                if draw not in unused:
                    return f"version {row['version']} shows draw {draw}, which is not one of its own", row["version"]
                del unused[draw]
                wrong = self._wrong(row, evidence, draw, holder)
                if wrong:
                    return f"version {row['version']} {wrong}", row["version"]
            if self._salts is not None and (wrong := self._unaccounted(row, list(unused))):
                return f"version {row['version']} {wrong}", row["version"]
        if self._salts:
            return f"{len(self._salts)} salts of secrets follow from no draw of chance", None
        return None

    def _wrong(self, row: Row, evidence: dict[str, Any], draw: int, holder: dict[str, Any]) -> str | None:
        if evidence["type"] == "dice":
            sides, faces = self._ruleset["dice"][evidence["die"]], holder["faces"]
            right = [sides[number - 1] for number in self._chance.dice(draw, len(faces), len(sides))]
            self._rolls += 1
            return _compared(faces, right, draw)
        if evidence.get("outcome") is None:
            self._untold.append(row["version"])
            return None
        if (stock := evidence.get("stock")) is not None:
            supply = _member(row["event"], stock) or {}
            items = [name for name in sorted(supply) for _ in range(supply[name])]
        else:
            items = evidence.get("items", {}).get(str(len(self._seats)), self._seats)
        outcome = _member(row["event"], evidence["outcome"])
        lots = outcome if isinstance(outcome, list) else [outcome.get(seat) for seat in self._seats]
        right = self._chance.order(draw, items)
        self._shuffles += 1
        return _compared(lots, right[: len(lots)] if stock is not None else right, draw, "the lots ")

    def _unaccounted(self, row: Row, draws: list[int]) -> str | None:
        """Find the salts among the draws that a version does not show; return what is wrong when something is left."""
        assert self._salts is not None
        unknown: list[int] = []
        for draw in draws:
            if self._salts and self._chance.salt(draw) == self._salts[0]:
                self._salts.pop(0)
            else:
                unknown.append(draw)
        if not unknown:
            return None
        evidence = self._ruleset["chance"].get(row["event"]["type"], ())
        if not any(each["type"] == "lots" and each.get("outcome") is None for each in evidence):
            return f"uses draw {unknown[0]}, which is no roll, no shuffle and no salt of a secret"
        if row["version"] not in self._untold:
            self._untold.append(row["version"])
        return None

    def checked(self) -> list[str]:
        """Return what was drawn again, in sentences."""
        counts = (
            (self._rolls, "rolls of dice", "drawn again from the secret: the faces are those of the log."),
            (self._shuffles, "shuffles", "done again from the secret: they come out as the log says."),
            (self._published, "salts of hidden values", "derived again from the secret: all are right."),
        )
        return [f"{count} {what} {how}" for count, what, how in counts if count]

    def unchecked(self) -> list[str]:
        """Return what could not be drawn again, in sentences."""
        versions = ", ".join(map(str, self._untold))
        return [f"The lots behind version {versions}: what was shuffled depends on the position."] if versions else []


def entropy_of(rows: list[Row]) -> dict[str, str]:
    """Return the entropy that seats added to the chance of a game, as it stood when the game began."""
    entropy: dict[str, str] = {}
    for row in rows:
        event = row["event"]
        if event["type"] in {"seat-taken", "seat-confirmed"} and event.get("entropy"):
            entropy[event["seat"]] = event["entropy"]
        if event["type"] == "seat-left":
            entropy.pop(event["seat"], None)
        if event["type"] == "game-started":
            break
    return entropy


def _member(value: Any, way: Sequence[str]) -> Any:
    for name in way:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _compared(shown: list[Any], right: list[Any], draw: int, what: str = "") -> str | None:
    if [str(each) for each in shown] == [str(each) for each in right]:
        return None
    return f"shows {what}{', '.join(map(str, shown))}; draw {draw} comes to {', '.join(map(str, right))}"
