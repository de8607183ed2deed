"""All projections of a service."""

from typing import Final

from projections.deadlines import CLOCKS
from projections.dice import DICE
from projections.finished import FINISHED
from projections.inbox import INBOX
from projections.lobby import LOBBY
from projections.officials import OFFICIALS
from projections.players import PLAYERS
from projections.projection import Projection
from projections.ratings import RATINGS
from projections.rules import RULES
from projections.scoreboard import SCOREBOARD
from projections.sightings import SIGHTINGS
from projections.stillness import STILLNESS
from projections.timeline import TIMELINE

PROJECTIONS: Final[tuple[Projection, ...]] = (
    *(LOBBY, SCOREBOARD, PLAYERS, DICE, RULES, SIGHTINGS, TIMELINE, OFFICIALS, CLOCKS, STILLNESS, INBOX, FINISHED),
)

COUNTED: Final[tuple[Projection, ...]] = (RATINGS,)
"""Projections that no runner updates: they follow the rows of others, in an order of their own."""
