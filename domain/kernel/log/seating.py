"""Acts with seats: assigning, confirming, taking, leaving, giving up, offering, taking over, resigning (TAB-SEAT)."""

from collections.abc import Callable
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.chance.draws import Chance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import PlayerId, RuleId, Seat, Version
from domain.kernel.log import rematching, retracting
from domain.kernel.log.event import GameEvent
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.lifecycle import (
    GameEnded,
    GamePaused,
    GameStarted,
    SeatGivenUp,
    SeatLeft,
    SeatTaken,
    SeatTakenOver,
)
from domain.kernel.log.record import Cause
from domain.kernel.log.seated import (
    AnsweredByHouse,
    OfferWithdrawn,
    SeatAssigned,
    SeatConfirmed,
    SeatOffered,
    SeatResigned,
)
from domain.kernel.rules.refusal import Refusal

BY_HOUSE: Final = Cause(by="house")
NOBODY_PLAYS: Final = "All players have resigned: nobody plays."
"""The reason of a pause that the game makes by itself (TAB-SEAT-07)."""


def take_seat(game: Game, seat: Seat, entropy: str, cause: Cause, at: str) -> Decided:
    """Seat a player.

    Raises:
        Refusal: the game has begun (TAB-LIFE-05), the seat is unknown, taken or reserved for another account, the
            account has or may take only another seat (TAB-LIFE-03), or it is or was an official (TAB-RUL-01).
    """
    game.require_gathering("take a seat", "TAB-LIFE-05")
    player = cause.account
    _require_seat(game, seat)
    if game.players[seat] is not None:
        free = [name for name, holder in game.players.items() if holder is None]
        allowed = f"Free seats: {', '.join(free)}." if free else "This game has no free seat."
        raise Refusal("TAB-LIFE-03", f"{seat} is already taken.", allowed)
    if player in game.players.values():
        wrong = "You already have a seat in this game."
        raise Refusal("TAB-LIFE-03", wrong, "A player can take only one seat of a game.")
    if player in game.around.officials:
        wrong = "You are or were an official of this game."
        raise Refusal("TAB-RUL-01", wrong, "An official never takes a seat of the game.")
    _require_kept_for(game, seat, player, "You")
    happened: list[tuple[GameEvent, int]] = [(SeatTaken(seat, player, entropy), 0)]
    if game.past is not None and list(game.players.values()).count(None) == 1:
        happened.append((GameStarted(), 0))  # all have confirmed that they continue
    return game.log(happened, replace(cause, seat=seat), at)


def seat_for(game: Game, player: PlayerId) -> Seat:
    """Return the seat for a player who names none: the one reserved for them, the first free one, or the first."""
    reserved = game.kept_seats
    own = (seat for seat, holder in reserved.items() if holder == player)
    free = (seat for seat, holder in game.players.items() if holder is None and seat not in reserved)
    return next(own, None) or next(free, None) or next(iter(game.players))


def _require_seat(game: Game, seat: Seat) -> None:
    if seat not in game.players:
        seats = ", ".join(game.players)
        raise Refusal("TAB-LIFE-03", f"This game has no seat {seat!r}.", f"Expected one of {seats}.")


def _require_kept_for(game: Game, seat: Seat, player: PlayerId, who: str) -> None:
    reserved = game.kept_seats
    if reserved.get(seat, player) != player:
        wrong, allowed = f"{seat} is reserved for another player.", f"Only {reserved[seat]} can take it."
        raise Refusal("TAB-LIFE-03", wrong, allowed)
    if own := next((each for each, holder in reserved.items() if holder == player and each != seat), None):
        wrong, allowed = f"You cannot take {seat}.", f"Take {own}, which is reserved for you."
        if who != "You":
            wrong, allowed = f"{who} cannot hold {seat}.", f"Choose {own}, which is reserved for {who}."
        raise Refusal("TAB-LIFE-03", wrong, allowed)


