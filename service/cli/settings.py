"""``tabularium settings``: the settings that the service would run with, and what each means."""

import os
import textwrap
from typing import Annotated

import typer

from service.base.settings import PREFIX, SettingsError, from_env, meanings
from service.cli.output import bad_input, print_json

WIDTH = 100


def register(app: typer.Typer) -> None:
    app.command("settings")(settings)


def settings(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Show every setting with its meaning and value, as an environment file. Passwords are hidden.

    Settings that are not set are comments with their defaults.
    """
    try:
        values = from_env(os.environ).visible_values()
    except SettingsError as error:
        bad_input(str(error))
    if as_json:
        print_json({PREFIX + name.upper(): value for name, value in values.items()})
        return
    for name, meaning in meanings().items():
        variable = PREFIX + name.upper()
        print(textwrap.fill(meaning, WIDTH, initial_indent="# ", subsequent_indent="# ", break_long_words=False))
        print(f"{'' if os.environ.get(variable) else '# '}{variable}={_written(values[name])}\n")


def _written(value: object) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
