"""The combat phase: its beginning and end, and in which order battles are fought (CC-BAT-01 to -05, CC-TRN-05).

The active player must fight a land battle wherever their units share a province with those of another player. They may
also attack galleys in their sea zones, and lone leaders where they have a unit. They choose the order. The phase ends
by itself when nothing is left to decide.

Our ruling: when the active player falls, their captor fights the battles that are due or declared (CC-CAP-24). The
optional attacks lapse.
"""

from collections.abc import Iterable

from domain.classic.box.state import Combat
from domain.classic.box.table import Command, Event, Table
from domain.classic.combat import battle, conquest, declaring, lone_leaders, naval
from domain.classic.combat.fights import FIGHT, Fights, fleets, leaders_alone, left_to_fight
from domain.classic.turn import turn
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal, or_none, refuse_unless

# --- what happens ---


class CombatOpened(Event, frozen=True):
    """The combat phase found something that must or may be fought (CC-BAT-01, CC-NAV-02).

    Attributes:
        battles: the provinces where a land battle must be fought.
        seas: the sea zones where battle may be declared.
    """

    rules = ("CC-BAT-01", "CC-NAV-02")

    battles: tuple[AreaId, ...] = ()
    seas: tuple[AreaId, ...] = ()

    def apply(self, table: Table) -> None:
        table.combat = Combat(self.battles, seas=self.seas)

    def tell(self, names: Names) -> str:
        return f"Battles must be fought in {names.all(self.battles)}." if self.battles else "No battle must be fought."


class CombatClosed(Event, frozen=True):
    """Nothing was left to fight, or the active player stopped fighting (CC-TRN-05)."""

    rules = ("CC-TRN-05",)

    def apply(self, table: Table) -> None:
        table.combat = None

    def tell(self, names: Names) -> str:
        return "The combat of this turn was over."


# --- the course of the phase ---


def next_fight(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the active player what to fight next; without a choice, begin or end the phase, or fight the last battle."""
    if table.combat is None:
        return begin
    fights = left_to_fight(table)
    if not fights.optional and fights.required < 2:
        return lambda draft: _fight_the_last(draft, fights)
    decision = Decision(
        "fight",
        (table.acting,),
        RuleId("CC-BAT-04"),
        "Which battle do you fight next?" if fights.required else "Do you fight another battle?",
        "When nothing is left to fight, the turn goes on.",
        {
            "battles": fights.battles,
            "naval": [{"sea": plan.sea, "opponent": plan.opponent, "galleys": plan.galleys} for plan in fights.naval],
            "seas": {sea: {"galleys": own, "opponents": others} for sea, (own, others) in fights.seas.items()},
            "leaders": fights.leaders,
        },
    )
    return [decision]


def _fight_the_last(draft: Draft[Table], fights: Fights) -> None:
    """Fight the one battle that is left; without one, end the phase (CC-TRN-05)."""
    if fights.battles:
        _fight(draft, fights.battles[0])
    elif fights.naval:
        naval.begin(draft, fights.naval[0])
    else:
        close(draft)


def begin(draft: Draft[Table]) -> None:
    """Conquer what falls without battle, and find what must or may be fought (CC-BAT-01, CC-NAV-02)."""
    conquest.occupy(draft)
    table, seat = draft.table, draft.table.acting
    battles = tuple(
        area for area in table.map.lands if seat in (armies := table.provinces[area].armies) and len(armies) > 1
    )
    seas = tuple(sorted(fleets(table, table.map.seas)))
    if battles or seas or leaders_alone(table, Combat(battles)):
        draft.emit(CombatOpened(battles, seas))
    else:
        _end_phase(draft)


def close(draft: Draft[Table]) -> None:
    """End the combat and the phase."""
    draft.emit(CombatClosed())
    _end_phase(draft)


def _end_phase(draft: Draft[Table]) -> None:
    """Destroy galleys on foreign coasts (CC-SEA-33) and begin the tribute phase.

    When the active player has fallen, the turn ends instead (CC-TRN-08).
    """
    conquest.sink_on_foreign_coasts(draft)
    if draft.table.acting == draft.table.active:
        turn.enter(draft, "tribute")
    else:
        turn.end(draft)


def _fight(draft: Draft[Table], province: AreaId) -> None:
    """Begin a land battle: the active player attacks the player whose units were there (CC-BAT-02)."""
    attacker = draft.table.acting
    (defender,) = draft.table.enemies_in(province, attacker)
    battle.begin(draft, province, attacker, defender)


# --- what the active player chooses ---


class FightBattle(Command, frozen=True):
    """Fight one of the land battles next, in any order (CC-BAT-03, CC-BAT-04)."""

    rules = ("CC-BAT-03", "CC-BAT-04")
    answers = FIGHT
    gesture = Gesture(to="province")

    province: AreaId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        battles = left_to_fight(draft.table).battles
        if self.province not in battles:
            wrong = f"You have no battle to fight in {self.province}."
            raise Refusal("CC-BAT-01", wrong, f"Battles you still have to fight: {or_none(battles)}.")
        _fight(draft, self.province)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if battles := left_to_fight(table).battles:
            yield cls.option("Fight a land battle", {"province": schema.one_of(battles)})


class FinishCombat(Command, frozen=True):
    """Stop fighting and decline all optional battles. You cannot while a battle must be fought (CC-BAT-01)."""

    rules = ("CC-TRN-05", "CC-BAT-01")
    answers = FIGHT
    gesture = Gesture(quiet=True, called="Done fighting")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        fights = left_to_fight(draft.table)
        wrong = "You cannot end the combat phase yet."
        refuse_unless(not fights.battles, "CC-BAT-01", wrong, f"You must fight in {or_none(fights.battles)}.")
        refuse_unless(not fights.naval, "CC-NAV-19", wrong, "Each part of your divided fleet must fight its battle.")
        close(draft)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if not left_to_fight(table).required:
            yield cls.option()


EVENTS = (CombatOpened, *declaring.EVENTS, *lone_leaders.EVENTS, CombatClosed)
COMMANDS = (FightBattle, *declaring.COMMANDS, *lone_leaders.COMMANDS, FinishCombat)
