"""Mare Nostrum: the chapters wired up."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, ClassVar, Final

from domain.kernel.chance.evidence import Dice, Evidence, Lots
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, PlayerId, Seat
from domain.kernel.rules.board import Board, Map
from domain.kernel.rules.course import Step
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.marks import Battle, Mark, Marks
from domain.kernel.rules.message import Event as KernelEvent
from domain.kernel.rules.message import Names
from domain.kernel.rules.papers import Papers
from domain.kernel.rules.ruleset import Result, Rolled, Ruleset
from domain.kernel.rules.schema import Random
from domain.kernel.rules.versions import Change, switched
from domain.mare_nostrum import course
from domain.mare_nostrum.box.data import BANK, CARDS, SUPPLY
from domain.mare_nostrum.box.editions import CHANGES, Rules
from domain.mare_nostrum.box.phrases import MASS_NOUNS
from domain.mare_nostrum.box.state import Setup
from domain.mare_nostrum.box.table import Table
from domain.mare_nostrum.combat import aftermath, battle, losses, military, naval
from domain.mare_nostrum.display import fight, marks, papers, view
from domain.mare_nostrum.display.view import imagine
from domain.mare_nostrum.economy import construction, discard, income, influence, takes, trade
from domain.mare_nostrum.heroes import acquisition, exchange, helen, ulysses
from domain.mare_nostrum.moves import fleets, legions
from domain.mare_nostrum.start import founding, setup
from domain.mare_nostrum.start.position import arrange, conceal
from domain.mare_nostrum.start.setup import bare, fit
from domain.mare_nostrum.turn import order, roles, turn, war, winning

CHAPTERS = (
    setup,
    founding,
    turn,
    roles,
    income,
    trade,
    takes,
    ulysses,
    order,
    construction,
    influence,
    acquisition,
    exchange,
    discard,
    fleets,
    naval,
    legions,
    military,
    helen,
    battle,
    losses,
    aftermath,
    war,
    winning,
)

CHANCE: Mapping[type[KernelEvent[Any]], tuple[Evidence, ...]] = {
    battle.BattleRolled: (Dice("battle", ("attacker",)), Dice("battle", ("defender",))),
    naval.TriremesRolled: (Dice("battle", ("attacker",)), Dice("battle", ("defender",))),
    setup.CivilizationsDealt: (Lots((), ("order",)),),
    founding.FoundersDrawn: (Lots((), ("order",)),),
    setup.RoleCardsDealt: (Lots(),),
}

FIRST_BOARD: Final = "mare-nostrum-1"
"""The board of version 1; it has the id of its successor, and is drawn on the same map."""


class MareNostrum(Ruleset[Table]):
    """Serge Laget's game of 2003."""

    id = "mare-nostrum"
    title = "Mare Nostrum"
    changes: ClassVar[tuple[Change, ...]] = CHANGES
    board = "mare-nostrum"
    setup = Setup
    view_type = view.View
    chapters = CHAPTERS
    dice: ClassVar[Mapping[str, tuple[str, ...]]] = {"battle": tuple("123456")}
    chance = CHANCE
    defaults: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "build": ("finish-construction",),
        "campaign": ("finish-campaign",),
        "choose-good": ("choose-good",),
        "exploit": ("occupy",),
        "found": ("finish-founding",),
        "give-card": ("give-card",),
        "give-role": ("give-role",),
        "keep": ("keep",),
        "keep-posts": ("keep-posts",),
        "name-builder": ("name-builder",),
        "name-commander": ("name-commander",),
        "name-number": ("name-number",),
        "offer": ("offer",),
        "redirect": ("let-stand",),
        "remove-losses": ("remove-losses",),
        "seduce": ("refrain",),
        "take": ("take",),
        "take-instead": ("take-instead",),
    }
    cheapest = ("legion", "trireme", "fortress")
    landmarks: ClassVar[Mapping[type[KernelEvent[Any]], str]] = {
        battle.BattleBegan: "battle",
        battle.BattleEnded: "battle-end",
        naval.NavalBattleBegan: "naval-battle",
        naval.NavalBattleEnded: "naval-battle-end",
        aftermath.ProvinceOccupied: "conquest",
        aftermath.ProvincePillaged: "conquest",
        aftermath.ConversionBegan: "conquest",
        winning.GameWon: "victory",
    }
    charts: ClassVar[Mapping[str, str]] = {"territory": "provinces", "points": "cards"}
    words: ClassVar[Mapping[str, str]] = {card.id: card.name for card in CARDS.values()} | {"number": "cards"}
    mass_nouns: ClassVar[tuple[str, ...]] = MASS_NOUNS
    kinds: ClassVar[Mapping[str, str]] = {
        **{resource: resource for resource in BANK},
        **{card.id: card.kind for card in CARDS.values()},
    }
    colours: ClassVar[Mapping[Seat, str]] = marks.COLOURS

    def __init__(self, version: int | None = None) -> None:
        super().__init__(version)
        if not self.rules.level_board:
            self.board = FIRST_BOARD

    @cached_property
    def rules(self) -> Rules:
        """The switches of this version."""
        return switched(Rules(), self.changes, self.version)

    @property
    def players(self) -> tuple[int, ...]:
        return tuple(SUPPLY)

    def seats(self, players: int, choices: Any = None) -> tuple[Seat, ...]:
        return setup.seats(players, choices or Setup())

    def kept_seats(self, choices: Setup) -> Mapping[Seat, PlayerId]:
        return {Seat(leader.civilization): leader.player for leader in choices.leaders or ()}

    def lay(self, seats: tuple[Seat, ...], setup: Any, board: Board) -> Table:
        table = bare(Map.of(board), self.rules, setup, seats)
        fit(table)
        return table

    def open(self, draft: Draft[Table]) -> None:
        setup.open(draft)

    def imagine(self, draft: Draft[Table], view: view.View, seat: Seat, rng: Random) -> None:
        imagine(draft, view, seat, rng)

    def step(self, table: Table) -> Step[Table]:
        return course.step(table)

    def printed(self, board: Board) -> Mapping[AreaId, tuple[Mark, ...]]:
        return marks.printed(board)

    def papers(self, board: Board, names: Names) -> Papers:
        return papers.of()

    def marks(self, view: view.View, names: Names) -> Marks:
        return marks.of(view)

    def view(self, table: Table, vault: Vault) -> view.View:
        return view.of(table, vault)

    def result(self, table: Table) -> Result | None:
        return Result((table.winner,), table.won_by) if table.winner is not None else None

    def heading(self, table: Table) -> str:
        return f"Turn {table.turn}: {table.phase}" if table.turn else "Set-up"

    def round(self, table: Table) -> int:
        return table.turn

    def turn(self, table: Table) -> tuple[Seat, int] | None:
        if table.active is None or table.phase not in ("construction", "military"):
            return None
        return table.active, 2 * table.turn + (table.phase == "military")

    def score(self, table: Table) -> dict[Seat, dict[str, int]]:
        scores: dict[Seat, dict[str, int]] = {}
        for seat in table.seats:
            pieces = table.on_board(seat)
            scores[seat] = {
                "cards": len(table.cards[seat]),
                "provinces": pieces["influence"],
                "units": pieces["legion"] + pieces["fortress"] + pieces["trireme"],
                "hand": table.hands[seat].count,
            }
        trade, cities = roles.totals(table, "director-of-commerce"), roles.totals(table, "political-leader")
        for seat, score in scores.items():
            score["trade"] = trade[seat]
            score["cities"] = cities[seat]
        return scores

    def battle(self, table: Table, names: Names) -> Battle | None:
        return fight.of(table, names)

    def rolled(self, event: KernelEvent[Table], before: Table | None = None) -> Iterable[Rolled]:
        match event:
            case battle.BattleRolled() | naval.TriremesRolled():
                throws = [throw for throw in (event.attacker, event.defender) if throw.faces]
                return tuple(
                    Rolled("battle", tuple(map(str, throw.faces)), throw.player, throw.draw, throw.hits)
                    for throw in throws
                )
            case _:
                return ()

    def arrange(self, position: Mapping[str, Any], board: Board) -> Table:
        return arrange(position, self.rules, board)

    def conceal(self, draft: Draft[Table], position: Mapping[str, Any]) -> None:
        conceal(draft, position)
