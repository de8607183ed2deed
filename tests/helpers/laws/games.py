"""The random games that the laws look at, and the hooks by which a ruleset is plugged in."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from random import Random
from typing import Any, ClassVar, TypeVar

import pytest

from domain.kernel.log.game import Game
from domain.kernel.log.history import starts_of_commands
from domain.kernel.rules.board import Board
from domain.kernel.rules.message import Event
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Ruleset
from tests.helpers.play import Play
from tests.helpers.sampling import sampled

T = TypeVar("T")


class RandomGames:
    """Games of a ruleset played at random. Fixed seeds stand for all games, and a run looks at `draw` of them."""

    ruleset: ClassVar[Ruleset[Any]]
    board: ClassVar[Board]
    seeds: ClassVar[Sequence[int]] = range(6)
    draw: ClassVar[int] = 1
    commands: ClassVar[int] = 60
    """How many commands of each game are looked at closely, besides those that answer a new kind of decision."""
    longest: ClassVar[int] = 100_000
    """No random game takes more commands than this."""
    forks: ClassVar[int] = 60
    """How many pairs of games that differ in a secret choice are compared; see `pairs`."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "seed" in metafunc.fixturenames:
            metafunc.parametrize("seed", drawn(type(self)))

    def pieces(self, table: Any) -> Mapping[str, int]:
        """Count what is neither created nor lost but by events that say so: pieces, cards, coins, by name."""
        return {}

    def changes(self, table: Any, event: Event[Any]) -> Mapping[str, int]:
        """Return by how much an event says that it changes these counts; `table` is as it was before."""
        return {}

    def faults(self, table: Any) -> Iterable[str]:
        """Say what is wrong with a position in which somebody must choose: what can be on no table."""
        return ()

    def setup(self, seed: int) -> Mapping[str, Any]:
        """What the creator of a game chooses."""
        return {}

    # --- the games looked at ---

    def open(self, seed: int) -> Play:
        players = self.ruleset.players[seed % len(self.ruleset.players)]
        return Play(self.ruleset, self.board, players, seed, self.setup(seed))

    def played(self, seed: int) -> Play:
        """Return a random game played to its end; the same to all who ask, so nobody may change it."""
        return play_to_the_end(type(self), seed)

    def positions(self, seed: int) -> Iterator[tuple[Play, Random]]:
        """Yield a game before each of its first commands, when something new is asked, and now and then."""
        rng, play, met, half = Random(seed), self.played(seed), set[str](), self.commands // 2
        running = [version for version, game in play.at_each_version.items() if game.status == "running"]
        later = set(running[half :: max(1, (len(running) - half) // half)])
        for number, version in enumerate(running):
            asked = {decision.kind for decision in play.at_each_version[version].decisions}
            if number < half or version in later or not asked <= met:
                yield play.at(version), rng
            met |= asked

    def wander(self, seed: int) -> Play:
        """Return a game in which moves were taken back, answers were left in advance, and much happened around it."""
        rng, play = Random(seed), self.open(seed)
        for _ in range(self.commands):
            if play.game.status != "running":
                break
            if play.game.around.paused is not None or play.game.around.asked or rng.random() < 0.15:
                play.around_at_random(rng)
            elif play.game.undo and rng.random() < 0.3:
                play.undo(*rng.choice([(seat, to) for seat, may in play.game.undo.items() for to in may]))
            elif rng.random() < 0.05 and (starts := sorted(starts_of_commands(play.records))):
                play.rule(rng.choice(starts))
            elif rng.random() < 0.1:
                play.leave_at_random(rng)
            elif play.game.answers and rng.random() < 0.05:
                left, answer = rng.choice(list(play.game.answers.items()))
                play.revoke_answer(answer.seat, left)
            else:
                play.step(rng)
        return play


@cache
def drawn(laws: type[RandomGames]) -> Sequence[int]:
    return sampled(f"laws: {laws.__name__}", laws.seeds, laws.draw)


@lru_cache(maxsize=16)
def play_to_the_end(laws: type[RandomGames], seed: int) -> Play:
    rng, play = Random(seed), laws().open(seed)
    for _ in range(laws.longest):
        if play.game.status != "running":
            break
        assert play.waiting, "nobody has to choose, and the game is not over"
        try:
            play.step(rng)
        except Refusal as refusal:
            raise AssertionError(f"what was on offer was refused: {refusal}") from refusal
    return play


def some(items: Sequence[T], most: int, rng: Random) -> Sequence[T]:
    return items if len(items) <= most else rng.sample(items, most)


def whole(game: Game) -> tuple[Any, ...]:
    """Return all that two equal games have in common; the table by the digest of its canonical bytes."""
    return (
        game.id,
        game.status,
        game.version,
        game.head,
        game.draws,
        game.players,
        game.entropy,
        game.setup,
        game.result,
        list(game.undo.items()),
        game.answers,
        game.around,
        game.table.digest() if game.table is not None else None,
        game.table.snapshot() if game.table is not None else None,
    )
