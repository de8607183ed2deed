"""The export of a case, and what its verification finds."""

import json
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.judging import proof
from domain.judging.events import Ruled, RuledFinally
from domain.judging.fold import fold, read_event
from domain.judging.proof import CaseVerdict, verify
from domain.kernel.ids import PlayerId
from domain.kernel.log.history import cause_of
from domain.kernel.log.record import Cause, Record, genesis, inscribe
from domain.kernel.proof import export, reading
from domain.kernel.proof.export import Export
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Library
from tests.helpers.judging import JUDGE, OTHER_JUDGE, Court
from tests.helpers.play import Play, player_of
from tests.tiny.auction import ROOM, SEATS, TinyAuction

ANNA, BERT, CARL = map(player_of, SEATS[:3])
STRANGER = PlayerId("stranger")
LIBRARY = Library([TinyAuction()])


def played() -> Court:
    """Return a case in which everything happened that can, about a game that went on meanwhile."""
    play, rng = Play(TinyAuction(), ROOM, 3), Random(3)
    court = Court(play)
    play.step(rng)
    court.open(ANNA, "move", 5, cited=["TA-PUT-01"])
    court.answer(BERT)
    court.state(CARL)
    court.consent(BERT)
    play.step(rng)
    court.rule(JUDGE, "stands")
    court.consent(CARL)
    court.appeal(ANNA)
    court.rule(OTHER_JUDGE, "result", order=((SEATS[0], SEATS[1]), (SEATS[2],)))
    return court


@pytest.fixture
def court() -> Court:
    return played()


def game_of(court: Court) -> Export:
    play = court.play
    return reading.read(list(export.export(play.game, play.records, play.vault)))


def test_an_export_verifies_without_the_game_and_says_what_it_takes_for_granted(court: Court) -> None:
    verdict = verify(court.export(), LIBRARY)
    assert verdict.ok, verdict.problem
    assert (verdict.case, verdict.game, verdict.status, verdict.events) == ("ccase", court.play.game.id, "final", 8)
    assert verdict.head == court.case.head.hex()
    assert len(verdict.unproved) == 1


def test_a_part_of_the_statements_verifies(court: Court) -> None:
    court.statements = court.statements[::2]
    verdict = verify(court.export(), LIBRARY)
    assert verdict.ok, verdict.problem
    assert len(verdict.unproved) == 2


def test_a_settled_case_verifies() -> None:
    court = Court(Play(TinyAuction(), ROOM, 3))
    court.open(ANNA, "slip")
    court.consent(BERT)
    half = verify(court.export(), LIBRARY)
    court.consent(CARL)
    for game in (None, game_of(court)):
        verdict = verify(court.export(), LIBRARY, game)
        assert (half.ok, verdict.ok, half.status, verdict.status) == (True, True, "open", "settled"), verdict.problem


def test_an_export_verifies_with_the_game() -> None:
    court = Court(Play(TinyAuction(), ROOM, 3))
    court.open(ANNA, "move", 5, cited=["TA-PUT-01"])
    court.answer(BERT)
    court.play.step(Random(1))
    court.rule(JUDGE, "stands")
    verdict = verify(court.export(), LIBRARY, game_of(court))
    assert verdict.ok, verdict.problem
    assert not verdict.unproved


def test_the_game_must_be_the_one_of_the_case_and_go_as_far(court: Court) -> None:
    other = Court(Play(TinyAuction(), ROOM, 3, seed=2))
    assert "is about game game-1, not about game-2" in verify(court.export(), LIBRARY, game_of(other)).problem
    game = game_of(court)
    short = replace(game, records=game.records[:5])
    assert "the export of the game ends at version 5" in verify(court.export(), LIBRARY, short).problem


@pytest.mark.parametrize("decision", ["back", "pause", "result"])
def test_what_a_ruling_ordered_must_have_happened_in_the_game(decision: str) -> None:
    orders = {"back": {"to": 8}, "pause": {}, "result": {"order": (SEATS[:3],)}}
    for carried in (True, False):
        court = Court(Play(TinyAuction(), ROOM, 3))
        while 8 not in court.facts.starts():
            court.play.step(Random(1))
        court.open(ANNA)
        court.rule(JUDGE, decision, carried=carried, **orders[decision])
        if not carried:
            court.play.step(Random(1))
        assert verify(court.export(), LIBRARY).ok
        verdict = verify(court.export(), LIBRARY, game_of(court))
        assert verdict.ok is carried, verdict.problem
        assert carried or "is not what the ruling on version" in verdict.problem


def test_a_change_of_the_game_that_the_case_did_not_order_is_named() -> None:
    court = Court(Play(TinyAuction(), ROOM, 3))
    court.open(ANNA)
    court.rule(JUDGE, "pause")
    court.play.rule_resume(Cause(JUDGE, case=court.id))
    verdict = verify(court.export(), LIBRARY, game_of(court))
    assert "names this case, which did not order it" in verdict.problem


@pytest.mark.parametrize("seed", range(20))
def test_whatever_happens_in_a_case_is_folded_and_proved(seed: int) -> None:
    rng, play = Random(seed), Play(TinyAuction(), ROOM, 3, seed)
    court = Court(play)
    court.open(rng.choice([ANNA, JUDGE]), "slip", 5)
    for _ in range(40):
        with suppress(Refusal):
            act_at_random(court, rng)
    for game in (None, game_of(court)):
        verdict = verify(court.export(), LIBRARY, game)
        assert verdict.ok, verdict.problem
        assert verdict.status == court.case.status


