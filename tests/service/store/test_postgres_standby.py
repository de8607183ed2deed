"""Several servers: which of them takes writes, and what is acknowledged when a standby is missing."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Final

import pytest
from msgspec.structs import replace

from service.base.settings import Settings
from service.doctor import Finding, examine
from service.store.accounts import Made, PlayerRow, TokenId, TokenRow
from service.store.postgres import connections
from service.store.postgres.hosts import Hosts, each_host
from service.store.postgres.store import PostgresStore
from service.store.protocol import Added, Appended, StoreUnavailable
from tests.helpers.postgres import Cluster, cluster
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
    url: str, standby: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0)
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
    monkeypatch.setattr(connections, "TIMEOUT", 0.5)
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
        (lambda: store.seen(command.game, ANNA, "k"), kept(1, 2)),
        (lambda: store.accounts.made("key"), made),
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
