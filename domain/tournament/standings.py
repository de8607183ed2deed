"""The standings: points, tie-breaks and places (TAB-TRN-20, TAB-TRN-21). Numbers are fractions, never floats."""

from collections.abc import Callable, Collection, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import zip_longest
from typing import Final, NamedTuple

from msgspec import Struct

from domain.kernel.ids import PlayerId
from domain.tournament.events import Order
from domain.tournament.field import Field, Result, Table
from domain.tournament.regulations import FinalTable, Heats, KnockOut, TieBreak

Value = tuple[Fraction, ...]
"""What a tie-break counts for a player; of two, the greater is better."""


class Standing(Struct, frozen=True):
    """Where a player stands.

    Attributes:
        place: 1 for the first; players who tie have the same place.
        points: what they have earned, less penalties.
        played: how many of their tables have a result.
        values: what each tie-break counts for them, in the order of the regulations.
        above: what puts them above the next player: the `stage` that they reached, `points` or a tie-break; None when
            they tie, and for the last.
        provisional: whether it includes a result that does not count yet.
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
    """How many players of the table finished before them."""
    points: Fraction


class Earned(NamedTuple):
    """What a player has earned in a round.

    Attributes:
        place: the place of the round among those that were published, from 0.
        seated: where they sat; None for a bye.
        counts: whether it counts: of heats, only the best do.
    """

    place: int
    seated: Seated | None
    points: Fraction
    counts: bool = True


def scored(result: Result, agreed_ties: bool) -> Order:
    """Return the order that is scored: players who left are last. After an abandoned game all tie, and after an agreed
    end if `agreed_ties`.

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
        self.rounds: dict[PlayerId, list[Earned]] = {player: [] for player in field.entrants}
        bye = Fraction(field.regulations.bye)
        for place, each in enumerate(field.played):
            for player in each.byes:
                self.rounds[player].append(Earned(place, None, bye))
            for seated in (seated for table in each.tables for seated in self.earned(table)):
                self.rounds[seated.player].append(Earned(place, seated, seated.points))
        self._count_heats()
        self.points: dict[PlayerId, Fraction] = {player: self._total(player) for player in field.entrants}

    def _count_heats(self) -> None:
        """Mark the results of heats that do not count: all but the best; of equal results the earlier count."""
        of_round = self.field.regulations.stages_of(len(self.field.played))
        for number, stage in enumerate(self.field.regulations.stages):
            if not isinstance(stage, Heats):
                continue
            for rounds in self.rounds.values():
                heats = [at for at, each in enumerate(rounds) if of_round[each.place] == number]
                for at in sorted(heats, key=lambda at: -rounds[at].points)[stage.best :]:
                    rounds[at] = rounds[at]._replace(counts=False)

    def seated(self, player: PlayerId) -> list[Seated]:
        """Return the tables at which a player sat and that have a result."""
        return [each.seated for each in self.rounds[player] if each.seated is not None]

    def earned(self, table: Table) -> Iterator[Seated]:
        """Yield the players of a table with what they earned there; none while it has no result."""
        if (result := table.result) is None:
            return
        regulations, place = self.field.regulations, 0
        for tied in scored(result, regulations.agreed == "tied"):
            points = regulations.shared(len(table.players), place, len(tied))
            yield from (Seated(table.earner(each, regulations), table, result, place, points) for each in tied)
            place += len(tied)

    def _total(self, player: PlayerId) -> Fraction:
        earned = (each.points for each in self.rounds[player] if each.counts)
        return sum(earned, Fraction(0)) - self.penalty_points(player)

    def penalty_points(self, player: PlayerId) -> int:
        """Return the points that penalties took from a player."""
        return sum(each.points for each in self.field.penalties if each.player == player)

    # --- stages that put players above others ---

    def reached(self, player: PlayerId) -> Value:
        """How far they came: their place at the final table, or how many rounds of a knock-out they played.

        A later stage comes before an earlier one.
        """
        regulations, played = self.field.regulations, self.field.played
        of_round = regulations.stages_of(len(played))
        marks = list[Fraction]()
        for number, stage in reversed(list(enumerate(regulations.stages))):
            own = [each for each, at in zip(played, of_round, strict=True) if at == number]
            if isinstance(stage, KnockOut):
                marks.append(Fraction(sum(each.seats(player, regulations) for each in own)))
            elif isinstance(stage, FinalTable):
                places = [each.place for each in self.seated(player) if any(each.table in one.tables for one in own)]
                sat = any(each.seats(player, regulations) for each in own)
                marks += [Fraction(sat), Fraction(-places[0] if places else 0)]
        return tuple(marks)

    # --- tie-breaks ---

    def wins(self, player: PlayerId, tied: Collection[PlayerId]) -> Value:
        """How many tables they won alone."""
        alone = (each for each in self.seated(player) if each.place == 0 and self._is_alone(each))
        return (Fraction(sum(1 for _ in alone)),)

    def _is_alone(self, seated: Seated) -> bool:
        return len(scored(seated.result, self.field.regulations.agreed == "tied")[0]) == 1

    def places(self, player: PlayerId, tied: Collection[PlayerId]) -> Value:
        """How often they were first, then how often second, and so on, with shared places."""
        most = max(self.field.regulations.sizes)
        reached = [each.place for each in self.seated(player)]
        return tuple(Fraction(reached.count(place)) for place in range(most))

    def meetings(self, player: PlayerId, tied: Collection[PlayerId]) -> Value:
        """The points that they earned at tables with others with whom they tie."""
        others, regulations = set(tied) - {player}, self.field.regulations
        met = (each.points for each in self.seated(player) if others.intersection(each.table.earners(regulations)))
        return (sum(met, Fraction(0)),)

    def opponents(self, player: PlayerId, tied: Collection[PlayerId]) -> Value:
        """The mean of the points of all whom they met, each as often as they met; a bye counts as their own points."""
        points = [
            self.points[other]
            for each in self.seated(player)
            for other in each.table.earners(self.field.regulations)
            if other != player
        ]
        points += [self.points[player] for each in self.rounds[player] if each.seated is None]
        return (sum(points, Fraction(0)) / len(points) if points else Fraction(0),)

    def penalties(self, player: PlayerId, tied: Collection[PlayerId]) -> Value:
        """How many penalties they have, but for cautions; negative, because fewer are better."""
        return (Fraction(-sum(each.player == player and each.sort != "caution" for each in self.field.penalties)),)

    def lot(self, player: PlayerId, tied: Collection[PlayerId]) -> Value:
        """Their lot in the last published round, the first lot best. Players without a lot in it come last."""
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
    values: dict[PlayerId, list[Value]] = {player: [scores.reached(player)] for player in scores.points}
    order = _ranked(list(scores.points), values)
    for player, points in scores.points.items():
        values[player].append((points,))
    order = [group for tied in order for group in _ranked(tied, values)]
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
    names = ("stage", "points", *field.regulations.tie_breaks)
    line = [(place, player) for place, tied in _places(order) for player in tied]
    for (place, player), after in zip_longest(line, line[1:]):
        below = values[after[1]] if after is not None else values[player]
        differs = (name for name, one, other in zip(names, values[player], below, strict=True) if one != other)
        seated = scores.seated(player)
        yield Standing(
            place,
            player,
            scores.points[player],
            len(seated),
            tuple(values[player][2:]),
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
