"""``tabularium migrate``: brings a PostgreSQL database to the schema of this package."""

import asyncio
import os
import sys
from typing import Annotated

import typer

from service.base.extras import MissingExtra, needs_extra
from service.base.settings import DATABASE_URL, SettingsError, from_env
from service.cli.output import bad_input, console


def register(app: typer.Typer) -> None:
    app.command("migrate")(migrate)


def migrate(
    url: Annotated[
        str | None,
        typer.Option(help=f"The database, as its owner; {DATABASE_URL} if absent.", metavar="URL", show_default=False),
    ] = None,
    open_books: Annotated[
        bool,
        typer.Option(
            "--open-books", help="Then let appends to different books go on at once. Stop older processes before."
        ),
    ] = False,
) -> None:
    """Bring a PostgreSQL database up to date. You can run this at any time, also several at once.

    A database from before the log had books keeps all events in one order, for processes of an earlier release. When
    none of them runs any more, --open-books ends that; such a process then answers that the service is unavailable.

    In a database with the extension Citus, it distributes the log over the workers. Stop the service before the first
    time.

    With TABULARIUM_BOOK_SERVERS it brings all servers up to date, and has each keep the books that are given to it.
    """
    try:
        settings = from_env({**os.environ, **({DATABASE_URL: url} if url else {})})
    except SettingsError as error:
        bad_input(str(error))
    if not settings.database_url:
        bad_input(f"there is no database to migrate: give --url, or set {DATABASE_URL}=postgresql://owner@host/name")
    try:
        with needs_extra("production", "PostgreSQL"):
            from service.store.postgres import books, migrations
    except MissingExtra as error:
        bad_input(str(error))
    try:
        for url in settings.servers:
            for migration in asyncio.run(migrations.migrate(url, migrations.packaged())):
                console.print(f"applied {migration.number:04}_{migration.name}", markup=False)
            console.print(f"{migrations.place_of(url)} is up to date", markup=False)
            if open_books:
                asyncio.run(migrations.open_books(url))
                console.print("each book of the log counts its own positions", markup=False)
            if not settings.book_servers and asyncio.run(migrations.distribute(url)):
                console.print("the log is distributed over machines by its books", markup=False)
        if settings.book_servers:
            asyncio.run(books.spread(settings.servers))
            for url, books_there in settings.servers.items():
                console.print(f"{migrations.place_of(url)} keeps the books {books.spans(books_there)}", markup=False)
    except migrations.MigrationError as error:
        print(f"tabularium: {error}", file=sys.stderr)
        raise typer.Exit(1) from None
