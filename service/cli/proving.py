"""Proving many exports of games, cases and tournaments in parallel: the files, and a line with the result of each.

A file of a dump has many exports, one after the other. With a policy, each of them is also compared with its
certificate, which the dump has in another file beside it.
"""

import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import zstandard
from msgspec import Struct

from domain.judging import proof
from domain.kernel.ids import GameId, TournamentId
from domain.kernel.proof.export import Export, ExportError
from domain.kernel.proof.reading import read
from domain.kernel.proof.verify import verify
from domain.league import proof as league_proof
from domain.league.league import fold as fold_league
from domain.library import LIBRARY
from domain.tournament import proof as tournament_proof
from domain.tournament.fold import fold
from domain.transparency.certificate import certify
from domain.transparency.policy import Policy
from service.base.pieces import LOCAL, in_pieces

PACKED: Final = ".gz"
DUMPED: Final = ".jsonl.zst"
ENDINGS: Final = (".jsonl", f".jsonl{PACKED}", DUMPED)
"""The endings of the names of exports."""

CERTIFICATES: Final = ".certificates.ndjson.zst"
"""How the name of a file with the certificates of a dump ends."""

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
    """Return the content of a file, unpacked if its name says that it is packed. Raises `OSError`."""
    content = file.read_bytes()
    if file.suffix != PACKED:
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise gzip.BadGzipFile("the file is not packed with gzip, or it was cut off") from error


class _Bundle(Struct, frozen=True):
    """A file to verify, with its content, because a worker of a cluster may not have the file.

    `trouble` says why it cannot be read. `game` is the export of a case's game, if it is among the files; `game_file`
    is its name. `games` are the exports of a tournament's games, or of a league's tournaments, among the files.
    """

    file: str
    content: bytes = b""
    trouble: str = ""
    game: bytes | None = None
    game_file: str = ""
    games: tuple[bytes, ...] = ()
    certificate: str = ""
    policy: Policy | None = None


def prove_all(
    files: Sequence[Path], processes: int, on: str = LOCAL, policy: Policy | None = None
) -> Iterator[Outcome]:
    """Verify exports side by side, as `in_pieces` does, and yield the result of each, in their order.

    A case is also checked against the export of its game, when one of the files has the game's id as its name, a
    tournament against those of its games, and a league against those of its tournaments. With a `policy`, games of
    dumps are compared with their certificates.
    """
    by_id = {file.name.partition(".")[0]: file for file in files if not is_dump(file)}
    if not any(map(is_dump, files)):
        processes = min(processes, len(files))
    return in_pieces(_outcome, _bundles(files, by_id, policy), processes, on)


def is_dump(file: Path) -> bool:
    """Tell whether a file has the exports of a dump, by its name."""
    return file.name.endswith(DUMPED)


def _bundles(files: Iterable[Path], by_id: Mapping[str, Path], policy: Policy | None) -> Iterator[_Bundle]:
    for file in files:
        if is_dump(file):
            yield from _bundles_of_dump(file, policy)
        else:
            yield _bundle_of(by_id, file)


def _bundles_of_dump(file: Path, policy: Policy | None) -> Iterator[_Bundle]:
    try:
        proofs = _certificates(file) if policy is not None else {}
        for game, content in _exports(file):
            yield _Bundle(f"{file}, game {game}", content, certificate=proofs.get(game, ""), policy=policy)
    except (OSError, zstandard.ZstdError, msgspec.DecodeError) as error:
        yield _Bundle(str(file), trouble=getattr(error, "strerror", None) or str(error))


