"""The stored data of an account beside the public logs, as a file for its owner.

`closing.py` says what is deleted when the account is closed. A test compares both with the tables of the stores.
"""

from collections.abc import AsyncIterator, Collection
from contextlib import suppress
from typing import Final

from litestar.response import Stream
from msgspec import UNSET

from domain.judging.case import CaseRow
from domain.kernel.ids import GameId, PlayerId, Version
from domain.kernel.log.history import cause_of
from projections import ratings
from projections.inbox import parts_of
from service.api.accounts.bodies import token_view
from service.api.accounts.routes import account_of
from service.api.apps.bodies import app_view, client_view
from service.api.bearer import bearer_of
from service.api.cookies import require_no_other_site
from service.api.data.bodies import (
    DataEnd,
    DataLine,
    GamePart,
    LeaguePart,
    OwnCase,
    OwnEmail,
    OwnImport,
    OwnIssuer,
    OwnRating,
    OwnText,
    ReadMark,
    TournamentPart,
    Unread,
    WhoseData,
    own_account,
    own_device,
    part_line,
)
from service.api.downloads import PIECE, saved_as
from service.api.endpoint import Answer, endpoint
from service.api.joining.bodies import joining_view
from service.api.log.routes import NDJSON
from service.api.notifications.reading import settings_of
from service.api.organizing.bodies import consent_view
from service.api.players.bodies import RecoveryCodesLeft, passkey_view
from service.api.problems.accounts import UNKNOWN_PLAYER
from service.api.request import Call
from service.api.response import encode
from service.api.services import Services
from service.api.statistics.ratings import rating
from service.api.webhooks.bodies import webhook_view
from service.games.requests import UnknownPlayer
from service.imports.imports import MOST_IMPORTS, found_in
from service.judging.desk import written_in
from service.leagues.leagues import MOST_LEAGUES
from service.store.accounts import PlayerRow
from service.store.protocol import EventStore
from service.webhooks.events import AWAITED
from service.webhooks.mailboxes import MailOff
from service.webhooks.personal import DIGEST

PAGE: Final = 200
"""The most rows that are in memory at once."""

MOST_CASES: Final = 500
"""The most cases that a request reads. Each takes one or two queries."""

_NOBODY: Final = PlayerId("")

Lines = AsyncIterator[DataLine]


@endpoint(
    "GET",
    "/v1/players/me/data",
    tag="Players",
    account="required",
    scopes=("account",),
    query=WhoseData,
    answers=(Answer(200, "Your data.", DataLine, NDJSON),),
    problems=(UNKNOWN_PLAYER,),
)
async def export_me(request: Call) -> Stream:
    """Download your data.

    Everything that the service keeps about your account beside the public logs, as JSON Lines: your account and the
    ways to sign in to it; the organizers and apps that may act for you; your settings for notifications; the games,
    tournaments and leagues in which you take part or once did; what you wrote in cases; what you imported; your
    ratings. Left out are the values of tokens, secrets and keys, and data that the service deletes by itself within 60
    days. The last line says how many lines come before it, so you notice when a file was cut off. At most 500 cases are
    searched for what you wrote; `more` says how many were left out. With a session, you can download the file by a link
    on a page of the service, but not by one on another site. Name an account that was joined with yours as `account`:
    its data are a file of their own.
    """
    wish, player = request.read_query(WhoseData), request.signed_in.player
    if bearer_of(request.scope) is None:
        require_no_other_site(request.scope)
    row = await account_of(request, player if wish.account is UNSET else wish.account)
    if player not in (row.player, row.joined):
        raise UnknownPlayer(f"No account {row.player!r} was joined with yours.")
    pieces = _pieces(_lines(request.services, row))
    first = await anext(pieces)  # read this first, so that an error gives a problem and not a file that breaks off

    async def all_pieces() -> AsyncIterator[bytes]:
        yield first
        async for piece in pieces:
            yield piece

    headers = dict(saved_as(request, f"tabularium-{row.player}"))
    return Stream(all_pieces(), status_code=200, media_type=request.media(NDJSON), headers=headers)


async def _pieces(lines: Lines) -> AsyncIterator[bytes]:
    """Yield lines in larger pieces, and at the end a line with their number."""
    gathered, count = bytearray(), 0
    async for line in lines:
        gathered += encode(line) + b"\n"
        count += 1
        if len(gathered) >= PIECE:
            yield bytes(gathered)
            gathered.clear()
    yield bytes(gathered) + encode(DataLine(end=DataEnd(count))) + b"\n"


async def _lines(services: Services, row: PlayerRow) -> Lines:
    standings = await ratings.of_player(services.rows, row.player)
    await parts_of(services.rows, row.player, None, 1)  # raises while the projection is being built
    yield DataLine(account=own_account(row))
    for part in (_sign_in_lines, _delegation_lines, _notification_lines, _part_lines):
        async for line in part(services, row.player):
            yield line
    for each in standings:
        yield DataLine(rating=OwnRating(each.ruleset, each.pool, rating(each.skill)))


