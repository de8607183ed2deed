"""The base of events, and helpers for the words of events and commands."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, ClassVar, Generic, Literal, Protocol, TypeVar, cast

from msgspec import Meta, Struct

from domain.kernel.ids import LARGEST_INTEGER, AreaId, Seat
from domain.kernel.rules.table import Table

T = TypeVar("T", bound=Table)

Count = Annotated[int, Meta(ge=0, le=LARGEST_INTEGER)]
"""A number of pieces, talents or points: never negative, exact in every JSON implementation."""

Draw = Annotated[int, Meta(description="The number of the draw of chance that decided it.")]
"""A draw of the game's chance, as an event shows it."""

Automatic = Annotated[bool, Meta(description="Whether it happened without a choice, because there was only one.")]
"""Whether an event that usually follows a choice happened without one."""

Upcaster = Callable[[dict[str, Any]], dict[str, Any]]
"""Turns an event's stored JSON of one schema version into that of the next."""

Part = Literal["from", "to", "at", "lost"]
"""What an area is to an event: something went from it or to it, happened there, or was lost or taken there."""

_WORD_START = re.compile(r"(?<!^)(?=[A-Z])")


def kebab(name: str) -> str:
    """Return the type name that is stored and sent for a class name: ``LegionMarched`` is ``legion-marched``."""
    return _WORD_START.sub("-", name).lower()


def enumerated(words: Sequence[str]) -> str:
    """Return the words as an enumeration: "a, b and c"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def shortened(text: str, most: int) -> str:
    """Return a text of at most `most` characters; a longer text loses its middle."""
    if len(text) <= most:
        return text
    length = most - 3
    return f"{text[: length - length // 3]} … {text[len(text) - length // 3 :]}"


class Names:
    """Display names for sentences: areas have their names on the board, everything else a readable form of its id.

    An id in `Ruleset.words` has the name that it has there: ``western-romans`` is "Western Romans". Ids that begin with
    a seat are capitalized: ``red`` is "Red", ``red-general-1`` is "Red General 1".
    """

    def __init__(
        self, areas: Mapping[str, str], seats: Iterable[Seat] = (), words: Mapping[str, str] | None = None
    ) -> None:
        self._areas = areas
        self._seats = frozenset(seats)
        self._words = words or {}

    def __call__(self, identifier: str) -> str:
        if identifier in self._areas:
            return self._areas[identifier]
        if identifier in self._words:
            return self._words[identifier]
        words = identifier.replace("-", " ")
        return words.title() if identifier.partition("-")[0] in self._seats else words

    def all(self, identifiers: Iterable[str]) -> str:
        """Return the names as an enumeration: "a, b and c"."""
        return enumerated([self(identifier) for identifier in identifiers]) or "nothing"


class Event(Struct, Generic[T], frozen=True, tag=kebab, forbid_unknown_fields=True):
    """Something that happened, with its outcome: enough to apply it without the rules. Class names are in past tense.

    The type name and fields are the storage format: when a stored shape changes, raise `schema` and give the ruleset
    an upcaster from the old one.
    """

    schema: ClassVar[int] = 1
    added: ClassVar[frozenset[str]] = frozenset()
    """Fields that events of older shapes do not have; such events are shown as they were stored."""
    rules: ClassVar[tuple[str, ...]] = ()
    """The ids of the rules that it concerns, for readers of a log."""
    places: ClassVar[tuple[tuple[str, Part], ...]] = ()
    """The fields that name areas to show on a map. Each holds one area, several, or areas as keys; never a secret."""
    reveals: ClassVar[bool] = False
    """True for an event that shows somebody a hidden value: no undo takes it back. Undo takes back no draws, either."""

    def apply(self, table: T) -> None:
        """Change `table` to what it is after this event. Total and fast: asks no rule, rolls nothing."""
        raise NotImplementedError

    def tell(self, names: Names) -> str:
        """Return what happened in a sentence, for the history."""
        raise NotImplementedError

    def places_of(self, part: Part) -> Iterator[AreaId]:
        """Yield the values of the fields that `places` names for a part. Some values may be no areas."""
        for name, each in self.places:
            value = getattr(self, name) if each == part else ()
            yield from (AreaId(value),) if isinstance(value, str) else cast(Iterable[AreaId], value or ())

    def seating(self) -> Mapping[Seat, Seat]:
        """Return the new seat of each seat's holder, for events of a set-up that deals seats; empty for all others.

        `SeatsMoved` follows such an event in the log.
        """
        return {}


class Telling(Protocol):
    """Everything that has a sentence for the history: events of a ruleset, and those of the game itself."""

    def tell(self, names: Names) -> str: ...


def in_words(event: Telling, names: Names) -> str:
    """Return what happened, as a sentence that begins with a capital letter."""
    sentence = event.tell(names)
    return sentence[:1].upper() + sentence[1:]


@cache
def type_name(message: type[Struct]) -> str:
    """Return the stored type name of an event or command class."""
    tag = message.__struct_config__.tag
    if not isinstance(tag, str):
        raise TypeError(f"{message.__name__} has no type name")
    return tag
