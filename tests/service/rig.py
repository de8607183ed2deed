"""Games to test with: the tiny auction over a real file, and a clock that ticks by itself."""

import contextlib
import hashlib
import itertools
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from domain.boards.drawing import Drawing, drawing_of, drawing_problems
from domain.kernel.ids import GameId, PlayerId, Seat, Version
from domain.kernel.log.lifecycle import Sight
from domain.kernel.rules.board import Board
from domain.kernel.rules.ruleset import Library
from service.accounts.accounts import Accounts
from service.accounts.caller import Caller
from service.base.scopes import EVERYBODYS, Scope
from service.base.settings import Settings
from service.cluster.wake import LocalWake
from service.games.acts import Commands, Start, TakeSeat
from service.games.creating import create_game
from service.games.games import Games
from service.games.requests import Done
from service.store.backend import backend_of
from service.store.protocol import EventStore
from tests.tiny.auction import ROOM, ROOM_MAP, SEATS, TinyAuction

RED, BLUE = SEATS[:2]
ANNA, BERT, CARL = map(PlayerId, ("panna", "pbert", "pcarl"))
LIBRARY = Library([TinyAuction()])


def caller(player: PlayerId, *scopes: Scope) -> Caller:
    """Return somebody with a token for `scopes`; without any, for all that a player's token may be for."""
    granted = frozenset(scopes or EVERYBODYS)
    return Caller(player, granted, granted, None, b"")


def ticking() -> Callable[[], datetime]:
    """Return a clock that goes on by a second whenever it is read."""
    seconds = itertools.count()
    return lambda: datetime(2026, 11, 21, 6, tzinfo=UTC) + timedelta(seconds=next(seconds))


class Hands:
    """A clock that is put on by hand."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 6, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now


def fixed_randomness(seed: str = "tests") -> Callable[[int], bytes]:
    """Return what always returns the same bytes in turn."""
    numbers = itertools.count()
    return lambda count: hashlib.shake_128(f"{seed}/{next(numbers)}".encode()).digest(count)


def own_board(board_id: str) -> Board:
    assert board_id == ROOM.id
    return ROOM


def own_drawing(board: Board) -> Drawing | None:
    return drawing_of(board) if any(drawing_problems(ROOM_MAP, board)) else ROOM_MAP


class Rig(Struct, eq=False):
    """Games and what they stand on."""

    games: Games
    store: EventStore
    wake: LocalWake
    accounts: Accounts
    settings: Settings

    async def begun(
        self, players: int = 2, organizer: PlayerId = ANNA, organizer_sees: Sight = "spectator", **setup: Any
    ) -> GameId:
        """Return a new game that has begun: `ANNA` sits on red, `BERT` on blue, `CARL` on green."""
        created = await create_game(
            self.games, organizer, "tiny-auction", players, setup, organizer_sees=organizer_sees
        )
        game = created.game
        for player in (ANNA, BERT, CARL)[:players]:
            await self.games.act(game, player, TakeSeat())
        await self.games.act(game, organizer, Start())
        return game

    async def give(self, game: GameId, player: PlayerId, kind: str, *, key: str | None = None, **fields: Any) -> Done:
        return await self.games.act(game, player, Commands([command(kind, **fields)]), key=key)

    async def play_round(self, game: GameId, prize: int = 1) -> Version:
        """Play one round of the auction: each seat bids the first card that it may."""
        now = await self.games.game(game)
        auctioneer = now.players[now.decisions[0].seats[0]]
        assert auctioneer is not None
        await self.give(game, auctioneer, "put-up", coins=prize)
        await self.give(game, auctioneer, "open-bidding")
        while (now := await self.games.game(game)).decisions and now.decisions[0].kind == "choose-card":
            seat = now.decisions[0].seats[0]
            player = now.players[seat]
            assert player is not None
            await self.give(game, player, "choose-card", card=await self.first_card(game, seat))
        return now.version

    async def first_card(self, game: GameId, seat: Seat) -> int:
        options = (await self.games.game(game)).options(seat, await self.games.vault(game))
        card = next(option for option in options if option.command == "choose-card").schema["properties"]["card"]
        return card["const"] if "const" in card else card["enum"][0]


def command(kind: str, **fields: Any) -> bytes:
    return msgspec.json.encode({"type": kind, **fields})


@contextlib.asynccontextmanager
async def open_rig(path: Path, **settings: Any) -> AsyncIterator[Rig]:
    """Open games over the file in the directory `path`, or over `database_url`, whatever is in it already."""
    chosen = Settings(data=path, **settings)
    store = await backend_of(chosen).open_store()
    wake, clock = LocalWake(), ticking()
    games = Games(store, LIBRARY, wake, clock, chosen, boards=own_board)
    yield Rig(games, store, wake, Accounts(store.accounts, clock), chosen)
    await games.close()
    await store.close()
