"""The webhooks of accounts, as their owners see and change them."""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.kernel.canonical import canonical
from domain.kernel.ids import GameId, PlayerId, TournamentId
from service.base.clock import Clock, later, stamp
from service.base.ids import ID_BYTES, new_id
from service.games.requests import hashed_key
from service.observe.logging import log
from service.outward.addresses import read_target
from service.store.accounts import LimitReached, TokenId
from service.store.protocol import KeyReused
from service.store.webhooks import (
    FORMS,
    About,
    AttemptRow,
    DeliveryId,
    DeliveryRow,
    DeliveryStatus,
    Form,
    HookId,
    HookRow,
    HookStore,
)
from service.webhooks.events import PING, USUAL, USUAL_OF_CHANNELS, WebhookData, WebhookEvent, unknown
from service.webhooks.following import delivery_of
from service.webhooks.secrets import KeyUnusable, Sealer, new_secret

MOST_WEBHOOKS: Final = 10
"""The most webhooks of an account."""

LONGEST_OVERLAP: Final = 7 * 24 * 3600
"""The most seconds for which an old secret signs beside its successor."""

BETWEEN_PINGS: Final = timedelta(seconds=10)
"""The least time between two pings of a webhook, so that nobody can flood an address."""


class WebhooksOff(Exception):
    """This service sends no webhooks."""

    def __init__(self) -> None:
        super().__init__("This service sends no webhooks.")


class UnknownWebhook(LookupError):
    """The account has no such webhook."""


class UnknownDelivery(LookupError):
    """The webhook has no such delivery."""


class UnknownEvents(ValueError):
    """An unknown type of events."""


class TooManyWebhooks(Exception):
    """The account has as many webhooks as it may have."""

    def __init__(self) -> None:
        super().__init__(f"The account has {MOST_WEBHOOKS} webhooks and cannot have more.")


class Wish(Struct, frozen=True):
    """The wish for a webhook: its address, its form and its events. Without `events`, it gets the usual ones."""

    url: str
    form: Form = "standard"
    events: Sequence[str] | None = None


