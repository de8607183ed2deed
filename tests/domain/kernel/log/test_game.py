"""The life of a game: seats, the start, commands, lists, the end."""

from random import Random
from typing import Any

import msgspec
import pytest

from domain.kernel.chance.draws import commitment_to
from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.log import beginning
from domain.kernel.log.fold import continued, later
from domain.kernel.log.game import Game
from domain.kernel.log.history import read_event, steps
from domain.kernel.log.lifecycle import GameCreated, GameEnded
from domain.kernel.log.record import Cause, Record, chain_hash, first_broken
from domain.kernel.log.request import read_commands, read_undo
from domain.kernel.log.snapshot import SnapshotError, restore, take
from domain.kernel.rules.board import Board
from domain.kernel.rules.refusal import Refusal
from tests.domain.kernel.log.around import BLUE, GREEN, ONE_COIN, OPEN, RED, card, gathering, refused, started
from tests.helpers.play import ORGANIZER, Play, player_of
from tests.tiny.auction import ROOM, TinyAuction

# --- before the game ---


def create(**changes: Any) -> Any:
    given: dict[str, Any] = {
        "setup": {},
        "board": ROOM,
        "organizer": ORGANIZER,
        "commitment": commitment_to(bytes(32)),
        "cause": Cause(ORGANIZER),
        "at": "2026-01-01T00:00:00.000000Z",
    }
    return beginning.create(TinyAuction(), GameId("g"), changes.pop("players", 2), **{**given, **changes})


def test_a_game_is_created_with_its_commitment_and_board() -> None:
    (record,) = create(setup={"rounds": 2}).records
    created = msgspec.json.decode(record.event, type=GameCreated)
    assert created.seats == (RED, BLUE)
    assert created.setup == {"rounds": 2}
    assert created.commitment == "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"  # SHA-256 of zeros
    assert created.board.startswith("sha256:")


@pytest.mark.rule("TAB-LIFE-02")
@pytest.mark.parametrize("players", [0, 1, 5, -1])
def test_a_number_of_players_that_the_rules_do_not_give_is_refused(players: int) -> None:
    refusal = refused(lambda: create(players=players))
    assert refusal.rule == "TAB-LIFE-02"
    assert "2, 3, 4" in refusal.allowed


def test_a_setup_or_board_that_the_ruleset_does_not_know_is_an_error() -> None:
    for setup in ({"rounds": 0}, {"rounds": "two"}, {"speed": 1}):
        with pytest.raises(msgspec.ValidationError):
            create(setup=setup)
    with pytest.raises(ValueError, match="needs a room"):
        create(board=Board("empty", "tiny", "Nothing", (), ()))


@pytest.mark.rule("TAB-LIFE-03")
def test_a_seat_is_taken_once_and_by_one_player() -> None:
    play = gathering()
    play.sit(RED, PlayerId("p"))
    for seat, player in ((RED, "q"), (BLUE, "p"), (RED, "p"), (GREEN, "q"), (Seat("mauve"), "q")):
        refusal = refused(lambda seat=seat, player=player: play.sit(seat, PlayerId(player)))
        assert refusal.rule == "TAB-LIFE-03"
    assert play.game.players == {RED: "p", BLUE: None}


@pytest.mark.rule("TAB-LIFE-03")
def test_a_seat_is_left_by_its_holder_with_its_entropy() -> None:
    play = gathering()
    play.sit(RED, PlayerId("p"), "mine")
    assert refused(lambda: play.leave(RED, PlayerId("q"))).rule == "TAB-LIFE-03"
    play.leave(RED, PlayerId("p"))
    assert play.game.players[RED] is None
    assert not play.game.entropy
    assert play.fold() == play.game


@pytest.mark.rule("TAB-LIFE-02")
def test_a_game_starts_when_every_seat_is_taken_and_only_once() -> None:
    play = gathering()
    play.sit(RED, PlayerId("p"))
    assert "blue" in refused(play.start).allowed
    play.sit(BLUE, PlayerId("q"))
    play.start()
    assert play.game.status == "running"
    for act, rule in (
        (play.start, "TAB-LIFE-02"),
        (lambda: play.sit(RED, PlayerId("r")), "TAB-LIFE-05"),
        (lambda: play.leave(RED, PlayerId("p")), "TAB-LIFE-05"),
    ):
        assert refused(act).rule == rule


