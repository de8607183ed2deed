"""Both editions keep the laws, and nothing comes on the board or leaves it but by an event that says so."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from domain.boards import builtin
from domain.classic.box.pieces import Army, Galley, Leader
from domain.classic.box.table import Table
from domain.classic.combat.capture import CaesarCaptured, GeneralKilled
from domain.classic.combat.conquest import GalleysDestroyed
from domain.classic.combat.losses import LossesRemoved
from domain.classic.combat.naval import GalleysSunk
from domain.classic.combat.pursuit import PursuedEliminated
from domain.classic.combat.retreat import UnitsAbandoned
from domain.classic.diplomacy.ransom import RansomAgreed
from domain.classic.economy import placement, purchase, tribute
from domain.classic.economy.destruction import CitiesDestroyed
from domain.classic.moves.sea import CAPACITY
from domain.classic.start import setup
from domain.conquest.pieces import Units
from domain.kernel.ids import Seat
from domain.kernel.rules.message import Event
from domain.library import LIBRARY
from tests.helpers.laws.laws import Laws

KINDS = ("infantry", "cavalry", "catapults")


class ClassicLaws(Laws):
    board = builtin("conquest")
    commands = 10

    def setup(self, seed: int) -> Mapping[str, Any]:
        return {"homes": "picked" if seed % 2 else "drawn"}

    def pieces(self, table: Table) -> Mapping[str, int]:
        """Count what each seat has, ashore and aboard, what all build from one stock, and the leaders by colour."""
        count: Counter[str] = Counter({f"talents of {seat}": one.talents for seat, one in table.players.items()})
        for province in table.provinces.values():
            count.update({"cities": province.city, "fortifications": province.fortified})
            for seat, army in province.armies.items():
                count.update(of(seat, army.units))
        for galley in table.galleys.values():
            count.update({**of(galley.owner, galley.cargo), f"galleys of {galley.owner}": 1})
        count["roads"] = len(table.roads)
        count.update(f"{leader.kind}s of colour {leader.colour}" for leader in table.leaders.values())
        if table.bought is not None:
            count.update(f"{kind} bought" for kind in purchase.PRICES for _ in range(getattr(table.bought, kind)))
        return count

    def changes(self, table: Table, event: Event[Any]) -> Mapping[str, int]:
        match event:
            case setup.EmpireFounded(seat, _, generals, infantry):
                leaders = {f"caesars of colour {seat}": 1, f"generals of colour {seat}": generals}
                return {**leaders, f"infantry of {seat}": infantry, "cities": 1, "fortifications": 1}
            case tribute.TributeCollected(seat, talents):
                return {f"talents of {seat}": talents}
            case purchase.PiecesBought(seat, pieces, talents):
                bought = {f"{kind} bought": getattr(pieces, kind) for kind in purchase.PRICES}
                return {**bought, f"talents of {seat}": -talents}
            case RansomAgreed(_, owner, captor, talents):
                return {f"talents of {owner}": -talents, f"talents of {captor}": talents}
            case placement.UnitsPlaced(seat, _, units):
                return {**of(seat, units), **{f"{kind} bought": -getattr(units, kind) for kind in KINDS}}
            case placement.GalleyPlaced(seat):
                return {f"galleys of {seat}": 1, "galleys bought": -1}
            case placement.CityPlaced():
                return {"cities": 1, "cities bought": -1}
            case placement.FortificationPlaced():
                return {"fortifications": 1, "fortifications bought": -1}
            case placement.RoadPlaced():
                return {"roads": 1, "roads bought": -1}
            case CitiesDestroyed(_, provinces, roads):
                walls = sum(table.provinces[province].fortified for province in provinces)
                return {"cities": -len(provinces), "fortifications": -walls, "roads": -len(roads)}
            case LossesRemoved(_, attacker, defender):
                assert table.battle is not None
                return lost(table.battle.attacker.seat, attacker) | lost(table.battle.defender.seat, defender)
            case UnitsAbandoned(seat, _, units) | PursuedEliminated(_, _, seat, units):
                return lost(seat, units)
            case GalleysSunk(seat, galleys, units):
                return {**lost(seat, units), f"galleys of {seat}": -len(galleys)}
            case GalleysDestroyed(_, seat, galleys):
                return {f"galleys of {seat}": -len(galleys)}
            case GeneralKilled(general):
                return {f"generals of colour {table.leaders[general].colour}": -1}
            case CaesarCaptured(caesar, loser, captor, _, talents):
                assert talents == table.players[loser].talents
                taken = {name: number for name, number in self.pieces(table).items() if name.endswith(f" of {loser}")}
                heir = {name.replace(f" of {loser}", f" of {captor}"): number for name, number in taken.items()}
                fallen = {f"caesars of colour {table.leaders[caesar].colour}": -1}
                return {**{name: -number for name, number in taken.items()}, **heir, **fallen}
            case _:
                return {}

    def faults(self, table: Table) -> Iterator[str]:
        for seat, player in table.players.items():
            if player.fallen_to is None:
                unused = purchase.supply(table, seat).items()
                yield from (f"more {kind} of {seat} than the box holds" for kind, left in unused if left < 0)
            elif player.talents or player.colours:
                yield f"{seat} is out and owns something"
        for name, province in table.provinces.items():
            if province.fortified and not province.city:
                yield f"a fortification without a city in {name}"
            for seat, army in province.armies.items():
                if table.players[seat].fallen_to is not None or not is_army(army):
                    yield f"no army of {seat} in {name}"
        yield from (f"{name} is no galley" for name, galley in table.galleys.items() if not is_galley(table, galley))
        waiting = [each.leader for each in table.defeats] + [name for each in table.rescues for name in each.leaders]
        for name, leader in table.leaders.items():
            if places(table, leader) + waiting.count(name) != 1:
                yield f"{name} is not in one place"


def of(seat: Seat, units: Units) -> dict[str, int]:
    return {f"{kind} of {seat}": getattr(units, kind) for kind in KINDS}


def lost(seat: Seat, units: Units) -> dict[str, int]:
    return {f"{kind} of {seat}": -getattr(units, kind) for kind in KINDS}


def is_army(army: Army) -> bool:
    parts = (army.fresh, army.spent, army.landed)
    counts = [army.tired, *(getattr(units, kind) for units in parts for kind in KINDS)]
    return min(counts) >= 0 and sum(counts) > 0


def is_galley(table: Table, galley: Galley) -> bool:
    cargo = [getattr(galley.cargo, kind) for kind in KINDS]
    coasts = [None] if galley.at in table.map.seas else [coast.id for coast in table.map.coasts(galley.at)]
    owned = table.players[galley.owner].fallen_to is None
    return owned and galley.coast in coasts and min(cargo) >= 0 and sum(cargo) <= CAPACITY


def places(table: Table, leader: Leader) -> int:
    """Count where a leader is: in a province, aboard a galley of his owner, in captivity."""
    ashore = leader.at in table.provinces
    aboard = leader.aboard in table.galleys and table.galleys[leader.aboard].owner == leader.owner
    captive = leader.captor is not None and leader.captor != leader.owner
    return ashore + aboard + captive


class TestFrizLaws(ClassicLaws):
    ruleset = LIBRARY.current("conquest-classic-friz")
    seeds = (15, 81, 87, 103, 84)  # one for each number of players, 2 to 6; much happens in these games


class TestPublished2005Laws(ClassicLaws):
    ruleset = LIBRARY.current("conquest-classic-2005")
    seeds = (130, 141, 127, 23, 79)
