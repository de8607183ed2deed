"""Examples of the endpoints for dumps: one set with two of its files."""

from typing import Final

from service.api.dumps.bodies import DumpPage, dump_view
from service.api.scene import Example, Scene
from service.dumps.index import DumpFile, DumpSet, Signed

MONTH: Final = "2026-10"
_NOTE: Final = (
    "games.example.org/transparency\n8412\nqINS1GRFhWHwdkUeqLEoP4yEMkTBBzxBkGwGQlVlVcs=\n\n"
    "— games.example.org/transparency …\n"
)


def examples(scene: Scene) -> dict[str, Example]:
    name = f"{scene.ruleset.id}-{MONTH}"
    files = (
        DumpFile(f"{name}.jsonl.zst", "exports", 120, 12_404_133, "9f" * 32),
        DumpFile(f"{name}.games.parquet", "games", 120, 14_210, "4c" * 32),
    )
    signed = Signed("games.example.org/transparency", 8412, _NOTE)
    dump_set = DumpSet(scene.ruleset.id, MONTH, 120, 205_311, "CC0-1.0", signed, files)
    return {"listDumps": Example(DumpPage((dump_view(dump_set),), None)), "getDump": Example("…")}
