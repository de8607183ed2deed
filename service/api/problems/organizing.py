"""Problems of organizing many games: of consents to be seated, and of bulks."""

from typing import Final

from service.api.problems.problem import Fault, Kind

UNKNOWN_BULK: Final = Kind(
    "unknown-bulk",
    404,
    "There is no such bulk",
    "You created no bulk with this id, or it was deleted. Bulks are kept for 60 days.",
    "Use the id from the answer of POST /v1/bulks.",
    {"detail": "You have no bulk 'bgone'."},
)
NOT_CONSENTED: Final = Kind(
    "not-consented",
    409,
    "The account cannot be seated",
    "An organizer can assign seats only to open accounts of people who allow it.",
    "Ask the player to send PUT /v1/players/me/consents/{player} with your id, or invite them.",
    {"detail": "'pq2v6m3n4k5x7c8b9' does not let you seat them."},
)
TOO_MANY_CONSENTS: Final = Kind(
    "too-many-consents",
    409,
    "You let too many organizers seat you",
    "An account can let 100 organizers seat it.",
    "Withdraw one that you no longer need with DELETE /v1/players/me/consents/{player}.",
    {"detail": "The account lets 100 organizers seat it, and cannot name more."},
)
TOO_MANY_GAMES: Final = Kind(
    "too-many-games",
    409,
    "You asked for too many games",
    "An account can ask for 500 games in bulks within 24 hours.",
    "Wait, or create single games with POST /v1/games.",
    {"detail": "You asked for more than 500 games in bulks within 24 hours."},
)
BULK_REFUSED: Final = Kind(
    "bulk-refused",
    422,
    "The games cannot be created as asked",
    "Something is wrong with one of the games, so none of them is created. `faults` names the games by their numbers, "
    "from 1 on, and the seats.",
    "Correct the games that `faults` names, and send all of them again.",
    {
        "detail": "Game 3: 'pq2v6m3n4k5x7c8b9' does not let you seat them.",
        "faults": (Fault(3, "'pq2v6m3n4k5x7c8b9' does not let you seat them.", "red"),),
    },
)
