"""Answers to health checks."""

from service.api.bodies import Health
from service.api.scene import Example, Scene


def examples(scene: Scene) -> dict[str, Example]:
    return {"showHealth": Example(Health("ok")), "showReadiness": Example(Health("ok"))}
