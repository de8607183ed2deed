"""What differs between two positions, as their marks show it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from msgspec import Struct

from domain.kernel.ids import AreaId, GameId, Seat, Version
from domain.kernel.log.game import Game
from domain.kernel.rules.marks import Figure, Link, Mark, Marks, Place

T = TypeVar("T")


class Compared(Struct, frozen=True):
    """A position that is compared.

    Attributes:
        game: the game.
        version: the version.
        round: the round; 0 before the first, and where there are none.
        heading: the phase of the game, in words.
    """

    game: GameId
    version: Version
    round: int
    heading: str

    @staticmethod
    def of(game: Game) -> "Compared":
        return Compared(game.id, game.version, game.round, game.heading)


class FigurePair(Struct, frozen=True):
    """A figure of a score in both positions.

    Attributes:
        this: in the position that was asked for; null where there is none.
        other: in the one that it is compared with; null where there is none.
    """

    this: Figure | None
    other: Figure | None


class StandingDiffers(Struct, frozen=True):
    """A seat, or a nation that it leads, whose score differs.

    Attributes:
        seat: the seat.
        nation: the nation; null for what the seat has itself.
        figures: the figures that differ, by name.
    """

    seat: Seat
    nation: str | None
    figures: dict[str, FigurePair]


class PlaceDiffers(Struct, frozen=True):
    """An area on which something else lies.

    Attributes:
        area: the area.
        this: what lies there in the position that was asked for; null for nothing.
        other: what lies there in the one that it is compared with; null for nothing.
    """

    area: AreaId
    this: Place | None
    other: Place | None


class ShelfDiffers(Struct, frozen=True):
    """Something beside the board that differs.

    Attributes:
        title: what it is.
        this: what lies there in the position that was asked for.
        other: what lies there in the one that it is compared with.
    """

    title: str
    this: tuple[Mark, ...]
    other: tuple[Mark, ...]


class Comparison(Struct, frozen=True):
    """What differs between two positions of games of one ruleset, as far as the caller may see both.

    Attributes:
        ruleset: the ruleset of both.
        this: the position that was asked for.
        other: the one that it is compared with.
        standings: the seats and nations whose scores differ.
        places: the areas that differ.
        links: what joins two areas only in the position that was asked for, such as a road.
        other_links: what joins two areas only in the other one.
        shelves: what differs beside the board.
    """

    ruleset: str
    this: Compared
    other: Compared
    standings: tuple[StandingDiffers, ...]
    places: tuple[PlaceDiffers, ...]
    links: tuple[Link, ...]
    other_links: tuple[Link, ...]
    shelves: tuple[ShelfDiffers, ...]


def compare(this: Game, other: Game, here: Marks, there: Marks) -> Comparison:
    """Return what differs between two games; `here` and `there` are the marks of each that the caller may see."""
    shelves, other_shelves = ({each.title: each.items for each in marks.shelves} for marks in (here, there))
    return Comparison(
        ruleset=this.ruleset.id,
        this=Compared.of(this),
        other=Compared.of(other),
        standings=tuple(_standings(here, there)),
        places=tuple(PlaceDiffers(area, *both) for area, both in _differing(here.places, there.places)),
        links=_only(here.links, there.links),
        other_links=_only(there.links, here.links),
        shelves=tuple(
            ShelfDiffers(title, one or (), another or ())
            for title, (one, another) in _differing(shelves, other_shelves)
        ),
    )


def opposite(this: Game, other: Game, version: Version) -> Version:
    """Return the version of another game that fits a version of this one.

    Between a fork and its parent, it is the version with as many events after the fork began. Between other games, it
    is the same number. That version may not exist yet.
    """
    if this.forked is not None and this.forked.parent == other.id:
        return this.forked.version + version - 1
    if other.forked is not None and other.forked.parent == this.id:
        return max(version - other.forked.version + 1, 1)
    return version


def _standings(here: Marks, there: Marks) -> Iterator[StandingDiffers]:
    for (seat, nation), (this, other) in _differing(_figures(here), _figures(there)):
        figures = {name: FigurePair(*both) for name, both in _differing(this or {}, other or {})}
        if figures:
            yield StandingDiffers(seat, nation, figures)


def _figures(marks: Marks) -> dict[tuple[Seat, str | None], Mapping[str, Figure]]:
    figures: dict[tuple[Seat, str | None], Mapping[str, Figure]] = {}
    for each in marks.standings:
        figures[each.seat, None] = each.figures
        figures |= {(each.seat, nation.nation): nation.figures for nation in each.nations}
    return figures


K = TypeVar("K")


def _differing(here: Mapping[K, T], there: Mapping[K, T]) -> Iterator[tuple[K, tuple[T | None, T | None]]]:
    """Yield the keys whose values differ, each with both values; None for a missing one."""
    for key in dict.fromkeys((*here, *there)):
        one, other = here.get(key), there.get(key)
        if one != other:
            yield key, (one, other)


def _only(here: Iterable[Link], there: Iterable[Link]) -> tuple[Link, ...]:
    others = list(there)
    return tuple(link for link in here if link not in others)
