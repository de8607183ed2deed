"""What is sent and answered: the structs that the contract is generated from.

Every list has the same frame: `items`, and `next`, the cursor of the following page. What is sent is read strictly:
an unknown field is refused, nothing is converted.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Raw, Struct, UnsetType, field, to_builtins

from domain.kernel.board import Board, Map
from domain.kernel.catalogue import Catalogue, Rule
from domain.kernel.decision import Decision, Option
from domain.kernel.game import Game
from domain.kernel.lifecycle import Status
from domain.kernel.ruleset import Result, Ruleset
from domain.kernel.words import LARGEST_INTEGER, GameId, PlayerId, RuleId, Seat, Version
from service.store.protocol import GameRow, PlayerRow
from service.views import EventView, Viewer

LARGEST_PAGE = 500

Text = Annotated[str, Meta(min_length=1, max_length=80, pattern=r"^[^\x00-\x1f\x7f]*\S[^\x00-\x1f\x7f]*$")]
"""A line that a person reads: 1 to 80 characters, not all blank."""

Title = Annotated[str, Meta(max_length=120, pattern=r"^[^\x00-\x1f\x7f]*$")]
"""A line of at most 120 characters, or none."""

Entropy = Annotated[str, Meta(max_length=256, pattern=r"^[\x20-\x7e]*$")]
"""Anything that a player adds to the dice: at most 256 printable ASCII characters."""

Identifier = Annotated[str, Meta(min_length=1, max_length=64)]
Limit = Annotated[int, Meta(ge=1, le=LARGEST_PAGE)]
Cursor = Annotated[str, Meta(min_length=1, max_length=200)]
Past = Annotated[int, Meta(ge=0, le=LARGEST_INTEGER)]
Players = Annotated[int, Meta(ge=1, le=100)]


# --- Queries ----------------------------------------------------------------------------------------------------------


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    """An endpoint without query parameters."""


class Page(Struct, frozen=True, forbid_unknown_fields=True):
    """Which page of a list.

    Attributes:
        cursor: the `next` of the page before; absent for the first page.
        limit: how many items at most.
    """

    cursor: Cursor | None = None
    limit: Limit = 50


class RulesPage(Page, frozen=True):
    """Which rules.

    Attributes:
        chapter: only those of this chapter, such as ``MOV``.
        text: only those whose title or text has these words, in any case.
    """

    chapter: Identifier | None = None
    text: Identifier | None = None


class GamesPage(Page, frozen=True):
    """Which games.

    Attributes:
        status: only games of this status.
        ruleset: only games of this ruleset.
        player: only games in which this player holds a seat.
        text: only games whose title, ruleset id or own id has each of these words, in any case. A search may be a
            moment behind the newest events.
    """

    status: Status | None = None
    ruleset: Identifier | None = None
    player: Identifier | None = None
    text: Text | None = None


class DiceQuery(Page, frozen=True):
    """Which dice.

    Attributes:
        ruleset: only those of games of this ruleset.
        game: only those of this game.
        seat: only those that this seat rolled.
    """

    ruleset: Identifier | None = None
    game: Identifier | None = None
    seat: Identifier | None = None


class RefusalsQuery(Page, frozen=True):
    """Which rules.

    Attributes:
        ruleset: only what was refused in games of this ruleset.
    """

    ruleset: Identifier | None = None


class EventsPage(Struct, frozen=True, forbid_unknown_fields=True):
    """Which events.

    Attributes:
        after: only those that follow this version; 0 for all.
        limit: how many at most.
    """

    after: Past = 0
    limit: Limit = 100


class Since(Struct, frozen=True, forbid_unknown_fields=True):
    """Where a stream begins.

    Attributes:
        after: after this version; absent: with the next event. `Last-Event-ID` goes before it.
    """

    after: Past | None = None


class AtVersion(Struct, frozen=True, forbid_unknown_fields=True):
    """Which version.

    Attributes:
        version: the version to look at; absent for the newest.
    """

    version: Annotated[int, Meta(ge=1, le=LARGEST_INTEGER)] | None = None


# --- Rulesets ---------------------------------------------------------------------------------------------------------


class RulesetSummary(Struct, frozen=True):
    """A ruleset that games can be played by.

    Attributes:
        id: its id.
        title: its name.
        version: rises when a change of its rules would change a game; a game keeps the version that it began with.
        board: the id of the board that it is played on, unless a game brings its own.
        players: the numbers of players that there is a set-up for.
        rules: how many rules it has.
    """

    id: str
    title: str
    version: int
    board: str
    players: tuple[int, ...]
    rules: int


class RulesetPage(Struct, frozen=True):
    """Rulesets, by id.

    Attributes:
        items: the rulesets of this page.
        next: the `cursor` of the next page; null after the last.
    """

    items: tuple[RulesetSummary, ...]
    next: str | None


class Chapter(Struct, frozen=True):
    """A chapter of the rules.

    Attributes:
        id: its id, which is a part of the ids of its rules.
        title: its title.
        rules: how many rules it has.
    """

    id: str
    title: str
    rules: int


class CitedSource(Struct, frozen=True):
    """A text that rules come from.

    Attributes:
        title: its title.
        cited_as: what rules call it.
        language: the language that it is written in.
    """

    title: str
    cited_as: str
    language: str


class RulesetDetail(Struct, frozen=True):
    """A ruleset with all that it is made of.

    Attributes:
        id: its id.
        title: its name.
        version: rises when a change of its rules would change a game.
        board: the id of its board.
        players: the numbers of players that there is a set-up for.
        rules: how many rules it has.
        seats: the names of the seats, by number of players.
        chapters: the chapters of its rules.
        sources: the texts that its rules come from.
        commands: the types of its commands.
        events: the types of its events, without those that every game has.
        setup: a JSON Schema of what the creator of a game may choose.
    """

    id: str
    title: str
    version: int
    board: str
    players: tuple[int, ...]
    rules: int
    seats: dict[str, tuple[Seat, ...]]
    chapters: tuple[Chapter, ...]
    sources: tuple[CitedSource, ...]
    commands: tuple[str, ...]
    events: tuple[str, ...]
    setup: dict[str, Any]


class BoardView(Struct, frozen=True):
    """A board.

    Attributes:
        digest: identifies it: SHA-256 of its facts in canonical JSON. Remarks and positions do not count.
        board: the board itself; a mended copy of it can be sent along when a game is created.
    """

    digest: str
    board: Board


class RuleView(Struct, frozen=True):
    """A numbered statement of the rules.

    Attributes:
        id: its id, which refusals name.
        chapter: the id of its chapter.
        chapter_title: the title of its chapter.
        title: what it is about.
        text: what it says.
        source: where that stands.
        rulesets: the rulesets in which it holds.
        ambiguity: what the source leaves open, if anything.
        ruling: how that is decided here.
        ours: True when the ruling is this project's own, not the source's.
        differs_from: the rules that other editions have in its place.
    """

    id: RuleId
    chapter: str
    chapter_title: str
    title: str
    text: str
    source: str
    rulesets: tuple[str, ...]
    ambiguity: str | None
    ruling: str | None
    ours: bool
    differs_from: tuple[RuleId, ...]


class RulePage(Struct, frozen=True):
    """Rules, in the order of the chapters.

    Attributes:
        items: the rules of this page.
        next: the `cursor` of the next page; null after the last.
    """

    items: tuple[RuleView, ...]
    next: str | None


class Schemas(Struct, frozen=True):
    """The shapes of a ruleset, as JSON Schemas (2020-12) that stand alone.

    Attributes:
        ruleset: the ruleset.
        version: its version.
        commands: of a command: one of several, told apart by `type`.
        events: of an event, with those that every game has.
        view: of the position as somebody may see it.
        setup: of what the creator of a game may choose.
    """

    ruleset: str
    version: int
    commands: dict[str, Any]
    events: dict[str, Any]
    view: dict[str, Any]
    setup: dict[str, Any]


# --- Players ----------------------------------------------------------------------------------------------------------


class Registration(Struct, frozen=True, forbid_unknown_fields=True):
    """Who wants to play.

    Attributes:
        name: the name that others see.
    """

    name: Text


class Player(Struct, frozen=True):
    """An account.

    Attributes:
        id: its id, by which games know it.
        name: the name that others see.
        created: when it was registered.
    """

    id: PlayerId
    name: str
    created: str


class Registered(Struct, frozen=True):
    """A new account.

    Attributes:
        player: the account.
        token: what proves that a request is this player's: ``Authorization: Bearer <token>``. It is shown this once
            and kept nowhere.
    """

    player: Player
    token: str


# --- Games ------------------------------------------------------------------------------------------------------------


class NewGame(Struct, frozen=True, forbid_unknown_fields=True):
    """A game to be created.

    Attributes:
        ruleset: the id of the ruleset that it is played by.
        players: how many play.
        title: a line that tells people which game it is.
        setup: what the ruleset lets the creator choose; its detail has the schema.
        organizer: the account that organizes the game, when that is not the creator's own.
        board: a board to play on instead of the ruleset's own, in the form of BoardView's `board`.
    """

    ruleset: Identifier
    players: Players
    title: Title = ""
    setup: dict[str, Any] = field(default_factory=dict[str, Any])
    organizer: Identifier | None = None
    board: Raw | UnsetType = UNSET


class SeatView(Struct, frozen=True):
    """A place at the table, and who sits there.

    Attributes:
        seat: the seat.
        player: the account that holds it; null while it is free.
        name: that player's name; null while it is free.
    """

    seat: Seat
    player: PlayerId | None
    name: str | None


class GameSummary(Struct, frozen=True):
    """A game at a glance.

    Attributes:
        id: its id.
        title: its title, which may be empty.
        ruleset: what it is played by.
        ruleset_version: the version of the ruleset that it began with.
        status: ``gathering`` players, ``running`` or ``over``.
        organizer: the account that organizes it.
        seats: its seats, in the order of the table.
        version: the number of its events.
        created: when it was created.
        changed: when its last event happened.
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


