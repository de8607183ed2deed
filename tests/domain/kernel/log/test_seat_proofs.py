"""Proofs of games whose seats change hands: random games hold, and every forgery is named."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from domain.kernel.ids import PlayerId
from domain.kernel.log import seating, snapshot
from domain.kernel.log.fold import continued
from domain.kernel.log.history import read_event
from domain.kernel.log.seated import SEAT_EVENTS
from domain.kernel.proof.verify import verify
from domain.kernel.rules.message import type_name
from domain.kernel.rules.refusal import Refusal
from tests.domain.kernel.log.around import (
    BANK,
    BLUE,
    OFTEN,
    ONE_COIN,
    OPEN,
    RED,
    STRANGER,
    judged,
    left_open,
)
from tests.helpers.clocked import Clocked
from tests.helpers.forger import Line, forged, rows, rows_of
from tests.helpers.play import Play, player_of
from tests.helpers.sampling import sampled
from tests.tiny.auction import ROOM, TinyAuction


def given_back(lines: list[Line]) -> None:
    """Let a player take the seat back who has given it up: the clock is not said to have left it open."""
    for row in rows(lines, "clock-expired"):
        row["event"]["then"] = "answer"


def taken_back_by_another(lines: list[Line]) -> None:
    row = rows(lines, "seat-taken-over")[0]
    row["cause"]["player"] = row["event"]["player"] = "player-blue"


def taken_back_with_the_whole_time(lines: list[Line]) -> None:
    row = rows(lines, "seat-taken-over")[0]
    rows_of(lines)[row["version"]]["event"]["left"]["red"] = 60_000


def taken_back_after_resigning(lines: list[Line]) -> None:
    """The player offered the seat to anybody before; say that they resigned."""
    row = rows(lines, "seat-offered")[0]
    row["event"] = {"seat": "red", "type": "seat-resigned"}


def taken_back() -> Clocked:
    """Return a game whose player takes the seat back that the clock left open."""
    play = left_open(BANK)
    play.offer(RED)
    play.take_over(RED, player_of(RED))
    for _ in range(3):
        play.step(Random(1))
    return play


TAKEN_BACK: dict[Callable[[list[Line]], None], str] = {
    taken_back_by_another: "already have a seat",
    taken_back_with_the_whole_time: '"red":5000}.* is right',
    taken_back_after_resigning: "house did not answer|You have resigned",
    given_back: '"then":"vacate".* is right',
}


@pytest.mark.rule("TAB-SEAT-11")
@pytest.mark.parametrize("forge", TAKEN_BACK)
def test_a_proof_names_a_seat_taken_back_that_could_not_be(forge: Callable[[list[Line]], None]) -> None:
    play = taken_back()
    assert verify(play.export(), play.library).ok
    verdict = verify(forged(play.export(), forge), play.library)
    assert not verdict.ok
    assert verdict.problem is not None
    assert re.search(TAKEN_BACK[forge], verdict.problem), verdict.problem


# --- random games ---


def random_game(seed: int, commands: int = 60) -> Play:
    """Return a game with resignations, offers and hand overs, answers in advance, undo, rulings and pauses."""
    rng = Random(seed)
    play: Play
    if seed % 3:
        play = Play(TinyAuction(), ROOM, rng.choice((3, 4)), seed)
    else:
        play = Clocked(TinyAuction(), ROOM, rng.choice((3, 4)), seed, clock=rng.choice((BANK, OFTEN)))
    for _ in range(commands):
        if play.game.status != "running":
            break
        _one_act(play, rng)
    return play


def _one_act(play: Play, rng: Random) -> None:
    around, chosen = play.game.around, rng.random()
    if chosen < 0.25:
        _change_hands(play, rng)
    elif chosen < 0.35:
        play.around_at_random(rng)
    elif around.paused is not None:
        play.resume(next((each for each, holds in around.officials.items() if holds), play.game.organizer))
    elif chosen < 0.42 and (may := [(seat, to) for seat, all_ in play.game.undo.items() for to in all_]):
        seat, to = rng.choice(may)
        if seat not in around.resigned:
            play.undo(seat, to)
    elif chosen < 0.5:
        play.leave_at_random(rng)
    elif isinstance(play, Clocked) and chosen < 0.6 and play.clocks.runs:
        play.fall(play.wait_for_fall())
    else:
        play.step(rng)


def _change_hands(play: Play, rng: Random) -> None:
    """Let a seat be offered, taken over or resigned, or refuse that to somebody who may not."""
    seat = rng.choice(list(play.game.players))
    player = rng.choice((*map(PlayerId, ("one", "two", "three")), play.game.players[seat] or STRANGER))
    officials = [each for each, holds in play.game.around.officials.items() if holds]
    acts: list[Callable[[], Any]] = [
        lambda: play.offer(seat, rng.choice((None, player))),
        lambda: play.offer(seat, None, by=rng.choice(officials or [STRANGER])),
        *[lambda: play.withdraw_offer(seat)] * 3,
        *[lambda: play.take_over(seat, player)] * 4,
        *[lambda: play.resign(seat)] * 2,
    ]
    if isinstance(play, Clocked) and (vacated := play.clocks.vacated):
        acts = [*acts, *[lambda: play.take_over(vacated[0], play.game.players[vacated[0]] or STRANGER)] * 10]
    try:
        rng.choice(acts)()
    except Refusal as refusal:
        assert refusal.rule.startswith(("TAB-SEAT", "TAB-LIFE", "TAB-RUL", "TAB-FORK")), refusal  # noqa: PT017


@pytest.mark.parametrize("seed", sampled("random games whose seats change hands", range(1_000), 12))
def test_a_random_game_whose_seats_change_hands_folds_alike_and_is_proved(seed: int) -> None:
    play = random_game(seed)
    assert play.game.left_to_house is None
    assert play.fold() == play.game
    restored = snapshot.restore(snapshot.take(play.game), play.library, lambda _: ROOM)
    assert (restored.around, restored.players) == (play.game.around, play.game.players)
    for version, game in play.at_each_version.items():
        tail = [record for record in play.records if record.version > version]
        if tail and not any(record.type == "moves-retracted" for record in tail):
            assert continued(game, tail).around == play.game.around
            break
    for viewer in (None, *play.game.players):
        verdict = verify(play.export(viewer), play.library)
        assert verdict.ok, (seed, verdict)


def test_random_games_whose_seats_change_hands_contain_everything() -> None:
    met: Counter[str] = Counter()
    for seed in range(60):
        play = random_game(seed)
        met.update(record.type for record in play.records)
        met["taken back"] += sum(taken_back_by(play))
    during_the_game = {*map(type_name, SEAT_EVENTS)} - {"seat-assigned", "seat-confirmed"}
    assert {*during_the_game, "seat-taken-over", "answer-given", "moves-retracted"} <= set(met)
    assert met["taken back"]


def taken_back_by(play: Play) -> Iterator[bool]:
    """Tell of each seat that was taken over whether its own player did it."""
    holders = {seat: player_of(seat) for seat in play.game.players}
    for record in play.records:
        if record.type == "seat-taken-over":
            taken = read_event(play.ruleset, record)
            yield holders[taken.seat] == taken.player
            holders[taken.seat] = taken.player


# --- forgeries ---


def accepted_by_another(player: str, *, offered: bool = True) -> Callable[[list[Line]], None]:
    def forge(lines: list[Line]) -> None:
        if offered:
            del rows(lines, "seat-offered")[-1]["event"]["to"]
        row = rows(lines, "seat-taken-over")[-1]
        row["cause"]["player"] = row["event"]["player"] = player

    return forge


def resigned_by_another(lines: list[Line]) -> None:
    rows(lines, "seat-resigned")[0]["cause"]["player"] = "player-green"


def resigned_for_another(lines: list[Line]) -> None:
    row = rows(lines, "seat-resigned")[0]
    row["event"]["seat"] = row["cause"]["seat"] = "green"


def answered_for_a_seat_that_is_held(lines: list[Line]) -> None:
    row = rows(lines, "answered-by-house")[0]
    row["event"]["seat"] = row["cause"]["seat"] = "green"


def answer_of_the_house_by_a_player(lines: list[Line]) -> None:
    row = rows(lines, "answered-by-house")[0]
    row["cause"] = {**row["cause"], "player": "player-blue"}


def answer_of_the_house_by_the_clock(lines: list[Line]) -> None:
    rows(lines, "answered-by-house")[0]["cause"]["by"] = "clock"


def answered_later(lines: list[Line]) -> None:
    row = rows(lines, "answered-by-house")[-1]
    for each in rows_of(lines)[row["version"] - 1 :]:
        each["at"] = "2026-01-01T00:00:09.900000Z"


def not_answered(lines: list[Line]) -> None:
    first = rows(lines, "answered-by-house")[0]
    step = rows_of(lines)[first["version"] - 1 :]
    length = next(number for number, row in enumerate(step[1:], start=1) if "cause" in row)
    for row in step[:length]:
        lines.remove(row)


def a_command_instead(lines: list[Line]) -> None:
    row = rows(lines, "answered-by-house")[0]
    row["cause"] = {"player": "player-blue", "seat": "blue", "command": row["cause"]["command"]}
    lines.remove(row)
    rows_of(lines)[row["version"] - 1]["cause"] = row["cause"]


def command_by_the_house(lines: list[Line]) -> None:
    commands = [row for row in rows_of(lines) if "command" in row.get("cause", ()) and "by" not in row["cause"]]
    row = commands[0]
    del row["cause"]["player"]
    row["cause"]["by"] = "house"


def paused_by_the_house(lines: list[Line]) -> None:
    row = rows(lines, "game-paused")[0]
    row["cause"] = {"by": "house"}
    row["event"]["reason"] = seating.NOBODY_PLAYS


def offered_by_another(lines: list[Line]) -> None:
    rows(lines, "seat-offered")[0]["cause"] = {"player": "stranger"}


def offered_to_another(lines: list[Line]) -> None:
    rows(lines, "seat-offered")[-1]["event"]["to"] = "somebody-else"


def never_offered(lines: list[Line]) -> None:
    lines.remove(rows(lines, "seat-offered")[-1])


def withdrawn_by_another(lines: list[Line]) -> None:
    rows(lines, "offer-withdrawn")[0]["cause"]["player"] = "player-green"


def withdrawn_before(lines: list[Line]) -> None:
    row = rows(lines, "offer-withdrawn")[0]
    lines.insert(lines.index(row), {**row, "event": dict(row["event"]), "cause": dict(row["cause"])})


FORGERIES: dict[Callable[[list[Line]], None], str] = {
    accepted_by_another("official"): "an official of this game",
    accepted_by_another("former"): "an official of this game",
    accepted_by_another("player-green"): "already have a seat",
    accepted_by_another("somebody-else", offered=False): "offered to another account",
    resigned_by_another: "who does not hold blue",
    resigned_for_another: "is a resignation by player-blue, who does not hold green",
    answered_for_a_seat_that_is_held: "It answers only for the first seat that resigned",
    answer_of_the_house_by_a_player: "names an account or a request",
    answer_of_the_house_by_the_clock: "the clock did it, which never causes answered-by-house",
    answered_later: "later than it was called for",
    not_answered: "the house did not answer for blue",
    a_command_instead: "who has resigned",
    command_by_the_house: "says that the house did it, which never causes",
    paused_by_the_house: "when all seats that are not out of it have resigned",
    offered_by_another: "who is no official of the game",
    offered_to_another: "Only somebody-else can take it over",
    never_offered: "neither given up by its player nor offered",
    withdrawn_by_another: "who does not hold red",
    withdrawn_before: "is not offered",
}


def resigned_of_two() -> Play:
    play = judged()
    play.resign(BLUE)
    return play


def handed_over() -> Play:
    """Return a game in which red offers its seat, takes that back, and hands it over; then blue resigns."""
    play = judged(players=3)
    play.name_official(PlayerId("former"))
    play.release_official(PlayerId("former"))
    play.rule_pause()
    play.rule_resume()
    play.command(RED, ONE_COIN)
    play.offer(RED)
    play.withdraw_offer(RED)
    play.offer(RED, STRANGER)
    play.take_over(RED, STRANGER)
    play.command(RED, OPEN)
    play.resign(BLUE)
    for _ in range(6):
        play.step(Random(1))
    return play


@pytest.mark.rule("TAB-SEAT-02")
@pytest.mark.rule("TAB-SEAT-05")
@pytest.mark.parametrize("forge", FORGERIES, ids=[f"{number}" for number in range(len(FORGERIES))])
@pytest.mark.parametrize("over", [False, True], ids=["running", "over"])
def test_a_proof_names_every_forged_change_of_hands(forge: Callable[[list[Line]], None], over: bool) -> None:
    play = handed_over()
    if over:
        play.run(Random(1))
    verdict = verify(play.export(), play.library)
    assert verdict.ok, verdict
    verdict = verify(forged(play.export(), forge), play.library)
    assert not verdict.ok
    assert verdict.version is not None
    assert FORGERIES[forge] in verdict.problem, verdict.problem
