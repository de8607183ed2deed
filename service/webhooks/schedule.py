"""When a delivery is sent again, and when a webhook is given up."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

from service.base.clock import stamped
from service.outward.post import Answer
from service.store.webhooks import DeliveryRow, HookRow

WAITS: Final = tuple(
    timedelta(seconds=seconds) for seconds in (5, 300, 1800, *(hours * 3600 for hours in (2, 5, 10, 14, 20, 24)))
)
"""The waits between two attempts. The first is made at once; after the tenth, a delivery has failed."""

JITTER: Final = 0.1
"""The most by which a wait gets longer, as a share: deliveries that failed together are not sent again together."""

LONGEST: Final = timedelta(days=1)
"""The longest wait that a receiver can ask for by `Retry-After`."""

HOLDS: Final = WAITS[:2]
"""How long nothing is sent to a webhook after its first failure in a row, and after each further one."""

GIVEN_UP: Final = timedelta(days=5)
"""A webhook that has been failing for so long is switched off."""

Random = Callable[[], float]
"""Draws a number from 0 up to 1."""


def succeeded(answer: Answer | None) -> bool:
    """Tell whether an answer says that a delivery has arrived. A redirect does not."""
    return answer is not None and 200 <= answer.status < 300


def next_due(delivery: DeliveryRow, answer: Answer | None, now: datetime, random: Random) -> datetime | None:
    """Return when to send a delivery again after one more failed attempt; None for never."""
    tried = delivery.attempts - delivery.before
    if tried >= len(WAITS):
        return None
    return now + max(WAITS[tried] * (1 + JITTER * random()), asked_for(answer, now))


def hold(webhook: HookRow, answer: Answer | None, now: datetime) -> datetime:
    """Return until when to send nothing to a webhook that has just failed, so that a dead one costs few attempts."""
    return now + max(HOLDS[min(webhook.failures, len(HOLDS) - 1)], asked_for(answer, now))


def is_given_up(webhook: HookRow, now: datetime) -> bool:
    """Tell whether a webhook that has just failed has been failing for too long."""
    return webhook.failing_since != "" and now - stamped(webhook.failing_since) >= GIVEN_UP


def asked_for(answer: Answer | None, now: datetime) -> timedelta:
    """Return the wait that an answer asks for by `Retry-After`, in seconds or as a date; 0 if it asks for none."""
    text = ((answer.retry_after if answer is not None else None) or "").strip()
    if text.isascii() and text.isdigit():
        wait = timedelta(seconds=min(int(text[:9]), LONGEST.total_seconds()))
    else:
        try:
            until = parsedate_to_datetime(text)
        except ValueError:
            return timedelta()
        wait = (until if until.tzinfo is not None else until.replace(tzinfo=UTC)) - now
    return min(max(wait, timedelta()), LONGEST)
