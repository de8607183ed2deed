"""What units aim at: types of enemies, declared openly; or, by an option, single units in secret (chapters BAT, HIT).

Targets are the groups of `domain.italia.combat.dice.groups`. A side with a single target declares nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from msgspec.structs import replace

from domain.italia.box.pieces import KINDS, Kind, NationId, amount_of, kinds_in_words, listed
from domain.italia.box.state import Aim, Battle
from domain.italia.box.table import Command, Event, Table, battle_of
from domain.italia.combat import dice
from domain.italia.combat.battle import roll
from domain.kernel.chance.secret import Opened, Sealed, Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Automatic, Count, Names, enumerated
from domain.kernel.rules.refusal import Refusal, refuse_unless
from domain.kernel.rules.schema import Random

# --- what happens ---


class TargetsDeclared(Event, frozen=True):
    """A side declared at which enemies its units aim in this round (IT-BAT-05)."""

    rules = ("IT-BAT-05", "IT-HIT-09", "IT-RAI-05")

    nation: NationId
    aims: tuple[Aim, ...]

    def apply(self, table: Table) -> None:
        fight = battle_of(table)
        table.battle = replace(fight, aims={**fight.aims, self.nation: self.aims})

    def tell(self, names: Names) -> str:
        aims = [f"{amount_of(aim.kind, aim.count)} at {kinds_in_words([aim.target])}" for aim in self.aims]
        return f"The {names(self.nation)} aim {enumerated(aims)}."


class TargetSealed(Event, frozen=True):
    """A side chose the target of one of its units in secret (IT-BAT-19)."""

    rules = ("IT-BAT-19",)

    nation: NationId
    target: Sealed
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        fight = battle_of(table)
        sealed = (*fight.sealed.get(self.nation, ()), self.target)
        table.battle = replace(fight, sealed={**fight.sealed, self.nation: sealed})

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} chose a target in secret."


class TargetsRevealed(Event, frozen=True):
    """Both sides had chosen the targets of all their units; they were revealed at the same time (IT-BAT-19).

    Attributes:
        targets: what each side had chosen, unit by unit.
        aims: the same, counted by type and target.
    """

    rules = ("IT-BAT-19",)
    reveals: ClassVar[bool] = True

    targets: dict[NationId, tuple[Opened, ...]]
    aims: dict[NationId, tuple[Aim, ...]]

    def apply(self, table: Table) -> None:
        table.battle = replace(battle_of(table), sealed={}, aims=self.aims)

    def tell(self, names: Names) -> str:
        aims_in_words = [
            f"{amount_of(aim.kind, aim.count)} at {kinds_in_words([aim.target])}"
            for aims in self.aims.values()
            for aim in aims
        ]
        return f"The targets were revealed: {enumerated(aims_in_words)}."


# --- targets by type ---


class DeclareTargets(Command, frozen=True):
    """Declare for each of your units at which type of enemies it aims (IT-BAT-05).

    In the first round attackers who came by sea are a type of their own, if others came by land (IT-HIT-09).

    Attributes:
        aims: for each type of yours, how many aim at each target: {"legion": {"infantry": 2, "elephant": 1}}.
    """

    rules = ("IT-BAT-05", "IT-HIT-09", "IT-RAI-05")
    answers = frozenset({"declare-targets"})

    nation: NationId
    aims: dict[Kind, dict[str, Count]]

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, fight = draft.table, battle_of(draft.table)
        nation, units, targets = _declaring(table, fight)
        names = table.names
        wrong = f"The {names(self.nation)} cannot declare targets now."
        refuse_unless(self.nation == nation, self.rule, wrong, f"The {names(nation)} must declare theirs.")
        for kind, number in units.items():
            aimed = sum(self.aims.get(kind, {}).values())
            miscount = f"You aim with {amount_of(kind, aimed)}."
            refuse_unless(aimed == number, self.rule, miscount, f"Choose a target for every unit: {listed(units)}.")
        if unknown := sorted({*self.aims} - {*units}):
            raise Refusal(self.rule, f"You aim with {kinds_in_words(unknown)}.", f"You have {listed(units)}.")
        if unknown := sorted({target for each in self.aims.values() for target in each} - {*targets}):
            raise Refusal(
                self.rule, f"You aim at {kinds_in_words(unknown)}.", f"You can aim at {kinds_in_words(targets)}."
            )
        aims = tuple(
            Aim(kind, self.aims[kind][target], target)
            for kind in units
            for target in targets
            if self.aims[kind].get(target)
        )
        draft.emit(TargetsDeclared(nation, aims))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation, units, targets = _declaring(table, battle_of(table))
        aims: dict[Kind, schema.Schema] = {}
        for kind, number in units.items():
            counts = {target: schema.count(0, number) for target in targets}
            aims[kind] = schema.record(counts, counts, x_sum={"minimum": number, "maximum": number})
        yield cls.option("Declare targets", {"nation": schema.const(nation), "aims": schema.record(aims)})


def _next(table: Table, fight: Battle) -> NationId | None:
    """Return the side that declares its targets now: first the attacker, then the defender (IT-BAT-05)."""
    for nation in fight.sides:
        if nation not in fight.aims and len(dice.targets(table, fight, nation)) > 1:
            return nation
    return None


def _declaring(table: Table, fight: Battle) -> tuple[NationId, dict[Kind, int], list[str]]:
    nation = _next(table, fight)
    assert nation is not None, "a side has several targets"
    units = table.army(fight.place, nation).units
    return nation, {kind: units[kind] for kind in KINDS if units.get(kind)}, dice.targets(table, fight, nation)


# --- targets one by one, in secret ---


class AimUnit(Command, frozen=True):
    """Choose in secret at which enemy unit one of your units aims (IT-BAT-19).

    A second unit may aim at the same enemy only when every enemy has one that aims at it.

    Attributes:
        kind: the type of your unit.
        target: the enemy unit, such as ``legion-2``.
    """

    rules = ("IT-BAT-19",)
    answers = frozenset({"aim-unit"})
    sealed: ClassVar[bool] = True

    nation: NationId
    kind: Kind
    target: str

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, fight = draft.table, battle_of(draft.table)
        names = table.names
        wrong = (
            f"The {names(self.nation)} cannot aim with {amount_of(self.kind, 1)} at {kinds_in_words([self.target])}."
        )
        sides = [side for side in _choosing(table, fight) if table.seat_of(side) == seat]
        refuse_unless(self.nation in sides, self.rule, wrong, f"You choose targets for the {names.all(sides)}.")
        kinds, targets = _units_without_target(table, fight, self.nation, draft.open)
        refuse_unless(self.kind in kinds, self.rule, wrong, f"Only {kinds_in_words(kinds)} have no target yet.")
        refuse_unless(self.target in targets, self.rule, wrong, f"They can aim at {kinds_in_words(targets)}.")
        _seal(draft, self.nation, self.kind, self.target)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        fight = battle_of(table)
        for nation in _choosing(table, fight):
            if table.seat_of(nation) == seat:
                kinds, targets = _units_without_target(table, fight, nation, vault.open)
                fields = {
                    "nation": schema.const(nation),
                    "kind": schema.one_of(kinds),
                    "target": schema.one_of(targets),
                }
                yield cls.option(f"Aim with a unit of the {table.names(nation)}", fields)


def _choosing(table: Table, fight: Battle) -> list[NationId]:
    """Return the sides that have units without a target."""
    return [
        nation
        for nation in fight.sides
        if nation not in fight.aims
        and len(dice.targets(table, fight, nation)) > 1
        and len(fight.sealed.get(nation, ())) < table.army(fight.place, nation).size
    ]


def _units_without_target(
    table: Table, fight: Battle, nation: NationId, opened: Callable[[Sealed], Any]
) -> tuple[list[Kind], list[str]]:
    """Return the types of a side's units without a target, and the targets that they can have."""
    aims = [opened(each) for each in fight.sealed.get(nation, ())]
    aimed, hit = Counter(kind for kind, _ in aims), Counter(target for _, target in aims)
    units = table.army(fight.place, nation).units
    kinds: list[Kind] = [kind for kind in KINDS if units.get(kind, 0) > aimed[kind]]
    targets = dice.targets(table, fight, nation)
    return kinds, [target for target in targets if not hit[target]] or targets


