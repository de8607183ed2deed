"""What was drawn lately: drawn once, kept within bounds, and never another's."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from domain.kernel.ids import GameId, Seat
from service.games.views import Viewer
from service.pictures.gallery import Gallery

GAME = GameId("gtest")
NOBODY = Viewer()


def drawing(content: bytes, drawn: list[bytes]) -> Callable[[], Awaitable[bytes]]:
    async def draw() -> bytes:
        await asyncio.sleep(0.01)
        drawn.append(content)
        return content

    return draw


async def test_the_same_is_drawn_once_even_for_many_at_once() -> None:
    gallery, drawn = Gallery(), list[bytes]()
    shown = [gallery.shown(GAME, 1, NOBODY, "svg", drawing(b"a", drawn)) for _ in range(5)]
    assert await asyncio.gather(*shown) == [b"a"] * 5
    assert await gallery.shown(GAME, 1, NOBODY, "svg", drawing(b"b", drawn)) == b"a"
    assert drawn == [b"a"]


@pytest.mark.parametrize(
    ("version", "viewer", "what"),
    [(2, NOBODY, "svg"), (1, Viewer(seat=Seat("red")), "svg"), (1, Viewer(everything=True), "svg"), (1, NOBODY, "png")],
)
async def test_what_is_another_thing_is_drawn(version: int, viewer: Viewer, what: str) -> None:
    gallery, drawn = Gallery(), list[bytes]()
    await gallery.shown(GAME, 1, NOBODY, "svg", drawing(b"a", drawn))
    assert await gallery.shown(GAME, version, viewer, what, drawing(b"b", drawn)) == b"b"


async def test_what_was_not_asked_for_lately_is_let_go() -> None:
    gallery, drawn = Gallery(room=10), list[bytes]()
    for version in (1, 2, 1, 3):
        await gallery.shown(GAME, version, NOBODY, "svg", drawing(b"%d" % version * 4, drawn))
    assert drawn == [b"1111", b"2222", b"3333"]
    await gallery.shown(GAME, 1, NOBODY, "svg", drawing(b"1111", drawn))
    await gallery.shown(GAME, 2, NOBODY, "svg", drawing(b"2222", drawn))
    assert drawn[3:] == [b"2222"]


async def test_when_drawing_fails_whoever_waits_tries_again() -> None:
    gallery, drawn = Gallery(), list[bytes]()

    async def fail() -> bytes:
        await asyncio.sleep(0.01)
        raise ValueError("no paint")

    first = asyncio.create_task(gallery.shown(GAME, 1, NOBODY, "svg", fail))
    await asyncio.sleep(0)
    second = asyncio.create_task(gallery.shown(GAME, 1, NOBODY, "svg", drawing(b"a", drawn)))
    with pytest.raises(ValueError, match="no paint"):
        await first
    assert await second == b"a"
