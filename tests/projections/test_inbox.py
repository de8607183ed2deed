"""Who is told what: of their games, while they take part, and of the cases about these."""

from pathlib import Path
from random import Random

import pytest

from domain.kernel.ids import GameId, PlayerId, Seat, StreamId
from domain.kernel.log import officials
from domain.kernel.log.history import starts_of_commands
from domain.tournament import directing, entering, results, rounds
from projections import inbox
from projections.inbox import AnyKind, Kind, Notice, notices_of
from projections.store import ProjectionStore
from tests.helpers import tournaments as clubs
from tests.helpers.clocked import MINUTE, Clocked
from tests.helpers.judging import JUDGE, OTHER_JUDGE, Court
from tests.helpers.play import OFFICIAL, ORGANIZER, Play, player_of
from tests.helpers.tournaments import DIRECTOR, Club
from tests.projections.logs import TINY, MemoryLog, Row, contents, from_zero, mixed, runner
from tests.tiny.auction import ROOM

RED, BLUE, GREEN = Seat("red"), Seat("blue"), Seat("green")
SUBSTITUTE = PlayerId("substitute")


def rows_of(*streams: Play | Court | Club) -> list[Row]:
    return [(_id_of(each), record) for each in streams for record in each.records]


def _id_of(stream: Play | Court | Club) -> StreamId:
    match stream:
        case Play():
            return stream.game.id
        case Court():
            return stream.id
        case _:
            return stream.tournament.id


async def told(rows: ProjectionStore, *streams: Play | Court | Club) -> None:
    await runner(MemoryLog(mixed([rows_of(each) for each in streams])), rows, batch=7).catch_up()


async def kinds(rows: ProjectionStore, player: PlayerId, *but: Kind) -> list[AnyKind]:
    return [notice.kind for notice in reversed(await notices_of(rows, player, but))]


async def test_the_seats_and_officials_of_a_game_are_told_what_happens_around_its_table(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 3, seed=1)
    play.name_official(OFFICIAL)
    play.name_official(JUDGE)
    play.step(Random(1))
    asks = play.game.undo_seat
    assert asks is not None
    play.undo(asks, play.game.undo_to[0])  # of which nobody is told
    for _ in range(3):
        play.step(Random(1))
    asks = play.game.undo_seat
    assert asks is not None
    back = max(starts_of_commands(play.records)) - 1
    play.ask_take_back(asks, back)
    play.rule_pause()
    play.rule_resume()
    play.rule_back(back)
    play.rule_result([[BLUE, GREEN], [RED]])
    await told(rows, play)
    of_all: list[Kind] = ["game-paused", "game-resumed", "moves-retracted", "game-over"]
    for seat in play.game.players:
        asked: list[Kind] = ["take-back-asked"] if seat != asks else []
        assert await kinds(rows, player_of(seat)) == ["game-started", *asked, *of_all]
    assert await kinds(rows, JUDGE) == ["official-named", *of_all]
    # Who did it knows.
    assert await kinds(rows, OFFICIAL) == ["official-named", "game-over"]
    assert await kinds(rows, ORGANIZER) == []
    assert await kinds(rows, JUDGE, "game-paused", "game-over") == [
        "official-named",
        "game-resumed",
        "moves-retracted",
    ]
    (over, *_) = await notices_of(rows, JUDGE)
    assert over == Notice(play.records[-1].at, play.game.id, play.game.id, play.game.version, "game-over", None)


async def test_who_takes_a_seat_over_is_told_what_comes_then_and_the_one_before_nothing_more(
    rows: ProjectionStore,
) -> None:
    play = Play(TINY, ROOM, 3, seed=2)
    play.name_official(OFFICIAL)
    play.rule_pause()
    play.rule_resume()
    play.give_up(RED)
    play.take_over(RED, SUBSTITUTE)
    play.rule_pause()
    play.release_official(OFFICIAL)
    await told(rows, play)
    before: list[Kind] = ["game-started", "game-paused", "game-resumed"]
    # Who did it knows.
    assert await kinds(rows, player_of(RED)) == [*before, "seat-taken-over"]
    assert await kinds(rows, player_of(BLUE)) == [*before, "seat-open", "seat-taken-over", "game-paused"]
    assert await kinds(rows, SUBSTITUTE) == ["game-paused"]
    (opened,) = [notice for notice in await notices_of(rows, player_of(BLUE)) if notice.kind == "seat-open"]
    assert opened.seat == RED


async def test_who_is_offered_a_seat_is_told_so_and_nothing_else_before_taking_it(
    rows: ProjectionStore,
) -> None:
    play = Play(TINY, ROOM, 3, seed=5)
    play.offer(RED, SUBSTITUTE)
    play.propose_end(BLUE, [BLUE], [RED, GREEN])
    play.take_over(RED, SUBSTITUTE)
    play.offer(GREEN)
    play.resign(GREEN)
    await told(rows, play)
    assert await kinds(rows, SUBSTITUTE) == ["seat-offered", "seat-open", "seat-open"]
    assert await kinds(rows, player_of(RED)) == ["game-started", "end-proposed", "seat-taken-over"]
    assert await kinds(rows, player_of(BLUE)) == ["game-started", "seat-taken-over", "seat-open", "seat-open"]


