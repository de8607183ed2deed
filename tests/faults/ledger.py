"""What clients asked for and were told: the account that the log is checked against afterwards.

Every request carries an idempotency key and is sent until it has an answer; on the way it may be sent twice at once,
cut off in its body, or left alone before its answer. What the service acknowledged, whenever and to whichever of the
copies, is written down here.
"""

import asyncio
import contextlib
import json
import time
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

import httpx
from msgspec import Struct, field

Answer = dict[str, Any]

DOUBLED, CUT, ABANDONED, LATE = 0.08, 0.06, 0.06, 0.05
"""How often a request is sent twice at once; cut off in its body; left before its answer; sent again much later."""

PATIENCE: Final = 180.0
"""Seconds without an answer, after which it counts as stuck. A fault of a database lasts seconds."""

PAUSE: Final = 0.05
"""Seconds before a request that got no answer is sent again."""


class Player(Struct, frozen=True):
    """An account, and what it sends to say who it is."""

    id: str
    token: str


class Deed(Struct, eq=False):
    """Something asked of the service, under its own idempotency key.

    Attributes:
        cut: whether a copy was sent only in part: a copy that must not do anything.
        answers: what was acknowledged, without whether it had been before.
        refused: the types of the problems that it was answered with.
        why: what the last of them said.
    """

    path: str
    player: Player
    body: Any
    key: str
    game: str = ""
    method: str = "POST"
    sent: bool = False
    cut: bool = False
    answers: list[Answer] = field(default_factory=list[Answer])
    refused: list[str] = field(default_factory=list[str])
    why: str = ""

    @property
    def content(self) -> bytes:
        return json.dumps(self.body).encode() if self.body is not None else b""

    @property
    def headers(self) -> dict[str, str]:
        declared = {"Content-Type": "application/json"} if self.body is not None else {}
        return {"Authorization": self.player.token, "Idempotency-Key": self.key, **declared}


def _told(answer: Answer) -> Any:
    """Return what an answer says that never changes: events, the id of a game, or all of it."""
    return answer["events"] if "events" in answer else answer.get("id", answer)


def _without_secrets(events: list[Answer]) -> list[Answer]:
    return [{name: value for name, value in event.items() if name != "secrets"} for event in events]


def _without_more_secrets(events: list[Answer], before: list[Answer]) -> list[Answer]:
    """Return events without their secrets, but for those of which they told nothing before."""
    known = [secret for event in before for secret in event.get("secrets", ())]
    fresh = [secret for event in events for secret in event.get("secrets", ()) if secret not in known]
    return [*_without_secrets(events), *fresh]


class Astray(Exception):
    """The service did not know what it had told before."""


