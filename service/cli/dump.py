"""``tabularium dump``: the finished public games of each month, as files, for anybody who wants all of them."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from service.base.clock import stamp, utc_now
from service.base.extras import MissingExtra, needs_extra
from service.base.pieces import LOCAL, in_pieces
from service.base.settings import DATABASE_URL, Settings, SettingsError, from_env
from service.cli.dividing import OnOption, results_of
from service.cli.output import bad_input, console, progress_bar
from service.store.protocol import EventStore, StoreError, StreamDamaged

if TYPE_CHECKING:
    from service.dumps.choosing import Due, Plan
    from service.dumps.index import DumpSet
    from service.dumps.making import Folder

T = TypeVar("T")


def register(app: typer.Typer) -> None:
    app.command("dump")(dump)


def dump(
    directory: Annotated[
        Path | None, typer.Argument(metavar="DIRECTORY", help="Where dumps are. Default: TABULARIUM_DUMPS.")
    ] = None,
    days: Annotated[int, typer.Option(min=0, help="Make a month's dumps this many days after its end.")] = 3,
    data: Annotated[Path | None, typer.Option(help="Data directory (TABULARIUM_DATA).")] = None,
    url: Annotated[
        str | None,
        typer.Option(help=f"A PostgreSQL database; {DATABASE_URL} if absent.", metavar="URL", show_default=False),
    ] = None,
    processes: Annotated[int, typer.Option(min=1, help="How many processes. Default: one a processor.")] = (
        os.cpu_count() or 1
    ),
    on: OnOption = LOCAL,
) -> None:
    """Write the finished public games of each ruleset and month into DIRECTORY: exports and tables, with checksums.

    You can run this beside a service, and stop it at any time: run it again to go on. What is complete is never written
    again. A month whose games the transparency log does not have yet waits, unless TABULARIUM_TRANSPARENCY is false.

    It needs the packages of tabularium[data]. Exit code 1 when a game cannot be read: its month waits.
    """
    overrides = {"TABULARIUM_DATA": str(data) if data is not None else None, DATABASE_URL: url}
    try:
        settings = from_env({**os.environ, **{name: value for name, value in overrides.items() if value is not None}})
    except SettingsError as error:
        bad_input(str(error))
    if (path := directory or settings.dumps) is None:
        bad_input("no DIRECTORY is given, and TABULARIUM_DUMPS is not set: give one of them")
    if not settings.database_url and not settings.database.exists():
        bad_input(f"there is no store in {settings.data}: give its data directory by --data")
    try:
        with needs_extra("data", "a dump"):
            from service.dumps.index import DumpsUnreadable
            from service.dumps.making import Folder, InUse
    except MissingExtra as error:
        bad_input(str(error))
    folder = Folder(path)
    try:
        with folder.locked(), asyncio.Runner() as runner:
            ok = _Dumping(settings, folder, runner, processes, on).run(days)
    except (StoreError, MissingExtra, DumpsUnreadable, InUse) as error:
        bad_input(str(error))
    except OSError as error:
        bad_input(f"{error.filename or path} cannot be used: {error.strerror}")
    if not ok:
        raise typer.Exit(1)


class _Dumping:
    """One run of the command. It reads the store between pieces, so that no piece is in memory before it is needed."""

    def __init__(self, settings: Settings, folder: "Folder", runner: asyncio.Runner, processes: int, on: str) -> None:
        self._settings = settings
        self._folder = folder
        self._runner = runner
        self._processes = processes
        self._on = on

    def run(self, days: int) -> bool:
        """Make the sets that are due; return False if one could not be made, because a game is damaged."""
        from service.dumps.choosing import due_sets
        from service.dumps.index import read_index
        from service.dumps.pieces import GameDamaged
        from service.store.backend import backend_of

        count_made, waits, bad = 0, 0, 0
        store = self._runner.run(backend_of(self._settings).open_store())
        try:
            complete = {each.key for each in read_index(self._folder.path)}
            for (month, ruleset), each in self._runner.run(due_sets(store, complete, utc_now(), days)).items():
                plan = self._plan(store, ruleset, month, each)
                if plan is None:
                    waits += 1
                    continue
                try:
                    _tell(self._make(store, plan))
                    count_made += 1
                except (GameDamaged, StreamDamaged) as error:
                    print(f"tabularium: {plan.name} cannot be made: {error}", file=sys.stderr)
                    bad += 1
        finally:
            self._runner.run(store.close())
        console.print(f"{count_made} new, {len(complete)} as before in {self._folder.path}", markup=False)
        if waits:
            console.print(f"{waits} wait until the transparency log has their games", markup=False)
        return not bad

    def _plan(self, store: EventStore, ruleset: str, month: str, due_set: "Due") -> "Plan | None":
        """Return the plan of a set: its unfinished plan, if there is one. None while the set has to wait."""
        from service.dumps.choosing import Plan, signed

        package = version("tabularium")
        plan = self._folder.unfinished_plan(f"{ruleset}-{month}", package)
        if plan is not None:
            return plan
        checkpoint, places = None, ()
        if self._settings.transparency:
            cosigned = self._runner.run(signed(store, due_set.games))
            if cosigned is None:
                return None
            checkpoint, places = cosigned
        refusals = tuple(self._runner.run(self._refusals(ruleset)))
        licence = self._settings.dumps_licence
        plan = Plan(
            package, ruleset, month, licence, tuple(due_set.games), tuple(due_set.rulings), refusals, checkpoint, places
        )
        self._folder.begin(plan)
        return plan

    async def _refusals(self, ruleset: str) -> list[tuple[object, ...]]:
        from domain.library import LIBRARY
        from projections.store import NotBuilt
        from service.dumps.choosing import refusals
        from service.store.backend import backend_of

        backend = backend_of(self._settings)
        if not backend.has_projections():
            return []
        rows = await backend.open_projections()
        try:
            return await refusals(rows, LIBRARY, ruleset, stamp(utc_now))
        except NotBuilt:  # a service has not folded the log yet
            return []
        finally:
            await rows.close()

    def _make(self, store: EventStore, plan: "Plan") -> "DumpSet":
        from service.dumps.making import certificates, count, pieces
        from service.dumps.pieces import make

        present = [number for number in range(count(plan)) if self._folder.has(plan, number)]
        missing = self._iterate(pieces(store, plan, present.__contains__))
        # Workers are new programs, because this process has the threads of a store and must not fork.
        with progress_bar() as bars:
            bar = bars.add_task(plan.name, total=count(plan), completed=len(present))
            for piece in results_of(
                in_pieces(make, missing, min(self._processes, max(1, count(plan))), self._on, fresh=True)
            ):
                self._folder.keep(plan, piece)
                bars.advance(bar)
        return self._folder.finish(plan, self._runner.run(certificates(store, plan)))

    def _iterate(self, items: AsyncIterator[T]) -> Iterator[T]:
        """Yield the items of an asynchronous iterator, each when it is needed."""

        async def following() -> T | None:
            return await anext(items, None)

        while (item := self._runner.run(following())) is not None:
            yield item


def _tell(dump_set: "DumpSet") -> None:
    size = sum(each.bytes for each in dump_set.files)
    console.print(
        f"{dump_set.ruleset} {dump_set.month}: {dump_set.games} games, {dump_set.events} events, {size} bytes",
        markup=False,
    )
