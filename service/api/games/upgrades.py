"""Moving a running game to a newer version of its ruleset."""

from typing import Final

import msgspec
from litestar.response import Response

from domain.kernel.ids import GameId
from service.api.bodies import Nothing
from service.api.endpoint import Answer, endpoint
from service.api.games.bodies import Upgrade, UpgradeChecked
from service.api.games.routes import ACCEPTED, ACTS, acted, explained
from service.api.problems.games import UNKNOWN_GAME
from service.api.problems.play import NOT_NOW, REFUSED, STALE_VERSION
from service.api.request import Call
from service.api.response import answer, etag
from service.api.rulesets.bodies import rule_changes
from service.games import acts

_upgrade: Final = msgspec.json.Decoder(Upgrade)


@endpoint(
    "POST",
    "/v1/games/{game:str}/upgrade",
    tag="Games",
    account="required",
    scopes=("organize",),
    headers=("Idempotency-Key", "If-Match"),
    body=Upgrade,
    answers=(ACCEPTED,),
    problems=ACTS,
)
async def upgrade_game(request: Call, game: str) -> Response[bytes]:
    """Move a game to newer rules.

    A game is judged by the version of its ruleset that it began with. While it runs, its organizer may move it to a
    newer version (TAB-RULES-01). The move is an event: every seat sees it, and every verifier replays it. What happened
    before stays as it was judged. The move is refused if the newer version cannot continue from the position
    (TAB-RULES-02). A repeated request with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_upgrade)
    return await acted(request, game, acts.Upgrade(wish.to))


@endpoint(
    "POST",
    "/v1/games/{game:str}/upgrade/check",
    tag="Games",
    account="required",
    scopes=("organize",),
    headers=("If-Match",),
    body=Upgrade,
    answers=(Answer(200, "The game could be moved.", UpgradeChecked, headers=("ETag",)),),
    problems=(UNKNOWN_GAME, REFUSED, NOT_NOW, STALE_VERSION),
)
async def check_upgrade(request: Call, game: str) -> Response[bytes]:
    """Try out a move to newer rules.

    Says whether you could move the game now, and what would be different afterwards. Nothing is stored.
    """
    request.read_query(Nothing)
    player, expected = request.signed_in.player, request.expected
    wish = await request.read_body(_upgrade)
    async with explained(request, game):
        act = acts.Upgrade(wish.to)
        current, _ = await request.services.games.try_out(GameId(game), player, act, expected=expected)
    now = current.ruleset.version
    checked = UpgradeChecked(current.version, now, wish.to, rule_changes(current.ruleset, now, wish.to))
    return answer(checked, headers=etag(current.version))
