"""Games are played through both packages against a running service: with wrong clocks, over restarts, without a token.

``python -m tests.clients.test_games [--postgres] [RULESET …]`` plays whole games in each language.
"""

import asyncio
import contextlib
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final, Self

import httpx
import pytest

from domain.kernel.proof.verify import verify
from domain.kernel.rules import schema
from domain.library import LIBRARY
from tests.clients.packed import LANGUAGES, Language, Speaker, speaking
from tests.contract.running import running
from tests.helpers.ports import reserved
from tests.helpers.postgres import cluster
from tests.helpers.sampling import RUN, sampled

FEW: Final = 60
"""The commands that are given in a game, except with `--all`: whole games take minutes."""
CASES: Final[list[tuple[str, Language]]] = [(ruleset, language) for language in LANGUAGES for ruleset in LIBRARY.ids()]
PLAYED: Final = sampled("games that clients play", CASES, 1, by=lambda case: case[1])


class Table:
    """A game that has begun, with an account for each seat."""

    def __init__(self, url: str, ruleset: str) -> None:
        self.url = url
        self.api = httpx.Client(base_url=url, timeout=60)
        players = LIBRARY.current(ruleset).players[0]
        self.tokens = [self.post("/v1/players", name=f"Seat {number}")["token"] for number in range(players)]
        self.game = self.post("/v1/games", self.tokens[0], ruleset=ruleset, players=players)["id"]
        for token in self.tokens:
            self.post(f"/v1/games/{self.game}/seats", token)
        self.post(f"/v1/games/{self.game}/start", self.tokens[0])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.api.close()

    def post(self, path: str, token: str = "", **body: Any) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer = self.api.post(path, json=body, headers=headers)
        assert answer.is_success, answer.text
        return answer.json()

    def answer(self, token: str) -> None:
        """Give a command for a seat, if it is asked."""
        headers = {"Authorization": f"Bearer {token}"}
        options = self.api.get(f"/v1/games/{self.game}/options", headers=headers).json()["options"]
        if asked := [option for option in options if option.get("decision")]:
            self.post(f"/v1/games/{self.game}/commands", token, command=schema.sample(asked[0]["schema"], Random(1)))

    def get(self, path: str = "") -> dict[str, Any]:
        return self.api.get(f"/v1/games/{self.game}{path}").json()


@pytest.fixture
def table(service: str) -> Iterator[Table]:
    """A game of Mare Nostrum."""
    with Table(service, "mare-nostrum") as begun:
        yield begun


def play(table: Table, speaker: Speaker, most: int | None) -> dict[str, Any]:
    """Let a package answer for all seats; what comes of it verifies."""
    said = speaker.ask("play", within=590, url=table.url, game=table.game, tokens=table.tokens, most=most)
    exported = table.api.get(f"/v1/games/{table.game}/export").content
    verdict = verify(exported.splitlines(keepends=True), LIBRARY)
    assert verdict.ok, verdict.problem
    ruleset = table.api.get(f"/v1/rulesets/{verdict.ruleset}").json()
    proved = speaker.ask("verify", text=exported.decode(), ruleset=ruleset)
    assert (proved["ok"], proved["problem"], proved["head"]) == (True, None, verdict.head)
    return said | {"status": verdict.status, "last": verdict.events}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("service")
    with running(folder / "data", folder / "service.log") as (address, _):
        yield address


@pytest.mark.parametrize(("ruleset", "language"), PLAYED)
def test_it_plays_by_any_ruleset_whatever_its_clock_says(service: str, ruleset: str, language: Language) -> None:
    with Table(service, ruleset) as table, speaking(language, hours=-7) as speaker:
        said = play(table, speaker, FEW if RUN.seed else None)
    assert said["commands"] >= FEW
    assert said["version"] > FEW
    assert RUN.seed or (said["status"], said["version"]) == ("over", said["last"])


def test_deno_plays_too(table: Table) -> None:
    with speaking("deno") as speaker:
        assert play(table, speaker, 5)["commands"] >= 5


