"""The examples that frontend builders copy: a text client, a bridge, a notebook; the map is in `tests/browser`."""

import asyncio
import json
import re
import shutil
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from domain.boards import builtin
from domain.kernel.ids import Seat
from domain.library import LIBRARY
from service.base.clock import utc_now
from service.transparency.keys import new_key, read_log_key
from service.webhooks.secrets import new_key as new_webhook_key
from tests.browser.games import Table, asks, table
from tests.clients import packed
from tests.clients.scripted import answer, scripted
from tests.clients.test_webhooks import SECRET, signed
from tests.contract import clients
from tests.helpers.ports import reserved
from tests.service.api.serving import Service, serving

EXAMPLES: Final = packed.OPENAPI / "examples"
FILES: Final = sorted(path for path in EXAMPLES.rglob("*") if path.suffix in {".py", ".ts", ".js", ".html"})


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path / "data", LIBRARY, builtin, clock=utc_now, durable=False) as running:
        yield running


class Program:
    """A program that runs beside the service, and what it has said."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.said = ""

    async def says(self, wanted: str) -> str:
        """Return what it says until something is said that is wanted."""
        assert self._process.stdout is not None
        before = len(self.said)
        async with asyncio.timeout(60):
            while not re.search(wanted, self.said[before:]):
                part = await self._process.stdout.read(65536)
                assert part, f"It ended without saying {wanted}: {self.said}"
                self.said += part.decode()
        return self.said[before:]

    async def ended(self) -> int:
        """Return its exit code, when it has said all."""
        assert self._process.stdout is not None
        self.said += (await self._process.stdout.read()).decode()
        return await self._process.wait()

    def hears(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())


@asynccontextmanager
async def started(command: Sequence[str | Path], place: Path, **more: str) -> AsyncIterator[Program]:
    pipe = asyncio.subprocess.PIPE
    environment = {"PYTHONPATH": str(packed.python() / "site"), "PYTHONUNBUFFERED": "1", **more}
    process = await asyncio.create_subprocess_exec(
        *map(str, command), cwd=place, env=environment, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.STDOUT
    )
    try:
        yield Program(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def listens(port: int) -> None:
    """Wait until somebody listens on this machine."""
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            return writer.close()


def address_of(service: Service) -> str:
    return str(service.client.base_url).rstrip("/")


async def active(service: Service, table: Table) -> Seat:
    """Return a seat that is asked."""
    return Seat((await service.get(f"/v1/games/{table.id}"))["decisions"][0]["seats"][0])


async def version_of(service: Service, table: Table) -> int:
    return (await service.get(f"/v1/games/{table.id}"))["version"]


def project(place: Path) -> Path:
    """Make a folder a project with the TypeScript package."""
    (place / "node_modules").symlink_to(packed.typescript() / "node_modules")
    (place / "package.json").write_text('{"type": "module"}')
    return Path(shutil.copy(EXAMPLES / "terminal.ts", place))


async def test_the_text_client_tells_asks_and_plays(service: Service, tmp_path: Path) -> None:
    game = await table(service.services, "conquest-classic-friz", 3, seed=3, until=asks("move", 3))
    seat, before = await active(service, game), await version_of(service, game)
    program = project(tmp_path)
    command = [clients.NODE, "--no-warnings", program, address_of(service), game.id, game.token(seat)]
    async with started(command, tmp_path) as client:
        said = await client.says(r"\[1\] \{")
        assert said.startswith("conquest-classic-friz, running\n")
        assert re.search(rf"^  {before}\. .+", said, re.MULTILINE)
        assert re.search(r"\(CC-[A-Z]+-[0-9]+\)$", said, re.MULTILINE), "an option names its rule"
        client.hears("999")
        await client.says(r"There is no \[999\]")
        client.hears("{")
        await client.says("JSON")
        client.hears('{"type": "sing"}')
        await client.says("TAB-CMD-01")
        client.hears("1")
        await client.says(rf"  {before + 1}\. ")
    assert await version_of(service, game) > before


async def test_the_auditor_proves_every_game_and_notices_the_signature_of_another(
    service: Service, tmp_path: Path
) -> None:
    ids = [
        (await table(service.services, ruleset, 3, seed=seed, bold=False)).id
        for ruleset, seed in (("mare-nostrum", 5), ("conquest-classic-friz", 6))
    ]
    command = [sys.executable, "-P", EXAMPLES / "audit.py", address_of(service)]
    async with started(command, tmp_path) as notebook:
        assert await notebook.ended() == 0, notebook.said
    assert "2 games are over" in notebook.said
    for id_ in ids:
        assert re.search(rf"^{id_} \S+ [0-9]+ is proved\. ", notebook.said, re.MULTILINE), notebook.said
    chances = [float(each) for each in re.findall(r"p = ([0-9.]+)$", notebook.said, re.MULTILINE)]
    assert chances
    assert all(0 < each <= 1 for each in chances), chances
    assert "`tabularium verify` decides all of them again" in notebook.said
    origin = (await service.get("/v1/transparency/key"))["origin"]
    other = read_log_key(new_key(origin, lambda count: bytes(range(count))))
    (tmp_path / "policy").write_text(f"log {other.signers[0].key}\nquorum none\n")
    async with started([*command, "policy"], tmp_path) as notebook:
        assert await notebook.ended() == 1
    assert f"not signed by a key that the policy has for {origin}" in notebook.said
    assert "AssertionError: These are not what was signed: [" in notebook.said


async def test_the_bridge_tells_a_channel_each_delivery_once(tmp_path: Path) -> None:
    event: dict[str, Any] = {"type": "seat.awaited", "timestamp": "2026-11-21T18:00:00.000000Z"}
    body = json.dumps(event | {"data": {"game": "g1", "version": 7, "seats": ["rome"]}})
    game = answer({"title": "Friday", "ruleset": "mare-nostrum"})
    chat_is_away = answer({}, 500)
    with scripted(game, chat_is_away, game, answer({})) as service, reserved() as held:
        port = held.getsockname()[1]
        command = [sys.executable, "-P", EXAMPLES / "bridge.py", service.url, f"{service.url}/hooks/7", str(port)]
        async with started(command, tmp_path, SECRET=SECRET), httpx.AsyncClient() as sender:
            address, forged = f"http://127.0.0.1:{port}", signed(time.time()) | {"Webhook-Id": "d2"}
            async with asyncio.timeout(30):
                await listens(port)
            refused = await sender.post(address, content=body, headers=forged)
            headers = signed(time.time(), body)
            others = [await sender.post(address, content=body, headers=headers) for _ in range(3)]
    assert [each.status_code for each in (refused, *others)] == [401, 502, 204, 204]
    told = [json.loads(each.body) for each in service.received if each.path == "/hooks/7"]
    assert told == [{"text": f"Friday: it is the turn of rome. {service.url}/games/g1"}] * 2
    assert len(service.received) == 4


async def test_a_club_is_told_by_the_bridge_what_a_running_service_sends(tmp_path: Path) -> None:
    hooks: dict[str, Any] = {"webhook_key": new_webhook_key(), "outward": "anywhere"}
    async with serving(tmp_path / "data", LIBRARY, builtin, clock=utc_now, durable=False, **hooks) as service:
        anna, bert = [await service.register(name) for name in ("Anna", "Bert")]
        chosen = {"ruleset": "conquest-classic-friz", "players": 2, "title": "Friday"}
        game, url = (await service.post("/v1/games", anna, chosen))["id"], address_of(service)
        with scripted(answer(b"", 204)) as first:  # The bridge needs the secret, and the ping comes before that.
            wish = {"url": first.url, "about": "game", "game": game, "events": ["game.started", "seat.awaited"]}
            made = await service.post("/v1/webhooks", anna, wish)
            async with asyncio.timeout(30):
                while (await service.get(f"/v1/webhooks/{made['webhook']['id']}", anna))["status"] != "on":  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            port = first.server_address[1]
        with scripted(answer({}), answer({})) as chat:
            command = [sys.executable, "-P", EXAMPLES / "bridge.py", url, f"{chat.url}/hooks/7", str(port)]
            async with started(command, tmp_path, SECRET=made["secret"]), asyncio.timeout(60):
                await listens(port)
                for player in (anna, bert):
                    await service.post(f"/v1/games/{game}/seats", player, {})
                await service.post(f"/v1/games/{game}/start", anna, {})
                while len(chat.received) < 2:  # noqa: ASYNC110 - the chat runs in a thread
                    await asyncio.sleep(0.05)
        (decision,) = (await service.get(f"/v1/games/{game}"))["decisions"]
    told = {json.loads(each.body)["text"] for each in chat.received}
    asked = f"Friday: it is the turn of {', '.join(decision['seats'])}. {url}/games/{game}"
    assert told == {f"Friday has started. {url}/games/{game}", asked}


def test_the_text_client_fits_the_contract(tmp_path: Path) -> None:
    project(tmp_path)
    shutil.copy(clients.HERE / "typescript" / "node.d.ts", tmp_path)
    options = {"module": "nodenext", "target": "es2022", "lib": ["es2023", "dom"], "types": [], "strict": True}
    (tmp_path / "tsconfig.json").write_text(
        json.dumps({"compilerOptions": options | {"noEmit": True}, "include": ["*.ts"]})
    )
    clients.compile_typescript(tmp_path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_an_example_is_short_and_is_told_of(path: Path) -> None:
    assert len(path.read_text().splitlines()) < 300
    assert f"({path.relative_to(EXAMPLES)})" in (EXAMPLES / "README.md").read_text()
