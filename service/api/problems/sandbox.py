"""Problems of sandboxes, and of asking another service for what only a sandbox does."""

from typing import Final

from service.api.problems.problem import Kind

NO_SANDBOX: Final = Kind(
    "no-sandbox",
    404,
    "The service is no sandbox",
    "Only a service that was started as a sandbox shows tokens, moves its time and begins anew. No setting turns "
    "another service into one.",
    "Start a sandbox with `tabularium serve --sandbox`.",
    {"detail": "This service is no sandbox."},
)
TIME_OUT_OF_REACH: Final = Kind(
    "time-out-of-reach",
    409,
    "The sandbox cannot be moved to that time",
    "Time never runs backwards, and one request moves it by at most 366 days.",
    "Name a time from `now` on, which GET /v1/sandbox shows, or begin anew with POST /v1/sandbox/reset.",
    {"detail": "You asked for 2025-12-31T12:00:00.000000Z, and the sandbox is at 2026-01-01T12:00:00.000000Z."},
)
