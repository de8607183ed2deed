"""The log on several servers: what one server's store does too is in the suites beside this one."""

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from typing import Any

import asyncpg
import pytest
from msgspec.structs import replace

from domain.kernel.ids import CaseId, GameId, PlayerId, StreamId, book_of
from domain.transparency.tree import Frontier
from projections.cursor import Cursor
from projections.lobby import ForkOf
from service.readmodels import StoreLog
from service.store.accounts import LimitReached, PlayerRow
from service.store.postgres import books
from service.store.postgres.books import ALL, spans
from service.store.postgres.migrations import MigrationError
from service.store.postgres.spread import SpreadStore
from service.store.postgres.store import PostgresStore
from service.store.postgres.writer import append_with
from service.store.protocol import Appended, StoreUnavailable, Within
from tests.helpers.postgres import connected, shared_cluster
from tests.service.store.adapters import servers
from tests.service.store.batches import ANNA, AT, BERT, RED, addition, new_game, opening
from tests.service.store.test_cases import opened
from tests.service.store.test_transparency import growth

HALF = frozenset(range(32))


@pytest.fixture
async def kept() -> AsyncIterator[dict[str, frozenset[int]]]:
    async with servers(HALF) as lent:
        yield lent


@pytest.fixture
async def store(kept: Mapping[str, frozenset[int]]) -> AsyncIterator[SpreadStore]:
    store = await SpreadStore.open(kept, durable=False)
    yield store
    await store.close()


def named(prefix: str, home: bool, count: int = 1) -> list[GameId]:
    """Return ids whose books the home keeps, or the other server."""
    found = (GameId(f"{prefix}{number}") for number in range(10_000))
    return [game for game in found if (book_of(game) in HALF) == home][:count]


(HERE,), (THERE,) = named("g", True), named("g", False)


# --- which server keeps what ---


@pytest.mark.parametrize("text", ["none", "0-63", "0-31,40", "7", "1,3-5,63"])
def test_books_are_written_as_the_setting_has_them(text: str) -> None:
    found = [each.partition("-") for each in text.split(",") if each != "none"]
    assert spans(book for first, _, last in found for book in range(int(first), int(last or first) + 1)) == text


async def test_each_stream_is_on_the_server_of_its_book(kept: Mapping[str, frozenset[int]], store: SpreadStore) -> None:
    for game in named("g", True, 3) + named("g", False, 3):
        await store.append(new_game(game))
    assert [store.part_of(game) for game in (HERE, THERE)] == [0, 1]
    for url, mine in kept.items():
        async with connected(url) as connection:
            found = await connection.fetch("SELECT game, book FROM tabularium.log")
            assert len(found) == 3
            assert all(book_of(game) == book and book in mine for game, book in found)


async def test_append_itself_refuses_a_stream_of_another_server(kept: Mapping[str, frozenset[int]]) -> None:
    home, _ = kept
    book = book_of(THERE)
    alone = [new_game(THERE)], [replace(addition(THERE, 0), records=new_game(THERE).records)]
    with_others = [new_game(HERE), new_game(THERE)]
    async with connected(home) as connection:
        for batches in (*alone, with_others):
            with pytest.raises(asyncpg.PostgresError, match=f"book {book} is not kept here: TABULARIUM_BOOK_SERVERS"):
                await append_with(connection, batches)
        assert await connection.fetchval("SELECT count(*) FROM tabularium.log") == 0
        await append_with(connection, [new_game(HERE)])


async def test_a_wrong_map_is_refused_at_the_start(kept: Mapping[str, frozenset[int]]) -> None:
    home, other = kept
    wrong = [
        {home: HALF - {3}, other: ALL - HALF | {3}},
        {home: ALL - HALF, other: HALF},
        {home: HALF | {40}, other: ALL - HALF - {40}},
    ]
    for given in wrong:
        with pytest.raises(StoreUnavailable, match="keeps the books 0-31 of the log, and should keep"):
            await SpreadStore.open(given)
    with pytest.raises(
        StoreUnavailable, match=r"should keep 0-63 .*: correct the setting.* or run `tabularium migrate`"
    ):
        await PostgresStore.open(home)


