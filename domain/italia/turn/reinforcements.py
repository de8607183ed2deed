"""Reinforcements: when they arrive, where they stand, and when leaders come and go (chapter RNF)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from msgspec.structs import replace

from domain.italia.box.pieces import FLEET, KINDS, Army, FleetId, LeaderId, NationId, Units, amount_of, fits
from domain.italia.box.state import Arriving, Leaving
from domain.italia.box.table import Command, Event, Table, turn_of
from domain.italia.turn.rooms import aboard, areas_for, entry_of, land_for, rooms, seas_for
from domain.italia.turn.sequence import begin_stage
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Count, Names, enumerated
from domain.kernel.rules.refusal import Refusal

When = Literal["placement", "round-start", "round-end"]


# --- what happens ---


class LeadersDismissed(Event, frozen=True):
    """Leaders left the board at the end of their time (IT-RNF-12); nobody scores for that."""

    rules = ("IT-RNF-12", "IT-RNF-13", "IT-I1-23")

    nation: NationId
    leaders: tuple[LeaderId, ...]

    def apply(self, table: Table) -> None:
        if table.turn is not None:
            begin_stage(table, "leaders-leave")
        table.remove_leaders(self.nation, self.leaders, fallen=False)

    def tell(self, names: Names) -> str:
        return f"{names.all(self.leaders)} of the {names(self.nation)} left the board at the end of their time."


class ReinforcementsAnnounced(Event, frozen=True):
    """Reinforcements of cards are about to be placed (IT-RNF-01, IT-RNF-07).

    Attributes:
        arriving: those of each entry, within the counters that are left when they are placed (IT-RNF-02).
    """

    rules = ("IT-RNF-01", "IT-RNF-02", "IT-RNF-07", "IT-RNF-08", "IT-RNF-14", "IT-RNF-16")

    arriving: tuple[Arriving, ...]

    def apply(self, table: Table) -> None:
        if table.turn is not None:
            begin_stage(table, "arrivals")
        table.arriving.extend(self.arriving)
        table.announced = True

    def tell(self, names: Names) -> str:
        coming: dict[NationId, list[str]] = {}
        for one in self.arriving:
            coming.setdefault(one.nation, []).append(_arrivals_in_words(one.units, one.leaders, names))
        each = [f"{', '.join(parts)} for the {names(nation)}" for nation, parts in coming.items()]
        return f"Reinforcements are due: {'; '.join(each)}."


class AreaChosen(Event, frozen=True):
    """It was chosen where reinforcements arrive; the units of others there must retreat first (IT-RNF-17).

    Attributes:
        leaving: the units that must leave.
    """

    rules = ("IT-RNF-17", "IT-I2-13", "IT-I1-30")

    nation: NationId
    area: AreaId
    leaving: tuple[Leaving, ...]

    def apply(self, table: Table) -> None:
        table.arriving[0] = replace(table.arriving[0], chosen=self.area)
        table.leaving.extend(self.leaving)

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} will arrive in {names(self.area)}: all others must leave it."


class ReinforcementsPlaced(Event, frozen=True):
    """Reinforcements were placed in an area, in a sea area or aboard a fleet (IT-RNF-01).

    Attributes:
        to: the area, the sea area, or the fleet.
        units: how many of each type.
        fleets: new fleets.
        leaders: leaders; those who were on the board already were moved there (IT-RNF-15).
    """

    rules = ("IT-RNF-01", "IT-RNF-03", "IT-RNF-04", "IT-RNF-05", "IT-RNF-09", "IT-RNF-11", "IT-RNF-15", "IT-I2-12")
    places = (("to", "at"),)

    nation: NationId
    to: str
    units: Units
    fleets: Count = 0
    leaders: tuple[LeaderId, ...] = ()
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.remove_leaders(self.nation, self.leaders, fallen=False)
        army = Army(self.units, self.leaders)
        one = table.arriving[0]
        placed: Mapping[str, int] = {**self.units, FLEET: self.fleets}
        units = {kind: rest for kind, number in one.units.items() if (rest := number - placed.get(kind, 0))}
        at, fleets = one.at, one.fleets
        if self.to in table.fleets:
            table.load(FleetId(self.to), army)
        elif self.fleets:
            fleets = (*fleets, *table.add_fleets(self.nation, AreaId(self.to), self.fleets))
        else:
            area, turn = AreaId(self.to), table.turn
            table.add(area, self.nation, army)
            at = {**at, area: at.get(area, 0) + army.size}
            if turn is not None and turn.nation == self.nation:
                table.turn = replace(turn, arrived=tuple(dict.fromkeys((*turn.arrived, area))))
            else:
                table.hold(area, self.nation)
        leaders = tuple(leader for leader in one.leaders if leader not in self.leaders)
        table.arriving[:1] = (
            [replace(one, units=units, leaders=leaders, at=at, fleets=fleets)] if units or leaders else []
        )
        if self.leaders:
            arrivals = {**table.nations[self.nation].came, **dict.fromkeys(self.leaders, table.round)}
            table.change(self.nation, came=arrivals)

    def tell(self, names: Names) -> str:
        units: dict[str, int] = {**self.units, FLEET: self.fleets} if self.fleets else {**self.units}
        where = "aboard" if "-fleet-" in self.to else "in"
        arrivals = _arrivals_in_words(units, self.leaders, names)
        return f"{arrivals} of the {names(self.nation)} arrived {where} {names(self.to)}."


class ArrivalEnded(Event, frozen=True):
    """The rest of some reinforcements could not be placed (IT-RNF-02), or was not wanted (IT-RNF-10).

    Attributes:
        lost: what did not arrive, by type.
        eliminated: leaders who were on the board and had nowhere to go (IT-RNF-15).
    """

    rules = ("IT-RNF-02", "IT-RNF-10", "IT-RNF-15")

    nation: NationId
    lost: dict[str, Count]
    eliminated: tuple[LeaderId, ...] = ()

    def apply(self, table: Table) -> None:
        del table.arriving[0]
        if self.eliminated:
            table.remove_leaders(self.nation, self.eliminated, fallen=True)

    def tell(self, names: Names) -> str:
        return f"{_arrivals_in_words(self.lost, self.eliminated, names)} of the {names(self.nation)} did not arrive."


def _arrivals_in_words(units: Mapping[str, int], leaders: Iterable[LeaderId], names: Names) -> str:
    parts = [names(leader) for leader in leaders]
    parts += [amount_of(kind, units[kind]) for kind in (*KINDS, FLEET) if units.get(kind)]
    return enumerated(parts) or "nobody"


# --- leaders who leave ---


def dismissed(table: Table, nation: NationId) -> Iterator[LeaderId]:
    """Yield the leaders who leave in phase 2 of the nation's turn (IT-RNF-12, IT-RNF-13, IT-RNF-15)."""
    card = table.cards.nations[nation]
    again = {name for entry in card.arrivals if entry.round == table.round for name in entry.leaders}
    for name, arrival in table.nations[nation].came.items():
        until = table.cards.leader_of[name][1].stays_until or arrival + 1
        if table.round >= until and name not in again:
            yield name


