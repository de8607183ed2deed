"""Rate limits: what is let through is what the bucket holds, over all processes, and without Redis over each."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from service.accounts.limits import Limit, Limits, Standing, TooMany, headers_of, limits_of
from service.api.limiting import address_of, token_of
from service.base.settings import Settings
from service.cluster.redis import Redis, open_redis
from service.observe.metrics import Metrics
from tests.helpers.redis import Server, server, shared_server

SLOW = Limit("token", 0.01, 20)
"""Within a test, this bucket fills up with nothing worth mentioning."""


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture
def own() -> Iterator[Server]:
    with server() as started:
        yield started


@pytest.fixture
async def redis() -> AsyncIterator[Redis]:
    shared_server().flush()
    async with open_redis(shared_server().url, Metrics()) as opened:
        yield opened


async def admitted(limits: Limits, requests: int, address: str = "1.2.3.4", token: str | None = "t") -> int:
    """Return how many of a number of requests at once are let through."""

    async def one() -> bool:
        try:
            await limits.admit(address, token)
        except TooMany:
            return False
        return True

    return sum(await asyncio.gather(*(one() for _ in range(requests))))


# --- without Redis ---


async def test_a_bucket_gives_what_it_holds_and_fills_up_again(hands: Hands) -> None:
    limits = Limits([Limit("token", 2, 10)], None, Metrics(), hands)
    assert await admitted(limits, 15) == 10
    hands.now += 0.6
    assert await admitted(limits, 5) == 1
    hands.now += 2
    assert await admitted(limits, 9) == 4
    hands.now += 1_000_000
    assert await admitted(limits, 15) == 10


async def test_everybody_has_a_bucket_of_his_own(hands: Hands) -> None:
    limits = Limits([Limit("token", 1, 3), Limit("address", 1, 5)], None, Metrics(), hands)
    assert await admitted(limits, 4, token="a") == 3
    # The fourth took from the address all the same: who sends too much sends too much.
    assert await admitted(limits, 4, token="b") == 1
    assert await admitted(limits, 4, address="4.3.2.1", token="b") == 2
    assert await admitted(limits, 9, address="5.5.5.5", token=None) == 5


async def test_a_client_over_its_limit_gets_the_time_to_wait(hands: Hands) -> None:
    metrics = Metrics()
    limit = Limit("address", 0.5, 2)
    limits = Limits([limit], None, metrics, hands)
    assert [await limits.admit("a", None) for _ in range(2)] == [[Standing(limit, 1)], [Standing(limit, 0)]]
    with pytest.raises(TooMany, match=r"This address may send 0.5 requests a second, 2 after a rest\.") as refused:
        await limits.admit("a", None)
    assert refused.value.refusing.wait == 2.0
    assert metrics.registry.get_sample_value("tabularium_rate_limited_total", {"by": "address"}) == 1
    assert headers_of(refused.value.standings) == {
        "RateLimit-Policy": '"address";q=2;w=4',
        "RateLimit": '"address";r=0;t=4',
    }
    hands.now += 2.0
    await limits.admit("a", None)


async def test_only_so_many_are_remembered(hands: Hands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.accounts.limits.KEPT", 100)
    limits = Limits([Limit("address", 1, 5)], None, Metrics(), hands)
    for number in range(1000):
        await limits.admit(f"a{number}", None)
    assert len(limits._purses) == 100


# --- through Redis ---


async def test_processes_share_one_bucket(redis: Redis) -> None:
    processes = [Limits([SLOW], redis, Metrics()) for _ in range(4)]
    assert sum(await asyncio.gather(*(admitted(limits, 15) for limits in processes))) == SLOW.burst


async def test_a_bucket_in_redis_fills_up_by_itself_and_is_forgotten_when_it_is_full(redis: Redis) -> None:
    limits = Limits([Limit("token", 2, 40)], redis, Metrics())
    assert 40 <= await admitted(limits, 100) < 100
    async with asyncio.timeout(20):
        while not await admitted(limits, 1):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    (key,) = await redis.ask(lambda client: client.keys("tabularium:rate:*"))
    assert 1000 <= await redis.ask(lambda client: client.pttl(key)) <= 21_000


async def test_most_requests_ask_nobody(redis: Redis) -> None:
    limits = Limits([Limit("token", 1000, 10_000)], redis, Metrics())
    before = (await redis.ask(lambda client: client.info("commandstats"))).get("cmdstat_evalsha", {"calls": 0})["calls"]
    assert await admitted(limits, 1000) == 1000
    after = (await redis.ask(lambda client: client.info("commandstats")))["cmdstat_evalsha"]["calls"]
    assert after - before <= 11  # the first finds that Redis does not know the script yet


@pytest.mark.parametrize("how", ["stopped", "hung"])
async def test_while_redis_is_away_each_process_counts_for_itself(own: Server, how: str) -> None:
    async with open_redis(own.url, Metrics()) as redis:
        one, two = Limits([SLOW], redis, Metrics()), Limits([SLOW], redis, Metrics())
        assert await admitted(one, 5) == 5
        own.halt() if how == "stopped" else own.pause()
        assert await admitted(one, 30) == SLOW.burst - 5
        assert await admitted(two, 30) == SLOW.burst
        assert not redis.well
        own.start() if how == "stopped" else own.resume()
        await asyncio.wait_for(redis.until_well(), 20)
        assert await admitted(one, 30, token="another") == SLOW.burst
        assert await admitted(two, 30, token="another") == 0


async def test_a_flushed_redis_knows_the_script_again(own: Server) -> None:
    async with open_redis(own.url, Metrics()) as redis:
        limits = Limits([SLOW], redis, Metrics())
        assert await admitted(limits, 3) == 3
        own.flush()
        assert await admitted(limits, 30) == SLOW.burst
        assert redis.well


# --- who asks ---


@pytest.mark.parametrize(
    ("client", "address"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("socket", "socket"),
        (None, ""),
    ],
)
def test_an_address_is_a_customer_s(client: str | None, address: str) -> None:
    assert address_of({"client": client and (client, 1)}) == address  # type: ignore[arg-type]


def test_a_token_is_known_by_its_digest() -> None:
    def token(*headers: tuple[bytes, bytes], kind: str = "websocket") -> str | None:
        return token_of({"type": kind, "headers": headers})  # type: ignore[arg-type]

    first = token((b"host", b"h"), (b"authorization", b"Bearer secret"))
    assert first is not None
    assert "secret" not in first
    assert first != token((b"authorization", b"Bearer other"))
    # The same token is the same, however it is written.
    for header in (
        (b"authorization", b"bearer   secret "),
        (b"sec-websocket-protocol", b"tabularium.v1, bearer.secret"),
        (b"sec-websocket-protocol", b"bearer.secret, tabularium.v1"),
    ):
        assert token(header) == first
    assert token((b"sec-websocket-protocol", b"tabularium.v1")) is token((b"host", b"h")) is None
    assert token((b"authorization", b"Basic secret")) is None
    # What is not looked at when it is asked whose the token is counts for nothing here.
    own, another = (b"authorization", b"Bearer secret"), (b"sec-websocket-protocol", b"bearer.other")
    for kind in ("http", "websocket"):
        assert token(another, own, kind=kind) == token(own, another, kind=kind) == first
    assert token(another, kind="http") is None


def test_limits_are_what_the_settings_say() -> None:
    assert limits_of(Settings(), None, Metrics()) is None
    public = limits_of(Settings(host="0.0.0.0"), None, Metrics())
    assert public is not None
    assert public._limits == {
        "token": Limit("token", 50, 500),
        "address": Limit("address", 200, 2000),
        "registration": Limit("registration", 30 / 3600, 30),
    }
    limits = limits_of(Settings(rate_per_token=0.01, rate_per_address=50, rate_burst=2), None, Metrics())
    assert limits is not None
    assert limits._limits == {"token": Limit("token", 0.01, 1), "address": Limit("address", 50, 100)}


async def test_registrations_are_counted_by_the_hour(hands: Hands) -> None:
    metrics = Metrics()
    limits = Limits([Limit("registration", 2 / 3600, 2)], None, metrics, hands)
    for _ in range(2):
        await limits.admit_registration("1.2.3.4")
    with pytest.raises(TooMany, match="This address may register 2 accounts an hour") as error:
        await limits.admit_registration("1.2.3.4")
    assert error.value.refusing.wait == pytest.approx(1800)
    assert metrics.registry.get_sample_value("tabularium_rate_limited_total", {"by": "registration"}) == 1
    await limits.admit_registration("4.3.2.1")
    assert await limits.admit("1.2.3.4", "t") == [], "nothing else is limited by it"
    hands.now += 1801
    await limits.admit_registration("1.2.3.4")
