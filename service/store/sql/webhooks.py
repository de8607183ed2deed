"""Webhooks, as SQLite and PostgreSQL keep them. `service/store/webhooks.py` says what each method does."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from itertools import islice
from typing import Any, Final

from msgspec.structs import astuple

from domain.kernel.ids import PlayerId
from service.base.scopes import Scope
from service.store.accounts import LimitReached
from service.store.protocol import KeyReused
from service.store.sql.database import Database
from service.store.webhooks import (
    FORMS,
    PERSONAL,
    AttemptRow,
    Busy,
    DeliveryId,
    DeliveryRow,
    DeliveryStatus,
    Form,
    HookId,
    HookRow,
    Outcome,
    Personal,
    Place,
)

Change = Callable[..., Awaitable[list[Any]]]
"""Executes all statements in one transaction, and returns the rows of the last; see `SqlAccounts.change`."""

Statement = tuple[str, tuple[Any, ...]]

HOOK: Final = (
    "w.webhook, w.player, w.about, w.game, w.url, w.host, w.form, w.events, w.secret, w.created, w.status, w.why,"
    " w.since, w.old_secret, w.old_until, w.failing_since, w.failures, w.hold, w.token"
)
DELIVERY: Final = (
    "d.delivery, d.webhook, d.type, d.body, d.made, d.due, d.status, d.attempts, d.before_attempts, d.number"
)
_HOOKS: Final = f"SELECT {HOOK} FROM webhooks w"
_DELIVERIES: Final = f"SELECT {DELIVERY} FROM deliveries d"

ALONE: Final = "the deliveries of webhooks"
"""Changes to the place in the log, and to who gets its events, run one after another."""

TOGETHER: Final = 50
"""The most rows that one statement adds."""

_COUNT: Final = (
    "INSERT INTO webhook_places (number, place, changes) VALUES (1, '', 1)"
    " ON CONFLICT (number) DO UPDATE SET changes = webhook_places.changes + 1"
)
_GIVE_UP: Final = "UPDATE deliveries SET status = 'failed' WHERE webhook = ? AND status = 'waiting'"


class SqlHooks:
    """The `HookStore` of both databases."""

    def __init__(self, database: Database, change: Change) -> None:
        self._database = database
        self._change = change

    async def add(self, row: HookRow, ping: DeliveryRow, key: str, fingerprint: bytes, most: int) -> HookRow:
        alike = FORMS if row.form in FORMS else (row.form,)
        add = (
            "INSERT INTO webhooks (webhook, player, about, game, url, host, form, events, secret, created, status, why,"
            " since, old_secret, old_until, failing_since, failures, hold, token, made_by, fingerprint, rotated_by)"
            f" SELECT {', '.join('?' * 21)}, '' WHERE (SELECT count(*) FROM webhooks WHERE player = ?"
            f" AND form IN ({', '.join('?' * len(alike))})) < ?"
            " ON CONFLICT DO NOTHING"
        )
        rows = await self._change(
            (add, (*_hook_values(row), key or row.webhook, fingerprint, row.player, *alike, most)),
            *_added([ping]),
            (f"SELECT {HOOK}, w.fingerprint FROM webhooks w WHERE made_by = ?", (key or row.webhook,)),
            alone=f"webhooks of {row.player}",
        )
        if not rows:
            raise LimitReached
        *columns, before = rows[0]
        if before != fingerprint:
            raise KeyReused
        return _hook(columns)

    async def webhook(self, webhook: HookId) -> HookRow | None:
        return _first(await self._database.select(f"{_HOOKS} WHERE w.webhook = ?", webhook))

    async def made_with(self, key: str) -> HookRow | None:
        return _first(await self._database.select(f"{_HOOKS} WHERE w.made_by = ?", key))

    async def webhooks(self, player: PlayerId, forms: Collection[Form | Personal] = FORMS) -> list[HookRow]:
        of = f"w.form IN ({', '.join('?' * len(forms))})"
        query = f"{_HOOKS} WHERE w.player = ? AND {of} ORDER BY w.created DESC, w.webhook"
        return [_hook(row) for row in await self._database.select(query, player, *forms)]

    async def active(self) -> list[tuple[HookRow, tuple[Scope, ...]]]:
        rows = await self._database.select(
            f"SELECT {HOOK}, p.scopes FROM webhooks w JOIN players p ON p.player = w.player"
            " WHERE w.status = 'on' AND p.closed IS NULL ORDER BY w.webhook"
        )
        return [(_hook(columns), tuple(scopes.split())) for *columns, scopes in rows]

    async def any(self) -> bool:
        return bool(await self._database.select("SELECT 1 FROM webhooks LIMIT 1"))

    async def sealed(self) -> list[HookRow]:
        return [_hook(row) for row in await self._database.select(f"{_HOOKS} ORDER BY w.webhook")]

    async def reseal(self, row: HookRow, was: bytes) -> None:
        statement = "UPDATE webhooks SET secret = ?, old_secret = ? WHERE webhook = ? AND secret = ?"
        await self._database.execute(statement, row.secret, row.old_secret, row.webhook, was)

    async def change(self, row: HookRow, *deliveries: DeliveryRow) -> None:
        change = (
            "UPDATE webhooks SET url = ?, host = ?, form = ?, events = ?, status = ?, why = ?, failing_since = ?,"
            " failures = ?, hold = ? WHERE webhook = ?"
        )
        values = (row.url, row.host, row.form, " ".join(row.events), row.status, row.why, row.failing_since)
        statements: list[Statement] = [(change, (*values, row.failures, row.hold, row.webhook))]
        if row.status != "on":
            statements.append((_GIVE_UP, (row.webhook,)))
        await self._change(*statements, *_added(deliveries))

    async def rotate(self, row: HookRow, was: bytes, key: str) -> HookRow | None:
        rotate = (
            "UPDATE webhooks SET secret = ?, old_secret = ?, old_until = ?, rotated_by = ?"
            " WHERE webhook = ? AND secret = ?"
        )
        values = (row.secret, row.old_secret, row.old_until, key, row.webhook, was)
        return _first(await self._change((rotate, values), (f"{_HOOKS} WHERE w.webhook = ?", (row.webhook,))))

    async def rotated(self, webhook: HookId) -> str:
        rows = await self._database.select("SELECT rotated_by FROM webhooks WHERE webhook = ?", webhook)
        return rows[0][0] if rows else ""

    async def remove(self, webhook: HookId) -> None:
        await self._change(*removed("= ?", webhook))

    async def place(self) -> Place:
        rows = await self._database.select("SELECT place, changes FROM webhook_places")
        return Place(*rows[0]) if rows else Place("", 0)

    async def advance(self, at: Place, to: str, deliveries: Sequence[DeliveryRow]) -> bool:
        unmoved = (
            "coalesce((SELECT place FROM webhook_places), '') = ?"
            " AND coalesce((SELECT changes FROM webhook_places), 0) = ?"
        )
        move = (
            f"INSERT INTO webhook_places (number, place, changes) SELECT 1, ?, ? WHERE {unmoved}"
            " ON CONFLICT (number) DO UPDATE SET place = excluded.place RETURNING place"
        )
        moved = await self._change(
            *_added(deliveries, unmoved, *astuple(at)), (move, (to, at.changes, *astuple(at))), alone=ALONE
        )
        return bool(moved)

    async def ask(self, delivery: DeliveryRow) -> None:
        await self._change(*_added([delivery]))

    async def due_deliveries(self, now: str, busy: Busy, limit: int) -> list[tuple[DeliveryRow, HookRow]]:
        busy_columns = (("d.webhook", busy.webhooks), ("w.host", busy.hosts), ("d.delivery", busy.deliveries))
        free = [f" AND {column} NOT IN ({', '.join('?' * len(values))})" for column, values in busy_columns if values]
        rows = await self._database.select(
            f"SELECT {DELIVERY}, {HOOK} FROM deliveries d JOIN webhooks w ON w.webhook = d.webhook"
            " WHERE d.status = 'waiting' AND d.due <= ? AND ((w.status = 'on' AND w.hold <= ?) OR d.type = 'ping')"
            f"{''.join(free)} ORDER BY d.due, d.number LIMIT ?",
            *(now, now, *busy.webhooks, *busy.hosts, *busy.deliveries, limit),
        )
        return [(_delivery(tuple(row)[:10]), _hook(tuple(row)[10:])) for row in rows]

    async def record(self, outcomes: Sequence[Outcome]) -> None:
        plain = [each for each in outcomes if each.status == "delivered" and not each.recovers and each.turns is None]
        statements = _delivered(plain)
        for each in outcomes:
            if each in plain:
                continue
            attempt = each.attempt
            new = "NOT EXISTS (SELECT 1 FROM attempts WHERE delivery = ? AND number = ?)"
            key = (attempt.delivery, attempt.number)
            statements.append(
                (
                    f"UPDATE deliveries SET status = ?, due = ?, attempts = ? WHERE delivery = ? AND {new}",
                    (each.status, each.due, attempt.number, attempt.delivery, *key),
                )
            )
            if each.turns == "on":
                turn = (
                    "UPDATE webhooks SET status = 'on', why = '', since = ?, failing_since = '', failures = 0,"
                    f" hold = '' WHERE webhook = ? AND status = 'new' AND {new}"
                )
                statements += [(turn, (each.since, each.webhook, *key)), (_COUNT, ())]
            elif each.failing:
                fail = (
                    "UPDATE webhooks SET failures = failures + 1, hold = ?,"
                    " failing_since = CASE WHEN failing_since = '' THEN ? ELSE failing_since END"
                    f" WHERE webhook = ? AND {new}"
                )
                statements.append((fail, (each.hold, attempt.at, each.webhook, *key)))
                # Its other deliveries are held back in their rows, so that a search for due deliveries does not find
                # them.
                later = f"UPDATE deliveries SET due = ? WHERE webhook = ? AND status = 'waiting' AND due < ? AND {new}"
                statements.append((later, (each.hold, each.webhook, each.hold, *key)))
            elif each.recovers:
                sooner = (
                    "UPDATE deliveries SET due = ? WHERE webhook = ? AND status = 'waiting' AND due > ?"
                    " AND attempts = before_attempts AND type <> 'ping'"
                    f" AND EXISTS (SELECT 1 FROM webhooks WHERE webhook = ? AND failures > 0) AND {new}"
                )
                statements.append((sooner, (attempt.at, each.webhook, attempt.at, each.webhook, *key)))
                well = (
                    "UPDATE webhooks SET failures = 0, hold = '', failing_since = ''"
                    f" WHERE webhook = ? AND failures > 0 AND {new}"
                )
                statements.append((well, (each.webhook, *key)))
            if each.turns == "off":
                off = f"UPDATE webhooks SET status = 'off', why = ? WHERE webhook = ? AND {new}"
                statements += [(off, (each.why, each.webhook, *key)), (_GIVE_UP, (each.webhook,))]
            elif each.turns == "gone":
                statements += removed("= ?", each.webhook)
            statements.append(_attempted([attempt]))
        if statements:
            await self._change(*statements, alone=ALONE if any(each.turns == "on" for each in outcomes) else "")

    async def deliveries(
        self, webhook: HookId, status: DeliveryStatus | None, before: int | None, limit: int
    ) -> list[DeliveryRow]:
        of_status, values = (" AND d.status = ?", (status,)) if status is not None else ("", ())
        before_it, value = (" AND d.number < ?", (before,)) if before is not None else ("", ())
        query = f"{_DELIVERIES} WHERE d.webhook = ?{of_status}{before_it} ORDER BY d.number DESC LIMIT ?"
        return [_delivery(row) for row in await self._database.select(query, webhook, *values, *value, limit)]

    async def delivery(self, webhook: HookId, delivery: DeliveryId) -> DeliveryRow | None:
        rows = await self._database.select(f"{_DELIVERIES} WHERE d.webhook = ? AND d.delivery = ?", webhook, delivery)
        return _delivery(rows[0]) if rows else None

    async def attempts(self, deliveries: Collection[DeliveryId]) -> list[AttemptRow]:
        if not deliveries:
            return []
        rows = await self._database.select(
            "SELECT delivery, number, at, status, answer FROM attempts"
            f" WHERE delivery IN ({', '.join('?' * len(deliveries))}) ORDER BY delivery, number",
            *deliveries,
        )
        return [AttemptRow(*row) for row in rows]

    async def replay(
        self,
        webhook: HookId,
        now: str,
        *,
        delivery: DeliveryId | None = None,
        failed: bool = False,
        since: str | None = None,
        until: str | None = None,
    ) -> int:
        which, values = "", list[Any]()
        for condition, value in (
            ("delivery = ?", delivery),
            ("made >= ?", since),
            ("made < ?", until),
            ("status = ?", "failed" if failed else None),
            ("type <> ?", "ping" if delivery is None else None),
        ):
            if value is not None:
                which += f" AND {condition}"
                values.append(value)
        again = (
            "UPDATE deliveries SET status = 'waiting', due = ?, before_attempts = attempts"
            f" WHERE webhook = ? AND status <> 'waiting'{which} RETURNING delivery"
        )
        return len(await self._change((again, (now, webhook, *values))))

    async def retell(self, webhook: HookId, events: Sequence[str]) -> None:
        await self._database.execute("UPDATE webhooks SET events = ? WHERE webhook = ?", " ".join(events), webhook)

    async def turn_on(self, webhook: HookId, since: str) -> None:
        turn = "UPDATE webhooks SET status = 'on', why = '', since = ? WHERE webhook = ? AND status = 'new'"
        await self._change((turn, (since, webhook)), (_COUNT, ()), alone=ALONE)

    async def count(self, key: str, day: str) -> int:
        add = (
            "INSERT INTO mail_counts (key, day, count) VALUES (?, ?, 1)"
            " ON CONFLICT (day, key) DO UPDATE SET count = mail_counts.count + 1 RETURNING count"
        )
        return (await self._change((add, (key, day))))[0][0]

    async def forget_counts(self, day: str) -> None:
        await self._database.execute("DELETE FROM mail_counts WHERE day < ?", day)

    async def forget_new(self, before: str) -> None:
        of = f"form IN ({', '.join('?' * len(PERSONAL))})"
        rows = await self._database.select(
            f"SELECT webhook FROM webhooks WHERE status = 'new' AND {of} AND created < ?", *PERSONAL, before
        )
        for (webhook,) in rows:
            await self._change(*removed("= ?", webhook))

    async def forget(self, before: str, limit: int) -> int:
        oldest = "SELECT delivery FROM deliveries WHERE status <> 'waiting' AND made < ? ORDER BY made LIMIT ?"
        ids = [row[0] for row in await self._database.select(oldest, before, limit)]
        if ids:
            which = ", ".join("?" * len(ids))
            await self._change(
                (f"DELETE FROM attempts WHERE delivery IN ({which})", tuple(ids)),
                (f"DELETE FROM deliveries WHERE delivery IN ({which})", tuple(ids)),
            )
        return len(ids)

    async def waiting(self) -> tuple[int, str]:
        query = "SELECT count(*), coalesce(min(due), '') FROM deliveries WHERE status = 'waiting'"
        ((count, next_due),) = await self._database.select(query)
        return count, next_due


def removed(which: str, *values: Any) -> list[Statement]:
    """Return the statements that delete the webhooks that a condition names, with their deliveries and attempts."""
    of_hooks = f"(SELECT delivery FROM deliveries WHERE webhook {which})"
    return [
        (f"DELETE FROM attempts WHERE delivery IN {of_hooks}", values),
        (f"DELETE FROM deliveries WHERE webhook {which}", values),
        (f"DELETE FROM webhooks WHERE webhook {which}", values),
    ]


def _delivered(outcomes: Sequence[Outcome]) -> list[Statement]:
    """Return the statements that store many successful attempts at once: most attempts are successful."""
    statements, rest = list[Statement](), iter(outcomes)
    while page := list(islice(rest, TOGETHER)):
        # By the number of the attempt, so that storing it a second time changes nothing.
        before = ", ".join(["(CAST(? AS text), CAST(? AS integer))"] * len(page))
        update = (
            "UPDATE deliveries SET status = 'delivered', attempts = attempts + 1"
            f" WHERE (delivery, attempts) IN (VALUES {before})"
        )
        values = (value for each in page for value in (each.attempt.delivery, each.attempt.number - 1))
        statements.append((update, tuple(values)))
        statements.append(_attempted([each.attempt for each in page]))
    return statements


def _attempted(attempts: Sequence[AttemptRow]) -> Statement:
    """Return the statement that stores attempts, except those of deliveries that were deleted."""
    one = (
        "SELECT CAST(? AS text), CAST(? AS integer), CAST(? AS text), CAST(? AS integer), CAST(? AS text)"
        " WHERE EXISTS (SELECT 1 FROM deliveries WHERE delivery = ?)"
    )
    add = f"INSERT INTO attempts (delivery, number, at, status, answer) {' UNION ALL '.join([one] * len(attempts))}"
    values = tuple(value for each in attempts for value in (*astuple(each), each.delivery))
    return f"{add} ON CONFLICT (delivery, number) DO NOTHING", values


def _added(deliveries: Sequence[DeliveryRow], condition: str = "TRUE", *parameters: Any) -> list[Statement]:
    """Return the statements that store each delivery once, if its webhook exists and a condition holds."""
    statements, rest = list[Statement](), iter(deliveries)
    names = "delivery, webhook, type, body, made, due, status, attempts, before_attempts"
    while rows := list(islice(rest, TOGETHER)):
        there = "EXISTS (SELECT 1 FROM webhooks WHERE webhook = ?)"
        one = f"SELECT {', '.join(_TYPED)} WHERE {there} AND {condition}"
        values = tuple(value for row in rows for value in (*astuple(row)[:-1], row.webhook, *parameters))
        add = f"INSERT INTO deliveries ({names}) {' UNION ALL '.join([one] * len(rows))}"
        statements.append((f"{add} ON CONFLICT (delivery) DO NOTHING", values))
    return statements


_TYPED: Final = (*(["CAST(? AS text)"] * 7), *(["CAST(? AS integer)"] * 2))
"""PostgreSQL does not know the type of a value that is only selected."""


def _hook_values(row: HookRow) -> tuple[Any, ...]:
    return tuple(" ".join(value) if isinstance(value, tuple) else value for value in astuple(row))


def _hook(columns: Sequence[Any]) -> HookRow:
    values = [*columns]
    values[7] = tuple(values[7].split())
    return HookRow(*values)


def _first(rows: Sequence[Any]) -> HookRow | None:
    return _hook(rows[0]) if rows else None


def _delivery(columns: Sequence[Any]) -> DeliveryRow:
    return DeliveryRow(*columns)
