"""Commands to games: whole requests, from the seats to the disk."""

import asyncio
import random
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.boards import BoardError
from domain.kernel.ids import GameId, PlayerId
from domain.kernel.log.fold import fold
from domain.kernel.log.game import Game
from domain.kernel.log.record import Cause, Record, first_broken
from domain.kernel.rules.refusal import Refusal
from service.cluster.wake import LocalWake
from service.games.acts import Commands, LeaveSeat, NotSeated, Start, TakeSeat
from service.games.cache import GameDamaged, UnknownGame, UnknownVersion
from service.games.creating import create_game
from service.games.games import Games
from service.games.requests import Done, StaleVersion, UnknownPlayer, UnknownRuleset
from service.games.views import Viewer, seat_of, viewer_of
from service.store.protocol import Append, Appended, KeyReused, StoreUnavailable
from tests.service.rig import (
    ANNA,
    BERT,
    BLUE,
    CARL,
    LIBRARY,
    RED,
    Rig,
    caller,
    command,
    fixed_randomness,
    open_rig,
    own_board,
    ticking,
)
from tests.tiny.auction import ROOM


@pytest.fixture
async def rig(tmp_path: Path, database_url: str) -> AsyncIterator[Rig]:
    async with open_rig(tmp_path, checkpoint_every=10, database_url=database_url) as opened:
        yield opened


def whole(records: list[Record], game: GameId) -> Game:
    return fold(records, game, LIBRARY, lambda _: ROOM)


def same(one: Game, other: Game) -> bool:
    """Tell whether two games stand alike; what may be undone is left out, as a look at the past leaves it out."""
    tables = [game.table.digest() if game.table else None for game in (one, other)]
    facts = [(g.version, g.head, g.draws, g.status, g.players, g.entropy, g.result, g.organizer) for g in (one, other)]
    return tables[0] == tables[1] and facts[0] == facts[1]


def is_repetition(again: Done, first: Done) -> bool:
    """Tell whether one answer is the other one, given again."""
    seen, once = (done.seen_by(Viewer(everything=True)) for done in (again, first))
    return msgspec.json.encode(seen) == msgspec.json.encode(replace(once, repeated=True))


# --- from the first seat to the end ---


async def test_a_game_is_played_from_its_creation_to_its_end(rig: Rig) -> None:
    game = await rig.begun()
    while (await rig.games.game(game)).status == "running":
        await rig.play_round(game)
    over = await rig.games.game(game)
    records = await rig.store.read(game)
    assert over.status == "over"
    assert first_broken(game, records) is None
    assert same(whole(records, game), over)
    row = await rig.store.game(game)
    assert row is not None
    assert (row.status, row.version, row.seats) == ("over", over.version, {RED: ANNA, BLUE: BERT})


async def test_the_answer_says_what_happened(rig: Rig) -> None:
    game = await rig.begun()
    before = (await rig.games.game(game)).version
    accepted = await rig.give(game, ANNA, "put-up", coins=2)
    assert (accepted.game, accepted.after, accepted.version, accepted.repeated) == (game, before, before + 1, False)
    assert [event.type for event in accepted.records] == ["prize-put-up"]
    assert msgspec.json.decode(accepted.records[0].event) == {"coins": 2, "type": "prize-put-up"}


async def test_a_creator_may_name_another_organizer(rig: Rig) -> None:
    organizer, _ = await rig.accounts.register("Olga")
    created = await create_game(rig.games, ANNA, "tiny-auction", 2, organizer=organizer.player, title="Sunday")
    game = await rig.games.game(created.game)
    record = (await rig.store.read(created.game))[0]
    assert game.organizer == organizer.player
    assert record.cause is not None
    assert msgspec.json.decode(record.cause, type=Cause).player == ANNA
    row = await rig.store.game(created.game)
    assert row is not None
    assert row.title == "Sunday"


