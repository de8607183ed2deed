"""Values of another type: every field of exports, and text that two parsers could read in two ways.

Both packages say the same of them, and `tabularium verify` says of none that it is right when they do not.
"""

import hashlib
import json
from collections.abc import Iterator
from random import Random
from typing import Any, Final, NamedTuple

import msgspec
import pytest
from msgspec import inspect
from tabularium_client.proof import fields
from tabularium_client.proof.origin import is_around_the_table

from domain.judging.events import CaseEvent, RuledFinally
from domain.kernel.chance.secret import Sealed
from domain.kernel.log.lifecycle import GAME_EVENTS
from domain.kernel.proof.verify import verify
from domain.kernel.rules.message import type_name
from tests.clients import packed
from tests.clients.packed import PACKAGES, Speaker
from tests.contract import clients
from tests.domain.judging import test_proof as cases
from tests.forgeries.games import GAMES, LIBRARY
from tests.helpers.forger import Line, forged, lines_of
from tests.helpers.sampling import RUN

VALUES: Final = (True, None, "1", 1, -1, [], {}, [[]], [{}], {"a": 1})
Place = tuple[str | int, ...]
Packages = dict[str, Speaker]


class Changed(NamedTuple):
    """An export with another value at a place, of which the rest was made good again as far as it can be."""

    kind: str
    place: Place
    old: Any
    new: Any
    export: list[bytes]

    @property
    def is_of_the_rules(self) -> bool:
        """Whether only a ruleset knows what belongs there."""
        own = self.place[0] == "event" and len(self.place) > 1 and self.place != ("event", "type")
        is_event = own and not is_around_the_table(self.kind)
        return is_event or self.place[:2] in {("cause", "command"), ("event", "setup")}


def places(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Yield the way to every value in a line, and the value; of a list the first item alone."""
    if place:
        yield place, value
    inner = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for name, each in inner:
        yield from places(each, (*place, name))


def changed() -> Iterator[Changed]:
    """Yield every field of the games and of a case with values of other types: two, or all with `--all`."""
    rng, seen = Random(f"{RUN.seed} types"), set[tuple[str, Place]]()
    for export in (*(make() for make in GAMES.values()), tuple(cases.played().export())):
        for number, line in enumerate(lines_of(export)):
            kind = line.get("event", {}).get("type") or min(line)
            for place, old in places(line):
                key = (kind, tuple("#" if isinstance(name, int) else name for name in place))
                if key in seen:
                    continue
                seen.add(key)
                for new in VALUES if RUN.seed is None else rng.sample(VALUES, 2):

                    def put(lines: list[Line], number: int = number, place: Place = place, new: Any = new) -> None:
                        target: Any = lines[number]
                        for name in place[:-1]:
                            target = target[name]
                        target[place[-1]] = json.loads(json.dumps(new))

                    try:
                        lines = forged(export, put, put)  # Twice, for the forger numbers and hashes all anew.
                    except (AttributeError, KeyError, TypeError):
                        continue  # Nothing is left that could be hashed.
                    yield Changed(kind, place, old, new, lines)


def accepted(packages: Packages, export: list[bytes]) -> bool:
    """Return whether both packages say that nothing is wrong."""
    text = b"".join(export).decode()
    python, typescript = (packages[each].ask("verify", text=text, ruleset=None)["ok"] for each in PACKAGES)
    assert python == typescript, export
    return python


def test_no_field_takes_a_value_of_another_type(packages: Packages) -> None:
    count = 0
    for each in changed():
        count += 1
        ok = accepted(packages, each.export)
        if each.export[0].startswith(b'{"case"'):
            right = ok
        else:
            right = verify(each.export, LIBRARY).ok  # Whatever it holds, that raises nothing.
        if ok and not each.is_of_the_rules and type(each.new) is not type(each.old):
            assert right, each
    assert count > 800


ODD: Final = {
    "a number with a fraction of nothing": (b'"draws":0', b'"draws":0.0'),
    "a number with an exponent": (b'"draws":0', b'"draws":0e0'),
    "less than nothing": (b'"draws":0', b'"draws":-0'),
    "a number that not all programs read exactly": (b'"draws":0', b'"draws":9007199254740993'),
    "a number beyond all": (b'"draws":0', b'"draws":1e999'),
    "no number": (b'"draws":0', b'"draws":NaN'),
    "a key twice": (b'"draws":0', b'"draws":1,"draws":0'),
    "a key twice, alike": (b'"draws":0', b'"draws":0,"draws":0'),
    "a blank": (b'"draws":0', b'"draws": 0'),
    "a letter written as its number": (b'"game":"game', b'"game":"\\u0067ame'),
    "half a character": (b'"entropy":"', b'"entropy":"\\ud800'),
    "a mark before the text": (b'{"board"', b'\xef\xbb\xbf{"board"'),
    "a line that ends as in DOS": (b"}\n", b"}\r\n"),
}


@pytest.mark.parametrize("name", ODD)
def test_what_parsers_read_in_two_ways_is_refused(packages: Packages, name: str) -> None:
    before, after = ODD[name]
    whole = b"".join(GAMES["gathering"]())
    *body, last = whole.replace(before, after, 1).splitlines(keepends=True)
    end = json.loads(last)
    end["end"]["digest"] = f"sha256:{hashlib.sha256(b''.join(body)).hexdigest()}"
    export = [*body, json.dumps(end, separators=(",", ":"), sort_keys=True).encode() + b"\n"]
    assert not accepted(packages, export)
    assert not verify(export, LIBRARY).ok


def kind_of(known: inspect.Type) -> str:
    """Return how the packages write a type."""
    match known:
        case inspect.StrType() | inspect.LiteralType():
            return "text"
        case inspect.IntType():
            return "number"
        case inspect.BoolType():
            return "truth"
        case inspect.VarTupleType(item_type=item):
            return f"{kind_of(item)}[]"
        case inspect.DictType(value_type=value):
            return f"{kind_of(value)}{{}}"
        case inspect.StructType(cls=cls):
            return "sealed" if cls is Sealed else "any{}"
        case inspect.UnionType(types=(one, inspect.NoneType())):
            return f"{kind_of(one)}?"
        case _:
            return "any"


@pytest.mark.parametrize(
    ("table", "events"),
    [("TYPES_AROUND_THE_TABLE", GAME_EVENTS), ("TYPES_IN_CASES", (*CaseEvent.__subclasses__(), RuledFinally))],
)
def test_the_types_of_fields_are_those_of_the_events(table: str, events: tuple[type[Any], ...]) -> None:
    told, used = getattr(fields, table), set[str]()
    for event in events:
        for each in msgspec.structs.fields(event):
            name = next(
                (name for name in (f"{type_name(event)}.{each.encode_name}", each.encode_name) if name in told), ""
            )
            assert told.get(name, "any") == kind_of(inspect.type_info(each.type)), (event, each.name)
            used.add(name)
    assert used - {""} == told.keys()
    module = json.dumps((packed.OPENAPI.parent / "service" / "viewer" / "proof" / "fields.js").as_uri())
    said = clients.node(
        "--input-type=module", "--eval", f"console.log(JSON.stringify((await import({module})).{table}))"
    )
    assert json.loads(said) == told
