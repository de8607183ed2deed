"""Snapshots: a game that is loaded from one is the game, and one that does not fit its log is thrown away."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from msgspec.structs import replace

from domain.kernel.ids import Version
from domain.kernel.log import snapshot as kernel
from service.games.acts import Commands
from service.games.cache import GameDamaged
from service.games.snapshots import take
from service.games.views import viewer_of
from service.store.protocol import StoreUnavailable
from service.store.snapshots import Snapshot
from tests.service.games.snapshots import EVERY, Data, Misplaced, Spoilt, played, put_up, rig, undone
from tests.service.rig import ANNA, CARL, caller, command

# --- the game is the game ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("undo", [False, True])
async def test_a_game_loaded_from_a_snapshot_is_the_game_after_every_command(data: Data, undo: bool) -> None:
    table = rig(data, data.games())
    game = await table.begun(rounds=3)
    starts: list[Version] = []
    for number in range(3):
        await (table.play_round(game) if number < 2 else put_up(table, game))
        if undo:
            await undone(table, game)
        await data.written()
        found, after = await data.loaded(game)
        assert kernel.take(found) == await data.plain(game)
        starts.append(after)
    assert starts[-1] > EVERY
    assert sorted(starts) == starts
    assert data.metrics.cache_requests.labels("snapshots", "hit")._value.get() == 3


async def test_its_past_its_events_and_its_secrets_are_there(data: Data) -> None:
    game = await played(data, undo=True)
    resumed, folded = data.games(), data.games(snapshots=False)
    last = (await resumed.game(game)).version
    assert data.store.loaded[-1] > 0
    for version in range(1, last + 1):
        assert kernel.take(await resumed.at(game, version)) == kernel.take(await folded.at(game, version))
    assert await resumed.records(game) == await folded.records(game)
    assert len(await resumed.records(game)) == last
    assert (await resumed.vault(game)).all() == (await folded.vault(game)).all()
    assert (await folded.vault(game)).all()


async def test_it_is_played_on_and_undone_on(data: Data) -> None:
    game = await played(data, undo=True)
    table = rig(data, data.games())
    await undone(table, game)
    assert data.store.loaded[0] > 0
    await table.play_round(game)
    assert kernel.take(await table.games.game(game)) == await data.plain(game)


async def test_what_another_process_has_added_since_is_there(data: Data) -> None:
    game = await played(data)
    before = data.games()
    old = (await before.game(game)).version
    await put_up(rig(data, data.games(snapshots=False)), game)
    found, after = await data.loaded(game)
    assert 0 < after < old < found.version
    assert kernel.take(found) == await data.plain(game)


async def test_no_event_is_shown_before_its_secrets_are_known(data: Data) -> None:
    game = await played(data)
    behind, ahead = data.games(), rig(data, data.games(snapshots=False))
    now = await behind.game(game)
    assert data.store.loaded[-1] > 0, "the events before have to be read, and those after are read with them"
    await ahead.play_round(game)
    seen = await behind.events(now, viewer_of(now, caller(ANNA)))
    fresh = data.games(snapshots=False)
    known = await fresh.events(await fresh.game(game), viewer_of(now, caller(ANNA)))
    assert [event.version for event in seen] == list(range(1, now.version + 1))
    assert [event.secrets for event in seen] == [event.secrets for event in known[: len(seen)]]


# --- what does not fit ------------------------------------------------------------------------------------------------


async def _other_body(data: Data, kept: Snapshot) -> Snapshot:
    return replace(kept, body=kept.body.replace(b'"draws":', b'"draws":1', 1))


async def _forged_seal(data: Data, kept: Snapshot) -> Snapshot:
    return replace(kept, seal=bytes(32))


async def _of_another_game(data: Data, kept: Snapshot) -> Snapshot:
    other = await played(data)
    found = await data.kept.newest(other)
    assert found is not None
    return replace(found, game=kept.game)


async def _sealed(data: Data, kept: Snapshot, **changes: Any) -> Snapshot:
    """Return a snapshot of what never was, sealed by somebody who knows the secret."""
    stored = await data.store.load(kept.game)
    assert stored is not None
    game = replace(await data.games(snapshots=False).at(kept.game, kept.version), **changes)
    return replace(take(game, stored.chance), version=kept.version)


async def _of_another_log(data: Data, kept: Snapshot) -> Snapshot:
    # At the end of the log, where nothing follows that would give it away.
    last = (await data.games(snapshots=False).game(kept.game)).version
    return await _sealed(data, replace(kept, version=last), head=bytes(32))


async def _of_a_later_version(data: Data, kept: Snapshot) -> Snapshot:
    return replace(await _sealed(data, kept, version=10_000), version=10_000)


async def _of_another_form(data: Data, kept: Snapshot) -> Snapshot:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "FORM", kernel.FORM + 1)
        return await _sealed(data, kept)


async def _no_json(data: Data, kept: Snapshot) -> Snapshot:
    return replace(kept, body=b"[]")


Spoil = Callable[[Data, Snapshot], Awaitable[Snapshot]]


@pytest.mark.parametrize(
    "spoil",
    [
        _other_body,
        _forged_seal,
        _of_another_game,
        _of_another_log,
        _of_a_later_version,
        _of_another_form,
        _no_json,
    ],
)
async def test_one_that_does_not_fit_is_thrown_away_and_the_log_is_folded(data: Data, spoil: Spoil) -> None:
    game = await played(data)
    kept = await data.kept.newest(game)
    assert kept is not None
    spoilt = await spoil(data, kept)
    await data.written()
    await data.kept.drop(game)
    await data.kept.keep(spoilt)

    found, after = await data.loaded(game)
    assert after == 0
    assert kernel.take(found) == await data.plain(game)
    await data.written()
    again = await data.kept.newest(game)
    assert again is not None, "the fold is written down in its place"
    assert (again.version, again.body) == (found.version, kernel.take(found))


async def test_one_of_another_game_is_never_taken_for_it(data: Data) -> None:
    game, other = await played(data), await played(data)
    copied = await data.kept.newest(other)
    before = await data.plain(other)
    data.kept = Misplaced(data.kept, copied)

    games = data.games()
    assert (await games.game(game)).id == game
    await put_up(rig(data, games), game)
    assert await data.plain(other) == before
    assert data.kept.dropped == [game]


@pytest.mark.parametrize("ahead", [False, True])
async def test_none_counts_of_a_game_that_is_over_for_the_key_of_its_seal_is_public(data: Data, ahead: bool) -> None:
    game = await played(data, rounds=3)
    games = data.games(snapshots=False)
    over = await games.game(game)
    assert over.status == "over"
    kept = await data.kept.newest(game)
    assert kept is None or kept.version < over.version, "none is written once the game is over"

    stored = await data.store.load(game)
    base = over if ahead else await games.at(game, over.version - 3)
    forged = replace(base, status="running", players=dict.fromkeys(base.players, CARL))
    await data.kept.drop(game)
    await data.kept.keep(take(forged, stored.chance))
    found, after = await data.loaded(game)
    assert after == 0
    assert kernel.take(found) == await data.plain(game)
    await data.written()
    assert await data.kept.newest(game) is None


async def test_what_was_damaged_before_it_is_found_when_it_is_looked_at(data: Data) -> None:
    table = rig(data, data.games())
    game = await table.begun(rounds=3)
    await table.play_round(game)
    player = await put_up(table, game)
    await data.written()
    data.store.spoils = 3
    games = data.games()
    now = await games.game(game)
    assert data.store.loaded[-1] > 3
    for version in (3, 4, now.version - 1):
        with pytest.raises(GameDamaged, match="from version 3 on"):
            await games.at(game, version)
    with pytest.raises(GameDamaged, match="from version 3 on"):
        await games.act(game, player, Commands([command("undo", to=now.undo_to[-1])]))
    data.store.spoils = None
    await games.act(game, player, Commands([command("undo", to=now.undo_to[-1])]))


async def test_one_of_moves_that_were_taken_back_since_is_thrown_away(data: Data) -> None:
    table = rig(data, data.games())
    game = await table.begun(rounds=3)
    await table.give(game, ANNA, "put-up", coins=1)
    taken_back = await table.games.game(game)
    await table.give(game, ANNA, "undo", to=taken_back.undo_to[-1])
    stored = await data.store.load(game)
    await data.written()
    await data.kept.drop(game)
    await data.kept.keep(take(taken_back, stored.chance))

    found, after = await data.loaded(game)
    assert after == 0
    assert kernel.take(found) == await data.plain(game)


async def test_games_are_played_while_snapshots_cannot_be_kept(data: Data) -> None:
    game = await played(data)

    async def fails(*_: object) -> None:
        raise StoreUnavailable("no room")

    data.kept = Spoilt(fails)
    found, after = await data.loaded(game)
    assert after == 0
    table = rig(data, data.games())
    await table.play_round(game)
    await data.written()
    assert (await table.games.game(game)).version > found.version