async def test_what_cannot_be_created_is_refused(rig: Rig) -> None:
    create = partial(create_game, rig.games)
    with pytest.raises(UnknownRuleset, match="known: tiny-auction"):
        await create(ANNA, "chess", 2)
    with pytest.raises(UnknownPlayer):
        await create(ANNA, "tiny-auction", 2, organizer=PlayerId("pnobody"))
    with pytest.raises(Refusal) as refusal:
        await create(ANNA, "tiny-auction", 9)
    assert refusal.value.rule == "TAB-LIFE-02"
    with pytest.raises(msgspec.ValidationError):
        await create(ANNA, "tiny-auction", 2, {"rounds": 0})
    for board in (b"", b"{}", b'{"id":'):
        with pytest.raises(BoardError):
            await create(ANNA, "tiny-auction", 2, board=board)
    assert (await rig.store.read_all())[0] == []


async def test_seats_are_taken_left_and_taken_again(rig: Rig) -> None:
    game = (await create_game(rig.games, ANNA, "tiny-auction", 2)).game
    await rig.games.act(game, ANNA, TakeSeat(BLUE, "my own entropy"))
    await rig.games.act(game, BERT, TakeSeat())
    assert (await rig.games.game(game)).players == {RED: BERT, BLUE: ANNA}
    assert (await rig.games.game(game)).entropy == {BLUE: "my own entropy"}
    with pytest.raises(Refusal) as full:
        await rig.games.act(game, CARL, TakeSeat())
    assert full.value.rule == "TAB-LIFE-03"
    with pytest.raises(NotSeated):
        await rig.games.act(game, BERT, LeaveSeat(BLUE))
    await rig.games.act(game, ANNA, LeaveSeat())
    with pytest.raises(NotSeated):
        await rig.games.act(game, ANNA, LeaveSeat())
    with pytest.raises(NotSeated):
        await rig.games.act(game, CARL, Start())
    await rig.games.act(game, CARL, TakeSeat())
    await rig.games.act(game, CARL, Start())
    assert (await rig.games.game(game)).status == "running"


async def test_an_unknown_game_is_unknown_to_every_request_and_is_not_kept_in_memory(rig: Rig) -> None:
    nowhere = GameId("gnowhere")
    for request in (
        rig.games.game(nowhere),
        rig.games.at(nowhere, 1),
        rig.games.records(nowhere),
        rig.games.vault(nowhere),
        rig.games.act(nowhere, ANNA, TakeSeat()),
        rig.games.act(nowhere, ANNA, Start()),
        rig.give(nowhere, ANNA, "put-up", coins=1),
        rig.games.try_out(nowhere, ANNA, Commands([command("put-up", coins=1)], tentative=True)),
    ):
        with pytest.raises(UnknownGame):
            await request


# --- what is refused ---


async def test_a_refused_command_leaves_no_trace(rig: Rig) -> None:
    game = await rig.begun()
    before = await rig.games.game(game)
    for player, raw, rule in (
        (ANNA, command("put-up", coins=99), "TA-PUT-01"),
        (ANNA, command("open-bidding"), "TA-PUT-02"),
        (BERT, command("put-up", coins=1), "TA-PUT-01"),
        (ANNA, command("put-up", coins="1"), "TAB-CMD-01"),
        (ANNA, command("put-up", coins=1.5), "TAB-CMD-01"),
        (ANNA, command("put-up", coins=-1), "TAB-CMD-01"),
        (ANNA, command("put-up", coins=2**60), "TAB-CMD-01"),
        (ANNA, command("put-up"), "TAB-CMD-01"),
        (ANNA, command("put-up", coins=1, more=1), "TAB-CMD-01"),
        (ANNA, command("fly"), "TAB-CMD-01"),
        (ANNA, b"[]", "TAB-CMD-01"),
        (ANNA, b"{}", "TAB-CMD-01"),
        (ANNA, b"null", "TAB-CMD-01"),
        (ANNA, command("undo", to="x"), "TAB-CMD-01"),
        (ANNA, command("undo", to=1), "TAB-UNDO-01"),
        (ANNA, command("undo", to=0), "TAB-UNDO-01"),
    ):
        with pytest.raises(Refusal) as refusal:
            await rig.games.act(game, player, Commands([raw]))
        assert refusal.value.rule == rule, raw
        with pytest.raises(Refusal):
            await rig.games.try_out(game, player, Commands([raw], tentative=True))
    for raw in (b"", b"{", b'{"type":"put-up","coins":1}x'):
        with pytest.raises(msgspec.DecodeError):
            await rig.games.act(game, ANNA, Commands([raw]))
    assert await rig.games.game(game) is before
    assert await rig.store.head(game) == before.version


