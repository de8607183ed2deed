"""How the game of a table ended, for its tournament (TAB-TRN-14)."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from domain.kernel.ids import PlayerId, Seat, Version
from domain.kernel.log.ending import How, finish
from domain.kernel.log.game import Game
from domain.kernel.log.history import read_around
from domain.kernel.log.lifecycle import GameEnded, SeatLeft, SeatsMoved, SeatTaken, SeatTakenOver
from domain.kernel.log.record import Record
from domain.kernel.log.seated import SeatAssigned
from domain.kernel.rules.message import type_name
from domain.kernel.rules.ruleset import Order as SeatOrder
from domain.tournament.events import Order
from domain.tournament.field import Table


class Outcome(Struct, frozen=True):
    """How a game ended, in terms of the players of its table. The attributes are those of `ResultTaken`."""

    order: Order
    how: How
    rule: str
    version: Version
    hash: str
    left: tuple[PlayerId, ...]


def players_of(records: Iterable[Record], table: Table) -> dict[Seat, PlayerId]:
    """Return the player of the table for whom each seat of a game counts: the last player of the table who held it.

    If that player was replaced, the seat counts for the substitute, even one who did not take it over (TAB-TRN-13).
    """
    players_known = {*table.players, *table.away}
    holders: dict[Seat, PlayerId] = {}
    for record in records:
        match read_around(record):
            case SeatTaken(seat, player) | SeatAssigned(seat, player) | SeatTakenOver(seat, player):
                holders[seat] = player if player in players_known or seat not in holders else holders[seat]
            case SeatLeft(seat):
                holders.pop(seat, None)
            case SeatsMoved(players):
                holders = dict(players)
            case _:
                pass
    return {seat: table.seated_for(player) for seat, player in holders.items() if player in players_known}


def outcome_of(game: Game, records: Sequence[Record], table: Table) -> Outcome | None:
    """Return how a game ended for the players of its table; None while it goes on, or when it is not their game.

    `records` is its whole log. A player counts as having left when somebody else held the seat at the end, or nobody
    did: they gave it up, resigned, or lost it by the clock.
    """
    end, players = finish(game), players_of(records, table)
    if end is None or sorted(players.values()) != sorted(table.players):
        return None
    end_record = next(record for record in reversed(records) if record.type == type_name(GameEnded))
    given_up = game.around.given_up
    leavers_of_game = {
        player for seat, player in players.items() if _has_left(game, seat, player, table) or seat in given_up
    }
    leavers = tuple(player for player in table.players if player in leavers_of_game)
    return Outcome(
        in_players(end.order, players), end.how, end.rule, end_record.version, end_record.hash.hex(), leavers
    )


def _has_left(game: Game, seat: Seat, player: PlayerId, table: Table) -> bool:
    holder = game.players[seat]
    return holder is None or table.seated_for(holder) != player


def in_players(order: SeatOrder, players: dict[Seat, PlayerId]) -> Order:
    """Return an order of seats with the players for whom they count in their place."""
    return tuple(tuple(players[seat] for seat in tied) for tied in order)
