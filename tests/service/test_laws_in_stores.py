"""The rulesets' laws once more, for games that were played into a store and came out of it again.

Random games, with undos and refusals in them, are played over each store. Then the store is opened
anew, as another process would, and the laws must hold on what it gives back: its records and secrets against the
games that were decided on. Every request that was accepted is sent once more, with its key, and gets its first answer.
"""

import asyncio
from copy import copy
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import msgspec
import pytest
from msgspec.structs import replace

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat, Version
from domain.kernel.log.game import Game
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Library
from service.base.settings import Settings
from service.cluster.wake import LocalWake
from service.games.acts import Commands, Start, TakeSeat
from service.games.creating import create_game
from service.games.games import Games
from service.games.requests import hashed_key
from service.games.views import Accepted, Viewer
from service.store.backend import backend_of
from service.store.protocol import EventStore
from tests.domain.classic import test_laws as classic  # the modules: their classes are not to be run here again
from tests.domain.kernel import test_tiny_laws as tiny
from tests.domain.mare_nostrum import test_laws as mare_nostrum
from tests.helpers.citus import database_of_the_run
from tests.helpers.laws.laws import Laws
from tests.helpers.laws.mutants import mutated
from tests.helpers.play import ORGANIZER, Play, player_of
from tests.helpers.sampling import sampled
from tests.service.rig import fixed_randomness, ticking

UNDO, WRONG = 0.3, 0.05
"""How often a move that can be taken back is, and how often something wrong is tried."""


class Kept(Play):
    """A game that was played; records, secrets and the secret of its chance are those that the store gave back.

    `at_each_version` are the games as they were played, `views` what was shown once the game came from the store.
    """

    def __init__(self, laws: Laws, game: Game) -> None:
        self.ruleset = laws.ruleset
        self.board = laws.board
        self.library = Library([laws.ruleset])
        self.game = game
        self.records, self.secrets = [], []
        self.at_each_version: dict[Version, Game] = {}
        self.views: dict[tuple[Version, Seat | None], bytes] = {}


class Player:
    """Plays one game at random."""

    def __init__(self, laws: Laws, seed: int, store: EventStore, settings: Settings) -> None:
        self.laws, self.seed, self.store, self.rng = laws, seed, store, Random(seed)
        self.answers: list[tuple[Seat, Any, str, Accepted]] = []
        self.games = self.over(store, settings)

    def over(self, store: EventStore, settings: Settings) -> Games:
        board, library = self.laws.board, Library([self.laws.ruleset])
        chance = fixed_randomness(str(self.seed))
        return Games(store, library, LocalWake(), ticking(), settings, chance, boards=lambda _: board)

    async def play(self, *, undos: bool) -> Kept:
        games, ruleset = self.games, self.laws.ruleset
        players = ruleset.players[self.seed % len(ruleset.players)]
        created = await create_game(games, ORGANIZER, ruleset.id, players, self.laws.setup(self.seed))
        self.kept = kept = Kept(self.laws, await games.game(created.game))
        await self.note()
        for seat in kept.game.players:
            await games.act(kept.game.id, player_of(seat), TakeSeat(seat, f"entropy of {seat}"))
            await self.note()
        await games.act(kept.game.id, ORGANIZER, Start())
        await self.note()
        commands = 0
        while kept.game.status == "running" and not (undos and commands >= self.laws.commands):
            await self.step(undos=undos)
            await self.note()
            commands += 1
        return kept

    async def note(self) -> None:
        """Keep the game as it stands now."""
        kept = self.kept
        kept.game = await self.games.game(kept.game.id)
        kept.secrets = [*(await self.games.vault(kept.game.id)).all().values()]
        kept.at_each_version[kept.game.version] = kept.game

    async def step(self, *, undos: bool) -> None:
        kept, rng = self.kept, self.rng
        if rng.random() < WRONG:
            await self.try_wrong()
        if undos and kept.game.undo_to and rng.random() < UNDO:
            assert kept.game.undo_seat is not None
            await self.give(kept.game.undo_seat, {"type": "undo", "to": rng.choice(kept.game.undo_to)})
        else:
            await self.give(*kept.pick(rng))

    async def give(self, seat: Seat, command: Any, key: str | None = None) -> None:
        key = key or f"{self.kept.game.version}"
        self.answers.append((seat, command, key, await self.ask(self.games, seat, command, key)))

    async def ask(self, games: Games, seat: Seat, command: Any, key: str) -> Accepted:
        act = Commands([msgspec.json.encode(command)])
        done = await games.act(self.kept.game.id, player_of(seat), act, key=key)
        return done.seen_by(Viewer(player_of(seat), seat))

    async def try_wrong(self) -> None:
        """Give something wrong, perhaps; refused, it must leave no trace in the store."""
        game, (seat, command) = self.kept.game, self.kept.pick(self.rng)
        before = await self.store.load(game.id)
        key = f"wrong {game.version}"
        try:
            await self.give(seat, mutated(command, self.rng), key)
        except (Refusal, msgspec.ValidationError):
            assert await self.store.load(game.id) == before
            assert await self.store.use_of_key(game.id, player_of(seat), hashed_key(player_of(seat), key)) is None
        else:
            await self.note()


