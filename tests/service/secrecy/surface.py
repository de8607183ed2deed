"""All that somebody can get of a game: every endpoint of the contract, the live streams, every refusal."""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect

from service.api.contract.document import endpoints
from tests.service.api.serving import Player, Service

Seen = dict[str, bytes]
"""What was asked, and the bytes of what came."""

MINE: Final = "/v1/players/me/events/stream"
WAITING: Final = "/v1/players/me/waiting/stream"
INBOX: Final = "/v1/notifications/stream"
LIVE: Final = ("/v1/games/{game}/events/stream", "/v1/games/{game}/events/socket", MINE, WAITING, INBOX)

QUERIES: Final[Mapping[str, tuple[str, ...]]] = {
    "/v1/games": ("?text=auction", "?status=running", "?player={player}", "?waiting_for={player}"),
    "/v1/players/me/games": ("?waiting=true",),
    "/v1/players/search": ("?name=a&match=prefix",),
    "/v1/games/{game}/state": ("?version={past}", "?version=5"),
    "/v1/games/{game}/snapshot": ("?version={past}", "?version=5"),
    "/v1/games/{game}/marks": ("?version={past}", "?version=6"),
    "/v1/games/{game}/board.svg": ("?version={past}",),
    "/v1/games/{game}/board.png": ("?width=200", "?width=200&version={past}"),
    "/v1/games/{game}/frames": ("?limit=250", "?after={past}", "?after=3&limit=5"),
    "/v1/games/{game}/options": ("?version={past}", "?seat=red", "?seat=blue&version={past}", "?seat=red&version=2"),
    "/v1/games/{game}/inspection": ("?version={past}", "?version=5", "?version=6", "?version=8", "?version=9"),
    "/v1/games/{game}/comparison": ("?with={game}&with_version={past}", "?with={game}&with_version=1"),
    "/v1/games/{game}/events": ("?limit=500", "?after={past}"),
    "/v1/games/{game}/history": ("?limit=500", "?after={past}"),
    "/v1/ratings": ("?ruleset=tiny-auction", "?ruleset=tiny-auction&bots=true"),
    "/v1/statistics/dice": ("?game={game}", "?ruleset=tiny-auction&seat=blue"),
}
"""Further ways to ask."""

PROBES: Final[tuple[Any, ...]] = (
    *({"type": "choose-card", "card": card} for card in range(6)),
    {"type": "put-up", "coins": 9},
    {"type": "open-bidding"},
    {"type": "give", "coins": {"blue": 9}},
    {"type": "undo", "to": 6},
    {"type": "peek"},
)
"""Commands that are tried out, to see what a refusal gives away."""

ACTS: Final = (
    *("", "/commands", "/commands/check", "/answers", "/answers/{left}"),
    *("/seats", "/seats/{seat}", "/seats/{seat}/bot", "/start", "/upgrade", "/upgrade/check"),
    *("/officials/{player}", "/pause", "/take-backs", "/take-backs/{asked}/answer", "/cases", "/forks", "/what-if"),
    *("/listing", "/invitations", "/invitations/{invitation}"),
    *("/end-proposals", "/end-proposals/{proposed}/answer"),
    *("/clock", "/time", "/flags/{seat}", "/days-off"),
    *("/seats/{seat}/offer", "/seats/{seat}/acceptance", "/seats/{seat}/resignation"),
    *("/seats/{seat}/assignment", "/seats/{seat}/confirmation", "/rematches/{offer}"),
)
"""What is asked of games besides reading them; each is tried out in `Onlooker.look`."""

_ACCIDENTAL: Final = ("date", "request-id")
"""Headers that are of the moment and of the request: the time, and a random id."""


