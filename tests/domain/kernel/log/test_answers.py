"""Answers in advance: left, given when the seat is asked, revoked; and what becomes of them."""

from functools import cache
from random import Random
from typing import Any

import msgspec
import pytest

from domain.kernel.ids import Seat
from domain.kernel.log import answering
from domain.kernel.log.answers import MOST, Condition
from domain.kernel.proof import replay
from domain.kernel.proof.verify import verify
from domain.kernel.rules.refusal import Refusal
from tests.helpers.play import Play
from tests.tiny.auction import ROOM, TinyAuction

RED, BLUE = Seat("red"), Seat("blue")
OPEN: Any = {"type": "open-bidding"}


def started(players: int = 2, seed: int = 1) -> Play:
    return Play(TinyAuction(), ROOM, players, seed)


def put_up(coins: int = 1, **more: Any) -> dict[str, Any]:
    return {"decision": "put-up-prize", "command": {"type": "put-up", "coins": coins}} | more


def card_of(play: Play, seat: Seat) -> dict[str, Any]:
    """Return the bid of the lowest card that a seat holds."""
    card = min(play.vault.open(card) for card in play.game.table.hands[seat])  # type: ignore[union-attr]
    return {"type": "choose-card", "card": card}


def bid(play: Play, seat: Seat, **more: Any) -> dict[str, Any]:
    return {"decision": "choose-card", "command": card_of(play, seat)} | more


def types(play: Play, after: int) -> list[str]:
    return [record.type for record in play.records[after:]]


def refusal(play: Play, seat: Seat, answer: dict[str, Any]) -> Refusal:
    with pytest.raises(Refusal) as refused:
        play.try_leave(seat, answer)
    return refused.value


@pytest.mark.rule("TAB-ADV-01")
def test_an_answer_is_given_when_its_decision_opens_and_the_log_tells_it() -> None:
    play = started()
    auctioneer, other = play.waiting[0], next(seat for seat in play.game.players if seat != play.waiting[0])
    play.leave_answer(other, bid(play, other))
    left = play.game.version
    assert types(play, left - 1) == ["answer-left"]
    play.command(auctioneer, {"type": "put-up", "coins": 2})
    assert types(play, left) == ["prize-put-up"], "nobody was asked for a card"
    play.command(auctioneer, OPEN)
    assert types(play, left + 1) == ["bidding-opened", "answer-given", "card-chosen"]
    given = msgspec.json.decode(play.records[-2].event)
    assert given == {"type": "answer-given", "seat": other, "left": left}
    cause = msgspec.json.decode(play.records[-2].cause or b"")
    assert (cause["player"], cause["seat"]) == (play.game.players[other], other)
    assert len({record.at for record in play.records[left + 1 :]}) == 1
    assert play.waiting == [auctioneer]
    assert verify(play.export(), play.library).ok


def test_an_answer_is_given_at_once_to_a_seat_that_is_asked_already() -> None:
    play = started()
    before = play.game.version
    play.leave_answer(play.waiting[0], put_up(until="once"))
    assert types(play, before) == ["answer-left", "answer-given", "prize-put-up"]


def test_nothing_in_the_log_betrays_an_answer_before_it_is_given() -> None:
    logs = list[list[Any]]()
    for answer in (put_up(1), put_up(7, when={"coins": {"least": 3}}, until="round")):
        play = started()
        other = next(seat for seat in play.game.players if seat not in play.waiting)
        play.leave_answer(other, answer)
        record = play.records[-1]
        event = msgspec.json.decode(record.event)
        assert event["answer"].pop("commitment")
        logs.append([event, record.cause, record.draws, record.schema])
        assert play.vault.read_by(other).all().keys() - play.vault.read_by(None).all().keys()
        secret = play.secrets[-1]
        assert secret.readers == (other,)
        assert secret.value["command"] == answer["command"]
    assert logs[0] == logs[1]


@pytest.mark.rule("TAB-ADV-01")
def test_an_answer_that_is_not_lawful_then_is_not_given() -> None:
    play = started()
    auctioneer = play.waiting[0]
    play.leave_answer(auctioneer, {"decision": "put-up-prize", "command": OPEN})
    assert types(play, 0)[-1] == "answer-left", "nothing had been put up"
    before = play.game.version
    play.command(auctioneer, {"type": "put-up", "coins": 1})
    assert types(play, before)[:3] == ["prize-put-up", "answer-given", "bidding-opened"]


