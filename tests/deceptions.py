"""What a service that lies could do with its games, its cases and its log, and who notices each lie in which words.

Four look at each lie: `verify` at the exports, whoever holds a certificate of before, a follower who looked before, and
a witness, with the readers whose policy asks for it. Here is also what nobody can notice: what was told from the
beginning, before anything was signed. Our own program would not even sign after an old backup was restored; here it
does what it can.

``python -m tests.deceptions [HONEST]`` prints what each of them says, and follows 200 honest logs, or so many.
"""

import re
import sys
import tempfile
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.judging import proof
from domain.judging.fold import fold as fold_case
from domain.kernel.canonical import canonical
from domain.kernel.ids import PlayerId
from domain.kernel.log import forking
from domain.kernel.proof.export import ExportError
from domain.kernel.proof.reading import read
from domain.kernel.proof.verify import verify
from domain.kernel.rules.refusal import Refusal
from domain.transparency.certificate import BEYOND as UNCERTIFIED
from domain.transparency.certificate import certify
from domain.transparency.checkpoint import ED25519_COSIGNATURE
from domain.transparency.note import Note, Signature, read_signatures
from domain.transparency.policy import Rejected, read_policy
from domain.transparency.proof import Proof, read_proof
from domain.transparency.request import AddCheckpoint
from domain.transparency.tree import Frontier, consistency, inclusion, leaf_hash, range_hash
from service.transparency.follower import Follower
from service.transparency.keys import check, new_key, read_log_key, read_signer
from service.transparency.pages import Page
from service.transparency.witness import Witness
from tests import forgeries
from tests.domain.transparency.reference import Kept
from tests.forgeries import LIBRARY, MALLORY, finished, player, playing
from tests.helpers.forger import Change, Line, forged, forged_in_parts, lines_of, rows, rows_of, whole
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

OBSERVERS: Final = ("verify", "certificate", "follower", "witness")


# --- the service ------------------------------------------------------------------------------------------------------


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


# --- what it can do with games and cases ------------------------------------------------------------------------------


def removes(service: Service) -> None:
    service.hide(OVER)


def cuts(service: Service) -> None:
    """The last commands are gone, and the game goes on."""
    play = finished()
    versions = sorted(play.at_each_version)
    service.show(play.at(versions[-4]).export())


def plays_again() -> Play:
    """Return the game that is over as whoever knows its secret can play it again: the same dice, other commands."""
    return Play(TinyAuction(), ROOM, 3, 3).run(Random(99))


def plays_it_again(service: Service) -> None:
    service.show(plays_again().export())


def replaces_a_command(lines: list[Line]) -> None:
    row = rows(lines, "card-chosen")[-1]
    row["cause"] = rows(lines, "card-chosen")[0]["cause"]


def lets_another_win(lines: list[Line]) -> None:
    event = rows(lines, "prize-taken")[0]["event"]
    event["seat"] = next(seat for seat in SEATS if seat != event["seat"])


def inserts_a_ruling(lines: list[Line]) -> None:
    last = rows_of(lines)[-1]
    event = {"type": "moves-retracted", "by": "ruling", "reason": "It was so.", "to": 7}
    lines.insert(lines.index(last) + 1, last | {"event": event, "cause": {"player": MALLORY}, "schema": 1})


def resumes_in_the_name_of_the_case(service: Service) -> None:
    """The game goes on by a ruling that the case does not have."""
    play = disputed().play
    versions = sorted(play.at_each_version)
    play = play.at(versions[-1])
    play.rule_resume(msgspec.structs.replace(play.on_a_case, player=OTHER_JUDGE, case=disputed().id))
    service.log(service.show(play.export()))


def leaves_a_ruling_out(service: Service) -> None:
    """The game is told without the pause that the last ruling ordered."""
    play = disputed().play
    service.show(play.at(play.game.version - 1).export())


