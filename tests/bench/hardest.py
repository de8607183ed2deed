"""Positions with more options than play usually leads to, written as scenarios in `hardest.toml`."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from domain.boards import builtin
from domain.kernel.chance.draws import ScriptedChance
from domain.kernel.chance.secret import Vault
from domain.kernel.rules.draft import Draft
from domain.kernel.scenario import Scenario, read
from domain.library import LIBRARY
from tests.bench.measure import Figure, percentile

POSITIONS: Final = Path(__file__).with_name("hardest.toml")
TIMES: Final = 100
"""How often the options of a position are asked for, of which the 95th percentile counts."""


def bench_hardest() -> Iterator[Figure]:
    for number, scenario in enumerate(read(POSITIONS.read_text()), start=1):
        calls, name = [asked(scenario)] * TIMES, f"hardest-options-{number}-p95"
        yield percentile(name, calls, 0.95, goal="<= 10", note=scenario.title)


def asked(scenario: Scenario) -> Callable[[], object]:
    """Return a function that asks for the options of the seat that has to decide after the steps of a scenario."""
    (ruleset_id,) = scenario.rulesets
    ruleset = LIBRARY.current(ruleset_id)
    assert scenario.given is not None
    rolls = [[face if isinstance(face, int) else ruleset.die[face] for face in roll] for roll in scenario.dice]
    chance = ScriptedChance(rolls, {*map(len, ruleset.dice.values())}, scenario.lots)
    draft = Draft(ruleset.arrange(scenario.given, ruleset.equip(builtin(ruleset.board))), chance, Vault())
    ruleset.conceal(draft, scenario.given)
    ruleset.advance(draft)
    vault = Vault(draft.secrets)
    for move in scenario.step:
        assert move.seat is not None
        command = ruleset.read_command(msgspec.json.encode(move.command))
        draft = ruleset.decide(draft.table, move.seat, command, chance, vault, draft.draws)
        vault = vault.joined_by(draft.secrets)
    table = draft.table
    seat = ruleset.decisions(table)[0].seats[0]
    return lambda: ruleset.options(table, seat, vault.read_by(seat))


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"hardest": bench_hardest}
