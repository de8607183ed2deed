"""Examples of the endpoints for tokens and accounts."""

import msgspec

from domain.kernel.chance.secret import Vault
from service.api.accounts.bodies import (
    AccountPage,
    Grant,
    Issued,
    LoggedEvent,
    LogPage,
    Rotation,
    TokenPage,
    account_view,
    token_view,
)
from service.api.scene import AT, BOTS, FIRST, GAME, Example, Scene
from service.base.scopes import EVERYBODYS
from service.games.views import Viewer, event_view
from service.store.accounts import TokenRow


def examples(scene: Scene) -> dict[str, Example]:
    owner = scene.players[0]
    first = TokenRow(FIRST, owner.player, "registration", owner.scopes, AT, used=AT)
    issued = Issued("tab_kH3d9s0aQw7xZr5tY2uI4oP6lM8nB1vC3xZ5aS7dF9g", token_view(BOTS))
    page = TokenPage((token_view(BOTS), token_view(first)))
    revoked = token_view(msgspec.structs.replace(BOTS, revoked=AT))
    auditor = msgspec.structs.replace(scene.players[1], scopes=(*EVERYBODYS, "audit"))
    logged = LoggedEvent(GAME, event_view(scene.ruleset.id, scene.given.records[0], Vault(), Viewer()))
    return {
        "listTokens": Example(page),
        "makeToken": Example(issued, {"name": BOTS.name, "scopes": ["play"], "expires": "2027-02-19T18:00:00Z"}),
        "rotateToken": Example(issued, Rotation(overlap=300)),
        "revokeToken": Example(revoked),
        "listAccounts": Example(AccountPage((account_view(auditor),), None)),
        "listTokensOf": Example(page),
        "grantScopes": Example(account_view(auditor), Grant(auditor.scopes)),
        "closeAccount": Example(account_view(msgspec.structs.replace(owner, closed=AT))),
        "readLog": Example(LogPage((logged,), "1207", last=True)),
    }
