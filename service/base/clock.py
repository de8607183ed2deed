"""Times, and the stamps as which logs and stores keep them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]
"""Tells the time, in UTC."""


def utc_now() -> datetime:
    """Return the time of day: the `Clock` of a running service."""
    return datetime.now(UTC)


def stamp(clock: Clock) -> str:
    """Return the time as RFC 3339 in UTC with microseconds, such as ``2026-11-21T06:25:14.000000Z``."""
    return written(clock())


def written(time: datetime) -> str:
    """Return the stamp of a time, which has a time zone."""
    return time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def stamped(text: str) -> datetime:
    """Return the time of a stamp."""
    return datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=UTC)


def later(text: str, wait: timedelta) -> str:
    """Return the stamp of the time that is `wait` after another stamp."""
    return written(stamped(text) + wait)
