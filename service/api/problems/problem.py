"""What a problem is: an answer that says what is wrong with a request, and what would be right (RFC 9457).

The kinds stand beside this file by what they are about; `published.py` lists them all.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from domain.kernel.ids import GameId, RuleId, Version
from domain.kernel.rules.decision import Decision
from domain.kernel.rules.message import shortened
from service.base.scopes import Scope
from service.games.views import EventView

MEDIA_TYPE: Final = "application/problem+json"

LONGEST: Final = 2_000
"""The most characters of a problem's `detail` and of its `allowed`, which may repeat what was sent."""

LONGEST_PATH: Final = 200


class Kind(Struct, frozen=True):
    """A kind of problem. `slug`, `status` and `title` never change.

    `meaning` and `remedy` are texts of its page; `example` has members of the body of an example.
    """

    slug: str
    status: int
    title: str
    meaning: str
    remedy: str
    example: Mapping[str, Any] = {}

    @property
    def type(self) -> str:
        """The address that identifies the kind, and where its page is."""
        return f"/problems/{self.slug}"


class Fault(Struct, frozen=True, omit_defaults=True):
    """What is wrong with one of several games.

    Attributes:
        game: its number among them, from 1 on.
        detail: what is wrong with it.
        seat: the seat that it is about; absent when it is about none.
        rule: the id of the rule that it breaks; absent when it breaks none.
    """

    game: int
    detail: str
    seat: str | None = None
    rule: str | None = None


class ProblemBody(Struct, frozen=True, omit_defaults=True):
    """What went wrong (RFC 9457), and what is right.

    Attributes:
        type: identifies the kind of problem, and is the address of its page.
        title: the kind of problem in a few words, the same for every problem of the kind.
        status: the HTTP status.
        detail: what was wrong with this request.
        instance: the id of this request, which the service's log has too.
        allowed: what would have been right.
        path: where in the body the problem is, as a JSON path such as ``$.command.count``.
        version: the version of the game now.
        rule: the id of the rule that a refused command breaks.
        rule_title: the title of that rule.
        rule_standing: what kind of rule it is and when it holds, in words; absent for a plain rule.
        source: where that rule stands.
        decision: the open decision that blocks the command: the caller's own if there is one.
        options_url: the address that says what the caller may do now.
        scopes: the token needs one of these scopes and has none of them.
        until: the fork is withheld until this game is over.
        first: the first event of that fork. It names the game that it forks from, and its hash is in the transparency
            log.
        faults: what is wrong with games that were to be created together: the first hundred faults.
    """

    type: str
    title: str
    status: Annotated[int, Meta(ge=400, le=599)]
    detail: str
    instance: str
    allowed: str = ""
    path: str = ""
    version: Version | None = None
    rule: RuleId | None = None
    rule_title: str = ""
    rule_standing: str = ""
    source: str = ""
    decision: Decision | None = None
    options_url: str = ""
    scopes: tuple[Scope, ...] = ()
    until: GameId | None = None
    first: EventView | None = None
    faults: tuple[Fault, ...] = ()


class Problem(Exception):
    """An answer that says what is wrong with a request.

    `detail` and `allowed` may repeat what was sent. If they are too long, their middle is left out.

    Args:
        kind: the kind of problem.
        detail: what was wrong, in a sentence.
        allowed: what would have been right, in a sentence.
        headers: headers of the answer.
        members: further members of `ProblemBody`.
    """

    def __init__(
        self, kind: Kind, detail: str, allowed: str = "", headers: Mapping[str, str] | None = None, **members: Any
    ) -> None:
        # Only here: every answer that repeats what was sent is a problem.
        self.kind = kind
        self.detail = shortened(detail, LONGEST)
        self.allowed = shortened(allowed, LONGEST)
        self.headers = dict(headers or {})
        self.members = members
        if "path" in members:
            members["path"] = shortened(members["path"], LONGEST_PATH)
        super().__init__(f"{kind.slug}: {self.detail}")

    def body(self, instance: str) -> ProblemBody:
        """Return the problem as it is sent."""
        return ProblemBody(
            type=self.kind.type,
            title=self.kind.title,
            status=self.kind.status,
            detail=self.detail,
            instance=instance,
            allowed=self.allowed,
            **self.members,
        )


def example_of(kind: Kind) -> ProblemBody:
    """Return an example of a kind of problem."""
    members: dict[str, Any] = {
        "type": kind.type,
        "title": kind.title,
        "status": kind.status,
        "instance": "urn:uuid:2f1c7a56-3d2b-4b0e-9a38-5f0f4c1d7e90",
        "allowed": kind.remedy,
        **kind.example,
    }
    return ProblemBody(**members)
