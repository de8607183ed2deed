"""Changes of an export: of rows, causes, times, secrets, and of its first and last line."""

import json
from typing import Any

from domain.kernel.chance.secret import commitment_of
from tests.forgeries.games import MALLORY, playing
from tests.helpers.forger import Change, Line, lines_of, rows, rows_of, step_of


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
