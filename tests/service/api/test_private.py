"""Private games: nobody reads one who does not take part in it, by whatever way (TAB-READ-01)."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from msgspec import Struct
from websockets.asyncio.client import connect

from domain.kernel.ids import GameId
from domain.kernel.proof.reading import read
from domain.kernel.proof.verify import verify
from domain.transparency.certificate import certify
from domain.transparency.entry import read_entry
from domain.transparency.policy import read_policy
from service.api.contract.document import endpoints
from service.transparency.keys import check
from service.transparency.pages import Page
from tests.service.api.following import looked
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_administration import appointed, only
from tests.service.api.test_transparency import KEY
from tests.service.rig import LIBRARY

pytestmark = pytest.mark.rule("TAB-READ-01")

NAMED: Final = {"game", "with", "case"}
"""Parameters of addresses that name a game or a case."""

OTHERS: Final = {
    *(
        "account",
        "app",
        "asked",
        "bots",
        "bulk",
        "proposed",
        "offer",
        "draft",
        "chart",
        "client",
        "document",
        "file",
        "imported",
        "invitation",
        "left",
        "lesson",
        "level",
        "number",
        "passkey",
        "player",
        "rule",
        "tournament",
        "league",
        "season",
        "round",
        "table",
    ),
    *("ruleset", "seat", "secret", "tile", "token", "webhook", "delivery", "device"),
    *(
        "after",
        "chapter",
        "clock",
        "confirm",
        "cursor",
        "for",
        "frames",
        "limit",
        "match",
        "month",
        "name",
        "next",
        "organizer",
        "scope",
        "status",
        "text",
    ),
    *("unread", "version", "waiting", "waiting_for", "width", "with_version"),
}
"""Parameters that name no game."""


class Table(Struct, frozen=True):
    """A private game of Anna and Bert, its official Julia, and a case about it; a fork of another one that is over."""

    service: Service
    anna: Player
    bert: Player
    julia: Player
    carl: Player
    game: str
    fork: str
    case: str

    def readers(self) -> Iterator[Player]:
        yield from (self.anna, self.bert, self.julia)


@pytest.fixture
async def service(tmp_path: Path, database_url: str) -> AsyncIterator[Service]:
    async with serving(tmp_path, durable=False, database_url=database_url, log_key=KEY) as running:
        yield running


async def begun(service: Service, anna: Player, bert: Player, julia: Player) -> str:
    """Return a private game that has begun, and has an official; Bert comes by an invitation."""
    wish = {"ruleset": "tiny-auction", "players": 2, "setup": {"rounds": 1}, "title": "Ours", "readers": "invited"}
    game = (await service.post("/v1/games", anna, wish))["id"]
    await service.post(f"/v1/games/{game}/seats", anna, {})
    assert private(await service.ask("POST", f"/v1/games/{game}/seats", bert, {}))
    invitation = (await service.post(f"/v1/games/{game}/invitations", anna))["token"]
    assert (await service.get(f"/v1/invitations/{invitation}"))["game"]["title"] == "Ours"
    await service.post(f"/v1/invitations/{invitation}", bert, {})
    await service.post(f"/v1/games/{game}/start", anna)
    assert (await service.ask("PUT", f"/v1/games/{game}/officials/{julia.id}", anna)).status_code == 200
    return game


async def play_out(service: Service, game: str, anna: Player, bert: Player) -> None:
    await service.give(game, anna, "put-up", coins=1)
    await service.give(game, anna, "open-bidding")
    for player in (anna, bert):
        await service.give(game, player, "choose-card", card=await service.first_card(game, player))


@pytest.fixture
async def table(service: Service, anna: Player, bert: Player) -> Table:
    julia = await service.register("Julia")
    game, over = await begun(service, anna, bert, julia), await begun(service, anna, bert, julia)
    version = (await service.get(f"/v1/games/{over}", anna))["version"]
    await play_out(service, over, anna, bert)
    fork = (await service.post(f"/v1/games/{over}/forks", bert, {"version": version}))["id"]
    complaint = {"kind": "slip", "version": 2, "statement": "It is mine."}
    case = (await service.post(f"/v1/games/{game}/cases", bert, complaint))["summary"]["case"]
    return Table(service, anna, bert, julia, await service.register("Carl"), game, fork, case)


def private(answer: httpx.Response) -> bool:
    return (answer.status_code, answer.json().get("rule")) == (403, "TAB-READ-01")


def unauthorized(answer: httpx.Response) -> bool:
    return answer.status_code in (401, 403) and answer.json()["type"].removeprefix("/problems/") in (
        "missing-token",
        "scope-missing",
    )


async def test_every_endpoint_that_takes_a_game_or_a_case_is_closed_to_others(table: Table) -> None:
    """Whatever the contract has. What is added to it is closed by itself, or its parameter is unknown here."""
    service, contract = table.service, (await table.service.client.get("/openapi.json")).json()
    auditor = await appointed(service, "audit", "admin")
    asked = set[tuple[str, str]]()
    for path, methods in contract["paths"].items():
        for method, said in methods.items():
            shared = contract["components"]["parameters"]
            given = [shared[each["$ref"].rpartition("/")[2]] if "$ref" in each else each for each in said["parameters"]]
            names = {each["name"] for each in given if each["in"] in ("path", "query")}
            assert names <= NAMED | OTHERS, f"{path}: say whether {names - NAMED - OTHERS} name a game"
            for name in names & NAMED:
                for stream in (table.case,) if name == "case" else (table.game, table.fork):
                    url = re.sub(r"\{(game|case)\}", stream, path)
                    url = re.sub(r"\{\w+\}", "x", url) + ("" if f"{{{name}}}" in path else f"?{name}={stream}")
                    for player in (None, table.carl, auditor):
                        answer = await service.ask(method.upper(), url, player)
                        assert private(answer) or unauthorized(answer), (method, url, answer.status_code, answer.text)
                        asked.add((method, path))
    named = {(method.lower(), path) for path, method, said in endpoints() if said.of_game or said.of_case}
    assert named < asked
    assert {path for _, path in asked - named} == {"/v1/cases", "/v1/statistics/dice"}


async def test_everybody_who_takes_part_reads_the_private_game(table: Table) -> None:
    for player in table.readers():
        for url in (*(f"/v1/games/{each}{rest}" for each in (table.game, table.fork) for rest in ("", "/events")),):
            assert (await table.service.ask("GET", url, player)).status_code == 200, url
        assert (await table.service.get(f"/v1/cases/{table.case}", player))["summary"]["game"] == table.game
        parent = (await table.service.get(f"/v1/games/{table.fork}", player))["fork"]["parent"]
        assert len((await table.service.get(f"/v1/games/{parent}/forks", player))["items"]) == 1
    shown = await table.service.get(f"/v1/games/{table.game}", table.bert)
    assert (shown["readers"], shown["listed"]) == ("invited", False)
    assert (await table.service.get(f"/v1/games/{table.fork}", table.anna))["readers"] == "invited"


async def test_no_list_no_log_and_no_page_shows_it_to_others(table: Table) -> None:
    service, carl, auditor = table.service, table.carl, await appointed(table.service, "audit")
    open_game = await service.begun(carl, table.anna)
    urls = (
        *("/v1/games", f"/v1/games?player={table.anna.id}", f"/v1/games?waiting_for={table.anna.id}"),
        *("/v1/games?text=ours", "/v1/cases", "/v1/cases?for=me", "/v1/cases?rule=TAB-RUL-01", "/v1/players/me/games"),
        "/v1/notifications",
        *(f"/v1/games/{open_game}/inspection", f"/games/{table.game}", f"/games/{table.fork}"),
        "/v1/rulesets/tiny-auction/rules/TAB-LIFE-02/games",
    )
    for url in urls:
        answer = await service.client.get(url, headers={**carl.headers, "accept": "*/*"})
        assert answer.status_code == 200, url
        text = answer.text.replace(f'"/games/{table.game}"', "")
        assert not [each for each in (table.game, table.fork, table.case, "og:title") if each in text], url
    log = (await service.get("/v1/log?limit=500", await only(service, auditor, "audit")))["items"]
    assert {row["game"] for row in log} == {open_game}


async def test_its_rulings_are_no_precedents_for_others(table: Table) -> None:
    service, now = table.service, await table.service.get(f"/v1/games/{table.game}", table.julia)
    ruling = {"decision": "stands", "rules": ["TAB-LIFE-03"], "reason": "So it is.", "version": now["version"]}
    await service.post(f"/v1/cases/{table.case}/rulings", table.julia, {**ruling, "hash": now["head"]})
    open_game = await service.begun(table.carl, table.anna)
    taken = await service.get(f"/v1/games/{open_game}/inspection?version=2", table.carl)
    assert ("TAB-LIFE-03" in str(taken["rules"]), taken["precedents"]) == (True, [])


async def test_streams_show_it_to_nobody_else_and_end_for_who_is_let_in_no_more(table: Table) -> None:
    service, game, base = table.service, table.game, str(table.service.client.base_url).replace("http", "ws")
    async with connect(
        f"{base}/v1/games/{game}/events/socket?after=0", additional_headers=table.carl.headers
    ) as socket:
        assert json.loads(await socket.recv())["data"]["type"] == "/problems/private"
    async with service.client.stream(
        "GET", f"/v1/cases/{table.case}/stream?after=0", headers=table.julia.headers
    ) as it:
        frames = it.aiter_lines()
        while "case-opened" not in await anext(frames):
            pass
        await service.ask("DELETE", f"/v1/games/{game}/officials/{table.julia.id}", table.anna)
        service.services.wake.notify(GameId(table.case), 1)
        async with asyncio.timeout(20):
            assert not [line async for line in frames if line.startswith("event")]
    # Julia is its official no more; of all that happens in her games she is told what happens in others.
    own = await service.begun(table.julia, table.carl)
    async with service.client.stream("GET", "/v1/players/me/events/stream?after=0", headers=table.julia.headers) as it:
        shown = (json.loads(line[5:]) async for line in it.aiter_lines() if line.startswith("data:"))
        assert (await anext(shown))["game"] == own


async def test_a_private_game_stays_private_and_what_is_only_unlisted_is_read_by_its_address(table: Table) -> None:
    service, anna = table.service, table.anna
    refused = await service.ask("PUT", f"/v1/games/{table.game}/listing", anna, {"listed": True})
    assert (refused.status_code, refused.json()["rule"]) == (422, "TAB-READ-01")
    assert (await service.ask("PUT", f"/v1/games/{table.game}/listing", anna, {"listed": False})).status_code == 200
    unlisted = await service.post("/v1/games", anna, {"ruleset": "tiny-auction", "players": 2, "listed": False})
    assert unlisted["readers"] == "everybody"
    assert (await service.get(f"/v1/games/{unlisted['id']}"))["id"] == unlisted["id"]
    assert unlisted["id"] not in str(await service.get("/v1/games"))


# --- what can be proved of it -----------------------------------------------------------------------------------------


async def entries(service: Service, stream: str, count: int, last: str = "") -> list[tuple[int, str]]:
    """Return the version and the status of a stream's entries, once there are `count` and the last has a status."""
    async with asyncio.timeout(60):
        while True:
            found = [read_entry(entry) for entry in await service.services.store.tree.entries(0, 1000)]
            shown = [(entry.version, entry.status) for entry in found if entry.id == stream]
            if len(shown) >= count and last in ("", shown[-1][1]):
                return shown
            await asyncio.sleep(0.05)


