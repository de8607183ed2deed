"""Positions written by hand, for scenarios and problems. `Position` describes the format."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from domain.italia.box.cards import Cards
from domain.italia.box.data import Data
from domain.italia.box.editions import Rules
from domain.italia.box.pieces import KINDS, Army, FleetId, Kind, LeaderId, NationId, Units
from domain.italia.box.state import Campaign, City, Options, RoundStage, Stage, Turn
from domain.italia.box.table import Table
from domain.italia.start.setup import bare
from domain.italia.turn.sequence import PLANS, PlanKind
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.board import Board


class Force(Struct, forbid_unknown_fields=True, rename="kebab"):
    """Pieces of one nation in one place: land units and leaders in an area, or fleets in a sea area.

    In a sea area the land units and leaders are aboard: two units on each fleet, in the order of the fleets, and all
    leaders on the first fleet.
    """

    nation: NationId
    at: AreaId
    infantry: int = 0
    roman_foederati: int = 0
    legion: int = 0
    consular_legion: int = 0
    knight: int = 0
    elephant: int = 0
    fleet: int = 0
    leaders: list[LeaderId] = field(default_factory=list[LeaderId])

    @property
    def army(self) -> Army:
        """The land units and leaders."""
        units: Units = {kind: getattr(self, kind.replace("-", "_")) for kind in KINDS}
        return Army({kind: number for kind, number in units.items() if number}, tuple(sorted(self.leaders)))


class Position(Struct, forbid_unknown_fields=True):
    """A position. Fields that are left out have these defaults: first round, no turn under way, empty board."""

    forces: list[Force] = field(default_factory=list[Force])
    round: int = 1
    part: RoundStage = "turns"
    """The part of the round."""
    turn: NationId | None = None
    """Whose turn it is; null between two turns."""
    stage: Stage = "income"
    """The stage of that turn."""
    plan: PlanKind | None = None
    """What the nation does in this round; overrides the plan on its card."""
    arrived: tuple[AreaId, ...] = ()
    """Areas where reinforcements of that turn were placed."""
    ruined: tuple[AreaId, ...] = ()
    """Cities that were sacked or raided in that turn."""
    done: list[NationId] | None = None
    """Nations whose turn is over. If missing or empty: all that come before `turn` in the turn order."""
    gold: dict[NationId, int] = field(default_factory=dict[NationId, int])
    points: dict[NationId, int] = field(default_factory=dict[NationId, int])
    """Victory points, in halves."""
    overlords: dict[NationId, NationId] = field(default_factory=dict[NationId, NationId])
    """Overlords, by subject."""
    capitals: dict[NationId, AreaId] = field(default_factory=dict[NationId, AreaId])
    received: dict[NationId, list[AreaId]] = field(default_factory=dict[NationId, list[AreaId]])
    """Areas that received a retreat since the nation's last stacking check."""
    cities: dict[AreaId, Seat | None] = field(default_factory=dict[AreaId, Seat | None])
    """Cities and who held them last; null or an empty name for nobody."""
    ruins: dict[AreaId, Seat | None] = field(default_factory=dict[AreaId, Seat | None])
    sacked: dict[NationId, tuple[AreaId, ...]] = field(default_factory=dict[NationId, tuple[AreaId, ...]])
    fallen: dict[NationId, list[LeaderId]] = field(default_factory=dict[NationId, list[LeaderId]])
    came: dict[LeaderId, int] = field(default_factory=dict[LeaderId, int])
    """The round in which each leader came; by default the round of the position."""
    over: list[NationId] = field(default_factory=list[NationId])
    """Nations out of the game."""
    held: dict[NationId, dict[str, int]] = field(default_factory=dict[NationId, dict[str, int]])
    """Bought units still to be placed, by type."""
    gone: dict[NationId, dict[str, int]] = field(default_factory=dict[NationId, dict[str, int]])
    """Counters out of the game for good, by type."""
    campaign: LeaderId | None = None
    """The leader of the campaign under way."""
    elephant_battles: int = 0
    conversions: int = 0
    at_war: bool = False
    """Whether the factions have got the gold for the civil war."""
    blocked: dict[NationId, tuple[AreaId, ...]] = field(default_factory=dict[NationId, tuple[AreaId, ...]])
    """The places that each nation blocked in its last campaign move."""
    spared: list[AreaId] = field(default_factory=list[AreaId])
    """Cities that can be neither sacked nor raided any more."""
    options: Options = Options()


