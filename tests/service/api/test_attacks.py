"""Clients that mean harm, or are broken: what they can make the service keep, read and wait for has an end.

They talk to a running service over sockets of their own, in threads. Every one of these tests waits for something that
the service does: an answer, or the end of a connection.
"""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from websockets.exceptions import ConnectionClosed

from service.api.problems.published import KINDS
from service.connections.http import LINGER_BYTES, PIECE, PIPELINED, HttpConnection
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_streams import socket_of

LINE = b"GET /health HTTP/1.1\r\n"
HEAD = LINE + b"Host: tabularium\r\n"
POST = b"POST /v1/players HTTP/1.1\r\nHost: tabularium\r\nContent-Type: application/json\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
MUCH = 64 * 1024 * 1024
"""More than the service reads of anything."""
READ_AT_ONCE = 256 * 1024
"""Bytes that the event loop takes from a socket at once."""


class Answered(Struct, frozen=True):
    """What a client got before the service closed the connection, and how much it could send."""

    raw: bytes
    sent: int

    @property
    def status(self) -> int | None:
        """The status of the first answer; None when there was none."""
        return int(self.raw.split(b" ", 2)[1]) if self.raw else None

    @property
    def statuses(self) -> list[int]:
        return [int(part[:3]) for part in self.raw.split(b"HTTP/1.1 ")[1:]]

    @property
    def headers(self) -> dict[str, str]:
        lines = self.raw.partition(b"\r\n\r\n")[0].decode().split("\r\n")[1:]
        return {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}

    @property
    def problem(self) -> dict[str, Any]:
        return json.loads(self.raw.partition(b"\r\n\r\n")[2])


def opened(service: Service, **options: int) -> socket.socket:
    client = socket.socket()
    for name, value in options.items():
        client.setsockopt(socket.SOL_SOCKET, getattr(socket, name), value)
    client.connect((service.client.base_url.host, service.client.base_url.port))
    client.settimeout(60)
    return client


def read_out(client: socket.socket) -> bytes:
    """Return what comes until the service closes the connection."""
    found = b""
    try:
        while part := client.recv(65_536):
            found += part
    except ConnectionError:
        pass
    return found


def send(client: socket.socket, first: bytes, again: bytes = b"", most: int = MUCH) -> Answered:
    """Send, and send the same bytes again and again, until the service closes the connection or it is `most`."""
    sent = 0
    try:
        client.sendall(first)
        sent = len(first)
        while again and sent < most:
            client.sendall(again)
            sent += len(again)
    except ConnectionError:
        pass
    return Answered(read_out(client), sent)


async def ask(service: Service, first: bytes, again: bytes = b"", most: int = MUCH) -> Answered:
    def whole() -> Answered:
        with opened(service) as client:
            return send(client, first, again, most)

    return await asyncio.to_thread(whole)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def count_of(service: Service) -> int:
    """How many connections the service counts."""
    return int(service.services.metrics.registry.get_sample_value("tabularium_connections") or 0)


def ended(service: Service, why: str) -> float | None:
    return service.services.metrics.registry.get_sample_value("tabularium_connections_ended_total", {"why": why})


