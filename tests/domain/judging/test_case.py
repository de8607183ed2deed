"""Cases: who may do what, when, and what comes of it."""

from random import Random
from typing import Any, get_args

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from domain.judging.case import MOST_WRITTEN, require_few_statements
from domain.judging.events import CASE_EVENTS, CaseOpened, Decision, Settled
from domain.judging.fold import read_event
from domain.judging.proof import verify
from domain.judging.requirements import require_reason, require_text
from domain.kernel.ids import PlayerId, RuleId
from domain.kernel.log.history import cause_of
from domain.kernel.log.record import Cause, first_broken
from domain.kernel.proof.reading import read as read_game
from domain.kernel.proof.verify import verify as verify_game
from domain.kernel.rules import loading
from domain.kernel.rules.message import Names, in_words
from domain.kernel.rules.refusal import Refusal
from tests.helpers.judging import JUDGE, OTHER_JUDGE, Court
from tests.helpers.play import ORGANIZER, Play, player_of
from tests.tiny.auction import ROOM, SEATS, TinyAuction

RED, BLUE, GREEN = SEATS[:3]
ANNA, BERT, CARL = map(player_of, (RED, BLUE, GREEN))
STRANGER = PlayerId("stranger")


@pytest.fixture
def play() -> Play:
    return Play(TinyAuction(), ROOM, 3)


@pytest.fixture
def court(play: Play) -> Court:
    return Court(play)


def refused(act: Any, *given: Any, **more: Any) -> str:
    with pytest.raises(Refusal) as refusal:
        act(*given, **more)
    assert refusal.value.rule in {rule.id for rule in loading.common_rules().rules}
    return refusal.value.rule


def test_every_event_concerns_rules_of_the_service() -> None:
    known = {rule.id for rule in loading.common_rules().rules}
    for event in CASE_EVENTS:
        assert event.rules
        assert {*event.rules} <= known, event


@pytest.mark.rule("TAB-CASE-01")
def test_a_seat_or_an_official_opens_a_case(court: Court) -> None:
    assert refused(court.open, STRANGER) == "TAB-CASE-01"
    opened = court.open(ANNA).case
    assert (opened.status, opened.seat, opened.player, opened.opened.number) == ("open", RED, ANNA, 1)
    assert (opened.opened.version, opened.opened.hash) == (court.play.game.version, court.play.game.head.hex())
    other = Court(court.play, case="cother")
    assert other.open(JUDGE, "conduct").case.seat is None
    assert "seat" not in other.records[0].event.decode()


@pytest.mark.rule("TAB-CASE-02")
@pytest.mark.parametrize("about", [0, -1, 1000])
def test_a_case_is_about_a_version_that_the_game_has(court: Court, about: int) -> None:
    assert refused(court.open, ANNA, "move", about) == "TAB-CASE-02"


@pytest.mark.rule("TAB-CASE-02")
def test_the_result_is_disputed_when_there_is_one(court: Court) -> None:
    assert refused(court.open, ANNA, "result") == "TAB-CASE-02"
    finish(court.play)
    assert court.open(ANNA, "result", court.play.game.version).case.status == "open"


@pytest.mark.rule("TAB-CASE-03")
def test_a_seat_has_three_open_cases_at_most(court: Court) -> None:
    rows = [Court(court.play, case=f"c{about}").open(ANNA, "move", about).case.row for about in (1, 2, 3)]
    assert refused(court.open, ANNA, "move", 4, others=rows) == "TAB-CASE-03"
    court.try_open(BERT, "move", 4, others=rows)
    court.try_open(JUDGE, "move", 4, others=rows)
    court.open(ANNA, "move", 4, others=[rows[0], rows[1], replace(rows[2], status="ruled")])


@pytest.mark.rule("TAB-CASE-04")
@pytest.mark.parametrize("first", [ANNA, JUDGE])
def test_a_party_disputes_an_event_once_and_takes_nobody_elses_case_away(court: Court, first: PlayerId) -> None:
    open_row = court.open(first, "move", 2).case.row
    withdrawn = court.withdraw(first).case.row
    again = Court(court.play, case="cagain")
    for row in (open_row, withdrawn, replace(open_row, status="ruled")):
        assert refused(again.open, first, "slip", 2, others=[row]) == "TAB-CASE-04"
        again.try_open(first, "slip", 3, others=[row])
        for other in {ANNA, BERT, JUDGE, OTHER_JUDGE} - {first}:
            again.try_open(other, "slip", 2, others=[row])


