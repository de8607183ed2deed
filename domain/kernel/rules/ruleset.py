"""What a ruleset is: the chapters wired up, and the few questions the kernel asks it."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from types import ModuleType
from typing import Any, ClassVar, Final, Generic, Self, TypeVar, Union, cast

import msgspec
from msgspec import Struct

from domain.kernel.chance.draws import Chance
from domain.kernel.chance.evidence import Evidence
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, PlayerId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.board import Board
from domain.kernel.rules.briefing import Briefing, briefing_of
from domain.kernel.rules.catalogue import Catalogue
from domain.kernel.rules.command import Command
from domain.kernel.rules.course import Step
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.documents import DocumentError, documents_of, equipped, read
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.loading import check_options, load
from domain.kernel.rules.marks import Battle, Figure, Mark, Marks
from domain.kernel.rules.message import Event, Names, Upcaster, type_name
from domain.kernel.rules.papers import Papers
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.schema import Random
from domain.kernel.rules.table import Table
from domain.kernel.rules.versions import Change

T = TypeVar("T", bound=Table)


Order = tuple[tuple[Seat, ...], ...]
"""Seats from the first place to the last, each group of seats that tie together."""


class Result(Struct, frozen=True, omit_defaults=True):
    """How a game ended: the winning seats (none for a draw) and the rule that ended it."""

    winners: tuple[Seat, ...]
    rule: str


class Rolled(Struct, frozen=True):
    """Dice that an event shows: which die (a key of `Ruleset.dice`), whose, the faces that came up, and their draw.

    `hits` is how many hits they made; None for dice that decide something else. `nation` is whose they are when seats
    lead several. `struck` says of each die whether it hit. It is empty when no die hits by itself, for example because
    their sum counts, and when `Ruleset.rolled` got no table.
    """

    die: str
    faces: tuple[str, ...]
    seat: Seat | None = None
    draw: int | None = None
    hits: int | None = None
    nation: str = ""
    struck: tuple[bool, ...] = ()


class Ruleset(ABC, Generic[T]):
    """One game with one edition of its rules, in one of its versions: the newest unless another is asked for.

    A change that folds or judges a lawful log differently makes a new version, and the old versions stay. A version is
    data: the `changes` up to it, each a switch that the chapters ask. A change that only adds something (a command, an
    option of the set-up, a word of the view) makes no version.

    A ruleset declares its chapters' events and commands and answers the abstract questions below; deciding,
    options, chance, secrets, the log, undo and proof are the kernel's.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    changes: ClassVar[tuple[Change, ...]] = ()
    """What its versions after the first do differently, in the order of the versions."""
    board: str
    """The name of the built-in board that new games are played on unless they bring their own; versions may differ."""
    documents: ClassVar[Mapping[str, type[Struct]]] = {}
    """What a game is played with besides its board, by name, each with its shape. A game may bring its own."""
    setup: ClassVar[type[Struct]]
    """What the creator of a game may choose; every field has a default."""
    view_type: ClassVar[type[Struct]]
    chapters: ClassVar[tuple[ModuleType, ...]] = ()
    """Its files in the order of the rule book, each with its ``EVENTS`` and ``COMMANDS``, where it has any."""
    events: ClassVar[tuple[type[Event[Any]], ...]]
    """Those of its chapters."""
    commands: ClassVar[tuple[type[Command[Any]], ...]]
    """Those of its chapters."""
    die: ClassVar[Mapping[str, int]] = {}
    """Names for faces of the ruleset's die, for scenarios, each with a number that shows it."""
    dice: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """The sides of each kind of die in the order of their numbers, from 1. Each side is equally likely."""
    worth: ClassVar[Mapping[str, Mapping[str, int]]] = {}
    """What each face counts when luck is measured, for dice whose faces are no numbers; 0 for a face not named."""
    chance: ClassVar[Mapping[type[Event[Any]], tuple[Evidence, ...]]] = {}
    """Where events show rolls and shuffles, so that they can be derived again without the rules."""
    landmarks: ClassVar[Mapping[type[Event[Any]], str]] = {}
    """Events that a timeline marks, each with a word for it, such as "battle"."""
    charts: ClassVar[Mapping[str, str]] = {}
    """Charts that mean the same in every ruleset (tribute, points, territory), each with its figure in `score`."""
    words: ClassVar[Mapping[str, str]] = {}
    """What its own ids are called, in forms, questions and sentences: nations, leaders, cards. Those that are not named
    are called by their ids."""
    mass_nouns: ClassVar[tuple[str, ...]] = ()
    """Words for pieces and goods that have no plural: "3 infantry"."""
    kinds: ClassVar[Mapping[str, str]] = {}
    """The kind of mark that shows each of its own ids: a face of a die, a card, a good, something that can be bought.
    Empty for a face on which nothing is printed."""
    guises: ClassVar[Mapping[str, str]] = {}
    """Kinds of marks that show a piece in another state, each with its usual kind: a piece that changes between them is
    not lost."""
    nations: ClassVar[Mapping[str, str]] = {}
    """The nations that seats lead, where a seat leads several, each with a few letters that mark its pieces."""
    colours: ClassVar[Mapping[Seat, str]] = {}
    """The colours of the seats, and of owners that nobody plays, such as ``#a32a2a``."""
    acclaims: ClassVar[type[Command[Any]] | None] = None
    """The command by which its players make one of them the winner, where the rule book lets them agree on that."""
    upcasters: ClassVar[Mapping[tuple[str, int], Upcaster]] = {}
    """The upcaster under (type, n) turns an event of that type from schema version n into n+1."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.chapters:
            cls.events = tuple(event for chapter in cls.chapters for event in getattr(chapter, "EVENTS", ()))
            cls.commands = tuple(command for chapter in cls.chapters for command in getattr(chapter, "COMMANDS", ()))

    def __init__(self, version: int | None = None) -> None:
        """Raises `LookupError` when there is no such version."""
        newest = max((change.since for change in self.changes), default=1)
        self.versions: Final = range(1, newest + 1)
        """The versions that were ever released."""
        self.version: Final = newest if version is None else version
        """Which of them this is."""
        if self.version not in self.versions:
            raise LookupError(f"There is no version {version} of {self.id}; its versions are 1 to {newest}.")

    def at(self, version: int) -> Self:
        """Return a version of this ruleset, each time the same object. Raises `LookupError`."""
        return cast(Self, _at(type(self), version))

    @cached_property
    def catalogue(self) -> Catalogue:
        """The rules of this version by id, from ``catalogue.toml`` in its package unless it says otherwise."""
        rules = load(self._beside("catalogue.toml").read_bytes()).at(self.id, self.version)
        check_options(rules, self.id, self.setup)
        return rules

    @cached_property
    def glyphs(self) -> str:
        """Glyphs for kinds of marks that only this game has: SVG from ``glyphs.svg`` in its package, if it is there."""
        file = self._beside("glyphs.svg")
        return file.read_text() if file.is_file() else ""

    @cached_property
    def tutorial(self) -> str:
        """Lessons for newcomers, in the TOML of `domain.kernel.tutorial`, from ``tutorial.toml`` if it is there."""
        file = self._beside("tutorial.toml")
        return file.read_text() if file.is_file() else ""

    @cached_property
    def briefing(self) -> Briefing | None:
        """The game in a minute, from ``briefing.toml`` in its package; None when it has none."""
        file = self._beside("briefing.toml")
        return briefing_of(self.id, file.read_text(), self.catalogue) if file.is_file() else None

    def _beside(self, name: str) -> Traversable:
        return resources.files(type(self).__module__.rpartition(".")[0]).joinpath(name)

    @abstractmethod
    def seats(self, players: int, choices: Any = None) -> tuple[Seat, ...]:
        """Return the seats of a game of `players`; empty when the rules have no set-up for that number.

        `choices` are the creator's setup, which may decide about seats; None for the default seats. Raises `Refusal`
        when they do not fit the number of players.
        """

    def kept_seats(self, choices: Any) -> Mapping[Seat, PlayerId]:
        """Return the seats that the creator's setup reserves, each with its player."""
        return {}

    @property
    @abstractmethod
    def players(self) -> tuple[int, ...]:
        """The numbers of players for which the rules have a set-up."""

    def own_document(self, name: str) -> Struct:
        """Return the document that games are played with unless they bring another: ``<name>/<id>.json`` beside it."""
        return read(name, self._beside(name).joinpath(f"{self.id}.json").read_bytes(), self.documents[name])

    def faults(self, documents: Mapping[str, Any], board: Board) -> Iterable[str]:
        """Yield each reason why no game could be played with these documents on a board, a line each."""
        return ()

    def equip(self, board: Board, uploads: Mapping[str, bytes] | None = None) -> Board:
        """Return a board with this ruleset's documents: the `uploads` sent along as JSON, otherwise its own.

        A board that has its documents is returned as it is. Raises `DocumentError` when no game could be played so.
        """
        if documents_of(board) or not (self.documents or uploads):
            return board
        return _equipped(self, board, tuple((uploads or {}).items()))

    @abstractmethod
    def lay(self, seats: tuple[Seat, ...], setup: Any, board: Board) -> T:
        """Return the bare table, before `open`. Raises `ValueError` when the board cannot carry this ruleset.

        `documents_of` returns the documents that go with the board.
        """

    def carry(self, table: T, seats: tuple[Seat, ...], setup: Any, board: Board) -> T:
        """Return the table of another version of this ruleset as one of this version, in the same position.

        It does not check whether that is possible; `refuse_to_carry` does, beforehand.
        """
        bare = self.lay(seats, setup, board)
        carried = table.copy()
        for name in table.static:
            setattr(carried, name, getattr(bare, name))
        return carried

    def refuse_to_carry(self, table: T) -> str:
        """Return why a position of another version cannot be carried over to this one, or an empty text when it can."""
        return ""

    @abstractmethod
    def open(self, draft: Draft[T]) -> None:
        """Emit the set-up."""

    @abstractmethod
    def step(self, table: T) -> Step[T]:
        """Return the current step of the course, for a game that is not over."""

    def advance(self, draft: Draft[T]) -> None:
        """Emit what follows without a choice, until somebody must choose or the game is over."""
        while self.result(draft.table) is None:
            follows, happened = self.step(draft.table)(draft.table), len(draft.events)
            if callable(follows):
                follows(draft)
            elif follows:
                draft.asked = follows
                return
            if len(draft.events) == happened:
                raise AssertionError("nobody has to choose, and nothing follows")
        draft.asked = ()

    def decisions(self, table: T) -> Sequence[Decision]:
        """Return the open decisions. None are left exactly when the game is over."""
        if self.result(table) is not None:
            return ()
        follows = self.step(table)(table)
        return () if callable(follows) else follows

    def out(self, table: T) -> Collection[Seat]:
        """Return the seats that are out of the game: nobody waits for their consent to anything."""
        return ()

    @abstractmethod
    def view(self, table: T, vault: Vault) -> Struct:
        """Return the position as the holder of `vault` may see it."""

    @abstractmethod
    def result(self, table: T) -> Result | None:
        """Return how the game ended, or None while it goes on."""

    def order(self, table: T) -> Order:
        """Return how the seats finished when the rule book ended the game, as far as it says so (TAB-END-03).

        Seats that are not named finished behind the others, and tie.
        """
        result = self.result(table)
        return (result.winners,) if result is not None and result.winners else ()

    def heading(self, table: T) -> str:
        """Return where in the game the table is, such as "Round 3, red: movement", for the history.

        The part before the colon is the turn, and the part after it is a phase of that turn.
        """
        return ""

    def round(self, table: T) -> int:
        """Return the number of the current round; 0 before the first, or in a game without rounds."""
        return 0

    def turn(self, table: T) -> tuple[Seat, int] | None:
        """Return the seat whose turn it is, and a number of the turn that never falls; None where all act at once.

        A clock's increment comes once for each number, when that turn ends (TAB-CLK-04).
        """
        return None

    def score(self, table: T) -> Mapping[Seat, Mapping[str, Figure]]:
        """Return what a scoreboard shows of each seat, by name: points, territory, money. Public figures only."""
        return {}

    @property
    def keeps_score(self) -> bool:
        """Whether this ruleset has a score: it overrides `score`."""
        return type(self).score is not _NO_SCORE

    def words_on(self, board: Board) -> Mapping[str, str]:
        """Return what its own ids are called in a game on a board, whose documents may have other names for them."""
        return self.words

    def nations_on(self, board: Board) -> Mapping[str, str]:
        """Return the nations that seats lead in a game on a board, each with a few letters that mark its pieces."""
        return self.nations

    def printed(self, board: Board) -> Mapping[AreaId, tuple[Mark, ...]]:
        """Return what is printed on the areas of a board, such as what they yield."""
        return {}

    def score_of_nations(self, table: T) -> Mapping[Seat, Mapping[str, Mapping[str, Figure]]]:
        """Return what a scoreboard shows of each nation of each seat; empty when no seat leads several nations."""
        return {}

    def papers(self, board: Board, names: Names) -> Papers:
        """Return what everybody may read of the documents that go with a board, such as cards, line by line."""
        return Papers()

    def marks(self, view: Any, names: Names) -> Marks:
        """Return what a picture of the position shows. It is made from a `view`, so it reveals no more than that."""
        return Marks()

    def battle(self, table: T, names: Names) -> Battle | None:
        """Return the battle under way as everybody sees it; None where there is none."""
        return None

    def rolled(self, event: Event[T], before: T | None = None) -> Iterable[Rolled]:
        """Return the dice whose faces `event` shows; with the table `before` it, also which of them hit."""
        return ()

    @abstractmethod
    def arrange(self, position: Mapping[str, Any], board: Board) -> T:
        """Return the table of a position in a scenario. Raises `ValueError` when it makes no sense."""

    def conceal(self, draft: Draft[T], position: Mapping[str, Any]) -> None:
        """Put the hidden values of a scenario's position on an arranged table, sealed by `draft`."""
        return

    def imagine(self, draft: Draft[T], view: Any, seat: Seat, rng: Random) -> None:
        """Turn the bare table of `draft` into one at which `seat` would see `view`; `rng` makes up what it cannot see.

        So a bot can think ahead without knowing more than its view says.
        """
        draft.table.assume(view)

    def decide(
        self, table: T, seat: Seat, command: Command[T], chance: Chance, vault: Vault, draws: int = 0
    ) -> Draft[T]:
        """Return what happens when `seat` gives `command`: events, the table after them, chance used, secrets made.

        `table` itself is left as it is. Raises `Refusal` when the rules forbid the command.
        """
        self._check_turn(table, seat, command)
        draft = Draft(table.copy(), chance, vault, draws)
        command.decide(draft, seat)
        self.advance(draft)
        if not draft.events:
            raise AssertionError(f"{type(command).__name__} was accepted and nothing happened")
        return draft

    def begin(self, table: T, chance: Chance) -> Draft[T]:
        """Return the draft of a game's set-up on a bare table, which itself is left as it is."""
        draft = Draft(table.copy(), chance, Vault())
        self.open(draft)
        self.advance(draft)
        return draft

    defaults: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """By kind of decision, the commands of which the clock gives the first that is on offer (TAB-CLK-07).

    When none of them is, the other commands that answer it are tried in the order of the rule book. Listed are commands
    that pass, grant nothing, move nothing, and roll nothing that need not be rolled.
    """

    cheapest: ClassVar[tuple[str, ...]] = ()
    """The pieces and goods that the clock gives up first, in this order."""

    def default(self, table: T, seat: Seat, vault: Vault) -> Command[T] | None:
        """Return what the clock answers for `seat`, who may read `vault`; None when nothing is asked of the seat.

        That is the least command of an option for the first decision open to the seat. `defaults` says which option.
        """
        options = self.options(table, seat, vault)
        for decision in self.decisions(table):
            if seat not in decision.seats:
                continue
            offered = [option for option in options if option.decision in (decision.kind, None)]
            for kind in (*self.defaults.get(decision.kind, ()), *self.answers.get(decision.kind, ())):
                if option := next((each for each in offered if each.command == kind), None):
                    return self.read_command(msgspec.json.encode(schema.least(option.schema, self.cheapest)))
        return None

    def options(self, table: T, seat: Seat, vault: Vault) -> list[Option]:
        """Return what `decide` would accept from `seat`, who may read `vault`."""
        kinds = {decision.kind for decision in self.decisions(table) if seat in decision.seats}
        return [
            option
            for command in self.commands
            if not command.answers or command.answers & kinds
            for option in command.options(table, seat, vault)
        ]

    def _check_turn(self, table: T, seat: Seat, command: Command[T]) -> None:
        if not command.answers:
            return
        open_decisions = self.decisions(table)
        if any(seat in decision.seats and decision.kind in command.answers for decision in open_decisions):
            return
        names = Names({}, (seat, *(seat for decision in open_decisions for seat in decision.seats)), self.words)
        awaited = (f"The game waits for {names.all(each.seats)} to answer: {each.title}" for each in open_decisions)
        raise Refusal(
            self._provided_by(command),
            f"You cannot send {type_name(type(command))} now: it answers no open decision of {names(seat)}.",
            " ".join(awaited) or "The game is over.",
            untimely=True,
        )

    def _provided_by(self, command: Command[T]) -> str:
        """Return the rule that provides for a command; if only other rulesets have it, the one that holds instead."""
        return next(iter(self.catalogue.in_force((command.rule,), self.id)), "TAB-TURN-01")

    @cached_property
    def answers(self) -> Mapping[str, tuple[str, ...]]:
        """The kinds of decision that its games ask, each with the types of the commands that answer it."""
        kinds = sorted({kind for command in self.commands for kind in command.answers})
        return {
            kind: tuple(type_name(command) for command in self.commands if kind in command.answers) for kind in kinds
        }

    @cached_property
    def event_union(self) -> Any:
        """The tagged union of this ruleset's events."""
        return Union[self.events]  # noqa: UP007

    @cached_property
    def command_union(self) -> Any:
        """The tagged union of this ruleset's commands."""
        return Union[self.commands]  # noqa: UP007

    @cached_property
    def _command_decoder(self) -> msgspec.json.Decoder[Any]:
        return msgspec.json.Decoder(self.command_union)

    def read_command(self, raw: bytes | msgspec.Raw) -> Command[T]:
        """Return the command in `raw` JSON, read strictly. Raises `msgspec.DecodeError` or `ValidationError`."""
        return self._command_decoder.decode(raw)