class GamePage(Struct, frozen=True):
    """Games, the newest first.

    Attributes:
        items: the games of this page.
        next: the `cursor` of the next page; null after the last.
    """

    items: tuple[GameSummary, ...]
    next: str | None


class GameDetail(Struct, frozen=True):
    """A game.

    Attributes:
        id: its id.
        title: its title, which may be empty.
        ruleset: what it is played by.
        ruleset_version: the version of the ruleset that it began with.
        status: ``gathering`` players, ``running`` or ``over``.
        organizer: the account that organizes it.
        seats: its seats, in the order of the table.
        version: the number of its events.
        created: when it was created.
        changed: when its last event happened.
        setup: what its creator chose.
        board: the digest of the board that it is played on.
        commitment: SHA-256 of the secret behind its dice; the secret is published when the game ends.
        head: the hash of its last event, which stands for the whole log.
        heading: where in the game it is, in words.
        decisions: what it waits for; while it runs, there is always something.
        result: how it ended; null while it goes on.
        you: the seat that the caller holds; null for a spectator.
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
    setup: dict[str, Any]
    board: str
    commitment: str
    head: str
    heading: str
    decisions: tuple[Decision, ...]
    result: Result | None
    you: Seat | None


class TakeSeat(Struct, frozen=True, forbid_unknown_fields=True):
    """A wish to join a game.

    Attributes:
        seat: the seat to take; the first free one when absent.
        entropy: anything, to be mixed into every roll of this game. The service is committed to its own secret by
            then, so that neither side alone can choose the dice.
    """

    seat: Identifier | None = None
    entropy: Entropy = ""


class StateView(Struct, frozen=True):
    """The position, as the caller may see it.

    Attributes:
        game: the game.
        version: the version that is shown.
        status: what the game was at that version.
        heading: where in the game that is, in words.
        seat: the seat through whose eyes it is seen; null for a spectator.
        everything: True when nothing is hidden: for an organizer without a seat, and for all when the game is over.
        view: the position, in the ruleset's own shape; null before the game begins.
        decisions: what the game waited for at that version.
    """

    game: GameId
    version: Version
    status: Status
    heading: str
    seat: Seat | None
    everything: bool
    view: Any
    decisions: tuple[Decision, ...]


class OptionsView(Struct, frozen=True):
    """What the caller may do now.

    Attributes:
        game: the game.
        version: the version at which that holds: send it as `If-Match` with the command.
        seat: the caller's seat.
        decisions: the open decisions that are this seat's to take.
        options: every command that would be accepted, and no other, as JSON Schemas.
    """

    game: GameId
    version: Version
    seat: Seat
    decisions: tuple[Decision, ...]
    options: tuple[Option, ...]


Commands = Annotated[tuple[Raw, ...], Meta(min_length=1, max_length=100)]


class Orders(Struct, frozen=True, forbid_unknown_fields=True):
    """What a seat asks for: one command, or several that all happen or none.

    Attributes:
        command: one command, such as one built from an option's schema.
        commands: several, in the order in which they are to happen. Only the last may roll or reveal something.
    """

    command: Raw | UnsetType = UNSET
    commands: Commands | UnsetType = UNSET

    def __post_init__(self) -> None:
        if (self.command is UNSET) == (self.commands is UNSET):
            raise ValueError("Object has to have either `command` or `commands`")

    @property
    def all(self) -> tuple[Raw, ...]:
        """The commands, one or several."""
        several = () if self.commands is UNSET else self.commands
        return several if self.command is UNSET else (self.command,)


class EventPage(Struct, frozen=True):
    """Events of a game, as the caller may see them.

    Attributes:
        items: the events, in order.
        next: the `after` of the next page; null when these are the last so far.
    """

    items: tuple[EventView, ...]
    next: Version | None


# --- History ----------------------------------------------------------------------------------------------------------


class Sentence(Struct, frozen=True):
    """One event, told.

    Attributes:
        version: the version that it made.
        at: when.
        seat: whose command brought it about; null for what follows of itself.
        text: what happened.
    """

    version: Version
    at: str
    seat: Seat | None
    text: str


class Passage(Struct, frozen=True):
    """What happened in one phase of one round.

    Attributes:
        heading: where in the game this is; empty for what happens around the table.
        sentences: what happened, in order.
    """

    heading: str
    sentences: tuple[Sentence, ...]


class HistoryPage(Struct, frozen=True):
    """The log, told in sentences.

    Attributes:
        items: passages, in order; the first may continue the last passage of the page before.
        next: the `after` of the next page; null when this is the end so far.
    """

    items: tuple[Passage, ...]
    next: Version | None


# --- Projections ------------------------------------------------------------------------------------------------------


class RoundScore(Struct, frozen=True):
    """What the seats had in one round.

    Attributes:
        round: the number of the round; 0 before the first.
        version: the version at which the score was taken: when the round was over; of the present round, when its
            present phase began.
        scores: by seat, and then by what the ruleset counts, such as ``tribute`` or ``provinces``.
    """

    round: int
    version: Version
    scores: dict[Seat, dict[str, int]]


class ScoreboardView(Struct, frozen=True):
    """How a game stands, and the score round by round.

    Attributes:
        game: the game.
        ruleset: what it is played by.
        status: ``gathering`` players, ``running`` or ``over``.
        version: the version up to which this tells.
        round: the number of the round; 0 before the first.
        heading: where in the game it is, in words.
        created: when it was created.
        started: when it began; null before that.
        ended: when it ended; null before that.
        winners: the seats that won; none while it goes on, and none for a draw.
        ended_by: the rule that ended it; null while it goes on.
        commands: how many commands were accepted, those that were taken back included.
        retractions: how often moves were taken back.
        rounds: the scores, by round.
    """

    game: GameId
    ruleset: str
    status: Status
    version: Version
    round: int
    heading: str
    created: str
    started: str | None
    ended: str | None
    winners: tuple[Seat, ...]
    ended_by: str | None
    commands: int
    retractions: int
    rounds: tuple[RoundScore, ...]


class TimelineEntry(Struct, frozen=True):
    """A place on the timeline of a game.

    Attributes:
        version: the version that shows it.
        kind: ``start``, ``phase`` (one begins, or goes on after a retraction), ``retraction``, ``end``, or what the
            ruleset marks, such as ``battle``.
        round: the number of the round; 0 before the first.
        heading: where in the game this is.
        text: what happened.
        at: when.
    """

    version: Version
    kind: str
    round: int
    heading: str
    text: str
    at: str


class TimelinePage(Struct, frozen=True):
    """Places on the timeline of a game, in order.

    Attributes:
        items: the entries of this page.
        next: the `cursor` of the next page; null when these are the last so far.
    """

    items: tuple[TimelineEntry, ...]
    next: str | None


class RulesetRecord(Struct, frozen=True):
    """What a player has done in games of one ruleset.

    Attributes:
        ruleset: the ruleset.
        gathering: games that wait for players.
        running: games that go on.
        finished: games that are over.
        won: those of them that the player won, alone or with others.
    """

    ruleset: str
    gathering: int
    running: int
    finished: int
    won: int


class PlayerRecord(Struct, frozen=True):
    """What a player has done.

    Attributes:
        player: the player.
        finished: games that are over, of all rulesets.
        won: those of them that the player won.
        rulesets: the same by ruleset.
    """

    player: PlayerId
    finished: int
    won: int
    rulesets: tuple[RulesetRecord, ...]


class FaceCount(Struct, frozen=True):
    """A face of a die.

    Attributes:
        face: the face.
        times: how often it came up.
        expected: how often it would have, on a die that falls exactly as its sides say.
    """

    face: str
    times: int
    expected: float


class FairnessTest(Struct, frozen=True):
    """Pearson's chi-square test of a die.

    Attributes:
        chi_square: how far the counts are from those expected.
        degrees: the degrees of freedom.
        p: the probability that a fair die strays as far or further. A very small one speaks against the die; but of a
            hundred fair dice, one has less than 0.01.
    """

    chi_square: float
    degrees: int
    p: float


class DieTally(Struct, frozen=True):
    """All rolls of one kind of die, those that were taken back included.

    Attributes:
        ruleset: the ruleset in whose games it was rolled.
        die: the kind of die.
        rolled: how many dice were rolled.
        faces: what they showed.
        fairness: whether that looks like chance; null while there are too few dice to say.
    """

    ruleset: str
    die: str
    rolled: int
    faces: tuple[FaceCount, ...]
    fairness: FairnessTest | None


class DicePage(Struct, frozen=True):
    """Kinds of dice, by ruleset.

    Attributes:
        items: the dice of this page.
        next: the `cursor` of the next page; null after the last.
    """

    items: tuple[DieTally, ...]
    next: str | None


class RuleTally(Struct, frozen=True):
    """How often a rule has refused something.

    Attributes:
        ruleset: the ruleset in whose games that was.
        rule: the id of the rule.
        title: the title of the rule; empty when the ruleset has no such rule any more.
        refusals: how often it has refused.
        per_command: refusals for each command that was accepted in games of the ruleset; null when there was none.
    """

    ruleset: str
    rule: RuleId
    title: str
    refusals: int
    per_command: float | None


class RuleTallyPage(Struct, frozen=True):
    """Rules, those that refuse most first.

    Attributes:
        items: the rules of this page.
        next: the `cursor` of the next page; null after the last.
    """

    items: tuple[RuleTally, ...]
    next: str | None


class Health(Struct, frozen=True):
    """Whether the service is well.

    Attributes:
        status: ``ok``; when it is not, the answer is a problem.
    """

    status: Literal["ok"]


# --- Making them ------------------------------------------------------------------------------------------------------


def ruleset_summary(ruleset: Ruleset[Any]) -> RulesetSummary:
    """Return a ruleset at a glance."""
    return RulesetSummary(
        id=ruleset.id,
        title=ruleset.title,
        version=ruleset.version,
        board=ruleset.board,
        players=tuple(ruleset.players),
        rules=len(ruleset.catalogue.for_ruleset(ruleset.id)),
    )


def board_view(board: Board) -> BoardView:
    """Return a board with its digest."""
    return BoardView(Map.of(board).digest, board)


def rule_view(catalogue: Catalogue, rule: Rule) -> RuleView:
    """Return a rule of a catalogue."""
    return RuleView(
        id=rule.id,
        chapter=rule.chapter,
        chapter_title=catalogue.chapter_titles[rule.chapter],
        title=rule.title,
        text=rule.text,
        source=catalogue.cite(rule),
        rulesets=rule.applies,
        ambiguity=rule.ambiguity,
        ruling=rule.ruling,
        ours=rule.is_our_ruling,
        differs_from=rule.differs_from,
    )


def player_view(row: PlayerRow) -> Player:
    """Return an account."""
    return Player(row.player, row.name, row.created)


def seat_views(seats: Mapping[Seat, PlayerId | None], names: Mapping[PlayerId, str]) -> tuple[SeatView, ...]:
    """Return the seats with the players' names."""
    return tuple(SeatView(seat, holder, names.get(holder) if holder else None) for seat, holder in seats.items())


