"""Results after rulings: which game counts for a finished one, and who has won.

A ruling may give a game that is over another result, or let it continue in a fork. The ruling holds from its moment on,
until a newer ruling replaces it. A fork that no ruling named counts nowhere.
"""

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from domain.judging.outcome import Judgment, holding
from domain.kernel.ids import CaseId, GameId, Seat
from domain.kernel.rules.ruleset import Order
from projections.change import Change, Drop, Put, Table
from projections.projection import Judged, Projection
from projections.store import Rows

RULINGS = Table(
    "rulings",
    {"game": "text", "dispute": "text"},
    {"root": "text", "number": "number", "at": "text", "placed": "text", "continued_in": "text"},
    (("root",),),
)
"""The rulings in force on games that are over, by game and case. `root` is the first game of the chain of forks, and
`placed` the order of the seats, JSON."""


class Outcome(Struct, frozen=True):
    """The result of a game after all rulings.

    Attributes:
        game: the game whose end counts: itself, or the last one in which rulings let it continue.
        order: how the seats of that game finished by a ruling; None when its own end counts.
        ruled_by: the case whose ruling on the game itself holds; None when there is none.
        continued_in: the game in which that ruling lets it continue; None when it gave the result.
    """

    game: GameId
    order: Order | None = None
    ruled_by: CaseId | None = None
    continued_in: GameId | None = None

    @property
    def winners(self) -> tuple[Seat, ...] | None:
        """The winners by a ruling; None when the game's own end counts."""
        return None if self.order is None else (self.order[0] if self.order else ())


def changes_by(judged: Judged) -> Iterable[Change]:
    """Return the changes of `RULINGS` by a ruling on a finished game."""
    key = {"game": judged.game, "dispute": judged.case}
    judgment = judged.judgment
    if judgment is None:
        yield Drop(RULINGS, key)
        return
    yield Put(
        RULINGS,
        key,
        {
            "root": judged.root,
            "number": judgment.number,
            "at": judgment.at,
            "placed": msgspec.json.encode(judgment.order).decode(),
            "continued_in": judgment.continued_in or "",
        },
    )


async def outcomes(rows: Rows, projection: Projection, roots: Sequence[GameId]) -> dict[GameId, Outcome]:
    """Return the results of games that are no forks, if a ruling in the projection's `RULINGS` concerns them."""
    if not roots:
        return {}
    marks = ", ".join("?" * len(roots))
    selection = await rows.select(
        projection,
        f"SELECT root, game, dispute, number, at, placed, continued_in FROM {{rulings}} WHERE root IN ({marks})",
        roots,
    )
    judgments: dict[GameId, list[Judgment]] = {}
    for _, game, case, number, at, placed, continued_in in selection:
        order = msgspec.json.decode(placed, type=Order)
        judgments.setdefault(game, []).append(Judgment(case, number, at, order, continued_in or None))
    return {root: _outcome(root, judgments) for root in {row[0] for row in selection}}


def _outcome(root: GameId, judgments: dict[GameId, list[Judgment]]) -> Outcome:
    first = last = holding(judgments.get(root, ()))
    game = root
    # This ends: a game continues only in its own forks, and forks have a greatest depth.
    while last is not None and last.continued_in is not None:
        game = last.continued_in
        last = holding(judgments.get(game, ()))
    return Outcome(
        game,
        last.order if last is not None else None,
        first.case if first is not None else None,
        first.continued_in if first is not None else None,
    )
