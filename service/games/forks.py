"""Forking a game: who may, from which version, and how many forks there may be."""

from typing import Final

from domain.kernel.chance.draws import commitment_to
from domain.kernel.ids import GameId, PlayerId, Version
from domain.kernel.log import forking
from domain.kernel.log.game import Decided
from domain.kernel.log.lifecycle import Purpose
from domain.kernel.rules.documents import key_of, packed
from domain.kernel.rules.refusal import Refusal
from projections.lobby import ForkOf
from service.games.games import Games, Room
from service.games.requests import Done, Request
from service.store.protocol import Opening, Within

MOST_ANALYSES: Final = 50
"""How many open forks for analysis an account may have."""

MOST_CONTINUATIONS: Final = 10
"""How many continuations a game may have."""


async def fork_game(
    games: Games,
    player: PlayerId,
    parent: GameId,
    version: Version,
    purpose: Purpose,
    title: str = "",
    *,
    judges: bool = True,
    key: str | None = None,
) -> Done:
    """Begin a fork of a game at an earlier version.

    `judges` tells whether the account's token has the scope `judge`.

    Raises:
        UnknownGame, UnknownVersion: there is no such game or version.
        Refusal: the account may not fork this now, or no fork begins there.
        KeyReused: the key came with another request before.
    """
    now, earlier = await games.game(parent), await games.at(parent, version)
    history, vault = await games.history(parent), await games.vault(parent)
    content = ["fork", parent, version, purpose, title]
    try:
        forking.require_forkable(now, earlier, purpose, player, history, vault, judges=judges)
        hidden = forking.hidden(earlier, vault)
        withheld = forking.withheld(now, earlier, hidden)
    except Refusal as refusal:
        # When an accepted request is repeated, the game has often moved on, so that it would be refused now.
        if first := await games.opened_before(player, content, key, parent):
            return first
        games.refused(now.ruleset.id, refusal.rule)
        raise
    secret = games.new_secret()
    opening = Opening(
        ruleset=earlier.ruleset.id,
        ruleset_version=earlier.ruleset.version,
        title=title,
        organizer=player if purpose == "analysis" else earlier.organizer,
        chance=secret,
        board=key_of(earlier.board),
        board_file=packed(earlier.board),
        fork=ForkOf(parent, version, purpose, withheld),
        private=earlier.is_private,
    )

    async def begin(game: GameId, request: Request) -> Decided:
        at = max(request.at, history[-1].at)
        commitment = commitment_to(secret)
        return forking.fork(earlier, game, purpose, commitment, request.cause, at, hidden, withheld=withheld)

    return await games.open(
        "fork", player, content, opening, begin, key=key, room=_room_for(purpose, player, parent), beside=parent
    )


def _room_for(purpose: Purpose, player: PlayerId, parent: GameId) -> Room:
    """Return the limit on forks of a purpose, and the refusal of one beyond it."""
    if purpose == "analysis":
        wrong, allowed = f"You have {MOST_ANALYSES} open analyses.", "Close one: cancel the fork."
        within = Within("analyses", (player,), MOST_ANALYSES)
        return Room(within, Refusal("TAB-FORK-06", wrong, allowed, untimely=True))
    wrong, allowed = f"This game has {MOST_CONTINUATIONS} continuations.", "Its organizer can cancel one."
    within = Within("continuations", (parent,), MOST_CONTINUATIONS)
    return Room(within, Refusal("TAB-LIM-04", wrong, allowed, untimely=True))