async def test_only_a_seat_gives_commands(rig: Rig) -> None:
    game = await rig.begun(organizer=CARL)
    for player in (CARL, PlayerId("pnobody")):
        with pytest.raises(NotSeated):
            await rig.give(game, player, "put-up", coins=1)
        with pytest.raises(NotSeated):
            await rig.games.try_out(game, player, Commands([command("put-up", coins=1)], tentative=True))


async def test_a_stale_version_is_refused(rig: Rig) -> None:
    game = await rig.begun()
    version = (await rig.games.game(game)).version
    for expected in (version - 1, version + 1):
        with pytest.raises(StaleVersion) as stale:
            await rig.games.act(game, ANNA, Commands([command("put-up", coins=1)]), expected=(expected,))
        assert (stale.value.expected, stale.value.head) == ((expected,), version)
    await rig.games.act(game, ANNA, Commands([command("put-up", coins=1)]), expected=(version,))


@pytest.mark.rule("TAB-LIST-01")
async def test_a_list_with_one_bad_command_is_refused_whole(rig: Rig) -> None:
    game = await rig.begun()
    before = await rig.games.game(game)
    good = command("put-up", coins=1)
    for commands, rule in (
        ([good, command("put-up", coins=9)], "TA-PUT-01"),
        ([good, command("fly")], "TAB-CMD-01"),
        ([good, command("undo", to=before.version)], "TAB-LIST-01"),
        ([], "TAB-LIST-01"),
    ):
        with pytest.raises(Refusal) as refusal:
            await rig.games.act(game, ANNA, Commands(commands))
        assert refusal.value.rule == rule
    assert await rig.games.game(game) is before
    accepted = await rig.games.act(game, ANNA, Commands([good, good, command("open-bidding")]))
    assert [event.type for event in accepted.records] == ["prize-put-up", "prize-put-up", "bidding-opened"]
    assert all(event.cause is not None for event in accepted.records)


@pytest.mark.rule("TAB-LIST-02")
async def test_nobody_tries_out_dice_with_a_list(rig: Rig) -> None:
    game = await rig.begun(rounds=2)
    await rig.play_round(game)
    await rig.give(game, BERT, "put-up", coins=1)
    await rig.give(game, BERT, "open-bidding")
    await rig.give(game, BERT, "choose-card", card=await rig.first_card(game, BLUE))
    # Anna's bid turns all cards up and may roll for a tie. What comes after it is never looked at, good or bad.
    bid = command("choose-card", card=await rig.first_card(game, RED))
    for following in (command("put-up", coins=1), command("put-up", coins=99), command("give", coins={"blue": 1})):
        with pytest.raises(Refusal) as refusal:
            await rig.games.act(game, ANNA, Commands([bid, following]))
        assert refusal.value.rule == "TAB-LIST-02"
        _, step = await rig.games.try_out(game, ANNA, Commands([bid, following], tentative=True))
        assert step.commands == 1
    await rig.games.act(game, ANNA, Commands([bid]))


async def test_a_check_says_yes_and_stores_nothing(rig: Rig) -> None:
    game = await rig.begun()
    before = await rig.games.game(game)
    good = command("put-up", coins=1)
    tried, step = await rig.games.try_out(game, ANNA, Commands([good, good], tentative=True))
    assert (tried.version, step.commands) == (before.version, 2)
    with pytest.raises(StaleVersion):
        await rig.games.try_out(game, ANNA, Commands([good], tentative=True), expected=(1,))
    assert await rig.games.game(game) is before
    assert await rig.store.head(game) == before.version


# --- undo ---