async def test_a_row_that_is_lost_later_is_noticed(kept: Mapping[str, frozenset[int]], store: SpreadStore) -> None:
    _, other = kept
    async with connected(other) as owner:
        await owner.execute("DELETE FROM tabularium.books WHERE book = 40")
    with pytest.raises(StoreUnavailable, match="no server keeps the books 40 of the log: restore"):
        await store.end()


async def test_streams_of_two_servers_are_not_added_to_together(store: SpreadStore) -> None:
    await store.append(new_game(HERE))
    await store.append(new_game(THERE))
    with pytest.raises(ValueError, match="streams of several servers"):
        await store.append_together(addition(HERE, 1), addition(THERE, 1))
    assert await store.heads([HERE, THERE]) == {HERE: 1, THERE: 1}


# --- giving books to servers ---


async def test_books_are_given_to_servers_with_their_positions_and_given_back() -> None:
    async with shared_cluster().database() as home, shared_cluster().database() as other:
        async with connected(home) as owner:
            await owner.execute("UPDATE tabularium.books SET position = 7 + book")
        store = await PostgresStore.open(home)
        await store.append(new_game(HERE, count=2))
        before = await store.end()
        await store.close()
        for kept in (HALF, HALF | {40}, HALF):
            given = {home: kept, other: ALL - kept}
            await books.spread(given)
            await books.spread(given)
            spread = await SpreadStore.open(given)
            assert await spread.end() == before, "a cursor that was given out passes by nothing"
            await spread.close()
        await books.spread({other: HALF - {book_of(HERE)}, home: ALL - HALF | {book_of(HERE)}})


async def test_books_with_events_stay_where_they_are(kept: Mapping[str, frozenset[int]], store: SpreadStore) -> None:
    home, other = kept
    await store.append(new_game(THERE))
    book = book_of(THERE)
    with pytest.raises(MigrationError, match=rf"has events of the books {book}, which TABULARIUM_BOOK_SERVERS gives"):
        await books.spread({home: HALF | {book}, other: ALL - HALF - {book}})
    with pytest.raises(MigrationError, match=r"no server keeps the books 32-63: let TABULARIUM_BOOK_SERVERS name"):
        await books.spread({home: ALL})
    same = home.replace("127.0.0.1", "localhost")
    with pytest.raises(MigrationError, match="is named twice by TABULARIUM_BOOK_SERVERS"):
        await books.spread({home: HALF, same: ALL - HALF})
    assert await store.append(addition(THERE, 1)) == Appended(2), "nothing was changed"


async def test_books_with_one_order_are_not_given_to_servers() -> None:
    async with shared_cluster().database() as home, shared_cluster().database() as other:
        async with connected(home) as owner:
            await owner.execute("UPDATE tabularium.books SET open = FALSE")
        with pytest.raises(MigrationError, match=r"one order for all books: .*--open-books"):
            await books.spread({home: HALF, other: ALL - HALF})


# --- lists ---


