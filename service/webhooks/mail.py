"""E-mail: the messages for mailboxes, and sending them by a mail server (SMTP).

A message has no HTML, and nothing that spectators could not read, except that it is the reader's turn. The reader can
unsubscribe with one click (RFC 8058), except in the message that asks for confirmation.
"""

import asyncio
import ipaddress
import ssl
from collections.abc import Callable
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Final
from urllib.parse import unquote, urlsplit

import aiosmtplib
import msgspec
from msgspec import UNSET, Struct

from projections.store import Unavailable
from service.base.clock import Clock, stamp
from service.base.settings import Settings
from service.cluster.lease import Lease
from service.observe.logging import log
from service.outward.post import Answer
from service.store.protocol import EventStore, StoreError
from service.store.webhooks import DeliveryRow, HookRow
from service.webhooks.events import PING, WebhookData, WebhookEvent
from service.webhooks.following import delivery_of
from service.webhooks.personal import DIGEST, Passed, Waiting, Worth, kind_of, page_of, sentence
from service.webhooks.secrets import Sealer

HOST: Final = "mailto:"
"""The host of all e-mail deliveries, for the limits by host. It is not an address."""

SECONDS: Final = 20.0
"""The most seconds for a message, from the connection to the answer."""

AGAIN: Final = 60.0
"""Seconds until the next try when the mail server did not answer or refused the sign-in."""

PERMANENT: Final = 500
"""The least SMTP code that says that the same request will be refused again (RFC 5321, section 4.2.1)."""

REFUSED: Final = 422
"""The status of a message that the mail server refused for good, though not its recipient. It is not sent again."""

DIGEST_HOUR: Final = 7
"""The hour (UTC) from which digests are sent."""

CONFIRM: Final = "/email/confirm/"
LEAVE: Final = "/email/leave/"


class Postponed(Exception):
    """E-mail cannot be sent to anybody for some seconds. `why` is for operators."""

    def __init__(self, seconds: float, why: str) -> None:
        super().__init__(why)
        self.seconds = seconds


class Mailbox(Struct, frozen=True):
    """The address for e-mail of an account, and the secrets in links to it. The store has them encrypted.

    Attributes:
        address: the address.
        confirm: the secret that confirms it.
        leave: the secret that stops e-mail to it.
    """

    address: str
    confirm: str
    leave: str

    def encoded(self) -> str:
        return msgspec.json.encode(self).decode()

    @staticmethod
    def read(text: str) -> "Mailbox":
        """Return what `encoded` wrote."""
        return _mailbox.decode(text)


_mailbox: Final = msgspec.json.Decoder(Mailbox)


class Server(Struct, frozen=True):
    """A mail server from the settings.

    Attributes:
        host: its name.
        port: its port.
        user: the user to sign in as; None to send without signing in.
        password: the password of the user.
        tls: whether it speaks TLS from the first byte on.
        sender: the address that messages come from.
    """

    host: str
    port: int
    user: str | None
    password: str | None
    tls: bool
    sender: str

    @staticmethod
    def of(settings: Settings) -> "Server | None":
        """Return the server of the settings; None when they name none."""
        if not settings.smtp_url:
            return None
        parts = urlsplit(settings.smtp_url)
        tls = parts.scheme == "smtps"
        user, password = (unquote(each) if each is not None else None for each in (parts.username, parts.password))
        port = parts.port or (465 if tls else 587)
        return Server(parts.hostname or "localhost", port, user, password, tls, settings.smtp_from)

    async def send(self, message: EmailMessage, to: str) -> Answer:
        """Give a message to the server. Raises `Postponed` when the server itself fails.

        Return 200 if it took the message, 410 if it refused the recipient for good, `REFUSED` if it refused the message
        for good, and 503 if it may take it later.
        """
        starts: bool | None = None
        if not self.tls and self.password is not None and not _is_local(self.host):
            starts = True  # never send a password unencrypted
        try:
            await aiosmtplib.send(
                message,
                sender=self.sender,
                recipients=[to],
                hostname=self.host,
                port=self.port,
                username=self.user,
                password=self.password,
                use_tls=self.tls,
                start_tls=False if self.tls else starts,
                tls_context=ssl.create_default_context() if not _is_local(self.host) else _unchecked(),
                timeout=SECONDS,
            )
        except aiosmtplib.SMTPRecipientsRefused as error:
            return Answer(410 if error.recipients[0].code >= PERMANENT else 503)
        except aiosmtplib.SMTPDataError as error:
            return Answer(REFUSED if error.code >= PERMANENT else 503)
        except (aiosmtplib.SMTPException, OSError, ValueError) as error:
            code = f" {error.code}" if isinstance(error, aiosmtplib.SMTPResponseException) else ""
            raise Postponed(AGAIN, f"the mail server does not take e-mail: {type(error).__name__}{code}") from None
        return Answer(200)


