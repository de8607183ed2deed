"""The scoreboard: how each game stands, and the score of every seat, round by round."""

from collections.abc import Iterable, Mapping
from functools import cache, partial
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from domain.judging.outcome import RESULT_RULE
from domain.kernel.ids import CaseId, GameId, Seat, Version
from domain.kernel.log.ending import order_of
from domain.kernel.log.lifecycle import GameCancelled, GameCreated, GameEnded, GameStarted, MovesRetracted, Status
from domain.kernel.rules.marks import Figure
from domain.kernel.rules.ruleset import Order, Ruleset
from projections.change import Add, Amend, Change, Compute, Drop, Put, Table, Value
from projections.projection import Happened, Judged, Projection
from projections.results import RULINGS, changes_by, outcomes
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
        "placed": "text",
        "ended_by": "text",
        "created": "text",
        "started": "text",
        "ended": "text",
    },
)

COUNTS = Table("counts", {"game": "text"}, {"commands": "number", "retractions": "number"})

SCORES = Table("scores", {"game": "text", "round": "number"}, {"version": "number", "score": "text", "nations": "text"})
"""`score` is JSON, by seat and then by the names that the ruleset gives; `nations` likewise, by seat and nation.
`version` is the version at which the score was taken."""


ENDS = Table("ends", {"game": "text"}, {"winners": "text", "ended_by": "text", "ended": "text"})
"""How continuations ended."""


class RoundScore(Struct, frozen=True):
    """What the seats had in one round.

    Attributes:
        round: the number of the round; 0 before the first.
        version: the version at which the score was taken: when the round was over; of the present round, when its
            present phase began.
        scores: by seat, and then by what the ruleset counts, such as ``tribute`` or ``provinces``: whole
            numbers or halves (12.5).
        nations: the same of the nations that seats lead, by seat and then by nation; empty where seats lead none.
    """

    round: int
    version: Version
    scores: Mapping[Seat, Mapping[str, Figure]]
    nations: Mapping[Seat, Mapping[str, Mapping[str, Figure]]]


class ScoreboardView(Struct, frozen=True):
    """How a game stands, and the score round by round.

    Attributes:
        game: the game.
        ruleset: what it is played by.
        status: ``gathering`` players, ``running``, ``over`` or ``cancelled``.
        version: the version up to which this tells.
        round: the number of the round; 0 before the first.
        heading: the phase of the game, in words.
        created: when it was created.
        started: when it began; null before that.
        ended: when it ended; null before that.
        winners: the seats that won, by its end or by a ruling on its result; none while it goes on, and none for a
            draw. When it continues in another game by a ruling, they are those who won that.
        order: the seats as they finished, the first first, each group of seats that tie together (TAB-END-03); empty
            while it goes on, and when it continues in another game, whose own result tells it.
        ended_by: the rule that ended it; null while it goes on.
        ruled_by: the case in which that was ruled after its end; null when its own end counts.
        continued_in: the game in which it continues by that ruling; null when it does not.
        commands: how many commands were accepted, those that were taken back included.
        retractions: how often moves were taken back.
        rounds: the scores, by round.
    """

    game: GameId
    ruleset: str
    status: Status
    version: Version
    round: int
    heading: str
    created: str
    started: str | None
    ended: str | None
    winners: tuple[Seat, ...]
    order: Order
    ended_by: str | None
    ruled_by: CaseId | None
    continued_in: GameId | None
    commands: int
    retractions: int
    rounds: tuple[RoundScore, ...]


