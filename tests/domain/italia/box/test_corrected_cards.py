"""Corrected nation cards: faults in them are named, and games are played with the correct ones."""

import json
import re
from collections import Counter
from collections.abc import Callable
from importlib import resources
from random import Random
from typing import Any, get_args

import msgspec
import pytest

from domain.boards import builtin as board
from domain.italia.box.cards import Cards, builtin, read
from domain.italia.box.entries import Game
from domain.italia.box.faults import faults
from domain.italia.box.pieces import NationId
from domain.italia.ruleset import ItaliaI, ItaliaII
from domain.kernel.ids import AreaId
from domain.kernel.log.history import read_event
from domain.kernel.proof.verify import verify
from domain.kernel.rules.documents import DocumentError
from domain.kernel.rules.message import in_words
from domain.kernel.rules.ruleset import Library
from service.pictures.scenes import look_of
from tests.helpers.play import Play

BOARD = board("italia")
OURS = Library([ItaliaII()])
GAMES: tuple[Game, ...] = get_args(Game)

Row = dict[str, Any]


def raw(game: str) -> str:
    return resources.files("domain.italia").joinpath(f"cards/{game}.json").read_text()


def nation(deck: Row, name: str) -> Row:
    return next(row for row in deck["nations"] if row["id"] == name)


def told(game: Game, change: Callable[[Row], object]) -> list[str]:
    deck = json.loads(raw(game))
    change(deck)
    return list(faults(read(json.dumps(deck).encode()), BOARD, game))


