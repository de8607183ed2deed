"""Building the consents, bulks and rematches of a running service, and running the task that opens games of bulks."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from msgspec import Struct

from projections.store import ProjectionStore
from service.accounts.accounts import Accounts
from service.base.clock import Clock
from service.base.settings import Settings
from service.cluster.lease import Lease
from service.games.games import Games
from service.observe.background import background
from service.organizing.bulks import Bulks
from service.organizing.consents import Consents
from service.organizing.opening import Opener
from service.organizing.rematches import Rematches
from service.store.protocol import EventStore


class Organizing(Struct, frozen=True, eq=False):
    """The parts of the service that handle consents, bulks and rematches."""

    consents: Consents
    bulks: Bulks
    rematches: Rematches


@asynccontextmanager
async def organizing(
    store: EventStore,
    games: Games,
    accounts: Accounts,
    rows: ProjectionStore,
    settings: Settings,
    clock: Clock,
    randomness: Callable[[int], bytes],
) -> AsyncIterator[Organizing]:
    """Yield these parts. Until the context ends, a task opens the games of bulks; one process at a time does this."""
    consents = Consents(store.organizing, store.accounts, clock)
    opener = Opener(store.organizing, games, consents, clock, Lease(rows, "bulks", store.organizing.any))
    bulks = Bulks(store.organizing, games, consents, clock, randomness, opener.ring)
    async with background("the games of bulks are opened", opener.run()):
        yield Organizing(consents, bulks, Rematches(games, accounts, settings))
