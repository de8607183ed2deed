"""What everybody sees of a Classic table: all of it, with the figures that the rules derive."""

from msgspec import Struct

from domain.classic import inflation, purchase
from domain.classic.table import (
    Acclamation,
    Alliance,
    Battle,
    Combat,
    Galley,
    Grant,
    Inflation,
    Journey,
    Leader,
    NavalBattle,
    Offer,
    Passage,
    Player,
    Province,
    Purchase,
    Rescue,
    Table,
)
from domain.kernel.words import AreaId, Seat


class SeatView(Struct, frozen=True):
    """A player's standing: treasury, tribute value and income in talents, pieces left to buy, prisoners held."""

    home: AreaId | None
    talents: int
    tribute: int
    provinces: int
    playing: bool
    fallen_to: Seat | None
    supply: dict[str, int]
    prisoners: list[str]


class View(Struct, frozen=True, kw_only=True):
    """The whole position; nothing in this game is hidden (CC-ECO-05)."""

    round: int
    phase: str
    active: Seat | None
    order: list[Seat]
    seats: dict[Seat, SeatView]
    provinces: dict[AreaId, Province]
    leaders: dict[str, Leader]
    galleys: dict[str, Galley]
    roads: list[str]
    prices: dict[str, int]
    inflations: list[Inflation]
    journey: Journey | None
    passage: Passage | None
    grants: list[Grant]
    combat: Combat | None
    battle: Battle | None
    naval_battle: NavalBattle | None
    rescues: list[Rescue]
    bought: Purchase | None
    offers: list[Offer]
    alliances: list[Alliance]
    acclamation: Acclamation | None
    winner: Seat | None
