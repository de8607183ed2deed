"""Follows server-sent events, and resumes where they broke off, without any I/O: the client carries out each step."""

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
    """A frame of a stream. `type` is the type of its event. Without data it only sets where the stream resumes."""

    id: str
    type: str
    data: str


class Open(Struct, frozen=True):
    """Open the stream after the frame with an id.

    The client sends back whether it is open, "over" if no more frames will come, None if the service was silent.
    """

    last: str | None


class Read(Struct, frozen=True):
    """Read on. The client sends back a piece of text, "" if the stream broke off, None if it stayed silent."""


class Fetch(Struct, frozen=True):
    """Fetch, by a plain request, frames that a proxy may hold back. The client sends back a list of them."""

    last: str | None


class Rest(Struct, frozen=True):
    """Wait for a number of seconds."""

    seconds: float


Step = Open | Read | Fetch | Rest
"""The steps that a client carries out. Everything else that is yielded is for the reader of the stream."""


def follow(last: str | None, pause: float, longest: float) -> Generator[Step | Frame, Any, None]:
    """Yield the steps of following a stream. When it breaks off, it is opened again after the last frame.

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
        Gap: versions are missing, even after the client asked for them again.
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
    """Return a random time from half of `seconds` to all, so that not all clients come back at once after an outage."""
    return seconds * random.uniform(0.5, 1)


def _fields(block: str) -> dict[str, str]:
    """Return the fields of a block. A comment has none; a block with only an id sets where the stream resumes."""
    fields: dict[str, str] = {}
    for name, value in _lines(block):
        fields[name] = f"{fields[name]}\n{value}" if name == "data" and name in fields else value
    return fields


def _lines(block: str) -> Iterator[tuple[str, str]]:
    for line in block.split("\n"):
        name, _, value = line.partition(":")
        yield name, value.removeprefix(" ")
