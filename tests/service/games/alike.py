"""Whether two games stand alike, and two answers are the same."""

import msgspec
from msgspec.structs import replace

from domain.kernel.ids import GameId
from domain.kernel.log.fold import fold
from domain.kernel.log.game import Game
from domain.kernel.log.record import Record
from service.games.requests import Done
from service.games.views import Viewer
from tests.service.rig import LIBRARY
from tests.tiny.auction import ROOM


def whole(records: list[Record], game: GameId) -> Game:
    return fold(records, game, LIBRARY, lambda _: ROOM)


def same(one: Game, other: Game) -> bool:
    """Tell whether two games stand alike; what may be undone is left out, as a look at the past leaves it out."""
    tables = [game.table.digest() if game.table else None for game in (one, other)]
    facts = [(g.version, g.head, g.draws, g.status, g.players, g.entropy, g.result, g.organizer) for g in (one, other)]
    return tables[0] == tables[1] and facts[0] == facts[1]


def is_repetition(again: Done, first: Done) -> bool:
    """Tell whether one answer is the other one, given again."""
    seen, once = (done.seen_by(Viewer(everything=True)) for done in (again, first))
    return msgspec.json.encode(seen) == msgspec.json.encode(replace(once, repeated=True))
