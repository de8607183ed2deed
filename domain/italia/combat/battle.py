"""Battles: their beginning, their rounds and their end (chapter BAT). Which is fought next is in next_battle.py.

All units of both nations in the place take part, so `Battle` does not list them: it keeps only what is damaged, aimed
at or still to be lost.
"""

from collections.abc import Iterable

from msgspec import field
from msgspec.structs import replace

from domain.italia.box.pieces import Army, Kind, LeaderId, NationId, Units, amount_of, kinds_in_words, listed
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
from domain.kernel.rules.message import Count, Names
from domain.kernel.rules.refusal import refuse_unless

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
        pitched: for each nation that scores a pitched battle if it wins (IT-I1-08), the place of the line for it among
            the scoring lines of its card, from 0.
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
        losses = [f" The {names(nation)} lost {listed(units)}." for nation, units in self.lost.items()]
        throws = f"{self.attacker.tell(names)}; {self.defender.tell(names)}"
        return f"{throws[0].upper()}{throws[1:]}.{''.join(losses)}"


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
            rest = tuple(each for each in combat.encounters if (each.sea, each.other) != (self.place, self.defender))
            table.combat = replace(combat, encounters=rest)
        else:
            table.combat = resolved(combat, self.place)

    def tell(self, names: Names) -> str:
        if self.winner is None:
            return f"The battle in {names(self.place)} ended without a winner."
        return f"The {names(self.winner)} won the battle in {names(self.place)}."


# --- its beginning ---


def begin(draft: Draft[Table], place: AreaId, enemy: NationId, *, naval: bool, raid: bool) -> None:
    """Begin a battle of the active nation, who is the attacker (IT-BAT-02).

    Before its first round the defender submits if it must, and units desert (IT-BAT-14).
    """
    table = draft.table
    sides = turn_of(table).nation, enemy
    bare = Battle(place, naval, *sides)
    if naval:
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
    elif not naval:
        deserters.desert(draft)
        go_on_or_end(draft)


# --- its rounds ---


def go_on_or_end(draft: Draft[Table]) -> bool:
    """Remove leaders whose last companions were lost, and end the battle unless both sides can fight on.

    Return whether they can.
    """
    _remove_lone_leaders(draft)
    battle = battle_of(draft.table)
    fight_on = all(_fights(draft.table, battle, side) for side in battle.sides)
    if not fight_on:
        end(draft)
    return fight_on


def next_round(draft: Draft[Table]) -> None:
    """Begin another round, or end the battle if a side cannot fight on (IT-BAT-13, IT-BAT-15)."""
    if go_on_or_end(draft):
        battle = battle_of(draft.table)
        draft.emit(BattleRoundBegan(battle.place, battle.round + 1))


def open_retreats(draft: Draft[Table]) -> None:
    """Let both sides retreat when elephants have driven off whom they could."""
    if go_on_or_end(draft):
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


def win_without_battle(draft: Draft[Table], area: AreaId, caught: NationId, by: NationId) -> None:
    """Remove leaders without units from an area with enemy units, which take its city (IT-BAT-17)."""
    _catch(draft, area, caught, by)
    cities.take(draft, by, area)


def roll(draft: Draft[Table]) -> None:
    """Roll for both sides, and remove what is lost on land (IT-BAT-07)."""
    table = draft.table
    battle = battle_of(table)
    thrown = {nation: dice.throw(draft, battle, nation) for nation in battle.sides}
    losses, damaged = dict[NationId, Units](), dict[NationId, Units]()
    driven, sunk = dict[NationId, int](), dict[NationId, int]()
    for nation in sorted(battle.sides):  # the order in which the log keeps keys
        theirs = thrown[battle.enemy(nation)]
        if battle.naval:
            if hits := min(theirs.hits, sum(1 for _ in table.fleets_of(nation, battle.place))):
                sunk[nation] = hits
            continue
        eliminated, hurt = dice.losses(table, battle, nation, theirs)
        if eliminated:
            losses[nation] = eliminated
        if hurt:
            damaged[nation] = hurt
        if not battle.raid and (number := dice.number_driven_off(theirs)):
            driven[nation] = number
    attacker, defender = (thrown[nation] for nation in battle.sides)
    draft.emit(BattleRolled(battle.place, attacker, defender, losses, damaged, driven, sunk))
    for nation, units in losses.items():
        scoring.eliminated(draft, nation, units, by=battle.enemy(nation))
    if battle.raid:
        _end_raid(draft, attacker.hits)
    elif not battle.naval:
        go_on_or_end(draft)


def _end_raid(draft: Draft[Table], hits: int) -> None:
    _remove_lone_leaders(draft)
    battle = battle_of(draft.table)
    deserters.settle_conversion(draft, battle)
    raids.end(draft, battle, hits, barred(draft.table, battle, battle.attacker))


def end(draft: Draft[Table]) -> None:
    """End the battle. The only side that is still there wins; nobody does if both are (leaders only), or neither."""
    table = draft.table
    battle = battle_of(table)
    present = [side for side in battle.sides if is_there(table, battle, side)]
    winner = present[0] if len(present) == 1 else None
    draft.emit(BattleEnded(battle.place, battle.attacker, battle.defender, winner, battle.naval))
    deserters.settle_conversion(draft, battle)
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
        unit = amount_of(self.kind, 1) if self.kind else "no unit"
        wrong = f"The {names(self.nation)} cannot convert {unit}."
        refuse_unless(self.nation == nation, self.rule, wrong, f"The {names(nation)} must answer now.")
        if self.kind is not None:
            enemies = draft.table.army(battle.place, battle.enemy(nation)).units
            rule = "IT-I2-08" if self.kind in enemies else self.rule
            refuse_unless(
                self.kind in kinds, rule, wrong, f"They can convert one unit of these types: {kinds_in_words(kinds)}."
            )
            draft.emit(deserters.UnitConverted(nation, battle.place, battle.enemy(nation), self.kind))
            go_on_or_end(draft)
        else:
            draft.emit(ConversionDeclined(nation))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation, kinds = _converting(table)
        yield cls.option("Convert a unit", {"nation": schema.const(nation), "kind": schema.one_of(kinds)})
        yield cls.option("Convert none", {"nation": schema.const(nation)})


def _converting(table: Table) -> tuple[NationId, list[Kind]]:
    conversion = deserters.convertible(table, battle_of(table))
    assert conversion is not None, "a unit can be converted"
    return conversion


def convert(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask before each round whether a unit of the enemy is converted (IT-I2-06)."""
    battle, names = battle_of(table), table.names
    nation, kinds = _converting(table)
    title = f"The {names(nation)} in {names(battle.place)}: do you convert a unit of the {names(battle.enemy(nation))}?"
    about = {"nation": nation, "place": battle.place, "kinds": kinds}
    depends = "A converted unit fights for them from this round on."
    return [Decision("convert", (table.seat_of(nation),), RuleId("IT-I2-06"), title, depends, about)]


EVENTS = (LeadersCaught, BattleBegan, BattleRoundBegan, RetreatsOpened, ConversionDeclined, BattleRolled, BattleEnded)
COMMANDS = (Convert,)
