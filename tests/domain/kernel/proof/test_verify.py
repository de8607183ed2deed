"""An export proves its game, and whatever is wrong with it is found and named."""

import hashlib
import json
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import msgspec
import pytest

from domain.kernel.canonical import canonical
from domain.kernel.ids import PlayerId, Seat
from domain.kernel.log import beginning
from domain.kernel.log.record import Cause
from domain.kernel.proof.export import ExportError
from domain.kernel.proof.reading import read
from domain.kernel.proof.verify import Verdict, verify
from domain.kernel.rules.ruleset import Library
from tests.helpers import forger
from tests.helpers.play import ORGANIZER, Play
from tests.tiny.auction import ROOM, TinyAuction

LIBRARY = Library([TinyAuction()])
A, B = "0a" * 16, "0b" * 16


@cache
def finished(seed: int = 3) -> tuple[bytes, ...]:
    """The export of a game that ended, with some moves taken back on its way."""
    rng, play = Random(seed), Play(TinyAuction(), ROOM, 3, seed)
    while play.game.status == "running":
        if play.game.undo_to and rng.random() < 0.3:
            assert play.game.undo_seat is not None
            play.undo(play.game.undo_seat, rng.choice(play.game.undo_to))
        else:
            play.step(rng)
            if len(play.records) in (12, 20):
                play.rule(play.game.version - 1) if play.records[-1].cause else None
    return tuple(play.export())


@cache
def running() -> Play:
    return Play(TinyAuction(), ROOM, 3, 4).run(Random(4), 11)


def check(lines: list[bytes] | tuple[bytes, ...]) -> Verdict:
    return verify(lines, LIBRARY)


def split(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True) if b"\r" not in data else [part + b"\n" for part in data.split(b"\n") if part]


def line_of(row: dict[str, Any]) -> bytes:
    return canonical(row) + b"\n"


def versions(lines: tuple[bytes, ...]) -> dict[int, int]:
    """The version that stands in each line, by the line's number."""
    rows = enumerate(map(json.loads, lines), start=1)
    return {number: row["version"] for number, row in rows if "version" in row}


@pytest.mark.rule("TAB-LIST-02")
@pytest.mark.parametrize(("keys", "ok"), [((A, B), True), ((A, A), False), ((None, None), True)])
def test_a_list_that_went_on_after_chance_is_found_by_its_key(keys: tuple[str | None, ...], ok: bool) -> None:
    play = Play(TinyAuction(), ROOM, 2, 5, {"rounds": 1})
    play.command(Seat("red"), {"type": "put-up", "coins": 1}, {"type": "open-bidding"})
    now = play.now
    for seat, key in zip(play.waiting, keys, strict=True):
        table: Any = play.game.table
        bid = {"type": "choose-card", "card": play.vault.open(table.hands[seat][0])}
        given = [play.ruleset.read_command(canonical(bid))]
        cause = Cause(play.game.players[seat], key=key)
        play.take(play.game.command(seat, given, play.chance, play.vault, cause, now))
    verdict = check(play.export())
    assert verdict.ok is ok
    assert ok or "continues a list" in verdict.problem


def cancelled(by: PlayerId = ORGANIZER) -> list[bytes]:
    """Return the export of a game that was cancelled, by `by` if one believes it."""
    play = Play(TinyAuction(), ROOM, 2, start=False)
    play.sit(Seat("red"), PlayerId("p"))
    step = beginning.cancel(msgspec.structs.replace(play.game, first_organizer=by), Cause(by), play.now)
    play.take(msgspec.structs.replace(step, game=msgspec.structs.replace(step.game, first_organizer=ORGANIZER)))
    return play.export()


@pytest.mark.rule("TAB-LIFE-04")
def test_a_cancelled_game_is_proved_although_its_secret_stays_one() -> None:
    verdict = check(cancelled())
    assert verdict.ok
    assert (verdict.status, verdict.events, verdict.unproved) == ("cancelled", 3, ())


@pytest.mark.rule("TAB-LIFE-04")
def test_a_game_that_somebody_else_cancelled_is_no_proof() -> None:
    verdict = check(cancelled(PlayerId("p")))
    assert (verdict.ok, verdict.version) == (False, 3)
    assert "the cancellation by p, who is not the organizer" in verdict.problem


