"""Small changes to what happens in a game, one at a time: ``python -m tests.mutation --what happens``.

A mutant is a chapter in which one constant, comparison, boolean operator, sum, branch, order or effect is another. A
process of its own imports the game with that chapter changed in memory, and plays the scenarios until one fails: those
that name a rule of the changed function first, then those of its chapter, then the rest.
"""

import ast
import importlib.abc
import importlib.machinery
import resource
import signal
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, Final, NamedTuple

from domain.boards import builtin
from domain.kernel.ids import RULE_ID
from domain.kernel.rules.ruleset import Ruleset
from domain.kernel.scenario import Scenario, run, runs
from tests.helpers.scenarios import written

RULES: Final = Path(__file__).parents[2] / "domain"
EQUIVALENT: Final = Path(__file__).parent / "equivalent.toml"
SECONDS: Final = 5
"""A scenario that takes longer has noticed something, too."""
MEMORY: Final = 2 << 30
"""What a mutant may take: some emit events without end."""

GOAL: Final = 0.98
"""The share of mutants that scenarios should notice."""

OUTSIDE: Final[Mapping[str, str]] = {
    "marks": "how pieces are drawn; tests/domain/*/display/test_marks.py",
    "phrases": "sentences",
    "position": "reads the positions of scenarios, and plays no game",
}
"""Modules in which nothing happens, and what is tested there."""
SAID: Final[Mapping[str, str]] = {
    "tell": "sentences",
    **dict.fromkeys(
        (
            *("in_words", "_group_in_words", "_units_in_words", "_arrivals_in_words", "kinds_in_words", "_sentence"),
            *("_title", "title", "_listed", "post_name", "_all_named", "_counted", "_galleys", "_price"),
            *("_proposal", "_owner", "listed", "counted_points"),
        ),
        "words in sentences and titles",
    ),
    **dict.fromkeys(("question", "_question", "__str__"), "words in questions and refusals"),
    **dict.fromkeys(("fit", "named_by"), "which boards there may be; tests/domain/*/start/test_setup.py"),
    "kept_seats": "who may sit down before the game; tests/domain/mare_nostrum/start/test_assignment.py",
    "printed": "the bare board; tests/domain/*/display/test_marks.py",
    **dict.fromkeys(("heading", "_doing"), "a title in the history"),
    **dict.fromkeys(("by_owner", "in_order"), "how a force is told and drawn; tests/domain/*/display/test_marks.py"),
    "round": "read models; tests/projections",
    "score": "read models; tests/projections",
    "rolled": "read models; tests/projections",
    "player": "whose dice the read models count; tests/projections",
}
"""Functions that make nothing happen in a game: they say what happened, count for read models, judge boards."""
ATTRIBUTES: Final = frozenset(("sealed", "reveals", "schema"))
"""Attributes of events and commands that say how the log keeps them; tests/domain/kernel and tests.secrecy."""


class Mutant(NamedTuple):
    """One change: the text of an expression or statement, and what stands there instead.

    `number` tells apart changes that read alike within a function.
    """

    game: str
    module: str
    function: str
    line: int
    change: str
    number: int

    @property
    def key(self) -> tuple[str, str, str]:
        """What names a mutant as long as its function is not rewritten: lines move."""
        again = f" ({self.number})" if self.number > 1 else ""
        return self.game, f"{self.module}.{self.function}".rstrip("."), f"{self.change}{again}"


class Verdict(NamedTuple):
    """Who noticed a mutant: the title of a scenario that failed, or "" when none did."""

    mutant: Mutant
    noticed: str


# --- what can be changed ---


class Change(NamedTuple):
    """A place in a syntax tree, what is there, and how to put something else there."""

    function: str
    line: int
    old: ast.AST
    new: ast.AST
    put: Callable[[ast.AST], None]
    around: ast.AST