def rules_otherwise(lines: list[Line]) -> None:
    event = rows(lines, "ruled")[0]["event"]
    event["decision"] = "stands"
    del event["to"]


def rules_for_a_friend(service: Service) -> None:
    """The case and its game are told alike, each with a chain that is whole."""
    court = disputed("They are a friend of mine.")
    service.show(court.play.export())
    service.show(court.export())


def ruled_by_a_player(lines: list[Line]) -> None:
    rows(lines, "ruled-finally")[0]["cause"]["player"] = player(SEATS[2])


def puts_words_into_a_mouth(service: Service) -> None:
    lines = lines_of(service.exports[CASE])
    next(line for line in lines if "statement" in line)["statement"]["written"]["text"] = "I cheated."
    service.show(whole(lines))


def drops_the_case(service: Service) -> None:
    service.hide(CASE)


def forks_otherwise(change: Change) -> Callable[[Service], None]:
    """Tell a fork otherwise, with a past that fits, and sign its new head."""

    def lies(service: Service) -> None:
        service.log(service.show(forged_in_parts(service.exports[FORKED], change)))

    return lies


def from_a_version_that_never_was(lines: list[Line]) -> None:
    """The past of the fork has another winner of a prize."""
    lets_another_win(lines[: next(at for at, line in enumerate(lines) if "past" in line)])


def from_another_version(lines: list[Line]) -> None:
    rows(lines, "game-forked")[0]["event"]["version"] -= 1


def of_a_game_that_went_otherwise(service: Service) -> None:
    """The fork is of a game that was played again; what it says of its parent fits together."""
    service.log(service.show(forked(plays_again()).export()))


def withholds_what_is_over(service: Service) -> None:
    """The game is over for whose sake a fork was withheld, and the fork is still not shown."""
    service.log(service.show(hiding().run(Random(6)).export()))
    _, first = service.withheld[WITHHELD]
    service.withheld[WITHHELD] = NOBODYS, first


def withholds_another_game(service: Service) -> None:
    service.withheld[RUNNING] = NOBODYS, rows_of(lines_of(service.exports[RUNNING]))[0]


def withholds_what_began_otherwise(service: Service) -> None:
    until, first = service.withheld[WITHHELD]
    service.withheld[WITHHELD] = until, first | {"event": first["event"] | {"withheld": NOBODYS}}


def removes_what_it_withholds_for(service: Service) -> None:
    service.hide(HIDING)


def goes_on_after_the_end(lines: list[Line]) -> None:
    last = rows_of(lines)[-1]
    event = {"type": "official-named", "player": MALLORY}
    lines.insert(lines.index(last) + 1, last | {"event": event, "cause": {"player": "organizer"}, "schema": 1})


def and_signs(lie: Callable[[Service], object], stream: str) -> Callable[[Service], None]:
    """Tell a lie, and sign the new head of the stream."""

    def lies(service: Service) -> None:
        lie(service)
        service.log(stream)

    return lies


def forging(change: Change, stream: str) -> Callable[[Service], None]:
    return lambda service: service.forge(stream, change)


# --- what it can do with its log --------------------------------------------------------------------------------------


def shows_an_old_checkpoint(service: Service) -> None:
    service.size = EARLIER


def shows_no_checkpoint(service: Service) -> None:
    service.entries.clear()


def signs_two_trees(service: Service) -> None:
    service.entries[4] = service.entries[8]


def drops_an_entry_and_goes_on(service: Service) -> None:
    del service.entries[4]
    service.log(CASE, CASE)


def signs_nonsense(service: Service) -> None:
    service.entries.append(b"{}")


def signs_with_another_key(service: Service) -> None:
    service.key = read_log_key(new_key(KEY.origin, lambda count: b"o" * count))


def begins_another_log(service: Service) -> None:
    service.key = read_log_key(new_key("games.example/other", lambda count: b"o" * count))
    service.entries = service.entries[-3:]


