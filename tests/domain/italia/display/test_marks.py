"""What a picture of an Italia table shows."""

from typing import Any

from msgspec.structs import replace

from domain.boards import builtin
from domain.italia.box.pieces import LeaderId, NationId, amount_of
from domain.italia.box.state import Aim, Arriving, Battle, Combat, Front, Leaving
from domain.italia.box.table import Table
from domain.italia.nations.civil_war import LevyUnits, MakeMove, Pass
from domain.italia.nations.exits import Leave, Stay
from domain.italia.nations.hannibal import Gather
from domain.italia.nations.title import DeclineTitle, TakeTitle
from domain.italia.ruleset import ItaliaI, ItaliaII
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.marks import Mark, Marks, Nation, lost_pieces
from domain.kernel.rules.message import Names

GAME = ItaliaI()
BOARD = GAME.equip(builtin("italia"))
RED, YELLOW, BLUE = Seat("red"), Seat("yellow"), Seat("blue")
NAMES = Names({area.id: area.name for area in BOARD.areas}, (RED, YELLOW, BLUE), GAME.words)
CELTS, ETRUSCANS, ROMANS = NationId("celts"), NationId("etruscans"), NationId("romans")
ETRURIA, PERUSIA = AreaId("etruria"), AreaId("perusia")


def arranged(*forces: dict[str, Any], **given: Any) -> Table:
    return GAME.arrange({"forces": list(forces), **given}, BOARD)


def shown(table: Table) -> Marks:
    return GAME.marks(GAME.view(table, Vault()), NAMES)


def now(table: Table) -> dict[str, list[str]]:
    """Return what is to be seen at a glance: words by title."""
    return {shelf.title: [mark.words for mark in shelf.items] for shelf in shown(table).shelves if shelf.now}


def nations(table: Table) -> dict[str, Nation]:
    return {nation.nation: nation for standing in shown(table).standings for nation in standing.nations}


FIGHTING = (
    {"nation": "celts", "at": "etruria", "infantry": 3, "leaders": ["brennus"]},
    {"nation": "romans", "at": "etruria", "legion": 2},
)


def test_all_nations_have_letters_of_their_own() -> None:
    for game in (ItaliaI(), ItaliaII()):
        assert set(game.nations) == set(game.cards.nations)
        assert len({sign.casefold() for sign in game.nations.values()}) == len(game.nations)


def test_each_game_has_the_commands_of_its_own_rules() -> None:
    one, two = (set(game.commands) for game in (ItaliaI(), ItaliaII()))
    assert {LevyUnits, MakeMove, Pass, Gather} == one - two
    assert {TakeTitle, DeclineTitle, Leave, Stay} == two - one


def test_nations_and_leaders_are_called_by_their_names() -> None:
    assert ItaliaII().words["western-romans"] == "Western Romans"
    assert GAME.words["papius-mutilus"] == "Papius Mutilus"
    assert ItaliaII().words["roman-foederati"] == "Roman foederati"
    assert amount_of("roman-foederati", 2) == "2 Roman foederati"


def test_an_area_is_tinted_by_the_player_who_alone_is_there() -> None:
    table = arranged(
        {"nation": "celts", "at": "etruria", "infantry": 1},
        {"nation": "celts", "at": "alpes", "infantry": 1},
        {"nation": "samnites", "at": "alpes", "infantry": 1},
        {"nation": "celts", "at": "perusia", "infantry": 1},
        {"nation": "romans", "at": "perusia", "legion": 1},
    )
    places = shown(table).places
    assert (places[ETRURIA].owner, places[ETRURIA].nation) == (YELLOW, "celts")
    assert (places[AreaId("alpes")].owner, places[AreaId("alpes")].nation) == (YELLOW, "")
    assert places[PERUSIA].owner is None


def test_a_city_says_who_held_it_last_where_they_are_not() -> None:
    table = arranged(
        {"nation": "celts", "at": "etruria", "infantry": 1},
        cities={"etruria": "yellow", "pisae": "blue"},
        ruins={"perusia": "red"},
    )
    places = shown(table).places
    assert places[ETRURIA].sites == (Mark("city", words="city"),)
    assert places[AreaId("pisae")].sites == (Mark("city", seat=BLUE, words="city, last held by Blue"),)
    assert places[AreaId("pisae")].owner is None
    assert places[PERUSIA].sites == (Mark("ruin", seat=RED, words="ruin of a city, last held by Red"),)


def test_a_fixed_capital_is_shown_while_it_is_held() -> None:
    held = arranged({"nation": "romans", "at": "roma", "legion": 1})
    (capital,) = shown(held).places[AreaId("roma")].sites
    assert capital == Mark("capital", words="capital of the Romans", nation="romans")


def test_a_fleet_shows_what_it_carries() -> None:
    table = arranged({"nation": "carthaginians", "at": "mare-sardoum", "fleet": 2, "infantry": 3, "leaders": ["mago"]})
    (stack,) = shown(table).places[AreaId("mare-sardoum")].stacks
    assert stack.words == (
        "Carthaginians: 2 fleets carrying Mago and 3 infantry (fleet 1: Mago and 2 infantry, fleet 2: 1 infantry)"
    )


def test_the_pieces_of_a_subject_bear_a_yoke() -> None:
    (first, _) = shown(arranged(*FIGHTING, overlords={"celts": "romans"})).places[ETRURIA].stacks
    assert first.marks[-1] == Mark("subject", label="Ro", words="subject to the Romans")
    assert first.words == "Celts: Brennus and 3 infantry, subject to the Romans"


def test_the_nation_whose_turn_it_is_is_to_move() -> None:
    found = nations(arranged(*FIGHTING, turn="celts", stage="movement"))
    assert [nation for nation, each in found.items() if each.active] == ["celts"]


