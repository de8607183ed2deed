"""What the project's own cards never score, but corrected ones can."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from domain.boards import builtin as board
from domain.italia.box.cards import Cards, Deck, NationCard, builtin
from domain.italia.box.data import data_of
from domain.italia.box.editions import Rules
from domain.italia.box.entries import Game, RegionPoints
from domain.italia.box.pieces import NationId
from domain.italia.box.table import Table
from domain.italia.start.position import arrange
from domain.italia.turn import scoring, winning
from domain.kernel.chance.draws import ScriptedChance
from domain.kernel.chance.secret import Vault
from domain.kernel.rules.draft import Draft


def corrected(game: Game, card: NationCard, given: Mapping[str, Any]) -> Draft[Table]:
    """Return a draft in a position of a game in which a nation has another card."""
    deck = builtin(game)
    nations = tuple(card if each.id == card.id else each for each in deck.nations)
    parts: dict[str, Any] = {name: getattr(deck, name) for name in deck.__struct_fields__}
    cards = Cards.of(Deck(**parts | {"nations": nations}))
    return Draft(arrange(given, data_of(game), cards, Rules(), board("italia")), ScriptedChance([]), Vault())


def scored(draft: Draft[Table]) -> None:
    """Score what is scored at the end of the round."""
    if (follows := winning.score_holdings(draft.table)) is not None:
        follows(draft)


def card_of(game: Game, nation: NationId) -> NationCard:
    return next(card for card in builtin(game).nations if card.id == nation)


@pytest.mark.parametrize(
    ("game", "nation", "enemy"),
    [("italia-1", "etruscans", "celts"), ("italia-2", "byzantines", "lombards")],
)
def test_a_silent_round_of_a_card_scores_neither_areas_nor_eliminations(
    game: Game, nation: NationId, enemy: NationId
) -> None:
    """IT-VP-04."""
    given = {"round": 5, "turn": nation, "forces": [{"nation": nation, "at": "ravenna", "infantry": 1}]}
    card = card_of(game, nation)
    for silent, expected in (((), True), ((5,), False), ((3,), True)):
        draft = corrected(game, replace(card, silent_rounds=silent), given)
        scoring.eliminated(draft, enemy, {"infantry": 1}, by=nation)
        assert bool(draft.events) == expected
        draft = corrected(game, replace(card, silent_rounds=silent), given)
        scored(draft)
        assert any(isinstance(event, scoring.PointsScored) for event in draft.events) == expected


@pytest.mark.rule("IT-VP-12")
@pytest.mark.parametrize("foreign", range(6))
def test_a_region_of_a_card_may_count_less_for_each_foreign_area_down_to_nothing(foreign: int) -> None:
    """IT-VP-12: no card of Italia II says so; subjects are not foreign."""
    game, vandals = "italia-2", NationId("vandals")
    line = RegionPoints(mark="reconstructed", round=3, region="africa", halves=6, halves_less=2)
    areas = ["numidia", "africa", "byzacena", "tripolitania", "mauretania"]
    forces = [{"nation": "vandals", "at": "mauretania", "leaders": ["geiserich"]}]
    forces += [{"nation": "berbers", "at": area, "infantry": 1} for area in areas[:foreign]]
    forces += [{"nation": "african-romans", "at": area, "infantry": 1} for area in areas[foreign:4]]
    given = {"round": 3, "forces": forces, "overlords": {"african-romans": "vandals"}}
    draft = corrected(game, replace(card_of(game, vandals), scoring=(line,)), given)
    scored(draft)
    assert draft.table.nations[vandals].points == max(0, 6 - 2 * min(foreign, 4))
