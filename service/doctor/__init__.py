"""The doctor: looks at everything that the service depends on, changes nothing, and says what to do."""

import asyncio
import platform
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import datetime
from importlib.metadata import version
from importlib.util import find_spec
from typing import Final
from urllib.parse import urlsplit

from projections import deadlines
from projections.library import PROJECTIONS
from projections.ratings import RATINGS
from projections.store import NotBuilt, ProjectionStore, Unavailable
from service import ratings
from service.base.clock import Clock, utc_now, written
from service.base.settings import DATABASE_URL, Settings, without_password
from service.doctor import deep, dumps, embedded, transparency, webhooks
from service.doctor.deep import Progress
from service.doctor.finding import Finding, Level, fail, ok, one_line, warn
from service.games.watch import Watch, is_watched
from service.store.backend import Backend, backend_of
from service.store.protocol import EventStore, StoreError

__all__ = ["Finding", "Level", "Progress", "examine"]

PATIENCE: Final = 20.0
"""Seconds that one part of the examination may take."""

BEHIND: Final = 1000
"""Events that a projection may be behind while a service is at work."""


async def examine(
    settings: Settings, clock: Clock = utc_now, progress: Progress | None = None
) -> AsyncIterator[Finding]:
    """Yield findings about everything that a service with these settings would depend on.

    With `progress`, which is called with the progress, every hash in the store is computed again.
    """
    yield ok("package", f"tabularium {version('tabularium')} on Python {platform.python_version()}")
    async for finding in _bounded(_redis(settings)):
        yield finding
    if settings.oidc_issuer:
        yield await _issuer(settings)
    if settings.traces_url:
        yield await _collector(settings.traces_url)
    usable = True
    deeply = progress is not None
    if settings.dumps is not None:
        yield await asyncio.to_thread(dumps.examine, settings.dumps, deep=deeply)
    async for finding in _bounded(_store(settings, clock, deeply), None if deeply else PATIENCE):
        usable &= finding.level != "fail"
        yield finding
    if usable:
        async for finding in _bounded(_log(settings, clock)):
            yield finding
        async for finding in _bounded(_contents(settings, progress), None if deeply else PATIENCE):
            yield finding
    elif progress is not None:
        yield fail("contents", "they were not looked at, because of what failed", "Mend that first.")


async def _bounded(findings: AsyncIterator[Finding], seconds: float | None = PATIENCE) -> AsyncIterator[Finding]:
    """Yield findings. If the examination fails, or takes more than `seconds`, that is a finding, too."""
    try:
        async with asyncio.timeout(seconds):
            async for finding in findings:
                yield finding
    except TimeoutError:
        yield fail("examination", f"no answer for {PATIENCE:.0f} s", "See what keeps the one named last so busy.")
    except Exception as error:  # unexpected; it is a finding as well, and the rest of the report goes on
        yield fail("examination", f"{type(error).__name__}: {one_line(error)}", "See the server's log.")


async def _redis(settings: Settings) -> AsyncIterator[Finding]:
    if not settings.redis_url:
        if settings.database_url:
            yield ok(
                "redis", "none is set, which is enough for one process; several find out by looking at the database"
            )
        return
    if find_spec("redis") is None:
        yield warn(
            "packages", "TABULARIUM_REDIS_URL is set, and the package is missing", "Install tabularium[production]."
        )
        return
    from service.doctor import redis

    for finding in await redis.examine(settings):
        yield finding


