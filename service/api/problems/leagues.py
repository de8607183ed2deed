"""Problems of leagues."""

from typing import Final

from service.api.problems.problem import Kind

UNKNOWN_LEAGUE: Final = Kind(
    "unknown-league",
    404,
    "There is no such league",
    "No league has this id.",
    "GET /v1/leagues lists the leagues.",
    {"detail": "There is no league 'lgone'."},
)
UNKNOWN_SEASON: Final = Kind(
    "unknown-season",
    404,
    "The league has no such season",
    "No season with this number has begun.",
    "GET /v1/leagues/{league} says how many have.",
    {"detail": "League 'l4xq2m7ahbk3oxw7c' has no season 9; 1 have begun."},
)
NOT_LEAGUE_ORGANIZER: Final = Kind(
    "not-league-organizer",
    403,
    "You do not organize this league",
    "Only the account that founded the league can do this.",
    "Ask its organizer, whom GET /v1/leagues/{league} names.",
    {"detail": "You do not organize this league.", "allowed": "Its organizer is p0h4nv6wjj3k2yzts."},
)
TOO_MANY_LEAGUES: Final = Kind(
    "too-many-leagues",
    409,
    "You have too many leagues",
    "An account founds at most 20 leagues.",
    "Go on with one of those that you have: it can have other regulations from its next season on.",
    {"detail": "You have 20 leagues, which is the most."},
)
