"""Where rules can be seen at work: for each type of event, the newest games that have one, and its first version there.

The ruleset says which rules a type of event concerns. So the rows stay right when the ruleset changes that.
"""

from collections.abc import Collection, Iterable
from typing import Final

import msgspec
from msgspec import Struct

from domain.kernel.ids import GameId, RuleId, Version
from domain.kernel.log.lifecycle import (
    GameCancelled,
    GameCreated,
    GameStarted,
    OfficialNamed,
    OfficialReleased,
    SeatLeft,
    SeatTaken,
)
from domain.kernel.log.seated import SeatAssigned, SeatConfirmed
from domain.kernel.rules.message import type_name
from projections.change import Change, Make, Table, Trim
from projections.projection import Happened, Projection
from projections.store import Rows

KEPT: Final = 50
"""Games kept of each type of event: more than are shown, because the log does not say which of them are unlisted."""

SEEN = Table(
    "seen",
    {"ruleset": "text", "event": "text", "rule": "text", "game": "text"},
    {"version": "number", "created": "text"},
)
"""`event` is the type of the event at `version`, `rule` the rule that the event itself names, if any, and `created` the
time at which the game was created."""

_STARTED: Final = type_name(GameStarted)
_BEFORE: Final = frozenset(
    type_name(each)
    for each in (
        *(GameCreated, SeatTaken, SeatAssigned, SeatConfirmed, SeatLeft, GameCancelled),
        *(OfficialNamed, OfficialReleased),
    )
)
"""The types of events of the time before a game begins that are left out."""


class _Event(Struct):
    type: str
    rule: str = ""


class Sighting(Struct, frozen=True):
    """A place in a game where a rule can be seen at work.

    Attributes:
        game: the game.
        version: the first version whose event concerned the rule.
        event: the type of that event.
    """

    game: GameId
    version: Version
    event: str


class Sightings(Projection):
    """A row for each game and type of event, not for each event.

    Rows are never taken back: a version that was retracted can still be looked at. A game that never began shows
    nothing but that it had a clock, or passed to another organizer: other events of the time before the start are left
    out, whenever they happen.
    """

    name = "sightings"
    version = 1
    tables = (SEEN,)

    def fold(self, happened: Happened) -> Iterable[Change]:
        record, fixed = happened.record, happened.fixed
        event = msgspec.json.decode(record.event, type=_Event)
        if event.type in _BEFORE:
            return
        ruleset = fixed.created.ruleset
        if event.type == _STARTED:
            # Trim only when a game begins, because it costs more than all else here. Until the next game begins, an
            # older game can get a row back beyond the bound, with a later version; `of_rule` does not read that far.
            yield Trim(SEEN, {"ruleset": ruleset}, ("event", "rule"), ("created", "game"), KEPT)
        key = {"ruleset": ruleset, "event": event.type, "rule": event.rule, "game": happened.game}
        yield Make(SEEN, key, {"version": record.version, "created": fixed.at})


SIGHTINGS = Sightings()


async def of_rule(rows: Rows, ruleset: str, rule: RuleId, events: Collection[str]) -> list[Sighting]:
    """Return where a rule of a ruleset can be seen at work: one place in each of the newest games, at most `KEPT`.

    `events` are the types of events that concern the rule; events that name the rule themselves count, too. Unlisted
    games are among the games: leave them out of what you show to others.
    """
    marks = ", ".join("?" * len(events))
    selection = await rows.select(
        SIGHTINGS,
        "SELECT game, version, event FROM ("
        "SELECT game, version, event, created, ROW_NUMBER() OVER (PARTITION BY game ORDER BY version) AS place"
        f" FROM {{seen}} WHERE ruleset = ? AND (rule = ?{f' OR event IN ({marks})' if events else ''})"
        f") AS ranked WHERE place = 1 ORDER BY created DESC, game DESC LIMIT {KEPT}",
        [ruleset, rule, *events],
    )
    return [Sighting(*row) for row in selection]
