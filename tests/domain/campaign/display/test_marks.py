"""What a picture of a Campaign table shows."""

from typing import Any

from domain.boards import builtin
from domain.campaign.box.data import DATA
from domain.campaign.box.state import SLAVES, Auction, Battle, Revolt, Side, VoteUnderWay
from domain.campaign.box.table import Table
from domain.campaign.combat import battle
from domain.campaign.display import view
from domain.campaign.display.marks import of, printed
from domain.campaign.ruleset import Campaign
from domain.campaign.start.position import arrange
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.marks import Mark, Marks, Shelf
from domain.kernel.rules.message import Names

RED, BLUE, GREEN = Seat("red"), Seat("blue"), Seat("green")
EGYPT = AreaId("egypt")
BOARD = builtin("conquest")
NAMES = Names({area.id: area.name for area in BOARD.areas}, (RED, BLUE, GREEN))


def arranged(**given: Any) -> Table:
    return arrange({"alliances": [["red", "green"], ["blue"]], "turn": "red", **given}, DATA, BOARD)


def shown(table: Table) -> Marks:
    return of(view.of(table, Vault()), NAMES)


def now(table: Table) -> dict[str, list[str]]:
    """Return what is to be seen at a glance: words by title."""
    return {shelf.title: [mark.words for mark in shelf.items] for shelf in shown(table).shelves if shelf.now}


def test_key_provinces_show_their_numbers() -> None:
    (mark,) = printed(BOARD)[AreaId("italia")]
    assert (mark.label, mark.words) == ("20/10/5", "20, 10 and 5 victory points for most influence")


def test_a_province_shows_city_tokens_and_influence_with_their_owners() -> None:
    table = arranged(
        cities={"egypt": "blue"}, tokens={"egypt": 2}, influence={"red": {"egypt": 1}, "blue": {"egypt": 3}}
    )
    place = shown(table).places[EGYPT]
    assert place.owner is None, "whose city it is says nothing about the province"
    assert place.sites == (
        Mark("city", seat=BLUE, words="Blue's city"),
        Mark("token", 2, words="2 province tokens"),
        Mark("influence", 3, seat=BLUE, words="Blue: 3 influence"),
        Mark("influence", 1, seat=RED, words="Red: 1 influence"),
    )


def test_cards_say_how_many_there_are_and_which_are_used() -> None:
    table = arranged(
        cards={"red": {"army-training": 2, "merchant-egypt": 1}},
        used={"red": {"merchant-egypt": 1}},
        display={"army-training": 2},
    )
    marks = shown(table)
    (items,) = [standing.items for standing in marks.standings if standing.seat == RED]
    assert [mark.words for mark in items] == ["alliance A", "2 × Army Training", "Merchant (Egypt) (used)"]
    (display,) = [shelf for shelf in marks.shelves if shelf.title == "Cards on display"]
    assert "2 × Army Training (permanent card, 10 talents)" in [mark.words for mark in display.items]
    assert "Emergency Tax (vote, free)" in [mark.words for mark in display.items]
    assert not display.now


def test_the_alliances_and_the_proposal_on_the_table() -> None:
    table = arranged()
    assert now(table) == {"Alliances": ["A: Red and Green", "B: Blue"]}
    table = arranged(alliances=[[], []], seats=["red", "blue", "green"], turn=None, phase="auction")
    table.auction = Auction(RED)
    assert now(table) == {"Auction: Red must bid": []}
    table.auction = Auction(RED, BLUE, 15, GREEN, RED)
    assert now(table) == {"Auction: Blue bids 15 talents": ["Green in alliance A", "Red in alliance B"]}


def test_pieces_still_to_be_placed_are_shown() -> None:
    table = arranged(turn=None, phase="deployment")
    table.deploying = {"infantry": 2, "cavalry": 0, "catapults": 1, "galleys": 1, "generals": 1}
    table.deploying_caesar = True
    assert now(table)["Red still has to place"] == ["2 infantry", "1 catapult", "Caesar", "General", "1 galley"]


