"""Units, leaders and fleets (chapter PCS)."""

from collections.abc import Iterable, Mapping
from typing import Final, Literal, NewType

from msgspec import Struct

from domain.kernel.ids import AreaId
from domain.kernel.rules import message
from domain.kernel.rules.message import Count

NationId = NewType("NationId", str)
"""A nation, such as ``western-romans``."""
LeaderId = NewType("LeaderId", str)
"""A leader, such as ``hannibal``."""
FleetId = NewType("FleetId", str)
"""A fleet, such as ``vandals-fleet-2``: its nation and the number of its counter."""

Kind = Literal["infantry", "roman-foederati", "legion", "consular-legion", "knight", "elephant"]
"""The types of land units (IT-PCS-01 to IT-PCS-03)."""

Piece = Literal[Kind, "fleet"]
"""The types of pieces that count as units."""

KINDS: Final[tuple[Kind, ...]] = ("infantry", "roman-foederati", "legion", "consular-legion", "knight", "elephant")
FLEET: Final = "fleet"
_FOEDERATI: Final = {"roman-foederati": "Roman foederati"}
MASS_NOUNS: Final = ("infantry", "foederati")
"""Words for types of units without a plural: "3 Roman foederati"."""
WORDS: Final[Mapping[str, str]] = {
    **_FOEDERATI,
    **{f"{kind}-seaborne": f"{_FOEDERATI.get(kind, kind.replace('-', ' '))} from the sea" for kind in KINDS},
}
"""Display names that cannot be made from the id: Roman foederati, and all targets that came by sea (IT-HIT-09)."""

Units = dict[Kind, Count]
"""A number of land units of each type; types without any are absent. Sums are sorted, as records in the log are."""


def plus(one: Mapping[Kind, int], other: Mapping[Kind, int]) -> Units:
    """Return the sum of two numbers of units."""
    both: Units = {}
    kinds: list[Kind] = sorted({**one, **other})
    for kind in kinds:
        if number := one.get(kind, 0) + other.get(kind, 0):
            both[kind] = number
    return both


def minus(one: Mapping[Kind, int], other: Mapping[Kind, int]) -> Units:
    """Return what is left of `one` without `other`."""
    rest: Units = {}
    kinds: list[Kind] = sorted({**one, **other})
    for kind in kinds:
        if number := one.get(kind, 0) - other.get(kind, 0):
            rest[kind] = number
    return rest


def within(one: Mapping[Kind, int], other: Mapping[Kind, int]) -> bool:
    """Tell whether `other` contains `one`.

    A type that `one` names must also be a key of `other`, even if its number is 0.
    """
    return all(kind in other and number <= other[kind] for kind, number in one.items())


def fits(units: Mapping[Kind, int], room: int) -> bool:
    """Tell whether there is room for units.

    If `room` is 0, `units` must be an empty mapping: a type with the number 0 is refused, too. If `room` is negative,
    nothing fits.
    """
    return total(units) <= room and bool(room > 0 or not units)


def total(units: Mapping[Kind, int]) -> int:
    return sum(units.values())


def listed(units: Mapping[Kind, int]) -> str:
    """Say how many of each type: "3 legions and 1 consular legion"."""
    return message.enumerated([amount_of(kind, units[kind]) for kind in KINDS if units.get(kind)]) or "no units"


def amount_of(kind: str, number: int) -> str:
    """Say how many units of a type: "1 legion", "2 fleets", "3 infantry"; and of any: "2 units"."""
    name = kinds_in_words([kind])
    return f"{number} {name}{'' if number == 1 or name.endswith(MASS_NOUNS) else 's'}"


def kinds_in_words(kinds: Iterable[str]) -> str:
    """Name types of units, or what can be aimed at: "legion and Roman foederati"."""
    return message.enumerated([WORDS.get(kind, kind.replace("-", " ")) for kind in kinds]) or "none"


class Army(Struct, frozen=True, omit_defaults=True):
    """Land units and leaders of one nation in one place: an area or a fleet.

    Attributes:
        units: how many of each type.
        leaders: the leaders among them, sorted. They do not count as units (IT-STK-02).
    """

    units: Units = {}
    leaders: tuple[LeaderId, ...] = ()

    @property
    def size(self) -> int:
        """The number of units, without leaders."""
        return total(self.units)

    def __bool__(self) -> bool:
        return bool(self.units or self.leaders)

    def __add__(self, other: "Army") -> "Army":
        leaders = tuple(sorted((*self.leaders, *other.leaders))) if other.leaders else self.leaders
        return Army(plus(self.units, other.units), leaders)

    def __sub__(self, other: "Army") -> "Army":
        leaders = _without(self.leaders, other.leaders) if other.leaders else self.leaders
        return Army(minus(self.units, other.units), leaders)

    def has(self, other: "Army") -> bool:
        """Tell whether `other` can be subtracted from this army. False if `other` names a leader twice."""
        once = len({*other.leaders}) == len(other.leaders)
        return once and within(other.units, self.units) and {*other.leaders} <= {*self.leaders}

    def tell(self, names: message.Names) -> str:
        """Say what it consists of: "Hannibal with 3 infantry and 2 elephants"."""
        if not self.leaders:
            return listed(self.units)
        return names.all(self.leaders) + (f" with {listed(self.units)}" if self.units else "")


def _without(leaders: Iterable[LeaderId], removed: Iterable[LeaderId]) -> tuple[LeaderId, ...]:
    removed = set(removed)
    return tuple(leader for leader in leaders if leader not in removed)


NO_ARMY: Final = Army()


class Fleet(Struct, frozen=True, omit_defaults=True):
    """One fleet and what it carries (IT-SEA-04, IT-SEA-12).

    Attributes:
        sea: the sea area where it is.
        cargo: the land units and leaders aboard.
    """

    nation: NationId
    sea: AreaId
    cargo: Army = NO_ARMY
