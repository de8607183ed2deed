"""Luck: the worth of a seat's rolls compared with the average. It does not count for ratings."""

import math
from collections.abc import Collection, Mapping
from typing import Final

from msgspec import Struct

from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.rules.ruleset import Library
from projections.dice import DICE
from projections.players import PLAYERS
from projections.store import Rows

MOST: Final = 500
"""The most games of a player whose rolls are added up."""

PAGES: Final = 4
"""How many times as many finished games are looked through for those that everybody may see."""

Rolled = Mapping[tuple[str, str], Mapping[str, int]]
"""The rolls: how often each face came up, by ruleset and die."""


class Luck(Struct, frozen=True):
    """What the rolls of one kind of die were worth, those that were taken back included.

    Attributes:
        ruleset: the ruleset in whose games it was rolled.
        die: the kind of die.
        rolled: how many dice were rolled.
        worth: the sum of their faces; where these are no numbers, how many showed a face that can hit.
        expected: what it is on average for so many dice.
        deviations: how far it is from that, in standard deviations: above 0 for more. In 19 of 20 cases, it is between
            -2 and 2.
    """

    ruleset: str
    die: str
    rolled: int
    worth: int
    expected: float
    deviations: float


def luck_of(library: Library, rolled: Rolled) -> tuple[Luck, ...]:
    """Return the luck with all dice whose faces have a worth in their ruleset."""
    by_die = (_of_die(library, *key, faces) for key, faces in sorted(rolled.items()))
    return tuple(each for each in by_die if each is not None)


def _of_die(library: Library, ruleset: str, die: str, faces: Mapping[str, int]) -> Luck | None:
    try:
        played = library.current(ruleset)
        sides = played.dice[die]
        values = played.worth.get(die) or {face: int(face) for face in sides}
    except (LookupError, ValueError):
        return None
    on_sides = [values.get(face, 0) for face in sides]
    mean = sum(on_sides) / len(on_sides)
    variance = sum((value - mean) ** 2 for value in on_sides) / len(on_sides)
    count = sum(faces.values())
    worth = sum(values.get(face, 0) * times for face, times in faces.items())
    expected = count * mean
    spread = math.sqrt(count * variance)
    return Luck(
        ruleset, die, count, worth, round(expected, 3), round((worth - expected) / spread, 3) if spread else 0.0
    )


async def of_game(rows: Rows, game: GameId) -> dict[Seat, Rolled]:
    """Return the rolls of the seats of a game."""
    selection = await rows.select(
        DICE, "SELECT seat, ruleset, die, face, times FROM {faces} WHERE game = ? AND seat <> '' ORDER BY seat", [game]
    )
    rolled: dict[Seat, dict[tuple[str, str], dict[str, int]]] = {}
    for seat, ruleset, die, face, times in selection:
        rolled.setdefault(Seat(seat), {}).setdefault((ruleset, die), {})[face] = int(times)
    return dict(rolled)


async def games_of(rows: Rows, player: PlayerId, after: str = "") -> dict[GameId, Seat]:
    """Return the next finished games of a player after one, at most `MOST`, each with their seat at the end."""
    selection = await rows.select(
        PLAYERS,
        "SELECT game, seat FROM {played} WHERE player = ? AND status = 'over' AND game = root AND game > ?"
        f" ORDER BY game LIMIT {MOST}",
        [player, after],
    )
    return {GameId(game): Seat(seat) for game, seat in selection}


async def of_seats(rows: Rows, seats: Collection[tuple[GameId, Seat]]) -> Rolled:
    """Return the total rolls of seats of several games."""
    if not seats:
        return {}
    pairs = ", ".join(["(?, ?)"] * len(seats))
    selection = await rows.select(
        DICE,
        f"SELECT ruleset, die, face, SUM(times) FROM {{faces}} WHERE (game, seat) IN (VALUES {pairs})"
        " GROUP BY ruleset, die, face",
        [value for pair in seats for value in pair],
    )
    rolled: dict[tuple[str, str], dict[str, int]] = {}
    for ruleset, die, face, times in selection:
        rolled.setdefault((ruleset, die), {})[face] = int(times)
    return dict(rolled)
