"""Commands for exported logs: fetch one, replay it, verify it, and import it into another service."""

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Final, get_args

import msgspec
import typer
from tabularium_client import Problem

from domain.judging import proof
from domain.judging.fold import fold as fold_case
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Version
from domain.kernel.log.fold import later
from domain.kernel.log.game import Game
from domain.kernel.log.history import read_event, retraction
from domain.kernel.proof.export import Export, ExportError
from domain.kernel.proof.reading import read
from domain.kernel.proof.verify import BEYOND, Verdict
from domain.kernel.proof.verify import verify as verify_export
from domain.kernel.rules.documents import DocumentError
from domain.kernel.rules.message import in_words
from domain.league import proof as league_proof
from domain.league.league import fold as fold_league
from domain.library import LIBRARY
from domain.tournament import proof as tournament_proof
from domain.tournament.fold import fold as fold_tournament
from domain.transparency.certificate import BEYOND as UNCERTIFIED
from domain.transparency.certificate import Certified, certify
from domain.transparency.policy import Policy, PolicyError, read_policy
from service.base.pieces import LOCAL
from service.cli.causes import causes, chance_of
from service.cli.dividing import OnOption, results_of
from service.cli.output import bad_input, calling, console, print_json, progress_bar, read_file, writable, write_file
from service.cli.proving import ENDINGS, Result, content_of, exports_in, is_dump, prove_all

IMPORTING: Final = 120.0
"""Seconds to wait for an import: the service verifies the export, and first those that came before it."""

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="An export: JSON Lines.")]


def register(app: typer.Typer) -> None:
    app.command("replay")(replay)
    app.command("verify")(verify)
    app.command("export")(export)
    app.command("import")(import_)


def replay(
    file: FileArgument,
    to: Annotated[int | None, typer.Option("--to", min=1, help="Stop at this version and print the position.")] = None,
    with_causes: Annotated[
        bool, typer.Option("--causes", help="Say whose command caused each event, when, and how its dice were drawn.")
    ] = False,
    with_options: Annotated[
        bool, typer.Option("--options", help="With --to: print the options at that version instead of the position.")
    ] = False,
) -> None:
    """Print an exported game in sentences, by round and phase."""
    exported = _read(file)
    if to is not None and to > len(exported.records):
        bad_input(f"the export ends at version {len(exported.records)}; --to takes a version up to this one")
    if with_options and to is None:
        bad_input("--options shows what could be done at a version; name the version with --to")
    try:
        chance = chance_of(exported, _as_of(exported, len(exported.records))) if with_causes else None
    except ValueError as error:
        bad_input(f"{file} cannot be replayed with its causes: {error}")
    game, heading = _as_of(exported, 1), ""
    for number, record in enumerate(exported.records[:to], start=1):
        game = _as_of(exported, number) if number == 1 or retraction(record) is not None else later(game, (record,))
        present = game.heading
        if present != heading:
            console.print(f"\n[bold]{present}[/bold]")
            heading = present
        console.print(f"{record.version:>6}  {in_words(read_event(game.ruleset, record), game.names)}", markup=False)
        for line in causes(record, game, chance, exported.secrets) if with_causes else ():
            console.print(f"{'':8}{line}", markup=False)
    if with_options:
        print_json(_open_decisions(game, Vault(exported.secrets)))
    elif to is not None and game.table is not None:
        print_json(game.table.state())


def _open_decisions(game: Game, vault: Vault) -> dict[str, Any]:
    """Return the decisions that a game waits for, and the options of each seat that has to decide."""
    seats = dict.fromkeys(seat for decision in game.decisions for seat in decision.seats)
    try:
        options = {seat: game.options(seat, vault) for seat in seats}
    except KeyError:
        bad_input(
            "the options depend on values that this export hides: export the game when over, or with the seat's token"
        )
    return {"decisions": game.decisions, "options": options}


def _as_of(exported: Export, version: int) -> Game:
    try:
        return exported.fold(LIBRARY, version)
    except DocumentError as error:
        bad_input(f"the export cannot be replayed: {error}")


def _read(file: Path) -> Export:
    try:
        return read(read_export(file).splitlines(keepends=True))
    except ExportError as error:
        bad_input(f"{file} is not a complete export: {error.problem.rstrip('.')} (line {error.line})")


