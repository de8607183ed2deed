"""Forgeries of answers that were left in advance."""

from typing import Final

from domain.kernel.chance.secret import commitment_of
from tests.forgeries.changes import caused, everywhere, first, secrets_of, told
from tests.forgeries.forging import Forgery
from tests.forgeries.games import MALLORY
from tests.helpers.forger import Change, Line, rows, rows_of, step_of


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
