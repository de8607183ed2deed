"""Board files: reading and checking them, and those that come with the project.

`parse_board` reads a file, `validate` reports everything that is wrong with it, and `builtin` returns the project's own
boards. An organizer's corrected board is read and checked in the same way. `domain.kernel.rules.board` defines boards.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from itertools import chain, islice
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast, get_args

import msgspec
from msgspec import Struct

from domain.boards.families import known_families
from domain.boards.family import Measure
from domain.kernel.ids import AreaId
from domain.kernel.rules.board import Area, Board, Border, BorderKind, Coast, Key, Kind
from domain.kernel.rules.documents import MOST_PROBLEMS, DocumentError, refuse_repeated

SLUG: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
FIELD: Final = re.compile(r"[a-z][a-z0-9_]*")

MOST: Final[Mapping[str, int]] = MappingProxyType(
    {"areas": 300, "borders": 1_500, "legend": 200, "sources": 200, "notes": 200, "provenance": 200}
)
"""The most entries of a part of a board, by the name of its field; the default is `MOST_PARTS`."""

MOST_PARTS: Final = 50

LONGEST: Final[Mapping[str, int]] = MappingProxyType(
    {"title": 120, "name": 120, "aliases": 120, "source": 4_000, "notes": 4_000, "legend": 4_000, "sources": 4_000}
)
"""The most characters of a text, by the name of its field; ids, words and marks have at most `LONGEST_WORD`."""

LONGEST_WORD: Final = 64

_T = TypeVar("_T")


class BoardError(DocumentError):
    """A board that cannot be played on."""


# --- Reading ----------------------------------------------------------------------------------------------------------


def parse_board(raw: bytes) -> Board:
    """Read a board file (JSON). Raise BoardError with one line about the first part that has the wrong form."""
    try:
        board = msgspec.json.decode(raw, type=Board)
        json.loads(raw, object_pairs_hook=refuse_repeated)
    except msgspec.ValidationError as error:
        raise BoardError([_explain(str(error), raw)]) from None
    except UnicodeError:
        raise BoardError(["the file is not UTF-8 text; a board is JSON in UTF-8"]) from None
    except msgspec.DecodeError as error:
        raise BoardError([f"the file is not JSON: {error}"]) from None
    except DocumentError as error:
        raise BoardError(error.problems) from None
    return board


def _explain(message: str, raw: bytes) -> str:
    """Turn msgspec's message into one that names the area or border, and says what would be right."""
    problem, _, path = message.partition(" - at `$")
    path = path.rstrip("`")
    if problem.startswith("Object contains unknown field"):
        problem += f"; known: {', '.join(_struct_at(path).__struct_fields__)}"
    elif problem.startswith("Invalid enum value"):
        problem += f"; use {' or '.join(get_args(Kind if path.startswith('.areas') else BorderKind))}"
    return f"{_place(path, raw)}: {problem[0].lower()}{problem[1:]}"


def _struct_at(path: str) -> type[Struct]:
    if re.search(r"\.coasts\[\d+\]$", path):
        return Coast
    if path.endswith(".key"):
        return Key
    if path.startswith(".areas["):
        return Area
    if path.startswith(".borders["):
        return Border
    return Board


class _Row(Struct):
    id: str | None = None
    between: tuple[str, ...] | None = None


class _Rows(Struct):
    areas: tuple[_Row, ...] = ()
    borders: tuple[_Row, ...] = ()


def _place(path: str, raw: bytes) -> str:
    place = path.removeprefix(".") or "the board"
    at = re.match(r"\.(areas|borders)\[(\d+)\]", path)
    if at is None:
        return place
    try:
        rows = msgspec.json.decode(raw, type=_Rows)
        row = (rows.areas if at[1] == "areas" else rows.borders)[int(at[2])]
    except (msgspec.DecodeError, UnicodeError, RecursionError, IndexError):
        return place  # there are more faults further on, so the number of the row has to be enough
    label = row.id or (row.between and " - ".join(row.between))
    return f"{place} ({label})" if label else place


