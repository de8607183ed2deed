"""Who may do what in a tournament, when, and what comes of it."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.ids import GameId, PlayerId, RuleId
from domain.kernel.log.record import Cause, first_broken
from domain.kernel.rules import loading
from domain.kernel.rules.refusal import Refusal
from domain.tournament import directing, entering, results, rounds
from domain.tournament.chain import LENGTH, commitment_of, follows, secret_of
from domain.tournament.crosstable import Cell, crosstable
from domain.tournament.departing import depart
from domain.tournament.draw import Draw, Problem, Undecided
from domain.tournament.drawing import eligible
from domain.tournament.events import TOURNAMENT_EVENTS, RoundPublished
from domain.tournament.fold import fold, read_event
from domain.tournament.regulations import KnockOut, Swiss
from domain.tournament.standings import Scores
from tests.helpers.tournaments import DIRECTOR, ORGANIZER, SEATS, SEED, Club, player, regulations

ANNA, BERT = player(1), player(2)
STRANGER = PlayerId("stranger")


def refused(club: Club, act: Callable[..., Any], *given: Any, by: PlayerId | None = ORGANIZER) -> RuleId:
    """Return the rule by which an act is refused; the tournament stays as it is."""
    before = club.tournament
    with pytest.raises(Refusal) as refusal:
        club.act(act, *given, by=by)
    assert refusal.value.rule in {rule.id for rule in loading.common_rules().rules}
    assert club.tournament is before
    return refusal.value.rule


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
    assert refused(club, partial(depart, able=())) == "TAB-TRN-23"
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


@pytest.mark.rule("TAB-TRN-08")
def test_lots_follow_from_the_secret_and_what_players_added() -> None:
    club, other = Club(8), Club(8)
    assert club.lots().present == other.lots().present
    swayed = Club(7)
    swayed.act(entering.enter, None, by=player(8))
    swayed.act(entering.check_in, "luck eight", by=player(8))
    assert swayed.lots().present != club.round.present
    assert refused(club, rounds.close_check_in, secret_of(SEED, 2).hex()) == "TAB-TRN-08"


@pytest.mark.rule("TAB-TRN-08")
def test_lots_are_drawn_when_all_results_count() -> None:
    club = Club(8)
    assert refused(club, rounds.close_check_in, secret_of(SEED, 2).hex()) == "TAB-TRN-08"
    assert refused(club, rounds.close_check_in, secret_of(SEED, 1).hex(), by=ANNA) == "TAB-TRN-08"
    club.play(confirm=False)
    assert refused(club, rounds.close_check_in, secret_of(SEED, 2).hex()) == "TAB-TRN-08"
    for table in club.round.tables:
        club.act(results.confirm, 1, table.number)
    club.lots()


@pytest.mark.rule("TAB-TRN-08")
def test_a_table_needs_players() -> None:
    assert refused(Club(2), rounds.close_check_in, secret_of(SEED, 1).hex()) == "TAB-TRN-08"


@pytest.mark.rule("TAB-TRN-09")
def test_a_draft_is_lawful_and_counted() -> None:
    club = Club(8)
    assert refused(club, rounds.draft, Draw(()), "hand", None) == "TAB-TRN-09"
    lots = club.lots().present
    for tables, byes in (
        ((lots[:4],), ()),
        ((lots[:4], lots[4:]), (lots[0],)),
        ((lots[:4], (*lots[4:7], lots[0])), (lots[7],)),
        ((lots[:6], lots[6:]), ()),
        ((lots[:4], (*lots[4:7], STRANGER)), (lots[7],)),
    ):
        assert refused(club, rounds.draft, Draw(tables, byes), "hand", None) == "TAB-TRN-09"
    for _ in range(20):
        club.draft()
    assert refused(club, rounds.draft, club.round.drafts[0], "hand", None) == "TAB-TRN-09"


@pytest.mark.rule("TAB-TRN-02", "TAB-TRN-09")
def test_banned_players_do_not_meet() -> None:
    club = Club(8, bans=((ANNA, BERT),))
    lots = club.lots().present
    others = tuple(each for each in lots if each not in (ANNA, BERT))
    assert refused(club, rounds.draft, Draw(((ANNA, BERT, *others[:2]), others[2:])), "hand", None) == "TAB-TRN-09"
    assert all(not {ANNA, BERT} <= {*table} for table in club.draft().tables)


@pytest.mark.rule("TAB-TRN-09")
def test_what_leaves_no_draw_is_named() -> None:
    club = Club(6, sizes=(3,), points=((60, 36, 12),), bans=tuple((ANNA, player(each)) for each in (2, 3, 4, 5)))
    with pytest.raises(Refusal, match="TAB-TRN-09: No round is being drawn"):
        rounds.tables_for(club.tournament)
    club.lots()
    with pytest.raises(Refusal, match=r"TAB-TRN-09: No draw keeps apart all of .*player-001 and player-00"):
        rounds.tables_for(club.tournament)

    def give_up(problem: Problem) -> Draw:
        raise Undecided("too many bans")

    with pytest.raises(Refusal, match=r"TAB-TRN-09: A lawful draw was not found: too many bans. Draw the tables"):
        rounds.tables_for(club.tournament, give_up)


@pytest.mark.rule("TAB-TRN-10")
def test_a_director_changes_a_draft_with_a_reason() -> None:
    club = Club(8)
    assert refused(club, rounds.publish, 1, None, None) == "TAB-TRN-10"
    club.lots()
    assert refused(club, rounds.publish, 1, None, None) == "TAB-TRN-10"
    drawn = club.draft()
    swapped = Draw((drawn.tables[1], drawn.tables[0]))
    assert refused(club, rounds.publish, 2, None, None) == "TAB-TRN-10"
    assert refused(club, rounds.publish, 1, swapped, None) == "TAB-TRN-10"
    assert refused(club, rounds.publish, 1, None, "For nothing") == "TAB-TRN-10"
    assert refused(club, rounds.publish, 1, Draw(drawn.tables[:1]), "A table less") == "TAB-TRN-10"
    club.act(rounds.publish, 1, swapped, "Table 1 has the better light.")
    assert [table.players for table in club.round.tables] == [*swapped.tables]
    assert club.tournament.status == "running"


@pytest.mark.rule("TAB-TRN-10")
def test_tables_are_priced_as_publishing_them_would() -> None:
    club = Club(8, bans=((ANNA, BERT),))
    others = [player(number) for number in range(3, 9)]
    apart, together = (
        Draw((tuple(one), tuple(two)))
        for one, two in (
            ((ANNA, *others[:3]), (BERT, *others[3:])),
            ((ANNA, BERT, *others[:2]), others[2:]),
        )
    )
    club.lots()
    club.draft()
    before = club.tournament
    whole, tables = rounds.price(club.tournament, 1, 1, apart, Cause(ORGANIZER))
    assert whole.total == sum(each.total for each in tables)
    assert whole.lots == sum(each.lots for each in tables) > 0
    for number, draft, drawn, by, asked in (
        (1, 1, together, ORGANIZER, f"{ANNA} and {BERT} sit together at table 1, but must not meet."),
        (1, 2, apart, ORGANIZER, "Round 1 has no draft 2."),
        (2, 1, apart, ORGANIZER, "Round 2 is not the one that is being drawn."),
        (1, 1, apart, ANNA, "You do not direct this tournament."),
    ):
        with pytest.raises(Refusal) as refusal:
            rounds.price(club.tournament, number, draft, drawn, Cause(by))
        assert (refusal.value.rule, refusal.value.asked) == ("TAB-TRN-10", asked)
    assert club.tournament is before
    club.act(rounds.publish, 1, apart, "Ann and Bert came by one car.")
    published = msgspec.json.decode(club.records[-1].event, type=RoundPublished)
    assert published.cost == whole


@pytest.mark.rule("TAB-TRN-11")
def test_a_round_is_cancelled_before_it_is_played() -> None:
    club = Club(8)
    assert refused(club, rounds.cancel_round, 1, "Fire alarm") == "TAB-TRN-11"
    first = club.publish().present
    assert refused(club, rounds.cancel_round, 2, "Fire alarm") == "TAB-TRN-11"
    assert refused(club, rounds.cancel_round, 1, "") == "TAB-TRN-11"
    club.act(rounds.cancel_round, 1, "Fire alarm")
    assert club.tournament.field.played == []
    again = club.publish()
    assert again.number == 2
    assert again.present != first
    club.result(1)
    assert refused(club, rounds.cancel_round, 2, "Fire alarm") == "TAB-TRN-11"


@pytest.mark.rule("TAB-TRN-12")
def test_each_table_has_one_game() -> None:
    club = Club(8)
    club.publish()
    assert refused(club, rounds.open_table, 1, 1, GameId("g-x"), by=None) == "TAB-TRN-12"
    assert refused(club, rounds.open_table, 1, 3, GameId("g-x"), by=None) == "TAB-TRN-12"
    assert refused(club, rounds.open_table, 2, 1, GameId("g-x"), by=None) == "TAB-TRN-12"
    assert club.tournament.games == {"g-1-1": (1, 1), "g-1-2": (1, 2)}


@pytest.mark.rule("TAB-TRN-13", "TAB-TRN-22")
def test_a_substitute_earns_what_the_seat_does() -> None:
    club = Club(9, sizes=(4,), points=((60, 42, 24, 6),))
    club.act(directing.name_director, ANNA)
    away = club.publish().byes[0]
    table = next(each for each in club.round.tables if ANNA not in each.players)
    out = table.players[0]
    given = (1, table.number)
    other = next(each for each in club.round.tables if each is not table).players[0]
    assert refused(club, rounds.substitute, *given, out, other, "Ill") == "TAB-TRN-13"
    assert refused(club, rounds.substitute, *given, away, away, "Ill") == "TAB-TRN-13"
    assert refused(club, rounds.substitute, *given, out, STRANGER, "Ill") == "TAB-TRN-13"
    assert refused(club, rounds.substitute, *given, out, away, "") == "TAB-TRN-13"
    if away != ANNA:
        own = next(each for each in club.round.tables if ANNA in each.players)
        assert refused(club, rounds.substitute, 1, own.number, own.players[0], away, "Ill", by=ANNA) == "TAB-TRN-22"
    club.act(rounds.substitute, *given, out, away, "Ill")
    club.result(table.number)
    assert refused(club, rounds.substitute, *given, away, out, "Well again") == "TAB-TRN-13"
    scores = Scores(club.tournament.field)
    assert (scores.points[away], scores.points[out]) == (60, 0)


@pytest.mark.rule("TAB-TRN-13", "TAB-TRN-20")
@pytest.mark.parametrize(("mode", "points"), [("substitute", (0, 0, 60)), ("replaced", (60, 30, 0))])
def test_who_gets_the_points_of_substitutes_is_as_the_regulations_say(mode: str, points: tuple[int, ...]) -> None:
    club = Club(9, sizes=(4,), points=((60, 42, 24, 6),), points_of_substitutes=mode)
    club.act(entering.enter, None, by=STRANGER)
    bye, out = club.publish().byes[0], club.round.tables[0].players[0]
    club.act(rounds.substitute, 1, 1, out, bye, "Ill")
    club.act(rounds.substitute, 1, 1, bye, STRANGER, "Ill, too")
    club.result(1)
    scores = Scores(club.field)
    assert tuple(scores.points[each] for each in (out, bye, STRANGER)) == points
    earner = out if mode == "replaced" else STRANGER
    cells = {line.player: line.cells for line in crosstable(club.field)}
    others = club.round.tables[0].players[1:]
    assert cells[earner] == (Cell(1, 1, others, 1, Fraction(60)),)
    assert cells[bye] == ((Cell(1, 0, (), 0, Fraction(30)),) if mode == "replaced" else ())
    # The tie-breaks count for whom the points do.
    (tied,) = scores.opponents(others[0], ())
    assert tied == Fraction(sum(scores.points[each] for each in (earner, *others[1:])), 3)
    assert refused(
        club, directing.change, replace(club.tournament.regulations, points_of_substitutes=UNSET), SEATS
    ) == ("TAB-TRN-03")


@pytest.mark.rule("TAB-TRN-08", "TAB-TRN-13")
@pytest.mark.parametrize("mode", ["substitute", "replaced"])
def test_who_plays_on_in_a_knock_out_is_who_gets_the_points(mode: str) -> None:
    club = Club(9, sizes=(4, 3), points=((60, 36, 12), (60, 42, 24, 6)), points_of_substitutes=mode)
    club.act(directing.change, replace(club.tournament.regulations, stages=(KnockOut(2, 1),)), SEATS)
    club.act(entering.enter, None, by=STRANGER)
    table = club.publish().tables[0]
    club.act(rounds.substitute, 1, 1, table.players[0], STRANGER, "Ill")
    winners = [(table.players[0] if mode == "replaced" else STRANGER), *(t.players[0] for t in club.round.tables[1:])]
    for each in club.round.tables:
        club.result(each.number)
    assert sorted(eligible(club.field)) == sorted([*winners, *club.round.byes])


@pytest.mark.rule("TAB-TRN-14")
def test_a_result_is_taken_anew_until_it_counts() -> None:
    club = Club(8)
    club.publish()
    first = club.round.tables[0].players
    with pytest.raises(Refusal, match="TAB-TRN-14"):
        club.result(1, tuple((each,) for each in first[:3]))
    club.result(1)
    turned = tuple((each,) for each in reversed(first))
    club.result(1, turned, how="ruled")
    assert club.round.tables[0].result is not None
    assert club.round.tables[0].result.order == turned
    club.act(results.confirm, 1, 1)
    with pytest.raises(Refusal, match="TAB-TRN-14"):
        club.result(1)


@pytest.mark.rule("TAB-TRN-15", "TAB-TRN-22")
def test_a_result_counts_by_itself_when_its_time_is_up() -> None:
    club = Club(8)
    club.act(directing.name_director, ANNA)
    club.publish()
    own = next(each.number for each in club.round.tables if ANNA in each.players)
    assert refused(club, results.confirm, 1, own) == "TAB-TRN-15"
    for table in club.round.tables:
        club.result(table.number)
    assert refused(club, results.confirm, 1, own, by=ANNA) == "TAB-TRN-22"
    assert refused(club, results.confirm, 1, own, by=BERT) == "TAB-TRN-15"
    club.wait(hours=23, minutes=50)
    assert refused(club, results.confirm, 1, own, by=None) == "TAB-TRN-15"
    club.wait(minutes=10)
    club.act(results.confirm, 1, own, by=None)
    assert refused(club, results.confirm, 1, own) == "TAB-TRN-15"


@pytest.mark.rule("TAB-TRN-15")
def test_the_last_round_counts_by_a_director_alone() -> None:
    club = Club(4, stages=(Swiss(1),))
    club.publish()
    club.result(1)
    club.wait(days=10)
    assert refused(club, results.confirm, 1, 1, by=None) == "TAB-TRN-15"
    club.act(results.confirm, 1, 1)


@pytest.mark.rule("TAB-TRN-16", "TAB-TRN-22")
def test_a_director_overrules_and_adjudicates() -> None:
    club = Club(8)
    club.act(directing.name_director, ANNA)
    club.publish()
    table = next(each for each in club.round.tables if ANNA in each.players)
    order = (table.players,)
    given = (1, table.number, order, "They never finish.")
    assert refused(club, results.overrule, *given) == "TAB-TRN-16"
    club.wait(days=90)
    assert refused(club, results.overrule, *given, by=ANNA) == "TAB-TRN-22"
    assert refused(club, results.overrule, *given, by=BERT) == "TAB-TRN-16"
    assert refused(club, results.overrule, 1, table.number, (table.players[:3],), "Four") == "TAB-TRN-16"
    assert refused(club, results.overrule, 1, table.number, order, "") == "TAB-TRN-16"
    club.act(results.overrule, *given)
    assert table.number not in [each.number for each in club.round.waiting]
    with pytest.raises(Refusal, match="TAB-TRN-14"):
        club.result(table.number)


@pytest.mark.rule("TAB-TRN-17")
def test_penalties_are_public_and_bounded() -> None:
    club = Club(4)
    club.act(directing.name_director, ANNA)
    assert refused(club, directing.penalize, BERT, "warning", 0, "Late", by=BERT) == "TAB-TRN-17"
    assert refused(club, directing.penalize, ANNA, "warning", 0, "Late", by=ANNA) == "TAB-TRN-17"
    assert refused(club, directing.penalize, STRANGER, "warning", 0, "Late") == "TAB-TRN-17"
    assert refused(club, directing.penalize, BERT, "warning", 1, "Late") == "TAB-TRN-17"
    assert refused(club, directing.penalize, BERT, "points", 0, "Late") == "TAB-TRN-17"
    assert refused(club, directing.penalize, BERT, "points", 1_001, "Late") == "TAB-TRN-17"
    assert refused(club, directing.penalize, BERT, "points", 10, "") == "TAB-TRN-17"
    club.act(directing.penalize, BERT, "points", 10, "Late", by=ANNA)
    club.act(directing.penalize, BERT, "exclusion", 0, "Gone")
    assert club.tournament.field.entrants[BERT].out


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
