"""The process that examines an export, which this module is when it is run.

An export may come from anybody, and its verification decides thousands of commands. So it has a process of its own,
with bounds on memory and processor, without the service's settings, store and secrets. It reads a line with the
request, then the export, and answers with a line.
"""

import os
import resource
import sys
from typing import Final

import msgspec
from msgspec import Struct

from domain.importing import Examined, examine
from domain.kernel.rules.refusal import Refusal
from domain.library import LIBRARY
from service.transparency.keys import check

SECONDS: Final = 30
"""Seconds of a processor that an examination may take. An export of 3 MB with 6,836 events takes one."""

MEMORY: Final = 1024 * 1024 * 1024
"""Bytes of address space that it may take. That export takes 160 MB."""


class Question(Struct, frozen=True, omit_defaults=True):
    """What is asked of the export that follows."""

    certificate: str | None = None
    policy: str | None = None


class Refused(Struct, frozen=True):
    """A `Refusal`, as it is sent."""

    rule: str
    wrong: str
    allowed: str


class Answer(Struct, frozen=True, omit_defaults=True):
    """What an examination found: a game that may be imported, or why not."""

    examined: Examined | None = None
    refused: Refused | None = None


TOO_MUCH: Final = Refused(
    "TAB-IMP-01",
    f"The export cannot be verified in {SECONDS} seconds of a processor and {MEMORY >> 30} GiB of memory.",
    "Verify it yourself by `tabularium verify`; it is not imported here.",
)


def answer_to(question: Question, content: bytes) -> Answer:
    """Examine an export."""
    try:
        return Answer(examine(content, LIBRARY, check, question.certificate, question.policy))
    except Refusal as refusal:
        return Answer(refused=Refused(refusal.rule, refusal.wrong, refusal.allowed))
    except MemoryError:
        return Answer(refused=TOO_MUCH)


def main() -> None:
    """Answer one question, within the bounds."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.nice(19)  # requests come first
    question = msgspec.json.decode(sys.stdin.buffer.readline(), type=Question)
    answer = answer_to(question, sys.stdin.buffer.read())
    sys.stdout.buffer.write(msgspec.json.encode(answer))


if __name__ == "__main__":
    main()
