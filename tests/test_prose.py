"""Comments and docstrings are plain English: none has a phrase that our readers had to read twice.

The list is short on purpose. A phrase belongs to it when there is always a better one.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]

PLAINER: Final = {
    r"\bwhoever\b": "say who: the client, a player, a process; or *anybody who*",
    r"\bof whom\b": "say *whose*, or turn the sentence round",
    r"` is told\b": "a function *gets* or *hears* something, or is *called*",
    r"\bwhat (\w+ ){1,4}(comes|come|came) to\b(?! know)": "say *the result of*",
    r"\bmade again of\b": "it is made again *from* something",
    r"\breturn those\b": "name what is returned",
    r"\bonce it (was|is) asked for\b": "say *on request*, or who asks",
}


def prose(source: str) -> Iterator[tuple[int, str]]:
    """Yield the comments and the strings that stand for themselves, as docstrings do, with their lines."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, " ".join(node.value.value.split())


def riddles(source: str) -> Iterator[str]:
    """Yield what is to be said more plainly in a file of Python."""
    words = " ".join(source.split())
    if not any(re.search(phrase, words, re.IGNORECASE) for phrase in PLAINER):
        return  # as most are: to parse a file takes longer
    for line, text in prose(source):
        for phrase, advice in PLAINER.items():
            if found := re.search(phrase, text, re.IGNORECASE):
                yield f"line {line}: {found[0]!r}: {advice}"


@pytest.mark.parametrize("folder", ["domain", "projections", "service", "tests"])
def test_nothing_has_to_be_read_twice(folder: str) -> None:
    files = {path.relative_to(ROOT).as_posix(): path for path in sorted((ROOT / folder).rglob("*.py"))}
    found = {name: list(riddles(path.read_text())) for name, path in files.items()}
    assert {name: each for name, each in found.items() if each} == {}


def test_a_riddle_is_found_in_comments_and_docstrings_and_a_plain_sentence_is_none() -> None:
    riddle = '"""Games for whoever\nlooks on."""\nx = 1  # `tell` is told the address\n'
    assert [each.partition(":")[0] for each in riddles(riddle)] == ["line 3", "line 1"]
    plain = '"""A lie that is told. `tell` gets the address."""\nwhoever = "whoever"\n'
    assert list(riddles(plain)) == []
