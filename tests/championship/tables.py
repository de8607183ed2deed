"""How the game of a table goes: what its players do until it is over, or until nobody does anything any more."""

import asyncio
from collections.abc import Mapping
from random import Random
from typing import Any, Final, Literal

from msgspec import Struct, field

from domain.kernel.rules import schema
from tests.faults.ledger import Answer, Deed, Ledger, Player

Way = Literal["agreed", "declined", "resigned", "handed over", "flag", "unfinished", "case", "disputed"]
"""How a game ends: agreed, or only after somebody declined; after all but one resigned; by a substitute; after a flag
fell; not at all; agreed after a case that changed nothing; or agreed, and disputed afterwards."""

WAYS: Final[tuple[Way, ...]] = ("agreed", "handed over", "resigned", "case", "disputed", "unfinished", "declined")
LOOK: Final = 0.05
"""Seconds between two looks at a game in which nobody can do anything just now."""


class Refused(Exception):
    """The service refused what it must not refuse."""


async def insist(ledger: Ledger, path: str, player: Player, body: Any = None, method: str = "POST") -> Answer:
    """Ask for something until it is done. Raises `Refused`."""
    while True:
        deed = await ledger.do(path, player, body, method=method)
        if deed.answers:
            return deed.answers[0]
        if deed.refused:
            raise Refused(f"{method} {path} {body}: {deed.refused[0]} {deed.why}")


