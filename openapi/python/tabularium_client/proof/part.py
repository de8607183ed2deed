"""A game in an export: the whole of it, or what a fork goes back to. Its lines are checked one kind after another."""

import hashlib
import re
from typing import Any, Final

from tabularium_client.proof.acts import fault_of_acts, fault_of_cause, fault_of_time
from tabularium_client.proof.around import Around, around_at
from tabularium_client.proof.chain import HEX, canonical, digest, is_genuine
from tabularium_client.proof.chance import Draws
from tabularium_client.proof.fields import TYPES_AROUND_THE_TABLE, fault_of_fields, is_of
from tabularium_client.proof.lines import (
    Fault,
    Object,
    Row,
    check_end,
    is_same,
    objects,
    read_line,
    read_rows,
    require_shape,
)
from tabularium_client.proof.origin import is_around_the_table

FORMAT: Final = "tabularium-export/1"
_DEEPEST: Final = 8
"""Forks of forks, at most."""
_HEADER: Final = {"board", "format", "game", "ruleset", "ruleset_version"}
_SECRET: Final = {"commitment", "readers", "salt", "value"}
_STARTS: Final = ("game-created", "game-forked")
_AFTER_ROWS: Final = re.compile(rb'\{"(secret|end|past)":')


class Part:
    """A game, with the lines that belong to it.

    Args:
        lines: its lines, from the header to the line that ends it.
        first: the number of the first line in the file.
        past: the game that it is a fork of, which was read before.
    """

    def __init__(self, lines: list[bytes], first: int, past: "Part | None" = None) -> None:
        self.lines, self.first, self.past = lines, first, past
        self.last = first + len(lines) - 1
        self.header: Object = {}
        self.rows: list[Row] = []
        self.secrets: list[Object] = []
        self.sealed = set[str]()
        """The commitments to everything hidden in it and in its past."""
        self.secret: str | None = None
        """The secret behind the dice, where it is published."""
        self.is_open = False
        """Whether nothing of it is hidden from the reader."""
        self.status = ""
        self.checked: list[str] = []
        self.unchecked: list[str] = []

    @property
    def around(self) -> Around:
        """What is known around the table after the last row."""
        return around_at(self.rows, len(self.rows), None if self.past is None else self.past.around)

    @property
    def plays(self) -> Any:
        """The version of the ruleset by which the game is played at its last row."""
        events = (row["event"] for row in reversed(self.rows))
        upgraded = (event["to"] for event in events if event["type"] == "rules-upgraded")
        return next(upgraded, self.header["ruleset_version"])

    @property
    def commitments(self) -> set[str]:
        """The commitments to the secrets of dice, of this game and its past."""
        return {self.rows[0]["event"]["commitment"], *(self.past.commitments if self.past else ())}

    def _at(self, version: int) -> tuple[int, int]:
        return self.first + version, version

    # --- the chain ---

    def read(self) -> None:
        """Read all lines but the one that ends it."""
        self.header = read_line(self.lines[0], self.first, _HEADER, frozenset({"documents"}))
        are_texts = all(isinstance(self.header[name], str) for name in ("game", "ruleset"))
        if not are_texts or type(self.header["ruleset_version"]) is not int:
            raise Fault(f"line {self.first} is not of the known shape", self.first)
        if self.header["format"] != FORMAT:
            raise Fault(f"this is not an export of the form {FORMAT}", self.first)
        after = next((at for at, line in enumerate(self.lines) if _AFTER_ROWS.match(line)), len(self.lines))
        read_rows(self.rows, self.lines[1:after], self.header["game"], self.first)
        if not self.rows:
            raise Fault("the log is empty", *self._at(1))
        for row in self.rows:
            event = row["event"]
            wrong = is_around_the_table(event["type"]) and fault_of_fields(event, TYPES_AROUND_THE_TABLE)
            if wrong:
                raise Fault(f"version {row['version']} {wrong}", *self._at(row["version"]))
        self._check_creation(self.rows[0]["event"])
        self._read_secrets()

    def _check_creation(self, created: Object) -> None:
        if created["type"] not in _STARTS:
            raise Fault("version 1 does not create a game", *self._at(1))
        if not created["organizer"]:
            raise Fault("version 1 names no organizer", *self._at(1))
        if not HEX.fullmatch(created["commitment"]):
            raise Fault("version 1 has a commitment that is no SHA-256 in hex", *self._at(1))
        self._check_origin(created)
        header = self.header
        facts = (digest(header["board"]), header["ruleset"], header["ruleset_version"])
        if facts != (created["board"], created["ruleset"], created["ruleset_version"]):
            raise Fault("the first line names another ruleset or board than the game was created with", self.first)
        documents, expected = header.get("documents") or {}, created.get("documents") or {}
        for name in sorted({*documents, *expected}):
            if name not in documents or digest(documents[name]) != expected.get(name):
                raise Fault(f"the {name} in the first line are not those that the game was created with", self.first)
        types = [row["event"]["type"] for row in self.rows]
        if "game-ended" in types[:-1]:
            raise Fault("something follows the end of the game", *self._at(types.index("game-ended") + 2))
        began = "game-started" in types or created.get("purpose") == "analysis"
        self.status = "running" if began else "gathering"
        if types[-1] == "game-ended" or "game-cancelled" in types:
            self.status = "over" if types[-1] == "game-ended" else "cancelled"

    def _check_origin(self, created: Object) -> None:
        """Check that a fork, and nothing else, has a past, and that it begins exactly where and as that ends."""
        where, game, past = self._at(1), self.header["game"], self.past
        if created["type"] == "game-created":
            if past is not None:
                raise Fault(f"{game} is no fork, but a past stands before it", *where)
            return
        if past is None:
            raise Fault(f"{game} is a fork of {created['parent']}, whose log is missing", *where)
        parent, last = past.header["game"], past.rows[-1]
        if created["parent"] != parent:
            raise Fault(f"{game} is a fork of {created['parent']}, but the log before it is that of {parent}", *where)
        if (created["version"], created["hash"]) != (last["version"], last["hash"]):
            raise Fault(
                f"{game} forks at version {created['version']} with the hash {created['hash']}, but the log of "
                f"{parent} before it ends at version {last['version']} with the hash {last['hash']}",
                *where,
            )
        if self.rows[0]["at"] < last["at"]:
            at = self.rows[0]["at"]
            raise Fault(f"version 1 has the time {at}, before the version of {parent} at which it forks", *where)
        purpose = created["purpose"]
        if purpose not in {"analysis", "continuation"}:
            raise Fault(f"version 1 has the purpose {purpose}", *where)
        for name, right in self._inherited(created, past, purpose == "analysis").items():
            if _written(created.get(name)) != _written(right):
                raise Fault(
                    f"version 1 forks with {name} {_written(created.get(name))}; of {parent} there follows "
                    f"{_written(right)}",
                    *where,
                )
        if created["depth"] > _DEEPEST:
            raise Fault(
                f"version 1 is the fork number {created['depth']} in a row; at most {_DEEPEST} follow one another",
                *where,
            )
        if purpose == "continuation" and not past.secret:
            raise Fault(
                f"version 1 continues {parent}, whose secret is missing: only what is over is continued", *where
            )
        if created["commitment"] in past.commitments:
            raise Fault("version 1 has a commitment of its past: a fork has a secret of its own", *where)

    def _inherited(self, created: Object, past: "Part", is_analysis: bool) -> Object:
        """Return what the first event of a fork says because its parent is so; None stands for nothing."""
        parent = past.rows[0]["event"]
        maker = self.rows[0].get("cause", {}).get("player")
        withheld = past.header["game"] if created.get("withheld") else None
        same = ("board", "documents", "seats", "setup", "readers")
        return {
            "depth": parent.get("depth", 0) + 1,
            "ruleset": past.header["ruleset"],
            "ruleset_version": past.plays,
            **{name: parent.get(name) for name in same},
            "organizer": maker if is_analysis else past.around.organizer,
            "organizer_sees": "all" if is_analysis else parent.get("organizer_sees"),
            "forks": None if is_analysis else parent.get("forks"),
            "withheld": parent.get("withheld") or withheld,
        }

    # --- the lines after it ---

    def _read_secrets(self) -> None:
        for at in range(len(self.rows) + 1, len(self.lines) - 1):
            number = self.first + at
            secret = read_line(self.lines[at], number, {"secret"})["secret"]
            require_shape(secret, _SECRET, number)
            if not is_genuine(secret):
                raise Fault(f"the secret of {secret['commitment']} does not fit its commitment", number)
            self.secrets.append(secret)

    def read_end(self, whole: bytes) -> None:
        """Read the line that ends a whole export."""
        right = {
            "head": self.rows[-1]["hash"],
            "secrets": len(self.secrets),
            "status": self.status,
            "version": len(self.rows),
        }
        check_end(whole, self.lines[-1], self.last, right)
        if self.status == "over":
            self.secret = self.rows[-1]["event"].get("secret")

    def read_past(self) -> None:
        """Read the line that ends the past of a fork."""
        end, game, number = read_line(self.lines[-1], self.last, {"past"})["past"], self.header["game"], self.last
        require_shape(end, {"head", "secrets", "version"}, number, frozenset({"secret"}))
        if not is_same(end["version"], len(self.rows)) or end["head"] != self.rows[-1]["hash"]:
            raise Fault(
                f"the past does not end at version {end['version']} of {game} with the hash that is named", number
            )
        if not is_same(end["secrets"], len(self.secrets)):
            raise Fault(f"the past has {len(self.secrets)} secrets of {game}, not {end['secrets']}", number)
        if self.status != "running":
            raise Fault(f"the past ends at version {end['version']}, where {game} does not run", number)
        self.secret = end.get("secret")

    # --- what is in it ---

    def check(self) -> None:
        """Check all that needs no secret: who did what and when, and what is opened."""
        before = None
        for row in self.rows:
            wrong = fault_of_time(row["at"], before) or fault_of_cause(row)
            if wrong:
                raise Fault(f"version {row['version']} {wrong}", *self._at(row["version"]))
            before = row["at"]
        if fault := fault_of_acts(self.rows, None if self.past is None else self.past.around):
            raise Fault(f"version {fault[0]} {fault[1]}", *self._at(fault[0]))
        self._check_opened()

    def _check_opened(self) -> None:
        """Check that all that is opened fits its commitment, and that the secrets are those of the log."""
        before = self.past.sealed if self.past else set[str]()
        self.sealed, sealed, opened = set(before), dict[bytes, Object](), 0
        for row in self.rows:
            for part in objects([row["event"], row.get("cause")]):
                if part.keys() == {"commitment", "readers"}:
                    if not is_of("sealed", part):
                        version = row["version"]
                        raise Fault(f"version {version} seals something in an unknown shape", *self._at(version))
                    self.sealed.add(part["commitment"])
                    if part["commitment"] not in before:
                        sealed[canonical(part)] = part
                if part.keys() == {"commitment", "salt", "value"}:
                    opened += 1
                    if not is_genuine(part):
                        version = row["version"]
                        problem = f"version {version} opens a secret that does not fit its commitment"
                        raise Fault(problem, *self._at(version))
        if self.status != "over":
            self._check_reader(list(sealed.values()))
        for index, secret in enumerate(self.secrets):
            key = canonical({"commitment": secret["commitment"], "readers": secret["readers"]})
            if sealed.pop(key, None) is None:
                number = self.first + len(self.rows) + 1 + index
                raise Fault(f"the log has no secret of {secret['commitment']}", number)
        if self.status == "over" and sealed:
            raise Fault(f"the secret of {next(iter(sealed.values()))['commitment']} was not published")
        self.is_open = not sealed
        if published := opened + len(self.secrets):
            self.checked.append(f"{published} hidden values that were published fit their commitments.")

    def _check_reader(self, sealed: list[Object]) -> None:
        """Check that a running game's export has the secrets of one reader: none, all, or all of one seat."""
        commitments = {secret["commitment"] for secret in self.secrets}
        if not commitments or len(commitments) == len(sealed):
            return
        for seat in self.rows[0]["event"]["seats"]:
            if all((seat in each["readers"]) == (each["commitment"] in commitments) for each in sealed):
                return
        raise Fault(
            "the secrets in the export are not those of one reader: none, all, or exactly those of one seat",
            self.first + len(self.rows) + 1,
        )

    def draw_again(self, ruleset: Object | None) -> None:
        """Draw all again from the secret that was published."""
        where = self._at(len(self.rows)) if self.status == "over" else (self.last, None)
        if not isinstance(self.secret, str) or not HEX.fullmatch(self.secret):
            raise Fault("the last version does not publish the secret", *where)
        if hashlib.sha256(bytes.fromhex(self.secret)).hexdigest() != self.rows[0]["event"]["commitment"]:
            raise Fault("the secret of the dice does not fit the commitment of version 1", *where)
        self.checked.append("The secret behind the dice is the one that was committed to before the game.")
        id_, version = self.header["ruleset"], self.header["ruleset_version"]
        if ruleset is None or (ruleset["id"], ruleset["version"]) != (id_, version):
            self.unchecked.append(
                f"Dice: this service does not say where events of {id_}, version {version} show them."
            )
            return
        salts = [secret["salt"] for secret in self.secrets] if self.is_open else None
        draws = Draws(self.secret, self.header["game"], self.rows, ruleset, salts)
        if fault := draws.fault():
            problem, at = fault
            raise Fault(problem, *(self._at(at) if at else ()))
        self.checked += draws.checked()
        self.unchecked += draws.unchecked()
        if not self.is_open:
            self.unchecked.append(f"Salts of what {self.header['game']} hides from this reader.")


def _written(value: Any) -> str:
    return "nothing" if value is None else canonical(value).decode()
