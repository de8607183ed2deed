"""Names of accounts: which are allowed, and the names of closed accounts."""

import re
from typing import Final

from domain.kernel.ids import PlayerId
from service.base.visible import shows
from service.store.accounts import folded

LONGEST_NAME: Final = 80

BOTS_OWN: Final = re.compile(r",\s*\w{2,}\s+bot[\W\d_]*$")
"""How names of the service's bots end ("Livia, greedy bot"). No other name may: everybody must see who is a bot."""


class BadName(ValueError):
    """A name that no account can have; `allowed` says which names are accepted."""

    def __init__(self, why: str, allowed: str) -> None:
        super().__init__(f"{why} {allowed}")
        self.why, self.allowed = why, allowed


def pseudonym(player: PlayerId) -> str:
    """Return the name of a closed account. It has a part of its id, to tell closed accounts in a game apart."""
    return f"Former player {player[1:6]}"


def valid_name(text: str) -> str | None:
    """Return a name in the form that accounts store; None for a text that cannot be a name."""
    name = text.strip()
    is_good = not _is_a_bots(name) and len(name) <= LONGEST_NAME and name.isprintable() and shows(name)
    return name if is_good else None


def _is_a_bots(name: str) -> bool:
    return BOTS_OWN.search(folded(name)) is not None


def require_name(text: str) -> str:
    """Return a name in the form that accounts store. Raises `BadName`."""
    name = valid_name(text)
    if name is None and _is_a_bots(text.strip()):
        raise BadName("This is how the service's own bots are called.", "Choose another name.")
    if name is None:
        allowed = f"Use 1 to {LONGEST_NAME} printable characters, not all of them invisible."
        raise BadName("The name cannot be printed.", allowed)
    return name