def hides_its_entries(service: Service) -> None:
    get, shown = service.get, str(service.checkpoint([*service.entries, b"hidden"])).encode()
    service.get = lambda path: Page(200, shown) if path.endswith("checkpoint") else get(path)


def shows_other_entries(service: Service) -> None:
    signed = service.copied()
    signed.log(CASE)
    shown = str(signed.newest).encode()
    service.log(OVER)
    get = service.get
    service.get = lambda path: Page(200, shown) if path.endswith("checkpoint") else get(path)


def backup() -> Service:
    """Return the service as it was after two thirds."""
    older = Service()
    for export in moment(2):
        older.show(export)
    older.entries = honest().entries[:EARLIER]
    return older


def restores(service: Service) -> None:
    older = backup()
    for name in ("games", "statuses", "entries", "exports"):
        setattr(service, name, getattr(older, name))


def restores_and_goes_on(service: Service) -> None:
    """The games go on otherwise, and there are soon more of them than before."""
    restores(service)
    for seed in range(20, 26):
        service.log(service.show(Play(TinyAuction(), ROOM, 3, seed).export()))


def shows_two_logs(service: Service) -> Service:
    """Whoever comes second sees the game that is over with another winner, in a log that fits."""
    other = backup()
    for play in (plays_again(), playing(), disputed().play):
        other.log(other.show(play.export()))
    other.log(other.show(disputed().export()))
    service.log(service.show(Play(TinyAuction(), ROOM, 3, 20).export()))
    return other


def gives_a_certificate_of_no_entry(service: Service) -> None:
    entry = msgspec.json.decode(service.entries[0]) | {"status": "cancelled"}
    right = read_proof(service.proof_of(0))
    service.issued[entry["id"]] = str(msgspec.structs.replace(right, extra=canonical(entry)))


def gives_a_certificate_of_another_game(service: Service) -> None:
    service.issued[OVER] = service.certificate(RUNNING) or ""


def forges_a_cosignature(service: Service) -> None:
    service.log(service.show(Play(TinyAuction(), ROOM, 3, 20).export()))
    text = service.newest.text
    signature = CLUB.signature(text, TIME)
    service.cosignatures[text] = (msgspec.structs.replace(signature, value=signature.value[:-1] + b"?"),)


def answers_nothing(of: str, lie: Callable[[Service], object]) -> Callable[[Service], None]:
    """Tell a lie, and answer an error to whoever could see it: for every path that begins so."""

    def lies(service: Service) -> None:
        lie(service)
        get = service.get
        service.get = lambda path: Page(500, b"") if path.startswith(of) else get(path)

    return lies


# --- the table --------------------------------------------------------------------------------------------------------


class Deception(Struct, frozen=True):
    """A lie, and what those who look at it must say; who has nothing here must notice nothing.

    Attributes:
        lie: tells it. It returns another service when a second person sees that one.
        before: whether it is told before anything is signed.
        forked: whether a fork of the game that is over is told and signed first.
        withheld: whether a game that hides something is told and signed first, and a fork of it that is withheld.
        beyond: which sentence of those on what no certificate shows says so, where nobody can notice.
    """

    name: str
    lie: Callable[[Service], Service | None]
    verify: str = ""
    certificate: str = ""
    follower: str = ""
    witness: str = ""
    before: bool = False
    forked: bool = False
    withheld: bool = False
    beyond: str = ""

    def __str__(self) -> str:
        return self.name


ANOTHER: Final = "it is another log"
SHORT: Final = "it was cut short"
UNKNOWN_KEY: Final = "not signed by a key that the policy has"
UNKNOWN_LOG: Final = "is of the log games.example/other, and the policy knows"

