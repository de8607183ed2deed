"""The follower: it reads the log of all streams, and writes the deliveries for webhooks, devices and mailboxes.

It commits deliveries and the place up to which it has read together, by compare-and-set. The events that a webhook gets
follow from the log alone, so a process that reads a part again makes the same deliveries, with the same ids.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import lru_cache
from typing import Any, Final, Protocol

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.judging.fold import read_event as read_case_event
from domain.kernel.ids import (
    CaseId,
    GameId,
    PlayerId,
    Seat,
    StreamId,
    TournamentId,
    Version,
    is_case,
    is_league,
    is_tournament,
)
from domain.kernel.log.game import Game
from domain.kernel.log.history import cause_of, read_around
from domain.kernel.log.lifecycle import AnswerGiven, OfficialNamed
from domain.kernel.log.record import Record
from domain.kernel.log.seated import SeatAssigned, SeatOffered
from domain.kernel.rules.message import type_name
from projections.cursor import Cursor, UnknownCursor
from projections.cursor import Place as LogPlace
from projections.store import Unavailable
from service.accounts.caller import Caller
from service.base.clock import Clock, later, stamp
from service.cluster.lease import Lease
from service.games.cache import UnknownGame, UnknownVersion
from service.games.games import Games
from service.observe.logging import log
from service.store.protocol import ArchiveAway, EventStore, StoreError, StreamDamaged
from service.store.webhooks import PERSONAL, DeliveryId, DeliveryRow, HookId, HookRow, Place
from service.webhooks.events import AWAITED, MOST_EVENTS, MOVED, OF_CASES, OF_GAMES, WebhookData, WebhookEvent, wants
from service.webhooks.personal import NOTICE, WAITS, concerned, noticed
from service.webhooks.secrets import digest
from service.webhooks.tournaments import Tournaments

BATCH: Final = 500
"""The most records that are read at once."""

SPARED: Final = 2000
"""The number of positions without a delivery after which the place in the log is stored all the same."""

POLL: Final = 1.0
"""The most seconds between two looks at the log, even if the bell has not rung."""

GATHER: Final = 0.05
"""Seconds between two reads, so that the events of a busy moment share a commit."""

KEPT: Final = 20_000
"""The most games whose members, and whose open decisions, stay in memory."""

_GIVEN: Final = type_name(AnswerGiven)

OpenDecisions = Mapping[Seat, frozenset[bytes]]
"""The decisions that each active seat has to make."""


class Bell(Protocol):
    """Wakes the follower when something was appended to the log."""

    closed: bool

    async def wait(self, seconds: float | None = None) -> bool:
        """Return True when it has rung since the last wait, False after `seconds` without."""
        ...


class Ear(Struct, frozen=True):
    """An active webhook for the follower: its owner, and the place in the log from which it gets events."""

    row: HookRow
    owner: Caller
    since: Cursor


class Step(Struct, frozen=True):
    """The records of one act, and the place of the first in the log."""

    place: LogPlace
    records: Sequence[Record]

    @property
    def last(self) -> Record:
        return self.records[-1]

    @property
    def before(self) -> Version:
        return self.records[0].version - 1


class Follower:
    """Writes the deliveries of the events in the log. One process at a time does this."""

    def __init__(
        self,
        store: EventStore,
        games: Games,
        clock: Clock,
        lease: Lease,
        public_url: str,
        written: Callable[[], None] = lambda: None,
    ) -> None:
        """`written` is called when there are new deliveries."""
        self._store = store
        self._hooks = store.webhooks
        self._games = games
        self._clock = clock
        self._lease = lease
        self._public_url = public_url.rstrip("/")
        self._written = written
        self._place: Place | None = None
        self._reached = Cursor.start(store.books)
        self._all: list[Ear] = []
        self._persons: Mapping[PlayerId, Sequence[Ear]] = {}
        """Devices and mailboxes that want notices, by owner."""
        self._listed, self._listed_at = -1, 0.0
        """The place for which the webhooks were listed, and the time."""
        self._owners: frozenset[PlayerId] = frozenset()
        self._members: OrderedDict[GameId, frozenset[PlayerId]] = OrderedDict()
        self._tournaments = Tournaments(store)
        self._decisions: OrderedDict[GameId, tuple[Version, OpenDecisions]] = OrderedDict()

    async def run(self, bell: Bell) -> None:
        """Follow the log until the bell is closed. Other processes may do the same; one works at a time."""
        last_trouble = ""
        try:
            while not bell.closed:
                more: bool | None = None
                try:
                    more, last_trouble = await self.turn(), ""
                except (StoreError, Unavailable) as error:
                    if str(error) != last_trouble:
                        last_trouble = str(error)
                        log.warning("webhooks wait", why=last_trouble)
                except Exception:  # unexpected: try again
                    log.exception("webhooks wait")
                if more is None:  # another process does it, or there is no webhook
                    await asyncio.sleep(POLL)
                elif more:
                    await asyncio.sleep(0)
                else:
                    await bell.wait(POLL)
                    await asyncio.sleep(GATHER)
        finally:
            with suppress(Unavailable):
                await self._lease.give_back()

    async def turn(self) -> bool | None:
        """Read on in the log; tell whether there may be more, or None if another process reads or no webhook is on.

        Raises `StoreError` or `Unavailable`.
        """
        if not await self._lease.is_held():
            self._place = None
            return None
        place = await self._hooks.place()
        if place != self._place:
            if not (ears := await self._ears_at(place)):
                return self._rest()
            await self._take_up(place, ears)
        records, end = await self._store.read_on(self._reached, BATCH)
        if not records and end == self._reached:
            return False
        # List the webhooks only now: a thousand take 20 ms, too much for every second without news.
        if not (ears := await self._ears_at(place)):
            return self._rest()
        deliveries = await self._deliveries(records, ears)
        if deliveries or _parsed(place.place, self._store.books).distance(end) >= SPARED:
            if not await self._hooks.advance(place, str(end), deliveries):
                self._place = None
                return True
            self._place = Place(str(end), place.changes)
            if deliveries:
                self._written()
        self._reached = end
        return True

    def _rest(self) -> None:
        """Forget the place in the log, because no webhook is on."""
        self._place = None

    async def _take_up(self, place: Place, ears: Sequence[Ear]) -> None:
        """Begin at the stored place, or at the earliest place from which a webhook gets events, if that is later."""
        stored = _parsed(place.place, self._store.books)
        first = [min(positions) for positions in zip(*(ear.since.positions for ear in ears), strict=True)]
        start = Cursor(tuple(map(max, stored.positions, first)))
        end = await self._store.end()
        if not end.reaches(start):
            log.warning("webhooks go on at the end of the log, which was restored from an older copy")
            start = end
        self._place, self._reached = place, start

    async def _ears_at(self, place: Place) -> list[Ear]:
        """Return the active webhooks. One that was just switched on is among them; other changes may take a moment."""
        now = time.monotonic()
        if place.changes != self._listed or now > self._listed_at + POLL:
            self._listed, self._listed_at = place.changes, now
            self._all = list(self._ears(await self._hooks.active()))
            self._persons = _by_player(self._all)
        return self._all

    def _ears(self, active: Iterable[tuple[HookRow, Collection[Any]]]) -> Iterator[Ear]:
        owners = set[PlayerId]()
        for row, granted in active:
            scopes = frozenset(granted)
            if "notify" not in scopes or (row.about == "service" and "audit" not in scopes):
                continue
            if row.about == "account":
                owners.add(row.player)
            yield Ear(row, Caller(row.player, scopes, scopes, None, b""), _parsed(row.since, self._store.books))
        if owners != self._owners:
            self._owners = frozenset(owners)
            self._members.clear()

    # --- deliveries -----

    async def _deliveries(
        self, records: Iterable[tuple[LogPlace, StreamId, Record]], ears: Sequence[Ear]
    ) -> list[DeliveryRow]:
        streams: dict[StreamId, list[tuple[LogPlace, Record]]] = {}
        for place, stream, record in records:
            if is_league(stream):
                continue  # there are no deliveries about leagues yet
            streams.setdefault(stream, []).append((place, record))
        deliveries = list[DeliveryRow]()
        for stream, placed in streams.items():
            try:
                if is_tournament(stream):
                    deliveries += await self._of_tournament(TournamentId(stream), placed, ears)
                elif is_case(stream):
                    deliveries += await self._of_case(CaseId(stream), placed, ears)
                else:
                    deliveries += await self._of_game(GameId(stream), placed, ears)
            except (StreamDamaged, ArchiveAway, UnknownGame, UnknownVersion) as error:
                # One game must not stop the others.
                log.error("webhooks leave out what happened", stream=stream, why=str(error))
            await asyncio.sleep(0)
        return deliveries

    async def _of_case(
        self, case: CaseId, placed: Sequence[tuple[LogPlace, Record]], ears: Sequence[Ear]
    ) -> list[DeliveryRow]:
        row, deliveries = await self._store.case(case), list[DeliveryRow]()
        if row is None:
            return deliveries
        listening = [ear for ear in await self._listening(row.game, ears) if ear.row.form not in PERSONAL]
        for place, record in placed if self._persons else ():
            deliveries += await self._noticed(place, record, read_case_event(record), row.game, case)
        for place, record in placed if listening else ():
            data = WebhookData(game=row.game, case=case, version=record.version, address=self._at(f"/v1/cases/{case}"))
            if (kind := OF_CASES.get(record.type)) is not None:
                deliveries += self._to(listening, place, case, WebhookEvent(kind, record.at, data))
        return deliveries

    async def _of_tournament(
        self, tournament: TournamentId, placed: Sequence[tuple[LogPlace, Record]], ears: Sequence[Ear]
    ) -> list[DeliveryRow]:
        programs = [ear for ear in ears if ear.row.form not in PERSONAL and ear.row.about != "game"]
        programs = [ear for ear in programs if ear.row.about != "tournament" or ear.row.subject == tournament]
        deliveries, address = list[DeliveryRow](), self._at(f"/v1/tournaments/{tournament}")
        for place, record in placed if programs or self._persons else ():
            messages = await self._tournaments.messages_about(tournament, record, address)
            hearing = [ear for ear in programs if ear.row.about != "account" or ear.row.player in messages.parties]
            deliveries += self._to(hearing, place, tournament, messages.event)
            if (notice := messages.notice) is not None:
                for player in messages.persons:
                    deliveries += self._to(self._persons.get(player, ()), place, tournament, notice)
        return deliveries

    async def _of_game(
        self, game: GameId, placed: Sequence[tuple[LogPlace, Record]], ears: Sequence[Ear]
    ) -> list[DeliveryRow]:
        await self._games.arrive(game, placed[-1][1].version)
        if any(record.type in OF_GAMES for _, record in placed):
            self._members.pop(game, None)
        listening = await self._listening(game, ears)
        deliveries = list[DeliveryRow]()
        for place, record in placed if self._persons else ():
            if record.type in OF_GAMES and (event := read_around(record)) is not None:
                deliveries += await self._noticed(place, record, event, game, None)
        programs = [ear for ear in listening if ear.row.form not in PERSONAL]
        for step in await self._steps(game, placed) if listening else ():
            for kind, record, data in self._visible_events(game, step) if programs else ():
                deliveries += self._to(programs, step.place, game, WebhookEvent(kind, record.at, data))
            awaiting = [ear for ear in listening if wants(ear.row.events, AWAITED)]
            if awaiting:
                deliveries += await self._awaited(game, step, awaiting)
        return deliveries

    def _visible_events(self, game: GameId, step: Step) -> Iterator[tuple[str, Record, WebhookData]]:
        """Yield the events of a step that everybody who may read the game gets: type, record and data."""
        address, moves = self._at(f"/v1/games/{game}"), list[str]()
        for record in step.records:
            if (kind := OF_GAMES.get(record.type)) is not None:
                yield kind, record, WebhookData(game=game, version=record.version, address=address)
            else:
                moves.append(record.type)
        if moves:
            events = tuple(dict.fromkeys(moves))[:MOST_EVENTS]
            address = self._at(f"/v1/games/{game}/events?after={step.before}")
            data = WebhookData(game=game, version=step.last.version, after=step.before, events=events, address=address)
            yield MOVED, step.last, data

    async def _awaited(self, game: GameId, step: Step, listening: Sequence[Ear]) -> list[DeliveryRow]:
        """Return the deliveries that say which seats have something new to decide after a step."""
        before, after = await self._asked_at(game, step.before), await self._asked_at(game, step.last.version)
        # The seat that acted knows what it has to decide next.
        cause = cause_of(step.records[0])
        is_given = cause.by is not None or any(record.type == _GIVEN for record in step.records)
        mover = None if is_given else cause.seat
        none = frozenset[bytes]()
        new_seats = tuple(seat for seat, what in after.items() if seat != mover and what - before.get(seat, none))
        if not new_seats:
            return []
        state = await self._games.at(game, step.last.version)
        deliveries = list[DeliveryRow]()
        for ear in listening:
            theirs = [seat for seat in new_seats if state.players.get(seat) == ear.row.player]
            seats = tuple(theirs) if ear.row.about == "account" else new_seats
            data = WebhookData(game=game, version=step.last.version, seats=seats, address=self._at(f"/v1/games/{game}"))
            if seats:
                deliveries += self._to([ear], step.place, game, WebhookEvent(AWAITED, step.last.at, data))
        return deliveries

    async def _noticed(
        self, place: LogPlace, record: Record, event: Any, game: GameId, case: CaseId | None
    ) -> list[DeliveryRow]:
        """Return the deliveries of the notice of an event to devices and mailboxes."""
        rematch = isinstance(event, SeatAssigned) and (await self._games.game(game)).rematch_of is not None
        notice = noticed(record, event, game, case, rematch=rematch)
        if notice is None:
            return []
        notice_event, audience = notice
        if case is not None:
            games = (await self._games.game(game),)
        else:
            versions = filter(None, (record.version - 1, record.version))
            games = tuple([await self._games.at(game, version) for version in versions])
        actor, deliveries = cause_of(record).player, list[DeliveryRow]()
        for player in concerned(games, audience, _addressed(event)) - {actor}:
            ears = self._persons.get(player, ())
            if ears and await self._games.is_shown(game, ears[0].owner):
                deliveries += self._to(ears, place, case if case is not None else game, notice_event)
        return deliveries

    async def _asked_at(self, game: GameId, version: Version) -> OpenDecisions:
        entry = self._decisions.get(game)
        if entry is not None and entry[0] == version:
            return entry[1]
        decisions = _decisions_by_seat(await self._games.at(game, version)) if version else {}
        self._decisions[game] = version, decisions
        self._decisions.move_to_end(game)
        if len(self._decisions) > KEPT:
            self._decisions.popitem(last=False)
        return decisions

    async def _steps(self, game: GameId, placed: Sequence[tuple[LogPlace, Record]]) -> list[Step]:
        """Return the steps that begin among these records of a game, each with all of its records."""
        steps = list[tuple[LogPlace, list[Record]]]()
        for place, record in placed:
            if record.cause is not None or record.version == 1:
                steps.append((place, [record]))
            elif steps:  # the step began in records that were read before
                steps[-1][1].append(record)
        if steps:
            records = steps[-1][1]
            while (following := await self._store.read(game, records[-1].version, 100)) and following[0].cause is None:
                for record in following:
                    if record.cause is not None:
                        break
                    records.append(record)
        return [Step(place, records) for place, records in steps]

    # --- to whom ---

    async def _listening(self, game: GameId, ears: Sequence[Ear]) -> list[Ear]:
        """Return the webhooks that get the events of a game: they want them, and their owners may read the game."""
        members = await self._members_of(game) if self._owners else frozenset[PlayerId]()
        listening, visibility = list[Ear](), dict[PlayerId | None, bool]()
        for ear in ears:
            row = ear.row
            if row.about == "tournament" or (row.about == "game" and row.subject != game):
                continue
            if row.about == "account" and row.player not in members:
                continue
            # Webhooks for all games get only what everybody may read.
            caller = None if row.about == "service" else ear.owner
            who = caller.player if caller is not None else None
            if who not in visibility:
                visibility[who] = await self._games.is_shown(game, caller)
            if visibility[who]:
                listening.append(ear)
        return listening

    async def _members_of(self, game: GameId) -> frozenset[PlayerId]:
        """Return the members of a game who own a webhook about their account."""
        members = self._members.get(game)
        if members is None:
            state = await self._games.game(game)
            members = frozenset(filter(state.lets_in, self._owners))
            self._members[game] = members
            if len(self._members) > KEPT:
                self._members.popitem(last=False)
        return members

    def _to(self, ears: Iterable[Ear], place: LogPlace, stream: StreamId, event: WebhookEvent) -> Iterator[DeliveryRow]:
        """Yield the deliveries of an event to the webhooks that want it and were on when it happened."""
        now, version = stamp(self._clock), str(event.data.version)
        for ear in ears:
            if wants(ear.row.events, event.type) and not ear.since.has(place):
                delivery = delivery_of(ear.row.webhook, event, now, stream, version)
                wait = WAITS[ear.row.form] if ear.row.form in PERSONAL else timedelta()
                yield replace(delivery, due=max(later(now, wait), ear.row.hold))

    def _at(self, path: str) -> str:
        return f"{self._public_url}{path}"


def delivery_of(webhook: HookId, event: WebhookEvent, now: str, *about: str) -> DeliveryRow:
    """Return the delivery of an event to a webhook. `about` distinguishes it from other events of its type."""
    delivery = DeliveryId("d" + digest(webhook, event.type, *about))
    return DeliveryRow(delivery, webhook, event.type, event.encoded(), now, now)


def _by_player(ears: Iterable[Ear]) -> dict[PlayerId, list[Ear]]:
    """Return the devices and mailboxes that want notices, by owner."""
    by_player: dict[PlayerId, list[Ear]] = {}
    for ear in ears:
        if ear.row.form in PERSONAL and any(each.startswith(NOTICE) for each in ear.row.events):
            by_player.setdefault(ear.row.player, []).append(ear)
    return by_player


def _addressed(event: Any) -> PlayerId | None:
    """Return the account to which an event is addressed."""
    match event:
        case SeatOffered(_, to) if to is not UNSET:
            return to
        case OfficialNamed(player):
            return player
        case _:
            return None


def _decisions_by_seat(game: Game) -> OpenDecisions:
    """Return the open decisions of each seat; empty unless the game is running, and for an analysis."""
    if game.status != "running" or game.is_analysis:
        return {}
    questions: dict[Seat, set[bytes]] = {}
    for decision in game.decisions:
        what = msgspec.json.encode([decision.kind, decision.rule, decision.about], order="deterministic")
        for seat in decision.seats:
            questions.setdefault(seat, set()).add(what)
    return {seat: frozenset(what) for seat, what in questions.items()}


@lru_cache(maxsize=4096)
def _parsed(text: str, books: int) -> Cursor:
    """Return a place in the log; its start for an empty text, and for a place of another store."""
    try:
        return Cursor.parse(text or None, books)
    except UnknownCursor:
        return Cursor.start(books)