class Scoreboard(Projection):
    """Scores are taken when the heading changes (a phase begins), a round or the game ends, or moves are retracted.

    To take one at every event would cost more than the fold itself.
    """

    name = "scoreboard"
    version = 4
    tables = (SUMMARIES, COUNTS, SCORES, ENDS, RULINGS)
    follows = True
    judges = True

    def fold(self, happened: Happened) -> Iterable[Change]:
        game, record, seen = happened.game, happened.record, happened.seen
        row: dict[str, Value] = {}
        if happened.is_last:
            row = {"version": record.version, "round": seen.round, "heading": seen.heading}
        retracted = False
        match happened.around:
            case None:
                pass
            case GameCreated(ruleset):
                place: dict[str, Value] = {"version": record.version, "round": seen.round, "heading": seen.heading}
                yield Put(SUMMARIES, {"game": game}, _new(ruleset, record.at) | place)
                yield Put(COUNTS, {"game": game}, {"commands": 0, "retractions": 0})
                return
            case GameStarted():
                row |= {"status": "running", "started": record.at}
            case GameCancelled():
                row |= {"status": "cancelled", "ended": record.at, "ended_by": "TAB-LIFE-04"}
            case GameEnded(winners, rule):
                row |= {"status": "over", "ended": record.at, "ended_by": rule}
                row["winners"] = msgspec.json.encode(winners).decode()
                row["placed"] = msgspec.json.encode(order_of(seen.after)).decode()
            case MovesRetracted():
                retracted = True
            case _:
                pass
        if row:
            yield Amend(SUMMARIES, {"game": game}, row)
        commands = int(record.cause is not None and not retracted and happened.cause.command is not UNSET)
        if commands or retracted:
            yield Add(COUNTS, {"game": game}, {"commands": commands, "retractions": int(retracted)})
        if retracted:
            yield Drop(SCORES, {"game": game}, ("round", seen.round))
        if retracted or seen.heading != seen.heading_before or row.get("status") == "over":
            yield from self._scores(happened)

    def fold_continuation(self, happened: Happened) -> Iterable[Change]:
        if isinstance(happened.around, GameEnded):
            end = happened.around
            winners = msgspec.json.encode(end.winners).decode()
            row = {"winners": winners, "ended_by": end.rule, "ended": happened.record.at}
            yield Put(ENDS, {"game": happened.game}, row)

    def judge(self, judged: Judged) -> Iterable[Change]:
        return changes_by(judged)

    @staticmethod
    def _scores(happened: Happened) -> Iterable[Change]:
        seen, version = happened.seen, happened.record.version
        table, ruleset = seen.after.table, seen.after.ruleset
        if table is None or not ruleset.keeps_score:
            return
        if not happened.is_last:  # later events change the table. A copy takes a third of the time of a score at most
            table = table.copy()
        values = partial(_score, ruleset, table, version)
        ended_rounds = range(seen.round_before, seen.round) if seen.heading_before else ()
        if ended_rounds:
            values = cache(values)
        for number in (*ended_rounds, seen.round):
            yield Compute(SCORES, {"game": happened.game, "round": number}, values)


def _score(ruleset: Ruleset[Any], table: Any, version: Version) -> Mapping[str, Value]:
    """Return a row of `SCORES` without its key."""
    return {
        "version": version,
        "score": msgspec.json.encode(ruleset.score(table)).decode(),
        "nations": msgspec.json.encode(ruleset.score_of_nations(table)).decode(),
    }


SCOREBOARD = Scoreboard()


def _new(ruleset: str, at: str) -> dict[str, Value]:
    return {
        "ruleset": ruleset,
        "status": "gathering",
        "version": 0,
        "round": 0,
        "heading": "",
        "winners": "[]",
        "placed": "[]",
        "ended_by": "",
        "created": at,
        "started": "",
        "ended": "",
    }


async def of_game(rows: Rows, game: GameId) -> ScoreboardView | None:
    """Return how a game stands and its scores by round; None for a game that the projection does not know yet."""
    names = ["game", *SUMMARIES.columns, *COUNTS.columns]
    selection = await rows.select(
        SCOREBOARD,
        f"SELECT s.{', '.join(names)} FROM {{summaries}} s JOIN {{counts}} c ON c.game = s.game WHERE s.game = ?",
        [game],
    )
    if not selection:
        return None
    columns: dict[str, Any] = dict(zip(names, selection[0], strict=True))
    columns |= {"ruled_by": None, "continued_in": None, **await _ruled(rows, game)}
    columns["winners"] = msgspec.json.decode(columns["winners"], type=tuple[Seat, ...])
    columns["order"] = msgspec.json.decode(columns.pop("placed"), type=Order)
    for name in ("started", "ended", "ended_by"):
        columns[name] = columns[name] or None
    scores = await rows.select(
        SCOREBOARD, "SELECT round, version, score, nations FROM {scores} WHERE game = ? ORDER BY round", [game]
    )
    rounds = tuple(
        RoundScore(number, at, msgspec.json.decode(score, type=_SCORE), msgspec.json.decode(nations, type=_NATIONS))
        for number, at, score, nations in scores
    )
    return ScoreboardView(**columns, rounds=rounds)


async def _ruled(rows: Rows, game: GameId) -> dict[str, Any]:
    """Return the columns of a game's summary that rulings on it change."""
    outcome = (await outcomes(rows, SCOREBOARD, [game])).get(game)
    if outcome is None:
        return {}
    columns: dict[str, Any] = {"ruled_by": outcome.ruled_by, "continued_in": outcome.continued_in}
    if outcome.game != game:
        selection = await rows.select(
            SCOREBOARD, "SELECT winners, ended_by, ended FROM {ends} WHERE game = ?", [outcome.game]
        )
        columns |= zip(("winners", "ended_by", "ended"), selection[0] if selection else ("[]", "", ""), strict=True)
        columns["placed"] = "[]"
    if outcome.order is not None:
        winners, placed = (msgspec.json.encode(each).decode() for each in (outcome.winners, outcome.order))
        columns |= {"winners": winners, "placed": placed, "ended_by": RESULT_RULE}
    return columns


_SCORE = dict[Seat, dict[str, Figure]]
_NATIONS = dict[Seat, dict[str, dict[str, Figure]]]
