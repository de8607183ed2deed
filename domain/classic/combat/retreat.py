"""Fighting on or retreating, and the way out of the province (chapter RET; pursuit.py has the pursuit).

After a round in which both sides still have units, first the defender and then the attacker announces whether they
fight on. A side that retreats alone is pursued if the winner has cavalry (CC-PUR-04). Its owner then names one
province, and what is left moves there (CC-RET-20). A side that needs consent to cross a strait asks for it before it
announces (CC-RET-15).
"""

from collections.abc import Iterator

from msgspec.structs import replace

from domain.classic.box.pieces import Army, LeaderId
from domain.classic.box.state import Battle, Side
from domain.classic.box.table import Command, Event, Table, battle_of
from domain.classic.combat import battle, conquest
from domain.classic.combat.destinations import (
    askable,
    destinations,
    leaders_to_go,
    may_retreat,
    strait_owners,
    total_loss,
    why_no_retreat,
)
from domain.classic.combat.losses import force, remove
from domain.classic.moves import passage
from domain.conquest.pieces import NO_UNITS, Units
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Names
from domain.kernel.rules.refusal import Refusal, refuse_unless

# --- events ---


class RetreatAsked(Event, frozen=True):
    """A side wants to retreat across a strait and asks the owners of the galleys there (CC-RET-15).

    Attributes:
        to: the province beyond the strait.
        asked: the owners of the galleys.
    """

    rules = ("CC-RET-15",)

    seat: Seat
    to: AreaId
    asked: tuple[Seat, ...]

    def apply(self, table: Table) -> None:
        table.battle = replace(battle_of(table), asking=self.to, asked=self.asked)

    def tell(self, names: Names) -> str:
        owners = names.all(self.asked)
        return f"{names(self.seat)} asks {owners} to let them retreat across the strait to {names(self.to)}."


class RetreatAnswered(Event, frozen=True):
    """The owner of galleys in a strait let a retreat pass or not; one refusal is enough to prevent it (CC-RET-15).

    Attributes:
        seat: the owner of the galleys.
        to: the province beyond the strait.
        granted: whether they let it pass.
    """

    rules = ("CC-RET-15",)

    seat: Seat
    to: AreaId
    granted: bool
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        fight = battle_of(table)
        waiting = tuple(seat for seat in fight.asked if seat != self.seat)
        if waiting and self.granted:
            table.battle = replace(fight, asked=waiting)
            return
        answers = {**fight.strait_answers, self.to: self.granted}
        table.battle = replace(fight, asking=None, asked=(), strait_answers=answers)

    def tell(self, names: Names) -> str:
        answer = "lets the retreat pass" if self.granted else "does not let the retreat pass"
        return f"{names(self.seat)} {answer} to {names(self.to)}."


class RetreatRequestWithdrawn(Event, frozen=True):
    """A side withdrew its request to retreat across a strait before all had answered (CC-RET-15).

    Attributes:
        to: the province beyond the strait.
    """

    rules = ("CC-RET-15",)

    seat: Seat
    to: AreaId

    def apply(self, table: Table) -> None:
        table.battle = replace(battle_of(table), asking=None, asked=())

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} withdrew the request to retreat to {names(self.to)}."


class RetreatAnnounced(Event, frozen=True):
    """A side announced that it retreats or that it fights on (CC-RET-01).

    Attributes:
        retreat: whether it retreats.
    """

    rules = ("CC-RET-01",)

    seat: Seat
    retreat: bool
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        fight = battle_of(table)
        if self.seat == fight.defender.seat:
            defender = replace(fight.defender, retreats=self.retreat)
            table.battle = replace(fight, defender=defender, step="announce-attacker")
        else:
            attacker = replace(fight.attacker, retreats=self.retreat)
            table.battle = replace(fight, attacker=attacker, step="resolve")

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} {'retreats' if self.retreat else 'fights on'}."


class UnitsAbandoned(Event, frozen=True):
    """Units that could not join a retreat were eliminated (CC-RET-08, CC-RET-12).

    Attributes:
        landed: the units among them that came from galleys this turn.
    """

    rules = ("CC-RET-08", "CC-RET-12")
    places = (("province", "lost"),)

    seat: Seat
    province: AreaId
    units: Units
    landed: Units = NO_UNITS

    def apply(self, table: Table) -> None:
        remove(table, self.province, self.seat, self.units, self.landed)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} lost {self.units} that could not retreat from {names(self.province)}."


