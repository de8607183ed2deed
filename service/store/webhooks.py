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
"""The id of a webhook of an account."""

DeliveryId = NewType("DeliveryId", str)
"""The id of a delivery: an event that is to be sent to a webhook."""

About = Literal["account", "game", "tournament", "service"]
Form = Literal["standard", "discord", "slack"]
Personal = Literal["push", "mail"]
"""The form of messages to a person: to a device by web push, or to a mailbox."""

FORMS: Final[tuple[Form, ...]] = get_args(Form)
PERSONAL: Final[tuple[Personal, ...]] = get_args(Personal)

HookStatus = Literal["new", "on", "off"]
DeliveryStatus = Literal["waiting", "delivered", "failed"]


class HookRow(Struct, frozen=True):
    """A webhook.

    Attributes:
        webhook: its id.
        player: the account that owns it.
        about: whether its events are about the account's games and tournaments, one game or tournament, or the service.
        subject: the game or the tournament; empty unless it is about one.
        url: the address to which deliveries go; for a device or a mailbox a digest of it, as the address is secret.
        host: the host of the address.
        form: the form of what is sent.
        events: the types of events that are sent; one that ends with `.*` stands for all that begin so.
        secret: encrypted, the secret that signs deliveries; for a device or a mailbox, its address.
        created: when it was made.
        status: `new` until a ping was answered; then `on`, or `off`.
        why: why it is off.
        since: the place in the log after which its events come.
        old_secret: the secret before, which signs as well until `old_until`; empty for none.
        old_until: the end of `old_secret`.
        failing_since: the time of the first failure since the last success; empty for none.
        failures: how many failures there were since the last success.
        hold: nothing is sent before this time.
        token: the session or token with which a device was added, or the sign-in of the app that made the webhook.
            When it is revoked, the webhook is deleted.
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
        webhook: the webhook to which it is sent.
        type: the type of the event.
        body: the content in the standard form.
        made: when it was made.
        due: when it is sent next.
        status: its outcome; `passed` when nobody needed it any more.
        attempts: how often it was sent.
        before: how many of these attempts came before it was last replayed.
        number: deliveries of later events have greater numbers. The store gives it.
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
    """An attempt to send a delivery, and the answer: its status (0 for no answer) and the beginning of its body."""

    delivery: DeliveryId
    number: int
    at: str
    status: int
    answer: str


class Outcome(Struct, frozen=True):
    """What an attempt changes.

    Attributes:
        attempt: the attempt.
        webhook: the webhook to which it went.
        status: the status of the delivery now.
        due: when the delivery is sent next.
        failing: whether the attempt failed.
        recovers: whether the webhook had failed before, and this attempt did not.
        hold: nothing is sent to the webhook before this time.
        turns: what the webhook becomes: `on` when a ping was answered, `off` when it is given up, `gone` when it is
            deleted; None for no change.
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
    """The webhooks and hosts to which nothing more is sent now, and the deliveries that are being sent."""

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
        """Return a webhook, or None."""
        ...

    async def made_with(self, key: str) -> HookRow | None:
        """Return the webhook that an idempotency key made, or None."""
        ...

    async def webhooks(self, player: PlayerId, forms: Collection[Form | Personal] = FORMS) -> list[HookRow]:
        """Return the webhooks of an account that have one of these forms, the newest first."""
        ...

    async def active(self) -> list[tuple[HookRow, tuple[Scope, ...]]]:
        """Return the webhooks of open accounts that are on, with the scopes of the accounts."""
        ...

    async def any(self) -> bool:
        """Tell whether there is any webhook."""
        ...

    async def sealed(self) -> list[HookRow]:
        """Return all webhooks, with their encrypted secrets."""
        ...

    async def reseal(self, row: HookRow, was: bytes) -> None:
        """Replace the encrypted secrets of a webhook by those of `row`, unless its secret is no longer `was`."""
        ...

    async def change(self, row: HookRow, *deliveries: DeliveryRow) -> None:
        """Change a webhook, and store new deliveries to it. Unless it is on, deliveries that waited have failed."""
        ...

    async def rotate(self, row: HookRow, was: bytes, key: str) -> HookRow | None:
        """Give a webhook the secrets of `row`, unless its secret is no longer `was`; `key` came with the request.

        Returns the stored webhook, or None when it was deleted.
        """
        ...

    async def rotated(self, webhook: HookId) -> str:
        """Return the key that came with the last rotation; empty for none."""
        ...

    async def remove(self, webhook: HookId) -> None:
        """Delete a webhook, with its deliveries and their attempts."""
        ...

    async def place(self) -> Place:
        """Return the place up to which the log was read."""
        ...

    async def advance(self, at: Place, to: str, deliveries: Sequence[DeliveryRow]) -> bool:
        """Store deliveries and the new place `to`. If the stored place is no longer `at`, store nothing; return False.

        A delivery that is stored already stays as it is.
        """
        ...

    async def ask(self, delivery: DeliveryRow) -> None:
        """Store a delivery that follows from no event."""
        ...

    async def due_deliveries(self, now: str, busy: Busy, limit: int) -> list[tuple[DeliveryRow, HookRow]]:
        """Return deliveries that are due, the longest due first, without those that `busy` excludes."""
        ...

    async def record(self, outcomes: Sequence[Outcome]) -> None:
        """Store the outcomes of attempts. An attempt that is stored already changes nothing."""
        ...

    async def deliveries(
        self, webhook: HookId, status: DeliveryStatus | None, before: int | None, limit: int
    ) -> list[DeliveryRow]:
        """Return deliveries to a webhook, the newest first: those with a number less than `before`."""
        ...

    async def delivery(self, webhook: HookId, delivery: DeliveryId) -> DeliveryRow | None:
        """Return a delivery to a webhook, or None."""
        ...

    async def attempts(self, deliveries: Collection[DeliveryId]) -> list[AttemptRow]:
        """Return the attempts of deliveries, by delivery, the earliest first."""
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
        """Let deliveries to a webhook that do not wait be sent again; return how many. A ping only if it is named."""
        ...

    async def retell(self, webhook: HookId, events: Sequence[str]) -> None:
        """Set the types of events that are sent to a webhook. Deliveries that wait stay."""
        ...

    async def turn_on(self, webhook: HookId, since: str) -> None:
        """Switch a new webhook on, for events after a place in the log."""
        ...

    async def count(self, key: str, day: str) -> int:
        """Count something of a day; return how often it was, with this time."""
        ...

    async def forget_counts(self, day: str) -> None:
        """Delete what was counted before a day."""
        ...

    async def forget_new(self, before: str) -> None:
        """Delete devices and mailboxes that were made before a time and still have the status `new`."""
        ...

    async def forget(self, before: str, limit: int) -> int:
        """Delete deliveries that were made before a time and do not wait; return how many, `limit` at most."""
        ...

    async def waiting(self) -> tuple[int, str]:
        """Return how many deliveries wait to be sent, and the earliest time at which one is due; empty for none."""
        ...