@pytest.mark.rule("TAB-UNDO-01")
async def test_a_seat_takes_back_its_own_fresh_commands(rig: Rig) -> None:
    game = await rig.begun()
    start = (await rig.games.game(game)).version
    await rig.give(game, ANNA, "put-up", coins=1)
    await rig.give(game, ANNA, "put-up", coins=1)
    _, step = await rig.games.try_out(game, ANNA, Commands([command("undo", to=start)], tentative=True))
    assert step.commands == 1
    with pytest.raises(Refusal):
        await rig.give(game, BERT, "undo", to=start)
    accepted = await rig.give(game, ANNA, "undo", to=start)
    assert [event.type for event in accepted.records] == ["moves-retracted"]
    now, then = await rig.games.game(game), await rig.games.at(game, start)
    assert now.table is not None
    assert then.table is not None
    assert now.table.digest() == then.table.digest()
    assert now.version == start + 3


# --- idempotency ---


async def test_a_retry_of_a_success_gets_the_first_answer_although_the_game_has_moved_on(rig: Rig) -> None:
    game = await rig.begun()
    version = (await rig.games.game(game)).version
    raw = command("put-up", coins=1)
    first = await rig.games.act(game, ANNA, Commands([raw]), expected=(version,), key="one")
    await rig.play_round(game)
    moved_on = await rig.games.game(game)
    # The version is stale by now, and it is not Anna's turn: neither matters.
    again = await rig.games.act(game, ANNA, Commands([raw]), expected=(version,), key="one")
    spaced = await rig.games.act(game, ANNA, Commands([b' { "coins": 1, "type": "put-up" } ']), key="one")
    assert first.repeated is False
    assert is_repetition(again, first)
    assert is_repetition(spaced, first)
    assert await rig.games.game(game) is moved_on


async def test_a_key_with_another_request_is_refused_whatever_became_of_it(rig: Rig) -> None:
    game = await rig.begun()
    await rig.give(game, ANNA, "put-up", coins=1, key="one")
    for kind, fields in (("put-up", {"coins": 2}), ("put-up", {"coins": 99}), ("open-bidding", {})):
        with pytest.raises(KeyReused):
            await rig.give(game, ANNA, kind, key="one", **fields)
    with pytest.raises(KeyReused):
        await rig.games.act(game, ANNA, Start(), key="one")


async def test_a_refused_request_does_not_use_its_key_up(rig: Rig) -> None:
    game = await rig.begun()
    with pytest.raises(Refusal):
        await rig.give(game, ANNA, "put-up", coins=99, key="one")
    assert not (await rig.give(game, ANNA, "put-up", coins=1, key="one")).repeated


async def test_one_key_is_another_in_another_game_and_of_another_account(rig: Rig) -> None:
    one, two = await rig.begun(), await rig.begun()
    for game in (one, two):
        assert not (await rig.give(game, ANNA, "put-up", coins=1, key="k")).repeated
    await rig.give(one, ANNA, "open-bidding")
    card = await rig.first_card(one, BLUE)
    assert not (await rig.give(one, BERT, "choose-card", key="k", card=card)).repeated


async def test_creating_and_sitting_down_are_repeated_too(rig: Rig) -> None:
    async def create(players: int = 2) -> Any:
        return await create_game(rig.games, ANNA, "tiny-auction", players, title="Mine", key="new")

    first = await create()
    sat = await rig.games.act(first.game, ANNA, TakeSeat(), key="sit")
    assert is_repetition(await create(), first)
    assert (await rig.games.act(first.game, ANNA, TakeSeat(), key="sit")).repeated
    assert (await rig.games.at(first.game, first.version)).players == {RED: None, BLUE: None}
    assert sat.version == (await rig.games.game(first.game)).version
    with pytest.raises(KeyReused):
        await create(players=3)
    assert len(await rig.store.games()) == 1


async def test_fifty_at_once_with_one_key_have_one_effect(rig: Rig) -> None:
    game = await rig.begun()
    version = (await rig.games.game(game)).version
    answers = await asyncio.gather(*(rig.give(game, ANNA, "put-up", coins=3, key="k") for _ in range(50)))
    assert sum(not answer.repeated for answer in answers) == 1
    assert len({tuple(record.hash for record in answer.records) for answer in answers}) == 1
    assert await rig.store.head(game) == version + 1
    created = await asyncio.gather(*(create_game(rig.games, ANNA, "tiny-auction", 2, key="c") for _ in range(50)))
    assert sum(not answer.repeated for answer in created) == 1
    assert len({answer.game for answer in created}) == 1


