"""Conquest of the Empire II, the Campaign game: the chapters wired up."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from domain.campaign import course
from domain.campaign.box.data import DATA, Data
from domain.campaign.box.state import CARD, SLAVES
from domain.campaign.box.table import Table
from domain.campaign.cards import cards, effects, uses
from domain.campaign.combat import battle, forces, muster, naval, retreat, revolt
from domain.campaign.display import fight, marks, papers, view
from domain.campaign.display.view import imagine
from domain.campaign.economy import influence, recruiting, special_tax
from domain.campaign.moves import cities, movement
from domain.campaign.politics import auction, senate
from domain.campaign.start import deployment, setup
from domain.campaign.start.position import arrange, conceal
from domain.campaign.start.setup import Setup, bare, fit
from domain.campaign.turn import scoring, season, taxes, turn, winning
from domain.conquest.dice import FACES, WORTH
from domain.conquest.marks import LOOKS
from domain.conquest.pieces import KINDS, MASS_NOUNS
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
from domain.kernel.rules.papers import Papers
from domain.kernel.rules.ruleset import Order, Result, Rolled, Ruleset
from domain.kernel.rules.schema import Random

CHAPTERS = (
    setup,
    season,
    auction,
    deployment,
    turn,
    cards,
    uses,
    effects,
    recruiting,
    influence,
    special_tax,
    movement,
    muster,
    battle,
    retreat,
    naval,
    cities,
    senate,
    revolt,
    taxes,
    scoring,
    winning,
)

CHANCE: Mapping[type[KernelEvent[Any]], tuple[Evidence, ...]] = {
    setup.FirstPlayerDrawn: (Lots((), ("order",)),),
    setup.InfluenceDrawn: (Lots(("lots",), ("lots", "drawn"), stock=("lots", "stock")),),
    season.TokensPlaced: (Lots(("lots",), ("lots", "drawn"), stock=("lots", "stock")),),
    season.CardsLaidOut: (Lots(("lots",), ("lots", "drawn"), stock=("lots", "stock")),),
    battle.BattleRolled: (Dice("battle", ("attacker",)), Dice("battle", ("defender",))),
    cards.SenatorStolen: (Lots(),),
    uses.SenatorKilled: (Lots(),),
    senate.SenatorsGone: (Lots(("lots",), ("lots", "drawn"), stock=("lots", "stock")),),
}


PHANTOM = {forces.group(CARD, kind): f"phantom {kind}" for kind in (*KINDS, forces.GALLEYS)}
FIELDS = {"a": "alliance A", "b": "alliance B", "amount": "talents"}
WORDS = {card.id: card.name for card in DATA.card} | PHANTOM | FIELDS


class Campaign(Ruleset[Table]):
    """The Campaign game, from the Czech edition."""

    id = "conquest-campaign"
    title = "Conquest of the Empire II (Campaign)"
    board = "conquest"
    setup = Setup
    view_type = view.View
    chapters = CHAPTERS
    die: ClassVar[Mapping[str, int]] = {face: number for number, face in enumerate(FACES, start=1)}
    dice: ClassVar[Mapping[str, tuple[str, ...]]] = {"battle": FACES}
    worth: ClassVar[Mapping[str, Mapping[str, int]]] = WORTH
    chance = CHANCE
    defaults: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "act": (
            "pass",
            "end-move",
            "end-turn",
        ),
        "bid": ("pass-bid",),
        "call-galleys": ("call-galleys",),
        "deploy": (
            "deploy",
            "deploy-galley",
        ),
        "escape": ("escape",),
        "lend": ("lend",),
        "place-legions": ("place-legions",),
        "remove-losses": ("remove-losses",),
        "retreat": ("fight-on",),
        "turn-slaves": ("turn-slaves",),
        "vote": ("pass-vote",),
        "wind": ("answer-battle",),
    }
    cheapest = ("infantry", "cavalry", "catapults", "generals", "caesar")
    landmarks: ClassVar[Mapping[type[KernelEvent[Any]], str]] = {
        season.SeasonBegan: "season",
        auction.AuctionWon: "auction",
        battle.BattleBegan: "battle",
        battle.BattleEnded: "battle-end",
        senate.VoteEnded: "vote",
        cities.CityBuilt: "city",
        cities.CityTaken: "conquest",
        winning.GameWon: "victory",
    }
    charts: ClassVar[Mapping[str, str]] = {"points": "points", "territory": "influence"}
    words: ClassVar[Mapping[str, str]] = WORDS
    mass_nouns: ClassVar[tuple[str, ...]] = (*MASS_NOUNS, "influence")
    kinds: ClassVar[Mapping[str, str]] = {
        **LOOKS,
        "generals": "general",
        **{card.id: "senator" if card.kind == "senator" else "card" for card in DATA.card},
    }
    colours: ClassVar[Mapping[Seat, str]] = COLOURS
    data: ClassVar[Data] = DATA

    @property
    def players(self) -> tuple[int, ...]:
        return setup.PLAYERS

    def seats(self, players: int, choices: Any = None) -> tuple[Seat, ...]:
        return setup.seats(players, choices or Setup())

    def lay(self, seats: tuple[Seat, ...], setup: Setup, board: Board) -> Table:
        table = bare(Map.of(board), self.data, seats, setup.seasons)
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
        return papers.of(self.data, names)

    def marks(self, view: view.View, names: Names) -> Marks:
        return marks.of(view, names)

    def view(self, table: Table, vault: Vault) -> view.View:
        return view.of(table, vault)

    def result(self, table: Table) -> Result | None:
        return Result(tuple(table.winners), table.won_by) if table.winners else None

    def order(self, table: Table) -> Order:
        return winning.order(table)

    def heading(self, table: Table) -> str:
        return course.heading(table)

    def round(self, table: Table) -> int:
        rounds = self.data.rounds
        return rounds * (table.season - 1) + table.round if table.season else 0

    def turn(self, table: Table) -> tuple[Seat, int] | None:
        return (table.turn.seat, self.round(table)) if table.turn is not None else None

    def score(self, table: Table) -> dict[Seat, dict[str, int]]:
        scores = {
            seat: {"points": player.points, "influence": 0, "talents": player.talents, "cities": 0, "units": 0}
            for seat, player in table.players.items()
        }
        for province in table.provinces.values():
            for seat, tokens in province.influence.items():
                scores[seat]["influence"] += tokens
            if province.city is not None:
                scores[province.city]["cities"] += 1
            for seat, army in province.armies.items():
                scores[seat]["units"] += army.units.total
        for fleet in table.fleets.values():
            for seat, galleys in fleet.items():
                scores[seat]["units"] += galleys
        return scores

    def battle(self, table: Table, names: Names) -> Battle | None:
        return fight.of(table, names)

    def rolled(self, event: KernelEvent[Table], before: Table | None = None) -> Iterable[Rolled]:
        match event:
            case battle.BattleRolled():
                return tuple(
                    Rolled(
                        "battle",
                        throw.faces,
                        None if throw.seat == SLAVES else throw.seat,
                        throw.draw,
                        throw.hits,
                        struck=() if before is None else battle.struck(before, throw),
                    )
                    for throw in (event.attacker, event.defender)
                    if throw is not None
                )
            case _:
                return ()

    def arrange(self, position: Mapping[str, Any], board: Board) -> Table:
        return arrange(position, self.data, board)

    def conceal(self, draft: Draft[Table], position: Mapping[str, Any]) -> None:
        conceal(draft, position)