def game_summary(row: GameRow, names: Mapping[PlayerId, str]) -> GameSummary:
    """Return a game at a glance."""
    return GameSummary(
        id=row.game,
        title=row.title,
        ruleset=row.ruleset,
        ruleset_version=row.ruleset_version,
        status=row.status,  # type: ignore[reportArgumentType]  (the store knows only that it is a word)
        organizer=row.organizer,
        seats=seat_views(row.seats, names),
        version=row.version,
        created=row.created,
        changed=row.changed,
    )


def game_detail(row: GameRow, game: Game, names: Mapping[PlayerId, str], viewer: Viewer) -> GameDetail:
    """Return a game, with what the index alone knows of it (its title and times) from `row`."""
    return GameDetail(
        id=game.id,
        title=row.title,
        ruleset=game.ruleset.id,
        ruleset_version=game.ruleset.version,
        status=game.status,
        organizer=game.organizer,
        seats=seat_views(game.players, names),
        version=game.version,
        created=row.created,
        changed=row.changed,
        setup=to_builtins(game.setup),
        board=Map.of(game.board).digest,
        commitment=game.commitment,
        head=game.head.hex(),
        heading=heading(game),
        decisions=tuple(game.decisions),
        result=game.result,
        you=viewer.seat,
    )


def heading(game: Game) -> str:
    """Return where in the game it is, in words; empty before it begins."""
    return game.ruleset.heading(game.table) if game.table is not None else ""
