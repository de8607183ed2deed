"""The combat phase: what must and what may be fought, and in which order (CC-BAT-01 to -05, NAV-01 to -03 and -17 to
-20, CAP-04, -05 and -07).

The active player must fight a land battle wherever their units share a province with those of another player. They may
also attack galleys in their sea zones, and lone leaders where they have a unit. They choose the order. The phase ends
by itself when nothing is left to decide.

Our ruling: when the active player falls, their captor fights the battles that are due or declared (CC-CAP-24). The
optional attacks lapse.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from domain.classic.box.pieces import LeaderId
from domain.classic.box.state import Combat, NavalPlan
from domain.classic.box.table import Command, Event, Table, combat_of
from domain.classic.combat import battle, capture, conquest, naval
from domain.classic.turn import turn
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal, refuse_unless

FIGHT = frozenset({"fight"})

# --- what happens ---


class CombatOpened(Event, frozen=True):
    """There was something to fight (CC-BAT-01, CC-NAV-02).

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
        table.combat = replace(combat, spared=(*combat.spared, _lone(self.province, self.player)))

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
        spared = (_lone(self.province, leader) for leader in self.leaders)
        table.combat = replace(combat, spared=(*combat.spared, *spared))

    def tell(self, names: Names) -> str:
        verb = "was" if len(self.leaders) == 1 else "were"
        return f"{names.all(self.leaders)} in {names(self.province)} {verb} spared."


class CombatClosed(Event, frozen=True):
    """Nothing was left to fight, or the active player stopped fighting (CC-TRN-05)."""

    rules = ("CC-TRN-05",)

    def apply(self, table: Table) -> None:
        table.combat = None

    def tell(self, names: Names) -> str:
        return "The combat of this turn was over."


def _without(areas: Sequence[AreaId], area: AreaId) -> tuple[AreaId, ...]:
    return tuple(other for other in areas if other != area)


def _lone(province: AreaId, player_or_leader: str) -> str:
    return f"{province}/{player_or_leader}"


# --- what is left to fight ---


class Fights(NamedTuple):
    """What the active player must and may fight now."""

    battles: tuple[AreaId, ...]
    """Land battles (CC-BAT-01): one wherever there are units of two players."""
    naval: tuple[NavalPlan, ...]
    """Naval battles that were declared."""
    seas: dict[AreaId, tuple[list[str], list[Seat]]]
    """Sea zones where they may declare battle: their galleys and their possible opponents (CC-NAV-02)."""
    leaders: dict[AreaId, list[Seat]]
    """Players with lone leaders where the active player has a unit and no battle is due (CC-CAP-04, CC-BAT-33)."""

    @property
    def due(self) -> int:
        """How many battles must be fought."""
        return len(self.battles) + len(self.naval)

    @property
    def optional(self) -> bool:
        return bool(self.seas or self.leaders)


def _fights(table: Table) -> Fights:
    combat = combat_of(table)
    if table.acting != table.active:
        return Fights(combat.battles, combat.naval, {}, {})
    fleets = _fleets(table, combat.seas)
    seas = {sea: fleet for sea in combat.seas if (fleet := fleets.get(sea)) is not None}
    return Fights(combat.battles, combat.naval, seas, _lone_leaders(table, combat))


def _fleets(table: Table, seas: Iterable[AreaId]) -> dict[AreaId, tuple[list[str], list[Seat]]]:
    """Return those of the sea zones where both the active player and others have galleys: the galleys, the others."""
    wanted = set(seas)
    own: defaultdict[AreaId, list[str]] = defaultdict(list)
    others: defaultdict[AreaId, set[Seat]] = defaultdict(set)
    for name, galley in table.galleys.items():
        if galley.at not in wanted:  # CC-NAV-03: never on a coast
            continue
        if galley.owner == table.acting:
            own[galley.at].append(name)
        else:
            others[galley.at].add(galley.owner)
    return {sea: (sorted(own[sea]), sorted(others[sea])) for sea in own if sea in others}


def _lone_leaders(table: Table, combat: Combat) -> dict[AreaId, list[Seat]]:
    found: defaultdict[AreaId, set[Seat]] = defaultdict(set)
    for name, leader in table.leaders.items():
        area = leader.at
        if area is None or leader.owner == table.acting or area in combat.battles:  # no battle: no units of others
            continue
        if table.acting not in table.provinces[area].armies:
            continue
        if not any(spared in combat.spared for spared in (_lone(area, leader.owner), _lone(area, name))):
            found[area].add(leader.owner)
    return {area: sorted(players) for area, players in sorted(found.items())}