@pytest.mark.rule("TAB-LIFE-04")
def test_a_game_is_cancelled_by_its_organizer_before_it_begins() -> None:
    play = gathering()
    play.sit(RED, PlayerId("p"))
    refusal = refused(lambda: play.cancel(PlayerId("p")))
    assert (refusal.rule, refusal.untimely) == ("TAB-LIFE-04", False)
    play.cancel()
    assert play.game.status == "cancelled"
    assert play.records[-1].event == b'{"type":"game-cancelled"}'
    assert play.fold() == play.game
    for act, rule in (
        (lambda: play.sit(BLUE, PlayerId("q")), "TAB-LIFE-04"),
        (lambda: play.leave(RED, PlayerId("p")), "TAB-LIFE-04"),
        (play.start, "TAB-LIFE-04"),
        (lambda: play.command(RED, ONE_COIN), "TAB-LIFE-01"),
        (play.cancel, "TAB-LIFE-04"),
    ):
        refusal = refused(act)
        assert (refusal.rule, refusal.untimely) == (rule, True)
        assert "cancelled" in refusal.wrong + refusal.allowed
    assert play.secret.hex() not in b"".join(play.export(everything=True)).decode()


@pytest.mark.rule("TAB-LIFE-04")
def test_a_game_that_has_begun_is_not_cancelled() -> None:
    play = started()
    assert refused(play.cancel).rule == "TAB-LIFE-04"
    play.run(Random(1))
    assert refused(play.cancel).rule == "TAB-LIFE-04"


def test_a_secret_that_was_not_committed_to_is_an_error() -> None:
    play = started()
    with pytest.raises(ValueError, match="commitment"):
        play.game.chance(bytes(32))


# --- commands ---


@pytest.mark.rule("TAB-LIFE-01")
def test_commands_are_taken_only_while_the_game_runs() -> None:
    play = gathering()
    assert refused(lambda: play.command(RED, ONE_COIN)).rule == "TAB-LIFE-01"
    over = started().run(Random(1))
    assert over.game.status == "over"
    refusal = refused(lambda: over.command(RED, ONE_COIN))
    assert (refusal.rule, refusal.untimely) == ("TAB-LIFE-01", True)
    assert not over.game.decisions
    assert not over.game.options(RED, over.vault)


@pytest.mark.rule("TAB-TURN-01")
def test_a_seat_that_is_not_asked_is_told_who_is() -> None:
    play = started()
    refusal = refused(lambda: play.command(BLUE, ONE_COIN))
    assert refusal.untimely
    assert refusal.wrong == "You cannot send put-up now: it answers no open decision of Blue."
    assert refusal.allowed == "The game waits for Red to answer: What is the prize?"


def test_the_first_event_of_a_command_has_its_cause_and_the_others_none() -> None:
    play = started()
    play.command(RED, ONE_COIN, OPEN)
    assert [record.cause is not None for record in play.records[-2:]] == [True, True]
    play.command(RED, card(play, RED))
    step = play.command(BLUE, card(play, BLUE))
    assert [record.cause is not None for record in step.records] == [True] + [False] * (len(step.records) - 1)
    assert [len(step) for step in steps(play.records)][-1] == len(step.records)


@pytest.mark.rule("TAB-LIST-01")
def test_a_list_of_commands_stands_or_falls_as_one() -> None:
    play = started()
    before, count = play.game.table.digest(), len(play.records)  # type: ignore[union-attr]
    assert refused(lambda: play.command(RED, ONE_COIN, ONE_COIN, {"type": "put-up", "coins": 2})).rule == "TA-PUT-01"
    assert (play.game.table.digest(), len(play.records)) == (before, count)  # type: ignore[union-attr]
    step = play.command(RED, ONE_COIN, ONE_COIN, OPEN)
    assert [record.type for record in step.records] == ["prize-put-up", "prize-put-up", "bidding-opened"]
    assert first_broken(play.game.id, play.records) is None


@pytest.mark.rule("TAB-LIST-01")
def test_an_empty_list_is_refused() -> None:
    play = started()
    assert refused(lambda: play.command(RED)).rule == "TAB-LIST-01"
    assert refused(lambda: play.try_command(RED, tentative=True)).rule == "TAB-LIST-01"


