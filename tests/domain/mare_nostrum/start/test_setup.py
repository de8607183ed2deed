"""The figures of the game, who may play, and boards that somebody has corrected."""

import json
from importlib import resources
from typing import Any

import pytest
from msgspec.structs import replace

from domain.boards import builtin, parse_board, validate
from domain.boards.families.mare_nostrum import CIVILIZATIONS, GOODS
from domain.kernel.chance.draws import CommittedChance, commitment_to
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, GameId, PlayerId, Seat
from domain.kernel.log import beginning
from domain.kernel.log.game import Game
from domain.kernel.log.record import Cause
from domain.kernel.rules.board import Board
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box import data
from domain.mare_nostrum.box.state import Setup
from domain.mare_nostrum.box.table import Table
from domain.mare_nostrum.ruleset import MareNostrum

RULESET = MareNostrum()
BOARD = builtin("mare-nostrum")


def create(players: int, board: Board = BOARD, **setup: Any) -> Game:
    organizer = PlayerId("organizer")
    secret = bytes(32)
    step = beginning.create(
        RULESET,
        GameId("game"),
        players,
        setup=setup,
        board=board,
        organizer=organizer,
        commitment=commitment_to(secret),
        cause=Cause(organizer),
        at="",
    )
    return step.game


def begun(board: Board = BOARD, byte: int = 0) -> Table:
    chance = CommittedChance(bytes([byte]) * 32, GameId("game"), {})
    return RULESET.begin(RULESET.lay(RULESET.seats(3), Setup(), board), chance).table


@pytest.mark.rule("MN-PCS-07", "MN-PCS-08")
def test_the_cards_are_those_of_the_box() -> None:
    assert sum(data.BANK.values()) == 123
    assert data.BANK["tax"] == 35
    assert sorted(data.BANK[good] for good in data.GOODS) == [5] * 4 + [7] * 5 + [11] * 3
    kinds = [(card.kind, card.civilization is not None) for card in data.CARDS.values()]
    assert kinds.count(("hero", True)) == 5
    assert kinds.count(("hero", False)) == 6
    assert kinds.count(("wonder", False)) == 7
    assert 3 + len(kinds) + 123 == 144


@pytest.mark.rule("MN-SET-02")
def test_the_pieces_of_a_player_are_33() -> None:
    assert data.PIECES == {"trireme": 5, "legion": 8, "fortress": 8, "influence": 12}


def test_board_and_figures_speak_of_the_same_goods_and_civilizations() -> None:
    assert set(GOODS) == set(data.GOODS)
    assert data.CIVILIZATIONS == CIVILIZATIONS
    assert all(RULESET.catalogue.rule(card.rule) for card in data.CARDS.values())


@pytest.mark.rule("MN-SET-01", "MN-SET-21")
def test_the_creator_chooses_as_many_different_civilizations_as_there_are_players() -> None:
    assert tuple(create(3).players) == ("carthage", "greece", "babylon")
    assert tuple(create(3, civilizations=["egypt", "rome", "greece"]).players) == ("rome", "greece", "egypt")
    with pytest.raises(Refusal, match="MN-SET-01"):
        create(4, civilizations=["egypt", "rome", "greece"])
    with pytest.raises(Refusal, match="MN-SET-01"):
        create(3, civilizations=["egypt", "rome", "rome"])
    with pytest.raises(Refusal, match="TAB-LIFE-02"):
        create(2)


@pytest.mark.rule("MN-SET-22")
def test_lots_decide_between_players_without_a_role_who_tie() -> None:
    # Carthage has a role; Greece and Babylon have as many cities, so that the card of Egypt goes by lot.
    board = json.loads(resources.files("domain.boards").joinpath("mare-nostrum.json").read_text())
    knossos = next(row for row in board["areas"] if row["id"] == "knossos")
    knossos["traits"]["start"] = ["wine"]
    corrected = parse_board(json.dumps(board).encode())
    validate(corrected)
    leaders = {begun(corrected, byte=byte).roles["political-leader"] for byte in range(20)}
    assert leaders == {"greece", "babylon"}


