"""What the packages are: small, with few dependencies, typed by the contract, and the same in both languages."""

import gzip
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Final, get_args, get_origin, get_type_hints

import msgspec
import pytest
import tabularium_client
from msgspec import NODEFAULT, Struct
from tabularium_client import proof, shapes

from tests.clients import packed
from tests.contract import clients

CONTRACT: Final[dict[str, Any]] = json.loads((packed.OPENAPI / "openapi.json").read_bytes())["components"]["schemas"]
SHAPES: Final[dict[type[Struct], str]] = {
    shapes.Secret: "Secret",
    shapes.Event: "ClassicEventView",
    shapes.Decision: "Decision",
    shapes.Option: "Option",
    shapes.Options: "ClassicOptionsView",
    shapes.Played: "Played",
    shapes.Waiting: "Waiting",
}
"""The shapes of the Python package, and what the contract calls them."""
ALLOWED: Final = {"httpx", "msgspec"}
BROUGHT_ALONG: Final = {"anyio", "certifi", "h11", "httpcore", "idna", "sniffio", "zstandard", "typing_extensions"}
"""What `httpx` itself imports."""


def test_both_have_one_version_and_the_major_one_of_the_contract() -> None:
    python = re.findall('^version = "(.*)"$', (packed.OPENAPI / "python" / "pyproject.toml").read_text(), re.MULTILINE)
    typescript = json.loads((packed.OPENAPI / "typescript" / "package.json").read_bytes())["version"]
    contract = json.loads((packed.OPENAPI / "openapi.json").read_bytes())["info"]["version"]
    assert python == [typescript]
    assert typescript.partition(".")[0] == contract.partition(".")[0]


def test_the_core_in_typescript_is_small_and_depends_on_nothing() -> None:
    (package,) = packed.typescript().glob("*.tgz")
    with tarfile.open(package) as archive:
        files = {each.name: archive.extractfile(each) for each in archive.getmembers()}
        content = {name.removeprefix("package/"): file.read() for name, file in files.items() if file}
    assert "dependencies" not in json.loads(content["package.json"])
    assert {name for name in content if not name.startswith("dist/")} == {"package.json", "README.md"}
    code = b"".join(content[name] for name in sorted(content) if re.fullmatch(r"dist/[a-z]+\.js", name))
    assert len(gzip.compress(code)) < 20_000


def test_the_python_package_needs_httpx_and_msgspec_alone() -> None:
    (wheel,) = packed.python().glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith("METADATA"))
        needs = re.findall(r"^Requires-Dist: ([a-z]+)(?!.*extra ==)", archive.read(metadata).decode(), re.MULTILINE)
        assert "tabularium_client/py.typed" in archive.namelist()
    assert set(needs) == ALLOWED
    listed = "import sys, tabularium_client; print(*{name.partition('.')[0] for name in sys.modules})"
    environment = {"PYTHONPATH": str(packed.python() / "site")}
    command = [sys.executable, "-P", "-c", listed]
    loaded = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()
    imported = {name for name in loaded if not name.startswith("_") and name not in sys.stdlib_module_names}
    assert imported - BROUGHT_ALONG - {"tabularium_client", "rich", "click", "pygments"} == ALLOWED


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_a_shape_in_python_is_that_of_the_contract(shape: type[Struct]) -> None:
    described = CONTRACT[SHAPES[shape]]
    fields = msgspec.structs.fields(shape)
    assert {field.encode_name for field in fields} == described["properties"].keys()
    required = {field.encode_name for field in fields if field.default is field.default_factory is NODEFAULT}
    assert required == set(described["required"])
    for name, hint in get_type_hints(shape).items():
        kinds = described["properties"][name].get("type", "")
        wanted = OF_KIND.get(kinds if isinstance(kinds, str) else kinds[0])
        assert wanted is None or wanted in {hint, *map(origin, (hint, *get_args(hint)))}, name


OF_KIND: Final = {"integer": int, "string": str, "boolean": bool, "array": tuple, "object": dict}


