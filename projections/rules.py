"""The rule ledger: how many commands each ruleset has seen accepted; which rules refuse most.

Refusals leave no event, so the log cannot tell them. The service counts them by ruleset and rule, and nothing else: no
game, no seat, no command, so that nobody learns what somebody else has tried.
"""

from collections.abc import Iterable

import msgspec
from msgspec import Raw, Struct

from projections.change import Add, Change, Table
from projections.projection import Happened, Projection
from projections.store import Rows

COMMANDS = Table("commands", {"ruleset": "text", "command": "text"}, {"times": "number"})


class _Typed(Struct):
    type: str


class RuleTally(Struct, frozen=True):
    """How often a rule has refused a command, in games of one ruleset."""

    ruleset: str
    rule: str
    refusals: int


class RuleLedger(Projection):
    """Accepted commands by their type; a sealed one has its type in the open, too."""

    name = "rules"
    version = 1
    tables = (COMMANDS,)

    def fold(self, happened: Happened) -> Iterable[Change]:
        command = happened.cause.command
        if isinstance(command, Raw):
            kind = msgspec.json.decode(command, type=_Typed).type
            yield Add(COMMANDS, {"ruleset": happened.fixed.created.ruleset, "command": kind}, {"times": 1})


RULES = RuleLedger()


async def accepted(rows: Rows) -> dict[str, int]:
    """Return how many commands were accepted in games of each ruleset."""
    found = await rows.select(RULES, "SELECT ruleset, SUM(times) FROM {commands} GROUP BY ruleset ORDER BY ruleset")
    return {ruleset: int(times) for ruleset, times in found}


async def refusals(rows: Rows, ruleset: str | None = None) -> list[RuleTally]:
    """Return the rules that have refused a command, those that refused most first."""
    tallies = [RuleTally(*row) for row in await rows.refusals()]
    wanted = [tally for tally in tallies if ruleset is None or tally.ruleset == ruleset]
    return sorted(wanted, key=lambda tally: (-tally.refusals, tally.ruleset, tally.rule))
