"""The webhooks of a running service, put together: what owners see, the follower and the sender."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from projections.store import ProjectionStore
from service.base.clock import Clock
from service.base.settings import Settings
from service.cluster.wake import Wake
from service.games.games import Games
from service.observe.background import background
from service.observe.logging import log
from service.observe.metrics import Metrics
from service.outward.post import Outward
from service.store.protocol import EventStore
from service.webhooks.following import Follower
from service.webhooks.lease import Lease
from service.webhooks.registry import Webhooks
from service.webhooks.secrets import KeyUnusable, Sealer, sealer
from service.webhooks.sending import Sender


@asynccontextmanager
async def telling(
    settings: Settings,
    store: EventStore,
    games: Games,
    rows: ProjectionStore,
    wake: Wake,
    clock: Clock,
    randomness: Callable[[int], bytes],
    metrics: Metrics,
) -> AsyncIterator[Webhooks]:
    """Lend the webhooks of a service, and send them unless the settings leave that to other processes."""
    seal, anywhere = sealing(settings), settings.outward == "anywhere"
    if seal is None or not settings.webhooks:
        yield Webhooks(store.webhooks, seal, clock, randomness, anywhere=anywhere)
        return
    outward = Outward(anywhere=anywhere)
    lease = Lease(rows, "webhooks", store.webhooks.any)
    sender = Sender(store, seal, outward, clock, lease, metrics)
    follower = Follower(store, games, clock, lease, settings.public_url, sender.ring)
    try:
        async with (
            wake.subscribe(None) as bell,
            background("webhooks are sent", follower.run(bell), sender.run()),
        ):
            yield Webhooks(store.webhooks, seal, clock, randomness, anywhere=anywhere, ring=sender.ring)
    finally:
        outward.close()


def sealing(settings: Settings) -> Sealer | None:
    """Return what encrypts secrets; None, and why in the log, when the key cannot be used: games go on."""
    try:
        return sealer(settings)
    except KeyUnusable as error:
        log.error("no webhook is sent", why=str(error))
        return None
