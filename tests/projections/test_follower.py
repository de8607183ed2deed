"""Following the log: what is kept at hand, and what is read anew."""

from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.log import officials
from domain.kernel.rules.board import Map
from projections.follower import Follower, seated
from tests.helpers.play import Play
from tests.projections.logs import LIBRARY, TINY, MemoryLog, tiny_game
from tests.tiny.auction import ROOM

RED, BLUE = Seat("red"), Seat("blue")
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


async def test_the_boards_used_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("projections.follower.BOARDS", 2)
    monkeypatch.setattr("projections.follower.TABLES", 1)  # a table at hand has its board
    log = Asked()
    follower = Follower(log, LIBRARY)
    events = [iter(game) for game in log.games]
    for number in (0, 1, 0, 2, 0, 2, 1, 0):
        game, record = next(events[number])
        step = await follower.step(GameId(game), record, with_table=True)
        assert step.fault is None
    assert log.boards == [0, 1, 2, 1, 0]


@pytest.mark.parametrize("seed", range(5))
def test_who_holds_the_seats_of_a_game_and_of_its_continuation_is_read_off_the_log(seed: int) -> None:
    rng, play = Random(seed), Play(TINY, ROOM, 3, seed=seed)
    play.give_up(RED)
    play.take_over(RED, PlayerId("substitute"))
    while play.game.status == "running":
        play.step(rng) if play.game.around.paused is None and rng.random() < 0.7 else play.around_at_random(rng)
    running = [at for at, game in play.at_each_version.items() if game.status == "running"]
    for version, game in play.at_each_version.items():
        assert seated(play.records[:version], {}) == {seat: held for seat, held in game.players.items() if held}
    for version in (running[0], running[-1]):
        kept = seated(play.records[:version], {})
        fork = play.fork(version, "continuation")
        fork.sit(BLUE, kept[BLUE])
        fork.take(officials.rule_start(fork.game, fork.on_a_case, fork.now))
        assert seated(fork.records, kept) == fork.game.players == kept
        fork.give_up(BLUE)
        fork.take_over(BLUE, PlayerId("somebody-new"))
        assert seated(fork.records, kept) == fork.game.players != kept
