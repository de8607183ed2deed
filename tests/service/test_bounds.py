"""Every list that a client can make longer has a bound and a cost in the README, and the code has the same bound."""

import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from importlib import import_module
from pathlib import Path

import pytest

from service.store.postgres.migrations import packaged
from service.store.sqlite.schema import script

README = Path(__file__).parents[2] / "service" / "README.md"
OF_POSTGRES = {"heads", "chances", "snapshots", "books", "log", "moved", "moves", "unfilled"}
"""Tables of PostgreSQL that are parts of others in SQLite, lie in a file of their own there, or replace another."""


def rows() -> list[list[str]]:
    part = README.read_text().partition("## What clients can make longer")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


@pytest.mark.parametrize("row", [row for row in rows() if row[2]], ids=lambda row: row[0])
def test_a_bound_is_the_one_in_the_code(row: list[str]) -> None:
    module, _, name = row[2].strip("`").partition(":")
    first, _, rest = name.partition(".")
    value = getattr(import_module(module), first)
    if rest:
        value = value[rest] if isinstance(value, Mapping) else getattr(value(), rest)
    found = re.search(r"[\d,]*\d", row[1])
    assert found is not None
    assert value == int(found[0].replace(",", ""))


def test_every_row_says_what_bounds_it_and_what_it_costs() -> None:
    assert all(len(row) == 5 and row[0] and row[1] and row[3] and row[4] for row in rows())


def test_every_table_of_the_stores_belongs_to_a_list() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script(0))
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    named = {table for row in rows() for table in re.findall(r"\w+", row[3])}
    assert named == tables - {"sqlite_sequence"}
    made = set(re.findall(r"CREATE TABLE tabularium\.(\w+) \(", " ".join(each.sql for each in packaged())))
    assert made - OF_POSTGRES == named
