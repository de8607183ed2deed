"""Upcasters on real old bytes: an event of each family gets another shape, and recorded games of before still hold.

That those around the table have upcasters, every recorded game of version 1 shows: their first events have shape 1.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import pytest
from msgspec import Struct, field

from domain.classic.box import table as classic_table
from domain.classic.economy import tribute
from domain.kernel.ids import Seat
from domain.kernel.log.history import read_event
from domain.kernel.proof.reading import read
from domain.kernel.proof.verify import verify
from domain.kernel.rules.message import Count, Names, Upcaster, type_name
from domain.kernel.rules.ruleset import Library, Ruleset
from domain.library import LIBRARY
from domain.mare_nostrum.box import table as mare_table
from domain.mare_nostrum.box.data import Resource
from domain.mare_nostrum.economy import income
from tests.recorded import Recorded, positions, recorded


class TributeCollected(classic_table.Event, frozen=True, tag="tribute-collected"):
    """As in `domain.classic.economy.tribute`, but that a purse holds the talents, and says where they come from."""

    schema: ClassVar[int] = 3

    seat: Seat
    purse: Count
    source: str = "provinces"

    def apply(self, table: classic_table.Table) -> None:
        table.change_player(self.seat, talents=table.players[self.seat].talents + self.purse)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} collected {self.purse} talents from {self.source}."


class Payment(Struct, frozen=True):
    """What one seat got, and did not."""

    cards: dict[Resource, Count]
    missing: dict[Resource, Count]


class IncomePaid(mare_table.Event, frozen=True, tag="income-paid"):
    """As in `domain.mare_nostrum.economy.income`, but ordered by seat."""

    schema: ClassVar[int] = 2

    cards: dict[Seat, dict[Resource, Count]]
    missing: dict[Seat, dict[Resource, Count]] = field(default_factory=dict[Seat, dict[Resource, Count]])
    currency: str = "cards"

    def apply(self, table: mare_table.Table) -> None:
        for seat, cards in self.cards.items():
            table.draw(seat, cards)
        table.paid = True

    def tell(self, names: Names) -> str:
        return "The bank paid."


def _into_a_purse(old: dict[str, Any]) -> dict[str, Any]:
    return {"type": old["type"], "seat": old["seat"], "purse": old["talents"]}


def _with_a_source(old: dict[str, Any]) -> dict[str, Any]:
    return {**old, "source": "provinces"}


def _with_a_currency(old: dict[str, Any]) -> dict[str, Any]:
    return {**old, "currency": "cards"}


def reshaped(ruleset_id: str, shape: type[Any], lifts: Mapping[tuple[str, int], Upcaster]) -> Ruleset[Any]:
    """Return version 1 of a ruleset as it would be with an event in another shape."""
    name, ruleset = type_name(shape), type(LIBRARY.current(ruleset_id))
    known = tuple(shape if type_name(event) == name else event for event in ruleset.events)
    other: Any = type(ruleset.__name__, (ruleset,), {"upcasters": {**ruleset.upcasters, **lifts}})
    other.events = known
    return other(1)


def games(ruleset: str) -> list[Recorded]:
    return sorted(recorded(ruleset, 1), key=lambda game: game.path.stat().st_size)[4:6]


@pytest.mark.parametrize("game", games("conquest-classic-friz"), ids=str)
def test_an_old_event_of_classic_is_lifted_over_two_shapes(game: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tribute, "TributeCollected", TributeCollected)
    lifts = {("tribute-collected", 1): _into_a_purse, ("tribute-collected", 2): _with_a_source}
    assert_it_holds(game, reshaped("conquest-classic-friz", TributeCollected, lifts), TributeCollected)


@pytest.mark.parametrize("game", games("mare-nostrum"), ids=str)
def test_an_old_event_of_mare_nostrum_is_lifted(game: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(income, "IncomePaid", IncomePaid)
    ruleset = reshaped("mare-nostrum", IncomePaid, {("income-paid", 1): _with_a_currency})
    assert_it_holds(game, ruleset, IncomePaid)


def test_without_its_upcaster_a_game_of_before_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(income, "IncomePaid", IncomePaid)
    (game, _) = games("mare-nostrum")
    verdict = verify(game.lines(), Library([reshaped("mare-nostrum", IncomePaid, {})]))
    assert not verdict.ok
    assert "has shape 1 of income-paid, which is not known" in verdict.problem


def assert_it_holds(game: Recorded, ruleset: Ruleset[Any], shape: type[Any]) -> None:
    """Prove a recorded game by a ruleset with an event in another shape, and compare its positions."""
    library = Library([ruleset])
    export = read(game.lines())
    old = [record for record in export.records if record.type == type_name(shape)]
    assert old
    assert all(isinstance(read_event(ruleset, record), shape) for record in old)
    verdict = verify(game.lines(), library)
    assert verdict.ok, f"{verdict.problem} (version {verdict.version})"
    assert positions(export.game, export.board, export.records, library) == game.expected.positions
