"""Units that elephants drive off a field of battle (IT-HIT-11)."""

from collections.abc import Iterable

from domain.italia.box.pieces import (
    KINDS,
    Army,
    Kind,
    NationId,
    amount_of,
    kinds_in_words,
)
from domain.italia.box.state import Battle, Leaving
from domain.italia.box.table import Command, Table, battle_of
from domain.italia.combat.battle import open_retreats
from domain.italia.combat.destinations import barred
from domain.italia.combat.retreat import LeavingOrdered
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.refusal import refuse_unless


class DriveOff(Command, frozen=True):
    """Choose which of your surviving units an elephant drives off (IT-HIT-11)."""

    rules = ("IT-HIT-11", "IT-HIT-10", "IT-BAT-14")
    answers = frozenset({"drive-off"})

    nation: NationId
    kind: Kind

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        fight = battle_of(draft.table)
        nation = _driven_nation(fight)
        names = draft.table.names
        wrong = f"The elephant cannot drive off {amount_of(self.kind, 1)} of the {names(self.nation)}."
        refuse_unless(self.nation == nation, self.rule, wrong, f"The {names(nation)} must choose now.")
        kinds = draft.table.army(fight.place, nation).units
        refuse_unless(self.kind in kinds, self.rule, wrong, f"Choose one of the survivors: {kinds_in_words(kinds)}.")
        _drive_one_off(draft, nation, self.kind)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        fight = battle_of(table)
        nation = _driven_nation(fight)
        kinds = [kind for kind in KINDS if kind in table.army(fight.place, nation).units]
        fields = {"nation": schema.const(nation), "kind": schema.one_of(kinds)}
        yield cls.option("Choose who is driven off", fields)


def _driven_nation(fight: Battle) -> NationId:
    return next(side for side in fight.sides if side in fight.driven)


def _drive_one_off(draft: Draft[Table], nation: NationId, kind: Kind) -> None:
    fight = battle_of(draft.table)
    closed = barred(draft.table, fight, nation)
    one = Army({kind: 1})
    draft.emit(LeavingOrdered(Leaving(nation, fight.place, one, "driven-off", fight.enemy(nation), closed)))


def drive_off(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the owner of the survivors which one each unmodified 9 or 10 of an elephant drives off (IT-HIT-11)."""
    fight, names = battle_of(table), table.names
    if not fight.driven or not table.army(fight.place, _driven_nation(fight)).size:
        return open_retreats
    nation = _driven_nation(fight)
    kinds: list[Kind] = [kind for kind in KINDS if kind in table.army(fight.place, nation).units]
    if len(kinds) == 1:
        return lambda draft: _drive_one_off(draft, nation, kinds[0])
    title = f"The {names(nation)} in {names(fight.place)}: which unit does the elephant drive off?"
    about = {"nation": nation, "place": fight.place, "number": fight.driven[nation], "kinds": kinds}
    depends = "It retreats, or is eliminated where it cannot."
    return [Decision("drive-off", (table.seat_of(nation),), RuleId("IT-HIT-11"), title, depends, about)]


COMMANDS = (DriveOff,)