def _exports(file: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the exports in a file of a dump, each with the id of its game, and what follows the last one."""
    lines = list[bytes]()
    for line in _lines(file):
        lines.append(line)
        if line.startswith(b'{"end":'):
            yield _game_of(lines), b"".join(lines)
            lines.clear()
    if lines:
        yield _game_of(lines), b"".join(lines)


def _lines(file: Path) -> Iterator[bytes]:
    with file.open("rb") as packed:
        reader = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
        yield from BufferedReader(reader, 1 << 16)


def _game_of(lines: Sequence[bytes]) -> str:
    with suppress(msgspec.DecodeError):
        return msgspec.json.decode(lines[0], type=_Named).game
    return "?"


class _Named(Struct):
    game: str


class _Certificate(Struct):
    game: str
    certificate: str


def _certificates(file: Path) -> dict[str, str]:
    beside = file.with_name(file.name.removesuffix(DUMPED) + CERTIFICATES)
    certificates = (msgspec.json.decode(line, type=_Certificate) for line in _lines(beside))
    return {each.game: each.certificate for each in certificates}


def _bundle_of(by_id: Mapping[str, Path], file: Path) -> _Bundle:
    try:
        content = content_of(file)
    except OSError as error:
        return _Bundle(str(file), trouble=error.strerror or str(error))
    if tournament_proof.is_export(content):
        return _Bundle(str(file), content, games=tuple(_games_of(content, by_id)))
    if league_proof.is_export(content):
        return _Bundle(str(file), content, games=tuple(_tournaments_of(content, by_id)))
    if not proof.is_export(content):
        return _Bundle(str(file), content)
    try:
        game = by_id[proof.read(content.splitlines(keepends=True)).game]
        return _Bundle(str(file), content, "", content_of(game), str(game))
    except (KeyError, OSError, ExportError):  # the line of that file says what is wrong with it
        return _Bundle(str(file), content)


def _games_of(content: bytes, by_id: Mapping[str, Path]) -> Iterator[bytes]:
    """Yield the exports of a tournament's games that are among the files. The lines of those say what is wrong."""
    with suppress(ExportError, msgspec.ValidationError):
        exported = tournament_proof.read(content.splitlines(keepends=True))
        for game in fold(exported.tournament, exported.records).games:
            if game in by_id:
                with suppress(OSError):
                    yield content_of(by_id[game])


def _tournaments_of(content: bytes, by_id: Mapping[str, Path]) -> Iterator[bytes]:
    """Yield the exports of a league's tournaments that are among the files. The lines of those say what is wrong."""
    with suppress(ExportError, msgspec.ValidationError):
        exported = league_proof.read(content.splitlines(keepends=True))
        for season in fold_league(exported.league, exported.records).seasons:
            for each in season.tournaments:
                if each.tournament in by_id:
                    with suppress(OSError):
                        yield content_of(by_id[each.tournament])


def _outcome(bundle: _Bundle) -> Outcome:
    if bundle.trouble:
        return Outcome(bundle.file, "not read", bundle.trouble)
    lines = bundle.content.splitlines(keepends=True)
    if tournament_proof.is_export(bundle.content):
        verdict = _tournament(lines, bundle)
    elif league_proof.is_export(bundle.content):
        verdict = league_verdict(lines, bundle.games)
    elif proof.is_export(bundle.content):
        verdict = _case(lines, bundle)
    else:
        verdict = verify(lines, LIBRARY)
        if verdict.ok and bundle.policy is not None and (fault := _not_certified(lines, bundle)):
            return Outcome(bundle.file, "not proved", fault, msgspec.to_builtins(verdict) | {"ok": False})
    result: Result = "proved" if verdict.ok else "not proved"
    certified = ", certified" if verdict.ok and bundle.policy is not None else ""
    return Outcome(bundle.file, result, _line(verdict) + certified, msgspec.to_builtins(verdict))


def _not_certified(lines: list[bytes], bundle: _Bundle) -> str:
    """Return why the certificate of a game of a dump does not hold; empty when it does."""
    # Imported late: it imports the library for signatures.
    from service.transparency.keys import check

    assert bundle.policy is not None
    if not bundle.certificate:
        return "The dump has no certificate of this game."
    exported = read(lines)
    certified = certify(
        exported.game,
        exported.records,
        lambda version: exported.fold(LIBRARY, version).status,
        bundle.certificate,
        bundle.policy,
        check,
    )
    return certified.problem


def _case(lines: list[bytes], bundle: _Bundle) -> proof.CaseVerdict:
    verdict = proof.verify(lines, LIBRARY)
    if bundle.game is None or not verdict.ok:
        return verdict
    try:
        export = read(bundle.game.splitlines(keepends=True))
    except ExportError:  # the line of that file says so
        return verdict
    with_game = proof.verify(lines, LIBRARY, export)
    if with_game.ok:
        return with_game
    return msgspec.structs.replace(with_game, problem=f"Checked against {bundle.game_file}: {with_game.problem}")


def _tournament(lines: list[bytes], bundle: _Bundle) -> tournament_proof.TournamentVerdict:
    games: dict[GameId, Export] = {}
    for each in bundle.games:
        with suppress(ExportError):
            export = read(each.splitlines(keepends=True))
            games[export.game] = export
    return tournament_proof.verify(lines, LIBRARY, games)


def league_verdict(lines: list[bytes], exports: Iterable[bytes]) -> league_proof.LeagueVerdict:
    """Verify the export of a league with those of its tournaments. The caller verifies these by themselves."""
    tournaments: dict[TournamentId, tournament_proof.TournamentExport] = {}
    for each in exports:
        with suppress(ExportError):
            export = tournament_proof.read(each.splitlines(keepends=True))
            tournaments[export.tournament] = export
    return league_proof.verify(lines, tournaments)


def _line(verdict: Any) -> str:
    if not verdict.ok:
        where = f"version {verdict.version}" if verdict.version else f"line {verdict.line}"
        return f"{where} is wrong. {verdict.problem}"
    if isinstance(verdict, tournament_proof.TournamentVerdict | league_proof.LeagueVerdict):
        what = "tournament" if isinstance(verdict, tournament_proof.TournamentVerdict) else "league"
        summary = f"{what}, {verdict.events} events, {verdict.status}"
        return f"{summary}; not proved: {' '.join(verdict.unproved)}" if verdict.unproved else summary
    what = f"case of {verdict.game}" if isinstance(verdict, proof.CaseVerdict) else verdict.ruleset
    return f"{what}, {verdict.events} events, {verdict.status}"