def test_a_finished_game_is_proved() -> None:
    verdict = check(finished())
    assert verdict.ok
    assert verdict.status == "over"
    assert (verdict.game, verdict.ruleset) == ("game-3", "tiny-auction")
    assert verdict.events == len(versions(finished()))
    assert len(verdict.proved) == 7
    assert any("names an account" in sentence for sentence in verdict.proved)
    assert "The game was judged by version 1 of tiny-auction." in verdict.proved
    assert not verdict.unproved


def test_every_line_is_what_any_library_of_rfc_8785_writes() -> None:
    for line in finished():
        content = json.loads(line)
        assert line.decode() == json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"


def test_the_hashes_can_be_checked_from_the_lines_alone() -> None:
    rows = [json.loads(line) for line in finished()]
    head = hashlib.sha256(b"tabularium/1 " + rows[0]["game"].encode()).digest()
    for row in rows[1:]:
        if "hash" in row:
            told = row.pop("hash")
            written = json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
            head = hashlib.sha256(head + written).digest()
            assert head.hex() == told
        elif "secret" in row:
            value = json.dumps(row["secret"]["value"], sort_keys=True, separators=(",", ":")).encode()
            commitment = hashlib.sha256(bytes.fromhex(row["secret"]["salt"]) + value).hexdigest()
            assert commitment == row["secret"]["commitment"]
    assert rows[-1]["end"]["head"] == head.hex()
    before = b"".join(finished()[:-1])
    assert rows[-1]["end"]["digest"] == f"sha256:{hashlib.sha256(before).hexdigest()}"


# --- damage ---


@pytest.mark.parametrize("seed", range(8))
def test_any_changed_byte_is_found_at_its_version(seed: int) -> None:
    rng, lines = Random(seed), finished()
    at = versions(lines)
    for _ in range(100):
        number = rng.randrange(len(lines))
        line = bytearray(lines[number])
        place = rng.randrange(len(line))
        line[place] ^= 1 << rng.randrange(8) if rng.random() < 0.5 else rng.randrange(1, 256)
        damaged = split(b"".join((*lines[:number], bytes(line), *lines[number + 1 :])))
        verdict = check(damaged)
        assert not verdict.ok, (number, place, bytes(line))
        assert verdict.problem
        if number + 1 in at and place < len(line) - 1:
            assert verdict.version == at[number + 1], (verdict, bytes(line))
            assert verdict.line == number + 1


def test_a_line_left_out_is_found() -> None:
    lines = finished()
    for number in range(len(lines)):
        verdict = check([*lines[:number], *lines[number + 1 :]])
        assert not verdict.ok
        if number + 1 in versions(lines):
            assert verdict.version == versions(lines)[number + 1]


def test_a_doubled_line_is_found() -> None:
    lines = finished()
    for number in range(len(lines)):
        verdict = check([*lines[: number + 1], *lines[number:]])
        assert not verdict.ok
        if number + 1 in versions(lines):
            assert verdict.line == number + 2
            assert verdict.version == versions(lines)[number + 1] + 1


def test_exchanged_lines_are_found() -> None:
    lines = finished()
    for number in range(len(lines) - 1):
        verdict = check([*lines[:number], lines[number + 1], lines[number], *lines[number + 2 :]])
        assert not verdict.ok
        if number + 1 in versions(lines) and number + 2 in versions(lines):
            assert verdict.version == versions(lines)[number + 1]


def test_a_truncated_export_is_found() -> None:
    data = b"".join(finished())
    rng = Random(1)
    for length in [0, 1, len(data) - 1, *(rng.randrange(len(data)) for _ in range(200))]:
        assert not check(split(data[:length])).ok
    for number in range(len(finished())):
        verdict = check(finished()[:number])
        assert not verdict.ok
        if number in versions(finished()) and number + 1 in versions(finished()):
            assert verdict.version == versions(finished())[number] + 1


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [b""],
        [b"\n"],
        [b"{}\n"],
        [b"[]\n"],
        [b"null\n"],
        [b"[" * 100_000 + b"\n"],
        [b"\xff\xfe\n"],
        [b'{"format":"tabularium-export/2"}\n'],
        [*finished(), b"\n"],
        [*finished(), *finished()],
        [line.replace(b"\n", b"\r\n") for line in finished()],
        [b"\xef\xbb\xbf" + finished()[0], *finished()[1:]],
        [b" " + finished()[0], *finished()[1:]],
        [json.dumps(json.loads(line)).encode() + b"\n" for line in finished()],
    ],
)
def test_a_file_that_is_not_an_export_is_refused_in_a_sentence(lines: list[bytes]) -> None:
    verdict = check(lines)
    assert not verdict.ok
    assert verdict.problem.endswith(".")
    assert verdict.line is not None


