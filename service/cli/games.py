"""Playing games from the command line: one through the API, many in memory."""

import time
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.table import Table as RichTable

from domain.kernel.proof.verify import verify
from domain.library import LIBRARY
from service.base.pieces import LOCAL
from service.bots import simulation
from service.bots.bot import GREEDY, RANDOM
from service.bots.demonstration import Demonstration, NotStarted, own_service
from service.bots.registry import levels
from service.cli.dividing import OnOption, results_of
from service.cli.logs import print_verdict
from service.cli.output import (
    bad_input,
    calling,
    console,
    print_json,
    progress_bar,
    ruleset_named,
    writable,
    write_file,
)

RulesetOption = Annotated[str, typer.Option("--ruleset", "-r", help="The ruleset to play.", metavar="ID")]
SeedOption = Annotated[int, typer.Option(help="Fixes the dice and every choice.")]


def register(app: typer.Typer) -> None:
    app.command("play")(play)
    app.command("simulate")(simulate)


def play(
    ruleset: RulesetOption = LIBRARY.default,
    seats: Annotated[int, typer.Option("--seats", min=1, help="How many players.")] = 4,
    seed: Annotated[int, typer.Option(help="Fixes what the bots choose, but not the dice.")] = 1,
    url: Annotated[str | None, typer.Option(help="A running service. Default: start one for this game.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the export to this file.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not print the history.")] = False,
) -> None:
    """Let bots play a game through the HTTP API. Print its history, export it and verify the export."""
    if seats not in (allowed := ruleset_named(ruleset).players):
        bad_input(f"{ruleset} takes {', '.join(map(str, allowed))} players, not {seats}")
    if output:
        writable(output)
    demonstration = Demonstration(ruleset, seats, seed)
    try:
        with nullcontext(url) if url else own_service() as address, calling(address) as client:
            demonstration.begin(client)
            console.print(f"{address}/v1/games/{demonstration.game}: {ruleset}, {seats} players", markup=False)
            _tell(demonstration, quiet)
            exported = client.content("/v1/games/{game}/export", game=demonstration.game)
    except NotStarted as problem:
        bad_input(str(problem))
    target = output or Path(f"{demonstration.game}.jsonl")
    write_file(target, exported)
    console.print(
        f"\nThe export is {target} ({len(exported) // 1024} KiB); `tabularium verify` proves it:", markup=False
    )
    verdict = verify(exported.splitlines(keepends=True), LIBRARY)
    print_verdict(verdict)
    if not verdict.ok:
        raise typer.Exit(1)


def _tell(demonstration: Demonstration, quiet: bool) -> None:
    with progress_bar() as progress:
        task = progress.add_task("", total=demonstration.seats - 1)
        heading = ""
        for passage in demonstration.play():
            where = f"{passage['heading'] or 'Around the table'}; fallen"
            progress.update(task, completed=demonstration.fallen, description=where)
            if quiet:
                continue
            if passage["heading"] and passage["heading"] != heading:
                heading = passage["heading"]
                console.print(f"\n[bold]{heading}[/bold]")
            for sentence in passage["sentences"]:
                console.print(f"{sentence['version']:>6}  {sentence['text']}", markup=False)
        progress.update(task, completed=demonstration.seats - 1)


