"""Pictures of the scene, drawn on one area of its map."""

import msgspec

from domain.boards import drawing_of
from service.api.pictures.bodies import FramePage, MapView
from service.api.response import encode
from service.api.scene import GAME, Example, Scene
from service.pictures.comparison import compare
from service.pictures.frames import Camera
from service.pictures.scenes import marks_of, marks_view, sheet_of


def examples(scene: Scene) -> dict[str, Example]:
    """Return pictures of the scene, drawn on one area of its map; empty when there is no map."""
    whole = drawing_of(scene.board)
    if whole is None:
        return {}
    areas = [area for area, outline in whole.areas.items() if outline.kind == "land"][:1]
    drawing = msgspec.structs.replace(
        whole,
        areas={area: msgspec.structs.replace(whole.areas[area], path="M0,0L90,0L90,60Z") for area in areas},
        terra_incognita="M0,0L9,9L0,9Z",
        mare_incognitum="",
        rivers="",
        straits=(),
        inscriptions=(),
    )
    viewer, before, after = scene.viewer(scene.given.game), scene.started.game, scene.given.game
    sheet = sheet_of(after, lambda _: drawing)
    marks = marks_of(after, viewer, scene.vault, sheet.names)
    few = msgspec.structs.replace(marks, places=dict(list(marks.places.items())[:1]), links=marks.links[:1])
    fewer = msgspec.structs.replace(
        few, places={}, standings=marks_of(before, viewer, scene.vault, sheet.names).standings
    )
    camera = Camera(sheet, viewer, scene.vault, after.names, before)
    key = camera.scene(before.version)
    frames = [camera.frame(scene.given.records[0], after)]
    page = FramePage(GAME, after.version, msgspec.Raw(encode(key)), msgspec.Raw(encode(frames)), None)
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1600 1330" …><title>…</title>…</svg>'
    ruleset = scene.ruleset
    return {
        "showMap": Example(MapView(ruleset.id, dict(ruleset.colours), drawing)),
        "drawBareBoard": Example(svg),
        "showMarks": Example(marks_view(after, few)),
        "drawBoard": Example(svg),
        "drawBoardAsPng": Example("iVBORw0KGgo…"),
        "listFrames": Example(page),
        "compareGames": Example(compare(after, before, few, fewer)),
    }
