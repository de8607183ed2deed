"""The privileges that the migrations grant to the service's role, compared with those that it has in a database."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from msgspec import Struct

from service.store.postgres.migrations import Migration

ROLE: Final = "tabularium_service"

_COMMENT: Final = re.compile(r"--[^\n]*")
_GRANT: Final = re.compile(r"^(GRANT|REVOKE)\s+([^;]+?)\s+ON\s+([^;]+?)\s+(?:TO|FROM)\s+([^;]+);", re.MULTILINE)
_PRIVILEGE: Final = re.compile(r"([A-Z]+)\s*(?:\(([^)]*)\))?")
_QUESTIONS: Final = {
    "TABLE": "has_table_privilege($1, $2, $3)",
    "COLUMN": "has_column_privilege($1, $2, $4, $3)",
    "SEQUENCE": "has_sequence_privilege($1, $2, $3)",
    "SCHEMA": "has_schema_privilege($1, $2, $3)",
    # By name alone, as GRANT finds it; there is one of each.
    "FUNCTION": (
        "bool_and(has_function_privilege($1, oid, $3)) FROM pg_proc"
        " WHERE pronamespace::regnamespace::text || '.' || proname = $2"
    ),
}


class Grant(Struct, frozen=True, order=True):
    """One privilege on one object; `column` is empty except for a privilege on a column."""

    kind: str
    on: str
    privilege: str
    column: str = ""

    @property
    def statement(self) -> str:
        """The SQL statement that grants the privilege."""
        kind = "" if self.kind in ("TABLE", "COLUMN") else f"{self.kind} "
        column = f" ({self.column})" if self.column else ""
        return f"GRANT {self.privilege}{column} ON {kind}{self.on} TO {ROLE};"


def granted(migrations: Iterable[Migration]) -> list[Grant]:
    """Return what the migrations grant to the service's role and do not revoke, in the order of their statements.

    Only statements count that begin a line and name their objects.
    """
    grants: dict[Grant, None] = {}
    for migration in migrations:
        for verb, privileges, things, roles in _GRANT.findall(_COMMENT.sub("", migration.sql)):
            if ROLE in re.split(r"\W+", roles):
                for grant in _grants(privileges, things):
                    if verb == "GRANT":
                        grants[grant] = None
                    else:
                        grants.pop(grant, None)
    return list(grants)


def _grants(privileges: str, things: str) -> Iterable[Grant]:
    match = re.match(r"(FUNCTION|SEQUENCE|SCHEMA|TABLE)\s+(?!IN\b)", things)
    kind = match[1] if match else "TABLE"
    for thing in things[match.end() if match else 0 :].split(","):
        for privilege, columns in _PRIVILEGE.findall(privileges):
            for column in columns.split(",") if columns else ("",):
                yield Grant("COLUMN" if column else kind, thing.strip(), privilege, column.strip())


async def missing(connection: Any, grants: Sequence[Grant]) -> list[Grant]:
    """Return the grants that the role lacks. Raises what asyncpg raises, also when a table does not exist."""
    lacking: list[Grant] = []
    for grant in grants:
        values = [ROLE, grant.on, grant.privilege, *([grant.column] if grant.column else [])]
        if not await connection.fetchval(f"SELECT {_QUESTIONS[grant.kind]}", *values):
            lacking.append(grant)
    return lacking
