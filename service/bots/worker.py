"""The process in which bots think. As a program, this module reads one question a line, and answers each by a line.

A question holds what the player of one seat gets from the API, and nothing else. The process has no store and no
secrets. Each seat has a bot of its own, so no bot remembers what another has seen.
"""

import os
import random
import sys
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct

from service.bots.bot import Bot
from service.bots.registry import levels

BOTS: Final = 64
"""The most bots that are kept between their commands, because it takes time to make one."""


class Question(Struct, frozen=True):
    """A question to a bot.

    Attributes:
        board: the board, with the documents of the game.
        about: what the API says of the game besides.
        view: the position as the seat sees it.
        options: what the seat may do.
    """

    ruleset: str
    level: str
    game: str
    seat: str
    board: Raw
    about: dict[str, Any]
    view: Raw
    options: Raw


class Thought(Struct, frozen=True, omit_defaults=True):
    """What a bot answers: a command, or why it has none."""

    command: Raw = Raw(b"null")
    why: str = ""


@lru_cache(BOTS)
def _bot(ruleset: str, level: str, game: str, seat: str, board: bytes, about: bytes) -> Bot:
    context = {**msgspec.json.decode(board), "game": msgspec.json.decode(about)}
    return levels(ruleset)[level](random.Random(), context)


def thought(line: bytes) -> Thought:
    """Return the bot's answer to a question, which is a line of JSON."""
    try:
        question = msgspec.json.decode(line, type=Question)
        about = msgspec.json.encode(question.about, order="sorted")
        bot = _bot(question.ruleset, question.level, question.game, question.seat, bytes(question.board), about)
        command = bot.choose(question.seat, msgspec.json.decode(question.view), msgspec.json.decode(question.options))
        return Thought(Raw(msgspec.json.encode(command)))
    except Exception as error:  # a bot's mistake; the service has another one play
        return Thought(why=f"{type(error).__name__}: {error}")


def main() -> None:
    """Answer questions until the input ends. It ends when the service does, in whatever way."""
    os.nice(19)  # requests come first
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    for line in sys.stdin.buffer:
        answers.write(msgspec.json.encode(thought(line)) + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
