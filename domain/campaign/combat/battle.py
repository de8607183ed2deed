"""Battles: how they begin, who joins them, their rounds and their end (chapters BAT and NAV).

Battles on land, at sea and against slaves run the same way, with different dice, help and length. Units stay where
they are on the board; a force says which of them fight. Units that are lost leave the force and the board.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain.campaign.box.state import SLAVES, Battle, Escaping, Group, Revolt, Side
from domain.campaign.box.table import Command, Event, Table, battle_of
from domain.campaign.combat import forces
from domain.campaign.moves import cities
from domain.campaign.turn.turn import end_move
from domain.conquest import dice
from domain.conquest.dice import Face
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Count, Draw, Names, enumerated
from domain.kernel.rules.refusal import Refusal

DICE: Final = 3
"""Dice of each side in a round on land, whatever its size (CS-BAT-12)."""
ROUNDS_AT_SEA: Final = 3
"""The most rounds of a naval battle (CS-NAV-08)."""
CHAOS: Final = 2
"""Chaos points of the loser (CS-BAT-22)."""


class Throw(Struct, frozen=True):
    """Dice of one side in a round.

    Attributes:
        hits: how many dice hit, also those for which the other side has no unit left.
    """

    seat: Seat
    draw: Draw
    faces: tuple[Face, ...]
    hits: Count


# --- what happens ---


class BattleBegan(Event, frozen=True):
    """A battle began (CS-BAT-01, CS-NAV-03, CS-EFF-22), with the phantom units of both participants (CS-EFF-09).

    Attributes:
        place: the province, or the sea zone.
        attacking: the attacker's force, by owner and type.
        defending: the defender's force.
        takes_action: whether it takes an action of the attacker; a naval battle after a move does not.
        naval: whether it is fought at sea.
    """

    rules = ("CS-BAT-01", "CS-BAT-02", "CS-BAT-10", "CS-NAV-03", "CS-EFF-09", "CS-EFF-22")
    places = (("place", "at"),)

    place: AreaId
    naval: bool
    attacker: Seat
    defender: Seat
    attacking: dict[Group, Count]
    defending: dict[Group, Count]
    takes_action: bool = True

    def apply(self, table: Table) -> None:
        if self.takes_action:
            table.spend_action()
        elif self.naval:
            end_move(table)
        attacker, defender = Side(self.attacker, self.attacking), Side(self.defender, self.defending)
        table.battle = Battle(self.place, self.naval, attacker, defender, "wind" if self.naval else "muster")

    def tell(self, names: Names) -> str:
        attacking = forces.in_words(self.attacking, self.attacker, names)
        defending = forces.in_words(self.defending, self.defender, names)
        attack = f"{forces.participant(self.attacker, names)} attack{'s' * (self.attacker != SLAVES)}"
        return f"{attack} {names(self.defender)} in {names(self.place)}: {attacking} against {defending}."


class ForceJoined(Event, frozen=True):
    """A participant called galleys (CS-BAT-04) or an ally lent units (CS-BAT-06), or they declined to.

    Attributes:
        to: the participant who controls them (CS-BAT-09).
        force: the units that joined; empty when they declined.
        leader: whether an ally lent a leader (CS-BAT-07).
    """

    rules = ("CS-BAT-04", "CS-BAT-06", "CS-BAT-07", "CS-BAT-09", "CS-NAV-06")

    seat: Seat
    to: Seat
    force: dict[Group, Count]
    leader: bool = False

    def apply(self, table: Table) -> None:
        battle = battle_of(table)
        side = battle.side(self.to)
        leaders = (*side.leaders, self.seat) if self.leader else side.leaders
        side = replace(side, force=forces.joined(side.force, self.force), leaders=leaders)
        table.battle = replace(with_side(battle, side), answered=(*battle.answered, self.seat))

    def tell(self, names: Names) -> str:
        units = [forces.in_words(self.force, self.seat, names)] if self.force else []
        if self.seat == self.to:
            return f"{names(self.seat)} called {enumerated(units) or 'no galleys'} into the battle."
        loan = " with ".join([*units, *(["a leader"] if self.leader else [])])
        return f"{names(self.seat)} lent {names(self.to)} {loan or 'nothing'}."


class BattleRoundBegan(Event, frozen=True):
    """A round of the battle began (CS-BAT-11)."""

    rules = ("CS-BAT-11", "CS-NAV-08")

    round: int

    def apply(self, table: Table) -> None:
        table.battle = replace(battle_of(table), round=self.round, step="roll")

    def tell(self, names: Names) -> str:
        return f"Round {self.round} of the battle began."


class BattleRolled(Event, frozen=True):
    """Both sides rolled (CS-BAT-20); or one of them, where a city lets the defender fire first (CS-BAT-21).

    Attributes:
        attacker: the attacker's dice; null while only the defender has rolled.
        defender: the defender's dice; null when the attacker returns the fire.
    """

    rules = ("CS-BAT-12", "CS-BAT-16", "CS-BAT-17", "CS-BAT-20", "CS-BAT-21", "CS-NAV-04", "CS-NAV-05", "CS-NAV-11")

    attacker: Throw | None
    defender: Throw | None

    def apply(self, table: Table) -> None:
        battle = battle_of(table)
        attacker, defender = battle.attacker, battle.defender
        if self.defender is not None:
            attacker = replace(attacker, hits=min(self.defender.hits, forces.size(attacker.force)))
        if self.attacker is not None:
            defender = replace(defender, hits=min(self.attacker.hits, forces.size(defender.force)))
        table.battle = replace(
            battle, attacker=attacker, defender=defender, step="lose", returns_fire=self.attacker is None
        )

    def tell(self, names: Names) -> str:
        throws = [throw for throw in (self.attacker, self.defender) if throw is not None]
        each = [
            f"{forces.participant(throw.seat, names)} rolled {names.all(throw.faces)}:"
            f" {throw.hits or 'no'} hit{'s' * (throw.hits != 1)}"
            for throw in throws
        ]
        return "; ".join(each) + "."


class UnitsLost(Event, frozen=True):
    """A side removed units, one for each hit (CS-BAT-18); leaders are never lost (CS-BAT-19).

    Attributes:
        lost: the units that were removed, by owner and type.
    """

    rules = ("CS-BAT-18", "CS-BAT-19", "CS-PCS-05", "CS-EFF-11")

    seat: Seat
    lost: dict[Group, Count]
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        battle = battle_of(table)
        side = battle.side(self.seat)
        forces.take_off(table, battle.place, self.lost)
        table.battle = with_side(battle, replace(side, force=forces.without(side.force, self.lost), hits=0))

    def tell(self, names: Names) -> str:
        return f"{forces.participant(self.seat, names)} lost {forces.in_words(self.lost, self.seat, names)}."


class BattleRoundEnded(Event, frozen=True):
    """Both sides had units left after a round on land; either may retreat (CS-RET-01)."""

    rules = ("CS-BAT-11", "CS-RET-01")

    announcing: tuple[Seat, ...]

    def apply(self, table: Table) -> None:
        table.battle = replace(battle_of(table), step="announce", announcing=self.announcing)

    def tell(self, names: Names) -> str:
        return "Both sides have units left."


class BattleEnded(Event, frozen=True):
    """A battle ended (CS-BAT-11); its loser got chaos (CS-BAT-22). Lent units returned to their owners (CS-BAT-09).

    Attributes:
        loser: who lost; null when a naval battle was undecided (CS-NAV-10).
        chaos: chaos points of the loser.
        escaping: the player whose leaders must leave the province (CS-RET-04).
        may_stay: whether these leaders may stay with units that did not fight.
        slaves: how many slaves are left of a revolt.
    """

    rules = ("CS-BAT-09", "CS-BAT-11", "CS-BAT-22", "CS-BAT-23", "CS-BAT-24", "CS-NAV-09", "CS-NAV-10")
    places = (("place", "at"),)

    place: AreaId
    winner: Seat | None
    loser: Seat | None
    chaos: Count = 0
    escaping: Seat | None = None
    may_stay: bool = False
    slaves: Count = 0

    def apply(self, table: Table) -> None:
        table.battle = None
        if self.loser is not None and self.loser != SLAVES:
            table.add_chaos(self.loser, self.chaos)
        if self.escaping is not None:
            table.escape = Escaping(self.escaping, self.place, self.may_stay)
        if table.revolt is not None:
            table.revolt = Revolt(table.revolt.by, table.revolt.province, self.slaves)

    def tell(self, names: Names) -> str:
        if self.winner is None or self.loser is None:
            return f"The battle in {names(self.place)} ended undecided."
        winner, loser = forces.participant(self.winner, names), forces.participant(self.loser, names)
        chaos = f", who got {self.chaos} chaos" if self.chaos else ""
        return f"{winner} won the battle in {names(self.place)} against {loser}{chaos}."


def with_side(battle: Battle, side: Side) -> Battle:
    """Return a battle with one of its sides changed."""
    return replace(battle, attacker=side) if battle.attacker.seat == side.seat else replace(battle, defender=side)


# --- its rounds ---


def roll(draft: Draft[Table]) -> None:
    """Roll for both sides, or only for the defender if a city lets them fire first (CS-BAT-20, CS-BAT-21)."""
    battle = battle_of(draft.table)
    if _fires_first(draft.table, battle):
        draft.emit(BattleRolled(None, _throw(draft, battle, battle.defender)))
    else:
        attacker = _throw(draft, battle, battle.attacker)
        draft.emit(BattleRolled(attacker, _throw(draft, battle, battle.defender)))


def _fires_first(table: Table, battle: Battle) -> bool:
    return not battle.naval and table.provinces[battle.place].city == battle.defender.seat


def _throw(draft: Draft[Table], battle: Battle, side: Side) -> Throw:
    draw, faces = dice.roll(draft, number_of_dice(draft.table, battle, side))
    units, galleys = forces.by_type(side.force)
    return Throw(side.seat, draw, faces, dice.hits(faces, units, galleys))


def struck(table: Table, throw: Throw) -> tuple[bool, ...]:
    """Return for each die of a throw whether it hit; `table` is as it was before the throw (CS-BAT-16, CS-NAV-05)."""
    battle = battle_of(table)
    side = battle.attacker if throw.seat == battle.attacker.seat else battle.defender
    return dice.struck(throw.faces, *forces.by_type(side.force))


def number_of_dice(table: Table, battle: Battle, side: Side) -> int:
    """Return how many dice a side rolls in a round (CS-BAT-12 to CS-BAT-15, CS-NAV-04, CS-EFF-22)."""
    training = forces.training(table, side.seat, naval=battle.naval)
    if battle.naval:
        return forces.size(side.force) + training
    is_led = bool(side.leaders) or (side.seat != SLAVES and table.army(battle.place, side.seat).leads)
    has_city = side is battle.defender and _fires_first(table, battle)
    return DICE + is_led + has_city + training


LEADERS: Final = frozenset({"general", "generals", "caesar"})
"""Kinds of leaders that a client may name among its losses, although they cannot be lost (CS-BAT-19)."""


class RemoveLosses(Command, frozen=True):
    """Choose which units of your side are lost, one for each hit (CS-BAT-18).

    Attributes:
        lost: how many of each group of your force, by the names in the question.
    """

    rules = ("CS-BAT-18", "CS-NAV-05", "CS-EFF-11")
    answers = frozenset({"remove-losses"})
    gesture = Gesture(counts=("lost",), control="division")

    lost: dict[Group, Count]

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        battle = battle_of(draft.table)
        side = battle.side(seat)
        wrong, rule = f"You cannot remove {_listed(self.lost)}.", "CS-NAV-05" if battle.naval else "CS-BAT-18"
        if any(name not in side.force or number > side.force[name] for name, number in self.lost.items()):
            led = any(name.rpartition("/")[2] in LEADERS for name in self.lost)
            raise Refusal("CS-BAT-19" if led else rule, wrong, f"Your force has {_listed(side.force)}.")
        if forces.size(self.lost) != side.hits:
            raise Refusal(rule, wrong, f"Remove {side.hits} unit{'s' * (side.hits > 1)}, one for each hit.")
        draft.emit(UnitsLost(seat, {name: number for name, number in sorted(self.lost.items()) if number}))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        side = battle_of(table).side(seat)
        counts = {name: schema.count(0, min(number, side.hits)) for name, number in side.force.items()}
        total = {"minimum": side.hits, "maximum": side.hits}
        title = "Choose the unit that is lost" if side.hits == 1 else f"Choose {side.hits} units that are lost"
        yield cls.option(title, {"lost": schema.record(counts, counts, x_sum=total)})


def _listed(units: forces.Force) -> str:
    """List groups by the names in the question. A client may send names that are no groups."""
    return ", ".join(f"{number} {name}" for name, number in units.items()) or "nothing"


def lose(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask each side that was hit for its losses, both at once (CS-BAT-20); remove them where there is no choice."""
    battle = battle_of(table)
    for side in (battle.attacker, battle.defender):
        if side.hits and (losses := _only_losses(side)) is not None:
            return lambda draft: draft.emit(UnitsLost(side.seat, losses, automatic=True))
    if sides := [side for side in (battle.attacker, battle.defender) if side.hits]:
        place, depends = table.names(battle.place), "The round goes on when the losses are removed."
        return [
            Decision(
                "remove-losses",
                (side.seat,),
                RuleId("CS-BAT-18"),
                f"Which of your units in {place} {'is' if side.hits == 1 else 'are'} lost?",
                depends,
                {"place": battle.place, "hits": side.hits, "force": side.force},
            )
            for side in sides
        ]
    return _after_losses


