"""Joining two accounts of one person (TAB-JOIN): who may do it, what stands in the way, and who gets the seats.

A joining is an event about accounts. In games, seats pass by the same events as between any two accounts, so logs,
exports and proofs need to know nothing of it.
"""

import hashlib
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Final

from msgspec import Struct

from domain.kernel.ids import GameId, PlayerId, Seat, TournamentId
from domain.kernel.log import organizing
from domain.kernel.rules.refusal import Refusal, refuse_unless
from projections import inbox, officials
from projections.lobby import GameRow
from projections.store import ProjectionStore
from service.accounts.accounts import Accounts
from service.accounts.caller import Caller
from service.accounts.passkeys import grouped
from service.base.clock import later
from service.base.scopes import EVERYBODYS
from service.closing import BATCH, GOING, Closing
from service.games.acts import Depart, HandOn, NotSeated
from service.games.games import Games
from service.leagues.leagues import MOST_LEAGUES, Leagues
from service.observe.logging import log
from service.store.accounts import PlayerRow, TokenId
from service.store.joining import JoiningRow
from service.store.protocol import EventStore
from service.tournaments.committee import Committee

FRESH: Final = timedelta(minutes=10)
"""How recently a caller who joins accounts must have signed in, and how long a code is valid."""

MOST_JOINED: Final = 10
"""The most accounts that can be joined with one."""

MOST_GAMES: Final = 200
"""The most unfinished games of an account that is joined: a request looks at all of them."""

CODE_BYTES: Final = 10


class Passing(Struct, frozen=True):
    """What happens to the part of the joined account in a game.

    Attributes:
        game: the game.
        title: its title.
        seat: the seat that passes; None where the account holds none, or gave it up and it stays open.
        organizer: the account that organizes the game from then on.
    """

    game: GameId
    title: str
    seat: Seat | None
    organizer: PlayerId


class Plan(Struct, frozen=True):
    """What a joining would do.

    Attributes:
        account: the account that would be closed.
        heir: the account that would stay.
        games: what would happen in the unfinished games of `account`.
    """

    account: PlayerRow
    heir: PlayerRow
    games: tuple[Passing, ...]


