"""The desk: opens cases about games, applies acts to them one at a time, and reads them."""

import hashlib
import itertools
import secrets
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from domain.judging.case import Case, CaseRow, Filed, in_log, open_case, require_few_cases, require_few_statements
from domain.judging.effect import effect_of
from domain.judging.events import Decision, Kind, Ruled, Written, commitment_to
from domain.judging.facts import Facts
from domain.judging.fold import facts_of, fold, read_event
from domain.judging.outcome import RESULT_RULE, Judgment, holding, judgment_of
from domain.judging.proof import Statement
from domain.judging.requirements import require_text
from domain.kernel.canonical import canonical
from domain.kernel.ids import CaseId, GameId, PlayerId, RuleId, Seat, Version, book_of
from domain.kernel.log.ending import Finish, finish, finished
from domain.kernel.log.fold import earlier_of
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.record import Cause, Record, first_broken
from domain.kernel.log.request import read_commands
from domain.kernel.rules.refusal import Refusal
from service.base.clock import Clock, stamp
from service.base.ids import ID_BYTES, new_id
from service.cluster.wake import Wake
from service.games import acts
from service.games.cache import GameDamaged
from service.games.commands import ATTEMPTS
from service.games.games import Games
from service.games.requests import StaleVersion, hashed_key
from service.store.protocol import (
    Added,
    Append,
    Conflict,
    EventStore,
    KeptStatement,
    KeyReused,
    KeyUse,
    StoreUnavailable,
)

SALT_BYTES: Final = 16

OPENINGS: Final = 50
"""How often a new case may get another number because another case of the game was opened first."""

ALL: Final = 1_000_000


class UnknownCase(LookupError):
    """There is no such case."""


class UnknownStatement(LookupError):
    """The case has no statement at this version, or it was erased."""


class Docket(Struct, frozen=True):
    """A stored case.

    Attributes:
        case: the case.
        records: its stream.
        kept: the requested statements, by the version of their event.
        repeated: whether the request came again with its idempotency key; the case is then as after the first request.
    """

    case: Case
    records: Sequence[Record]
    kept: dict[Version, KeptStatement]
    repeated: bool = False

    def written(self, version: Version) -> Written | None:
        """Return what was written at a version; None when nothing was, when it was not requested, or erased."""
        statement = self.kept.get(version)
        return written_in(statement) if statement is not None else None

    def statements(self) -> Iterator[Statement]:
        """Yield the requested statements that were not erased, as an export shows them."""
        for version, commitment in self.case.commitments.items():
            written, statement = self.written(version), self.kept.get(version)
            if written is not None and statement is not None and statement.salt is not None:
                yield Statement(commitment, statement.salt, version, written)


def written_in(statement: KeptStatement) -> Written | None:
    """Return what somebody wrote; None when it was erased."""
    return msgspec.json.decode(statement.written, type=Written) if statement.written else None


class Outcome(Struct, frozen=True):
    """How a game ended, after the rulings on it.

    Attributes:
        result: who won, and the rule behind that; None while it goes on, also in another game.
        ruled_by: the case whose ruling holds; None when its own end counts.
        continued_in: the game in which it continues by that ruling; None when it does not.
    """

    result: Finish | None
    ruled_by: CaseId | None = None
    continued_in: GameId | None = None


class Ruling(Struct, frozen=True):
    """A ruling as an official sends it. It has the fields of the event."""

    decision: Decision
    rules: tuple[RuleId, ...]
    reason: str
    version: Version
    hash: str
    to: Version | GameId | UnsetType = UNSET
    order: tuple[tuple[Seat, ...], ...] | UnsetType = UNSET


