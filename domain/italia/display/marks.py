"""What a picture of a table of Italia shows: pieces in the colour of their player, with the letters of their nation."""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from domain.italia.box.pieces import FLEET, KINDS, Army, Fleet, FleetId, NationId, amount_of
from domain.italia.box.state import Battle, Campaign, Combat
from domain.italia.display.view import NationView, View
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.board import Board
from domain.kernel.rules.marks import Figure, Mark, Marks, Nation, Place, Shelf, Stack, Standing, halved
from domain.kernel.rules.message import Names, enumerated

COLOURS: Final[Mapping[Seat, str]] = {
    Seat("red"): "#9c2d1a",
    Seat("yellow"): "#fbe33c",
    Seat("blue"): "#4e68b7",
    Seat("green"): "#78c38c",
}

CITY: Final = Mark("city", words="city")
RUIN: Final = Mark("ruin", words="ruin of a city")
CAPITAL: Final = Mark("capital", words="capital")


def printed(board: Board) -> dict[AreaId, tuple[Mark, ...]]:
    """Return the terrain, the entry areas, and where no city may be built (IT-BRD-05 to IT-BRD-10)."""
    return {area.id: marks for area in board.areas if (marks := tuple(_printed(area.traits, area.values)))}


def _printed(traits: Mapping[str, tuple[str, ...]], values: Mapping[str, int]) -> Iterator[Mark]:
    if "entry-italy" in traits.get("region", ()) or "entry-africa" in traits.get("region", ()):
        yield Mark("entry", words="entry area")
    for terrain in traits.get("terrain", ()):
        if terrain != "normal":
            yield Mark(terrain, words=terrain)
    if values.get("city_allowed") == 0:
        yield Mark("no-city", words="no city may be built here")


def of(view: View, names: Names) -> Marks:
    """Return what a picture of a view shows, on the board and beside it."""
    fleets: dict[AreaId, dict[FleetId, Fleet]] = {}
    for fleet_id, fleet in view.fleets.items():
        fleets.setdefault(fleet.sea, {})[fleet_id] = fleet
    places = {area: _area(view, area, names) for area in {*view.armies, *view.cities}}
    places |= {sea: _sea(view, sea, fleets_there, names) for sea, fleets_there in fleets.items()}
    standings = tuple(_standing(view, seat, names) for seat in view.seats)
    return Marks(places, (), standings, tuple(_shelves(view, names)))


# --- on the board ---


def _area(view: View, area: AreaId, names: Names) -> Place:
    armies = view.armies.get(area, {})
    sites = (*_city(view, area, names),)
    capitals = [nation for nation, each in view.nations.items() if each.capital == area]
    sites += tuple(Mark(CAPITAL.kind, words=f"capital of the {names(nation)}", nation=nation) for nation in capitals)
    stacks = tuple(_army(view, nation, army, names) for nation, army in armies.items())
    seats = {view.nations[nation].seat for nation in armies}
    owner = next(iter(seats)) if len(seats) == 1 else None
    nation = next(iter(armies)) if len(armies) == 1 else ""
    return Place(owner, sites, stacks, _battle(view, area, names), nation=nation)


def _city(view: View, area: AreaId, names: Names) -> Iterator[Mark]:
    city = view.cities.get(area)
    if city is None:
        return
    mark = CITY if city.standing else RUIN
    seats = {view.nations[nation].seat for nation in view.armies.get(area, ())}
    if city.owner is None or city.owner in seats:
        yield mark
    else:
        yield replace(mark, seat=city.owner, words=f"{mark.words}, last held by {names(city.owner)}")


def _army(view: View, nation: NationId, army: Army, names: Names) -> Stack:
    marks = tuple(_units(view, army, names))
    words = enumerated([mark.words for mark in marks])
    return _stack(view, nation, marks, f"{names(nation)}: {words}", names)


def _stack(view: View, nation: NationId, marks: tuple[Mark, ...], words: str, names: Names) -> Stack:
    """Return the pieces of a nation in a place; a subject gets a mark with the letters of its overlord."""
    standing = view.nations[nation]
    if standing.overlord is not None:
        yoke = f"subject to the {names(standing.overlord)}"
        marks, words = (*marks, Mark("subject", label=names(standing.overlord)[:2], words=yoke)), f"{words}, {yoke}"
    return Stack(standing.seat, marks, words, nation=nation)


def _units(view: View, army: Army, names: Names) -> Iterator[Mark]:
    for leader in army.leaders:
        conducts = view.campaign is not None and view.campaign.leader == leader
        yield Mark(
            "campaigner" if conducts else "leader", words=f"{names(leader)}{', on campaign' if conducts else ''}"
        )
    for kind in KINDS:
        if number := army.units.get(kind):
            yield Mark(kind, number, words=amount_of(kind, number))


