"""The players, rounds, tables and penalties of a tournament: all that draws and standings follow from."""

from collections.abc import Iterator
from typing import Literal

import msgspec
from msgspec import Struct

from domain.kernel.ids import GameId, PlayerId
from domain.kernel.log.ending import How
from domain.tournament.draw import Draw
from domain.tournament.events import Order, Sort
from domain.tournament.regulations import Regulations


class Entrant(Struct, frozen=True):
    """Somebody who entered.

    Attributes:
        club: the club that they named.
        checked_in: the last round for which they checked in; 0 when they never did.
        entropy: what they added to the lots at their last check-in.
        out: whether they withdrew, were dropped or were excluded: they are not drawn any more.
    """

    player: PlayerId
    club: str | None = None
    checked_in: int = 0
    entropy: str = ""
    out: bool = False


class Result(Struct, frozen=True):
    """The result of a table.

    Attributes:
        order: how its players finished, the first first; those who tie stand together.
        how: how the game ended; `overruled` when a director gave the result.
        left: players who had left their seats at the end.
        at: when it was taken from the game, or given by a director.
        confirmed: whether it counts.
    """

    order: Order
    how: How | Literal["overruled"]
    left: tuple[PlayerId, ...]
    at: str
    confirmed: bool = False


class Table(Struct, frozen=True):
    """A table of a round.

    Attributes:
        number: its number in the round, from 1.
        players: who sits there, in the order of the seats.
        game: its game; None until it was created.
        opened: when its game was created; empty before.
        result: None until there is one.
        substitutes: pairs of a replaced player and their substitute, the first first.
    """

    number: int
    players: tuple[PlayerId, ...]
    game: GameId | None = None
    opened: str = ""
    result: Result | None = None
    substitutes: tuple[tuple[PlayerId, PlayerId], ...] = ()

    @property
    def away(self) -> tuple[PlayerId, ...]:
        """The players who were replaced by a substitute."""
        return tuple(player for player, _ in self.substitutes)

    def earners(self, regulations: Regulations) -> tuple[PlayerId, ...]:
        """Return the players who get the points of the table, in the order of the seats (TAB-TRN-13)."""
        return tuple(self.earner(player, regulations) for player in self.players)

    def earner(self, player: PlayerId, regulations: Regulations) -> PlayerId:
        """Return who gets the points of a player: that player, or the one whom they replaced."""
        if regulations.points_of_substitutes == "replaced":
            for replaced, substitute in reversed(self.substitutes):
                player = replaced if player == substitute else player
        return player

    def seated_for(self, player: PlayerId) -> PlayerId:
        """Return who has the place of a player of the table: that player, or their last substitute."""
        for replaced, substitute in self.substitutes:
            player = substitute if player == replaced else player
        return player


class Round(Struct, frozen=True):
    """A round whose lots were drawn.

    Attributes:
        number: 1, 2, 3 …, cancelled rounds included.
        secret: the secret of its lots, in hex.
        present: who plays it, in the order of the lots.
        drafts: the tables that were drawn, one draft after another.
        status: `drawn` until its tables are published, or `cancelled`.
    """

    number: int
    secret: str
    present: tuple[PlayerId, ...]
    drafts: tuple[Draw, ...] = ()
    status: Literal["drawn", "published", "cancelled"] = "drawn"
    tables: tuple[Table, ...] = ()
    byes: tuple[PlayerId, ...] = ()

    def seats(self, player: PlayerId, regulations: Regulations) -> bool:
        """Tell whether a player has a bye in the round, or gets the points of a seat at one of its tables."""
        return player in self.byes or any(player in each.earners(regulations) for each in self.tables)

    def table(self, number: int) -> Table | None:
        """Return the table with a number; None when there is none."""
        return self.tables[number - 1] if 1 <= number <= len(self.tables) else None

    def with_table(self, table: Table) -> "Round":
        """Return the round with a table changed."""
        tables = (table if each.number == table.number else each for each in self.tables)
        return msgspec.structs.replace(self, tables=tuple(tables))

    @property
    def waiting(self) -> tuple[Table, ...]:
        """The tables whose results do not count yet."""
        return tuple(each for each in self.tables if each.result is None or not each.result.confirmed)


class Penalty(Struct, frozen=True):
    """A penalty. `round` is the number of the last round whose lots had been drawn; 0 before the first."""

    player: PlayerId
    sort: Sort
    points: int
    reason: str
    round: int
    at: str


class Field(Struct, frozen=True):
    """All that the draw and the standings of a tournament follow from.

    Attributes:
        entrants: everybody who ever entered, in that order.
        rounds: every round whose lots were drawn, by its number.
    """

    regulations: Regulations
    entrants: dict[PlayerId, Entrant]
    rounds: dict[int, Round]
    penalties: tuple[Penalty, ...]

    @property
    def played(self) -> list[Round]:
        """The rounds that were published and not cancelled, in their order."""
        return [each for each in self.rounds.values() if each.status == "published"]

    @property
    def current(self) -> Round | None:
        """The last round whose lots were drawn; None before the first, or when that one was cancelled."""
        last = self.rounds.get(len(self.rounds))
        return last if last is not None and last.status != "cancelled" else None

    @property
    def results(self) -> Iterator[tuple[Table, Result]]:
        """The tables that have a result, whether it counts yet or not, in their order."""
        for each in self.played:
            yield from ((table, table.result) for table in each.tables if table.result is not None)
