"""Problems of dumps."""

from typing import Final

from service.api.problems.problem import Kind

UNKNOWN_DUMP: Final = Kind(
    "unknown-dump",
    404,
    "There is no such dump",
    "No complete dump has a file of this name, or the service serves no dumps.",
    "Take the address of a file from `GET /v1/dumps`.",
    {
        "detail": "No dump has the file 'games-2026-10.csv'.",
        "allowed": "Take the address of a file from `GET /v1/dumps`.",
    },
)
