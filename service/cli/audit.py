"""``tabularium audit``: follow what a service signs, and find out when it shows something else."""

import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from service.cli.logs import read_policy_file
from service.cli.output import bad_input, console, writable

if TYPE_CHECKING:
    from service.transparency.follower import Report


def register(app: typer.Typer) -> None:
    group = typer.Typer(no_args_is_help=True, help="Follow what a service signs.")
    group.command("follow")(follow)
    app.add_typer(group, name="audit")


def follow(
    url: Annotated[str, typer.Argument(metavar="URL", help="The service's address.")],
    policy: Annotated[Path, typer.Option(help="A policy file: whose signatures count.")],
    state: Annotated[Path, typer.Option(help="Directory where it remembers what it saw, and keeps evidence.")],
    every: Annotated[
        float | None,
        typer.Option(
            min=1, help="Go on until stopped, and look again after this number of seconds. Default: look once."
        ),
    ] = None,
    recheck: Annotated[
        int | None,
        typer.Option(min=0, help="In each look, check this many older streams again, all in turn. Default: all."),
    ] = None,
    patience: Annotated[
        float, typer.Option(min=0, help="Seconds after which something still unanswered is a finding.")
    ] = 900,
    on_alarm: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND", help="Run this for each new finding, without a shell. Its input is the look's JSON."
        ),
    ] = None,
    metrics: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write this file for Prometheus' textfile collector.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each look.")] = False,
) -> None:
    """Check a service's transparency log against what it signed before, and what it shows against what it signed.

    It checks the signature, that the log only grew, every new entry, and that the service still shows each game at the
    version that it signed. What does not fit is kept as evidence. What the service does not answer for is asked again
    in the next look, and is a finding when that lasts longer than --patience.

    Exit code: 0 when everything fits; 1 when something does not; 2 for bad input, and when something could not be
    looked at. With --every it ends with 1 at the first finding. With --on-alarm it runs the command and goes on.
    """
    believed = read_policy_file(policy)
    # Imported late, because only some commands need it.
    from service.transparency.alarm import Alarm, Unheard, in_json, write_metrics
    from service.transparency.follower import Follower, Unsigned
    from service.transparency.keys import check
    from service.transparency.site import HttpSite

    if not url.startswith(("http://", "https://")):
        bad_input(f"{url!r} is not an address: it begins with http:// or https://")
    if metrics is not None:
        writable(metrics)
    try:
        alarm = Alarm(on_alarm) if on_alarm is not None else None
    except Unheard as error:
        bad_input(f"--on-alarm: {error}")

    def tell(report: "Report") -> None:
        if as_json:
            print(msgspec.json.encode(in_json(report)).decode(), flush=True)
        else:
            _print(report)
        if metrics is not None:
            write_metrics(metrics, report, state)
        if alarm is not None:
            try:
                alarm.raise_for(report)
            except Unheard as error:
                typer.echo(f"tabularium: {error}", err=True)

    try:
        with HttpSite(url) as site:
            follower = Follower(site, believed, state, check, patience=patience, tell=tell)
            while True:
                try:
                    report = follower.look(recheck)
                    missing = [each.why for each in report.unanswered]
                    fits = report.ok
                except Unsigned as error:
                    missing, fits = [str(error)], True
                    if every is not None:
                        typer.echo(f"tabularium: {error}; it is asked again", err=True)
                if every is None or (alarm is None and not fits):
                    break
                time.sleep(every)
            follower.close()
    except sqlite3.Error as error:
        bad_input(f"{state} cannot be used: {error}")
    except OSError as error:
        bad_input(f"{error.filename or state} cannot be used: {error.strerror}")
    if not fits:
        raise typer.Exit(1)
    if missing:
        bad_input(missing[0] + (f", and {len(missing) - 1} more like it" if len(missing) > 1 else ""))


def _print(report: "Report") -> None:
    if report.origin:
        summary = f"{report.entries} new entries, {report.streams} games looked at"
        console.print(f"{report.origin}: {report.size} entries; {summary}.", markup=False)
    if report.unanswered:
        oldest = report.unanswered[0]
        console.print(
            f"Not answered: {len(report.unanswered)}, the first since {oldest.since}: {oldest.why}.", markup=False
        )
    for finding, folder in zip(report.findings, report.evidence, strict=True):
        console.print(f"DOES NOT FIT: {finding.message}\n  Evidence: {folder}", markup=False)
