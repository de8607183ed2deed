"""How other nations react to a move of a campaign (chapter REA).

Each nation near the leader is asked once, in play order. It joins the battle in his area, or moves one stack anywhere.
Its player may move the units in several commands that make the same move.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from domain.italia.box.pieces import Army, FleetId, LeaderId, NationId, Units, amount_of, fits
from domain.italia.box.state import Campaign, Reaction, resolved
from domain.italia.box.table import Command, Event, Table, campaign_of
from domain.italia.campaigns.campaign import adjacent, is_blocked, place_of
from domain.italia.turn.sequence import begin_stage
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Names, enumerated
from domain.kernel.rules.refusal import Refusal

# --- what happens ---


class ReactionsOpened(Event, frozen=True):
    """The nations near the leader may react to the campaign move (IT-REA-01).

    Attributes:
        nations: those who are asked, in this order (IT-REA-02).
    """

    rules = ("IT-REA-01", "IT-REA-02", "IT-REA-10", "IT-BLK-02", "IT-I1-14")

    nations: tuple[NationId, ...]

    def apply(self, table: Table) -> None:
        begin_stage(table, "reactions")
        table.campaign = replace(campaign_of(table), asked=True, reacting=self.nations)

    def tell(self, names: Names) -> str:
        return f"The {names.all(self.nations)} may react to the campaign move."


class ReactionMoved(Event, frozen=True):
    """Units of a reacting nation moved one area (IT-REA-08).

    Attributes:
        into_battle: whether they join the battle in the leader's area (IT-REA-03); else they move and see (IT-REA-04).
        origin: the area, the sea area, or the fleet that they left.
        to: the area, the sea area, or the fleet to which they went.
        fleets: fleets that moved, with all that they carry.
    """

    rules = ("IT-REA-03", "IT-REA-04", "IT-REA-05", "IT-REA-06", "IT-REA-07", "IT-REA-08", "IT-REA-09", "IT-STK-23")
    places = (("origin", "from"), ("to", "to"))

    nation: NationId
    into_battle: bool
    origin: str
    to: str
    army: Army = Army()
    fleets: tuple[FleetId, ...] = ()

    def apply(self, table: Table) -> None:
        campaign = campaign_of(table)
        start, end = _place(table, self.origin), _place(table, self.to)
        for fleet in self.fleets:
            table.fleets[fleet] = replace(table.fleets[fleet], sea=end)
        if self.army:
            if self.origin in table.fleets:
                table.unload(FleetId(self.origin), self.army)
            else:
                table.take(start, self.nation, self.army)
            if self.to in table.fleets:
                table.load(FleetId(self.to), self.army)
            else:
                table.add(end, self.nation, self.army)
        table.hold(end, self.nation)  # IT-REA-13
        started = campaign.started.get(self.nation, ())
        started = {**campaign.started, self.nation: tuple(dict.fromkeys((*started, start)))}
        reaction, reacting = Reaction(self.into_battle, start, end), _from(campaign, self.nation)
        table.campaign = replace(campaign, reacting=reacting, reaction=reaction, started=started)

    def tell(self, names: Names) -> str:
        moved = [self.army.tell(names)] if self.army else []
        moved += [names(fleet) for fleet in self.fleets]
        how = ", into the battle" if self.into_battle else ""
        return (
            f"The {names(self.nation)} reacted: {enumerated(moved)} moved"
            f" from {names(self.origin)} to {names(self.to)}{how}."
        )


class ReactionEnded(Event, frozen=True):
    """A nation reacted no more (IT-REA-02); `automatic` if it could make no further move."""

    rules = ("IT-REA-02",)

    nation: NationId
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        campaign = campaign_of(table)
        table.campaign = replace(campaign, reacting=_from(campaign, self.nation)[1:], reaction=None)
        if table.combat is not None:  # IT-REA-07: where the defenders have left, no battle is fought
            fronts = {
                area: replace(front, enemies=enemies)
                for area, front in table.combat.fronts.items()
                if (enemies := tuple(other for other in front.enemies if table.army(area, other)))
            }
            ended = (area for area in table.combat.fronts if area not in fronts)
            table.combat = replace(resolved(table.combat, *ended), fronts=fronts)

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} did not react further."


def _from(campaign: Campaign, nation: NationId) -> tuple[NationId, ...]:
    """Return a nation and those that are asked after it; nations before it could make no move."""
    return campaign.reacting[campaign.reacting.index(nation) :]


def _place(table: Table, where: str) -> AreaId:
    """Return the area or sea area of a place that may be a fleet."""
    return table.fleets[FleetId(where)].sea if where in table.fleets else AreaId(where)


# --- who may move where ---


class Move(Struct, frozen=True):
    """A move that a reacting nation may make.

    Attributes:
        origin: the area, the sea area, or the fleet.
        to: the area, the sea area, or the fleet.
        room: how many land units can make it.
    """

    into_battle: bool
    origin: str
    to: str
    room: int


def eligible(table: Table, campaign: Campaign) -> tuple[NationId, ...]:
    """Return the nations that may react (IT-REA-01), in play order; units that are blocked do not count (IT-BLK-02)."""
    at = place_of(table, campaign)
    near = (at, *adjacent(table, at))
    placed = {(nation, place) for place in near for nation in table.nations_at(place)}
    placed |= {(fleet.nation, fleet.sea) for fleet in table.fleets.values() if fleet.sea in near}
    present = {nation for nation, place in placed if not is_blocked(table, campaign, nation, place)}
    order = list(table.nations)
    if table.stage == "civil-war":  # IT-I1-14
        order.sort(key=lambda nation: table.cards.nations[nation].order_round_10 or 0)
    return tuple(
        nation for nation in order if nation in present and nation != campaign.nation and not table.is_neutral(nation)
    )


def moves(table: Table, campaign: Campaign, nation: NationId) -> Iterator[Move]:
    """Yield the moves that a nation may make now; after its first, only those that continue the same reaction."""
    earlier = campaign.reaction
    for origin, to, room in _steps(table, nation):
        start, end = _place(table, origin), _place(table, to)
        if is_blocked(table, campaign, nation, start):
            continue
        for into_battle in (True, False):
            move = Reaction(into_battle, start, end)
            if earlier is not None and not _goes_on(earlier, move):
                continue
            if _joins(table, campaign, nation, end) if into_battle else _may_move_and_see(table, campaign, nation, end):
                yield Move(into_battle, origin, to, room)


def _goes_on(earlier: Reaction, move: Reaction) -> bool:
    """Tell whether a move belongs to the reaction under way (IT-REA-03, IT-REA-04)."""
    if earlier.into_battle or move.into_battle:
        return earlier.into_battle == move.into_battle
    return (earlier.origin, earlier.to) == (move.origin, move.to)


def _steps(table: Table, nation: NationId) -> Iterator[tuple[str, str, int]]:
    """Yield the steps of one area that a nation's units can make anywhere, and how many land units can make each."""
    capacity = table.data.fleet_capacity
    for area in table.areas_of(nation):
        size = table.army(area, nation).size
        for to in table.map.land_neighbours(area):
            if table.treats_as_normal(nation, to):
                yield area, to, size
        for sea in table.seas_of(area):
            for name, fleet in table.fleets_of(nation, sea):
                yield area, name, capacity - fleet.cargo.size
    for name, fleet in table.fleets_of(nation):
        if fleet.cargo:
            for to, _ in table.map.coasts_on(fleet.sea):
                if table.treats_as_normal(nation, to):
                    yield name, to, fleet.cargo.size
    for sea in sorted({fleet.sea for _, fleet in table.fleets_of(nation)}):
        for to in table.map.sea_neighbours(sea):
            yield sea, to, 0


