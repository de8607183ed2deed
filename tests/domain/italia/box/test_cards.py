"""The nation cards: what the rules say of them, what became a field, and what makes corrected cards playable."""

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
from domain.boards.families.italia import REGIONS
from domain.italia.box import cards, entries
from domain.italia.box.cards import Cards, builtin, read
from domain.italia.box.data import data_of
from domain.italia.box.entries import ITALY, Arrival, Game, Region
from domain.italia.box.faults import faults
from domain.italia.box.pieces import FLEET, KINDS, LeaderId, NationId
from domain.italia.ruleset import ItaliaI, ItaliaII
from domain.kernel.ids import AreaId, Seat
from domain.kernel.log.history import read_event
from domain.kernel.proof.verify import verify
from domain.kernel.rules.board import Map
from domain.kernel.rules.documents import DocumentError
from domain.kernel.rules.message import in_words
from domain.kernel.rules.ruleset import Library
from service.pictures.scenes import look_of
from tests.helpers.play import Play

BOARD = board("italia")
MAP = Map.of(BOARD)
OURS = Library([ItaliaII()])
GAMES: tuple[Game, ...] = get_args(Game)
ONE, TWO = (Cards.of(builtin(game)) for game in GAMES)

Row = dict[str, Any]


def raw(game: str) -> str:
    return resources.files("domain.italia").joinpath(f"cards/{game}.json").read_text()


def card(of: Cards, nation: str) -> cards.NationCard:
    return of.nations[NationId(nation)]


def arrivals(of: Cards, nation: str, number: int) -> list[Arrival]:
    return [each for each in card(of, nation).arrivals if each.round == number]


# --- the project's own cards ---


def test_the_cards_say_how_many_of_their_facts_are_from_where() -> None:
    marks = ONE.deck.marks()
    said = f"{marks['seed']} are stated in the rules, {marks['published']} are from public sources, and "
    assert f"{said}{marks['reconstructed']} are reconstructed" in ONE.deck.remark
    assert marks["reconstructed"] > marks["seed"] > marks["published"] > 0


@pytest.mark.parametrize("game", GAMES)
def test_they_are_faultless(game: Game) -> None:
    assert list(faults(builtin(game), BOARD, game)) == []


@pytest.mark.parametrize("game", GAMES)
def test_an_encoded_deck_is_the_same_deck(game: Game) -> None:
    assert read(msgspec.json.encode(builtin(game))) == builtin(game)


def test_regions_and_types_of_units_are_those_of_the_board_and_of_the_figures() -> None:
    assert get_args(Region) == REGIONS
    assert set(ITALY) < set(REGIONS)
    assert {*data_of("italia-1").units, *data_of("italia-2").units} == {*KINDS, "fleet"}


@pytest.mark.rule("IT-SET-02", "IT-SET-03")
def test_who_leads_which_nations() -> None:
    def of(deck: Cards) -> dict[Seat, str]:
        return {
            seat: " ".join(nation for nation, each in deck.nations.items() if each.seat == seat) for seat in deck.seats
        }

    assert of(ONE) == {
        "red": "greeks romans",
        "yellow": "celts epirotes samnites numidians populares",
        "blue": "etruscans carthaginians illyrians cimbri optimates",
    }
    assert of(TWO) == {
        "blue": "african-romans huns byzantines avars",
        "yellow": "visigoths sardes ostrogoths lombards",
        "red": "western-romans berbers patrimonium franks",
        "green": "vandals foederati burgundi arabs",
    }


@pytest.mark.rule("IT-SEQ-04", "IT-SEQ-05", "IT-SEQ-06", "IT-SEQ-07")
def test_the_play_order_and_the_rounds() -> None:
    assert [(nation, each.rounds) for nation, each in ONE.nations.items()] == [
        ("celts", (1, 9)),
        ("etruscans", (1, 9)),
        ("epirotes", (4, 9)),
        ("greeks", (1, 4)),
        ("samnites", (1, 9)),
        ("carthaginians", (1, 9)),
        ("numidians", (6, 9)),
        ("illyrians", (1, 9)),
        ("cimbri", (8, 9)),
        ("romans", (1, 10)),
        ("optimates", (10, 10)),
        ("populares", (10, 10)),
    ]
    assert [(nation, *each.rounds) for nation, each in TWO.nations.items()] == [
        ("visigoths", 1, 3),
        ("western-romans", 1, 5),
        ("sardes", 1, 10),
        ("berbers", 1, 10),
        ("vandals", 1, 10),
        ("african-romans", 1, 6),
        ("huns", 2, 2),
        ("foederati", 2, 10),
        ("ostrogoths", 4, 10),
        ("byzantines", 5, 10),
        ("patrimonium", 6, 10),
        ("burgundi", 6, 10),
        ("lombards", 6, 10),
        ("avars", 4, 10),
        ("arabs", 7, 10),
        ("franks", 5, 10),
    ]


