"""Errors with which a request can end instead of an answer."""

from typing import Any


class TabulariumError(Exception):
    """The base of all errors about a service that this package raises."""


class Problem(TabulariumError):
    """The service answered with a problem (RFC 9457). The message says what was wrong, and what would be right.

    Attributes:
        status: the HTTP status.
        type: the type of the problem, such as ``/problems/not-now``.
        title, detail: what is wrong.
        allowed: what would be right.
        document: the whole answer.
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
        """Return the error of the right class: `Refusal` if a rule decided, `Stale` if the game has moved on."""
        if isinstance(error := document.get("error"), str):  # Endpoints of OAuth answer in this form.
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
    """Nobody is signed in: the person refused, the sign-in has ended, or the answer belongs to no sign-in of this app.

    Attributes:
        error: the error code of OAuth, such as ``access_denied`` or ``invalid_grant``.
    """

    def __init__(self, error: str, detail: str, status: int = 400) -> None:
        super().__init__(status, {"title": "Nobody is signed in", "detail": detail})
        self.error = error


class Lost(TabulariumError):
    """No whole answer arrived, however often the request was sent."""


class Gap(TabulariumError):
    """A stream left out versions, and left them out again when the client asked for them."""
