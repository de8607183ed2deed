"""The sender: it sends deliveries that are due, in one process at a time, and stores the answers.

Deliveries wait in rows by due time. If a process is killed before it has stored an answer, the delivery is sent again,
with the same id. A dead or slow receiver delays no other: only a few deliveries at a time go to one webhook and to one
host, and a delivery that takes long gives up its place.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from projections.store import Unavailable
from service.base.clock import Clock, later, stamp, stamped, written
from service.cluster.lease import Lease
from service.observe.logging import log
from service.observe.metrics import Metrics
from service.outward.addresses import BadTarget, read_target
from service.outward.post import Answer, Outward, Unanswered
from service.store.protocol import EventStore, StoreError
from service.store.webhooks import (
    PERSONAL,
    About,
    AttemptRow,
    Busy,
    DeliveryId,
    DeliveryRow,
    HookId,
    HookRow,
    Outcome,
    Personal,
)
from service.webhooks.carrying import Carrier
from service.webhooks.chat import formed
from service.webhooks.events import PING, SWITCHED_OFF, WebhookData, WebhookEvent, read_event, wants
from service.webhooks.following import delivery_of
from service.webhooks.mail import REFUSED, Postponed
from service.webhooks.personal import Passed
from service.webhooks.schedule import Random, hold, is_given_up, next_due, succeeded
from service.webhooks.secrets import KeyUnusable, Sealer

PER_HOOK: Final[Mapping[About, int]] = {"account": 1, "game": 1, "tournament": 1, "service": 8}
"""The most deliveries to one webhook at a time. Sent one after another, they arrive in the order of their events until
one fails. A webhook about the whole service would not keep up like that, so its order is not kept."""

PER_HOST: Final = 16
"""The most deliveries to one host at a time, for all accounts together."""

PLACES: Final = 256
"""The most deliveries at a time, without those that take long."""

LONG: Final = 2.0
"""Seconds after which a delivery takes long, and gives up its place."""

MOST: Final = 900
"""The most deliveries at a time in all. Each has a connection."""

PAGE: Final = 100
"""The most rows that are read at once."""

TICK: Final = 0.5
"""The most seconds between two looks for due deliveries."""

GATHER: Final = 0.02
"""The least seconds between two looks: answers that arrive meanwhile make room together."""

KEPT_DAYS: Final = 30
"""Days for which deliveries that have arrived or failed are kept."""

NEW_FOR: Final = timedelta(days=7)
"""How long a device that never answered, or an unconfirmed address, is kept."""

SWEEP: Final = 600.0
"""Seconds between two deletions of old deliveries, devices and addresses."""


class Flight(Struct, eq=False):
    """A delivery that is being sent. One that `rests` has failed already; its owner must not see how quickly."""

    row: DeliveryRow
    webhook: HookRow
    began: float
    rests: bool = False


class Sender:
    """Sends deliveries."""

    def __init__(
        self,
        store: EventStore,
        sealer: Sealer,
        outward: Outward,
        clock: Clock,
        lease: Lease,
        metrics: Metrics | None = None,
        draw: Random = random.random,
        monotonic: Callable[[], float] = time.monotonic,
        carriers: Mapping[Personal, Carrier] | None = None,
    ) -> None:
        """`carriers` send notices to people, by the form of the delivery."""
        self._store = store
        self._hooks = store.webhooks
        self._sealer = sealer
        self._outward = outward
        self._clock = clock
        self._lease = lease
        self._metrics = metrics or Metrics()
        self._draw = draw
        self._monotonic = monotonic
        self._carriers = carriers or {}
        self._flights: dict[DeliveryId, Flight] = {}
        self._to_hook: Counter[HookId] = Counter()
        self._to_host: Counter[str] = Counter()
        self._paused: dict[str, float] = {}
        """Hosts to which nothing is sent for a while, and until when."""
        self._tasks = set[asyncio.Task[None]]()
        self._outbox: list[tuple[Flight, Outcome]] = []
        self._writing: asyncio.Task[None] | None = None
        self._rung = asyncio.Event()
        self._swept = -SWEEP

    def ring(self) -> None:
        """Wake the sender: a delivery may be due."""
        self._rung.set()

    async def run(self) -> None:
        """Send until cancelled. Other processes may do the same; one works at a time."""
        last_trouble = ""
        try:
            while True:
                self._rung.clear()
                try:
                    await self.turn()
                    last_trouble = ""
                except (StoreError, Unavailable) as error:
                    if str(error) != last_trouble:
                        last_trouble = str(error)
                        log.warning("webhooks wait", why=last_trouble)
                except Exception:  # unexpected: try again
                    log.exception("webhooks wait")
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._rung.wait(), TICK)
                await asyncio.sleep(GATHER)
        finally:
            for task in self._tasks:
                task.cancel()
            with suppress(Unavailable):
                await self._lease.give_back()

    async def turn(self) -> int | None:
        """Begin to send the due deliveries for which there is room; return how many, or None if another process sends.

        Raises `StoreError` or `Unavailable`.
        """
        if not await self._lease.is_held():
            return None
        await self._sweep()
        count = 0
        while (room := self._room()) > 0:
            deliveries = await self._hooks.due_deliveries(stamp(self._clock), self._busy(), min(room, PAGE))
            before = count
            for row, webhook in deliveries:
                if row.delivery not in self._flights and self._has_room(webhook):
                    self._begin(Flight(row, webhook, self._monotonic()))
                    count += 1
            if count == before:
                break
        return count

    async def settle(self) -> None:
        """Wait until all deliveries that were begun have ended and their outcomes are stored."""
        while self._tasks or self._writing is not None:
            await asyncio.wait([*self._tasks, *([self._writing] if self._writing is not None else [])])

    # --- limits on deliveries at a time ---

    def _room(self) -> int:
        long_ago = self._monotonic() - LONG
        quick = sum(not flight.rests and flight.began > long_ago for flight in self._flights.values())
        return min(PLACES - quick, MOST - sum(not flight.rests for flight in self._flights.values()))

    def _busy(self) -> Busy:
        full = {each.webhook.webhook for each in self._flights.values() if not self._has_room(each.webhook)}
        now = self._monotonic()
        self._paused = {host: until for host, until in self._paused.items() if until > now}
        hosts = [host for host, count in self._to_host.items() if count >= PER_HOST and host not in self._paused]
        hosts += self._paused
        others = [row for row, flight in self._flights.items() if flight.webhook.webhook not in full]
        return Busy([*full], hosts, others)

    def _has_room(self, webhook: HookRow) -> bool:
        if webhook.host in self._paused:
            return False
        to_hook = self._to_hook[webhook.webhook]
        return to_hook < (1 if webhook.failures else PER_HOOK[webhook.about]) and self._to_host[webhook.host] < PER_HOST

    # --- sending ---

    def _begin(self, flight: Flight) -> None:
        self._flights[flight.row.delivery] = flight
        self._to_hook[flight.webhook.webhook] += 1
        self._to_host[flight.webhook.host] += 1
        task = asyncio.create_task(self._send(flight))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _end(self, flight: Flight) -> None:
        del self._flights[flight.row.delivery]
        # Subtracting a counter also drops the entries that reach 0.
        self._to_hook -= Counter([flight.webhook.webhook])
        self._to_host -= Counter([flight.webhook.host])

    async def _send(self, flight: Flight) -> None:
        row, webhook, at = flight.row, flight.webhook, stamp(self._clock)
        if row.attempts == row.before:
            self._metrics.webhook_lateness.observe((stamped(at) - stamped(max(row.made, row.due))).total_seconds())
        answer = None
        try:
            answer = await self._carry(row, webhook)
        except Passed as passed:
            attempt = AttemptRow(row.delivery, row.attempts + 1, at, 0, str(passed))
            self._note(flight, Outcome(attempt, row.webhook, "passed", row.due, failing=False))
            return
        except (Unanswered, BadTarget, KeyUnusable) as error:
            log.info("webhook not answered", webhook=webhook.webhook, why=getattr(error, "why", str(error)))
            # Every unanswered delivery takes the same time, so that nobody learns whether a port is closed or silent.
            flight.rests = True
            await asyncio.sleep(max(0.0, self._outward.seconds - (self._monotonic() - flight.began)))
        except Postponed as postponed:
            log.warning("what is told waits", way=webhook.form, why=str(postponed))
            self._paused[webhook.host] = self._monotonic() + postponed.seconds
            self._end(flight)
            return
        except StoreError as error:  # the title of its game is not known now
            log.warning("webhooks wait", why=str(error))
            self._end(flight)
            return
        turns_on = row.type == PING and webhook.status == "new" and webhook.form != "mail" and succeeded(answer)
        since = ""
        if turns_on:
            since = str(await self._store.end())
        self._note(flight, self._outcome(flight, at, answer, since))

    def _note(self, flight: Flight, outcome: Outcome) -> None:
        """Count the outcome of an attempt, and have it stored."""
        self._count(flight.webhook, outcome)
        self._outbox.append((flight, outcome))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())

    def _count(self, webhook: HookRow, outcome: Outcome) -> None:
        status = outcome.attempt.status
        result = "delivered" if outcome.status == "delivered" else "failed" if status else "unanswered"
        if webhook.form in PERSONAL:
            self._metrics.notices.labels(webhook.form, "passed" if outcome.status == "passed" else result).inc()
        else:
            self._metrics.webhook_attempts.labels(result).inc()

    async def _carry(self, row: DeliveryRow, webhook: HookRow) -> Answer:
        """Send a delivery to its webhook, or by its carrier. Raises what `Carrier.carry` raises, and `Postponed`."""
        if webhook.form not in PERSONAL:
            return await self._post(row, webhook)
        carrier = self._carriers.get(webhook.form)
        if carrier is None:
            raise Passed("this service does not send it any more")
        return await carrier.carry(row, webhook)

    async def _post(self, row: DeliveryRow, webhook: HookRow) -> Answer:
        """Send a delivery to its webhook. Raises `Unanswered`, `BadTarget`, `KeyUnusable` or `StoreError`."""
        title = ""
        if webhook.form != "standard":
            data = read_event(row.body).data
            row_shown = await self._store.game(data.game) if data.game else None
            row_shown = await self._store.tournament(data.tournament) if data.tournament else row_shown
            title = row_shown.title if row_shown is not None else ""
        body = formed(webhook.form, row.body, title)
        headers = self._sealer.headers(webhook, row.delivery, body, self._clock())
        target = read_target(webhook.url, anywhere=self._outward.anywhere)
        return await self._outward.post(target, {"Content-Type": "application/json", **headers}, body.encode())

    def _outcome(self, flight: Flight, at: str, answer: Answer | None, since: str) -> Outcome:
        """Return the outcome of an attempt; `answer` is None if there was none."""
        row, webhook, now = flight.row, flight.webhook, self._clock()
        body = answer.body.decode("utf-8", "replace").replace("\0", "�") if answer is not None else ""
        attempt = AttemptRow(row.delivery, row.attempts + 1, at, answer.status if answer is not None else 0, body)
        if succeeded(answer):
            turns = "on" if since else None
            recovers = webhook.failures > 0
            return Outcome(
                attempt, row.webhook, "delivered", row.due, failing=False, recovers=recovers, turns=turns, since=since
            )
        # A ping is sent once, but a mail server that does not know us yet may ask us to try again later.
        is_mail = webhook.form == "mail"
        once = answer is not None and answer.status == REFUSED if is_mail else row.type == PING
        next_try = next_due(row, answer, now, self._draw) if not once else None
        outcome = Outcome(
            attempt,
            row.webhook,
            "waiting" if next_try is not None else "failed",
            written(next_try) if next_try is not None else row.due,
            failing=row.type != PING,
            hold=written(hold(webhook, answer, now)),
        )
        # With 404 or 410, a push service says that a browser wants no more pushes. Nobody switches it on again.
        ends: Literal["off", "gone"] = "gone" if webhook.form == "push" else "off"
        is_gone = answer is not None and answer.status in ((404, 410) if ends == "gone" else (410,))
        if is_gone and (webhook.status == "on" or webhook.form in PERSONAL):
            return replace(outcome, status="failed", turns=ends, why="gone")
        if webhook.status == "on" and row.type != PING and is_given_up(webhook, now):
            return replace(outcome, status="failed", turns=ends, why="failing")
        return outcome

    # --- storing outcomes ---

    async def _write(self) -> None:
        """Store the outcomes in the outbox, in one commit. If the store fails, try again until it works."""
        try:
            while self._outbox:
                pending, self._outbox = self._outbox, []
                try:
                    await self._hooks.record([outcome for _, outcome in pending])
                    await self._tell(pending)
                except StoreError as error:
                    log.warning("webhooks wait", why=str(error))
                    self._outbox = [*pending, *self._outbox]
                    await asyncio.sleep(TICK)
                    continue
                for flight, _ in pending:
                    self._end(flight)
                self.ring()
        finally:
            self._writing = None

    async def _tell(self, results: list[tuple[Flight, Outcome]]) -> None:
        """Write deliveries about webhooks that were switched off to the other webhooks of their accounts."""
        for flight, outcome in results:
            if outcome.turns != "off":
                continue
            log.warning("webhook switched off", webhook=outcome.webhook, why=outcome.why)
            now = stamp(self._clock)
            event = WebhookEvent(SWITCHED_OFF, now, WebhookData(webhook=outcome.webhook))
            for other in await self._hooks.webhooks(flight.webhook.player):
                if other.status == "on" and other.about == "account" and wants(other.events, SWITCHED_OFF):
                    await self._hooks.ask(delivery_of(other.webhook, event, now, outcome.webhook, outcome.attempt.at))

    async def _sweep(self) -> None:
        now = self._monotonic()
        if now - self._swept < SWEEP:
            return
        self._swept = now
        await self._hooks.forget_new(later(stamp(self._clock), -NEW_FOR))
        await self._hooks.forget_counts(later(stamp(self._clock), -timedelta(days=1))[:10])
        before = later(stamp(self._clock), -timedelta(days=KEPT_DAYS))
        while await self._hooks.forget(before, PAGE) == PAGE:
            pass