def _only_losses(side: Side) -> dict[Group, int] | None:
    """Return the losses of a side that has no choice; None when it has one."""
    if side.hits >= forces.size(side.force):
        return dict(sorted(side.force.items()))
    return dict.fromkeys(side.force, side.hits) if len(side.force) == 1 else None


def _after_losses(draft: Draft[Table]) -> None:
    """Let the attacker return the fire; otherwise end the battle or the round, or begin the next round at sea."""
    battle = battle_of(draft.table)
    attackers, defenders = forces.size(battle.attacker.force), forces.size(battle.defender.force)
    if battle.returns_fire and attackers:
        draft.emit(BattleRolled(_throw(draft, battle, battle.attacker), None))
    elif not defenders and attackers:
        end(draft, battle.defender.seat)
    elif not attackers:  # CS-BAT-23: also when both sides have nothing left
        end(draft, battle.attacker.seat)
    elif battle.naval and battle.round == ROUNDS_AT_SEA:
        end(draft, None)
    elif battle.naval:
        draft.emit(BattleRoundBegan(battle.round + 1))
    else:
        sides = (battle.defender.seat, battle.attacker.seat)
        draft.emit(BattleRoundEnded(tuple(seat for seat in sides if seat != SLAVES)))


def end(draft: Draft[Table], loser: Seat | None) -> None:
    """End the battle: chaos, a city that changes hands, leaders who must leave. Without a `loser` it is undecided."""
    table, battle = draft.table, battle_of(draft.table)
    attacker, defender = battle.attacker.seat, battle.defender.seat
    winner = None if loser is None else defender if loser == attacker else attacker
    escaping = loser if not battle.naval and loser not in (None, SLAVES) and _must_leave(table, battle, loser) else None
    draft.emit(
        BattleEnded(
            battle.place,
            winner,
            loser,
            CHAOS if loser not in (None, SLAVES) else 0,
            escaping,
            escaping is not None and table.army(battle.place, escaping).units.total > 0,
            forces.size(battle.attacker.force) if attacker == SLAVES else 0,
        )
    )
    if not battle.naval and winner == attacker and attacker != SLAVES:
        cities.conquer(draft, battle.place, attacker, defender)


def _must_leave(table: Table, battle: Battle, loser: Seat) -> bool:
    """Tell whether the loser's force has no units left and leaders of theirs are in the province (CS-RET-04)."""
    return not forces.size(battle.side(loser).force) and table.army(battle.place, loser).leads


EVENTS = (
    BattleBegan,
    ForceJoined,
    BattleRoundBegan,
    BattleRolled,
    UnitsLost,
    BattleRoundEnded,
    BattleEnded,
)
COMMANDS = (RemoveLosses,)
