"""The end of the game (CS-END-05 to CS-END-07)."""

from domain.campaign.box.table import Event, Table
from domain.campaign.turn import scoring, season, taxes
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names
from domain.kernel.rules.ruleset import Order


class GameWon(Event, frozen=True):
    """The last season was over: most victory points win (CS-END-06), then most influence (CS-END-07)."""

    rules = ("CS-END-05", "CS-END-06", "CS-END-07")

    winners: tuple[Seat, ...]
    rule: RuleId

    def apply(self, table: Table) -> None:
        table.winners[:] = self.winners
        table.won_by, table.phase = self.rule, "over"

    def tell(self, names: Names) -> str:
        return f"{names.all(self.winners)} won the game."


def end_season(draft: Draft[Table]) -> None:
    """Collect taxes, score, and end the season; after the last one, the game (CS-SEA-01)."""
    taxes.collect(draft)
    scoring.score(draft)
    season.end(draft)
    table = draft.table
    if table.season == table.seasons:
        draft.emit(_victory(table))


def _victory(table: Table) -> GameWon:
    most = max(player.points for player in table.players.values())
    first = [seat for seat in table.seats if table.players[seat].points == most]
    tokens = {seat: table.influence_of(seat) for seat in first}
    winners = [seat for seat in first if tokens[seat] == max(tokens.values())]
    return GameWon(tuple(winners), RuleId("CS-END-06" if len(first) == 1 else "CS-END-07"))


def order(table: Table) -> Order:
    """Return the seats in groups by victory points (CS-END-06); those with the most also by influence (CS-END-07)."""
    most = max(player.points for player in table.players.values())

    def standing(seat: Seat) -> tuple[int, int]:
        points = table.players[seat].points
        return points, table.influence_of(seat) if points == most else 0

    by_standing: dict[tuple[int, int], tuple[Seat, ...]] = {}
    for seat in table.seats:
        by_standing[standing(seat)] = (*by_standing.get(standing(seat), ()), seat)
    return tuple(by_standing[each] for each in sorted(by_standing, reverse=True))


EVENTS = (GameWon,)