@lru_cache(maxsize=16)
def _equipped(ruleset: Ruleset[Any], board: Board, uploads: tuple[tuple[str, bytes], ...]) -> Board:
    # Cached, because reading and checking the cards of Italia takes 40 ms.
    contents = dict(uploads)
    if unknown := sorted(contents.keys() - ruleset.documents.keys()):
        titles = ", ".join(ruleset.documents) or "none"
        raise DocumentError(f"{ruleset.title} has no document {name!r}; known: {titles}" for name in unknown)
    documents = {
        name: read(name, contents[name], shape) if name in contents else ruleset.own_document(name)
        for name, shape in ruleset.documents.items()
    }
    if faults := list(ruleset.faults(documents, board)):
        raise DocumentError(faults)
    return equipped(board, documents)


@cache
def _at(kind: type[Ruleset[Any]], version: int) -> Ruleset[Any]:
    return kind(version)


_NO_SCORE: Final = Ruleset[Any].score
"""A constant, because `Ruleset[Any]` takes ten times as long as all else in `keeps_score`."""


class Library:
    """The rulesets of this package in all versions, so that each old log can still be judged by its own version."""

    def __init__(self, rulesets: Iterable[Ruleset[Any]]) -> None:
        """`rulesets` are the versions by which new games are played, usually the newest."""
        self._rulesets = {ruleset.id: ruleset for ruleset in rulesets}

    def current(self, ruleset_id: str) -> Ruleset[Any]:
        """Return the version of a ruleset that new games are played by. Raises `LookupError` that names the known."""
        if ruleset_id not in self._rulesets:
            raise LookupError(f"There is no ruleset {ruleset_id!r}; known: {', '.join(self.ids())}.")
        return self._rulesets[ruleset_id]

    def at(self, ruleset_id: str, version: int) -> Ruleset[Any]:
        """Return a ruleset in any version that was ever released. Raises `LookupError`."""
        current = self._rulesets.get(ruleset_id)
        if current is None or version not in current.versions:
            raise LookupError(f"The game uses {ruleset_id} version {version}, which this package does not have.")
        return current if version == current.version else current.at(version)

    @property
    def default(self) -> str:
        """The ruleset for requests that name none: the first."""
        return next(iter(self._rulesets))

    def ids(self) -> list[str]:
        """Return the ids of all rulesets, sorted."""
        return sorted(self._rulesets)
