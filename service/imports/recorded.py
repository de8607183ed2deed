"""An imported game, opened for reading: its log, and its positions at any version."""

import asyncio
from collections import OrderedDict
from typing import Final

from domain.kernel.chance.secret import Secret, Vault
from domain.kernel.ids import GameId, Version
from domain.kernel.log.fold import fold
from domain.kernel.log.game import Game
from domain.kernel.log.record import Record
from domain.kernel.proof.export import Export
from domain.kernel.rules.ruleset import Library
from service.games.cache import UnknownVersion

POSITIONS: Final = 32
"""The most positions of an opened game in memory, the most recently used. One takes some 30 kB."""


class Recorded:
    """An opened game. Its methods read it as those of `Games` do, and ignore the id that they get."""

    def __init__(self, export: Export, library: Library) -> None:
        self._library = library
        self._records = export.records
        self._id = export.game
        self._vault = Vault(_secrets_of(export))
        self._past = export.past.fold(library) if export.past is not None else None
        self._board = library.at(export.ruleset, export.ruleset_version).equip(export.board, export.documents)
        self.now = self._folded(len(export.records))
        self._positions = OrderedDict[Version, Game]()

    async def at(self, _: GameId, version: Version) -> Game:
        """Return the game at a version. Raises `UnknownVersion`."""
        head = self.now.version
        if not 1 <= version <= head:
            raise UnknownVersion(version, head)
        if version == head:
            return self.now
        game = self._positions.get(version)
        if game is None:
            game = self._positions[version] = await asyncio.to_thread(self._folded, version)
            while len(self._positions) > POSITIONS:
                self._positions.popitem(last=False)
        self._positions.move_to_end(version)
        return game

    async def records(self, _: GameId, after: Version = 0, limit: int | None = None) -> list[Record]:
        """Return the records that follow a version."""
        return list(self._records[after : None if limit is None else after + limit])

    async def vault(self, _: GameId) -> Vault:
        """Return the hidden values of the game. It is over, so everybody may see them."""
        return self._vault

    def _folded(self, version: Version) -> Game:
        return fold(self._records[:version], self._id, self._library, lambda _: self._board, self._past)


def _secrets_of(export: Export) -> tuple[Secret, ...]:
    """Return the secrets of a game and of the games that it forks from, whose hidden values it took along."""
    return (*(_secrets_of(export.past) if export.past is not None else ()), *export.secrets)
