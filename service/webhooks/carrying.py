"""Carriers, which send notices to people, and the carrier for web push."""

from typing import Final, Protocol

import msgspec
from msgspec import UNSET, Struct

from service.outward.addresses import read_target
from service.outward.post import Answer, Outward
from service.store.webhooks import DeliveryRow, HookRow
from service.webhooks.events import PING
from service.webhooks.personal import TURN, UNASKED, Worth, kind_of, page_of, sentence
from service.webhooks.push import PushKey, Subscription
from service.webhooks.secrets import Sealer

NOTICES: Final = "/account/notices"
"""The page on which devices are switched on and off."""

_LONGEST: Final = 200
"""The most characters of a title."""


class Carrier(Protocol):
    """Sends notices to persons in one way: as pushes or as e-mail."""

    async def carry(self, row: DeliveryRow, to: HookRow) -> Answer:
        """Send a delivery; return the answer.

        Raises `Unanswered`, `BadTarget`, `KeyUnusable`, `Passed` or `StoreError`.
        """
        ...


class Shown(Struct, frozen=True):
    """The content of a push, which the service worker shows (`viewer/push.js`)."""

    title: str
    body: str
    url: str
    tag: str


class PushCarrier:
    """Sends notices to browsers as pushes."""

    def __init__(self, worth: Worth, sealer: Sealer, key: PushKey, outward: Outward) -> None:
        self._worth = worth
        self._sealer = sealer
        self._key = key
        self._outward = outward

    async def carry(self, row: DeliveryRow, to: HookRow) -> Answer:
        subscription = Subscription.read(self._sealer.open(to.secret))
        target = read_target(subscription.endpoint, anywhere=self._outward.anywhere)
        message, urgent = await self._message_of(row, to)
        headers = self._key.headers(target, f"{to.webhook} {message.tag}", urgent=urgent)
        return await self._outward.post(target, headers, subscription.encrypted(msgspec.json.encode(message)))

    async def _message_of(self, row: DeliveryRow, to: HookRow) -> tuple[Shown, bool]:
        """Return the content of a push, and whether it is urgent."""
        if row.type == PING:
            return Shown("Tabularium", "This device gets notifications from now on.", NOTICES, PING), False
        event = await self._worth.check(row, to)
        kind, data = kind_of(event), event.data
        subject = data.subject
        assert subject is not UNSET
        seat = data.seats[0] if data.seats is not UNSET else None
        title = (await self._worth.title(subject))[:_LONGEST]
        tag = data.case if data.case is not UNSET else subject
        return Shown(title, sentence(kind, seat), page_of(event), tag), kind == TURN or kind in UNASKED