async def test_lists_over_pages_are_those_of_one_server(store: SpreadStore) -> None:
    rng = random.Random(11)
    async with shared_cluster().database() as url:
        one = await PostgresStore.open(url, durable=False)
        for number in range(200):
            batch = new_game(
                f"g{rng.randrange(10**9)}",
                seats={RED: rng.choice([ANNA, BERT, None])},
                status=rng.choice(["gathering", "running", "over"]),
                opened=replace(opening(ruleset=rng.choice(["tiny", "other"])), organizer=rng.choice([ANNA, BERT])),
                at=f"2026-11-21T06:{number // 60:02}:{number % 60:02}.000000Z",
            )
            await asyncio.gather(one.append(batch), store.append(batch))
            if number % 7 == 0:
                for each in (one, store):
                    await each.list_game(GameId(batch.game), False)

        async def pages(limit: int, which: dict[str, Any]) -> list[GameId]:
            found: list[GameId] = []
            while rows := await store.games(after=found[-1] if found else None, limit=limit, **which):
                found += [row.game for row in rows]
            return found

        listings: list[dict[str, Any]] = [
            {}, {"status": "running"}, {"ruleset": "other"}, {"player": ANNA}, {"mine": BERT}, {"listed": True},
            {"player": BERT, "status": "over", "forks": False},
        ]  # fmt: skip
        whole: list[GameId] = []
        for which in listings:
            whole = [row.game for row in await one.games(limit=1000, **which)]
            assert len(whole) > 10
            assert await pages(17, which) == whole, which
        some = rng.sample(whole, 5)
        assert [row.game for row in await store.games(among=some)] == [row.game for row in await one.games(among=some)]
        assert await store.games(after=GameId("gnone")) == []
        late = named("glate", True, 3)
        for second, game in enumerate(late):
            await store.append(new_game(game, at=f"2026-11-20T06:00:0{second}.000000Z"))
        await store.append(new_game("gearlier", at="2026-11-19T06:00:00.000000Z"))
        listed = await pages(17, {})
        assert len(listed) == 204
        assert listed[-4:] == [*late[::-1], "gearlier"], "by time, not in the order of the appends"
        await one.close()


async def test_cases_of_both_servers_are_in_one_list(store: SpreadStore) -> None:
    cases: list[CaseId] = []
    for number, home in enumerate([True, False, False, True, False]):
        (game,) = named(f"g{number}-", home)
        ids = (CaseId(f"c{number}-{tried}") for tried in range(999))
        case = next(each for each in ids if book_of(each) == book_of(game))
        await store.append(new_game(game))
        at = f"2026-11-21T06:0{number}:00.000000Z"
        await store.append(opened(case, row={"game": game, "created": at}))
        cases.append(case)
    newest = cases[::-1]
    assert [row.case for row in await store.cases()] == newest
    assert [row.case for row in await store.cases(status="open", limit=2)] == newest[:2]
    assert [row.case for row in await store.cases(after=newest[1], limit=2)] == newest[2:4]
    (first,) = await store.cases(game=named("g0-", True)[0])
    assert first.case == cases[0]
    assert await store.cases(after=CaseId("cnone")) == []


# --- limits ---


async def test_limits_hold_over_both_servers(kept: Mapping[str, frozenset[int]], store: SpreadStore) -> None:
    other = await SpreadStore.open(kept)
    for account, bot in ((ANNA, None), (BERT, None), (PlayerId("pbot"), "greedy")):
        await store.accounts.add(PlayerRow(account, account, AT, bot=bot))
    analyses = [
        replace(
            new_game(game, opened=opening(fork=ForkOf(GameId("gp"), 1, "analysis")), status="running"),
            within=Within("analyses", (ANNA,), 5),
        )
        for game in named("gfork", True, 6) + named("gfork", False, 6)
    ]
    seated = [
        replace(new_game(game, seats={RED: PlayerId("pbot")}), within=Within("bots", (ANNA, ""), 5))
        for game in named("gbot", True, 6) + named("gbot", False, 6)
    ]
    for batches in (analyses, seated):
        done = await asyncio.gather(
            *((store, other)[number % 2].append(batch) for number, batch in enumerate(batches)),
            return_exceptions=True,
        )
        assert Counter(map(type, done)) == {Appended: 5, LimitReached: 7}, done
        assert batches[0].within is not None
        assert await other.count(batches[0].within) == 5
        assert len(await store.heads([batch.game for batch in batches])) == 5
    assert await store.append(replace(new_game("gpeople", seats={RED: BERT}), within=seated[0].within)) == Appended(1)
    await other.close()


# --- one server away ---


@contextlib.asynccontextmanager
async def away(url: str) -> AsyncIterator[None]:
    """A context in which a database takes no connections."""
    name, server = url.rpartition("/")[2], shared_cluster().url(user="superuser")
    async with connected(server) as superuser:
        await superuser.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        await superuser.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
        try:
            yield
        finally:
            await superuser.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")


