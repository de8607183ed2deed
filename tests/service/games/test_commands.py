"""Commands to games: whole requests, from the seats to the disk."""

from functools import partial

import msgspec
import pytest

from domain.boards import BoardError
from domain.kernel.ids import GameId, PlayerId
from domain.kernel.log.record import Cause, first_broken
from domain.kernel.rules.refusal import Refusal
from service.games.acts import Commands, LeaveSeat, NotSeated, Start, TakeSeat
from service.games.cache import UnknownGame
from service.games.creating import create_game
from service.games.requests import StaleVersion, UnknownPlayer, UnknownRuleset
from tests.service.games.alike import same, whole
from tests.service.rig import ANNA, BERT, BLUE, CARL, RED, Rig, command

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
