"""The nation cards in words: each line says where it is from."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from domain.italia.box.cards import Cards, NationCard
from domain.italia.box.entries import (
    AreaAndCityPoints,
    AreaPoints,
    Arrival,
    At,
    CityPoints,
    Controlled,
    EliminationPoints,
    Entry,
    ExitPoints,
    Holding,
    Leader,
    LeaderRetreatPoints,
    PitchedBattlePoints,
    Place,
    Places,
    Plan,
    RegionPoints,
    SackPoints,
    Scoring,
    Span,
    SubjectionPoints,
    Submission,
    TitlePoints,
    UnitKind,
)
from domain.italia.box.pieces import FLEET, KINDS, WORDS, amount_of
from domain.italia.turn.scoring import counted_points
from domain.kernel.rules.message import Names, enumerated
from domain.kernel.rules.papers import Line, Paper, Papers, Section

REGIONS: Final[Mapping[str, str]] = {
    "north-italy": "northern Italy",
    "south-italy": "southern Italy",
    "sicily": "Sicily",
    "sardinia": "Sardinia",
    "corsica": "Corsica",
    "africa": "Africa",
    "entry-italy": "the entry areas of Italy",
    "entry-africa": "the entry areas of Africa",
}
INCOME: Final[Mapping[str, str]] = {"normal": "Full income", "half": "Half income", "none": "No income"}


def of(cards: Cards, names: Names) -> Papers:
    """Return the cards of all nations, in play order, and what their marks and sources mean."""
    deck = cards.deck
    origins: dict[str, str] = {**deck.legend}
    return Papers(origins, deck.sources, tuple(_paper(card, names) for card in cards.nations.values()))


def _paper(card: NationCard, names: Names) -> Paper:
    sections = (
        ("The nation", _facts(card, names)),
        ("Leaders", (_line(_leader(each), each) for each in card.leaders)),
        ("When the game begins", (_line(_place(each, names), each) for each in card.setup)),
        ("Reinforcements", (_line(_arrival(each, names), each) for each in card.arrivals)),
        ("Turns that are not normal", (_line(_plan(each, names), each) for each in card.plans)),
        ("Points", (_line(_points(each, names), each) for each in card.scoring)),
        ("Submission", (_line(_submission(each, names), each) for each in card.submission)),
        ("Rules of its own", (_line(each.text, each) for each in card.specials)),
    )
    filled = ((title, tuple(lines)) for title, lines in sections)
    return Paper(card.id, names(card.id), tuple(Section(title, lines) for title, lines in filled if lines), "cards")


def _line(words: str, entry: Entry) -> Line:
    ours = f"Ours: {entry.ours.replace('_', ' ')}" if entry.ours else ""
    return Line(f"{words[:1].upper()}{words[1:]}", entry.mark, ". ".join(filter(None, (entry.source, ours))))


def _facts(card: NationCard, names: Names) -> Iterator[Line]:
    facts = {
        "seat": f"Led by {names(card.seat)}",
        "order": f"Number {card.order} in a round",
        "order_round_10": f"Number {card.order_round_10} in round 10",
        "rounds": f"Has turns in {_span(card.rounds)}",
        "income": INCOME[card.income],
        "full_income_areas": f"Full income while it controls {_either(map(names, card.full_income_areas))}; else half",
        "starting_gold": f"Begins with {card.starting_gold} gold",
        "counters": f"Counters: {_units(card.counters)}",
        "silent_rounds": f"Scores nothing in rounds {enumerated([str(each) for each in card.silent_rounds])}",
    }
    for field, words in facts.items():
        if getattr(card, field) not in (None, ()) and not (field == "income" and card.full_income_areas):
            yield Line(words, card.marks.get(field, ""), card.basis.get(field, ""))


def _leader(leader: Leader) -> str:
    if leader.stays_until is None:
        return leader.name
    return f"{leader.name}, who stays until round {leader.stays_until}"


def _place(place: Place, names: Names) -> str:
    leaders = () if place.leader is None else (names(place.leader),)
    city = ("a city",) if place.city else ()
    return f"{names(place.area)}: {enumerated([*filter(None, [_units(place.units)]), *leaders, *city])}"


def _arrival(arrival: Arrival, names: Names) -> str:
    when = {"placement": "", "round-start": ", before the first turn", "round-end": ", at its end"}[arrival.when]
    units = f"up to {_units(arrival.up_to)} on the board" if arrival.up_to else _units(arrival.units)
    arrivals = enumerated([*filter(None, [units]), *map(names, arrival.leaders)])
    words = f"round {arrival.round}{when}: {arrivals} {_where(arrival, names)}"
    if arrival.spread == "among-leaders":
        words += ", divided among the leaders"
    words += {"no": "", "may": ", aboard the fleets or not", "must": ", aboard the fleets"}[arrival.aboard]
    words += "; all others there leave first" if arrival.evicts else ""
    words += f"; not where {names(arrival.apart_from)} arrives" if arrival.apart_from is not None else ""
    return words + ("; even when the leader is dead" if arrival.without_leader else "")


def _where(arrival: Arrival, names: Names) -> str:
    match arrival.place:
        case At(areas):
            return f"in {_either(map(names, areas))}"
        case Controlled(region, fallback, most_each, or_all_in):
            words = f"in areas that it controls{f' in {REGIONS[region]}' if region is not None else ''}"
            words += f", {most_each} in each at most" if most_each is not None else ""
            words += f"; without any, in {_either(map(names, fallback))}" if fallback else ""
            return words + (f"; or all in {names(or_all_in)}" if or_all_in is not None else "")
        case place:
            seas = f", fleets in {_either(map(names, place.seas))}" if place.seas else ""
            return f"in empty or own areas of {_places(place.among, names)}{seas}"


def _plan(plan: Plan, names: Names) -> str:
    what = {
        "major-invasion": "a major invasion",
        "campaign": "a normal turn and then a campaign",
        "campaign-only": "a campaign only",
        "alternating-campaign": "campaigns of several nations, step by step in turn",
    }[plan.kind]
    words = f"round {plan.round}: {what}{f' of {names(plan.leader)}' if plan.leader is not None else ''}"
    words += f", with {plan.gold} gold" if plan.gold else ""
    if plan.waits_in is not None:
        until = {"first-move": "the first move of the campaign", "campaign-end": "the campaign is over"}
        words += f"; those with the leader may wait in {names(plan.waits_in)} until {until[plan.waits_until]}"
    words += f"; units in {REGIONS[plan.gathers_from]} may be put there" if plan.gathers_from is not None else ""
    words += "; the first move may leave strangers behind" if plan.first_move_free else ""
    words += "; no stacking limit where the leader is after the first movement" if plan.unlimited_stack else ""
    return words + ("; one more area for each unit in the first movement" if plan.extra_step else "")


def _points(entry: Scoring, names: Names) -> str:
    if isinstance(entry, Holding):
        return f"round {entry.round}: {counted_points(entry.halves)} for {_holding_in_words(entry, names)}"
    when = f", in {_span(entry.rounds)}" if entry.rounds is not None else ""
    option = f" with the house rule {entry.option.replace('_', ' ')}" if entry.option is not None else ""
    return f"{counted_points(entry.halves)} for {_deed(entry, names)}{when}{option}"


def _holding_in_words(entry: Holding, names: Names) -> str:
    match entry:
        case AreaPoints(at=at):
            return f"each area that it holds: {_places(at, names)}"
        case AreaAndCityPoints(at=at):
            return f"each area that it holds with a city in it: {_places(at, names)}"
        case CityPoints(at=at):
            return f"each city that it holds{'' if at is None else f': {_places(at, names)}'}"
        case RegionPoints(region=region, halves_less=0):
            return f"the whole of {REGIONS[region]}, without any area of others"
        case RegionPoints(region=region, halves_less=less):
            return f"{REGIONS[region]}, less {counted_points(less)} for each area of others there"
        case _:
            raise AssertionError(f"no words for {entry}")


def _deed(entry: Scoring, names: Names) -> str:
    match entry:
        case EliminationPoints():
            return _elimination(entry, names)
        case SackPoints(city=city, first=first, by=by):
            return f"{'the first' if first else 'each'} {by or 'sack or raid'} of {names(city) if city else 'a city'}"
        case PitchedBattlePoints(against=against, least=least, leader=leader, subjects_count=subjects):
            words = f"each pitched battle won against {_either(f'the {names(each)}' for each in against)}"
            words += f", led by {names(leader)}" if leader is not None else ""
            words += f", with at least {least} units on each side"
            return words + (" (units of subjects count)" if subjects else "")
        case SubjectionPoints():
            return "each nation that submits to it"
        case LeaderRetreatPoints():
            return "each retreat of one of its leaders"
        case ExitPoints(area=area):
            return f"each unit that leaves the game from {names(area)} at the end of its turn"
        case TitlePoints(title=title, leader=leader, area=area, witnesses=witnesses):
            besides = f", alone or beside the {names.all(witnesses)}" if witnesses else ""
            return f"the title of {title}, which {names(leader)} takes in {names(area)}{besides}"
        case _:
            raise AssertionError(f"no words for {entry}")


def _elimination(entry: EliminationPoints, names: Names) -> str:
    whose = f" of the {names(entry.nation)}" if entry.nation is not None else ""
    match entry.unit:
        case "any":
            whom = f"each unit or leader{whose}"
        case "leader":
            whom = names(entry.leader) if entry.leader is not None else f"each leader{whose}"
        case "last-unit" | "last-land-unit":
            whom = f"the {entry.unit.replace('-', ' ')}{whose}"
        case unit:
            whom = f"each {WORDS.get(unit, unit.replace('-', ' '))} unit{whose}"
    return f"{whom} eliminated{', in turns of others as well' if entry.any_turn else ''}"


def _submission(submission: Submission, names: Names) -> str:
    words = f"may submit to the {names(submission.to)} with {submission.may_at_most} areas or fewer"
    words += f", and must with {submission.must_at_most} or fewer" if submission.must_at_most else ""
    words += f", in {_span(submission.rounds)}" if submission.rounds is not None else ""
    return words + (f", while {names(submission.during)} is on campaign" if submission.during is not None else "")


def _places(places: Places, names: Names) -> str:
    return enumerated([*(f"all of {REGIONS[region]}" for region in places.regions), *map(names, places.areas)])


def _units(units: Mapping[UnitKind, int]) -> str:
    return enumerated([amount_of(kind, units[kind]) for kind in (*KINDS, FLEET) if kind in units])


def _span(rounds: Span) -> str:
    first, last = rounds
    return f"round {first}" if first == last else f"rounds {first} to {last}"


def _either(words: Iterable[str]) -> str:
    choices = [*words]
    return " or ".join(filter(None, [", ".join(choices[:-1]), *choices[-1:]]))
