"""What `tabularium doctor --deep` says of a store in which somebody altered something, past whatever protects it."""

import re
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from domain.kernel.chance.secret import commitment_of
from domain.kernel.ids import StreamId, Version
from domain.kernel.log.record import genesis, inscribe
from service.base.settings import Settings
from service.doctor import deep, examine
from service.store.backend import backend_of
from service.transparency.keys import new_key, read_log_key
from service.transparency.sequencer import Sequencer
from service.webhooks import secrets
from service.webhooks.push import new_push_key
from tests.helpers.citus import database_of_the_run, name_of, past_triggers
from tests.helpers.postgres import connected
from tests.service.rig import open_rig
from tests.service.store.batches import AT
from tests.service.store.test_cases import C, opened, went_on
from tests.service.transparency.logs import EverybodysLessor

LOG_KEY = new_key("games.example/log", bytes)

Alter = Callable[[str], Awaitable[None]]
Stored = tuple[Settings, Alter]


@pytest.fixture(params=["sqlite", "postgres"], ids=name_of)
async def url(request: pytest.FixtureRequest) -> AsyncIterator[str]:
    if request.param == "sqlite":
        yield ""
        return
    async with database_of_the_run() as url:
        yield url


@pytest.fixture
async def stored(url: str, tmp_path: Path) -> Stored:
    """A game with hidden cards, and a case, of which all is signed; and what alters it around all that protects it."""
    keys: dict[str, Any] = {"webhook_key": secrets.new_key(), "push_key": new_push_key()}
    settings = Settings(data=tmp_path, database_url=url, log_key=LOG_KEY, **keys)
    async with open_rig(tmp_path, database_url=url) as rig:
        await rig.play_round(await rig.begun())
        await rig.begun()
        event = {"type": "noted", "statement": commitment_of(bytes(16), {"text": "Όχι <b>so</b>."})}
        first = inscribe(C, genesis(C), 1, event, schema=1, draws=0, at=AT, cause=None)
        await rig.store.append(replace(opened(), records=[first]))
        await Sequencer(rig.store, read_log_key(LOG_KEY), tmp_path, EverybodysLessor()).turn()

    async def in_postgres(statement: str) -> None:
        async with connected(past_triggers(url)) as superuser:
            await superuser.execute("SET session_replication_role = replica")
            await superuser.execute("SET search_path = tabularium")
            await superuser.execute(re.sub(r"\bevents\b", "log", statement))

    async def in_sqlite(statement: str) -> None:
        with closing(sqlite3.connect(settings.database, isolation_level=None)) as connection:
            triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
            for name, _ in triggers:
                connection.execute(f"DROP TRIGGER {name}")
            connection.execute(statement)
            for _, sql in triggers:
                connection.execute(sql)

    return settings, in_postgres if url else in_sqlite


async def said(settings: Settings) -> dict[str, str]:
    """Return what a deep look finds wrong, by what was looked at."""
    store = await backend_of(settings).open_store()
    try:
        found = [each async for each in deep.examine(settings, store, lambda what, done, of: None)]
    finally:
        await store.close()
    assert [each.check for each in found] == ["tree", "chains", "commitments"]
    return {each.check: each.message for each in found if each.level != "ok"}


async def test_a_store_that_nobody_touched_is_whole_and_the_plain_doctor_says_that_it_did_not_look(
    stored: Stored,
) -> None:
    settings, _ = stored
    told: list[tuple[str, int, int]] = []
    plain = {each.check: each async for each in examine(settings)}
    assert "no event, secret or entry of the transparency log was compared" in plain["contents"].message
    whole = {
        each.check: each
        async for each in examine(settings, progress=lambda what, done, of: told.append((what, done, of)))
    }
    # Machines that tests start do not wait for their disks.
    assert {each.level for each in whole.values() if each.check != "durability"} == {"ok"}, whole
    assert "contents" not in whole
    assert "3 entries make the tree" in whole["tree"].message
    assert "of 3 games, cases, tournaments and leagues" in whole["chains"].message
    assert {(what, done) for what, done, of in told if done == of} == {
        ("entries of the transparency log", 3),
        ("events", int(whole["chains"].message.split()[0])),
        ("games, cases and tournaments with commitments", 3),
    }


