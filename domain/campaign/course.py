"""The course of the game: the phases of a season, a turn, and what comes up in it, in the order of the rule book.

Each step asks somebody, or does what leaves no choice. Of all that is under way, the innermost comes first: a battle
before the turn in which it is fought.
"""

from collections.abc import Mapping
from typing import Final

from domain.campaign.box.state import BattleStep, Phase
from domain.campaign.box.table import Table, turn_of
from domain.campaign.cards.uses import ready
from domain.campaign.combat import battle, muster, naval, retreat, revolt
from domain.campaign.moves import movement
from domain.campaign.politics import auction, senate
from domain.campaign.start import deployment
from domain.campaign.turn import season
from domain.campaign.turn.turn import MoveEnded, TurnBegan, TurnEnded
from domain.campaign.turn.winning import end_season
from domain.kernel.ids import RuleId
from domain.kernel.rules.course import Consequence, Step, always
from domain.kernel.rules.decision import Decision
from domain.kernel.rules.draft import Draft

BATTLE: Final[Mapping[BattleStep, Step[Table]]] = {
    "wind": naval.wind,
    "muster": muster.muster,
    "roll": always(battle.roll),
    "lose": battle.lose,
    "announce": retreat.announce,
}
"""A battle: at sea the wind, then units that join, then rounds. After a round on land, either side may retreat."""


def step(table: Table) -> Step[Table]:
    """Return the step that the game is at."""
    if table.battle is not None:
        return BATTLE[table.battle.step]
    if table.escape is not None:
        return retreat.escape
    if table.revolt is not None:
        return revolt.fight
    if table.vote is not None:
        return senate.vote
    if table.prize is not None:
        return senate.award
    return SEASON[table.phase]


def heading(table: Table) -> str:
    """Return where the game is, in words. A turn is named until the next one begins."""
    if not table.season or table.phase == "over":
        return "Game over" if table.season else "Setup"
    season = f"Season {table.season}"
    if table.phase != "actions":
        return f"{season}: {'end' if table.phase == 'season' else table.phase}"
    if table.turn is None and table.round == table.data.rounds and len(table.done) == len(table.seats):
        return f"{season}: end"
    seat = table.turn.seat if table.turn is not None else (*table.order[:1], *table.done)[-1]
    return f"{season}, round {table.round}, {seat.title()}: {_doing(table)}"


def _doing(table: Table) -> str:
    if table.battle is not None:
        return f"battle in {table.names(table.battle.place)}"
    if table.revolt is not None:
        return f"slave revolt in {table.names(table.revolt.province)}"
    return "actions" if table.vote is None and table.prize is None else "vote"


def _auctions(table: Table) -> list[Decision] | Consequence[Table]:
    return auction.next_auction(table) if table.auction is None else auction.bid(table)


def _turns(table: Table) -> list[Decision] | Consequence[Table]:
    """Let each player take a turn in turn order, then begin the next round; after the last round end the season."""
    if table.turn is not None:
        return _act(table)
    waiting = [seat for seat in table.order if seat not in table.done]
    if waiting:
        return lambda draft: draft.emit(TurnBegan(waiting[0]))
    return season.begin_round if table.round < table.data.rounds else end_season


def _act(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the active player for an action or a card; end a move or the turn when nothing is left to do (CS-ACT-06)."""
    turn = turn_of(table)
    seat = turn.seat
    if turn.land_move is not None and not movement.can_go_on(table, seat):
        return _end_move
    if turn.naval_move is not None and not naval.battles(table, seat):
        return _end_move
    may_go_on = turn.land_move is not None or turn.naval_move is not None
    if not turn.actions and not may_go_on and not ready(table, seat):
        return lambda draft: draft.emit(TurnEnded(seat, automatic=True))
    title = "What do you do?" if turn.actions else "Do you do anything else?"
    if turn.land_move is not None:
        title = f"Do you move more units from {table.names(turn.land_move.origin)}?"
    about = {"actions": turn.actions, "acquired": turn.acquired}
    remainder = f"You have {turn.actions or 'no'} action{'s' * (turn.actions != 1)} left."
    depends = f"{remainder} The next player's turn begins when you have ended yours."
    return [Decision("act", (seat,), RuleId("CS-ACT-02"), title, depends, about)]


def _end_move(draft: Draft[Table]) -> None:
    draft.emit(MoveEnded(turn_of(draft.table).seat, automatic=True))


SEASON: Final[Mapping[Phase, Step[Table]]] = {
    "season": always(season.begin),
    "auction": _auctions,
    "deployment": deployment.deploy,
    "actions": _turns,
}
"""The phases of a season (CS-SEA-01); taxes, points and its end follow the last round by themselves."""
