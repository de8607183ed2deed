"""The proof of a game from its export: every line canonical, the chain unbroken, what is opened true to its commitment.

After the end also every roll, shuffle and salt. Of a fork also all of that for the games that it goes back to.
`openapi/verification.md` lists every field.
"""

import hashlib
import re
from datetime import datetime
from typing import Any, Final

import msgspec
from msgspec import Struct, field

from tabularium_client.proof.chain import HEX, canonical, digest, following, genesis, is_genuine, parts
from tabularium_client.proof.chance import Draws

FORMAT: Final = "tabularium-export/1"
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)
_ROW: Final = {"at", "draws", "event", "game", "hash", "schema", "version"}
_CAUSE: Final = {"by", "case", "key", "player", "seat", "tournament"}
_KEY: Final = re.compile("[0-9a-f]{32}")
_STARTS: Final = ("game-created", "game-forked")
_UNCHECKED: Final = (
    "Who may act: whether each act names an account and a seat that may do it.",
    "Whether every command was lawful and every event followed from it: `tabularium verify` decides all of them again.",
)


class Verdict(Struct):
    """What was found in an export.

    Attributes:
        ok: nothing is wrong, as far as it was checked.
        problem: what is wrong, in a sentence.
        version, line: the first version that is wrong, and the line of the file.
        game, ruleset, status: what the export is of.
        versions, head: how many versions there are, and the hash of the last one, which stands for all of the log.
        commitment: the SHA-256 of the secret behind the dice.
        checked, unchecked: what was checked, and what was not, in sentences.
        rows: the log, as far as it could be read.
    """

    ok: bool
    problem: str | None = None
    version: int | None = None
    line: int | None = None
    game: str | None = None
    ruleset: str | None = None
    status: str | None = None
    versions: int = 0
    head: str | None = None
    commitment: str | None = None
    checked: list[str] = field(default_factory=list[str])
    unchecked: list[str] = field(default_factory=list[str])
    rows: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


class Fault(Exception):
    """What is wrong with an export, and where."""

    def __init__(self, problem: str, line: int | None = None, version: int | None = None) -> None:
        super().__init__(f"{problem[:1].upper()}{problem[1:]}.")
        self.line = line
        self.version = version


def verify(export: str | bytes, ruleset: dict[str, Any] | None = None) -> Verdict:
    """Check the export of a game. Whatever it holds, that raises nothing.

    Args:
        ruleset: the answer of ``GET /v1/rulesets/{ruleset}``, which says where events show dice. Without it they are
            not drawn again.
    """
    whole = export.encode() if isinstance(export, str) else export
    verdict = Verdict(True)
    try:
        _check(whole, ruleset, verdict)
    except Fault as fault:
        return _failed(verdict, str(fault), fault.line, fault.version)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        return _failed(verdict, f"This cannot be read: {error}.")  # Whatever hostile content trips over is no proof.
    return verdict


def _failed(verdict: Verdict, problem: str, line: int | None = None, version: int | None = None) -> Verdict:
    return msgspec.structs.replace(
        verdict, ok=False, problem=problem, line=line, version=version, checked=[], unchecked=[]
    )


def _check(whole: bytes, ruleset: dict[str, Any] | None, verdict: Verdict) -> None:
    lines = whole.split(b"\n")
    if len(lines) == 1:
        raise Fault("the export is empty", 1)
    if lines.pop():
        raise Fault("the export is cut off", len(lines) + 1)
    past, begin = None, 0
    for end in [at for at, line in enumerate(lines) if line.startswith(b'{"past":')]:
        past, begin = _Part(lines[begin : end + 1], begin + 1, past), end + 1
        try:
            past.read()
            past.read_past()
            past.check_opened()
            if past.secret is not None:
                past.draw_again(ruleset, verdict)
        except Fault as fault:
            game = past.header.get("game", "which cannot be read")
            raise Fault(f"in the past of the fork, {game}: {str(fault).removesuffix('.')}", fault.line) from fault
    if begin == len(lines):
        raise Fault("the last line is missing", len(lines) + 1)
    part = _Part(lines[begin:], begin + 1, past)
    try:
        part.read()
        part.read_end(whole)
        part.check_opened()
        verdict.checked.append(f"The chain of {len(part.rows)} versions is unbroken, and every line is canonical.")
        if part.published:
            verdict.checked.append(f"{part.published} hidden values that were published fit their commitments.")
        if part.status == "over":
            part.draw_again(ruleset, verdict)
        elif part.status != "cancelled":
            verdict.unchecked.append("Dice and hidden values: their secret is published when the game is over.")
    finally:
        part.tell(verdict)
    verdict.unchecked += _UNCHECKED


