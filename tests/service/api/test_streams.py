"""The events as they happen: nothing missed, nothing doubled, a clean end."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from structlog.testing import capture_logs
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from domain.kernel.ids import GameId
from service.api.contract.document import endpoints
from service.store.protocol import StoreUnavailable
from tests.service.api.serving import Player, Service, serving


class Frames:
    """The frames of a stream of server-sent events; comments under ``comment``."""

    def __init__(self, answer: httpx.Response) -> None:
        self.answer = answer
        self._lines = answer.aiter_lines()

    async def next(self) -> dict[str, Any] | None:
        """Return the next frame or comment; None at the end."""
        frame: dict[str, Any] = {}
        async for line in self._lines:
            if not line:
                if frame:
                    return frame
                continue
            name, _, value = line.partition(": ")
            frame[name or "comment"] = json.loads(value) if name == "data" else value
        return None

    async def data_up_to(self, version: int) -> list[str]:
        """Return what the frames say, as it was sent, up to that of a version."""
        found: list[str] = []
        async for line in self._lines:
            name, _, value = line.partition(": ")
            if name == "data":
                found.append(value)
                if json.loads(value)["version"] == version:
                    break
        return found

    async def events(self, count: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while len(found) < count and (frame := await self.next()) is not None:
            if "data" in frame:
                found.append(frame)
        return found


@asynccontextmanager
async def streaming(
    service: Service, game: str, query: str = "", player: Player | None = None, **headers: str
) -> AsyncIterator[Frames]:
    sent = {**(player.headers if player else {}), **{name.replace("_", "-"): value for name, value in headers.items()}}
    async with service.client.stream("GET", f"/v1/games/{game}/events/stream{query}", headers=sent) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield Frames(answer)


async def test_an_event_comes_as_it_happens(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    version = (await service.get(f"/v1/games/{game}"))["version"]
    async with streaming(service, game) as frames:
        await frames.next()
        await service.give(game, anna, "put-up", coins=1)
        (frame,) = await frames.events(1)
    assert (frame["id"], frame["event"]) == (str(version + 1), "prize-put-up")
    page = await service.get(f"/v1/games/{game}/events?after={version}")
    assert frame["data"] == page["items"][0]


async def test_a_stream_goes_on_after_the_last_event_that_was_seen(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await service.begun(anna, bert)
    async with streaming(service, game, "?after=1", last_event_id="3") as frames:
        seen = await frames.events(2)
    assert [frame["id"] for frame in seen] == ["4", "5"]
    async with streaming(service, game, "?after=0") as frames:
        assert (await frames.events(1))[0]["id"] == "1"


async def test_a_stream_that_broke_off_before_its_first_event_goes_on_too(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await service.begun(anna, bert)
    async with streaming(service, game) as frames:
        opening = await frames.next()
    await service.give(game, anna, "put-up", coins=1)
    assert opening is not None
    assert "data" not in opening, "browsers take it for no event"
    async with streaming(service, game, last_event_id=opening["id"]) as frames:
        (missed,) = await frames.events(1)
    assert missed["event"] == "prize-put-up"


async def test_a_stream_shows_what_its_reader_may_see(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    async with streaming(service, game, "?after=4", anna) as reds, streaming(service, game, "?after=4") as publics:
        dealt, public = (await reds.events(1))[0]["data"], (await publics.events(1))[0]["data"]
    assert dealt["type"] == public["type"] == "cards-dealt"
    assert [secret["readers"] for secret in dealt["secrets"]] == [["red"]] * 3
    assert "secrets" not in public


async def test_all_who_follow_a_game_are_sent_what_they_would_read_byte_for_byte(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await service.begun(anna, bert)
    begun = (await service.get(f"/v1/games/{game}"))["version"]
    async with AsyncExitStack() as opened:
        # Those who see the same are there twice, and those of each kind who come late have to catch up.
        readers: list[tuple[Player | None, Frames]] = []
        for player in (None, anna, bert):
            for after in (begun, begun, 0):
                frames = await opened.enter_async_context(streaming(service, game, f"?after={after}", player))
                readers.append((player, frames))
        await service.give(game, anna, "put-up", coins=2)
        await service.give(game, anna, "open-bidding")
        for player in (anna, bert):
            await service.give(game, player, "choose-card", card=await service.first_card(game, player))
        end = (await service.get(f"/v1/games/{game}"))["version"]
        seen: dict[str, set[str]] = {}
        for player, frames in readers:
            sent = await frames.data_up_to(end)
            page = await service.ask("GET", f"/v1/games/{game}/events?limit=500", player)
            assert ",".join(sent) in page.text
            assert int(json.loads(sent[0])["version"]) in (1, begun + 1)
            seen.setdefault(player.id if player else "", set()).update(sent)
    assert all('"secrets"' not in data for data in seen[""])
    for player, seat in ((anna, "red"), (bert, "blue")):
        secrets = [json.loads(data).get("secrets", []) for data in seen[player.id]]
        assert {tuple(secret["readers"]) for each in secrets for secret in each} == {(seat,)}


async def test_a_follower_who_loses_the_seat_sees_no_more_than_others(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await service.gathering(anna, bert)
    start = (await service.get(f"/v1/games/{game}"))["version"]
    carl = await service.register("Carl")
    async with streaming(service, game, f"?after={start}", bert) as berts, streaming(service, game, "", carl) as carls:
        await service.ask("DELETE", f"/v1/games/{game}/seats/blue", bert)
        await service.post(f"/v1/games/{game}/seats", carl, {"seat": "blue"})
        await service.post(f"/v1/games/{game}/start", anna)
        end = (await service.get(f"/v1/games/{game}"))["version"]
        left, came = await berts.data_up_to(end), await carls.data_up_to(end)
    assert all('"secrets"' not in data for data in left)
    assert any('"secrets"' in data for data in came)


async def test_a_stream_ends_with_the_game_and_then_there_is_no_more(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await service.begun(anna, bert, rounds=1)
    async with streaming(service, game, "?after=0") as frames:
        await service.play_out(game, anna, bert)
        seen = await frames.events(10_000)
    assert [int(frame["id"]) for frame in seen] == list(range(1, len(seen) + 1))
    assert seen[-1]["event"] == "game-ended"
    again = await service.ask("GET", f"/v1/games/{game}/events/stream", None, None, last_event_id=seen[-1]["id"])
    assert again.status_code == 204


async def test_a_quiet_stream_says_that_it_is_there(tmp_path: Path) -> None:
    async with serving(tmp_path, heartbeat=0.05) as service:
        anna, bert = await service.register("Anna"), await service.register("Bert")
        game = await service.begun(anna, bert)
        async with streaming(service, game) as frames:
            assert [(await frames.next() or {}).get("comment") for _ in range(3)] == ["connected", *["still here"] * 2]


async def test_a_stream_is_refused_for_a_version_that_the_game_has_not(service: Service, anna: Player) -> None:
    game = await service.gathering(anna)
    answer = await service.ask("GET", f"/v1/games/{game}/events/stream?after=99")
    assert (answer.json()["type"], answer.json()["version"]) == ("/problems/unknown-version", 2)


async def test_open_streams_end_when_the_service_stops(tmp_path: Path) -> None:
    async with serving(tmp_path, grace=600) as service:
        anna, bert = await service.register("Anna"), await service.register("Bert")
        game = await service.begun(anna, bert)
        async with streaming(service, game) as frames, socket_of(service, game) as socket:
            await frames.next()
            service.server.should_exit = True
            async with asyncio.timeout(20):  # long before their grace is over
                assert await frames.next() is None
                with pytest.raises(ConnectionClosed):
                    await socket.recv()
            assert socket.close_code == 1012


async def test_a_reader_that_goes_away_is_forgotten(service: Service, anna: Player, bert: Player) -> None:
    async def until(readers: int) -> None:
        signals = service.services.wake._signals  # type: ignore[attr-defined]
        async with asyncio.timeout(10):
            while len(signals.get(game, ())) != readers:  # noqa: ASYNC110
                await asyncio.sleep(0.02)

    game = await service.begun(anna, bert)
    async with streaming(service, game), socket_of(service, game):
        await until(2)
    await until(0)


# --- WebSocket --------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def socket_of(service: Service, game: str, query: str = "", **options: Any) -> AsyncIterator[ClientConnection]:
    base = str(service.client.base_url).replace("http", "ws", 1).rstrip("/")
    async with connect(f"{base}/v1/games/{game}/events/socket{query}", proxy=None, **options) as socket:
        yield socket


async def test_a_socket_sends_the_frames_of_the_stream(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert, rounds=1)
    async with socket_of(service, game, "?after=0") as socket:
        await service.play_out(game, anna, bert)
        seen = [json.loads(message) async for message in socket]
    assert [frame["id"] for frame in seen] == list(range(1, len(seen) + 1))
    assert seen[-1]["event"] == "game-ended"
    assert socket.close_code == 1000
    page = await service.get(f"/v1/games/{game}/events?limit=500", None)
    assert [frame["data"]["hash"] for frame in seen] == [event["hash"] for event in page["items"]]


async def test_a_socket_knows_its_reader_by_a_header_or_a_subprotocol(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await service.begun(anna, bert)
    token = anna.headers["authorization"].removeprefix("Bearer ")
    for options in (
        {"additional_headers": anna.headers},
        {"subprotocols": ["tabularium.v1", f"bearer.{token}"]},
    ):
        async with socket_of(service, game, "?after=4", **options) as socket:
            dealt = json.loads(await socket.recv())
        assert [secret["readers"] for secret in dealt["data"]["secrets"]] == [["red"]] * 3


@pytest.mark.parametrize(
    ("query", "subprotocols", "slug"),
    [
        ("", ["tabularium.v1", "bearer.tab_nobodys"], "unknown-token"),
        ("?after=99", None, "unknown-version"),
        ("?from=1", None, "invalid-query"),
    ],
)
async def test_a_socket_says_why_it_is_refused(
    service: Service, anna: Player, query: str, subprotocols: list[str] | None, slug: str
) -> None:
    game = await service.gathering(anna)
    async with socket_of(service, game, query, subprotocols=subprotocols) as socket:
        frame = json.loads(await socket.recv())
        with pytest.raises(ConnectionClosed):
            await socket.recv()
    assert (frame["event"], frame["data"]["type"]) == ("problem", f"/problems/{slug}")
    assert socket.close_code == 4000


async def test_a_socket_ignores_what_it_is_sent(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    async with socket_of(service, game) as socket:
        await socket.send("hello")
        await socket.send(b"\xff\xfe")
        await service.give(game, anna, "put-up", coins=1)
        assert json.loads(await socket.recv())["event"] == "prize-put-up"


async def test_a_socket_ends_with_its_token_and_says_so(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    made = await service.post("/v1/tokens", bert, {"name": "viewer", "scopes": ["play"]})
    async with socket_of(service, game, subprotocols=["tabularium.v1", f"bearer.{made['token']}"]) as socket:
        await service.give(game, anna, "put-up", coins=1)
        assert json.loads(await socket.recv())["event"] == "prize-put-up"
        await service.ask("DELETE", f"/v1/tokens/{made['details']['id']}", bert)
        await service.give(game, anna, "open-bidding")
        assert json.loads(await socket.recv())["data"]["type"] == "/problems/token-ended"
        with pytest.raises(ConnectionClosed):
            await socket.recv()
    assert socket.close_code == 4000


@pytest.mark.parametrize("gone", [OSError("the client is gone"), RuntimeError("after sending 'websocket.close'")])
@pytest.mark.parametrize("told", range(3))
async def test_a_client_that_goes_away_while_it_is_told_is_no_fault(
    service: Service, anna: Player, bert: Player, gone: Exception, told: int
) -> None:
    game = await service.begun(anna, bert)
    path = f"/v1/games/{game}/events/socket"
    scope: Any = {
        "type": "websocket",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "scheme": "ws",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"after=0",
        "headers": [],
        "subprotocols": [],
        "client": ("127.0.0.1", 1),
    }
    received: asyncio.Queue[Any] = asyncio.Queue()
    received.put_nowait({"type": "websocket.connect"})
    sent: list[str] = []

    async def send(message: Any) -> None:
        if len(sent) == told:
            raise gone
        sent.append(message["type"])

    with capture_logs() as logged:
        await service.server.config.loaded_app(scope, received.get, send)
    assert sent == ["websocket.accept", "websocket.send"][:told]
    assert [line for line in logged if line["log_level"] == "error"] == []


async def test_a_stream_whose_store_is_away_ends_cleanly_and_goes_on_when_it_is_back(
    service: Service, anna: Player, bert: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: Any) -> Any:
        raise StoreUnavailable("the database is being restarted")

    game = await service.begun(anna, bert)
    async with streaming(service, game, "?after=0") as frames:
        last = (await frames.events(4))[-1]["id"]
        with monkeypatch.context() as patched:
            patched.setattr(service.services.games, "game", away)
            service.services.wake.notify(GameId(game), 1)
            async with asyncio.timeout(10):
                while await frames.next() is not None:
                    pass
    async with streaming(service, game, last_event_id=last) as frames:
        assert int((await frames.events(1))[0]["id"]) == int(last) + 1


async def test_a_fault_of_ours_is_logged_over_a_socket_too(
    service: Service, anna: Player, bert: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = await service.begun(anna, bert)

    async def fails(*_: object) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(service.services.games, "game", fails)
    with capture_logs() as logged:
        async with socket_of(service, game) as socket:
            frame = json.loads(await socket.recv())
    assert (frame["event"], frame["data"]["type"]) == ("problem", "/problems/internal-error")
    assert [(line["event"], str(line["exc_info"])) for line in logged if line["log_level"] == "error"] == [
        ("request failed", "a fault of ours")
    ]


async def test_plain_frames_have_no_name_and_the_type_in_their_data(
    service: Service, anna: Player, bert: Player
) -> None:
    """`EventSource.onmessage` gets only frames without a name."""
    game = await service.begun(anna, bert)
    await service.give(game, anna, "put-up", coins=1)
    wish = {"kind": "slip", "version": 5, "statement": "Why?"}
    case = (await service.post(f"/v1/games/{game}/cases", anna, wish))["summary"]["case"]
    asked = await service.ask("POST", "/v1/bulks", anna, {"games": [{"ruleset": "tiny-auction", "players": 2}]})
    bulk, stages = asked.json()["id"], [{"type": "random", "rounds": 1}]
    regulations = {"ruleset": "tiny-auction", "stages": stages, "sizes": [2], "points": [[1, 0]]}
    announced = await service.post("/v1/tournaments", anna, {"regulations": regulations})
    streams = (
        f"/v1/bulks/{bulk}/stream?",
        f"/v1/tournaments/{announced['summary']['tournament']}/stream?after=0&",
        f"/v1/games/{game}/events/stream?after=0&",
        f"/v1/cases/{case}/stream?after=0&",
        "/v1/players/me/events/stream?after=0&",
        "/v1/players/me/waiting/stream?",
        "/v1/notifications/stream?",
    )
    assert len(streams) == sum("text/event-stream" in {each.media for each in said.answers} for *_, said in endpoints())
    for url in streams:
        shown: dict[str, dict[str, Any]] = {}
        for frames in ("named", "plain"):
            async with service.client.stream("GET", f"{url}frames={frames}", headers=anna.headers) as answer:
                assert answer.status_code == 200, (url, frames)
                (shown[frames],) = await Frames(answer).events(1)
        name = shown["named"].pop("event")
        assert shown["named"] == shown["plain"], url
        data = shown["plain"]["data"]
        states = "inbox" if "unread" in data else "bulk-game" if "number" in data else "waiting"
        assert name == data.get("type", data["event"]["type"] if "event" in data else states), url
        refused = await service.ask("GET", f"{url}frames=fancy", anna)
        assert refused.json()["allowed"] == "It takes one of named, plain.", refused.text
