"""Games that are not shown to everybody: the gate before every endpoint of a game or a case."""

from domain.kernel.ids import GameId
from domain.kernel.rules.refusal import Refusal
from service.accounts.caller import Caller
from service.api.problems.games import PRIVATE, WITHHELD
from service.api.problems.play import refused
from service.api.services import Services
from service.games.views import Viewer, event_view


async def require_shown(services: Services, game: GameId, caller: Caller | None) -> None:
    """Raise `Problem` unless a game may be shown to a caller.

    A private game (TAB-READ-01) and a fork that is withheld (TAB-FORK-02) may not be shown to everybody.
    """
    if not await services.games.lets_in(game, caller):
        ruleset = (await services.games.game(game, 0)).ruleset
        allowed = "Its seats, its organizer and its officials read it. Its organizer can invite you."
        problem = refused(Refusal("TAB-READ-01", f"Game {game} is private.", allowed), services.catalogues(ruleset))
        problem.kind = PRIVATE
        raise problem
    until = await services.games.withheld(game, caller)
    if until is None:
        return
    detail = f"Game {game} is withheld until {until.id} is over."
    refusal = Refusal("TAB-FORK-02", detail, f"Until then, only the officials of {until.id} are shown it.")
    problem = refused(refusal, services.catalogues(until.ruleset))
    problem.kind = WITHHELD
    (first,) = await services.store.read(game, 0, 1)
    view = event_view(until.ruleset.id, first, await services.games.vault(until.id), Viewer())
    problem.members |= {"until": until.id, "first": view}
    raise problem