def assign_seat(game: Game, seat: Seat, player: PlayerId, cause: Cause, at: str) -> Decided:
    """Assign a seat to an account that has agreed to it elsewhere. It holds the seat at once.

    Raises:
        Refusal: the game has begun, another account than its organizer asks, or the seat is held by somebody who took
            or confirmed it (TAB-SEAT-08), the game is a fork (TAB-FORK-04) or a rematch in which the seat is held
            (TAB-REM-02), or the account cannot hold it (TAB-LIFE-03, TAB-RUL-01).
    """
    game.require_gathering("assign a seat", "TAB-SEAT-08")
    if cause.player != game.organizer:
        wrong = "You are not the organizer of this game."
        raise Refusal("TAB-SEAT-08", wrong, f"Only the organizer, {game.organizer}, assigns seats.")
    if game.past is not None:
        wrong = "This game is a fork: its seats are reserved for the players of its parent."
        raise Refusal("TAB-FORK-04", wrong, "They take their seats themselves.")
    _require_seat(game, seat)
    holder = game.players[seat]
    if holder is not None:
        game.require_no_offer("assign a seat")
    if holder is not None and seat not in game.around.assigned:
        open_ = [each for each, taker in game.players.items() if taker is None or each in game.around.assigned]
        allowed = f"You can assign {', '.join(open_)}." if open_ else "All seats were taken or confirmed."
        raise Refusal("TAB-SEAT-08", f"{seat} is held by {holder}, who took or confirmed it.", allowed)
    if player in game.players.values():
        wrong = f"{player} already has a seat in this game."
        raise Refusal("TAB-LIFE-03", wrong, "A player can have only one seat of a game.")
    if player in game.around.officials:
        wrong = f"{player} is or was an official of this game."
        raise Refusal("TAB-RUL-01", wrong, "An official never takes a seat of the game.")
    _require_kept_for(game, seat, player, player)
    return game.log([(SeatAssigned(seat, player), 0)], cause, at)


def confirm_seat(game: Game, seat: Seat, entropy: str, cause: Cause, at: str) -> Decided:
    """Confirm an assigned seat and add entropy to the dice.

    Raises:
        Refusal: the game has begun, the account does not hold the seat, the seat was not assigned or is confirmed
            already (TAB-SEAT-09), or the offer of the rematch has expired (TAB-REM-04).
    """
    game.require_gathering("confirm a seat", "TAB-SEAT-09")
    if game.players.get(seat) != cause.account:
        raise Refusal("TAB-SEAT-09", f"{seat} is not your seat.", "You can confirm only your own seat.")
    if seat not in game.around.assigned:
        wrong = f"{seat} does not wait for you to confirm it."
        raise Refusal("TAB-SEAT-09", wrong, "Only a seat that was assigned to you can be confirmed, and only once.")
    rematching.require_standing(game, at)
    return game.log([(SeatConfirmed(seat, entropy), 0)], replace(cause, seat=seat), at)


def leave_seat(game: Game, seat: Seat, cause: Cause, at: str) -> Decided:
    """Leave a seat. Raises `Refusal` when the player does not hold it or the game has begun."""
    game.require_gathering("leave a seat", "TAB-LIFE-05")
    if game.players.get(seat) != cause.account:
        raise Refusal("TAB-LIFE-03", f"{seat} is not your seat.", "You can leave only your own seat.")
    return game.log([(SeatLeft(seat), 0)], replace(cause, seat=seat), at)


def give_up_seat(game: Game, seat: Seat, earlier: Callable[[Version], Game], cause: Cause, at: str) -> Decided:
    """Give up a seat of a running game.

    `earlier` returns the game at a version of its log. When all seats that are still asked have agreed to take moves
    back, the game then goes back.

    Raises:
        Refusal: the game does not run, the player does not hold the seat or it is open already (TAB-LIFE-05), or it is
            an analysis (TAB-FORK-03).
    """
    _require_under_way(game, "give up a seat")
    if game.players.get(seat) != cause.account:
        raise Refusal("TAB-LIFE-05", f"{seat} is not your seat.", "You can give up only your own seat.")
    if game.is_analysis:
        raise Refusal("TAB-FORK-03", "You play all seats of this game.", "Close the analysis instead.")
    if game.clocks is not None and seat in game.clocks.vacated:
        wrong, allowed = f"The clock has left {seat} open already.", "Take it back, or leave it to a substitute."
        raise Refusal("TAB-LIFE-05", wrong, allowed)
    if seat in game.around.given_up:
        raise Refusal("TAB-LIFE-05", f"You have given up {seat} already.", "Play on until it is taken over.")
    step = game.log([(SeatGivenUp(seat), game.draws)], replace(cause, seat=seat), at)
    return _with_way_back(step, earlier, at)


def offer_seat(game: Game, seat: Seat, to: PlayerId | None, cause: Cause, at: str) -> Decided:
    """Offer a seat of a running game: to an account, or to anybody who can be a substitute when `to` is None.

    A cause with a seat is that of its player, one without a seat that of an official, or of the organizer for the
    tournament to which the game belongs (TAB-SEAT-10).

    Raises:
        Refusal: the game does not run, the account may not offer the seat or it is offered already (TAB-SEAT-01), its
            player has resigned (TAB-SEAT-04), it is an analysis (TAB-FORK-03), or `to` cannot be a substitute
            (TAB-LIFE-03, TAB-RUL-01, TAB-SEAT-02).
    """
    _require_may_offer(game, seat, cause)
    if seat in game.around.offers:
        wrong, allowed = f"{seat} is offered already, {_offered_to(game, seat)}.", "Withdraw that offer first."
        raise Refusal("TAB-SEAT-01", wrong, allowed)
    if to is not None:
        _require_substitute(game, seat, to, to)
    event = SeatOffered(seat, to or UNSET)
    return game.log([(event, game.draws)], cause, at)


