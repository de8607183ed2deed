"""What ratings are counted from: the ends of games, rulings after them, and results that count in tournaments."""

import random

import msgspec
import pytest
from msgspec.structs import replace

from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.log.clock import Clock
from domain.tournament import results, rounds
from projections import finished
from projections.finished import FINISHED, START, Begun, Row
from projections.store import ProjectionStore
from tests.helpers.clocked import Clocked
from tests.helpers.judging import Court
from tests.helpers.play import Play, player_of
from tests.helpers.tournaments import Club
from tests.projections.logs import MemoryLog, mixed, runner
from tests.projections.test_results import continued, court_of
from tests.tiny.auction import ROOM, TinyAuction

TINY = TinyAuction()
RED, BLUE, GREEN = map(Seat, ("red", "blue", "green"))


async def known(rows: ProjectionStore, *streams: Play | Court | Club, batch: int = 29) -> list[Row]:
    """Return the results that are known after all streams were read."""
    named = [(stream.game.id if isinstance(stream, Play) else _id(stream), stream.records) for stream in streams]
    log = MemoryLog(mixed([[(name, record) for record in records] for name, records in named]))
    await runner(log, rows, [FINISHED], batch=batch).catch_up()
    found = await finished.after(rows, START, 100)
    assert len(found) == await finished.total(rows)
    return found


def _id(stream: Court | Club):
    return stream.id if isinstance(stream, Court) else stream.tournament.id


def over(players: int, seed: int = 1, **more) -> Play:
    return Play(TINY, ROOM, players, seed=seed, **more).run(random.Random(seed))


@pytest.mark.rule("TAB-RAT-02", "TAB-RAT-04")
async def test_the_end_of_a_game_is_a_result_in_the_order_of_its_seats(rows: ProjectionStore) -> None:
    play, running = over(3), Play(TINY, ROOM, 2, seed=2)
    cancelled = Play(TINY, ROOM, 2, seed=3, start=False)
    cancelled.cancel()
    (row,) = await known(rows, play, running, cancelled)
    assert (row.place.game, row.kind, row.place.at) == (play.game.id, "end", play.records[-1].at)
    assert row.seats[0] == play.game.result.winners  # type: ignore[reportOptionalMemberAccess]
    begun = (await finished.begun(rows, [play.game.id]))[play.game.id]
    assert begun.players == begun.there == {seat: player_of(seat) for seat in play.game.players}
    assert begun.in_players(row.seats) == tuple(tuple(map(player_of, tied)) for tied in row.seats)


@pytest.mark.rule("TAB-RAT-02")
async def test_abandoned_and_private_games_and_forks_are_no_results(rows: ProjectionStore) -> None:
    abandoned = Play(TINY, ROOM, 2, seed=2)
    abandoned.abandon("2027-01-01T00:00:00.000000Z")
    private = over(2, 3)
    first = msgspec.json.decode(private.records[0].event)
    hidden = msgspec.json.encode(first | {"readers": "invited"}, order="sorted")
    private.records[0] = replace(private.records[0], event=hidden)
    played = over(2, 4)
    fork = played.fork(5, "continuation", player_of(RED)).run(random.Random(1))
    assert [row.place.game for row in await known(rows, abandoned, private, played, fork)] == [played.game.id]


@pytest.mark.rule("TAB-RAT-04")
@pytest.mark.parametrize("how", ["resigned", "given up", "taken over"])
async def test_who_left_is_last_and_a_substitute_is_not_rated(rows: ProjectionStore, how: str) -> None:
    play = Play(TINY, ROOM, 3)
    if how == "resigned":
        play.resign(RED)
    else:
        play.give_up(RED)
        if how == "taken over":
            play.take_over(RED, PlayerId("substitute"))
    play.run(random.Random(1))
    (row,) = await known(rows, play)
    order = (await finished.begun(rows, [play.game.id]))[play.game.id].in_players(((RED,), (BLUE, GREEN)))
    assert order == ((player_of(BLUE), player_of(GREEN)), (player_of(RED),))
    assert row.kind == "end"


@pytest.mark.rule("TAB-RAT-04")
async def test_who_took_their_seat_back_has_not_left(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 3)
    for player in (PlayerId("substitute"), player_of(RED)):
        play.give_up(RED)
        play.take_over(RED, player)
    await known(rows, play.run(random.Random(1)))
    begun = (await finished.begun(rows, [play.game.id]))[play.game.id]
    assert begun.there == begun.players


