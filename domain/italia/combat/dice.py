"""The dice of combat: who can be aimed at, what is added to a die, and what hits do (chapters HIT and SUP).

Modifiers are looked up at every roll, because they change from round to round and from battle to battle (IT-I2-11).
"""

from typing import Final, Literal

from msgspec import Struct

from domain.italia.box.entries import Handicap
from domain.italia.box.pieces import FLEET, KINDS, Kind, NationId, Units
from domain.italia.box.state import Aim, Battle
from domain.italia.box.table import Table
from domain.kernel.ids import AreaId
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.marks import together
from domain.kernel.rules.message import Count, Draw, Names

DIE: Final = "ten-sided"
Face = Literal["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]

FACES: Final[tuple[Face, ...]] = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10")
"""The faces of a die; the face 0 counts as 10 (IT-SET-08)."""
ELEPHANT: Final = "elephant"
DRIVES_OFF: Final[tuple[Face, ...]] = ("9", "10")
"""Unmodified faces on which an elephant drives an enemy unit off (IT-HIT-10)."""
CITY: Final = "city"
"""What raiders aim at (IT-RAI-06)."""


class Group(Struct, frozen=True):
    """Units at which the enemy can aim, as one target.

    Attributes:
        damaged: how many of them were hit once (IT-BAT-09).
        seaborne: whether they came by sea or across a strait; always false after the first round (IT-HIT-08).
    """

    kind: Kind
    count: Count
    damaged: Count = 0
    seaborne: bool = False


class Shots(Struct, frozen=True):
    """Dice after the roll: those of units of one type that aimed at the same target.

    Attributes:
        kind: the type, or ``fleet``.
        target: a group of enemy units, ``fleet``, or ``city`` for raiders.
        count: how many dice.
        modifier: what was added to each die.
        hits: how many of them hit.
    """

    kind: str
    target: str
    count: Count
    modifier: int
    hits: Count


class Throw(Struct, frozen=True):
    """The dice of a nation in a round.

    Attributes:
        faces: the faces that came up, in the order of `shots`.
    """

    nation: NationId
    draw: Draw
    faces: tuple[Face, ...]
    shots: tuple[Shots, ...]

    @property
    def hits(self) -> int:
        """The number of all hits, those that find no unit left included."""
        return sum(shots.hits for shots in self.shots)

    def tell(self, names: Names) -> str:
        hits = f"{self.hits} hit{'s' * (self.hits != 1)}"
        return f"the {names(self.nation)} rolled {', '.join(self.faces)}: {hits}"


# --- targets ---


def groups(table: Table, battle: Battle, nation: NationId) -> dict[str, Group]:
    """Return the groups of a nation's units at which its enemy can aim, by name (IT-BAT-05).

    In the first round, attackers who came by sea are not in a group with attackers who came by land (IT-HIT-09). With
    the option `individual_targets` each unit is a group (IT-BAT-19).
    """
    units, damaged = table.army(battle.place, nation).units, battle.damaged.get(nation, {})
    seaborne = _seaborne(table, battle, nation)
    mixed = any(units[kind] > seaborne.get(kind, 0) for kind in units) and bool(seaborne)
    by_name: dict[str, Group] = {}
    for kind in KINDS:
        number, landed, hit = units.get(kind, 0), seaborne.get(kind, 0), damaged.get(kind, 0)
        if table.options.individual_targets:
            for each in range(1, number + 1):
                by_name[f"{kind}-{each}"] = Group(kind, 1, int(each <= hit), each > number - landed)
        elif not mixed and number:
            by_name[kind] = Group(kind, number, hit, bool(landed))
        elif mixed:
            if number > landed:
                by_name[kind] = Group(kind, number - landed, hit)
            if landed:
                by_name[f"{kind}-seaborne"] = Group(kind, landed, 0, True)
    return by_name


def _seaborne(table: Table, battle: Battle, nation: NationId) -> Units:
    """Return the attackers, in the first round, who came directly from the sea or across a strait."""
    front = None if table.combat is None else table.combat.fronts.get(battle.place)
    if nation != battle.attacker or battle.round > 1 or battle.raid or front is None:
        return {}
    units = table.army(battle.place, nation).units
    present: Units = {kind: min(number, units.get(kind, 0)) for kind, number in front.seaborne.items()}
    return _without_zeros(present)


def targets(table: Table, battle: Battle, nation: NationId) -> list[str]:
    """Return the targets among which a nation's units choose; raiders aim at the city only (IT-RAI-05, IT-RAI-06)."""
    if battle.raid and nation == battle.attacker:
        return [CITY]
    return list(groups(table, battle, battle.enemy(nation)))


def _aims(table: Table, battle: Battle, nation: NationId) -> tuple[Aim, ...]:
    """Return the aims of a nation: those that it declared, or the only possible ones."""
    if nation in battle.aims:
        return battle.aims[nation]
    units, (target, *_) = table.army(battle.place, nation).units, targets(table, battle, nation)
    return tuple(Aim(kind, units[kind], target) for kind in KINDS if units.get(kind))


# --- what is added to a die ---


def modifier(table: Table, battle: Battle, nation: NationId, target: Group | None = None) -> int:
    """Return what is added to each die of a nation that aims at a target (IT-HIT-07); 0 in a raid (IT-RAI-04).

    At sea, `volleys` also adds to a fleet's die for the units that the fleet carries (IT-NAV-04).
    """
    if battle.raid:
        return 0
    combat, place = table.data.combat, battle.place
    total = handicap(table, nation) + combat.leader * _leaders(table, battle, nation)
    if battle.naval:
        return total
    if has_supremacy(table, battle, nation):
        total += combat.naval_supremacy
    if nation == battle.attacker:
        total += combat.attack_highland_or_marsh if table.is_highland(place) or table.is_marsh(place) else 0
        total += combat.attack_city if table.has_city(place) else 0
    elif target is not None and target.seaborne:
        total += combat.seaborne_defender
    return total


def _leaders(table: Table, battle: Battle, nation: NationId) -> int:
    """Return how many leaders help a nation: those in the area, or aboard its fleets there (IT-HIT-05, IT-NAV-04)."""
    if not battle.naval:
        return len(table.army(battle.place, nation).leaders)
    return sum(len(fleet.cargo.leaders) for _, fleet in table.fleets_of(nation, battle.place))


def handicap(table: Table, nation: NationId) -> int:
    """Return the modifier that the nation's card gives each of its dice now; 0 without one (IT-I2-10, IT-I2-11)."""
    special = table.cards.nations[nation].special(Handicap)
    if special is None:
        return 0
    free = _holds(table, nation, special.area) and table.leader_at(special.leader) is not None
    return 0 if free else special.modifier


def _holds(table: Table, nation: NationId, area: AreaId) -> bool:
    """Tell whether a nation controls an area. An area that it still attacks is controlled by the defender."""
    contested = nation == table.active and bool(table.strangers(nation, area))
    return nation in table.armies.get(area, {}) and not contested


def has_supremacy(table: Table, battle: Battle, nation: NationId) -> bool:
    """Tell whether a nation has naval supremacy in the area of a battle (IT-SUP-01 to IT-SUP-03)."""
    seas = table.seas_of(battle.place)
    retreated = () if table.combat is None else table.combat.retreated
    own, other = (
        sum(fleet.sea in seas and name not in retreated for name, fleet in table.fleets_of(side))
        for side in (nation, battle.enemy(nation))
    )
    return own > 0 and own >= 2 * other


# --- throws ---


def roll_dice(draft: Draft[Table], count: int) -> tuple[Draw, tuple[Face, ...]]:
    """Roll dice; return the number of the draw and the faces, both to be kept in an event."""
    rolled = draft.roll(count, len(FACES))
    return rolled.draw, tuple(FACES[number - 1] for number in rolled.faces)


class Volley(Struct, frozen=True):
    """Dice before the roll: those of units of one type that aim at the same target.

    A die hits when its face and `added` together are at least `needed`.
    """

    kind: str
    target: str
    count: int
    added: int
    needed: int


def volleys(table: Table, battle: Battle, nation: NationId) -> list[Volley]:
    """Return the dice of a nation in a round: one for each unit (IT-BAT-04), at sea one for each fleet (IT-NAV-03).

    Land units aboard help the fleet that carries them. Units whose target is not declared yet aim at the first one.
    """
    if battle.naval:
        bonus, carried = modifier(table, battle, nation), table.data.combat.fleet_per_carried_unit
        fleets = [fleet for _, fleet in table.fleets_of(nation, battle.place)]
        needed = table.data.units[FLEET].hit
        return [Volley(FLEET, FLEET, 1, bonus + carried * fleet.cargo.size, needed) for fleet in fleets]
    enemies, units = groups(table, battle, battle.enemy(nation)), table.data.units
    raids = battle.raid and nation == battle.attacker
    return [
        Volley(
            aim.kind,
            aim.target,
            aim.count,
            modifier(table, battle, nation, enemies.get(aim.target)),
            table.data.combat.raid_hit if raids else units[aim.kind].hit,
        )
        for aim in _aims(table, battle, nation)
    ]


def throw(draft: Draft[Table], battle: Battle, nation: NationId) -> Throw:
    """Roll the dice of a nation in a round."""
    dice = volleys(draft.table, battle, nation)
    draw, faces = roll_dice(draft, sum(each.count for each in dice))
    rest, shots = faces, list[Shots]()
    for each in dice:
        mine, rest = rest[: each.count], rest[each.count :]
        hits = sum(_hits(draft.table, face, each) for face in mine)
        shots.append(Shots(each.kind, each.target, each.count, each.added, hits))
    return Throw(nation, draw, faces, tuple(shots))


def _hits(table: Table, face: Face, volley: Volley) -> bool:
    number, combat = int(face), table.data.combat
    return number != combat.always_miss and (number == combat.always_hit or number + volley.added >= volley.needed)


def chances(table: Table, battle: Battle, nation: NationId) -> tuple[float, ...]:
    """Return how likely a nation's dice hit exactly 0, 1, 2 and so on times."""
    likely = [
        (each.count, sum(_hits(table, face, each) for face in FACES) / len(FACES))
        for each in volleys(table, battle, nation)
    ]
    return together((1 - hit, hit) for count, hit in likely for _ in range(count))


def number_driven_off(thrown: Throw) -> int:
    """Return how many enemy units the elephants of a throw drive off (IT-HIT-10)."""
    number, faces = 0, list(thrown.faces)
    for shots in thrown.shots:
        mine, faces = faces[: shots.count], faces[shots.count :]
        number += sum(face in DRIVES_OFF for face in mine) if shots.kind == ELEPHANT else 0
    return number


def struck(thrown: Throw) -> tuple[bool, ...]:
    """Return for each die of a throw whether it hit.

    A throw has only the number of hits among the dice of a `Shots`: the dice with the highest faces are the hits.
    """
    hits, faces = list[bool](), list(thrown.faces)
    for shots in thrown.shots:
        mine, faces = faces[: shots.count], faces[shots.count :]
        lowest = sorted(map(int, mine), reverse=True)[shots.hits - 1] if shots.hits else len(FACES) + 1
        hits += [int(face) >= lowest for face in mine]
    return tuple(hits)


# --- hits ---


def losses(table: Table, battle: Battle, nation: NationId, thrown: Throw) -> tuple[Units, Units]:
    """Return how many units of a nation a throw eliminates, and how many of those left are damaged then, by type.

    Hits beyond the units of a target are lost (IT-BAT-12). Where units need two hits, all of them are damaged before
    one is eliminated (IT-BAT-10).
    """
    losses_by_kind, damaged = dict[Kind, int](), dict[Kind, int]()
    for name, group in groups(table, battle, nation).items():
        hits = sum(shots.hits for shots in thrown.shots if shots.target == name)
        eliminated, hurt = min(hits, group.count), 0
        if table.data.units[group.kind].hits_to_kill > 1:
            first = min(hits, group.count - group.damaged)
            eliminated = min(hits - first, group.count)
            hurt = group.damaged + first - eliminated
        losses_by_kind[group.kind] = losses_by_kind.get(group.kind, 0) + eliminated
        damaged[group.kind] = damaged.get(group.kind, 0) + hurt
    return _without_zeros(losses_by_kind), _without_zeros(damaged)


def _without_zeros(units: Units) -> Units:
    return {kind: number for kind, number in units.items() if number}
