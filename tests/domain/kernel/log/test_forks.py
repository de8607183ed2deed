"""Forks: games that begin with the position of another game at an earlier version."""

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec
import pytest

from domain.boards import builtin
from domain.kernel.canonical import canonical
from domain.kernel.chance.draws import commitment_to
from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.log import forking, officials, seating
from domain.kernel.log.fold import fold
from domain.kernel.log.forking import DEEPEST
from domain.kernel.log.history import commitments_in, is_between_acts
from domain.kernel.log.lifecycle import GameForked
from domain.kernel.log.record import Cause
from domain.kernel.log.snapshot import restore, take
from domain.kernel.proof.export import export
from domain.kernel.proof.verify import Verdict, verify
from domain.kernel.rules.refusal import Refusal
from domain.library import LIBRARY
from tests.helpers.forger import forged_in_parts, lines_of, whole
from tests.helpers.play import CASE, OFFICIAL, ORGANIZER, Play, player_of
from tests.proofs import wandered
from tests.tiny.auction import ROOM, TinyAuction

RED, BLUE = map(Seat, ("red", "blue"))
STRANGER, JUDGE = map(PlayerId, ("stranger", "judge"))


def started(seed: int = 1, players: int = 3) -> Play:
    return Play(TinyAuction(), ROOM, players, seed)


def played(seed: int = 1, commands: int = 6) -> Play:
    """A game that goes on, with an official."""
    play = started(seed)
    play.name_official()
    for _ in range(commands):
        play.step(Random(seed))
    return play


def over(seed: int = 1) -> Play:
    return started(seed).run(Random(seed))