def withdraw_offer(game: Game, seat: Seat, cause: Cause, at: str) -> Decided:
    """Withdraw the offer of a seat. Raises `Refusal` when it is not offered, or the account may not (TAB-SEAT-01)."""
    _require_may_offer(game, seat, cause)
    if seat not in game.around.offers:
        offered = ", ".join(game.around.offers)
        allowed = f"These seats are offered: {offered}." if offered else "No seat of this game is offered."
        raise Refusal("TAB-SEAT-01", f"{seat} is not offered.", allowed)
    return game.log([(OfferWithdrawn(seat), game.draws)], cause, at)


def _require_may_offer(game: Game, seat: Seat, cause: Cause) -> None:
    _require_under_way(game, "offer a seat", "TAB-SEAT-01")
    if game.is_analysis:
        raise Refusal("TAB-FORK-03", "You play all seats of this game.", "Close the analysis instead.")
    if cause.seat is None:
        if cause.tournament is not None and cause.player == game.organizer:
            return
        if not game.around.is_official(cause.player):
            wrong = "You are not an official of this game."
            raise Refusal("TAB-SEAT-01", wrong, "A seat is offered by its player or by an official.")
        return
    if game.players.get(seat) != cause.player or cause.seat != seat:
        raise Refusal("TAB-SEAT-01", f"{seat} is not your seat.", "A seat is offered by its player or by an official.")
    game.require_not_resigned(seat)


def _offered_to(game: Game, seat: Seat) -> str:
    to = game.around.offers[seat].to
    return "to anybody" if to is None else f"to {to}"


def take_over_seat(game: Game, seat: Seat, cause: Cause, at: str) -> Decided:
    """Take over a seat that is open or offered, or take back your own that its clock left open.

    Raises:
        Refusal: the game does not run or the seat is neither open nor offered (TAB-LIFE-05), it is offered to another
            account (TAB-SEAT-01), the account cannot hold it (TAB-LIFE-03, TAB-RUL-01, TAB-SEAT-02), or holds it and
            cannot take it back (TAB-SEAT-11).
    """
    _require_under_way(game, "take over a seat")
    player, offer = cause.account, game.around.offers.get(seat)
    if offer is None and seat not in game.around.given_up:
        seats = ", ".join(dict.fromkeys((*game.around.given_up, *game.around.offers)))
        allowed = f"These seats are open or offered: {seats}." if seats else "No seat of this game is open or offered."
        raise Refusal("TAB-LIFE-05", f"{seat} is neither given up by its player nor offered.", allowed)
    if offer is not None and offer.to not in (None, player):
        wrong, allowed = f"{seat} is offered to another account.", f"Only {offer.to} can take it over."
        raise Refusal("TAB-SEAT-01", wrong, allowed)
    if game.players[seat] == player:
        _require_left_open(game, seat)
    else:
        _require_substitute(game, seat, player, "You")
    return game.log([(SeatTakenOver(seat, player), game.draws)], replace(cause, seat=seat), at)


def _require_left_open(game: Game, seat: Seat) -> None:
    """Raise `Refusal` when the player of a seat cannot take it back: they resigned, or its clock did not open it."""
    if seat in game.around.resigned:
        raise Refusal("TAB-SEAT-11", f"You have resigned {seat}.", "A resignation cannot be taken back.")
    if game.clocks is None or seat not in game.clocks.vacated:
        wrong, allowed = f"{seat} is your seat.", "Play on. Only a seat that its clock left open can be taken back."
        raise Refusal("TAB-SEAT-11", wrong, allowed)