@pytest.mark.rule("TAB-CASE-05")
def test_a_refusal_is_disputed_with_its_command(court: Court) -> None:
    put_up = {"type": "put-up", "coins": 99}
    assert refused(court.open, ANNA, "refusal") == "TAB-CASE-05"
    assert refused(court.open, ANNA, "move", command=put_up) == "TAB-CASE-05"
    assert refused(court.open, ANNA, "refusal", command=put_up, refused=False) == "TAB-CASE-05"
    assert refused(court.open, JUDGE, "refusal", command=put_up) == "TAB-CASE-05"
    row = court.open(ANNA, "refusal", 5, command=put_up).case.row
    other = Court(court.play, case="cother")
    assert refused(other.open, ANNA, "refusal", 5, command=put_up, others=[row]) == "TAB-CASE-04"
    other.open(ANNA, "refusal", 5, command=put_up | {"coins": 98}, others=[row])


@pytest.mark.rule("TAB-CASE-06")
def test_seats_make_statements_while_the_case_waits_for_a_ruling(court: Court) -> None:
    court.open(ANNA)
    court.state(BERT)
    court.state(ANNA)
    assert court.case.commitments.keys() == {1, 2, 3}
    assert refused(court.state, STRANGER) == refused(court.state, JUDGE) == "TAB-CASE-06"
    court.rule()
    assert refused(court.state, ANNA) == "TAB-CASE-06"
    court.appeal(BERT)
    court.state(ANNA)


@pytest.mark.rule("TAB-CASE-06")
@pytest.mark.parametrize("text", ["", "  \n ", "x" * 2001, "bell \a", "\u202eoverridden", "half \ud800"])
def test_a_statement_is_printable(text: str) -> None:
    assert refused(require_text, text) == "TAB-CASE-06"


def test_a_refused_statement_may_have_lines_and_a_refused_reason_may_not() -> None:
    with pytest.raises(Refusal) as statement:
        require_text("bell \a")
    assert statement.value.allowed == "A statement has 1 to 2,000 characters, and no control characters but newlines."
    with pytest.raises(Refusal) as reason:
        require_reason("two\nlines")
    assert reason.value.allowed == "The reason of a ruling has 1 to 2,000 characters, and no control characters."


def test_a_statement_may_have_lines_and_any_script() -> None:
    require_text("First line\nδεύτερη <b>γραμμή</b> 🎲" + "x" * 1900)


@pytest.mark.rule("TAB-LIM-01")
def test_a_case_from_before_there_was_a_limit_is_verified_as_it_is(court: Court) -> None:
    filed = court.open(ANNA)
    for _ in range(MOST_WRITTEN + 5):
        filed = court.state(ANNA)
    assert refused(require_few_statements, filed) == "TAB-LIM-01"
    assert verify(court.export(), court.play.library, read_game(court.play.export())).ok


@pytest.mark.rule("TAB-CASE-07")
def test_each_other_seat_answers_once(court: Court) -> None:
    court.open(ANNA)
    assert refused(court.answer, ANNA) == refused(court.answer, STRANGER) == "TAB-CASE-07"
    court.answer(BERT)
    assert refused(court.answer, BERT) == "TAB-CASE-07"
    court.answer(CARL)
    assert court.case.answered == {BLUE, GREEN}


@pytest.mark.rule("TAB-CASE-08")
def test_the_account_that_opened_a_case_can_withdraw_it_before_a_ruling(court: Court) -> None:
    court.open(ANNA)
    assert refused(court.withdraw, BERT) == refused(court.withdraw, JUDGE) == "TAB-CASE-08"
    ruled = Court(court.play, case="cruled")
    ruled.open(ANNA)
    ruled.rule()
    assert refused(ruled.withdraw, ANNA) == "TAB-CASE-08"
    assert court.withdraw(ANNA).case.status == "withdrawn"


