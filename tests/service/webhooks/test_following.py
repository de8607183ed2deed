"""Who is told what: from the log alone, once, and nothing that they could not read."""

import msgspec
import pytest
from msgspec.structs import replace
from standardwebhooks import Webhook

from domain.judging.events import CASE_EVENTS
from domain.kernel.log.clocked import ClocksRan
from domain.kernel.log.lifecycle import GAME_EVENTS, GameStarted
from domain.kernel.rules.message import type_name
from domain.tournament.events import TOURNAMENT_EVENTS
from service.base.scopes import EVERYBODYS
from service.games.acts import Start, TakeSeat
from service.games.creating import create_game
from service.games.seats import AcceptSeat, OfferSeat
from service.webhooks.events import AWAITED, MEANINGS, MOVED, OF_GAMES, USUAL, USUAL_OF_CHANNELS, wants
from tests.service.rig import ANNA, BERT, CARL
from tests.service.webhooks.receiving import Telling

ALL = ("game.*", "seat.awaited", "case.*")


def test_every_event_of_games_cases_and_tournaments_has_a_type() -> None:
    told = set(MEANINGS)
    assert len(told) == len(GAME_EVENTS) - 1 + len(CASE_EVENTS) + len(TOURNAMENT_EVENTS) + 4
    assert {"game.started", "game.ended", "game.seat_taken", "case.opened", "case.ruled", "tournament.closed"} < told
    assert type_name(ClocksRan) not in OF_GAMES
    assert all(MEANINGS.values())
    assert all(
        any(wants([pattern], kind) for kind in told)
        for usual in (*USUAL.values(), *USUAL_OF_CHANNELS.values())
        for pattern in usual
    )


async def test_an_account_hears_that_it_is_awaited_and_what_becomes_of_its_games(told: Telling) -> None:
    await told.hook(ANNA, "/anna")
    await told.hook(BERT, "/bert")
    await told.hook(CARL, "/carl")
    game = await told.rig.begun()
    await told.tell()
    decision = (await told.rig.games.game(game)).decisions[0]
    auctioneer = (await told.rig.games.game(game)).players[decision.seats[0]]
    mine, others = ("/anna", "/bert") if auctioneer == ANNA else ("/bert", "/anna")
    assert told.receiver.types(mine) == ["game.started", AWAITED]
    assert told.receiver.types(others) == ["game.started"]
    assert told.receiver.types("/carl") == [], "who has nothing to do with the game hears nothing"
    awaited = next(each for each in told.receiver.got if each.json["type"] == AWAITED).json
    assert awaited["data"] == {
        "game": game,
        "version": (await told.rig.games.game(game)).version,
        "seats": [decision.seats[0]],
        "address": f"https://games.example.org/v1/games/{game}",
    }
    while (await told.rig.games.game(game)).status == "running":
        await told.rig.play_round(game)
    await told.tell()
    for path in ("/anna", "/bert"):
        assert told.receiver.types(path)[-1] == "game.ended"
        assert told.receiver.types(path).count(AWAITED) >= 1


async def test_who_decided_something_is_not_told_what_they_know(told: Telling) -> None:
    await told.hook(ANNA, "/anna", events=[AWAITED])
    await told.hook(BERT, "/bert", events=[AWAITED])
    game = await told.rig.begun()
    await told.tell()
    now = await told.rig.games.game(game)
    (seat,) = now.decisions[0].seats
    player = now.players[seat]
    assert player is not None
    path = {ANNA: "/anna", BERT: "/bert"}[player]
    before = len(told.receiver.types(path))
    await told.rig.give(game, player, "put-up", coins=1)  # and is asked what comes next
    await told.tell()
    assert len(told.receiver.types(path)) == before


