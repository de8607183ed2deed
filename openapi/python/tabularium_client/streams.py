"""Server-sent events that resume where they broke off, without any I/O: a client does what the steps say."""

import random
from collections.abc import Generator, Iterator
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from tabularium_client.problems import Gap
from tabularium_client.shapes import Event

T = TypeVar("T")
_event: Final = msgspec.json.Decoder(Event)


class Frame(Struct, frozen=True):
    """A frame of a stream. `type` is the type of its event. Without data it only says where to go on."""

    id: str
    type: str
    data: str


class Open(Struct, frozen=True):
    """Open the stream after the frame with an id.

    The answer: whether it is open, "over" when no more will come, None when nothing was said at all.
    """

    last: str | None


class Read(Struct, frozen=True):
    """Read on. The answer: a piece of text, "" when the stream has broken off, None when it was silent."""


class Fetch(Struct, frozen=True):
    """Look by a plain request for frames that a proxy may be holding back. The answer: a list of them."""

    last: str | None


class Rest(Struct, frozen=True):
    """Wait so many seconds."""

    seconds: float


Step = Open | Read | Fetch | Rest
"""What the client has to do before the stream goes on. All else that is yielded is for the reader of the stream."""


def follow(last: str | None, pause: float, longest: float) -> Generator[Step | Frame, Any, None]:
    """Yield the steps of following a stream. It is opened again whenever it breaks off, after the last frame.

    Ends when the service says that no more will come. `pause` is the wait in seconds before it is opened again, which
    doubles up to `longest`.
    """
    failures = 0
    while (opened := (yield Open(last))) != "over":
        text, piece = "", None
        while opened and (piece := (yield Read())):
            *blocks, text = (text + piece).split("\n\n")
            for fields in map(_fields, blocks):
                last, failures = fields.get("id", last), 0
                if "data" in fields:
                    yield Frame(last or "", fields.get("event", "message"), fields["data"])
        if opened is None or (opened and piece is None):
            for frame in (yield Fetch(last)):
                last = frame.id
                if frame.data:
                    yield frame
        yield Rest(jittered(min(longest, pause * 2**failures)))
        failures += 1


def follow_events(game: str, last: int | None, pause: float, longest: float) -> Generator[Step | Event, Any, None]:
    """Yield the steps of following a game, and its events: each version once, in order, and none left out.

    Raises:
        Gap: versions are missing, also after they were asked for again.
    """
    gaps = 0
    while True:
        steps = follow(None if last is None else str(last), pause, longest)
        answer, missing = None, None
        while missing is None:
            try:
                step = steps.send(answer)
            except StopIteration:
                return
            answer = None
            if not isinstance(step, Frame):
                answer = yield step
                continue
            event = _event.decode(step.data)
            if last is None or event.version == last + 1:
                last, gaps = event.version, 0
                yield event
            elif event.version > last:
                missing = event.version
        if gaps:
            raise Gap(f"The stream of {game} goes from version {last} to {missing}.")
        gaps += 1


def jittered(seconds: float) -> float:
    """Return about so many seconds: not all clients of a service that was away come back at once."""
    return seconds * random.uniform(0.5, 1)


def _fields(block: str) -> dict[str, str]:
    """Return the fields of a block. A comment has none; a block with only an id says where to go on."""
    fields: dict[str, str] = {}
    for name, value in _lines(block):
        fields[name] = f"{fields[name]}\n{value}" if name == "data" and name in fields else value
    return fields


def _lines(block: str) -> Iterator[tuple[str, str]]:
    for line in block.split("\n"):
        name, _, value = line.partition(":")
        yield name, value.removeprefix(" ")
