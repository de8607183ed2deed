"""What the registries show of the packages: every example runs, the pages of all names are made, the workflow fits."""

import io
import json
import re
import select
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import tabularium_client
import yaml
from tabularium_client import proof

from tests.clients import packed
from tests.clients.test_games import Table
from tests.contract import clients
from tests.contract.running import running

READMES: Final = {
    "python": ((packed.OPENAPI / "python" / "README.md").read_text(), ".py"),
    "typescript": ((packed.OPENAPI / "typescript" / "README.md").read_text(), ".ts"),
}
EXAMPLES: Final = {
    language: re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    for language, (text, _) in READMES.items()
}
FOLLOWS: Final = r"1 game-created\b.*\n2 seat-taken\b"
SAID: Final = {
    "python": (
        "^mare-nostrum running [0-9]+$",
        FOLLOWS,
        "^played [0-9]+$",
        "^TAB-CMD-01 .+ ",
        "versions is unbroken",
        FOLLOWS,
        "^You are Seat 0$",
    ),
    "typescript": (
        "^mare-nostrum running [0-9]+$",
        FOLLOWS,
        "^played [0-9]+$",
        "^Stale: ",
        "versions is unbroken",
        "^You are Seat 0$",
    ),
}
"""What each example says, in their order. Some go on for ever, and are ended when they have said it."""
CODE: Final = r"/device\b.* ([A-Z]{4}-[A-Z]{4})$"
"""What an example says that signs somebody in."""
CASES: Final = [(language, number) for language in SAID for number in range(len(SAID[language]))]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    folder = tmp_path_factory.mktemp("service")
    with running(folder / "data", folder / "service.log") as (address, _), Table(address, "mare-nostrum") as begun:
        yield begun


def program(language: str, number: int, url: str, token: str, game: str) -> str:
    """Return an example as a program: each goes on from the first."""
    parts = EXAMPLES[language][:1] + EXAMPLES[language][number : number + 1] * (number > 0)
    text = "\n".join(parts).replace("https://service.example", url)
    return text.replace('"TOKEN"', f'"{token}"').replace('"GAME"', f'"{game}"')


def active(table: Table) -> str:
    """Return the token of a seat that is asked now."""
    state = table.get()
    seats = [each["seat"] for each in state["seats"]]
    return table.tokens[seats.index(state["decisions"][0]["seats"][0])]


@pytest.mark.parametrize(("language", "number"), CASES)
def test_every_example_runs(table: Table, language: str, number: int, tmp_path: Path) -> None:
    file = tmp_path / f"program{READMES[language][1]}"
    file.write_text(program(language, number, table.url, active(table), table.game))
    if language == "python":
        command, environment = [sys.executable, "-P", file], {"PYTHONPATH": str(packed.python() / "site")}
    else:
        (tmp_path / "node_modules").symlink_to(packed.typescript() / "node_modules")
        (tmp_path / "package.json").write_text('{"type": "module"}')
        command, environment = [clients.NODE, "--no-warnings", file], {}
    output = subprocess.PIPE
    environment["PYTHONUNBUFFERED"] = "1"
    with subprocess.Popen(
        [*map(str, command)], cwd=tmp_path, env=environment, stdout=output, stderr=subprocess.STDOUT
    ) as process:
        if "by_device" in file.read_text() or "ByDevice" in file.read_text():
            (code,) = re.findall(CODE, heard(process, CODE), re.MULTILINE)
            table.post("/v1/authorization/device/decision", table.tokens[0], code=code, allow=True)
        said = heard(process, SAID[language][number])
        process.kill()
    assert re.search(SAID[language][number], said, re.MULTILINE), said


def heard(process: "subprocess.Popen[bytes]", wanted: str) -> str:
    """Return what a program says until it has said what is wanted, or has nothing more to say."""
    assert isinstance(process.stdout, io.BufferedReader)
    said, end = b"", time.monotonic() + 60
    while select.select([process.stdout], [], [], max(0.0, end - time.monotonic()))[0]:
        part = process.stdout.read1(65536)
        said += part
        if not part or re.search(wanted, said.decode(), re.MULTILINE):
            break
    return said.decode()