COMPARISONS: Final[Mapping[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
CALLS: Final[Mapping[str, str]] = {"min": "max", "max": "min", "any": "all", "all": "any"}
TELLING: Final = (ast.expr, ast.keyword, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)
"""What is around a constant, and says what it stands for."""
TRUE, FALSE = ast.Constant(True), ast.Constant(False)


def changes(tree: ast.AST, function: str = "") -> Iterator[Change]:
    """Yield the changes of a module, always in the same order; each changes the tree when its `put` is called."""
    for name, value in ast.iter_fields(tree):
        if not isinstance(value, list | ast.AST) or _is_said(tree, name):
            continue
        for place, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or _is_said_at(tree, name, place, child):
                continue
            within = function
            if isinstance(child, ast.ClassDef | ast.FunctionDef):
                within = f"{function}.{child.name}".lstrip(".")
            put = _putting(tree, name, place)
            around = tree if isinstance(tree, TELLING) else child
            for new in instead_of(child, tree, name):
                yield Change(within, getattr(child, "lineno", getattr(tree, "lineno", 0)), child, new, put, around)
            yield from changes(child, within)


def instead_of(node: ast.AST, parent: ast.AST, name: str) -> Iterator[ast.AST]:
    """Yield what may stand in the place of a node, the field `name` of its parent."""
    if name == "test" and not (isinstance(parent, ast.If) and _refuses(parent.body[0])):
        yield from (FALSE,) if isinstance(parent, ast.While) else (TRUE, FALSE)
    if name in {"ifs", "guard"}:
        yield TRUE
    match node:
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Compare(left, ops, comparators):
            for place, op in enumerate(ops):
                other = [*ops[:place], COMPARISONS[type(op)](), *ops[place + 1 :]]
                yield ast.Compare(left, other, comparators)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            for place in range(len(values)):
                rest = values[:place] + values[place + 1 :]
                yield ast.BoolOp(op, rest) if len(rest) > 1 else rest[0]
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.BinOp(left, ast.Add(), right) if not _is_text(left) and not _is_text(right):
            yield left
            yield right
        case ast.BinOp(left, _, right) if not _is_text(left) and not _is_text(right):
            yield left
        case ast.Call(ast.Name(called), arguments, keywords) if called in CALLS:
            yield ast.Call(ast.Name(CALLS[called], ast.Load()), arguments, keywords)
        case ast.Call(ast.Name("sorted"), arguments, keywords) if not _is_schema(parent):
            yield ast.Call(ast.Name("sorted", ast.Load()), arguments, _turned(keywords))
        case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Break() | ast.Continue():
            yield ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript() | ast.Tuple([ast.Attribute(), *_])]):
            yield ast.Pass()
        case _:
            pass


def _turned(keywords: list[ast.keyword]) -> list[ast.keyword]:
    rest = [keyword for keyword in keywords if keyword.arg != "reverse"]
    return rest if len(rest) < len(keywords) else [*keywords, ast.keyword("reverse", TRUE)]


def _is_said(parent: ast.AST, name: str) -> bool:
    """Tell whether a field is about types or names rather than about what happens."""
    return name in ("annotation", "returns", "decorator_list", "targets", "target", "ctx") or (
        name == "keywords" and isinstance(parent, ast.ClassDef)
    )


def _is_said_at(parent: ast.AST, name: str, place: int | None, node: ast.AST) -> bool:
    """Tell whether a node is text, a refusal (those have a machine of their own), or what only types ask for."""
    match node:
        case ast.JoinedStr() | ast.Raise() | ast.Assert() | ast.Import() | ast.ImportFrom() | ast.Delete():
            return True
        case ast.FunctionDef(name=function):
            return function in SAID
        case ast.Call(ast.Name("Refusal")):
            return True
        case ast.keyword(arg="strict"):
            return True
        case ast.Expr(ast.Constant()):
            return True
        case ast.Return(ast.Tuple([ast.Constant(str()), _])):
            return True
        case ast.IfExp(_, body, orelse):
            return _is_words(body) or _is_words(orelse)
        case ast.BoolOp(ast.Or(), [*_, ast.Constant(str())]):
            return True
        case ast.Assign([ast.Name(name)]) | ast.AnnAssign(ast.Name(name)):
            return name in ATTRIBUTES
        case _:
            called = parent.func if isinstance(parent, ast.Call) else None
            refusing = isinstance(called, ast.Name) and called.id == "refuse_unless"
            return refusing and name == "args" and place != 0