async def test_a_game_s_webhook_hears_of_every_step_and_of_nothing_hidden(told: Telling) -> None:
    game = (await create_game(told.rig.games, ANNA, "tiny-auction", 2, {})).game
    await told.hook(CARL, about="game", game=game, events=ALL)
    for player in (ANNA, BERT):
        await told.rig.games.act(game, player, TakeSeat())
    await told.rig.games.act(game, ANNA, Start())
    await told.rig.play_round(game)
    await told.rig.begun()  # another one
    await told.tell()
    got = [each.json for each in told.receiver.got]
    assert {each["data"]["game"] for each in got} == {game}
    assert [each["type"] for each in got][:3] == ["game.seat_taken", "game.seat_taken", "game.started"]
    moved = [each["data"] for each in got if each["type"] == MOVED]
    records = await told.rig.store.read(game, 0, 1000)
    types = [record.type for record in records if record.type not in OF_GAMES]
    assert [kind for each in moved for kind in each["events"]] == list(types) or set(types) == {
        kind for each in moved for kind in each["events"]
    }
    last = 0
    for each in moved:  # the steps do not overlap, and each is whole
        assert last <= each["after"] < each["version"]
        last = each["version"]
    assert last == records[-1].version
    vault = (await told.rig.games.vault(game)).all()
    assert vault
    hidden = {secret.salt for secret in vault.values()}
    sent = b"".join(each.body for each in told.receiver.got).decode()
    assert not any(str(each) in sent for each in hidden)
    assert "commitment" not in sent
    assert all(set(each["data"]) <= {"game", "version", "after", "events", "seats", "address"} for each in got)


async def test_a_private_game_is_told_of_to_those_alone_who_read_it(told: Telling) -> None:
    await told.rig.accounts.grant(CARL, (*EVERYBODYS, "audit"))
    private = (await create_game(told.rig.games, ANNA, "tiny-auction", 2, {}, readers="invited")).game
    for player in (ANNA, BERT):
        await told.rig.games.act(private, player, TakeSeat())
    await told.hook(CARL, "/service", about="service", events=ALL)
    await told.rig.accounts.grant(BERT, (*EVERYBODYS, "audit"))
    await told.hook(BERT, "/both", about="service", events=ALL)
    await told.hook(CARL, "/game", about="game", game=private, events=ALL)
    await told.hook(ANNA, "/member", about="game", game=private, events=ALL)
    await told.hook(BERT, "/own", events=ALL)
    await told.rig.games.act(private, ANNA, Start())
    open_one = await told.rig.begun()
    await told.tell()
    for path in ("/service", "/both"):  # whether or not its owner reads the private one
        assert {each.json["data"]["game"] for each in told.receiver.got if each.path == path} == {open_one}
    assert told.receiver.types("/game") == []
    assert told.receiver.types("/member")[0] == "game.started"
    assert private in {each.json["data"]["game"] for each in told.receiver.got if each.path == "/own"}


@pytest.mark.rule("TAB-SEAT-03")
async def test_the_webhook_of_a_player_before_hears_nothing_more_of_a_seat_and_the_substitute_s_does(
    told: Telling,
) -> None:
    await told.hook(BERT, "/before", events=ALL)
    await told.hook(CARL, "/now", events=ALL)
    game = await told.rig.begun()
    await told.tell()
    seat = next(seat for seat, holder in (await told.rig.games.game(game)).players.items() if holder == BERT)
    await told.rig.games.act(game, BERT, OfferSeat(seat, CARL))
    await told.rig.games.act(game, CARL, AcceptSeat(seat))
    told.receiver.got.clear()
    while AWAITED not in told.receiver.types("/now"):
        await told.rig.play_round(game)
        await told.tell()
    assert told.receiver.types("/before") == []
    assert {tuple(each.json["data"]["seats"]) for each in told.receiver.got if each.json["type"] == AWAITED} == {
        (seat,)
    }


async def test_the_whole_service_is_told_of_only_as_long_as_the_account_may_read_the_log(told: Telling) -> None:
    await told.rig.accounts.grant(CARL, (*EVERYBODYS, "audit"))
    await told.hook(CARL, about="service", events=["game.started"])
    await told.rig.begun()
    await told.tell()
    await told.rig.accounts.grant(CARL, EVERYBODYS)
    await told.rig.begun()
    await told.tell()
    assert told.receiver.types() == ["game.started"]


