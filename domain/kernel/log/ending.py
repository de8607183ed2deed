"""Ends that no rule book provides: agreed by the players, or of a game that nobody plays any more (TAB-END)."""

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
        winners: the seats that have won; none in a draw, and none when the game was agreed on or abandoned.
        rule: the rule that ended the game.
        how: `won` by the rule book of the game, `ruled` by a ruling on the result, `flag` when the time of the other
            seat was up, `resigned` when the player of the other seat did, `agreed` by the players, `abandoned` when
            nobody played any more.
        order: the seats as they finished, the first first, each group of seats that tie together (TAB-END-03).
    """

    winners: tuple[Seat, ...]
    rule: str
    how: How
    order: Order


def finish(game: Game) -> Finish | None:
    """Return how a game ended by itself; None while it goes on."""
    if game.result is None:
        return None
    return finished(game.result.winners, game.result.rule, order_of(game))


def finished(winners: tuple[Seat, ...], rule: str, order: Order) -> Finish:
    """Return an end by a rule."""
    return Finish(winners, rule, _HOW.get(rule, "won"), order)


def order_of(game: Game) -> Order:
    """Return how the seats of a game that is over finished (TAB-END-03).

    It is what was ruled or agreed, or else what the rule book says of the last table. Seats of which nothing is said
    tie.
    """
    if game.around.order is not None:
        return game.around.order
    if game.table is not None and game.ruleset.result(game.table) is not None:
        first = game.ruleset.order(game.table)
    else:
        first = (game.result.winners,) if game.result is not None else ()
    placed = {seat for group in first for seat in group}
    rest = tuple(seat for seat in game.players if seat not in placed)
    return tuple(filter(None, (*first, rest)))


def require_whole(game: Game, order: Sequence[Sequence[Seat]], rule: str) -> Order:
    """Return an order that names each seat of the game once, in groups that are not empty. Raises `Refusal`."""
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
    """Propose to end the game with an order of its seats. When nobody else has to agree, it ends.

    Raises:
        Refusal: the game does not go on, the seat is not present, the order is not whole, it is an analysis
            (TAB-END-01), the seat has proposed an end in this round (TAB-END-02), or the rule book itself lets players
            agree on such an end.
    """
    _ = game.running_ruleset
    if game.is_analysis:
        wrong = "You asked to end an analysis by agreement."
        raise Refusal(AGREED, wrong, "It has one player: close it instead (TAB-FORK-06).")
    present = _present(game)
    if seat not in present:
        wrong = f"{seat} is out of the game, or was given up."
        raise Refusal(AGREED, wrong, f"Seats that may propose an end: {', '.join(present)}.")
    whole = require_whole(game, order, AGREED)
    _leave_to_the_rule_book(game, whole, present)
    if (mine := game.around.end_of(seat, game.round)) is not None:
        wrong = f"{seat} has already proposed an end in this round, at version {mine}."
        raise Refusal("TAB-END-02", wrong, "Answer the proposals of others, or propose another end in the next round.")
    asks = tuple(each for each in present if each != seat)
    proposed = EndProposed(asks, whole, game.round, seat)
    return _logged(game, proposed, replace(cause, seat=seat), at, chance, ends=not asks)


def answer_end(
    game: Game, seat: Seat, proposed: Version, agrees: bool, chance: Chance, cause: Cause, at: str
) -> Decided:
    """Answer the proposal of version `proposed`. When nobody is left to agree, the game ends.

    A seat that refuses its own proposal withdraws it. A seat that has agreed may still turn it down.

    Raises:
        Refusal: the game does not go on, no such proposal is open or the seat has agreed to it (TAB-END-02), or the
            seat is not asked (TAB-END-01).
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
    """Return the seats that an end is agreed on by: those in the game whose players have not given them up."""
    out = game.ruleset.out(game.table)
    return tuple(seat for seat in game.present if seat not in out)


def _leave_to_the_rule_book(game: Game, order: Order, present: Sequence[Seat]) -> None:
    """Refuse an end for which the rule book has a way that is open: all players make one of them the winner."""
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
    """Return when a game is abandoned whose last event was at `since`; None for never.

    No game is abandoned while a clock has time left. Nobody waits for the player of an analysis, so none is abandoned.
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
        Refusal: the game does not run (TAB-LIFE-01), or not enough time has passed (TAB-END-04).
    """
    game.require_running()
    earliest = abandoned_at(game, since)
    if earliest is None or at < earliest:
        allowed = f"It can be abandoned from {earliest} on." if earliest else "An analysis is never abandoned."
        raise Refusal(ABANDONED, f"The last event of the game was at {since}.", allowed, untimely=True)
    end = GameEnded((), ABANDONED, chance.secret.hex())
    return game.log([(GameAbandoned(since), game.draws), (end, game.draws)], BY_CLOCK, at)


_DAY: Final = 24 * 60 * 60_000
