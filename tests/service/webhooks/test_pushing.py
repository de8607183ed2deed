"""What is pushed to the devices of an account: encrypted, signed, and only what is worth telling."""

import json
import time
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidTag
from msgspec.structs import replace

from domain.kernel.ids import GameId, PlayerId
from projections.inbox import KINDS
from service.base.clock import stamp
from service.base.settings import Settings
from service.games.acts import NameOfficial, ReleaseOfficial
from service.games.creating import create_game
from service.outward.addresses import BadTarget, read_target
from service.store.webhooks import HookRow
from service.webhooks.devices import MOST_DEVICES, TooManyDevices, UnknownDevice
from service.webhooks.events import WebhookData, WebhookEvent
from service.webhooks.following import delivery_of
from service.webhooks.personal import MOST_PUSHED, MOST_UNASKED, WORDS
from service.webhooks.push import BadSubscription, PushKey, Subscription, new_push_key, push_key
from service.webhooks.registry import UnknownWebhook
from service.webhooks.secrets import KeyUnusable
from tests.helpers.browsers import Subscriber, octets, signed
from tests.service.rig import ANNA, BERT, CARL
from tests.service.webhooks.receiving import Telling

FINE = "201 Created\r\n"


class Device:
    """A browser of an account, with what was pushed to it."""

    def __init__(self, told: Telling, player: PlayerId, path: str) -> None:
        self.told, self.player, self.path = told, player, path
        self.browser = Subscriber(told.receiver.url(path))
        told.receiver.answers[path] = FINE

    async def subscribe(self) -> HookRow:
        given = self.browser.subscription()
        row = await self.told.devices.subscribe(self.player, Subscription(given["endpoint"], **given["keys"]))
        await self.told.send()
        return row

    @property
    def shown(self) -> list[dict[str, str]]:
        return [self.browser.shown(each.body) for each in self.told.receiver.got if each.path == self.path]

    @property
    def bodies(self) -> list[str]:
        return [each["body"] for each in self.shown]


async def device(told: Telling, player: PlayerId, path: str) -> Device:
    """Return a device that has shown that pushes reach it."""
    made = Device(told, player, path)
    await made.subscribe()
    told.receiver.got.clear()
    return made


async def pushed(told: Telling, **span: float) -> None:
    """Follow the log, and send after a while."""
    await told.follow()
    told.later(**(span or {"seconds": 6}))
    await told.send()


async def asked(told: Telling, game: GameId) -> PlayerId:
    now = await told.rig.games.game(game)
    player = now.players[now.decisions[0].seats[0]]
    assert player is not None
    return player


def test_the_reader_of_the_tests_reads_the_example_of_the_standard() -> None:
    # RFC 8291, section 5.
    browser = Subscriber("", "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94", "BTBZMqHH6r4Tts7J_aSIgg")
    sent = (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w"
        "EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )
    assert browser.read(octets(sent)) == b"When I grow up, I want to be a watermelon"


def test_what_is_encrypted_is_for_one_browser_and_has_one_length() -> None:
    browser, other = Subscriber("https://push.example.net/1"), Subscriber("https://push.example.net/2")
    given = browser.subscription()
    subscription = Subscription(given["endpoint"], **given["keys"])
    one, two = subscription.encrypted(b'{"a":1}'), subscription.encrypted(b'{"a":1,"b":"longer"}')
    assert len(one) == len(two) < 4096
    assert (browser.shown(one), browser.shown(two)) == ({"a": 1}, {"a": 1, "b": "longer"})
    assert one != subscription.encrypted(b'{"a":1}'), "every message has a key of its own"
    with pytest.raises(InvalidTag):
        other.read(one)


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"p256dh": "AAAA"}, "p256dh"),
        ({"p256dh": "B" + "A" * 86}, "p256dh"),
        ({"p256dh": "*"}, "p256dh"),
        ({"auth": "AAAA"}, "16"),
    ],
)
def test_keys_that_no_browser_has_are_refused(keys: dict[str, str], why: str) -> None:
    given = Subscriber("https://push.example.net/1").subscription()
    with pytest.raises(BadSubscription, match=why):
        Subscription(given["endpoint"], **{**given["keys"], **keys}).check()


