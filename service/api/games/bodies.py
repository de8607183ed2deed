"""Games and their seats as they are sent and answered."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Raw, Struct, UnsetType, field

from domain.kernel.ids import CaseId, GameId, PlayerId, Seat, Version
from domain.kernel.log.clock import LONGEST, PRESETS, Clock
from domain.kernel.log.ended import LONGEST_STILL, SHORTEST_STILL
from domain.kernel.log.ending import Finish
from domain.kernel.log.lifecycle import Forking, Readers, Sight, Status
from domain.kernel.rules.decision import Decision
from domain.kernel.rules.papers import Paper
from projections.lobby import ForkOf, Pace
from service.api.bodies import Entropy, Identifier, Listed, Page, Players, Text, Title
from service.api.rulesets.bodies import RuleChange, RulesetNumber
from service.games.clocks import ClocksView
from service.games.ends import EndProposal
from service.store.accounts import InvitationId

Preset = Literal["live", "fast", "slow"]
"""The names of the ready-made clocks."""
ChosenClock = Clock | Preset | None


class GamesPage(Page, frozen=True):
    """Which games.

    Attributes:
        status: only games of this status.
        ruleset: only games of this ruleset.
        player: only games in which this player holds a seat.
        text: only games whose title, ruleset id or own id has each of these words, in any case. A search may be a
            moment behind the newest events.
        waiting_for: only running games in which this player has a decision to make. They are filtered within each page,
            so a page may have fewer than `limit` or none, and a `next` all the same.
        clock: only games with the clock `live`, `fast` or `slow`, with one of their `own`, or with `none`. As with
            `text`, the newest events may be missing for a moment.
    """

    status: Status | None = None
    ruleset: Identifier | None = None
    player: Identifier | None = None
    text: Text | None = None
    clock: Pace | None = None
    waiting_for: Identifier | None = None


class MyGamesPage(Page, frozen=True):
    """Which of your games.

    Attributes:
        status: only games of this status.
        ruleset: only games of this ruleset.
        waiting: `true` for the running games that wait for you.
    """

    status: Status | None = None
    ruleset: Identifier | None = None
    waiting: Literal["true", "false"] | None = None


class GameChange(Struct, frozen=True, forbid_unknown_fields=True):
    """Changes to a game.

    Attributes:
        title: its new title.
    """

    title: Title


class GameWanted(Struct, frozen=True, forbid_unknown_fields=True):
    """The properties of a game to create.

    Attributes:
        ruleset: the id of the ruleset of the game.
        players: how many play.
        title: a line that tells people what game this is.
        setup: what the ruleset lets the creator choose; `GET /v1/rulesets/{ruleset}` has the schema.
        organizer_sees: what the organizer sees of the running game without holding a seat: `spectator` for what
            everybody sees, `all` for everything, hidden hands included. It cannot be changed, and players can see it
            before they sit down.
        forks: who may fork the game while it runs: `players` for all who take part in it, `officials` for these alone.
            When it is over, everybody may.
        readers: who may read the game: `everybody`, or only its seats, its organizer and its officials (`invited`). The
            latter makes it private for good (TAB-READ-01): no list shows it to others.
        clock: its clock: `live` for an evening (45 minutes, and 3 for each turn), `fast` for some weeks (2 days, and 8
            hours), `slow` for some months (7 days, and a day), or one of your own within the bounds of TAB-CLK-02; null
            for none. Until the game starts, its organizer can choose another.
        abandoned_after: after how many days in which nothing happens the game ends as abandoned (TAB-END-04); 90 when
            null.
        board: a board to play on instead of the ruleset's own, in the form of BoardView's `board`.
        documents: documents to play with instead of the ruleset's own, by name. Only some rulesets have any.
        listed: whether lists show the game to everybody. Otherwise it is unlisted: only its players and its organizer
            have it in their lists. Anybody who knows its address can look at it all the same, as a spectator, unless
            `readers` says otherwise.
    """

    ruleset: Identifier
    players: Players
    title: Title = ""
    setup: dict[str, Any] = field(default_factory=dict[str, Any])
    organizer_sees: Sight = "spectator"
    forks: Forking = "players"
    readers: Readers = "everybody"
    clock: ChosenClock = None
    abandoned_after: Annotated[int, Meta(ge=SHORTEST_STILL, le=LONGEST_STILL)] | None = None
    board: Raw | UnsetType = UNSET
    documents: dict[str, Raw] = field(default_factory=dict[str, Raw])
    listed: bool = True


class NewGame(GameWanted, frozen=True, forbid_unknown_fields=True):
    """A game to create.

    Attributes:
        organizer: the account that organizes the game, when that is not the creator's own.
    """

    organizer: Identifier | None = None


class ClockWanted(Struct, frozen=True, forbid_unknown_fields=True):
    """A clock for a game.

    Attributes:
        clock: the clock: `live`, `fast` or `slow`, or one of your own within the bounds of TAB-CLK-02; null for none.
    """

    clock: ChosenClock


def chosen_clock(choice: ChosenClock) -> Clock | None:
    """Return the clock that was chosen, also by name."""
    return PRESETS[choice] if isinstance(choice, str) else choice


class TimeGift(Struct, frozen=True, forbid_unknown_fields=True):
    """Time for a seat.

    Attributes:
        seat: the seat that gets it.
        seconds: how much it gets.
    """

    seat: Identifier
    seconds: Annotated[int, Meta(ge=1, le=LONGEST)]


class JoinGame(Struct, frozen=True, forbid_unknown_fields=True):
    """A request to follow an invitation.

    Attributes:
        entropy: any text, which is mixed into every roll of this game, as when you take a seat.
    """

    entropy: Entropy = ""


class Joined(Struct, frozen=True):
    """A seat in a game.

    Attributes:
        game: the game.
        seat: the seat that you hold.
        version: the version at which the game stands.
    """

    game: GameId
    seat: Seat
    version: Version


class Invitation(Struct, frozen=True):
    """A link that seats players, without its value, which is not stored.

    Attributes:
        id: its id, with which it is revoked.
        game: the game.
        created: when it was made.
        revoked: when it was revoked; null while it is valid.
    """

    id: InvitationId
    game: GameId
    created: str
    revoked: str | None


class NewInvitation(Struct, frozen=True):
    """A new invitation.

    Attributes:
        token: its value. It is shown only once. On a page of the service, `/join#` and the value is a link that leads
            to the game.
        details: the invitation without its value.
    """

    token: str
    details: Invitation


class InvitationPage(Listed[Invitation], frozen=True):
    """Invitations, the newest first."""


class Listing(Struct, frozen=True, forbid_unknown_fields=True):
    """Whether a game is listed.

    Attributes:
        listed: whether lists show the game to everybody.
    """

    listed: bool


class SeatView(Struct, frozen=True):
    """A place at the table, and who sits there.

    Attributes:
        seat: the seat.
        player: the account that holds it; null while it is free.
        name: that player's name; null while it is free.
        looks_alike: whether the name of another player or of an official of the game looks the same: show both with a
            mark. A list of games looks at the players alone.
        bot: whether a bot holds it: one that the service plays, or an account whose owner says that a program plays it.
        level: the level of a bot that the service plays; otherwise null.
    """

    seat: Seat
    player: PlayerId | None
    name: str | None
    looks_alike: bool
    bot: bool
    level: str | None


class GameSummary(Struct, frozen=True):
    """A game at a glance.

    Attributes:
        id: its id.
        title: its title, which may be empty.
        ruleset: the id of its ruleset.
        ruleset_version: the version of the ruleset that it began with.
        status: ``gathering`` players, ``running``, ``over``, or ``cancelled`` before it began.
        organizer: the account that organizes it.
        seats: its seats, in the order of the table.
        version: the number of its events.
        created: when it was created.
        changed: when its last event happened.
        fork: the game and the version that it was forked from; null if it is no fork.
        listed: whether lists show it to everybody.
        clock: the clock that was chosen for it; null for a game without one. In a list it may be missing for a moment
            after it was chosen, and while the service makes its lists again after an update.
    """

    id: GameId
    title: str
    ruleset: str
    ruleset_version: int
    status: Status
    organizer: PlayerId
    seats: tuple[SeatView, ...]
    version: Version
    created: str
    changed: str
    fork: ForkOf | None
    listed: bool
    clock: Clock | None


class Invited(Struct, frozen=True):
    """The game that an invitation is for.

    Attributes:
        game: the game.
        organizer: the name of its organizer.
        abandoned_after: after how many days in which nothing happens it ends as abandoned.
        free: how many free seats the invitation can still give.
        you: the seat that you already hold in it; null for none.
    """

    game: GameSummary
    organizer: str
    abandoned_after: int
    free: int
    you: Seat | None


class GamePage(Listed[GameSummary], frozen=True):
    """Games, the newest first."""


class Official(Struct, frozen=True):
    """Somebody who may rule in a game.

    Attributes:
        player: the account.
        name: that player's name.
        looks_alike: whether the name of a player or of another official of the game looks the same: show both with a
            mark.
    """

    player: PlayerId
    name: str | None
    looks_alike: bool


class SeatOffer(Struct, frozen=True):
    """An open offer of a seat of a running game.

    Attributes:
        seat: the seat.
        to: the account that may take it over; null when anybody may who can be a substitute.
        version: the version of the game at which it was offered.
    """

    seat: Seat
    to: PlayerId | None
    version: Version


class TakeBack(Struct, frozen=True):
    """An open request to take moves back.

    Attributes:
        asked: the version at which it was made, by which it is answered.
        seat: the seat that asks.
        to: the version to which the game would go back.
        waits_for: the seats that have yet to answer.
    """

    asked: Version
    seat: Seat
    to: Version
    waits_for: tuple[Seat, ...]


class GameDetail(GameSummary, frozen=True):
    """A game.

    Attributes:
        upgraded_to: the newer version that its organizer moved it to; null if it was never moved.
        organizer_sees: what the organizer sees of the running game without holding a seat: what a `spectator` sees, or
            `all`.
        forks: who may fork it while it runs: all who take part in it (`players`), or its `officials` alone.
        readers: who may read it: `everybody`, or only those who are `invited`.
        setup: what its creator chose.
        board: the digest of its board.
        documents: the digests of the documents that it is played with besides, by name.
        remarks: what a document is, and where its facts are from, by the name of each document that says so.
        words: the names that ids of its ruleset have in this game: its documents may have names of their own.
        mass_nouns: the words for its pieces and goods that have no plural: one counts "3 infantry".
        commitment: SHA-256 of the secret behind its dice; the secret is published when the game ends.
        head: the hash of its last event, which covers the whole log.
        heading: the phase of the game, in words.
        decisions: what it waits for; while it runs, there is always something.
        result: how it ended, by its own end or by a ruling on that; null while it goes on, here or in a continuation.
        ruled_by: the case whose ruling decides its result; null when its own end counts.
        continued_in: the game in which it continues by that ruling; null when it does not.
        assigned: the seats that were assigned and that their players have not confirmed; none once it has started.
        given_up: the seats that are open to a substitute, or to a bot of the organizer's: their players gave them up or
            resigned, or their clocks left them open.
        resigned: the seats among them whose players resigned; they get the default answers of the rules.
        offers: the open offers of seats.
        officials: who may rule in it, and sees all of it.
        paused: why it is paused; null while it is not paused.
        take_backs: the open requests of seats to take moves back.
        end_proposals: the open proposals of seats to end it.
        rematch_of: the game that its players played before, for a rematch; null for any other game.
        abandoned_after: after how many days in which nothing happens it ends as abandoned.
        abandoned_at: the earliest time at which it will end as abandoned when nothing happens until then; null for a
            game that does not run, and for an analysis.
        clocks: what the clocks show; null until it starts, and for a game without a clock.
        now: the time of the service, to compare `clocks` with; null where `clocks` is.
        you: the seat that the caller holds; null for a spectator.
    """

    upgraded_to: int | None
    organizer_sees: Sight
    forks: Forking
    readers: Readers
    setup: dict[str, Any]
    board: str
    documents: dict[str, str]
    remarks: dict[str, str]
    words: dict[str, str]
    mass_nouns: tuple[str, ...]
    commitment: str
    head: str
    heading: str
    decisions: tuple[Decision, ...]
    result: Finish | None
    ruled_by: CaseId | None
    continued_in: GameId | None
    assigned: tuple[Seat, ...]
    given_up: tuple[Seat, ...]
    resigned: tuple[Seat, ...]
    offers: tuple[SeatOffer, ...]
    officials: tuple[Official, ...]
    paused: str | None
    take_backs: tuple[TakeBack, ...]
    end_proposals: tuple[EndProposal, ...]
    rematch_of: GameId | None
    abandoned_after: int
    abandoned_at: str | None
    clocks: ClocksView | None
    now: str | None
    you: Seat | None


class PapersView(Struct, frozen=True):
    """The public content of the documents that a game is played with, such as the cards of nations.

    Attributes:
        game: the game.
        origins: where lines of papers can be from, by key, each in words.
        sources: what the words in brackets in the `source` of a line mean, by those words.
        papers: the papers. A title is a name that forms, sentences and questions use, so that a page can link them.
    """

    game: GameId
    origins: dict[str, str]
    sources: dict[str, str]
    papers: tuple[Paper, ...]


class TakeSeat(Struct, frozen=True, forbid_unknown_fields=True):
    """A request to join a game.

    Attributes:
        seat: the seat to take; the first free one when absent.
        entropy: any text, which is mixed into every roll of this game. The service has published the commitment to its
            own secret before, so neither side alone can choose the dice.
    """

    seat: Identifier | None = None
    entropy: Entropy = ""


class OfferWanted(Struct, frozen=True, forbid_unknown_fields=True):
    """An offer of a seat.

    Attributes:
        to: the account that may take it over; anybody who can be a substitute when absent.
    """

    to: Identifier | None = None


class BotWanted(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot for a seat.

    Attributes:
        level: how it plays: one of the `bots` that `GET /v1/rulesets/{ruleset}` lists.
    """

    level: Identifier


class Upgrade(Struct, frozen=True, forbid_unknown_fields=True):
    """A request to move a game to a newer version of its ruleset.

    Attributes:
        to: the version, one of those that the ruleset lists.
    """

    to: RulesetNumber


class UpgradeChecked(Struct, frozen=True):
    """A move to a newer version that would be accepted.

    Attributes:
        version: the version of the game (the number of its events) at which it was tried out.
        ruleset_version: the version of the ruleset that the game uses now.
        to: the version that it would use afterwards.
        changes: what would be different afterwards.
    """

    version: Version
    ruleset_version: int
    to: int
    changes: tuple[RuleChange, ...]
