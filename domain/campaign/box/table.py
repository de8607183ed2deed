"""The table of the Campaign game: what lies where, who is allied, whose turn it is, and what is under way.

Only the values of senators in hand are hidden. Chaos is no secret of the log, but a view shows it to its owner alone.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from msgspec import field
from msgspec.structs import replace

from domain.campaign.box.data import Card, CardId, Data
from domain.campaign.box.state import (
    NO_ARMY,
    SLAVES,
    Army,
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
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import command, message
from domain.kernel.rules.board import Map
from domain.kernel.rules.table import Table as KernelTable


class Table(KernelTable):
    """The whole position, made of the structs in state.py. `static` fields are fixed for the game."""

    static: ClassVar[tuple[str, ...]] = ("map", "data", "cards", "seasons", "seats")

    map: Map
    data: Data
    cards: Mapping[CardId, Card]
    seasons: int
    seats: tuple[Seat, ...]
    """The players clockwise, in the order of the colours in the box."""

    phase: Phase = "setup"
    season: int = 0
    round: int = 0
    first: Seat | None = None
    """Who opened the last auction; before the first of a season, who opens it (CS-AUC-02)."""
    players: dict[Seat, Player] = field(default_factory=dict[Seat, Player])
    provinces: dict[AreaId, Province] = field(default_factory=dict[AreaId, Province])
    fleets: dict[AreaId, dict[Seat, int]] = field(default_factory=dict[AreaId, dict[Seat, int]])
    """Galleys by sea zone and player."""
    pool: dict[AreaId, int] = field(default_factory=dict[AreaId, int])
    """Province tokens that have not been drawn."""
    deck: dict[CardId, int] = field(default_factory=dict[CardId, int])
    """Cards that have not been drawn."""
    display: dict[CardId, int] = field(default_factory=dict[CardId, int])
    """Cards that can be acquired."""
    owned: dict[Seat, dict[CardId, int]] = field(default_factory=dict[Seat, dict[CardId, int]])
    """Cards in front of players."""
    used: dict[Seat, dict[CardId, int]] = field(default_factory=dict[Seat, dict[CardId, int]])
    """How many of those are face down (CS-CRD-09)."""
    hands: dict[Seat, Hand] = field(default_factory=dict[Seat, Hand])
    """The senators of each player."""

    alliance_a: list[Seat] = field(default_factory=list[Seat])
    alliance_b: list[Seat] = field(default_factory=list[Seat])
    """The players in the second, fourth and sixth box of the turn order; those of A are in the others (CS-AUC-13)."""
    auction: Auction | None = None
    deploying: dict[str, int] = field(default_factory=dict[str, int])
    """What the active player must still deploy, besides the Caesar."""
    deploying_caesar: bool = False
    turn: Turn | None = None
    done: list[Seat] = field(default_factory=list[Seat])
    """The players who have deployed, or have had a turn in this round."""
    battle: Battle | None = None
    escape: Escaping | None = None
    revolt: Revolt | None = None
    vote: VoteUnderWay | None = None
    prize: Prize | None = None
    winners: list[Seat] = field(default_factory=list[Seat])
    won_by: str = ""

    # --- looking ---

    @property
    def names(self) -> message.Names:
        """Display names for the questions that are put to players."""
        return message.Names(self.map.names, (*self.seats, SLAVES))

    @property
    def order(self) -> list[Seat]:
        """The players in turn order: places of the alliances alternate, and a lone player is last (CS-AUC-14)."""
        places = max(len(self.alliance_a), len(self.alliance_b))
        return [box[place] for place in range(places) for box in (self.alliance_a, self.alliance_b) if place < len(box)]

    @property
    def active(self) -> Seat | None:
        """Whose turn it is, or who deploys."""
        if self.turn is not None:
            return self.turn.seat
        if self.phase == "deployment":
            return next((seat for seat in self.order if seat not in self.done), None)
        return None

    def clockwise(self, first: Seat) -> tuple[Seat, ...]:
        """Return the players clockwise, beginning with `first`."""
        place = self.seats.index(first)
        return self.seats[place:] + self.seats[:place]

    def are_allied(self, one: Seat, other: Seat) -> bool:
        """Tell whether two players are in one alliance; everybody is their own ally, slaves are nobody's."""
        return any(one in side and other in side for side in (self.alliance_a, self.alliance_b)) or one == other

    def army(self, area: AreaId, seat: Seat) -> Army:
        """The land units of a player there; an empty army when there are none."""
        return self.provinces[area].armies.get(seat, NO_ARMY)

    def enemies_at(self, area: AreaId, seat: Seat) -> list[Seat]:
        """The players not allied with `seat` who have land military units there."""
        armies = self.provinces[area].armies
        return [other for other in self.seats if self._is_army(armies, other) and not self.are_allied(seat, other)]

    @staticmethod
    def _is_army(armies: Mapping[Seat, Army], seat: Seat) -> bool:
        return seat in armies and armies[seat].units.total > 0

    def armies_at(self, area: AreaId) -> list[Seat]:
        """The players who have land military units there."""
        armies = self.provinces[area].armies
        return [seat for seat in self.seats if self._is_army(armies, seat)]

    def seas_of(self, area: AreaId) -> tuple[AreaId, ...]:
        """The sea zones adjacent to a province (CS-BRD-09)."""
        return tuple(sorted({sea for coast in self.map.coasts(area) for sea in coast.seas}))

    def galleys(self, sea: AreaId, seat: Seat) -> int:
        return self.fleets.get(sea, {}).get(seat, 0)

    @property
    def keys(self) -> list[AreaId]:
        """The key provinces (CS-BRD-02)."""
        return [area for area in self.map.lands if self.map.area(area).key is not None]

    def influence_of(self, seat: Seat) -> int:
        """All influence tokens of a player on the map."""
        return sum(province.influence.get(seat, 0) for province in self.provinces.values())

    def supply(self, seat: Seat) -> dict[str, int]:
        """What a player has left to place, by type (CS-PCS-04, CS-TOK-03)."""
        unused = dict(self.data.pieces)
        unused["influence"] -= self.influence_of(seat)
        for province in self.provinces.values():
            if (army := province.armies.get(seat)) is not None:
                for kind, count in army.units.by_type.items():
                    unused[kind] -= count
                unused["generals"] -= army.generals
        unused["galleys"] -= sum(fleet.get(seat, 0) for fleet in self.fleets.values())
        return unused

    def cards_of(self, seat: Seat) -> Iterator[tuple[Card, int]]:
        """The kinds of cards in front of a player, and how many of each."""
        for card, count in self.owned[seat].items():
            yield self.cards[card], count

    def unused(self, seat: Seat, card: CardId) -> int:
        """How many cards of a kind a player can still use in this season (CS-CRD-08)."""
        return self.owned[seat].get(card, 0) - self.used[seat].get(card, 0)

    # --- changing; for `apply` only ---

    def change_player(self, seat: Seat, **changes: Any) -> None:
        """Replace fields of a player."""
        self.players[seat] = replace(self.players[seat], **changes)

    def pay(self, seat: Seat, talents: int) -> None:
        """Move talents from a player to the bank; a negative number moves them to the player."""
        self.change_player(seat, talents=self.players[seat].talents - talents)

    def add_chaos(self, seat: Seat, chaos: int) -> None:
        self.change_player(seat, chaos=max(0, self.players[seat].chaos + chaos))

    def set_army(self, area: AreaId, seat: Seat, army: Army) -> None:
        """Put `army` there instead of what `seat` has; an empty army removes the seat's entry."""
        province = self.provinces[area]
        armies = {**province.armies, seat: army}
        if army == NO_ARMY:
            del armies[seat]
        elif seat not in province.armies:
            armies = dict(sorted(armies.items()))
        self.provinces[area] = replace(province, armies=armies)

    def add_galleys(self, sea: AreaId, seat: Seat, number: int) -> None:
        fleets = {**self.fleets, sea: plus(self.fleets.get(sea, {}), seat, number)}
        self.fleets = {area: fleet for area, fleet in sorted(fleets.items()) if fleet}

    def add_influence(self, area: AreaId, seat: Seat, number: int) -> None:
        province = self.provinces[area]
        self.provinces[area] = replace(province, influence=plus(province.influence, seat, number))

    def add_tokens(self, area: AreaId, number: int) -> None:
        province = self.provinces[area]
        self.provinces[area] = replace(province, tokens=province.tokens + number)

    def set_city(self, area: AreaId, owner: Seat) -> None:
        self.provinces[area] = replace(self.provinces[area], city=owner)

    def add_senators(self, seat: Seat, senators: Mapping[CardId, int], sign: int = 1) -> None:
        """Add senators that everybody sees to a hand; a `sign` of -1 removes them."""
        hand = self.hands[seat]
        visible = hand.seen
        for card, number in senators.items():
            visible = plus(visible, card, sign * number)
        self.hands[seat] = Hand(hand.count + sign * sum(senators.values()), hand.sealed, visible)

    def change_turn(self, **changes: Any) -> None:
        """Replace fields of the turn under way."""
        assert self.turn is not None, "it is somebody's turn"
        self.turn = replace(self.turn, **changes)

    def spend_action(self) -> None:
        """Take an action from the turn. This ends a move that could go on."""
        assert self.turn is not None, "it is somebody's turn"
        self.turn = replace(self.turn, actions=self.turn.actions - 1, land_move=None, naval_move=None)


