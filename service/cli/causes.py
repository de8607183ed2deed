"""Lines about an event of an exported game: who gave which command and when, and a check of its dice."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Raw

from domain.kernel.chance.draws import CommittedChance
from domain.kernel.chance.secret import Secret
from domain.kernel.log.game import Game
from domain.kernel.log.history import cause_of, read_event
from domain.kernel.log.lifecycle import GameEnded
from domain.kernel.log.record import Record
from domain.kernel.proof.export import Export
from domain.kernel.rules.ruleset import Rolled


def chance_of(exported: Export, game: Game) -> CommittedChance | None:
    """Return the chance of a game, from the secret that its last event publishes; None while it goes on.

    Raises `ValueError` when that secret is not the one committed to.
    """
    last = exported.records[-1]
    if last.type != "game-ended":
        return None
    end = msgspec.json.decode(last.event, type=GameEnded)
    return game.chance(bytes.fromhex(end.secret))


def causes(record: Record, game: Game, chance: CommittedChance | None, secrets: Sequence[Secret]) -> Iterator[str]:
    """Yield a line for the command of a record and one for each roll in it; none for an event that has neither.

    A sealed command is shown open when its contents are among the `secrets`.
    """
    cause = cause_of(record)
    if record.cause is not None:
        who = f"{cause.seat} ({cause.player})" if cause.seat and cause.player else cause.seat or cause.player
        yield f"{record.at} {who}" + ("" if cause.command is UNSET else f": {_command_text(cause.command, secrets)}")
    for roll in game.ruleset.rolled(read_event(game.ruleset, record)):
        yield _derivation(roll, game.ruleset.dice[roll.die], chance)


def _command_text(command: Raw, secrets: Sequence[Secret]) -> str:
    content: dict[str, Any] = msgspec.json.decode(command)
    opened = (
        each.value for each in secrets if "sealed" in content and each.commitment == content["sealed"]["commitment"]
    )
    return msgspec.json.encode(next(opened, content)).decode()


def _derivation(roll: Rolled, sides: tuple[str, ...], chance: CommittedChance | None) -> str:
    dice = f"draw {roll.draw}, {roll.die} dice: {', '.join(map(str, roll.faces))}"
    if roll.draw is None or chance is None:
        return f"{dice}; can be checked when the game is over and its secret is public"
    used = list(chance.rolled(roll.draw, len(roll.faces), len(sides)))
    expected: list[Any] = [sides[number - 1] for _, number in used if number is not None]
    read = " ".join(f"{byte:02x}" + ("" if number else " (thrown away)") for byte, number in used)
    is_right = expected == list(map(str, roll.faces))
    agrees = "as the event says" if is_right else f"NOT as the event says, but {', '.join(expected)}"
    return f"{dice}; HMAC-SHA256 of {chance.message(roll.draw).hex()} begins {read}: {agrees}"
