"""What is asked about tutorials, and answered."""

from typing import Any, Final

import msgspec
from msgspec import Raw

from domain.boards import drawing_of
from domain.kernel.tutorial import stages
from service.api.scene import Example, Scene
from service.api.tutorials.bodies import LessonPosition, LessonTry
from service.api.tutorials.routes import outcome, position, tutorial_view

LESSON: Final = "march"


def examples(scene: Scene) -> dict[str, Example]:
    view = tutorial_view(scene.ruleset)
    if not view.lessons:
        return {"showTutorial": Example(view)}
    stage = stages(scene.ruleset, scene.board)[LESSON]
    given = msgspec.json.encode(stage.lesson.command)
    tried = outcome(drawing_of, stage, given)
    return {
        "showTutorial": Example(msgspec.structs.replace(view, lessons=view.lessons[:1])),
        "showLesson": Example(_excerpt(position(drawing_of, stage))),
        "tryLesson": Example(msgspec.structs.replace(tried, scene=_sketched(tried.scene)), LessonTry(Raw(given))),
    }


def _excerpt(shown: LessonPosition) -> LessonPosition:
    """Return a position with its first option and little of its picture: the whole is long."""
    return msgspec.structs.replace(shown, options=shown.options[:1], scene=_sketched(shown.scene))


def _sketched(scene: Any) -> Any:
    return msgspec.structs.replace(scene, areas=dict(list(scene.areas.items())[:1]), links="")
