"""The public pages of a service, fetched over HTTP without a token."""

import asyncio
import time
from collections.abc import Callable
from itertools import count
from types import TracebackType
from typing import Final, Self

import httpx

from service.transparency.pages import Page, Unreachable

LONGEST_DOWNLOAD: Final = 60.0
"""Seconds from the request of a page to its last byte. So a service that sends very slowly cannot hold us up."""

LARGEST_PAGE: Final = 64 * 1024**2
"""The size limit of a page, in bytes."""

ATTEMPTS: Final = 6
"""The most requests for a page, while the service answers 429 or 503."""

LONGEST_WAIT: Final = 60.0
"""The most seconds to wait for a page in sum, as `Retry-After` asks for."""


class HttpSite:
    """A `pages.Site` at the address of a service."""

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
        seconds = 0.0
        for attempt in count(1):
            page, wait = self._runner.run(self._fetch(path))
            seconds += wait
            if page.status not in (429, 503) or attempt == ATTEMPTS or seconds > LONGEST_WAIT:
                return page
            self._pause(wait)
        raise AssertionError("the last attempt returns")

    async def _fetch(self, path: str) -> tuple[Page, float]:
        """Return a page, and after how many seconds to request it again."""
        body = bytearray()
        try:
            async with asyncio.timeout(LONGEST_DOWNLOAD), self._http.stream("GET", self._url + path) as answer:
                async for part in answer.aiter_bytes():
                    body += part
                    if len(body) > LARGEST_PAGE:
                        raise Unreachable(f"the service answers more than {LARGEST_PAGE} bytes at {path}")
        except TimeoutError as error:
            raise Unreachable(f"the service has not answered for {LONGEST_DOWNLOAD:.0f} s at {path}") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unreachable(f"{self._url} cannot be reached: {error}") from error
        wait = answer.headers.get("retry-after", "1")
        return Page(answer.status_code, bytes(body)), float(wait) if wait.isdecimal() else 1.0
