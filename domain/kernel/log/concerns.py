"""The rules that each type of event and command is about, for readers of a log."""

from functools import cache
from typing import Any

from domain.kernel.ids import RuleId
from domain.kernel.log.lifecycle import GAME_EVENTS, Undo
from domain.kernel.rules.loading import common_rules
from domain.kernel.rules.message import type_name
from domain.kernel.rules.ruleset import Ruleset


@cache
def concerns(ruleset: Ruleset[Any]) -> dict[str, tuple[RuleId, ...]]:
    """Return the rules that each type is about, by type name: events and commands of the ruleset, and of every game.

    Types without rules are left out. All callers share the object: do not change it.
    """
    own, around = (*ruleset.events, *ruleset.commands), (*GAME_EVENTS, Undo)
    catalogues = {**dict.fromkeys(own, ruleset.catalogue), **dict.fromkeys(around, common_rules())}
    in_force = {type_name(shape): rules.in_force(shape.rules, ruleset.id) for shape, rules in catalogues.items()}
    return {kind: rules for kind, rules in in_force.items() if rules}
