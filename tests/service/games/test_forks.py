"""Forks in the service: made, played, looked at from anything that is cached, exported; and counted nowhere."""

from pathlib import Path
from random import Random

import msgspec
import pytest

from domain.kernel.ids import GameId, PlayerId
from domain.kernel.log.fold import fold
from domain.kernel.log.game import Game
from domain.kernel.log.history import is_between_acts
from domain.kernel.proof.export import export
from domain.kernel.proof.verify import Verdict, verify
from domain.kernel.rules import schema
from domain.kernel.rules.refusal import Refusal
from service.games.acts import Commands, NameOfficial, TakeSeat
from service.games.cache import UnknownVersion
from service.games.forks import fork_game
from service.games.views import Viewer, seat_of, viewer_of
from service.store.protocol import KeyReused
from tests.service.rig import ANNA, BERT, CARL, LIBRARY, ROOM, Rig, caller, open_rig

GUEST, INES = map(PlayerId, ("pguest", "pines"))


async def play(rig: Rig, game_id: GameId, rng: Random, commands: int = 1000) -> Game:
    for _ in range(commands):
        game = await rig.games.game(game_id)
        if game.status != "running":
            break
        seat = rng.choice(game.decisions[0].seats)
        player = game.players[seat]
        assert player is not None
        seat = seat_of(game, player)
        assert seat is not None
        options = [each for each in game.options(seat, await rig.games.vault(game_id)) if each.command != "undo"]
        given = msgspec.json.encode(schema.sample(rng.choice(options).schema, rng))
        await rig.games.act(game_id, player, Commands([given]))
    return await rig.games.game(game_id)


async def over(rig: Rig) -> GameId:
    game_id = await rig.begun(3)
    await play(rig, game_id, Random(1))
    return game_id


async def middle(rig: Rig, game_id: GameId) -> int:
    records = await rig.store.read(game_id)
    return next(at for at in range(6, len(records)) if is_between_acts(records, at))


async def proved(rig: Rig, game: Game, player: PlayerId = GUEST) -> Verdict:
    asks = caller(player)
    viewer, vault = viewer_of(game, asks), await rig.games.vault(game.id)
    pasts, records = await rig.games.pasts(game, asks), await rig.games.records(game.id)
    lines = export(game, records, vault, viewer.seat, everything=viewer.everything, pasts=pasts)
    verdict = verify(lines, LIBRARY)
    assert verdict.ok, verdict
    return verdict


async def agrees(rig: Rig, now: Game, rng: Random) -> None:
    """Look at all versions in any order, and compare with the fold of the whole log up to each."""
    records = await rig.store.read(now.id)
    assert now.forked is not None
    past = await rig.games.at(now.forked.parent, now.forked.version)
    versions = list(range(1, now.version + 1))
    rng.shuffle(versions)
    for version in versions:
        shown = await rig.games.at(now.id, version)
        right = fold(records[:version], now.id, LIBRARY, lambda _: ROOM, past)
        assert (shown.players, shown.status, shown.draws, shown.head) == (
            right.players,
            right.status,
            right.draws,
            right.head,
        )
        assert shown.table is not None
        assert right.table is not None
        assert shown.table.digest() == right.table.digest()


@pytest.mark.rule("TAB-FORK-01")
async def test_a_fork_is_the_fold_of_its_past_and_its_log_whatever_is_cached(tmp_path: Path, database_url: str) -> None:
    where = {"durable": False, "database_url": database_url, "checkpoint_every": 5, "snapshot_every": 7}
    async with open_rig(tmp_path, **where) as rig:
        game_id = await over(rig)
        version = await middle(rig, game_id)
        fork = (await fork_game(rig.games, GUEST, game_id, version, "analysis", "What if?")).game
        now = await play(rig, fork, Random(3), 2)
        deeper = (await fork_game(rig.games, GUEST, fork, now.version, "analysis")).game
        await agrees(rig, now, Random(1))
        row = await rig.store.game(fork)
        assert row is not None
        assert row.title == "What if?"
    async with open_rig(tmp_path, **where) as rig:  # with nothing in memory, from a snapshot on
        again = await rig.games.game(fork)
        assert (again.forked, again.undo, again.around) == (now.forked, now.undo, now.around)
        await agrees(rig, again, Random(2))
        last = await play(rig, deeper, Random(4))
        await agrees(rig, last, Random(5))
        assert (await proved(rig, last)).unproved == ()
        assert (await proved(rig, await rig.games.game(fork))).status == "running"


