"""A cache of pictures. A picture depends only on game, version, viewer and kind, so it is never out of date."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Final

from domain.kernel.ids import GameId, Version
from service.games.views import Viewer

ROOM: Final = 48 * 1024 * 1024
"""How many bytes of pictures are kept."""
AT_ONCE: Final = 2
"""How many SVGs are converted to PNG at once. A large one takes a second of a processor."""


class Gallery:
    """A cache of recently used pictures. Requests for the same picture wait for one drawing."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._bytes_held = 0
        self._pictures: OrderedDict[Hashable, bytes] = OrderedDict()
        self._drawing: dict[Hashable, asyncio.Future[bytes]] = {}
        self.easel: Final = asyncio.Semaphore(AT_ONCE)
        """Callers hold this while they convert SVG to PNG."""

    async def picture(
        self,
        game: GameId,
        version: Version,
        viewer: Viewer,
        what: Hashable,
        draw: Callable[[], Awaitable[bytes]],
    ) -> bytes:
        """Return the picture that `draw` makes of a game at a version for `viewer`. `what` is the kind of picture."""
        key = (game, version, viewer.seat, viewer.everything, what)
        while (content := self._pictures.get(key)) is None:
            if (other := self._drawing.get(key)) is not None:
                # If the request that draws it is cancelled or fails, this one draws it.
                await asyncio.wait([other])
                continue
            mine = self._drawing[key] = asyncio.get_running_loop().create_future()
            try:
                content = await draw()
                self._keep(key, content)
                return content
            finally:
                del self._drawing[key]
                mine.set_result(b"")
        self._pictures.move_to_end(key)
        return content

    def _keep(self, key: Hashable, picture: bytes) -> None:
        self._pictures[key] = picture
        self._bytes_held += len(picture)
        while self._bytes_held > self._room and len(self._pictures) > 1:
            _, old = self._pictures.popitem(last=False)
            self._bytes_held -= len(old)
