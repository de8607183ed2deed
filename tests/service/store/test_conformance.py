"""What every store does. Each test runs against every adapter."""

import asyncio
import random

import pytest

from domain.kernel.ids import GameId, PlayerId, StreamId
from domain.kernel.log.record import first_broken
from projections.cursor import UnknownCursor
from service.store.accounts import PlayerRow
from service.store.protocol import Added, Appended, Conflict, EventStore, KeyReused, StoreUnavailable
from tests.service.store.adapters import Open
from tests.service.store.batches import (
    ANNA,
    AT,
    BERT,
    BLUE,
    RED,
    addition,
    kept,
    new_game,
    opening,
    records,
    secret,
    use,
)

G = GameId("g1")


async def everything(store: EventStore) -> list[tuple[StreamId, int]]:
    return [(game, record.version) for game, record in (await store.read_all(limit=100_000))[0]]


# --- streams ---


async def test_what_was_appended_is_read_back_to_the_byte(store: EventStore) -> None:
    assert await store.append(new_game("g1", count=3)) == Appended(3)
    kept = await store.read(G)
    assert kept == records(G, 0, 3)
    assert first_broken(G, kept) is None
    assert kept[0].cause is not None
    assert kept[1].cause is None


async def test_the_events_of_all_games_are_counted(store: EventStore) -> None:
    assert await store.events() == 0
    await store.append(new_game("g1", count=3))
    await store.append(new_game("g2", count=2))
    assert await store.events() == 5


async def test_a_part_of_a_stream_is_read(store: EventStore) -> None:
    await store.append(new_game("g1", count=5))
    assert [record.version for record in await store.read(G, after=2)] == [3, 4, 5]
    assert [record.version for record in await store.read(G, after=1, limit=2)] == [2, 3]
    assert await store.read(G, after=5) == []
    assert await store.read(G, limit=0) == []


async def test_an_unknown_game_has_no_records_no_head_and_no_row(store: EventStore) -> None:
    assert await store.read(G) == []
    assert await store.head(G) == 0
    assert await store.load(G) is None
    assert await store.game(G) is None


async def test_the_heads_of_many_games_are_asked_at_once(store: EventStore) -> None:
    await store.append(new_game("g1", count=2))
    await store.append(new_game("g2"))
    assert await store.heads([G, GameId("g2"), GameId("g3"), GameId("g\0")]) == {"g1": 2, "g2": 1}
    assert await store.heads([]) == {}


async def test_the_rulesets_of_many_games_are_asked_at_once(store: EventStore) -> None:
    await store.append(new_game("g1"))
    await store.append(new_game("g2", opened=opening(ruleset="other")))
    assert await store.rulesets([G, GameId("g2"), GameId("g3"), GameId("g\0")]) == {"g1": "tiny", "g2": "other"}
    assert await store.rulesets([]) == {}


async def test_what_no_id_can_be_is_not_found(store: EventStore) -> None:
    odd = GameId("g\0")
    await store.append(new_game("g1", seats={RED: ANNA, BLUE: None}))
    assert (await store.read(odd), await store.head(odd), await store.load(odd), await store.game(odd)) == (
        *([], 0, None, None),
    )
    assert await store.use_of_key(odd, ANNA, "k\0") is None
    assert await store.board(odd) is None
    assert await store.accounts.player(PlayerId(odd)) is None
    assert await store.games(status=odd) == await store.games(player=PlayerId(odd)) == []
    assert await store.read(G, after=2**53 - 1) == []


async def test_a_lost_race_stores_nothing_and_says_where_the_game_stands(store: EventStore) -> None:
    await store.append(new_game("g1", count=2))
    for expected in (1, 3):
        with pytest.raises(Conflict) as conflict:
            await store.append(addition("g1", expected, count=2, key=use("k"), secrets=(secret(1),)))
        assert conflict.value.head == 2
    assert await store.head(G) == 2
    assert await store.use_of_key(G, ANNA, "k") is None
    stored = await store.load(G)
    assert stored is not None
    assert stored.secrets == []
    assert len(stored.records) == 2


