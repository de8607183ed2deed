"""Tournaments from the command line: announced, drawn and published by directors, and proved by anybody."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import quote

import msgspec
import typer

from domain.kernel.ids import GameId
from domain.kernel.proof.export import Export, ExportError
from domain.kernel.proof.reading import read
from domain.kernel.proof.verify import verify as verify_game
from domain.library import LIBRARY
from domain.tournament import proof
from domain.tournament.fold import fold
from domain.tournament.regulations import Regulations
from domain.tournament.standings import standings as standings_of
from service.cli.cases import HERE, JsonOption, UrlOption
from service.cli.logs import print_tournament_verdict, read_export
from service.cli.output import bad_input, calling, console, print_json, read_file, write_file

TokenOption = Annotated[str, typer.Option("--token", help="A token of a director, with the scope organize.")]
KeyOption = Annotated[
    str | None, typer.Option(help="An idempotency key: a repetition with the same key gets the same response.")
]
TournamentArgument = Annotated[str, typer.Argument(metavar="TOURNAMENT", help="The tournament's id.")]

PARTS: Final = ("sizes", "scores", "meetings", "clubs", "byes")
"""The parts of a draw's cost. Its total is their sum."""


def register(app: typer.Typer) -> None:
    tournament = typer.Typer(
        no_args_is_help=True, help="Tournaments: announce one, draw its rounds, publish them, see and prove standings."
    )
    for command in (new, draw, publish, standings, export, verify):
        tournament.command()(command)
    app.add_typer(tournament, name="tournament")


def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The regulations: JSON, as in the guide.")],
    token: TokenOption,
    title: Annotated[str, typer.Option(help="A line that tells people what tournament this is.")] = "",
    key: KeyOption = None,
    url: UrlOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Announce a tournament, and print its id. Players can enter from then on."""
    content = read_file(file)
    try:
        regulations = msgspec.json.decode(content, type=Regulations)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        bad_input(f"{file} has no regulations: {error}")
    body = {"title": title, "regulations": msgspec.to_builtins(regulations)}
    detail = _post(url, token, "/v1/tournaments", body, key)
    if as_json:
        print_json(detail)
    else:
        console.print(detail["summary"]["tournament"], markup=False)


def draw(
    tournament: TournamentArgument,
    token: TokenOption,
    key: KeyOption = None,
    url: UrlOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Draw the next round: close its check-in, draw its lots, and make a draft of its tables.

    Run it again to make another draft with the same lots. All drafts stay on the record.
    """
    round_ = _post(url, token, f"{_path(tournament)}/rounds", None, key)
    if as_json:
        print_json(round_)
        return
    draft, names = round_["drafts"][-1], _names(url, tournament)
    cost, bound = draft["cost"], draft["bound"]
    parts = ", ".join(f"{name} {cost[name]}" for name in PARTS if cost[name])
    least = "" if bound is None else ", the least" if bound == cost["total"] else f", {bound} or more are needed"
    number = f"Round {round_['number']}, draft {draft['draft']}"
    console.print(f"{number}, by {draft['by']}: costs {cost['total']}{f' ({parts})' if parts else ''}{least}.")
    _print_tables(draft["drawn"]["tables"], draft["drawn"].get("byes", ()), names)