def verify(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…",
            help="Exports (.jsonl, also packed as .jsonl.gz), dumps (.jsonl.zst), or folders with some.",
        ),
    ],
    game: Annotated[
        Path | None,
        typer.Option("--game", help="For the export of a case or a fork: that of its game, to check it against."),
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="A certificate of the game or case: what the service signed of it.")
    ] = None,
    policy: Annotated[
        Path | None, typer.Option(help="A policy file: whose signatures count on the certificate, or those of dumps.")
    ] = None,
    processes: Annotated[int, typer.Option(min=1, help="How many files at once. Default: one a processor.")] = (
        os.cpu_count() or 1
    ),
    on: OnOption = LOCAL,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON; of many, one on a line.")] = False,
) -> None:
    """Verify exported games, cases, tournaments and leagues offline. If one is wrong, name its first bad version.

    Many files and those of folders are verified side by side, and each gets a line. A case is verified with the export
    of its game if that is among them as GAME.jsonl, a tournament with those of its games, and a league with those of
    its tournaments.

    With a certificate and a policy it also says whether this is the log that the service stood by, and who saw it. A
    dump has the certificates of its games beside it: there, give only the policy.

    Exit code: 0 when all is proved; 1 when something is wrong; 2 for bad input, and when a file cannot be read.
    """
    if len(files) > 1 or files[0].is_dir() or is_dump(files[0]):
        _verify_many(files, game or certificate, policy, processes, on, as_json)
        return
    file = files[0]
    if (certificate is None) != (policy is None):
        bad_input("--certificate and --policy belong together: the policy says whose signatures count")
    believed = read_policy_file(policy) if policy is not None else None
    text = read_file(certificate).decode(errors="replace") if certificate is not None else ""
    lines = read_export(file).splitlines(keepends=True)
    if proof.is_export(lines[0] if lines else b""):
        _verify_case(lines, game, text, believed, as_json)
        return
    if tournament_proof.is_export(lines[0] if lines else b""):
        if game is not None:
            bad_input("--game is for a case or a fork; verify a tournament together with the exports of its games")
        _verify_tournament(tournament_proof.verify(lines, LIBRARY, {}), lines, text, believed, as_json)
        return
    if league_proof.is_export(lines[0] if lines else b""):
        if game is not None:
            bad_input("--game is for a case or a fork; verify a league together with the exports of its tournaments")
        _verify_tournament(league_proof.verify(lines, {}), lines, text, believed, as_json)
        return
    against = _verified(game, "The game that is forked") if game is not None else None
    verdict = verify_export(lines, LIBRARY, against)
    certified = _certified(lines, text, believed) if believed is not None and verdict.ok else None
    if as_json:
        extra = {"certificate": certified} if certified is not None else {}
        print_json({**msgspec.to_builtins(verdict), **extra})
    else:
        print_verdict(verdict)
        if certified is not None:
            print_certified(certified)
    if not verdict.ok or (certified is not None and not certified.ok):
        raise typer.Exit(1)


def _verify_many(
    paths: list[Path], alone: Path | None, policy: Path | None, processes: int, on: str, as_json: bool
) -> None:
    files = list(dict.fromkeys(file for each in paths for file in _exports_of(each)))
    if alone is not None:
        bad_input("--game and --certificate are for one file with one export; verify that file alone")
    if policy is not None and not all(map(is_dump, files)):
        bad_input("--policy is for dumps, and for one file with its --certificate; verify that file alone")
    believed = read_policy_file(policy) if policy is not None else None
    results: Counter[Result] = Counter()
    with progress_bar() as progress:
        task = progress.add_task("verified", total=len(files))
        for outcome in results_of(prove_all(files, processes, on, believed)):
            results[outcome.result] += 1
            progress.advance(task)
            if as_json:
                verdict = outcome.verdict or {"ok": False, "problem": outcome.message}
                print(msgspec.json.encode({"file": outcome.file, "result": outcome.result, **verdict}).decode())
            else:
                console.print(f"{outcome.result:10}  {outcome.file}: {outcome.message}", markup=False)
    if not as_json:
        console.print(", ".join(f"{results[each]} {each}" for each in get_args(Result)) + ".", markup=False)
    if code := 1 if results["not proved"] else 2 if results["not read"] else 0:
        raise typer.Exit(code)


