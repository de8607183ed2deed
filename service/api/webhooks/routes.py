"""The endpoints for the webhooks of an account: making, changing and testing them, and their deliveries."""

from datetime import datetime
from typing import Final

import msgspec
from litestar.response import Response

from domain.kernel.ids import GameId, TournamentId
from service.api.bodies import Nothing
from service.api.endpoint import Answer, endpoint
from service.api.paging import first, read_cursor
from service.api.problems.access import SCOPE_MISSING
from service.api.problems.games import PRIVATE, UNKNOWN_GAME, WITHHELD
from service.api.problems.problem import Problem
from service.api.problems.request import INVALID_BODY, KEY_REUSED
from service.api.problems.tournaments import UNKNOWN_TOURNAMENT
from service.api.problems.webhooks import (
    BAD_TARGET,
    TOO_MANY_WEBHOOKS,
    UNKNOWN_DELIVERY,
    UNKNOWN_WEBHOOK,
    WEBHOOKS_OFF,
)
from service.api.request import Call
from service.api.response import answer
from service.api.webhooks.bodies import (
    DeliveriesPage,
    Delivery,
    DeliveryPage,
    IssuedWebhook,
    NewSecret,
    NewWebhook,
    Replayed,
    Replaying,
    Webhook,
    WebhookChange,
    Webhooks,
    delivery_view,
    webhook_view,
)
from service.api.withheld import require_shown
from service.base.clock import written
from service.store.webhooks import DeliveryRow, HookRow
from service.webhooks.events import MEANINGS
from service.webhooks.registry import MOST_WEBHOOKS, UnknownEvents, Wish

_new: Final = msgspec.json.Decoder(NewWebhook)
_change: Final = msgspec.json.Decoder(WebhookChange)
_secret: Final = msgspec.json.Decoder(NewSecret)
_replaying: Final = msgspec.json.Decoder(Replaying)
_NOT_STORED: Final = {"Cache-Control": "no-store"}


@endpoint(
    "POST",
    "/v1/webhooks",
    tag="Webhooks",
    account="required",
    scopes=("notify",),
    headers=("Idempotency-Key",),
    body=NewWebhook,
    answers=(Answer(201, "The webhook, and its secret.", IssuedWebhook),),
    problems=(
        BAD_TARGET,
        TOO_MANY_WEBHOOKS,
        WEBHOOKS_OFF,
        SCOPE_MISSING,
        UNKNOWN_GAME,
        UNKNOWN_TOURNAMENT,
        PRIVATE,
        WITHHELD,
        KEY_REUSED,
    ),
)
async def make_webhook(request: Call) -> Response[bytes]:
    """Make a webhook.

    The service then sends events to the address, by [Standard Webhooks](https://www.standardwebhooks.com/): its
    libraries verify what you get with the secret, which is shown only now. The first event is a `ping`. The service
    sends nothing else before you have answered one with 2xx.

    An event is thin: it says what happened, where, and at which version; see the webhooks of this contract. It is sent
    at least once. When the answer is not 2xx, takes more than 15 seconds, or is larger than 64 KiB, the delivery is
    tried again, up to nine times. The waits are 5 seconds, 5 and 30 minutes, and 2, 5, 10, 14, 20 and 24 hours.
    `Retry-After` can make a wait longer, up to a day. The order of events is not guaranteed. If you answer 410, or
    after five days of failures, the service switches the webhook off.

    An account can have ten. A repeated request with the same `Idempotency-Key` gets the same response, including the
    secret, and makes no second webhook.
    """
    request.read_query(Nothing)
    caller, key = request.signed_in, request.key
    wish = await request.read_body(_new)
    for what, subject_id in (("game", wish.game), ("tournament", wish.tournament)):
        if (wish.about == what) != (subject_id is not None):
            raise Problem(
                INVALID_BODY,
                f"The webhook is to be about a {what}, and names none."
                if subject_id is None
                else f"It names a {what}.",
                f'Send `"about": "{what}"` together with the id of a {what} in `{what}`, or neither.',
                path=f"$.{what}",
            )
    if wish.about == "service":
        request.require("audit")
    game = GameId(wish.game) if wish.game is not None else None
    if game is not None:
        await request.services.games.game(game)
        await require_shown(request.services, game, caller)
    tournament = TournamentId(wish.tournament) if wish.tournament is not None else None
    if tournament is not None:
        await request.services.committee.now(tournament)
    target = Wish(wish.url, wish.form, wish.events)
    try:
        made_by = caller.token if caller.is_app and caller.token is not None else ""
        subject = game or tournament
        row, secret = await request.services.webhooks.make(caller.player, wish.about, subject, target, key, made_by)
    except UnknownEvents as error:
        raise _unknown_events(error) from None
    return answer(IssuedWebhook(secret, _view(request, row)), 201, _NOT_STORED)


