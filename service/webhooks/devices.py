"""The devices of accounts that get pushes."""

import hashlib
from collections.abc import Callable
from typing import Final, Literal

from domain.kernel.canonical import canonical
from domain.kernel.ids import PlayerId
from service.base.clock import Clock, stamp
from service.base.ids import ID_BYTES, new_id
from service.observe.logging import log
from service.outward.addresses import read_target
from service.store.accounts import LimitReached, TokenId
from service.store.protocol import KeyReused
from service.store.webhooks import HookId, HookRow, HookStore
from service.webhooks.events import AWAITED, PING, WebhookData, WebhookEvent
from service.webhooks.following import delivery_of
from service.webhooks.personal import NOTICE
from service.webhooks.push import PushKey, Subscription
from service.webhooks.registry import Webhooks, WebhooksOff

MOST_DEVICES: Final = 10
"""The most devices of an account."""

EVENTS: Final = (AWAITED, f"{NOTICE}*")
"""The types of events that are pushed, if the settings of the inbox allow them."""


class PushOff(Exception):
    """This service sends no pushes."""

    def __init__(self) -> None:
        super().__init__("This service pushes nothing to browsers.")


class UnknownDevice(LookupError):
    """The account has no such device."""


class TooManyDevices(Exception):
    """The account has as many devices as it may have."""

    def __init__(self) -> None:
        super().__init__(f"The account has {MOST_DEVICES} devices and cannot have more.")


class Devices:
    """The devices of a store. Every method may raise `StoreError`."""

    def __init__(
        self,
        store: HookStore,
        webhooks: Webhooks,
        key: PushKey | None,
        clock: Clock,
        randomness: Callable[[int], bytes],
        *,
        anywhere: bool,
    ) -> None:
        """`anywhere` allows addresses that are not public."""
        self._store = store
        self._webhooks = webhooks
        self._key = key
        self._clock = clock
        self._randomness = randomness
        self._anywhere = anywhere

    @property
    def key(self) -> str | None:
        """The public key for browsers to subscribe with; None when this service sends no pushes."""
        return self._key.public if self._key is not None else None

    async def subscribe(
        self, player: PlayerId, subscription: Subscription, token: TokenId | Literal[""] = ""
    ) -> HookRow:
        """Push to a device of an account from now on; return it. A known device is pinged again if it is still new.

        The device is removed when `token`, the session or token that added it, is revoked. A browser has one
        subscription: if another account had this device, it loses it.

        Raises:
            PushOff: this service sends no pushes.
            BadTarget, BadSubscription: no browser has such a subscription.
            TooManyDevices: the account has ten.
        """
        if self._key is None:
            raise PushOff
        try:
            sealer = self._webhooks.sealer()
        except WebhooksOff:
            raise PushOff from None
        host = read_target(subscription.endpoint, anywhere=self._anywhere).host
        subscription.check()
        now, key = stamp(self._clock), f"push {subscription.mark}"
        fingerprint = hashlib.sha256(canonical([player, token, subscription])).digest()
        row = HookRow(
            webhook=HookId(new_id("d", self._randomness(ID_BYTES))),
            player=player,
            about="account",
            subject="",
            url=subscription.mark,
            host=host,
            form="push",
            events=EVENTS,
            secret=sealer.seal(subscription.encoded()),
            created=now,
            token=token,
        )
        ping = delivery_of(row.webhook, WebhookEvent(PING, now, WebhookData(webhook=row.webhook)), now, now)
        for _ in range(3):  # until no other request has added it meanwhile
            try:
                device = await self._store.add(row, ping, key, fingerprint, MOST_DEVICES)
                break
            except LimitReached:
                raise TooManyDevices from None
            except KeyReused:
                if (other := await self._store.made_with(key)) is not None:
                    await self._store.remove(other.webhook)
        else:
            raise TooManyDevices
        if device.webhook == row.webhook:
            log.info("device is told", account=player, device=device.webhook, host=host)
            self._webhooks.ring()
        elif device.status == "new":
            await self._webhooks.ping(device)
        return device

    async def of(self, player: PlayerId) -> list[HookRow]:
        """Return the devices of an account, the newest first."""
        return await self._store.webhooks(player, ("push",))

    async def remove(self, player: PlayerId, device: str) -> HookRow:
        """Remove a device; return it. Raises `UnknownDevice`."""
        row = await self._store.webhook(HookId(device))
        if row is None or row.player != player or row.form != "push":
            raise UnknownDevice(f"You have no device {device!r}.")
        await self._store.remove(row.webhook)
        log.info("device is told no longer", account=player, device=device)
        return row
