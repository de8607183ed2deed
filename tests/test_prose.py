"""Comments and docstrings are plain English, in all languages: none has a phrase that had to be read twice.

The list is short on purpose. A phrase belongs to it when there is always a better one.
"""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
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
    r"; nothing (where|while|if|unless|for)\b": "say *None*, *0* or *empty*",
    r"\b(is|are) none of ours\b": "say whose it is, or what it is not",
    r"\b(by|of|for|to|from) whom it is to be\b|\bof which it is to be\b": "turn the sentence round",
    r"\bwhat is asked (of|about|in) .*, and answered\b": "say *the endpoints for*",
    r"\bso-manieth\b": "say which: *the `times`-th*",
    r"\braises? as (`|they\b)": "say *raises what `act` raises*",
    r"\bnobody thought of\b": "say *unexpected*",
    r"\bup to where\b|\bas far as which\b": "say *the version*, *the place* or *the time up to which*",
    r"\blend what\b": "say what is provided, and for what",
    r"\bof what is kept of\b": "name the rows",
    r"\bwait in a circle\b": "say *deadlock*",
    r"\bis told its\b": "something *gets* its cause, its name, its number",
    r"\bfor what is none\b|\bfor one that is none\b": "say *for anything else*, or what it is not",
    r"(?<!far )\bas (the|an?) \w+ (has|have) (it|them)\b": "say *in the form of*",
    r"\b(what|whatever) (is|was) handed in\b": "say *pending jobs* or *pending work*",
    r"\bdo(es)? (all )?(that|what) (a )?statements? (of \w+ )?says?\b": "say *execute*",
    r"\bwhat (a|the|each) store keeps of\b": "say *the stored data of*",
}


def prose(source: str) -> Iterator[tuple[int, str]]:
    """Yield the comments and the strings that stand for themselves, as docstrings do, with their lines."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, " ".join(node.value.value.split())


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield the comments of a file of JavaScript, with the lines where they begin."""
    for found in re.finditer(r"/\*.*?\*/|(?<!:)//[^\n]*", source, re.DOTALL):
        yield source.count("\n", 0, found.start()) + 1, " ".join(re.sub(r"\n *\*", " ", found[0]).split())


def riddles(source: str, texts: Callable[[str], Iterator[tuple[int, str]]] = prose) -> Iterator[str]:
    """Yield what is to be said more plainly in a file, whose comments `texts` finds; by default in one of Python."""
    words = " ".join(re.sub(r"\n *\*", " ", source).split())
    if not any(re.search(phrase, words, re.IGNORECASE) for phrase in PLAINER):
        return  # as most are: to parse a file takes longer
    for line, text in texts(source):
        for phrase, advice in PLAINER.items():
            if found := re.search(phrase, text, re.IGNORECASE):
                yield f"line {line}: {found[0]!r}: {advice}"


@pytest.mark.parametrize(
    ("folder", "pattern", "texts"),
    [
        ("domain", "*.py", prose),
        ("projections", "*.py", prose),
        ("service", "*.py", prose),
        ("tests", "*.py", prose),
        ("openapi/python", "*.py", prose),
        ("openapi/typescript/src", "*.ts", comments),
        ("service/viewer", "*.js", comments),
        ("tests/viewer", "*.js", comments),
    ],
    ids=["domain", "projections", "service", "tests", "Python", "TypeScript", "viewer", "tests of the viewer"],
)
def test_nothing_has_to_be_read_twice(
    folder: str, pattern: str, texts: Callable[[str], Iterator[tuple[int, str]]]
) -> None:
    files = {path.relative_to(ROOT).as_posix(): path for path in sorted((ROOT / folder).rglob(pattern))}
    own = {name: path for name, path in files.items() if "/vendor/" not in name}
    assert own
    found = {name: list(riddles(path.read_text(), texts)) for name, path in own.items()}
    assert {name: each for name, each in found.items() if each} == {}


def test_a_riddle_is_found_in_comments_and_docstrings_and_a_plain_sentence_is_none() -> None:
    riddle = '"""Games for whoever\nlooks on."""\nx = 1  # `tell` is told the address\n'
    assert [each.partition(":")[0] for each in riddles(riddle)] == ["line 3", "line 1"]
    riddle = '"""Return the name; nothing where\nthere is none."""\n'
    assert [each.partition(":")[0] for each in riddles(riddle)] == ["line 1"]
    riddle = '"""Return texts as the log has\nthem, or two that wait in a circle."""\n'
    assert [each.partition(":")[0] for each in riddles(riddle)] == ["line 1", "line 1"]
    plain = '"""A lie that is told; nothing else, as far as the log has it. `tell` gets it."""\nwhoever = "whoever"\n'
    assert list(riddles(plain)) == []


def test_a_riddle_is_found_in_comments_of_javascript_and_not_in_its_strings() -> None:
    riddle = "/**\n * For what each\n * comes to. Games of\n * whom? @module\n */\nx(); // Whoever looks.\n"
    assert [each.partition(":")[0] for each in riddles(riddle, comments)] == ["line 1", "line 1", "line 6"]
    plain = 'const address = "https://whoever.example"; // The address.\nlet whoever = `whoever ${x}`;\n'
    assert list(riddles(plain, comments)) == []
