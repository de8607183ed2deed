"""``tabularium mirror``: keep a copy of all that a service has signed and shows."""

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from service.cli.logs import read_policy_file
from service.cli.output import bad_input, console, progress_bar, write_file

if TYPE_CHECKING:
    from service.transparency.mirror import Mirror, Result
    from service.transparency.site import HttpSite


def register(app: typer.Typer) -> None:
    app.command("mirror")(mirror)


def mirror(
    url: Annotated[str, typer.Argument(metavar="URL", help="The service's address.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of the copy. It is made if missing.")],
    policy: Annotated[
        Path | None,
        typer.Option(help="A policy file: whose signatures count. Default: the key that the service shows first."),
    ] = None,
) -> None:
    """Copy every game and case of a service that everybody may see, and check all of it. Run it again to go on.

    It follows the transparency log as `audit follow` does. Each game and case that moved is fetched as its export,
    checked against every version that was signed of it, and kept packed in FOLDER/games, FOLDER/cases,
    FOLDER/tournaments or FOLDER/leagues. What was checked is not fetched again, so an interrupted copy goes on.
    `tabularium verify FOLDER` then proves all of it.

    Exit code: 0 when all is copied; 1 when something does not fit, which is kept as evidence; 2 for bad input, and when
    something could not be fetched.
    """
    if not url.startswith(("http://", "https://")):
        bad_input(f"{url!r} is not an address: it begins with http:// or https://")
    # Imported late, because only some commands need it.
    from service.transparency.follower import Follower, Unsigned
    from service.transparency.keys import check
    from service.transparency.memory import Memory
    from service.transparency.mirror import Mirror
    from service.transparency.pages import Unreachable
    from service.transparency.site import HttpSite

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with HttpSite(url) as site:
            believed = read_policy_file(policy or _first_policy(site, folder / "policy"))
            with closing(Follower(site, believed, folder / "log", check)) as follower, console.status("Following…"):
                report = follower.look(0)
            for finding, evidence in zip(report.findings, report.evidence, strict=True):
                console.print(f"DOES NOT FIT: {finding.message}\n  Evidence: {evidence}", markup=False)
            with closing(Memory(folder / "log")) as memory, closing(Mirror(site, memory, folder)) as copies:
                results = _copy(copies)
                as_before = copies.count() - results.total()
    except (Unreachable, Unsigned) as error:
        bad_input(str(error))
    except sqlite3.Error as error:
        bad_input(f"{folder} cannot be used: {error}")
    except OSError as error:
        bad_input(f"{error.filename or folder} cannot be used: {error.strerror}")
    counts = ", ".join(f"{results[each]} {each}" for each in ("copied", "hidden", "missing", "different"))
    log = f"{report.origin}: {report.size} entries. " if report.origin else ""
    console.print(f"{log}{counts}, {as_before} as before.", markup=False)
    if not report.ok or results["different"]:
        raise typer.Exit(1)
    if results["missing"] or report.unanswered:
        why = report.unanswered[0].why if report.unanswered else "some of it is missing"
        bad_input(f"the copy is not whole: {why}; run this again")


def _copy(copies: "Mirror") -> "Counter[Result]":
    results: Counter[Result] = Counter()
    streams = copies.streams_to_copy()
    with progress_bar() as progress:
        task = progress.add_task("copied", total=len(streams))
        for copied in copies.copy(streams):
            results[copied.result] += 1
            progress.advance(task)
            if copied.result == "missing":
                console.print(f"Missing: {copied.stream}: {copied.message}.", markup=False)
            if copied.result == "different":
                console.print(f"DOES NOT FIT: {copied.message}\n  Evidence: {copied.evidence}", markup=False)
    return results


def _first_policy(site: "HttpSite", policy_path: Path) -> Path:
    """Return the file with the policy of this copy. For a new copy, write the policy that the service shows."""
    if not policy_path.exists():
        page = site.get("/v1/transparency/key")
        try:
            key = msgspec.json.decode(page.body, type=_ShownKey)
        except msgspec.DecodeError:
            bad_input(f"the service answers {page.status} at /v1/transparency/key, without a key")
        write_file(policy_path, key.policy.encode())
        console.print(f"Believing the key that the service shows, from now on: {policy_path}", markup=False)
    return policy_path


class _ShownKey(msgspec.Struct):
    policy: str
