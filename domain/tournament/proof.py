"""The export of a tournament as JSON Lines, and its proof.

Every line is the RFC 8785 form of an object and ends with a newline:

    {"format", "tournament"}
        the first line
    {"at", "cause", "draws", "event", "game", "hash", "schema", "version"}
        a row of the tournament's stream and its hash, in hex; `game` is the id of the stream
    {"end": {"digest", "head", "status", "version"}}
        the last line; `digest` is over all bytes before it

`verify` decides every act again: the secrets are those of the chain, the lots follow from them, every draft is lawful
and costs what it says, and the final order follows from the results. It compares the results with the exports of the
games; where one is missing it takes the tournament's word, and says so. It does not solve a draw again.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec
from msgspec import UNSET, Struct

from domain.kernel.canonical import canonical
from domain.kernel.ids import GameId, TournamentId, Version, is_tournament
from domain.kernel.log.clock import milliseconds
from domain.kernel.log.history import cause_of, starts_of_commands
from domain.kernel.log.lifecycle import GameCancelled
from domain.kernel.log.record import Cause, Record
from domain.kernel.proof.export import Export, ExportError, Hex, Number, Plain, row_line, with_end
from domain.kernel.proof.stream import StreamReader, StreamReplay
from domain.kernel.rules.message import type_name
from domain.kernel.rules.ruleset import Library
from domain.tournament import directing, entering, results, rounds
from domain.tournament.chain import follows
from domain.tournament.events import (
    AnnouncementMade,
    DirectorNamed,
    DirectorReleased,
    LotsDrawn,
    PenaltyGiven,
    PlayerCheckedIn,
    PlayerDropped,
    PlayerEntered,
    PlayerWithdrew,
    RegulationsChanged,
    ResultConfirmed,
    ResultOverruled,
    ResultTaken,
    RoundCancelled,
    RoundDrafted,
    RoundPublished,
    Status,
    SubstituteSeated,
    TableOpened,
    TournamentAnnounced,
    TournamentCancelled,
    TournamentClosed,
    TournamentEvent,
    TournamentPassedOn,
)
from domain.tournament.fold import fold, read_event
from domain.tournament.outcome import outcome_of
from domain.tournament.tournament import Inscribed, Tournament

FORMAT: Final = "tabularium-tournament/1"

AT_ONCE: Final = 10_000
"""Milliseconds. Two streams have no common order: a command up to this much older than a cancellation may have been on
its way when the service looked for commands."""

RULED_AFTERWARDS: Final = "TAB-RUL-09"
"""The rule behind a result that a ruling gave to a game that was over."""


class Header(Struct, frozen=True, forbid_unknown_fields=True):
    """The first line."""

    format: str
    tournament: Plain


class End(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the last line."""

    digest: str
    head: Hex
    status: Status
    version: Number


class LastLine(Struct, frozen=True, forbid_unknown_fields=True):
    """The last line."""

    end: End


class TournamentExport(Struct, frozen=True):
    """An export that was read: complete, canonical and with an unbroken chain. `verify` checks that it is true."""

    tournament: TournamentId
    records: tuple[Record, ...]
    status: Status


def export(tournament: Tournament, records: Sequence[Record]) -> Iterator[bytes]:
    """Yield the lines of the export of a tournament. `records` is its whole stream."""
    body = _body(tournament, records)
    yield from with_end(
        body, lambda digest: LastLine(End(digest, tournament.head.hex(), tournament.status, tournament.version))
    )


def _body(tournament: Tournament, records: Sequence[Record]) -> Iterator[bytes]:
    yield canonical(Header(FORMAT, tournament.id)) + b"\n"
    for record in records:
        yield row_line(tournament.id, record) + b"\n"


def is_export(first_line: bytes) -> bool:
    """Tell by its first line whether an export is that of a tournament."""
    return first_line.startswith(b'{"format":"tabularium-tournament/')


def read(lines: Iterable[bytes]) -> TournamentExport:
    """Return the export in `lines`, each with the newline at its end.

    Raises:
        ExportError: a line is not canonical, missing, doubled or in the wrong place, or a hash does not fit.
    """
    return _Reader().read(lines)