class _Part:
    """A game in an export: the whole of it, or what a fork goes back to."""

    def __init__(self, lines: list[bytes], first: int, past: "_Part | None") -> None:
        self.lines, self.first, self.past = lines, first, past
        self.header: dict[str, Any] = {}
        self.rows: list[dict[str, Any]] = []
        self.secrets: list[dict[str, Any]] = []
        self.sealed: set[str] = set()
        self.secret: str | None = None
        self.status = ""
        self.is_open = False
        self.published = 0

    def tell(self, verdict: Verdict) -> None:
        """Say what was read."""
        verdict.game, verdict.ruleset = self.header.get("game"), self.header.get("ruleset")
        verdict.rows, verdict.versions, verdict.status = self.rows, len(self.rows), self.status or None
        if self.rows:
            verdict.head, verdict.commitment = self.rows[-1]["hash"], self.rows[0]["event"].get("commitment")

    def _object(
        self, at: int, names: set[str], optional: frozenset[str] = frozenset(), what: str = ""
    ) -> dict[str, Any]:
        """Return the object that a line is. Raises `Fault` unless it is canonical and has these members."""
        number, whose = self.first + at, what or f"line {self.first + at}"
        try:
            value: Any = msgspec.json.decode(self.lines[at])
        except msgspec.DecodeError as error:
            raise Fault(f"{whose} is not JSON", number) from error
        _require_shape(value, names, optional, whose, number)
        try:
            exact = canonical(value) == self.lines[at]
        except ValueError as error:
            raise Fault(f"{whose} is not in the canonical form of RFC 8785: {error}", number) from error
        if not exact:
            raise Fault(f"{whose} is not in the canonical form of RFC 8785", number)
        return value

    def read(self) -> None:
        """Read all lines but the one that ends it."""
        self.header = self._object(
            0, {"board", "format", "game", "ruleset", "ruleset_version"}, frozenset({"documents"})
        )
        if self.header["format"] != FORMAT:
            raise Fault(f"this is not an export of the form {FORMAT}", self.first)
        ends = (b'{"secret":', b'{"end":', b'{"past":')
        after = next((at for at, line in enumerate(self.lines) if line.startswith(ends)), len(self.lines))
        head, before = genesis(self.header["game"]), None
        for version in range(1, after):
            row = self._object(version, _ROW, frozenset({"cause"}), f"version {version}")
            wrong = self._fault_of(row, version, head, before)
            if wrong:
                raise Fault(wrong, self.first + version, version)
            self.rows.append(row)
            head, before = bytes.fromhex(row["hash"]), row
        if not self.rows:
            raise Fault("the log is empty", self.first + 1, 1)
        self._check_creation(self.rows[0]["event"])
        for at in range(after, len(self.lines) - 1):
            secret = self._object(at, {"secret"})["secret"]
            names = {"commitment", "readers", "salt", "value"}
            _require_shape(secret, names, frozenset(), f"line {self.first + at}", self.first + at)
            if not is_genuine(secret):
                raise Fault(f"the secret of {secret['commitment']} does not fit its commitment", self.first + at)
            self.secrets.append(secret)

    def _fault_of(self, row: dict[str, Any], version: int, head: bytes, before: dict[str, Any] | None) -> str | None:
        if row["version"] != version:
            return f"expected version {version}, found version {row['version']}"
        if row["game"] != self.header["game"]:
            return f"version {version} is of another game"
        if row["draws"] < (before["draws"] if before else 0):
            return f"version {version} counts fewer draws of chance than the version before it"
        if not HEX.fullmatch(row["hash"]):
            return f"the hash of version {version} is not 64 hex digits"
        hashed = canonical({name: value for name, value in row.items() if name != "hash"})
        if following(head, hashed).hex() != row["hash"]:
            return f"the hash of version {version} does not continue the chain"
        if not _is_moment(row["at"]):
            return f"version {version} has the time {row['at']}; expected a time in UTC with microseconds"
        if before and row["at"] < before["at"]:
            return f"version {version} has the time {row['at']}, which is earlier than the one before, {before['at']}"
        if "cause" in row:
            return _fault_of_cause(row["cause"], version)
        if before and row["at"] != before["at"]:
            return f"version {version} has another time than the act that it follows from"
        return None

    def _check_creation(self, created: dict[str, Any]) -> None:
        if created["type"] not in _STARTS:
            raise Fault("version 1 does not create a game", self.first + 1, 1)
        if not created["organizer"]:
            raise Fault("version 1 names no organizer", self.first + 1, 1)
        if not HEX.fullmatch(created["commitment"]):
            raise Fault("version 1 has a commitment that is no SHA-256 in hex", self.first + 1, 1)
        self._check_origin(created)
        header = self.header
        named = (digest(header["board"]), header["ruleset"], header["ruleset_version"])
        if named != (created["board"], created["ruleset"], created["ruleset_version"]):
            raise Fault("the first line names another ruleset or board than the game was created with", self.first)
        given, expected = header.get("documents") or {}, created.get("documents") or {}
        for name in sorted({*given, *expected}):
            if name not in given or digest(given[name]) != expected.get(name):
                raise Fault(f"the {name} in the first line are not those that the game was created with", self.first)
        types = [row["event"]["type"] for row in self.rows]
        if "game-ended" in types[:-1]:
            version = types.index("game-ended") + 2
            raise Fault("something follows the end of the game", self.first + version, version)
        if later := [at for at, each in enumerate(types) if at and each in _STARTS]:
            raise Fault("a game is created once", self.first + later[0] + 1, later[0] + 1)
        self.status = "over" if types[-1] == "game-ended" else "cancelled" if "game-cancelled" in types else "gathering"
        if self.status == "gathering" and ("game-started" in types or created.get("purpose") == "analysis"):
            self.status = "running"

    def _check_origin(self, created: dict[str, Any]) -> None:
        """Check that a fork, and nothing else, has a past, and that it begins exactly where that ends."""
        where, game = (self.first + 1, 1), self.header["game"]
        if created["type"] == "game-created":
            if self.past is not None:
                raise Fault(f"{game} is no fork, but a past stands before it", *where)
            return
        if self.past is None:
            raise Fault(f"{game} is a fork of {created['parent']}, whose log is missing", *where)
        parent, last = self.past.header["game"], self.past.rows[-1]
        if (created["parent"], created["version"], created["hash"]) != (parent, last["version"], last["hash"]):
            raise Fault(f"{game} does not begin where the log of {parent} before it ends", *where)
        if self.rows[0]["at"] < last["at"]:
            raise Fault(f"version 1 is earlier than the version of {parent} at which it forks", *where)
        if created["commitment"] in self.past.commitments:
            raise Fault("version 1 has a commitment of its past: a fork has a secret of its own", *where)

    @property
    def commitments(self) -> set[str]:
        """The commitments to the secrets of dice, of this game and its past."""
        return {self.rows[0]["event"]["commitment"], *(self.past.commitments if self.past else ())}

    def read_end(self, whole: bytes) -> None:
        """Read the line that ends a whole export."""
        last = self.lines[-1]
        if not last.startswith(b'{"end":'):
            raise Fault("the last line is missing", self.first + len(self.lines))
        number = self.first + len(self.lines) - 1
        end = self._object(len(self.lines) - 1, {"end"})["end"]
        right: dict[str, Any] = {
            "digest": f"sha256:{hashlib.sha256(whole[: len(whole) - len(last) - 1]).hexdigest()}",
            "head": self.rows[-1]["hash"],
            "secrets": len(self.secrets),
            "status": self.status,
            "version": len(self.rows),
        }
        _require_shape(end, set(right), frozenset(), f"line {number}", number)
        for name, expected in right.items():
            if end[name] != expected:
                raise Fault(f"the last line has {name} {end[name]}; expected {expected}", number)
        if self.status == "over":
            self.secret = self.rows[-1]["event"].get("secret", "")

    def read_past(self) -> None:
        """Read the line that ends the past of a fork."""
        number = self.first + len(self.lines) - 1
        end = self._object(len(self.lines) - 1, {"past"})["past"]
        _require_shape(end, {"head", "secrets", "version"}, frozenset({"secret"}), f"line {number}", number)
        if (end["version"], end["head"]) != (len(self.rows), self.rows[-1]["hash"]):
            raise Fault(f"the past does not end at version {end['version']} with the hash that is named", number)
        if end["secrets"] != len(self.secrets):
            raise Fault(f"the past has {len(self.secrets)} secrets, not {end['secrets']}", number)
        if self.status != "running":
            raise Fault(f"the past ends where {self.header['game']} does not run", number)
        self.secret = end.get("secret")

    def check_opened(self) -> None:
        """Check that all that is opened fits its commitment, and that the secrets are those of the log."""
        before = self.past.sealed if self.past else set[str]()
        self.sealed, sealed = set(before), dict[bytes, str]()
        for row in self.rows:
            for part in parts([row["event"], row.get("cause")]):
                if not isinstance(part, dict):
                    continue
                if part.keys() == {"commitment", "readers"}:
                    self.sealed.add(part["commitment"])
                    if part["commitment"] not in before:
                        sealed[canonical(part)] = part["commitment"]
                if part.keys() == {"commitment", "salt", "value"}:
                    self.published += 1
                    if not is_genuine(part):
                        version = row["version"]
                        problem = f"version {version} opens a secret that does not fit its commitment"
                        raise Fault(problem, self.first + version, version)
        if self.status != "over":
            self._check_reader([msgspec.json.decode(each) for each in sealed])
        for index, secret in enumerate(self.secrets):
            key = canonical({"commitment": secret["commitment"], "readers": secret["readers"]})
            if sealed.pop(key, None) is None:
                number = self.first + len(self.rows) + 1 + index
                raise Fault(f"the log has no secret of {secret['commitment']}", number)
        if self.status == "over" and sealed:
            raise Fault(f"the secret of {next(iter(sealed.values()))} was not published")
        self.is_open = not sealed
        self.published += len(self.secrets)

    def _check_reader(self, sealed: list[dict[str, Any]]) -> None:
        """Check that a running game's export has the secrets of one reader: none, all, or all of one seat."""
        known = {secret["commitment"] for secret in self.secrets}
        if not known or len(known) == len(sealed):
            return
        for seat in self.rows[0]["event"]["seats"]:
            if all((seat in each["readers"]) == (each["commitment"] in known) for each in sealed):
                return
        raise Fault("the secrets in the export are not those of one reader", self.first + len(self.rows) + 1)

    def draw_again(self, ruleset: dict[str, Any] | None, verdict: Verdict) -> None:
        """Draw all again from the secret that was published."""
        number = self.first + len(self.rows)
        if not isinstance(self.secret, str) or not HEX.fullmatch(self.secret):
            raise Fault("the last version does not publish the secret", number)
        if hashlib.sha256(bytes.fromhex(self.secret)).hexdigest() != self.rows[0]["event"]["commitment"]:
            raise Fault("the secret of the dice does not fit the commitment of version 1", number)
        verdict.checked.append("The secret behind the dice is the one that was committed to before the game.")
        named = (self.header["ruleset"], self.header["ruleset_version"])
        if ruleset is None or (ruleset["id"], ruleset["version"]) != named:
            what = f"{named[0]}, version {named[1]}"
            verdict.unchecked.append(f"Dice: it is not known where events of {what} show them.")
            return
        salts = [secret["salt"] for secret in self.secrets] if self.is_open else None
        draws = Draws(self.secret, self.header["game"], self.rows, ruleset, salts)
        if found := draws.fault():
            problem, version = found
            raise Fault(
                f"version {version} {problem}" if version else problem, version and self.first + version, version
            )
        verdict.checked.append(
            f"{draws.rolls} rolls of dice and {draws.shuffles} shuffles were drawn again: all are right."
        )
        if draws.untold:
            versions = ", ".join(map(str, draws.untold))
            verdict.unchecked.append(f"The lots behind version {versions}: what was shuffled depends on the position.")


def _require_shape(value: Any, names: set[str], optional: frozenset[str], whose: str, line: int) -> None:
    if not isinstance(value, dict) or not names <= value.keys() <= names | optional:
        raise Fault(f"{whose} is not of the known shape", line)


def _fault_of_cause(cause: Any, version: int) -> str | None:
    texts = (
        {name: value for name, value in cause.items() if name != "command"} if isinstance(cause, dict) else {"": None}
    )
    known = texts.keys() <= _CAUSE and all(isinstance(value, str) for value in texts.values())
    if (
        not known
        or not isinstance(cause.get("command", {}), dict)
        or cause.get("by", "clock") not in {"clock", "house"}
    ):
        return f"version {version} has a cause that is not of the known shape"
    if not _KEY.fullmatch(cause.get("key", "0" * 32)):
        return f"version {version} has a key that is not a digest of 32 hex digits"
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
