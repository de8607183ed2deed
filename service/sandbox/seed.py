"""The first data of every sandbox: accounts with known tokens, and games to try things with."""

import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final

import msgspec

from domain.kernel.ids import GameId, PlayerId
from domain.kernel.log.clock import PRESETS
from domain.kernel.log.game import Game
from domain.library import LIBRARY
from service.accounts.values import hashed
from service.api.controls import Seeded, SeededAccount, SeededGame
from service.api.services import Services
from service.base.ids import ID_BYTES, new_id
from service.base.scopes import EVERYBODYS, SCOPES, Scope
from service.bots.registry import bot_for
from service.games.acts import Commands, Start, TakeSeat
from service.games.creating import create_game
from service.games.seats import Resign
from service.sandbox.known import HandSet, Randomness
from service.store.accounts import PlayerRow, TokenId, TokenRow

PLAYERS: Final = ("Ann", "Ben", "Cid", "Dora", "Eva", "Finn")
ORGANIZER: Final = "Olga"
ADMINISTRATOR: Final = "Ada"

OPENED_AT: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""The time at which the accounts are opened."""

STARTS_AT: Final = datetime(2026, 1, 2, 12, tzinfo=UTC)
"""The time of a sandbox that has just begun."""

TIME_PER_COMMAND: Final = timedelta(minutes=1)
"""By how much the time advances before each command that a bot gives."""

EARLIEST: Final = 40
"""How many commands a bot gives at least: a battle that begins earlier is not interesting."""

LATEST: Final = 200
"""How many commands a bot gives at most, if no battle is under way before."""


class Seeding:
    """Fills the store of a sandbox."""

    def __init__(self, services: Services, randomness: Randomness, clock: HandSet) -> None:
        self._services = services
        self._games = services.games
        self._randomness = randomness
        self._clock = clock
        self._accounts: list[SeededAccount] = []

    async def seed(self) -> Seeded:
        """Open the accounts and the games. Return them, with the values of the tokens."""
        for name in PLAYERS:
            await self._open_account(name, EVERYBODYS)
        await self._open_account(ORGANIZER, EVERYBODYS)
        await self._open_account(ADMINISTRATOR, SCOPES)
        games = [await self._position(ruleset) for ruleset in LIBRARY.ids()]
        self._clock.now = STARTS_AT
        games += [await self._clocked(), await self._gathering(), await self._over()]
        return Seeded(tuple(self._accounts), tuple(games))

    async def _open_account(self, name: str, scopes: tuple[Scope, ...]) -> None:
        store, now = self._services.store.accounts, self._games.time()
        row = PlayerRow(PlayerId(new_id("p", self._randomness(ID_BYTES))), name, now, scopes, findable=True)
        token, value = TokenId(new_id("t", self._randomness(ID_BYTES))), f"tab_sandbox_{name.lower()}"
        await store.add(row)
        await store.add_token(TokenRow(token, row.player, "sandbox", scopes, now), hashed(value))
        self._accounts.append(SeededAccount(row.player, name, value))

    def _id_of(self, name: str) -> PlayerId:
        return next(each.player for each in self._accounts if each.name == name)

    async def _open(self, ruleset: str, title: str, seats: int, clock: str | None = None) -> GameId:
        preset = PRESETS[clock] if clock else None
        outcome = await create_game(self._games, self._id_of(ORGANIZER), ruleset, seats, title=title, clock=preset)
        return outcome.game

    async def _new_game(self, ruleset: str, title: str, seats: int, clock: str | None = None) -> GameId:
        game = await self._open(ruleset, title, seats, clock)
        for name in PLAYERS[:seats]:
            await self._games.act(game, self._id_of(name), TakeSeat(entropy=f"{name} was here"))
        await self._games.act(game, self._id_of(ORGANIZER), Start())
        return game

    async def _position(self, ruleset: str) -> SeededGame:
        """Let a bot play all seats of a game: `EARLIEST` commands, then until there is a battle, at most `LATEST`."""
        seats = next(each for each in (3, 4, 2, 5, 6) if LIBRARY.current(ruleset).seats(each))
        game_id = await self._new_game(ruleset, f"Sandbox: {LIBRARY.current(ruleset).title}", seats)
        game, rng = await self._games.game(game_id), Random(f"sandbox/{ruleset}")
        bot = bot_for(ruleset, rng, msgspec.to_builtins(game.board))
        for number in range(LATEST):
            if number >= EARLIEST and _is_battle(game):
                return SeededGame(game_id, f"A battle of {game.ruleset.title}.")
            seat, vault = game.decisions[0].seats[0], await self._games.vault(game_id)
            view = json.loads(msgspec.json.encode(game.view(seat, vault)))
            options = json.loads(msgspec.json.encode(game.options(seat, vault)))
            command = msgspec.json.encode(bot.choose(seat, view, options))
            player = game.players[seat]
            assert player is not None, "all seats are taken"
            self._clock.now += TIME_PER_COMMAND
            game = (await self._games.act(game_id, player, Commands([command]))).state
        return SeededGame(game_id, f"{game.ruleset.title}, some rounds on.")

    async def _clocked(self) -> SeededGame:
        game = await self._new_game(LIBRARY.default, "Sandbox: a clock", 2, "live")
        return SeededGame(game, "A game with a clock: when you move the time forward, a flag falls.")

    async def _gathering(self) -> SeededGame:
        game = await self._open(LIBRARY.default, "Sandbox: free seats", 3)
        await self._games.act(game, self._id_of(PLAYERS[0]), TakeSeat())
        return SeededGame(game, "A game that waits for players.")

    async def _over(self) -> SeededGame:
        game_id = await self._new_game(LIBRARY.default, "Sandbox: a game that is over", 2)
        game = await self._games.game(game_id)
        seat, player = next((seat, holder) for seat, holder in game.players.items() if holder is not None)
        await self._games.act(game_id, player, Resign(seat))
        return SeededGame(game_id, "A game that is over, to export and verify.")


def _is_battle(game: Game) -> bool:
    return game.ruleset.battle(game.table, game.names) is not None
