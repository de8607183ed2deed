"""Examples of the endpoints for imports: the game of the scene, as if it had been played on another service."""

from typing import Final

from msgspec import Raw
from msgspec.structs import replace

from domain.importing import Examined, Issuer
from domain.kernel.log.ending import Finish
from service.api.imports.bodies import Imported, ImportPage, NewImport, import_detail, import_summary
from service.api.log.bodies import EventPage
from service.api.pictures.bodies import FramePage
from service.api.play.routes import state_view
from service.api.response import encode
from service.api.scene import AT, GAME, Example, Scene
from service.games.views import Viewer, event_view
from service.pictures.scenes import NOTHING, drawn_scene, frame_sheet_of
from service.store.imports import ImportId, ImportRow

IMPORT: Final = ImportId("xb7q2m5ahbk3oxw7c")
_ALL: Final = Viewer(everything=True)
_EXPORT: Final = '{"board":{…},"format":"tabularium-export/1", …}\n…\n'


def examples(scene: Scene) -> dict[str, Example]:
    game = scene.now
    first, *others = game.players
    examined = Examined(
        game=game.id,
        past=(),
        ruleset=scene.ruleset.id,
        ruleset_version=scene.ruleset.version,
        events=2113,
        head=game.head.hex(),
        created=AT,
        ended="2026-11-23T21:07:45.120000Z",
        seats=dict(game.players),
        finish=Finish(
            (first,), scene.ruleset.catalogue.for_ruleset(scene.ruleset.id)[0].id, "won", ((first,), (*others,))
        ),
        proved=("All 904 acts were decided again and gave exactly the stored events.",),
        issuer=Issuer(
            "games.example.org/transparency",
            "games.example.org/transparency+5d1f0c1e+AQ8Xm0Yh…",
            ("It was over then: the result of the game cannot change.",),
        ),
    )
    row = ImportRow(
        IMPORT, scene.players[0].player, AT, examined.ruleset, encode(examined).decode(), "…", "log …", 1_204_113
    )
    detail, summary = import_detail(row, None), import_summary(row, None)
    events = EventPage((event_view(scene.ruleset.id, scene.records[1], scene.vault, _ALL),), None)
    sheet = frame_sheet_of(game, lambda _: None)
    key_frame = replace(drawn_scene(sheet, NOTHING, 0, None, 0, ""), areas={})
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1600 1330" …><title>…</title>…</svg>'
    return {
        "importGame": Example(
            Imported(IMPORT, GAME, summary.provenance),
            NewImport('{"board":{…},"format":"tabularium-export/1", …}\n…\n', "…", "log …"),
        ),
        "listImports": Example(ImportPage((summary,), None)),
        "showImport": Example(detail),
        "exportImport": Example(_EXPORT),
        "listImportEvents": Example(events),
        "showImportState": Example(replace(state_view(game, _ALL, None), view=None)),
        "drawImportBoard": Example(svg),
        "listImportFrames": Example(FramePage(GAME, examined.events, Raw(encode(key_frame)), Raw(b"[]"), None)),
    }
