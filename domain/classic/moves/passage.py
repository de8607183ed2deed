"""Passages: which steps need the consent of other players, and how it is asked for (chapters ALY and STR).

Units of other players are enemies. Their owners may still allow two things: passing through on land, roads included,
and crossing a strait past their galleys (CC-ALY-02). The mover asks for a named group and one step (CC-ALY-05). A
granted request holds for exactly that step. After a refusal, the same leaders cannot ask for it again this turn. A
standing grant (`grants.py`) answers for the player who gave it until they withdraw it.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from domain.classic.box.pieces import LeaderId
from domain.classic.box.state import Consent, Group, Passage
from domain.classic.box.table import Command, Event, Table
from domain.classic.moves import legion, roads
from domain.conquest.pieces import NO_UNITS, Units
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Count, Names, enumerated
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.schema import Schema

RULES: dict[Consent, str] = {"transit": "CC-ALY-03", "road": "CC-ROAD-13", "strait": "CC-STR-01"}
"""The rule that provides for each kind of consent."""

QUESTIONS: dict[Consent, str] = {
    "transit": "Do you let {mover} pass through {to} with {group}, coming from {origin}?",
    "road": "Do you let {mover} use the road from {origin} to {to} with {group}, and pass through?",
    "strait": "Do you let {mover} cross the strait from {origin} to {to} with {group}?",
}

REQUESTS: dict[Consent, str] = {
    "transit": "Ask to pass through {to}, coming from {origin}",
    "road": "Ask to use the road from {origin} to {to}",
    "strait": "Ask to cross the strait from {origin} to {to}",
}


# --- what happens ---


class PassageAsked(Event, frozen=True):
    """The active player asked for a passage (CC-ALY-02, CC-ALY-04).

    It replaces an earlier consent to the same passage of these leaders.

    Attributes:
        mover: the active player.
        owners: the players who must consent.
    """

    rules = ("CC-ALY-02", "CC-ALY-04")

    mover: Seat
    kind: Consent
    origin: AreaId
    to: AreaId
    group: Group
    owners: tuple[Seat, ...]

    def apply(self, table: Table) -> None:
        table.request = Passage(self.mover, self.kind, self.origin, self.to, self.group, self.owners, asked=self.owners)
        table.passages[:] = [
            passage
            for passage in table.passages
            if passage.refused
            or (passage.kind, passage.origin, passage.to) != (self.kind, self.origin, self.to)
            or not set(passage.group.leaders) & set(self.group.leaders)
        ]

    def tell(self, names: Names) -> str:
        kinds = {"transit": "pass through", "road": "use the road to", "strait": "cross the strait to"}
        who = names.all(self.group.leaders)
        return f"{names(self.mover)} asked {names.all(self.owners)} to let {who} {kinds[self.kind]} {names(self.to)}."


class PassageAnswered(Event, frozen=True):
    """A player who was asked consented or refused, this one time (CC-ALY-02, CC-ALY-05).

    Attributes:
        granted: whether they consented.
        automatic: whether a standing grant answered for them.
    """

    rules = ("CC-ALY-02", "CC-ALY-05")

    seat: Seat
    granted: bool
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        request = table.request
        if request is None:
            return
        waiting = tuple(seat for seat in request.asked if seat != self.seat)
        if self.granted and waiting:
            table.request = replace(request, asked=waiting)
            return
        table.request = None
        table.passages.append(replace(request, asked=(), refused=not self.granted))

    def tell(self, names: Names) -> str:
        if self.automatic:
            return f"{names(self.seat)} has already consented until further notice."
        return f"{names(self.seat)} {'consented' if self.granted else 'refused'}."


class PassageRequestWithdrawn(Event, frozen=True):
    """The active player withdrew a request before all had answered it (CC-ALY-02, CC-ALY-05)."""

    rules = ("CC-ALY-02", "CC-ALY-05")

    mover: Seat

    def apply(self, table: Table) -> None:
        table.request = None

    def tell(self, names: Names) -> str:
        return f"{names(self.mover)} withdrew their request."


# --- what a step meets ---


class Way(Struct, frozen=True):
    """What a step meets, with standing grants taken into account.

    Attributes:
        occupied: land combat units of other players are in the province that it enters.
        guards: those of their owners without a standing grant of transit (CC-ALY-03).
        strait: the owners of galleys in the strait without a standing grant of its crossing (CC-STR-01).
        road: the road that it can follow, with the owners of its ends, but for those with a standing grant of its use.
        helpers: the players with a standing grant that the step can use, each with its kind.
    """

    occupied: bool = False
    guards: tuple[Seat, ...] = ()
    strait: tuple[Seat, ...] = ()
    road: roads.Segment | None = None
    helpers: tuple[tuple[Consent, Seat], ...] = ()

    def owners(self, kind: Consent) -> tuple[Seat, ...]:
        """Return the players whose consent of that kind the step still needs."""
        if kind == "transit":
            return self.guards
        if kind == "strait":
            return self.strait
        if self.road is None:
            return ()
        return tuple(dict.fromkeys(end for end in (self.road.near, self.road.far) if end is not None))


def find_way(table: Table, seat: Seat, origin: AreaId, to: AreaId) -> Way:
    """Return what a step of `seat` from `origin` to the adjacent `to` meets."""
    enemies, blockers = table.enemies_in(to, seat), strait_blockers(table, origin, to, seat)
    road = roads.segment(table, seat, origin, to)
    if not table.grants or not (enemies or blockers or road):
        return Way(bool(enemies), tuple(enemies), blockers, road)
    sea = table.map.strait_between(origin, to)
    guards = tuple(owner for owner in enemies if not has_grant(table, owner, seat, "transit", to))
    strait = tuple(owner for owner in blockers if not has_grant(table, owner, seat, "strait", sea))
    helpers = list[tuple[Consent, Seat]]()
    helpers.extend(("transit", owner) for owner in enemies if owner not in guards)
    helpers.extend(("strait", owner) for owner in blockers if owner not in strait)
    if road is not None:
        ends = ((road.near, origin), (road.far, to))
        near, far = (None if end and has_grant(table, end, seat, "road", place) else end for end, place in ends)
        helpers.extend(
            ("road", end) for (end, _), remaining in zip(ends, (near, far), strict=True) if end and not remaining
        )
        road = roads.Segment(near, far)
    return Way(bool(enemies), guards, strait, road, tuple(helpers))


def strait_blockers(table: Table, origin: AreaId, to: AreaId, seat: Seat) -> tuple[Seat, ...]:
    """Return the other players whose galleys block the strait between two provinces, if the edition has that.

    A player's own galleys neither block nor force a crossing (CC-STR-04); galleys on a coast are not in the strait.
    """
    sea = table.map.strait_between(origin, to)
    if sea is None or not table.edition.galleys_block_straits:
        return ()
    return tuple(sorted({galley.owner for galley in table.galleys.values() if galley.at == sea} - {seat}))


def has_grant(table: Table, by: Seat, to: Seat, kind: Consent, place: AreaId | None) -> bool:
    """Tell whether a standing grant of `by` covers a passage of this kind by `to` in `place`."""
    return any(
        grant.by == by and grant.to == to and grant.kind == kind and grant.where in (None, place)
        for grant in table.grants
    )


def grantors(table: Table, kind: Consent, origin: AreaId, to: AreaId, group: Group) -> frozenset[Seat]:
    """Return the players who granted exactly this passage to exactly this group (CC-ALY-05)."""
    return frozenset(
        owner
        for passage in table.passages
        if (passage.kind, passage.origin, passage.to, passage.group) == (kind, origin, to, group)
        and not passage.refused
        for owner in passage.owners
    )


def may_ride(
    table: Table, way: Way, origin: AreaId, to: AreaId, group: Group, consenting: frozenset[Seat] = frozenset()
) -> bool:
    """Tell whether the group may follow the road, given who consents.

    A group that came to the near end by road may leave it without asking again (CC-ALY-05).
    """
    if way.road is None:
        return False
    near_is_open = (
        way.road.near is None
        or way.road.near in consenting
        or (legion.goes_on(table, origin, to) and legion.in_journey(table, group))
    )
    return near_is_open and (way.road.far is None or way.road.far in consenting)


def pools(table: Table, seat: Seat, way: Way, origin: AreaId, to: AreaId) -> list[tuple[Group, bool]]:
    """Return the pools of pieces from which any group can make the step without a request, and whether by the road."""
    goes_on, road = legion.goes_on(table, origin, to), way.road
    is_free = road == roads.Segment()
    candidates = [(legion.movable(table, seat, origin, riding=goes_on and is_free), is_free)]
    if goes_on and road is not None and road.near is not None and road.far is None:
        candidates.append((legion.riders(table, seat, origin), True))
    return [(pool, along_road) for pool, along_road in candidates if pool.leaders]


def passing_leaders(
    table: Table, seat: Seat, pool: Sequence[str], origin: AreaId, to: AreaId, *, along_road: bool
) -> list[str]:
    """Return the leaders who could leave `to` again without consent, after a step there among other players' units.

    With a point left, they can go to a province without enemy units, but not across a guarded strait. Without a point,
    they can follow the road to one of their own provinces. So nobody is ever stuck there (CC-ALY-08).
    """
    if not has_way_out(table, seat, to):
        return []
    goes_on = along_road and legion.goes_on(table, origin, to)
    journey = table.journey if goes_on else None
    riding = journey.leaders if journey else ()
    visited = journey.visited if journey else (origin,)
    road_on = along_road and roads.leads_on(table, seat, to, visited)
    return [name for name in pool if road_on or table.leaders[name].moves - (name not in riding) > 0]


def has_way_out(table: Table, seat: Seat, province: AreaId) -> bool:
    """Tell whether some step out of a province needs neither consent nor a road."""
    return any(
        not table.enemies_in(to, seat) and not strait_blockers(table, province, to, seat)
        for to in table.map.land_neighbours(province)
    )


# --- asking and answering ---


class AskPassage(Command, frozen=True):
    """Ask for what a step needs: transit, the use of a road, or the crossing of a strait (CC-ALY-02, CC-ALY-04).

    Consent to use a road includes passing through. Name the group as for the step itself (`March`); the consent holds
    for exactly this group and this step.

    Attributes:
        units: units that still have all their points.
        tired: cavalry with one point left.
        riders: units that have used up their points and continue along the road.
    """

    rules = ("CC-ALY-04", "CC-ALY-02")
    answers = frozenset({"move", "pass-on"})
    gesture = Gesture(start="origin", to="to", pieces=("leaders",), counts=("units", "tired", "riders"))

    kind: Consent
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
        table, group = draft.table, self.group
        check_provided(table, self.kind)
        legion.check_border(table, seat, self.origin, self.to)
        way = find_way(table, seat, self.origin, self.to)
        owners = way.owners(self.kind)
        if not owners:
            granted = any(kind == self.kind for kind, _ in way.helpers)
            raise Refusal(
                "CC-ALY-05" if granted else "CC-ALY-04",
                f"You need no{' further' * granted} {self.kind} consent to go from {self.origin} to {self.to}.",
                "March without asking.",
            )
        riding = legion.goes_on(table, self.origin, self.to) and (
            self.kind == "road" or may_ride(table, way, self.origin, self.to, group)
        )
        legion.check(table, seat, self.origin, group, riding=riding)
        self._check_first_time(table)
        if self.kind != "strait" and way.occupied and not group.size and not table.army(self.to, seat).units.total:
            along_road = self.kind == "road" or may_ride(table, way, self.origin, self.to, group)
            passers = passing_leaders(table, seat, self.leaders, self.origin, self.to, along_road=along_road)
            if set(passers) < set(self.leaders):
                raise legion.stuck(self.to)
        draft.emit(PassageAsked(seat, self.kind, self.origin, self.to, group, owners))

    def _check_first_time(self, table: Table) -> None:
        refused = _refused(table, self.kind, self.origin, self.to)
        if repeated := refused & set(self.leaders):
            raise Refusal(
                "CC-ALY-06",
                f"This passage was already refused to {', '.join(sorted(repeated))} this turn.",
                "Enter anyway, stop there and fight, or do not enter."
                if self.kind == "transit"
                else "Go another way, or ask with other leaders.",
            )

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        kinds, question = provided(table), legion.question(table, seat)
        for origin in legion.origins(table, seat) if kinds else ():
            for to in table.map.land_neighbours(origin):
                way = find_way(table, seat, origin, to)
                for kind in kinds:
                    if way.owners(kind):
                        for option in cls._kind_options(table, seat, way, kind, origin, to):
                            yield option if question == "move" else replace(option, decision=question)

    @classmethod
    def _kind_options(
        cls, table: Table, seat: Seat, way: Way, kind: Consent, origin: AreaId, to: AreaId
    ) -> Iterator[Option]:
        refused = _refused(table, kind, origin, to)
        if kind == "road":
            candidates = [(legion.movable(table, seat, origin, riding=legion.goes_on(table, origin, to)), True)]
        else:
            candidates = pools(table, seat, way, origin, to)
        for pool, along_road in candidates:
            leaders = [name for name in pool.leaders if name not in refused]
            if not leaders:
                continue
            if kind == "strait" or not way.occupied or table.army(to, seat).units.total:
                yield cls._option(table, kind, origin, to, pool, leaders)
                continue
            if pool.size:
                yield cls._option(table, kind, origin, to, pool, leaders, fewest=1)
            if passers := passing_leaders(table, seat, leaders, origin, to, along_road=along_road):
                yield cls._option(table, kind, origin, to, Group(pool.leaders), passers)

    @classmethod
    def _option(
        cls,
        table: Table,
        kind: Consent,
        origin: AreaId,
        to: AreaId,
        pool: Group,
        leaders: Sequence[str],
        fewest: int = 0,
    ) -> Option:
        fields: dict[str, Schema] = {
            "kind": schema.const(kind),
            "origin": schema.const(origin),
            "to": schema.const(to),
            **legion.fields(pool, leaders),
        }
        title = REQUESTS[kind].format(origin=table.names(origin), to=table.names(to))
        limits = legion.limits(fewest)
        return cls.option(title, fields, rule=RULES[kind], decision="move", optional=legion.OPTIONAL, x_total=limits)


class AnswerPassage(Command, frozen=True):
    """Consent to the passage that a player asks for, or refuse it; either way this one time (CC-ALY-02, CC-ALY-05).

    Attributes:
        granted: whether you consent.
    """

    rules = ("CC-ALY-05", "CC-ALY-02")
    answers = frozenset({"answer-passage"})

    granted: bool

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        draft.emit(PassageAnswered(seat, self.granted))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option("Allow or refuse", {"granted": {"type": "boolean"}})


class WithdrawPassageRequest(Command, frozen=True):
    """Withdraw your request for a passage before all have answered it (CC-ALY-02, CC-ALY-05)."""

    rules = ("CC-ALY-05", "CC-ALY-02")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        if not provided(table):
            wrong = "You have no request to withdraw."
            raise Refusal("CC-ALY-11", wrong, "In this edition players cannot ask for passages.")
        if table.request is None or table.request.mover != seat:
            wrong = "You have no request to withdraw."
            raise Refusal("CC-ALY-05", wrong, "You can withdraw a request of yours until everybody has answered it.")
        draft.emit(PassageRequestWithdrawn(seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if table.request is not None and table.request.mover == seat:
            yield cls.option("Withdraw the request")


def provided(table: Table) -> tuple[Consent, ...]:
    """Return the kinds of consent that the edition knows."""
    edition = table.edition
    strait: tuple[Consent, ...] = ("strait",) if edition.galleys_block_straits else ()
    return ("transit", "road", *strait) if edition.consents else strait


def check_provided(table: Table, kind: Consent) -> None:
    """Check that the edition has a kind of consent.

    Raises:
        Refusal: it has not; the refusal names the rule that holds instead.
    """
    if kind in provided(table):
        return
    if kind == "strait":
        wrong = "You need no consent to cross a strait."
        raise Refusal("CC-STR-02", wrong, "Galleys never block a strait. Cross without asking.")
    rule = "CC-ROAD-14" if kind == "road" else "CC-ALY-11"
    wrong = f"This edition has no {kind} consent."
    raise Refusal(rule, wrong, "You cannot pass through other players' units or use their roads.")


def _refused(table: Table, kind: Consent, origin: AreaId, to: AreaId) -> set[str]:
    """Return the leaders to whom that passage was refused this turn."""
    return {
        leader
        for passage in table.passages
        if passage.refused and (passage.kind, passage.origin, passage.to) == (kind, origin, to)
        for leader in passage.group.leaders
    }


def answer(table: Table) -> list[Decision]:
    """Ask the players who have not yet answered the request."""
    request = table.request
    assert request is not None, "consent is being asked for"
    group = request.group
    units = group.units + group.riders + Units(cavalry=group.tired)
    words = {
        "mover": table.names(request.mover),
        "origin": table.names(request.origin),
        "to": table.names(request.to),
        "group": enumerated([*map(table.names, group.leaders), *([f"{units}"] if units.total else [])]),
    }
    return [
        Decision(
            "answer-passage",
            request.asked,
            RuleId(RULES[request.kind]),
            QUESTIONS[request.kind].format_map(words),
            f"{words['mover']} cannot move on until everybody has answered.",
            {
                "kind": request.kind,
                "mover": request.mover,
                "origin": request.origin,
                "to": request.to,
                "leaders": list(group.leaders),
                "units": units.by_type,
            },
        )
    ]


EVENTS = (PassageAsked, PassageAnswered, PassageRequestWithdrawn)
COMMANDS = (AskPassage, AnswerPassage, WithdrawPassageRequest)
