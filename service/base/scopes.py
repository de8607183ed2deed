"""What a token may be used for. The scopes of an account are the most that its tokens may have."""

from collections.abc import Mapping
from typing import Final, Literal, get_args

Scope = Literal["account", "play", "organize", "judge", "notify", "audit", "admin"]

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)

MEANINGS: Final[Mapping[Scope, str]] = {
    "account": "change, join and close the account, download its data, and manage its tokens, apps and ways to sign in",
    "play": "take seats, give commands, and see what those seats see",
    "organize": "create games and start them, and see what their organizer sees",
    "judge": "rule in the games whose organizer named you an official, and see everything in these games",
    "notify": "have the account told of what happens in its games, by webhooks and in its inbox",
    "audit": "read the log of all games, as spectators see it, and the list of accounts and their tokens",
    "admin": "list, create and close accounts, set their scopes, list and revoke their tokens, erase statements,"
    " and delete imports",
}

EVERYBODYS: Final[tuple[Scope, ...]] = ("account", "play", "organize", "judge", "notify")
"""The scopes of a newly registered account. Administrators grant the others."""


def ordered(scopes: frozenset[Scope] | tuple[Scope, ...]) -> tuple[Scope, ...]:
    """Return scopes in the order in which they are always shown, each once."""
    return tuple(scope for scope in SCOPES if scope in scopes)
