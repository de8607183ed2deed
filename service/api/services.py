"""The parts of a running service, as its routes find them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from domain.boards import drawing_of
from domain.kernel.ids import PlayerId
from domain.kernel.rules.board import Board
from domain.kernel.rules.catalogue import Catalogue
from domain.kernel.rules.loading import common_rules
from domain.kernel.rules.ruleset import Library, Ruleset
from projections.store import ProjectionStore
from service.accounts.accounts import Accounts
from service.accounts.apps.apps import Apps
from service.accounts.limits import Limits
from service.api.controls import Controls
from service.base.settings import Settings
from service.closing import Closing
from service.cluster.tail import Tail
from service.cluster.wake import Wake
from service.games.games import Games
from service.imports.imports import Imports
from service.joining import Joining
from service.judging.desk import Desk
from service.leagues.leagues import Leagues
from service.observe.metrics import Metrics
from service.organizing.running import Organizing
from service.pictures.gallery import Gallery
from service.pictures.release import drawn_by
from service.pictures.scenes import Drawings
from service.store.past import Past
from service.store.protocol import EventStore
from service.tournaments.committee import Committee
from service.tournaments.drafts import Drafts
from service.transparency.keys import LogKey
from service.transparency.log import TransparencyLog
from service.webhooks.devices import Devices
from service.webhooks.mailboxes import Mailboxes
from service.webhooks.registry import Webhooks

if TYPE_CHECKING:
    from service.accounts.code_flow import Provider
    from service.cluster.redis import Redis

Boards = Callable[[str], Board]
"""Returns the board of an id. Raises `BoardError`."""


class Services(Struct, frozen=True, eq=False):
    """The parts of a running service."""

    settings: Settings
    library: Library
    boards: Boards
    store: EventStore
    past: Past
    """Reads the log up to a version or a place that is known to be there."""
    accounts: Accounts
    apps: Apps
    wake: Wake
    tail: Tail
    games: Games
    desk: Desk
    committee: Committee
    closing: Closing
    leagues: Leagues
    imports: Imports
    joining: Joining
    drafts: Drafts
    rows: ProjectionStore
    """The projections. Endpoints only read them, but a new title of a game is also written to its row in the lobby."""
    transparency: TransparencyLog
    metrics: Metrics
    webhooks: Webhooks
    devices: Devices
    mailboxes: Mailboxes
    organizing: Organizing
    log_key: LogKey | None = None
    """The key that signs the transparency log; None if this process does not sign it."""
    provider: "Provider | None" = None
    """The OpenID Connect provider through which people sign in to the pages."""
    redis: "Redis | None" = None
    limits: Limits | None = None
    drawings: Drawings = drawing_of
    gallery: Gallery = msgspec.field(default_factory=Gallery)
    drawn_by: str = msgspec.field(default_factory=drawn_by)
    """A digest of what draws its pictures."""
    sandbox: Controls | None = None
    """The controls of a sandbox; None for any other service."""
    quiet: set[PlayerId] = msgspec.field(default_factory=set)
    """Accounts whose successful requests are logged only at the level debug."""

    @staticmethod
    def catalogues(ruleset: Ruleset[Any]) -> tuple[Catalogue, Catalogue]:
        """Return the rules that hold in games of `ruleset`: its own, and the common ones."""
        return ruleset.catalogue, common_rules()
