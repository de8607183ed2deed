"""Pages for readers: the guides, the API reference, and a page for each kind of problem."""

import asyncio
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from importlib import resources
from typing import Any, Final

from litestar.handlers import get
from litestar.params import FromPath
from litestar.response import Response

from domain.kernel.rules.ruleset import Library
from service.api.contract.asyncapi import async_document
from service.api.contract.document import document
from service.api.pages.built import PACKAGES, is_built
from service.api.pages.files import MEDIA, File, answer_file
from service.api.pages.guides import Guide, guides, picture
from service.api.problems.problem import Kind, Problem, example_of
from service.api.problems.published import KINDS
from service.api.problems.request import UNKNOWN_PATH
from service.api.request import Call
from service.api.response import Answered, encode
from service.api.services import Boards

_FILES: Final = ("docs.css", "reference.css", "reference.js", "scalar.js")
_VIEWER_STYLES: Final = ("viewer", "styles", "room.css")
_POLICY: Final = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS: Final = {"Content-Security-Policy": _POLICY, "Referrer-Policy": "same-origin"}
_SHEETS: Final = (
    "d7niGYA9R/xp7r1pyc/+3ntTepKCabnrqd2exao76s4=",
    "DLlkYCuDYGe6ME23YkUFB7Tc36rGDeo4mVBFbZX3uaU=",
    "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    "ZW1GSuo0pKyEx5Ar7ZC5Dflb/mjatjeTW9aVx0iZAzE=",
    "rO+6k1mDRASa9Q8IQu9I3bF+bjRdxDreAZCyGSaxzeI=",
)
"""Hashes of the style sheets that Scalar's script inserts. The policy allows no other inline style or script."""
_REFERENCE: Final = {
    **_HEADERS,
    # Scalar also sets style attributes. Hashes would have to list each of their values.
    "Content-Security-Policy": (
        f"{_POLICY}; style-src-attr 'unsafe-inline'; style-src-elem 'self' "
        + " ".join(f"'sha256-{sheet}'" for sheet in _SHEETS)
    ),
}
_NAVIGATION: Final = {
    "/docs": "Guides",
    "/docs/reference": "API reference",
    "/openapi.json": "openapi.json",
    "/asyncapi.json": "asyncapi.json",
    "/problems": "Problems",
}


@get("/docs")
async def list_docs(request: Call) -> Response[bytes]:
    """List the guides and the reference."""
    entries = "\n".join(
        _entry(f"/docs/guides/{each.name}", each.title, each.summary)
        for each in (await asyncio.to_thread(guides)).values()
    )
    reference = _entry(
        "/docs/reference", "API reference", "Every endpoint, with its fields, examples and code samples."
    )
    problem_types = _entry("/problems", "Problems", "Every kind of error, what it means and what to do about it.")
    contract = _entry("/openapi.json", "openapi.json", "The same reference for programs: OpenAPI 3.1.")
    streams = _entry("/asyncapi.json", "asyncapi.json", "Streams, the socket and webhooks for programs: AsyncAPI 3.")
    return _page(
        _framed(
            "Documentation",
            f'<h1>Documentation</h1>\n<h2>Guides</h2>\n<ul class="contents">\n{entries}</ul>\n'
            f'<h2>Reference</h2>\n<ul class="contents">\n{reference}{problem_types}{contract}{streams}</ul>',
            at="/docs",
        )
    )


@get("/docs/guides/{name:str}")
async def show_guide(request: Call, name: FromPath[str]) -> Response[bytes]:
    """Show a guide."""
    every = await asyncio.to_thread(guides)
    if name not in every:
        raise Problem(UNKNOWN_PATH, f"There is no guide {name!r}.", f"The guides are {', '.join(every)}.")
    return _page(_framed(every[name].title, every[name].content, _beside(every, every[name]), "/docs"))


