"""Bad input of all kinds: each gets a problem, with what was wrong and what would have been right."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
import structlog

from domain.boards import builtin
from service.api.contract.document import endpoints
from service.api.problems.access import UNKNOWN_TOKEN
from service.api.problems.request import BODY_TOO_LARGE, INVALID_HEADER, INVALID_QUERY, MALFORMED_REQUEST
from tests.service.api.scene import NEW_GAME, PUT_UP, Scene
from tests.service.api.serving import Player, Service


async def test_a_list_with_one_bad_command_happens_not_at_all(scene: Scene) -> None:
    before = await scene.service.get(scene.url)
    commands = [{"type": "put-up", "coins": 1}, {"type": "put-up", "coins": 99}]
    answer = await scene.ask("POST", f"{scene.url}/commands", scene.anna, {"commands": commands})
    assert answer.json()["type"] == "/problems/refused"
    assert (await scene.service.get(scene.url))["head"] == before["head"]


async def test_a_problem_names_the_command_of_a_list_that_was_refused(scene: Scene) -> None:
    good, bad, unreadable = ({"type": "put-up", "coins": 1}, {"type": "put-up", "coins": 99}, {"type": "put-up"})
    bodies: list[tuple[dict[str, Any], str]] = [
        ({"command": bad}, "$.command"),
        ({"commands": [bad, good]}, "$.commands[0]"),
        ({"commands": [good, unreadable]}, "$.commands[1]"),
        ({"commands": [good, {"type": "open-bidding"}, bad]}, "$.commands[2]"),
    ]
    for body, path in bodies:
        answer = await scene.ask("POST", f"{scene.url}/commands/check", scene.anna, body)
        assert answer.json().get("path") == path, answer.text


WOULD_BE_RIGHT: dict[str, tuple[str, dict[str, Any]]] = {
    "Send an object with `name`.": ("/v1/players", {"Name": "Ann"}),
    "Send a line of 1 to 80 characters, not all blank or invisible, and without control characters.": (
        "/v1/players",
        {"name": " "},
    ),
    "Use 1 to 80 printable characters, not all of them invisible.": (
        "/v1/players",
        {"name": "A\u200dB"},
    ),
    "Send a whole number from 1 to 100.": ("/v1/games", {**NEW_GAME, "players": 2.0}),
    "Send one of account, admin, audit, judge, notify, organize, play.": (
        "/v1/tokens",
        {"name": "bot", "scopes": ["fly"]},
    ),
    "Send a whole number from 1 to 3.": ("/v1/games", {**NEW_GAME, "setup": {"rounds": 0}}),
    "Fields of put-up: coins.": ("{game}/commands", {"command": {"type": "put-up"}}),
    "Fields of open-bidding: none.": ("{game}/commands", {"command": {"type": "open-bidding", "more": 1}}),
}


@pytest.mark.parametrize("allowed", WOULD_BE_RIGHT)
async def test_a_wrong_body_is_told_what_would_have_been_right(scene: Scene, allowed: str) -> None:
    path, body = WOULD_BE_RIGHT[allowed]
    answer = await scene.ask("POST", path.replace("{game}", scene.url), scene.anna, body)
    assert answer.status_code == 422
    assert answer.json()["allowed"] == allowed
    assert answer.json()["path"].startswith("$")


async def test_at_a_full_table_no_seat_is_free(service: Service, anna: Player, bert: Player) -> None:
    game = await service.gathering(anna, bert)
    answer = await service.ask("POST", f"/v1/games/{game}/seats", await service.register("Carla"), {})
    assert (answer.status_code, answer.json()["allowed"]) == (409, "This game has no free seat.")


@pytest.mark.parametrize(
    ("query", "allowed"),
    [
        ("limit=0", "It takes a whole number from 1 to 500."),
        ("limit=many", "It takes a whole number from 1 to 500."),
        ("status=asleep", "It takes one of cancelled, gathering, over, running."),
        (
            "text=%20",
            "It takes a line of 1 to 80 characters, not all blank or invisible, and without control characters.",
        ),
    ],
)
async def test_a_wrong_query_is_told_what_would_have_been_right(service: Service, query: str, allowed: str) -> None:
    answer = await service.ask("GET", f"/v1/games?{query}")
    assert (answer.status_code, answer.json()["allowed"]) == (400, allowed)


INVISIBLE = ("\u3164", "\u115f \u1160", "\u2800", "\u200d", "\ufeff", "\U000e0041", "\x85")


@pytest.mark.parametrize("text", [*INVISIBLE, "Ann\n"], ids=ascii)
async def test_what_shows_nothing_or_ends_in_a_line_break_is_no_name(scene: Scene, text: str) -> None:
    token = {"name": text, "scopes": ["play"]}
    for path, body, place in (
        ("/v1/players", {"name": text}, "$.name"),
        ("/v1/tokens", token, "$.name"),
        ("/v1/games", {**NEW_GAME, "title": text}, "$.title"),
    ):
        answer = await scene.ask("POST", path, scene.anna, body)
        assert (answer.status_code, answer.json()["path"]) == (422, place)
        assert answer.json()["detail"] == f"The text has the wrong form, at {place}."
        assert "not all blank or invisible" in answer.json()["allowed"]


TURNING = ("Table\u202e gnitseretni", "one\u2028two", "one\u2066two", "one\x9btwo", "\u200fone")


@pytest.mark.parametrize("text", TURNING, ids=ascii)
async def test_what_would_turn_or_break_what_is_written_around_it_is_no_name(scene: Scene, text: str) -> None:
    for path, body in (("/v1/players", {"name": text}), ("/v1/games", {**NEW_GAME, "title": text})):
        answer = await scene.ask("POST", path, scene.anna, body)
        assert answer.status_code == 422
        assert "without control characters" in answer.json()["allowed"]


async def test_absurd_counts_are_refused_and_nothing_happens(scene: Scene) -> None:
    before = await scene.service.get(scene.url)
    counts = [-1, 0, 10**9, 2**53, 2**64, 10**30, 1.0, 1.5, "1", None, True, [1], {"n": 1}]
    taken = {}
    for count in counts:
        body = {"command": {"type": "put-up", "coins": count}}
        answer = await scene.ask("POST", f"{scene.url}/commands", scene.anna, body)
        if answer.status_code != 422:
            taken[str(count)] = answer.text
    assert taken == {}
    assert (await scene.service.get(scene.url))["head"] == before["head"]


HOSTILE: dict[str, bytes] = {
    "nothing": b"",
    "blank": b" \n",
    "half an object": b'{"command": {"type": "put-up"',
    "invalid UTF-8": b'{"command": {"type": "\xff\xfe"}}',
    "UTF-16": '{"command": {}}'.encode("utf-16"),
    "a byte order mark": b'\xef\xbb\xbf{"command": {}}',
    "a lone surrogate": b'{"command": {"type": "\\ud800"}}',
    "a null character": b'{"command": {"type": "\\u0000"}}',
    "deep lists": b"[" * 30_000,
    "deep objects": b'{"command":' * 5_000,
    "deep in a command": b'{"command": {"type": "put-up", "coins": ' + b"[" * 20_000 + b"]" * 20_000 + b"}}",
    "NaN": b'{"command": {"type": "put-up", "coins": NaN}}',
    "infinity": b'{"command": {"type": "put-up", "coins": 1e999}}',
    "a number of 5,000 digits": b'{"command": {"type": "put-up", "coins": ' + b"9" * 5_000 + b"}}",
    "a list": b"[]",
    "a text": b'"command"',
    "a number": b"1",
    "null": b"null",
    "nothing in it": b'{"": 1}',
    "null in it": b'{"command": null}',
    "a list in it": b'{"command": []}',
    "no type": b'{"command": {}}',
    "a type that is a number": b'{"command": {"type": 5}}',
    "an unknown type": b'{"command": {"type": "castle"}}',
    "an unknown field": b'{"command": {"type": "put-up", "coins": 1, "more": 1}}',
    "an unknown field beside": b'{"command": {"type": "put-up", "coins": 1}, "more": 1}',
    "a field twice": b'{"command": {"type": "put-up", "coins": 1, "coins": 2}}',
    "a command twice": b'{"command": {"type": "put-up", "coins": 9}, "command": {"type": "put-up", "coins": 1}}',
    "both": b'{"command": {"type": "put-up", "coins": 1}, "commands": [{"type": "put-up", "coins": 1}]}',
    "no commands": b'{"commands": []}',
    "too many commands": json.dumps({"commands": [{"type": "put-up", "coins": 1}] * 101}).encode(),
    "undo with others": b'{"commands": [{"type": "undo", "to": 1}, {"type": "put-up", "coins": 1}]}',
    "undo to nowhere": b'{"command": {"type": "undo", "to": -1}}',
    "undo to a text": b'{"command": {"type": "undo", "to": "1"}}',
}


async def test_hostile_bodies_get_problems_and_change_nothing(scene: Scene) -> None:
    before = await scene.service.get(scene.url)
    paths = [f"{scene.url}/commands", f"{scene.url}/commands/check", f"{scene.url}/seats", "/v1/games", "/v1/players"]
    strange = {}
    for path in paths:
        for name, body in HOSTILE.items():
            answer = await scene.ask("POST", path, scene.anna, body)
            is_problem = answer.headers["content-type"] == "application/problem+json"
            if not (400 <= answer.status_code < 500 and is_problem):
                strange[path, name] = answer.text
    assert strange == {}
    assert (await scene.service.get(scene.url))["head"] == before["head"]
    assert len((await scene.service.get("/v1/games"))["items"]) == 1


async def test_a_body_in_chunks_is_limited_too(scene: Scene) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(80):
            yield b" " * 1024

    headers = {**scene.anna.headers, "content-type": "application/json"}
    answer = await scene.service.client.post(f"{scene.url}/commands", content=chunks(), headers=headers)
    assert answer.json()["type"] == BODY_TOO_LARGE.type


async def test_a_board_may_be_larger_than_a_command(service: Service, anna: Player) -> None:
    board = msgspec.to_builtins(builtin("conquest"))
    answer = await service.ask("POST", "/v1/games", anna, {**NEW_GAME, "board": board, "title": "x" * 120})
    assert answer.status_code == 201, answer.text
    too_large = json.dumps({**NEW_GAME, "board": board}).encode() + b" " * 1_100_000
    assert (await service.ask("POST", "/v1/games", anna, too_large)).status_code == 413


async def test_queries_are_read_strictly(service: Service, anna: Player) -> None:
    paths = [
        "/v1/games?limit=0",
        "/v1/games?limit=501",
        "/v1/games?limit=1.0",
        "/v1/games?limit=+1",
        "/v1/games?limit=01",
        "/v1/games?limit=",
        "/v1/games?limit=%FF",
        "/v1/games?limit=1&limit=2",
        "/v1/games?status=asleep",
        "/v1/games?clock=sand",
        "/v1/games?cursor=%00",
        "/v1/games?cursor=zzz",
        "/v1/games?cursor=1234",
        "/v1/games?cursor=ImdvbmUi",
        "/v1/games?text=a&cursor=ImdvbmUi",
        "/v1/players/me/games?cursor=WyIyMDI2IiwiZyJd",
        "/v1/games?cursor=" + "z" * 300,
        "/v1/rulesets?cursor=zzz",
        "/v1/rulesets/tiny-auction/rules?cursor=%C3%A4",
        "/v1/players/me?x=1",
    ]
    answers = {path: (await service.ask("GET", path, anna)).json().get("type") for path in paths}
    assert answers == dict.fromkeys(paths, INVALID_QUERY.type)


async def test_a_wrong_token_is_never_nobody(service: Service) -> None:
    for authorization in ("", "Bearer", "Basic YTpi", "tab_x", "Bearer \xff"):
        headers = [(b"authorization", authorization.encode("latin-1"))]
        answer = await service.client.get("/v1/games/gone", headers=headers)
        assert answer.json()["type"] == UNKNOWN_TOKEN.type
        assert answer.headers["www-authenticate"].startswith("Bearer")


async def test_a_strange_id_names_no_game(service: Service) -> None:
    for game in ("%00", "%ff", "..%2f..", "a" * 3000, "%F0%9F%8E%B2", "' OR 1=1 --"):
        answer = await service.ask("GET", f"/v1/games/{game}/state")
        assert answer.status_code == 404, game
        assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("host", ["a/b", "a b"])
async def test_a_host_that_is_none_is_no_fault_of_ours(service: Service, host: str) -> None:
    with structlog.testing.capture_logs() as log:
        answer = await service.client.get("/v1/rulesets", headers={"host": host})
    assert (answer.status_code, answer.json()["type"]) == (400, MALFORMED_REQUEST.type)
    assert answer.json()["allowed"] == "Send a valid Host header."
    assert [(line["event"], line["status"]) for line in log] == [("request", 400)]


async def test_a_strange_key_is_refused(scene: Scene) -> None:
    for key in ("", "k" * 256, "a key", "schlüssel"):
        token = scene.anna.headers["authorization"].encode()
        headers = [(b"authorization", token), (b"idempotency-key", key.encode("latin-1"))]
        answer = await scene.service.client.post(f"{scene.url}/commands", json=PUT_UP, headers=headers)
        assert answer.json()["type"] == INVALID_HEADER.type, key


async def test_a_body_that_is_cut_off_is_no_fault_of_ours(scene: Scene) -> None:
    before, place = await scene.service.get(scene.url), scene.service.client.base_url
    head = f"POST {scene.url}/commands HTTP/1.1\r\nHost: {place.host}\r\nContent-Length: 80\r\n"
    head += f"Content-Type: application/json\r\nAuthorization: {scene.anna.headers['authorization']}\r\n\r\n"
    with structlog.testing.capture_logs() as log:
        _, writer = await asyncio.open_connection(place.host, place.port)
        writer.write(head.encode() + b'{"command": {"type": "put-up", "coins": 1}}')
        await writer.drain()
        writer.transport.abort()
        for _ in range(500):
            if log:
                break
            await asyncio.sleep(0.01)
    assert [(line["event"], line["status"]) for line in log] == [("request", 400)]
    assert (await scene.service.get(scene.url))["head"] == before["head"]


async def test_every_address_names_its_methods(scene: Scene) -> None:
    methods: dict[str, set[str]] = {}
    for path, method, _ in endpoints():
        heads = {"HEAD"} if method == "GET" and not path.endswith("/stream") else set()
        methods.setdefault(path, {"OPTIONS"}).update({method}, heads)
    for path, known in methods.items():
        answer = await scene.ask("OPTIONS", path.replace("{", "").replace("}", ""))
        assert set(answer.headers["allow"].split(", ")) == known, path
