"""Checks who may cause an act and when, by the events around the table.

What is wrong is a phrase that completes "version 5 …".
"""

import re
from typing import Any, Final

from tabularium_client.proof.chain import canonical
from tabularium_client.proof.ends import Ends, names_each_once
from tabularium_client.proof.fields import is_of
from tabularium_client.proof.lines import Object, Row, after
from tabularium_client.proof.origin import AROUND_THE_TABLE, Origin, origin_of, stays
from tabularium_client.proof.requests import Requests, command_after

_BY_RULING: Final = "TAB-RUL-04"
_BY_FLAG: Final = "TAB-CLK-06"
_BY_RESIGNATION: Final = "TAB-SEAT-06"
_NOBODY_PLAYS: Final = "All players have resigned: nobody plays."
_OWES: Final = {"answer", "vacate"}
_CASE: Final = re.compile("c[0-9a-z]+")
_TOURNAMENT: Final = re.compile("t[0-9a-z]+")
_LINE: Final = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")


class Around:
    """The state of a game around the table: who organizes it, who holds which seat, whether it runs.

    Args:
        created: the first event.
        past: of a fork, what it goes back to, as it stands there.
    """

    def __init__(self, created: Object, past: "Around | None" = None) -> None:
        self.organizer: str = created["organizer"]
        self.is_analysis = created.get("purpose") == "analysis"
        # In an analysis one account plays all seats; a continuation keeps each for the player who held it.
        holder = self.organizer if self.is_analysis else None
        self.players: dict[str, str | None] = dict.fromkeys(created["seats"], holder)
        self.kept = dict(past.players) if created.get("purpose") == "continuation" and past else None
        self.started = False
        self.cancelled = False
        self.paused = False
        self.clocked = False
        self.seated = {self.organizer} if self.is_analysis else set(past.seated) if self.kept and past else set[str]()
        """The accounts that ever took a seat."""
        self.officials: dict[str, bool] = {}
        """The accounts that were ever officials, and whether they still are."""
        self.given_up = set[str]()
        self.resigned = set[str]()
        self.vacated = set[str]()
        """The seats that their clocks left open."""
        self.offers: dict[str, str | None] = {}
        """The open offers, by seat: to whom, or to anybody."""
        self.assigned = set[str]()
        """The seats that were assigned and not confirmed."""
        self.held: dict[str, set[str | None]] = {}
        """Who held each seat of the running game before its player."""
        self.answers: dict[int, str] = {}
        """The seats of the answers left in advance, by the version at which each was left."""
        self.requests = Requests()
        self.ends = Ends(created)
        self._is_fork = "purpose" in created
        self._all_seeing = {self.organizer} if created.get("organizer_sees") == "all" else None
        self._again: list[bytes] = []
        """The commands that an undo gives again next."""
        self._owed: tuple[str, str] | None = None
        """The seat whose default answer has to follow at once, and when its flag fell."""

    # --- what is wrong with an act ---

    def objection(self, row: Row, rows: list[Row]) -> str | None:
        """Return what is wrong with an act, given its first row and the whole log; None when all is right."""
        event, cause = row["event"], row.get("cause", {})
        return (
            self._out_of_turn(row, rows)
            or self._of_another_shape(row, origin_of(event, cause), cause)
            or self._unentitled(row, cause)
            or self._wrong_tournament(row, rows, cause)
            or self._untimely(row, rows, cause)
            or self._wrong_seat(row, rows, cause)
            or self._wrong_step(row, rows, cause)
            or _unfit(event, cause)
            or self._unofficial(row, rows, cause)
            or self.requests.objection(row, rows, self.players, self.given_up)
            or self.ends.objection(row, rows, self)
        )

    def _out_of_turn(self, row: Row, rows: list[Row]) -> str | None:
        """Return what is wrong when another event has to come now."""
        event = row["event"]
        if self._again and self._again.pop(0) != _signature(row.get("cause", {}), row["at"]):
            return "is not the command that the undo before it gives again"
        if event["type"] == "moves-retracted" and isinstance(event.get("again"), list):
            causes = [rows[version - 1].get("cause", {}) for version in event["again"]]
            self._again = [_signature({**cause, "key": None}, row["at"]) for cause in causes]
        if self._owed and (event["type"], row["at"]) != ("default-given", self._owed[1]):
            return f"comes before the default answer of {self._owed[0]}, whose flag fell"
        if event["type"] == "default-given" and (self._owed is None or self._owed[0] != event["seat"]):
            return f"gives the default answer of {event['seat']}, whose flag did not fall"
        return None

    def _of_another_shape(self, row: Row, origin: Origin | None, cause: Object) -> str | None:
        """Return what is wrong with what a cause names, and with what it does not name."""
        event, kind, seat = row["event"], row["event"]["type"], cause.get("seat")
        if origin is None and "by" in cause:
            return f"says that the {cause['by']} did it, which never causes {kind}"
        if origin is None:
            return f"cannot have happened: {kind} follows from nothing"
        if kind in {"game-created", "game-forked"} and row["version"] > 1:
            return "creates the game a second time"
        act, by_itself = origin.act, origin.by in {"clock", "house"}
        if by_itself and (cause.get("player") or cause.get("key")):
            return f"names an account or a request: {act} always comes from the {origin.by}"
        if not by_itself and not cause.get("player"):
            return f"names no account: {act} always comes from one"
        if origin.seat and seat is None:
            return f"names no seat: {act} is always for one"
        if not origin.seat and seat is not None:
            return f"acts for the seat {seat}; {act} is for no seat"
        traits = AROUND_THE_TABLE.get(kind)
        if origin.seat and (by_itself or (traits and traits.seat)) and seat != event.get("seat"):
            return f"acts for the seat {seat}, but is about {event.get('seat')}"
        if kind in {"answer-revoked", "answer-given"} and self.answers.get(event["left"]) != event["seat"]:
            return f"is about an answer left at version {event['left']}, where {event['seat']} has none"
        if origin.command and "command" not in cause:
            return f"has no command that it could come from: {act} always has one"
        if not origin.command and "command" in cause:
            return f"has a command in its cause; {act} comes from none"
        if origin.on_case and not _CASE.fullmatch(cause.get("case", "")):
            return f"names no case: {act} always carries out the ruling on one"
        if not origin.on_case and "case" in cause:
            return f"names the case {cause['case']}; {act} carries out no ruling"
        return None

    def _unentitled(self, row: Row, cause: Object) -> str | None:
        """Return what is wrong with the account of an act."""
        event, player, seat = row["event"], cause.get("player"), cause.get("seat")
        origin = origin_of(event, cause)
        assert origin is not None
        begins = f"is {origin.act} by {player}"
        match origin.by:
            case "newcomer" if player != event.get("player"):
                return f"{begins}, but seats {event.get('player')}"
            case "holder" if self.players.get(seat or "") != player:
                return f"{begins}, who does not hold {seat}"
            case "holder" if seat in self.resigned:
                return f"{begins}, who has resigned"
            case "participant" if player not in {self.organizer, *self.players.values()}:
                return f"{begins}, who neither organizes the game nor holds a seat"
            case "organizer" if player != self.organizer:
                return f"{begins}, who is not the organizer"
            case "official" if not self.officials.get(player or ""):
                return f"{begins}, who is no official of the game"
            case "clock" if not self.clocked and event["type"] != "game-abandoned":
                return f"is {origin.act}, in a game without a clock"
            case "house" if not self.resigned:
                return f"is {origin.act}, where nobody has resigned"
        return None

    def _wrong_tournament(self, row: Row, rows: list[Row], cause: Object) -> str | None:
        origin, tournament = origin_of(row["event"], cause), cause.get("tournament")
        if tournament is None or origin is None:
            return None
        prefix = f"names the tournament {tournament}"
        if not origin.in_tournament:
            return f"{prefix}; {origin.act} is for none"
        if not _TOURNAMENT.fullmatch(tournament):
            return f"{prefix}, which is no id of one"
        belongs_to = rows[0].get("cause", {}).get("tournament")
        if tournament != belongs_to:
            return f"{prefix}, but the game belongs to {belongs_to or 'none'}"
        if row["version"] > 1 and cause.get("player") != self.organizer:
            return f"{prefix}, and is not by the organizer"
        return None

    def _untimely(self, row: Row, rows: list[Row], cause: Object) -> str | None:
        """Return why an act cannot happen in the present state of the game."""
        event, kind, origin = row["event"], row["event"]["type"], origin_of(row["event"], cause)
        assert origin is not None
        if self.cancelled:
            return "cannot have happened: the game was cancelled"
        if origin.early and self.started and not (self.is_analysis and kind == "game-cancelled"):
            return "cannot have happened: the game had begun"
        if not origin.early and not origin.whenever and not self.started:
            return "cannot have happened: the game had not begun"
        traits = AROUND_THE_TABLE.get(kind)
        is_ruling = kind == "moves-retracted" and event["by"] == "ruling"
        if self.paused and not is_ruling and kind != "game-abandoned" and not (traits and traits.in_pause):
            return "cannot have happened: the game was paused"
        if kind == "game-resumed" and not self.paused:
            return "cannot have happened: the game was not paused"
        return None

    def _wrong_seat(self, row: Row, rows: list[Row], cause: Object) -> str | None:
        """Return what is wrong with how a seat changes hands."""
        event, kind, seat, player = (
            row["event"],
            row["event"]["type"],
            row["event"].get("seat"),
            row["event"].get("player"),
        )
        match kind:
            case "seat-taken" | "seat-assigned":
                if kind == "seat-assigned" and self._is_fork:
                    return f"assigns {seat} in a fork, whose seats are reserved"
                if seat not in self.players:
                    return f"seats somebody on {seat}, which is no seat of this game"
                if self.players[seat] is not None and kind == "seat-taken":
                    return f"seats somebody on {seat}, which is taken"
                if self.players[seat] is not None and seat not in self.assigned:
                    return f"assigns {seat}, whose player took or confirmed it"
                if player in self.players.values():
                    return f"seats {player} a second time"
                if player in self.officials:
                    return f"seats {player}, who is or was an official of the game"
                keeper = self.kept.get(seat) if self.kept and kind == "seat-taken" else None
                if keeper is not None and keeper != player:
                    return f"seats {player} on {seat}, which is kept for {keeper}"
                goes_on = any(self.goes_on_as_agreed(each, row) for each in rows[row["version"] :][:1])
                if kind == "seat-taken" and self._is_last_to_confirm(seat) and not goes_on:
                    return "is the last confirmation, and the game does not go on"
            case "seat-confirmed" if seat not in self.assigned:
                return f"confirms {seat}, which does not wait for that"
            case "seat-given-up" if seat in self.given_up:
                return f"gives up {seat} a second time"
            case "seat-offered" | "offer-withdrawn":
                if seat not in self.players:
                    return f"is about {seat}, which is no seat of this game"
                if kind == "seat-offered" and seat in self.offers:
                    return f"offers {seat} a second time"
                if kind == "offer-withdrawn" and seat not in self.offers:
                    return f"ends an offer of {seat}, which is not offered"
                if kind == "seat-offered" and "to" in event:
                    return self._unfit_to_play(seat, event["to"], "offers a seat to")
            case "seat-taken-over":
                if seat not in self.given_up and seat not in self.offers:
                    return f"takes over {seat}, which is neither open nor offered"
                if self.offers.get(seat) not in {None, player}:
                    return f"takes over {seat}, which is offered to {self.offers[seat]}"
                if self.players.get(seat) != player:
                    return self._unfit_to_play(seat, player, "seats")
                if seat in self.resigned:
                    return f"takes back {seat}, which has resigned"
                if seat not in self.vacated:
                    return f"takes back {seat}, which its clock did not leave open"
            case "seat-resigned" if len(self.players) == 2:
                end = after(row, rows)
                if end is None or end["type"] != "game-ended":
                    return "is a resignation in a game of two seats, and the game does not end"
        return None

    def _unfit_to_play(self, seat: str, player: str, does: str) -> str | None:
        """Return why an account cannot take a seat over: it plays, or may have seen more than the seat sees."""
        if player in self.players.values():
            return f"{does} {player}, who holds a seat"
        if player in self.officials:
            return f"{does} {player}, who is or was an official of the game"
        if self._all_seeing and player in {self.organizer, *self._all_seeing}:
            return f"{does} {player}, who organizes the game and sees all of it"
        other = next((each for each, holders in self.held.items() if each != seat and player in holders), None)
        return other and f"{does} {player}, who held {other} before"

    def _wrong_step(self, row: Row, rows: list[Row], cause: Object) -> str | None:
        """Return what is wrong with what the house does, a start, or a way back."""
        event, kind = row["event"], row["event"]["type"]
        if kind == "answered-by-house" and event["seat"] not in self.resigned:
            return f"is an answer of the house for {event['seat']}, which has not resigned"
        at_once = row["version"] > 1 and row["at"] == rows[row["version"] - 2]["at"]
        if cause.get("by") == "house" and not at_once:
            return "is an act of the house later than it was called for"
        if kind == "game-paused" and cause.get("by") == "house" and event.get("reason") != _NOBODY_PLAYS:
            return "is a pause by the house for another reason than that nobody plays"
        if kind == "answer-given" and not at_once:
            return "gives an answer left in advance later than it was called for"
        if kind == "game-started":
            free = [seat for seat, player in self.players.items() if player is None]
            if "case" in cause and self.kept is None:
                return "cannot have happened: this is no continuation"
            if "case" not in cause and free:
                return f"starts the game while {', '.join(free)} is free"
        if kind == "moves-retracted" and command_after(event["to"], row, rows) is None:
            return f"goes back to version {event['to']}, after which no command follows"
        return None

    def _unofficial(self, row: Row, rows: list[Row], cause: Object) -> str | None:
        """Return what is wrong with an act about officials, or with their ruling."""
        event, kind = row["event"], row["event"]["type"]
        player: str = event.get("player", "")
        if kind == "official-named" and self.officials.get(player):
            return f"names {player} an official a second time"
        if kind == "official-named" and player in self.seated:
            return f"names {player} an official, who has or had a seat of the game"
        if kind == "organizer-changed" and player not in self._heirs():
            return f"passes the game on to {player}, who is neither an official of it nor plays in it"
        if kind == "official-released" and not self.officials.get(player):
            return f"releases {player}, who is no official"
        if kind == "game-resumed" and "case" not in cause and not self._may_resume(cause["player"]):
            return f"is the end of a pause by {cause['player']}, who may not resume the game"
        gives = kind not in {"game-resumed", "game-started", "time-credited"}
        if "case" in cause and gives and not is_reason(event.get("reason")):
            return "gives a reason that is not a line of 1 to 2,000 characters"
        if kind != "game-adjudicated":
            return None
        if not names_each_once(event["order"], self.players):
            return "does not name each seat of the game once"
        end = after(row, rows)
        if end and (end["type"], end.get("rule"), end.get("winners")) == (
            "game-ended",
            _BY_RULING,
            event["order"][0],
        ):
            return None
        return "does not end the game as it says"

    def _may_resume(self, player: str) -> bool:
        return self.officials.get(player) or (player == self.organizer and not any(self.officials.values()))

    def _heirs(self) -> set[str | None]:
        """Return who may organize the game next: its officials, and the players who have not given up their seats."""
        officials = {player for player, holds in self.officials.items() if holds}
        players = {player for seat, player in self.players.items() if seat not in self.given_up}
        return (officials | players) - {self.organizer}

    # --- what follows from an act ---

    def goes_on_as_agreed(self, row: Row, act: Row) -> bool:
        """Tell whether a continuation goes on because the last seat was taken: all have confirmed."""
        is_next = row["event"]["type"] == "game-started" and "cause" not in row and row["version"] == act["version"] + 1
        return is_next and act["event"]["type"] == "seat-taken" and self._is_last_to_confirm(act["event"]["seat"])

    def _is_last_to_confirm(self, seat: str) -> bool:
        others = (player for each, player in self.players.items() if each != seat)
        return self.kept is not None and all(player is not None for player in others)

    def ends_as(self, row: Row, act: Row) -> bool:
        """Tell whether a ruling ends the game, or its rules do: each under a rule of its own."""
        event, cause = row["event"], act["event"]
        by_flag = cause["type"] == "clock-expired" and cause["then"] == "end"
        resigns = cause["type"] == "seat-resigned" and len(self.players) == 2
        if by_flag or resigns or event["rule"] in {_BY_FLAG, _BY_RESIGNATION}:
            right = _BY_FLAG if by_flag else _BY_RESIGNATION if resigns else None
            others = [seat for seat in self.players if seat != cause.get("seat")]
            return event["rule"] == right and event["winners"] == others
        otherwise = self.ends.ends_as(event, cause)
        return (
            otherwise
            if otherwise is not None
            else (event["rule"] == _BY_RULING) == (cause["type"] == "game-adjudicated")
        )

    def could_run(self, row: Row, rows: list[Row]) -> bool:
        """Tell whether the clocks could have run so after an act. Only the rules know for which seats it waits."""
        event, is_last = row["event"], row["version"] == len(rows) or "cause" in rows[row["version"]]
        seats = {*event["runs"], *event["absent"], *event["left"], *event["earned"]}
        return self.clocked and event["at"] == row["at"] and is_last and seats <= self.players.keys()

    def came_with_its_clock(self, row: Row, act: Row) -> bool:
        """Tell whether a clock was chosen with the game: it follows from its creation."""
        event = row["event"]
        is_chosen = event["type"] == "clock-set" and event["clock"] is not None
        return is_chosen and row["version"] == 2 and act["event"]["type"] == "game-created"

    def pauses_as_nobody_answers(self, row: Row, act: Row) -> bool:
        """Tell whether a pause follows from a flag: the clock has answered for all others."""
        fell = act["event"]["type"] == "clock-expired" and act["event"]["then"] == "pause"
        return row["event"]["type"] == "game-paused" and fell

    def could_move(self, event: Object) -> bool:
        """Tell whether players could have changed seats so by the set-up: everybody who held a seat holds one."""
        players: dict[str, str] = event["players"]
        return players.keys() == self.players.keys() and sorted(players.values()) == sorted(
            map(str, self.players.values())
        )

    # --- what an event changes ---

    def happen(self, row: Row) -> None:
        """Change what an event changes."""
        version, event, seat, player = (
            row["version"],
            row["event"],
            row["event"].get("seat"),
            row["event"].get("player"),
        )
        kind = event["type"]
        self.ends.happen(row)
        if kind == "clock-expired":
            self._owed = (seat, row["at"]) if event["then"] in _OWES else None
        elif kind != "clocks-ran":
            self._owed = None
        if not stays(kind):
            self.requests.lapse()
        self.requests.happen(row)
        match kind:
            case "seat-taken" | "seat-assigned":
                self._sit(seat, player)
                if kind == "seat-assigned":
                    self.assigned.add(seat)
            case "seat-confirmed":
                self.assigned.discard(seat)
            case "seat-left":
                self.assigned.discard(seat)
                self.players[seat] = None
            case "seat-given-up":
                self.given_up.add(seat)
            case "clock-expired" if event["then"] == "vacate":
                self.given_up.add(seat)
                self.vacated.add(seat)
            case "seat-resigned":
                self.given_up.add(seat)
                self.resigned.add(seat)
                self._forget(seat)
            case "seat-taken-over":
                if self.players[seat] != player:
                    self.held.setdefault(seat, set()).add(self.players[seat])
                for seats in (self.given_up, self.resigned, self.vacated):
                    seats.discard(seat)
                self._forget(seat)
                self._sit(seat, player)
            case "seat-offered":
                self.offers[seat] = event.get("to")
            case "offer-withdrawn":
                self.offers.pop(seat, None)
            case "seats-moved":
                self.players = dict(event["players"])
            case "answer-left":
                self.answers[version] = seat
            case "answer-revoked":
                self.answers.pop(event["left"], None)
            case "moves-retracted" if event["by"] != "undo":
                self.answers.clear()
            case "official-named" | "official-released":
                self.officials[player] = kind == "official-named"
            case "organizer-changed":
                self.organizer = player
            case "game-paused" | "game-resumed":
                self.paused = kind == "game-paused"
            case "clock-set":
                self.clocked = event["clock"] is not None
            case "game-started":
                self.started = True
                # By a ruling, those who have not confirmed play on as well.
                for each, keeper in (self.kept or {}).items():
                    self.players[each] = self.players[each] or keeper
            case "game-forked":
                self.started = self.is_analysis
            case "game-cancelled":
                self.cancelled = True

    def _sit(self, seat: str, player: str) -> None:
        self.players[seat] = player
        self.seated.add(player)

    def _forget(self, seat: str) -> None:
        """End an offer of a seat, and what was left in advance for it."""
        self.offers.pop(seat, None)
        self.answers = {version: each for version, each in self.answers.items() if each != seat}


