"""Whether every act of a log could have come from the account that it names."""

import json

from domain.kernel.ids import PlayerId
from domain.kernel.log.clock import Clock
from domain.kernel.log.record import Cause
from domain.kernel.proof.origin import AROUND_THE_TABLE
from domain.kernel.rules.message import type_name
from tests.domain.kernel.log import test_assigned as assigned
from tests.domain.kernel.log import test_clocks as clocks
from tests.domain.kernel.log import test_ends as ends
from tests.domain.kernel.log import test_rematches as rematches
from tests.domain.kernel.log import test_seat_proofs as seats
from tests.domain.kernel.log.test_aside import BLUE, gift, undone
from tests.domain.kernel.log.test_aside import forged as gift_forged
from tests.domain.kernel.log.test_clock_proofs import random_game
from tests.helpers.play import CASE, OFFICIAL, player_of
from tests.tiny.auction import ROOM, TinyAuction
from tests.viewer.logic import evaluate


def test_the_page_says_the_same_as_verify_of_every_event_around_the_table():
    """A page that lacks an event finds fault with every log that has it."""
    page = evaluate("async () => (await import('/viewer/proof/origin.js')).AROUND_THE_TABLE")
    for event, origin in AROUND_THE_TABLE.items():
        name = type_name(event)
        assert name in page, "add it to AROUND_THE_TABLE in service/viewer/proof/origin.js"
        flags = {"seat": origin.seat, "command": origin.command, "onCase": origin.case}
        flags |= {"inTournament": origin.tournament}
        flags |= {"stays": event.stays, "inPause": event.in_pause}
        said = {word: what for word, what in page[name].items() if word not in ("early", "whenever")}
        raised = {flag: True for flag, holds in flags.items() if holds}
        assert said == {"act": origin.act, "by": origin.by, **raised}, name
    assert len(page) == len(AROUND_THE_TABLE)


def test_what_an_undo_gives_again_must_follow_it():
    check = "async (rows) => (await import('/viewer/proof/acts.js')).faultOfActs(rows)?.problem ?? ''"
    for play, problem in (
        (undone(), ""),
        (gift_forged(forget=False, instead=gift(BLUE)), "is not the command that the undo before it gives again"),
    ):
        lines = [json.loads(line) for line in play.export(everything=True)]
        assert evaluate(check, [line for line in lines if "event" in line]) == problem


def faults(logs):
    check = "async (logs) => { const { faultOfActs } = await import('/viewer/proof/acts.js');"
    return evaluate(check + " return logs.map((rows) => faultOfActs(rows)?.problem ?? ''); }", logs)


def rows_of(play, forge=None):
    lines = [json.loads(line) for line in play.export(everything=True)]
    if forge is not None:
        forge(lines)
    return [line for line in lines if "event" in line]


def test_the_page_knows_who_may_change_seats_and_what_the_house_does():
    check = "async (logs) => { const { faultOfActs } = await import('/viewer/proof/acts.js');"
    check += " return logs.map((rows) => faultOfActs(rows)?.problem ?? ''); }"
    right = [rows_of(play) for play in (*(seats.random_game(seed) for seed in range(20)), seats.resigned_of_two())]
    assert evaluate(check, right) == [""] * len(right)
    wrong = [rows_of(seats.handed_over()) for _ in seats.FORGERIES]
    for forge, rows in zip(seats.FORGERIES, wrong, strict=True):
        forge(rows)
        for version, row in enumerate(rows, start=1):
            row["version"] = version
    found = evaluate(check, wrong)
    for forge, problem in zip(seats.FORGERIES, found, strict=True):
        # When the house has to answer, only the rules say.
        assert bool(problem) == (forge is not seats.not_answered), (forge, problem)


def test_the_page_knows_who_assigns_seats_and_who_confirms_them():
    wrong = [rows_of(assigned.begun()) for _ in assigned.FORGERIES]
    for forge, rows in zip(assigned.FORGERIES, wrong, strict=True):
        forge(rows)
        for version, row in enumerate(rows, start=1):
            row["version"] = version
    right = [rows_of(assigned.begun()), rows_of(assigned.whole_game())]
    assert faults(right) == ["", ""]
    for forge, problem in zip(assigned.FORGERIES, faults(wrong), strict=True):
        assert problem, forge


def test_the_page_knows_who_agrees_to_a_rematch_and_who_declines_it():
    right = [rows_of(play) for play in (rematches.begun(), rematches.expired(), rematches.declined())]
    assert faults(right) == ["", "", ""]
    wrong = [rows_of(make(), forge) for make, forge, _ in rematches.FORGERIES]
    for rows in wrong:
        for version, row in enumerate(rows, start=1):
            row["version"] = version
    assert all(faults(wrong))


