"""The proof of a game or a case from its export, without the rules.

Of a game: every line canonical, the chain unbroken, the header true to the first event, times in order, every act by an
account that may do it (`acts.py`), what is opened true to its commitment, and after the end every roll, shuffle and
salt drawn again (`chance.py`). Of a fork also all of that for the games that it goes back to. Cases are in `case.py`.
`openapi/verification.md` lists every field, and what is checked of it.
"""

from typing import Any

import msgspec
from msgspec import Struct, field

from tabularium_client.proof.case import Case, is_case
from tabularium_client.proof.lines import Fault, split
from tabularium_client.proof.part import Part


class Verdict(Struct):
    """What was found in an export.

    Attributes:
        ok: whether nothing wrong was found. `unchecked` lists what was not checked.
        problem: what is wrong, in a sentence.
        version, line: the first version that is wrong, and the line of the file.
        game, case, ruleset, status: what the export is of.
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
    case: str | None = None
    ruleset: str | None = None
    status: str | None = None
    versions: int = 0
    head: str | None = None
    commitment: str | None = None
    checked: list[str] = field(default_factory=list[str])
    unchecked: list[str] = field(default_factory=list[str])
    rows: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


def verify(export: str | bytes, ruleset: dict[str, Any] | None = None, game: str | bytes | None = None) -> Verdict:
    """Check the export of a game or a case. Never raises, whatever the text contains.

    Args:
        ruleset: the answer of ``GET /v1/rulesets/{ruleset}``, which says where events show dice. Without it they are
            not drawn again.
        game: of a case, the export of its game, which is checked as well.
    """
    whole, verdict = _bytes(export), Verdict(True)
    try:
        if is_case(whole):
            _check_case(whole, None if game is None else _bytes(game), verdict)
        else:
            _Log(whole, ruleset, verdict).check()
    except Fault as fault:
        return _failed(verdict, str(fault), fault.line, fault.version)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        return _failed(verdict, f"This cannot be read: {error}.")  # Whatever hostile content trips over is no proof.
    return verdict


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _failed(verdict: Verdict, problem: str, line: int | None = None, version: int | None = None) -> Verdict:
    return msgspec.structs.replace(
        verdict, ok=False, problem=problem, line=line, version=version, checked=[], unchecked=[]
    )


def _check_case(whole: bytes, game: bytes | None, verdict: Verdict) -> None:
    """Check a case, and before it the game that it is about."""
    played = None
    if game is not None:
        try:
            played = _Log(game, None, Verdict(True)).check()
        except Fault as fault:
            raise Fault(f"the export of the game is wrong: {str(fault).removesuffix('.')}") from fault
    case = Case(whole)
    try:
        case.check(played)
    finally:
        verdict.case, verdict.game, verdict.status = case.header.get("case"), case.header.get("game"), case.status
        verdict.rows, verdict.versions = case.rows, len(case.rows)
        verdict.head = case.rows[-1]["hash"] if case.rows else None
    verdict.checked, verdict.unchecked = case.checked, case.unchecked


class _Log:
    """The export of a game, with the past of a fork before it."""

    def __init__(self, whole: bytes, ruleset: dict[str, Any] | None, verdict: Verdict) -> None:
        self._whole, self._ruleset, self._verdict = whole, ruleset, verdict

    def check(self) -> Part:
        """Check all of it, and return the game."""
        lines = split(self._whole)
        past, begin, checked, unchecked = None, 0, self._verdict.checked, self._verdict.unchecked
        for end in [at for at, line in enumerate(lines) if line.startswith(b'{"past":')]:
            past, begin = Part(lines[begin : end + 1], begin + 1, past), end + 1
            self._check_past(past)
        if begin == len(lines):
            raise Fault("the last line is missing", len(lines) + 1)
        part = Part(lines[begin:], begin + 1, past)
        try:
            part.read()
            part.read_end(self._whole)
            part.check()
            checked += [
                f"The chain of {len(part.rows)} versions is unbroken, every line is in its canonical form, and the "
                "board is the one that the game was created on.",
                "Every act names an account that may do it: a seat's commands come from the player who holds it, the "
                "start from the organizer or a player, and rulings from an official on a case, or from the organizer.",
                "No time is before that of the last event.",
            ]
            if part.status == "over":
                part.draw_again(self._ruleset)
        finally:
            self._tell(part)
        checked += part.checked
        unchecked += part.unchecked
        if part.status not in {"over", "cancelled"}:
            unchecked.append("Dice and hidden values: the secret behind them is published when the game is over.")
        unchecked.append(
            "Whether every command was lawful and every event followed from it: `tabularium verify` decides all of "
            "them again."
        )
        return part

    def _check_past(self, part: Part) -> None:
        """Check what a fork goes back to; its versions are not those of the fork."""
        try:
            part.read()
            part.read_past()
            part.check()
            if part.secret:
                part.draw_again(self._ruleset)
        except Fault as fault:
            game = part.header.get("game") or "which cannot be read"
            raise Fault(f"in the past of the fork, {game}: {str(fault).removesuffix('.')}", fault.line) from fault
        finally:
            self._tell(part)
        game, verdict = part.header["game"], self._verdict
        verdict.checked.append(
            f"The log of {game} up to version {len(part.rows)} is unbroken, and the fork begins exactly there."
        )
        verdict.checked += [f"{game}: {line}" for line in part.checked]
        verdict.unchecked += [f"{game}: {line}" for line in part.unchecked]
        if not part.secret:
            verdict.unchecked.append(
                f"Dice and hidden values of the past: they wait for the secret of {game}, until that game is over."
            )

    def _tell(self, part: Part) -> None:
        """Say what was read."""
        verdict = self._verdict
        verdict.game, verdict.ruleset = part.header.get("game"), part.header.get("ruleset")
        verdict.rows, verdict.versions, verdict.status = part.rows, len(part.rows), part.status or None
        if part.rows:
            verdict.head, verdict.commitment = part.rows[-1]["hash"], part.rows[0]["event"].get("commitment")
