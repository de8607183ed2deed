"""Rulesets, boards and rules as they are answered."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from domain.kernel.canonical import digest
from domain.kernel.chance.evidence import Evidence
from domain.kernel.ids import LARGEST_INTEGER, GameId, RuleId, Seat, Version
from domain.kernel.log.lifecycle import Status as GameStatus
from domain.kernel.rules.board import Board, Map
from domain.kernel.rules.briefing import Briefing
from domain.kernel.rules.catalogue import Catalogue, Rule, Status
from domain.kernel.rules.ruleset import Ruleset
from projections.lobby import GameRow
from projections.sightings import Sighting
from service.api.bodies import Identifier, Listed, Page
from service.api.problems.problem import Problem
from service.api.problems.rulesets import UNKNOWN_DOCUMENT
from service.bots.registry import levels

RulesetNumber = Annotated[int, Meta(ge=1, le=LARGEST_INTEGER)]
"""The number of a version of a ruleset. The ruleset lists its versions."""


class RulesPage(Page, frozen=True):
    """Which rules to list.

    Attributes:
        chapter: only rules of this chapter, such as ``MOV``.
        text: only rules whose title or text has these words, in any case.
        status: only rules of this status.
        version: the rules of this version of the ruleset; absent for the newest.
    """

    chapter: Identifier | None = None
    text: Identifier | None = None
    status: Status | None = None
    version: RulesetNumber | None = None


class OfVersion(Struct, frozen=True):
    """Which version of a ruleset to show.

    Attributes:
        version: the version; absent for the newest.
    """

    version: RulesetNumber | None = None


class RulesetSummary(Struct, frozen=True):
    """A ruleset that games can be played by.

    Attributes:
        id: its id.
        title: its name.
        version: the version that new games use; a running game keeps the one that it began with.
        board: the id of its board, unless a game brings its own.
        players: the numbers of players that can play.
        rules: how many rules it has.
        bots: the levels of bots that the service plays in its games, the best last.
    """

    id: str
    title: str
    version: int
    board: str
    players: tuple[int, ...]
    rules: int
    bots: tuple[str, ...]


class RuleChange(Struct, frozen=True):
    """What a version of a ruleset does differently from earlier versions.

    Attributes:
        rules: the rules that it concerns, by id.
        what: what is different.
        why: why it was changed, with the place in the rule book.
    """

    rules: tuple[RuleId, ...]
    what: str
    why: str


class RulesetVersion(Struct, frozen=True):
    """A version of a ruleset.

    Attributes:
        version: its number.
        changes: what it does differently from the version before it; empty for the first.
    """

    version: int
    changes: tuple[RuleChange, ...]


class RulesetPage(Listed[RulesetSummary], frozen=True):
    """Rulesets, by id."""


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
        cited_as: the name by which rules cite it.
        language: the language that it is written in.
    """

    title: str
    cited_as: str
    language: str


class RulesetDetail(RulesetSummary, frozen=True):
    """A ruleset with all its parts.

    Attributes:
        briefing: the game in a minute: its goal, end, length and pieces; null if there is none.
        versions: all released versions, each with what it changed; a game keeps the one that it began with until its
            organizer moves it to a newer one.
        seats: the names of the seats, by number of players.
        chapters: the chapters of its rules.
        sources: the sources of its rules.
        documents: the names of the documents that a game is played with besides its board; you can send corrected
            copies of them when you create a game.
        remarks: by document, what it says about itself, such as where its facts come from; only where it says so.
        commands: the types of its commands.
        decisions: the kinds of decision that its games ask, each with the types of the commands that answer it. Some
            are asked only if the set-up of a game includes their rules.
        events: the types of its events, without those that all rulesets share.
        dice: the sides of each kind of die, in the order of their numbers: number 1 shows the first.
        chance: by event type, where such events show the results of chance. With the secret that the last event of a
            game publishes, everybody can repeat the draws and compare; the remaining draws are the salts of secrets.
        concerns: by type of event or command, including those that all rulesets share: the rules that it concerns.
            Types without rules are left out.
        words: the names of its own ids, such as those of nations and cards. An id without a name here is its own name.
        kinds: the mark for its own ids, which are faces of dice, cards, goods and what can be bought: the KIND of the
            symbol `glyph-KIND` of the bare board. Empty for a face on which nothing is printed.
        setup: a JSON Schema of what the creator of a game may choose.
    """

    briefing: Briefing | None
    versions: tuple[RulesetVersion, ...]
    seats: dict[str, tuple[Seat, ...]]
    chapters: tuple[Chapter, ...]
    sources: tuple[CitedSource, ...]
    documents: tuple[str, ...]
    remarks: dict[str, str]
    commands: tuple[str, ...]
    decisions: dict[str, tuple[str, ...]]
    events: tuple[str, ...]
    dice: dict[str, tuple[str, ...]]
    chance: dict[str, tuple[Evidence, ...]]
    concerns: dict[str, tuple[RuleId, ...]]
    words: dict[str, str]
    kinds: dict[str, str]
    setup: dict[str, Any]


class BoardView(Struct, frozen=True):
    """A board.

    Attributes:
        digest: identifies it: SHA-256 of its facts in canonical JSON. Remarks and positions do not count.
        board: the board itself; you can send a corrected copy of it when you create a game.
    """

    digest: str
    board: Board


class DocumentView(Struct, frozen=True):
    """A document that a game is played with besides its board.

    Attributes:
        digest: identifies it: SHA-256 of its canonical JSON.
        document: the document itself; you can send a corrected copy of it when you create a game.
    """

    digest: str
    document: dict[str, Any]


