"""Acquiring cards, and what immediate cards do (chapter CRD)."""

from collections.abc import Iterable
from typing import Final

from domain.campaign.box import hands
from domain.campaign.box.data import Bribe, Card, CardId, City, Expedition, Gain, Levy, Tokens, Uprising, name_of
from domain.campaign.box.state import Army, Hand
from domain.campaign.box.table import Command, Event, Table, plus, turn_of
from domain.campaign.cards import effects
from domain.campaign.combat import revolt
from domain.campaign.moves import cities, movement
from domain.campaign.turn.turn import ACT, require_action
from domain.conquest.pieces import NO_UNITS, Units
from domain.kernel.chance.secret import Sealed, Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Count, Draw, Names
from domain.kernel.rules.refusal import Refusal, or_none

WITH_CHOICE: Final = (City, Expedition, Bribe, Uprising)
"""Effects for which a player must choose something: each has a command of its own."""

# --- what happens ---


class CardAcquired(Event, frozen=True):
    """A player took a card from the display and paid for it (CS-CRD-01, CS-CRD-02).

    Attributes:
        talents: what was paid.
    """

    rules = ("CS-CRD-01", "CS-CRD-02", "CS-CRD-04", "CS-CRD-06", "CS-CRD-07", "CS-CRD-08", "CS-CRD-11")

    seat: Seat
    card: CardId
    talents: Count

    def apply(self, table: Table) -> None:
        table.spend_action()
        table.change_turn(acquired=True)
        table.pay(self.seat, self.talents)
        table.display = plus(table.display, self.card, -1)
        match table.cards[self.card].kind:
            case "senator":
                table.add_senators(self.seat, {self.card: 1})
            case "immediate":
                pass  # CS-CRD-04: it leaves the game
            case _:
                table.owned[self.seat] = plus(table.owned[self.seat], self.card, 1)

    def tell(self, names: Names) -> str:
        price = f" for {self.talents} talents" if self.talents else ""
        return f"{names(self.seat)} acquired {name_of(self.card)}{price}."


class GalleyMoved(Event, frozen=True):
    """A galley moved to the sea zone that a card names (CS-EFF-13)."""

    rules = ("CS-EFF-13",)
    places = (("origin", "from"), ("to", "to"))

    seat: Seat
    origin: AreaId
    to: AreaId

    def apply(self, table: Table) -> None:
        table.add_galleys(self.origin, self.seat, -1)
        table.add_galleys(self.to, self.seat, 1)

    def tell(self, names: Names) -> str:
        return f"A galley of {names(self.seat)} moved from {names(self.origin)} to {names(self.to)}."


class SenatorStolen(Event, frozen=True):
    """A player took a random senator from another one (CS-EFF-19); only these two know which (CS-CRD-06).

    Attributes:
        hands: the hands of both, sealed anew.
    """

    rules = ("CS-EFF-19", "CS-CRD-06")
    reveals = True

    seat: Seat
    victim: Seat
    draw: Draw
    hands: dict[Seat, Sealed]

    def apply(self, table: Table) -> None:
        for seat, sealed in self.hands.items():
            change = 1 if seat == self.seat else -1
            table.hands[seat] = Hand(table.hands[seat].count + change, sealed)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} bribed a senator of {names(self.victim)}."


# --- which cards can be acquired ---


def card_to_acquire(table: Table, seat: Seat, name: CardId, wrong: str) -> Card:
    """Return a card by its id. Raises `Refusal` unless the player can take and pay for it now."""
    require_action(table, wrong)
    if turn_of(table).acquired:
        raise Refusal("CS-ACT-03", wrong, "You have already acquired a card in this round.")
    if not table.display.get(name):
        allowed = f"Cards on display: {or_none(sorted(table.display))}."
        raise Refusal("CS-CRD-01", wrong, allowed)
    card = table.cards[name]
    if card.price > (talents := table.players[seat].talents):
        raise Refusal("CS-CRD-02", wrong, f"It costs {card.price} talents; you have {talents}.")
    return card


def affordable(table: Table, seat: Seat) -> list[Card]:
    """Return the kinds of cards that a player can take and pay for now."""
    turn = turn_of(table)
    if not turn.actions or turn.acquired:
        return []
    talents = table.players[seat].talents
    return [table.cards[name] for name in sorted(table.display) if table.cards[name].price <= talents]


def _priced(card: Card) -> str:
    return f"{card.name} for {card.price} talents" if card.price else card.name


