"""Taking back: which of its commands a seat can take back, and what settles them."""

from random import Random

import msgspec
import pytest

from domain.kernel.chance.secret import Vault
from domain.kernel.log.fold import continued, resume
from domain.kernel.log.lifecycle import MovesRetracted
from domain.kernel.log.record import first_broken
from tests.domain.kernel.log.around import BLUE, ONE_COIN, OPEN, RED, card, gathering, refused, started
from tests.helpers.play import Play
from tests.tiny.auction import ROOM
from tests.tiny.showing import Showing


@pytest.mark.rule("TAB-UNDO-01")
def test_a_seat_takes_back_its_own_fresh_commands() -> None:
    play = started()
    start = play.game.table.digest()  # type: ignore[union-attr]
    first = play.game.version
    play.command(RED, ONE_COIN)
    play.command(RED, ONE_COIN)
    assert (play.game.undo_seat, play.game.undo_to) == (RED, (first, first + 1))
    undo = [option for option in play.game.options(RED, Vault()) if option.command == "undo"]
    assert undo[0].schema["properties"]["to"] == {"enum": [first, first + 1]}
    play.undo(RED, first)
    assert play.game.table.digest() == start  # type: ignore[union-attr]
    assert play.game.version == first + 3
    assert not play.game.undo_to
    assert play.fold() == play.game


@pytest.mark.rule("TAB-UNDO-01")
def test_nobody_takes_back_what_is_not_his_to_take_back() -> None:
    play = started()
    version = play.game.version
    assert refused(lambda: play.undo(RED, version)).rule == "TAB-UNDO-01"
    play.command(RED, ONE_COIN)
    for seat, to in ((BLUE, version), (RED, version - 1), (RED, version + 1), (RED, 0), (RED, -1), (RED, 10**9)):
        assert refused(lambda seat=seat, to=to: play.undo(seat, to)).rule == "TAB-UNDO-01"


@pytest.mark.rule("TAB-UNDO-01")
def test_what_was_drawn_revealed_or_decided_by_others_since_is_settled() -> None:
    play = started()
    play.command(RED, ONE_COIN, OPEN)
    play.command(BLUE, card(play, BLUE))  # sealing draws a salt
    assert not play.game.undo_to
    play.command(RED, card(play, RED))  # reveals
    assert not play.game.undo_to
    winner = next(seat for seat in (RED, BLUE) if play.game.table.coins[seat])  # type: ignore[union-attr]
    other = BLUE if winner == RED else RED
    play.command(BLUE, ONE_COIN)
    play.command(winner, {"type": "give", "coins": {other: 1}})
    assert play.game.undo_seat == winner
    assert len(play.game.undo_to) == (2 if winner == BLUE else 1)


@pytest.mark.rule("TAB-UNDO-01")
def test_what_was_revealed_without_a_draw_is_settled_live_and_after_loading() -> None:
    play = Play(Showing(), ROOM, 2)
    play.command(RED, ONE_COIN)
    before = play.game
    assert before.undo_to
    play.command(RED, {**card(play, RED), "type": "show-card"})
    assert play.game.draws == before.draws
    shown = play.game.version
    loaded = (play.fold(), continued(before, play.records[-1:]), resume(before, play.records[-1:]))
    for game in (play.game, *loaded):
        assert (game.undo_seat, game.undo_to) == (None, ())
    assert refused(lambda: play.undo(RED, shown - 1)).rule == "TAB-UNDO-01"
    # What follows may be taken back, up to there.
    play.command(RED, ONE_COIN)
    following = play.records[before.version :]
    for game in (play.game, play.fold(), continued(before, following), resume(before, following)):
        assert (game.undo_seat, game.undo_to) == (RED, (shown,))


@pytest.mark.rule("TAB-LIST-02")
def test_a_list_of_commands_ends_with_what_reveals_something_without_a_draw() -> None:
    play = Play(Showing(), ROOM, 2)
    show = {**card(play, RED), "type": "show-card"}
    assert refused(lambda: play.command(RED, show, ONE_COIN)).rule == "TAB-LIST-02"
    play.command(RED, ONE_COIN, show)


@pytest.mark.rule("TAB-UNDO-02")
def test_a_command_is_taken_back_whole_or_not() -> None:
    play = started()
    play.command(RED, ONE_COIN, OPEN)
    play.command(RED, card(play, RED))
    step = play.command(BLUE, card(play, BLUE))
    within = step.records[0].version
    assert refused(lambda: play.rule(within)).rule == "TAB-UNDO-02"
    for nowhere in (0, 1, 4, within + 1, 10**6, -3):
        assert refused(lambda to=nowhere: play.rule(to)).rule == "TAB-UNDO-02"
    play.rule(within - 1)
    assert play.waiting == [BLUE]


@pytest.mark.rule("TAB-UNDO-02")
def test_a_ruling_goes_back_over_dice_and_draws_go_on_counting() -> None:
    play = started(2, seed=2)
    start = play.game.version
    table = play.game.table.digest()  # type: ignore[union-attr]
    play.run(Random(3), 6)
    draws = play.game.draws
    play.rule(start, "misdealt")
    assert play.game.table.digest() == table  # type: ignore[union-attr]
    assert play.game.draws == draws
    assert all(one.draws <= other.draws for one, other in zip(play.records, play.records[1:], strict=False))
    assert msgspec.json.decode(play.records[-1].event, type=MovesRetracted).reason == "misdealt"
    assert first_broken(play.game.id, play.records) is None
    assert play.fold() == play.game
    assert play.run(Random(4)).game.status == "over"


def test_a_version_that_was_taken_back_is_no_target_for_undo() -> None:
    play = started()
    first = play.game.version
    play.command(RED, ONE_COIN)
    play.command(RED, ONE_COIN)
    play.undo(RED, first)
    assert refused(lambda: play.rule(first + 1)).rule == "TAB-UNDO-02"
    assert refused(lambda: play.undo(RED, first + 1)).rule == "TAB-UNDO-01"


@pytest.mark.rule("TAB-LIFE-01")
def test_only_a_running_game_goes_back() -> None:
    play = gathering()
    assert refused(lambda: play.rule(1)).rule == "TAB-LIFE-01"
    over = started().run(Random(1))
    refusal = refused(lambda: over.rule(5))
    assert refusal.rule == "TAB-LIFE-01"
    assert "is over" in refusal.wrong
