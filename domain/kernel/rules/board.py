"""The board graph: areas, borders and coasts as data, and their index for play.

`domain.boards` reads and checks board files, and has the boards that come with the project.
"""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, cast

import msgspec
from msgspec import Meta, Struct

from domain.kernel.canonical import canonical as canonical_bytes
from domain.kernel.ids import LARGEST_INTEGER, AreaId

Kind = Literal["land", "sea"]
BorderKind = Literal["land", "strait", "sea"]
Count = Annotated[int, Meta(ge=0, le=LARGEST_INTEGER)]

SHORE: Final = "coast"
"""The id of the coast of a province with only one coast, on the boards that come with the project."""


class Coast(Struct, frozen=True, forbid_unknown_fields=True):
    """A stretch of shore unbroken by other provinces, and the sea zones that it faces."""

    id: str
    seas: tuple[AreaId, ...]


class Key(Struct, frozen=True, forbid_unknown_fields=True):
    """The victory points printed in a key province: for the first place, the second and so on."""

    vp: tuple[Count, ...]


class Area(Struct, frozen=True, forbid_unknown_fields=True):
    """One space of the board.

    `values` are numbers and `traits` are words that games read from the space; the board's family says which. `home`
    marks where a seat may start. `position` is longitude and latitude in degrees, for drawing only. `provenance` marks
    each fact with a word of the board's legend; `source` says where it comes from.
    """

    id: AreaId
    name: str
    kind: Kind
    island: bool = False
    home: bool = False
    values: Mapping[str, Count] = {}
    traits: Mapping[str, tuple[str, ...]] = {}
    key: Key | None = None
    coasts: tuple[Coast, ...] = ()
    position: tuple[float, float] | None = None
    aliases: tuple[str, ...] = ()
    provenance: Mapping[str, str] = {}
    source: str = ""

    def value(self, name: str) -> int:
        """Return the number called `name`. Raises `KeyError` when the space has none."""
        return self.values[name]


class Border(Struct, frozen=True, forbid_unknown_fields=True):
    """Two adjacent areas of one kind.

    `strait_sea` is the sea zone that a strait crosses; the games of some families have straits without one.
    `strait_sea_alternatives` are other sea zones that the printed board may mean; play does not use them.
    """

    between: tuple[AreaId, AreaId]
    kind: BorderKind
    strait_sea: AreaId | None = None
    strait_sea_alternatives: tuple[AreaId, ...] = ()
    provenance: Mapping[str, str] = {}
    source: str = ""

    @property
    def pair(self) -> tuple[AreaId, AreaId]:
        """The two areas, sorted, so that both directions are equal."""
        one, other = sorted(self.between)
        return one, other


class Board(Struct, frozen=True, forbid_unknown_fields=True):
    """A board as its file has it.

    `family` names the games played on it, which `domain.boards` knows. `legend` explains the provenance marks.
    `sources` explains the marks in brackets in the texts called `source`.
    """

    id: str
    family: str
    title: str
    areas: tuple[Area, ...]
    borders: tuple[Border, ...]
    legend: Mapping[str, str] = {}
    sources: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()

    def __hash__(self) -> int:
        # The generated hash would fail on the mappings; equality still compares every field.
        return hash((self.id, self.title, len(self.areas), len(self.borders)))


# --- The board's identity ---------------------------------------------------------------------------------------------


def canonical(board: Board) -> bytes:
    """Return the RFC 8785 bytes of the facts of a valid board.

    Facts are everything that matters for play: id, family, areas and borders, but not position, aliases, provenance,
    sources, notes and the board's title. The order in the file does not count: areas, borders and coasts are sorted. So
    you can correct a note without making another board.
    """
    facts = {
        "id": board.id,
        "family": board.family,
        "areas": sorted((_area_facts(area) for area in board.areas), key=lambda facts: facts["id"]),
        "borders": sorted((_border_facts(border) for border in board.borders), key=lambda facts: facts["between"]),
    }
    return canonical_bytes(facts)


def from_canonical(facts: Any) -> Board:
    """Return the board of decoded `canonical` bytes, which has only the facts.

    Raises:
        msgspec.ValidationError: these are not the facts of a board.
    """
    if not isinstance(facts, dict):
        raise msgspec.ValidationError("a board is an object")
    fields = cast(dict[str, Any], facts)
    return msgspec.convert({"title": fields.get("id"), **fields}, Board)


def _area_facts(area: Area) -> dict[str, Any]:
    return {
        "id": area.id,
        "name": area.name,
        "kind": area.kind,
        "island": area.island,
        "home": area.home,
        "values": area.values,
        "traits": area.traits,
        "key": area.key,
        "coasts": [{"id": coast.id, "seas": sorted(coast.seas)} for coast in sorted(area.coasts, key=_coast_id)],
    }