async def test_a_key_is_remembered_over_a_restart_and_shown_to_nobody(tmp_path: Path) -> None:
    async with open_rig(tmp_path) as rig:
        game = await rig.begun()
        first = await rig.give(game, ANNA, "put-up", coins=1, key="my secret plan")
    async with open_rig(tmp_path) as rig:
        again = await rig.give(game, ANNA, "put-up", coins=1, key="my secret plan")
        assert is_repetition(again, first)
        cause = msgspec.json.decode((await rig.store.read(game))[-1].cause or b"", type=Cause)
        assert cause.key is not None
        assert len(cause.key) == 32
    kept = (tmp_path / "tabularium.db").read_bytes()
    assert game.encode() in kept
    assert b"my secret plan" not in kept


# --- who sees what ---


async def test_viewers_are_seats_spectators_and_organizers(rig: Rig) -> None:
    game = await rig.begun(organizer=CARL, organizer_sees="all")
    now = await rig.games.game(game)
    assert viewer_of(now, caller(ANNA)) == Viewer(ANNA, RED)
    assert viewer_of(now, caller(CARL)) == Viewer(CARL, None, everything=True)
    blind = await rig.games.game(await rig.begun(organizer=CARL))
    assert viewer_of(blind, caller(CARL)) == Viewer(CARL)
    assert viewer_of(now, caller(PlayerId("pguest"))) == Viewer(PlayerId("pguest"))
    assert viewer_of(now, None) == Viewer()
    mine = await rig.games.game(await rig.begun(organizer=ANNA, organizer_sees="all"))
    assert viewer_of(mine, caller(ANNA)) == Viewer(ANNA, RED)


async def test_a_token_shows_no_more_than_its_scopes(rig: Rig) -> None:
    now = await rig.games.game(await rig.begun(organizer=CARL, organizer_sees="all"))
    assert viewer_of(now, caller(ANNA, "organize")) == Viewer(ANNA)
    assert viewer_of(now, caller(CARL, "play")) == Viewer(CARL)
    assert viewer_of(now, caller(CARL, "organize")) == Viewer(CARL, everything=True)


async def test_everybody_sees_everything_when_a_game_is_over(rig: Rig) -> None:
    game = await rig.begun(rounds=1)
    await rig.play_round(game)
    assert viewer_of(await rig.games.game(game), None) == Viewer(everything=True)


async def test_an_event_shows_each_viewer_the_secrets_that_are_theirs(rig: Rig) -> None:
    game = await rig.begun()
    dealt = await rig.games.game(game)

    async def shown(viewer: Viewer) -> int:
        [event] = await rig.games.events(dealt, viewer, after=dealt.version - 1, limit=1)
        assert event.type == "cards-dealt"
        return len(event.secrets)

    assert await shown(Viewer(ANNA, RED)) == 3
    assert await shown(Viewer(BERT, BLUE)) == 3
    assert await shown(Viewer()) == 0
    assert await shown(Viewer(everything=True)) == 15


async def test_a_sealed_command_is_answered_with_its_secret_to_its_seat_alone(rig: Rig) -> None:
    game = await rig.begun()
    await rig.games.act(game, ANNA, Commands([command("put-up", coins=1), command("open-bidding")]))
    card = await rig.first_card(game, RED)
    accepted = await rig.give(game, ANNA, "choose-card", card=card)
    [event] = accepted.seen_by(Viewer(ANNA, RED)).events
    assert {"card": card, "type": "choose-card"} in [secret.value for secret in event.secrets]
    now = await rig.games.game(game)
    for viewer in (Viewer(), Viewer(BERT, BLUE)):
        [seen] = await rig.games.events(now, viewer, after=accepted.after)
        assert seen.secrets == ()
        assert b"choose-card" in msgspec.json.encode(seen.cause)


# --- the past ---


