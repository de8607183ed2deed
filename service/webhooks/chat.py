"""The bodies of deliveries: for Standard Webhooks, and messages for chat channels."""

from typing import Any, Final

import msgspec
from msgspec import UNSET

from service.store.webhooks import Form, Personal
from service.webhooks.events import AWAITED, MOVED, PING, SWITCHED_OFF, WebhookEvent, read_event

LONGEST: Final = 1500
"""The most characters of a message. Discord accepts 2000."""


def formed(form: Form | Personal, body: str, title: str) -> str:
    """Return the body of a delivery: the event itself, or a message with the title of its game or tournament."""
    if form == "standard":
        return body
    text = message(read_event(body), title)[:LONGEST]
    if form == "discord":
        # A title with @everyone must not ring everybody in the channel.
        content: dict[str, Any] = {"content": text, "allowed_mentions": {"parse": []}}
    else:
        content = {"text": text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")}
    return msgspec.json.encode(content).decode()


def message(event: WebhookEvent, title: str) -> str:
    """Return an event as a sentence, with the address of the page of its game or tournament if that is known."""
    data = event.data
    if event.type == PING:
        return "Tabularium: this channel gets messages from now on."
    if event.type == SWITCHED_OFF:
        return f"Tabularium: the webhook {data.webhook} was switched off: it failed for five days or answered 410."
    of = f"tournament {data.tournament}" if data.tournament is not UNSET else f"game {data.game}"
    where = f"“{title}”" if title else of
    if event.type == AWAITED and data.seats is not UNSET:
        text = f"{where}: it is your turn, {' and '.join(data.seats)}."
    elif event.type == MOVED:
        text = f"{where} has moved on to version {data.version}."
    else:
        kind, _, what = event.type.partition(".")
        of_case = f" (case {data.case})" if kind == "case" else ""
        text = f"{where}: {kind} {what.replace('_', ' ')}{of_case}."
    base = (data.address or "").partition("/v1/")[0]
    return f"{text} {base}/{of.replace(' ', 's/')}" if base else text
