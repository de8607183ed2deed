"""Which files of a checkout each file reads: what it imports, what its strings name, what its page loads.

Nothing is run. Of what is put together at run time a pattern is known: an f-string with `*` for what is filled in.
"""

import ast
import posixpath
import re
from collections.abc import Iterable, Iterator
from fnmatch import translate
from pathlib import Path
from typing import Final

_MODULE: Final = re.compile(r"\b(?:domain|projections|service|tests)(?:\.[\w*]+)+")
_PATTERN: Final = re.compile(r"[\w.*/-]*\*[\w-]*\.\w+")
_IMPORTED_BY_SCRIPT: Final = re.compile(r"""\b(?:from|import)\s*\(?\s*["']([^"']+)["']""")
_ASKED_BY_SCRIPT: Final = re.compile(r"""["`](/[^"`\s]+)["`]""")
_LOADED_BY_PAGE: Final = re.compile(r"""\b(?:src|href)="/(viewer/[^"#?]+)""")


def folders(file: str) -> Iterator[str]:
    """Yield the folders around a file from the inside, but not the top of the checkout."""
    while file := posixpath.dirname(file):
        yield file


class Checkout:
    """The files of a checkout, by their paths from its top."""

    def __init__(self, root: Path, files: Iterable[str]) -> None:
        self._root = root
        self._files = sorted(files)
        self._there = {*self._files}
        self._folders = {folder for file in self._files for folder in folders(file)}
        self._names = {posixpath.basename(place) for place in self._there | self._folders}
        self._said = {file: _Said(self._text(file)) for file in self._files if file.endswith(".py")}
        # What answers at an address: the page that its handler shows, or the module of the handler.
        self._handlers = [
            (re.compile(re.sub(r"\{.*?\}", "[^/]+", address)), [f"service/viewer/{page}" for page in pages] or [file])
            for file, said in self._said.items()
            for address, pages in said.handles
        ]

    def reads(self) -> dict[str, set[str]]:
        """Return the files that each file reads."""
        return {file: self._there.intersection(self._read_by(file)) - {file} for file in self._files}

    def _read_by(self, file: str) -> Iterator[str]:
        match posixpath.splitext(file)[1]:
            case ".py":
                yield from self._read_by_python(file)
            case ".js":
                text = self._text(file)
                for name in _IMPORTED_BY_SCRIPT.findall(text):
                    yield posixpath.normpath(posixpath.join(posixpath.dirname(file), name))
                for address in _ASKED_BY_SCRIPT.findall(text):
                    yield from self._answering(re.sub(r"\$\{.*?\}", "*", address))
            case ".html":
                yield from (f"service/{name}" for name in _LOADED_BY_PAGE.findall(self._text(file)))
            case _:
                pass

    def _read_by_python(self, file: str) -> Iterator[str]:
        if posixpath.basename(file).startswith("test_"):
            yield from (f"{folder}/conftest.py" for folder in folders(file))
            yield from ("pyproject.toml", "uv.lock")
        said = self._said[file]
        named = [name for text in said.texts for name in _MODULE.findall(text)]
        for name in [*said.imported, *named]:
            yield from self._module(name)
            if "import_module" in said.called and "*" not in name:  # of a package all that is in it
                yield from self._matching(f"{name.replace('.', '/')}/*.py")
        # A path begins beside the file or above it, or in a package that is imported or named beside it.
        packages = (name.replace(".", "/") for name in [*said.imported, *named])
        bases = dict.fromkeys([*folders(file), *(path for path in packages if path in self._folders)])
        for text in said.texts:
            yield from self._named(text, bases)
            if file.startswith("tests/"):
                yield from self._answering(text)

    def _module(self, name: str) -> Iterator[str]:
        """Yield the file of a module, or of the one that has the name, and the packages around it that do anything."""
        if name.partition(".")[0] == "tabularium_client":
            name = f"openapi.python.{name}"
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            path = "/".join(parts[:end])
            package = f"{path}/__init__.py"
            if "*" in path:
                yield from self._matching(f"{path}.py")
            elif end == len(parts) or (package in self._said and self._said[package].does):
                yield package
            yield f"{path}.py"

    def _named(self, text: str, bases: Iterable[str]) -> Iterator[str]:
        """Yield the files that a string can mean: a path from one of the bases or from the top, a folder, a pattern."""
        path = text.removeprefix("*/").strip("/")
        if posixpath.basename(path) not in self._names and not _PATTERN.fullmatch(path):
            return
        for base in bases:
            yield from self._matching(f"{base}/{path}")
        if "/" in text or "." in text:  # a word alone is none of the folders at the top
            yield from self._matching(path)
        if text.startswith("/"):  # an address of the service
            yield f"service/{path}"

    def _matching(self, path: str) -> Iterator[str]:
        """Yield the file of a path, the data in a folder, or what fits a pattern."""
        if path in self._there:
            yield path
        elif path in self._folders:
            yield from (file for file in self._files if file.startswith(f"{path}/") and not file.endswith(".py"))
        elif "*" in path:
            yield from filter(re.compile(translate(path).replace(".*", "[^/]*")).match, self._files)

    def _answering(self, text: str) -> Iterator[str]:
        """Yield what answers at an address."""
        address = re.split("[#?]", text.lstrip("*"))[0]
        if address.startswith("/") and text != "/":
            for pattern, files in self._handlers:
                if pattern.fullmatch(address):
                    yield from files

    def _text(self, file: str) -> str:
        path = self._root / file
        return path.read_text() if path.exists() else ""


