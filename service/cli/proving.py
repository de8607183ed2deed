"""Proving many exports of games, cases and tournaments in parallel: the files, and a line with the result of each."""

import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
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
from service.base.pieces import LOCAL, in_pieces

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


class _Given(Struct, frozen=True):
    """A file to verify, with what is in it: a worker of a cluster may not have it.

    `trouble` says why it cannot be read. `game` is the export of a case's game, if it is there; `game_file` its name.
    `games` are those of a tournament's games that are there, or of a league's tournaments.
    """

    file: str
    content: bytes = b""
    trouble: str = ""
    game: bytes | None = None
    game_file: str = ""
    games: tuple[bytes, ...] = ()


def prove_all(files: Sequence[Path], processes: int, on: str = LOCAL) -> Iterator[Outcome]:
    """Verify exports side by side, as `in_pieces` does, and yield the result of each, in their order.

    A case is also checked against the export of its game, when one of the files has the game's id as its name, a
    tournament against those of its games, and a league against those of its tournaments.
    """
    known = {file.name.partition(".")[0]: file for file in files}
    return in_pieces(_outcome, map(partial(_given, known), files), min(processes, len(files)), on)


def _given(known: Mapping[str, Path], file: Path) -> _Given:
    try:
        content = content_of(file)
    except OSError as error:
        return _Given(str(file), trouble=error.strerror or str(error))
    if tournament_proof.is_export(content):
        return _Given(str(file), content, games=tuple(_games_of(content, known)))
    if league_proof.is_export(content):
        return _Given(str(file), content, games=tuple(_tournaments_of(content, known)))
    if not proof.is_export(content):
        return _Given(str(file), content)
    try:
        game = known[proof.read(content.splitlines(keepends=True)).game]
        return _Given(str(file), content, "", content_of(game), str(game))
    except (KeyError, OSError, ExportError):  # what is wrong with it, the line of that file says
        return _Given(str(file), content)


def _games_of(content: bytes, known: Mapping[str, Path]) -> Iterator[bytes]:
    """Yield the exports of a tournament's games that are among the files. The lines of those say what is wrong."""
    with suppress(ExportError, msgspec.ValidationError):
        exported = tournament_proof.read(content.splitlines(keepends=True))
        for game in fold(exported.tournament, exported.records).games:
            if game in known:
                with suppress(OSError):
                    yield content_of(known[game])


def _tournaments_of(content: bytes, known: Mapping[str, Path]) -> Iterator[bytes]:
    """Yield the exports of a league's tournaments that are among the files. The lines of those say what is wrong."""
    with suppress(ExportError, msgspec.ValidationError):
        exported = league_proof.read(content.splitlines(keepends=True))
        for season in fold_league(exported.league, exported.records).seasons:
            for each in season.tournaments:
                if each.tournament in known:
                    with suppress(OSError):
                        yield content_of(known[each.tournament])


def _outcome(given: _Given) -> Outcome:
    if given.trouble:
        return Outcome(given.file, "not read", given.trouble)
    lines = given.content.splitlines(keepends=True)
    if tournament_proof.is_export(given.content):
        verdict = _tournament(lines, given)
    elif league_proof.is_export(given.content):
        verdict = league_verdict(lines, given.games)
    elif proof.is_export(given.content):
        verdict = _case(lines, given)
    else:
        verdict = verify(lines, LIBRARY)
    result: Result = "proved" if verdict.ok else "not proved"
    return Outcome(given.file, result, _line(verdict), msgspec.to_builtins(verdict))


def _case(lines: list[bytes], given: _Given) -> proof.CaseVerdict:
    verdict = proof.verify(lines, LIBRARY)
    if given.game is None or not verdict.ok:
        return verdict
    try:
        export = read(given.game.splitlines(keepends=True))
    except ExportError:  # the line of that file says so
        return verdict
    with_game = proof.verify(lines, LIBRARY, export)
    if with_game.ok:
        return with_game
    return msgspec.structs.replace(with_game, problem=f"Checked against {given.game_file}: {with_game.problem}")


def _tournament(lines: list[bytes], given: _Given) -> tournament_proof.TournamentVerdict:
    games: dict[GameId, Export] = {}
    for each in given.games:
        with suppress(ExportError):
            export = read(each.splitlines(keepends=True))
            games[export.game] = export
    return tournament_proof.verify(lines, LIBRARY, games)


def league_verdict(lines: list[bytes], exports: Iterable[bytes]) -> league_proof.LeagueVerdict:
    """Verify the export of a league with those of its tournaments, which are to be verified by themselves."""
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
        told = f"{what}, {verdict.events} events, {verdict.status}"
        return f"{told}; not proved: {' '.join(verdict.unproved)}" if verdict.unproved else told
    what = f"case of {verdict.game}" if isinstance(verdict, proof.CaseVerdict) else verdict.ruleset
    return f"{what}, {verdict.events} events, {verdict.status}"
