"""What is to be sent to webhooks is stored together with the place up to which the log was read."""

from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from domain.kernel.ids import PlayerId
from service.store.accounts import LimitReached, PlayerRow
from service.store.protocol import EventStore, KeyReused
from service.store.webhooks import (
    AttemptRow,
    Busy,
    DeliveryId,
    DeliveryRow,
    HookId,
    HookRow,
    HookStore,
    Outcome,
    Place,
)
from tests.service.store.adapters import Open

ANNA = PlayerId("pAnna")
NOON, LATER = "2026-11-20T12:00:00.000000Z", "2026-11-20T13:00:00.000000Z"


def hook(name: str = "w1", **changes: object) -> HookRow:
    row = HookRow(
        webhook=HookId(name),
        player=ANNA,
        about="account",
        subject="",
        url="https://example.org/x",
        host="example.org",
        form="standard",
        events=("ping", "game.*"),
        secret=b"sealed",
        created=NOON,
    )
    return replace(row, **changes)


def delivery(name: str, of: str = "w1", type: str = "game.ended", due: str = NOON) -> DeliveryRow:  # noqa: A002
    return DeliveryRow(DeliveryId(name), HookId(of), type, f'{{"id":"{name}"}}', NOON, due)


def outcome(of: DeliveryRow, number: int = 1, **changes: object) -> Outcome:
    attempt = AttemptRow(of.delivery, number, NOON, 200, "fine")
    return replace(Outcome(attempt, of.webhook, "delivered", NOON, failing=False), **changes)


def names(rows: Iterable[tuple[DeliveryRow, HookRow]]) -> list[str]:
    return [row.delivery for row, _ in rows]


@pytest.fixture
async def hooks(store: EventStore) -> HookStore:
    await store.accounts.add(PlayerRow(ANNA, "Anna", NOON))
    return store.webhooks


async def switched_on(hooks: HookStore, *of: str) -> None:
    for name in of:
        ping = delivery(f"ping-{name}", name, "ping")
        await hooks.add(hook(name, host=f"{name}.example.org"), ping, "", b"", 10)
        await hooks.record([outcome(ping, turns="on", since="7")])


async def test_a_webhook_is_kept_and_a_key_makes_one(hooks: HookStore, data: Open) -> None:
    made = await hooks.add(hook(), delivery("p1", type="ping"), "key", b"print", 2)
    assert made == hook()
    again = await hooks.add(hook("w2"), delivery("p2", "w2", "ping"), "key", b"print", 2)
    assert again == made
    with pytest.raises(KeyReused):
        await hooks.add(hook("w2"), delivery("p2", "w2", "ping"), "key", b"another", 2)
    assert [row.delivery for row in await hooks.deliveries(made.webhook, None, None, 10)] == ["p1"]
    await hooks.add(hook("w2"), delivery("p2", "w2", "ping"), "", b"", 2)
    with pytest.raises(LimitReached):
        await hooks.add(hook("w3"), delivery("p3", "w3", "ping"), "", b"", 2)
    elsewhere = (await data()).webhooks
    assert [row.webhook for row in await elsewhere.webhooks(ANNA)] == ["w1", "w2"]
    assert await elsewhere.webhook(HookId("w3")) is None
    assert await elsewhere.active() == []


async def test_it_is_on_when_a_ping_was_answered(hooks: HookStore) -> None:
    await switched_on(hooks, "w1")
    ((row, scopes),) = await hooks.active()
    assert (row.status, row.since) == ("on", "7")
    assert "notify" in scopes
    assert await hooks.place() == Place("", 1)