class Joining:
    """Joins accounts. Every method may raise `StoreError`, and the errors of projections: `NotBuilt`, `Unavailable`."""

    def __init__(
        self,
        store: EventStore,
        rows: ProjectionStore,
        accounts: Accounts,
        games: Games,
        committee: Committee,
        leagues: Leagues,
        closing: Closing,
    ) -> None:
        self._store = store
        self._rows = rows
        self._accounts = accounts
        self._games = games
        self._committee = committee
        self._leagues = leagues
        self._closing = closing

    async def ask(self, caller: Caller) -> tuple[str, str]:
        """Return a code by which another account can join the caller's, and when the code expires. Raises `Refusal`."""
        session = await self._require_fresh(caller)
        heir = await self._account(caller.player)
        _require_person(heir, "Your account")
        if not await self._accounts.passkeys.is_lasting(heir.player):
            wrong = "Only this browser keeps your account, and the other one could not be signed in to any more."
            raise Refusal("TAB-JOIN-01", wrong, "First make a passkey or recovery codes for the account that stays.")
        await self._require_room(heir.player, "yours")
        code, now = grouped(secrets.token_bytes(CODE_BYTES)), self._accounts.now()
        ends = later(now, FRESH)
        if not await self._store.joinings.ask(heir.player, _digest(code), session, ends, now):
            raise Refusal("TAB-JOIN-01", "Your last code is being used.", "Wait ten minutes.", untimely=True)
        return code, ends

    async def plan(self, caller: Caller, code: str) -> Plan:
        """Return what joining the caller's account with the one that asked for `code` would do. Raises `Refusal`."""
        await self._require_fresh(caller)
        asker = await self._store.joinings.asker_of(_digest(code), self._accounts.now())
        if asker is None:
            wrong = "Nobody asked for a joining by this code, or that is more than ten minutes ago."
            raise Refusal("TAB-JOIN-01", wrong, "Sign in to the account that stays, and ask there for a new code.")
        account, heir = await self._account(caller.player), await self._account(asker)
        if account.player == heir.player:
            wrong = "The code is of this very account."
            raise Refusal("TAB-JOIN-02", wrong, "Enter it where you are signed in to your other account.")
        _require_person(account, "Your account")
        _require_person(heir, "The account of the code")
        if others := await self._store.joinings.joined_with(account.player):
            wrong = f"{', '.join(others)} was joined with your account, so it stays."
            raise Refusal("TAB-JOIN-02", wrong, "Ask for the code here, and enter it in the other account.")
        await self._require_room(heir.player, "the account of the code")
        await self._require_no_tournament(account.player, heir.player)
        if led := await self._store.leagues(organizer=account.player, limit=MOST_LEAGUES):
            wrong = f"Your account organizes the league {led[0].title}, which does not pass on."
            raise Refusal("TAB-JOIN-04", wrong, "Ask for the code here, and enter it in the other account.")
        if await self._store.organizing.is_busy(account.player):
            wrong = "Games that your account asked for in bulk are still to be opened or started."
            raise Refusal("TAB-JOIN-04", wrong, "Cancel the bulk, or wait until they have begun.", untimely=True)
        return Plan(account, heir, await self._passings(account.player, heir.player))

    async def join(self, caller: Caller, code: str) -> JoiningRow:
        """Join the caller's account with the account that asked for `code`, for good. Raises `Refusal`.

        First the caller's seats pass, then their account is closed. After an interruption, a call with the same code
        goes on, while the code is valid.
        """
        plan, joinings = await self.plan(caller, code), self._store.joinings
        account, heir, digest = plan.account.player, plan.heir.player, _digest(code)
        under_way = Refusal(
            "TAB-JOIN-02", "One of the two accounts is just being joined.", "Wait ten minutes.", untimely=True
        )
        if not await joinings.claim(digest, account, self._accounts.now()):
            raise under_way
        await self._hand_on(account, heir)
        assert caller.token is not None, "a session was asked for"
        row = await joinings.join(digest, account, caller.token, self._accounts.now(), MOST_JOINED)
        if row is None:
            raise under_way
        for player in (account, heir):
            self._accounts.callers.forget_player(player)
        log.info("accounts joined", account=account, kept=heir, token_id=caller.token)
        await self._leave_rest(plan.account, heir)
        return row

    async def _account(self, player: PlayerId) -> PlayerRow:
        row = await self._accounts.player(player)
        assert row is not None, "an account stays"
        return row

    async def _require_fresh(self, caller: Caller) -> TokenId:
        """Return the session of a caller who signed in within `FRESH`. Raises `Refusal`."""
        again = "Sign in to a page of this service, and do this within ten minutes."
        token = await self._accounts.token(caller.token) if caller.token is not None else None
        if token is None or not token.is_session:
            raise Refusal("TAB-JOIN-01", "You sent a token, and not the session of a browser.", again)
        if later(token.created, FRESH) <= self._accounts.now():
            wrong = f"You signed in at {token.created}, which is more than ten minutes ago."
            raise Refusal("TAB-JOIN-01", wrong, f"Sign out. {again}", untimely=True)
        return token.token

    async def _require_room(self, heir: PlayerId, whose: str) -> None:
        """Raise `Refusal` when as many accounts were joined with `heir` as can be."""
        refuse_unless(
            len(await self._store.joinings.joined_with(heir)) < MOST_JOINED,
            *("TAB-JOIN-02", f"{MOST_JOINED} accounts were joined with {whose}.", "More cannot be joined with one."),
        )

    # --- games ---

    async def _going(self, player: PlayerId) -> AsyncIterator[GameRow]:
        """Yield the unfinished games that an account plays, organizes or judges."""
        for status in GOING:
            rows = await self._store.games(status=status, mine=player, limit=BATCH)
            while rows:
                for each in rows:
                    yield each
                rows = await self._store.games(status=status, mine=player, after=rows[-1].game, limit=BATCH)
        judged = await officials.games_of(self._rows, player)
        for each in await self._store.games(among=judged, limit=officials.MOST):
            if each.status in GOING and player not in (each.organizer, *each.seats.values()):
                yield each

    async def _act(self, row: GameRow, heir: PlayerId) -> HandOn:
        heirs = organizing.heirs(await self._games.game(row.game))
        return HandOn(await self._closing.able((*heirs, heir)), heir)

    async def _passings(self, account: PlayerId, heir: PlayerId) -> tuple[Passing, ...]:
        """Return what would happen in the games of an account. Raises `Refusal` when a game forbids it."""
        passings = list[Passing]()
        async for row in self._going(account):
            if len(passings) == MOST_GAMES:
                wrong = f"Your account takes part in more than {MOST_GAMES} games that go on."
                raise Refusal("TAB-JOIN-04", wrong, "Give seats up, or play games to their ends.")
            with suppress(NotSeated), _naming(row):
                act = await self._act(row, heir)
                now, decided = await self._games.try_out(row.game, account, act)
                seats = (seat for seat, holder in decided.game.players.items() if holder == heir)
                seat = next((seat for seat in seats if now.players[seat] == account), None)
                passings.append(Passing(row.game, row.title, seat, decided.game.organizer))
        return tuple(passings)

    async def _hand_on(self, account: PlayerId, heir: PlayerId) -> None:
        async for row in self._going(account):
            with _naming(row):
                await self._closing.depart(account, row, await self._act(row, heir))

    async def _leave_rest(self, account: PlayerRow, heir: PlayerId) -> None:
        """Hand on, or give up, what the account took in games during the joining, and leave its tournaments."""
        async for row in self._going(account.player):
            act = await self._act(row, heir)
            try:
                await self._closing.depart(account.player, row, act)
            except Refusal:
                with suppress(Refusal):
                    await self._closing.depart(account.player, row, Depart(act.able))
        for tournament in await inbox.tournaments_of(self._rows, account.player):
            await self._closing.leave_tournament(account.player, tournament)

    # --- tournaments and leagues ---

    async def _require_no_tournament(self, account: PlayerId, heir: PlayerId) -> None:
        """Raise `Refusal` when `account` is in an unfinished tournament, or both are in one tournament or league."""
        mine = await inbox.tournaments_of(self._rows, account)
        theirs = await inbox.tournaments_of(self._rows, heir)
        for tournament in dict.fromkeys((*theirs, *mine)):
            await self._require_not_both(tournament, account, heir)
        for tournament in mine:
            now = await self._committee.now(tournament)
            if now.tournament.status in ("open", "running"):
                wrong = f"Your account takes part in the tournament {now.row.title}, which goes on."
                allowed = "Withdraw, or wait until it is over. What you organize or direct, another director can take."
                raise Refusal("TAB-JOIN-04", wrong, allowed, untimely=True)

    async def _require_not_both(self, tournament_id: TournamentId, account: PlayerId, heir: PlayerId) -> None:
        now = await self._committee.now(tournament_id)
        tournament, allowed = now.tournament, "Tell a director who you are, and join them when it is over."
        if tournament.status not in ("open", "running"):
            return
        are_in_one = {account, heir} <= {*tournament.field.entrants, *tournament.directors}
        refuse_unless(
            not are_in_one, "TAB-JOIN-03", f"Both accounts take part in the tournament {now.row.title}.", allowed
        )
        if tournament.regulations.league:
            entry = await self._leagues.now(tournament.regulations.league.league)
            are_in_one = entry.league.season is not None and {account, heir} <= entry.league.belongs.keys()
            refuse_unless(
                not are_in_one, "TAB-JOIN-03", f"Both accounts belong to the league {entry.row.title}.", allowed
            )