@pytest.fixture
async def quick(tmp_path: Path) -> AsyncIterator[Service]:
    """A service that is soon tired of waiting."""
    times: dict[str, Any] = {"header_timeout": 0.3, "body_timeout": 0.3, "write_timeout": 0.3}
    async with serving(tmp_path, durable=False, **times) as service:
        yield service


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of what the service reads over HTTP connections."""
    sizes: list[int] = []
    received = HttpConnection.data_received

    def noted(self: HttpConnection, data: bytes) -> None:
        sizes.append(len(data))
        received(self, data)

    monkeypatch.setattr(HttpConnection, "data_received", noted)
    return sizes


# --- too much ---

X = b"x" * 65_536
ENDLESS = {
    "header": (HEAD + b"X: ", X, 431, "headers-too-large"),
    "header name": (HEAD, X, 431, "headers-too-large"),
    "headers": (HEAD, b"name: value\r\n" * 1000, 431, "headers-too-large"),
    "tiny headers": (HEAD, b"a:\r\n" * 10_000, 431, "headers-too-large"),
    "path": (b"GET /", X, 414, "uri-too-long"),
    "query": (b"GET /v1/games?text=", X, 414, "uri-too-long"),
    "chunk extension": (CHUNKED + b"1;", X, 431, "headers-too-large"),
    "chunk extensions": (CHUNKED, b"1;" + b"x" * 1000 + b"\r\n \r\n", 431, "headers-too-large"),
    "trailer": (CHUNKED + b"0\r\nX: ", X, 431, "headers-too-large"),
    "trailers": (CHUNKED + b"0\r\n", b"name: value\r\n" * 1000, 431, "headers-too-large"),
    "blank lines": (b"", b"\r\n" * 10_000, 400, "malformed-request"),
    "garbage": (b"", bytes(range(256)) * 100, 400, "malformed-request"),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", X, 400, "malformed-request"),
    "body": (POST + b"Content-Length: 99999999999\r\n\r\n", b" " * 65_536, 413, "body-too-large"),
    "body in chunks": (CHUNKED, b"1000\r\n" + b" " * 4096 + b"\r\n", 413, "body-too-large"),
}


@pytest.mark.parametrize("what", ENDLESS)
async def test_a_request_without_end_is_refused_and_the_connection_closed(
    service: Service, read: list[int], what: str
) -> None:
    first, again, status, slug = ENDLESS[what]
    answer = await ask(service, first, again)
    assert answer.status == status, answer.raw[:500]
    kind = next(kind for kind in KINDS if kind.slug == slug)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    said = answer.problem
    assert (said["type"], said["status"], said["title"]) == (kind.type, status, kind.title)
    assert said["instance"] == f"urn:uuid:{answer.headers['request-id']}"
    assert answer.sent < MUCH
    assert sum(read) <= LINGER_BYTES + 2 * READ_AT_ONCE, "it reads on a little, so that the answer is seen"
    assert (await service.client.get("/health")).status_code == 200


async def test_no_more_is_kept_than_the_limits_and_a_piece(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser keeps what it is fed of a header that has not ended: so what it is fed is counted."""
    fed: list[int] = []
    reading = HttpConnection._read

    def noted(self: HttpConnection, piece: bytes | memoryview) -> None:
        fed.append(len(piece))
        reading(self, piece)

    monkeypatch.setattr(HttpConnection, "_read", noted)
    answers = await asyncio.gather(*(ask(service, HEAD + b"X: ", X) for _ in range(4)))
    assert [answer.status for answer in answers] == [431] * 4
    limit = service.services.settings.header_limit
    assert sum(fed) <= 4 * (limit + 2 * PIECE)


async def test_a_request_may_have_exactly_what_the_limits_say(tmp_path: Path) -> None:
    end = b"Connection: close\r\n\r\n"
    async with serving(tmp_path, durable=False, url_limit=256, header_limit=1024, header_count=16) as service:

        def address(length: int) -> bytes:
            return b"GET /nothing?".ljust(4 + length, b"a") + b" HTTP/1.1\r\nHost: x\r\n" + end

        def headers(size: int) -> bytes:
            return LINE + b"X: ".ljust(size - len(end), b"a") + b"\r\n" + end

        def lines(number: int) -> bytes:
            return LINE + b"X: 1\r\n" * (number - 1) + end

        allowed = [address(256), headers(1024), lines(16)]
        assert [(await ask(service, request)).status for request in allowed] == [404, 200, 200]
        too_much = [address(257), headers(1025), lines(17)]
        assert [(await ask(service, request)).status for request in too_much] == [414, 431, 431]
        # However little comes at once.
        for request, status in zip(allowed + too_much, [404, 200, 200, 414, 431, 431], strict=True):
            assert await asyncio.to_thread(by_the_byte, service, request) == status


def by_the_byte(service: Service, request: bytes) -> int | None:
    with opened(service) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            for number in range(len(request)):
                client.sendall(request[number : number + 1])
        except ConnectionError:
            pass
        return Answered(read_out(client), 0).status


async def test_trailers_are_no_headers(service: Service, anna: Player) -> None:
    token = f"Authorization: {anna.headers['authorization']}\r\n".encode()
    request = b"GET /v1/players/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    assert (await ask(service, request + token + b"\r\n")).status == 401


async def test_a_body_in_many_small_chunks_is_still_taken(service: Service) -> None:
    body = json.dumps({"name": "Anna", "more": ""}).replace(', "more": ""', "") + " " * 3000
    chunks = b"".join(b"1\r\n%c\r\n" % character for character in body.encode())
    whole = CHUNKED.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n") + chunks + b"0\r\n\r\n"
    assert (await ask(service, whole)).status == 201


# --- one request after another ---


