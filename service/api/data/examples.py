"""The file in which a player of the scene gets their data."""

import msgspec

from service.api.accounts.bodies import token_view
from service.api.data.bodies import DataEnd, DataLine, GamePart, OwnEmail, own_account
from service.api.notifications.bodies import InboxSettings
from service.api.players.bodies import RecoveryCodesLeft
from service.api.scene import BOTS, Example, Scene


def examples(scene: Scene) -> dict[str, Example]:
    game, owner = scene.now, scene.players[0]
    seat = next(seat for seat, holder in game.players.items() if holder == owner.player)
    lines = (
        DataLine(account=own_account(owner)),
        DataLine(token=token_view(BOTS)),
        DataLine(recovery_codes=RecoveryCodesLeft(9)),
        DataLine(inbox=InboxSettings()),
        DataLine(email=OwnEmail("livia@example.org", "on", turns=True, daily=False)),
        DataLine(game=GamePart(game.id, "organizer")),
        DataLine(game=GamePart(game.id, "seat", seat)),
    )
    all_lines = (*lines, DataLine(end=DataEnd(len(lines))))
    return {"exportMe": Example("".join(f"{msgspec.json.encode(line).decode()}\n" for line in all_lines))}
