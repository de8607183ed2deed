"""Rounds of a tournament: lots, drafts of the draw, tables and cancelled rounds."""

import msgspec
import pytest

from domain.kernel.log.record import Cause
from domain.kernel.rules.refusal import Refusal
from domain.tournament import entering, results, rounds
from domain.tournament.chain import secret_of
from domain.tournament.draw import Draw, Problem, Undecided
from domain.tournament.events import RoundPublished
from tests.helpers.tournaments import ANNA, BERT, ORGANIZER, SEED, STRANGER, Club, player, refused


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
        assert (refusal.value.rule, refusal.value.wrong) == ("TAB-TRN-10", asked)
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
