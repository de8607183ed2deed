"""Movement on land: steps, road moves, where they must stop, and the end of phase 1 (chapter MOV).

The active player moves group by group and step by step: in each step leaders and units of one province go to an
adjacent one, and each piece pays one of its points (CC-MOV-05). What a group may consist of is in legion.py, what it
meets on its way in passage.py.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from domain.classic.box.pieces import Army, LeaderId
from domain.classic.box.state import Group, Journey
from domain.classic.box.table import Command, Event, Table
from domain.classic.moves import legion, passage, roads, sea
from domain.classic.moves.passage import Way
from domain.classic.turn import turn
from domain.conquest.pieces import NO_UNITS, Units
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Count, Names
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.schema import Schema

# --- what happens ---


class LegionMarched(Event, frozen=True):
    """Leaders, with or without units, stepped into an adjacent province (CC-MOV-05).

    Attributes:
        units: units that had all their points; each pays one.
        tired: cavalry that had one point left.
        riders: units without a point that continued along the road.
        road: the step followed a road; it opened the journey or continued it (CC-ROAD-05).
        rode: leaders who continued along the road and paid nothing.
        tired_rode: how many of `tired` did so.
        stopped: enemy units were there; the group cannot move any further this turn (CC-MOV-13).
        left: cavalry with a point left that ends its movement in the province that the last leader leaves (CC-ALY-08).
        by_leave_of: the players whose consent the step used.
    """

    rules = ("CC-MOV-05",)
    places = (("origin", "from"), ("to", "to"))

    seat: Seat
    origin: AreaId
    to: AreaId
    leaders: tuple[LeaderId, ...]
    units: Units = NO_UNITS
    tired: int = 0
    riders: Units = NO_UNITS
    road: bool = False
    rode: tuple[LeaderId, ...] = ()
    tired_rode: int = 0
    stopped: bool = False
    left: int = 0
    by_leave_of: tuple[Seat, ...] = ()

    def apply(self, table: Table) -> None:
        if self._with_units or self.left:
            self._leave(table)
        if self._with_units:
            self._arrive(table)
        for name in self.leaders:
            leader = table.leaders[name]
            moves = 0 if self.stopped else leader.moves - (name not in self.rode)
            table.leaders[name] = replace(leader, at=self.to, moves=moves, marched=True)
        journey = table.journey
        if self.road and not self.stopped:
            table.journey = self._journey(table)
        elif journey is not None and (self.road or self._parts_from(table, journey)):
            table.journey = None
        if table.passages:
            table.passages[:] = [
                granted
                for granted in table.passages
                if granted.refused
                or granted.origin != self.origin
                or not set(granted.group.leaders) & set(self.leaders)
            ]

    @property
    def _with_units(self) -> bool:
        return self.units != NO_UNITS or self.riders != NO_UNITS or self.tired > 0

    def _leave(self, table: Table) -> None:
        army = table.army(self.origin, self.seat)
        spent = army.spent - self.riders + Units(cavalry=self.left)
        rest = Army(army.fresh - self.units, army.tired - self.tired - self.left, spent, army.landed)
        table.set_army(self.origin, self.seat, rest)

    def _arrive(self, table: Table) -> None:
        army = table.army(self.to, self.seat)
        tired, spent = self._points_left()
        if self.stopped:
            tired, spent = 0, spent + Units(cavalry=tired)
        arrived = Army(army.fresh, army.tired + tired, army.spent + spent, army.landed)
        table.set_army(self.to, self.seat, arrived)

    def _parts_from(self, table: Table, journey: Journey) -> bool:
        """Tell whether the step, whose units have left `origin`, took leaders or cavalry off the open journey."""
        if journey.at != self.origin:
            return False
        missing = journey.tired_riders - table.army(self.origin, self.seat).tired
        return missing > 0 or not set(journey.leaders).isdisjoint(self.leaders)

    def _points_left(self) -> tuple[int, Units]:
        """Return how many of the cavalry have a point left after the step, and the units that have none."""
        units, riders = self.units, self.riders
        spent_cavalry = riders.cavalry + self.tired - self.tired_rode
        spent = Units(units.infantry + riders.infantry, spent_cavalry, units.catapults + riders.catapults)
        return units.cavalry + self.tired_rode, spent

    def _journey(self, table: Table) -> Journey:
        tired, spent = self._points_left()
        goes_on = bool(self.rode or self.tired_rode or self.riders.total)
        before = table.journey.visited if goes_on and table.journey else (self.origin,)
        return Journey(self.to, (*before, self.to), self.leaders, spent, tired)

    def tell(self, names: Names) -> str:
        units = self.units + self.riders + Units(cavalry=self.tired)
        who = names.all(self.leaders) + (f" with {units}" if units.total else "")
        how = "went along the road" if self.road else "marched"
        leave = f" with the consent of {names.all(self.by_leave_of)}" if self.by_leave_of else ""
        stop = " and met enemy units" if self.stopped else ""
        return f"{who} {how} from {names(self.origin)} to {names(self.to)}{leave}{stop}."


class MovementFinished(Event, frozen=True):
    """The active player finished their movement (CC-MOV-25)."""

    rules = ("CC-MOV-25",)

    seat: Seat

    def apply(self, table: Table) -> None:
        table.journey = None

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} finished moving."


# --- marching ---


class March(Command, frozen=True):
    """Step from a province to an adjacent one, with at least one leader (CC-MOV-03, CC-MOV-05).

    Where a usable road joins the two provinces, the step follows it. A group that is on a road move continues along the
    road for free: its leaders, its `riders` and, first among the `tired`, the cavalry that came along the road. Others
    who join pay.

    Attributes:
        units: units that still have all their points.
        tired: cavalry with one point left.
        riders: units that have used up their points and continue along the road.
    """

    rules = ("CC-MOV-25", "CC-MOV-03", "CC-MOV-05")
    answers = frozenset({"move", "pass-on"})
    gesture = Gesture(start="origin", to="to", pieces=("leaders",), counts=("units", "tired", "riders"))

    origin: AreaId
    to: AreaId
    leaders: tuple[LeaderId, ...]
    units: Units = NO_UNITS
    tired: Count = 0
    riders: Units = NO_UNITS

    @property
    def group(self) -> Group:
        return Group(tuple(sorted(self.leaders)), self.units, self.tired, self.riders)

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        before = _journey_on(draft.table, self.origin, self.to)
        draft.emit(step(draft.table, seat, self.origin, self.to, self.group))
        check_nobody_is_stuck(draft.table, seat, self.origin, before)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        question = legion.question(table, seat)
        for origin in legion.origins(table, seat):
            yield from _steps_from(table, seat, origin, question)
        for granted in table.passages:
            if not granted.refused and _is_allowed(table, seat, granted.origin, granted.to, granted.group):
                yield _granted_option(table, granted, question)


def step(table: Table, seat: Seat, origin: AreaId, to: AreaId, group: Group) -> LegionMarched:
    """Return the event of the group's step. Raises `Refusal` when the group may not make it."""
    legion.check_border(table, seat, origin, to)
    way = passage.find_way(table, seat, origin, to)
    on_road = passage.grantors(table, "road", origin, to, group)
    road = passage.may_ride(table, way, origin, to, group, on_road)
    goes_on = road and legion.goes_on(table, origin, to)
    _check_turning_back(table, origin, to, group)
    legion.check(table, seat, origin, group, riding=goes_on)
    crossing = _check_strait(table, way, origin, to, group)
    in_transit = on_road | passage.grantors(table, "transit", origin, to, group)
    stopped = any(owner not in in_transit for owner in way.guards)
    if stopped and not group.size and not table.army(to, seat).units.total:
        raise Refusal(
            "CC-MOV-20",
            f"Your leaders cannot enter {to} without units: units of {' and '.join(way.guards)} are there.",
            "They may only join land combat units of yours"
            + (", or pass with the owner's consent." if table.edition.consents else "."),
        )
    journey = table.journey if goes_on else None
    return LegionMarched(
        seat,
        origin,
        to,
        group.leaders,
        group.units,
        group.tired,
        group.riders,
        road=road,
        rode=tuple(name for name in group.leaders if journey and name in journey.leaders),
        tired_rode=min(group.tired, journey.tired_riders) if journey else 0,
        stopped=stopped,
        left=_left_behind(table, seat, origin, group),
        by_leave_of=_by_leave(way, road=road, stopped=stopped, consenting=in_transit | crossing),
    )


