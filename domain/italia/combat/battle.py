"""Battles: which is fought next, their rounds and their end (chapter BAT).

All units of both nations in the place take part; nothing but what is damaged, aimed at or to be lost is kept about
them.
"""

from collections.abc import Iterable

from msgspec import Struct, field
from msgspec.structs import replace

from domain.italia.box.pieces import Army, Kind, LeaderId, NationId, Units, counted, listed, named
from domain.italia.box.state import Battle, BattleStep, resolved
from domain.italia.box.table import Command, Event, Table, battle_of, combat_of, turn_of
from domain.italia.combat import cities, deserters, dice, raids, submission
from domain.italia.combat.destinations import barred
from domain.italia.combat.dice import Throw
from domain.italia.turn import scoring
from domain.italia.turn.sequence import begin_stage
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Count, Names, enumerated
from domain.kernel.rules.refusal import Refusal, refuse_unless

# --- what happens ---


class LeadersCaught(Event, frozen=True):
    """Leaders without units were removed from an area with enemy units, without combat (IT-BAT-17)."""

    rules = ("IT-BAT-17",)
    places = (("area", "lost"),)

    nation: NationId
    area: AreaId
    leaders: tuple[LeaderId, ...]

    def apply(self, table: Table) -> None:
        begin_stage(table, "battles")
        table.eliminate(self.area, self.nation, Army(leaders=self.leaders))
        table.combat = resolved(combat_of(table), self.area)

    def tell(self, names: Names) -> str:
        were = "was" if len(self.leaders) == 1 else "were"
        return f"{names.all(self.leaders)} {were} caught alone in {names(self.area)}."


class BattleBegan(Event, frozen=True):
    """A battle began, on land or at sea (IT-BAT-03); or a raid (IT-RAI-02).

    Attributes:
        naval: whether it is fought at sea.
        attacking: the attacker's land units and leaders, aboard fleets at sea.
        defending: the defender's.
        fleets: at sea, how many fleets each side has.
        raid: whether the attacker raids the city.
        pitched: the nations that score a pitched battle when they win, and by which line of their cards (IT-I1-08).
    """

    rules = ("IT-BAT-01", "IT-BAT-02", "IT-BAT-03", "IT-RAI-01", "IT-RAI-02", "IT-NAV-10", "IT-I1-08", "IT-I1-22")
    places = (("place", "at"),)

    place: AreaId
    naval: bool
    attacker: NationId
    defender: NationId
    attacking: Army
    defending: Army
    fleets: tuple[Count, Count] = (0, 0)
    raid: bool = False
    pitched: dict[NationId, Count] = field(default_factory=dict[NationId, int])

    def apply(self, table: Table) -> None:
        begin_stage(table, "battles")
        table.battle = Battle(
            self.place, self.naval, self.attacker, self.defender, raid=self.raid, pitched=self.pitched
        )
        campaign = table.campaign
        if campaign is not None and campaign.leader in self.attacking.leaders:
            table.campaign = replace(campaign, at=self.place)

    def tell(self, names: Names) -> str:
        what = "raid the city of" if self.raid else "attack"
        attackers, defenders = self.attacking.tell(names), self.defending.tell(names)
        if self.naval:
            attackers, defenders = (f"{number} fleet{'s' * (number != 1)}" for number in self.fleets)
        sides = f"The {names(self.attacker)} {what} the {names(self.defender)} in {names(self.place)}"
        return f"{sides}: {attackers} against {defenders}."


class BattleRoundBegan(Event, frozen=True):
    """Both sides fight on: another round of a battle began (IT-BAT-15)."""

    rules = ("IT-BAT-13", "IT-BAT-15", "IT-NAV-12")

    place: AreaId
    round: Count

    def apply(self, table: Table) -> None:
        table.battle = replace(battle_of(table), step="submit", round=self.round, stood=())

    def tell(self, names: Names) -> str:
        return f"Round {self.round} of the battle in {names(self.place)} began."


class RetreatsOpened(Event, frozen=True):
    """Elephants had driven off whom they could; then both sides could retreat (IT-BAT-14)."""

    rules = ("IT-BAT-14", "IT-HIT-10")

    place: AreaId

    def apply(self, table: Table) -> None:
        table.battle = replace(battle_of(table), step="retreat", driven={})

    def tell(self, names: Names) -> str:
        return f"The elephants in {names(self.place)} drove nobody else off."


class ConversionDeclined(Event, frozen=True):
    """A nation converted no unit of the enemy before this round (IT-I2-06)."""

    rules = ("IT-I2-06", "IT-BAT-14")

    nation: NationId

    def apply(self, table: Table) -> None:
        table.battle = replace(battle_of(table), step="roll")

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} converted nobody in this round."