@pytest.mark.rule("TAB-CASE-09")
def test_the_consent_of_the_other_seats_settles_a_complaint(court: Court) -> None:
    court.open(ANNA, "slip")
    assert refused(court.consent, ANNA) == refused(court.consent, JUDGE) == "TAB-CASE-09"
    assert court.consent(BERT).case.status == "open"
    assert refused(court.consent, BERT) == "TAB-CASE-09"
    settled = court.consent(CARL)
    assert settled.case.status == "settled"
    assert isinstance(read_event(settled.records[1]), Settled)
    assert settled.records[1].cause is None


@pytest.mark.rule("TAB-CASE-09")
def test_the_consent_of_all_seats_to_a_ruling_settles_the_case(court: Court) -> None:
    court.open(ANNA)
    court.consent(BERT)
    court.rule(decision="stands")
    assert court.case.consents == frozenset()
    for player, status in ((ANNA, "ruled"), (BERT, "ruled"), (CARL, "settled")):
        assert court.consent(player).case.status == status
    assert refused(court.appeal, ANNA) == "TAB-CASE-11"


@pytest.mark.rule("TAB-CASE-09")
def test_a_seat_that_was_given_up_neither_consents_nor_is_waited_for(court: Court) -> None:
    court.open(ANNA)
    court.rule(decision="stands")
    court.play.give_up(GREEN)
    assert refused(court.consent, CARL) == "TAB-CASE-09"
    court.consent(ANNA)
    before = court.case.consent(court.facts, Cause(BERT), court.now, asks=UNSET)
    assert before.case.status == "ruled", "as cases of before have it, which verify"
    assert court.consent(BERT).case.status == "settled"
    verdict = verify(court.export(), court.play.library, read_game(court.play.export()))
    assert verdict.ok, verdict


@pytest.mark.rule("TAB-CASE-09")
def test_a_case_is_settled_when_the_seat_that_it_waited_for_is_given_up(court: Court) -> None:
    court.open(ANNA, "slip")
    court.consent(BERT)
    assert refused(court.consent, BERT) == "TAB-CASE-09"
    court.play.give_up(GREEN)
    assert court.consent(BERT).case.status == "settled"


@pytest.mark.rule("TAB-CASE-10")
def test_a_case_has_one_appeal(court: Court) -> None:
    court.open(ANNA)
    assert refused(court.appeal, ANNA) == "TAB-CASE-10"
    court.rule(JUDGE)
    assert refused(court.appeal, JUDGE) == "TAB-CASE-10"
    assert court.appeal(BERT).case.status == "appealed"
    assert refused(court.appeal, ANNA) == "TAB-CASE-10"
    assert refused(court.consent, ANNA) == "TAB-CASE-09"


@pytest.mark.rule("TAB-CASE-11")
def test_nothing_happens_in_a_closed_case(court: Court) -> None:
    court.open(ANNA)
    court.withdraw(ANNA)
    assert {
        refused(court.state, ANNA),
        refused(court.answer, BERT),
        refused(court.consent, BERT),
        refused(court.appeal, BERT),
        refused(court.withdraw, ANNA),
        refused(court.rule),
    } == {"TAB-CASE-11"}


# --- rulings ---


@pytest.mark.rule("TAB-RUL-05")
def test_officials_rule(court: Court) -> None:
    court.open(ANNA)
    assert refused(court.rule, STRANGER) == refused(court.rule, ORGANIZER) == "TAB-RUL-05"
    filed = court.rule(JUDGE, "stands")
    assert (filed.case.status, filed.case.judge) == ("ruled", JUDGE)
    assert filed.ruling is not None
    assert filed.ruling.decision == "stands"
    assert filed.case.row.rules == ("TAB-UNDO-02",)


@pytest.mark.rule("TAB-RUL-06")
def test_nobody_rules_in_a_game_of_their_own_or_on_their_own_case(play: Play) -> None:
    court = Court(play)
    court.open(JUDGE)
    assert refused(court.rule, ANNA) == "TAB-RUL-06"
    assert refused(court.rule, JUDGE) == "TAB-RUL-06"
    court.rule(OTHER_JUDGE)


