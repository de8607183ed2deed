"""The rule catalogues and the conformance scenarios on the command line."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.table import Table as RichTable

from domain.boards import builtin
from domain.kernel.ids import RuleId
from domain.kernel.rules.catalogue import EVERY_RULESET, Catalogue, Rule
from domain.kernel.rules.coverage import Coverage, coverage
from domain.kernel.rules.loading import common_rules
from domain.kernel.rules.ruleset import Ruleset
from domain.kernel.scenario import Failure, Scenario, ScenarioError, read, run, runs
from domain.library import LIBRARY
from service.cli.coverage import CoverageError, claims_in, collect
from service.cli.output import bad_input, console, print_json, read_file, ruleset_named

COMMON: Final = "common"
"""The name under which the rules of every game are counted."""

RulesetOption = Annotated[str | None, typer.Option("--ruleset", "-r", help="Only this ruleset.", metavar="ID")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]

rules = typer.Typer(
    help="The rule catalogues: list them, read a rule, see which rules are tested.", no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    app.add_typer(rules, name="rules")
    app.command("scenario")(scenario)


@rules.command("list")
def list_rules(ruleset: RulesetOption = None, as_json: JsonOption = False) -> None:
    """List every rule of a ruleset, by chapter. Without one, list the rules of all, and those of every game."""
    by_id = {rule.id: rule for each in _rulesets(ruleset) for rule in each.catalogue.for_ruleset(each.id)}
    if ruleset is None:
        by_id |= {rule.id: rule for rule in common_rules().rules}
    if as_json:
        print_json(list(by_id.values()))
        return
    for rule in by_id.values():
        notes = ", ".join(filter(None, (rule.standing, "our ruling" if rule.is_our_ruling else "")))
        console.print(f"{rule.id:<14}{rule.title}{f'  ({notes})' if notes else ''}")


@rules.command("show")
def show(rule_id: Annotated[str, typer.Argument(metavar="ID")], as_json: JsonOption = False) -> None:
    """Show a rule: its text, its source, what the source leaves open and how we decide that."""
    catalogue, rule = _find(rule_id)
    if as_json:
        print_json({"rule": rule, "cited": catalogue.cite(rule)})
        return
    console.print(f"[bold]{rule.id}  {rule.title}[/bold]\n\n{rule.text}\n")
    for label, content in (
        ("Applies", ", ".join(rule.applies).replace(EVERY_RULESET, "every ruleset")),
        ("Status", rule.standing),
        ("Source", catalogue.cite(rule)),
        ("Left open", rule.ambiguity),
        ("Ruling", rule.ruling),
        ("Decision", rule.decision),
        ("Differs from", ", ".join(rule.differs_from)),
    ):
        if content:
            console.print(f"{label + ':':<14}{content}")


@rules.command("coverage")
def show_coverage(
    ruleset: RulesetOption = None,
    tests: Annotated[Path, typer.Option(help="The folder with the scenarios and tests.")] = Path("tests"),
    as_json: JsonOption = False,
) -> None:
    """Show which rules have a scenario or test, in each version of a ruleset. Exit with 1 if one has none.

    Earlier versions are shown as `ID@VERSION`, and the rules of every game as `common`.
    """
    if not tests.is_dir():
        bad_input(f"{tests} is not a directory of tests; name one with --tests")
    try:
        claims = claims_in(tests)
    except CoverageError as error:
        bad_input(str(error))
    covered = {
        _label(each): coverage(each.catalogue, each.id, collect(claims, each)) for each in _in_all_versions(ruleset)
    }
    if ruleset is None:
        covered[COMMON] = coverage(common_rules(), EVERY_RULESET, collect(claims))
    if as_json:
        print_json(covered)
    else:
        for label, result in covered.items():
            _print_coverage(label, result)
    if any(chapter.missing for result in covered.values() for chapter in result.chapters):
        raise typer.Exit(1)


def _in_all_versions(ruleset_id: str | None) -> list[Ruleset[Any]]:
    return [each.at(version) for each in _rulesets(ruleset_id) for version in reversed(each.versions)]


def _label(ruleset: Ruleset[Any]) -> str:
    return ruleset.id if ruleset.version == ruleset.versions[-1] else f"{ruleset.id}@{ruleset.version}"


def _print_coverage(label: str, result: Coverage) -> None:
    table = RichTable(title=label)
    for column in ("chapter", "rules", "covered", "missing"):
        table.add_column(column, justify="right" if column in ("rules", "covered") else "left")
    for chapter in result.chapters:
        table.add_row(chapter.title, str(chapter.total), str(chapter.covered), ", ".join(chapter.missing))
    share = 100 * result.covered / result.total if result.total else 100
    table.add_section()
    if len(result.statuses) > 1:
        for status, each in result.statuses.items():
            table.add_row(status, str(each.total), str(each.covered), "")
    table.add_row("all", str(result.total), str(result.covered), f"{share:.1f} % covered")
    console.print(table)


def scenario(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Scenario files, or folders of them.")],
    as_json: JsonOption = False,
    ruleset: RulesetOption = None,
) -> None:
    """Run conformance scenarios. Exit with 1 if one fails."""
    results = [_outcome(path, case, rules_of) for path in _files(paths) for case, rules_of in _cases(path, ruleset)]
    failed = [result for result in results if result["failure"]]
    if as_json:
        print_json({"run": len(results), "failed": len(failed), "scenarios": results})
    else:
        for result in failed:
            console.print(
                f"FAILED {result['file']} [{result['ruleset']} version {result['version']}] {result['title']}\n"
                f"  {result['failure']}",
                markup=False,
            )
        console.print(f"{len(results) - len(failed)} of {len(results)} scenarios hold")
    if failed:
        raise typer.Exit(1)


def _files(paths: Sequence[Path]) -> list[Path]:
    files = [file for path in paths for file in (sorted(path.rglob("*.toml")) if path.is_dir() else [path])]
    return files or bad_input("there is no scenario file (*.toml) there")


def _cases(path: Path, ruleset: str | None) -> list[tuple[Scenario, Ruleset[Any]]]:
    """Return the scenarios of a file, each with a ruleset to run it in.

    A scenario that names no ruleset runs in the rulesets whose id begins with the name of the file's folder, or in all
    when there is none.
    """
    rulesets = [each for each in _rulesets(ruleset) if each.id.startswith(path.resolve().parent.name)]
    try:
        return list(runs(read(read_file(path).decode()), rulesets or _rulesets(ruleset)))
    except (ScenarioError, UnicodeDecodeError) as error:
        bad_input(f"{path}: {error}")


def _outcome(path: Path, case: Scenario, ruleset: Ruleset[Any]) -> Mapping[str, Any]:
    failure = ""
    try:
        run(case, ruleset, builtin(ruleset.board))
    except (Failure, ScenarioError) as error:
        failure = str(error)
    return {
        "file": str(path),
        "ruleset": ruleset.id,
        "version": ruleset.version,
        "title": case.title,
        "rules": case.rules,
        "failure": failure,
    }


def _rulesets(ruleset_id: str | None) -> list[Ruleset[Any]]:
    return [ruleset_named(ruleset_id)] if ruleset_id else [LIBRARY.current(id_) for id_ in LIBRARY.ids()]


def _find(rule_id: str) -> tuple[Catalogue, Rule]:
    sought = rule_id.upper()
    catalogues = [common_rules(), *(ruleset.catalogue for ruleset in reversed(_rulesets(None)))]
    by_id = {rule.id: (catalogue, rule) for catalogue in catalogues for rule in catalogue.rules}
    if sought in by_id:
        return by_id[RuleId(sought)]
    near = get_close_matches(sought, by_id, n=3, cutoff=0.7)
    return bad_input(f"there is no rule {rule_id!r}" + (f"; similar: {', '.join(near)}" if near else ""))
