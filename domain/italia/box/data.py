"""The figures of both games, read from ``data.toml``: units, prices, income, limits and modifiers."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Literal

import msgspec
from msgspec import Struct

Provenance = Literal["seed", "reconstructed"]


class UnitType(Struct, frozen=True):
    """A type of unit in a game.

    Attributes:
        hit: the least result of a ten-sided die that hits.
        move: areas, or sea areas, in a movement phase.
        hits_to_kill: hits that eliminate it.
        cost: its price in gold.
    """

    hit: int
    move: int
    hits_to_kill: int
    cost: int


class Figures(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Figures. `provenance` says for each by name where it is from; `source` gives the paragraphs of the rules."""

    provenance: dict[str, Provenance]
    source: str


class LeaderFigures(Figures, frozen=True):
    """How far leaders move alone, and what they add to the movement of units with them (IT-MOV-10)."""

    move: int
    extra_move: int


class Costs(Figures, frozen=True):
    """Prices and limits in gold."""

    city: int
    city_in_highland_or_marsh: int
    sack_or_raid_gold: int
    campaign_move: int
    block: int
    reserve_limit: int


class Income(Figures, frozen=True):
    """Gold for each controlled area, and more for a city in it (IT-INC-03, IT-INC-04)."""

    per_area: int
    per_city: int


class Stacking(Figures, frozen=True):
    """How many units an area holds, and what adds to it (IT-STK-01, IT-STK-06)."""

    normal: int
    marsh: int
    highland: int
    capital: int
    attack: int
    leader: int
    major_invasion: int


class CombatFigures(Figures, frozen=True):
    """What is added to a die in combat, and what its faces do.

    Attributes:
        seaborne_defender: for defenders, in the first round against units that landed or crossed a strait.
        raid_hit: the least result that hits for a raider.
        always_miss: this face misses, whatever is added to it.
        always_hit: this face hits, whatever is taken from it.
    """

    attack_highland_or_marsh: int
    attack_city: int
    leader: int
    naval_supremacy: int
    seaborne_defender: int
    fleet_per_carried_unit: int
    raid_hit: int
    die: int
    always_miss: int
    always_hit: int


class Data(Struct, frozen=True):
    """All figures of a game; `units` has the types that exist in it (IT-PCS-01 to IT-PCS-03)."""

    units: Mapping[str, UnitType]
    leader: LeaderFigures
    fleet_capacity: int
    costs: Costs
    income: Income
    stacking: Stacking
    combat: CombatFigures


class _Unit(Figures, frozen=True):
    hit: int
    move: int
    hits_to_kill: int
    cost: dict[str, int]


class _Fleet(Figures, frozen=True):
    capacity: int


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    unit: dict[str, _Unit]
    leader: LeaderFigures
    fleet: _Fleet
    costs: Costs
    income: Income
    stacking: Stacking
    combat: CombatFigures


@cache
def data_of(game: str) -> Data:
    """Return the figures of ``italia-1`` or ``italia-2``."""
    file = msgspec.toml.decode(resources.files("domain.italia.box").joinpath("data.toml").read_bytes(), type=_File)
    units = {
        kind: UnitType(unit.hit, unit.move, unit.hits_to_kill, unit.cost[game])
        for kind, unit in file.unit.items()
        if game in unit.cost
    }
    return Data(units, file.leader, file.fleet.capacity, file.costs, file.income, file.stacking, file.combat)
