"""Phase 4, destruction of cities (chapter DES)."""

from collections.abc import Iterable

from domain.classic.box.state import RoadId
from domain.classic.box.table import Command, Event, Table
from domain.classic.economy import sites
from domain.classic.turn import turn
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Names
from domain.kernel.rules.refusal import Refusal


class CitiesDestroyed(Event, frozen=True):
    """Cities were removed with their fortifications and all their roads (CC-DES-02, CC-DES-03).

    Attributes:
        provinces: where the cities stood.
    """

    rules = ("CC-DES-02", "CC-DES-03")
    places = (("provinces", "lost"),)

    seat: Seat
    provinces: tuple[AreaId, ...]
    roads: tuple[RoadId, ...] = ()

    def apply(self, table: Table) -> None:
        for province in self.provinces:
            table.change_province(province, city=False, fortified=False)
        for road in self.roads:
            table.roads.remove(road)

    def tell(self, names: Names) -> str:
        roads = f" with {len(self.roads)} road{'s' if len(self.roads) > 1 else ''}" if self.roads else ""
        cities = "the city" if len(self.provinces) == 1 else "the cities"
        return f"{names(self.seat)} destroyed {cities} of {names.all(self.provinces)}{roads}."


class CitiesSpared(Event, frozen=True):
    """The active player destroyed nothing (CC-DES-01).

    Attributes:
        automatic: whether they have no city.
    """

    rules = ("CC-DES-01",)

    seat: Seat
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        pass

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} {'has no city to destroy' if self.automatic else 'destroyed no city'}."


class DestroyCities(Command, frozen=True):
    """Destroy some of your own cities, any number at once (CC-DES-01).

    Attributes:
        provinces: where the cities stand.
    """

    rules = ("CC-DES-01",)
    answers = frozenset({"destroy"})
    gesture = Gesture(to="provinces")

    provinces: tuple[AreaId, ...]

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        own = sites.cities(table, seat)
        wrong = f"You asked to destroy the cities of {', '.join(self.provinces) or 'no province'}."
        if not self.provinces or len(set(self.provinces)) < len(self.provinces):
            allowed = "Name one or more provinces, each once. To destroy no city, send finish-destruction."
            raise Refusal("CC-DES-01", wrong, allowed)
        if not set(self.provinces).issubset(own):
            raise Refusal("CC-DES-01", wrong, f"You have cities in: {', '.join(own) or 'no province'}.")
        provinces = set(self.provinces)
        roads = tuple(road for road in sorted(table.roads) if not provinces.isdisjoint(road.split("|")))
        draft.emit(CitiesDestroyed(seat, self.provinces, roads))
        turn.enter(draft, "purchase")

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if own := sites.cities(table, seat):
            yield cls.option("Destroy cities", {"provinces": schema.subset(own, 1)})


class FinishDestruction(Command, frozen=True):
    """Destroy no city."""

    rules = ("CC-DES-01",)
    answers = frozenset({"destroy"})
    gesture = Gesture(quiet=True, called="Destroy no city")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        draft.emit(CitiesSpared(seat))
        turn.enter(draft, "purchase")

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option()


def destroy(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the active player which cities to destroy; go on where they have none."""
    own = sites.cities(table, table.acting)
    if not own:
        return _spare
    rule, title = RuleId("CC-DES-01"), "Which of your cities do you destroy, if any?"
    return [Decision("destroy", (table.acting,), rule, title, "The purchase phase follows.", {"cities": own})]


def _spare(draft: Draft[Table]) -> None:
    draft.emit(CitiesSpared(draft.table.acting, automatic=True))
    turn.enter(draft, "purchase")


EVENTS = (CitiesDestroyed, CitiesSpared)
COMMANDS = (DestroyCities, FinishDestruction)
