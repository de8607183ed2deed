"""What each projection tells, and that none tells a secret."""

import random
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from domain.kernel.ids import GameId, Seat
from domain.kernel.log import timing
from domain.kernel.log.clock import PRESETS
from domain.kernel.log.fold import fold
from domain.kernel.log.history import read_event
from domain.kernel.log.record import Cause
from projections import dice, lobby, players, rules, scoreboard, timeline
from projections.store import ProjectionStore
from service.bots.simulation import Simulation
from service.store.sqlite.rows import SqliteRows
from tests.helpers.clocked import MINUTE, Clocked
from tests.helpers.play import ORGANIZER, Play, player_of
from tests.projections.logs import CLASSIC, LIBRARY, TINY, MemoryLog, classic_play, contents, mixed, runner, tiny_game
from tests.tiny.auction import ROOM

RED, BLUE = Seat("red"), Seat("blue")


async def projected(rows: ProjectionStore, *plays: Play | Simulation) -> None:
    log = MemoryLog(mixed([[(play.game.id, record) for record in play.records] for play in plays]))
    await runner(log, rows, batch=29).catch_up()


# --- lobby ------------------------------------------------------------------------------------------------------------


async def test_the_lobby_is_searched_by_status_ruleset_player_and_text(rows: ProjectionStore) -> None:
    over, running = Play(TINY, ROOM, 2, seed=1).run(random.Random(1)), Play(TINY, ROOM, 3, seed=2)
    gathering = Play(TINY, ROOM, 2, seed=3, start=False)
    gathering.sit(BLUE, player_of(BLUE))
    await projected(rows, over, running, gathering)

    async def found(**wanted) -> set[str]:
        return {each.game for each in await lobby.search(rows, **wanted)}

    assert await found() == {"game-1", "game-2", "game-3"}
    assert await found(status="over") == {"game-1"}
    assert await found(status="running", ruleset="tiny-auction") == {"game-2"}
    assert await found(ruleset="chess") == set()
    assert await found(player=player_of(Seat("green"))) == {"game-2"}
    assert await found(player=player_of(BLUE), status="gathering") == {"game-3"}
    assert await found(text="TITLE game-2") == {"game-2"}
    assert await found(text="auction title") == {"game-1", "game-2", "game-3"}
    assert await found(text="100% _") == set()
    (game,) = await lobby.search(rows, status="gathering")
    assert game.seats == {RED: None, BLUE: player_of(BLUE)}
    assert (game.version, game.organizer) == (gathering.game.version, ORGANIZER)


async def test_an_assigned_seat_is_held_in_the_lobby_by_who_was_assigned_it_last(
    rows: ProjectionStore,
) -> None:
    play = Play(TINY, ROOM, 2, seed=1, start=False)
    play.assign(RED, player_of(BLUE))
    play.assign(RED, player_of(RED))
    play.assign(BLUE, player_of(BLUE))
    play.leave(BLUE, player_of(BLUE))
    play.assign(BLUE, ORGANIZER)
    await projected(rows, play)
    (game,) = await lobby.search(rows, player=player_of(RED))
    assert game.seats == {RED: player_of(RED), BLUE: ORGANIZER}
    assert await lobby.search(rows, player=player_of(BLUE)) == []
    assert [each.gathering for each in await players.of_player(rows, player_of(RED))] == [1]
    assert await players.of_player(rows, player_of(BLUE)) == []


async def test_pages_of_the_lobby_have_no_gap_though_games_begin_at_the_same_moment(rows: ProjectionStore) -> None:
    await projected(rows, *(Play(TINY, ROOM, 2, seed=number, start=False) for number in range(7)))
    seen: list[str] = []
    after = None
    while page := await lobby.search(rows, after=after, limit=3):
        seen += [each.game for each in page]
        after = (page[-1].created, page[-1].game)
    assert seen == sorted((f"game-{number}" for number in range(7)), reverse=True)


