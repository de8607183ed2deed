"""What webhooks tell: types of events, made from those of games, cases and tournaments, and what is sent of each.

What is sent is thin: where something happened, and nothing of what. A receiver that wants more asks the API for it.
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
"""Types of events that `game.moved` names."""


class WebhookData(Struct, frozen=True, omit_defaults=True):
    """What a webhook tells of an event.

    Attributes:
        webhook: the webhook; only with `ping` and `webhook.switched_off`.
        game: the game in which it happened.
        case: the case, of an event of one.
        tournament: the tournament, of an event of one.
        version: the version of the game that the event made; of an event of a case or a tournament, that of it.
        after: the version before the step; only with `game.moved`.
        events: the types of the events of the step, each once, at most 50; only with `game.moved`.
        seats: the seats that are to decide now; only with `seat.awaited`. A webhook of an account hears of its own.
        address: where the API shows what happened. It begins with the public address of the service, if its operators
            have set one.
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
    """What is sent to a webhook in the standard form.

    Attributes:
        type: what happened.
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
    """Return the type that webhooks use for an event of a stream: `game.seat_taken`."""
    return f"{first}.{type_name(event).removeprefix(f'{first}-').replace('-', '_')}"


OF_GAMES: Final[Mapping[str, str]] = {
    type_name(event): _dotted("game", event) for event in GAME_EVENTS if event is not ClocksRan
}
"""The types of webhooks by those of events around the table. `clocks-ran` ends almost every step of a game with clocks,
so it is sent with the step."""

OF_CASES: Final[Mapping[str, str]] = {type_name(event): _dotted("case", event) for event in CASE_EVENTS}

OF_TOURNAMENTS: Final[Mapping[str, str]] = {
    type_name(event): _dotted("tournament", event) for event in TOURNAMENT_EVENTS
}

_KINDS: Final[Mapping[str, str]] = {**OF_GAMES, **OF_CASES, **OF_TOURNAMENTS}

MEANINGS: Final[Mapping[str, str]] = {
    PING: "A test: the webhook was made or changed, or somebody asked for it.",
    AWAITED: "Seats are to decide that were not before, or are asked something else now.",
    MOVED: "A step of a game: what followed from one command.",
    SWITCHED_OFF: "Another webhook of the account was switched off, because it failed for five days or answered 410.",
    **{
        kind: docstring(event).partition("\n")[0]
        for event in (*GAME_EVENTS, *CASE_EVENTS, *TOURNAMENT_EVENTS)
        if (kind := _KINDS.get(type_name(event))) is not None
    },
}
"""All types, and what each means."""

FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {
    **{kind: (kind,) for kind in (PING, AWAITED, MOVED, SWITCHED_OFF)},
    "game.*": tuple(sorted(OF_GAMES.values())),
    "case.*": tuple(sorted(OF_CASES.values())),
    "tournament.*": tuple(sorted(OF_TOURNAMENTS.values())),
}
"""All types, by what they have in common."""

_SHORT: Final = (AWAITED, *(_KINDS[type_name(event)] for event in (GameStarted, GameEnded)), "case.*", "webhook.*")

USUAL: Final[Mapping[About, tuple[str, ...]]] = {
    "account": (*_SHORT, *(_KINDS[type_name(event)] for event in (RoundPublished, AnnouncementMade, TournamentClosed))),
    "game": (AWAITED, "game.*", "case.*"),
    "tournament": ("tournament.*",),
    "service": ("game.*", "case.*", "tournament.*"),
}
"""The events that a webhook gets if its owner chose none."""

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
"""The events that a chat channel gets if its owner chose none: people do not want every step."""


def wants(patterns: Iterable[str], kind: str) -> bool:
    """Tell whether one of some patterns has a type: the type itself, or its beginning up to a dot, and a star."""
    return any(kind == each or (each.endswith(".*") and kind.startswith(each[:-1])) for each in patterns)


def unknown(patterns: Sequence[str]) -> str | None:
    """Return the first of some patterns that has no type at all."""
    return next((each for each in patterns if not any(wants([each], kind) for kind in MEANINGS)), None)


def forks_type() -> str:
    """Return the type of the event that begins a fork."""
    return OF_GAMES[type_name(GameForked)]