def dismiss(table: Table) -> Consequence[Table] | None:
    """Take the leaders off the board whose time is over."""
    nation = turn_of(table).nation
    leaders = tuple(dismissed(table, nation))
    return (lambda draft: draft.emit(LeadersDismissed(nation, leaders))) if leaders else None


# --- when they arrive ---


def in_turn(table: Table) -> Consequence[Table] | None:
    """Announce the reinforcements of the active nation, before its movement begins (IT-PLC-01)."""
    if table.announced:
        return None
    nation = turn_of(table).nation
    coming = _coming(table, (nation,), "placement")
    return (lambda draft: draft.emit(ReinforcementsAnnounced(coming))) if coming else None


def out_of_turn(table: Table, when: When) -> Consequence[Table] | None:
    """Announce the reinforcements at the start or the end of a round (IT-RNF-07); None when they have been placed."""
    if table.announced:
        return None
    coming = _coming(table, tuple(table.nations), when)
    return (lambda draft: draft.emit(ReinforcementsAnnounced(coming))) if coming else None


def at_the_end(table: Table) -> Consequence[Table] | None:
    """Announce reinforcements at the end of the round, before the next one begins (IT-SEQ-09)."""
    return out_of_turn(table, "round-end")


def _coming(table: Table, nations: Iterable[NationId], when: When) -> tuple[Arriving, ...]:
    """Return what the cards bring now, with the top-ups counted (IT-RNF-08) and what the dead would have led left out.

    A leader who was eliminated does not come, nor do those who should come with him (IT-RNF-14, IT-RNF-16). In a civil
    war everything comes at the start of the round (IT-I1-26).
    """
    moments = {when, "placement"} if table.is_civil_war else {when}
    coming: list[Arriving] = []
    for nation in nations:
        standing, there = table.nations[nation], table.on_board(nation)
        for number, entry in enumerate(table.cards.nations[nation].arrivals):
            if standing.over or entry.round != table.round or entry.when not in moments:
                continue
            leaders = tuple(leader for leader in entry.leaders if leader not in standing.fallen)
            if entry.leaders and not leaders and not entry.without_leader:
                continue
            units: dict[str, int] = {**entry.units}
            for kind, most in entry.up_to.items():
                units[kind] = max(0, most - there.get(kind, 0))
            units = {kind: count for kind, count in sorted(units.items()) if count}
            if units or leaders:
                coming.append(Arriving(nation, number, units, leaders))
    return tuple(coming)


