"""The parts for organizers in a running service, and the task that opens the games of bulks."""

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
    """The parts of the service for organizers."""

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
    """Provide the parts, and open the games of bulks meanwhile, in turn with other processes."""
    consents = Consents(store.organizing, store.accounts, clock)
    opener = Opener(store.organizing, games, consents, clock, Lease(rows, "bulks", store.organizing.any))
    bulks = Bulks(store.organizing, games, consents, clock, randomness, opener.ring)
    async with background("the games of bulks are opened", opener.run()):
        yield Organizing(consents, bulks, Rematches(games, accounts, settings))
