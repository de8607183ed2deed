"""What the project's own cards do not say, but corrected ones can."""

from typing import Any

from msgspec.structs import replace

from domain.boards import builtin as board
from domain.italia.box.cards import Cards, Deck, builtin
from domain.italia.box.data import data_of
from domain.italia.box.editions import Rules
from domain.italia.box.entries import Plan
from domain.italia.box.pieces import NationId
from domain.italia.box.table import Table, turn_of
from domain.italia.moves import steps
from domain.italia.start.position import arrange
from domain.italia.turn import stacking

CELTS = NationId("celts")
GIVEN = {
    "turn": "celts",
    "stage": "movement",
    "forces": [{"nation": "celts", "at": "ravenna", "infantry": 6, "leaders": ["brennus"]}],
}


def corrected(**changes: bool) -> Table:
    """Return a position of the Celts' major invasion, with another plan on their card."""
    deck = builtin("italia-1")
    nations = tuple(
        replace(card, plans=tuple(replace(plan, **changes) for plan in card.plans)) if card.id == CELTS else card
        for card in deck.nations
    )
    parts: dict[str, Any] = {name: getattr(deck, name) for name in deck.__struct_fields__}
    cards = Cards.of(Deck(**parts | {"nations": nations}))
    return arrange(GIVEN, data_of("italia-1"), cards, Rules(), board("italia"))


def plan_of(table: Table) -> Plan:
    plan = stacking.plan_of(table)
    assert plan is not None
    return plan


def allowances(table: Table) -> tuple[int, int]:
    """Return how far infantry goes now, and in the second movement of the invasion."""
    now = steps.allowance(table, "infantry")
    turn = turn_of(table)
    table.turn = replace(turn, stages=turn.stages[turn.stages.index("movement", 1) :])
    return now, steps.allowance(table, "infantry")


def test_a_card_may_give_one_more_area_in_the_first_movement_of_a_major_invasion() -> None:
    """IT-MAJ-04."""
    assert allowances(corrected()) == (2, 2)
    assert allowances(corrected(extra_step=True)) == (3, 2)


def test_the_area_of_the_leader_of_an_invasion_is_limited_unless_the_card_says_otherwise() -> None:
    """IT-MAJ-04: after the first movement only."""
    for unlimited in (True, False):
        table = corrected(unlimited_stack=unlimited)
        assert plan_of(table).unlimited_stack == unlimited
        turn = turn_of(table)
        first = turn.stages[turn.stages.index("stacking") :]
        second = first[first.index("stacking", 1) :]
        found: list[bool] = []
        for stages in (first, second):
            table.turn = replace(turn, stages=stages)
            found.append(bool(stacking.crowded(table)))
        assert found == [not unlimited, True]