# --- placing ---


class Arrive(Command, frozen=True):
    """Place reinforcements of a nation (IT-RNF-01).

    Attributes:
        to: the area, the sea area for fleets, or the fleet.
        units: how many land units of each type; left out where all come together.
        fleets: how many fleets.
        leaders: the leaders.
    """

    rules = ("IT-RNF-01", "IT-RNF-03", "IT-RNF-04", "IT-RNF-05", "IT-RNF-09", "IT-RNF-11", "IT-I1-32", "IT-I2-12")
    answers = frozenset({"arrive"})
    gesture = Gesture(to="to", pieces=("leaders",), counts=("units", "fleets"))

    nation: NationId
    to: str
    units: Units = {}  # noqa: RUF012 - msgspec copies it, and leaves it out of the log when it is empty
    fleets: Count = 0
    leaders: tuple[LeaderId, ...] = ()

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, one = draft.table, draft.table.arriving[0]
        if self.nation != one.nation:
            wrong = f"The {table.names(self.nation)} have no reinforcements to place now."
            raise Refusal("IT-RNF-01", wrong, f"It is the turn of the {table.names(one.nation)} to place theirs.")
        if choice := _to_be_chosen(table, one):
            self._choose(draft, one, choice)
            return
        placed = _arrivals_in_words({**self.units, FLEET: self.fleets}, self.leaders, table.names)
        wrong = f"You cannot place {placed} in {table.names(self.to)}."
        if self.fleets:
            come, seas = one.units.get(FLEET, 0), seas_for(table, one)
            number = _available(table, one).get(FLEET, 0) if table.rules.counters_limit_fleets else come
            if self.units or self.leaders or self.to not in seas or self.fleets > number:
                fleets = f"Place up to {amount_of(FLEET, number)} and nothing else, in one of these: "
                allowed = f"{fleets}{table.names.all(seas)}." if number else "No fleets are left to place."
                short = self.to in seas and number < self.fleets <= come
                raise Refusal("IT-RNF-02" if short else "IT-RNF-01", wrong, allowed)
        else:
            self._check(table, one, wrong)
        units: Units = {kind: self.units[kind] for kind in KINDS if self.units.get(kind)}
        draft.emit(ReinforcementsPlaced(one.nation, self.to, units, self.fleets, tuple(sorted(self.leaders))))

    def _choose(self, draft: Draft[Table], one: Arriving, areas: list[AreaId]) -> None:
        if self.to not in areas or self.units or self.fleets or self.leaders:
            wrong = f"You cannot arrive in {draft.table.names(self.to)} yet."
            rule = "IT-RNF-17" if self.to in areas else "IT-RNF-01"
            raise Refusal(rule, wrong, f"First name one of these areas, without units: {draft.table.names.all(areas)}.")
        draft.emit(_choice_of_area(draft.table, one, AreaId(self.to)))

    def _check(self, table: Table, one: Arriving, wrong: str) -> None:
        where = rooms(table, one)
        if self.to not in where:
            raise Refusal(self._barred_by(table, one), wrong, f"They can be placed in {table.names.all(where)}.")
        most = _available(table, one)
        number = sum(self.units.values())
        is_right = {*self.leaders} <= {*one.leaders} and len({*self.leaders}) == len(self.leaders)
        if any(kind not in most or count > most[kind] for kind, count in self.units.items()) or not is_right:
            comes = is_right and all(number <= one.units.get(kind, 0) for kind, number in self.units.items())
            rule_of_entry = "IT-RNF-08" if entry_of(table, one).up_to else "IT-RNF-01"
            rule = "IT-RNF-02" if comes else rule_of_entry
            raise Refusal(rule, wrong, f"You still have to place {_arrivals_in_words(most, one.leaders, table.names)}.")
        if not number and not self.leaders:
            raise Refusal("IT-RNF-01", wrong, "Name at least one unit or leader.")
        if not fits(self.units, where[self.to]):
            raise Refusal("IT-RNF-01", wrong, f"There is room for {amount_of('unit', where[self.to])}.")
        if _leader_first(table, one) and not self.leaders:
            rule = "IT-RNF-05" if entry_of(table, one).spread == "among-leaders" else "IT-RNF-04"
            raise Refusal(rule, wrong, "Place the leaders first: the units stand with them.")

    def _barred_by(self, table: Table, one: Arriving) -> str:
        """Return the rule that keeps units from a place: that of their leaders where the card would allow it."""
        entry = entry_of(table, one)
        if self.to in table.map.seas and entry.aboard == "no":
            return "IT-PLC-06"
        may = self.to in land_for(table, one) or aboard(table, one).get(self.to)
        if not may and entry.up_to:
            return "IT-RNF-09"
        if one.leaders or not may:
            return "IT-RNF-01"
        return {"with-leader": "IT-RNF-04", "among-leaders": "IT-RNF-05"}.get(entry.spread, "IT-I1-32")

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        one = table.arriving[0]
        nation = schema.const(one.nation)
        if areas := _to_be_chosen(table, one):
            yield cls.option("Choose where they arrive", {"nation": nation, "to": schema.one_of(areas)})
            return
        most = _available(table, one)
        if fleets := most.pop(FLEET, 0):
            yield cls.option(
                "Place fleets",
                {"nation": nation, "to": schema.one_of(seas_for(table, one)), "fleets": schema.count(1, fleets)},
            )
        by_room: dict[int, list[str]] = {}
        for to, room in rooms(table, one).items():
            by_room.setdefault(min(room, sum(most.values())), []).append(to)
        needs_leader = _leader_first(table, one)
        for room, places in by_room.items():
            to = {"nation": nation, "to": schema.one_of(places)}
            at = table.fleet_places(places)
            counts = {kind: schema.count(0, min(number, room)) for kind, number in most.items() if min(number, room)}
            units = schema.record(counts, counts, x_sum={"minimum": 0, "maximum": room})
            if one.leaders:
                leaders = schema.subset(one.leaders, 1)
                fields = {**to, "leaders": leaders, **({"units": units} if counts else {})}
                yield cls.option("Place leaders", fields, optional=("units",), places=at)
            if counts and not needs_leader:
                some = schema.record(counts, counts, x_sum={"minimum": 1, "maximum": room})
                yield cls.option("Place units", {**to, "units": some}, places=at)