FAULTS: dict[str, tuple[Callable[[Row], object], str]] = {
    "an area under the name of the catalogue": (
        lambda deck: nation(deck, "huns")["scoring"][-1].update(area="Noricum"),
        "huns: scoring[5]: area: 'Noricum' is not an area of the board; its id is norico",
    ),
    "an area of nowhere": (
        lambda deck: nation(deck, "huns")["scoring"][-1].update(area="gallia"),
        "huns: scoring[5]: area: 'gallia' is not an area of the board",
    ),
    "an area scored by itself and by its region": (
        lambda deck: nation(deck, "franks")["scoring"][7].update(
            at={"areas": ["roma"], "regions": ["north-italy"]}, round=10
        ),
        "franks: scoring[7]: at: roma counts twice, by itself and in north-italy; name it once",
    ),
    "an area named twice": (
        lambda deck: nation(deck, "sardes")["scoring"][3].update(at={"areas": ["olbia", "olbia"]}),
        "sardes: scoring[3]: at: olbia is given 2 times; name it once",
    ),
    "the same areas twice": (
        lambda deck: nation(deck, "sardes")["scoring"].append(
            {**nation(deck, "sardes")["scoring"][3], "halves": 4, "at": {"areas": ["corsica", "carales", "olbia"]}}
        ),
        "sardes: scoring[7]: says the same as scoring[3]; give one of them",
    ),
    "a sea that is scored": (
        lambda deck: nation(deck, "sardes")["scoring"][3].update(at={"areas": ["mare-ionium"]}),
        "sardes: scoring[3]: at: mare-ionium is sea, not land",
    ),
    "points in a round without scoring": (
        lambda deck: nation(deck, "sardes")["scoring"][3].update(round=4),
        "sardes: scoring[3]: round is 4, after which nothing scores; the scoring rounds are 2, 3, 5, 8, 10",
    ),
    "points after the last round of a nation": (
        lambda deck: nation(deck, "visigoths")["scoring"][6].update(round=5),
        "visigoths: scoring[6]: round is 5; it must lie within 1 to 3",
    ),
    "an arrival after the last round of a nation": (
        lambda deck: nation(deck, "vandals").update(rounds=[1, 4]),
        "vandals: arrivals[2]: round is 5; it must lie within 1 to 4",
    ),
    "no points": (
        lambda deck: nation(deck, "sardes")["scoring"][1].update(halves=0),
        "sardes: scoring[1]: halves is 0; give a positive number of half points",
    ),
    "a nation of the other game": (
        lambda deck: nation(deck, "franks")["scoring"][1].update(nation="celts"),
        "franks: scoring[1]: nation: 'celts' is unknown; known: african-romans, arabs, avars, berbers, burgundi, "
        "byzantines, foederati, franks, huns, lombards, ostrogoths, patrimonium, sardes, vandals, visigoths, "
        "western-romans",
    ),
    "a unit that the enemy does not have": (
        lambda deck: nation(deck, "franks")["scoring"][3].update(unit="knight"),
        "franks: scoring[3]: avars has no knight; known: infantry",
    ),
    "a unit of the other game": (
        lambda deck: nation(deck, "franks")["counters"].update(elephant=2),
        "franks: counters: italia-2 has no elephant; known: fleet, infantry, knight, legion, roman-foederati",
    ),
    "a leader of another nation": (
        lambda deck: nation(deck, "franks")["arrivals"][0].update(leaders=["alboin"]),
        "franks: arrivals[0]: alboin is a leader of lombards; give one of the nation's own",
    ),
    "more than there are counters": (
        lambda deck: nation(deck, "franks")["arrivals"][0].update(units={"infantry": 17}),
        "franks: arrivals[0]: brings 17 of infantry, but there are 16 counters",
    ),
    "a set-up with more than there are counters": (
        lambda deck: nation(deck, "sardes")["setup"][0].update(units={"infantry": 5}),
        "sardes: setup: has 7 of infantry, but there are 6 counters",
    ),
    "a fleet on land": (
        lambda deck: nation(deck, "arabs")["arrivals"][1].update(place={"kind": "at", "areas": ["africa"]}),
        "arabs: arrivals[1]: africa: fleets lie in a sea; give a sea area",
    ),
    "land units in the sea": (
        lambda deck: nation(deck, "byzantines")["arrivals"][0].pop("aboard"),
        "byzantines: arrivals[0]: mare-siculum: land units and leaders cannot stand in a sea; "
        "give a land area, or put them aboard",
    ),
    "fleets that are too full": (
        lambda deck: nation(deck, "byzantines")["arrivals"][0]["units"].update(fleet=3),
        "byzantines: arrivals[0]: 8 land units must begin aboard, but the fleets carry 6",
    ),
    "a city where none can stand": (
        lambda deck: nation(deck, "berbers")["setup"][0].update(city=True),
        "berbers: setup[0]: aures: a city cannot stand there",
    ),
    "two nations in an area": (
        lambda deck: nation(deck, "berbers")["setup"][1].update(area="olbia"),
        "olbia: the set-up has 2 lines for it; give an area to one nation, in one line",
    ),
    "a campaign without its leader": (
        lambda deck: nation(deck, "franks")["plans"][0].update(leader="butilin"),
        "franks: plans[0]: leader: butilin does not come in round 9",
    ),
    "an unknown source": (
        lambda deck: nation(deck, "franks")["scoring"][0].update(source="my own box [B2]"),
        "franks: scoring[0]: source cites [B2]; sources has R1, heli-chart",
    ),
    "a nation twice": (
        lambda deck: deck["nations"].append({**nation(deck, "huns"), "order": 17, "leaders": []}),
        "nation huns is given 2 times; give it once",
    ),
    "a seat that nobody has": (
        lambda deck: nation(deck, "huns").update(seat="purple"),
        "huns: seat is purple; it must be blue",
    ),
    "a leader whose id is no slug": (
        lambda deck: nation(deck, "huns")["leaders"].append({"id": "Bléda", "name": "Bléda", "mark": "published"}),
        "huns: leaders[1]: id 'Bléda' is not a slug; use lower-case words joined by hyphens, such as 'pompaedius-silo'",
    ),
    "a leader called like an area": (
        lambda deck: nation(deck, "huns")["leaders"].append({"id": "roma", "name": "Roma", "mark": "published"}),
        "huns: leaders[1]: id roma is that of a nation or an area; give another one",
    ),
    "a leader called like a nation": (
        lambda deck: nation(deck, "huns")["leaders"].append({"id": "vandals", "name": "Vandal", "mark": "published"}),
        "huns: leaders[1]: id vandals is that of a nation or an area; give another one",
    ),
    "a transformation into units that the other nation lacks": (
        lambda deck: nation(deck, "western-romans")["specials"][3].update(unit="legion"),
        "western-romans: specials[3]: patrimonium has no legion; known: infantry",
    ),
    "a removal of units that the nation lacks": (
        lambda deck: nation(deck, "visigoths")["specials"][1].update(unit="knight"),
        "visigoths: specials[1]: visigoths has no knight; known: infantry",
    ),
    "a revolt near nobody": (
        lambda deck: nation(deck, "huns")["specials"].append(
            {"kind": "revolt", "round": 2, "against": "franks", "when": "near-leader", "text": "…", "mark": "published"}
        ),
        "huns: specials[3]: a revolt names a leader when, and only when, it is near-leader",
    ),
    "a submission during a campaign of somebody else": (
        lambda deck: nation(deck, "lombards")["submission"][0].update(during="bajan"),
        "lombards: submission[0]: during: bajan is not a leader of franks; give one of its own",
    ),
    "a nation that is missing": (
        lambda deck: deck["nations"].remove(nation(deck, "huns")),
        "huns is missing; the nations are african-romans, arabs, avars, berbers, burgundi, byzantines, foederati, "
        "franks, huns, lombards, ostrogoths, patrimonium, sardes, vandals, visigoths, western-romans",
    ),
    "seats in another order": (
        lambda deck: deck["seats"].reverse(),
        "seats is green, red, yellow, blue; it must be blue, yellow, red, green",
    ),
    "a place in a cycle that is missing": (
        lambda deck: nation(deck, "franks")["plans"][1].update(kind="alternating-campaign"),
        "franks: plans[1]: an alternating-campaign needs order_round_10, the nation's place in it",
    ),
    "a submission that must before it may": (
        lambda deck: nation(deck, "lombards")["submission"][0].update(must_at_most=9),
        "lombards: submission[0]: must_at_most is 9; it cannot be above may_at_most, 3",
    ),
    "waiting where nobody need leave": (
        lambda deck: nation(deck, "franks")["plans"][0].update(waits_in="pavia"),
        "franks: plans[0]: waits_in: pavia is not an entry area; leave it out",
    ),
    "waiting nowhere": (
        lambda deck: nation(deck, "franks")["plans"][0].pop("waits_in"),
        "franks: plans[0]: waits_until needs waits_in, where the army waits",
    ),
    "a witness of a title that is no nation": (
        lambda deck: nation(deck, "franks")["scoring"][-1].update(witnesses=["popes"]),
        "franks: scoring[10]: witnesses: 'popes' is unknown; known: african-romans, arabs, avars, berbers, burgundi, "
        "byzantines, foederati, franks, huns, lombards, ostrogoths, patrimonium, sardes, vandals, visigoths, "
        "western-romans",
    ),
    "a witness of one's own title": (
        lambda deck: nation(deck, "franks")["scoring"][-1].update(witnesses=["franks"]),
        "franks: scoring[10]: witnesses: names the nation itself; leave it out",
    ),
    "apart from nobody": (
        lambda deck: nation(deck, "franks")["arrivals"][0].update(apart_from="pippin"),
        "franks: arrivals[0]: apart_from: pippin does not arrive apart in round 5",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_corrected_cards_is_said_in_a_line(fault: str) -> None:
    change, line = FAULTS[fault]
    assert line in told("italia-2", change)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda deck: nation(deck, "huns")["counters"].update(infantry=-9), "Expected `int` >= 1"),
        (lambda deck: nation(deck, "huns")["scoring"][0].update(kind="plunder"), "Invalid value 'plunder'"),
        (lambda deck: nation(deck, "huns")["scoring"][0].update(halves=0.5), "Expected `int`, got `float`"),
        (lambda deck: nation(deck, "huns").update(crown="gold"), "unknown field `crown`"),
        (lambda deck: nation(deck, "huns")["arrivals"][0].update(round=11), "Expected `int` <= 10"),
        (lambda deck: nation(deck, "huns")["arrivals"][0]["units"].update(chariot=1), "Invalid enum value 'chariot'"),
    ],
)
def test_cards_of_another_form_are_not_read(change: Callable[[Row], object], said: str) -> None:
    deck = json.loads(raw("italia-2"))
    change(deck)
    with pytest.raises(msgspec.ValidationError, match=said):
        read(json.dumps(deck).encode())


