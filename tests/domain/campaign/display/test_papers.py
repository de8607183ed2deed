"""The cards told in words."""

import pytest

from domain.boards import builtin
from domain.campaign.box.data import DATA
from domain.campaign.ruleset import Campaign
from domain.kernel.rules.message import Names
from domain.kernel.rules.papers import Paper

BOARD = builtin("conquest")
NAMES = Names({area.id: area.name for area in BOARD.areas}, (), Campaign().words)
PAPERS = Campaign().papers(BOARD, NAMES)


def paper(card: str) -> Paper:
    return next(each for each in PAPERS.papers if each.id == card)


def test_every_card_says_what_it_does_when_and_what_it_costs() -> None:
    assert [each.id for each in PAPERS.papers] == [card.id for card in DATA.card]
    for each in PAPERS.papers:
        does, about = each.sections
        assert len(does.lines) == 1
        assert len(about.lines) == 3
        assert {line.origin for line in (*does.lines, *about.lines)} <= {"", *PAPERS.origins}


@pytest.mark.parametrize(
    ("card", "does"),
    [
        ("merchant-egypt", "10 talents for each influence of yours in Egypt"),
        ("loot", "50 talents and 5 chaos"),
        ("vote-bread", "A vote of the senate, whose winner gets: 10 chaos less"),
        ("vote-legions", "A vote of the senate, whose winner gets: 6 infantry of yours in Italia or Neapolis"),
        ("army-training", "1 more die in land battles"),
        ("naval-training", "1 more die in naval battles"),
        ("senator-i", "1 vote in the senate"),
    ],
)
def test_effects_are_told_in_words(card: str, does: str) -> None:
    assert paper(card).sections[0].lines[0].words == does


def test_our_own_rulings_are_marked() -> None:
    prices = {each.id: each.sections[1].lines[1] for each in PAPERS.papers}
    assert (prices["merchant-egypt"].words, prices["merchant-egypt"].origin) == ("Costs 25 talents", "stated")
    assert (prices["merchant-achaia"].words, prices["merchant-achaia"].origin) == ("Free", "ours")
