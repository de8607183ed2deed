"""Streams of cases in the stores: beside those of games, with an index, and statements that can be erased."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from domain.judging.case import CaseRow
from domain.kernel.ids import CaseId, GameId, PlayerId, RuleId
from domain.kernel.log.record import first_broken
from projections.cursor import Cursor
from service.store.protocol import (
    Added,
    Append,
    Appended,
    Conflict,
    EventStore,
    KeptStatement,
    KeyReused,
    StoreError,
)
from tests.service.store.adapters import INDEXED, Adapter, Open
from tests.service.store.batches import ANNA, AT, RED, addition, beside, new_game, records, use

G, C, D = GameId("g1"), CaseId(beside("g1", "c1")), CaseId(beside("g1", "c2"))
ELSEWHERE = CaseId(beside("g2", "c3"))
RULES = (RuleId("TAB-UNDO-02"), RuleId("CC-MOV-03"))
OPENED = KeptStatement(1, "00" * 16, '{"text":"Όχι <b>so</b>."}')


@pytest.fixture(params=INDEXED.values(), ids=list(INDEXED))
async def data(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Open]:
    adapter: Adapter = request.param
    async with adapter(tmp_path) as open_store:
        yield open_store


@pytest.fixture
async def store(data: Open) -> EventStore:
    store = await data()
    await store.append(new_game("g1", count=2))
    return store


def row(case: CaseId = C, number: int = 1, version: int = 1, **more: Any) -> CaseRow:
    first = CaseRow(case, G, number, "open", "move", 2, f"2 {number}", ANNA, RED, RULES[:1], version, AT, AT)
    return replace(first, **more)


def opened(case: CaseId = C, number: int = 1, **more: Any) -> Append:
    shown = row(case, number, **more.pop("row", {}))
    return Append(case, 0, records(case, 0), shown.status, case=shown, statement=OPENED, **more)


def went_on(case: CaseId = C, number: int = 1, after: int = 1, **more: Any) -> Append:
    shown = row(case, number, after + 1, **more.pop("row", {}))
    return Append(case, after, records(case, after), shown.status, case=shown, **more)


async def test_a_case_is_a_stream_of_the_one_log(store: EventStore) -> None:
    assert await store.append(opened()) == Appended(1)
    await store.append(addition("g1", 2))
    assert await store.append(went_on()) == Appended(2)
    read, _ = await store.read_all()
    assert [record.version for stream, record in read if stream == G] == [1, 2, 3]
    assert [record.version for stream, record in read if stream == C] == [1, 2]
    kept = await store.read(C)
    assert kept == records(C, 0) + records(C, 1)
    assert first_broken(C, kept[:1]) is None
    assert await store.events() == 5
    assert await store.heads([G, C, D]) == {G: 3, C: 2}
    assert (await store.head(C), await store.head(D)) == (2, 0)
    assert len((await store.read_on(Cursor.start(store.books), 10, [C]))[0]) == 2


async def test_lists_of_games_do_not_show_cases(store: EventStore) -> None:
    await store.append(opened())
    assert [each.game for each in await store.games()] == [G]
    assert await store.game(GameId(C)) is None
    assert await store.load(GameId(C)) is None
    assert await store.rulesets([GameId(C)]) == {}


async def test_the_index_of_cases_is_searched(store: EventStore) -> None:
    await store.append(new_game("g2"))
    await store.append(opened())
    await store.append(opened(D, 2, row={"seat": None, "rules": ()}))
    other = ELSEWHERE
    await store.append(opened(other, 1, row={"game": GameId("g2"), "rules": RULES}))
    ruled = row(version=2, status="ruled", rules=RULES, changed="2026-11-21T07:00:00.000000Z")
    await store.append(replace(went_on(), case=ruled))
    assert await store.case(C) == ruled
    assert await store.case(CaseId("cnone")) is None

    async def found(**asked: Any) -> list[str]:
        return [each.case for each in await store.cases(**asked)]

    assert await found() == [other, D, C]
    assert await found(game=G) == [D, C]
    assert await found(status="ruled") == [C]
    assert await found(rule="CC-MOV-03") == [other, C]
    assert await found(rule="CC-MOV-03", game=G, status="open") == []
    assert await found(after=other, limit=1) == [D]
    assert await found(status="no\0status") == []
    assert (await store.cases(game=G))[0].seat is None


async def test_rulings_are_found_without_reading_cases(store: EventStore) -> None:
    await store.append(new_game("g2"))
    await store.append(opened())
    await store.append(opened(D, 2, row={"rules": RULES}))
    await store.append(opened(ELSEWHERE, 1, row={"game": GameId("g2"), "rules": RULES}))
    assert await store.precedents(RULES, 10) == []
    assert await store.rulings([C, D]) == {}
    for case, number, game, cited in ((C, 1, G, RULES), (ELSEWHERE, 1, GameId("g2"), RULES[:1])):
        ruled = row(case, number, 2, game=game, status="ruled", rules=cited)
        await store.append(replace(went_on(case, number), case=ruled, ruling=2))
    await store.append(replace(went_on(after=2), case=row(version=3, status="final", rules=RULES), ruling=3))
    assert [each.case for each in await store.precedents(RULES, 10)] == [ELSEWHERE, C]
    assert [each.case for each in await store.precedents(RULES, 1)] == [ELSEWHERE]
    assert [each.case for each in await store.precedents(RULES[1:], 10)] == [C]
    assert await store.precedents((), 10) == await store.precedents([RuleId("TAB-NO-01")], 10) == []
    found = await store.rulings([C, D])
    assert found == {C: (await store.read(C))[1:]}
    assert len(await store.cases(game=G, about=(2, 2))) == 2
    assert await store.cases(game=G, about=(3, 9)) == []


async def test_a_case_that_went_on_meanwhile_is_a_conflict(store: EventStore) -> None:
    await store.append(opened())
    for wrong in (opened(), went_on(after=2), went_on(D, 2, after=1)):
        with pytest.raises(Conflict):
            await store.append(wrong)
    assert await store.head(C) == 1
    assert await store.head(D) == 0
    assert [each.version for each in await store.statements(C)] == [1]


async def test_a_number_is_given_once_in_a_game(data: Open) -> None:
    stores = [await data() for _ in range(2)]
    await stores[0].append(new_game("g1"))

    async def open_next(number: int) -> int:
        store, case = stores[number % 2], CaseId(beside(G, f"c{number}"))
        while True:
            place = len(await store.cases(game=G)) + 1
            try:
                await store.append(opened(case, place))
            except Conflict:
                continue
            return place

    given = await asyncio.gather(*(open_next(number) for number in range(8)))
    assert sorted(given) == list(range(1, 9))


async def test_a_key_is_remembered_for_a_case(store: EventStore) -> None:
    assert await store.append(opened(key=use("k"))) == Appended(1)
    await store.append(went_on())
    assert await store.append(opened(key=use("k"))) == Appended(2, Added(0, 1))
    with pytest.raises(KeyReused):
        await store.append(opened(key=use("k", b"another")))
    assert await store.use_of_key(C, ANNA, "k") is not None


async def test_the_index_must_fit_the_records(store: EventStore) -> None:
    with pytest.raises(ValueError, match=f"case {C} at version 2"):
        await store.append(opened(row={"version": 2}))


# --- both or neither ---


async def test_a_case_and_its_game_go_on_together(store: EventStore) -> None:
    await store.append(opened())
    assert await store.append_together(went_on(key=use("k")), addition("g1", 2, count=2)) == Appended(2)
    assert (await store.head(C), await store.head(G)) == (2, 4)
    again = await store.append_together(went_on(key=use("k")), addition("g1", 4))
    assert again == Appended(2, Added(1, 2))
    assert (await store.head(C), await store.head(G)) == (2, 4)


@pytest.mark.parametrize(("case_at", "game_at"), [(1, 1), (1, 3), (2, 2), (0, 2)])
async def test_batches_that_belong_together_are_stored_together_or_not_at_all(
    store: EventStore, case_at: int, game_at: int
) -> None:
    await store.append(opened())
    first = went_on(after=case_at) if case_at else opened(key=use("k"))
    with pytest.raises(Conflict):
        await store.append_together(first, addition("g1", game_at))
    assert (await store.head(C), await store.head(G), await store.events()) == (1, 2, 3)
    assert await store.case(C) == row()
    assert await store.use_of_key(C, ANNA, "k") is None
    await store.append_together(went_on(), addition("g1", 2))


async def test_what_others_wrote_at_the_same_time_stays(store: EventStore) -> None:
    await store.append(opened())
    done = await asyncio.gather(
        store.append(new_game("g2")),
        store.append_together(went_on(), addition("g1", 7)),
        store.append(addition("g1", 2)),
        return_exceptions=True,
    )
    assert [type(each) for each in done] == [Appended, Conflict, Appended]
    assert (await store.head(C), await store.head(G), await store.head(GameId("g2"))) == (1, 3, 1)


# --- statements ---


async def test_a_statement_is_erased_and_the_rest_stays(store: EventStore) -> None:
    await store.append(opened())
    second = KeptStatement(2, "11" * 16, '{"text":"Two."}')
    await store.append(went_on(statement=second))
    assert await store.statements(C) == [OPENED, second]
    assert await store.erase(C, 1, PlayerId("pjudge"), AT)
    assert not await store.erase(C, 1, PlayerId("pother"), "2027-01-01T00:00:00.000000Z")
    assert not await store.erase(C, 9, PlayerId("pjudge"), AT)
    assert await store.statements(C) == [KeptStatement(1, None, None, AT, PlayerId("pjudge")), second]
    assert first_broken(C, (await store.read(C))[:1]) is None
    assert await store.statements(D) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE statements SET written = 'changed' WHERE stream = ?",
        "DELETE FROM statements WHERE stream = ?",
        "DELETE FROM cases WHERE stream = ?",
        "UPDATE events SET event = '{}' WHERE game = ?",
        "DELETE FROM events WHERE game = ?",
    ],
)
async def test_the_rows_of_a_case_refuse_change(store: EventStore, statement: str) -> None:
    await store.append(opened())
    with pytest.raises(Exception) as refused:  # noqa: PT011 - each database has an error of its own
        await store._database.execute(statement, C)  # type: ignore[attr-defined]
    assert isinstance(refused.value, StoreError) or "never" in str(refused.value)
    assert await store.statements(C) == [OPENED]
    assert len(await store.read(C)) == 1
