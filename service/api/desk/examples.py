"""What is asked of the desk, and answered."""

from service.api.desk.routes import inspection
from service.api.scene import Example, Scene


def examples(scene: Scene) -> dict[str, Example]:
    before, now = scene.started.game, scene.now
    version, viewer = scene.given.records[0].version, scene.viewer(now)
    records = scene.records[: now.version]
    return {"inspectGame": Example(inspection(now, before, now.ruleset, records, version, viewer, scene.vault))}
