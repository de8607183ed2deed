"""Problems that any request can have, and those of the service itself."""

from typing import Any, Final

import msgspec

from service.api.problems.problem import Kind, Problem
from service.base.expected import expected_of

MALFORMED_JSON: Final = Kind(
    "malformed-json",
    400,
    "The body is not JSON",
    "The request body is not a JSON document in UTF-8, or it is nested too deeply.",
    "Send one JSON object, encoded in UTF-8.",
    {
        "detail": "The service cannot read the body: JSON is malformed: trailing comma in object (byte 23).",
        "allowed": "Send one JSON object.",
    },
)
MALFORMED_REQUEST: Final = Kind(
    "malformed-request",
    400,
    "The request is not HTTP",
    "The service could not read what arrived as an HTTP/1.1 request. It closes the connection.",
    "Use an HTTP client. This service speaks HTTP/1.1, and TLS only behind a proxy.",
    {"detail": "The service cannot read the request: Invalid method encountered."},
)
INVALID_QUERY: Final = Kind(
    "invalid-query",
    400,
    "A query parameter is unknown or wrong",
    "The query has a parameter that this endpoint does not know, has one twice, lacks a required one, or gives one a "
    "value that it does not take.",
    "Use the parameters that the contract names for this endpoint, each at most once.",
    {"detail": "This endpoint has no query parameter 'page'.", "allowed": "It takes cursor, limit."},
)
INVALID_HEADER: Final = Kind(
    "invalid-header",
    400,
    "A header is wrong",
    "A header that this endpoint reads has an invalid value: `Idempotency-Key`, `If-Match` or `Last-Event-ID`.",
    "An Idempotency-Key has 1 to 255 printable ASCII characters. Without a token it must be a random UUID, or as hard "
    "to guess. A version is a whole number, in quotes as in an ETag.",
    {"detail": "If-Match has 'abc'.", "allowed": 'Send one version or several, each in quotes: "17", "18".'},
)
UNKNOWN_PATH: Final = Kind(
    "unknown-path",
    404,
    "There is nothing at this address",
    "The service has no such endpoint or page.",
    "See /docs for every endpoint.",
    {"detail": "The service has no '/v1/tables'.", "allowed": "See /docs for every endpoint."},
)
METHOD_NOT_ALLOWED: Final = Kind(
    "method-not-allowed",
    405,
    "This address does not take that method",
    "The address exists, but not with this method.",
    "The `Allow` header names the methods.",
    {"detail": "'/v1/games' does not take PUT.", "allowed": "See the Allow header."},
)
REQUEST_TIMEOUT: Final = Kind(
    "request-timeout",
    408,
    "The request did not arrive in time",
    "The headers or the body did not arrive in time: by default the service waits 10 seconds for the headers, and 30 "
    "more for the body. It changed nothing, and closes the connection.",
    "Send the whole request at once, on a new connection.",
    {"detail": "The body of the request did not arrive within 30 seconds."},
)
BODY_TOO_LARGE: Final = Kind(
    "body-too-large",
    413,
    "The body is too large",
    "The body is larger than this endpoint takes: by default 64 KiB, or 1 MiB where you can send a board; 8 MiB for an "
    "import.",
    "Send less at once.",
    {"detail": "The body has more bytes than this endpoint takes.", "allowed": "Send less at once."},
)
URI_TOO_LONG: Final = Kind(
    "uri-too-long",
    414,
    "The address is too long",
    "The path and the query are longer than the service reads: by default 8 KiB. It did not look at the request, and "
    "closes the connection.",
    "Send a shorter address. No endpoint needs more than 2 KiB.",
    {"detail": "The path and the query have more than 8192 bytes."},
)
NOT_JSON: Final = Kind(
    "unsupported-media-type",
    415,
    "The body must be declared as JSON",
    "The `Content-Type` of the request is not `application/json`.",
    "Send `Content-Type: application/json`.",
    {"detail": "The Content-Type is 'text/plain'.", "allowed": "Send `Content-Type: application/json`."},
)
RANGE_NOT_SATISFIABLE: Final = Kind(
    "range-not-satisfiable",
    416,
    "The range is beyond the end",
    "The `Range` of the request begins where the file has ended. `Content-Range` says how long it is.",
    "If you have all of it, you are done. Otherwise the file has changed since you began to download it: send the ETag "
    "of the old file as `If-Range`, and you get the whole new file.",
    {
        "detail": "The range begins at byte 481204 of 481204.",
        "allowed": "Send a range that begins before byte 481204, or no Range header.",
    },
)
INVALID_BODY: Final = Kind(
    "invalid-body",
    422,
    "The body has the wrong shape",
    "The body is JSON, but a field is missing, unknown, of the wrong type or out of range. The service converts "
    'nothing: a number is 3, not "3" or 3.0.',
    "Correct the field at `path`. The contract and GET /v1/rulesets/{ruleset}/schemas say what each field takes.",
    {
        "detail": "Expected `int`, got `str`, at $.players.",
        "allowed": "Send a whole number from 1 to 100.",
        "path": "$.players",
    },
)
KEY_REUSED: Final = Kind(
    "key-reused",
    422,
    "The idempotency key was used for another request",
    "You used this Idempotency-Key before, for a request with another body.",
    "Use a new key for each new request, and the same key only to repeat one.",
    {"detail": "You used this Idempotency-Key for another request.", "allowed": "Use a new key for a new request."},
)
UPGRADE_REQUIRED: Final = Kind(
    "upgrade-required",
    426,
    "This address speaks WebSocket",
    "This address sends the events of a game over a WebSocket, and the request did not ask for one.",
    "Open a WebSocket, or use the server-sent events at …/events/stream.",
    {"detail": "This address speaks WebSocket only."},
)
TOO_MANY_REQUESTS: Final = Kind(
    "too-many-requests",
    429,
    "Too many requests",
    "Your token or your address sends more requests than the service takes, or the service is verifying other imports. "
    "It did not process this request.",
    "Send it again after `Retry-After` seconds. `RateLimit` says in each answer how many requests you have left.",
    {"detail": "This token may send 20 requests a second, 200 after a rest.", "allowed": "Try again in 1 second."},
)
TOO_MANY_CONNECTIONS: Final = Kind(
    "too-many-connections",
    429,
    "Your address has too many connections",
    "The service keeps a limited number of connections open for each address: by default 100, including WebSockets and "
    "event streams. It closes the new connection without reading a request.",
    "Reuse connections instead of opening one for each request, close streams that nobody reads, and try again after "
    "`Retry-After` seconds.",
    {"detail": "Your address has 100 connections open and cannot have more."},
)
HEADERS_TOO_LARGE: Final = Kind(
    "headers-too-large",
    431,
    "The headers are too large",
    "The headers have more lines or more bytes than the service reads: by default 100 lines and 16 KiB. The same "
    "limit holds for the chunk sizes, extensions and trailers of a chunked body. The service changed nothing, and "
    "closes the connection.",
    "Send fewer and shorter headers. The service reads only those that the contract names.",
    {"detail": "The request has more than 16384 bytes of headers."},
)
INTERNAL_ERROR: Final = Kind(
    "internal-error",
    500,
    "The service failed",
    "This is an error of the service. It stored nothing, unless only the answer was lost.",
    "Repeat the request with the same Idempotency-Key. If it fails again, report `instance` to the operator.",
    {"detail": "The service failed to answer this request."},
)
UNAVAILABLE: Final = Kind(
    "unavailable",
    503,
    "The service cannot answer now",
    "The database, the archive or the provider does not answer, the database is damaged or its disk is full, data are "
    "still being built, or the service is stopping. `detail` says which. Nothing was acknowledged.",
    "Repeat the request with the same Idempotency-Key after `Retry-After` seconds.",
    {"detail": "The database does not answer."},
)


def invalid_body(error: msgspec.ValidationError, shape: Any, inside: str = "$", digits: int = 0) -> Problem:
    """Return the problem of a body, or of the part of it at path `inside`, that does not have the type `shape`.

    `digits` is the number of digits of a number that is too long to be read; 0 for every other error.
    """
    sentence, at, place = str(error).rpartition(" - at `")
    if not at:
        sentence, place = place, ""
    if digits:
        sentence = f"A number of {digits:,} digits is out of range"
    elif sentence.startswith("Expected `str` matching regex"):
        sentence = "The text has the wrong form"
    within = place.rstrip("`").removeprefix("$")
    path = inside + within
    return Problem(INVALID_BODY, f"{sentence}, at {path}.", f"Send {expected_of(shape, within)}.", path=path)
