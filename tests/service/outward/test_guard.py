"""Requests to addresses that users chose reach the public internet and nothing else."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import Any

import httpcore
import pytest

from service.outward.addresses import BadTarget, Target, is_public, read_target
from service.outward.post import KEPT_BYTES, MOST_ADDRESSES, MOST_BYTES, Guard, Outward, Unanswered

_CLOSED = """
    0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.254 127.0.0.1 127.1.2.3
    127.255.255.254 168.63.129.16 169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.8 192.0.0.9
    192.0.0.10 192.0.0.170 192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1 192.168.255.255
    192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 224.0.0.251 233.252.0.1 239.255.255.250
    240.0.0.1 255.255.255.255
    :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe
    64:ff9b::c0a8:1 64:ff9b:1::808:808 100::1 2001::1 2001:0:7f00:1:: 2001:2::1 2001:10::1 2001:20::1 2001:db8::1
    2002:7f00:1:: 2002:a9fe:a9fe:: 2002:808:808:: 2620:4f:8000::1 3ffe::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254
    fd12:3456::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 ff0e::1 2606:4700::1111%1
"""
_OPEN = """
    1.1.1.1 8.8.8.8 9.9.9.9 52.0.0.1 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 192.0.1.1 192.167.1.1 198.17.1.1
    198.20.0.1 223.255.255.254 168.63.129.17 2606:4700:4700::1111 2a00:1450:4001::1 2400:cb00::1 64:ff9b::808:808
