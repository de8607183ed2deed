"""The queries and answers of the endpoints for statistics."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from domain.kernel.ids import GameId, PlayerId, Seat
from projections.dice import DieTally
from projections.luck import Luck
from projections.players import RulesetRecord
from projections.ratings import Pool
from projections.rules import RuleTally
from projections.timeline import TimelineEntry
from service.api.bodies import Identifier, Listed, Page


class DiceQuery(Page, frozen=True):
    """Which dice to count.

    Attributes:
        ruleset: only rolls in games of this ruleset.
        game: only rolls in this game.
        seat: only rolls of this seat.
    """

    ruleset: Identifier | None = None
    game: Identifier | None = None
    seat: Identifier | None = None


class RefusalsQuery(Page, frozen=True):
    """Which refusals to count.

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
    """The finished and won games of a player.

    Attributes:
        player: the player.
        finished: the number of finished games, of all rulesets.
        won: how many of them the player won.
        rulesets: the same numbers by ruleset, and the games that wait for players or go on.
    """

    player: PlayerId
    finished: int
    won: int
    rulesets: tuple[RulesetRecord, ...]


class DicePage(Listed[DieTally], frozen=True):
    """Kinds of dice, by ruleset."""


class RuleTallyPage(Listed[RuleTally], frozen=True):
    """Rules, those that refuse most first."""


class LadderQuery(Page, frozen=True, kw_only=True):
    """Which ratings to list.

    Attributes:
        ruleset: the ruleset.
        bots: `true` for those of bots instead of those of players.
    """

    ruleset: Identifier
    bots: Literal["true", "false"] = "false"


class Rating(Struct, frozen=True):
    """A rating, in millionths.

    Attributes:
        shown: μ - 3σ, by which ratings are compared.
        mu: the estimate μ.
        sigma: its uncertainty σ.
        games: how many games counted.
        provisional: whether these are fewer than ten.
    """

    shown: int
    mu: int
    sigma: int
    games: int
    provisional: bool


class RatedPlayer(Struct, frozen=True):
    """A player in a list of ratings.

    Attributes:
        rank: the place in the list, from 1.
        player: the player.
        name: what the player is called.
        rating: the rating.
    """

    rank: int
    player: PlayerId
    name: str
    rating: Rating


class Ladder(Listed[RatedPlayer], frozen=True):
    """Ratings, the highest first."""


class RatingPoint(Struct, frozen=True):
    """A rating that a player had.

    Attributes:
        at: when they got it: at the end of a game, or when a ruling or a tournament said how it ended.
        game: the game; null when it is not listed for everybody.
        place: the place of the player in it; null when the game does not count any more.
        players: how many players it had.
        rating: the rating after it.
    """

    at: str
    game: GameId | None
    place: int | None
    players: int
    rating: Rating


class RatingHistory(Struct, frozen=True):
    """The rating of a player in a ruleset.

    Attributes:
        ruleset: the ruleset.
        list: the list in which it stands: that of `players` or of `bots`.
        rating: the rating.
        points: the newest 100 points of its history, in the order of time.
    """

    ruleset: str
    list: Pool
    rating: Rating
    points: tuple[RatingPoint, ...]


class PlayerRatings(Struct, frozen=True):
    """The ratings of a player.

    Attributes:
        player: the player.
        ratings: their ratings, by ruleset.
    """

    player: PlayerId
    ratings: tuple[RatingHistory, ...]


class GameLuck(Struct, frozen=True):
    """The luck of a game.

    Attributes:
        game: the game.
        seats: what the dice were worth, by seat and kind; only seats that rolled any.
    """

    game: GameId
    seats: Mapping[Seat, tuple[Luck, ...]]


class PlayerLuck(Struct, frozen=True):
    """The luck of a player.

    Attributes:
        player: the player.
        games: the number of games whose dice were counted.
        dice: what the dice were worth, by ruleset and kind.
    """

    player: PlayerId
    games: int
    dice: tuple[Luck, ...]
