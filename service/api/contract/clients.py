"""Generated files of the client packages in `openapi/`: the types of events that the packages know.

By these, a package recognizes events that are newer than itself.
"""

import json
from typing import Final

from domain.kernel.log.lifecycle import GAME_EVENTS
from domain.kernel.rules.message import type_name
from domain.kernel.rules.ruleset import Library

PYTHON: Final = "python/tabularium_client/known.json"
TYPESCRIPT: Final = "typescript/src/known.ts"

_SAYS: Final = "Types of events in the contract: around the table, and of each ruleset. Made by `tabularium openapi`."


def known_events(library: Library) -> dict[str, bytes]:
    """Return the file of each package that lists the types of events."""
    around = sorted(map(type_name, GAME_EVENTS))
    of_ruleset = {ruleset: sorted(map(type_name, library.current(ruleset).events)) for ruleset in library.ids()}
    python = json.dumps({"around": around, "of_ruleset": of_ruleset}, indent=2)
    typescript = (
        f"/** {_SAYS} */\n\nexport const AROUND: readonly string[] = {json.dumps(around, indent=2)};\n\n"
        f"export const OF_RULESET: Readonly<Record<string, readonly string[]>> = {json.dumps(of_ruleset, indent=2)};\n"
    )
    return {PYTHON: f"{python}\n".encode(), TYPESCRIPT: typescript.encode()}
