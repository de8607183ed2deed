"""The player record: how many games each account has played and won, by ruleset."""

from collections.abc import Iterable

from msgspec import Struct

from domain.kernel.ids import PlayerId
from domain.kernel.log.lifecycle import GameCancelled, GameEnded, GameStarted, SeatLeft, SeatsMoved, SeatTaken
from projections.change import Amend, Change, Drop, Put, Table
from projections.projection import Happened, Projection
from projections.store import Rows

PLAYED = Table(
    "played",
    {"game": "text", "seat": "text"},
    {"player": "text", "ruleset": "text", "status": "text", "won": "number"},
    (("player", "ruleset"),),
)


class RulesetRecord(Struct, frozen=True):
    """What a player has done in games of one ruleset.

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
    """Every seat of every game, whose it is, and how that ended."""

    name = "players"
    version = 1
    tables = (PLAYED,)

    def fold(self, happened: Happened) -> Iterable[Change]:
        game, ruleset = happened.game, happened.fixed.created.ruleset
        match happened.around:
            case SeatTaken(seat, player):
                row = {"player": player, "ruleset": ruleset, "status": "gathering", "won": 0}
                yield Put(PLAYED, {"game": game, "seat": seat}, row)
            case SeatLeft(seat):
                yield Drop(PLAYED, {"game": game, "seat": seat})
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


PLAYERS = PlayerRecord()


async def of_player(rows: Rows, player: PlayerId) -> list[RulesetRecord]:
    """Return a player's record in each ruleset that they have taken a seat in."""
    found = await rows.select(
        PLAYERS,
        "SELECT ruleset,"
        " SUM(CASE status WHEN 'gathering' THEN 1 ELSE 0 END),"
        " SUM(CASE status WHEN 'running' THEN 1 ELSE 0 END),"
        " SUM(CASE status WHEN 'over' THEN 1 ELSE 0 END),"
        " SUM(won)"
        " FROM {played} WHERE player = ? GROUP BY ruleset ORDER BY ruleset",
        [player],
    )
    return [RulesetRecord(ruleset, *map(int, counts)) for ruleset, *counts in found]
