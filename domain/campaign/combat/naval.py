"""Naval moves, and battles at sea (chapter NAV; the rounds of a battle are in battle.py)."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.campaign.box.data import Calm
from domain.campaign.box.state import NavalMove
from domain.campaign.box.table import Command, Event, Table, battle_of, turn_of
from domain.campaign.combat import forces
from domain.campaign.combat.battle import BattleBegan
from domain.campaign.turn.turn import ACT, require_action
from domain.conquest.pieces import Units, amount_of
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Count, Names, enumerated
from domain.kernel.rules.refusal import Refusal, or_none

# --- what happens ---


class GalleysMoved(Event, frozen=True):
    """A player moved galleys to one sea zone (CS-NAV-01); nobody can stop them (CS-NAV-02).

    Attributes:
        galleys: how many came from each sea zone.
    """

    rules = ("CS-NAV-01", "CS-NAV-02")
    places = (("galleys", "from"), ("to", "to"))

    seat: Seat
    galleys: dict[AreaId, Count]
    to: AreaId

    def apply(self, table: Table) -> None:
        table.spend_action()
        for sea, number in self.galleys.items():
            table.add_galleys(sea, self.seat, -number)
            table.add_galleys(self.to, self.seat, number)
        table.change_turn(naval_move=NavalMove(self.to))

    def tell(self, names: Names) -> str:
        each = [f"{amount_of('galleys', number)} from {names(sea)}" for sea, number in sorted(self.galleys.items())]
        return f"{names(self.seat)} moved {enumerated(each)} to {names(self.to)}."


class BattleAvoided(Event, frozen=True):
    """The attacked player avoided a naval battle by a card (CS-EFF-25); the attacker's action is spent."""

    rules = ("CS-EFF-25",)

    seat: Seat

    def apply(self, table: Table) -> None:
        table.battle = None

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} avoided the battle with a favorable wind."


class BattleAccepted(Event, frozen=True):
    """The attacked player accepted a naval battle. The service accepts for them if they have no card to avoid it.

    Attributes:
        automatic: whether there was no card to avoid it with.
    """

    rules = ("CS-EFF-25",)

    seat: Seat
    automatic: bool = False

    def apply(self, table: Table) -> None:
        table.battle = replace(battle_of(table), step="muster")

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} accepts the battle."


# --- what players choose ---


class Sail(Command, frozen=True):
    """Move any of your galleys, over any distance, to one sea zone (CS-NAV-01); a battle may follow (CS-NAV-03).

    Attributes:
        galleys: how many from each sea zone.
    """

    rules = ("CS-NAV-01", "CS-NAV-02", "CS-NAV-03")
    answers = ACT
    gesture = Gesture(start="galleys", to="to", counts=("galleys",))

    galleys: dict[AreaId, Count]
    to: AreaId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        each = [f"{amount_of('galleys', number)} from {sea}" for sea, number in sorted(self.galleys.items())]
        wrong = f"You cannot move {', '.join(each) or 'no galleys'} to {self.to}."
        require_action(table, wrong)
        if self.to not in table.map.seas:
            raise Refusal("CS-BRD-01", wrong, "Galleys are in sea zones only.")
        if not any(self.galleys.values()) or self.to in self.galleys:
            raise Refusal("CS-NAV-01", wrong, "Move at least one galley, from other sea zones.")
        for sea, number in self.galleys.items():
            available = table.galleys(sea, seat)
            if not available or number > available:
                raise Refusal("CS-NAV-01", wrong, f"You have {amount_of('galleys', available)} in {sea}.")
        draft.emit(GalleysMoved(seat, {sea: number for sea, number in sorted(self.galleys.items()) if number}, self.to))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        own = {sea: number for sea in table.map.seas if (number := table.galleys(sea, seat))}
        if not turn_of(table).actions or not own:
            return
        elsewhere = [sea for sea in table.map.seas if sea not in own]
        ways = [("Move galleys", elsewhere, own)]
        ways += [(f"Move galleys to {table.names(sea)}", [sea], _without(own, sea)) for sea in own]
        for title, places, sources in ways:
            if sources:
                counts = {sea: schema.count(0, number) for sea, number in sources.items()}
                galleys = schema.record(counts, counts, x_sum={"minimum": 1, "maximum": sum(sources.values())})
                yield cls.option(title, {"galleys": galleys, "to": schema.one_of(places)})


