"""`deploy/test.sh --fast` knows what files read, finds the tests that a change touches, and says what it left out."""

import re
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

from tests.touched.plan import is_test, nearness, rulesets, unread, ways
from tests.touched.plugin import SLOW, UNKNOWN, chosen, plays
from tests.touched.reads import Checkout

ROOT = Path(__file__).parents[1]


def tracked(root: Path) -> set[str]:
    said = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root, stdout=-1, check=True
    ).stdout
    return {*said.decode().split("\0")} - {""}


@pytest.fixture(scope="module")
def reads() -> dict[str, set[str]]:
    return Checkout(ROOT, tracked(ROOT)).reads()


def written(root: Path, files: dict[str, str]) -> dict[str, set[str]]:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return Checkout(root, files).reads()


def test_a_module_reads_what_it_imports_and_the_packages_around_it_that_do_something(tmp_path: Path) -> None:
    files = {
        "domain/__init__.py": '"""Only says what it is."""',
        "domain/a/__init__.py": '"""Does something."""\nimport domain.b',
        "domain/a/c.py": "",
        "domain/b.py": "def name(): ...",
        "domain/d.py": "if TYPE_CHECKING:\n    import domain.b\ndef later():\n    from domain.a.c import anything",
        "service/e.py": "from domain import b\nfrom domain.b import name",
    }
    found = written(tmp_path, files)
    assert found["domain/a/__init__.py"] == found["service/e.py"] == {"domain/b.py"}
    assert found["domain/d.py"] == {"domain/a/__init__.py", "domain/a/c.py"}


def test_a_module_reads_what_its_strings_name_but_not_what_its_docstring_does(tmp_path: Path) -> None:
    files = {
        "domain/a.py": '"""See domain.b and cards.toml."""\nread("cards.toml")\nread(f"{name}.json")',
        "domain/b.py": 'resources.files("domain.c").joinpath("words.txt")',
        "domain/c/__init__.py": "",
        "domain/c/words.txt": "",
        "domain/cards.toml": "",
        "domain/x.json": "",
        "domain/c/deep.json": "",
        "tests/d.py": 'FOLDER = Path(__file__).parents[1] / "domain" / "c"\nrun("-m", "domain.b")',
        "tests/e.py": 'import_module(f"domain.{name}")',
        "tests/f.py": 'import domain.c\nimport_module(name)\nread("unknown.toml", "domain", "and so on")',
        "domain/c/g.py": "",
        "domain/h.py": 'PLACE = ("c", "words.txt")',
    }
    found = written(tmp_path, files)
    assert found["domain/a.py"] == {"domain/cards.toml", "domain/x.json"}
    assert found["domain/b.py"] == {"domain/c/__init__.py", "domain/c/words.txt"}
    assert found["tests/d.py"] == {"domain/b.py", "domain/c/words.txt", "domain/c/deep.json"}
    assert found["tests/e.py"] == {"domain/a.py", "domain/b.py", "domain/h.py"}
    assert found["domain/h.py"] == {"domain/c/words.txt"}
    assert found["tests/f.py"] == {"domain/c/__init__.py", "domain/c/g.py"}


def test_the_service_reads_the_client_package(tmp_path: Path) -> None:
    package = "openapi/python/tabularium_client"
    files = {"service/a.py": "from tabularium_client.calls import Calls", f"{package}/calls.py": ""}
    assert written(tmp_path, files)["service/a.py"] == {f"{package}/calls.py"}


def test_a_test_reads_the_handler_or_the_page_at_an_address_and_the_page_its_scripts(tmp_path: Path) -> None:
    files = {
        "service/api/routes.py": '@endpoint("GET", "/v1/games/{game:str}/events")\nasync def events(): ...',
        "service/pages.py": '@get("/games/{game:str}")\nasync def page():\n    return shown("game.html")',
        "service/viewer/game.html": '<script type="module" src="/viewer/game.js"></script>',
        "service/viewer/game.js": 'import { board } from "./parts/board.js";',
        "service/viewer/parts/board.js": 'const all = await (await import("../more.js")).all;',
        "service/viewer/more.js": "ask(`/v1/games/${id}/events?after=${version}`)",
        "tests/test_a.py": 'await page.goto(f"/games/{made.id}#token={token}")',
        "tests/conftest.py": "",
        "tests/b.py": 'await service.get(f"/v1/games/{game}/events?limit=2")',
    }
    found = written(tmp_path, files)
    assert found["tests/test_a.py"] == {"service/viewer/game.html", "tests/conftest.py"}
    assert found["tests/b.py"] == found["service/viewer/more.js"] == {"service/api/routes.py"}
    assert found["service/viewer/game.html"] == {"service/viewer/game.js"}
    assert found["service/viewer/game.js"] == {"service/viewer/parts/board.js"}
    assert found["service/viewer/parts/board.js"] == {"service/viewer/more.js"}


