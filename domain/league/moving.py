"""Who goes up and who goes down when a season is closed (TAB-LGE-13)."""

from collections.abc import Sequence
from itertools import groupby
from typing import Protocol

from domain.kernel.ids import PlayerId
from domain.league.events import FinalLine
from domain.league.regulations import Regulations


class Placed(Protocol):
    """The fields of a line of a table that decide who moves."""

    @property
    def place(self) -> int: ...
    @property
    def player(self) -> PlayerId: ...
    @property
    def played(self) -> int: ...


def moves(regulations: Regulations, division: int, table: Sequence[Placed]) -> dict[PlayerId, int]:
    """Return the players who change their division by a table: -1 for up, to the next lower number; 1 for down.

    Players without a result go down first.
    """
    played = [line for line in table if line.played]
    up = _first(played, regulations.up) if division > 1 else []
    changes = dict.fromkeys(up, -1)
    if played and regulations.down and division < regulations.divisions:
        absent = [line.player for line in table if not line.played]
        stay = [line for line in played if line.player not in changes]
        changes |= dict.fromkeys([*absent, *_first(stay[::-1], regulations.down - len(absent))], 1)
    return changes


def _first(lines: Sequence[Placed], most: int) -> list[PlayerId]:
    """Return the first players, at most `most`. Players who tie move together or not at all."""
    players: list[PlayerId] = []
    for _, group in groupby(lines, key=lambda line: line.place):
        tied = [line.player for line in group]
        if len(players) + len(tied) > most:
            break
        players += tied
    return players


def members_after(regulations: Regulations, tables: Sequence[Sequence[FinalLine]]) -> dict[PlayerId, int]:
    """Return the divisions of players after a season, by its final tables. Players left out belong to the lowest."""
    belongs: dict[PlayerId, int] = {}
    for division, table in enumerate(tables, start=1):
        changes = moves(regulations, division, table)
        for line in table:
            if line.played or division < regulations.divisions:
                belongs[line.player] = division + changes.get(line.player, 0)
    return belongs
