"""Lone leaders of others among the active player's units: they are attacked or spared (CC-CAP-03 to -05)."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from domain.classic.box.pieces import LeaderId
from domain.classic.box.table import Command, Event, Table, combat_of
from domain.classic.combat import capture
from domain.classic.combat.fights import FIGHT, left_to_fight, spared_as, unspared
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal, or_none

# --- what happens ---


class LeadersSpared(Event, frozen=True):
    """The active player spared a player's lone leaders in a province (CC-CAP-04, CC-CAP-05).

    Attributes:
        player: whose leaders they are.
    """

    rules = ("CC-CAP-04", "CC-CAP-05")
    places = (("province", "at"),)

    province: AreaId
    player: Seat

    def apply(self, table: Table) -> None:
        combat = combat_of(table)
        table.combat = replace(combat, spared=(*combat.spared, spared_as(self.province, self.player)))

    def tell(self, names: Names) -> str:
        return f"The leaders of {names(self.player)} in {names(self.province)} were spared."


class SomeLeadersSpared(Event, frozen=True):
    """The active player spared some of a player's lone leaders in a province (CC-CAP-04, CC-CAP-05).

    Attributes:
        player: whose leaders they are.
    """

    rules = ("CC-CAP-04", "CC-CAP-05")
    places = (("province", "at"),)

    province: AreaId
    player: Seat
    leaders: tuple[LeaderId, ...]

    def apply(self, table: Table) -> None:
        combat = combat_of(table)
        spared = (spared_as(self.province, leader) for leader in self.leaders)
        table.combat = replace(combat, spared=(*combat.spared, *spared))

    def tell(self, names: Names) -> str:
        verb = "was" if len(self.leaders) == 1 else "were"
        return f"{names.all(self.leaders)} in {names(self.province)} {verb} spared."


# --- what the active player chooses ---


class AttackLeaders(Command, frozen=True):
    """Take the lone leaders of a player where you have a unit; it always succeeds (CC-CAP-04, CC-CAP-05).

    Attributes:
        player: whose leaders they are.
        leaders: some of them, in a game in which leaders are attacked or spared one by one; all when left out.
    """

    rules = ("CC-CAP-04", "CC-CAP-05")
    answers = FIGHT
    gesture = Gesture(to="province", pieces=("leaders",), targets=("player",))

    province: AreaId
    player: Seat
    leaders: tuple[LeaderId, ...] = ()

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        _check_lone(table, self.province, self.player)
        _check_chosen(table, self.province, self.player, self.leaders)
        leaders = self.leaders or unspared(table, self.province, self.player)
        capture.defeat(draft, leaders, seat, table.edition.cite("CC-CAP-04"))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        return _lone_options(cls, table, "Attack lone leaders")


class SpareLeaders(Command, frozen=True):
    """Spare the lone leaders of a player where you have a unit (CC-CAP-04, CC-CAP-05).

    Attributes:
        player: whose leaders they are.
        leaders: some of them, in a game in which leaders are attacked or spared one by one; all when left out.
    """

    rules = ("CC-CAP-04", "CC-CAP-05")
    answers = FIGHT
    gesture = Gesture(to="province", pieces=("leaders",), targets=("player",))

    province: AreaId
    player: Seat
    leaders: tuple[LeaderId, ...] = ()

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        _check_lone(draft.table, self.province, self.player)
        _check_chosen(draft.table, self.province, self.player, self.leaders)
        if self.leaders:
            draft.emit(SomeLeadersSpared(self.province, self.player, self.leaders))
        else:
            draft.emit(LeadersSpared(self.province, self.player))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        return _lone_options(cls, table, "Spare lone leaders")


def _check_lone(table: Table, province: AreaId, player: Seat) -> None:
    leaders = left_to_fight(table).leaders
    if player in leaders.get(province, ()):
        return
    wrong = f"You cannot attack or spare the leaders of {player} in {province}."
    has_leaders = player != table.acting and bool(table.leaders_at(province, player))
    if has_leaders and player in table.provinces[province].armies:
        raise Refusal("CC-CAP-03", wrong, "You can attack leaders only when they have no unit left in the province.")
    if has_leaders and province in left_to_fight(table).battles:
        raise Refusal("CC-BAT-33", wrong, "You can attack them when the battle there is over.")
    allowed = or_none(f"{' and '.join(players)} in {area}" for area, players in leaders.items())
    raise Refusal(table.edition.cite("CC-CAP-04"), wrong, f"Lone leaders among your units: {allowed}.")


def _check_chosen(table: Table, province: AreaId, player: Seat, leaders: Sequence[str]) -> None:
    if not leaders:
        return
    rule, wrong = table.edition.cite("CC-CAP-04"), f"You chose {', '.join(leaders)} in {province}."
    if not table.each_lone_leader:
        raise Refusal(rule, wrong, f"In this game you attack or spare all leaders of {player} there together.")
    allowed = unspared(table, province, player)
    if not set(leaders).issubset(allowed) or len(set(leaders)) < len(leaders):
        raise Refusal(rule, wrong, f"Choose from {or_none(allowed)}, each once.")


def _lone_options(command: type[Command], table: Table, title: str) -> Iterable[Option]:
    rule = table.edition.cite("CC-CAP-04")
    for province, players in left_to_fight(table).leaders.items():
        if table.each_lone_leader:
            for player in players:
                some = schema.subset(unspared(table, province, player), 1)
                fields = {"province": schema.const(province), "player": schema.const(player), "leaders": some}
                yield command.option(title, fields, rule=rule, optional=("leaders",))
            continue
        fields = {"province": schema.const(province), "player": schema.one_of(players)}
        yield command.option(f"{title} in {table.names(province)}", fields, rule=rule)


EVENTS = (LeadersSpared, SomeLeadersSpared)
COMMANDS = (AttackLeaders, SpareLeaders)