def middle(play: Play) -> int:
    """Return a version in the middle of a game at which no act was under way."""
    ends = [at for at, game in play.at_each_version.items() if game.status == "running"]
    return sorted(ends)[len(ends) // 2]


def checked(play: Play, seat: Seat | None = None, *, everything: bool = True) -> Verdict:
    verdict = verify(play.export(seat, everything=everything), play.library)
    assert verdict.ok, verdict
    return verdict


def refused(act: Callable[[], object]) -> Refusal:
    with pytest.raises(Refusal) as caught:
        act()
    return caught.value


def digest_of(play: Play, version: int | None = None) -> str:
    table = play.fold(version).table
    assert table is not None
    return table.digest()


# --- the beginning ---


@pytest.mark.rule("TAB-FORK-01")
@pytest.mark.rule("TAB-FORK-03")
def test_a_fork_begins_with_the_position_of_its_parent_and_chance_of_its_own() -> None:
    play = over()
    version = middle(play)
    fork = play.fork(version, by=STRANGER)
    assert digest_of(fork) == digest_of(play, version)
    game = fork.game
    assert (game.version, game.draws, game.status, game.organizer) == (1, 0, "running", STRANGER)
    assert set(game.players.values()) == {STRANGER}
    assert game.forked is not None
    assert (game.forked.parent, game.forked.version, game.forked.depth) == (play.game.id, version, 1)
    assert game.forked.hash == play.records[version - 1].hash.hex()
    assert game.commitment == commitment_to(fork.secret) != play.game.commitment
    assert [decision.seats for decision in game.decisions] == [
        decision.seats for decision in play.fold(version).decisions
    ]
    assert not game.undo
    assert not game.answers
    fork.run(Random(5))
    assert fork.records[-1].type == "game-ended"
    verdict = checked(fork)
    assert (verdict.game, verdict.events, verdict.unproved) == (game.id, len(fork.records), ())
    assert any("the fork begins exactly there" in each for each in verdict.proved)


def test_draws_of_a_fork_count_from_one_and_come_from_its_own_secret() -> None:
    play = over()
    forks = [play.fork(middle(play), seed=seed).run(Random(5)) for seed in (2, 3)]
    assert forks[0].records[-1].event != forks[1].records[-1].event
    first = next(record.draws for record in forks[0].records if record.draws)
    assert first <= 3


@pytest.mark.rule("TAB-FORK-01")
def test_a_fork_begins_where_its_game_ran_and_no_act_was_under_way() -> None:
    play = over()
    running = [at for at, game in play.at_each_version.items() if game.status == "running"]
    for version in range(1, len(play.records) + 1):
        if version in running:
            assert play.fork(version).game.version == 1
        else:
            assert refused(lambda version=version: play.fork(version)).rule == "TAB-FORK-01"


def test_no_fork_begins_between_an_undo_and_what_it_gives_again() -> None:
    play = over()
    records = play.records[:6]
    event = canonical({"type": "moves-retracted", "by": "undo", "reason": "", "to": 3, "again": [4]})
    cause = canonical({"player": "p"})
    first = msgspec.structs.replace(records[4], event=event, cause=cause)
    second = msgspec.structs.replace(records[5], cause=cause)
    log = [*records[:4], first, second]
    assert [is_between_acts(log, version) for version in (0, 4, 5, 6, 7)] == [False, True, False, True, False]


@pytest.mark.rule("TAB-FORK-01")
def test_a_fork_has_a_secret_of_its_own() -> None:
    play = over()
    parent = play.fold(middle(play))
    own = play.game.commitment
    refusal = refused(lambda: forking.fork(parent, GameId("game-f"), "analysis", own, Cause(STRANGER), play.now))
    assert refusal.rule == "TAB-FORK-01"


@pytest.mark.rule("TAB-FORK-01")
def test_at_most_eight_forks_follow_one_another() -> None:
    play = over()
    fork = play.fork(middle(play))
    for depth in range(2, DEEPEST + 1):
        fork = fork.fork(seed=depth + 10, by=ORGANIZER)
        assert fork.game.forked is not None
        assert fork.game.forked.depth == depth
    assert refused(lambda: fork.fork(seed=9)).rule == "TAB-FORK-01"
    verdict = checked(fork)
    assert sum("the fork begins exactly there" in each for each in verdict.proved) == DEEPEST
    assert fork.fold() == fork.game


# --- what it shows, and to whom ---


@pytest.mark.rule("TAB-FORK-02")
def test_while_something_is_hidden_only_officials_fork_a_game_that_runs() -> None:
    play = played()
    version = middle(play)
    for player in (player_of(RED), ORGANIZER, STRANGER):
        assert refused(lambda player=player: play.fork(version, by=player)).rule == "TAB-FORK-02"
    fork = play.fork(version, by=OFFICIAL)
    deeper = fork.fork(by=OFFICIAL, seed=3)
    assert fork.game.organizer == OFFICIAL
    assert [each.game.forked.withheld for each in (fork, deeper) if each.game.forked] == [play.game.id] * 2
    for each in (fork, deeper):
        assert each.fold() == each.game
        checked(each)
    play.run(Random(1))
    for player in (player_of(RED), ORGANIZER, STRANGER):
        assert play.fork(version, by=player).game.organizer == player


@pytest.mark.rule("TAB-FORK-05")
def test_where_nothing_is_hidden_those_who_take_part_fork_a_game_that_runs() -> None:
    classic = LIBRARY.current("conquest-classic-friz")
    play = Play(classic, builtin(classic.board), 2)
    for _ in range(20):
        play.step(Random(1))
    version = middle(play)
    for player in (play.game.players[seat] for seat in play.game.players):
        assert player is not None
        assert play.fork(version, by=player).game.organizer == player
    assert play.fork(version, by=ORGANIZER).game.organizer == ORGANIZER
    assert refused(lambda: play.fork(version, by=STRANGER)).rule == "TAB-FORK-05"


@pytest.mark.rule("TAB-FORK-05")
def test_a_creator_may_leave_forks_of_the_running_game_to_officials() -> None:
    classic = LIBRARY.current("conquest-classic-friz")
    play = Play(classic, builtin(classic.board), 2, forks="officials")
    play.name_official()
    play.step(Random(1))
    version = play.game.version
    assert restore(take(play.game), play.library, lambda _: play.board) == play.fold() == play.game
    for player in (ORGANIZER, play.game.players[play.waiting[0]]):
        assert player is not None
        assert refused(lambda player=player: play.fork(version, by=player)).rule == "TAB-FORK-05"
    fork = play.fork(version, by=OFFICIAL)
    assert fork.game.forks == "players"
    checked(fork)


@pytest.mark.rule("TAB-FORK-06")
def test_the_maker_of_an_analysis_closes_it() -> None:
    play = over()
    fork = play.fork(middle(play), by=STRANGER)
    assert refused(fork.cancel).rule == "TAB-FORK-06"
    fork.step(Random(1))
    fork.cancel(STRANGER)
    assert fork.fold() == fork.game
    assert (fork.game.status, fork.game.decisions) == ("cancelled", ())
    assert checked(fork, everything=False).status == "cancelled"
    assert refused(lambda: fork.cancel(STRANGER)).rule == "TAB-FORK-06"
    ended = play.fork(middle(play), by=STRANGER, seed=3).run(Random(1))
    refusal = refused(lambda: ended.cancel(STRANGER))
    assert (refusal.rule, refusal.allowed) == ("TAB-FORK-06", "You can close an analysis only while it goes on.")


def test_a_fork_takes_along_what_was_hidden_then_and_nothing_else() -> None:
    play = played()
    play.leave_answer(RED, {"decision": "put-up-prize", "command": {"type": "put-up", "coins": 1}})
    left, version = play.secrets[-1], play.game.version
    for _ in range(6):
        play.step(Random(1))
    fork = play.fork(version, by=OFFICIAL)
    then = commitments_in(play.records[:version])
    assert left.commitment in then
    taken = {secret.commitment for secret in fork.secrets}
    assert taken < then - {left.commitment}
    table: Any = fork.game.table
    assert len(taken) == table.cards - len(table.spent)


# --- folds ---


@pytest.mark.parametrize("seed", range(20))
def test_folds_snapshots_and_verify_agree_on_random_forks(seed: int) -> None:
    assert wandered(seed).depth == 3


def test_a_fork_is_not_folded_without_its_past_or_with_another() -> None:
    play = over()
    version = middle(play)
    fork = play.fork(version)
    for past in (None, play.fold(version - 1), over(2).fold(version)):
        with pytest.raises(LookupError):
            fold(fork.records, fork.game.id, fork.library, lambda _: ROOM, past)


def test_a_fork_is_exported_with_all_that_it_goes_back_to() -> None:
    fork = over().fork(middle(over()))
    fork.parent = None
    with pytest.raises(ValueError, match="does not go back to 0 games"):
        fork.export()


# --- continuations ---


@pytest.mark.rule("TAB-FORK-04")
def test_the_players_of_a_game_that_is_over_confirm_and_go_on() -> None:
    play = over()
    play_on = play.fork(middle(play), "continuation", player_of(RED))
    assert (play_on.game.status, play_on.game.organizer) == ("gathering", ORGANIZER)
    assert refused(lambda: play_on.sit(RED, STRANGER)).rule == "TAB-LIFE-03"
    assert refused(lambda: play_on.sit(BLUE, player_of(RED))).rule == "TAB-LIFE-03"
    assert refused(play_on.start).rule == "TAB-LIFE-02"
    before = digest_of(play_on)
    for seat in play_on.game.players:
        assert play_on.game.status == "gathering"
        assert seating.seat_for(play_on.game, player_of(seat)) == seat
        play_on.sit(seat, player_of(seat), f"more entropy of {seat}")
        checked(play_on)
    assert [record.type for record in play_on.records[-2:]] == ["seat-taken", "game-started"]
    assert play_on.game.status == "running"
    assert digest_of(play_on) == before == digest_of(play, middle(play))
    assert play_on.fold() == play_on.game
    assert restore(take(play_on.game), play_on.library, lambda _: ROOM) == play_on.game
    checked(play_on)
    play_on.run(Random(7))
    assert checked(play_on).unproved == ()


@pytest.mark.rule("TAB-FORK-04")
def test_only_games_that_are_over_and_no_analyses_are_continued() -> None:
    play = played()
    version = middle(play)
    assert refused(lambda: play.fork(version, "continuation", OFFICIAL)).rule == "TAB-FORK-04"
    play.run(Random(1))
    assert refused(lambda: play.fork(version, "continuation", STRANGER)).rule == "TAB-FORK-04"
    assert play.fork(version, "continuation", OFFICIAL).game.status == "gathering"
    analysis = play.fork(version, by=STRANGER).run(Random(2))
    assert refused(lambda: analysis.fork(1, "continuation", STRANGER)).rule == "TAB-FORK-04"


# --- the proof ---


def test_dice_of_the_past_are_proved_as_soon_as_its_secret_is_out() -> None:
    play = played()
    fork = play.fork(middle(play), by=OFFICIAL).run(Random(3))
    verdict = checked(fork)
    assert verdict.status == "over"
    assert any(f"wait for the secret of {play.game.id}" in each for each in verdict.unproved)
    play.run(Random(1))
    assert checked(fork).unproved == ()


def test_a_reader_who_does_not_see_the_past_is_told_what_waits() -> None:
    play = played()
    fork = play.fork(middle(play), by=OFFICIAL)
    past = fork.pasts[0]
    hidden = msgspec.structs.replace(past, vault=past.vault.read_by(None))
    fork.run(Random(3))
    lines = list(export(fork.game, fork.records, fork.vault, pasts=[hidden]))
    verdict = verify(lines, fork.library)
    assert verdict.ok, verdict
    assert any("what the past hides from this reader" in each for each in verdict.unproved)
    seen = {json.loads(line)["secret"]["commitment"] for line in lines if line.startswith(b'{"secret"')}
    assert not seen & {secret.commitment for secret in play.secrets}


Change = Callable[[list[dict[str, Any]]], object]


@pytest.fixture(scope="module")
def honest() -> list[bytes]:
    return over().fork(middle(over())).run(Random(3)).export()


def test_a_fork_forged_nowhere_verifies(honest: list[bytes]) -> None:
    lines = forged_in_parts(honest, lambda lines: None)
    assert lines == honest
    assert verify(lines, over().library).ok


def event_of(lines: list[dict[str, Any]]) -> dict[str, Any]:
    return next(line["event"] for line in lines if line.get("event", {}).get("type") == "game-forked")


def past_of(lines: list[dict[str, Any]]) -> dict[str, Any]:
    return next(line["past"] for line in lines if "past" in line)


def put(at: Callable[[list[dict[str, Any]]], dict[str, Any]], **values: Any) -> Change:
    return lambda lines: at(lines).update(values)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put(event_of, parent="game-9"), "is a fork of game-9, but the log before it is that of game-1"),
        (put(event_of, version=4), "forks at version 4"),
        (put(event_of, hash="00" * 32), "forks at version"),
        (put(event_of, depth=2), "not what follows from the rules"),
        (put(event_of, organizer="mallory"), "not what follows from the rules"),
        (put(event_of, purpose="continuation", organizer="mallory"), "not what follows from the rules"),
        (put(event_of, seats=["blue", "red", "green"]), "not what follows from the rules"),
        (put(event_of, setup={"rounds": 9}), "not what follows from the rules"),
        (put(event_of, board="sha256:00"), "another ruleset or board"),
        (put(event_of, withheld="game-9"), "is not withheld as a fork of game-1 is"),
        (put(event_of, commitment="0"), "does not fit its commitment"),
        (put(past_of, secret="00" * 32), "does not fit its commitment"),
    ],
)
def test_what_a_fork_claims_is_checked(honest: list[bytes], change: Change, said: str) -> None:
    verdict = verify(forged_in_parts(honest, change), over().library)
    assert not verdict.ok, verdict
    assert re.search(said, verdict.problem), verdict


