"""Proving many exports of games and cases (disputes) in parallel: the files, and a line with the result of each."""

import gzip
import zlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from domain.judging import proof
from domain.kernel.proof.export import ExportError
from domain.kernel.proof.reading import read
from domain.kernel.proof.verify import verify
from domain.library import LIBRARY

PACKED: Final = ".gz"
ENDINGS: Final = (".jsonl", f".jsonl{PACKED}")
"""The endings of the names of exports."""

Result = Literal["proved", "not proved", "not read"]


class Outcome(Struct, frozen=True):
    """The result for a file.

    Attributes:
        message: what the export has, or what is wrong with it.
        verdict: the verdict, as JSON; None when the file could not be read.
    """

    file: str
    result: Result
    message: str
    verdict: Any = None


def exports_in(folder: Path) -> list[Path]:
    """Return the exports in a folder and those below it, by their names. Raises `OSError`."""
    return sorted(each for each in folder.rglob("*") if each.name.endswith(ENDINGS) and each.is_file())


def content_of(file: Path) -> bytes:
    """Return what is in a file, unpacked if its name says that it is packed. Raises `OSError`."""
    content = file.read_bytes()
    if file.suffix != PACKED:
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise gzip.BadGzipFile("the file is not packed with gzip, or it was cut off") from error


def prove_all(files: Sequence[Path], processes: int) -> Iterator[Outcome]:
    """Verify exports in parallel, and yield the result of each, in their order.

    A case is also checked against the export of its game, when one of the files has the game's id as its name.
    """
    known = {file.name.partition(".")[0]: file for file in files}
    if processes == 1 or len(files) == 1:
        yield from map(partial(_outcome, known), files)
        return
    with ProcessPoolExecutor(min(processes, len(files))) as pool:
        yield from pool.map(partial(_outcome, known), files)


def _outcome(known: Mapping[str, Path], file: Path) -> Outcome:
    try:
        lines = content_of(file).splitlines(keepends=True)
        verdict = _case(lines, known) if proof.is_export(lines[0] if lines else b"") else verify(lines, LIBRARY)
    except OSError as error:
        return Outcome(str(file), "not read", error.strerror or str(error))
    result: Result = "proved" if verdict.ok else "not proved"
    return Outcome(str(file), result, _line(verdict), msgspec.to_builtins(verdict))


def _case(lines: list[bytes], known: Mapping[str, Path]) -> proof.CaseVerdict:
    verdict = proof.verify(lines, LIBRARY)
    game = known.get(verdict.game or "") if verdict.ok else None
    if game is None:
        return verdict
    try:
        export = read(content_of(game).splitlines(keepends=True))
    except (OSError, ExportError):  # the line of that file says so
        return verdict
    with_game = proof.verify(lines, LIBRARY, export)
    if with_game.ok:
        return with_game
    return msgspec.structs.replace(with_game, problem=f"Checked against {game}: {with_game.problem}")


def _line(verdict: Any) -> str:
    if not verdict.ok:
        where = f"version {verdict.version}" if verdict.version else f"line {verdict.line}"
        return f"{where} is wrong. {verdict.problem}"
    what = f"case of {verdict.game}" if isinstance(verdict, proof.CaseVerdict) else verdict.ruleset
    return f"{what}, {verdict.events} events, {verdict.status}"