# --- Checking ---------------------------------------------------------------------------------------------------------


def validate(board: Board) -> None:
    """Raise BoardError with the reasons why no game could be played on `board`, and what would be right instead.

    Anybody may send a board, so the first check limits its size, to keep all other checks, and play, fast.
    """
    # Each group is checked only if the groups before it found nothing: a board that is too large would have too many
    # problems, and whether all areas are connected can only be said of a board with valid borders and coasts.
    for kinds in (
        (_size_problems,),
        (
            _board_problems,
            _name_problems,
            _area_problems,
            _coast_problems,
            _border_problems,
            _strait_problems,
            _family_problems,
            _remark_problems,
        ),
        (_reach_problems,),
    ):
        problems = list(islice(chain.from_iterable(kind(board) for kind in kinds), MOST_PROBLEMS))
        if problems:
            raise BoardError(problems)


def _size_problems(board: Board) -> Iterator[str]:
    for name in board.__struct_fields__:
        yield from _sizes(name, name, getattr(board, name))


def _sizes(where: str, name: str, value: Any) -> Iterator[str]:
    """Yield what is too large in the part of a board at `where`, in a field called `name`."""
    match value:
        case str():
            most = LONGEST.get(name, LONGEST_WORD)
            if len(value) > most:
                yield f"{where} has {len(value)} characters, {value[:20]!r} …; give at most {most}"
        case Mapping() | tuple():
            parts = cast(Mapping[str, Any] | tuple[Any, ...], value)
            most = MOST.get(name, MOST_PARTS)
            if len(parts) > most:
                yield f"{where} has {len(parts)} entries; give at most {most}"
                return
            entries = parts.items() if isinstance(parts, Mapping) else enumerate(parts)
            for place, (key, part) in enumerate(entries):
                yield from _sizes(f"{where}[{place}]", "", key)
                yield from _sizes(f"{where}[{place}]", name, part)
        case Struct():
            for field in value.__struct_fields__:
                yield from _sizes(f"{where}.{field}", field, getattr(value, field))
        case _:
            pass


def _board_problems(board: Board) -> Iterator[str]:
    if not SLUG.fullmatch(board.id):
        yield f"board id {board.id!r} is not a slug; use lower-case words joined by hyphens, such as 'conquest'"
    if not board.title.strip():
        yield "the board has no title"
    for kind in ("land", "sea"):
        if not any(area.kind == kind for area in board.areas):
            yield f"the board has no {kind} area; it needs at least one"


def _name_problems(board: Board) -> Iterator[str]:
    for area_id, times in _repeated(area.id for area in board.areas):
        yield f"area id {area_id!r} is given {times} times; ids are unique"
    bearers: dict[str, set[AreaId]] = {}
    for area in board.areas:
        if not SLUG.fullmatch(area.id):
            yield f"area id {area.id!r} is not a slug; use lower-case words joined by hyphens, such as 'mare-narbo'"
        for name in (area.name, *area.aliases):
            if not name.strip() or name != name.strip():
                yield f"{area.id}: {name!r} is not a name; give a text without spaces at its ends"
            bearers.setdefault(name.casefold(), set()).add(area.id)
        for name, _ in _repeated(name.casefold() for name in (area.name, *area.aliases)):
            yield f"{area.id}: name or alias {name!r} is given twice"
    for name, ids in bearers.items():
        if len(ids) > 1:
            yield f"name or alias {name!r} belongs to {_listed(ids)}; a name means one area"


def _area_problems(board: Board) -> Iterator[str]:
    for area in board.areas:
        if area.kind == "sea":
            for field in ("island", "home", "key", "coasts"):
                if getattr(area, field):
                    yield f"{area.id}: a sea has no `{field}`; leave it out, or make the area land"
        if area.island and not area.coasts:
            yield f"{area.id}: an island has no coast; give it one, or set island to false"
        if area.key is not None and (not area.key.vp or 0 in area.key.vp):
            yield f"{area.id}: key.vp is {list(area.key.vp)}; give one positive number for each place that scores"
        if area.position is not None and not all(math.isfinite(degrees) for degrees in area.position):
            yield f"{area.id}: position is not two finite numbers"


