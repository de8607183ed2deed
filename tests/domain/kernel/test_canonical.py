"""The one byte form is RFC 8785, within the subset that is hashed."""

import hashlib
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.kernel.canonical import canonical, digest
from domain.kernel.ids import LARGEST_INTEGER
from domain.kernel.rules.message import kebab

VECTORS: list[tuple[Any, str]] = [
    # RFC 8785, section 3.2.2 and 3.2.3: literals, strings and their escapes.
    ([None, True, False], "[null,true,false]"),
    ("\u20ac$\u000f\nA'\u0042\u0022\u005c\\\"/", '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'),
    ("\b\t\n\f\r", '"\\b\\t\\n\\f\\r"'),
    ("\u0000\u001f\u007f\u0080\u2028", '"\\u0000\\u001f\u007f\u0080\u2028"'),
    ("\U0001f600", '"😀"'),
    # Integers within 2^53 as they are.
    ([0, -1, LARGEST_INTEGER, -LARGEST_INTEGER], "[0,-1,9007199254740991,-9007199254740991]"),
    # Keys sorted, ASCII ones as here; nothing between the tokens.
    ({"b": 1, "a": {"d": [], "c": {}}, "A": 2, "_": 3}, '{"A":2,"_":3,"a":{"c":{},"d":[]},"b":1}'),
    ({"10": 5, "1": 4, "": 6}, '{"":6,"1":4,"10":5}'),
]


@pytest.mark.parametrize(("value", "written"), VECTORS)
def test_vectors(value: Any, written: str) -> None:
    assert canonical(value) == written.encode()


class Sample(msgspec.Struct, tag=kebab, omit_defaults=True):
    zeal: int
    alpha: str = ""
    under: dict[str, int] = {}


def test_the_type_of_a_struct_is_sorted_in_among_its_fields() -> None:
    assert (
        canonical(Sample(1, "x", {"b": 1, "a": 2})) == b'{"alpha":"x","type":"sample","under":{"a":2,"b":1},"zeal":1}'
    )
    assert canonical(Sample(1)) == b'{"type":"sample","zeal":1}'


def test_a_digest_names_its_function() -> None:
    assert digest({"a": 1}) == "sha256:" + hashlib.sha256(b'{"a":1}').hexdigest()


KEYS = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-LARGEST_INTEGER, LARGEST_INTEGER) | st.text(),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(KEYS, below, max_size=4),
    max_leaves=20,
)


@given(VALUES)
@settings(deadline=None)
def test_any_value_of_the_subset_is_written_as_the_standard_library_writes_it(value: Any) -> None:
    # Compact, sorted, not escaped beyond need: for this subset Python's own writer gives RFC 8785.
    written = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert canonical(value) == written.encode()
    assert canonical(json.loads(canonical(value))) == canonical(value)
