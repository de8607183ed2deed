"""What the table of the Campaign game consists of: provinces, armies and players, and what is under way."""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from domain.campaign.box.data import CardId
from domain.conquest.pieces import NO_UNITS, Units, amount_of
from domain.kernel.chance.secret import Sealed
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.message import Count, enumerated

Phase = Literal["setup", "season", "auction", "deployment", "actions", "over"]
"""The phase of the game. Phases without decisions (tokens, cards, taxes, points) have no name here (CS-SEA-01)."""

ITALIA = AreaId("italia")
"""Where Rome is (CS-BRD-02)."""
SLAVES = Seat("slaves")
"""The attacker in a Slave Revolt, who holds no seat (CS-EFF-22)."""
CARD = Seat("card")
"""The owner of phantom units of a Diplomacy card (CS-EFF-09)."""

Group = Annotated[
    str,
    Meta(
        title="CampaignBattleUnits",
        description="Units of one owner and type in a battle: `red/infantry`, `card/cavalry`, `slaves/infantry`;"
        " galleys with the sea zone to which they return, as in `blue/galleys/mare-narbo`.",
    ),
]


class Army(Struct, frozen=True, omit_defaults=True):
    """One player's land units in a province.

    Attributes:
        units: the military units among them.
        caesar: whether the Caesar is there.
        generals: the Generals among them.
    """

    units: Units = NO_UNITS
    generals: Count = 0
    caesar: bool = False

    @property
    def leads(self) -> bool:
        """Whether a leader is there."""
        return self.caesar or self.generals > 0

    def __add__(self, other: "Army") -> "Army":
        return Army(self.units + other.units, self.generals + other.generals, self.caesar or other.caesar)

    def __sub__(self, other: "Army") -> "Army":
        return Army(self.units - other.units, self.generals - other.generals, self.caesar and not other.caesar)

    def __str__(self) -> str:
        """Say what it consists of: "3 infantry, a General and the Caesar"."""
        units = [amount_of(kind, number) for kind, number in self.units.by_type.items() if number]
        leaders = ["a General" if self.generals == 1 else f"{self.generals} Generals"] if self.generals else []
        return enumerated([*units, *leaders, *(["the Caesar"] if self.caesar else [])]) or "nothing"


NO_ARMY = Army()


class Province(Struct, frozen=True):
    """A land province.

    Attributes:
        armies: the land units of each player; players without any are absent.
        city: who owns the city there.
        influence: the influence tokens of each player.
        tokens: province tokens that can be bought.
    """

    armies: dict[Seat, Army] = field(default_factory=dict[Seat, Army])
    city: Seat | None = None
    influence: dict[Seat, Count] = field(default_factory=dict[Seat, int])
    tokens: Count = 0


class Player(Struct, frozen=True):
    """What a player has, besides pieces and cards.

    Attributes:
        talents: the treasury.
        points: victory points; they may be negative (CS-VPS-05).
        chaos: chaos points.
        shown: chaos points as they were last revealed (CS-TOK-09).
    """

    talents: Count
    points: int = 0
    chaos: Count = 0
    shown: Count = 0


class Hand(Struct, frozen=True):
    """A player's senators.

    Attributes:
        count: how many; public (CS-CRD-06).
        sealed: how many senators of each kind they had when the hand was last sealed; null before the set-up.
        seen: how many of each kind have openly joined the hand since then; negative for those that left.
    """

    count: Count = 0
    sealed: Sealed | None = None
    seen: dict[CardId, int] = field(default_factory=dict[CardId, int])


class Auction(Struct, frozen=True):
    """An auction for two places in the alliances (CS-AUC-01).

    Attributes:
        opener: who must bid first.
        bidder: who has bid most; null before the first bid.
        amount: what they have bid, in talents.
        a: whom they propose for the next place of alliance A; null when only one player has no alliance yet and is
            proposed for B.
        b: whom they propose for the next place of alliance B.
        waiting: the players still to be asked, in this order.
    """

    opener: Seat
    bidder: Seat | None = None
    amount: Count = 0
    a: Seat | None = None
    b: Seat | None = None
    waiting: tuple[Seat, ...] = ()


