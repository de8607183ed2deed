"""The conformance scenarios of each rule, with their text as it is in the files."""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.kernel.rules.ruleset import Ruleset
from domain.kernel.scenario import Written
from service.api.rulesets.bodies import ScenarioView

_ROOTS: Final = (Path(__file__).parent / "conformance", Path(__file__).parents[3] / "tests" / "scenarios")
"""Where the files are: beside this module when the package is installed, among the tests in a checkout."""

_HEAD: Final = re.compile(r"^\[\[scenario\]\][ \t]*$", re.MULTILINE)
_REST: Final = re.compile(r"(\s|^#.*$)+\Z", re.MULTILINE)
"""Blank lines and comments at the end: they belong to the next scenario."""


class _Titled(Written, kw_only=True):
    title: str


class _File(Struct):
    scenario: tuple[_Titled, ...] = ()


def scenarios_of(ruleset: Ruleset[Any], rule: str) -> tuple[ScenarioView, ...]:
    """Return the scenarios that test a rule in a version of a ruleset, in the order of their files."""
    return tuple(
        scenario_view
        for written, scenario_view in _all()
        if rule in written.rules and ruleset.version in (written.versions_of(ruleset) or ())
    )


@lru_cache(maxsize=1)
def _all() -> tuple[tuple[Written, ScenarioView], ...]:
    """Return every scenario of this installation. They are read once."""
    root = next((root for root in _ROOTS if root.is_dir()), None)
    return () if root is None else tuple(each for path in sorted(root.rglob("*.toml")) for each in _read(root, path))


def _read(root: Path, path: Path) -> Iterator[tuple[Written, ScenarioView]]:
    text, file = path.read_text(), path.relative_to(root).as_posix()
    written = msgspec.toml.decode(text, type=_File).scenario
    heads = [each.start() for each in _HEAD.finditer(text)]
    for each, start, end in zip(written, heads, [*heads[1:], None], strict=True):
        yield each, ScenarioView(each.title, file, _REST.sub("", text[start:end]))
