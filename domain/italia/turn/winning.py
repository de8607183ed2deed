"""The end of a round, when nations score what they hold, and the end of the game (chapter VP)."""

from typing import Final

from domain.italia.box.table import Event, Table
from domain.italia.turn import scoring
from domain.italia.turn.sequence import RoundBegan
from domain.kernel.ids import Seat
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names
from domain.kernel.rules.ruleset import Order

ROUNDS: Final = 10
"""The rounds of a game (IT-SET-09)."""


class GameWon(Event, frozen=True):
    """The game ended after its last round (IT-SET-09, IT-VP-19).

    Attributes:
        points: for each player, the sum of the half points of all their nations.
        winners: the players with the most points; several share the victory.
    """

    rules = ("IT-VP-19", "IT-SET-09")

    points: dict[Seat, int]
    winners: tuple[Seat, ...]

    def apply(self, table: Table) -> None:
        table.stage = "over"
        table.winners[:] = self.winners
        table.won_by = "IT-VP-19"

    def tell(self, names: Names) -> str:
        totals = ", ".join(f"{names(seat)} {scoring.counted_points(halves)}" for seat, halves in self.points.items())
        return f"{names.all(self.winners)} won the game: {totals}."


def score_holdings(table: Table) -> Consequence[Table] | None:
    """Return the step that ends a round with scoring; None if it would change nothing (IT-VP-02, IT-VP-03).

    The step scores what nations hold, and halves what subjects have scored (IT-SUB-13).
    """
    scores = any(halves for nation in table.nations for _, halves in scoring.holdings(table, nation))
    return _score if scores or any(standing.shared for standing in table.nations.values()) else None


def _score(draft: Draft[Table]) -> None:
    table = draft.table
    for nation in table.nations:
        for entry, halves in scoring.holdings(table, nation):
            scoring.score(draft, nation, entry, halves)
    scoring.round_up(draft)


def begin_round(draft: Draft[Table]) -> None:
    """Begin the next round, or end the game after the last one."""
    table = draft.table
    if table.round < ROUNDS:
        draft.emit(RoundBegan(table.round + 1))
    else:
        points = points_of(table)
        most = max(points.values())
        draft.emit(GameWon(points, tuple(seat for seat in points if points[seat] == most)))


def points_of(table: Table) -> dict[Seat, int]:
    """Return for each player the sum of the half points of all their nations (IT-SET-09)."""
    points = dict.fromkeys(table.seats, 0)
    for nation, standing in table.nations.items():
        points[table.seat_of(nation)] += standing.points
    return points


def order(table: Table) -> Order:
    """Return groups of seats, the most points first; seats with the same points share a group (IT-VP-19)."""
    points = points_of(table)
    return tuple(
        tuple(seat for seat in points if points[seat] == halves) for halves in sorted({*points.values()}, reverse=True)
    )


EVENTS = (GameWon,)