@pytest.mark.rule("IT-INC-09", "IT-INC-10", "IT-INC-11", "IT-INC-12")
def test_the_income() -> None:
    odd = {
        nation: (each.income, each.full_income_areas)
        for of in (ONE, TWO)
        for nation, each in of.nations.items()
        if each.income != "normal" or each.full_income_areas
    }
    assert odd == {
        **dict.fromkeys(("epirotes", "cimbri", "optimates", "populares", "huns"), ("none", ())),
        "byzantines": ("half", ()),
        "foederati": ("normal", ("ravenna",)),
        "ostrogoths": ("normal", ("ravenna", "roma")),
        "african-romans": ("normal", ("mauretania", "numidia", "africa", "byzacena", "tripolitania")),
    }


@pytest.mark.rule("IT-SET-07")
def test_the_set_up_of_rome_and_pavia_in_italia_2() -> None:
    there = {place.area: place for place in card(TWO, "western-romans").setup}
    assert (there[AreaId("roma")].units, there[AreaId("roma")].city) == ({"roman-foederati": 2}, True)
    assert there[AreaId("pavia")].units == {"legion": 5}


@pytest.mark.rule("IT-PCS-03")
def test_who_owns_what() -> None:
    def owners(of: Cards, kind: Any) -> set[str]:
        return {nation for nation, each in of.nations.items() if kind in each.counters}

    assert owners(ONE, "legion") == {"romans", "populares", "optimates"}
    assert owners(ONE, "consular-legion") == {"romans", "populares"}
    assert owners(ONE, "elephant") == {"carthaginians", "epirotes"}
    assert owners(TWO, "legion") == owners(TWO, "roman-foederati") == {"western-romans"}
    assert not owners(ONE, "knight") | owners(TWO, "elephant") | owners(TWO, "consular-legion")


@pytest.mark.rule("IT-RNF-17", "IT-I1-30", "IT-I2-13")
def test_who_must_retreat_before_arrivals() -> None:
    evicting = {
        (nation, each.round): each.place.areas
        for of in (ONE, TWO)
        for nation, entry in of.nations.items()
        for each in entry.arrivals
        if each.evicts and isinstance(each.place, entries.At) and "papius-mutilus" not in each.leaders
    }
    assert evicting == {
        ("samnites", 9): ("corfinium", "sannio"),
        ("romans", 8): ("roma",),
        ("optimates", 10): ("calabria",),
        ("populares", 10): ("etruria",),
        ("patrimonium", 6): ("roma",),
        ("arabs", 7): ("tripolitania",),
        ("arabs", 8): ("tripolitania",),
    }
    mutilus = arrivals(ONE, "samnites", 9)[1]
    assert (mutilus.evicts, mutilus.apart_from) == (True, "pompaedius-silo")
    assert mutilus.place == entries.At((AreaId("corfinium"), AreaId("sannio"), AreaId("lucania")))


def test_who_begins_aboard() -> None:
    aboard = {
        (nation, each.round): each.aboard
        for of in (ONE, TWO)
        for nation, entry in of.nations.items()
        for each in entry.arrivals
        if each.aboard != "no"
    }
    assert aboard == {
        ("carthaginians", 3): "may",
        ("romans", 5): "may",
        ("vandals", 2): "may",
        ("byzantines", 5): "must",
        ("arabs", 10): "may",
    }


@pytest.mark.rule("IT-I2-10")
def test_odoacer_stays_until_round_6() -> None:
    staying = {leader: entry.stays_until for of in (ONE, TWO) for leader, (_, entry) in of.leader_of.items()}
    assert {leader: until for leader, until in staying.items() if until} == {"odoacer": 6}


@pytest.mark.rule("IT-I2-09", "IT-BUY-09")
def test_what_a_special_rule_said_is_a_field() -> None:
    removal = card(TWO, "visigoths").special(entries.Removal)
    assert removal is not None
    assert (removal.round, removal.unit, removal.left) == (1, "infantry", 6)
    levy = card(ONE, "populares").special(entries.Levy)
    assert levy is not None
    assert (levy.round, levy.unit) == (10, "consular-legion")


@pytest.mark.rule("IT-RNF-08", "IT-RNF-09", "IT-RNF-10")
def test_the_top_up_to_14_legions_goes_to_any_entry_area_without_a_controlled_one() -> None:
    (top_up,) = card(ONE, "romans").arriving(4, "round-end")
    assert top_up.up_to == {"legion": 14}
    assert isinstance(top_up.place, entries.Controlled)
    entry_areas = {
        area.id for area in BOARD.areas if area.traits.get("region") in {("entry-italy",), ("entry-africa",)}
    }
    assert set(top_up.place.fallback) == entry_areas


