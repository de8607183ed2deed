"""The scoreboard: how each game stands, and what every seat had, round by round."""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct

from domain.kernel.ids import GameId, Seat, Version
from domain.kernel.log.lifecycle import GameCancelled, GameCreated, GameEnded, GameStarted, MovesRetracted
from projections.change import Add, Amend, Change, Drop, Put, Table, Value
from projections.projection import Happened, Projection
from projections.store import Rows

SUMMARIES = Table(
    "summaries",
    {"game": "text"},
    {
        "ruleset": "text",
        "status": "text",
        "version": "number",
        "round": "number",
        "heading": "text",
        "winners": "text",
        "ended_by": "text",
        "created": "text",
        "started": "text",
        "ended": "text",
    },
)

COUNTS = Table("counts", {"game": "text"}, {"commands": "number", "retractions": "number"})

SCORES = Table("scores", {"game": "text", "round": "number"}, {"version": "number", "score": "text"})
"""`score` is JSON, by seat and then by the names that the ruleset gives; `version` is where it was taken."""


class Summary(Struct, frozen=True):
    """How a game stands. What has not happened yet is an empty text."""

    ruleset: str
    status: str
    version: Version
    round: int
    heading: str
    winners: tuple[Seat, ...]
    ended_by: str
    created: str
    started: str
    ended: str
    commands: int
    retractions: int


class RoundScore(Struct, frozen=True):
    """What the seats had at the end of a round; in the last one, when its present phase began."""

    round: int
    version: Version
    score: dict[Seat, dict[str, int]]


class Scoreboard(Projection):
    """Scores are taken when the heading changes (a phase begins), a round or the game ends, or moves are retracted.

    To take one at every event would cost more than the fold itself.
    """

    name = "scoreboard"
    version = 1
    tables = (SUMMARIES, COUNTS, SCORES)
    follows = True

    def fold(self, happened: Happened) -> Iterable[Change]:
        game, record, seen = happened.game, happened.record, happened.seen
        row: dict[str, Value] = {"version": record.version, "round": seen.round, "heading": seen.heading}
        retracted = isinstance(happened.around, MovesRetracted)
        match happened.around:
            case GameCreated(ruleset):
                yield Put(SUMMARIES, {"game": game}, _new(ruleset, record.at) | row)
                yield Put(COUNTS, {"game": game}, {"commands": 0, "retractions": 0})
                return
            case GameStarted():
                row |= {"status": "running", "started": record.at}
            case GameCancelled():
                row |= {"status": "cancelled", "ended": record.at, "ended_by": "TAB-LIFE-04"}
            case GameEnded(winners, rule):
                row |= {"status": "over", "ended": record.at, "ended_by": rule}
                row["winners"] = msgspec.json.encode(winners).decode()
            case _:
                pass
        yield Amend(SUMMARIES, {"game": game}, row)
        commands = int(not retracted and happened.cause.command is not msgspec.UNSET)
        if commands or retracted:
            yield Add(COUNTS, {"game": game}, {"commands": commands, "retractions": int(retracted)})
        if retracted:
            yield Drop(SCORES, {"game": game}, ("round", seen.round))
        if retracted or seen.heading != seen.heading_before or row.get("status") == "over":
            yield from self._scores(happened)

    @staticmethod
    def _scores(happened: Happened) -> Iterable[Change]:
        seen = happened.seen
        score = seen.after.ruleset.score(seen.after.table) if seen.after.table is not None else {}
        if not score:
            return
        values: dict[str, Value] = {"version": happened.record.version, "score": msgspec.json.encode(score).decode()}
        over = range(seen.round_before, seen.round) if seen.heading_before else ()
        for number in (*over, seen.round):
            yield Put(SCORES, {"game": happened.game, "round": number}, values)


SCOREBOARD = Scoreboard()


def _new(ruleset: str, at: str) -> dict[str, Value]:
    return {
        "ruleset": ruleset,
        "status": "gathering",
        "version": 0,
        "round": 0,
        "heading": "",
        "winners": "[]",
        "ended_by": "",
        "created": at,
        "started": "",
        "ended": "",
    }


async def of_game(rows: Rows, game: GameId) -> tuple[Summary, list[RoundScore]] | None:
    """Return how a game stands and its scores by round; None for a game that the projection does not know yet."""
    names = [name for name in Summary.__struct_fields__ if name not in COUNTS.columns]
    joined = ", ".join([*(f"s.{name}" for name in names), "c.commands", "c.retractions"])
    found = await rows.select(
        SCOREBOARD,
        f"SELECT {joined} FROM {{summaries}} s JOIN {{counts}} c ON c.game = s.game WHERE s.game = ?",
        [game],
    )
    if not found:
        return None
    columns: dict[str, Any] = dict(zip([*names, "commands", "retractions"], found[0], strict=True))
    columns["winners"] = msgspec.json.decode(columns["winners"], type=tuple[Seat, ...])
    summary = Summary(**columns)
    scores = await rows.select(
        SCOREBOARD, "SELECT round, version, score FROM {scores} WHERE game = ? ORDER BY round", [game]
    )
    kind = dict[Seat, dict[str, int]]
    return summary, [RoundScore(number, at, msgspec.json.decode(score, type=kind)) for number, at, score in scores]
