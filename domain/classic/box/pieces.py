"""The pieces (chapter PCS): how many there are, and the state of each while it is in the game.

Units are only counted. Leaders and galleys have ids, because they move, carry and are captured one by one.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from domain.conquest.pieces import NO_UNITS, Units
from domain.kernel.ids import AreaId, Seat

LeaderId = Annotated[
    str, Meta(title="ClassicLeaderId", description="A Caesar or a general, such as `red-caesar` or `red-general-1`.")
]
GalleyId = Annotated[str, Meta(title="ClassicGalleyId", description="A galley, such as `galley-1`.")]

LEADER_MOVES = GALLEY_MOVES = 2
"""Movement points per turn (CC-PCS-08); `Army` says how many points its units have left."""

STOCK = {"cities": 16, "fortifications": 16, "roads": 20}
"""Pieces that all players share (CC-PCS-04)."""


class Army(Struct, frozen=True):
    """One player's land combat units in one province, by what they have done this turn.

    Attributes:
        fresh: units that still have all their movement points.
        tired: cavalry with one of its two points left.
        spent: units without a point left, or stopped by an enemy.
        landed: units that came ashore this turn; they have no points left and cannot retreat (CC-RET-11).
    """

    fresh: Units = NO_UNITS
    tired: int = 0
    spent: Units = NO_UNITS
    landed: Units = NO_UNITS

    @property
    def is_rested(self) -> bool:
        """Whether all units have all their movement points."""
        return not self.tired and self.spent == NO_UNITS and self.landed == NO_UNITS

    @property
    def units(self) -> Units:
        """All units, by type."""
        if self.is_rested:
            return self.fresh
        return self.fresh + self.spent + self.landed + Units(cavalry=self.tired)

    @property
    def size(self) -> int:
        """How many units these are."""
        return self.fresh.total + self.tired + self.spent.total + self.landed.total

    @property
    def by_land(self) -> Units:
        """The units that did not land from a galley this turn."""
        return self.fresh + self.spent + Units(cavalry=self.tired)


NO_ARMY = Army()


class Leader(Struct, frozen=True):
    """A Caesar or general.

    Attributes:
        kind: ``caesar`` or ``general``.
        colour: the seat whose piece it is; it never changes.
        owner: the seat that it serves.
        at: the province where it stands; null aboard a galley, in captivity, or until its fate is decided.
        aboard: the galley that carries it.
        captor: the seat that holds it prisoner.
        moves: movement points left this turn.
        marched: it moved on land this turn.
        landed: it came ashore this turn.
    """

    kind: Literal["caesar", "general"]
    colour: Seat
    owner: Seat
    at: AreaId | None = None
    aboard: GalleyId | None = None
    captor: Seat | None = None
    moves: int = LEADER_MOVES
    marched: bool = False
    landed: bool = False

    @property
    def on_board(self) -> bool:
        """Whether it stands in a province or is aboard a galley."""
        return self.at is not None or self.aboard is not None


class Galley(Struct, frozen=True):
    """A galley, in a sea zone or on a coast.

    Attributes:
        at: the sea zone, or the province on whose coast it is.
        coast: which coast of that province; null at sea.
        moves: movement points left this turn.
        came_from: the sea zone from which it entered the coast this turn.
        cargo: the land combat units aboard; leaders aboard have the galley in their `aboard`.
    """

    owner: Seat
    at: AreaId
    coast: str | None = None
    moves: int = GALLEY_MOVES
    came_from: AreaId | None = None
    cargo: Units = NO_UNITS
