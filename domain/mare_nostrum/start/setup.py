"""Set-up: who plays, the introductory layout, neutral civilizations, the first roles (MN-SET-01 to -09, -18 to -24).

The free set-up, in which everybody spends 36 points, is in `founding`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from domain.kernel.chance.secret import Sealed
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.board import Area, Map
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Draw, Names, enumerated
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box import hands, phrases
from domain.mare_nostrum.box.data import (
    BUILDINGS,
    CARDS,
    CIVILIZATIONS,
    GOODS,
    OWN_HERO,
    PIECES,
    RECOMMENDED,
    ROLES,
    START_ROLES,
    SUPPLY,
    CardId,
    Role,
)
from domain.mare_nostrum.box.editions import Rules
from domain.mare_nostrum.box.pieces import Force, Province
from domain.mare_nostrum.box.state import Hand, Leader, Setup
from domain.mare_nostrum.box.table import Event, Table
from domain.mare_nostrum.start import founding
from domain.mare_nostrum.turn import roles, turn

ONE_LEGION: Final = Force(fresh=1)
NEUTRAL_CAPITAL: Final = Force(fresh=1, fortresses=1)
"""What defends a neutral capital (MN-SET-18); its neighbours have one legion each (MN-SET-19)."""


# --- who plays (MN-SET-01, MN-SET-21) ---


def seats(players: int, choices: Setup) -> tuple[Seat, ...]:
    """Return the civilizations in play; none when the rules have no game for this number of players.

    Raises:
        Refusal: the chosen civilizations or leaders do not fit the players.
    """
    if players not in RECOMMENDED:
        return ()
    playing = _playing(players, choices)
    if choices.leaders:
        _check_leaders(playing, choices, choices.leaders)
    return playing


def _playing(players: int, choices: Setup) -> tuple[Seat, ...]:
    civilizations = choices.civilizations
    if not civilizations:
        return RECOMMENDED[players]
    if len(set(civilizations)) != len(civilizations):
        raise Refusal("MN-SET-01", f"You chose {', '.join(civilizations)}.", "Name each civilization once.")
    if len(civilizations) != players:
        wrong = f"You chose {len(civilizations)} civilizations for {players} players."
        raise Refusal("MN-SET-01", wrong, f"Choose {players} of {', '.join(CIVILIZATIONS)}.")
    return tuple(civilization for civilization in CIVILIZATIONS if civilization in civilizations)


def _check_leaders(playing: Sequence[Seat], choices: Setup, leaders: Sequence[Leader]) -> None:
    if choices.assignment == "dealt":
        wrong = "You named leaders, but also asked to deal the civilizations."
        raise Refusal("MN-SET-01", wrong, "Either name leaders or let the civilizations be dealt, not both.")
    if absent := [leader.civilization for leader in leaders if leader.civilization not in playing]:
        wrong = f"You named a leader for {', '.join(absent)}."
        raise Refusal("MN-SET-01", wrong, f"Civilizations in play: {', '.join(playing)}.")
    if len({leader.civilization for leader in leaders}) < len(leaders):
        wrong = "You named two leaders for the same civilization."
        raise Refusal("MN-SET-01", wrong, "Name one player for each civilization.")
    if len({leader.player for leader in leaders}) < len(leaders):
        wrong = "You named the same player for two civilizations."
        raise Refusal("MN-SET-01", wrong, "A player leads only one civilization.")


def bare(board: Map, rules: Rules, choices: Setup, seats: tuple[Seat, ...]) -> Table:
    """Return the table before the set-up: an empty board, empty hands, all tokens in the supply."""
    supply = SUPPLY[len(seats)]
    return Table(
        map=board,
        rules=rules,
        setup=choices,
        seats=seats,
        neutral=tuple(civilization for civilization in CIVILIZATIONS if civilization not in seats),
        capitals={Seat(board.area(area).traits["capital_of"][0]): area for area in board.homes},
        hands={seat: Hand() for seat in seats},
        cards=dict.fromkeys(seats, ()),
        supply={building: supply[building] for building in BUILDINGS},
        provinces={area: Province() for area in board.lands},
    )


def fit(table: Table) -> None:
    """Raise `ValueError` when there are not enough pieces for the layouts of the board."""
    if table.setup.layout == "free":
        return
    needed: Counter[str] = Counter()
    for seat in table.seats:
        start = layout(table, seat)
        own = Counter(piece for pieces in start.values() for piece in pieces) + Counter({"influence": len(start)})
        for piece, number in PIECES.items():
            if own[piece] > number:
                raise ValueError(f"on this board {seat} starts with {own[piece]} {piece} pieces; a player has {number}")
        needed.update("caravan" if piece in GOODS else piece for piece in own.elements())
    for building, number in table.supply.items():
        if needed[building] > number:
            raise ValueError(
                f"on this board players start with {needed[building]} {building} tokens; there are {number}"
            )


# --- events ---


class CivilizationsDealt(Event, frozen=True):
    """The civilizations were dealt to the players by lot (MN-SET-01); `SeatsMoved` follows.

    Attributes:
        order: the civilizations that the players of `seats` lead from now on, in the same order.
        seats: the seats that the players had taken.
    """

    rules = ("MN-SET-01",)

    order: tuple[Seat, ...]
    draw: Draw
    seats: tuple[Seat, ...]

    def apply(self, table: Table) -> None:
        """Change nothing: a seat is its civilization, and only its player has changed."""

    def seating(self) -> Mapping[Seat, Seat]:
        return dict(zip(self.seats, self.order, strict=True))

    def tell(self, names: Names) -> str:
        return f"The civilizations were dealt to the players, in the order of their seats: {names.all(self.order)}."


class HandsOpened(Event, frozen=True):
    """Everybody started with an empty hand (MN-SET-24).

    Attributes:
        hands: the hands; only its owner can read each.
    """

    rules = ("MN-SET-24",)

    hands: dict[Seat, Sealed]

    def apply(self, table: Table) -> None:
        for seat, cards in self.hands.items():
            table.hands[seat] = Hand(0, cards)

    def tell(self, names: Names) -> str:
        return "Everybody starts with an empty hand."


class EmpireLaidOut(Event, frozen=True):
    """A player's pieces were put on the board as the aid card shows them (MN-SET-06).

    Attributes:
        hero: the hero of their civilization, which they got (MN-SET-07).
        start: the pieces of each province, with the board's names: a good means a caravan on it.
    """

    rules = ("MN-SET-06",)

    seat: Seat
    hero: CardId
    start: dict[AreaId, tuple[str, ...]]

    def apply(self, table: Table) -> None:
        table.cards[self.seat] = (self.hero,)
        for area, pieces in self.start.items():
            table.change_province(area, owner=self.seat)
            force = Force(fresh=pieces.count("legion"), fortresses=pieces.count("fortress"))
            table.set_force(area, self.seat, force)
            table.set_port(area, self.seat, pieces.count("trireme"))
            for piece in pieces:
                if piece in GOODS:
                    table.build(area, "caravan", piece)
                elif piece in BUILDINGS:
                    table.build(area, piece)

    def tell(self, names: Names) -> str:
        places = names.all(self.start)
        return f"{names(self.seat)} starts with {CARDS[self.hero].name} in {places}."


class NeutralPlaced(Event, frozen=True):
    """A civilization that nobody plays got its marker and units (MN-SET-18, MN-SET-19).

    Attributes:
        capital: where it got a marker, a legion and a fortress.
        neighbours: where it got a marker and a legion.
    """

    rules = ("MN-SET-18", "MN-SET-19")

    civilization: Seat
    capital: AreaId
    neighbours: tuple[AreaId, ...]

    def apply(self, table: Table) -> None:
        table.change_province(self.capital, owner=self.civilization)
        table.set_force(self.capital, self.civilization, NEUTRAL_CAPITAL)
        for area in self.neighbours:
            table.change_province(area, owner=self.civilization)
            table.set_force(area, self.civilization, ONE_LEGION)

    def tell(self, names: Names) -> str:
        places = names.all((self.capital, *self.neighbours))
        return f"{phrases.owner(self.civilization)} is neutral and defends {places}."


class RoleCardsDealt(Event, frozen=True):
    """The role cards were handed out for the first turn (MN-SET-08, MN-SET-22).

    Attributes:
        draw: the draw that decided a tie; null when there was none.
    """

    rules = ("MN-SET-08", "MN-SET-22")

    roles: dict[Role, Seat]
    draw: Draw | None = None

    def apply(self, table: Table) -> None:
        table.roles.update({role: self.roles[role] for role in ROLES})  # the log keeps no order of keys

    def tell(self, names: Names) -> str:
        holders = [f"{names(self.roles[role])} as {roles.title(role)}" for role in ROLES]
        return f"{enumerated(holders)}.".replace(" as ", " starts as ", 1)


# --- what happens ---


def open(draft: Draft[Table]) -> None:  # noqa: A001  (the word of the ruleset protocol)
    """Place the layouts and the neutral civilizations and begin the first turn; or begin the free set-up."""
    table = draft.table
    if table.setup.assignment == "dealt":
        order = draft.shuffle(table.seats)
        draft.emit(CivilizationsDealt(tuple(order), draft.draws, table.seats))
    draft.emit(HandsOpened({seat: hands.seal(draft, seat, {}) for seat in table.seats}))
    if table.setup.layout == "free":
        founding.open(draft)
        return
    for seat in table.seats:
        draft.emit(EmpireLaidOut(seat, OWN_HERO[seat], layout(table, seat)))
    place_neutrals(draft)
    deal_roles(draft, named_by_aid_cards(table))
    turn.begin(draft)


def finish(draft: Draft[Table]) -> None:
    """After the free set-up, place the neutral civilizations, deal the roles and begin the first turn (MN-ROL-13)."""
    table = draft.table
    place_neutrals(draft)
    deal_roles(draft, named_by_aid_cards(table) if table.rules.aid_cards_name_roles else {})
    turn.begin(draft)


def layout(table: Table, seat: Seat) -> dict[AreaId, tuple[str, ...]]:
    """Return a civilization's introductory layout: the pieces of each province besides the marker (MN-SET-06)."""
    return {area.id: area.traits.get("start", ()) for area in _lands(table) if seat in area.traits.get("start_of", ())}


