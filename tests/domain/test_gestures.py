"""What commands say about giving them by pointing names fields that are there, and areas."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import pytest

from domain.boards import builtin
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.decision import Option
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import kebab
from domain.library import LIBRARY
from service.api.play.options import option_schemas
from service.api.rulesets.schemas import Book
from service.bots.registry import bot_for
from service.bots.simulation import Plan, Simulation

COMMANDS = list({each: None for name in LIBRARY.ids() for each in LIBRARY.current(name).commands})


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: f"{each.__module__}.{each.__name__}")
def test_a_command_with_an_area_says_how_it_is_given_by_pointing_or_why_not(command: Any) -> None:
    gesture = command.gesture
    if isinstance(gesture, Gesture):
        assert {*gesture.fields} <= {*command.__struct_fields__}
        assert gesture != Gesture()
        assert not gesture.called or gesture.quiet
    book = Book("#/$defs/")
    book.schema(command)
    # pyrefly: ignore[missing-attribute]  # a `NewType` has a name
    assert gesture or AreaId.__name__ not in book.structs, f"state the gesture of {command.__name__}, or why not"


def test_the_contract_describes_every_part_of_a_gesture() -> None:
    filled: dict[Any, Any] = {"": "x", (): ("x",), False: True}
    whole = Gesture(**{field.name: filled[field.default] for field in msgspec.structs.fields(Gesture)})
    described = option_schemas(lambda _: {})["GestureKeyword"]["properties"]
    said = whole.keyword({"x"}, {"x": "y"}).keys()
    assert said == described.keys(), "describe it in GestureKeyword in service/api/play/options.py"


@pytest.mark.parametrize("skilled", [False, True], ids=["random", "skilled"])
@pytest.mark.parametrize("name", LIBRARY.ids())
def test_every_area_of_an_option_can_be_pointed_at(name: str, *, skilled: bool) -> None:
    ruleset = LIBRARY.current(name)
    board = ruleset.equip(builtin(ruleset.board))
    areas: set[str] = {area.id for area in board.areas}
    silent = {kebab(each.__name__) for each in ruleset.commands if isinstance(each.gesture, str)}
    seen: set[str] = set()
    played = Simulation(Plan(name, seats=ruleset.players[-1], seed=7, commands=300))
    if skilled:
        played.bot = bot_for(name, played.rng, msgspec.to_builtins(board))
    for step in played.play():
        for seat in step.game.players if step.game.version % 5 == 0 else ():
            for option in step.game.options(seat, played.vault):
                if option.command not in silent:
                    seen |= pointed(option, areas, {*step.game.players})
    assert seen


def pointed(option: Option, areas: set[str], seats: set[Seat]) -> set[str]:
    """Assert that an option's gesture holds; return the areas that can be pointed at."""
    properties: Mapping[str, Any] = option.schema["properties"]
    gesture: Mapping[str, Any] = option.schema.get("x-gesture", {})
    ends = [gesture[role] for role in ("from", "to", "between") if role in gesture]
    further = gesture.get("areas", [])
    lists = [gesture.get(role, []) for role in ("areas", "pieces", "counts", "targets", "cards")]
    assert {*ends, *(each for named in lists for each in named)} <= {*properties}, option
    assert gesture.get("called", option.title) == option.title
    places = gesture.get("places", {})
    assert {*places.values()} <= areas, option
    found: set[str] = set()
    for field, schema in properties.items():
        values = [part for value in values_of(schema) for part in value.split("|")]
        for value in values if field in ends else ():
            assert value in areas or value in places, f"{value} is no area: {option}"
        # Players of Mare Nostrum are called after provinces.
        if named := {*values} & areas - {*seats}:
            known = {*ends, *further, *gesture.get("counts", [])}
            assert field in known, f"{field} has areas that its gesture does not name: {option}"
            found |= named
    return found


def values_of(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ids that a field can have, or counts by."""
    ids = [schema.get("const"), *schema.get("enum", ()), *schema.get("properties", ())]
    yield from (each for each in ids if isinstance(each, str))
    if "items" in schema:
        yield from values_of(schema["items"])
