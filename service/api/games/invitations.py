"""Invitations: links that seat players in a game, until its seats are full."""

from typing import Final

import msgspec
from litestar.response import Response

from domain.kernel.ids import GameId
from domain.kernel.rules.refusal import Refusal
from service.api.bodies import Nothing
from service.api.endpoint import Answer, endpoint
from service.api.games.bodies import Invitation, InvitationPage, Invited, Joined, JoinGame, NewInvitation
from service.api.games.listing import players_of
from service.api.games.routes import explained
from service.api.games.views import clock_of, game_summary, invitation_view
from service.api.problems.games import (
    NOT_FOR_BOTS,
    NOT_ORGANIZER,
    SEAT_TAKEN,
    TOO_MANY_INVITATIONS,
    UNKNOWN_GAME,
    UNKNOWN_INVITATION,
)
from service.api.problems.play import NOT_NOW, REFUSED
from service.api.problems.problem import Problem
from service.api.request import Call
from service.api.response import answer
from service.games import acts
from service.games.acts import require_organizer
from service.observe.logging import log
from service.store.accounts import InvitationId, InvitationRow

_join: Final = msgspec.json.Decoder(JoinGame)
_NOT_STORED: Final = {"Cache-Control": "no-store"}


@endpoint(
    "POST",
    "/v1/games/{game:str}/invitations",
    tag="Games",
    account="required",
    scopes=("organize",),
    headers=("Idempotency-Key",),
    answers=(Answer(201, "The invitation.", NewInvitation),),
    problems=(UNKNOWN_GAME, NOT_ORGANIZER, NOT_NOW, TOO_MANY_INVITATIONS),
)
async def invite(request: Call, game: str) -> Response[bytes]:
    """Invite players.

    Only the organizer may do this, until the game starts. The invitation is a secret of 256 random bits. Each account
    that follows it gets a free seat, until the seats are full. The request has no body. A repeated request with the
    same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    player, services = request.signed_in.player, request.services
    current = await services.games.game(GameId(game))
    require_organizer(current, player)
    invitation = await services.accounts.invitations.made_before(player, current.id, request.key)
    if invitation is None and current.status != "gathering":
        raise Problem(
            NOT_NOW,
            "You asked to invite players, but the game does not wait for any.",
            "Invite players before the game starts.",
        )
    row, value = invitation or await services.accounts.invitations.make(player, current.id, request.key)
    log.info("invited", account=player, game=game, invitation=row.invitation)
    return answer(NewInvitation(value, invitation_view(row)), 201, _NOT_STORED)


@endpoint(
    "GET",
    "/v1/games/{game:str}/invitations",
    tag="Games",
    account="required",
    scopes=("organize",),
    answers=(Answer(200, "The invitations.", InvitationPage),),
    problems=(UNKNOWN_GAME, NOT_ORGANIZER),
)
async def list_invitations(request: Call, game: str) -> Response[bytes]:
    """List invitations.

    Shows the organizer the invitations to the game, without their values. One page holds them all.
    """
    request.read_query(Nothing)
    current = await request.services.games.game(GameId(game))
    require_organizer(current, request.signed_in.player)
    rows = await request.services.accounts.invitations.of_game(current.id)
    return answer(InvitationPage(tuple(map(invitation_view, rows)), None))


@endpoint(
    "DELETE",
    "/v1/games/{game:str}/invitations/{invitation:str}",
    tag="Games",
    account="required",
    scopes=("organize",),
    answers=(Answer(200, "The revoked invitation.", Invitation),),
    problems=(UNKNOWN_GAME, NOT_ORGANIZER, UNKNOWN_INVITATION),
)
async def revoke_invitation(request: Call, game: str, invitation: str) -> Response[bytes]:
    """Revoke an invitation.

    Only the organizer may do this. It gives no more seats; seats that were taken stay. Repeating the request changes
    nothing.
    """
    request.read_query(Nothing)
    accounts = request.services.accounts
    current = await request.services.games.game(GameId(game))
    require_organizer(current, request.signed_in.player)
    if all(row.invitation != invitation for row in await accounts.invitations.of_game(current.id)):
        raise _unknown()
    await accounts.invitations.revoke(InvitationId(invitation))
    (revoked,) = [row for row in await accounts.invitations.of_game(current.id) if row.invitation == invitation]
    return answer(invitation_view(revoked))


@endpoint(
    "GET",
    "/v1/invitations/{secret:str}",
    tag="Games",
    account="optional",
    answers=(Answer(200, "The game that it is for.", Invited),),
    problems=(UNKNOWN_INVITATION,),
)
async def show_invitation(request: Call, secret: str) -> Response[bytes]:
    """Show what an invitation is for.

    The game with its clock, who organizes it, and how many seats are free.
    """
    request.read_query(Nothing)
    services = request.services
    row = await _invitation_of(request, secret)
    current = await services.games.game(row.game)
    game_row = await services.store.game(row.game)
    assert game_row is not None, "a game that can be played is in the index"
    players = await players_of(services, (*current.players.values(), current.organizer))
    listed = not await services.store.unlisted([row.game])
    reserved = current.ruleset.kept_seats(current.setup)
    free = sum(holder is None and seat not in reserved for seat, holder in current.players.items())
    you = next(
        (seat for seat, holder in current.players.items() if request.caller and holder == request.caller.player), None
    )
    organizer = players[current.organizer].name if current.organizer in players else ""
    summary = game_summary(game_row, players, clock_of(current), listed=listed)
    return answer(Invited(summary, organizer, current.abandoned_after, free, you), 200, _NOT_STORED)


@endpoint(
    "POST",
    "/v1/invitations/{secret:str}",
    tag="Games",
    account="required",
    scopes=("play",),
    body=JoinGame,
    answers=(Answer(200, "The seat that you got, or that you already had.", Joined),),
    problems=(UNKNOWN_INVITATION, NOT_FOR_BOTS, REFUSED, NOT_NOW, SEAT_TAKEN),
)
async def follow_invitation(request: Call, secret: str) -> Response[bytes]:
    """Follow an invitation.

    Gives you a free seat, until the game starts. Repeating the request changes nothing: you get the seat that you have.
    """
    request.read_query(Nothing)
    wish, services, player = await request.read_body(_join), request.services, request.signed_in.player
    row = await _invitation_of(request, secret)
    account = await services.accounts.player(player)
    if account is not None and account.is_bot:
        raise Problem(NOT_FOR_BOTS, "A bot does not follow invitations.", NOT_FOR_BOTS.remedy)
    joined = await _seated(request, row)
    if joined is None:
        try:
            async with explained(request, row.game):
                try:
                    await services.games.act(row.game, player, acts.TakeSeat(None, wish.entropy))
                except Refusal:
                    # Otherwise, another request of this account has just taken the seat.
                    if await _seated(request, row) is None:
                        raise
        except Problem as problem:
            if problem.members.get("rule") == "TAB-LIFE-03":
                problem.kind = SEAT_TAKEN
            raise
        joined = await _seated(request, row)
    assert joined is not None, "a seat was taken"
    return answer(joined)


async def _seated(request: Call, row: InvitationRow) -> Joined | None:
    """Return the seat that the caller holds in the game of an invitation, if they hold one."""
    current = await request.services.games.game(row.game)
    mine = request.signed_in.player
    own = next((seat for seat, holder in current.players.items() if holder == mine), None)
    return Joined(row.game, own, current.version) if own is not None else None


async def _invitation_of(request: Call, secret: str) -> InvitationRow:
    row = await request.services.accounts.invitations.find(secret)
    if row is None:
        raise _unknown()
    return row


def _unknown() -> Problem:
    kind = UNKNOWN_INVITATION
    return Problem(kind, "No game has this invitation.", kind.remedy)
