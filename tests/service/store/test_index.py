"""The index of games: which there are, who finds them, and in which order."""

import pytest
from msgspec.structs import replace

from domain.kernel.ids import GameId, PlayerId
from projections.lobby import ForkOf
from service.store.protocol import Added, Appended, Conflict, EventStore, Within
from tests.service.store.batches import ANNA, AT, BERT, BLUE, RED, addition, beside, new_game, opening, use

G = GameId("g1")


async def test_the_index_follows_the_games(store: EventStore) -> None:
    await store.append(new_game("g1", seats={RED: None, BLUE: None}))
    await store.append(addition("g1", 1, seats={RED: ANNA, BLUE: None}, status="gathering"))
    await store.append(addition("g1", 2))
    row = await store.game(G)
    assert row is not None
    assert (row.version, row.status, row.seats) == (3, "running", {"red": ANNA, "blue": None})
    assert (row.title, row.ruleset, row.organizer, row.created, row.changed) == ("A game", "tiny", ANNA, AT, AT)
    assert list(row.seats) == ["red", "blue"]


async def test_games_are_listed_by_what_they_are_and_who_plays(store: EventStore) -> None:
    await store.append(new_game("g1", seats={RED: ANNA, BLUE: BERT}))
    await store.append(new_game("g2", status="over", seats={RED: BERT, BLUE: None}))
    await store.append(new_game("g3", opened=opening(ruleset="other"), seats={RED: ANNA, BLUE: None}))
    await store.append(addition("g3", 1, seats={RED: None, BLUE: None}))

    async def found(**which: str) -> list[str]:
        return [row.game for row in await store.games(**which)]  # type: ignore[reportArgumentType]

    assert await found() == ["g3", "g2", "g1"]
    assert await found(status="over") == ["g2"]
    assert await found(ruleset="other") == ["g3"]
    assert await found(player=ANNA) == ["g1"]
    assert await found(player=BERT) == ["g2", "g1"]
    assert await found(player=BERT, status="gathering", ruleset="tiny") == ["g1"]
    assert await found(player=PlayerId("nobody")) == []


async def test_forks_are_told_from_games_that_are_none_and_found_by_their_parents(store: EventStore) -> None:
    analysis, continuation = ForkOf(G, 1, "analysis"), ForkOf(G, 1, "continuation")
    two, three, four = (GameId(beside(G, name)) for name in ("g2", "g3", "g4"))
    await store.append(new_game("g1", status="over"))
    first = new_game(two, opened=opening(fork=analysis), status="running", key=use("k"))
    assert await store.append(first) == Appended(1)
    assert await store.append(first) == Appended(1, Added(0, 1))
    await store.append(new_game(three, opened=opening(fork=continuation), seats={RED: BERT, BLUE: None}))
    await store.append(new_game(four, opened=opening(fork=ForkOf(two, 1, "analysis")), status="running"))
    with pytest.raises(Conflict):
        await store.append(new_game(two, opened=opening(fork=continuation)))
    rows = {row.game: row.fork for row in await store.games()}
    assert rows == {four: ForkOf(two, 1, "analysis"), three: continuation, two: analysis, G: None}
    assert [row.game for row in await store.games(forks=False)] == ["g1"]
    assert [row.game for row in await store.games(parent=G)] == [three, two]
    assert [row.game for row in await store.games(parent=G, status="running")] == [two]
    assert [row.game for row in await store.games(mine=BERT)] == [three]
    row = await store.game(three)
    assert row is not None
    assert row.fork == continuation
    assert [await store.count(Within("analyses", (each,), 0)) for each in (ANNA, BERT)] == [2, 0]
    await store.append(addition(four, 1, status="over"))
    assert await store.count(Within("analyses", (ANNA,), 0)) == 1


async def test_the_list_of_games_is_paged_and_new_games_do_not_disturb_it(store: EventStore) -> None:
    for number in range(7):
        await store.append(new_game(f"g{number}"))
    first = await store.games(limit=3)
    await store.append(new_game("later"))
    second = await store.games(after=first[-1].game, limit=3)
    third = await store.games(after=second[-1].game, limit=3)
    assert [row.game for row in first + second + third] == [f"g{number}" for number in reversed(range(7))]
    assert await store.games(after=third[-1].game) == await store.games(after=GameId("g\0")) == []


async def test_games_are_listed_or_not_also_before_they_are_there(store: EventStore) -> None:
    await store.list_game(GameId("g2"), False)
    for game in ("g1", "g2", "g3"):
        await store.append(new_game(game))
    await store.list_game(GameId("g3"), False)
    await store.list_game(GameId("g3"), False)
    assert [row.game for row in await store.games(listed=True)] == ["g1"]
    assert [row.game for row in await store.games()] == ["g3", "g2", "g1"]
    assert [row.game for row in await store.games(listed=True, among=[GameId("g1"), GameId("g3")])] == ["g1"]
    assert [row.game for row in await store.games(among=[GameId("g1"), GameId("g3"), GameId("g9")])] == ["g3", "g1"]
    assert await store.games(among=[]) == []
    assert await store.unlisted([GameId("g1"), GameId("g2"), GameId("g9")]) == {"g2"}
    assert await store.unlisted([]) == set()
    await store.list_game(GameId("g2"), True)
    assert [row.game for row in await store.games(listed=True, limit=5)] == ["g2", "g1"]


async def test_a_private_game_is_in_no_list_of_others_from_its_beginning(store: EventStore) -> None:
    for game in ("g1", "g2"):
        batch = new_game(game)
        assert batch.opening is not None
        await store.append(replace(batch, opening=replace(batch.opening, private=game == "g2")))
    assert await store.private([GameId("g1"), GameId("g2"), GameId("g9")]) == {"g2"}
    assert await store.private([]) == set()
    assert [row.game for row in await store.games(listed=True)] == ["g1"]
