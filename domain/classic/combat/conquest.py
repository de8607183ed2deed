"""Who conquers a province, with or without a battle, and which galleys on its coasts are destroyed (chapter CON,
CC-SEA-30 to CC-SEA-35).

`tribute` and `purchase` say what a lost Home Province costs (CC-CON-09 to CC-CON-11).
"""

from collections import defaultdict

from domain.classic.box.pieces import GalleyId
from domain.classic.box.table import Event, Table
from domain.classic.turn import inflation
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names

# --- what happens ---


class ProvinceConquered(Event, frozen=True):
    """A province changed hands, with its city, fortification and roads (CC-CON-07).

    Attributes:
        seat: who controls it from now on.
        former: who controlled it before; null for a neutral province.
    """

    rules = ("CC-CON-07",)
    places = (("province", "lost"),)

    province: AreaId
    seat: Seat
    former: Seat | None = None

    def apply(self, table: Table) -> None:
        table.change_province(self.province, owner=self.seat)

    def tell(self, names: Names) -> str:
        loser = f" from {names(self.former)}" if self.former else ""
        return f"{names(self.seat)} conquered {names(self.province)}{loser}."


class GalleysDestroyed(Event, frozen=True):
    """Galleys on the coasts of a province were destroyed.

    That happens after a battle (CC-SEA-30, CC-SEA-31), by a conquest without battle (CC-SEA-34, CC-SEA-35), or as the
    combat phase ends (CC-SEA-33).

    Attributes:
        rule: the rule by which they were destroyed.
    """

    rules = ("CC-SEA-30", "CC-SEA-34")
    places = (("province", "lost"),)

    province: AreaId
    owner: Seat
    galleys: tuple[GalleyId, ...]
    rule: RuleId

    def apply(self, table: Table) -> None:
        for galley in self.galleys:
            del table.galleys[galley]

    def tell(self, names: Names) -> str:
        return f"{names(self.owner)} lost {names.all(self.galleys)} on the coast of {names(self.province)}."


# --- control ---


def occupy(draft: Draft[Table]) -> None:
    """As the combat phase begins, give the acting player each province in which only they have an army (CC-CON-06).

    A single land combat unit is enough (CC-CON-05); leaders and galleys neither conquer nor defend (CC-CON-02, -08).
    """
    table, seat = draft.table, draft.table.acting
    provinces = [
        area
        for area in table.map.lands
        if (place := table.provinces[area]).owner != seat and seat in place.armies and len(place.armies) == 1
    ]
    for province in provinces:
        _take(draft, province, seat)
    if provinces:
        inflation.watch(draft)


def after_retreat(draft: Draft[Table], province: AreaId, seat: Seat) -> None:
    """Conquer the province into which units of `seat` retreated, if it is not already theirs (CC-RET-21)."""
    if draft.table.provinces[province].owner != seat:
        _take(draft, province, seat)
        inflation.watch(draft)


def _take(draft: Draft[Table], province: AreaId, seat: Seat) -> None:
    """Conquer without battle; the former owner's galleys there are destroyed (CC-SEA-34, CC-SEA-35)."""
    table = draft.table
    former = table.provinces[province].owner
    draft.emit(ProvinceConquered(province, seat, former))
    if former is not None:
        _destroy(draft, province, former, table.edition.cite("CC-SEA-34"))


def after_battle(draft: Draft[Table], province: AreaId, attacker: Seat, *, attacker_won: bool) -> None:
    """Decide who controls the province, and which galleys on its coasts are destroyed.

    An attacker who wins has a land combat unit left and takes the province (CC-CON-01). All galleys of others there are
    destroyed (CC-SEA-30). Otherwise the province does not change hands, even if the defender has no unit left there.
    The attacker's galleys are then destroyed only in the edition that says so (CC-SEA-31, CC-SEA-32).
    """
    if attacker_won:
        draft.emit(ProvinceConquered(province, attacker, draft.table.provinces[province].owner))
        inflation.watch(draft)
        for enemy in draft.table.playing():  # also third players: in 2005 any coast is open to them (CC-SEA-24)
            if enemy != attacker:
                _destroy(draft, province, enemy, "CC-SEA-30")
    elif draft.table.edition.galleys_die_on_foreign_coasts:
        _destroy(draft, province, attacker, "CC-SEA-31")


# --- galleys on coasts ---


def sink_on_foreign_coasts(draft: Draft[Table]) -> None:
    """Destroy every galley on a coast that another player controls, as the combat phase ends (CC-SEA-33).

    This holds for the galleys of all players, in the edition that says so. Own and neutral coasts are safe.
    """
    table = draft.table
    if not table.edition.galleys_die_on_foreign_coasts:
        return
    doomed: defaultdict[tuple[AreaId, Seat], list[str]] = defaultdict(list)
    for name, galley in table.galleys.items():
        if galley.coast is not None and table.provinces[galley.at].owner not in (None, galley.owner):
            doomed[galley.at, galley.owner].append(name)
    for (province, owner), galleys in sorted(doomed.items()):
        draft.emit(GalleysDestroyed(province, owner, tuple(sorted(galleys)), RuleId("CC-SEA-33")))


def _destroy(draft: Draft[Table], province: AreaId, owner: Seat, rule: str) -> None:
    if galleys := draft.table.galleys_at(province, owner):
        draft.emit(GalleysDestroyed(province, owner, tuple(sorted(galleys)), RuleId(rule)))


EVENTS = (ProvinceConquered, GalleysDestroyed)
