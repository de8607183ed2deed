"""Cities: how they are built, and who owns them (chapter CTY)."""

from domain.campaign.box.table import Event, Table
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names


class CityBuilt(Event, frozen=True):
    """A player built a city (CS-CTY-01, CS-CTY-03)."""

    rules = ("CS-CTY-01", "CS-CTY-03")
    places = (("province", "at"),)

    seat: Seat
    province: AreaId

    def apply(self, table: Table) -> None:
        table.set_city(self.province, self.seat)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} built a city in {names(self.province)}."


class CityTaken(Event, frozen=True):
    """A city changed hands: its owner's army was beaten (CS-CTY-04) or absent (CS-CTY-05)."""

    rules = ("CS-CTY-04", "CS-CTY-05")
    places = (("province", "lost"),)

    seat: Seat
    province: AreaId
    owner: Seat

    def apply(self, table: Table) -> None:
        table.set_city(self.province, self.seat)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} took {names(self.owner)}'s city in {names(self.province)}."


def sites(table: Table, provinces: tuple[AreaId, ...]) -> list[AreaId]:
    """Return the ones of these provinces where a city can be built: those without a city (CS-CTY-02)."""
    return [area for area in dict.fromkeys(provinces) if table.provinces[area].city is None]


def occupy(draft: Draft[Table], area: AreaId, seat: Seat) -> None:
    """Take a city where its owner has no military unit (CS-CTY-05, -06). Call it when land units end a move there."""
    owner = draft.table.provinces[area].city
    if owner is not None and owner != seat and not draft.table.army(area, owner).units.total:
        draft.emit(CityTaken(seat, area, owner))


def conquer(draft: Draft[Table], area: AreaId, winner: Seat, loser: Seat) -> None:
    """Take the city of a beaten defender, if the attacker has a land unit left there to hold it (CS-CTY-04)."""
    table = draft.table
    if table.provinces[area].city == loser and winner in table.provinces[area].armies:
        draft.emit(CityTaken(winner, area, loser))


EVENTS = (CityBuilt, CityTaken)