def test_a_battle_tells_own_lent_and_phantom_units_apart() -> None:
    table = arranged(forces=[{"seat": "red", "at": "egypt", "infantry": 3, "generals": 1}])
    attacker = Side(RED, {"red/infantry": 3, "green/cavalry": 1, "card/galleys": 1}, leaders=(GREEN,))
    defender = Side(BLUE, {"blue/galleys/mare-pelusium": 1, "blue/galleys/mare-alexandria": 1}, hits=1)
    table.battle = Battle(EGYPT, False, attacker, defender, "lose", round=2)
    _, red, blue, *_ = shown(table).shelves
    assert red == Shelf(
        "Battle in Egypt, round 2: Red attacks",
        (
            Mark("infantry", 3, seat=RED, words="3 infantry"),
            Mark("galley", 1, words="1 phantom galley"),
            Mark("cavalry", 1, seat=GREEN, words="1 cavalry lent by Green"),
            Mark("general", seat=RED, words="a leader"),
            Mark("general", seat=GREEN, words="a leader lent by Green"),
        ),
    )
    assert blue.title == "Blue defends, 1 hit to take"
    assert [mark.words for mark in blue.items] == ["2 galleys"]
    assert shown(table).places[EGYPT].battle == (
        "battle, round 2: Red with 3 infantry and 1 phantom galley, and 1 cavalry lent by Green against Blue with"
        " 2 galleys"
    )


def test_at_a_glance_a_battle_says_whose_lent_units_are_and_which_are_phantoms() -> None:
    table = arranged(forces=[{"seat": "red", "at": "egypt", "infantry": 3}])
    attacker = Side(RED, {"red/infantry": 3, "green/cavalry": 1, "card/galleys": 1})
    table.battle = Battle(EGYPT, False, attacker, Side(BLUE, {"blue/infantry": 1}), "lose")
    battle = Campaign().battle(table, NAMES)
    assert battle is not None
    assert battle.attacker.marks == (
        Mark("infantry", 3, seat=RED, words="3 infantry"),
        Mark("galley", 1, "phantom", words="1 phantom galley"),
        Mark("cavalry", 1, seat=GREEN, words="1 cavalry lent by Green"),
    )


def test_slaves_are_as_many_as_are_left() -> None:
    table = arranged(forces=[{"seat": "blue", "at": "egypt", "infantry": 3}])
    table.revolt = Revolt(RED, EGYPT, 4, BLUE)
    _, slaves = shown(table).places[EGYPT].stacks
    assert (slaves.seat, slaves.words) == (SLAVES, "4 slaves")
    sides = Side(SLAVES, {"slaves/infantry": 1}), Side(BLUE, {"blue/infantry": 3})
    table.battle = Battle(EGYPT, False, *sides, "announce")
    _, slaves = shown(table).places[EGYPT].stacks
    assert (slaves.seat, slaves.words) == (SLAVES, "1 slave")
    _, attack, *_ = shown(table).shelves
    assert attack.title == "Battle in Egypt, round 1: the slaves attack"
    assert [mark.words for mark in attack.items] == ["1 infantry"]
    assert {standing.seat for standing in shown(table).standings} == {RED, BLUE, GREEN}


def test_a_vote_shows_what_everybody_has_laid() -> None:
    table = arranged()
    table.vote = VoteUnderWay("vote-tax", RED)
    assert now(table)["Vote on Emergency Tax: nobody has voted"] == []
    laid = {RED: {"senator-i": 1}, BLUE: {"senator-i": 2, "senator-iii": 1}}
    table.vote = VoteUnderWay("vote-tax", RED, laid, leader=BLUE)
    assert now(table)["Vote on Emergency Tax: Blue leads"] == [
        "Red: Senator I, 1 vote",
        "Blue: 2 × Senator I and Senator III, 5 votes",
    ]


def test_dice_of_slaves_are_nobodys_in_the_statistics() -> None:
    rolled = battle.BattleRolled(battle.Throw(SLAVES, 7, ("blank",), 0), battle.Throw(RED, 8, ("galley",), 1))
    assert [(each.seat, each.draw) for each in Campaign().rolled(rolled)] == [(None, 7), (RED, 8)]
