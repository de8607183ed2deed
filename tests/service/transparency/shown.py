"""A service as a follower sees it, in memory: honest as long as nobody makes it lie."""

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec

from domain.kernel.ids import GameId
from domain.transparency.checkpoint import Checkpoint
from domain.transparency.entry import WITHHELD, Entry, kind_of
from domain.transparency.note import Note
from domain.transparency.tiles import Tile, bundle, read_number
from domain.transparency.tree import Frontier, leaf_hash
from service.base.clock import later
from service.transparency.pages import Page
from tests.domain.transparency.reference import Kept
from tests.service.transparency.logs import KEY

Rows = list[dict[str, Any]]

BEGAN = "2026-11-21T06:00:00.000000Z"


class Shown:
    """A `Site`. What it shows of its games, and the entries that it signed, are there to be changed."""

    def __init__(self) -> None:
        self.games: dict[str, Rows] = {}
        self.statuses: dict[str, str] = {}
        self.entries: list[bytes] = []
        self.logged: dict[str, int] = {}
        self.withheld: dict[str, tuple[str, dict[str, Any]]] = {}
        """Forks: until the end of which game they are not shown, and the first row, which is."""
        self.asked: list[str] = []
        self.size: int | None = None
        self.key = KEY
        self._clock = 0

    def play(self, game: str, events: int = 1, status: str = "running") -> None:
        rows = self.games.setdefault(game, [])
        for _ in range(events):
            self._clock += 1
            version = len(rows) + 1
            hashed = leaf_hash(f"{game} {version} {rows[-1]['hash'] if rows else ''}".encode()).hex()
            rows.append({"version": version, "hash": hashed, "at": later(BEGAN, timedelta(seconds=self._clock))})
        self.statuses[game] = status

    def log(self, *games: str) -> None:
        for game in games:
            row, status = self.games[game][-1], self.statuses[game]
            if self.is_withheld(game):
                row, status = self.games[game][0], WITHHELD
            entry = Entry(kind_of(GameId(game)), GameId(game), row["version"], row["hash"], status, row["at"])
            self.entries.append(entry.encoded)
            self.logged[game] = entry.version

    def is_withheld(self, game: str) -> bool:
        until, _ = self.withheld.get(game, ("", {}))
        return bool(until) and self.statuses.get(until) != "over"

    def go_on(self, game: str, events: int = 1, status: str = "running") -> None:
        self.play(game, events, status)
        self.log(game)

    def rehash(self, game: str, version: int) -> None:
        """Tell the game otherwise from a version on, with a chain that is whole."""
        for row in self.games[game][version - 1 :]:
            row["hash"] = leaf_hash(row["hash"].encode()).hex()

    # --- pages ---

    def get(self, path: str) -> Page:
        self.asked.append(path)
        if path == "/transparency/checkpoint":
            return self._checkpoint()
        if path.startswith("/transparency/tile/"):
            return self._tile(path.removeprefix("/transparency/tile/"))
        match = re.fullmatch(r"/v1/(games|cases)/([\w-]+)(?:/events\?after=(\d+)&limit=(\d+))?", path)
        assert match is not None, path
        kind, game, after, limit = match.groups()
        if game not in self.games:
            return self._answer({"type": "/problems/unknown-game"}, 404)
        if self.is_withheld(game):
            return self._answer({"type": "/problems/withheld", "first": self.withheld[game][1]}, 403)
        rows = self.games[game]
        if after is None:
            now = {"version": len(rows), "status": self.statuses[game]}
            return self._answer({"summary": {"case": game, **now}} if kind == "cases" else {"id": game, **now})
        return self._answer({"items": rows[int(after) : int(after) + int(limit)]})

    def checkpoint(self, entries: Sequence[bytes]) -> Note:
        frontier = Frontier()
        frontier.extend(map(leaf_hash, entries))
        text = Checkpoint(self.key.origin, frontier.size, frontier.root).text
        return Note(text, tuple(self.key.signatures(text)))

    def _checkpoint(self) -> Page:
        entries = self.entries[: self.size]
        return Page(200, str(self.checkpoint(entries)).encode()) if entries else self._answer({}, 404)

    def _tile(self, path: str) -> Page:
        level, _, rest = path.partition("/")
        found = read_number(rest)
        assert found is not None
        tile = Tile(0 if level == "entries" else int(level), *found)
        if not tile.exists_in(len(self.entries)):
            return self._answer({}, 404)
        if level == "entries":
            return Page(200, bundle(self.entries[tile.run.start : tile.run.stop]))
        kept = Kept()
        kept.keep(Frontier().extend(map(leaf_hash, self.entries)))
        return Page(200, b"".join(kept.read(tile.run)))

    @staticmethod
    def _answer(value: Any, status: int = 200) -> Page:
        return Page(status, msgspec.json.encode(value))
