"""The parts of answers that all rulesets share. The parts of one ruleset stay JSON, with schemas in `openapi/`.

Fields that a newer contract adds are ignored.
"""

from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

_KNOWN: Final = msgspec.json.decode(Path(__file__).with_name("known.json").read_bytes())


class Secret(Struct, frozen=True):
    """What a commitment in an event hides from others."""

    commitment: str
    readers: tuple[str, ...]
    salt: str
    value: Any


class Event(Struct, frozen=True):
    """An event of a game: look at its `ruleset` first, then at its `type`."""

    version: int
    ruleset: str
    type: str
    at: str
    schema: int
    draws: int
    event: dict[str, Any]
    hash: str
    cause: dict[str, Any] | None = None
    secrets: tuple[Secret, ...] = ()


class Decision(Struct, frozen=True):
    """Something that somebody must choose before the game goes on."""

    kind: str
    seats: tuple[str, ...]
    rule: str
    title: str
    depends: str = ""
    about: dict[str, Any] = {}


class Option(Struct, frozen=True):
    """A command, or a family of commands, that would be accepted now."""

    command: str
    rule: str
    schema: dict[str, Any]
    title: str = ""
    decision: str | None = None


class Options(Struct, frozen=True):
    """What a seat may do."""

    game: str
    ruleset: str
    version: int
    seat: str
    decisions: tuple[Decision, ...]
    options: tuple[Option, ...]


class Played(Struct, frozen=True):
    """The answer to commands that were accepted; `next` is the snapshot that ``?next=true`` asks for."""

    game: str
    after: int
    version: int
    events: tuple[Event, ...]
    repeated: bool
    next: dict[str, Any] | None = None


class Waiting(Struct, frozen=True):
    """What waits for the account in one game. Empty lists say that nothing waits there any more."""

    game: str
    title: str
    ruleset: str
    version: int
    seat: str
    decisions: tuple[Decision, ...]
    take_backs: tuple[dict[str, Any], ...]
    end_proposals: tuple[dict[str, Any], ...]


def is_known(event: Event) -> bool:
    """Tell whether the contract of this client describes an event. You get the others all the same."""
    own = _KNOWN["of_ruleset"].get(event.ruleset)
    return own is not None and (event.type in own or event.type in _KNOWN["around"])
