"""Who organizes a game when the account of its organizer is closed (TAB-LIFE-06)."""

from domain.kernel.ids import PlayerId
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.lifecycle import OrganizerChanged
from domain.kernel.log.record import Cause
from domain.kernel.rules.refusal import Refusal


def heirs(game: Game) -> tuple[PlayerId, ...]:
    """Return who may organize the game next, in this order: its officials, then its players, the longest seated first.

    Players whose seats are open to substitutes are left out.
    """
    officials = [player for player, holds in game.around.officials.items() if holds]
    present = set(game.present.values())
    players = [player for player in game.around.seated if player in present]
    return tuple(player for player in dict.fromkeys((*officials, *players)) if player != game.organizer)


def pass_on(game: Game, player: PlayerId, cause: Cause, at: str) -> Decided:
    """Let `player` organize the game. The cause is the organizer until now, whose account is closed.

    Raises:
        Refusal: the game has ended, another account asks, or the player cannot organize it (TAB-LIFE-06).
    """
    if cause.player != game.organizer:
        wrong = "You are not the organizer of this game."
        raise Refusal("TAB-LIFE-06", wrong, f"Only what {game.organizer} organizes passes on with that account.")
    if game.status not in ("gathering", "running"):
        wrong = f"You asked to pass the game on, but {game.state}."
        raise Refusal("TAB-LIFE-06", wrong, "You can do this only until a game ends.", untimely=True)
    if player not in (able := heirs(game)):
        allowed = f"Expected one of {', '.join(able)}." if able else "Nobody else takes part in this game."
        raise Refusal("TAB-LIFE-06", f"{player} is neither an official of this game nor plays in it.", allowed)
    return game.log([(OrganizerChanged(player), game.draws)], cause, at)
