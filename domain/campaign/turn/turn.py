"""A player's turn: two actions, and cards that cost none (chapter ACT)."""

from collections.abc import Iterable
from typing import Final

from domain.campaign.box.state import Turn
from domain.campaign.box.table import Command, Event, Table, turn_of
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Names
from domain.kernel.rules.refusal import Refusal

ACT: Final = frozenset({"act"})
"""The kind of decision that actions, free uses of cards and the end of the turn answer."""


class TurnBegan(Event, frozen=True):
    """A player's turn began, with all actions (CS-ACT-01)."""

    rules = ("CS-ACT-01",)

    seat: Seat

    def apply(self, table: Table) -> None:
        table.turn = Turn(self.seat, table.data.actions)

    def tell(self, names: Names) -> str:
        return f"It is {names(self.seat)}'s turn."


class ActionPassed(Event, frozen=True):
    """A player passed: an action without effect (CS-ACT-05)."""

    rules = ("CS-ACT-05",)

    seat: Seat

    def apply(self, table: Table) -> None:
        table.spend_action()

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} passed an action."


class MoveEnded(Event, frozen=True):
    """A land move or naval action ended: what follows no longer belongs to it (CS-ACT-04)."""

    rules = ("CS-ACT-04",)

    seat: Seat
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        end_move(table)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} finished moving."


class TurnEnded(Event, frozen=True):
    """A player's turn ended, after all actions (CS-ACT-06)."""

    rules = ("CS-ACT-06",)

    seat: Seat
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.turn = None
        table.done.append(self.seat)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)}'s turn ended."


def end_move(table: Table) -> None:
    """End a land move or naval action that could go on. For `apply` only."""
    table.change_turn(land_move=None, naval_move=None)


def require_action(table: Table, wrong: str) -> None:
    """Raise `Refusal` when no action is left in the turn."""
    if not turn_of(table).actions:
        allowed = "You have no actions left in this turn. Use cards, or end the turn."
        raise Refusal("CS-ACT-01", wrong, allowed)


class Pass(Command, frozen=True):
    """Give up one action (CS-ACT-05)."""

    rules = ("CS-ACT-05",)
    answers = ACT
    gesture = Gesture(quiet=True, called="Pass")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        require_action(draft.table, "You asked to pass.")
        draft.emit(ActionPassed(seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if turn_of(table).actions:
            yield cls.option()


class EndMove(Command, frozen=True):
    """End a land move or naval action, so that what you do next does not belong to it (CS-ACT-04)."""

    rules = ("CS-ACT-04",)
    answers = ACT
    gesture = Gesture(quiet=True, called="Done moving")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        turn = turn_of(draft.table)
        if turn.land_move is None and turn.naval_move is None:
            raise Refusal("CS-ACT-04", "You asked to end a move.", "You have no move under way.")
        draft.emit(MoveEnded(seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        turn = turn_of(table)
        if turn.land_move is not None or turn.naval_move is not None:
            yield cls.option()


class EndTurn(Command, frozen=True):
    """End your turn when you have taken all actions (CS-ACT-06)."""

    rules = ("CS-ACT-06",)
    answers = ACT
    gesture = Gesture(quiet=True, called="End your turn")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        if actions := turn_of(draft.table).actions:
            allowed = f"Take or pass your {'last action' if actions == 1 else f'{actions} actions'} first."
            raise Refusal("CS-ACT-06", "You cannot end your turn yet.", allowed)
        draft.emit(TurnEnded(seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if not turn_of(table).actions:
            yield cls.option()


EVENTS = (TurnBegan, ActionPassed, MoveEnded, TurnEnded)
COMMANDS = (Pass, EndMove, EndTurn)
