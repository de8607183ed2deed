"""Nothing is left unwritten: every event, command and act says itself what its base leaves to it."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from domain.campaign.ruleset import Campaign
from domain.kernel.log.event import GameEvent
from domain.kernel.log.lifecycle import GAME_EVENTS
from domain.kernel.rules.command import Command
from domain.kernel.rules.message import Event
from domain.kernel.rules.ruleset import Ruleset
from domain.library import LIBRARY
from service.games.acts import Act
from service.observe.metrics import KINDS

VERSIONS = [LIBRARY.at(name, version) for name in LIBRARY.ids() for version in LIBRARY.current(name).versions]


def unwritten(shape: type, base: type, *methods: str) -> list[str]:
    """Return the methods that a class has only from a base in which they are not written."""
    own = {name: next(cls for cls in shape.__mro__ if name in vars(cls)) for name in methods}
    return [f"{shape.__name__}.{name}" for name, cls in own.items() if cls is base]


@pytest.mark.parametrize("ruleset", [*VERSIONS, Campaign()], ids=lambda ruleset: f"{ruleset.id}-{ruleset.version}")
def test_events_and_commands_are_written(ruleset: Ruleset[Any]) -> None:
    events = [name for event in ruleset.events for name in unwritten(event, Event, "apply", "tell")]
    commands = [name for command in ruleset.commands for name in unwritten(command, Command, "decide", "options")]
    assert events + commands == []


def test_what_happens_around_a_table_is_written() -> None:
    assert [name for event in GAME_EVENTS for name in unwritten(event, GameEvent, "tell")] == []
    assert [name for act in Act.__subclasses__() for name in unwritten(act, Act, "decide")] == []


def acts_of(base: type[Act]) -> Iterator[type[Act]]:
    for act in base.__subclasses__():
        yield act
        yield from acts_of(act)


def test_every_act_is_counted() -> None:
    import_module("service.app")  # which reaches each module with acts
    acts = [act for act in acts_of(Act) if act.__module__.startswith("service.")]
    assert sorted({act.kind for act in acts} | {"create", "fork", "rule"}) == sorted(KINDS)


def test_what_is_not_written_is_found() -> None:
    class Silent(Event[Any], frozen=True):
        def apply(self, table: Any) -> None: ...

    assert unwritten(Silent, Event, "apply", "tell") == ["Silent.tell"]
