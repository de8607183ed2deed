"""Under ``python -OO``, which drops docstrings and asserts, the program does and tells the same."""

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from domain.kernel.log.concerns import concerns
from domain.kernel.rules.docstrings import attributes, docstring, source_of, summary
from domain.library import LIBRARY
from tests.helpers.sampling import sampled
from tests.service.cli.calling import Call, http, serving, start

ROOT = Path(__file__).parents[3]


def test_a_service_plays_a_game_and_tells_its_contract(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABULARIUM_LOG_LEVEL", "warning")  # or its log fills a pipe that nobody reads
    with serving(tmp_path / "data", python=("-OO",)) as service:
        contract = http.get(f"{service.address}/openapi.json").json()
        assert contract == json.loads((ROOT / "openapi" / "openapi.json").read_bytes())
        for ruleset_id in LIBRARY.ids():
            told = http.get(f"{service.address}/v1/rulesets/{ruleset_id}").json()["concerns"]
            assert told == {kind: list(rules) for kind, rules in concerns(LIBRARY.current(ruleset_id)).items()}
        game = ("--ruleset", "conquest-classic-2005", "--seats", 2, "--seed", 2, "--quiet")
        said = call("play", "--url", service.address, *game, "--output", tmp_path / "game.jsonl")
        assert said.code == 0, said.err
        assert "were decided again" in said.out
        assert service.interrupt() == 0


SAID = ["settings", "--help", "serve --help", "projections --help", "rules show CC-BAT-18"]


@pytest.mark.parametrize("command", sampled("what is said without docstrings", SAID, 2))
def test_the_command_line_says_the_same(command: str) -> None:
    with start(*command.split()) as usual, start(*command.split(), python=("-OO",)) as optimized:
        said, dropped = usual.communicate(timeout=120), optimized.communicate(timeout=120)
    assert usual.returncode == 0
    assert len(said[0]) > 400
    assert dropped == said


STUCK = """
from tests.domain.kernel.rules.test_course import PrizePutUp, Stuck, at_table
draft = at_table()
draft.emit(PrizePutUp(1))
Stuck().advance(draft)
"""


def test_a_game_that_stands_still_comes_to_an_end_as_a_fault() -> None:
    ended = subprocess.run(
        [sys.executable, "-OO", "-c", STUCK], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 1
    assert ended.stderr.endswith("AssertionError: nobody has to choose, and nothing follows\n")


# --- Docstrings -------------------------------------------------------------------------------------------------------

DROPPED = """
import sys
from domain.kernel.rules import docstrings
from domain.kernel.rules.command import Command
from domain.kernel.rules.message import Event, Names, kebab
assert_dropped = [of for of in (docstrings.docstring, Names, kebab) if of.__doc__ is not None]
sys.exit(f"not dropped: {assert_dropped}") if assert_dropped else None
for of in (docstrings.docstring, Names, Names.all, Names.__call__, kebab, Command.option.__func__):
    print(repr(docstrings.docstring(of)))
"""


def test_a_docstring_is_read_from_the_source_as_it_is_kept() -> None:
    said = [
        subprocess.run([sys.executable, *options, "-c", source], cwd=ROOT, capture_output=True, text=True, check=True)
        for options, source in (((), DROPPED.replace("sys.exit", "str")), (("-OO",), DROPPED))
    ]
    usual, dropped = (each.stdout for each in said)
    assert dropped == usual
    lines = usual.splitlines()
    assert lines[1].startswith("'Display names for sentences")
    assert lines[2] == "'Return the names as an enumeration: \"a, b and c\".'"
    assert lines[3] == "''"


class Fought:
    """A battle.

    It is over.

    Attributes:
        hits: how many hit, which may be
            none: nobody was there.
        attacker, defender: the two sides.
    """


FIELDS = """
from domain.kernel.rules.docstrings import attributes, summary
from tests.service.cli.test_optimized import Fought
print(summary(Fought), attributes(Fought))
"""


@pytest.mark.parametrize("options", [(), ("-OO",)], ids=["usual", "optimized"])
def test_the_fields_of_a_struct_are_read_from_its_docstring(options: tuple[str, ...]) -> None:
    said = subprocess.run(
        [sys.executable, *options, "-c", FIELDS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    fields = {
        "hits": "how many hit, which may be none: nobody was there.",
        "attacker": "the two sides.",
        "defender": "the two sides.",
    }
    assert said.stdout == f"A battle.\n\nIt is over. {fields}\n"


def test_what_has_no_docstring_has_none() -> None:
    bare = type("Bare", (), {})
    assert (docstring(bare), summary(bare), attributes(bare)) == ("", "", {})


def test_a_source_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sourceless", ModuleType("sourceless"))
    with pytest.raises(LookupError, match="the source of sourceless is missing"):
        source_of("sourceless")
