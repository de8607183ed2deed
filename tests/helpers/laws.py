"""The laws that every ruleset keeps. One class plugs a ruleset in:

    class TestTinyLaws(Laws):
        ruleset, board = TinyAuction(), ROOM

`pieces`, `changes` and `faults` are the hooks: what the ruleset must conserve, which events say that they change it,
and what else can be wrong with its table.
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from functools import cache, lru_cache
from itertools import islice, pairwise
from os import environ
from pathlib import Path
from random import Random
from typing import Any, ClassVar, TypeVar, cast

import msgspec
import pytest

from domain.kernel.chance.draws import Chance, CommittedChance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId, Seat
from domain.kernel.log import snapshot
from domain.kernel.log.fold import continued, resume
from domain.kernel.log.game import Game
from domain.kernel.log.history import read_event, retraction, starts_of_commands, steps
from domain.kernel.log.record import Record
from domain.kernel.proof.verify import verify
from domain.kernel.rules import catalogue, schema
from domain.kernel.rules.board import Board
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Event
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Ruleset
from tests.helpers import redrawing
from tests.helpers.play import ORGANIZER, Play
from tests.helpers.sampling import sampled

T = TypeVar("T")

AFTER_A_FORK = 40
"""How far two games are compared that differ in a secret choice."""


class Laws:
    """The laws as tests; random games with fixed seeds stand for all games, and a run looks at `draw` of them."""

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
            metafunc.parametrize("seed", _drawn(type(self)))

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
        return _played(type(self), seed)

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

    # --- 1: fold ---

    def test_folding_the_log_gives_the_game_that_was_decided_on(self, seed: int) -> None:
        play = self.wander(seed)
        for version in _some(sorted(play.at_each_version), 40, Random(seed)):
            assert _whole(play.fold(version)) == _whole(play.at_each_version[version])

    def test_a_snapshot_of_any_version_leads_to_the_same_game(self, seed: int) -> None:
        play = self.wander(seed)
        ends = sorted(play.at_each_version)
        for version in _some(ends, 15, Random(seed)):
            play.game = play.at_each_version[version]
            game = self._restored(play)
            assert _whole(game) == _whole(play.at_each_version[version])
            for step in steps(play.records[version:]):
                if any(retraction(record) is not None for record in step):
                    break
                game = continued(game, step)
                assert _whole(game) == _whole(play.at_each_version[step[-1].version])
            for end in _some([end for end in ends if end >= version], 8, Random(seed)):
                tail = play.records[version:end]
                if all(to is None or to >= version for to in map(retraction, tail)):
                    again = resume(self._restored(play), tail)
                    assert _whole(again) == _whole(play.at_each_version[end])
                else:
                    with pytest.raises(ValueError, match="were retracted"):
                        resume(self._restored(play), tail)

    def test_a_position_from_a_snapshot_is_decided_alike(self, seed: int) -> None:
        """Nothing that a table holds besides its state may count: not where a dictionary or a unit came from."""
        for play, rng in self.positions(seed):
            game, (seat, command) = play.game, play.pick(rng)
            options, after = game.options(seat, play.vault), play.try_command(seat, command)
            for again in (self._restored(play), play.fold()):
                assert again.decisions == game.decisions
                assert again.options(seat, play.vault) == options
                play.game = again
                step = play.try_command(seat, command)
                assert (step.records, step.secrets) == (after.records, after.secrets)
                assert _whole(step.game) == _whole(after.game)

    def _restored(self, play: Play) -> Game:
        return snapshot.restore(snapshot.take(play.game), play.library, lambda _: play.board)

    # --- 2: options; 3: refusals ---

    def test_every_option_is_accepted_and_nothing_else(self, seed: int) -> None:
        seen: list[Any] = []
        for play, rng in self.positions(seed):
            for seat in play.waiting:
                assert play.options(seat), f"{seat} must choose and has no option"
            for seat in play.game.players:
                self._check_options(play, seat, rng, seen)

    def _check_options(self, play: Play, seat: Seat, rng: Random, seen: list[Any]) -> None:
        """Try what is on offer, what is nearly so, and what was on offer to somebody before (`seen`)."""
        options = play.options(seat)
        for option in _some(options, 12, rng):
            assert not list(_empty_choices(option.schema)), f"{option.command} offers {seat} a choice of nothing"
            assert not list(_nothings(option.schema)), f"{option.command} offers {seat} a count of 0"
            for source in (rng, Edges(rng)):
                command = schema.sample(option.schema, source)
                assert command["type"] == option.command
                assert self.ruleset.catalogue.rule(option.rule).holds_in(self.ruleset.id)
                self._check_mutant(play, seat, command)
                for counted in _with_nothing(option.schema, command):
                    refusal = self._refusal(play, seat, counted)
                    assert refusal is not None, f"{counted} of {seat} is accepted, with a count of 0"
                    assert refusal.rule == "TAB-CMD-02"
                for mutant in (mutated(command, rng), mutated(command, rng)):
                    self._check_mutant(play, seat, mutant)
                self._check_mutant(play, rng.choice(list(play.game.players)), command)
                seen.append(command)
        for command in _some(seen, 5, rng):
            self._check_mutant(play, seat, command)

    def _check_mutant(self, play: Play, seat: Seat, command: Any) -> None:
        schemas = [option.schema for option in play.options(seat)]
        offered = any(schema.matches(each, command) for each in schemas)
        try:
            read = self.ruleset.read_command(msgspec.json.encode(command))
        except msgspec.ValidationError:
            assert not offered, f"{command} is on offer to {seat}, but is no command"
            return
        offered_as_read = any(schema.matches(each, msgspec.to_builtins(read)) for each in schemas)
        assert not offered or offered_as_read, f"{command} is on offer to {seat}, but not in its shortest form"
        before = _whole(play.game)
        refusal = self._refusal(play, seat, command)
        if refusal is None:
            assert offered_as_read, f"{command} of {seat} is accepted, but no option offers it"
            return
        on_offer = offered if refusal.rule == "TAB-CMD-02" else offered_as_read  # to leave it out would be lawful
        assert not on_offer, f"{command} is on offer to {seat}, but refused: {refusal}"
        assert refusal.asked
        assert refusal.allowed
        self._assert_known(refusal.rule)
        assert _whole(play.game) == before, "the refusal left a trace"

    def _refusal(self, play: Play, seat: Seat, *commands: Any) -> Refusal | None:
        try:
            play.try_command(seat, *commands)
        except Refusal as refusal:
            return refusal
        return None

    def _assert_known(self, rule: str) -> None:
        if rule.startswith("TAB-"):
            catalogue.common_rules().rule(rule)
        else:
            assert self.ruleset.catalogue.rule(rule).holds_in(self.ruleset.id)

    def test_a_seat_that_is_out_of_the_game_is_asked_nothing(self, seed: int) -> None:
        play, out = self.played(seed), set[Seat]()
        for version in sorted(play.at_each_version):
            game = play.at_each_version[version]
            if game.table is not None and game.status == "running":
                now = set(self.ruleset.out(game.table))
                assert out <= now <= game.players.keys(), "nobody comes back"
                assert now.isdisjoint(seat for decision in game.decisions for seat in decision.seats)
                out = now

    def test_a_refused_list_leaves_no_trace(self, seed: int) -> None:
        for play, rng in self.positions(seed):
            seat, command = play.pick(rng)
            before = _whole(play.game)
            if self._refusal(play, seat, *[command] * 20):
                assert _whole(play.game) == before

    # --- 4: secrecy ---

    def test_what_a_seat_may_not_see_makes_no_difference_to_it(self, seed: int) -> None:
        rng = Random(seed)
        if not self.hides(seed):
            return
        begun = sum(
            self._compare_openings(seed, viewer, rng) for viewer in (None, *self._seats(seed)) for _ in range(5)
        )
        forked = list(islice(self.pairs(seed), self.forks))
        assert begun or forked, "no two games were found that differ only in what a seat may not see"

    def hides(self, seed: int) -> bool:
        """Tell whether anything is hidden in a game; if so, something is at its opening."""
        return bool(self.bare(seed, _chance(seed)).secrets)

    def bare(self, seed: int, chance: Chance) -> "Bare":
        """Return a game just begun."""
        return Bare(self.ruleset, self.board, self._seats(seed), self._chosen(seed), chance)

    def _seats(self, seed: int) -> tuple[Seat, ...]:
        players = self.ruleset.players[seed % len(self.ruleset.players)]
        return self.ruleset.seats(players, self._chosen(seed))

    def _chosen(self, seed: int) -> Any:
        return msgspec.convert(self.setup(seed), self.ruleset.setup)

    def _compare_openings(self, seed: int, viewer: Seat | None, rng: Random) -> int:
        """Compare two games that differ in a hidden shuffle; return in how many positions they differed."""
        one, other = self.bare(seed, _chance(seed)), self.bare(seed, Swapped(_chance(seed), rng))
        if one.hidden_from(viewer) == other.hidden_from(viewer):
            return 0
        return self._compare(one, other, viewer, rng, self.commands)

    def test_a_fork_shows_nothing_that_its_game_hides(self, seed: int) -> None:
        assert list(self.forkable(seed))

    def forkable(self, seed: int) -> Iterator[int]:
        """Yield, for each position of a random game that runs, to how many players it must not be shown whole.

        Whoever may fork the game there, and so plays all seats, is shown no more than the game shows them as it runs,
        and every option of a seat is one that they can work out. Officials see all of it anyway.
        """
        for play, _ in self.positions(seed):
            game, vault, refused = play.game, play.vault, 0
            whole = msgspec.json.encode(game.view(None, vault, everything=True))
            for player in {ORGANIZER, *game.players.values()}:
                assert player is not None
                seat = next((each for each, holder in game.players.items() if holder == player), None)
                fork = None
                with suppress(Refusal):
                    fork = play.fork(by=player)
                if fork is None:
                    refused += 1
                    continue
                assert not fork.secrets
                seen = vault.read_by(seat)
                assert msgspec.json.encode(fork.game.view(None, fork.vault, everything=True)) == whole
                assert msgspec.json.encode(game.view(seat, vault)) == whole
                for each in fork.waiting:
                    assert fork.game.options(each, fork.vault) == game.ruleset.options(game.table, each, seen)
            yield refused

    def pairs(self, seed: int) -> Iterator[tuple[str, int]]:
        """Play a game, and twice over whenever somebody may choose in secret: a choice each, then the same commands.

        And twice over whenever something is drawn in secret: another draw each. Yield, for each such pair of games and
        each viewer to whom it was hidden, the command and in how many positions the two differed in what the viewer
        may not see.
        """
        rng, game = Random(seed), self.bare(seed, _chance(seed))
        for _ in range(self.longest):
            decisions = self.ruleset.decisions(game.table)
            if not decisions:
                return
            seat = rng.choice(decisions[0].seats)
            command = schema.sample(rng.choice(game.answers(seat)).schema, rng)
            if self._is_sealed(command["type"]) and (other := self._otherwise(game, seat, command, rng)):
                for viewer in (None, *(each for each in self._seats(seed) if each != seat)):
                    twins = game.fork().after(seat, command), game.fork().after(seat, other)
                    if differed := self._compare(*twins, viewer, rng, AFTER_A_FORK):
                        yield command["type"], differed
            before, hidden = game.fork(), len(game.secrets)
            game.command(seat, command)
            if len(game.secrets) > hidden and not self._is_sealed(command["type"]):
                yield from self._drawn_otherwise(before, seat, command, rng)

    def _drawn_otherwise(self, game: "Bare", seat: Seat, command: Any, rng: Random) -> Iterator[tuple[str, int]]:
        """Give a command twice that draws and hides something: as it was drawn, and with another first shuffle."""
        for viewer in (None, *game.seats):
            one, other = game.fork().after(seat, command), game.fork()
            other.chance = Swapped(game.chance, rng)
            other.command(seat, command)
            if one.hidden_from(viewer) == other.hidden_from(viewer):
                continue
            if differed := self._compare(one, other, viewer, rng, AFTER_A_FORK):
                yield command["type"], differed

    def _otherwise(self, game: "Bare", seat: Seat, command: Any, rng: Random) -> Any:
        """Return another command of the same kind that is on offer; None when none is found."""
        options = [option for option in game.answers(seat) if option.command == command["type"]]
        samples = (schema.sample(rng.choice(options).schema, rng) for _ in range(10))
        return next((each for each in samples if each != command and self.shown(each) == self.shown(command)), None)

    def shown(self, command: Mapping[str, Any]) -> Any:
        """Return what everybody sees of a command that hides the rest: two games differ in nothing of it."""
        return None

    def _compare(self, one: "Bare", other: "Bare", viewer: Seat | None, rng: Random, most: int) -> int:
        """Play two games alike, but for what is chosen in secret, as long as `viewer` has read the same in both.

        What is told, shown and offered to him must be the same, until something hidden is revealed that is not.
        Return in how many positions, `most` at most, they differed in what he may not see.
        """
        compared = 0
        for _ in range(3 * most):
            if one.read_by(viewer) != other.read_by(viewer):
                break
            told, told_other = one.seen_by(viewer), other.seen_by(viewer)
            if (one.revealed or other.revealed) and self.opened(one, viewer) != self.opened(other, viewer):
                break
            assert told == told_other
            compared += one.hidden_from(viewer) != other.hidden_from(viewer)
            decisions = self.ruleset.decisions(one.table)
            if not decisions or compared >= most:
                break
            seat = rng.choice(decisions[0].seats)
            if not self._play_alike(one, other, seat, viewer, rng):
                break
        return compared

    def opened(self, game: "Bare", viewer: Seat | None) -> Any:
        """Return what two games may differ in when something hidden has been revealed; all that is shown, or less."""
        return game.seen_by(viewer)

    def _play_alike(self, one: "Bare", other: "Bare", seat: Seat, viewer: Seat | None, rng: Random) -> bool:
        """Let a seat do the same in both games, or choose in secret in each; tell whether it could."""
        option = rng.choice(one.answers(seat))
        command = alike = schema.sample(option.schema, rng)
        choices = [each for each in other.answers(seat) if each.command == option.command]
        if seat != viewer and self._is_sealed(option.command):
            if not choices:
                return False
            samples = (schema.sample(rng.choice(choices).schema, rng) for _ in range(10))
            alike = next((each for each in samples if self.shown(each) == self.shown(command)), None)
            if alike is None:
                return False
        if not any(schema.matches(each.schema, alike) for each in choices):
            assert seat != viewer, f"what is hidden from {viewer} decides what he may do"
            return False
        one.command(seat, command)
        other.command(seat, alike)
        return True

    def _is_sealed(self, kind: str) -> bool:
        return any(command.sealed for command in self.ruleset.commands if command.__struct_config__.tag == kind)

    # --- 5: conservation; 6: progress ---

    def test_pieces_are_neither_created_nor_lost(self, seed: int) -> None:
        play = self.played(seed)
        ends = [version for version, game in play.at_each_version.items() if game.table is not None]
        count: Mapping[str, int] = self.pieces(play.at_each_version[ends[0]].table)
        for before, after in pairwise(ends):
            records = play.records[before:after]
            told = self._count_as_told(count, play.at_each_version[before].table, records)
            count = self.pieces(play.at_each_version[after].table)
            assert told == _nonzero(count), [record.event for record in records]
            assert not list(self.faults(play.at_each_version[after].table))

    def _count_as_told(self, count: Mapping[str, int], table: Any, records: Sequence[Record]) -> dict[str, int]:
        table, told = table.copy(), Counter(count)
        for record in records:
            event = read_event(self.ruleset, record)
            if isinstance(event, Event):
                told.update(self.changes(table, event))
                event.apply(table)
        return _nonzero(told)

    def test_a_random_game_ends_and_is_proved(self, seed: int) -> None:
        play = self.played(seed)
        assert play.game.status == "over"
        assert play.game.result is not None
        assert not play.game.decisions
        verdict = verify(play.export(), play.library)
        assert verdict.ok, verdict
        assert not verdict.unproved

    def test_a_game_with_moves_taken_back_is_proved_as_far_as_each_may_see(self, seed: int) -> None:
        play = self.wander(seed)
        for viewer in (None, *play.game.players):
            verdict = verify(play.export(viewer), play.library)
            assert verdict.ok, verdict

    def test_all_chance_follows_from_the_secret_and_from_what_events_show(self, seed: int) -> None:
        for play in (self.played(seed), self.wander(seed)):
            found = list(redrawing.faults(play))
            assert not found, found

    # --- purity ---

    def test_looking_changes_nothing(self, seed: int) -> None:
        for play, _ in self.positions(seed):
            before = _whole(play.game)
            for viewer in (None, *play.game.players):
                looks = [self._look(play, viewer) for _ in range(2)]
                assert looks[0] == looks[1]
            play.game.view(None, play.vault, everything=True)
            self.ruleset.heading(play.game.table)
            assert _whole(play.game) == before

    def _look(self, play: Play, viewer: Seat | None) -> bytes:
        options = play.game.options(viewer, play.vault) if viewer else []
        return msgspec.json.encode([play.game.view(viewer, play.vault), play.game.decisions, options])

    def test_the_order_of_sets_makes_no_difference(self) -> None:
        """Python orders sets of strings anew in each process; a game must not."""
        code = "import runpy, sys; print(runpy.run_path(sys.argv[1])[sys.argv[2]]().head())"
        here = type(self)
        command = [sys.executable, "-c", code, str(sys.modules[here.__module__].__file__), here.__name__]
        path = str(Path(__file__).parents[2])
        heads = {
            subprocess.check_output(command, env={**environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": path})
            for hash_seed in ("1", "2", "3")
        }
        assert len(heads) == 1

    def head(self) -> str:
        """Return the head of a random game's chain, which tells every event of it."""
        return self.open(0).run(Random(0), self.commands * 5).game.head.hex()