def test_of_several_the_newest_that_is_lawful_is_given() -> None:
    play = started()
    auctioneer, other = play.waiting[0], next(seat for seat in play.game.players if seat not in play.waiting)
    play.leave_answer(other, bid(play, other, until="once"))
    newer = play.leave_answer(other, bid(play, other)).game.version
    play.leave_answer(other, bid(play, other) | {"command": {"type": "choose-card", "card": 99}})
    play.command(auctioneer, {"type": "put-up", "coins": 1})
    play.command(auctioneer, OPEN)
    assert play.game.answers[newer].given == 1


@pytest.mark.parametrize(
    ("condition", "holds", "fails"),
    [
        (Condition(equals="rome"), ["rome"], ["Rome", None, 1]),
        (Condition(equals=1), [1], [True, "1", 2]),
        (Condition(equals=True), [True], [1, False]),
        (Condition(equals=None), [None], [0, ""]),
        (Condition(least=0), [0, 5], [-1, True, "5", None]),
        (Condition(most=0), [0, -5], [1, False, [0]]),
        (Condition(least=2, most=3), [2, 3], [1, 4]),
    ],
)
def test_a_condition_holds_of_the_values_that_it_names(
    condition: Condition, holds: list[Any], fails: list[Any]
) -> None:
    assert all(map(condition.holds, holds))
    assert not any(map(condition.holds, fails))


def test_an_answer_fits_only_what_it_was_left_for() -> None:
    play = started()
    before = play.game.version
    play.leave_answer(play.waiting[0], put_up(when={"nothing": {"equals": None}}))
    assert types(play, before) == ["answer-left"], "a decision that says nothing of it is not meant"


def test_an_answer_for_once_is_given_once_and_one_for_the_round_until_it_ends() -> None:
    play = started()
    auctioneer = play.waiting[0]
    once = play.leave_answer(auctioneer, put_up(until="once")).records[0].version
    play.command(auctioneer, {"type": "put-up", "coins": 1})
    assert play.game.answers[once].given == 1
    play.leave_answer(auctioneer, {"decision": "put-up-prize", "command": OPEN, "until": "round"})
    assert play.game.round == 1
    while play.game.round == 1:
        play.step(Random(1))
    before = play.game.version
    play.command(play.waiting[0], {"type": "put-up", "coins": 1})
    assert "answer-given" not in types(play, before)


def test_answers_without_end_are_given_only_so_often_after_one_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "AT_ONCE", 1)
    monkeypatch.setattr(replay, "AT_ONCE", 1)
    play = started()
    auctioneer, before = play.waiting[0], play.game.version
    play.leave_answer(auctioneer, put_up())
    assert types(play, before) == ["answer-left", "answer-given", "prize-put-up"]
    play.command(auctioneer, {"type": "put-up", "coins": 1})
    assert types(play, before + 3) == ["prize-put-up", "answer-given", "prize-put-up"]
    play.revoke_answer(auctioneer, before + 1)
    assert verify(play.run(Random(1)).export(), play.library).ok


@pytest.mark.rule("TAB-ADV-01")
def test_only_answers_to_what_the_ruleset_asks_can_be_left() -> None:
    play = started()
    unknown = refusal(play, RED, put_up() | {"decision": "pass"})
    assert (unknown.rule, unknown.allowed) == ("TAB-ADV-01", "Expected one of choose-card and put-up-prize.")
    other = refusal(play, RED, put_up() | {"decision": "choose-card"})
    assert (other.rule, other.allowed) == ("TAB-ADV-01", "Commands that do: choose-card.")
    assert refusal(play, RED, put_up() | {"command": {"type": "fold"}}).rule == "TAB-CMD-01"
    given = {"type": "give", "coins": {"blue": 1}}
    assert refusal(play, RED, put_up() | {"command": given}).rule == "TAB-ADV-01"


@pytest.mark.parametrize(
    "wrong",
    [
        {"when": {"hits": {}}},
        {"when": {"hits": {"least": 3, "most": 2}}},
        {"when": {"hits": {"equals": 1.5}}},
        {"when": {"ä": {"equals": 1}}},
        {"until": "tomorrow"},
    ],
)
def test_a_condition_or_an_end_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        started().try_leave(RED, put_up() | wrong)


