"""Would any scenario notice if a rule were broken? Run by hand: python -m tests.mutation [--rules CC-MOV-*]

Each place in the rules of a game (`--game`, a package of `domain`) that refuses a command is taken out in memory,
one at a time. Then some scenario that names its rule should fail. Places that only other scenarios notice, and those
that none does, are listed; exit code 1 when there are some of the latter.

With `--what happens` it is not refusals but constants, comparisons, branches and effects that are changed, one at a
time (`tests.helpers.mutants`), and the figure is the share of changes that some scenario notices; `--sample N` draws N
of them.
"""

import argparse
import ast
import importlib
import signal
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from domain.boards import builtin
from domain.kernel.rules.ruleset import Ruleset
from domain.kernel.scenario import Scenario, run, runs
from tests.helpers import mutants
from tests.helpers.games import GAMES, scenarios_of
from tests.helpers.scenarios import written

RULES = Path(__file__).parent.parent / "domain"
SECONDS = 5
"""A scenario that takes longer has noticed something, too."""


class Site(NamedTuple):
    """A statement that refuses, by one of these rules."""

    game: str
    module: str
    function: str
    line: int
    rules: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.module}.py:{self.line} {self.function}: {', '.join(self.rules) or 'a rule told elsewhere'}"


# --- where refusals are ---


def sites(game: str) -> Iterator[Site]:
    for path in sorted((RULES / game).rglob("*.py")):
        module = ast.parse(path.read_text())
        for name, function in functions(module.body):
            for node in ast.walk(function):
                if isinstance(node, ast.stmt) and refuses(node):
                    rules = tuple(sorted(rules_of(node, function, module)))
                    yield Site(game, mutants.module_at(path, game), name, node.lineno, rules)


def functions(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from functions(node.body, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            yield f"{prefix}{node.name}", node


def refuses(node: ast.AST) -> bool:
    """Tell whether a statement refuses, or returns the rule by which its caller does."""
    match node:
        case ast.Raise(exc=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))):
            return not name.endswith("Error")
        case ast.Expr(value=ast.Call(func=ast.Name(id="refuse_unless"))):
            return True
        case ast.Return(value=ast.Tuple(elts=[rule, _])):
            return bool(ids_in(rule))
        case ast.Return(value=ast.Call(func=ast.Name(id="Refusal"))):
            return True
        case _:
            return False


def rules_of(node: ast.AST, *within: ast.AST) -> set[str]:
    """The rule ids in a statement; else in what is assigned to the names in it, or returned by what it calls."""
    found = ids_in(node)
    names = {getattr(each, "id", getattr(each, "attr", "")) for each in ast.walk(node)}
    for each in (each for scope in within if not found for each in ast.walk(scope)):
        targets = getattr(each, "targets", [getattr(each, "target", None)])
        assigned = {getattr(name, "id", "") for target in targets if target for name in ast.walk(target)}
        if assigned & names - {""} or (isinstance(each, ast.FunctionDef) and each.name in names):
            found |= ids_in(each)
        if "rule" in names:
            found |= provided_by(each)
    return found


def provided_by(node: ast.AST) -> set[str]:
    """The rule that provides for a command, when this is the class of one: the first that it declares."""
    match node:
        case ast.ClassDef(bases=[ast.Name(id="Command")], body=body):
            return {rule for each in body for rule in first_declared(each)}
        case _:
            return set()


def first_declared(node: ast.AST) -> set[str]:
    match node:
        case ast.Assign(targets=[ast.Name(id="rules")], value=ast.Tuple(elts=[first, *_])):
            return ids_in(first)
        case _:
            return set()


def ids_in(node: ast.AST) -> set[str]:
    constants = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
    found = {value for value in constants if isinstance(value, str)} & numbers().keys()
    return found.union(*(numbers()[rule] for rule in found))


@cache
def numbers() -> Mapping[str, tuple[str, ...]]:
    """Return every rule of every game, each with what the game's rulesets have in its place."""
    return {
        rule.id: tuple(here for each in rulesets for here in each.catalogue.in_force((rule.id,), each.id))
        for rulesets in GAMES.values()
        for rule in rulesets[0].catalogue.rules
    }


# --- taking one out ---


class Remove(ast.NodeTransformer):
    def __init__(self, line: int) -> None:
        self.line = line

    def visit(self, node: ast.AST) -> Any:
        if refuses(node) and node.lineno == self.line:  # type: ignore[attr-defined]
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)


def without(site: Site) -> tuple[FunctionType, CodeType]:
    """Return the function of a site, and its code with ``pass`` instead of that statement."""
    path = mutants.file_of(site.game, site.module)
    module = Remove(site.line).visit(ast.parse(path.read_text()))
    function: Any = importlib.import_module(f"domain.{site.game}.{site.module}")
    for name in site.function.split("."):
        function = getattr(function, name)
    function = getattr(function, "__func__", function)
    return function, next(code_of(compile(module, str(path), "exec"), site.function))


def code_of(code: CodeType, name: str) -> Iterator[CodeType]:
    if code.co_qualname == name:
        yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from code_of(constant, name)


# --- who notices ---


def check(site: Site) -> str:
    """Return "named" when a scenario that names the rule fails, the title of another that does, or ""."""
    function, code = without(site)
    original, function.__code__ = function.__code__, code
    try:
        naming = [case for case in cases(site.game) if not site.rules or set(site.rules) & set(case[0].rules)]
        if any(map(fails, naming)):
            return "named"
        return next((case[0].title for case in cases(site.game) if case not in naming and fails(case)), "")
    finally:
        function.__code__ = original


def fails(case: tuple[Scenario, Ruleset[Any]]) -> bool:
    signal.alarm(SECONDS)
    try:
        run(*case, builtin(case[1].board))
    except Exception:
        return True
    finally:
        signal.alarm(0)
    return False


def give_up(*_: object) -> None:
    raise TimeoutError


@cache
def cases(game: str) -> list[tuple[Scenario, Ruleset[Any]]]:
    files = written(scenarios_of(game).name)
    return [case for _, found in files for case in runs(found, GAMES[game])]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", choices=list(GAMES), default=next(iter(GAMES)))
    parser.add_argument("--rules", default="*", help="only sites that may cite a rule of this pattern")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--what", choices=["refusals", "happens"], default="refusals", help="what is broken")
    parser.add_argument("--modules", default="*", help="happens: only chapters of these patterns, such as sea,re*")
    parser.add_argument("--sample", type=int, help="happens: the number of mutants, drawn by chance")
    parser.add_argument("--seed", type=int, default=1, help="happens: of that chance")
    given = parser.parse_args()
    signal.signal(signal.SIGALRM, give_up)
    if broken := [case[0].title for case in cases(given.game) if fails(case)]:
        print(f"These scenarios fail as it is: {', '.join(broken)}.")
        return 2
    if given.what == "happens":
        return mutants.main(given.game, given.modules, given.sample, given.seed, given.processes)
    every = given.rules == "*"
    wanted = [site for site in sites(given.game) if every or any(fnmatch(rule, given.rules) for rule in site.rules)]
    with ProcessPoolExecutor(given.processes, initializer=signal.signal, initargs=(signal.SIGALRM, give_up)) as pool:
        found = dict(zip(wanted, pool.map(check, wanted), strict=True))
    for site, noticed in found.items():
        if noticed != "named":
            print(f"{site}\n    " + (f"noticed only by: {noticed}" if noticed else "NOTICED BY NO SCENARIO"))
    unnoticed = sum(not noticed for noticed in found.values())
    print(f"{len(found)} refusals; {len(found) - unnoticed} are noticed by a scenario, {unnoticed} by none.")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