async def test_the_log_has_hashes_of_its_beginning_and_its_end(table: Table, tmp_path: Path) -> None:
    service, game = table.service, table.game
    open_game = await service.begun(table.carl, table.anna)
    assert await entries(service, game, 1) == await entries(service, table.case, 1) == [(1, "private")]
    await entries(service, open_game, 1)
    late = await service.ask("GET", f"/v1/games/{game}/certificate", table.bert)
    assert (late.status_code, "retry-after" in late.headers) == (404, False)
    assert await looked(table.service, tmp_path / "honest") == ""
    closed = Page(403, (await service.ask("GET", f"/v1/games/{game}")).content)

    def hides(path: str, page: Page) -> Page:
        return closed if path == f"/v1/games/{open_game}" else page

    assert "and withholds it now." in await looked(table.service, tmp_path / "lied", hides)
    await play_out(service, game, table.anna, table.bert)
    shown: dict[str, Any] = await service.get(f"/v1/games/{game}", table.bert)
    assert shown["status"] == "over"
    assert await entries(service, game, 2) == [(1, "private"), (shown["version"], "private")]
    export = await service.ask("GET", f"/v1/games/{game}/export", table.bert)
    assert verify(export.content.splitlines(keepends=True), LIBRARY).unproved == ()
    policy = read_policy((await service.get("/v1/transparency/key"))["policy"].encode())
    log = read(export.content.splitlines(keepends=True))
    async with asyncio.timeout(60):
        while (shown_it := await service.ask("GET", f"/v1/games/{game}/certificate", table.bert)).status_code == 404:
            assert shown_it.json()["type"] == "/problems/not-logged-yet"
            await asyncio.sleep(0.05)
    found = certify(log.game, log.records, lambda at: log.fold(LIBRARY, at).status, shown_it.text, policy, check)
    assert (found.problem, "It is private" in " ".join(found.said)) == ("", True)
    assert private(await service.ask("GET", f"/v1/games/{game}", table.carl))
    assert await looked(table.service, tmp_path / "honest") == ""


async def test_who_makes_an_open_game_private_afterwards_is_found_out(table: Table, tmp_path: Path) -> None:
    service = table.service
    game = await service.begun(table.carl, table.anna, rounds=1)
    await entries(service, game, 1)
    store: Any = service.services.store
    database = store._database
    await database.execute("INSERT INTO private (book, game) VALUES (?, ?)", type(store).book(game), game)
    await play_out(service, game, table.carl, table.anna)
    *_, (version, status), _ = await entries(service, game, 2, "private")
    said = await looked(table.service, tmp_path / "seen")
    assert f"Version {version} of game {game} was {status}, and version " in said
    assert " private." in said