def _without(own: dict[AreaId, int], sea: AreaId) -> dict[AreaId, int]:
    return {other: number for other, number in own.items() if other != sea}


class AttackAtSea(Command, frozen=True):
    """Attack the galleys of one player who is not your ally, with any of yours in the same sea zone (CS-NAV-03).

    After a move of galleys, the attack costs no further action.

    Attributes:
        galleys: how many of yours.
    """

    rules = ("CS-NAV-03", "CS-AUC-17")
    answers = ACT
    gesture = Gesture(to="sea", targets=("defender",), counts=("galleys",))

    sea: AreaId
    defender: Seat
    galleys: Count

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        wrong = f"You cannot attack {self.defender} in {self.sea} with {amount_of('galleys', self.galleys)}."
        after_move = turn_of(table).naval_move is not None
        if not after_move:
            require_action(table, wrong)
        if self.defender not in (others := opponents(table, self.sea, seat)):
            rule = "CS-AUC-17" if table.are_allied(seat, self.defender) else "CS-NAV-03"
            raise Refusal(rule, wrong, f"Players there whom you can attack: {or_none(others)}.")
        available = table.galleys(self.sea, seat)
        if not 1 <= self.galleys <= available:
            allowed = f"You have {amount_of('galleys', available)} there. Attack with at least one."
            raise Refusal("CS-NAV-03", wrong, allowed)
        attacking = forces.force(seat, Units(), {self.sea: self.galleys})
        defending = forces.force(self.defender, Units(), {self.sea: table.galleys(self.sea, self.defender)})
        draft.emit(
            BattleBegan(
                self.sea,
                True,
                seat,
                self.defender,
                forces.joined(attacking, forces.phantoms(table, seat, self.sea, naval=True)),
                forces.joined(defending, forces.phantoms(table, self.defender, self.sea, naval=True)),
                takes_action=not after_move,
            )
        )

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        turn = turn_of(table)
        if not turn.actions and turn.naval_move is None:
            return
        for sea, others in battles(table, seat).items():
            galleys = schema.count(1, table.galleys(sea, seat))
            fields = {"sea": schema.const(sea), "defender": schema.one_of(others), "galleys": galleys}
            yield cls.option(f"Attack in {table.names(sea)}", fields)


def opponents(table: Table, sea: AreaId, seat: Seat) -> list[Seat]:
    """Return the players whose galleys a player could attack in a sea zone."""
    fleet = table.fleets.get(sea, {})
    return [other for other in table.seats if other in fleet and not table.are_allied(seat, other)]


def battles(table: Table, seat: Seat) -> dict[AreaId, list[Seat]]:
    """Return the sea zones where a player could attack, each with the possible opponents."""
    own = [sea for sea in table.map.seas if table.galleys(sea, seat)]
    return {sea: others for sea in own if (others := opponents(table, sea, seat))}


class AnswerBattle(Command, frozen=True):
    """Avoid a naval battle by your card, or accept it (CS-EFF-25).

    Attributes:
        avoid: whether the battle is avoided.
    """

    rules = ("CS-EFF-25",)
    answers = frozenset({"wind"})

    avoid: bool

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        draft.emit(BattleAvoided(seat) if self.avoid else BattleAccepted(seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option("Avoid the battle, or accept it", {"avoid": {"type": "boolean"}})


def wind(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the attacked player whether to avoid the battle, if they have a card for that; otherwise accept it."""
    fight = battle_of(table)
    seat = fight.defender.seat
    if not any(isinstance(card.effect, Calm) for card, _ in table.cards_of(seat)):
        return lambda draft: draft.emit(BattleAccepted(seat, automatic=True))
    title = f"Do you avoid the battle in {table.names(fight.place)}?"
    about = {"place": fight.place, "attacker": fight.attacker.seat}
    return [Decision("wind", (seat,), RuleId("CS-EFF-25"), title, "If you accept, the battle begins.", about)]


EVENTS = (GalleysMoved, BattleAvoided, BattleAccepted)
COMMANDS = (Sail, AttackAtSea, AnswerBattle)
