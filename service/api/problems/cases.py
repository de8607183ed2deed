"""Problems of cases, which are disputes about games, and of rulings."""

from typing import Final

from service.api.problems.problem import Kind

UNKNOWN_CASE: Final = Kind(
    "unknown-case",
    404,
    "There is no such case",
    "No case has this id.",
    "GET /v1/cases lists the cases.",
    {"detail": "There is no case 'cgone'."},
)
UNKNOWN_STATEMENT: Final = Kind(
    "unknown-statement",
    404,
    "The case has no such statement",
    "Nobody made a statement at this version of the case.",
    "GET /v1/cases/{case} lists the statements.",
    {"detail": "Case 'c4xq2m7ahbk3oxw7c' has no statement at version 9."},
)
NOT_AN_OFFICIAL: Final = Kind(
    "not-an-official",
    403,
    "You are no official of this game",
    "Only an official of the game can do this. The organizer is one only when they have named themselves.",
    "Ask the organizer to name you, before the game ends: PUT /v1/games/{game}/officials/{player}.",
    {
        "detail": "You are no official of this game.",
        "allowed": "Its officials are pq2v6m3n4k5x7c8b9.",
        "rule": "TAB-RUL-05",
        "rule_title": "An official rules on a case",
        "source": "Tabularium documentation",
    },
)
OWN_GAME: Final = Kind(
    "own-game",
    403,
    "You cannot judge this yourself",
    "You hold or held a seat in this game, or you opened this case.",
    "Leave the ruling to an official who is no party to it.",
    {
        "detail": "You hold or held a seat in this game.",
        "allowed": "An official who never had a seat in the game rules.",
        "rule": "TAB-RUL-06",
        "rule_title": "Nobody rules in a game of their own",
        "source": "Tabularium documentation",
    },
)
CASE_CLOSED: Final = Kind(
    "case-closed",
    409,
    "The case is closed",
    "The case was withdrawn, settled or finally ruled on. Nothing happens in it any more.",
    "Open another case, about something else.",
    {
        "detail": "This case is closed: final.",
        "allowed": "Open another case.",
        "rule": "TAB-CASE-11",
        "rule_title": "A closed case stays closed",
        "source": "Tabularium documentation",
    },
)
ALREADY_RULED: Final = Kind(
    "already-ruled",
    409,
    "The case was ruled on already",
    "There is a ruling on this case, and no appeal against it; or the appeal is against your own ruling.",
    "Read the ruling: GET /v1/cases/{case}. After an appeal, another official rules finally.",
    {
        "detail": "This case was ruled on at version 4.",
        "allowed": "A case is ruled on again only after an appeal.",
        "rule": "TAB-RUL-10",
        "rule_title": "A case is ruled on once, and once more after an appeal",
        "source": "Tabularium documentation",
    },
)
STALE_RULING: Final = Kind(
    "stale-ruling",
    412,
    "The game went on before the ruling",
    "The game is no longer at the version that the ruling names, or it has another hash there.",
    "Look at the game again, then send the ruling with its present version and hash.",
    {
        "detail": "You ruled on version 16 with hash 5c….",
        "allowed": "The game is at version 17 with hash 6d…: look at it, then rule.",
        "rule": "TAB-RUL-07",
        "rule_title": "A ruling is made on the game as it stands",
        "source": "Tabularium documentation",
    },
)
