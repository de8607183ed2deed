"""Cards are data: a card of a known effect needs an entry in the data, and no code."""

from typing import ClassVar

import pytest
from msgspec.structs import replace

from domain.boards import builtin
from domain.campaign.box.data import DATA, EFFECTS_OF, Card, Data, Expedition, Gain, Income, Levy, Tokens, Vote
from domain.campaign.box.table import Table
from domain.campaign.cards.cards import Acquire
from domain.campaign.ruleset import Campaign
from domain.campaign.start.position import arrange
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.scenario import read, run
from tests.helpers.play import Play

BOARD = builtin("conquest")
RAETIA = AreaId("raetia")


def card(name: str, kind: str, effect: object, price: int = 0) -> Card:
    return Card(name, name.title(), kind, 1, price, (), {}, effect)  # type: ignore[arg-type]


NEW = (
    card("merchant-galatia", "reusable", Income(AreaId("galatia"), 15), price=30),
    card("barbarians-raetia", "immediate", Expedition(RAETIA, Levy((RAETIA,), cavalry=2), units=2)),
    card("fleet-narbo", "immediate", Expedition(AreaId("mare-narbo"), Gain(talents=25, points=1), galleys=1)),
    card("riches", "immediate", Gain(talents=10, chaos=1, points=2), price=5),
    card("friends-of-egypt", "immediate", Tokens(3, AreaId("egypt"))),
    card("vote-games", "vote", Vote(Levy((AreaId("thracia"),), cavalry=3))),
)


class Extended(Campaign):
    """The Campaign game with a few cards more."""

    data: ClassVar[Data] = replace(DATA, card=(*DATA.card, *NEW))
    catalogue = Campaign().catalogue


PLAYED = """
[[scenario]]
title = "Cards that nobody has seen"
rules = ["CS-CRD-01"]
[scenario.given]
alliances = [["red", "green"], ["blue", "yellow"]]
turn = "red"
talents = { red = 30, blue = 0, green = 5, yellow = 0 }
influence = { red = { galatia = 2 }, yellow = { asia = 17 } }
senators = { red = {}, blue = {}, yellow = {} }
forces = [
  { seat = "blue", at = "italia", infantry = 3, generals = 1 },
  { seat = "yellow", at = "mare-pelusium", galleys = 1 },
]
display = { merchant-galatia = 1, barbarians-raetia = 1, fleet-narbo = 1, riches = 1, friends-of-egypt = 1 }
[[scenario.step]]
seat = "red"
command = { type = "acquire", card = "merchant-galatia" }
then = { "players.red.talents" = 0 }
[[scenario.step]]
seat = "red"
command = { type = "use-card", card = "merchant-galatia" }
then = { "players.red.talents" = 30, "turn.actions" = 1 }
[[scenario.step]]
seat = "red"
command = { type = "pass" }
[[scenario.step]]
seat = "blue"
command = { type = "send-army", card = "barbarians-raetia", origin = "italia", infantry = 3 }
refused = "CS-EFF-14"
[[scenario.step]]
seat = "blue"
command = { type = "send-army", card = "barbarians-raetia", origin = "italia", infantry = 2 }
then = { "provinces.raetia.armies.blue" = { units = { infantry = 2, cavalry = 2 } } }
[[scenario.step]]
seat = "blue"
command = { type = "pass" }
[[scenario.step]]
seat = "green"
command = { type = "acquire", card = "riches" }
then = { "players.green" = { talents = 10, chaos = 1, points = 2 }, "owned.green" = {} }
[[scenario.step]]
seat = "green"
command = { type = "pass" }
[[scenario.step]]
seat = "yellow"
command = { type = "acquire", card = "friends-of-egypt" }
then = { "provinces.egypt.influence" = { yellow = 1 } }
[[scenario.step]]
seat = "yellow"
command = { type = "pass" }
[[scenario.step]]
seat = "red"
command = { type = "pass" }
[[scenario.step]]
seat = "red"
command = { type = "pass" }
[[scenario.step]]
seat = "blue"
command = { type = "pass" }
[[scenario.step]]
seat = "blue"
command = { type = "pass" }
[[scenario.step]]
seat = "green"
command = { type = "acquire", card = "vote-games" }
[[scenario.step]]
seat = "green"
command = { type = "call-vote", card = "vote-games" }
[[scenario.step]]
seat = "green"
command = { type = "lay-senators", senators = { senator-ii = 1 } }
events = [{ type = "units-levied", seat = "green", at = "thracia", units = { cavalry = 3 } }]
[[scenario.step]]
seat = "green"
command = { type = "pass" }
[[scenario.step]]
seat = "yellow"
command = { type = "send-galley", card = "fleet-narbo", origin = "mare-pelusium" }
then = { "fleets" = { mare-narbo = { yellow = 1 } }, "players.yellow.talents" = 25, "players.yellow.points" = 1 }
"""


def test_new_cards_of_known_effects_are_played() -> None:
    [scenario] = read(PLAYED)
    run(scenario, Extended(), BOARD)


def test_the_game_without_them_has_no_such_cards() -> None:
    with pytest.raises(ValueError, match="there is no card 'riches'"):
        arrange({"alliances": [["red"], ["blue"]], "display": {"riches": 1}}, DATA, BOARD)


def test_they_lie_in_the_deck_or_on_display_like_all_others() -> None:
    table = Play(Extended(), BOARD, 2).game.table
    assert isinstance(table, Table)
    assert all(table.deck.get(each.id, 0) + table.display.get(each.id, 0) == 1 for each in NEW)


def test_a_card_of_an_area_that_is_not_on_the_board_is_refused() -> None:
    class Fabulous(Campaign):
        data: ClassVar[Data] = replace(DATA, card=(card("atlantis", "reusable", Income(AreaId("atlantis"), 5)),))

    with pytest.raises(ValueError, match="the board has no area 'atlantis', which the card Atlantis names"):
        Play(Fabulous(), BOARD, 2)


def test_a_card_whose_kind_cannot_have_its_effect_is_refused() -> None:
    """It would be paid for, and do nothing."""
    for card in DATA.card:
        assert isinstance(card.effect, EFFECTS_OF[card.kind])
    with pytest.raises(ValueError, match="a card of the kind immediate has one of the effects gain, tokens"):
        replace(DATA.cards["politician"], effect=Levy((AreaId("italia"),), infantry=3))


def test_an_option_for_one_card_names_it() -> None:
    """A button for it says all that a click then does."""
    display = {each.id: 1 for each in DATA.card if each.kind == "reusable"}
    table = arrange(
        {"alliances": [["red"], ["blue"]], "turn": "red", "talents": {"red": 60}, "display": display}, DATA, BOARD
    )
    named = {each.id: each.name for each in DATA.card}
    offered = [
        (option.title, option.schema["properties"]["card"]) for option in Acquire.options(table, Seat("red"), Vault())
    ]
    assert {"const", "enum"} == {key for _, card in offered for key in card if key in ("const", "enum")}
    for title, card in offered:
        assert title.startswith(named[card["const"]] if "const" in card else "Acquire a ")
