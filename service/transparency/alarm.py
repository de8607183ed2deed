"""How a follower tells programs what it found: it runs a command, and writes a file of metrics."""

import shlex
import shutil
import subprocess
import time
from pathlib import Path
from typing import Final

import msgspec
from prometheus_client import CollectorRegistry, Gauge, write_to_textfile

from service.transparency.follower import Report

LONGEST: Final = 60.0
"""The most seconds of a command: while it runs, the follower does not look."""


class Unheard(Exception):
    """The command could not be run, or failed. The message is one line."""


class Alarm:
    """A command that gets each report with new findings, as JSON on its standard input."""

    def __init__(self, command: str) -> None:
        """The command runs without a shell. Raises `Unheard` when there is no such program."""
        try:
            self._command = shlex.split(command)
        except ValueError as error:
            raise Unheard(f"{command!r} is not a command: {error}") from error
        if not self._command or shutil.which(self._command[0]) is None:
            raise Unheard(f"there is no program for the command {command!r}")
        self._reported: set[str] = set()

    def raise_for(self, report: Report) -> None:
        """Run the command if a report has new findings. Raises `Unheard`: then these are still new at the next call."""
        new = set(report.evidence) - self._reported
        if not new:
            return
        try:
            subprocess.run(self._command, input=msgspec.json.encode(in_json(report)), timeout=LONGEST, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            raise Unheard(f"the alarm was not heard: {error}") from error
        self._reported |= new


def in_json(report: Report) -> dict[str, object]:
    """Return a report in the form in which it is printed and passed to a command."""
    findings = [
        {"kind": each.kind, "said": each.message, "stream": each.stream, "evidence": folder}
        for each, folder in zip(report.findings, report.evidence, strict=True)
    ]
    unanswered = [{"stream": each.stream, "since": each.since, "why": each.why} for each in report.unanswered]
    counts = {"size": report.size, "entries": report.entries, "streams": report.streams}
    return {"ok": report.ok, "origin": report.origin, **counts, "found": findings, "unanswered": unanswered}


METRICS: Final = {
    "looked_timestamp_seconds": "when the last look ended",
    "findings": "what did not fit in the last look",
    "evidence": "findings whose evidence is kept; remove a folder when it is dealt with",
    "unanswered": "what the service did not answer for in the last look",
    "entries": "the size of the log; 0 when its checkpoint was not accepted",
    "streams": "streams looked at in the last look",
}
"""The metrics in the file; each name follows ``tabularium_audit_``."""


def write_metrics(file: Path, report: Report, state: Path) -> None:
    """Write what the textfile collector of Prometheus reads, whole or not at all. Raises `OSError`."""
    registry = CollectorRegistry()
    values = {
        "looked_timestamp_seconds": time.time(),
        "findings": len(report.findings),
        "evidence": sum(1 for _ in (state / "evidence").glob("*/finding.json")),
        "unanswered": len(report.unanswered),
        "entries": report.size,
        "streams": report.streams,
    }
    for name, documentation in METRICS.items():
        Gauge(f"tabularium_audit_{name}", documentation, registry=registry).set(values[name])
    write_to_textfile(str(file), registry)
