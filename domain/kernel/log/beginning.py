"""How a game is created, started or cancelled (TAB-LIFE)."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from domain.kernel.chance.draws import Chance
from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.log.clock import Clock, require_sound
from domain.kernel.log.clocked import ClockSet
from domain.kernel.log.ended import LONGEST_STILL, SHORTEST_STILL
from domain.kernel.log.event import GameEvent
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.lifecycle import (
    Forking,
    GameCancelled,
    GameCreated,
    GameStarted,
    Readers,
    SeatsMoved,
    Sight,
)
from domain.kernel.log.record import Cause
from domain.kernel.rules.board import Board, Map
from domain.kernel.rules.documents import digests_of
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Ruleset


def create(
    ruleset: Ruleset[Any],
    game_id: GameId,
    players: int,
    *,
    setup: Mapping[str, Any],
    board: Board,
    organizer: PlayerId,
    organizer_sees: Sight = "spectator",
    forks: Forking = "players",
    readers: Readers = "everybody",
    clock: Clock | None = None,
    abandoned_after: int | UnsetType = UNSET,
    rematch_of: GameId | UnsetType = UNSET,
    offered_until: str | UnsetType = UNSET,
    commitment: str,
    cause: Cause,
    at: str,
) -> Decided:
    """Create a game. `commitment` commits to the secret of its chance. If it has a clock, the event of that follows.

    Raises:
        Refusal: the ruleset is not for this number of players (TAB-LIFE-02), `setup` breaks one of its rules, the clock
            is not possible (TAB-CLK-02), or `abandoned_after` is not (TAB-END-04).
        msgspec.ValidationError: the ruleset does not know this `setup`.
        DocumentError: its documents do not fit this board.
        ValueError: the ruleset cannot be played on this board.
    """
    choices = msgspec.convert(dict(setup), ruleset.setup)
    seats = ruleset.seats(players, choices)
    if not seats:
        numbers = ", ".join(map(str, ruleset.players))
        wrong = f"You asked for a game of {players} players."
        raise Refusal("TAB-LIFE-02", wrong, f"{ruleset.title} is for {numbers} players.")
    if abandoned_after is not UNSET and not SHORTEST_STILL <= abandoned_after <= LONGEST_STILL:
        wrong = f"You asked for a game that is abandoned after {abandoned_after} days."
        raise Refusal(
            "TAB-END-04", wrong, f"Expected {SHORTEST_STILL} to {LONGEST_STILL} days.", field="abandoned_after"
        )
    board = ruleset.equip(board)
    ruleset.lay(seats, choices, board)
    event = GameCreated(
        ruleset=ruleset.id,
        ruleset_version=ruleset.version,
        board=Map.of(board).digest,
        seats=seats,
        setup=msgspec.to_builtins(choices),
        organizer=organizer,
        commitment=commitment,
        organizer_sees=organizer_sees,
        documents=digests_of(board) or UNSET,
        forks="officials" if forks == "officials" else UNSET,
        readers="invited" if readers == "invited" else UNSET,
        abandoned_after=abandoned_after,
        rematch_of=rematch_of,
        offered_until=offered_until,
    )
    happened: list[tuple[GameEvent, int]] = [(event, 0)]
    if clock is not None:
        require_sound(clock, len(seats))
        happened.append((ClockSet(clock), 0))
    return Game.of(game_id, event, ruleset, board).log(happened, cause, at)


def cancel(game: Game, cause: Cause, at: str) -> Decided:
    """Cancel a game before it begins, close an analysis, or decline a rematch as one of its players (TAB-REM-04).

    Raises:
        Refusal: the game has begun (TAB-LIFE-04), the analysis has ended (TAB-FORK-06), or the account is neither the
            organizer nor a player of the rematch.
    """
    rule, status, allowed = "TAB-LIFE-04", "gathering", "You can cancel a game only before it begins."
    if game.is_analysis:
        rule, status, allowed = "TAB-FORK-06", "running", "You can close an analysis only while it goes on."
    declines = game.rematch_of is not None and cause.player in game.players.values()
    if cause.player != game.organizer and not declines:
        wrong = "You are not the organizer of this game."
        raise Refusal(rule, wrong, f"Only the organizer, {game.organizer}, can cancel it.")
    if game.status != status:
        raise Refusal(rule, f"You asked to cancel the game, but {game.state}.", allowed, untimely=True)
    return game.log([(GameCancelled(), 0)], cause, at)


def start(game: Game, chance: Chance, cause: Cause, at: str) -> Decided:
    """Start the game: the ruleset sets up its table. Raises `Refusal` where `require_startable` does."""
    require_startable(game)
    bare = game.ruleset.lay(tuple(game.players), game.setup, game.board)
    draft = game.ruleset.begin(bare, chance)
    happened: list[tuple[Any, int]] = [(GameStarted(), 0)]
    for event, draws in draft.happened:
        happened.append((event, draws))
        if moves := event.seating():
            happened.append((seats_moved(game, moves), draws))
    return game.log(happened, cause, at, draft)


def require_startable(game: Game) -> None:
    """Raise `Refusal` when a seat is free, the game has begun, or a player has not agreed to the rematch."""
    game.require_gathering("start")
    if free := [seat for seat, holder in game.players.items() if holder is None]:
        wrong = "The game cannot start yet."
        raise Refusal("TAB-LIFE-02", wrong, f"These seats are still free: {', '.join(free)}.")
    if game.rematch_of is not None and (open_ := game.around.assigned):
        wrong = "The rematch cannot start yet."
        raise Refusal("TAB-REM-03", wrong, f"These seats have not agreed: {', '.join(open_)}.", untimely=True)


def seats_moved(game: Game, moves: Mapping[Seat, Seat]) -> SeatsMoved:
    """Return the event by which players change seats. `moves` has the new seat of the holder of each seat."""
    holders = {moves[seat]: holder for seat, holder in game.players.items() if holder is not None}
    return SeatsMoved({seat: holders[seat] for seat in game.players})
