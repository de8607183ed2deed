"""Slave Revolt: slaves fight one army after another (CS-EFF-20 to CS-EFF-22)."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.campaign.box.state import SLAVES, Revolt
from domain.campaign.box.table import Command, Event, Table, revolt_of
from domain.campaign.combat import forces, muster
from domain.conquest.pieces import Units
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Count, Names
from domain.kernel.rules.refusal import Refusal


class SlavesRose(Event, frozen=True):
    """Slaves appeared in a province and turned against a first army there (CS-EFF-20).

    Attributes:
        slaves: how many.
        army: the player whose army they attack first.
    """

    rules = ("CS-EFF-20",)
    places = (("province", "at"),)

    seat: Seat
    province: AreaId
    slaves: Count
    army: Seat

    def apply(self, table: Table) -> None:
        table.revolt = Revolt(self.seat, self.province, self.slaves, self.army)

    def tell(self, names: Names) -> str:
        return f"{self.slaves} slaves rose in {names(self.province)}, against {names(self.army)} first."


class NextArmyChosen(Event, frozen=True):
    """The slaves turned against another army (CS-EFF-21)."""

    rules = ("CS-EFF-21",)

    army: Seat
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.revolt = replace(revolt_of(table), next=self.army)

    def tell(self, names: Names) -> str:
        return f"The slaves turn against {names(self.army)}."


class RevoltEnded(Event, frozen=True):
    """No slave was left, or no army to fight; slaves who survived were removed (CS-EFF-21).

    Attributes:
        slaves: how many survived.
    """

    rules = ("CS-EFF-21",)

    slaves: Count

    def apply(self, table: Table) -> None:
        table.revolt = None

    def tell(self, names: Names) -> str:
        if not self.slaves:
            return "The slaves were defeated."
        survivors = "1 slave" if self.slaves == 1 else f"{self.slaves} slaves"
        return f"No army was left to fight: the revolt ended with {survivors} alive."


def provinces(table: Table, seat: Seat) -> dict[AreaId, list[Seat]]:
    """Return the provinces where slaves can rise, each with the armies that can be attacked first (CS-EFF-20)."""
    by_area = {area: [other for other in table.armies_at(area) if other != seat] for area in sorted(table.provinces)}
    return {area: armies for area, armies in by_area.items() if armies}


def _targets(table: Table, revolt: Revolt) -> list[Seat]:
    """Return the armies that can be attacked next. The army of the player who raised the slaves is last (CS-EFF-21)."""
    armies = table.armies_at(revolt.province)
    return [seat for seat in armies if seat != revolt.by] or armies


class TurnSlaves(Command, frozen=True):
    """Choose the army that the slaves attack next (CS-EFF-21)."""

    rules = ("CS-EFF-21",)
    answers = frozenset({"turn-slaves"})
    gesture = Gesture(targets=("army",))

    army: Seat

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        targets = _targets(draft.table, revolt_of(draft.table))
        if self.army not in targets:
            wrong = f"The slaves cannot attack the army of {self.army} now."
            raise Refusal("CS-EFF-21", wrong, f"They can attack the army of {', '.join(targets)}.")
        draft.emit(NextArmyChosen(self.army))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option("Attack the next army", {"army": schema.one_of(_targets(table, revolt_of(table)))})


def fight(table: Table) -> list[Decision] | Consequence[Table]:
    """Let the slaves attack the chosen army, or ask for the next one; end the revolt without slaves or armies."""
    revolt = revolt_of(table)
    if (army := revolt.next) is not None:
        slaves = forces.force(SLAVES, Units(revolt.slaves))
        return lambda draft: muster.begin(draft, revolt.province, SLAVES, army, slaves)
    targets = _targets(table, revolt) if revolt.slaves else []
    if not targets:
        return lambda draft: draft.emit(RevoltEnded(revolt.slaves))
    if len(targets) == 1:
        return lambda draft: draft.emit(NextArmyChosen(targets[0], automatic=True))
    about = {"province": revolt.province, "slaves": revolt.slaves, "armies": targets}
    title, depends = "Which army do the slaves attack next?", "The revolt goes on when you have chosen."
    return [Decision("turn-slaves", (revolt.by,), RuleId("CS-EFF-21"), title, depends, about)]


EVENTS = (SlavesRose, NextArmyChosen, RevoltEnded)
COMMANDS = (TurnSlaves,)
