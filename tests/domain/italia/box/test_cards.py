"""The nation cards: what the rules say of them, what became a field, of the project's own cards."""

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
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.board import Map

BOARD = board("italia")
MAP = Map.of(BOARD)
GAMES: tuple[Game, ...] = get_args(Game)
ONE, TWO = (Cards.of(builtin(game)) for game in GAMES)


def card(of: Cards, nation: str) -> cards.NationCard:
    return of.nations[NationId(nation)]


def arrivals(of: Cards, nation: str, number: int) -> list[Arrival]:
    return [each for each in card(of, nation).arrivals if each.round == number]


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
