"""The published client package, set up for the command line and the service's own bots."""

from typing import Final, Self

import httpx
import tabularium_client

_ATTEMPTS: Final = 2
"""Few: at a command line somebody waits, and bots that play for spectators try again by themselves."""


class Client(tabularium_client.Client):
    """One caller of the HTTP API: with a token a player, without one a spectator. Raises `TabulariumError`.

    Its connections ignore the proxies that the environment names.
    """

    def __init__(
        self, url: str, token: str | None = None, http: httpx.Client | None = None, *, seconds: float = 30
    ) -> None:
        """`seconds` is how long it waits for an answer."""
        super().__init__(url, token, attempts=_ATTEMPTS, http=http or httpx.Client(timeout=seconds, trust_env=False))
        self._owned = http is None

    def as_player(self, token: str) -> Self:
        """Return a caller with another token, over the same connections."""
        return type(self)(self._url, token, self._http)
