"""What a check found, and what to do about it."""

from typing import Literal

from msgspec import Struct

Level = Literal["ok", "warn", "fail"]


class Finding(Struct, frozen=True):
    """One line of the doctor's report.

    Attributes:
        check: what was looked at, in a word or two.
        level: ``ok``; ``warn`` when the service works, but not as it should; ``fail`` when it cannot.
        said: what was found.
        remedy: what to do; empty when all is well.
    """

    check: str
    level: Level
    said: str
    remedy: str = ""


def ok(check: str, said: str) -> Finding:
    return Finding(check, "ok", said)


def warn(check: str, said: str, remedy: str) -> Finding:
    return Finding(check, "warn", said, remedy)


def fail(check: str, said: str, remedy: str) -> Finding:
    return Finding(check, "fail", said, remedy)


def one_line(error: BaseException) -> str:
    """Return what an exception says, in one line."""
    return " ".join(str(error).split()) or type(error).__name__
