"""Nations that submit to those that attack them (chapter SUB)."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.italia.box.entries import SubjectionPoints, Submission
from domain.italia.box.pieces import NationId
from domain.italia.box.state import Battle, Leaving
from domain.italia.box.table import Command, Event, Table, battle_of
from domain.italia.combat import deserters, destinations
from domain.italia.turn import scoring
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import refuse_unless

# --- what happens ---


class NationSubmitted(Event, frozen=True):
    """A nation submitted to the one that attacked it (IT-SUB-01); its battles with it are over.

    Attributes:
        forced: whether it had to (IT-SUB-06).
        leaving: the overlord's units, which leave all areas of the subject (IT-SUB-09).
    """

    rules = ("IT-SUB-01", "IT-SUB-04", "IT-SUB-06", "IT-SUB-08", "IT-SUB-09", "IT-SUB-10", "IT-SUB-15")

    nation: NationId
    overlord: NationId
    forced: bool
    leaving: tuple[Leaving, ...]

    def apply(self, table: Table) -> None:
        table.change(self.nation, overlord=self.overlord)
        table.battle = None
        table.leaving.extend(self.leaving)
        if table.combat is not None:
            fronts = {
                area: replace(front, enemies=enemies)
                for area, front in table.combat.fronts.items()
                if (enemies := tuple(other for other in front.enemies if other != self.nation))
            }
            encounters = tuple(each for each in table.combat.encounters if each.other != self.nation)
            table.combat = replace(table.combat, fronts=fronts, encounters=encounters)

    def tell(self, names: Names) -> str:
        how = "had to submit" if self.forced else "submitted"
        return f"The {names(self.nation)} {how} to the {names(self.overlord)}."


class SubmissionDeclined(Event, frozen=True):
    """A nation that could submit fought on (IT-SUB-04)."""

    rules = ("IT-SUB-04", "IT-SUB-05")

    nation: NationId
    overlord: NationId

    def apply(self, table: Table) -> None:
        table.battle = replace(battle_of(table), step="conversion")

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} did not submit to the {names(self.overlord)}."


# --- submission in battle ---


def terms(table: Table, fight: Battle) -> Submission | None:
    """Return on what terms the defender of a battle submits to the attacker in this round; None if it cannot."""
    standing = table.nations[fight.defender]
    if fight.naval or standing.overlord == fight.attacker:
        return None
    for entry in table.cards.nations[fight.defender].submission:
        if entry.to != fight.attacker:
            continue
        first, last = entry.rounds or (1, table.round)
        conducts = table.campaign is not None and table.campaign.leader == entry.during
        if first <= table.round <= last and (entry.during is None or conducts):
            return entry
    return None


def must_submit(table: Table, fight: Battle) -> bool:
    """Tell whether the card of the defender makes it submit before the first round (IT-SUB-03, IT-SUB-06)."""
    entry = terms(table, fight)
    return entry is not None and len(table.areas_of(fight.defender)) <= entry.must_at_most


def may_submit(table: Table, fight: Battle) -> bool:
    """Tell whether the defender may submit, after a round that both sides have survived (IT-SUB-04, IT-SUB-05)."""
    entry = terms(table, fight)
    return entry is not None and len(table.areas_of(fight.defender)) <= entry.may_at_most


def ask(table: Table) -> list[Decision]:
    """Ask the defender of a battle whether it submits."""
    fight, names = battle_of(table), table.names
    return [
        Decision(
            "submit",
            (table.seat_of(fight.defender),),
            RuleId("IT-SUB-04"),
            f"Do the {names(fight.defender)} submit to the {names(fight.attacker)}?",
            "Then the battle ends, or its next round begins.",
            {"nation": fight.defender, "to": fight.attacker, "area": fight.place},
        )
    ]


def submit(draft: Draft[Table], fight: Battle, *, forced: bool) -> None:
    """Make the defender a subject. The attacker's units leave all its areas (IT-SUB-09), and the attacker may score."""
    table = draft.table
    nation, overlord = fight.defender, fight.attacker
    areas = tuple(table.areas_of(nation))  # IT-SUB-09: the army does not go from one area of the new subject to another
    barred = (*areas, *destinations.barred(table, fight, overlord))
    leaving = tuple(
        Leaving(overlord, area, table.army(area, overlord), "submission", barred=barred)
        for area in areas
        if overlord in table.nations_at(area) and table.sees(overlord, nation, area)
    )
    draft.emit(NationSubmitted(nation, overlord, forced, leaving))
    deserters.settle_conversion(draft, fight)
    for entry in scoring.deeds(table, overlord, SubjectionPoints):
        scoring.score(draft, overlord, entry)


class Submit(Command, frozen=True):
    """Submit to the nation that attacks yours (IT-SUB-04)."""

    rules = ("IT-SUB-04", "IT-SUB-01", "IT-SUB-07")
    answers = frozenset({"submit"})

    nation: NationId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        fight = battle_of(draft.table)
        refuse_unless_asked(draft.table, self.nation, fight.defender, "IT-SUB-04")
        submit(draft, fight, forced=False)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option("Submit", {"nation": schema.const(battle_of(table).defender)})


class Resist(Command, frozen=True):
    """Do not submit; fight on (IT-SUB-04)."""

    rules = ("IT-SUB-04",)
    answers = frozenset({"submit"})

    nation: NationId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        fight = battle_of(draft.table)
        refuse_unless_asked(draft.table, self.nation, fight.defender, "IT-SUB-04")
        draft.emit(SubmissionDeclined(fight.defender, fight.attacker))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option("Fight on", {"nation": schema.const(battle_of(table).defender)})


def refuse_unless_asked(table: Table, nation: NationId, expected: NationId, rule: str) -> None:
    """Refuse the answer of another nation than the one that is asked."""
    names = table.names
    refuse_unless(
        nation == expected, rule, f"The {names(nation)} cannot answer.", f"The {names(expected)} must answer now."
    )


EVENTS = (NationSubmitted, SubmissionDeclined)
COMMANDS = (Submit, Resist)
