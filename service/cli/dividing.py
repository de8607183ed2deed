"""The option that says where long work is done, and one line when it cannot be done there."""

from collections.abc import Iterable, Iterator
from typing import Annotated, TypeVar

import typer

from service.base.extras import MissingExtra
from service.base.pieces import DASK, LOCAL, WorkersLost
from service.cli.output import bad_input

R = TypeVar("R")

OnOption = Annotated[
    str,
    typer.Option(
        "--on",
        metavar=f"{LOCAL}|{DASK}ADDRESS",
        help="Where the work is done: by processes of this machine, or by the workers of a Dask scheduler.",
    ),
]


def results_of(results: Iterable[R]) -> Iterator[R]:
    """Yield the results of work in pieces; one line says why it cannot go on."""
    try:
        yield from results
    except (ValueError, WorkersLost, MissingExtra) as error:
        bad_input(str(error))
