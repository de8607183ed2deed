"""Rematches: the players of a game that is over play again, when all of them agree (TAB-REM).

A rematch is a game of its own. The player who offers it takes their seat when it is created, and so do bots. The other
players have their seats assigned, and agree by confirming them.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from domain.kernel.ids import PlayerId, Seat, TournamentId
from domain.kernel.log.clock import milliseconds, moment
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.lifecycle import GameCancelled
from domain.kernel.log.timing import BY_CLOCK
from domain.kernel.rules.refusal import Refusal

STANDS: Final = timedelta(hours=24)
"""How long the offer of a rematch stands."""

MOST_OFFERS: Final = 5
"""How many rematches of a game can be offered."""


def require_offerable(game: Game, player: PlayerId, tournament: TournamentId | None) -> None:
    """Raise `Refusal` when an account cannot offer a rematch of a game, maybe one of `tournament` (TAB-REM-01)."""
    if game.status != "over":
        wrong = f"You asked for a rematch, but {game.state}."
        raise Refusal("TAB-REM-01", wrong, "You can offer a rematch when a game is over.", untimely=True)
    if game.forked is not None:
        raise Refusal("TAB-REM-01", "You asked for a rematch of a fork.", "Create a new game, or another fork.")
    if tournament is not None:
        wrong = f"You asked for a rematch of a game of the tournament {tournament}."
        raise Refusal("TAB-REM-01", wrong, "Its next round draws the tables.")
    if player not in game.players.values():
        wrong = "You held no seat when the game ended."
        raise Refusal("TAB-REM-01", wrong, "Only the players who held its seats at the end play again.")


def rotated(game: Game) -> Mapping[Seat, PlayerId]:
    """Return the players of a rematch, by seat (TAB-REM-02).

    Each player takes the seat after their own, and the last player the first seat. When the set-up reserves seats for
    accounts, all stay where they are.
    """
    seats, players = list(game.players), [player for player in game.players.values() if player is not None]
    moved = seats if game.kept_seats else [*seats[1:], seats[0]]
    holders = dict(zip(moved, players, strict=True))
    return {seat: holders[seat] for seat in seats}


def offered_until(at: str) -> str:
    """Return when the offer of a rematch that is made at time `at` ends."""
    return moment(milliseconds(at) + STANDS // timedelta(milliseconds=1))


def require_standing(game: Game, at: str) -> None:
    """Raise `Refusal` when a game is a rematch whose offer has expired (TAB-REM-04)."""
    if game.rematch_of is not None and at >= game.offered_until:
        wrong = f"The rematch was offered until {game.offered_until}."
        raise Refusal("TAB-REM-04", wrong, "Offer another one.", untimely=True)


def expire(game: Game, at: str) -> Decided:
    """Cancel a rematch whose offer has expired, as the clock.

    Raises:
        Refusal: the offer has not expired or it is no rematch (TAB-REM-04), or the game does not wait for players.
    """
    game.require_gathering("end the offer of a rematch")
    if game.rematch_of is None or at < game.offered_until:
        until = f"This rematch is offered until {game.offered_until}." if game.rematch_of else "It is no rematch."
        raise Refusal("TAB-REM-04", "The clock was to cancel a game.", until, untimely=True)
    return game.log([(GameCancelled(), 0)], BY_CLOCK, at)