class Desk:
    """All cases of a store. With an idempotency key, a repetition of an accepted request gets the first answer.

    Every method may raise `StoreError`; those that take a case's id `UnknownCase`, those that take a game's
    `UnknownGame`.
    """

    def __init__(
        self,
        store: EventStore,
        games: Games,
        wake: Wake,
        clock: Clock,
        randomness: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._store = store
        self._games = games
        self._wake = wake
        self._clock = clock
        self._randomness = randomness

    # --- looking ---

    async def row(self, case_id: CaseId) -> CaseRow:
        """Return the row of a case in the index."""
        row = await self._store.case(case_id)
        if row is None:
            raise UnknownCase(f"There is no case {case_id!r}.")
        return row

    async def docket(
        self, case_id: CaseId, version: Version | None = None, *, after: Version = 0, limit: int | None = 0
    ) -> Docket:
        """Return the present case, or the case at `version`.

        It has the first `limit` statements after version `after`; all of them with a limit of None.
        """
        records = await self._store.read(case_id, 0, version)
        if not records:
            raise UnknownCase(f"There is no case {case_id!r}.")
        if first_broken(case_id, records) is not None:
            raise GameDamaged(f"case {case_id} is damaged in the store")
        statements = await self._store.statements(case_id, after, limit) if limit != 0 else []
        case = fold(case_id, records)
        return Docket(case, records, {each.version: each for each in statements if each.version in case.commitments})

    async def facts(self, game_id: GameId) -> Facts:
        """Return the facts of a game now."""
        game = await self._games.game(game_id)
        continuations = await self._store.continuations(game_id) if game.status == "over" else ()
        return facts_of(game, (await self._games.records(game_id))[: game.version], continuations)

    async def outcome(self, game: Game) -> Outcome:
        """Return how a game ended, after the rulings on it: the newest holds."""
        judgment = await self._holding(game) if game.status == "over" else None
        if judgment is None:
            return Outcome(finish(game))
        if judgment.continued_in is None:
            return Outcome(finished(judgment.winners, RESULT_RULE, judgment.order), judgment.case)
        last = await self.outcome(await self._games.game(judgment.continued_in))
        return Outcome(last.result, judgment.case, judgment.continued_in)

    async def _holding(self, game: Game) -> Judgment | None:
        judgments: list[Judgment] = []
        rows = await self._store.cases(game=game.id, limit=ALL)
        rulings = await self._store.rulings([row.case for row in rows])
        for row in rows:
            for record in rulings.get(row.case, ())[-1:]:
                ruling = read_event(record)
                # The log of a game has what a ruling changed while the game was running.
                if isinstance(ruling, Ruled) and ruling.version == game.version:
                    judgments += filter(None, [judgment_of(ruling, row.case, row.number, record.at)])
        return holding(judgments)

    async def refusal(self, docket: Docket) -> Refusal | None:
        """Return the refusal of a case's command, decided again.

        None when the rules do not refuse it, when it was erased, or when the case or its seat has none.
        """
        opened = docket.case.opened
        if opened.command is UNSET or docket.case.seat is None:
            return None
        written = next(map(written_in, await self._store.statements(docket.case.id, 0, 1)), None)
        raw_command = bytes(opened.command)
        if written is not None and written.command is not UNSET:
            raw_command = msgspec.json.encode(written.command)
        try:
            return await self._games.refusal(opened.game, opened.about, docket.case.seat, raw_command)
        except Refusal as unreadable:  # a secret command whose content was erased cannot be read
            return None if written is None else unreadable

    # --- acting ---

    async def open(
        self,
        game_id: GameId,
        player: PlayerId,
        kind: Kind,
        about: Version,
        rules: Sequence[RuleId],
        text: str,
        command: bytes | None = None,
        *,
        key: str | None = None,
    ) -> Docket:
        """Open a case. Raises `Refusal` or `KeyReused`."""
        require_text(text)
        content = ["open-case", game_id, kind, about, list(rules), text, msgspec.json.decode(command or b"null")]
        for case_id in self._new_ids(player, key, game_id):
            use = _use(player, key, content)
            if use is not None and (first := await self._first(case_id, use)) is not None:
                return first
            if book_of(case_id) != book_of(game_id):
                continue
            for _ in range(OPENINGS):
                facts = await self.facts(game_id)
                others = await self._store.cases(game=game_id, limit=ALL)
                refused_command = command if kind == "refusal" else None
                visible_command, written, refused = await self._visible_command(
                    facts, player, about, refused_command, text
                )
                visible_command = Raw(command) if command is not None and refused_command is None else visible_command
                salt = self._randomness(SALT_BYTES)
                try:
                    filed = open_case(
                        case_id,
                        len(others) + 1,
                        kind,
                        about,
                        tuple(rules),
                        commitment_to(written, salt),
                        others,
                        facts,
                        Cause(player, key=use.key if use is not None else None),
                        stamp(self._clock),
                        command=visible_command,
                        refused=refused,
                    )
                    require_few_cases(player, others)
                    return await self._append(filed, 0, use, (written, salt))
                except Refusal as refusal:
                    return await self._answered_meanwhile(case_id, use, refusal)
                except Conflict as conflict:
                    if conflict.head:
                        break  # the id is taken: this key was used before, and has ended since
        raise StoreUnavailable("no id for a new case was found; try again")

    async def _visible_command(
        self, facts: Facts, player: PlayerId, about: Version, command: bytes | None, text: str
    ) -> tuple[Raw | UnsetType, Written, bool]:
        """Return a refused command as the log shows it, its part beside the log, and whether the rules refuse it."""
        seat = facts.seat_of(player)
        if command is None or seat is None or not 1 <= about <= facts.version:
            return UNSET if command is None else Raw(command), Written(text), True
        game = await self._games.game(facts.game)
        visible_command, written = in_log(read_commands(game.ruleset, [command])[0], text)
        return visible_command, written, await self._games.refusal(facts.game, about, seat, command) is not None

    def _new_ids(self, player: PlayerId, key: str | None, game: GameId) -> Iterator[CaseId]:
        """Yield ids for a new case. They follow from the key, as those of new games do.

        The first may be in another book than the game: a release without books may have used it.
        """
        for number in itertools.count():
            seed = self._randomness(ID_BYTES)
            if key is not None:
                seed = hashlib.sha256(f"case/{hashed_key(player, key)}/{number}".encode()).digest()[:ID_BYTES]
            case = CaseId(new_id("c", seed))
            if number == 0 or book_of(case) == book_of(game):
                yield case

    async def act(
        self,
        case_id: CaseId,
        player: PlayerId,
        kind: str,
        decide: Callable[[Case, str, Facts, Cause, str], Filed],
        text: str | None = None,
        *,
        expected: Collection[Version] | None = None,
        key: str | None = None,
    ) -> Docket:
        """Let a party act in a case. `decide` gets the commitment to `text`.

        Raises:
            Refusal: a rule forbids it.
            StaleVersion: the case is at none of the `expected` versions.
            KeyReused: the key was used for another request before.
        """
        use = _use(player, key, [kind, text])
        if text is not None:
            require_text(text)

        async def attempt(docket: Docket, cause: Cause, at: str) -> Docket:
            written, salt = Written(text or ""), self._randomness(SALT_BYTES)
            facts = await self.facts(docket.case.game)
            filed = decide(docket.case, commitment_to(written, salt), facts, cause, at)
            require_few_statements(filed)
            return await self._append(filed, docket.case.version, use, (written, salt) if text is not None else None)

        return await self._attempts(case_id, player, expected, use, attempt)

    async def rule(
        self,
        case_id: CaseId,
        player: PlayerId,
        ruling: Ruling,
        *,
        expected: Collection[Version] | None = None,
        key: str | None = None,
    ) -> Docket:
        """Rule on a case, and change its game in the same transaction. Raises what `act` raises."""
        use = _use(player, key, ["rule", *msgspec.to_builtins(ruling).items()])

        async def attempt(docket: Docket, cause: Cause, at: str) -> Docket:
            filed: list[Filed] = []

            async def decide(now: acts.Case) -> tuple[Append, Decided | None]:
                history = await now.log()
                decision = (ruling.decision, ruling.rules, ruling.reason, ruling.version, ruling.hash)
                about = docket.case.game
                facts = facts_of(now.game, history) if now.game.id == about else await self.facts(about)
                moment = max(at, now.at)
                step = docket.case.rule(*decision, facts, cause, moment, to=ruling.to, order=ruling.order)
                filed[:] = [step]
                earlier = earlier_of(now.game, history, now.library)
                effect = effect_of(step, now.game, history, earlier, now.chance)
                return _batch(step, docket.case.version, use), effect

            appended = await self._games.together(await self._changed_by(ruling, docket.case.game), player, decide)
            if appended.repeated is not None:
                return await self._repeated(case_id, appended.repeated)
            return await self._announce(filed[0])

        return await self._attempts(case_id, player, expected, use, attempt)

    async def _changed_by(self, ruling: Ruling, game_id: GameId) -> GameId:
        """Return the game that a ruling may change: that of the case, or the fork in which it continues."""
        if ruling.decision == "continue" and ruling.to in (await self.facts(game_id)).continuations:
            return GameId(str(ruling.to))
        return game_id

    async def _attempts(
        self,
        case_id: CaseId,
        player: PlayerId,
        expected: Collection[Version] | None,
        use: KeyUse | None,
        attempt: Callable[[Docket, Cause, str], Awaitable[Docket]],
    ) -> Docket:
        cause = Cause(player, key=use.key if use is not None else None)
        for _ in range(ATTEMPTS):
            docket = await self.docket(case_id)
            if use is not None and (first := await self._first(case_id, use)) is not None:
                return first
            if expected is not None and docket.case.version not in expected:
                raise StaleVersion(expected, docket.case.version, "case")
            try:
                return await attempt(docket, cause, stamp(self._clock))
            except Conflict:
                continue
            except Refusal as refusal:
                return await self._answered_meanwhile(case_id, use, refusal)
        raise StoreUnavailable(f"{case_id} changed {ATTEMPTS} times while the service decided this; try again")

    async def erase(self, case_id: CaseId, version: Version, player: PlayerId) -> Docket:
        """Erase what was written at a version of a case. Its commitment stays. Raises `UnknownStatement`."""
        docket = await self.docket(case_id, after=version - 1, limit=1)
        if version not in docket.kept:
            raise UnknownStatement(f"Case {case_id!r} has no statement at version {version}.")
        await self._store.erase(case_id, version, player, stamp(self._clock))
        return await self.docket(case_id, after=version - 1, limit=1)

    # --- storing ---

    async def _append(
        self, filed: Filed, expected: Version, use: KeyUse | None, written: tuple[Written, bytes] | None
    ) -> Docket:
        appended = await self._store.append(_batch(filed, expected, use, written))
        if appended.repeated is not None:
            return await self._repeated(filed.case.id, appended.repeated)
        return await self._announce(filed)

    async def _announce(self, filed: Filed) -> Docket:
        self._wake.notify(filed.case.id, filed.case.version)
        return await self._after(filed.case.id, Added(filed.records[0].version - 1, filed.case.version))

    async def _first(self, case_id: CaseId, use: KeyUse) -> Docket | None:
        """Return the answer to an earlier request with this key; None when there was none. Raises `KeyReused`."""
        first_use = await self._store.use_of_key(case_id, use.account, use.key)
        if first_use is None:
            return None
        if first_use.fingerprint != use.fingerprint:
            raise KeyReused
        return await self._repeated(case_id, first_use.added)

    async def _answered_meanwhile(self, case_id: CaseId, use: KeyUse | None, refusal: Refusal) -> Docket:
        """Return the answer to an earlier request with this key, if there was one; else raise the refusal.

        When the key was looked up, a process that has been killed since may still have been storing that request.
        """
        if use is not None and (first := await self._first(case_id, use)) is not None:
            return first
        raise refusal

    async def _repeated(self, case_id: CaseId, added: Added) -> Docket:
        return msgspec.structs.replace(await self._after(case_id, added), repeated=True)

    async def _after(self, case_id: CaseId, added: Added) -> Docket:
        """Return a case as it was after a request, with the statement that the request made."""
        return await self.docket(case_id, added.version, after=added.after, limit=1)


def _batch(filed: Filed, expected: Version, use: KeyUse | None, written: tuple[Written, bytes] | None = None) -> Append:
    statement = None
    if written is not None:
        content, salt = written
        statement = KeptStatement(filed.records[0].version, salt.hex(), canonical(content).decode())
    case = filed.case
    return Append(
        case.id,
        expected,
        filed.records,
        case.status,
        key=use,
        case=case.row,
        statement=statement,
        ruling=case.ruled_at if filed.ruling is not None else None,
    )


def _use(player: PlayerId, key: str | None, content: Sequence[Any]) -> KeyUse | None:
    if key is None:
        return None
    return KeyUse(player, hashed_key(player, key), hashlib.sha256(canonical(content)).digest())
