"""Italia I and Italia II: the chapters wired up."""

from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Final

from msgspec import Struct

from domain.italia import course
from domain.italia.box import cards, faults
from domain.italia.box.cards import Cards, Deck, builtin
from domain.italia.box.data import Data, data_of
from domain.italia.box.editions import CHANGES, CHANGES_OF_1, Rules
from domain.italia.box.entries import Game
from domain.italia.box.pieces import FLEET, KINDS, MASS_NOUNS, WORDS, NationId
from domain.italia.box.state import Options
from domain.italia.box.table import Table
from domain.italia.campaigns import campaign, reactions
from domain.italia.combat import (
    aims,
    battle,
    cities,
    declaring,
    deserters,
    driving_off,
    naval,
    next_battle,
    raids,
    retreat,
    submission,
)
from domain.italia.combat.dice import DIE, FACES, struck
from domain.italia.display import fight, marks, papers, view
from domain.italia.display.view import imagine
from domain.italia.economy import income, placement, purchase
from domain.italia.ending import announcing, rebuilding
from domain.italia.moves import entry, movement, sea
from domain.italia.nations import civil_war, exits, hannibal, revolt, rome, title, transformations
from domain.italia.start import setup
from domain.italia.start.position import arrange
from domain.italia.start.setup import bare
from domain.italia.turn import reinforcements, scoring, sequence, stacking, winning
from domain.kernel.chance.evidence import Dice, Evidence
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.board import Board
from domain.kernel.rules.course import Step
from domain.kernel.rules.documents import documents_of
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.marks import Battle, Figure, Mark, Marks, halved
from domain.kernel.rules.message import Event as KernelEvent
from domain.kernel.rules.message import Names
from domain.kernel.rules.papers import Papers
from domain.kernel.rules.ruleset import Order, Result, Rolled, Ruleset
from domain.kernel.rules.schema import Random
from domain.kernel.rules.versions import Change, switched

# What both games have.
CHAPTERS = (
    setup,
    sequence,
    income,
    purchase,
    placement,
    reinforcements,
    stacking,
    movement,
    entry,
    sea,
    cities,
    rebuilding,
    next_battle,
    battle,
    deserters,
    aims,
    retreat,
    driving_off,
    raids,
    declaring,
    naval,
    scoring,
    campaign,
    announcing,
    reactions,
    transformations,
    submission,
    revolt,
    winning,
)

CHAPTERS_OF_1 = (*CHAPTERS, rome, hannibal, civil_war)
CHAPTERS_OF_2 = (*CHAPTERS, exits, title)

CHANCE: Mapping[type[KernelEvent[Any]], tuple[Evidence, ...]] = {
    battle.BattleRolled: (Dice(DIE, ("attacker",)), Dice(DIE, ("defender",))),
    declaring.TieRolled: (Dice(DIE),),
    deserters.ElephantsMet: (Dice(DIE),),
    deserters.FoederatiDeserted: (Dice(DIE),),
}


DISPLAY_NAMES: Final[Mapping[str, str]] = {**WORDS, "number": "units", "campaigner": "leader"}


@lru_cache(maxsize=64)  # by the board, because hashing all cards costs more than most uses of them
def _cards_of(board: Board) -> Cards:
    """Return the nation cards that go with a board."""
    return Cards.of(documents_of(board)["cards"])


@lru_cache(maxsize=64)
def _words_on(board: Board) -> Mapping[str, str]:
    return {**DISPLAY_NAMES, **_cards_of(board).names}


def _letters(cards: Cards) -> dict[str, str]:
    """Return the letters that mark the pieces of each nation: the first two of its name."""
    return {nation: card.name[:2] for nation, card in cards.nations.items()}


FIRST_CARDS: Final = "italia-1-v1.json"
"""The cards of version 1 of Italia I, which bring Hamilcar and Duilius apart from the units that come with them."""