async def played_in(laws: Laws, seed: int, *, undos: bool, data: Path, database_url: str) -> Kept:
    """Play a game into a store; return it as it comes out again."""
    settings = Settings(data=data, database_url=database_url, durable=False, checkpoint_every=25)
    store = await backend_of(settings).open_store()
    player = Player(laws, seed, store, settings)
    kept = await player.play(undos=undos)
    await store.close()
    again = await backend_of(settings).open_store()
    stored = await again.load(kept.game.id)
    assert stored is not None
    assert stored.head == kept.game.version
    kept.records, kept.secrets, kept.secret = stored.records, stored.secrets, stored.chance
    games = player.over(again, settings)
    for version in player.rng.sample(sorted(kept.at_each_version), min(30, len(kept.at_each_version))):
        game, vault = await games.at(kept.game.id, version), await games.vault(kept.game.id)
        for viewer in (None, *kept.game.players):
            kept.views[version, viewer] = looked_at(game, viewer, vault)
    for seat, command, key, first in player.answers:
        repeated = await player.ask(games, seat, command, key)
        assert msgspec.json.encode(repeated) == msgspec.json.encode(replace(first, repeated=True))
    everything, _ = await again.read_all(limit=1_000_000)
    assert [record for game, record in everything if game == kept.game.id] == kept.records
    await again.close()
    return kept


def looked_at(game: Game, viewer: Seat | None, vault: Vault) -> bytes:
    """Return what a viewer is shown, without what may be undone: the past does not know that."""
    options = [each for each in game.options(viewer, vault) if each.command != "undo"] if viewer else []
    return msgspec.json.encode([game.view(viewer, vault), game.decisions, options])


@lru_cache(maxsize=16)
def _kept(laws: type["InStore"], seed: int, undos: bool) -> Kept:
    async def play() -> Kept:
        with TemporaryDirectory() as data:
            if laws.store == "sqlite":
                return await played_in(laws(), seed, undos=undos, data=Path(data), database_url="")
            async with database_of_the_run() as url:
                return await played_in(laws(), seed, undos=undos, data=Path(data), database_url=url)

    return asyncio.run(play())


class InStore(Laws):
    """The laws, on games that were in a store. What has no game that could be there is left to the kernel's tests."""

    store: ClassVar[str]

    test_the_order_of_sets_makes_no_difference = None  # type: ignore[reportAssignmentType]
    test_what_a_seat_may_not_see_makes_no_difference_to_it = None  # type: ignore[reportAssignmentType]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "seed" in metafunc.fixturenames:
            # Not `laws`: these seeds are a sample already.
            metafunc.parametrize("seed", self.seeds)

    def played(self, seed: int) -> Play:
        return _kept(type(self), seed, False)

    def wander(self, seed: int) -> Play:
        return copy(_kept(type(self), seed, True))

    def test_a_hall_that_finds_the_game_in_the_store_shows_what_was_shown(self, seed: int) -> None:
        for undos in (False, True):
            kept = _kept(type(self), seed, undos)
            assert kept.views
            for (version, viewer), view in kept.views.items():
                assert looked_at(kept.at_each_version[version], viewer, kept.vault) == view


GAMES: list[tuple[type[Laws], int]] = [
    *((tiny.TestTinyLaws, seed) for seed in range(4)),
    (classic.TestFrizLaws, 15),
    (classic.TestPublished2005Laws, 141),
    (mare_nostrum.TestIntroductoryLaws, 14),
    (mare_nostrum.TestFreeLaws, 0),
]
PLACES = [(store, laws, seed) for store in ("sqlite", "postgres") for laws, seed in GAMES]


def often(place: tuple[str, type[Laws], int]) -> int:
    """Return how often a place is drawn: a whole game of a box over PostgreSQL takes half a minute."""
    store, laws, _ = place
    return 3 if store == "sqlite" or laws is tiny.TestTinyLaws else 1


for place in sampled("laws in stores", PLACES, 2, by=itemgetter(0), weight=often):
    of_store, of_game, of_seed = place
    name = f"{of_game.__name__}In{of_store.title()}{of_seed}"
    globals()[name] = type(name, (InStore, of_game), {"store": of_store, "seeds": (of_seed,)})
