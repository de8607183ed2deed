"""The committee: acts of directors, players and the service in the tournaments of a store, one at a time in each."""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.kernel.chance.draws import SECRET_BYTES, commitment_to
from domain.kernel.ids import GameId, PlayerId, TournamentId, Version
from domain.kernel.log import beginning
from domain.kernel.log.history import starts_of_commands
from domain.kernel.log.record import Cause, Record
from domain.kernel.rules.message import type_name
from domain.kernel.rules.refusal import Refusal
from domain.tournament import directing, rounds
from domain.tournament.chain import SEED_BYTES, commitment_of, secret_of
from domain.tournament.draw import Cost, Draw, obstacle
from domain.tournament.draw.lawful import Undecided
from domain.tournament.draw.slices import NoDraw
from domain.tournament.drawing import drawn_without_solver, problem_of
from domain.tournament.events import RoundCancelled, RoundDrafted, RoundPublished
from domain.tournament.field import Field, Round
from domain.tournament.fold import fold, fold_on, read_event
from domain.tournament.regulations import Regulations
from domain.tournament.standings import Standing, standings
from domain.tournament.tournament import Inscribed, Tournament
from service.base.clock import Clock, stamp
from service.cluster.wake import Wake
from service.games.cache import GameDamaged
from service.games.commands import ATTEMPTS
from service.games.games import Games
from service.games.requests import StaleVersion, UnknownRuleset
from service.store.accounts import LimitReached
from service.store.protocol import (
    Append,
    Conflict,
    EventStore,
    KeyUse,
    StoreUnavailable,
    TournamentRow,
    Within,
)
from service.tournaments.acting import Acting, key_use

MOST_TOURNAMENTS: Final = 20
"""The most unfinished tournaments that an account can have."""

KEPT: Final = 64
"""How many tournaments stay in memory: the most recently used."""

HOUSE: Final = Cause(by="house")
"""The cause of acts of the service itself."""

_OF_SHEETS: Final = frozenset(map(type_name, (RoundDrafted, RoundPublished, RoundCancelled)))

Decide = Callable[[Tournament, Cause, str], Inscribed]
"""Decides an act: returns the tournament after it, given the tournament, the cause and the time."""


class UnknownTournament(LookupError):
    """There is no such tournament."""


class UnknownRound(LookupError):
    """The tournament has no such round."""


class TooManyTournaments(Exception):
    """The account has as many unfinished tournaments as it may have."""


class Drawn(Struct, frozen=True):
    """The draw of a solver.

    Attributes:
        by: the solver that found it.
        bound: a lower bound for the cost of any draw; None when unknown.
    """

    draw: Draw
    by: str
    bound: int | None = None


class Sheet(Struct, frozen=True):
    """Remarks on a round beside its tables: the costs of its drafts, and why a director changed or cancelled it."""

    drafts: tuple[RoundDrafted, ...] = ()
    published: RoundPublished | None = None
    cancelled: str | None = None


class Proceeding(Struct, frozen=True):
    """A stored tournament.

    Attributes:
        row: its row in the index.
        tournament: the tournament.
        sheets: the remarks on its rounds, by their numbers.
        repeated: whether this answers a repeated request; then the tournament is as it was after the first.
    """

    row: TournamentRow
    tournament: Tournament
    sheets: Mapping[int, Sheet] = {}
    repeated: bool = False


async def draw_by_slices(field: Field, current: Round) -> Drawn:
    """Draw a round without a solver. Raises `NoDraw` or `Undecided`."""
    return Drawn(await asyncio.to_thread(drawn_without_solver, field, current), "slices")


