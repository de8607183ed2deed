"""The dice ledger: how often each face came up, by ruleset, game and seat. It includes rolls that were taken back."""

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress

from msgspec import Struct

from domain.kernel.ids import GameId, Seat
from domain.kernel.rules.ruleset import Library
from projections.change import Add, Change, Table
from projections.fairness import FairnessTest, fairness
from projections.projection import Happened, Projection
from projections.store import Rows

FACES = Table(
    "faces",
    {"game": "text", "ruleset": "text", "die": "text", "seat": "text", "face": "text"},
    {"times": "number"},
    (("ruleset", "die", "face"),),
)
"""`seat` is empty for dice that belong to no seat."""


class FaceCount(Struct, frozen=True):
    """A face of a die.

    Attributes:
        face: the face.
        times: how often it came up.
        expected: how often it would come up if each side of the die came up equally often.
    """

    face: str
    times: int
    expected: float


class DieTally(Struct, frozen=True):
    """All rolls of one kind of die, those that were taken back included.

    Attributes:
        ruleset: the ruleset in whose games it was rolled.
        die: the kind of die.
        rolled: how many dice were rolled.
        faces: what they showed.
        fairness: whether that looks like chance; null while there are too few dice to say.
    """

    ruleset: str
    die: str
    rolled: int
    faces: tuple[FaceCount, ...]
    fairness: FairnessTest | None


class DiceLedger(Projection):
    """Counts of faces."""

    name = "dice"
    version = 1
    tables = (FACES,)
    heeds = "ruleset"

    def fold(self, happened: Happened) -> Iterable[Change]:
        ruleset = happened.ruleset
        for rolled in ruleset.rolled(happened.event):
            for face, times in Counter(rolled.faces).items():
                key = {
                    "game": happened.game,
                    "ruleset": ruleset.id,
                    "die": rolled.die,
                    "seat": rolled.seat or "",
                    "face": face,
                }
                yield Add(FACES, key, {"times": times})


DICE = DiceLedger()


async def counts(
    rows: Rows, ruleset: str | None = None, game: GameId | None = None, seat: Seat | None = None
) -> dict[tuple[str, str], dict[str, int]]:
    """Return how often each face came up, by ruleset and die. None counts all rulesets, games or seats."""
    filters = {"ruleset": ruleset, "game": game, "seat": seat}
    conditions = {name: value for name, value in filters.items() if value is not None}
    where = " AND ".join(f"{name} = ?" for name in conditions) or "1 = 1"
    selection = await rows.select(
        DICE,
        f"SELECT ruleset, die, face, SUM(times) FROM {{faces}} WHERE {where}"
        " GROUP BY ruleset, die, face ORDER BY ruleset, die",
        list(conditions.values()),
    )
    result: dict[tuple[str, str], dict[str, int]] = {}
    for of_ruleset, die, face, times in selection:
        result.setdefault((of_ruleset, die), {})[face] = int(times)
    return result


def tally(library: Library, ruleset: str, die: str, face_counts: Mapping[str, int]) -> DieTally:
    """Return the tally of a die from the counts of its faces.

    If the library does not know the die, its faces are those that came up, one side each.
    """
    sides = tuple(face_counts)
    with suppress(LookupError):
        sides = library.current(ruleset).dice.get(die) or sides
    on_sides = Counter(sides)
    rolled = sum(face_counts.values())
    faces = tuple(
        FaceCount(face, face_counts.get(face, 0), rolled * number / len(sides)) for face, number in on_sides.items()
    )
    return DieTally(
        ruleset, die, rolled, faces, fairness([face.times for face in faces], [on_sides[face.face] for face in faces])
    )
