"""The naval battle, cycle by cycle (chapter NAV; declaring.py says who attacks whom, and with which galleys).

The attacker rolls and the defender marks the galleys that sink. Then the defender rolls, with the marked galleys too,
and the attacker marks. Then all marked galleys sink together, with their cargo. A battle goes on by itself until a
fleet is gone, for three cycles at most.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from domain.classic.box.pieces import GalleyId, LeaderId
from domain.classic.box.state import Fleet, NavalBattle, NavalPlan, Rescue
from domain.classic.box.table import Command, Event, Table, naval_battle_of
from domain.classic.combat import capture
from domain.conquest import dice
from domain.conquest.dice import Face
from domain.conquest.pieces import NO_UNITS, Units
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Draw, Names
from domain.kernel.rules.refusal import Refusal

CYCLES = 3
"""A naval battle ends after this many cycles (CC-NAV-12)."""

DICE_PER_GALLEY = 2
"""Each galley's battle dice in a cycle (CC-NAV-05)."""


# --- what happens ---


class NavalBattleBegan(Event, frozen=True):
    """Two fleets met in a sea zone; both fight until one is gone or three cycles are over (CC-NAV-11, CC-NAV-12).

    Attributes:
        attacking: the attacker's galleys in this battle.
        defending: the defender's galleys in this battle.
    """

    rules = ("CC-NAV-11", "CC-NAV-12")
    places = (("sea", "at"),)

    sea: AreaId
    attacker: Seat
    attacking: tuple[GalleyId, ...]
    defender: Seat
    defending: tuple[GalleyId, ...]

    def apply(self, table: Table) -> None:
        table.naval_battle = NavalBattle(
            self.sea, Fleet(self.attacker, self.attacking), Fleet(self.defender, self.defending)
        )
        if table.combat is not None:
            others = tuple(
                plan for plan in table.combat.naval if (plan.sea, plan.opponent) != (self.sea, self.defender)
            )
            table.combat = replace(table.combat, naval=others)

    def tell(self, names: Names) -> str:
        return (
            f"{names(self.attacker)} attacks {names(self.defender)} in {names(self.sea)}: "
            f"{_galleys(len(self.attacking))} against {_galleys(len(self.defending))}."
        )


class GalleysRolled(Event, frozen=True):
    """A fleet rolled two dice for each galley it had when the cycle began (CC-NAV-05) and hit with some (CC-NAV-06).

    Attributes:
        hits: how many enemy galleys it sinks.
    """

    rules = ("CC-NAV-05", "CC-NAV-06")

    seat: Seat
    cycle: int
    draw: Draw
    faces: tuple[Face, ...]
    hits: int

    def apply(self, table: Table) -> None:
        battle = naval_battle_of(table)
        if self.seat == battle.attacker.seat:
            step = "mark-defender" if self.hits else "roll-defender"
            table.naval_battle = replace(battle, defender=replace(battle.defender, hits=self.hits), step=step)
        else:
            step = "mark-attacker" if self.hits else "sink"
            table.naval_battle = replace(battle, attacker=replace(battle.attacker, hits=self.hits), step=step)

    def tell(self, names: Names) -> str:
        scored = f"{_galleys(self.faces.count('galley'))}, {self.hits} hit{'s' * (self.hits != 1)}"
        return f"{names(self.seat)} rolled {len(self.faces)} dice in cycle {self.cycle}: {scored}."


class GalleysMarked(Event, frozen=True):
    """The owner of galleys that were hit chose which of them sink when the cycle ends (CC-NAV-10).

    Attributes:
        galleys: those that sink.
    """

    rules = ("CC-NAV-10",)

    seat: Seat
    galleys: tuple[GalleyId, ...]
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        battle = naval_battle_of(table)
        if self.seat == battle.defender.seat:
            marked = replace(battle.defender, hit=self.galleys)
            table.naval_battle = replace(battle, defender=marked, step="roll-defender")
        else:
            marked = replace(battle.attacker, hit=self.galleys)
            table.naval_battle = replace(battle, attacker=marked, step="sink")

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} loses {names.all(self.galleys)}."


