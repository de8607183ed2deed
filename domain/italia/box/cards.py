"""The nation cards and the set-up of a game: one document for each game, read from ``cards/``.

Most entries are not those of the printed cards, which no source that we could read has. Each entry has a mark: stated
in the rules (`seed`), found in a public source (`published`), or ours (`reconstructed`). Somebody who owns the box can
correct the document and create a game with it; `domain.italia.box.faults` describes each fault in it in one line.

Points are whole numbers of half points, called halves, because cards give halves of a point (IT-VP-20).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib import resources
from types import MappingProxyType
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from domain.italia.box.entries import (
    AnySpecial,
    Areas,
    Arrival,
    CityLimit,
    Entry,
    EntryAreas,
    Game,
    Key,
    Leader,
    Mark,
    Name,
    NoCities,
    Number,
    Place,
    Plan,
    Round,
    S,
    Scoring,
    Some,
    Span,
    Submission,
    Text,
    TurnKind,
    Units,
)
from domain.italia.box.pieces import LeaderId, NationId
from domain.kernel.ids import Seat
from domain.kernel.rules.documents import Document


class NationCard(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The card of a nation, and what it has when the game begins.

    Attributes:
        seat: whose it is, by colour (IT-SET-02, IT-SET-03).
        order: its place in a round (IT-SEQ-04, IT-SEQ-06).
        order_round_10: its place in the round of alternating campaigns (IT-I1-15).
        rounds: the first and the last round in which it has a turn (IT-SEQ-05, IT-SEQ-07).
        income: all of its income, half of it, or none (IT-INC-09, IT-INC-10).
        full_income_areas: it gets only half of its income, unless it controls one of these (IT-INC-11, IT-INC-12).
        starting_gold: what it begins with (IT-SET-05).
        counters: how many units of each type there are (IT-PCS-05).
        silent_rounds: rounds in which it scores nothing (IT-VP-04).
        marks: by field, where its value is from; each entry of `leaders` to `specials` has a mark of its own.
        basis: by field, the reason for its value, or its exact source.
    """

    id: NationId
    name: Name
    seat: Seat
    order: Some
    order_round_10: Some | None = None
    rounds: Span
    income: Literal["normal", "half", "none"]
    full_income_areas: Areas = ()
    starting_gold: Number = 0
    counters: Units
    silent_rounds: Annotated[tuple[Round, ...], Meta(max_length=10)] = ()
    marks: Annotated[dict[Key, Mark], Meta(max_length=20)]
    basis: Annotated[dict[Key, Text], Meta(max_length=20)] = {}
    leaders: Annotated[tuple[Leader, ...], Meta(max_length=30)] = ()
    setup: Annotated[tuple[Place, ...], Meta(max_length=50)] = ()
    arrivals: Annotated[tuple[Arrival, ...], Meta(max_length=50)] = ()
    plans: Annotated[tuple[Plan, ...], Meta(max_length=10)] = ()
    scoring: Annotated[tuple[Scoring, ...], Meta(max_length=80)] = ()
    submission: Annotated[tuple[Submission, ...], Meta(max_length=10)] = ()
    specials: Annotated[tuple[AnySpecial, ...], Meta(max_length=30)] = ()

    def plan(self, number: int) -> TurnKind:
        """Return the kind of the nation's turn in a round; `normal` for alternating campaigns, which have no turns."""
        plan = self.plan_of(number)
        return "normal" if plan is None or plan.kind == "alternating-campaign" else plan.kind

    def plan_of(self, number: int) -> Plan | None:
        """Return the plan of the turn of a round; None for a normal turn."""
        return next((each for each in self.plans if each.round == number), None)

    def arriving(self, number: int, when: str) -> tuple[Arrival, ...]:
        """Return the arrivals of a moment, in the order of the card."""
        return tuple(each for each in self.arrivals if (each.round, each.when) == (number, when))

    def special(self, kind: type[S]) -> S | None:
        """Return the special rule of a kind; None without one. A card can have several revolts: see `all_special`."""
        return next((each for each in self.specials if isinstance(each, kind)), None)

    def all_special(self, kind: type[S]) -> tuple[S, ...]:
        """Return the special rules of a kind."""
        return tuple(each for each in self.specials if isinstance(each, kind))

    @property
    def normal_entry_areas(self) -> Areas:
        """The entry areas that it treats as normal (IT-ENT-04)."""
        special = self.special(EntryAreas)
        return () if special is None else special.areas

    @property
    def income_entry_areas(self) -> Areas:
        """The entry areas that give it income (IT-INC-06)."""
        special = self.special(EntryAreas)
        return special.areas if special is not None and special.income else ()

    @property
    def no_city(self) -> Areas:
        """The areas in which it builds no city."""
        special = self.special(NoCities)
        return () if special is None else special.areas

    @property
    def consular_limit(self) -> int:
        """How many cities it needs for each consular legion; 0 without such a limit (IT-BUY-07)."""
        special = self.special(CityLimit)
        return 0 if special is None else special.cities

    def entries(self) -> Iterator[tuple[str, Entry]]:
        """Yield what the card says, line by line, each with its place on it, such as ``arrivals[2]``."""
        for field in ("leaders", "setup", "arrivals", "plans", "scoring", "submission", "specials"):
            yield from ((f"{field}[{number}]", entry) for number, entry in enumerate(getattr(self, field)))


