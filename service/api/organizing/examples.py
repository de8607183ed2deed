"""Examples of the endpoints for organizers."""

from typing import Final

import msgspec
from msgspec.structs import replace

from domain.kernel.ids import GameId, PlayerId
from domain.kernel.log import seating
from domain.kernel.log.record import Cause
from service.api.organizing.bodies import (
    Bulk,
    BulkGame,
    BulkGameView,
    Consent,
    Consents,
    NewBulk,
    SeatAssignment,
    SeatConfirmation,
    StreamedBulk,
)
from service.api.organizing.rematches import Asked, Rematch, Rematches
from service.api.scene import AT, GAME, Example, Scene
from service.store.organizing import BulkId

BULK: Final = BulkId("bq2m7x4k9v6c3n8wzt")
_STARTS: Final = "2026-11-27T19:00:00.000000Z"


def examples(scene: Scene) -> dict[str, Example]:
    friend, me = PlayerId("p9b4n7w2c5x8k3m6t"), scene.players[0].player
    game, seat = scene.created.game, next(iter(scene.created.game.players))
    assigned = seating.assign_seat(game, seat, friend, Cause(me), AT)
    confirmed = seating.confirm_seat(assigned.game, seat, "dice of a friend", Cause(friend), AT)
    consent = Consent(friend, AT)
    wish = NewBulk(
        (
            BulkGame(scene.ruleset.id, len(scene.players), "Table 1", seats={seat: friend}),
            BulkGame(scene.ruleset.id, len(scene.players), "Table 2"),
        )
    )
    queued = tuple(BulkGameView(number, f"Table {number}", "queued", None, _STARTS, None, 0) for number in (1, 2))
    opened = (
        BulkGameView(1, "Table 1", "started", GAME, _STARTS, None, 3),
        BulkGameView(2, "Table 2", "waiting", GameId("gk3w7c2q9xbt5hna4"), _STARTS, None, 4),
    )
    closed = (opened[0], BulkGameView(2, "Table 2", "cancelled", opened[1].game, _STARTS, None, 6))
    frame = StreamedBulk(3, msgspec.json.encode(opened[0]).decode(), "bulk-game")
    return {
        "listConsents": Example(Consents((consent,), None)),
        "giveConsent": Example(consent),
        "withdrawConsent": Example(Consents((), None)),
        "assignSeat": Example(scene.accepted(game, assigned), SeatAssignment(friend)),
        "confirmSeat": Example(scene.accepted(assigned.game, confirmed), SeatConfirmation("dice of a friend")),
        **_rematches(scene),
        "createGames": Example(Bulk(BULK, AT, None, queued), wish),
        "showBulk": Example(Bulk(BULK, AT, None, opened)),
        "cancelBulk": Example(Bulk(BULK, AT, _STARTS, closed)),
        "streamBulk": Example(frame),
    }


def _rematches(scene: Scene) -> dict[str, Example]:
    seats = [*scene.created.game.players]
    players = tuple(
        Asked(seat, row.player, row.name, agreed=number == 0)
        for number, (seat, row) in enumerate(zip(seats, scene.players, strict=True))
    )
    offered = Rematch(1, GameId("gk3w7c2q9xbt5hna4"), "offered", _STARTS, players)
    cancelled = replace(offered, status="cancelled")
    return {
        "listRematches": Example(Rematches((offered,), None)),
        "agreeToRematch": Example(offered, SeatConfirmation("dice of mine")),
        "declineRematch": Example(cancelled),
    }
