"""What the service keeps about an account, as a file for its owner: all of it, nothing of others, and no secret."""

import base64
import hashlib
import json
import re
import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import fields

from domain.kernel.ids import GameId, PlayerId
from projections import ratings
from projections.library import COUNTED, PROJECTIONS
from service.api.data import routes
from service.api.data.bodies import DataLine
from service.store.sqlite.accounts import SqliteAccounts
from service.store.sqlite.schema import script
from service.webhooks.push import new_push_key
from service.webhooks.secrets import new_key
from tests.helpers.browsers import Subscriber, text
from tests.helpers.mailing import posting
from tests.helpers.postgres import connected
from tests.service.api.apps import App
from tests.service.api.browsers import browser
from tests.service.api.clubs import REGULATIONS
from tests.service.api.joining import joined
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_imports import EXPORT, bring, exported, here
from tests.service.api.test_leagues import RULES
from tests.service.api.test_passkeys import registered
from tests.service.api.test_ratings import counted
from tests.service.api.test_statements import counting
from tests.service.api.test_tokens import narrower

DATA: Final = "/v1/players/me/data"

OWNERS: Final = {"player", "organizer", "account", "eraser", "owner"}
"""The columns that name an account."""

SHOWN: Final = {
    "app_consents": "app",
    "apps": "client",
    "cases": "case",
    "consents": "consent",
    "games": "game",
    "identities": "issuer",
    "imports": "imported",
    "inbox_settings": "inbox",
    "joinings": "joining",
    "leagues": "league",
    "passkeys": "passkey",
    "players": "account",
    "read_marks": "read_mark",
    "recovery_codes": "recovery_codes",
    "seated": "game",
    "tokens": "token",
    "tournaments": "tournament",
    "webhooks": "webhook",
}
"""Tables with such a column, and the lines that show their rows."""

LEFT_OUT: Final = {
    "app_codes": "ends within ten minutes, and is a hash",
    "bulks": "goes after 60 days; its games are shown",
    "joining_codes": "ends within ten minutes, and is a hash",
    "keys": "digests of keys that go after 48 hours",
    "statements": "`eraser` is an official; what somebody wrote is shown with its case",
}

OF_PROJECTIONS: Final = {
    "games": "the organizer of a game, which is shown",
    "novices": "made from ratings, which are shown",
    "offices": "shown as games",
    "members": "shown as games and tournaments",
    "notices": "the public log: who caused an event",
    "played": "the public log: the record of a player",
    "ladder": "shown as ratings",
    "points": "the public log: the history of ratings",
    "seated": "shown as games",
}
"""Tables of projections with such a column. All are made from logs."""


@pytest.fixture
async def service(tmp_path: Path, database_url: str) -> AsyncIterator[Service]:
    async with posting() as post:
        settings: dict[str, Any] = {"webhook_key": new_key(), "push_key": new_push_key(), "outward": "anywhere"}
        settings |= {"smtp_url": post.url, "smtp_from": "games@example.org", "public_url": "https://games.example.org"}
        async with serving(tmp_path, durable=False, database_url=database_url, **settings) as running:
            yield running


