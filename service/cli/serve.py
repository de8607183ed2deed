"""``tabularium serve``: the service on its embedded store."""

import os
from pathlib import Path
from typing import Annotated

import typer
import uvicorn

from service.app import create_app
from service.cli.output import bad_input, console
from service.settings import Settings, SettingsError, from_env
from service.store.protocol import StoreDamaged

FIRST_CALL = """\
Tabularium is running at {address}
  documentation   {address}/docs
  data directory  {data}
  try             curl {address}/v1/rulesets
Ctrl-C stops it; started again it goes on with every game."""


def register(app: typer.Typer) -> None:
    app.command("serve")(serve)


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on (TABULARIUM_HOST).")] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0 takes a free one (TABULARIUM_PORT).")] = None,
    data: Annotated[Path | None, typer.Option(help="Data directory (TABULARIUM_DATA).")] = None,
) -> None:
    """Start the service on SQLite in a data directory of its own."""
    given = {"TABULARIUM_HOST": host, "TABULARIUM_PORT": port, "TABULARIUM_DATA": data}
    environment = {**os.environ, **{name: str(value) for name, value in given.items() if value is not None}}
    try:
        settings = from_env(environment)
        run(settings)
    except (SettingsError, StoreDamaged) as error:
        bad_input(str(error))


def run(settings: Settings) -> None:
    """Serve until a signal comes."""
    raise NotImplementedError
