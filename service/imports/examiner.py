"""The process that examines an export: the service runs this module as a program.

An export may come from anybody, and its verification decides thousands of commands. So it has a process of its own,
with bounds on memory and processor, without the service's settings, store and secrets. It reads a line with the
`Question`, then the export to the end of its input, and writes the `Answer` as JSON.
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
"""The most processor seconds of an examination. An export of 3 MB with 6,836 events takes one."""

MEMORY: Final = 1024 * 1024 * 1024
"""The most bytes of address space of an examination. That export takes 160 MB."""


class Question(Struct, frozen=True, omit_defaults=True):
    """The certificate and the policy with which to check the export that follows, if any."""

    certificate: str | None = None
    policy: str | None = None


class Refused(Struct, frozen=True):
    """A `Refusal` in the form in which it is sent."""

    rule: str
    wrong: str
    allowed: str


class Answer(Struct, frozen=True, omit_defaults=True):
    """The result of an examination: a game that may be imported, or why not."""

    examined: Examined | None = None
    refused: Refused | None = None


TOO_MUCH: Final = Refused(
    "TAB-IMP-01",
    f"The export cannot be verified in {SECONDS} seconds of a processor and {MEMORY >> 30} GiB of memory.",
    "Verify it yourself by `tabularium verify`; it is not imported here.",
)


def answer_to(question: Question, content: bytes) -> Answer:
    """Examine an export, and return the answer."""
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