# --- forgery: the chain is made anew over what was changed ---


def forged(change: Callable[[list[dict[str, Any]]], object]) -> list[bytes]:
    """Change the rows of a finished game's export, then make the chain and the last line fit."""
    return forger.forged(finished(), change)


def first(rows: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    return next(row for row in rows if row.get("event", {}).get("type") == kind)


def another_roll(rows: list[dict[str, Any]]) -> int:
    row = next(row for row in rows if "cards-dealt" in str(row))
    hands = row["event"]["hands"]
    hands["red"], hands["blue"] = hands["blue"], hands["red"]
    return row["version"]


def another_prize(rows: list[dict[str, Any]]) -> int:
    row = first(rows, "prize-put-up")
    row["event"]["coins"] = 4 - row["event"]["coins"] if row["event"]["coins"] != 2 else 1
    return row["version"]


def another_winner(rows: list[dict[str, Any]]) -> int:
    row = first(rows, "game-ended")
    row["event"]["winners"] = ["red", "blue"] if row["event"]["winners"] != ["red", "blue"] else ["green"]
    return row["version"]


def another_secret_of_the_dice(rows: list[dict[str, Any]]) -> int:
    row = first(rows, "game-ended")
    row["event"]["secret"] = "00" * 32
    return row["version"]


def an_upper_case_secret(rows: list[dict[str, Any]]) -> int:
    row = first(rows, "game-ended")
    row["event"]["secret"] = row["event"]["secret"].upper()
    return row["version"]


def other_entropy(rows: list[dict[str, Any]]) -> int:
    first(rows, "seat-taken")["event"]["entropy"] = "mine"
    return next(row for row in rows if "cards-dealt" in str(row))["version"]


def another_player(rows: list[dict[str, Any]]) -> int:
    row = first(rows, "prize-put-up")
    row["cause"]["player"] = "player-of-nothing"
    return row["version"]


def another_seat(rows: list[dict[str, Any]]) -> int:
    row = first(rows, "prize-put-up")
    row["cause"].update(seat="green", player="player-green")
    return row["version"]


def no_command(rows: list[dict[str, Any]]) -> int:
    row = first(rows, "prize-put-up")
    del row["cause"]["command"]
    return row["version"]


def no_cause(rows: list[dict[str, Any]]) -> int:
    row = first(rows, "bidding-opened")
    del row["cause"]
    return row["version"]


def a_game_too_early(rows: list[dict[str, Any]]) -> int:
    row = first(rows, "seat-taken")
    row["event"] = {"type": "game-started"}
    return row["version"]


def an_unknown_schema(rows: list[dict[str, Any]]) -> int:
    row = first(rows, "bidding-opened")
    row["schema"] = 7
    return row["version"]


def an_unknown_event(rows: list[dict[str, Any]]) -> int:
    row = first(rows, "bidding-opened")
    row["event"]["type"] = "bidding-closed"
    return row["version"]


def more_draws(rows: list[dict[str, Any]]) -> int:
    row = first(rows, "bidding-opened")
    for later in rows[rows.index(row) :]:
        if "draws" in later:
            later["draws"] += 1
    return row["version"]


def an_undo_too_far(rows: list[dict[str, Any]]) -> int:
    row = next(row for row in rows if row.get("event", {}).get("by") == "undo")
    row["event"]["to"] = row["cause"]["command"]["to"] = 5
    return row["version"]


FORGERIES = [
    another_roll,
    another_prize,
    another_winner,
    another_secret_of_the_dice,
    an_upper_case_secret,
    other_entropy,
    another_player,
    another_seat,
    no_command,
    no_cause,
    a_game_too_early,
    an_unknown_schema,
    an_unknown_event,
    more_draws,
    an_undo_too_far,
]


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: forgery.__name__)
def test_a_forged_log_with_a_chain_of_its_own_is_found(forgery: Callable[[list[dict[str, Any]]], int]) -> None:
    assert check(forged(lambda rows: None)).ok
    wrong: list[int] = []
    verdict = check(forged(lambda rows: wrong.append(forgery(rows))))
    assert not verdict.ok
    assert verdict.version == wrong[0], verdict


