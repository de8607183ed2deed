"""Docstrings at run time, however Python was started.

The contract publishes docstrings, and the program shows them as the meanings of settings and commands. ``python -OO``
drops docstrings when it compiles. This module then reads them from the source, parsing each module once. So the sources
must be present, as they are in a checkout, a wheel and the image.

The docstring of a struct describes its fields, each on its own lines; fields with the same meaning may share them::

    Attributes:
        hits: hits taken and not yet assigned; a longer text continues on the next line, indented deeper.
        attacker, defender: the two sides.
"""

import ast
import inspect
import re
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, Final

_ATTRIBUTE: Final = re.compile(r"^    (\w+(?:, \w+)*): (.*(?:\n(?:     .*|(?=\n)))*)", re.MULTILINE)


@cache
def docstring(of: type | Callable[..., Any]) -> str:
    """Return the docstring of a class or a function, without its indentation; empty when it has none.

    Raises:
        LookupError: Python dropped it, and there is no source to read it from.
    """
    if of.__doc__ is not None:
        return inspect.cleandoc(of.__doc__)
    if sys.flags.optimize < 2:
        return ""
    node = _defined(source_of(of.__module__), of.__qualname__)
    return (ast.get_docstring(node) or "") if node is not None else ""


def summary(of: type) -> str:
    """Return the docstring of a class without the descriptions of its fields."""
    return docstring(of).partition("\nAttributes:\n")[0].strip()


def attributes(of: type) -> dict[str, str]:
    """Return the descriptions of a class's own fields in its docstring, by name; inherited fields are left out."""
    _, _, section = docstring(of).partition("\nAttributes:\n")
    found = _ATTRIBUTE.findall(section)
    return {name: " ".join(text.split()) for names, text in found for name in names.split(", ")}


@cache
def source_of(module: str) -> ast.Module:
    """Return the syntax tree of a module that has been imported. Raises `LookupError` when its source is missing."""
    try:
        return ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError) as error:
        raise LookupError(f"the source of {module} is missing, and its docstrings are only there") from error


def _defined(node: ast.AST, qualname: str) -> ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Return the definition of a name such as ``Outer.method``; None when there is none."""
    name, _, rest = qualname.removeprefix("<locals>.").partition(".")
    found = [
        child
        for child in ast.walk(node)
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and child.name == name
    ]
    if not found:
        return None
    return _defined(found[0], rest) if rest else found[0]
