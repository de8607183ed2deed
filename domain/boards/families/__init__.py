"""What the games of a family need of their boards: a file for each family, with its name."""

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module

from domain.boards.family import Family


@cache
def known_families() -> Mapping[str, Family]:
    """Return the families by name: `FAMILY` of each file in this folder."""
    modules = pkgutil.iter_modules(__path__)
    return {module.name.replace("_", "-"): import_module(f"{__name__}.{module.name}").FAMILY for module in modules}
