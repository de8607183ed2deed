"""What the table of Classic consists of: provinces and players, and what is under way."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from domain.classic.box.pieces import Army, GalleyId, LeaderId
from domain.conquest.pieces import NO_UNITS, Units
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import message

Phase = Literal["setup", "movement", "combat", "tribute", "destruction", "purchase", "placement", "over"]
"""The set-up, the six phases of a turn (CC-TRN-03), and the end of the game."""

OfferId = Annotated[str, Meta(title="ClassicOfferId", description="An offer of ransom, such as `offer-3`.")]
AllianceId = Annotated[
    str, Meta(title="ClassicAllianceId", description="An alliance, proposed or concluded, such as `alliance-4`.")
]
RoadId = Annotated[
    str,
    Meta(title="ClassicRoadId", description="A road: the two provinces that it joins, by id, as in `italia|neapolis`."),
]


class Province(Struct, frozen=True):
    """A land province.

    Attributes:
        owner: who controls it, with or without pieces there (CC-PCS-14); null for a neutral province.
        fortified: whether its city is fortified.
        armies: land combat units by seat; a seat without any is absent.
    """

    owner: Seat | None = None
    city: bool = False
    fortified: bool = False
    armies: dict[Seat, Army] = field(default_factory=dict[Seat, Army])  # Never changed in place: see `set_army`.


class Player(Struct, frozen=True):
    """What belongs to a player, and whether they are still in the game.

    Attributes:
        home: the original Home Province (CC-SET-08); None until it is drawn or picked.
        talents: the treasury.
        colours: the seats whose unused pieces they may buy: their own and those of captured Caesars (CC-CAP-15).
        fallen_to: the seat that captured their Caesar; None while they are in the game.
    """

    colours: tuple[Seat, ...]
    home: AreaId | None = None
    talents: int = 0
    fallen_to: Seat | None = None


class Group(Struct, frozen=True):
    """Leaders and units that step together.

    Attributes:
        units: units that have all their points.
        tired: cavalry with one point left.
        riders: units without a movement point that continue along the road of the open journey.
    """

    leaders: tuple[LeaderId, ...] = ()
    units: Units = NO_UNITS
    tired: message.Count = 0
    riders: Units = NO_UNITS

    @property
    def size(self) -> int:
        """The number of land combat units."""
        return self.units.total + self.tired + self.riders.total


class Journey(Struct, frozen=True):
    """A road move under way: who may continue along the road without paying again (CC-ROAD-10, CC-ROAD-11, CC-ROAD-12).

    It ends when any of them leaves `at` in another way, when another road move begins, when enemy units stop a step
    along a road, and with the phase. Riders are units that have paid for the road move.

    Attributes:
        visited: the provinces that it has passed through.
        riders: riders with no point left.
        tired_riders: cavalry riders with one point left.
    """

    at: AreaId
    visited: tuple[AreaId, ...]
    leaders: tuple[LeaderId, ...]
    riders: Units = NO_UNITS
    tired_riders: int = 0


Consent = Literal["transit", "road", "strait"]
"""What a player may allow another: to pass through a province, to use a road, to cross a strait (CC-ALY-04)."""


class Passage(Struct, frozen=True):
    """A step that needs other players' consent (CC-ALY-04): a named group from one province to a neighbour.

    Attributes:
        owners: the players who must consent.
        asked: those of them who have not answered yet.
        refused: whether one of them refused.
    """

    mover: Seat
    kind: Consent
    origin: AreaId
    to: AreaId
    group: Group
    owners: tuple[Seat, ...]
    asked: tuple[Seat, ...] = ()
    refused: bool = False


class Grant(Struct, frozen=True):
    """A standing consent that answers requests until it is withdrawn.

    Attributes:
        by: who consents.
        to: the player who may pass.
        where: the province that they enter, or the sea zone of the strait; null for everywhere.
    """

    by: Seat
    to: Seat
    kind: Consent
    where: AreaId | None = None


class Side(Struct, frozen=True):
    """One side of a land battle in the current round.

    Attributes:
        legion: the battle legion; null until it is formed.
        hits: hits taken and not yet assigned.
        lost: units marked as hit, removed at the end of the round.
        lost_landed: those of them that came from galleys this turn.
        retreats: whether it announced a retreat; null until it has announced.
    """

    seat: Seat
    legion: Units | None = None
    hits: int = 0
    lost: Units = NO_UNITS
    lost_landed: Units = NO_UNITS
    retreats: bool | None = None


BattleStep = Literal[
    "form-defender",
    "form-attacker",
    "roll-attacker",
    "mark-defender",
    "roll-defender",
    "mark-attacker",
    "remove",
    "announce-defender",
    "announce-attacker",
    "resolve",
    "pursue",
    "mark-pursued",
    "withdraw",
]
"""The steps of a round, in their order; `domain.classic.course` says what happens at each."""


class Battle(Struct, frozen=True):
    """A land battle under way.

    Attributes:
        pursuit_hits: hits of the pursuit, not yet assigned.
        leaving: the seats that retreat and have not yet moved out, in the order in which they do (CC-RET-09).
        asking: the destination across a strait for which consent was requested (CC-RET-15).
        asked: the owners of galleys there who have not answered yet.
        strait_answers: destinations for which consent was requested in this round, and whether all owners agreed.
    """

    province: AreaId
    attacker: Side
    defender: Side
    round: int = 1
    step: BattleStep = "form-defender"
    pursuit_hits: int = 0
    leaving: tuple[Seat, ...] = ()
    asking: AreaId | None = None
    asked: tuple[Seat, ...] = ()
    strait_answers: dict[AreaId, bool] = field(default_factory=dict[AreaId, bool])


class Fleet(Struct, frozen=True):
    """One side of a naval battle.

    Attributes:
        galleys: those that take part and are still afloat.
        hits: hits taken and not yet assigned.
        hit: galleys that sink at the end of the cycle.
    """

    seat: Seat
    galleys: tuple[GalleyId, ...]
    hits: int = 0
    hit: tuple[GalleyId, ...] = ()


NavalStep = Literal["roll-attacker", "mark-defender", "roll-defender", "mark-attacker", "sink"]
"""The steps of a cycle, in their order."""


class NavalBattle(Struct, frozen=True):
    """A naval battle under way (CC-NAV-12: at most three cycles)."""

    sea: AreaId
    attacker: Fleet
    defender: Fleet
    cycle: int = 1
    step: NavalStep = "roll-attacker"


class NavalPlan(Struct, frozen=True):
    """A naval battle that was declared and not yet fought.

    Attributes:
        galleys: the galleys with which the active player attacks.
    """

    sea: AreaId
    opponent: Seat
    galleys: tuple[GalleyId, ...]


class Defeat(Struct, frozen=True):
    """A defeated general, whom the captor must capture or kill at once (CC-CAP-02)."""

    leader: LeaderId
    captor: Seat


class Rescue(Struct, frozen=True):
    """Leaders of sunk galleys who were not defeated; their owner places them.

    Attributes:
        galleys: the owner's surviving galleys that can take them aboard (CC-NAV-14); none when they come ashore
            (CC-NAV-16).
    """

    owner: Seat
    leaders: tuple[LeaderId, ...]
    sea: AreaId
    galleys: tuple[GalleyId, ...] = ()


class Combat(Struct, frozen=True):
    """What is left to do in the combat phase.

    Attributes:
        battles: provinces where a land battle must still be fought.
        naval: naval battles declared and not yet fought.
        seas: sea zones where the active player has not yet declared or declined battle.
        spared: the lone leaders of others whom the active player leaves alone: ``province/seat`` for all of a player's
            in a province, ``province/leader`` for one.
    """

    battles: tuple[AreaId, ...] = ()
    naval: tuple[NavalPlan, ...] = ()
    seas: tuple[AreaId, ...] = ()
    spared: tuple[str, ...] = ()


class Purchase(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Pieces bought and not yet placed."""

    infantry: message.Count = 0
    cavalry: message.Count = 0
    catapults: message.Count = 0
    galleys: message.Count = 0
    cities: message.Count = 0
    fortifications: message.Count = 0
    roads: message.Count = 0

    @property
    def total(self) -> int:
        return sum(getattr(self, name) for name in self.__struct_fields__)

    @property
    def units(self) -> Units:
        """The land combat units among them."""
        return Units(self.infantry, self.cavalry, self.catapults)


