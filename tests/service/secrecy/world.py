"""One world: a game played through HTTP by rules and chance that are known, and what comes of it for those who look."""

import asyncio
import contextlib
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, Final
from unittest import mock

import msgspec
import structlog
from msgspec import Struct

from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.log.game import Game
from domain.kernel.rules.ruleset import Library
from projections.library import PROJECTIONS
from service.base.scopes import SCOPES
from service.bots.playing import question_for
from service.games.snapshots import take
from service.webhooks.push import new_push_key
from tests.service.api.serving import Player, Service, serving
from tests.service.rig import fixed_randomness
from tests.service.secrecy.surface import Onlooker, Seen, onlooker
from tests.service.secrecy.twins import SEATED, Auction, Cast

LOOKS_EVERY: Final = 3
"""The commands after which everybody looks."""

CLOCK: Final = {"kind": "bank", "time": 10, "cap": 60, "grace": 0, "at_zero": "vacate"}
"""Where a seat changes hands by its clock. Time stands still until then."""

COUNTED: Final = ("tabularium_commands_total", "tabularium_refusals_total", "tabularium_events_appended_total")
"""The metrics that are about games; the others are about time and memory."""

LOST: Final = re.compile(r'kind="(fall|credit-outage|abandon|expire)",outcome="conflict"')
"""What the service tried in vain, because it looked at a game too early or too late. That depends on the machine."""

PUSH_KEY: Final = new_push_key()
"""Its public part is shown to everybody: two worlds have the same."""


class Moment(Struct, frozen=True):
    """What there is to be seen at one version.

    Attributes:
        turned_up: the events by which the rules have made secrets public up to now.
        seen: what each of those who are not in the secret can get.
        kept: what the service itself writes down beside log and secrets: projections, a snapshot, its own log, metrics.
        insider: the position as an organizer without a seat sees it, or else the seats that are in the secret.
        salts: the salts of what nobody who looks may read.
    """

    version: int
    turned_up: tuple[bytes, ...]
    seen: Mapping[str, Seen]
    kept: Mapping[str, Any]
    insider: bytes
    salts: tuple[str, ...]


async def lived(cast: Cast, *, swapped: bool, data: Path, database_url: str) -> list[Moment]:
    """Play the game of `cast` in one of its two worlds, and return what was to be seen of it until it was over."""
    chance = fixed_randomness(f"tokens {cast.seed}")
    tokens = SimpleNamespace(token_bytes=chance, token_urlsafe=lambda count: chance(count).hex())
    with (
        structlog.testing.capture_logs() as log,
        mock.patch("service.readmodels.FLUSH", 0.01),
        # Of a PNG what it is made of is compared: that says more, and converting it takes a process each time.
        mock.patch("service.api.pictures.routes.png", _unconverted),
        mock.patch("service.accounts.values.secrets", tokens),
        mock.patch("service.accounts.invitations.secrets", tokens),
        # When tokens were used is told after a minute of the wall clock, and so perhaps in one world only.
        mock.patch("service.accounts.callers.FLUSH", 3600.0),
    ):
        auction = Auction(cast, swapped=swapped)
        # The time stands still: how often the service looks at the clock depends on how quick the machine is.
        hands = _Hands()
        chosen: dict[str, Any] = {"library": Library([auction]), "randomness": fixed_randomness(f"world {cast.seed}")}
        chosen["clock"] = hands
        # When a head is signed is a matter of the wall clock; its hash is what the events show anyway.
        chosen["transparency"] = False
        chosen["push_key"] = PUSH_KEY
        async with serving(data, durable=False, database_url=database_url, **chosen) as service:
            return await _World(cast, auction, service, log, hands).lived()


async def _unconverted(svg: bytes, width: int) -> bytes:
    return svg


