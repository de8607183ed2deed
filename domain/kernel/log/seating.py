"""Seats: taking, leaving, giving up and taking over one (TAB-LIFE-03, TAB-LIFE-05)."""

from collections.abc import Callable

from msgspec.structs import replace

from domain.kernel.ids import PlayerId, Seat, Version
from domain.kernel.log import retracting
from domain.kernel.log.event import GameEvent
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.lifecycle import GameStarted, SeatGivenUp, SeatLeft, SeatTaken, SeatTakenOver
from domain.kernel.log.record import Cause
from domain.kernel.rules.refusal import Refusal


def take_seat(game: Game, seat: Seat, entropy: str, cause: Cause, at: str) -> Decided:
    """Seat a player. Raises `Refusal` when the seat is unknown or taken, or the game has begun."""
    game.require_gathering("take a seat", "TAB-LIFE-05")
    player = cause.account
    if seat not in game.players:
        seats = ", ".join(game.players)
        raise Refusal("TAB-LIFE-03", f"This game has no seat {seat!r}.", f"Expected one of {seats}.")
    if game.players[seat] is not None:
        free = [name for name, holder in game.players.items() if holder is None]
        allowed = f"Free seats: {', '.join(free)}." if free else "This game has no free seat."
        raise Refusal("TAB-LIFE-03", f"{seat} is already taken.", allowed)
    if player in game.players.values():
        asked = "You already have a seat in this game."
        raise Refusal("TAB-LIFE-03", asked, "A player can take only one seat of a game.")
    if player in game.around.officials:
        asked = "You are or were an official of this game."
        raise Refusal("TAB-RUL-01", asked, "An official never takes a seat of the game.")
    _require_kept_for(game, seat, player)
    happened: list[tuple[GameEvent, int]] = [(SeatTaken(seat, player, entropy), 0)]
    if game.past is not None and list(game.players.values()).count(None) == 1:
        happened.append((GameStarted(), 0))  # all have confirmed that they go on
    return game.log(happened, replace(cause, seat=seat), at)


def seat_for(game: Game, player: PlayerId) -> Seat:
    """Return the seat for a player who names none: the one reserved for them, or the first that is free."""
    kept = game.kept_seats
    own = (seat for seat, holder in kept.items() if holder == player)
    free = (seat for seat, holder in game.players.items() if holder is None and seat not in kept)
    return next(own, None) or next(free, None) or next(iter(game.players))


def _require_kept_for(game: Game, seat: Seat, player: PlayerId) -> None:
    kept = game.kept_seats
    if kept.get(seat, player) != player:
        asked, allowed = f"{seat} is reserved for another player.", f"Only {kept[seat]} can take it."
        raise Refusal("TAB-LIFE-03", asked, allowed)
    if own := next((each for each, holder in kept.items() if holder == player and each != seat), None):
        asked, allowed = f"You cannot take {seat}.", f"Take {own}, which is reserved for you."
        raise Refusal("TAB-LIFE-03", asked, allowed)


def leave_seat(game: Game, seat: Seat, cause: Cause, at: str) -> Decided:
    """Free a seat. Raises `Refusal` when the player does not hold it or the game has begun."""
    game.require_gathering("leave a seat", "TAB-LIFE-05")
    if game.players.get(seat) != cause.account:
        raise Refusal("TAB-LIFE-03", f"{seat} is not your seat.", "You can leave only your own seat.")
    return game.log([(SeatLeft(seat), 0)], replace(cause, seat=seat), at)


def give_up_seat(game: Game, seat: Seat, earlier: Callable[[Version], Game], cause: Cause, at: str) -> Decided:
    """Give up a seat of a running game. Raises `Refusal` when the player does not hold it, or gave it up before.

    `earlier` returns the game at a version of its log: where the others have agreed to go back, it goes back.
    """
    _require_under_way(game, "give up a seat")
    if game.players.get(seat) != cause.account:
        raise Refusal("TAB-LIFE-05", f"{seat} is not your seat.", "You can give up only your own seat.")
    if game.is_analysis:
        raise Refusal("TAB-FORK-03", "You play all seats of this game.", "Close the analysis instead.")
    if seat in game.around.given_up:
        raise Refusal("TAB-LIFE-05", f"You have given up {seat} already.", "Play on until it is taken over.")
    step = game.log([(SeatGivenUp(seat), game.draws)], replace(cause, seat=seat), at)
    for asked, request in step.game.around.asked.items():
        if request.asks_present and (back := retracting.agreed(step, asked, earlier, at)) is not step:
            return back
    return step


def take_over_seat(game: Game, seat: Seat, cause: Cause, at: str) -> Decided:
    """Take over a seat that was given up. Raises `Refusal` when it was not, or the account cannot hold it."""
    _require_under_way(game, "take over a seat")
    player = cause.account
    if seat not in game.around.given_up:
        known = ", ".join(game.around.given_up)
        allowed = f"These seats were given up: {known}." if known else "No seat of this game was given up."
        raise Refusal("TAB-LIFE-05", f"{seat} was not given up by its player.", allowed)
    if player in game.players.values():
        asked = "You already have a seat in this game."
        raise Refusal("TAB-LIFE-03", asked, "A player can take only one seat of a game.")
    if player in game.around.officials:
        asked = "You are or were an official of this game."
        raise Refusal("TAB-RUL-01", asked, "An official never takes a seat of the game.")
    return game.log([(SeatTakenOver(seat, player), game.draws)], replace(cause, seat=seat), at)


def _require_under_way(game: Game, what: str) -> None:
    if game.status != "running":
        asked = f"You asked to {what}, but {game.state}."
        raise Refusal("TAB-LIFE-05", asked, "You can do that only in a running game.", untimely=True)
