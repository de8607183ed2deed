"""The stored data of webhooks: their addresses, the deliveries to them, and the answers.

The devices and mailboxes of accounts are stored like webhooks, and messages to them are deliveries like others.

A delivery is written when its event was read in the log, together with the place up to which the log was read. So none
is lost or made twice, whichever process is killed. It is sent later, at least once.

Times are stamps of `service.base.clock`, which sort as text; an empty text stands for no time.
"""

from collections.abc import Collection, Sequence
from typing import Final, Literal, NewType, Protocol, get_args

from msgspec import Struct

from domain.kernel.ids import GameId, PlayerId, TournamentId
from service.base.scopes import Scope
from service.store.accounts import TokenId

HookId = NewType("HookId", str)
"""A webhook of an account."""

DeliveryId = NewType("DeliveryId", str)
"""An event that is to be sent to a webhook."""

About = Literal["account", "game", "tournament", "service"]
Form = Literal["standard", "discord", "slack"]
Personal = Literal["push", "mail"]
"""What tells a person: a device, by web push, or a mailbox."""

FORMS: Final[tuple[Form, ...]] = get_args(Form)
PERSONAL: Final[tuple[Personal, ...]] = get_args(Personal)

HookStatus = Literal["new", "on", "off"]
DeliveryStatus = Literal["waiting", "delivered", "failed"]


class HookRow(Struct, frozen=True):
    """A webhook.

    Attributes:
        webhook: its id.
        player: whose it is.
        about: of what it tells: of the account's games and tournaments, of one of them, or of the whole service.
        subject: the game or the tournament; empty unless it is about one.
        url: where it goes; of a device or a mailbox a digest of that, as the rest of it is secret.
        host: the host of that.
        form: the form of what is sent.
        events: the types of events that are sent; one that ends with `.*` stands for all that begin so.
        secret: what signs, encrypted; of a device or a mailbox, where it goes.
        created: when it was made.
        status: `new` until a ping was answered; then `on`, or `off`.
        why: why it is off.
        since: the place in the log after which its events come.
        old_secret: what signs beside that for a while; empty for nothing.
        old_until: until when.
        failing_since: the first of the failures in a row until now.
        failures: how many there were.
        hold: before this nothing is sent.
        token: of a device, the session or token with which it was added; of what an app made, its sign-in. It goes
            when that is revoked.
    """

    webhook: HookId
    player: PlayerId
    about: About
    subject: GameId | TournamentId | Literal[""]
    url: str
    host: str
    form: Form | Personal
    events: tuple[str, ...]
    secret: bytes
    created: str
    status: HookStatus = "new"
    why: str = ""
    since: str = ""
    old_secret: bytes = b""
    old_until: str = ""
    failing_since: str = ""
    failures: int = 0
    hold: str = ""
    token: TokenId | Literal[""] = ""


class DeliveryRow(Struct, frozen=True):
    """An event that is to be sent to a webhook.

    Attributes:
        delivery: its id, a digest of the webhook and the event; the receiver knows it as `webhook-id`.
        webhook: where it goes.
        type: the type of the event.
        body: what is sent in the standard form.
        made: when it was made.
        due: when it is sent next.
        status: its outcome; `passed` when nobody needed it any more.
        attempts: how often it was sent.
        before: how many of these were before it was asked for again.
        number: deliveries of later events have greater ones. The store gives it.
    """

    delivery: DeliveryId
    webhook: HookId
    type: str
    body: str
    made: str
    due: str
    status: DeliveryStatus | Literal["passed"] = "waiting"
    attempts: int = 0
    before: int = 0
    number: int = 0


class AttemptRow(Struct, frozen=True):
    """That a delivery was sent, and what was answered: the status, 0 for no answer, and the beginning of the body."""

    delivery: DeliveryId
    number: int
    at: str
    status: int
    answer: str


class Outcome(Struct, frozen=True):
    """What an attempt changes.

    Attributes:
        attempt: the attempt.
        webhook: where it went.
        status: what the delivery is now.
        due: when it is sent next.
        failing: whether it failed.
        recovers: whether the webhook had failed before.
        hold: before this nothing is sent to the webhook.
        turns: what the webhook becomes: `on` when a ping was answered, `off` when it is given up, `gone` when it is
            deleted with that; None for no change.
        why: why it is off.
        since: the place in the log after which the events of one that is on come.
    """

    attempt: AttemptRow
    webhook: HookId
    status: DeliveryStatus | Literal["passed"]
    due: str
    failing: bool
    recovers: bool = False
    hold: str = ""
    turns: Literal["on", "off", "gone"] | None = None
    why: str = ""
    since: str = ""


class Place(Struct, frozen=True):
    """The place up to which the log was read, and how often webhooks had been switched on by then."""

    place: str
    changes: int