class Italia(Ruleset[Table]):
    """Andreas Steding's game of 2006, from an Italian translation with the FAQ."""

    game: ClassVar[Game]
    changes: ClassVar[tuple[Change, ...]] = CHANGES
    board = "italia"
    setup = Options
    documents: ClassVar[Mapping[str, type[Struct]]] = {"cards": Deck}
    view_type = view.View
    chapters = CHAPTERS
    dice: ClassVar[Mapping[str, tuple[str, ...]]] = {DIE: FACES}
    chance = CHANCE
    kinds: ClassVar[Mapping[str, str]] = {
        name: kind for kind in (*KINDS, FLEET) for name in (kind, kind.replace("-", "_"))
    }
    defaults: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "aim-unit": ("aim-unit",),
        "announce": ("end-announcing",),
        "arrive": ("end-arrival",),
        "buy": ("buy",),
        "campaign": ("end-campaign",),
        "choose-battle": ("fight",),
        "convert": ("convert",),
        "declare-naval-battles": ("end-naval-declaration",),
        "declare-targets": ("declare-targets",),
        "drive-off": ("drive-off",),
        "leave": ("retreat",),
        "leave-for-points": ("stay",),
        "levy": ("levy-units",),
        "march-or-pass": ("pass",),
        "move": (
            "end-movement",
            "disband",
        ),
        "place": ("place",),
        "place-successors": ("place-successors",),
        "react": ("end-reaction",),
        "rebuild": ("end-rebuilding",),
        "remove-units": ("leave",),
        "repair": ("repairs",),
        "retreat": ("stand",),
        "revolt": ("stay-subject",),
        "save-cargo": ("save-cargo",),
        "sink-fleets": ("sink-fleets",),
        "spend-tribute": ("spend-tribute",),
        "spoils": ("keep-city",),
        "stacking": ("remove-excess",),
        "submit": ("resist",),
        "take-title": ("decline-title",),
    }
    landmarks: ClassVar[Mapping[type[KernelEvent[Any]], str]] = {
        battle.BattleBegan: "battle",
        battle.BattleEnded: "battle-end",
        cities.CitySacked: "sack",
        raids.RaidEnded: "raid",
        submission.NationSubmitted: "submission",
        transformations.NationLeft: "transformation",
        scoring.PointsScored: "scoring",
        winning.GameWon: "victory",
    }
    charts: ClassVar[Mapping[str, str]] = {"points": "points", "territory": "areas"}
    mass_nouns: ClassVar[tuple[str, ...]] = (*MASS_NOUNS, "gold")
    guises: ClassVar[Mapping[str, str]] = {"campaigner": "leader"}
    colours: ClassVar[Mapping[Seat, str]] = marks.COLOURS

    @cached_property
    def rules(self) -> Rules:
        """The switches of this version."""
        return switched(Rules(), self.changes, self.version)

    @cached_property
    def cards(self) -> Cards:
        """The cards that come with the project."""
        return Cards.of(builtin(self.game))

    @cached_property
    def data(self) -> Data:
        """The figures of this game."""
        return data_of(self.game)

    @property
    def players(self) -> tuple[int, ...]:
        return (len(self.cards.seats),)

    def seats(self, players: int, choices: Any = None) -> tuple[Seat, ...]:
        return self.cards.seats if players in self.players else ()

    def faults(self, documents: Mapping[str, Any], board: Board) -> Iterable[str]:
        return (f"cards: {fault}" for fault in faults.faults(documents["cards"], board, self.game))

    def lay(self, seats: tuple[Seat, ...], setup: Options, board: Board) -> Table:
        return bare(self.data, _cards_of(board), self.rules, setup, board)

    def open(self, draft: Draft[Table]) -> None:
        setup.open(draft)

    def imagine(self, draft: Draft[Table], view: view.View, seat: Seat, rng: Random) -> None:
        imagine(draft, view, seat, rng)

    def step(self, table: Table) -> Step[Table]:
        return course.step(table)

    def words_on(self, board: Board) -> Mapping[str, str]:
        return _words_on(board)

    def nations_on(self, board: Board) -> Mapping[str, str]:
        return _letters(_cards_of(board))

    def printed(self, board: Board) -> Mapping[AreaId, tuple[Mark, ...]]:
        return marks.printed(board)

    def papers(self, board: Board, names: Names) -> Papers:
        return papers.of(_cards_of(board), names)

    def marks(self, view: view.View, names: Names) -> Marks:
        return marks.of(view, names)

    def view(self, table: Table, vault: Vault) -> view.View:
        return view.of(table, vault)

    def result(self, table: Table) -> Result | None:
        return Result(tuple(table.winners), table.won_by) if table.winners else None

    def order(self, table: Table) -> Order:
        return winning.order(table)

    def heading(self, table: Table) -> str:
        if table.turn is not None:
            return f"Round {table.round}, {table.names(table.turn.nation)}: {sequence.phase(table)}"
        return f"Round {table.round}: {table.stage.replace('-', ' ')}" if table.round else "Set-up"

    def round(self, table: Table) -> int:
        return table.round

    def turn(self, table: Table) -> tuple[Seat, int] | None:
        return (table.seat_of(table.turn.nation), table.round) if table.turn is not None else None

    def score(self, table: Table) -> dict[Seat, dict[str, Figure]]:
        scores: dict[Seat, dict[str, Figure]] = {}
        points = winning.points_of(table)
        for seat in table.seats:
            own = [nation for nation in table.nations if table.seat_of(nation) == seat]
            scores[seat] = {
                "points": halved(points[seat]),
                "areas": sum(map(table.size_of, own)),
                "units": sum(sum(table.on_board(nation).values()) for nation in own),
                "gold": sum(table.nations[nation].gold for nation in own),
            }
        return scores

    def score_of_nations(self, table: Table) -> dict[Seat, dict[str, dict[str, Figure]]]:
        scores: dict[Seat, dict[str, dict[str, Figure]]] = {seat: {} for seat in table.seats}
        for nation, standing in table.nations.items():
            figures: dict[str, Figure] = {"points": halved(standing.points), "areas": table.size_of(nation)}
            scores[table.seat_of(nation)][nation] = figures
        return scores

    def battle(self, table: Table, names: Names) -> Battle | None:
        return fight.of(table, names)

    def rolled(self, event: KernelEvent[Table], before: Table | None = None) -> Iterable[Rolled]:
        match event:
            case battle.BattleRolled():
                return tuple(
                    Rolled(
                        DIE,
                        throw.faces,
                        self._seat_of(throw.nation),
                        throw.draw,
                        throw.hits,
                        throw.nation,
                        struck(throw),
                    )
                    for throw in (event.attacker, event.defender)
                )
            case deserters.ElephantsMet() | deserters.FoederatiDeserted() | civil_war.UnitsDefected():
                return (Rolled(DIE, event.faces, self._seat_of(event.nation), event.draw),) if event.faces else ()
            case declaring.TieRolled():
                return (Rolled(DIE, event.faces, None, event.draw),)
            case _:
                return ()

    def _seat_of(self, nation: NationId) -> Seat:
        return self.cards.nations[nation].seat

    def arrange(self, position: Mapping[str, Any], board: Board) -> Table:
        return arrange(position, self.data, _cards_of(board), self.rules, board)


