"""The first law: the log is the game."""

from random import Random

import pytest

from domain.kernel.log import snapshot
from domain.kernel.log.fold import continued, resume
from domain.kernel.log.game import Game
from domain.kernel.log.history import retraction, steps
from tests.helpers.laws.games import RandomGames, some, whole
from tests.helpers.play import Play


class Folding(RandomGames):
    """Folding the log, or a part of it onto a snapshot, gives the game that was decided on."""

    def test_folding_the_log_gives_the_game_that_was_decided_on(self, seed: int) -> None:
        play = self.wander(seed)
        for version in some(sorted(play.at_each_version), 40, Random(seed)):
            assert whole(play.fold(version)) == whole(play.at_each_version[version])

    def test_a_snapshot_of_any_version_leads_to_the_same_game(self, seed: int) -> None:
        play = self.wander(seed)
        ends = sorted(play.at_each_version)
        for version in some(ends, 15, Random(seed)):
            play.game = play.at_each_version[version]
            game = self._restored(play)
            assert whole(game) == whole(play.at_each_version[version])
            for step in steps(play.records[version:]):
                if any(retraction(record) is not None for record in step):
                    break
                game = continued(game, step)
                assert whole(game) == whole(play.at_each_version[step[-1].version])
            for end in some([end for end in ends if end >= version], 8, Random(seed)):
                tail = play.records[version:end]
                if all(to is None or to >= version for to in map(retraction, tail)):
                    again = resume(self._restored(play), tail)
                    assert whole(again) == whole(play.at_each_version[end])
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
                assert whole(step.game) == whole(after.game)

    def _restored(self, play: Play) -> Game:
        return snapshot.restore(snapshot.take(play.game), play.library, lambda _: play.board)