class _Said(ast.NodeVisitor):
    """What a Python module imports and calls, at which addresses it answers, and its strings."""

    def __init__(self, source: str) -> None:
        self.imported: list[str] = []
        self.called: set[str] = set()
        self.handles: list[tuple[str, list[str]]] = []
        """Addresses, and the pages that are named by their handlers."""
        self.texts: list[str] = []
        """Paths and f-strings are in one piece, with `*` for what is filled in; docstrings are left out."""
        try:
            module = ast.parse(source)
        except SyntaxError:
            module = ast.parse("")  # whatever imports it fails and says so
        self.visit(module)
        self.does = len(module.body) > 1

    def visit_Import(self, node: ast.Import) -> None:
        self.imported += [alias.name for alias in node.names]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.imported += [f"{node.module}.{alias.name}" for alias in node.names]

    def visit_If(self, node: ast.If) -> None:
        if not (isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        before = len(self.texts)
        self.generic_visit(node)
        pages = [text for text in self.texts[before:] if text.endswith(".html")]
        for decorator in node.decorator_list:
            for given in decorator.args if isinstance(decorator, ast.Call) else ():
                if _pattern(given).startswith("/"):
                    self.handles.append((_pattern(given), pages))

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring names what it likes
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        match node:
            case ast.Call(func=ast.Name(id=name)):
                self.called.add(name)
            case ast.Call(func=ast.Attribute(attr="goto"), args=[ast.Constant(value="/")]):
                self.texts.append("/#")  # elsewhere a stroke alone is no address
            case _:
                pass
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.texts.append(node.value)

    def visit_Tuple(self, node: ast.Tuple) -> None:
        match node.elts:
            case [ast.Constant(value=str()), *_, ast.Constant(value=str(name))] if "." in name:  # the parts of a path
                self.texts += [name, "/".join(map(_pattern, node.elts))]
            case _:
                self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        self.texts.append(_pattern(node))
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                self.visit(value)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.Div):
            self.texts.append(_pattern(node))
        else:
            self.generic_visit(node)


def _pattern(node: ast.expr) -> str:
    """Return what an expression says, with `*` for what it does not say itself."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(map(_pattern, values))
        case ast.BinOp(op=ast.Div(), left=left, right=right):
            return f"{_pattern(left)}/{_pattern(right)}"
        case _:
            return "*"
