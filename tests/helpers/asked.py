"""Which statements of the service go to several machines of a distributed log: the coordinator itself tells.

It tells each command that it sends to a machine, before it answers the statement that it sends them for.
"""

import re
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import urlsplit

import asyncpg
import pytest
from msgspec import Struct

from tests.helpers.citus import as_superuser, distributed_database
from tests.helpers.postgres import connected
from tests.helpers.statements import OF_MACHINES, is_of_many

AROUND: Final = re.compile(
    "issuing (BEGIN|COMMIT|ROLLBACK|PREPARE|SAVEPOINT|RELEASE|SET|SELECT assign_distributed)", re.IGNORECASE
)
"""What begins and ends a transaction on a machine."""


class Asked(Struct, frozen=True):
    """A statement, and how many tasks the coordinator makes of it: none, when it looks at tables of its own."""

    statement: str
    tasks: int

    @property
    def is_astray(self) -> bool:
        """Whether it goes to several machines, and is about one stream."""
        if self.tasks < 2 or is_of_many(self.statement):
            return False
        return not any(re.search(text, self.statement) for text in OF_MACHINES.values())


@asynccontextmanager
async def telling_database() -> AsyncIterator[tuple[str, list[Asked]]]:
    """Lend the address of a distributed database, and all that is asked of it meanwhile."""
    seen: list[Asked] = []
    issued: defaultdict[Any, int] = defaultdict(int)
    connect = asyncpg.connect

    def note(connection: Any, fields: dict[str, str], _: str) -> None:
        message = fields.get("M") or fields.get("message") or ""
        if message.startswith("issuing ") and not AROUND.match(message):
            issued[connection] += 1

    async def logged(*given: Any, **options: Any) -> Any:
        connection = await connect(*given, **options)
        connection.add_query_logger(
            lambda done: seen.append(Asked(" ".join(done.query.split()), issued.pop(connection, 0)))
        )
        return connection

    async with distributed_database() as url:
        name = urlsplit(url).path.removeprefix("/")
        async with connected(as_superuser(url)) as superuser:
            await superuser.execute(f"ALTER DATABASE {name} SET citus.log_remote_commands = on")
            with pytest.MonkeyPatch.context() as patch:
                # What a pool would complain of, if it were told by a listener of each connection.
                patch.setattr(asyncpg.Connection, "_process_log_message", note)
                patch.setattr(asyncpg, "connect", logged)
                yield url, seen
            await superuser.execute(f"ALTER DATABASE {name} RESET ALL")
