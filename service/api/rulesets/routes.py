"""The endpoints for rulesets: their boards and documents, their rules, the schemas of their commands and events."""

import asyncio
from typing import Any, Final

from litestar.response import Response
from msgspec.structs import asdict

from domain.kernel.log.concerns import concerns
from domain.kernel.rules.catalogue import Rule, UnknownRuleError
from domain.kernel.rules.documents import remarks_of
from domain.kernel.rules.message import type_name
from domain.kernel.rules.ruleset import Ruleset
from projections import sightings
from service.api.bodies import Nothing, Page
from service.api.downloads import STILL_THE_SAME, cacheable
from service.api.endpoint import Answer, endpoint
from service.api.paging import page_of
from service.api.problems.problem import Problem
from service.api.problems.rulesets import UNKNOWN_DOCUMENT, UNKNOWN_RULE, UNKNOWN_RULESET
from service.api.request import Call
from service.api.response import answer, encode
from service.api.rulesets import schemas
from service.api.rulesets.bodies import (
    AtWorkPage,
    BoardView,
    Chapter,
    CitedSource,
    DocumentView,
    OfVersion,
    RulePage,
    RulesetDetail,
    RulesetPage,
    RulesPage,
    RuleView,
    ScenarioPage,
    Schemas,
    board_view,
    document_view,
    rule_at_work,
    rule_view,
    ruleset_summary,
    ruleset_versions,
)
from service.api.rulesets.scenarios import scenarios_of

HOUSE_RULE: Final = "TAB-"

AT_WORK: Final = 20
"""The most games that are listed for a rule: the newest."""


@endpoint("GET", "/v1/rulesets", tag="Rulesets", query=Page, answers=(Answer(200, "The rulesets.", RulesetPage),))
async def list_rulesets(request: Call) -> Response[bytes]:
    """List rulesets.

    Lists every ruleset that you can play by, with its numbers of players.
    """
    library = request.services.library
    page = request.read_query(Page)
    items, after = page_of(
        [ruleset_summary(library.current(id_)) for id_ in library.ids()], lambda ruleset: ruleset.id, page
    )
    return answer(RulesetPage(items, after))


@endpoint(
    "GET",
    "/v1/rulesets/{ruleset:str}",
    tag="Rulesets",
    headers=("If-None-Match",),
    answers=(Answer(200, "The ruleset.", RulesetDetail, headers=("ETag",)), STILL_THE_SAME),
    problems=(UNKNOWN_RULESET,),
)
async def show_ruleset(request: Call, ruleset: str) -> Response[bytes]:
    """Show a ruleset.

    Shows its seats, chapters and sources, its versions, and what the creator of a game may choose.
    """
    request.read_query(Nothing)
    return cacheable(request, encode(await asyncio.to_thread(ruleset_detail, ruleset_in_path(request, ruleset))))


@endpoint(
    "GET",
    "/v1/rulesets/{ruleset:str}/board",
    tag="Rulesets",
    headers=("If-None-Match",),
    answers=(Answer(200, "The board.", BoardView, headers=("ETag",)), STILL_THE_SAME),
    problems=(UNKNOWN_RULESET,),
)
async def show_board(request: Call, ruleset: str) -> Response[bytes]:
    """Show the board of a ruleset.

    Shows areas, borders, straits, coasts and values, with their sources. You can create a game on a corrected copy.
    """
    request.read_query(Nothing)
    return cacheable(request, encode(board_view(request.services.boards(ruleset_in_path(request, ruleset).board))))


@endpoint(
    "GET",
    "/v1/rulesets/{ruleset:str}/documents/{document:str}",
    tag="Rulesets",
    headers=("If-None-Match",),
    answers=(Answer(200, "The document.", DocumentView, headers=("ETag",)), STILL_THE_SAME),
    problems=(UNKNOWN_RULESET, UNKNOWN_DOCUMENT),
)
async def show_document(request: Call, ruleset: str, document: str) -> Response[bytes]:
    """Show a document of a ruleset.

    Shows what a game is played with besides its board, such as a deck of cards, unless the game brings its own. You can
    create a game with a corrected copy.
    """
    request.read_query(Nothing)
    played = ruleset_in_path(request, ruleset)
    own = played.own_document(document) if document in played.documents else None
    return cacheable(request, encode(document_view(played, document, own)))


@endpoint(
    "GET",
    "/v1/rulesets/{ruleset:str}/rules",
    tag="Rulesets",
    query=RulesPage,
    answers=(Answer(200, "The rules.", RulePage),),
    problems=(UNKNOWN_RULESET,),
)
async def list_rules(request: Call, ruleset: str) -> Response[bytes]:
    """List the rules of a ruleset.

    Lists numbered statements in the order of the chapters, with their sources, their ambiguities and our rulings.
    Refusals and decisions name rules by their ids. `version` shows the rules as that version of the ruleset has them.
    """
    page = request.read_query(RulesPage)
    played = ruleset_in_path(request, ruleset, page.version)
    rules = [rule for rule in played.catalogue.for_ruleset(played.id) if _is_wanted(rule, page)]
    items, after = page_of(rules, lambda rule: rule.id, page)
    return answer(RulePage(tuple(rule_view(played.catalogue, rule) for rule in items), after))


@endpoint(
    "GET",
    "/v1/rulesets/{ruleset:str}/rules/{rule:str}",
    tag="Rulesets",
    query=OfVersion,
    answers=(Answer(200, "The rule.", RuleView),),
    problems=(UNKNOWN_RULESET, UNKNOWN_RULE),
)
async def show_rule(request: Call, ruleset: str, rule: str) -> Response[bytes]:
    """Show a rule.

    Shows what it says, where that is written, and how we rule where the source leaves something open. Rules such as
    `TAB-UNDO-01` are ours and hold in every ruleset. `version` shows the rule as that version of the ruleset has it.
    """
    played = ruleset_in_path(request, ruleset, request.read_query(OfVersion).version)
    return answer(_rule(request, played, rule))