def test_nations_that_are_gone_or_still_to_come_say_so() -> None:
    table = arranged(*FIGHTING, round=5, points={"greeks": 7}, overlords={"celts": "romans"})
    found = nations(table)
    assert found["celts"].words == "subject to the Romans"
    assert found["greeks"] == Nation("greeks", {"points": 3.5}, words="gone", absent=True)
    assert found["cimbri"] == Nation("cimbri", words="comes in round 8", absent=True)


def test_a_nation_comes_when_its_first_pieces_do() -> None:
    game = ItaliaII()
    board = game.equip(builtin("italia"))
    table = game.arrange({"forces": [{"nation": "vandals", "at": "africa", "infantry": 1}], "round": 5}, board)
    found = {
        each.nation: each for one in game.marks(game.view(table, Vault()), NAMES).standings for each in one.nations
    }
    assert found["avars"].words == "comes in round 7"  # though the play order lists them from round 4


def test_a_subject_shows_points_that_are_still_to_be_halved() -> None:
    table = arranged(*FIGHTING)
    table.change(CELTS, shared=3)
    assert nations(table)["celts"].figures["to be halved"] == 1.5


def test_a_battle_shows_both_sides_and_what_is_damaged() -> None:
    elephants = {"nation": "carthaginians", "at": "etruria", "elephant": 2, "infantry": 1}
    table = arranged(elephants, FIGHTING[1], turn="carthaginians", stage="battles")
    table.battle = Battle(ETRURIA, False, NationId("carthaginians"), ROMANS, round=2)
    table.battle = replace(table.battle, damaged={NationId("carthaginians"): {"elephant": 1}})
    shelves = {shelf.title: [mark.words for mark in shelf.items] for shelf in shown(table).shelves}
    assert shelves == {
        "Battle in Etruria, round 2: the Carthaginians attack": ["1 infantry", "2 elephants, 1 damaged"],
        "The Romans defend": ["2 legions"],
    }
    raid = replace(table.battle, raid=True, damaged={})
    table.battle = raid
    assert "Raid in Etruria, round 2: the Carthaginians attack" in {shelf.title for shelf in shown(table).shelves}


def test_at_a_glance_a_battle_is_shown_once_with_its_dice() -> None:
    table = arranged(*FIGHTING, turn="celts", stage="battles")
    table.battle = Battle(ETRURIA, False, CELTS, ROMANS, damaged={ROMANS: {"legion": 1}})
    assert now(table) == {}
    battle = GAME.battle(table, NAMES)
    assert battle is not None
    assert battle.attacker.marks[0] == Mark("leader", label="Brennus", words="Brennus")
    assert battle.defender.marks == (Mark("legion", 2, "1 damaged", words="2 legions, 1 damaged"),)


def test_targets_chosen_in_secret_are_shown_to_who_has_chosen_them() -> None:
    table = arranged(*FIGHTING, turn="celts", stage="battles")
    table.battle = Battle(ETRURIA, False, CELTS, ROMANS)
    seen = replace(GAME.view(table, Vault()), aiming={CELTS: (Aim("infantry", 2, "legion-1"),)})
    shelves = {shelf.title: [mark.words for mark in shelf.items] for shelf in GAME.marks(seen, NAMES).shelves}
    assert shelves["The Celts aim in secret"] == ["2 infantry at legion-1"]


def test_battles_still_to_be_fought_are_listed_without_the_one_under_way() -> None:
    table = arranged(
        *FIGHTING,
        {"nation": "celts", "at": "perusia", "infantry": 1},
        {"nation": "etruscans", "at": "perusia", "infantry": 1},
    )
    table.combat = Combat({ETRURIA: Front((ROMANS,)), PERUSIA: Front((ETRUSCANS,))})
    table.battle = Battle(ETRURIA, False, CELTS, ROMANS)
    (shelf,) = (shelf for shelf in shown(table).shelves if shelf.title == "Battles still to be fought")
    assert [mark.words for mark in shelf.items] == ["Perusia: against the Etruscans"]


def test_units_that_leave_or_arrive_are_seen_at_a_glance() -> None:
    table = arranged(*FIGHTING)
    table.leaving.append(Leaving(ROMANS, ETRURIA, table.army(ETRURIA, ROMANS), "raid"))
    table.arriving.append(Arriving(CELTS, 0, {"infantry": 2, "fleet": 1}, (LeaderId("concolitanus"),)))
    assert now(table) == {
        "The Romans must leave Etruria after the raid": ["2 legions"],
        "The Celts still have to place": ["Concolitanus", "2 infantry", "1 fleet"],
    }


def test_a_campaign_shows_its_leader_what_was_announced_and_who_may_react() -> None:
    table = arranged(*FIGHTING, turn="celts", plan="campaign", stage="campaign", campaign="brennus")
    assert table.campaign is not None
    table.campaign = replace(table.campaign, step=2, raids=(PERUSIA,), blocked=(AreaId("roma"),), reacting=(ROMANS,))
    (celts, _) = shown(table).places[ETRURIA].stacks
    assert celts.marks[0] == Mark("campaigner", words="Brennus, on campaign")
    (title, words), *_ = now(table).items()
    assert title == "Campaign of Brennus and the Celts, move 2"
    assert words == ["raid in Perusia", "Roma is blocked", "the Romans may react"]


def test_a_leader_whose_campaign_is_over_is_not_gone() -> None:
    table = arranged(*FIGHTING, turn="celts", plan="campaign", stage="campaign", campaign="brennus")
    campaigning = shown(table)
    table.campaign = None
    assert lost_pieces(campaigning, shown(table), YELLOW, {}) == {"campaigner": 1}
    assert lost_pieces(campaigning, shown(table), YELLOW, GAME.guises) == {}