async def test_who_is_assigned_a_seat_is_told_so_and_who_had_it_hears_no_more(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 2, seed=5, start=False)
    play.assign(RED, SUBSTITUTE)
    play.assign(RED, player_of(RED))
    play.sit(BLUE, player_of(BLUE))
    play.start()
    await told(rows, play)
    assert await kinds(rows, SUBSTITUTE) == ["seat-assigned"]
    assert await kinds(rows, player_of(RED)) == ["seat-assigned", "game-started"]
    assert await kinds(rows, player_of(BLUE)) == ["game-started"]
    (notice,) = await notices_of(rows, SUBSTITUTE)
    assert notice.seat == RED


async def test_who_is_asked_for_a_rematch_is_told_so_and_that_it_was_declined(rows: ProjectionStore) -> None:
    until = "2026-01-02T00:00:00.000000Z"
    play = Play(TINY, ROOM, 3, seed=6, start=False, rematch_of=GameId("gbefore"), offered_until=until)
    play.sit(RED, ORGANIZER)
    play.assign(BLUE, SUBSTITUTE)
    play.assign(GREEN, player_of(GREEN))
    play.cancel(player_of(GREEN))
    await told(rows, play)
    assert await kinds(rows, SUBSTITUTE) == ["rematch-offered", "game-cancelled"]
    assert await kinds(rows, ORGANIZER) == ["game-cancelled"]


async def test_who_leaves_before_the_start_is_told_nothing(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 2, seed=3, start=False)
    play.sit(RED, SUBSTITUTE)
    play.leave(RED, SUBSTITUTE)
    play.sit(BLUE, player_of(BLUE))
    play.cancel()
    await told(rows, play)
    assert await kinds(rows, SUBSTITUTE) == []
    assert await kinds(rows, player_of(BLUE)) == ["game-cancelled"]


async def test_a_released_official_is_told_nothing_more(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 2, seed=4)
    play.name_official(OFFICIAL)
    play.name_official(JUDGE)
    play.release_official(JUDGE)
    play.rule_pause()
    await told(rows, play)
    assert await kinds(rows, JUDGE) == ["official-named"]
    assert "game-paused" in await kinds(rows, player_of(RED))


async def test_the_seats_are_told_of_flags(rows: ProjectionStore) -> None:
    play = Clocked(TINY, ROOM, 2, seed=5, clock=MINUTE)
    play.name_official(OFFICIAL)
    fell = play.wait_for_fall()
    play.fall(fell)
    await told(rows, play)
    for seat in (RED, BLUE):
        flag = next(each for each in await notices_of(rows, player_of(seat)) if each.kind == "flag-fell")
        assert flag.seat == fell
    assert "flag-fell" not in await kinds(rows, OFFICIAL)


async def test_parties_and_officials_are_told_of_cases(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 2, seed=6)
    court = Court(play)
    for _ in range(3):
        play.step(Random(6))
    court.open(player_of(RED), "dice", 5)
    court.answer(player_of(BLUE))
    court.rule(decision="stands")
    court.appeal(player_of(BLUE))
    await told(rows, play, court)
    of_case: dict[PlayerId, list[Kind]] = {
        player_of(RED): ["case-answered", "ruled", "appealed"],
        player_of(BLUE): ["case-opened", "ruled"],
        JUDGE: ["case-opened", "case-answered", "appealed"],
        OTHER_JUDGE: ["case-opened", "case-answered", "ruled", "appealed"],
    }
    for player, expected in of_case.items():
        found = [each for each in reversed(await notices_of(rows, player)) if each.case is not None]
        assert [each.kind for each in found] == expected
        assert {(each.game, each.case) for each in found} == {(play.game.id, court.id)}


async def test_a_substitute_is_told_nothing_of_cases_before_them(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 3, seed=7)
    court = Court(play)
    for _ in range(3):
        play.step(Random(7))
    court.open(player_of(BLUE), "dice", 5)
    play.name_official()
    play.give_up(RED)
    play.take_over(RED, SUBSTITUTE)
    play.rule_pause()
    await told(rows, play, court)
    assert "case-opened" in await kinds(rows, player_of(RED))
    assert await kinds(rows, SUBSTITUTE) == ["game-paused"]


async def test_players_are_told_that_their_game_goes_on_in_a_continuation(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 2, seed=8)
    version = play.game.version
    play.run(Random(8))
    fork = play.fork(version, "continuation", player_of(RED))
    fork.take(officials.rule_start(fork.game, fork.on_a_case, fork.now))
    analysis = play.fork(version, "analysis", player_of(BLUE), seed=9)
    await told(rows, play, fork, analysis)
    found = await notices_of(rows, player_of(BLUE))
    assert [each.kind for each in found if each.game == fork.game.id] == ["game-started"]
    assert [each for each in found if each.game == analysis.game.id] == []


