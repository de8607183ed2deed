"""Wake-ups: none is lost between a look at the store and the wait that follows it."""

import asyncio

from domain.kernel.ids import GameId
from service.cluster.wake import LocalWake

G, H = GameId("g1"), GameId("g2")


async def test_a_subscriber_is_woken_by_its_game_alone() -> None:
    wake = LocalWake()
    async with wake.subscribe(G) as signal:
        wake.notify(H, 1)
        assert not await signal.wait(0.01)
        wake.notify(G, 1)
        assert await signal.wait(1)
        assert not await signal.wait(0.01)


async def test_what_happens_before_the_wait_ends_it_at_once() -> None:
    wake = LocalWake()
    async with wake.subscribe(G) as signal:
        wake.notify(G, 1)
        wake.notify(G, 2)
        assert await signal.wait(1)
        assert not await signal.wait(0.01)


async def test_a_wait_tells_how_far_the_game_went_if_that_is_known() -> None:
    wake = LocalWake()
    async with wake.subscribe(G) as signal:
        assert signal.heard is None
        wake.notify(G, 5)
        wake.notify(G, 4)
        assert await signal.wait(1)
        assert signal.heard == 5
        wake.notify(G, 6)
        wake.notify_all()
        wake.notify(G, 7)
        assert await signal.wait(1)
        assert signal.heard is None
        wake.notify(G, 8)
        assert await signal.wait(1)
        assert signal.heard == 8
        assert not await signal.wait(0.01)
        assert signal.heard is None


async def test_all_who_wait_are_woken() -> None:
    wake = LocalWake()

    async def wait() -> bool:
        async with wake.subscribe(G) as signal:
            return await signal.wait(5)

    waiting = [asyncio.create_task(wait()) for _ in range(100)]
    await asyncio.sleep(0)
    wake.notify(G, 1)
    assert all(await asyncio.gather(*waiting))


async def test_a_stream_ends_when_the_service_stops() -> None:
    wake = LocalWake()
    async with wake.subscribe(G) as signal:
        wake.close()
        assert await signal.wait(1)
        assert signal.closed
        assert await signal.wait(1)
    async with wake.subscribe(H) as late:
        assert late.closed
        assert await late.wait(1)


async def test_nothing_is_kept_of_those_who_left() -> None:
    wake = LocalWake()
    for _ in range(3):
        async with wake.subscribe(G):
            pass
    assert vars(wake)["_signals"] == {}
    wake.notify(G, 1)