class _Reader(StreamReader):
    """Reads the export of a tournament."""

    end: End

    def read(self, lines: Iterable[bytes]) -> TournamentExport:
        self.read_all(lines)
        return TournamentExport(TournamentId(self.stream), tuple(self.records), self.end.status)

    def first(self, line: bytes) -> TournamentId:
        header = self.parse(line, Header)
        self.require_form(header.format, FORMAT)
        tournament = TournamentId(header.tournament)
        if not is_tournament(tournament):
            self.fail(f"{tournament!r} is no id of a tournament")
        return tournament

    def last(self, line: bytes) -> None:
        self.end = self.parse(line, LastLine).end
        self.check_end(self.end.version, self.end.head, self.end.digest)

    def check_first(self, record: Record) -> None:
        try:
            msgspec.json.decode(record.event, type=TournamentAnnounced)
        except msgspec.ValidationError as error:
            self.fail(f"version 1 does not announce a tournament: {error}", 1)


# --- the proof ---


class TournamentVerdict(Struct, frozen=True, omit_defaults=True):
    """The result of verifying the export of a tournament.

    Attributes:
        ok: whether nothing is wrong.
        problem: what is wrong, in a sentence.
        version: the first version of the tournament that is wrong, where the fault belongs to one.
        line: the line of the export that is wrong.
        tournament, status, events: what was checked; absent when the export could not be read.
        head: the hash of the last row.
        games: the games of its tables, with those that were not given.
        proved: what was checked, in sentences.
        unproved: what could not be checked, and why, in sentences.
    """

    ok: bool
    problem: str = ""
    version: Version | None = None
    line: int | None = None
    tournament: TournamentId | None = None
    status: Status | None = None
    events: int = 0
    head: str = ""
    games: tuple[GameId, ...] = ()
    proved: tuple[str, ...] = ()
    unproved: tuple[str, ...] = ()


def verify(lines: Iterable[bytes], library: Library, games: Mapping[GameId, Export]) -> TournamentVerdict:
    """Verify the export of a tournament, given line by line. Never raises because of its content.

    Args:
        games: the exports of its games that are at hand, which are to be verified by themselves.
    """
    try:
        exported = read(lines)
    except ExportError as error:
        return TournamentVerdict(False, error.problem, error.version, error.line)
    verdict = TournamentVerdict(True, tournament=exported.tournament, status=exported.status)
    verdict = msgspec.structs.replace(verdict, events=len(exported.records))
    replay = _Replay(exported, library, games)
    try:
        tournament = replay.run()
    except ExportError as error:
        return msgspec.structs.replace(verdict, ok=False, problem=error.problem, version=error.version, line=error.line)
    return msgspec.structs.replace(
        verdict,
        head=exported.records[-1].hash.hex(),
        games=tuple(tournament.games),
        proved=tuple(replay.proved(tournament)),
        unproved=tuple(replay.unproved(tournament)),
    )