def test_a_push_is_signed_for_its_push_service_alone() -> None:
    key = PushKey(new_push_key(), "https://games.example.org")
    target = read_target("https://push.example.net/send/x")
    headers = key.headers(target, "a game", urgent=True)
    claims, known = signed(headers["Authorization"])
    assert known == key.public
    assert (claims["aud"], claims["sub"]) == ("https://push.example.net", "https://games.example.org")
    assert 0 < claims["exp"] - time.time() <= 24 * 3600
    assert (headers["Content-Encoding"], headers["Urgency"]) == ("aes128gcm", "high")
    assert len(headers["Topic"]) <= 32
    assert headers["Topic"] != key.headers(target, "another", urgent=True)["Topic"]


def test_the_key_is_made_once_and_kept(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    assert push_key(settings, make=False) is None
    first, again = push_key(settings), push_key(settings)
    assert first is not None
    assert again is not None
    assert first.public == again.public
    assert settings.push_key_file.stat().st_mode & 0o777 == 0o600
    settings.push_key_file.write_text("rubbish\n")
    with pytest.raises(KeyUnusable):
        push_key(settings)
    assert push_key(Settings(data=tmp_path, database_url="postgresql://x@localhost/x")) is None


async def test_the_player_whose_turn_it_is_is_told_on_all_devices(told: Telling) -> None:
    phone, desk, other = [await device(told, *each) for each in ((ANNA, "/phone"), (ANNA, "/desk"), (BERT, "/other"))]
    game = await told.rig.begun()
    await pushed(told)
    mine = [phone, desk] if await asked(told, game) == ANNA else [other]
    title = (await told.rig.games.game(game)).ruleset.title
    for each in mine:
        seat = next(seat for seat, holder in (await told.rig.games.game(game)).players.items() if holder == each.player)
        turn = {"title": title, "body": f"It is your turn, {seat.capitalize()}.", "url": f"/games/{game}", "tag": game}
        assert turn in each.shown
    for each in {phone, desk, other} - {*mine}:
        assert not any("your turn" in body for body in each.bodies)
    for each in (phone, desk, other):
        assert ("The game has begun." in each.bodies) == (each.player != ANNA), "who started it knows"
    for each in told.receiver.got:
        claims, known = signed(each.headers["authorization"])
        assert claims["aud"] == f"http://127.0.0.1:{told.receiver.port}"
        assert known == told.devices.key
        assert each.headers["ttl"] == "86400"


async def test_nothing_is_pushed_before_the_device_was_reached(told: Telling) -> None:
    silent = Device(told, BERT, "/silent")
    told.receiver.answers["/silent"] = "500 Broken\r\n"
    await silent.subscribe()
    await told.rig.begun()
    await pushed(told)
    assert silent.bodies == ["This device gets notifications from now on."]
    told.receiver.answers["/silent"] = FINE
    told.later(seconds=20)
    row = await silent.subscribe()
    assert (await told.devices.of(BERT))[0].webhook == row.webhook
    await told.rig.begun()
    await pushed(told)
    assert "The game has begun." in silent.bodies


@pytest.mark.parametrize("answer", ["404 Not Found", "410 Gone"])
async def test_a_device_that_is_gone_is_removed(told: Telling, answer: str) -> None:
    gone = await device(told, BERT, "/gone")
    told.receiver.answers["/gone"] = f"{answer}\r\n"
    await told.rig.begun()
    await pushed(told)
    assert len(gone.bodies) == 1
    assert await told.devices.of(BERT) == []
    assert (await told.rig.store.webhooks.waiting())[0] == 0


async def test_a_push_service_that_fails_is_asked_again(told: Telling) -> None:
    slow = await device(told, BERT, "/slow")
    told.receiver.answers["/slow"] = "429 Slow down\r\nRetry-After: 60\r\n"
    await told.rig.begun()
    await pushed(told)
    count = len(slow.bodies)
    await pushed(told, seconds=50)
    assert len(slow.bodies) == count
    told.receiver.answers["/slow"] = FINE
    await pushed(told, seconds=20)
    assert slow.bodies.count("The game has begun.") == 2
    assert len({each.headers["topic"] for each in told.receiver.got}) == 1


async def test_nothing_is_pushed_that_was_read_or_is_over(told: Telling) -> None:
    phone = await device(told, ANNA, "/phone")
    other = await device(told, BERT, "/other")
    game = await told.rig.begun()
    await told.follow()
    while (now := await told.rig.games.game(game)).status == "running":
        await told.rig.play_round(game)
    await told.rig.store.accounts.mark_read(BERT, {game: now.version})
    told.later(seconds=6)
    await told.send()
    assert other.bodies == [], "they have read it"
    assert phone.bodies == [], "their turn is over"
    await pushed(told)
    assert phone.bodies == ["The game is over."]


async def test_settings_decide_what_is_pushed(told: Telling) -> None:
    phone = await device(told, BERT, "/phone")
    game = await told.rig.begun()
    silenced = json.dumps({"off": ["your-turn"], "games": {game: ["game-started"]}})
    await told.rig.store.accounts.set_inbox(BERT, silenced)
    other = await told.rig.begun()
    await pushed(told)
    assert {(each["tag"], each["body"]) for each in phone.shown} == {(other, "The game has begun.")}


async def test_offers_of_strangers_are_bounded(told: Telling) -> None:
    victim, game = await device(told, CARL, "/victim"), GameId("")
    for _ in range(MOST_UNASKED + 3):
        game = (await create_game(told.rig.games, ANNA, "tiny-auction", 2, {})).game
        await told.rig.games.act(game, ANNA, NameOfficial(CARL))
        await pushed(told)
    assert victim.bodies == ["You were named an official."] * MOST_UNASKED
    await pushed(told, hours=25)
    for _ in range(2):  # and of one game only once
        await told.rig.games.act(game, ANNA, ReleaseOfficial(CARL))
        await told.rig.games.act(game, ANNA, NameOfficial(CARL))
        await pushed(told)
    assert victim.bodies == ["You were named an official."] * (MOST_UNASKED + 1)


async def test_a_device_is_not_bombarded(told: Telling) -> None:
    phone = await device(told, BERT, "/phone")
    (row,) = await told.devices.of(BERT)
    game, hooks = await told.rig.begun(), told.rig.store.webhooks

    async def happen(*numbers: int) -> None:
        now = stamp(told.clock)
        for number in numbers:
            notice = WebhookEvent("notice.game-paused", now, WebhookData(game=game, version=number))
            await hooks.ask(delivery_of(row.webhook, notice, now, str(number)))
        await told.send()

    await happen(*range(1, MOST_PUSHED + 5))
    assert len(phone.bodies) == MOST_PUSHED
    told.later(hours=2)
    await happen(1000)
    assert len(phone.bodies) == MOST_PUSHED + 1


async def test_what_is_hidden_is_not_pushed(told: Telling) -> None:
    devices = [await device(told, player, f"/{player}") for player in (ANNA, BERT, CARL)]
    private = (await create_game(told.rig.games, ANNA, "tiny-auction", 2, {}, readers="invited", title="Ours")).game
    game = await told.rig.begun()
    while (await told.rig.games.game(game)).status == "running":
        await told.rig.play_round(game)
        await pushed(told)
    vault = (await told.rig.games.vault(game)).all()
    everything = json.dumps([each.shown for each in devices])
    assert vault
    assert not any(str(secret.salt) in everything for secret in vault.values())
    assert all(set(shown) == {"title", "body", "url", "tag"} for each in devices for shown in each.shown)
    assert "The game is over." in devices[1].bodies
    assert devices[2].bodies == []
    assert private not in everything


async def test_nothing_is_lost_or_doubled_when_the_log_is_read_again(told: Telling) -> None:
    phone = await device(told, BERT, "/phone")
    await told.rig.begun()
    await pushed(told)
    count = len(phone.bodies)
    assert count
    place = await told.rig.store.webhooks.place()
    assert await told.rig.store.webhooks.advance(place, "0", [])
    await pushed(told)
    assert len(phone.bodies) == count


async def test_a_browser_belongs_to_one_account(told: Telling) -> None:
    mine = await device(told, ANNA, "/shared")
    (before,) = await told.devices.of(ANNA)
    same = await mine.subscribe()
    assert same.webhook == before.webhook, "once more changes nothing"
    assert told.receiver.got == []
    theirs = Device(told, BERT, "/shared")
    await theirs.subscribe()
    assert await told.devices.of(ANNA) == []
    assert [each.player for each in await told.devices.of(BERT)] == [BERT]


async def test_devices_are_no_webhooks_and_have_a_limit_of_their_own(told: Telling) -> None:
    row = await (phone := Device(told, ANNA, "/0")).subscribe()
    assert await told.webhooks.of(ANNA) == []
    with pytest.raises(UnknownWebhook):
        await told.webhooks.one(ANNA, row.webhook)
    hook, _ = await told.hook(ANNA)
    with pytest.raises(UnknownDevice):
        await told.devices.remove(ANNA, hook.webhook)
    with pytest.raises(UnknownDevice):
        await told.devices.remove(BERT, row.webhook)
    for number in range(1, MOST_DEVICES):
        await Device(told, ANNA, f"/{number}").subscribe()
    with pytest.raises(TooManyDevices):
        await Device(told, ANNA, "/more").subscribe()
    await told.devices.remove(ANNA, row.webhook)
    await Device(told, ANNA, "/more").subscribe()
    assert phone.player == ANNA


async def test_an_endpoint_is_nowhere_in_the_store(told: Telling) -> None:
    phone = await device(told, ANNA, "/a-very-secret-place")
    (row,) = await told.devices.of(ANNA)
    given = phone.browser.subscription()
    stored = repr(replace(row, secret=b"")) + repr(await told.rig.store.webhooks.deliveries(row.webhook, None, None, 9))
    for secret in ("a-very-secret-place", given["keys"]["auth"], given["keys"]["p256dh"]):
        assert secret not in stored
    assert b"a-very-secret-place" not in row.secret
    assert Subscription.read(told.sealer.open(row.secret)).endpoint == given["endpoint"]


async def test_a_device_may_not_lead_into_our_own_network(told: Telling) -> None:
    told.devices._anywhere = False
    for url in (
        "https://127.0.0.1/x",
        "https://10.0.0.1/",
        "http://push.example.net/",
        "https://push.example.net:8443/",
    ):
        given = Subscriber(url).subscription()
        with pytest.raises(BadTarget):
            await told.devices.subscribe(ANNA, Subscription(url, **given["keys"]))


async def test_a_device_goes_with_the_session_with_which_it_was_added(told: Telling) -> None:
    accounts = told.rig.accounts
    at_home, away = [await accounts.issue(ANNA, name, ("notify",)) for name in ("at home", "away")]
    given = Subscriber(told.receiver.url("/phone")).subscription()
    subscription = Subscription(given["endpoint"], **given["keys"])
    first = await told.devices.subscribe(ANNA, subscription, at_home[0].token)
    assert await told.devices.subscribe(ANNA, subscription, at_home[0].token) == first
    # Signed in anew, the browser adds it again.
    await told.devices.subscribe(ANNA, subscription, away[0].token)
    await accounts.revoke(at_home[0].token)
    assert len(await told.devices.of(ANNA)) == 1
    await accounts.revoke(away[0].token)
    assert await told.devices.of(ANNA) == []


async def test_a_closed_account_has_no_device(told: Telling) -> None:
    phone = await device(told, BERT, "/phone")
    await told.rig.begun()
    await told.follow()
    await told.rig.accounts.close(BERT)
    await pushed(told)
    assert phone.bodies == []
    assert await told.devices.of(BERT) == []


def test_every_notice_has_words() -> None:
    assert set(WORDS) == {"your-turn", *KINDS}
