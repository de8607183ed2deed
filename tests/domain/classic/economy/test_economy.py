"""What scenarios cannot say about money: who may move it, and the dates of inflation outside one's own turn."""

import pytest

from domain.boards import builtin
from domain.classic.box.editions import FRIZ
from domain.classic.box.table import Table
from domain.classic.economy.purchase import Buy
from domain.classic.ruleset import RULESETS, Classic
from domain.classic.start.position import arrange
from domain.classic.turn import inflation
from domain.kernel.chance.draws import ScriptedChance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat
from domain.kernel.rules.draft import Draft

RICH = ["achaia", "italia", "neapolis", "narbonensis", "britannia", "syria", "asia", "galatia", "numidia", "thracia"]


def triggered(active: str, rich: str) -> inflation.InflationTriggered:
    """What happens when `rich` comes to 105 talents and more in the turn of `active`; the order is red, blue, green."""
    given = {
        "players": {"red": "macedonia", "blue": "egypt", "green": "hispania"},
        "owned": {rich: RICH},
        "turn": active,
        "round": 5,
    }
    draft: Draft[Table] = Draft(arrange(given, FRIZ, builtin("conquest")), ScriptedChance([]), Vault())
    inflation.watch(draft)
    (event,) = draft.events
    assert isinstance(event, inflation.InflationTriggered)
    return event


@pytest.mark.rule("CC-INF-02")
def test_in_his_own_turn_prices_rise_one_round_later() -> None:
    assert triggered("blue", "blue") == inflation.InflationTriggered(2, "blue", 6)  # type: ignore[arg-type]


@pytest.mark.rule("CC-INF-09")
def test_before_his_turn_that_turn_is_the_last_at_old_prices() -> None:
    event = triggered("red", "blue")
    assert (event.seat, event.round) == ("blue", 6)


@pytest.mark.rule("CC-INF-09")
def test_after_his_turn_the_next_one_is_the_last_at_old_prices() -> None:
    event = triggered("green", "blue")
    assert (event.seat, event.round) == ("blue", 7)


@pytest.mark.rule("CC-ECO-06", "CC-ALY-10")
@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
def test_no_command_but_a_ransom_names_talents(ruleset: Classic) -> None:
    assert [command.__name__ for command in ruleset.commands if "talents" in command.__struct_fields__] == [
        "ProposeRansom"
    ]


def test_a_purchase_says_what_is_paid_with_and_what_the_supply_has_left() -> None:
    given = {
        "players": {"red": "macedonia", "blue": "egypt", "green": "hispania"},
        "forces": [{"seat": "red", "at": "macedonia", "infantry": 3, "catapults": 6}],
        "talents": {"red": 30},
        "turn": "red",
        "phase": "purchase",
    }
    table = arrange(given, FRIZ, builtin("conquest"))
    option = next(iter(Buy.options(table, Seat("red"), Vault())))
    cost = option.schema["x-cost"]
    assert (cost["unit"], cost["left"]["infantry"], cost["left"]["catapults"]) == ("talents", 17, 0)
    # One can be paid, and of the other none is left.
    counts = option.schema["properties"]
    assert counts["infantry"]["maximum"] == 30 // cost["prices"]["infantry"]
    assert "catapults" not in counts
