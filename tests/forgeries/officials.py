"""Forgeries of what happens around the table: officials, rulings, consents, seats that change hands."""

from typing import Any, Final

from domain.kernel.ids import Seat
from tests.forgeries.changes import caused, first, ruled, told
from tests.forgeries.forging import Forgery
from tests.forgeries.games import MALLORY, RED, player
from tests.helpers.forger import Change, Line, rows, rows_of
from tests.helpers.play import CASE, OFFICIAL, player_of


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
    Forgery("a way back to nowhere", "judged", told("moves-retracted", to="start"), "is not of the known shape"),
    Forgery("a request of nowhere", "judged", told("take-back-asked", to="start"), "is not of the known shape"),
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
        "a seat taken over unasked",
        "handed over",
        taken_out("seat-given-up"),
        LIFE,
        "red, which is neither open nor offered",
    ),
    Forgery("a seat given up by a stranger", "handed over", caused("seat-given-up", player=MALLORY), "does not hold"),
    Forgery("a seat given up twice", "handed over", given_up_again, LIFE, "gives up red a second time"),
    Forgery(
        "a seat taken over for another", "handed over", caused("seat-taken-over", player=MALLORY), "but seats first"
    ),
    Forgery(
        "two seats for one",
        "handed over",
        taken_over_by(str(player_of(Seat("blue")))),
        "TAB-LIFE-03",
        "who holds a seat",
    ),
    Forgery("a seat for an official", "handed over", taken_over_by(str(OFFICIAL)), RUL, "who is or was an official"),
    Forgery("a seat that never changed hands", "handed over", taken_out("seat-taken-over"), "who does not hold red"),
)
