"""A service over HTTP, as everybody sees it: without a token."""

import time
from collections.abc import Callable
from itertools import count
from types import TracebackType
from typing import Final, Self

import httpx

from service.transparency.follower import Page, Unreachable

ATTEMPTS: Final = 6
"""How often a page is asked for of a service that says when to come again."""

LONGEST_WAIT: Final = 60.0


class HttpSite:
    """A `Site` at an address."""

    def __init__(self, url: str, http: httpx.Client | None = None, pause: Callable[[float], None] = time.sleep) -> None:
        self._url = url.rstrip("/")
        self._http = http or httpx.Client(timeout=30, trust_env=False)
        self._pause = pause

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def get(self, path: str) -> Page:
        for attempt in count(1):
            try:
                answer = self._http.get(self._url + path)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise Unreachable(f"{self._url} cannot be reached: {error}") from error
            if answer.status_code not in (429, 503) or attempt == ATTEMPTS:
                return Page(answer.status_code, answer.content)
            wait = answer.headers.get("retry-after", "1")
            self._pause(min(float(wait) if wait.isdecimal() else 1.0, LONGEST_WAIT))
        raise AssertionError("there is a last attempt")
