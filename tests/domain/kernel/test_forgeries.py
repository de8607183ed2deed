"""What a service that lies could write: exports forged with a sound chain, and the sentence that each is refused with.

`openapi/verification.md` lists every field of an export with what is checked of it; here is a forgery of each, and at
the end those that nobody can find in an export alone.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from random import Random
from typing import Any, Final

import pytest

from domain.kernel.record import genesis
from domain.kernel.ruleset import Library
from domain.kernel.secret import commitment_of
from domain.kernel.verify import Verdict, verify
from domain.kernel.words import Seat
from tests.forger import Change, Line, forged, lines_of, rows, rows_of, step_of
from tests.play import Play
from tests.tiny.auction import ROOM, TinyAuction

LIBRARY: Final = Library([TinyAuction()])
MALLORY: Final = "mallory"
RED: Final = "player-red"
NO_TIME: Final = "no time in UTC with microseconds"


def nothing(lines: list[Line]) -> None:
    """Change nothing."""


def check(lines: list[bytes]) -> Verdict:
    return verify(lines, LIBRARY)


# --- honest games ---


def seated(seed: int) -> Play:
    """A game before its start: red sat down, left, and sat down again."""
    play = Play(TinyAuction(), ROOM, 3, seed, start=False)
    for seat in play.game.players:
        play.take(play.game.take_seat(seat, player(seat), f"entropy of {seat}", at=play.now, key="0a" * 16))
    play.take(play.game.leave_seat(Seat("red"), player(Seat("red")), at=play.now))
    play.take(play.game.take_seat(Seat("red"), player(Seat("red")), "", at=play.now))
    return play


def player(seat: Seat) -> Any:
    return f"player-{seat}"


@cache
def over() -> tuple[bytes, ...]:
    """A whole game, with an undo and a ruling in it."""
    play = Play(TinyAuction(), ROOM, 3, 3)
    auctioneer = play.waiting[0]
    play.command(auctioneer, {"type": "put-up", "coins": 1})
    play.undo(auctioneer, play.game.undo_to[0])
    play.command(auctioneer, {"type": "put-up", "coins": 2})
    play.rule(play.game.version - 1)
    play.run(Random(3))
    assert play.game.status == "over"
    return tuple(play.export())


@cache
def playing() -> Play:
    """A game that goes on after a round: what needed the secret can only be folded by its readers."""
    play = Play(TinyAuction(), ROOM, 3, 4)
    while not play.game.table or play.game.table.round < 3:  # type: ignore[attr-defined]
        play.step(Random(4))
    return play


def running() -> tuple[bytes, ...]:
    return tuple(playing().export())


def gathering() -> tuple[bytes, ...]:
    return tuple(seated(5).export())


GAMES: Final[Mapping[str, Callable[[], tuple[bytes, ...]]]] = {
    "over": over,
    "running": running,
    "red's": lambda: tuple(playing().export(Seat("red"))),
    "everybody's": lambda: tuple(playing().export(everything=True)),
    "gathering": gathering,
}


@pytest.mark.parametrize("game", GAMES)
def test_what_was_not_forged_verifies(game: str) -> None:
    assert forged(GAMES[game](), nothing) == list(GAMES[game]())
    assert check(list(GAMES[game]())).ok


# --- changes ---


def first(lines: list[Line], kind: str, **fields: Any) -> Line:
    """Return the first row with an event of a type, that has these fields."""
    found = (row for row in rows(lines, kind) if fields.items() <= row["event"].items())
    return next(found)


def caused(kind: str, **cause: Any) -> Change:
    """Change the cause of the first event of a type; None takes a field away."""
    return lambda lines: _cause(first(lines, kind), cause)


def ruled(**cause: Any) -> Change:
    """Change the cause of the first ruling."""
    return lambda lines: _cause(first(lines, "moves-retracted", by="ruling"), cause)


def _cause(row: Line, changes: dict[str, Any]) -> None:
    row["cause"] = {name: value for name, value in (row["cause"] | changes).items() if value is not None}


def told(kind: str, **fields: Any) -> Change:
    """Change the first event of a type."""
    return lambda lines: first(lines, kind)["event"].update(fields)


def at(kind: str, time: str) -> Change:
    """Change the time of all that one act brought about."""

    def change(lines: list[Line]) -> None:
        for row in step_of(lines, first(lines, kind)):
            row["at"] = time

    return change


def time_within_a_step(lines: list[Line]) -> None:
    """The events that follow from the start are told a little later than it, though not later than what comes next."""
    start, dealt, after = rows_of(lines)[4:7]
    assert (start["event"]["type"], "cause" in dealt, "cause" in after) == ("game-started", False, True)
    dealt["at"] = after["at"]


def everywhere(old: str, new: str) -> Change:
    """Replace the beginning of a text in all lines alike."""

    def change(lines: list[Line]) -> None:
        lines[:] = json.loads(json.dumps(lines).replace(f'"{old}', f'"{new}'))

    return change


def line_break(name: str) -> Change:
    """Put a line break behind a hash, which no pattern notices that ends in a dollar sign."""

    def change(lines: list[Line]) -> None:
        rows_of(lines)[2][name] += "\n"

    return change


def game_named(name: str) -> Change:
    def change(lines: list[Line]) -> None:
        for line in lines[:-1]:
            line["game"] = name

    return change


def undo_for_a_reason(lines: list[Line]) -> None:
    first(lines, "moves-retracted", by="undo")["event"]["reason"] = "The organizer wished it."


def undo_of_another(lines: list[Line]) -> None:
    first(lines, "moves-retracted", by="undo")["cause"]["player"] = "organizer"


def undo_of_nobody(lines: list[Line]) -> None:
    del first(lines, "moves-retracted", by="undo")["cause"]["player"]


def undo_told_as_ruling(lines: list[Line]) -> None:
    first(lines, "moves-retracted", by="undo")["event"]["by"] = "ruling"


def ruling_told_as_undo(lines: list[Line]) -> None:
    first(lines, "moves-retracted", by="ruling")["event"]["by"] = "undo"


def started_by_one_who_left(lines: list[Line]) -> None:
    """Somebody sat down, left, and starts the game of the others."""
    took = first(lines, "seat-taken", seat="blue")
    index = lines.index(took)
    sat = took | {"event": took["event"] | {"player": MALLORY}, "cause": took["cause"] | {"player": MALLORY}}
    left = took | {"event": {"seat": "blue", "type": "seat-left"}, "cause": sat["cause"]}
    lines[index:index] = [sat, left]
    first(lines, "game-started")["cause"]["player"] = MALLORY


def a_step_split_in_two(lines: list[Line]) -> None:
    """The second event of a command is told as what another command brought about."""
    for row in rows_of(lines):
        if "cause" in row and len(step := step_of(lines, row)) > 1 and "command" in row["cause"]:
            step[1]["cause"] = row["cause"]
            return


def two_steps_told_as_one(lines: list[Line]) -> None:
    del first(lines, "bidding-opened")["cause"]


def second_creation(lines: list[Line]) -> None:
    creation = rows_of(lines)[0]
    lines.insert(4, creation | {name: lines[4][name] for name in ("draws", "at")})


def seat_changes_hands(lines: list[Line]) -> None:
    """Among what followed from a roll somebody takes a seat, which nobody decides anew before the end."""
    hidden_among_what_follows(lines, {"entropy": "", "player": MALLORY, "seat": "blue", "type": "seat-taken"})


def creation_among_what_follows(lines: list[Line]) -> None:
    hidden_among_what_follows(lines, rows_of(lines)[0]["event"])


def over_and_going_on(lines: list[Line]) -> None:
    """The game ends, and something follows: so its last row publishes no secret that had to fit."""
    hidden_among_what_follows(
        lines, {"rule": "TA-END-01", "secret": "00" * 32, "type": "game-ended", "winners": ["red"]}, before=True
    )
    lines[-1]["end"]["status"] = "over"


def hidden_among_what_follows(lines: list[Line], event: dict[str, Any], *, before: bool = False) -> None:
    """Put an event behind the last event of a running game, or before it, as if it followed from the same act."""
    last = rows_of(lines)[-1]
    assert "cause" not in last
    index = lines.index(last) + (not before)
    lines.insert(index, {key: value for key, value in last.items() if key != "cause"} | {"event": event, "schema": 1})


def after_the_end(lines: list[Line]) -> None:
    last = rows_of(lines)[-1]
    taken = {"entropy": "", "player": MALLORY, "seat": "red", "type": "seat-taken"}
    cause = {"player": MALLORY, "seat": "red"}
    lines.insert(lines.index(last) + 1, last | {"event": taken, "schema": 1, "cause": cause})


def a_draw_of_others(lines: list[Line]) -> None:
    """A roll shows a draw that belongs to no event of its own, in a game whose dice nobody can draw again yet."""
    first(lines, "tie-rolled")["event"]["roll"]["draw"] += 100


def schema_of(kind: str, schema: int) -> Change:
    return lambda lines: first(lines, kind).update(schema=schema)


def sealed_command(lines: list[Line]) -> dict[str, Any]:
    row = next(row for row in rows_of(lines) if "sealed" in row.get("cause", {}).get("command", {}))
    return row["cause"]["command"]


def sealed_as(**fields: Any) -> Change:
    return lambda lines: sealed_command(lines).update(fields)


def sealed_for_another(lines: list[Line]) -> None:
    command = sealed_command(lines)
    command["sealed"]["readers"] = ["green" if command["sealed"]["readers"] != ["green"] else "red"]


def secrets_of(lines: list[Line]) -> list[Line]:
    return [line for line in lines if "secret" in line]


def one_secret_twice(lines: list[Line]) -> None:
    lines.insert(-1, secrets_of(lines)[-1])


def one_secret_less(lines: list[Line]) -> None:
    lines.remove(secrets_of(lines)[-1])


def secrets_in_another_order(lines: list[Line]) -> None:
    lines[-2], lines[-3] = lines[-3], lines[-2]


def one_secret_of_another(lines: list[Line]) -> None:
    """What red may read, and a card of blue."""
    everything = secrets_of(lines_of(playing().export(everything=True)))
    lines.insert(-1, next(line for line in everything if line["secret"]["readers"] == ["blue"]))


def secret_for_more(lines: list[Line]) -> None:
    secrets_of(lines)[0]["secret"]["readers"].append("yellow")


def opened_with_another_salt(lines: list[Line]) -> None:
    """A card is turned up under a salt in capitals, which says the same to a lenient reader."""
    card = first(lines, "cards-revealed")["event"]["bids"][0]["card"]
    card["salt"] = card["salt"].upper()


def secret_value(lines: list[Line]) -> None:
    secrets_of(lines)[0]["secret"]["value"] = 77


def sealed_anew(lines: list[Line]) -> None:
    """A hidden card is another one from the beginning, sealed under the same salt: only the shuffle knows better."""
    secret = next(line["secret"] for line in secrets_of(lines) if isinstance(line["secret"]["value"], int))
    old = secret["commitment"]
    secret["value"] = secret["value"] % 5 + 1
    new = commitment_of(bytes.fromhex(secret["salt"]), secret["value"])
    everywhere(old, new)(lines)


def too_large_a_number(lines: list[Line]) -> None:
    first(lines, "tie-rolled")["event"]["roll"]["draw"] = 2**53


def one_key(kind: str) -> Change:
    """Give an act and the one before it the same key: as if one request had brought about both."""

    def change(lines: list[Line]) -> None:
        row = first(lines, kind)
        before = next(row for row in reversed(rows_of(lines)[: row["version"] - 1]) if "cause" in row)
        for each in (row, before):
            each["cause"]["key"] = "ab" * 16

    return change


def header(**fields: Any) -> Change:
    return lambda lines: lines[0].update(fields)


def end(**fields: Any) -> Change:
    return lambda lines: lines[-1]["end"].update(fields)


def other_winner(lines: list[Line]) -> None:
    ended = first(lines, "game-ended")["event"]
    ended["winners"] = ["green"] if ended["winners"] != ["green"] else ["red"]


def draws_of_one(lines: list[Line]) -> None:
    first(lines, "bidding-opened")["draws"] += 1
    for later in rows_of(lines)[first(lines, "bidding-opened")["version"] :]:
        later["draws"] += 1


def draws_taken_back(lines: list[Line]) -> None:
    first(lines, "moves-retracted")["draws"] -= 1


ACCOUNTS: Final[list[tuple[str, str, Change, str]]] = [
    ("a ruling by a player", "over", ruled(player=RED), "is a ruling by player-red, who is not the organizer"),
    ("a ruling by a stranger", "over", ruled(player=MALLORY), "is a ruling by mallory, who is not the organizer"),
    ("a ruling by nobody", "over", ruled(player=None), "names no account"),
    ("a ruling for a seat", "over", ruled(seat="red"), "acts for the seat red; .* is for no seat"),
    (
        "a ruling with a command",
        "over",
        ruled(command={"to": 5, "type": "undo"}),
        "a ruling comes from none",
    ),
    ("a command by nobody", "over", caused("prize-put-up", player=None), "names no account"),
    ("a command by nobody, running", "running", caused("prize-put-up", player=None), "names no account"),
    ("a hidden command by nobody", "running", caused("card-chosen", player=None), "names no account"),
    ("a command by a stranger", "over", caused("prize-put-up", player=MALLORY), "mallory, who does not hold red"),
    ("a hidden command by a stranger", "running", caused("card-chosen", player=MALLORY), "who does not hold"),
    ("a command for no seat", "over", caused("prize-put-up", seat=None), "names no seat"),
    ("a command for another seat", "over", caused("prize-put-up", seat="blue"), "who does not hold blue"),
    ("an event without its command", "over", caused("prize-put-up", command=None), "no command"),
    ("a start by a stranger", "over", caused("game-started", player=MALLORY), "mallory, who neither organizes"),
    ("a start by a stranger, running", "running", caused("game-started", player=MALLORY), "who neither organizes"),
    ("a start by one who left", "running", started_by_one_who_left, "mallory, who neither organizes"),
    ("a start by nobody", "running", caused("game-started", player=None), "names no account"),
    ("a start for a seat", "over", caused("game-started", seat="red"), "acts for the seat red; .* is for no seat"),
    ("a start for a seat, running", "running", caused("game-started", seat="red"), "acts for the seat red"),
    ("a start by a command", "running", caused("game-started", command={"type": "start"}), "comes from none"),
    (
        "a seat taken for somebody",
        "gathering",
        caused("seat-taken", player=MALLORY),
        "by mallory, but seats player-red",
    ),
    ("a seat taken by nobody", "gathering", caused("seat-taken", player=None), "names no account"),
    ("a seat taken from another", "gathering", caused("seat-taken", seat="blue"), "acts for the seat blue"),
    ("a seat left by somebody else", "gathering", caused("seat-left", player=MALLORY), "who does not hold red"),
    ("a seat left by nobody", "gathering", caused("seat-left", player=None), "names no account"),
    ("a seat left from another", "gathering", caused("seat-left", seat="blue"), "acts for the seat blue"),
    ("an undo for a reason", "over", undo_for_a_reason, "undo .* gives a reason"),
    ("an undo by another", "over", undo_of_another, "organizer, who does not hold"),
    ("an undo by nobody", "over", undo_of_nobody, "names no account"),
    ("an undo told as a ruling", "over", undo_told_as_ruling, "acts for the seat"),
    ("a ruling told as an undo", "over", ruling_told_as_undo, "names no seat"),
    ("a creation by nobody", "gathering", caused("game-created", player=None), "names no account"),
    ("a creation by an empty name", "gathering", caused("game-created", player=""), "names no account"),
    (
        "a creation for a seat",
        "gathering",
        caused("game-created", seat="red"),
        "acts for the seat red; .* is for no seat",
    ),
    ("a key in clear", "gathering", caused("game-created", key="for Ann"), "The key .* is no digest"),
    ("one key for two requests", "over", one_key("bidding-opened"), "same key"),
]
TIMES: Final[list[tuple[str, str, Change, str]]] = [
    ("a time before the last", "over", at("bidding-opened", "2026-01-01T00:00:00.000001Z"), "earlier than"),
    ("a time before the last, running", "running", at("card-chosen", "2025-12-31T00:00:00.000000Z"), "earlier than"),
    ("a time within a step", "running", time_within_a_step, "another time"),
    ("a month 13", "over", at("game-created", "2026-13-01T00:00:00.000000Z"), NO_TIME),
    ("a 30 February", "over", at("game-created", "2026-02-30T00:00:00.000000Z"), NO_TIME),
    ("an hour 24", "gathering", at("game-created", "2025-01-01T24:00:00.000000Z"), NO_TIME),
    (
        "a time without microseconds",
        "gathering",
        at("game-created", "2025-01-01T00:00:00Z"),
        NO_TIME,
    ),
    ("milliseconds", "gathering", at("game-created", "2025-01-01T00:00:00.001Z"), NO_TIME),
    ("an hour of elsewhere", "gathering", at("game-created", "2025-01-01T00:00:00.000000+01:00"), NO_TIME),
    (
        "Arabic digits",
        "gathering",
        at("game-created", "٢٠٢٥-01-01T00:00:00.000000Z"),
        NO_TIME,
    ),
    ("a line break in a time", "gathering", at("game-created", "2025-01-01T00:00:00.000000Z\n"), NO_TIME),
]


def started_twice(lines: list[Line]) -> None:
    start = first(lines, "game-started")
    last = rows_of(lines)[-1]
    lines.insert(lines.index(last) + 1, start | {name: last[name] for name in ("draws", "at")})


def started_with_a_free_seat(lines: list[Line]) -> None:
    lines.remove(first(lines, "seat-taken", seat="green"))


EVENTS: Final[list[tuple[str, str, Change, str]]] = [
    ("a commitment that is none", "gathering", told("game-created", commitment="soon"), "commitment .* no SHA-256"),
    ("an organizer without a name", "gathering", told("game-created", organizer=""), "names no organizer"),
    ("another board", "gathering", told("game-created", board="sha256:" + "00" * 32), "another ruleset or board"),
    ("a fourth seat", "gathering", told("game-created", seats=["red", "blue", "green", "black"]), "is right"),
    ("another set-up", "gathering", told("game-created", setup={}), "is right"),
    ("an unknown set-up", "gathering", told("game-created", setup={"rounds": 9}), "cannot be decided anew"),
    ("two creations", "over", second_creation, "creates the game a second time"),
    ("a creation among what follows", "running", creation_among_what_follows, "game-created.* follows from nothing"),
    ("a seat that changes hands", "running", seat_changes_hands, "seat-taken.* follows from nothing"),
    ("something after the end", "over", after_the_end, "follows the end of the game"),
    ("something after the end, unproved", "running", over_and_going_on, "follows the end of the game"),
    ("a second start", "running", started_twice, "TAB-LIFE-02"),
    ("a start with a free seat", "running", started_with_a_free_seat, "still free: green"),
    ("a step split in two", "over", a_step_split_in_two, "is missing"),
    ("two steps told as one", "over", two_steps_told_as_one, "follows from nothing"),
    ("a schema of the future", "over", schema_of("bidding-opened", 7), "shape 7 of bidding-opened"),
    ("a schema of the future, folded", "running", schema_of("cards-revealed", 7), "shape 7 of cards-revealed"),
    ("a schema 0", "running", schema_of("seat-taken", 0), "shape 0 of seat-taken"),
    ("an unknown event", "running", told("cards-revealed", type="cards-burnt"), "cards-burnt"),
    ("an unknown field", "running", told("prize-taken", coins=3), "unknown field"),
    ("a winner", "over", other_winner, "is right"),
    ("a draw too many", "over", draws_of_one, "another cause, time or count of draws"),
    ("a draw taken back", "over", draws_taken_back, "counts fewer draws"),
    ("a draw of others", "running", a_draw_of_others, "shows draw .*, which is not one of its own"),
    ("too large a number", "running", too_large_a_number, "a number beyond 2\\^53 - 1"),
    ("a command that is none", "running", sealed_as(sealed={}), "is not of the known shape"),
    ("a hidden command of no kind", "running", sealed_as(type="put-up"), "put-up, which is not given face down"),
    ("a hidden command for another", "running", sealed_for_another, "sealed for"),
    ("a hidden command and more", "running", sealed_as(card=3), "is not of the known shape"),
    ("entropy changed afterwards", "over", told("seat-taken", entropy="mine"), "is right"),
]
REST: Final[list[tuple[str, str, Change, str]]] = [
    ("a secret twice", "red's", one_secret_twice, "stands twice"),
    ("a secret too few", "red's", one_secret_less, "secrets of no one reader"),
    ("a secret too few of all", "everybody's", one_secret_less, "secrets of no one reader"),
    ("a secret too many", "red's", one_secret_of_another, "secrets of no one reader"),
    ("a secret for more readers", "red's", secret_for_more, "no secret of .* for these readers"),
    ("a secret for more readers, over", "over", secret_for_more, "is not the one that was sealed"),
    ("a secret less, over", "over", one_secret_less, "was not published"),
    ("secrets in another order", "over", secrets_in_another_order, "is not the one that was sealed"),
    ("a secret of another value", "red's", secret_value, "does not fit its commitment"),
    ("a card sealed anew", "over", sealed_anew, "is right"),
    ("a salt in capitals", "running", opened_with_another_salt, "opens a secret"),
    ("a ruleset's other version", "over", header(ruleset_version=2), "another ruleset or board"),
    ("another ruleset", "over", header(ruleset="tiny-raffle"), "another ruleset or board"),
    ("another format", "over", header(format="tabularium-export/2"), "of the form"),
    ("a game with a line break", "gathering", game_named("game-5\n"), "not of the known shape"),
    ("a status", "gathering", end(status="running"), "it is gathering"),
    ("a status, over", "running", end(status="over"), "it is running"),
]
FORGERIES: Final = [*ACCOUNTS, *TIMES, *EVENTS, *REST]


@pytest.mark.parametrize(
    ("game", "change", "said"), [each[1:] for each in FORGERIES], ids=[each[0] for each in FORGERIES]
)
def test_a_forgery_is_refused_in_a_sentence_of_its_own(game: str, change: Change, said: str) -> None:
    export = forged(GAMES[game](), change)
    assert export != list(GAMES[game]())
    verdict = check(export)
    assert not verdict.ok
    assert re.search(said, verdict.problem), verdict.problem
    assert verdict.line is not None


SPOILED: Final[list[tuple[str, str, Change, str]]] = [
    ("a line break behind a hash", "running", line_break("hash"), "not of the known shape"),
    ("the head of another log", "running", end(head=genesis("x").hex()), "is not the hash of the last version"),  # type: ignore[arg-type]
    ("another last version", "running", end(version=3), "speaks of version 3"),
    ("another number of secrets", "running", end(secrets=3), "speaks of 3 secrets"),
]


@pytest.mark.parametrize(("game", "change", "said"), [each[1:] for each in SPOILED], ids=[each[0] for each in SPOILED])
def test_what_does_not_fit_the_chain_is_refused(game: str, change: Change, said: str) -> None:
    verdict = check(forged(GAMES[game](), nothing, change))
    assert not verdict.ok
    assert re.search(said, verdict.problem), verdict.problem


# --- what an export alone cannot show ---


def cut_off(lines: list[Line]) -> None:
    """Tell a game only as far as its last command."""
    last = max(row["version"] for row in rows_of(lines) if "cause" in row)
    lines[last:-1] = []


def much_later(lines: list[Line]) -> None:
    """The last act is told as one of ten years later."""
    last = max(row["version"] for row in rows_of(lines) if "cause" in row)
    for row in rows_of(lines)[last - 1 :]:
        row["at"] = "2036-01-01T00:00:00.000000Z"


def reason(lines: list[Line]) -> None:
    first(lines, "moves-retracted", by="ruling")["event"]["reason"] = "They asked for it."


def creator(lines: list[Line]) -> None:
    rows_of(lines)[0]["cause"]["player"] = MALLORY


UNDETECTABLE: Final[list[tuple[str, str, Change]]] = [
    ("who an account is", "over", everywhere(RED, MALLORY)),
    ("who created a game", "over", creator),
    ("when it was, all told alike", "over", everywhere("2026-01-01", "2027-12-31")),
    ("how long an act took", "over", much_later),
    ("what followed", "running", cut_off),
    ("the organizer's reasons", "over", reason),
    ("what a seat added to the dice, until the end", "running", told("seat-taken", entropy="mine")),
    ("the commitment to the dice, until the end", "running", told("game-created", commitment="ab" * 32)),
]


@pytest.mark.parametrize(
    ("game", "change"), [each[1:] for each in UNDETECTABLE], ids=[each[0] for each in UNDETECTABLE]
)
def test_what_an_export_alone_cannot_show_still_verifies(game: str, change: Change) -> None:
    export = forged(GAMES[game](), change)
    assert export != list(GAMES[game]())
    assert check(export).ok
