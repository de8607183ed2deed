"""The proof of a case from its export: the same chain as that of a game, and every act possible as the case stood.

With the export of its game also who held the seats, who was an official, and that the rulings, and nothing else in the
name of the case, changed the game.
"""

import re
from typing import Any, Final

from tabularium_client.proof.acts import fault_of_cause, fault_of_time
from tabularium_client.proof.around import Around, around_at, is_reason
from tabularium_client.proof.chain import HEX, canonical, is_genuine
from tabularium_client.proof.ends import names_each_once
from tabularium_client.proof.fields import TYPES_IN_CASES, fault_of_fields, is_of
from tabularium_client.proof.lines import Fault, Object, Row, check_end, read_line, read_rows, require_shape, split
from tabularium_client.proof.part import Part

FORMAT: Final = "tabularium-case/1"
_CASE: Final = re.compile("c[0-9a-z]+")
_AFTER_ROWS: Final = re.compile(rb'\{"(statement|end)":')
_MOST_CITED: Final = 20
_KINDS: Final = {"move", "refusal", "slip", "dice", "time", "conduct", "result"}
_DECISIONS: Final = {"dismissed", "stands", "back", "continue", "result", "pause", "resume"}
_IN_A_RUNNING_GAME: Final = {"back", "pause", "resume"}
_WAITING: Final = {"open", "appealed"}
_CLOSED: Final = {"withdrawn", "settled", "final"}
_EFFECTS: Final = {
    "back": "moves-retracted",
    "result": "game-adjudicated",
    "pause": "game-paused",
    "resume": "game-resumed",
}
"""The first event that a decision brings about in a running game."""
_RULING: Final = ({"cited", "decision", "hash", "reason", "type", "version"}, {"order", "to"})
_EVENTS: Final[dict[str, tuple[set[str], set[str]]]] = {
    "case-opened": (
        {"about", "cited", "game", "hash", "kind", "number", "statement", "type", "version"},
        {"command", "seat"},
    ),
    "statement-made": ({"seat", "statement", "type"}, set()),
    "case-answered": ({"seat", "statement", "type"}, set()),
    "case-withdrawn": ({"type"}, {"seat"}),
    "consent-given": ({"seat", "type"}, {"asks"}),
    "ruled": _RULING,
    "appealed": ({"seat", "statement", "type"}, set()),
    "ruled-finally": _RULING,
    "settled": ({"type"}, set()),
}
"""The members of each event: those that it has, and those that it may have."""


def is_case(whole: bytes) -> bool:
    """Tell whether an export is that of a case."""
    return whole.startswith(b'{"case":')


class Case:
    """The export of a case."""

    def __init__(self, whole: bytes) -> None:
        self._whole = whole
        self.header: Object = {}
        self.rows: list[Row] = []
        self.status: str | None = None
        self.checked: list[str] = []
        self.unchecked: list[str] = []

    def check(self, game: Part | None) -> None:
        """Check all of it, beside the game that it is about, when the export of that was checked."""
        lines = split(self._whole)
        self.header = header = read_line(lines[0], 1, {"case", "format", "game"})
        if header["format"] != FORMAT:
            raise Fault(f"this is not an export of the form {FORMAT}", 1)
        if not _CASE.fullmatch(header["case"]):
            raise Fault(f"{header['case']} is no id of a case", 1)
        after = next((at for at, line in enumerate(lines) if _AFTER_ROWS.match(line)), len(lines))
        read_rows(self.rows, lines[1:after], header["case"], 1)
        if not self.rows:
            raise Fault("the case has no events", 2)
        if game and game.header["game"] != header["game"]:
            raise Fault(f"the case is about game {header['game']}, not about {game.header['game']}", 1)
        court = _Court(header, self.rows, game)
        court.run()
        self.status = court.status
        statements = self._statements(lines[len(self.rows) + 1 : -1], court.commitments)
        right = {
            "head": self.rows[-1]["hash"],
            "statements": statements,
            "status": court.status,
            "version": len(self.rows),
        }
        check_end(self._whole, lines[-1], len(lines), right)
        if game:
            court.check_effects(game)
        self._tell(court, statements, game)

    def _statements(self, lines: list[bytes], commitments: dict[int, str]) -> int:
        """Check what somebody wrote: in the order of its events, and true to the commitments. Returns how many."""
        before = 0
        for number, line in enumerate(lines, start=len(self.rows) + 2):
            statement = read_line(line, number, {"statement"})["statement"]
            require_shape(statement, {"commitment", "salt", "version", "written"}, number)
            if not is_of("number", statement["version"]):
                raise Fault(f"line {number} is not of the known shape", number)
            require_shape(statement["written"], {"text"}, number, frozenset({"command"}))
            version = statement["version"]
            whose = f"the statement of version {version}"
            if not is_genuine({**statement, "value": statement["written"]}):
                raise Fault(f"{whose} does not fit its commitment", number, version)
            if version <= before:
                raise Fault(f"{whose} is not in its place", number, version)
            if commitments.get(version) != statement["commitment"]:
                raise Fault(f"{whose} is not the one of the case", number, version)
            before = version
        return len(lines)

    def _tell(self, court: "_Court", statements: int, game: Part | None) -> None:
        self.checked += [
            f"The chain of {len(self.rows)} versions is unbroken, and every line is in its canonical form.",
            "Every act was possible as the case stood, and no time is before that of the last event.",
        ]
        if statements:
            self.checked.append(f"{statements} statements fit their commitments.")
        if game:
            self.checked += [
                "Seats, officials and versions are those of the game.",
                "The rulings changed the game exactly as they say.",
            ]
            self.unchecked.append(
                "Whether the cited rules exist, and whether the game goes back to before a command that counts: "
                "`tabularium verify` checks both."
            )
        else:
            self.unchecked.append(
                "Who held the seats and who was an official: verify the case together with the export of its game."
            )
        if court.is_unsure:
            self.unchecked.append(
                "Whether all who had a say consented: seats that are out of the game are not waited for, and only the "
                "rules know them."
            )
        for ruling in court.rulings:
            if ruling["decision"] == "continue":
                self.unchecked.append(
                    f"That {ruling['to']} is a fork of {self.header['game']} and goes on: verify its export."
                )
        if missing := len(court.commitments) - statements:
            self.unchecked.append(f"What {missing} statements say: they were erased, or are hidden from this reader.")
        if self.rows[0]["event"]["kind"] == "refusal":
            self.unchecked.append(
                "Whether the command is refused: the service decides it again, and shows the refusal."
            )