class Match(Struct, eq=False):
    """The game of a table, and how it goes.

    Attributes:
        tournament: the address of the tournament.
        round, number: which table it is.
        game: the id of its game.
        people: everybody who may come to sit there, by their accounts.
        director: who directs the tournament, and is an official of the game.
        reserve: who can take a seat over.
        length: so many commands are given before the players come to an end.
        moved: the commands that were given so far.
        ruled: the order of players that was ruled, in the way `disputed`.
    """

    ledger: Ledger
    tournament: str
    round: int
    number: int
    game: str
    people: Mapping[str, Player]
    director: Player
    reserve: Player | None
    way: Way
    length: int
    rng: Random
    moved: int = 0
    ruled: list[list[str]] | None = None
    cases: list[str] = field(default_factory=list[str])

    @property
    def url(self) -> str:
        return f"/v1/games/{self.game}"

    async def play(self) -> None:
        """Play until the game is over, or as far as players do who then vanish."""
        await self._begin()
        await self._move(self.length // 2)
        match self.way:
            case "handed over":
                await self._hand_over()
            case "resigned":
                await self._resign()
            case "case":
                await self._dispute_a_step()
            case "flag":
                await self._wait_for_flag()
            case _:
                pass
        if self.way != "unfinished":
            await self._move(self.length)
            await self.agree()
        if self.way == "disputed" and await self.is_over():
            await self._dispute_the_result()

    async def _begin(self) -> None:
        """Confirm all seats; or all but one, and one of the players starts the game."""
        waits_for_all = self.rng.random() < 0.7
        while (now := await self.look())["status"] == "gathering":
            seats = [each for each in now["seats"] if each["seat"] in now["assigned"]]
            for each in seats if waits_for_all else seats[1:]:
                await self._do(f"seats/{each['seat']}/confirmation", self._of(each), {})
            if seats and not waits_for_all:
                await self._do("start", self._of(seats[0]))
            await asyncio.sleep(LOOK)

    # --- what players do ---

    async def _move(self, until: int) -> None:
        """Let the seats that are asked answer, until so many commands were given."""
        while self.moved < until and (now := await self.look())["status"] == "running":
            asked = {seat for decision in now["decisions"] for seat in decision["seats"]} - {*now["given_up"]}
            if not asked or now["paused"] is not None:
                return
            done = await asyncio.gather(*(self._command(now, seat) for seat in sorted(asked)))
            self.moved += sum(done)

    async def _command(self, now: Answer, seat: str) -> bool:
        player = self._at(now, seat)
        view = await self.ledger.get(f"{self.url}/options", player.token, now["version"])
        options = [each for each in view["options"] if each["command"] != "undo"]
        if not (answers := [each for each in options if each.get("decision")] or options):
            return False  # another command was quicker
        command = schema.sample(self.rng.choice(answers)["schema"], self.rng)
        return bool((await self._do("commands", player, {"command": command})).answers)

    async def agree(self) -> None:
        """Come to an end by agreement; in the way `declined`, somebody declines the first proposal.

        A game that paused because the clock had answered for everybody stays without an end.
        """
        declines = self.way == "declined"
        while (now := await self.look())["status"] == "running" and now["paused"] is None:
            proposals = now["end_proposals"]
            if not proposals:
                await self._propose(now)
            for proposed in proposals:
                for seat in proposed["waits_for"]:
                    path = f"end-proposals/{proposed['proposed']}/answer"
                    agrees, declines = not declines, False
                    await self._do(path, self._at(now, seat), {"agrees": agrees})
                    if not agrees:
                        break
            await asyncio.sleep(0)

    async def _propose(self, now: Answer) -> None:
        present = [each["seat"] for each in now["seats"] if each["seat"] not in now["given_up"]]
        if not present:  # their clocks ran out: somebody comes back
            each = self.rng.choice([each for each in now["seats"] if each["seat"] not in now["resigned"]])
            await self._do(f"seats/{each['seat']}/acceptance", self._of(each))
            return
        order = [[each["seat"]] for each in now["seats"]]
        self.rng.shuffle(order)
        if self.rng.random() < 0.3:
            order[:2] = [order[0] + order[1]]
        deed = await self._do("end-proposals", self._at(now, self.rng.choice(present)), {"order": order})
        if deed.refused:  # that seat has proposed an end in this round, or is out of the game
            await self._move(self.moved + 1)

    async def _hand_over(self) -> None:
        now = await self.look()
        if self.reserve is None or now["status"] != "running":
            return
        seat = self.rng.choice(now["seats"])
        player, substitute = self._of(seat), self.reserve
        wish = {"player": player.id, "to": substitute.id, "reason": "Called away."}
        await insist(self.ledger, f"{self._table}/substitutes", self.director, wish)
        self.ledger.gone.add((self.game, player.id))
        while self._of(seat) != substitute:
            await self._do(f"seats/{seat['seat']}/offer", player, {"to": substitute.id})
            await self._do(f"seats/{seat['seat']}/acceptance", substitute)
            seat = next(each for each in (await self.look())["seats"] if each["seat"] == seat["seat"])

    async def _resign(self) -> None:
        now = await self.look()
        for each in self.rng.sample(now["seats"], len(now["seats"]) - 1):
            await self._do(f"seats/{each['seat']}/resignation", self._of(each))

    async def _wait_for_flag(self) -> None:
        while not (now := await self.look())["given_up"] and now["status"] == "running":  # noqa: ASYNC110
            await asyncio.sleep(0.5)

    # --- cases ---

    async def _dispute_a_step(self) -> None:
        """Dispute a step; another seat answers, and the director lets the game stand."""
        now = await self.look()
        if now["status"] != "running":
            return
        case = await self._open(now, {"kind": "dice", "version": now["version"], "statement": "Nobody rolls so low."})
        answering = self._of(now["seats"][1])
        await insist(self.ledger, f"/v1/cases/{case}/answer", answering, {"statement": "The dice were committed to."})
        await self._rule(case, {"decision": "stands", "rules": ["TAB-CASE-02"], "reason": "It is proved at the end."})

    async def _dispute_the_result(self) -> None:
        now = await self.look()
        complaint = {"kind": "result", "version": now["version"], "statement": "We agreed on another order."}
        await self._open(now, complaint)

    async def rule_on_the_result(self) -> None:
        """Rule on the result that was disputed: another order."""
        now = await self.look()
        order = [[each["seat"]] for each in now["seats"]]
        self.rng.shuffle(order)
        ruling = {"decision": "result", "rules": ["TAB-RUL-09"], "reason": "Both say so.", "order": order}
        await self._rule(self.cases[0], ruling)
        holders = {each["seat"]: each["player"] for each in now["seats"]}
        self.ruled = [[holders[seat] for seat in tied] for tied in order]

    async def _open(self, now: Answer, complaint: Answer) -> str:
        opened = await insist(self.ledger, f"{self.url}/cases", self._of(now["seats"][0]), complaint)
        self.cases.append(opened["summary"]["case"])
        return self.cases[-1]

    async def _rule(self, case: str, ruling: Answer) -> None:
        while True:  # the game may go on between the look and the ruling
            now = await self.look()
            made = {**ruling, "version": now["version"], "hash": now["head"]}
            deed = await self.ledger.do(f"/v1/cases/{case}/rulings", self.director, made)
            if deed.answers:
                return
            if deed.refused and deed.refused[0] != "/problems/stale-version":
                raise Refused(f"a ruling on {case}: {deed.refused[0]} {deed.why}")

    # --- the service ---

    @property
    def _table(self) -> str:
        return f"{self.tournament}/rounds/{self.round}/tables/{self.number}"

    async def look(self) -> Answer:
        return await self.ledger.get(self.url)

    async def is_over(self) -> bool:
        return (await self.look())["status"] == "over"

    def _of(self, seat: Answer) -> Player:
        return self.people[seat["player"]]

    def _at(self, now: Answer, seat: str) -> Player:
        return self._of(next(each for each in now["seats"] if each["seat"] == seat))

    async def _do(self, what: str, player: Player, body: Any = None) -> Deed:
        return await self.ledger.do(f"{self.url}/{what}", player, body, self.game)
