"""What a player of the scene is told, with a case about the game."""

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
from service.api.paging import cursor_of
from service.api.scene import AT, GAME, Example, Scene


def examples(scene: Scene) -> dict[str, Example]:
    begun, now = scene.started.game, scene.now
    title, seat = scene.row(now).title, now.decisions[0].seats[0]
    place = (AT, CASE, 1)
    turn = Turn(GAME, title, now.ruleset.id, now.version, seat, AT, "2026-11-23T18:00:00.000000Z")
    state, read = InboxState(1, cursor_of(place), (turn,), ()), InboxState(0, None, (turn,), ())
    opened = Notification(cursor_of(place), "case-opened", AT, GAME, title, CASE, 1, seat, read=False)
    started = Notification(
        cursor_of((AT, GAME, begun.version)), "game-started", AT, GAME, title, None, begun.version, None, read=True
    )
    settings = InboxSettings(("flag-fell",), {GAME: ("your-turn", "take-back-asked")})
    return {
        "listNotifications": Example(NotificationPage((opened, started), None, state)),
        "markRead": Example(read, {"upto": opened.id}),
        "streamNotifications": Example(StreamedInbox("1208", msgspec.json.encode(state).decode(), "inbox")),
        "showNotificationSettings": Example(settings),
        "changeNotificationSettings": Example(settings, settings),
    }