class Inflation(Struct, frozen=True):
    """A level of inflation that was triggered (CC-INF-01, CC-INF-04).

    Attributes:
        factor: what base prices are multiplied by.
        seat: whose marker triggered it; prices rise when their turn in `round` begins.
        round: the round in which prices rise.
        effective: whether they have risen.
    """

    factor: int
    seat: Seat
    round: int
    effective: bool = False


class Offer(Struct, frozen=True):
    """An open offer of ransom (CC-RAN-04): `general` goes back to its owner for talents, prisoners and promises.

    Attributes:
        owner: whose general it is.
        captor: who holds the general prisoner.
        talents: what the owner pays.
        prisoners: generals whom the owner holds and gives in exchange.
        promise: favours in the players' words, which bind nobody (CC-RAN-10).
        further: more generals of that owner who go back in the same deal.
    """

    id: OfferId
    proposer: Seat
    owner: Seat
    captor: Seat
    general: LeaderId
    talents: int = 0
    prisoners: tuple[LeaderId, ...] = ()
    promise: str = ""
    further: tuple[LeaderId, ...] | UnsetType = UNSET

    @property
    def generals(self) -> tuple[LeaderId, ...]:
        """All generals who go back to their owner."""
        return (self.general, *(self.further or ()))

    @property
    def answerer(self) -> Seat:
        """Who has to accept or refuse."""
        return self.captor if self.proposer == self.owner else self.owner


class Acclamation(Struct, frozen=True):
    """A winner proposed for general consent (CC-WIN-02).

    Attributes:
        agreed: those who have agreed.
    """

    candidate: Seat
    proposer: Seat
    agreed: tuple[Seat, ...] = ()


class Alliance(Struct, frozen=True):
    """An alliance proposed or concluded (CC-ALY-01); it binds nobody.

    Attributes:
        members: those to whom it was proposed.
        accepted: those of them who have accepted.
    """

    id: AllianceId
    proposer: Seat
    members: tuple[Seat, ...]
    accepted: tuple[Seat, ...] = ()


def road_id(one: AreaId, other: AreaId) -> str:
    """Name the road between two provinces, the same in both directions."""
    return f"{min(one, other)}|{max(one, other)}"
