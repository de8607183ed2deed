"""The endpoints for directors of a tournament, but for those for its rounds."""

from functools import partial
from typing import Final

import msgspec
from litestar.response import Response

from domain.kernel.ids import PlayerId, TournamentId
from domain.kernel.rules.loading import common_rules
from domain.kernel.rules.refusal import Refusal
from domain.tournament import directing as acts
from domain.tournament.regulations import Regulations
from service.api.bodies import Nothing
from service.api.endpoint import Answer, endpoint
from service.api.problems.accounts import UNKNOWN_PLAYER
from service.api.problems.leagues import UNKNOWN_LEAGUE
from service.api.problems.play import NOT_NOW, REFUSED, refused
from service.api.problems.request import KEY_REUSED, invalid_body
from service.api.problems.rulesets import UNKNOWN_RULESET
from service.api.problems.tournaments import NOT_A_DIRECTOR, TOO_MANY_TOURNAMENTS, UNKNOWN_TOURNAMENT
from service.api.request import Call
from service.api.response import answer, etag
from service.api.tournaments.acting import (
    DIRECTED,
    DONE,
    acted,
    answer_tournament,
    directing,
    explained,
    require_director,
)
from service.api.tournaments.asked import (
    NewAnnouncement,
    NewDrop,
    NewPenalty,
    NewTournament,
    Reason,
)
from service.api.tournaments.bodies import TournamentDetail
from service.games.requests import UnknownPlayer
from service.tournaments.agenda import Agenda, agenda_of

_new_tournament: Final = msgspec.json.Decoder(NewTournament)
_regulations: Final = msgspec.json.Decoder(Regulations)
_new_drop: Final = msgspec.json.Decoder(NewDrop)
_new_penalty: Final = msgspec.json.Decoder(NewPenalty)
_new_announcement: Final = msgspec.json.Decoder(NewAnnouncement)
_reason: Final = msgspec.json.Decoder(Reason)

_of_a_director = partial(
    endpoint,
    "POST",
    tag="Tournaments",
    account="required",
    scopes=("organize", "judge"),
    headers=("Idempotency-Key", "If-Match"),
    answers=(DONE,),
    problems=DIRECTED,
)
"""Declares an endpoint for directors of a tournament."""

_of_the_organizer = partial(_of_a_director, scopes=("organize",))
"""Declares an endpoint for the organizer of a tournament."""


