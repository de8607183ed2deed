"""Who leads which civilization: the player who takes its seat, is named by the creator, or is dealt it (MN-SET-01)."""

from random import Random
from typing import Any

import msgspec
import pytest

from domain.boards import builtin
from domain.kernel.ids import PlayerId, Seat
from domain.kernel.log import seating
from domain.kernel.proof.verify import verify
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.ruleset import MareNostrum
from tests.helpers.forger import forged
from tests.helpers.play import Play, player_of

RULESET = MareNostrum()
BOARD = builtin(RULESET.board)
CARTHAGE, GREECE, BABYLON = Seat("carthage"), Seat("greece"), Seat("babylon")
SEATS = (CARTHAGE, GREECE, BABYLON)


def dealt(seed: int) -> Play:
    return Play(RULESET, BOARD, 3, seed, {"assignment": "dealt"})


def refused(setup: dict[str, Any]) -> Refusal:
    with pytest.raises(Refusal) as caught:
        Play(RULESET, BOARD, 3, setup=setup, start=False)
    return caught.value


def leaders(**players: str) -> list[dict[str, str]]:
    return [{"civilization": civilization, "player": player} for civilization, player in players.items()]


# --- dealt ---


@pytest.mark.rule("MN-SET-01")
def test_players_move_to_the_civilizations_that_they_are_dealt_when_the_game_starts() -> None:
    seen: set[tuple[PlayerId | None, ...]] = set()
    for seed in range(12):
        play = dealt(seed)
        events = [msgspec.json.decode(record.event) for record in play.records]
        at = next(index for index, event in enumerate(events) if event["type"] == "civilizations-dealt")
        order = events[at]["order"]
        assert sorted(order) == sorted(SEATS)
        holders = {civilization: player_of(seat) for seat, civilization in zip(SEATS, order, strict=True)}
        assert play.game.players == holders == events[at + 1]["players"]
        assert events[at + 1]["type"] == "seats-moved"
        seen.add(tuple(play.game.players.values()))
    assert len(seen) > 3


@pytest.mark.rule("MN-SET-01")
def test_a_player_plays_the_civilization_that_was_dealt_and_reads_its_hand() -> None:
    play = next(play for play in map(dealt, range(20)) if play.game.players[CARTHAGE] != player_of(CARTHAGE))
    holder = play.game.players[CARTHAGE]
    play.command(CARTHAGE, {"type": "name-number", "number": 1})
    assert msgspec.json.decode(play.records[-1].cause or b"{}")["player"] == holder
    view: Any = play.game.view(CARTHAGE, play.vault)
    assert view.seats[CARTHAGE].hand


@pytest.mark.rule("MN-SET-01")
def test_a_game_that_was_dealt_is_folded_and_proved_while_it_runs_and_when_it_is_over() -> None:
    play, rng = dealt(3), Random(3)
    play.run(rng, 15)
    assert play.fold().players == play.game.players
    for seat in (None, GREECE):
        verdict = verify(play.export(seat), play.library)
        assert verdict.ok, verdict
    play.run(rng)
    verdict = verify(play.export(), play.library)
    assert (verdict.ok, verdict.status) == (True, "over"), verdict


def swapped(lines: list[dict[str, Any]]) -> None:
    players = next(line["event"]["players"] for line in lines if line.get("event", {}).get("type") == "seats-moved")
    players[CARTHAGE], players[GREECE] = players[GREECE], players[CARTHAGE]


def test_players_who_moved_otherwise_than_they_were_dealt_are_found_out() -> None:
    """While a game runs nobody can draw again; but who moved where must follow from what was dealt."""
    play = dealt(3)
    verdict = verify(forged(play.export(), swapped), play.library)
    assert "seats-moved follows from nothing" in verdict.problem
    play.run(Random(3))
    verdict = verify(forged(play.export(), swapped), play.library)
    assert "is not what follows from the rules" in verdict.problem


@pytest.mark.rule("MN-SET-01")
def test_nobody_moves_where_nothing_is_dealt_and_the_first_event_tells_of_no_assignment() -> None:
    play = Play(RULESET, BOARD, 3)
    assert play.game.players == {seat: player_of(seat) for seat in SEATS}
    assert "seats-moved" not in {record.type for record in play.records}
    assert not {"assignment", "leaders", "lone_offer_ends_trade"} & set(
        msgspec.json.decode(play.records[0].event)["setup"]
    )


# --- named by the creator ---


@pytest.mark.rule("MN-SET-01")
def test_a_civilization_that_the_creator_gave_to_a_player_is_taken_by_nobody_else() -> None:
    ann, ben = PlayerId("p-ann"), PlayerId("p-ben")
    play = Play(RULESET, BOARD, 3, setup={"leaders": leaders(greece=ann)}, start=False)
    with pytest.raises(Refusal, match="greece is reserved for another player") as kept:
        play.sit(GREECE, ben)
    assert kept.value.rule == "TAB-LIFE-03"
    with pytest.raises(Refusal, match="Take greece"):
        play.sit(CARTHAGE, ann)
    assert seating.seat_for(play.game, ben) == CARTHAGE
    assert seating.seat_for(play.game, ann) == GREECE
    for player, seat in ((ann, GREECE), (ben, CARTHAGE), (PlayerId("p-cid"), BABYLON)):
        play.sit(seating.seat_for(play.game, player), player)
        assert play.game.players[seat] == player
    play.start()
    assert verify(play.export(), play.library).ok


@pytest.mark.rule("MN-SET-01")
@pytest.mark.parametrize(
    ("setup", "told"),
    [
        ({"leaders": leaders(rome="p-ann")}, "Civilizations in play: carthage, greece, babylon."),
        ({"leaders": leaders(greece="p-ann", carthage="p-ann")}, "A player leads only one civilization."),
        ({"leaders": [*leaders(greece="p-ann"), *leaders(greece="p-ben")]}, "Name one player for each civilization."),
        ({"leaders": leaders(greece="p-ann"), "assignment": "dealt"}, "let the civilizations be dealt, not both."),
    ],
)
def test_leaders_that_make_no_sense_are_refused(setup: dict[str, Any], told: str) -> None:
    refusal = refused(setup)
    assert (refusal.rule, told in str(refusal)) == ("MN-SET-01", True), refusal