class Landing(Struct, frozen=True):
    """Units that came by sea in the present land move (CS-AMP-03).

    Attributes:
        units: how many military units.
    """

    to: AreaId
    units: Count


class LandMove(Struct, frozen=True):
    """A land move that can go on: more units may leave the province that was activated (CS-MOV-07).

    Attributes:
        landings: the units that have come by sea so far; they count against the capacity of the galleys there.
    """

    origin: AreaId
    landings: tuple[Landing, ...] = ()


class NavalMove(Struct, frozen=True):
    """A naval action in which galleys have moved and a battle may follow (CS-NAV-03)."""

    to: AreaId


class Turn(Struct, frozen=True):
    """The turn of the active player (CS-ACT-01).

    Attributes:
        actions: how many are left.
        acquired: whether a card was acquired in this turn (CS-ACT-03).
        land_move: a land move that can go on.
        naval_move: a naval action in which a battle may follow.
    """

    seat: Seat
    actions: Count
    acquired: bool = False
    land_move: LandMove | None = None
    naval_move: NavalMove | None = None


BattleStep = Literal["wind", "muster", "roll", "lose", "announce"]
"""The steps of a battle, in their order; `domain.campaign.course` says what happens at each."""


class Side(Struct, frozen=True):
    """One side of a battle (CS-BAT-10).

    Attributes:
        seat: the participant; `slaves` in a revolt.
        force: the units under their control.
        leaders: allies whose leaders were lent (CS-BAT-13).
        hits: hits taken and not yet assigned.
    """

    seat: Seat
    force: dict[Group, Count]
    leaders: tuple[Seat, ...] = ()
    hits: Count = 0


class Battle(Struct, frozen=True):
    """A battle under way, on land or at sea.

    Attributes:
        place: the province, or the sea zone.
        naval: whether it is fought at sea.
        answered: the players who have said what they send into the battle (CS-BAT-04, CS-BAT-06).
        returns_fire: whether a city fired first, so that the attacker must still roll in this round (CS-BAT-21).
        announcing: the players who must still say whether they retreat (CS-RET-01).
    """

    place: AreaId
    naval: bool
    attacker: Side
    defender: Side
    step: BattleStep
    round: int = 1
    answered: tuple[Seat, ...] = ()
    returns_fire: bool = False
    announcing: tuple[Seat, ...] = ()

    def side(self, seat: Seat) -> Side:
        """Return the side of a participant: the defender's unless the seat attacks."""
        return self.attacker if self.attacker.seat == seat else self.defender


class Escaping(Struct, frozen=True):
    """Leaders of a beaten side that has no unit left in its force: they must leave the province (CS-RET-04).

    Attributes:
        may_stay: whether they may stay with military units that did not fight.
    """

    seat: Seat
    province: AreaId
    may_stay: bool


class Revolt(Struct, frozen=True):
    """A slave revolt (CS-EFF-20).

    Attributes:
        by: who played the card.
        slaves: how many are left.
        next: the player whose army is attacked next; null until it is chosen.
    """

    by: Seat
    province: AreaId
    slaves: Count
    next: Seat | None = None


class VoteUnderWay(Struct, frozen=True):
    """A vote of the senate (CS-SEN-05).

    Attributes:
        card: the card of the vote.
        caller: who called it.
        laid: the senators that each player has laid face up in this vote.
        leader: the player whose senators have the most votes so far; null before any are laid.
        waiting: who is still to be asked, in this order.
    """

    card: CardId
    caller: Seat
    laid: dict[Seat, dict[CardId, Count]] = field(default_factory=dict[Seat, dict[CardId, int]])
    leader: Seat | None = None
    waiting: tuple[Seat, ...] = ()


class Prize(Struct, frozen=True):
    """A prize that the winner of a vote has not placed yet (CS-EFF-07).

    Attributes:
        spent: the senators that were spent for it (CS-SEN-10).
    """

    seat: Seat
    card: CardId
    spent: dict[CardId, Count]