def _require_substitute(game: Game, seat: Seat, player: PlayerId, who: str) -> None:
    """Raise `Refusal` when an account cannot take a seat over: it plays, or may have seen more than the seat sees."""
    you = who == "You"
    if player in game.players.values():
        wrong = f"{who} already {'have' if you else 'has'} a seat in this game."
        raise Refusal("TAB-LIFE-03", wrong, "A player can take only one seat of a game.")
    if player in game.around.officials:
        wrong = f"{who} {'are or were' if you else 'is or was'} an official of this game."
        raise Refusal("TAB-RUL-01", wrong, "An official never takes a seat of the game.")
    if game.organizer_sees == "all" and player in (game.organizer, game.first_organizer):
        wrong = f"{who} {'organize' if you else 'organizes'} this game and {'see' if you else 'sees'} all of it."
        raise Refusal("TAB-SEAT-02", wrong, "A substitute has seen no more of the game than its seat.")
    other = next((each for each, holders in game.around.held.items() if each != seat and player in holders), None)
    if other is not None:
        wrong = f"{who} held {other} of this game before."
        raise Refusal("TAB-SEAT-02", wrong, "A substitute has seen no more of the game than its seat.")


# --- resigning ---


def resign(
    game: Game, seat: Seat, earlier: Callable[[Version], Game], chance: Chance, cause: Cause, at: str
) -> Decided:
    """Resign from a seat. `earlier` is that of `give_up_seat`.

    With two seats the other one wins (TAB-SEAT-06). With more, the house answers for the seat (`by_house`).

    Raises:
        Refusal: the game does not run, the player does not hold the seat or has resigned (TAB-SEAT-04), or it is an
            analysis (TAB-FORK-03).
    """
    _require_under_way(game, "resign", "TAB-SEAT-04")
    if game.players.get(seat) != cause.account:
        raise Refusal("TAB-SEAT-04", f"{seat} is not your seat.", "You can resign only for your own seat.")
    if game.is_analysis:
        raise Refusal("TAB-FORK-03", "You play all seats of this game.", "Close the analysis instead.")
    game.require_not_resigned(seat)
    happened: list[tuple[GameEvent, int]] = [(SeatResigned(seat), game.draws)]
    others = tuple(each for each in game.players if each != seat)
    if len(others) == 1:
        happened.append((GameEnded(others, RuleId("TAB-SEAT-06"), chance.secret.hex()), game.draws))
    step = game.log(happened, replace(cause, seat=seat), at)
    return _with_way_back(step, earlier, at)


def by_house(game: Game, chance: Chance, vault: Vault, at: str) -> Decided | None:
    """Decide what the house does now: it answers for a seat that resigned, or pauses a game without players.

    None when no such seat has to decide. `vault` may hold every secret; the answer is chosen from what the seat may
    read.
    """
    seat = game.left_to_house
    if seat is None:
        return None
    return answer_for(game, seat, chance, vault, at) if _has_players(game) else pause_without_players(game, at)


def answer_for(game: Game, seat: Seat, chance: Chance, vault: Vault, at: str) -> Decided:
    """Give the default answer of a seat that resigned.

    Raises:
        Refusal: the house has to answer for another seat or for none (TAB-SEAT-05), or nobody plays any more
            (TAB-SEAT-07).
    """
    if game.left_to_house != seat:
        wrong = f"The house was to answer for {seat}."
        raise Refusal("TAB-SEAT-05", wrong, "It answers only for the first seat that resigned and is asked.")
    if not _has_players(game):
        raise Refusal("TAB-SEAT-07", "Nobody plays in this game.", "The game pauses instead.")
    command = game.running_ruleset.default(game.table, seat, vault.read_by(seat))
    if command is None:
        raise Refusal("TAB-SEAT-05", f"{seat} is asked nothing.", "The house answers only an open decision.")
    return game.decide(seat, command, chance, vault, BY_HOUSE, at, AnsweredByHouse(seat))


def pause_without_players(game: Game, at: str) -> Decided:
    """Pause a game in which all seats that are not out have resigned. Raises `Refusal` for another (TAB-SEAT-07)."""
    if game.left_to_house is None or _has_players(game):
        wrong = "The game was to pause because nobody plays."
        raise Refusal("TAB-SEAT-07", wrong, "It pauses when all seats that are not out of it have resigned.")
    return game.log([(GamePaused(NOBODY_PLAYS), game.draws)], BY_HOUSE, at)


def _has_players(game: Game) -> bool:
    return not {*game.around.resigned, *game.ruleset.out(game.table)}.issuperset(game.players)


def _with_way_back(step: Decided, earlier: Callable[[Version], Game], at: str) -> Decided:
    """Return `step`, by which a player left, followed by the way back if now all seats asked have agreed to one."""
    if step.game.status != "running":
        return step
    for version, request in step.game.around.asked.items():
        if request.asks_present and (back := retracting.agreed(step, version, earlier, at)) is not step:
            return back
    return step


def _require_under_way(game: Game, what: str, rule: str = "TAB-LIFE-05") -> None:
    if game.status != "running":
        wrong = f"You asked to {what}, but {game.state}."
        raise Refusal(rule, wrong, "You can do that only in a running game.", untimely=True)
