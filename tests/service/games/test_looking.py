"""Looking at games: who sees what, and the past."""

import random

import msgspec
import pytest

from domain.kernel.ids import GameId, PlayerId
from domain.kernel.log.game import Game
from service.games.acts import Commands
from service.games.cache import UnknownVersion
from service.games.games import Games
from service.games.views import Viewer, seat_of, viewer_of
from tests.service.games.alike import same, whole
from tests.service.rig import ANNA, BERT, BLUE, CARL, LIBRARY, RED, Rig, caller, command, own_board, ticking

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