def _sea(view: View, sea: AreaId, fleets: Mapping[FleetId, Fleet], names: Names) -> Place:
    stacks: list[Stack] = []
    for nation in dict.fromkeys(fleet.nation for fleet in fleets.values()):
        own = {fleet_id: fleet for fleet_id, fleet in fleets.items() if fleet.nation == nation}
        cargo = sum((fleet.cargo for fleet in own.values()), Army())
        ships = Mark(FLEET, len(own), words=amount_of(FLEET, len(own)))
        aboard = tuple(_units(view, cargo, names))
        words = f"{names(nation)}: {ships.words}"
        words += f" carrying {enumerated([mark.words for mark in aboard])}" if aboard else ""
        if aboard and len(own) > 1:
            words += f" ({', '.join(_loaded(view, *each, names) for each in own.items())})"
        stacks.append(_stack(view, nation, (ships, *aboard), words, names))
    return Place(stacks=tuple(stacks), battle=_battle(view, sea, names))


def _loaded(view: View, fleet_id: FleetId, fleet: Fleet, names: Names) -> str:
    """Say what a fleet carries, with the number of its counter, by which players choose it."""
    aboard = enumerated([mark.words for mark in _units(view, fleet.cargo, names)])
    return f"fleet {fleet_id.rpartition('-')[2]}: {aboard or 'empty'}"


def _battle(view: View, place: AreaId, names: Names) -> str:
    battle = view.battle
    if battle is None or battle.place != place:
        return ""
    how = "raid" if battle.raid else "naval battle" if battle.naval else "battle"
    return f"{how}, round {battle.round}: {names(battle.attacker)} against {names(battle.defender)}"


# --- beside the board ---


def _standing(view: View, seat: Seat, names: Names) -> Standing:
    own = {nation: each for nation, each in view.nations.items() if each.seat == seat}
    figures: dict[str, Figure] = {
        "points": halved(sum(each.points for each in own.values())),
        "areas": sum(each.areas for each in own.values()),
    }
    active = view.turn is not None and view.turn.nation in own and not view.winners
    nations = tuple(_nation(view, nation, each, names) for nation, each in own.items())
    return Standing(seat, figures, active=active, won=seat in view.winners, nations=nations)


def _nation(view: View, nation: NationId, standing: NationView, names: Names) -> Nation:
    _, last = standing.rounds
    on_board = any(nation in armies for armies in view.armies.values())
    on_board = on_board or any(fleet.nation == nation for fleet in view.fleets.values())
    figures: dict[str, Figure] = {"points": halved(standing.points), "gold": standing.gold, "areas": standing.areas}
    active = view.turn is not None and view.turn.nation == nation and not view.winners
    if not on_board:
        if view.round < standing.comes or (view.round == standing.comes and nation not in view.done):
            return Nation(nation, words=f"comes in round {standing.comes}", absent=True, active=active)
        is_over = standing.over or view.round > last
        numbers = {"points": halved(standing.points)} if is_over else figures
        return Nation(nation, numbers, words="gone" if is_over else "not on the board", absent=True, active=active)
    if standing.shared:
        figures["to be halved"] = halved(standing.shared)
    overlord = f"subject to the {names(standing.overlord)}" if standing.overlord is not None else ""
    return Nation(nation, figures, tuple(_pieces(standing.held)), words=overlord, active=active)


def _shelves(view: View, names: Names) -> Iterator[Shelf]:
    """Yield the shelves for what is under way: campaign, battles, units that must leave, and pieces to be placed."""
    if view.campaign is not None:
        yield _campaign(view, view.campaign, names)
    if view.battle is not None:
        yield from _sides(view, view.battle, names)
    for one in view.leaving:
        title = f"The {names(one.nation)} must leave {names(one.area)}{WHY.get(one.why, '')}"
        yield Shelf(title, tuple(_units(view, one.army, names)), now=True)
    for spoil in view.spoils:
        deed = "have raided" if spoil.raid else "may sack"
        yield Shelf(f"The {names(spoil.nation)} {deed} the city in {names(spoil.area)}", (), now=True)
    if view.repair is not None:
        yield Shelf(f"The {names(view.repair.nation)} may rebuild the city in {names(view.repair.area)}", (), now=True)
    for one in view.arriving:
        waiting = Army({kind: one.units[kind] for kind in KINDS if kind in one.units}, one.leaders)
        ships = _pieces({FLEET: one.units.get(FLEET, 0)})
        yield Shelf(f"The {names(one.nation)} still have to place", (*_units(view, waiting, names), *ships), now=True)
    if view.placing is not None and view.turn is not None and not view.arriving:
        units = tuple(_pieces(view.nations[view.turn.nation].held))
        yield Shelf(f"The {names(view.turn.nation)} still have to place", units, now=True)
    if view.combat is not None:
        yield from _battles_ahead(view, view.combat, names)


