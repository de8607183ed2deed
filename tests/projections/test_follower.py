"""Following the log: what is kept at hand, and what is read anew."""

from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from domain.kernel.ids import GameId
from domain.kernel.rules.board import Map
from projections.follower import Follower
from tests.helpers.play import Play
from tests.projections.logs import LIBRARY, TINY, MemoryLog, tiny_game
from tests.tiny.auction import ROOM

HALL, CELLAR = ROOM.areas
ROOMS = [replace(ROOM, areas=(replace(HALL, name=f"Hall {number}"), CELLAR)) for number in range(3)]
DIGESTS = [Map.of(room).digest for room in ROOMS]


class Asked(MemoryLog):
    """A log that remembers which boards it was asked for."""

    def __init__(self) -> None:
        self.games = [tiny_game(number, board=room) for number, room in enumerate(ROOMS)]
        super().__init__(row for game in self.games for row in game)
        self.boards: list[int] = []

    async def board(self, digest: str) -> bytes:
        self.boards.append(DIGESTS.index(digest))
        return msgspec.json.encode(ROOMS[self.boards[-1]])


async def test_of_boards_those_are_kept_that_were_used_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("projections.follower.BOARDS", 2)
    log = Asked()
    follower = Follower(log, LIBRARY)
    events = [iter(game) for game in log.games]
    for number in (0, 1, 0, 2, 0, 2, 1, 0):
        game, record = next(events[number])
        step = await follower.step(GameId(game), record, with_table=True)
        assert step.fault is None
    assert log.boards == [0, 1, 2, 1, 0]


@pytest.mark.parametrize("seed", range(5))
async def test_a_game_is_followed_to_where_it_stands_whatever_happens_around_it(seed: int) -> None:
    rng, play = Random(seed), Play(TINY, ROOM, 3, seed)
    for _ in range(50):
        if play.game.status != "running":
            break
        if play.game.around.paused is not None or rng.random() < 0.5:
            play.around_at_random(rng)
        else:
            play.step(rng)
    follower = Follower(MemoryLog((play.game.id, record) for record in play.records), LIBRARY)
    for record in play.records:
        followed = await follower.step(play.game.id, record, with_table=True)
        assert followed.fault is None
        seen, folded = followed.happened.seen.after, play.fold(record.version)
        assert (seen.status, seen.players, seen.around) == (folded.status, folded.players, folded.around)
        tables = [game.table.digest() if game.table is not None else None for game in (seen, folded)]
        assert tables[0] == tables[1], record
