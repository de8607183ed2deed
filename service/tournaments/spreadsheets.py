"""Standings and crosstables as CSV (RFC 4180), for spreadsheets."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from domain.kernel.ids import PlayerId
from domain.tournament.crosstable import Line
from domain.tournament.standings import Standing
from domain.tournament.tournament import Tournament

CSV: Final = "text/csv"

PLACES: Final = 6
"""The most digits after the point. A fraction like 1/2 would become a date in a spreadsheet. The JSON is exact."""

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "'")
"""The first characters by which a spreadsheet recognizes a formula."""


def standings_csv(tournament: Tournament, lines: Iterable[Standing], names: Mapping[PlayerId, str]) -> bytes:
    """Return the standings: a row of headings, then a row for each player."""
    breaks = tournament.regulations.tie_breaks
    rows = (
        (
            *(each.place, each.player, names.get(each.player, ""), number(each.points), each.played),
            *(" ".join(map(number, value)) for value in each.values),
            *(each.above or "", "yes" if each.provisional else "no"),
        )
        for each in lines
    )
    return written(("place", "player", "name", "points", "played", *breaks, "above", "provisional"), rows)


def crosstable_csv(tournament: Tournament, lines: Iterable[Line], names: Mapping[PlayerId, str]) -> bytes:
    """Return the crosstable: a row for each player, with three columns for each published round."""
    rounds = [each.number for each in tournament.field.played]
    headings = [f"round {each} {what}" for each in rounds for what in ("table", "place", "points")]
    rows = list[Sequence[object]]()
    for line in lines:
        cells = {cell.round: cell for cell in line.cells}
        row: list[object] = [line.place, line.player, names.get(line.player, ""), number(line.points)]
        for each in rounds:
            cell = cells.get(each)
            earned = cell.points if cell is not None else None
            table = (cell.table or "bye") if cell is not None else ""
            place = (cell.place or "") if cell is not None else ""
            row += [table, place, number(earned) if earned is not None else ""]
        rows.append(row)
    return written(("place", "player", "name", "points", *headings), rows)


def number(value: Fraction) -> str:
    """Return a number as a decimal, as short as possible."""
    scaled = round(abs(value) * 10**PLACES)
    whole, rest = divmod(scaled, 10**PLACES)
    digits = f"{rest:0{PLACES}}".rstrip("0")
    return f"{'-' if value < 0 else ''}{whole}{f'.{digits}' if digits else ''}"


def written(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Return rows as CSV, with headings. All begin with place, player and name."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(headings)
    for place, player, name, *rest in rows:
        writer.writerow((place, player, _shielded(str(name)), *rest))
    return text.getvalue().encode()


def _shielded(text: str) -> str:
    """Return a text with an apostrophe before it if a spreadsheet could take it for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text
