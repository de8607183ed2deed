"""The season: province tokens and cards at its beginning, its rounds, and what returns at its end (SEA, TOK, END)."""

from domain.campaign.box import lots
from domain.campaign.box.data import name_of
from domain.campaign.box.lots import Lots
from domain.campaign.box.table import Event, Table, plus
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names

DRAWN_EACH = 2
"""How many province tokens, and how many cards, are drawn for each player as a season begins (CS-TOK-04, CS-SEA-02)."""


class SeasonBegan(Event, frozen=True):
    """A season began (CS-SEA-01).

    Attributes:
        season: its number, from 1.
    """

    rules = ("CS-SEA-01",)

    season: int

    def apply(self, table: Table) -> None:
        table.season, table.round, table.phase = self.season, 0, "auction"

    def tell(self, names: Names) -> str:
        return f"Season {self.season} began."


class TokensPlaced(Event, frozen=True):
    """Province tokens were drawn and placed on their provinces (CS-TOK-04); those already there stayed (CS-TOK-05)."""

    rules = ("CS-TOK-04", "CS-TOK-05", "CS-TOK-07")

    lots: Lots

    def apply(self, table: Table) -> None:
        for name in self.lots.drawn:
            area = AreaId(name)
            table.pool[area] -= 1
            table.add_tokens(area, 1)

    def tell(self, names: Names) -> str:
        return f"Province tokens were placed: {lots.several(map(names, self.lots.drawn))}."


class CardsLaidOut(Event, frozen=True):
    """Cards were drawn and laid out (CS-SEA-02), beside those that were left (CS-SEA-03)."""

    rules = ("CS-SEA-02", "CS-SEA-03", "CS-SEA-05")

    lots: Lots

    def apply(self, table: Table) -> None:
        for card in self.lots.drawn:
            table.deck[card] -= 1
            table.display = plus(table.display, card, 1)

    def tell(self, names: Names) -> str:
        return f"Cards were laid out: {lots.several(map(name_of, self.lots.drawn))}."


class RoundBegan(Event, frozen=True):
    """A round began (CS-SEA-06, CS-BRD-06)."""

    rules = ("CS-SEA-06", "CS-BRD-06")

    round: int

    def apply(self, table: Table) -> None:
        table.round, table.phase = self.round, "actions"
        table.done.clear()

    def tell(self, names: Names) -> str:
        return f"Round {self.round} began."


class SeasonEnded(Event, frozen=True):
    """Used cards were turned up, Diplomacy cards returned to the display, the alliances ended (CS-END-01 to -04).

    Attributes:
        opener: who opens the first auction of the next season: the player who was last in turn order.
    """

    rules = ("CS-END-01", "CS-END-02", "CS-END-03", "CS-END-04", "CS-CRD-07", "CS-CRD-09")

    opener: Seat

    def apply(self, table: Table) -> None:
        table.first = self.opener
        table.alliance_a.clear()
        table.alliance_b.clear()
        table.done.clear()
        for seat in table.seats:
            table.used[seat] = {}
            for card, count in table.owned[seat].items():
                if table.cards[card].kind == "diplomacy":
                    table.display = plus(table.display, card, count)
            kept = {card: n for card, n in table.owned[seat].items() if table.cards[card].kind != "diplomacy"}
            table.owned[seat] = kept
        table.phase = "season"

    def tell(self, names: Names) -> str:
        return f"The season ended. {names(self.opener)} was last in turn order."


# --- the steps ---


def begin(draft: Draft[Table]) -> None:
    """Begin the next season with tokens and cards."""
    table = draft.table
    number = DRAWN_EACH * len(table.seats)
    draft.emit(SeasonBegan(table.season + 1))
    draft.emit(TokensPlaced(lots.draw(draft, table.pool, number)))
    draft.emit(CardsLaidOut(lots.draw(draft, table.deck, number)))


def begin_round(draft: Draft[Table]) -> None:
    """Begin the next round."""
    draft.emit(RoundBegan(draft.table.round + 1))


def end(draft: Draft[Table]) -> None:
    """End the season (CS-END-01 to CS-END-04)."""
    draft.emit(SeasonEnded(draft.table.order[-1]))


EVENTS = (SeasonBegan, TokensPlaced, CardsLaidOut, RoundBegan, SeasonEnded)
