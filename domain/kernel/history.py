"""Reading a log: its events in their present shape, who caused them, and what of it counts."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Final, Union, cast

import msgspec
from msgspec import UNSET

from domain.kernel.lifecycle import GAME_EVENTS, MovesRetracted
from domain.kernel.message import Event
from domain.kernel.record import Cause, Record
from domain.kernel.ruleset import Ruleset
from domain.kernel.words import Version

_RETRACTED: Final = b'"type":"moves-retracted"}'
"""How the canonical bytes of a retraction end, and of no other event: ``type`` is the last of its fields."""


def cause_of(record: Record) -> Cause:
    """Return who brought a record about; nobody for one that follows from the record before it."""
    return msgspec.json.decode(record.cause, type=Cause) if record.cause is not None else Cause()


@cache
def reader(ruleset: Ruleset[Any]) -> tuple[Callable[[bytes], Any], frozenset[int]]:
    """Return the decoder of a ruleset's events, and the schema versions at which a record may need an upcaster."""
    union: Any = Union[(*GAME_EVENTS, *ruleset.events)]
    return cast(Any, msgspec.json.Decoder(union).decode), frozenset(version for _, version in ruleset.upcasters)


def read_event(ruleset: Ruleset[Any], record: Record) -> Any:
    """Return the event of a record, in its present shape. Raises `msgspec.ValidationError`."""
    decode, old_schemas = reader(ruleset)
    if record.schema in old_schemas and (record.type, record.schema) in ruleset.upcasters:
        return upcast(ruleset, record)
    return decode(record.event)


def upcast(ruleset: Ruleset[Any], record: Record) -> Event[Any]:
    """Return an event that was stored in an older shape, lifted step by step to the present one."""
    content: dict[str, Any] = msgspec.json.decode(record.event)
    version = record.schema
    while lift := ruleset.upcasters.get((content["type"], version)):
        content, version = lift(content), version + 1
    return msgspec.convert(content, ruleset.event_union)


def steps(records: Iterable[Record]) -> Iterator[list[Record]]:
    """Yield the records in groups that were accepted as one: each begins with a cause."""
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


def effective_records(records: Sequence[Record]) -> Sequence[Record]:
    """Return the records that count: those that no later retraction took back, without the retractions."""
    if not [record for record in records if record.event.endswith(_RETRACTED)]:
        return records  # as of most games
    effective: list[Record] = []
    for record in records:
        to = retraction(record)
        if to is None:
            effective.append(record)
            continue
        while effective and effective[-1].version > to:
            effective.pop()
    return effective


def starts_of_commands(records: Sequence[Record]) -> set[Version]:
    """Return the versions to which the game can go back: those before a command that counts."""
    return {record.version - 1 for record in effective_records(records) if cause_of(record).command is not UNSET}
