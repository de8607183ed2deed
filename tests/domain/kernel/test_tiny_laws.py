"""The tiny game keeps the laws: the laws' own test, and the kernel's."""

from collections.abc import Mapping

from tests.helpers.laws.laws import Laws
from tests.tiny.auction import ROOM, Table, TinyAuction
from tests.tiny.house import House
from tests.tiny.showing import Showing


class TestTinyLaws(Laws):
    ruleset, board = TinyAuction(), ROOM
    seeds, draw = range(12), 3

    def pieces(self, table: Table) -> Mapping[str, int]:
        return {"coins": table.bank + table.prize + sum(table.coins.values()), "cards": table.cards}


class TestHouseLaws(TestTinyLaws):
    """Coins are given aside: that leaves the others their undo."""

    ruleset = House()


class TestShowingLaws(TestTinyLaws):
    ruleset = Showing()
    seeds = range(6)