@pytest.mark.rule("TAB-LIST-02")
def test_a_list_ends_with_what_rolls_or_reveals() -> None:
    play = started()
    bid = card(play, RED)  # it is sealed, for which chance gives the salt
    before = len(play.records)
    for following in (bid, ONE_COIN, {"type": "give", "coins": {"blue": 99}}):
        refusal = refused(lambda following=following: play.command(RED, ONE_COIN, OPEN, bid, following))
        assert (refusal.rule, len(play.records)) == ("TAB-LIST-02", before)
        assert "Command 3 of 4" in refusal.wrong
    play.command(RED, ONE_COIN, OPEN, bid)


@pytest.mark.rule("TAB-LIST-02")
def test_a_check_looks_no_further_than_what_rolls_or_reveals() -> None:
    play = started()
    before, bid = play.game.table.digest(), card(play, RED)  # type: ignore[union-attr]
    for commands, looked_at in (([ONE_COIN, ONE_COIN], 2), ([ONE_COIN, OPEN, bid, OPEN, OPEN], 3)):
        assert len(list(steps(play.try_command(RED, *commands, tentative=True).records))) == looked_at
    assert play.game.table.digest() == before  # type: ignore[union-attr]
    wrong = {"type": "put-up", "coins": 4}
    assert refused(lambda: play.try_command(RED, wrong, tentative=True)).rule == "TA-PUT-01"


@pytest.mark.rule("TAB-CMD-01")
@pytest.mark.parametrize(
    "raw",
    [
        b'{"type":"fly"}',
        b'{"type":"put-up"}',
        b'{"type":"put-up","coins":"1"}',
        b'{"type":"put-up","coins":1.5}',
        b'{"type":"put-up","coins":-1}',
        b'{"type":"put-up","coins":9007199254740992}',
        b'{"type":"put-up","coins":1,"more":1}',
        b'{"coins":1}',
        b"[]",
        b"null",
    ],
)
def test_a_command_that_the_ruleset_does_not_know_is_refused(raw: bytes) -> None:
    good = b'{"type":"put-up","coins":1}'
    assert len(read_commands(TinyAuction(), [good, good])) == 2
    refusal = refused(lambda: read_commands(TinyAuction(), [good, raw]))
    assert refusal.rule == "TAB-CMD-01"
    assert "Command 2 of 2" in refusal.wrong
    assert "put-up" in refusal.allowed


@pytest.mark.rule("TAB-CMD-01", "TAB-LIST-01")
def test_an_undo_is_read_strictly_and_stands_alone() -> None:
    assert read_undo([b'{"type":"undo","to":7}']) == 7
    assert read_undo([b'{"type":"put-up","coins":1}', b"3"]) is None
    assert refused(lambda: read_undo([b'{"type":"undo","to":"7"}'])).rule == "TAB-CMD-01"
    assert refused(lambda: read_undo([b'{"type":"undo","to":7}', b'{"type":"fly"}'])).rule == "TAB-LIST-01"


def test_a_sealed_command_is_in_the_log_as_a_commitment_only() -> None:
    play = started()
    play.command(RED, ONE_COIN, OPEN)
    step = play.command(RED, card(play, RED))
    assert step.records[0].cause is not None
    assert b'"card"' not in step.records[0].cause
    sealed = msgspec.json.decode(step.records[0].cause)["command"]["sealed"]
    secret = play.vault.secret(sealed["commitment"])
    assert secret.value == card(play, RED) or secret.value["type"] == "choose-card"
    assert secret.readers == (RED,)
    assert step.records[-1].draws == play.game.draws


def test_simultaneous_choices_may_come_in_any_order() -> None:
    play = started(3)
    play.command(RED, ONE_COIN, OPEN)
    assert play.waiting == [RED, BLUE, GREEN]
    for seat in (GREEN, RED):
        play.command(seat, card(play, seat))
    assert play.waiting == [BLUE]
    with pytest.raises(Refusal):
        play.command(GREEN, card(play, GREEN, 1))


def test_the_last_card_plays_itself_visibly() -> None:
    play = started().run(Random(2))
    forced = [record for record in play.records if b'"forced":true' in record.event]
    assert len(forced) == 2


