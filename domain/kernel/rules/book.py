"""A ruleset made of chapters: files that each hold the events, commands and decisions of a chapter of its rule book."""

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, ClassVar, TypeVar

from domain.kernel.rules.decision import Decision
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.ruleset import Ruleset
from domain.kernel.rules.table import Table

T = TypeVar("T", bound=Table)


class Book(Ruleset[T]):
    """A ruleset whose events, commands, decisions and consequences are those of its chapters."""

    chapters: ClassVar[tuple[ModuleType, ...]] = ()
    """Modules in the order of the rule book, each with its ``EVENTS`` and ``COMMANDS``, where it has any."""
    deciders: ClassVar[tuple[Callable[[Any], Sequence[Decision]], ...]] = ()
    """Who may have to choose, the first to be asked first: what is under way before the phase in which it arose."""
    settlers: ClassVar[tuple[Callable[[Draft[Any]], bool], ...]] = ()
    """What follows when nobody has to choose, in the same order: each tells whether it has emitted anything."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.events = tuple(event for chapter in cls.chapters for event in getattr(chapter, "EVENTS", ()))
        cls.commands = tuple(command for chapter in cls.chapters for command in getattr(chapter, "COMMANDS", ()))

    def advance(self, draft: Draft[T]) -> None:
        while not self.decisions(draft.table) and self.result(draft.table) is None:
            if not any(settle(draft) for settle in self.settlers):
                raise AssertionError("nobody has to choose, and nothing follows")

    def decisions(self, table: T) -> Sequence[Decision]:
        if self.result(table) is not None:
            return ()
        return next((found for decide in self.deciders if (found := decide(table))), ())