class _Hands:
    """A clock that is put on by hand."""

    now = datetime(2026, 11, 21, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


class _World:
    def __init__(self, cast: Cast, auction: Auction, service: Service, log: list[Any], hands: _Hands) -> None:
        self._cast = cast
        self._auction = auction
        self._service = service
        self._log = log
        self._hands = hands
        self._rng = Random(cast.seed)
        self._answers = 0
        self._key = "k0"

        async def count(_: Any) -> None:
            self._answers += 1

        service.client.event_hooks["response"].append(count)

    async def lived(self) -> list[Moment]:
        service, moments = self._service, list[Moment]()
        self._players = [await service.register(name) for name in SEATED[: self._cast.seats]]
        chair, official = await service.register("Chair"), await self._official()
        organizer = chair if self._cast.organizer is None else self._players[self._cast.organizer]
        wish = {"ruleset": "tiny-auction", "players": self._cast.seats, "title": "An auction to look at"}
        wish["organizer_sees"] = self._cast.sees
        wish |= {"clock": CLOCK} if self._cast.way == "clock" else {}
        self._game = (await service.post("/v1/games", organizer, wish))["id"]
        for player in self._players:
            await service.post(self._address("/seats"), player, {"entropy": f"of {player.id}"})
        await service.post(self._address("/start"), organizer)
        self._insider = chair if organizer is chair and self._cast.sees == "all" else None
        looking = {"spectator": None, "official": official}
        looking |= {"organizer": chair} if organizer is chair and self._insider is None else {}
        looking |= {f"seat {number}": self._players[number] for number in self._cast.blind}
        handed = self._cast.handed
        if handed is not None:
            self._substitute = await service.register("Emil")
            is_blind = handed in self._cast.blind
            looking |= {"substitute": self._substitute} if is_blind else {"player before": self._players[handed]}
        async with contextlib.AsyncExitStack() as stack:
            self._onlookers = {
                name: await stack.enter_async_context(
                    onlooker(service, self._game, player, mine=player in (*self._players, organizer))
                )
                for name, player in looking.items()
            }
            for each in self._onlookers.values():  # a stream of all games knows them when it is read first
                await each.follow((await self._now()).version)
            # Until the seat changes hands this one sees what the seat sees.
            self._before = self._onlookers.pop("player before", None)
            if handed is not None:
                await self._hand_over(handed)
            moments.append(await self._moment())
            if handed is not None and self._chooses(handed, await self._now()):
                # Streams show what comes later: here what its holder before must not read.
                await self._choose(self._cast_seats[handed], self._auction.differs.get(handed, 0))
                moments.append(await self._moment())
            given = 0
            while given < self._cast.commands and (await self._now()).status == "running":
                for _ in range(LOOKS_EVERY):
                    if (await self._now()).status == "running":
                        await self._act()
                        given += 1
                if (await self._now()).status == "running":
                    moments.append(await self._moment())
        return moments

    async def _official(self) -> Player:
        """Return somebody who may do whatever an account may, but holds no seat and organizes nothing."""
        row, token = await self._service.services.accounts.register("Official", SCOPES)
        return Player(row.player, {"authorization": f"Bearer {token}"})

    def _address(self, path: str) -> str:
        return f"/v1/games/{self._game}{path}"

    async def _now(self) -> Game:
        return await self._service.services.games.game(GameId(self._game))

    # --- playing ---

    async def _act(self) -> None:
        """Give a command. Which one depends on what is public, and of cards on their place in the hand alone."""
        now, rng = await self._now(), self._rng
        table: Any = now.table
        (decision,) = now.decisions
        seat, giver = rng.choice(decision.seats), rng.choice(table.seats)
        if table.coins[giver] and giver not in table.gave and rng.random() < 0.3:
            other = next(each for each in table.seats if each != giver)
            await self._give(now, giver, {"type": "give", "coins": {other: 1}})
        elif decision.kind == "choose-card":
            await self._choose(seat, rng.randrange(len(table.hands[seat])))
        elif table.prize:
            await self._give(now, seat, {"type": "open-bidding"})
        else:
            await self._give(now, seat, {"type": "put-up", "coins": rng.randint(1, min(3, table.bank))})

    async def _choose(self, seat: Seat, place: int) -> None:
        """Choose the card at a place of a seat's hand."""
        now = await self._now()
        table: Any = now.table
        card = (await self._service.services.games.vault(now.id)).open(table.hands[seat][place])
        await self._give(now, seat, {"type": "choose-card", "card": card})

    async def _give(self, now: Game, seat: Seat, command: Mapping[str, Any]) -> None:
        self._key = f"{now.version} {seat}".replace(" ", "-")
        body = {"command": command}
        await self._service.post(self._address("/commands"), self._of(seat), body, idempotency_key=self._key)

    def _chooses(self, number: int, now: Game) -> bool:
        """Tell whether a seat has to choose a card, and is not the last, with whom all are turned up."""
        (decision,) = now.decisions
        seat = self._cast_seats[number]
        return decision.kind == "choose-card" and seat in decision.seats and len(decision.seats) > 1

    def _of(self, seat: Seat) -> Player:
        return self._players[self._cast_seats.index(seat)]

    @property
    def _cast_seats(self) -> tuple[Seat, ...]:
        return Auction(self._cast, swapped=False).seats(self._cast.seats)

    async def _hand_over(self, number: int) -> None:
        """Let a seat change hands that has to choose a card."""
        seat, service, way = self._cast_seats[number], self._service, self._cast.way
        path, player = self._address(f"/seats/{seat}"), self._players[number]
        while not self._chooses(number, await self._now()):
            await self._act()
        if way == "offer":
            await service.post(f"{path}/offer", player, {"to": self._substitute.id})
        elif way == "resignation":
            await service.post(f"{path}/resignation", player)
        else:
            others = [each for each in self._cast_seats if each != seat]
            for one, other in (others, others[::-1]):
                await service.post(self._address("/time"), self._of(one), {"seat": other, "seconds": 10})
            self._hands.now += timedelta(seconds=15)
            await until(self._is_open)
        now = await self._now()
        # A stream shows an event as it may be seen when it is sent: before the seat changes hands, in both worlds.
        for each in self._onlookers.values():
            await each.follow(now.version)
        if self._before is not None:
            await self._before.forget(now.version)
            self._onlookers["player before"], self._before = self._before, None
        accepted = await service.post(f"{path}/acceptance", self._substitute)
        taken_over = next(each["version"] for each in accepted["events"] if each["type"] == "seat-taken-over")
        for each in self._onlookers.values():
            if each.plays_as(player):
                await each.part(taken_over)
        self._players[number] = self._substitute

    async def _is_open(self) -> bool:
        now = await self._now()
        return bool(now.around.given_up) and now.seat_after_flag is None

    # --- looking ---

    async def _moment(self) -> Moment:
        now, services = await self._now(), self._service.services
        records = await services.store.read(now.id)
        blind = {self._cast_seats[number] for number in self._cast.blind}
        hidden = [each for each in (await services.games.vault(now.id)).all().values() if not blind & {*each.readers}]
        turned_up = tuple(record.event for record in records if record.type == "cards-revealed")
        return Moment(
            version=now.version,
            turned_up=turned_up,
            seen={name: await self._look(each, now.version) for name, each in self._onlookers.items()}
            | {f"bot of seat {number}": await self._asked(now, number) for number in self._cast.blind},
            kept=await self._kept(now),
            insider=await self._inside(blind),
            salts=tuple(each.salt for each in hidden if each.salt.encode() not in b"".join(turned_up)),
        )

    async def _look(self, who: Onlooker, version: int) -> Seen:
        await until(lambda: self._settled(version))
        return await who.look(version, self._players[0], self._key)

    async def _asked(self, now: Game, number: int) -> Seen:
        """Return what the process of a bot would be told if one held a seat."""
        player = PlayerId(self._players[number].id)
        return {
            "question": msgspec.json.encode(await question_for(self._service.services.games, now, player, "greedy"))
        }

    async def _kept(self, now: Game) -> dict[str, Any]:
        rows = {
            f"{projection.name}.{table.name}": await self._service.services.rows.select(
                projection, f"SELECT {', '.join([*table.key, *table.columns])} FROM {{{table.name}}} ORDER BY 1, 2"
            )
            for projection in PROJECTIONS
            for table in projection.tables
        }
        stored = await self._service.services.store.load(now.id)
        assert stored is not None
        told, _ = self._service.services.metrics.exposition("")
        counted = [line for line in told.decode().splitlines() if line.startswith(COUNTED) and not LOST.search(line)]
        return {**rows, "snapshot": take(now, stored.chance), "log": await self._logged(), "metrics": counted}

    async def _inside(self, blind: set[Seat]) -> bytes:
        """Return the position as those see it who are in the secret."""
        insiders = (
            [self._insider] if self._insider else [self._of(seat) for seat in self._cast_seats if seat not in blind]
        )
        answers = [await self._service.ask("GET", self._address("/state"), each) for each in insiders]
        return b"".join(answer.content for answer in answers)

    async def _settled(self, events: int) -> bool:
        """Tell whether the projections have folded `events` events, and the refusals up to now are written down."""
        services = self._service.services
        generations = await services.rows.generations()
        folded = [each for each in generations if each.live and each.events == events]
        counted = (sample.value for each in services.metrics.refusals.collect() for sample in each.samples)
        return len(folded) == len(PROJECTIONS) and sum(counted) == sum(row[2] for row in await services.rows.refusals())

    async def _logged(self) -> list[str]:
        """Return the lines of the service's own log, without those of the streams, which end later."""

        def lines() -> list[Any]:
            return [line for line in self._log if not str(line.get("path", "")).endswith(("/events/stream", "/socket"))]

        async def complete() -> bool:
            onlookers = (*self._onlookers.values(), *([self._before] if self._before is not None else []))
            streams = sum(each.streams for each in onlookers)
            return sum(line["event"] == "request" for line in lines()) == self._answers - streams

        await until(complete)
        told = [{name: value for name, value in line.items() if name not in ("ms", "request")} for line in lines()]
        return sorted(json.dumps(line, default=repr) for line in told)


async def until(happened: Callable[[], Awaitable[bool]]) -> None:
    for _ in range(2000):
        if await happened():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never happened")
