"""Forgeries of fields that every game has: accounts, times, events, secrets, and the frame of the export."""

from typing import Final

from tests.forgeries.changes import (
    a_draw_of_others,
    a_step_split_in_two,
    after_the_end,
    at,
    caused,
    created_in_shape_1,
    creation_among_what_follows,
    draws_of_one,
    draws_taken_back,
    end,
    first,
    game_named,
    header,
    line_break,
    one_key,
    one_secret_less,
    one_secret_of_another,
    one_secret_twice,
    opened_with_another_salt,
    other_winner,
    over_and_going_on,
    ruled,
    ruling_told_as_undo,
    schema_of,
    sealed_anew,
    sealed_as,
    sealed_for_another,
    seat_changes_hands,
    second_creation,
    secret_for_more,
    secret_value,
    secrets_in_another_order,
    started_by_one_who_left,
    time_within_a_step,
    told,
    too_large_a_number,
    two_steps_told_as_one,
    undo_for_a_reason,
    undo_of_another,
    undo_of_nobody,
    undo_told_as_ruling,
)
from tests.forgeries.forging import Forgery, nothing
from tests.forgeries.games import MALLORY, RED
from tests.helpers.forger import Line, rows_of

NO_TIME: Final = "expected a time in UTC with microseconds"


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
    Forgery("a schema 0", "running", schema_of("seat-taken", 0), "shape 0 of seat-taken", "is not of the known shape"),
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
