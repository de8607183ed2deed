"""Identifiers, each with a type of its own, so that one cannot be taken for another."""

import hashlib
import re
from typing import Final, NewType, TypeGuard

GameId = NewType("GameId", str)
"""A game, and the name of its event stream."""

CaseId = NewType("CaseId", str)
"""A case (a dispute about a game), and the name of its event stream."""

TournamentId = NewType("TournamentId", str)
"""A tournament, and the name of its event stream."""

LeagueId = NewType("LeagueId", str)
"""A league, and the name of its event stream."""

StreamId = GameId | CaseId | TournamentId | LeagueId
"""An event stream of the log."""

PlayerId = NewType("PlayerId", str)
"""An account. Opaque: events never carry a name."""

Seat = NewType("Seat", str)
"""A place at the table of one game, such as a colour."""

RuleId = NewType("RuleId", str)
"""A numbered statement of a rule catalogue, such as ``CC-BAT-18``."""

RULE_ID: Final = re.compile(r"\b[A-Z]+-[A-Z0-9]+-[0-9]+\b")
"""Finds rule ids in a text: a game, a chapter (which may have digits, as ``I1``) and a number, joined by hyphens."""

AreaId = NewType("AreaId", str)
"""An area of a board, land or sea, such as ``mare-narbo``."""

Version = int
"""The number of events in a game's stream; "the game at version n" is its state after event n."""

BOOKS: Final = 64
"""The number of books into which the log of all streams is divided. It never changes."""

LARGEST_INTEGER = 2**53 - 1
"""The largest integer that every JSON implementation keeps exact (RFC 7493)."""


def is_case(stream: StreamId) -> TypeGuard[CaseId]:
    """Tell whether a stream is that of a case: its id begins with ``c``, that of a game with ``g``."""
    return stream.startswith("c")


def is_tournament(stream: StreamId) -> TypeGuard[TournamentId]:
    """Tell whether a stream is that of a tournament: its id begins with ``t``."""
    return stream.startswith("t")


def is_league(stream: StreamId) -> TypeGuard[LeagueId]:
    """Tell whether a stream is that of a league: its id begins with ``l``."""
    return stream.startswith("l")


def is_game(stream: StreamId) -> TypeGuard[GameId]:
    """Tell whether a stream is that of a game, and not of a case, a tournament or a league."""
    return not stream.startswith(("c", "t", "l"))


def as_game(stream: StreamId) -> GameId | None:
    """Return the id of a game; None when the stream is that of a case, a tournament or a league."""
    return stream if is_game(stream) else None


def book_of(stream: StreamId) -> int:
    """Return the book of a stream, from 0 to 63: the low six bits of the first byte of SHA-256 of its id in UTF-8.

    A game, its forks and its cases are in one book: the service chooses the ids of forks and cases so.
    """
    return hashlib.sha256(stream.encode()).digest()[0] % BOOKS