@pytest.mark.rule("TAB-FORK-03")
async def test_the_maker_of_an_analysis_plays_all_seats_sees_all_and_takes_back(tmp_path: Path) -> None:
    async with open_rig(tmp_path) as rig:
        game_id = await over(rig)
        fork = (await fork_game(rig.games, GUEST, game_id, await middle(rig, game_id), "analysis")).state
        assert viewer_of(fork, caller(GUEST)).everything
        assert viewer_of(fork, caller(ANNA)) == Viewer(player=ANNA)
        before = fork.version
        while not fork.undo:
            before = fork.version
            fork = await play(rig, fork.id, Random(3), 1)
        undone = await rig.games.act(fork.id, GUEST, Commands([b'{"type":"undo","to":%d}' % before]))
        assert undone.state.table is not None
        with pytest.raises(PermissionError):
            await rig.games.act(fork.id, ANNA, Commands([b'{"type":"open-bidding"}']))


@pytest.mark.rule("TAB-FORK-02")
async def test_only_officials_fork_a_game_that_runs_and_hides_something(tmp_path: Path) -> None:
    async with open_rig(tmp_path) as rig:
        game_id = await rig.begun(3)
        await rig.games.act(game_id, ANNA, NameOfficial(INES))
        now = await play(rig, game_id, Random(1), 3)
        for player, judges in ((ANNA, True), (GUEST, True), (INES, False)):
            with pytest.raises(Refusal) as refused:
                await fork_game(rig.games, player, game_id, now.version, "analysis", judges=judges)
            assert refused.value.rule == "TAB-FORK-02"
        assert len(await rig.store.games()) == 1
        fork = (await fork_game(rig.games, INES, game_id, now.version, "analysis")).state
        await agrees(rig, fork, Random(1))
        for looks in (None, caller(ANNA), caller(INES, "play", "organize")):
            assert await rig.games.withheld(fork.id, looks) is not None
        assert await rig.games.withheld(fork.id, caller(INES)) is None
        await play(rig, game_id, Random(1))
        assert await rig.games.withheld(fork.id, None) is None


@pytest.mark.rule("TAB-FORK-04")
async def test_a_continuation_is_confirmed_by_the_same_accounts_and_goes_on(tmp_path: Path) -> None:
    async with open_rig(tmp_path) as rig:
        game_id = await over(rig)
        fork = (await fork_game(rig.games, BERT, game_id, await middle(rig, game_id), "continuation")).state
        assert (fork.status, fork.organizer) == ("gathering", ANNA)
        for player in (ANNA, BERT, CARL):
            with pytest.raises(Refusal):
                await rig.games.act(fork.id, GUEST, TakeSeat())
            await rig.games.act(fork.id, player, TakeSeat(entropy="more"))
        last = await play(rig, fork.id, Random(2))
        assert last.status == "over"
        await agrees(rig, last, Random(1))
        assert (await proved(rig, last)).unproved == ()


async def test_a_key_makes_one_fork(tmp_path: Path) -> None:
    async with open_rig(tmp_path) as rig:
        game_id = await over(rig)
        version = await middle(rig, game_id)
        first = await fork_game(rig.games, GUEST, game_id, version, "analysis", key="k")
        again = await fork_game(rig.games, GUEST, game_id, version, "analysis", key="k")
        assert (again.game, again.repeated) == (first.game, True)
        with pytest.raises(KeyReused):
            await fork_game(rig.games, GUEST, game_id, version, "analysis", "another", key="k")
        with pytest.raises(UnknownVersion):
            await fork_game(rig.games, GUEST, game_id, 10_000, "analysis")
