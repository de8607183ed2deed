"""What players may say at any time: alliances, which bind nobody (CC-ALY-01), and acclamation (CC-WIN-02).

Nothing here opens a decision: the game never waits for an answer.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.classic import winning
from domain.classic.table import Acclamation, Alliance, AllianceId, Command, Event, Table
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal

ALY_01, WIN_02 = RuleId("CC-ALY-01"), RuleId("CC-WIN-02")


# --- alliances: what happens ---


class AllianceProposed(Event, frozen=True):
    """A player proposed an alliance to others (CC-ALY-01).

    Attributes:
        members: those to whom it was proposed.
    """

    rules = ("CC-ALY-01",)

    alliance: AllianceId
    proposer: Seat
    members: tuple[Seat, ...]

    def apply(self, table: Table) -> None:
        table.alliances.append(Alliance(self.alliance, self.proposer, self.members))
        table.next_talk += 1

    def tell(self, names: Names) -> str:
        return f"{names(self.proposer)} proposed an alliance to {names.all(self.members)}."


class AllianceAccepted(Event, frozen=True):
    """A player accepted a proposed alliance; it is concluded when all have (CC-ALY-01)."""

    rules = ("CC-ALY-01",)

    alliance: AllianceId
    seat: Seat

    def apply(self, table: Table) -> None:
        table.alliances[:] = [
            replace(alliance, accepted=(*alliance.accepted, self.seat)) if alliance.id == self.alliance else alliance
            for alliance in table.alliances
        ]

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} accepted the alliance."


class AllianceEnded(Event, frozen=True):
    """A player refused, withdrew or left an alliance, or fell (CC-ALY-01)."""

    rules = ("CC-ALY-01",)

    alliance: AllianceId
    seat: Seat

    def apply(self, table: Table) -> None:
        table.alliances[:] = [alliance for alliance in table.alliances if alliance.id != self.alliance]

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} refused or left the alliance, so it ended."


# --- acclamation: what happens ---


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


def end_round(draft: Draft[Table]) -> None:
    """Let a proposal lapse if not all have agreed to it by the end of the round."""
    acclamation = draft.table.acclamation
    if acclamation is not None and draft.table.edition.proposals_lapse:
        draft.emit(AcclamationLapsed(acclamation.candidate))


def drop_the_fallen(draft: Draft[Table]) -> None:
    """End what was agreed or proposed with a player who has fallen."""
    players = draft.table.players
    for alliance in tuple(draft.table.alliances):
        for seat in (alliance.proposer, *alliance.members):
            if players[seat].fallen_to is not None:
                draft.emit(AllianceEnded(alliance.id, seat))
                break
    acclamation = draft.table.acclamation
    if acclamation is not None and players[acclamation.candidate].fallen_to is not None:
        draft.emit(AcclamationEnded(acclamation.candidate))


# --- what may be said ---


def _others(table: Table, seat: Seat) -> list[Seat]:
    return [other for other in table.playing() if other != seat]


def _may_talk(table: Table, seat: Seat) -> bool:
    return table.winner is None and table.players[seat].fallen_to is None


def _require_playing(table: Table, seat: Seat, rule: RuleId) -> None:
    if not _may_talk(table, seat):
        asked = "You are out of the game, or the game is over."
        allowed = "Only players who are still in the game can do this, until it ends."
        raise Refusal(rule, asked, allowed, untimely=True)


def _own_proposal(table: Table, seat: Seat) -> Alliance | None:
    """The alliance that a seat proposed and that not all have accepted yet."""
    proposals = (alliance for alliance in table.alliances if alliance.proposer == seat)
    return next((alliance for alliance in proposals if {*alliance.accepted} != {*alliance.members}), None)


def _asked(table: Table, seat: Seat) -> list[str]:
    """The alliances that a seat has been asked to join and has not answered."""
    return [alliance.id for alliance in table.alliances if seat in alliance.members and seat not in alliance.accepted]


def _joined(table: Table, seat: Seat) -> list[str]:
    """The alliances that a seat has proposed or accepted."""
    return [alliance.id for alliance in table.alliances if seat in (alliance.proposer, *alliance.accepted)]


class ProposeAlliance(Command, frozen=True):
    """Propose an alliance to one or more others (CC-ALY-01); one proposal at a time.

    Attributes:
        members: the players to whom you propose it.
    """

    rules = ("CC-ALY-01",)

    members: tuple[Seat, ...]

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        _require_playing(table, seat, ALY_01)
        asked = f"You proposed an alliance to {', '.join(self.members) or 'nobody'}."
        if _own_proposal(table, seat) is not None:
            raise Refusal(ALY_01, asked, "Wait until all have answered your last proposal, or withdraw it.")
        others = _others(table, seat)
        if not self.members or len({*self.members}) < len(self.members) or not {*others}.issuperset(self.members):
            raise Refusal(ALY_01, asked, f"Name one or more of {', '.join(others)}, each once.")
        if len(table.alliances) >= _most_alliances(table):
            raise Refusal(ALY_01, asked, "There are too many alliances. One must end before you propose another.")
        draft.emit(AllianceProposed(f"alliance-{table.next_talk}", seat, self.members))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        full = len(table.alliances) >= _most_alliances(table)
        if not full and _may_talk(table, seat) and _own_proposal(table, seat) is None:
            yield cls.option("Propose an alliance", {"members": schema.subset(_others(table, seat), 1)})


def _most_alliances(table: Table) -> int:
    """Return the limit: one for each set of players. More would mean nothing, and a table must have a limit."""
    return 2 ** len(table.players)


class AnswerAlliance(Command, frozen=True):
    """Accept or refuse a proposed alliance."""

    rules = ("CC-ALY-01",)

    alliance: AllianceId
    accept: bool

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        _require_playing(draft.table, seat, ALY_01)
        open_ones = _asked(draft.table, seat)
        if self.alliance not in open_ones:
            asked = f"You have no proposal {self.alliance!r} to answer."
            raise Refusal(ALY_01, asked, f"Proposals you can answer: {', '.join(open_ones) or 'none'}.")
        draft.emit((AllianceAccepted if self.accept else AllianceEnded)(self.alliance, seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if _may_talk(table, seat) and (open_ones := _asked(table, seat)):
            fields = {"alliance": schema.one_of(open_ones), "accept": schema.one_of((True, False))}
            yield cls.option("Accept or refuse an alliance", fields)


class LeaveAlliance(Command, frozen=True):
    """End an alliance, or withdraw your own proposal."""

    rules = ("CC-ALY-01",)

    alliance: AllianceId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        _require_playing(draft.table, seat, ALY_01)
        joined = _joined(draft.table, seat)
        if self.alliance not in joined:
            asked = f"You are not in {self.alliance!r}."
            raise Refusal(ALY_01, asked, f"Alliances you can leave: {', '.join(joined) or 'none'}.")
        draft.emit(AllianceEnded(self.alliance, seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if _may_talk(table, seat) and (joined := _joined(table, seat)):
            yield cls.option("End an alliance", {"alliance": schema.one_of(joined)})


class ProposeWinner(Command, frozen=True):
    """Propose that all make somebody Caesar (CC-WIN-02); one proposal at a time.

    Attributes:
        candidate: the winner that you propose; you may propose yourself.
    """

    rules = ("CC-WIN-02",)

    candidate: Seat

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        _require_playing(table, seat, WIN_02)
        asked = f"You cannot propose {self.candidate} as the winner."
        if table.acclamation is not None:
            raise Refusal(WIN_02, asked, f"{table.acclamation.candidate} is already proposed.")
        if self.candidate not in table.playing():
            raise Refusal(WIN_02, asked, f"Players still in the game: {', '.join(table.playing())}.")
        draft.emit(WinnerProposed(self.candidate, seat))
        winning.check_acclamation(draft)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if _may_talk(table, seat) and table.acclamation is None:
            yield cls.option("Propose a winner", {"candidate": schema.one_of(table.playing())})


class AnswerWinner(Command, frozen=True):
    """Accept or refuse the proposed winner; one refusal ends the proposal."""

    rules = ("CC-WIN-02",)

    accept: bool

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        _require_playing(draft.table, seat, WIN_02)
        if not _must_answer(draft.table, seat):
            asked = "You have no proposal of a winner to answer."
            raise Refusal(WIN_02, asked, "You can answer a proposal that names another player, once.")
        draft.emit((WinnerAccepted if self.accept else AcclamationEnded)(seat))
        winning.check_acclamation(draft)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if _may_talk(table, seat) and _must_answer(table, seat):
            yield cls.option("Accept or refuse the proposed winner", {"accept": schema.one_of((True, False))})


def _must_answer(table: Table, seat: Seat) -> bool:
    proposal = table.acclamation
    return proposal is not None and seat not in (proposal.candidate, *proposal.agreed)


class WithdrawAgreement(Command, frozen=True):
    """Withdraw your agreement to the proposed winner; you may agree again later."""

    rules = ("CC-WIN-02",)

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        _require_playing(draft.table, seat, WIN_02)
        if not _agrees(draft.table, seat):
            asked = "You have no agreement to withdraw."
            raise Refusal(WIN_02, asked, "You can withdraw it only after you have agreed to a proposed winner.")
        draft.emit(AgreementWithdrawn(seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if _may_talk(table, seat) and _agrees(table, seat):
            yield cls.option("Withdraw your agreement to the proposed winner")


def _agrees(table: Table, seat: Seat) -> bool:
    return table.acclamation is not None and seat in table.acclamation.agreed


class WithdrawWinner(Command, frozen=True):
    """Withdraw your own proposal of a winner."""

    rules = ("CC-WIN-02",)

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        _require_playing(draft.table, seat, WIN_02)
        proposal = draft.table.acclamation
        if proposal is None or proposal.proposer != seat:
            asked = "You have no proposal of a winner to withdraw."
            raise Refusal(WIN_02, asked, "Only the player who made a proposal can withdraw it.")
        draft.emit(AcclamationEnded(seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        proposal = table.acclamation
        if _may_talk(table, seat) and proposal is not None and proposal.proposer == seat:
            yield cls.option("Withdraw your proposal of a winner")


EVENTS = (
    AllianceProposed,
    AllianceAccepted,
    AllianceEnded,
    WinnerProposed,
    WinnerAccepted,
    AgreementWithdrawn,
    AcclamationEnded,
    AcclamationLapsed,
)
COMMANDS = (
    ProposeAlliance,
    AnswerAlliance,
    LeaveAlliance,
    ProposeWinner,
    AnswerWinner,
    WithdrawAgreement,
    WithdrawWinner,
)
