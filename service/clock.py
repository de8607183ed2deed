"""The time, as the log writes it."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Tells the time, in UTC."""


def utc_now() -> datetime:
    """Return the time of day: the `Clock` of a running service."""
    return datetime.now(UTC)


def stamp(clock: Clock) -> str:
    """Return the time as RFC 3339 in UTC with microseconds, such as ``2026-11-21T06:25:14.000000Z``."""
    return clock().replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
