"""Reading the result of a table from its game."""

from random import Random

import pytest

from domain.kernel.ids import PlayerId
from domain.kernel.log.ending import finish
from domain.tournament.field import Table
from domain.tournament.outcome import in_players, outcome_of, players_of
from tests.helpers.play import Play, player_of
from tests.tiny.auction import ROOM, SEATS, TinyAuction

PLAYERS = tuple(map(player_of, SEATS[:3]))
ANNA, BERT, CARL = PLAYERS
TABLE = Table(1, PLAYERS)
SUBSTITUTE, OTHER = PlayerId("substitute"), PlayerId("other")
SUBSTITUTED = Table(1, (ANNA, SUBSTITUTE, CARL), substitutes=((BERT, OTHER), (OTHER, SUBSTITUTE)))
"""Bert was replaced, and the one who replaced him as well."""


def over(play: Play, seed: int = 1) -> Play:
    rng = Random(seed)
    while play.game.status != "over":
        play.step(rng)
    return play


@pytest.mark.rule("TAB-TRN-14")
def test_a_result_is_in_the_players_of_the_table() -> None:
    play = Play(TinyAuction(), ROOM, 3)
    assert outcome_of(play.game, play.records, TABLE) is None
    over(play)
    found, end = outcome_of(play.game, play.records, TABLE), finish(play.game)
    assert found is not None
    assert end is not None
    assert found.order == in_players(end.order, dict(zip(SEATS[:3], PLAYERS, strict=True)))
    assert (found.how, found.rule, found.left) == ("won", end.rule, ())
    assert play.records[found.version - 1].hash.hex() == found.hash
    assert play.records[found.version - 1].type == "game-ended"
    assert outcome_of(play.game, play.records, Table(1, (ANNA, BERT, OTHER))) is None


@pytest.mark.rule("TAB-TRN-14", "TAB-TRN-20")
def test_who_gave_their_seat_up_has_left() -> None:
    play = Play(TinyAuction(), ROOM, 3)
    play.give_up(SEATS[1])
    assert found_left(over(play)) == (BERT,)


@pytest.mark.rule("TAB-TRN-14", "TAB-TRN-20")
def test_whose_seat_somebody_took_over_has_left_and_the_seat_counts_for_them() -> None:
    play = Play(TinyAuction(), ROOM, 3)
    play.give_up(SEATS[1])
    play.take_over(SEATS[1], SUBSTITUTE)
    over(play)
    assert players_of(play.records, TABLE) == dict(zip(SEATS[:3], PLAYERS, strict=True))
    assert found_left(play) == (BERT,)
    # Where the tournament seated that substitute, the seat is theirs, and nobody has left.
    found = outcome_of(play.game, play.records, SUBSTITUTED)
    assert found is not None
    assert found.left == ()


@pytest.mark.rule("TAB-TRN-13", "TAB-TRN-14")
def test_a_seat_counts_for_the_substitute_who_has_not_taken_it_over() -> None:
    play = over(Play(TinyAuction(), ROOM, 3))
    found, before = (outcome_of(play.game, play.records, table) for table in (SUBSTITUTED, TABLE))
    assert found is not None
    assert before is not None
    assert found.left == ()
    assert found.order == tuple(tuple(SUBSTITUTE if each == BERT else each for each in tied) for tied in before.order)
    given_up = Play(TinyAuction(), ROOM, 3)
    given_up.give_up(SEATS[1])
    found = outcome_of(over(given_up).game, given_up.records, SUBSTITUTED)
    assert found is not None
    assert found.left == (SUBSTITUTE,)


@pytest.mark.rule("TAB-TRN-13", "TAB-TRN-14")
def test_a_stranger_who_took_the_seat_over_is_no_substitute() -> None:
    play = Play(TinyAuction(), ROOM, 3)
    play.give_up(SEATS[1])
    play.take_over(SEATS[1], PlayerId("stranger"))
    found = outcome_of(over(play).game, play.records, SUBSTITUTED)
    assert found is not None
    assert found.left == (SUBSTITUTE,)


@pytest.mark.rule("TAB-TRN-14")
def test_who_took_a_seat_back_has_not_left() -> None:
    play = Play(TinyAuction(), ROOM, 3)
    play.give_up(SEATS[1])
    play.take_over(SEATS[1], SUBSTITUTE)
    play.give_up(SEATS[1])
    play.take_over(SEATS[1], BERT)
    assert found_left(over(play)) == ()


def found_left(play: Play) -> tuple[PlayerId, ...]:
    found = outcome_of(play.game, play.records, TABLE)
    assert found is not None
    return found.left


@pytest.mark.rule("TAB-TRN-12", "TAB-TRN-14")
def test_a_seat_that_was_assigned_counts_for_its_player() -> None:
    play = Play(TinyAuction(), ROOM, 3, start=False)
    for seat, player in zip(SEATS[:3], (OTHER, BERT, CARL), strict=True):
        play.assign(seat, player)
    play.assign(SEATS[0], ANNA)
    assert players_of(play.records, TABLE) == dict(zip(SEATS[:3], PLAYERS, strict=True))
    play.leave(SEATS[0], ANNA)
    assert SEATS[0] not in players_of(play.records, TABLE)
