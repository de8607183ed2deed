"""The guide to the data: its questions are run, and answer what other code answers; it has every column."""

import re
import shutil
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median
from typing import Any, Final

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from domain.kernel.log.ending import order_of
from domain.kernel.proof import reading
from domain.library import LIBRARY
from projections.fairness import fairness
from service.dumps.pieces import arrow
from service.dumps.tables import TABLES
from tests.service.dumps.conftest import chosen

GUIDE: Final = (Path(__file__).parents[3] / "openapi" / "data.md").read_text()
Row = dict[str, Any]


def block(title: str) -> str:
    """Return the code that follows a text in the guide."""
    found = re.search(r"```(?:python|sql)\n(.*?)```", GUIDE[GUIDE.index(title) :], re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def here(dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files, in which the code of the guide runs; the service has refused something."""
    for each in dumps.glob("*.parquet"):
        shutil.copy(each, tmp_path)
    for month, times in (("2026-01", 5), ("2026-02", 8)):
        at = f"{month}-28T00:00:00.000000Z"
        counted = [
            ("mare-nostrum", rule, None, count, 4000, at) for rule, count in (("MN-TRD-02", times), ("MN-TRD-01", 1))
        ]
        pq.write_table(arrow("refusals", counted), tmp_path / f"mare-nostrum-{month}.refusals.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked(title: str) -> list[Row]:
    """Return what the code of the guide answers."""
    code = block(title)
    if code.startswith(("WITH", "SELECT")):
        with duckdb.connect() as database:
            answer = database.sql(code)
            return [dict(zip(answer.columns, row, strict=True)) for row in answer.fetchall()]
    names: dict[str, Any] = {"print": lambda *_: None}
    exec(code, names)
    answer = names.get("answer")
    return answer.to_dicts() if isinstance(answer, pl.DataFrame) else []


def test_the_dice_are_tested_as_the_service_tests_them(here: Path) -> None:
    counted: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    of = {row["game"]: row["ruleset"] for row in _rows(here, "games")}
    for row in _rows(here, "rolls"):
        counted[of[row["game"]], row["die"]][row["face"]] += 1
    expected: dict[tuple[str, str], tuple[int, float, int]] = {}
    for (ruleset, die), faces in counted.items():
        sides = Counter(LIBRARY.current(ruleset).dice[die])
        test = fairness([faces[face] for face in sides], [*sides.values()])
        if test is not None:
            expected[ruleset, die] = (faces.total(), test.chi_square, test.degrees)
    found = asked("**Are the dice fair?**")
    assert {(row["ruleset"], row["die"]): (row["rolled"], row["chi"], row["degrees"]) for row in found} == {
        die: (rolled, pytest.approx(chi), degrees) for die, (rolled, chi, degrees) in expected.items()
    }
    assert len(found) > 0
    assert all(abs(row["z"]) < 5 for row in found)


def test_the_first_seat_wins_as_often_as_the_games_say(here: Path) -> None:
    wins: defaultdict[tuple[str, int], list[bool]] = defaultdict(list)
    for each in chosen():
        game = reading.read(each.lines()).fold(LIBRARY)
        first = next(iter(game.players))
        wins[game.ruleset.id, len(game.players)].append(first in order_of(game)[0])
    found = asked("**How often does the first seat win?**")
    assert {(row["ruleset"], row["seats"]): (row["games"], row["wins"]) for row in found} == {
        key: (len(won), sum(won)) for key, won in wins.items()
    }
    for row in found:
        assert 0 <= row["low"] <= row["wins"] / row["games"] <= row["high"] <= 1
    # Of one game that was lost or won, Wilson's interval ends z² / (1 + z²) from there.
    assert {round(row["high"] - row["low"], 3) for row in found if row["games"] == 1} == {0.793}


def test_a_later_ruling_replaces_the_end(here: Path) -> None:
    before = {row["ruleset"]: row["wins"] for row in asked("**How often does the first seat win?**")}
    table = pq.read_table(next(here.glob("mare*results.parquet")))
    rows = [
        row | {"at": row["at"].replace(year=2027), "by": "ruling", "won": row["number"] == 1, "place": 1}
        for row in table.to_pylist()
    ]
    pq.write_table(pa.Table.from_pylist(rows, table.schema), here / "mare-nostrum-2027-01.results.parquet")
    after = {row["ruleset"]: row["wins"] for row in asked("**How often does the first seat win?**")}
    assert after == before | {"mare-nostrum": 1}


def test_the_rule_that_is_broken_most_comes_first_by_the_newest_count(here: Path) -> None:
    assert [
        (row["rule"], row["refusals"], row["of_1000_commands"]) for row in asked("**Which rule is broken most?**")
    ] == [
        ("MN-TRD-02", 8, 2.0),
        ("MN-TRD-01", 1, 0.25),
    ]


def test_the_length_of_games_is_their_median(here: Path) -> None:
    games = _rows(here, "games")
    for row in asked("**How long is a game?**"):
        mine = [each for each in games if (each["ruleset"], each["seats"]) == (row["ruleset"], row["seats"])]
        assert (row["games"], row["commands"]) == (len(mine), median(each["commands"] for each in mine))
        longest = max((each["ended"] - each["began"]).total_seconds() for each in mine)
        assert row["longest"] == pytest.approx(longest / 3600)


def test_the_rows_make_the_chain_and_a_changed_row_does_not(here: Path) -> None:
    asked("The rows of `events` make the hash chain")
    file = next(here.glob("mare*.events.parquet"))
    table = pq.read_table(file)
    rows = table.to_pylist()
    rows[7]["draws"] += 1
    pq.write_table(pa.Table.from_pylist(rows, table.schema), file)
    with pytest.raises(AssertionError):
        asked("The rows of `events` make the hash chain")


def test_the_guide_has_every_column() -> None:
    for table, columns in TABLES.items():
        part = GUIDE.partition(f"\n### {table}\n")[2].partition("\n### ")[0]
        told = re.findall(r"^\| `(\w+)` \| ([\w ]+) \| (.+) \|$", part, re.MULTILINE)
        assert told == [(column.name, column.kind, column.meaning) for column in columns]


def _rows(folder: Path, table: str) -> list[Row]:
    return [row for each in sorted(folder.glob(f"*.{table}.parquet")) for row in pq.read_table(each).to_pylist()]
