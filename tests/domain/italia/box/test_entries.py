"""Every entry of the project's cards can happen: each arrival is placed, and each line of points is scored.

For each entry a position is arranged in which it is due, and played on at random, by the rules, for some commands.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final, cast

import msgspec
import pytest
from msgspec.structs import replace

from domain.boards import builtin as board
from domain.italia.box.cards import Cards, Deck, NationCard, builtin
from domain.italia.box.entries import (
    AreaAndCityPoints,
    AreaPoints,
    Arrival,
    CityPoints,
    Deed,
    EliminationPoints,
    ExitPoints,
    Game,
    Holding,
    LeaderRetreatPoints,
    PitchedBattlePoints,
    Places,
    RegionPoints,
    SackPoints,
    Scoring,
    SubjectionPoints,
    TitlePoints,
)
from domain.italia.box.pieces import FLEET, LeaderId, Piece
from domain.italia.box.state import Moving
from domain.italia.ruleset import Italia, ItaliaI, ItaliaII
from domain.italia.turn.reinforcements import ReinforcementsPlaced
from domain.italia.turn.scoring import PointsScored
from domain.kernel.chance.draws import CommittedChance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, GameId
from domain.kernel.rules import schema
from domain.kernel.rules.board import Map
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Event

GAMES: Final[Mapping[Game, Italia]] = {"italia-1": ItaliaI(), "italia-2": ItaliaII()}
BOARD: Final = {game: ruleset.equip(board("italia")) for game, ruleset in GAMES.items()}
TRIES, COMMANDS = 25, 30
"""How often a position is played on, and for how many commands."""
SOUGHT: Final = frozenset(
    {"arrive", "end-movement", "declare-naval-battle", "fight", "take-spoils", "submit", "leave", "take-title"}
)
"""Commands that lead somewhere; they are given where they can be."""
FIELD, SEA = AreaId("perusia"), AreaId("mare-tyrrhenum")
"""Where it is fought."""
ELSEWHERE: Final = tuple(map(AreaId, ("mediolanum", "verona", "calabria", "puglia")))
"""Other areas of a nation, so that it need not submit, and loses not its last unit."""

Given = dict[str, Any]


def played(game: Game, given: Given, seed: int) -> Iterator[Event[Any]]:
    """Yield what happens when a position is played on."""
    ruleset, rng = GAMES[game], Random(seed)
    table = ruleset.arrange(given, BOARD[game])
    if given.get("stage") == "movement":
        table.moving = Moving()
    chance = CommittedChance(seed.to_bytes(32, "big"), GameId("game"), {})
    draft = Draft(table, chance, Vault())
    ruleset.advance(draft)
    yield from draft.events
    for _ in range(COMMANDS):
        decisions = ruleset.decisions(draft.table)
        if not decisions:
            return
        seat = rng.choice(decisions[0].seats)
        options = [option for option in ruleset.options(draft.table, seat, Vault()) if option.decision is not None]
        option = rng.choice([option for option in options if option.command in SOUGHT] or options)
        command = ruleset.read_command(msgspec.json.encode(schema.sample(option.schema, rng)))
        draft = ruleset.decide(draft.table, seat, command, chance, Vault(), draft.draws)
        yield from draft.events


# --- arrivals ---


def arrives(game: Game, card: NationCard, due: list[Arrival]) -> bool:
    """Tell whether all reinforcements of a moment come to an empty board."""
    one = due[0]
    given: Given = {"round": one.round}
    if one.when == "placement":
        given |= {"turn": card.id, "stage": "arrivals"}
    else:
        given["part"] = "round-start" if one.when == "round-start" else "late-arrivals"
    left = Counter[str]()
    for each in due:
        left.update({**each.units, **each.up_to, **dict.fromkeys(each.leaders, 1)})
    for seed in range(TRIES):
        wanted = Counter(left)
        for event in played(game, given, seed):
            if isinstance(event, ReinforcementsPlaced) and event.nation == card.id:
                wanted -= Counter({**event.units, FLEET: event.fleets, **dict.fromkeys(event.leaders, 1)})
            if not wanted:
                return True
    return False


# --- points ---


def positions(game: Game, card: NationCard, entry: Scoring) -> Iterator[Given]:
    """Yield positions in which a line of a card is due, each in another round or against another nation."""
    if isinstance(entry, Holding):
        yield from holding(game, card, entry)
        return
    assert isinstance(entry, Deed)
    first, last = entry.rounds or card.rounds
    for number in range(last, first - 1, -1):
        given = {"round": number, "turn": card.id, "stage": "movement", "plan": "normal"}
        for extra in deeds(game, card, entry, number):
            yield {**given, **extra}


def holding(game: Game, card: NationCard, entry: Holding) -> Iterator[Given]:
    map_ = Map.of(BOARD[game])
    match entry:
        case RegionPoints():
            areas = [area for area in map_.lands if entry.region in map_.area(area).traits["region"]]
        case CityPoints(at=None):
            areas = [FIELD]
        case AreaPoints(at=Places() as at) | CityPoints(at=Places() as at) | AreaAndCityPoints(at=at):
            areas = list(at.on(map_))  # pyrefly: ignore[missing-attribute]  # each pattern asks for places
        case _:
            raise AssertionError(f"there is no position for {entry!r}")
    for area in areas:
        city = map_.area(area).values["city_allowed"] == 1 and isinstance(entry, CityPoints | AreaAndCityPoints)
        given: Given = {"round": entry.round, "part": "scoring", "forces": [force(card, area, 1)]}
        yield {**given, "cities": {area: card.seat}} if city else given


def force(
    card: NationCard, area: AreaId, number: int, kind: Piece | None = None, leaders: tuple[LeaderId, ...] = ()
) -> Given:
    """Return units in an area: of the type that the nation has most of, or of another."""
    kind = kind or max((each for each in card.counters if each != FLEET), key=lambda each: card.counters[each])
    return {"nation": card.id, "at": area, kind: number, "leaders": leaders}


def deeds(game: Game, card: NationCard, entry: Deed, number: int) -> Iterator[Given]:
    cards = Cards.of(builtin(game)).nations
    others = [each for each in cards.values() if each.id != card.id and each.rounds[0] <= number]
    leaders = tuple(leader.id for leader in card.leaders)
    match entry:
        case ExitPoints():
            yield {"stage": "exits", "forces": [force(card, entry.area, 2)]}
        case TitlePoints():
            yield {"stage": "title", "forces": [force(card, entry.area, 2, leaders=(entry.leader,))]}
        case SackPoints():
            area = entry.city or AreaId("florentia")
            sacked = {card.id: [area]} if entry.city and not entry.first else {}
            for other in others:
                if other.seat != card.seat:
                    guard = [force(other, area, 1)] if entry.by == "raid" else []
                    own = force(card, area, 4 if guard else 2)
                    yield {"forces": [own, *guard], "cities": {area: other.seat}, "sacked": sacked}
        case EliminationPoints():
            for other in others:
                if entry.nation in (None, other.id):
                    yield from victims(card, other, entry)
        case PitchedBattlePoints():
            for other in others:
                if other.id in entry.against:
                    own = force(card, FIELD, entry.least + 2, leaders=(entry.leader or leaders[0],))
                    yield {"forces": [own, force(other, FIELD, entry.least)]}
        case SubjectionPoints():
            for other in others:
                if any(each.to == card.id for each in other.submission):
                    yield {"forces": [force(card, FIELD, 4), force(other, FIELD, 3)]}
        case LeaderRetreatPoints():
            rival = next(each for each in others if each.seat != card.seat)
            home = force(card, AreaId("etruria"), 1)
            yield {"forces": [force(card, FIELD, 2, leaders=leaders[:1]), home, force(rival, FIELD, 3)]}
        case _:
            raise AssertionError(f"there is no position for {entry!r}")


def victims(card: NationCard, other: NationCard, entry: EliminationPoints) -> Iterator[Given]:
    """Yield battles in which units of a type, or a leader, can be eliminated."""
    if entry.unit == FLEET:
        if card.counters.get(FLEET, 0) and other.counters.get(FLEET, 0):
            yield {"forces": [force(card, SEA, 2, FLEET), force(other, SEA, 1, FLEET)]}
        return
    kind = cast(Piece, entry.unit) if entry.unit in other.counters else None
    heads = [leader.id for leader in other.leaders if entry.leader in (None, leader.id)]
    if entry.unit == "leader" and not heads:
        return
    leaders = tuple(heads[:1]) if entry.unit == "leader" else ()
    spare = [force(other, area, 1) for area in ELSEWHERE] if not entry.unit.startswith("last-") else []
    yield {"forces": [force(card, FIELD, 4), force(other, FIELD, 1, kind, leaders), *spare]}


def scores(game: Game, card: NationCard, place: int) -> bool:
    """Tell whether a line of a card is scored in one of its positions."""
    for seed in range(TRIES):
        for given in positions(game, card, card.scoring[place]):
            for event in played(game, given, seed):
                if isinstance(event, PointsScored) and (event.nation, event.entry) == (card.id, place):
                    return True
    return False


def never(game: Game, deck: Deck) -> list[str]:
    """Return the entries of a deck that do not happen."""
    found: list[str] = []
    for card in deck.nations:
        for moment in sorted({(each.round, each.when) for each in card.arrivals}):
            if not arrives(game, card, [each for each in card.arrivals if (each.round, each.when) == moment]):
                found.append(f"{card.id}: the arrivals of round {moment[0]}, {moment[1]}")
        for place, entry in enumerate(card.scoring):
            if not scores(game, card, place):
                found.append(f"{card.id}: scoring[{place}], {entry.__struct_config__.tag}")
    return found


@pytest.mark.parametrize("game", GAMES)
def test_every_entry_of_the_cards_can_happen(game: Game) -> None:
    entries = never(game, builtin(game))
    print(*entries, sep="\n")
    assert not entries


def test_an_entry_that_cannot_happen_is_noticed() -> None:
    """The Huns are there in round 2 only."""
    huns = next(card for card in builtin("italia-2").nations if card.id == "huns")
    line = next(each for each in huns.scoring if isinstance(each, ExitPoints))
    place = huns.scoring.index(line)
    late = replace(huns, scoring=(*huns.scoring[:place], replace(line, rounds=(5, 5))))
    assert [scores("italia-2", card, place) for card in (huns, late)] == [True, False]
