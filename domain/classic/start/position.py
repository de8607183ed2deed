"""Positions written by hand, for scenarios and problems. `Position` describes the format."""

from collections.abc import Mapping
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct, field

from domain.classic.box.editions import Edition
from domain.classic.box.pieces import Army, Galley, Leader
from domain.classic.box.state import Inflation, Phase, Player, Province, Purchase, road_id
from domain.classic.box.table import Table
from domain.classic.start.setup import HOME_ORDER
from domain.conquest.pieces import Units
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.board import Board, Map


class Force(Struct, forbid_unknown_fields=True):
    """Pieces of one seat in one place: units and leaders in a province, or a numbered galley and what is aboard."""

    seat: Seat
    at: AreaId
    infantry: int = 0
    cavalry: int = 0
    catapults: int = 0
    leaders: list[str] = field(default_factory=list[str])
    """``caesar``, ``general-1`` … of that seat, or a full id for a leader of another colour."""
    galley: int | None = None
    coast: str | None = None
    moves: int | None = None
    """Movement points that these pieces have left; all of them when absent."""


class Prisoner(Struct, forbid_unknown_fields=True):
    """A captured general."""

    general: str
    captor: Seat


class Position(Struct, forbid_unknown_fields=True):
    """A position. Players own their homes, and each Caesar is at home unless a force names it; the rest is empty.

    `players` gives each seat its Home Province. `fallen` gives each seat that is out of the game its captor, who has
    taken over all that the seat had.
    """

    players: dict[Seat, AreaId]
    turn: Seat | None = None
    phase: Phase = "movement"
    round: int = 1
    talents: dict[Seat, int] = field(default_factory=dict[Seat, int])
    owned: dict[Seat, list[AreaId]] = field(default_factory=dict[Seat, list[AreaId]])
    neutral: list[AreaId] = field(default_factory=list[AreaId])
    """Homes that their players lost and that nobody owns."""
    cities: list[AreaId] = field(default_factory=list[AreaId])
    fortified: list[AreaId] = field(default_factory=list[AreaId])
    roads: list[tuple[AreaId, AreaId]] = field(default_factory=list[tuple[AreaId, AreaId]])
    forces: list[Force] = field(default_factory=list[Force])
    prisoners: list[Prisoner] = field(default_factory=list[Prisoner])
    fallen: dict[Seat, Seat] = field(default_factory=dict[Seat, Seat])
    bought: Purchase | None = None
    inflation: list[Inflation] = field(default_factory=list[Inflation])
    each_lone_leader: bool = False
    generals_saved_with_fleet: bool = False
    """Choices of the game's creator (see `Setup`), as `each_lone_leader` is."""


def arrange(content: Mapping[str, Any], edition: Edition, board: Board) -> Table:
    """Return the table of a position. Raises `ValueError` or `msgspec.ValidationError` when it makes no sense."""
    position = msgspec.convert(dict(content), Position)
    table = Table(
        edition=edition,
        map=Map.of(board),
        each_lone_leader=position.each_lone_leader,
        generals_saved_with_fleet=position.generals_saved_with_fleet,
    )
    _add_players(table, position)
    _add_provinces(table, position)
    for force in position.forces:
        _add_force(table, force)
    for prisoner in position.prisoners:
        colour = _colour(table, prisoner.general)
        owner = _heir(position, colour)
        table.leaders[prisoner.general] = Leader("general", colour, owner, captor=prisoner.captor)
    for seat, player in table.players.items():
        if player.fallen_to is None and f"{seat}-caesar" not in table.leaders:
            table.leaders[f"{seat}-caesar"] = Leader("caesar", seat, seat, at=table.home(seat))
    return table


def _add_players(table: Table, position: Position) -> None:
    for seat, home in position.players.items():
        if home not in HOME_ORDER:
            raise ValueError(f"{home} is not a Home Province")
        captor = position.fallen.get(seat)
        colours = (seat,) if captor is None else ()
        table.players[seat] = Player(colours, home, position.talents.get(seat, 0), captor)
    for seat in position.fallen:
        heir = _heir(position, seat)
        table.change_player(heir, colours=(*table.players[heir].colours, seat))
    table.order = sorted(position.players, key=lambda seat: HOME_ORDER.index(position.players[seat]))
    table.active = position.turn or table.order[0]
    table.phase, table.round = position.phase, position.round
    table.bought = position.bought
    table.inflations = list(position.inflation)


def _heir(position: Position, seat: Seat) -> Seat:
    """Return the seat that has a seat's empire now: itself, or its captor, or the captor's captor, and so on."""
    visited = set[Seat]()
    while seat in position.fallen:
        if seat in visited:
            raise ValueError(f"the takeovers form a circle: {', '.join(sorted(visited))}")
        visited.add(seat)
        seat = position.fallen[seat]
    return seat


def _add_provinces(table: Table, position: Position) -> None:
    owners = {home: _heir(position, seat) for seat, home in position.players.items() if home not in position.neutral}
    owners |= {area: seat for seat, areas in position.owned.items() for area in areas}
    cities = {*position.cities, *position.fortified}
    for area in (*owners, *cities):
        _require_land(table, area)
    table.provinces = {
        area: Province(owners.get(area), area in cities, area in position.fortified) for area in table.map.lands
    }
    table.roads = [road_id(*ends) for ends in position.roads]


def _add_force(table: Table, force: Force) -> None:
    if force.seat not in table.players or table.players[force.seat].fallen_to is not None:
        raise ValueError(f"{force.seat} is not in the game")
    units = Units(force.infantry, force.cavalry, force.catapults)
    if force.galley is None:
        _require_land(table, force.at)
        table.set_army(force.at, force.seat, _army(units, force.moves))
        _add_leaders(table, force, at=force.at, aboard=None)
        return
    name = f"galley-{force.galley}"
    moves = 2 if force.moves is None else force.moves
    table.galleys[name] = Galley(force.seat, force.at, force.coast, moves, cargo=units)
    table.next_galley = max(table.next_galley, force.galley + 1)
    _add_leaders(table, force, at=None, aboard=name)


def _army(units: Units, moves: int | None) -> Army:
    if moves is None:
        return Army(fresh=units)
    foot = Units(units.infantry, 0, units.catapults)
    return Army(tired=units.cavalry, spent=foot) if moves == 1 else Army(spent=units)


def _add_leaders(table: Table, force: Force, at: AreaId | None, aboard: str | None) -> None:
    for name in force.leaders:
        leader = name if name.split("-")[0] in table.players else f"{force.seat}-{name}"
        kind = cast(Literal["caesar", "general"], leader.split("-")[1])
        moves = 2 if force.moves is None else force.moves
        table.leaders[leader] = Leader(kind, _colour(table, leader), force.seat, at, aboard, moves=moves)


def _colour(table: Table, leader: str) -> Seat:
    colour = Seat(leader.split("-", maxsplit=1)[0])
    if colour not in table.players:
        raise ValueError(f"{leader} has a colour that is not in play")
    return colour


def _require_land(table: Table, area: AreaId) -> None:
    if area not in table.provinces and area not in table.map.lands:
        raise ValueError(f"{area} is not a province")