@cache
def _drawn(laws: type[Laws]) -> Sequence[int]:
    return sampled(f"laws: {laws.__name__}", laws.seeds, laws.draw)


@lru_cache(maxsize=16)
def _played(laws: type[Laws], seed: int) -> Play:
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


# --- two games that differ in what is hidden ---


@cache
def _chance(seed: int) -> CommittedChance:
    return CommittedChance(bytes([seed % 256]) * 32, GameId("twins"), {})


class Swapped:
    """Chance as another one's, but for two places of one shuffle."""

    def __init__(self, chance: Chance, rng: Random) -> None:
        self.secret = chance.secret
        self._chance = chance
        self._rng = rng
        self._swapped = False

    def dice(self, draw: int, count: int, sides: int) -> tuple[int, ...]:
        return self._chance.dice(draw, count, sides)

    def salt(self, draw: int) -> bytes:
        return self._chance.salt(draw)

    def order(self, draw: int, items: Sequence[Any]) -> tuple[int, ...]:
        order = list(self._chance.order(draw, items))
        if not self._swapped and len(items) > 1:
            one, other = self._rng.sample(range(len(items)), 2)
            order[one], order[other] = order[other], order[one]
            self._swapped = True
        return tuple(order)


class Bare:
    """A table, its secrets and what happened to it, without the game around it: its chance may be anything."""

    def __init__(
        self, ruleset: Ruleset[Any], board: Board, seats: tuple[Seat, ...], setup: Any, chance: Chance
    ) -> None:
        self.ruleset = ruleset
        self.seats = seats
        self.chance = chance
        self.vault = Vault()
        self.events: list[Event[Any]] = []
        self.revealed = False
        self.draws: list[int] = []
        self._take(ruleset.begin(ruleset.lay(seats, setup, board), chance))

    def fork(self) -> "Bare":
        """Return a game that goes on from here; what has been told so far is left out."""
        forked = copy(self)
        forked.events, forked.draws = [], self.draws[-1:]
        return forked

    def _take(self, draft: Draft[Any]) -> None:
        self.table = draft.table
        self.vault = self.vault.joined_by(draft.secrets)
        self.events.extend(draft.events)
        self.draws.extend(draws for _, draws in draft.happened)
        self.revealed = any(event.reveals for event in draft.events)

    @property
    def secrets(self) -> Mapping[str, Any]:
        return self.vault.all()

    def options(self, seat: Seat) -> list[Any]:
        return self.ruleset.options(self.table, seat, self.vault.read_by(seat))

    def answers(self, seat: Seat) -> list[Any]:
        """The options that answer a decision; all of them when none says so."""
        options = self.options(seat)
        return [option for option in options if option.decision] or options

    def after(self, seat: Seat, command: Any) -> "Bare":
        """Return the game itself, when the command has been given."""
        self.command(seat, command)
        return self

    def command(self, seat: Seat, command: Any) -> None:
        read = self.ruleset.read_command(msgspec.json.encode(command))
        self._take(self.ruleset.decide(self.table, seat, read, self.chance, self.vault, self.draws[-1]))

    def read_by(self, viewer: Seat | None) -> list[Any]:
        return [secret.value for secret in self.vault.all().values() if viewer in secret.readers]

    def hidden_from(self, viewer: Seat | None) -> list[Any]:
        return [secret.value for secret in self.vault.all().values() if viewer not in secret.readers]

    def seen_by(self, viewer: Seat | None) -> str:
        """All that a viewer is shown, with commitments numbered: their bytes tell nothing."""
        told = [
            self.events,
            self.draws,
            self.ruleset.view(self.table, self.vault.read_by(viewer)),
            self.ruleset.decisions(self.table),
            self.options(viewer) if viewer else [],
            [secret.readers for secret in self.vault.all().values()],
        ]
        numbers: dict[str, str] = {}
        return re.sub(
            "[0-9a-f]{64}",
            lambda found: numbers.setdefault(found[0], f"#{len(numbers)}"),
            msgspec.json.encode(told).decode(),
        )


