"""Whole games as they were played by each version of each ruleset. They are never recorded anew.

``<ruleset>/v<version>/`` holds exports, xz-compressed, and ``positions.json``: the SHA-256 of each export and the
digest of its table at every hundredth version and at the last. `tests/README.md` says how a new version is recorded.
``clocked/`` holds short games with clocks in the same form, of several rulesets.
"""

import hashlib
import lzma
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from domain.kernel.ids import GameId, Version
from domain.kernel.log.fold import fold, later
from domain.kernel.log.game import Game
from domain.kernel.log.history import retraction
from domain.kernel.log.record import Record
from domain.kernel.rules.board import Board
from domain.kernel.rules.ruleset import Library

FOLDER: Final = Path(__file__).parent
CLOCKED: Final = FOLDER / "clocked"
"""Where the games with clocks are."""
EVERY: Final = 100
"""Positions are compared at every version that this divides."""


class Expected(Struct, frozen=True):
    """What a recorded game was: the SHA-256 of its export, and the digest of its table by version."""

    sha256: str
    positions: dict[str, str]


class Recorded(Struct, frozen=True):
    """A recorded game."""

    ruleset: str
    version: int
    path: Path
    expected: Expected

    def lines(self) -> list[bytes]:
        """Return the lines of the export, each with the newline at its end."""
        return unpacked(self.path).splitlines(keepends=True)

    def __str__(self) -> str:
        return f"{self.ruleset}/v{self.version}/{self.path.name.partition('.')[0]}"


def folder_of(ruleset: str, version: int) -> Path:
    """Return where the games of a version of a ruleset are."""
    return FOLDER / ruleset / f"v{version}"


def recorded(ruleset: str = "*", version: int | str = "*") -> Iterator[Recorded]:
    """Yield the recorded games: of one ruleset and one version, or of all."""
    for index in sorted(FOLDER.glob(f"{ruleset}/v{version}/positions.json")):
        games = msgspec.json.decode(index.read_bytes(), type=dict[str, Expected])
        for name, expected in games.items():
            number = int(index.parent.name.removeprefix("v"))
            yield Recorded(index.parent.parent.name, number, index.parent / name, expected)


def packed(lines: Sequence[bytes]) -> bytes:
    """Return an export as a file of this folder holds it."""
    return lzma.compress(b"".join(lines), preset=9 | lzma.PRESET_EXTREME)


def unpacked(path: Path) -> bytes:
    """Return the export in a file of this folder."""
    return lzma.decompress(path.read_bytes())


def sha256(lines: Sequence[bytes]) -> str:
    """Return the SHA-256 of an export, in hex."""
    return hashlib.sha256(b"".join(lines)).hexdigest()


def positions(game_id: GameId, board: Board, records: Sequence[Record], library: Library) -> dict[str, str]:
    """Return the digests of a game's table at every hundredth version and at the last, by folding its log."""
    ends: list[Version] = [*range(EVERY, len(records), EVERY), len(records)]
    digests: dict[str, str] = {}
    game: Game | None = None
    for end in ends:
        # Folding from zero is what counts, and quadratic: on from the last position only where nothing was taken back.
        since = records[game.version : end] if game is not None else records[:end]
        if game is None or any(retraction(record) is not None for record in since):
            game = fold(records[:end], game_id, library, lambda _: board)
        else:
            game = later(game, since)
        assert game.table is not None
        digests[str(end)] = game.table.digest()
    return digests
