"""``tabularium archive``: packs the logs of games that are over and old."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from service.base.clock import utc_now, written
from service.base.extras import MissingExtra, needs_extra
from service.base.settings import DATABASE_URL, Settings, SettingsError, from_env
from service.cli.output import bad_input, console, progress_bar
from service.store.archiving import Archive, Packed
from service.store.outside import PlaceAway, place_of
from service.store.protocol import StoreError


def register(app: typer.Typer) -> None:
    app.command("archive")(archive)


def archive(
    older_than: Annotated[int, typer.Option(min=0, help="Only games without a change for this many days.")] = 30,
    limit: Annotated[int, typer.Option(min=1, help="The most games to pack.")] = 1_000_000,
    data: Annotated[Path | None, typer.Option(help="Data directory (TABULARIUM_DATA).")] = None,
    url: Annotated[
        str | None,
        typer.Option(
            help=f"A PostgreSQL database, as its owner; {DATABASE_URL} if absent.", metavar="URL", show_default=False
        ),
    ] = None,
    move: Annotated[
        bool, typer.Option("--move", help="Pack nothing: move packed logs to the place that TABULARIUM_ARCHIVE names.")
    ] = False,
    source: Annotated[
        str | None,
        typer.Option(
            "--from", help="With --move, the folder or bucket that has them.", metavar="PLACE", show_default=False
        ),
    ] = None,
) -> None:
    """Pack the logs of games that are over. You can run this beside a service, and stop it at any time.

    Everything can be read as before: the games, their exports, and the log in its order. A log takes about 20 bytes an
    event instead of 370. A game that the transparency log does not have yet waits, unless TABULARIUM_TRANSPARENCY is
    false. Exit code 1 when a game could not be packed, because its log is damaged; nothing of it is changed.

    With TABULARIUM_ARCHIVE, what is packed goes to a folder or a bucket. `--move` also takes there what was packed
    before, or brings it back into the database when the setting is empty. Nothing is deleted from the place `--from`.
    """
    if source is not None and not move:
        bad_input("--from names where something is to be moved from: add --move")
    overrides = {"TABULARIUM_DATA": str(data) if data is not None else None, DATABASE_URL: url}
    try:
        settings = from_env({**os.environ, **{name: value for name, value in overrides.items() if value is not None}})
    except SettingsError as error:
        bad_input(str(error))
    if move:
        _move(settings, source or "")
        return
    before = written(utc_now() - timedelta(days=older_than))
    try:
        outcomes, waits = asyncio.run(_archive(settings, before, limit))
    except (StoreError, MissingExtra) as error:
        bad_input(str(error))
    except PlaceAway as error:
        bad_input(f"the archive does not answer: {error}; what was packed before stays packed")
    for each in outcomes:
        if each.problem is not None:
            print(f"tabularium: game {each.game} is not archived: {each.problem}", file=sys.stderr)
    packed = [each for each in outcomes if each.problem is None]
    events, size = sum(each.events for each in packed), sum(each.size for each in packed)
    each_event = f", {size / events:.1f} bytes an event" if events else ""
    console.print(f"archived {len(packed)} games: {events} events in {size} bytes{each_event}", markup=False)
    if waits:
        console.print(f"{waits} games wait until the transparency log has their last event", markup=False)
    if len(packed) < len(outcomes):
        raise typer.Exit(1)


def _move(settings: Settings, source: str) -> None:
    """Move the contents of archived games to the place that the settings name."""
    try:
        moved, stayed, problems = asyncio.run(_moved(settings, source))
    except (StoreError, MissingExtra) as error:
        bad_input(str(error))
    except PlaceAway as error:
        bad_input(f"the archive does not answer: {error}; run it again, and it goes on")
    for problem in problems:
        print(f"tabularium: {problem}", file=sys.stderr)
    where = settings.archive or "the database"
    console.print(f"moved {len(moved)} segments to {where}: {sum(moved)} bytes; {stayed} were there", markup=False)
    if problems:
        if not source:
            print("tabularium: name the folder or bucket that has them by --from", file=sys.stderr)
        raise typer.Exit(1)


async def _moved(settings: Settings, source: str) -> tuple[list[int], int, list[str]]:
    """Move segments; return the sizes of those moved, how many were there already, and what is wrong with others."""
    from service.store.archiving import move

    sizes: list[int] = []
    problems: list[str] = []
    count = 0
    begin, goal = place_of(source), place_of(settings.archive)
    async with _opened(settings) as store:
        with progress_bar() as bars:
            bar = bars.add_task("segments", total=None)
            async for each in move(store, begin, goal):
                count += 1
                bars.advance(bar)
                if each.problem is not None:
                    problems.append(each.problem)
                elif each.size:
                    sizes.append(each.size)
    return sizes, count - len(sizes) - len(problems), problems


async def _archive(settings: Settings, before: str, limit: int) -> tuple[list[Packed], int]:
    """Pack games; return the outcome for each, and how many games wait for the transparency log."""
    from service.store.archiving import archive as packing

    outcomes: list[Packed] = []
    place = place_of(settings.archive)
    async with _opened(settings) as store:
        games = await store.games_to_pack(before, settings.transparency, limit)
        with progress_bar() as bars:
            bar = bars.add_task("games", total=len(games))
            async for each in packing(store, games, place):
                outcomes.append(each)
                bars.advance(bar)
        damaged = sum(each.problem is not None for each in outcomes)
        waits = len(await store.games_to_pack(before, False, limit)) - damaged if len(games) < limit else 0
    return outcomes, waits


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[Archive]:
    if settings.database_url:
        with needs_extra("production", "PostgreSQL"):
            from service.store.postgres.archive import opened
        async with opened(settings.database_url) as shared:
            yield shared
        return
    from service.store.sqlite.archive import SqliteArchive

    if not settings.database.exists():
        bad_input(f"there is no store in {settings.data}: give its data directory by --data")
    with SqliteArchive(settings.database) as embedded:
        yield embedded
