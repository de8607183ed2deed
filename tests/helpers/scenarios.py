"""The scenario files, each parsed once: what came of it is kept by the hash of its text and of who parsed it."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from domain.kernel import scenario
from domain.kernel.scenario import Scenario

FOLDER: Final = Path(__file__).parents[1] / "scenarios"
KEPT: Final = Path(__file__).parents[2] / ".pytest_cache" / "scenarios"
PARSER: Final = Path(scenario.__file__).read_bytes()


def written(folder: str = "*") -> Iterator[tuple[Path, list[Scenario]]]:
    """Yield each file, of the folders with this pattern, with its scenarios. Raises `ScenarioError`."""
    for path in sorted(FOLDER.glob(f"{folder}/*.toml")):
        yield path, parsed(path.read_text())


def parsed(text: str) -> list[Scenario]:
    """Return the scenarios in a file's text, from a cache: TOML takes many times as long. Raises `ScenarioError`."""
    kept = KEPT / hashlib.sha256(PARSER + text.encode()).hexdigest()
    try:
        return msgspec.msgpack.decode(kept.read_bytes(), type=list[Scenario])
    except FileNotFoundError:
        found = scenario.read(text)
    KEPT.mkdir(parents=True, exist_ok=True)
    mine = kept.with_suffix(f".{os.getpid()}")
    mine.write_bytes(msgspec.msgpack.encode(found))
    mine.replace(kept)  # whole or not at all, for the other workers of the run
    return found
