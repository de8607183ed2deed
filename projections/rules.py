"""The rule ledger: the number of accepted commands of each ruleset, and the rules that refuse most often.

Refusals leave no event, so the log does not have them. The service counts them by ruleset and rule only: no game, no
seat, no command, so that nobody learns what somebody else has tried.
"""

from collections.abc import Iterable
from contextlib import suppress

import msgspec
from msgspec import Raw, Struct

from domain.kernel.ids import RuleId, book_of
from domain.kernel.rules.loading import common_rules
from domain.kernel.rules.ruleset import Library
from projections.change import Add, Change, Table
from projections.projection import Happened, Projection
from projections.store import Rows

COMMANDS = Table("commands", {"ruleset": "text", "command": "text", "book": "number"}, {"times": "number"})
"""The key has the book, because other processes fold the other books: one row for all would make them wait."""


class _Typed(Struct):
    type: str


class RuleTally(Struct, frozen=True):
    """How often a rule has refused something.

    Attributes:
        ruleset: the ruleset in whose games that was.
        rule: the id of the rule.
        title: the title of the rule; empty when the ruleset has no such rule any more.
        refusals: how often it has refused.
        per_command: refusals for each command that was accepted in games of the ruleset; null when there was none.
    """

    ruleset: str
    rule: RuleId
    title: str
    refusals: int
    per_command: float | None


class RuleLedger(Projection):
    """Accepted commands by their type; a sealed one has its type in the open, too."""

    name = "rules"
    version = 2
    reads = 1  # version 1 had no books
    tables = (COMMANDS,)
    heeds = "caused"

    def fold(self, happened: Happened) -> Iterable[Change]:
        command = happened.cause.command
        if isinstance(command, Raw):
            kind = msgspec.json.decode(command, type=_Typed).type
            key = {"ruleset": happened.fixed.created.ruleset, "command": kind, "book": book_of(happened.game)}
            yield Add(COMMANDS, key, {"times": 1})


RULES = RuleLedger()


async def accepted(rows: Rows) -> dict[str, int]:
    """Return the number of accepted commands by ruleset."""
    selection = await rows.select(RULES, "SELECT ruleset, SUM(times) FROM {commands} GROUP BY ruleset ORDER BY ruleset")
    return {ruleset: int(times) for ruleset, times in selection}


async def tallies(rows: Rows, library: Library, ruleset: str | None = None) -> list[RuleTally]:
    """Return the rules that have refused a command, those that refused most first."""
    commands = await accepted(rows)
    refusals = [
        tally(library, of, rule, times, commands.get(of, 0))
        for of, rule, times in await rows.refusals()
        if ruleset is None or of == ruleset
    ]
    return sorted(refusals, key=lambda each: (-each.refusals, each.ruleset, each.rule))


def tally(library: Library, ruleset: str, rule: str, refusals: int, commands: int) -> RuleTally:
    """Return how often a rule has refused commands, beside the number of commands that were accepted."""
    per_command = round(refusals / commands, 4) if commands else None
    return RuleTally(ruleset, RuleId(rule), _title(library, ruleset, rule), refusals, per_command)


def _title(library: Library, ruleset: str, rule: str) -> str:
    with suppress(LookupError):
        return library.current(ruleset).catalogue.rule(rule).title
    with suppress(LookupError):
        return common_rules().rule(rule).title
    return ""
