"""What the ruleset answers about a game: dice, landmarks, scores, and a hand's maximal purchases."""

from typing import Any

import pytest

from domain.boards import builtin
from domain.kernel.chance.draws import ScriptedChance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names
from domain.kernel.rules.ruleset import Rolled
from domain.mare_nostrum.box.table import Table
from domain.mare_nostrum.combat.aftermath import ProvincePillaged
from domain.mare_nostrum.combat.battle import BattleRolled, Throw
from domain.mare_nostrum.combat.naval import TriremesRolled
from domain.mare_nostrum.ruleset import MareNostrum

RULESET = MareNostrum()
BOARD = builtin("mare-nostrum")
GREECE, ROME, EGYPT = Seat("greece"), Seat("rome"), Seat("egypt")
SEATS = ["rome", "carthage", "greece"]


def table_of(**position: Any) -> tuple[Table, Vault]:
    draft = Draft(RULESET.arrange(position, BOARD), ScriptedChance([]), Vault())
    RULESET.conceal(draft, position)
    return draft.table, Vault(draft.secrets)


@pytest.mark.rule("MN-SET-20")
def test_dice_are_booked_for_who_rolled_them_and_for_nobody_when_a_neutral_defends() -> None:
    attack = Throw(GREECE, (6, 1), 7, 1, draw=3)
    defence = Throw(EGYPT, (2,), 8, 1, draw=4, fortresses=1, neutral=True)
    rolled = tuple(RULESET.rolled(BattleRolled(attack, defence)))
    assert rolled == (Rolled("battle", ("6", "1"), GREECE, 3, hits=1), Rolled("battle", ("2",), None, 4, hits=1))
    at_sea = TriremesRolled(AreaId("aegean-sea"), attack, Throw(ROME, (5,), 5, 1, draw=5))
    assert [each.seat for each in RULESET.rolled(at_sea)] == [GREECE, ROME]


def test_a_fortress_that_defends_alone_rolls_nothing() -> None:
    lone = Throw(ROME, (), 6, 1, fortresses=1)
    assert [each.seat for each in RULESET.rolled(BattleRolled(Throw(GREECE, (3,), 3, 0, draw=1), lone))] == [GREECE]


@pytest.mark.rule("MN-AFT-02", "MN-HER-10")
@pytest.mark.parametrize(
    ("post", "card", "told"),
    [
        ("city", None, "Greece pillaged Troy: the city was destroyed."),
        ("temple", None, "Greece pillaged Troy: the temple was destroyed."),
        ("oil", None, "Greece pillaged Troy: the oil caravan was destroyed."),
        ("city", "tax", "Greece pillaged Troy: the city was destroyed, which brought a tax."),
        ("oil", "oil", "Greece pillaged Troy: the oil caravan was destroyed, which brought oil."),
    ],
)
def test_a_pillage_is_told_with_what_was_destroyed_and_what_it_brought(post: str, card: str | None, told: str) -> None:
    names = Names({area.id: area.name for area in BOARD.areas}, [GREECE])
    assert ProvincePillaged(GREECE, AreaId("troy"), post, card).tell(names) == told


def test_battles_conquests_and_the_victory_are_landmarks_and_every_kind_is_an_event_of_the_ruleset() -> None:
    assert set(RULESET.landmarks) <= set(RULESET.events)
    kinds = {"battle", "battle-end", "naval-battle", "naval-battle-end", "conquest", "victory"}
    assert set(RULESET.landmarks.values()) == kinds


def test_the_score_counts_cards_provinces_units_and_what_decides_roles() -> None:
    lands = {
        "athens": {"city": True, "legions": {"greece": 2}, "fortresses": {"greece": 1}, "ports": {"greece": 1}},
        "troy": {"owner": "greece", "caravans": ["oil"], "market": True},
    }
    fleets = {"aegean-sea": {"greece": 2}}
    table, _ = table_of(
        seats=SEATS, provinces=lands, fleets=fleets, cards={"greece": ["pericles"]}, hands={"greece": {"tax": 3}}
    )
    score = RULESET.score(table)
    assert score[GREECE] == {"cards": 1, "provinces": 2, "units": 6, "hand": 3, "trade": 2, "cities": 1}
    assert score[ROME] == {"cards": 0, "provinces": 1, "units": 0, "hand": 0, "trade": 0, "cities": 0}


@pytest.mark.rule("MN-CMB-04")
def test_only_its_owner_is_shown_what_a_hand_can_buy() -> None:
    goods = dict.fromkeys(("oil", "wine", "fish", "gold", "gems", "papyrus", "perfume"), 1)
    table, vault = table_of(seats=SEATS, hands={"greece": {"tax": 3, **goods}, "rome": {"tax": 2}})
    view: Any = RULESET.view(table, vault.read_by(GREECE))
    assert view.seats[GREECE].purchases == ((6, 3), (3, 3, 3))
    assert view.seats[ROME].purchases is None
    of_rome: Any = RULESET.view(table, vault.read_by(ROME))
    assert of_rome.seats[ROME].purchases == ()


def test_a_table_says_where_the_game_stands() -> None:
    table, _ = table_of(seats=SEATS, turn=7, phase="military")
    assert (RULESET.heading(table), RULESET.round(table)) == ("Turn 7: military", 7)
    table.turn = 0
    assert RULESET.heading(table) == "Set-up"