DECEPTIONS: Final = (
    Deception("removes a game", removes, follower="version 35 of game game-3, and shows no such game any more"),
    Deception(
        "cuts the last events of a game off and tells it as running",
        cuts,
        certificate=SHORT,
        follower="signed version 35 of game game-3, and shows the game at version .*" + SHORT,
    ),
    Deception(
        "cuts the last events of a game off and signs it again",
        and_signs(cuts, OVER),
        certificate=SHORT,
        follower="has version 35 of game game-3, and after it version",
    ),
    Deception(
        "cuts the last events of a running game off",
        forging(forgeries.cut_off, RUNNING),
        certificate=SHORT,
        follower=SHORT,
    ),
    Deception(
        "replaces a command and hashes anew",
        forging(replaces_a_command, OVER),
        verify="is not what follows from the rules",
        certificate=ANOTHER,
        follower=ANOTHER,
    ),
    Deception(
        "lets another win a prize",
        forging(lets_another_win, OVER),
        verify="is not what follows from the rules",
        certificate=ANOTHER,
        follower=ANOTHER,
    ),
    Deception(
        "plays a game again with the same dice and other commands", plays_it_again, certificate=SHORT, follower=SHORT
    ),
    Deception(
        "plays a game again and signs it again",
        and_signs(plays_it_again, OVER),
        certificate=SHORT,
        follower="has version 35 of game game-3, and after it version 33",
    ),
    Deception(
        "inserts a ruling by a stranger",
        and_signs(forging(inserts_a_ruling, RUNNING), RUNNING),
        verify="is a ruling by mallory, who is not the organizer",
    ),
    Deception(
        "swaps a player's account",
        forging(forgeries.everywhere(forgeries.RED, MALLORY), OVER),
        certificate=ANOTHER,
        follower=ANOTHER,
    ),
    Deception(
        "backdates a game",
        forging(forgeries.everywhere("2026-01-01", "2025-12-31"), OVER),
        certificate=ANOTHER,
        follower=ANOTHER,
    ),
    Deception(
        "tells the last act as one of ten years later",
        forging(forgeries.much_later, OVER),
        certificate=ANOTHER,
        follower=ANOTHER,
    ),
    Deception(
        "tells from the beginning that the last act was ten years later",
        forging(forgeries.much_later, OVER),
        certificate="Version 35 is dated 2036-01-01T00:00:00.000000Z, and club had seen it by 2026",
        before=True,
    ),
    Deception("gives a ruling other reasons", forging(forgeries.reason, OVER), certificate=ANOTHER, follower=ANOTHER),
    Deception("names another creator", forging(forgeries.creator, OVER), certificate=ANOTHER, follower=ANOTHER),
    Deception(
        "changes what a seat added to the dice",
        forging(forgeries.told("seat-taken", entropy="mine"), RUNNING),
        certificate=ANOTHER,
        follower=ANOTHER,
    ),
    Deception(
        "changes the commitment to the dice",
        forging(forgeries.told("game-created", commitment="ab" * 32), RUNNING),
        certificate=ANOTHER,
        follower=ANOTHER,
    ),
    Deception(
        "goes on after the end",
        and_signs(forging(goes_on_after_the_end, OVER), OVER),
        verify="follows the end of the game",
        follower="Version 35 of game game-3 was over, and version 36 came after it",
    ),
    Deception(
        "forks from a version that never was",
        forks_otherwise(from_a_version_that_never_was),
        verify="In the past of the fork, game-3: .* is not what follows from the rules",
        certificate=ANOTHER,
        follower="has version .* of game game-3-2, and after it version",
        forked=True,
    ),
    Deception(
        "tells that a fork began at another version",
        forks_otherwise(from_another_version),
        verify="forks at version",
        follower="has version .* of game game-3-2, and after it version",
        forked=True,
    ),
    Deception(
        "forks from a game that went otherwise",
        of_a_game_that_went_otherwise,
        verify="Version 8 of game-3 is not the one of the game that the fork is compared with",
    ),
    Deception("drops a case", drops_the_case, follower="of case ccase, and shows no such case any more"),
    Deception(
        "rules otherwise afterwards",
        forging(rules_otherwise, CASE),
        verify="names this case, which did not order it",
        certificate=ANOTHER,
        follower=ANOTHER,
    ),
    Deception(
        "tells a case and its game with another reason", rules_for_a_friend, certificate=ANOTHER, follower=ANOTHER
    ),
    Deception(
        "lets a player rule",
        and_signs(forging(ruled_by_a_player, CASE), CASE),
        verify="TAB-RUL-06: You hold or held a seat in this game",
        certificate=ANOTHER,
        follower="has version 6 of case ccase, and after it version 6",
    ),
    Deception(
        "withholds a fork when its game is over",
        withholds_what_is_over,
        follower="withholds game game-6-2 until game game-6 is over, and shows that as over",
        withheld=True,
    ),
    Deception(
        "withholds a fork that began otherwise",
        withholds_what_began_otherwise,
        follower="does not show the first event of it that it signed",
        withheld=True,
    ),
    Deception(
        "withholds a fork of a game that is gone",
        removes_what_it_withholds_for,
        follower="until game game-6 is over, and shows no such game",
        withheld=True,
    ),
    Deception(
        "withholds a game that is no fork",
        withholds_another_game,
        follower="version 24 of game game-4 as running, and withholds it now",
    ),
    Deception("puts words into a mouth", puts_words_into_a_mouth, verify="does not fit its commitment"),
    Deception(
        "carries out a ruling that no case has",
        resumes_in_the_name_of_the_case,
        verify="names this case, which did not order it",
    ),
    Deception(
        "leaves out what a ruling ordered",
        leaves_a_ruling_out,
        verify="is not what the ruling on version 13 ordered",
        certificate=SHORT,
        follower=SHORT,
    ),
    Deception(
        "shows an old checkpoint",
        shows_an_old_checkpoint,
        follower="a checkpoint of 7 entries, and signed one of 11 before",
    ),
    Deception("shows no checkpoint", shows_no_checkpoint, follower="shows no checkpoint any more"),
    Deception(
        "signs two trees of one size",
        signs_two_trees,
        follower="signed two trees of 11 entries",
        witness="422: The tree of 11 does not go on from the tree of 11",
    ),
    Deception(
        "drops an entry and goes on",
        drops_an_entry_and_goes_on,
        follower="does not go on from the tree of 11 .*: history was rewritten",
        witness="422: The tree of 12 does not go on from the tree of 11",
    ),
    Deception("signs what is no entry", signs_nonsense, follower="Entry 11 is not an entry of this log"),
    Deception(
        "signs with another key",
        signs_with_another_key,
        certificate=UNKNOWN_KEY,
        follower=UNKNOWN_KEY,
        witness=UNKNOWN_KEY,
    ),
    Deception(
        "begins another log",
        begins_another_log,
        certificate=UNKNOWN_LOG,
        follower=UNKNOWN_LOG,
        witness="404: This witness does not know the log",
    ),
    Deception("hides its entries", hides_its_entries, follower="does not show /transparency/tile/entries/000.p/12"),
    Deception(
        "shows other entries than it signed", shows_other_entries, follower="do not make the tree of 12 that it signed"
    ),
    Deception(
        "restores an old backup",
        restores,
        certificate=SHORT,
        follower="a checkpoint of 7 entries, and signed one of 11 before",
    ),
    Deception(
        "restores an old backup and goes on",
        restores_and_goes_on,
        certificate=SHORT,
        follower="does not go on from the tree of 11 .*: history was rewritten",
        witness="422: The tree of 13 does not go on from the tree of 11",
    ),
    Deception(
        "does not answer for a game that it rewrote",
        answers_nothing(f"/v1/games/{OVER}", forging(forgeries.reason, OVER)),
        certificate=ANOTHER,
        follower="no answer that shows game game-3 since",
    ),
    Deception(
        "does not answer for what it signs",
        answers_nothing("/transparency/tile/entries", signs_nonsense),
        follower="no answer that shows its log since",
    ),
    Deception(
        "does not answer for the hashes that certify its lie",
        answers_nothing("/transparency/tile/0", and_signs(plays_it_again, OVER)),
        certificate=SHORT,
        follower="has version 35 of game game-3, and after it version 33",
    ),
    Deception(
        "does not answer for the hashes of a history that was rewritten",
        answers_nothing("/transparency/tile/0", restores_and_goes_on),
        certificate=SHORT,
        follower="do not make the tree of 13 that it signed",
        witness="422: The tree of 13 does not go on from the tree of 11",
    ),
    Deception(
        "shows two logs to two people",
        shows_two_logs,
        certificate=ANOTHER,
        witness="409: 12 ",
    ),
    Deception(
        "gives a certificate of no entry",
        gives_a_certificate_of_no_entry,
        certificate="does not lead from its entry to the root that was signed",
    ),
    Deception(
        "gives a certificate of another game",
        gives_a_certificate_of_another_game,
        certificate="is of game game-4, and the export of game-3",
    ),
    Deception(
        "forges a cosignature",
        forges_a_cosignature,
        certificate="the signature of club.example is wrong",
        follower="the signature of club.example is wrong",
        witness="the signature of club.example is wrong",
    ),
)