@pytest.mark.rule("MN-SET-06")
def test_a_corrected_board_opens_a_game_by_its_own_layout() -> None:
    board = json.loads(resources.files("domain.boards").joinpath("mare-nostrum.json").read_text())
    macedonia = next(row for row in board["areas"] if row["id"] == "macedonia")
    macedonia["traits"] |= {"start_of": ["greece"], "start": ["livestock", "legion"]}
    corrected = parse_board(json.dumps(board).encode())
    validate(corrected)
    assert create(3, corrected).status == "gathering"
    province = begun(corrected).provinces[AreaId("macedonia")]
    assert (province.owner, province.caravans, province.forces[Seat("greece")].legions) == ("greece", ("livestock",), 1)


@pytest.mark.rule("MN-SET-19")
def test_a_neighbour_of_a_neutral_capital_that_is_a_players_gets_no_neutral_pieces() -> None:
    areas = tuple(
        replace(area, traits={**area.traits, "start_of": ("greece",), "start": ()}) if area.id == "cyrenaica" else area
        for area in BOARD.areas
    )
    table = begun(replace(BOARD, areas=areas))
    assert table.provinces[AreaId("cyrenaica")].owner == "greece"
    assert not table.provinces[AreaId("cyrenaica")].forces
    assert table.provinces[AreaId("memphis")].owner == "egypt"


@pytest.mark.rule("MN-SET-19")
def test_neutral_capitals_that_border_on_each_other_keep_their_own_pieces_only() -> None:
    border = next(border for border in BOARD.borders if border.kind == "land")
    table = begun(
        replace(BOARD, borders=(*BOARD.borders, replace(border, between=(AreaId("rome"), AreaId("alexandria")))))
    )
    for civilization, capital in (("rome", "rome"), ("egypt", "alexandria")):
        province = table.provinces[AreaId(capital)]
        assert (province.owner, set(province.forces)) == (civilization, {civilization})


def starting_board(seat: str, *provinces: tuple[str, ...]) -> Board:
    """Return the board on which a civilization begins with these pieces, in the first provinces that are nobody's."""
    lands = [area.id for area in BOARD.areas if area.kind == "land" and seat in area.traits.get("start_of", ())]
    lands += [area.id for area in BOARD.areas if area.kind == "land" and not area.traits.get("start_of")]
    starts = dict(zip(lands, provinces, strict=False))
    return replace(
        BOARD,
        areas=tuple(
            replace(area, traits={**area.traits, "start_of": (seat,), "start": starts[area.id]})
            if area.id in starts
            else area
            for area in BOARD.areas
        ),
    )


def test_a_board_that_needs_more_pieces_than_there_are_is_refused() -> None:
    crowded = starting_board("rome", ("legion",) * 8, ("legion",))
    assert create(3, crowded)
    with pytest.raises(ValueError, match="rome starts with 9 legion pieces; a player has 8"):
        create(4, crowded)


# Carthage and Babylon begin with 8 caravans and 2 cities; for three players there are 18 and 8, and 4 temples.
@pytest.mark.parametrize(
    ("most", "more", "told"),
    [
        ([("legion",) * 8, (), ()], ("legion",), "greece starts with 9 legion pieces; a player has 8"),
        ([()] * 12, (), "greece starts with 13 influence pieces; a player has 12"),
        ([("temple",)] * 4, ("temple",), "players start with 5 temple tokens; there are 4"),
        ([("city",)] * 6, ("city",), "players start with 9 city tokens; there are 8"),
        ([("oil",)] * 10, ("fish",), "players start with 19 caravan tokens; there are 18"),
    ],
)
def test_a_board_needs_pieces_for_all_who_play(most: list[tuple[str, ...]], more: tuple[str, ...], told: str) -> None:
    assert create(3, starting_board("greece", *most))
    with pytest.raises(ValueError, match=told):
        create(3, starting_board("greece", *most, more))
    assert create(3, starting_board("greece", *most, more), layout="free")


@pytest.mark.rule("MN-TRD-04")
def test_a_spectator_sees_no_hand_and_a_player_his_own() -> None:
    chance = CommittedChance(bytes(32), GameId("game"), {})
    draft = RULESET.begin(RULESET.lay(RULESET.seats(3), Setup(), BOARD), chance)
    vault = Vault(draft.secrets)
    for viewer in (None, *draft.table.seats):
        view: Any = RULESET.view(draft.table, vault.read_by(viewer))
        assert {seat for seat, each in view.seats.items() if each.hand is not None} == {viewer} - {None}
        assert all(each.count == draft.table.hands[seat].count for seat, each in view.seats.items())