async def test_deliveries_and_place_are_stored_together_or_not_at_all(hooks: HookStore, data: Open) -> None:
    await switched_on(hooks, "w1")
    at = await hooks.place()
    many = [delivery(f"d{number}") for number in range(120)]
    assert await hooks.advance(at, "20", many)
    other = (await data()).webhooks
    assert not await other.advance(at, "30", [delivery("lost")]), "another one moved it"
    assert await hooks.place() == Place("20", 1)
    assert await other.advance(Place("20", 1), "30", many), "deliveries that are there are left alone"
    found = await hooks.deliveries(HookId("w1"), "waiting", None, 200)
    assert [row.delivery for row in found] == [f"d{number}" for number in reversed(range(120))]
    await switched_on(hooks, "w2")
    assert not await hooks.advance(Place("30", 1), "40", []), "a webhook came that was not looked at"
    assert await hooks.advance(Place("30", 2), "40", [])


async def test_what_is_due_comes_first_and_nothing_to_whom_is_busy(hooks: HookStore) -> None:
    await switched_on(hooks, "w1", "w2")
    await hooks.add(hook("w3"), delivery("p3", "w3", "ping"), "", b"", 10)
    rows = [delivery("d1", due=LATER), delivery("d2", "w2"), delivery("d3"), delivery("d4", "w3")]
    assert await hooks.advance(await hooks.place(), "9", rows)
    assert names(await hooks.due_deliveries(NOON, Busy(), 9)) == ["p3", "d2", "d3"], (
        "only pings go to one that is not on"
    )
    assert names(await hooks.due_deliveries(LATER, Busy(), 9)) == ["p3", "d2", "d3", "d1"]
    assert names(await hooks.due_deliveries(LATER, Busy(webhooks=[HookId("w1")]), 9)) == ["p3", "d2"]
    assert names(await hooks.due_deliveries(LATER, Busy(hosts=["w2.example.org"]), 9)) == ["p3", "d3", "d1"]
    assert names(await hooks.due_deliveries(LATER, Busy(deliveries=[DeliveryId("d3")]), 2)) == ["p3", "d2"]
    assert await hooks.waiting() == (5, NOON)
    held = outcome(rows[2], status="waiting", due=NOON, failing=True, hold=LATER)
    await hooks.record([held])
    assert names(await hooks.due_deliveries(NOON, Busy(), 9)) == ["p3", "d2"]


async def test_an_attempt_changes_things_once(hooks: HookStore) -> None:
    await switched_on(hooks, "w1")
    row = delivery("d1")
    await hooks.advance(await hooks.place(), "9", [row])
    failed = outcome(row, status="waiting", due=LATER, failing=True, hold=LATER)
    for _ in range(2):
        await hooks.record([failed])
    found = await hooks.webhook(HookId("w1"))
    assert found is not None
    assert (found.failures, found.failing_since, found.hold) == (1, NOON, LATER)
    await hooks.record([outcome(row, 2, recovers=True)])
    assert await hooks.webhook(HookId("w1")) == replace(found, failures=0, failing_since="", hold="")
    after = await hooks.delivery(HookId("w1"), row.delivery)
    assert after is not None
    assert (after.status, after.attempts) == ("delivered", 2)
    assert [each.number for each in await hooks.attempts([row.delivery])] == [1, 2]


async def test_one_that_is_given_up_fails_what_waits_and_it_can_be_sent_again(hooks: HookStore) -> None:
    await switched_on(hooks, "w1")
    rows = [delivery("d1"), delivery("d2"), replace(delivery("d3"), made=LATER)]
    await hooks.advance(await hooks.place(), "9", rows)
    await hooks.record([outcome(rows[0], status="failed", failing=True, turns="off", why="gone")])
    found = await hooks.webhook(HookId("w1"))
    assert found is not None
    assert (found.status, found.why) == ("off", "gone")
    assert [row.delivery for row in await hooks.deliveries(HookId("w1"), "failed", None, 9)] == ["d3", "d2", "d1"]
    assert await hooks.replay(HookId("w1"), LATER, since=LATER) == 1
    assert await hooks.replay(HookId("w1"), LATER, delivery=DeliveryId("d1")) == 1
    assert await hooks.replay(HookId("w1"), LATER, failed=True) == 1
    assert await hooks.replay(HookId("w1"), LATER) == 0, "all wait, and pings are not sent again"
    again = await hooks.delivery(HookId("w1"), DeliveryId("d1"))
    assert again is not None
    assert (again.status, again.due, again.attempts, again.before) == ("waiting", LATER, 1, 1)
    ((newest, middle, *_),) = [await hooks.deliveries(HookId("w1"), None, None, 2)]
    assert [row.delivery for row in await hooks.deliveries(HookId("w1"), None, middle.number, 9)] == ["d1", "ping-w1"]
    assert newest.number > middle.number


