"""Forks of officials while a game hides something: nobody else is shown them until that game is over (TAB-FORK-02)."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx
import pytest
from msgspec import Struct
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from domain.kernel.ids import GameId
from domain.kernel.proof.reading import read
from domain.kernel.proof.verify import verify
from domain.transparency.certificate import certify
from domain.transparency.entry import read_entry
from domain.transparency.policy import read_policy
from service.api.log.streams import PROTOCOL
from service.transparency.keys import check
from service.transparency.pages import Page
from tests.service.api.following import looked
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_administration import appointed, only
from tests.service.api.test_transparency import KEY
from tests.service.rig import LIBRARY

pytestmark = pytest.mark.rule("TAB-FORK-02")


class Table(Struct, frozen=True):
    """A game that hides the bid of Anna, its official Julia, and her fork of it."""

    service: Service
    anna: Player
    bert: Player
    julia: Player
    game: str
    fork: str


@pytest.fixture
async def service(tmp_path: Path, database_url: str) -> AsyncIterator[Service]:
    async with serving(tmp_path, durable=False, database_url=database_url, log_key=KEY) as running:
        yield running


@pytest.fixture
async def table(service: Service, anna: Player, bert: Player) -> Table:
    game, julia = await service.begun(anna, bert, rounds=2), await service.register("Julia")
    assert (await service.ask("PUT", f"/v1/games/{game}/officials/{julia.id}", anna)).status_code == 200
    await service.give(game, anna, "put-up", coins=1)
    await service.give(game, anna, "open-bidding")
    version = (await service.get(f"/v1/games/{game}"))["version"]
    made = await service.post(f"/v1/games/{game}/forks", julia, {"version": version, "title": "What if?"})
    assert made["fork"]["withheld"] == game
    fork = made["id"]
    await service.give(fork, julia, "choose-card", card=await service.first_card(fork, julia))
    return Table(service, anna, bert, julia, game, fork)


def withheld(answer: httpx.Response) -> bool:
    return answer.status_code == 403 and answer.json()["type"] == "/problems/withheld"


async def test_every_endpoint_of_a_game_is_closed_to_others(table: Table) -> None:
    """Whatever the contract has below a game; what is added to it is closed by itself."""
    contract = (await table.service.client.get("/openapi.json")).json()
    asked = 0
    for path, methods in contract["paths"].items():
        if not path.startswith("/v1/games/{game}"):
            continue
        url = re.sub(r"\{\w+\}", "x", path.replace("{game}", table.fork))
        for method, said in methods.items():
            for player in (None, table.anna, table.bert, await table.service.register("Carl")):
                if player is None and said.get("security") not in (None, [], [{}]) and {} not in said["security"]:
                    continue  # nobody is let in there at all
                answer = await table.service.ask(method.upper(), url, player)
                scopes = answer.status_code == 403 and answer.json()["type"] == "/problems/scope-missing"
                assert withheld(answer) or scopes, (method, path, answer.status_code, answer.text)
                asked += 1
    assert asked > 100


async def test_its_maker_plays_it_and_other_officials_read_it(table: Table) -> None:
    service, fork = table.service, table.fork
    await service.give(fork, table.julia, "choose-card", card=await service.first_card(fork, table.julia))
    other = await service.register("Ines")
    assert withheld(await service.ask("GET", f"/v1/games/{fork}", other))
    await service.ask("PUT", f"/v1/games/{table.game}/officials/{other.id}", table.anna)
    for player in (table.julia, other):
        for rest in ("", "/state", "/events", "/history", "/export", "/papers"):
            answer = await service.ask("GET", f"/v1/games/{fork}{rest}", player)
            assert answer.status_code == 200, (rest, answer.text)
    export = await service.ask("GET", f"/v1/games/{fork}/export", table.julia)
    verdict = verify(export.content.splitlines(keepends=True), LIBRARY)
    assert verdict.ok, verdict.problem
    await service.ask("DELETE", f"/v1/games/{table.game}/officials/{other.id}", table.anna)
    assert withheld(await service.ask("GET", f"/v1/games/{fork}", other))


async def test_its_export_is_another_when_the_dice_of_its_game_are_public(table: Table) -> None:
    url = f"/v1/games/{table.fork}/export"
    before = await table.service.ask("GET", url, table.julia)
    await table.service.play_out(table.game, table.anna, table.bert)
    after = await table.service.ask("GET", url, table.julia, if_none_match=before.headers["etag"])
    assert after.status_code == 200, "its version is the same, but not its content"
    assert after.content != before.content


async def test_a_token_that_is_no_judges_neither_makes_nor_sees_one(table: Table) -> None:
    service, game = table.service, table.game
    narrow = await service.post("/v1/tokens", table.julia, {"name": "plays", "scopes": ["play", "organize"]})
    player = Player(table.julia.id, {"authorization": f"Bearer {narrow['token']}"})
    assert withheld(await service.ask("GET", f"/v1/games/{table.fork}/state", player))
    version = (await service.get(f"/v1/games/{game}"))["version"]
    refused = await service.ask("POST", f"/v1/games/{game}/forks", player, {"version": version})
    assert (refused.status_code, refused.json()["type"]) == (409, "/problems/fork-hides")
    # Of all that happens in its games it is told what happens after the fork, and nothing of the fork.
    await service.post(f"/v1/games/{game}/forks", table.julia, {"version": version, "title": "Another"})
    own = await service.begun(table.julia, table.anna)
    async with service.client.stream("GET", "/v1/players/me/events/stream?after=0", headers=player.headers) as answer:
        frames = (json.loads(line[5:]) async for line in answer.aiter_lines() if line.startswith("data:"))
        assert (await anext(frames))["game"] == own


async def test_no_list_and_no_log_shows_it_to_others(table: Table) -> None:
    service, game, fork = table.service, table.game, table.fork
    auditor = await only(service, await appointed(service, "audit"), "audit")
    for player in (None, table.anna, table.bert):
        assert (await service.get(f"/v1/games/{game}/forks", player))["items"] == []
        for url in ("/v1/games", "/v1/cases", f"/v1/players/{table.julia.id}/record"):
            assert fork not in (await service.client.get(url, headers=player.headers if player else {})).text
    assert [row["id"] for row in (await service.get(f"/v1/games/{game}/forks", table.julia))["items"]] == [fork]
    assert {row["game"] for row in (await service.get("/v1/log?limit=500", auditor))["items"]} == {game}
    compared = await service.ask("GET", f"/v1/games/{game}/comparison?with={fork}", table.anna)
    assert withheld(compared)
    assert (await service.ask("GET", f"/v1/games/{game}/comparison?with={fork}", table.julia)).status_code == 200
    statement = {"kind": "slip", "version": 2, "rules": [], "statement": "It is mine."}
    about = await service.ask("POST", f"/v1/games/{fork}/cases", table.julia, statement)
    assert (about.status_code, about.json()["rule"]) == (409, "TAB-FORK-02")


async def test_no_socket_shows_it_and_a_released_official_is_cut_off(table: Table) -> None:
    service, fork = table.service, table.fork
    address = f"{str(service.client.base_url).replace('http', 'ws')}/v1/games/{fork}/events/socket?after=0"
    async with connect(address, subprotocols=[Subprotocol(PROTOCOL)]) as socket:
        assert json.loads(await socket.recv())["data"]["type"] == "/problems/withheld"
    async with connect(address, additional_headers=table.julia.headers) as socket:
        for version in (1, 2):
            assert json.loads(await socket.recv())["id"] == version
        await service.ask("DELETE", f"/v1/games/{table.game}/officials/{table.julia.id}", table.anna)
        service.services.wake.notify(GameId(fork), 2)
        assert json.loads(await socket.recv())["data"]["type"] == "/problems/withheld"


async def test_it_is_shown_to_everybody_when_its_game_is_over(table: Table) -> None:
    service, fork = table.service, table.fork
    deeper = (await service.post(f"/v1/games/{fork}/forks", table.julia, {"version": 1}))["fork"]
    assert (deeper["parent"], deeper["withheld"]) == (fork, table.game)
    while (now := await service.get(f"/v1/games/{fork}", table.julia))["status"] == "running":
        if now["decisions"][0]["kind"] == "choose-card":
            await service.give(fork, table.julia, "choose-card", card=await service.first_card(fork, table.julia))
        else:
            await service.give(fork, table.julia, "put-up", coins=1)
            await service.give(fork, table.julia, "open-bidding")
    assert withheld(await service.ask("GET", f"/v1/games/{fork}/export", table.anna))
    await service.play_out(table.game, table.anna, table.bert)
    assert (await service.get(f"/v1/games/{fork}", table.bert))["status"] == "over"
    assert len((await service.get(f"/v1/games/{table.game}/forks"))["items"]) == 1
    export = await service.ask("GET", f"/v1/games/{fork}/export")
    assert verify(export.content.splitlines(keepends=True), LIBRARY).unproved == ()


# --- the transparency log ---------------------------------------------------------------------------------------------


async def entries(service: Service, game: str, status: str) -> list[tuple[int, str]]:
    """Return version and status of the entries of a game, once one has a status."""
    async with asyncio.timeout(60):
        while True:
            found = [read_entry(entry) for entry in await service.services.store.tree.entries(0, 1000)]
            shown = [(entry.version, entry.status) for entry in found if entry.id == game]
            if any(each == status for _, each in shown):
                return shown
            await asyncio.sleep(0.05)


async def test_the_log_has_its_beginning_and_the_rest_when_its_game_is_over(table: Table, tmp_path: Path) -> None:
    service, fork = table.service, table.fork
    assert await entries(service, fork, "withheld") == [(1, "withheld")]
    await service.give(fork, table.julia, "choose-card", card=await service.first_card(fork, table.julia))
    head = (await service.get(f"/v1/games/{fork}", table.julia))["version"]
    late = await service.ask("GET", f"/v1/games/{fork}/certificate", table.julia)
    assert (late.status_code, "retry-after" in late.headers) == (404, False)
    assert await looked(table.service, tmp_path / "seen") == ""
    await service.play_out(table.game, table.anna, table.bert)
    assert await entries(service, fork, "running") == [(1, "withheld"), (head, "running")]
    assert await looked(table.service, tmp_path / "seen") == ""
    policy = read_policy((await service.get("/v1/transparency/key"))["policy"].encode())
    export = read((await service.ask("GET", f"/v1/games/{fork}/export")).content.splitlines(keepends=True))
    for version, said in ((1, "It was withheld then"), (head, f"has version {head} ")):
        certificate = (await service.ask("GET", f"/v1/games/{fork}/certificate?version={version}")).text
        found = certify(
            export.game, export.records, lambda at: export.fold(LIBRARY, at).status, certificate, policy, check
        )
        assert (found.problem, said in " ".join(found.said)) == ("", True)


async def test_who_withholds_something_else_is_found_out(table: Table, tmp_path: Path) -> None:
    service, game, fork = table.service, table.game, table.fork
    await entries(service, fork, "withheld")
    await entries(service, game, "running")
    refusal = await service.ask("GET", f"/v1/games/{fork}")
    closed = Page(403, refusal.content)
    first = refusal.json()["first"]

    def instead(of: str, page: Page) -> Callable[[str, Page], Page]:
        return lambda path, shown: page if path == f"/v1/games/{of}" else shown

    def changed(**event: str) -> Page:
        row = {**first, "event": {**first["event"], **event}}
        return Page(403, json.dumps({**refusal.json(), "first": row}).encode())

    over = Page(200, json.dumps({"id": game, "status": "over", "version": 10_000}).encode())
    lies = {
        "and withholds it now.": instead(game, closed),
        "does not show the first event of it that it signed": instead(fork, changed(withheld="gsomebodyelses")),
        "and shows no such game": instead(game, Page(404, b"{}")),
        "and shows that as over": instead(game, over),
    }
    for number, (said, told) in enumerate(lies.items()):
        assert said in await looked(table.service, tmp_path / str(number), told)
    assert await looked(table.service, tmp_path / "honest") == ""
