"""The auctions that make the alliances and the turn order (chapter AUC)."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.campaign.box.data import COIN
from domain.campaign.box.state import Auction
from domain.campaign.box.table import Command, Event, Table, auction_of
from domain.campaign.turn import season
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Count, Names, enumerated
from domain.kernel.rules.refusal import Refusal

# --- what happens ---


class AuctionOpened(Event, frozen=True):
    """An auction for the next places in the alliances began (CS-AUC-01 to CS-AUC-03)."""

    rules = ("CS-AUC-01", "CS-AUC-02", "CS-AUC-03")

    opener: Seat

    def apply(self, table: Table) -> None:
        table.auction = Auction(self.opener)
        table.first = self.opener

    def tell(self, names: Names) -> str:
        return f"{names(self.opener)} opens an auction."


class BidMade(Event, frozen=True):
    """A player bid (CS-AUC-04, CS-AUC-05) with a proposal (CS-AUC-08).

    Attributes:
        amount: in talents.
        a: the player whom they propose for the next place of alliance A.
        b: the player whom they propose for the next place of alliance B.
    """

    rules = ("CS-AUC-04", "CS-AUC-05", "CS-AUC-08")

    seat: Seat
    amount: Count
    a: Seat | None
    b: Seat | None

    def apply(self, table: Table) -> None:
        auction = auction_of(table)
        others = table.clockwise(self.seat)[1:]
        waiting = tuple(seat for seat in others if table.players[seat].talents >= self.amount + COIN)
        table.auction = Auction(auction.opener, self.seat, self.amount, self.a, self.b, waiting)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} bids {self.amount} talents: {_proposal(self.a, self.b, names)}."


class BidPassed(Event, frozen=True):
    """A player did not raise the bid; they may do so when they are asked again (CS-AUC-06)."""

    rules = ("CS-AUC-05", "CS-AUC-06")

    seat: Seat

    def apply(self, table: Table) -> None:
        auction = auction_of(table)
        table.auction = replace(auction, waiting=auction.waiting[1:])

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} passes."


class AuctionWon(Event, frozen=True):
    """Nobody raised the last bid: the bidder paid, and their proposal was carried out (CS-AUC-07, CS-AUC-12).

    Attributes:
        amount: what they paid, in talents.
        a: who joined alliance A.
        b: who joined alliance B.
    """

    rules = ("CS-AUC-07", "CS-AUC-12", "CS-AUC-13", "CS-AUC-14")

    seat: Seat
    amount: Count
    a: Seat | None
    b: Seat | None

    def apply(self, table: Table) -> None:
        table.pay(self.seat, self.amount)
        if self.a is not None:
            table.alliance_a.append(self.a)
        if self.b is not None:
            table.alliance_b.append(self.b)
        table.auction = None

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} won the auction for {self.amount} talents: {_proposal(self.a, self.b, names)}."


def _proposal(a: Seat | None, b: Seat | None, names: Names) -> str:
    return enumerated([f"{names(seat)} in alliance {name}" for seat, name in ((a, "A"), (b, "B")) if seat is not None])


class AlliancesMade(Event, frozen=True):
    """Every player was in one of the two alliances (CS-AUC-01, CS-AUC-17).

    Attributes:
        order: the turn order.
        a: the members of alliance A.
        b: the members of alliance B.
    """

    rules = ("CS-AUC-01", "CS-AUC-13", "CS-AUC-17")

    order: tuple[Seat, ...]
    a: tuple[Seat, ...]
    b: tuple[Seat, ...]

    def apply(self, table: Table) -> None:
        if table.season == 1:
            table.phase = "deployment"

    def tell(self, names: Names) -> str:
        alliances = f"{names.all(self.a)} against {names.all(self.b)}"
        return f"The alliances are made: {alliances}. The turn order is {names.all(self.order)}."


def unallied(table: Table) -> list[Seat]:
    """Return the players who are in no alliance yet, clockwise."""
    return [seat for seat in table.seats if seat not in table.alliance_a and seat not in table.alliance_b]


# --- what players choose ---


class Bid(Command, frozen=True):
    """Bid for the next two places in the alliances, with a proposal (CS-AUC-08). You need not propose yourself.

    Attributes:
        amount: talents, a multiple of 5; paid if you win (CS-AUC-12).
        a: whom you propose for alliance A; left out where a lone player is proposed for B (CS-AUC-11).
        b: whom you propose for alliance B; left out where a lone player is proposed for A.
    """

    rules = ("CS-AUC-05", "CS-AUC-04", "CS-AUC-08", "CS-AUC-09", "CS-AUC-10", "CS-AUC-11", "CS-AUC-16")
    answers = frozenset({"bid"})
    gesture = Gesture(targets=("a", "b"), counts=("amount",), control="bid")

    amount: Count
    a: Seat | None = None
    b: Seat | None = None

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        self._check_amount(draft.table, seat)
        self._check_proposal(draft.table)
        draft.emit(BidMade(seat, self.amount, self.a, self.b))

    def _check_amount(self, table: Table, seat: Seat) -> None:
        auction, wrong = auction_of(table), f"You cannot bid {self.amount} talents."
        least = auction.amount + COIN if auction.bidder is not None else 0
        if self.amount % COIN:
            raise Refusal("CS-PCS-08", wrong, f"Bid a multiple of {COIN}.")
        if self.amount > table.players[seat].talents:
            raise Refusal("CS-AUC-16", wrong, f"You have {table.players[seat].talents} talents.")
        if self.amount < least:
            raise Refusal("CS-AUC-05", wrong, f"Bid at least {least}, or pass.")

    def _check_proposal(self, table: Table) -> None:
        free = unallied(table)
        wrong = f"You cannot propose {self.a or 'nobody'} for alliance A and {self.b or 'nobody'} for alliance B."
        proposed = [seat for seat in (self.a, self.b) if seat is not None]
        if len(free) == 1:
            if proposed != free:
                raise Refusal("CS-AUC-11", wrong, f"Propose {free[0]} for one of the alliances, and nobody else.")
        elif len(set(proposed)) < 2 or not set(proposed) <= set(free):
            allowed = f"Propose two different players of those in no alliance: {', '.join(free)}."
            raise Refusal("CS-AUC-11" if len(proposed) == 1 else "CS-AUC-08", wrong, allowed)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        auction, free, names = auction_of(table), unallied(table), table.names
        least = auction.amount + COIN if auction.bidder is not None else 0
        rule = "CS-AUC-04" if auction.bidder is None else "CS-AUC-05"
        amount = schema.one_of(range(least, table.players[seat].talents + 1, COIN))
        if len(free) == 1:
            for box in ("a", "b"):
                title = f"Bid for {'yourself' if free[0] == seat else names(free[0])} in alliance {box.upper()}"
                yield cls.option(title, {"amount": amount, box: schema.const(free[0])}, rule=rule)
            return
        for a in free:
            others = [other for other in free if other != a]
            fields = {"amount": amount, "a": schema.const(a), "b": schema.one_of(others)}
            title = f"Bid for {'yourself' if a == seat else names(a)} in alliance A"
            yield cls.option(title, fields, rule=rule)


class PassBid(Command, frozen=True):
    """Do not raise the bid. You may raise it when you are asked again (CS-AUC-06)."""

    rules = ("CS-AUC-05", "CS-AUC-06")
    answers = frozenset({"bid"})
    gesture = Gesture(quiet=True, called="Pass")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        if auction_of(draft.table).bidder is None:
            raise Refusal("CS-AUC-04", "You asked to pass.", "You open this auction: bid 0 talents or more.")
        draft.emit(BidPassed(seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if auction_of(table).bidder is not None:
            yield cls.option()


# --- the steps ---


def next_auction(table: Table) -> Consequence[Table]:
    """Open the next auction; when everybody is in an alliance, end the auctions (CS-AUC-01)."""
    return _open if unallied(table) else _close


def _open(draft: Draft[Table]) -> None:
    table = draft.table
    assert table.first is not None, "the first player is drawn in the set-up"
    is_first = not table.alliance_a
    opener = table.first if is_first else table.clockwise(table.first)[1]
    draft.emit(AuctionOpened(opener))


def _close(draft: Draft[Table]) -> None:
    table = draft.table
    draft.emit(AlliancesMade(tuple(table.order), tuple(table.alliance_a), tuple(table.alliance_b)))
    if table.phase == "auction":
        season.begin_round(draft)


def bid(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the opener for a bid, then the others who can raise it; when nobody is left to ask, the bidder wins."""
    auction = auction_of(table)
    next_bidder = auction.opener if auction.bidder is None else next(iter(auction.waiting), None)
    if next_bidder is None:
        return _win
    about = {"bidder": auction.bidder, "amount": auction.amount, "a": auction.a, "b": auction.b}
    depends = "The auction ends when all others have passed."
    if auction.bidder is None:
        return [
            Decision("bid", (next_bidder,), RuleId("CS-AUC-04"), "What do you bid for the next places?", depends, about)
        ]
    names = table.names
    title = f"Do you raise {names(auction.bidder)}'s bid of {auction.amount} talents?"
    depends = f"They propose {_proposal(auction.a, auction.b, names)}. {depends}"
    return [Decision("bid", (next_bidder,), RuleId("CS-AUC-05"), title, depends, about)]


def _win(draft: Draft[Table]) -> None:
    auction = auction_of(draft.table)
    assert auction.bidder is not None, "the opener has bid"
    draft.emit(AuctionWon(auction.bidder, auction.amount, auction.a, auction.b))


EVENTS = (AuctionOpened, BidMade, BidPassed, AuctionWon, AlliancesMade)
COMMANDS = (Bid, PassBid)
