"""What generated clients decode and encode again is what the service sent: nothing is lost, nothing is misread.

Some of the recorded games; ``python -m tests.contract.round_trips`` sends all of them.
"""

from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from domain.library import LIBRARY
from service.api.rulesets import schemas
from tests.contract.round_trips import OPTIONS, READERS, SchemaReader, Sent, part, read_all
from tests.helpers.sampling import sampled
from tests.recorded import recorded

DRAWN = sampled("generators of clients", READERS, 1)
GAMES = sampled("games sent to clients", recorded(), 3, by=attrgetter("ruleset", "version"))


def test_values_come_back_equal_and_of_the_same_type(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One test for all of it: to make ready what is sent takes as long as to send it."""
    games = list(part(GAMES))
    check_that_there_is_enough_to_tell_apart(games)
    readers = [SchemaReader(), *(READERS[name](tmp_path) for name in DRAWN)]
    counts = read_all(games, readers)
    with capsys.disabled():
        for (ruleset, shape, name), count in sorted(counts.items()):
            print(f"\n{ruleset}, {shape}, {name}: {count.sent} sent, {count.equal} equal", end="")
    shapes = ("EventView", "LoggedEvent", "StateView", "OptionsView")
    assert {*counts} == {(of, shape, reader.name) for of in LIBRARY.ids() for shape in shapes for reader in readers}
    assert all(count.sent >= OPTIONS for count in counts.values())
    assert {each: count for each, count in counts.items() if count.sent != count.equal} == {}

    event: dict[str, Any] = next(event for game in games for event in game.events if event["type"] == "battle-began")
    changed = {**event, "event": {**event["event"], "weather": "fine"}}
    for reader in readers:
        assert [*reader.read([("EventView", event), ("EventView", changed)])] == [True, False], reader.name


def check_that_there_is_enough_to_tell_apart(games: list[Sent]) -> None:
    kinds: dict[str, set[str]] = {ruleset: set() for ruleset in LIBRARY.ids()}
    commands: dict[str, set[str]] = {ruleset: set() for ruleset in LIBRARY.ids()}
    for game in games:
        kinds[game.ruleset].update(event["type"] for event in game.events)
        commands[game.ruleset].update(event["cause"]["command"]["type"] for event in game.events if commanded(event))
    for ruleset in map(LIBRARY.current, LIBRARY.ids()):
        assert len(kinds[ruleset.id]) > 0.4 * len(schemas.event_types(ruleset))
        assert len(commands[ruleset.id]) > 0.5 * len(schemas.command_types(ruleset))
    # Types that two rulesets have: a client that goes by the type alone reads one of them wrongly.
    assert {"battle-began", "turn-began", "phase-began"} <= kinds["mare-nostrum"] & kinds["conquest-classic-friz"]
    assert {"march", "sail"} <= commands["mare-nostrum"] & commands["conquest-classic-friz"]
    assert any(event.get("secrets") for game in games for event in game.events)
    assert any("sealed" in event["cause"]["command"] for game in games for event in game.events if commanded(event))


def commanded(event: dict[str, Any]) -> bool:
    return "command" in event.get("cause", {})
