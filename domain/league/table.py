"""The table of a division in a season (TAB-LGE-08 to TAB-LGE-10). Numbers are fractions, never floats.

It follows from the season and from how its tournaments stand, and from nothing else.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import Final, NamedTuple

from msgspec import Struct

from domain.kernel.ids import PlayerId, TournamentId
from domain.league.league import Season
from domain.league.regulations import LeagueTieBreak, Regulations
from domain.tournament.events import Order, Status
from domain.tournament.standings import Standing
from domain.tournament.tournament import Tournament

Value = tuple[Fraction, ...]
"""What a tie-break counts for a player; of two, the greater is better."""


class Finish(Struct, frozen=True):
    """How a tournament stands, or ended.

    Attributes:
        order: all its players, the first first; those who tie stand together.
        counted: who has a result in it: those who sat at a table that has one, and were not excluded.
    """

    tournament: TournamentId
    status: Status
    order: Order
    counted: frozenset[PlayerId]


def finish_of(tournament: Tournament, standings: Sequence[Standing]) -> Finish:
    """Return how a tournament stands, given its standings."""
    excluded = {each.player for each in tournament.field.penalties if each.sort == "exclusion"}
    places: dict[int, list[PlayerId]] = {}
    for each in standings:
        places.setdefault(each.place, []).append(each.player)
    players_counted = frozenset(each.player for each in standings if each.played and each.player not in excluded)
    return Finish(tournament.id, tournament.status, tuple(map(tuple, places.values())), players_counted)


class SeasonResult(Struct, frozen=True):
    """What a player earned in a tournament.

    Attributes:
        tournament: the tournament.
        place: their place in it, 1 for the first; those who tie have the same.
        points: what that earns.
        counts: whether it counts: only the best do.
        provisional: whether the tournament is not closed yet.
    """

    tournament: TournamentId
    place: int
    points: Fraction
    counts: bool
    provisional: bool


class Line(Struct, frozen=True):
    """Where a player stands in a division.

    Attributes:
        place: 1 for the first; players who tie have the same place.
        points: what their results have earned, less penalties.
        results: their results, in the order of the tournaments.
        taken: the points that penalties took.
        values: what each tie-break counts for them, in the order of the regulations.
        above: what puts them above the next player: that they have `played`, `points` or a tie-break; None when they
            tie, and for the last.
    """

    place: int
    player: PlayerId
    points: Fraction
    results: tuple[SeasonResult, ...]
    taken: int
    values: tuple[Value, ...]
    above: str | None

    @property
    def played(self) -> int:
        """How many results they have."""
        return len(self.results)


class _Won(NamedTuple):
    """A player's result: `at` is the index of the tournament in its division, `place` is 0 for the first."""

    at: int
    place: int
    alone: bool
    points: Fraction


class _Division:
    """The results of a division, and what tie-breaks count for its players."""

    def __init__(self, season: Season, division: int, finishes: Sequence[Finish]) -> None:
        self.season, self.finishes = season, finishes
        self.results: dict[PlayerId, list[_Won]] = {player: [] for player in season.members[division - 1]}
        homes, lowest = season.homes, season.regulations.divisions
        for at, finish in enumerate(finishes):
            for player, won in _earned(season.regulations, at, finish):
                if homes.get(player, lowest) == division:
                    self.results.setdefault(player, []).append(won)

    def best(self, player: PlayerId) -> set[int]:
        """Return the indices of the tournaments whose results count: the best ones, of equal results the earlier."""
        ranked = sorted(self.results[player], key=lambda won: (-won.points, won.at))
        return {won.at for won in ranked[: self.season.regulations.best]}

    def points(self, player: PlayerId) -> Fraction:
        best = self.best(player)
        earned = sum((won.points for won in self.results[player] if won.at in best), Fraction(0))
        return earned - self.season.penalty_points(player)

    def wins(self, player: PlayerId, tied: Collection[PlayerId]) -> Value:
        """How many tournaments they won alone."""
        return (Fraction(sum(won.place == 0 and won.alone for won in self.results[player])),)

    def firsts(self, player: PlayerId, tied: Collection[PlayerId]) -> Value:
        """How often they were first, then how often second, and so on, with shared places."""
        reached = [won.place for won in self.results[player]]
        most = max((won.place for each in tied for won in self.results[each]), default=-1)
        return tuple(Fraction(reached.count(place)) for place in range(most + 1))

    def meetings(self, player: PlayerId, tied: Collection[PlayerId]) -> Value:
        """The points of the tournaments in which all who tie have a result."""
        common = set[int].intersection(*({won.at for won in self.results[each]} for each in tied))
        return (sum((won.points for won in self.results[player] if won.at in common), Fraction(0)),)

    def all(self, player: PlayerId, tied: Collection[PlayerId]) -> Value:
        """The points of all results, also of those that do not count."""
        return (sum((won.points for won in self.results[player]), Fraction(0)),)

    def last(self, player: PlayerId, tied: Collection[PlayerId]) -> Value:
        """The points of the last tournament, then of the one before it, and so on."""
        earned = {won.at: won.points for won in self.results[player]}
        return tuple(earned.get(at, Fraction(0)) for at in reversed(range(len(self.finishes))))

    def results_of(self, player: PlayerId) -> Iterator[SeasonResult]:
        best = self.best(player)
        for won in self.results[player]:
            finish = self.finishes[won.at]
            is_over = finish.status == "closed"
            yield SeasonResult(finish.tournament, won.place + 1, won.points, won.at in best, not is_over)