def test_without_the_secret_of_the_past_its_dice_wait(honest: list[bytes]) -> None:
    verdict = verify(forged_in_parts(honest, lambda lines: past_of(lines).pop("secret")), over().library)
    assert (verdict.ok, len(verdict.unproved)) == (True, 1), verdict
    assert "wait for the secret of game-1" in verdict.unproved[0]


@pytest.fixture(scope="module")
def continued() -> list[bytes]:
    """A continuation in which one seat has confirmed when a ruling lets it go on."""
    fork = over().fork(middle(over()), "continuation", player_of(RED))
    fork.sit(RED, player_of(RED), "more entropy")
    fork.take(officials.rule_start(fork.game, Cause(JUDGE, case=CASE), fork.now))
    return fork.run(Random(3)).export()


def cause_of_start(lines: list[dict[str, Any]]) -> dict[str, Any]:
    return [line["cause"] for line in lines if line.get("event", {}).get("type") == "game-started"][-1]


def confirms_for_another(lines: list[dict[str, Any]]) -> None:
    row = [line for line in lines if line.get("event", {}).get("type") == "seat-taken"][-1]
    row["event"]["player"] = row["cause"]["player"] = "mallory"


@pytest.mark.rule("TAB-FORK-04")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put(cause_of_start, case="xcase"), "names no case"),
        (lambda lines: cause_of_start(lines).pop("case"), "neither organizes the game nor holds a seat"),
        (put(cause_of_start, seat="red"), "acts for the seat red"),
        (confirms_for_another, "TAB-LIFE-03"),
        (lambda lines: past_of(lines).pop("secret"), "only what is over is continued"),
    ],
)
def test_who_continues_a_game_is_checked(continued: list[bytes], change: Change, said: str) -> None:
    assert verify(continued, over().library).ok
    verdict = verify(forged_in_parts(continued, change), over().library)
    assert not verdict.ok, verdict
    assert re.search(said, verdict.problem), verdict