@get("/docs/pictures/{path:path}")
async def show_picture(request: Call, path: FromPath[str]) -> Response[bytes]:
    """Show a picture that a guide embeds."""
    name = path.removeprefix("/")
    content = await asyncio.to_thread(picture, name)
    if content is None:
        raise Problem(UNKNOWN_PATH, f"No guide shows a picture {name!r}.", "See /docs.")
    return answer_file(request, File.of(content, name), _HEADERS)


@get("/docs/reference")
async def show_reference(request: Call) -> Response[bytes]:
    """Show the API reference."""
    return Answered(
        _document(
            "API reference",
            '<link rel="stylesheet" href="/docs/reference.css">',
            '<div id="reference"></div>\n<noscript>The reference needs JavaScript. The contract itself is at '
            '<a href="/openapi.json">/openapi.json</a>.</noscript>\n'
            '<script src="/docs/reference.js"></script>\n<script src="/docs/scalar.js"></script>',
            at="/docs/reference",
        ),
        200,
        MEDIA["html"],
        _REFERENCE,
    )


@get("/docs/{name:str}")
async def show_file(request: Call, name: FromPath[str]) -> Response[bytes]:
    """Show a style sheet or script of the pages. The name of a guide redirects to it, such as ``/docs/operating``."""
    if name in await asyncio.to_thread(guides):
        return _redirect_to(name)
    if name not in _FILES:
        raise Problem(UNKNOWN_PATH, f"The service has no {request.url.path!r}.", "See /docs.")
    return answer_file(request, await asyncio.to_thread(_file, name), _HEADERS)


@get([f"/docs/{package}" for package in PACKAGES])
async def show_package(request: Call) -> Response[bytes]:
    """Redirect to the documentation of a client package if it was built, or else to its guide."""
    package = request.url.path.rpartition("/")[2]
    if await asyncio.to_thread(is_built, request.services.settings.pages, package):
        return Answered(b"", 307, MEDIA["html"], {**_HEADERS, "Location": f"/docs/{package}/index.html"})
    return _redirect_to(package)


@get("/examples")
async def show_examples(request: Call) -> Response[bytes]:
    """Redirect to the guide to the examples."""
    return _redirect_to("examples")


@get("/favicon.ico")
async def show_icon(request: Call) -> Response[bytes]:
    """Show the icon for which browsers ask, whatever page they show."""
    return answer_file(request, await asyncio.to_thread(_file, "icon.svg"), {}, "max-age=86400")


@get("/openapi.json")
async def show_contract(request: Call) -> Response[bytes]:
    """Show the contract."""
    contract = await asyncio.to_thread(_contract, request.services.library, request.services.boards)
    return answer_file(request, contract, {})


@get("/asyncapi.json")
async def show_streams(request: Call) -> Response[bytes]:
    """Show the streams, the socket and the webhooks of the contract, as AsyncAPI."""
    streams = await asyncio.to_thread(_streams, request.services.library, request.services.boards)
    return answer_file(request, streams, {})


@get("/problems")
async def list_problems(request: Call) -> Response[bytes]:
    """List the kinds of problems."""
    rows = "\n".join(
        f'<tr><td>{kind.status}</td><td><a href="{kind.type}">{kind.slug}</a></td><td>{_html(kind.title)}</td></tr>'
        for kind in KINDS
    )
    table = f"<table><thead><tr><th>Status</th><th>Type</th><th>Title</th></tr></thead>\n<tbody>{rows}</tbody></table>"
    return _page(
        _framed("Problems", f'<h1>Problems</h1>\n<div class="wide" tabindex="0">{table}</div>', at="/problems")
    )


@get("/problems/{slug:str}")
async def show_problem(request: Call, slug: FromPath[str]) -> Response[bytes]:
    """Show what a kind of problem means, and what to do about it."""
    kind = next((kind for kind in KINDS if kind.slug == slug), None)
    if kind is None:
        raise Problem(UNKNOWN_PATH, f"There is no kind of problem {slug!r}.", "GET /problems lists them.")
    return _page(problem_page(kind))


