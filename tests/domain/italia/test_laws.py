"""Italia I and II keep the laws: no piece, leader, city, gold or point comes or goes but by an event that says so."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from domain.boards import builtin
from domain.italia.box.entries import FixedCapital
from domain.italia.box.pieces import FLEET, Army, FleetId, LeaderId, NationId, Units, plus, within
from domain.italia.box.state import Battle, Moving, Turn
from domain.italia.box.table import Table
from domain.italia.campaigns import campaign
from domain.italia.combat import battle, cities, deserters, naval, raids, retreat
from domain.italia.economy import income, placement, purchase
from domain.italia.moves import entry, movement
from domain.italia.nations import civil_war, exits, rome, transformations
from domain.italia.ruleset import ItaliaI, ItaliaII
from domain.italia.start import setup
from domain.italia.turn import reinforcements, scoring, sequence, stacking
from domain.kernel.ids import AreaId
from domain.kernel.rules.message import Event
from tests.helpers.laws.laws import Laws

HOUSE_RULES = ("allied_city_roads", "rescue_cargo", "subject_vp_round_total", "ignore_pyrrhus_faq")


class ItaliaLaws(Laws):
    board = ItaliaI().equip(builtin("italia"))
    seeds = range(3)
    commands = 16
    forks = 12

    def setup(self, seed: int) -> Mapping[str, Any]:
        """Return every house rule changed in one game, half of them in another one, and none in a third."""
        changed = (HOUSE_RULES, HOUSE_RULES[seed % 2 :: 2], ())[seed % 3]
        secret = {"individual_targets": True} if seed % 3 < 2 else {}
        return {**dict.fromkeys(changed, True), "carthage_last_unit_window": seed % 3 > 0, **secret}

    def hides(self, seed: int) -> bool:
        return self._chosen(seed).individual_targets  # nothing is at the opening

    def shown(self, command: Mapping[str, Any]) -> Any:
        """Return the nation that aims: where a seat leads both sides, everybody sees for which one it has chosen."""
        return command.get("nation")

    def pieces(self, table: Table) -> Mapping[str, int]:
        """Count what each nation has on the board, in gold and in points, and the cities and ruins."""
        count: Counter[str] = Counter()
        for nation, standing in table.nations.items():
            count.update(each(nation, table.on_board(nation)))
            count.update({f"{kind} of {nation} held": number for kind, number in standing.held.items()})
            count.update({f"{kind} of {nation} gone": number for kind, number in standing.gone.items()})
            count.update(leaders(leader for leader, _ in places_of_leaders(table, nation)))
            count.update({f"gold of {nation}": standing.gold, f"points of {nation}": standing.points})
            count[f"shared of {nation}"] = standing.shared
        count["cities"] = sum(city.standing for city in table.cities.values())
        count["ruins"] = len(table.cities) - count["cities"]
        return count

    def changes(self, table: Table, event: Event[Any]) -> Mapping[str, int]:
        lost = losses(table, event)
        return gains(table, event) if lost is None else {name: -number for name, number in lost.items()}

    def faults(self, table: Table) -> Iterator[str]:
        for nation in table.nations:
            yield from (f"{nation}: {fault}" for fault in faults_of(table, nation))
        everywhere = [each for nation in table.nations for each, _ in places_of_leaders(table, nation)]
        yield from (f"{leader} is in {n} places" for leader, n in Counter(everywhere).items() if n > 1)
        for area, armies in table.armies.items():
            if area not in table.map.lands or not armies:
                yield f"{area}: {armies}"
            for army in armies.values():
                yield from (f"{area}: {fault}" for fault in faults_in(army))
            yield from (f"{area}: {fault}" for fault in strangers(table, area))
        for name, fleet in table.fleets.items():
            if fleet.sea not in table.map.seas or not name.startswith(f"{fleet.nation}-fleet-"):
                yield f"{name} of the {fleet.nation} is in {fleet.sea}"
            if fleet.cargo.size > table.data.fleet_capacity:
                yield f"{name} carries {fleet.cargo}"
            yield from (f"{name}: {fault}" for fault in faults_in(fleet.cargo) if fleet.cargo)
        for area, city in table.cities.items():
            if not table.allows_city(area) or city.owner not in (None, *table.seats):
                yield f"{area}: {city}"
        if not 0 <= table.round <= 10 or len(set(table.done)) < len(table.done):
            yield f"round {table.round}, done: {table.done}"
        if table.conversions > 2 or table.elephant_battles < 0 or len(set(table.titles)) < len(table.titles):
            yield f"{table.conversions} conversions, {table.elephant_battles} battles, {table.titles}"
        if table.turn is not None:
            yield from faults_of_turn(table, table.turn)
        if table.moving is not None:
            yield from faults_of_movement(table, table.moving)
        if table.battle is not None:
            yield from faults_of_battle(table, table.battle)
        for leaving in table.leaving:
            if not table.army(leaving.area, leaving.nation).has(leaving.army) or not leaving.army:
                yield f"{leaving} is not there"


class TestItaliaILaws(ItaliaLaws):
    ruleset = ItaliaI()


class TestItaliaIILaws(ItaliaLaws):
    ruleset = ItaliaII()
    board = ruleset.equip(builtin("italia"))


# --- what events change ---


def each(nation: NationId, units: Mapping[Any, int], where: str = "") -> dict[str, int]:
    return {f"{kind} of {nation}{where}": number for kind, number in units.items()}


def leaders(names: Iterable[LeaderId]) -> dict[str, int]:
    return dict.fromkeys(names, 1)


def whole(nation: NationId, army: Army) -> dict[str, int]:
    return {**each(nation, army.units), **leaders(army.leaders)}


def earned(table: Table, nation: NationId, gold: int) -> dict[str, int]:
    """Return how much of some gold a nation can save."""
    saved = table.nations[nation].gold
    return {f"gold of {nation}": min(saved + gold, 10) - saved}


def losses(table: Table, event: Event[Any]) -> Mapping[str, int] | None:
    """Return what an event takes off the board and gives nobody; None when it does something else."""
    match event:
        case battle.LeadersCaught(_, _, gone) | reinforcements.LeadersDismissed(_, gone):
            return leaders(gone)
        case battle.BattleRolled():
            return {name: n for nation, units in event.lost.items() for name, n in each(nation, units).items()}
        case deserters.ElephantsMet() | deserters.FoederatiDeserted(replaced=0):
            return each(event.nation, event.deserted)
        case deserters.ConvertRemoved(nation, _, kind):
            return each(nation, {kind: 1})
        case entry.ArmyPerished(nation, _, army) | retreat.UnitsCutOff(nation, _, army):
            return whole(nation, army)
        case movement.AttackersDisbanded(nation, _, units) | stacking.ExcessRemoved(nation, _, units):
            return each(nation, units)
        case stacking.CapitalDeclared(nation, _, _, removed):
            return each(nation, removed)
        case naval.FleetsSunk(nation, fleets, army):
            return {**whole(nation, army), **each(nation, {FLEET: len(fleets)})}
        case raids.KnightsCutOff(nation, _, knights):
            return each(nation, {"knight": knights})
        case reinforcements.ArrivalEnded():
            return leaders(event.eliminated)
        case campaign.AreaBlocked(nation, _, kind, cost):
            return {**each(nation, {kind: 1}), f"gold of {nation}": cost}
        case campaign.CampaignMoveBegan(nation, _, cost):
            return {f"gold of {nation}": cost}
        case _:
            return None


def gains(table: Table, event: Event[Any]) -> Mapping[str, int]:
    match event:
        case setup.PiecesSetUp(armies, fleets, built):
            count: Counter[str] = Counter(cities=len(built))
            for there in armies.values():
                for nation, army in there.items():
                    count.update(whole(nation, army))
            for afloat in fleets.values():
                count.update({f"{FLEET} of {nation}": number for nation, number in afloat.items()})
            return count
        case deserters.FoederatiDeserted():
            left = {name: -number for name, number in each(event.nation, event.deserted).items()}
            return {**left, f"infantry of {event.enemy}": event.replaced}
        case deserters.UnitConverted(nation, _, victim, kind):
            return {f"{kind} of {nation}": 1, f"{kind} of {victim}": -1}
        case civil_war.UnitsDefected():
            return {f"{event.kind} of {event.of}": -event.number, f"{event.kind} of {event.nation}": event.replaced}
        case civil_war.UnitsLevied(nation, kind, number, _, cost):
            return {f"{kind} of {nation}": number, f"gold of {nation}": -cost}
        case civil_war.CivilWarBegan(gold):
            return {name: n for nation, number in gold.items() for name, n in earned(table, nation, number).items()}
        case campaign.CampaignBegan(nation, _, gold):
            return earned(table, nation, gold)
        case income.IncomeReceived():
            got = {f"gold of {event.nation}": event.received}
            if event.overlord is None:
                return got
            if event.overflow:
                return {**got, f"gold of {event.overlord}": event.tribute}
            return {**got, **earned(table, event.overlord, event.tribute)}
        case income.TributeSpent(nation, kind, cost):
            return {**earned(table, nation, -cost), **({f"{kind} of {nation} held": 1} if kind is not None else {})}
        case purchase.Purchased(nation, units, _, cost):
            return {**earned(table, nation, -cost), **each(nation, units, " held")}
        case placement.PlacementBegan():
            return {"cities": len(event.cities)}
        case placement.UnitsPlaced(nation, _, kind, number):
            return {f"{kind} of {nation}": number, f"{kind} of {nation} held": -number}
        case reinforcements.ReinforcementsPlaced():
            new = [leader for leader in event.leaders if table.leader_at(leader) is None]
            return {**whole(event.nation, Army(event.units, tuple(new))), f"{FLEET} of {event.nation}": event.fleets}
        case exits.UnitsLeft(nation, _, units):
            return {**{f"{kind} of {nation}": -n for kind, n in units.items()}, **each(nation, units, " gone")}
        case cities.CitySacked():
            return {"cities": -1, "ruins": 0 if event.removed else 1}
        case cities.SpoilsTaken(nation, _, gold, overlord, share):
            return {**earned(table, nation, gold), **(earned(table, overlord, share) if overlord is not None else {})}
        case cities.CityRebuilt(nation, _, kind) | raids.CityRepaired(nation, _, kind):
            return {"cities": 1, "ruins": -1, f"{kind} of {nation}": -1}
        case raids.RaidEnded():
            return {"cities": -event.succeeded, "ruins": int(event.succeeded)}
        case raids.CityLeftInRuins():
            return {"ruins": -event.removed}
        case rome.AreaCleared():
            return {"cities": int(event.rebuilt), "ruins": -event.rebuilt}
        case scoring.PointsScored():
            return {f"{'shared' if event.shared else 'points'} of {event.nation}": event.halves}
        case scoring.SubjectScored(nation, halves):
            assert halves % 2 == 0, "a subject scores whole points"
            return {f"points of {nation}": halves, f"shared of {nation}": -table.nations[nation].shared}
        case transformations.NationLeft():
            return left_game(table, event)
        case _:
            return {}


def left_game(table: Table, event: transformations.NationLeft) -> Mapping[str, int]:
    """Return what a nation takes along that leaves the game, and what its successor gets."""
    nation, standing = event.nation, table.nations[event.nation]
    count: Counter[str] = Counter({f"gold of {nation}": -standing.gold})
    count.subtract(each(nation, table.on_board(nation)))
    count.subtract(each(nation, standing.held, " held"))
    count.subtract(leader for leader, _ in places_of_leaders(table, nation))
    if event.into is not None:
        count[f"{event.kind} of {event.into}"] += sum(event.units.values())
        count[f"{FLEET} of {event.into}"] += len(event.fleets)
    return count


# --- what is wrong ---


def places_of_leaders(table: Table, nation: NationId) -> Iterator[tuple[LeaderId, str]]:
    for area, armies in table.armies.items():
        yield from ((leader, area) for leader in (armies[nation].leaders if nation in armies else ()))
    for name, fleet in table.fleets_of(nation):
        yield from ((leader, name) for leader in fleet.cargo.leaders)


def faults_of(table: Table, nation: NationId) -> Iterator[str]:
    standing, card = table.nations[nation], table.cards.nations[nation]
    overflows = table.overflow is not None and table.overflow.nation == nation
    receives = table.turn is not None and table.turn.nation == nation and table.turn.stage == "purchase"
    if standing.gold < 0 or (standing.gold > 10 and not overflows and not receives):
        yield f"{standing.gold} gold"
    fight = table.battle
    converted = fight.converted if fight is not None and nation in fight.sides else None  # IT-I2-07
    for kind, left in table.supply(nation).items():
        if left < -(kind == converted):
            yield f"{left} {kind} left"
    for kind, number in (*table.on_board(nation).items(), *standing.held.items(), *standing.gone.items()):
        if (kind not in card.counters and kind != converted) or number < 1:
            yield f"{number} {kind}"
    there = {leader for leader, _ in places_of_leaders(table, nation)}
    if there != {*standing.came}:
        yield f"{there} are on the board, {standing.came} came"
    own = {leader.id for leader in card.leaders}
    if not there <= own or not {*standing.fallen} <= own or there & {*standing.fallen}:
        yield f"{there} are on the board, {standing.fallen} have fallen, of {own}"
    if standing.capital is not None:
        fixed = card.special(FixedCapital)
        if fixed is not None or not table.army(standing.capital, nation):
            yield f"the capital is {standing.capital}"
    if standing.overlord is not None:
        lord = table.nations[standing.overlord]
        if nation in (standing.overlord, lord.overlord) or lord.over or standing.over:
            yield f"the overlord is {standing.overlord}"
    if standing.over and (table.on_board(nation) or there or standing.gold or standing.held):
        yield "they are out of the game, and have something left"
    if nation in table.done and table.stage == "turns":
        yield from (f"they are still in {area}" for area in entry.forbidden(table, nation))


def faults_in(army: Army) -> Iterator[str]:
    if not army or min(army.units.values(), default=1) < 1 or [*army.leaders] != sorted({*army.leaders}):
        yield f"{army}"


def strangers(table: Table, area: AreaId) -> Iterator[str]:
    """Yield who meets in an area outside of a movement, a battle or an arrival."""
    leaving = {(each.nation, each.area) for each in table.leaving}
    for one, other in combinations(table.nations_at(area), 2):
        if table.active in (one, other) or leaving & {(one, area), (other, area)} or table.arriving:
            continue
        if table.is_neutral(one) != table.is_neutral(other):
            continue  # a faction whose reinforcements of round 10 came among garrisons fights them in its own move
        if other in table.strangers(one, area) and not table.is_entry(area):
            yield f"the {one} and the {other} meet"


def faults_of_turn(table: Table, turn: Turn) -> Iterator[str]:
    laid_out = [*sequence.PLANS.values()]
    laid_out += [(*sequence.CAMPAIGN_STEP, *plan[plan.index("campaign") :]) for plan in laid_out if "campaign" in plan]
    met = ("declaring", *sequence.FIGHT, *sequence.CHECK)  # where nobody can pay for a campaign move (IT-RNF-17)
    alone = sequence.PLANS["campaign-only"]
    laid_out.append((*met, *alone[alone.index("campaign") :]))
    laid_out.append(sequence.CAMPAIGN_STEP)
    if not any(plan[-len(turn.stages) :] == turn.stages for plan in laid_out):
        yield f"the stages are {turn.stages}"
    if table.nations[turn.nation].over:
        yield f"it is the turn of the {turn.nation}, who are out of the game"


def faults_of_movement(table: Table, moving: Moving) -> Iterator[str]:
    nation = table.active
    assert nation is not None, "somebody moves"
    for place, walks in moving.walks.items():
        fleet = table.fleets.get(FleetId(place))
        army = table.army(AreaId(place), nation) if fleet is None else fleet.cargo
        walked: Units = {}
        for walk in walks:
            walked = plus(walked, {walk.kind: walk.count})
        if min(walked.values(), default=0) < 1 or not within(walked, army.units):
            yield f"{place}: {walks} of {army}"
    if gone := {*moving.leaders} - {leader for leader, _ in places_of_leaders(table, nation)}:
        yield f"{gone} have moved, and are not on the board"
    if gone := {*moving.voyages} - {name for name, _ in table.fleets_of(nation)}:
        yield f"{gone} have sailed, and are not on the board"


def faults_of_battle(table: Table, fight: Battle) -> Iterator[str]:
    for side in fight.sides:
        there = bool(table.army(fight.place, side)) if not fight.naval else any(table.fleets_of(side, fight.place))
        if not there and not table.spoils and fight.step != "lose":  # they may have retreated to a city, or be sunk
            yield f"the {side} are not in {fight.place}, where they fight"
        units = table.army(fight.place, side).units
        if any(units.get(kind, 0) < number for kind, number in fight.damaged.get(side, {}).items()):
            yield f"the {side} have {units}, damaged: {fight.damaged}"
    if table.are_allied(*fight.sides):
        yield f"the {fight.attacker} fight the {fight.defender}, allied to them"
