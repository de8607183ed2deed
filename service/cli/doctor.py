"""``tabularium doctor``: checks what the service depends on, and says what to do where something is wrong."""

import asyncio
import os
import textwrap
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from service.base.settings import SettingsError, from_env
from service.cli.output import bad_input, console, print_json, progress_bar

WIDTH = 110
_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


def register(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def doctor(
    data: Annotated[Path | None, typer.Option(help="Data directory (TABULARIUM_DATA).")] = None,
    deep: Annotated[
        bool, typer.Option("--deep", help="Compute every hash in the store again: it takes minutes for a large one.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with code 1 for a warning too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check the database, its grants and migrations, Redis, the clock, the disk and the projections.

    Changes nothing: what it has to try, it rolls back. You can run it beside a service at any time. Exit code 1 when
    something fails.

    With --deep it also finds what was altered in the store: it computes the chains of all events and the tree of the
    transparency log again, and compares secrets and statements with their commitments. It does not decide commands
    again, as `tabularium verify` does with an export, and looks neither at accounts nor at lists of games.
    """
    overrides = {"TABULARIUM_DATA": str(data)} if data is not None else {}
    try:
        settings = from_env({**os.environ, **overrides})
    except SettingsError as error:
        bad_input(str(error))
    # Imported late, because only some commands need it.
    from service.doctor import Finding, Progress, examine

    findings: list[Finding] = []

    async def look(progress: Progress | None) -> None:
        async for finding in examine(settings, progress=progress):
            findings.append(finding)
            if not as_json:
                _print(finding.check, finding.level, finding.message, finding.remedy)

    with progress_bar() as bars:
        bar = bars.add_task("", visible=False)

        def progress(what: str, done: int, of: int) -> None:
            bars.update(bar, description=what, completed=done, total=of, visible=done < of)

        asyncio.run(look(progress if deep else None))
    levels = Counter(finding.level for finding in findings)
    if as_json:
        print_json(findings)
    else:
        console.print(f"{levels['ok']} ok, {levels['warn']} to be looked after, {levels['fail']} failed")
    if levels["fail"] or (strict and levels["warn"]):
        raise typer.Exit(1)


def _print(check: str, level: str, message: str, remedy: str) -> None:
    margin = " " * 22
    line = _filled(f"{check:14}  {message}", " " * 6, margin).lstrip()
    console.print(Text.assemble((f"{level:4}  ", _STYLES[level]), line))
    if remedy:
        console.print(_filled(f"→ {remedy}", margin, f"{margin}  "), markup=False)


def _filled(text: str, first: str, rest: str) -> str:
    """Break a text into lines, but never a word, so that commands and statements can be copied."""
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
