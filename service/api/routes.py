"""All endpoints of the API, by their resources."""

from collections import defaultdict
from collections.abc import Iterable
from types import ModuleType
from typing import Any, Final

from litestar.handlers import BaseRouteHandler, HTTPRouteHandler, route
from litestar.response import Response

from service.api.accounts import routes as accounts
from service.api.accounts import tokens
from service.api.apps import routes as apps
from service.api.cases import officials as case_officials
from service.api.cases import parties
from service.api.cases import routes as cases
from service.api.cases import stream as case_stream
from service.api.data import routes as data
from service.api.desk import routes as desk
from service.api.desk import what_if
from service.api.dumps import routes as dumps
from service.api.forks import routes as forks
from service.api.games import bots, clocks, invitations, officials, seats, upgrades
from service.api.games import routes as games
from service.api.imports import routes as imports
from service.api.joining import routes as joining
from service.api.leagues import directing as league_directing
from service.api.leagues import routes as leagues
from service.api.log import routes as log
from service.api.log import streams
from service.api.notifications import email, push
from service.api.notifications import routes as notifications
from service.api.notifications import stream as inbox_stream
from service.api.operations import health
from service.api.organizing import rematches
from service.api.organizing import routes as organizing
from service.api.pictures import comparison
from service.api.pictures import routes as pictures
from service.api.play import answers, ends, take_backs
from service.api.play import routes as play
from service.api.players import passkeys, provider, sessions
from service.api.players import routes as players
from service.api.players import stream as account_stream
from service.api.rulesets import routes as rulesets
from service.api.sandbox import routes as sandbox
from service.api.statistics import charts, ratings
from service.api.statistics import routes as statistics
from service.api.tournaments import directing as tournament_directing
from service.api.tournaments import downloads as tournament_downloads
from service.api.tournaments import entering as tournament_entering
from service.api.tournaments import rounds as tournament_rounds
from service.api.tournaments import routes as tournaments
from service.api.tournaments import stream as tournament_stream
from service.api.transparency import routes as transparency
from service.api.tutorials import routes as tutorials
from service.api.webhooks import routes as webhooks


def _allowing(handlers: Iterable[Any]) -> list[HTTPRouteHandler]:
    """Return OPTIONS routes that name the methods of each address that has several.

    Register them first: otherwise Litestar 2.25 names only the method of the first handler.
    """
    methods: defaultdict[str, set[str]] = defaultdict(set)
    for handler in handlers:
        if isinstance(handler, HTTPRouteHandler):
            methods[next(iter(handler.paths))] |= handler.http_methods
    return [
        _options(path, ", ".join(sorted({*routes, "OPTIONS"}))) for path, routes in methods.items() if len(routes) > 1
    ]


def _options(path: str, allowed: str) -> HTTPRouteHandler:
    @route(path, http_method=["OPTIONS"], status_code=204)
    async def allow() -> Response[None]:
        return Response(None, status_code=204, headers={"Allow": allowed})

    return allow


def routes_of(module: ModuleType) -> tuple[BaseRouteHandler, ...]:
    """Return all endpoints that a module defines, in their order. Each of them is served."""
    return tuple(each for each in vars(module).values() if isinstance(each, BaseRouteHandler))


_RESOURCES: Final = (
    *(rulesets, tutorials, players, data, account_stream, sessions, passkeys, provider, tokens, accounts, apps),
    *(joining, notifications, inbox_stream, push, email),
    *(games, invitations, upgrades, officials, bots, clocks, seats, forks, play, answers, cases, parties),
    *(case_officials, case_stream, desk, what_if, take_backs, ends, log, pictures, comparison, streams),
    *(tournaments, tournament_entering, tournament_directing, tournament_rounds, tournament_stream),
    *(tournament_downloads, leagues, league_directing),
    *(organizing, rematches, webhooks, transparency, dumps, imports, statistics, charts, ratings, health, sandbox),
)
_LARGE: Final = (*games.COLLECTION, *organizing.BULK)

EXPORTS: Final = (imports.import_game,)
"""The endpoint to which an export is sent."""

_SMALL: Final = tuple(each for module in _RESOURCES for each in routes_of(module) if each not in (*_LARGE, *EXPORTS))

API: Final = (*_allowing(_SMALL), *_SMALL)
"""The endpoints that take small bodies or none."""

LARGE: Final = (*_allowing(_LARGE), *_LARGE)
"""The endpoints to which a board may be sent."""