def arrange(content: Mapping[str, Any], data: Data, cards: Cards, rules: Rules, board: Board) -> Table:
    """Return the table of a position. Raises `ValueError` or `msgspec.ValidationError` when it makes no sense."""
    position = msgspec.convert(dict(content), Position)
    table = bare(data, cards, rules, position.options, board)
    table.round, table.stage = position.round, position.part
    for nation, changes in _standings(position).items():
        if nation not in table.nations:
            raise ValueError(f"there is no nation {nation!r}; there are {', '.join(table.nations)}")
        table.change(nation, **changes)
    for force in position.forces:
        _lay(table, force)
        arrivals = {
            **table.nations[force.nation].came,
            **{name: position.came.get(name, position.round) for name in force.leaders},
        }
        table.change(force.nation, came=arrivals)
    for standing, marked in ((True, position.cities), (False, position.ruins)):
        for area, owner in marked.items():
            table.cities[area] = City(standing, owner or None, area in position.spared)
    table.sacked.update(position.sacked)
    table.blocked.update(position.blocked)
    table.at_war = position.at_war
    table.elephant_battles, table.conversions = position.elephant_battles, position.conversions
    order = list(table.nations)
    turn = position.turn
    table.done[:] = position.done or (order[: order.index(turn)] if turn is not None and turn in order else [])
    if position.turn is not None:
        plan = position.plan or cards.nations[position.turn].plan(position.round)
        stages = PLANS[plan]
        if position.stage not in stages:
            raise ValueError(f"a turn of the plan {plan} has no stage {position.stage}")
        rest = stages[stages.index(position.stage) :]
        invades = plan == "major-invasion"
        bare_turn = Turn(position.turn, rest, major_invasion=invades)
        table.turn = replace(bare_turn, arrived=position.arrived, ruined=position.ruined)
        if position.campaign is not None:
            table.campaign = Campaign(position.turn, position.campaign)
    for nation in table.nations:
        if short := [kind for kind, unused in table.supply(nation).items() if unused < 0]:
            raise ValueError(f"{nation} have more {', '.join(short)} than there are counters")
    return table


def _standings(position: Position) -> dict[NationId, dict[str, Any]]:
    changes: dict[NationId, dict[str, Any]] = {}
    for name, values in (
        ("gold", position.gold),
        ("points", position.points),
        ("overlord", position.overlords),
        ("capital", position.capitals),
        ("received", {nation: tuple(areas) for nation, areas in position.received.items()}),
        ("fallen", {nation: tuple(leaders) for nation, leaders in position.fallen.items()}),
        ("over", dict.fromkeys(position.over, True)),
        ("held", position.held),
        ("gone", position.gone),
    ):
        for nation, value in values.items():
            changes.setdefault(nation, {})[name] = value
    return changes


def _lay(table: Table, force: Force) -> None:
    if force.nation not in table.nations or force.at not in table.map:
        raise ValueError(f"no such nation or place: {force.nation}, {force.at}")
    if (force.at in table.map.seas) != bool(force.fleet):
        raise ValueError(f"{force.at}: fleets are in sea areas, and nothing else is there but what they carry")
    if not force.fleet:
        table.add(force.at, force.nation, force.army)
        return
    fleets = table.add_fleets(force.nation, force.at, force.fleet)
    if len(fleets) < force.fleet:
        raise ValueError(f"{force.nation} have no more fleets")
    _load(table, fleets, force.army)


def _load(table: Table, fleets: list[FleetId], army: Army) -> None:
    kinds: list[Kind] = [kind for kind, number in army.units.items() for _ in range(number)]
    room = table.data.fleet_capacity
    if len(kinds) > room * len(fleets):
        raise ValueError(f"{len(fleets)} fleets cannot carry {len(kinds)} units")
    for place, fleet in enumerate(fleets):
        units: Units = {}
        for kind in kinds[room * place : room * (place + 1)]:
            units[kind] = units.get(kind, 0) + 1
        table.load(fleet, Army(units, army.leaders if place == 0 else ()))