PERSON, CLOCK, JUST, NEVER = UNCERTIFIED
FROM_THE_BEGINNING: Final = (
    Deception(
        "tells from the beginning that another account played",
        forging(forgeries.everywhere(forgeries.RED, MALLORY), OVER),
        before=True,
        beyond=PERSON,
    ),
    Deception(
        "tells from the beginning that it was earlier",
        forging(forgeries.everywhere("2026-01-01", "2025-12-31"), OVER),
        before=True,
        beyond=CLOCK,
    ),
    Deception("rules for a friend", rules_for_a_friend, before=True, beyond=JUST),
    Deception("removes a game before it is signed", removes, before=True, beyond=NEVER),
)
"""What is told before anything is signed: it fits, and who looks is told that nobody can know."""


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
        "follower": tuple(found.said for found in report.found),
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


# --- honest services --------------------------------------------------------------------------------------------------


def alarms(seed: int, directory: Path, met: Counter[str] | None = None) -> list[str]:
    """Let an honest service serve random games, forks and cases; return what anybody says against it: nothing.

    What kinds of forks and rulings there were is counted in `met`.
    """
    rng, service = Random(seed), Service()
    witness = Witness(CLUB, OPEN, directory / "witness.db", lambda: TIME)
    follower = Follower(service, OPEN, directory / "follower", check, pause=lambda seconds: None)
    courts = [Court(Play(TinyAuction(), ROOM, 3, seed * 10 + each), f"c{each}") for each in range(3)]
    forks: list[Play] = []
    certificates: list[tuple[str, str]] = []
    found: list[str] = []
    for _ in range(6):
        for court in courts:
            for _ in range(rng.randrange(12)):
                with suppress(Refusal):
                    goes_on(court, rng)
            if rng.random() < 0.25:
                with suppress(Refusal):
                    forks.append(branch(court, rng, len(forks)))
        for fork in forks:
            for _ in range(rng.randrange(4)):
                if fork.game.status == "running":
                    fork.step(rng)
        moved = [service.show(play.export()) for play in (*(court.play for court in courts), *forks)]
        moved += [service.show(court.export()) for court in courts if court.records]
        service.sign()
        found.append(service.ask(witness))
        found += [rejected(service.newest)]
        if rng.random() < 0.7:
            found += [each.said for each in follower.look(rng.choice((0, 2, None))).found]
            certificates += [(stream, service.certificate(stream) or "") for stream in rng.sample(moved, 2)]
    follower.close()
    if met is not None:
        met.update(str(fork.game.forked and fork.game.forked.purpose) for fork in forks)
        met.update("withheld" for fork in forks if fork.game.forked and fork.game.forked.withheld)
        met.update(ruled.decision for court in courts if court.records and (ruled := court.case.ruling) is not None)
    found += [*unproved(service), *(uncertified(service, stream, given) for stream, given in certificates)]
    return list(filter(None, found))


