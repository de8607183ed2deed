"""Waiting for talks about prisoners: which players a turn waits for, and how they waive that (CC-RAN-02, CC-RAN-13)."""

from collections.abc import Iterable

from domain.classic.box.table import Command, Event, Table
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal, refuse_unless


class TalksWaived(Event, frozen=True):
    """A player does not want to negotiate about prisoners for the rest of this turn (CC-RAN-02, CC-RAN-13)."""

    rules = ("CC-RAN-02", "CC-RAN-13")

    seat: Seat

    def apply(self, table: Table) -> None:
        table.waived.append(self.seat)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} does not want to negotiate this turn."


class AllTalksWaived(Event, frozen=True):
    """A player said that no turn needs to wait for their talks about prisoners (CC-RAN-02, CC-RAN-13)."""

    rules = ("CC-RAN-02", "CC-RAN-13")

    seat: Seat

    def apply(self, table: Table) -> None:
        table.always_waived.append(self.seat)

    def tell(self, names: Names) -> str:
        return f"Until further notice, no turn waits for {names(self.seat)} to negotiate about prisoners."


class TalksResumed(Event, frozen=True):
    """A player wants turns to wait for their talks about prisoners again (CC-RAN-02, CC-RAN-13)."""

    rules = ("CC-RAN-02", "CC-RAN-13")

    seat: Seat

    def apply(self, table: Table) -> None:
        table.always_waived[:] = [seat for seat in table.always_waived if seat != self.seat]

    def tell(self, names: Names) -> str:
        return f"Turns wait again for {names(self.seat)} to negotiate about prisoners."


# --- whom a turn waits for ---


def proposal(seat: Seat, other: Seat) -> str:
    """Return how `Table.proposed` notes that a seat has proposed a deal to another."""
    return f"{seat}/{other}"


def waiting(table: Table) -> list[Seat]:
    """Return the seats that the turn waits for: they may still propose a deal and have not waived talks (CC-RAN-13)."""
    if not table.edition.turns_wait_for_talks or table.phase != "placement":
        return []
    pairs = {(leader.owner, leader.captor) for leader in table.leaders.values() if leader.captor is not None}
    able = {
        seat
        for one, other in pairs
        for seat, counterpart in ((one, other), (other, one))
        if proposal(seat, counterpart) not in table.proposed
    }
    return [seat for seat in table.order if seat in able.difference(table.waived, table.always_waived)]


def negotiate(table: Table) -> list[Decision]:
    """Ask the players that the turn waits for, except the active one, whether they negotiate."""
    seats = tuple(seat for seat in waiting(table) if seat != table.acting)
    if not seats:
        return []
    prisoners = {name: leader for name, leader in table.leaders.items() if leader.captor is not None}
    decision = Decision(
        "negotiate",
        seats,
        RuleId("CC-RAN-13"),
        "Do you want to negotiate about a prisoner before the turn ends?",
        "The turn ends when everybody who is asked has made an offer or declined.",
        {"prisoners": {name: {"owner": leader.owner, "captor": leader.captor} for name, leader in prisoners.items()}},
    )
    return [decision]


# --- what players say ---


class WaiveTalks(Command, frozen=True):
    """Do not negotiate about prisoners for the rest of this turn (CC-RAN-13, CC-RAN-02).

    Until the turn ends you may still propose a deal and answer one. If you get an offer, you are asked again.
    """

    rules = ("CC-RAN-13", "CC-RAN-02")
    answers = frozenset({"negotiate"})
    gesture = Gesture(quiet=True, called="Do not negotiate this turn")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        draft.emit(TalksWaived(seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option()


class WaiveAllTalks(Command, frozen=True):
    """Let no turn wait for your talks about prisoners, until further notice (CC-RAN-13, CC-RAN-02)."""

    rules = ("CC-RAN-13", "CC-RAN-02")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        wrong = "You cannot waive your talks about prisoners."
        _check_turns_wait(draft.table, seat, wrong)
        refuse_unless(seat not in draft.table.always_waived, "CC-RAN-13", wrong, "You have already waived them.")
        draft.emit(AllTalksWaived(seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if _may_be_waited_for(table, seat) and seat not in table.always_waived:
            yield cls.option("Let no turn wait for your talks about prisoners")


class ResumeTalks(Command, frozen=True):
    """Let turns wait for your talks about prisoners again (CC-RAN-13, CC-RAN-02)."""

    rules = ("CC-RAN-13", "CC-RAN-02")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        wrong = "You cannot resume your talks about prisoners."
        _check_turns_wait(draft.table, seat, wrong)
        refuse_unless(seat in draft.table.always_waived, "CC-RAN-13", wrong, "Turns already wait for them.")
        draft.emit(TalksResumed(seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if _may_be_waited_for(table, seat) and seat in table.always_waived:
            yield cls.option("Let turns wait for your talks about prisoners again")


def _may_be_waited_for(table: Table, seat: Seat) -> bool:
    playing = table.winner is None and table.players[seat].fallen_to is None
    return playing and table.edition.turns_wait_for_talks


def _check_turns_wait(table: Table, seat: Seat, wrong: str) -> None:
    if not table.edition.turns_wait_for_talks:
        rule = "CC-RAN-02" if table.edition.ransom_in_any_turn else "CC-RAN-03"
        raise Refusal(rule, wrong, "In this edition no turn waits for talks.")
    if not _may_be_waited_for(table, seat):
        raise Refusal("CC-RAN-13", wrong, "You are out of the game, or the game is over.", untimely=True)


EVENTS = (TalksWaived, AllTalksWaived, TalksResumed)
COMMANDS = (WaiveTalks, WaiveAllTalks, ResumeTalks)