def act_at_random(court: Court, rng: Random) -> None:
    """Let somebody do something in a case, or in its game. Raises `Refusal`."""
    play = court.play
    player = rng.choice([ANNA, BERT, CARL, JUDGE, OTHER_JUDGE, STRANGER])
    match rng.choices(("play", "withdraw", "rule", "state", "answer", "consent", "appeal"), (4, 0.2, 2, 4, 4, 2, 2))[0]:
        case "play" if play.waiting and play.game.around.paused is None:
            play.step(rng)
        case "withdraw":
            court.withdraw(player)
        case "rule":
            decision = rng.choice(["stands", "dismissed", "pause", "resume", "back", "result"])
            starts = sorted(court.facts.starts()) or [1]
            orders: dict[str, Any] = {"back": {"to": rng.choice(starts)}, "result": {"order": (SEATS[:3],)}}
            court.rule(player, decision, **orders.get(decision, {}))
        case "state":
            court.state(player)
        case "answer":
            court.answer(player)
        case "consent":
            court.consent(player)
        case "appeal":
            court.appeal(player)
        case _:
            pass


# --- forgeries ---


def forged(court: Court, change: Callable[[Any, Any, int], None]) -> list[bytes]:
    """Return the export of a case whose events and causes were changed, with hashes made anew."""
    head, records = genesis(court.id), list[Record]()
    for record in court.records:
        event, cause = json.loads(record.event), json.loads(record.cause) if record.cause else None
        change(event, cause, record.version)
        at = cause.pop("at", record.at) if cause else record.at
        made = msgspec.convert(cause, Cause) if cause is not None else None
        row = inscribe(
            court.id, head, record.version, event, schema=record.schema, draws=record.draws, at=at, cause=made
        )
        records.append(row)
        head = row.hash
    return list(proof.export(fold(court.id, records), records, []))


def changing(nth: int, /, **changes: Any) -> Callable[[Any, Any, int], None]:
    def change(event: Any, cause: Any, at: int) -> None:
        if at == nth:
            for name, value in changes.items():
                target = cause if name in ("player", "seat_of_cause", "at") else event
                target[name.removesuffix("_of_cause")] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        changing(1, kind="refusal"),
        changing(1, about=1000),
        changing(1, seat="blue"),
        changing(1, seat_of_cause="blue"),
        changing(2, seat="red", seat_of_cause="red"),
        changing(3, seat="red"),
        changing(5, reason=""),
        changing(5, cited=[]),
        changing(5, decision="back"),
        changing(5, order=[["red"]]),
        changing(5, type="ruled-finally"),
        changing(5, player=str(ANNA)),
        changing(8, type="ruled"),
        changing(8, player=str(JUDGE)),
        changing(8, version=1),
        changing(8, to=3),
    ],
)
def test_a_changed_event_is_noticed_without_the_game(court: Court, change: Any) -> None:
    verdict = verify(forged(court, change), LIBRARY)
    assert not verdict.ok
    assert verdict.version is not None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (changing(1, hash="00" * 32), "is not what follows"),
        (changing(1, cited=["XX-NO-01"]), "no rule"),
        (changing(2, player="somebody"), "You hold no seat"),
        (changing(2, player=str(CARL)), "is not what follows"),
        (changing(3, player="somebody"), "You are no official"),
        (changing(3, hash="00" * 32), "TAB-RUL-07"),
        (changing(3, version=3), "names an earlier version"),
    ],
)
def test_a_changed_event_is_noticed_with_the_game(change: Any, said: str) -> None:
    court = Court(Play(TinyAuction(), ROOM, 3))
    court.open(ANNA, "move", 5, cited=["TA-PUT-01"])
    court.answer(BERT)
    court.rule(JUDGE, "stands")
    verdict = verify(forged(court, change), LIBRARY, game_of(court))
    assert not verdict.ok
    assert said in verdict.problem


def test_no_flipped_byte_and_no_lost_line_gets_past(court: Court) -> None:
    lines, rng = court.export(), Random(7)
    whole = b"".join(lines)
    assert verify(lines, LIBRARY).ok
    for _ in range(300):
        at = rng.randrange(len(whole))
        flipped = bytearray(whole)
        flipped[at] ^= 1 << rng.randrange(8)
        assert not verify(bytes(flipped).splitlines(keepends=True), LIBRARY).ok, at
    for missing in range(len(lines)):
        assert not verify([*lines[:missing], *lines[missing + 1 :]], LIBRARY).ok, missing
        assert not verify([*lines[: missing + 1], *lines[missing:]], LIBRARY).ok, missing
        assert not verify(lines[:missing], LIBRARY).ok, missing


def test_the_kinds_of_ruling_are_told_apart(court: Court) -> None:
    first, last = read_event(court.records[4]), read_event(court.records[7])
    assert (type(first), type(last)) == (Ruled, RuledFinally)
    assert cause_of(court.records[7]).player == OTHER_JUDGE


def test_a_verdict_is_json() -> None:
    assert msgspec.json.decode(msgspec.json.encode(verify([], LIBRARY)), type=CaseVerdict).line == 1
