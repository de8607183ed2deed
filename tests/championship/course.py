"""The course of a championship: entered, drawn, played, disturbed, closed, exported and verified."""

import asyncio
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, Final

import httpx
from msgspec import Struct, field

from tests.championship.rig import Fleet
from tests.championship.standings import Book
from tests.championship.tables import WAYS, Match, Way, insist
from tests.faults.ledger import Answer, Ledger, Player

DAY: Final = 25
"""Hours after which results count by themselves, and a game that goes on may be adjudicated."""


class Plan(Struct, frozen=True):
    """What is played.

    Attributes:
        regulations: those of the tournament, but for what all championships have in common.
        players: how many enter.
        length: about so many commands are given at a table before its players come to an end.
        ways: the ways in which games end, taken in turn.
        crashes: whether every process is killed in the middle of each round.
        patience: how many seconds a round may take.
    """

    regulations: Mapping[str, Any]
    players: int
    length: int
    ways: Sequence[Way] = WAYS
    crashes: bool = True
    patience: int = 600

    @property
    def rounds(self) -> int:
        return sum(stage["rounds"] for stage in self.regulations["stages"])


class Outcome(Struct):
    """What came of a championship.

    Attributes:
        wrong: what must not be, in sentences.
        verdict: the last line of `tabularium verify`.
    """

    tournament: str = ""
    games: int = 0
    commands: int = 0
    ways: dict[str, int] = field(default_factory=dict[str, int])
    cases: int = 0
    verdict: str = ""
    wrong: list[str] = field(default_factory=list[str])


