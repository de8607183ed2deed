"""Pushes and e-mail for persons: the notices of their inbox, and that it is their turn.

The follower writes deliveries for everybody who may be concerned. When one is due, `Worth` decides whether to send it:
the settings, the game, or what the account has read may have changed since.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

import msgspec
from msgspec import UNSET, Struct

from domain.kernel.ids import CaseId, GameId, PlayerId, Seat, TournamentId, is_tournament
from domain.kernel.log.game import Game
from domain.kernel.log.record import Record
from projections.inbox import Kind, notice_of, notices_of
from projections.store import NotBuilt, Rows
from service.accounts.caller import Caller
from service.base.clock import Clock, later, stamp
from service.games.cache import UnknownGame
from service.games.games import Games
from service.store.protocol import EventStore
from service.store.webhooks import DeliveryRow, HookRow, Personal
from service.webhooks.events import AWAITED, PING, WebhookData, WebhookEvent, read_event

NOTICE: Final = "notice."
"""The prefix of the types of notices. Only persons get these, not webhooks."""

DIGEST: Final = "digest"
TURN: Final = "your-turn"

WAITS: Final[Mapping[Personal, timedelta]] = {"push": timedelta(seconds=5), "mail": timedelta(minutes=10)}
"""How long a message waits before it is sent: a person who sees the event meanwhile gets none."""

UNASKED: Final = frozenset[Kind](("seat-offered", "official-named"))
"""The kinds of notices that strangers can cause: there are limits on their pushes."""

MOST_UNASKED: Final = 5
"""The most pushes of these kinds to a device in a day, with one about a game at most. The inbox lists all."""

MOST_PUSHED: Final = 30
"""The most pushes to a device in an hour."""

MOST_MAILED: Final = 20
"""The most e-mails to an account in a day. One game causes at most one in an hour."""

MOST_LISTED: Final = 20
"""The most games in a digest."""

LOOKED_AT: Final = 100
"""How many of the newest deliveries are counted for these limits, and how many games are examined for a digest."""

WORDS: Final[Mapping[str, str]] = {
    TURN: "It is your turn, {seat}.",
    "game-started": "The game has begun.",
    "seat-assigned": "{seat} was assigned to you.",
    "rematch-offered": "You are asked for a rematch, as {seat}.",
    "flag-fell": "The time of {seat} is up.",
    "take-back-asked": "{seat} asks to take moves back.",
    "end-proposed": "{seat} proposes to end the game.",
    "moves-retracted": "Moves were taken back.",
    "game-paused": "The game is paused.",
    "game-resumed": "The game goes on after a pause.",
    "seat-open": "{seat} is open to a substitute.",
    "seat-offered": "{seat} is offered to you.",
    "seat-taken-over": "{seat} was taken over.",
    "official-named": "You were named an official.",
    "game-over": "The game is over.",
    "game-cancelled": "The game was cancelled.",
    "case-opened": "A case was opened.",
    "case-answered": "{seat} answered in a case.",
    "ruled": "A case was ruled on.",
    "appealed": "{seat} appealed against a ruling.",
    "case-closed": "A case was closed.",
    "player-dropped": "You were dropped from the tournament.",
    "round-published": "A round was drawn, with you in it.",
    "substitute-seated": "A substitute takes over a seat: yours, or the substitute is you.",
    "result-taken": "A result waits to be confirmed.",
    "result-confirmed": "The result of your table counts.",
    "result-overruled": "A director gave your table another result.",
    "penalty-given": "You got a penalty.",
    "announcement-made": "The directors announced something.",
    "tournament-closed": "The tournament is closed, and its standings are final.",
    "tournament-cancelled": "The tournament was cancelled.",
}
"""The texts of notices. The pages have the same (`viewer/parts/notifications.js`)."""


class Silences(Struct, frozen=True):
    """The notices that an account does not want: of all games and tournaments, and of single ones."""

    off: tuple[str, ...] = ()
    games: Mapping[str, tuple[str, ...]] = {}

    def silences(self, kind: str, subject: GameId | TournamentId) -> bool:
        """Tell whether the account does not want a notice of this kind about a game or a tournament."""
        return kind in self.off or kind in self.games.get(subject, ())


class Waiting(Struct, frozen=True):
    """What waits for an account: the games in which it has to move, with titles, and the number of unread notices."""

    games: tuple[tuple[GameId, str], ...]
    unread: int


_silences: Final = msgspec.json.Decoder(Silences)


class Passed(Exception):
    """A message is not worth sending any more. The text says why."""


def kind_of(event: WebhookEvent) -> str:
    """Return the kind of an event: that of its notice in the inbox, or `TURN`."""
    return TURN if event.type == AWAITED else event.type.removeprefix(NOTICE)


def sentence(kind: str, seat: Seat | None) -> str:
    """Return the text of a notice, as a sentence."""
    return WORDS[kind].format(seat=seat.replace("-", " ").capitalize() if seat else "a seat")


def page_of(event: WebhookEvent) -> str:
    """Return the path of the page for a notice."""
    data = event.data
    if data.tournament is not UNSET:
        return f"/tournaments/{data.tournament}"
    return f"/games/{data.game}/desk" if data.case is not UNSET else f"/games/{data.game}"


def noticed(
    record: Record, happened: object, game: GameId, case: CaseId | None, *, rematch: bool = False
) -> tuple[WebhookEvent, str] | None:
    """Return the notice of an event of a game or a case, and the roles that get it; None when there is none."""
    if (notice := notice_of(happened, rematch=rematch)) is None:
        return None
    kind, seat, audience = notice
    data = WebhookData(
        game=game,
        case=case if case is not None else UNSET,
        version=record.version,
        seats=(Seat(seat),) if seat else UNSET,
    )
    return WebhookEvent(f"{NOTICE}{kind}", record.at, data), audience


def concerned(games: tuple[Game, ...], audience: str, addressed: PlayerId | None) -> frozenset[PlayerId]:
    """Return the accounts that have the roles of an audience in one of these states of a game.

    `addressed` is the account with the role of that name; None if the event has none.
    """
    roles, accounts = audience.split(), set[PlayerId]()
    for game in games:
        if "seat" in roles:
            accounts.update(player for player in game.players.values() if player is not None)
        if "official" in roles:
            accounts.update(player for player in game.around.officials if game.around.is_official(player))
    if "addressed" in roles and addressed is not None:
        accounts.add(addressed)
    return frozenset(accounts)


class Worth:
    """Decides whether a message is still worth sending when it is due."""

    def __init__(self, store: EventStore, games: Games, rows: Rows, clock: Clock) -> None:
        self._store = store
        self._rows = rows
        self._games = games
        self._clock = clock

    async def check(self, row: DeliveryRow, device: HookRow) -> WebhookEvent:
        """Return the event of a delivery. Raises `Passed` when it should not be sent, and `StoreError`."""
        event, accounts = read_event(row.body), self._store.accounts
        kind, data = kind_of(event), event.data
        subject = data.subject
        if subject is UNSET or data.version is UNSET:
            return event
        settings = await accounts.inbox_settings(device.player)
        if settings is not None and _silences.decode(settings).silences(kind, subject):
            raise Passed("the account does not want to be told")
        stream = data.case if data.case is not UNSET else subject
        if (await accounts.read_marks(device.player)).get(stream, 0) >= data.version:
            raise Passed("it was read")
        if kind == TURN and not await self._waits(data, device.player):
            raise Passed("the game does not wait any more")
        await self._check_limits(kind, subject, device)
        return event

    async def waiting(self, to: HookRow) -> Waiting:
        """Return what waits for the account of a mailbox. Raises `Passed` when nothing does."""
        player, settings = to.player, await self._store.accounts.inbox_settings(to.player)
        wishes = _silences.decode(settings) if settings is not None else Silences()
        games_found = await self._store.games(status="running", player=player, forks=True, limit=LOOKED_AT)
        games = list[tuple[GameId, str]]()
        for row in games_found:
            if not wishes.silences(TURN, row.game) and player in await self._games.waits_for(row):
                games.append((row.game, await self.title(row.game)))
        row = await self._store.accounts.player(player)
        scopes = frozenset(row.scopes if row is not None else ())
        caller, marks = Caller(player, scopes, scopes, None, b""), await self._store.accounts.read_marks(player)
        try:
            notices = await notices_of(self._rows, player)
        except NotBuilt:
            notices = []
        unread = [
            each
            for each in notices
            if each.version > marks.get(each.stream, 0) and not wishes.silences(each.kind, each.subject)
        ]
        games_of = {each.game for each in unread if each.game is not None}
        hidden = {game for game in games_of if not await self._games.is_shown(game, caller)}
        count = sum(each.game not in hidden for each in unread)
        if not games and not count:
            raise Passed("nothing waits for the account")
        return Waiting(tuple(games[:MOST_LISTED]), count)

    async def title(self, subject: GameId | TournamentId) -> str:
        """Return the title of a game or a tournament."""
        if is_tournament(subject):
            tournament = await self._store.tournament(TournamentId(subject))
            return tournament.title if tournament is not None and tournament.title else f"Tournament {subject}"
        game = GameId(subject)
        row = await self._store.game(game)
        return row.title if row is not None and row.title else (await self._games.game(game)).ruleset.title

    async def _waits(self, message: WebhookData, player: PlayerId) -> bool:
        """Tell whether a game still waits for the seat of a message."""
        try:
            game = await self._games.game(GameId(str(message.game)))
        except UnknownGame:
            return False
        seats_to_move = {seat for decision in game.decisions for seat in decision.seats}
        seats = message.seats if message.seats is not UNSET else ()
        return game.status == "running" and any(
            seat in seats_to_move and game.players.get(seat) == player for seat in seats
        )

    async def _check_limits(self, kind: str, subject: GameId | TournamentId, device: HookRow) -> None:
        """Raise `Passed` when a device or a mailbox got as many messages as it may."""
        now = stamp(self._clock)
        hour_ago, day_ago = (later(now, -timedelta(hours=hours)) for hours in (1, 24))
        newest = await self._store.webhooks.deliveries(device.webhook, "delivered", None, LOOKED_AT)
        if device.form == "mail":
            today = [each for each in newest if each.due > day_ago and each.type != PING]
            if len(today) >= MOST_MAILED:
                raise Passed(f"{MOST_MAILED} e-mails were sent to the account within a day")
            if any(each.due > hour_ago and read_event(each.body).data.subject == subject for each in today):
                raise Passed("the account was told of this game within an hour")
            return
        if sum(each.due > hour_ago and each.type != PING for each in newest) >= MOST_PUSHED:
            raise Passed(f"the device was told {MOST_PUSHED} times within an hour")
        if kind not in UNASKED:
            return
        unasked = [read_event(each.body) for each in newest if each.due > day_ago and _is_unasked(each)]
        if len(unasked) >= MOST_UNASKED or any(each.data.subject == subject for each in unasked):
            raise Passed("the account was told of as many offers as it is in a day")


def _is_unasked(row: DeliveryRow) -> bool:
    return row.type.removeprefix(NOTICE) in UNASKED
