"""What follows what in games on corrected cards, which say what the project's own do not."""

from msgspec.structs import replace

from domain.italia.box.entries import Arrival, At, Revolt
from domain.italia.box.pieces import NationId
from domain.italia.nations import exits
from domain.italia.ruleset import ItaliaI, ItaliaII
from domain.kernel.ids import AreaId, Seat
from tests.domain.italia.turn.test_scoring import card_of, corrected


def test_a_subject_is_asked_for_a_revolt_whatever_the_turn_before_it_ended_with() -> None:
    """IT-REV-01."""
    game, visigoths, romans = "italia-2", NationId("visigoths"), NationId("western-romans")
    revolt = Revolt(round=2, against=visigoths, when="turn-start", text="May revolt.", mark="reconstructed")
    card = replace(card_of(game, romans), specials=(*card_of(game, romans).specials, revolt))
    forces = [{"nation": visigoths, "at": "alpes", "infantry": 1}, {"nation": romans, "at": "roma", "legion": 1}]
    given = {"round": 2, "turn": visigoths, "stage": "exits", "overlords": {romans: visigoths}, "forces": forces}
    draft = corrected(game, card, given)
    exits.Stay().decide(draft, Seat("yellow"))
    ItaliaII().advance(draft)
    assert [each.kind for each in ItaliaII().decisions(draft.table)] == ["revolt"]


def test_whatever_comes_in_the_civil_war_comes_at_its_start() -> None:
    """IT-I1-26: nobody has a placement phase in that round."""
    game, romans = "italia-1", NationId("romans")
    late = Arrival(round=10, units={"legion": 2}, place=At((AreaId("roma"),)), mark="reconstructed")
    card = replace(card_of(game, romans), arrivals=(*card_of(game, romans).arrivals, late))
    draft = corrected(game, card, {"round": 10, "part": "round-start"})
    ItaliaI().advance(draft)
    assert draft.table.army(AreaId("roma"), romans).units == {"legion": 5}