"""
CLOSED, OPEN = _CLOSED.split(), _OPEN.split()

PUBLIC = "93.184.216.34"

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Network(httpcore.AsyncNetworkBackend):
    """Notes where connections would go, and refuses them."""

    def __init__(self) -> None:
        self.tried: list[str] = []

    async def connect_tcp(self, host: str, *args: Any, **kwargs: Any) -> httpcore.AsyncNetworkStream:
        self.tried.append(host)
        raise httpcore.ConnectError("refused")


def guard(*answers: list[str], anywhere: bool = False) -> tuple[Guard, Network]:
    """Return a guard whose resolver gives these answers, one after another, and what notes its connections."""
    left = [*answers]

    async def resolve(host: str, port: int) -> Iterable[str]:
        return left.pop(0)

    made, network = Guard(resolve, anywhere=anywhere), Network()
    made._network = network
    return made, network


def test_the_table_has_at_least_sixty_addresses() -> None:
    assert len(set(CLOSED)) >= 60


@pytest.mark.parametrize("address", CLOSED)
async def test_an_address_that_is_not_public_is_never_connected_to(address: str) -> None:
    assert not is_public(ip_address(address))
    made, network = guard([address], [PUBLIC, address], [address, PUBLIC])
    for _ in range(3):  # also beside a public one, in any order
        with pytest.raises(Unanswered, match="no answer"):
            await made.connect_tcp("example.org", 443)
    assert network.tried == []


@pytest.mark.parametrize("address", OPEN)
async def test_a_public_address_is_connected_to(address: str) -> None:
    made, network = guard([address])
    with pytest.raises(Unanswered):
        await made.connect_tcp("example.org", 443)
    assert network.tried == [address]


async def test_a_resolver_that_changes_its_answer_gains_nothing() -> None:
    made, network = guard([PUBLIC], ["127.0.0.1"], ["169.254.169.254"])
    for _ in range(3):
        with pytest.raises(Unanswered):
            await made.connect_tcp("rebound.example.org", 443)
    assert network.tried == [PUBLIC], "what was checked is what is connected to, and a name is resolved once"


async def test_a_name_with_many_addresses_is_not_used_against_them() -> None:
    many = [f"8.8.{number}.1" for number in range(100)]
    made, network = guard(many, many[:MOST_ADDRESSES], [])
    for _ in range(3):
        with pytest.raises(Unanswered):
            await made.connect_tcp("many.example.org", 443)
    assert network.tried == many[:3]


async def test_what_is_told_is_the_same_for_every_reason() -> None:
    async def broken(host: str, port: int) -> Iterable[str]:
        raise OSError("no such name")

    told = set()
    for made in (guard(["127.0.0.1"])[0], guard([PUBLIC])[0], guard([])[0], Guard(broken)):
        with pytest.raises(Unanswered) as refused:
            await made.connect_tcp("example.org", 443)
        told.add(str(refused.value))
    assert told == {"no answer"}


@pytest.mark.parametrize(
    "url",
    [
        *(f"https://{'[' + address + ']' if ':' in address else address}/" for address in CLOSED if "%" not in address),
        "http://example.org/",
        "https://example.org:22/",
        "https://example.org:0/",
        "https://example.org:99999/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://0x7f000001/",
        "https://017700000001/",
        "https://127.1/",
        "https://1.2.3/",
        "https://me:secret@example.org/",
        "https://example.org@127.0.0.1/",
        "https://example.org/#part",
        "https://exa mple.org/",
        "https://example.org\\@127.0.0.1/",
        "https://ex\tample.org/",
        "https://example.org/\r\nHost: other",
        "https://bücher.example/",
        "https:///path",
        "https://.example.org/",
        "https://-a.example.org/",
        "https://[::1/",
        "https://[fe80::1%25eth0]/",
        "ftp://example.org/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:6379/_x",
        "example.org/hook",
        "",
        "https://example.org/" + "a" * 2048,
    ],
)
def test_an_address_that_cannot_work_is_refused_when_it_is_read(url: str) -> None:
    with pytest.raises(BadTarget) as refused:
        read_target(url)
    assert refused.value.allowed


def test_an_address_is_read_as_it_is_used() -> None:
    assert read_target("https://Example.org/a?b=%20c") == Target("https", "example.org", 443, "/a?b=%20c")
    assert read_target("https://[2606:4700:4700::1111]:443") == Target("https", "2606:4700:4700::1111", 443, "/")
    assert read_target("http://127.0.0.1:8080/x", anywhere=True) == Target("http", "127.0.0.1", 8080, "/x")


# --- over a socket ---


@asynccontextmanager
async def serving(handle: Handler) -> AsyncIterator[Target]:
    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        yield Target("http", "127.0.0.1", server.sockets[0].getsockname()[1], "/hook")
    finally:
        server.close()


def answering(*pieces: bytes, seen: list[bytes] | None = None, pause: float = 0.0) -> Handler:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if seen is not None:
            seen.append(head)
        try:
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(pause)
        except ConnectionError:
            pass
        writer.close()

    return handle


async def post(target: Target, seconds: float = 10.0, **kwargs: Any) -> Any:
    outward = Outward(anywhere=True, seconds=seconds, **kwargs)
    try:
        return await outward.post(target, {"Content-Type": "application/json"}, b"{}")
    finally:
        outward.close()


async def test_status_and_the_first_kilobyte_of_an_answer_are_kept() -> None:
    body = b"x" * 5000
    head = b"HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nContent-Length: 5000\r\n\r\n"
    async with serving(answering(head, body)) as target:
        answer = await post(target)
    assert (answer.status, answer.retry_after, answer.body) == (503, "120", b"x" * KEPT_BYTES)


async def test_a_redirect_is_an_answer_and_no_way() -> None:
    seen: list[bytes] = []
    head = b"HTTP/1.1 307 Away\r\nLocation: http://127.0.0.1:1/\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"
    async with serving(answering(head, seen=seen)) as target:
        assert [(await post(target)).status for _ in range(2)] == [307, 307]
    assert len(seen) == 2
    assert not any(b"cookie" in each.lower() for each in seen)


async def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    async with serving(answering(b"HTTP/1.1 204 Fine\r\n\r\n")) as target:
        assert (await post(target)).status == 204


@pytest.mark.parametrize(
    "handle",
    [
        answering(b"HTTP/1.1 200 OK\r\n\r\n", *[b"y" * 16384] * (MOST_BYTES // 16384 + 1)),
        answering(b"HTTP/1.1 200 OK\r\nX: " + b"z" * 300_000 + b"\r\n\r\n"),
        answering(*[b"H"] * 50, pause=0.1),
        answering(b"HTTP/1.1 200 OK\r\n\r\n", *[b"y"] * 50, pause=0.1),
        answering(pause=10.0),
        answering(b"SSH-2.0-OpenSSH_9.6\r\n"),
        answering(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123"),
    ],
    ids=["long", "long head", "slow head", "slow body", "silent", "not HTTP", "broken off"],
)
async def test_what_is_long_slow_or_no_answer_is_none(handle: Handler) -> None:
    async with serving(handle) as target:
        with pytest.raises(Unanswered, match="no answer"):
            await post(target, 0.3)


async def test_a_closed_port_and_one_that_speaks_no_tls_are_no_answer() -> None:
    async with serving(answering(b"HTTP/1.1 200 OK\r\n\r\n")) as target:
        with pytest.raises(Unanswered, match="no answer"):
            await post(Target("https", "127.0.0.1", target.port, "/"), 0.3)
    with pytest.raises(Unanswered, match="no answer"):
        await post(target)


async def test_a_resolver_that_hangs_is_no_answer() -> None:
    async def hang(host: str, port: int) -> Iterable[str]:
        await asyncio.sleep(60)
        return []

    with pytest.raises(Unanswered, match="no answer"):
        await post(Target("http", "example.org", 80, "/"), 0.2, resolve=hang)