def test_a_token_that_is_revoked_in_mid_game_ends_streams_and_commands(table: Table, speaker: Speaker) -> None:
    seat = table.tokens[1]
    asked: dict[str, Any] = {"url": table.url, "token": seat, "game": table.game}
    whole = table.get()["version"]
    started = threading.Event()
    found: dict[str, Any] = {}

    def follow() -> None:
        started.set()
        found.update(speaker.ask("events", after=0, **asked))

    thread = threading.Thread(target=follow)
    thread.start()
    started.wait(30)
    (token,) = table.api.get("/v1/tokens", headers={"Authorization": f"Bearer {seat}"}).json()["items"]
    revoked = table.api.delete(f"/v1/tokens/{token['id']}", headers={"Authorization": f"Bearer {seat}"})
    assert revoked.is_success, revoked.text
    thread.join(60)
    assert (found["error"], found["status"]) == ("Problem", 401)
    assert [each["version"] for each in found.get("got", [])] in ([], [*range(1, whole + 1)])
    for action in ("command", "decide", "waiting"):
        said = speaker.ask(action, choice={"type": "pass"}, **asked)
        assert (said["error"], said["status"]) == ("Problem", 401)


def test_a_refused_command_names_its_rule_and_a_repeated_one_happens_once(table: Table, speaker: Speaker) -> None:
    state = table.get()
    decision = state["decisions"][0]["seats"][0]
    seats = [each["seat"] for each in state["seats"]]
    asked: dict[str, Any] = {"url": table.url, "game": table.game, "token": table.tokens[seats.index(decision)]}
    refused = speaker.ask("command", choice={"type": "sing"}, **asked)
    assert (refused["error"], refused["status"]) == ("Refusal", 422)
    assert refused["rule"] == "TAB-CMD-01"
    assert refused["source"]
    stale = speaker.ask("command", choice={"type": "pass-bid"}, version=1, **asked)
    assert (stale["error"], stale["status"]) == ("Stale", 412)
    options = table.api.get(f"/v1/games/{table.game}/options", headers={"Authorization": f"Bearer {asked['token']}"})
    (command,) = speaker.ask("sample", schemas=[options.json()["options"][0]["schema"]], seed=1)
    first, again = (speaker.ask("command", choice=command, key="ab" * 16, **asked) for _ in range(2))
    assert (first["repeated"], again["repeated"]) == (False, True)
    assert first["version"] == again["version"] == table.get()["version"]


def test_streams_go_on_when_the_service_restarts(tmp_path: Path) -> None:
    got: dict[str, list[int]] = {}

    def follow(speaker: Speaker, table: Table, most: int) -> None:
        quick = {"longest": 1, "silence": 20}  # A busy machine is slow to start the service again.
        said = speaker.ask("events", 150, url=table.url, game=table.game, after=0, most=most, settings=quick)
        got[speaker.language] = [each["version"] for each in said]

    with reserved() as holding, contextlib.ExitStack() as stack:
        port = holding.getsockname()[1]
        with running(tmp_path / "data", tmp_path / "first.log", port=port) as (address, _):
            table = stack.enter_context(Table(address, "mare-nostrum"))
            most = table.get()["version"] + 3
            speakers = [stack.enter_context(speaking(language)) for language in LANGUAGES]
            threads = [threading.Thread(target=follow, args=(each, table, most)) for each in speakers]
            for thread in threads:
                thread.start()
        with running(tmp_path / "data", tmp_path / "second.log", port=port):
            while table.get()["version"] < most:
                for token in table.tokens:
                    table.answer(token)
            for thread in threads:
                thread.join(150)
    assert got == {language: [*range(1, most + 1)] for language in LANGUAGES}


def play_all(rulesets: list[str], database_url: str = "") -> None:
    """Play a whole game of each ruleset in each language."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder) / "data", Path(folder) / "service.log", database_url) as (address, _),
    ):
        for ruleset, language in CASES:
            if ruleset in (rulesets or LIBRARY.ids()):
                with Table(address, ruleset) as table, speaking(language) as speaker:
                    print(f"{ruleset}, {language}: {play(table, speaker, None)}", flush=True)


async def play_all_on_postgres(rulesets: list[str]) -> None:
    """Do the same over PostgreSQL."""
    with cluster() as servers:
        async with servers.database() as url:
            await asyncio.to_thread(play_all, rulesets, url)


def main() -> None:
    """Play games of the rulesets that are named, or of all."""
    rulesets = [each for each in sys.argv[1:] if each != "--postgres"]
    if "--postgres" in sys.argv:
        asyncio.run(play_all_on_postgres(rulesets))
    else:
        play_all(rulesets)


if __name__ == "__main__":
    main()
