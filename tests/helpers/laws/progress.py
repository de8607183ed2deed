"""The fifth law of games: pieces are neither created nor lost. The sixth: every game ends and is proved.

The other laws stand in the files beside this one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from domain.kernel.log.ending import order_of
from domain.kernel.log.history import commitments_in, read_event
from domain.kernel.log.record import Record
from domain.kernel.proof.verify import verify
from domain.kernel.rules.message import Event
from tests.helpers import redrawing
from tests.helpers.laws.games import RandomGames


class Progress(RandomGames):
    """A game keeps its pieces, comes to an end, and can be proved."""

    def test_pieces_are_neither_created_nor_lost(self, seed: int) -> None:
        play = self.played(seed)
        # A game has no table before it starts.
        versions = [version for version, game in play.at_each_version.items() if game.table is not None]
        count: Mapping[str, int] = self.pieces(play.at_each_version[versions[0]].table)
        for before, after in pairwise(versions):
            records = play.records[before:after]
            expected = self._count_by_events(count, play.at_each_version[before].table, records)
            count = self.pieces(play.at_each_version[after].table)
            assert expected == nonzero(count), [record.event for record in records]
            assert not list(self.faults(play.at_each_version[after].table))

    def _count_by_events(self, count: Mapping[str, int], table: Any, records: Sequence[Record]) -> dict[str, int]:
        table, changed = table.copy(), Counter(count)
        for record in records:
            event = read_event(self.ruleset, record)
            if isinstance(event, Event):
                changed.update(self.changes(table, event))
                event.apply(table)
        return nonzero(changed)

    def test_a_random_game_ends_and_is_proved(self, seed: int) -> None:
        play = self.played(seed)
        assert play.game.status == "over"
        assert play.game.result is not None
        assert not play.game.decisions
        verdict = verify(play.export(), play.library)
        assert verdict.ok, verdict
        assert not verdict.unproved
        order = order_of(play.game)
        assert order[: len(play.game.result.winners) and 1] == (play.game.result.winners,)
        assert sorted(seat for group in order for seat in group) == sorted(play.game.players)

    def test_a_game_ends_by_agreement_wherever_it_stands(self, seed: int) -> None:
        played, rng = self.played(seed), Random(seed)
        running = [version for version, game in played.at_each_version.items() if game.status == "running"]
        play = played.at(rng.choice(running[: self.commands]))
        sealed = commitments_in(play.records)
        play.secrets = [secret for secret in play.secrets if secret.commitment in sealed]
        present = [seat for seat in play.game.present if seat not in play.game.ruleset.out(play.game.table)]
        play.propose_end(present[0], play.game.players)
        proposed = play.game.version
        for seat in present[1:]:
            play.answer_end(seat, proposed)
        assert play.game.status == "over"
        assert order_of(play.game) == (tuple(play.game.players),)
        verdict = verify(play.export(), play.library)
        assert (verdict.ok, verdict.unproved) == (True, ()), verdict

    def test_a_game_with_moves_taken_back_is_proved_as_far_as_each_may_see(self, seed: int) -> None:
        play = self.wander(seed)
        for viewer in (None, *play.game.players):
            verdict = verify(play.export(viewer), play.library)
            assert verdict.ok, verdict

    def test_all_chance_follows_from_the_secret_and_from_what_events_show(self, seed: int) -> None:
        for play in (self.played(seed), self.wander(seed)):
            found = list(redrawing.faults(play))
            assert not found, found


def nonzero(count: Mapping[str, int]) -> dict[str, int]:
    return {name: number for name, number in count.items() if number}
