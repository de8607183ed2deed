"""The receivers of the guide to webhooks verify what the service sends, by the libraries of Standard Webhooks."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import httpx
import pytest

from service.webhooks.registry import Wish
from tests.contract import clients
from tests.helpers.ports import reserved
from tests.service.rig import ANNA, BERT, open_rig
from tests.service.webhooks.receiving import Receiver, registered, telling

GUIDE: Final = (Path(__file__).parents[2] / "openapi" / "webhooks.md").read_text()
LANGUAGES: Final = ("python", "typescript")


def receiver(language: str) -> str:
    """Return the program that the guide shows in a language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE)
    return found


@asynccontextmanager
async def running(language: str, folder: Path, port: int, secret: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a receiver of the guide."""
    if language == "python":
        command = [sys.executable, "-c", receiver(language)]
    else:
        program = folder / "receiver.mts"
        program.write_text(receiver(language))
        (folder / "node_modules").symlink_to(clients.installed())
        command = [str(clients.NODE), "--experimental-strip-types", "--no-warnings", str(program)]
    environment = os.environ | {"PORT": str(port), "SECRET": secret}
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=pipe)
    try:
        yield process
    finally:
        process.kill()
        await process.wait()


async def answers(url: str) -> int:
    """Return what a receiver answers to something that nobody has signed, as soon as it answers."""
    async with httpx.AsyncClient(trust_env=False) as client:
        while True:
            try:
                return (await client.post(url, content=b"{}", headers={"webhook-id": "m"})).status_code
            except httpx.TransportError:
                await asyncio.sleep(0.05)


async def told_by(language: str, folder: Path, port: int) -> list[str]:
    """Return what a receiver says of a ping and of an event after its secret was replaced."""
    url = f"http://127.0.0.1:{port}/"
    async with open_rig(folder) as rig, telling(rig, Receiver()) as told:
        await registered(rig, ANNA, BERT)
        told.clock.now = datetime.now(UTC)
        row, secret = await told.webhooks.make(ANNA, "account", None, Wish(url), None)
        async with running(language, folder, port, secret) as process:
            assert await answers(url) == 401
            await told.send()
            assert (await told.webhooks.one(ANNA, row.webhook)).status == "on"
            # With two secrets, it goes on by the one that it has.
            await told.webhooks.rotate(row, 3600, None)
            await rig.begun()
            await told.tell()
            assert await told.webhooks.deliveries(row, "waiting", None, 9) == []
            assert process.stdout is not None
            return [(await asyncio.wait_for(process.stdout.readline(), 30)).decode() for _ in range(2)]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_receiver_of_the_guide_verifies_what_is_sent(language: str, tmp_path: Path) -> None:
    with reserved() as holding:
        lines = await told_by(language, tmp_path, holding.getsockname()[1])
    sent = [line.split()[:2] for line in lines]
    assert [kind for _, kind in sent] == ["ping", "game.started"]
    assert all(re.fullmatch("d[0-9a-f]{40}", delivery) for delivery, _ in sent)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_receiver_is_short(language: str) -> None:
    assert len(receiver(language).strip().splitlines()) <= 22