class EndArrival(Command, frozen=True):
    """Take no more of the units that your nation may get (IT-RNF-10)."""

    rules = ("IT-RNF-10", "IT-RNF-08")
    answers = frozenset({"arrive"})
    gesture = Gesture(quiet=True)

    nation: NationId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        one = draft.table.arriving[0]
        wrong, names = "You cannot take fewer units than arrive.", draft.table.names
        if self.nation != one.nation:
            raise Refusal("IT-RNF-01", wrong, f"It is the turn of the {names(one.nation)} to place theirs.")
        if not entry_of(draft.table, one).up_to:
            raise Refusal("IT-RNF-02", wrong, f"The {names(one.nation)} must place all that they get.")
        draft.emit(ArrivalEnded(one.nation, one.units))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        one = table.arriving[0]
        if entry_of(table, one).up_to:
            yield cls.option("Take no more units", {"nation": schema.const(one.nation)})


def _available(table: Table, one: Arriving) -> dict[str, int]:
    """Return what of the reinforcements there are counters for, and fleets only where there is a sea (IT-RNF-02)."""
    supply = table.supply(one.nation)
    if FLEET in one.units and not seas_for(table, one):
        supply[FLEET] = 0
    most = {kind: min(number, supply.get(kind, 0)) for kind, number in one.units.items()}
    return {kind: number for kind, number in most.items() if number > 0}


