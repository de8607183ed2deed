"""Campaigns: their beginning and end, and the raids and blocks of each move (chapters CAM and BLK).

A campaign move is a list of stages of its own (`sequence.CAMPAIGN_STEP`). Its movement is in `moves`, the reactions of
other nations are in reactions.py.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.italia.box.pieces import KINDS, Army, LeaderId, NationId, Piece, amount_of, kinds_in_words
from domain.italia.box.state import Campaign, Combat, Front, Leaving, Moving
from domain.italia.box.table import Command, Event, Table, campaign_of, turn_of
from domain.italia.combat import raids
from domain.italia.moves import entry, movement, steps
from domain.italia.turn import scoring
from domain.italia.turn.sequence import CAMPAIGN_STEP, CHECK, FIGHT, begin_stage, end_stage
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Count, Names
from domain.kernel.rules.refusal import Refusal

# --- what happens ---


class CampaignBegan(Event, frozen=True):
    """A leader began a campaign (IT-CAM-01), and his nation got gold for it (IT-CAM-06).

    Attributes:
        gold: what the nation gets for the campaign; gold that it cannot save is lost.
    """

    rules = ("IT-CAM-01", "IT-CAM-02", "IT-CAM-05", "IT-CAM-06", "IT-CAM-08")

    nation: NationId
    leader: LeaderId
    gold: Count

    def apply(self, table: Table) -> None:
        begin_stage(table, "campaign")
        table.earn(self.nation, self.gold)
        table.campaign = Campaign(self.nation, self.leader)
        table.blocked.pop(self.nation, None)

    def tell(self, names: Names) -> str:
        gold = f" The {names(self.nation)} got {self.gold} gold for it." if self.gold else ""
        return f"{names(self.leader)} began a campaign.{gold}"


class CampaignMoveBegan(Event, frozen=True):
    """A nation paid for a move of its campaign (IT-CAM-04).

    Attributes:
        cost: the price in gold.
        roads: highlands in which its units need not stop, because of a city that it controls now (IT-CTY-02).
    """

    rules = ("IT-CAM-03", "IT-CAM-04", "IT-CAM-07", "IT-I1-15", "IT-CTY-02")

    nation: NationId
    leader: LeaderId
    cost: Count
    roads: tuple[AreaId, ...] = ()

    def apply(self, table: Table) -> None:
        turn, before = turn_of(table), table.campaign
        if before is not None:
            table.blocked[self.nation] = before.blocked
        step = 1 if before is None else before.step + 1
        table.change(self.nation, gold=table.nations[self.nation].gold - self.cost)
        rest = turn.stages if table.stage == "turns" else turn.stages[1:]  # IT-I1-15: one move, then the next faction
        table.turn = replace(turn, stages=(*CAMPAIGN_STEP, *rest))
        table.campaign = Campaign(self.nation, self.leader, step)
        table.moving, table.combat = Moving(roads=self.roads), None
        table.passes = 0

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} paid {self.cost} gold for a move of {names(self.leader)}'s campaign."


class CampaignEnded(Event, frozen=True):
    """A campaign ended: by choice, without gold, or without its leader (IT-CAM-04, IT-CAM-14); or with the civil war.

    Attributes:
        leaving: units that share an area with allies, where they may not stay (IT-CAM-13).
    """

    rules = ("IT-CAM-04", "IT-CAM-13", "IT-CAM-14", "IT-STK-19")

    nation: NationId
    leader: LeaderId
    leaving: tuple[Leaving, ...] = ()
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        if table.turn is not None:
            begin_stage(table, "campaign")
            end_stage(table)
        table.leaving.extend(self.leaving)

    def tell(self, names: Names) -> str:
        return f"{names(self.leader)}'s campaign ended."


class StrangersMet(Event, frozen=True):
    """A nation that had arrived among others could make no campaign move, and fights them all the same (IT-RNF-17).

    Attributes:
        fronts: the land areas in which it must fight.
    """

    rules = ("IT-RNF-17", "IT-BAT-01", "IT-CAM-17")

    nation: NationId
    fronts: dict[AreaId, Front]

    def apply(self, table: Table) -> None:
        table.turn = replace(turn_of(table), stages=("declaring", *FIGHT, *CHECK, *turn_of(table).stages))
        table.combat = Combat(self.fronts)

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} could make no campaign move, and must fight in {names.all(self.fronts)}."


class RaidAnnounced(Event, frozen=True):
    """A raid was declared before any reaction (IT-CAM-16, IT-RAI-02)."""

    rules = ("IT-CAM-16", "IT-RAI-01", "IT-RAI-02")
    places = (("area", "at"),)

    nation: NationId
    area: AreaId

    def apply(self, table: Table) -> None:
        campaign = campaign_of(table)
        table.campaign = replace(campaign, raids=(*campaign.raids, self.area))

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} announced a raid in {names(self.area)}."


class AreaBlocked(Event, frozen=True):
    """A unit was given up to block all enemy units in a place (IT-BLK-01).

    Attributes:
        kind: the type of the unit.
        cost: the price in gold.
    """

    rules = ("IT-BLK-01", "IT-BLK-02", "IT-BLK-03", "IT-BLK-04")
    places = (("area", "at"),)

    nation: NationId
    area: AreaId
    kind: Piece
    cost: Count

    def apply(self, table: Table) -> None:
        campaign = campaign_of(table)
        table.change(self.nation, gold=table.nations[self.nation].gold - self.cost)
        _give_up(table, campaign, self.kind)
        table.campaign = replace(campaign, blocked=(*campaign.blocked, self.area))

    def tell(self, names: Names) -> str:
        unit = amount_of(self.kind, 1)
        return f"The {names(self.nation)} gave up {unit} and {self.cost} gold to block {names(self.area)}."


def place_of(table: Table, campaign: Campaign) -> AreaId:
    """Return where the leader stands: an area, or a sea area."""
    at = table.place_of(campaign.leader)
    assert at is not None, "the leader is on the board"
    return at


# --- its moves and its end ---


def next_move(table: Table, nation: NationId, leader: LeaderId) -> CampaignMoveBegan:
    """Return the event of another campaign move."""
    return CampaignMoveBegan(nation, leader, table.data.costs.campaign_move, movement.roads_of(table, nation))


class March(Command, frozen=True):
    """Pay for another move of your campaign (IT-CAM-04)."""

    rules = ("IT-CAM-04", "IT-CAM-03", "IT-I1-15")
    answers = frozenset({"campaign"})

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        campaign = campaign_of(draft.table)
        draft.emit(next_move(draft.table, campaign.nation, campaign.leader))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option(f"Make a move for {table.data.costs.campaign_move} gold")


class EndCampaign(Command, frozen=True):
    """End your campaign (IT-CAM-04), though not before its first move where it starts among strangers (IT-CAM-17)."""

    rules = ("IT-CAM-04", "IT-CAM-13", "IT-CAM-17")
    answers = frozenset({"campaign"})
    gesture = Gesture(quiet=True, called="End the campaign")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        if areas := _unfought(table):
            wrong = "You cannot end the campaign before its first move."
            allowed = f"Others are in {table.names.all(areas)}: make a move, and leave or fight."
            raise Refusal("IT-CAM-17", wrong, allowed)
        campaign = campaign_of(table)
        draft.emit(end_of(table, campaign.nation, campaign.leader))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if not _unfought(table):
            yield cls.option()


def _unfought(table: Table) -> list[AreaId]:
    """Return the areas where the nation arrived among others and no battle was due yet (IT-RNF-17, IT-I1-34)."""
    if table.campaign is not None and table.campaign.step:
        return []
    nation = turn_of(table).nation
    met = [area for area in table.areas_of(nation) if table.strangers(nation, area)]
    return [area for area in met if not entry.stay_without_fight(table, nation, area)]


def end_of(table: Table, nation: NationId, leader: LeaderId, *, automatic: bool = False) -> CampaignEnded:
    """Return the event that ends a campaign; armies that share an area with allies must leave it (IT-CAM-13)."""
    leaving = tuple(
        Leaving(nation, area, table.army(area, nation), "subjects")
        for area in table.areas_of(nation)
        if steps.allies_at(table, nation, area)
    )
    return CampaignEnded(nation, leader, leaving, automatic)


def decide(table: Table) -> list[Decision] | Consequence[Table] | None:
    """Begin a campaign; ask for its next move while it can be paid (IT-CAM-04, IT-CAM-06, IT-I1-31)."""
    nation = turn_of(table).nation
    campaign = table.campaign
    if campaign is None:
        plan = table.cards.nations[nation].plan_of(table.round)
        leader = None if plan is None else plan.leader
        if plan is None or leader is None or leader not in table.nations[nation].came:
            return _meet(table)
        return lambda draft: draft.emit(CampaignBegan(nation, leader, plan.gold))
    if campaign.leader not in table.nations[nation].came or not _can_pay(table, nation):
        return _meet(table) or (lambda draft: draft.emit(end_of(table, nation, campaign.leader, automatic=True)))
    gold, names = table.nations[nation].gold, table.names
    return [
        Decision(
            "campaign",
            (table.seat_of(nation),),
            RuleId("IT-CAM-04"),
            f"Does {names(campaign.leader)} make {'another' if campaign.step else 'a first'} move?",
            "When the campaign is over, the turn ends.",
            {"nation": nation, "leader": campaign.leader, "gold": gold},
        )
    ]


def _meet(table: Table) -> Consequence[Table] | None:
    """Let a nation that can make no campaign move fight where it has arrived among others, once in its turn."""
    nation, areas = turn_of(table).nation, _unfought(table)
    if table.combat is not None or not areas:
        return None
    fronts = {area: Front(tuple(table.strangers(nation, area))) for area in areas}
    return lambda draft: draft.emit(StrangersMet(nation, fronts))


def _can_pay(table: Table, nation: NationId) -> bool:
    return table.nations[nation].gold >= table.data.costs.campaign_move


# --- raids and blocks ---


class AnnounceRaid(Command, frozen=True):
    """Announce that your campaign raids the city in an area that it attacks (IT-CAM-16)."""

    rules = ("IT-CAM-16", "IT-RAI-01", "IT-RAI-11", "IT-I1-25")
    answers = frozenset({"announce"})
    gesture = Gesture(to="area")

    area: AreaId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, campaign = draft.table, campaign_of(draft.table)
        areas = _raids(table, campaign)
        if self.area not in areas:
            wrong = f"You cannot raid {table.names(self.area)}."
            rule, why = _no_raid(table, campaign, self.area)
            allowed = f"You can raid {table.names.all(areas)}." if areas else "There is no city that you can raid."
            raise Refusal(rule, wrong, f"{why} {allowed}")
        draft.emit(RaidAnnounced(campaign.nation, self.area))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if areas := _raids(table, campaign_of(table)):
            yield cls.option("Announce a raid", {"area": schema.one_of(areas)})


def _raids(table: Table, campaign: Campaign) -> list[AreaId]:
    """Return the attacked areas with a defended city of another player (IT-RAI-01, IT-RAI-11)."""
    fronts = {} if table.combat is None else table.combat.fronts
    return [
        area
        for area, front in fronts.items()
        if area not in campaign.raids
        and raids.obstacle(table, campaign.nation, area) is None
        and any(table.army(area, other).units for other in front.enemies)
    ]


def _no_raid(table: Table, campaign: Campaign, area: AreaId) -> tuple[str, str]:
    """Return why a raid cannot be announced in an area: the rule, and a sentence."""
    if area in campaign.raids:
        return "IT-RAI-02", "Its raid is announced already."
    return raids.obstacle(table, campaign.nation, area) or ("IT-RAI-01", "You do not attack units there.")


class Block(Command, frozen=True):
    """Give up a unit in the leader's area to block all enemy units in an adjacent place (IT-BLK-01).

    Attributes:
        area: the area, or the sea area.
        kind: the type of the unit.
    """

    rules = ("IT-BLK-01", "IT-BLK-03", "IT-BLK-04")
    answers = frozenset({"announce"})
    gesture = Gesture(to="area", targets=("kind",))

    area: AreaId
    kind: Piece

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, campaign = draft.table, campaign_of(draft.table)
        wrong = f"You cannot block {table.names(self.area)} with {amount_of(self.kind, 1)}."
        gold, cost = table.nations[campaign.nation].gold, table.data.costs.block
        if gold < cost:
            raise Refusal("IT-BLK-01", wrong, f"A block costs {cost} gold; you have {gold}.")
        if self.area in table.blocked.get(campaign.nation, ()):
            raise Refusal("IT-BLK-04", wrong, "You blocked it in your last move: choose another place.")
        places, kinds = _places(table, campaign), _kinds(table, campaign)
        if self.area not in places:
            raise Refusal("IT-BLK-01", wrong, f"You can block {table.names.all(places)}.")
        if self.kind not in kinds:
            raise Refusal(
                "IT-BLK-03", wrong, f"Give up one of the units in the leader's area: {kinds_in_words(kinds)}."
            )
        blocked = _enemies(table, campaign.nation, self.area)
        draft.emit(AreaBlocked(campaign.nation, self.area, self.kind, cost))
        for other in blocked:  # IT-BLK-05: a blocked nation may score in the turn of any nation
            scoring.eliminated(draft, campaign.nation, {self.kind: 1}, by=other, any_turn=True)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        campaign = campaign_of(table)
        places, kinds = _places(table, campaign), _kinds(table, campaign)
        if places and kinds and table.nations[campaign.nation].gold >= table.data.costs.block:
            yield cls.option("Block an area", {"area": schema.one_of(places), "kind": schema.one_of(kinds)})


def adjacent(table: Table, place: AreaId) -> list[AreaId]:
    """Return the land and sea areas adjacent to an area or a sea area."""
    if place in table.map.seas:
        return sorted({*table.map.sea_neighbours(place), *(land for land, _ in table.map.coasts_on(place))})
    return sorted({*table.map.land_neighbours(place), *table.seas_of(place)})


def _enemies(table: Table, nation: NationId, place: AreaId) -> list[NationId]:
    present = {fleet.nation for fleet in table.fleets.values() if fleet.sea == place} | set(table.nations_at(place))
    friends = {nation, *(other for other in present if table.are_allied(nation, other))}
    return [other for other in table.nations if other in present - friends]


def is_blocked(table: Table, campaign: Campaign, nation: NationId, place: AreaId) -> bool:
    """Tell whether a nation's units in a place are blocked (IT-BLK-02): those of allied nations never are."""
    return place in campaign.blocked and not table.are_allied(nation, campaign.nation)