class Championship:
    """A tournament, by requests to a service that is killed meanwhile."""

    def __init__(self, ledger: Ledger, fleet: Fleet, plan: Plan, rng: Random) -> None:
        self._ledger = ledger
        self._fleet = fleet
        self._plan = plan
        self._rng = rng
        self._people: dict[str, Player] = {}
        self._director: Player
        self._reserve: Player
        self._late: Player
        self._matches: list[Match] = []
        self.url = ""
        self.outcome = Outcome()

    async def run(self, folder: Path) -> Outcome:
        """Play it from its announcement to its close, and return what came of it. The exports go into the folder."""
        await self._announce()
        for number in range(1, self._plan.rounds + 1):
            try:
                async with asyncio.timeout(self._plan.patience):
                    await self._drop_out(number)
                    await self._round(number, is_last=number == self._plan.rounds)
                    await self._compare()
            except TimeoutError:
                raise TimeoutError(f"round {number} goes on: {await self._stuck()}") from None
        await self._do("closing")
        book = await self._compare()
        told = [sorted(tied) for tied in book.closed or []]
        if told != [sorted(tied) for tied in book.standings()]:
            self._wrong(f"it was closed with {told}, and {book.standings()} is right")
        await self._export(folder)
        await self._verify(folder)
        return self.outcome

    # --- before the first round ---

    async def register(self) -> None:
        """Register everybody; nothing is to be killed meanwhile, for a registration has no idempotency key."""
        async with self._asking() as client:
            names = ["Zeno", "Rhea", "Lena", *(f"Player {number}" for number in range(1, self._plan.players + 1))]
            for name in names:
                told = (await client.post("/v1/players", json={"name": name})).raise_for_status().json()
                player = Player(told["player"]["id"], f"Bearer {told['token']}")
                self._people[player.id] = player
        self._director, self._reserve, self._late, *_ = self._people.values()

    async def _announce(self) -> None:
        usual = {"bye": 30, "late": min(2, self._plan.rounds), "unfinished": {"days": 1}, "confirmed_after": 24}
        wish = {"regulations": {**usual, **self._plan.regulations}, "title": "Championship"}
        told = await insist(self._ledger, "/v1/tournaments", self._director, wish)
        self.outcome.tournament = told["summary"]["tournament"]
        self.url = f"/v1/tournaments/{self.outcome.tournament}"
        entering = [each for each in self._people.values() if each not in (self._director, self._late)]
        await asyncio.gather(*(self._enter(player, f"Club {at % 5}") for at, player in enumerate(entering)))

    async def _enter(self, player: Player, club: str) -> None:
        """Enter and check in; the reserve does not check in, and so is drawn at no table."""
        await self._do("entries", {"club": club}, player)
        if player != self._reserve:
            await self._do("check-in", {"entropy": f"luck of {player.id}"}, player)

    # --- rounds ---

    async def _drop_out(self, number: int) -> None:
        """Let players leave between two rounds, one come late, and another be punished."""
        if number == 1:
            return
        now = await self._ledger.get(self.url)
        playing = [each["player"] for each in now["players"] if not each["out"] and each["checked_in"]]
        leaving, other = self._rng.sample(playing, 2)
        match number % 3:
            case 2:
                await insist(self._ledger, f"{self.url}/entries/me", self._people[leaving], method="DELETE")
                if number == 2:
                    await self._enter(self._late, "Club of the late")
            case 0:
                await self._do("drops", {"player": leaving, "reason": "Absent without a word."})
            case _:
                exclusion = {"player": leaving, "sort": "exclusion", "reason": "Threw the dice out of the window."}
                await self._do("penalties", exclusion)
        await self._do("penalties", {"player": other, "sort": "points", "points": 5, "reason": "Late."})
        await self._do("penalties", {"player": other, "sort": "warning", "reason": "Late again."})

    async def _round(self, place: int, *, is_last: bool) -> None:
        number = await self._draw(cancelled=place == 2)
        opened = await self._until(number, lambda table: table["game"] is not None)
        for at, table in enumerate(opened["tables"]):
            self._matches.append(self._match(number, table, at))
        matches = [match for match in self._matches if match.round == number]
        crash = asyncio.create_task(self._crash_between(matches)) if self._plan.crashes else None
        await asyncio.gather(*(match.play() for match in matches))
        if crash is not None:
            await crash
        left = {match.number for match in matches if not await match.is_over()}
        await self._until(number, lambda table: table["number"] in left or table["result"] is not None)
        await self._settle(number, matches, left, is_last=is_last)
        self.outcome.games += len(matches)
        self.outcome.commands += sum(match.moved for match in matches)
        self.outcome.cases += sum(len(match.cases) for match in matches)

    def _match(self, number: int, table: Answer, at: int) -> Match:
        plan, ways = self._plan, self._plan.ways
        way = ways[(at + number - 1) % len(ways)]
        if way == "handed over" and any((each.round, each.way) == (number, way) for each in self._matches):
            way = "agreed"  # the reserve sits at one table of a round
        self.outcome.ways[way] = self.outcome.ways.get(way, 0) + 1
        length = self._rng.randint(plan.length // 2, plan.length + plan.length // 2)
        given = (self.url, number, table["number"], table["game"], self._people, self._director, self._reserve)
        return Match(self._ledger, *given, way, length, Random(self._rng.getrandbits(64)))

    async def _draw(self, *, cancelled: bool) -> int:
        """Draw a round and publish it, by hand at times; or cancel it first, and draw another one."""
        drawn = await self._do("rounds")
        if self._rng.random() < 0.4:
            drawn = await self._do("rounds")
        number, draft = drawn["number"], drawn["drafts"][-1]
        publication: Answer = {"draft": draft["draft"]}
        tables = draft["drawn"]["tables"]
        if self._rng.random() < 0.4 and tables != tables[::-1]:
            publication["drawn"] = {"tables": tables[::-1], "byes": draft["drawn"]["byes"]}
            publication["reason"] = "The last table has the better light."
        await self._do(f"rounds/{number}/publication", publication)
        if cancelled:
            await self._do(f"rounds/{number}/cancellation", {"reason": "Fire alarm."})
            return await self._draw(cancelled=False)
        return number

    async def _crash_between(self, matches: list[Match]) -> None:
        """Kill every process when a third of the commands were given."""
        while sum(match.moved for match in matches) < sum(match.length for match in matches) / 3:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        await self._fleet.crash()

    async def _settle(self, number: int, matches: list[Match], left: set[int], *, is_last: bool) -> None:
        """A day passes: results count by themselves, the director decides what is left, and a ruling comes late."""
        self._fleet.put_on(DAY)
        unfinished = [match for match in matches if match.number in left]
        disputed = [match for match in matches if match.way == "disputed" and match.cases]
        for match in unfinished:
            players = (await self._table(match))["players"]
            order = [[player] for player in self._rng.sample(players, len(players))]
            await self._do(f"rounds/{number}/tables/{match.number}/result", {"order": order, "reason": "Time is up."})
            await match.agree()  # too late to change anything
        waiting = {match.number for match in disputed}
        if not is_last:
            await self._until(number, lambda table: table["number"] in waiting or _counts(table))
        for match in disputed:
            if _counts(await self._table(match)):
                self._wrong(f"the result of table {match.number} counts, though a case about it is open")
            await match.rule_on_the_result()
            await self._confirm(match)
            if (result := (await self._table(match))["result"])["order"] != match.ruled:
                self._wrong(f"{match.ruled} was ruled in {match.cases}, and {result} counts")
        if is_last:
            for match in matches:
                await self._confirm(match)
        await self._until(number, _counts)

    async def _confirm(self, match: Match) -> None:
        if not _counts(await self._table(match)):
            await self._do(f"rounds/{match.round}/tables/{match.number}/confirmation")

    async def _table(self, match: Match) -> Answer:
        return (await self._ledger.get(f"{self.url}/rounds/{match.round}"))["tables"][match.number - 1]

    async def _until(self, number: int, holds: Callable[[Answer], bool]) -> Answer:
        """Return a round when something holds of all its tables."""
        while True:
            now = await self._ledger.get(f"{self.url}/rounds/{number}")
            if all(map(holds, now["tables"])):
                return now
            await asyncio.sleep(0.2)

    async def _stuck(self) -> list[str]:
        """Say of the tables of the last round how far they are."""
        told = list[str]()
        for match in self._matches:
            if match.round == self._matches[-1].round:
                now, table = await match.look(), await self._table(match)
                waits = {name: now[name] for name in ("version", "decisions", "given_up", "paused", "end_proposals")}
                told.append(f"{match.game} ({match.way}) is {now['status']}: {waits}, {table['result']}")
        return told

    # --- what must be true ---

    async def _compare(self) -> Book:
        """Compare the standings of the service with those that another program finds in the export."""
        book = Book((await self._download(f"{self.url}/export")).splitlines())
        told = (await self._ledger.get(f"{self.url}/standings"))["items"]
        order = book.standings()
        place, found = 1, dict[str, tuple[int, Fraction]]()
        for tied in order:
            found |= {player: (place, book.points(player)) for player in tied}
            place += len(tied)
        if {each["player"]: (each["place"], Fraction(each["points"])) for each in told} != found:
            self._wrong(f"the service has the standings {told}, and {order} is right")
        return book

    async def _export(self, folder: Path) -> None:
        """Write the exports of the tournament, of its games, also of cancelled rounds, and of its cases."""
        lines = await self._download(f"{self.url}/export")
        opened = [row["event"]["game"] for row in map(json.loads, lines.splitlines()) if _opens(row)]
        (folder / f"{self.outcome.tournament}.jsonl").write_bytes(lines)
        for game in opened:
            (folder / f"{game}.jsonl").write_bytes(await self._download(f"/v1/games/{game}/export"))
        for case in (case for match in self._matches for case in match.cases):
            content = await self._download(f"/v1/cases/{case}/export", self._director.token)
            (folder / f"{case}.jsonl").write_bytes(content)

    async def _verify(self, folder: Path) -> None:
        """Verify all exports offline, in a process that knows nothing of the service."""
        verifying = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "service.cli", "verify", str(folder)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said = (await verifying.communicate())[0].decode()
        self.outcome.verdict = said.splitlines()[-1] if said else ""
        if verifying.returncode or "exports are missing" in said:
            self._wrong(f"tabularium verify says {said}")

    async def _download(self, path: str, token: str = "") -> bytes:
        while True:
            try:
                async with self._asking() as client:
                    answer = await client.get(path, headers={"Authorization": token} if token else {})
                if answer.status_code == 200:
                    return answer.content
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.1)

    def _asking(self) -> httpx.AsyncClient:
        address = self._rng.choice(self._fleet.addresses())
        return httpx.AsyncClient(base_url=address, timeout=60, trust_env=False)

    async def _do(self, what: str, body: Any = None, player: Player | None = None) -> Answer:
        return await insist(self._ledger, f"{self.url}/{what}", player or self._director, body)

    def _wrong(self, what: str) -> None:
        self.outcome.wrong.append(f"{self.outcome.tournament}: {what}")


def _counts(table: Answer) -> bool:
    return table["result"] is not None and table["result"]["confirmed"]


def _opens(row: Answer) -> bool:
    return "event" in row and row["event"]["type"] == "table-opened"
