"""Which rules an event or a command concerns, as data: those that its class names, for whoever reads a log."""

import re
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from domain.kernel.catalogue import Catalogue, Rule
from domain.kernel.docstrings import docstring
from domain.kernel.words import RuleId

_ID: Final = re.compile(r"\b[A-Z]{2,4}-[A-Z]+-\d+\b")


def cited(shape: type[Struct], catalogue: Catalogue, ruleset_id: str) -> tuple[RuleId, ...]:
    """Return the rules that a class of events or commands concerns.

    They are the one that provides for a command, then those that the class's docstring names before it comes to single
    fields: what it says of these matters only where they say something. Where a rule holds only in another ruleset of
    the catalogue, what holds here in its place counts.
    """
    said, _, _ = docstring(shape).partition("Attributes:")
    named = [*filter(None, [getattr(shape, "rule", None)]), *_ID.findall(said)]
    return tuple(dict.fromkeys(_here(named, catalogue, ruleset_id)))


def _here(named: Iterable[str], catalogue: Catalogue, ruleset_id: str) -> Iterable[RuleId]:
    known: dict[str, Rule] = {rule.id: rule for rule in catalogue.rules}
    for rule in (known[each] for each in named if each in known):
        if rule.holds_in(ruleset_id):
            yield rule.id
        else:
            yield from (other for other in rule.differs_from if known[other].holds_in(ruleset_id))
