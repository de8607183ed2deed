"""Games that other services recorded: what an export must fulfil before this service keeps it (TAB-IMP)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NoReturn

from msgspec import UNSET, Struct

from domain.judging import proof as case_proof
from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.log.ending import Finish
from domain.kernel.log.history import read_created
from domain.kernel.proof.export import Export
from domain.kernel.proof.reading import read
from domain.kernel.proof.verify import Verdict, verify
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Library
from domain.league import proof as league_proof
from domain.tournament import proof as tournament_proof
from domain.transparency.certificate import certify
from domain.transparency.note import Check, NoteError
from domain.transparency.policy import Policy, PolicyError, read_policy
from domain.transparency.proof import read_proof

MOST_EVENTS: Final = 20_000
"""The most events of an imported game, with those of its past. The longest of `tests/recorded` has 6,836."""

LARGEST_BOARD: Final = 1024 * 1024
"""The most bytes of a board with its documents. The setting `board_limit` has the same default."""

_OTHERS: Final[Mapping[str, Callable[[bytes], bool]]] = {
    "case": case_proof.is_export,
    "tournament": tournament_proof.is_export,
    "league": league_proof.is_export,
}


class Issuer(Struct, frozen=True):
    """The service that stands by an imported game, as far as its certificate says.

    Attributes:
        origin: the name of its transparency log.
        key: the key that signed, as a C2SP vkey: name, id and public bytes.
        said: what the certificate proves, in sentences.
    """

    origin: str
    key: str
    said: tuple[str, ...]


class Examined(Struct, frozen=True):
    """A game that may be imported.

    Attributes:
        game: the id that its issuer gave it.
        past: the games that it forks from, the oldest first.
        ruleset, ruleset_version: by which rules it began.
        events: the number of its events.
        head: the hash of the last event, in hex.
        created, ended: the times of its first event and of its last.
        seats: the accounts that held its seats at the end, as its issuer names them.
        finish: how it ended.
        proved: what was checked, in sentences.
        issuer: who stands by it; None when no certificate came with it.
    """

    game: GameId
    past: tuple[GameId, ...]
    ruleset: str
    ruleset_version: int
    events: int
    head: str
    created: str
    ended: str
    seats: dict[Seat, PlayerId | None]
    finish: Finish
    proved: tuple[str, ...]
    issuer: Issuer | None = None


def examine(
    content: bytes, library: Library, check: Check, certificate: str | None = None, policy: str | None = None
) -> Examined:
    """Return what an export proves; `check` verifies signatures. Raises `Refusal` when it may not be imported."""
    trust_policy = _policy(certificate, policy)
    lines = content.splitlines(keepends=True)
    _require_small(lines)
    verdict = verify(lines, library)
    if not verdict.ok:
        _refuse_unproved(lines[0] if lines else b"", verdict)
    _require_finished(verdict)
    export = read(lines)
    chain = [*_chain(export)]
    for each in chain:
        if read_created(each.records[0]).readers is not UNSET:
            raise Refusal("TAB-IMP-03", f"Game {each.game} is private.", "Import a game that everybody may read.")
    game, finish = export.fold(library), verdict.finish
    assert finish is not None
    return Examined(
        game=export.game,
        past=tuple(each.game for each in chain[:-1]),
        ruleset=export.ruleset,
        ruleset_version=export.ruleset_version,
        events=verdict.events,
        head=verdict.head,
        created=export.records[0].at,
        ended=export.records[-1].at,
        seats=dict(game.players),
        finish=finish,
        proved=verdict.proved,
        issuer=None
        if certificate is None or trust_policy is None
        else _issuer(export, library, certificate, trust_policy, check),
    )


def _require_small(lines: list[bytes]) -> None:
    events = sum(line.startswith(b'{"at":') for line in lines)
    if events > MOST_EVENTS:
        raise Refusal("TAB-IMP-02", f"The export has {events:,} events.", f"At most {MOST_EVENTS:,} are imported.")
    board = max((len(line) for line in lines if line.startswith(b'{"board":')), default=0)
    if board > LARGEST_BOARD:
        wrong = f"The board of the game takes {board:,} bytes with its documents."
        raise Refusal("TAB-IMP-02", wrong, f"At most {LARGEST_BOARD:,} bytes are imported.")


def _refuse_unproved(first: bytes, verdict: Verdict) -> NoReturn:
    for what, is_export in _OTHERS.items():
        if is_export(first):
            raise Refusal("TAB-IMP-01", f"This is the export of a {what}.", "Import the export of a game.")
    where = f"Version {verdict.version}" if verdict.version else f"Line {verdict.line}"
    allowed = "Get the export again from the service that recorded the game. `tabularium verify` says the same."
    raise Refusal("TAB-IMP-01", f"{where} is wrong. {verdict.problem}", allowed)


def _require_finished(verdict: Verdict) -> None:
    if verdict.status != "over":
        wrong = f"The game is {verdict.status} at version {verdict.events}."
        raise Refusal("TAB-IMP-02", wrong, "Import a game that is over.")
    if verdict.unproved:
        wrong = f"Something of the game is not proved: {' '.join(verdict.unproved)}"
        raise Refusal("TAB-IMP-02", wrong, "Get the export again when the games that it forks from are over.")


def _chain(export: Export) -> Iterator[Export]:
    """Yield the games that an export goes back to, the oldest first, and the game itself."""
    if export.past is not None:
        yield from _chain(export.past)
    yield export


def _policy(certificate: str | None, policy: str | None) -> Policy | None:
    if (certificate is None) != (policy is None):
        wrong = "A certificate came without a policy." if policy is None else "A policy came without a certificate."
        raise Refusal("TAB-IMP-05", wrong, "Send both: the policy names the key that signed the certificate.")
    try:
        return read_policy(policy.encode()) if policy is not None else None
    except PolicyError as error:
        wrong = f"The policy cannot be read: {error}."
        raise Refusal("TAB-IMP-05", wrong, "Send the `policy` of the issuer's log, as that service gives it.") from None


def _issuer(export: Export, library: Library, certificate: str, policy: Policy, check: Check) -> Issuer:
    """Return who stands by the end of a game that is over. Raises `Refusal` for a certificate that does not hold."""
    certified = certify(
        export.game,
        export.records,
        lambda version: export.fold(library, version).status,
        certificate,
        policy,
        check,
    )
    allowed = "Get the certificate of this game again from its issuer, or import the export without one."
    if not certified.ok:
        raise Refusal("TAB-IMP-05", certified.problem, allowed)
    if certified.later:
        wrong = f"The certificate is of version {len(export.records) - certified.later}, before the end of the game."
        raise Refusal("TAB-IMP-05", wrong, allowed)
    try:
        signer = policy.judge(read_proof(certificate).note, check).log
    except NoteError as error:  # cannot happen: `certify` has read the certificate
        raise Refusal("TAB-IMP-05", f"{error}.", allowed) from None
    return Issuer(certified.origin, str(signer), certified.said)
