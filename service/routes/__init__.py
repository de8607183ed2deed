"""The endpoints, by what they are about."""

from typing import Final

from service import streams
from service.routes import accounts, games, health, log, play, players, rulesets, statistics, tokens

API: Final = (
    *rulesets.ROUTES,
    *players.ROUTES,
    *tokens.ROUTES,
    *accounts.ROUTES,
    *games.ROUTES,
    *play.ROUTES,
    *log.ROUTES,
    *streams.ROUTES,
    *statistics.ROUTES,
    *health.ROUTES,
)
"""The endpoints that take small bodies or none."""

LARGE: Final = games.COLLECTION
"""The endpoints to which a board may be sent."""