async def test_a_game_that_exists_is_not_opened_again(store: EventStore) -> None:
    await store.append(new_game("g1"))
    with pytest.raises(Conflict):
        await store.append(new_game("g1", opened=opening(title="Another")))
    row = await store.game(G)
    assert row is not None
    assert row.title == "A game"


async def test_an_unknown_game_is_not_added_to(store: EventStore) -> None:
    with pytest.raises(Conflict) as conflict:
        await store.append(addition("g1", 4))
    assert conflict.value.head == 0
    assert await everything(store) == []


@pytest.mark.parametrize("after", [0, 2])
async def test_records_that_do_not_follow_are_a_fault_of_the_caller(store: EventStore, after: int) -> None:
    await store.append(new_game("g1"))
    batch = addition("g1", 1)
    wrong = type(batch)(G, 1, records(G, after), "running")
    with pytest.raises(ValueError, match="do not follow version 1"):
        await store.append(wrong)


async def test_many_writers_of_one_game_leave_contiguous_versions_and_one_winner_each(data: Open) -> None:
    stores = [await data() for _ in range(3)]
    await stores[0].append(new_game("g1"))
    won: list[int] = []

    async def writer(number: int) -> None:
        store = stores[number % len(stores)]
        while (head := await store.head(G)) < 120:
            try:
                appended = await store.append(addition("g1", head, count=1 + number % 3, text=f"writer {number}"))
            except Conflict:
                continue
            won.extend(range(head + 1, appended.version + 1))

    await asyncio.gather(*(writer(number) for number in range(8)))
    kept = await stores[1].read(G)
    assert [record.version for record in kept] == list(range(1, len(kept) + 1))
    assert sorted(won) == list(range(2, len(kept) + 1))


# --- idempotency ---


async def test_a_repeated_key_is_told_what_it_added_although_the_game_has_moved_on(store: EventStore) -> None:
    await store.append(new_game("g1"))
    await store.append(addition("g1", 1, count=3, key=use("k")))
    await store.append(addition("g1", 4))
    for expected in (1, 5):
        assert await store.append(addition("g1", expected, key=use("k"))) == Appended(5, Added(1, 4))
    assert await store.head(G) == 5
    assert await store.use_of_key(G, ANNA, "k") == kept(1, 4)


async def test_a_key_with_another_request_is_refused(store: EventStore) -> None:
    await store.append(new_game("g1"))
    await store.append(addition("g1", 1, key=use("k")))
    with pytest.raises(KeyReused):
        await store.append(addition("g1", 2, key=use("k", b"another")))
    assert await store.head(G) == 2


async def test_keys_are_apart_by_game_and_account(store: EventStore) -> None:
    await store.append(new_game("g1", key=use("k")))
    await store.append(new_game("g2", key=use("k", b"another")))
    await store.append(addition("g1", 1, key=use("k", b"a third", account=BERT)))
    assert sorted(await everything(store)) == [("g1", 1), ("g1", 2), ("g2", 1)]


async def test_a_game_is_opened_once_under_a_key(store: EventStore) -> None:
    await store.append(new_game("g1", key=use("k")))
    assert await store.append(new_game("g1", key=use("k"))) == Appended(1, Added(0, 1))


async def test_keys_of_before_a_time_are_forgotten_the_oldest_first(store: EventStore) -> None:
    await store.append(new_game("g1", key=use("first"), at="2026-11-20T06:00:00.000000Z"))
    await store.append(addition("g1", 1, key=use("second"), at="2026-11-21T06:00:00.000000Z"))
    await store.append(addition("g1", 2, key=use("third"), at="2026-11-22T06:00:00.000000Z"))

    async def known() -> list[str]:
        return [key for key in ("first", "second", "third") if await store.use_of_key(G, ANNA, key) is not None]

    assert await store.forget_keys("2026-11-20T06:00:00.000000Z", 10) == 0
    assert await known() == ["first", "second", "third"]
    assert await store.forget_keys("2026-11-22T06:00:00.000000Z", 1) == 1
    assert await known() == ["second", "third"]
    assert await store.forget_keys("2026-11-22T06:00:00.000000Z", 10) == 1
    assert await known() == ["third"]
    assert await store.forget_keys("2026-11-22T06:00:00.000000Z", 10) == 0
    assert await store.head(G) == 3


