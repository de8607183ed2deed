"""Seats that are assigned to accounts and confirmed by them: who may, what it changes, what a proof names."""

from collections.abc import Callable
from random import Random

import pytest

from domain.kernel.ids import PlayerId, Seat, TournamentId
from domain.kernel.log import beginning, organizing, snapshot
from domain.kernel.log.fold import continued
from domain.kernel.log.history import cause_of
from domain.kernel.log.record import Cause
from domain.kernel.log.seated import SeatAssigned, SeatConfirmed
from domain.kernel.proof.verify import verify
from domain.kernel.rules.ruleset import Library
from tests.domain.kernel.log.around import BLUE, GREEN, ONE_COIN, RED, proved, refused, started, whole
from tests.helpers.forger import Line, forged, rows
from tests.helpers.play import OFFICIAL, ORGANIZER, Play, player_of
from tests.tiny.auction import ROOM, TinyAuction

ANNA, BEN, CARA, DORA, ERIK = map(PlayerId, ("anna", "ben", "cara", "dora", "erik"))
CUP = TournamentId("t4xq2m7ahbk3oxw7c")


def gathering(players: int = 3) -> Play:
    return Play(TinyAuction(), ROOM, players, start=False)


@pytest.mark.rule("TAB-SEAT-08")
def test_an_assigned_seat_is_held_at_once_and_a_game_starts_without_its_confirmation() -> None:
    play = gathering()
    assert not play.game.lets_in(ANNA)
    play.assign(RED, ANNA)
    assert play.game.lets_in(ANNA)
    play.assign(BLUE, BEN)
    assert "green" in refused(play.start).allowed
    play.sit(GREEN, CARA, "dice of cara")
    assert play.game.players == {RED: ANNA, BLUE: BEN, GREEN: CARA}
    assert (play.game.entropy, play.game.around.assigned) == ({GREEN: "dice of cara"}, (RED, BLUE))
    play.start()
    assert (play.game.status, play.game.around.assigned) == ("running", ())
    proved(play)
    whole(play)


@pytest.mark.rule("TAB-SEAT-09")
def test_the_player_of_an_assigned_seat_confirms_it_once_and_adds_entropy() -> None:
    play = gathering()
    play.assign(RED, ANNA)
    play.assign(BLUE, BEN)
    play.sit(GREEN, CARA)
    for seat, player in ((RED, BEN), (RED, ORGANIZER), (Seat("mauve"), ANNA), (GREEN, CARA)):
        assert refused(lambda seat=seat, player=player: play.confirm(seat, player)).rule == "TAB-SEAT-09"
    before = play.game
    play.confirm(RED, ANNA, "dice of anna")
    assert (play.game.entropy, play.game.around.assigned) == ({RED: "dice of anna"}, (BLUE,))
    assert before.entropy == {}
    play.confirm(BLUE, BEN)
    assert refused(lambda: play.confirm(RED, ANNA, "others")).rule == "TAB-SEAT-09"
    assert play.game.entropy == {RED: "dice of anna"}
    play.start()
    assert refused(lambda: play.confirm(BLUE, BEN)).untimely
    whole(play)


@pytest.mark.rule("TAB-SEAT-08")
@pytest.mark.rule("TAB-SEAT-09")
def test_only_a_seat_that_is_free_or_not_confirmed_is_assigned_to_somebody_else() -> None:
    play = gathering()
    play.assign(RED, ANNA)
    play.assign(RED, DORA)
    assert play.game.players[RED] == DORA
    assert not play.game.lets_in(ANNA)
    play.assign(BLUE, ANNA)  # who is free for another seat again
    play.confirm(RED, DORA)
    play.sit(GREEN, CARA)
    for seat in (RED, GREEN):
        refusal = refused(lambda seat=seat: play.assign(seat, BEN))
        assert (refusal.rule, refusal.allowed) == ("TAB-SEAT-08", "You can assign blue.")
    play.leave(RED, DORA)
    play.assign(RED, BEN)
    play.leave(RED, BEN)
    assert play.game.around.assigned == (BLUE,)
    play.sit(RED, BEN)
    assert refused(lambda: play.confirm(RED, BEN)).rule == "TAB-SEAT-09", "who took the seat without being asked to"
    play.leave(RED, BEN)
    play.assign(RED, DORA)
    play.confirm(RED, DORA, "dice")
    play.leave(RED, DORA)
    assert play.game.entropy == {}
    play.assign(RED, DORA)
    play.start()
    assert refused(lambda: play.assign(RED, BEN)).untimely
    whole(play)


