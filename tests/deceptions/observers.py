"""The observers of each lie, and what each of them says."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from domain.judging import proof
from domain.judging.fold import fold as fold_case
from domain.kernel.proof.export import ExportError
from domain.kernel.proof.reading import read
from domain.kernel.proof.verify import verify
from domain.transparency.certificate import certify
from domain.transparency.note import Note
from domain.transparency.policy import Rejected
from service.transparency.follower import Follower
from service.transparency.keys import check
from service.transparency.witness import Witness
from tests.deceptions.service import (
    CLUB,
    EARLIER,
    OPEN,
    TIME,
    WITNESSED,
    Service,
    hiding,
    honest,
    untold,
    what_if,
    withheld,
)
from tests.deceptions.table import Deception
from tests.forgeries.games import LIBRARY

OBSERVERS: Final = ("verify", "certificate", "follower", "witness")


def observed(deception: Deception, directory: Path) -> dict[str, tuple[str, ...]]:
    """Return what each observer says of a lie."""
    service = untold() if deception.before else honest().copied()
    if deception.forked:
        service.log(service.show(what_if().export()))
    if deception.withheld:
        service.log(*(service.show(play.export()) for play in (hiding(), withheld())))
    witness = Witness(CLUB, OPEN, directory / "witness.db", lambda: TIME)
    follower = Follower(service, OPEN, directory / "follower", check, patience=0, pause=lambda seconds: None)
    certificates: list[tuple[str, str]] = []
    if not deception.before:
        for service.size in (4, EARLIER, None):
            assert service.ask(witness) == ""
            assert follower.look().ok
        certificates = [(stream, service.certificate(stream) or "") for stream in service.open]
    second = deception.lie(service)
    if deception.before:
        service.sign()
    shown = [service] if second is None else [service, second]
    refused = [said for each in shown if (said := each.ask(witness))]
    refused += [said for each in shown if each.entries and (said := rejected(each.newest))]
    report = follower.look()
    follower.close()
    certificates += [(stream, given) for stream in shown[-1].open if (given := shown[-1].certificate(stream))]
    return {
        "verify": tuple(said for each in shown for said in unproved(each)),
        "certificate": tuple(said for stream, given in certificates if (said := uncertified(service, stream, given))),
        "follower": tuple(found.message for found in report.findings),
        "witness": tuple(dict.fromkeys(refused)),
    }


def rejected(note: Note) -> str:
    """Return why a reader who believes the witness does not accept a checkpoint."""
    try:
        WITNESSED.judge(note, check)
    except Rejected as error:
        return f"The checkpoint is not accepted: {error}."
    return ""


def unproved(service: Service) -> Iterator[str]:
    """Yield what `verify` says of the games and cases that do not verify."""
    for lines in service.open.values():
        if proof.is_export(lines[0]):
            game = msgspec.json.decode(lines[0])["game"]
            about = read(service.exports[game]) if game in service.exports else None
            if problem := proof.verify(lines, LIBRARY, about).problem:
                yield problem
        else:
            of = msgspec.json.decode(lines[0])["game"]  # the oldest game that it is of, or itself
            parent = read(service.exports[of]) if of in service.exports and service.exports[of] is not lines else None
            if problem := verify(lines, LIBRARY, parent).problem:
                yield problem


def uncertified(service: Service, stream: str, certificate: str) -> str:
    """Return why a certificate is not one of the stream that is shown; empty when it is, or nothing is shown."""
    if stream not in service.open:
        return ""
    lines = service.exports[stream]
    try:
        if proof.is_export(lines[0]):
            case = proof.read(lines)
            return certify(
                case.case, case.records, lambda at: fold_case(case.case, case.records[:at]).status,
                certificate, OPEN, check,
            ).problem  # fmt: skip
        game = read(lines)
        return certify(
            game.game, game.records, lambda at: game.fold(LIBRARY, at).status,
            certificate, OPEN, check,
        ).problem  # fmt: skip
    except ExportError:  # which `verify` says
        return ""


def failings(deception: Deception, said: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield what is not as it should be: who is silent, says something else, or should be."""
    for observer in OBSERVERS:
        expected = getattr(deception, observer)
        if bool(expected) != bool(said[observer]) or (
            expected and not any(re.search(expected, each) for each in said[observer])
        ):
            yield f"{deception}: {observer} should say {expected or 'nothing'!r} and says {said[observer] or 'nothing'}"
    if not deception.beyond and not any(said.values()):
        yield f"{deception}: nobody notices"
