"""Income: taxes from cities, goods from caravans, and what two wonders add (chapter INC, MN-WON-01, MN-WON-03)."""

from collections.abc import Iterable, Sequence

from msgspec import field

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Automatic, Count, Names
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box import phrases
from domain.mare_nostrum.box.data import BANK, GOODS, TAX, Resource
from domain.mare_nostrum.box.hands import Cards
from domain.mare_nostrum.box.pieces import Province
from domain.mare_nostrum.box.table import Command, Event, Table
from domain.mare_nostrum.turn import turn

# --- events ---


class IncomePaid(Event, frozen=True):
    """The bank paid everybody (MN-INC-01).

    Attributes:
        cards: what each player got, by kind.
        missing: what the bank could not pay, by kind; it is lost (MN-INC-12).
    """

    rules = ("MN-INC-01",)

    cards: dict[Seat, dict[Resource, Count]]
    missing: dict[Seat, dict[Resource, Count]] = field(default_factory=dict[Seat, dict[Resource, Count]])

    def apply(self, table: Table) -> None:
        for seat, cards in self.cards.items():
            table.draw(seat, cards)
        table.paid = True

    def tell(self, names: Names) -> str:
        if not self.cards and not self.missing:
            return "Nobody had any income."
        paid = [f"{names(seat)} was paid {phrases.cards(cards)}" for seat, cards in phrases.by_seat(self.cards)]
        losses = [
            f"the bank lacked {phrases.cards(cards)} for {names(seat)}" for seat, cards in phrases.by_seat(self.missing)
        ]
        sentence = "; ".join([*paid, *losses])
        return f"{sentence[0].upper()}{sentence[1:]}."


class GoodChosen(Event, frozen=True):
    """The owner of the Temple of Artemis took a goods card (MN-WON-03).

    Attributes:
        automatic: whether only one pile was left.
    """

    rules = ("MN-WON-03",)

    seat: Seat
    good: Resource
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.draw(self.seat, {self.good: 1})

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} took {phrases.card(self.good)} for the Temple of Artemis."


# --- income ---


def income_of(table: Table, seat: Seat) -> Cards:
    """Return a player's income if the bank can pay it (MN-INC-02 to MN-INC-11, MN-WON-01)."""
    cards: Cards = {TAX: 1} if table.has(seat, "extra-tax") else {}
    for province in table.provinces.values():
        if province.city and province.holder("city") == seat:
            cards[TAX] = cards.get(TAX, 0) + _yield(province, "temple", seat)
        for good in province.caravans:
            if province.holder(good) == seat:
                cards[good] = cards.get(good, 0) + _yield(province, "market", seat)
    return cards


def _yield(province: Province, doubling: str, seat: Seat) -> int:
    """Return 2 when the temple or market is there and works for the same player, else 1 (MN-INC-07 to MN-INC-09)."""
    return 2 if getattr(province, doubling) and province.holder(doubling) == seat else 1


def pay(draft: Draft[Table]) -> None:
    """Pay everybody. If a pile is too small, pay card by card, starting with the Director of Commerce (MN-INC-12)."""
    table = draft.table
    order = table.seats_from(table.roles["director-of-commerce"])
    incomes = {seat: income_of(table, seat) for seat in order}
    paid: dict[Seat, Cards] = {seat: {} for seat in order}
    missing: dict[Seat, Cards] = {seat: {} for seat in order}
    for card in BANK:
        shares = _share(table.bank[card], {seat: incomes[seat].get(card, 0) for seat in order})
        for seat, share in shares.items():
            if share:
                paid[seat][card] = share
            if shortfall := incomes[seat].get(card, 0) - share:
                missing[seat][card] = shortfall
    draft.emit(IncomePaid(_filled(paid), _filled(missing)))


def _share(pile: int, requests: dict[Seat, int]) -> dict[Seat, int]:
    if sum(requests.values()) <= pile:
        return requests
    share = dict.fromkeys(requests, 0)
    while pile:
        for seat in [seat for seat in requests if share[seat] < requests[seat]][:pile]:
            share[seat] += 1
            pile -= 1
    return share


def _filled(cards: dict[Seat, Cards]) -> dict[Seat, Cards]:
    return {seat: each for seat, each in cards.items() if each}


# --- the Temple of Artemis ---


class ChooseGood(Command, frozen=True):
    """Take the goods card of the Temple of Artemis, of any kind that the bank still has (MN-WON-03)."""

    rules = ("MN-WON-03",)
    answers = frozenset({"choose-good"})

    good: Resource

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        goods = goods_left(draft.table)
        if self.good not in goods:
            raise Refusal(self.rule, f"You cannot take {self.good}.", f"Goods that the bank has: {', '.join(goods)}.")
        draft.emit(GoodChosen(seat, self.good))
        turn.enter(draft, "trade")

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option("Take a goods card", {"good": schema.one_of(goods_left(table))})


def goods_left(table: Table) -> list[Resource]:
    """Return the goods of which the bank still has a card."""
    return [good for good in GOODS if table.bank[good]]


def collect(table: Table) -> list[Decision] | Consequence[Table]:
    """Pay everybody; then ask the owner of the Temple of Artemis for a good, where there is a choice."""
    if not table.paid:
        return pay
    owner, goods = table.owner_of("extra-good"), goods_left(table)
    if owner is None or len(goods) < 2:
        return lambda draft: _begin_trade(draft, owner, goods)
    return [
        Decision(
            "choose-good",
            (owner,),
            RuleId("MN-WON-03"),
            "Which goods card do you take for the Temple of Artemis?",
            "The trade begins after this choice.",
            {"goods": goods},
        )
    ]


def _begin_trade(draft: Draft[Table], owner: Seat | None, goods: Sequence[Resource]) -> None:
    if owner is not None and goods:
        draft.emit(GoodChosen(owner, goods[0], automatic=True))
    turn.enter(draft, "trade")


EVENTS = (IncomePaid, GoodChosen)
COMMANDS = (ChooseGood,)
