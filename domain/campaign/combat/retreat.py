"""Retreats after a round on land, and leaders who must leave (chapter RET)."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.campaign.box.state import NO_ARMY, Army, Battle
from domain.campaign.box.table import Command, Event, Table, battle_of
from domain.campaign.combat import battle
from domain.campaign.moves import cities, movement
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Names
from domain.kernel.rules.refusal import Refusal

# --- what happens ---


class FoughtOn(Event, frozen=True):
    """A side did not retreat (CS-RET-01), or could not (CS-RET-03)."""

    rules = ("CS-RET-01", "CS-RET-03")

    seat: Seat
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        fight = battle_of(table)
        table.battle = replace(fight, announcing=fight.announcing[1:])

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} fights on."


class ArmyRetreated(Event, frozen=True):
    """A side retreated with all its land units in the province (CS-RET-02), or broke off without any (CS-RET-09).

    Attributes:
        to: the province to which they went; null when there were none.
    """

    rules = ("CS-RET-02", "CS-RET-06", "CS-RET-07", "CS-RET-09")
    places = (("province", "from"), ("to", "to"))

    seat: Seat
    province: AreaId
    to: AreaId | None
    army: Army

    def apply(self, table: Table) -> None:
        if self.to is not None:
            table.set_army(self.province, self.seat, NO_ARMY)
            table.set_army(self.to, self.seat, table.army(self.to, self.seat) + self.army)

    def tell(self, names: Names) -> str:
        if self.to is None:
            return f"{names(self.seat)} broke off the battle."
        return f"{names(self.seat)} retreated with {self.army} to {names(self.to)}."


class LeadersLeft(Event, frozen=True):
    """The beaten side's leaders left the province after a battle (CS-RET-04), or stayed there (CS-RET-05).

    Attributes:
        to: the province to which they went; null when they stayed.
    """

    rules = ("CS-RET-04", "CS-RET-05")
    places = (("province", "from"), ("to", "to"))

    seat: Seat
    province: AreaId
    to: AreaId | None
    leaders: Army
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.escape = None
        if self.to is not None:
            table.set_army(self.province, self.seat, table.army(self.province, self.seat) - self.leaders)
            table.set_army(self.to, self.seat, table.army(self.to, self.seat) + self.leaders)

    def tell(self, names: Names) -> str:
        where = f"stayed in {names(self.province)}" if self.to is None else f"left for {names(self.to)}"
        return f"{names(self.seat)}'s leaders {where}."


# --- retreats ---


def destinations(table: Table, fight: Battle, seat: Seat) -> list[AreaId]:
    """Return the provinces to which a participant may retreat (CS-RET-02, CS-RET-08)."""
    near = movement.neighbours(table, seat, fight.place)
    return [area for area in near if not table.enemies_at(area, seat)]


def _may_retreat(table: Table, fight: Battle, seat: Seat) -> bool:
    return table.army(fight.place, seat) == NO_ARMY or bool(destinations(table, fight, seat))


def _cut_off(table: Table, seat: Seat, place: AreaId) -> list[AreaId]:
    """Return the adjacent provinces behind a crossing that enemy galleys close (CS-RET-08)."""
    return [to for to in table.map.land_neighbours(place) if not movement.is_open(table, seat, place, to)]


class Retreat(Command, frozen=True):
    """Retreat with all your land units in the province to an adjacent one without enemy units (CS-RET-02).

    Attributes:
        to: the province. Leave it out if you have no land unit left there and break off the battle (CS-RET-09).
    """

    rules = ("CS-RET-02", "CS-RET-01", "CS-RET-03", "CS-RET-08", "CS-RET-09")
    answers = frozenset({"retreat"})
    gesture = Gesture(to="to")

    to: AreaId | None = None

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, fight = draft.table, battle_of(draft.table)
        army, places = table.army(fight.place, seat), destinations(table, fight, seat)
        wrong = f"You asked to retreat to {self.to}." if self.to is not None else "You asked to break off the battle."
        if army == NO_ARMY and self.to is not None:
            raise Refusal("CS-RET-09", wrong, "You have no land unit left that could go there. Leave out `to`.")
        if army != NO_ARMY and self.to is None:
            allowed = f"You have land units left, so name where they retreat to: {', '.join(places)}."
            raise Refusal("CS-RET-09", wrong, allowed)
        if army != NO_ARMY and self.to not in places:
            open_but_for_crossing = [to for to in _cut_off(table, seat, fight.place) if not table.enemies_at(to, seat)]
            rule = "CS-RET-08" if self.to in open_but_for_crossing else "CS-RET-02"
            raise Refusal(rule, wrong, f"You can retreat to {', '.join(places) or 'no province'}.")
        draft.emit(ArmyRetreated(seat, fight.place, self.to, army))
        if self.to is not None:
            cities.occupy(draft, self.to, seat)
        battle.end(draft, seat)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        fight = battle_of(table)
        if table.army(fight.place, seat) == NO_ARMY:
            yield cls.option("Break off the battle", rule="CS-RET-09")
        elif places := destinations(table, fight, seat):
            yield cls.option("Retreat", {"to": schema.one_of(places)})


class FightOn(Command, frozen=True):
    """Go on with the battle (CS-RET-01)."""

    rules = ("CS-RET-01",)
    answers = frozenset({"retreat"})
    gesture = Gesture(quiet=True, called="Fight on")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        draft.emit(FoughtOn(seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option()


def announce(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the defender, then the attacker, whether they retreat, if they can; then begin the next round."""
    fight = battle_of(table)
    if not fight.announcing:
        return lambda draft: draft.emit(battle.BattleRoundBegan(fight.round + 1))
    seat = fight.announcing[0]
    if not _may_retreat(table, fight, seat):
        return lambda draft: draft.emit(FoughtOn(seat, automatic=True))
    title = f"Do you retreat from {table.names(fight.place)}?"
    about = {"province": fight.place, "round": fight.round, "to": destinations(table, fight, seat)}
    return [Decision("retreat", (seat,), RuleId("CS-RET-01"), title, "Then the battle goes on or ends.", about)]


