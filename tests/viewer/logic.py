"""What of the viewer needs no page, run by Node: forms, gestures, proofs."""

import json
import subprocess
from pathlib import Path
from typing import Any, Final

from tests.contract.clients import NODE

VIEWER: Final = Path("service/viewer").resolve()
UNITS: Final = Path(__file__).parent / "units"

PAGE: Final = ("--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", "--import", str(UNITS / "page.js"))
"""How Node loads modules of the viewer: with what they ask of a page."""

_RUN: Final = """
import { readFileSync } from "node:fs";
const run = %s;
process.stdout.write(JSON.stringify((await run(JSON.parse(readFileSync(0, "utf-8")))) ?? null));
"""


def evaluate(function: str, argument: Any = None) -> Any:
    """Return what a JavaScript function makes of `argument`. It imports modules of the viewer from ``/viewer/…``."""
    program = _RUN % function.replace("/viewer/", f"{VIEWER.as_uri()}/")
    command = (NODE, *PAGE, "--input-type=module", "--eval", program)
    done = subprocess.run(command, input=json.dumps(argument), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