class _Court:
    """A case as it stands between two of its rows."""

    def __init__(self, header: Object, rows: list[Row], game: Part | None) -> None:
        self._header, self._rows, self._game = header, rows, game
        self.status = ""
        self.rulings: list[Object] = []
        self.commitments: dict[int, str] = {}
        """The commitments to what was written, by version."""
        self.is_unsure = False
        """Whether it was settled without the consent of all seats: some may have been out of the game."""
        self._answered = set[str]()
        self._consents = set[str]()
        self._seat: str | None = None
        self._player: str | None = None
        """For which seat the case was opened, and by whom."""
        self._judge: str | None = None
        """Who ruled on it last."""
        self._named = 0
        """The last version of the game that the case names."""

    def run(self) -> None:
        before = None
        for row in self._rows:
            if problem := self._objection(row, before):
                raise Fault(f"version {row['version']} {problem}", row["version"] + 1, row["version"])
            self._happen(row)
            before = row

    def _objection(self, row: Row, before: Row | None) -> str | None:
        event, version = row["event"], row["version"]
        kind = event["type"]
        if kind not in _EVENTS:
            return f"has an event of the type {kind}, which no case has"
        has, may = _EVENTS[kind]
        if not has <= event.keys() <= has | may:
            return "is not of the known shape"
        if wrong := fault_of_fields(event, TYPES_IN_CASES):
            return wrong
        if (row["schema"], row["draws"]) != (1, 0):
            return "has another shape or draws dice"
        if wrong := fault_of_time(row["at"], before["at"] if before else None) or fault_of_cause(row):
            return wrong
        if kind == "settled":
            return _unsettled(row, before)
        cause = row.get("cause", {})
        if not cause.get("player"):
            return "names no account"
        if "command" in cause or "case" in cause:
            return "has more in its cause than an account and a seat"
        if cause.get("seat") != event.get("seat"):
            return f"acts for {cause.get('seat', 'no seat')}, but is about {event.get('seat', 'none')}"
        if (kind == "case-opened") != (version == 1):
            return "does not open the case" if version == 1 else "opens the case a second time"
        if "statement" in event and not HEX.fullmatch(event["statement"]):
            return "has a commitment that is no SHA-256 in hex"
        if self.status in _CLOSED:
            return f"cannot have happened: the case was {self.status}"
        return (
            self._unfit(event, cause["player"])
            or self._unnamed(event)
            or (self._game and self._unknown(row, cause, self._game))
            or self._unheeded(row)
        )

    def _unfit(self, event: Object, player: str) -> str | None:
        """Return what is wrong with an act as the case stands."""
        seat = event.get("seat")
        match event["type"]:
            case "case-opened":
                return self._misopened(event)
            case "statement-made":
                return None if self.status in _WAITING else "is a statement after the ruling"
            case "case-answered":
                if self.status not in _WAITING:
                    return "is an answer after the ruling"
                if seat == self._seat:
                    return f"answers for {seat}, which opened the case"
                return f"answers for {seat} a second time" if seat in self._answered else None
            case "case-withdrawn":
                if self.status != "open":
                    return f"withdraws a case that is {self.status}"
                return None if (player, seat) == (self._player, self._seat) else "withdraws the case of another"
            case "consent-given":
                if self.status == "appealed":
                    return "consents to a ruling that was appealed against"
                if self.status == "open" and seat == self._seat:
                    return "consents to its own complaint"
                return None
            case "appealed":
                return None if self.status == "ruled" else f"appeals in a case that is {self.status}"
        return self._misruled(event, player)

    def _misopened(self, event: Object) -> str | None:
        kind, about, version, number = event["kind"], event["about"], event["version"], event["number"]
        if event["game"] != self._header["game"]:
            return "is about another game than the first line names"
        if kind not in _KINDS:
            return f"is about {kind}, which no case is about"
        if type(number) is not int or number < 1:
            return "has no number"
        if not 1 <= about <= version:
            return f"is about version {about}, and the game stood at {version}"
        if not HEX.fullmatch(event["hash"]):
            return "has a hash that is not 64 hex digits"
        if ("command" in event) != (kind == "refusal"):
            return "has a command, or lacks one: exactly a case about a refusal has it"
        if kind == "refusal" and "seat" not in event:
            return "disputes a refusal of no seat"
        return None if _is_cited(event["cited"], 0) else "cites rules twice, or too many"

    def _misruled(self, event: Object, player: str) -> str | None:
        kind, decision, to, order = event["type"], event["decision"], event.get("to"), event.get("order")
        if self.status == "ruled":
            return "rules on a case that is ruled on"
        if (kind == "ruled-finally") != (self.status == "appealed"):
            return f"is told as {kind}, and the case was {self.status}"
        if player == self._player:
            return f"is a ruling by {player}, who opened the case"
        if self.status == "appealed" and player == self._judge:
            return f"decides an appeal against a ruling of {player} themselves"
        if decision not in _DECISIONS:
            return f"decides {decision}, which is not possible"
        if not _is_cited(event["cited"], 1):
            return "cites no rule, one twice, or too many"
        if not is_reason(event["reason"]):
            return "gives a reason that is not a line of 1 to 2,000 characters"
        if not HEX.fullmatch(event["hash"]):
            return "has a hash that is not 64 hex digits"
        way = {"back": int, "continue": str}.get(decision)
        if (to is not None) != (way is not None):
            return f"decides {decision}, which does not go with its way"
        if way is not None and type(to) is not way:
            return f"decides {decision} to {to}"
        if (order is not None) != (decision == "result"):
            return f"decides {decision}, which does not go with an order of seats"
        if order is not None:
            placed = [seat for group in order for seat in group]
            if not order or not all(order) or len(set(placed)) < len(placed):
                return "does not name each seat once"
        return None

    def _unnamed(self, event: Object) -> str | None:
        """Return what is wrong with the version of the game that an act names."""
        version = event.get("version")
        if version is None or (type(version) is int and version >= self._named):
            return None
        return "names an earlier version of the game than one before it"

    def _unknown(self, row: Row, cause: Object, game: Part) -> str | None:
        """Return what is wrong with an act as the game tells it."""
        event, player, seat = row["event"], cause["player"], cause.get("seat")
        last_named = max(self._named, event.get("version", 0))
        if last_named > len(game.rows):
            return f"was decided at version {last_named} of the game, whose export ends at version {len(game.rows)}"
        by_then = sum(each["at"] <= row["at"] for each in game.rows)
        version: int = event.get("version", max(last_named, by_then))
        around = around_at(game.rows, version, None if game.past is None else game.past.around)
        if "hash" in event and game.rows[version - 1]["hash"] != event["hash"]:
            return f"names version {event['version']} of the game with another hash than it has"
        if seat is not None and around.players.get(seat) != player:
            return f"is by {player}, who does not hold {seat}"
        is_ruling = "decision" in event
        if seat is None and (is_ruling or event["type"] == "case-opened") and not around.officials.get(player):
            return f"is by {player}, who is no official of the game"
        if is_ruling and player in around.seated:
            return f"is a ruling by {player}, who has or had a seat of the game"
        return _impossible(event, around, game.rows[:version])

    def _unheeded(self, row: Row) -> str | None:
        """Return what is wrong when an act should have settled the case, and did not."""
        event, version = row["event"], row["version"]
        if event["type"] != "consent-given":
            return None
        settles = version < len(self._rows) and self._rows[version]["event"].get("type") == "settled"
        # Once more where it settles the case: who had yet to consent has given up the seat since.
        if event["seat"] in self._consents and not (event.get("asks") == "present" and settles):
            return f"consents for {event['seat']} a second time"
        if self._game is None or settles or self._missing(event["seat"]):
            return None
        return "is the last consent, and the case is not settled"

    def _missing(self, seat: str | None = None) -> list[str]:
        """Return the seats whose consent is missing, as far as that needs no rules."""
        if self._game is None:
            return []
        own = self._seat if self.status == "open" else None
        return [each for each in self._game.around.players if each not in {own, seat, *self._consents}]

    def _happen(self, row: Row) -> None:
        event, player, seat = row["event"], row.get("cause", {}).get("player"), row["event"].get("seat")
        if "statement" in event:
            self.commitments[row["version"]] = event["statement"]
        self._named = event.get("version", self._named)
        match event["type"]:
            case "case-opened":
                self.status, self._player, self._seat = "open", player, seat
            case "case-answered":
                self._answered.add(seat)
            case "case-withdrawn":
                self.status = "withdrawn"
            case "consent-given":
                self._consents.add(seat)
            case "appealed":
                self.status = "appealed"
            case "settled":
                self.is_unsure = self._game is None or bool(self._missing())
                self.status = "settled"
            case "ruled" | "ruled-finally":
                self.status = "ruled" if event["type"] == "ruled" else "final"
                self._judge = player
                self._consents.clear()
                self.rulings.append(event)

    def check_effects(self, game: Part) -> None:
        """Check that the rulings, and nothing else in the name of the case, changed the game."""
        rows, case = game.rows, self._header["case"]
        ends = next((at for at, row in enumerate(rows) if row["event"]["type"] == "game-ended"), len(rows))
        # A game that is over stays as it is, and the ruling alone has the result.
        effective = {
            ruling["version"]: ruling
            for ruling in self.rulings
            if ruling["decision"] in _EFFECTS and ruling["version"] <= ends
        }
        for version, ruling in effective.items():
            if version >= len(rows) or not _is_effect(rows[version], ruling, case):
                raise Fault(f"version {version + 1} of the game is not what the ruling on version {version} ordered")
        for row in rows:
            if row.get("cause", {}).get("case") == case and row["version"] - 1 not in effective:
                raise Fault(f"version {row['version']} of the game names this case, which did not order it")


