"""Games whose options the packages answer: how many of the commands that they draw are accepted.

``python -m tests.clients.sampling 5000`` draws so many for each ruleset and language.
"""

import sys
from collections.abc import Iterator
from random import Random
from typing import Any

from msgspec import Struct

from domain.boards import builtin
from domain.kernel.ids import Seat
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Ruleset
from domain.library import LIBRARY
from tests.clients.packed import LANGUAGES, Speaker, speaking
from tests.helpers.play import Play


class Offered(Struct):
    """What a seat may do at a position."""

    play: Play
    seat: Seat
    schemas: list[dict[str, Any]]


def offers(ruleset_id: str, seed: int) -> Iterator[Offered]:
    """Play games at random, one after another; yield what each seat may do on the way, but for taking moves back."""
    ruleset: Ruleset[Any] = LIBRARY.current(ruleset_id)
    while True:
        seed += 1
        rng = Random(seed)
        play = Play(ruleset, builtin(ruleset.board), rng.choice(ruleset.players), seed)
        while play.game.status == "running":
            for seat in play.game.players:
                options = play.game.options(seat, play.vault)
                if schemas := [option.schema for option in options if option.command != "undo"]:
                    yield Offered(play, seat, schemas)
            play.step(rng)


def refused(speaker: Speaker, offered: Offered, seed: int) -> list[str]:
    """Draw a command of each option that a seat has; return what is refused."""
    found: list[str] = []
    for command in speaker.ask("sample", schemas=offered.schemas, seed=seed):
        try:
            offered.play.try_command(offered.seat, command)
        except Refusal as refusal:
            found.append(f"{command}: {refusal}")
    return found


def count(speaker: Speaker, ruleset: str, least: int, seed: int) -> tuple[int, list[str]]:
    """Return how many commands were drawn, at least so many, and those that were refused."""
    drawn, wrong = 0, list[str]()
    for number, offered in enumerate(offers(ruleset, seed)):
        wrong += refused(speaker, offered, seed + number)
        drawn += len(offered.schemas)
        if drawn >= least:
            break
    return drawn, wrong


def main() -> None:
    """Print how many commands are accepted, for each ruleset and language."""
    least = int(sys.argv[1])
    for language in LANGUAGES[1:]:
        with speaking(language) as speaker:
            for ruleset in LIBRARY.ids():
                drawn, wrong = count(speaker, ruleset, least, 1)
                print(f"{ruleset}, {language}: {drawn - len(wrong)} of {drawn} accepted", *wrong[:3], sep="\n  ")


if __name__ == "__main__":
    main()