def test_every_import_that_import_linter_sees_is_known(reads: dict[str, set[str]]) -> None:
    graph = grimp.build_graph("domain", "projections", "service", cache_dir=None, exclude_type_checking_imports=True)
    known = {module: files_of(module) & reads.keys() for module in graph.modules}
    for module, files in known.items():
        for imported in graph.find_modules_directly_imported_by(module):
            if known[imported]:
                assert any(reads[file] & known[imported] for file in files), (module, imported)


def files_of(module: str) -> set[str]:
    path = module.replace(".", "/")
    return {f"{path}.py", f"{path}/__init__.py"}


def test_a_change_touches_every_test_that_imports_it(reads: dict[str, set[str]]) -> None:
    for test in filter(is_test, reads):
        for module in re.findall(
            r"^(?:from|import) ((?:domain|projections|service|tests)\.[\w.]+)", (ROOT / test).read_text(), re.M
        ):
            for file in files_of(module) & reads.keys():
                assert file in reads[test] | {test} or file.endswith("/__init__.py"), (test, file)


def test_no_rules_and_no_endpoints_are_read_by_every_test(reads: dict[str, set[str]]) -> None:
    """Whatever the outermost conftest reads, a change of it touches everything."""
    reached = {*reads["tests/conftest.py"]}
    while more := {each for file in reached for each in reads[file]} - reached:
        reached |= more
    assert not [file for file in reached if file.startswith(("domain/", "projections/", "service/api/"))]


def test_every_file_that_is_served_or_played_is_read_by_a_module(reads: dict[str, set[str]]) -> None:
    assert [file for file in unread(reads, reads) if "/" in file and not file.startswith(".ci/")] == []


def test_the_shortest_way_leads_past_hubs_and_what_is_read_for_itself_is_nearest() -> None:
    reads = {
        "tests/test_a.py": {"hub", "small"},
        "tests/test_b.py": {"hub"},
        "tests/test_c.py": {"changed"},
        "hub": {"changed", *(f"{n}.py" for n in range(50))},
        "small": {"changed"},
        "other": {"hub"},
    }
    found = ways(reads, ["changed"])
    assert found["tests/test_a.py"] == ("tests/test_a.py", "small", "changed")
    assert found["tests/test_b.py"] == ("tests/test_b.py", "hub", "changed")
    near = nearness(reads, ["changed"])
    assert near["tests/test_c.py"] > near["tests/test_b.py"] > near["other"] * 0.99


def test_a_change_of_rulesets_alone_lets_the_others_rest() -> None:
    owned = {"italia.py": {"italia-1", "italia-2"}, "kernel.py": {"italia-1", "italia-2", "mare-nostrum"}}
    assert rulesets(["italia.py"], owned) == ("italia-1", "italia-2")
    assert rulesets(["italia.py", "service.py"], owned) is None
    assert plays("tests/test_scenarios.py::test_scenario[mare-nostrum/v1/war/A siege]", ["mare-nostrum"])
    assert not plays("tests/mare-nostrum/test_a.py::test_all", ["mare-nostrum"])


def test_as_many_files_are_chosen_as_fit_by_what_was_noted() -> None:
    files = {"a": [], "b": ["italia-1"], "c": [], "d": []}
    noted = {"a::test": 3.0, "a::slow": SLOW + 1, "b::test[italia-1]": 9.0, "b::test[italia-2]": 2.0}
    assert [*chosen(files, noted, 4.0)] == ["a", "b"]
    assert [*chosen(files, noted, 5.0 + UNKNOWN)] == ["a", "b", "c", "d"]


def pytest_of(root: Path, *options: str) -> str:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "xdist",
        "-p",
        "tests.touched.notes",
        "-p",
        "tests.touched.plugin",
        "--import-mode=importlib",
        *options,
    ]
    # Other plugins, which are not asked, take most of the time to start.
    environment = {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_touched_tests_are_run_and_the_others_are_named(tmp_path: Path, workers: str) -> None:
    files = {
        "domain/a.py": "",
        "domain/b.py": "",
        "tests/test_a.py": '"reads", "domain.a"\ndef test_one(): ...\ndef test_two(): ...',
        "tests/test_b.py": '"reads", "domain.b"\ndef test(): assert False',
        "pyproject.toml": "[tool.pytest]\n",
    }
    written(tmp_path, files)
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "Begin"]):
        subprocess.run([*git, *command], cwd=tmp_path, check=True)
    assert "No test reads what was changed since HEAD." in pytest_of(tmp_path, workers, "--touched", "HEAD")
    (tmp_path / "domain/a.py").write_text("changed = True")
    (tmp_path / "domain/new.py").write_text("")
    said = pytest_of(tmp_path, workers, "--touched", "HEAD")
    assert "tests/test_a.py < domain/a.py" in said
    assert "reached by no test: domain/new.py" in said
    assert "test_b" not in said
    assert "2 passed" in said
    assert "test_one" in (tmp_path / ".pytest_cache/v/touched/seconds").read_text()
    late = pytest_of(tmp_path, workers, "--touched", "HEAD", "--within", "-1")
    assert "not run, for want of time: 2 tests of tests/test_a.py" in late
    assert "no tests ran" in late
