"""The notifications of a player of the scene, with a case about the game."""

from typing import Final

import msgspec

from service.api.cases.examples import CASE
from service.api.notifications.bodies import (
    InboxSettings,
    InboxState,
    Notification,
    NotificationPage,
    StreamedInbox,
    Turn,
)
from service.api.notifications.email import EmailSettings, EmailWish
from service.api.notifications.push import Device, Devices, NewDevice, PushKeys
from service.api.paging import cursor_of
from service.api.scene import AT, GAME, Example, Scene
from service.store.webhooks import HookId
from service.webhooks.push import Subscription

DEVICE: Final = "dt4v8n2k6x9c3m7q5z"
ENDPOINT: Final = "https://push.example.net/send/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV"
POINT: Final = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
PUSH_KEY: Final = "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM"


def examples(scene: Scene) -> dict[str, Example]:
    beginning, now = scene.started.game, scene.now
    title, seat = scene.row(now).title, now.decisions[0].seats[0]
    place = (AT, CASE, 1)
    turn = Turn(GAME, title, now.ruleset.id, now.version, seat, AT, "2026-11-23T18:00:00.000000Z")
    state, read = InboxState(1, cursor_of(place), (turn,), ()), InboxState(0, None, (turn,), ())
    opened = Notification(cursor_of(place), "case-opened", AT, GAME, title, CASE, None, 1, seat, read=False)
    started = Notification(
        cursor_of((AT, GAME, beginning.version)),
        "game-started",
        AT,
        GAME,
        title,
        None,
        None,
        beginning.version,
        None,
        read=True,
    )
    device = Device(HookId(DEVICE), "push.example.net", Subscription(ENDPOINT, "", "").mark, AT, active=True)
    email = EmailSettings(available=True, address="a…@example.org", status="new", turns=True, daily=False)
    settings = InboxSettings(("flag-fell",), {GAME: ("your-turn", "take-back-asked")})
    return {
        "listNotifications": Example(NotificationPage((opened, started), None, state)),
        "markRead": Example(read, {"upto": opened.id}),
        "streamNotifications": Example(StreamedInbox("1208", msgspec.json.encode(state).decode(), "inbox")),
        "showNotificationSettings": Example(settings),
        "changeNotificationSettings": Example(settings, settings),
        "listDevices": Example(Devices(PUSH_KEY, (device,))),
        "addDevice": Example(device, NewDevice(ENDPOINT, PushKeys(POINT, "BTBZMqHH6r4Tts7J_aSIgg"))),
        "removeDevice": Example(device),
        "showEmail": Example(email),
        "changeEmail": Example(email, EmailWish("ann@example.org", turns=True, daily=False)),
        "removeEmail": Example(EmailSettings(available=True, address=None, status=None, turns=False, daily=False)),
    }