def test_the_page_knows_who_may_take_a_seat_back():
    assert faults([rows_of(seats.taken_back())]) == [""]
    for forge, problem in (
        (seats.taken_back_by_another, "seats player-blue, who holds a seat"),
        (seats.taken_back_after_resigning, "takes back red, which has resigned"),
        (seats.given_back, "takes back red, which its clock did not leave open"),
    ):
        (found,) = faults([rows_of(seats.taken_back(), forge)])
        assert problem in found, (forge, found)


def claimed(cause: Cause):
    play = clocks.clocked(players=3, clock=Clock(kind="bank", time=60, at_zero="claim"))
    play.name_official()
    play.credit_time(clocks.BLUE, 5, Cause(OFFICIAL, case=CASE))
    play.wait(100)
    play.fall(clocks.RED, cause)
    return play


def ended():
    play = clocks.clocked(clock=Clock(kind="bank", time=60, at_zero="end"))
    play.wait(62)
    play.fall(clocks.RED)
    return play


def answered(change=None):
    play = clocks.clocked(players=3)
    play.wait(62)
    play.fall(clocks.RED)
    lines = [json.loads(line) for line in play.export(everything=True)]
    rows = [line for line in lines if "event" in line]
    if change is not None:
        change(next(row for row in rows if row["event"]["type"] == "default-given"), rows)
    return rows


def by_a_player(given, rows):
    given["cause"] = {**given["cause"], "player": "player-red"}


def for_another(given, rows):
    given["cause"]["seat"] = given["event"]["seat"] = "blue"


def without_a_clock(given, rows):
    next(row for row in rows if row["event"]["type"] == "clock-set")["event"]["clock"] = None


def of_nobody(given, rows):
    expired = next(row for row in rows if row["event"]["type"] == "clock-expired")
    expired["event"]["then"] = "pause"


def test_the_page_knows_that_a_clock_may_come_with_a_game_and_only_so():
    check = "async (logs) => { const { faultOfActs } = await import('/viewer/proof/acts.js');"
    check += " return logs.map((rows) => faultOfActs(rows)?.problem ?? ''); }"
    play = clocks.Clocked.created_by(PlayerId("creator"), TinyAuction(), ROOM, 2, clocks.MINUTE)
    play.sit(clocks.RED, player_of(clocks.RED))
    right, none, late, twice = ([json.loads(line) for line in play.export()][1:-1] for _ in range(4))
    none[1]["event"]["clock"] = None
    late[1], late[2] = {**late[2], "version": 2}, {**late[1], "version": 3, "at": late[2]["at"]}
    twice.insert(2, {**twice[1], "version": 3})
    wrong = "cannot have happened: clock-set follows from nothing"
    assert evaluate(check, [right, none, late, twice]) == ["", wrong, wrong, wrong]


def test_the_page_knows_what_the_clock_does_and_who_may_ask_it_to():
    check = "async (logs) => { const { faultOfActs } = await import('/viewer/proof/acts.js');"
    check += " return logs.map((rows) => faultOfActs(rows)?.problem ?? ''); }"
    plays = [random_game(seed) for seed in range(20)]
    plays += [claimed(Cause(player_of(clocks.BLUE), clocks.BLUE)), claimed(Cause(OFFICIAL)), ended()]
    exports = [[json.loads(line) for line in play.export(everything=True)] for play in plays]
    right = [[line for line in lines if "event" in line] for lines in exports]
    assert evaluate(check, right) == [""] * len(right)
    forged = {
        by_a_player: "names an account or a request",
        for_another: "gives the default answer of blue, whose flag did not fall",
        without_a_clock: "cannot have happened: clocks-ran follows from nothing",
        of_nobody: "whose flag did not fall",
    }
    found = evaluate(check, [answered(change) for change in forged])
    for problem, expected in zip(found, forged.values(), strict=True):
        assert expected in problem, found


def test_the_page_knows_how_a_game_ends_that_no_rule_book_ends():
    right = [rows_of(ends.random_game(seed)) for seed in range(12)] + [
        rows_of(ends.agreed()),
        rows_of(ends.agreed_after_a_resignation()),
    ]
    assert faults(right) == [""] * len(right)
    agreed = {
        ends.asks_less: "asks nobody, and the game does not end",
        ends.answers_for_another: "answers for green, which is not asked",
        ends.wins: "is the last consent that was asked for",
        ends.turned_down: "is not the last consent that was asked for",
    }
    abandoned = {
        ends.too_early: "abandons the game before 90 days have passed",
        ends.by_a_player: "follows from nothing",
        ends.since_earlier: "says that nothing happened since 2025-01-01",
        ends.wins: "cannot have happened: game-ended follows from nothing",
    }
    found = faults(
        [rows_of(ends.agreed(), forge) for forge in agreed] + [rows_of(ends.abandoned(), forge) for forge in abandoned]
    )
    for problem, expected in zip(found, (*agreed.values(), *abandoned.values()), strict=True):
        assert expected in problem, found
