"""The order of construction and of the Military Phase: the leader chooses who acts next (MN-BLD-01, MN-MIL-01)."""

from collections.abc import Iterable, Mapping
from typing import Final

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Names
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box.data import Role
from domain.mare_nostrum.box.table import Command, Event, Table
from domain.mare_nostrum.turn import roles, turn, war

LEADER: Final[Mapping[str, Role]] = {"construction": "political-leader", "military": "military-leader"}
RULE: Final[Mapping[str, str]] = {"construction": "MN-BLD-01", "military": "MN-MIL-01"}


# --- events ---


class PlayerNamed(Event, frozen=True):
    """The leader of the phase chose who acts next (MN-BLD-01, MN-MIL-01).

    Attributes:
        seat: who acts now.
        automatic: whether it was the last one left.
    """

    rules = ("MN-BLD-01", "MN-MIL-01")

    leader: Seat
    seat: Seat
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.active = self.seat
        table.ashore = False

    def tell(self, names: Names) -> str:
        if self.automatic:
            return f"{names(self.seat)} went last."
        if self.seat == self.leader:
            return f"{names(self.leader)} chose to go next."
        return f"{names(self.leader)} chose {names(self.seat)} to go next."


class PlayerFinished(Event, frozen=True):
    """The player who acted has finished (MN-BLD-01, MN-MIL-01)."""

    rules = ("MN-BLD-01", "MN-MIL-01")

    seat: Seat

    def apply(self, table: Table) -> None:
        table.done.append(self.seat)
        table.active = None

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} finished."


def finish(draft: Draft[Table]) -> None:
    """End the construction turn or the military turn of the active player."""
    if draft.table.active is None:
        raise AssertionError("there is an active player")
    war.end_contested(draft)
    draft.emit(PlayerFinished(draft.table.active))


# --- naming ---


class NameBuilder(Command, frozen=True):
    """Choose the player who builds next. You may choose yourself at any point; everybody builds once (MN-BLD-01).

    Attributes:
        seat: who builds next.
    """

    rules = ("MN-BLD-01",)
    answers = frozenset({"name-builder"})
    gesture = Gesture(targets=("seat",))

    seat: Seat

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        _name(draft, self.rule, seat, self.seat)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option("Choose who builds next", {"seat": schema.one_of(waiting_seats(table))})


class NameCommander(Command, frozen=True):
    """Choose who moves and fights next. You may choose yourself at any point; everybody acts once (MN-MIL-01).

    Attributes:
        seat: who moves and fights next.
    """

    rules = ("MN-MIL-01",)
    answers = frozenset({"name-commander"})
    gesture = Gesture(targets=("seat",))

    seat: Seat

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        _name(draft, self.rule, seat, self.seat)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option("Choose who moves and fights next", {"seat": schema.one_of(waiting_seats(table))})


def _name(draft: Draft[Table], rule: str, leader: Seat, seat: Seat) -> None:
    waiting = waiting_seats(draft.table)
    if seat not in waiting:
        raise Refusal(rule, f"You cannot choose {seat}.", f"Players who have not acted yet: {', '.join(waiting)}.")
    draft.emit(PlayerNamed(leader, seat))


def waiting_seats(table: Table) -> list[Seat]:
    """Return who has not yet acted in the phase."""
    return [seat for seat in table.seats if seat not in table.done]


def name_next(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the leader of the phase for the next player, while there is a choice; then end the phase."""
    waiting, leader = waiting_seats(table), table.roles[LEADER[table.phase]]
    if not waiting:
        return _end_phase
    if len(waiting) == 1:
        return lambda draft: draft.emit(PlayerNamed(leader, waiting[0], automatic=True))
    builds = table.phase == "construction"
    return [
        Decision(
            "name-builder" if builds else "name-commander",
            (leader,),
            RuleId(RULE[table.phase]),
            "Who builds next?" if builds else "Who moves and fights next?",
            "The chosen player acts at once. Then the next one is chosen.",
            {"role": roles.title(LEADER[table.phase]), "seats": waiting},
        )
    ]


def _end_phase(draft: Draft[Table]) -> None:
    if draft.table.phase == "construction":
        turn.enter(draft, "discard")
    else:
        draft.emit(turn.TurnBegan(draft.table.turn + 1))
        roles.count(draft)


EVENTS = (PlayerNamed, PlayerFinished)
COMMANDS = (NameBuilder, NameCommander)
