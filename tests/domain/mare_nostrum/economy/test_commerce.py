"""The Commerce Phase and the discard, played at random: secrecy, options and cards that are never lost."""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from random import Random
from typing import Any

import msgspec
import pytest

from domain.boards import builtin
from domain.kernel.chance.draws import ScriptedChance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat
from domain.kernel.log.request import sent_commands
from domain.kernel.rules import schema
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names, in_words
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box import hands
from domain.mare_nostrum.box.data import BANK, Resource
from domain.mare_nostrum.box.table import Table
from domain.mare_nostrum.economy.discard import CardsDiscarded, CardsLaidAside, Kept
from domain.mare_nostrum.economy.takes import CardGiven
from domain.mare_nostrum.economy.trade import OfferMade, OffersRevealed
from domain.mare_nostrum.ruleset import MareNostrum
from tests.domain.mare_nostrum.test_laws import revealed
from tests.helpers.laws.mutants import Edges, mutated
from tests.helpers.laws.twins import Bare

RULESET = MareNostrum()
BOARD = builtin("mare-nostrum")
SEATS = tuple(map(Seat, ("rome", "carthage", "greece", "egypt")))
CARDS = {"greece": ["ulysses"], "rome": ["hanging-gardens", "temple-of-artemis"], "egypt": ["colossus"]}
COMMERCE = ("income", "trade")

Hands = Mapping[Seat, Mapping[Resource, int]]


class Arranged(Bare):
    """A table from a written position, with all its secrets."""

    table: Table

    def __init__(self, position: Mapping[str, Any]) -> None:
        # pyrefly: ignore[bad-override-mutable-attribute]  # nobody gives it others later
        self.ruleset, self.chance, self.vault = RULESET, ScriptedChance([]), Vault()
        self.events, self.draws = [], []
        draft = Draft(RULESET.arrange(position, BOARD), self.chance, Vault())
        RULESET.conceal(draft, position)
        RULESET.advance(draft)
        self.draws.append(draft.draws)
        self._take(draft)

    @property
    def waiting(self) -> list[Seat]:
        return [seat for decision in RULESET.decisions(self.table) for seat in decision.seats]

    def refusal(self, seat: Seat, command: Any) -> str | None:
        """Return why a command is refused; None when it is accepted."""
        try:
            (read,) = sent_commands(RULESET, [msgspec.json.encode(command)])
            RULESET.decide(self.table, seat, read, self.chance, self.vault, self.draws[-1])
        except (Refusal, msgspec.ValidationError) as refusal:
            return str(refusal)
        return None

    def held(self) -> dict[Seat, hands.Cards]:
        return {seat: hands.hand_of(self.table, seat, self.vault) for seat in self.table.seats}


def position(phase: str, held: Hands, **more: Any) -> dict[str, Any]:
    return {"seats": SEATS, "phase": phase, "cards": CARDS, "hands": held, **more}


def dealt(rng: Random, *, few: bool = False, kinds: Collection[Resource] = BANK) -> dict[Seat, dict[Resource, int]]:
    deck = [card for card in kinds for _ in range(min(BANK[card], 11))]  # not a third of them taxes, as in the bank
    rng.shuffle(deck)
    sizes = [rng.choice((0, 1, 2, 3) if few else (2, 3, 5, 8)) for _ in SEATS]
    return {seat: dict(Counter(deck.pop() for _ in range(size))) for seat, size in zip(SEATS, sizes, strict=True)}


def redealt(held: Hands, viewer: Seat | None, rng: Random) -> dict[Seat, dict[Resource, int]]:
    """Return hands of the same sizes in which the cards of two players other than the viewer are mixed anew.

    One of them is the owner of Ulysses, unless he looks on. All piles of the bank are open, so the cards of all hands
    together are no secret.
    """
    others = [seat for seat in SEATS if seat != viewer]
    one, other = sorted(rng.sample(others, len(others)), key=lambda seat: "ulysses" not in CARDS.get(seat, ()))[:2]
    pool = list((Counter(held[one]) + Counter(held[other])).elements())
    rng.shuffle(pool)
    size = sum(held[one].values())
    return {**held, one: dict(Counter(pool[:size])), other: dict(Counter(pool[size:]))}  # type: ignore[dict-item]


def sealed(kind: str) -> bool:
    return kind in ("offer", "give-card", "keep")


