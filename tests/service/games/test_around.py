"""What happens around a table, in the service: any version, looked at from any cached position, is the fold's."""

from contextlib import suppress
from pathlib import Path
from random import Random

import msgspec
import pytest

from domain.kernel.ids import CaseId, GameId, PlayerId, Seat
from domain.kernel.log import officials
from domain.kernel.log.fold import earlier_of, fold
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.history import starts_of_commands
from domain.kernel.log.lifecycle import Undo
from domain.kernel.log.record import Cause
from domain.kernel.rules import schema
from domain.kernel.rules.refusal import Refusal
from service.games.acts import Act, AnswerTakeBack, AskTakeBack, Case, Commands, NameOfficial, ReleaseOfficial
from service.games.views import Viewer, viewer_of
from tests.service.rig import ANNA, BERT, CARL, LIBRARY, ROOM, Rig, caller, open_rig

INES, OLGA = map(PlayerId, ("pines", "polga"))


class Ruled(Act, frozen=True):
    """A ruling on a case; `to` is drawn from the versions before commands."""

    kind = "upgrade"  # which is counted
    what: str
    drawn: float = 0.0

    async def decide(self, case: Case) -> Decided:
        cause, game = Cause(case.cause.account, case=CaseId("c4xq2m7ahbk3oxw7c")), case.game
        if self.what == "pause":
            return officials.rule_pause(game, "we look", cause, case.at)
        if self.what == "resume":
            return officials.rule_resume(game, cause, case.at)
        history = await case.log()
        starts = sorted(starts_of_commands(history))
        to = starts[int(self.drawn * len(starts))] if starts else 0
        return officials.rule_back(game, to, "a slip", history, earlier_of(game, history, case.library), cause, case.at)


async def wander(rig: Rig, game_id: GameId, rng: Random, acts: int) -> None:
    for _ in range(acts):
        game = await rig.games.game(game_id)
        if game.status != "running":
            return
        player, act = await drawn(rig, game, rng)
        with suppress(Refusal):  # what is drawn may not be possible now
            await rig.games.act(game_id, player, act)


async def consent(rig: Rig, game_id: GameId, rng: Random) -> None:
    """Let all agree to take the last command back, or the first of all."""
    game = await rig.games.game(game_id)
    if game.status != "running":
        return
    if game.around.paused is not None:
        game = (await rig.games.act(game_id, INES, Ruled("resume"))).state
    own = {seat: sorted(starts_of_commands(await rig.store.read(game_id), seat)) for seat in game.players}
    for seat, starts in own.items():
        if starts and all(each.seat != seat for each in game.around.asked.values()):
            game = (await rig.games.act(game_id, holder_of(game, seat), AskTakeBack(rng.choice(starts)))).state
            asked = game.version
            for other in game.asked_by(game.around.asked[asked]):
                game = (await rig.games.act(game_id, holder_of(game, other), AnswerTakeBack(asked, True))).state
            assert b'"by":"consent"' in (await rig.store.read(game_id))[-1].event
            return


def holder_of(game: Game, seat: Seat) -> PlayerId:
    holder = game.players[seat]
    assert holder is not None
    return holder


async def drawn(rig: Rig, game: Game, rng: Random) -> tuple[PlayerId, Act]:
    if game.around.paused is not None:
        return INES, Ruled(rng.choice(("resume", "resume", "back")), rng.random())
    if rng.random() < 0.1:
        return ANNA, rng.choice((NameOfficial, ReleaseOfficial))(OLGA)
    for asked, request in game.around.asked.items():
        if waiting := game.asked_by(request):
            return holder_of(game, waiting[0]), AnswerTakeBack(asked, rng.random() < 0.9)
    if rng.random() < 0.1:
        return INES, Ruled(rng.choice(("pause", "back")), rng.random())
    if game.undo_seat and rng.random() < 0.4:
        undo = msgspec.json.encode(Undo(rng.choice(game.undo_to)))
        return holder_of(game, game.undo_seat), rng.choice((Commands([undo]), AskTakeBack(game.undo_to[0])))
    seat = rng.choice(game.decisions[0].seats)
    options = [each for each in game.options(seat, await rig.games.vault(game.id)) if each.command != "undo"]
    return holder_of(game, seat), Commands([msgspec.json.encode(schema.sample(rng.choice(options).schema, rng))])


@pytest.mark.parametrize("seed", range(3))
async def test_every_version_is_the_fold_whatever_is_cached(tmp_path: Path, database_url: str, seed: int) -> None:
    where = {"durable": False, "database_url": database_url, "checkpoint_every": 5, "snapshot_every": 11}
    async with open_rig(tmp_path, **where) as rig:
        game_id = await rig.begun(3)
        await rig.games.act(game_id, ANNA, NameOfficial(INES))
        for _ in range(3):
            await consent(rig, game_id, Random(seed))
            await wander(rig, game_id, Random(seed), 20)
        now = await rig.games.game(game_id)
        await agrees(rig, now, Random(seed))
    async with open_rig(tmp_path, **where) as rig:  # with nothing in memory, from a snapshot on
        again = await rig.games.game(game_id)
        assert (again.around, again.undo, again.answers) == (now.around, now.undo, now.answers)
        await agrees(rig, again, Random(seed + 1))
        await wander(rig, game_id, Random(seed), 10)
        await agrees(rig, await rig.games.game(game_id), Random(seed + 2))


async def agrees(rig: Rig, now: Game, rng: Random) -> None:
    """Look at all versions in any order, and compare with the fold of the whole log up to each."""
    records = await rig.store.read(now.id)
    versions = list(range(1, now.version + 1))
    rng.shuffle(versions)
    for version in versions:
        shown = await rig.games.at(now.id, version)
        folded = fold(records[:version], now.id, LIBRARY, lambda _: ROOM)
        tables = [each.table.digest() if each.table is not None else None for each in (shown, folded)]
        assert tables[0] == tables[1], version
        assert (shown.around, shown.answers, shown.players) == (folded.around, folded.answers, folded.players), version
        assert (shown.version, shown.head, shown.draws) == (folded.version, folded.head, folded.draws)


async def test_an_official_sees_all_while_they_are_one(tmp_path: Path) -> None:
    async with open_rig(tmp_path) as rig:
        game_id = await rig.begun(3)
        for act, sees in ((NameOfficial(INES), True), (ReleaseOfficial(INES), False)):
            await rig.games.act(game_id, ANNA, act)
            now = await rig.games.game(game_id)
            assert viewer_of(now, caller(INES, "judge")) == Viewer(INES, everything=sees)
            assert viewer_of(now, caller(INES, "organize", "play")) == Viewer(INES)
            assert {viewer_of(now, caller(each)).everything for each in (ANNA, BERT, CARL)} == {False}