def publish(
    tournament: TournamentArgument,
    token: TokenOption,
    draft: Annotated[int | None, typer.Option(min=1, help="The number of the draft. Default: the newest.")] = None,
    key: KeyOption = None,
    url: UrlOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Publish a draft of the round that is being drawn. The service then opens a game for each table."""
    rounds = _get(url, _path(tournament))["rounds"]
    # A repetition with the same key gets its first answer, even if the round has been published since.
    last = rounds[-1] if rounds else None
    if last is None or (last["status"] != "drawn" and key is None):
        bad_input("no round is being drawn; draw one first: tabularium tournament draw")
    path = f"{_path(tournament)}/rounds/{last['number']}"
    if draft is None:
        drafts = _get(url, path)["drafts"]
        if not drafts:
            bad_input(f"round {last['number']} has no draft; draw one first: tabularium tournament draw")
        draft = len(drafts)
    published = _post(url, token, f"{path}/publication", {"draft": draft}, key)
    if as_json:
        print_json(published)
        return
    console.print(f"Round {published['number']} is published.")
    _print_tables([each["players"] for each in published["tables"]], published["byes"], _names(url, tournament))


def standings(tournament: TournamentArgument, url: UrlOption = HERE, as_json: JsonOption = False) -> None:
    """Print where everybody stands, and what puts each above the next."""
    answer = _get(url, f"{_path(tournament)}/standings")
    if as_json:
        print_json(answer)
        return
    for each in answer["items"]:
        who = each["name"] or each["player"]
        why = f"  above the next by {each['above']}" if each["above"] else ""
        provisional = "  (provisional)" if each["provisional"] else ""
        console.print(f"{each['place']:>4}  {each['points']:>8}  {who}{why}{provisional}", markup=False)
    if not answer["items"]:
        console.print("Nobody has entered.")


def export(
    tournament: TournamentArgument,
    folder: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to, which is made.")] = Path(),
    url: UrlOption = HERE,
) -> None:
    """Fetch the whole log of a tournament and the logs of its games, for `tournament verify`.

    The tournament's file is written last: when it is there, so are those of its games.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        bad_input(f"{folder} is no folder to write to: {error.strerror}")
    try:
        with calling(url) as client:
            content = client.content("/v1/tournaments/{tournament}/export", tournament=tournament)
            exported = proof.read(content.splitlines(keepends=True))
            games = fold(exported.tournament, exported.records).games
            for game in games:
                write_file(folder / f"{game}.jsonl", client.content("/v1/games/{game}/export", game=game))
    except (ExportError, msgspec.MsgspecError) as problem:
        bad_input(str(problem))
    target = folder / f"{exported.tournament}.jsonl"
    write_file(target, content)
    console.print(f"{target}: {len(exported.records)} events, and the logs of {len(games)} games", markup=False)


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The export of a tournament.")],
    games: Annotated[
        Path | None,
        typer.Option(help="The folder with the exports of its games, GAME.jsonl. Default: that of FILE."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Verify a tournament offline with the exports of its games, and print the standings that follow.

    Exit code: 0 when it is proved; 1 when something is wrong with it or with a game; 2 for bad input.
    """
    lines = read_export(file).splitlines(keepends=True)
    if not proof.is_export(lines[0] if lines else b""):
        bad_input(f"{file} is not the export of a tournament; `tabularium verify` takes those of games and cases")
    folder = games or file.parent
    if not folder.is_dir():
        bad_input(f"{folder} is no folder")
    exports, wrong = _games_in(folder, lines)
    verdict = proof.verify(lines, LIBRARY, exports)
    if as_json:
        print_json({**msgspec.to_builtins(verdict), "wrong_games": wrong})
    else:
        for game, problem in wrong.items():
            console.print(f"NOT PROVED: {game}. {problem}", markup=False)
        print_tournament_verdict(verdict)
    if not verdict.ok or wrong:
        raise typer.Exit(1)
    if not as_json:
        exported = proof.read(lines)
        for each in standings_of(fold(exported.tournament, exported.records).field):
            console.print(f"{each.place:>4}  {each.points!s:>8}  {each.player}", markup=False)


def _games_in(folder: Path, lines: list[bytes]) -> tuple[dict[GameId, Export], dict[str, str]]:
    """Return the exports of a tournament's games that are in a folder, and what is wrong with others."""
    try:
        exported = proof.read(lines)
        games = fold(exported.tournament, exported.records).games
    except (ExportError, msgspec.MsgspecError):  # the verdict says so
        return {}, {}
    exports, wrong = dict[GameId, Export](), dict[str, str]()
    for game in games:
        file = next((each for each in (folder / f"{game}.jsonl", folder / f"{game}.jsonl.gz") if each.exists()), None)
        if file is None:
            continue
        content = read_export(file).splitlines(keepends=True)
        checked = verify_game(content, LIBRARY)
        if checked.ok and checked.game == game:
            exports[game] = read(content)
        else:
            wrong[game] = checked.problem or f"{file} is the export of {checked.game}."
    return exports, wrong


def _print_tables(tables: Iterable[Iterable[str]], byes: Iterable[str], names: Mapping[str, str]) -> None:
    for number, players in enumerate(tables, start=1):
        console.print(f"  Table {number}: {', '.join(names.get(each, each) for each in players)}", markup=False)
    for each in byes:
        console.print(f"  Bye: {names.get(each, each)}", markup=False)


def _names(url: str, tournament: str) -> dict[str, str]:
    players = _get(url, _path(tournament))["players"]
    return {each["player"]: each["name"] or each["player"] for each in players}


def _path(tournament: str) -> str:
    return f"/v1/tournaments/{quote(tournament, safe='')}"


def _get(url: str, path: str) -> Any:
    with calling(url) as client:
        return client.get(path)


def _post(url: str, token: str, path: str, body: Any, key: str | None) -> Any:
    with calling(url, token) as client:
        return client.post(path, body, key=key)
