"""Winning: the last Caesar, or a winner on whom all agree (chapter WIN).

A proposal opens no decision: the game never waits for an answer.
"""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from domain.classic.box.state import Acclamation
from domain.classic.box.table import Command, Event, Table
from domain.classic.diplomacy import alliance
from domain.classic.diplomacy.alliance import may_talk, require_playing
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal

WIN_02: Final = RuleId("CC-WIN-02")


class GameWon(Event, frozen=True):
    """One player, and only one, won the game (CC-WIN-03).

    Attributes:
        rule: the rule by which they won.
    """

    rules = ("CC-WIN-03",)

    winner: Seat
    rule: RuleId

    def apply(self, table: Table) -> None:
        table.winner, table.won_by, table.phase = self.winner, self.rule, "over"

    def tell(self, names: Names) -> str:
        how = "whom all others made Caesar" if self.rule == "CC-WIN-02" else "the last Caesar"
        return f"{names(self.winner)}, {how}, won the game."


class WinnerProposed(Event, frozen=True):
    """A player proposed a winner, perhaps themselves, and thereby agreed (CC-WIN-02).

    Attributes:
        candidate: the proposed winner.
    """

    rules = ("CC-WIN-02",)

    candidate: Seat
    proposer: Seat

    def apply(self, table: Table) -> None:
        agreed = (self.proposer,) if self.proposer != self.candidate else ()
        table.acclamation = Acclamation(self.candidate, self.proposer, agreed)

    def tell(self, names: Names) -> str:
        return f"{names(self.proposer)} proposed to make {names(self.candidate)} Caesar of all."


class WinnerAccepted(Event, frozen=True):
    """A player agreed to the proposed winner (CC-WIN-02)."""

    rules = ("CC-WIN-02",)

    seat: Seat

    def apply(self, table: Table) -> None:
        if table.acclamation is not None:
            table.acclamation = replace(table.acclamation, agreed=(*table.acclamation.agreed, self.seat))

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} agreed."


class AcclamationEnded(Event, frozen=True):
    """A player refused the proposed winner, or withdrew the proposal; or the proposed winner fell (CC-WIN-02)."""

    rules = ("CC-WIN-02",)

    seat: Seat

    def apply(self, table: Table) -> None:
        table.acclamation = None

    def tell(self, names: Names) -> str:
        return f"The proposal of a winner was dropped because of {names(self.seat)}."


class AgreementWithdrawn(Event, frozen=True):
    """A player who had agreed to the proposed winner no longer does; the proposal stays open (CC-WIN-02)."""

    rules = ("CC-WIN-02",)

    seat: Seat

    def apply(self, table: Table) -> None:
        if table.acclamation is not None:
            agreed = tuple(seat for seat in table.acclamation.agreed if seat != self.seat)
            table.acclamation = replace(table.acclamation, agreed=agreed)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} no longer agrees."


class AcclamationLapsed(Event, frozen=True):
    """The round ended before all others had agreed on the proposed winner (CC-WIN-02).

    Attributes:
        candidate: the proposed winner.
    """

    rules = ("CC-WIN-02",)

    candidate: Seat

    def apply(self, table: Table) -> None:
        table.acclamation = None

    def tell(self, names: Names) -> str:
        return f"The proposal to make {names(self.candidate)} Caesar of all lapsed at the end of the round."


# --- when the game is won ---


def check(draft: Draft[Table]) -> None:
    """End the game when one Caesar is left (CC-WIN-01). Call it whenever a player has fallen.

    Otherwise end the alliances of the fallen, and a proposal of one of them as the winner. Then end the game if all who
    are left agree on a winner (CC-WIN-02).
    """
    table = draft.table
    if table.winner is not None:
        return
    playing = table.playing()
    if len(playing) == 1:
        draft.emit(GameWon(playing[0], RuleId("CC-WIN-01")))
        return
    alliance.drop_the_fallen(draft)
    acclamation = table.acclamation
    if acclamation is not None and table.players[acclamation.candidate].fallen_to is not None:
        draft.emit(AcclamationEnded(acclamation.candidate))
    check_acclamation(draft)


