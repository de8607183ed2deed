"""The figures of the game, what its creator chooses, and boards that somebody has corrected."""

from collections import Counter
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.boards import builtin
from domain.campaign.box.data import DATA
from domain.campaign.ruleset import Campaign
from domain.campaign.start.setup import Setup
from domain.kernel.chance.draws import commitment_to
from domain.kernel.ids import GameId, PlayerId
from domain.kernel.log import beginning
from domain.kernel.log.game import Game
from domain.kernel.log.record import Cause
from domain.kernel.rules.board import Board, Key

RULESET = Campaign()
BOARD = builtin("conquest")


def create(board: Board = BOARD, **setup: Any) -> Game:
    organizer = PlayerId("organizer")
    commitment, cause = commitment_to(bytes(32)), Cause(organizer)
    step = beginning.create(
        RULESET,
        GameId("game"),
        3,
        setup=setup,
        board=board,
        organizer=organizer,
        commitment=commitment,
        cause=cause,
        at="",
    )
    return step.game


def corrected(area: str, **changes: Any) -> Board:
    """Return the board with other fields of one area."""
    areas = tuple(replace(each, **changes) if each.id == area else each for each in BOARD.areas)
    return replace(BOARD, areas=areas)


@pytest.mark.rule("CS-SET-05", "CS-SET-06")
def test_the_cards_are_43_kinds_and_83_in_all() -> None:
    kinds = Counter(card.kind for card in DATA.card)
    copies = Counter({kind: sum(card.copies for card in DATA.card if card.kind == kind) for kind in kinds})
    assert (len(DATA.cards), copies.total()) == (43, 83)
    assert (kinds["vote"], copies["vote"]) == (5, 5)
    assert (kinds["senator"], copies["senator"]) == (4, 28)


@pytest.mark.rule("CS-SET-03", "CS-PCS-04")
def test_nobody_starts_with_more_than_there_is() -> None:
    start = DATA.start
    for kind in ("infantry", "cavalry", "catapults", "galleys", "generals", "influence"):
        assert getattr(start, kind) <= DATA.pieces[kind]


@pytest.mark.rule("CS-BRD-02", "CS-TOK-04", "CS-TOK-07")
def test_there_are_tokens_of_the_eleven_key_provinces_for_six_players_and_five_seasons() -> None:
    assert set(DATA.tokens) == {area.id for area in BOARD.areas if area.key is not None}
    assert (len(DATA.tokens), sum(DATA.tokens.values())) == (11, 88)
    assert 6 * DATA.start.influence + max(DATA.seasons) * 2 * 6 <= 88


@pytest.mark.rule("CS-END-05")
def test_a_game_has_four_or_five_seasons() -> None:
    assert create().setup == Setup(seasons=4)
    assert create(seasons=5).setup == Setup(seasons=5)
    for seasons in (3, 6):
        with pytest.raises(ValueError, match=f"Invalid enum value {seasons}"):
            create(seasons=seasons)


@pytest.mark.rule("CS-BRD-02", "CS-BRD-03")
def test_a_board_needs_the_key_provinces_with_their_numbers() -> None:
    assert create(corrected("egypt", key=Key((20, 10))))
    for area, key in (("italia", Key((20, 10))), ("egypt", Key((15, 5, 1))), ("numidia", None)):
        with pytest.raises(ValueError, match=f"key.vp of {area} must have {3 if area == 'italia' else 2} numbers"):
            create(corrected(area, key=key))
    with pytest.raises(ValueError, match="syria cannot be a key province: there are no province tokens for it"):
        create(corrected("syria", key=Key((10, 5))))


@pytest.mark.rule("CS-BRD-02")
@pytest.mark.parametrize(
    ("area", "told"),
    [
        ("galatia", "the board has no province 'galatia', which is a key province of this game"),
        ("moesia", "the board has no area 'moesia', which the card Barbarians at the Gate"),
        ("mare-aegaeum", "the board has no area 'mare-aegaeum', which the card Commandeer a Fleet"),
    ],
)
def test_a_board_needs_the_areas_that_the_game_names(area: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        create(
            msgspec.json.decode(msgspec.json.encode(BOARD).replace(f'"{area}"'.encode(), b'"elsewhere"'), type=Board)
        )
