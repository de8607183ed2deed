"""What everybody sees of a Classic table: all of it, with the figures that the rules derive."""

from msgspec import Struct

from domain.classic import purchase
from domain.classic.table import (
    Acclamation,
    Alliance,
    Battle,
    Combat,
    Defeat,
    Galley,
    Grant,
    Inflation,
    Journey,
    Leader,
    NavalBattle,
    Offer,
    Passage,
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
    passages: list[Passage]
    grants: list[Grant]
    combat: Combat | None
    battle: Battle | None
    naval_battle: NavalBattle | None
    defeats: list[Defeat]
    rescues: list[Rescue]
    landings: list[AreaId]
    bought: Purchase | None
    reinforced: bool
    offers: list[Offer]
    declined: list[str]
    alliances: list[Alliance]
    acclamation: Acclamation | None
    winner: Seat | None


def of(table: Table) -> View:
    """Return what everybody sees."""
    return View(
        round=table.round,
        phase=table.phase,
        active=table.active,
        order=table.order,
        seats={seat: _standing(table, seat) for seat in table.players},
        provinces=table.provinces,
        leaders=table.leaders,
        galleys=table.galleys,
        roads=table.roads,
        prices=purchase.prices(table),
        inflations=table.inflations,
        journey=table.journey,
        passage=table.request,
        passages=table.passages,
        grants=table.grants,
        combat=table.combat,
        battle=table.battle,
        naval_battle=table.naval_battle,
        defeats=table.defeats,
        rescues=table.rescues,
        landings=table.landings,
        bought=table.bought,
        reinforced=table.reinforced,
        offers=table.offers,
        declined=table.declined,
        alliances=table.alliances,
        acclamation=table.acclamation,
        winner=table.winner,
    )


def _standing(table: Table, seat: Seat) -> SeatView:
    player = table.players[seat]
    return SeatView(
        home=player.home,
        talents=player.talents,
        tribute=table.tribute(seat),
        provinces=sum(province.owner == seat for province in table.provinces.values()),
        playing=player.fallen_to is None,
        fallen_to=player.fallen_to,
        supply=purchase.supply(table, seat),
        prisoners=[name for name, leader in table.leaders.items() if leader.captor == seat],
    )
