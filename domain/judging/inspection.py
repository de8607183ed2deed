"""What a judge looks at in the log of a game: what was drawn and how likely that was, and what going back would cost.

It only shows; it decides nothing. All of it follows from the log, but for what is drawn again from the secret of the
game, which is published after its end.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import comb
from typing import Any, Final, Literal, cast

import msgspec
from msgspec import UNSET, Struct

from domain.kernel.chance.draws import CommittedChance
from domain.kernel.chance.evidence import Dice, Lots, draw_of, value_at
from domain.kernel.ids import Seat, Version
from domain.kernel.log.history import cause_of, effective_records, read_around, read_event
from domain.kernel.log.record import Record
from domain.kernel.rules.message import type_name
from domain.kernel.rules.ruleset import Ruleset

MOST: Final = 100
"""The most commands or versions in a list."""

# In canonical JSON the fields of an object are sorted, and no string has an unescaped quote: a match is an object.
_SEALED: Final = re.compile(rb'"commitment":"([0-9a-f]{64})","readers":(\[[^\]]*\])')
_OPENED: Final = re.compile(rb'"commitment":"([0-9a-f]{64})","salt":"')


class Draw(Struct, frozen=True):
    """A draw of chance that an event shows.

    Attributes:
        version: the version of the event.
        draw: the number of the draw.
        kind: `dice` for a roll, `lots` for a shuffle.
        die: which die was rolled; null for a shuffle.
        shown: the faces, or the items in the order in which they came, as the event shows them; empty when hidden.
        probability: the probability that the dice show these faces, in any order; null for a shuffle.
        likeliest: the probability of the likeliest faces of as many dice, to compare with; null for a shuffle.
        raw: the bytes that the roll took, in hex, with those that were thrown away; null until the game is over, and
            for a shuffle.
        again: the result of drawing it again from the secret; null until the game is over, and for a
            shuffle of what no event shows.
    """

    version: Version
    draw: int
    kind: Literal["dice", "lots"]
    die: str | None
    shown: tuple[str, ...]
    probability: float | None = None
    likeliest: float | None = None
    raw: str | None = None
    again: tuple[str, ...] | None = None


class TakenAway(Struct, frozen=True):
    """A command that going back would take away.

    Attributes:
        version: the version of the first event that it brought about.
        seat: whose command it was.
        command: its type.
        at: when it was given.
    """

    version: Version
    seat: Seat | None
    command: str
    at: str


class Learnt(Struct, frozen=True):
    """What a seat has learnt and would still know after the game went back, as far as the log shows.

    Attributes:
        seat: the seat.
        secrets: how many hidden values it was shown that it could not read before: sealed for it, or opened to all.
        versions: the events that showed them, the first 100.
    """

    seat: Seat
    secrets: int
    versions: tuple[Version, ...]


class WayBack(Struct, frozen=True):
    """What going back to a version would cost.

    Attributes:
        to: the version.
        commands: how many commands it would take away.
        taken: the first 100 of them.
        rolls: the events whose dice would be drawn anew, the first 100.
        draws: how many draws of chance would be drawn anew, those behind hidden values included.
        learnt: what seats have come to know since, also by moves that were taken back. A value that a seat itself hid
            is not counted.
    """

    to: Version
    commands: int
    taken: tuple[TakenAway, ...]
    rolls: tuple[Version, ...]
    draws: int
    learnt: tuple[Learnt, ...]


def step_around(records: Sequence[Record], version: Version) -> Sequence[Record]:
    """Return the records that were accepted together with the one at `version`. `records` is the whole log."""
    first = last = version
    while first > 1 and records[first - 1].cause is None:
        first -= 1
    while last < len(records) and records[last].cause is None:
        last += 1
    return records[first - 1 : last]


# --- dice ---


def draws_in(
    step: Sequence[Record], ruleset: Ruleset[Any], seats: Sequence[Seat], chance: CommittedChance | None
) -> Iterator[Draw]:
    """Yield the draws that the events of a step show. `chance`, if there is one, draws them again."""
    for record in step:
        if read_around(record) is not None:
            continue
        event = read_event(ruleset, record)
        content = msgspec.json.decode(record.event)
        for evidence in ruleset.chance.get(cast(Any, type(event)), ()):
            draw = draw_of(content, evidence)
            if draw is None:
                continue
            if isinstance(evidence, Dice):
                yield _roll(record.version, draw, evidence, content, ruleset, chance)
            else:
                yield _shuffle(record.version, draw, evidence, content, seats, chance)


def _roll(
    version: Version,
    draw: int,
    evidence: Dice,
    content: Mapping[str, Any],
    ruleset: Ruleset[Any],
    chance: CommittedChance | None,
) -> Draw:
    sides = ruleset.dice[evidence.die]
    faces = tuple(map(str, value_at(content, evidence.at)["faces"]))
    raw = again = None
    if chance is not None:
        rolled = list(chance.rolled(draw, len(faces), len(sides)))
        raw = bytes(byte for byte, _ in rolled).hex()
        again = tuple(sides[number - 1] for _, number in rolled if number is not None)
    odds = probability(Counter(faces), sides), probability(likeliest(len(faces), sides), sides)
    return Draw(version, draw, "dice", evidence.die, faces, *odds, raw, again)


def _shuffle(
    version: Version,
    draw: int,
    evidence: Lots,
    content: Mapping[str, Any],
    seats: Sequence[Seat],
    chance: CommittedChance | None,
) -> Draw:
    outcome = value_at(content, evidence.outcome) if evidence.outcome is not None else None
    if isinstance(outcome, dict):
        outcome = [cast(Mapping[Seat, str], outcome).get(seat, "") for seat in seats]
    lots = tuple(map(str, cast(Sequence[Any], outcome or ())))
    if chance is None or evidence.outcome is None:
        return Draw(version, draw, "lots", None, lots)
    items: Sequence[str] = evidence.items.get(str(len(seats))) or seats
    if evidence.stock is not None:
        stock: Mapping[str, int] = value_at(content, evidence.stock) or {}
        items = [name for name in sorted(stock) for _ in range(stock[name])]
    again = tuple(items[place] for place in chance.order(draw, items))
    return Draw(version, draw, "lots", None, lots, again=again[: len(lots)])


def probability(faces: Mapping[str, int], sides: Sequence[str]) -> float:
    """Return the probability that dice with these sides show these faces, in any order."""
    on_sides, rest, ways = Counter(sides), sum(faces.values()), 1
    dice = rest
    for face, times in faces.items():
        ways *= comb(rest, times) * on_sides[face] ** times
        rest -= times
    return ways / len(sides) ** dice


def likeliest(dice: int, sides: Sequence[str]) -> Counter[str]:
    """Return the likeliest faces of a number of dice."""
    on_sides, faces = Counter(sides), Counter[str]()
    for _ in range(dice):  # the likeliest faces of n+1 dice are those of n dice and one more
        faces[max(on_sides, key=lambda face: on_sides[face] / (faces[face] + 1))] += 1
    return faces


# --- going back ---


def way_back(to: Version, records: Sequence[Record], ruleset: Ruleset[Any], seats: Sequence[Seat]) -> WayBack:
    """Return what going back to version `to` would cost. `records` is the whole log of a game of `seats`."""
    counting = [record for record in effective_records(records) if record.version > to]
    commands = [TakenAway(record.version, *command, record.at) for record in counting if (command := _command(record))]
    rolling = {type_name(event) for event, places in ruleset.chance.items() if any(isinstance(s, Dice) for s in places)}
    rolls = [record.version for record in counting if record.type in rolling and _rolled(record, ruleset)]
    before = records[to - 1].draws if to else 0
    learnt = tuple(_learnt(to, records, seats))
    return WayBack(to, len(commands), tuple(commands[:MOST]), tuple(rolls[:MOST]), records[-1].draws - before, learnt)


def _command(record: Record) -> tuple[Seat | None, str] | None:
    cause = cause_of(record) if record.cause is not None else None
    if cause is None or cause.command is UNSET:
        return None
    return cause.seat, msgspec.json.decode(cause.command, type=_Typed).type


class _Typed(Struct):
    type: str


def _rolled(record: Record, ruleset: Ruleset[Any]) -> bool:
    content = msgspec.json.decode(record.event)
    draws = ruleset.chance.get(cast(Any, type(read_event(ruleset, record))), ())
    return any(draw_of(content, each) is not None for each in draws if isinstance(each, Dice))


def _learnt(to: Version, records: Sequence[Record], seats: Sequence[Seat]) -> Iterator[Learnt]:
    readers: dict[bytes, set[Seat]] = {}
    versions: dict[Seat, list[Version]] = {seat: [] for seat in seats}
    hider: Seat | None = None
    for record in records:
        if record.cause is not None:
            hider = cause_of(record).seat if b'"sealed":{' in record.cause else None
        if b'"commitment"' not in record.event or read_around(record) is not None:
            continue
        sealed = [(name, msgspec.json.decode(listed, type=set[Seat])) for name, listed in _SEALED.findall(record.event)]
        opened = [(name, set(seats)) for name in _OPENED.findall(record.event)]
        for name, readers_now in (*sealed, *opened):
            readers_before = readers.setdefault(name, set())
            if record.version > to and readers_now != {hider}:
                for seat in readers_now - readers_before:
                    versions[seat].append(record.version)
            readers_before |= readers_now
    for seat, shown_at in versions.items():
        if shown_at:
            yield Learnt(seat, len(shown_at), tuple(dict.fromkeys(shown_at))[:MOST])