@endpoint(
    "POST",
    "/v1/tournaments",
    tag="Tournaments",
    account="required",
    scopes=("organize",),
    headers=("Idempotency-Key",),
    body=NewTournament,
    answers=(Answer(201, "The tournament, which players can enter.", TournamentDetail, headers=("Location", "ETag")),),
    problems=(REFUSED, NOT_NOW, KEY_REUSED, UNKNOWN_RULESET, TOO_MANY_TOURNAMENTS, UNKNOWN_LEAGUE),
)
async def announce_tournament(request: Call) -> Response[bytes]:
    """Announce a tournament.

    You organize and direct it. Its regulations are public and part of its log, and so is a commitment to the secrets
    that its lots come from. Players can enter from now on. You may have 20 tournaments that are not over. A repeated
    request with the same `Idempotency-Key` gets the same response and announces no second tournament.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_new_tournament)
    committee, player = request.services.committee, request.signed_in.player
    fits = partial(request.services.leagues.require_season, wish.regulations)
    try:
        proceeding = await committee.announce(player, wish.regulations, wish.title, key=request.key, fits=fits)
    except Refusal as refusal:
        raise refused(refusal, (common_rules(),)) from None
    except msgspec.ValidationError as error:
        ruleset = request.services.library.current(wish.regulations.ruleset)
        raise invalid_body(error, ruleset.setup, "$.regulations.setup") from None
    location = {"Location": f"/v1/tournaments/{proceeding.tournament.id}"}
    return await answer_tournament(request, proceeding, 201, location)


@endpoint(
    "PUT",
    "/v1/tournaments/{tournament:str}/regulations",
    tag="Tournaments",
    account="required",
    scopes=("organize", "judge"),
    headers=("Idempotency-Key", "If-Match"),
    body=Regulations,
    answers=(DONE,),
    problems=(*DIRECTED, UNKNOWN_RULESET),
)
async def change_regulations(request: Call, tournament: str) -> Response[bytes]:
    """Change the regulations.

    A director can change them for rounds that have not begun (TAB-TRN-03). A repeated request with the same
    `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_regulations)
    await require_director(request, tournament)
    committee, player = request.services.committee, request.signed_in.player
    try:
        async with explained():
            proceeding = await committee.change(
                TournamentId(tournament), player, wish, expected=request.expected, key=request.key
            )
    except msgspec.ValidationError as error:
        ruleset = request.services.library.current(wish.ruleset)
        raise invalid_body(error, ruleset.setup, "$.setup") from None
    return await answer_tournament(request, proceeding)


@_of_the_organizer("/v1/tournaments/{tournament:str}/directors/{player:str}", problems=(*DIRECTED, UNKNOWN_PLAYER))
async def name_director(request: Call, tournament: str, player: str) -> Response[bytes]:
    """Name a director.

    Only the organizer can do this. A tournament has at most ten directors (TAB-TRN-04). The request has no body. A
    repeated request with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    await require_director(request, tournament, as_organizer=True)
    if await request.services.store.accounts.player(PlayerId(player)) is None:
        raise UnknownPlayer(f"There is no account {player!r}.")
    decide = directing(acts.name_director, PlayerId(player))
    return await acted(request, tournament, ["name-director", player], decide)


@endpoint(
    "DELETE",
    "/v1/tournaments/{tournament:str}/directors/{player:str}",
    tag="Tournaments",
    account="required",
    scopes=("organize", "judge"),
    headers=("Idempotency-Key", "If-Match"),
    answers=(DONE,),
    problems=DIRECTED,
)
async def release_director(request: Call, tournament: str, player: str) -> Response[bytes]:
    """Release a director.

    The organizer can do this, and the director themselves. A repeated request with the same `Idempotency-Key` gets the
    same response and changes nothing.
    """
    request.read_query(Nothing)
    if player != request.signed_in.player:
        await require_director(request, tournament, as_organizer=True)
    decide = directing(acts.release_director, PlayerId(player))
    return await acted(request, tournament, ["release-director", player], decide)


@endpoint(
    "GET",
    "/v1/tournaments/{tournament:str}/agenda",
    tag="Tournaments",
    account="required",
    scopes=("organize", "judge"),
    answers=(Answer(200, "The agenda.", Agenda, headers=("ETag",)),),
    problems=(UNKNOWN_TOURNAMENT, NOT_A_DIRECTOR),
)
async def show_agenda(request: Call, tournament: str) -> Response[bytes]:
    """Show the agenda.

    Shows what waits for a director: players who have not checked in for the next round, and tables whose results do not
    count yet. For each table it says what comes next, who is absent or out of time, and which cases wait for a ruling.
    """
    request.read_query(Nothing)
    now = await require_director(request, tournament)
    return answer(await agenda_of(now, request.services.games, request.services.store), headers=etag(now.version))


@_of_a_director("/v1/tournaments/{tournament:str}/drops", body=NewDrop)
async def drop_player(request: Call, tournament: str) -> Response[bytes]:
    """Drop a player.

    Takes a player out of all rounds that are not drawn yet (TAB-TRN-06). They keep what they have earned. A repeated
    request with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_new_drop)
    await require_director(request, tournament)
    decide = directing(acts.drop, PlayerId(wish.player), wish.reason)
    return await acted(request, tournament, ["drop", wish.player, wish.reason], decide)


@_of_a_director("/v1/tournaments/{tournament:str}/penalties", body=NewPenalty)
async def give_penalty(request: Call, tournament: str) -> Response[bytes]:
    """Give a penalty.

    A director can give one to any player but themselves, with a public reason (TAB-TRN-17). A repeated request with the
    same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_new_penalty)
    await require_director(request, tournament)
    decide = directing(acts.penalize, PlayerId(wish.player), wish.sort, wish.points, wish.reason)
    return await acted(request, tournament, ["penalty", wish.player, wish.sort, wish.points, wish.reason], decide)


@_of_a_director("/v1/tournaments/{tournament:str}/announcements", body=NewAnnouncement)
async def make_announcement(request: Call, tournament: str) -> Response[bytes]:
    """Make an announcement.

    Sends a message to the inboxes of all players. Directors can make at most five announcements in an hour, and 50 in a
    tournament (TAB-TRN-18). A repeated request with the same `Idempotency-Key` gets the same response and changes
    nothing.
    """
    request.read_query(Nothing)
    text = (await request.read_body(_new_announcement)).text
    await require_director(request, tournament)
    return await acted(request, tournament, ["announcement", text], directing(acts.tell_all, text))


@_of_a_director("/v1/tournaments/{tournament:str}/closing")
async def close_tournament(request: Call, tournament: str) -> Response[bytes]:
    """Close a tournament.

    A director can close it when all rounds are played and all results count. The standings are then final (TAB-TRN-19).
    The request has no body. A repeated request with the same `Idempotency-Key` gets the same response and changes
    nothing.
    """
    request.read_query(Nothing)
    await require_director(request, tournament)
    return await acted(request, tournament, ["close"], directing(acts.close))


@_of_the_organizer("/v1/tournaments/{tournament:str}/cancellation", body=Reason)
async def cancel_tournament(request: Call, tournament: str) -> Response[bytes]:
    """Cancel a tournament.

    The organizer can cancel it before a result counts, with a public reason (TAB-TRN-19). Its games that have not begun
    are cancelled; the others go on, and count for nothing. A repeated request with the same `Idempotency-Key` gets the
    same response and changes nothing.
    """
    request.read_query(Nothing)
    reason = (await request.read_body(_reason)).reason
    await require_director(request, tournament, as_organizer=True)
    return await acted(request, tournament, ["cancel", reason], directing(acts.cancel, reason))
