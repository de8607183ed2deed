"""What everybody sees of a Classic table: all of it, and figures that follow from it, such as prices."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from domain.classic.box.pieces import Galley, GalleyId, Leader, LeaderId
from domain.classic.box.state import (
    Acclamation,
    Alliance,
    Battle,
    Combat,
    Defeat,
    Grant,
    Inflation,
    Journey,
    NavalBattle,
    Offer,
    Passage,
    Phase,
    Player,
    Province,
    Purchase,
    Rescue,
    RoadId,
)
from domain.classic.box.table import Table
from domain.classic.economy import purchase
from domain.kernel.ids import AreaId, Seat


class SeatView(Struct, frozen=True):
    """What belongs to a player, and whether they are still in the game.

    Attributes:
        home: the original Home Province (CC-SET-08); null until it is drawn or picked.
        talents: the treasury.
        tribute: the tribute value (CC-ECO-01).
        provinces: how many provinces they control.
        playing: whether they are still in the game.
        fallen_to: who captured their Caesar; null while they are in the game.
        supply: how many of each piece they can still buy before the supply runs out.
        prisoners: the generals of others whom they hold.
    """

    home: AreaId | None
    talents: int
    tribute: int
    provinces: int
    playing: bool
    fallen_to: Seat | None
    supply: dict[str, int]
    prisoners: list[LeaderId]


class View(Struct, frozen=True, kw_only=True):
    """The whole position; nothing in this game is hidden (CC-ECO-05).

    Attributes:
        active: whose turn it is.
        order: the seats in turn order (CC-TRN-01). It includes the fallen, whose turns are skipped.
        leaders: those in the game, prisoners included; killed generals and captured Caesars are not there.
        prices: what a piece costs now, in talents.
        inflations: the levels that were triggered, in effect or not.
        journey: the road move under way.
        passage: the passage for which consent was requested.
        passages: those that were granted and not yet used, and those that were refused this turn.
        grants: the standing consents.
        combat: what is left to do in the combat phase; null in other phases.
        defeats: defeated generals whom their captor must capture or kill.
        rescues: leaders of sunk galleys whom their owner has to place.
        landings: the provinces where the active player landed a legion this turn (CC-SEA-23).
        bought: what the active player bought and still has to place.
        reinforced: whether new land combat units were placed this turn (CC-CAP-06).
        offers: the open offers of ransom.
        declined: entries `general/seat`: the last offer of that seat for that general failed this turn, so the other
            side may make the next.
        proposed: `seat/other` for a seat that has proposed a ransom to another this turn (CC-RAN-14).
        waived: seats that do not want to make an offer before this turn ends, so it does not wait for them (CC-RAN-13).
        always_waived: seats that want no turn to wait for their offers, until they say otherwise (CC-RAN-13).
        acclamation: the winner who is proposed.
    """

    round: int
    phase: Phase
    active: Seat | None
    order: list[Seat]
    seats: dict[Seat, SeatView]
    provinces: dict[AreaId, Province]
    leaders: dict[LeaderId, Leader]
    galleys: dict[GalleyId, Galley]
    roads: list[RoadId]
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
    proposed: list[str]
    waived: list[Seat]
    always_waived: list[Seat]
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
        proposed=table.proposed,
        waived=table.waived,
        always_waived=table.always_waived,
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


def imagine(table: Table, view: View) -> None:
    """Fill a bare table with the position that `view` shows."""
    table.assume(view)
    table.request = view.passage
    for seat, standing in view.seats.items():
        colours = tuple(other for other in view.seats if (other, *_captors(view, other))[-1] == seat)
        table.players[seat] = Player(colours, standing.home, standing.talents, standing.fallen_to)
    table.next_galley = 1 + _highest(view.galleys)
    table.next_talk = 1 + _highest(each.id for each in (*view.offers, *view.alliances))


def _captors(view: View, seat: Seat) -> Iterator[Seat]:
    """Yield who captured a seat's Caesar, who captured that player's Caesar, and so on."""
    captor = view.seats[seat].fallen_to
    while captor is not None:
        yield captor
        captor = view.seats[captor].fallen_to


def _highest(ids: Iterable[str]) -> int:
    """Return the highest number at the end of ids; 0 when there are none."""
    return max((int(each.rpartition("-")[2]) for each in ids), default=0)
