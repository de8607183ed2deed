"""A case about a game played in memory: what the tests of judging and the programs that forge exports look at."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from domain.judging import proof
from domain.judging.case import Case, CaseRow, Filed, open_case
from domain.judging.effect import effect_of
from domain.judging.events import Written, commitment_to
from domain.judging.facts import Facts
from domain.judging.fold import facts_of, fold
from domain.judging.proof import Statement
from domain.kernel.ids import CaseId, GameId, PlayerId, RuleId, Version
from domain.kernel.log.fold import earlier_of
from domain.kernel.log.record import Cause, Record
from tests.helpers.play import Play

SALT = bytes(range(16))
JUDGE = PlayerId("judge")
OTHER_JUDGE = PlayerId("other-judge")


class Court:
    """A case with its stream, and the game that it is about, whose officials are `JUDGE` and `OTHER_JUDGE`."""

    def __init__(self, play: Play, case: str = "ccase") -> None:
        self.play = play
        for judge in (JUDGE, OTHER_JUDGE):
            if judge not in play.game.around.officials:
                play.name_official(judge)
        self.id = CaseId(case)
        self.records: list[Record] = []
        self.forks: dict[GameId, Play] = {}
        """The forks that were made to continue the game."""
        self.statements: list[Statement] = []

    @property
    def case(self) -> Case:
        return fold(self.id, self.records)

    @property
    def facts(self) -> Facts:
        return facts_of(self.play.game, self.play.records, list(self.forks))

    @property
    def now(self) -> str:
        return self.play.now

    def write(self, text: str) -> str:
        """Keep a statement for the next event, and return its commitment."""
        written = Written(text)
        commitment = commitment_to(written, SALT)
        self.statements.append(Statement(commitment, SALT.hex(), len(self.records) + 1, written))
        return commitment

    def take(self, filed: Filed) -> Filed:
        assert filed.case == fold(self.id, [*self.records, *filed.records])
        self.records.extend(filed.records)
        return filed

    def try_open(
        self,
        player: PlayerId,
        kind: Any = "move",
        about: Version = 1,
        cited: Sequence[str] = (),
        others: Sequence[CaseRow] = (),
        **more: Any,
    ) -> Filed:
        command = more.pop("command", UNSET)
        return open_case(
            self.id,
            len(others) + 1,
            kind,
            about,
            tuple(map(RuleId, cited)),
            commitment_to(Written("That was wrong."), SALT),
            others,
            self.facts,
            Cause(player),
            self.now,
            command=command if command is UNSET else msgspec.Raw(msgspec.json.encode(command, order="sorted")),
            **more,
        )

    def open(self, player: PlayerId, *given: Any, **more: Any) -> Filed:
        filed = self.try_open(player, *given, **more)
        self.write("That was wrong.")
        return self.take(filed)

    def state(self, player: PlayerId, text: str = "So it was.") -> Filed:
        filed = self.case.state(commitment_to(Written(text), SALT), self.facts, Cause(player), self.now)
        self.write(text)
        return self.take(filed)

    def answer(self, player: PlayerId, text: str = "It was not.") -> Filed:
        filed = self.case.answer(commitment_to(Written(text), SALT), self.facts, Cause(player), self.now)
        self.write(text)
        return self.take(filed)

    def appeal(self, player: PlayerId, text: str = "Look again.") -> Filed:
        filed = self.case.appeal(commitment_to(Written(text), SALT), self.facts, Cause(player), self.now)
        self.write(text)
        return self.take(filed)

    def consent(self, player: PlayerId) -> Filed:
        return self.take(self.case.consent(self.facts, Cause(player), self.now))

    def withdraw(self, player: PlayerId) -> Filed:
        return self.take(self.case.withdraw(Cause(player), self.now))

    def rule(
        self, player: PlayerId = JUDGE, decision: Any = "dismissed", *, carried: bool = True, **more: Any
    ) -> Filed:
        """Rule, and carry the ruling out in the game unless told otherwise."""
        facts = self.facts
        given: dict[str, Any] = {"cited": ["TAB-UNDO-02"], "reason": "As the rule says."}
        given |= {"version": facts.version, "hash": facts.hash, **more}
        play, filed = (
            self.forks.get(GameId(str(given.get("to"))), self.play),
            (
                self.case.rule(
                    decision,
                    tuple(given.pop("cited")),
                    given.pop("reason"),
                    given.pop("version"),
                    given.pop("hash"),
                    facts,
                    Cause(player),
                    self.now,
                    **given,
                )
            ),
        )
        effect = effect_of(
            filed, play.game, play.records, earlier_of(play.game, play.records, play.library), play.chance
        )
        if effect is not None and carried:
            play.take(effect)
        return self.take(filed)

    def export(self) -> list[bytes]:
        return list(proof.export(self.case, self.records, self.statements))