class MailCarrier:
    """Sends notices to mailboxes."""

    def __init__(
        self, worth: Worth, sealer: Sealer, server: Server, public_url: str, clock: Clock, per_hour: float
    ) -> None:
        """`per_hour` is the most messages that go out in an hour, to all mailboxes together."""
        self._worth = worth
        self._sealer = sealer
        self._server = server
        self._public_url = public_url.rstrip("/")
        self._clock = clock
        self._per_hour = per_hour
        self._times_sent: list[datetime] = []

    async def carry(self, row: DeliveryRow, to: HookRow) -> Answer:
        """Send a message, and return what `Server.send` returns.

        An address whose confirmation was refused for good counts as refused. Raises what `Carrier.carry` raises, and
        `Postponed`.
        """
        mailbox = Mailbox.read(self._sealer.open(to.secret))
        if row.type == PING:
            message = self._asking(to, mailbox)
        elif row.type == DIGEST:
            message = self._listing(to, mailbox, await self._worth.waiting(to))
        else:
            message = await self._telling(row, to, mailbox)
        now = self._clock()
        self._make_room(now)
        message["From"] = f"Tabularium <{self._server.sender}>"
        message["To"] = mailbox.address
        message["Date"] = format_datetime(now)
        message["Message-ID"] = f"<{row.delivery}@{self._server.sender.rpartition('@')[2]}>"
        message["Auto-Submitted"] = "auto-generated"
        answer = await self._server.send(message, mailbox.address)
        return Answer(410) if row.type == PING and answer.status == REFUSED else answer

    def _make_room(self, now: datetime) -> None:
        """Count a message. Raises `Postponed` when the limit of an hour is reached."""
        self._times_sent = [each for each in self._times_sent if now - each < timedelta(hours=1)]
        if len(self._times_sent) >= self._per_hour:
            rest = timedelta(hours=1) - (now - self._times_sent[0])
            raise Postponed(max(1.0, rest.total_seconds()), f"{len(self._times_sent)} e-mails were sent within an hour")
        self._times_sent.append(now)

    def _asking(self, to: HookRow, mailbox: Mailbox) -> EmailMessage:
        if to.status != "new":
            raise Passed("the address is confirmed")
        link = f"{self._public_url}{CONFIRM}{to.webhook}.{mailbox.confirm}"
        text = (
            f"Somebody, probably you, wants Tabularium at {self._public_url} to send e-mail to this address when it is"
            f" their turn in a game.\n\nTo confirm that, open this page:\n{link}\n\nOtherwise do nothing: then no"
            " further e-mail comes, and the address is forgotten after a week.\n"
        )
        return _message("Confirm your e-mail address", text)

    async def _telling(self, row: DeliveryRow, to: HookRow, mailbox: Mailbox) -> EmailMessage:
        event = await self._worth.check(row, to)
        data = event.data
        subject = data.subject
        assert subject is not UNSET
        title = await self._worth.title(subject)
        words = sentence(kind_of(event), data.seats[0] if data.seats is not UNSET else None)
        text = f"{title}\n\n{words}\n\n{self._public_url}{page_of(event)}\n"
        return self._stoppable(f"Your turn: {title}", text, to, mailbox)

    def _listing(self, to: HookRow, mailbox: Mailbox, waiting: Waiting) -> EmailMessage:
        lines = list[str]()
        if waiting.games:
            lines += ["It is your turn:", ""]
            lines += [f"- {title}\n  {self._public_url}/games/{game}" for game, title in waiting.games]
            lines.append("")
        if waiting.unread:
            count = f"{waiting.unread} notification{'s' if waiting.unread > 1 else ''}"
            lines += [f"You have {count} that you have not read:", f"{self._public_url}/", ""]
        subject = f"{len(waiting.games)} games wait for you" if len(waiting.games) > 1 else "What waits for you"
        return self._stoppable(subject, "\n".join(lines), to, mailbox)

    def _stoppable(self, subject: str, text: str, to: HookRow, mailbox: Mailbox) -> EmailMessage:
        """Return a message with links and headers to unsubscribe."""
        link = f"{self._public_url}{LEAVE}{to.webhook}.{mailbox.leave}"
        message = _message(subject, f"{text}\n-- \nTo get no more of these e-mails: {link}\n")
        message["List-Unsubscribe"] = f"<{link}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        return message


class Digests:
    """Writes the deliveries of daily digests to the mailboxes that want one."""

    def __init__(self, store: EventStore, lease: Lease, clock: Clock, ring: Callable[[], None]) -> None:
        self._store = store
        self._lease = lease
        self._clock = clock
        self._ring = ring
        self._done = ""

    async def run(self) -> None:
        """Take a turn once a minute. Other processes may do the same; one works at a time. Never returns."""
        while True:
            try:
                await self.turn()
            except (StoreError, Unavailable) as error:
                log.warning("digests wait", why=str(error))
            await asyncio.sleep(60)

    async def turn(self) -> int:
        """Write today's digests if it is time and nobody has; return how many. Raises `StoreError` or `Unavailable`."""
        now = self._clock()
        day = now.date().isoformat()
        if day == self._done or now.hour < DIGEST_HOUR or not await self._lease.is_held():
            return 0
        at = stamp(self._clock)
        rows = [row for row, _ in await self._store.webhooks.active() if row.form == "mail" and DIGEST in row.events]
        for row in rows:
            # The id follows from the day, so nobody gets two, even if a process is killed.
            await self._store.webhooks.ask(delivery_of(row.webhook, WebhookEvent(DIGEST, at, WebhookData()), at, day))
        self._done = day
        if rows:
            self._ring()
        return len(rows)


def _message(subject: str, text: str) -> EmailMessage:
    message = EmailMessage()
    # A title, which others choose, must not add headers.
    message["Subject"] = " ".join(subject.split())[:200]
    message.set_content(text)
    return message


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _unchecked() -> ssl.SSLContext:
    """Return a context that checks no certificate, for a server on this machine."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
