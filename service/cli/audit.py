"""``tabularium audit``: follow what a service signs, and find out when it tells something else."""

import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from service.cli.logs import read_policy_file
from service.cli.output import bad_input, console

if TYPE_CHECKING:
    from service.transparency.follower import Report


def register(app: typer.Typer) -> None:
    group = typer.Typer(no_args_is_help=True, help="Follow what a service signs.")
    group.command("follow")(follow)
    app.add_typer(group, name="audit")


def follow(
    url: Annotated[str, typer.Argument(metavar="URL", help="The service's address.")],
    policy: Annotated[Path, typer.Option(help="Whom to believe: a policy file.")],
    state: Annotated[Path, typer.Option(help="Directory where it remembers what it saw, and keeps evidence.")],
    every: Annotated[
        float | None, typer.Option(min=1, help="Go on and on, and look every so many seconds. Default: look once.")
    ] = None,
    recheck: Annotated[
        int | None, typer.Option(min=0, help="Look again at this many streams of before. Default: all.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each look.")] = False,
) -> None:
    """Check a service's transparency log against what it signed before, and what it shows against what it signed.

    It checks the signature, that the log only grew, every new entry, and that the service still shows each game at the
    version that it signed. What does not fit is kept as evidence, and ends it with exit code 1.
    """
    believed = read_policy_file(policy)
    # Imported late, as all that only some commands need.
    from service.transparency.follower import Follower, Unreachable
    from service.transparency.keys import check
    from service.transparency.site import HttpSite

    def tell(report: "Report") -> None:
        if as_json:
            print(msgspec.json.encode(_shown(report)).decode(), flush=True)
            return
        if report.origin:
            looked = f"{report.entries} new entries, {report.streams} games looked at"
            console.print(f"{report.origin}: {report.size} entries; {looked}.", markup=False)
        for found, folder in zip(report.found, report.evidence, strict=True):
            console.print(f"DOES NOT FIT: {found.said}\n  Evidence: {folder}", markup=False)

    if not url.startswith(("http://", "https://")):
        bad_input(f"{url!r} is not an address: it begins with http:// or https://")
    fits = True
    try:
        with HttpSite(url) as site:
            follower = Follower(site, believed, state, check)
            while True:
                try:
                    report = follower.look(recheck)
                    tell(report)
                    fits &= report.ok
                except Unreachable as error:
                    if every is None:
                        bad_input(str(error))
                    console.print(f"{error}; it is asked again.", markup=False)
                if every is None:
                    break
                time.sleep(every)
            follower.close()
    except sqlite3.Error as error:
        bad_input(f"{state} cannot be used: {error}")
    except OSError as error:
        bad_input(f"{state} cannot be used: {error.strerror}")
    if not fits:
        raise typer.Exit(1)


def _shown(report: "Report") -> dict[str, object]:
    found = [
        {"kind": each.kind, "said": each.said, "stream": each.stream, "evidence": folder}
        for each, folder in zip(report.found, report.evidence, strict=True)
    ]
    counts = {"size": report.size, "entries": report.entries, "streams": report.streams}
    return {"ok": report.ok, "origin": report.origin, **counts, "found": found}
