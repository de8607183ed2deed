"""Several servers: which takes writes, what is acknowledged without a standby, and the past read from a standby."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from service.base.settings import Settings
from service.doctor import Finding, examine
from service.store.accounts import Made, PlayerRow, TokenId, TokenRow
from service.store.postgres import connections
from service.store.postgres.hosts import Hosts, Lineage, difference, each_host
from service.store.postgres.store import PostgresStore
from service.store.protocol import Added, Appended, StoreUnavailable
from tests.helpers.postgres import Cluster, cluster
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_administration import appointed, only
from tests.service.store.batches import ANNA, AT, addition, kept, new_game, use

_COMMIT_AT_HOME: Final = (
    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query !~ 'pg_cancel'"
)
"""Ends the wait for a standby, as a crash of the primary does: commits that waited are there when it runs again."""


@pytest.fixture(scope="module")
def primary() -> Iterator[Cluster]:
    with cluster() as made:
        yield made


@pytest.fixture(scope="module")
def standby(primary: Cluster) -> Iterator[Cluster]:
    with cluster(primary) as made:
        yield made


@pytest.fixture
async def url(primary: Cluster) -> AsyncIterator[str]:
    async with primary.database() as lent:
        yield lent


def with_hosts(url: str, *clusters: Cluster) -> str:
    login, _, rest = url.partition("@")
    hosts = ",".join(f"127.0.0.1:{each.port}" for each in clusters)
    return f"{login}@{hosts}/{rest.rpartition('/')[2]}"


@pytest.mark.parametrize(
    ("url", "each"),
    [
        ("postgresql:///name?host=/run/postgresql", ["postgresql:///name?host=/run/postgresql"]),
        ("postgresql://u:a@b,c@one/name", ["postgresql://u:a@b,c@one/name"]),
        ("postgresql://u:p@one,[::1]:2/n?a=b", ["postgresql://u:p@one/n?a=b", "postgresql://u:p@[::1]:2/n?a=b"]),
    ],
)
def test_each_host_has_an_address_of_its_own(url: str, each: list[str]) -> None:
    assert each_host(url) == each


async def test_the_host_that_takes_writes_is_found_wherever_it_stands(
    url: str, primary: Cluster, standby: Cluster
) -> None:
    store = await PostgresStore.open(with_hosts(url, standby, primary))
    assert await store.append(new_game("g1")) == Appended(1)
    await store.close()


async def test_a_host_that_does_not_answer_is_asked_last_from_then_on(
    url: str, primary: Cluster, standby: Cluster
) -> None:
    hosts = Hosts(with_hosts(url, standby, primary), patience=1)
    standby.freeze()
    try:
        for tries in range(2):
            connection, found = await hosts.connect()
            assert str(primary.port) in found, tries
            await connection.close()
        assert [str(primary.port) in each for each in hosts.urls] == [True, False]
    finally:
        standby.thaw()


async def test_it_is_said_of_each_host_why_it_takes_no_writes(
    url: str, primary: Cluster, standby: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0)
    await caught_up(primary, standby)  # or it does not know the database yet
    with pytest.raises(StoreUnavailable, match=rf"127.0.0.1:{standby.port} is a standby, 127.0.0.1:1 refuses"):
        await PostgresStore.open(with_hosts(url, standby).replace(f"{standby.port}", f"{standby.port},127.0.0.1:1"))
    with pytest.raises(StoreUnavailable, match="primary"):
        await PostgresStore.open(with_hosts(url, standby))


async def test_the_doctor_says_whether_commits_wait_for_a_standby(url: str, primary: Cluster, standby: Cluster) -> None:
    async def said(*hosts: Cluster) -> dict[str, Finding]:
        settings = Settings(database_url=with_hosts(url, *hosts))
        return {finding.check: finding async for finding in examine(settings)}

    assert (await said(standby, primary))["standbys"].level == "ok"
    assert "standbys" not in await said(primary)
    assert "name the primary" in (await said(standby))["database"].remedy
    primary.sql("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
    assert (await said(standby, primary))["standbys"].level == "warn"
    primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")


async def test_what_was_stored_before_is_acknowledged_only_when_a_standby_has_it(
    url: str, primary: Cluster, standby: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.1)
    monkeypatch.setattr(connections, "TIMEOUT", 1.0)
    account, token = PlayerRow(ANNA, "Anna", AT), TokenRow(TokenId("t1"), ANNA, "t1", ("play",), AT)
    made = Made("key", b"request", b"nonce", token.token, AT)
    command, moved = addition("g1", 1, key=use("k")), Appended(2, Added(1, 2))
    store = await PostgresStore.open(url)
    await store.append(new_game("g1"))

    def append() -> Awaitable[object]:
        return store.append(command)

    def open_account() -> Awaitable[object]:
        return store.accounts.open_account(account, token, b"hash", made)

    again: list[tuple[Callable[[], Awaitable[object]], object]] = [
        (append, moved),
        (lambda: store.append_together(command, new_game("g2")), moved),
        (lambda: store.use_of_key(command.game, ANNA, "k"), kept(1, 2)),
        (lambda: store.accounts.made_by_key("key"), made),
        (lambda: store.accounts.open_account(account, token, b"hash", replace(made, nonce=b"new")), made),
    ]
    standby.freeze()
    try:
        for ask in (append, open_account):
            with pytest.raises(StoreUnavailable):
                await ask()
        primary.sql(_COMMIT_AT_HOME)  # everybody can read now what no standby has
        assert (await store.head(command.game), await store.accounts.player(ANNA)) == (2, account)
        for ask, _ in again:
            with pytest.raises(StoreUnavailable):
                await ask()
    finally:
        standby.thaw()
    monkeypatch.undo()
    for ask, answer in again:
        assert await ask() == answer
    await store.close()


# --- the past, read from a standby ---

OUTCOMES: Final = ("answered", "behind", "away")


@asynccontextmanager
async def waiting_for_nobody(primary: Cluster) -> AsyncIterator[None]:
    """A context in which commits wait for no standby: it may be stopped."""
    primary.sql("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
    yield
    primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")


Pair = tuple[Service, Service]
"""A service that asks a standby for the past, and one that does not, over the same database."""


@pytest.fixture
async def pair(
    url: str, primary: Cluster, standby: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Pair]:
    # Nothing of a game's log is at hand, so all of it is read.
    monkeypatch.setattr("service.games.cache.RECENT", 1)
    # On a machine full of tests a second is soon over.
    monkeypatch.setattr("service.store.postgres.standby.TIMEOUT", 5)
    monkeypatch.setattr("service.store.postgres.standby.PAUSE", 0.05)
    settings = {"database_url": url, "bots": 0, "projections": False, "transparency": False}
    hosts = with_hosts(url, primary, standby)
    async with waiting_for_nobody(primary), AsyncExitStack() as stack:
        reading = await stack.enter_async_context(serving(tmp_path / "one", standby_url=hosts, **settings))
        plain = await stack.enter_async_context(serving(tmp_path / "two", **settings))
        yield reading, plain


def counted(service: Service) -> dict[str, float]:
    registry = service.services.metrics.registry
    return {each: registry.get_sample_value("tabularium_standby_reads_total", {"outcome": each}) for each in OUTCOMES}  # pyrefly: ignore[bad-return]


async def caught_up(primary: Cluster, standby: Cluster) -> None:
    """Return when the standby has what the primary has now."""
    end = primary.sql("SELECT pg_current_wal_lsn()").strip()
    async with asyncio.timeout(30):
        while standby.sql(f"SELECT pg_last_wal_replay_lsn() >= '{end}'") != "t\n":  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def compare(pair: Pair, game: str, player: Player, auditor: Player) -> int:
    """Ask both services for the past in every way, and compare the answers to the byte; return how many there were."""
    version = (await pair[1].get(f"/v1/games/{game}"))["version"]
    paths = [
        *(f"/v1/games/{game}/state?version={each}" for each in range(1, version + 1)),
        *(f"/v1/games/{game}/{what}?after={each}" for what in ("events", "history") for each in range(0, version, 5)),
        f"/v1/games/{game}/events?limit=4",
        f"/v1/games/{game}/export",
    ]
    for limit in (1, 3, 500):
        cursor = ""
        while True:
            paths.append(f"/v1/log?limit={limit}{cursor}")
            page = await pair[1].get(paths[-1], auditor)
            cursor = f"&cursor={page['next']}"
            if page["last"]:
                break
    for path in paths:
        asker = auditor if path.startswith("/v1/log") else player
        mine, theirs = [await each.ask("GET", path, asker) for each in pair]
        assert (mine.status_code, mine.content) == (200, theirs.content), path
        assert mine.headers.get("etag") == theirs.headers.get("etag")
    return len(paths)


async def test_the_past_comes_from_a_standby_as_far_as_it_has_come_and_is_the_same(
    pair: Pair, primary: Cluster, standby: Cluster
) -> None:
    reading, plain = pair
    anna, bert = [await plain.register(name) for name in ("Anna", "Bert")]
    auditor = await only(plain, await appointed(plain, "audit"), "audit")
    game = await plain.begun(anna, bert)
    await caught_up(primary, standby)
    asked = await compare(pair, game, anna, auditor)
    first = counted(reading)
    assert first["answered"] > asked / 2
    assert (first["behind"], first["away"]) == (0, 0)
    # Held back while the game goes on, it is asked for what it has, and only for that.
    standby.sql("SELECT pg_wal_replay_pause()")
    await plain.play_out(game, anna, bert)
    other = await plain.begun(anna, bert)
    try:
        await compare(pair, game, anna, auditor)
        await compare(pair, other, anna, auditor)
        held = counted(reading)
        assert held["answered"] > first["answered"]
        assert held["behind"] > 0
    finally:
        standby.sql("SELECT pg_wal_replay_resume()")
    await caught_up(primary, standby)
    await compare(pair, game, anna, auditor)
    assert counted(reading)["behind"] == held["behind"]
    assert counted(reading)["away"] == 0


async def test_while_a_standby_is_frozen_or_dead_the_primary_answers(
    pair: Pair, primary: Cluster, standby: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, plain = pair
    anna, bert = [await plain.register(name) for name in ("Anna", "Bert")]
    auditor = await only(plain, await appointed(plain, "audit"), "audit")
    game = await plain.begun(anna, bert)
    for fail, mend in ((standby.freeze, standby.thaw), (standby.kill, standby.start)):
        await caught_up(primary, standby)
        answered, away = counted(reading)["answered"], counted(reading)["away"]
        async with asyncio.timeout(30):
            while counted(reading)["answered"] == answered:
                await compare(pair, game, anna, auditor)
        monkeypatch.setattr("service.store.postgres.standby.TIMEOUT", 0.5)
        fail()
        try:
            game = await plain.begun(anna, bert)
            await compare(pair, game, anna, auditor)
            assert counted(reading)["away"] > away
        finally:
            mend()
        monkeypatch.setattr("service.store.postgres.standby.TIMEOUT", 5)
    await caught_up(primary, standby)
    answered = counted(reading)["answered"]
    async with asyncio.timeout(30):
        while counted(reading)["answered"] == answered:
            await compare(pair, game, anna, auditor)


async def test_the_standby_of_another_database_is_never_asked(
    url: str, primary: Cluster, standby: Cluster, tmp_path: Path
) -> None:
    async with waiting_for_nobody(primary), primary.database() as other:
        settings = {"database_url": url, "bots": 0, "projections": False, "transparency": False}
        await caught_up(primary, standby)
        async with serving(tmp_path, standby_url=with_hosts(other, standby), **settings) as service:
            anna = await service.register("Anna")
            auditor = await only(service, await appointed(service, "audit"), "audit")
            game = await service.gathering(anna)
            assert {each["game"] for each in (await service.get("/v1/log", auditor))["items"]} == {game}
            assert counted(service) == {"answered": 0, "behind": 0, "away": 1}
            said = {each.check: each async for each in examine(service.services.settings)}
            assert "belongs to another database" in said["standby"].message


def test_a_standby_that_did_not_follow_the_primary_is_no_copy_of_it() -> None:
    assert difference(Lineage(1, 2, 3), Lineage(1, 2, 3)) == ""
    assert difference(Lineage(1, 2, 3), Lineage(1, 2, 2)) == "is on timeline 2, and the primary on 3"
    for other in (Lineage(2, 2, 3), Lineage(1, 3, 3)):
        assert difference(Lineage(1, 2, 3), other) == "belongs to another database"


async def test_the_doctor_says_how_far_a_standby_is_behind(
    url: str, primary: Cluster, standby: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def said(*hosts: Cluster) -> Finding:
        settings = Settings(database_url=url, standby_url=with_hosts(url, *hosts))
        return {finding.check: finding async for finding in examine(settings)}["standby"]

    store = await PostgresStore.open(url)
    async with waiting_for_nobody(primary):
        await store.append(new_game("g1"))
        await caught_up(primary, standby)
        assert "is 0 events behind, and is asked" in (await said(primary, standby)).message
        standby.sql("SELECT pg_wal_replay_pause()")
        await store.append(addition("g1", 1))
        assert ((found := await said(standby)).level, "is 1 events behind" in found.message) == ("ok", True)
        monkeypatch.setattr("service.doctor.postgres.BEHIND", 0)
        assert ((found := await said(standby)).level, "is 1 events behind" in found.message) == ("warn", True)
        standby.sql("SELECT pg_wal_replay_resume()")
        assert "is no standby" in (await said(primary)).message
    await store.close()