def why_no_effect(table: Table, seat: Seat, card: Card) -> str:
    """Return why an immediate card would have no effect now (CS-CRD-05); an empty text when it would have one."""
    match card.effect:
        case Tokens(_, None) if card.kind == "immediate":
            area = effects.caesar_at(table, seat)
            if area is None or area not in table.keys:
                return "Your Caesar must be in a key province."
            return "" if table.supply(seat)["influence"] else "You have no influence tokens left to place."
        case _:
            return ""


def _acquire(draft: Draft[Table], seat: Seat, card: Card) -> None:
    draft.emit(CardAcquired(seat, card.id, card.price))


class Acquire(Command, frozen=True):
    """Take a card from the display and pay its price (CS-CRD-01, CS-CRD-02); once in a round (CS-ACT-03)."""

    rules = ("CS-CRD-01", "CS-CRD-02", "CS-CRD-03", "CS-CRD-05", "CS-CRD-12", "CS-ACT-03")
    answers = ACT
    gesture = Gesture(cards=("card",), control="hand")

    card: CardId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, wrong = draft.table, f"You asked for the card {self.card}."
        card = card_to_acquire(table, seat, self.card, wrong)
        if isinstance(card.effect, WITH_CHOICE):
            raise Refusal("CS-CRD-04", wrong, f"This card needs a choice: {_command_for(card)}.")
        if reason := why_no_effect(table, seat, card):
            raise Refusal("CS-CRD-05", wrong, reason)
        _acquire(draft, seat, card)
        if card.kind == "immediate":
            match card.effect:
                case Gain() as effect:
                    effects.gain(draft, seat, card.id, effect)
                case Tokens() as effect:
                    effects.add_tokens(draft, seat, card.id, effect)
                case effect:
                    raise AssertionError(f"{card.id} is immediate, and nothing happens: {effect}")

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        simple = [card for card in affordable(table, seat) if not isinstance(card.effect, WITH_CHOICE)]
        if cards := [card.id for card in simple if not why_no_effect(table, seat, card)]:
            for price in sorted({table.cards[card].price for card in cards}):
                same = [card for card in cards if table.cards[card].price == price]
                several = f"Acquire a card for {price} talents" if price else "Acquire a free card"
                title = several if len(same) > 1 else _priced(table.cards[same[0]])
                yield cls.option(title, {"card": schema.one_of(same)})


def _command_for(card: Card) -> str:
    match card.effect:
        case City():
            return "use the command build-city"
        case Expedition():
            return "use the command send-army or send-galley"
        case Bribe():
            return "use the command bribe-senator"
        case _:
            return "use the command raise-slaves"


class BuildCity(Command, frozen=True):
    """Acquire a Build City card, and build in one of its two provinces (CS-CTY-01)."""

    rules = ("CS-CTY-01", "CS-CTY-02", "CS-CRD-04")
    answers = ACT
    gesture = Gesture(to="province", cards=("card",))

    card: CardId
    province: AreaId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, wrong = draft.table, f"You asked for {self.card} to build a city in {self.province}."
        card = card_to_acquire(table, seat, self.card, wrong)
        if not isinstance(card.effect, City):
            raise Refusal("CS-CTY-01", wrong, "Only a Build City card builds a city.")
        if self.province not in card.effect.provinces:
            raise Refusal("CS-CTY-01", wrong, f"This card builds in {' or '.join(card.effect.provinces)}.")
        if self.province not in (sites := cities.sites(table, card.effect.provinces)):
            raise Refusal(
                "CS-CTY-02", wrong, f"A city already stands there. Free: {', '.join(sites) or 'neither province'}."
            )
        _acquire(draft, seat, card)
        draft.emit(cities.CityBuilt(seat, self.province))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        for card in affordable(table, seat):
            if isinstance(card.effect, City) and (sites := cities.sites(table, card.effect.provinces)):
                yield cls.option(_priced(card), {"card": schema.const(card.id), "province": schema.one_of(sites)})


