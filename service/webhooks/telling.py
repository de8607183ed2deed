"""Puts the webhooks, devices and mailboxes of a running service together with their follower and sender."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from projections.store import ProjectionStore
from service.base.clock import Clock
from service.base.settings import Settings
from service.cluster.lease import Lease
from service.cluster.wake import Wake
from service.games.games import Games
from service.observe.background import background
from service.observe.logging import log
from service.observe.metrics import Metrics
from service.outward.post import Outward
from service.store.protocol import EventStore
from service.store.webhooks import Personal
from service.webhooks.carrying import Carrier, PushCarrier
from service.webhooks.devices import Devices
from service.webhooks.following import Follower
from service.webhooks.mail import Digests, MailCarrier, Server
from service.webhooks.mailboxes import Mailboxes
from service.webhooks.personal import Worth
from service.webhooks.push import PushKey, push_key
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
) -> AsyncIterator[tuple[Webhooks, Devices, Mailboxes]]:
    """Provide the webhooks, devices and mailboxes of a service, and send to them unless other processes do."""
    seal, key, anywhere = sealing(settings), pushing(settings), settings.outward == "anywhere"
    webhooks = Webhooks(store.webhooks, seal, clock, randomness, anywhere=anywhere)
    devices = Devices(store.webhooks, webhooks, key if seal is not None else None, clock, randomness, anywhere=anywhere)
    server = Server.of(settings)
    mailboxes = Mailboxes(store, webhooks, clock, randomness, sends=server is not None and seal is not None)
    if seal is None or not settings.webhooks:
        yield webhooks, devices, mailboxes
        return
    outward = Outward(anywhere=anywhere)
    lease = Lease(rows, "webhooks", store.webhooks.any)
    worth = Worth(store, games, rows, clock)
    carriers: dict[Personal, Carrier] = {"push": PushCarrier(worth, seal, key, outward)} if key is not None else {}
    if server is not None:
        per_hour = float("inf") if settings.smtp_per_hour == "off" else settings.smtp_per_hour
        carriers["mail"] = MailCarrier(worth, seal, server, settings.public_url, clock, per_hour)
    sender = Sender(store, seal, outward, clock, lease, metrics, carriers=carriers)
    webhooks.ring = sender.ring
    follower = Follower(store, games, clock, lease, settings.public_url, sender.ring)
    digests = Digests(store, lease, clock, sender.ring)
    try:
        async with (
            wake.subscribe(None) as bell,
            background("webhooks are sent", follower.run(bell), sender.run(), digests.run()),
        ):
            yield webhooks, devices, mailboxes
    finally:
        outward.close()


def sealing(settings: Settings) -> Sealer | None:
    """Return the sealer. If its key cannot be used, log why and return None: the service runs without webhooks."""
    try:
        return sealer(settings)
    except KeyUnusable as error:
        log.error("no webhook is sent", why=str(error))
        return None


def pushing(settings: Settings) -> PushKey | None:
    """Return the key for pushes. If it cannot be used, log why and return None: the service runs without pushes."""
    try:
        return push_key(settings)
    except KeyUnusable as error:
        log.error("nothing is pushed", why=str(error))
        return None