def _joins(table: Table, campaign: Campaign, nation: NationId, to: AreaId) -> bool:
    """Tell whether a move goes into the battle in the leader's area (IT-REA-03, IT-REA-14)."""
    if to != place_of(table, campaign) or to in campaign.raids or table.are_allied(nation, campaign.nation):
        return False
    if to in table.map.seas:
        return any(True for _ in table.fleets_of(nation, to))
    present = table.army(to, nation)
    holds = present if table.rules.leaders_hold_battles else present.units
    return bool(holds) and _others(table, nation, to) == {campaign.nation}


def _is_raided(table: Table, campaign: Campaign, to: AreaId) -> bool:
    """Tell whether the leader raids an area (IT-REA-14). Raids in areas that his army has overrun do not count."""
    return to in campaign.raids and to == place_of(table, campaign)


def _others(table: Table, nation: NationId, to: AreaId) -> set[NationId]:
    """Return the other nations that a nation sees in an area."""
    return {other for other in table.nations_at(to) if other != nation and table.sees(nation, other, to)}


def _may_move_and_see(table: Table, campaign: Campaign, nation: NationId, to: AreaId) -> bool:
    """Tell whether a stack may move there: no new battle, never three nations, and nobody where the leader raids.

    These are IT-REA-05 and IT-REA-06, IT-REA-11, and IT-REA-14.
    """
    if to in table.map.seas:
        return True
    if _is_raided(table, campaign, to) and table.rules.raids_admit_nobody:
        return False
    others = _others(table, nation, to)
    return not others or (others == {campaign.nation} and bool(table.army(to, nation)))


# --- reacting ---


