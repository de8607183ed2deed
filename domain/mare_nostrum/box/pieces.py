"""What is on the board: land units, fleets, and provinces with everything in them."""

from typing import Annotated

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from domain.kernel.ids import Seat
from domain.mare_nostrum.box.data import Resource

Post = Annotated[
    str,
    Meta(
        title="MareNostrumHeld",
        description="What a legion holds: `city`, `market`, `temple`, a good for the caravan on it, or `influence` "
        "for the influence marker.",
    ),
]


class Force(Struct, frozen=True):
    """Land units of one owner in one province.

    Attributes:
        fresh: legions that have neither moved nor attacked this turn.
        moved: legions that have moved this turn and may still attack.
        fought: legions that have attacked this turn and are done (MN-MIL-04).
        fortresses: fortresses; they never move (MN-PCS-02).
        spent: how many of the fortresses have attacked this turn (MN-WAR-04).
        posts: what single legions hold (MN-AFT-05 to MN-AFT-07), one legion on each.
        settled: how many of `posts` are held by legions that moved or attacked this turn and then took the post.
    """

    fresh: int = 0
    moved: int = 0
    fought: int = 0
    fortresses: int = 0
    posts: tuple[Post, ...] = ()
    spent: int = 0
    settled: int = 0

    @property
    def legions(self) -> int:
        return self.fresh + self.moved + self.fought

    @property
    def units(self) -> int:
        """Legions and fortresses."""
        return self.fresh + self.moved + self.fought + self.fortresses

    @property
    def ready(self) -> int:
        """Legions that have not attacked this turn."""
        return self.fresh + self.moved

    @property
    def garrison(self) -> int:
        """Legions that can hold posts: fresh ones, and those that took one after a move or an attack (MN-AFT-01)."""
        return self.fresh + self.settled

    @property
    def manned(self) -> int:
        """Fortresses that have not attacked this turn."""
        return self.fortresses - self.spent

    def committed(self, legions: int, fortresses: int = 0) -> "Force":
        """Return the force after this many ready units attack; legions that have moved go first: they must fight."""
        moved = min(self.moved, legions)
        return replace(
            self,
            moved=self.moved - moved,
            fresh=self.fresh - (legions - moved),
            fought=self.fought + legions,
            spent=self.spent + fortresses,
        )

    def less(self, legions: int, fortresses: int = 0) -> "Force":
        """Return the force without the lost units; those that have attacked go first: an attacker loses only these."""
        fought = min(self.fought, legions)
        moved = min(self.moved, legions - fought)
        return replace(
            self,
            fought=self.fought - fought,
            moved=self.moved - moved,
            fresh=self.fresh - (legions - fought - moved),
            fortresses=self.fortresses - fortresses,
            spent=max(0, self.spent - fortresses),
        )

    def leaving_posts(self, *posts: str) -> "Force":
        """Return the force after its legions have left these posts."""
        return replace(self, posts=tuple(post for post in self.posts if post not in posts)) if posts else self


NO_FORCE = Force()


class Fleet(Struct, frozen=True):
    """Triremes of one player in one sea space.

    Attributes:
        fresh: those that have neither moved nor attacked this turn.
        moved: those that have moved this turn and may still attack.
        fought: those that have attacked this turn and are done (MN-MIL-04).
    """

    fresh: int = 0
    moved: int = 0
    fought: int = 0

    @property
    def triremes(self) -> int:
        return self.fresh + self.moved + self.fought

    @property
    def ready(self) -> int:
        """Triremes that have not attacked this turn."""
        return self.fresh + self.moved

    def committed(self, triremes: int) -> "Fleet":
        """Return the fleet after this many ready triremes attack; those that have moved go first."""
        moved = min(self.moved, triremes)
        return Fleet(self.fresh - (triremes - moved), self.moved - moved, self.fought + triremes)

    def less(self, triremes: int) -> "Fleet":
        """Return the fleet without the lost triremes; those that have attacked go first."""
        fought = min(self.fought, triremes)
        moved = min(self.moved, triremes - fought)
        return Fleet(self.fresh - (triremes - fought - moved), self.moved - moved, self.fought - fought)


NO_FLEET = Fleet()


class Province(Struct, frozen=True):
    """A land province.

    Attributes:
        owner: the civilization whose influence marker is there, in play or neutral.
        marked: the turn in which the marker was placed; 0 before the first.
        city, market, temple: whether the building is there.
        caravans: the goods whose icons have a caravan.
        forces: land units by owner; owners without any are absent.
        ports: triremes in port, not yet launched, by owner.
    """

    owner: Seat | None = None
    marked: int = 0
    city: bool = False
    market: bool = False
    temple: bool = False
    caravans: tuple[Resource, ...] = ()
    forces: dict[Seat, Force] = field(default_factory=dict[Seat, Force])  # never changed in place: `Table.set_force`
    ports: dict[Seat, int] = field(default_factory=dict[Seat, int])

    @property
    def buildings(self) -> tuple[str, ...]:
        """The buildings there, with the same names as in `Force.posts`."""
        return (*(kind for kind in ("city", "market", "temple") if getattr(self, kind)), *self.caravans)

    @property
    def at_war(self) -> bool:
        """Whether land units of two owners or more are there (MN-WAR-01)."""
        return len(self.forces) > 1

    def occupier(self, post: str) -> Seat | None:
        """Return whose legion occupies a building or the marker; nobody does in a province at war (MN-AFT-08)."""
        if self.at_war:
            return None
        return next((owner for owner, force in self.forces.items() if post in force.posts), None)

    def holder(self, post: str) -> Seat | None:
        """Return who benefits from a building: its occupier, or else the marker's owner (MN-INC-06, MN-ROL-10).

        In a province at war that is the owner, since war ends occupations (MN-INC-11, MN-ROL-11, MN-AFT-12).
        """
        return self.occupier(post) or self.owner