@endpoint(
    "GET",
    "/v1/webhooks",
    tag="Webhooks",
    account="required",
    scopes=("notify",),
    answers=(Answer(200, "Your webhooks.", Webhooks),),
)
async def list_webhooks(request: Call) -> Response[bytes]:
    """List your webhooks.

    Shows them without their secrets. `sent` says whether this service sends webhooks at all.
    """
    request.read_query(Nothing)
    webhooks = request.services.webhooks
    rows = await webhooks.of(request.signed_in.player)
    return answer(Webhooks(tuple(_view(request, row) for row in rows), MOST_WEBHOOKS, webhooks.are_sent))


@endpoint(
    "GET",
    "/v1/webhooks/{webhook:str}",
    tag="Webhooks",
    account="required",
    scopes=("notify",),
    answers=(Answer(200, "The webhook.", Webhook),),
    problems=(UNKNOWN_WEBHOOK,),
)
async def show_webhook(request: Call, webhook: str) -> Response[bytes]:
    """Show a webhook.

    Says whether it is on, and since when it has been failing.
    """
    request.read_query(Nothing)
    return answer(_view(request, await _one(request, webhook)))


@endpoint(
    "PUT",
    "/v1/webhooks/{webhook:str}",
    tag="Webhooks",
    account="required",
    scopes=("notify",),
    body=WebhookChange,
    answers=(Answer(200, "The webhook.", Webhook),),
    problems=(UNKNOWN_WEBHOOK, BAD_TARGET, WEBHOOKS_OFF),
)
async def change_webhook(request: Call, webhook: str) -> Response[bytes]:
    """Change a webhook.

    A webhook that gets another address, or is switched on again, is pinged first. When it is switched off or gets
    another address, its waiting deliveries are marked as failed; `POST …/replay` sends them again. What happens while
    it is off is not recorded for it. Repeating the request changes nothing.
    """
    request.read_query(Nothing)
    row, wish = await _one(request, webhook), await request.read_body(_change)
    target = Wish(wish.url, wish.form, wish.events)
    try:
        changed = await request.services.webhooks.change(row, target, active=wish.active)
    except UnknownEvents as error:
        raise _unknown_events(error) from None
    return answer(_view(request, changed))


@endpoint(
    "DELETE",
    "/v1/webhooks/{webhook:str}",
    tag="Webhooks",
    account="required",
    scopes=("notify",),
    answers=(Answer(200, "The deleted webhook.", Webhook),),
    problems=(UNKNOWN_WEBHOOK,),
)
async def delete_webhook(request: Call, webhook: str) -> Response[bytes]:
    """Delete a webhook.

    Its secret and the record of its deliveries are deleted, too. A repeated request finds none and changes nothing.
    """
    request.read_query(Nothing)
    row = await _one(request, webhook)
    await request.services.webhooks.remove(row)
    return answer(_view(request, row))


@endpoint(
    "POST",
    "/v1/webhooks/{webhook:str}/ping",
    tag="Webhooks",
    account="required",
    scopes=("notify",),
    answers=(Answer(202, "The ping.", Delivery),),
    problems=(UNKNOWN_WEBHOOK, WEBHOOKS_OFF),
)
async def ping_webhook(request: Call, webhook: str) -> Response[bytes]:
    """Test a webhook.

    Sends a `ping`, at most every ten seconds. A new webhook is on as soon as it has answered one with 2xx. A ping that
    fails is not sent again. While one waits to be sent, repeating the request changes nothing.
    """
    request.read_query(Nothing)
    row = await _one(request, webhook)
    return answer(await _delivery_view(request, await request.services.webhooks.ping(row)), 202)


@endpoint(
    "POST",
    "/v1/webhooks/{webhook:str}/secret",
    tag="Webhooks",
    account="required",
    scopes=("notify",),
    headers=("Idempotency-Key",),
    body=NewSecret,
    answers=(Answer(201, "The webhook, and its new secret.", IssuedWebhook),),
    problems=(UNKNOWN_WEBHOOK, WEBHOOKS_OFF, KEY_REUSED),
)
async def replace_webhook_secret(request: Call, webhook: str) -> Response[bytes]:
    """Replace the secret of a webhook.

    For `overlap` seconds, the old secret signs as well: events have two signatures, and the libraries accept either.
    With an `Idempotency-Key`, repeating the last replacement makes no other secret: you get the same one.
    """
    request.read_query(Nothing)
    key, row, wish = request.key, await _one(request, webhook), await request.read_body(_secret)
    changed, secret = await request.services.webhooks.rotate(row, wish.overlap, key)
    return answer(IssuedWebhook(secret, _view(request, changed)), 201, _NOT_STORED)