class Deck(Document, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The nation cards and the set-up of a game, in the form of a document.

    Attributes:
        game: the ruleset.
        legend: what the marks mean.
        sources: what the words in brackets in a `source` mean.
        seats: the seats in the order of the rule book, by colour.
        scoring_rounds: the rounds after which areas, cities and regions score (IT-VP-02, IT-VP-03).
        extra_scoring_rounds: further ones, for cards that name them.
        dates: the years of each round.
        nations: the cards.
    """

    game: Game
    title: Name
    legend: Annotated[dict[Mark, Text], Meta(max_length=3)]
    sources: Annotated[dict[Key, Text], Meta(max_length=50)]
    notes: Annotated[tuple[Text, ...], Meta(max_length=50)] = ()
    seats: Annotated[tuple[Seat, ...], Meta(min_length=1, max_length=6)]
    scoring_rounds: Annotated[tuple[Round, ...], Meta(max_length=10)]
    extra_scoring_rounds: Annotated[tuple[Round, ...], Meta(max_length=10)] = ()
    dates: Annotated[tuple[Name, ...], Meta(max_length=10)] = ()
    nations: Annotated[tuple[NationCard, ...], Meta(min_length=1, max_length=30)]

    def __hash__(self) -> int:
        # The generated hash would fail on the mappings; equality still compares every field.
        return hash((self.game, self.title, len(self.nations)))

    @property
    def remark(self) -> str:
        """What the deck is, and how many of its facts have which mark (IT-SET-04)."""
        marks = self.marks()
        return (
            f"{self.title}. Of their facts, {marks['seed']} are stated in the rules, {marks['published']} are from "
            f"public sources, and {marks['reconstructed']} are reconstructed: those may differ from the printed cards."
        )

    def marks(self) -> Counter[Mark]:
        """Return the number of facts with each mark."""
        marks_of_facts = Counter[Mark]()
        for nation in self.nations:
            marks_of_facts.update(nation.marks.values())
            marks_of_facts.update(entry.mark for _, entry in nation.entries())
        return marks_of_facts


class Cards:
    """A faultless deck, indexed for play. Made by `Cards.of`; never changed."""

    __slots__ = ("deck", "leader_of", "names", "nations", "seats")

    def __init__(self, deck: Deck) -> None:
        """Index `deck`; use `Cards.of`, which caches the result."""
        self.deck: Final = deck
        self.nations: Final[Mapping[NationId, NationCard]] = MappingProxyType(
            {card.id: card for card in sorted(deck.nations, key=lambda card: card.order)}
        )
        """The cards by nation, in play order."""
        self.seats: Final = deck.seats
        leaders = {leader.id: (card.id, leader) for card in self.nations.values() for leader in card.leaders}
        self.leader_of: Final[Mapping[LeaderId, tuple[NationId, Leader]]] = MappingProxyType(leaders)
        """The leaders by id, each with his nation."""
        self.names: Final[Mapping[str, str]] = MappingProxyType(
            {
                **{card.id: card.name for card in self.nations.values()},
                **{leader: entry.name for leader, (_, entry) in leaders.items()},
                **{fleet: name for card in self.nations.values() for fleet, name in _fleets(card)},
            }
        )
        """The display names of nations, leaders and fleets, by id."""

    @staticmethod
    def of(deck: Deck) -> "Cards":
        """Return the index of `deck`, made once for equal decks. It must be faultless (faults.py)."""
        return _cards_of(deck)

    def __repr__(self) -> str:
        return f"Cards({self.deck.game!r}, {self.deck.title!r})"


def _fleets(card: NationCard) -> Iterator[tuple[str, str]]:
    """Yield the ids of a nation's fleets, each with its display name."""
    for number in range(1, card.counters.get("fleet", 0) + 1):
        yield f"{card.id}-fleet-{number}", f"fleet {number} of the {card.name}"


@lru_cache(maxsize=64)
def _cards_of(deck: Deck) -> Cards:
    return Cards(deck)


def read(raw: bytes) -> Deck:
    """Return the deck in a document. Raises `msgspec.DecodeError`, or `msgspec.ValidationError`."""
    return msgspec.json.decode(raw, type=Deck)


@cache
def builtin(game: Game) -> Deck:
    """Return the project's own deck of a game."""
    return read(resources.files("domain.italia").joinpath(f"cards/{game}.json").read_bytes())