def test_the_end_publishes_the_secret_of_the_dice() -> None:
    play = started().run(Random(1))
    ended = msgspec.json.decode(play.records[-1].event, type=GameEnded)
    assert bytes.fromhex(ended.secret) == play.secret
    assert play.game.result is not None
    assert ended.winners == play.game.result.winners


# --- values, not things that change ---


def test_an_act_leaves_the_game_before_it_as_it_was() -> None:
    play = started(3)
    rng = Random(7)
    seen: list[tuple[Game, bytes]] = []
    while play.game.status == "running":
        seen.append((play.game, take(play.game)))
        play.step(rng)
    assert all(take(game) == was for game, was in seen)


def test_following_the_log_from_any_point_gives_the_same_game() -> None:
    play = started(3)
    middle = play.run(Random(8), 5).game
    was = take(middle)
    rest = len(play.records)
    play.run(Random(9), 4)
    assert continued(middle, play.records[rest:]) == play.game
    assert later(middle, play.records[rest:]).table == play.game.table
    assert take(middle) == was
    with pytest.raises(ValueError, match="does not simply follow"):
        continued(middle, play.records[rest + 1 :])


# --- old shapes ---

OLD_BYTES = b'{"amount":2,"type":"prize-put-up"}'
"""As version 1 of the event was stored."""


def with_old_event(play: Play) -> list[Record]:
    """The log with its first prize in the old shape, chained as it would have been."""
    index = next(i for i, record in enumerate(play.records) if record.type == "prize-put-up")
    rows = list(play.records)
    rows[index] = msgspec.structs.replace(rows[index], event=OLD_BYTES, schema=1)
    head = rows[index - 1].hash
    for i in range(index, len(rows)):
        rows[i] = msgspec.structs.replace(rows[i], hash=chain_hash(head, play.game.id, rows[i]))
        head = rows[i].hash
    return rows


def test_an_event_stored_in_an_old_shape_is_read_in_the_present_one() -> None:
    play = started()
    play.command(RED, {"type": "put-up", "coins": 2})
    old = with_old_event(play)
    assert read_event(play.ruleset, old[-1]) == read_event(play.ruleset, play.records[-1])
    wanted = play.game.table
    play.records = old
    assert play.fold().table == wanted


def test_a_game_with_old_events_goes_on_and_is_proved() -> None:
    from domain.kernel.proof.verify import verify

    play = started()
    play.command(RED, {"type": "put-up", "coins": 2})
    play.records = with_old_event(play)
    play.game = play.fold()
    assert play.game.undo_to
    play.run(Random(1))
    assert play.game.status == "over"
    verdict = verify(play.export(), play.library)
    assert verdict.ok, verdict


def test_bytes_of_no_known_shape_are_an_error() -> None:
    play = started()
    play.command(RED, {"type": "put-up", "coins": 2})
    for event, schema in ((OLD_BYTES, 2), (b'{"type":"prize-put-up","coins":-1}', 2), (b'{"type":"nothing"}', 1)):
        play.records[-1] = msgspec.structs.replace(play.records[-1], event=event, schema=schema)
        with pytest.raises(msgspec.ValidationError):
            play.fold()


# --- snapshots ---


def test_a_snapshot_that_does_not_fit_is_refused() -> None:
    play = started().run(Random(1), 3)
    kept = take(play.game)
    board = lambda _: ROOM  # noqa: E731
    assert restore(kept, play.library, board) == play.game
    content = msgspec.json.decode(kept)
    for change in (
        {"form": content["form"] + 1},
        {"more": 1},
        {"head": "xyz"},
        {"table": {**content["table"], "more": 1}},
        {"table": {name: value for name, value in content["table"].items() if name != "bank"}},
        {"table": {**content["table"], "bank": "twelve"}},
        {"setup": {"rounds": 9}},
        {"status": "asleep"},
    ):
        with pytest.raises(SnapshotError):
            restore(msgspec.json.encode({**content, **change}), play.library, board)
    for raw in (b"", b"{", kept[:-1], b"[]"):
        with pytest.raises(SnapshotError):
            restore(raw, play.library, board)
    with pytest.raises(SnapshotError, match="version 2, which this package does not have"):
        restore(msgspec.json.encode({**content, "ruleset_version": 2}), play.library, board)


def test_the_id_of_a_player_is_opaque() -> None:
    play = started()
    assert play.game.players == {seat: player_of(seat) for seat in (RED, BLUE)}
