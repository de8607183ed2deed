"""A follower of the transparency log of a service, some of whose pages are forged."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from domain.transparency.policy import read_policy
from service.transparency.follower import Follower
from service.transparency.keys import check
from service.transparency.pages import Page
from service.transparency.site import HttpSite
from tests.service.api.serving import Service


async def looked(service: Service, directory: Path, told: Callable[[str, Page], Page] = lambda path, page: page) -> str:
    """Return what a follower finds when some pages of the service are forged."""
    policy = read_policy((await service.get("/v1/transparency/key"))["policy"].encode())

    def look() -> str:
        with HttpSite(str(service.client.base_url)) as site:
            follower = Follower(_Told(site, told), policy, directory, check, pause=lambda seconds: None)
            try:
                return " ".join(found.message for found in follower.look().findings)
            finally:
                follower.close()

    return await asyncio.to_thread(look)


class _Told(Struct):
    """A service as a follower sees it, with some pages forged."""

    honest: HttpSite
    told: Callable[[str, Page], Page]

    def get(self, path: str) -> Page:
        return self.told(path, self.honest.get(path))