@contextmanager
def _naming(row: GameRow) -> Iterator[None]:
    """Turn a refusal by a game into one of the joining: it names the game, and TAB-JOIN-04 in place of other rules."""
    try:
        yield
    except Refusal as error:
        rule = error.rule if error.rule.startswith("TAB-JOIN-") else "TAB-JOIN-04"
        wrong = f"Game {row.game} ({row.title or row.ruleset}) stands in the way. {error.wrong}"
        raise Refusal(rule, wrong, error.allowed, untimely=error.untimely) from None


def _require_person(row: PlayerRow, who: str) -> None:
    """Raise `Refusal` unless an account is a person's, and open."""
    if row.closed is not None:
        raise Refusal("TAB-JOIN-02", f"{who} is closed.", "Join accounts that are open.")
    if row.is_bot:
        raise Refusal("TAB-JOIN-02", f"A program plays {who.lower()}.", "Join accounts that a person plays.")
    extra = [scope for scope in row.scopes if scope not in EVERYBODYS]
    if extra:
        wrong = f"{who} has the scope {extra[0]}, and so runs the service."
        raise Refusal("TAB-JOIN-02", wrong, "An administrator can take that scope away first.")


def _digest(code: str) -> bytes:
    # A code has 80 random bits, so a slow hash is not needed. People may write it in capitals, or without its hyphens.
    return hashlib.sha256("".join(code.split()).replace("-", "").lower().encode()).digest()
