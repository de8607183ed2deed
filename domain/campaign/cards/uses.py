"""Cards that are used once a season, without an action (CS-ACT-06, CS-CRD-08): merchants, Loot, the Assassin."""

from collections.abc import Iterable
from typing import Final

from domain.campaign.box import hands
from domain.campaign.box.data import Assassination, Card, CardId, Gain, Income, Vote, name_of
from domain.campaign.box.state import Army
from domain.campaign.box.table import Command, Event, Table, plus
from domain.campaign.cards import effects
from domain.campaign.cards.cards import victims
from domain.campaign.turn.turn import ACT, end_move
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Draw, Names
from domain.kernel.rules.refusal import Refusal, or_none

WORKS_BY_ITSELF: Final = "This card is not used: it works by itself."

# --- what happens ---


class CardUsed(Event, frozen=True):
    """A player used a card; it lies face down until the next season (CS-CRD-09)."""

    rules = ("CS-CRD-08", "CS-CRD-09", "CS-ACT-06")

    seat: Seat
    card: CardId

    def apply(self, table: Table) -> None:
        table.used[self.seat] = plus(table.used[self.seat], self.card, 1)
        end_move(table)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} used {name_of(self.card)}."


class GeneralKilled(Event, frozen=True):
    """An assassin removed a General, who returned to the supply of its owner (CS-EFF-02, CS-PCS-05)."""

    rules = ("CS-EFF-02", "CS-PCS-05")
    places = (("province", "lost"),)

    seat: Seat
    victim: Seat
    province: AreaId

    def apply(self, table: Table) -> None:
        table.set_army(self.province, self.victim, table.army(self.province, self.victim) - Army(generals=1))

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)}'s assassin killed a General of {names(self.victim)} in {names(self.province)}."


class SenatorKilled(Event, frozen=True):
    """An assassin removed a random senator from the game; all saw which (CS-EFF-02)."""

    rules = ("CS-EFF-02",)
    reveals = True

    seat: Seat
    victim: Seat
    draw: Draw
    senator: CardId

    def apply(self, table: Table) -> None:
        table.add_senators(self.victim, {self.senator: 1}, -1)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)}'s assassin killed {name_of(self.senator)} of {names(self.victim)}."


# --- what players choose ---


def ready(table: Table, seat: Seat) -> list[Card]:
    """Return the kinds of cards that a player can still use in this season, and that would do something now."""
    return [
        card for card, _ in table.cards_of(seat) if table.unused(seat, card.id) and not _why_unusable(table, seat, card)
    ]


def _why_unusable(table: Table, seat: Seat, card: Card) -> str:
    """Return why a card cannot be used now (CS-CRD-13); an empty text when it can."""
    match card.effect:
        case Income(area, _):
            has_influence = seat in table.provinces[area].influence
            return "" if has_influence else f"You have no influence in {table.names(area)}."
        case Assassination():
            targets = _generals(table, seat) or victims(table, seat)
            return "" if targets else "No other player has a General on the board or a senator."
        case Gain() | Vote():
            return ""
        case _:
            return WORKS_BY_ITSELF


def own_card(table: Table, seat: Seat, name: CardId, wrong: str, rule: str = "CS-CRD-08") -> Card:
    """Return a card by its id. Raises `Refusal` by `rule` when it does not lie in front of the player."""
    if not table.owned[seat].get(name):
        raise Refusal(rule, wrong, f"Your cards: {', '.join(sorted(table.owned[seat])) or 'no cards'}.")
    return table.cards[name]


def check_ready(table: Table, seat: Seat, card: Card, wrong: str, rule: str = "CS-CRD-08") -> None:
    """Raise `Refusal` for a card that does nothing now (CS-CRD-13) or, by `rule`, that was used in this season."""
    if reason := _why_unusable(table, seat, card):
        raise Refusal("CS-CRD-13", wrong, reason)
    if not table.unused(seat, card.id):
        raise Refusal(rule, wrong, "You have already used it this season.")


