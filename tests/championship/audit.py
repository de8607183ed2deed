"""What the log of a championship must be afterwards: whole, with everything once that was acknowledged."""

from collections import Counter
from collections.abc import Mapping, Sequence

from domain.kernel.ids import StreamId, is_tournament
from domain.kernel.log.history import cause_of
from domain.kernel.log.record import Record, first_broken
from domain.tournament.fold import fold
from service.store.protocol import EventStore
from tests.faults.audit import kept_key
from tests.faults.ledger import Ledger
from tests.faults.storm import by_stream

Log = Mapping[StreamId, Sequence[Record]]


async def audited(store: EventStore, ledger: Ledger) -> tuple[list[str], int]:
    """Return what is wrong with the log, in sentences, and how many events it has."""
    log = by_stream((await store.read_all(limit=10_000_000))[0])
    wrong = [f"the chain of {stream} is broken" for stream, records in log.items() if first_broken(stream, records)]
    causes = [cause_of(record) for records in log.values() for record in records if record.cause is not None]
    kept = Counter(cause.key for cause in causes)
    for deed in ledger.deeds:
        times = kept[kept_key(deed)]
        if times > 1 or (deed.answers and not times) or (times and not deed.sent):
            told = "acknowledged" if deed.answers else "not acknowledged"
            wrong.append(f"{deed.method} {deed.path} was {told}, and is in the log {times} times")
    return wrong + _faults_of_games(log) + ledger.wrong, sum(map(len, log.values()))


def _faults_of_games(log: Log) -> list[str]:
    """Each table has one game, and each game of a tournament a table, unless it was cancelled with its round."""
    wrong: list[str] = []
    created: dict[str, set[str]] = {}
    for stream, records in log.items():
        of = cause_of(records[0]).tournament
        if of is not None and records[-1].type != "game-cancelled":
            created.setdefault(of, set()).add(stream)
    for stream, records in log.items():
        if is_tournament(stream):
            tournament = fold(stream, records)
            games = {each for each in tournament.games if log[each][-1].type != "game-cancelled"}
            if created.get(stream, set()) != games:
                wrong.append(f"{stream} has the games {games}, and {created.get(stream)} were created")
    return wrong
