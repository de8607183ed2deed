"""The Conquest cards in words: what each does, when, and what it costs (chapters CRD and EFF)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from domain.campaign.box.data import (
    Assassination,
    Bribe,
    Calm,
    Card,
    City,
    Data,
    Effect,
    Expedition,
    Gain,
    Income,
    Kind,
    Levy,
    Pact,
    Senator,
    Tokens,
    Training,
    Uprising,
    Vote,
)
from domain.conquest.pieces import amount_of
from domain.kernel.ids import AreaId
from domain.kernel.rules.message import Names, enumerated
from domain.kernel.rules.papers import Line, Paper, Papers, Section

ORIGINS: Final[Mapping[str, str]] = {
    "stated": "stated in the rules",
    "shared": "printed in the rules of another game of the same box",
    "published": "found elsewhere",
    "ours": "our ruling, because the rules do not say it",
}
WHEN: Final[Mapping[Kind, str]] = {
    "immediate": "At once, when you acquire it",
    "senator": "Until you spend it to win a vote; it is hidden from the others",
    "diplomacy": "For the rest of the season",
    "reusable": "Once in a season, in your turn and without an action",
    "vote": "You can call it once in a season",
    "permanent": "For the rest of the game",
}


def of(data: Data, names: Names) -> Papers:
    """Return the cards of the game, in the order of its data."""
    return Papers(ORIGINS, {}, tuple(_paper(card, names) for card in data.card))


def _paper(card: Card, names: Names) -> Paper:
    lines = tuple(Line(words, card.provenance.get(fact, "")) for fact, words in _lines(card, names))
    return Paper(card.id, card.name, (Section("What it does", lines[:1]), Section("The card", lines[1:])))


def _lines(card: Card, names: Names) -> Iterator[tuple[str, str]]:
    """Yield the lines about a card. Each comes with the key of `Card.provenance` that says where the line is from."""
    effect = _effect(card.effect, names)
    yield "kind", f"{effect[0].upper()}{effect[1:]}"
    yield "kind", WHEN[card.kind]
    yield "price", f"Costs {card.price} talents" if card.price else "Free"
    yield "copies", f"{card.copies} of its kind" if card.copies > 1 else "The only one of its kind"


def _effect(effect: Effect | Levy, names: Names) -> str:
    match effect:
        case Gain():
            return _gain(effect)
        case Levy():
            return f"{_pieces(effect)} of yours in {_either(effect.places, names)}"
        case Tokens(number, province):
            where = "the key province where your Caesar is" if province is None else names(province)
            return f"{number} influence in {where}"
        case Income(province, talents):
            return f"{talents} talents for each influence of yours in {names(province)}"
        case City(provinces):
            return f"a city in {_either(provinces, names)}, where none stands yet"
        case Expedition():
            return f"{_expedition(effect, names)}: {_effect(effect.then, names)}"
        case Assassination():
            return "removes a General, or a random senator, of another player"
        case Bribe():
            return "takes a random senator from another player"
        case Senator(votes):
            return f"{votes} vote{'s' * (votes != 1)} in the senate"
        case Pact(province):
            where = "every naval battle of yours" if province is None else f"every battle of yours in {names(province)}"
            return f"{_pieces(effect)} on your side in {where}; they are not on the board"
        case Training(land, sea):
            extra = [f"{dice} more dice in {where} battles" for dice, where in ((land, "land"), (sea, "naval")) if dice]
            return enumerated([each.replace("1 more dice", "1 more die") for each in extra])
        case Calm():
            return "you may avoid any naval battle"
        case Uprising(infantry):
            return f"{infantry} infantry of slaves fight the armies in a province, one after another"
        case Vote(prize):
            return f"a vote of the senate, whose winner gets: {_effect(prize, names)}"


def _either(places: Iterable[AreaId], names: Names) -> str:
    return " or ".join(map(names, places))


def _gain(gain: Gain) -> str:
    figures = ((gain.talents, "talents"), (gain.points, "victory points"), (max(gain.chaos, 0), "chaos"))
    got = [f"{number} {what}" for number, what in figures if number]
    return enumerated([*got, *([f"{-gain.chaos} chaos less"] if gain.chaos < 0 else [])])


def _pieces(brought: Levy | Pact) -> str:
    numbers = {"infantry": brought.infantry, "cavalry": brought.cavalry, "galleys": brought.galleys}
    return enumerated([amount_of(kind, number) for kind, number in numbers.items() if number])


def _expedition(expedition: Expedition, names: Names) -> str:
    moved = f"{expedition.units} of your units" if expedition.units else amount_of("galleys", expedition.galleys)
    return f"move {moved} to {names(expedition.to)}, and get"
