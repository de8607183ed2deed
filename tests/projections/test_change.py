"""Changes that are said once come to the same as those said one by one, and what the library says of projections."""

import sqlite3
from collections.abc import Iterable
from functools import partial
from importlib import import_module
from pkgutil import iter_modules

from hypothesis import given
from hypothesis import strategies as st

import projections
from projections import sql
from projections.change import Add, Amend, Change, Changes, Compute, Drop, Make, Put, Table, Trim
from projections.library import COUNTED, PROJECTIONS
from projections.projection import Projection

PLAIN = Table("plain", {"a": "text", "b": "number"}, {"x": "number", "y": "number"}, (("x",),))
COUNT = Table("count", {"a": "text"}, {"n": "number"})

letters = st.sampled_from("pqr")
numbers = st.integers(0, 3)
values = st.one_of(
    st.builds(lambda x, y: {"x": x, "y": y}, numbers, numbers),
    st.builds(lambda x: {"x": x}, numbers),
)
changes = st.one_of(
    st.builds(lambda a, b, x, y: Put(PLAIN, {"a": a, "b": b}, {"x": x, "y": y}), letters, numbers, numbers, numbers),
    st.builds(lambda a, n: Add(COUNT, {"a": a}, {"n": n}), letters, numbers),
    st.builds(lambda a, n: Put(COUNT, {"a": a}, {"n": n}), letters, numbers),
    st.builds(lambda a, b, x, y: Make(PLAIN, {"a": a, "b": b}, {"x": x, "y": y}), letters, numbers, numbers, numbers),
    st.builds(lambda a, n: Compute(COUNT, {"a": a}, lambda: {"n": n}), letters, numbers),
    st.builds(lambda a, n: Make(COUNT, {"a": a}, {"n": n}), letters, numbers),
    st.builds(lambda a, b, v: Amend(PLAIN, {"a": a, "b": b}, v), letters, numbers, values),
    st.builds(lambda a, v: Amend(PLAIN, {"a": a}, v), letters, values),
    st.builds(lambda a: Drop(PLAIN, {"a": a}), letters),
    st.builds(lambda a, b: Drop(PLAIN, {"a": a}, ("b", b)), letters, numbers),
    st.builds(lambda a: Drop(COUNT, {"a": a}), letters),
    st.builds(lambda a, most: Trim(PLAIN, {"a": a}, ("x",), ("y", "b"), most), letters, numbers),
    st.builds(lambda n, most: Trim(COUNT, {"n": n}, ("n",), ("a",), most), numbers, numbers),
)


def made(wanted: list[Change], *, batched: bool = False) -> list[list[tuple]]:
    connection = sqlite3.connect(":memory:")
    for table in (PLAIN, COUNT):
        for statement in sql.create("test", 1, table):
            connection.execute(statement)
    for changes in (Changes(wanted),) if batched else map(Changes, zip(wanted)):
        for text, executions in sql.batches("test", 1, changes):
            connection.executemany(text, executions)
    return [sorted(connection.execute(f"SELECT * FROM test_1_{table.name}")) for table in (PLAIN, COUNT)]


def executions(wanted: Iterable[Change]) -> list[int]:
    """Return how often each statement of a batch is executed."""
    return [len(each) for _, each in sql.batches("test", 1, Changes(wanted))]


@given(st.lists(changes, max_size=30))
def test_changes_made_in_batches_come_to_the_same(wanted: list[Change]) -> None:
    assert sum(executions(wanted)) <= len(wanted)
    assert made(wanted, batched=True) == made(wanted)


def test_changes_of_different_rows_come_into_one_statement() -> None:
    rows = [Amend(PLAIN, {"a": a, "b": b}, {"x": 1}) for a in "pqr" for b in range(3)]
    counts = [Add(COUNT, {"a": a}, {"n": 1}) for a in "pqr"]
    mixed = [change for pair in zip(rows, counts * 3, strict=True) for change in pair]
    assert executions(mixed) == [9, 3]


def test_a_row_that_changes_with_every_event_is_written_once() -> None:
    amended = Changes(Amend(COUNT, {"a": "p"}, {"n": number}) for number in range(100))
    assert [values for _, values in sql.batches("test", 1, amended)] == [[(99, "p")]]


def test_a_row_that_is_there_is_not_made_again() -> None:
    makes = [Make(COUNT, {"a": "p"}, {"n": n}) for n in (3, 1, 2)]
    assert made(list[Change](makes)) == [[], [("p", 3)]]
    assert [values for _, values in sql.batches("test", 1, Changes(makes))] == [[("p", 3)]]


def test_a_row_that_was_made_is_not_made_again_until_rows_may_have_been_deleted() -> None:
    make = Make(COUNT, {"a": "p"}, {"n": 1})
    known = Changes([make])
    known.settle()
    known.extend([make])
    assert not known.tables
    known.extend([Trim(COUNT, {"n": 1}, ("n",), ("a",), 0), make])
    assert [len(values) for _, values in sql.batches("test", 1, known)] == [1, 1]


def test_values_that_are_replaced_are_never_computed() -> None:
    computed: list[int] = []

    def values(n: int) -> dict[str, int]:
        computed.append(n)
        return {"n": n}

    last = Changes(Compute(COUNT, {"a": "p"}, partial(values, n)) for n in range(9))
    assert [values for _, values in sql.batches("test", 1, last)] == [[("p", 8)]]
    assert computed == [8]


def test_the_first_rows_of_each_group_stay() -> None:
    # x is the group; y, then b, is the order.
    kept = [("p", 1, 1, 2), ("p", 2, 1, 2), ("p", 3, 2, 0), ("q", 0, 1, 0)]
    more = [("p", 0, 1, 2), ("p", 4, 1, 1)]
    rows = [Put(PLAIN, {"a": a, "b": b}, {"x": x, "y": y}) for a, b, x, y in (*more, *kept)]
    assert made([*rows, Trim(PLAIN, {"a": "p"}, ("a", "x"), ("y", "b"), 2)])[0] == kept


def test_placeholders_are_numbered_for_postgresql() -> None:
    assert sql.numbered("a = ? AND b = ?") == "a = $1 AND b = $2"


def test_every_projection_is_kept() -> None:
    for module in iter_modules(projections.__path__, "projections."):
        for name, each in vars(import_module(module.name)).items():
            if isinstance(each, Projection):
                where = "PROJECTIONS in projections/library.py"
                assert each in (*PROJECTIONS, *COUNTED), f"add {name} of {module.name} to {where}"


def test_names_of_projections_and_tables_need_no_quotes() -> None:
    names = [projection.name for projection in (*PROJECTIONS, *COUNTED)]
    assert len(set(names)) == len(names)
    for projection in (*PROJECTIONS, *COUNTED):
        for name in (projection.name, *(table.name for table in projection.tables)):
            assert name.isascii()
            assert name.isalpha()
            assert name.islower()
