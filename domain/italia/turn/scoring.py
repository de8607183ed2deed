"""Victory points, which nations score by their cards (chapter VP). Points are whole numbers of half points.

`domain.italia.turn.winning` scores what nations hold at the end of a round. Other chapters call these functions when
something scores at once.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeVar

from domain.italia.box.cards import NationCard
from domain.italia.box.entries import (
    AreaAndCityPoints,
    AreaPoints,
    CityPoints,
    Deed,
    EliminationPoints,
    Holding,
    LeaderRetreatPoints,
    PitchedBattlePoints,
    RegionPoints,
    SackPoints,
    Scoring,
)
from domain.italia.box.pieces import FLEET, KINDS, LeaderId, NationId
from domain.italia.box.state import Battle
from domain.italia.box.table import Event, Table
from domain.kernel.ids import AreaId
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Count, Names

D = TypeVar("D", bound=Deed)

POINT: Final = 2
"""The halves of a point."""
SHARE: Final = 2
"""A subject keeps one of this many points (IT-SUB-12)."""


# --- what happens ---


class PointsScored(Event, frozen=True):
    """A nation scored by a line of its card (IT-VP-01).

    Attributes:
        halves: half points.
        entry: the place of the line among the scoring lines of the card, from 0.
        why: the kind of the line.
        shared: whether a subject scored them, so that they are still to be halved (IT-SUB-12).
    """

    rules = ("IT-VP-01", "IT-VP-08", "IT-VP-09", "IT-VP-11", "IT-VP-12", "IT-VP-13", "IT-VP-20", "IT-SUB-12")

    nation: NationId
    halves: int
    entry: Count
    why: str
    shared: bool = False

    def apply(self, table: Table) -> None:
        standing = table.nations[self.nation]
        if self.shared:
            table.change(self.nation, shared=standing.shared + self.halves)
        else:
            table.change(self.nation, points=standing.points + self.halves)

    def tell(self, names: Names) -> str:
        halved = " As subjects they keep half of it." if self.shared else ""
        return (
            f"The {names(self.nation)} scored {counted_points(self.halves)} for {WHY.get(self.why, self.why)}.{halved}"
        )


WHY: Final[Mapping[str, str]] = {
    "area": "areas that they hold",
    "city": "cities that they hold",
    "area-and-city": "areas with cities that they hold",
    "region": "a region that they hold",
    "eliminate": "eliminations",
    "sack": "a city that they sacked or raided",
    "pitched-battle": "a pitched battle",
    "submission": "the submission of a nation",
    "leader-retreat": "a leader who retreated",
    "exit": "units that left the game",
    "title": "a title",
}
"""What nations score for, by the kind of the line of their card."""


class SubjectScored(Event, frozen=True):
    """The points that a nation scored as a subject were halved and rounded up to whole points (IT-SUB-13).

    Attributes:
        halves: half points that it gets.
    """

    rules = ("IT-SUB-12", "IT-SUB-13", "IT-SUB-14")

    nation: NationId
    halves: int

    def apply(self, table: Table) -> None:
        table.change(self.nation, points=table.nations[self.nation].points + self.halves, shared=0)

    def tell(self, names: Names) -> str:
        return f"Of what they scored as a subject, the {names(self.nation)} kept {counted_points(self.halves)}."


def counted_points(halves: int) -> str:
    """Say a number of points: "3 points", "½ point", "-1½ points"."""
    whole, half = divmod(abs(halves), POINT)
    number = f"{whole or '' if half else whole}{'½' * half}"
    return f"{'-' * (halves < 0)}{number} point{'s' * (abs(halves) > POINT or not halves)}"


# --- what counts ---


def may_score(table: Table, nation: NationId) -> bool:
    """Tell whether a nation can score now: not outside its rounds, nor in a silent one (IT-VP-04, IT-I1-27)."""
    card = table.cards.nations[nation]
    return card.rounds[0] <= table.round <= card.rounds[1] and table.round not in card.silent_rounds


def score(draft: Draft[Table], nation: NationId, entry: Scoring, halves: int | None = None) -> None:
    """Give a nation half points for a line of its card; by default those of the line. For 0 nothing happens."""
    table = draft.table
    halves = entry.halves if halves is None else halves
    if halves:
        place = table.cards.nations[nation].scoring.index(entry)
        shared = table.nations[nation].overlord is not None
        draft.emit(PointsScored(nation, halves, place, str(entry.__struct_config__.tag), shared))


def deeds(table: Table, nation: NationId, kind: type[D]) -> list[D]:
    """Return the lines of a kind that count now."""
    lines = table.cards.nations[nation].scoring if may_score(table, nation) else ()
    return [entry for entry in lines if isinstance(entry, kind) and _counts(table, entry)]


def _counts(table: Table, entry: Deed) -> bool:
    limited = entry.rounds is not None and (
        entry.option is None or getattr(table.options, entry.option.replace("-", "_"))
    )
    return not limited or entry.rounds is None or entry.rounds[0] <= table.round <= entry.rounds[1]


def round_up(draft: Draft[Table]) -> None:
    """Halve what subjects have scored, and round it up to whole points (IT-SUB-13)."""
    for nation, standing in draft.table.nations.items():
        if standing.shared:
            points = -(-standing.shared // (POINT * SHARE))
            draft.emit(SubjectScored(nation, POINT * points))


# --- eliminations ---


def eliminated(
    draft: Draft[Table],
    victim: NationId,
    units: Mapping[Any, int],
    *,
    by: NationId,
    leaders: tuple[LeaderId, ...] = (),
    any_turn: bool = False,
) -> None:
    """Score units that were eliminated (IT-VP-13 to IT-VP-16). Call it when they have left the board.

    Args:
        draft: the draft that gets the points.
        victim: the nation that lost them.
        units: how many of each type, fleets among them.
        by: the nation that eliminated them.
        leaders: the leaders who were eliminated with them.
        any_turn: whether it counts as if done in the turn of `by` (IT-BLK-05, IT-I1-11).
    """
    table = draft.table
    own = any_turn or table.active == by
    lines = [
        entry
        for entry in deeds(table, by, EliminationPoints)
        if entry.nation in (None, victim) and (own or entry.any_turn)
    ]
    tally = Counter[int]()
    for piece in _pieces(table, victim, units, leaders) if lines else ():
        fitting = [number for number, entry in enumerate(lines) if piece & _targets(entry)]
        if fitting:
            tally[max(fitting, key=lambda number: _specificity(lines[number]))] += 1
    for number, times in sorted(tally.items()):
        score(draft, by, lines[number], times * lines[number].halves)


def _pieces(
    table: Table, victim: NationId, units: Mapping[Any, int], leaders: tuple[LeaderId, ...]
) -> Iterator[frozenset[str]]:
    """Yield for each piece the names under which a card can list it."""
    others, fleets = table.on_board(victim), units.get(FLEET, 0)
    land = [kind for kind in KINDS for _ in range(units.get(kind, 0))]
    for number, kind in enumerate(land, start=1):
        last_on_land = number == len(land) and not others.keys() - {FLEET}
        last = last_on_land and not others and not fleets
        yield frozenset({"any", kind, *["last-land-unit"] * last_on_land, *["last-unit"] * last})
    for number in range(1, fleets + 1):
        yield frozenset({"any", FLEET, *["last-unit"] * (number == fleets and not others)})
    for leader in leaders:
        yield frozenset({"any", "leader", f"leader {leader}"})


def _targets(entry: EliminationPoints) -> frozenset[str]:
    return frozenset({entry.unit if entry.leader is None else f"leader {entry.leader}"})


def _specificity(entry: EliminationPoints) -> tuple[int, ...]:
    """Return the rank of an entry: of several that fit an elimination, only the highest counts (IT-VP-20)."""
    unit = 3 if entry.leader is not None else 0 if entry.unit == "any" else 2 if entry.unit.startswith("last-") else 1
    return unit, entry.nation is not None, entry.halves


# --- other deeds ---


def sack_points(table: Table, nation: NationId, area: AreaId, *, raid: bool) -> SackPoints | None:
    """Return the line that counts for a city sacked or raided; None without any (IT-CTY-05, IT-RAI-07).

    Call it before the city is added to `Table.sacked`.
    """
    again = area in table.sacked.get(nation, ())
    fitting = [
        entry
        for entry in deeds(table, nation, SackPoints)
        if entry.city in (None, area) and entry.by in (None, "raid" if raid else "sack") and not (entry.first and again)
    ]
    return max(
        fitting,
        key=lambda entry: (entry.first, entry.city is not None, entry.halves),
        default=None,
    )


def leaders_retreated(draft: Draft[Table], nation: NationId, leaders: tuple[LeaderId, ...]) -> None:
    """Score each retreat of a leader from a battle on land (IT-I1-28)."""
    for entry in deeds(draft.table, nation, LeaderRetreatPoints):
        score(draft, nation, entry, entry.halves * len(leaders))


def pitched_battle(table: Table, battle: Battle, nation: NationId) -> PitchedBattlePoints | None:
    """Return the line that makes a battle, before its first round, a pitched one for a nation (IT-I1-08, IT-I1-22)."""
    enemy = battle.enemy(nation)
    own, other = (table.army(battle.place, side) for side in (nation, enemy))
    subjects = [each for each, standing in table.nations.items() if standing.overlord == nation]
    allies = sum(table.army(battle.place, each).size for each in subjects)
    for entry in deeds(table, nation, PitchedBattlePoints):
        size = own.size + (allies if entry.subjects_count else 0)
        if enemy in entry.against and min(size, other.size) >= entry.least and entry.leader in (None, *own.leaders):
            return entry
    return None


# --- what nations hold ---


def holdings(table: Table, nation: NationId) -> list[tuple[Scoring, int]]:
    """Return the lines that score what a nation holds at the end of this round, and their half points (IT-VP-02)."""
    card = table.cards.nations[nation]
    lines = card.scoring if may_score(table, nation) else ()
    entries = [entry for entry in lines if isinstance(entry, Holding) and entry.round == table.round]
    return [(entry, _halves(table, card, entry)) for entry in entries]


def _halves(table: Table, card: NationCard, entry: Holding) -> int:
    own = table.areas_of(card.id)
    match entry:
        case AreaPoints():
            return entry.halves * len({*own} & {*entry.at.on(table.map)})
        case CityPoints():
            places = own if entry.at is None else entry.at.on(table.map)
            return entry.halves * sum(table.has_city(area) for area in own if area in places)
        case AreaAndCityPoints():
            return entry.halves * sum(table.has_city(area) for area in entry.at.on(table.map) if area in own)
        case RegionPoints():
            return _region(table, card.id, entry)
        case _:
            raise AssertionError(f"there is no such line: {entry!r}")


def _region(table: Table, nation: NationId, entry: RegionPoints) -> int:
    """Return the half points of a region: empty areas, and those of subjects, count as controlled (IT-VP-11)."""
    areas = [area for area in table.map.lands if entry.region in table.map.area(area).traits["region"]]
    if not any(nation in table.armies.get(area, {}) for area in areas):
        return 0
    foreign = sum(_is_foreign(table, nation, area) for area in areas)
    if not entry.halves_less:
        return 0 if foreign else entry.halves
    return max(0, entry.halves - foreign * entry.halves_less)


def _is_foreign(table: Table, nation: NationId, area: AreaId) -> bool:
    holders = table.armies.get(area, {})
    return nation not in holders and any(table.nations[holder].overlord != nation for holder in holders)


EVENTS = (PointsScored, SubjectScored)