class ItaliaI(Italia):
    """The Republic: three players, ten rounds."""

    id = "italia-1"
    title = "Italia I"
    game = "italia-1"
    changes = CHANGES_OF_1
    chapters = CHAPTERS_OF_1
    chance: ClassVar[Mapping[type[KernelEvent[Any]], tuple[Evidence, ...]]] = {
        **CHANCE,
        civil_war.UnitsDefected: (Dice(DIE),),
    }
    words: ClassVar[Mapping[str, str]] = {**Cards.of(builtin("italia-1")).names, **DISPLAY_NAMES}
    nations: ClassVar[Mapping[str, str]] = _letters(Cards.of(builtin("italia-1")))

    def own_document(self, name: str) -> Struct:
        if self.rules.company_stays_together:
            return super().own_document(name)
        return cards.read(self._beside(name).joinpath(FIRST_CARDS).read_bytes())


class ItaliaII(Italia):
    """The migrations: four players, ten rounds."""

    id = "italia-2"
    title = "Italia II"
    game = "italia-2"
    chapters = CHAPTERS_OF_2
    words: ClassVar[Mapping[str, str]] = {**Cards.of(builtin("italia-2")).names, **DISPLAY_NAMES}
    nations: ClassVar[Mapping[str, str]] = _letters(Cards.of(builtin("italia-2")))
