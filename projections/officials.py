"""An index of the officials of games, to find the games of an official. The store's index has only seats and
organizers."""

from collections.abc import Iterable
from typing import Final

from domain.kernel.ids import GameId, PlayerId
from domain.kernel.log.lifecycle import OfficialNamed, OfficialReleased
from projections.change import Change, Drop, Put, Table
from projections.projection import Happened, Projection
from projections.store import Rows

OFFICES = Table("offices", {"player": "text", "game": "text"}, {"since": "text"}, (("player", "since", "game"),))

MOST: Final = 1_000
"""The most games of an official that are looked up, the newest offices first."""


class Officials(Projection):
    """Which accounts are officials of which games."""

    name = "officials"
    version = 1
    tables = (OFFICES,)
    heeds = "around"

    def fold(self, happened: Happened) -> Iterable[Change]:
        match happened.around:
            case OfficialNamed(player):
                yield Put(OFFICES, {"player": player, "game": happened.game}, {"since": happened.record.at})
            case OfficialReleased(player):
                yield Drop(OFFICES, {"player": player, "game": happened.game})
            case _:
                pass


OFFICIALS = Officials()


async def games_of(rows: Rows, player: PlayerId) -> list[GameId]:
    """Return the games in which an account is an official, the newest offices first."""
    query = f"SELECT game FROM {{offices}} WHERE player = ? ORDER BY since DESC, game LIMIT {MOST}"
    return [GameId(game) for (game,) in await rows.select(OFFICIALS, query, [player])]
