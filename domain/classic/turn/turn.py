"""The turn: its six phases and who comes next (chapter TRN)."""

from msgspec.structs import replace

from domain.classic.box.pieces import GALLEY_MOVES, LEADER_MOVES, Army
from domain.classic.box.state import Phase
from domain.classic.box.table import Event, Table
from domain.classic.turn import inflation, winning
from domain.kernel.ids import Seat
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names


class TurnBegan(Event, frozen=True):
    """A player's turn began with phase 1; all pieces have all their movement points (CC-PCS-08)."""

    rules = ("CC-PCS-08",)

    seat: Seat
    round: int

    def apply(self, table: Table) -> None:
        table.active, table.round, table.phase = self.seat, self.round, "movement"
        table.landings.clear()
        changed = [
            name for name, place in table.provinces.items() for army in place.armies.values() if not army.is_rested
        ]
        for name in changed:
            armies = table.provinces[name].armies
            table.change_province(name, armies={seat: Army(fresh=army.units) for seat, army in armies.items()})
        for name, leader in table.leaders.items():
            if leader.moves != LEADER_MOVES:  # leaders who marched or landed have spent some
                table.leaders[name] = replace(leader, moves=LEADER_MOVES, marched=False, landed=False)
        for name, galley in table.galleys.items():
            if galley.moves != GALLEY_MOVES:  # galleys that came to a coast have spent some
                table.galleys[name] = replace(galley, moves=GALLEY_MOVES, came_from=None)

    def tell(self, names: Names) -> str:
        return f"Round {self.round}: it is {names(self.seat)}'s turn."


class PhaseBegan(Event, frozen=True):
    """The next phase of the turn began (CC-TRN-03)."""

    rules = ("CC-TRN-03",)

    phase: Phase

    def apply(self, table: Table) -> None:
        table.phase = self.phase
        table.journey = table.request = None
        table.passages.clear()

    def tell(self, names: Names) -> str:
        return f"The {self.phase} phase began."


def enter(draft: Draft[Table], phase: Phase) -> None:
    """Begin a phase of the turn that is under way."""
    draft.emit(PhaseBegan(phase))


def begin(draft: Draft[Table]) -> None:
    """Begin the first turn of the game (CC-TRN-02)."""
    draft.emit(TurnBegan(draft.table.order[0], 1))


def end(draft: Draft[Table]) -> None:
    """End the turn and begin that of the next player in the order; the turns of the fallen are skipped (CC-TRN-06)."""
    table = draft.table
    assert table.active is not None, "a turn is under way"
    place, game_round = table.order.index(table.active), table.round
    while True:
        place = (place + 1) % len(table.order)
        if place == 0:
            winning.end_round(draft)
            game_round += 1
        seat = table.order[place]
        # Prices rise on the turn of a player even when that turn is skipped (CC-INF-11).
        inflation.turn_starts(draft, seat, game_round)
        if table.players[seat].fallen_to is None:
            draft.emit(TurnBegan(seat, game_round))
            return


EVENTS = (TurnBegan, PhaseBegan)