class SendArmy(Command, frozen=True):
    """Acquire a card that moves units to its province, as in a land move, and then brings a reward (CS-EFF-14).

    Attributes:
        caesar: 1 when the Caesar comes along; leaders do not count as units.
        generals: Generals who come along.
    """

    rules = ("CS-EFF-14", "CS-EFF-15", "CS-EFF-16", "CS-EFF-17", "CS-CRD-04")
    answers = ACT
    gesture = Gesture(
        start="origin", counts=("infantry", "cavalry", "catapults", "generals", "caesar"), cards=("card",)
    )

    card: CardId
    origin: AreaId
    infantry: Count = 0
    cavalry: Count = 0
    catapults: Count = 0
    generals: Count = 0
    caesar: Count = 0

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        army = Army(Units(self.infantry, self.cavalry, self.catapults), self.generals, bool(self.caesar))
        wrong = f"You asked for {self.card} with a move of {army} from {self.origin}."
        movement.refuse_caesars(self.caesar, wrong)
        card = card_to_acquire(table, seat, self.card, wrong)
        if not isinstance(card.effect, Expedition) or not card.effect.units:
            raise Refusal("CS-EFF-14", wrong, "This card moves no land units.")
        if army.units.total != card.effect.units:
            raise Refusal("CS-EFF-14", wrong, f"Move exactly {card.effect.units} land military units.")
        if self.origin == card.effect.to:
            raise Refusal("CS-EFF-14", wrong, "Units that are already there do not count. Move others there.")
        movement.check_leaving(table, seat, self.origin, army, wrong, begins=True)
        by_sea = movement.goes_by_sea(table, seat, self.origin, card.effect.to, army, {}, wrong)
        _acquire(draft, seat, card)
        movement.move(draft, seat, self.origin, card.effect.to, army, by_sea=by_sea)
        _reward(draft, seat, card, card.effect)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        for card in affordable(table, seat):
            effect = card.effect
            if not isinstance(effect, Expedition) or not effect.units:
                continue
            for origin in _origins(table, seat, effect):
                army = table.army(origin, seat)
                units = {kind: schema.count(0, min(n, effect.units)) for kind, n in army.units.by_type.items() if n}
                leaders = (("generals", army.generals), ("caesar", int(army.caesar)))
                leader_counts = {kind: schema.count(0, number) for kind, number in leaders if number}
                fields = {"card": schema.const(card.id), "origin": schema.const(origin), **units, **leader_counts}
                total = schema.exactly(effect.units, units)
                yield cls.option(f"{_priced(card)}: from {table.names(origin)}", fields, x_total=total)


def _origins(table: Table, seat: Seat, effect: Expedition) -> list[AreaId]:
    """Return the provinces from which enough units can move for an expedition (CS-EFF-14)."""
    provinces: list[AreaId] = []
    for area in table.map.lands:
        army = table.army(area, seat)
        if area == effect.to or not army.leads or army.units.total < effect.units:
            continue
        by_sea = bool(table.seas_of(area)) and movement.room(table, seat, {}, effect.to) >= effect.units
        if by_sea or effect.to in movement.by_land(table, seat, area):
            provinces.append(area)
    return provinces


class SendGalley(Command, frozen=True):
    """Acquire a card that moves a galley of yours to its sea zone, and then brings a reward (CS-EFF-13)."""

    rules = ("CS-EFF-13", "CS-CRD-04", "CS-CRD-05")
    answers = ACT
    gesture = Gesture(start="origin", cards=("card",))

    card: CardId
    origin: AreaId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, wrong = draft.table, f"You asked for {self.card} with a galley from {self.origin}."
        card = card_to_acquire(table, seat, self.card, wrong)
        if not isinstance(card.effect, Expedition) or not card.effect.galleys:
            raise Refusal("CS-EFF-13", wrong, "This card moves no galley.")
        if not table.galleys(self.origin, seat):
            raise Refusal(
                "CS-EFF-13", wrong, f"You have galleys in {', '.join(_galley_seas(table, seat)) or 'no sea zone'}."
            )
        if self.origin not in _starts(table, seat, card.effect):
            raise Refusal("CS-CRD-05", wrong, "The galley is already there, and you have no galley left to place.")
        _acquire(draft, seat, card)
        if self.origin != card.effect.to:
            draft.emit(GalleyMoved(seat, self.origin, card.effect.to))
        _reward(draft, seat, card, card.effect)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        for card in affordable(table, seat):
            effect = card.effect
            if isinstance(effect, Expedition) and effect.galleys and (seas := _starts(table, seat, effect)):
                yield cls.option(_priced(card), {"card": schema.const(card.id), "origin": schema.one_of(seas)})


def _galley_seas(table: Table, seat: Seat) -> list[AreaId]:
    return [sea for sea in table.map.seas if table.galleys(sea, seat)]