async def test_nothing_is_told_of_what_was_before_and_nothing_is_told_twice(told: Telling) -> None:
    await told.rig.begun()
    await told.hook(ANNA, events=["game.*"])
    await told.tell()
    assert told.receiver.got == []
    await told.rig.begun()
    await told.hook(BERT, "/later", events=["game.*"])
    await told.tell()
    assert told.receiver.types("/later") == [], "also when the log was not read yet"
    assert "game.started" in told.receiver.types()
    told.receiver.got.clear()
    await told.rig.begun()
    for _ in range(2):  # each time by another process
        await told.tell()
    assert "game.started" in told.receiver.types("/later")
    ids = [each.headers["webhook-id"] for each in told.receiver.got]
    assert len(ids) == len(set(ids)) > 3
    place = await told.rig.store.webhooks.place()
    assert await told.rig.store.webhooks.advance(place, "0", []), "as if the commit had been lost"
    await told.tell()
    assert len(told.receiver.got) == len(ids), "the same events have the same ids, and were sent"


async def test_what_is_sent_is_signed_as_the_standard_says(told: Telling) -> None:
    told.clock.now = told.clock.now.now(told.clock.now.tzinfo)
    _, secret = await told.hook(ANNA)
    await told.rig.begun()
    await told.tell()
    for each in told.receiver.got:
        assert Webhook(secret).verify(each.body, each.headers) == each.json
    with pytest.raises(Exception, match="No matching signature"):
        Webhook(secret).verify(told.receiver.got[0].body + b" ", told.receiver.got[0].headers)


async def test_both_secrets_sign_until_the_old_one_ends(told: Telling) -> None:
    told.clock.now = told.clock.now.now(told.clock.now.tzinfo)
    row, old = await told.hook(ANNA, events=["game.started"])
    _, new = await told.webhooks.rotate(row, 3600, None)
    assert old != new
    await told.rig.begun()
    await told.tell()
    (got,) = told.receiver.got
    assert got.headers["webhook-signature"].count("v1,") == 2
    for secret in (old, new):
        assert Webhook(secret).verify(got.body, got.headers)
    told.later(hours=2)
    await told.rig.begun()
    await told.tell()
    assert told.receiver.got[-1].headers["webhook-signature"].count("v1,") == 1


@pytest.mark.parametrize(("form", "field"), [("discord", "content"), ("slack", "text")])
async def test_a_chat_channel_gets_a_message(told: Telling, form: str, field: str) -> None:
    game = (await create_game(told.rig.games, ANNA, "tiny-auction", 2, {}, title="Cats & @everyone <3")).game
    row, secret = await told.hook(ANNA, about="game", game=game, form=form)
    assert row.events == USUAL_OF_CHANNELS["game"]
    for player in (ANNA, BERT):
        await told.rig.games.act(game, player, TakeSeat())
    await told.rig.games.act(game, ANNA, Start())
    await told.tell()
    started, awaited = (each.json for each in told.receiver.got)
    assert started[field].endswith(f"game started. https://games.example.org/games/{game}")
    assert "it is your turn, red." in awaited[field] or "it is your turn, blue." in awaited[field]
    assert ("Cats &amp; @everyone &lt;3" if form == "slack" else "Cats & @everyone <3") in started[field]
    if form == "discord":
        assert started["allowed_mentions"] == {"parse": []}
    first = told.receiver.got[0]
    told_at = int(first.headers["webhook-timestamp"])
    assert told_at
    assert Webhook(secret).sign(
        first.headers["webhook-id"], told.clock.now.fromtimestamp(told_at, told.clock.now.tzinfo), first.body.decode()
    ) in first.headers["webhook-signature"].split(" ")


async def test_events_have_a_schema_that_their_type_does_not_change(told: Telling) -> None:
    await told.hook(ANNA, events=["game.started"])
    await told.rig.begun()
    await told.tell()
    (got,) = told.receiver.got
    assert set(got.json) == {"type", "timestamp", "data"}
    records = await told.rig.store.read(got.json["data"]["game"], 0, 50)
    record = next(each for each in records if each.type == type_name(GameStarted))
    assert got.json["timestamp"] == record.at
    assert got.json["data"]["version"] == record.version
    assert msgspec.json.encode(got.json) == got.body


async def test_a_hook_whose_account_is_closed_hears_nothing(told: Telling) -> None:
    row, _ = await told.hook(ANNA, about="account", events=ALL)
    await told.rig.accounts.close(ANNA)
    await told.tell()
    assert told.receiver.got == []
    assert await told.rig.store.webhooks.webhook(replace(row).webhook) is None