def _coast_problems(board: Board) -> Iterator[str]:
    kinds = _kinds(board)
    for area in board.areas:
        for coast_id, _ in _repeated(coast.id for coast in area.coasts):
            yield f"{area.id}: coast id {coast_id!r} is given twice; coasts of one area have different ids"
        for coast in area.coasts:
            where = f"{area.id}, coast {coast.id!r}"
            if not SLUG.fullmatch(coast.id):
                yield f"{where}: the coast's id is not a slug such as 'north'"
            if not coast.seas:
                yield f"{where}: faces no sea; name at least one, or leave the coast out"
            for sea, _ in _repeated(coast.seas):
                yield f"{where}: names {sea!r} twice"
            for sea in dict.fromkeys(coast.seas):
                if kinds.get(sea) != "sea":
                    yield f"{where}: {_not_a(sea, 'sea', kinds)}"


def _border_problems(board: Board) -> Iterator[str]:
    kinds = _kinds(board)
    islands = {area.id for area in board.areas if area.island}
    for pair, times in _repeated(border.pair for border in board.borders):
        yield f"border {' - '.join(pair)} is given {times} times; one border joins a pair, in either direction"
    for border in board.borders:
        where = _border(border)
        kind: Kind = "sea" if border.kind == "sea" else "land"
        if border.between[0] == border.between[1]:
            yield f"{where}: an area does not border on itself"
        for end in dict.fromkeys(border.between):
            if kinds.get(end) != kind:
                yield f"{where}: {_not_a(end, kind, kinds)}, but a {border.kind} border joins two {kind} areas"
            elif border.kind == "land" and end in islands:
                yield f"{where}: {end!r} is an island and has no land border; make it a strait, or island false"


def _strait_problems(board: Board) -> Iterator[str]:
    family = known_families().get(board.family)
    with_sea = family is None or family.straits_have_seas
    kinds = _kinds(board)
    shores = {area.id: {sea for coast in area.coasts for sea in coast.seas} for area in board.areas}
    for border in board.borders:
        where = _border(border)
        has_sea = border.strait_sea is not None or border.strait_sea_alternatives
        if border.kind != "strait":
            if has_sea:
                yield f"{where}: a {border.kind} border has no strait_sea; leave it out, or make it a strait"
            continue
        if not with_sea:
            if has_sea:
                yield f"{where}: no sea has a part in the straits of {board.family}; leave strait_sea out"
            continue
        if border.strait_sea is None:
            yield f"{where}: a strait has no strait_sea; name the sea zone that it crosses"
            continue
        for sea, _ in _repeated((border.strait_sea, *border.strait_sea_alternatives)):
            yield f"{where}: {sea!r} is named twice as the sea of the strait"
        for sea in dict.fromkeys((border.strait_sea, *border.strait_sea_alternatives)):
            if kinds.get(sea) != "sea":
                yield f"{where}: strait_sea: {_not_a(sea, 'sea', kinds)}"
                continue
            for end in border.between:
                if sea not in shores.get(end, ()):
                    yield f"{where}: no coast of {end!r} faces {sea!r}, the sea of the strait; it must face both ends"


def _family_problems(board: Board) -> Iterator[str]:
    family = known_families().get(board.family)
    if family is None:
        yield f"family {board.family!r} is unknown; known: {_listed(known_families())}"
        return
    if family.needs_home and not any(area.home for area in board.areas):
        yield "no area is a home; set home to true where a seat may begin"
    for area in board.areas:
        for unknown in sorted(area.values.keys() - family.values.keys()):
            yield f"{area.id}: value {unknown!r} is unknown to {board.family}; known: {_listed(family.values)}"
        for unknown in sorted(area.traits.keys() - family.traits):
            yield f"{area.id}: trait {unknown!r} is unknown to {board.family}; known: {_listed(family.traits)}"
        for name, measure in family.values.items():
            yield from _measure_problems(area, name, measure)
    yield from family.problems(board)


