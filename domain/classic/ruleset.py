"""Conquest of the Empire Classic: the chapters wired up, once for each edition."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, ClassVar, Final

from domain.classic import course
from domain.classic.box.editions import EDITIONS, Edition
from domain.classic.box.table import Table
from domain.classic.combat import battle, capture, conquest, losses, naval, phase, pursuit, retreat
from domain.classic.diplomacy import alliance, ransom, talks
from domain.classic.display import fight, marks, view
from domain.classic.display.view import imagine
from domain.classic.economy import destruction, placement, purchase, tribute
from domain.classic.moves import grants, movement, passage, roads, sea
from domain.classic.start import setup
from domain.classic.start.position import arrange
from domain.classic.start.setup import Setup, bare
from domain.classic.turn import inflation, turn, winning
from domain.conquest import dice
from domain.conquest.dice import FACES, WORTH
from domain.conquest.marks import LOOKS
from domain.conquest.pieces import MASS_NOUNS, NO_UNITS, Units
from domain.conquest.seats import COLOURS
from domain.kernel.chance.evidence import Dice, Evidence, Lots
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.board import Board, Map
from domain.kernel.rules.course import Step
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.marks import Battle, Mark, Marks
from domain.kernel.rules.message import Event as KernelEvent
from domain.kernel.rules.message import Names
from domain.kernel.rules.ruleset import Result, Rolled, Ruleset
from domain.kernel.rules.schema import Random
from domain.kernel.rules.versions import switched

CHAPTERS = (
    setup,
    turn,
    movement,
    roads,
    passage,
    grants,
    sea,
    phase,
    battle,
    losses,
    retreat,
    pursuit,
    naval,
    conquest,
    capture,
    tribute,
    destruction,
    purchase,
    inflation,
    placement,
    ransom,
    talks,
    alliance,
    winning,
)

CHANCE: Mapping[type[KernelEvent[Any]], tuple[Evidence, ...]] = {
    battle.LegionRolled: (Dice("battle"),),
    naval.GalleysRolled: (Dice("battle"),),
    pursuit.PursuitRolled: (Dice("battle"),),
}


class Classic(Ruleset[Table]):
    """One edition of Conquest of the Empire Classic."""

    setup = Setup
    view_type = view.View
    chapters = CHAPTERS
    die: ClassVar[Mapping[str, int]] = {face: number for number, face in enumerate(FACES, start=1)}
    dice: ClassVar[Mapping[str, tuple[str, ...]]] = {"battle": FACES}
    worth: ClassVar[Mapping[str, Mapping[str, int]]] = WORTH
    kinds: ClassVar[Mapping[str, str]] = {
        **LOOKS,
        "cities": "city",
        "fortifications": "fortification",
        "roads": "road",
    }
    mass_nouns: ClassVar[tuple[str, ...]] = MASS_NOUNS
    guises: ClassVar[Mapping[str, str]] = {"fortified-city": "city"}
    defaults: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "announce": ("announce",),
        "answer-offer": ("answer-ransom",),
        "answer-passage": ("answer-passage",),
        "answer-strait-retreat": ("answer-retreat",),
        "buy": ("finish-purchase",),
        "destroy": ("finish-destruction",),
        "fight": (
            "finish-combat",
            "spare-leaders",
            "decline-naval-battle",
        ),
        "form-legion": ("form-legion",),
        "judge-general": ("judge-general",),
        "mark-losses": ("mark-losses",),
        "mark-pursued": ("mark-pursued",),
        "mark-sunk": ("mark-sunk",),
        "move": ("finish-movement",),
        "negotiate": ("waive-talks",),
        "pass-on": (
            "finish-movement",
            "march",
        ),
        "pick-home": ("pick-home",),
        "place": ("finish-turn",),
        "place-rescued": ("place-rescued",),
        "withdraw": ("withdraw",),
    }
    cheapest = ("infantry", "cavalry", "catapults")
    landmarks: ClassVar[Mapping[type[KernelEvent[Any]], str]] = {
        battle.BattleBegan: "battle",
        battle.BattleEnded: "battle-end",
        naval.NavalBattleBegan: "naval-battle",
        naval.NavalBattleEnded: "naval-battle-end",
        conquest.ProvinceConquered: "conquest",
        capture.CaesarCaptured: "fall",
        winning.GameWon: "victory",
    }
    acclaims = winning.ProposeWinner
    charts: ClassVar[Mapping[str, str]] = {"tribute": "tribute", "territory": "provinces"}
    colours: ClassVar[Mapping[Seat, str]] = COLOURS
    published: ClassVar[Edition]
    """The edition as its first version plays it."""

    @cached_property
    def edition(self) -> Edition:
        """The edition as this version plays it."""
        return switched(self.published, self.changes, self.version)

    @property
    def players(self) -> tuple[int, ...]:
        return tuple(self.edition.homes)

    def seats(self, players: int, choices: Any = None) -> tuple[Seat, ...]:
        return setup.seats(self.edition, players, choices or Setup())

    def lay(self, seats: tuple[Seat, ...], setup: Setup, board: Board) -> Table:
        return bare(self.edition, Map.of(board), seats, setup)

    def open(self, draft: Draft[Table]) -> None:
        setup.open(draft)

    def imagine(self, draft: Draft[Table], view: view.View, seat: Seat, rng: Random) -> None:
        imagine(draft.table, view)

    def step(self, table: Table) -> Step[Table]:
        return course.step(table)

    def printed(self, board: Board) -> Mapping[AreaId, tuple[Mark, ...]]:
        return marks.printed(board)

    def marks(self, view: view.View, names: Names) -> Marks:
        return marks.of(view, names)

    def out(self, table: Table) -> frozenset[Seat]:
        return frozenset(table.players).difference(table.playing())

    def view(self, table: Table, vault: Vault) -> view.View:
        return view.of(table)

    def result(self, table: Table) -> Result | None:
        return Result((table.winner,), table.won_by) if table.winner is not None else None

    def heading(self, table: Table) -> str:
        return f"Round {table.round}, {table.active.title()}: {table.phase}" if table.active else "Setup"

    def round(self, table: Table) -> int:
        return table.round if table.active else 0

    def turn(self, table: Table) -> tuple[Seat, int] | None:
        return (table.active, table.round) if table.active else None

    def score(self, table: Table) -> dict[Seat, dict[str, int]]:
        scores = {
            seat: {"tribute": 0, "provinces": 0, "cities": 0, "units": 0, "talents": each.talents}
            for seat, each in table.players.items()
        }
        for area, province in table.provinces.items():
            if province.owner is not None:
                owner = scores[province.owner]
                owner["provinces"] += 1
                owner["cities"] += province.city
                owner["tribute"] += table.value_of(area)
            if province.armies:
                for seat, army in province.armies.items():
                    scores[seat]["units"] += army.size
        for galley in table.galleys.values():
            scores[galley.owner]["units"] += galley.cargo.total
        return scores

    def battle(self, table: Table, names: Names) -> Battle | None:
        return fight.of(table, names)

    def rolled(self, event: KernelEvent[Table], before: Table | None = None) -> Iterable[Rolled]:
        match event:
            case battle.LegionRolled():
                struck = () if before is None else dice.struck(event.faces, battle.matching_units(before, event.seat))
            case naval.GalleysRolled():
                struck = dice.struck(event.faces, NO_UNITS, event.hits)
            case pursuit.PursuitRolled():
                struck = dice.struck(event.faces, Units(cavalry=event.hits))
            case _:
                return ()
        return (Rolled("battle", event.faces, event.seat, event.draw, event.hits, struck=struck),)

    def arrange(self, position: Mapping[str, Any], board: Board) -> Table:
        return arrange(position, self.edition, board)


def ruleset_of(edition: Edition) -> Classic:
    """Return the newest version of an edition's ruleset."""
    homes: dict[str, tuple[str, ...]] = {str(players): homes for players, homes in edition.homes.items()}

    class Published(Classic):
        id = edition.id
        title = edition.title
        board = edition.board
        chance: ClassVar[Mapping[type[KernelEvent[Any]], tuple[Evidence, ...]]] = {
            **CHANCE,
            setup.HomesDrawn: (Lots((), ("homes",), homes),),
        }
        changes = edition.changes
        published = edition

    return Published()


RULESETS: Final = tuple(map(ruleset_of, EDITIONS))
"""The editions, each in its newest version."""
