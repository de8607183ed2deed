"""The endpoints for the inbox of an account: listing notices, marking them as read, and settings."""

from typing import Final

import msgspec
from litestar.response import Response
from msgspec import UNSET

from domain.kernel.ids import CaseId, GameId, StreamId, TournamentId, Version
from projections.cursor import UnknownCursor
from service.accounts.caller import Caller
from service.api.bodies import Nothing
from service.api.endpoint import Answer, endpoint
from service.api.notifications.bodies import (
    InboxSettings,
    InboxState,
    NotificationPage,
    NotificationsPage,
    Reading,
)
from service.api.notifications.reading import Inbox, Place, inbox_of, notifications, place_of, settings_of, state_of
from service.api.paging import first, read_cursor
from service.api.problems.problem import Problem
from service.api.problems.request import INVALID_BODY
from service.api.request import Call
from service.api.response import answer
from service.api.services import Services

_reading: Final = msgspec.json.Decoder(Reading)
_settings: Final = msgspec.json.Decoder(InboxSettings)


@endpoint(
    "GET",
    "/v1/notifications",
    tag="Notifications",
    account="required",
    scopes=("notify",),
    query=NotificationsPage,
    answers=(Answer(200, "Your notifications.", NotificationPage),),
)
async def list_notifications(request: Call) -> Response[bytes]:
    """List your notifications.

    What happened around the games in which you hold a seat or whose official you are, in the cases about them, and in
    the tournaments that you play in or direct, the newest first. You get notices of what happened while you took part,
    and not of what you did yourself. The service keeps the newest 100 of each game; it shows the newest 500 of all.
    `state` says what waits for you. A notification comes a moment after the event.
    """
    page = request.read_query(NotificationsPage)
    services, caller = request.services, request.signed_in
    after, inbox = read_cursor(page.cursor, Place), await inbox_of(services, caller)
    candidates = [
        each
        for each in inbox.notices
        if (after is None or place_of(each) < after)
        and (page.unread is None or inbox.is_read(each) != (page.unread == "true"))
    ]
    page_notices, more = first(candidates[: page.limit + 1], page.limit, place_of)
    items = await notifications(services, inbox, page_notices)
    return answer(NotificationPage(items, more, await state_of(services, caller, inbox)))


@endpoint(
    "POST",
    "/v1/notifications/read",
    tag="Notifications",
    account="required",
    scopes=("notify",),
    body=Reading,
    answers=(Answer(200, "What waits for you now.", InboxState),),
)
async def mark_read(request: Call) -> Response[bytes]:
    """Mark notifications as read.

    Marks all up to one of them, or all of one game, case or tournament. With a `version`, this includes notices up to
    that version that come only in a moment: so a page that shows a game marks what it shows. Nothing becomes unread
    again. Repeating the request changes nothing.
    """
    request.read_query(Nothing)
    wish, services, caller = await request.read_body(_reading), request.services, request.signed_in
    if sum(field is not UNSET for field in (wish.upto, wish.game, wish.case, wish.tournament)) != 1:
        raise Problem(
            INVALID_BODY,
            "Expected one of upto, game, case and tournament.",
            'Send {"upto": "…"}, for example.',
            path="$",
        )
    if wish.upto is not UNSET and wish.version is not UNSET:
        right = "A version belongs to a game, a case or a tournament. Leave it out."
        raise Problem(INVALID_BODY, "You sent upto with a version.", right, path="$.version")
    inbox = await inbox_of(services, caller)
    await services.store.accounts.mark_read(caller.player, await _read(services, caller, inbox, wish))
    inbox = await inbox_of(services, caller)
    return answer(await state_of(services, caller, inbox))


async def _read(services: Services, caller: Caller, inbox: Inbox, wish: Reading) -> dict[StreamId, Version]:
    """Return the versions up to which an account has read its notices."""
    if wish.upto is not UNSET:
        try:
            upto = read_cursor(wish.upto, Place)
        except UnknownCursor:
            right = "Send the id of a notification of yours."
            raise Problem(INVALID_BODY, f"There is no notification {wish.upto!r}.", right, path="$.upto") from None
        assert upto is not None
        notices = [each for each in inbox.notices if place_of(each) <= upto]
    else:
        of = next(each for each in (wish.case, wish.game, wish.tournament) if each is not UNSET)
        most = wish.version
        notices = [
            each
            for each in inbox.notices
            if of == (each.case if wish.case is not UNSET else each.subject)
            and (most is UNSET or (each.stream == of and each.version <= most))
        ]
    read = dict[StreamId, Version]()
    for each in notices:
        read[each.stream] = max(each.version, read.get(each.stream, 0))
    if wish.version is not UNSET and (ahead := await _ahead(services, caller, wish)) is not None:
        stream, version = ahead
        read[stream] = max(version, read.get(stream, 0))
    return read


async def _ahead(services: Services, caller: Caller, wish: Reading) -> tuple[StreamId, Version] | None:
    """Return the stream and the version that a request marks; None if the caller may not read the stream.

    The projection may be behind that version. Everybody may read a tournament.
    """
    assert wish.version is not UNSET
    if wish.tournament is not UNSET:
        stream = await services.store.tournament(TournamentId(wish.tournament))
        return (stream.tournament, min(wish.version, stream.version)) if stream is not None else None
    if wish.game is not UNSET:
        row = await services.store.game(GameId(wish.game))
        if row is None:
            return None
        version = min(wish.version, row.version)
        # Take a game at least as new as the notice: the account may have joined in that version.
        game = await services.games.game(row.game, version)
        return (row.game, version) if game.lets_in(caller.player) else None
    case = await services.store.case(CaseId(str(wish.case)))
    if case is None or not (await services.games.game(case.game, 0)).lets_in(caller.player):
        return None
    return case.case, min(wish.version, case.version)


@endpoint(
    "GET",
    "/v1/notifications/settings",
    tag="Notifications",
    account="required",
    scopes=("notify",),
    answers=(Answer(200, "Your settings.", InboxSettings),),
)
async def show_notification_settings(request: Call) -> Response[bytes]:
    """Show the settings of your inbox.

    The kinds of notices that you do not want: about any game or tournament, and about single ones.
    """
    request.read_query(Nothing)
    return answer(await settings_of(request.services, request.signed_in.player))


@endpoint(
    "PUT",
    "/v1/notifications/settings",
    tag="Notifications",
    account="required",
    scopes=("notify",),
    body=InboxSettings,
    answers=(Answer(200, "Your settings.", InboxSettings),),
)
async def change_notification_settings(request: Call) -> Response[bytes]:
    """Change the settings of your inbox.

    Replaces all of them. Notices that you switch off are neither listed nor counted, also those from before. When you
    switch them on again, they are back. Repeating the request changes nothing.
    """
    request.read_query(Nothing)
    settings = await request.read_body(_settings)
    content = msgspec.json.encode(settings, order="deterministic").decode()
    await request.services.store.accounts.set_inbox(request.signed_in.player, content)
    return answer(settings)
