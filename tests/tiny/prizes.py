"""Tiny Auction with a document beside its board: what there is to win, and where it is kept."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.board import Board
from domain.kernel.rules.catalogue import Catalogue
from domain.kernel.rules.documents import Document, documents_of
from domain.kernel.rules.loading import load
from domain.kernel.rules.message import Names
from domain.kernel.rules.papers import Line, Paper, Papers, Section
from tests.tiny.auction import Table, TinyAuction


class Prizes(Document, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The coins of the bank, the area where it keeps them, and what somebody noted of it."""

    coins: int
    kept_in: AreaId
    note: str = ""

    @property
    def remark(self) -> str:
        return f"{self.coins} coins, counted by us."


OWN = Prizes(12, AreaId("cellar"))


class PrizedAuction(TinyAuction):
    """Tiny Auction, whose bank has the coins that a document says."""

    id = "tiny-prized"
    documents: ClassVar[Mapping[str, type[Struct]]] = {"prizes": Prizes}

    @cached_property
    def catalogue(self) -> Catalogue:
        text = (Path(__file__).parent / "catalogue.toml").read_text()
        return load(text.replace("tiny-auction", self.id))

    def own_document(self, name: str) -> Struct:
        return OWN

    def faults(self, documents: Mapping[str, Any], board: Board) -> Iterable[str]:
        prizes: Prizes = documents["prizes"]
        if prizes.coins < 1:
            yield f"prizes.coins is {prizes.coins}; give at least 1"
        if all(area.id != prizes.kept_in for area in board.areas):
            yield f"prizes.kept_in: {prizes.kept_in!r} is not an area of the board"

    def words_on(self, board: Board) -> Mapping[str, str]:
        prizes: Prizes = documents_of(board)["prizes"]
        return {"bank": f"bank of {prizes.coins} coins"}

    def papers(self, board: Board, names: Names) -> Papers:
        prizes: Prizes = documents_of(board)["prizes"]
        lines = (Line(f"{prizes.coins} coins in {names(prizes.kept_in)}", "counted", prizes.note),)
        paper = Paper("bank", "The bank", (Section("What it has", lines),), "prizes")
        return Papers({"counted": "counted by us"}, {}, (paper,))

    def lay(self, seats: tuple[Seat, ...], setup: Any, board: Board) -> Table:
        table = super().lay(seats, setup, board)
        prizes: Prizes = documents_of(board)["prizes"]
        table.bank = prizes.coins
        return table


def corrected(**changes: Any) -> bytes:
    """Return the document with other fields, as JSON."""
    return msgspec.json.encode(msgspec.structs.replace(OWN, **changes))
