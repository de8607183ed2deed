"""Which tests cover which rules: what scenario files and pytest marks claim, read without running anything.

A scenario claims rules by ``rules = ["CC-MOV-03"]`` in its ``[[scenario]]`` table; ``rulesets = [...]`` limits the
claim to those rulesets, ``since`` and ``until`` limit it to versions of them. A test claims rules by
``@pytest.mark.rule("CC-MOV-03", ...)`` on itself, on its class or on its module (``pytestmark``). A test that is
skipped or expected to fail claims nothing.
"""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from domain.kernel.ids import RuleId
from domain.kernel.rules.ruleset import Ruleset
from domain.kernel.scenario import Written


class CoverageError(Exception):
    """A scenario or test file whose claims cannot be read; the message is one line that names the file."""


class _Scenario(Written, kw_only=True):
    title: str = ""
    rules: list[RuleId] = field(default_factory=list[RuleId])


class _ScenarioFile(Struct):
    scenario: tuple[_Scenario, ...] = ()


class Claim(Struct, frozen=True):
    """A rule that a test claims; `name` is ``path::title``. The claim of a `scenario` holds in some rulesets only."""

    rule: RuleId
    name: str
    scenario: _Scenario | None = None


def claims_in(tests_dir: Path) -> list[Claim]:
    """Read all claims of a folder of tests. Raises `CoverageError`."""
    return [*_claims(tests_dir)]


def collect(claims: Iterable[Claim], ruleset: Ruleset[Any] | None = None) -> dict[RuleId, list[str]]:
    """Return which tests claim each rule; without scenarios of other rulesets, or other versions."""
    covered: dict[RuleId, list[str]] = {}
    for claim in claims:
        scenario = claim.scenario
        if ruleset and scenario and ruleset.version not in (scenario.versions_of(ruleset) or ()):
            continue
        names = covered.setdefault(claim.rule, [])
        if claim.name not in names:
            names.append(claim.name)
    return covered


def _claims(tests_dir: Path) -> Iterator[Claim]:
    for path in sorted((tests_dir / "scenarios").rglob("*.toml")):
        name = _short_path(path, tests_dir)
        for number, scenario in enumerate(_scenarios(path, name), start=1):
            for rule_id in scenario.rules:
                yield Claim(rule_id, f"{name}::{scenario.title or number}", scenario)
    for path in sorted(tests_dir.rglob("*.py")):
        name = _short_path(path, tests_dir)
        for rule_id, title in _marked_tests(path, name):
            yield Claim(rule_id, f"{name}::{title}")


def _short_path(path: Path, tests_dir: Path) -> str:
    return (tests_dir.resolve().name / path.relative_to(tests_dir)).as_posix()


def _scenarios(path: Path, label: str) -> tuple[_Scenario, ...]:
    try:
        return msgspec.toml.decode(path.read_bytes(), type=_ScenarioFile).scenario
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CoverageError(f"{label}: {' '.join(str(error).split())}") from None


def _marked_tests(path: Path, label: str) -> Iterator[tuple[RuleId, str]]:
    try:
        module = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError) as error:
        raise CoverageError(f"{label}: {' '.join(str(error).split())}") from None
    yield from _tests_in(module.body, _pytestmark(module.body), "", label)


def _tests_in(
    body: Iterable[ast.stmt], inherited: list[ast.expr], prefix: str, label: str
) -> Iterator[tuple[RuleId, str]]:
    for node in body:
        match node:
            case ast.ClassDef() if node.name.startswith("Test"):
                marks = inherited + node.decorator_list + _pytestmark(node.body)
                yield from _tests_in(node.body, marks, f"{prefix}{node.name}::", label)
            case ast.FunctionDef() | ast.AsyncFunctionDef() if node.name.startswith("test"):
                marks = inherited + node.decorator_list
                if not any(_is_disabled(mark) for mark in marks):
                    for rule_id in _rules_of(marks, label):
                        yield rule_id, prefix + node.name
            case _:
                pass


def _pytestmark(body: Iterable[ast.stmt]) -> list[ast.expr]:
    """Return the marks that are assigned to ``pytestmark``, one or a list of them."""
    marks: list[ast.expr] = []
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id="pytestmark")], value=value):
                marks = list(value.elts) if isinstance(value, ast.List | ast.Tuple) else [value]
            case _:
                pass
    return marks


def _is_disabled(mark: ast.expr) -> bool:
    call = mark.func if isinstance(mark, ast.Call) else mark
    return ast.unparse(call) in ("pytest.mark.skip", "pytest.mark.xfail")


def _rules_of(marks: Iterable[ast.expr], label: str) -> Iterator[RuleId]:
    """Yield the ids of every ``pytest.mark.rule(...)``, also of those on the cases of a ``parametrize``."""
    for mark in marks:
        for node in ast.walk(mark):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.rule":
                for argument in node.args:
                    if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
                        raise CoverageError(f"{label}: line {node.lineno}: the rule ids of a mark are plain strings")
                    yield RuleId(argument.value)
