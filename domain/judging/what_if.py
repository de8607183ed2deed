"""Playing commands at a version of a game many times, each time with new dice, to see their possible consequences."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from domain.kernel.chance.draws import Chance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.log.around import Around
from domain.kernel.log.game import Game
from domain.kernel.log.history import read_event
from domain.kernel.log.record import Cause, Record
from domain.kernel.rules.command import Command
from domain.kernel.rules.decision import Decision
from domain.kernel.rules.message import in_words
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Result

LISTED: Final = 50
"""How many outcomes are listed; all are counted."""


class Forbidden(Struct, frozen=True):
    """A command of the list that a rule forbids after the commands before it.

    Attributes:
        number: the number of the command in the list, from 1.
        rule: the rule.
        asked: what was wrong, in a sentence.
    """

    number: int
    rule: RuleId
    asked: str


class Outcome(Struct, frozen=True):
    """A position to which the commands led, whatever dice led there.

    Attributes:
        times: how often.
        share: the same as a share of all times.
        told: what happened the first of these times, in sentences.
        decisions: what the game waits for there.
        result: how the game ended there; null when it goes on.
        forbidden: the command that was refused, at which the list ended; null when all happened.
    """

    times: int
    share: float
    told: tuple[str, ...]
    decisions: tuple[Decision, ...]
    result: Result | None
    forbidden: Forbidden | None


class Outcomes(Struct, frozen=True):
    """The consequences of the commands.

    Attributes:
        played: how often they were played.
        different: to how many different positions they led.
        outcomes: those positions, the most frequent first; 50 at most.
    """

    played: int
    different: int
    outcomes: tuple[Outcome, ...]


def outcomes_of(
    game: Game, commands: Sequence[tuple[Seat, Command[Any]]], vault: Vault, chances: Iterable[Chance]
) -> Outcomes:
    """Play commands at a version of a game, once with each of `chances`, and return the outcomes.

    A pause of the game does not matter. `vault` holds all secrets. Raises `Refusal` when the game does not run there.
    """
    start = replace(game, around=Around())
    _ = start.running_ruleset
    by_position: dict[tuple[bytes, Forbidden | None], tuple[int, Game, list[Record]]] = {}
    played = 0
    for chance in chances:
        after, records, forbidden = _played(start, commands, vault, chance)
        table = after.table.snapshot() if after.table is not None else b""
        times, first, happened = by_position.get((table, forbidden), (0, after, records))
        by_position[table, forbidden] = times + 1, first, happened
        played += 1
    ordered = sorted(by_position.items(), key=lambda each: -each[1][0])
    return Outcomes(
        played,
        len(by_position),
        tuple(
            Outcome(
                times,
                times / played,
                tuple(in_words(read_event(after.ruleset, record), after.names) for record in records),
                tuple(after.decisions),
                after.result,
                forbidden,
            )
            for (_, forbidden), (times, after, records) in ordered[:LISTED]
        ),
    )


def _played(
    game: Game, commands: Sequence[tuple[Seat, Command[Any]]], vault: Vault, chance: Chance
) -> tuple[Game, list[Record], Forbidden | None]:
    records = list[Record]()
    for number, (seat, command) in enumerate(commands, start=1):
        try:
            step = game.command(seat, [command], chance, vault, Cause(game.players[seat]), "")
        except Refusal as refusal:
            return game, records, Forbidden(number, refusal.rule, refusal.wrong)
        game, vault = step.game, vault.joined_by(step.secrets)
        records.extend(step.records)
    return game, records, None