class GalleysSunk(Event, frozen=True):
    """Galleys sank at the end of a cycle, their cargo with them (CC-NAV-13).

    Attributes:
        units: the land combat units that went down with them.
        leaders: the leaders who were aboard; the next events say what becomes of them.
    """

    rules = ("CC-NAV-13",)

    seat: Seat
    galleys: tuple[GalleyId, ...]
    units: Units = NO_UNITS
    leaders: tuple[LeaderId, ...] = ()

    def apply(self, table: Table) -> None:
        battle = naval_battle_of(table)
        for galley in self.galleys:
            del table.galleys[galley]
        for leader in self.leaders:
            table.change_leader(leader, at=None, aboard=None)
        table.naval_battle = replace(
            battle,
            attacker=_without(battle.attacker, self.galleys),
            defender=_without(battle.defender, self.galleys),
        )

    def tell(self, names: Names) -> str:
        cargo = f" with {self.units}" if self.units.total else ""
        return f"{names.all(self.galleys)} of {names(self.seat)} sank{cargo}."


class NavalCycleBegan(Event, frozen=True):
    """Both fleets were still afloat: the battle went on (CC-NAV-11)."""

    rules = ("CC-NAV-11",)

    cycle: int

    def apply(self, table: Table) -> None:
        table.naval_battle = replace(naval_battle_of(table), cycle=self.cycle, step="roll-attacker")

    def tell(self, names: Names) -> str:
        return f"The naval battle goes on: cycle {self.cycle}."


class NavalBattleEnded(Event, frozen=True):
    """A naval battle ended (CC-NAV-12); fleets that are left stay in the same sea zone (CC-NAV-17).

    Attributes:
        attacking: the attacker's galleys that are left.
        defending: the defender's galleys that are left.
    """

    rules = ("CC-NAV-12", "CC-NAV-17")
    places = (("sea", "at"),)

    sea: AreaId
    attacking: tuple[GalleyId, ...]
    defending: tuple[GalleyId, ...]

    def apply(self, table: Table) -> None:
        table.naval_battle = None

    def tell(self, names: Names) -> str:
        remainder = (
            f"the attacker has {_galleys(len(self.attacking))} left, the defender {_galleys(len(self.defending))}"
        )
        return f"The naval battle in {names(self.sea)} is over: {remainder}."


class LeadersFishedOut(Event, frozen=True):
    """Leaders of sunk galleys were saved: no enemy galley was left (CC-NAV-16), or their owner had another (CC-NAV-14).

    Attributes:
        owner: the player who places them.
        galleys: the owner's galleys that can take them aboard (CC-NAV-14); none when they come ashore.
    """

    rules = ("CC-NAV-16",)
    places = (("sea", "at"),)

    owner: Seat
    leaders: tuple[LeaderId, ...]
    sea: AreaId
    galleys: tuple[GalleyId, ...] = ()

    def apply(self, table: Table) -> None:
        table.rescues.append(Rescue(self.owner, self.leaders, self.sea, self.galleys))

    def tell(self, names: Names) -> str:
        return f"{names.all(self.leaders)} escaped from the sunk galleys."


class LeadersRescued(Event, frozen=True):
    """Leaders of sunk galleys came aboard another galley (CC-NAV-14) or ashore (CC-NAV-16).

    Attributes:
        galley: the galley that took them aboard; null when they came ashore.
        at: the province where they came ashore.
    """

    rules = ("CC-NAV-14", "CC-NAV-16")
    places = (("at", "at"),)

    leaders: tuple[LeaderId, ...]
    galley: GalleyId | None = None
    at: AreaId | None = None
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        for leader in self.leaders:
            table.change_leader(leader, at=self.at, aboard=self.galley)
        rescue = table.rescues[0]
        rest = tuple(leader for leader in rescue.leaders if leader not in self.leaders)
        table.rescues[:1] = [replace(rescue, leaders=rest)] if rest else []

    def tell(self, names: Names) -> str:
        return f"{names.all(self.leaders)} reached {names(self.galley or self.at or '')}."


