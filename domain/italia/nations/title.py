"""The imperial title: Charlemagne in Rome (IT-I2-14)."""

from collections.abc import Iterable

from domain.italia.box.entries import TitlePoints
from domain.italia.box.pieces import Army, LeaderId, NationId
from domain.italia.box.state import Leaving
from domain.italia.box.table import Command, Event, Table, turn_of
from domain.italia.combat.destinations import destinations
from domain.italia.turn import scoring
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Names


class TitleTaken(Event, frozen=True):
    """A leader took a title, and all units of his nation retreat from the area (IT-I2-14).

    Attributes:
        title: the name of the title on the card.
    """

    rules = ("IT-I2-14", "IT-VP-01")
    places = (("area", "at"),)

    nation: NationId
    leader: LeaderId
    title: str
    area: AreaId
    leaving: tuple[Leaving, ...]

    def apply(self, table: Table) -> None:
        table.titles.append(self.title)
        table.leaving.extend(self.leaving)

    def tell(self, names: Names) -> str:
        return f"{names(self.leader)} took the title of {self.title} in {names(self.area)}."


class TitleDeclined(Event, frozen=True):
    """A leader did not take a title that he could take (IT-I2-14)."""

    rules = ("IT-I2-14", "IT-VP-01")

    nation: NationId

    def apply(self, table: Table) -> None:
        table.announced = True

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} did not take the title."


def _offered(table: Table) -> TitlePoints | None:
    """Return the line of the card by which the active nation may take a title now."""
    nation = turn_of(table).nation
    for entry in scoring.deeds(table, nation, TitlePoints):
        if entry.title in table.titles:
            continue
        others = set(table.nations_at(entry.area)) - {nation}
        leads = entry.leader in table.army(entry.area, nation).leaders and others <= {*entry.witnesses}
        alone = Army(leaders=(entry.leader,))
        if leads and destinations(table, nation, entry.area, alone, _barred(table, entry)):
            return entry
    return None


def _barred(table: Table, entry: TitlePoints) -> tuple[AreaId, ...]:
    """Return where witnesses have begun a reaction move: an army on campaign cannot retreat there (IT-RET-12)."""
    started = {} if table.campaign is None else table.campaign.started
    return tuple(area for nation, areas in started.items() if nation in entry.witnesses for area in areas)


class TakeTitle(Command, frozen=True):
    """Take the title; all units of your nation retreat from the area (IT-I2-14)."""

    rules = ("IT-I2-14", "IT-VP-01")
    answers = frozenset({"take-title"})

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, nation = draft.table, turn_of(draft.table).nation
        entry = _offered(table)
        assert entry is not None, "a title is offered"
        barred = _barred(table, entry)
        leaving = (Leaving(nation, entry.area, table.army(entry.area, nation), "title", barred=barred),)
        draft.emit(TitleTaken(nation, entry.leader, entry.title, entry.area, leaving))
        scoring.score(draft, nation, entry)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option("Take the title")


class DeclineTitle(Command, frozen=True):
    """Do not take the title now (IT-I2-14)."""

    rules = ("IT-I2-14", "IT-VP-01")
    answers = frozenset({"take-title"})
    gesture = Gesture(quiet=True, called="Do not take it")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        draft.emit(TitleDeclined(turn_of(draft.table).nation))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option()


def offer(table: Table) -> list[Decision] | Consequence[Table] | None:
    """Ask whether a title is taken, before the battles and after them; None when none can be."""
    entry = None if table.announced else _offered(table)
    if entry is None:
        return None
    nation = turn_of(table).nation
    return [
        Decision(
            "take-title",
            (table.seat_of(nation),),
            RuleId("IT-I2-14"),
            f"Does {table.names(entry.leader)} take the title of {entry.title}?",
            f"Then all units of the {table.names(nation)} retreat from {table.names(entry.area)}.",
            {"nation": nation, "title": entry.title, "area": entry.area},
        )
    ]


EVENTS = (TitleTaken, TitleDeclined)
COMMANDS = (TakeTitle, DeclineTitle)
