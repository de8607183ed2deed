"""Which statistics are asked for, and pages of what the projections tell."""

from msgspec import Struct

from domain.kernel.ids import PlayerId
from projections.dice import DieTally
from projections.players import RulesetRecord
from projections.rules import RuleTally
from projections.timeline import TimelineEntry
from service.api.bodies import Identifier, Listed, Page


class DiceQuery(Page, frozen=True):
    """Which dice.

    Attributes:
        ruleset: only rolls in games of this ruleset.
        game: only rolls in this game.
        seat: only rolls of this seat.
    """

    ruleset: Identifier | None = None
    game: Identifier | None = None
    seat: Identifier | None = None


class RefusalsQuery(Page, frozen=True):
    """Which rules.

    Attributes:
        ruleset: only refusals in games of this ruleset.
    """

    ruleset: Identifier | None = None


class TimelinePage(Listed[TimelineEntry], frozen=True):
    """Places on the timeline of a game, in order.

    Attributes:
        next: the `cursor` of the next page; null when these are the last so far. It is not a version, because several
            entries may belong to one version.
    """


class PlayerRecord(Struct, frozen=True):
    """What a player has done.

    Attributes:
        player: the player.
        finished: the number of finished games, of all rulesets.
        won: how many of them the player won.
        rulesets: the same numbers by ruleset.
    """

    player: PlayerId
    finished: int
    won: int
    rulesets: tuple[RulesetRecord, ...]


class DicePage(Listed[DieTally], frozen=True):
    """Kinds of dice, by ruleset."""


class RuleTallyPage(Listed[RuleTally], frozen=True):
    """Rules, those that refuse most first."""
