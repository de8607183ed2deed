"""What happened on a map: events say where, without a ruleset in the code that draws it, and reveal nothing by it."""

from functools import cache
from typing import Any, get_args, get_type_hints
from xml.etree import ElementTree

import pytest

from domain.boards import Drawing, builtin, drawing_of
from domain.classic.combat.battle import BattleBegan
from domain.classic.economy.destruction import CitiesDestroyed
from domain.classic.moves.movement import LegionMarched
from domain.conquest.pieces import NO_UNITS
from domain.kernel.chance.secret import Opened, Sealed
from domain.kernel.ids import AreaId, Seat
from domain.kernel.log.history import read_event
from domain.kernel.rules.message import Event, Part
from domain.library import LIBRARY
from service.bots.bot import GREEDY
from service.bots.simulation import Plan, Simulation
from service.pictures.happened import drawn_happening, happening
from service.pictures.views import Happening

RED, BLUE = Seat("red"), Seat("blue")
ITALIA, GALLIA, SICILIA = AreaId("italia"), AreaId("narbonensis"), AreaId("sicilia")


def within(shape: Any) -> set[Any]:
    """Return everything that a type is made of."""
    return {shape, *(part for argument in get_args(shape) for part in within(argument))}


@cache
def drawing(board: str) -> Drawing:
    found = drawing_of(builtin(board))
    assert found is not None
    return found


def conquest() -> Drawing:
    return drawing(LIBRARY.current("conquest-classic-friz").board)


@pytest.mark.parametrize("name", LIBRARY.ids())
def test_events_name_fields_of_their_own_and_no_secret(name: str) -> None:
    for event in LIBRARY.current(name).events:
        kinds = get_type_hints(event)
        for field, part in event.places:
            assert part in get_args(Part), event
            assert field in event.__struct_fields__, event
            assert not within(kinds[field]) & {Sealed, Opened}, event


@pytest.mark.parametrize("name", LIBRARY.ids())
def test_every_game_shows_moves_and_losses_on_areas_of_its_map(name: str) -> None:
    ruleset = LIBRARY.current(name)
    simulation = Simulation(Plan(name, ruleset.players[-1], seed=2, rounds=4, level=GREEDY))
    for _ in simulation.play():
        pass
    shown = Happening()
    for record in simulation.records:
        event = read_event(simulation.game.ruleset, record)
        found = happening(event, drawing(ruleset.board)) if isinstance(event, Event) else None
        if found is not None:
            shown = Happening(shown.moves + found.moves, shown.at + found.at, shown.lost + found.lost)
            ElementTree.fromstring(f"<g>{drawn_happening(found, drawing(ruleset.board))}</g>")
    assert shown.moves
    assert shown.at
    assert shown.lost
    areas = {*shown.at, *shown.lost, *(area for move in shown.moves for area in move)}
    assert areas <= drawing(ruleset.board).areas.keys()


def march(to: AreaId) -> LegionMarched:
    return LegionMarched(RED, ITALIA, to, (), NO_UNITS, 0, NO_UNITS, False, (), 0, False, 0, ())


def test_each_kind_of_happening_has_a_shape_of_its_own() -> None:
    moved = happening(march(GALLIA), conquest())
    begun = happening(BattleBegan(GALLIA, RED, BLUE), conquest())
    lost = happening(CitiesDestroyed(RED, (ITALIA, SICILIA), ()), conquest())
    assert (moved, begun, lost) == (
        Happening(moves=((ITALIA, GALLIA),)),
        Happening(at=(GALLIA,)),
        Happening(lost=(ITALIA, SICILIA)),
    )
    shapes = [
        [name for name in ("moved", "ring", "cross") if f'class="{name}"' in drawn_happening(each, conquest())]
        for each in (moved, begun, lost)
        if each is not None
    ]
    assert shapes == [["moved"], ["ring"], ["ring", "cross"]]


def test_what_goes_nowhere_is_shown_where_it_is_and_what_is_not_on_the_map_is_not() -> None:
    assert happening(march(ITALIA), conquest()) == Happening(at=(ITALIA,))
    assert happening(march(AreaId("atlantis")), conquest()) == Happening(at=(ITALIA,))
    assert happening(BattleBegan(AreaId("atlantis"), RED, BLUE), conquest()) is None


def test_there_and_back_are_two_arrows_that_can_be_told_apart() -> None:
    there = drawn_happening(Happening(moves=((ITALIA, GALLIA),)), conquest())
    back = drawn_happening(Happening(moves=((GALLIA, ITALIA),)), conquest())
    middles = [each.split("Q")[1].split(" ")[0] for each in (there, back)]
    assert middles[0] != middles[1]
