"""The law of default answers: what the clock answers is on offer, comes to rest, and tells nothing (TAB-CLK-07)."""

from collections import Counter
from random import Random

import msgspec

from domain.kernel.ids import PlayerId, Seat
from domain.kernel.proof.verify import verify
from domain.kernel.rules import schema
from tests.helpers.laws.games import RandomGames
from tests.helpers.laws.twins import Bare, Swapped, chance_of
from tests.helpers.play import Play

AS_LONG_AS = 400
"""A game that the clock alone plays is followed for no more answers."""
IN_A_ROUND = 300
"""No round takes more answers of the clock, and no time before the first round."""


class Defaults(RandomGames):
    """For each seat that has to decide, the clock can answer, lawfully and without telling anything."""

    def test_a_default_answer_is_one_of_the_options(self, seed: int) -> None:
        for kind, commands in self.ruleset.answers.items():
            assert set(commands) & set(self.ruleset.defaults.get(kind, ())), f"the clock has no answer to {kind}"
        for play, _ in self.positions(seed):
            for seat in play.waiting:
                default = self._default(play, seat)
                assert any(schema.matches(each.schema, default) for each in play.options(seat)), default
                play.try_command(seat, default)

    def test_the_clock_alone_brings_a_game_on(self, seed: int) -> None:
        play, rounds = self.open(seed), Counter[int]()
        for _ in range(AS_LONG_AS):
            if play.game.status != "running":
                return
            rounds[play.game.round] += 1
            seat = play.waiting[0]
            play.command(seat, self._default(play, seat))
        assert max(rounds.values()) < IN_A_ROUND

    def test_the_house_plays_for_seats_that_resigned_and_a_proof_follows(self, seed: int) -> None:
        """All but one resign, one by one, and somebody takes a seat over: the rest can play on (TAB-SEAT-05)."""
        rng, play = Random(seed), self.open(seed)
        first, *others = rng.sample(list(play.game.players), len(play.game.players))
        for number in range(self.commands):
            if play.game.status != "running" or play.game.around.paused is not None:
                break  # it pauses when the only seat that plays is out of it
            if others and number % 8 == 7:
                play.resign(others.pop())
            elif number == self.commands // 2 and play.game.around.resigned:
                play.take_over(play.game.around.resigned[0], PlayerId("substitute"))
            else:
                play.step(rng)
            assert not {*play.waiting} & {*play.game.around.resigned}
        assert play.fold() == play.game
        for viewer in (None, first):
            verdict = verify(play.export(viewer), play.library)
            assert verdict.ok, verdict

    def test_a_default_answer_tells_others_nothing(self, seed: int) -> None:
        """Of two games that differ in a hidden shuffle, the defaults look alike, unless they are sealed."""
        rng, chosen = Random(seed), msgspec.convert(self.setup(seed), self.ruleset.setup)
        seats = self.ruleset.seats(self.ruleset.players[seed % len(self.ruleset.players)], chosen)
        sealed = {command.__struct_config__.tag for command in self.ruleset.commands if command.sealed}
        for viewer in (None, *seats):
            chances = chance_of(seed), Swapped(chance_of(seed), rng)
            one, other = (Bare(self.ruleset, self.board, seats, chosen, chance) for chance in chances)
            if not one.secrets:
                return  # the ruleset hides nothing
            for _ in range(self.commands):
                if one.seen_by(viewer) != other.seen_by(viewer) or one.read_by(viewer) != other.read_by(viewer):
                    break
                decisions = self.ruleset.decisions(one.table)
                if not decisions:
                    break
                seat = rng.choice(decisions[0].seats)
                given = [
                    msgspec.to_builtins(self.ruleset.default(each.table, seat, each.vault.read_by(seat)))
                    for each in (one, other)
                ]
                if given[0]["type"] in sealed:
                    assert given[0]["type"] == given[1]["type"]
                else:
                    assert given[0] == given[1], f"the default of {seat} tells {viewer} something"
                one.command(seat, given[0])
                other.command(seat, given[1])

    def _default(self, play: Play, seat: Seat) -> object:
        default = self.ruleset.default(play.game.table, seat, play.vault.read_by(seat))
        assert default is not None, f"{seat} must choose and has no default"
        return msgspec.to_builtins(default)