@pytest.mark.rule("TAB-RUL-06")
def test_a_player_who_left_a_seat_cannot_rule() -> None:
    play = Play(TinyAuction(), ROOM, 2, start=False)
    play.sit(RED, CARL)
    play.leave(RED, CARL)
    play.sit(RED, ANNA)
    court = Court(play)
    court.open(ANNA, "conduct")
    assert refused(court.rule, CARL) == "TAB-RUL-06"


@pytest.mark.rule("TAB-RUL-07")
def test_a_ruling_is_made_on_the_game_as_it_stands(court: Court) -> None:
    court.open(ANNA)
    assert refused(court.rule, version=court.facts.version - 1) == "TAB-RUL-07"
    assert refused(court.rule, hash="00" * 32) == "TAB-RUL-07"


@pytest.mark.rule("TAB-RUL-08", "TAB-RUL-02")
@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"cited": []}, "TAB-RUL-08"),
        ({"cited": ["CC-MOV-03"]}, "TAB-RUL-08"),
        ({"cited": ["TAB-UNDO-02", "TAB-UNDO-02"]}, "TAB-RUL-08"),
        ({"cited": [f"TA-PUT-{number:02}" for number in range(21)]}, "TAB-RUL-08"),
        ({"reason": ""}, "TAB-RUL-02"),
        ({"reason": " "}, "TAB-RUL-02"),
        ({"reason": "two\nlines"}, "TAB-RUL-02"),
        ({"reason": "x" * 2001}, "TAB-RUL-02"),
    ],
)
def test_a_ruling_cites_rules_of_the_game_and_gives_a_reason(court: Court, wrong: dict[str, Any], rule: str) -> None:
    court.open(ANNA, cited=["TA-PUT-01", "TAB-LIST-02"])
    assert refused(court.rule, **wrong) == rule
    court.rule(cited=["TA-PUT-01"], reason="<script>" + "x" * 1992)
    assert court.case.cited == ("TA-PUT-01", "TAB-LIST-02")
    assert refused(Court(court.play, case="c2").open, ANNA, cited=["TA-PUT-99"]) == "TAB-RUL-08"


@pytest.mark.rule("TAB-RUL-09")
@pytest.mark.parametrize(
    ("decision", "more"),
    [
        ("back", {}),
        ("back", {"to": 1}),
        ("back", {"to": 1000}),
        ("back", {"to": 5, "order": ((RED, BLUE, GREEN),)}),
        ("stands", {"to": 5}),
        ("result", {}),
        ("result", {"order": ((RED,), (BLUE,))}),
        ("result", {"order": ((RED,), (BLUE,), (GREEN, RED))}),
        ("result", {"order": ((RED, BLUE), (), (GREEN,))}),
        ("resume", {}),
        ("continue", {"to": "gfork"}),
    ],
)
def test_a_ruling_decides_what_is_possible(court: Court, decision: str, more: dict[str, Any]) -> None:
    court.open(ANNA)
    assert refused(court.rule, decision=decision, **more) == "TAB-RUL-09"


def test_every_decision_that_the_contract_offers_is_possible_in_some_game(court: Court) -> None:
    court.open(ANNA)
    running = court.facts
    over, paused = replace(running, status="over", continuations=("gfork",)), replace(running, paused=True)
    more: dict[str, dict[str, Any]] = {
        "back": {"to": 4},
        "continue": {"to": "gfork"},
        "result": {"order": ((RED, BLUE, GREEN),)},
    }
    cause = Cause(JUDGE)
    for decision in get_args(Decision):
        facts = {"continue": over, "resume": paused}.get(decision, replace(running, starts=lambda: (4,)))
        given = (decision, [RuleId("TAB-UNDO-02")], "So it is.", facts.version, facts.hash, facts, cause, court.now)
        ruled = court.case.rule(*given, **more.get(decision, {}))
        assert ruled.case.status == "ruled", decision


