"""How a command can be given by pointing: what its fields mean on a map, and the control that suits them.

An option's schema publishes it as the keyword ``x-gesture``. It says nothing about what is accepted.
"""

from collections.abc import Container, Mapping
from typing import Any, Literal

from msgspec import Struct

Control = Literal["", "division", "purchase", "hand", "bid"]


class Gesture(Struct, frozen=True):
    """The fields of a command by what they mean. Each name is a field of the command.

    Attributes:
        start: the area where it begins; ``from`` in the keyword.
        to: the area where it ends, or the only area that it points at.
        between: what joins two areas and is named after both, such as a road.
        areas: further areas.
        pieces: single pieces, by id.
        counts: numbers of pieces or talents.
        targets: what it is aimed at besides an area: a player, a nation, a kind of piece.
        cards: cards.
        keeps: those of the fields above that name what the player keeps; the player gives up the rest.
        control: what suits it besides the map (``as`` in the keyword): a ``division`` of pieces, for example into those
            that are lost and those that stay; a ``purchase``; cards from a ``hand``; a ``bid``.
        quiet: whether it only declines: it leaves everything as it is, and the game goes on.
        called: the title of its options, where all have the same; so a page can name it before it is offered.
    """

    start: str = ""
    to: str = ""
    between: str = ""
    areas: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    cards: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    control: Control = ""
    quiet: bool = False
    called: str = ""

    @property
    def fields(self) -> tuple[str, ...]:
        """All fields that it names."""
        several = (*self.areas, *self.pieces, *self.counts, *self.targets, *self.cards)
        return tuple(filter(None, (self.start, self.to, self.between, *several)))

    def keyword(self, fields: Container[str], places: Mapping[Any, Any] | None = None) -> dict[str, Any]:
        """Return ``x-gesture`` for an option that has these `fields`.

        Args:
            fields: the names of the option's properties.
            places: the areas of pieces that ``from`` or ``to`` name by id.
        """
        one = {"from": self.start, "to": self.to, "between": self.between}
        several = {
            "areas": self.areas,
            "pieces": self.pieces,
            "counts": self.counts,
            "targets": self.targets,
            "cards": self.cards,
            "keeps": self.keeps,
        }
        content: dict[str, Any] = {role: name for role, name in one.items() if name in fields}
        for role, names in several.items():
            if fields_here := [name for name in names if name in fields]:
                content[role] = fields_here
        if self.control:
            content["as"] = self.control
        if self.quiet:
            content["quiet"] = True
        if self.called:
            content["called"] = self.called
        if places:
            content["places"] = dict(places)
        return content