def _leader_first(table: Table, one: Arriving) -> bool:
    """Tell whether units wait for the area that their leader chooses (IT-RNF-04, IT-RNF-05)."""
    return bool(one.leaders) and entry_of(table, one).spread != "freely"


def _to_be_chosen(table: Table, one: Arriving) -> list[AreaId]:
    """Return the areas of which one must be chosen before its occupants leave (IT-RNF-17); none when that is done."""
    return areas_for(table, one) if entry_of(table, one).evicts and one.chosen is None else []


def _choice_of_area(table: Table, one: Arriving, area: AreaId) -> AreaChosen:
    leaving = tuple(
        Leaving(other, area, table.army(area, other), "arrival")
        for other in table.nations_at(area)
        if other != one.nation
    )
    return AreaChosen(one.nation, area, leaving)


def place(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask where reinforcements stand; without a choice they are placed, and what cannot be placed is lost."""
    one = table.arriving[0]
    if areas := _to_be_chosen(table, one):
        if len(areas) == 1:
            return lambda draft: draft.emit(_choice_of_area(table, one, areas[0]))
    elif (happens := _without_choice(table, one)) is not None:
        return lambda draft: draft.emit(happens)
    names = table.names
    coming = _arrivals_in_words(_available(table, one), one.leaders, names)
    return [
        Decision(
            "arrive",
            (table.seat_of(one.nation),),
            RuleId("IT-RNF-01"),
            f"Reinforcements of the {names(one.nation)}: where do you place {coming}?",
            "Those who cannot be placed are lost.",
            {"nation": one.nation, "units": one.units, "leaders": one.leaders},
        )
    ]


def _without_choice(table: Table, one: Arriving) -> ReinforcementsPlaced | ArrivalEnded | None:
    """Return what happens when there is no choice: one place for everything, or none (IT-RNF-02, IT-RNF-15)."""
    most = _available(table, one)
    fleets = most.pop(FLEET, 0)
    seas, where = seas_for(table, one) if fleets else [], rooms(table, one)
    if fleets and len(seas) == 1:
        return ReinforcementsPlaced(one.nation, seas[0], {}, fleets, automatic=True)
    number = sum(most.values())
    if not (fleets and seas) and (not where or (not most and not one.leaders)):
        eliminated = tuple(leader for leader in one.leaders if table.leader_at(leader) is not None)
        return ArrivalEnded(one.nation, one.units, eliminated)
    if not fleets and len(where) == 1:
        ((to, room),) = where.items()
        if number <= room and not entry_of(table, one).up_to:
            units: Units = {kind: most[kind] for kind in KINDS if kind in most}
            return ReinforcementsPlaced(one.nation, to, units, 0, one.leaders, automatic=True)
    return None


EVENTS = (LeadersDismissed, ReinforcementsAnnounced, AreaChosen, ReinforcementsPlaced, ArrivalEnded)
COMMANDS = (Arrive, EndArrival)
