"""Rematches: who sits where, who has to agree until when, and what a proof says of one that began without that."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from domain.kernel.ids import GameId, PlayerId, Seat, TournamentId
from domain.kernel.log import rematching, snapshot, timing
from domain.kernel.log.clock import Clock
from domain.kernel.log.record import Cause
from domain.kernel.proof.verify import verify
from domain.kernel.rules.ruleset import Library
from tests.domain.kernel.log.around import BLUE, GREEN, RED, proved, refused, whole
from tests.domain.kernel.log.test_assigned import by, to, without
from tests.helpers.forger import Line, forged, rows
from tests.helpers.play import ORGANIZER, Play, player_of
from tests.tiny.auction import ROOM, TinyAuction

ANNA, BEN, CARA, DORA = map(PlayerId, ("anna", "ben", "cara", "dora"))
PAST, FUTURE = "2025-12-31T00:00:00.000000Z", "2026-01-02T00:00:00.000000Z"


def offered(until: str = FUTURE) -> Play:
    """Return a rematch that the organizer has offered, as the player of red, to Anna and to Ben."""
    play = Play(TinyAuction(), ROOM, 3, start=False, rematch_of=GameId("gbefore"), offered_until=until)
    play.sit(RED, ORGANIZER)
    play.assign(BLUE, ANNA)
    play.assign(GREEN, BEN)
    return play


def begun() -> Play:
    play = offered()
    play.confirm(BLUE, ANNA, "dice of anna")
    play.confirm(GREEN, BEN)
    play.start()
    return play


def over() -> Play:
    return Play(TinyAuction(), ROOM, 3).run(Random(1))


@pytest.mark.rule("TAB-REM-01")
def test_only_who_holds_a_seat_of_a_game_that_is_over_offers_a_rematch() -> None:
    play = over()
    rematching.require_offerable(play.game, player_of(RED), None)
    running = Play(TinyAuction(), ROOM, 3).game
    assert refused(lambda: rematching.require_offerable(running, player_of(RED), None)).untimely
    fork: Any = "how it was forked"
    for game, player, tournament, asked in (
        (play.game, ORGANIZER, None, "You held no seat when the game ended."),
        (play.game, player_of(RED), TournamentId("tcup"), "You asked for a rematch of a game of the tournament tcup."),
        (replace(play.game, forked=fork), player_of(RED), None, "You asked for a rematch of a fork."),
    ):
        refusal = refused(lambda g=game, p=player, t=tournament: rematching.require_offerable(g, p, t))
        assert (refusal.rule, refusal.wrong) == ("TAB-REM-01", asked)


@pytest.mark.rule("TAB-REM-02")
def test_everybody_takes_the_next_seat_and_the_last_one_takes_the_first() -> None:
    game = over().game
    seats = list(game.players)
    moved = rematching.rotated(game)
    assert list(moved) == seats
    assert [moved[seat] for seat in (*seats[1:], seats[0])] == [game.players[seat] for seat in seats]


class Reserved(TinyAuction):
    """An auction in which every seat is reserved for its player."""

    def kept_seats(self, choices: object) -> dict[Seat, PlayerId]:
        return {RED: player_of(RED)}


@pytest.mark.rule("TAB-REM-02")
def test_where_seats_are_reserved_everybody_keeps_theirs() -> None:
    game = replace(over().game, ruleset=Reserved())
    assert rematching.rotated(game) == game.players


@pytest.mark.rule("TAB-REM-02")
def test_nothing_of_a_rematch_changes_before_it_starts() -> None:
    play = offered()
    clock = Clock(kind="bank", time=60, at_zero="claim")
    for act in (
        lambda: play.assign(BLUE, CARA),
        lambda: timing.set_clock(play.game, clock, Cause(ORGANIZER), play.now),
    ):
        assert refused(act).rule == "TAB-REM-02"
    play = begun()
    assert refused(lambda: play.assign(BLUE, CARA)).rule == "TAB-SEAT-08"


@pytest.mark.rule("TAB-REM-03")
def test_a_rematch_starts_only_when_all_have_agreed() -> None:
    play = offered()
    play.confirm(BLUE, ANNA)
    refusal = refused(play.start)
    assert (refusal.rule, refusal.allowed) == ("TAB-REM-03", "These seats have not agreed: green.")
    play.confirm(GREEN, BEN)
    play.start()
    assert play.game.status == "running"
    proved(play)
    whole(play)


@pytest.mark.rule("TAB-REM-04")
def test_everybody_who_is_asked_may_decline_and_nobody_else() -> None:
    for player in (ORGANIZER, ANNA, BEN):
        play = offered()
        play.cancel(player)
        assert play.game.status == "cancelled"
        assert verify(play.export(), play.library).ok
    assert refused(lambda: offered().cancel(CARA)).rule == "TAB-LIFE-04"
    ordinary = Play(TinyAuction(), ROOM, 3, start=False)
    ordinary.assign(BLUE, ANNA)
    assert refused(lambda: ordinary.cancel(ANNA)).rule == "TAB-LIFE-04"


@pytest.mark.rule("TAB-REM-04")
def test_an_offer_that_expired_is_agreed_to_by_nobody_and_cancelled_by_the_clock() -> None:
    play = offered(PAST)
    assert refused(lambda: play.confirm(BLUE, ANNA)).rule == "TAB-REM-04"
    play.take(rematching.expire(play.game, play.now))
    assert play.game.status == "cancelled"
    assert verify(play.export(), play.library).ok
    for early in (offered(), Play(TinyAuction(), ROOM, 3, start=False)):
        refusal = refused(lambda early=early: rematching.expire(early.game, early.now))
        assert (refusal.rule, refusal.untimely) == ("TAB-REM-04", True)
    assert rematching.offered_until(PAST) == "2026-01-01T00:00:00.000000Z"


def test_a_snapshot_keeps_what_a_rematch_is() -> None:
    game = offered().game
    restored = snapshot.restore(snapshot.take(game), Library([TinyAuction()]), lambda _: ROOM)
    assert (restored.rematch_of, restored.offered_until) == ("gbefore", FUTURE)


def expired() -> Play:
    play = offered(PAST)
    play.take(rematching.expire(play.game, play.now))
    return play


def declined() -> Play:
    play = offered()
    play.cancel(ANNA)
    return play


def until(moment: str) -> Callable[[list[Line]], None]:
    return to("game-created", offered_until=moment)


FORGERIES: list[tuple[Callable[[], Play], Callable[[list[Line]], None], str]] = [
    (begun, without("seat-confirmed"), "These seats have not agreed"),
    (begun, until(PAST), "TAB-REM-04"),
    (expired, until(FUTURE), "TAB-REM-04"),
    (declined, by("game-cancelled", player="dora"), "who was not asked to play"),
    (declined, lambda lines: rows(lines, "game-created")[0]["event"].pop("rematch_of"), "who is not the organizer"),
]


@pytest.mark.rule("TAB-REM-03")
@pytest.mark.rule("TAB-REM-04")
@pytest.mark.parametrize("number", range(len(FORGERIES)))
def test_a_proof_names_every_forged_rematch(number: int) -> None:
    make, forge, problem = FORGERIES[number]
    play = make()
    assert verify(play.export(), play.library).ok
    verdict = verify(forged(play.export(), forge), play.library)
    assert not verdict.ok
    assert problem in verdict.problem, verdict.problem
