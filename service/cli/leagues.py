"""Leagues from the command line: their tables, and their proof."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from domain.kernel.proof.export import ExportError
from domain.league import proof
from domain.league.league import fold
from domain.library import LIBRARY
from domain.tournament.proof import verify as verify_tournament
from service.cli.cases import HERE, JsonOption, UrlOption
from service.cli.logs import print_tournament_verdict, read_export
from service.cli.output import bad_input, calling, console, print_json
from service.cli.proving import league_verdict


def register(app: typer.Typer) -> None:
    league = typer.Typer(no_args_is_help=True, help="Leagues: see the tables of a season, and prove them.")
    for command in (show, verify):
        league.command()(command)
    app.add_typer(league, name="league")


def show(
    league: Annotated[str, typer.Argument(metavar="LEAGUE", help="The league's id.")],
    season: Annotated[int | None, typer.Option(min=1, help="The season. Default: the one that began last.")] = None,
    url: UrlOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Print the tables of a season, and what puts each player above the next."""
    with calling(url) as client:
        detail = client.get("/v1/leagues/{league}", league=league, season=season)
    if as_json:
        print_json(detail)
        return
    table_of_season = detail["season"]
    if table_of_season is None:
        console.print("No season has begun.")
        return
    state = "closed" if table_of_season["closed"] else "running, provisional"
    console.print(f"{detail['summary']['title'] or league}, season {table_of_season['number']} ({state})", markup=False)
    for division, table in enumerate(table_of_season["tables"], start=1):
        console.print(f"Division {division}" + ("" if table else ": nobody yet"))
        for each in table:
            why = f"  above the next by {each['above']}" if each["above"] else ""
            moves = f"  {each['moves']}" if each["moves"] else ""
            who = each["name"] or each["player"]
            console.print(f"{each['place']:>4}  {each['points']:>8}  {who}{why}{moves}", markup=False)


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The export of a league.")],
    as_json: JsonOption = False,
) -> None:
    """Verify a league offline with the exports of its tournaments, TOURNAMENT.jsonl in the same folder.

    Exit code: 0 when it is proved; 1 when something is wrong with it or with a tournament; 2 for bad input.
    """
    lines = read_export(file).splitlines(keepends=True)
    if not proof.is_export(lines[0] if lines else b""):
        bad_input(f"{file} is not the export of a league; `tabularium verify` takes those of games and cases")
    exports, wrong = _tournaments_in(file.parent, lines)
    verdict = league_verdict(lines, exports)
    if as_json:
        print_json({**msgspec.to_builtins(verdict), "wrong_tournaments": wrong})
    else:
        for tournament, problem in wrong.items():
            console.print(f"NOT PROVED: {tournament}. {problem}", markup=False)
        print_tournament_verdict(verdict)
    if not verdict.ok or wrong:
        raise typer.Exit(1)


def _tournaments_in(folder: Path, lines: list[bytes]) -> tuple[list[bytes], dict[str, str]]:
    """Return the exports of a league's tournaments that are in a folder, and what is wrong with others."""
    try:
        exported = proof.read(lines)
        seasons = fold(exported.league, exported.records).seasons
    except (ExportError, msgspec.MsgspecError):  # the verdict says so
        return [], {}
    sound, wrong = list[bytes](), dict[str, str]()
    for name in (each.tournament for season in seasons for each in season.tournaments):
        file = next((each for each in (folder / f"{name}.jsonl", folder / f"{name}.jsonl.gz") if each.exists()), None)
        if file is None:
            continue
        content = read_export(file)
        checked = verify_tournament(content.splitlines(keepends=True), LIBRARY, {})
        if checked.ok and checked.tournament == name:
            sound.append(content)
        else:
            wrong[name] = checked.problem or f"{file} is the export of {checked.tournament}."
    return sound, wrong