def _check_turning_back(table: Table, origin: AreaId, to: AreaId, group: Group) -> None:
    """Raise `Refusal` if somebody would go back along the road for free (CC-ROAD-12)."""
    journey = table.journey
    if journey is None or journey.at != origin or to not in journey.visited:
        return
    exhausted = (name for name in group.leaders if name in journey.leaders and not table.leaders[name].moves)
    if group.riders.total or any(exhausted):
        raise Refusal(
            "CC-ROAD-12",
            f"You cannot go back from {origin} to {to} on the same road move.",
            f"A road move visits no province twice. This one has visited {', '.join(journey.visited)}.",
        )


def _check_strait(table: Table, way: Way, origin: AreaId, to: AreaId, group: Group) -> frozenset[Seat]:
    """Return the players who let just this group cross the strait. Raises `Refusal` if others block it."""
    if not way.strait:
        return frozenset()
    crossing = passage.grantors(table, "strait", origin, to, group)
    blocking = [owner for owner in way.strait if owner not in crossing]
    if blocking:
        raise Refusal(
            "CC-STR-01" if group.size else "CC-STR-06",
            f"Galleys of {' and '.join(blocking)} block the strait between {origin} and {to}.",
            "All owners of galleys in the strait must consent before this group can cross it.",
        )
    return crossing


