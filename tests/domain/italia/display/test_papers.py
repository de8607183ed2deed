"""The nation cards in words: every entry is told, each with its mark."""

from typing import Any

import pytest
from msgspec.structs import replace

from domain.boards import builtin
from domain.italia.box.cards import Cards, Deck, NationCard
from domain.italia.ruleset import Italia, ItaliaI, ItaliaII
from domain.kernel.ids import Seat
from domain.kernel.rules.documents import documents_of, equipped
from domain.kernel.rules.message import Names
from domain.kernel.rules.papers import Line, Paper

FACTS = ("seat", "order", "order_round_10", "rounds", "income", "full_income_areas", "starting_gold", "counters")


def papers(game: Italia, deck: Deck | None = None) -> dict[str, Paper]:
    board = game.equip(builtin("italia"))
    board = board if deck is None else equipped(board, {"cards": deck})
    names = Names({area.id: area.name for area in board.areas}, game.cards.seats, game.words)
    return {paper.id: paper for paper in game.papers(board, names).papers}


def lines(paper: Paper) -> dict[str, tuple[Line, ...]]:
    return {section.title: section.lines for section in paper.sections}


def facts_of(card: NationCard) -> list[str]:
    """Return the marks of what the card says before its entries, as it is told."""
    told = [field for field in FACTS if field in card.marks]
    return [card.marks[field] for field in told if field != "income" or not card.full_income_areas]


@pytest.mark.parametrize("game", [ItaliaI(), ItaliaII()], ids=["italia-1", "italia-2"])
def test_every_entry_of_every_card_is_a_line_with_its_mark(game: Italia) -> None:
    told = papers(game)
    assert [*told] == [*game.cards.nations]
    for nation, card in game.cards.nations.items():
        found = [line for section in told[nation].sections for line in section.lines]
        assert [line.origin for line in found] == [*facts_of(card), *(entry.mark for _, entry in card.entries())]
        assert all(line.words and line.words[0].upper() == line.words[0] for line in found)
        assert not [line for line in found if "_" in f"{line.words}{line.source}"]
        assert told[nation].title == game.words[nation]


def test_origins_and_sources_are_explained() -> None:
    game = ItaliaI()
    found = game.papers(game.equip(builtin("italia")), Names({}, (), game.words))
    assert [*found.origins] == ["seed", "published", "reconstructed"]
    assert "not the printed card" in found.origins["reconstructed"]
    assert "R1" in found.sources


@pytest.mark.parametrize(
    ("game", "nation", "section", "words"),
    [
        (ItaliaI(), "celts", "The nation", "Led by Yellow"),
        (ItaliaI(), "celts", "When the game begins", "Pavia: 6 infantry and Brennus"),
        (ItaliaI(), "celts", "Reinforcements", "Round 2: 3 infantry in Alpes"),
        (
            ItaliaI(),
            "celts",
            "Submission",
            "May submit to the Carthaginians with 5 areas or fewer, in round 6, while Hannibal is on campaign",
        ),
        (ItaliaI(), "celts", "Points", "½ point for each legion unit of the Romans eliminated"),
        (ItaliaI(), "celts", "Points", "5 points for the first sack or raid of Roma"),
        (ItaliaII(), "foederati", "The nation", "Full income while it controls Ravenna; else half"),
        (
            ItaliaII(),
            "franks",
            "Turns that are not normal",
            "Round 9: a normal turn and then a campaign of Pippin, with 3 gold; those with the leader may wait in "
            "Alpes until the campaign is over",
        ),
        (ItaliaII(), "foederati", "Leaders", "Odoacer, who stays until round 6"),
    ],
)
def test_entries_are_told_in_words(game: Italia, nation: str, section: str, words: str) -> None:
    assert words in [line.words for line in lines(papers(game)[nation])[section]]


def test_corrected_cards_are_told_as_they_were_corrected() -> None:
    game = ItaliaI()
    deck: Any = documents_of(game.equip(builtin("italia")))["cards"]
    celts = replace(deck.nations[0], starting_gold=7, marks={**deck.nations[0].marks, "starting_gold": "published"})
    corrected = replace(deck, nations=(celts, *deck.nations[1:]))
    assert Cards.of(corrected).nations[celts.id].seat == Seat("yellow")
    assert Line("Begins with 7 gold", "published") in lines(papers(game, corrected)[celts.id])["The nation"]