async def test_every_version_is_what_a_fold_from_the_beginning_gives(rig: Rig) -> None:
    game = await rig.begun(rounds=3)
    rng = random.Random(3)
    while (now := await rig.games.game(game)).status == "running":
        for player in (ANNA, BERT):
            seat = seat_of(now, player)
            if now.undo_seat == seat and now.undo_to and rng.random() < 0.5 and now.version < 90:
                await rig.give(game, player, "undo", to=rng.choice(now.undo_to))
                break
        else:
            await some_command(rig, game, now)
    records = await rig.store.read(game)
    assert sum(record.type == "moves-retracted" for record in records) > 5
    for games in (
        rig.games,
        Games(rig.store, LIBRARY, rig.wake, ticking(), rig.settings, boards=own_board),
    ):
        for version in rng.sample(range(1, len(records) + 1), len(records)):
            assert same(await games.at(game, version), whole(records[:version], game)), version
    for version in (0, -1, len(records) + 1):
        with pytest.raises(UnknownVersion) as unknown:
            await rig.games.at(game, version)
        assert unknown.value.head == len(records)


async def some_command(rig: Rig, game: GameId, now: Game) -> None:
    decision = now.decisions[0]
    seat = decision.seats[0]
    player = now.players[seat]
    assert player is not None
    if decision.kind == "choose-card":
        await rig.give(game, player, "choose-card", card=await rig.first_card(game, seat))
    elif any(option.command == "put-up" for option in now.options(seat, await rig.games.vault(game))):
        await rig.give(game, player, "put-up", coins=1)
    else:
        await rig.give(game, player, "open-bidding")


async def test_a_game_in_hand_does_not_change_when_it_goes_on(rig: Rig) -> None:
    game = await rig.begun()
    before = await rig.games.game(game)
    assert before.table is not None
    digest = before.table.digest()
    await rig.play_round(game)
    assert before.table.digest() == digest


async def test_records_come_from_memory_and_from_the_store_alike(rig: Rig) -> None:
    game = await rig.begun()
    kept = await rig.store.read(game)
    fresh = Games(rig.store, LIBRARY, rig.wake, ticking(), rig.settings, boards=own_board)
    for games in (rig.games, fresh):
        for after in range(len(kept) + 2):
            assert await games.records(game, after) == kept[after:]
            assert await games.records(game, after, 2) == kept[after:][:2]


# --- memory, restarts and other processes ---


async def test_a_game_goes_on_after_a_restart(tmp_path: Path, database_url: str) -> None:
    async with open_rig(tmp_path, database_url=database_url) as rig:
        game = await rig.begun()
        await rig.give(game, ANNA, "put-up", coins=1)
        before = await rig.games.game(game)
    async with open_rig(tmp_path, database_url=database_url) as rig:
        after = await rig.games.game(game)
        assert same(before, after)
        assert (after.undo_seat, after.undo_to) == (before.undo_seat, before.undo_to)
        await rig.play_round(game)


async def test_more_games_than_memory_holds_are_all_played(tmp_path: Path, database_url: str) -> None:
    async with open_rig(tmp_path, cache_games=2, database_url=database_url) as rig:
        games = [await rig.begun(rounds=1) for _ in range(6)]
        await asyncio.gather(*(rig.play_round(game) for game in games))
        for game in games:
            assert (await rig.games.game(game)).status == "over"


async def test_a_hall_that_another_one_overtook_catches_up(rig: Rig) -> None:
    other = Games(rig.store, LIBRARY, LocalWake(), ticking(), rig.settings, boards=own_board)
    game = await rig.begun()
    await other.game(game)
    await rig.give(game, ANNA, "put-up", coins=1)
    accepted = await other.act(game, ANNA, Commands([command("put-up", coins=1)]))
    with pytest.raises(StaleVersion):
        await other.act(game, ANNA, Commands([command("put-up", coins=1)]), expected=(accepted.after,))
    await rig.give(game, ANNA, "put-up", coins=1)
    assert (await rig.games.game(game)).version == accepted.version + 1
    assert same(await rig.games.game(game), whole(await rig.store.read(game), game))


