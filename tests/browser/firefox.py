"""A real Firefox, driven by WebDriver BiDi: the one browser that can be told which push service it is to use."""

import asyncio
import contextlib
import json
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect

NAMES: Final = ("firefox-esr", "firefox")
PATIENCE: Final = 120.0
PREFERENCES: Final[dict[str, Any]] = {
    "dom.push.testing.allowInsecureServerURL": True,
    # As if somebody had let every page show notifications.
    "permissions.default.desktop-notification": 1,
    # It shows them itself, as there is no desktop that would.
    "alerts.useSystemBackend": False,
    "remote.active-protocols": 1,
    # Firefox recommends for tests that it connects to no push service.
    "remote.prefs.recommended": False,
    # It asks nothing of other machines.
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,",
    "toolkit.telemetry.enabled": False,
}


def binary() -> str:
    """Return where Firefox is. Raises `AssertionError` when it is nowhere."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    assert found, "the tests need the browser Firefox (Debian: apt-get install firefox-esr); it gets a real push"
    return found


class Firefox:
    """A tab of Firefox."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._number = 0
        self._tab = ""

    async def begin(self) -> None:
        await self.ask("session.new", capabilities={})
        self._tab = (await self.ask("browsingContext.getTree"))["contexts"][0]["context"]

    async def ask(self, method: str, **parameters: Any) -> Any:
        """Return the result of a command. Raises `AssertionError` when there is none."""
        self._number += 1
        await self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(await asyncio.wait_for(self._socket.recv(), PATIENCE))
            if answer.get("id") == self._number:
                assert answer["type"] == "success", answer
                return answer["result"]

    async def open(self, url: str) -> None:
        await self.ask("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    async def evaluate(self, expression: str) -> Any:
        """Return what an expression is in the page, as JSON has it, once it is no promise any more."""
        target = {"context": self._tab}
        wrapped = f"(async () => JSON.stringify(await ({expression})))()"
        answer = await self.ask("script.evaluate", expression=wrapped, target=target, awaitPromise=True)
        assert answer["type"] == "success", answer
        return json.loads(answer["result"].get("value", "null"))

    async def until(self, expression: str) -> Any:
        """Return what an expression is in the page as soon as it is something."""
        async with asyncio.timeout(PATIENCE):
            while True:
                if found := await self.evaluate(expression):
                    return found
                await asyncio.sleep(0.05)


@contextlib.asynccontextmanager
async def firefox(profile: Path, push_service: str) -> AsyncIterator[Firefox]:
    """Run Firefox without a window, in a new folder, with a push service, which is the address of a WebSocket."""
    found = binary()
    _write(profile, {**PREFERENCES, "dom.push.serverURL": push_service})
    process = await asyncio.create_subprocess_exec(
        *(found, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "HOME": str(profile)},
    )
    try:
        address = await asyncio.wait_for(_address(process), PATIENCE)
        async with connect(f"{address}/session", max_size=None) as socket:
            tab = Firefox(socket)
            await tab.begin()
            yield tab
    finally:
        process.terminate()
        await process.communicate()


def _write(profile: Path, preferences: dict[str, Any]) -> None:
    profile.mkdir()
    lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items())
    (profile / "user.js").write_text("".join(lines))


async def _address(process: asyncio.subprocess.Process) -> str:
    """Return where a browser takes commands, which it says when it is ready."""
    assert process.stderr is not None
    said = b""
    while line := await process.stderr.readline():
        said += line
        if b"BiDi listening on " in line:
            return line.decode().rpartition(" ")[2].strip()
    raise AssertionError(said.decode())
