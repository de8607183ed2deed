"""The requests and answers of the endpoints for tutorials."""

from typing import Any

from msgspec import Raw, Struct

from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.papers import Papers
from service.pictures.views import RollView, Scene


class LessonSummary(Struct, frozen=True):
    """A lesson of a tutorial.

    Attributes:
        id: its name in addresses.
        title: what it is about.
        text: what the learner sees and should know.
        ask: the task of the learner.
        seat: the seat that the learner holds.
        teaches: what to remember from it, to show when it is done.
        rules: the rules that it is about.
        follows: whether it begins where the lesson before it ended.
    """

    id: str
    title: str
    text: str
    ask: str
    seat: Seat
    teaches: str
    rules: tuple[RuleId, ...]
    follows: bool


class TutorialView(Struct, frozen=True):
    """The tutorial of a ruleset.

    Attributes:
        ruleset: the ruleset.
        title: its name.
        remark: how a tutorial differs from a game.
        lessons: its lessons, in their order; none where the ruleset has no tutorial.
    """

    ruleset: str
    title: str
    remark: str
    lessons: tuple[LessonSummary, ...]


class LessonPosition(Struct, frozen=True):
    """Where a lesson begins, as the learner's seat may see it.

    Attributes:
        ruleset: the ruleset, which determines the shape of `options`.
        lesson: the lesson.
        seat: the seat that the learner holds.
        scene: the position, drawn, for `GET /v1/rulesets/{ruleset}/board.svg`.
        decisions: what the position waits for.
        options: every command that would be accepted from the learner, and no other, as JSON Schemas.
        words: the names of the ruleset's own ids.
        mass_nouns: the words for its pieces and goods that have no plural, as in "3 infantry".
        papers: the public parts of the documents that the lesson is played with, such as the cards of nations.
        command: a command that solves the lesson, to show to a learner who cannot find one.
    """

    ruleset: str
    lesson: str
    seat: Seat
    scene: Scene
    decisions: tuple[Decision, ...]
    options: tuple[Option, ...]
    words: dict[str, str]
    mass_nouns: tuple[str, ...]
    papers: Papers
    command: dict[str, Any]


class LessonTry(Struct, frozen=True, forbid_unknown_fields=True):
    """What a learner tries.

    Attributes:
        command: a command, such as one built from an option's schema.
    """

    command: Raw


class LessonOutcome(Struct, frozen=True):
    """The outcome of a try. Nothing of it is stored.

    Attributes:
        ruleset: the ruleset.
        lesson: the lesson.
        done: whether the command is what the lesson asks for. If not, the rules allow it, but the lesson is about
            another command.
        told: what happened, sentence by sentence.
        rolls: the dice that were rolled. The lesson determines how they fall.
        drawn: where it happened, as SVG for the group `happened` of the bare board.
        scene: the position after it, drawn.
        next: the lesson that comes after this one; null after the last.
    """

    ruleset: str
    lesson: str
    done: bool
    told: tuple[str, ...]
    rolls: tuple[RollView, ...]
    drawn: tuple[str, ...]
    scene: Scene
    next: str | None