def _earned(regulations: Regulations, at: int, finish: Finish) -> Iterator[tuple[PlayerId, _Won]]:
    place = 0
    for tied in finish.order:
        points = Fraction(sum(map(regulations.points_of, range(place, place + len(tied)))), len(tied))
        for player in tied:
            if player in finish.counted:
                yield player, _Won(at, place, len(tied) == 1, points)
        place += len(tied)


_TIE_BREAKS: Final[Mapping[LeagueTieBreak, Callable[[_Division, PlayerId, Collection[PlayerId]], Value]]] = {
    "wins": _Division.wins,
    "places": _Division.firsts,
    "meetings": _Division.meetings,
    "all": _Division.all,
    "last": _Division.last,
}


def table_of(season: Season, division: int, finishes: Mapping[TournamentId, Finish]) -> list[Line]:
    """Return the table of a division, the first first. Those who tie to the end stand in the order of their ids.

    Args:
        finishes: how the tournaments of the season stand. Cancelled ones do not count.
    """
    own = [finishes[each.tournament] for each in season.tournaments if each.division == division]
    division_table = _Division(season, division, [each for each in own if each.status != "cancelled"])
    values: dict[PlayerId, list[Value]] = {
        player: [(Fraction(bool(results)),), (division_table.points(player),)]
        for player, results in division_table.results.items()
    }
    order = [sorted(values)] if values else []
    for at in (0, 1):
        order = [group for tied in order for group in _ranked(tied, values, at)]
    for at, name in enumerate(season.regulations.tie_breaks, start=2):
        for tied in order:
            for player in tied:
                values[player].append(_TIE_BREAKS[name](division_table, player, tied))
        order = [group for tied in order for group in _ranked(tied, values, at)]
    return list(_lines(division_table, order, values))


def _ranked(tied: list[PlayerId], values: Mapping[PlayerId, list[Value]], at: int) -> list[list[PlayerId]]:
    """Return players in groups by one of their values, the best first."""
    groups: dict[Value, list[PlayerId]] = {}
    for player in tied:
        groups.setdefault(values[player][at], []).append(player)
    return [groups[value] for value in sorted(groups, reverse=True)]


def _lines(division: _Division, order: list[list[PlayerId]], values: Mapping[PlayerId, list[Value]]) -> Iterator[Line]:
    names = ("played", "points", *division.season.regulations.tie_breaks)
    line = [(place, player) for place, tied in _placed(order) for player in tied]
    for (place, player), after in zip_longest(line, line[1:]):
        below = values[after[1]] if after is not None else values[player]
        differs = (name for name, one, other in zip(names, values[player], below, strict=True) if one != other)
        yield Line(
            place,
            player,
            division.points(player),
            tuple(division.results_of(player)),
            division.season.penalty_points(player),
            tuple(values[player][2:]),
            next(differs, None),
        )


def _placed(order: list[list[PlayerId]]) -> Iterator[tuple[int, list[PlayerId]]]:
    place = 1
    for tied in order:
        yield place, tied
        place += len(tied)
