"""Reading an inbox: notices of the projection, marks and settings of the account, and what waits for it."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from domain.judging.events import WAITING
from domain.kernel.ids import PlayerId, StreamId, Version
from projections import officials
from projections.inbox import Notice, notices_of
from projections.lobby import GameRow
from service.accounts.caller import Caller
from service.api.cases.bodies import CaseSummary, case_summary
from service.api.games.listing import LOOKED_AT, clocks_of, waits_for
from service.api.notifications.bodies import InboxSettings, InboxState, Notification, Turn
from service.api.paging import cursor_of
from service.api.services import Services

MOST_RULINGS: Final = 50

GIVEN_UP: Final = ("gone", "failing")
"""The reasons for which the service switches a webhook off."""

_settings: Final = msgspec.json.Decoder(InboxSettings)


class Inbox(Struct, frozen=True):
    """The notices of an account, the newest first, the versions up to which it has read streams, and its settings."""

    notices: tuple[Notice, ...]
    marks: Mapping[StreamId, Version]
    settings: InboxSettings

    def is_read(self, notice: Notice) -> bool:
        return notice.version <= self.marks.get(notice.stream, 0)

    @property
    def unread(self) -> int:
        return sum(not self.is_read(notice) for notice in self.notices)


async def settings_of(services: Services, player: PlayerId) -> InboxSettings:
    """Return the settings of an account: the notices that it does not want."""
    stored = await services.store.accounts.inbox_settings(player)
    return _settings.decode(stored) if stored is not None else InboxSettings()


async def inbox_of(services: Services, caller: Caller) -> Inbox:
    """Return the notifications of the caller. Raises `NotBuilt` and `Unavailable`."""
    player = caller.player
    settings = await settings_of(services, player)
    notices = await notices_of(services.rows, player, [kind for kind in settings.off if kind != "your-turn"])
    # A player who has left a private game may not read it any more.
    games = {notice.game for notice in notices if notice.game is not None}
    hidden = {game for game in games if not await services.games.is_shown(game, caller)}
    visible = tuple(
        each for each in notices if each.game not in hidden and not settings.silences(each.kind, each.subject)
    )
    return Inbox(visible, await services.store.accounts.read_marks(player) if visible else {}, settings)


async def state_of(services: Services, caller: Caller, inbox: Inbox) -> InboxState:
    """Return what waits for the caller."""
    turns = await _turns_of(services, caller.player, inbox.settings)
    newest = next((cursor_of(place_of(each)) for each in inbox.notices if not inbox.is_read(each)), None)
    rulings, mailboxes = await _rulings_of(services, caller.player), services.mailboxes
    hooks = await services.store.webhooks.webhooks(caller.player)
    given_up = tuple(each.webhook for each in hooks if each.status == "off" and each.why in GIVEN_UP)
    refused = mailboxes.sends and await mailboxes.is_refused(caller.player)
    reused = tuple(each.app for each in await services.apps.let_in(caller.player) if each.reused is not None)
    return InboxState(inbox.unread, newest, turns, rulings, given_up, refused, reused)


async def notifications(services: Services, inbox: Inbox, notices: Sequence[Notice]) -> tuple[Notification, ...]:
    """Return the bodies of notices."""
    games = {notice.game for notice in notices if notice.game is not None}
    rows = await services.store.games(among=games, forks=True, listed=False, limit=len(games)) if games else []
    titles: dict[StreamId, str] = {row.game: row.title for row in rows}
    for tournament in {notice.tournament for notice in notices if notice.tournament is not None}:
        row = await services.store.tournament(tournament)
        titles[tournament] = row.title if row is not None else ""
    return tuple(
        Notification(
            id=cursor_of(place_of(notice)),
            kind=notice.kind,
            at=notice.at,
            game=notice.game,
            title=titles.get(notice.subject, ""),
            case=notice.case,
            tournament=notice.tournament,
            version=notice.version,
            seat=notice.seat,
            read=inbox.is_read(notice),
        )
        for notice in notices
    )


Place = tuple[str, str, Version]


def place_of(notice: Notice) -> Place:
    """Return the place of a notice in the order."""
    return notice.at, notice.stream, notice.version


async def _turns_of(services: Services, player: PlayerId, settings: InboxSettings) -> tuple[Turn, ...]:
    if "your-turn" in settings.off:
        return ()
    games = await services.store.games(status="running", player=player, forks=True, limit=LOOKED_AT)
    rows = [
        row for row in games if not settings.silences("your-turn", row.game) and await waits_for(services, row, player)
    ]
    clocked = await clocks_of(services, rows)
    turns = [await _turn(services, row, player, clocked=row.game in clocked) for row in rows]
    return tuple(sorted(turns, key=lambda turn: (turn.falls_at is None, turn.falls_at or "", turn.since, turn.game)))


async def _turn(services: Services, row: GameRow, player: PlayerId, *, clocked: bool) -> Turn:
    seat = next(seat for seat, holder in row.seats.items() if holder == player)
    clocks = (await services.games.game(row.game, row.version)).clocks if clocked else None
    falls_at = clocks.falls_at(seat) if clocks is not None and seat in clocks.runs else None
    return Turn(row.game, row.title, row.ruleset, row.version, seat, row.changed, falls_at)


async def _rulings_of(services: Services, player: PlayerId) -> tuple[CaseSummary, ...]:
    judged = await officials.games_of(services.rows, player)
    if not judged:
        return ()
    cases = [
        row
        for status in WAITING
        for row in await services.store.cases(status=status, party=player, judged=judged, limit=MOST_RULINGS)
        if row.game in judged
    ]
    newest = sorted(cases, key=lambda row: (row.created, row.case), reverse=True)
    return tuple(case_summary(row) for row in newest[:MOST_RULINGS])
