"""Queries and answers of the endpoints for dumps."""

from typing import Annotated

from msgspec import Meta, Struct

from service.api.bodies import Identifier, Listed, Page
from service.dumps.index import Content, DumpSet, Signed


class DumpQuery(Page, frozen=True, forbid_unknown_fields=True):
    """Which dumps to list.

    Attributes:
        ruleset: only those of a ruleset.
        month: only those of a month, such as `2026-10`.
    """

    ruleset: Identifier | None = None
    month: Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}$", description="a month such as 2026-10")] | None = None


class DumpFileView(Struct, frozen=True):
    """A file of a dump.

    Attributes:
        name: its name.
        content: `exports` as JSON Lines, their `certificates`, or the name of a table in Parquet.
        rows: how many exports, certificates or rows of the table it has.
        bytes: its size.
        sha256: its SHA-256, in hex.
        url: its address.
    """

    name: str
    content: Content
    rows: int
    bytes: int
    sha256: str
    url: str


class DumpView(Struct, frozen=True):
    """The finished public games of a ruleset that ended in a month.

    Attributes:
        ruleset: the ruleset.
        month: the month in UTC, such as `2026-10`.
        games: how many games it has.
        events: how many events these have.
        licence: the licence of the data, an SPDX id.
        checkpoint: the checkpoint that covers its games; null where the service signs none.
        files: its files.
    """

    ruleset: str
    month: str
    games: int
    events: int
    licence: str
    checkpoint: Signed | None
    files: tuple[DumpFileView, ...]


class DumpPage(Listed[DumpView], frozen=True):
    """A page of dumps, the newest month first."""


def dump_view(of: DumpSet) -> DumpView:
    """Return a set as it is listed."""
    files = tuple(
        DumpFileView(each.name, each.content, each.rows, each.bytes, each.sha256, f"/v1/dumps/{each.name}")
        for each in of.files
    )
    return DumpView(of.ruleset, of.month, of.games, of.events, of.licence, of.checkpoint, files)