def goes_on(court: Court, rng: Random) -> None:
    """Let something happen in a game or its case. Raises `Refusal`."""
    play, somebody = court.play, player(rng.choice(SEATS[:3]))
    if rng.random() < 0.8:
        if play.game.status == "running" and play.game.around.paused is None:
            play.step(rng)
    elif not court.records:
        court.open(somebody, "slip", play.game.version)
    else:
        act: Any = rng.choice((court.state, court.answer, court.appeal, court.consent, court.rule))
        if act == court.rule:
            decision, more = ruling(court, rng)
            court.rule(rng.choice((JUDGE, OTHER_JUDGE)), decision, **more)
        else:
            act(somebody)


def ruling(court: Court, rng: Random) -> tuple[str, dict[str, Any]]:
    """Return a decision that the game allows as it stands."""
    possible: list[tuple[str, dict[str, Any]]] = [("stands", {})]
    if court.play.game.status == "running":
        possible.append(("pause" if court.play.game.around.paused is None else "resume", {}))
        possible += [("back", {"to": to}) for to in sorted(court.facts.starts())[-1:]]
    if court.play.game.status == "over":
        possible.append(("result", {"order": tuple((seat,) for seat in rng.sample(list(court.facts.seats), 3))}))
        possible += [("continue", {"to": game}) for game in court.forks] * 4
    return rng.choice(possible)


