"""Winning: as the last Caesar, or by the consent of all (chapter WIN)."""

from domain.classic import talk
from domain.classic.table import Event, Table
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names


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


def check(draft: Draft[Table]) -> None:
    """End the game when one Caesar is left (CC-WIN-01). Call it whenever a player has fallen."""
    table = draft.table
    if table.winner is not None:
        return
    playing = table.playing()
    if len(playing) == 1:
        draft.emit(GameWon(playing[0], RuleId("CC-WIN-01")))
        return
    talk.drop_the_fallen(draft)
    check_acclamation(draft)


def check_acclamation(draft: Draft[Table]) -> None:
    """End the game when all other players have agreed on a winner (CC-WIN-02)."""
    table = draft.table
    acclamation = table.acclamation
    if acclamation is not None and {*table.playing()} <= {acclamation.candidate, *acclamation.agreed}:
        draft.emit(GameWon(acclamation.candidate, RuleId("CC-WIN-02")))


EVENTS = (GameWon,)
