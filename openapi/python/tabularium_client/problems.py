"""What a request can end with instead of an answer."""

from typing import Any


class TabulariumError(Exception):
    """Whatever this package raises of a service."""


class Problem(TabulariumError):
    """The service answered with a problem (RFC 9457). The message says what was wrong, and what would be right.

    Attributes:
        status: the HTTP status.
        type: its kind, such as ``/problems/not-now``.
        title, detail: what is wrong.
        allowed: what would be right.
        document: all that the service said.
    """

    def __init__(self, status: int, document: dict[str, Any]) -> None:
        self.status = status
        self.document = document
        self.type: str = document.get("type", "about:blank")
        self.title: str = document.get("title", f"The service answered {status}.")
        self.detail: str = document.get("detail", self.title)
        self.allowed: str | None = document.get("allowed")
        super().__init__(f"{self.detail} {self.allowed}" if self.allowed else self.detail)

    @staticmethod
    def of(status: int, document: dict[str, Any]) -> "Problem":
        """Return the problem of its kind: a refusal names the rule that decided."""
        if isinstance(error := document.get("error"), str):  # As endpoints of OAuth say it.
            return NotSignedIn(error, document.get("error_description", error), status)
        if status == 412:
            return Stale(status, document)
        return Refusal(status, document) if document.get("rule") else Problem(status, document)


class Refusal(Problem):
    """A rule decided against the request."""

    @property
    def rule(self) -> str:
        """The id of the rule, such as ``CC-BAT-18``."""
        return self.document["rule"]

    @property
    def source(self) -> str | None:
        """Where the rule stands in the rule book."""
        return self.document.get("source")


class Stale(Problem):
    """The game has moved on since the version that ``If-Match`` named. Nothing happened."""


class NotSignedIn(Problem):
    """Nobody is signed in: the person said no, the sign-in has ended, or the answer is to no sign-in of this app.

    Attributes:
        error: what OAuth calls it, such as ``access_denied`` or ``invalid_grant``.
    """

    def __init__(self, error: str, detail: str, status: int = 400) -> None:
        super().__init__(status, {"title": "Nobody is signed in", "detail": detail})
        self.error = error


class Lost(TabulariumError):
    """No whole answer arrived, however often the request was sent."""


class Gap(TabulariumError):
    """A stream left out versions, also after it was asked for them again."""
