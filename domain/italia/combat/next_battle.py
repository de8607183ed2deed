"""Which battle is fought next: an attack or a raid (IT-BAT-03, IT-RAI-02, IT-NAV-11)."""

from collections.abc import Iterable

from msgspec import Struct

from domain.italia.box.pieces import NationId
from domain.italia.box.table import Command, Table, combat_of, turn_of
from domain.italia.combat import raids
from domain.italia.combat.battle import begin, win_without_battle
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import enumerated
from domain.kernel.rules.refusal import Refusal, refuse_unless


class DueBattle(Struct, frozen=True):
    """A battle that the active nation can fight next.

    Attributes:
        raid: whether it is a raid; None where the attacker chooses.
    """

    place: AreaId
    enemy: NationId
    naval: bool = False
    raid: bool | None = False


def next_battles(table: Table) -> list[DueBattle]:
    """Return the battles that can be fought next (IT-BAT-03, IT-NAV-11): land battles, then naval ones."""
    nation, combat = turn_of(table).nation, combat_of(table)
    battles = [
        DueBattle(area, enemy, raid=_raid(table, nation, area))
        for area, front in combat.fronts.items()
        for enemy in front.enemies
        if _faces(table, nation, enemy, area) == (True, True)
    ]
    first = set[AreaId]()
    for each in combat.encounters:
        if not all(any(table.fleets_of(side, each.sea)) for side in (nation, each.other)):
            continue
        if not each.against_active or each.sea not in first:
            battles.append(DueBattle(each.sea, each.other, naval=True))
        if each.against_active:
            first.add(each.sea)
    return battles


def _raid(table: Table, nation: NationId, area: AreaId) -> bool | None:
    """Return whether a battle is a raid, as a campaign announced (IT-RAI-02); None if the attacker chooses now."""
    if table.campaign is not None and table.campaign.step:
        return area in table.campaign.raids
    return None if raids.obstacle(table, nation, area) is None else False


def _faces(table: Table, nation: NationId, enemy: NationId, area: AreaId) -> tuple[bool, bool] | None:
    """Return whether each side has units there, not only leaders; None where they do not meet (any more)."""
    if nation not in table.armies.get(area, {}) or enemy not in table.strangers(nation, area):
        return None
    return table.army(area, nation).size > 0, table.army(area, enemy).size > 0


def choose(table: Table) -> list[Decision] | Consequence[Table] | None:
    """Ask the active nation for its next battle (IT-BAT-03), where there is a choice; None after the last one.

    Leaders who are alone among enemy units are removed at once (IT-BAT-17).
    """
    nation = turn_of(table).nation
    for area, front in combat_of(table).fronts.items():
        for enemy in front.enemies:
            if (faces := _faces(table, nation, enemy, area)) in ((True, False), (False, True)):
                caught, by = (enemy, nation) if faces == (True, False) else (nation, enemy)
                return lambda draft: win_without_battle(draft, area, caught, by)
    battles = next_battles(table)
    if not battles:
        return None
    if len(battles) == 1 and (raid := battles[0].raid) is not None:
        only = battles[0]
        return lambda draft: begin(draft, only.place, only.enemy, naval=only.naval, raid=raid)
    names = table.names
    where = names.all(dict.fromkeys(each.place for each in battles))
    title = f"The {names(nation)} in {where}: which battle do you fight next?"
    if len(battles) == 1:
        title = f"The {names(nation)} in {where}: do you raid the city or attack?"
    about = [{"place": each.place, "enemy": each.enemy, "raid": each.raid is not False} for each in battles]
    return [
        Decision(
            "choose-battle",
            (table.seat_of(nation),),
            RuleId("IT-BAT-03"),
            title,
            "The battle is fought to its end before the next one begins.",
            {"nation": nation, "battles": about},
        )
    ]


class Fight(Command, frozen=True):
    """Begin one of the battles that are due: an attack, or a raid on the city there (IT-BAT-03, IT-RAI-01).

    Attributes:
        place: the land area, or the sea area.
        raid: whether you raid the city; it cannot be changed later (IT-RAI-02).
    """

    rules = ("IT-BAT-03", "IT-RAI-01", "IT-RAI-02", "IT-RAI-10", "IT-RAI-11", "IT-NAV-11")
    answers = frozenset({"choose-battle"})
    gesture = Gesture(to="place", targets=("enemy",))

    nation: NationId
    place: AreaId
    enemy: NationId
    raid: bool = False

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, battles = draft.table, next_battles(draft.table)
        names, nation = table.names, turn_of(table).nation
        wrong = f"The {names(self.nation)} cannot fight the {names(self.enemy)} in {names(self.place)} now."
        refuse_unless(self.nation == nation, self.rule, wrong, f"It is the turn of the {names(nation)}.")
        battle = next((each for each in battles if (each.place, each.enemy) == (self.place, self.enemy)), None)
        if battle is None:
            possible = enumerated([f"the {names(other.enemy)} in {names(other.place)}" for other in battles])
            allowed = f"They can fight {possible} next."
            raise Refusal(_not_due(table, nation, self.place, self.enemy), wrong, allowed)
        if battle.raid not in (None, self.raid):
            raise Refusal(*_not_so(table, nation, battle))
        begin(draft, battle.place, battle.enemy, naval=battle.naval, raid=self.raid)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation, names = turn_of(table).nation, table.names
        for each in next_battles(table):
            fields = {
                "nation": schema.const(nation),
                "place": schema.const(each.place),
                "enemy": schema.const(each.enemy),
                "raid": {"type": "boolean"} if each.raid is None else schema.const(each.raid),
            }
            title = f"Fight the {names(each.enemy)} in {names(each.place)}"
            yield cls.option(title, fields, optional=[] if each.raid else ["raid"])


def _not_due(table: Table, nation: NationId, place: AreaId, enemy: NationId) -> str:
    """Return the rule by which a battle cannot be fought now."""
    if any((each.sea, each.other) == (place, enemy) for each in combat_of(table).encounters):
        return "IT-NAV-11"
    if place in table.map.seas:
        return "IT-NAV-02"
    if enemy in table.nations and table.are_allied(nation, enemy):
        return "IT-SUB-10"
    return "IT-ENT-05" if enemy in table.nations_at(place) and table.is_entry(place) else "IT-BAT-01"


def _not_so(table: Table, nation: NationId, battle: DueBattle) -> tuple[str, str, str]:
    """Return why a battle cannot be the raid or the attack that was asked for: rule, what is wrong, what is right."""
    area = battle.place
    wrong = f"You cannot {'attack' if battle.raid else 'raid'} {table.names(area)}."
    if table.campaign is not None and table.campaign.step:
        allowed = "On a campaign you announce raids before the reactions, and cannot change them later."
        return "IT-RAI-02", wrong, allowed
    obstacle = raids.obstacle(table, nation, area)
    assert obstacle is not None, "a raid is chosen when the battle begins, where there can be one"
    return obstacle[0], wrong, f"{obstacle[1]} Attack instead."


COMMANDS = (Fight,)