async def test_a_key_that_was_forgotten_is_new(store: EventStore) -> None:
    await store.append(new_game("g1", key=use("k")))
    assert await store.forget_keys("2027-01-01T00:00:00.000000Z", 10) == 1
    with pytest.raises(Conflict):
        await store.append(new_game("g1", key=use("k")))
    assert await store.append(addition("g1", 1, key=use("k", b"another"))) == Appended(2)
    assert await store.use_of_key(G, ANNA, "k") == kept(1, 2, b"another")


async def test_fifty_at_once_with_one_key_have_one_effect(data: Open) -> None:
    stores = [await data(), await data()]
    await stores[0].append(new_game("g1"))
    answers = await asyncio.gather(
        *(stores[n % 2].append(addition("g1", 1, key=use("k"), text=f"{n}")) for n in range(50))
    )
    assert [answer for answer in answers if answer.repeated is None] == [Appended(2)]
    assert [answer for answer in answers if answer.repeated is not None] == [Appended(2, Added(1, 2))] * 49
    assert await stores[0].head(G) == 2


# --- the order of all ---


async def test_all_games_are_followed_by_cursor_each_in_its_order(store: EventStore) -> None:
    await store.append(new_game("g1", count=2))
    await store.append(new_game("g2"))
    await store.append(addition("g1", 2))
    seen: list[tuple[StreamId, int]] = []
    cursor = None
    while True:
        page, cursor = await store.read_all(cursor, limit=3)
        if not page:
            break
        seen += [(game, record.version) for game, record in page]
    assert sorted(seen) == [("g1", 1), ("g1", 2), ("g1", 3), ("g2", 1)]
    assert [version for game, version in seen if game == "g1"] == [1, 2, 3]
    await store.append(addition("g2", 1))
    page, _ = await store.read_all(cursor)
    assert [(game, record.version) for game, record in page] == [("g2", 2)]


async def test_a_follower_neither_skips_nor_reorders_while_many_write(data: Open) -> None:
    store, other = await data(), await data()
    games = [f"g{number}" for number in range(6)]
    for game in games:
        await store.append(new_game(game))
    seen: list[tuple[StreamId, int]] = []
    done = asyncio.Event()

    async def follow() -> None:
        cursor = None
        while True:
            finished = done.is_set()
            page, cursor = await other.read_all(cursor, limit=7)
            seen.extend((game, record.version) for game, record in page)
            if finished and not page:
                return

    async def write(game: str) -> None:
        for version in range(1, 40):
            await store.append(addition(game, version))

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(follow())
        await asyncio.gather(*map(write, games))
        done.set()
    assert sorted(seen) == sorted(await everything(store))
    for game in games:
        assert [version for other_game, version in seen if other_game == game] == list(range(1, 41))


@pytest.mark.parametrize("cursor", ["", "x", "-1", "1.5", "9" * 30, "٣"])
async def test_a_cursor_of_somebody_else_is_refused(store: EventStore, cursor: str) -> None:
    with pytest.raises(UnknownCursor):
        await store.read_all(cursor)


# --- what is kept beside the records ---


async def test_a_game_is_loaded_with_its_vault_and_its_chance(store: EventStore) -> None:
    await store.append(new_game("g1"))
    sealed = (secret(3, RED), secret(1, RED, BLUE), secret(2))
    await store.append(addition("g1", 1, secrets=sealed[:2]))
    await store.append(addition("g1", 2, secrets=sealed[2:]))
    stored = await store.load(G)
    assert stored is not None
    assert stored.head == 3
    assert stored.records == await store.read(G)
    assert stored.secrets == list(sealed)
    assert stored.chance == bytes(range(32))