class BattleRolled(Event, frozen=True):
    """Both sides rolled, and on land lost what was hit (IT-BAT-04, IT-BAT-07).

    Attributes:
        lost: land units that were eliminated, by nation.
        damaged: two-hit units that are damaged now, by nation.
        driven: how many units elephants drive off, by nation (IT-HIT-10).
        sunk: how many fleets must be lost, by nation (IT-NAV-05).
    """

    rules = ("IT-BAT-04", "IT-BAT-06", "IT-BAT-07", "IT-BAT-08", "IT-BAT-09", "IT-BAT-10", "IT-BAT-12", "IT-HIT-01")
    places = (("place", "at"),)

    place: AreaId
    attacker: Throw
    defender: Throw
    lost: dict[NationId, Units]
    damaged: dict[NationId, Units]
    driven: dict[NationId, Count]
    sunk: dict[NationId, Count]

    def apply(self, table: Table) -> None:
        for nation, units in self.lost.items():
            table.eliminate(self.place, nation, Army(units))
        step: BattleStep = "lose" if self.sunk else "driven-off" if self.driven else "retreat"
        table.battle = replace(
            battle_of(table), step=step, damaged=self.damaged, driven=self.driven, losses=self.sunk, aims={}, sealed={}
        )

    def tell(self, names: Names) -> str:
        lost = [f" The {names(nation)} lost {listed(units)}." for nation, units in self.lost.items()]
        said = f"{self.attacker.tell(names)}; {self.defender.tell(names)}"
        return f"{said[0].upper()}{said[1:]}.{''.join(lost)}"


class BattleEnded(Event, frozen=True):
    """A battle ended (IT-BAT-13, IT-NAV-12). Damaged units that survived are restored (IT-BAT-11).

    Attributes:
        winner: the only nation left in the place; null when both are, or none.
        naval: whether it was fought at sea.
    """

    rules = ("IT-BAT-11", "IT-BAT-13", "IT-NAV-12", "IT-I1-09")
    places = (("place", "at"),)

    place: AreaId
    attacker: NationId
    defender: NationId
    winner: NationId | None
    naval: bool = False

    def apply(self, table: Table) -> None:
        table.battle, combat = None, combat_of(table)
        if self.naval:
            left = tuple(each for each in combat.encounters if (each.sea, each.other) != (self.place, self.defender))
            table.combat = replace(combat, encounters=left)
        else:
            table.combat = resolved(combat, self.place)

    def tell(self, names: Names) -> str:
        if self.winner is None:
            return f"The battle in {names(self.place)} ended without a winner."
        return f"The {names(self.winner)} won the battle in {names(self.place)}."


# --- which battle is next ---


class Due(Struct, frozen=True):
    """A battle that the active nation can fight next.

    Attributes:
        raid: whether it is a raid; None where the attacker chooses.
    """

    place: AreaId
    enemy: NationId
    naval: bool = False
    raid: bool | None = False


def due(table: Table) -> list[Due]:
    """Return the battles that can be fought next (IT-BAT-03, IT-NAV-11): land battles, then naval ones."""
    nation, combat = turn_of(table).nation, combat_of(table)
    found = [
        Due(area, enemy, raid=_raid(table, nation, area))
        for area, front in combat.fronts.items()
        for enemy in front.enemies
        if _faces(table, nation, enemy, area) == (True, True)
    ]
    first = set[AreaId]()
    for each in combat.encounters:
        if not all(any(table.fleets_of(side, each.sea)) for side in (nation, each.other)):
            continue
        if not each.against_active or each.sea not in first:
            found.append(Due(each.sea, each.other, naval=True))
        if each.against_active:
            first.add(each.sea)
    return found


def _raid(table: Table, nation: NationId, area: AreaId) -> bool | None:
    """Return whether a battle is a raid; on a campaign that was said before the reactions (IT-RAI-02)."""
    if table.campaign is not None and table.campaign.step:
        return area in table.campaign.raids
    return None if raids.bar(table, nation, area) is None else False


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
                return lambda draft: _win_without_battle(draft, area, caught, by)
    battles = due(table)
    if not battles:
        return None
    if len(battles) == 1 and (raid := battles[0].raid) is not None:
        return lambda draft: begin(draft, battles[0], raid=raid)
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
        table, battles = draft.table, due(draft.table)
        names, nation = table.names, turn_of(table).nation
        asked = f"The {names(self.nation)} cannot fight the {names(self.enemy)} in {names(self.place)} now."
        refuse_unless(self.nation == nation, self.rule, asked, f"It is the turn of the {names(nation)}.")
        battle = next((each for each in battles if (each.place, each.enemy) == (self.place, self.enemy)), None)
        if battle is None:
            each = enumerated([f"the {names(one.enemy)} in {names(one.place)}" for one in battles])
            allowed = f"They can fight {each} next."
            raise Refusal(_not_due(table, nation, self.place, self.enemy), asked, allowed)
        if battle.raid not in (None, self.raid):
            raise Refusal(*_no_raid(table, nation, self.place))
        begin(draft, battle, raid=self.raid)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation, names = turn_of(table).nation, table.names
        for each in due(table):
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