@endpoint(
    "GET",
    "/v1/rulesets/{ruleset:str}/rules/{rule:str}/scenarios",
    tag="Rulesets",
    query=OfVersion,
    answers=(Answer(200, "The scenarios.", ScenarioPage),),
    problems=(UNKNOWN_RULESET, UNKNOWN_RULE),
)
async def list_scenarios(request: Call, ruleset: str, rule: str) -> Response[bytes]:
    """List the scenarios of a rule.

    Lists the conformance scenarios that test the rule in this ruleset: each gives a position, commands and what must
    happen. Every test run checks them. `version` lists those of that version of the ruleset. One page holds them all.
    """
    played = ruleset_in_path(request, ruleset, request.read_query(OfVersion).version)
    rule = _rule(request, played, rule).id
    return answer(ScenarioPage(await asyncio.to_thread(scenarios_of, played, rule), None))


@endpoint(
    "GET",
    "/v1/rulesets/{ruleset:str}/rules/{rule:str}/games",
    tag="Rulesets",
    answers=(Answer(200, "The games.", AtWorkPage),),
    problems=(UNKNOWN_RULESET, UNKNOWN_RULE),
)
async def list_games_of_rule(request: Call, ruleset: str, rule: str) -> Response[bytes]:
    """List games that show a rule at work.

    Lists games of this ruleset in which an event concerned the rule, the newest first, each with the first such
    version. That version may have been taken back, but you can still look at it. Unlisted games and forks are left out.
    One page holds the newest 20 games. The list may be a moment behind the games.
    """
    request.read_query(Nothing)
    played, services = ruleset_in_path(request, ruleset), request.services
    rule = _rule(request, played, rule).id
    kinds = [kind for kind, rules in concerns(played).items() if rule in rules]
    by_game = {each.game: each for each in await sightings.of_rule(services.rows, played.id, rule, kinds)}
    games = await services.store.games(among=by_game, forks=False, listed=True, limit=AT_WORK)
    return answer(AtWorkPage(tuple(rule_at_work(row, by_game[row.game]) for row in games), None))


@endpoint(
    "GET",
    "/v1/rulesets/{ruleset:str}/schemas",
    tag="Rulesets",
    headers=("If-None-Match",),
    answers=(Answer(200, "The schemas.", Schemas, headers=("ETag",)), STILL_THE_SAME),
    problems=(UNKNOWN_RULESET,),
)
async def show_schemas(request: Call, ruleset: str) -> Response[bytes]:
    """Show the schemas of a ruleset.

    Shows JSON Schemas (2020-12) of its commands, events, view and set-up. To learn which commands would be accepted in
    a given position, ask `GET /v1/games/{game}/options`.
    """
    request.read_query(Nothing)
    return cacheable(request, encode(await asyncio.to_thread(schemas.of_ruleset, ruleset_in_path(request, ruleset))))


def ruleset_detail(ruleset: Ruleset[Any]) -> RulesetDetail:
    """Return a ruleset with all its parts."""
    return RulesetDetail(
        **asdict(ruleset_summary(ruleset)),
        briefing=ruleset.briefing,
        versions=ruleset_versions(ruleset),
        seats={str(number): ruleset.seats(number) for number in ruleset.players},
        chapters=tuple(
            Chapter(chapter.id, chapter.title, len(chapter.rules)) for chapter in ruleset.catalogue.chapters(ruleset.id)
        ),
        sources=tuple(
            CitedSource(source.title, source.cited_as, source.language) for source in ruleset.catalogue.sources.values()
        ),
        documents=tuple(ruleset.documents),
        remarks=remarks_of({name: ruleset.own_document(name) for name in ruleset.documents}),
        commands=tuple(type_name(command) for command in ruleset.commands),
        decisions=dict(ruleset.answers),
        events=tuple(type_name(event) for event in ruleset.events),
        dice=dict(ruleset.dice),
        chance={type_name(event): evidence for event, evidence in ruleset.chance.items()},
        concerns=concerns(ruleset),
        words=dict(ruleset.words),
        kinds=dict(ruleset.kinds),
        setup=schemas.of_ruleset(ruleset).setup,
    )


def _rule(request: Call, ruleset: Ruleset[Any], rule: str) -> RuleView:
    """Return a rule of a ruleset, or a rule `TAB-…`, which holds in all rulesets. Raises `Problem`."""
    own, services = request.services.catalogues(ruleset)
    catalogue = services if rule.startswith(HOUSE_RULE) else own
    try:
        return rule_view(catalogue, catalogue.rule(rule))
    except UnknownRuleError as error:
        sentence = f"{str(error)[:1].upper()}{str(error)[1:]}."
        raise Problem(UNKNOWN_RULE, sentence, UNKNOWN_RULE.remedy) from None


def ruleset_in_path(request: Call, ruleset_id: str, version: int | None = None) -> Ruleset[Any]:
    """Return the ruleset of an address, the newest version unless another is named. Raises `Problem`."""
    try:
        ruleset = request.services.library.current(ruleset_id)
        return ruleset if version is None else ruleset.at(version)
    except LookupError as error:
        raise Problem(UNKNOWN_RULESET, str(error), UNKNOWN_RULESET.remedy) from None


def _is_wanted(rule: Rule, page: RulesPage) -> bool:
    if page.chapter is not None and rule.chapter != page.chapter:
        return False
    if page.status is not None and rule.status != page.status:
        return False
    return page.text is None or page.text.casefold() in f"{rule.title}\n{rule.text}".casefold()
