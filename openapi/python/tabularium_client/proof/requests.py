"""Requests to take moves back, which go back when all others agree (TAB-UNDO-04)."""

from collections.abc import Collection
from typing import Any

from msgspec import Struct, field

from tabularium_client.proof.lines import Object, Row, after


class _Request(Struct):
    seat: str
    to: int
    present: bool
    agreed: set[str] = field(default_factory=set[str])
    open: bool = True


class Requests:
    """The requests since the game last moved on, by the version at which each was made."""

    def __init__(self) -> None:
        self._made: dict[int, _Request] = {}

    def objection(self, row: Row, rows: list[Row], seats: Collection[str], given_up: set[str]) -> str | None:
        """Return what is wrong with a request, or with an answer to one."""
        match row["event"]["type"]:
            case "take-back-asked":
                return self._wrong_request(row, rows)
            case "take-back-answered":
                return self._wrong_answer(row, rows, seats, given_up)
        return None

    def _wrong_request(self, row: Row, rows: list[Row]) -> str | None:
        to, seat = row["event"]["to"], row["event"]["seat"]
        command = command_after(to, row, rows)
        if command is None or command.get("seat") != seat:
            return f"asks to go back to version {to}, after which no command of {seat} follows"
        own = [each for each in self._made.values() if each.seat == seat]
        if any(each.open or each.to == to for each in own):
            return f"is a request that {seat} has made already"
        return None

    def _wrong_answer(self, row: Row, rows: list[Row], seats: Collection[str], given_up: set[str]) -> str | None:
        event, seat = row["event"], row["event"]["seat"]
        request = self._made.get(event["asked"])
        if request is None or not request.open:
            return f"answers a request of version {event['asked']}, where none is open"
        if request.seat == seat and event["agrees"]:
            return "agrees to a request of its own"
        if seat in request.agreed:
            return f"answers for {seat} a second time"
        waiting = set(seats) - {request.seat} - request.agreed - (given_up if request.present else set[str]())
        if seat not in waiting | {request.seat}:
            return f"answers for {seat}, which was given up"
        goes_back = (after(row, rows) or {}).get("type") == "moves-retracted"
        if event["agrees"] and waiting <= {seat} and not goes_back:
            return "is the last consent that was asked for, and the game does not go back"
        return None

    def goes_back(self, row: Row, act: Row) -> bool:
        """Tell whether an event goes back as the act before it, a seat's consent, makes the game go back."""
        event, cause = row["event"], act["event"]
        if (event["type"], event.get("by")) != ("moves-retracted", "consent") or row["version"] != act["version"] + 1:
            return False
        if event.get("reason"):
            return False
        if cause["type"] in {"seat-given-up", "seat-resigned"}:
            return any(each.open and each.present and each.to == event["to"] for each in self._made.values())
        asks = cause["type"] == "take-back-asked"
        request = self._made.get(act["version"] if asks else cause.get("asked"))
        agrees = asks or cause.get("agrees") is True
        return agrees and request is not None and request.open and request.to == event["to"]

    def happen(self, row: Row) -> None:
        """Change what an event changes."""
        event = row["event"]
        if event["type"] == "take-back-asked":
            self._made[row["version"]] = _Request(event["seat"], event["to"], event.get("asks") == "present")
        if event["type"] == "take-back-answered" and (request := self._made.get(event["asked"])):
            if event["agrees"]:
                request.agreed.add(event["seat"])
            else:
                request.open = False

    def lapse(self) -> None:
        """Forget all: the game moves on."""
        self._made.clear()


def command_after(to: Any, row: Row, rows: list[Row]) -> Object | None:
    """Return the cause of the row after a version, if there is such a row before this one, and a command in it."""
    if type(to) is not int or not 0 <= to < row["version"] - 1:
        return None
    cause = rows[to].get("cause", {})
    return cause if "command" in cause else None