def _exports_of(path: Path) -> list[Path]:
    try:
        exports = exports_in(path) if path.is_dir() else [path]
    except OSError as error:
        bad_input(f"{path} cannot be read: {error.strerror}")
    if not exports:
        bad_input(f"{path} has no exports: their names end with {' or '.join(ENDINGS)}")
    return exports


def read_export(file: Path) -> bytes:
    """Return the content of an export, unpacked. If it cannot be read, end with one line that says why."""
    try:
        return content_of(file)
    except OSError as error:
        bad_input(f"{file} cannot be read: {error.strerror or error}")


def _verify_case(lines: list[bytes], game: Path | None, label: str, believed: Policy | None, as_json: bool) -> None:
    against = _verified(game, "The game of the case") if game is not None else None
    verdict = proof.verify(lines, LIBRARY, against)
    certified = _certified(lines, label, believed) if believed is not None and verdict.ok else None
    if as_json:
        extra = {"certificate": certified} if certified is not None else {}
        print_json({**msgspec.to_builtins(verdict), **extra})
    elif not verdict.ok:
        where = f"version {verdict.version}" if verdict.version else f"line {verdict.line}"
        console.print(f"NOT PROVED: {where} of the case is wrong. {verdict.problem}", markup=False)
    else:
        about = f"a case of game {verdict.game}, {verdict.events} events, {verdict.status}"
        console.print(f"Proved: {verdict.case}, {about}.", markup=False)
        _print_sentences(verdict.head, verdict.proved, verdict.unproved)
        if certified is not None:
            print_certified(certified)
    if not verdict.ok or (certified is not None and not certified.ok):
        raise typer.Exit(1)


def _verify_tournament(
    verdict: tournament_proof.TournamentVerdict | league_proof.LeagueVerdict,
    lines: list[bytes],
    label: str,
    believed: Policy | None,
    as_json: bool,
) -> None:
    certified = _certified(lines, label, believed) if believed is not None and verdict.ok else None
    if as_json:
        extra = {"certificate": certified} if certified is not None else {}
        print_json({**msgspec.to_builtins(verdict), **extra})
    else:
        print_tournament_verdict(verdict)
        if certified is not None:
            print_certified(certified)
    if not verdict.ok or (certified is not None and not certified.ok):
        raise typer.Exit(1)


def print_tournament_verdict(verdict: tournament_proof.TournamentVerdict | league_proof.LeagueVerdict) -> None:
    """Print what the verification of a tournament or a league found."""
    is_league = isinstance(verdict, league_proof.LeagueVerdict)
    what, stream = ("league", verdict.league) if is_league else ("tournament", verdict.tournament)
    if not verdict.ok:
        where = f"version {verdict.version}" if verdict.version else f"line {verdict.line}"
        console.print(f"NOT PROVED: {where} of the {what} is wrong. {verdict.problem}", markup=False)
        return
    about = f"a {what}, {verdict.events} events, {verdict.status}"
    console.print(f"Proved: {stream}, {about}.", markup=False)
    _print_sentences(verdict.head, verdict.proved, verdict.unproved)


def _verified(file: Path, what: str) -> Export:
    """Verify the export of another game and return it. If it is wrong, print why, and exit with code 1."""
    verdict = verify_export(read_export(file).splitlines(keepends=True), LIBRARY)
    if not verdict.ok:
        console.print(f"{what}, {file}:", markup=False)
        print_verdict(verdict)
        raise typer.Exit(1)
    return _read(file)


def _print_sentences(head: str, proved: Iterable[str], unproved: Iterable[str]) -> None:
    console.print(f"  Head {head}: compare it with one that was noted earlier.", markup=False)
    for sentence in proved:
        console.print(f"  + {sentence}", markup=False)
    for sentence in unproved:
        console.print(f"  - not proved: {sentence}", markup=False)


