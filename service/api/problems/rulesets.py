"""Problems of rulesets, of their boards and documents, rules and lessons."""

from typing import Final

from service.api.problems.problem import Kind

UNKNOWN_RULESET: Final = Kind(
    "unknown-ruleset",
    404,
    "There is no such ruleset",
    "The address names a ruleset that this service does not play.",
    "GET /v1/rulesets lists those that it plays.",
    {"detail": "There is no ruleset 'chess'.", "allowed": "GET /v1/rulesets lists those that it plays."},
)
UNKNOWN_RULE: Final = Kind(
    "unknown-rule",
    404,
    "There is no such rule",
    "The ruleset has no rule with this id.",
    "GET /v1/rulesets/{ruleset}/rules lists its rules.",
    {"detail": "The catalogue has no rule 'CC-MOV-99'."},
)
UNKNOWN_DOCUMENT: Final = Kind(
    "unknown-document",
    404,
    "There is no such document",
    "The ruleset has no document with this name. Most rulesets have none beside their board.",
    "GET /v1/rulesets/{ruleset} lists its documents.",
    {"detail": "Tiny Auction has no document 'cards'; known: none."},
)
UNKNOWN_LESSON: Final = Kind(
    "unknown-lesson",
    404,
    "There is no such lesson",
    "The tutorial of the ruleset has no lesson with this id, or the ruleset has no tutorial.",
    "GET /v1/rulesets/{ruleset}/tutorial lists its lessons.",
    {"detail": "The tutorial of Tiny Auction has no lesson 'march'."},
)
NO_MAP: Final = Kind(
    "no-map",
    404,
    "There is no map of this board",
    "The service cannot draw this board: it has no map of it, or the board has areas that the map does not.",
    "Draw the answer of `GET /v1/games/{game}/marks` on a map of your own.",
    {
        "detail": "There is no map of the board 'my-board'.",
        "allowed": "Draw the answer of `GET /v1/games/{game}/marks` on a map of your own.",
    },
)
INVALID_BOARD: Final = Kind(
    "invalid-board",
    422,
    "No game can be played on this board",
    "The board is not valid, or this ruleset cannot be played on it.",
    "Correct what `detail` names. GET /v1/rulesets/{ruleset}/board shows a valid board.",
    {"detail": "border roma - neapolis: 'neapolis' is not an area of this board."},
)
INVALID_DOCUMENT: Final = Kind(
    "invalid-document",
    422,
    "No game can be played with this document",
    "A document that you sent along is not valid, does not fit the board, or is not one of the ruleset's.",
    "Correct what `detail` names: it begins with the name of the document, or says where in it the fault is.",
    {"detail": "cards.nations[3].rounds: expected `int` <= 10."},
)
