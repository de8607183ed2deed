"""The endpoints for players of a tournament: entering, checking in and withdrawing."""

from functools import partial
from typing import Final

import msgspec
from litestar.response import Response

from domain.kernel.ids import TournamentId
from domain.kernel.rules.refusal import refuse_unless
from domain.tournament import entering
from service.api.bodies import Nothing
from service.api.endpoint import endpoint
from service.api.request import Call
from service.api.tournaments.acting import ACTS, DONE, acted, directing, explained
from service.api.tournaments.asked import NewCheckIn, NewEntry

_new_entry: Final = msgspec.json.Decoder(NewEntry)
_new_check_in: Final = msgspec.json.Decoder(NewCheckIn)

_of_a_player = partial(
    endpoint,
    tag="Tournaments",
    account="required",
    scopes=("play",),
    headers=("Idempotency-Key", "If-Match"),
    answers=(DONE,),
    problems=ACTS,
)
"""Declares an endpoint for players of a tournament."""


@_of_a_player("POST", "/v1/tournaments/{tournament:str}/entries", body=NewEntry)
async def enter_tournament(request: Call, tournament: str) -> Response[bytes]:
    """Enter a tournament.

    By entering you consent to be seated at its tables (TAB-TRN-05). In a tournament of a league, only players of its
    division can enter (TAB-LGE-07). You cannot enter if an account that was joined with yours has entered
    (TAB-JOIN-05). A repeated request with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    club = (await request.read_body(_new_entry)).club
    services = request.services
    now = (await services.committee.now(TournamentId(tournament))).tournament
    async with explained():
        await services.leagues.require_belonging(now, request.signed_in.player)
        for other in await services.store.joinings.joined_with(request.signed_in.player):
            wrong = f"{other} was joined with your account, and has entered this tournament."
            refuse_unless(other not in now.field.entrants, "TAB-JOIN-05", wrong, "One person enters once.")
    return await acted(request, tournament, ["enter", club], directing(entering.enter, club))


@_of_a_player("DELETE", "/v1/tournaments/{tournament:str}/entries/me")
async def withdraw_from_tournament(request: Call, tournament: str) -> Response[bytes]:
    """Withdraw from a tournament.

    No further round is drawn with you. You still finish the game at your table (TAB-TRN-06). A repeated request with
    the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    return await acted(request, tournament, ["withdraw"], directing(entering.withdraw))


@_of_a_player("POST", "/v1/tournaments/{tournament:str}/check-in", body=NewCheckIn)
async def check_in(request: Call, tournament: str) -> Response[bytes]:
    """Check in.

    Rounds are drawn only with players who have checked in: once, or before each round, as the regulations say
    (TAB-TRN-07). The entropy that you add goes into the lots, and is public. A repeated request with the same
    `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    entropy = (await request.read_body(_new_check_in)).entropy
    return await acted(request, tournament, ["check-in", entropy], directing(entering.check_in, entropy))
