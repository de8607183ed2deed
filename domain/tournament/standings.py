"""Points, tie-breaks and who stands above whom (TAB-TRN-20, TAB-TRN-21). Numbers are fractions, never floats."""

from collections.abc import Callable, Collection, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Final, NamedTuple

from msgspec import Struct

from domain.kernel.ids import PlayerId
from domain.tournament.events import Order
from domain.tournament.field import Field, Result, Table
from domain.tournament.regulations import TieBreak

Value = tuple[Fraction, ...]
"""What a tie-break counts for a player; of two, the greater is better."""


class Standing(Struct, frozen=True):
    """Where a player stands.

    Attributes:
        place: 1 for the first; players who tie have the same place.
        points: what they have earned, less penalties.
        played: how many of their tables have a result.
        values: what each tie-break counts for them, in the order of the regulations.
        above: what puts them above the next player: `points` or a tie-break; None when they tie, or for the last one.
        provisional: whether a result that does not count yet is in it.
    """

    place: int
    player: PlayerId
    points: Fraction
    played: int
    values: tuple[Value, ...]
    above: str | None
    provisional: bool


class Seated(NamedTuple):
    """A player at a table that has a result."""

    player: PlayerId
    table: Table
    result: Result
    place: int
    """How many of the table finished before them."""
    points: Fraction


def scored(result: Result, agreed_ties: bool) -> Order:
    """Return the order that is scored: who left is last, and an agreed end is a tie where the regulations say so.

    Source: TAB-TRN-20.
    """
    if result.how == "abandoned" or (result.how == "agreed" and agreed_ties):
        return (tuple(player for tied in result.order for player in tied),)
    stayed = (tuple(player for player in tied if player not in result.left) for tied in result.order)
    return (*filter(None, stayed), *filter(None, (result.left,)))


class Scores:
    """What players of a tournament have earned so far, and what its tie-breaks count for them."""

    def __init__(self, field: Field) -> None:
        self.field = field
        self.seated: dict[PlayerId, list[Seated]] = {player: [] for player in field.entrants}
        for table, _ in field.results:
            for each in self.earned(table):
                self.seated[each.player].append(each)
        self.byes: dict[PlayerId, int] = dict.fromkeys(field.entrants, 0)
        for each in field.played:
            for player in each.byes:
                self.byes[player] += 1
        self.points: dict[PlayerId, Fraction] = {player: self._total(player) for player in field.entrants}

    def earned(self, table: Table) -> Iterator[Seated]:
        """Yield the players of a table with what they earned there; nothing while it has no result."""
        if (result := table.result) is None:
            return
        regulations, place = self.field.regulations, 0
        for tied in scored(result, regulations.agreed == "tied"):
            points = regulations.shared(len(table.players), place, len(tied))
            yield from (Seated(player, table, result, place, points) for player in tied)
            place += len(tied)

    def _total(self, player: PlayerId) -> Fraction:
        earned = sum((each.points for each in self.seated[player]), Fraction(0))
        return earned + self.byes[player] * self.field.regulations.bye - self.taken(player)

    def taken(self, player: PlayerId) -> int:
        """Return the points that penalties took from a player."""
        return sum(each.points for each in self.field.penalties if each.player == player)

    # --- tie-breaks ---

    def wins(self, player: PlayerId, tied: Collection[PlayerId]) -> Value:
        """How many tables they won alone."""
        alone = (each for each in self.seated[player] if each.place == 0 and self._is_alone(each))
        return (Fraction(sum(1 for _ in alone)),)

    def _is_alone(self, seated: Seated) -> bool:
        return len(scored(seated.result, self.field.regulations.agreed == "tied")[0]) == 1

    def places(self, player: PlayerId, tied: Collection[PlayerId]) -> Value:
        """How often they were first, then how often second, and so on, shared places included."""
        most = max(self.field.regulations.sizes)
        reached = [each.place for each in self.seated[player]]
        return tuple(Fraction(reached.count(place)) for place in range(most))

    def meetings(self, player: PlayerId, tied: Collection[PlayerId]) -> Value:
        """The points that they earned at tables with others with whom they tie."""
        others = set(tied) - {player}
        met = (each.points for each in self.seated[player] if others.intersection(each.table.players))
        return (sum(met, Fraction(0)),)

    def opponents(self, player: PlayerId, tied: Collection[PlayerId]) -> Value:
        """The mean of the points of all whom they met, each as often as they met; a bye counts as their own points."""
        counted = [
            self.points[other] for each in self.seated[player] for other in each.table.players if other != player
        ]
        counted += [self.points[player]] * self.byes[player]
        return (sum(counted, Fraction(0)) / len(counted) if counted else Fraction(0),)

    def penalties(self, player: PlayerId, tied: Collection[PlayerId]) -> Value:
        """Fewer penalties, words of caution left aside."""
        return (Fraction(-sum(each.player == player and each.sort != "caution" for each in self.field.penalties)),)

    def lot(self, player: PlayerId, tied: Collection[PlayerId]) -> Value:
        """Who had the better lot in the last round; who did not play it comes after those who did."""
        lots = self._lots
        return (Fraction(-lots[player] if player in lots else -len(lots)),)

    @cached_property
    def _lots(self) -> Mapping[PlayerId, int]:
        last = self.field.played[-1:]
        return {player: place for each in last for place, player in enumerate(each.present)}