async def test_while_one_server_is_away_the_games_of_the_other_go_on(
    kept: Mapping[str, frozenset[int]], store: SpreadStore
) -> None:
    _, other = kept
    for game in (HERE, THERE):
        await store.append(new_game(game))
    end = await store.end()
    async with away(other):
        for ask in (store.head(THERE), store.games(), store.end(), store.heads([HERE, THERE]), store.read_on(end, 10)):
            with pytest.raises(StoreUnavailable):
                await ask
        with pytest.raises(StoreUnavailable):
            await store.append(addition(THERE, 1))
        await store.ready()
        assert await store.append(addition(HERE, 1)) == Appended(2)
        assert await store.heads([HERE]) == {HERE: 2}
        assert [row.game for row in await store.games(among=[HERE])] == [HERE]
        assert await store.board("sha256:b") == b"{}"
        rows, reached = await store.read_on(end, 10)
        assert [(game, record.version) for _, game, record in rows] == [(HERE, 2)]
        assert await store.away() == kept[other]
        # So projections go on in lanes, each of which has books on every server.
        stretch = await StoreLog(store).read_on(str(end), 10, [book_of(HERE), book_of(THERE)])
        assert [(game, record.version) for game, record in stretch.records] == [(HERE, 2)]
        # With nothing to show, it does not say that the end is reached.
        with pytest.raises(StoreUnavailable):
            await store.read_on(reached, 10)
    assert await store.append(addition(THERE, 1)) == Appended(2)
    async with asyncio.timeout(20):
        while True:
            with contextlib.suppress(StoreUnavailable):
                rows, _ = await store.read_on(reached, 10)
                break
            await asyncio.sleep(0.05)
    assert [(game, record.version) for _, game, record in rows] == [(THERE, 2)]


# --- following the log ---


async def test_whoever_reads_on_misses_nothing_of_either_server(
    kept: Mapping[str, frozenset[int]], store: SpreadStore
) -> None:
    other = await SpreadStore.open(kept)
    games = named("g", True, 3) + named("g", False, 5)
    for game in games:
        await store.append(new_game(game))
    done, seen = asyncio.Event(), list[tuple[StreamId, int]]()

    async def follow() -> None:
        cursor = None
        while True:
            finished = done.is_set()
            page, cursor = await other.read_all(cursor, limit=5)
            assert len(page) <= 5
            seen.extend((game, record.version) for game, record in page)
            if finished and not page:
                return

    async def write(game: GameId) -> None:
        for version in range(1, 25):
            await store.append(addition(game, version))

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(follow())
        await asyncio.gather(*map(write, games))
        done.set()
    assert Counter(game for game, _ in seen) == dict.fromkeys(games, 25)
    for game in games:
        assert [version for of_game, version in seen if of_game == game] == list(range(1, 26))
    start, end = Cursor.start(64), await store.end()
    some, _ = await store.read_on(start, 1000, {games[0], games[-1]}, end)
    assert Counter(game for _, game, _ in some) == {games[0]: 25, games[-1]: 25}
    assert await store.read_on(end, 10) == ([], end)
    await other.close()


async def test_heads_that_moved_on_either_server_are_entered_once(store: SpreadStore) -> None:
    await store.append(new_game(HERE, count=2))
    await store.append(new_game(THERE, count=3))
    start, end = Cursor.start(64), await store.end()
    moved = await store.tree.moved(start, end)
    assert sorted((head.stream, head.version) for head in moved) == sorted([(HERE, 2), (THERE, 3)])
    entered = growth(Frontier(), b"x", stream=THERE)
    await store.tree.grow(replace(entered, leaves=[replace(entered.leaves[0], version=3)]))
    assert [(head.stream, head.version) for head in await store.tree.moved(start, end)] == [(HERE, 2)]
    await store.append(addition(THERE, 3))
    later = await store.tree.moved(end, await store.end())
    assert [(head.stream, head.version) for head in later] == [(THERE, 4)]
