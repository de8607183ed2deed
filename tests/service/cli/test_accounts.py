"""Accounts from the command line: how the first administrator comes to be, and how one helps who lost his token."""

import re
from pathlib import Path

import pytest

from tests.service.cli.calling import Call, http, serving


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def made(call: Call, data: Path, *arguments: str) -> tuple[str, str]:
    """Return the id and the token of a new account."""
    said = call("accounts", "create", *arguments, "--data", data)
    found = re.fullmatch(r"account (p\w+), which may [a-z ]+\ntoken   (tab_\S{43})\n", said.out)
    assert found is not None, said
    return found[1], found[2]


def test_the_first_administrator_is_made_before_or_while_the_service_runs(call: Call, data: Path):
    olga, before = made(call, data, "Olga", "--scopes", "account,admin")
    with serving(data) as service:
        _, meanwhile = made(call, data, "Otto", "--scopes", "admin")
        for token in (before, meanwhile):
            answer = http.get(f"{service.address}/v1/players", headers={"authorization": f"Bearer {token}"})
            assert {account["name"] for account in answer.json()["items"]} == {"Olga", "Otto"}
        (first,) = call("accounts", "tokens", olga, "--json", "--data", data).json
        assert call("accounts", "revoke", first["id"], "--data", data).out == f"token {first['id']} is revoked\n"
        other = call("accounts", "token", olga, "admin", "--name", "spare", "--data", data).out.splitlines()[1]
        assert [each["name"] for each in call("accounts", "tokens", olga, "--json", "--data", data).json] == ["spare"]
        me = http.get(f"{service.address}/v1/players/me", headers={"authorization": f"Bearer {other}"}).json()
        assert (me["id"], me["scopes"]) == (olga, ["admin"])


def test_accounts_are_listed_granted_and_closed(call: Call, data: Path):
    anna, _ = made(call, data, "Anna")
    made(call, data, "Bert")
    said = call("accounts", "grant", anna, "play", "audit", "--data", data)
    assert said.out == f"account {anna} may play audit\n"
    (account,) = call("accounts", "list", "--scope", "audit", "--json", "--data", data).json
    assert (account["id"], account["scopes"], account["closed"]) == (anna, ["play", "audit"], None)
    assert "Bert" in call("accounts", "list", "--data", data).out
    assert call("accounts", "close", anna, "--data", data).out == f"account {anna} is closed\n"
    assert f"{anna} is closed" in call("accounts", "token", anna, "play", "--data", data).complaint
    assert call("accounts", "tokens", anna, "--json", "--data", data).json == []


def test_closing_an_account_passes_its_games_on(call: Call, data: Path):
    people = [made(call, data, name) for name in ("Anna", "Bert")]
    headers = [{"authorization": f"Bearer {token}"} for _, token in people]
    with serving(data) as service:
        url = f"{service.address}/v1/games"
        wish = {"ruleset": "conquest-classic-friz", "players": 2, "title": "Anna and friends"}
        game = http.post(url, json=wish, headers=headers[0]).json()["id"]
        http.post(f"{url}/{game}/seats", json={}, headers=headers[1])
        refused = call("accounts", "close", people[0][0], "--data", data).complaint
        assert f"DELETE /v1/players/{people[0][0]}" in refused
    assert call("accounts", "close", people[0][0], "--data", data).out == f"account {people[0][0]} is closed\n"
    with serving(data) as service:
        shown = http.get(f"{service.address}/v1/games/{game}").json()
    assert (shown["organizer"], shown["title"]) == (people[1][0], f"Former player {people[0][0][1:6]} and friends")


def test_what_makes_no_sense_is_refused_with_what_would(call: Call, data: Path):
    assert f"{data} contains no database" in call("accounts", "list", "--data", data).complaint
    anna, _ = made(call, data, "Anna")
    known = "known: account, play, organize, judge, notify, audit, admin"
    assert known in call("accounts", "create", "Bert", "--scopes", "everything", "--data", data).complaint
    assert known in call("accounts", "grant", anna, "rule", "--data", data).complaint
    assert "1 to 80 printable characters" in call("accounts", "create", " ", "--data", data).complaint
    for command in (("grant", "pgone", "play"), ("close", "pgone"), ("tokens", "pgone"), ("token", "pgone", "play")):
        assert "`tabularium accounts list`" in call("accounts", *command, "--data", data).complaint
    assert "accounts tokens PLAYER" in call("accounts", "revoke", "tgone", "--data", data).complaint
    refused = call("accounts", "token", anna, "audit", "--data", data).complaint
    assert refused == f"{anna} may not audit, it may account play organize judge"
