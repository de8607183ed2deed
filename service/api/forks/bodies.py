"""Queries and bodies of the endpoints for forks."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.kernel.ids import LARGEST_INTEGER
from domain.kernel.log.lifecycle import Purpose, Status
from service.api.bodies import Page, Title


class NewFork(Struct, frozen=True, forbid_unknown_fields=True):
    """A fork to make.

    Attributes:
        version: the version of the game at whose position it begins.
        purpose: `analysis` when you want to play all seats yourself, `continuation` when the players of a game that is
            over go on with it.
        title: a line that tells people what fork this is.
    """

    version: Annotated[int, Meta(ge=1, le=LARGEST_INTEGER)]
    purpose: Purpose = "analysis"
    title: Title = ""


class ForksPage(Page, frozen=True):
    """Which forks.

    Attributes:
        status: only forks of this status.
    """

    status: Status | None = None
