"""Receivers of webhooks on this machine, and a service's webhooks that are turned by hand."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Any

import msgspec
from cryptography.fernet import Fernet
from msgspec import Struct, field

from domain.kernel.ids import GameId, PlayerId, TournamentId
from projections.store import ProjectionStore
from service.cluster.lease import Lease
from service.outward.post import Outward
from service.store.accounts import PlayerRow
from service.store.backend import backend_of
from service.store.webhooks import About, HookRow, Personal
from service.webhooks.carrying import Carrier, PushCarrier
from service.webhooks.devices import Devices
from service.webhooks.following import Follower
from service.webhooks.mail import Digests, MailCarrier, Server
from service.webhooks.mailboxes import Mailboxes
from service.webhooks.personal import Worth
from service.webhooks.push import PushKey, new_push_key
from service.webhooks.registry import Webhooks, Wish
from service.webhooks.secrets import Sealer
from service.webhooks.sending import Sender
from tests.service.rig import Hands, Rig, fixed_randomness

KEY = Fernet.generate_key().decode()
PUSH_KEY = new_push_key()


class Received(Struct, frozen=True):
    """A request that a receiver got."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


class Receiver(Struct, eq=False):
    """A receiver: what it got, and what it answers by the path. `hang` are paths at which it answers nothing."""

    port: int = 0
    got: list[Received] = field(default_factory=list[Received])
    answers: dict[str, str] = field(default_factory=dict[str, str])
    hang: set[str] = field(default_factory=set[str])

    def url(self, path: str = "/hook") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def types(self, path: str = "/hook") -> list[str]:
        return [each.json["type"] for each in self.got if each.path == path]

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):  # of a sender that was killed
            await self._receive(reader, writer)

    async def _receive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        request, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        body = await reader.readexactly(int(headers["content-length"]))
        path = request.split()[1]
        self.got.append(Received(path, headers, body))
        if path not in self.hang:
            answer = self.answers.get(path, "204 Fine\r\n")
            writer.write(f"HTTP/1.1 {answer}\r\n".encode())
            writer.close()


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    server = await asyncio.start_server(receiver.handle, "127.0.0.1", 0)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()


class Alone:
    """Lends the work to everybody who asks."""

    async def lease(self, holder: str, seconds: float, work: str) -> bool:
        return True


class Telling(Struct, eq=False):
    """The webhooks of a rig's games, with a clock that is put on by hand."""

    rig: Rig
    receiver: Receiver
    clock: Hands
    webhooks: Webhooks
    devices: Devices
    mailboxes: Mailboxes
    digests: Digests
    carriers: dict[Personal, Carrier]
    rows: ProjectionStore
    sealer: Sealer
    outward: Outward
    follower: Callable[[], Follower]
    sender: Callable[[], Sender]

    async def hook(
        self,
        player: PlayerId,
        path: str = "/hook",
        about: About = "account",
        game: GameId | TournamentId | None = None,
        **wish: Any,
    ) -> tuple[HookRow, str]:
        """Return a webhook that has answered its ping, and its secret."""
        made, secret = await self.webhooks.make(player, about, game, Wish(self.receiver.url(path), **wish), None)
        await self.send()
        row = await self.webhooks.one(player, made.webhook)
        assert row.status == "on"
        self.receiver.got.clear()
        return row, secret

    async def follow(self) -> None:
        """Write what is to be sent of all that has happened."""
        follower = self.follower()
        while await follower.turn():
            pass

    async def send(self) -> None:
        """Send what is due, until nothing is."""
        sender = self.sender()
        while await sender.turn():
            await sender.settle()

    async def tell(self) -> None:
        await self.follow()
        await self.send()

    def later(self, **span: float) -> None:
        self.clock.now += timedelta(**span)


@asynccontextmanager
async def telling(
    rig: Rig, receiver: Receiver, seconds: float = 10.0, mail_server: Server | None = None, per_hour: float = 1000
) -> AsyncIterator[Telling]:
    clock, sealer, outward = Hands(), Sealer(lambda: KEY), Outward(anywhere=True, seconds=seconds)
    store = rig.store
    lease = Lease(Alone(), "webhooks", store.webhooks.any)
    webhooks = Webhooks(store.webhooks, sealer, clock, fixed_randomness("hooks"), anywhere=True)
    rows = await backend_of(rig.settings).open_projections()
    key, worth = PushKey(PUSH_KEY, "https://games.example.org"), Worth(store, rig.games, rows, clock)
    devices = Devices(store.webhooks, webhooks, key, clock, fixed_randomness("devices"), anywhere=True)
    carriers: dict[Personal, Carrier] = {"push": PushCarrier(worth, sealer, key, outward)}
    mailboxes = Mailboxes(store, webhooks, clock, fixed_randomness("mailboxes"), sends=True)
    if mail_server is not None:
        carriers["mail"] = MailCarrier(worth, sealer, mail_server, "https://games.example.org", clock, per_hour)
    digests = Digests(store, lease, clock, lambda: None)
    told = Telling(
        rig=rig,
        receiver=receiver,
        clock=clock,
        webhooks=webhooks,
        devices=devices,
        mailboxes=mailboxes,
        digests=digests,
        carriers=carriers,
        rows=rows,
        sealer=sealer,
        outward=outward,
        follower=lambda: Follower(store, rig.games, clock, lease, "https://games.example.org"),
        sender=lambda: Sender(store, sealer, outward, clock, lease, draw=lambda: 0.0, carriers=carriers),
    )
    try:
        yield told
    finally:
        outward.close()
        await rows.close()


async def registered(rig: Rig, *players: PlayerId) -> None:
    """Give players accounts."""
    for player in players:
        await rig.store.accounts.add(PlayerRow(player, player, "2026-11-20T12:00:00.000000Z"))