def _certified(lines: list[bytes], certificate: str, policy: Policy) -> Certified:
    # Imported late: it imports the library for signatures.
    from service.transparency.keys import check

    if proof.is_export(lines[0]):
        case = proof.read(lines)

        def case_status(version: Version) -> str:
            return fold_case(case.case, case.records[:version]).status

        return certify(case.case, case.records, case_status, certificate, policy, check)
    if tournament_proof.is_export(lines[0]):
        tournament = tournament_proof.read(lines)

        def tournament_status(version: Version) -> str:
            return fold_tournament(tournament.tournament, tournament.records[:version]).status

        return certify(tournament.tournament, tournament.records, tournament_status, certificate, policy, check)
    if league_proof.is_export(lines[0]):
        league = league_proof.read(lines)

        def league_status(version: Version) -> str:
            return fold_league(league.league, league.records[:version]).status

        return certify(league.league, league.records, league_status, certificate, policy, check)
    exported = read(lines)

    def game_status(version: Version) -> str:
        return _as_of(exported, version).status

    return certify(exported.game, exported.records, game_status, certificate, policy, check)


def read_policy_file(path: Path) -> Policy:
    """Return the policy in a file. If it cannot be read, end with one line that says why."""
    try:
        return read_policy(read_file(path))
    except PolicyError as error:
        bad_input(f"{path}: {error}")


def print_certified(certified: Certified) -> None:
    """Print what a certificate proves."""
    if not certified.ok:
        console.print(f"NOT CERTIFIED: {certified.problem}", markup=False)
        return
    assert certified.entry is not None
    console.print(f"Certified: version {certified.entry.version}, {certified.entry.status}.", markup=False)
    for sentence in certified.said:
        console.print(f"  + {sentence}", markup=False)
    for sentence in UNCERTIFIED:
        console.print(f"  ? no certificate can show: {sentence}", markup=False)


def print_verdict(verdict: Verdict) -> None:
    """Print the result of a verification."""
    if not verdict.ok:
        where = f"version {verdict.version}" if verdict.version else f"line {verdict.line}"
        console.print(f"NOT PROVED: {where} is wrong. {verdict.problem}", markup=False)
        return
    console.print(
        f"Proved: {verdict.game}, {verdict.ruleset}, {verdict.events} events, {verdict.status}.", markup=False
    )
    console.print(f"  Head {verdict.head}: compare it with one that was noted while the game was played.", markup=False)
    for sentence in verdict.proved:
        console.print(f"  + {sentence}", markup=False)
    for sentence in verdict.unproved:
        console.print(f"  - not yet: {sentence}", markup=False)
    for sentence in BEYOND:
        console.print(f"  ? no export can show: {sentence}", markup=False)


def export(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game's id.")],
    url: Annotated[str, typer.Option(help="The service's address.")] = "http://127.0.0.1:8000",
    token: Annotated[
        str | None, typer.Option(help="A token, to include the hidden values that it may see in a running game.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write. Default: GAME.jsonl.")
    ] = None,
) -> None:
    """Fetch a game's whole log from a service."""
    if output:
        writable(output)
    with calling(url, token) as client:
        content = client.content("/v1/games/{game}/export", game=game)
    target = output or Path(f"{game}.jsonl")
    write_file(target, content)
    console.print(f"{target}: {len(content.splitlines())} lines", markup=False)


def import_(
    file: FileArgument,
    token: Annotated[str, typer.Option(envvar="TABULARIUM_TOKEN", help="A token with the scope organize.")],
    url: Annotated[str, typer.Option(help="The service's address.")] = "http://127.0.0.1:8000",
    certificate: Annotated[
        Path | None, typer.Option(help="The certificate of the end of the game: its service signed it.")
    ] = None,
    policy: Annotated[Path | None, typer.Option(help="The policy of that service, with a certificate.")] = None,
) -> None:
    """Bring a game that another service recorded to a service, which verifies it and keeps it to be looked at."""
    body = {"export": _text(read_export(file), file)}
    for name, path in (("certificate", certificate), ("policy", policy)):
        if path is not None:
            body[name] = _text(read_file(path), path)
    with calling(url, token, IMPORTING) as client:
        try:
            imported = client.post("/v1/games/import", body)
        except Problem as problem:
            if problem.type != "/problems/not-imported":
                raise
            rule = problem.document["rule"]
            console.print(f"{file}: not imported ({rule}). {problem.detail}", markup=False)
            raise typer.Exit(1) from None
    address = f"{url.rstrip('/')}/imports/{imported['id']}"
    console.print(f"{address}\nGame {imported['game']}. {imported['provenance']}", markup=False)


def _text(content: bytes, file: Path) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        bad_input(f"{file} is not UTF-8: give the file as the service gave it")