class RetreatBegan(Event, frozen=True):
    """The sides that retreat leave the province (CC-PUR-01, CC-RET-09).

    Attributes:
        seats: the sides that retreat, in the order in which they leave.
        pursuer: who rolls for the pursuit before they leave; null when there is no pursuit.
    """

    rules = ("CC-PUR-01", "CC-RET-09")

    seats: tuple[Seat, ...]
    pursuer: Seat | None = None

    def apply(self, table: Table) -> None:
        step = "pursue" if self.pursuer else "withdraw"
        table.battle = replace(battle_of(table), leaving=self.seats, step=step)

    def tell(self, names: Names) -> str:
        pursuit = f"pursued by {names(self.pursuer)}" if self.pursuer else "without pursuit"
        return f"The retreat of {names.all(self.seats)} began, {pursuit}."


class ArmyRetreated(Event, frozen=True):
    """Everything that a retreating side could take along moved to one province (CC-RET-06).

    Attributes:
        province: where the battle was.
        to: the province to which the side retreated.
    """

    rules = ("CC-RET-06",)
    places = (("province", "from"), ("to", "to"))

    seat: Seat
    province: AreaId
    to: AreaId
    units: Units = NO_UNITS
    leaders: tuple[LeaderId, ...] = ()
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        fight = battle_of(table)
        table.battle = replace(fight, leaving=tuple(seat for seat in fight.leaving if seat != self.seat))
        table.set_army(self.province, self.seat, Army(landed=table.army(self.province, self.seat).landed))
        army = table.army(self.to, self.seat)
        table.set_army(self.to, self.seat, replace(army, spent=army.spent + self.units))
        for leader in self.leaders:
            table.change_leader(leader, at=self.to, moves=0)

    def tell(self, names: Names) -> str:
        leaders = f" with {names.all(self.leaders)}" if self.leaders else ""
        way = f"from {names(self.province)} to {names(self.to)}"
        return f"{names(self.seat)} retreated {way}: {self.units}{leaders}."


# --- commands ---