async def _sign_in_lines(services: Services, player: PlayerId) -> Lines:
    """Yield tokens, sessions, passkeys and other ways to sign in."""
    accounts, passkeys = services.store.accounts, services.accounts.passkeys
    after = None
    while page := await accounts.all_tokens(player, after, PAGE):
        for token in page:
            yield DataLine(token=token_view(token))
        after = page[-1].token
    for passkey in await passkeys.of(player):
        yield DataLine(passkey=passkey_view(passkey))
    for issuer, subject in await accounts.identities(player):
        yield DataLine(issuer=OwnIssuer(issuer, subject))
    yield DataLine(recovery_codes=RecoveryCodesLeft(await passkeys.codes(player)))


async def _delegation_lines(services: Services, player: PlayerId) -> Lines:
    """Yield who may act for the account (consents and apps), the apps that it registered, and its joinings."""
    for consent in await services.organizing.consents.of(player):
        yield DataLine(consent=consent_view(consent))
    for app in await services.apps.let_in(player):
        yield DataLine(app=app_view(app))
    for client in await services.apps.registered(player):
        yield DataLine(client=client_view(client))
    for joining in await services.store.joinings.of(player):
        yield DataLine(joining=joining_view(joining))


async def _notification_lines(services: Services, player: PlayerId) -> Lines:
    """Yield webhooks, devices, mailboxes, inbox settings and marks."""
    yield DataLine(inbox=await settings_of(services, player))
    if (email := await _email(services, player)) is not None:
        yield DataLine(email=email)
    for device in await services.devices.of(player):
        yield DataLine(device=own_device(device))
    for webhook in await services.webhooks.of(player):
        yield DataLine(webhook=webhook_view(webhook, services.games.time()))
    after = ""
    while page := await services.store.accounts.read_marks(player, after, PAGE):
        for stream, version in page.items():
            yield DataLine(read_mark=ReadMark(stream, version))
        after = max(page)


async def _email(services: Services, player: PlayerId) -> OwnEmail | None:
    for row in await services.store.webhooks.webhooks(player, ("mail",)):
        address = None
        with suppress(MailOff):  # the key that encrypted it is not in the settings
            settings = await services.mailboxes.of(player)
            address = settings.address if settings is not None else None
        return OwnEmail(address, row.status, turns=AWAITED in row.events, daily=DIGEST in row.events)
    return None


async def _part_lines(services: Services, player: PlayerId) -> Lines:
    """Yield present and former games, tournaments and offices, and acts in cases about its games."""
    store = services.store
    cases = _Cases(store, player)
    last = None
    while games := await store.games(mine=player, after=last, limit=PAGE):
        for row in games:
            if row.organizer == player:
                yield DataLine(game=GamePart(row.game, "organizer"))
            for seat in (seat for seat, holder in row.seats.items() if holder == player):
                yield DataLine(game=GamePart(row.game, "seat", seat))
        async for line in cases.about([row.game for row in games]):
            yield line
        last = games[-1].game
    before = None
    while parts := await parts_of(services.rows, player, before, PAGE):
        for line in map(part_line, parts):
            if line is not None:
                yield line
        others = {part.game for part in parts if part.game is not None}
        if before is not None and before.game is not None:
            others.discard(before.game)
        others -= {row.game for row in await store.games(mine=player, among=others, limit=PAGE)}
        async for line in cases.about(sorted(others)):
            yield line
        before = parts[-1]
    tournament = None
    while page := await store.tournaments(organizer=player, after=tournament, limit=PAGE):
        for row in page:
            yield DataLine(tournament=TournamentPart(row.tournament, "organizer"))
        tournament = page[-1].tournament
    for row in await store.leagues(organizer=player, limit=MOST_LEAGUES):
        yield DataLine(league=LeaguePart(row.league))
    for row in await store.imports.list(player=player, limit=MOST_IMPORTS):
        yield DataLine(imported=OwnImport(row.import_id, found_in(row).game, row.imported))
    if cases.unread:
        yield DataLine(more=Unread(cases.unread))


class _Cases:
    """The cases in which an account did something: at most `MOST_CASES` are read."""

    def __init__(self, store: EventStore, player: PlayerId) -> None:
        self._store = store
        self._player = player
        self._read = self.unread = 0

    async def about(self, games: Collection[GameId]) -> Lines:
        """Yield what the account did in the cases about some games."""
        after = None
        while games and (page := await self._store.cases(party=_NOBODY, judged=games, after=after, limit=PAGE)):
            for row in page:
                if self._read == MOST_CASES:
                    self.unread += 1
                    continue
                self._read += 1
                if (case := await self._case(row)) is not None:
                    yield DataLine(case=case)
            after = page[-1].case

    async def _case(self, row: CaseRow) -> OwnCase | None:
        """Return what the account did in a case; None if it did nothing there."""
        own, author = dict[Version, str](), None
        for record in await self._store.read(row.case):
            author = cause_of(record).player if record.cause is not None else author
            if author == self._player:
                own[record.version] = record.at
        if not own:
            return None
        statements = [each for each in await self._store.statements(row.case) if each.version in own]
        texts = tuple(
            OwnText(
                each.version, own[each.version], written.text, None if written.command is UNSET else written.command
            )
            for each in statements
            if (written := written_in(each)) is not None
        )
        return OwnCase(row.case, row.game, row.player == self._player, texts)
