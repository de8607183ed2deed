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

_Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_BLOCKS: Final = (ast.stmt, ast.excepthandler, ast.match_case)
"""The nodes that can contain a definition with a docstring. Expressions, which are most of a module, cannot."""


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
    node = _definitions(of.__module__).get(of.__qualname__)
    return (ast.get_docstring(node) or "") if node is not None else ""


def summary(of: type) -> str:
    """Return the docstring of a class without the descriptions of its fields."""
    return docstring(of).partition("\nAttributes:\n")[0].strip()


def attributes(of: type) -> dict[str, str]:
    """Return the descriptions of a class's own fields in its docstring, by name; inherited fields are left out."""
    _, _, section = docstring(of).partition("\nAttributes:\n")
    entries = _ATTRIBUTE.findall(section)
    return {name: " ".join(text.split()) for names, text in entries for name in names.split(", ")}


@cache
def source_of(module: str) -> ast.Module:
    """Return the syntax tree of a module that has been imported. Raises `LookupError` when its source is missing."""
    try:
        return ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError) as error:
        raise LookupError(f"the source of {module} is missing, and its docstrings are only there") from error


@cache
def _definitions(module: str) -> dict[str, _Definition]:
    """Return what a module defines, by its `__qualname__`. Of several definitions of one name, the first counts."""
    definitions: dict[str, _Definition] = {}

    def look(within: ast.AST, prefix: str) -> None:
        for node in ast.iter_child_nodes(within):
            if isinstance(node, _Definition):
                definitions.setdefault(prefix + node.name, node)
                look(node, f"{prefix}{node.name}." + ("" if isinstance(node, ast.ClassDef) else "<locals>."))
            elif isinstance(node, _BLOCKS):
                look(node, prefix)

    look(source_of(module), "")
    return definitions