class Ledger:
    """All deeds, when they were acknowledged, and what went wrong in ways in which nothing may go wrong."""

    def __init__(self, addresses: Callable[[], list[str]], rng: Random) -> None:
        """`addresses` are those of the processes that serve now."""
        self._addresses = addresses
        self._rng = rng
        self._http = httpx.AsyncClient(timeout=20, limits=httpx.Limits(max_connections=None), trust_env=False)
        self.deeds: list[Deed] = []
        self.counts: Counter[str] = Counter()
        self.acknowledged: list[float] = []
        self.gone: set[tuple[str, str]] = set()
        """Games with accounts that had a seat there and may have it no more: they see less of what they did."""
        self.read_marks: dict[tuple[str, str], int] = {}
        """By account and game, up to which version a reader was told that this is marked as read."""
        self.wrong: list[str] = []

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for something as long as requests are answered, however slow the machine is.

        Raises `TimeoutError` when none was for `PATIENCE`.
        """
        seen, since = self.answered, time.monotonic()
        while not holds():
            await asyncio.sleep(0.1)
            if self.answered != seen:
                seen, since = self.answered, time.monotonic()
            elif time.monotonic() - since > PATIENCE:
                raise TimeoutError

    @property
    def answered(self) -> int:
        """How many requests had the answer that they wanted."""
        return self.counts["reads"] + self.counts["acknowledgements"]

    async def close(self) -> None:
        await self._http.aclose()

    async def get(self, path: str, token: str = "", wanted: int = 0) -> Answer:
        """Ask any process until it answers. `wanted` is the least version that the answer may have.

        Raises `Astray` when something that must be there is not.
        """
        while True:
            answer = await self._send("GET", path, {"Authorization": token} if token else {}, b"")
            if answer is not None and answer.status_code == 200:
                body = answer.json()
                self.counts["reads"] += 1
                if wanted and body["version"] < wanted:
                    self.wrong.append(f"{path} answered version {body['version']} after {wanted} was acknowledged")
                return body
            if answer is not None and answer.status_code not in (429, 503):
                raise Astray(f"{path}: {answer.text}")
            await asyncio.sleep(PAUSE)

    async def newest_checkpoint(self) -> str | None:
        """Return the newest checkpoint that any process shows; None when there is none, or no answer."""
        answer = await self._send("GET", "/v1/transparency/checkpoint", {}, b"")
        return answer.text if answer is not None and answer.status_code == 200 else None

    async def do(self, path: str, player: Player, body: Any = None, game: str = "", method: str = "POST") -> Deed:
        """Ask for something until there is an answer, in one of the ways in which requests come."""
        deed = Deed(path, player, body, str(UUID(int=self._rng.getrandbits(128))), game, method)
        self.deeds.append(deed)
        chance = self._rng.random()
        if chance < CUT and body is not None:
            deed.cut = True
            await self._cut(deed, part=True)
            if chance < CUT / 2:  # half of them stay cut: nothing of them may ever be seen
                return deed
            deed.cut = False
        elif chance < CUT + ABANDONED:
            await self._cut(deed, part=False)
        elif chance < CUT + ABANDONED + DOUBLED:
            self.counts["doubled"] += 1
            await asyncio.gather(self._insist(deed), self._insist(deed))
        await self._insist(deed)
        if self._rng.random() < LATE:
            await self._again()
        return deed

    async def read(self, player: Player, game: str, version: int) -> None:
        """Mark what a player was told of a game as read, up to a version."""
        headers, content = {"Authorization": player.token}, json.dumps({"game": game, "version": version}).encode()
        while True:
            path = "/v1/notifications/read"
            answer = await self._send("POST", path, {**headers, "Content-Type": "application/json"}, content)
            if answer is not None and answer.status_code == 200:
                key = player.id, game
                self.read_marks[key] = max(version, self.read_marks.get(key, 0))
                self.counts["read"] += 1
                return
            if answer is not None and answer.status_code not in (429, 503):
                self.wrong.append(f"{path}: {answer.text}")
                return
            await asyncio.sleep(PAUSE)

    async def again(self, deed: Deed) -> None:
        """Send a deed once more."""
        await self._insist(deed)

    async def _again(self) -> None:
        """Send a deed of long ago once more: it gets the answer that it got then."""
        old = self._rng.choice(self.deeds)
        if old.answers:
            self.counts["late"] += 1
            await self._insist(old)

    async def _insist(self, deed: Deed) -> None:
        while True:
            before, deed.sent = bool(deed.answers), True
            answer = await self._send(deed.method, deed.path, deed.headers, deed.content)
            if answer is None:
                self.counts["unanswered"] += 1
            elif answer.status_code in (200, 201):
                self._acknowledged(deed, answer.json())
                return
            elif answer.status_code < 500 and answer.status_code != 429:
                deed.refused.append(answer.json()["type"])
                deed.why = answer.json()["detail"]
                if before:
                    self.wrong.append(f"{deed.key} was acknowledged before, and now: {answer.text}")
                return
            elif answer.status_code not in (429, 503):
                self.wrong.append(f"{deed.path}: {answer.text}")
                return
            await asyncio.sleep(PAUSE)

    def _acknowledged(self, deed: Deed, answer: Answer) -> None:
        self.counts["acknowledgements"] += 1
        self.acknowledged.append(time.monotonic())
        self.counts["repeated"] += bool(answer.pop("repeated", False))
        first = (deed.answers or [answer])[0]
        told, before = _told(answer), _told(first)
        if "events" in first and (deed.game, deed.player.id) in self.gone:
            told, before = _without_more_secrets(told, before), _without_secrets(before)
        if told != before:
            self.wrong.append(f"{deed.key} was answered {deed.answers[0]} and then {answer}")
        deed.answers.append(answer)

    async def _send(self, method: str, path: str, headers: dict[str, str], content: bytes) -> httpx.Response | None:
        """Return what one process answers; None when it does not."""
        try:
            address = self._rng.choice(self._addresses())
            answer = await self._http.request(method, address + path, headers=headers, content=content or None)
        except httpx.TransportError:
            return None
        if answer.status_code in (429, 503):
            self.counts["unavailable"] += 1
            if "Retry-After" not in answer.headers:
                self.wrong.append(f"{path} does not say when to try again: {answer.text}")
        return answer

    async def _cut(self, deed: Deed, *, part: bool) -> None:
        """Send a request whole or in part, and hang up."""
        self.counts["cut" if part else "abandoned"] += 1
        place, content = urlsplit(self._rng.choice(self._addresses())), deed.content
        deed.sent = not part
        head = [f"{deed.method} {deed.path} HTTP/1.1", f"Host: {place.netloc}", f"Content-Length: {len(content)}"]
        head += [f"{name}: {value}" for name, value in deed.headers.items()]
        message = "\r\n".join([*head, "", ""]).encode() + content
        end = len(message) - self._rng.randint(1, len(content)) if part else len(message)
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection(place.hostname, place.port)
            writer.write(message[:end])
            await writer.drain()
            if not part:
                await asyncio.sleep(self._rng.uniform(0, 0.01))
            writer.transport.abort()