def _seal(draft: Draft[Table], nation: NationId, kind: Kind, target: str) -> None:
    draft.emit(TargetSealed(nation, draft.seal([kind, target], (draft.table.seat_of(nation),))))


def _reveal(draft: Draft[Table]) -> None:
    fight = battle_of(draft.table)
    targets = {nation: tuple(draft.reveal(each) for each in sealed) for nation, sealed in sorted(fight.sealed.items())}
    aims = {nation: as_aims(each.value for each in opened) for nation, opened in targets.items()}
    draft.emit(TargetsRevealed(targets, aims))


def as_aims(targets: Iterable[Any]) -> tuple[Aim, ...]:
    """Return targets that were chosen unit by unit as one `Aim` for each type and target."""
    counts = Counter((kind, target) for kind, target in targets)
    return tuple(Aim(kind, number, target) for (kind, target), number in sorted(counts.items()))


def chosen_by(fight: Battle, vault: Vault) -> dict[NationId, tuple[Aim, ...]]:
    """Return the targets that the holder of a vault has chosen in secret so far (IT-BAT-19)."""
    own = {nation: each for nation, each in fight.sealed.items() if all(map(vault.holds, each))}
    return {nation: as_aims(map(vault.open, each)) for nation, each in own.items()}


def assume(draft: Draft[Table], nation: NationId, number: int, aims: Iterable[Aim] | None, rng: Random) -> None:
    """Seal `number` targets of a side: those in `aims`, or random ones that it may have chosen."""
    visible: list[tuple[Kind, str]] = [(each.kind, each.target) for each in aims or () for _ in range(each.count)]
    for _ in range(number):
        kinds, targets = _units_without_target(draft.table, battle_of(draft.table), nation, draft.open)
        choice = visible.pop() if visible else (rng.choice(kinds), rng.choice(targets))
        _seal(draft, nation, *choice)


