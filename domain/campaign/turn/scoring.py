"""Victory points and chaos at the end of a season (chapters VPS and CHS)."""

from collections import Counter
from collections.abc import Mapping, Sequence

from domain.campaign.box.table import Event, Table
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Count, Names, enumerated

CITY_CALMS = 3
"""Chaos points that each own city takes away (CS-CHS-02)."""
PENALTIES = (10, 5)
"""Victory points that most and second most chaos cost (CS-CHS-03, CS-CHS-04)."""


class ProvincesScored(Event, frozen=True):
    """The key provinces brought victory points (CS-VPS-01).

    Attributes:
        points: what each province brought, and to whom.
    """

    rules = ("CS-VPS-01", "CS-VPS-02", "CS-VPS-03", "CS-VPS-04")

    points: dict[AreaId, dict[Seat, int]]

    def apply(self, table: Table) -> None:
        for each in self.points.values():
            for seat, points in each.items():
                table.change_player(seat, points=table.players[seat].points + points)

    def tell(self, names: Names) -> str:
        each = [
            f"{names(area)}: {enumerated([f'{names(seat)} {points}' for seat, points in sorted(of.items())])}"
            for area, of in sorted(self.points.items())
        ]
        if not each:
            return "Nobody has influence anywhere."
        totals = sum((Counter(of) for of in self.points.values()), Counter[Seat]())
        sums = enumerated([f"{names(seat)} {points}" for seat, points in sorted(totals.items())])
        return f"Victory points: {sums}. {'; '.join(each)}."


class ChaosRevealed(Event, frozen=True):
    """Everybody revealed their chaos (CS-CHS-01); cities reduced it (CS-CHS-02), and most and second most cost points.

    Attributes:
        chaos: what each player is left with.
        lost: the victory points that each player lost.
    """

    rules = ("CS-CHS-01", "CS-CHS-02", "CS-CHS-03", "CS-CHS-04", "CS-CHS-05", "CS-CHS-06", "CS-TOK-09")

    chaos: dict[Seat, Count]
    lost: dict[Seat, Count]

    def apply(self, table: Table) -> None:
        for seat, chaos in self.chaos.items():
            points = table.players[seat].points - self.lost.get(seat, 0)
            table.change_player(seat, chaos=chaos, shown=chaos, points=points)

    def tell(self, names: Names) -> str:
        each = [f"{names(seat)} {chaos}" for seat, chaos in sorted(self.chaos.items())]
        losses = enumerated([f"{names(seat)} {points}" for seat, points in sorted(self.lost.items())])
        return f"Chaos: {enumerated(each)}.{f' Victory points lost: {losses}.' if losses else ''}"


def ranked(counts: Mapping[Seat, int], prizes: Sequence[int]) -> dict[Seat, int]:
    """Return the prize of each player who gets one: the first for the largest count, and so on (CS-VPS-01).

    Players with the same count share a place, each gets its whole prize, and the next count is the next place
    (CS-VPS-02, CS-VPS-03). Nobody gets anything for 0 (CS-VPS-04, CS-CHS-06).
    """
    ranks = sorted({count for count in counts.values() if count > 0}, reverse=True)
    by_count = dict(zip(ranks, prizes, strict=False))
    return {seat: by_count[count] for seat, count in counts.items() if count in by_count}


def score(draft: Draft[Table]) -> None:
    """Score the key provinces, then chaos."""
    table = draft.table
    points: dict[AreaId, dict[Seat, int]] = {}
    for area in table.keys:
        key = table.map.area(area).key
        assert key is not None, "a key province"
        if scored := ranked(table.provinces[area].influence, key.vp):
            points[area] = scored
    draft.emit(ProvincesScored(points))
    cities = [province.city for province in table.provinces.values()]
    chaos = {seat: max(0, table.players[seat].chaos - CITY_CALMS * cities.count(seat)) for seat in table.seats}
    draft.emit(ChaosRevealed(chaos, ranked(chaos, PENALTIES)))


EVENTS = (ProvincesScored, ChaosRevealed)
