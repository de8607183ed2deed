"""A name shows something: by Unicode's own properties, which the tests ask a newer Unicode than Python's."""

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import resources
from itertools import groupby

import pytest

from service.base.visible import BLANK, IGNORABLE, UNICODE, shows

ASK = """
const points = Array.from({ length: 0x110000 }, (_, point) => point);
const having = (properties) => points.filter((point) => properties.test(String.fromCodePoint(point)));
const ignorable = having(/\\p{Default_Ignorable_Code_Point}/u);
const found = having(/\\p{Default_Ignorable_Code_Point}|\\p{White_Space}|\\p{Cc}/u);
console.log(JSON.stringify({ version: process.versions.unicode, found, ignorable }));
"""


@pytest.fixture(scope="module")
def unicode() -> dict:
    """What the Unicode of the browsers' driver says."""
    node = resources.files("playwright").joinpath("driver", "node.exe" if sys.platform == "win32" else "node")
    said = subprocess.run([str(node), "-e", ASK], capture_output=True, text=True, check=True)
    return json.loads(said.stdout)


def ranges(points: list[int]) -> Iterator[tuple[int, int]]:
    for _, run in groupby(enumerate(points), lambda each: each[1] - each[0]):
        found = [point for _, point in run]
        yield found[0], found[-1]


def test_the_table_is_that_of_unicode(unicode: dict) -> None:
    assert tuple(ranges(unicode["ignorable"])) == IGNORABLE
    assert float(unicode["version"]) >= float(UNICODE)


def test_no_character_that_unicode_hides_shows(unicode: dict) -> None:
    assert [hex(point) for point in unicode["found"] if shows(chr(point))] == []
    assert not shows("".join(map(chr, unicode["found"])))


def test_every_other_character_shows(unicode: dict) -> None:
    """But for the few that are blank by what they stand for, and the separators that Python takes for white space."""
    hidden = {*unicode["found"], *(point for first, last in BLANK for point in range(first, last + 1))}
    assert [hex(point) for point in range(0x110000) if point not in hidden and not shows(chr(point))] == []


@pytest.mark.parametrize("name", ["", " ", "\u3164", "\u115f\u1160", "\uffa0 \u200d", "\u2800", "\ufe0f", "\U000e0041"])
def test_a_name_of_nothing_is_none(name: str) -> None:
    assert not shows(name)


@pytest.mark.parametrize("name", ["Ann", "\u3164x", "日本", "א", "👍🏽", "a\u0301", "नी", "٣", "?"])
def test_a_name_with_something_in_it_is_one(name: str) -> None:
    assert shows(name)