@pytest.mark.rule("TAB-RAT-03")
async def test_answers_of_the_clock_are_counted_by_seat(rows: ProjectionStore) -> None:
    play = Clocked(TINY, ROOM, 2, clock=Clock(kind="decision", time=20, grace=0, at_zero="answer"))
    rng = random.Random(1)
    while play.game.status == "running":
        if len(play.records) % 3:
            play.step(rng)
        else:
            play.fall(play.wait_for_fall())
    await known(rows, play)
    given = (await finished.defaults(rows, [play.game.id]))[play.game.id]
    begun = (await finished.begun(rows, [play.game.id]))[play.game.id]
    flags = [record for record in play.records if record.type == "default-given"]
    assert sum(given.values()) == len(flags) > 0
    answered = [record for record in play.records if record.cause and b'"command"' in record.cause]
    assert finished.is_played_by_clock(begun, given, play.records) == any(
        10 * times > times + sum(f'"seat":"{seat}"'.encode() in (record.cause or b"") for record in answered)
        for seat, times in given.items()
    )


@pytest.mark.rule("TAB-RAT-03")
@pytest.mark.parametrize(("given", "of", "is_so"), [(1, 10, False), (1, 9, True), (2, 20, False), (0, 0, False)])
def test_a_tenth_of_the_answers_may_be_of_the_clock(given: int, of: int, is_so: bool) -> None:
    play = Play(TINY, ROOM, 2)
    players = {seat: player_of(seat) for seat in play.game.players}
    cause = msgspec.json.encode({"player": "p", "seat": "red", "command": {}})
    records = [replace(play.records[0], cause=cause)] * (of - given)
    for there, expected in ((players, is_so), ({BLUE: players[BLUE]}, False)):
        begun = Begun("tiny", players, there, "2026", tournament=False)
        assert finished.is_played_by_clock(begun, {RED: given}, records) == expected


@pytest.mark.rule("TAB-RAT-09")
async def test_of_several_rulings_the_newest_that_was_made_by_then_holds(rows: ProjectionStore) -> None:
    first, second = court_of(1, 2)
    fork = continued(first)
    first.rule(decision="continue", to=fork.game.id)
    second.rule(decision="result", order=((BLUE,), (RED,)))
    first.appeal(player_of(BLUE))
    further = Court(fork, "cfork")
    fork.run(random.Random(4))
    further.open(player_of(RED), "dice", 5)
    further.rule(decision="result", order=((RED,), (BLUE,)))  # of a fork, which does not count
    found = await known(rows, first.play, fork, first, second, further)
    assert [row.kind for row in found].count("ruling") == 2
    rulings = await finished.rulings(rows, first.play.game.id)
    assert finished.held(rulings, found[0].place) is None
    held = [finished.held(rulings, row.place) for row in rulings]
    assert {each.continued_in if each else None for each in held} <= {fork.game.id, None}
    last = held[-1]
    assert last is not None
    assert (last.case, last.order) == (second.id, ((BLUE,), (RED,)))


@pytest.mark.rule("TAB-RAT-05")
@pytest.mark.parametrize("batch", [1, 1000])
async def test_results_of_tables_count_when_they_are_confirmed_or_overruled(rows: ProjectionStore, batch: int) -> None:
    club = Club(8)
    club.publish()
    first, second = club.round.tables
    a, b, c, d = first.players
    club.result(1, ((a,), (b, c), (d,)), left=[a])
    club.act(results.confirm, 1, 1)
    club.result(2, how="abandoned")
    club.act(results.confirm, 1, 2)
    club.act(results.overrule, 1, 2, (second.players,), "They never met.")
    played = Play(TINY, ROOM, 2, tournament=club.tournament.id).run(random.Random(1))
    taken, overruled = await known(rows, club, played, batch=batch)
    assert (taken.place.game, taken.players, taken.needs_end) == (GameId("g-1-1"), ((b, c), (d,), (a,)), True)
    assert (overruled.players, overruled.needs_end, overruled.ruleset) == ((second.players,), False, "tiny")
    assert (await finished.begun(rows, [played.game.id]))[played.game.id].tournament


@pytest.mark.rule("TAB-RAT-05")
async def test_who_was_replaced_at_a_table_is_last_behind_the_substitute(rows: ProjectionStore) -> None:
    club = Club(5)
    club.publish()
    (away,) = club.round.byes
    out = club.round.tables[0].players[0]
    club.act(rounds.substitute, 1, 1, out, away, "Ill.")
    club.result(1)
    club.act(results.confirm, 1, 1)
    (row,) = await known(rows, club)
    assert row.players[0] == (away,)
    assert row.players[-1] == (out,)