def _starts(table: Table, seat: Seat, effect: Expedition) -> list[AreaId]:
    """Return the sea zones from which a galley can be sent; its goal only if the card brings more (CS-CRD-05)."""
    units, galleys = effects.levied(table, seat, effect.then) if isinstance(effect.then, Levy) else (NO_UNITS, 1)
    return [sea for sea in _galley_seas(table, seat) if sea != effect.to or units.total or galleys]


def _reward(draft: Draft[Table], seat: Seat, card: Card, effect: Expedition) -> None:
    match effect.then:
        case Gain() as reward:
            effects.gain(draft, seat, card.id, reward)
        case Levy() as reward:
            effects.levy(draft, seat, card.id, reward, effect.to)


class BribeSenator(Command, frozen=True):
    """Acquire a Bribe Senator card, and take a random senator from another player, allied or not (CS-EFF-19)."""

    rules = ("CS-EFF-19", "CS-CRD-04", "CS-AUC-17")
    answers = ACT
    gesture = Gesture(targets=("player",), cards=("card",), control="hand")

    card: CardId
    player: Seat

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, wrong = draft.table, f"You asked for {self.card} to bribe a senator of {self.player}."
        card = card_to_acquire(table, seat, self.card, wrong)
        if not isinstance(card.effect, Bribe):
            raise Refusal("CS-EFF-19", wrong, "This card bribes nobody.")
        if self.player not in (others := victims(table, seat)):
            raise Refusal("CS-EFF-19", wrong, f"Choose another player who has a senator: {or_none(others)}.")
        _acquire(draft, seat, card)
        draft.emit(_steal(draft, seat, self.player))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        others = victims(table, seat)
        for card in affordable(table, seat):
            if isinstance(card.effect, Bribe) and others:
                yield cls.option(_priced(card), {"card": schema.const(card.id), "player": schema.one_of(others)})


def victims(table: Table, seat: Seat) -> list[Seat]:
    """Return the other players who hold a senator."""
    return [other for other in table.seats if other != seat and table.hands[other].count]


def _steal(draft: Draft[Table], seat: Seat, victim: Seat) -> SenatorStolen:
    """Return the theft of a random senator. What the hands hold does not change how often it draws and seals."""
    own, others = hands.hand_of(draft.table, seat, draft), hands.hand_of(draft.table, victim, draft)
    [stolen, *_] = draft.shuffle([card for card in hands.kinds(draft.table) for _ in range(others.get(card, 0))])
    draw = draft.draws
    own[stolen] = own.get(stolen, 0) + 1
    others[stolen] -= 1
    sealed = {seat: hands.seal(draft, seat, own), victim: hands.seal(draft, victim, others)}
    return SenatorStolen(seat, victim, draw, sealed)


class RaiseSlaves(Command, frozen=True):
    """Acquire the Slave Revolt: slaves appear in a province and attack an army there (CS-EFF-20).

    Attributes:
        army: the player whose army is attacked first.
    """

    rules = ("CS-EFF-20", "CS-EFF-21", "CS-CRD-04", "CS-AUC-17")
    answers = ACT
    gesture = Gesture(to="province", targets=("army",), cards=("card",))

    card: CardId
    province: AreaId
    army: Seat

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, wrong = draft.table, f"You asked for {self.card} against {self.army} in {self.province}."
        card = card_to_acquire(table, seat, self.card, wrong)
        if not isinstance(card.effect, Uprising):
            raise Refusal("CS-EFF-20", wrong, "This card raises no slaves.")
        armies_in = revolt.provinces(table, seat)
        if self.province not in armies_in:
            allowed = f"Slaves rise where another player has a land military unit: {', '.join(armies_in) or 'nowhere'}."
            raise Refusal("CS-EFF-20", wrong, allowed)
        if self.army not in armies_in[self.province]:
            rule = "CS-EFF-21" if self.army == seat else "CS-EFF-20"
            raise Refusal(rule, wrong, f"Armies to attack first: {', '.join(armies_in[self.province])}.")
        _acquire(draft, seat, card)
        draft.emit(revolt.SlavesRose(seat, self.province, card.effect.infantry, self.army))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        for card in affordable(table, seat):
            if isinstance(card.effect, Uprising):
                for area, armies in revolt.provinces(table, seat).items():
                    fields = {"card": schema.const(card.id), "province": schema.const(area)}
                    title = f"{_priced(card)}: in {table.names(area)}"
                    yield cls.option(title, {**fields, "army": schema.one_of(armies)})


EVENTS = (CardAcquired, GalleyMoved, SenatorStolen)
COMMANDS = (Acquire, BuildCity, SendArmy, SendGalley, BribeSenator, RaiseSlaves)
