"""The queries and request bodies of tournament endpoints."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.kernel.ids import LARGEST_INTEGER
from domain.tournament.draw import Draw
from domain.tournament.events import Sort, Status
from domain.tournament.regulations import Regulations
from service.api.bodies import Identifier, Page, Past, Title
from service.api.log.bodies import Framed

Number = Annotated[int, Meta(ge=1, le=LARGEST_INTEGER)]


class TournamentsPage(Page, frozen=True):
    """A query that selects tournaments.

    Attributes:
        status: only tournaments of this status.
        ruleset: only tournaments of this ruleset.
        organizer: only tournaments that this player organizes.
    """

    status: Status | None = None
    ruleset: Identifier | None = None
    organizer: Identifier | None = None


class TournamentEventsPage(Struct, frozen=True, forbid_unknown_fields=True):
    """A query that selects events of a tournament.

    Attributes:
        after: the version after which to begin.
        limit: the most events to list.
    """

    after: Past = 0
    limit: Annotated[int, Meta(ge=1, le=500)] = 100


class TournamentSince(Framed, frozen=True, forbid_unknown_fields=True):
    """Where the stream of a tournament begins, and how it looks.

    Attributes:
        after: begin after this version, which must exist. If absent, begin with the next event. `Last-Event-ID` takes
            precedence.
    """

    after: Past | None = None


class NewTournament(Struct, frozen=True, forbid_unknown_fields=True):
    """A tournament to announce.

    Attributes:
        regulations: the rules of the tournament (TAB-TRN-02).
        title: the title that people see, in one line.
    """

    regulations: Regulations
    title: Title = ""


class NewEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """An entry.

    Attributes:
        club: your club, in 1 to 60 characters. The draw avoids tables with players of the same club.
    """

    club: str | None = None


class NewCheckIn(Struct, frozen=True, forbid_unknown_fields=True):
    """A check-in.

    Attributes:
        entropy: what you add to the lots, such as a throw of dice, so that the service alone cannot choose them. At
            most 256 printable characters.
    """

    entropy: str = ""


class Publication(Struct, frozen=True, forbid_unknown_fields=True):
    """The tables of a round.

    Attributes:
        draft: the number of the draft.
        drawn: the tables, if you change those of the draft by hand.
        reason: why you change them, in a line of 1 to 2,000 characters. It is public.
    """

    draft: Number
    drawn: Draw | None = None
    reason: str | None = None


class NewTables(Struct, frozen=True, forbid_unknown_fields=True):
    """Tables whose cost a director wants to see; nothing is stored.

    Attributes:
        draft: the number of the draft that they would replace.
        drawn: the tables.
    """

    draft: Number
    drawn: Draw


class Reason(Struct, frozen=True, forbid_unknown_fields=True):
    """A reason.

    Attributes:
        reason: why, in a line of 1 to 2,000 characters. It is public.
    """

    reason: str


class NewResult(Struct, frozen=True, forbid_unknown_fields=True):
    """A result that a director gives.

    Attributes:
        order: the players of the table in the order in which they finished, in groups of players who tie.
        reason: why, in a line of 1 to 2,000 characters. It is public.
    """

    order: tuple[tuple[Identifier, ...], ...]
    reason: str


class NewSubstitute(Struct, frozen=True, forbid_unknown_fields=True):
    """A substitute.

    Attributes:
        player: the player who leaves the table.
        to: the player who takes over. They must not have a table in this round.
        reason: why, in a line of 1 to 2,000 characters. It is public.
    """

    player: Identifier
    to: Identifier
    reason: str


class NewDrop(Struct, frozen=True, forbid_unknown_fields=True):
    """A player to take out of the rounds that are still to be drawn.

    Attributes:
        player: the player to take out.
        reason: why, in a line of 1 to 2,000 characters. It is public.
    """

    player: Identifier
    reason: str


class NewPenalty(Struct, frozen=True, forbid_unknown_fields=True):
    """A penalty.

    Attributes:
        player: the player who gets it.
        sort: a `caution` has no effect on the standings; a `warning` counts in the tie-breaks; `points` takes points
            away; an `exclusion` takes the player out of further rounds.
        points: how many points it takes away; 0 unless `sort` is `points`.
        reason: why, in a line of 1 to 2,000 characters. It is public.
    """

    player: Identifier
    sort: Sort
    reason: str
    points: int = 0


class NewAnnouncement(Struct, frozen=True, forbid_unknown_fields=True):
    """An announcement.

    Attributes:
        text: the message to all players, in a line of 1 to 2,000 characters. It is public.
    """

    text: str
