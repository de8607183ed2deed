"""Queries and bodies of the endpoints for cases."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from domain.judging.case import CaseRow
from domain.judging.events import (
    Appealed,
    CaseAnswered,
    CaseOpened,
    CaseWithdrawn,
    ConsentGiven,
    Decision,
    Kind,
    Ruled,
    RuledFinally,
    Settled,
    StatementMade,
    Status,
)
from domain.kernel.ids import LARGEST_INTEGER, CaseId, GameId, PlayerId, RuleId, Seat, Version
from service.api.bodies import Identifier, Listed, Page, Past

Number = Annotated[int, Meta(ge=1, le=LARGEST_INTEGER)]

Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$(?!\n)", description="64 hex digits")]

CaseHappened = (
    CaseOpened | StatementMade | CaseAnswered | CaseWithdrawn | ConsentGiven | Ruled | Appealed | RuledFinally | Settled
)
"""An event of a case."""


class CasesPage(Page, frozen=True):
    """Which cases.

    Attributes:
        game: only cases of this game.
        status: only cases of this status.
        rule: only cases that cite this rule, themselves or in a ruling.
        for_: `me` for the cases of games in which you hold a seat or are an official; this needs a token.
    """

    game: Identifier | None = None
    status: Status | None = None
    rule: Identifier | None = None
    for_: Literal["me"] | None = msgspec.field(default=None, name="for")


class CasesOfGamePage(Page, frozen=True):
    """Which cases of a game.

    Attributes:
        status: only cases of this status.
    """

    status: Status | None = None


class CaseEventsPage(Struct, frozen=True, forbid_unknown_fields=True):
    """Which events of a case.

    Attributes:
        after: the version after which to begin.
        limit: how many events at most.
    """

    after: Past = 0
    limit: Annotated[int, Meta(ge=1, le=500)] = 100


class StatementsPage(Struct, frozen=True, forbid_unknown_fields=True):
    """Which statements of a case.

    Attributes:
        after: the version of the case after which to begin.
        limit: how many statements at most.
    """

    after: Past = 0
    limit: Annotated[int, Meta(ge=1, le=500)] = 100


class NewCase(Struct, frozen=True, forbid_unknown_fields=True):
    """A case to open.

    Attributes:
        kind: what it is about: a `move` that should have been refused, a `refusal` of what should have been accepted, a
            `slip`, the `dice`, the `time`, somebody's `conduct`, or the `result` of a game that is over.
        version: which version of the game it is about: the version of the disputed event or, for the kind `refusal`,
            the version at which the command was refused.
        statement: what you have to say, in 1 to 2,000 characters.
        rules: the ids of the rules that you cite.
        command: the command that was refused, only for the kind `refusal`.
    """

    kind: Kind
    version: Number
    statement: str
    rules: tuple[Identifier, ...] = ()
    command: Raw | UnsetType = UNSET


class NewStatement(Struct, frozen=True, forbid_unknown_fields=True):
    """What a party has to say.

    Attributes:
        statement: 1 to 2,000 characters.
    """

    statement: str


class NewRuling(Struct, frozen=True, forbid_unknown_fields=True):
    """A ruling.

    Attributes:
        decision: what you decide. `back` goes back to the version before a command and needs `to`; `result` needs
            `order`; `pause` and `resume` stop a running game and let it go on; `stands` and `dismissed` change nothing.
            `continue` lets a game that is over go on in a fork that was made for that, and needs `to`.
        rules: the ids of the rules that the ruling rests on, at least one.
        reason: why, in a line of 1 to 2,000 characters. It is public, and part of the log.
        version: the version of the game that you looked at.
        hash: the hash of the game at that version.
        to: the version to which the game goes back, or the fork in which it continues.
        order: the final order of all seats, as a list of places, the first place first; seats that tie share a place.
    """

    decision: Decision
    rules: tuple[Identifier, ...]
    reason: str
    version: Number
    hash: Hash
    to: Number | Identifier | UnsetType = UNSET
    order: tuple[tuple[Identifier, ...], ...] | UnsetType = UNSET


class CaseSummary(Struct, frozen=True):
    """A case.

    Attributes:
        case: its id.
        game: the game that it is about.
        number: its number among the cases of the game, without gaps.
        status: how far it is. `open` and `appealed` wait for a ruling; `ruled` for an appeal, if there is one;
            `withdrawn`, `settled` and `final` are closed.
        kind: what it is about.
        about: the version of the game that it is about.
        player: who opened it.
        seat: the seat that they held; null for an official.
        rules: the rules that the case and its rulings cite.
        version: the number of its events.
        created: when it was opened.
        changed: when something last happened in it.
    """

    case: CaseId
    game: GameId
    number: int
    status: Status
    kind: Kind
    about: Version
    player: PlayerId
    seat: Seat | None
    rules: tuple[RuleId, ...]
    version: Version
    created: str
    changed: str


class CaseRefusal(Struct, frozen=True, omit_defaults=True):
    """A refusal, as it was decided again just now.

    Attributes:
        rule: the rule that the command breaks.
        rule_title: the title of that rule.
        source: the source of that rule.
        detail: what is wrong, in a sentence.
        allowed: what would be right, in a sentence.
    """

    rule: RuleId
    rule_title: str
    source: str
    detail: str
    allowed: str


class CaseStatement(Struct, frozen=True):
    """What somebody wrote in a case.

    Attributes:
        version: the version of the case that it made.
        kind: the complaint, an answer, a statement or an appeal.
        seat: who wrote it; null for an official.
        at: when.
        commitment: the commitment that the log has in place of the text.
        text: what was written; null when it was erased, or when you may not read it.
        salt: the salt of the commitment, in hex; null when `text` is null.
        erased: when it was erased; null when it was not.
    """

    version: Version
    kind: Literal["case-opened", "case-answered", "statement-made", "appealed"]
    seat: Seat | None
    at: str
    commitment: str
    text: str | None
    salt: str | None
    erased: str | None


class CaseRuling(Struct, frozen=True):
    """A ruling on a case.

    Attributes:
        version: the version of the case that it made.
        player: the official who ruled.
        at: when.
        is_final: whether it followed an appeal.
        ruling: the ruling.
    """

    version: Version
    player: PlayerId
    at: str
    is_final: bool
    ruling: Ruled | RuledFinally


class CaseDetail(Struct, frozen=True):
    """A case, as you may see it.

    Attributes:
        summary: the case as lists show it.
        opened_at: the version at which the game stood when the case was opened.
        opened_hash: the hash of the game at that version.
        command: the refused command, if the case is about a refusal; null for other cases. If the command is secret,
            only its type.
        refusal: the refusal of that command, decided again just now at the version that the case is about. Null for
            other cases, when you may not see it, when the command was secret and has been erased, and when the command
            would be accepted today.
        statements: what the parties wrote. Seats and officials may read it, and everybody when the game is over. `GET`
            returns a page of it. A request that changes the case returns only the statement that it made or erased.
        consents: the seats that have consented: to the complaint or, after a ruling, to the ruling.
        rulings: the rulings, the last one last.
        repeated: whether this request repeated an earlier one (same idempotency key) and so changed nothing.
        next: the `after` of the next page of statements; null after the last.
    """

    summary: CaseSummary
    opened_at: Version
    opened_hash: str
    command: Any
    refusal: CaseRefusal | None
    statements: tuple[CaseStatement, ...]
    consents: tuple[Seat, ...]
    rulings: tuple[CaseRuling, ...]
    repeated: bool = False
    next: Version | None = None


class CaseEventView(Struct, frozen=True, omit_defaults=True):
    """An event of a case: its row of the log.

    Attributes:
        version: the version of the case that it made.
        type: its type, as in the event itself.
        text: what happened, in a sentence.
        at: when it was recorded, RFC 3339 in UTC.
        schema: the schema version of the event's shape.
        draws: always 0: a case draws no dice.
        event: what happened.
        hash: the hash of this row and all before it, in hex.
        cause: the account, the seat and the digest of the idempotency key; absent for an event that followed
            automatically.
    """

    version: Version
    type: str
    text: str
    at: str
    schema: int
    draws: int
    event: CaseHappened
    hash: str
    cause: Any = None


class CaseEventPage(Struct, frozen=True):
    """A part of the events of a case.

    Attributes:
        items: the events.
        next: the `after` of the next page; null after the last.
    """

    items: tuple[CaseEventView, ...]
    next: Version | None


class CasePage(Listed[CaseSummary], frozen=True):
    """A page of cases."""


def case_summary(row: CaseRow) -> CaseSummary:
    return msgspec.convert(row, CaseSummary, from_attributes=True)


class StreamedCaseEvent(Struct, frozen=True):
    """A frame of the event stream of a case. Each attribute is a line of the frame.

    Attributes:
        id: the version of the case that the event made.
        event: the type of the event; absent with `frames=plain`.
        data: the event, in JSON.
    """

    id: str
    data: str
    event: str | UnsetType = UNSET


class LoggedCaseEvent(Struct, frozen=True):
    """An event of a case, in the stream of all games of an account.

    Attributes:
        game: the game that the case is about.
        case: the case.
        event: the event.
    """

    game: GameId
    case: CaseId
    event: CaseEventView
