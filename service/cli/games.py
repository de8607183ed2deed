"""Playing games from the command line: one through the API, many in this process."""

import time
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as RichTable

from service import simulation
from service.cli.output import bad_input, console, print_json, ruleset_named

RulesetOption = Annotated[str, typer.Option("--ruleset", "-r", help="The ruleset to play.", metavar="ID")]
SeedOption = Annotated[int, typer.Option(help="Fixes the dice and every choice.")]


def register(app: typer.Typer) -> None:
    app.command("simulate")(simulate)


def simulate(
    ruleset: RulesetOption = "conquest-classic-friz",
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="How many games.")] = 100,
    seats: Annotated[str, typer.Option(help="Numbers of players, taken in turn, such as 2,3,4.")] = "",
    seed: SeedOption = 1,
    commands: Annotated[int, typer.Option(min=1, help="A game is broken off after so many commands.")] = 20_000,
    rounds: Annotated[int | None, typer.Option(min=1, help="A game is broken off after so many rounds.")] = None,
    processes: Annotated[int, typer.Option(min=1, help="Games played side by side.")] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play many games between random players and check the laws; exit code 1 when one is broken."""
    numbers = _seat_numbers(ruleset, seats)
    plans = simulation.plans(ruleset, games, numbers, seed, commands=commands, rounds=rounds)
    began = time.perf_counter()
    outcomes: list[simulation.Outcome] = []
    with _progress(hidden=as_json) as progress:
        task = progress.add_task(ruleset, total=games)
        for outcome in simulation.play_all(plans, processes):
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


def _seat_numbers(ruleset_id: str, seats: str) -> list[int]:
    allowed = ruleset_named(ruleset_id).players
    if not seats:
        return list(allowed)
    numbers = [int(part) if part.strip().isdigit() else -1 for part in seats.split(",")]
    if any(number not in allowed for number in numbers):
        bad_input(f"--seats takes numbers out of {', '.join(map(str, allowed))}, separated by commas")
    return numbers


def _progress(*, hidden: bool) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, disable=hidden, transient=True)


def _print_summary(ruleset: str, summary: simulation.Summary) -> None:
    table = RichTable(title=ruleset, show_header=False)
    rows = {
        "games": summary.games,
        "finished by victory": summary.finished,
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
