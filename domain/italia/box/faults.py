"""Describes the faults in a deck of cards: one line says what is wrong, and often what would be right.

Anybody may send corrected cards when they create a game, so nothing in a deck is trusted here. The types in
`domain.italia.box.cards` have already checked the form: the known kinds of entries, and the ranges of numbers.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from domain.boards.board import SLUG
from domain.boards.families.italia import ENTRY_REGIONS
from domain.italia.box import cards, entries
from domain.italia.box.cards import Deck, NationCard
from domain.italia.box.data import Data, data_of
from domain.italia.box.entries import Arrival, Entry, Game, Place, Places, Span, UnitKind
from domain.kernel.ids import AreaId
from domain.kernel.rules.board import Board, Map

OPTIONS: Final = frozenset({"carthage-last-unit-window"})
"""The options that an entry may depend on (IT-I1-33)."""

_UNKNOWN: Final = "is not an area of the board"


def faults(deck: Deck, board: Board, game: Game) -> Iterator[str]:
    """Yield the faults of `deck`, a line each. Without any, `game` can be played with it on `board`."""
    if deck.game != game:
        yield f"game is {deck.game}; the cards of this game are those of {game}"
        return
    yield from _Check(deck, Map.of(board)).run()


class _Check:
    """Checks a deck against its board and its game. Each method that returns an iterator yields faults, a line each."""

    def __init__(self, deck: Deck, map_: Map) -> None:
        self.deck = deck
        self.map = map_
        self.data: Data = data_of(deck.game)
        self.nations = {card.id: card for card in deck.nations}
        self.owners = {leader.id: card for card in deck.nations for leader in card.leaders}
        self.spellings = {name.casefold(): area.id for area in map_.board.areas for name in (area.name, *area.aliases)}

    def run(self) -> Iterator[str]:
        yield from self._deck()
        for card in self.deck.nations:
            yield from (f"{card.id}: {fault}" for fault in self._card(card))
        yield from self._repeated_places()

    # --- the deck ---

    def _deck(self) -> Iterator[str]:
        deck = self.deck
        for what, ids in (
            ("nation", (card.id for card in deck.nations)),
            ("leader", (leader.id for card in deck.nations for leader in card.leaders)),
            ("seat", deck.seats),
            ("place in the order", (card.order for card in deck.nations)),
            ("place in round 10", (card.order_round_10 for card in deck.nations if card.order_round_10)),
        ):
            yield from (f"{what} {name} is given {times} times; give it once" for name, times in _repeated(ids))
        own = cards.builtin(deck.game)
        if deck.seats != own.seats:
            right = _list_in_words(own.seats, in_order=True)
            yield f"seats is {_list_in_words(deck.seats, in_order=True)}; it must be {right}"
        seats = {card.id: card.seat for card in own.nations}
        for nation in (*(seats.keys() - self.nations.keys()), *(self.nations.keys() - seats.keys())):
            wrong = "is missing" if nation in seats else f"is not of {deck.game}"
            yield f"{nation} {wrong}; the nations are {_list_in_words(seats)}"
        for card in deck.nations:
            if card.seat != seats.get(card.id, card.seat):
                yield f"{card.id}: seat is {card.seat}; it must be {seats[card.id]}"
        for seat in deck.seats:
            if not any(card.seat == seat for card in deck.nations):
                yield f"seat {seat} has no nation; give it one"
        for field in ("scoring_rounds", "extra_scoring_rounds"):
            rounds: tuple[int, ...] = getattr(deck, field)
            if list(rounds) != sorted(set(rounds)):
                yield f"{field} is {_list_in_words(rounds)}; give rounds in their order, each once"

    def _repeated_places(self) -> Iterator[str]:
        places = [(card, place) for card in self.deck.nations for place in card.setup]
        cities = Counter(place.area for _, place in places if place.city)
        for area, times in _repeated(cities.elements()):
            yield f"{area}: the set-up has {times} cities there; an area has one at most"
        lands = Counter(place.area for _, place in places if place.area in self.map.lands)
        for area, times in _repeated(lands.elements()):
            yield f"{area}: the set-up has {times} lines for it; give an area to one nation, in one line"

    # --- a card ---

    def _card(self, card: NationCard) -> Iterator[str]:
        yield from self._span("rounds", card.rounds, (1, 10))
        yield from self._areas("full_income_areas", card.full_income_areas, "land")
        for kind in card.counters:
            if kind not in self.data.units:
                yield f"counters: {self.deck.game} has no {kind}; known: {_list_in_words(self.data.units)}"
        for field in (*card.marks, *card.basis):
            if field not in card.__struct_fields__:
                yield f"marks: {field!r} is not a field of a card"
        for where, entry in card.entries():
            yield from (f"{where}: {fault}" for fault in self._entry(card, entry))
        yield from self._repeated_entries(card)
        yield from self._setup(card)

    def _entry(self, card: NationCard, entry: Entry) -> Iterator[str]:
        for cited in re.findall(r"\[([^\[\]]*)\]", entry.source):
            for mark in cited.split(", "):
                if mark not in self.deck.sources:
                    yield f"source cites [{mark}]; sources has {_list_in_words(self.deck.sources)}"
        yield from self._references(card, entry)
        match entry:
            case Place():
                yield from self._place(card, entry)
            case Arrival():
                yield from self._arrival(card, entry)
            case entries.Plan():
                yield from self._plan(card, entry)
            case entries.Submission():
                if entry.must_at_most > entry.may_at_most:
                    yield f"must_at_most is {entry.must_at_most}; it cannot be above may_at_most, {entry.may_at_most}"
                if entry.to == card.id:
                    yield "to is the nation itself; give another one"
                during = None if entry.during is None else self.owners.get(entry.during)
                if during is not None and during.id != entry.to:
                    yield f"during: {entry.during} is not a leader of {entry.to}; give one of its own"
            case entries.Leader():
                yield from self._leader(entry)
            case entries.Special():
                yield from self._special(card, entry)
            case entries.Holding():
                yield from self._holding(entry)
            case entries.Deed():
                yield from self._deed(card, entry)
            case _:
                pass

    def _references(self, card: NationCard, entry: Entry) -> Iterator[str]:
        """Check that an entry names existing areas, nations, leaders and types of units, and rounds of its card."""
        for field in entry.__struct_fields__:
            value: Any = getattr(entry, field)
            if value is None:
                continue
            match field:
                case "round" | "stays_until":
                    yield from self._span(field, (value, value), card.rounds)
                case "rounds":
                    yield from self._span(field, value, card.rounds)
                case "area" | "city" | "first" | "waits_in" | "or_all_in":
                    if isinstance(value, str):
                        yield from self._areas(field, (AreaId(value),), None)
                case "areas":
                    yield from self._areas(field, value, "land")
                case "seas":
                    yield from self._areas(field, value, "sea")
                case "at" | "place":
                    yield from self._site(field, value)
                case "nation" | "to" | "into" | "of" | "against" | "witnesses":
                    yield from self._unknown_names(field, (value,) if isinstance(value, str) else value, self.nations)
                case "least" if isinstance(entry, entries.Desertion):
                    yield from self._unknown_names(field, entry.least, self.nations)
                case "leader" | "leaders" | "apart_from" | "during":
                    yield from self._unknown_names(field, (value,) if isinstance(value, str) else value, self.owners)
                case "unit" | "but_with":
                    if value not in _NOT_TYPES:
                        yield from self._unknown_names(field, (value,), self.data.units)
                case "units" | "up_to" | "exempt":
                    yield from self._unknown_names(field, value, self.data.units)
                case _:
                    pass

    def _site(self, field: str, site: Any) -> Iterator[str]:
        match site:
            case Places():
                yield from self._areas(field, site.areas, "land")
                for area in site.areas:
                    shared = set(site.regions) & self._regions(area)
                    if shared:
                        yield f"{field}: {area} counts twice, by itself and in {_list_in_words(shared)}; name it once"
                yield from (f"{field}: {name} is given {times} times" for name, times in _repeated(site.regions))
                if not site.areas and not site.regions:
                    yield f"{field}: names no place; give areas or regions"
            case entries.At():
                kinds = {self.map.area(area).kind for area in site.areas if area in self.map}
                yield from self._areas(field, site.areas, None)
                if len(kinds) > 1:
                    yield f"{field}: names land and sea; give areas of one kind"
            case entries.Controlled():
                yield from self._areas(f"{field}.fallback", site.fallback, "land")
                if site.or_all_in is not None:
                    yield from self._areas(f"{field}.or_all_in", (site.or_all_in,), "land")
            case entries.Open():
                yield from self._site(f"{field}.among", site.among)
                yield from self._areas(f"{field}.seas", site.seas, "sea")
            case _:
                pass

    def _regions(self, area: AreaId) -> set[str]:
        return set(self.map.area(area).traits.get("region", ())) if area in self.map else set()

    def _areas(self, field: str, areas: Iterable[AreaId], kind: str | None) -> Iterator[str]:
        ids = tuple(areas)
        for area, times in _repeated(ids):
            yield f"{field}: {area} is given {times} times; name it once"
        for area in dict.fromkeys(ids):
            if area not in self.map:
                right_id = self.spellings.get(area.casefold())
                yield f"{field}: {area!r} {_UNKNOWN}" + (f"; its id is {right_id}" if right_id else "")
            elif kind is not None and self.map.area(area).kind != kind:
                yield f"{field}: {area} is {self.map.area(area).kind}, not {kind}"

    def _unknown_names(self, field: str, names: Iterable[str], expected: Iterable[str]) -> Iterator[str]:
        known = tuple(expected)
        for name, times in _repeated(names):
            yield f"{field}: {name} is given {times} times; name it once"
        for name in dict.fromkeys(names):
            if name not in known:
                yield f"{field}: {name!r} is unknown; known: {_list_in_words(known)}"

    def _span(self, field: str, span: Span, within: Span) -> Iterator[str]:
        first, last = span
        if not within[0] <= first <= last <= within[1]:
            wrong = f"{first}" if first == last else f"{first} to {last}"
            yield f"{field} is {wrong}; it must lie within {within[0]} to {within[1]}"

    # --- the set-up and what comes ---

    def _setup(self, card: NationCard) -> Iterator[str]:
        if card.setup and card.rounds[0] > 1:
            yield f"setup: it has a turn only from round {card.rounds[0]} on, so it begins with nothing"
        placed = Counter[UnitKind]()
        for place in card.setup:
            placed.update(place.units)
        for kind, number in placed.items():
            if number > card.counters.get(kind, 0):
                yield f"setup: has {number} of {kind}, but there are {card.counters.get(kind, 0)} counters"
        for leader, times in _repeated(place.leader for place in card.setup if place.leader is not None):
            yield f"setup: {leader} stands in {times} areas; give one"

    def _place(self, card: NationCard, place: Place) -> Iterator[str]:
        if not place.units and place.leader is None:
            yield f"{place.area}: has neither units nor a leader; leave it out"
        yield from self._foreign_leaders(card, (place.leader,) if place.leader is not None else ())
        if place.area in self.map:
            yield from self._misplaced(place.area, place.units, aboard=False, leader=place.leader is not None)
            if place.city and not self.map.area(place.area).values.get("city_allowed"):
                yield f"{place.area}: a city cannot stand there"

    def _misplaced(self, area: AreaId, units: Mapping[Any, int], *, aboard: bool, leader: bool) -> Iterator[str]:
        on_land = any(kind != "fleet" for kind in units)
        if self.map.area(area).kind == "land":
            if "fleet" in units:
                yield f"{area}: fleets lie in a sea; give a sea area"
        elif (on_land or leader) and not aboard:
            yield f"{area}: land units and leaders cannot stand in a sea; give a land area, or put them aboard"

    def _arrival(self, card: NationCard, arrival: Arrival) -> Iterator[str]:
        if not arrival.units and not arrival.up_to and not arrival.leaders:
            yield "brings nobody; give units, up_to or leaders"
        if arrival.units and arrival.up_to:
            yield "has units and up_to; give one of them"
        for kind, number in (*arrival.units.items(), *arrival.up_to.items()):
            if number > card.counters.get(kind, 0):
                yield f"brings {number} of {kind}, but there are {card.counters.get(kind, 0)} counters"
        yield from self._foreign_leaders(card, arrival.leaders)
        if arrival.spread == "among-leaders" and len(arrival.leaders) < 2:
            yield "spread is among-leaders, but there are not two leaders; use with-leader or freely"
        if arrival.aboard == "must":
            carried = sum(number for kind, number in arrival.units.items() if kind != "fleet")
            room = arrival.units.get("fleet", 0) * self.data.fleet_capacity
            if carried > room:
                yield f"{carried} land units must begin aboard, but the fleets carry {room}"
        if arrival.aboard != "no" and "fleet" not in arrival.units:
            yield "has somebody aboard, but no fleet; give a fleet, or leave aboard out"
        if arrival.apart_from is not None:
            others = {leader for each in card.arrivals if each.round == arrival.round for leader in each.leaders}
            if arrival.apart_from in arrival.leaders or arrival.apart_from not in others:
                yield f"apart_from: {arrival.apart_from} does not arrive apart in round {arrival.round}"
        if isinstance(arrival.place, entries.At):
            for area in arrival.place.areas:
                if area in self.map:
                    aboard = arrival.aboard != "no"
                    yield from self._misplaced(area, arrival.units, aboard=aboard, leader=bool(arrival.leaders))

    def _plan(self, card: NationCard, plan: entries.Plan) -> Iterator[str]:
        invades = plan.kind == "major-invasion"
        if plan.leader is None:
            if not invades or plan.unlimited_stack:
                yield f"a {plan.kind} of this kind needs a leader; give one"
        else:
            yield from self._foreign_leaders(card, (plan.leader,))
            coming = {leader for each in card.arrivals if each.round == plan.round for leader in each.leaders}
            standing = {place.leader for place in card.setup} if plan.round == 1 else set[str | None]()
            staying = {each.id for each in card.leaders if each.stays_until is not None}
            if plan.leader not in coming | standing | staying:
                yield f"leader: {plan.leader} does not come in round {plan.round}"
        if plan.kind == "alternating-campaign" and card.order_round_10 is None:
            yield "an alternating-campaign needs order_round_10, the nation's place in it"
        if invades and (plan.gold or plan.waits_in or plan.gathers_from):
            yield "gold, waits_in and gathers_from belong to a campaign; leave them out"
        if not invades and (plan.unlimited_stack or plan.extra_step):
            yield "unlimited_stack and extra_step belong to a major invasion; leave them out"
        if plan.gathers_from is not None and plan.waits_in is None:
            yield "gathers_from needs waits_in, where the units gather"
        if plan.waits_until != "first-move" and plan.waits_in is None:
            yield "waits_until needs waits_in, where the army waits"
        if (
            plan.waits_in is not None
            and plan.waits_in in self.map
            and not self._regions(plan.waits_in) & set(ENTRY_REGIONS)
        ):
            yield f"waits_in: {plan.waits_in} is not an entry area; leave it out"

    def _foreign_leaders(self, card: NationCard, leaders: Iterable[Any]) -> Iterator[str]:
        for leader in leaders:
            if leader in self.owners and self.owners[leader] is not card:
                yield f"{leader} is a leader of {self.owners[leader].id}; give one of the nation's own"

    def _leader(self, leader: entries.Leader) -> Iterator[str]:
        if not SLUG.fullmatch(leader.id):
            yield f"id {leader.id!r} is not a slug; use lower-case words joined by hyphens, such as 'pompaedius-silo'"
        if leader.id in self.nations or leader.id in self.map:
            yield f"id {leader.id} is that of a nation or an area; give another one"

    def _special(self, card: NationCard, special: entries.Special) -> Iterator[str]:
        owner: NationCard | None = card
        match special:
            case entries.Transformation():
                owner = self.nations.get(special.into)
                if special.into == card.id:
                    yield "into is the nation itself; give another one"
            case entries.Revolt():
                if (special.when == "near-leader") != (special.leader is not None):
                    yield "a revolt names a leader when, and only when, it is near-leader"
            case entries.Defection():
                yield from self._foreign_leaders(card, (special.leader,))
            case entries.Handicap():
                yield from self._foreign_leaders(card, (special.leader,))
            case _:
                pass
        unit = getattr(special, "unit", None)
        if owner is not None and unit in self.data.units and unit not in owner.counters:
            yield f"{owner.id} has no {unit}; known: {_list_in_words(owner.counters)}"

    # --- points ---

    def _holding(self, entry: entries.Holding) -> Iterator[str]:
        rounds = sorted({*self.deck.scoring_rounds, *self.deck.extra_scoring_rounds})
        if entry.round not in rounds:
            right = _list_in_words(rounds, in_order=True)
            yield f"round is {entry.round}, after which nothing scores; the scoring rounds are {right}"
        if entry.halves <= 0:
            yield f"halves is {entry.halves}; give a positive number of half points"

    def _deed(self, card: NationCard, entry: entries.Deed) -> Iterator[str]:
        penal = isinstance(entry, entries.LeaderRetreatPoints)
        if entry.halves == 0 or (entry.halves < 0) != penal:
            yield f"halves is {entry.halves}; give a {'negative' if penal else 'positive'} number of half points"
        if entry.option is not None and (entry.option not in OPTIONS or entry.rounds is None):
            yield f"option: {entry.option!r} limits nothing; known: {_list_in_words(OPTIONS)}, together with rounds"
        match entry:
            case entries.EliminationPoints():
                yield from self._elimination(card, entry)
            case entries.PitchedBattlePoints():
                if card.id in entry.against:
                    yield "against: names the nation itself; leave it out"
                yield from self._foreign_leaders(card, (entry.leader,))
            case entries.TitlePoints():
                if card.id in entry.witnesses:
                    yield "witnesses: names the nation itself; leave it out"
                yield from self._foreign_leaders(card, (entry.leader,))
            case _:
                pass

    def _elimination(self, card: NationCard, entry: entries.EliminationPoints) -> Iterator[str]:
        if entry.nation == card.id:
            yield "nation is the nation itself; give another one"
        if entry.leader is not None:
            if entry.unit != "leader":
                yield f"names {entry.leader}, but unit is {entry.unit}; make it leader"
            owner = self.owners.get(entry.leader)
            if owner is not None and owner.id != entry.nation:
                yield f"{entry.leader} is a leader of {owner.id}; give it as nation"
        whose = self.nations.get(entry.nation) if entry.nation is not None else None
        if whose is not None and entry.unit in self.data.units and entry.unit not in whose.counters:
            yield f"{whose.id} has no {entry.unit}; known: {_list_in_words(whose.counters)}"

    def _repeated_entries(self, card: NationCard) -> Iterator[str]:
        """Check that no entry says the same as an earlier one, which would count twice."""
        statements: tuple[tuple[str, list[Any]], ...] = (
            ("plans", [each.round for each in card.plans]),
            ("submission", [each.to for each in card.submission]),
            ("scoring", [_subject(each) for each in card.scoring]),
            ("specials", [type(each).__name__ for each in card.specials if not isinstance(each, _REPEATABLE)]),
        )
        for field, keys in statements:
            for number, key in enumerate(keys):
                if key in keys[:number]:
                    yield f"{field}[{number}]: says the same as {field}[{keys.index(key)}]; give one of them"


_NOT_TYPES: Final = ("any", "leader", "last-unit", "last-land-unit")
"""Values of `unit` and `but_with` that are no types of units."""

_REPEATABLE: Final = (entries.Revolt, entries.Remark)
"""The kinds of special rules of which a card may have several."""


def _subject(entry: entries.Scoring) -> tuple[Any, ...]:
    """Return what an entry gives points for: all its fields but the points and where the entry is from."""
    values = {field: getattr(entry, field) for field in entry.__struct_fields__}
    facts = {
        name: value for name, value in values.items() if name not in ("halves", "halves_less", "mark", "ours", "source")
    }
    places = facts.get("at")
    if isinstance(places, Places):
        facts["at"] = (frozenset(places.areas), frozenset(places.regions))
    return (type(entry).__name__, *facts.items())


def _repeated(items: Iterable[Any]) -> list[tuple[Any, int]]:
    return [(item, times) for item, times in Counter(iter(items)).items() if times > 1]


def _list_in_words(items: Iterable[Any], *, in_order: bool = False) -> str:
    return ", ".join(map(str, items if in_order else sorted(map(str, items)))) or "none"
