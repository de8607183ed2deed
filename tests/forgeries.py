"""What a service that lies could write: exports forged with a sound chain, and the sentence that each is refused with.

`openapi/verification.md` lists every field of an export with what is checked of it; here is a forgery of each, and at
the end those that nobody can find in an export alone. `python -m tests.forgeries` prints what `verify` says of all.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from random import Random
from typing import Any, Final

from msgspec import Struct

from domain.kernel.chance.secret import commitment_of
from domain.kernel.ids import PlayerId, Seat
from domain.kernel.proof.verify import Verdict, verify
from domain.kernel.rules.ruleset import Library
from tests.helpers.forger import Change, Line, forged, lines_of, rows, rows_of, step_of
from tests.helpers.play import CASE, OFFICIAL, Play, player_of
from tests.tiny.auction import ROOM, TinyAuction
from tests.tiny.corrected import Corrected

LIBRARY: Final = Library([Corrected()])
MALLORY: Final = "mallory"
RED: Final = "player-red"
NO_TIME: Final = "expected a time in UTC with microseconds"


def nothing(lines: list[Line]) -> None:
    """Change nothing."""


class Forgery(Struct, frozen=True):
    """A change of an honest game's export.

    Attributes:
        game: which of `GAMES`.
        change: what the forger changes before the chain is made good.
        said: what the verdict must match.
        page: what the page must say, where it says something else; None when only the rules can tell.
        afterwards: what is changed when the chain is made.
    """

    name: str
    game: str
    change: Change
    said: str = ""
    page: str | None = ""
    afterwards: Change = nothing

    def export(self) -> list[bytes]:
        lines = forged(GAMES[self.game](), self.change, self.afterwards)
        assert lines != list(GAMES[self.game]()), f"{self.name} forges nothing"
        return lines

    def __str__(self) -> str:
        return self.name


def check(lines: list[bytes]) -> Verdict:
    return verify(lines, LIBRARY)


# --- honest games ---


def seated(seed: int) -> Play:
    """A game before its start: red sat down, left, and sat down again."""
    play = Play(TinyAuction(), ROOM, 3, seed, start=False)
    for seat in play.game.players:
        play.sit(seat, player(seat), f"entropy of {seat}", key="0a" * 16)
    play.leave(Seat("red"), player(Seat("red")))
    play.sit(Seat("red"), player(Seat("red")))
    return play


def player(seat: Seat) -> Any:
    return f"player-{seat}"


def cancelled() -> tuple[bytes, ...]:
    play = seated(5)
    play.name_official()
    play.cancel()
    return tuple(play.export())


@cache
def finished() -> Play:
    """A whole game, with an undo and a ruling in it."""
    play = Play(TinyAuction(), ROOM, 3, 3)
    auctioneer = play.waiting[0]
    play.command(auctioneer, {"type": "put-up", "coins": 1})
    play.undo(auctioneer, play.game.undo_to[0])
    play.command(auctioneer, {"type": "put-up", "coins": 2})
    play.rule(play.game.version - 1)
    play.run(Random(3))
    assert play.game.status == "over"
    return play


@cache
def over() -> tuple[bytes, ...]:
    return tuple(finished().export())


@cache
def playing() -> Play:
    """A game that goes on after a round: what needed the secret can only be folded by its readers."""
    play = Play(TinyAuction(), ROOM, 3, 4)
    while not play.game.table or play.game.table.round < 3:  # type: ignore[attr-defined]
        play.step(Random(4))
    return play


@cache
def moved() -> tuple[bytes, ...]:
    """A game that its organizer moved to the second version of its ruleset."""
    play = Play(Corrected(1), ROOM, 2, 6)
    play.command(play.waiting[0], {"type": "put-up", "coins": 2})
    play.upgrade(2)
    play.command(play.waiting[0], {"type": "put-up", "coins": 1})
    return tuple(play.export())


@cache
def judged() -> Play:
    """A game with officials: judged and released, paused and resumed, with moves taken back by ruling and consent."""
    play = Play(TinyAuction(), ROOM, 3, 8)
    red, other, third = play.waiting[0], *(seat for seat in play.game.players if seat != play.waiting[0])
    play.name_official()
    play.name_official(PlayerId("steward"))
    to = play.game.version
    play.command(red, {"type": "put-up", "coins": 1})
    play.rule_pause("the dice fell off the table")
    play.rule_back(to, "they did")
    play.rule_resume()
    to = play.game.version
    play.command(red, {"type": "put-up", "coins": 2})
    play.ask_take_back(red, to)
    asked = play.game.version
    play.answer_take_back(other, asked)
    play.release_official(PlayerId("steward"))
    play.answer_take_back(third, asked)
    to = play.game.version
    play.command(red, {"type": "put-up", "coins": 1})
    play.ask_take_back(red, to)
    play.answer_take_back(other, play.game.version, agrees=False)
    return play


@cache
def adjudicated() -> tuple[bytes, ...]:
    play = judged().at(judged().game.version)
    first, *others = play.game.players
    play.rule_result([others, [first]], "two against one")
    return tuple(play.export())


@cache
def answering() -> Play:
    """A game with answers left in advance: red's is given at once, green's is revoked, another of his is given."""
    play = Play(Corrected(1), ROOM, 3, 3)
    red, green, blue = play.waiting[0], *(seat for seat in play.game.players if seat != play.waiting[0])
    play.leave_answer(red, _answer("put-up-prize", {"type": "put-up", "coins": 1}) | {"until": "once"})
    play.leave_answer(blue, _answer("put-up-prize", {"type": "put-up", "coins": 1}))
    revoked = play.leave_answer(green, _bid(play, green)).game.version
    play.revoke_answer(green, revoked)
    play.leave_answer(green, _bid(play, green))
    play.command(red, {"type": "put-up", "coins": 1})
    play.command(red, {"type": "open-bidding"})
    return play


def _answer(decision: str, command: Any) -> dict[str, Any]:
    return {"decision": decision, "command": command}


def _bid(play: Play, seat: Seat) -> dict[str, Any]:
    hand: Any = play.game.table.hands[seat]  # type: ignore[union-attr]
    return _answer("choose-card", {"type": "choose-card", "card": min(map(play.vault.open, hand))})


@cache
def answered() -> tuple[bytes, ...]:
    play = answering().at(answering().game.version)
    return tuple(play.run(Random(3)).export())


def running() -> tuple[bytes, ...]:
    return tuple(playing().export())


def gathering() -> tuple[bytes, ...]:
    return tuple(seated(5).export())


def handed_over() -> tuple[bytes, ...]:
    """A game in which a seat was given up and taken over, twice, and an official was named."""
    play = Play(TinyAuction(), ROOM, 3, 9)
    play.name_official()
    rng = Random(9)
    for player in ("first", "second"):
        play.run(rng, 3)
        play.give_up(Seat("red"))
        play.run(rng, 2)
        play.take_over(Seat("red"), PlayerId(player))
    return tuple(play.run(rng).export())


GAMES: Final[Mapping[str, Callable[[], tuple[bytes, ...]]]] = {
    "over": over,
    "running": running,
    "red's": lambda: tuple(playing().export(Seat("red"))),
    "everybody's": lambda: tuple(playing().export(everything=True)),
    "gathering": gathering,
    "moved": moved,
    "answering": lambda: tuple(answering().export()),
    "answered": answered,
    "judged": lambda: tuple(judged().export()),
    "adjudicated": adjudicated,
    "handed over": handed_over,
    "cancelled": cancelled,
}


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


def created_in_shape_1(lines: list[Line]) -> None:
    """The first event has the shape in which organizers saw everything, and says besides that this one does not."""
    rows_of(lines)[0]["schema"] = 1


ACCOUNTS: Final = (
    Forgery("a ruling by a player", "over", ruled(player=RED), "is a ruling by player-red, who is not the organizer"),
    Forgery(
        "a ruling by a stranger", "over", ruled(player=MALLORY), "is a ruling by mallory, who is not the organizer"
    ),
    Forgery("a ruling by nobody", "over", ruled(player=None), "names no account"),
    Forgery("a ruling for a seat", "over", ruled(seat="red"), "acts for the seat red; .* is for no seat"),
    Forgery(
        "a ruling with a command",
        "over",
        ruled(command={"to": 5, "type": "undo"}),
        "a ruling comes from none",
    ),
    Forgery("a command by nobody", "over", caused("prize-put-up", player=None), "names no account"),
    Forgery("a command by nobody, running", "running", caused("prize-put-up", player=None), "names no account"),
    Forgery("a hidden command by nobody", "running", caused("card-chosen", player=None), "names no account"),
    Forgery(
        "a command by a stranger", "over", caused("prize-put-up", player=MALLORY), "mallory, who does not hold red"
    ),
    Forgery("a hidden command by a stranger", "running", caused("card-chosen", player=MALLORY), "who does not hold"),
    Forgery("a command for no seat", "over", caused("prize-put-up", seat=None), "names no seat"),
    Forgery("a command for another seat", "over", caused("prize-put-up", seat="blue"), "who does not hold blue"),
    Forgery("an event without its command", "over", caused("prize-put-up", command=None), "no command"),
    Forgery("a start by a stranger", "over", caused("game-started", player=MALLORY), "mallory, who neither organizes"),
    Forgery(
        "a start by a stranger, running", "running", caused("game-started", player=MALLORY), "who neither organizes"
    ),
    Forgery("a start by one who left", "running", started_by_one_who_left, "mallory, who neither organizes"),
    Forgery("a start by nobody", "running", caused("game-started", player=None), "names no account"),
    Forgery(
        "a start for a seat", "over", caused("game-started", seat="red"), "acts for the seat red; .* is for no seat"
    ),
    Forgery("a start for a seat, running", "running", caused("game-started", seat="red"), "acts for the seat red"),
    Forgery("a start by a command", "running", caused("game-started", command={"type": "start"}), "comes from none"),
    Forgery(
        "a seat taken for somebody",
        "gathering",
        caused("seat-taken", player=MALLORY),
        "by mallory, but seats player-red",
    ),
    Forgery("a seat taken by nobody", "gathering", caused("seat-taken", player=None), "names no account"),
    Forgery("a seat taken from another", "gathering", caused("seat-taken", seat="blue"), "acts for the seat blue"),
    Forgery("a seat left by somebody else", "gathering", caused("seat-left", player=MALLORY), "who does not hold red"),
    Forgery("a seat left by nobody", "gathering", caused("seat-left", player=None), "names no account"),
    Forgery("a seat left from another", "gathering", caused("seat-left", seat="blue"), "acts for the seat blue"),
    Forgery("an undo for a reason", "over", undo_for_a_reason, "undo .* gives a reason"),
    Forgery("an undo by another", "over", undo_of_another, "organizer, who does not hold"),
    Forgery("an undo by nobody", "over", undo_of_nobody, "names no account"),
    Forgery("an undo told as a ruling", "over", undo_told_as_ruling, "acts for the seat"),
    Forgery("a ruling told as an undo", "over", ruling_told_as_undo, "names no seat"),
    Forgery("a creation by nobody", "gathering", caused("game-created", player=None), "names no account"),
    Forgery("a creation by an empty name", "gathering", caused("game-created", player=""), "names no account"),
    Forgery(
        "a creation for a seat",
        "gathering",
        caused("game-created", seat="red"),
        "acts for the seat red; .* is for no seat",
    ),
    Forgery("a move by a player", "moved", caused("rules-upgraded", player=RED), "move to newer rules by player-red"),
    Forgery("a move by nobody", "moved", caused("rules-upgraded", player=None), "names no account"),
    Forgery("a move for a seat", "moved", caused("rules-upgraded", seat="red"), "acts for the seat red"),
    Forgery("a key in clear", "gathering", caused("game-created", key="for Ann"), "has a key that is not a digest"),
    Forgery("one key for two requests", "over", one_key("bidding-opened"), "same key"),
)
TIMES: Final = (
    Forgery("a time before the last", "over", at("bidding-opened", "2026-01-01T00:00:00.000001Z"), "earlier than"),
    Forgery(
        "a time before the last, running", "running", at("card-chosen", "2025-12-31T00:00:00.000000Z"), "earlier than"
    ),
    Forgery("a time within a step", "running", time_within_a_step, "another time"),
    Forgery("a month 13", "over", at("game-created", "2026-13-01T00:00:00.000000Z"), NO_TIME),
    Forgery("a 30 February", "over", at("game-created", "2026-02-30T00:00:00.000000Z"), NO_TIME),
    Forgery("an hour 24", "gathering", at("game-created", "2025-01-01T24:00:00.000000Z"), NO_TIME),
    Forgery(
        "a time without microseconds",
        "gathering",
        at("game-created", "2025-01-01T00:00:00Z"),
        NO_TIME,
    ),
    Forgery("milliseconds", "gathering", at("game-created", "2025-01-01T00:00:00.001Z"), NO_TIME),
    Forgery("an hour of elsewhere", "gathering", at("game-created", "2025-01-01T00:00:00.000000+01:00"), NO_TIME),
    Forgery(
        "Arabic digits",
        "gathering",
        at("game-created", "٢٠٢٥-01-01T00:00:00.000000Z"),
        NO_TIME,
    ),
    Forgery(
        "a line break in a time",
        "gathering",
        at("game-created", "2025-01-01T00:00:00.000000Z\n"),
        NO_TIME,
        page="does not continue the chain",
    ),
)


def started_twice(lines: list[Line]) -> None:
    start = first(lines, "game-started")
    last = rows_of(lines)[-1]
    lines.insert(lines.index(last) + 1, start | {name: last[name] for name in ("draws", "at")})


def started_with_a_free_seat(lines: list[Line]) -> None:
    lines.remove(first(lines, "seat-taken", seat="green"))


EVENTS: Final = (
    Forgery(
        "a commitment that is none",
        "gathering",
        told("game-created", commitment="soon"),
        "commitment .* no SHA-256",
        page="a commitment that is no SHA-256",
    ),
    Forgery("an organizer without a name", "gathering", told("game-created", organizer=""), "names no organizer"),
    Forgery(
        "another board", "gathering", told("game-created", board="sha256:" + "00" * 32), "another ruleset or board"
    ),
    Forgery(
        "a fourth seat",
        "gathering",
        told("game-created", seats=["red", "blue", "green", "black"]),
        "is right",
        page=None,
    ),
    Forgery("another set-up", "gathering", told("game-created", setup={}), "is right", page=None),
    Forgery(
        "an unknown set-up",
        "gathering",
        told("game-created", setup={"rounds": 9}),
        "cannot be decided again",
        page=None,
    ),
    Forgery("a shape with a field of later", "gathering", created_in_shape_1, "unknown field", page=None),
    Forgery(
        "a move from other rules",
        "moved",
        told("rules-upgraded", **{"from": 3}),
        "from version 3 of the rules",
        page=None,
    ),
    Forgery("a move to rules that do not exist", "moved", told("rules-upgraded", to=7), "TAB-RULES-01", page=None),
    Forgery("two creations", "over", second_creation, "creates the game a second time"),
    Forgery(
        "a creation among what follows", "running", creation_among_what_follows, "game-created.* follows from nothing"
    ),
    Forgery("a seat that changes hands", "running", seat_changes_hands, "seat-taken.* follows from nothing"),
    Forgery("something after the end", "over", after_the_end, "follows the end of the game"),
    Forgery("something after the end, unproved", "running", over_and_going_on, "follows the end of the game"),
    Forgery("a second start", "running", started_twice, "TAB-LIFE-02", page="the game had begun"),
    Forgery(
        "a start with a free seat", "running", started_with_a_free_seat, "still free: green", page="while green is free"
    ),
    Forgery("a step split in two", "over", a_step_split_in_two, "is missing", page=None),
    Forgery(
        "two steps told as one", "over", two_steps_told_as_one, "follows from nothing", page="another time than the act"
    ),
    Forgery("a schema of the future", "over", schema_of("bidding-opened", 7), "shape 7 of bidding-opened", page=None),
    Forgery(
        "a schema of the future, folded",
        "running",
        schema_of("cards-revealed", 7),
        "shape 7 of cards-revealed",
        page=None,
    ),
    Forgery("a schema 0", "running", schema_of("seat-taken", 0), "shape 0 of seat-taken", page=None),
    Forgery("an unknown event", "running", told("cards-revealed", type="cards-burnt"), "cards-burnt", page=None),
    Forgery("an unknown field", "running", told("prize-taken", coins=3), "unknown field", page=None),
    Forgery("a winner", "over", other_winner, "is right", page=None),
    Forgery("a draw too many", "over", draws_of_one, "another cause, time or count of draws", page=None),
    Forgery("a draw taken back", "over", draws_taken_back, "counts fewer draws"),
    Forgery("a draw of others", "running", a_draw_of_others, "shows draw .*, which is not one of its own", page=None),
    Forgery(
        "too large a number",
        "running",
        too_large_a_number,
        "a number beyond 2\\^53 - 1",
        page="not a whole number that all programs read exactly",
    ),
    Forgery(
        "a command that is none",
        "running",
        sealed_as(sealed={}),
        "is not of the known shape",
        page="seals a command in an unknown shape",
    ),
    Forgery(
        "a hidden command of no kind",
        "running",
        sealed_as(type="put-up"),
        "put-up, which must not be sealed",
        page=None,
    ),
    Forgery("a hidden command for another", "running", sealed_for_another, "sealed for", page="seals a command for"),
    Forgery(
        "a hidden command and more",
        "running",
        sealed_as(card=3),
        "is not of the known shape",
        page="seals a command in an unknown shape",
    ),
    Forgery("entropy changed afterwards", "over", told("seat-taken", entropy="mine"), "is right", page=None),
)
REST: Final = (
    Forgery("a secret twice", "red's", one_secret_twice, "appears twice", page="has no secret of"),
    Forgery("a secret too few", "red's", one_secret_less, "not those of one reader"),
    Forgery("a secret too few of all", "everybody's", one_secret_less, "not those of one reader"),
    Forgery("a secret too many", "red's", one_secret_of_another, "not those of one reader"),
    Forgery(
        "a secret for more readers",
        "red's",
        secret_for_more,
        "no secret of .* for these readers",
        page="has no secret of",
    ),
    Forgery(
        "a secret for more readers, over",
        "over",
        secret_for_more,
        "is not the one that was sealed",
        page="has no secret of",
    ),
    Forgery("a secret less, over", "over", one_secret_less, "was not published"),
    Forgery("secrets in another order", "over", secrets_in_another_order, "is not the one that was sealed", page=None),
    Forgery("a secret of another value", "red's", secret_value, "does not fit its commitment"),
    Forgery("a card sealed anew", "over", sealed_anew, "is right", page="opens a secret that does not fit"),
    Forgery("a salt in capitals", "running", opened_with_another_salt, "opens a secret"),
    Forgery("a ruleset's other version", "over", header(ruleset_version=2), "another ruleset or board"),
    Forgery("another ruleset", "over", header(ruleset="tiny-raffle"), "another ruleset or board"),
    Forgery("another format", "over", header(format="tabularium-export/2"), "of the form"),
    Forgery(
        "a game with a line break",
        "gathering",
        game_named("game-5\n"),
        "not of the known shape",
        page="does not continue the chain",
    ),
    Forgery("a status", "gathering", end(status="running"), "it is gathering", page="expected gathering"),
    Forgery("a status, over", "running", end(status="over"), "it is running", page="expected running"),
)
SPOILED: Final = (
    Forgery(
        "a line break behind a hash",
        "running",
        nothing,
        "not of the known shape",
        afterwards=line_break("hash"),
        page="hash of version 3 is not 64 hex digits",
    ),
    Forgery(
        "the head of another log",
        "running",
        nothing,
        "not the hash of the last version",
        afterwards=end(head="ab" * 32),
        page="last line has head",
    ),
    Forgery(
        "another last version",
        "running",
        nothing,
        "names version 3",
        afterwards=end(version=3),
        page="last line has version 3",
    ),
    Forgery(
        "another number of secrets",
        "running",
        nothing,
        "names 3 secrets",
        afterwards=end(secrets=3),
        page="last line has secrets 3",
    ),
)


def about(kind: str, index: int) -> Change:
    """Let the first event of a type be about the answer that was left as the n-th."""
    return lambda lines: first(lines, kind)["event"].update(left=rows(lines, "answer-left")[index]["version"])


def never_left(lines: list[Line]) -> None:
    first(lines, "answer-given")["event"]["left"] = 2


def another_answer(lines: list[Line]) -> None:
    """The answer that is given has another content, and so has what comes of it."""
    given = first(lines, "answer-given")
    given["cause"]["command"]["coins"] = 2
    step_of(lines, given)[1]["event"]["coins"] = 2


def another_decision(lines: list[Line]) -> None:
    """The answer that is given was left to another kind of decision, from the beginning."""
    old = first(lines, "answer-left")["event"]["answer"]["commitment"]
    secret = next(line["secret"] for line in secrets_of(lines) if line["secret"]["commitment"] == old)
    secret["value"]["decision"] = "choose-card"
    everywhere(old, commitment_of(bytes.fromhex(secret["salt"]), secret["value"]))(lines)


def told_as_given_by_hand(lines: list[Line]) -> None:
    given = first(lines, "answer-given")
    step_of(lines, given)[1]["cause"] = given["cause"]
    lines.remove(given)


def given_by_hand_told_as_left(lines: list[Line]) -> None:
    """What red put up by hand is told as if their answer was given again."""
    row = rows(lines, "prize-put-up")[1]
    left = rows(lines, "answer-left")[0]
    event = {"left": left["version"], "seat": left["event"]["seat"], "type": "answer-given"}
    lines.insert(lines.index(row), row | {"event": event, "at": rows_of(lines)[row["version"] - 2]["at"], "schema": 1})
    row["at"] = rows_of(lines)[row["version"] - 2]["at"]
    del row["cause"]


def given_after_revoked(lines: list[Line]) -> None:
    rows(lines, "answer-given")[1]["event"]["left"] = first(lines, "answer-revoked")["event"]["left"]


def given_later(lines: list[Line]) -> None:
    """An answer is given a moment after what called for it, and so is all that follows."""
    given = rows(lines, "answer-given")[1]
    for row in rows_of(lines)[given["version"] - 1 :]:
        row["at"] = row["at"].replace("2026", "2027")


def sealed_for_all(lines: list[Line]) -> None:
    first(lines, "answer-left")["event"]["answer"]["readers"] = ["blue", "green", "red"]


LEFT: Final = (
    ("an answer never left", never_left, "where .* has none"),
    ("the answer of another", about("answer-given", 1), "where .* has none"),
    ("an answer after it was revoked", given_after_revoked, "where .* has none"),
    ("the revoking of another's answer", about("answer-revoked", 1), "where .* has none"),
    ("an answer left by another", caused("answer-left", player=MALLORY), "mallory, who does not hold"),
    ("an answer left for no seat", caused("answer-left", seat=None), "names no seat"),
    ("an answer left for another seat", told("answer-left", seat="green"), "but is about green"),
    ("an answer revoked by another", caused("answer-revoked", player=MALLORY), "who does not hold"),
    ("an answer given for another", caused("answer-given", player=MALLORY), "who does not hold"),
    ("an answer given without a command", caused("answer-given", command=None), "no command"),
    ("an answer given later", given_later, "gives an answer .* later than it was called for"),
    ("an answer sealed for all", sealed_for_all, "seals an answer for blue, green, red"),
)
ANSWERS: Final = (
    *(Forgery(name, "answered", change, said) for name, change, said in LEFT),
    *(Forgery(f"{name}, running", "answering", change, said) for name, change, said in LEFT),
    Forgery("an answer of another content", "answered", another_answer, "is not this one", page=None),
    Forgery("an answer to something else", "answered", another_decision, "TAB-ADV-01", page=None),
    Forgery("an answer left out", "answered", told_as_given_by_hand, "was not given", page="where .* has none"),
    Forgery("an answer given once more", "answered", given_by_hand_told_as_left, "not given now", page=None),
)
# --- officials, rulings and consents ---


def acted(event: dict[str, Any], **cause: Any) -> Change:
    """Let something more happen at the end of a running game."""

    def change(lines: list[Line]) -> None:
        last = rows_of(lines)[-1]
        row = {**last, "event": event, "cause": cause, "schema": 1}
        lines.insert(lines.index(last) + 1, row)

    return change


def by_official(kind: str, **fields: Any) -> Change:
    return acted({"type": kind, **fields}, player=str(OFFICIAL), case=str(CASE))


def by_organizer(kind: str, player: str) -> Change:
    return acted({"type": kind, "player": player}, player="organizer")


def by_seat(kind: str, seat: str, **fields: Any) -> Change:
    return acted({"type": kind, "seat": seat, **fields}, player=player(Seat(seat)), seat=seat)


def taken_out(kind: str, **fields: Any) -> Change:
    """Take out the first event of a type."""
    return lambda lines: lines.remove(first(lines, kind, **fields))


def consent_without_the_last_answer(lines: list[Line]) -> None:
    """The game goes back though one seat has not answered."""
    answers = rows(lines, "take-back-answered")
    back = first(lines, "moves-retracted", by="consent")
    lines.remove(answers[1])
    lines.remove(back)
    back["at"] = answers[0]["at"]
    lines.insert(lines.index(answers[0]) + 1, back)


def consent_to_a_ruling(lines: list[Line]) -> None:
    """What all agreed to is told as a ruling of the organizer's."""
    row = first(lines, "moves-retracted", by="consent")
    row["event"]["by"], row["cause"] = "ruling", {"player": "organizer"}


