"""What a client sends costs work that grows with it, and has a limit.

For each input its limit, and what the most of it costs. n is its size.

| input | limit | largest cost |
|---|---|---|
| body | `TABULARIUM_BODY_LIMIT`, 64 KiB; with a board `TABULARIUM_BOARD_LIMIT`, 1 MiB | two parses, O(n) |
| members of an object, repeated ones | by the body | O(n): a set of the names met so far |
| nesting | Python's recursion limit, about 1,000 | O(n), then refused |
| numbers | 4,300 digits; fields take 2^53 - 1 | O(n); longer ones are named by their digits |
| texts | names 80, titles 120, entropy 256, ids 64, promises 200 characters | the length is looked at first |
| a list of commands | 100 | O(n) times one command: each works on a copy of the table |
| what one command names | by the body | O(n): compared with what the table has through sets |
| `setup` | by the body; fields of the ruleset | O(n) |
| a board | 300 areas, 1,500 borders, the rest in `domain.boards.board` | O(n), beyond that nothing but the refusal |
| problems of a board | 100 of 400 characters | O(n) each, since each lists at most 200 marks |
| what a problem repeats | 2,000 characters of `detail`, of `allowed`; 200 of `path` | O(n), cut in `Problem` |
| query | 100 parameters, each once | O(n) |
| `text` of a search | 80 characters, so 40 words | 40 times one look through the lobby's games |
| `cursor` | 200 characters | O(n) |
| pages | 500 items, 250 frames; pictures 3,200 pixels wide | O(n) in what is answered |
| `Idempotency-Key` | 255 characters | one hash |
| messages on a WebSocket | `TABULARIUM_BODY_LIMIT` each | read and dropped |

Patterns are matched in one pass, but for those of names and titles, which may try each of 120 characters twice over.
That a board and a command cost no more is held by `tests/domain/boards/test_work.py` and `tests/domain/test_work.py`.
"""

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.boards import builtin
from service.api.problems.problem import LONGEST
from service.api.problems.request import INVALID_QUERY
from tests.helpers.work import LINEAR, working
from tests.service.api.serving import Player, Service, serving

NEW_GAME = {"ruleset": "tiny-auction", "players": 2}
BOARD: dict[str, Any] = json.loads(msgspec.json.encode(builtin("conquest")))


def members(count: int) -> str:
    """An object of `count` members, the last of which is there twice."""
    return "{" + ",".join(f'"{each:x}":""' for each in (*range(count), count - 1)) + "}"


Body = Callable[[int], bytes]

WORST: dict[str, tuple[str, Body]] = {
    "a legend with a member twice": (
        "/v1/games",
        lambda n: (
            json.dumps({**NEW_GAME, "board": {**BOARD, "legend": 0}})
            .replace('"legend": 0', f'"legend": {members(n)}')
            .encode()
        ),
    ),
    "a setup with a member twice": ("/v1/games", lambda n: b'{"setup": ' + members(n).encode() + b"}"),
    "a setup of strange members": (
        "/v1/games",
        lambda n: json.dumps({**NEW_GAME, "setup": {f"m{each}": 1 for each in range(n)}}).encode(),
    ),
    "a member with a long name": ("/v1/players", lambda n: json.dumps({"name": "A", "x" * n * 10: 1}).encode()),
    "a long name": ("/v1/players", lambda n: json.dumps({"name": "\u3164" * n}).encode()),
    "a long number": ("/v1/games", lambda n: b'{"ruleset": "r", "players": ' + b"9" * n * 10 + b"}"),
    "half characters": ("/v1/players", lambda n: b'{"name": "' + rb"\ud83d\ude00" * n + rb'\ud83d"}'),
    "objects in objects": ("/v1/players", lambda n: b'{"name":' * n),
    "lists side by side": ("/v1/games", lambda n: b'{"setup": {"x": [' + b"[]," * n + b"[]]}}"),
    "notes": (
        "/v1/games",
        lambda n: json.dumps({**NEW_GAME, "board": {**BOARD, "notes": ["note"] * n}}).encode(),
    ),
    "aliases under a long id": (
        "/v1/games",
        lambda n: json.dumps(
            {
                **NEW_GAME,
                "board": {
                    **BOARD,
                    "areas": [*BOARD["areas"], {"id": "A" * n, "name": "A", "kind": "sea", "aliases": [" "] * n}],
                },
            }
        ).encode(),
    ),
}

SIZE = 1_000


@pytest.fixture
async def quiet(tmp_path: Path) -> AsyncIterator[tuple[Service, Player]]:
    """A service that does nothing but answer."""
    async with serving(tmp_path, durable=False, projections=False, heartbeat=600) as service:
        yield service, await service.register("Anna")


@pytest.mark.parametrize("name", WORST)
async def test_the_work_of_an_answer_grows_with_the_body(quiet: tuple[Service, Player], name: str) -> None:
    service, anna = quiet
    path, body = WORST[name]

    async def steps(raw: bytes) -> int:
        with working() as work:
            answer = await service.ask("POST", path, anna, raw)
        assert 400 <= answer.status_code < 500, answer.text
        assert len(answer.content) < 3 * LONGEST
        return work.steps

    await steps(body(SIZE))  # what is made once
    assert await steps(body(4 * SIZE)) <= LINEAR * await steps(body(SIZE))


@pytest.mark.parametrize(
    "query",
    [
        "&".join(f"p{each}=1" for each in range(100)),
        "cursor=" + "z" * 3_000,
        "text=" + "a%20" * 1_000,
        "%" * 3_000,
        "x" * 3_000 + "=1",
    ],
)
async def test_a_long_query_gets_a_short_answer(quiet: tuple[Service, Player], query: str) -> None:
    answer = await quiet[0].ask("GET", f"/v1/games?{query}")
    assert (answer.status_code, answer.json()["type"]) == (400, INVALID_QUERY.type)
    assert len(answer.content) < 3 * LONGEST