async def _issuer(settings: Settings) -> Finding:
    """Return whether the issuer of the settings publishes its keys, and whether one of them fits the settings."""
    try:
        from service.accounts.oidc import UNTOLD, Issuer
    except ModuleNotFoundError:
        message = "TABULARIUM_OIDC_ISSUER is set, and the packages are missing"
        return fail("packages", message, "Install tabularium[production].")
    issuer = Issuer(settings)
    try:
        published = await issuer.published()
    except UNTOLD as error:
        remedy = (
            "Correct TABULARIUM_OIDC_ISSUER, or the way to it. Meanwhile its tokens are taken with the keys that a"
            " process knows already; our own are not concerned."
        )
        return warn("issuer", f"{settings.oidc_issuer} does not tell its keys: {one_line(error)}", remedy)
    finally:
        await issuer.close()
    allowed = settings.oidc_algorithms.split(",")
    fitting = [key for key in published.keys if key.algorithm is None or key.algorithm in allowed]
    if not fitting:
        algorithms = ",".join(sorted({key.algorithm for key in published.keys if key.algorithm is not None}))
        message = f"{settings.oidc_issuer} has no key for {' or '.join(allowed)}"
        remedy = f"Set TABULARIUM_OIDC_ALGORITHMS={algorithms}, if these are what you want to take."
        return warn("issuer", message, remedy)
    if settings.oidc_client_id and not (published.authorization and published.token):
        message = f"{settings.oidc_issuer} names no https addresses where people sign in and clients get tokens"
        return warn("issuer", message, "Correct TABULARIUM_OIDC_ISSUER, or unset TABULARIUM_OIDC_CLIENT_ID.")
    return ok("issuer", f"{settings.oidc_issuer} tells {len(published.keys)} keys, of which {len(fitting)} can be used")


async def _collector(url: str) -> Finding:
    """Return whether the collector of traces can be reached."""
    where = without_password(url)
    if find_spec("opentelemetry") is None:
        return fail(
            "packages", "TABULARIUM_TRACES_URL is set, and the packages are missing", "Install tabularium[tracing]."
        )
    parts = urlsplit(url)
    try:
        async with asyncio.timeout(3):
            _, writer = await asyncio.open_connection(
                parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
            )
        writer.close()
    except (OSError, TimeoutError, ValueError) as error:
        remedy = (
            "Start the collector, or correct TABULARIUM_TRACES_URL. Meanwhile traces are dropped, and nobody waits."
        )
        return warn("traces", f"{where} cannot be reached: {one_line(error)}", remedy)
    return ok("traces", f"{where} can be reached")


async def _store(settings: Settings, clock: Clock, deep: bool) -> AsyncIterator[Finding]:
    if not settings.database_url:
        for finding in await embedded.examine(settings, deep):
            yield finding
        return
    if find_spec("asyncpg") is None:
        message = f"{DATABASE_URL} is set, and the packages for PostgreSQL are missing"
        yield fail("packages", message, "Install tabularium[production].")
        return
    from service.doctor import postgres

    for url in settings.servers:
        connection, finding = await postgres.connect(url)
        yield finding
        if connection is None:
            continue
        try:
            if finding.level != "fail":
                async for each in postgres.examine(connection, url, settings, clock):
                    yield each
            if settings.standby_url:
                yield await postgres.examine_standby(connection, settings.standby_url)
        finally:
            connection.terminate()


async def _log(settings: Settings, clock: Clock) -> AsyncIterator[Finding]:
    """Yield findings about the log, the projections, the archive, the transparency log and webhooks.

    They are read as the service reads them.
    """
    backend = backend_of(settings)
    if not backend.exists():
        return
    try:
        store = await backend.open_store()
    except StoreError as error:
        yield fail("store", one_line(error), "See the other findings.")
        return
    try:
        yield await _newest(store, clock)
        async for finding in _projections(backend, store):
            yield finding
        if (archive := await _archive(settings, store)) is not None:
            yield archive
        yield await transparency.examine(settings, store.tree)
        yield await webhooks.examine(settings, store.webhooks)
    finally:
        await store.close()


async def _contents(settings: Settings, progress: Progress | None) -> AsyncIterator[Finding]:
    """Yield whether the stored data has its hashes; without `progress`, that this was not checked."""
    backend = backend_of(settings)
    if not backend.exists():
        return
    if progress is None:
        message = "no event, secret or entry of the transparency log was compared with its hash: `--deep` does that"
        yield ok("contents", message)
        return
    store = await backend.open_store()
    try:
        async for finding in deep.examine(settings, store, progress):
            yield finding
    finally:
        await store.close()