async def test_a_service_that_goes_on_meanwhile_is_not_taken_for_damage(
    stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, _ = stored
    store = await backend_of(settings).open_store()
    (first,) = await store.read(C)
    second = inscribe(C, first.hash, 2, {"type": "noted"}, schema=1, draws=0, at=AT, cause=None)
    heads = store.heads

    async def goes_on(games: Collection[StreamId]) -> dict[StreamId, Version]:
        await store.append(replace(went_on(), records=[second]))
        return await heads(games)

    monkeypatch.setattr(store, "heads", goes_on)
    found = [each.level async for each in deep.examine(settings, store, lambda what, done, of: None)]
    await store.close()
    assert found == ["ok", "ok", "ok"]


@pytest.mark.parametrize(
    ("statement", "check", "expected"),
    [
        ("UPDATE events SET draws = draws + 1 WHERE version = 4", "chains", "version 4 of game .* not have its hash"),
        ("UPDATE events SET at = '2026-11-21T06:00:00.000000Z' WHERE version = 1", "chains", "version 1 of case"),
        (f"DELETE FROM events WHERE game = '{C}'", "chains", f"version 1 of case {C} is missing, which"),
        ("DELETE FROM events WHERE version > 4", "chains", "ends at version 4, and the index has it at"),
        ("DELETE FROM events WHERE version = 3", "chains", "version 3 of game .* does not have its hash"),
        ("DELETE FROM events", "chains", f"version 1 of case {C} is missing"),
        ("UPDATE entries SET entry = replace(entry, 'running', 'over')", "tree", r"that of entry \d"),
        ("UPDATE entries SET entry = 'x' WHERE number = 1", "tree", "entry 1 is not an entry of this log"),
        (f"UPDATE entries SET version = 100 WHERE stream <> '{C}'", "tree", r"entry \d is not found by its game"),
        ("DELETE FROM entries WHERE number = 2", "tree", "of the entries 0 to 2 only 2 are there"),
        ("DELETE FROM hashes WHERE number = 2", "tree", "hash 2 of level 0 is not that of entry 2"),
        ("DELETE FROM trees", "tree", "the checkpoint of 3 entries is larger than the tree that was stored"),
        (
            "UPDATE trees SET root = (SELECT hash FROM hashes WHERE number = 0)",
            "tree",
            "the entries do not make the tree that was stored",
        ),
        (
            "UPDATE checkpoints SET note = replace(note, 'games.example/log\n3', 'games.example/log\n2')",
            "tree",
            "the checkpoint of 3 entries is not the one that was signed",
        ),
        ("UPDATE secrets SET salt = '00' || substr(salt, 3)", "commitments", "beside game .* does not fit"),
        ("UPDATE secrets SET salt = 'x'", "commitments", "beside game .* does not fit"),
        (
            "UPDATE statements SET written = replace(written, 'so', 'yes')",
            "commitments",
            f"beside case {C} does not fit",
        ),
    ],
)  # fmt: skip
async def test_altered_rows_are_found_and_named(stored: Stored, statement: str, check: str, expected: str) -> None:
    settings, alter = stored
    await alter(statement)
    found = await said(settings)
    assert check in found
    assert re.search(expected, found[check]), found


async def test_a_secret_of_the_dice_that_was_exchanged_is_found(stored: Stored) -> None:
    settings, alter = stored
    await alter(f"UPDATE {'chances' if settings.database_url else 'games'} SET chance = (SELECT root FROM trees)")
    assert list(await said(settings)) == ["commitments"]


async def test_a_chain_that_was_hashed_anew_is_not_the_one_that_was_signed(stored: Stored) -> None:
    settings, alter = stored
    store = await backend_of(settings).open_store()
    (first,) = await store.read(C)
    await store.close()
    forged = inscribe(C, genesis(C), 1, {"type": "noted"}, schema=1, draws=0, at=first.at, cause=None)
    value = f"decode('{forged.hash.hex()}', 'hex')" if settings.database_url else f"x'{forged.hash.hex()}'"
    await alter(f"UPDATE events SET event = '{forged.event.decode()}', hash = {value} WHERE game = '{C}'")
    assert re.search(rf"version 1 of case {C} is not the one in entry \d", (await said(settings))["chains"])
