"""The fourth law: what a seat may not see makes no difference to it."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from random import Random
from typing import Any

import msgspec

from domain.kernel.chance.draws import Chance
from domain.kernel.ids import Seat
from domain.kernel.rules import schema
from domain.kernel.rules.refusal import Refusal
from tests.helpers.laws.games import RandomGames
from tests.helpers.laws.twins import Bare, Swapped, chance_of
from tests.helpers.play import ORGANIZER

AFTER_A_FORK = 40
"""How far two games are compared that differ in a secret choice."""


class Secrecy(RandomGames):
    """Two games that differ only in what a seat may not see look the same to it."""

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
        return bool(self.bare(seed, chance_of(seed)).secrets)

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
        one, other = self.bare(seed, chance_of(seed)), self.bare(seed, Swapped(chance_of(seed), rng))
        if one.hidden_from(viewer) == other.hidden_from(viewer):
            return 0
        return self._compare(one, other, viewer, rng, self.commands)

    def test_a_fork_shows_nothing_that_its_game_hides(self, seed: int) -> None:
        assert list(self.forkable(seed))

    def forkable(self, seed: int) -> Iterator[int]:
        """Yield, for each position of a random game that runs, to how many players it must not be shown whole.

        A player who may fork the game there, and so plays all seats, sees no more than the game shows them as it runs,
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
        rng, game = Random(seed), self.bare(seed, chance_of(seed))
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
