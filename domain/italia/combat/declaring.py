"""Declaring naval battles, and ordering nations that attack the active one (IT-NAV-01, -02, -10, -11)."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from msgspec.structs import replace

from domain.italia.box.pieces import NationId
from domain.italia.box.state import Encounter
from domain.italia.box.table import Command, Event, Table, combat_of, turn_of
from domain.italia.combat import dice
from domain.italia.combat.dice import Face
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Draw, Names, enumerated
from domain.kernel.rules.refusal import Refusal, refuse_unless


class NavalBattleDeclared(Event, frozen=True):
    """A nation declared a naval battle (IT-NAV-01): the active one, or another against it (IT-NAV-10)."""

    rules = ("IT-NAV-01", "IT-NAV-02", "IT-NAV-10")
    places = (("sea", "at"),)

    nation: NationId
    sea: AreaId
    enemy: NationId

    def apply(self, table: Table) -> None:
        combat, against = combat_of(table), self.nation != table.active
        declared = Encounter(self.sea, self.nation if against else self.enemy, against)
        table.combat = replace(combat, encounters=(*combat.encounters, declared))

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} declared a naval battle against the {names(self.enemy)} in {names(self.sea)}."


class NavalDeclarationEnded(Event, frozen=True):
    """A nation declared no more naval battles (IT-NAV-01)."""

    rules = ("IT-NAV-01",)

    nation: NationId

    def apply(self, table: Table) -> None:
        combat = combat_of(table)
        table.combat = replace(combat, asked=(*combat.asked, self.nation))

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} declared no more naval battles."


class TieRolled(Event, frozen=True):
    """Nations with equally many fleets rolled for who fights first (IT-NAV-11): the one with the highest roll.

    Attributes:
        faces: one for each of the nations.
    """

    rules = ("IT-NAV-11",)
    places = (("sea", "at"),)

    sea: AreaId
    nations: tuple[NationId, ...]
    draw: Draw
    faces: tuple[Face, ...]

    def apply(self, table: Table) -> None:
        pass  # NavalOrderSet follows when no rolls are equal

    def tell(self, names: Names) -> str:
        rolls = [f"the {names(nation)} {face}" for nation, face in zip(self.nations, self.faces, strict=True)]
        return f"To fight first in {names(self.sea)} they rolled: {', '.join(rolls)}."


class NavalOrderSet(Event, frozen=True):
    """The nations that attack the active one in a sea area fight in this order, the most fleets first (IT-NAV-11)."""

    rules = ("IT-NAV-11",)

    sea: AreaId
    nations: tuple[NationId, ...]

    def apply(self, table: Table) -> None:
        combat = combat_of(table)
        others = tuple(each for each in combat.encounters if each.sea != self.sea or not each.against_active)
        ordered = tuple(Encounter(self.sea, nation, True) for nation in self.nations)
        table.combat = replace(combat, encounters=(*others, *ordered))

    def tell(self, names: Names) -> str:
        return f"In {names(self.sea)} they fight in this order: {names.all(self.nations)}."


class DeclareNavalBattle(Command, frozen=True):
    """Declare a naval battle in a sea area where you and the enemy have fleets (IT-NAV-01)."""

    rules = ("IT-NAV-01", "IT-NAV-10", "IT-SUB-10")
    answers = frozenset({"declare-naval-battles"})
    gesture = Gesture(to="sea", targets=("enemy",))

    nation: NationId
    sea: AreaId
    enemy: NationId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, nation = draft.table, _declaring_nation(draft.table)
        names = table.names
        wrong = (
            f"The {names(self.nation)} cannot declare a battle against the {names(self.enemy)} in {names(self.sea)}."
        )
        refuse_unless(self.nation == nation, self.rule, wrong, f"The {names(nation)} must answer now.")
        battles = list(_possible_battles(table, nation))
        if (self.sea, self.enemy) not in battles:
            possible = enumerated([f"the {names(enemy)} in {names(sea)}" for sea, enemy in battles])
            raise Refusal(_why_not(table, self.nation, self.enemy), wrong, f"They can fight {possible}.")
        draft.emit(NavalBattleDeclared(nation, self.sea, self.enemy))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation, names = _declaring_nation(table), table.names
        for sea, enemy in _possible_battles(table, nation):
            fields = {"nation": schema.const(nation), "sea": schema.const(sea), "enemy": schema.const(enemy)}
            yield cls.option(f"Fight the {names(enemy)} in {names(sea)}", fields)


def _why_not(table: Table, nation: NationId, enemy: NationId) -> str:
    if enemy in table.nations and table.are_allied(nation, enemy):
        return "IT-SUB-10"
    return "IT-NAV-10" if table.active not in (nation, enemy) else "IT-NAV-01"


class EndNavalDeclaration(Command, frozen=True):
    """Declare no more naval battles (IT-NAV-01)."""

    rules = ("IT-NAV-01",)
    answers = frozenset({"declare-naval-battles"})
    gesture = Gesture(quiet=True)

    nation: NationId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        nation = _declaring_nation(draft.table)
        names = draft.table.names
        wrong = f"The {names(self.nation)} cannot end their declarations now."
        refuse_unless(self.nation == nation, self.rule, wrong, f"The {names(nation)} must answer now.")
        draft.emit(NavalDeclarationEnded(nation))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option("Declare no more battles", {"nation": schema.const(_declaring_nation(table))})


def _possible_battles(table: Table, nation: NationId) -> Iterator[tuple[AreaId, NationId]]:
    """Yield the sea area and the enemy of each battle that a nation can declare; one side is active (IT-NAV-10)."""
    active, declared = turn_of(table).nation, combat_of(table).encounters
    others = [each for each in table.nations if each != active] if nation == active else [active]
    for sea in sorted({fleet.sea for _, fleet in table.fleets_of(nation)}):
        present = {fleet.nation for fleet in table.fleets.values() if fleet.sea == sea}
        for other in others:
            enemy = other if nation == active else nation
            is_declared = any((each.sea, each.other) == (sea, enemy) for each in declared)
            if other in present and not is_declared and not table.are_allied(nation, other):
                yield sea, other


def _next_to_ask(table: Table) -> NationId | None:
    """Return the next nation to ask whether it declares a naval battle: the active one first. None when nobody is left.

    Neutral garrisons (IT-I1-14) and nations that can declare no battle are not asked.
    """
    active = turn_of(table).nation
    for nation in (active, *(each for each in table.nations if each != active)):
        if (
            nation not in combat_of(table).asked
            and not table.is_neutral(nation)
            and any(_possible_battles(table, nation))
        ):
            return nation
    return None


def _declaring_nation(table: Table) -> NationId:
    nation = _next_to_ask(table)
    assert nation is not None, "somebody can declare a naval battle"
    return nation


def declare(table: Table) -> list[Decision] | Consequence[Table] | None:
    """Ask nations for naval battles before any is fought (IT-NAV-02). Then set the order of several attackers."""
    nation = _next_to_ask(table)
    if nation is None:
        return _set_order if any(True for _ in _several_attackers(table)) else None
    names, battles = table.names, list(_possible_battles(table, nation))
    seas = names.all(dict.fromkeys(sea for sea, _ in battles))
    return [
        Decision(
            "declare-naval-battles",
            (table.seat_of(nation),),
            RuleId("IT-NAV-01"),
            f"The {names(nation)} in {seas}: do you fight at sea?",
            "A battle takes place if either side wants it.",
            {"nation": nation, "battles": [{"sea": sea, "enemy": enemy} for sea, enemy in battles]},
        )
    ]


def _set_order(draft: Draft[Table]) -> None:
    """Set the order in which several nations attack the active one, before the battles begin (IT-NAV-11)."""
    for sea, nations in list(_several_attackers(draft.table)):
        draft.emit(NavalOrderSet(sea, tuple(_by_size(draft, sea, nations))))


def _several_attackers(table: Table) -> Iterator[tuple[AreaId, list[NationId]]]:
    """Yield the sea areas where several nations attack the active one, and these nations."""
    for sea in table.map.seas:
        nations = [each.other for each in combat_of(table).encounters if each.sea == sea and each.against_active]
        if len(nations) > 1:
            yield sea, nations


def _by_size(draft: Draft[Table], sea: AreaId, nations: list[NationId]) -> Iterator[NationId]:
    def descending(nation: NationId) -> int:
        return -sum(1 for _ in draft.table.fleets_of(nation, sea))

    for _, tied in groupby(sorted(nations, key=descending), key=descending):
        yield from _by_lot(draft, sea, list(tied))


def _by_lot(draft: Draft[Table], sea: AreaId, tied: list[NationId]) -> Iterator[NationId]:
    """Yield nations in the order of a die roll, the highest first. Nations with equal rolls roll again."""
    if len(tied) == 1:
        yield from tied
        return
    draw, faces = dice.roll_dice(draft, len(tied))
    draft.emit(TieRolled(sea, tuple(tied), draw, faces))
    rolled = dict(zip(tied, map(int, faces), strict=True))
    for face in sorted(set(rolled.values()), reverse=True):
        yield from _by_lot(draft, sea, [nation for nation in tied if rolled[nation] == face])


EVENTS = (NavalBattleDeclared, NavalDeclarationEnded, TieRolled, NavalOrderSet)
COMMANDS = (DeclareNavalBattle, EndNavalDeclaration)
