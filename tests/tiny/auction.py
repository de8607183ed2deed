"""The tiny auction: hidden hands, bids face down and all at once, dice for ties; two to four seats."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta, Struct, field

from domain.boards.drawing import Drawing, Outline
from domain.kernel.chance.evidence import Dice, Evidence, Lots
from domain.kernel.chance.secret import Opened, Sealed, Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import command, loading, message, schema
from domain.kernel.rules.board import Area, Board, Border, Map
from domain.kernel.rules.catalogue import Catalogue
from domain.kernel.rules.course import Consequence, Step
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft, Roll
from domain.kernel.rules.marks import Figure, Mark, Marks, Place, Shelf, Stack, Standing
from domain.kernel.rules.message import Count, Names
from domain.kernel.rules.refusal import Refusal, refuse_unless
from domain.kernel.rules.ruleset import Result, Rolled, Ruleset, Upcaster
from domain.kernel.rules.table import Table as KernelTable

SEATS = tuple(map(Seat, ("red", "blue", "green", "yellow")))
DECK = (1, 2, 3, 4, 5) * 3
HAND = 3
BANK = 12
LARGEST_PRIZE = 3

ROOM = Board(
    id="room",
    family="tiny",
    title="The auction room",
    areas=(Area(AreaId("hall"), "The hall", "land"), Area(AreaId("cellar"), "Keller für Gäste", "land")),
    borders=(Border((AreaId("hall"), AreaId("cellar")), "land"),),
)

ROOM_MAP = Drawing(
    board="room",
    projection="none",
    size=(400, 300),
    areas={
        AreaId("hall"): Outline("land", "The hall", "M0,0L400,0L400,200L0,200Z", (200, 40), (200, 100)),
        AreaId("cellar"): Outline("land", "Keller für Gäste", "M0,200L400,200L400,300L0,300Z", (200, 220), (200, 260)),
    },
    terra_incognita="",
    mare_incognitum="",
    rivers="",
    straits=(),
    inscriptions=(),
    notes="",
    credits="Ours.",
)


class Table(KernelTable, kw_only=True):
    """Who holds what; `hands` and `stock` are commitments, `chosen` the bids that lie face down."""

    static = ("map",)

    map: Map
    seats: tuple[Seat, ...]
    rounds: int
    round: int = 1
    bidding: bool = False
    bank: int = BANK
    prize: int = 0
    coins: dict[Seat, int]
    hands: dict[Seat, tuple[Sealed, ...]]
    stock: tuple[Sealed, ...] = ()
    chosen: dict[Seat, Sealed] = field(default_factory=dict[Seat, Sealed])
    spent: list[int] = field(default_factory=list[int])
    highest: tuple[Seat, ...] = ()
    gave: list[Seat] = field(default_factory=list[Seat])

    @property
    def auctioneer(self) -> Seat:
        return self.seats[(self.round - 1) % len(self.seats)]

    @property
    def over(self) -> bool:
        return self.round > self.rounds

    @property
    def cards(self) -> int:
        return len(self.stock) + len(self.spent) + sum(map(len, self.hands.values()))


class Event(message.Event[Table], frozen=True):
    def tell(self, names: Names) -> str:
        return f"{type(self).__name__}."


class Command(command.Command[Table], frozen=True):
    pass


# --- Setup ---


class CardsDealt(Event, frozen=True):
    hands: dict[Seat, tuple[Sealed, ...]]
    stock: tuple[Sealed, ...]

    def apply(self, table: Table) -> None:
        table.hands.update(self.hands)
        table.stock = self.stock


# --- The prize ---


class PrizePutUp(Event, frozen=True):
    """Version 1 called the coins `amount`."""

    schema = 2

    coins: Count

    def apply(self, table: Table) -> None:
        table.bank -= self.coins
        table.prize += self.coins


class BiddingOpened(Event, frozen=True):
    def apply(self, table: Table) -> None:
        table.bidding = True


class PutUp(Command, frozen=True):
    rules = ("TA-PUT-01",)
    answers = frozenset({"put-up-prize"})

    coins: Count

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        most = most_coins(draft.table)
        refuse_unless(
            1 <= self.coins <= most, self.rule, f"{self.coins} coins more were put up.", f"1 to {most} may be."
        )
        draft.emit(PrizePutUp(self.coins))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if most := most_coins(table):
            yield Option("put-up", RuleId(cls.rule), schema.command("put-up", {"coins": schema.count(1, most)}))


class OpenBidding(Command, frozen=True):
    rules = ("TA-PUT-02",)
    answers = frozenset({"put-up-prize"})

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        refuse_unless(draft.table.prize, self.rule, "The bidding was opened for nothing.", "Put up a coin first.")
        draft.emit(BiddingOpened())

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if table.prize:
            yield Option("open-bidding", RuleId(cls.rule), schema.command("open-bidding"))


def most_coins(table: Table) -> int:
    return min(LARGEST_PRIZE - table.prize, table.bank)


# --- Bidding ---


class CardChosen(Event, frozen=True):
    """A card was laid down, sealed anew so that nobody sees which of the hand it is; `forced` when it was the last."""

    seat: Seat
    card: Sealed
    forced: bool = False

    def apply(self, table: Table) -> None:
        table.chosen[self.seat] = self.card


class Bid(Struct, frozen=True):
    """A bid turned up, and the commitment under which the card lay in the hand."""

    seat: Seat
    card: Opened
    dealt: Opened


class CardsRevealed(Event, frozen=True):
    reveals: ClassVar[bool] = True

    bids: tuple[Bid, ...]

    def apply(self, table: Table) -> None:
        for bid in self.bids:
            hand = table.hands[bid.seat]
            table.hands[bid.seat] = tuple(card for card in hand if card.commitment != bid.dealt.commitment)
            table.spent.append(bid.card.value)
        table.chosen.clear()
        best = max(bid.card.value for bid in self.bids)
        table.highest = tuple(bid.seat for bid in self.bids if bid.card.value == best)


class TieRolled(Event, frozen=True):
    roll: Roll
    highest: tuple[Seat, ...]

    def apply(self, table: Table) -> None:
        table.highest = self.highest


class PrizeTaken(Event, frozen=True):
    seat: Seat

    def apply(self, table: Table) -> None:
        table.coins[self.seat] += table.prize
        table.prize, table.highest, table.bidding = 0, (), False
        table.round += 1
        table.gave.clear()


class ChooseCard(Command, frozen=True):
    rules = ("TA-BID-01",)
    answers = frozenset({"choose-card"})
    sealed = True

    card: Count

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        hand = [draft.open(card) for card in draft.table.hands[seat]]
        refuse_unless(self.card in hand, self.rule, f"{seat} chose a {self.card}.", f"The hand holds {sorted(hand)}.")
        draft.emit(CardChosen(seat, draft.seal(self.card, (seat,))))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        cards = schema.one_of(sorted({vault.open(card) for card in table.hands[seat]}))
        yield Option("choose-card", RuleId(cls.rule), schema.command("choose-card", {"card": cards}))


def put_up(table: Table) -> Sequence[Decision]:
    return (Decision("put-up-prize", (table.auctioneer,), RuleId("TA-PUT-01"), "What is the prize?"),)


def bid(table: Table) -> Sequence[Decision] | Consequence[Table]:
    waiting = tuple(seat for seat in table.seats if seat not in table.chosen)
    if not waiting:
        return reveal
    for seat in waiting:
        if len(table.hands[seat]) == 1:
            return lambda draft: bid_last(draft, seat)
    return (Decision("choose-card", waiting, RuleId("TA-BID-01"), "Which card do you bid?", "the reveal"),)


def bid_last(draft: Draft[Table], seat: Seat) -> None:
    card = draft.open(draft.table.hands[seat][0])
    draft.emit(CardChosen(seat, draft.seal(card, (seat,)), forced=True))


def reveal(draft: Draft[Table]) -> None:
    bids: list[Bid] = []
    for seat in draft.table.seats:
        card = draft.reveal(draft.table.chosen[seat])
        dealt = next(each for each in draft.table.hands[seat] if draft.open(each) == card.value)
        bids.append(Bid(seat, card, draft.reveal(dealt)))
    draft.emit(CardsRevealed(tuple(bids)))
    while len(tied := draft.table.highest) > 1:
        roll = draft.roll(len(tied), 6)
        best = max(roll.faces)
        draft.emit(TieRolled(roll, tuple(seat for seat, face in zip(tied, roll.faces, strict=True) if face == best)))
    draft.emit(PrizeTaken(draft.table.highest[0]))


# --- Gifts ---


class CoinsGiven(Event, frozen=True):
    seat: Seat
    coins: dict[Seat, Count]

    def apply(self, table: Table) -> None:
        for seat, coins in self.coins.items():
            table.coins[self.seat] -= coins
            table.coins[seat] += coins
        table.gave.append(self.seat)


class Give(Command, frozen=True):
    rules = ("TA-GIV-01",)

    coins: dict[Seat, Count]

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        if table.over or seat not in table.seats or seat in table.gave:
            raise Refusal(
                self.rule, "Coins were given.", "A seat gives once a round while the game goes on.", untimely=True
            )
        strangers = self.coins.keys() - (set(table.seats) - {seat})
        refuse_unless(not strangers, self.rule, f"{sorted(strangers)} were given coins.", "Give to the other seats.")
        total, own = sum(self.coins.values()), table.coins[seat]
        refuse_unless(
            1 <= total <= own, self.rule, f"{total} coins were given.", f"{seat} has {own}; give at least one."
        )
        draft.emit(CoinsGiven(seat, {to: coins for to, coins in self.coins.items() if coins}))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        own = table.coins.get(seat, 0)
        if table.over or not own or seat in table.gave:
            return
        others = {str(other): schema.count(0, own) for other in table.seats if other != seat}
        purse = schema.record(others, others, x_sum={"minimum": 1, "maximum": own})
        yield Option("give", RuleId(cls.rule), schema.command("give", {"coins": purse}))


# --- The whole ---


class Setup(Struct, frozen=True, forbid_unknown_fields=True):
    rounds: Annotated[int, Meta(ge=1, le=HAND)] = HAND


class View(Struct):
    """`hands` and `chosen` show the cards that the seat may read, None for each that it may not."""

    round: int
    bidding: bool
    bank: int
    prize: int
    coins: dict[Seat, int]
    hands: dict[Seat, tuple[int | None, ...]]
    chosen: dict[Seat, int | None]
    spent: tuple[int, ...]


class Position(Struct, forbid_unknown_fields=True):
    """A scenario's position: the cards in hand of each seat, and where in the round the game is."""

    hands: dict[Seat, tuple[int, ...]]
    coins: dict[Seat, int] = {}
    round: int = 1
    rounds: int = HAND
    bidding: bool = False
    bank: int = BANK
    prize: int = 0