@pytest.mark.rule("TAB-FORK-04")
def test_a_game_that_is_over_continues_in_a_fork_that_was_made_for_that(court: Court) -> None:
    court.open(ANNA)
    version = court.play.game.version
    assert refused(court.rule, decision="continue", to="game-1-2") == "TAB-RUL-09"
    finish(court.play)
    assert refused(court.rule, decision="continue", to="game-1-2") == "TAB-RUL-09"
    fork = court.play.fork(version, "continuation", ANNA)
    court.forks[fork.game.id] = fork
    fork.sit(RED, ANNA, "more entropy")
    before = court.play.game.version
    court.rule(decision="continue", to=fork.game.id)
    assert court.play.game.version == before
    started = fork.records[-1]
    assert (started.type, cause_of(started).player, cause_of(started).case) == ("game-started", JUDGE, court.id)
    assert (fork.game.status, fork.game.players) == ("running", court.play.game.players)
    assert fork.fold() == fork.game
    fork.run(Random(3))
    verdict = verify_game(fork.export(), fork.library)
    assert (verdict.ok, verdict.unproved) == (True, ()), verdict.problem
    for game in (None, read_game(court.play.export(everything=True))):
        told = verify(court.export(), court.play.library, game)
        assert told.ok, told.problem
        assert any(f"That {fork.game.id} is a fork" in each for each in told.unproved)


@pytest.mark.rule("TAB-FORK-04")
def test_a_ruling_names_a_continuation_whose_players_have_confirmed_already(court: Court) -> None:
    court.open(ANNA)
    version = court.play.game.version
    finish(court.play)
    fork = court.play.fork(version, "continuation", ANNA)
    court.forks[fork.game.id] = fork
    for seat, player in court.play.game.players.items():
        assert player is not None
        fork.sit(seat, player)
    before = fork.game.version
    court.rule(decision="continue", to=fork.game.id)
    assert fork.game.version == before


@pytest.mark.rule("TAB-RUL-09")
def test_a_game_goes_back_to_the_version_before_a_command_and_never_when_it_is_over(court: Court) -> None:
    court.play.step(Random(1))
    court.open(ANNA)
    start = min(court.facts.starts())
    court.rule(decision="back", to=start)
    court.appeal(BERT)
    finish(court.play)
    for decision, more in (("back", {"to": start}), ("pause", {})):
        assert refused(court.rule, OTHER_JUDGE, decision=decision, **more) == "TAB-RUL-09"
    version = court.play.game.version
    court.rule(OTHER_JUDGE, decision="result", order=((BLUE, GREEN), (RED,)))
    assert court.play.game.version == version


@pytest.mark.rule("TAB-RUL-10")
def test_a_case_is_ruled_on_once_and_after_an_appeal_by_another_official(court: Court) -> None:
    court.open(ANNA)
    court.rule(JUDGE)
    assert refused(court.rule, OTHER_JUDGE) == "TAB-RUL-10"
    court.appeal(BERT)
    assert refused(court.rule, JUDGE) == "TAB-RUL-10"
    assert court.rule(OTHER_JUDGE, "stands").case.status == "final"
    assert refused(court.rule, OTHER_JUDGE) == "TAB-CASE-11"


# --- the stream ---


def test_a_case_is_a_chain_and_tells_itself(court: Court) -> None:
    court.open(ANNA, "dice", 4, cited=["TA-PUT-01"])
    court.answer(BERT)
    court.state(ANNA)
    court.rule(JUDGE, "pause")
    court.appeal(CARL)
    court.rule(OTHER_JUDGE, "result", order=((RED, BLUE), (GREEN,)))
    assert first_broken(court.id, court.records) is None
    names = Names({}, SEATS)
    assert [in_words(read_event(record), names) for record in court.records] == [
        "Red opened case 1 of the game: the dice at version 4. It cites TA-PUT-01.",
        "Blue answered.",
        "Red made a statement.",
        "An official ruled on version 8: the game pauses. As the rule says.",
        "Green appealed.",
        "Another official ruled on version 9: the game ends in the order Red with Blue and Green. As the rule says.",
    ]


def test_times_of_a_case_never_run_backwards(court: Court) -> None:
    opened = replace(court.open(ANNA).case, changed="2027-01-01T00:00:00.000000Z")
    filed = opened.consent(court.facts, Cause(BERT), court.now)
    assert filed.records[0].at == opened.changed


def test_the_first_event_opens_the_case(court: Court) -> None:
    court.open(ANNA)
    assert isinstance(read_event(court.records[0]), CaseOpened)


def finish(play: Play) -> None:
    rng = Random(1)
    while play.game.status == "running":
        play.step(rng)
