"""Player records: how many games each account has played and won, by ruleset."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from domain.kernel.ids import PlayerId
from domain.kernel.log.lifecycle import (
    GameCancelled,
    GameEnded,
    GameStarted,
    SeatLeft,
    SeatsMoved,
    SeatTaken,
    SeatTakenOver,
)
from domain.kernel.log.seated import SeatAssigned
from projections.change import Amend, Change, Drop, Put, Table
from projections.projection import Happened, Judged, Projection
from projections.results import RULINGS, changes_by, outcomes
from projections.store import Rows

PLAYED = Table(
    "played",
    {"game": "text", "seat": "text"},
    {"player": "text", "ruleset": "text", "status": "text", "won": "number", "root": "text"},
    (("player", "ruleset"),),
)
"""`root` is the first game of a chain of continuations; for any other game, it is the game itself."""


class RulesetRecord(Struct, frozen=True):
    """What a player has done in games of one ruleset.

    When a ruling continues a game in another one, only the other one counts. A ruling on the result changes who won.

    Attributes:
        ruleset: the ruleset.
        gathering: games that wait for players.
        running: games that go on.
        finished: games that are over.
        won: how many of them the player won, alone or with others.
    """

    ruleset: str
    gathering: int
    running: int
    finished: int
    won: int


class PlayerRecord(Projection):
    """Who holds each seat of every game, how the game ended, and the rulings on its end."""

    name = "players"
    version = 3
    tables = (PLAYED, RULINGS)
    heeds = "around"
    judges = True

    def fold(self, happened: Happened) -> Iterable[Change]:
        game, ruleset = happened.game, happened.fixed.created.ruleset
        match happened.around:
            case SeatTaken(seat, player) | SeatAssigned(seat, player):
                row = {"player": player, "ruleset": ruleset, "status": "gathering", "won": 0, "root": game}
                yield Put(PLAYED, {"game": game, "seat": seat}, row)
            case SeatLeft(seat):
                yield Drop(PLAYED, {"game": game, "seat": seat})
            case SeatTakenOver(seat, player):
                yield Amend(PLAYED, {"game": game, "seat": seat}, {"player": player})
            case SeatsMoved(players):
                for seat, player in players.items():
                    yield Amend(PLAYED, {"game": game, "seat": seat}, {"player": player})
            case GameStarted():
                yield Amend(PLAYED, {"game": game}, {"status": "running"})
            case GameCancelled():
                yield Drop(PLAYED, {"game": game})
            case GameEnded(winners):
                yield Amend(PLAYED, {"game": game}, {"status": "over"})
                for seat in winners:
                    yield Amend(PLAYED, {"game": game, "seat": seat}, {"won": 1})
            case _:
                pass

    def fold_continuation(self, happened: Happened) -> Iterable[Change]:
        fixed = happened.fixed
        match happened.around:
            case GameStarted():
                # Seats of a continuation are reserved. The ruling that starts it seats those who have not come.
                for seat, player in fixed.reserved.items():
                    row = {"player": player, "ruleset": fixed.created.ruleset, "status": "running", "won": 0}
                    yield Put(PLAYED, {"game": happened.game, "seat": seat}, row | {"root": fixed.root})
            case SeatTakenOver() | GameEnded():
                yield from self.fold(happened)
            case _:
                pass

    def judge(self, judged: Judged) -> Iterable[Change]:
        return changes_by(judged)


PLAYERS = PlayerRecord()


async def of_player(rows: Rows, player: PlayerId) -> list[RulesetRecord]:
    """Return a player's record in each ruleset that they have taken a seat in."""
    without_rulings = await rows.select(
        PLAYERS,
        f"SELECT ruleset, {_COUNTED} FROM {{played}}"
        " WHERE player = ? AND game = root AND game NOT IN (SELECT root FROM {rulings}) GROUP BY ruleset",
        [player],
    )
    counts = {ruleset: list(map(int, numbers)) for ruleset, *numbers in without_rulings}
    for ruleset, status, won in await _judged(rows, player):
        numbers = counts.setdefault(ruleset, [0] * (len(_STATUSES) + 1))
        numbers[_STATUSES.index(status)] += 1
        numbers[-1] += won
    return [RulesetRecord(ruleset, *numbers) for ruleset, numbers in sorted(counts.items())]


_STATUSES = ("gathering", "running", "over")
_COUNTED = ", ".join([*(f"SUM(CASE status WHEN '{each}' THEN 1 ELSE 0 END)" for each in _STATUSES), "SUM(won)"])


async def _judged(rows: Rows, player: PlayerId) -> list[tuple[str, str, int]]:
    """Return the ruleset, the status and 1 or 0 for a win of each of the player's games whose end was ruled on."""
    selection: list[tuple[Any, ...]] = await rows.select(
        PLAYERS,
        "SELECT root, game, seat, ruleset, status, won FROM {played}"
        " WHERE player = ? AND root IN (SELECT root FROM {rulings})",
        [player],
    )
    outcome_by_root = await outcomes(rows, PLAYERS, sorted({root for root, *_ in selection}))
    judged: list[tuple[str, str, int]] = []
    for root, game, seat, ruleset, status, won in selection:
        outcome = outcome_by_root[root]
        if game == outcome.game:
            judged.append((ruleset, status, won if outcome.winners is None else int(seat in outcome.winners)))
    return judged