def _left_behind(table: Table, seat: Seat, origin: AreaId, group: Group) -> int:
    """Return how much cavalry ends its movement because no leader is left to take it out (CC-ALY-08)."""
    tired = table.army(origin, seat).tired - group.tired
    if tired <= 0 or not table.enemies_in(origin, seat):
        return 0
    stay = (name for name in table.leaders_at(origin, seat) if name not in group.leaders)
    return 0 if any(table.leaders[name].moves for name in stay) else tired


def _by_leave(way: Way, *, road: bool, stopped: bool, consenting: frozenset[Seat]) -> tuple[Seat, ...]:
    """Return the players whose consent the step uses, sorted."""
    used = {"strait": True, "road": road, "transit": way.occupied and not stopped}
    owners = {owner for kind in passage.RULES if used[kind] for owner in way.owners(kind) if owner in consenting}
    return tuple(sorted(owners | {owner for kind, owner in way.helpers if used[kind]}))


def check_nobody_is_stuck(table: Table, seat: Seat, origin: AreaId, before: Journey | None) -> None:
    """Raise `Refusal` if leaders are alone among enemy units and cannot leave without help (CC-ALY-08).

    The step out of `origin` has been made: leaders who stayed there cannot leave by continuing a road move. `before` is
    the journey that the step continued, if any. For simplicity, no way out along the road leads back to a province that
    it has visited, not even for leaders who have just joined.
    """
    journey = table.journey
    visited = (*(journey.visited if journey else ()), *(before.visited if before else ()))
    for province, names in legion.among_enemies(table, seat).items():
        for name in names:
            if table.leaders[name].moves and passage.has_way_out(table, seat, province):
                continue
            if (
                journey is not None
                and journey.at == province != origin
                and name in journey.leaders
                and roads.leads_on(table, seat, province, visited)
            ):
                continue
            raise legion.stuck(province)


def _journey_on(table: Table, origin: AreaId, to: AreaId) -> Journey | None:
    return table.journey if legion.goes_on(table, origin, to) else None


# --- options ---


class Terms(Struct, frozen=True):
    """How a group may be formed out of a pool."""

    pool: Group
    leaders: tuple[LeaderId, ...]
    along_road: bool
    fewest: int = 0
    """The fewest units that it may have."""
    most: int | None = None
    """The most units that it may have, so that at least one stays behind."""
    must: tuple[str, ...] = ()
    """Leaders who must be in it."""


def _steps_from(table: Table, seat: Seat, origin: AreaId, question: str) -> Iterator[Option]:
    """Offer the steps out of a province; provinces that the same groups may enter are one option."""
    by_terms: dict[Terms, list[AreaId]] = {}
    for to in table.map.land_neighbours(origin):
        way = passage.find_way(table, seat, origin, to)
        if way.strait:
            continue
        for pool, along_road in passage.pools(table, seat, way, origin, to):
            if along_road and _journey_must_stay(table, seat, origin):
                continue
            for entry in _entries(table, seat, way, origin, to, pool, along_road):
                for terms in _departures(table, seat, origin, entry):
                    by_terms.setdefault(terms, []).append(to)
    for terms, places in by_terms.items():
        yield _option(table, origin, places, terms, question)


def _entries(
    table: Table, seat: Seat, way: Way, origin: AreaId, to: AreaId, pool: Group, along_road: bool
) -> Iterator[Terms]:
    """Yield the terms on which groups may enter a province, given who is there."""
    if not way.occupied or table.army(to, seat).units.total:
        yield Terms(pool, pool.leaders, along_road)
        return
    if pool.size:
        yield Terms(pool, pool.leaders, along_road, fewest=1)
    if not way.guards and (
        passers := passage.passing_leaders(table, seat, pool.leaders, origin, to, along_road=along_road)
    ):
        yield Terms(Group(pool.leaders), tuple(passers), along_road)