class React(Command, frozen=True):
    """Move units of your nation one area, as its reaction to a campaign move (IT-REA-02, IT-REA-08).

    Attributes:
        into_battle: true to join the battle in the leader's area (IT-REA-03), false to move and see (IT-REA-04).
        origin: the area or the fleet that they leave, or the sea area that fleets leave.
        to: the adjacent area, the fleet that they board, or the sea area to which fleets go.
        units: how many of each type move; absent when fleets do.
        leaders: who moves with them.
        fleets: the fleets that move, with all that they carry.
    """

    rules = ("IT-REA-02", "IT-REA-03", "IT-REA-04", "IT-REA-05", "IT-REA-11", "IT-REA-14", "IT-REA-15", "IT-BLK-02")
    answers = frozenset({"react"})
    gesture = Gesture(start="origin", to="to", pieces=("leaders", "fleets"), counts=("units",))

    nation: NationId
    into_battle: bool
    origin: str
    to: str
    units: Units | None = None
    leaders: tuple[LeaderId, ...] = ()
    fleets: tuple[FleetId, ...] = ()

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, campaign = draft.table, campaign_of(draft.table)
        nation = _answering_nation(table, campaign, self.nation)
        names = table.names
        wrong = f"The {names(nation)} cannot move from {names(self.origin)} to {names(self.to)}."
        possible = {(move.into_battle, move.origin, move.to): move for move in moves(table, campaign, nation)}
        move = possible.get((self.into_battle, self.origin, self.to))
        if move is None:
            raise Refusal(*_why_not(table, campaign, self, wrong))
        army = Army(
            {kind: number for kind, number in (self.units or {}).items() if number}, tuple(sorted(self.leaders))
        )
        rule = "IT-REA-03" if self.into_battle else "IT-REA-04"
        if self.origin in table.map.seas:
            present = {name for name, _ in table.fleets_of(nation, AreaId(self.origin))}
            is_right = {*self.fleets} <= present and len({*self.fleets}) == len(self.fleets)
            if self.units or army or not self.fleets or not is_right:
                raise Refusal(
                    rule, wrong, f"Name fleets and nothing else: one or more of {names.all(sorted(present))}."
                )
        else:
            here = table.fleets[FleetId(self.origin)].cargo if self.origin in table.fleets else None
            present = table.army(AreaId(self.origin), nation) if here is None else here
            if self.fleets or not army or not present.has(Army(self.units or {}, army.leaders)):
                raise Refusal(rule, wrong, f"Name units or leaders who are there: {present.tell(names)}.")
            if not fits(self.units or {}, move.room):
                raise Refusal("IT-REA-09", wrong, f"There is room for {amount_of('unit', move.room)}.")
        moved = ReactionMoved(nation, self.into_battle, self.origin, self.to, army, tuple(sorted(self.fleets)))
        draft.emit(moved)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        campaign = campaign_of(table)
        nation = _next(table, campaign)
        if nation is None:
            return
        groups: dict[tuple[bool, str, int], list[str]] = {}
        for move in moves(table, campaign, nation):
            groups.setdefault((move.into_battle, move.origin, move.room), []).append(move.to)
        for (into_battle, origin, room), places in groups.items():
            fields = {
                "nation": schema.const(nation),
                "into_battle": schema.const(into_battle),
                "origin": schema.const(origin),
                "to": schema.one_of(places),
            }
            at = table.fleet_places((origin, *places))
            title = f"{'Into battle' if into_battle else 'Move and see'} from {table.names(origin)}"
            if origin in table.map.seas:
                fleets = [name for name, _ in table.fleets_of(nation, AreaId(origin))]
                yield cls.option(title, {**fields, "fleets": schema.subset(fleets, 1)}, places=at)
                continue
            present = (
                table.fleets[FleetId(origin)].cargo if origin in table.fleets else table.army(AreaId(origin), nation)
            )
            counts = {kind: schema.count(0, min(number, room)) for kind, number in present.units.items() if room}
            if counts:
                fields["units"] = schema.record(counts, counts, x_sum={"minimum": 0, "maximum": room})
            if present.leaders:
                fields["leaders"] = schema.subset(present.leaders, 0 if counts else 1)
            movers = [name for name in ("units", "leaders") if name in fields]
            if movers:
                yield cls.option(title, fields, optional=movers, places=at, x_total={"of": movers, "minimum": 1})