async def _newest(store: EventStore, clock: Clock) -> Finding:
    """Return whether the log has events from the future: then a clock is wrong, or was."""
    rows = await store.games(limit=20)
    now = clock()
    latest = max((datetime.fromisoformat(row.changed) for row in rows), default=now)
    ahead = (latest - now).total_seconds()
    count = await store.events()
    if ahead > 1:
        remedy = "Compare this machine's clock with those of the others that run the service (timedatectl)."
        return warn("log", f"an event is dated {ahead:.0f} s in the future", remedy)
    return ok("log", f"{count} events")


async def _archive(settings: Settings, store: EventStore) -> Finding | None:
    """Return whether segments outside of the database can be read, by reading one; None when there is none."""
    place = await store.kept_outside()
    if place is None:
        return None
    where = settings.archive or "TABULARIUM_ARCHIVE, which is empty,"
    remedy = "Set TABULARIUM_ARCHIVE to the folder or bucket that has them, and see that this machine reaches it."
    try:
        await store.read(*place, 1)
    except StoreError as error:
        return fail("archive", f"what {where} should have cannot be read: {one_line(error)}", remedy)
    return ok("archive", f"{where} has segments of archived games; one was read")


async def _projections(backend: Backend, store: EventStore) -> AsyncIterator[Finding]:
    if not backend.has_projections():
        yield ok("projections", "they are folded when the service starts")
        return
    try:
        rows = await backend.open_projections()
    except StoreError as error:
        yield fail("projections", one_line(error), "On PostgreSQL: `tabularium migrate`. The log is not concerned.")
        return
    try:
        generations, events = await rows.generations(), await store.events()
        progress = await ratings.behind(rows, generations)
        clocks = await _clocks(rows, store)
    except (StoreError, Unavailable) as error:
        yield fail("projections", one_line(error), "See the other findings.")
        return
    finally:
        await rows.close()
    behind: list[str] = []
    for projection in PROJECTIONS:
        mine = [each for each in generations if each.projection == projection.name]
        at = next((each for each in mine if each.live), mine[-1] if mine else None)
        if at is not None and at.trouble is not None:
            where = f"version {at.trouble.version} of game {at.trouble.game}"
            remedy = f"Mend the cause, then `tabularium projections rebuild {projection.name}`. Play is not concerned."
            yield fail("projections", f"{projection.name} stopped at {where}: {at.trouble.why}", remedy)
        elif (late := events - (at.events if at is not None else 0)) > BEHIND:
            behind.append(f"{projection.name} by {late} events")
    rated = next((each.number for each in generations if each.projection == RATINGS.name and each.live), 0)
    if (uncounted := progress[rated][1]) > BEHIND:
        behind.append(f"{RATINGS.name} by {uncounted} results")
    if behind:
        remedy = (
            "Let a process with TABULARIUM_PROJECTIONS=true run, and ask again in a minute: the number must shrink."
        )
        yield warn("projections", f"behind the log are {', '.join(behind)}", remedy)
    else:
        yield ok("projections", f"all {len(PROJECTIONS)} follow the log, and ratings the results")
    if clocks is not None:
        yield clocks


async def _clocks(rows: ProjectionStore, store: EventStore) -> Finding | None:
    """Return whether the clocks of games are watched; None when none runs. Raises `Unavailable`."""
    with suppress(NotBuilt):
        count = await deadlines.count(rows)
        until = min((await Watch(store, rows).read()).values())
        since, now = until or "they began to run", written(await rows.time())
        if count and store.is_shared and not is_watched(until, now):
            remedy = "Let a process with TABULARIUM_CLOCKS=true run. It gives the players the time back."
            return warn("clocks", f"nobody has watched the clocks of {count} games since {since}", remedy)
        if count:
            return ok("clocks", f"the clocks of {count} games run; they were watched until {since}")
    return None
