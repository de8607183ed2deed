"""Officials: naming and releasing them, and what their rulings do to a game (TAB-RUL-01 to -04)."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from domain.kernel.chance.draws import Chance
from domain.kernel.ids import PlayerId, RuleId, Seat, Version
from domain.kernel.log import retracting
from domain.kernel.log.around import LONGEST_REASON, is_reason
from domain.kernel.log.ending import require_whole
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.history import read_around
from domain.kernel.log.lifecycle import (
    GameAdjudicated,
    GameEnded,
    GamePaused,
    GameResumed,
    GameStarted,
    OfficialNamed,
    OfficialReleased,
)
from domain.kernel.log.record import Cause, Record
from domain.kernel.log.seated import SeatOffered
from domain.kernel.rules.message import type_name
from domain.kernel.rules.refusal import Refusal

MOST_OFFICIALS: Final = 20
"""How many accounts may be named officials of a game, including those that were released."""

MOST_ADDRESSED: Final = 10
"""How often a game may name the same account an official or offer it a seat: it gets a notification each time."""

_ADDRESSES: Final = frozenset(map(type_name, (OfficialNamed, SeatOffered)))


def require_few_officials(game: Game, player: PlayerId) -> None:
    """Raise `Refusal` when a game has had as many officials as it may (TAB-LIM-03).

    A verifier does not ask this: a game from before the rule may have had more.
    """
    officials = game.around.officials
    if player not in officials and len(officials) >= MOST_OFFICIALS:
        wrong = f"This game has had {len(officials)} officials."
        raise Refusal("TAB-LIM-03", wrong, "Name one of them again, or take the game to those that it has.")


def require_rarely_addressed(player: PlayerId, records: Iterable[Record]) -> None:
    """Raise `Refusal` when a game has named an account its official, or offered it a seat, as often as it may.

    That is TAB-LIM-05. A verifier does not ask this: a game from before the rule may have done so more often.
    """
    addressed = 0
    for record in records:
        if record.type in _ADDRESSES:
            match read_around(record):
                case OfficialNamed(to) | SeatOffered(_, to):
                    addressed += to == player
                case _:
                    pass
    if addressed >= MOST_ADDRESSED:
        wrong = f"This game has turned to {player} {addressed} times, by offers of a seat or by naming an official."
        raise Refusal("TAB-LIM-05", wrong, "Offer the seat to anybody, or name somebody else.")


def name_official(game: Game, player: PlayerId, cause: Cause, at: str) -> Decided:
    """Name an official, as the organizer.

    Raises:
        Refusal: another account asks, the game has ended, or the player is an official already, or holds, held or is to
            take a seat (TAB-RUL-01).
    """
    _require_organizer(game, cause)
    around = game.around
    if around.is_official(player):
        raise Refusal("TAB-RUL-01", f"{player} is an official already.", "Name another account.")
    if player in around.seated or player in game.kept_seats.values():
        wrong = f"{player} has, had or is to take a seat of this game."
        raise Refusal("TAB-RUL-01", wrong, "Nobody judges a game that they play.")
    return game.log([(OfficialNamed(player), game.draws)], cause, at)


def release_official(game: Game, player: PlayerId, cause: Cause, at: str) -> Decided:
    """Release an official, as the organizer or as the official.

    Raises:
        Refusal: another account asks, the game has ended, or `player` is no official (TAB-RUL-01).
    """
    if cause.player == player:
        _require_before_its_end(game)
    else:
        _require_organizer(game, cause)
    if not game.around.is_official(player):
        in_office = ", ".join(each for each, holds in game.around.officials.items() if holds)
        allowed = f"Officials: {in_office}." if in_office else "This game has no officials."
        raise Refusal("TAB-RUL-01", f"{player} is no official of this game.", allowed)
    return game.log([(OfficialReleased(player), game.draws)], cause, at)


def _require_organizer(game: Game, cause: Cause) -> None:
    if cause.player != game.organizer:
        wrong = "You are not the organizer of this game."
        raise Refusal("TAB-RUL-01", wrong, f"Only the organizer, {game.organizer}, names and releases officials.")
    _require_before_its_end(game)


def _require_before_its_end(game: Game) -> None:
    if game.status not in ("gathering", "running"):
        allowed = "You can do this only until a game ends."
        raise Refusal("TAB-RUL-01", f"{game.state.capitalize()}.", allowed, untimely=True)


def require_ruling(game: Game, cause: Cause, reason: str | None = None) -> None:
    """Raise `Refusal` unless an official rules on a case, in a running game and with a valid `reason` (TAB-RUL-02)."""
    if not game.around.is_official(cause.player):
        in_office = ", ".join(each for each, holds in game.around.officials.items() if holds)
        allowed = f"Officials: {in_office}." if in_office else "The organizer can name officials."
        raise Refusal("TAB-RUL-02", "You are not an official of this game.", allowed)
    if not cause.case:
        raise Refusal("TAB-RUL-02", "The ruling names no case.", "Rule on a case of this game.")
    if reason is not None and not is_reason(reason):
        allowed = f"Expected a line of 1 to {LONGEST_REASON} characters, without control characters."
        raise Refusal("TAB-RUL-02", f"This cannot be the reason of a ruling: {reason[:40]!r}.", allowed)
    if game.status != "running":
        allowed = "An official rules in a game only while it runs."
        raise Refusal("TAB-RUL-02", f"{game.state.capitalize()}.", allowed, untimely=True)


def rule_start(game: Game, cause: Cause, at: str) -> Decided:
    """Start a continuation by a ruling, with the players of its parent on the seats that are free (TAB-FORK-04).

    Raises:
        Refusal: it is no continuation, has begun already, or was cancelled.
    """
    game.require_gathering("continue the game", "TAB-FORK-04")
    if game.past is None:
        wrong = f"You asked to continue in {game.id}, which is no fork."
        raise Refusal("TAB-FORK-04", wrong, "A game that is over is continued in a fork.")
    return game.log([(GameStarted(), 0)], cause, at)


def rule_back(
    game: Game,
    to: Version,
    reason: str,
    history: Sequence[Record],
    earlier: Callable[[Version], Game],
    cause: Cause,
    at: str,
) -> Decided:
    """Go back to the version before a command, by a ruling on a case. The arguments are those of `ask_take_back`.

    Raises `Refusal` where `require_ruling` or `require_retractable` does.
    """
    require_ruling(game, cause, reason)
    retracting.require_retractable(game, to, "ruling", history, None)
    return retracting.go_on_from(game, earlier(to), "ruling", reason, cause, at)


def rule_result(
    game: Game, order: Sequence[Sequence[Seat]], reason: str, chance: Chance, cause: Cause, at: str
) -> Decided:
    """End the game with a final order of its seats, by a ruling on a case; seats that tie stand together.

    Raises `Refusal` where `require_ruling` does, or unless the order has each seat once (TAB-RUL-04).
    """
    require_ruling(game, cause, reason)
    adjudicated = GameAdjudicated(require_whole(game, order, "TAB-RUL-04"), reason)
    end = GameEnded(adjudicated.order[0], RuleId("TAB-RUL-04"), chance.secret.hex())
    return game.log([(adjudicated, game.draws), (end, game.draws)], cause, at)


def rule_pause(game: Game, reason: str, cause: Cause, at: str) -> Decided:
    """Pause the game, by a ruling on a case. Raises `Refusal` where `require_ruling` does, or when it is paused."""
    require_ruling(game, cause, reason)
    if game.around.paused is not None:
        raise Refusal("TAB-RUL-03", "The game is paused already.", "Resume it first.", untimely=True)
    return game.log([(GamePaused(reason), game.draws)], cause, at)


def rule_resume(game: Game, cause: Cause, at: str) -> Decided:
    """Resume the game, by a ruling on a case. Raises `Refusal` where `require_ruling` does, or when it goes on."""
    require_ruling(game, cause)
    return _resumed(game, cause, at)


def may_resume(game: Game, player: PlayerId | None) -> bool:
    """Tell whether an account may resume the game without a case: an official, or the organizer when there is none."""
    return game.around.is_official(player) or (player == game.organizer and not any(game.around.officials.values()))


def resume(game: Game, cause: Cause, at: str) -> Decided:
    """Resume the game without a case.

    Raises:
        Refusal: the game does not run (TAB-LIFE-01), it is not paused, or the account may not (TAB-RUL-03).
    """
    if not may_resume(game, cause.player):
        in_office = ", ".join(each for each, holds in game.around.officials.items() if holds)
        allowed = (
            f"Only its officials can resume it: {in_office}." if in_office else f"Only {game.organizer} can resume it."
        )
        raise Refusal("TAB-RUL-03", "You cannot resume this game.", allowed)
    game.require_running()
    return _resumed(game, cause, at)


def _resumed(game: Game, cause: Cause, at: str) -> Decided:
    if game.around.paused is None:
        raise Refusal("TAB-RUL-03", "The game is not paused.", "Only a paused game is resumed.", untimely=True)
    return game.log([(GameResumed(), game.draws)], cause, at)