def _card(card: int | None) -> Mark:
    return Mark("card", words="a card") if card is None else Mark("card", label=str(card), words=f"a {card}")


class TinyAuction(Ruleset[Table]):
    id = "tiny-auction"
    title = "Tiny Auction"
    board = "room"
    setup = Setup
    view_type = View
    events = (CardsDealt, PrizePutUp, BiddingOpened, CardChosen, CardsRevealed, TieRolled, PrizeTaken, CoinsGiven)
    commands = (PutUp, OpenBidding, ChooseCard, Give)
    die: ClassVar[Mapping[str, int]] = {"six": 6}
    dice: ClassVar[Mapping[str, tuple[str, ...]]] = {"d6": tuple("123456")}
    chance: ClassVar[Mapping[type[message.Event[Any]], tuple[Evidence, ...]]] = {
        CardsDealt: (Lots(),),
        TieRolled: (Dice("d6", ("roll",)),),
    }
    landmarks: ClassVar[Mapping[type[message.Event[Any]], str]] = {PrizeTaken: "prize"}
    charts: ClassVar[Mapping[str, str]] = {"points": "coins"}
    upcasters: ClassVar[Mapping[tuple[str, int], Upcaster]] = {
        ("prize-put-up", 1): lambda old: {"type": old["type"], "coins": old["amount"]},
    }

    @cached_property
    def catalogue(self) -> Catalogue:
        return loading.load((Path(__file__).parent / "catalogue.toml").read_bytes())

    @property
    def players(self) -> tuple[int, ...]:
        return (2, 3, 4)

    def seats(self, players: int, choices: Any = None) -> tuple[Seat, ...]:
        return SEATS[:players] if players in self.players else ()

    def lay(self, seats: tuple[Seat, ...], setup: Any, board: Board) -> Table:
        if not board.areas:
            raise ValueError("the auction needs a room")
        return Table(
            map=Map.of(board),
            seats=seats,
            rounds=setup.rounds,
            coins=dict.fromkeys(seats, 0),
            hands=dict.fromkeys(seats, ()),
        )

    def open(self, draft: Draft[Table]) -> None:
        deck = draft.shuffle(DECK)
        hands = {seat: tuple(draft.seal(deck.pop(), (seat,)) for _ in range(HAND)) for seat in draft.table.seats}
        draft.emit(CardsDealt(hands, tuple(draft.seal(card, ()) for card in deck)))

    def step(self, table: Table) -> Step[Table]:
        return bid if table.bidding else put_up

    defaults: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "put-up-prize": ("open-bidding", "put-up"),
        "choose-card": ("choose-card",),
    }

    def turn(self, table: Table) -> tuple[Seat, int] | None:
        return None if table.over or table.bidding else (table.auctioneer, table.round)

    def view(self, table: Table, vault: Vault) -> View:
        def shown(card: Sealed) -> int | None:
            return vault.open(card) if vault.holds(card) else None

        return View(
            round=table.round,
            bidding=table.bidding,
            bank=table.bank,
            prize=table.prize,
            coins=dict(table.coins),
            hands={seat: tuple(map(shown, hand)) for seat, hand in table.hands.items()},
            chosen={seat: shown(card) for seat, card in table.chosen.items()},
            spent=tuple(table.spent),
        )

    def marks(self, view: View, names: Names) -> Marks:
        stacks = tuple(
            Stack(seat, tuple(map(_card, hand)), f"{names(seat)}: cards") for seat, hand in view.hands.items()
        )
        spent = tuple(Mark("card", label=str(card), words=f"a {card}, spent") for card in view.spent)
        standings = (
            Standing(seat, {"coins": coins}, (_card(view.chosen[seat]),) if seat in view.chosen else ())
            for seat, coins in view.coins.items()
        )
        places = {AreaId("hall"): Place(stacks=stacks), AreaId("cellar"): Place(sites=spent)}
        return Marks(places, (), tuple(standings), (Shelf("Bank", (Mark("tax", view.bank, words="coins"),)),))

    def result(self, table: Table) -> Result | None:
        if not table.over:
            return None
        most = max(table.coins.values())
        return Result(tuple(seat for seat, coins in table.coins.items() if coins == most), "TA-END-01")

    def heading(self, table: Table) -> str:
        return f"Round {table.round}"

    def round(self, table: Table) -> int:
        return min(table.round, table.rounds)

    def score(self, table: Table) -> Mapping[Seat, Mapping[str, Figure]]:
        return {seat: {"coins": coins} for seat, coins in table.coins.items()}

    def rolled(self, event: message.Event[Table], before: Table | None = None) -> Iterable[Rolled]:
        roll = event.roll if isinstance(event, TieRolled) else None
        return (Rolled("d6", tuple(map(str, roll.faces)), None, roll.draw),) if roll is not None else ()

    def arrange(self, position: Mapping[str, Any], board: Board) -> Table:
        given = msgspec.convert(position, Position)
        table = self.lay(tuple(given.hands), Setup(given.rounds), board)
        table.coins.update(given.coins)
        table.round, table.bidding, table.bank, table.prize = given.round, given.bidding, given.bank, given.prize
        return table

    def conceal(self, draft: Draft[Table], position: Mapping[str, Any]) -> None:
        for seat, hand in msgspec.convert(position, Position).hands.items():
            draft.table.hands[seat] = tuple(draft.seal(card, (seat,)) for card in hand)
