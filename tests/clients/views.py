"""Recorded games as the service shows them: frame by frame, and every version whole.

``python -m tests.clients.views 20`` compares so many games of each ruleset at every version, in both languages.
"""

import json
import re
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

from domain.kernel.chance.secret import Vault
from domain.kernel.log.fold import fold, later
from domain.kernel.log.history import retraction
from domain.kernel.proof.reading import read
from domain.library import LIBRARY
from service.api.response import encode
from service.games.views import Viewer
from service.pictures.frames import Camera
from service.pictures.scenes import sheet_of
from tests.clients.packed import Speaker, speaking
from tests.recorded import Recorded, recorded


def shown(recording: Recorded, most: int | None = None) -> Iterator[tuple[bytes, bytes]]:
    """Yield, of each version, the frame that leads to it and the scene that the service draws of it, both in JSON.

    The first frame is none, and the first scene that of the empty board.
    """
    export = read(recording.lines())
    records = export.records[:most]
    board = LIBRARY.at(export.ruleset, export.ruleset_version).equip(export.board, export.documents)
    game = fold(export.records, export.game, LIBRARY, lambda _: board)
    sheet, vault, viewer, names = sheet_of(game), Vault(export.secrets), Viewer(everything=True), game.names
    camera = Camera(sheet, viewer, vault, names, None)
    yield b"null", encode(camera.scene(0))
    for version, record in enumerate(records, start=1):
        if camera.game is None or retraction(record) is not None:
            now = fold(export.records[:version], export.game, LIBRARY, lambda _: board)
        else:
            now = later(camera.game, (record,))
        frame = camera.frame(record, now)
        yield encode(frame), encode(Camera(sheet, viewer, vault, names, now).scene(version))


def different(speaker: Speaker, recording: Recorded, most: int | None = None) -> tuple[int, list[int]]:
    """Return how many versions were compared, and those at which the package shows something else."""
    wrong: list[int] = []
    count = 0
    frames = shown(recording, most)
    speaker.ask("scene", scene=as_json(next(frames)[1]))
    for frame, scene in frames:
        count += 1
        if not speaker.ask("apply", frame=as_json(frame), expected=as_json(scene)):
            wrong.append(count)
    return count, wrong


def as_json(encoded: bytes) -> Any:
    """Return a frame or a scene. Tints do not overlap, so their order says nothing, and the service may change it."""
    shown = json.loads(encoded)
    if "links" in shown:
        shown["links"] = sorted(re.findall("<[^>]*>", shown["links"]))
    return shown


def main() -> None:
    """Compare games at every version."""
    most = int(sys.argv[1])
    for language in ("python", "typescript"):
        with speaking(language) as speaker:
            for ruleset in LIBRARY.ids():
                compared, wrong = 0, 0
                for recording in islice(recorded(ruleset, LIBRARY.current(ruleset).version), most):
                    count, found = different(speaker, recording)
                    compared, wrong = compared + count, wrong + len(found)
                print(f"{ruleset}, {language}: {compared} versions, {wrong} differ")


if __name__ == "__main__":
    main()