def problem_page(kind: Kind) -> bytes:
    """Return the page of a kind of problem."""
    example = json.dumps(json.loads(encode(example_of(kind))), indent=2, ensure_ascii=False)
    return _framed(
        kind.title,
        f"<h1>{escape(kind.title)}</h1>\n<p>Type <code>{kind.type}</code>, status {kind.status}.</p>\n"
        f"<p>{_html(kind.meaning)}</p>\n<h2>What to do</h2>\n<p>{_html(kind.remedy)}</p>\n"
        f'<h2>Example</h2>\n<pre tabindex="0">{escape(example)}</pre>',
    )


def _html(text: str) -> str:
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))


def _entry(href: str, title: str, summary: str) -> str:
    return f'<li><a href="{href}">{escape(title)}</a><p>{escape(summary)}</p></li>\n'


def _beside(every: Mapping[str, Guide], guide: Guide) -> str:
    """Return the navigation beside a guide: all guides, and the parts of this one."""
    names = "".join(
        f'<li><a href="/docs/guides/{each.name}"{_current(each is guide)}>{escape(each.title)}</a></li>'
        for each in every.values()
    )
    parts = "".join(
        f'<li><a href="#{escape(each.slug)}">{escape(each.title)}</a></li>'
        for each in guide.headings
        if each.level == 2
    )
    listed = f'<nav aria-label="Guides"><h2>Guides</h2><ul>{names}</ul></nav>'
    return f'{listed}<nav aria-label="On this page"><h2>On this page</h2><ul>{parts}</ul></nav>' if parts else listed


def _redirect_to(guide: str) -> Response[bytes]:
    return Answered(b"", 308, MEDIA["html"], {**_HEADERS, "Location": f"/docs/guides/{guide}"})


def _framed(title: str, content: str, beside: str = "", at: str = "") -> bytes:
    aside = f'<div class="beside">{beside}</div>\n' if beside else ""
    return _document(
        title,
        '<link rel="stylesheet" href="/docs/docs.css">',
        f'<div class="reading">\n{aside}<main id="content" tabindex="-1">{content}</main></div>',
        at,
    )


def _document(title: str, styles: str, content: str, at: str) -> bytes:
    links = " ".join(f'<a href="{href}"{_current(href == at)}>{words}</a>' for href, words in _NAVIGATION.items())
    skip = '<a class="skip" href="#content">Skip to the content</a>\n' if 'id="content"' in content else ""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)} · Tabularium</title>\n{styles}</head>\n"
        f'<body class="docs-page">{skip}<header class="masthead"><a class="home" href="/">'
        f'<img src="/favicon.ico" alt="" width="22" height="22"><span>Tabularium</span></a>\n'
        f'<nav aria-label="Documentation">{links}</nav></header>\n{content}</body></html>\n'
    ).encode()


def _current(is_here: bool) -> str:
    return ' aria-current="page"' if is_here else ""


def _page(content: bytes) -> Response[bytes]:
    return Answered(content, 200, MEDIA["html"], _HEADERS)


@lru_cache(maxsize=1)
def _contract(library: Library, boards: Boards) -> File:
    return File.of(_compact(document(library, boards)), "openapi.json")


@lru_cache(maxsize=1)
def _streams(library: Library, boards: Boards) -> File:
    contract = json.loads(_contract(library, boards).content)
    return File.of(_compact(async_document(contract)), "asyncapi.json")


def _compact(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


@lru_cache(maxsize=len(_FILES) + 1)
def _file(name: str) -> File:
    match name:
        case "docs.css":
            content = _styles()
        case "reference.css":
            # In a layer, our styles apply around the reference, and Scalar's own styles win inside it.
            content = b"@layer frame {\n" + _styles() + b"}\n" + _read("static", name)
        case "scalar.js":
            content = _read("vendor", "scalar", name)
        case _:
            content = _read("static", name)
    return File.of(content, name)


def _styles() -> bytes:
    return resources.files("service").joinpath(*_VIEWER_STYLES).read_bytes() + _read("static", "docs.css")


def _read(*place: str) -> bytes:
    return resources.files("service.api.pages").joinpath(*place).read_bytes()
