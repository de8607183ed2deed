"""Declaring naval battles, and dividing a fleet against several opponents (CC-NAV-01 to -03 and -17 to -20)."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from domain.classic.box.state import NavalPlan
from domain.classic.box.table import Command, Event, Table, combat_of
from domain.classic.combat import naval
from domain.classic.combat.fights import FIGHT, fleets, left_to_fight
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal, or_none

# --- what happens ---


class NavalBattleDeclared(Event, frozen=True):
    """The active player declared battle in a sea zone (CC-NAV-01).

    Attributes:
        plans: the battles there, one for each opponent; each galley of the active player is in one (CC-NAV-19).
    """

    rules = ("CC-NAV-01",)
    places = (("sea", "at"),)

    sea: AreaId
    plans: tuple[NavalPlan, ...]

    def apply(self, table: Table) -> None:
        combat = combat_of(table)
        table.combat = replace(combat, naval=combat.naval + self.plans, seas=_without(combat.seas, self.sea))

    def tell(self, names: Names) -> str:
        opponents = names.all(plan.opponent for plan in self.plans)
        return f"Battle was declared on {opponents} in {names(self.sea)}."


class NavalBattleDeclined(Event, frozen=True):
    """The active player did not attack the other galleys in a sea zone (CC-NAV-17)."""

    rules = ("CC-NAV-17",)
    places = (("sea", "at"),)

    sea: AreaId

    def apply(self, table: Table) -> None:
        combat = combat_of(table)
        table.combat = replace(combat, seas=_without(combat.seas, self.sea))

    def tell(self, names: Names) -> str:
        return f"No battle was declared in {names(self.sea)}."


def _without(areas: Sequence[AreaId], area: AreaId) -> tuple[AreaId, ...]:
    return tuple(other for other in areas if other != area)


# --- what the active player chooses ---


class FightAtSea(Command, frozen=True):
    """Attack the galleys of one opponent in a sea zone with all your galleys there (CC-NAV-01, CC-NAV-18, CC-NAV-20).

    If you divided your fleet, only the part assigned to this opponent fights, in any order (CC-NAV-19, CC-BAT-04).
    """

    rules = ("CC-NAV-01", "CC-NAV-18", "CC-NAV-20", "CC-NAV-19", "CC-BAT-04")
    answers = FIGHT
    gesture = Gesture(to="sea", targets=("opponent",))

    sea: AreaId
    opponent: Seat

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        plans = [plan for plan in left_to_fight(draft.table).naval if plan.sea == self.sea]
        if not plans:
            galleys, opponents = _contested(draft.table, self.sea)
            plan = NavalPlan(self.sea, self.opponent, tuple(galleys))
            rule = "CC-NAV-02"
        else:
            opponents = [plan.opponent for plan in plans]
            plan = next((plan for plan in plans if plan.opponent == self.opponent), plans[0])
            rule = "CC-NAV-19"
        if self.opponent not in opponents:
            wrong = f"You cannot fight {self.opponent} in {self.sea}."
            raise Refusal(rule, wrong, f"Your opponents there: {or_none(opponents)}.")
        if not plans:
            draft.emit(NavalBattleDeclared(self.sea, (plan,)))
        naval.begin(draft, plan)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        fights = left_to_fight(table)
        opponents = {sea: others for sea, (_, others) in fights.seas.items()}
        for plan in fights.naval:
            opponents[plan.sea] = [*opponents.get(plan.sea, ()), plan.opponent]
        for sea, others in opponents.items():
            title = f"Fight a naval battle in {table.names(sea)}"
            yield cls.option(title, {"sea": schema.const(sea), "opponent": schema.one_of(others)})


class DivideFleet(Command, frozen=True):
    """Assign your galleys in a sea zone to several opponents, for the whole combat phase (CC-NAV-19).

    Each part then fights its own battle.

    Attributes:
        against: the opponent of each galley, in the order in which the decision lists the galleys (by id). All may have
            the same opponent.
    """

    rules = ("CC-NAV-19",)
    answers = FIGHT
    gesture = Gesture(to="sea", targets=("against",))

    sea: AreaId
    against: tuple[Seat, ...]

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        galleys, opponents = _contested(draft.table, self.sea)
        wrong = f"You cannot divide your fleet in {self.sea} against {or_none(self.against)}."
        if len(galleys) < 2 or len(opponents) < 2:
            raise Refusal("CC-NAV-19", wrong, "Dividing a fleet takes two galleys and two opponents.")
        if len(self.against) != len(galleys):
            raise Refusal("CC-NAV-20", wrong, f"Name an opponent for each of {or_none(galleys)}.")
        if not set(self.against).issubset(opponents):
            raise Refusal("CC-NAV-02", wrong, f"Your opponents there: {or_none(opponents)}.")
        parts: defaultdict[Seat, list[str]] = defaultdict(list)
        for galley, opponent in zip(galleys, self.against, strict=True):
            parts[opponent].append(galley)
        plans = tuple(NavalPlan(self.sea, opponent, tuple(part)) for opponent, part in sorted(parts.items()))
        draft.emit(NavalBattleDeclared(self.sea, plans))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        for sea, (galleys, opponents) in left_to_fight(table).seas.items():
            if len(galleys) < 2 or len(opponents) < 2:
                continue
            against = schema.array(schema.one_of(opponents), len(galleys), len(galleys))
            title = f"Divide your fleet in {table.names(sea)}: {table.names.all(galleys)}"
            yield cls.option(title, {"sea": schema.const(sea), "against": against})


class DeclineNavalBattle(Command, frozen=True):
    """Do not attack the other galleys in a sea zone (CC-NAV-01)."""

    rules = ("CC-NAV-01",)
    answers = FIGHT
    gesture = Gesture(to="sea")

    sea: AreaId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        _contested(draft.table, self.sea)
        draft.emit(NavalBattleDeclined(self.sea))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if seas := left_to_fight(table).seas:
            yield cls.option("Decline a naval battle", {"sea": schema.one_of(seas)})


def _contested(table: Table, sea: AreaId) -> tuple[list[str], list[Seat]]:
    """Return the active player's galleys and possible opponents in a sea zone.

    Raises `Refusal` when no battle can be declared or declined there.
    """
    fights = left_to_fight(table)
    seas = fights.seas
    wrong = f"You cannot declare or decline a naval battle in {sea}."
    if sea not in table.map.seas:
        raise Refusal("CC-NAV-03", wrong, "Naval battles take place only in sea zones.")
    if any(plan.sea == sea for plan in fights.naval):
        raise Refusal("CC-NAV-19", wrong, "You have divided your fleet there. Fight with each part of it.")
    if sea not in seas and sea in fleets(table, (sea,)):
        raise Refusal("CC-NAV-18", wrong, "You have already decided about this sea zone.")
    if sea not in seas:
        raise Refusal("CC-NAV-02", wrong, f"Sea zones where you meet other galleys: {or_none(seas)}.")
    return seas[sea]


EVENTS = (NavalBattleDeclared, NavalBattleDeclined)
COMMANDS = (FightAtSea, DivideFleet, DeclineNavalBattle)