class Onlooker:
    """Somebody who asks for everything, with or without an account, and follows the game live."""

    def __init__(
        self,
        service: Service,
        game: str,
        player: Player | None,
        frames: Any,
        socket: ClientConnection,
        mine: Any = None,
    ) -> None:
        """`mine` are the frames of the stream of all games of `player`, when the game is one of these."""
        self._service = service
        self._game = game
        self._player = player
        self._frames = frames
        self._socket = socket
        self._mine = mine
        self.streams = 1 if mine is None else 2
        """How many of the answers go on."""
        self._streamed = self._sent = self._told = b""
        self.asked = 0

    def plays_as(self, player: Player) -> bool:
        return self._player == player

    async def look(self, version: int, another: Player, another_key: str) -> Seen:
        """Return everything that can be got of a game that stands at `version`.

        `another` is a player of it; `another_key` an idempotency key that came with a command of his.
        """
        seen = await self.follow(version)
        words = {"game": self._game, "player": another.id, "ruleset": "tiny-auction", "rule": "TA-BID-01"}
        words |= {"past": str(version - 1), "seat": "red", "chart": "points.svg", "document": "cards", "case": "cnone"}
        words |= {"level": "0", "tile": "000.p/1", "secret": "inv_guessed", "lesson": "first"}
        words |= {"webhook": "wnone", "delivery": "dnone", "device": "dnone"}
        words |= {"bulk": "bnone", "tournament": "tnone", "round": "1", "draft": "1", "league": "lnone"}
        words |= {"file": "fnone", "imported": "xnone"}
        for path, method, _ in endpoints():
            if method == "GET" and path not in LIVE:
                # A picture in full size shows no more than a small one, and takes ten times as long.
                plain = () if path.endswith(".png") else ("",)
                for query in (*plain, *QUERIES.get(path, ())):
                    address = (path + query).format(**words)
                    seen[f"GET {address}"] = await self._ask("GET", address)
        for probe in PROBES:
            what = f"{self._game}/commands {json.dumps(probe)}"
            check = self._address("/commands/check")
            seen[f"check {what}"] = checked = await self._ask("POST", check, probe)
            seen[f"foresee {what}"] = await self._ask("POST", f"{check}?next=true", probe)
            if not checked.startswith(b"200"):
                seen[f"give {what}"] = await self._ask("POST", self._address("/commands"), probe)
                seen[f"repeat {what}"] = await self._ask("POST", self._address("/commands"), probe, another_key)
        for method, path in (("POST", "/seats"), ("POST", "/start"), ("DELETE", "")):
            seen[f"{method} {path}"] = await self._ask(method, self._address(path), None, another_key)
        # At an earlier version, or its player would give the seat up.
        for method, path in (
            *(("DELETE", "/seats/red"), ("POST", "/seats/red/resignation")),
            *(("POST", "/seats/red/offer"), ("DELETE", "/seats/red/offer")),
        ):
            seen[f"{method} {path}"] = await self._ask(method, self._address(path), if_match='"1"')
        seen["POST /acceptance"] = await self._ask("POST", self._address("/seats/red/acceptance"), None, another_key)
        card = {"type": "choose-card", "card": 1}  # answers no such decision: an answer that is left changes the game
        seen["POST /answers"] = await self._ask("POST", self._address("/answers"), card, decision="put-up-prize")
        seen["DELETE /answers"] = await self._ask("DELETE", self._address("/answers/6"), None, another_key)
        for path in ("/upgrade", "/upgrade/check"):
            seen[f"POST {path}"] = await self._ask("POST", self._address(path), to=2)
        seen |= await self._ask_around(another, another_key)
        retitled = await self._ask("PATCH", self._address(""), title="An auction to look at")
        return {**seen, "PATCH": retitled}

    async def _ask_around(self, another: Player, another_key: str) -> Seen:
        """Return what is said to acts around the table, none of which can be: they would change the game."""
        official, take_backs = self._address(f"/officials/{another.id}"), self._address("/take-backs")
        ends = self._address("/end-proposals")
        return {
            "POST /assignment": await self._ask("POST", self._address("/seats/red/assignment"), player=another.id),
            "POST /confirmation": await self._ask("POST", self._address("/seats/red/confirmation"), entropy="7"),
            "PUT /officials": await self._ask("PUT", official),
            "DELETE /officials": await self._ask("DELETE", official),
            "DELETE /pause": await self._ask("DELETE", self._address("/pause")),
            "PUT /bot": await self._ask("PUT", self._address("/seats/blue/bot"), level="random"),
            "DELETE /bot": await self._ask("DELETE", self._address("/seats/blue/bot")),
            "PUT /listing": await self._ask("PUT", self._address("/listing"), listed=True),
            "PUT /clock": await self._ask("PUT", self._address("/clock"), clock="fast"),
            "POST /time": await self._ask("POST", self._address("/time"), None, another_key, seat="blue", seconds=5),
            "POST /flags": await self._ask("POST", self._address("/flags/red"), None, another_key),
            "POST /days-off": await self._ask("POST", self._address("/days-off"), None, another_key),
            "POST /invitations": await self._ask("POST", self._address("/invitations"), None, another_key),
            "DELETE /invitations": await self._ask("DELETE", self._address("/invitations/inone")),
            "POST /take-backs": await self._ask("POST", take_backs, None, another_key, to=0),
            "POST /end-proposals": await self._ask("POST", ends, None, another_key, order=[["red"]]),
            "POST /cases": await self._ask(
                "POST", self._address("/cases"), None, another_key, kind="result", version=1, statement="?"
            ),
            "POST /what-if": await self._ask("POST", self._address("/what-if"), None, version=6, commands=[]),
            "POST /forks": await self._ask("POST", self._address("/forks"), None, another_key, version=6),
            "POST /take-backs/1/answer": await self._ask("POST", f"{take_backs}/1/answer", None, "", agrees=True),
            "PUT /rematches/1": await self._ask("PUT", self._address("/rematches/1"), entropy="7"),
            "DELETE /rematches/1": await self._ask("DELETE", self._address("/rematches/1")),
            "POST /end-proposals/1/answer": await self._ask("POST", f"{ends}/1/answer", None, "", agrees=True),
        }

    async def forget(self, version: int) -> None:
        """Forget what the streams have sent up to a version, at which the game stands."""
        await self.follow(version)
        self._streamed = self._sent = self._told = b""

    def _address(self, path: str) -> str:
        return f"/v1/games/{self._game}{path}"

    async def _ask(
        self, method: str, path: str, command: Any = None, key: str = "", *, if_match: str = "", **wish: Any
    ) -> bytes:
        """Return status, headers and body of an answer, but for what is accidental in them."""
        headers = {"idempotency_key": key} if key else {}
        headers |= {"if_match": if_match} if if_match else {}
        body = {"command": command, **wish} if command is not None else wish or ({} if method == "POST" else None)
        answer = await self._service.ask(method, path, self._player, body, **headers)
        self.asked += 1
        told = [f"{name}: {value}" for name, value in answer.headers.items() if name not in _ACCIDENTAL]
        text = b"\n".join((b"%d" % answer.status_code, *(line.encode() for line in told), b"", answer.content))
        return text.replace(answer.headers["request-id"].encode(), b"this request")

    async def part(self, version: int) -> None:
        """Follow all of their games to the version at which this one is theirs no more: the stream drops it then."""
        await self.follow(version)
        self._mine = None

    async def follow(self, version: int) -> Seen:
        """Return what the streams have sent up to a version, each from the first event on."""
        async with asyncio.timeout(60):
            while not _has(self._streamed, b"id: %d\n" % version):
                self._streamed += await anext(self._frames)
            while b'{"id":%d,' % version not in self._sent:
                self._sent += (await self._socket.recv(decode=False)) + b"\n"
            while self._mine is not None and not _has(self._told, b'"version":%d,' % version):
                self._told += await anext(self._mine)
        # Comments come with time, not with what happens.
        streams = {"stream": self._streamed, "mine": self._told}
        return {**{name: re.sub(rb"(?m)^:.*\n\n", b"", text) for name, text in streams.items()}, "socket": self._sent}


def _has(text: bytes, what: bytes) -> bool:
    """Tell whether a stream has come to something and stands at the end of a frame, wherever the network cut it."""
    return what in text and text.endswith(b"\n\n")


@contextlib.asynccontextmanager
async def onlooker(service: Service, game: str, player: Player | None, *, mine: bool) -> AsyncIterator[Onlooker]:
    """Let somebody follow a game from its first event on; if it is one of theirs, also among all of theirs."""
    headers, address = player.headers if player else {}, f"/v1/games/{game}/events"
    base = str(service.client.base_url).replace("http", "ws", 1).rstrip("/")
    async with (
        service.client.stream("GET", f"{address}/stream?after=0", headers=headers) as answer,
        connect(f"{base}{address}/socket?after=0", proxy=None, additional_headers=headers) as socket,
    ):
        if not mine:
            yield Onlooker(service, game, player, answer.aiter_bytes(), socket)
            return
        async with service.client.stream("GET", f"{MINE}?after=0", headers=headers) as all_games:
            yield Onlooker(service, game, player, answer.aiter_bytes(), socket, all_games.aiter_bytes())
