"""What clients keep, take packed and take in parts: exports, and all else that is answered to be kept (RFC 9110)."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from service.api.contract.document import endpoints
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_imports import bring, here
from tests.service.api.test_transparency import KEY, certificate


@pytest.fixture
async def service(tmp_path: Path, database_url: str) -> AsyncIterator[Service]:
    async with serving(tmp_path, durable=False, database_url=database_url, log_key=KEY) as running:
        yield running


NONE = ("case", "secret", "document", "lesson", "tournament", "round", "file", "league")
"""What parts of addresses name that there is none of here."""


async def test_a_cacheable_answer_has_an_etag_and_is_not_sent_again(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await service.begun(anna, bert, rounds=1)
    await service.play_out(game, anna, bert)
    await asyncio.gather(*(service.gathering(anna) for _ in range(25)))  # a bundle that is worth packing
    size = (await certificate(service, game)).checkpoint.size
    filled = {"game": game, "ruleset": "tiny-auction", "player": anna.id, "chart": "dice.svg", "rule": "TA-BID-01"}
    service.services.imports.examine = here
    imported = (await bring(service, anna)).json()["id"]
    filled |= {"level": "0", "tile": f"000.p/{size}", "imported": imported}
    asked = {"/openapi.json": True, "/viewer/state/api.js": True}
    for path, method, said in endpoints():
        if method == "GET" and said.account != "required" and not path.endswith(("stream", "socket", "checkpoint")):
            promised = any(answer.status == 304 for answer in said.answers)
            asked[path.format_map({**dict.fromkeys(NONE, "x"), **filled})] = promised
    packed = 0
    for url, promised in asked.items():
        whole = await service.ask("GET", url, accept_encoding="identity")
        kept = whole.headers.get("cache-control", "no-store") != "no-store"
        assert whole.status_code < 500, url
        assert whole.status_code != 200 or promised or not kept, f"{url} may be kept and never compared"
        if whole.status_code != 200 or not promised:
            continue
        for coding in ("identity", "gzip"):
            answer = await service.ask("GET", url, accept_encoding=coding)
            assert answer.content == whole.content
            same = await service.ask("GET", url, accept_encoding=coding, if_none_match=answer.headers["etag"])
            assert (same.status_code, same.content) == (304, b""), url
            assert same.headers["etag"] == answer.headers["etag"], url
            if "content-encoding" in answer.headers:
                packed += 1
                assert "accept-encoding" in answer.headers["vary"].lower(), url
                assert not kept or answer.headers["etag"].startswith("W/"), f"{url} has one strong ETag for two codings"
    assert packed > 5


@pytest.fixture
async def downloads(service: Service, anna: Player, bert: Player) -> list[str]:
    """The addresses of the exports of a game that is over and of a case about it."""
    game = await service.begun(anna, bert, rounds=1)
    version = (await service.give(game, anna, "put-up", coins=1))["version"]
    wish = {"kind": "slip", "version": version, "statement": "Why?"}
    case = (await service.post(f"/v1/games/{game}/cases", anna, wish))["summary"]["case"]
    await service.give(game, anna, "open-bidding")
    await service.play_out(game, anna, bert)
    return [f"/v1/games/{game}/export", f"/v1/cases/{case}/export"]


async def test_an_export_is_packed_for_who_takes_that_and_not_sent_to_who_has_it(
    service: Service, downloads: list[str]
) -> None:
    for url in downloads:
        whole = await service.ask("GET", url, accept_encoding="identity")
        tag = whole.headers["etag"]
        packed = await service.ask("GET", url, accept_encoding="gzip")
        assert (packed.headers["content-encoding"], packed.content) == ("gzip", whole.content)
        assert (tag[0], packed.headers["etag"]) == ('"', f"W/{tag}"), "packed, it is another representation"
        for answer in (whole, packed):
            assert {"accept", "accept-encoding"} <= set(answer.headers["vary"].lower().split(", "))
        for coding, named in (("identity", tag), ("gzip", f"W/{tag}")):
            for held in (tag, f"W/{tag}", f'"1", {tag}', "*"):
                same = await service.ask("GET", url, if_none_match=held, accept_encoding=coding, range="bytes=0-")
                assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", named)


async def test_an_export_is_taken_up_where_it_broke_off(service: Service, downloads: list[str]) -> None:
    for url in downloads:
        whole = await service.ask("GET", url, accept_encoding="identity")
        tag, content, size = whole.headers["etag"], whole.content, len(whole.content)
        assert whole.headers["accept-ranges"] == "bytes"
        parts = {
            "bytes=0-9": range(10),
            "Bytes=100-": range(100, size),
            "bytes=-7": range(size - 7, size),
            f"bytes=5-{size * 2}": range(5, size),
            f"bytes=-{size * 2}": range(size),
        }
        for asked, part in parts.items():
            for more in ({}, {"if_range": tag}):
                answer = await service.ask("GET", url, None, None, range=asked, **more)
                assert (answer.status_code, answer.content) == (206, content[part.start : part.stop]), asked
                assert answer.headers["content-range"] == f"bytes {part.start}-{part.stop - 1}/{size}"
                assert (answer.headers["content-length"], answer.headers["etag"]) == (str(len(part)), tag)
        for changed in ('"1"', f"W/{tag}", "Sat, 01 Aug 2026 10:00:00 GMT"):
            answer = await service.ask("GET", url, range="bytes=9-", if_range=changed)
            assert (answer.status_code, answer.content) == (200, content), changed
        for other in ("bytes=0-1,5-6", "bytes=9-3", "lines=0-1", "bytes=-", "bytes=a-b", "bytes"):
            answer = await service.ask("GET", url, range=other)
            assert (answer.status_code, answer.content) == (200, content), other
        for beyond in (f"bytes={size}-", "bytes=-0"):
            answer = await service.ask("GET", url, range=beyond)
            assert (answer.status_code, answer.headers["content-range"]) == (416, f"bytes */{size}")
        head = await service.ask("HEAD", url, range="bytes=0-9", accept_encoding="identity")
        assert (head.status_code, head.content, head.headers["etag"]) == (200, b"", tag)


async def test_the_etag_of_an_export_names_what_its_reader_sees(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert, rounds=1)
    url = f"/v1/games/{game}/export"

    async def seen() -> list[tuple[str, bytes, str]]:
        answers = [await service.ask("GET", url, player, accept_encoding="identity") for player in (None, anna, bert)]
        return [(each.headers["etag"], each.content, each.headers["cache-control"]) for each in answers]

    await service.give(game, anna, "put-up", coins=1)
    await service.give(game, anna, "open-bidding")
    await service.give(game, anna, "choose-card", card=await service.first_card(game, anna))
    running = await seen()
    assert len({tag for tag, _, _ in running}) == len({content for _, content, _ in running}) == 3
    assert [kept for _, _, kept in running] == ["no-cache", "no-store", "no-store"]
    await service.play_out(game, anna, bert)
    assert len({(tag, content) for tag, content, _ in await seen()}) == 1
