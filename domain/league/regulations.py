"""The regulations of a league: data in its log that decide its tables and divisions (TAB-LGE-02)."""

from collections.abc import Iterator
from typing import Final, Literal, get_args

from msgspec import Struct

from domain.kernel.rules.refusal import Refusal

MOST_DIVISIONS: Final = 10
MOST_PLACES: Final = 100
MOST_POINTS: Final = 1_000
"""The most points for a place, or of a penalty."""
MOST_TOURNAMENTS: Final = 30
"""The most tournaments of a season."""
MOST_MOVES: Final = 100
"""The most players who go up, or down, over a border between two divisions."""

Entry = Literal["members", "everybody"]
"""Who may enter a tournament of a division: only its members, or everybody."""

LeagueTieBreak = Literal["wins", "places", "meetings", "all", "last"]
"""What decides between players with the same points; `table.py` says what each counts."""
LEAGUE_TIE_BREAKS: Final[tuple[LeagueTieBreak, ...]] = get_args(LeagueTieBreak)


class Regulations(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The regulations of a league.

    Attributes:
        points: what the first place of a tournament earns, the second, and so on; later places earn nothing. Those who
            tie share the points of their places.
        best: how many of a player's results count in a season, the best ones.
        divisions: how many divisions there are.
        up: how many go up over each border between two divisions.
        down: how many go down.
        entry: whether only those who belong to a division enter its tournaments, or everybody.
        tie_breaks: what decides between players with the same points, in this order.
    """

    points: tuple[int, ...]
    best: int
    divisions: int = 1
    up: int = 0
    down: int = 0
    entry: Entry = "members"
    tie_breaks: tuple[LeagueTieBreak, ...] = LEAGUE_TIE_BREAKS

    def points_of(self, place: int) -> int:
        """Return the points of a place; the first place is 0."""
        return self.points[place] if place < len(self.points) else 0


def require_sound_league(regulations: Regulations) -> None:
    """Raise `Refusal` unless a league can be played by these regulations (TAB-LGE-02)."""
    for wrong, right in _faults(regulations):
        raise Refusal("TAB-LGE-02", wrong, right)


def _faults(regulations: Regulations) -> Iterator[tuple[str, str]]:
    """Yield what is wrong, and what would be right."""
    points = regulations.points
    most = MOST_MOVES if regulations.divisions > 1 else 0
    for value, name, least, greatest in (
        (len(points), "the number of points", 1, MOST_PLACES),
        (regulations.best, "best", 1, MOST_TOURNAMENTS),
        (regulations.divisions, "divisions", 1, MOST_DIVISIONS),
        (regulations.up, "up", 0, most),
        (regulations.down, "down", 0, most),
    ):
        if not least <= value <= greatest:
            where = "" if most or name not in ("up", "down") else " in a league of one division"
            yield f"The regulations have {name} = {value}.", f"Expected {least} to {greatest}{where}."
    if any(not 0 <= each <= MOST_POINTS for each in points) or not points[0]:
        yield "The points are out of bounds.", f"Points are 0 to {MOST_POINTS:,}, and 1 or more for the first place."
    if list(points) != sorted(points, reverse=True):
        yield "The points rise with the place.", "A later place never has more points than an earlier one."
    if len(set(regulations.tie_breaks)) != len(regulations.tie_breaks):
        yield "A tie-break stands there twice.", "Name each tie-break once."
