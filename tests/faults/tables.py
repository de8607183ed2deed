"""Bots at tables: each table plays game after game, until it is told to stop.

Besides commands they do what players do around the table: they hand their seats over and resign, agree to an end or do
not, give each other time, ask for flags, and read their inboxes.
"""

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

REORDERED: Final = 0.2
"""How often the second of two commands sets out before the first."""

HANDED: Final = 0.08
"""How often a seat that is asked is handed over instead: to the reserve of the table, or back to its player before."""

PROPOSED: Final = 0.08
"""How often a seat that is asked proposes an end instead. The others answer at once, and agree half the time."""

GIVEN: Final = 0.1
"""How often it gives another seat time, or asks for the flag of one, which the clock does not let fall."""

RESIGNED: Final = 0.01
"""How often it resigns, one seat in a game: when nobody is left, a game pauses."""

READ: Final = 0.1
"""How often its player reads what they were told of the game, too."""


class Table(Struct, eq=False):
    """A table, its players, who is the official of its games at times, and the games; `over` says that one is over."""

    ledger: Ledger
    players: Sequence[Player]
    official: Player
    reserve: Player
    ruleset: str
    rng: Random
    stop: asyncio.Event
    reads: bool = True
    games: list[str] = field(default_factory=list[str])
    over: bool = False
    resigned: set[str] = field(default_factory=set[str])
    handed: dict[str, tuple[str, Player]] = field(default_factory=dict[str, tuple[str, Player]])
    """The seat of each game that changed hands, and who can have it next."""

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
        asked = {seat for proposed in now["end_proposals"] for seat in proposed["waits_for"]}
        acts = [self._answer(game, now, seat) for seat in sorted(asked)]
        acts += [self._one_act(game, now, seat) for seat in sorted(waiting - asked)]
        if self.rng.random() < APPOINTED:
            acts.append(self._appoint(game, now))
        await asyncio.gather(*acts)
        return True

    async def _appoint(self, game: str, now: Answer) -> None:
        method, done = ("DELETE", "released") if now["officials"] else ("PUT", "named")
        deed = await self._do(game, f"officials/{self.official.id}", self.players[0], method=method)
        self.ledger.counts[done] += bool(deed.answers)

    def _of(self, now: Answer, seat: str) -> Player:
        """Return who holds a seat."""
        holder = next(each["player"] for each in now["seats"] if each["seat"] == seat)
        return next(each for each in (*self.players, self.reserve) if each.id == holder)

    async def _one_act(self, game: str, now: Answer, seat: str) -> None:
        """Let a seat that is asked answer; now and then it does something else."""
        player, chosen = self._of(now, seat), self.rng.random()
        if self.reads and self.rng.random() < READ:
            await self.ledger.read(player, game, now["version"])
        if chosen < HANDED and self.handed.get(game, (seat, player))[0] == seat:
            await self._hand_over(game, seat, player)
        elif (chosen := chosen - HANDED) < PROPOSED:
            order = [[each["seat"]] for each in now["seats"]]
            deed = await self._do(game, "end-proposals", player, {"order": self.rng.sample(order, len(order))})
            self.ledger.counts["proposed"] += bool(deed.answers)
        elif (chosen := chosen - PROPOSED) < GIVEN:
            other = next(each["seat"] for each in now["seats"] if each["seat"] != seat)
            if chosen < GIVEN / 2:
                deed = await self._do(game, "time", player, {"seat": other, "seconds": 5})
                self.ledger.counts["given"] += bool(deed.answers)
            else:
                self.ledger.counts["flags"] += bool((await self._do(game, f"flags/{other}", player)).refused)
        elif chosen - GIVEN < RESIGNED and game not in self.resigned:
            self.resigned.add(game)
            deed = await self._do(game, f"seats/{seat}/resignation", player)
            self.ledger.counts["resigned"] += bool(deed.answers)
        else:
            await self._act(game, now, seat, player)

    async def _hand_over(self, game: str, seat: str, player: Player) -> None:
        """Offer a seat, and let the other player of it accept; who held it may be told no secret of it any more."""
        other = self.handed.get(game, (seat, self.reserve))[1]
        await self._do(game, f"seats/{seat}/offer", player, {"to": other.id})
        self.ledger.gone.add((game, player.id))
        if (await self._do(game, f"seats/{seat}/acceptance", other)).answers:
            self.ledger.counts["handed"] += 1
            self.handed[game] = seat, player

    async def _answer(self, game: str, now: Answer, seat: str) -> None:
        """Let a seat answer the proposals of an end that wait for it."""
        for proposed in now["end_proposals"]:
            if seat in proposed["waits_for"]:
                agrees = self.rng.random() < 0.5
                path = f"end-proposals/{proposed['proposed']}/answer"
                deed = await self._do(game, path, self._of(now, seat), {"agrees": agrees})
                self.ledger.counts["agreed" if agrees else "declined"] += bool(deed.answers)

    async def _act(self, game: str, now: Answer, seat: str, player: Player) -> None:
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
    ledger: Ledger, address: str, rulesets: Sequence[str], rng: Random, stop: asyncio.Event, *, reads: bool = True
) -> list[Table]:
    """Return a table for each ruleset, its players and official registered.

    `reads` is whether players read their inboxes, which a service without projections does not have.
    """
    tables: list[Table] = []
    async with httpx.AsyncClient(base_url=address, timeout=60, trust_env=False) as client:
        for number, ruleset in enumerate(rulesets):
            players = [
                await _registered(client, f"{name} {number}") for name in ("Anna", "Bert", "Carl")[: 2 + number % 2]
            ]
            official, reserve = [await _registered(client, f"{name} {number}") for name in ("Julia", "Emil")]
            tables.append(Table(ledger, players, official, reserve, ruleset, rng, stop, reads))
    return tables


async def _registered(client: httpx.AsyncClient, name: str) -> Player:
    answer = (await client.post("/v1/players", json={"name": name})).json()
    return Player(answer["player"]["id"], f"Bearer {answer['token']}")
