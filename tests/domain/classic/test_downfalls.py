"""Turns in which Caesars fall left and right: positions with everybody's leaders in the thick of it, played at random.

Random games seldom come to a takeover in mid-turn with battles still to be fought; here most do, on land and at sea.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from domain.boards import builtin
from domain.classic.box.table import Table
from domain.classic.ruleset import RULESETS, Classic
from domain.classic.start.setup import HOME_ORDER
from domain.kernel.chance.draws import CommittedChance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.board import Map
from tests.domain.classic.test_laws import ClassicLaws

BOARD = builtin("conquest")
MAP = Map.of(BOARD)
BLOODY = ("fight-battle", "fight-at-sea", "divide-fleet", "attack-leaders")


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
@pytest.mark.parametrize("seed", range(12))
def test_a_turn_full_of_downfalls_comes_to_an_end(ruleset: Classic, seed: int) -> None:
    rng = Random(seed)
    table = ruleset.arrange(melee(rng), BOARD)
    chance = CommittedChance(f"secret {seed}".encode(), GameId("downfalls"), {})
    turn, draws = table.active, 0
    seat, command = turn, {"type": "finish-movement"}
    while table.active == turn and table.winner is None:
        assert seat is not None
        given = ruleset.read_command(msgspec.json.encode(command))
        draft = ruleset.decide(table, seat, given, chance, Vault(), draws)
        table, draws = draft.table, draft.draws
        assert not list(wrong(ruleset, table)), command
        if table.winner is None:
            seat, command = choice(ruleset, table, rng)


def melee(rng: Random) -> dict[str, Any]:
    """Return a position round a sea where the active player meets all others, ashore and afloat."""
    seats = RULESETS[0].seats(rng.randint(2, 6))
    turn, *others = rng.sample(seats, len(seats))
    homes = dict(zip(seats, rng.sample(HOME_ORDER, len(seats)), strict=True))
    leaders = {seat: ["caesar", "general-1", "general-2", "general-3"] for seat in seats}
    sea = rng.choice(MAP.seas)
    coasts = sorted({land for land, _ in MAP.coasts_on(sea)})
    owned: dict[str, list[str]] = {seat: [] for seat in seats}
    forces: list[dict[str, Any]] = []

    def place(seat: Seat, at: str, **where: Any) -> None:
        led = [leaders[seat].pop(0) for _ in range(rng.randint(0, 2)) if leaders[seat]]
        forces.append({"seat": seat, "at": at, "infantry": rng.randint(0, 2), "leaders": led, **where})

    for land in coasts:
        place(turn, land, cavalry=rng.randint(0, 1))
        if rng.random() < 0.8:
            defender = rng.choice(others)
            owned[defender].append(land)
            place(defender, land, catapults=rng.randint(0, 1))
    for galley, seat in enumerate((*seats, *seats), start=1):
        place(seat, sea, galley=galley)
    prisoners = [
        {"general": f"{seat}-general-4", "captor": rng.choice([s for s in seats if s != seat])} for seat in seats
    ]
    return {"players": homes, "turn": turn, "owned": owned, "forces": forces, "prisoners": prisoners}


def choice(ruleset: Classic, table: Table, rng: Random) -> tuple[Seat, dict[str, Any]]:
    """Return an answer to one of the open decisions; a fight, where there is one to be had."""
    seat = rng.choice([seat for decision in ruleset.decisions(table) for seat in decision.seats])
    options = [option for option in ruleset.options(table, seat, Vault()) if option.decision]
    fights = [option for option in options if option.command in BLOODY]
    return seat, schema.sample(rng.choice(fights or options).schema, rng)


def wrong(ruleset: Classic, table: Table) -> Iterator[str]:
    """Name what a takeover must not leave behind, besides the faults that no table may have."""
    yield from ClassicLaws().faults(table)
    fallen = {seat for seat, player in table.players.items() if player.fallen_to is not None}
    yield from (
        f"{decision.kind} is asked of the fallen" for decision in ruleset.decisions(table) if fallen & {*decision.seats}
    )
    yield from (
        f"{name} serves the fallen" for name, leader in table.leaders.items() if {leader.owner, leader.captor} & fallen
    )
    yield from (
        f"{name} belongs to the fallen" for name, province in table.provinces.items() if province.owner in fallen
    )
    if table.combat is None and table.phase != "movement" and table.winner is None:
        yield from (
            f"{name} is held by units of another player than its owner"
            for name, province in table.provinces.items()
            if province.armies and [*province.armies] != [province.owner]
        )
