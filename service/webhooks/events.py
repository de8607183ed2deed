"""The types of events for webhooks, made from those of games, cases and tournaments, and the body of each.

The body is thin: it has the type of the event and where it happened. A receiver asks the API for the rest.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from domain.judging.events import CASE_EVENTS
from domain.kernel.ids import CaseId, GameId, Seat, TournamentId, Version
from domain.kernel.log.clocked import ClocksRan
from domain.kernel.log.lifecycle import GAME_EVENTS, GameEnded, GameForked, GameStarted
from domain.kernel.rules.docstrings import docstring
from domain.kernel.rules.message import type_name
from domain.tournament.events import (
    TOURNAMENT_EVENTS,
    AnnouncementMade,
    ResultConfirmed,
    ResultOverruled,
    RoundCancelled,
    RoundPublished,
    TournamentCancelled,
    TournamentClosed,
)
from service.store.webhooks import About

PING: Final = "ping"
MOVED: Final = "game.moved"
AWAITED: Final = "seat.awaited"
SWITCHED_OFF: Final = "webhook.switched_off"

MOST_EVENTS: Final = 50
"""The most types of events that `game.moved` names."""


class WebhookData(Struct, frozen=True, omit_defaults=True):
    """Where an event happened.

    Attributes:
        webhook: the webhook; only with `ping` and `webhook.switched_off`.
        game: the game in which it happened.
        case: the case; only for an event of a case.
        tournament: the tournament; only for an event of a tournament.
        version: the version after the event: of the case or tournament for an event of one, else of the game.
        after: the version before the step; only with `game.moved`.
        events: the types of the events of the step, each once, at most 50; only with `game.moved`.
        seats: the seats that must decide now; only with `seat.awaited`. A webhook of an account gets only its own
            seats.
        address: the address at which the API shows what happened. It begins with the public address of the service, if
            its operators have set one.
    """

    webhook: str | UnsetType = UNSET
    game: GameId | UnsetType = UNSET
    case: CaseId | UnsetType = UNSET
    tournament: TournamentId | UnsetType = UNSET
    version: Version | UnsetType = UNSET
    after: Version | UnsetType = UNSET
    events: tuple[str, ...] | UnsetType = UNSET
    seats: tuple[Seat, ...] | UnsetType = UNSET
    address: str | UnsetType = UNSET

    @property
    def subject(self) -> GameId | TournamentId | UnsetType:
        """The game or the tournament that it is about."""
        return self.tournament if self.tournament is not UNSET else self.game


class WebhookEvent(Struct, frozen=True):
    """The body that is sent to a webhook in the standard form.

    Attributes:
        type: the type of the event.
        timestamp: when it happened, RFC 3339 in UTC.
        data: where it happened.
    """

    type: str
    timestamp: str
    data: WebhookData

    def encoded(self) -> str:
        return msgspec.json.encode(self).decode()


def read_event(body: str) -> WebhookEvent:
    """Return an event that `WebhookEvent.encoded` wrote."""
    return _event.decode(body)


_event: Final = msgspec.json.Decoder(WebhookEvent)


def _dotted(first: str, event: type[Any]) -> str:
    """Return the type that webhooks use for an event class, such as `game.seat_taken`."""
    return f"{first}.{type_name(event).removeprefix(f'{first}-').replace('-', '_')}"


OF_GAMES: Final[Mapping[str, str]] = {
    type_name(event): _dotted("game", event) for event in GAME_EVENTS if event is not ClocksRan
}
"""The types for webhooks, by the types of events around the table. `clocks-ran` has none: it ends almost every step of
a game with clocks, so `game.moved` names it."""

OF_CASES: Final[Mapping[str, str]] = {type_name(event): _dotted("case", event) for event in CASE_EVENTS}

OF_TOURNAMENTS: Final[Mapping[str, str]] = {
    type_name(event): _dotted("tournament", event) for event in TOURNAMENT_EVENTS
}

_KINDS: Final[Mapping[str, str]] = {**OF_GAMES, **OF_CASES, **OF_TOURNAMENTS}

MEANINGS: Final[Mapping[str, str]] = {
    PING: "A test, because the webhook was made or changed, or because its owner asked for one.",
    AWAITED: "Seats must decide something that they did not have to decide before.",
    MOVED: "A step of a game: what followed from one command.",
    SWITCHED_OFF: "Another webhook of the account was switched off, because it failed for five days or answered 410.",
    **{
        kind: docstring(event).partition("\n")[0]
        for event in (*GAME_EVENTS, *CASE_EVENTS, *TOURNAMENT_EVENTS)
        if (kind := _KINDS.get(type_name(event))) is not None
    },
}
"""All types, each with its meaning."""

FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {
    **{kind: (kind,) for kind in (PING, AWAITED, MOVED, SWITCHED_OFF)},
    "game.*": tuple(sorted(OF_GAMES.values())),
    "case.*": tuple(sorted(OF_CASES.values())),
    "tournament.*": tuple(sorted(OF_TOURNAMENTS.values())),
}
"""All types, by the pattern that selects them."""

_SHORT: Final = (AWAITED, *(_KINDS[type_name(event)] for event in (GameStarted, GameEnded)), "case.*", "webhook.*")

USUAL: Final[Mapping[About, tuple[str, ...]]] = {
    "account": (*_SHORT, *(_KINDS[type_name(event)] for event in (RoundPublished, AnnouncementMade, TournamentClosed))),
    "game": (AWAITED, "game.*", "case.*"),
    "tournament": ("tournament.*",),
    "service": ("game.*", "case.*", "tournament.*"),
}
"""The patterns of a webhook whose owner chose none, by what it is about."""

USUAL_OF_CHANNELS: Final[Mapping[About, tuple[str, ...]]] = {
    **USUAL,
    "game": _SHORT,
    "tournament": tuple(
        _KINDS[type_name(event)]
        for event in (
            *(RoundPublished, RoundCancelled, ResultConfirmed, ResultOverruled, AnnouncementMade),
            *(TournamentClosed, TournamentCancelled),
        )
    ),
}
"""The same for a chat channel: people do not want every step."""


def wants(patterns: Iterable[str], kind: str) -> bool:
    """Tell whether a type matches one of the patterns: the type itself, or its part before the dot and `.*`."""
    return any(kind == each or (each.endswith(".*") and kind.startswith(each[:-1])) for each in patterns)


def unknown(patterns: Sequence[str]) -> str | None:
    """Return the first pattern that no type matches; None if there is none."""
    return next((each for each in patterns if not any(wants([each], kind) for kind in MEANINGS)), None)


def forks_type() -> str:
    """Return the type of the event that begins a fork."""
    return OF_GAMES[type_name(GameForked)]