def origin(hint: Any) -> Any:
    return get_origin(hint) or hint


def test_programs_in_typescript_are_held_to_the_contract(tmp_path: Path) -> None:
    project = packed.typescript()
    (tmp_path / "node_modules").symlink_to(project / "node_modules")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    options = {"module": "nodenext", "target": "es2022", "lib": ["es2022", "dom"], "types": [], "strict": True}
    settings = {"compilerOptions": {**options, "noEmit": True}, "include": ["*.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings))
    (tmp_path / "program.ts").write_text(PROGRAM)
    shutil.copy(packed.OPENAPI / "bot.ts", tmp_path)
    shutil.copy(clients.HERE / "typescript" / "node.d.ts", tmp_path)
    assert clients.node(clients.installed("typescript", "bin", "tsc"), "--project", tmp_path) == ""


PROGRAM: Final = """
import { Client, isKnown } from "@tabularium/client";

const client = new Client("https://service.example", { token: "t0" });
const { version, seats } = await client.get("/v1/games/{game}", { game: "g1" });
const after: number = version;
const names: string[] = seats.map(({ seat }) => seat);
for await (const event of client.events("g1", after)) {
  if (!isKnown(event)) continue;
  if (event.ruleset === "mare-nostrum" && event.event.type === "battle-began") console.log(event.event.attacker, names);
}
await client.command("g1", { type: "pass" }, { version });
await client.post("/v1/games/{game}/seats", { game: "g1" }, { seat: "red" });
for await (const { title, status } of client.items("/v1/games", { status: "over" })) console.log(title.length, status);
// @ts-expect-error: one game is no list
client.items("/v1/games/{game}", { game: "g1" });
// @ts-expect-error: the path needs the name of a game
await client.get("/v1/games/{game}", {});
// @ts-expect-error: there is no such path
await client.get("/v1/gmaes");
// @ts-expect-error: no endpoint takes that
await client.post("/v1/games/{game}/seats", { game: "g1" }, { chair: "red" });
// @ts-expect-error: a command has a type
await client.command("g1", { kind: "pass" });
"""


def test_the_guide_has_what_the_packages_offer() -> None:
    guide = (packed.OPENAPI / "README.md").read_text()
    table = guide[guide.index("\n## Packages for Python and TypeScript\n") :].partition("\n## The endpoints\n")[0]
    told = {name for line in table.splitlines() if line.startswith("| `") for name in NAME.findall(line.split("|")[1])}
    declared = packed.typescript() / "node_modules" / "@tabularium" / "client" / "dist"
    exported = re.findall(r"export \{ (.*?) \}", (declared / "index.d.ts").read_text())
    typescript = {name.strip() for each in exported for name in each.split(",") if not name.strip().startswith("type ")}
    typescript |= set(re.findall(r"export declare (?:class|function) (\w+)", (declared / "proof.d.ts").read_text()))
    typescript |= set(re.findall(r"^    (?:async )?\*?(\w+)[(<]", (declared / "client.d.ts").read_text(), re.MULTILINE))
    python = {name for name in tabularium_client.__all__ if name not in {shape.__name__ for shape in SHAPES}}
    python |= {*proof.__all__, *(name for name in vars(tabularium_client.Client) if not name.startswith("_"))}
    python -= {"Frame", "Forged", "AsyncClient", "App", "DeviceCode", "SignIn"}
    typescript -= {"constructor", "Frame", "frames", "Forged"}
    own = {"Certified", "Verdict"}
    assert {IN_PYTHON.get(name, name) for name in typescript} - own == python - own
    assert told - {"Forged", "AsyncClient", "SignIn", "App"} == (typescript | python) - own - {"Forged"}


IN_PYTHON: Final = {
    "isKnown": "is_known",
    "signIn": "sign_in_in_browser",
    "signInByDevice": "sign_in_by_device",
    "signOut": "sign_out",
    "signedIn": "signed_in",
}
"""What has another name in Python."""


NAME: Final = re.compile(r"`(\w+)`")
