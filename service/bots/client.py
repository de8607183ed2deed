"""A client of the HTTP API, for the command line: what any other client would do, in Python."""

import re
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote

import httpx

_TOKEN: Final = re.compile("[!-~]+")


class Problem(Exception):
    """The service could not be reached, or answered with a problem (RFC 9457); the message is one line."""

    def __init__(self, message: str, document: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.document = document or {}


class Client:
    """One caller: with a token a player, without one a spectator. Raises `Problem` for a token that none can be."""

    def __init__(self, url: str, token: str | None = None, http: httpx.Client | None = None) -> None:
        if token is not None and not _TOKEN.fullmatch(token):
            raise Problem("this is not a token: tokens are printable ASCII without blanks")
        self._owned = http is None
        self._http = http or httpx.Client(base_url=url, timeout=30, trust_env=False)
        self._url = url
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._owned:
            self._http.close()

    def as_player(self, token: str) -> "Client":
        """Return another caller over the same connections."""
        return Client(self._url, token, self._http)

    def get(self, path: str, **query: Any) -> Any:
        """Return the JSON of a GET. Raises `Problem`."""
        return self._call("GET", path, params=query).json()

    def post(self, path: str, body: Any, key: str | None = None, version: int | None = None) -> Any:
        """Return the JSON of a POST; `key` makes it safe to repeat, `version` is that of the game. Raises `Problem`."""
        headers = {"Idempotency-Key": key} if key else {}
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        return self._call("POST", path, json=body, headers=headers).json()

    def put(self, path: str, body: Any) -> Any:
        """Return the JSON of a PUT. Raises `Problem`."""
        return self._call("PUT", path, json=body).json()

    def export(self, game: str) -> bytes:
        """Return a game's export. Raises `Problem`."""
        return self._call("GET", f"/v1/games/{quote(game, safe='')}/export").content

    def export_case(self, case: str) -> bytes:
        """Return a case's export. Raises `Problem`."""
        return self._call("GET", f"/v1/cases/{quote(case, safe='')}/export").content

    def export_tournament(self, tournament: str) -> bytes:
        """Return a tournament's export. Raises `Problem`."""
        return self._call("GET", f"/v1/tournaments/{quote(tournament, safe='')}/export").content

    def import_game(self, body: Any) -> Any:
        """Import a game, and return what came of it: verifying it may take a minute. Raises `Problem`."""
        return self._call("POST", "/v1/games/import", json=body, timeout=120).json()

    def _call(self, method: str, path: str, headers: dict[str, str] | None = None, **given: Any) -> httpx.Response:
        try:
            response = self._http.request(method, path, headers={**self._headers, **(headers or {})}, **given)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Problem(f"{self._url} cannot be reached: {error}") from error
        if response.is_success:
            return response
        try:
            document = response.json()
        except ValueError:
            document = {}
        explanation = " ".join(filter(None, (document.get("detail"), document.get("allowed"))))
        raise Problem(f"{method} {path}: {explanation or response.status_code}", document)