async def test_what_arrives_after_it_was_given_up_has_arrived(hooks: HookStore) -> None:
    await switched_on(hooks, "w1")
    row = delivery("d1")
    await hooks.advance(await hooks.place(), "9", [row])
    on = await hooks.webhook(HookId("w1"))
    assert on is not None
    await hooks.change(replace(on, status="off", why="owner"))
    for _ in range(2):
        await hooks.record([outcome(row)])
    after = await hooks.delivery(HookId("w1"), row.delivery)
    assert after is not None
    assert (after.status, after.attempts) == ("delivered", 1)


async def test_nothing_is_stored_for_one_that_is_gone(hooks: HookStore) -> None:
    await switched_on(hooks, "w1")
    await hooks.remove(HookId("w1"))
    assert await hooks.advance(await hooks.place(), "9", [delivery("d1")])
    await hooks.record([outcome(delivery("d1"))])
    assert await hooks.waiting() == (0, "")
    assert await hooks.attempts([DeliveryId("d1")]) == []


async def test_it_is_changed_and_its_secret_replaced(hooks: HookStore) -> None:
    await switched_on(hooks, "w1")
    await hooks.advance(await hooks.place(), "9", [delivery("d1")])
    row = await hooks.webhook(HookId("w1"))
    assert row is not None
    changed = replace(row, url="https://example.net/", host="example.net", events=("case.*",), status="new")
    await hooks.change(changed, delivery("p9", type="ping"))
    assert await hooks.webhook(HookId("w1")) == changed
    assert names(await hooks.due_deliveries(LATER, Busy(), 9)) == ["p9"]
    rotated = replace(changed, secret=b"new", old_secret=b"sealed", old_until=LATER)
    assert await hooks.rotate(rotated, b"sealed", "k") == rotated
    assert await hooks.rotate(replace(rotated, secret=b"other"), b"sealed", "k2") == rotated, "another was quicker"
    assert await hooks.rotated(HookId("w1")) == "k"
    await hooks.reseal(replace(rotated, secret=b"resealed"), b"new")
    assert [each.secret for each in await hooks.sealed()] == [b"resealed"]


async def test_nothing_is_left_of_one_that_is_gone(hooks: HookStore, store: EventStore) -> None:
    await switched_on(hooks, "w1", "w2")
    await hooks.remove(HookId("w1"))
    assert [row.webhook for row in await hooks.webhooks(ANNA)] == ["w2"]
    assert await hooks.deliveries(HookId("w1"), None, None, 9) == []
    assert await hooks.attempts([DeliveryId("ping-w1")]) == []
    await store.accounts.close(ANNA, NOON, "gone")
    assert await hooks.webhooks(ANNA) == []
    assert await hooks.attempts([DeliveryId("ping-w2")]) == []


async def test_old_deliveries_are_forgotten_unless_they_wait(hooks: HookStore) -> None:
    await switched_on(hooks, "w1")
    await hooks.advance(await hooks.place(), "9", [delivery("d1"), delivery("d2")])
    await hooks.record([outcome(delivery("d1"))])
    assert await hooks.forget(NOON, 9) == 0
    assert await hooks.forget(LATER, 9) == 2
    assert [row.delivery for row in await hooks.deliveries(HookId("w1"), None, None, 9)] == ["d2"]
    assert await hooks.attempts([DeliveryId("d1")]) == []