async def test_requests_in_a_row_are_answered_in_their_order(service: Service) -> None:
    paths = [b"/health", b"/nothing"] * (PIPELINED // 2)
    requests = [b"GET %s HTTP/1.1\r\nHost: x\r\n" % path for path in paths]
    row = b"\r\n".join(requests) + b"Connection: close\r\n\r\n"
    assert (await ask(service, row)).statuses == [200, 404] * (PIPELINED // 2)


async def test_no_endless_row_of_requests_is_kept(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting: list[int] = []
    counted = HttpConnection.on_headers_complete

    def noted(self: HttpConnection) -> None:
        counted(self)
        waiting.append(len(self.pipeline))

    monkeypatch.setattr(HttpConnection, "on_headers_complete", noted)
    answer = await ask(service, b"", (HEAD + b"\r\n") * 1000)
    assert answer.sent < MUCH
    assert max(waiting) <= PIPELINED
    assert len(waiting) < 1000


async def test_garbage_after_a_request_is_not_taken_for_its_answer(service: Service) -> None:
    answer = await ask(service, HEAD + b"\r\n\x00garbage\r\n\r\n")
    assert answer.statuses in ([], [200])


async def test_garbage_ends_a_stream_without_a_word(service: Service, anna: Player) -> None:
    game = await service.gathering(anna)

    def whole() -> bytes:
        with opened(service) as client:
            client.sendall(f"GET /v1/games/{game}/events/stream HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            client.recv(65_536)
            client.sendall(b"\x00garbage")
            return read_out(client)

    assert b"HTTP/1.1" not in await asyncio.to_thread(whole)


# --- too slow ---


def drip(client: socket.socket, first: bytes, again: bytes = b"a") -> Answered:
    """Send, and then a little again and again, until the connection ends."""
    client.sendall(first)
    client.settimeout(0.05)
    found = b""
    while True:
        try:
            client.sendall(again)
            part = client.recv(65_536)
            if not part:
                return Answered(found, 0)
            found += part
        except TimeoutError:
            continue
        except ConnectionError:
            return Answered(found, 0)


@pytest.mark.parametrize(
    ("what", "first"),
    [
        ("headers", b"GE"),
        ("headers", HEAD),
        ("headers", HEAD + b"X: "),
        ("body", POST + b"Content-Length: 1000\r\n\r\n"),
        ("body", CHUNKED + b"100\r\n"),
    ],
)
@pytest.mark.parametrize("patient", [True, False])
async def test_an_unfinished_request_has_a_deadline(quick: Service, what: str, first: bytes, patient: bool) -> None:
    if first == b"GE" and not patient:
        first = b"GET /"  # what comes then is the address

    def whole() -> Answered:
        with opened(quick) as client:
            return send(client, first) if patient else drip(client, first)

    answer = await asyncio.to_thread(whole)
    assert answer.status == 408, answer.raw
    assert answer.problem["type"] == "/problems/request-timeout"
    assert answer.problem["detail"] == f"The {what} of the request did not arrive within 0.3 seconds."
    await until(lambda: not quick.server.server_state.tasks)  # nobody waits for the rest of it


async def test_a_second_request_has_a_deadline_as_well(quick: Service) -> None:
    answer = await ask(quick, HEAD + b"\r\n" + HEAD)
    assert answer.statuses == [200, 408]


async def test_silent_and_idle_connections_are_closed(tmp_path: Path) -> None:
    async with serving(tmp_path, durable=False, header_timeout=0.3, idle_timeout=0.3) as service:

        def with_blank_lines() -> Answered:
            with opened(service) as client:
                return drip(client, HEAD + b"\r\n", b"\r\n")

        assert (await ask(service, b"")).raw == b""
        assert ended(service, "silent") == 1
        assert (await ask(service, HEAD + b"\r\n")).statuses == [200]
        assert (await asyncio.to_thread(with_blank_lines)).statuses == [200], "blank lines are no request"


async def test_a_body_that_nobody_asked_for_holds_no_connection(service: Service) -> None:
    answer = await ask(service, b"POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
    assert answer.statuses == [404]


async def test_an_answer_that_nobody_reads_is_thrown_away(quick: Service) -> None:
    await until(lambda: count_of(quick) == 0)
    with opened(quick, SO_RCVBUF=4096) as client:
        client.sendall(b"GET /docs/scalar.js HTTP/1.1\r\nHost: x\r\n\r\n" * PIPELINED)
        await until(lambda: ended(quick, "unread") == 1)
        await until(lambda: count_of(quick) == 0)
    await until(lambda: not quick.server.server_state.tasks)


async def test_streams_live_on_whatever_is_unfinished_elsewhere(quick: Service) -> None:
    anna, bert = await quick.register("Anna"), await quick.register("Bert")
    game = await quick.gathering(anna, bert)
    async with (
        socket_of(quick, game) as listener,
        quick.client.stream("GET", f"/v1/games/{game}/events/stream") as stream,
    ):
        lines = stream.aiter_lines()
        assert await anext(lines) == "retry: 2000"
        for _ in range(3):  # Longer than anything else may be open.
            assert (await ask(quick, HEAD)).status == 408
        await quick.post(f"/v1/games/{game}/start", anna)
        assert json.loads(await listener.recv())["event"] == "game-started"
        async for line in lines:
            if line == "event: game-started":
                break


# --- too many ---


async def test_an_address_has_so_many_connections(tmp_path: Path) -> None:
    async with serving(tmp_path, durable=False, connections_per_address=5, proxies="") as service:
        with ExitStack() as held:
            clients = [held.enter_context(opened(service)) for _ in range(5)]
            await until(lambda: count_of(service) == 5)
            answer = await ask(service, HEAD + b"\r\n")
            assert (answer.status, answer.problem["type"]) == (429, "/problems/too-many-connections")
            assert answer.problem["detail"] == "Your address has 5 connections open and may have no more."
            assert answer.headers["retry-after"] == "5"
            assert count_of(service) == 5
            clients[0].close()
            await until(lambda: count_of(service) == 4)
            assert (await service.client.get("/health")).status_code == 200
        await until(lambda: count_of(service) == 1)  # the one that was just used


async def test_a_service_has_so_many_connections_and_a_proxy_may_have_them_all(tmp_path: Path) -> None:
    async with serving(tmp_path, durable=False, connections_per_address=2, connections=20) as service:
        with ExitStack() as held:
            for _ in range(20):
                held.enter_context(opened(service))
            await until(lambda: count_of(service) == 20)
            answers = await asyncio.gather(*(ask(service, HEAD + b"\r\n") for _ in range(5)))
            assert [(answer.status, answer.problem["type"]) for answer in answers] == [
                (503, "/problems/unavailable")
            ] * 5
            assert count_of(service) == 20
        await until(lambda: count_of(service) == 0)
        assert (await service.client.get("/health")).status_code == 200


async def test_streams_count_and_make_room_when_they_end(tmp_path: Path) -> None:
    async with serving(tmp_path, durable=False, connections_per_address=4, proxies="") as service:
        anna = await service.register("Anna")
        game = await service.gathering(anna)
        async with AsyncExitStack() as held:
            for _ in range(3):
                await held.enter_async_context(socket_of(service, game))
            await held.enter_async_context(service.client.stream("GET", f"/v1/games/{game}/events/stream"))
            assert count_of(service) == 4
            assert (await ask(service, HEAD + b"\r\n")).status == 429
        await until(lambda: count_of(service) == 0)
        assert (await service.client.get("/health")).status_code == 200


async def test_bodies_are_kept_up_to_a_limit_for_all_together(tmp_path: Path) -> None:
    unfinished = POST + b"Content-Length: 60000\r\n\r\n" + b" " * 50_000
    async with serving(tmp_path, durable=False, bodies_limit=100_000) as service:
        counted = service.server.connections
        with opened(service) as first:
            first.sendall(unfinished)
            await until(lambda: counted.bodies == 50_000)
            answer = await ask(service, unfinished + b" " * 5_000)
            assert (answer.status, answer.problem["type"]) == (503, "/problems/unavailable")
            assert counted.bodies == 50_000
            assert (await service.client.post("/v1/players", json={"name": "Anna"})).status_code == 201
        await until(lambda: counted.bodies == 0)


# --- WebSockets ---

UPGRADE = (
    b"Host: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        (b"/nothing", b"X: 1\r\n" * 150, 431),
        (b"/nothing", b"X: " + b"a" * 9000 + b"\r\n", 431),
        (b"/nothing?" + b"a" * 8190, b"", 414),
    ],
)
async def test_what_the_library_finds_too_large_is_refused_too(
    tmp_path: Path, path: bytes, headers: bytes, status: int
) -> None:
    async with serving(tmp_path, durable=False, header_count=200, url_limit=16_384) as service:
        answer = await ask(service, b"GET %s HTTP/1.1\r\n" % path + UPGRADE + headers + b"\r\n")
        assert answer.status == status


async def test_a_websocket_that_talks_without_end_is_closed(service: Service, anna: Player) -> None:
    game = await service.gathering(anna)
    async with socket_of(service, game) as client:
        with suppress(ConnectionClosed):
            for _ in range(MUCH // 1000):
                await client.send("a" * 1000)
    assert client.close_code == 1008
    assert ended(service, "talkative") == 1


async def test_a_websocket_that_takes_nothing_gets_no_pongs(service: Service, anna: Player) -> None:
    game = await service.gathering(anna)
    ping = b"\x89\xfd\0\0\0\0" + b"p" * 125

    def whole() -> Answered:
        with opened(service, SO_RCVBUF=4096) as client:
            client.sendall(f"GET /v1/games/{game}/events/socket HTTP/1.1\r\n".encode() + UPGRADE + b"\r\n")
            return send(client, b"", ping * 100)

    assert (await asyncio.to_thread(whole)).sent < MUCH
    await until(lambda: ended(service, "talkative") == 1)