def _places(table: Table, campaign: Campaign) -> list[AreaId]:
    unavailable = (*campaign.blocked, *table.blocked.get(campaign.nation, ()))
    near = adjacent(table, place_of(table, campaign))
    return [place for place in near if place not in unavailable and _enemies(table, campaign.nation, place)]


def _kinds(table: Table, campaign: Campaign) -> list[Piece]:
    """Return the types of units in the leader's area, aboard and empty fleets among them when he is at sea."""
    place = place_of(table, campaign)
    if place in table.map.lands:
        return [kind for kind in KINDS if table.army(place, campaign.nation).units.get(kind)]
    fleets = [fleet for _, fleet in table.fleets_of(campaign.nation, place)]
    kinds: list[Piece] = [kind for kind in KINDS if any(fleet.cargo.units.get(kind) for fleet in fleets)]
    return [*kinds, "fleet"] if any(not fleet.cargo for fleet in fleets) else kinds


def _give_up(table: Table, campaign: Campaign, kind: Piece) -> None:
    place = place_of(table, campaign)
    fleets = list(table.fleets_of(campaign.nation, place))
    if kind == "fleet":
        del table.fleets[next(name for name, fleet in fleets if not fleet.cargo)]
    elif place in table.map.lands:
        table.take(place, campaign.nation, Army({kind: 1}))
    else:
        table.unload(next(name for name, fleet in fleets if fleet.cargo.units.get(kind)), Army({kind: 1}))


def announce(table: Table) -> list[Decision] | Consequence[Table] | None:
    """Ask the campaigning player for raids and blocks, while there can be any (IT-CAM-03)."""
    campaign = campaign_of(table)
    if campaign.leader not in table.nations[campaign.nation].came or not _can_announce(table, campaign):
        return None
    return [
        Decision(
            "announce",
            (table.seat_of(campaign.nation),),
            RuleId("IT-CAM-03"),
            f"Do the {table.names(campaign.nation)} raid a city or block an area?",
            "Then the other nations react.",
            {"nation": campaign.nation, "raids": _raids(table, campaign), "blocks": _places(table, campaign)},
        )
    ]


def _can_announce(table: Table, campaign: Campaign) -> bool:
    if _raids(table, campaign):
        return True
    can_pay = table.nations[campaign.nation].gold >= table.data.costs.block
    return can_pay and bool(_places(table, campaign) and _kinds(table, campaign))


EVENTS = (CampaignBegan, CampaignMoveBegan, CampaignEnded, StrangersMet, RaidAnnounced, AreaBlocked)
COMMANDS = (March, EndCampaign, AnnounceRaid, Block)