def plus(counts: Mapping[Any, int], key: Any, number: int) -> dict[Any, int]:
    """Return `counts` with `number` added for `key`; a count of 0 is left out.

    A new key is sorted in: a table in memory must not differ from one that is read from its log, where keys are sorted.
    """
    new = {**counts, key: counts.get(key, 0) + number}
    if not new[key]:
        del new[key]
    return new if key in counts else dict(sorted(new.items()))


def turn_of(table: Table) -> Turn:
    """Return the turn under way."""
    assert table.turn is not None, "it is somebody's turn"
    return table.turn


def battle_of(table: Table) -> Battle:
    """Return the battle under way."""
    assert table.battle is not None, "a battle is under way"
    return table.battle


def revolt_of(table: Table) -> Revolt:
    """Return the slave revolt under way."""
    assert table.revolt is not None, "slaves have risen"
    return table.revolt


def auction_of(table: Table) -> Auction:
    """Return the auction under way."""
    assert table.auction is not None, "an auction is under way"
    return table.auction


def vote_of(table: Table) -> VoteUnderWay:
    """Return the vote under way."""
    assert table.vote is not None, "a vote is under way"
    return table.vote


class Event(message.Event[Table], frozen=True):
    """An event at a Campaign table."""


class Command(command.Command[Table], frozen=True):
    """A command at a Campaign table."""