@pytest.mark.parametrize("game", GAMES)
def test_a_board_without_an_area_of_the_cards_is_said_in_a_line(game: Game) -> None:
    areas = tuple(area for area in BOARD.areas if area.id != "roma")
    borders = tuple(border for border in BOARD.borders if "roma" not in border.between)
    smaller = msgspec.structs.replace(BOARD, areas=areas, borders=borders)
    said = list(faults(builtin(game), smaller, game))
    assert said
    assert all(fault.endswith("'roma' is not an area of the board") for fault in said)
    assert Counter("\n" in fault for fault in said) == {False: len(said)}


def test_the_cards_of_the_other_game_are_said_in_a_line() -> None:
    assert list(faults(builtin("italia-1"), BOARD, "italia-2")) == [
        "game is italia-1; the cards of this game are those of italia-2"
    ]


def test_a_game_is_played_with_corrected_cards_and_proves_itself() -> None:
    ruleset = ItaliaII()
    deck = json.loads(raw("italia-2"))
    nation(deck, "sardes")["setup"][0]["units"]["infantry"] = 4
    board = ruleset.equip(BOARD, {"cards": json.dumps(deck).encode()})
    play = Play(ruleset, board, 4)
    assert "cards" in json.loads(play.records[0].event)["documents"]
    table: Any = play.game.table
    assert table.army(AreaId("olbia"), NationId("sardes")).units == {"infantry": 4}
    lines = play.export()
    assert verify(lines, OURS).ok
    changed = lines[0].replace(
        b'"olbia","mark":"reconstructed","units":{"infantry":4}',
        b'"olbia","mark":"reconstructed","units":{"infantry":3}',
    )
    assert changed != lines[0]
    verdict = verify([changed, *lines[1:]], OURS)
    assert verdict.problem == "The cards in the first line are not those that the game was created with."


