"""The bot for Italia does what a careful player would do in plain positions."""

from random import Random
from typing import Any

import msgspec

from domain.boards import builtin
from domain.italia.box.pieces import NationId
from domain.italia.box.state import Battle, Moving
from domain.italia.box.table import Table
from domain.italia.ruleset import ItaliaI
from domain.kernel.chance.draws import CommittedChance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, GameId, Seat
from service.bots.players.italia import GreedyHegemon

GAME = ItaliaI()
BOARD = GAME.equip(builtin("italia"))
SHOWN = msgspec.to_builtins(BOARD)
AROUND = (
    *("mediolanum", "verona", "venezia", "pavia", "liguria", "ravenna", "tridentum", "picenum"),
    *("florentia", "umbria", "pisae", "roma", "corfinium"),
)


def chosen(table: Table, seat: str, seed: int = 1) -> dict[str, Any]:
    options = [option for option in GAME.options(table, Seat(seat), Vault()) if option.command != "undo"]
    view = msgspec.to_builtins(GAME.view(table, Vault()))
    return GreedyHegemon(Random(seed), SHOWN).choose(seat, view, msgspec.to_builtins(options))


def moving(celts: int, romans: int) -> Table:
    """Return a movement of the Celts in Perusia, with Romans next to them; the areas around are theirs."""
    forces = [
        {"nation": "celts", "at": "perusia", "infantry": celts},
        {"nation": "romans", "at": "etruria", "legion": romans},
    ]
    forces += [{"nation": "celts", "at": area, "infantry": 1} for area in AROUND]
    return arranged(forces)


def arranged(forces: list[dict[str, Any]], **given: Any) -> Table:
    """Return a movement of the Celts, just begun."""
    table = GAME.arrange({"forces": forces, "turn": "celts", "stage": "movement", **given}, BOARD)
    table.moving = Moving()
    return table


def attacks(table: Table) -> bool:
    """Tell whether the bot attacks the Romans before it ends the movement."""
    chance = CommittedChance(bytes(32), GameId("game"), {})
    while (command := chosen(table, "yellow"))["type"] != "end-movement":
        if command.get("to") == "etruria":
            return True
        given = GAME.read_command(msgspec.json.encode(command))
        table = GAME.decide(table, Seat("yellow"), given, chance, Vault()).table
    return False


def test_it_attacks_at_two_to_one_only() -> None:
    assert attacks(moving(celts=3, romans=1))
    assert not attacks(moving(celts=3, romans=3))


def test_it_takes_an_empty_area_and_keeps_the_one_it_has() -> None:
    table = arranged([{"nation": "celts", "at": "mediolanum", "infantry": 2}], cities={"mediolanum": "yellow"})
    assert [chosen(table, "yellow", seed)["type"] for seed in range(3)] == ["move"] * 3
    assert all(sum(chosen(table, "yellow", seed)["units"].values()) == 1 for seed in range(3))


def test_it_goes_on_campaign_with_the_whole_army() -> None:
    army = {"nation": "cimbri", "at": "helvetia", "infantry": 9, "leaders": ["boiorix"]}
    given = {"forces": [army], "round": 8, "turn": "cimbri", "stage": "campaign", "campaign": "boiorix"}
    table = GAME.arrange({**given, "gold": {"cimbri": 5}}, BOARD)
    march = chosen(table, "blue")
    assert march == {"type": "march"}
    chance = CommittedChance(bytes(32), GameId("game"), {})
    table = GAME.decide(table, Seat("blue"), GAME.read_command(msgspec.json.encode(march)), chance, Vault()).table
    move = chosen(table, "blue")
    assert (move["type"], move["units"], move["leaders"]) == ("move", {"infantry": 9}, ["boiorix"])


def test_it_ends_a_campaign_whose_leader_is_alone_at_sea() -> None:
    fleet = {"nation": "epirotes", "at": "mare-ionium", "fleet": 1, "leaders": ["pyrrhus"]}
    given = {"forces": [fleet], "round": 4, "turn": "epirotes", "stage": "campaign", "campaign": "pyrrhus"}
    table = GAME.arrange({**given, "gold": {"epirotes": 5}}, BOARD)
    assert chosen(table, "yellow") == {"type": "end-campaign"}


def test_it_submits_rather_than_dies() -> None:
    bot = GreedyHegemon(Random(1), SHOWN)
    table = moving(celts=1, romans=3)
    table.set_army(AreaId("etruria"), NationId("celts"), table.army(AreaId("perusia"), NationId("celts")))
    for attackers, best in ((3, "submit"), (1, "resist")):
        table.set_army(
            AreaId("etruria"), NationId("romans"), moving(1, attackers).army(AreaId("etruria"), NationId("romans"))
        )
        table.battle = Battle(AreaId("etruria"), False, NationId("romans"), NationId("celts"), step="submit")
        view = msgspec.to_builtins(GAME.view(table, Vault()))
        options = [
            {
                "command": kind,
                "decision": "1",
                "schema": {"type": "object", "properties": {"type": {"const": kind}}, "required": ["type"]},
            }
            for kind in ("submit", "resist")
        ]
        assert bot.choose("yellow", view, options)["type"] == best
