"""Appends to test a store with. It does not know what its bytes mean, so they mean nothing."""

import itertools
from collections.abc import Mapping
from typing import Any

import msgspec

from domain.kernel.chance.secret import Secret
from domain.kernel.ids import GameId, PlayerId, Seat, StreamId, Version, book_of
from domain.kernel.log.record import Cause, Record, genesis, inscribe
from projections.lobby import ForkOf
from service.store.protocol import Added, Append, KeptUse, KeyUse, Opening

AT = "2026-11-21T06:25:14.000000Z"
RED, BLUE = Seat("red"), Seat("blue")
ANNA, BERT = PlayerId("panna"), PlayerId("pbert")


def records(
    game: StreamId, after: Version, count: int = 1, previous: bytes = b"", text: str = "", at: str = AT
) -> list[Record]:
    """Return `count` records that follow version `after`; their chain goes on from `previous`."""
    made: list[Record] = []
    previous = previous or genesis(game)
    for version in range(after + 1, after + count + 1):
        event = {"type": "noted", "text": text or f"Nº {version}, “ναί”"}
        cause = Cause(player=ANNA, seat=RED) if version == after + 1 else None
        made.append(inscribe(game, previous, version, event, schema=1, draws=version // 2, at=at, cause=cause))
        previous = made[-1].hash
    return made


def beside(game: str, name: str) -> str:
    """Return an id that begins with `name`, of a fork or a case in the book of its game, as the service makes them."""
    ids = (f"{name}-{tried}" for tried in itertools.count())
    return next(each for each in ids if book_of(GameId(each)) == book_of(GameId(game)))


def opening(
    title: str = "A game",
    ruleset: str = "tiny",
    board: str = "sha256:b",
    file: bytes = b"{}",
    fork: ForkOf | None = None,
) -> Opening:
    return Opening(ruleset, 1, title, ANNA, bytes(range(32)), board, file, fork)


def new_game(
    game: str,
    *,
    count: int = 1,
    key: KeyUse | None = None,
    seats: Mapping[Seat, PlayerId | None] | None = None,
    opened: Opening | None = None,
    status: str = "gathering",
    at: str = AT,
) -> Append:
    game_id = GameId(game)
    return Append(
        game=game_id,
        expected=0,
        records=records(game_id, 0, count, at=at),
        status=status,
        key=key,
        seats=seats or {RED: None, BLUE: None},
        opening=opened or opening(),
    )


def addition(
    game: str,
    after: Version,
    *,
    count: int = 1,
    key: KeyUse | None = None,
    text: str = "",
    secrets: tuple[Secret, ...] = (),
    at: str = AT,
    **more: Any,
) -> Append:
    game_id = GameId(game)
    return Append(
        game=game_id,
        expected=after,
        records=records(game_id, after, count, text=text, at=at),
        status=more.pop("status", "running"),
        secrets=secrets,
        key=key,
        **more,
    )


def use(key: str, request: bytes = b"request", account: PlayerId = ANNA) -> KeyUse:
    return KeyUse(account, key, msgspec.json.encode(request.decode()))


def kept(after: Version, version: Version, request: bytes = b"request") -> KeptUse:
    """Return the stored row of `use`, which added the records from `after` + 1 to `version`."""
    return KeptUse(use("", request).fingerprint, Added(after, version))


def secret(number: int, *readers: Seat) -> Secret:
    return Secret(f"{number:064x}", readers, "00" * 16, {"card": number, "suit": "♠"})
