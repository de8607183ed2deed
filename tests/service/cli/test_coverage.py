"""What counts as a test of a rule, and what does not."""

from pathlib import Path

import pytest

from domain.kernel.ids import RuleId
from domain.library import LIBRARY
from service.cli.coverage import CoverageError, claims_in, collect
from tests.tiny.auction import TinyAuction
from tests.tiny.corrected import Corrected


@pytest.fixture
def tests_dir(tmp_path: Path) -> Path:
    path = tmp_path / "tests"
    path.mkdir()
    return path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


SCENARIOS = """
ruleset = "ludus"

[[scenario]]
title = "A legion marches"
rules = ["LU-MOV-01", "LU-MOV-02"]
given = { whatever = 1 }

[[scenario]]
title = "Only the auction stops it"
rulesets = ["tiny-auction"]
rules = ["LU-MOV-02"]

[[scenario]]
rules = ["LU-MOV-03"]
"""


def test_no_tests_cover_nothing(tests_dir: Path) -> None:
    assert collect(claims_in(tests_dir)) == {}


def test_scenarios_cover_the_rules_they_name(tests_dir: Path) -> None:
    write(tests_dir / "scenarios/ludus/march.toml", SCENARIOS)
    assert collect(claims_in(tests_dir)) == {
        "LU-MOV-01": ["tests/scenarios/ludus/march.toml::A legion marches"],
        "LU-MOV-02": [
            "tests/scenarios/ludus/march.toml::A legion marches",
            "tests/scenarios/ludus/march.toml::Only the auction stops it",
        ],
        "LU-MOV-03": ["tests/scenarios/ludus/march.toml::3"],
    }


def test_a_scenario_counts_only_for_its_rulesets(tests_dir: Path) -> None:
    write(tests_dir / "scenarios/ludus/march.toml", SCENARIOS)
    assert len(collect(claims_in(tests_dir), TinyAuction())[RuleId("LU-MOV-02")]) == 2
    assert len(collect(claims_in(tests_dir), LIBRARY.current("mare-nostrum"))[RuleId("LU-MOV-02")]) == 1


def test_a_scenario_counts_only_for_its_versions(tests_dir: Path) -> None:
    until, since = (f'[[scenario]]\nrules = ["LU-MOV-01"]\n{said}\n' for said in ("until = 1", "since = 2"))
    write(tests_dir / "scenarios/ludus/march.toml", until + since + '[[scenario]]\nrules = ["LU-MOV-01"]')
    rulesets = {None: None, 1: Corrected(1), 2: Corrected(2)}
    counted = {
        version: collect(claims_in(tests_dir), ruleset)[RuleId("LU-MOV-01")] for version, ruleset in rulesets.items()
    }
    file = "tests/scenarios/ludus/march.toml"
    assert counted == {
        None: [f"{file}::1", f"{file}::2", f"{file}::3"],
        1: [f"{file}::1", f"{file}::3"],
        2: [f"{file}::2", f"{file}::3"],
    }


def test_a_toml_file_elsewhere_is_no_scenario(tests_dir: Path) -> None:
    write(tests_dir / "data/march.toml", SCENARIOS)
    assert collect(claims_in(tests_dir)) == {}


def test_marks_cover_rules_on_functions_classes_and_parametrized_cases(tests_dir: Path) -> None:
    write(
        tests_dir / "domain/test_march.py",
        """
import pytest

@pytest.mark.rule("LU-MOV-01", "LU-MOV-02")
def test_one(): ...

@pytest.mark.rule("LU-MOV-01")
@pytest.mark.rule("LU-MOV-01")
async def test_two(): ...

@pytest.mark.rule("LU-BAT-01")
class TestBattle:
    pytestmark = [pytest.mark.rule("LU-BAT-02")]

    @pytest.mark.rule("LU-BAT-03")
    def test_three(self): ...

@pytest.mark.parametrize("n", [pytest.param(1, marks=pytest.mark.rule("LU-WIN-01"))])
def test_four(n): ...
""",
    )
    file = "tests/domain/test_march.py"
    assert collect(claims_in(tests_dir)) == {
        "LU-MOV-01": [f"{file}::test_one", f"{file}::test_two"],
        "LU-MOV-02": [f"{file}::test_one"],
        "LU-BAT-01": [f"{file}::TestBattle::test_three"],
        "LU-BAT-02": [f"{file}::TestBattle::test_three"],
        "LU-BAT-03": [f"{file}::TestBattle::test_three"],
        "LU-WIN-01": [f"{file}::test_four"],
    }


@pytest.mark.parametrize(
    "marks", ['pytest.mark.rule("LU-MOV-01")', '[pytest.mark.slow, pytest.mark.rule("LU-MOV-01")]']
)
def test_a_mark_on_the_module_covers_by_each_of_its_tests(tests_dir: Path, marks: str) -> None:
    write(
        tests_dir / "test_march.py",
        f"import pytest\npytestmark = {marks}\ndef test_one(): ...\ndef test_two(): ...\ndef position(): ...\n",
    )
    assert collect(claims_in(tests_dir)) == {
        "LU-MOV-01": ["tests/test_march.py::test_one", "tests/test_march.py::test_two"]
    }


@pytest.mark.parametrize("mark", ["skip", 'skip(reason="later")', "xfail"])
def test_a_test_that_cannot_fail_covers_nothing(tests_dir: Path, mark: str) -> None:
    write(
        tests_dir / "test_march.py",
        f'import pytest\n@pytest.mark.{mark}\n@pytest.mark.rule("LU-MOV-01")\ndef test_one(): ...\n',
    )
    assert collect(claims_in(tests_dir)) == {}


def test_a_mark_on_what_is_no_test_covers_nothing(tests_dir: Path) -> None:
    write(tests_dir / "test_march.py", 'import pytest\n@pytest.mark.rule("LU-MOV-01")\ndef position(): ...\n')
    assert collect(claims_in(tests_dir)) == {}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("scenarios/a.toml", "[[scenario]", "tests/scenarios/a.toml: "),
        ("scenarios/a.toml", '[[scenario]]\nrules = "LU-MOV-01"', "tests/scenarios/a.toml: Expected `array`"),
        ("test_a.py", "def", "tests/test_a.py: "),
        (
            "test_a.py",
            "import pytest\n@pytest.mark.rule(RULE)\ndef test_one(): ...",
            "tests/test_a.py: line 2: the rule ids of a mark are plain strings",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tests_dir: Path, name: str, text: str, message: str) -> None:
    write(tests_dir / name, text)
    with pytest.raises(CoverageError) as refused:
        claims_in(tests_dir)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)