def secret_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row["secret"] for row in rows if "secret" in row]


def drop_a_secret(rows: list[dict[str, Any]]) -> None:
    del rows[-2]


def exchange_secrets(rows: list[dict[str, Any]]) -> None:
    rows[-2], rows[-3] = rows[-3], rows[-2]


@pytest.mark.parametrize(
    "forgery",
    [
        drop_a_secret,
        exchange_secrets,
        lambda rows: secret_rows(rows)[0].update(readers=["green", "red"]),
        lambda rows: secret_rows(rows)[0].update(value=77),
        lambda rows: secret_rows(rows)[0].update(salt=secret_rows(rows)[0]["salt"].upper()),
        lambda rows: rows[-1]["end"].update(status="running"),
        lambda rows: rows[0].update(ruleset="conquest-classic-friz"),
        lambda rows: rows[0]["board"]["areas"][0].update(name="Attic"),
        lambda rows: rows[0]["board"].update(borders=[]),
        lambda rows: rows[0]["board"]["areas"].reverse(),
    ],
)
def test_forged_secrets_and_frames_are_found(forgery: Callable[[list[dict[str, Any]]], object]) -> None:
    verdict = check(forged(forgery))
    assert not verdict.ok
    assert verdict.problem
    assert verdict.line is not None


def test_a_forger_who_cheats_the_reader_too_is_found_by_deciding_anew() -> None:
    """Cut a game short where it is: the end says running, the secret of the dice is gone, the dice are not checked."""
    lines = finished()
    cut = [line for line in lines if b'"game-ended"' not in line and not line.startswith((b'{"secret"', b'{"end"'))]
    head = json.loads(cut[-1])["hash"]
    body = b"".join(cut)
    digest = f"sha256:{hashlib.sha256(body).hexdigest()}"
    end = {"digest": digest, "head": head, "secrets": 0, "status": "running", "version": len(cut) - 1}
    verdict = check([*cut, line_of({"end": end})])
    assert not verdict.ok or verdict.unproved


def test_a_ruleset_that_is_not_at_hand_is_named() -> None:
    verdict = verify(finished(), Library([]))
    assert not verdict.ok
    assert "tiny-auction" in verdict.problem


# --- a game that goes on ---


def test_a_running_game_says_what_could_not_be_proved() -> None:
    play = running()
    verdict = check(play.export())
    assert verdict.ok
    assert verdict.status == "running"
    assert len(verdict.unproved) == 1
    assert "published" in verdict.unproved[0]


def test_a_running_export_holds_nothing_that_its_reader_may_not_see() -> None:
    play = running()
    assert play.secret.hex().encode() not in b"".join(play.export(everything=True))
    for seat in play.game.players:
        shown = read(play.export(seat)).secrets
        assert shown == tuple(secret for secret in play.secrets if seat in secret.readers)
        revealed = b"".join(record.event for record in play.records)
        hidden = [secret.salt.encode() for secret in play.secrets if seat not in secret.readers]
        hidden = [salt for salt in hidden if salt not in revealed]
        assert hidden
        assert not any(salt in b"".join(play.export(seat)) for salt in hidden)
    assert read(play.export()).secrets == ()
    assert read(play.export(everything=True)).secrets == tuple(play.secrets)


def test_a_running_game_with_a_changed_byte_is_found() -> None:
    rng = Random(1)
    lines = running().export(Seat("red"))
    for _ in range(200):
        number = rng.randrange(len(lines))
        line = bytearray(lines[number])
        line[rng.randrange(len(line))] ^= rng.randrange(1, 256)
        assert not check(split(b"".join((*lines[:number], bytes(line), *lines[number + 1 :])))).ok


def test_a_gathering_game_is_checked_too() -> None:
    play = Play(TinyAuction(), ROOM, 2, start=False)
    assert check(play.export()).ok
    play.sit(Seat("red"), PlayerId("p"), "x")
    play.leave(Seat("red"), PlayerId("p"))
    verdict = check(play.export())
    assert verdict.ok
    assert not verdict.unproved


def test_reading_alone_finds_damage_but_not_forgery() -> None:
    assert len(read(forged(another_prize)).records) == len(versions(finished()))
    with pytest.raises(ExportError):
        read(finished()[:-1])