def alike(command: dict[str, Any], choices: list[Any], rng: Random) -> dict[str, Any]:
    """Return a hidden command for the twin: mostly the same, where its hand allows that."""
    if rng.random() < 0.7 and any(schema.matches(choice.schema, command) for choice in choices):
        return command
    return schema.sample(rng.choice(choices).schema, rng)


def face_up(rng: Random) -> dict[str, Any]:
    """Return a trade at its reveal."""
    offers = {seat: rng.choices(("tax", "wine", "fish", "slaves"), k=2) for seat in SEATS}
    return {"trade": {"number": 2, "traders": SEATS, "offers": offers, "taker": "carthage"}}


@pytest.mark.parametrize(
    ("phase", "under_way"),
    [("income", False), ("trade", False), ("trade", True), ("construction", False), ("discard", False)],
)
@pytest.mark.parametrize("seed", range(26))
@pytest.mark.rule("MN-TRD-04", "MN-TRD-05", "MN-TRD-20", "MN-CMB-06")
def test_nobody_can_tell_what_others_hold_or_have_chosen(seed: int, phase: str, under_way: bool) -> None:
    rng = Random(seed)
    viewer = (None, *SEATS)[seed % 5]
    kinds = ("tax", "slaves") if seed % 3 == 0 else BANK  # then many hands are of one kind
    held, more = dealt(rng, few=seed % 2 == 0, kinds=kinds), face_up(rng) if under_way else {}
    one, other = (Arranged(position(phase, each, **more)) for each in (held, redealt(held, viewer, rng)))
    tried: list[Any] = [{"type": "offer", "cards": {"tax": 1}}, {"type": "give-card", "card": "tax"}]
    while not any(isinstance(event, CardGiven) and event.receiver == viewer for event in one.events):
        assert one.read_by(viewer) == other.read_by(viewer)
        assert one.seen_by(viewer) == other.seen_by(viewer)
        if one.table.phase != phase:
            break
        seat = rng.choice(one.waiting)
        choices, others = one.options(seat), other.options(seat)
        if phase == "construction" and seat != viewer:  # what a hand can pay for it can, and that is no secret
            choices = others = [option for option in choices if option in others]
        command = schema.sample(rng.choice(choices).schema, rng)
        tried.append(command)
        twin = command
        if seat != viewer:
            if sealed(command["type"]):
                twin = alike(command, others, rng)
            else:
                assert choices == others, "what anybody may do in the open depends on what is hidden"
        if viewer is not None:
            _try_all(one, other, viewer, tried, rng)
        one.command(seat, command)
        other.command(seat, twin)
        if revealed(one) != revealed(other):
            break  # now everybody may see a difference


@pytest.mark.rule("MN-TRD-05", "MN-TRD-20", "MN-CMB-08")
def test_what_tells_of_hidden_cards_says_no_more_than_this() -> None:
    """What each has kept can be told from the open piles, so that no pair of games would show that an event says it."""
    assert OfferMade.__struct_fields__ == ("seat", "offer", "automatic")
    assert OffersRevealed.__struct_fields__ == ("offers", "taker")
    assert CardGiven.__struct_fields__ == ("giver", "receiver", "card", "hands")
    assert CardsLaidAside.__struct_fields__ == ("seat", "cards")
    assert CardsDiscarded.__struct_fields__ == ("cards", "hands")
    assert Kept.__struct_fields__ == ("count", "cards")


def _try_all(one: Arranged, other: Arranged, viewer: Seat, tried: list[Any], rng: Random) -> None:
    """What a viewer is refused, and why, tells nothing either."""
    for command in tried[-4:]:
        for each in (command, mutated(command, rng)):
            assert one.refusal(viewer, each) == other.refusal(viewer, each)


def shown(game: Bare) -> list[str]:
    """What the events showed, one by one, without commitments and salts."""
    return [re.sub('"[0-9a-f]{32,64}"', "", msgspec.json.encode(event).decode()) for event in game.events]