def _border_facts(border: Border) -> dict[str, Any]:
    return {"between": border.pair, "kind": border.kind, "strait_sea": border.strait_sea}


def _coast_id(coast: Coast) -> str:
    return coast.id


# --- Play -------------------------------------------------------------------------------------------------------------


class Map:
    """A valid board, indexed for play. Made by `Map.of`; never changed.

    Every listing is sorted by id, so that play does not depend on the order of the board's file. Methods that take one
    area raise `KeyError` when the board does not have it: ask `area_id in map` first when the id comes from outside.
    """

    __slots__ = (
        "_areas",
        "_coasts",
        "_coasts_on",
        "_land",
        "_sea",
        "_straits",
        "board",
        "digest",
        "homes",
        "lands",
        "names",
        "seas",
    )

    def __init__(self, board: Board) -> None:
        """Index `board`. Use `Map.of` instead, which caches the map."""
        self.board: Final = board
        self.digest: Final = f"sha256:{hashlib.sha256(canonical(board)).hexdigest()}"
        self._areas: Final = {area.id: area for area in sorted(board.areas, key=lambda area: area.id)}
        self.lands: Final = tuple(area.id for area in self._areas.values() if area.kind == "land")
        self.seas: Final = tuple(area.id for area in self._areas.values() if area.kind == "sea")
        self.homes: Final = tuple(area.id for area in self._areas.values() if area.home)
        self._land: Final = self._neighbours("land", "strait")
        self._sea: Final = self._neighbours("sea")
        self._straits: Final = {
            ends: border.strait_sea
            for border in board.borders
            if border.kind == "strait"
            for ends in (border.between, border.between[::-1])
        }
        self._coasts: Final = {area.id: tuple(sorted(area.coasts, key=_coast_id)) for area in self._areas.values()}
        self._coasts_on: Final = self._coasts_by_sea()
        self.names: Final[Mapping[str, str]] = {area.id: area.name for area in self._areas.values()}
        """The names of the areas, by id."""

    @staticmethod
    def of(board: Board) -> "Map":
        """Return the map of `board`, which must be valid (see `domain.boards`). Equal boards share a cached map."""
        return _map_of(board)

    def __contains__(self, area_id: object) -> bool:
        return area_id in self._areas

    def __repr__(self) -> str:
        return f"Map({self.board.id!r}, {self.digest!r})"

    def area(self, area_id: AreaId) -> Area:
        """Return the area itself: its name, its values, whether it is an island."""
        return self._areas[area_id]

    def land_neighbours(self, land: AreaId) -> tuple[AreaId, ...]:
        """Return the provinces adjacent to `land`, by land or across a strait."""
        return self._land[land]

    def strait_between(self, one: AreaId, other: AreaId) -> AreaId | None:
        """Return the sea zone that a step from `one` to `other` crosses; None when it crosses none."""
        return self._straits.get((one, other))

    def is_strait(self, one: AreaId, other: AreaId) -> bool:
        """Return whether `one` and `other` are joined by a strait."""
        return (one, other) in self._straits

    def sea_neighbours(self, sea: AreaId) -> tuple[AreaId, ...]:
        """Return the sea zones adjacent to `sea`."""
        return self._sea[sea]

    def coasts(self, land: AreaId) -> tuple[Coast, ...]:
        """Return the coasts of `land`, none for an inland province or a sea."""
        return self._coasts[land]

    def coasts_on(self, sea: AreaId) -> tuple[tuple[AreaId, str], ...]:
        """Return each province with a coast on `sea`, with that coast's id."""
        return self._coasts_on[sea]

    def _coasts_by_sea(self) -> dict[AreaId, tuple[tuple[AreaId, str], ...]]:
        coasts_of: dict[AreaId, list[tuple[AreaId, str]]] = {area_id: [] for area_id in self._areas}
        for land in self.lands:
            for coast in self._coasts[land]:
                for sea in dict.fromkeys(coast.seas):
                    if sea in coasts_of:
                        coasts_of[sea].append((land, coast.id))
        return {area_id: tuple(coasts) for area_id, coasts in coasts_of.items()}

    def _neighbours(self, *kinds: BorderKind) -> dict[AreaId, tuple[AreaId, ...]]:
        neighbours: dict[AreaId, list[AreaId]] = {area_id: [] for area_id in self._areas}
        for border in self.board.borders:
            if border.kind in kinds:
                one, other = border.between
                neighbours[one].append(other)
                neighbours[other].append(one)
        return {area_id: tuple(sorted(others)) for area_id, others in neighbours.items()}


@lru_cache(maxsize=64)
def _map_of(board: Board) -> Map:
    return Map(board)
