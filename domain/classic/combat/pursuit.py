"""Pursuit: the winner's one roll against a side that retreats alone (chapter PUR)."""

from collections.abc import Iterator

from msgspec.structs import replace

from domain.classic.box.state import Battle
from domain.classic.box.table import Command, Event, Table, battle_of
from domain.classic.combat.losses import force, remove
from domain.conquest import dice
from domain.conquest.choices import choices, forced, number_fields
from domain.conquest.dice import Face
from domain.conquest.pieces import Units
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Count, Draw, Names
from domain.kernel.rules.refusal import Refusal

# --- events ---


class PursuitRolled(Event, frozen=True):
    """The winner rolled for the pursuit (CC-PUR-03, CC-PUR-04).

    Attributes:
        hits: how many dice hit, `surplus` included.
        surplus: hits beyond the retreating units.
    """

    rules = ("CC-PUR-03", "CC-PUR-04")

    seat: Seat
    draw: Draw
    faces: tuple[Face, ...]
    hits: int
    surplus: int = 0

    def apply(self, table: Table) -> None:
        effective = self.hits - self.surplus
        step = "mark-pursued" if effective else "withdraw"
        table.battle = replace(battle_of(table), pursuit_hits=effective, step=step)

    def tell(self, names: Names) -> str:
        return f"In pursuit {names(self.seat)} rolled {names.all(self.faces)}: {self.hits} hit{'s' * (self.hits != 1)}."


class PursuedEliminated(Event, frozen=True):
    """The pursuer chose the retreating units that were eliminated (CC-PUR-05).

    Attributes:
        seat: the pursuer.
        loser: the player who retreats.
    """

    rules = ("CC-PUR-05",)
    places = (("province", "lost"),)

    seat: Seat
    province: AreaId
    loser: Seat
    units: Units
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        remove(table, self.province, self.loser, self.units)
        table.battle = replace(battle_of(table), pursuit_hits=0, step="withdraw")

    def tell(self, names: Names) -> str:
        return f"In pursuit {names(self.seat)} eliminated {self.units} of {names(self.loser)}."


# --- the choice of victims ---


class MarkPursued(Command, frozen=True):
    """Choose the retreating units that the pursuit eliminates (CC-PUR-05)."""

    rules = ("CC-PUR-05",)
    answers = frozenset({"mark-pursued"})
    gesture = Gesture(counts=("infantry", "cavalry", "catapults"), control="division")

    infantry: Count = 0
    cavalry: Count = 0
    catapults: Count = 0

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        fight = battle_of(draft.table)
        units, prey = Units(self.infantry, self.cavalry, self.catapults), _prey(draft.table, fight)
        wrong = f"You asked to eliminate {units}."
        if not units.within(prey) or units.total != fight.pursuit_hits:
            raise Refusal("CC-PUR-05", wrong, f"Choose one unit for each hit: {fight.pursuit_hits} of {prey}.")
        draft.emit(PursuedEliminated(seat, fight.province, fight.leaving[0], units))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterator[Option]:
        fight = battle_of(table)
        hits = fight.pursuit_hits
        ranges = choices(_prey(table, fight), hits)
        title = "Eliminate a retreating unit" if hits == 1 else f"Eliminate {hits} retreating units"
        yield cls.option(title, number_fields(ranges), x_total=[schema.exactly(hits, ranges)])


def _prey(table: Table, fight: Battle) -> Units:
    """Return the units that are pursued."""
    return force(table, fight, fight.leaving[0]).units


def _pursuer(fight: Battle) -> Seat:
    return fight.attacker.seat if fight.leaving[0] == fight.defender.seat else fight.defender.seat


def mark(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the pursuer which units to eliminate; eliminate them where there is no choice."""
    fight = battle_of(table)
    hits, pursuer, loser = fight.pursuit_hits, _pursuer(fight), fight.leaving[0]
    if (losses := forced(choices(_prey(table, fight), hits))) is not None:
        units = Units(**losses)
        return lambda draft: draft.emit(PursuedEliminated(pursuer, fight.province, loser, units, automatic=True))
    decision = Decision(
        "mark-pursued",
        (pursuer,),
        RuleId("CC-PUR-05"),
        "Which retreating unit do you eliminate?" if hits == 1 else f"Which {hits} retreating units do you eliminate?",
        "What is left then retreats.",
        {"province": fight.province, "hits": hits, "seat": loser},
    )
    return [decision]


def pursue(draft: Draft[Table]) -> None:
    """Roll a die for every unit that the winner has there; fortifications add no dice (CC-PUR-03, CC-PUR-07)."""
    fight = battle_of(draft.table)
    pursuer = _pursuer(fight)
    units = force(draft.table, fight, pursuer).units
    draw, faces = dice.roll(draft, units.total)
    hits = min(faces.count("cavalry"), units.cavalry)  # CC-PUR-04
    surplus = max(0, hits - _prey(draft.table, fight).total)
    draft.emit(PursuitRolled(pursuer, draw, faces, hits, surplus))


EVENTS = (PursuitRolled, PursuedEliminated)
COMMANDS = (MarkPursued,)
