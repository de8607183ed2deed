"""Each table that names an account is decided for an account that is joined with another."""

import re
from typing import Any, Final

from domain.kernel.ids import PlayerId
from service.store.accounts import TokenId
from service.store.sql.joining import SqlJoinings
from tests.service.api.test_data import embedded_owners

MOVES: Final = {
    "apps": "programs of others rely on a registered app",
    "imports": "everybody may look at them, and the account that stays may delete them",
    "identities": "who signs in at the provider comes to the account that stays, and opens no third one",
}
ENDS: Final = {
    "app_codes": "signs an app in",
    "app_consents": "lets an app in",
    "consents": "the account that stays chooses whom it lets seat it, and others whom they let",
    "inbox_settings": "is about what the account is told",
    "passkeys": "signs in; the device knows it under the other id",
    "players": "is closed, and says with which account it was joined",
    "read_marks": "is about what the account was told",
    "recovery_codes": "signs in",
    "tokens": "signs in",
    "webhooks": "tells what happens in the games of the account, which has none any more",
}
STAYS: Final = {
    "bulks": "goes after 60 days; who has an open one is not joined",
    "cases": "the index of a log",
    "games": "the index of a log, which passes seats on",
    "joining_codes": "the claim keeps two joinings apart; it ends after ten minutes",
    "joinings": "the event itself",
    "keys": "digests of keys that go after 48 hours",
    "leagues": "an account that organizes one is not joined",
    "seated": "the index of a log, which passes seats on",
    "statements": "`eraser` is an official; what was written stays with its case",
    "tournaments": "an account that organizes a running one is not joined",
}


async def test_each_table_that_names_an_account_moves_ends_or_stays_for_a_reason() -> None:
    said = list[str]()

    async def change(*statements: tuple[str, tuple[Any, ...]], alone: str = "") -> list[Any]:
        said.extend(statement for statement, _ in statements)
        return []

    joinings = SqlJoinings(None, change)  # type: ignore[reportArgumentType]
    await joinings.join(b"", PlayerId("p1"), TokenId("s1"), "now", 10)
    moved = {table for one in said for table in re.findall(r"^UPDATE (\w+) SET player = ", one)}
    ended = {table for one in said for table in re.findall(r"^(?:UPDATE|DELETE FROM) (\w+)", one)} - moved
    assert embedded_owners() == MOVES.keys() | ENDS.keys() | STAYS.keys()
    assert moved == MOVES.keys()
    assert ended - {"deliveries", "attempts"} == ENDS.keys(), "those two belong to webhooks"