def _no_raid(table: Table, nation: NationId, area: AreaId) -> tuple[str, str, str]:
    """Return why a battle cannot be the raid or the attack that was asked for."""
    asked = f"You cannot raid {table.names(area)}."
    if table.campaign is not None and table.campaign.step:
        allowed = "On a campaign you announce raids before the reactions, and cannot change them later."
        return "IT-RAI-02", asked, allowed
    bar = raids.bar(table, nation, area)
    assert bar is not None, "a raid is chosen when the battle begins, where there can be one"
    return bar[0], asked, f"{bar[1]} Attack instead."


def begin(draft: Draft[Table], battle: Due, *, raid: bool) -> None:
    """Begin a battle of the active nation, who is the attacker (IT-BAT-02).

    Before its first round the defender submits if it must, and units desert (IT-BAT-14).
    """
    table, place = draft.table, battle.place
    sides = turn_of(table).nation, battle.enemy
    bare = Battle(place, battle.naval, *sides)
    if battle.naval:
        fleets = [[fleet for _, fleet in table.fleets_of(side, place)] for side in sides]
        armies = [sum((fleet.cargo for fleet in each), Army()) for each in fleets]
        number = len(fleets[0]), len(fleets[1])
        draft.emit(BattleBegan(place, True, *sides, armies[0], armies[1], number))
    else:
        lines = {} if raid else {side: scoring.pitched_battle(table, bare, side) for side in sorted(sides)}
        cards = table.cards.nations
        pitched = {side: cards[side].scoring.index(line) for side, line in lines.items() if line is not None}
        attacking, defending = (table.army(place, side) for side in sides)
        draft.emit(BattleBegan(place, False, *sides, attacking, defending, raid=raid, pitched=pitched))
    fight = battle_of(draft.table)
    if submission.must_submit(draft.table, fight):
        submission.submit(draft, fight, forced=True)
    elif not fight.naval:
        deserters.desert(draft)
        goes_on(draft)


# --- its rounds ---


def goes_on(draft: Draft[Table]) -> bool:
    """Tell whether both sides can fight on; remove leaders whose last companions were lost, and else end the battle."""
    _remove_lone_leaders(draft)
    battle = battle_of(draft.table)
    fight_on = all(_fights(draft.table, battle, side) for side in battle.sides)
    if not fight_on:
        end(draft)
    return fight_on


def next_round(draft: Draft[Table]) -> None:
    """Begin another round when both sides have stood, or end the battle (IT-BAT-13, IT-BAT-15)."""
    if goes_on(draft):
        battle = battle_of(draft.table)
        draft.emit(BattleRoundBegan(battle.place, battle.round + 1))


def open_retreats(draft: Draft[Table]) -> None:
    """Let both sides retreat when elephants have driven off whom they could."""
    if goes_on(draft):
        draft.emit(RetreatsOpened(battle_of(draft.table).place))


def _fights(table: Table, battle: Battle, nation: NationId) -> bool:
    """Tell whether a side can fight on: with units, not only leaders, or with fleets."""
    if battle.naval:
        return any(table.fleets_of(nation, battle.place))
    return table.army(battle.place, nation).size > 0


def _remove_lone_leaders(draft: Draft[Table]) -> None:
    """Remove leaders whose last companions were lost among enemy units (IT-BAT-17)."""
    table = draft.table
    battle = battle_of(table)
    for nation in battle.sides:
        army, enemy = table.army(battle.place, nation), battle.enemy(nation)
        if not battle.naval and army.leaders and not army.size and table.army(battle.place, enemy).size:
            _catch(draft, battle.place, nation, enemy)


def _catch(draft: Draft[Table], area: AreaId, nation: NationId, by: NationId) -> None:
    leaders = draft.table.army(area, nation).leaders
    draft.emit(LeadersCaught(nation, area, leaders))
    scoring.eliminated(draft, nation, {}, by=by, leaders=leaders)


def _win_without_battle(draft: Draft[Table], area: AreaId, caught: NationId, by: NationId) -> None:
    _catch(draft, area, caught, by)
    cities.take(draft, by, area)