# --- leaders who must leave ---


class Escape(Command, frozen=True):
    """Move your leaders out of the province of a lost battle, all together, even among enemies (CS-RET-04).

    Attributes:
        to: the province. Leave it out to stay with units of yours that did not fight.
    """

    rules = ("CS-RET-04",)
    answers = frozenset({"escape"})
    gesture = Gesture(to="to")

    to: AreaId | None = None

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, escape = draft.table, draft.table.escape
        assert escape is not None, "leaders must leave"
        places = movement.neighbours(table, seat, escape.province)
        if self.to is None and not escape.may_stay:
            raise Refusal(
                "CS-RET-04", "You asked your leaders to stay.", f"They must go to one of {', '.join(places)}."
            )
        if self.to is not None and self.to not in places:
            rule = "CS-RET-08" if self.to in _cut_off(table, seat, escape.province) else "CS-RET-04"
            raise Refusal(rule, f"Your leaders cannot go to {self.to}.", f"They can go to {', '.join(places)}.")
        _leave(draft, seat, escape.province, self.to)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        assert table.escape is not None, "leaders must leave"
        yield cls.option(
            "Leave the province", {"to": schema.one_of(movement.neighbours(table, seat, table.escape.province))}
        )
        if table.escape.may_stay:
            yield cls.option("Stay")


def _leave(draft: Draft[Table], seat: Seat, area: AreaId, to: AreaId | None, *, automatic: bool = False) -> None:
    army = draft.table.army(area, seat)
    draft.emit(LeadersLeft(seat, area, to, Army(generals=army.generals, caesar=army.caesar), automatic))
    if to is not None:
        cities.occupy(draft, to, seat)


def escape(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask where the leaders go who must leave. If no way leads out of the province, they stay (CS-RET-05)."""
    leaving = table.escape
    assert leaving is not None, "leaders must leave"
    places = movement.neighbours(table, leaving.seat, leaving.province)
    if not places:
        return lambda draft: _leave(draft, leaving.seat, leaving.province, None, automatic=True)
    if len(places) == 1 and not leaving.may_stay:
        return lambda draft: _leave(draft, leaving.seat, leaving.province, places[0], automatic=True)
    title = f"Where do your leaders in {table.names(leaving.province)} go?"
    about = {"province": leaving.province, "to": places, "may_stay": leaving.may_stay}
    return [Decision("escape", (leaving.seat,), RuleId("CS-RET-04"), title, "Then the turn goes on.", about)]


EVENTS = (FoughtOn, ArmyRetreated, LeadersLeft)
COMMANDS = (Retreat, FightOn, Escape)
