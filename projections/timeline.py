"""The timeline: at which versions the phases of a game begin, and its other marks, such as pauses and battles."""

from collections.abc import Iterable

from msgspec import Struct

from domain.kernel.ids import GameId, Version
from domain.kernel.log.lifecycle import (
    GameAdjudicated,
    GameCancelled,
    GameEnded,
    GamePaused,
    GameResumed,
    GameStarted,
    MovesRetracted,
)
from domain.kernel.rules.message import in_words
from projections.change import Change, Put, Table
from projections.projection import Happened, Projection
from projections.store import Rows

ENTRIES = Table(
    "entries",
    {"game": "text", "version": "number", "kind": "text"},
    {"round": "number", "heading": "text", "text": "text", "at": "text"},
)


class TimelineEntry(Struct, frozen=True):
    """A place on the timeline of a game.

    Attributes:
        version: the version of the game after it happened.
        kind: ``start``, ``phase`` (a phase begins, or is resumed by a retraction), ``retraction``, ``pause``,
            ``resumption``, ``adjudication``, ``end``, or what the ruleset marks, such as ``battle``.
        round: the number of the round; 0 before the first.
        heading: the phase of the game, in words.
        text: what happened.
        at: when it happened.
    """

    version: Version
    kind: str
    round: int
    heading: str
    text: str
    at: str


class Timeline(Projection):
    """The entries of every game. None is ever removed, because retracted versions can still be looked at."""

    name = "timeline"
    version = 3
    reads = 2
    tables = (ENTRIES,)
    follows = True

    def fold(self, happened: Happened) -> Iterable[Change]:
        seen = happened.seen
        match happened.around:
            case None:  # an event of the ruleset
                kind = happened.landmark
            case GameStarted():
                kind = "start"
            case MovesRetracted():
                kind = "retraction"
            case GamePaused():
                kind = "pause"
            case GameResumed():
                kind = "resumption"
            case GameAdjudicated():
                kind = "adjudication"
            case GameEnded() | GameCancelled():
                kind = "end"
            case _:
                kind = None
        if kind is not None:
            yield self._entry(happened, kind, in_words(happened.event, seen.after.names))
        if seen.heading != seen.heading_before:
            yield self._entry(happened, "phase", seen.heading)

    @staticmethod
    def _entry(happened: Happened, kind: str, text: str) -> Change:
        seen, record = happened.seen, happened.record
        key = {"game": happened.game, "version": record.version, "kind": kind}
        row = {"round": seen.round, "heading": seen.heading, "text": text, "at": record.at}
        return Put(ENTRIES, key, row)


TIMELINE = Timeline()


async def of_game(
    rows: Rows, game: GameId, after: tuple[Version, str] = (0, ""), limit: int = 100
) -> list[TimelineEntry]:
    """Return the entries of a game that follow `after`, a version and a kind, in order."""
    selection = await rows.select(
        TIMELINE,
        "SELECT version, kind, round, heading, text, at FROM {entries}"
        f" WHERE game = ? AND (version, kind) > (?, ?) ORDER BY version, kind LIMIT {int(limit)}",
        [game, *after],
    )
    return [TimelineEntry(*row) for row in selection]
