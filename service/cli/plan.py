"""``tabularium plan``: what a service of a given size needs."""

from typing import Annotated, Any

import msgspec
import typer
from msgspec.structs import replace
from rich.table import Table

from service.base.extras import MissingExtra, needs_extra
from service.cli.output import bad_input, console, print_json
from service.planning.model import PRICES, USUAL, Load, Plan, Prices, measured, planned


def register(app: typer.Typer) -> None:
    app.command("plan")(plan)


def plan(
    games: Annotated[float, typer.Option(help="Games that go on at the same time.")],
    commands: Annotated[float, typer.Option(help="Commands that a game gets in a day.")] = USUAL.commands,
    watchers: Annotated[float, typer.Option(help="Clients that follow a game at the same time.")] = USUAL.watchers,
    reads: Annotated[float, typer.Option(help="Requests that come with each command.")] = USUAL.reads,
    events: Annotated[float, typer.Option(help="Events that a command makes.")] = USUAL.events,
    peak: Annotated[float, typer.Option(help="The busiest hour of a day, as a multiple of the average.")] = USUAL.peak,
    finished: Annotated[
        float, typer.Option(help="The share of a year's events that can be archived.")
    ] = USUAL.finished,
    clients: Annotated[
        int | None,
        typer.Option(min=1, help="Clients that a process keeps (TABULARIUM_CONNECTIONS).", show_default=False),
    ] = None,
    prices: Annotated[
        tuple[float, float, float],
        typer.Option(help="A month of a core, of a GiB of memory and of one of disk.", metavar="P P P"),
    ] = (PRICES.core, PRICES.memory, PRICES.disk),
    simulate: Annotated[
        float | None,
        typer.Option(help="Also play the busiest time for this many seconds (needs tabularium[plan]).", metavar="S"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say how many processes, connections and how much disk these games need, and what a month of that costs.

    The costs of a command, a read or an event were measured (deploy/README.md, "Growing", says on what). A plan leaves
    two fifths of every core for bursts, and counts a standby for the database.
    """
    try:
        load = msgspec.convert(
            {
                "games": games, "commands": commands, "events": events, "watchers": watchers, "reads": reads,
                "peak": peak, "finished": finished,
            },
            Load,
        )  # fmt: skip
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at `$.")
        bad_input(f"--{where.rstrip('`')}: {message[0].lower()}{message[1:]}")
    if min(prices) < 0:
        bad_input("--prices takes three numbers that are not negative")
    if simulate is not None and not 0 < simulate <= 3600:
        bad_input("--simulate takes a number of seconds above 0, 3600 at most")
    costs = measured()
    costs = costs if clients is None else replace(costs, clients=clients)
    planning = planned(load, costs, Prices(**dict(zip(Prices.__struct_fields__, prices, strict=True))))
    simulated = None
    if simulate is not None:
        from service.planning.simulation import simulate as played

        try:
            with needs_extra("plan", "--simulate"):
                simulated = played(load, planning, costs, simulate)
        except MissingExtra as error:
            bad_input(str(error))
    if as_json:
        print_json({"plan": planning, "simulated": simulated})
        return
    console.print(_table(planning))
    if simulated is not None:
        times = (
            f"half within {simulated.p50:.1f} ms, 95 of 100 within {simulated.p95:.1f}, 99 within {simulated.p99:.1f}"
        )
        percentiles = f", {times}" if simulated.commands > 1 else "; simulate for longer to see how soon"
        console.print(f"{simulated.commands} commands answered{percentiles}")
        for part, use in sorted(simulated.use.items(), key=lambda each: -each[1]):
            console.print(f"  {use:6.1%} busy: {part}")
        console.print(f"saturated first, with these: {simulated.first}, at {simulated.room:.1f} times the load")


def _table(result: Plan) -> Table:
    table = Table(show_header=False, box=None)
    rows: list[tuple[str, Any]] = [
        ("step", result.step),
        ("commands a second", f"{result.commands:.2f}, in the busiest hour {result.busiest:.2f}"),
        ("processes that serve", f"{result.processes} ({result.serving:.2f} cores of work)"),
        ("processes for projections", f"{result.folders} ({result.folding:.2f} cores of work)"),
        ("transparency log", f"{result.entering:.2f} cores of work of one process"),
        ("cores of the database", f"{result.database_cores} ({result.database:.2f} cores of work)"),
        ("connections to it", result.connections),
        ("memory", f"{result.memory:.1f} GiB"),
        ("a year of the log", f"{result.log:.1f} GiB"),
        ("of it in the archive", f"{result.archive:.1f} GiB"),
        ("a year of projections", f"{result.rows:.1f} GiB"),
        ("of the transparency log", f"{result.tree:.1f} GiB"),
        ("a month, after a year", f"{result.month:.0f}"),
    ]
    for what, value in rows:
        table.add_row(what, str(value))
    return table
