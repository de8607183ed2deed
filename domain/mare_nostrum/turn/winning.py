"""Victory: the Pyramids, or four heroes and wonders. The game ends at once, in the middle of a phase (chapter WIN)."""

from typing import Final

from domain.kernel.ids import Seat
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names
from domain.mare_nostrum.box.data import CARDS
from domain.mare_nostrum.box.table import Event, Table

CARDS_TO_WIN: Final = 4
"""Heroes and wonders, in any mix, including the hero of the set-up (MN-WIN-03, MN-WIN-04)."""


class GameWon(Event, frozen=True):
    """A player met a condition of victory; the game is over at once (MN-WIN-01).

    Attributes:
        rule: the condition.
    """

    rules = ("MN-WIN-01",)

    seat: Seat
    rule: str

    def apply(self, table: Table) -> None:
        table.winner, table.won_by, table.phase = self.seat, self.rule, "over"

    def tell(self, names: Names) -> str:
        how = "built the Pyramids" if self.rule == "MN-WIN-02" else f"had {CARDS_TO_WIN} heroes and wonders"
        return f"{names(self.seat)} {how} and won."


def check(draft: Draft[Table], seat: Seat) -> None:
    """End the game if a player who has just got a card has won by it. Call it after every hero or wonder gained."""
    cards = draft.table.cards[seat]
    if any(CARDS[card].power == "victory" for card in cards):
        draft.emit(GameWon(seat, "MN-WIN-02"))
    elif len(cards) >= CARDS_TO_WIN:
        draft.emit(GameWon(seat, "MN-WIN-03"))


EVENTS = (GameWon,)
