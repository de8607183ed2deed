"""Every pattern of the contract is one that JavaScript takes, and lets the same strings through there as in Python."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.contract.clients import node

TRAPS: Final = '\n\r\t \0\x1c\x7f\x85\xa0\u180e\u200b\u2028\u202e\ufeff٣é😀$\\"/'
"""What one of the two takes for a space, a digit or an end of line, and what stands outside of the usual planes."""

JUDGE: Final = """
const {readFileSync} = require("node:fs");
const cases = JSON.parse(readFileSync(process.argv[2], "utf8"));
const said = Object.entries(cases).map(([pattern, strings]) => {
  try {
    const known = new RegExp(pattern, "u");
    return [pattern, strings.map((string) => known.test(string))];
  } catch (error) {
    return [pattern, error.message];
  }
});
console.log(JSON.stringify(Object.fromEntries(said)));
"""


def patterns(value: Any) -> Iterator[str]:
    """Yield the patterns in a document."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "pattern" and isinstance(inner, str):
                yield inner
            yield from patterns(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from patterns(inner)


def strings(pattern: str) -> list[str]:
    """Return strings that fit, and each of them with a trap before it, in it and after it."""
    fitting: list[str] = []

    @settings(
        max_examples=8,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
    )
    @given(st.from_regex(pattern))
    def collect(string: str) -> None:
        fitting.append(string[:300])

    collect()
    near = [
        string[:place] + trap + string[place:]
        for string in (*fitting, "")
        for trap in TRAPS
        for place in {0, len(string) // 2, len(string)}
    ]
    return [*fitting, *near]


def judged(found: list[str], folder: Path) -> dict[str, list[str] | str]:
    """Return the strings of each pattern that only one language takes, or why JavaScript does not take the pattern."""
    asked, judge = folder / "asked.json", folder / "judge.cjs"
    cases = {pattern: strings(pattern) for pattern in found}
    asked.write_text(json.dumps(cases))
    judge.write_text(JUDGE)
    said = json.loads(node(judge, asked))
    return {pattern: _differing(pattern, strings, said[pattern]) for pattern, strings in cases.items()}


def _differing(pattern: str, strings: list[str], said: list[bool] | str) -> list[str] | str:
    if isinstance(said, str):
        return said
    return [string for string, fits in zip(strings, said, strict=True) if bool(re.search(pattern, string)) is not fits]


def test_python_and_javascript_read_every_pattern_alike(tmp_path: Path) -> None:
    files = sorted((Path(__file__).parents[2] / "openapi").rglob("*.json"))
    found = sorted({each for file in files for each in patterns(json.loads(file.read_text()))})
    assert len(found) >= 10
    assert {pattern: wrong for pattern, wrong in judged(found, tmp_path).items() if wrong} == {}


def test_a_pattern_that_only_python_takes_is_found(tmp_path: Path) -> None:
    wrong = judged([r"^a\Z", "^a$", r"^\S$", "^a$(?!\n)"], tmp_path)
    assert "Invalid" in wrong[r"^a\Z"]
    assert "a\n" in wrong["^a$"]
    assert "\ufeff" in wrong[r"^\S$"]
    assert wrong["^a$(?!\n)"] == []
