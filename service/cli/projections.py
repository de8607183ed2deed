"""``tabularium projections``: keep the read models up to date, show their state, rebuild one while the service runs."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from msgspec import Struct
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from domain.library import LIBRARY
from projections import finished
from projections.lanes import LANES
from projections.library import COUNTED, PROJECTIONS
from projections.ratings import RATINGS
from projections.runner import Stopped
from projections.store import Generation, Overtaken, ProjectionStore, Trouble, Unavailable
from service.base.extras import MissingExtra
from service.base.settings import Settings, SettingsError, from_env
from service.cli.output import bad_input, console, print_json
from service.store.protocol import EventStore, StoreError

T = TypeVar("T")

DataOption = Annotated[Path | None, typer.Option(help="Data directory (TABULARIUM_DATA).")]


class Standing(Struct, frozen=True):
    """The state of a projection: ``live``, ``building``, ``stopped`` or ``missing``.

    `events` and `behind` count the events of the log that it has folded, and has yet to fold. For ratings, they count
    results.
    """

    projection: str
    state: str
    version: int
    generation: int
    events: int
    behind: int
    trouble: Trouble | None = None


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Read models: keep them up to date, show their state, rebuild one.", no_args_is_help=True)
    group.command("run")(run)
    group.command("status")(status)
    group.command("rebuild")(rebuild)
    app.add_typer(group, name="projections")


def run(data: DataOption = None) -> None:
    """Keep the projections up to date, in a process of their own, until SIGINT or SIGTERM.

    Use this with services that run with TABULARIUM_PROJECTIONS=false. On PostgreSQL, up to 16 such processes share the
    work.
    """
    from service import ratings, readmodels
    from service.api.operations.exporter import Exporter
    from service.app import open_redis, open_wake
    from service.observe.logging import configure, log
    from service.observe.metrics import Metrics
    from service.server import serving_metrics

    settings = _settings(data)

    async def keep() -> None:
        async with AsyncExitStack() as opened:
            store, rows = await opened.enter_async_context(_stores(data))
            watched, redis = Metrics(), None
            if settings.redis_url:
                redis = await opened.enter_async_context(open_redis(settings, watched))
            wake = await opened.enter_async_context(open_wake(store, redis))
            serving = serving_metrics(Exporter(watched, store, rows), settings, watched)
            metrics = await opened.enter_async_context(serving)
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, wake.close)
            log.info("projections are kept", metrics=metrics, settings=settings.visible_values())
            async with ratings.counting(store, rows, wake):
                await readmodels.follow(store, rows, LIBRARY, wake)

    configure(settings.log_level)
    _run(keep())


def status(
    data: DataOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show how far each projection is, and why one has stopped. Exit with 1 if one has."""

    from service import ratings

    async def ask() -> list[Standing]:
        async with _stores(data) as (store, rows):
            generations = await rows.generations()
            return standings(generations, await store.events(), await ratings.behind(rows, generations))

    all_standings = _run(ask())
    if as_json:
        print_json(all_standings)
    else:
        table = Table("projection", "state", "version", "generation", "events", "behind")
        for each in all_standings:
            figures = (each.version, each.generation, each.events, each.behind)
            table.add_row(each.projection, each.state, *map(str, figures))
        console.print(table)
        for each in all_standings:
            if each.trouble is not None:
                where = f"version {each.trouble.version} of game {each.trouble.game}"
                console.print(f"{each.projection} stopped at {where}: {each.trouble.why}", markup=False)
    if any(each.trouble is not None for each in all_standings):
        raise typer.Exit(1)


