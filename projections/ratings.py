"""Ratings: finished games are counted in the order of their times, whatever the order in which they became known.

`Tally` computes what a result changes. It is pure: its rows follow from the ordered results alone. Each counted
result keeps what it changed, so that counting can go back to any place and go on from there (TAB-RAT-08), and so that
a ruling can take back what a game had changed (TAB-RAT-09). `service/ratings.py` calls it.

The rows are a generation of a projection that follows `RESULTS` instead of the log: its cursor is how many results it
has counted.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Struct

from domain.kernel.ids import GameId, PlayerId
from domain.tournament.events import Order
from projections import finished
from projections.change import Change, Drop, Put, Table, Value
from projections.finished import FINISHED, Kind, Place
from projections.projection import Happened, Projection
from projections.skill import NEW, Skill, after, given_back
from projections.store import NotBuilt, Rows

COUNTED: Final = Table(
    "counted",
    {"number": "number"},
    {
        "at": "text",
        "game": "text",
        "id": "text",
        "ruleset": "text",
        "pool": "text",
        "placed": "text",
        "moved": "text",
        "novices": "text",
    },
    (("at",), ("game",)),
)
"""The effect of each result; `number` counts results from 1, in order. A result that does not count has no `moved`."""

POINTS: Final = Table(
    "points",
    {"player": "text", "pool": "text", "ruleset": "text", "number": "number"},
    {
        "at": "text",
        "game": "text",
        "place": "number",
        "players": "number",
        "mu": "number",
        "sigma": "number",
        "games": "number",
    },
)
"""The history of ratings: a row for each rating of an account, with the game after which it had it."""

LADDER: Final = Table(
    "ladder",
    {"pool": "text", "ruleset": "text", "player": "text"},
    {"mu": "number", "sigma": "number", "games": "number", "shown": "number"},
    (("pool", "ruleset", "shown", "player"), ("player",)),
)
"""The present rating of each account."""

NOVICES: Final = Table("novices", {"player": "text"}, {"games": "number"})
"""How many games of each account would count without TAB-RAT-06."""

NOVICE_UNTIL: Final = 10
"""A game outside tournaments counts if each of its accounts has played this many games before (TAB-RAT-06)."""

Pool = Literal["players", "bots"]
"""The list of a rating (TAB-RAT-07)."""


class Result(Struct, frozen=True):
    """A result to be counted.

    Attributes:
        order: the players as they finished; empty when the game does not count any more; None to change nothing.
        pool: the list that it counts for; None when it does not count.
        is_directed: whether it is of a tournament, whose players have checked in.
    """

    place: Place
    kind: Kind
    ruleset: str
    order: Order | None
    pool: Pool | None
    is_directed: bool = False


class Moved(NamedTuple):
    """The effect of a result on the rating of a player.

    Attributes:
        had: the rating right before.
        base: that rating without the effect of an earlier result of the same game.
        now: the rating after it.
    """

    had: Skill
    base: Skill
    now: Skill


class Counted(Struct, frozen=True):
    """A counted result. `novices` are the players who had played fewer than ten games."""

    number: int
    place: Place
    ruleset: str
    pool: Pool
    order: Order
    moved: dict[PlayerId, Moved]
    novices: tuple[PlayerId, ...] = ()


class Ratings(Projection):
    """The ratings of all accounts. The version includes that of `FINISHED`, whose rows decide what is counted."""

    name = "ratings"
    version = 1000 * FINISHED.version + 1
    tables = (COUNTED, POINTS, LADDER, NOVICES)

    def fold(self, happened: Happened) -> Iterable[Change]:
        return ()


RATINGS: Final = Ratings()


class Tally:
    """The state while results are counted: the ratings of their players, and the earlier results of their games."""

    def __init__(
        self,
        skills: Mapping[tuple[Pool, str, PlayerId], Skill] | None = None,
        novices: Mapping[PlayerId, int] | None = None,
        history: Iterable[Counted] = (),
    ) -> None:
        """`history` has the results of games that are counted again, in their order."""
        self.skills = dict(skills or {})
        self.novices = dict(novices or {})
        self._history: dict[GameId, list[Counted]] = {}
        for each in history:
            self._history.setdefault(each.place.game, []).append(each)
        self._touched: dict[tuple[Pool, str, PlayerId], None] = {}
        self._aged: dict[PlayerId, None] = {}

    def count(self, number: int, result: Result) -> Counted:
        """Count the next result, as number `number`; return its effect."""
        before = self._history.setdefault(result.place.game, [])
        standing = next((each for each in reversed(before) if each.moved), None)
        if result.order is None or (standing is None and result.kind == "ruling"):
            rated = _uncounted(number, result)
        elif standing is None:
            rated = self._first(number, result, result.order, is_new=not before)
        else:
            rated = self._again(number, result, result.order, standing)
        before.append(rated)
        return rated

    def _first(self, number: int, result: Result, order: Order, *, is_new: bool) -> Counted:
        pool = result.pool
        if pool is None or not order:
            return _uncounted(number, result)
        players, novices = [player for tied in order for player in tied], tuple[PlayerId, ...]()
        may_count = True
        if pool == "players":
            inexperienced = tuple(player for player in players if self.novices.get(player, 0) < NOVICE_UNTIL)
            may_count = result.is_directed or not inexperienced
            if is_new:
                novices = inexperienced
                self._age(novices, 1)
        if not may_count:
            return msgspec.structs.replace(_uncounted(number, result), novices=novices)
        had = {player: self.skills.get((pool, result.ruleset, player), NEW) for player in players}
        now = after(order, had)
        moved = {player: Moved(had[player], had[player], now[player]) for player in players}
        return self._move(Counted(number, result.place, result.ruleset, pool, order, moved, novices))

    def _again(self, number: int, result: Result, order: Order, standing: Counted) -> Counted:
        """Count a game again, with another order (TAB-RAT-09)."""
        if order == standing.order:
            return _uncounted(number, result)
        pool, ruleset, was = standing.pool, standing.ruleset, standing.moved if standing.order else {}
        players = dict.fromkeys([*was, *(player for tied in order for player in tied)])
        had = {player: self.skills.get((pool, ruleset, player), NEW) for player in players}
        base = {
            player: given_back(had[player], was[player].base, was[player].now) if player in was else had[player]
            for player in players
        }
        now = base | (after(order, base) if order else {})
        moved = {player: Moved(had[player], base[player], now[player]) for player in players}
        return self._move(Counted(number, result.place, ruleset, pool, order, moved))

    def _move(self, result: Counted) -> Counted:
        for player, moved in result.moved.items():
            self._set(result.pool, result.ruleset, player, moved.now)
        return result

    def _set(self, pool: Pool, ruleset: str, player: PlayerId, skill: Skill) -> None:
        self.skills[pool, ruleset, player] = skill
        self._touched[pool, ruleset, player] = None

    def _age(self, players: Iterable[PlayerId], games: int) -> None:
        for player in players:
            self.novices[player] = self.novices.get(player, 0) + games
            self._aged[player] = None

    def back(self, results: Sequence[Counted]) -> Iterable[Change]:
        """Take the last counted results back, the newest first, and yield the changes that delete their rows."""
        for each in results:
            for player, moved in each.moved.items():
                self._set(each.pool, each.ruleset, player, moved.had)
                key = {"player": player, "pool": each.pool, "ruleset": each.ruleset, "number": each.number}
                yield Drop(POINTS, key)
            self._age(each.novices, -1)
            yield Drop(COUNTED, {"number": each.number})
        yield from self.changes(())

    def changes(self, results: Iterable[Counted]) -> Iterable[Change]:
        """Yield the changes for the counted results, and for all ratings that they touched."""
        for each in results:
            place = {"at": each.place.at, "game": each.place.game, "id": each.place.id}
            row: dict[str, Value] = {**place, "ruleset": each.ruleset, "pool": each.pool, "placed": _json(each.order)}
            row |= {"moved": _json(each.moved) if each.moved else "", "novices": " ".join(each.novices)}
            yield Put(COUNTED, {"number": each.number}, row)
            yield from _points(each)
        for pool, ruleset, player in self._touched:
            key, skill = {"pool": pool, "ruleset": ruleset, "player": player}, self.skills[pool, ruleset, player]
            if not skill.games:
                yield Drop(LADDER, key)
                continue
            row = {"mu": skill.mu, "sigma": skill.sigma, "games": skill.games, "shown": skill.shown}
            yield Put(LADDER, key, row)
        for player in self._aged:
            games = self.novices[player]
            yield Put(NOVICES, {"player": player}, {"games": games}) if games else Drop(NOVICES, {"player": player})
        self._touched, self._aged = {}, {}


def _uncounted(number: int, result: Result) -> Counted:
    """Return the effect of a result that changes no rating."""
    return Counted(number, result.place, result.ruleset, result.pool or "players", (), {})


def _points(result: Counted) -> Iterable[Change]:
    places = dict[PlayerId, int]()
    for tied in result.order:
        places |= dict.fromkeys(tied, len(places) + 1)
    for player, moved in result.moved.items():
        key = {"player": player, "pool": result.pool, "ruleset": result.ruleset, "number": result.number}
        row: dict[str, Value] = {"at": result.place.at, "game": result.place.game}
        row |= {"place": places.get(player, 0), "players": len(places)}
        row |= {"mu": moved.now.mu, "sigma": moved.now.sigma, "games": moved.now.games}
        yield Put(POINTS, key, row)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


# --- queries of the job, on one generation ----------------------------------------------------------------------------


async def tally_for(rows: Rows, number: int, results: Sequence[Result]) -> Tally:
    """Read the tally of a generation for the players and games of results that will be counted."""
    games = sorted({each.place.game for each in results})
    history = await _counted(rows, number, f"game IN ({_marks(games)}) ORDER BY number", games)
    players = {player for each in results for tied in each.order or () for player in tied}
    players |= {player for each in history for player in each.moved}
    return await tally_of(rows, number, players, history)


async def tally_of(rows: Rows, number: int, players: Collection[PlayerId], history: Iterable[Counted] = ()) -> Tally:
    """Read the tally of a generation for players."""
    ids = sorted(players)
    selection = await rows.select(
        RATINGS,
        f"SELECT pool, ruleset, player, mu, sigma, games FROM {{ladder}} WHERE player IN ({_marks(ids)})",
        ids,
        number=number,
    )
    skills = {(pool, ruleset, PlayerId(player)): Skill(*skill) for pool, ruleset, player, *skill in selection}
    aged = await rows.select(
        RATINGS, f"SELECT player, games FROM {{novices}} WHERE player IN ({_marks(ids)})", ids, number=number
    )
    return Tally(skills, {PlayerId(player): int(games) for player, games in aged}, history)


async def place_of(rows: Rows, generation: int, number: int) -> Place | None:
    """Return the place of the result that was counted with a number."""
    selection = await rows.select(
        RATINGS, "SELECT at, game, id FROM {counted} WHERE number = ?", [number], number=generation
    )
    return Place(*selection[0]) if selection else None


async def count_from(rows: Rows, generation: int, at: str) -> int:
    """Return how many results of this time or later were counted."""
    ((number,),) = await rows.select(RATINGS, "SELECT COUNT(*) FROM {counted} WHERE at >= ?", [at], number=generation)
    return int(number)


async def last_counted(rows: Rows, generation: int, above: int, limit: int) -> list[Counted]:
    """Return counted results with a number above `above`, the last first."""
    where = f"number > ? ORDER BY number DESC LIMIT {limit}"
    return await _counted(rows, generation, where, [above])


async def rated_among(rows: Rows, players: Collection[PlayerId]) -> bool:
    """Tell whether one of these accounts has a rating among players."""
    ids = sorted(players)
    where = f"pool = 'players' AND player IN ({_marks(ids)}) LIMIT 1"
    return bool(ids and await rows.select(RATINGS, f"SELECT player FROM {{ladder}} WHERE {where}", ids))


async def _counted(rows: Rows, generation: int, where: str, values: Sequence[Any]) -> list[Counted]:
    selection = await rows.select(
        RATINGS,
        f"SELECT number, at, game, id, ruleset, pool, placed, moved, novices FROM {{counted}} WHERE {where}",
        values,
        number=generation,
    )
    return [
        Counted(
            number,
            Place(at, GameId(game), id_),
            ruleset,
            pool,
            msgspec.json.decode(placed, type=Order),
            msgspec.json.decode(moved, type=dict[PlayerId, Moved]) if moved else {},
            tuple(map(PlayerId, novices.split())),
        )
        for number, at, game, id_, ruleset, pool, placed, moved, novices in selection
    ]


def _marks(values: Collection[object]) -> str:
    return ", ".join("?" * len(values)) or "NULL"


# --- queries of clients -----------------------------------------------------------------------------------------------


class Standing(Struct, frozen=True):
    """The rating of an account in a ruleset and a list."""

    player: PlayerId
    ruleset: str
    pool: Pool
    skill: Skill


class Point(Struct, frozen=True):
    """A rating that an account had after a game; `place` is theirs among `players` in it."""

    at: str
    game: GameId
    place: int
    players: int
    skill: Skill


async def _counted_rows(rows: Rows, query: str, values: Sequence[Any]) -> Sequence[Sequence[Any]]:
    """Return the rows of a query on ratings. Before the first count there are none, if there are no results either.

    Raises `NotBuilt` when there are results that were not counted yet.
    """
    try:
        return await rows.select(RATINGS, query, values)
    except NotBuilt:
        if await finished.total(rows):
            raise
        return ()


async def ladder(
    rows: Rows, pool: Pool, ruleset: str, after: tuple[int, PlayerId] | None, limit: int
) -> list[Standing]:
    """Return the ratings in a list, the highest first, after a shown number and an account, if given."""
    follows = "" if after is None else " AND shown <= ? AND (shown < ? OR player > ?)"
    selection = await _counted_rows(
        rows,
        f"SELECT player, mu, sigma, games FROM {{ladder}} WHERE pool = ? AND ruleset = ?{follows}"
        f" ORDER BY shown DESC, player LIMIT {limit}",
        [pool, ruleset, *((after[0], after[0], after[1]) if after is not None else ())],
    )
    return [Standing(PlayerId(player), ruleset, pool, Skill(*skill)) for player, *skill in selection]


async def of_player(rows: Rows, player: PlayerId) -> list[Standing]:
    """Return the ratings of an account."""
    query = "SELECT ruleset, pool, mu, sigma, games FROM {ladder} WHERE player = ? ORDER BY ruleset, pool"
    selection = await _counted_rows(rows, query, [player])
    return [Standing(player, ruleset, pool, Skill(*skill)) for ruleset, pool, *skill in selection]


async def points(rows: Rows, standing: Standing, limit: int) -> list[Point]:
    """Return the newest ratings that an account had in a ruleset and a list, the oldest of them first."""
    selection = await rows.select(
        RATINGS,
        "SELECT at, game, place, players, mu, sigma, games FROM {points}"
        f" WHERE player = ? AND pool = ? AND ruleset = ? ORDER BY number DESC LIMIT {limit}",
        [standing.player, standing.pool, standing.ruleset],
    )
    return [Point(at, GameId(game), place, of, Skill(*skill)) for at, game, place, of, *skill in reversed(selection)]