def _pieces(numbers: Mapping[str, int]) -> Iterator[Mark]:
    for kind in (*KINDS, FLEET):
        if number := numbers.get(kind):
            yield Mark(kind, number, words=amount_of(kind, number))


def _campaign(view: View, campaign: Campaign, names: Names) -> Shelf:
    """Return the shelf of a campaign: what was announced for this step, and who is still asked to react."""
    announced = [f"raid in {names(area)}" for area in campaign.raids]
    announced += [f"{names(area)} is blocked" for area in campaign.blocked]
    marks = [Mark("battle-due", words=each) for each in announced]
    for nation in campaign.reacting:
        words = f"the {names(nation)} may react"
        marks.append(Mark("leader", seat=view.nations[nation].seat, words=words, nation=nation))
    step = f", move {campaign.step}" if campaign.step else ""
    title = f"Campaign of {names(campaign.leader)} and the {names(campaign.nation)}{step}"
    return Shelf(title, tuple(marks), now=True)


def _sides(view: View, battle: Battle, names: Names) -> Iterator[Shelf]:
    """Yield the forces of a battle, and what has been hit. `fight.py` shows the same in short, with the dice."""
    how = "Raid" if battle.raid else "Naval battle" if battle.naval else "Battle"
    for nation, does in ((battle.attacker, "attack"), (battle.defender, "defend")):
        where = f"{how} in {names(battle.place)}, round {battle.round}: the" if does == "attack" else "The"
        hit_count = battle.losses.get(nation, 0)
        hits = f", {hit_count} hit{'s' * (hit_count > 1)} to take" if hit_count else ""
        driven = f", {number} to drive off" if (number := battle.driven.get(nation)) else ""
        title = f"{where} {names(nation)} {does}{hits}{driven}"
        marks = tuple(_fighting(view, battle, nation, names))
        yield Shelf(title if marks else f"{title}, and have nothing left", marks)
    for nation, aims_of in view.aiming.items():
        aims = (f"{amount_of(aim.kind, aim.count)} at {aim.target}" for aim in aims_of)
        marks = tuple(Mark(aim.kind, aim.count, words=words) for aim, words in zip(aims_of, aims, strict=True))
        yield Shelf(f"The {names(nation)} aim in secret", marks, now=True)


def _fighting(view: View, battle: Battle, nation: NationId, names: Names) -> Iterator[Mark]:
    if battle.naval:
        fleets = [fleet for fleet in view.fleets.values() if (fleet.nation, fleet.sea) == (nation, battle.place)]
        yield from _pieces({FLEET: len(fleets)})
        yield from _units(view, sum((fleet.cargo for fleet in fleets), Army()), names)
        return
    damaged = battle.damaged.get(nation, {})
    for mark in _units(view, view.armies.get(battle.place, {}).get(nation, Army()), names):
        hit = next((number for kind, number in damaged.items() if kind == mark.kind), 0)
        yield replace(mark, words=f"{mark.words}, {hit} damaged") if hit else mark


def _battles_ahead(view: View, combat: Combat, names: Names) -> Iterator[Shelf]:
    """Yield the battles that are still to be fought after the one under way."""
    fought = (view.battle.place, view.battle.defender) if view.battle is not None else None
    marks = [
        Mark("battle-due", words=f"{names(each.sea)}: with the {names(each.other)}")
        for each in combat.encounters
        if view.battle is None or each.sea != view.battle.place or each.other not in view.battle.sides
    ]
    for area, front in combat.fronts.items():
        armies = view.armies.get(area, {})
        if enemies := [enemy for enemy in front.enemies if enemy in armies and (area, enemy) != fought]:
            marks.append(Mark("battle-due", words=f"{names(area)}: against the {names.all(enemies)}"))
    if marks:
        yield Shelf("Battles still to be fought", tuple(marks))


WHY: Final[Mapping[str, str]] = {
    "eviction": ", which is cleared",
    "arrival": ": others arrive there",
    "raid": " after the raid",
    "driven-off": ", driven off by elephants",
    "submission": ": its people have submitted",
    "leaders": ": they are alone there",
    "subjects": ", which belongs to subjects",
    "title": " for the title",
}
"""Why units must leave an area, in a few words."""