def aim(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask for the targets of this round: the attacker first; or both sides at once, in secret, with the option.

    Then both sides roll.
    """
    fight = battle_of(table)
    if table.options.individual_targets:
        return _aim_in_secret(table, fight)
    nation = _next(table, fight)
    if nation is None:
        return roll
    _, units, targets = _declaring(table, fight)
    about = {"nation": nation, "place": fight.place, "round": fight.round, "units": units, "targets": targets}
    return [_question("declare-targets", "IT-BAT-05", table, nation, about)]


def _aim_in_secret(table: Table, fight: Battle) -> list[Decision] | Consequence[Table]:
    choosing = _choosing(table, fight)
    if not choosing:
        return _reveal if fight.sealed else roll
    decisions: list[Decision] = []
    for nation in choosing:
        unaimed = table.army(fight.place, nation).size - len(fight.sealed.get(nation, ()))
        targets = dice.targets(table, fight, nation)
        about = {"nation": nation, "place": fight.place, "round": fight.round, "left": unaimed, "targets": targets}
        decisions.append(_question("aim-unit", "IT-BAT-19", table, nation, about))
    return decisions


def _question(kind: str, rule: str, table: Table, nation: NationId, about: Mapping[str, object]) -> Decision:
    names, place = table.names, battle_of(table).place
    title = f"The {names(nation)} in {names(place)}: at which enemies do your units aim?"
    return Decision(kind, (table.seat_of(nation),), RuleId(rule), title, "Then both sides roll.", dict(about))


EVENTS = (TargetsDeclared, TargetSealed, TargetsRevealed)
COMMANDS = (DeclareTargets, AimUnit)