def simulate(
    ruleset: RulesetOption = LIBRARY.default,
    version: Annotated[int | None, typer.Option(help="An earlier version of its rules.")] = None,
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="How many games.")] = 100,
    seats: Annotated[str, typer.Option(help="Numbers of players, taken in turn, such as 2,3,4.")] = "",
    seed: SeedOption = 1,
    commands: Annotated[int, typer.Option(min=1, help="Stop a game after this number of commands.")] = 20_000,
    rounds: Annotated[int | None, typer.Option(min=1, help="Stop a game after this number of rounds.")] = None,
    processes: Annotated[int, typer.Option(min=1, help="How many processes to use.")] = 2,
    on: OnOption = LOCAL,
    setup: Annotated[str, typer.Option(help="The set-up that the creator chooses, as JSON.")] = "{}",
    greedy: Annotated[bool, typer.Option("--greedy", help="Players that take what looks best.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Let bots play many games in memory, and check the laws. Exit with 1 if one is broken."""
    numbers = _seat_numbers(ruleset, seats)
    level = _level(ruleset, GREEDY if greedy else RANDOM)
    limits = {"commands": commands, "rounds": rounds, "setup": _setup(ruleset, setup), "level": level}
    if version is not None:
        limits["version"] = _version(ruleset, version)
    plans = simulation.plans(ruleset, games, numbers, seed, **limits)
    began = time.perf_counter()
    outcomes: list[simulation.Outcome] = []
    with progress_bar() as progress:
        task = progress.add_task(ruleset, total=games)
        for outcome in results_of(simulation.play_all(plans, processes, on)):
            outcomes.append(outcome)
            progress.advance(task)
    summary = simulation.summarize(outcomes, time.perf_counter() - began)
    faults = [outcome for outcome in outcomes if outcome.fault]
    if as_json:
        print_json({"summary": summary, "faults": faults})
    else:
        _print_summary(ruleset, summary)
        for outcome in faults:
            console.print(f"seed {outcome.plan.seed}, {outcome.plan.seats} seats: {outcome.fault}", markup=False)
    if faults:
        raise typer.Exit(1)


def _setup(ruleset_id: str, setup: str) -> dict[str, Any]:
    try:
        msgspec.json.decode(setup, type=ruleset_named(ruleset_id).setup)
    except msgspec.DecodeError as error:
        bad_input(f"--setup is not a set-up of {ruleset_id} in JSON: {error}")
    return msgspec.json.decode(setup)


def _level(ruleset_id: str, level: str) -> str:
    if level not in levels(ruleset_id):
        bad_input(f"{ruleset_id} has no {level} players; it has {', '.join(levels(ruleset_id))}")
    return level


def _version(ruleset_id: str, version: int) -> int:
    versions = ruleset_named(ruleset_id).versions
    if version not in versions:
        bad_input(f"--version takes a version of {ruleset_id}: {', '.join(map(str, versions))}")
    return version


def _seat_numbers(ruleset_id: str, seats: str) -> list[int]:
    allowed = ruleset_named(ruleset_id).players
    if not seats:
        return list(allowed)
    numbers = [int(part) if part.strip().isdigit() else -1 for part in seats.split(",")]
    if any(number not in allowed for number in numbers):
        bad_input(f"--seats takes numbers from {', '.join(map(str, allowed))}, separated by commas")
    return numbers


def _print_summary(ruleset: str, summary: simulation.Summary) -> None:
    table = RichTable(title=ruleset, show_header=False)
    rows = {
        "games": summary.games,
        "finished": summary.finished,
        "laws broken": summary.faults,
        "events": summary.events,
        "median events a game": summary.median_events,
        "median last round": summary.median_round,
        "wins by seat": ", ".join(f"{seat} {wins}" for seat, wins in summary.wins.items()) or "none",
        "wall time": f"{summary.seconds} s",
    }
    for label, value in rows.items():
        table.add_row(label, str(value))
    console.print(table)
    for number, tables in summary.by_players.items():
        _print_seats(number, tables)


def _print_seats(players: int, tables: simulation.Tables) -> None:
    """Print the results of each seat in the games of one number of players, and the decisions of these games."""
    length = f"{tables.median_commands} commands and {tables.median_events} events (median)"
    title = f"{players} players: {tables.games} games, {length}"
    wins = {seat: f"{tables.wins.get(seat, 0)} ({low:.0%} to {high:.0%})" for seat, (low, high) in tables.share.items()}
    _print_figures(title, tables.score, wins=wins)
    if tables.nations:
        _print_figures("Their nations", tables.nations)
    decisions = ", ".join(f"{kind} {times}" for kind, times in tables.asked.items())
    console.print(f"Asked in a game, on average: {decisions}", markup=False, highlight=False)


def _print_figures(title: str, owners: Mapping[Any, Mapping[str, float]], **more: Mapping[Any, str]) -> None:
    """Print the figures of seats, or of nations, line by line."""
    names = list(dict.fromkeys(name for figures in owners.values() for name in figures))
    table = RichTable("", *more, *names, title=title, title_justify="left", caption="on average at the end")
    for owner, figures in owners.items():
        table.add_row(owner, *(each[owner] for each in more.values()), *(str(figures.get(name, "")) for name in names))
    console.print(table)
