"""The list of problems, which is made of the kinds that stand in several files."""

from collections import Counter
from importlib import import_module
from pkgutil import iter_modules

from service.api import problems
from service.api.problems.problem import Kind
from service.api.problems.published import KINDS


def test_the_list_has_every_kind_once() -> None:
    modules = [import_module(f"{problems.__name__}.{each.name}") for each in iter_modules(problems.__path__)]
    kinds = {value.slug for module in modules for value in vars(module).values() if isinstance(value, Kind)}
    assert Counter(kind.slug for kind in KINDS) == Counter(kinds)
