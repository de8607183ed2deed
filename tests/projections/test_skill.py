"""Ratings after one game: whole numbers, alike for those who did alike, and given back as they were."""

from itertools import permutations
from random import Random

import pytest

from domain.kernel.ids import PlayerId
from projections.skill import NEW, Skill, after, given_back

ANNA, BERT, CARL, DORA = map(PlayerId, ("anna", "bert", "carl", "dora"))


@pytest.mark.rule("TAB-RAT-01")
def test_a_rating_begins_at_25_and_is_shown_as_what_it_is_at_least() -> None:
    assert (NEW.mu, NEW.sigma, NEW.games, NEW.shown) == (25_000_000, 8_333_333, 0, 1)
    assert [Skill(0, 0, games).is_provisional for games in (0, 9, 10)] == [True, True, False]


@pytest.mark.rule("TAB-RAT-01")
def test_who_is_first_gains_who_is_last_loses_and_who_ties_has_the_same() -> None:
    rated = after([[ANNA], [BERT, CARL], [DORA]], {})
    assert rated[ANNA].mu > rated[BERT].mu > rated[DORA].mu
    assert rated[BERT] == rated[CARL]
    assert all(type(each.mu) is int and each.sigma < NEW.sigma and each.games == 1 for each in rated.values())
    # The figures of `openskill` 6.2, so that another release that counts otherwise is noticed.
    assert rated[ANNA] == Skill(27_795_253, 8_263_571, 1)


@pytest.mark.parametrize("players", range(2, 7))
def test_games_of_two_to_six_players_count_alike_however_those_who_tie_are_listed(players: int) -> None:
    rng, names = Random(players), [PlayerId(f"p{number}") for number in range(players)]
    had = {name: Skill(rng.randrange(50_000_000), rng.randrange(1_000_000, 9_000_000), 5) for name in names}
    rated = [after([order, names[3:]] if names[3:] else [order], had) for order in permutations(names[:3])]
    assert all(each == rated[0] for each in rated)
    assert set(rated[0]) == set(names)


@pytest.mark.rule("TAB-RAT-09")
def test_what_a_game_changed_is_given_back() -> None:
    had = {ANNA: Skill(30_000_000, 4_000_000, 12), BERT: Skill(22_000_000, 6_000_000, 3)}
    since = after([[ANNA], [BERT]], had)
    for player, before in had.items():
        assert given_back(since[player], before, since[player]) == before
    # After more games, the estimate gets back what it had gained, and what others taught about it stays.
    later = after([[BERT], [ANNA]], since)
    back = given_back(later[ANNA], had[ANNA], since[ANNA])
    assert back.mu == later[ANNA].mu - (since[ANNA].mu - had[ANNA].mu)
    assert (back.sigma > later[ANNA].sigma, back.games) == (True, 13)
    assert given_back(NEW, Skill(0, 8_000_000, 0), Skill(0, 7_000_000, 1)).sigma == NEW.sigma
