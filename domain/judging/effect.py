"""What a ruling changes in its game."""

from collections.abc import Callable, Sequence

from msgspec import UNSET

from domain.judging.case import Filed
from domain.kernel.chance.draws import Chance
from domain.kernel.ids import Version
from domain.kernel.log import officials
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.history import cause_of
from domain.kernel.log.record import Cause, Record


def effect_of(
    filed: Filed, game: Game, history: Sequence[Record], earlier: Callable[[Version], Game], chance: Chance
) -> Decided | None:
    """Return what an act in a case changes in its game; None when it changes nothing there.

    A game that is over stays as it is: only the ruling has the result. For the decision `continue`, `game` is the fork
    that the ruling names. `history` is the whole log of `game`, and `earlier` returns `game` at an earlier version.
    Raises `Refusal`.
    """
    ruling = filed.ruling
    if ruling is None:
        return None
    cause = Cause(cause_of(filed.records[0]).player, case=filed.case.id)
    at = max(filed.records[0].at, history[-1].at)
    if ruling.decision == "continue" and ruling.to == game.id and game.status == "gathering":
        return officials.rule_start(game, cause, at)
    if game.status != "running":
        return None
    match ruling.decision:
        case "back" if isinstance(ruling.to, int):
            return officials.rule_back(game, ruling.to, ruling.reason, history, earlier, cause, at)
        case "result" if ruling.order is not UNSET:
            return officials.rule_result(game, ruling.order, ruling.reason, chance, cause, at)
        case "pause":
            return officials.rule_pause(game, ruling.reason, cause, at)
        case "resume":
            return officials.rule_resume(game, cause, at)
        case _:
            return None
