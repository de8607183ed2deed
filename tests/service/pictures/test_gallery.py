"""The cache of drawn pictures: each is drawn once, the oldest are dropped, and nobody gets another viewer's picture."""

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


async def test_a_picture_is_drawn_once_even_for_many_requests_at_once() -> None:
    gallery, drawn = Gallery(), list[bytes]()
    shown = [gallery.picture(GAME, 1, NOBODY, "svg", drawing(b"a", drawn)) for _ in range(5)]
    assert await asyncio.gather(*shown) == [b"a"] * 5
    assert await gallery.picture(GAME, 1, NOBODY, "svg", drawing(b"b", drawn)) == b"a"
    assert drawn == [b"a"]


@pytest.mark.parametrize(
    ("version", "viewer", "what"),
    [(2, NOBODY, "svg"), (1, Viewer(seat=Seat("red")), "svg"), (1, Viewer(everything=True), "svg"), (1, NOBODY, "png")],
)
async def test_another_version_viewer_or_format_is_drawn_anew(version: int, viewer: Viewer, what: str) -> None:
    gallery, drawn = Gallery(), list[bytes]()
    await gallery.picture(GAME, 1, NOBODY, "svg", drawing(b"a", drawn))
    assert await gallery.picture(GAME, version, viewer, what, drawing(b"b", drawn)) == b"b"


async def test_pictures_that_were_not_asked_for_lately_are_dropped() -> None:
    gallery, drawn = Gallery(room=10), list[bytes]()  # room for two pictures of four bytes
    for version in (1, 2, 1, 3):
        await gallery.picture(GAME, version, NOBODY, "svg", drawing(b"%d" % version * 4, drawn))
    assert drawn == [b"1111", b"2222", b"3333"]
    await gallery.picture(GAME, 1, NOBODY, "svg", drawing(b"1111", drawn))
    await gallery.picture(GAME, 2, NOBODY, "svg", drawing(b"2222", drawn))
    assert drawn[3:] == [b"2222"]


async def test_when_drawing_fails_the_request_that_waits_draws_again() -> None:
    gallery, drawn = Gallery(), list[bytes]()

    async def fail() -> bytes:
        await asyncio.sleep(0.01)
        raise ValueError("no paint")

    first = asyncio.create_task(gallery.picture(GAME, 1, NOBODY, "svg", fail))
    await asyncio.sleep(0)
    second = asyncio.create_task(gallery.picture(GAME, 1, NOBODY, "svg", drawing(b"a", drawn)))
    with pytest.raises(ValueError, match="no paint"):
        await first
    assert await second == b"a"
