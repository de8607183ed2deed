"""Each table has a place where Citus spreads the log over machines, or where several servers keep its books."""

import re
from typing import Final

from service.store.postgres.migrations import packaged
from tests.helpers.citus import distributed_database
from tests.helpers.postgres import connected, shared_cluster
from tests.service.store.test_distributed import DISTRIBUTED

_CHANGED: Final = re.compile(r"\b(?:ALTER TABLE(?: ONLY)?|(?:INDEX|TRIGGER)\b[^;]*? ON) tabularium\.(\w+)")
"""What changes a table, or has an index or a trigger of it made or dropped."""

REFERENCE: Final = {"boards", "dictionaries"}
"""Tables of which each machine has a copy: small, and never changed (`distribute()` in `0050_distribution.sql`)."""

LOCAL: Final = {
    "app_access", "app_codes", "app_consents", "app_sign_ins", "apps",
    "attempts", "bulk_games", "bulks", "challenge_keys", "challenges", "checkpoints", "consents", "cosignatures",
    "deliveries", "entries", "hashes", "identities", "imports", "inbox_settings", "invitations", "joining_codes",
    "joinings", "made", "mail_counts", "migrations", "moves", "passkeys", "players", "read_marks", "recovery_codes",
    "tokens", "trees", "webhook_places", "webhooks",
}  # fmt: skip
"""Tables of the coordinator, or of the home: accounts, what is kept with them, and the transparency log."""


async def test_each_table_has_a_book_or_is_copied_or_stays_where_accounts_are() -> None:
    async with shared_cluster().database() as url, connected(url) as owner:
        rows = await owner.fetch(
            "SELECT c.relname, EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'book'"
            " AND NOT a.attisdropped) FROM pg_class AS c"
            " WHERE c.relnamespace = 'tabularium'::regnamespace AND c.relkind IN ('r', 'p')"
        )
        # A key without the book cannot be checked over machines.
        keys = await owner.fetch(
            "SELECT c.relname, i.indexrelid::regclass::text FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid"
            " JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'book' AND NOT a.attisdropped"
            " WHERE c.relnamespace = 'tabularium'::regnamespace AND i.indisunique AND NOT a.attnum = ANY (i.indkey)"
        )
        across = await owner.fetch(
            "SELECT f.conname, c.relname, r.relname FROM pg_constraint AS f JOIN pg_class AS c ON c.oid = f.conrelid"
            " JOIN pg_class AS r ON r.oid = f.confrelid"
            " WHERE f.contype = 'f' AND c.relnamespace = 'tabularium'::regnamespace"
        )
    spread = {name for name, has_book in rows if has_book}
    assert {name for name, _ in rows} - spread == REFERENCE | LOCAL, (
        "a new table about streams needs a column `book` in its keys; any other one belongs in one of the lists here"
    )
    assert [tuple(key) for key in keys] == []
    assert [name for name, one, other in across if (one in spread) != (other in spread)] == []


async def test_a_migration_that_changes_a_table_about_streams_stands_apart() -> None:
    """Citus passes such a statement on as the client sent it, with all that was sent together with it."""
    async with shared_cluster().database() as url, connected(url) as owner:
        rows = await owner.fetch(
            "SELECT c.relname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'book'"
            " WHERE c.relnamespace = 'tabularium'::regnamespace AND c.relkind = 'r'"
        )
    spread = {name for (name,) in rows}
    for migration in packaged():
        if migration.number > DISTRIBUTED and not migration.apart and not migration.repeats:
            made = set(re.findall(r"CREATE TABLE tabularium\.(\w+)", migration.sql))
            changed = {table for table in _CHANGED.findall(migration.sql) if table in spread - made}
            assert changed == set(), f"begin {migration.number:04}_{migration.name}.sql with `-- apart`"


async def test_citus_has_the_tables_where_they_belong() -> None:
    async with distributed_database() as url, connected(url) as owner:
        places = dict(await owner.fetch("SELECT table_name::text, citus_table_type FROM citus_tables"))
        spread = await owner.fetch(
            "SELECT a.attrelid::regclass::text FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid"
            " WHERE a.attname = 'book' AND c.relkind = 'r' AND c.relnamespace = 'tabularium'::regnamespace"
        )
    kinds = {name.removeprefix("tabularium."): kind for name, kind in places.items()}
    assert {name for name, kind in kinds.items() if kind == "reference"} == REFERENCE
    distributed = {name for name, kind in kinds.items() if kind == "distributed"}
    assert distributed == {name.removeprefix("tabularium.") for (name,) in spread}