async def test_the_lobby_is_searched_by_clock_and_knows_those_of_continuations(rows: ProjectionStore) -> None:
    over = Clocked(TINY, ROOM, 2, seed=1, clock=PRESETS["live"]).run(random.Random(1))
    own, without = Clocked(TINY, ROOM, 3, seed=2, clock=MINUTE), Play(TINY, ROOM, 2, seed=3)
    changed = Clocked(TINY, ROOM, 2, seed=4, clock=PRESETS["slow"], start=False)
    taken_away = Clocked(TINY, ROOM, 2, seed=5, clock=PRESETS["slow"], start=False)
    changed.set_clock(PRESETS["fast"])
    taken_away.set_clock(None)
    again = over.fork(over.game.version // 2, "continuation", player_of(RED))
    again.take(timing.set_clock(again.game, MINUTE, Cause(again.game.organizer), again.now))
    await projected(rows, over, own, without, changed, taken_away, again)

    async def found(pace: lobby.Pace) -> set[str]:
        return {each.game for each in await lobby.search(rows, pace=pace)}

    assert await found("live") == {"game-1"}
    assert await found("own") == {"game-2"}
    assert await found("none") == {"game-3", "game-5"}
    assert await found("fast") == {"game-4"}
    assert await found("slow") == set()
    games = [play.game.id for play in (over, own, without, changed, taken_away, again)]
    clocks = dict(zip(games, (PRESETS["live"], MINUTE, None, PRESETS["fast"], None, MINUTE), strict=True))
    assert await lobby.clocks_of(rows, games) == {game: clock for game, clock in clocks.items() if clock is not None}
    assert await lobby.clocks_of(rows, []) == {}


# --- scoreboard -------------------------------------------------------------------------------------------------------


async def test_the_scoreboard_tells_what_each_seat_had_when_a_round_was_over(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 2, seed=1).run(random.Random(1))
    await projected(rows, play)
    found = await scoreboard.of_game(rows, play.game.id)
    assert found is not None
    scores = found.rounds
    assert (found.status, found.version) == ("over", play.game.version)
    assert play.game.result is not None
    assert (found.winners, found.ended_by) == (play.game.result.winners, "TA-END-01")
    assert found.commands == sum(b'"command"' in (record.cause or b"") for record in play.records)
    assert [each.round for each in scores] == [1, 2, 3]
    for each in scores:
        at = play.fold(each.version)
        assert at.table is not None
        assert each.scores == TINY.score(at.table)  # type: ignore[reportArgumentType]
    assert scores[-1].scores == TINY.score(play.game.table)  # type: ignore[reportArgumentType]
    assert sum(scores[0].scores[seat]["coins"] for seat in (RED, BLUE)) > 0


async def test_a_ruling_takes_the_rounds_after_it_off_the_scoreboard(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 2, seed=5)
    rng = random.Random(5)
    start = play.game.version
    while TINY.round(play.game.table) < 3:  # type: ignore[reportArgumentType]
        play.step(rng)
    play.rule(start)
    await projected(rows, play)
    found = await scoreboard.of_game(rows, play.game.id)
    assert found is not None
    scores = found.rounds
    assert (found.round, found.retractions) == (1, 1)
    assert [each.round for each in scores] == [1]
    assert set(scores[0].scores[RED].values()) == {0}


async def test_the_classic_scoreboard_counts_what_lies_on_the_board(rows: ProjectionStore) -> None:
    play = classic_play(3, 300)
    await projected(rows, play)
    found = await scoreboard.of_game(rows, play.game.id)
    assert found is not None
    scores = found.rounds
    assert [each.round for each in scores] == list(range(scores[-1].round + 1))
    last = fold(play.records[: scores[-1].version], play.game.id, LIBRARY, lambda _: play.game.board)
    assert last.table is not None
    score = CLASSIC.score(last.table)
    assert scores[-1].scores == score
    assert {seat: each["tribute"] for seat, each in score.items()} == {
        seat: last.table.tribute(seat)  # type: ignore[reportAttributeAccessIssue]
        for seat in score
    }


# --- players, dice, rules, timeline -----------------------------------------------------------------------------------


async def test_a_player_record_counts_games_and_wins(rows: ProjectionStore) -> None:
    plays = [Play(TINY, ROOM, 2, seed=seed).run(random.Random(seed)) for seed in range(1, 6)]
    running, left = Play(TINY, ROOM, 3, seed=7), Play(TINY, ROOM, 2, seed=8, start=False)
    left.sit(BLUE, player_of(BLUE))
    left.leave(BLUE, player_of(BLUE))
    await projected(rows, *plays, running, left)
    won = sum(BLUE in play.game.result.winners for play in plays if play.game.result)
    (record,) = await players.of_player(rows, player_of(BLUE))
    assert record == players.RulesetRecord("tiny-auction", gathering=0, running=1, finished=5, won=won)
    assert await players.of_player(rows, ORGANIZER) == []


async def test_the_dice_ledger_counts_every_face_by_game_and_seat(rows: ProjectionStore) -> None:
    plays = [classic_play(seed, 300) for seed in (3, 4)]
    await projected(rows, *plays)
    expected: Counter[tuple[str, str, str]] = Counter()
    for play in plays:
        for record in play.records:
            event = read_event(CLASSIC, record)
            expected.update((play.game.id, event.seat, face) for face in getattr(event, "faces", ()))
    assert expected, "nobody rolled"
    for play in plays:
        for seat in play.game.players:
            counted = await dice.counts(rows, CLASSIC.id, play.game.id, seat)
            wanted = {face: n for (game, of, face), n in expected.items() if (game, of) == (play.game.id, seat)}
            assert counted.get((CLASSIC.id, "battle"), {}) == wanted
    whole = (await dice.counts(rows))[CLASSIC.id, "battle"]
    assert sum(whole.values()) == expected.total()
    tally = dice.tally(LIBRARY, CLASSIC.id, "battle", whole)
    infantry = next(face for face in tally.faces if face.face == "infantry")
    assert infantry.expected == pytest.approx(tally.rolled / 3)


async def test_the_rule_ledger_counts_accepted_commands_and_adds_up_refusals(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 2, seed=1).run(random.Random(1))
    await projected(rows, play)
    commands = sum(b'"command"' in (record.cause or b"") for record in play.records)
    assert await rules.accepted(rows) == {"tiny-auction": commands}
    await rows.note_refusals({("tiny-auction", "TA-PUT-01"): 2, ("other", "X-1"): 1})
    await rows.note_refusals({("tiny-auction", "TA-PUT-01"): 3, ("tiny-auction", "TA-BID-01"): 1})
    tallies = await rules.tallies(rows, LIBRARY, "tiny-auction")
    assert [(each.rule, each.refusals) for each in tallies] == [("TA-PUT-01", 5), ("TA-BID-01", 1)]
    await runner(MemoryLog(), rows).rebuild("rules")
    assert len(await rules.tallies(rows, LIBRARY)) == 3


async def test_the_timeline_marks_phases_landmarks_and_retractions_with_their_versions(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 2, seed=1)
    start = play.game.version
    play.command(RED, {"type": "put-up", "coins": 2})
    play.undo(RED, start)
    play.run(random.Random(1))
    await projected(rows, play)
    entries = await timeline.of_game(rows, play.game.id)
    kinds = Counter(entry.kind for entry in entries)
    assert kinds == {"start": 1, "phase": 4, "retraction": 1, "prize": 3, "end": 1}
    for entry in entries:
        at = play.fold(entry.version)
        assert at.table is not None
        assert entry.heading == TINY.heading(at.table)  # type: ignore[reportArgumentType]
    assert [entry.version for entry in entries] == sorted(entry.version for entry in entries)
    pages, after = [], (0, "")
    while page := await timeline.of_game(rows, play.game.id, after, limit=2):
        pages += page
        after = (page[-1].version, page[-1].kind)
    assert pages == entries


async def test_the_timeline_tells_what_officials_did_in_sentences(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 2, seed=1)
    play.name_official()
    play.rule_pause("the dice fell off the table")
    play.rule_resume()
    play.rule_result([[BLUE], [RED]], "two against one")
    await projected(rows, play)
    told = {entry.kind: entry.text for entry in await timeline.of_game(rows, play.game.id)}
    assert told["pause"] == "The game was paused. Reason: the dice fell off the table"
    assert told["resumption"] == "The game was resumed."
    assert "two against one" in told["adjudication"]
    assert "end" in told


async def test_battles_of_a_classic_game_are_marked(rows: ProjectionStore) -> None:
    play = classic_play(3, 300)
    await projected(rows, play)
    entries = await timeline.of_game(rows, play.game.id, limit=10_000)
    battles = [record.version for record in play.records if record.type == "battle-began"]
    assert [entry.version for entry in entries if entry.kind == "battle"] == battles
    assert battles
    phases = [entry.text for entry in entries if entry.kind == "phase"]
    assert phases[0] == "Setup"
    assert phases[1].startswith("Round 1, ")


# --- secrecy ----------------------------------------------------------------------------------------------------------


async def test_no_row_tells_a_secret(tmp_path: Path) -> None:
    """Two games that differ in their hidden cards alone: commitments differ in the log, and not a byte in the rows."""
    kept = []
    for name, seed in (("one", 21), ("other", 22)):
        play = Play(TINY, ROOM, 2, seed=seed)
        play.command(RED, {"type": "put-up", "coins": 1})
        play.command(RED, {"type": "open-bidding"})
        first = next(option for option in play.options(RED) if option.command == "choose-card")
        card = first.schema["properties"]["card"]
        play.command(RED, {"type": "choose-card", "card": card.get("const", (card.get("enum") or [0])[0])})
        rows = await SqliteRows.open(tmp_path / f"{name}.db")
        log = MemoryLog([(GameId("g-the-game"), record) for record in play.records])
        await runner(log, rows).catch_up()
        found = await contents(rows)
        kept.append(found)
        text = msgspec.json.encode(found).decode()
        for secret in play.secrets:
            assert secret.commitment not in text
            assert secret.salt not in text
        assert play.secret.hex() not in text
        assert "entropy of" not in text
        await rows.close()
    assert play.secrets
    assert kept[0] == kept[1]


async def test_no_row_of_a_finished_game_holds_what_was_hidden_or_who_anybody_is(rows: ProjectionStore) -> None:
    log = MemoryLog(tiny_game(3, 4, undo=True))
    await runner(log, rows).catch_up()
    text = msgspec.json.encode(await contents(rows)).decode()
    assert "entropy" not in text
    assert '"value"' not in text
    assert "salt" not in text
    assert "commitment" not in text


async def test_a_ruling_on_the_result_ends_a_game_on_the_scoreboard_and_in_the_lobby(rows: ProjectionStore) -> None:
    play = Play(TINY, ROOM, 3, seed=5)
    play.name_official()
    play.step(random.Random(5))
    red, blue, green = play.game.players
    play.rule_result([[blue, green], [red]])
    await projected(rows, play)
    found = await scoreboard.of_game(rows, play.game.id)
    assert found is not None
    assert (found.status, found.winners, found.ended_by) == ("over", (blue, green), "TAB-RUL-04")
    (listed,) = await lobby.search(rows, status="over")
    assert listed.game == play.game.id
    assert (await timeline.of_game(rows, play.game.id))[-1].kind == "end"
