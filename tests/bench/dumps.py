"""Dumps of one month of many games: bytes an event in each file, what making them takes, and the guide's questions.

The games are recorded ones under new ids, as in `growth`. `DUMPS_GAMES` says how many there are. Their rows are
compared with what the transparency log has signed.
"""

import asyncio
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import chdir
from io import BufferedReader
from pathlib import Path
from typing import Any, Final

import duckdb
import zstandard

from domain.kernel.proof import reading
from domain.transparency.entry import read_entry
from domain.transparency.proof import read_proof
from service.dumps.index import DumpSet, read_index
from tests.bench.growth import copy_of
from tests.bench.measure import Figure, figure
from tests.helpers.stored import filled
from tests.recorded import recorded

GAMES: Final = int(os.environ.get("DUMPS_GAMES", "200"))
SHORTEST: Final = 20
"""Recorded games that are copied."""
JANUARY: Final = (1_767_225_600, 27 * 86_400)

_GUIDE: Final = Path(__file__).parents[2] / "openapi" / "data.md"


def bench_dumps() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="tabularium-") as place:
        data, folder = Path(place) / "data", Path(place) / "dumps"
        asyncio.run(filled(data, _games()))
        took = _dump(folder, data)
        sets = read_index(folder)
        events, games = sum(each.events for each in sets), sum(each.games for each in sets)
        note = f"{games} games and {events} events, {len(sets)} sets"
        yield figure("dumps-making", [took * 1e6 / events], "µs of processor an event", note=note)
        yield figure("dumps-again", [_dump(folder, data)], "s of processor", note="nothing new")
        for content, size in _sizes(sets).items():
            yield figure(f"dumps-bytes-{content}", [size / events], "bytes an event")
        with chdir(folder):
            for title, code in _questions():
                began = time.process_time()
                names: dict[str, Any] = {"print": lambda *_: None}
                if code.startswith(("WITH", "SELECT")):
                    duckdb.execute(code).fetchall()
                else:
                    exec(code, names)
                yield figure(f"dumps-question: {title}", [time.process_time() - began], "s of processor")
                if "signed" in names:  # the chain that the rows make, by the guide's own code
                    assert names["signed"] == dict(_certified(sets))
                    rows = sum(1 for _ in names["events"].iter_rows())
                    yield figure("dumps-verified", [rows], "rows", note="chain, certificate and root of the log")


def _games() -> Iterator[Any]:
    # In other games, names of seats are words of the rules as well, and cannot be replaced in the text.
    plays = [each for each in recorded() if each.ruleset.startswith("conquest")]
    plays = sorted(plays, key=lambda each: each.path.stat().st_size)[: 2 * SHORTEST]
    exports = (reading.read(each.lines()) for each in plays)
    over = [each for each in exports if each.past is None and each.status == "over"][:SHORTEST]
    for number in range(GAMES):
        yield copy_of(over[number % len(over)], number, JANUARY)


def _dump(folder: Path, data: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "service.cli", "dump", folder, "--data", data], check=True, stdout=sys.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _sizes(sets: tuple[DumpSet, ...]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for each in (file for one in sets for file in one.files):
        sizes[each.content] = sizes.get(each.content, 0) + each.bytes
    return sizes


def _questions() -> Iterator[tuple[str, str]]:
    guide = _GUIDE.read_text()
    for found in re.finditer(r"\*\*([^*]+\?)\*\*(?:(?!```)[\s\S])*```(?:python|sql)\n(.*?)```", guide, re.DOTALL):
        yield found[1], found[2]
    chain = re.search(r"```python\n(import hashlib.*?)```", guide, re.DOTALL)
    assert chain is not None
    yield "do the rows make the chain?", chain[1]


def _certified(sets: tuple[DumpSet, ...]) -> Iterator[tuple[str, str]]:
    """Yield what the certificates say of each game, each of which leads to the root that was signed."""
    for each in sets:
        (name,) = (file.name for file in each.files if file.content == "certificates")
        with Path(name).open("rb") as packed:
            for line in BufferedReader(zstandard.ZstdDecompressor().stream_reader(packed)):
                said = json.loads(line)
                proof = read_proof(said["certificate"])
                assert each.checkpoint is not None
                assert str(proof.note) == each.checkpoint.note
                assert proof.extra is not None
                assert proof.proves(proof.extra)
                yield said["game"], read_entry(proof.extra).hash


BENCHMARKS = {"dumps": bench_dumps}