def _measure_problems(area: Area, name: str, measure: Measure) -> Iterator[str]:
    value = area.values.get(name)
    right = " or ".join(map(str, measure.allowed))
    if area.kind != measure.kind:
        if value is not None:
            yield f"{area.id}: a {area.kind} has no {name}; leave it out"
    elif value is None:
        yield f"{area.id}: has no {name}; give {right}"
    elif value not in measure.allowed:
        yield f"{area.id}: {name} is {value}; it must be {right}"


def _remark_problems(board: Board) -> Iterator[str]:
    rows = [(str(area.id), area) for area in board.areas] + [(_border(border), border) for border in board.borders]
    for where, row in rows:
        for fact, mark in row.provenance.items():
            if not FIELD.fullmatch(fact):
                yield f"{where}: provenance of {fact!r}, which is not a name of a fact, such as 'exists' or 'coasts'"
            if mark not in board.legend:
                yield f"{where}: provenance of {fact} is {mark!r}; the legend has {_listed(board.legend)}"
        # A mark contains no brackets, so each character is read once, however many brackets are open.
        for cited in re.findall(r"\[([^\[\]]*)\]", row.source):
            for mark in cited.split(", "):
                if mark not in board.sources:
                    yield f"{where}: source cites [{mark}]; sources has {_listed(board.sources)}"


def _reach_problems(board: Board) -> Iterator[str]:
    neighbours: dict[AreaId, set[AreaId]] = {area.id: set() for area in board.areas}
    coastal = [(area.id, sea) for area in board.areas for coast in area.coasts for sea in coast.seas]
    for here, there in [*(border.between for border in board.borders), *coastal]:
        neighbours[here].add(there)
        neighbours[there].add(here)
    parts: list[set[AreaId]] = []
    visited: set[AreaId] = set()
    for area in board.areas:
        if area.id not in visited:
            parts.append(_reached(area.id, neighbours))
            visited |= parts[-1]
    parts.sort(key=len, reverse=True)
    for part in parts[1:]:
        yield f"{_listed(part)}: cut off from the rest of the board; give a border, strait or coast that leads there"


def _reached(start: AreaId, neighbours: Mapping[AreaId, set[AreaId]]) -> set[AreaId]:
    reached = {start}
    waiting = [start]
    while waiting:
        fresh = neighbours[waiting.pop()] - reached
        reached |= fresh
        waiting.extend(fresh)
    return reached


def _kinds(board: Board) -> dict[AreaId, Kind]:
    return {area.id: area.kind for area in board.areas}


def _border(border: Border) -> str:
    return f"border {border.between[0]} - {border.between[1]}"


def _repeated(items: Iterable[_T]) -> list[tuple[_T, int]]:
    return [(item, times) for item, times in Counter(items).items() if times > 1]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _not_a(area_id: AreaId, kind: Kind, kinds: Mapping[AreaId, Kind]) -> str:
    is_what = f"is {kinds[area_id]}, not {kind}" if area_id in kinds else "is not an area of this board"
    return f"{area_id!r} {is_what}"


# --- The boards that come with the project ----------------------------------------------------------------------------


@lru_cache(maxsize=16)
def builtin(board_id: str) -> Board:
    """Return the project's own board with this id, read once and valid. Raise BoardError if there is none."""
    files = {
        file.name.removesuffix(".json"): file
        for file in resources.files("domain.boards").iterdir()
        if file.name.endswith(".json") and not file.name.endswith(".map.json")
    }
    if board_id not in files:
        raise BoardError([f"there is no built-in board {board_id!r}; there are {_listed(files)}"])
    board = parse_board(files[board_id].read_bytes())
    validate(board)
    return board
