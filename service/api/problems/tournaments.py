"""Problems of tournaments."""

from typing import Final

from service.api.problems.problem import Kind

UNKNOWN_TOURNAMENT: Final = Kind(
    "unknown-tournament",
    404,
    "There is no such tournament",
    "No tournament has this id.",
    "GET /v1/tournaments lists the tournaments.",
    {"detail": "There is no tournament 'tgone'."},
)
UNKNOWN_ROUND: Final = Kind(
    "unknown-round",
    404,
    "The tournament has no such round or table",
    "No round with this number was drawn, or it has no table with this number.",
    "GET /v1/tournaments/{tournament} lists the rounds.",
    {"detail": "Tournament 't4xq2m7ahbk3oxw7c' has no round 9."},
)
NOT_A_DIRECTOR: Final = Kind(
    "not-a-director",
    403,
    "You do not direct this tournament",
    "Only a director of the tournament can do this; some of it only its organizer.",
    "Ask the organizer to name you: POST /v1/tournaments/{tournament}/directors/{player}.",
    {"detail": "You do not direct this tournament.", "allowed": "Its directors are p0h4nv6wjj3k2yzts."},
)
TOO_MANY_TOURNAMENTS: Final = Kind(
    "too-many-tournaments",
    409,
    "You have too many tournaments",
    "An account has at most 20 tournaments that are not over.",
    "Close or cancel one.",
    {"detail": "You have 20 tournaments that are not over, which is the most."},
)