def roll(draft: Draft[Table]) -> None:
    """Roll for both sides, and remove what is lost on land (IT-BAT-07)."""
    table = draft.table
    battle = battle_of(table)
    thrown = {nation: dice.throw(draft, battle, nation) for nation in battle.sides}
    lost, damaged = dict[NationId, Units](), dict[NationId, Units]()
    driven, sunk = dict[NationId, int](), dict[NationId, int]()
    for nation in sorted(battle.sides):  # as the log keeps it
        theirs = thrown[battle.enemy(nation)]
        if battle.naval:
            if hits := min(theirs.hits, sum(1 for _ in table.fleets_of(nation, battle.place))):
                sunk[nation] = hits
            continue
        gone, hurt = dice.losses(table, battle, nation, theirs)
        if gone:
            lost[nation] = gone
        if hurt:
            damaged[nation] = hurt
        if not battle.raid and (number := dice.drives_off(theirs)):
            driven[nation] = number
    attacker, defender = (thrown[nation] for nation in battle.sides)
    draft.emit(BattleRolled(battle.place, attacker, defender, lost, damaged, driven, sunk))
    for nation, units in lost.items():
        scoring.eliminated(draft, nation, units, by=battle.enemy(nation))
    if battle.raid:
        _end_raid(draft, attacker.hits)
    elif not battle.naval:
        goes_on(draft)


def _end_raid(draft: Draft[Table], hits: int) -> None:
    _remove_lone_leaders(draft)
    battle = battle_of(draft.table)
    deserters.settle(draft, battle)
    raids.end(draft, battle, hits, barred(draft.table, battle, battle.attacker))


def end(draft: Draft[Table]) -> None:
    """End the battle: by defeat, by retreat, or by submission, when both are still there."""
    table = draft.table
    battle = battle_of(table)
    present = [side for side in battle.sides if is_there(table, battle, side)]
    winner = present[0] if len(present) == 1 else None
    draft.emit(BattleEnded(battle.place, battle.attacker, battle.defender, winner, battle.naval))
    deserters.settle(draft, battle)
    if winner is not None and winner in battle.pitched:
        scoring.score(draft, winner, table.cards.nations[winner].scoring[battle.pitched[winner]])
    if winner is not None and not battle.naval:
        cities.take(draft, winner, battle.place)


def is_there(table: Table, battle: Battle, nation: NationId) -> bool:
    """Tell whether a side has anything left in the place of the battle, leaders among it."""
    return any(table.fleets_of(nation, battle.place)) if battle.naval else bool(table.army(battle.place, nation))


# --- conversion ---


class Convert(Command, frozen=True):
    """Convert one unit of the enemy before a round of battle, or none (IT-I2-06).

    Attributes:
        kind: its type; left out to convert none before this round.
    """

    rules = ("IT-I2-06", "IT-I2-08", "IT-BAT-14")
    answers = frozenset({"convert"})

    nation: NationId
    kind: Kind | None = None

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        nation, kinds = _converting(draft.table)
        battle = battle_of(draft.table)
        names = draft.table.names
        unit = counted(self.kind, 1) if self.kind else "no unit"
        asked = f"The {names(self.nation)} cannot convert {unit}."
        refuse_unless(self.nation == nation, self.rule, asked, f"The {names(nation)} must answer now.")
        if self.kind is not None:
            there = draft.table.army(battle.place, battle.enemy(nation)).units
            rule = "IT-I2-08" if self.kind in there else self.rule
            refuse_unless(self.kind in kinds, rule, asked, f"They can convert one unit of these types: {named(kinds)}.")
            draft.emit(deserters.UnitConverted(nation, battle.place, battle.enemy(nation), self.kind))
            goes_on(draft)
        else:
            draft.emit(ConversionDeclined(nation))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation, kinds = _converting(table)
        yield cls.option("Convert a unit", {"nation": schema.const(nation), "kind": schema.one_of(kinds)})
        yield cls.option("Convert none", {"nation": schema.const(nation)})


def _converting(table: Table) -> tuple[NationId, list[Kind]]:
    found = deserters.convertible(table, battle_of(table))
    assert found is not None, "a unit can be converted"
    return found


def convert(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask before each round whether a unit of the enemy is converted (IT-I2-06)."""
    battle, names = battle_of(table), table.names
    nation, kinds = _converting(table)
    title = f"The {names(nation)} in {names(battle.place)}: do you convert a unit of the {names(battle.enemy(nation))}?"
    about = {"nation": nation, "place": battle.place, "kinds": kinds}
    depends = "A converted unit fights for them from this round on."
    return [Decision("convert", (table.seat_of(nation),), RuleId("IT-I2-06"), title, depends, about)]


EVENTS = (LeadersCaught, BattleBegan, BattleRoundBegan, RetreatsOpened, ConversionDeclined, BattleRolled, BattleEnded)
COMMANDS = (Fight, Convert)