def test_every_example_has_said_something() -> None:
    assert {language: len(examples) for language, examples in EXAMPLES.items()} == {
        language: len(said) for language, said in SAID.items()
    }


def test_the_examples_in_typescript_fit_the_contract(tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(packed.typescript() / "node_modules")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    options = {"module": "nodenext", "target": "es2022", "lib": ["es2022", "dom"], "types": [], "strict": True}
    settings = {"compilerOptions": {**options, "noEmit": True}, "include": ["*.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings))
    for number in range(len(EXAMPLES["typescript"])):
        (tmp_path / f"example{number}.ts").write_text(program("typescript", number, "https://x.example", "t", "g"))
    clients.compile_typescript(tmp_path)


@pytest.mark.parametrize("language", READMES)
def test_a_readme_fits_on_a_screen_and_is_in_the_package(language: str) -> None:
    text, _ = READMES[language]
    assert len(text.splitlines()) <= 97
    if language == "python":
        assert (
            text.partition("\n")[2].strip()[:60]
            in (next(packed.python().glob("site/*.dist-info/METADATA"))).read_text()
        )
    else:
        assert (packed.typescript() / "node_modules" / "@tabularium" / "client" / "README.md").read_text() == text


def test_the_pages_of_the_python_package_have_every_name(tmp_path: Path) -> None:
    modules = ("tabularium_client", "tabularium_client.proof")
    place = packed.python() / "site"
    environment = {"PYTHONPATH": str(place)}
    command = [sys.executable, "-m", "pdoc", *modules, "--output-directory", str(tmp_path)]
    made = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (made.returncode, made.stdout + made.stderr) == (0, "")
    for module, names in zip(modules, (tabularium_client.__all__, proof.__all__), strict=True):
        page = (tmp_path / f"{module.replace('.', '/')}.html").read_text()
        assert [name for name in names if f'id="{name}"' not in page] == []


def test_the_pages_of_the_typescript_package_have_every_name(tmp_path: Path) -> None:
    build = tmp_path / "build"
    packed.put_together(build)
    clients.node(clients.installed("typedoc", "bin", "typedoc"), "--treatWarningsAsErrors", cwd=build)
    for module, kinds in {"index": ("classes/Client", "functions/sample"), "proof": ("functions/verify",)}.items():
        for kind in kinds:
            folder, name = kind.split("/")
            assert name in (build / "docs" / folder / f"{module}.{name}.html").read_text()
    shutil.rmtree(build)


def test_the_workflow_publishes_what_is_there_with_provenance() -> None:
    root = packed.OPENAPI.parent
    workflow: dict[Any, Any] = yaml.safe_load((root / ".github" / "workflows" / "publish.yml").read_text())
    assert workflow["permissions"] == {}
    commands = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    for command in commands:
        for path in re.findall(r"\bopenapi/[\w./]+", command):
            assert (root / path).exists(), path
    package = json.loads((packed.OPENAPI / "typescript" / "package.json").read_bytes())
    scripts = {name for command in commands for name in re.findall(r"npm run (\w+)", command)}
    assert scripts == set(package["scripts"])
    assert any("npm publish --provenance" in command for command in commands)
    for name in ("python", "typescript"):
        assert workflow["jobs"][name]["permissions"] == {"contents": "read", "id-token": "write"}
        assert workflow["jobs"][name]["needs"] == "version"
    python = tomllib.loads((packed.OPENAPI / "python" / "pyproject.toml").read_text())["project"]
    checked = next(command for command in commands if "grep" in command)
    for tag, right in ((f"clients-{python['version']}", 0), ("clients-0.0.1", 1)):
        environment = {"GITHUB_REF_NAME": tag, "PATH": "/usr/bin:/bin"}
        without_jq = checked.replace("jq -r .version openapi/typescript/package.json", f"echo {package['version']}")
        assert subprocess.run(["sh", "-ec", without_jq], cwd=root, env=environment, check=False).returncode == right
