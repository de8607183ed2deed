"""What a check found, and what to do about it."""

from typing import Literal

from msgspec import Struct, field

Level = Literal["ok", "warn", "fail"]


class Finding(Struct, frozen=True):
    """One line of the doctor's report.

    Attributes:
        check: what was looked at, in a word or two.
        level: ``ok``; ``warn`` when the service works, but not as it should; ``fail`` when it cannot.
        message: what was found. In JSON it is `said`, which programs may read.
        remedy: what to do; empty when all is well.
    """

    check: str
    level: Level
    message: str = field(name="said")
    remedy: str = ""


def ok(check: str, message: str) -> Finding:
    return Finding(check, "ok", message)


def warn(check: str, message: str, remedy: str) -> Finding:
    return Finding(check, "warn", message, remedy)


def fail(check: str, message: str, remedy: str) -> Finding:
    return Finding(check, "fail", message, remedy)


def one_line(error: BaseException) -> str:
    """Return what an exception says, in one line."""
    return " ".join(str(error).split()) or type(error).__name__