@pytest.mark.rule("IT-RNF-04", "IT-RNF-05", "IT-RNF-16", "IT-I1-32", "IT-I2-12")
def test_who_is_split() -> None:
    split = {
        (nation, each.round): each.spread
        for of in (ONE, TWO)
        for nation, entry in of.nations.items()
        for each in entry.arrivals
        if each.spread != "with-leader"
    }
    assert split == {
        ("romans", 3): "among-leaders",
        ("romans", 9): "freely",
        ("vandals", 2): "freely",
        ("ostrogoths", 6): "freely",
    }
    (ninth,) = arrivals(ONE, "romans", 9)
    assert isinstance(ninth.place, entries.Controlled)
    assert (ninth.place.most_each, ninth.place.or_all_in) == (1, "roma")
    assert [each.without_leader for each in arrivals(TWO, "vandals", 2)] == [True]


@pytest.mark.rule("IT-RNF-04")
@pytest.mark.parametrize("of", [ONE, TWO], ids=["italia-1", "italia-2"])
def test_land_units_come_in_one_entry_with_the_leader_who_comes_at_the_same_time(of: Cards) -> None:
    for nation, entry in of.nations.items():
        for each in entry.arrivals:
            with_leader = any(other.leaders for other in entry.arriving(each.round, each.when))
            on_land = {*each.units, *each.up_to} - {FLEET}
            assert each.leaders or not (with_leader and on_land), f"{nation} in round {each.round}: {each}"


@pytest.mark.rule("IT-MAJ-01", "IT-CAM-02", "IT-CAM-08", "IT-I1-15")
def test_the_turns_that_are_not_normal() -> None:
    def plans(of: Cards) -> list[str]:
        return [
            f"{each.round} {nation}: {each.kind}, {each.leader}, {each.gold}"
            for nation, entry in of.nations.items()
            for each in entry.plans
        ]

    assert plans(ONE) == [
        "1 celts: major-invasion, brennus, 0",
        "4 epirotes: campaign-only, pyrrhus, 8",
        "6 carthaginians: campaign, hannibal, 8",
        "8 cimbri: campaign-only, boiorix, 5",
        "2 romans: campaign, fabius, 4",
        "6 romans: campaign, scipio, 5",
        "8 romans: campaign, marius, 6",
        "10 romans: alternating-campaign, strabo, 6",
        "10 optimates: alternating-campaign, sulla-optimates, 9",
        "10 populares: alternating-campaign, marius-populares, 9",
    ]
    assert plans(TWO) == [
        "1 visigoths: campaign-only, alarich, 4",
        "2 huns: campaign-only, attila, 4",
        "3 foederati: major-invasion, odoacer, 0",
        "4 ostrogoths: major-invasion, theoderich, 0",
        "5 byzantines: campaign, belisarius, 4",
        "6 byzantines: campaign, narses, 4",
        "6 lombards: major-invasion, alboin, 0",
        "7 avars: major-invasion, bajan, 0",
        "10 arabs: major-invasion, asad, 0",
        "9 franks: campaign, pippin, 3",
        "10 franks: campaign, charlemagne, 6",
    ]
    assert [card(ONE, "romans").plan(number) for number in (1, 2, 10)] == ["normal", "campaign", "normal"]
    hannibal = card(ONE, "carthaginians").plan_of(6)
    assert hannibal is not None
    assert (hannibal.waits_in, hannibal.gathers_from) == ("alpes", "africa")


@pytest.mark.rule("IT-VP-14")
def test_only_published_eliminations_at_any_time_count_in_any_turn() -> None:
    for of in (ONE, TWO):
        for entry in of.nations.values():
            for each in entry.scoring:
                if isinstance(each, entries.EliminationPoints):
                    assert each.any_turn == (each.mark == "published" and each.rounds is None)


@pytest.mark.rule("IT-SUB-07")
def test_when_the_celts_submit_to_the_romans() -> None:
    submission = card(ONE, "celts").submission[0]
    assert (submission.to, submission.must_at_most, submission.may_at_most) == ("romans", 3, 5)


def test_a_leader_is_found_with_his_nation_and_name() -> None:
    nation, leader = ONE.leader_of[LeaderId("marius-populares")]
    assert (nation, leader.name) == ("populares", "Marius")
    assert ONE.names["pompaedius-silo"] == "Pompaedius Silo"
    assert TWO.names["western-romans"] == "Western Romans"


def test_most_of_the_cards_is_ours_and_says_so() -> None:
    for of in (ONE, TWO):
        marks = of.deck.marks()
        assert marks["reconstructed"] > marks["seed"] > marks["published"] > 0
        assert set(of.deck.legend) == set(marks)
        for entry in of.nations.values():
            facts = {"name", "seat", "order", "rounds", "income", "counters", "starting_gold"}
            assert facts <= set(entry.marks)


@pytest.mark.rule("IT-BRD-02", "IT-BRD-05")
def test_places_are_found_on_the_board() -> None:
    places = entries.Places(areas=(AreaId("roma"),), regions=("sardinia", "entry-africa"))
    assert places.on(MAP) == ("aures", "carales", "olbia", "roma")
    assert len(entries.Places(regions=ITALY).on(MAP)) == 29


# --- corrected cards ---


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
    for leader in ONE.leader_of:
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
