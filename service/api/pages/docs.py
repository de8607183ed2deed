"""Pages for people: the API's documentation and one for every kind of problem. Nothing is loaded from elsewhere."""

import asyncio
import json
import re
from functools import lru_cache
from html import escape
from importlib import resources
from typing import Final

from litestar.handlers import get
from litestar.params import FromPath
from litestar.response import Response

from service.api import problems
from service.api.contract.document import published
from service.api.problems import KINDS, Kind, Problem, example_of
from service.api.request import Call
from service.api.response import encode

_MEDIA: Final = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
_FILES: Final = ("swagger-ui.css", "swagger-ui-bundle.js", "docs.js", "pages.css")
_HEADERS: Final = {
    # Swagger UI sets styles from its script.
    "Content-Security-Policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
}


@get("/docs")
async def show_docs(request: Call) -> Response[bytes]:
    """Show the API's documentation."""
    return _page(_file("docs.html"))


@get("/docs/{name:str}")
async def show_file(request: Call, name: FromPath[str]) -> Response[bytes]:
    """Show a file that the documentation consists of."""
    if name not in _FILES:
        raise Problem(problems.UNKNOWN_PATH, f"The service has no {request.url.path!r}.", "See /docs.")
    headers = {**_HEADERS, "Cache-Control": "max-age=3600"}
    return Response(_file(name), media_type=_MEDIA[name.rpartition(".")[2]], headers=headers)


@get("/favicon.ico")
async def show_icon(request: Call) -> Response[bytes]:
    """Show the icon for which browsers ask, whatever page they show."""
    headers = {"Cache-Control": "max-age=86400"}
    return Response(_file("icon.svg"), media_type=_MEDIA["svg"], headers=headers)


@get("/openapi.json")
async def show_contract(request: Call) -> Response[bytes]:
    """Show the contract."""
    contract = await asyncio.to_thread(published, request.services.library, request.services.boards)
    return Response(contract, media_type="application/json")


@get("/problems")
async def list_problems(request: Call) -> Response[bytes]:
    """List the kinds of problems."""
    rows = "\n".join(
        f'<tr><td>{kind.status}</td><td><a href="{kind.type}">{kind.slug}</a></td><td>{_html(kind.title)}</td></tr>'
        for kind in KINDS
    )
    return _page(_framed("Problems", f"<table><tr><th>status</th><th>type</th><th>title</th></tr>\n{rows}</table>"))


@get("/problems/{slug:str}")
async def show_problem(request: Call, slug: FromPath[str]) -> Response[bytes]:
    """Show what a kind of problem means, and what to do about it."""
    kind = next((kind for kind in KINDS if kind.slug == slug), None)
    if kind is None:
        raise Problem(problems.UNKNOWN_PATH, f"There is no kind of problem {slug!r}.", "GET /problems lists them.")
    return _page(problem_page(kind))


def problem_page(kind: Kind) -> bytes:
    """Return the page of a kind of problem."""
    example = json.dumps(json.loads(encode(example_of(kind))), indent=2, ensure_ascii=False)
    return _framed(
        kind.title,
        f"<p>Type <code>{kind.type}</code>, status {kind.status}.</p>\n<p>{_html(kind.meaning)}</p>\n"
        f"<h2>What to do</h2>\n<p>{_html(kind.remedy)}</p>\n<h2>Example</h2>\n<pre>{escape(example)}</pre>",
    )


def _html(text: str) -> str:
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))


def _framed(title: str, content: str) -> bytes:
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        f'<link rel="stylesheet" href="/docs/pages.css"></head>\n<body><nav>'
        f'<a href="/"><strong>Tabularium</strong></a> <a href="/docs">API</a> <a href="/problems">problems</a></nav>\n'
        f"<main><h1>{escape(title)}</h1>\n{content}</main></body></html>\n"
    ).encode()


def _page(content: bytes) -> Response[bytes]:
    return Response(content, media_type=_MEDIA["html"], headers=_HEADERS)


@lru_cache(maxsize=len(_FILES) + 2)
def _file(name: str) -> bytes:
    return resources.files("service.api.pages").joinpath("static", name).read_bytes()


ROUTES = (show_docs, show_file, show_icon, show_contract, list_problems, show_problem)
