"""Reading a log: its events in their current shape, who caused them, and which of them count."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, Union, cast

import msgspec
from msgspec import UNSET

from domain.kernel.ids import Seat, Version
from domain.kernel.log.event import GameEvent
from domain.kernel.log.lifecycle import GAME_EVENTS, UPCASTERS, GameCreated, GameForked, MovesRetracted
from domain.kernel.log.record import Cause, Record
from domain.kernel.rules.message import Upcaster, type_name
from domain.kernel.rules.ruleset import Ruleset

_GAME_EVENTS: Final = {type_name(event): event for event in GAME_EVENTS}
_CREATED: Final = type_name(GameCreated)
_COMMITMENT: Final = re.compile(rb'"commitment":"([0-9a-f]{64})"')
_RETRACTED: Final = b'"type":"moves-retracted"}'
"""How the canonical bytes of a retraction end, and of no other event: ``type`` is the last of its fields."""
_STAYS: Final = tuple(b'"type":"%b"}' % type_name(event).encode() for event in GAME_EVENTS if event.stays)
"""How the bytes of each event end that no retraction takes back, and of no other event."""


def cause_of(record: Record) -> Cause:
    """Return the cause of a record; an empty one for a record that follows from the one before it."""
    return msgspec.json.decode(record.cause, type=Cause) if record.cause is not None else Cause()


class Reader:
    """Reads stored events of one ruleset, and those of the game itself, in their current shape."""

    def __init__(self, ruleset: Ruleset[Any]) -> None:
        self._union: Any = Union[(*GAME_EVENTS, *ruleset.events)]
        self.upcasters: Mapping[tuple[str, int], Upcaster] = {**UPCASTERS, **ruleset.upcasters}
        self.decode: Callable[[bytes], Any] = cast(Any, msgspec.json.Decoder(self._union).decode)
        """Reads the bytes of an event that has the current shape, which is faster than `read`."""
        self._old: dict[int, tuple[bytes, ...]] = {}
        for name, schema in self.upcasters:
            if name != _CREATED:  # which is always the first event
                self._old[schema] = (*self._old.get(schema, ()), b'"type":"%b"' % name.encode())
        self.may_be_old: Callable[[int], bool] = self._old.__contains__
        """Tells whether an event after the first, of this schema version, may have an older shape: then `read` it."""

    def read(self, record: Record) -> Any:
        """Return the event of a record. Raises `msgspec.ValidationError`."""
        # No JSON string contains an unescaped quote, so an event without these bytes has none of these types.
        if record.version == 1 or any(name in record.event for name in self._old.get(record.schema, ())):
            return _upcast(record, self.upcasters, self._union)
        return self.decode(record.event)


@cache
def reader(ruleset: Ruleset[Any]) -> Reader:
    """Return the reader of the events of a ruleset."""
    return Reader(ruleset)


def read_event(ruleset: Ruleset[Any], record: Record) -> Any:
    """Return the event of a record, in its current shape. Raises `msgspec.ValidationError`."""
    return reader(ruleset).read(record)


def read_created(record: Record) -> GameCreated:
    """Return the first event of a log, before its ruleset is known; `GameForked` for that of a fork.

    Raises:
        msgspec.ValidationError: it is another event, or not of a known shape.
    """
    return _upcast(record, UPCASTERS, GameCreated | GameForked)


def read_around(record: Record) -> GameEvent | None:
    """Return the event of a record when it is a `GameEvent`; None for an event of a ruleset.

    Raises:
        msgspec.ValidationError: it is not of a known shape.
    """
    shape = _GAME_EVENTS.get(record.type)
    return _upcast(record, UPCASTERS, shape) if shape is not None else None


def _upcast(record: Record, upcasters: Mapping[tuple[str, int], Upcaster], shape: Any) -> Any:
    """Return the event of a record, turned step by step into its current shape."""
    content = msgspec.json.decode(record.event, type=dict[str, Any])
    schema = record.schema
    while upcaster := upcasters.get((str(content.get("type")), schema)):  # a forger's type need not be a text
        content, schema = upcaster(content), schema + 1
    return msgspec.convert(content, shape)


def is_aside(ruleset: Ruleset[Any], cause: Cause) -> bool:
    """Tell whether a cause has a command that stands aside (TAB-UNDO-03)."""
    aside = _asides(ruleset)
    return bool(aside) and cause.command is not UNSET and msgspec.json.decode(cause.command, type=_Typed).type in aside


@cache
def _asides(ruleset: Ruleset[Any]) -> frozenset[str]:
    return frozenset(type_name(command) for command in ruleset.commands if command.aside)


class _Typed(msgspec.Struct):
    type: str


def others_since(records: Sequence[Record], to: Version, seat: Seat | None) -> list[Record]:
    """Return the records after version `to` that count and begin commands of other seats than `seat`."""
    first_records = (each for each in effective_records(records) if each.version > to and each.cause is not None)
    return [record for record in first_records if cause_of(record).seat != seat and not stays(record)]


def steps(records: Iterable[Record]) -> Iterator[list[Record]]:
    """Yield the records of each act as a group: its first record has a cause, the others follow from it."""
    step: list[Record] = []
    for record in records:
        if record.cause is not None and step:
            yield step
            step = []
        step.append(record)
    if step:
        yield step


def retraction(record: Record) -> Version | None:
    """Return the version to which a record takes the game back; None when it does something else."""
    if not record.event.endswith(_RETRACTED):
        return None
    return msgspec.json.decode(record.event, type=MovesRetracted).to


def given_again(record: Record) -> tuple[Version, ...]:
    """Return the versions of the commands that are given again after a retraction."""
    return msgspec.json.decode(record.event, type=MovesRetracted).again or ()


def stays(record: Record) -> bool:
    """Tell whether no retraction takes a record back: its event is one around the table that left the table alone."""
    return record.event.endswith(_STAYS)


def moved_on_at(records: Sequence[Record]) -> Version:
    """Return the version at which the game last moved on, at its table or back to an earlier version; 0 for never."""
    return next((record.version for record in reversed(records) if not stays(record)), 0)


def commitments_in(records: Iterable[Record]) -> set[str]:
    """Return every commitment in the events of records and in the commands that caused them."""
    texts = (text for record in records for text in (record.event, record.cause or b""))
    return {commitment.decode() for text in texts for commitment in _COMMITMENT.findall(text)}


def is_between_acts(records: Sequence[Record], version: Version) -> bool:
    """Tell whether no act was under way at a version: neither a command, nor an undo and what it gives again.

    `records` is the whole log of the game.
    """
    if not 1 <= version <= len(records) or (version < len(records) and records[version].cause is None):
        return False
    acts = 0
    for record in reversed(records[:version]):
        if retraction(record) is not None:
            return acts >= len(given_again(record))
        acts += record.cause is not None
    return True


def ends_answers(record: Record) -> bool:
    """Tell whether a record takes the game back by a ruling or consent, which ends the answers left in advance."""
    return retraction(record) is not None and msgspec.json.decode(record.event, type=MovesRetracted).by != "undo"


def effective_records(records: Sequence[Record]) -> Sequence[Record]:
    """Return the records that count: those that no later retraction took back, without the retractions themselves.

    No retraction takes back events that stay (`stays`).
    """
    if not [record for record in records if record.event.endswith(_RETRACTED)]:
        return records  # which is so in most games
    effective: list[Record] = []
    for record in records:
        to = retraction(record)
        if to is None:
            effective.append(record)
            continue
        kept: list[Record] = []
        while effective and effective[-1].version > to:
            last = effective.pop()
            if stays(last):
                kept.append(last)
        effective.extend(reversed(kept))
    return effective


def starts_of_commands(records: Sequence[Record], seat: Seat | None = None) -> set[Version]:
    """Return the versions to which the game can go back: those before a command that counts, of `seat` or of any."""
    first_records = ((record, cause_of(record)) for record in effective_records(records) if record.cause is not None)
    return {
        record.version - 1
        for record, cause in first_records
        if cause.command is not UNSET and (seat is None or cause.seat == seat)
    }