class _Replay(StreamReplay):
    """Decides the acts of a tournament again, one after another, and compares."""

    def __init__(self, exported: TournamentExport, library: Library, games: Mapping[GameId, Export]) -> None:
        super().__init__()
        self.exported = exported
        self.library = library
        self.games = games
        self.tournament: Tournament | None = None
        self.results = 0
        """How many results were compared with their games."""
        self.ruled: list[GameId] = []
        """The games whose results a ruling changed after their end."""

    def run(self) -> Tournament:
        self.decide_all(self.exported.records)
        tournament = fold(self.exported.tournament, self.exported.records)
        if tournament.status != self.exported.status:
            problem = f"The last line says that the tournament is {self.exported.status}; it is {tournament.status}."
            raise ExportError(problem, len(self.exported.records) + 2)
        self._check_called_off(tournament)
        return tournament

    def decided(self, record: Record) -> Record:
        event, cause = read_event(record), cause_of(record)
        if record.cause is None or (cause.player is None and cause.by != "house"):
            self.fail(f"version {self.version} names no account")
        if cause.player is None and not isinstance(event, TableOpened | ResultTaken | ResultConfirmed):
            self.fail(f"version {self.version} is nothing that the service does by itself")
        inscribed = self._decide_anew(event, cause, record.at)
        self.tournament = inscribed.tournament
        (right,) = inscribed.records
        return right

    def _decide_anew(self, event: TournamentEvent, cause: Cause, at: str) -> Inscribed:
        tournament = self.tournament
        if isinstance(event, TournamentAnnounced):
            if tournament is not None:
                self.fail(f"version {self.version} announces the tournament a second time")
            regulations, seats = event.regulations, self._seats(event.regulations.ruleset)
            return directing.announce(self.exported.tournament, regulations, event.commitment, seats, cause, at)
        if tournament is None:
            self.fail("the tournament was not announced")
        match event:
            case PlayerEntered(player, club) if self._is_own(player, cause):
                return entering.enter(tournament, None if club is UNSET else club, cause, at)
            case PlayerWithdrew(player) if self._is_own(player, cause):
                return entering.withdraw(tournament, cause, at)
            case PlayerCheckedIn(_, player, entropy) if self._is_own(player, cause):
                return entering.check_in(tournament, entropy, cause, at)
            case (
                LotsDrawn() | RoundDrafted() | RoundPublished() | RoundCancelled() | TableOpened() | SubstituteSeated()
            ):
                return self._round_anew(tournament, event, cause, at)
            case ResultTaken() | ResultConfirmed() | ResultOverruled():
                return self._result_anew(tournament, event, cause, at)
            case _:
                return self._direction_anew(tournament, event, cause, at)

    def _direction_anew(self, tournament: Tournament, event: TournamentEvent, cause: Cause, at: str) -> Inscribed:
        match event:
            case RegulationsChanged(regulations):
                return directing.change(tournament, regulations, self._seats(regulations.ruleset), cause, at)
            case DirectorNamed(player):
                return directing.name_director(tournament, player, cause, at)
            case DirectorReleased(player):
                return directing.release_director(tournament, player, cause, at)
            case TournamentPassedOn(player):
                return directing.pass_on(tournament, player, cause, at)
            case PlayerDropped(player, reason):
                return directing.drop(tournament, player, reason, cause, at)
            case PenaltyGiven(player, sort, points, reason):
                return directing.penalize(tournament, player, sort, points, reason, cause, at)
            case AnnouncementMade(text):
                return directing.tell_all(tournament, text, cause, at)
            case TournamentClosed():
                return directing.close(tournament, cause, at)
            case TournamentCancelled(reason):
                return directing.cancel(tournament, reason, cause, at)
            case _:
                return self.fail(f"version {self.version} follows from nothing")

    def _round_anew(self, tournament: Tournament, event: TournamentEvent, cause: Cause, at: str) -> Inscribed:
        match event:
            case LotsDrawn(_, secret):
                if not follows(secret, tournament.last_secret):
                    self.fail(f"version {self.version} has a secret that does not follow from the commitment")
                return rounds.close_check_in(tournament, secret, cause, at)
            case RoundDrafted(_, _, draw, _, by, bound):
                return rounds.draft(tournament, draw, by, None if bound is UNSET else bound, cause, at)
            case RoundPublished(_, draft, draw, _, reason):
                change = (None, None) if reason is UNSET else (draw, reason)
                return rounds.publish(tournament, draft, *change, cause, at)
            case RoundCancelled(number, reason):
                self._check_unplayed(tournament, number, at)
                return rounds.cancel_round(tournament, number, reason, cause, at)
            case TableOpened(number, table, game):
                return rounds.open_table(tournament, number, table, game, cause, at)
            case SubstituteSeated(number, table, player, to, reason):
                return rounds.substitute(tournament, number, table, player, to, reason, cause, at)
            case _:
                return self.fail(f"version {self.version} follows from nothing")

    def _result_anew(self, tournament: Tournament, event: TournamentEvent, cause: Cause, at: str) -> Inscribed:
        match event:
            case ResultTaken(number, table, order, how, rule, version, hash, leavers):
                inscribed = results.take_result(
                    tournament, number, table, order, how, rule, version, hash, leavers, cause, at
                )
                self._compare(tournament, event)
                return inscribed
            case ResultConfirmed(number, table):
                return results.confirm(tournament, number, table, cause, at)
            case ResultOverruled(number, table, order, reason):
                return results.overrule(tournament, number, table, order, reason, cause, at)
            case _:
                return self.fail(f"version {self.version} follows from nothing")

    def _is_own(self, player: str, cause: Cause) -> bool:
        if cause.player != player:
            self.fail(f"version {self.version} says something of {player} in the name of {cause.player}")
        return True

    # --- what is known of the games ---

    def _seats(self, ruleset: str) -> Collection[int]:
        # Versions of a ruleset may allow different numbers of players: accept those of every version.
        current = self.library.current(ruleset)
        return {number for version in current.versions for number in self.library.at(ruleset, version).players}

    def _compare(self, tournament: Tournament, result: ResultTaken) -> None:
        """Compare a result with its game, if the export of the game was given."""
        table = tournament.table(result.round, result.table, "TAB-TRN-14")
        game = self.games.get(table.game) if table.game is not None else None
        if game is None:
            return
        where = f"version {self.version} takes the result of {game.game}"
        if cause_of(game.records[0]).tournament != self.exported.tournament:
            self.fail(f"{where}, which is no game of this tournament")
        if result.version > len(game.records) or game.records[result.version - 1].hash.hex() != result.hash:
            self.fail(f"{where} at version {result.version} with a hash that the game does not have there")
        outcome = outcome_of(game.fold(self.library), game.records, table)
        if outcome is None:
            self.fail(f"{where}, which is not over, or was played by others")
        if (result.how, result.rule) == ("ruled", RULED_AFTERWARDS):
            # What was ruled after the end is in a case, and not in the game.
            self.ruled.append(game.game)
            outcome = msgspec.structs.replace(outcome, order=result.order, how=result.how, rule=result.rule)
        claimed = (result.order, result.how, result.rule, result.version, result.left)
        if claimed != (outcome.order, outcome.how, outcome.rule, outcome.version, outcome.left):
            self.fail(f"{where}, which ended otherwise: {canonical(outcome).decode()}")
        self.results += 1

    def _check_unplayed(self, tournament: Tournament, number: int, at: str) -> None:
        """Check that nobody had given a command in the games of a round when it was cancelled."""
        round_ = tournament.field.rounds.get(number)
        for table in round_.tables if round_ is not None else ():
            game = self.games.get(table.game) if table.game is not None else None
            starts = starts_of_commands(game.records) if game is not None else ()
            # A start is the version before a command, so the command itself is the next record.
            times = [milliseconds(game.records[start].at) for start in starts] if game is not None else []
            if game is not None and times and min(times) + AT_ONCE < milliseconds(at):
                self.fail(f"version {self.version} cancels round {number}, in which {game.game} was being played")

    def _check_called_off(self, tournament: Tournament) -> None:
        """Check that a game was cancelled for the tournament only with that or its round (TAB-TRN-11, TAB-TRN-19)."""
        for game in _at_hand(tournament, self.games, cancelled=False):
            last = game.records[-1]
            if last.type == type_name(GameCancelled) and cause_of(last).tournament == tournament.id:
                self.fail(f"{game.game} was cancelled for the tournament, but neither that nor its round was")

    # --- the verdict ---

    def proved(self, tournament: Tournament) -> Iterator[str]:
        yield f"The chain of {len(self.exported.records)} events is unbroken and every line is canonical."
        yield "Every act was decided again and gave exactly the stored events."
        if number := len(tournament.field.rounds):
            yield f"The lots of {number} rounds are those of the secrets that were committed to."
            yield "Every draft and every published round is lawful and costs what it says."
        if results := self.results - len(self.ruled):
            yield f"{results} results are those of their games."
        if tournament.status == "closed":
            yield "The final order follows from the results."

    def unproved(self, tournament: Tournament) -> Iterator[str]:
        if missing := [game for game in tournament.games if game not in self.games]:
            yield f"The results of {len(missing)} games: their exports are missing."
        if self.ruled:
            yield f"The rulings on {', '.join(self.ruled)}: verify the exports of their cases."
        called_off = _at_hand(tournament, self.games, cancelled=True)
        if gathering := [each.game for each in called_off if each.fold(self.library).status == "gathering"]:
            yield f"That {', '.join(gathering)} will not be played, of what was cancelled: verify later exports."
        if any(each.drafts for each in tournament.field.rounds.values()):
            yield "That no draw would have cost less than one that is not at its bound: it was not solved again."


def _at_hand(tournament: Tournament, games: Mapping[GameId, Export], *, cancelled: bool) -> list[Export]:
    """Return the given exports of games whose round or tournament was cancelled; of the others if not `cancelled`."""
    return [
        games[game]
        for game, (number, _) in tournament.games.items()
        if game in games and cancelled == ("cancelled" in (tournament.status, tournament.field.rounds[number].status))
    ]
