"""A service whose games, cases and log a lie can change, and the honest one that each lie begins with."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from copy import copy
from functools import cache
from random import Random
from typing import Final

import msgspec

from domain.judging import proof
from domain.judging.fold import fold as fold_case
from domain.kernel.ids import PlayerId
from domain.kernel.log import forking
from domain.transparency.checkpoint import ED25519_COSIGNATURE
from domain.transparency.note import Note, Signature, read_signatures
from domain.transparency.policy import read_policy
from domain.transparency.proof import Proof
from domain.transparency.request import AddCheckpoint
from domain.transparency.tree import Frontier, consistency, inclusion, leaf_hash, range_hash
from service.transparency.keys import new_key, read_signer
from service.transparency.witness import Witness
from tests.domain.transparency.reference import Kept
from tests.forgeries.games import MALLORY, finished, player, playing
from tests.helpers.forger import Change, forged, lines_of, rows_of
from tests.helpers.judging import JUDGE, OTHER_JUDGE, Court
from tests.helpers.play import Play
from tests.service.transparency.logs import KEY
from tests.service.transparency.shown import Shown
from tests.tiny.auction import ROOM, SEATS, TinyAuction

EARLIER: Final = 7
"""Entries of the honest log after two thirds of it."""

OVER: Final = "game-3"
RUNNING: Final = "game-4"
FORKED: Final = "game-3-2"
JUDGED: Final = "game-9"
HIDING: Final = "game-6"
WITHHELD: Final = "game-6-2"
NOBODYS: Final = "game-0"
CASE: Final = "ccase"

CLUB: Final = read_signer(new_key("club.example", lambda count: b"w" * count, ED25519_COSIGNATURE), ED25519_COSIGNATURE)
OPEN: Final = read_policy(f"log {KEY.signers[0].key}\nwitness club {CLUB.key}\nquorum none\n".encode())
"""Asks for no witness, and believes one that is there."""
WITNESSED: Final = read_policy(f"log {KEY.signers[0].key}\nwitness club {CLUB.key}\nquorum club\n".encode())
TIME: Final = 1_795_242_000
"""When the witness sees whatever it sees."""


class Service(Shown):
    """A service that shows whole games and cases, which can be exported and certified."""

    def __init__(self) -> None:
        super().__init__()
        self.exports: dict[str, Sequence[bytes]] = {}
        self.cosignatures: dict[str, tuple[Signature, ...]] = {}
        self.issued: dict[str, str] = {}
        """Certificates that it gives instead of right ones."""

    def copied(self) -> "Service":
        """Return the service as it stands: a backup."""
        other = copy(self)
        for name in ("games", "statuses", "entries", "logged", "withheld", "exports", "cosignatures", "issued"):
            setattr(other, name, copy(getattr(self, name)))
        return other

    def show(self, export: Iterable[bytes]) -> str:
        """Show a stream as an export tells it; return its id."""
        lines = list(export)
        told = lines_of(lines)
        told = told[max((at + 1 for at, line in enumerate(told) if "past" in line), default=0) :]  # what a fork is of
        stream = told[0].get("case", told[0]["game"])
        first = rows_of(told)[0]
        if until := first["event"].get("withheld"):
            self.withheld[stream] = until, first
        self.exports[stream] = lines
        self.games[stream] = [{name: row[name] for name in ("version", "hash", "at")} for row in rows_of(told)]
        self.statuses[stream] = told[-1]["end"]["status"]
        return stream

    @property
    def open(self) -> dict[str, Sequence[bytes]]:
        """The exports that it gives to everybody."""
        return {stream: lines for stream, lines in self.exports.items() if not self.is_withheld(stream)}

    def hide(self, stream: str) -> None:
        for each in (self.exports, self.games, self.statuses):
            each.pop(stream)

    def forge(self, stream: str, change: Change) -> None:
        """Tell a stream otherwise, with a chain that is whole."""
        self.show(forged(self.exports[stream], change))

    def sign(self) -> None:
        """Enter the head of each stream that moved."""
        heads = {stream: 1 if self.is_withheld(stream) else len(events) for stream, events in self.games.items()}
        self.log(*(stream for stream, head in heads.items() if head > self.logged.get(stream, 0)))

    def checkpoint(self, entries: Sequence[bytes]) -> Note:
        note = super().checkpoint(entries)
        return note.signed(self.cosignatures.get(note.text, ()))

    @property
    def newest(self) -> Note:
        """The checkpoint that it shows."""
        return self.checkpoint(self.entries[: self.size])

    def ask(self, witness: Witness) -> str:
        """Have what is shown cosigned, with the best proof that there is. Return why the witness does not."""
        note, size, old = self.newest, len(self.entries[: self.size]), 0
        if note.text in self.cosignatures or not size:
            return ""
        kept = _kept(self.entries[:size])
        while True:
            hashes = tuple(range_hash(each, kept.read) for each in consistency(old, size))
            answer = witness.add_checkpoint(str(AddCheckpoint(old, hashes, note)).encode())
            if answer.status == 200:
                self.cosignatures[note.text] = tuple(read_signatures(answer.body))
                return ""
            if answer.status != 409:
                return f"{answer.status}: {answer.body.strip()}"
            if not old < int(answer.body) <= size:
                return f"409: {answer.body.strip()} (the number of entries that it has seen)"
            old = int(answer.body)

    def certificate(self, stream: str) -> str | None:
        """Return a certificate of the newest entry of a stream; None when it has none."""
        if stream in self.issued:
            return self.issued[stream]
        found = [at for at, entry in enumerate(self.entries) if msgspec.json.decode(entry).get("id") == stream]
        return self.proof_of(found[-1]) if found else None

    def proof_of(self, index: int) -> str:
        kept = _kept(self.entries)
        hashes = tuple(range_hash(part, kept.read) for part in inclusion(index, len(self.entries)))
        return str(Proof(index, hashes, self.checkpoint(self.entries), self.entries[index]))


def _kept(entries: Sequence[bytes]) -> Kept:
    kept = Kept()
    kept.keep(Frontier().extend(map(leaf_hash, entries)))
    return kept


@cache
def disputed(reason: str = "As the rule says.") -> Court:
    """A case in a game: answered, ruled on twice; the rulings took a command back and paused the game."""
    play, rng = Play(TinyAuction(), ROOM, 3, 9), Random(9)
    court = Court(play)
    for _ in range(4):
        play.step(rng)
    anna, bert = (player(seat) for seat in SEATS[:2])
    court.open(anna, "slip", play.game.version)
    court.answer(bert)
    court.state(anna)
    court.rule(JUDGE, "back", to=max(court.facts.starts()), reason=reason)
    court.appeal(bert)
    court.rule(OTHER_JUDGE, "pause")
    return court


@cache
def what_if() -> Play:
    """A fork of the game that is over, after the first prize was taken."""
    return forked(finished())


def forked(play: Play) -> Play:
    return play.fork(next(at for at in play.at_each_version if at >= 20), by=PlayerId(MALLORY)).run(Random(5))


def hiding() -> Play:
    """A game with a bid that is hidden."""
    play = Play(TinyAuction(), ROOM, 3, 6)
    play.name_official(JUDGE)
    while not forking.hidden(play.game, play.vault):
        play.step(Random(6))
    return play


def withheld() -> Play:
    """A fork that an official made of it, and played on."""
    return hiding().fork(by=JUDGE).run(Random(7))


@cache
def moment(third: int) -> tuple[list[bytes], ...]:
    """Return the exports of three games and a case when one, two or three thirds had happened."""
    court = disputed()
    records = court.records[: third * len(court.records) // 3]
    written = [each for each in court.statements if each.version <= len(records)]
    case = list(proof.export(fold_case(court.id, records), records, written))
    judged = court.play.at(bisect_right([record.at for record in court.play.records], records[-1].at))
    games = [_third(play, third).export() for play in (finished(), playing())]
    return (*games, judged.export(), case)


def _third(play: Play, third: int) -> Play:
    versions = sorted(play.at_each_version)
    return play.at(versions[third * len(versions) // 3 - 1])


def untold() -> Service:
    """Return a service that shows three games and a case, and has signed nothing yet."""
    service = Service()
    for export in moment(3):
        service.show(export)
    return service


@cache
def honest() -> Service:
    """Return a service that signed its games and its case as they went on."""
    service = Service()
    for third in (1, 2, 3):
        for export in moment(third):
            service.show(export)
        service.sign()
    return service