class RuleView(Struct, frozen=True):
    """A numbered statement of the rules.

    Attributes:
        id: its id, which refusals name.
        chapter: the id of its chapter.
        chapter_title: the title of its chapter.
        title: what it is about.
        text: what it says.
        source: the place in the source that says so.
        rulesets: the rulesets in which it holds.
        status: `rule` of the rule book, its official `faq`, a `clarification` (unofficial advice) or a `house` rule.
        option: the field of the set-up that must be true for the rule to hold; null when it always holds.
        option_default: whether that field is true unless the creator of a game chooses otherwise; null without one.
        standing: what `status`, `option` and `option_default` say, in words; empty for a plain rule that always holds.
        ambiguity: what the source leaves open; null if nothing.
        ruling: how that is decided; null without a ruling.
        ours: True when the ruling is ours, not the source's.
        differs_from: the corresponding rules of other editions.
    """

    id: RuleId
    chapter: str
    chapter_title: str
    title: str
    text: str
    source: str
    rulesets: tuple[str, ...]
    status: Status
    option: str | None
    option_default: bool | None
    standing: str
    ambiguity: str | None
    ruling: str | None
    ours: bool
    differs_from: tuple[RuleId, ...]


class RulePage(Listed[RuleView], frozen=True):
    """Rules, in the order of the chapters."""


class ScenarioView(Struct, frozen=True):
    """A conformance scenario: a position, commands, and what must happen.

    Attributes:
        title: what it shows.
        file: the file that has it, by game.
        text: the scenario itself, in TOML.
    """

    title: str
    file: str
    text: str


class ScenarioPage(Listed[ScenarioView], frozen=True):
    """Scenarios, in the order of their files."""


class RuleAtWork(Struct, frozen=True):
    """A game in which a rule can be seen at work.

    Attributes:
        game: the game.
        title: its title; it may be empty.
        status: `running` or `over`.
        created: when it was created.
        version: the first version of the game whose event concerned the rule; `/games/{game}#v={version}` shows it.
        event: the type of that event.
    """

    game: GameId
    title: str
    status: GameStatus
    created: str
    version: Version
    event: str


class AtWorkPage(Listed[RuleAtWork], frozen=True):
    """Games in which a rule can be seen at work, the newest first."""


class Schemas(Struct, frozen=True):
    """The shapes of a ruleset, as self-contained JSON Schemas (2020-12).

    Attributes:
        ruleset: the ruleset.
        version: its version.
        commands: the schema of a command: one of several, which `type` distinguishes.
        events: the schema of an event, including the events that every ruleset has.
        view: the schema of the position as somebody may see it.
        setup: the schema of what the creator of a game may choose.
    """

    ruleset: str
    version: int
    commands: dict[str, Any]
    events: dict[str, Any]
    view: dict[str, Any]
    setup: dict[str, Any]


def ruleset_summary(ruleset: Ruleset[Any]) -> RulesetSummary:
    """Return a ruleset at a glance."""
    return RulesetSummary(
        id=ruleset.id,
        title=ruleset.title,
        version=ruleset.version,
        board=ruleset.board,
        players=tuple(ruleset.players),
        rules=len(ruleset.catalogue.for_ruleset(ruleset.id)),
        bots=tuple(levels(ruleset.id)),
    )


def rule_changes(ruleset: Ruleset[Any], after: int, up_to: int) -> tuple[RuleChange, ...]:
    """Return the changes of the versions after `after`, up to and including `up_to`."""
    return tuple(
        RuleChange(change.rules, change.what, change.why) for change in ruleset.changes if after < change.since <= up_to
    )


def ruleset_versions(ruleset: Ruleset[Any]) -> tuple[RulesetVersion, ...]:
    """Return all versions of a ruleset, the oldest first."""
    return tuple(RulesetVersion(version, rule_changes(ruleset, version - 1, version)) for version in ruleset.versions)


def board_view(board: Board) -> BoardView:
    """Return a board with its digest."""
    return BoardView(Map.of(board).digest, board)


def document_view(ruleset: Ruleset[Any], name: str, document: Struct | None) -> DocumentView:
    """Return a document with its digest. Raises `Problem` when there is none."""
    if document is None:
        names = ", ".join(ruleset.documents) or "none"
        sentence = f"{ruleset.title} has no document {name!r}; known: {names}."
        raise Problem(UNKNOWN_DOCUMENT, sentence, UNKNOWN_DOCUMENT.remedy)
    return DocumentView(digest(document), msgspec.to_builtins(document))


def rule_view(catalogue: Catalogue, rule: Rule) -> RuleView:
    """Return a rule of a catalogue as it is sent."""
    return RuleView(
        id=rule.id,
        chapter=rule.chapter,
        chapter_title=catalogue.chapter_titles[rule.chapter],
        title=rule.title,
        text=rule.text,
        source=catalogue.cite(rule),
        rulesets=rule.applies,
        status=rule.status,
        option=rule.option,
        option_default=rule.default,
        standing=rule.standing,
        ambiguity=rule.ambiguity,
        ruling=rule.ruling,
        ours=rule.is_our_ruling,
        differs_from=rule.differs_from,
    )


def rule_at_work(row: GameRow, sighting: Sighting) -> RuleAtWork:
    """Return a game, with the version at which a rule can be seen at work."""
    return RuleAtWork(row.game, row.title, row.status, row.created, sighting.version, sighting.event)
