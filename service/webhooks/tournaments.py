"""Messages about events of tournaments: for webhooks, and as notices for people."""

from collections import OrderedDict
from collections.abc import Collection, Iterable
from typing import Final

from msgspec import Struct

from domain.kernel.ids import PlayerId, TournamentId, Version
from domain.kernel.log.history import cause_of
from domain.kernel.log.record import Record
from domain.tournament.events import TournamentEvent
from domain.tournament.fold import fold, fold_on, read_event
from domain.tournament.tournament import Tournament
from projections.tournaments import ADDRESSED, DIRECTOR, PLAYER, addressed, table_of, told_of
from service.store.protocol import EventStore
from service.webhooks.events import OF_TOURNAMENTS, WebhookData, WebhookEvent
from service.webhooks.personal import NOTICE

KEPT: Final = 16
"""The most tournaments that stay in memory: those that were used last."""


class Messages(Struct, frozen=True):
    """The messages about an event of a tournament.

    Attributes:
        event: the event for webhooks.
        parties: the players and directors of the tournament, before or after the event.
        notice: the notice for people; None if there is none.
        persons: the accounts that get the notice.
    """

    event: WebhookEvent
    parties: frozenset[PlayerId]
    notice: WebhookEvent | None
    persons: frozenset[PlayerId]


class Tournaments:
    """Makes the messages about events, from the tournaments as they were before and after each."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._in_memory: OrderedDict[TournamentId, Tournament] = OrderedDict()

    async def messages_about(self, tournament: TournamentId, record: Record, address: str) -> Messages:
        """Return the messages about a record of a tournament. Raises `StoreError`."""
        event = read_event(record)
        versions = filter(None, (record.version - 1, record.version))
        states = [await self._at(tournament, version) for version in versions]
        where, notice = WebhookData(tournament=tournament, version=record.version), told_of(event)
        kind, audience = notice or ("", "")
        return Messages(
            WebhookEvent(
                OF_TOURNAMENTS[record.type],
                record.at,
                WebhookData(tournament=tournament, version=record.version, address=address),
            ),
            _having(PLAYER, event, states) | _having(DIRECTOR, event, states),
            WebhookEvent(f"{NOTICE}{kind}", record.at, where) if notice is not None else None,
            _having(audience, event, states) - {cause_of(record).player},
        )

    async def _at(self, tournament: TournamentId, version: Version) -> Tournament:
        state = self._in_memory.get(tournament)
        if state is None or state.version > version:
            state = fold(tournament, await self._store.read(tournament, 0, version))
        elif state.version < version:
            state = fold_on(state, await self._store.read(tournament, state.version, version - state.version))
        self._in_memory[tournament] = state
        self._in_memory.move_to_end(tournament)
        if len(self._in_memory) > KEPT:
            self._in_memory.popitem(last=False)
        return state


def _having(audience: str, event: TournamentEvent, states: Collection[Tournament]) -> frozenset[PlayerId]:
    """Return the accounts that have the roles of an audience, before an event or after it."""
    match audience:
        case "":
            return frozenset()
        case _ if audience == ADDRESSED:
            return frozenset(addressed(event))
        case _ if audience == DIRECTOR:
            return frozenset(player for state in states for player in state.directors)
        case _ if audience == PLAYER:
            return frozenset(each.player for state in states for each in state.field.entrants.values() if not each.out)
        case _:
            return frozenset(player for state in states for player in _at_tables(audience, state))


def _at_tables(audience: str, tournament: Tournament) -> Iterable[PlayerId]:
    """Yield the players who sit at the tables of an audience, who sat there, or who have a bye in it."""
    for played in tournament.field.rounds.values():
        if table_of(played.number, 0) in audience:
            yield from played.byes
        for table in played.tables:
            if table_of(played.number, table.number) in audience:
                yield from (*table.players, *table.away)