def without_the_answer(lines: list[Line]) -> None:
    lines.remove(first(lines, "moves-retracted", by="consent"))


def official_who_played(lines: list[Line]) -> None:
    """Somebody who had a seat and left it is named an official."""
    took = first(lines, "seat-taken", seat="blue")
    index = lines.index(took)
    sat = took | {"event": took["event"] | {"player": MALLORY}, "cause": took["cause"] | {"player": MALLORY}}
    left = took | {"event": {"seat": "blue", "type": "seat-left"}, "cause": sat["cause"]}
    lines[index:index] = [sat, left]
    first(lines, "official-named", player="steward")["event"]["player"] = MALLORY
    first(lines, "official-released")["event"]["player"] = MALLORY


def official_takes_a_seat(lines: list[Line]) -> None:
    """Who was named before the start sits down."""
    took = first(lines, "seat-taken", seat="blue")
    named = first(lines, "official-named", player=str(OFFICIAL))
    lines.remove(named)
    row = took | {"event": {"player": player(Seat("blue")), "type": "official-named"}, "cause": {"player": "organizer"}}
    lines.insert(lines.index(took), row)


def won_by_another(lines: list[Line]) -> None:
    rows(lines, "game-ended")[0]["event"]["winners"] = ["red"]


def ended_without_a_ruling(lines: list[Line]) -> None:
    """The rules are said to have ended what a ruling ended."""
    rows(lines, "game-ended")[0]["event"]["rule"] = "TA-END-01"