Counted = Callable[[Scores, PlayerId, Collection[PlayerId]], Value]

TIE_BREAKS: Final[Mapping[TieBreak, Counted]] = {
    "wins": Scores.wins,
    "places": Scores.places,
    "meetings": Scores.meetings,
    "opponents": Scores.opponents,
    "penalties": Scores.penalties,
    "lot": Scores.lot,
}


def standings(field: Field) -> list[Standing]:
    """Return where everybody stands, the first first. Those who tie to the end stand in the order of their entries.

    Source: TAB-TRN-21.
    """
    scores = Scores(field)
    values: dict[PlayerId, list[Value]] = {player: [(points,)] for player, points in scores.points.items()}
    order = _ranked(list(scores.points), values)
    for name in field.regulations.tie_breaks:
        for tied in order:
            for player in tied:
                values[player].append(TIE_BREAKS[name](scores, player, tied))
        order = [group for tied in order for group in _ranked(tied, values)]
    return list(_lines(field, scores, order, values))


def _ranked(tied: list[PlayerId], values: Mapping[PlayerId, list[Value]]) -> list[list[PlayerId]]:
    """Return players in groups by their last value, the best first."""
    groups: dict[Value, list[PlayerId]] = {}
    for player in tied:
        groups.setdefault(values[player][-1], []).append(player)
    return [groups[value] for value in sorted(groups, reverse=True)]


def _lines(
    field: Field, scores: Scores, order: list[list[PlayerId]], values: Mapping[PlayerId, list[Value]]
) -> Iterator[Standing]:
    names = ("points", *field.regulations.tie_breaks)
    line = [(place, player) for place, tied in _places(order) for player in tied]
    for (place, player), after in zip(line, [*line[1:], None], strict=True):
        below = values[after[1]] if after is not None else values[player]
        differs = (name for name, one, other in zip(names, values[player], below, strict=True) if one != other)
        seated = scores.seated[player]
        yield Standing(
            place,
            player,
            scores.points[player],
            len(seated),
            tuple(values[player][1:]),
            next(differs, None),
            any(not each.result.confirmed for each in seated),
        )


def _places(order: list[list[PlayerId]]) -> Iterator[tuple[int, list[PlayerId]]]:
    place = 1
    for tied in order:
        yield place, tied
        place += len(tied)


def final_order(field: Field) -> Order:
    """Return how all players finished, the first first; those who tie stand together."""
    places: dict[int, list[PlayerId]] = {}
    for each in standings(field):
        places.setdefault(each.place, []).append(each.player)
    return tuple(map(tuple, places.values()))