class Committee(Acting[TournamentId, Tournament, Inscribed, Proceeding]):
    """All tournaments of a store. Every method may raise `StoreError`; those that take an id `UnknownTournament`."""

    what = "tournament"
    prefix = "t"
    unknown = UnknownTournament
    in_memory = KEPT

    def __init__(
        self,
        store: EventStore,
        games: Games,
        wake: Wake,
        clock: Clock,
        randomness: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        super().__init__(store, wake, clock, randomness)
        self._games = games
        self._standings: OrderedDict[TournamentId, tuple[Version, list[Standing]]] = OrderedDict()
        self.draw: Callable[[Field, Round], Awaitable[Drawn]] = draw_by_slices
        """Draws the tables of a round, as `draw_by_slices` does. Raises `NoDraw` or `Undecided`."""

    # --- looking ---

    async def _row(self, stream: TournamentId) -> TournamentRow | None:
        return await self._store.tournament(stream)

    def _folded(
        self, stream: TournamentId, title: str, records: Sequence[Record], before: Proceeding | None = None
    ) -> Proceeding:
        if before is None:
            tournament, sheets = fold(stream, records), sheets_of({}, records)
        elif records:
            tournament, sheets = fold_on(before.tournament, records), sheets_of(before.sheets, records)
        else:
            tournament, sheets = before.tournament, before.sheets
        return Proceeding(row_of(tournament, title), tournament, sheets)

    async def standings(self, tournament_id: TournamentId) -> tuple[Tournament, list[Standing]]:
        """Return the tournament as it is now, and its standings."""
        tournament = (await self.now(tournament_id)).tournament
        entry = self._standings.get(tournament_id)
        if entry is None or entry[0] != tournament.version:
            # With 1,000 players this takes a while, so other requests must not wait for it.
            entry = tournament.version, await asyncio.to_thread(standings, tournament.field)
            self._standings[tournament_id] = entry
            if len(self._standings) > KEPT:
                self._standings.popitem(last=False)
        return tournament, entry[1]

    # --- acting ---

    async def announce(
        self,
        player: PlayerId,
        regulations: Regulations,
        title: str,
        *,
        key: str | None = None,
        fits: Callable[[], Awaitable[None]] | None = None,
    ) -> Proceeding:
        """Announce a tournament. `fits` is called unless this repeats a request. It raises an error when something else
        forbids the tournament.

        Raises:
            UnknownRuleset: there is no such ruleset.
            Refusal: no tournament can be played by these regulations, or no game by their set-up.
            msgspec.ValidationError: the ruleset does not know this set-up.
            TooManyTournaments, KeyReused.
        """
        seats = self._seats(regulations)
        seed, cause = self._randomness(SEED_BYTES), Cause(player)
        use = key_use(player, key, ["announce", msgspec.to_builtins(regulations), title])
        if use is not None:
            cause = Cause(player, key=use.key)
        for tournament_id in map(TournamentId, self._new_ids(player, key)):
            if use is not None and (first := await self._first(tournament_id, use)) is not None:
                return first
            if fits is not None:
                await fits()
            at = stamp(self._clock)
            inscribed = directing.announce(tournament_id, regulations, commitment_of(seed), seats, cause, at)
            self._try_out(regulations)
            within = Within("tournaments", (player,), MOST_TOURNAMENTS)
            try:
                return await self._append(inscribed, 0, title, use, seed=seed, within=within)
            except LimitReached:
                raise TooManyTournaments(
                    f"You have {MOST_TOURNAMENTS} tournaments that are not over, which is the most."
                ) from None
            except Conflict:
                continue  # the id is taken: the key was used before, and has expired
        raise StoreUnavailable("no id for a new tournament was found; try again")

    def _seats(self, regulations: Regulations) -> Collection[int]:
        try:
            return self._games.library.current(regulations.ruleset).players
        except LookupError as error:
            raise UnknownRuleset(str(error)) from None

    def _try_out(self, regulations: Regulations) -> None:
        """Raise the error that creating a game by these regulations would raise. Nothing is stored."""
        ruleset = self._games.library.current(regulations.ruleset)
        board = ruleset.equip(self._games.boards(ruleset.board), None)
        for size in regulations.sizes:
            beginning.create(
                ruleset,
                GameId("g"),
                size,
                setup=regulations.setup,
                board=board,
                organizer=PlayerId("p"),
                clock=regulations.clock,
                commitment=commitment_to(bytes(SECRET_BYTES)),
                cause=Cause(PlayerId("p")),
                at=stamp(self._clock),
            )

    async def change(
        self,
        tournament_id: TournamentId,
        player: PlayerId,
        regulations: Regulations,
        *,
        expected: Collection[Version] | None = None,
        key: str | None = None,
    ) -> Proceeding:
        """Change the regulations. Raises what `announce` and `act` raise."""
        seats = self._seats(regulations)

        def decide(tournament: Tournament, cause: Cause, at: str) -> Inscribed:
            changed = directing.change(tournament, regulations, seats, cause, at)
            self._try_out(regulations)
            return changed

        content = ["regulations", msgspec.to_builtins(regulations)]
        return await self.act(tournament_id, player, content, decide, expected=expected, key=key)

    async def by_house(self, tournament_id: TournamentId, decide: Decide) -> Proceeding | None:
        """Let the service do something in a tournament. Returns None when that is not possible any more."""
        async with self._turn(tournament_id):
            for _ in range(ATTEMPTS):
                now = await self.now(tournament_id)
                try:
                    inscribed = decide(now.tournament, HOUSE, stamp(self._clock))
                    return await self._append(inscribed, now.tournament.version, now.row.title, None)
                except Refusal:
                    return None
                except Conflict:  # another process was quicker
                    continue
        raise StoreUnavailable(f"{tournament_id} changed {ATTEMPTS} times while the service decided this")

    # --- rounds ---

    async def draw_round(
        self,
        tournament_id: TournamentId,
        player: PlayerId,
        *,
        expected: Collection[Version] | None = None,
        key: str | None = None,
    ) -> Proceeding:
        """Draw the tables of the next round, as a director: first its lots, unless they are drawn, then a draft.

        The lots are stored before the tables are drawn. If the process crashes in between, a repeated request draws
        tables from the same lots. Raises what `act` raises, and `Refusal` when there is no draw.
        """
        use = key_use(player, key, ["draw"])
        for _ in range(ATTEMPTS):
            if use is not None and (first := await self._first(tournament_id, use)) is not None:
                return first
            now, expected = await self.begin_draw(tournament_id, player, expected=expected), None
            current = now.tournament.require_drawn("TAB-TRN-09")
            try:
                drawing = await self.draw(now.tournament.field, current)
            except (NoDraw, Undecided) as error:
                why = obstacle(problem_of(now.tournament.field, current)) if isinstance(error, NoDraw) else None
                right = "Change the regulations, or cancel the round and wait for more players."
                raise Refusal("TAB-TRN-09", why or f"No draw was found: {error}.", right, untimely=True) from error
            try:
                cause = Cause(player, key=use.key if use is not None else None)
                at = stamp(self._clock)
                inscribed = rounds.draft(now.tournament, drawing.draw, drawing.by, drawing.bound, cause, at)
                return await self._append(inscribed, now.tournament.version, now.row.title, use)
            except Conflict:
                continue  # perhaps somebody withdrew meanwhile
        raise StoreUnavailable(f"{tournament_id} changed {ATTEMPTS} times while a round was drawn; try again")

    async def begin_draw(
        self, tournament_id: TournamentId, player: PlayerId, *, expected: Collection[Version] | None = None
    ) -> Proceeding:
        """Close the check-in of the next round, unless it is closed; return the tournament. Raises what `act`
        raises."""
        for _ in range(ATTEMPTS):
            now = await self.now(tournament_id)
            current = now.tournament.field.current
            if current is None or current.status != "drawn":
                try:
                    now = await self.act(
                        tournament_id, player, (), await self._closing(tournament_id), expected=expected
                    )
                except Refusal:
                    lots = (await self.now(tournament_id)).tournament.field.current
                    if lots is None or lots.status != "drawn":
                        raise
                    expected = None
                    continue  # the same request came twice at the same time, or another director was quicker
            elif expected is not None and now.tournament.version not in expected:
                raise StaleVersion(expected, now.tournament.version, "tournament")
            now.tournament.require_director(Cause(player), "TAB-TRN-09")
            rounds.require_more_drafts(now.tournament)
            return now
        raise StoreUnavailable(f"{tournament_id} changed {ATTEMPTS} times while a check-in was closed; try again")

    async def drawn_before(self, tournament_id: TournamentId, player: PlayerId, key: str | None) -> Proceeding | None:
        """Return the answer to an earlier request to draw with this key; None when there was none."""
        use = key_use(player, key, ["draw"])
        return await self._first(tournament_id, use) if use is not None else None

    async def price(
        self,
        tournament_id: TournamentId,
        player: PlayerId,
        number: int,
        draft: int,
        draw: Draw,
        *,
        expected: Collection[Version] | None = None,
    ) -> tuple[Proceeding, Cost, tuple[Cost, ...]]:
        """Return the cost of tables in place of a draft, in total and of each, and the tournament that was used.

        Nothing is stored. Raises `Refusal` if the tables could not be published, and `StaleVersion` as `act` does.
        """
        now = await self.now(tournament_id)
        version = now.tournament.version
        if expected is not None and version not in expected:
            raise StaleVersion(expected, version, "tournament")
        # With many players this takes a while, so other requests must not wait for it.
        costs = await asyncio.to_thread(rounds.price, now.tournament, number, draft, draw, Cause(player))
        return now, *costs

    async def _closing(self, tournament_id: TournamentId) -> Decide:
        seed = await self._store.seed(tournament_id)
        if seed is None:
            raise GameDamaged(f"the seed of tournament {tournament_id} is missing in the store")

        def decide(tournament: Tournament, cause: Cause, at: str) -> Inscribed:
            number = tournament.next_round
            return rounds.close_check_in(tournament, secret_of(seed, number).hex(), cause, at)

        return decide

    async def cancel_round(
        self,
        tournament_id: TournamentId,
        player: PlayerId,
        number: int,
        reason: str,
        *,
        expected: Collection[Version] | None = None,
        key: str | None = None,
    ) -> Proceeding:
        """Cancel a round in whose games nobody has given a command. Raises what `act` raises."""
        use = key_use(player, key, ["cancel-round", number, reason])
        if use is not None and (first := await self._first(tournament_id, use)) is not None:
            return first
        # Take the time before looking at the games: what happens in them after it does not matter.
        at = stamp(self._clock)
        round_ = (await self.now(tournament_id)).tournament.field.rounds.get(number)
        games = [table.game for table in round_.tables if table.game is not None] if round_ is not None else []
        played = [game for game in games if next(iter(starts_of_commands(await self._games.records(game))), None)]

        def decide(tournament: Tournament, cause: Cause, _: str) -> Inscribed:
            cancelled = rounds.cancel_round(tournament, number, reason, cause, at)
            if played:
                wrong = f"Players have given commands in {played[0]}."
                right = "A round is cancelled before anybody has; overrule single results instead."
                raise Refusal("TAB-TRN-11", wrong, right, untimely=True)
            return cancelled

        content = ["cancel-round", number, reason]
        return await self.act(tournament_id, player, content, decide, expected=expected, key=key)

    # --- storing ---

    def _state(self, entry: Proceeding) -> tuple[Tournament, str]:
        return entry.tournament, entry.row.title

    def _repeating(self, entry: Proceeding) -> Proceeding:
        return replace(entry, repeated=True)

    async def _append(
        self,
        inscribed: Inscribed,
        expected: Version,
        title: str,
        use: KeyUse | None,
        *,
        seed: bytes | None = None,
        within: Within | None = None,
    ) -> Proceeding:
        tournament = inscribed.tournament
        row = row_of(tournament, title)
        batch = Append(
            tournament.id,
            expected,
            inscribed.records,
            tournament.status,
            key=use,
            tournament=row,
            seed=seed,
            within=within,
        )
        appended = await self._store.append(batch)
        if appended.repeated is not None:
            return await self._repeated(tournament.id, appended.repeated.version)
        self._wake.notify(tournament.id, tournament.version)
        before = self._in_memory.get(tournament.id)
        if expected and (before is None or before.tournament.version != expected):
            return await self.at(tournament.id, tournament.version)
        sheets = sheets_of(before.sheets if before is not None else {}, inscribed.records)
        return self._keep(tournament.id, Proceeding(row, tournament, sheets))


def sheets_of(before: Mapping[int, Sheet], records: Iterable[Record]) -> Mapping[int, Sheet]:
    """Return the remarks on rounds after further records."""
    sheets = dict(before)
    for record in records:
        if record.type not in _OF_SHEETS:
            continue
        match read_event(record):
            case RoundDrafted(number) as drafted:
                sheet = sheets.get(number) or Sheet()
                sheets[number] = replace(sheet, drafts=(*sheet.drafts, drafted))
            case RoundPublished(number) as published:
                sheets[number] = replace(sheets[number], published=published)
            case RoundCancelled(number, reason):
                sheets[number] = replace(sheets.get(number) or Sheet(), cancelled=reason)
            case _:
                pass
    return sheets


def row_of(tournament: Tournament, title: str) -> TournamentRow:
    """Return the row of a tournament for the index."""
    return TournamentRow(
        tournament.id,
        title,
        tournament.regulations.ruleset,
        tournament.status,
        tournament.organizer,
        len(tournament.field.entrants),
        len(tournament.field.played),
        tournament.version,
        tournament.announced,
        tournament.changed,
    )