RUL: Final = "TAB-RUL-01"
NOT_SO: Final = "is not what follows from the rules"
JUDGED: Final = (
    Forgery("an official named by a player", "judged", caused("official-named", player=RED), "is not the organizer"),
    Forgery(
        "an official released by another", "judged", caused("official-released", player=str(OFFICIAL)), "organizer"
    ),
    Forgery("an official named for a seat", "judged", caused("official-named", seat="red"), "is for no seat"),
    Forgery("an official who plays", "judged", by_organizer("official-named", RED), RUL, "who has or had a seat"),
    Forgery("an official who played", "judged", official_who_played, RUL, "who has or had a seat"),
    Forgery("an official who sits down", "judged", official_takes_a_seat, RUL, "who is or was an official"),
    Forgery("an official twice", "judged", by_organizer("official-named", str(OFFICIAL)), RUL, "a second time"),
    Forgery(
        "the release of a stranger", "judged", by_organizer("official-released", MALLORY), RUL, "who is no official"
    ),
    Forgery("a ruling of a stranger's", "judged", ruled(player=MALLORY), "who is no official"),
    Forgery("a ruling of the organizer's on a case", "judged", ruled(player="organizer"), "who is no official"),
    Forgery("a ruling of an official's without a case", "judged", ruled(case=None), "who is not the organizer"),
    Forgery("a ruling on what is no case", "judged", ruled(case="g4xq2m7ahbk3oxw7c"), "names no case"),
    Forgery(
        "a ruling of one who was released",
        "judged",
        acted({"type": "game-paused", "reason": "again"}, player="steward", case=str(CASE)),
        "who is no official",
    ),
    Forgery(
        "a ruling for no reason", "judged", told("moves-retracted", reason=""), "TAB-RUL-02", "gives a reason that"
    ),
    Forgery("a pause for no reason", "judged", told("game-paused", reason="a\nb"), "TAB-RUL-02", "gives a reason that"),
    Forgery("a pause without a case", "judged", caused("game-paused", case=None), "names no case"),
    Forgery("a command on a case", "judged", caused("prize-put-up", case=str(CASE)), "carries out no ruling"),
    Forgery("a command during a pause", "judged", taken_out("game-resumed"), "TAB-RUL-03", "the game was paused"),
    Forgery("the end of no pause", "judged", by_official("game-resumed"), "TAB-RUL-03", "the game was not paused"),
    Forgery(
        "a way back to nowhere", "judged", told("moves-retracted", to="start"), "is not of the known shape", page="goes"
    ),
    Forgery(
        "a request of nowhere", "judged", told("take-back-asked", to="start"), "is not of the known shape", page="asks"
    ),
    Forgery("a request of another's", "judged", caused("take-back-asked", player=MALLORY), "who does not hold"),
    Forgery("a request for another seat", "judged", caused("take-back-asked", seat="green"), "but is about"),
    Forgery(
        "a request of too much", "judged", told("take-back-asked", to=2), "TAB-UNDO-04", "after which no command of"
    ),
    Forgery("an answer of another's", "judged", caused("take-back-answered", player=MALLORY), "who does not hold"),
    Forgery("an answer to nothing", "judged", told("take-back-answered", asked=2), "TAB-UNDO-05", "where none is open"),
    Forgery("an answer not asked for", "judged", taken_out("take-back-answered"), NOT_SO, page="asks to go back"),
    Forgery(
        "a refusal told as consent",
        "judged",
        told("take-back-answered", agrees=False),
        "TAB-UNDO-05|" + NOT_SO,
        "where none is open",
    ),
    Forgery("a consent without an answer", "judged", consent_without_the_last_answer, NOT_SO, page="asks to go back"),
    Forgery(
        "a consent that is not heeded", "judged", without_the_answer, "moves-retracted is missing", "the last consent"
    ),
    Forgery(
        "a consent told as a ruling", "judged", consent_to_a_ruling, "moves-retracted is missing|" + NOT_SO, page=None
    ),
    Forgery(
        "a consent to another version",
        "judged",
        lambda lines: first(lines, "moves-retracted", by="consent")["event"].update(to=2),
        NOT_SO + "|KeyError",
        "moves-retracted follows from nothing",
    ),
    Forgery(
        "a consent of nobody's",
        "judged",
        acted({"type": "moves-retracted", "by": "consent", "reason": "", "to": 5}, player=RED, seat="red"),
        "moves-retracted follows from nothing",
    ),
    Forgery("another winner", "adjudicated", won_by_another, NOT_SO, "does not end the game as it says"),
    Forgery(
        "another order",
        "adjudicated",
        told("game-adjudicated", order=[["red"], ["green"]]),
        "TAB-RUL-04",
        "does not name each seat",
    ),
    Forgery(
        "a seat twice in the order",
        "adjudicated",
        told("game-adjudicated", order=[["red", "red"], ["green"], ["blue"]]),
        "TAB-RUL-04",
        "does not name each seat",
    ),
    Forgery(
        "a result of a stranger's", "adjudicated", caused("game-adjudicated", player=MALLORY), "who is no official"
    ),
    Forgery("a result without a case", "adjudicated", caused("game-adjudicated", case=None), "names no case"),
    Forgery(
        "an end by rules that did not end it", "adjudicated", ended_without_a_ruling, NOT_SO, "does not end the game"
    ),
    Forgery("an end without a ruling", "adjudicated", taken_out("game-adjudicated"), NOT_SO, "follows from nothing"),
)