@pytest.mark.rule("TAB-SEAT-08")
def test_seats_are_assigned_by_the_organizer_to_those_who_could_take_them() -> None:
    play = gathering()
    play.name_official()
    play.assign(RED, ANNA)
    assert refused(lambda: play.assign(BLUE, BEN, by=ANNA)).rule == "TAB-SEAT-08"
    for seat, player, rule in (
        (BLUE, ANNA, "TAB-LIFE-03"),
        (RED, ANNA, "TAB-LIFE-03"),
        (Seat("mauve"), BEN, "TAB-LIFE-03"),
        (BLUE, OFFICIAL, "TAB-RUL-01"),
    ):
        assert refused(lambda seat=seat, player=player: play.assign(seat, player)).rule == rule
    assert refused(lambda: play.name_official(ANNA)).rule == "TAB-RUL-01"
    play.assign(BLUE, ORGANIZER)
    play.pass_on(ANNA)
    assert refused(lambda: play.assign(GREEN, BEN)).rule == "TAB-SEAT-08"
    play.assign(GREEN, BEN, by=ANNA)
    assert organizing.heirs(play.game) == (OFFICIAL, ORGANIZER, BEN)
    play.start()
    whole(play)


@pytest.mark.rule("TAB-SEAT-08")
def test_no_seat_is_assigned_in_a_game_that_was_cancelled_or_in_a_fork() -> None:
    play = gathering()
    play.cancel()
    assert refused(lambda: play.assign(RED, ANNA)).rule == "TAB-LIFE-04"
    assert refused(lambda: play.confirm(RED, ANNA)).rule == "TAB-LIFE-04"
    play = started(3)
    begun = play.game.version
    play.run(Random(1))
    fork = play.fork(begun, "continuation")
    assert refused(lambda: fork.assign(RED, player_of(RED))).rule == "TAB-FORK-04"
    fork.sit(RED, player_of(RED))
    proved(fork)


def test_a_snapshot_keeps_which_seats_were_assigned() -> None:
    play = gathering()
    play.assign(RED, ANNA)
    play.assign(BLUE, BEN)
    library = Library([play.ruleset])
    kept = snapshot.restore(snapshot.take(play.game), library, lambda _: play.board)
    play.confirm(BLUE, BEN, "dice")
    assert continued(kept, play.records[-1:]) == play.game == play.fold()


def test_an_assignment_and_its_confirmation_are_told() -> None:
    names = gathering().game.names
    assert SeatAssigned(RED, ANNA).tell(names) == "Red was assigned to anna."
    assert SeatConfirmed(RED).tell(names) == "Red was confirmed by its player."


# --- tournaments ---


@pytest.mark.rule("TAB-SEAT-10")
def test_a_game_that_belongs_to_a_tournament_says_so_in_the_causes_of_its_organizer() -> None:
    play = begun()
    named = [cause_of(record).tournament for record in play.records if record.cause is not None]
    assert named.count(CUP) == 7
    proved(play)
    whole(play)


# --- what a proof names ---


def begun() -> Play:
    """Return a game of a tournament: seats are assigned, one of them twice, confirmed, and the game begins."""
    play = Play(TinyAuction(), ROOM, 3, start=False, tournament=CUP)
    play.name_official()
    play.assign(RED, ANNA, tournament=CUP)
    play.assign(BLUE, BEN)
    play.assign(BLUE, DORA, tournament=CUP)
    play.confirm(BLUE, DORA, "dice of dora")
    play.sit(GREEN, CARA)
    play.take(beginning.start(play.game, play.chance, Cause(ORGANIZER, tournament=CUP), play.now))
    play.command(RED, ONE_COIN)
    play.offer(BLUE, by=ORGANIZER, tournament=CUP)
    play.withdraw_offer(BLUE, by=ORGANIZER, tournament=CUP)
    play.offer(BLUE, ERIK, by=ORGANIZER, tournament=CUP)
    return play


def whole_game() -> Play:
    return begun().run(Random(1))


