"""What all endpoints that change a tournament share: acting, answering, and checking who directs it."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from litestar.response import Response

from domain.kernel.ids import PlayerId, TournamentId
from domain.kernel.log.record import Cause
from domain.kernel.rules.loading import common_rules
from domain.kernel.rules.refusal import Refusal
from domain.tournament.field import Round
from domain.tournament.tournament import Inscribed, Tournament
from service.api.endpoint import Answer
from service.api.problems.play import NOT_NOW, REFUSED, STALE_VERSION, refused
from service.api.problems.problem import Problem
from service.api.problems.request import KEY_REUSED
from service.api.problems.tournaments import NOT_A_DIRECTOR, UNKNOWN_TOURNAMENT
from service.api.request import Call
from service.api.response import answer, etag
from service.api.services import Services
from service.api.tournaments.bodies import TournamentDetail
from service.api.tournaments.views import tournament_detail
from service.tournaments.committee import Decide, Proceeding, UnknownRound

ACTS: Final = (UNKNOWN_TOURNAMENT, REFUSED, NOT_NOW, STALE_VERSION, KEY_REUSED)
"""The problems of every endpoint that changes a tournament."""

DIRECTED: Final = (*ACTS, NOT_A_DIRECTOR)
"""The problems of every endpoint for directors."""

DONE: Final = Answer(200, "Done by this request, or by the one that it repeats.", TournamentDetail, headers=("ETag",))


async def acted(request: Call, tournament: str, content: Sequence[Any], decide: Decide) -> Response[bytes]:
    """Let the caller do something in a tournament, and answer with the tournament after it. Raises `Problem`.

    `content` identifies the request when its idempotency key is used again; `decide` makes the events.
    """
    committee, player = request.services.committee, request.signed_in.player
    key, expected = request.key, request.expected
    async with explained():
        proceeding = await committee.act(TournamentId(tournament), player, content, decide, expected=expected, key=key)
    return await answer_tournament(request, proceeding)


async def answer_tournament(
    request: Call, proceeding: Proceeding, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response[bytes]:
    """Answer with a tournament."""
    tournament = proceeding.tournament
    names = await names_of(request.services, tournament.field.entrants)
    tag = etag(tournament.version)
    return answer(tournament_detail(proceeding, names), status, {**(headers or {}), **tag})


async def names_of(services: Services, players: Iterable[PlayerId]) -> dict[PlayerId, str]:
    """Return the names of accounts."""
    return {row.player: row.name for row in await services.store.accounts.by_ids([*players])}


@asynccontextmanager
async def explained() -> AsyncIterator[None]:
    """Turn a refusal into a problem that shows the rule."""
    try:
        yield
    except Refusal as refusal:
        raise refused(refusal, (common_rules(),)) from None


async def require_director(request: Call, tournament: str, *, as_organizer: bool = False) -> Tournament:
    """Return a tournament. Raises `Problem` unless the caller directs it, or with `as_organizer` organizes it."""
    now = (await request.services.committee.now(TournamentId(tournament))).tournament
    player = request.signed_in.player
    if as_organizer and player != now.organizer:
        raise Problem(NOT_A_DIRECTOR, "You do not organize this tournament.", f"Its organizer is {now.organizer}.")
    if player not in now.directors:
        directors = ", ".join(now.directors)
        raise Problem(NOT_A_DIRECTOR, "You do not direct this tournament.", f"Its directors are {directors}.")
    return now


def directing(act: Callable[..., Inscribed], *values: Any) -> Decide:
    """Return a decision for `Committee.act`, which calls an act of the domain with these values."""

    def decide(tournament: Tournament, cause: Cause, at: str) -> Inscribed:
        return act(tournament, *values, cause, at)

    return decide


def number_of(text: str) -> int:
    """Return the number of a round or a table in an address. Raises `UnknownRound`."""
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise UnknownRound(f"There is no round or table {text!r}: expected a number such as 1.")
    return int(text)


def round_of(tournament: Tournament, text: str) -> Round:
    """Return the round whose number is in an address. Raises `UnknownRound`."""
    round_ = tournament.field.rounds.get(number_of(text))
    if round_ is None:
        raise UnknownRound(f"Tournament {tournament.id!r} has no round {number_of(text)}.")
    return round_
