"""Proofs of games with clocks: random games hold, and every forged time and flag is named."""

from collections import Counter
from random import Random

import pytest

from domain.kernel.log import snapshot, timing
from domain.kernel.log.clock import milliseconds
from domain.kernel.log.fold import continued
from domain.kernel.proof.verify import verify
from tests.helpers.clocked import OF_CLOCKS, Clocked, some_clock
from tests.helpers.forger import Line, forged, lines_of, rows, rows_of
from tests.helpers.laws.games import whole
from tests.helpers.sampling import sampled
from tests.tiny.auction import ROOM, TinyAuction


@pytest.mark.parametrize("seed", sampled("random games with clocks", range(1_000), 12))
def test_a_random_game_with_clocks_folds_alike_from_everywhere_and_is_proved(seed: int) -> None:
    play = random_game(seed)
    assert whole(play.fold()) == whole(play.game)
    assert play.fold().clocks == play.game.clocks
    restored = snapshot.restore(snapshot.take(play.game), play.library, lambda _: ROOM)
    assert restored.clocks == play.game.clocks
    for version, game in play.at_each_version.items():
        tail = [record for record in play.records if record.version > version]
        if tail and not any(record.type == "moves-retracted" for record in tail):
            assert continued(game, tail).clocks == play.game.clocks
            break
    for viewer in (None, *play.game.players):
        verdict = verify(play.export(viewer), play.library)
        assert verdict.ok, (seed, verdict)


def random_game(seed: int, commands: int = 80) -> Clocked:
    """Return a game with a clock in which time passed, flags fell, moves were taken back and officials ruled."""
    rng = Random(seed)
    play = Clocked(TinyAuction(), ROOM, rng.choice((2, 3, 4)), seed, clock=some_clock(rng))
    for _ in range(commands):
        if play.game.status != "running":
            break
        if play.game.undo and play.game.around.paused is None and rng.random() < 0.1:
            play.undo(*rng.choice([(seat, to) for seat, may in play.game.undo.items() for to in may]))
        elif rng.random() < 0.1:
            play.around_at_random(rng)
        else:
            play.tick(rng)
    return play


def test_random_games_with_clocks_contain_everything() -> None:
    met: Counter[str] = Counter()
    for seed in range(40):
        met.update(record.type for record in random_game(seed).records)
    assert {event.__struct_config__.tag for event in OF_CLOCKS} <= set(met)


def _shift(row: Line, by: int) -> None:
    row["at"] = timing.moment(milliseconds(row["at"]) + by)


def later(lines: list[Line], rng: Random) -> str:
    """Move an act and all that follows by some seconds, but not what the clocks showed after it."""
    last = rows(lines, "clocks-ran")[-1]["version"]
    starts = [row for row in rows_of(lines)[1:last] if "cause" in row]
    row = rng.choice(starts)
    for each in rows_of(lines)[row["version"] - 1 :]:
        _shift(each, 1_000)
    return "time"


def more_left(lines: list[Line], rng: Random) -> str:
    row = rng.choice(rows(lines, "clocks-ran"))
    seat = rng.choice(sorted(row["event"]["left"]))
    row["event"]["left"][seat] += rng.choice((-1, 1, 1_000, -row["event"]["left"][seat] - 1))
    return "left"


def another_runs(lines: list[Line], rng: Random) -> str:
    row = rng.choice(rows(lines, "clocks-ran"))
    runs = row["event"]["runs"]
    row["event"]["runs"] = runs[1:] if runs else ["red"]
    return "runs"


def another_time(lines: list[Line], rng: Random) -> str:
    row = rng.choice(rows(lines, "clocks-ran"))
    row["event"]["at"] = timing.moment(milliseconds(row["event"]["at"]) - rng.randint(1, 5_000))
    return "at"


def earned_again(lines: list[Line], rng: Random) -> str:
    row = rng.choice(rows(lines, "clocks-ran"))
    row["event"]["earned"] = {} if row["event"]["earned"] else {"red": 1}
    return "earned"


def away(lines: list[Line], rng: Random) -> str:
    row = rng.choice(rows(lines, "clocks-ran"))
    row["event"]["absent"] = [] if row["event"]["absent"] else ["red"]
    return "absent"


def left_out(lines: list[Line], rng: Random) -> str:
    lines.remove(rng.choice(rows(lines, "clocks-ran")))
    return "left out"


def put_in(lines: list[Line], rng: Random) -> str:
    row = rng.choice(rows(lines, "clocks-ran"))
    lines.insert(lines.index(row), {**row, "event": {**row["event"]}})
    return "doubled"


def flag_of_another(lines: list[Line], rng: Random) -> str:
    row = rng.choice(rows(lines, "clock-expired"))
    row["event"]["seat"] = {"red": "blue"}.get(row["event"]["seat"], "red")
    return "flag of another"


def another_follows(lines: list[Line], rng: Random) -> str:
    row = rng.choice(rows(lines, "clock-expired"))
    row["event"]["then"] = {"answer": "vacate"}.get(row["event"]["then"], "answer")
    return "then"


def flag_by_a_player(lines: list[Line], rng: Random) -> str:
    row = rng.choice(rows(lines, "clock-expired"))
    seat = {"red": "blue"}.get(row["event"]["seat"], "red")
    row["cause"] = {"player": f"player-{seat}", "seat": seat}
    return "flag by a player"


def command_by_the_clock(lines: list[Line], rng: Random) -> str:
    commands = [row for row in rows_of(lines) if "command" in row.get("cause", ()) and "by" not in row["cause"]]
    row = rng.choice(commands)
    del row["cause"]["player"]
    row["cause"]["by"] = "clock"
    return "command by the clock"


def default_by_a_player(lines: list[Line], rng: Random) -> str:
    row = rng.choice(rows(lines, "default-given"))
    del row["cause"]["by"]
    row["cause"]["player"] = f"player-{row['cause']['seat']}"
    return "default by a player"


def outage_from_before(lines: list[Line], rng: Random) -> str:
    row = rng.choice(rows(lines, "outage-credited"))
    row["event"]["since"] = timing.moment(milliseconds(row["event"]["since"]) - 1_000)
    return "outage"


def a_better_clock(lines: list[Line], rng: Random) -> str:
    clock = rows(lines, "clock-set")[0]["event"]["clock"]
    clock["time"] += 1
    clock["cap"] = max(clock["cap"], clock["time"])
    return "clock"


FORGERIES = (
    later,
    more_left,
    another_runs,
    another_time,
    earned_again,
    away,
    left_out,
    put_in,
    flag_of_another,
    another_follows,
    flag_by_a_player,
    command_by_the_clock,
    default_by_a_player,
    outage_from_before,
    a_better_clock,
)


@pytest.mark.rule("TAB-CLK-03")
@pytest.mark.rule("TAB-CLK-05")
@pytest.mark.parametrize("number", sampled("forged times and flags", range(210), 15))
def test_a_proof_names_every_forged_time_and_flag(number: int) -> None:
    forge = FORGERIES[number % len(FORGERIES)]
    for seed in range(number, number + 200):
        play = random_game(seed)
        lines = lines_of(play.export())
        try:
            forge(lines, Random(seed))
        except IndexError:
            continue  # a game without such an event
        if lines != lines_of(play.export()):
            break
    else:
        raise AssertionError("no game has this to forge")
    verdict = verify(forged(play.export(), lambda lines: forge(lines, Random(seed))), play.library)
    assert not verdict.ok, forge.__name__
    assert verdict.version is not None