def taken_over_by(player: str) -> Change:
    """Let another account take over the seat."""

    def change(lines: list[Line]) -> None:
        row = first(lines, "seat-taken-over")
        row["event"]["player"] = row["cause"]["player"] = player

    return change


def given_up_again(lines: list[Line]) -> None:
    row = first(lines, "seat-given-up")
    lines.insert(lines.index(row), row | {})


LIFE: Final = "TAB-LIFE-05"
HANDED_OVER: Final = (
    Forgery(
        "a seat taken over unasked", "handed over", taken_out("seat-given-up"), LIFE, "red, which was not given up"
    ),
    Forgery("a seat given up by a stranger", "handed over", caused("seat-given-up", player=MALLORY), "does not hold"),
    Forgery("a seat given up twice", "handed over", given_up_again, LIFE, "gives up red a second time"),
    Forgery(
        "a seat taken over for another", "handed over", caused("seat-taken-over", player=MALLORY), "but seats first"
    ),
    Forgery(
        "two seats for one", "handed over", taken_over_by(str(player_of(Seat("blue")))), "TAB-LIFE-03", "a second time"
    ),
    Forgery("a seat for an official", "handed over", taken_over_by(str(OFFICIAL)), RUL, "who is or was an official"),
    Forgery("a seat that never changed hands", "handed over", taken_out("seat-taken-over"), "who does not hold red"),
)

FORGERIES: Final = (*ACCOUNTS, *TIMES, *EVENTS, *REST, *SPOILED, *ANSWERS, *JUDGED, *HANDED_OVER)

UNDETECTABLE: Final = (
    Forgery("who an account is", "over", everywhere(RED, MALLORY)),
    Forgery("who created a game", "over", creator),
    Forgery("when it was, all told alike", "over", everywhere("2026-01-01", "2027-12-31")),
    Forgery("how long an act took", "over", much_later),
    Forgery("what followed", "running", cut_off),
    Forgery("the organizer's reasons", "over", reason),
    Forgery("what a seat added to the dice, until the end", "running", told("seat-taken", entropy="mine")),
    Forgery("the commitment to the dice, until the end", "running", told("game-created", commitment="ab" * 32)),
)
"""What an export alone cannot show: these verify, and the reader is told so."""


def main() -> None:
    for forgery in (*FORGERIES, *UNDETECTABLE):
        verdict = check(forgery.export())
        print(f"{forgery}: {'verifies' if verdict.ok else verdict.problem}")


if __name__ == "__main__":
    main()
