"""Who may do what in a tournament, when, and what comes of it."""

from functools import partial
from itertools import pairwise

import pytest
from msgspec.structs import replace

from domain.kernel.log.record import first_broken
from domain.kernel.rules import loading
from domain.kernel.rules.refusal import Refusal
from domain.tournament import directing, entering, results, rounds
from domain.tournament.chain import LENGTH, commitment_of, follows, secret_of
from domain.tournament.departing import depart
from domain.tournament.events import TOURNAMENT_EVENTS
from domain.tournament.fold import fold, read_event
from domain.tournament.regulations import Swiss
from tests.helpers.tournaments import (
    ANNA,
    BERT,
    DIRECTOR,
    ORGANIZER,
    SEATS,
    SEED,
    STRANGER,
    Club,
    player,
    refused,
    regulations,
)


def test_every_event_concerns_rules_of_the_service() -> None:
    known = {rule.id for rule in loading.common_rules().rules}
    for event in TOURNAMENT_EVENTS:
        assert event.rules
        assert {*event.rules} <= known, event


def test_the_secrets_are_a_chain_from_the_commitment() -> None:
    secrets = [secret_of(SEED, number).hex() for number in range(LENGTH + 1)]
    assert secrets[0] == commitment_of(SEED)
    assert secrets[-1] == SEED.hex()
    assert all(follows(after, before) for before, after in pairwise(secrets))
    with pytest.raises(ValueError, match="expected 0 to 64"):
        secret_of(SEED, LENGTH + 1)


@pytest.mark.rule("TAB-TRN-01")
def test_who_announces_a_tournament_directs_it() -> None:
    club = Club()
    assert (club.tournament.organizer, club.tournament.directors) == (ORGANIZER, (ORGANIZER,))
    assert (club.tournament.status, club.tournament.commitment) == ("open", commitment_of(SEED))


@pytest.mark.rule("TAB-TRN-03")
def test_regulations_change_for_rounds_that_have_not_begun() -> None:
    club = Club(8)
    more = regulations(stages=(Swiss(3),), bye=12)
    assert refused(club, directing.change, more, SEATS, by=ANNA) == "TAB-TRN-03"
    assert refused(club, directing.change, regulations(entrants=7), SEATS) == "TAB-TRN-03"
    assert refused(club, directing.change, regulations(sizes=(7,)), SEATS) == "TAB-TRN-02"
    assert club.act(directing.change, more, SEATS).regulations == more
    club.lots()
    assert refused(club, directing.change, regulations(), SEATS) == "TAB-TRN-03"
    club.draft()
    club.act(rounds.publish, 1, None, None)
    for changes in ({"bye": 30}, {"agreed": "tied"}, {"tie_breaks": ("lot",)}, {"points": ((3, 2, 1), (4, 3, 2, 1))}):
        assert refused(club, directing.change, replace(more, **changes), SEATS) == "TAB-TRN-03"
    fewer = replace(more, stages=(Swiss(1),), confirmed_after=48)
    assert club.act(directing.change, fewer, SEATS).regulations == fewer


@pytest.mark.rule("TAB-TRN-04")
def test_the_organizer_names_directors() -> None:
    club = Club(2)
    assert refused(club, directing.name_director, DIRECTOR, by=ANNA) == "TAB-TRN-04"
    club.act(directing.name_director, DIRECTOR)
    assert refused(club, directing.name_director, DIRECTOR) == "TAB-TRN-04"
    assert refused(club, directing.name_director, ANNA, by=DIRECTOR) == "TAB-TRN-04"
    assert refused(club, directing.release_director, ORGANIZER) == "TAB-TRN-04"
    assert refused(club, directing.release_director, DIRECTOR, by=ANNA) == "TAB-TRN-04"
    assert club.act(directing.release_director, DIRECTOR, by=DIRECTOR).directors == (ORGANIZER,)
    for number in range(9):
        club.act(directing.name_director, player(number))
    assert refused(club, directing.name_director, DIRECTOR) == "TAB-TRN-04"