class Busy(Struct, frozen=True):
    """To whom nothing more is sent now, and what is being sent."""

    webhooks: Collection[HookId] = ()
    hosts: Collection[str] = ()
    deliveries: Collection[DeliveryId] = ()


class HookStore(Protocol):
    """The webhooks of a store. Every method may raise `StoreError`."""

    async def add(self, row: HookRow, ping: DeliveryRow, key: str, fingerprint: bytes, most: int) -> HookRow:
        """Store a webhook and its first ping; return it, or the one that this key made before.

        Without a `key` (empty) none was made before. Raises `LimitReached` when the account has `most` of this kind:
        webhooks, devices or mailboxes. Raises `KeyReused` when the key came with another request.
        """
        ...

    async def webhook(self, webhook: HookId) -> HookRow | None:
        """Return a webhook."""
        ...

    async def made_with(self, key: str) -> HookRow | None:
        """Return what a key made."""
        ...

    async def webhooks(self, player: PlayerId, forms: Collection[Form | Personal] = FORMS) -> list[HookRow]:
        """Return what an account has of some forms, the newest first."""
        ...

    async def active(self) -> list[tuple[HookRow, tuple[Scope, ...]]]:
        """Return the webhooks that are on, with the scopes of their accounts."""
        ...

    async def any(self) -> bool:
        """Tell whether there is any webhook."""
        ...

    async def sealed(self) -> list[HookRow]:
        """Return all webhooks."""
        ...

    async def reseal(self, row: HookRow, was: bytes) -> None:
        """Keep the secrets of a webhook encrypted in another way, unless its secret is no longer what it `was`."""
        ...

    async def change(self, row: HookRow, *deliveries: DeliveryRow) -> None:
        """Give a webhook other values, and store what is to be sent to it. What waited has failed unless it is on."""
        ...

    async def rotate(self, row: HookRow, was: bytes, key: str) -> HookRow | None:
        """Give a webhook another secret, unless that is no longer what it `was`; `key` came with the request.

        Returns what it is then, or None when it is gone.
        """
        ...

    async def rotated(self, webhook: HookId) -> str:
        """Return the key that came with the last rotation."""
        ...

    async def remove(self, webhook: HookId) -> None:
        """Delete a webhook, with all that was sent to it."""
        ...

    async def place(self) -> Place:
        """Return the place up to which the log was read."""
        ...

    async def advance(self, at: Place, to: str, deliveries: Sequence[DeliveryRow]) -> bool:
        """Store deliveries, and that the log was read further; return False, without either, when it moved `at`.

        A delivery that is there already is left alone.
        """
        ...

    async def ask(self, delivery: DeliveryRow) -> None:
        """Store a delivery that follows from no event."""
        ...

    async def due_deliveries(self, now: str, busy: Busy, limit: int) -> list[tuple[DeliveryRow, HookRow]]:
        """Return deliveries that are due, the first first, but none to whom is busy."""
        ...

    async def record(self, outcomes: Sequence[Outcome]) -> None:
        """Store what attempts have changed. An attempt that is stored already changes nothing."""
        ...

    async def deliveries(
        self, webhook: HookId, status: DeliveryStatus | None, before: int | None, limit: int
    ) -> list[DeliveryRow]:
        """Return deliveries to a webhook, the newest first: those with numbers before one."""
        ...

    async def delivery(self, webhook: HookId, delivery: DeliveryId) -> DeliveryRow | None:
        """Return a delivery to a webhook."""
        ...

    async def attempts(self, deliveries: Collection[DeliveryId]) -> list[AttemptRow]:
        """Return the attempts of deliveries, the first first."""
        ...

    async def replay(
        self,
        webhook: HookId,
        now: str,
        *,
        delivery: DeliveryId | None = None,
        failed: bool = False,
        since: str | None = None,
        until: str | None = None,
    ) -> int:
        """Send deliveries to a webhook again that do not wait, and return how many; no pings unless one is named."""
        ...

    async def retell(self, webhook: HookId, events: Sequence[str]) -> None:
        """Give a webhook other events. What waits to be sent stays."""
        ...

    async def turn_on(self, webhook: HookId, since: str) -> None:
        """Switch a new webhook on, for what comes after a place in the log."""
        ...

    async def count(self, key: str, day: str) -> int:
        """Count something of a day; return how often it was, with this time."""
        ...

    async def forget_counts(self, day: str) -> None:
        """Delete what was counted before a day."""
        ...

    async def forget_new(self, before: str) -> None:
        """Delete devices and mailboxes that were made before a time and are new still."""
        ...

    async def forget(self, before: str, limit: int) -> int:
        """Delete deliveries that were made before a time and do not wait; return how many, `limit` at most."""
        ...

    async def waiting(self) -> tuple[int, str]:
        """Return how many deliveries wait to be sent, and when the first of them was due."""
        ...
