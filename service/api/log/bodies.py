"""Queries and answers of the endpoints for the log of a game."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from domain.kernel.ids import Seat, Version
from service.api.bodies import Cursor, Limit, Past
from service.games.views import EventView


class EventsPage(Struct, frozen=True, forbid_unknown_fields=True):
    """Which events.

    Attributes:
        after: only events after this version; 0 for all. If the game has not reached it yet, the page is empty: ask
            again later. The ETag says at which version the game is.
        limit: how many at most.
    """

    after: Past = 0
    limit: Limit = 100


Frames = Literal["named", "plain"]
"""Whether the frames of a stream of server-sent events have names."""


class Framed(Struct, frozen=True, forbid_unknown_fields=True):
    """How a stream of server-sent events looks.

    Attributes:
        frames: `named` names each frame after the type of its event. `plain` names none: `EventSource.onmessage` gets
            only frames without a name. The type is also in the data.
    """

    frames: Frames = "named"


class Since(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the messages of a WebSocket begin.

    Attributes:
        after: after this version, which the game must have reached. Absent: with the next event.
    """

    after: Past | None = None


class Streamed(Framed, frozen=True, forbid_unknown_fields=True):
    """Where a stream begins, and how it looks.

    Attributes:
        after: after this version, which the game must have reached. Absent: with the next event. `Last-Event-ID` takes
            precedence.
    """

    after: Past | None = None


class AccountSince(Framed, frozen=True, forbid_unknown_fields=True):
    """Where the stream of an account begins, and how it looks.

    Attributes:
        after: after this place in the log, the `id` of a frame. Absent: with the next event. `Last-Event-ID` takes
            precedence.
    """

    after: Cursor | None = None


class StreamedLogged(Struct, frozen=True):
    """A frame of the stream of all your games, line by line.

    Attributes:
        id: the place of the event in the log of the service.
        event: the type of the event; absent with `frames=plain`.
        data: the game and the event as you may see it, in JSON: a LoggedEvent. For a case, its game, its id and its
            event.
    """

    id: str
    data: str
    event: str | UnsetType = UNSET


class EventPage(Struct, frozen=True):
    """Events of a game, as the caller may see them.

    Attributes:
        items: the events, in order.
        next: the `after` of the next page; null when these are the last so far.
    """

    items: tuple[EventView, ...]
    next: Version | None


class Sentence(Struct, frozen=True):
    """One event, in a sentence.

    Attributes:
        version: the version that it made.
        at: when.
        seat: whose command caused it; null for an event that followed automatically.
        text: what happened.
    """

    version: Version
    at: str
    seat: Seat | None
    text: str


class Passage(Struct, frozen=True):
    """What happened in one phase of one round.

    Attributes:
        heading: where in the game this is; empty for what happens around the table.
        sentences: what happened, in order.
    """

    heading: str
    sentences: tuple[Sentence, ...]


class HistoryPage(Struct, frozen=True):
    """The log in sentences.

    Attributes:
        items: passages, in order; the first may continue the last passage of the previous page.
        next: the `after` of the next page; null when this is the end so far.
    """

    items: tuple[Passage, ...]
    next: Version | None