def check_acclamation(draft: Draft[Table]) -> None:
    """End the game when all other players have agreed on a winner (CC-WIN-02)."""
    table = draft.table
    acclamation = table.acclamation
    if acclamation is not None and {*table.playing()} <= {acclamation.candidate, *acclamation.agreed}:
        draft.emit(GameWon(acclamation.candidate, RuleId("CC-WIN-02")))


def end_round(draft: Draft[Table]) -> None:
    """Let the proposal of a winner lapse as the round ends, in versions that say so."""
    acclamation = draft.table.acclamation
    if acclamation is not None and draft.table.edition.proposals_lapse:
        draft.emit(AcclamationLapsed(acclamation.candidate))


# --- what may be said ---


class ProposeWinner(Command, frozen=True):
    """Propose a winner, on whom all others must agree (CC-WIN-02); one proposal at a time.

    Attributes:
        candidate: the winner that you propose; you may propose yourself.
    """

    rules = ("CC-WIN-02",)

    candidate: Seat

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        require_playing(table, seat, WIN_02)
        wrong = f"You cannot propose {self.candidate} as the winner."
        if table.acclamation is not None:
            raise Refusal(WIN_02, wrong, f"{table.acclamation.candidate} is already proposed.")
        if self.candidate not in table.playing():
            raise Refusal(WIN_02, wrong, f"Players still in the game: {', '.join(table.playing())}.")
        draft.emit(WinnerProposed(self.candidate, seat))
        check_acclamation(draft)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if may_talk(table, seat) and table.acclamation is None:
            yield cls.option("Propose a winner", {"candidate": schema.one_of(table.playing())})


class AnswerWinner(Command, frozen=True):
    """Accept or refuse the proposed winner; one refusal ends the proposal."""

    rules = ("CC-WIN-02",)

    accept: bool

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        require_playing(draft.table, seat, WIN_02)
        if not _may_answer(draft.table, seat):
            wrong = "You have no proposal of a winner to answer."
            raise Refusal(WIN_02, wrong, "You can answer a proposal that names another player, once.")
        draft.emit((WinnerAccepted if self.accept else AcclamationEnded)(seat))
        check_acclamation(draft)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if may_talk(table, seat) and _may_answer(table, seat):
            yield cls.option("Accept or refuse the proposed winner", {"accept": schema.one_of((True, False))})


def _may_answer(table: Table, seat: Seat) -> bool:
    proposal = table.acclamation
    return proposal is not None and seat not in (proposal.candidate, *proposal.agreed)


class WithdrawAgreement(Command, frozen=True):
    """Withdraw your agreement to the proposed winner; you may agree again later."""

    rules = ("CC-WIN-02",)

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        require_playing(draft.table, seat, WIN_02)
        if not _agrees(draft.table, seat):
            wrong = "You have no agreement to withdraw."
            raise Refusal(WIN_02, wrong, "You can withdraw it only after you have agreed to a proposed winner.")
        draft.emit(AgreementWithdrawn(seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if may_talk(table, seat) and _agrees(table, seat):
            yield cls.option("Withdraw your agreement to the proposed winner")


def _agrees(table: Table, seat: Seat) -> bool:
    return table.acclamation is not None and seat in table.acclamation.agreed


class WithdrawWinner(Command, frozen=True):
    """Withdraw your own proposal of a winner."""

    rules = ("CC-WIN-02",)

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        require_playing(draft.table, seat, WIN_02)
        proposal = draft.table.acclamation
        if proposal is None or proposal.proposer != seat:
            wrong = "You have no proposal of a winner to withdraw."
            raise Refusal(WIN_02, wrong, "Only the player who made a proposal can withdraw it.")
        draft.emit(AcclamationEnded(seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        proposal = table.acclamation
        if may_talk(table, seat) and proposal is not None and proposal.proposer == seat:
            yield cls.option("Withdraw your proposal of a winner")


EVENTS = (
    WinnerProposed,
    WinnerAccepted,
    AgreementWithdrawn,
    AcclamationEnded,
    AcclamationLapsed,
    GameWon,
)
COMMANDS = (ProposeWinner, AnswerWinner, WithdrawAgreement, WithdrawWinner)