def around_at(rows: list[Row], version: int, past: Around | None = None) -> Around:
    """Return the state around the table of a game at a version. `past` as in `Around`."""
    around = Around(rows[0]["event"], past)
    for row in rows[:version]:
        around.happen(row)
    return around


def is_reason(text: Any) -> bool:
    """Tell whether a text can be the reason of a ruling: a line of 1 to 2,000 characters, not all blank."""
    return isinstance(text, str) and len(text) <= 2_000 and not text.isspace() and bool(_LINE.fullmatch(text))


def _unfit(event: Object, cause: Object) -> str | None:
    """Return what is wrong with the command of an act, as far as that needs no rules."""
    command, seat = cause.get("command"), cause.get("seat")
    if event["type"] == "answer-left" and (readers := event["answer"].get("readers")) != [seat]:
        return f"seals an answer for {', '.join(readers or ['nobody'])}, not for {seat}, who left it"
    if event["type"] == "moves-retracted" and event["by"] == "undo":
        if event.get("reason"):
            return "is an undo that gives a reason; only a ruling has one"
        if command is None or (command.get("type"), command.get("to")) != ("undo", event["to"]):
            return "is an undo to another version than was asked for"
    if command is None or "sealed" not in command:
        return None
    sealed = command["sealed"]
    if command.keys() != {"type", "sealed"} or not is_of("sealed", sealed):
        return "seals a command in an unknown shape"
    if sealed["readers"] != [seat]:
        return f"seals a command for {', '.join(sealed['readers']) or 'nobody'}, not for {seat}, who sent it"
    return None


def _signature(cause: Object, at: str) -> bytes:
    """Return a form of a command by which two can be compared, and in which ``True`` is not 1."""
    return canonical([cause.get(name) for name in ("player", "seat", "command", "key")] + [at])
