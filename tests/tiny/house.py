"""Tiny Auction with a house rule: what holds only under an option of the set-up."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from domain.kernel.chance.draws import Chance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.board import Board
from domain.kernel.rules.catalogue import Catalogue
from domain.kernel.rules.command import Command
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.loading import check_options, load
from domain.kernel.rules.marks import Figure, Marks, Nation, Standing, halved
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal
from tests.tiny import auction
from tests.tiny.auction import ChooseCard, OpenBidding, PutUp, Table, TinyAuction

OPTION = """
[[rule]]
id = "TA-GIV-02"
status = "house"
option = "misers"
default = false
title = "Nobody gives coins away"
text = "No seat gives coins away."
source = ["here"]
"""


class Setup(auction.Setup, frozen=True, forbid_unknown_fields=True):
    """`misers`: whether nobody gives coins away."""

    misers: bool = False


class MiserTable(Table, kw_only=True):
    static = (*Table.static, "misers")

    misers: bool


class Give(auction.Give, frozen=True):
    """Leaves the others their undo: the seat with the coins gives them, whatever else happens in the round."""

    aside: ClassVar[bool] = True


HALL = AreaId("hall")
LED = {"red": "western-buyers", "blue": "dealers"}


def _scored(standing: Standing, names: Names) -> Standing:
    points: dict[str, Figure] = {"points": halved(int(standing.figures["coins"]))}
    led = Nation(
        LED.get(standing.seat, "dealers"), points, words=f"led by {names(standing.seat)}", active=standing.active
    )
    gone = Nation("ruined", absent=True)
    return replace(standing, figures={**standing.figures, **points}, nations=(led, gone))


class House(TinyAuction):
    """A tiny auction with a house rule, names of its own, nations that the seats lead, and half a point for a coin."""

    words: ClassVar[Mapping[str, str]] = {"red": "House of Red", "western-buyers": "Western Buyers"}
    nations: ClassVar[Mapping[str, str]] = {"western-buyers": "WB", "dealers": "De", "ruined": "Ru"}
    setup: ClassVar[type[Struct]] = Setup

    @cached_property
    def catalogue(self) -> Catalogue:
        text = (Path(auction.__file__).parent / "catalogue.toml").read_text()
        found = load(text.replace('id = "TA-BID-02"', 'id = "TA-BID-02"\nstatus = "faq"') + OPTION)
        check_options(found, self.id, self.setup)
        return found

    commands = (PutUp, OpenBidding, ChooseCard, Give)
    charts: ClassVar[Mapping[str, str]] = {"points": "points"}

    def score(self, table: Table) -> Mapping[Seat, Mapping[str, Figure]]:
        return {seat: {"coins": coins, "points": halved(coins)} for seat, coins in table.coins.items()}

    def score_of_nations(self, table: Table) -> Mapping[Seat, Mapping[str, Mapping[str, Figure]]]:
        return {seat: {LED.get(seat, "dealers"): {"points": halved(coins)}} for seat, coins in table.coins.items()}

    def marks(self, view: auction.View, names: Names) -> Marks:
        marks = super().marks(view, names)
        hall = marks.places[HALL]
        stacks = tuple(replace(each, nation=LED.get(each.seat, "")) for each in hall.stacks)
        places = {**marks.places, HALL: replace(hall, owner=Seat("red"), nation="western-buyers", stacks=stacks)}
        return replace(marks, places=places, standings=tuple(_scored(each, names) for each in marks.standings))

    def lay(self, seats: tuple[Seat, ...], setup: Any, board: Board) -> Table:
        bare = super().lay(seats, setup, board)
        given = {name: getattr(bare, name) for name in bare.__struct_fields__}
        return MiserTable(**given, misers=getattr(setup, "misers", False))

    def decide(
        self, table: Table, seat: Seat, command: Command[Table], chance: Chance, vault: Vault, draws: int = 0
    ) -> Draft[Table]:
        if isinstance(command, Give) and isinstance(table, MiserTable) and table.misers:
            raise Refusal("TA-GIV-02", "Coins were given.", "Keep them.")
        return super().decide(table, seat, command, chance, vault, draws)