class Webhooks:
    """The webhooks of a store. Every method may raise `StoreError`."""

    def __init__(
        self,
        store: HookStore,
        sealer: Sealer | None,
        clock: Clock,
        randomness: Callable[[int], bytes],
        *,
        anywhere: bool,
        ring: Callable[[], None] = lambda: None,
    ) -> None:
        """`anywhere` allows addresses that are not public; `ring` is called when there is something to be sent."""
        self._store = store
        self._sealer = sealer
        self._clock = clock
        self._randomness = randomness
        self._anywhere = anywhere
        self.ring = ring

    async def make(
        self,
        player: PlayerId,
        about: About,
        subject: GameId | TournamentId | None,
        wish: Wish,
        key: str | None,
        token: TokenId | Literal[""] = "",
    ) -> tuple[HookRow, str]:
        """Make a webhook, and send it a ping; return it and its secret. Under an idempotency key, it is made once.

        `token` is the sign-in of the app that makes it; the webhook is removed when that is revoked. It is empty for an
        account that makes the webhook itself.

        Raises:
            WebhooksOff: this service sends no webhooks.
            BadTarget, UnknownEvents: the wish cannot be granted.
            TooManyWebhooks: the account has ten.
            KeyReused: the key came with another request.
        """
        sealer, now = self.sealer(), stamp(self._clock)
        made_by = hashed_key(player, key) if key is not None else ""
        fingerprint = hashlib.sha256(canonical([about, subject, wish])).digest()
        row = HookRow(
            webhook=HookId(new_id("w", self._randomness(ID_BYTES))),
            player=player,
            about=about,
            subject=subject or "",
            url=wish.url,
            host=self._host(wish.url),
            form=wish.form,
            events=_events(about, wish),
            secret=sealer.seal(new_secret()),
            created=now,
            token=token,
        )
        try:
            row_stored = await self._store.add(row, self._ping(row, now), made_by, fingerprint, MOST_WEBHOOKS)
        except LimitReached:
            raise TooManyWebhooks from None
        log.info("webhook made", account=player, webhook=row_stored.webhook, about=about, host=row_stored.host)
        self.ring()
        return row_stored, self._opened(sealer, row_stored)

    async def of(self, player: PlayerId) -> list[HookRow]:
        """Return the webhooks of an account, the newest first."""
        return await self._store.webhooks(player)

    async def one(self, player: PlayerId, webhook: str) -> HookRow:
        """Return a webhook of an account. Raises `UnknownWebhook`."""
        row = await self._store.webhook(HookId(webhook))
        if row is None or row.player != player or row.form not in FORMS:
            raise UnknownWebhook(f"You have no webhook {webhook!r}.")
        return row

    async def change(self, row: HookRow, wish: Wish, *, active: bool) -> HookRow:
        """Give a webhook another address, other events or another form, and switch it on or off.

        A webhook with another address, or one that is switched on, gets only a ping until it has answered it. Raises
        what `make` raises.
        """
        self.sealer()
        now, changed = stamp(self._clock), replace(row, url=wish.url, host=self._host(wish.url), form=wish.form)
        changed = replace(changed, events=_events(row.about, wish))
        if not active:
            changed = replace(changed, status="off", why="owner" if row.status != "off" else row.why)
        elif row.status == "off" or wish.url != row.url:
            changed = replace(changed, status="new", why="", failing_since="", failures=0, hold="")
        if changed != row:
            pings = [self._ping(changed, now)] if changed.status == "new" else []
            await self._store.change(changed, *pings)
            log.info("webhook changed", account=row.player, webhook=row.webhook, status=changed.status)
            self.ring()
        return changed

    async def remove(self, row: HookRow) -> None:
        """Delete a webhook with its deliveries."""
        await self._store.remove(row.webhook)
        log.info("webhook removed", account=row.player, webhook=row.webhook)

    async def rotate(self, row: HookRow, overlap: int, key: str | None) -> tuple[HookRow, str]:
        """Give a webhook another secret; return both. The old secret signs as well for `overlap` seconds.

        Under an idempotency key, a repetition gets the same secret. Raises `WebhooksOff`, or `KeyReused` when the key
        came with another request.
        """
        sealer, now = self.sealer(), stamp(self._clock)
        by = f"{hashed_key(row.player, key)} {overlap}" if key is not None else ""
        before = await self._store.rotated(row.webhook) if by else ""
        if by and before == by:
            return row, self._opened(sealer, row)
        if by and before.partition(" ")[0] == by.partition(" ")[0]:
            raise KeyReused
        until = later(now, timedelta(seconds=overlap)) if overlap else ""
        new = replace(row, secret=sealer.seal(new_secret()), old_secret=row.secret if overlap else b"", old_until=until)
        rotated = await self._store.rotate(new, row.secret, by)
        if rotated is None:
            raise UnknownWebhook(f"You have no webhook {row.webhook!r}.")
        log.info("webhook got another secret", account=row.player, webhook=row.webhook)
        return rotated, self._opened(sealer, rotated)

    async def ping(self, row: HookRow) -> DeliveryRow:
        """Send a webhook a ping; return it, or the one that still waits. Raises `WebhooksOff`."""
        self.sealer()
        now = stamp(self._clock)
        newest = await self._newest_ping(row)
        if newest is not None and newest.status == "waiting":
            return newest
        due_at = max(now, later(newest.made, BETWEEN_PINGS)) if newest is not None else now
        ping = replace(self._ping(row, now), due=due_at)
        await self._store.ask(ping)
        self.ring()
        return await self.delivery(row, ping.delivery)

    async def _newest_ping(self, row: HookRow) -> DeliveryRow | None:
        newest = await self._store.deliveries(row.webhook, None, None, 50)
        return next((each for each in newest if each.type == PING), None)

    async def deliveries(
        self, row: HookRow, status: DeliveryStatus | None, before: int | None, limit: int
    ) -> list[tuple[DeliveryRow, list[AttemptRow]]]:
        """Return deliveries to a webhook, the newest first, each with its attempts."""
        rows = await self._store.deliveries(row.webhook, status, before, limit)
        return await self._with_attempts(rows)

    async def delivery(self, row: HookRow, delivery: str) -> DeliveryRow:
        """Return a delivery to a webhook. Raises `UnknownDelivery`."""
        row_stored = await self._store.delivery(row.webhook, DeliveryId(delivery))
        if row_stored is None:
            raise UnknownDelivery(f"Webhook {row.webhook} has no delivery {delivery!r}.")
        return row_stored

    async def attempts(self, delivery: DeliveryRow) -> list[AttemptRow]:
        """Return the attempts of a delivery, the oldest first."""
        return await self._store.attempts([delivery.delivery])

    async def replay(self, row: HookRow, delivery: DeliveryRow) -> DeliveryRow:
        """Send a delivery again, unless it waits to be sent. Raises `WebhooksOff`."""
        self.sealer()
        await self._store.replay(row.webhook, stamp(self._clock), delivery=delivery.delivery)
        self.ring()
        return await self.delivery(row, delivery.delivery)

    async def replay_all(self, row: HookRow, *, failed: bool, since: str | None, until: str | None) -> int:
        """Send deliveries of a span of time again, or only failed ones; return their number. Raises `WebhooksOff`."""
        self.sealer()
        count = await self._store.replay(row.webhook, stamp(self._clock), failed=failed, since=since, until=until)
        self.ring()
        return count

    @property
    def are_sent(self) -> bool:
        """Whether this service sends webhooks."""
        if self._sealer is None:
            return False
        with suppress(KeyUnusable):
            self._sealer.check()
            return True
        return False

    def sealer(self) -> Sealer:
        """Return the sealer, which encrypts secrets. Raises `WebhooksOff`."""
        if self._sealer is None:
            raise WebhooksOff
        try:
            self._sealer.check()
        except KeyUnusable as error:
            log.error("no webhook is sent", why=str(error))
            raise WebhooksOff from None
        return self._sealer

    @staticmethod
    def _opened(sealer: Sealer, row: HookRow) -> str:
        """Return the secret of a webhook. Raises `WebhooksOff` when it was encrypted with a key that is gone."""
        try:
            return sealer.open(row.secret)
        except KeyUnusable as error:
            log.error("the secret of a webhook is lost", webhook=row.webhook, why=str(error))
            raise WebhooksOff from None

    def _host(self, url: str) -> str:
        return read_target(url, anywhere=self._anywhere).host

    @staticmethod
    def _ping(row: HookRow, now: str) -> DeliveryRow:
        return delivery_of(row.webhook, WebhookEvent(PING, now, WebhookData(webhook=row.webhook)), now, now)

    async def _with_attempts(self, rows: Sequence[DeliveryRow]) -> list[tuple[DeliveryRow, list[AttemptRow]]]:
        attempts: dict[DeliveryId, list[AttemptRow]] = {row.delivery: [] for row in rows}
        for each in await self._store.attempts([*attempts]):
            attempts[each.delivery].append(each)
        return [(row, attempts[row.delivery]) for row in rows]


def _events(about: About, wish: Wish) -> tuple[str, ...]:
    """Return the wanted types of events, each once, or the usual ones. Raises `UnknownEvents`."""
    if wish.events is None:
        return (USUAL if wish.form == "standard" else USUAL_OF_CHANNELS)[about]
    wrong = unknown(wish.events)
    if wrong is not None:
        raise UnknownEvents(wrong)
    return tuple(dict.fromkeys(wish.events))
