"""The audit afterwards: what the log holds against what clients were told, and what follows from the log against it."""

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from domain.kernel.ids import GameId, as_game
from domain.kernel.log.game import Game
from domain.kernel.log.history import cause_of
from domain.kernel.log.record import Record, first_broken
from domain.kernel.proof import export
from domain.kernel.proof.verify import verify
from projections.library import PROJECTIONS
from projections.sightings import KEPT, SEEN
from projections.store import Rows, Unavailable
from service.app import open_snapshots
from service.base.clock import utc_now
from service.base.settings import Settings
from service.cluster.wake import LocalWake
from service.games.games import Games
from service.games.snapshots import Snapshots
from service.observe.metrics import Metrics
from service.readmodels import runner
from service.store.protocol import EventStore
from tests.faults.ledger import Deed, Ledger
from tests.faults.nursery import LIBRARY, boards

Log = Mapping[GameId, Sequence[Record]]


async def read_log(store: EventStore) -> dict[GameId, list[Record]]:
    """Return the records of each game, as the order of all events has them."""
    log: dict[GameId, list[Record]] = {}
    for stream, record in (await store.read_all(limit=10_000_000))[0]:
        game = as_game(stream)
        assert game is not None, "nobody opens a case here"
        log.setdefault(game, []).append(record)
    return log


def _is_asked_for(record: Record) -> bool:
    """Tell whether an account did something: the house answers for a seat that resigned, and the clock for one in time
    trouble, unasked."""
    return record.cause is not None and cause_of(record).by is None


def faults_of_acknowledgements(ledger: Ledger, log: Log) -> list[str]:
    """Say what is wrong with what was acknowledged: it is in the log exactly once, as it was told, or else here."""
    found: list[str] = []
    kept = Counter(cause_of(record).key for records in log.values() for record in records if _is_asked_for(record))
    for deed in ledger.deeds:
        times = kept[kept_key(deed)]
        if deed.answers and times != 1:
            found.append(f"{deed.key} was acknowledged and is in the log {times} times")
        elif times > 1:
            found.append(f"{deed.key} is in the log {times} times")
        if times and not deed.sent:
            found.append(f"{deed.key} was sent only in part and is in the log")
        found += _as_told(deed, log.get(GameId(deed.game), ()))
    known = {kept_key(deed) for deed in ledger.deeds}
    return found + [f"nobody asked for {key}" for key in kept if key not in known]


def kept_key(deed: Deed) -> str:
    """Return an idempotency key in the form of the log."""
    return hashlib.sha256(deed.player.id.encode() + b"\0" + deed.key.encode()).hexdigest()[:32]


def _as_told(deed: Deed, records: Sequence[Record]) -> list[str]:
    """Say where the log differs from what a client heard."""
    for answer in deed.answers[:1]:
        for event in answer.get("events", ()):
            if len(records) < event["version"] or records[event["version"] - 1].hash.hex() != event["hash"]:
                return [f"version {event['version']} of {deed.game}, told for {deed.key}, is another one in the log"]
    return []


async def faults_of_games(store: EventStore, log: Log, settings: Settings) -> tuple[list[str], Counter[str]]:
    """Verify every game, by the chain, by folding it, from its snapshot, and by its export; count what was verified."""
    found, counts, watched = list[str](), Counter[str](), Metrics()
    games = Games(store, LIBRARY, LocalWake(), utc_now, settings, boards=boards)
    snapshots = Snapshots(await open_snapshots(settings), watched)
    quick = Games(store, LIBRARY, LocalWake(), utc_now, settings, boards=boards, metrics=watched, snapshots=snapshots)
    for game, records in log.items():
        counts.update({"games": 1, "events": len(records)})
        if (broken := first_broken(game, records)) is not None:
            found.append(f"the chain of {game} breaks at version {broken}")
            continue
        row, played = await store.game(game), await games.game(game)
        if row is None or (row.version, row.status) != (len(records), played.status):
            found.append(f"the index has {row} of {game}, which stands at {len(records)} and is {played.status}")
        if await store.read(game) != records:
            found.append(f"{game} by itself is not what it is among all games")
        if position(await quick.game(game)) != position(played):
            found.append(f"{game} from its snapshot is not what it is from its log")
        verdict = verify(export.export(played, records, await games.vault(game), everything=True), LIBRARY)
        if not verdict.ok:
            found.append(f"{game} does not verify: {verdict}")
        if played.status == "over" and verdict.unproved:
            found.append(f"{game} is over, and unproved is {verdict.unproved}")
        counts[f"games {played.status}"] += 1
    await snapshots.close()
    (questions,) = watched.cache_requests.collect()
    answers = {(each.labels["cache"], each.labels["result"]): each.value for each in questions.samples}
    counts["snapshots"] = int(answers["snapshots", "hit"])
    return found, counts


def position(game: Game) -> tuple[Any, ...]:
    """Return what two equal games have in common."""
    table = game.table.digest() if game.table is not None else None
    return game.version, game.head, game.status, game.draws, game.players, game.undo_seat, game.undo_to, table


async def faults_of_projections(store: EventStore, rows: Any) -> list[str]:
    """Let the projections catch up, build each anew from the whole log, and say where the rows differ."""
    keeper = runner(store, rows, LIBRARY)
    await _patiently(keeper.catch_up)
    found: list[str] = []
    for projection in PROJECTIONS:
        before = [await _rows(rows, projection, table) for table in projection.tables]
        await _patiently(partial(keeper.rebuild, projection.name))
        after = [await _rows(rows, projection, table) for table in projection.tables]
        if not any(before):
            found.append(f"{projection.name} has no rows")
        if before != after:
            found.append(f"{projection.name} is not what its rebuild is")
    found += [f"{each.projection} stopped: {each.trouble}" for each in await rows.generations() if each.trouble]
    return found


async def _patiently(work: Callable[[], Awaitable[Any]]) -> None:
    """Do work, again and again while the database is too busy: the audit asks what is there, and not how soon."""
    until = time.monotonic() + 120
    while True:
        try:
            await work()
        except Unavailable:
            if time.monotonic() > until:
                raise
            await asyncio.sleep(0.5)
        else:
            return


async def _rows(rows: Rows, projection: Any, table: Any) -> list[tuple[Any, ...]]:
    columns = ", ".join([*table.key, *table.columns])
    found = sorted(await rows.select(projection, f"SELECT {columns} FROM {{{table.name}}}"))
    return _within_the_bound(found) if table is SEEN else found


def _within_the_bound(seen: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the sightings that are shown. Which others are still there depends on the order of two books."""
    newest: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for ruleset, event, rule, game, version, created in seen:
        newest.setdefault((ruleset, event, rule), []).append((created, game, version))
    return [(*kind, *row) for kind, rows in newest.items() for row in sorted(rows)[-KEPT:]]
