"""Round 10 of Italia I: the campaigns of three factions, move by move in turn (IT-I1-13 to IT-I1-27)."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from domain.italia.box.entries import Defection, Levy
from domain.italia.box.pieces import Army, Kind, LeaderId, NationId, amount_of
from domain.italia.box.table import Command, Event, Table
from domain.italia.campaigns import campaign
from domain.italia.combat import dice
from domain.italia.economy import purchase
from domain.italia.turn import reinforcements, stacking
from domain.italia.turn.sequence import RoundStageBegan, TurnBegan
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Count, Draw, Names, enumerated
from domain.kernel.rules.refusal import Refusal

# --- what happens ---


class CivilWarBegan(Event, frozen=True):
    """The factions got the gold for their campaigns; no other nation moves in this round (IT-I1-13, IT-I1-14).

    Attributes:
        gold: what each faction got.
        levies: the factions that may buy units now (IT-BUY-09).
    """

    rules = ("IT-I1-13", "IT-I1-14", "IT-I1-26", "IT-BUY-09", "IT-CAM-06")

    gold: dict[NationId, Count]
    levies: tuple[NationId, ...]

    def apply(self, table: Table) -> None:
        for nation, gold in self.gold.items():
            table.earn(nation, gold)
        table.levies[:] = self.levies
        table.blocked.clear()  # IT-BLK-04: what was blocked in an earlier campaign does not count in these
        table.at_war = True

    def tell(self, names: Names) -> str:
        shares = [f"the {names(nation)} {gold}" for nation, gold in self.gold.items()]
        return f"The civil war began. Gold for campaigns: {enumerated(shares)}."


class UnitsLevied(Event, frozen=True):
    """A faction bought units that stand with its reinforcements, or none (IT-BUY-09).

    Attributes:
        number: how many.
        cost: what all of them cost.
    """

    rules = ("IT-BUY-09", "IT-BUY-05")
    places = (("area", "at"),)

    nation: NationId
    kind: Kind
    number: Count
    area: AreaId
    cost: Count

    def apply(self, table: Table) -> None:
        table.levies.remove(self.nation)
        table.change(self.nation, gold=table.nations[self.nation].gold - self.cost)
        if self.number:
            table.add(self.area, self.nation, Army({self.kind: self.number}))

    def tell(self, names: Names) -> str:
        bought = f"{amount_of(self.kind, self.number)} for {self.cost} gold" if self.number else "nothing"
        return f"The {names(self.nation)} bought {bought}."


class FactionPassed(Event, frozen=True):
    """A faction made no move (IT-I1-16); `automatic` if it had no gold or no leader (IT-I1-17)."""

    rules = ("IT-I1-16", "IT-I1-17", "IT-CAM-04")

    nation: NationId
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.passes += 1
        table.done[:] = [self.nation]

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} passed."


class UnitsDefected(Event, frozen=True):
    """Units in the area of a leader rolled whether they go over to him (IT-I1-18 to IT-I1-21).

    Attributes:
        nation: the nation of the leader.
        of: whose units they are.
        kind: their type.
        faces: what was rolled, a die for each.
        number: how many went over.
        replaced: how many of them fight for him now; for others there was no counter.
    """

    rules = ("IT-I1-18", "IT-I1-19", "IT-I1-20", "IT-I1-21", "IT-PCS-05")
    places = (("area", "lost"),)

    nation: NationId
    leader: LeaderId
    area: AreaId
    of: NationId
    kind: Kind
    draw: Draw
    faces: tuple[str, ...]
    number: Count
    replaced: Count

    def apply(self, table: Table) -> None:
        if self.number:
            table.take(self.area, self.of, Army({self.kind: self.number}))
        if self.replaced:
            table.add(self.area, self.nation, Army({self.kind: self.replaced}))
        if table.combat is not None and self.area in table.combat.fronts:
            front = table.combat.fronts[self.area]
            nation = table.turn.nation if table.turn is not None else self.nation
            enemies = tuple(other for other in front.enemies if table.army(self.area, other))
            fronts = {area: each for area, each in table.combat.fronts.items() if area != self.area}
            if enemies and table.army(self.area, nation):
                fronts[self.area] = replace(front, enemies=enemies)
            table.combat = replace(table.combat, fronts=fronts)

    def tell(self, names: Names) -> str:
        rolled = ", ".join(self.faces)
        number = amount_of(self.kind, self.number) if self.number else "nobody"
        return f"The {names(self.of)} with {names(self.leader)} rolled {rolled}: {number} went over to him."


# --- the round ---


def factions(table: Table) -> list[NationId]:
    """Return the factions in the order of their campaigns (IT-I1-15); none outside such a round."""
    cards = table.cards.nations
    plans = {nation: cards[nation].plan_of(table.round) for nation in table.nations}
    nations = [nation for nation, plan in plans.items() if plan is not None and plan.kind == "alternating-campaign"]
    return sorted(nations, key=lambda nation: cards[nation].order_round_10 or 0)


def round_start(table: Table) -> Consequence[Table]:
    """Begin a round: old leaders leave (only in round 10), reinforcements arrive (IT-RNF-07), then turns begin."""
    at_war = bool(factions(table))
    if at_war and not table.announced:
        for nation, standing in table.nations.items():
            if leaving := tuple(name for name, arrival in standing.came.items() if arrival < table.round):
                return lambda draft: draft.emit(reinforcements.LeadersDismissed(nation, leaving))
    coming = reinforcements.out_of_turn(table, "round-start")
    return coming or (lambda draft: draft.emit(RoundStageBegan("civil-war" if at_war else "turns")))


def next_faction(table: Table) -> list[Decision] | Consequence[Table] | None:
    """Ask one faction after the other for a campaign move, until nobody can or wants to (IT-I1-15 to IT-I1-17)."""
    order = factions(table)
    if not table.at_war:
        return _begin
    if table.levies:
        return _ask_for_levy(table)
    if table.passes >= len(order) or not any(_can_pay(table, nation) for nation in order):
        return _end(table)
    nation = _next(table)
    leader = _leader(table, nation)
    if leader is None or not _can_pay(table, nation):
        return lambda draft: draft.emit(FactionPassed(nation, automatic=True))
    names = table.names
    return [
        Decision(
            "march-or-pass",
            (table.seat_of(nation),),
            RuleId("IT-I1-16"),
            f"Does {names(leader)} move, or do the {names(nation)} pass?",
            "Then the next faction is asked. When all three pass one after the other, the campaigns end.",
            {"nation": nation, "leader": leader, "gold": table.nations[nation].gold},
        )
    ]


def _begin(draft: Draft[Table]) -> None:
    table = draft.table
    gold: dict[NationId, int] = {}
    levies: list[NationId] = []
    for nation in factions(table):
        card = table.cards.nations[nation]
        plan = card.plan_of(table.round)
        if plan is not None and _leader(table, nation) is not None:
            gold[nation] = plan.gold
        levy = card.special(Levy)
        if levy is not None and levy.round == table.round and nation in gold:
            levies.append(nation)
    draft.emit(CivilWarBegan(gold, tuple(levies)))


def _end(table: Table) -> Consequence[Table] | None:
    """End the campaigns of the factions, one after the other; None when all are over.

    Armies must leave areas of subjects (IT-CAM-13), and the limit holds again where the leaders are (IT-STK-19).
    """
    for nation in factions(table):
        plan = table.cards.nations[nation].plan_of(table.round)
        if plan is not None and plan.leader is not None:
            ended = campaign.end_of(table, nation, plan.leader, automatic=True)
            if ended.leaving:
                return lambda draft: draft.emit(ended)
    for nation in factions(table):
        leader = _leader(table, nation)
        place = table.place_of(leader) if leader is not None else None
        if place is not None and place in table.map.lands and stacking.excess_of(table, nation, place):
            return lambda draft: draft.emit(TurnBegan(nation, ("campaign-check", "exits")))
    return None


def _leader(table: Table, nation: NationId) -> LeaderId | None:
    plan = table.cards.nations[nation].plan_of(table.round)
    leader = None if plan is None else plan.leader
    return leader if leader in table.nations[nation].came else None


def _can_pay(table: Table, nation: NationId) -> bool:
    return table.nations[nation].gold >= table.data.costs.campaign_move


class MakeMove(Command, frozen=True):
    """Pay for a campaign move of your faction (IT-I1-15)."""

    rules = ("IT-I1-15", "IT-CAM-04")
    answers = frozenset({"march-or-pass"})

    nation: NationId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        nation, leader = _moving_faction(draft.table, self.nation)
        draft.emit(TurnBegan(nation, ("campaign",)))
        draft.emit(campaign.next_move(draft.table, nation, leader))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option("Make a move", {"nation": schema.const(_next(table))})


class Pass(Command, frozen=True):
    """Make no move, and save the gold; your faction may move again later (IT-I1-16)."""

    rules = ("IT-I1-16", "IT-CAM-04")
    answers = frozenset({"march-or-pass"})
    gesture = Gesture(quiet=True)

    nation: NationId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        draft.emit(FactionPassed(_moving_faction(draft.table, self.nation)[0]))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option("Pass", {"nation": schema.const(_next(table))})


def _next(table: Table) -> NationId:
    order = factions(table)
    last = table.done[-1] if table.done and table.done[-1] in order else order[-1]
    return order[(order.index(last) + 1) % len(order)]


def _moving_faction(table: Table, nation: NationId) -> tuple[NationId, LeaderId]:
    expected = _next(table)
    if nation != expected:
        names = table.names
        rule = "IT-I1-15" if nation in factions(table) else "IT-I1-14"
        raise Refusal(rule, f"The {names(nation)} cannot move now.", f"It is the turn of the {names(expected)}.")
    leader = _leader(table, nation)
    assert leader is not None, "a faction that is asked has its leader"
    return nation, leader


# --- units that a faction buys ---


class LevyUnits(Command, frozen=True):
    """Buy units that stand with the reinforcements of your faction; or none (IT-BUY-09).

    Attributes:
        number: how many you buy; 0 for none.
    """

    rules = ("IT-BUY-09", "IT-BUY-05")
    answers = frozenset({"levy"})
    gesture = Gesture(counts=("number",), control="purchase")

    nation: NationId
    number: Count

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        nation, kind, most, area = _levy(table)
        if self.nation != nation or self.number > most:
            wrong = f"The {table.names(self.nation)} cannot buy {amount_of(kind, self.number)}."
            rule = "IT-BUY-09" if self.nation == nation else "IT-I1-13"
            raise Refusal(rule, wrong, f"The {table.names(nation)} can buy up to {amount_of(kind, most)}.")
        cost = self.number * purchase.price(table, nation, kind)
        draft.emit(UnitsLevied(nation, kind, self.number, area, cost))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation, kind, most, _ = _levy(table)
        fields = {"nation": schema.const(nation), "number": schema.count(0, most)}
        yield cls.option(f"Buy {kind.replace('-', ' ')}s", fields, optional=())


def _levy(table: Table) -> tuple[NationId, Kind, int, AreaId]:
    """Return who may buy, which type, how many at most, and where they stand."""
    nation = table.levies[0]
    levy, leader = table.cards.nations[nation].special(Levy), _leader(table, nation)
    assert levy is not None, "a card grants the levy"
    assert leader is not None, "only a faction with its leader buys units"
    kind = levy.unit
    area = table.place_of(leader)
    assert area is not None, "the leader is on the board"
    affordable = table.nations[nation].gold // purchase.price(table, nation, kind)
    return nation, kind, min(affordable, table.supply(nation).get(kind, 0)), area


def _ask_for_levy(table: Table) -> list[Decision] | Consequence[Table]:
    nation, kind, most, area = _levy(table)
    if not most:
        return lambda draft: draft.emit(UnitsLevied(nation, kind, 0, area, 0))
    question = f"How many {kind.replace('-', ' ')}s do the {table.names(nation)} buy?"
    about = {"nation": nation, "kind": kind, "most": most, "gold": table.nations[nation].gold}
    return [Decision("levy", (table.seat_of(nation),), RuleId("IT-BUY-09"), question, "Then the factions move.", about)]


# --- units that go over ---


def defect(table: Table) -> Consequence[Table] | None:
    """Roll for the units in the areas of leaders to whom they may go over (IT-I1-18); Optimates first (IT-I1-21)."""
    return _roll if any(True for _ in _wavering(table)) else None


def _roll(draft: Draft[Table]) -> None:
    for nation in factions(draft.table):
        for each, special, area in _wavering(draft.table):
            if each == nation:
                _roll_for(draft, nation, special, area)


def _wavering(table: Table) -> Iterator[tuple[NationId, Defection, AreaId]]:
    """Yield to which factions units may go over, and in which area."""
    for nation in factions(table):
        special = table.cards.nations[nation].special(Defection)
        area = None if special is None else table.leader_at(special.leader)
        if special is None or area is None or area in table.fleets:
            continue
        if table.army(AreaId(area), special.of).units.get(special.unit):
            yield nation, special, AreaId(area)


def _roll_for(draft: Draft[Table], nation: NationId, special: Defection, area: AreaId) -> None:
    table, kind = draft.table, special.unit
    units = table.army(area, special.of).units
    draw, faces = dice.roll_dice(draft, units[kind])
    least = special.least_with if units.get(special.but_with) else special.least
    number = sum(int(face) >= least for face in faces)
    replaced = min(number, table.supply(nation).get(kind, 0))
    draft.emit(UnitsDefected(nation, special.leader, area, special.of, kind, draw, faces, number, replaced))


EVENTS = (CivilWarBegan, UnitsLevied, FactionPassed, UnitsDefected)
COMMANDS = (MakeMove, Pass, LevyUnits)
