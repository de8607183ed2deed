"""A service over HTTP, as everybody sees it: without a token."""

import asyncio
import time
from collections.abc import Callable
from itertools import count
from types import TracebackType
from typing import Final, Self

import httpx

from service.transparency.pages import Page, Unreachable

LONGEST: Final = 60.0
"""Seconds for a page. They count from its request to its last byte: who sends a byte now and then gains nothing."""

LARGEST: Final = 64 * 1024**2
"""Bytes of a page."""

ATTEMPTS: Final = 6
"""How often a page is asked for of a service that says when to come again."""

LONGEST_WAIT: Final = 60.0
"""Seconds to wait for a page in all, as the service says when to come again."""


class HttpSite:
    """A `Site` at an address."""

    def __init__(
        self, url: str, http: httpx.AsyncClient | None = None, pause: Callable[[float], None] = time.sleep
    ) -> None:
        self._url = url.rstrip("/")
        self._http = http or httpx.AsyncClient(timeout=30, trust_env=False)
        self._pause = pause
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runner.run(self._http.aclose())
        self._runner.close()

    def get(self, path: str) -> Page:
        waited = 0.0
        for attempt in count(1):
            page, wait = self._runner.run(self._fetch(path))
            waited += wait
            if page.status not in (429, 503) or attempt == ATTEMPTS or waited > LONGEST_WAIT:
                return page
            self._pause(wait)
        raise AssertionError("there is a last attempt")

    async def _fetch(self, path: str) -> tuple[Page, float]:
        """Return a page, and after how many seconds to ask again."""
        body = bytearray()
        try:
            async with asyncio.timeout(LONGEST), self._http.stream("GET", self._url + path) as answer:
                async for part in answer.aiter_bytes():
                    body += part
                    if len(body) > LARGEST:
                        raise Unreachable(f"the service answers more than {LARGEST} bytes at {path}")
        except TimeoutError as error:
            raise Unreachable(f"the service has not answered for {LONGEST:.0f} s at {path}") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unreachable(f"{self._url} cannot be reached: {error}") from error
        wait = answer.headers.get("retry-after", "1")
        return Page(answer.status_code, bytes(body)), float(wait) if wait.isdecimal() else 1.0
