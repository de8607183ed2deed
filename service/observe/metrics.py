"""The Prometheus metrics of a running service, each with its meaning beside it.

A process has one `Metrics`, in a registry of its own. No label says who anybody is or which game it was: the values of
every label are few, and known from the code, the rule books and the settings. Times are in seconds.
"""

import asyncio
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from importlib.metadata import version
from itertools import product
from typing import Final, Literal

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.exposition import choose_encoder

from service.base.clock import utc_now

Outcome = Literal["accepted", "repeated", "refused", "conflict", "turned-away", "failed"]
"""What became of a command: `conflict` is a version that had passed or a lost race, `turned-away` everything else that
was the caller's fault, `failed` what was the service's."""

OUTCOMES: Final[tuple[Outcome, ...]] = ("accepted", "repeated", "refused", "conflict", "turned-away", "failed")
KINDS: Final = (
    *("create", "fork", "take-seat", "leave-seat", "seat-bot", "remove-bot", "start", "cancel", "depart", "hand-on"),
    *("command", "upgrade", "leave-answer", "revoke-answer", "ask-take-back", "answer-take-back"),
    *("name-official", "release-official", "resume", "rule"),
    *("assign-seat", "confirm-seat", "offer-seat", "withdraw-offer", "accept-seat", "resign"),
    *("set-clock", "give-time", "take-day-off", "claim-flag", "fall", "credit-outage"),
    *("propose-end", "answer-end", "abandon", "expire"),
)
"""The kinds of requests to games; an undo is a command."""

STREAMS: Final = ("sse", "websocket")
METHODS: Final = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "WEBSOCKET"))

APPEND_BUCKETS: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 3, 10)
REQUEST_BUCKETS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
DELAY_BUCKETS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5)
LATENESS_BUCKETS: Final = (0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 30, 60, 300, 3600)

# A second series per counter, with the time of its birth, tells nothing that the process's start does not.
disable_created_metrics()


class Cache:
    """The counters of one cache: how often a lookup found something, and how often not."""

    def __init__(self, requests: Counter, name: str) -> None:
        self.hit: Callable[[], None] = requests.labels(name, "hit").inc
        self.miss: Callable[[], None] = requests.labels(name, "miss").inc


