"""Tutorials: what somebody who is new to a ruleset plays, lesson by lesson, in TOML beside the ruleset.

A file holds ``[[lesson]]`` tables; `Lesson` defines their fields. A lesson is a position as in a scenario, and a
command to be found there. Dice and lots are fixed, so that everybody sees what the lesson is about. Commands that a
player tries are decided by the rules, and not stored.
"""

import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, cast

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from domain.kernel.chance.draws import ScriptedChance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules.board import Board
from domain.kernel.rules.command import Command
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Ruleset
from domain.kernel.rules.table import Table
from domain.kernel.scenario import ANY_CHANCE, Laid, ScenarioError, fits

LessonId = Annotated[str, Meta(pattern="^[a-z][a-z0-9-]{0,39}$")]
Words = Annotated[str, Meta(min_length=20, max_length=600)]
Line = Annotated[str, Meta(min_length=4, max_length=240)]

Order = dict[str, Any]
"""A command as JSON."""


class Given(Struct, forbid_unknown_fields=True):
    """A command that is given before the lesson begins."""

    seat: Seat
    command: Order


class Wrong(Struct, forbid_unknown_fields=True):
    """A command that somebody may try, and the rule that refuses it."""

    command: Order
    refused: RuleId


class Lesson(Laid, forbid_unknown_fields=True, kw_only=True):
    """A lesson.

    Attributes:
        id: its name in addresses.
        text: what the player sees and should know.
        ask: what to do.
        seat: the seat that the player holds.
        command: the command that does it, in full; a next lesson that `follows` begins after it.
        also: further commands that do it: each names the fields that a command must have, which may have others.
        wrong: commands that the rules refuse.
        teaches: what to remember, shown when it is done.
        follows: whether it begins where the lesson before it ends, and not with a position of its own.
        before: commands that are given first, by any seat.
    """

    id: LessonId
    text: Words
    ask: Line
    seat: Seat
    command: Order
    teaches: Words
    also: list[Order] = field(default_factory=list[Order])
    wrong: list[Wrong] = field(default_factory=list[Wrong])
    follows: bool = False
    before: list[Given] = field(default_factory=list[Given])

    def is_done_by(self, command: Command[Any]) -> bool:
        """Tell whether a command is what the lesson asks for."""
        fields = msgspec.to_builtins(command)
        return _lean(self.command) == _lean(fields) or any(fits(expected, fields) for expected in self.also)


def _lean(value: Any) -> Any:
    """Return a command without zeros and empty values: forms may send a 0 for each thing that was not chosen."""
    if isinstance(value, dict):
        leaner = {name: _lean(part) for name, part in cast(dict[str, Any], value).items()}
        return {name: part for name, part in leaner.items() if part}
    return list(cast(Sequence[Any], value)) if isinstance(value, list | tuple) else value


class TutorialFile(Struct, forbid_unknown_fields=True):
    """The lessons of one file, in their order."""

    lesson: list[Lesson]


class Stage(Struct, frozen=True):
    """A lesson that is ready to be played: its position, and the dice and lots that are left."""

    lesson: Lesson
    ruleset: Ruleset[Any]
    board: Board
    table: Table
    vault: Vault
    draws: int
    rolls: Sequence[Sequence[int]]
    lots: Sequence[Sequence[Any]]

    def chance(self) -> ScriptedChance:
        """Return the chance that yields the dice and lots of the lesson."""
        return ScriptedChance(self.rolls, {*map(len, self.ruleset.dice.values())}, self.lots)

    def attempt(self, command: Command[Any]) -> Draft[Any]:
        """Return the outcome of a command of the player. Raises `Refusal`.

        The dice are those of the lesson. A command that needs other dice gets dice that are always the same.
        """
        position = (self.table, self.lesson.seat, command)
        try:
            return self.ruleset.decide(*position, self.chance(), self.vault, self.draws)
        except LookupError:
            return self.ruleset.decide(*position, ANY_CHANCE, self.vault, self.draws)


@lru_cache(maxsize=32)
def lessons(ruleset: Ruleset[Any]) -> tuple[Lesson, ...]:
    """Return the lessons of a ruleset's tutorial; none where it has no tutorial. Raises `ScenarioError`.

    Editions share a file: a lesson that names rulesets is only for these, and those based on them. The `rules` of each
    lesson are those that hold in `ruleset`.
    """
    try:
        written = msgspec.convert(tomllib.loads(ruleset.tutorial or "lesson = []"), TutorialFile).lesson
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ScenarioError(str(error)) from error
    rules = ruleset.catalogue
    own = tuple(
        replace(each, rules=list(rules.in_force(each.rules, ruleset.id)))
        for each in written
        if ruleset.id in rules.holders(each.rulesets, each.rules)
    )
    if repeated := {each.id for each in own if sum(each.id == other.id for other in own) > 1}:
        raise ScenarioError(f"two lessons are called {', '.join(sorted(repeated))}")
    return own


def stages(ruleset: Ruleset[Any], board: Board) -> Mapping[str, Stage]:
    """Return the lessons of a ruleset's tutorial with their positions, by id. Raises `ScenarioError`."""
    board = ruleset.equip(board)
    positions: dict[str, Stage] = {}
    last: Stage | None = None
    for lesson in lessons(ruleset):
        try:
            last = positions[lesson.id] = _stage(lesson, ruleset, board, last)
        except (Refusal, LookupError, msgspec.ValidationError, ScenarioError) as error:
            raise ScenarioError(f"the lesson {lesson.id!r}: {error}") from error
    return positions


def _stage(lesson: Lesson, ruleset: Ruleset[Any], board: Board, last: Stage | None) -> Stage:
    chance = lesson.chance(ruleset)
    if not lesson.follows:
        draft = lesson.opened(ruleset, board, chance)
        vault = Vault(draft.secrets)
    elif last is None:
        raise ScenarioError("it follows no other lesson")
    else:
        draft = last.attempt(command_of(ruleset, last.lesson.command))
        vault = last.vault.joined_by(draft.secrets)
    for move in lesson.before:
        command = command_of(ruleset, move.command)
        draft = ruleset.decide(draft.table, move.seat, command, chance, vault, draft.draws)
        vault = vault.joined_by(draft.secrets)
    rolls, lots = chance.remaining
    return Stage(lesson, ruleset, board, draft.table, vault, draft.draws, rolls, lots)


def command_of(ruleset: Ruleset[Any], command: Order) -> Command[Any]:
    """Return a command as the ruleset reads it. Raises `msgspec.ValidationError`."""
    return ruleset.read_command(msgspec.json.encode(command))