def _departures(table: Table, seat: Seat, origin: AreaId, entry: Terms) -> Iterator[Terms]:
    """Yield the terms of `entry` on which nobody is stuck (CC-ALY-08).

    Leaders who could not leave later must go along, or units must stay with them.
    """
    if not table.enemies_in(origin, seat):
        yield entry
        return
    can_step = passage.has_way_out(table, seat, origin)
    must = tuple(
        name
        for name in table.leaders_at(origin, seat)
        if (table.leaders[name].marched or table.leaders[name].landed) and not (can_step and table.leaders[name].moves)
    )
    if set(must) <= set(entry.leaders):
        yield Terms(entry.pool, entry.leaders, entry.along_road, entry.fewest, must=must)
    staying = table.army(origin, seat).units.total - 1
    if must and staying >= entry.fewest:
        yield Terms(entry.pool, entry.leaders, entry.along_road, entry.fewest, most=staying)


def _journey_must_stay(table: Table, seat: Seat, origin: AreaId) -> bool:
    """Tell whether leaders elsewhere depend on the open journey, so that no other may begin."""
    journey = table.journey
    if journey is None or journey.at == origin:
        return False
    waiting = legion.among_enemies(table, seat).get(journey.at, ())
    return any(not table.leaders[name].moves for name in waiting)


def _option(table: Table, origin: AreaId, places: Sequence[AreaId], terms: Terms, question: str) -> Option:
    fields: dict[str, Schema] = {
        "origin": schema.const(origin),
        "to": schema.one_of(places),
        **legion.fields(terms.pool, terms.leaders, terms.must),
    }
    rule, how = ("CC-ROAD-07", " along the road") if terms.along_road else ("CC-MOV-05", "")
    limits = legion.limits(terms.fewest, terms.most)
    title = f"March from {table.names(origin)}{how}"
    return March.option(title, fields, rule=rule, decision=question, optional=legion.OPTIONAL, x_total=limits)


def _granted_option(table: Table, granted: passage.Passage, question: str) -> Option:
    fields: dict[str, Schema] = {
        "origin": schema.const(granted.origin),
        "to": schema.const(granted.to),
        **legion.fields_of(granted.group),
    }
    title = f"March from {table.names(granted.origin)} to {table.names(granted.to)} by consent"
    rule, optional = passage.RULES[granted.kind], legion.exact_optional(granted.group)
    return March.option(title, fields, rule=rule, decision=question, optional=optional)


def _is_allowed(table: Table, seat: Seat, origin: AreaId, to: AreaId, group: Group) -> bool:
    """Tell whether a group may make a step, by trying it on a copy."""
    try:
        marched = step(table, seat, origin, to, group)
        after = table.copy()
        marched.apply(after)
        check_nobody_is_stuck(after, seat, origin, _journey_on(table, origin, to))
    except Refusal:
        return False
    return True


# --- the end of the phase ---


class FinishMovement(Command, frozen=True):
    """End the movement phase: pieces aboard galleys on coasts go ashore (CC-SEA-28), and combat begins (CC-TRN-04)."""

    rules = ("CC-MOV-25", "CC-SEA-28", "CC-TRN-04")
    answers = frozenset({"move", "pass-on"})
    gesture = Gesture(quiet=True, called="Done moving")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        if stuck := legion.among_enemies(draft.table, seat):
            raise Refusal(
                "CC-MOV-19",
                f"Your leaders in {', '.join(stuck)} have no units, and other players' units are there.",
                "Move these leaders on first. Only land combat units may stay there and fight.",
            )
        draft.emit(MovementFinished(seat))
        sea.disembark_all(draft)
        turn.enter(draft, "combat")

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if not legion.among_enemies(table, seat):
            yield cls.option(decision="move")


def next_move(table: Table) -> list[Decision]:
    """Ask the active player what to move next, or where to move the leaders who may not stay."""
    seat = table.acting
    waits = "Combat begins when you have finished moving."
    if stuck := legion.among_enemies(table, seat):
        title = f"Where do your leaders in {table.names.all(stuck)} move on to?"
        return [Decision("pass-on", (seat,), RuleId("CC-MOV-19"), title, waits, {"provinces": list(stuck)})]
    return [Decision("move", (seat,), RuleId("CC-MOV-25"), "What do you move next?", waits)]


EVENTS = (LegionMarched, MovementFinished)
COMMANDS = (March, FinishMovement)
