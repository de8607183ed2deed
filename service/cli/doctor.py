"""``tabularium doctor``: what the service stands on, and what to do where that is not sound."""

import asyncio
import os
import textwrap
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from service.base.settings import SettingsError, from_env
from service.cli.output import bad_input, console, print_json

WIDTH = 110
_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


def register(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def doctor(
    data: Annotated[Path | None, typer.Option(help="Data directory (TABULARIUM_DATA).")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with code 1 for a warning too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check the database, its grants and migrations, Redis, the clock, the disk and the projections.

    Changes nothing: what it has to try, it rolls back. You can run it beside a service at any time. Exit code 1 when
    something fails.
    """
    given = {"TABULARIUM_DATA": str(data)} if data is not None else {}
    try:
        settings = from_env({**os.environ, **given})
    except SettingsError as error:
        bad_input(str(error))
    # Imported late, as all that only some commands need.
    from service.doctor import Finding, examine

    found: list[Finding] = []

    async def look() -> None:
        async for finding in examine(settings):
            found.append(finding)
            if not as_json:
                _print(finding.check, finding.level, finding.said, finding.remedy)

    asyncio.run(look())
    levels = Counter(finding.level for finding in found)
    if as_json:
        print_json(found)
    else:
        console.print(f"{levels['ok']} ok, {levels['warn']} to be looked after, {levels['fail']} failed")
    if levels["fail"] or (strict and levels["warn"]):
        raise typer.Exit(1)


def _print(check: str, level: str, said: str, remedy: str) -> None:
    console.print(f"{level:4}  ", style=_STYLES[level], end="")
    margin = " " * 22
    console.print(_filled(f"{check:14}  {said}", " " * 6, margin).lstrip(), markup=False)
    if remedy:
        console.print(_filled(f"→ {remedy}", margin, f"{margin}  "), markup=False)


def _filled(text: str, first: str, rest: str) -> str:
    """Break a text into lines, but never a word: commands and statements stay such that they can be copied."""
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
        drop_whitespace=True,
    )