@pytest.mark.rule("TAB-ADV-02")
def test_a_seat_revokes_its_own_answers_only() -> None:
    play = started()
    auctioneer, other = play.waiting[0], next(seat for seat in play.game.players if seat not in play.waiting)
    left = play.leave_answer(other, bid(play, other)).game.version
    for seat, version in ((auctioneer, left), (other, left + 1)):
        with pytest.raises(Refusal, match="TAB-ADV-02"):
            play.revoke_answer(seat, version)
    play.revoke_answer(other, left)
    assert not play.game.answers
    before = play.game.version
    play.command(auctioneer, {"type": "put-up", "coins": 1})
    play.command(auctioneer, OPEN)
    assert "answer-given" not in types(play, before)


@pytest.mark.rule("TAB-ADV-02")
def test_a_seat_leaves_only_so_many() -> None:
    play = started()
    other = next(seat for seat in play.game.players if seat not in play.waiting)
    for _ in range(MOST):
        play.leave_answer(other, put_up())
    assert refusal(play, other, put_up()).rule == "TAB-ADV-02"


@pytest.mark.rule("TAB-LIFE-01")
def test_answers_belong_to_a_running_game() -> None:
    play = Play(TinyAuction(), ROOM, 2, start=False)
    play.sit(RED, play.game.organizer)
    assert refusal(play, RED, put_up()).rule == "TAB-LIFE-01"


# --- taking back ---


@pytest.mark.rule("TAB-UNDO-01")
def test_nobody_takes_back_what_came_before_an_answer_was_left_or_given() -> None:
    play = started()
    auctioneer, other = play.waiting[0], next(seat for seat in play.game.players if seat not in play.waiting)
    play.command(auctioneer, {"type": "put-up", "coins": 1})
    assert play.game.undo_to
    play.leave_answer(other, put_up())
    assert not play.game.undo_to
    assert play.fold().undo_to == ()


def test_an_undo_leaves_answers_alone_and_gives_none() -> None:
    play = started()
    auctioneer, other = play.waiting[0], next(seat for seat in play.game.players if seat not in play.waiting)
    play.leave_answer(other, put_up())
    play.command(auctioneer, {"type": "put-up", "coins": 1})
    left = play.game.answers
    play.undo(auctioneer, play.game.undo_to[0])
    assert play.game.answers == play.fold().answers == left
    assert play.records[-1].type == "moves-retracted"


def test_a_ruling_ends_all_answers_and_nothing_revives_them() -> None:
    play = started()
    auctioneer, other = play.waiting[0], next(seat for seat in play.game.players if seat not in play.waiting)
    play.leave_answer(other, bid(play, other))
    play.command(auctioneer, {"type": "put-up", "coins": 1})
    start = play.game.version
    play.command(auctioneer, {"type": "put-up", "coins": 1})
    play.rule(start)
    assert play.game.answers == play.fold().answers == {}
    play.undo(auctioneer, play.game.undo_to[0])
    assert play.game.answers == play.fold().answers == {}


# --- proof ---


@cache
def with_answers(seed: int, players: int = 3) -> Play:
    """Return a whole game in which answers were left, revoked and given."""
    rng, play = Random(seed), started(players, seed)
    while play.game.status == "running":
        if rng.random() < 0.25:
            play.leave_at_random(rng)
        elif play.game.answers and rng.random() < 0.1:
            left, answer = rng.choice(list(play.game.answers.items()))
            play.revoke_answer(answer.seat, left)
        else:
            play.step(rng)
    return play


def test_whole_games_with_answers_are_proved() -> None:
    plays = [with_answers(seed) for seed in range(12)]
    assert {"answer-left", "answer-revoked", "answer-given"} <= {kind for play in plays for kind in types(play, 0)}
    for play in plays:
        assert play.game.answers == play.fold().answers == {}
        verdict = verify(play.export(), play.library)
        assert verdict.ok, verdict
        assert not verdict.unproved


@pytest.mark.parametrize("seed", range(4))
def test_a_running_game_with_answers_is_proved_as_far_as_each_may_see(seed: int) -> None:
    whole = with_answers(seed)
    for version in sorted(whole.at_each_version)[-40:-1]:
        play = whole.at(version)
        log = b"".join(record.event + (record.cause or b"") for record in play.records)
        play.secrets = [secret for secret in play.secrets if secret.commitment.encode() in log]
        for viewer in (None, *play.game.players):
            verdict = verify(play.export(viewer), play.library)
            assert verdict.ok, verdict
