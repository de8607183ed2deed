"""Reading the stream of a tournament."""

from collections.abc import Sequence
from typing import Any, Final, Union, cast

import msgspec

from domain.kernel.ids import TournamentId
from domain.kernel.log.history import cause_of
from domain.kernel.log.record import Record
from domain.tournament.events import TOURNAMENT_EVENTS, TournamentAnnounced, TournamentEvent
from domain.tournament.tournament import Tournament, copied, tournament_from

_decoder: Final[msgspec.json.Decoder[Any]] = msgspec.json.Decoder(cast(Any, Union[TOURNAMENT_EVENTS]))  # noqa: UP007


def read_event(record: Record) -> TournamentEvent:
    """Return the event of a record of a tournament. Raises `msgspec.ValidationError`."""
    return _decoder.decode(record.event)


def fold(tournament_id: TournamentId, records: Sequence[Record]) -> Tournament:
    """Return the tournament after `records`, its stream from version 1 on.

    Raises:
        msgspec.ValidationError: a record is no event of a tournament, or the first one does not announce it.
    """
    announced = msgspec.json.decode(records[0].event, type=TournamentAnnounced)
    tournament = tournament_from(tournament_id, announced, records[0], cause_of(records[0]))
    for record in records[1:]:
        tournament.happen(read_event(record), record)
    return tournament


def fold_on(tournament: Tournament, records: Sequence[Record]) -> Tournament:
    """Return a tournament after `records`, which follow its version; the one that is given stays as it is.

    Raises:
        msgspec.ValidationError: a record is no event of a tournament.
    """
    after = copied(tournament)
    for record in records:
        after.happen(read_event(record), record)
    return after