def _lands(table: Table) -> Iterator[Area]:
    return (table.map.area(area) for area in table.map.lands)


def place_neutrals(draft: Draft[Table]) -> None:
    """Put the neutral civilizations on the board, but not into provinces of players or other neutral capitals."""
    table = draft.table
    capitals = table.capitals.values()
    for civilization in table.neutral:
        capital = table.capitals[civilization]
        around = _around(table, civilization)
        free = tuple(area for area in around if table.provinces[area].owner is None and area not in capitals)
        draft.emit(NeutralPlaced(civilization, capital, free))


def _around(table: Table, civilization: Seat) -> tuple[AreaId, ...]:
    """Return the provinces next to a neutral capital: over land, and those that MN-SET-15 adds (MN-SET-19)."""
    beside = table.map.land_neighbours(table.capitals[civilization])
    if not table.rules.neutral_aegean:
        return beside
    added = (area.id for area in _lands(table) if civilization in area.traits.get("free_start_of", ()))
    return tuple(dict.fromkeys((*beside, *added)))


def named_by_aid_cards(table: Table) -> dict[Role, Seat]:
    """Return the roles of the players whose aid cards name one (MN-SET-08)."""
    return {role: seat for role, seat in START_ROLES.items() if seat in table.seats}


def deal_roles(draft: Draft[Table], holders: Mapping[Role, Seat]) -> None:
    """Hand out the role cards for the first turn, at most one to each player (MN-SET-22, MN-SET-23).

    `holders` get the roles that the aid cards give them. Totals decide the other roles; after a free set-up in version
    1, they decide all of them (MN-ROL-13).
    """
    table, draws = draft.table, draft.draws
    dealt = dict(holders)
    for role in ROLES:
        if role not in dealt:
            candidates = [seat for seat in table.seats if seat not in dealt.values()]
            dealt[role] = _most_qualified(draft, role, candidates)
    draw = draft.draws if draft.draws > draws else None
    draft.emit(RoleCardsDealt({role: dealt[role] for role in ROLES}, draw))


def _most_qualified(draft: Draft[Table], role: Role, candidates: Sequence[Seat]) -> Seat:
    totals = roles.totals(draft.table, role)
    most = max(totals[seat] for seat in candidates)
    tied = [seat for seat in candidates if totals[seat] == most]
    if START_ROLES[role] in tied:
        return START_ROLES[role]
    return tied[0] if len(tied) == 1 else draft.shuffle(tied)[0]


EVENTS = (CivilizationsDealt, HandsOpened, EmpireLaidOut, NeutralPlaced, RoleCardsDealt)
