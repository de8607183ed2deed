"""Examples of the endpoints for cases."""

from typing import Final

import msgspec

from domain.judging import proof
from domain.judging.case import Case, Filed, open_case
from domain.judging.events import Written, commitment_to
from domain.judging.facts import Facts
from domain.judging.fold import facts_of, fold
from domain.kernel.ids import CaseId, PlayerId, RuleId
from domain.kernel.log.record import Cause, Record
from service.api.cases.bodies import (
    CaseDetail,
    CaseEventPage,
    CasePage,
    NewCase,
    NewRuling,
    NewStatement,
    StreamedCaseEvent,
    case_summary,
)
from service.api.cases.views import case_detail, event_view
from service.api.scene import AT, Example, Scene
from service.judging.desk import Docket
from service.store.protocol import KeptStatement

CASE: Final = CaseId("c4xq2m7ahbk3oxw7c")
SALT: Final = bytes(range(16))
RULES: Final = (RuleId("TAB-UNDO-02"),)
COMPLAINT: Final = "I clicked on the wrong area, and said so at once."
ANSWER: Final = "We agreed before the game that moves stand."
REASON: Final = "Nothing was rolled or revealed since, but the next seat had already decided on it."


class _Court:
    """A case about the command of the scene, in which one thing after another happens."""

    def __init__(self, scene: Scene) -> None:
        self.game = scene.now
        self.judge = PlayerId("p9h4nv6wjj3k2yzts")
        self.facts: Facts = msgspec.structs.replace(facts_of(scene.now, scene.records), officials=(self.judge,))
        self.records: list[Record] = []
        self.kept: dict[int, KeptStatement] = {}

    def keep(self, filed: Filed, text: str | None = None) -> CaseDetail:
        self.records.extend(filed.records)
        version = filed.records[0].version
        if text is not None:
            self.kept[version] = KeptStatement(version, SALT.hex(), msgspec.json.encode(Written(text)).decode())
        return self.detail(version)

    @property
    def case(self) -> Case:
        return fold(CASE, self.records)

    @property
    def docket(self) -> Docket:
        return Docket(self.case, tuple(self.records), dict(self.kept))

    def detail(self, since: int = 1) -> CaseDetail:
        """Return the case as it is shown, with the statements since a version."""
        statements = {version: each for version, each in self.kept.items() if version >= since}
        return case_detail(msgspec.structs.replace(self.docket, kept=statements), None, reads=True)


def _commitment(text: str) -> str:
    return commitment_to(Written(text), SALT)


def examples(scene: Scene) -> dict[str, Example]:
    court = _Court(scene)
    facts, about = court.facts, scene.given.records[0].version
    mine, others = Cause(scene.now.players[scene.seat]), [seat for seat in facts.seats if seat != scene.seat]
    other = Cause(facts.seats[others[0]])
    opening = open_case(CASE, 1, "slip", about, RULES, _commitment(COMPLAINT), (), facts, mine, AT)
    opened = court.keep(opening, COMPLAINT)
    withdrawn = _Court(scene)
    withdrawn.keep(opening, COMPLAINT)
    answer = court.keep(court.case.answer(_commitment(ANSWER), facts, other, AT), ANSWER)
    stated = court.keep(court.case.state(_commitment(ANSWER), facts, mine, AT), ANSWER)
    ruling = ("stands", RULES, REASON, facts.version, facts.hash)
    ruled = court.keep(court.case.rule(*ruling, facts, Cause(court.judge), AT))
    consented = court.keep(court.case.consent(facts, other, AT))
    appealed = court.keep(court.case.appeal(_commitment(COMPLAINT), facts, mine, AT), COMPLAINT)
    whole = court.detail()
    page = CasePage((case_summary(court.case.row),), None)
    statement, back = NewStatement(ANSWER), NewStatement(COMPLAINT)
    wish = NewRuling("stands", RULES, REASON, facts.version, facts.hash)
    export = "".join(line.decode() for line in proof.export(court.case, court.records, list(court.docket.statements())))
    events = tuple(event_view(record, court.game.names) for record in court.records)
    erased, last = court.docket, events[-1]
    erased = msgspec.structs.replace(erased, kept={1: KeptStatement(1, None, None, AT, court.judge)})
    return {
        "listCases": Example(page),
        "listCasesOfGame": Example(page),
        "showCase": Example(whole),
        "listCaseEvents": Example(CaseEventPage(events[:2], events[1].version)),
        "streamCaseEvents": Example(
            StreamedCaseEvent(str(last.version), msgspec.json.encode(last).decode(), last.type)
        ),
        "exportCase": Example(export),
        "openCase": Example(opened, NewCase("slip", about, COMPLAINT, RULES)),
        "makeStatement": Example(stated, statement),
        "answerCase": Example(answer, statement),
        "appealCase": Example(appealed, back),
        "consentToCase": Example(consented),
        "withdrawCase": Example(withdrawn.keep(withdrawn.case.withdraw(mine, AT))),
        "ruleOnCase": Example(ruled, wish),
        "eraseStatement": Example(case_detail(erased, None, reads=True)),
    }
