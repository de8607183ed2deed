"""A ruleset is named in its own files and in the library, and nowhere else; and its own files are complete."""

import ast
from collections.abc import Iterator
from pathlib import Path

from domain.library import LIBRARY
from tests.helpers.games import GAMES, laws_of

ROOT = Path(__file__).parent.parent
PACKAGES = {path.parent.name for path in (ROOT / "domain").glob("*/ruleset.py")}
"""Also those that are not in the library yet."""
OWN = ("domain/library.py", "domain/boards/families/", "service/bots/players/", *(f"domain/{own}/" for own in PACKAGES))
NAMES = {*LIBRARY.ids(), *GAMES, *(LIBRARY.current(ruleset).board for ruleset in LIBRARY.ids())}


def named(tree: ast.AST) -> Iterator[str]:
    """Yield what code says and imports by the name of a ruleset, a package or a board, but for docstrings."""
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in said and text in NAMES:
                yield text
            case ast.ImportFrom(module=str(module)) if GAMES.keys() & module.split("."):
                yield module
            case ast.ImportFrom(module="domain", names=names) if GAMES.keys() & {each.name for each in names}:
                yield "domain"
            case _:
                pass


def test_code_outside_of_a_rulesets_own_files_does_not_name_it() -> None:
    files = [file for folder in ("domain", "projections", "service") for file in (ROOT / folder).rglob("*.py")]
    paths = {file: file.relative_to(ROOT).as_posix() for file in files}
    texts = {path: file.read_text() for file, path in paths.items() if not path.startswith(OWN)}
    assert len(texts) > 100
    # Only few have such a word at all, and to parse all takes seconds.
    suspects = {path: text for path, text in texts.items() if any(name in text for name in NAMES)}
    found = {path: [*named(ast.parse(text))] for path, text in suspects.items()}
    assert {path: names for path, names in found.items() if names} == {}


def test_every_ruleset_is_held_to_the_laws() -> None:
    for game, rulesets in GAMES.items():
        held = {laws.ruleset.id for laws in laws_of(game)}
        for ruleset in rulesets:
            assert ruleset.id in held, f"add a class of laws for {ruleset.id} to tests/domain/{game}/test_laws.py"


def test_a_name_is_noticed_wherever_code_says_it() -> None:
    told = '"""mare-nostrum"""\nfrom domain.classic import sea\nfrom domain import classic\nx = {"mare-nostrum": 1}'
    assert sorted(named(ast.parse(told))) == ["domain", "domain.classic", "mare-nostrum"]