@endpoint(
    "GET",
    "/v1/webhooks/{webhook:str}/deliveries",
    tag="Webhooks",
    account="required",
    scopes=("notify",),
    query=DeliveriesPage,
    answers=(Answer(200, "The deliveries.", DeliveryPage),),
    problems=(UNKNOWN_WEBHOOK,),
)
async def list_deliveries(request: Call, webhook: str) -> Response[bytes]:
    """List the deliveries to a webhook.

    Lists the newest first, with every attempt and its answer, and with the time of the next attempt. Deliveries are
    kept for 30 days.
    """
    page = request.read_query(DeliveriesPage)
    row, before = await _one(request, webhook), read_cursor(page.cursor, int)
    entries = await request.services.webhooks.deliveries(row, page.status, before, page.limit + 1)
    rows, more = first(entries, page.limit, lambda each: each[0].number)
    return answer(DeliveryPage(tuple(delivery_view(*each) for each in rows), more))


@endpoint(
    "POST",
    "/v1/webhooks/{webhook:str}/deliveries/{delivery:str}/replay",
    tag="Webhooks",
    account="required",
    scopes=("notify",),
    answers=(Answer(202, "The delivery.", Delivery),),
    problems=(UNKNOWN_WEBHOOK, UNKNOWN_DELIVERY, WEBHOOKS_OFF),
)
async def replay_delivery(request: Call, webhook: str, delivery: str) -> Response[bytes]:
    """Send a delivery again.

    It keeps its id, so the receiver can recognize it. While it waits to be sent, repeating the request changes nothing.
    """
    request.read_query(Nothing)
    webhooks, row = request.services.webhooks, await _one(request, webhook)
    again = await webhooks.replay(row, await webhooks.delivery(row, delivery))
    return answer(await _delivery_view(request, again), 202)


@endpoint(
    "POST",
    "/v1/webhooks/{webhook:str}/replay",
    tag="Webhooks",
    account="required",
    scopes=("notify",),
    body=Replaying,
    answers=(Answer(202, "How many deliveries are sent again.", Replayed),),
    problems=(UNKNOWN_WEBHOOK, WEBHOOKS_OFF),
)
async def replay_deliveries(request: Call, webhook: str) -> Response[bytes]:
    """Send several deliveries again.

    Sends all failed deliveries again, or with `failed` false all; you can restrict both to a span of time. Pings and
    deliveries that already wait are left out, so while they wait, repeating the request changes nothing.
    """
    request.read_query(Nothing)
    row, wish = await _one(request, webhook), await request.read_body(_replaying)
    count = await request.services.webhooks.replay_all(
        row, failed=wish.failed, since=_stamp(wish.since, "since"), until=_stamp(wish.until, "until")
    )
    return answer(Replayed(count), 202)


def _view(request: Call, row: HookRow) -> Webhook:
    return webhook_view(row, request.services.games.time())


async def _one(request: Call, webhook: str) -> HookRow:
    """Return a webhook of the caller. Raises `UnknownWebhook`."""
    return await request.services.webhooks.one(request.signed_in.player, webhook)


async def _delivery_view(request: Call, row: DeliveryRow) -> Delivery:
    return delivery_view(row, await request.services.webhooks.attempts(row))


def _stamp(time: datetime | None, name: str) -> str | None:
    """Return a time as the service writes it. Raises `Problem` for one without a zone."""
    if time is None:
        return None
    if time.tzinfo is None:
        allowed = "Write it with its zone, such as 2026-11-21T18:00:00Z."
        raise Problem(INVALID_BODY, f"`{name}` is {time.isoformat()}.", allowed, path=f"$.{name}")
    try:
        return written(time)
    except OverflowError:
        raise Problem(INVALID_BODY, f"`{name}` is {time}.", "Name a time of this era.", path=f"$.{name}") from None


def _unknown_events(error: UnknownEvents) -> Problem:
    allowed = f"The types are {', '.join(sorted(MEANINGS))}, and beginnings of them such as case.*."
    return Problem(INVALID_BODY, f"There is no type of events {str(error)!r}.", allowed, path="$.events")