def _is_words(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (_is_text(node) and " " in ast.literal_eval(node))


def _is_schema(parent: ast.AST) -> bool:
    """Tell whether a node is given to a schema, in which the order of what can be chosen says nothing."""
    match parent:
        case ast.Call(ast.Attribute(ast.Name("schema"))):
            return True
        case _:
            return False


def _refuses(node: ast.stmt) -> bool:
    return isinstance(node, ast.Raise)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _putting(parent: ast.AST, name: str, place: int | None) -> Callable[[ast.AST], None]:
    def put(node: ast.AST) -> None:
        if place is None:
            setattr(parent, name, node)
        else:
            getattr(parent, name)[place] = node

    return put


# --- all of a game ---


def mutants(game: str) -> Iterator[Mutant]:
    for path in sorted((RULES / game).rglob("*.py")):
        if path.stem not in OUTSIDE:
            yield from (mutant for mutant, _ in mutants_of(game, module_at(path, game), ast.parse(path.read_text())))


def module_at(path: Path, game: str) -> str:
    """Return the module in a file of a game, by its name within the package, such as ``combat.battle``."""
    return ".".join(path.relative_to(RULES / game).with_suffix("").parts)


def file_of(game: str, module: str) -> Path:
    """Return the file of a module of a game."""
    return (RULES / game).joinpath(*module.split(".")).with_suffix(".py")


def mutants_of(game: str, module: str, tree: ast.Module) -> Iterator[tuple[Mutant, Change]]:
    met: dict[tuple[str, str], int] = {}
    for change in changes(tree):
        told = _told(change)
        number = met[change.function, told] = met.get((change.function, told), 0) + 1
        yield Mutant(game, module, change.function, change.line, told, number), change


def _told(change: Change) -> str:
    """Return a change in words: for a constant or name with what is around it, for it says little alone."""
    before = _text(change.around if isinstance(change.old, ast.Constant) else change.old)
    if before == _text(change.old):
        return f"{before} -> {_text(change.new)}"
    change.put(change.new)
    after = _text(change.around)
    change.put(change.old)
    return f"{before} -> {after}"


def _text(node: ast.AST) -> str:
    text = ast.unparse(ast.fix_missing_locations(node))
    return text if len(text) <= 160 else f"{text[:160]}…"


@cache
def equivalent() -> Mapping[tuple[str, str, str], str]:
    """Return the mutants that nobody can tell from the rules as they are, each with the reason."""
    listed = tomllib.loads(EQUIVALENT.read_text()).get("mutant", [])
    return {(each["game"], each["at"], each["change"]): each["why"] for each in listed}


# --- one of them ---


def changed(mutant: Mutant) -> ast.Module:
    """Return the module of a mutant, with the change made."""
    tree = ast.parse(file_of(mutant.game, mutant.module).read_text())
    change = next(change for each, change in mutants_of(mutant.game, mutant.module, tree) if each == mutant)
    change.put(change.new)
    return ast.fix_missing_locations(tree)


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a syntax tree."""

    def __init__(self, name: str, tree: ast.Module, path: Path) -> None:
        self._name = name
        self._code = compile(tree, str(path), "exec")
        self._path = path

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        spec = importlib.machinery.ModuleSpec(fullname, self, origin=str(self._path))
        spec.has_location = True
        return spec

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(self._code, module.__dict__)


def rulesets(game: str) -> list[Ruleset[Any]]:
    """Import the library anew, and return the current rulesets that a game's package makes."""
    for name in [*sys.modules]:
        if name.startswith(f"domain.{game}") or name == "domain.library":
            del sys.modules[name]
    library = importlib.import_module("domain.library").LIBRARY
    current = [library.current(name) for name in library.ids()]
    return [each for each in current if type(each).__module__.startswith(f"domain.{game}.")]


def check(mutant: Mutant) -> Verdict:
    """Return who notices a mutant. To be called in a process of its own, which is of no use afterwards."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, _give_up)
    path = file_of(mutant.game, mutant.module)
    sys.meta_path.insert(0, _Changed(f"domain.{mutant.game}.{mutant.module}", changed(mutant), path))
    try:
        cases = list(runs(nearest(mutant), rulesets(mutant.game)))
    except Exception as error:
        return Verdict(mutant, f"the import: {error!r}")
    return Verdict(mutant, next((case[0].title for case in cases if fails(*case)), ""))


def fails(scenario: Scenario, ruleset: Ruleset[Any]) -> bool:
    signal.alarm(SECONDS)
    try:
        run(scenario, ruleset, builtin(ruleset.board))
    except Exception:
        return True
    finally:
        signal.alarm(0)
    return False


def _give_up(*_: object) -> None:
    raise TimeoutError


def nearest(mutant: Mutant) -> Sequence[Scenario]:
    """Return all scenarios, those first that are likely to notice a mutant."""
    text = file_of(mutant.game, mutant.module).read_text()
    own, chapter = _rules_of(text, mutant.function), _ids(text)

    def distance(case: tuple[str, Scenario]) -> tuple[bool, bool, bool]:
        file, scenario = case
        named = {*scenario.rules}
        return not named & own, file != mutant.module.rpartition(".")[2], not named & chapter

    return [scenario for _, scenario in sorted(scenarios(mutant.game), key=distance)]


@cache
def scenarios(game: str) -> list[tuple[str, Scenario]]:
    """Return a game's scenarios, each with the name of its file."""
    return [(path.stem, each) for path, found in written(f"*{game.replace('_', '-')}") for each in found]


def _rules_of(text: str, function: str) -> set[str]:
    node: Any = ast.parse(text)
    for name in filter(None, function.split(".")):
        node = next(each for each in node.body if getattr(each, "name", "") == name)
    return _ids(ast.get_source_segment(text, node) or "") if function else set()


def _ids(text: str) -> set[str]:
    return {*RULE_ID.findall(text)}


# --- many ---


def drawn(game: str, sample: int | None, seed: int, modules: str = "*") -> list[Mutant]:
    """Return all mutants of a game's chapters that are not known to be equivalent, or a sample of them.

    `modules` are patterns of chapters, with commas between them.
    """
    patterns = modules.split(",")
    listed = (each for each in mutants(game) if any(fnmatch(each.module, pattern) for pattern in patterns))
    every = [each for each in listed if each.key not in equivalent()]
    return every if sample is None else Random(seed).sample(every, min(sample, len(every)))


def stale(game: str) -> list[tuple[str, str, str]]:
    """Return what is listed as equivalent, but is no mutant any more."""
    every = {each.key for each in mutants(game)}
    return sorted(key for key in equivalent() if key[0] == game and key not in every)


def check_all(chosen: Sequence[Mutant], processes: int) -> Iterator[Verdict]:
    """Yield a verdict for each, as they come."""
    for game in {mutant.game for mutant in chosen}:
        scenarios(game)  # What a fork finds in memory it need not read again.
        rulesets(game)
    with get_context("fork").Pool(processes, maxtasksperchild=1) as pool:
        yield from pool.imap_unordered(check, chosen)


def main(game: str, modules: str, sample: int | None, seed: int, processes: int) -> int:
    """Print which mutants no scenario notices, and the share that some scenario does. Returns the exit code."""
    if gone := stale(game):
        print(f"{EQUIVALENT.name} lists what is no mutant any more:", *gone, sep="\n    ")
        return 2
    chosen, noticed = drawn(game, sample, seed, modules), 0
    for verdict in check_all(chosen, processes):
        noticed += bool(verdict.noticed)
        if not verdict.noticed:
            print(f"{verdict.mutant.module}.py:{verdict.mutant.line}", *verdict.mutant.key[1:], sep=" | ", flush=True)
    listed = sum(key[0] == game for key in equivalent())
    print(f"{noticed} of {len(chosen)} mutants are noticed by a scenario: {noticed / max(1, len(chosen)):.1%}.")
    print(f"{len(drawn(game, None, 0, modules))} were to choose from; {listed} more are known to be equivalent.")
    return 0 if noticed >= GOAL * len(chosen) else 1
