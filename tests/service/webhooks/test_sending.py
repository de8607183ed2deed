"""What becomes of a delivery: sent at once, again when it fails, and given up at last."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from service.outward.post import Answer
from service.store.webhooks import DeliveryRow, HookId, HookRow
from service.webhooks.registry import MOST_WEBHOOKS, TooManyWebhooks, Wish
from service.webhooks.schedule import WAITS, asked_for
from tests.service.rig import ANNA, BERT
from tests.service.webhooks.receiving import Telling

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


async def started(told: Telling, path: str = "/hook", count: int = 1) -> tuple[HookRow, list[DeliveryRow]]:
    """Return a webhook that hears of starts, and the deliveries of some that were not sent yet."""
    row, _ = await told.hook(ANNA, path, events=["game.started"])
    for _ in range(count):
        await told.rig.begun()
    await told.follow()
    return row, [each for each, _ in await told.webhooks.deliveries(row, "waiting", None, 50)]


async def now(told: Telling, row: HookRow) -> HookRow:
    return await told.webhooks.one(row.player, row.webhook)


async def test_a_delivery_is_sent_ten_times_by_the_schedule_and_has_failed_then(told: Telling) -> None:
    row, (delivery,) = await started(told)
    told.receiver.answers["/hook"] = "500 Broken\r\n"
    waits = [timedelta(), *WAITS]
    assert [wait.total_seconds() for wait in waits] == [0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]
    for count, wait in enumerate(waits):
        if wait:
            told.clock.now += wait - timedelta(seconds=1)
            await told.send()
            assert len(told.receiver.got) == count, "not before its time"
            told.clock.now += timedelta(seconds=1.1)
        await told.send()
        assert len(told.receiver.got) == count + 1
    after = await told.webhooks.delivery(row, delivery.delivery)
    assert (after.status, after.attempts) == ("failed", 10)
    told.later(days=1)
    await told.send()
    assert len(told.receiver.got) == 10
    assert len({each.headers["webhook-id"] for each in told.receiver.got}) == 1, "the id stays, for who knows it"
    assert len({each.headers["webhook-timestamp"] for each in told.receiver.got}) == 10
    assert [each.status for each in await told.webhooks.attempts(after)] == [500] * 10


async def test_what_failed_arrives_later(told: Telling) -> None:
    row, (delivery,) = await started(told)
    told.receiver.answers["/hook"] = "302 Elsewhere\r\nLocation: /other\r\n"
    await told.send()
    assert [each.path for each in told.receiver.got] == ["/hook"], "a redirect is a failure"
    assert (await now(told, row)).failures == 1
    told.receiver.answers["/hook"] = "200 OK\r\nContent-Length: 4\r\n\r\nfine"
    told.later(seconds=6)
    await told.send()
    after = await told.webhooks.delivery(row, delivery.delivery)
    assert after.status == "delivered"
    assert [(each.status, each.answer) for each in await told.webhooks.attempts(after)] == [
        (302, ""),
        (200, "fine"),
    ]
    assert (await now(told, row)).failures == 0


@pytest.mark.parametrize(
    ("said", "wait"),
    [
        ("120", 120),
        ("Sat, 21 Nov 2026 12:10:00 GMT", 600),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0),
        ("999999999999", 86400),
        ("Mon, 01 Jan 2029 00:00:00 GMT", 86400),
        ("-5", 0),
        ("soon", 0),
        ("", 0),
        (None, 0),
    ],
)
def test_retry_after_is_read_in_both_forms_up_to_a_day(said: str | None, wait: int) -> None:
    assert asked_for(Answer(503, retry_after=said), NOON).total_seconds() == wait


async def test_retry_after_is_obeyed_for_all_that_goes_there(told: Telling) -> None:
    await started(told, count=2)
    told.receiver.answers["/hook"] = "429 Later\r\nRetry-After: 3600\r\n"
    await told.send()
    told.later(minutes=59)
    await told.send()
    assert len(told.receiver.got) == 1, "the second was not even tried"
    told.receiver.answers.clear()
    told.later(minutes=2)
    await told.send()
    assert len(told.receiver.got) == 3


async def test_410_switches_off_and_says_so_by_another_webhook(told: Telling) -> None:
    await told.hook(ANNA, "/other", events=["webhook.*"])
    await told.hook(ANNA, "/chat", events=["webhook.*"], form="slack")
    row, _ = await started(told, count=2)
    told.receiver.answers["/hook"] = "410 Gone\r\n"
    await told.send()
    after = await now(told, row)
    assert (after.status, after.why) == ("off", "gone")
    found = await told.webhooks.deliveries(row, None, None, 9)
    assert [each.status for each, _ in found] == ["failed", "failed", "delivered"]
    (said,) = [each.json for each in told.receiver.got if each.path == "/other"]
    assert said["type"] == "webhook.switched_off"
    assert said["data"] == {"webhook": row.webhook}
    (chat,) = [each.json for each in told.receiver.got if each.path == "/chat"]
    assert "answered 410" in chat["text"]
    await told.rig.begun()
    await told.tell()
    assert len(told.receiver.got) == 3, "nothing is sent to one that is off"


async def test_five_days_of_failures_switch_off(told: Telling) -> None:
    row, _ = await started(told)
    told.receiver.answers["/hook"] = "500 Broken\r\n"
    await told.send()
    for _ in range(4):
        told.later(hours=29)
        await told.rig.begun()
        await told.tell()
    assert (await now(told, row)).status == "on"
    told.later(hours=5)
    await told.tell()
    after = await now(told, row)
    assert (after.status, after.why) == ("off", "failing")


async def test_nothing_is_sent_before_a_ping_was_answered(told: Telling) -> None:
    told.receiver.answers["/hook"] = "500 Not yet\r\n"
    row, _ = await told.webhooks.make(ANNA, "account", None, Wish(told.receiver.url(), events=["game.*"]), None)
    await told.send()
    await told.rig.begun()
    await told.tell()
    assert told.receiver.types() == ["ping"], "a ping is sent once"
    assert (await now(told, row)).status == "new"
    told.receiver.answers.clear()
    told.later(seconds=20)
    ping = await told.webhooks.ping(row)
    assert await told.webhooks.ping(row) == ping, "one waits at most"
    await told.send()
    assert (await now(told, row)).status == "on"
    await told.rig.begun()
    await told.tell()
    assert told.receiver.types()[:3] == ["ping", "ping", "game.created"]


async def test_pings_do_not_come_faster_than_every_ten_seconds(told: Telling) -> None:
    row, _ = await told.hook(ANNA)
    told.later(seconds=20)
    await told.webhooks.ping(row)
    await told.send()
    second = await told.webhooks.ping(row)
    await told.send()
    assert told.receiver.types() == ["ping"]
    assert second.status == "waiting"
    told.later(seconds=11)
    await told.send()
    assert told.receiver.types() == ["ping", "ping"]


async def test_one_that_goes_elsewhere_must_answer_again(told: Telling) -> None:
    row, _ = await told.hook(ANNA, events=["game.started"])
    told.receiver.answers["/new"] = "500 Not me\r\n"
    told.later(seconds=20)
    await told.webhooks.change(row, Wish(told.receiver.url("/new"), events=["game.started"]), active=True)
    await told.send()
    await told.rig.begun()
    await told.tell()
    assert [(each.path, each.json["type"]) for each in told.receiver.got] == [("/new", "ping")]
    off = await told.webhooks.change(await now(told, row), Wish(row.url), active=False)
    assert (off.status, off.why) == ("off", "owner")
    on = await told.webhooks.change(off, Wish(row.url, events=["game.started"]), active=True)
    assert on.status == "new"
    await told.send()
    assert (await now(told, row)).status == "on"


async def test_one_all_that_failed_or_a_span_is_sent_again(told: Telling) -> None:
    row, deliveries = await started(told, count=3)
    await told.send()
    first = deliveries[-1]
    ids = [each.delivery for each in reversed(deliveries)]
    assert [each.headers["webhook-id"] for each in told.receiver.got] == ids
    again = await told.webhooks.replay(row, await told.webhooks.delivery(row, first.delivery))
    assert again.status == "waiting"
    await told.send()
    assert told.receiver.got[-1].headers["webhook-id"] == first.delivery
    told.receiver.answers["/hook"] = "410 Gone\r\n"
    await told.webhooks.replay(row, await told.webhooks.delivery(row, first.delivery))
    await told.send()
    told.receiver.answers.clear()
    await told.webhooks.change(await now(told, row), Wish(row.url, events=["game.started"]), active=True)
    told.later(seconds=20)
    await told.send()
    told.receiver.got.clear()
    assert await told.webhooks.replay_all(row, failed=True, since=None, until=None) == 1
    assert await told.webhooks.replay_all(row, failed=False, since=deliveries[1].made, until=None) == 2
    assert await told.webhooks.replay_all(row, failed=False, since=None, until="2020") == 0
    await told.send()
    assert len(told.receiver.got) == 3
    last = await told.webhooks.delivery(row, first.delivery)
    assert (last.status, last.attempts) == ("delivered", 4)


async def test_a_silent_port_and_a_closed_one_look_the_same(told: Telling) -> None:
    silent, _ = await told.hook(ANNA, "/silent", events=["game.started"])
    closed, _ = await told.hook(BERT, "/closed", events=["game.started"])
    told.receiver.hang.add("/silent")
    told.outward.seconds = 0.5
    await told.webhooks.change(closed, Wish("http://127.0.0.1:1/closed"), active=True)
    await told.rig.begun()
    await told.follow()
    loop, seen = asyncio.get_running_loop(), dict[str, tuple[object, float]]()
    begun, sender = loop.time(), told.sender()
    await sender.turn()
    while len(seen) < 2:
        for row in (silent, closed):
            ((_, attempts), *_) = await told.webhooks.deliveries(row, None, None, 1)
            if attempts and row.webhook not in seen:
                shown = [(each.status, each.answer) for each in attempts]
                seen[row.webhook] = (shown, loop.time() - begun)
        await asyncio.sleep(0.01)
    await sender.settle()
    (one, after_one), (other, after_other) = seen.values()
    assert one == other == [(0, "")]
    assert min(after_one, after_other) >= 0.5, "not even the time until it is told says which"


async def test_a_dead_receiver_delays_no_other(told: Telling) -> None:
    await told.hook(BERT, "/well", events=["game.started"])
    await started(told, "/dead", count=3)
    told.receiver.hang.add("/dead")
    told.outward.seconds = 3.0
    sender = told.sender()
    while told.receiver.types("/well") != ["game.started"] * 3:
        await sender.turn()
        await asyncio.sleep(0.01)
    assert len(told.receiver.types("/dead")) == 1, "while the dead one was tried once"
    await sender.settle()


async def test_few_requests_go_to_one_host_at_a_time_of_all_accounts(
    told: Telling, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many accounts together cannot flood somebody else's server either."""
    monkeypatch.setattr("service.webhooks.sending.PER_HOST", 2)
    paths = {"/one": ANNA, "/two": ANNA, "/three": ANNA, "/four": BERT, "/five": BERT}
    for path, player in paths.items():
        await told.hook(player, path, events=["game.started"])
    await told.rig.begun()
    await told.follow()
    told.receiver.hang.update(paths)
    told.outward.seconds = 1.0
    sender = told.sender()
    for _ in range(20):
        await sender.turn()
        await asyncio.sleep(0.01)
    assert len(told.receiver.got) == 2
    await sender.settle()
    await sender.turn()
    await sender.settle()
    assert len(told.receiver.got) == 4


async def test_ten_webhooks_are_the_most(told: Telling) -> None:
    for number in range(MOST_WEBHOOKS):
        await told.webhooks.make(ANNA, "account", None, Wish(told.receiver.url(f"/{number}")), None)
    with pytest.raises(TooManyWebhooks):
        await told.webhooks.make(ANNA, "account", None, Wish(told.receiver.url("/more")), None)
    await told.webhooks.make(BERT, "account", None, Wish(told.receiver.url("/more")), None)
    assert HookId((await told.webhooks.of(BERT))[0].webhook)
