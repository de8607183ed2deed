"""The frames of a game: what each version changed in the picture. Clients use them to scrub through a game."""

import asyncio
from typing import Any, Final, Protocol

from msgspec import UNSET

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId, Version
from domain.kernel.log.fold import later
from domain.kernel.log.game import Game
from domain.kernel.log.history import cause_of, read_event, retraction
from domain.kernel.log.lifecycle import GAME_EVENTS
from domain.kernel.log.record import Record
from domain.kernel.rules.marks import Battle, Marks
from domain.kernel.rules.message import Event, Names, in_words
from domain.kernel.rules.ruleset import Ruleset
from domain.kernel.rules.table import Table
from service.games.views import Viewer
from service.pictures.happened import drawn_happening, happening
from service.pictures.picture import Sheet
from service.pictures.scenes import (
    NOTHING,
    changed_areas,
    drawn_areas,
    drawn_ground,
    drawn_scene,
    ground_differs,
    marks_of,
    standing_views,
)
from service.pictures.views import FrameView, RollView, Scene

VERSIONS_PER_SLICE: Final = 4
"""How many versions are drawn before other requests get their turn. Each takes a millisecond."""


class Past(Protocol):
    """Reads the past of games. `Games` is one."""

    async def at(self, game_id: GameId, version: Version, /) -> Game:
        """Return a game at a version. Raises `UnknownVersion`."""
        ...

    async def records(self, game_id: GameId, after: Version = 0, limit: int | None = None, /) -> list[Record]:
        """Return the records that follow a version."""
        ...

    async def vault(self, game_id: GameId, /) -> Vault:
        """Return all secrets of a game."""
        ...


async def frames(
    games: Past, played: Game, viewer: Viewer, sheet: Sheet, after: Version, last: Version
) -> tuple[Scene, list[FrameView]]:
    """Return version `after` drawn whole, and the frames after it, up to version `last`. Raises `UnknownVersion`."""
    base = await games.at(played.id, after) if after else None
    records = await games.records(played.id, after, last - after) if after < last else []
    vault = await games.vault(played.id)
    camera = Camera(sheet, viewer, vault, played.names, base)
    start = camera.scene(after)
    views: list[FrameView] = []
    for number, record in enumerate(records, start=1):
        if camera.game is None or retraction(record) is not None:
            game = await games.at(played.id, record.version)
        else:
            game = later(camera.game, (record,))
        views.append(camera.frame(record, game))
        if number % VERSIONS_PER_SLICE == 0:
            await asyncio.sleep(0)
    return start, views


class Camera:
    """Draws versions in order. Each frame has only what differs from the version before."""

    def __init__(self, sheet: Sheet, viewer: Viewer, vault: Vault, names: Names, game: Game | None) -> None:
        """`names` put the history into words; `game` is the version to start from, None for an empty board."""
        self._sheet = sheet
        self._viewer = viewer
        self._vault = vault
        self._names = names
        self.game = game
        self._marks = self._visible_marks(game) if game is not None else NOTHING
        self._round, self._heading = (game.round, game.heading) if game is not None else (0, "")
        self._battle = self._battle_of(game)

    def _battle_of(self, game: Game | None) -> Battle | None:
        return None if game is None or game.table is None else game.ruleset.battle(game.table, self._sheet.names)

    def _visible_marks(self, game: Game) -> Marks:
        return marks_of(game, self._viewer, self._vault, self._sheet.names)

    def scene(self, version: Version) -> Scene:
        """Return the version that was drawn last, drawn whole. `version` is its number."""
        return drawn_scene(self._sheet, self._marks, version, self._battle, self._round, self._heading)

    def frame(self, record: Record, game: Game) -> FrameView:
        """Return what `record` changed; `game` is the game after it."""
        sheet, before, after = self._sheet, self._marks, self._marks
        event = read_event(game.ruleset, record)
        if not isinstance(event, _EVENTS_OUTSIDE_THE_RULES) or retraction(record) is not None or before is NOTHING:
            after = self._visible_marks(game)
        table_before = None if self.game is None else self.game.table
        number, heading, battle = game.round, game.heading, self._battle_of(game)
        happened = happening(event, sheet.drawing) if isinstance(event, Event) else None
        view = FrameView(
            version=record.version,
            type=record.type,
            at=record.at,
            text=in_words(event, self._names),
            draws=record.draws,
            command=record.cause is not None,
            seat=cause_of(record).seat,
            rolls=rolls_of(game.ruleset, event, table_before)
            if not isinstance(event, _EVENTS_OUTSIDE_THE_RULES)
            else (),
            happened=UNSET if happened is None else happened,
            drawn="" if happened is None else drawn_happening(happened, sheet.drawing),
            areas=drawn_areas(sheet, after, changed_areas(before, after, sheet.drawing.areas)),
            links=drawn_ground(sheet, after) if ground_differs(before, after) else UNSET,
            standings=standing_views(sheet.look, after.standings) if before.standings != after.standings else UNSET,
            shelves=after.shelves if before.shelves != after.shelves else UNSET,
            battle=battle if battle != self._battle else UNSET,
            round=number if number != self._round else UNSET,
            heading=heading if heading != self._heading else UNSET,
        )
        self.game, self._marks, self._round, self._heading, self._battle = game, after, number, heading, battle
        return view


_EVENTS_OUTSIDE_THE_RULES: Final = tuple(GAME_EVENTS)


def rolls_of(ruleset: Ruleset[Any], event: Event[Any], before: Table | None) -> tuple[RollView, ...]:
    """Return the dice that an event shows; `before` is the table that it changes."""
    return tuple(
        RollView(each.die, each.faces, each.seat, each.hits, each.nation, each.struck)
        for each in ruleset.rolled(event, before)
    )