def _unspared(table: Table, province: AreaId, player: Seat) -> list[str]:
    """Return the lone leaders of a player in a province, without those who were spared one by one."""
    spared = combat_of(table).spared
    return [name for name in table.leaders_at(province, player) if _lone(province, name) not in spared]


# --- the course of the phase ---


def next_fight(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the active player what to fight next, where there is a choice; close the phase when nothing is left."""
    if table.combat is None:
        return begin
    fights = _fights(table)
    if not fights.optional and fights.due < 2:
        return lambda draft: _fight_the_last(draft, fights)
    decision = Decision(
        "fight",
        (table.acting,),
        RuleId("CC-BAT-04"),
        "Which battle do you fight next?" if fights.due else "Do you fight another battle?",
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
    """Fight what alone is left to fight; close the phase when nothing is (CC-TRN-05)."""
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
    seas = tuple(sorted(_fleets(table, table.map.seas)))
    if battles or seas or _lone_leaders(table, Combat(battles)):
        draft.emit(CombatOpened(battles, seas))
    else:
        _go_on(draft)


def close(draft: Draft[Table]) -> None:
    """End the fighting and the phase."""
    draft.emit(CombatClosed())
    _go_on(draft)


def _go_on(draft: Draft[Table]) -> None:
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
        battles = _fights(draft.table).battles
        if self.province not in battles:
            asked = f"You have no battle to fight in {self.province}."
            raise Refusal("CC-BAT-01", asked, f"Battles you still have to fight: {_listed(battles)}.")
        _fight(draft, self.province)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if battles := _fights(table).battles:
            yield cls.option("Fight a land battle", {"province": schema.one_of(battles)})


class FightAtSea(Command, frozen=True):
    """Attack the galleys of one opponent in a sea zone with all your galleys there (CC-NAV-01, CC-NAV-18, CC-NAV-20).

    If you divided your fleet, fight this opponent with the part assigned to them; in any order (CC-NAV-19, CC-BAT-04).
    """

    rules = ("CC-NAV-01", "CC-NAV-18", "CC-NAV-20", "CC-NAV-19", "CC-BAT-04")
    answers = FIGHT
    gesture = Gesture(to="sea", targets=("opponent",))

    sea: AreaId
    opponent: Seat

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        plans = [plan for plan in _fights(draft.table).naval if plan.sea == self.sea]
        if not plans:
            galleys, opponents = _contested(draft.table, self.sea)
            plan = NavalPlan(self.sea, self.opponent, tuple(galleys))
            rule = "CC-NAV-02"
        else:
            opponents = [plan.opponent for plan in plans]
            plan = next((plan for plan in plans if plan.opponent == self.opponent), plans[0])
            rule = "CC-NAV-19"
        if self.opponent not in opponents:
            asked = f"You cannot fight {self.opponent} in {self.sea}."
            raise Refusal(rule, asked, f"Your opponents there: {_listed(opponents)}.")
        if not plans:
            draft.emit(NavalBattleDeclared(self.sea, (plan,)))
        naval.begin(draft, plan)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        fights = _fights(table)
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
        against: the opponent of each galley, in the order in which the decision lists the galleys (by id); they may all
            have the same opponent.
    """

    rules = ("CC-NAV-19",)
    answers = FIGHT
    gesture = Gesture(to="sea", targets=("against",))

    sea: AreaId
    against: tuple[Seat, ...]

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        galleys, opponents = _contested(draft.table, self.sea)
        asked = f"You cannot divide your fleet in {self.sea} against {_listed(self.against)}."
        if len(galleys) < 2 or len(opponents) < 2:
            raise Refusal("CC-NAV-19", asked, "Dividing a fleet takes two galleys and two opponents.")
        if len(self.against) != len(galleys):
            raise Refusal("CC-NAV-20", asked, f"Name an opponent for each of {_listed(galleys)}.")
        if not set(self.against).issubset(opponents):
            raise Refusal("CC-NAV-02", asked, f"Your opponents there: {_listed(opponents)}.")
        parts: defaultdict[Seat, list[str]] = defaultdict(list)
        for galley, opponent in zip(galleys, self.against, strict=True):
            parts[opponent].append(galley)
        plans = tuple(NavalPlan(self.sea, opponent, tuple(part)) for opponent, part in sorted(parts.items()))
        draft.emit(NavalBattleDeclared(self.sea, plans))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        for sea, (galleys, opponents) in _fights(table).seas.items():
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
        if seas := _fights(table).seas:
            yield cls.option("Decline a naval battle", {"sea": schema.one_of(seas)})


class AttackLeaders(Command, frozen=True):
    """Take all lone leaders of a player where you have a unit; it always succeeds (CC-CAP-04, CC-CAP-05).

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
        leaders = self.leaders or _unspared(table, self.province, self.player)
        capture.defeat(draft, leaders, seat, table.edition.cite("CC-CAP-04"))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        return _lone_options(cls, table, "Attack lone leaders")


class SpareLeaders(Command, frozen=True):
    """Spare all leaders of a player who are without units in a province (CC-CAP-04, CC-CAP-05).

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


class FinishCombat(Command, frozen=True):
    """Stop fighting and decline all optional battles. You cannot while a battle must be fought (CC-BAT-01)."""

    rules = ("CC-TRN-05", "CC-BAT-01")
    answers = FIGHT
    gesture = Gesture(quiet=True, called="Done fighting")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        fights = _fights(draft.table)
        asked = "You cannot end the combat phase yet."
        refuse_unless(not fights.battles, "CC-BAT-01", asked, f"You must fight in {_listed(fights.battles)}.")
        refuse_unless(not fights.naval, "CC-NAV-19", asked, "Each part of your divided fleet must fight its battle.")
        close(draft)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if not _fights(table).due:
            yield cls.option()


def _contested(table: Table, sea: AreaId) -> tuple[list[str], list[Seat]]:
    """Return the active player's galleys and possible opponents in a sea zone. Raises `Refusal` if there are none."""
    fights = _fights(table)
    seas = fights.seas
    asked = f"You cannot declare or decline a naval battle in {sea}."
    if sea not in table.map.seas:
        raise Refusal("CC-NAV-03", asked, "Naval battles take place only in sea zones.")
    if any(plan.sea == sea for plan in fights.naval):
        raise Refusal("CC-NAV-19", asked, "You have divided your fleet there. Fight with each part of it.")
    if sea not in seas and sea in _fleets(table, (sea,)):
        raise Refusal("CC-NAV-18", asked, "You have already decided about this sea zone.")
    if sea not in seas:
        raise Refusal("CC-NAV-02", asked, f"Sea zones where you meet other galleys: {_listed(seas)}.")
    return seas[sea]


def _check_lone(table: Table, province: AreaId, player: Seat) -> None:
    lone = _fights(table).leaders
    if player in lone.get(province, ()):
        return
    asked = f"You cannot attack or spare the leaders of {player} in {province}."
    has_leaders = player != table.acting and bool(table.leaders_at(province, player))
    if has_leaders and player in table.provinces[province].armies:
        raise Refusal("CC-CAP-03", asked, "You can attack leaders only when they have no unit left in the province.")
    if has_leaders and province in _fights(table).battles:
        raise Refusal("CC-BAT-33", asked, "You can attack them when the battle there is over.")
    allowed = _listed(f"{' and '.join(players)} in {area}" for area, players in lone.items())
    raise Refusal(table.edition.cite("CC-CAP-04"), asked, f"Lone leaders among your units: {allowed}.")


def _check_chosen(table: Table, province: AreaId, player: Seat, leaders: Sequence[str]) -> None:
    if not leaders:
        return
    rule, asked = table.edition.cite("CC-CAP-04"), f"You chose {', '.join(leaders)} in {province}."
    if not table.each_lone_leader:
        raise Refusal(rule, asked, f"In this game you attack or spare all leaders of {player} there together.")
    allowed = _unspared(table, province, player)
    if not set(leaders).issubset(allowed) or len(set(leaders)) < len(leaders):
        raise Refusal(rule, asked, f"Choose from {_listed(allowed)}, each once.")


def _lone_options(command: type[Command], table: Table, title: str) -> Iterable[Option]:
    rule = table.edition.cite("CC-CAP-04")
    for province, players in _fights(table).leaders.items():
        if table.each_lone_leader:
            for player in players:
                some = schema.subset(_unspared(table, province, player), 1)
                fields = {"province": schema.const(province), "player": schema.const(player), "leaders": some}
                yield command.option(title, fields, rule=rule, optional=("leaders",))
            continue
        fields = {"province": schema.const(province), "player": schema.one_of(players)}
        yield command.option(f"{title} in {table.names(province)}", fields, rule=rule)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


EVENTS = (CombatOpened, NavalBattleDeclared, NavalBattleDeclined, LeadersSpared, SomeLeadersSpared, CombatClosed)
COMMANDS = (
    FightBattle,
    FightAtSea,
    DivideFleet,
    DeclineNavalBattle,
    AttackLeaders,
    SpareLeaders,
    FinishCombat,
)