def test_two_hundred_corruptions_of_a_forks_export_are_named(honest: list[bytes]) -> None:
    """Each is one random change of the bytes of a line, a line lost, doubled or moved."""
    rng, library, named = Random(1), over().library, 0
    while named < 200:
        lines = list(honest)
        at, kind = rng.randrange(len(lines)), rng.choice(("byte", "byte", "lost", "doubled", "swapped", "cut"))
        if kind == "byte":
            place = rng.randrange(len(lines[at]))
            lines[at] = lines[at][:place] + bytes([lines[at][place] ^ 1 << rng.randrange(8)]) + lines[at][place + 1 :]
        elif kind == "lost":
            del lines[at]
        elif kind == "doubled":
            lines.insert(at, lines[at])
        elif kind == "swapped":
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        else:
            lines = lines[:at]
        if lines == honest:
            continue
        verdict = verify(lines, library)
        assert not verdict.ok, (kind, at)
        assert verdict.problem
        assert verdict.line or not lines
        named += 1


def test_two_hundred_corruptions_with_a_chain_made_good_are_named(honest: list[bytes]) -> None:
    """Each changes a value in a row, and makes all hashes fit again, also that at which the fork begins."""
    rng, library, named = Random(2), over().library, 0
    rows = [index for index, line in enumerate(lines_of(honest)) if "event" in line]
    while named < 200:
        index = rng.choice(rows)

        def change(lines: list[dict[str, Any]], index: int = index) -> None:
            row = lines[index]
            part: dict[str, Any] = rng.choice([row["event"], *([row["cause"]] if "cause" in row else []), row])
            name = rng.choice(sorted(set(part) - {"event", "cause", "hash", "game", "version"}))
            value = part[name]
            if isinstance(value, int):
                part[name] = value + 1
            elif isinstance(value, str):
                part[name] = value[:-1] + ("0" if value[-1:] != "0" else "1")
            else:
                del part[name]

        lines = forged_in_parts(honest, change)
        if lines == honest:
            continue
        verdict = verify(lines, library)
        before, after = lines_of(honest)[index], lines_of(lines)[index]
        if verdict.ok:  # anybody may create a game for any organizer: no export shows who did
            assert before["event"] == after["event"]
            assert (before["event"]["type"], before["cause"] != after["cause"]) == ("game-created", True)
            continue
        assert verdict.problem
        named += 1


def test_a_past_without_end_is_refused(honest: list[bytes]) -> None:
    parts = lines_of(honest)
    end = next(index for index, line in enumerate(parts) if "past" in line)
    many = [*parts[: end + 1]] * 2000 + parts[end + 1 :]
    verdict = verify(whole(many), over().library)
    assert not verdict.ok


def test_the_first_event_of_a_fork_tells_where_it_comes_from() -> None:
    play = over()
    fork = play.fork(middle(play))
    event = msgspec.json.decode(fork.records[0].event, type=GameForked)
    assert (
        event.tell(fork.game.names) == f"A fork of {play.game.id} at version {middle(play)} was made, as its analysis."
    )