@pytest.mark.rule("TAB-TRN-23")
def test_a_tournament_passes_on_with_the_account_of_its_organizer() -> None:
    club = Club(4)
    for other in (DIRECTOR, BERT):
        club.act(directing.name_director, other)
    club.act(entering.enter, None)
    assert refused(club, directing.pass_on, BERT, by=DIRECTOR) == "TAB-TRN-23"
    assert refused(club, directing.pass_on, ANNA) == "TAB-TRN-23"
    assert refused(club, directing.pass_on, ORGANIZER) == "TAB-TRN-23"

    club.act(partial(depart, able={BERT, ANNA}))  # the account of the other director was closed
    assert (club.tournament.organizer, club.tournament.directors) == (BERT, (BERT, DIRECTOR))
    assert club.field.entrants[ORGANIZER].out
    assert [read_event(record).tell(str) for record in club.records[-3:]] == [
        "organizer withdrew.",
        f"{BERT} organizes the tournament now.",
        "organizer does not direct the tournament any more.",
    ]
    assert refused(club, partial(depart, able={BERT})) == "TAB-TRN-23"
    club.act(partial(depart, able=()), by=ANNA)
    assert club.field.entrants[ANNA].out
    club.act(partial(depart, able=()), by=DIRECTOR)
    assert club.tournament.directors == (BERT,)

    club.act(partial(depart, able={DIRECTOR}), by=BERT)
    assert (club.tournament.status, club.field.entrants[BERT].out) == ("cancelled", True)
    assert refused(club, partial(depart, able=()), by=BERT) == "TAB-TRN-23"


@pytest.mark.rule("TAB-TRN-23")
def test_a_tournament_in_which_results_count_stays_as_it_is_without_a_director() -> None:
    club = Club(4)
    club.play()
    with pytest.raises(Refusal, match="no other director can organize it") as refusal:
        club.act(partial(depart, able=()))
    assert refusal.value.rule == "TAB-TRN-23"
    assert (club.tournament.status, club.tournament.directors) == ("running", (ORGANIZER,))


@pytest.mark.rule("TAB-TRN-05")
def test_players_enter_by_themselves_while_there_is_room() -> None:
    club = Club(2, entrants=3)
    assert refused(club, entering.enter, None, by=ANNA) == "TAB-TRN-05"
    assert refused(club, entering.enter, "x" * 61, by=player(3)) == "TAB-TRN-05"
    assert refused(club, entering.enter, " ", by=player(3)) == "TAB-TRN-05"
    club.act(entering.enter, "Chess and Go Riga", by=player(3))
    assert club.tournament.field.entrants[player(3)].club == "Chess and Go Riga"
    assert refused(club, entering.enter, None, by=player(4)) == "TAB-TRN-05"
    club.act(entering.withdraw, by=ANNA)
    club.act(entering.enter, None, by=ANNA)
    club.act(directing.penalize, BERT, "exclusion", 0, "Shouting")
    assert refused(club, entering.enter, None, by=BERT) == "TAB-TRN-05"


@pytest.mark.rule("TAB-TRN-05")
@pytest.mark.parametrize(("late", "rule"), [(1, "TAB-TRN-05"), (2, None)])
def test_late_entries_are_as_the_regulations_say(late: int, rule: str | None) -> None:
    club = Club(4, late=late)
    club.play()
    if rule is not None:
        assert refused(club, entering.enter, None, by=STRANGER) == rule
        return
    club.act(entering.enter, None, by=STRANGER)
    club.act(entering.check_in, "", by=STRANGER)
    assert STRANGER in club.lots().present


@pytest.mark.rule("TAB-TRN-06")
def test_who_withdrew_or_was_dropped_is_not_drawn() -> None:
    club = Club(6)
    assert refused(club, entering.withdraw, by=STRANGER) == "TAB-TRN-06"
    club.act(entering.withdraw, by=ANNA)
    assert refused(club, entering.withdraw, by=ANNA) == "TAB-TRN-06"
    assert refused(club, directing.drop, BERT, "Absent", by=BERT) == "TAB-TRN-06"
    assert refused(club, directing.drop, BERT, "") == "TAB-TRN-06"
    club.act(directing.drop, BERT, "Absent")
    assert sorted(club.lots().present) == [player(number) for number in range(3, 7)]