async def put(service: Service, path: str, player: Player, body: Any = None) -> Any:
    answer = await service.ask("PUT", path, player, body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def filled(service: Service, player: Player, other: Player) -> list[str]:
    """Give an account one of everything; return its secrets."""
    name = player.id
    made = await service.post("/v1/tokens", player, {"name": f"bot of {name}", "scopes": ["play"]})
    ended = await service.post("/v1/tokens", player, {"name": "ended", "scopes": ["play"]})
    assert (await service.ask("DELETE", f"/v1/tokens/{ended['details']['id']}", player)).status_code == 200
    await joined(service, await service.register(f"Twin of {name}"), player)
    async with browser(service, player) as page:
        session = page.cookies["tabularium_session"]
    await registered(service, player)
    accounts = service.services.store.accounts
    await accounts.link(PlayerId(player.id), "https://login.example", f"subject of {name}")
    codes = (await service.post("/v1/recovery-codes", player))["codes"]
    await put(service, f"/v1/players/me/consents/{other.id}", player)
    app = await App(service).signed_in(player)
    redirects = ["https://boards.example.org/back"]
    client = await service.post("/v1/clients", player, {"name": f"client of {name}", "redirects": redirects})
    await put(service, "/v1/notifications/settings", player, {"off": ["flag-fell"]})
    await put(service, "/v1/notifications/email", player, {"address": f"{name}@example.org"})
    phone = Subscriber(f"https://push.invalid/send/{name}")
    await service.post("/v1/notifications/push", player, phone.subscription())
    hook = await service.post("/v1/webhooks", player, {"url": f"http://127.0.0.1:9/{name}"})
    tournament = await service.post("/v1/tournaments", player, {"regulations": dict(REGULATIONS), "title": name})
    await service.post(f"/v1/tournaments/{tournament['summary']['tournament']}/entries", other, {})
    await service.post("/v1/leagues", player, {"regulations": dict(RULES), "title": name})
    service.services.imports.examine = here
    assert (await bring(service, player, EXPORT if player.id < other.id else exported(6))).status_code == 201
    game = await service.begun(player, other)
    await put(service, f"/v1/games/{game}/officials/{(await service.register('Julia')).id}", player)
    case = await service.post(
        f"/v1/games/{game}/cases", player, {"kind": "slip", "version": 4, "statement": f"A slip of {name}."}
    )
    url = f"/v1/cases/{case['summary']['case']}"
    await service.post(f"{url}/answer", other, {"statement": f"An answer of {other.id}."})
    await service.post(f"{url}/statements", player, {"statement": "To be erased."})
    admin, _ = await service.services.accounts.register("Olga", ("admin",))
    await accounts.grant(admin.player, ("admin",))
    await service.services.desk.erase(case["summary"]["case"], 3, admin.player)
    await accounts.mark_read(PlayerId(player.id), {game: 3})  # type: ignore[reportArgumentType]
    (mailbox,) = await service.services.store.webhooks.webhooks(PlayerId(player.id), ("mail",))
    kept = json.loads(service.services.webhooks.sealer().open(mailbox.secret))
    rows = await service.services.store.webhooks.webhooks(PlayerId(player.id), ("standard", "push", "mail"))
    return [
        *(made["token"], ended["token"], player.headers["authorization"].removeprefix("Bearer "), session),
        *(app["access_token"], app["refresh_token"], client["secret"], hook["secret"], *codes),
        *(phone.endpoint, text(phone.point), text(phone.auth), kept["confirm"], kept["leave"]),
        *(text(row.secret) for row in rows),
        *(row.url for row in rows if row.form != "standard"),
        *(text(row.credential) for row in await accounts.passkeys(PlayerId(player.id))),
        *(text(row.public_key) for row in await accounts.passkeys(PlayerId(player.id))),
    ]


def forms(secret: str) -> Iterator[str]:
    """Yield a secret, and its SHA-256 as somebody may write it."""
    digest = hashlib.sha256(secret.encode()).digest()
    yield from (secret, digest.hex(), text(digest), base64.b64encode(digest).decode())


async def downloaded(service: Service, player: Player, **headers: str) -> bytes:
    answer = await service.ask("GET", DATA, player, **headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-disposition"] == f'attachment; filename="tabularium-{player.id}.jsonl"'
    return answer.content


def parts_of(content: bytes) -> dict[str, list[Any]]:
    """Return the lines of a file by their kinds."""
    found = dict[str, list[Any]]()
    for line in content.splitlines():
        ((kind, value),) = json.loads(line).items()
        found.setdefault(kind, []).append(value)
    return found


async def test_the_file_has_all_of_an_account_and_nothing_of_another_and_no_secret(
    service: Service, anna: Player, bert: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = [await filled(service, anna, bert), await filled(service, bert, anna)]
    left = await service.gathering(anna, organizer=bert)
    assert (await service.ask("DELETE", f"/v1/games/{left}/seats/red", anna)).status_code == 200
    judged = await service.begun(bert, await service.register("Carla"))
    office = f"/v1/games/{judged}/officials/{anna.id}"
    await put(service, office, bert)
    assert (await service.ask("DELETE", office, bert)).status_code == 200
    await put(service, office, bert)
    wish = {"kind": "slip", "version": 4, "statement": "Seen by an official."}
    await service.post(f"/v1/games/{judged}/cases", anna, wish)
    played = await service.begun(bert, anna, rounds=1)
    await service.play_out(played, anna, bert)
    monkeypatch.setattr(ratings, "NOVICE_UNTIL", 0)
    await counted(service)
    content = await downloaded(service, anna)
    parts = parts_of(content)
    assert set(parts) == {each.name for each in fields(DataLine)} - {"more"}
    assert parts["end"] == [{"lines": content.count(b"\n") - 1}]
    assert json.loads(content.splitlines()[-1]) == {"end": parts["end"][0]}
    (account,) = parts["account"]
    assert (account["id"], account["name"], account["findable"], account["bot"]) == (anna.id, "Anna", False, False)
    named = {token["name"]: token for token in parts["token"]}
    assert {"registration", f"bot of {anna.id}", "ended"} < set(named)
    assert named["ended"]["revoked"]
    assert [token["session"] for token in parts["token"]].count(True) >= 1
    assert [token["app"] for token in parts["token"]].count(True) == 1
    assert parts["issuer"] == [{"issuer": "https://login.example", "subject": f"subject of {anna.id}"}]
    assert parts["recovery_codes"] == [{"left": 10}]
    assert [consent["organizer"] for consent in parts["consent"]] == [bert.id]
    assert parts["inbox"] == [{"off": ["flag-fell"], "games": {}}]
    assert [email["address"] for email in parts["email"]] == [f"{anna.id}@example.org"]
    assert [device["service"] for device in parts["device"]] == ["push.invalid"]
    roles = [(game["id"], game["role"], game["seat"]) for game in parts["game"]]
    own = next(game for game, role, _ in roles if role == "organizer")
    theirs = {game for game, role, seat in roles if (role, seat) == ("seat", "blue")}
    assert set(roles) == {
        *((own, "organizer", None), (own, "seat", "red"), (left, "seat", "red"), (judged, "official", None)),
        *((each, "seat", "blue") for each in theirs),
    }
    assert (len(roles), len(theirs)) == (7, 2), "she held the office twice"
    (answered,) = theirs - {played}
    (former,) = [game for game in parts["game"] if game["id"] == left]
    assert former["since"] < former["until"]
    assert [mark["stream"] for mark in parts["read_mark"]] == [own]
    assert sorted(each["role"] for each in parts["tournament"]) == ["director", "organizer", "player"]
    cases = {case["game"]: case for case in parts["case"]}
    assert (len(parts["case"]), len(cases)) == (3, 3)
    assert [(each["version"], each["text"]) for each in cases[own]["texts"]] == [(1, f"A slip of {anna.id}.")]
    assert (cases[own]["opened"], cases[answered]["opened"]) == (True, False)
    assert [each["text"] for each in cases[answered]["texts"]] == [f"An answer of {anna.id}."]
    assert [each["ruleset"] for each in parts["rating"]] == ["tiny-auction"]
    assert [each["game"] for each in parts["imported"]] in (["game-5"], ["game-6"])

    said = content.decode()
    for secret in (form for each in secrets for one in each for form in forms(one)):
        assert secret not in said, secret
    assert "Bert" not in said
    assert said.count(bert.id) == 1, "as the organizer who may seat Anna"

    # By pages, in pieces, and as bytes it is the same.
    monkeypatch.setattr(routes, "PAGE", 1)
    monkeypatch.setattr(routes, "PIECE", 1)
    assert sorted((await downloaded(service, anna)).splitlines()) == sorted(content.splitlines())
    monkeypatch.setattr(routes, "MOST_CASES", 1)
    cut = parts_of(await downloaded(service, anna))
    assert (len(cut["case"]), cut["more"]) == (1, [{"cases": 2}])


async def test_only_the_owner_gets_the_file_and_no_page_of_another_site(
    service: Service, anna: Player, bert: Player
) -> None:
    await counted(service)
    assert (await service.ask("GET", DATA)).json()["type"] == "/problems/missing-token"
    for player in (
        await narrower(service, anna, "play", "organize", "judge", "notify"),
        await an_app_of(service, anna),
    ):
        refused = await service.ask("GET", DATA, player)
        assert (refused.status_code, refused.json()["type"]) == (403, "/problems/scope-missing")
    assert parts_of(await downloaded(service, bert))["account"][0]["id"] == bert.id
    async with browser(service, anna) as page:
        del page.headers["tabularium-page"], page.headers["origin"]  # as a link is followed
        for site, status in (("same-origin", 200), ("none", 200), ("cross-site", 403), ("same-site", 403)):
            answer = await page.get(DATA, headers={"sec-fetch-site": site})
            assert answer.status_code == status, site
            if status == 403:
                assert answer.json()["type"] == "/problems/cross-site"
    assert (await service.ask("GET", f"{DATA}?player={bert.id}", anna)).json()["type"] == "/problems/invalid-query"


async def an_app_of(service: Service, player: Player) -> Player:
    tokens = await App(service).signed_in(player, "play organize judge notify")
    return Player(player.id, {"authorization": f"Bearer {tokens['access_token']}"})


async def test_without_the_rows_of_a_projection_there_is_a_problem_and_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unrated(*_: Any) -> list[Any]:
        return []

    monkeypatch.setattr(ratings, "of_player", unrated)
    monkeypatch.setattr(routes, "PIECE", 1)
    async with serving(tmp_path, durable=False, projections=False) as service:
        anna = await service.register("Anna")
        answer = await service.ask("GET", DATA, anna)
        assert (answer.status_code, answer.json()["type"]) == (503, "/problems/unavailable")


async def test_many_rows_take_no_more_statements_than_few(tmp_path: Path) -> None:
    async with serving(tmp_path, durable=False) as service:
        anna, bert = await service.register("Anna"), await service.register("Bert")
        asked, lines = list[int](), list[int]()
        for more in (1, 8):
            for _ in range(more):
                game = await service.begun(anna, bert)
                await service.services.store.accounts.mark_read(PlayerId(anna.id), {GameId(game): 3})
                await narrower(service, anna, "play")
            await counted(service)
            tries, content = list[int](), b""
            for _ in range(4):  # the first finds out what is remembered, and the background asks, too
                with counting() as statements:
                    content = await downloaded(service, anna)
                tries.append(len(statements))
            asked.append(min(tries))
            lines.append(content.count(b"\n"))
        assert lines[1] == lines[0] + 8 * 4
        assert asked[1] == asked[0] < 40


def owners(columns: Sequence[tuple[str, str]]) -> set[str]:
    """Return the tables, out of pairs of table and column, that name an account."""
    return {table for table, column in columns if column in OWNERS}


def embedded_owners() -> set[str]:
    """Return the tables of the embedded store that name an account."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script(0))
        query = "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'"
        return owners(connection.execute(query).fetchall())


async def test_each_table_that_names_an_account_is_shown_or_left_out_for_a_reason(postgres_url: str) -> None:
    """A new one belongs into the file, or into the list here with a reason."""
    assert set(SHOWN.values()) <= {each.name for each in fields(DataLine)}
    embedded = embedded_owners()
    async with connected(postgres_url) as owner:
        query = (
            "SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
            " WHERE c.relnamespace = 'tabularium'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0"
        )
        assert owners([tuple(row) for row in await owner.fetch(query)]) == embedded
    assert embedded == SHOWN.keys() | LEFT_OUT.keys()
    tables = [table for each in (*PROJECTIONS, *COUNTED) for table in each.tables]
    assert {each.name for each in tables if OWNERS & {*each.key, *each.columns} or "actor" in each.columns} == set(
        OF_PROJECTIONS
    )


async def test_what_goes_when_an_account_is_closed_is_in_the_file() -> None:
    said = list[str]()

    class Listening(SqliteAccounts):
        def __init__(self) -> None:
            pass

        async def change(self, *statements: tuple[str, tuple[Any, ...]], alone: str = "") -> list[Any]:
            said.extend(statement for statement, _ in statements)
            return []

    await Listening().close(PlayerId("p1"), "now", "name")
    changed = {table for one in said for table in re.findall(r"(?:^UPDATE|^DELETE FROM) (\w+)", one)}
    with_hooks = {"deliveries": "webhooks", "attempts": "webhooks"}
    assert {with_hooks.get(table, table) for table in changed} <= SHOWN.keys() | {"app_codes"}
    assert {"players", "tokens", "passkeys", "webhooks", "consents", "apps"} <= changed
