"""The guides of the repository as pages: rendered from Markdown, with links that lead from page to page."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape
from itertools import count, pairwise
from pathlib import Path
from posixpath import dirname, normpath
from typing import Final
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from msgspec import Struct

GUIDES: Final[Mapping[str, str]] = {
    "overview": "README.md",
    "client": "openapi/README.md",
    "python": "openapi/python/README.md",
    "typescript": "openapi/typescript/README.md",
    "examples": "openapi/examples/README.md",
    "rulesets": "domain/README.md",
    "architecture": "service/README.md",
    "operating": "deploy/README.md",
    "testing": "tests/README.md",
    "verification": "openapi/verification.md",
    "disputes": "openapi/disputes.md",
    "vanished": "openapi/vanished.md",
    "tournaments": "openapi/tournaments.md",
    "webhooks": "openapi/webhooks.md",
    "oauth": "openapi/oauth.md",
    "data": "openapi/data.md",
    "changes": "openapi/CHANGELOG.md",
}
"""Where each guide is in the repository, by its name under /docs/guides."""

_ROOTS: Final = (Path(__file__).parent / "guides", Path(__file__).parents[3])
"""Where files of the repository are: some beside this module when the package is installed, all in a checkout."""

_PAGES: Final = {
    **{path: f"/docs/guides/{name}" for name, path in GUIDES.items()},
    **{dirname(path): f"/docs/guides/{name}" for name, path in GUIDES.items() if path.endswith("/README.md")},
    "openapi/openapi.json": "/openapi.json",
    "openapi/asyncapi.json": "/asyncapi.json",
}
_HERE: Final = ("http://127.0.0.1:8000/", "http://localhost:8000/")
"""The addresses of a service in the guides. Links to them lead to this service."""
_PICTURES: Final = (".png", ".svg", ".webp")
_ABSOLUTE: Final = re.compile(r"[a-z][a-z0-9+.-]*:|/", re.IGNORECASE)


class Heading(Struct, frozen=True):
    """A heading of a guide, to link to."""

    level: int
    title: str
    slug: str


class Guide(Struct, frozen=True):
    """A guide as it is shown; `pictures` are the paths in the repository of those that it embeds."""

    name: str
    title: str
    summary: str
    content: str
    headings: tuple[Heading, ...]
    pictures: frozenset[str]


@lru_cache(maxsize=1)
def guides() -> Mapping[str, Guide]:
    """Return the guides that this installation has, by name."""
    return {name: guide(name, text) for name, path in GUIDES.items() if (text := _text(path)) is not None}


def guide(name: str, text: str) -> Guide:
    """Render a guide."""
    tokens = _MARKDOWN.parse(text)
    headings = tuple(_headings(tokens))
    pictures = frozenset(_relocated(tokens, GUIDES[name]))
    title = next((each.title for each in headings if each.level == 1), name.capitalize())
    content: str = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    return Guide(name, title, _summary(tokens), content, headings, pictures)


def picture(path: str) -> bytes | None:
    """Return a picture that a guide embeds; None when no guide does, or it is not there."""
    if not any(path in each.pictures for each in guides().values()):
        return None
    place = _find(path)
    return place.read_bytes() if place else None


def _text(path: str) -> str | None:
    place = _find(path)
    return place.read_text("utf-8") if place else None


def _find(path: str) -> Path | None:
    return next((root / path for root in _ROOTS if (root / path).is_file()), None)


def _headings(tokens: Sequence[Token]) -> Iterator[Heading]:
    """Give each heading the id that GitHub gives it, so that links to parts of a guide work in both places."""
    slugs: set[str] = set()
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            title = _plain(inline)
            slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            slug = next(each for number in count() if (each := f"{slug}-{number}" if number else slug) not in slugs)
            slugs.add(slug)
            opening.attrSet("id", slug)
            yield Heading(int(opening.tag[1:]), title, slug)


def _summary(tokens: Sequence[Token]) -> str:
    """Return the first sentence of the first paragraph that has words."""
    for opening, inline in pairwise(tokens):
        if opening.type == "paragraph_open" and (words := _plain(inline).strip()):
            return re.split(r"(?<=[.!?:])\s", words, maxsplit=1)[0].rstrip(":")
    return ""


def _plain(inline: Token) -> str:
    return "".join(
        " " if each.type == "softbreak" else each.content
        for each in inline.children or ()
        if each.type in ("text", "code_inline", "softbreak")
    )


def _relocated(tokens: Sequence[Token], path: str) -> Iterator[str]:
    """Point links and pictures to pages of this service. Yields the paths of the pictures."""
    for inline in tokens:
        leaving: list[Token] = []
        for token in inline.children or ():
            if token.type == "image" and not _ABSOLUTE.match(source := str(token.attrGet("src"))):
                if (source_file := _resolved(path, source)).endswith(_PICTURES):
                    token.attrSet("src", f"/docs/pictures/{source_file}")
                    yield source_file
            elif token.type == "link_open":
                leaving.append(token)
                target = _target(path, str(token.attrGet("href")))
                if target is None:
                    # Only the repository has this file: keep the words without a link.
                    token.tag, token.attrs = "span", {}
                else:
                    token.attrSet("href", target)
            elif token.type == "link_close":
                token.tag = leaving.pop().tag


def _target(path: str, href: str) -> str | None:
    """Return where a link of the guide at `path` leads here; None for a file that only the repository has."""
    for here in _HERE:
        if href.startswith(here):
            return "/" + href.removeprefix(here)
    if href.startswith("#") or _ABSOLUTE.match(href):
        return href
    file, mark, part = href.partition("#")
    page = _PAGES.get(_resolved(path, file))
    return page and page + mark + part


def _resolved(path: str, relative: str) -> str:
    return normpath(f"{dirname(path) or '.'}/{unquote(relative)}")


def _code(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    # Let the keyboard scroll it.
    return f'<pre tabindex="0"><code>{escape(tokens[at].content, quote=False)}</code></pre>\n'


def _table(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    return '<div class="wide" tabindex="0"><table>\n'


def _table_end(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    return "</table></div>\n"


def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    for kind, rule in (("fence", _code), ("code_block", _code), ("table_open", _table), ("table_close", _table_end)):
        markdown.add_render_rule(kind, rule)
    return markdown


_MARKDOWN: Final = _markdown()