def _galleys(count: int) -> str:
    return f"{count} galley{'s' * (count != 1)}"


# --- the course of a battle ---


def begin(draft: Draft[Table], plan: NavalPlan) -> None:
    """Begin a declared battle: the galleys assigned to it fight the opponent's whole fleet (CC-NAV-20)."""
    table = draft.table
    defending = tuple(sorted(table.galleys_at(plan.sea, plan.opponent)))
    draft.emit(NavalBattleBegan(plan.sea, table.acting, tuple(sorted(plan.galleys)), plan.opponent, defending))


def attacker_rolls(draft: Draft[Table]) -> None:
    """Roll for the attacker's galleys (CC-NAV-04)."""
    battle = naval_battle_of(draft.table)
    _roll(draft, battle, battle.attacker, battle.defender)


def defender_rolls(draft: Draft[Table]) -> None:
    """Roll for the defender's galleys, those that are hit included (CC-NAV-08)."""
    battle = naval_battle_of(draft.table)
    _roll(draft, battle, battle.defender, battle.attacker)


def mark_sunk(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the owner which galleys sink, unless all of the fleet do."""
    battle = naval_battle_of(table)
    fleet = _fleet_to_mark(battle)
    if fleet.hits == len(fleet.galleys):
        return lambda draft: draft.emit(GalleysMarked(fleet.seat, fleet.galleys, automatic=True))
    return [
        Decision(
            kind="mark-sunk",
            seats=(fleet.seat,),
            rule=RuleId("CC-NAV-10"),
            title=f"Which {'' if fleet.hits == 1 else f'{fleet.hits} '}of your {len(fleet.galleys)} galleys"
            f" in {table.names(battle.sea)} {'sinks' if fleet.hits == 1 else 'sink'}?",
            depends="The naval battle goes on when they are chosen.",
            about={"sea": battle.sea, "cycle": battle.cycle, "hits": fleet.hits, "galleys": fleet.galleys},
        )
    ]


def most_hits(table: Table, fleet: Fleet, enemy: Fleet) -> int:
    """Return how many hits a fleet can make: at most one for each enemy galley (CC-NAV-10)."""
    limit = len(fleet.galleys) if table.edition.naval_hits_are_matched else len(enemy.galleys)  # CC-NAV-06
    return min(len(enemy.galleys), limit)


def _roll(draft: Draft[Table], battle: NavalBattle, fleet: Fleet, enemy: Fleet) -> None:
    draw, faces = dice.roll(draft, DICE_PER_GALLEY * len(fleet.galleys))
    hits = min(faces.count("galley"), most_hits(draft.table, fleet, enemy))
    draft.emit(GalleysRolled(fleet.seat, battle.cycle, draw, faces, hits))


def end_cycle(draft: Draft[Table]) -> None:
    """Sink the marked galleys of both sides at once (CC-NAV-08), defeat or save leaders, and go on or end."""
    table, battle = draft.table, naval_battle_of(draft.table)
    # The defender's leaders come first: if a Caesar sank on both sides, the attacker, who rolled first, is the captor.
    overboard = [(fleet, _sink(draft, fleet)) for fleet in (battle.defender, battle.attacker) if fleet.hit]
    after = naval_battle_of(table)
    over = battle.cycle == CYCLES or not after.attacker.galleys or not after.defender.galleys
    if over:
        _end(draft, after)
    for fleet, leaders in overboard:
        if leaders:
            _decide_fate(draft, after, fleet.seat, leaders)
    if over:
        return
    if _afloat(table, after, after.attacker.seat) and _afloat(table, after, after.defender.seat):
        draft.emit(NavalCycleBegan(battle.cycle + 1))
    else:
        _end(draft, after)  # One took over the other's empire: the galleys now serve one owner (CC-CAP-24).


def _sink(draft: Draft[Table], fleet: Fleet) -> tuple[str, ...]:
    """Sink the marked galleys of a fleet; return the leaders that were aboard."""
    table = draft.table
    units = sum((table.galleys[galley].cargo for galley in fleet.hit), NO_UNITS)
    leaders = tuple(sorted(name for name, leader in table.leaders.items() if leader.aboard in fleet.hit))
    draft.emit(GalleysSunk(fleet.seat, fleet.hit, units, leaders))
    return leaders


def _decide_fate(draft: Draft[Table], battle: NavalBattle, seat: Seat, leaders: tuple[str, ...]) -> None:
    """Defeat the leaders of sunk galleys if the opponent has a galley left in this battle; otherwise save them.

    A leader who is safe with the fleet is saved while the owner has a galley left in the sea zone (CC-CAP-10), in this
    battle or in another part of a divided fleet (CC-NAV-19).
    """
    table = draft.table
    opponent = battle.defender.seat if seat == battle.attacker.seat else battle.attacker.seat
    if not _afloat(table, battle, opponent):
        draft.emit(LeadersFishedOut(seat, leaders, battle.sea, _afloat(table, battle, seat)))
        return
    own_galleys = tuple(sorted(table.galleys_at(battle.sea, seat)))
    saved = tuple(name for name in leaders if own_galleys and _is_safe_with_fleet(table, name))
    if saved:
        draft.emit(LeadersFishedOut(seat, saved, battle.sea, own_galleys))
    if defeated := [name for name in leaders if name not in saved]:
        capture.defeat(draft, defeated, opponent, table.edition.cite("CC-NAV-14"))


def _is_safe_with_fleet(table: Table, leader: str) -> bool:
    """Tell whether a leader of a sunk galley is defeated only when the owner's whole fleet in the sea zone has sunk."""
    is_caesar = table.leaders[leader].kind == "caesar"
    return table.generals_saved_with_fleet or (table.edition.caesar_needs_whole_fleet_sunk and is_caesar)


def _afloat(table: Table, battle: NavalBattle, seat: Seat) -> tuple[str, ...]:
    """Return the galleys of this battle that now serve `seat`."""
    galleys = (*battle.attacker.galleys, *battle.defender.galleys)
    return tuple(sorted(galley for galley in galleys if table.galleys[galley].owner == seat))


def _end(draft: Draft[Table], battle: NavalBattle) -> None:
    draft.emit(NavalBattleEnded(battle.sea, battle.attacker.galleys, battle.defender.galleys))


def _fleet_to_mark(battle: NavalBattle) -> Fleet:
    """Return the fleet that marks its losses."""
    return battle.defender if battle.step == "mark-defender" else battle.attacker


def _without(fleet: Fleet, sunk: Sequence[str]) -> Fleet:
    return Fleet(fleet.seat, tuple(galley for galley in fleet.galleys if galley not in sunk))


# --- rescue ---


def place_rescued(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the owner of rescued leaders where they go; place them where there is no choice."""
    rescue = table.rescues[0]
    destinations = _places_to_go(table, rescue)
    if len(destinations) == 1:
        return lambda draft: _place(draft, rescue, rescue.leaders, destinations[0], automatic=True)
    about = {"leaders": rescue.leaders, "sea": rescue.sea, "to": destinations}
    rule = RuleId(_rescue_rule(table, rescue))
    return [Decision("place-rescued", (rescue.owner,), rule, "Where do your rescued leaders go?", about=about)]


def _places_to_go(table: Table, rescue: Rescue) -> Sequence[str]:
    """Return the ids of the places where rescued leaders may go: galleys (CC-NAV-14) or provinces (CC-NAV-16)."""
    if rescue.galleys:
        return rescue.galleys
    if table.controls_home(rescue.owner):
        return [table.home(rescue.owner)]
    own = [area for area in table.map.lands if table.provinces[area].owner == rescue.owner]
    return own or sorted({land for land, _ in table.map.coasts_on(rescue.sea)})


def _place(draft: Draft[Table], rescue: Rescue, leaders: tuple[str, ...], to: str, *, automatic: bool = False) -> None:
    if rescue.galleys:
        draft.emit(LeadersRescued(leaders, galley=to, automatic=automatic))
    else:
        draft.emit(LeadersRescued(leaders, at=AreaId(to), automatic=automatic))


# --- what players choose ---


class MarkSunk(Command, frozen=True):
    """Choose which of your galleys sink, one for each hit (CC-NAV-10).

    Attributes:
        galleys: those that sink.
    """

    rules = ("CC-NAV-10",)
    answers = frozenset({"mark-sunk"})
    gesture = Gesture(pieces=("galleys",), control="division")

    galleys: tuple[GalleyId, ...]

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        fleet = _fleet_to_mark(naval_battle_of(draft.table))
        galleys = set(self.galleys)
        if len(galleys) != fleet.hits or len(self.galleys) != fleet.hits or not galleys <= set(fleet.galleys):
            raise Refusal(
                "CC-NAV-10",
                f"You chose {', '.join(self.galleys) or 'no galley'}.",
                f"Choose {fleet.hits} of {', '.join(fleet.galleys)}.",
            )
        draft.emit(GalleysMarked(seat, tuple(galley for galley in fleet.galleys if galley in galleys)))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        fleet = _fleet_to_mark(naval_battle_of(table))
        fields = {"galleys": schema.subset(fleet.galleys, fleet.hits, fleet.hits)}
        title = "Choose the galley that sinks" if fleet.hits == 1 else f"Choose {fleet.hits} galleys that sink"
        yield cls.option(title, fields)


class PlaceRescued(Command, frozen=True):
    """Place some or all rescued leaders in one place (CC-NAV-16).

    Attributes:
        to: one of the galleys that can take them aboard, or a province.
    """

    rules = ("CC-NAV-16",)
    answers = frozenset({"place-rescued"})
    gesture = Gesture(to="to", pieces=("leaders",))

    leaders: tuple[LeaderId, ...]
    to: str

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        rescue = table.rescues[0]
        leaders = set(self.leaders)
        if not leaders or len(leaders) < len(self.leaders) or not leaders <= set(rescue.leaders):
            raise Refusal(
                _rescue_rule(table, rescue),
                f"You chose {', '.join(self.leaders) or 'nobody'}.",
                f"Choose from your rescued leaders, each once: {', '.join(rescue.leaders)}.",
            )
        destinations = _places_to_go(table, rescue)
        if self.to not in destinations:
            wrong = f"Your rescued leaders cannot go to {self.to}."
            raise Refusal(_rescue_rule(table, rescue), wrong, f"Expected one of {', '.join(destinations)}.")
        _place(draft, rescue, tuple(name for name in rescue.leaders if name in leaders), self.to)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        rescue = table.rescues[0]
        fields = {"leaders": schema.subset(rescue.leaders, 1), "to": schema.one_of(_places_to_go(table, rescue))}
        places = {galley: table.galleys[galley].at for galley in rescue.galleys}
        yield cls.option("Place rescued leaders", fields, rule=_rescue_rule(table, rescue), places=places)


def _rescue_rule(table: Table, rescue: Rescue) -> str:
    return table.edition.cite("CC-NAV-14") if rescue.galleys else "CC-NAV-16"


EVENTS = (
    NavalBattleBegan,
    GalleysRolled,
    GalleysMarked,
    GalleysSunk,
    NavalCycleBegan,
    NavalBattleEnded,
    LeadersFishedOut,
    LeadersRescued,
)
COMMANDS = (MarkSunk, PlaceRescued)
