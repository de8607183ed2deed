"""Requests that are refused before the app sees them, and the answer that says why."""

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from service.api.headers import shielded
from service.api.problems.problem import MEDIA_TYPE, Kind, Problem
from service.api.problems.request import HEADERS_TOO_LARGE, MALFORMED_REQUEST, REQUEST_TIMEOUT
from service.api.response import encode


class Excess(Exception):
    """A request is beyond a limit; `problem` says which."""

    def __init__(self, kind: Kind, detail: str) -> None:
        super().__init__(detail)
        self.problem = Problem(kind, detail, kind.remedy)


def large(what: str) -> Excess:
    return Excess(HEADERS_TOO_LARGE, f"The request has more than {what}.")


def malformed(error: BaseException) -> Problem:
    kind = MALFORMED_REQUEST
    return Problem(kind, f"The service cannot read the request: {error}.", kind.remedy)


def late(what: str, seconds: float) -> Problem:
    kind = REQUEST_TIMEOUT
    return Problem(kind, f"The {what} of the request did not arrive within {seconds:g} seconds.", kind.remedy)


def as_answer(problem: Problem, request: str) -> bytes:
    """Return a problem as the bytes of a whole HTTP response."""
    content = encode(problem.body(f"urn:uuid:{request}"))
    headers = {
        "content-type": MEDIA_TYPE,
        "content-length": str(len(content)),
        "request-id": request,
        "access-control-allow-origin": "*",
        "connection": "close",
        **problem.headers,
    }
    lines = [name.encode() + b": " + value.encode() for name, value in headers.items()]
    lines += [name + b": " + value for name, value in shielded([])]
    return STATUS_LINE[problem.kind.status] + b"\r\n".join([*lines, b"", content])
