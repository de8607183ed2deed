"""Looking at a game changes nothing, and no game depends on the process that plays it."""

import subprocess
import sys
from os import environ
from pathlib import Path
from random import Random

import msgspec

from domain.kernel.ids import Seat
from tests.helpers.laws.games import RandomGames, whole
from tests.helpers.play import Play


class Purity(RandomGames):
    """Neither looks nor the order of sets make a difference."""

    def test_looking_changes_nothing(self, seed: int) -> None:
        for play, _ in self.positions(seed):
            before = whole(play.game)
            for viewer in (None, *play.game.players):
                looks = [self._look(play, viewer) for _ in range(2)]
                assert looks[0] == looks[1]
            play.game.view(None, play.vault, everything=True)
            self.ruleset.heading(play.game.table)
            assert whole(play.game) == before

    def _look(self, play: Play, viewer: Seat | None) -> bytes:
        options = play.game.options(viewer, play.vault) if viewer else []
        return msgspec.json.encode([play.game.view(viewer, play.vault), play.game.decisions, options])

    def test_the_order_of_sets_makes_no_difference(self) -> None:
        """Python orders sets of strings anew in each process; a game must not."""
        code = "import runpy, sys; print(runpy.run_path(sys.argv[1])[sys.argv[2]]().head())"
        here = type(self)
        command = [sys.executable, "-c", code, str(sys.modules[here.__module__].__file__), here.__name__]
        path = str(Path(__file__).parents[3])
        heads = {
            subprocess.check_output(command, env={**environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": path})
            for hash_seed in ("1", "2", "3")
        }
        assert len(heads) == 1

    def head(self) -> str:
        """Return the head of a random game's chain, which tells every event of it."""
        return self.open(0).run(Random(0), self.commands * 5).game.head.hex()