@pytest.mark.rule("TAB-TRN-06", "TAB-TRN-09")
def test_who_leaves_after_the_lots_has_no_table() -> None:
    club = Club(7)
    club.lots()
    club.act(entering.withdraw, by=ANNA)
    drawn = club.draft()
    assert ANNA not in {each for table in drawn.tables for each in table} | {*drawn.byes}


@pytest.mark.rule("TAB-TRN-07")
def test_only_who_checked_in_is_drawn() -> None:
    club = Club(4)
    club.act(entering.enter, None, by=STRANGER)
    assert refused(club, entering.check_in, "x" * 257, by=STRANGER) == "TAB-TRN-07"
    assert refused(club, entering.check_in, "\n", by=STRANGER) == "TAB-TRN-07"
    assert refused(club, entering.check_in, "again", by=ANNA) == "TAB-TRN-07"
    assert STRANGER not in club.lots().present
    # It counts for the next round, and adds nothing to lots that have been drawn.
    club.act(entering.check_in, "late", by=STRANGER)
    assert club.tournament.field.entrants[STRANGER].checked_in == 2


@pytest.mark.rule("TAB-TRN-07")
def test_each_round_may_ask_for_a_check_in() -> None:
    club = Club(5, check_in="each round")
    club.play()
    for number in (2, 3, 4):
        club.act(entering.check_in, "", by=player(number))
    assert refused(club, entering.check_in, "", by=BERT) == "TAB-TRN-07"
    assert sorted(club.lots().present) == [player(number) for number in (2, 3, 4)]
    club.draft()
    club.act(rounds.publish, 1, None, None)
    assert refused(club, entering.check_in, "", by=ANNA) == "TAB-TRN-07"


@pytest.mark.rule("TAB-TRN-18")
def test_announcements_are_bounded() -> None:
    club = Club(2)
    assert refused(club, directing.tell_all, "Hello", by=ANNA) == "TAB-TRN-18"
    assert refused(club, directing.tell_all, "x" * 2_001) == "TAB-TRN-18"
    for number in range(50):
        club.act(directing.tell_all, f"Round {number} begins at noon.")
        if number % 5 == 4:
            assert refused(club, directing.tell_all, "And another thing") == "TAB-TRN-18"
            club.wait(minutes=54)
            assert refused(club, directing.tell_all, "And another thing") == "TAB-TRN-18"
            club.wait(minutes=1)
    assert refused(club, directing.tell_all, "And another thing") == "TAB-TRN-18"


@pytest.mark.rule("TAB-TRN-19", "TAB-TRN-21")
def test_a_tournament_is_closed_when_all_results_count() -> None:
    club = Club(8)
    assert refused(club, directing.close) == "TAB-TRN-19"
    club.play()
    assert refused(club, directing.close) == "TAB-TRN-19"
    assert refused(club, directing.cancel, "Nobody comes") == "TAB-TRN-19"
    club.play(confirm=False)
    assert refused(club, directing.close) == "TAB-TRN-19"
    for table in club.round.tables:
        club.act(results.confirm, 2, table.number)
    closed = club.act(directing.close)
    assert closed.status == "closed"
    assert sorted(each for tied in closed.order for each in tied) == sorted(closed.field.entrants)
    for act, given in (
        (entering.enter, (None,)),
        (directing.tell_all, ("Thanks",)),
        (directing.close, ()),
        (results.confirm, (2, 1)),
        (results.overrule, (2, 1, (club.round.tables[0].players,), "Too late")),
        (directing.penalize, (ANNA, "caution", 0, "Late")),
    ):
        refused(club, act, *given)


@pytest.mark.rule("TAB-TRN-19")
def test_the_organizer_cancels_before_a_result_counts() -> None:
    club = Club(4)
    club.act(directing.name_director, DIRECTOR)
    club.publish()
    assert refused(club, directing.cancel, "Flood", by=DIRECTOR) == "TAB-TRN-19"
    assert refused(club, directing.cancel, "") == "TAB-TRN-19"
    assert club.act(directing.cancel, "Flood").status == "cancelled"


def test_a_fold_gives_what_the_acts_gave() -> None:
    club = Club(9)
    club.play()
    club.play()
    club.act(directing.close)
    assert fold(club.tournament.id, club.records) == club.tournament
    assert first_broken(club.tournament.id, club.records) is None