def by(kind: str, **cause: str | None) -> Callable[[list[Line]], None]:
    def forge(lines: list[Line]) -> None:
        row = rows(lines, kind)[0]
        row["cause"] = {name: value for name, value in {**row["cause"], **cause}.items() if value is not None}

    return forge


def to(kind: str, number: int = 0, **fields: str) -> Callable[[list[Line]], None]:
    def forge(lines: list[Line]) -> None:
        rows(lines, kind)[number]["event"].update(fields)

    return forge


def again(kind: str, before: str | None = None, number: int = 0, **fields: str) -> Callable[[list[Line]], None]:
    """Let an act happen once more: at once, or right before another event."""

    def forge(lines: list[Line]) -> None:
        row = rows(lines, kind)[number]
        where = rows(lines, before)[0] if before is not None else row
        index = lines.index(where) + (before is None)
        more = {"event": {**row["event"], **fields}, "cause": dict(row["cause"])}
        lines.insert(index, {**row, **more, "at": where["at"], "draws": where["draws"]})

    return forge


def without(kind: str, number: int = 0) -> Callable[[list[Line]], None]:
    return lambda lines: lines.remove(rows(lines, kind)[number])


FORGERIES: dict[Callable[[list[Line]], None], str] = {
    by("seat-assigned", player="anna"): "is the assignment of a seat by anna, who is not the organizer",
    by("seat-assigned", player=None): "names no account",
    by("seat-assigned", seat="red"): "acts for the seat red",
    by("seat-assigned", tournament="t2"): "names the tournament t2, but the game belongs to t4xq2m7ahbk3oxw7c",
    by("seat-assigned", tournament="cup"): "names the tournament cup, which is no id of one",
    by("game-created", tournament=None): "names the tournament t4xq2m7ahbk3oxw7c, but the game belongs to none",
    by("game-created", tournament="cup"): "names the tournament cup, which is no id of one",
    by("seat-confirmed", tournament=CUP): "the confirmation of a seat is for none",
    by("game-started", player="anna"): "names the tournament t4xq2m7ahbk3oxw7c, and is not by the organizer",
    by("seat-offered", tournament=None): "by an official by organizer, who is no official of the game",
    by("seat-offered", player="official"): "the offer of a seat for a tournament by official, who is not the organizer",
    by("seat-offered", tournament="t2"): "names the tournament t2, but the game belongs to t4xq2m7ahbk3oxw7c",
    by("offer-withdrawn", tournament=None): "by an official by organizer, who is no official of the game",
    by("offer-withdrawn", player="anna"): "is the end of an offer for a tournament by anna, who is not the organizer",
    by("seat-confirmed", player="anna"): "who does not hold blue",
    by("seat-confirmed", seat="red"): "acts for the seat red, but is about blue",
    to("seat-assigned", player="official"): "is or was an official",
    to("seat-assigned", seat="mauve"): "no seat 'mauve'",
    to("seat-assigned", 1, player="anna"): "already has a seat",
    again("seat-confirmed"): "does not wait for you to confirm it",
    again("seat-assigned", "seat-taken", number=2, player="erik"): "is held by dora",
    again("seat-assigned", "game-started", number=0, seat="green", player="erik"): "is held by cara",
    without("seat-assigned", 2): "who does not hold blue",
    again("seat-assigned", "prize-put-up", player="erik"): "already begun",
    again("seat-confirmed", "prize-put-up"): "already begun",
}


def test_a_game_that_is_over_shows_that_a_confirmation_was_changed_or_left_out() -> None:
    play = whole_game()
    for forge in (to("seat-confirmed", entropy="mine"), without("seat-confirmed")):
        assert not verify(forged(play.export(), forge), play.library).ok


@pytest.mark.rule("TAB-SEAT-08")
@pytest.mark.rule("TAB-SEAT-09")
@pytest.mark.rule("TAB-SEAT-10")
@pytest.mark.parametrize("over", [False, True], ids=["running", "over"])
@pytest.mark.parametrize("forge", FORGERIES, ids=[f"{number}" for number in range(len(FORGERIES))])
def test_a_proof_names_every_forged_assignment(forge: Callable[[list[Line]], None], over: bool) -> None:
    play = whole_game() if over else begun()
    verdict = verify(play.export(), play.library)
    assert verdict.ok, verdict
    verdict = verify(forged(play.export(), forge), play.library)
    assert not verdict.ok
    assert FORGERIES[forge] in verdict.problem, verdict.problem