class Metrics:
    """The metrics of one process, as attributes."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        self._gauge("tabularium_info", "The version of the package; the value is 1.", "version").labels(
            version("tabularium")
        ).set(1)

        # --- the log ---
        self.append_seconds = self._histogram(
            "tabularium_append_seconds", "Time from handing an append to the store to its commit.", APPEND_BUCKETS
        )
        self.appends = self._counter("tabularium_appends", "Appends handed to the store.", "outcome")
        self.events = self._counter("tabularium_events_appended", "Events that this process appended to the log.")
        self.commands = self._counter("tabularium_commands", "Commands given in games.", "kind", "outcome")
        self.refusals = self._counter("tabularium_refusals", "Commands refused.", "ruleset", "rule")
        # Looked up once: to find a labelled metric takes longer than to change it.
        self._appends = {
            outcome: self.appends.labels(outcome)
            for outcome in ("accepted", "repeated", "conflict", "turned-away", "failed")
        }
        self._commands: dict[tuple[str, Outcome], Counter] = {
            each: self.commands.labels(*each) for each in product(KINDS, OUTCOMES)
        }

        # --- requests and streams ---
        self.requests = self._counter("tabularium_http_requests", "Requests answered.", "method", "route", "status")
        self.request_seconds = self._histogram(
            "tabularium_http_request_seconds",
            "Time to answer a request; streams are not in it.",
            REQUEST_BUCKETS,
            "method",
            "route",
        )
        self.stream_clients = self._gauge("tabularium_stream_clients", "Clients that follow a game.", "kind")
        self.stream_events = self._counter("tabularium_stream_events", "Events sent to stream clients.", "kind")
        self.stream_delay = self._histogram(
            "tabularium_stream_delay_seconds",
            "Time from recording an event, in whatever process, to sending it; of events that clients waited for.",
            DELAY_BUCKETS,
            "kind",
        )
        for kind in STREAMS:
            self.stream_clients.labels(kind)
            self.stream_events.labels(kind)
            self.stream_delay.labels(kind)
        self._request_counters: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self.rate_limited = self._counter("tabularium_rate_limited", "Requests turned away with 429.", "by")
        for by in ("token", "address", "registration"):
            self.rate_limited.labels(by)

        # --- connections ---
        self.connections = self._gauge("tabularium_connections", "Connections that are open, streams among them.")
        self.connections_ended = self._counter(
            "tabularium_connections_ended",
            "Connections that the service ended, by the reason: a problem, `silent`, `unread` or `talkative`.",
            "why",
        )

        self.loop_delay = self._histogram(
            "tabularium_loop_delay_seconds",
            "How late the process does what it should: everybody waits so long, for work that does not pause.",
            DELAY_BUCKETS,
        )

        self.clock_lateness = self._histogram(
            "tabularium_clock_lateness_seconds",
            "How long after its deadline and grace a flag fell that this process let fall.",
            LATENESS_BUCKETS,
        )

        # --- deliveries to webhooks ---
        self.webhook_attempts = self._counter(
            "tabularium_webhook_attempts",
            "Requests to webhooks that this process sent, by what came of them: `delivered`, `failed`, `unanswered`.",
            "result",
        )
        self.notices = self._counter(
            "tabularium_notices",
            "What this process told persons: by the way, `push` or `mail`, and by what came of it; `passed` when"
            " it was not worth telling any more.",
            "way",
            "result",
        )
        self.webhook_lateness = self._histogram(
            "tabularium_webhook_lateness_seconds",
            "How long after it was due an event was first sent to a webhook by this process.",
            LATENESS_BUCKETS,
        )
        self.webhooks_waiting = self._gauge(
            "tabularium_webhooks_waiting", "What waits to be sent to webhooks; NaN when that cannot be told now."
        )

        self.dumps_added = self._gauge(
            "tabularium_dumps_added_timestamp_seconds", "When dumps were last added; NaN when there are none."
        )

        # --- data in memory ---
        self.games_in_memory = self._gauge("tabularium_games_in_memory", "Games that this process keeps in memory.")
        self.cache_requests = self._counter("tabularium_cache_requests", "Lookups in a cache.", "cache", "result")

        # --- what the service stands on ---
        self.database_connections = self._gauge(
            "tabularium_database_connections", "Connections to the database for reading, by state.", "state"
        )
        self.standby_reads = self._counter(
            "tabularium_standby_reads",
            "Reads of the past with a standby: it `answered`, or the primary did because it was `behind` or `away`.",
            "outcome",
        )
        self.archive_reads = self._counter(
            "tabularium_archive_reads",
            "Segments of archived games that were read, by what came of it: `read`, `missing`, `damaged`, or `away`"
            " when the archive did not answer.",
            "outcome",
        )
        for outcome in ("read", "missing", "damaged", "away"):
            self.archive_reads.labels(outcome)
        self.store_full = self._gauge(
            "tabularium_store_full", "1 when a write has just found no room on the disk of the database, 0 otherwise."
        )
        self.store_damaged = self._gauge(
            "tabularium_store_damaged",
            "1 when the database was found damaged and nothing is stored any more, 0 otherwise.",
        )
        self.redis_up = self._gauge(
            "tabularium_redis_up", "1 while Redis is used, 0 while it does not answer; NaN when none is configured."
        )
        self.redis_up.set(math.nan)
        self.signing = self._gauge(
            "tabularium_signing", "1 while the log is signed, 0 while this process cannot sign it; NaN without a key."
        )
        self.signing.set(math.nan)
        self.redis_failures = self._counter(
            "tabularium_redis_failures", "Requests to Redis that failed or took too long."
        )
        self.projection_behind = self._gauge(
            "tabularium_projection_behind_events",
            "Events in the log that a projection has not folded, of ratings results; NaN when that cannot be told now.",
            "projection",
        )
        self.projection_behind_seconds = self._gauge(
            "tabularium_projection_behind_seconds",
            "Age of the oldest event that a projection has not folded; NaN when that cannot be told now.",
            "projection",
        )
        self.projection_stopped = self._gauge(
            "tabularium_projection_stopped", "1 when a projection has stopped at an event.", "projection"
        )

    # --- counting ---

    def cache(self, name: str) -> Cache:
        """Return the counters of one cache."""
        return Cache(self.cache_requests, name)

    def appended(self, outcome: str, seconds: float, events: int) -> None:
        """Count an append and its events, by outcome, and the time that it took."""
        self._appends[outcome].inc()
        self.append_seconds.observe(seconds)
        if outcome == "accepted":
            self.events.inc(events)

    def archive_read(self, outcome: str) -> None:
        """Count a segment that was read, or could not be."""
        self.archive_reads.labels(outcome).inc()

    def commanded(self, kind: str, outcome: Outcome) -> None:
        """Count a request to a game, by its outcome."""
        self._commands[kind, outcome].inc()

    @contextmanager
    def following(self, kind: Literal["sse", "websocket"]) -> Iterator[Callable[[Sequence[str]], None]]:
        """A context in which a client follows a game. It yields a function to call with the `at` of the sent events."""
        clients, began = self.stream_clients.labels(kind), utc_now()
        events, delay = self.stream_events.labels(kind), self.stream_delay.labels(kind)

        def sent(at: Sequence[str]) -> None:
            events.inc(len(at))
            now = utc_now()
            for each in at:
                recorded = datetime.fromisoformat(each)
                if recorded > began:  # the client did not wait for earlier events
                    delay.observe(max(0.0, (now - recorded).total_seconds()))

        clients.inc()
        try:
            yield sent
        finally:
            clients.dec()

    def count_request(self, method: str, route: str, status: int, seconds: float, *, stream: bool = False) -> None:
        """Count a request. `route` is the template of its path, ``unmatched`` when there is none."""
        method = method if method in METHODS else "other"
        counters = self._request_counters.get((method, route, status))
        if counters is None:
            counters = self.requests.labels(method, route, str(status)), self.request_seconds.labels(method, route)
            self._request_counters[method, route, status] = counters
        count, took = counters
        count.inc()
        if not stream:
            took.observe(seconds)

    def watch_pool(self, states: dict[str, Callable[[], int]]) -> None:
        """Let each read of the metrics ask how many connections are in each state."""
        for state, count in states.items():
            self.database_connections.labels(state).set_function(count)

    # --- output ---

    def exposition(self, accept: str) -> tuple[bytes, str]:
        """Return all metrics in the format that an ``Accept`` header asks for, and its media type."""
        encode, media = choose_encoder(accept)
        return encode(self.registry), media

    # --- making ---

    def _counter(self, name: str, what: str, *labels: str) -> Counter:
        return Counter(name, what, labels, registry=self.registry)

    def _gauge(self, name: str, what: str, *labels: str) -> Gauge:
        return Gauge(name, what, labels, registry=self.registry)

    def _histogram(self, name: str, what: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(name, what, labels, registry=self.registry, buckets=buckets)


BEAT: Final = 0.5
"""Seconds between two looks at how late the event loop is."""


async def feel_the_loop(metrics: Metrics) -> None:
    """Measure at intervals how late the event loop is. Never returns."""
    loop = asyncio.get_running_loop()
    while True:
        expected = loop.time() + BEAT
        await asyncio.sleep(BEAT)
        metrics.loop_delay.observe(max(0.0, loop.time() - expected))
