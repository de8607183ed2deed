"""Reading the stream of a case, and collecting the facts of its game."""

from collections.abc import Collection, Sequence
from typing import Any, Final, Union, cast

import msgspec

from domain.judging.case import Case, case_from
from domain.judging.events import CASE_EVENTS, CaseEvent, CaseOpened
from domain.judging.facts import Facts
from domain.kernel.ids import CaseId, GameId, RuleId
from domain.kernel.log.game import Game
from domain.kernel.log.history import cause_of, starts_of_commands
from domain.kernel.log.record import Record
from domain.kernel.rules.catalogue import CatalogueError
from domain.kernel.rules.loading import common_rules
from domain.kernel.rules.ruleset import Ruleset

_decoder: Final[msgspec.json.Decoder[Any]] = msgspec.json.Decoder(cast(Any, Union[CASE_EVENTS]))  # noqa: UP007


def read_event(record: Record) -> CaseEvent:
    """Return the event of a record of a case. Raises `msgspec.ValidationError`."""
    return _decoder.decode(record.event)


def fold(case_id: CaseId, records: Sequence[Record]) -> Case:
    """Return the case after `records`, its stream from version 1 on.

    Raises:
        msgspec.ValidationError: a record is no event of a case, or the first one does not open it.
    """
    opened = msgspec.json.decode(records[0].event, type=CaseOpened)
    cause = cause_of(records[0])
    case = case_from(case_id, opened, records[0], cause)
    for record in records[1:]:
        cause = cause_of(record) if record.cause is not None else cause
        case.happen(read_event(record), record, cause)
    return case


def facts_of(game: Game, records: Sequence[Record], continuations: Collection[GameId] = ()) -> Facts:
    """Return the facts of a game for its cases.

    `records` is its whole log, and `continuations` are the forks that were made to continue it.
    """
    return Facts(
        game=game.id,
        version=game.version,
        hash=game.head.hex(),
        status=game.status,
        seats={seat: holder for seat, holder in game.players.items() if holder is not None},
        held=game.around.seated,
        officials=[player for player, holds in game.around.officials.items() if holds],
        knows=lambda rule: knows(game.ruleset, rule),
        starts=lambda: starts_of_commands(records),
        out=game.ruleset.out(game.table) if game.table is not None else (),
        given_up=game.around.given_up,
        paused=game.around.paused is not None,
        continuations=continuations,
    )


def knows(ruleset: Ruleset[Any], rule: RuleId) -> bool:
    """Tell whether a rule exists in a ruleset, or is a rule of the service."""
    for catalogue, holds in ((ruleset.catalogue, ruleset.id), (common_rules(), "*")):
        try:
            if catalogue.rule(rule).holds_in(holds):
                return True
        except CatalogueError:
            continue
    return False
