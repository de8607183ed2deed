"""What a player sees: everything except other players' senators in hand (CS-CRD-06) and chaos points (CS-TOK-09)."""

from msgspec import Struct

from domain.campaign.box import hands
from domain.campaign.box.data import CardId
from domain.campaign.box.state import (
    Auction,
    Battle,
    Escaping,
    Hand,
    Phase,
    Player,
    Prize,
    Province,
    Revolt,
    Turn,
    VoteUnderWay,
)
from domain.campaign.box.table import Table
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.schema import Random


class SeatView(Struct, frozen=True):
    """What a viewer sees of a player.

    Attributes:
        talents: the treasury.
        points: victory points.
        chaos: chaos points; null for all viewers but the player.
        shown: chaos points as they were last revealed.
        influence: influence tokens on the map.
        senators: how many senators they hold.
        hand: how many senators of each kind they hold; null for all viewers but the player.
        cards: the cards in front of them.
        used: how many of those are face down until the next season.
        supply: pieces and influence tokens that they have left.
        ally: the players allied with them.
    """

    talents: int
    points: int
    chaos: int | None
    shown: int
    influence: int
    senators: int
    hand: dict[CardId, int] | None
    cards: dict[CardId, int]
    used: dict[CardId, int]
    supply: dict[str, int]
    ally: tuple[Seat, ...]


class View(Struct, frozen=True):
    """What a viewer sees of the position.

    Attributes:
        season: the number of the season; 0 before the first.
        seasons: how many seasons the game has.
        round: the number of the round; 0 before the first of a season.
        first: who opened the last auction, or opens the next one.
        order: the players in turn order; during the auctions only those who have a place already.
        alliance_a: the members of alliance A.
        alliance_b: the members of alliance B.
        done: the players who have deployed, or have had a turn in this round.
        fleets: galleys by sea zone and player.
        pool: province tokens that have not been drawn.
        deck: cards that have not been drawn.
        display: cards that can be acquired.
        deploying: what the active player must still deploy.
    """

    phase: Phase
    season: int
    seasons: int
    round: int
    first: Seat | None
    active: Seat | None
    order: list[Seat]
    alliance_a: list[Seat]
    alliance_b: list[Seat]
    done: list[Seat]
    seats: dict[Seat, SeatView]
    provinces: dict[AreaId, Province]
    fleets: dict[AreaId, dict[Seat, int]]
    pool: dict[AreaId, int]
    deck: dict[CardId, int]
    display: dict[CardId, int]
    auction: Auction | None
    deploying: dict[str, int]
    turn: Turn | None
    battle: Battle | None
    escape: Escaping | None
    revolt: Revolt | None
    vote: VoteUnderWay | None
    prize: Prize | None
    winners: list[Seat]


def of(table: Table, vault: Vault) -> View:
    """Return what the holder of `vault` sees."""
    deploying = {**table.deploying, "caesar": int(table.deploying_caesar)} if table.deploying else {}
    return View(
        phase=table.phase,
        season=table.season,
        seasons=table.seasons,
        round=table.round,
        first=table.first,
        active=table.active,
        order=table.order,
        alliance_a=table.alliance_a,
        alliance_b=table.alliance_b,
        done=table.done,
        seats={seat: _seat_view(table, seat, vault) for seat in table.seats},
        provinces=table.provinces,
        fleets=table.fleets,
        pool=table.pool,
        deck=table.deck,
        display=table.display,
        auction=table.auction,
        deploying=deploying,
        turn=table.turn,
        battle=table.battle,
        escape=table.escape,
        revolt=table.revolt,
        vote=table.vote,
        prize=table.prize,
        winners=table.winners,
    )


def _seat_view(table: Table, seat: Seat, vault: Vault) -> SeatView:
    is_own = hands.is_read_by(table, seat, vault)
    player = table.players[seat]
    sides = (table.alliance_a, table.alliance_b)
    return SeatView(
        talents=player.talents,
        points=player.points,
        chaos=player.chaos if is_own else None,
        shown=player.shown,
        influence=table.influence_of(seat),
        senators=table.hands[seat].count,
        hand=hands.hand_of(table, seat, vault) if is_own else None,
        cards=table.owned[seat],
        used=table.used[seat],
        supply=table.supply(seat),
        ally=tuple(other for side in sides if seat in side for other in side if other != seat),
    )


def imagine(draft: Draft[Table], view: View, viewer: Seat, rng: Random) -> None:
    """Fill a bare table with a position that looks to `viewer` as `view` does.

    What is hidden is made up: other players have the chaos points that they revealed last, and random senators.
    """
    table = draft.table
    table.assume(view, "deploying")  # all fields but that one, which a view has in another form
    table.deploying = {kind: number for kind, number in view.deploying.items() if kind != "caesar"}
    table.deploying_caesar = bool(view.deploying.get("caesar"))
    laid = view.vote.laid if view.vote is not None else {}
    for seat, seat_view in view.seats.items():
        chaos = seat_view.shown if seat_view.chaos is None else seat_view.chaos
        table.players[seat] = Player(seat_view.talents, seat_view.points, chaos, seat_view.shown)
        table.owned[seat], table.used[seat] = seat_view.cards, seat_view.used
    visible = [view.deck, view.display, view.seats[viewer].hand or {}]
    visible += [cards for seat, cards in laid.items() if seat != viewer]
    unseen = [
        card
        for card in hands.kinds(table)
        for _ in range(table.cards[card].copies - sum(each.get(card, 0) for each in visible))
    ]
    dealt = rng.sample(unseen, len(unseen))
    for seat, seat_view in view.seats.items():
        hand = dict(seat_view.hand or {})
        if seat_view.hand is None:
            hand.update(laid.get(seat, {}))
            while sum(hand.values()) < seat_view.senators and dealt:
                card = dealt.pop()
                hand[card] = hand.get(card, 0) + 1
        table.hands[seat] = Hand(seat_view.senators, hands.seal(draft, seat, hand))
