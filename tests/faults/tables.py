"""Bots at tables: each table plays game after game, until it is told to stop."""

import asyncio
from collections.abc import Sequence
from random import Random
from typing import Any, Final

import httpx
from msgspec import Struct, field

from domain.kernel.rules import schema
from tests.faults.ledger import Answer, Astray, Deed, Ledger, Player

APPOINTED: Final = 0.1
"""How often, when a game waits, its organizer names the official of the table, or releases who is one."""

REORDERED: Final = 0.1
"""How often the second of two commands sets out before the first."""


class Table(Struct, eq=False):
    """A table, its players, who is the official of its games at times, and the games; `over` says that one is over."""

    ledger: Ledger
    players: Sequence[Player]
    official: Player
    ruleset: str
    rng: Random
    stop: asyncio.Event
    games: list[str] = field(default_factory=list[str])
    over: bool = False

    async def play(self) -> None:
        """Play game after game."""
        while not self.stop.is_set():
            try:
                await self._game()
            except Astray as astray:
                self.ledger.wrong.append(str(astray))

    async def _game(self) -> None:
        wish: dict[str, object] = {"ruleset": self.ruleset, "players": len(self.players)}
        # Half of them have a clock, under which nobody's time is up in any storm.
        wish |= {"title": "A game in bad weather", "clock": "slow" if len(self.games) % 2 == 0 else None}
        created = await self.ledger.do("/v1/games", self.players[0], wish)
        if not created.answers:
            return  # it was cut off
        game = created.game = created.answers[0]["id"]
        self.games.append(game)
        await self._gather(game)
        while not self.stop.is_set() and await self._turn(game):
            pass

    async def _gather(self, game: str) -> None:
        while not self.stop.is_set() and (now := await self.ledger.get(f"/v1/games/{game}"))["status"] == "gathering":
            # All want to sit down at the same time, and the first one begins.
            free = sum(seat["player"] is None for seat in now["seats"])
            if free:
                await asyncio.gather(*(self._do(game, "seats", each, {"entropy": each.id}) for each in self.players))
            else:
                await asyncio.gather(*(self._do(game, "start", each) for each in self.players))

    async def _turn(self, game: str) -> bool:
        """Let all seats act that the game waits for, at the same time. Return False when the game is over."""
        now = await self.ledger.get(f"/v1/games/{game}")
        if now["status"] == "over":
            self.over = True
            return False
        waiting = {seat for decision in now["decisions"] for seat in decision["seats"]}
        acts = [self._act(game, now, seat) for seat in sorted(waiting)]
        if self.rng.random() < APPOINTED:
            acts.append(self._appoint(game, now))
        await asyncio.gather(*acts)
        return True

    async def _appoint(self, game: str, now: Answer) -> None:
        method, done = ("DELETE", "released") if now["officials"] else ("PUT", "named")
        deed = await self._do(game, f"officials/{self.official.id}", self.players[0], method=method)
        self.ledger.counts[done] += bool(deed.answers)

    async def _act(self, game: str, now: Answer, seat: str) -> None:
        holder = next(each["player"] for each in now["seats"] if each["seat"] == seat)
        player = next(each for each in self.players if each.id == holder)
        view = await self.ledger.get(f"/v1/games/{game}/options", player.token, now["version"])
        options = [option for option in view["options"] if option["command"] != "undo"]
        answers = [option for option in options if option.get("decision")] or options
        if not answers:
            return  # somebody was quicker
        command = schema.sample(self.rng.choice(answers)["schema"], self.rng)
        if command["type"] == "put-up" and self.rng.random() < REORDERED:
            await self._reordered(game, player, command)
        else:
            await self._do(game, "commands", player, {"command": command})

    async def _reordered(self, game: str, player: Player, command: Any) -> None:
        """Send a command ahead of the one that makes it possible; and again, when it should be."""
        self.ledger.counts["reordered"] += 1
        ahead = asyncio.create_task(self._do(game, "commands", player, {"command": {"type": "open-bidding"}}))
        await asyncio.sleep(0)
        await self._do(game, "commands", player, {"command": command})
        deed = await ahead
        if not deed.answers and not deed.cut:
            await self.ledger.again(deed)

    async def _do(self, game: str, what: str, player: Player, body: Any = None, method: str = "POST") -> Deed:
        deed = await self.ledger.do(f"/v1/games/{game}/{what}", player, body, game, method)
        if deed.answers:
            # Whichever process is asked: what was acknowledged has happened.
            await self.ledger.get(f"/v1/games/{game}", wanted=deed.answers[-1]["version"])
        return deed


async def seated(
    ledger: Ledger, address: str, rulesets: Sequence[str], rng: Random, stop: asyncio.Event
) -> list[Table]:
    """Return a table for each ruleset, its players and official registered."""
    tables: list[Table] = []
    async with httpx.AsyncClient(base_url=address, timeout=60, trust_env=False) as client:
        for number, ruleset in enumerate(rulesets):
            players = [
                await _registered(client, f"{name} {number}") for name in ("Anna", "Bert", "Carl")[: 2 + number % 2]
            ]
            official = await _registered(client, f"Julia {number}")
            tables.append(Table(ledger, players, official, ruleset, rng, stop))
    return tables


async def _registered(client: httpx.AsyncClient, name: str) -> Player:
    answer = (await client.post("/v1/players", json={"name": name})).json()
    return Player(answer["player"]["id"], f"Bearer {answer['token']}")
