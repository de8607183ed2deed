"""The mailboxes of accounts, as their owners see and change them."""

import hashlib
import hmac
import secrets
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from domain.kernel.ids import PlayerId
from service.base.clock import Clock, stamp
from service.base.ids import ID_BYTES, new_id
from service.observe.logging import log
from service.store.protocol import EventStore
from service.store.webhooks import HookId, HookRow
from service.webhooks.events import AWAITED, PING, WebhookData, WebhookEvent
from service.webhooks.following import delivery_of
from service.webhooks.mail import HOST, Mailbox
from service.webhooks.personal import DIGEST
from service.webhooks.registry import Webhooks, WebhooksOff
from service.webhooks.secrets import KeyUnusable, digest

MOST_CONFIRMATIONS: Final = 3
"""The most e-mails in a day that ask for confirmation, by account and by address."""


class MailOff(Exception):
    """This service sends no e-mail."""

    def __init__(self) -> None:
        super().__init__("This service sends no e-mail.")


class TooManyConfirmations(Exception):
    """Too many e-mails that ask for confirmation were sent today, to the account or to the address."""

    def __init__(self) -> None:
        super().__init__(f"{MOST_CONFIRMATIONS} e-mails were sent today to confirm an address.")


class Told(Struct, frozen=True):
    """The mailbox of an account: its row, and the address."""

    row: HookRow
    address: str

    @property
    def hint(self) -> str:
        """A hint to recognize the address by, without showing it."""
        name, _, host = self.address.rpartition("@")
        return f"{name[:1]}…@{host}"

    @property
    def turns(self) -> bool:
        return AWAITED in self.row.events

    @property
    def daily(self) -> bool:
        return DIGEST in self.row.events


class Mailboxes:
    """The mailboxes of a store. Every method may raise `StoreError`."""

    def __init__(
        self, store: EventStore, webhooks: Webhooks, clock: Clock, randomness: Callable[[int], bytes], *, sends: bool
    ) -> None:
        """`sends` tells whether there is a mail server."""
        self._all = store
        self._store = store.webhooks
        self._webhooks = webhooks
        self._clock = clock
        self._randomness = randomness
        self.sends = sends

    async def of(self, player: PlayerId) -> Told | None:
        """Return the mailbox of an account."""
        row = await self._row(player)
        return Told(row, self._opened(row).address) if row is not None else None

    async def is_refused(self, player: PlayerId) -> bool:
        """Tell whether the mailbox of an account is off, because e-mail to it was refused or kept failing."""
        row = await self._row(player)
        return row is not None and row.status == "off"

    async def change(self, player: PlayerId, address: str | None, *, turns: bool, daily: bool) -> Told | None:
        """Change what a mailbox gets; return it, or None when there is none and no address is given.

        A new address first gets an e-mail that asks for confirmation. Raises `MailOff` or `TooManyConfirmations`.
        """
        if not self.sends:
            raise MailOff
        try:
            sealer = self._webhooks.sealer()
        except WebhooksOff:
            raise MailOff from None
        before, events = await self._row(player), ((AWAITED,) if turns else ()) + ((DIGEST,) if daily else ())
        old_address = self._opened(before).address if before is not None else None
        if before is not None and (address is None or (address == old_address and before.status != "off")):
            if events != before.events:
                await self._store.retell(before.webhook, events)
            return await self.of(player)
        if address is None:
            return None
        now = stamp(self._clock)
        mark = digest("mail", sealer.mac(address.lower()))
        for key in (f"account {player}", f"address {mark}"):
            if await self._store.count(key, now[:10]) > MOST_CONFIRMATIONS:
                raise TooManyConfirmations
        if before is not None:
            await self._store.remove(before.webhook)
        row = HookRow(
            webhook=HookId(new_id("m", self._randomness(ID_BYTES))),
            player=player,
            about="account",
            subject="",
            url=mark,
            host=HOST,
            form="mail",
            events=events,
            secret=sealer.seal(Mailbox(address, secrets.token_urlsafe(24), secrets.token_urlsafe(24)).encoded()),
            created=now,
        )
        ping = delivery_of(row.webhook, WebhookEvent(PING, now, WebhookData(webhook=row.webhook)), now, now)
        fingerprint = hashlib.sha256(mark.encode()).digest()
        row_stored = await self._store.add(row, ping, f"mail {player}", fingerprint, 1)
        log.info("mailbox is asked", account=player, mailbox=row_stored.webhook)
        self._webhooks.ring()
        return Told(row_stored, address)

    async def remove(self, player: PlayerId) -> None:
        """Forget the mailbox of an account."""
        row = await self._row(player)
        if row is not None:
            await self._store.remove(row.webhook)
            log.info("mailbox is forgotten", account=player, mailbox=row.webhook)

    async def confirm(self, secret: str) -> bool:
        """Confirm a mailbox, so that it gets e-mail; return False for an invalid link."""
        linked = await self._linked(secret)
        if linked is None:
            return False
        row, mailbox, code = linked
        if not hmac.compare_digest(mailbox.confirm, code) or row.status == "off":
            return False
        if row.status == "on":
            return True
        await self._store.turn_on(row.webhook, str(await self._all.end()))
        log.info("mailbox is confirmed", account=row.player, mailbox=row.webhook)
        return True

    async def leave(self, secret: str) -> bool:
        """Delete a mailbox, so that it gets no more e-mail; return False for an invalid link."""
        linked = await self._linked(secret)
        if linked is None or not hmac.compare_digest(linked[1].leave, linked[2]):
            return False
        await self._store.remove(linked[0].webhook)
        log.info("mailbox is forgotten", account=linked[0].player, mailbox=linked[0].webhook)
        return True

    async def _row(self, player: PlayerId) -> HookRow | None:
        return next(iter(await self._store.webhooks(player, ("mail",))), None)

    async def _linked(self, secret: str) -> tuple[HookRow, Mailbox, str] | None:
        """Return the row and the mailbox that a link names, and the secret in the link; None for an invalid link."""
        name, _, code = secret.partition(".")
        if not (code.isascii() and name.isascii()):
            return None
        row = await self._store.webhook(HookId(name))
        if row is None or row.form != "mail":
            return None
        try:
            return row, self._opened(row), code
        except MailOff:
            return None

    def _opened(self, row: HookRow) -> Mailbox:
        try:
            return Mailbox.read(self._webhooks.sealer().open(row.secret))
        except (KeyUnusable, WebhooksOff):
            raise MailOff from None