@pytest.mark.parametrize("seed", range(20))
def test_what_a_player_chose_makes_no_difference_to_others_until_the_reveal(seed: int) -> None:
    """The same hands, other offers: in whatever order, all but their owners see the same."""
    rng = Random(seed)
    held = {seat: {"tax": 2, "wine": 1, "fish": 2, "oil": 1} for seat in SEATS}
    trade = {"number": 3, "traders": SEATS}
    one, other = Arranged(position("trade", held, trade=trade)), Arranged(position("trade", held, trade=trade))
    order = rng.sample(SEATS, len(SEATS))
    for number, seat in enumerate(order[:-1], start=1):
        for game in (one, other):
            game.command(seat, schema.sample(game.options(seat)[0].schema, rng))
        for viewer in (None, *order[number:]):
            assert one.seen_by(viewer) == other.seen_by(viewer)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.rule("MN-TRD-09")
def test_the_order_in_which_offers_were_laid_is_forgotten_with_the_reveal(seed: int) -> None:
    rng = Random(seed)
    held = {seat: {"tax": 2, "wine": 1, "fish": 2, "oil": 1} for seat in SEATS}
    trade = {"number": 3, "traders": SEATS}
    one, other = Arranged(position("trade", held, trade=trade)), Arranged(position("trade", held, trade=trade))
    offers = {seat: schema.sample(one.options(seat)[0].schema, rng) for seat in SEATS}
    for game in (one, other):
        for seat in rng.sample(SEATS, len(SEATS)):
            assert not game.revealed
            game.command(seat, offers[seat])
        assert game.revealed
    for viewer in (None, *SEATS):
        assert view(one, viewer) == view(other, viewer)
    assert shown(one)[-1] == shown(other)[-1]


def view(game: Arranged, viewer: Seat | None) -> bytes:
    return msgspec.json.encode(RULESET.view(game.table, game.vault.read_by(viewer)))


@pytest.mark.parametrize("seed", range(16))
def test_exactly_the_offered_commands_are_accepted(seed: int) -> None:
    rng = Random(seed)
    game = Arranged(position("income", dealt(rng), provinces={"alexandria": {"city": True, "caravans": ["papyrus"]}}))
    seen: list[Any] = []
    while game.table.phase in (*COMMERCE, "construction", "discard"):
        seat = rng.choice(game.waiting)
        for each in dict.fromkeys((seat, rng.choice(SEATS))):
            _check(game, each, rng, seen)
        finish = [option for option in game.options(seat) if option.command == "finish-construction"]
        game.command(seat, schema.sample(rng.choice(finish or game.options(seat)).schema, rng))


def _check(game: Arranged, seat: Seat, rng: Random, seen: list[Any]) -> None:
    options = [option for option in game.options(seat) if game.table.phase != "construction"]
    assert options or seat not in game.waiting or game.table.phase == "construction"
    for option in options:
        for source in (rng, Edges(rng)):
            command = schema.sample(option.schema, source)
            seen.append(command)
            assert game.refusal(seat, command) is None
    for command in seen[-8:]:
        for each in (command, mutated(command, rng)):
            offered = any(schema.matches(option.schema, each) for option in game.options(seat))
            assert (game.refusal(seat, each) is None) == offered, each


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.rule("MN-TRD-18", "MN-TRD-19", "MN-SET-03")
def test_cards_are_never_lost_and_everybody_ends_the_trade_with_as_many_as_before(seed: int) -> None:
    rng = Random(seed)
    game = Arranged(position("trade", dealt(rng)))
    before = {seat: game.table.hands[seat].count for seat in SEATS}
    names = Names({}, SEATS)
    while game.table.phase in (*COMMERCE, "construction", "discard"):
        assert all_cards(game) == BANK
        assert {seat: sum(cards.values()) for seat, cards in game.held().items()} == {
            seat: game.table.hands[seat].count for seat in SEATS
        }
        seat = rng.choice(game.waiting)
        finish = [option for option in game.options(seat) if option.command == "finish-construction"]
        building = game.table.phase == "construction"
        game.command(seat, schema.sample(rng.choice(finish or game.options(seat)).schema, rng))
        if not building and game.table.phase == "construction":
            assert {seat: game.table.hands[seat].count for seat in SEATS} == before
    assert all(in_words(event, names).endswith(".") for event in game.events)


def all_cards(game: Arranged) -> Mapping[Resource, int]:
    """Count every card that there is, wherever it lies."""
    total = Counter(game.table.bank)
    for cards in game.held().values():
        assert min(cards.values(), default=1) > 0
        total.update(cards)
    if trade := game.table.trade:
        for lying in (*trade.offers.values(), *trade.taken.values()):
            total.update(lying)
    return total
