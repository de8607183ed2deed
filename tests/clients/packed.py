"""The client packages as somebody else gets them: built, packed, and installed from that file into an empty project.

A `Speaker` is a program in such a project. Tests ask it to use its package, and it says what came of it.
"""

import contextlib
import functools
import json
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

from tests.contract import clients

HERE: Final = Path(__file__).parent
OPENAPI: Final = HERE.parents[1] / "openapi"
NPM: Final = clients.NODE.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"

Language = Literal["python", "asyncio", "typescript", "deno"]
LANGUAGES: Final[tuple[Language, ...]] = ("python", "asyncio", "typescript")
"""In Python the package is asked in both ways that it has."""
PACKAGES: Final[tuple[Language, ...]] = ("python", "typescript")


def files(*patterns: str) -> list[Path]:
    """Return files of the checkout."""
    return sorted(path for pattern in patterns for path in OPENAPI.parent.glob(pattern))


PYTHON: Final = files(
    "openapi/python/pyproject.toml",
    "openapi/python/README.md",
    "openapi/python/tabularium_client/*.py",
    "openapi/python/tabularium_client/*.json",
    "openapi/python/tabularium_client/py.typed",
    "openapi/python/tabularium_client/proof/*.py",
)
TYPESCRIPT: Final = [
    path
    for path in files(
        "openapi/typescript/package.json",
        "openapi/typescript/README.md",
        "openapi/typescript/tsconfig.json",
        "openapi/typescript/src/*.ts",
    )
    if path.name != "contract.ts"
]
"""What the packages are made of. The types of the contract are made when the package is built."""
PAGE: Final = files("service/viewer/proof/*.js")
"""The checks of the service's own pages, which are those of the package."""


@functools.cache
def python() -> Path:
    """Return an empty project with the wheel in it, and the wheel."""

    def install(project: Path) -> None:
        project.mkdir()
        uv = Path(sys.prefix) / "bin" / "uv"
        clients.run(uv, "build", "--offline", "--no-config", "--wheel", "--out-dir", project, OPENAPI / "python")
        (wheel,) = project.glob("*.whl")
        into = ("--offline", "--no-config", "--no-deps", "--python", sys.executable, "--target", project / "site")
        clients.run(uv, "pip", "install", *into, wheel)

    return clients.installed_once("python-client", PYTHON, install)


@functools.cache
def typescript() -> Path:
    """Return an empty project with the package in its `node_modules`, and the packed file."""

    def install(project: Path) -> None:
        build = project / "build"
        put_together(build)
        clients.compile_typescript(build, "typescript")
        clients.node(NPM, "pack", "--pack-destination", project, cwd=build)
        shutil.rmtree(build)
        (packed,) = project.glob("*.tgz")
        (project / "package.json").write_text('{"private": true, "type": "module"}')
        shutil.copy(HERE / "programs" / "speaker.ts", project)
        clients.node(NPM, "install", "--offline", "--no-audit", "--no-fund", f"./{packed.name}", cwd=project)

    made_of = [
        *TYPESCRIPT,
        *PAGE,
        HERE / "programs" / "speaker.ts",
        OPENAPI / "openapi.json",
        *clients.LOCKS,
    ]
    return clients.installed_once("typescript-client", made_of, install)


def put_together(build: Path) -> None:
    """Put the sources of the TypeScript package into a folder, as its `npm run build` does."""
    (build / "src" / "page").mkdir(parents=True)
    for path in PAGE:
        shutil.copy(path, build / "src" / "page")
    for path in TYPESCRIPT:
        shutil.copy(path, build / path.relative_to(OPENAPI / "typescript"))
    clients.write_types(OPENAPI / "openapi.json", build / "src" / "contract.ts")


class Speaker:
    """A program that uses a client package as it is told."""

    def __init__(self, language: Language, process: "subprocess.Popen[bytes]") -> None:
        self.language: Final = language
        self._process = process

    def ask(self, action: str, within: float = 60, **named: Any) -> Any:
        """Return what came of an action: what it returned, or ``{"error": …}`` with what it raised."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"action": action, **named}).encode() + b"\n")
        self._process.stdin.flush()
        answered, _, _ = select.select([self._process.stdout], [], [], within)
        assert answered, f"the {self.language} program says nothing of {action}"
        line = self._process.stdout.readline()
        assert line, f"the {self.language} program ended; its last words are on stderr"
        return json.loads(line)


@contextlib.contextmanager
def speaking(language: Language, hours: float = 0) -> Iterator[Speaker]:
    """Run a program in an empty project, whose clock is so many hours fast."""
    pipe, environment = subprocess.PIPE, {"PATH": ""}
    if language == "typescript":
        project = typescript()
        command = [clients.NODE, "--no-warnings", project / "speaker.ts", str(hours)]
    elif language == "deno":
        project = typescript()
        alone = ("--no-remote", "--no-lock", "--node-modules-dir=manual", "--allow-all")
        command = [Path(sys.prefix) / "bin" / "deno", "run", *alone, project / "speaker.ts", str(hours)]
        environment |= {"DENO_DIR": str(clients.BUILD / "deno"), "DENO_NO_UPDATE_CHECK": "1"}
    else:
        project = python()
        command = [sys.executable, "-P", HERE / "programs" / "speaker.py", language, str(hours)]
        environment |= {"PYTHONPATH": str(project / "site")}
    with subprocess.Popen([*map(str, command)], cwd=project, stdin=pipe, stdout=pipe, env=environment) as process:
        try:
            yield Speaker(language, process)
        finally:
            process.kill()
