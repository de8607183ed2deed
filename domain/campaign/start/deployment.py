"""The initial deployment in season 1 (chapter DEP)."""

from collections.abc import Iterable

from domain.campaign.box.state import Army
from domain.campaign.box.table import Command, Event, Table
from domain.campaign.turn import season
from domain.conquest.pieces import Units
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Count, Names
from domain.kernel.rules.refusal import Refusal, or_none

DEPLOY = frozenset({"deploy"})

# --- what happens ---


class DeploymentBegan(Event, frozen=True):
    """A player began to deploy all their starting units (CS-DEP-02, CS-SET-03)."""

    rules = ("CS-DEP-01", "CS-DEP-02", "CS-SET-03")

    seat: Seat

    def apply(self, table: Table) -> None:
        start = table.data.start
        table.deploying = {
            "infantry": start.infantry,
            "cavalry": start.cavalry,
            "catapults": start.catapults,
            "galleys": start.galleys,
            "generals": start.generals,
        }
        table.deploying_caesar = True

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} deploys."


class ArmyDeployed(Event, frozen=True):
    """A player placed starting land units in a province with their influence (CS-DEP-03)."""

    rules = ("CS-DEP-03",)
    places = (("province", "at"),)

    seat: Seat
    province: AreaId
    army: Army
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.set_army(self.province, self.seat, table.army(self.province, self.seat) + self.army)
        units = self.army.units
        table.deploying["infantry"] -= units.infantry
        table.deploying["cavalry"] -= units.cavalry
        table.deploying["catapults"] -= units.catapults
        table.deploying["generals"] -= self.army.generals
        table.deploying_caesar = table.deploying_caesar and not self.army.caesar

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} placed {self.army} in {names(self.province)}."


class GalleyDeployed(Event, frozen=True):
    """A player placed their galley in a sea zone adjacent to a province with their influence (CS-DEP-04)."""

    rules = ("CS-DEP-04",)
    places = (("sea", "at"),)

    seat: Seat
    sea: AreaId
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.add_galleys(self.sea, self.seat, 1)
        table.deploying["galleys"] -= 1

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} placed a galley in {names(self.sea)}."


class DeploymentEnded(Event, frozen=True):
    """A player had deployed everything; a galley without a sea zone stayed in the supply (CS-DEP-04)."""

    rules = ("CS-DEP-02", "CS-DEP-04")

    seat: Seat

    def apply(self, table: Table) -> None:
        table.deploying.clear()
        table.done.append(self.seat)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} has deployed."


# --- what may be placed where ---


def _provinces(table: Table, seat: Seat) -> list[AreaId]:
    return [area for area, province in sorted(table.provinces.items()) if seat in province.influence]


def _seas(table: Table, seat: Seat) -> list[AreaId]:
    return sorted({sea for area in _provinces(table, seat) for sea in table.seas_of(area)})


def _units_to_place(table: Table) -> Army:
    """Return the land units that the active player must still place."""
    supply = table.deploying
    units = Units(supply["infantry"], supply["cavalry"], supply["catapults"])
    return Army(units, supply["generals"], table.deploying_caesar)


class Deploy(Command, frozen=True):
    """Place some of your starting land units in a province with your influence (CS-DEP-03).

    Attributes:
        caesar: 1 when the Caesar is among them.
        generals: how many Generals are among them.
    """

    rules = ("CS-DEP-03",)
    answers = DEPLOY
    gesture = Gesture(to="province", counts=("infantry", "cavalry", "catapults", "generals", "caesar"))

    province: AreaId
    infantry: Count = 0
    cavalry: Count = 0
    catapults: Count = 0
    generals: Count = 0
    caesar: Count = 0

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, army = draft.table, _units_to_place(draft.table)
        units = Units(self.infantry, self.cavalry, self.catapults)
        wrong = f"You cannot place {Army(units, self.generals, bool(self.caesar))} in {self.province}."
        if self.province not in (provinces := _provinces(table, seat)):
            raise Refusal("CS-DEP-03", wrong, f"Place units where you have influence: {', '.join(provinces)}.")
        if not units.within(army.units) or self.generals > army.generals or self.caesar > army.caesar:
            raise Refusal("CS-SET-03", wrong, f"You have {army} left to place.")
        if not units.total + self.generals + self.caesar:
            raise Refusal("CS-DEP-03", wrong, "Place at least one unit.")
        draft.emit(ArmyDeployed(seat, self.province, Army(units, self.generals, bool(self.caesar))))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        army = _units_to_place(table)
        counts = {**army.units.by_type, "generals": army.generals, "caesar": int(army.caesar)}
        pieces = {kind: schema.count(0, number) for kind, number in counts.items() if number}
        if pieces:
            total = schema.exactly(1, pieces) | {"maximum": sum(counts.values())}
            fields = {"province": schema.one_of(_provinces(table, seat)), **pieces}
            yield cls.option("Place land units", fields, x_total=total)


class DeployGalley(Command, frozen=True):
    """Place your starting galley in a sea zone adjacent to a province with your influence (CS-DEP-04)."""

    rules = ("CS-DEP-04",)
    answers = DEPLOY
    gesture = Gesture(to="sea")

    sea: AreaId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        wrong = f"You cannot place a galley in {self.sea}."
        if not table.deploying.get("galleys"):
            raise Refusal("CS-SET-03", wrong, "You have no galley left to place.")
        if self.sea not in (seas := _seas(table, seat)):
            raise Refusal("CS-DEP-04", wrong, f"Sea zones beside your influence: {or_none(seas)}.")
        draft.emit(GalleyDeployed(seat, self.sea))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if table.deploying.get("galleys"):
            yield cls.option("Place your galley", {"sea": schema.one_of(_seas(table, seat))})


# --- the steps ---


def deploy(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask each player in turn order to place everything; what can go to one place only is placed automatically."""
    seat = table.active
    if seat is None:
        return season.begin_round
    if not table.deploying:
        return lambda draft: draft.emit(DeploymentBegan(seat))
    army, provinces, seas = _units_to_place(table), _provinces(table, seat), _seas(table, seat)
    if army != Army() and len(provinces) == 1:
        return lambda draft: draft.emit(ArmyDeployed(seat, provinces[0], army, automatic=True))
    galleys = table.deploying["galleys"] if seas else 0
    if galleys and len(seas) == 1:
        return lambda draft: draft.emit(GalleyDeployed(seat, seas[0], automatic=True))
    if army == Army() and not galleys:
        return lambda draft: draft.emit(DeploymentEnded(seat))
    about = {"left": {**army.units.by_type, "generals": army.generals, "caesar": int(army.caesar), "galleys": galleys}}
    title, depends = "Where do you place your units?", "The next player deploys when everything is placed."
    return [Decision("deploy", (seat,), RuleId("CS-DEP-02"), title, depends, about)]


EVENTS = (DeploymentBegan, ArmyDeployed, GalleyDeployed, DeploymentEnded)
COMMANDS = (Deploy, DeployGalley)
