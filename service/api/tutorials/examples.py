"""Examples of the endpoints for tutorials, made from one lesson."""

from typing import Any, Final

import msgspec
from msgspec import Raw

from domain.boards import drawing_of
from domain.kernel.tutorial import stages
from service.api.scene import Example, Scene
from service.api.tutorials.bodies import LessonPosition, LessonTry
from service.api.tutorials.routes import outcome, position, tutorial_view

LESSON: Final = "march"
"""A lesson of the ruleset with which the examples are made."""


def examples(scene: Scene) -> dict[str, Example]:
    view = tutorial_view(scene.ruleset)
    if not view.lessons:
        return {"showTutorial": Example(view)}
    stage = stages(scene.ruleset, scene.board)[LESSON]
    command = msgspec.json.encode(stage.lesson.command)
    tried = outcome(drawing_of, stage, command)
    return {
        "showTutorial": Example(msgspec.structs.replace(view, lessons=view.lessons[:1])),
        "showLesson": Example(_excerpt(position(drawing_of, stage))),
        "tryLesson": Example(msgspec.structs.replace(tried, scene=_sketched(tried.scene)), LessonTry(Raw(command))),
    }


def _excerpt(lesson_position: LessonPosition) -> LessonPosition:
    """Return a position cut down to its first option and one area of its picture, so that the example is short."""
    return msgspec.structs.replace(
        lesson_position, options=lesson_position.options[:1], scene=_sketched(lesson_position.scene)
    )


def _sketched(scene: Any) -> Any:
    return msgspec.structs.replace(scene, areas=dict(list(scene.areas.items())[:1]), links="")