# --- odds and ends ---


class Edges:
    """A source of chance that goes to the edges: the least, the most, the first, the last."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def random(self) -> float:
        return self._rng.choice((0.0, 0.999))

    def randint(self, a: int, b: int) -> int:
        return self._rng.choice((a, b))

    def choice(self, seq: Sequence[Any]) -> Any:
        return self._rng.choice((seq[0], seq[-1]))

    def sample(self, population: Sequence[Any], k: int) -> list[Any]:
        return list(population[:k])


def mutated(command: dict[str, Any], rng: Random) -> Any:
    """Return the command with one thing changed, somewhere in it."""
    copy = msgspec.json.decode(msgspec.json.encode(command))
    holder, key = rng.choice(list(_places(copy)))
    value = holder[key]
    changes: list[Any] = [None, "nowhere", -1, 10**9, 0, [], {}]
    if isinstance(value, bool):
        changes += [not value] * 5
    elif isinstance(value, int):
        changes += [value + 1, value - 1] * 3
    elif isinstance(value, list) and value:
        changes += [value[1:], [*value, value[0]]] * 3
    holder[key] = rng.choice(changes)
    if isinstance(holder, dict) and rng.random() < 0.2:
        del holder[key]
    elif isinstance(holder, dict) and rng.random() < 0.1:
        holder["bogus"] = 1
    return copy


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key, below in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(below, dict | list):
            yield from _places(below)


def _some(items: Sequence[T], most: int, rng: Random) -> Sequence[T]:
    return items if len(items) <= most else rng.sample(items, most)


def _empty_choices(part: Any) -> Iterator[Any]:
    """Yield the enumerations of a schema that hold nothing: no client can fill them, and JSON Schema forbids them."""
    if isinstance(part, Mapping):
        named = cast("Mapping[str, Any]", part)
        if named.get("enum") in ([], ()):
            yield named
        for each in named.values():
            yield from _empty_choices(each)
    elif isinstance(part, list | tuple):
        for each in cast("Sequence[Any]", part):
            yield from _empty_choices(each)


def _nothings(schema: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield where an object may have a count of 0 that may be left out."""
    for name, field in schema.get("properties", {}).items():
        if field.get("type") == "integer" and name not in schema["required"] and field["minimum"] <= 0:
            yield (*path, name)
        yield from _nothings(field, (*path, name))


def _with_nothing(schema: Mapping[str, Any], command: Mapping[str, Any]) -> Iterator[Any]:
    """Yield a command with a count of 0 in place of each that it may leave out."""
    for name, field in schema.get("properties", {}).items():
        if field.get("type") == "integer" and name not in schema["required"]:
            yield {**command, name: 0}
        for each in _with_nothing(field, command.get(name, {})):
            yield {**command, name: each}


def _nonzero(count: Mapping[str, int]) -> dict[str, int]:
    return {name: number for name, number in count.items() if number}


def _whole(game: Game) -> tuple[Any, ...]:
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
