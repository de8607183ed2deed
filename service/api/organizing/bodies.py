"""Consents and bulks as they are sent and answered."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from domain.kernel.ids import GameId, PlayerId
from domain.kernel.log.officials import MOST_OFFICIALS
from service.api.bodies import Entropy, Identifier, Listed
from service.api.games.bodies import GameWanted
from service.organizing.bulks import MOST_GAMES
from service.store.organizing import BulkGameRow, BulkId, BulkRow, BulkStatus, ConsentRow

Moment = Annotated[datetime, Meta(tz=True)]


class SeatAssignment(Struct, frozen=True, forbid_unknown_fields=True):
    """Whom a seat is assigned to.

    Attributes:
        player: the account. It lets you seat it, by `PUT /v1/players/me/consents/{player}`, or it is your own.
    """

    player: Identifier


class SeatConfirmation(Struct, frozen=True, forbid_unknown_fields=True):
    """The confirmation of a seat that was assigned to you.

    Attributes:
        entropy: any text, which is mixed into every roll of this game, as when you take a seat.
    """

    entropy: Entropy = ""


class Consent(Struct, frozen=True):
    """An organizer whom you let seat you.

    Attributes:
        organizer: the account of the organizer.
        given: when you allowed it.
    """

    organizer: PlayerId
    given: str


class Consents(Listed[Consent], frozen=True):
    """The organizers whom you let seat you, the newest first."""


class BulkGame(GameWanted, frozen=True, forbid_unknown_fields=True):
    """A game of a bulk.

    Attributes:
        seats: the accounts that seats are assigned to, by seat; the others are free. An account confirms its seat, or
            leaves it. If one of them does not let you seat it, the whole bulk is refused.
        officials: the accounts that are named officials of the game.
        starts_at: when the game starts, at most 30 days ahead; null for the bulk's own `starts_at`.
    """

    seats: Annotated[dict[Identifier, Identifier], Meta(max_length=20)] = field(
        default_factory=dict[Identifier, Identifier]
    )
    officials: Annotated[tuple[Identifier, ...], Meta(max_length=MOST_OFFICIALS)] = ()
    starts_at: Moment | None = None


class NewBulk(Struct, frozen=True, forbid_unknown_fields=True):
    """Games that you ask for together.

    Attributes:
        games: the games, which are opened in this order. You organize them.
        starts_at: when games without a time of their own start, at most 30 days ahead. Null when you or the players
            start them.
    """

    games: Annotated[tuple[BulkGame, ...], Meta(min_length=1, max_length=MOST_GAMES)]
    starts_at: Moment | None = None


class BulkGameView(Struct, frozen=True):
    """What became of a game of a bulk.

    Attributes:
        number: its number in the bulk, from 1 on.
        title: its title.
        status: `queued` until it is opened, then `open`. `waiting` if seats were free at `starts_at`; then `started`,
            `cancelled` or `failed`. Without `starts_at`, the start is noted after a tenth of the bulk's age at most.
        game: the game; null until it is opened.
        starts_at: when it is to start; null when you or the players start it.
        problem: why it failed; null when it has not.
        changed: the number of its last change; the changes of a bulk are numbered. 0 before the first.
    """

    number: int
    title: str
    status: BulkStatus
    game: GameId | None
    starts_at: str | None
    problem: str | None
    changed: int


class Bulk(Struct, frozen=True):
    """Games that were asked for together.

    Attributes:
        id: the id of the bulk.
        created: when it was asked for.
        cancelled: when you cancelled the games that had not started; null if you did not.
        games: what became of each game, in the order of their numbers.
    """

    id: BulkId
    created: str
    cancelled: str | None
    games: tuple[BulkGameView, ...]


class StreamedBulk(Struct, frozen=True):
    """A frame of the stream of a bulk, line by line.

    Attributes:
        id: the number of the change.
        event: always ``bulk-game``. Absent with `frames=plain`: an `EventSource` then calls it ``message``.
        data: what became of a game, in JSON: a BulkGameView.
    """

    id: int
    data: str
    event: Literal["bulk-game", "message"] | UnsetType = UNSET


def consent_view(row: ConsentRow) -> Consent:
    """Return a consent as its account sees it."""
    return Consent(row.organizer, row.given)


def bulk_game_view(row: BulkGameRow) -> BulkGameView:
    """Return what became of a game, as it is sent."""
    game, starts_at, why = row.game or None, row.starts_at or None, row.why or None
    return BulkGameView(row.number, row.title, row.status, game, starts_at, why, row.changed)


def bulk_view(row: BulkRow, games: list[BulkGameRow]) -> Bulk:
    """Return a bulk as its organizer sees it."""
    views = map(bulk_game_view, sorted(games, key=lambda each: each.number))
    return Bulk(row.bulk, row.created, row.cancelled or None, tuple(views))
