"""The judge's desk: everything about one step of a game, for officials and readers."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
from litestar.response import Response
from msgspec import UNSET, Struct

from domain.judging.inspection import draws_in, step_around, way_back
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId, RuleId
from domain.kernel.log.concerns import concerns
from domain.kernel.log.game import Game
from domain.kernel.log.history import cause_of, effective_records, read_around, read_event, starts_of_commands
from domain.kernel.log.lifecycle import GameEnded
from domain.kernel.log.record import Record
from domain.kernel.rules.catalogue import CatalogueError
from domain.kernel.rules.message import in_words
from domain.kernel.rules.ruleset import Ruleset
from service.api.cases.bodies import CaseSummary, case_summary
from service.api.cases.views import rulings_in
from service.api.desk.bodies import InspectedEvent, Inspection, Precedent
from service.api.endpoint import Answer, endpoint
from service.api.play.bodies import AtVersion
from service.api.play.routes import as_past, options_view
from service.api.problems.games import UNKNOWN_GAME, UNKNOWN_VERSION
from service.api.request import Call
from service.api.response import answer, etag
from service.api.rulesets.bodies import RuleView, rule_view
from service.api.rulesets.routes import HOUSE_RULE
from service.api.services import Services
from service.games.views import Viewer, event_view, sees_all_of, viewer_of

PRECEDENTS: Final = 10

OF_A_STEP: Final = 100
"""The most cases about a step that are shown."""


@endpoint(
    "GET",
    "/v1/games/{game:str}/inspection",
    tag="Cases",
    account="optional",
    query=AtVersion,
    answers=(Answer(200, "The step.", Inspection, headers=("ETag",)),),
    problems=(UNKNOWN_GAME, UNKNOWN_VERSION),
)
async def inspect_game(request: Call, game: str) -> Response[bytes]:
    """Inspect a step of a game.

    Everything that a judge needs about the event that made a version: the open decisions, the command with all its
    events, the rules of each event with their sources and our rulings, what else the seat could have done, the dice and
    how likely they were, what going back would cost, the cases about it, and how officials ruled on the same rules
    before. It changes nothing. A seat sees what it may see of the game. Officials see everything, and so does everybody
    when the game is over: then the dice are also computed again from the secret.
    """
    query = request.read_query(AtVersion)
    services, games = request.services, request.services.games
    now = await games.game(GameId(game))
    version = now.version if query.version is None else (await games.at(now.id, query.version)).version
    records = (await games.records(now.id))[: now.version]
    first = step_around(records, version)[0].version
    before = await games.at(now.id, first - 1) if first > 1 else None
    judged = before or await games.at(now.id, first)
    viewer = viewer_of(now, request.caller)
    inspected = inspection(now, before, judged.ruleset, records, version, viewer, await games.vault(now.id))
    about = await services.store.cases(game=now.id, about=(first, inspected.after), limit=OF_A_STEP)
    cases = tuple(map(case_summary, about))
    precedents = await _precedents(services, _rules_of(inspected), cases)
    return answer(msgspec.structs.replace(inspected, cases=cases, precedents=precedents), headers=etag(now.version))


def inspection(
    now: Game,
    before: Game | None,
    ruleset: Ruleset[Any],
    records: Sequence[Record],
    version: int,
    viewer: Viewer,
    vault: Vault,
) -> Inspection:
    """Return everything about the step that made a version, without cases.

    `before` is the game before it, None for the first; `ruleset` judged it; `records` is the whole log; `vault` holds
    all secrets.
    """
    step = step_around(records, version)
    cause, start, end = cause_of(step[0]), step[0].version - 1, step[-1].version
    command = None if cause.command is UNSET else msgspec.json.decode(cause.command, type=_Typed).type
    of_types, counting = concerns(ruleset), {record.version for record in effective_records(records)}
    events = tuple(
        InspectedEvent(
            in_words(read_event(now.ruleset, record), now.names),
            record.version in counting,
            of_types.get(record.type, ()),
            event_view(ruleset.id, record, vault, viewer),
        )
        for record in step
    )
    command_rules = of_types.get(command or "", ())
    decisions = tuple(before.decisions) if before is not None else ()
    rules = [*command_rules, *(rule for event in events for rule in event.rules), *(each.rule for each in decisions)]
    alternatives, seat = None, cause.seat if command is not None else None
    if before is not None and seat is not None and sees_all_of(viewer, seat, records[:start], vault):
        alternatives = options_view(as_past(before, now), seat, vault)
    secret = next(filter(None, map(_published, reversed(records)))) if now.status == "over" else None
    chance = now.chance(bytes.fromhex(secret)) if secret is not None else None
    way = None
    if now.status == "running" and start in starts_of_commands(records):
        way = way_back(start, records, now.ruleset, tuple(now.players))
    return Inspection(
        game=now.id,
        version=version,
        before=start,
        after=end,
        ruleset_version=ruleset.version,
        heading=before.heading if before is not None else "",
        decisions=decisions,
        seat=cause.seat,
        command=command,
        at=step[0].at,
        events=events,
        command_rules=command_rules,
        rules=tuple(_in_full(ruleset, dict.fromkeys(rules))),
        alternatives=alternatives,
        draws=tuple(draws_in(step, now.ruleset, tuple(now.players), chance)),
        commitment=now.commitment,
        entropy=now.entropy,
        secret=secret,
        way_back=way,
        cases=(),
        precedents=(),
    )


class _Typed(Struct):
    type: str


def _published(record: Record) -> str | None:
    """Return the secret that the end of a game publishes; None for other records."""
    event = read_around(record)
    return event.secret if isinstance(event, GameEnded) else None


def _in_full(ruleset: Ruleset[Any], rules: Iterable[RuleId]) -> Iterable[RuleView]:
    own, common = Services.catalogues(ruleset)
    for rule in rules:
        catalogue = common if rule.startswith(HOUSE_RULE) else own
        try:
            yield rule_view(catalogue, catalogue.rule(rule))
        except CatalogueError:  # the rule did not exist in this version of the ruleset
            continue


def _rules_of(inspected: Inspection) -> dict[RuleId, None]:
    """Return the rules of the command and of its events."""
    return dict.fromkeys([*inspected.command_rules, *(rule for event in inspected.events for rule in event.rules)])


async def _precedents(
    services: Services, rules: Iterable[RuleId], without: Sequence[CaseSummary]
) -> tuple[Precedent, ...]:
    """Return the newest cases with rulings on any of `rules`, in all games, except the cases in `without`."""
    case_ids = {case.case for case in without}
    cases_found = await services.store.precedents(list(rules), PRECEDENTS + len(case_ids))
    rows = [row for row in cases_found if row.case not in case_ids][:PRECEDENTS]
    rulings = await services.store.rulings([row.case for row in rows])
    return tuple(Precedent(case_summary(row), rulings_in(rulings[row.case])) for row in rows)