def test_nations_and_leaders_are_called_as_the_cards_of_the_game_call_them() -> None:
    ruleset = ItaliaI()
    text = raw("italia-1")
    for leader in Cards.of(builtin("italia-1")).leader_of:
        text = text.replace(f'"{leader}"', f'"our-{leader}"')
    deck = json.loads(text)
    for each in deck["nations"]:
        each["name"] = f"Xe{each['name']}"
        for leader in each["leaders"]:
            leader["name"] = f"Our {leader['name']}"
    board = ruleset.equip(BOARD, {"cards": json.dumps(deck).encode()})
    play = Play(ruleset, board, 3)
    assert (play.game.names("celts"), play.game.names("our-brennus")) == ("XeCelts", "Our Brennus")
    assert ruleset.nations_on(board)["celts"] == "Xe"
    look = look_of(play.game)
    assert (look.names("our-brennus"), look.signs["celts"]) == ("Our Brennus", "Xe")
    play.run(Random(4), 60)
    said = [in_words(read_event(ruleset, record), play.game.names) for record in play.records]
    assert any("XeCelts" in sentence for sentence in said)
    assert [sentence for sentence in said if re.search(r"\bCelts|\bour-|[^r] Brennus", sentence)] == []


def test_faulty_cards_create_no_game() -> None:
    ruleset = ItaliaII()
    deck = json.loads(raw("italia-2"))
    nation(deck, "huns")["scoring"][-1]["area"] = "Noricum"
    with pytest.raises(DocumentError) as refused:
        ruleset.equip(BOARD, {"cards": json.dumps(deck).encode()})
    assert refused.value.problems == (
        "cards: huns: scoring[5]: area: 'Noricum' is not an area of the board; its id is norico",
    )