async def test_a_game_keeps_its_newest_notices(
    rows: ProjectionStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(inbox, "KEPT", 4)
    play = Play(TINY, ROOM, 2, seed=10)
    play.name_official(OFFICIAL)
    for _ in range(3):
        play.rule_pause()
        play.rule_resume()
    await told(rows, play)
    kept: list[Kind] = ["game-paused", "game-resumed", "game-paused", "game-resumed"]
    assert await kinds(rows, player_of(RED)) == kept
    again = await from_zero(MemoryLog(rows_of(play)), tmp_path / "again.db")
    assert await contents(rows) == again


async def test_of_many_games_those_are_looked_through_that_were_told_last(
    rows: ProjectionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    plays = [Play(TINY, ROOM, 2, seed=number) for number in range(4)]
    for play in (*plays[1:], plays[0]):
        play.name_official(OFFICIAL)
        play.rule_pause()
    await told(rows, *plays)
    assert len({each.game for each in await notices_of(rows, player_of(RED))}) == 4
    monkeypatch.setattr(inbox, "GAMES", 2)
    newest = {each.game for each in (await notices_of(rows, player_of(RED)))}
    assert len(newest) == 2
    monkeypatch.setattr(inbox, "MOST", 3)
    found = await notices_of(rows, player_of(RED))
    assert len(found) == 3
    assert found == sorted(found, key=lambda each: (each.at, each.stream, each.version), reverse=True)


# --- tournaments ---


def evening() -> Club:
    """Return a tournament of nine at tables of four, in which one has a bye, one leaves and one is dropped."""
    club = Club(9, sizes=(4,), points=((60, 42, 24, 6),))
    club.act(directing.name_director, DIRECTOR)
    return club


async def test_players_and_directors_are_told_what_concerns_them_in_a_tournament(rows: ProjectionStore) -> None:
    club = evening()
    club.act(directing.tell_all, "We begin at noon.")
    club.publish()
    one, other = club.round.tables
    club.result(1)
    club.act(results.confirm, 1, 1, by=DIRECTOR)
    club.act(results.overrule, 1, 1, (one.players,), "Dice off the board.", by=DIRECTOR)
    club.act(directing.penalize, one.players[0], "warning", 0, "Late", by=DIRECTOR)
    (bye,) = club.round.byes
    club.act(rounds.substitute, 1, 2, other.players[0], bye, "Ill", by=DIRECTOR)
    club.result(2)
    club.act(results.confirm, 1, 2, by=DIRECTOR)
    club.act(directing.drop, bye, "Gone", by=DIRECTOR)
    club.act(entering.withdraw, by=other.players[1])
    club.act(directing.tell_all, "Thank you.", by=DIRECTOR)
    await told(rows, club)
    all_are_told: list[AnyKind] = ["announcement-made", "round-published"]
    of_table: list[AnyKind] = ["result-confirmed", "result-overruled"]
    assert await kinds(rows, one.players[1]) == [*all_are_told, *of_table, "announcement-made"]
    assert await kinds(rows, one.players[0]) == [*all_are_told, *of_table, "penalty-given", "announcement-made"]
    # Who left the table to a substitute hears what became of it, and so does the substitute.
    of_substitutes: list[AnyKind] = ["substitute-seated", "result-confirmed"]
    assert await kinds(rows, other.players[0]) == [*all_are_told, *of_substitutes, "announcement-made"]
    assert await kinds(rows, bye) == [*all_are_told, *of_substitutes, "player-dropped"]
    assert await kinds(rows, other.players[1]) == [*all_are_told, "result-confirmed"]
    # Directors know what they did.
    assert await kinds(rows, clubs.ORGANIZER) == ["result-taken", "result-taken"]
    notice = (await notices_of(rows, one.players[1]))[0]
    assert (notice.tournament, notice.game, notice.case) == (club.tournament.id, None, None)


async def test_the_end_of_a_tournament_is_told_to_who_plays_in_it_then(rows: ProjectionStore) -> None:
    club = evening()
    club.act(entering.withdraw, by=clubs.player(1))
    club.act(entering.withdraw, by=clubs.player(2))
    club.act(entering.enter, None, by=clubs.player(2))
    club.act(directing.cancel, "Flood")
    await told(rows, club)
    assert [await kinds(rows, clubs.player(number)) for number in (1, 2, 3)] == [
        [],
        ["tournament-cancelled"],
        ["tournament-cancelled"],
    ]


async def test_results_that_wait_fill_no_inbox(rows: ProjectionStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox, "KEPT", 3)
    club = evening()
    club.act(directing.tell_all, "We begin at noon.")
    club.publish()
    for _ in range(4):
        club.result(1)
        club.result(2)
    await told(rows, club)
    assert await kinds(rows, DIRECTOR) == ["result-taken"] * 3
    assert await kinds(rows, clubs.player(1)) == ["announcement-made", "round-published"]
