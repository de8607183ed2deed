"""The views of a case, by viewer."""

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET, Raw

from domain.judging.events import Ruled, RuledFinally
from domain.judging.fold import read_event
from domain.kernel.log.game import Game
from domain.kernel.log.history import cause_of
from domain.kernel.log.record import Record
from domain.kernel.rules.message import Names, in_words
from service.api.cases.bodies import CaseDetail, CaseEventView, CaseRefusal, CaseRuling, CaseStatement, case_summary
from service.api.problems.play import refused
from service.api.request import Call
from service.games.views import viewer_of
from service.judging.desk import Docket


def event_view(record: Record, names: Names) -> CaseEventView:
    """Return the body of a record of a case."""
    event: Any = read_event(record)
    return CaseEventView(
        version=record.version,
        type=record.type,
        text=in_words(event, names),
        at=record.at,
        schema=record.schema,
        draws=record.draws,
        event=event,
        hash=record.hash.hex(),
        cause=Raw(record.cause) if record.cause is not None else None,
    )


async def detail(request: Call, docket: Docket) -> CaseDetail:
    """Return a case as the caller may see it."""
    services, opened = request.services, docket.case.opened
    game = await services.games.game(opened.game)
    viewer = viewer_of(game, request.caller)
    reads = await may_read(request, docket, game)
    refusal = None
    if viewer.everything or viewer.seat == docket.case.seat:
        refusal_found = await services.desk.refusal(docket)
        problem = refused(refusal_found, services.catalogues(game.ruleset)) if refusal_found is not None else None
        if refusal_found is not None and problem is not None:
            members = problem.members
            refusal = CaseRefusal(
                refusal_found.rule, members["rule_title"], members["source"], problem.detail, problem.allowed
            )
    return case_detail(docket, refusal, reads=reads)


async def may_read(request: Call, docket: Docket, game: Game | None = None) -> bool:
    """Tell whether the caller may read statements: a seat or an official, and everybody after the game."""
    game = game or await request.services.games.game(docket.case.game)
    viewer = viewer_of(game, request.caller)
    return viewer.everything or viewer.seat is not None


def case_detail(docket: Docket, refusal: CaseRefusal | None, *, reads: bool) -> CaseDetail:
    """Return a case as a viewer may see it; `reads` says whether they may read statements."""
    case, opened = docket.case, docket.case.opened
    statements = list[CaseStatement]()
    for version, statement in docket.kept.items():
        record, written = docket.records[version - 1], docket.written(version) if reads else None
        statements.append(
            CaseStatement(
                version,
                record.type,  # pyrefly: ignore[bad-argument-type]  # the type of a statement
                case.writers[version],
                record.at,
                case.commitments[version],
                written.text if written is not None else None,
                statement.salt if written is not None else None,
                statement.erased,
            )
        )
    return CaseDetail(
        case_summary(case.row),
        opened.version,
        opened.hash,
        None if opened.command is UNSET else opened.command,
        refusal,
        tuple(statements),
        tuple(sorted(case.consents)),
        rulings_in(docket.records),
        docket.repeated,
    )


def rulings_in(records: Iterable[Record]) -> tuple[CaseRuling, ...]:
    """Return the rulings among records of a case."""
    return tuple(
        CaseRuling(record.version, cause_of(record).account, record.at, isinstance(event, RuledFinally), event)
        for record in records
        if isinstance(event := read_event(record), Ruled)
    )
