"""Bodies of the endpoints for the inbox: notices, what waits for the account, and settings."""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from domain.kernel.ids import CaseId, GameId, Seat, TournamentId, Version
from projections.inbox import AnyKind
from service.api.bodies import Identifier, Listed, Page, Past
from service.api.cases.bodies import CaseSummary
from service.store.apps import AppId
from service.store.webhooks import HookId
from service.webhooks.personal import Silences

MOST_GAMES: Final = 200
"""Games for which an account can have settings of their own."""

NoticeKind = Literal["your-turn"] | AnyKind
"""A kind of notice that an account can switch off."""

Off = Annotated[tuple[NoticeKind, ...], Meta(max_length=32)]

NotificationId = Annotated[str, Meta(min_length=1, max_length=200)]


class NotificationsPage(Page, frozen=True, kw_only=True):
    """Which notifications.

    Attributes:
        unread: `true` for those that you have not read.
    """

    unread: Literal["true", "false"] | None = None


class Notification(Struct, frozen=True):
    """Something that happened around a game of yours, in a case about one, or in a tournament.

    Attributes:
        id: an opaque text, with which you mark it and all before it as read.
        kind: what happened.
        at: when.
        game: the game; null when it happened in a tournament.
        title: the title of the game or of the tournament, which may be empty.
        case: the case in which it happened; null when it happened in none.
        tournament: the tournament in which it happened; null when it happened in a game.
        version: the version of the game, the case or the tournament at which it happened.
        seat: the seat that it is about; null for none.
        read: whether you have read it.
    """

    id: str
    kind: AnyKind
    at: str
    game: GameId | None
    title: str
    case: CaseId | None
    tournament: TournamentId | None
    version: Version
    seat: Seat | None
    read: bool


class Turn(Struct, frozen=True):
    """A game that waits for a decision of yours.

    Attributes:
        game: the game.
        title: its title, which may be empty.
        ruleset: the id of its ruleset.
        version: the version of the game at which this was so.
        seat: your seat.
        since: when the game last moved.
        falls_at: when your time and its grace are up; null where no clock of yours runs.
    """

    game: GameId
    title: str
    ruleset: str
    version: Version
    seat: Seat
    since: str
    falls_at: str | None


class InboxState(Struct, frozen=True):
    """What waits for you.

    Attributes:
        unread: how many notifications you have not read.
        newest: the newest of them; null for none.
        turns: the games that wait for a decision of yours: those whose clock runs out first come first, then those that
            have waited longest. Of very many running games, the newest 50 are looked at.
        rulings: the cases that wait for a ruling in games whose official you are, the newest first, at most 50.
        webhooks_off: your webhooks that the service switched off because they failed, until you switch them on or
            delete them. `why` of each says how they failed.
        mail_refused: whether your e-mail is switched off because the mail server of your address refuses it.
        apps_reused: your apps of which a refresh token came a second time, so somebody may have copied it. That sign-in
            was ended. An app stays in this list until you shut it out, or let it in again.
    """

    unread: int
    newest: NotificationId | None
    turns: tuple[Turn, ...]
    rulings: tuple[CaseSummary, ...]
    webhooks_off: tuple[HookId, ...] = ()
    mail_refused: bool = False
    apps_reused: tuple[AppId, ...] = ()


class NotificationPage(Listed[Notification], frozen=True):
    """Notifications, the newest first.

    Attributes:
        state: what waits for you.
    """

    state: InboxState


class StreamedInbox(Struct, frozen=True):
    """A frame of the stream of an inbox, line by line.

    Attributes:
        id: a place in the log of the service.
        event: always ``inbox``; absent with `frames=plain`, which is a ``message`` to an `EventSource`.
        data: what waits for you, in JSON: an InboxState.
    """

    id: str
    data: str
    event: Literal["inbox", "message"] | UnsetType = UNSET


class Reading(Struct, frozen=True, forbid_unknown_fields=True):
    """What you have read. Send exactly one of the first four fields.

    Attributes:
        upto: a notification; you have read it, and all before it.
        game: a game; you have read all notices about it.
        case: a case; you have read all notices about it.
        tournament: a tournament; you have read all notices about it.
        version: only up to this version of the game, the case or the tournament.
    """

    upto: NotificationId | UnsetType = UNSET
    game: Identifier | UnsetType = UNSET
    case: Identifier | UnsetType = UNSET
    tournament: Identifier | UnsetType = UNSET
    version: Past | UnsetType = UNSET


class InboxSettings(Silences, frozen=True, forbid_unknown_fields=True):
    """The kinds of notices that you do not want.

    Attributes:
        off: the kinds that you do not want about any game or tournament.
        games: the kinds that you do not want about single games or tournaments, by their ids.
    """

    off: Off = ()
    games: Annotated[dict[Identifier, Off], Meta(max_length=MOST_GAMES)] = msgspec.field(default_factory=dict)
