"""How players are spoken to: what is wrong with the titles of decisions and options."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat
from domain.kernel.rules.board import Board
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.message import Names
from domain.kernel.rules.ruleset import Ruleset
from domain.kernel.rules.table import Table

WORD = re.compile(r"\b[a-z]\w*(?:[-|_]\w+)*")
"""A word in lower case; one of several parts is an id."""

TITLE = re.compile(r"[A-Z][^.;!?|_]*[^.;!?|_\s]")
"""A title begins with a capital; neither a full stop nor a question mark ends it."""

QUOTED = re.compile(r"“[^”]*”")
"""The players' own words, such as a promise."""

PLACE = r"(?<!\bin )(?<!\bof )(?<!\bto )(?<!\bfrom )(?<!\benter )"
"""Not after a word that makes a name a place: there is a Babylon on the board, and somebody plays Babylon."""

OF_THEIRS = r"(?! General| Caesar| Galley)"
"""Leaders and ships are called after their seats."""


class Questions:
    """Collects what is wrong with the titles that players get to read."""

    def __init__(self, board: Board) -> None:
        self.areas = {str(area.id) for area in board.areas}
        self.titles: set[str] = set()
        self.faults: set[str] = set()

    def hear(self, table: Any, asked: Iterable[Decision | Option], seat: Seat | None = None) -> None:
        """Judge the titles of decisions, or of what may be done by `seat`."""
        ids = {*self.areas, *(getattr(table, "seats", ()) or table.players)}
        for each in asked:
            title = QUOTED.sub("“…”", each.title.removesuffix("?"))
            self.titles.add(each.title)
            if TITLE.fullmatch(title) is None or (title == each.title) == isinstance(each, Decision):
                self.faults.add(f"A decision asks, and an option is a phrase: {each.title}")
            texts = (title, each.depends) if isinstance(each, Decision) else (title,)
            for word in (word for text in texts for word in WORD.findall(text) if word in ids or set(word) & {*"-|_"}):
                self.faults.add(f"{word!r} is an id: {' / '.join(texts)}")
            for name in each.seats if isinstance(each, Decision) else (seat,):
                if name is not None and _speaks_of(name, title):
                    self.faults.add(f"{name} is not spoken to: {title}")


def _speaks_of(seat: Seat, title: str) -> bool:
    """Tell whether a title speaks of a seat in the third person."""
    return re.search(rf"{PLACE}\b{Names({}, [seat])(seat)}\b{OF_THEIRS}", title) is not None


@contextmanager
def heard(ruleset: Ruleset[Any], board: Board) -> Iterator[Questions]:
    """Listen to all that a ruleset asks and offers."""
    questions = Questions(board)
    decisions, options = ruleset.decisions, ruleset.options

    def decided(table: Table) -> Sequence[Decision]:
        found = decisions(table)
        questions.hear(table, found)
        return found

    def offered(table: Table, seat: Seat, vault: Vault) -> list[Option]:
        found = options(table, seat, vault)
        questions.hear(table, found, seat)
        return found

    with patch.object(ruleset, "decisions", decided), patch.object(ruleset, "options", offered):
        yield questions
