"""Apps sign somebody in with the packages, stay signed in, and hear when that ends; all against a running service."""

import json
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from tabularium_client import App, Client, SignIn, sign_in_by_device

from tests.clients.packed import OPENAPI, Speaker, python, speaking
from tests.clients.scripted import answer, scripted
from tests.clients.test_games import Table
from tests.contract.running import running

TOKENS: Final = {"access_token": "taba_1", "refresh_token": "tabr_1", "expires_in": 3600, "token_type": "Bearer"}
DEVICE: Final = {
    "user_code": "BCDF-GHJK",
    "verification_uri": "https://service.example/device",
    "verification_uri_complete": "https://service.example/device?user_code=BCDF-GHJK",
    "device_code": "dev_1",
    "expires_in": 600,
    "interval": 2,
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    folder = tmp_path_factory.mktemp("service")
    with running(folder / "data", folder / "service.log") as (address, _), Table(address, "mare-nostrum") as begun:
        yield begun


class Signing:
    """An app whose sign-in is in a file, and the person at its service."""

    def __init__(self, speaker: Speaker, table: Table, folder: Path) -> None:
        self.speaker = speaker
        self.table = table
        self.person = table.tokens[0]
        self.file = folder / "sign-in.json"
        if speaker.language != "typescript":
            self.file = folder / "made" / "for" / "it" / "sign-in.json"

    def ask(self, action: str, **named: Any) -> Any:
        return self.speaker.ask(action, url=self.table.url, file=str(self.file), **named)

    def sign_in(self, action: str = "sign-in", **named: Any) -> Any:
        return self.ask(action, **{"person": self.person, "allow": True, **named})

    def asked_together(self, many: int = 8, clients: int = 1, **named: Any) -> tuple[list[Any], int]:
        """Return what many requests at once got, and how often tokens were asked for."""
        said = self.ask("together", many=many, clients=clients, **named)
        return said["names"], said["refreshed"]

    @property
    def kept(self) -> dict[str, Any]:
        return json.loads(self.file.read_bytes())

    def change(self, **fields: Any) -> None:
        """Let time pass, or forge what is kept."""
        self.file.write_text(json.dumps(self.kept | fields))

    def refresh(self, token: str) -> httpx.Response:
        """Refresh as somebody else would who copied the token."""
        form = {"grant_type": "refresh_token", "client_id": "Board Room", "refresh_token": token}
        return self.table.api.post("/oauth/token", data=form)

    def end(self) -> None:
        """Shut the app out, as the person does on the page of the account."""
        headers = {"Authorization": f"Bearer {self.person}"}
        for app in self.table.api.get("/v1/apps", headers=headers).json()["items"]:
            assert self.table.api.delete(f"/v1/apps/{app['id']}", headers=headers).is_success


@pytest.fixture
def signing(speaker: Speaker, table: Table, tmp_path: Path) -> Signing:
    return Signing(speaker, table, tmp_path)


def test_somebody_signs_in_and_out(signing: Signing) -> None:
    assert signing.sign_in() == {"waits": []}
    assert signing.asked_together(1) == (["Seat 0"], 0)
    if signing.speaker.language != "typescript":
        assert stat.S_IMODE(signing.file.stat().st_mode) == 0o600
    refresh = signing.kept["refresh"]
    assert signing.ask("sign-out") is None
    assert not signing.file.exists()
    assert signing.refresh(refresh).json()["error"] == "invalid_grant", "it has ended at the service, too"


@pytest.mark.parametrize(
    ("changed", "why"),
    [({"state": "of-somebody-else"}, "wrong_state"), ({"iss": "https://other.example"}, "wrong_issuer")],
)
def test_the_answer_to_another_sign_in_is_refused(signing: Signing, changed: dict[str, str], why: str) -> None:
    said = signing.sign_in(changed=changed)
    assert (said["error"], said["why"]) == ("NotSignedIn", why)
    assert not signing.file.exists()


def test_an_app_hears_of_a_no(signing: Signing) -> None:
    for action in ("sign-in", "sign-in-by-device"):
        said = signing.sign_in(action, allow=False)
        assert (said["error"], said["why"]) == ("NotSignedIn", "access_denied")


def test_an_app_that_asks_for_too_much_hears_of_it(signing: Signing) -> None:
    for action in ("sign-in", "sign-in-by-device"):
        assert signing.sign_in(action, scope="account")["why"] == "invalid_scope"


def test_somebody_signs_in_by_a_device(signing: Signing) -> None:
    assert signing.sign_in("sign-in-by-device") == {"waits": []}
    assert signing.asked_together(1) == (["Seat 0"], 0)


def test_a_device_waits_as_long_as_the_service_says(speaker: Speaker, tmp_path: Path) -> None:
    pending, slow = (answer({"error": error}, 400) for error in ("authorization_pending", "slow_down"))
    with scripted(answer(DEVICE), pending, slow, pending, answer(TOKENS)) as service:
        said = speaker.ask("sign-in-by-device", url=service.url, file=str(tmp_path / "kept"))
    assert said == {"waits": [2, 7, 7]}
    assert {each.path for each in service.received[1:]} == {"/oauth/token"}


@pytest.mark.parametrize("forged", [{"ends": 0}, {"access": "taba_nothing"}], ids=["over", "refused"])
def test_many_requests_refresh_once(signing: Signing, forged: dict[str, Any]) -> None:
    """Also when the service refuses a token that seems good: clocks go wrong."""
    signing.sign_in()
    before = signing.kept["refresh"]
    signing.change(**forged)
    assert signing.asked_together() == (["Seat 0"] * 8, 1)
    assert signing.kept["refresh"] != before
    assert signing.asked_together() == (["Seat 0"] * 8, 0)


def test_several_clients_with_one_store_refresh_once(signing: Signing) -> None:
    """As tabs of a browser do, or programs with one file."""
    signing.sign_in()
    signing.change(ends=0)
    assert signing.asked_together(8, clients=4) == (["Seat 0"] * 8, 1)
    if signing.speaker.language == "typescript":
        signing.change(ends=0)
        assert signing.asked_together(8, clients=4, locks=False) == (["Seat 0"] * 8, 1), "Node 20 has no Web Locks"


def test_threads_with_a_sign_in_in_memory_refresh_once() -> None:
    name, over = answer({"name": "Ann"}), TOKENS | {"expires_in": 0}
    with scripted(answer(DEVICE), answer(over), (0.2, *answer(TOKENS)), *[name] * 8) as service:
        sign_in = sign_in_by_device(App(service.url, "Board Room"), print)
        with Client(service.url, sign_in) as client, ThreadPoolExecutor(8) as pool:
            names = list(pool.map(lambda _: client.get("/v1/players/me")["name"], range(8)))
    assert names == ["Ann"] * 8
    assert [each.path for each in service.received].count("/oauth/token") == 2


def test_tokens_go_to_their_own_service_alone(tmp_path: Path) -> None:
    sign_in = SignIn(App("https://service.example/", "Board Room", file=tmp_path / "kept"))
    Client("https://service.example", sign_in)
    with pytest.raises(ValueError, match=r"^The sign-in is one at https://service\.example\. Its tokens are not for h"):
        Client("https://other.example", sign_in)


def test_a_copied_token_ends_the_sign_in_and_the_app_hears_of_it(signing: Signing) -> None:
    signing.sign_in()
    copied = signing.kept["refresh"]
    signing.change(ends=0)
    signing.asked_together(1)
    assert signing.refresh(copied).json()["error"] == "invalid_grant"
    (said,), refreshed = signing.asked_together(1)
    assert (said["error"], said["why"], refreshed) == ("NotSignedIn", "invalid_grant", 1)
    assert "Let the person sign in again." in said["message"]
    assert not signing.file.exists()


def test_an_app_that_is_shut_out_in_mid_game_hears_of_it(signing: Signing) -> None:
    signing.sign_in()
    timer = threading.Timer(1, signing.end)
    timer.start()
    said = signing.ask("events", game=signing.table.game, after=0)
    timer.join()
    assert (said["error"], said["why"]) == ("NotSignedIn", "invalid_grant")
    assert [each["version"] for each in said["got"]][:2] == [1, 2]
    said = signing.ask("command", game=signing.table.game, choice={"type": "pass"})
    assert (said["error"], said["status"]) == ("Problem", 401)


def test_a_refresh_without_an_answer_is_sent_again(speaker: Speaker, tmp_path: Path) -> None:
    file = tmp_path / "kept"
    file.write_text(json.dumps({"access": "taba_0", "refresh": "tabr_0", "ends": 0}))
    cut, me = answer(TOKENS, cut=0.5), answer({"name": "Ann"})
    with scripted((), answer({}, 503), cut, answer(TOKENS), me) as service:
        said = speaker.ask("get", url=service.url, file=str(file), path="/v1/players/me")
    assert said == {"name": "Ann"}
    assert [each.path for each in service.received] == ["/oauth/token"] * 4 + ["/v1/players/me"]
    assert "authorization" not in service.received[0].headers
    assert service.received[-1].headers["authorization"] == "Bearer taba_1"
    assert json.loads(file.read_bytes())["refresh"] == "tabr_1"


BROWSER: Final = """
import sys, httpx
address = httpx.URL(sys.argv[1])
body, headers = {"query": address.query.decode(), "allow": True}, {"Authorization": "Bearer PERSON"}
path = "/v1/authorization/decision"
httpx.get(httpx.post(address.copy_with(path=path, query=None), json=body, headers=headers).json()["address"])
"""


def test_the_guides_program_signs_in_by_the_browser_and_remembers_it(table: Table, tmp_path: Path) -> None:
    (found,) = re.findall(r"^```python\n(.*?)^```$", (OPENAPI / "oauth.md").read_text(), re.DOTALL | re.MULTILINE)
    browser = tmp_path / "browser.py"
    browser.write_text(BROWSER.replace("PERSON", table.tokens[1]))
    environment = {"PYTHONPATH": str(python() / "site"), "BROWSER": f"{sys.executable} {browser} %s"}
    command = [sys.executable, "-c", found.replace("http://127.0.0.1:8000", table.url)]
    for _ in range(2):
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == ("You are Seat 1\n", "")
        environment["BROWSER"] = "false"
    (tmp_path / "sign-in.json").unlink()
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr.endswith("NotSignedIn: This machine opened no browser. Use sign_in_by_device instead.\n")


def test_a_request_that_is_given_up_ends_no_sign_in(tmp_path: Path) -> None:
    file = tmp_path / "kept"
    file.write_text(json.dumps({"access": "taba_0", "refresh": "tabr_0", "ends": 0}))
    with speaking("asyncio") as speaker, scripted((0.6, *answer(TOKENS)), answer({"name": "Ann"})) as service:
        assert speaker.ask("impatient", url=service.url, file=str(file)) == "Ann"
    assert [each.path for each in service.received] == ["/oauth/token", "/v1/players/me"]
