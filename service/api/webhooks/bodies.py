"""The requests and answers of the endpoints for webhooks."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

from domain.kernel.ids import GameId, TournamentId
from service.api.bodies import Identifier, Listed, Page
from service.store.webhooks import (
    About,
    AttemptRow,
    DeliveryId,
    DeliveryRow,
    DeliveryStatus,
    Form,
    HookId,
    HookRow,
    HookStatus,
)
from service.webhooks.registry import LONGEST_OVERLAP
from service.webhooks.secrets import PREFIX

Url = Annotated[str, Meta(min_length=1, max_length=2048, description="an address such as https://example.org/hooks/7")]

Pattern = Annotated[
    str,
    Meta(
        max_length=64,
        pattern=r"^[a-z_]+(\.([a-z_]+|\*))?$(?!\n)",
        description="a type of events such as game.ended, or the beginning of several such as case.*",
    ),
]

Patterns = Annotated[tuple[Pattern, ...], Meta(min_length=1, max_length=100)]

Overlap = Annotated[int, Meta(ge=0, le=LONGEST_OVERLAP)]

Why = Literal["gone", "failing", "owner"]


class NewWebhook(Struct, frozen=True, forbid_unknown_fields=True):
    """A webhook to make.

    Attributes:
        url: where to send events. It must begin with `https://`, lead to the public internet, and name no other port
            than 443; operators of a closed network may allow more.
        about: which events it gets: those of your `account`, from the games and tournaments that you play, organize,
            judge or direct; those of one `game` or one `tournament`; or those of the whole `service` that everybody may
            read, for which you need a token with the scope `audit`.
        game: the game, if it is about one.
        tournament: the tournament, if it is about one.
        form: `standard` for Standard Webhooks; `discord` or `slack` for messages to a chat channel there.
        events: the types of events to send. If absent: for your account `seat.awaited`, `game.started`, `game.ended`,
            `case.*`, `webhook.*`, `tournament.round_published`, `tournament.announcement_made` and `tournament.closed`;
            for a game or a tournament all; for the service all but `seat.awaited`. A chat channel gets fewer: about a
            game only `seat.awaited`, `game.started`, `game.ended`, `case.*` and `webhook.*`; about a tournament only
            rounds that are published or cancelled, results that are confirmed or overruled, announcements, and its end.
    """

    url: Url
    about: About = "account"
    game: Identifier | None = None
    tournament: Identifier | None = None
    form: Form = "standard"
    events: Patterns | None = None


class WebhookChange(Struct, frozen=True, forbid_unknown_fields=True):
    """How to change a webhook.

    Attributes:
        url: where to send events.
        form: the form of what is sent.
        events: the types of events to send; absent for the same as for a new webhook.
        active: whether it is on.
    """

    url: Url
    form: Form = "standard"
    events: Patterns | None = None
    active: bool = True


class NewSecret(Struct, frozen=True, forbid_unknown_fields=True):
    """How to replace a secret.

    Attributes:
        overlap: the old secret signs as well for this many seconds, a week at most.
    """

    overlap: Overlap = 24 * 3600


class Replaying(Struct, frozen=True, forbid_unknown_fields=True):
    """What to send again.

    Attributes:
        failed: only deliveries that have failed. If false, also those that have arrived.
        since: only events that were recorded for the webhook at this time or later, RFC 3339.
        until: only events that were recorded before this time, RFC 3339.
    """

    failed: bool = True
    since: datetime | None = None
    until: datetime | None = None


class DeliveriesPage(Page, frozen=True, forbid_unknown_fields=True):
    """Which deliveries to a webhook to list.

    Attributes:
        status: only deliveries with this status.
    """

    status: DeliveryStatus | None = None


class Webhook(Struct, frozen=True):
    """A webhook.

    Attributes:
        id: its id.
        url: where events are sent.
        about: which events it gets.
        game: the game, if it is about one.
        tournament: the tournament, if it is about one.
        form: the form of what is sent.
        events: the types of events that are sent.
        status: `new` until it has answered a ping, and until then it gets nothing else. Then `on`, or `off`.
        why: why it is off: it answered 410 and is `gone`, it kept `failing` for five days, or its `owner` switched it
            off.
        created: when it was made.
        failing_since: when it began to fail; null if the last delivery arrived.
        old_secret_until: until when the old secret signs as well; null if only one secret signs.
    """

    id: HookId
    url: str
    about: About
    game: GameId | None
    tournament: TournamentId | None
    form: Form
    events: tuple[str, ...]
    status: HookStatus
    why: Why | None
    created: str
    failing_since: str | None
    old_secret_until: str | None


class IssuedWebhook(Struct, frozen=True):
    """A webhook and its secret, which is not shown again.

    Attributes:
        secret: the secret that signs what is sent, as the libraries of Standard Webhooks take it.
        webhook: the webhook.
    """

    secret: Annotated[str, Meta(pattern=rf"^{PREFIX}[A-Za-z0-9+/]+=*$(?!\n)")]
    webhook: Webhook


class Webhooks(Struct, frozen=True):
    """The webhooks of an account.

    Attributes:
        items: the newest first.
        most: how many an account can have.
        sent: whether this service sends webhooks. Where it does not, none can be made.
    """

    items: tuple[Webhook, ...]
    most: int
    sent: bool


class Attempt(Struct, frozen=True):
    """An attempt to send a delivery.

    Attributes:
        at: when it was made.
        status: the HTTP status of the answer; null if none arrived in time, for whatever reason.
        answer: the beginning of the answer's body, at most 1,024 bytes.
    """

    at: str
    status: int | None
    answer: str


class Delivery(Struct, frozen=True):
    """An event that was sent to a webhook, or waits to be sent.

    Attributes:
        id: its id, which the receiver gets as `webhook-id`. It stays the same however often it is sent.
        type: the type of the event.
        body: what is sent in the standard form.
        made: when it was recorded for the webhook.
        status: `waiting` to be sent, or sent again; `delivered`; or `failed` for good.
        next: when it is sent next, if it waits.
        attempts: the attempts to send it, with the answers.
    """

    id: DeliveryId
    type: str
    body: str
    made: str
    status: DeliveryStatus
    next: str | None
    attempts: tuple[Attempt, ...]


class DeliveryPage(Listed[Delivery], frozen=True):
    """A page of the deliveries to a webhook, the newest first."""


class Replayed(Struct, frozen=True):
    """How many deliveries are sent again.

    Attributes:
        deliveries: their number.
    """

    deliveries: int


def webhook_view(row: HookRow, now: str) -> Webhook:
    """Return a webhook as its owner sees it."""
    return Webhook(
        id=row.webhook,
        url=row.url,
        about=row.about,
        game=GameId(row.subject) if row.about == "game" else None,
        tournament=TournamentId(row.subject) if row.about == "tournament" else None,
        form=row.form,  # type: ignore[reportArgumentType]
        events=row.events,
        status=row.status,
        why=row.why or None,  # type: ignore[reportArgumentType]
        created=row.created,
        failing_since=row.failing_since or None,
        old_secret_until=row.old_until if row.old_until > now else None,
    )


def delivery_view(row: DeliveryRow, attempts: list[AttemptRow]) -> Delivery:
    """Return a delivery as the owner of its webhook sees it."""
    return Delivery(
        id=row.delivery,
        type=row.type,
        body=row.body,
        made=row.made,
        status=row.status,  # type: ignore[reportArgumentType]
        next=row.due if row.status == "waiting" else None,
        attempts=tuple(Attempt(each.at, each.status or None, each.answer) for each in attempts),
    )