def branch(court: Court, rng: Random, number: int) -> Play:
    """Fork a game where somebody may; its players sit down in a continuation. Raises `Refusal`."""
    play, purpose = court.play, "continuation" if rng.random() < 0.5 else "analysis"
    by = rng.choice([*(player(seat) for seat in SEATS[:3]), JUDGE])
    fork = play.fork(rng.choice(list(play.at_each_version)), purpose, by, number)
    if purpose == "continuation":
        court.forks[fork.game.id] = fork
        for seat, holder in fork.game.kept_seats.items():
            if rng.random() < 0.7:
                fork.sit(seat, holder)
    return fork


def _row(name: str, marks: Sequence[str]) -> str:
    return f"{name:<66}" + "".join(f"{mark:<13}" for mark in marks)


def main(honest_logs: int = 200) -> int:
    wrong, met = list[str](), Counter[str]()
    table = [_row("", OBSERVERS)]
    with tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
        for number, deception in enumerate((*DECEPTIONS, *FROM_THE_BEGINNING)):
            said = observed(deception, _made(Path(folder) / f"lie-{number}"))
            wrong += failings(deception, said)
            table.append(_row(str(deception), ["x" if said[each] else "-" for each in OBSERVERS]))
            print(f"{deception}:")
            for observer in OBSERVERS:
                if said[observer]:
                    print(f"    {observer:<12} {_short(said[observer][0])}")
            if deception.beyond:
                print(f"    nobody       {deception.beyond}")
        seeds = range(honest_logs)
        alarmed = [said for seed in seeds for said in alarms(seed, _made(Path(folder) / f"honest-{seed}"), met)]
    print("", *table, "", sep="\n")
    print(f"{len(DECEPTIONS)} lies, and {len(FROM_THE_BEGINNING)} that nobody can notice. {honest_logs} honest logs,")
    print(f"in which there were {', '.join(f'{kind}: {times}' for kind, times in sorted(met.items()))}.")
    for each in (*wrong, *alarmed):
        print(f"WRONG: {each}")
    return 1 if wrong or alarmed else 0


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= 240 else f"{sentence[:240]}…"


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
