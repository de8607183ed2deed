"""Where rules can be seen at work: the newest games in which an event concerned a rule, each with the first version."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from domain.kernel.ids import GameId, RuleId, Version
from domain.kernel.log.concerns import rules_of
from domain.kernel.log.lifecycle import GameCancelled, GameStarted, OfficialNamed, OfficialReleased, SeatTaken
from domain.kernel.rules.message import type_name
from projections.change import Change, Make, Table, Trim
from projections.projection import Happened, Projection
from projections.store import Rows

KEPT: Final = 50
"""Games kept of each rule: more than are shown, because the log does not say which of them are private."""

SEEN = Table(
    "seen",
    {"ruleset": "text", "rule": "text", "game": "text"},
    {"version": "number", "event": "text", "created": "text"},
)
"""`event` is the type of the event at `version`, and `created` the time at which the game was created."""


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
    """A row for each rule and game, not for each event.

    Entries are never taken back: a version that was retracted can still be looked at. A game that never began shows
    nothing, so what happens around the table before the start is left out. The rules of an event are those of the
    version of the ruleset that the game began with.
    """

    name = "sightings"
    version = 1
    tables = (SEEN,)

    def fold(self, happened: Happened) -> Iterable[Change]:
        around, ruleset = happened.around, happened.ruleset
        if isinstance(around, SeatTaken | GameCancelled | OfficialNamed | OfficialReleased):
            return
        if isinstance(around, GameStarted):
            # Only once in each game, because it costs milliseconds. Until the next game begins, an older one that goes
            # on can come back beyond the bound, at a later version; `of_rule` does not read that far.
            yield Trim(SEEN, {"ruleset": ruleset.id}, "rule", ("created", "game"), KEPT)
        event: Struct = happened.event
        row = {"version": happened.record.version, "event": type_name(type(event)), "created": happened.fixed.at}
        for rule in rules_of(ruleset, event):
            yield Make(SEEN, {"ruleset": ruleset.id, "rule": rule, "game": happened.game}, row)


SIGHTINGS = Sightings()


async def of_rule(rows: Rows, ruleset: str, rule: RuleId) -> list[Sighting]:
    """Return where a rule of a ruleset can be seen at work, in the newest games: at most `KEPT` of them.

    Private games are among them: leave them out of what you show to others.
    """
    found = await rows.select(
        SIGHTINGS,
        "SELECT game, version, event FROM {seen} WHERE ruleset = ? AND rule = ?"
        f" ORDER BY created DESC, game DESC LIMIT {KEPT}",
        [ruleset, rule],
    )
    return [Sighting(*row) for row in found]
