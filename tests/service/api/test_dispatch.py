"""The short way to an endpoint, and the long one through Litestar: they answer alike."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.api import dispatch
from tests.service.api.serving import Player, Service, serving

ORIGIN = {"origin": "https://play.example"}


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path, durable=False, rate_per_token=1000) as opened:
        yield opened


def told(answer: httpx.Response) -> tuple[int, dict[str, str], str]:
    """Return an answer, without what is never the same twice."""
    varying = ("date", "request-id", "ratelimit", "content-length")
    headers = {name: value for name, value in answer.headers.items() if name not in varying}
    return answer.status_code, headers, re.sub(r"urn:uuid:[\w-]+", "", answer.text)


async def answers(service: Service, game: str, anna: Player) -> list[Any]:
    path = f"/v1/games/{game}"
    asked = [
        *((method, path, {}) for method in ("GET", "HEAD", "OPTIONS", "PUT")),
        *(("GET", address, {}) for address in (f"/{path}/", f"{path}/state", f"{path}/nothing", "/v1/games", "/docs")),
        *(("GET", f"{path}{query}", {}) for query in ("/state?version=2", "/state?version=99", "/state?odd=1")),
        ("GET", f"{path}/state", ORIGIN),
        ("GET", f"{path}/state", {**ORIGIN, "cookie": "a=b"}),
        ("GET", f"{path}/state", {"accept-encoding": "identity"}),
        ("GET", f"{path}/state", {"if-none-match": '"5"'}),
        ("GET", f"{path}/state", {"authorization": "Bearer nobody"}),
        ("GET", f"{path}/state", {"host": "a/b"}),
        ("GET", f"{path}/options", {}),
        ("GET", f"{path}/marks", {}),
        ("GET", f"{path}/export", {}),
        ("DELETE", f"{path}/seats/mauve", {}),
        ("POST", f"{path}/commands", {}),
        ("POST", f"{path}/start", {}),
    ]
    return [
        (method, address, more, told(await service.client.request(method, address, headers={**anna.headers, **more})))
        for method, address, more in asked
    ]


async def test_both_ways_answer_alike(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, bert = await service.register("Anna"), await service.register("Bert")
    game = await service.begun(anna, bert)
    short = await answers(service, game, anna)
    with monkeypatch.context() as patched:
        patched.setattr(dispatch, "_PLAIN_HOST", re.compile("none but this"))
        long = await answers(service, game, anna)
    for one, other in zip(short, long, strict=True):
        assert one == other
    assert {told[0] for *_, told in short} >= {200, 204, 304, 400, 401, 404, 405, 409}


async def test_an_answer_that_is_kept_for_others_does_not_take_on_what_one_of_them_was_told(service: Service) -> None:
    anna, bert = await service.register("Anna"), await service.register("Bert")
    game = await service.begun(anna, bert)
    path = f"/v1/games/{game}/state"
    first, foreign, again = [
        (await service.client.get(path, headers={**anna.headers, **more})).headers for more in ({}, ORIGIN, {})
    ]
    assert foreign["access-control-allow-origin"] == "*"
    assert "access-control-allow-origin" not in again
    assert len({each["request-id"] for each in (first, foreign, again)}) == 3
    assert len(again.multi_items()) == len(first.multi_items())