def rebuild(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The projection, or `all`.")],
    data: DataOption = None,
    processes: Annotated[
        int, typer.Option(min=1, max=LANES, help="How many processes share the work. More than one help on PostgreSQL.")
    ] = 1,
) -> None:
    """Rebuild a projection from the whole log, beside the rows that are read. It then replaces them.

    The service can go on meanwhile. When one of several processes dies, the others do its part.
    """
    names = [projection.name for projection in (*PROJECTIONS, *COUNTED)]
    if name != "all" and name not in names:
        bad_input(f"there is no projection {name!r}; known: {', '.join(names)}, and `all` for each in turn")

    from service import readmodels
    from service.ratings import counter

    async def build() -> None:
        async with _stores(data) as (store, rows):
            runner = readmodels.runner(store, rows, LIBRARY)
            total = await store.events()
            with Progress(*_COLUMNS, console=console) as progress:
                for each in names if name == "all" else [name]:
                    if each == RATINGS.name:
                        task = progress.add_task(each, total=await finished.total(rows))
                        await counter(store, rows).rebuild()
                        progress.update(task, completed=await finished.total(rows))
                        continue
                    task = progress.add_task(each, total=total)
                    generation = await runner.begin(each)
                    with _sharing(generation, data, processes - 1):
                        complete = await runner.join(
                            generation,
                            lambda events, task=task: progress.update(task, completed=events),
                            alone=processes == 1,
                        )
                    progress.update(task, completed=complete.events, total=complete.events)

    try:
        _run(build())
    except (Stopped, Overtaken) as error:
        console.print(f"{error}; the rows that are read stay as they were", markup=False)
        raise typer.Exit(1) from None


@contextmanager
def _sharing(generation: Generation, data: Path | None, processes: int) -> Iterator[None]:
    """Let further processes take part in a rebuild. They end with it."""
    spawn = get_context("spawn")
    started = [spawn.Process(target=take_part, args=(generation, data), daemon=True) for _ in range(processes)]
    for process in started:
        process.start()
    try:
        yield
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.join()


def take_part(generation: Generation, data: Path | None) -> None:
    """Take part in a rebuild until it is over. Errors are ignored here: the process that began it meets them, too."""
    from service import readmodels

    async def work() -> None:
        async with _stores(data) as (store, rows):
            await readmodels.runner(store, rows, LIBRARY).join(generation)

    with suppress(Stopped, Overtaken, StoreError, Unavailable):
        asyncio.run(work())


_COLUMNS = (
    TextColumn("{task.description}"),
    BarColumn(),
    MofNCompleteColumn(),
    TextColumn("events"),
    TimeElapsedColumn(),
    TimeRemainingColumn(),
)


def standings(
    generations: list[Generation], events: int, rating_counts: Mapping[int, tuple[int, int]] = {}
) -> list[Standing]:
    """Return the state of each projection. `events` is how many events the log has.

    `rating_counts` has, for each generation of ratings, how many results it has counted and has yet to count.
    """
    rows: list[Standing] = []
    for projection in (*PROJECTIONS, *COUNTED):
        mine = [each for each in generations if each.projection == projection.name]
        for each in mine or [None]:
            number, version = (each.number, each.version) if each is not None else (0, projection.version)
            counted_events = each.events if each is not None else 0
            late = max(0, events - counted_events)
            if projection in COUNTED:
                counted_events, late = rating_counts.get(number, (0, 0))
            trouble = each.trouble if each is not None else None
            state = "missing" if each is None else "live" if each.live else "building"
            rows.append(
                Standing(
                    projection.name, "stopped" if trouble else state, version, number, counted_events, late, trouble
                )
            )
    return rows


@asynccontextmanager
async def _stores(data: Path | None) -> AsyncIterator[tuple[EventStore, ProjectionStore]]:
    """Open the log that the settings choose and its projections, beside a service that may run on them."""
    # Imported late, because only some commands need it.
    from service.store.backend import backend_of

    settings = _settings(data)
    backend = backend_of(settings)
    if not backend.exists():
        bad_input(f"{settings.data} contains no database; name the service's data directory with --data")
    store = await backend.open_store()
    try:
        rows = await backend.open_projections()
        try:
            yield store, rows
        finally:
            await rows.close()
    finally:
        await store.close()


def _settings(data: Path | None) -> Settings:
    overrides = {"TABULARIUM_DATA": str(data)} if data is not None else {}
    try:
        return from_env({**os.environ, **overrides})
    except SettingsError as error:
        bad_input(str(error))


def _run(work: Coroutine[Any, Any, T]) -> T:
    try:
        return asyncio.run(work)
    except (StoreError, MissingExtra, Unavailable) as error:
        bad_input(str(error))
