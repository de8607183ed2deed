"""Reinforcements: when they arrive, where they stand, and when leaders come and go (chapter RNF)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from msgspec.structs import replace

from domain.italia.box.pieces import FLEET, KINDS, Army, FleetId, LeaderId, NationId, Units, amount_of, fits
from domain.italia.box.state import Arriving, Leaving
from domain.italia.box.table import Command, Event, Table, turn_of
from domain.italia.turn.rooms import areas_for, entry_of, fleets_for, land_for, rooms, seas_for
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
        arriving: those of each entry of a card; counters limit them only when they are placed (IT-RNF-02).
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
        for arriving in self.arriving:
            coming.setdefault(arriving.nation, []).append(_arrivals_in_words(arriving.units, arriving.leaders, names))
        lists = [f"{', '.join(parts)} for the {names(nation)}" for nation, parts in coming.items()]
        return f"Reinforcements are due: {'; '.join(lists)}."


class AreaChosen(Event, frozen=True):
    """The area where reinforcements arrive was chosen; units of others there must retreat first (IT-RNF-17).

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
        fleets: how many new fleets.
        leaders: the leaders; those who were on the board already were moved there (IT-RNF-15).
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
        arriving = table.arriving[0]
        placed: Mapping[str, int] = {**self.units, FLEET: self.fleets}
        units = {kind: rest for kind, number in arriving.units.items() if (rest := number - placed.get(kind, 0))}
        at, fleets = arriving.at, arriving.fleets
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
        leaders = tuple(leader for leader in arriving.leaders if leader not in self.leaders)
        table.arriving[:1] = (
            [replace(arriving, units=units, leaders=leaders, at=at, fleets=fleets)] if units or leaders else []
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
        lost: how many units of each type did not arrive.
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
    returning = {name for entry in card.arrivals if entry.round == table.round for name in entry.leaders}
    for name, arrival in table.nations[nation].came.items():
        until = table.cards.leader_of[name][1].stays_until or arrival + 1
        if table.round >= until and name not in returning:
            yield name


def dismiss(table: Table) -> Consequence[Table] | None:
    """Take the leaders off the board whose time is over; None when there are none."""
    nation = turn_of(table).nation
    leaders = tuple(dismissed(table, nation))
    return (lambda draft: draft.emit(LeadersDismissed(nation, leaders))) if leaders else None


# --- when they arrive ---


def in_turn(table: Table) -> Consequence[Table] | None:
    """Announce the reinforcements of the active nation (IT-PLC-01); None when none come, or all are announced."""
    if table.announced:
        return None
    nation = turn_of(table).nation
    coming = _coming(table, (nation,), "placement")
    return (lambda draft: draft.emit(ReinforcementsAnnounced(coming))) if coming else None


def out_of_turn(table: Table, when: When) -> Consequence[Table] | None:
    """Announce those at the start or the end of a round (IT-RNF-07); None when none come, or all are announced."""
    if table.announced:
        return None
    coming = _coming(table, tuple(table.nations), when)
    return (lambda draft: draft.emit(ReinforcementsAnnounced(coming))) if coming else None


def at_the_end(table: Table) -> Consequence[Table] | None:
    """Announce reinforcements at the end of the round, before the next one begins (IT-SEQ-09)."""
    return out_of_turn(table, "round-end")


def _coming(table: Table, nations: Iterable[NationId], when: When) -> tuple[Arriving, ...]:
    """Return the reinforcements that the cards bring now; of top-ups, as many units as are missing (IT-RNF-08).

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
        units: how many land units of each type. Leave out all but `to` when you first choose the area (IT-RNF-17).
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
        table, arriving = draft.table, draft.table.arriving[0]
        if self.nation != arriving.nation:
            wrong = f"The {table.names(self.nation)} have no reinforcements to place now."
            raise Refusal("IT-RNF-01", wrong, f"It is the turn of the {table.names(arriving.nation)} to place theirs.")
        if choice := _to_be_chosen(table, arriving):
            self._choose(draft, arriving, choice)
            return
        placed = _arrivals_in_words({**self.units, FLEET: self.fleets}, self.leaders, table.names)
        wrong = f"You cannot place {placed} in {table.names(self.to)}."
        if self.fleets:
            come, seas = arriving.units.get(FLEET, 0), seas_for(table, arriving)
            number = _available(table, arriving).get(FLEET, 0) if table.rules.counters_limit_fleets else come
            if self.units or self.leaders or self.to not in seas or self.fleets > number:
                fleets = f"Place up to {amount_of(FLEET, number)} and nothing else, in one of these: "
                allowed = f"{fleets}{table.names.all(seas)}." if number else "No fleets are left to place."
                short = self.to in seas and number < self.fleets <= come
                raise Refusal("IT-RNF-02" if short else "IT-RNF-01", wrong, allowed)
        else:
            self._check(table, arriving, wrong)
        units: Units = {kind: self.units[kind] for kind in KINDS if self.units.get(kind)}
        draft.emit(ReinforcementsPlaced(arriving.nation, self.to, units, self.fleets, tuple(sorted(self.leaders))))

    def _choose(self, draft: Draft[Table], arriving: Arriving, areas: list[AreaId]) -> None:
        if self.to not in areas or self.units or self.fleets or self.leaders:
            wrong = f"You cannot arrive in {draft.table.names(self.to)} yet."
            rule = "IT-RNF-17" if self.to in areas else "IT-RNF-01"
            raise Refusal(rule, wrong, f"First name one of these areas, without units: {draft.table.names.all(areas)}.")
        draft.emit(_choice_of_area(draft.table, arriving, AreaId(self.to)))

    def _check(self, table: Table, arriving: Arriving, wrong: str) -> None:
        room_at = rooms(table, arriving)
        if self.to not in room_at:
            raise Refusal(self._barred_by(table, arriving), wrong, f"They can be placed in {table.names.all(room_at)}.")
        most = _available(table, arriving)
        number = sum(self.units.values())
        is_right = {*self.leaders} <= {*arriving.leaders} and len({*self.leaders}) == len(self.leaders)
        if any(kind not in most or count > most[kind] for kind, count in self.units.items()) or not is_right:
            is_on_card = is_right and all(number <= arriving.units.get(kind, 0) for kind, number in self.units.items())
            rule_of_entry = "IT-RNF-08" if entry_of(table, arriving).up_to else "IT-RNF-01"
            rule = "IT-RNF-02" if is_on_card else rule_of_entry
            raise Refusal(
                rule, wrong, f"You still have to place {_arrivals_in_words(most, arriving.leaders, table.names)}."
            )
        if not number and not self.leaders:
            raise Refusal("IT-RNF-01", wrong, "Name at least one unit or leader.")
        if not fits(self.units, room_at[self.to]):
            raise Refusal("IT-RNF-01", wrong, f"There is room for {amount_of('unit', room_at[self.to])}.")
        if _leader_first(table, arriving) and not self.leaders:
            rule = "IT-RNF-05" if entry_of(table, arriving).spread == "among-leaders" else "IT-RNF-04"
            raise Refusal(rule, wrong, "Place the leaders first: the units stand with them.")

    def _barred_by(self, table: Table, arriving: Arriving) -> str:
        """Return the rule that keeps pieces from `to`: about the place, or else about how the units are spread."""
        entry = entry_of(table, arriving)
        if self.to in table.map.seas and entry.aboard == "no":
            return "IT-PLC-06"
        may = self.to in land_for(table, arriving) or fleets_for(table, arriving).get(self.to)
        if not may and entry.up_to:
            return "IT-RNF-09"
        if arriving.leaders or not may:
            return "IT-RNF-01"
        return {"with-leader": "IT-RNF-04", "among-leaders": "IT-RNF-05"}.get(entry.spread, "IT-I1-32")

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        arriving = table.arriving[0]
        nation = schema.const(arriving.nation)
        if areas := _to_be_chosen(table, arriving):
            yield cls.option("Choose where they arrive", {"nation": nation, "to": schema.one_of(areas)})
            return
        most = _available(table, arriving)
        if fleets := most.pop(FLEET, 0):
            yield cls.option(
                "Place fleets",
                {"nation": nation, "to": schema.one_of(seas_for(table, arriving)), "fleets": schema.count(1, fleets)},
            )
        by_room: dict[int, list[str]] = {}
        for to, room in rooms(table, arriving).items():
            by_room.setdefault(min(room, sum(most.values())), []).append(to)
        needs_leader = _leader_first(table, arriving)
        for room, places in by_room.items():
            to = {"nation": nation, "to": schema.one_of(places)}
            at = table.fleet_places(places)
            counts = {kind: schema.count(0, min(number, room)) for kind, number in most.items() if min(number, room)}
            units = schema.record(counts, counts, x_sum={"minimum": 0, "maximum": room})
            if arriving.leaders:
                leaders = schema.subset(arriving.leaders, 1)
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
        arriving = draft.table.arriving[0]
        wrong, names = "You cannot take fewer units than arrive.", draft.table.names
        if self.nation != arriving.nation:
            raise Refusal("IT-RNF-01", wrong, f"It is the turn of the {names(arriving.nation)} to place theirs.")
        if not entry_of(draft.table, arriving).up_to:
            raise Refusal("IT-RNF-02", wrong, f"The {names(arriving.nation)} must place all that they get.")
        draft.emit(ArrivalEnded(arriving.nation, arriving.units))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        arriving = table.arriving[0]
        if entry_of(table, arriving).up_to:
            yield cls.option("Take no more units", {"nation": schema.const(arriving.nation)})


def _available(table: Table, arriving: Arriving) -> dict[str, int]:
    """Return how many of each type have a counter; fleets only if a sea area is open to them (IT-RNF-02)."""
    supply = table.supply(arriving.nation)
    if FLEET in arriving.units and not seas_for(table, arriving):
        supply[FLEET] = 0
    most = {kind: min(number, supply.get(kind, 0)) for kind, number in arriving.units.items()}
    return {kind: number for kind, number in most.items() if number > 0}


def _leader_first(table: Table, arriving: Arriving) -> bool:
    """Tell whether units wait for the area that their leader chooses (IT-RNF-04, IT-RNF-05)."""
    return bool(arriving.leaders) and entry_of(table, arriving).spread != "freely"


def _to_be_chosen(table: Table, arriving: Arriving) -> list[AreaId]:
    """Return the areas of which one must be chosen first, because its occupants leave (IT-RNF-17); else none."""
    return areas_for(table, arriving) if entry_of(table, arriving).evicts and arriving.chosen is None else []


def _choice_of_area(table: Table, arriving: Arriving, area: AreaId) -> AreaChosen:
    leaving = tuple(
        Leaving(other, area, table.army(area, other), "arrival")
        for other in table.nations_at(area)
        if other != arriving.nation
    )
    return AreaChosen(arriving.nation, area, leaving)


def place(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask where reinforcements stand; without a choice they are placed, and what cannot be placed is lost."""
    arriving = table.arriving[0]
    if areas := _to_be_chosen(table, arriving):
        if len(areas) == 1:
            return lambda draft: draft.emit(_choice_of_area(table, arriving, areas[0]))
    elif (happens := _without_choice(table, arriving)) is not None:
        return lambda draft: draft.emit(happens)
    names = table.names
    coming = _arrivals_in_words(_available(table, arriving), arriving.leaders, names)
    return [
        Decision(
            "arrive",
            (table.seat_of(arriving.nation),),
            RuleId("IT-RNF-01"),
            f"Reinforcements of the {names(arriving.nation)}: where do you place {coming}?",
            "Those who cannot be placed are lost.",
            {"nation": arriving.nation, "units": arriving.units, "leaders": arriving.leaders},
        )
    ]


def _without_choice(table: Table, arriving: Arriving) -> ReinforcementsPlaced | ArrivalEnded | None:
    """Return what happens without a choice: one place for all, or none (IT-RNF-02, IT-RNF-15). None with a choice."""
    most = _available(table, arriving)
    fleets = most.pop(FLEET, 0)
    seas, room_at = seas_for(table, arriving) if fleets else [], rooms(table, arriving)
    if fleets and len(seas) == 1:
        return ReinforcementsPlaced(arriving.nation, seas[0], {}, fleets, automatic=True)
    number = sum(most.values())
    if not (fleets and seas) and (not room_at or (not most and not arriving.leaders)):
        eliminated = tuple(leader for leader in arriving.leaders if table.leader_at(leader) is not None)
        return ArrivalEnded(arriving.nation, arriving.units, eliminated)
    if not fleets and len(room_at) == 1:
        ((to, room),) = room_at.items()
        if number <= room and not entry_of(table, arriving).up_to:
            units: Units = {kind: most[kind] for kind in KINDS if kind in most}
            return ReinforcementsPlaced(arriving.nation, to, units, 0, arriving.leaders, automatic=True)
    return None


EVENTS = (LeadersDismissed, ReinforcementsAnnounced, AreaChosen, ReinforcementsPlaced, ArrivalEnded)
COMMANDS = (Arrive, EndArrival)
