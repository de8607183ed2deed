"""Problems of the transparency log."""

from typing import Final

from service.api.problems.problem import Kind

NOT_LOGGED_YET: Final = Kind(
    "not-logged-yet",
    404,
    "The transparency log does not have this yet",
    "Once a second, every game that has moved gets an entry with its newest version in the transparency log. This "
    "version has none yet, or the log leaves it out because the game is private or withheld, or the service signs no "
    "log.",
    "Ask again after the seconds of the `Retry-After` header.",
    {"detail": "Version 17 is not in the transparency log yet.", "allowed": "Ask again in a second."},
)
UNKNOWN_TILE: Final = Kind(
    "unknown-tile",
    404,
    "The transparency log has no such tile",
    "The tree of the newest checkpoint does not have this tile, or not with so many hashes, or the address is not in "
    "the form of C2SP `tlog-tiles`.",
    "Fetch /transparency/checkpoint, and the tiles of a tree of that size.",
    {
        "detail": "The tree of the newest checkpoint has no tile '0/001'.",
        "allowed": "Fetch /transparency/checkpoint, and the tiles of a tree of that size.",
    },
)
