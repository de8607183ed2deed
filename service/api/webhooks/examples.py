"""Examples of the endpoints for webhooks, and of what is sent to them."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from domain.kernel.ids import CaseId, TournamentId
from service.api.scene import AT, GAME, Example, Scene
from service.api.webhooks.bodies import (
    Attempt,
    Delivery,
    DeliveryPage,
    IssuedWebhook,
    NewSecret,
    Replayed,
    Replaying,
    WebhookChange,
    Webhooks,
    webhook_view,
)
from service.store.webhooks import DeliveryId, HookId, HookRow
from service.webhooks.events import AWAITED, MEANINGS, MOVED, PING, SWITCHED_OFF, USUAL, WebhookData, WebhookEvent
from service.webhooks.registry import MOST_WEBHOOKS

WEBHOOK: Final = HookId("wq7m3x5c2v8n4b6k1z")
DELIVERY: Final = DeliveryId("d3f6a1c9e2b7d4f8a0c5e1b9d7f3a6c2e8b4d0f5a")
CASE: Final = CaseId("ck3v5m7q2x4w6n8ztb")
TOURNAMENT: Final = TournamentId("t4xq2m7ahbk3oxw7c")
_BASE: Final = "https://games.example.org"


def event(kind: str, scene: Scene) -> WebhookEvent:
    """Return an example of a type of events."""
    game, started, acted = f"{_BASE}/v1/games/{GAME}", scene.started, scene.given
    if kind in (PING, SWITCHED_OFF):
        data = WebhookData(webhook=WEBHOOK)
    elif kind == MOVED:
        after = acted.records[0].version - 1
        events = tuple(dict.fromkeys(record.type for record in acted.records))
        version = acted.records[-1].version
        address = f"{game}/events?after={after}"
        data = WebhookData(game=GAME, version=version, after=after, events=events, address=address)
    elif kind == AWAITED:
        seats = started.game.decisions[0].seats
        data = WebhookData(game=GAME, version=started.records[-1].version, seats=seats, address=game)
    elif kind.startswith("tournament."):
        data = WebhookData(tournament=TOURNAMENT, version=2, address=f"{_BASE}/v1/tournaments/{TOURNAMENT}")
    elif kind.startswith("case."):
        data = WebhookData(game=GAME, case=CASE, version=2, address=f"{_BASE}/v1/cases/{CASE}")
    else:
        data = WebhookData(game=GAME, version=started.records[-1].version, address=game)
    return WebhookEvent(kind, AT, data)


def events(scene: Scene) -> Mapping[str, Any]:
    """Return an example of each type of events."""
    return {kind: msgspec.json.decode(event(kind, scene).encoded()) for kind in MEANINGS}


def examples(scene: Scene) -> dict[str, Example]:
    row = HookRow(
        webhook=WEBHOOK,
        player=scene.players[0].player,
        about="account",
        subject="",
        url="https://example.org/hooks/7",
        host="example.org",
        form="standard",
        events=USUAL["account"],
        secret=b"",
        created=AT,
    )
    new, on = webhook_view(row, AT), webhook_view(msgspec.structs.replace(row, status="on"), AT)
    issued = IssuedWebhook("whsec_JyF0lCJwWIyWq3hNsoa7hH0kEcIrT2h8Q0b2hJc1xZg=", new)
    example = event(AWAITED, scene)
    attempts = (Attempt("2026-11-21T18:00:00.214000Z", 503, "busy"), Attempt("2026-11-21T18:00:05.331000Z", 204, ""))
    delivered = Delivery(DELIVERY, example.type, example.encoded(), AT, "delivered", None, attempts)
    waiting = msgspec.structs.replace(delivered, status="waiting", next="2026-11-21T18:02:00.000000Z")
    ping = event(PING, scene)
    pinged = Delivery(DELIVERY, PING, ping.encoded(), AT, "waiting", AT, ())
    rotated = IssuedWebhook(
        "whsec_4fD2s9KQm1Zx7Yb3Vn8Lp0Rt6Wc5He2Ja9Gu4Io1Xz8=",
        msgspec.structs.replace(on, old_secret_until="2026-11-22T18:00:00.000000Z"),
    )
    return {
        "makeWebhook": Example(issued, {"url": row.url}),
        "listWebhooks": Example(Webhooks((on,), MOST_WEBHOOKS, sent=True)),
        "showWebhook": Example(on),
        "changeWebhook": Example(on, WebhookChange(url=row.url, events=("seat.awaited", "case.*"))),
        "deleteWebhook": Example(on),
        "pingWebhook": Example(pinged),
        "replaceWebhookSecret": Example(rotated, NewSecret(overlap=86400)),
        "listDeliveries": Example(DeliveryPage((delivered,), None)),
        "replayDelivery": Example(waiting),
        "replayDeliveries": Example(Replayed(3), Replaying(failed=True)),
    }
