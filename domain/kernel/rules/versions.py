"""Versions of a ruleset: what changes from one to the next."""

from collections.abc import Iterable
from typing import TypeVar

import msgspec
from msgspec import Struct

from domain.kernel.ids import RuleId

S = TypeVar("S", bound=Struct)


class Change(Struct, frozen=True):
    """What a version of a ruleset does differently from the versions before it.

    Attributes:
        switch: the name of the switch that it turns on, in the ruleset's struct of switches.
        since: the first version that does it.
        rules: the rules that it concerns.
        what: what is different, in a sentence.
        why: why it was changed, in a sentence, with the lines of the source.
    """

    switch: str
    since: int
    rules: tuple[RuleId, ...]
    what: str
    why: str


def switched(switches: S, changes: Iterable[Change], version: int) -> S:
    """Return the switches of a version of a ruleset: those of the changes up to it are turned on."""
    return msgspec.structs.replace(switches, **{each.switch: True for each in changes if each.since <= version})
