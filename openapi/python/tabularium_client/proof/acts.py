"""Checks that the account which an act names could have done it, and its time, as far as that needs no rules.

A fault is a phrase that completes "version 5 …".
"""

import re
from datetime import datetime, timedelta
from typing import Any, Final

from tabularium_client.proof.around import Around
from tabularium_client.proof.lines import Row, elapsed
from tabularium_client.proof.origin import is_around_the_table

_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)
_CAUSE: Final = {"by", "case", "key", "player", "seat", "tournament"}
_KEY: Final = re.compile("[0-9a-f]{32}")
_KEY_LIFE: Final = timedelta(hours=24)
"""The time for which an idempotency key stands for one request, at least."""


def fault_of_time(at: Any, before: str | None) -> str | None:
    """Return what is wrong with a time, given the one before it."""
    if at == before:
        return None
    if not _is_moment(at):
        return f"has the time {at}; expected a time in UTC with microseconds"
    if before is not None and at < before:
        return f"has the time {at}, which is earlier than the one before, {before}"
    return None


def _is_moment(text: Any) -> bool:
    """Tell whether a text is a time that exists, in UTC with microseconds. Such times sort as texts."""
    if not isinstance(text, str) or not _MOMENT.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def fault_of_cause(row: Row) -> str | None:
    """Return what is wrong with the shape of a cause."""
    if "cause" not in row:
        return None
    cause = row["cause"]
    if not isinstance(cause, dict):
        return "has a cause that is not of the known shape"
    texts = {name: value for name, value in cause.items() if name != "command"}
    is_sound = texts.keys() <= _CAUSE and all(isinstance(value, str) for value in texts.values())
    is_object = isinstance(cause.get("command", {}), dict)
    if not is_sound or not is_object or cause.get("by", "clock") not in {"clock", "house"}:
        return "has a cause that is not of the known shape"
    if not _KEY.fullmatch(cause.get("key", "0" * 32)):
        return "has a key that is not a digest of 32 hex digits"
    return None


def fault_of_acts(rows: list[Row], past: Around | None = None) -> tuple[int, str] | None:
    """Return the first version that no act brought about, or the wrong one, and what is wrong with it.

    Args:
        rows: the whole log; its first row creates the game.
        past: of a fork, what it goes back to, as it stands there.
    """
    around = Around(rows[0]["event"], past)
    act: Row | None = None
    request: Row | None = None
    for row in rows:
        if "cause" in row or act is None:
            problem = around.objection(row, rows) or _other_request(row, request)
        else:
            problem = _unfollowed(row, act, rows, around)
        if problem:
            return row["version"], problem
        if "cause" in row:
            act, request = row, row if "command" in row["cause"] and "key" in row["cause"] else None
        around.happen(row)
    return None


def _unfollowed(row: Row, act: Row, rows: list[Row], around: Around) -> str | None:
    """Return what is wrong with an event that should follow from the act before it."""
    kind = row["event"]["type"]
    follows = (
        (kind == "clocks-ran" and around.could_run(row, rows))
        or around.came_with_its_clock(row, act)
        or around.pauses_as_nobody_answers(row, act)
        or (kind == "game-ended" and row is rows[-1] and around.ends_as(row, act))
        or (kind == "seats-moved" and act["event"]["type"] == "game-started" and around.could_move(row["event"]))
        or around.requests.goes_back(row, act)
        or around.goes_on_as_agreed(row, act)
    )
    if is_around_the_table(kind) and not follows:
        return f"cannot have happened: {kind} follows from nothing"
    return None if row["at"] == act["at"] else "has another time than the act that it follows from"


def _other_request(row: Row, before: Row | None) -> str | None:
    """Return what is wrong with a command that has the key of the one before it: one key stands for one request."""
    cause = row.get("cause", {})
    if "command" not in cause or before is None or cause.get("key") != before["cause"]["key"]:
        return None
    if elapsed(before["at"], row["at"]) >= _KEY_LIFE:
        return None
    same = all(cause.get(name) == before["cause"].get(name) for name in ("player", "seat"))
    if same and row["at"] == before["at"]:
        return None
    return "has the same key as the command before it, but another time, seat or account"
