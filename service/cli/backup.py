"""``tabularium backup`` and ``restore``: copies of the embedded store, made beside a running service."""

import asyncio
import os
import shutil
import sqlite3
import sys
from pathlib import Path
from time import sleep
from typing import Annotated

import typer

from service.base.clock import utc_now
from service.base.private import make_folder
from service.base.settings import DATABASE_URL, Settings, SettingsError, from_env
from service.cli.output import bad_input, console, progress_bar
from service.store.protocol import StoreError

Data = Annotated[Path | None, typer.Option(help="Data directory (TABULARIUM_DATA).")]


def register(app: typer.Typer) -> None:
    app.command("backup")(backup)
    app.command("restore")(restore)


def backup(
    folder: Annotated[Path, typer.Argument(help="Where the copies go, best on another disk.")],
    data: Data = None,
    every: Annotated[
        int | None, typer.Option(min=1, max=86_400, help="Go on, and look for something new after this many seconds.")
    ] = None,
) -> None:
    """Copy the SQLite store into a folder. You can run this beside a service.

    The folder keeps the 10 newest copies, the last one of each of 24 hours and of each of 7 days. The copies contain
    hidden hands and the secrets of the dice. They do not contain `log.key`, the key of the transparency log.
    """
    settings = _embedded(data)
    from service.store.sqlite.backup import Copying

    try:
        copying = Copying(settings.database, folder)
    except sqlite3.Error as error:
        bad_input(f"{settings.database} cannot be read: {error}")
    while True:
        try:
            new_copy = copying.copy(utc_now())
            if new_copy is not None:
                console.print(f"{new_copy}: {new_copy.stat().st_size} bytes", markup=False)
        except (OSError, sqlite3.Error) as error:
            # The next copy may succeed, when somebody has made room for it.
            print(f"tabularium: {settings.database} could not be copied to {folder}: {error}", file=sys.stderr)
            if every is None:
                raise typer.Exit(1) from None
        if every is None:
            return
        sleep(every)


def restore(
    copy: Annotated[Path, typer.Argument(help="A copy, or the folder with copies: then the newest one.")],
    data: Data = None,
) -> None:
    """Put a copy of the SQLite store back. The service must be stopped.

    It first computes every hash in the copy, as `tabularium doctor --deep` does. If something is wrong with the copy,
    it says what, and changes nothing. What was in the data directory is kept in a folder there.
    """
    settings = _embedded(data)
    from service.store.sqlite.backup import copies, put_back

    if copy.is_dir():
        candidates = copies(copy)
        if not candidates:
            bad_input(f"{copy} contains no copies: give a folder that `tabularium backup` has filled")
        copy = candidates[-1]
    checking = settings.data / f"restoring-{os.getpid()}"
    try:
        make_folder(checking)
        shutil.copyfile(copy, checking / settings.database.name)
        wrong = asyncio.run(_problems(checking, settings))
        if wrong:
            print(f"tabularium: {copy} is not restored: {wrong}", file=sys.stderr)
            raise typer.Exit(1)
        aside = put_back(checking / settings.database.name, settings, utc_now())
    except OSError as error:
        bad_input(f"{copy} cannot be restored to {settings.data}: {error.strerror}")
    except (StoreError, sqlite3.Error) as error:
        bad_input(f"{copy} is not restored: {error}")
    finally:
        shutil.rmtree(checking, ignore_errors=True)
    console.print(f"{copy} is restored; what was there before is in {aside}", markup=False)


async def _problems(checking: Path, settings: Settings) -> str:
    """Return in one line what is wrong with the copy in a directory; empty when it is whole."""
    from msgspec.structs import replace

    from service.doctor.deep import examine
    from service.store.backend import backend_of

    settings_of_copy = replace(settings, data=checking)
    store = await backend_of(settings_of_copy).open_store()
    try:
        with progress_bar() as bars:
            bar = bars.add_task("", visible=False)

            def progress(what: str, done: int, of: int) -> None:
                bars.update(bar, description=what, completed=done, total=of, visible=done < of)

            findings = [each async for each in examine(settings_of_copy, store, progress)]
            return "; ".join(finding.message for finding in findings if finding.level == "fail")
    finally:
        await store.close()


def _embedded(data: Path | None) -> Settings:
    overrides = {"TABULARIUM_DATA": str(data)} if data is not None else {}
    try:
        settings = from_env({**os.environ, **overrides})
    except SettingsError as error:
        bad_input(str(error))
    if settings.database_url:
        bad_input(f"{DATABASE_URL} names a PostgreSQL: back that up with pgBackRest or pg_dump (deploy/README.md)")
    return settings