class UseCard(Command, frozen=True):
    """Use a card that brings talents: a Merchant, or Loot the Countryside (CS-EFF-01, CS-EFF-03)."""

    rules = ("CS-CRD-08", "CS-EFF-01", "CS-EFF-03", "CS-CRD-10", "CS-CRD-13")
    answers = ACT
    gesture = Gesture(cards=("card",), control="hand")

    card: CardId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, wrong = draft.table, f"You asked to use {self.card}."
        card = own_card(table, seat, self.card, wrong)
        if not isinstance(card.effect, Income | Gain):
            raise Refusal("CS-CRD-08", wrong, _how_to_use(card))
        check_ready(table, seat, card, wrong)
        match card.effect:
            case Income(area, talents):
                effect = Gain(talents * table.provinces[area].influence[seat])
            case effect:
                pass
        draft.emit(CardUsed(seat, card.id))
        effects.gain(draft, seat, card.id, effect)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if cards := [card.id for card in ready(table, seat) if isinstance(card.effect, Income | Gain)]:
            yield cls.option("Use a card", {"card": schema.one_of(cards)})


def _how_to_use(card: Card) -> str:
    """Return how to use a card that brings no talents."""
    match card.effect:
        case Vote():
            return "Use the command call-vote for this card."
        case Assassination():
            return "Use the command use-assassin for this card."
        case _:
            return WORKS_BY_ITSELF


class UseAssassin(Command, frozen=True):
    """Remove a General, or a random senator, of another player, allied or not (CS-EFF-02).

    Attributes:
        player: whose General or senator is removed.
        province: where the General is. Leave it out for a senator.
    """

    rules = ("CS-EFF-02", "CS-CRD-08", "CS-AUC-17")
    answers = ACT
    gesture = Gesture(to="province", targets=("player",), cards=("card",))

    card: CardId
    player: Seat
    province: AreaId | None = None

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, wrong = draft.table, f"You asked to use {self.card} against {self.player}."
        card = own_card(table, seat, self.card, wrong)
        if not isinstance(card.effect, Assassination):
            raise Refusal("CS-EFF-02", wrong, "This card kills nobody.")
        check_ready(table, seat, card, wrong)
        if self.province is None:
            if self.player not in (others := victims(table, seat)):
                allowed = f"Choose another player who has a senator: {or_none(others)}."
                raise Refusal("CS-EFF-02", wrong, allowed)
            draft.emit(CardUsed(seat, card.id))
            draft.emit(_kill_senator(draft, seat, self.player))
            return
        if (self.player, self.province) not in (generals := _generals(table, seat)):
            targets = ", ".join(f"{other} in {area}" for other, area in generals) or "none"
            raise Refusal("CS-EFF-02", wrong, f"Players with a General to kill: {targets}.")
        draft.emit(CardUsed(seat, card.id))
        draft.emit(GeneralKilled(seat, self.player, self.province))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        for card in ready(table, seat):
            if not isinstance(card.effect, Assassination):
                continue
            where: dict[Seat, list[AreaId]] = {}
            for other, area in _generals(table, seat):
                where.setdefault(other, []).append(area)
            for other, areas in where.items():
                fields = {"card": schema.const(card.id), "player": schema.const(other)}
                title = f"{card.name}: kill a General of {table.names(other)}"
                yield cls.option(title, {**fields, "province": schema.one_of(areas)})
            if others := victims(table, seat):
                fields = {"card": schema.const(card.id), "player": schema.one_of(others)}
                yield cls.option(f"{card.name}: kill a senator", fields)


def _generals(table: Table, seat: Seat) -> list[tuple[Seat, AreaId]]:
    """Return the players whose Generals can be killed, each with a province where one is."""
    others = [other for other in table.seats if other != seat]
    return [(other, area) for other in others for area in table.map.lands if table.army(area, other).generals]


def _kill_senator(draft: Draft[Table], seat: Seat, victim: Seat) -> SenatorKilled:
    others = hands.hand_of(draft.table, victim, draft)
    [senator, *_] = draft.shuffle([card for card in hands.kinds(draft.table) for _ in range(others.get(card, 0))])
    return SenatorKilled(seat, victim, draft.draws, senator)


EVENTS = (CardUsed, GeneralKilled, SenatorKilled)
COMMANDS = (UseCard, UseAssassin)
