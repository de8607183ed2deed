"""``tabularium books``: moves books of the log from one PostgreSQL server to another."""

import asyncio
import os
import sys
from typing import Annotated

import typer

from domain.kernel.ids import BOOKS
from service.base.extras import MissingExtra, needs_extra
from service.base.settings import PREFIX, SettingsError, books_in, from_env
from service.cli.output import bad_input, console

_books = typer.Typer(name="books", help="Where the books of the log are.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    _books.command("move")(move)
    app.add_typer(_books)


def move(
    moved: Annotated[str, typer.Argument(metavar="BOOKS", help="Such as 40-47,63.", show_default=False)],
    to: Annotated[
        str,
        typer.Option(
            help=f"The server, as {PREFIX}BOOK_SERVERS has it or as `tabularium migrate` calls it: games at host:5432.",
            metavar="SERVER",
            show_default=False,
        ),
    ],
) -> None:
    """Move books with all their games to another PostgreSQL server, while the service goes on.

    All processes need the setting TABULARIUM_BOOK_SERVERS with both servers: start them anew with `none=postgresql://…`
    for a server that keeps nothing yet, and run `tabularium migrate`. Each book stands still for some seconds.

    It may be killed at any moment. Then run it again: until you do, requests for the games of one book may get 503. To
    leave a book where it was, name the server that had it; that works until the book has arrived at the new one.
    """
    try:
        settings = from_env(os.environ)
        books = frozenset(books_in(moved))
    except SettingsError as error:
        bad_input(str(error))
    if not settings.book_servers:
        bad_input(f"there is one server: set {PREFIX}BOOK_SERVERS='none=postgresql://owner@host/name' for another one")
    if beyond := [book for book in books if book >= BOOKS]:
        bad_input(f"there is no book {beyond[0]}: books are 0 to {BOOKS - 1}")
    try:
        with needs_extra("production", "PostgreSQL"):
            from service.store.postgres import migrations, moving
    except MissingExtra as error:
        bad_input(str(error))
    places = {migrations.place_of(url): url for url in settings.servers}
    url = to if to in settings.servers else places.get(f"database {to.removeprefix('database ')}")
    if url is None:
        names = ", ".join(place.removeprefix("database ") for place in places)
        bad_input(f"{PREFIX}BOOK_SERVERS does not name this server: name one of {names}")
    try:
        asyncio.run(moving.move(settings.servers, books, url, lambda line: console.print(line, markup=False)))
    except migrations.MigrationError as error:
        print(f"tabularium: {error}", file=sys.stderr)
        raise typer.Exit(1) from None
    console.print(f"change {PREFIX}BOOK_SERVERS to where these books are now, for when processes start again")
