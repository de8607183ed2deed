"""Alliances, which bind nobody (chapter ALY).

Nothing here opens a decision: the game never waits for an answer.
"""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from domain.classic.box.state import Alliance, AllianceId
from domain.classic.box.table import Command, Event, Table
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal, or_none

ALY_01: Final = RuleId("CC-ALY-01")


# --- alliances: what happens ---


class AllianceProposed(Event, frozen=True):
    """A player proposed an alliance to others (CC-ALY-01).

    Attributes:
        members: the players to whom it was proposed.
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
    """A player accepted a proposed alliance; it is concluded when all members have accepted it (CC-ALY-01)."""

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
    """An alliance or its proposal ended: a player refused, withdrew or left it, or fell (CC-ALY-01)."""

    rules = ("CC-ALY-01",)

    alliance: AllianceId
    seat: Seat

    def apply(self, table: Table) -> None:
        table.alliances[:] = [alliance for alliance in table.alliances if alliance.id != self.alliance]

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} refused or left the alliance, so it ended."


def drop_the_fallen(draft: Draft[Table]) -> None:
    """End the alliances and proposals of all players who have fallen."""
    players = draft.table.players
    for alliance in tuple(draft.table.alliances):
        for seat in (alliance.proposer, *alliance.members):
            if players[seat].fallen_to is not None:
                draft.emit(AllianceEnded(alliance.id, seat))
                break


# --- what players may do ---


def _others(table: Table, seat: Seat) -> list[Seat]:
    return [other for other in table.playing() if other != seat]


def may_talk(table: Table, seat: Seat) -> bool:
    """Tell whether the player is still in the game and the game goes on."""
    return table.winner is None and table.players[seat].fallen_to is None


def require_playing(table: Table, seat: Seat, rule: RuleId) -> None:
    """Raise `Refusal` unless the player is still in the game and the game goes on."""
    if not may_talk(table, seat):
        wrong = "You are out of the game, or the game is over."
        allowed = "Only players who are still in the game can do this, until it ends."
        raise Refusal(rule, wrong, allowed, untimely=True)


def _own_proposal(table: Table, seat: Seat) -> Alliance | None:
    """Return the alliance that a seat proposed and that some member has not accepted yet; None if there is none."""
    proposals = (alliance for alliance in table.alliances if alliance.proposer == seat)
    return next((alliance for alliance in proposals if {*alliance.accepted} != {*alliance.members}), None)


def _unanswered(table: Table, seat: Seat) -> list[str]:
    """Return the ids of the alliances that were proposed to a seat and that it has not answered."""
    return [alliance.id for alliance in table.alliances if seat in alliance.members and seat not in alliance.accepted]


def _joined(table: Table, seat: Seat) -> list[str]:
    """Return the ids of the alliances that a seat has proposed or accepted."""
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
        require_playing(table, seat, ALY_01)
        wrong = f"You proposed an alliance to {', '.join(self.members) or 'nobody'}."
        if _own_proposal(table, seat) is not None:
            raise Refusal(ALY_01, wrong, "Wait until all have answered your last proposal, or withdraw it.")
        others = _others(table, seat)
        if not self.members or len({*self.members}) < len(self.members) or not {*others}.issuperset(self.members):
            raise Refusal(ALY_01, wrong, f"Name one or more of {', '.join(others)}, each once.")
        if len(table.alliances) >= _most_alliances(table):
            raise Refusal(ALY_01, wrong, "There are too many alliances. One must end before you propose another.")
        draft.emit(AllianceProposed(f"alliance-{table.next_talk}", seat, self.members))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        full = len(table.alliances) >= _most_alliances(table)
        if not full and may_talk(table, seat) and _own_proposal(table, seat) is None:
            yield cls.option("Propose an alliance", {"members": schema.subset(_others(table, seat), 1)})


def _most_alliances(table: Table) -> int:
    """Return the most alliances that a table may have at once: one for each set of players."""
    return 2 ** len(table.players)


class AnswerAlliance(Command, frozen=True):
    """Accept or refuse a proposed alliance."""

    rules = ("CC-ALY-01",)

    alliance: AllianceId
    accept: bool

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        require_playing(draft.table, seat, ALY_01)
        unanswered = _unanswered(draft.table, seat)
        if self.alliance not in unanswered:
            wrong = f"You have no proposal {self.alliance!r} to answer."
            raise Refusal(ALY_01, wrong, f"Proposals you can answer: {or_none(unanswered)}.")
        draft.emit((AllianceAccepted if self.accept else AllianceEnded)(self.alliance, seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if may_talk(table, seat) and (unanswered := _unanswered(table, seat)):
            fields = {"alliance": schema.one_of(unanswered), "accept": schema.one_of((True, False))}
            yield cls.option("Accept or refuse an alliance", fields)


class LeaveAlliance(Command, frozen=True):
    """End an alliance, or withdraw your own proposal."""

    rules = ("CC-ALY-01",)

    alliance: AllianceId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        require_playing(draft.table, seat, ALY_01)
        joined = _joined(draft.table, seat)
        if self.alliance not in joined:
            wrong = f"You are not in {self.alliance!r}."
            raise Refusal(ALY_01, wrong, f"Alliances you can leave: {or_none(joined)}.")
        draft.emit(AllianceEnded(self.alliance, seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if may_talk(table, seat) and (joined := _joined(table, seat)):
            yield cls.option("End an alliance", {"alliance": schema.one_of(joined)})


EVENTS = (AllianceProposed, AllianceAccepted, AllianceEnded)
COMMANDS = (ProposeAlliance, AnswerAlliance, LeaveAlliance)
