"""Acts that end a game by agreement, or because nobody plays any more; and how any game finished (TAB-END)."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.kernel.chance.draws import Chance
from domain.kernel.ids import RuleId, Seat, Version
from domain.kernel.log.around import Proposed
from domain.kernel.log.clock import milliseconds, moment
from domain.kernel.log.ended import EndAnswered, EndProposed, GameAbandoned
from domain.kernel.log.event import GameEvent
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.lifecycle import GameEnded
from domain.kernel.log.record import Cause
from domain.kernel.log.timing import BY_CLOCK
from domain.kernel.rules.message import type_name
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Order

AGREED: Final = RuleId("TAB-END-01")
ABANDONED: Final = RuleId("TAB-END-04")

WARNING: Final = timedelta(days=7)
"""How long before the end of an abandoned game its players are warned."""

How = Literal["won", "ruled", "flag", "resigned", "agreed", "abandoned"]
"""How a game ended: by its rule book, by a ruling, because a time was up or the other seat resigned, by agreement, or
because nobody played."""

_HOW: Final[Mapping[str, How]] = {
    "TAB-RUL-04": "ruled",
    "TAB-RUL-09": "ruled",
    "TAB-CLK-06": "flag",
    "TAB-SEAT-06": "resigned",
    AGREED: "agreed",
    ABANDONED: "abandoned",
}


class Finish(Struct, frozen=True):
    """How a game ended, and how its seats finished.

    Attributes:
        winners: the seats that have won; none in a draw, and none when the end was agreed or the game abandoned.
        rule: the rule that ended the game.
        how: `won` by the rule book of the game, `ruled` by a ruling on the result, `flag` when the time of the other
            seat was up, `resigned` when the player of the other seat did, `agreed` by the players, `abandoned` when
            nobody played any more.
        order: the seats from the first place to the last, each group of seats that tie together (TAB-END-03).
    """

    winners: tuple[Seat, ...]
    rule: str
    how: How
    order: Order


def finish(game: Game) -> Finish | None:
    """Return how a game ended; None when it has not, or was cancelled."""
    if game.result is None:
        return None
    return finished(game.result.winners, game.result.rule, order_of(game))


def finished(winners: tuple[Seat, ...], rule: str, order: Order) -> Finish:
    """Return the finish of a game that `rule` ended."""
    return Finish(winners, rule, _HOW.get(rule, "won"), order)


def order_of(game: Game) -> Order:
    """Return how the seats of a game that is over finished (TAB-END-03).

    That is the order that was ruled or agreed, else the one that the rule book gives for the last table, else the
    winners before the others. Seats that it does not name tie for the last place.
    """
    if game.around.order is not None:
        return game.around.order
    if game.table is not None and game.ruleset.result(game.table) is not None:
        groups = game.ruleset.order(game.table)
    else:
        groups = (game.result.winners,) if game.result is not None else ()
    placed = {seat for group in groups for seat in group}
    rest = tuple(seat for seat in game.players if seat not in placed)
    return tuple(filter(None, (*groups, rest)))


def require_whole(game: Game, order: Sequence[Sequence[Seat]], rule: str) -> Order:
    """Return `order` in tuples. Raises `Refusal` by `rule` unless it has each seat once, and no empty group."""
    seats = [seat for group in order for seat in group]
    if sorted(seats) != sorted(game.players) or not all(order):
        wrong = f"The order names {', '.join(seats) or 'no seats'}, in {len(order)} groups."
        allowed = f"Expected each of {', '.join(game.players)} once, and no empty group."
        raise Refusal(rule, wrong, allowed)
    return tuple(map(tuple, order))


# --- agreed ---


def propose_end(
    game: Game, seat: Seat, order: Sequence[Sequence[Seat]], chance: Chance, cause: Cause, at: str
) -> Decided:
    """Propose to end the game with an order of its seats. When nobody else has to agree, the game ends.

    Raises:
        Refusal: the game does not go on, it is an analysis, the seat is out or was given up, the order does not have
            each seat once (TAB-END-01), the seat has proposed an end in this round (TAB-END-02), or the rule book
            itself lets players agree on such an end.
    """
    _ = game.running_ruleset
    if game.is_analysis:
        wrong = "You asked to end an analysis by agreement."
        raise Refusal(AGREED, wrong, "It has one player: close it instead (TAB-FORK-06).")
    present = _present(game)
    if seat not in present:
        wrong = f"{seat} is out of the game, or was given up."
        raise Refusal(AGREED, wrong, f"Seats that may propose an end: {', '.join(present)}.")
    final = require_whole(game, order, AGREED)
    _leave_to_the_rule_book(game, final, present)
    if (earlier := game.around.end_of(seat, game.round)) is not None:
        wrong = f"{seat} has already proposed an end in this round, at version {earlier}."
        raise Refusal("TAB-END-02", wrong, "Answer the proposals of others, or propose another end in the next round.")
    asks = tuple(each for each in present if each != seat)
    proposed = EndProposed(asks, final, game.round, seat)
    return _logged(game, proposed, replace(cause, seat=seat), at, chance, ends=not asks)


def answer_end(
    game: Game, seat: Seat, proposed: Version, agrees: bool, chance: Chance, cause: Cause, at: str
) -> Decided:
    """Answer the proposal of version `proposed`. When nobody is left to agree, the game ends.

    A seat that refuses its own proposal withdraws it. A seat that has agreed may still turn it down.

    Raises:
        Refusal: the game does not go on, no such proposal is open, the seat agrees to its own or agrees twice
            (TAB-END-02), or the seat is not asked (TAB-END-01).
    """
    _ = game.running_ruleset
    open_ = open_ends(game)
    proposal = open_.get(proposed)
    if proposal is None:
        versions = ", ".join(map(str, open_))
        allowed = (
            f"Versions at which an open proposal was made: {versions}." if versions else "There is no open proposal."
        )
        raise Refusal("TAB-END-02", f"No open proposal to end the game was made at version {proposed}.", allowed)
    if agrees and seat == proposal.seat:
        raise Refusal("TAB-END-02", "This is your own proposal.", "You can only withdraw it.")
    if agrees and seat in proposal.agreed:
        raise Refusal("TAB-END-02", f"{seat} has agreed to it already.", "You can only turn it down.")
    if seat not in (proposal.seat, *proposal.asks):
        raise Refusal(AGREED, f"{seat} is not asked.", f"The seats asked: {', '.join(proposal.asks)}.")
    ends = agrees and proposal.waits_for == (seat,)
    return _logged(game, EndAnswered(agrees, proposed, seat), replace(cause, seat=seat), at, chance, ends=ends)


def open_ends(game: Game) -> dict[Version, Proposed]:
    """Return the proposals to end a game that are open, by the version at which each was made."""
    if game.status != "running":
        return {}
    ends, now = game.around.ends, game.round
    return {at: each for at, each in ends.items() if each.round == now and not each.is_closed}


def _present(game: Game) -> tuple[Seat, ...]:
    """Return the seats that agree on an end: those in the game that are not open to substitutes."""
    out = game.ruleset.out(game.table)
    return tuple(seat for seat in game.present if seat not in out)


def _leave_to_the_rule_book(game: Game, order: Order, present: Sequence[Seat]) -> None:
    """Refuse an end that players can bring about by the rule book now: all of them make one the winner."""
    acclaims, (first, *others) = game.ruleset.acclaims, order[0]
    in_game = [seat for seat in game.players if seat not in game.ruleset.out(game.table)]
    if acclaims is None or others or first not in in_game or len(present) < len(in_game):
        return
    wrong = f"You proposed an end at which {first} alone is first."
    name = type_name(acclaims)
    allowed = f"Here players agree on a winner at the table: send the command {name}. An agreed end has none."
    raise Refusal(acclaims.rules[0], wrong, allowed)


def _logged(game: Game, event: GameEvent, cause: Cause, at: str, chance: Chance, *, ends: bool) -> Decided:
    happened: list[tuple[GameEvent, int]] = [(event, game.draws)]
    if ends:
        happened.append((GameEnded((), AGREED, chance.secret.hex()), game.draws))
    return game.log(happened, cause, at)


# --- abandoned ---


def abandoned_at(game: Game, since: str) -> str | None:
    """Return when a game whose last event was at `since` is abandoned; None for never.

    No game is abandoned while a clock that runs has time left. Nobody waits for the player of an analysis, so no
    analysis is abandoned.
    """
    if game.status != "running" or game.is_analysis:
        return None
    end = moment(milliseconds(since) + game.abandoned_after * _DAY)
    if game.clocks is not None and game.around.paused is None:
        end = max([end, *(falls for seat in game.clocks.runs if (falls := game.clocks.falls_at(seat)) is not None)])
    return end


def abandon(game: Game, since: str, chance: Chance, at: str) -> Decided:
    """End a game in which nothing has happened for too long. `since` is the time of its last event.

    Raises:
        Refusal: the game does not run (TAB-LIFE-01), it is an analysis or not enough time has passed (TAB-END-04).
    """
    game.require_running()
    earliest = abandoned_at(game, since)
    if earliest is None or at < earliest:
        allowed = f"It can be abandoned from {earliest} on." if earliest else "An analysis is never abandoned."
        raise Refusal(ABANDONED, f"The last event of the game was at {since}.", allowed, untimely=True)
    end = GameEnded((), ABANDONED, chance.secret.hex())
    return game.log([(GameAbandoned(since), game.draws), (end, game.draws)], BY_CLOCK, at)


_DAY: Final = 24 * 60 * 60_000