def _why_not(table: Table, campaign: Campaign, move: React, wrong: str) -> tuple[str, str, str]:
    """Return why a move is refused: the rule, what was asked, and what is allowed."""
    earlier, names, nation = campaign.reaction, table.names, move.nation
    start, end = _place(table, move.origin), _place(table, move.to)
    if earlier is not None and not _goes_on(earlier, Reaction(move.into_battle, start, end)):
        kind = "the battle" if earlier.into_battle else f"the move from {names(earlier.origin)} to {names(earlier.to)}"
        rule = "IT-REA-02" if earlier.into_battle != move.into_battle else "IT-REA-04"
        return rule, wrong, f"Your reaction has begun: more units can only join {kind}."
    if (move.origin, move.to) not in {(origin, to) for origin, to, _ in _steps(table, nation)}:
        if move.to in table.map.lands and not table.treats_as_normal(nation, end):
            return "IT-ENT-03", wrong, "Your nation may not enter that entry area: go elsewhere."
        return (
            "IT-REA-08",
            wrong,
            "Units move to an adjacent area, or aboard their own fleet beside it. Fleets sail to an adjacent sea area.",
        )
    if is_blocked(table, campaign, nation, start):
        return "IT-BLK-02", wrong, "The units there are blocked: move others."
    at = names(place_of(table, campaign))
    if move.into_battle and end in campaign.raids:
        rule = "IT-REA-14" if end == place_of(table, campaign) else "IT-REA-15"
        return rule, wrong, "The city there is being raided: you cannot join the battle, only move and see."
    if move.into_battle:
        if table.are_allied(nation, campaign.nation):
            return "IT-SUB-10", wrong, "Allied nations do not fight each other: move and see, or stay."
        if end == place_of(table, campaign) and table.army(end, nation) and len(_others(table, nation, end)) > 1:
            return "IT-REA-11", wrong, "A third nation is there already: move and see elsewhere, or stay."
        return "IT-REA-03", wrong, f"Units beside {at} can join the battle there, if your nation is its only defender."
    if _is_raided(table, campaign, end) and table.rules.raids_admit_nobody:
        return "IT-REA-14", wrong, "The city there is being raided: go elsewhere, or stay."
    if len(_others(table, nation, end) - {campaign.nation}) and table.army(end, nation):
        return "IT-REA-11", wrong, "Two nations are there already: go where nobody else is."
    return "IT-REA-05", wrong, "Go where nobody else is, or where you face the campaigning nation already."


class EndReaction(Command, frozen=True):
    """Do not react, or react no more (IT-REA-02)."""

    rules = ("IT-REA-02",)
    answers = frozenset({"react"})
    gesture = Gesture(quiet=True)

    nation: NationId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        draft.emit(ReactionEnded(_answering_nation(draft.table, campaign_of(draft.table), self.nation)))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        campaign = campaign_of(table)
        title = "Do not react" if campaign.reaction is None else "React no more"
        if (nation := _next(table, campaign)) is not None:
            yield cls.option(title, {"nation": schema.const(nation)})


def _next(table: Table, campaign: Campaign) -> NationId | None:
    """Return the nation that is asked now: the first that can make a move."""
    return next((each for each in campaign.reacting if any(True for _ in moves(table, campaign, each))), None)


def _answering_nation(table: Table, campaign: Campaign, nation: NationId) -> NationId:
    """Return the nation that is asked. Raises `Refusal` when another one answers (IT-REA-01, IT-REA-02)."""
    expected = _next(table, campaign)
    assert expected is not None, "a nation may react"
    if nation != expected:
        names = table.names
        rule = "IT-REA-02" if nation in campaign.reacting else "IT-REA-01"
        raise Refusal(rule, f"The {names(nation)} cannot react now.", f"The {names(expected)} must answer first.")
    return expected


def react(table: Table) -> list[Decision] | Consequence[Table] | None:
    """Ask the nations near the leader one after the other; None when all have reacted."""
    campaign = campaign_of(table)
    if campaign.leader not in table.nations[campaign.nation].came:
        return None
    if not campaign.asked:
        ahead = replace(campaign, reacting=eligible(table, campaign))
        nations = ahead.reacting
        return None if _next(table, ahead) is None else (lambda draft: draft.emit(ReactionsOpened(nations)))
    nation, names = _next(table, campaign), table.names
    if campaign.reaction is not None and nation != campaign.reacting[0]:
        return lambda draft: draft.emit(ReactionEnded(campaign.reacting[0], automatic=True))
    if nation is None:
        return None
    return [
        Decision(
            "react",
            (table.seat_of(nation),),
            RuleId("IT-REA-02"),
            f"How do the {names(nation)} react to {names(campaign.leader)}'s move?",
            "Then the next nation is asked. After all of them, battles are fought.",
            {"nation": nation, "leader": campaign.leader, "at": place_of(table, campaign)},
        )
    ]


EVENTS = (ReactionsOpened, ReactionMoved, ReactionEnded)
COMMANDS = (React, EndReaction)