def _unsettled(row: Row, before: Row | None) -> str | None:
    if "cause" in row:
        return "settles the case by an act, and it follows from consent"
    if before is None or before["event"]["type"] != "consent-given":
        return "settles the case without consent"
    return None if row["at"] == before["at"] else "has another time than the act that it follows from"


def _impossible(event: Object, around: Around, rows: list[Row]) -> str | None:
    """Return why something could not be decided in the game as it stood."""
    kind, decision, to = event["type"], event.get("decision"), event.get("to")
    if kind == "consent-given" and event.get("asks") == "present" and event["seat"] in around.given_up:
        return f"consents for {event['seat']}, which was given up"
    is_over = any(row["event"]["type"] == "game-ended" for row in rows)
    is_running = around.started and not is_over and not around.cancelled
    if kind == "case-opened":
        disputes = event["kind"] == "result" and not is_over
        return "disputes the result of a game that is not over" if disputes else None
    if decision in _IN_A_RUNNING_GAME and not is_running:
        return f"decides {decision} in a game that does not run"
    if decision == "pause" and around.paused:
        return "pauses a game that was paused"
    if decision == "resume" and not around.paused:
        return "resumes a game that was not paused"
    if decision == "back" and not (0 <= event["to"] < len(rows) and "command" in rows[event["to"]].get("cause", {})):
        return f"goes back to version {to}, after which no command follows"
    if decision == "continue" and not is_over:
        return "continues a game that is not over"
    if decision == "result" and not (names_each_once(event["order"], around.players) and (is_running or is_over)):
        return "does not name each seat of the game once"
    return None


def _is_effect(row: Row, ruling: Object, case: str) -> bool:
    event, decision = row["event"], ruling["decision"]
    if row.get("cause", {}).get("case") != case or event["type"] != _EFFECTS[decision]:
        return False
    if decision == "back" and (event["to"], event["by"]) != (ruling["to"], "ruling"):
        return False
    if decision == "result" and canonical(event["order"]) != canonical(ruling["order"]):
        return False
    return decision == "resume" or event.get("reason") == ruling["reason"]


def _is_cited(cited: Any, least: int) -> bool:
    return isinstance(cited, list) and least <= len(cited) <= _MOST_CITED and len(set(cited)) == len(cited)