class Announce(Command, frozen=True):
    """Announce that you retreat, or that you fight on (CC-RET-01, CC-RET-02).

    Attributes:
        retreat: whether you retreat.
        confirm_loss: required, and only accepted, for a retreat in which no unit would get away (CC-RET-08).
    """

    rules = ("CC-RET-22", "CC-RET-01", "CC-RET-02")
    answers = frozenset({"announce"})

    retreat: bool
    confirm_loss: bool = False

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, fight = draft.table, battle_of(draft.table)
        loss_rule = total_loss(table, fight, seat)
        wrong = f"You asked to {'retreat from' if self.retreat else 'fight on in'} {fight.province}."
        if self.retreat and not may_retreat(table, fight, seat):
            allowed = f"Fight on, or first ask to cross the strait to {' or '.join(askable(table, fight, seat))}."
            raise Refusal("CC-RET-07", wrong, allowed)
        if self.retreat and loss_rule and not self.confirm_loss:
            raise Refusal(loss_rule, wrong, "No unit would get away. To retreat anyway, send `confirm_loss` as true.")
        if self.confirm_loss and not (self.retreat and loss_rule):
            rule = "CC-RET-07" if table.edition.retreat_needs_destination else "CC-RET-08"
            raise Refusal(rule, wrong, "Leave out `confirm_loss`: this does not lose every unit.")
        draft.emit(RetreatAnnounced(seat, self.retreat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterator[Option]:
        fight = battle_of(table)
        rule = "CC-RET-01" if table.edition.both_may_retreat else "CC-RET-02"
        yield cls.option("Fight on", {"retreat": schema.const(False)}, rule=rule)
        if not may_retreat(table, fight, seat):
            return
        fields = {"retreat": schema.const(True)}
        if loss_rule := total_loss(table, fight, seat):
            yield cls.option(
                "Retreat and lose every unit", {**fields, "confirm_loss": schema.const(True)}, rule=loss_rule
            )
        else:
            yield cls.option("Retreat", fields, rule=rule)


class AskRetreat(Command, frozen=True):
    """Ask the owners of the galleys in a strait to let you retreat across it, before you announce (CC-RET-15).

    Attributes:
        to: the province beyond the strait.
    """

    rules = ("CC-RET-15",)
    answers = frozenset({"announce"})
    gesture = Gesture(to="to")

    to: AreaId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, fight = draft.table, battle_of(draft.table)
        wrong = f"You cannot ask for a retreat to {self.to}."
        if reason := why_no_retreat(table, fight, seat, self.to):
            raise Refusal(reason[0], wrong, reason[1])
        if self.to in fight.strait_answers:
            raise Refusal("CC-RET-15", wrong, "Your request was already answered this round.")
        owners = strait_owners(table, fight, seat, self.to)
        rule = "CC-RET-15" if table.edition.galleys_block_straits else "CC-RET-16"
        refuse_unless(owners, rule, wrong, "You need nobody's consent to retreat there.")
        draft.emit(RetreatAsked(seat, self.to, owners))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterator[Option]:
        if places := askable(table, battle_of(table), seat):
            yield cls.option("Ask to retreat across the strait", {"to": schema.one_of(places)})


class AnswerRetreat(Command, frozen=True):
    """Let a retreat across the strait pass your galleys, or refuse it (CC-RET-15).

    Attributes:
        grant: whether the retreat may pass.
    """

    rules = ("CC-RET-15",)
    answers = frozenset({"answer-strait-retreat"})

    grant: bool

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        to = battle_of(draft.table).asking
        if to is None:
            raise AssertionError("nobody has asked for a retreat across a strait")
        draft.emit(RetreatAnswered(seat, to, self.grant))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterator[Option]:
        yield cls.option("Allow or refuse", {"grant": {"type": "boolean"}})


class WithdrawRetreatRequest(Command, frozen=True):
    """Withdraw your request to retreat across a strait before all have answered it (CC-RET-15)."""

    rules = ("CC-RET-15",)

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        fight = draft.table.battle
        if fight is None or fight.asking is None or _announcing(fight).seat != seat:
            rule = "CC-RET-15" if draft.table.edition.galleys_block_straits else "CC-RET-16"
            wrong = "You have no request for a retreat to withdraw."
            raise Refusal(rule, wrong, "You can withdraw a request of yours until everybody has answered it.")
        draft.emit(RetreatRequestWithdrawn(seat, fight.asking))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterator[Option]:
        fight = table.battle
        if fight is not None and fight.asking is not None and _announcing(fight).seat == seat:
            yield cls.option("Withdraw the request")


class Withdraw(Command, frozen=True):
    """Name the province to which the whole force retreats (CC-RET-06, CC-RET-20)."""

    rules = ("CC-RET-20", "CC-RET-06")
    answers = frozenset({"withdraw"})
    gesture = Gesture(to="to")

    to: AreaId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, fight = draft.table, battle_of(draft.table)
        wrong = f"You cannot retreat to {self.to}."
        if reason := why_no_retreat(table, fight, seat, self.to):
            raise Refusal(reason[0], wrong, reason[1])
        if self.to not in destinations(table, fight, seat):
            raise Refusal("CC-RET-15", wrong, "All owners of galleys in the strait must consent first.")
        _withdraw(draft, seat, self.to)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterator[Option]:
        yield cls.option("Retreat to a province", {"to": schema.one_of(destinations(table, battle_of(table), seat))})


def _withdraw(draft: Draft[Table], seat: Seat, to: AreaId, *, automatic: bool = False) -> None:
    """Carry out a retreat; units that end it in a neutral or foreign province conquer it (CC-RET-21)."""
    table, fight = draft.table, battle_of(draft.table)
    units, leaders = force(table, fight, seat).by_land, leaders_to_go(table, fight, seat)
    draft.emit(ArmyRetreated(seat, fight.province, to, units, leaders, automatic))
    if units.total:
        conquest.after_retreat(draft, to, seat)


# --- the steps after a round ---


def announce(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask a side whether it retreats, or owners of galleys in a strait if it may cross, where there is a choice."""
    fight = battle_of(table)
    side = _announcing(fight)
    if fight.asking is not None:
        return _ask_for_strait(table, fight, side, fight.asking)
    if _attacker_is_not_asked(table, fight):
        return resolve
    if _must_fight_on(table, fight, side):
        return lambda draft: draft.emit(RetreatAnnounced(side.seat, retreat=False, automatic=True))
    both = table.edition.both_may_retreat
    decision = Decision(
        "announce",
        (side.seat,),
        RuleId("CC-RET-01" if both else "CC-RET-02"),
        f"Do you fight on in {table.names(fight.province)}, or retreat?",
        "Then the attacker announces." if side is fight.defender else "Then the battle goes on or ends.",
        {"province": fight.province, "round": fight.round, "enemy_retreats": bool(fight.defender.retreats)},
    )
    return [decision]


def _ask_for_strait(table: Table, fight: Battle, side: Side, to: AreaId) -> list[Decision] | Consequence[Table]:
    strait = table.map.strait_between(fight.province, to)
    for owner in fight.asked:
        if passage.has_grant(table, owner, side.seat, "strait", strait):
            return lambda draft: draft.emit(RetreatAnswered(owner, to, granted=True, automatic=True))
    decision = Decision(
        "answer-strait-retreat",
        fight.asked,
        RuleId("CC-RET-15"),
        f"Do you let {table.names(side.seat)} retreat across the strait to {table.map.area(to).name}?",
        "It is a destination only if all owners of galleys there consent.",
        {"province": fight.province, "to": to, "seat": side.seat},
    )
    return [decision]


def _announcing(fight: Battle) -> Side:
    return fight.defender if fight.step == "announce-defender" else fight.attacker


def _attacker_is_not_asked(table: Table, fight: Battle) -> bool:
    """Tell whether the attacker is not asked because the defender's retreat ends the battle (CC-RET-02)."""
    return fight.step == "announce-attacker" and bool(fight.defender.retreats) and not table.edition.both_may_retreat


def _must_fight_on(table: Table, fight: Battle, side: Side) -> bool:
    """Tell whether a side has no choice: it can neither retreat nor ask to cross a strait (CC-RET-07)."""
    return not may_retreat(table, fight, side.seat) and not askable(table, fight, side.seat)


def _somebody_leaves(table: Table, fight: Battle) -> bool:
    """Tell whether the next side to leave has units or leaders to move; leaders may leave without units (CC-PUR-06)."""
    if not fight.leaving:
        return False
    seat = fight.leaving[0]
    return force(table, fight, seat).by_land.total > 0 or bool(leaders_to_go(table, fight, seat))


def resolve(draft: Draft[Table]) -> None:
    """Carry out what the sides announced: another round, or one or both leave (CC-RET-01, CC-PUR-01, CC-PUR-02)."""
    fight = battle_of(draft.table)
    leaving = tuple(side.seat for side in (fight.defender, fight.attacker) if side.retreats)
    if not leaving:
        battle.next_round(draft)
    elif len(leaving) == 2:
        draft.emit(RetreatBegan(leaving))
    else:
        _retreat_alone(draft, fight, leaving[0])


def _retreat_alone(draft: Draft[Table], fight: Battle, seat: Seat) -> None:
    """Let one side retreat: units that cannot leave are lost first, and the others are pursued (CC-RET-20)."""
    table, winner = draft.table, fight.attacker.seat if seat == fight.defender.seat else fight.defender.seat
    army, stranded = force(table, fight, seat), not destinations(table, fight, seat)
    losses = army.units if stranded else army.landed
    if losses.total:
        draft.emit(UnitsAbandoned(seat, fight.province, losses, army.landed))
    if stranded:
        battle.end(draft, "retreat", attacker_won=seat == fight.defender.seat, rule="CC-RET-08")
        return
    pursued = army.by_land.total and force(table, fight, winner).units.cavalry  # CC-PUR-04
    draft.emit(RetreatBegan((seat,), winner if pursued else None))


def withdraw(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the side that leaves for a destination, where there is a choice; when all have left, end the battle."""
    fight = battle_of(table)
    if not _somebody_leaves(table, fight):
        return _end_retreat
    seat = fight.leaving[0]
    places = destinations(table, fight, seat)
    if len(places) == 1:
        return lambda draft: _withdraw(draft, seat, places[0], automatic=True)
    decision = Decision(
        "withdraw",
        (seat,),
        RuleId("CC-RET-20"),
        f"To which province does your army in {table.names(fight.province)} retreat?",
        "The battle is over when the retreating army has left.",
        {"province": fight.province},
    )
    return [decision]


def _end_retreat(draft: Draft[Table]) -> None:
    """End the battle that one side or both have left (CC-RET-18, CC-RET-19)."""
    fight = battle_of(draft.table)
    both = bool(fight.attacker.retreats and fight.defender.retreats)
    attacker_won = bool(fight.defender.retreats) and not both
    battle.end(draft, "both-retreat" if both else "retreat", attacker_won=attacker_won, rule="CC-RET-13")


EVENTS = (
    RetreatAsked,
    RetreatAnswered,
    RetreatRequestWithdrawn,
    RetreatAnnounced,
    UnitsAbandoned,
    RetreatBegan,
    ArmyRetreated,
)
COMMANDS = (Announce, AskRetreat, AnswerRetreat, WithdrawRetreatRequest, Withdraw)