async def test_who_has_a_part_of_a_game_loads_the_rest(store: EventStore) -> None:
    await store.append(new_game("g1"))
    sealed = (secret(3, RED), secret(1, RED, BLUE), secret(2))
    await store.append(addition("g1", 1, secrets=sealed[:2]))
    await store.append(addition("g1", 2, count=2, secrets=sealed[2:]))
    for after in range(5):
        stored = await store.load(G, after)
        assert stored is not None
        assert (stored.head, stored.records, stored.secrets) == (4, await store.read(G, after), [*sealed])
    for known in range(5):
        assert await store.secrets(G, known) == [*sealed[known:]]
    assert await store.secrets(GameId("g\0")) == await store.secrets(GameId("g2")) == []


async def test_a_board_is_kept_once_for_all_games_on_it(store: EventStore) -> None:
    await store.append(new_game("g1", opened=opening(file=b'{"first":1}')))
    await store.append(new_game("g2", opened=opening(file=b'{"second":1}')))
    assert await store.board("sha256:b") == b'{"first":1}'
    assert await store.board("sha256:none") is None


# --- coming and going ---


async def test_everything_is_there_after_closing_and_opening(data: Open) -> None:
    store = await data()
    await store.append(new_game("g1", count=3))
    await store.accounts.add(PlayerRow(ANNA, "Anna", AT))
    await store.close()
    again = await data()
    assert await again.read(G) == records(G, 0, 3)
    assert await again.accounts.player(ANNA) is not None
    assert await again.append(addition("g1", 3)) == Appended(4)


async def test_closing_finishes_what_was_handed_in_and_refuses_the_rest(data: Open) -> None:
    store = await data()
    await store.append(new_game("g1"))
    pending = asyncio.gather(*(store.append(addition("g1", version)) for version in range(1, 30)))
    await asyncio.sleep(0)
    await store.close()
    await store.close()
    assert [appended.version for appended in await pending] == list(range(2, 31))
    with pytest.raises(StoreUnavailable, match="closed"):
        await store.append(addition("g1", 30))
    with pytest.raises(StoreUnavailable, match="closed"):
        await store.head(G)
    assert await (await data()).head(G) == 30


async def test_an_append_goes_on_when_nobody_waits_for_it(store: EventStore) -> None:
    await store.append(new_game("g1"))
    task = asyncio.create_task(store.append(addition("g1", 1)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await store.append(addition("g1", 2)) == Appended(3)


async def test_a_spoilt_append_takes_no_other_down(store: EventStore) -> None:
    await store.append(new_game("g1"))
    await store.append(new_game("g2"))
    twice = addition("g2", 1, secrets=(secret(1), secret(1)))
    outcomes = await asyncio.gather(
        store.append(addition("g1", 1)),
        store.append(twice),
        store.append(addition("g1", 2)),
        return_exceptions=True,
    )
    assert outcomes[0] == Appended(2)
    assert isinstance(outcomes[1], Exception)
    assert outcomes[2] == Appended(3)
    assert await store.head(GameId("g2")) == 1


async def test_random_appends_are_kept_as_a_plain_dictionary_would_keep_them(data: Open) -> None:
    rng = random.Random(7)
    store, model = await data(), dict[str, int]()
    for step in range(300):
        game = f"g{rng.randrange(5)}"
        head = model.get(game, 0)
        expected = max(0, head + rng.choice((-1, 0, 0, 0, 1)))
        count = rng.randint(1, 3)
        batch = new_game(game, count=count) if expected == 0 else addition(game, expected, count=count)
        if expected == head:
            assert (await store.append(batch)).version == head + count
            model[game] = head + count
        else:
            with pytest.raises(Conflict) as conflict:
                await store.append(batch)
            assert conflict.value.head == head
        if step % 60 == 59:
            await store.close()
            store = await data()
    for game, head in model.items():
        assert [record.version for record in await store.read(GameId(game))] == list(range(1, head + 1))