async def test_times_do_not_run_backwards_when_the_clock_of_a_process_does(rig: Rig) -> None:
    game = await rig.begun()
    await rig.give(game, ANNA, "put-up", coins=1)
    late = Games(
        rig.store,
        LIBRARY,
        LocalWake(),
        lambda: datetime(2001, 1, 1, tzinfo=UTC),
        rig.settings,
        boards=own_board,
    )
    await late.act(game, ANNA, Commands([command("put-up", coins=1)]))
    await rig.give(game, ANNA, "open-bidding")
    times = [record.at for record in await rig.store.read(game)]
    assert times == sorted(times)
    assert times[-2] == times[-3]
    assert times[-1] > times[-2]


async def test_a_command_is_finished_although_its_client_has_gone(rig: Rig) -> None:
    game = await rig.begun()
    version = (await rig.games.game(game)).version
    async with rig.wake.subscribe(game) as signal:
        request = asyncio.create_task(rig.give(game, ANNA, "put-up", coins=1))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request
        assert await signal.wait(5)
    assert (await rig.games.game(game)).version == version + 1
    await rig.give(game, ANNA, "put-up", coins=1)


async def test_a_store_that_fails_leaves_the_game_as_it_was(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(_: Append) -> Appended:
        raise StoreUnavailable("the disk is full")

    game = await rig.begun()
    before = await rig.games.game(game)
    with monkeypatch.context() as patched:
        patched.setattr(rig.store, "append", full)
        with pytest.raises(StoreUnavailable):
            await rig.give(game, ANNA, "put-up", coins=1, key="k")
    assert await rig.games.game(game) is before
    assert not (await rig.give(game, ANNA, "put-up", coins=1, key="k")).repeated


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        (
            "UPDATE events SET event = replace(event, 'pbert', 'pcarl') WHERE version = 3 AND game = '{game}'",
            "from version 3 on",
        ),
        ("DELETE FROM events WHERE version = 3 AND game = '{game}'", "from version 3 on"),
        ("DELETE FROM events WHERE version = 5 AND game = '{game}'", "from version 5 on"),
        ("DELETE FROM events WHERE game = '{game}'", "from version 1 on"),
        ("UPDATE events SET hash = x'00' WHERE version = 4 AND game = '{game}'", "from version 4 on"),
        ("UPDATE events SET at = 'yesterday' WHERE version = 1 AND game = '{game}'", "from version 1 on"),
        ("UPDATE events SET version = version + 1 WHERE version = 5 AND game = '{game}'", "from version 5 on"),
        ("UPDATE events SET cause = NULL WHERE version = 2 AND game = '{game}'", "from version 2 on"),
        ("UPDATE games SET chance = x'00' WHERE game = '{game}'", "does not fit"),
        ("DELETE FROM boards", "is missing"),
        ("UPDATE boards SET file = replace(file, 'cellar', 'attic')", "board .* is damaged"),
        ("UPDATE boards SET file = 'x'", "not JSON"),
    ],
)
async def test_whatever_is_spoilt_in_a_game_is_said_when_it_is_loaded(
    tmp_path: Path, statement: str, says: str
) -> None:
    async with open_rig(tmp_path) as rig:
        game, other = await rig.begun(), await rig.begun()
    triggers: list[str] = []
    with closing(sqlite3.connect(tmp_path / "tabularium.db")) as connection, connection:
        for name, sql in connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall():
            triggers.append(sql)
            connection.execute(f"DROP TRIGGER {name}")
        assert connection.execute(statement.format(game=game)).rowcount
        for sql in triggers:
            connection.execute(sql)
    async with open_rig(tmp_path) as rig:
        with pytest.raises(GameDamaged, match=says) as damaged:
            await rig.games.game(game)
        assert "\n" not in str(damaged.value)
        if "boards" not in statement:
            await rig.play_round(other)


async def test_a_fixed_randomness_gives_the_same_game_again(tmp_path: Path) -> None:
    heads: list[bytes] = []
    for run in ("one", "two"):
        async with open_rig(tmp_path / run) as rig:
            games = Games(
                rig.store,
                LIBRARY,
                rig.wake,
                ticking(),
                rig.settings,
                fixed_randomness(),
                boards=own_board,
            )
            rig.games = games
            game = await rig.begun()
            while (await games.game(game)).status == "running":
                await rig.play_round(game)
            heads.append((await games.game(game)).head)
    assert heads[0] == heads[1]
