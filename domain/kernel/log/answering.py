"""Answers left in advance: leaving, revoking and giving them (TAB-ADV-01, TAB-ADV-02)."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from domain.kernel.canonical import canonical
from domain.kernel.chance.draws import Chance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat, Version
from domain.kernel.log.answers import AT_ONCE, MOST, Answer, Left, read_answer
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.history import retraction, stays
from domain.kernel.log.lifecycle import (
    AnswerGiven,
    AnswerLeft,
    AnswerRevoked,
)
from domain.kernel.log.record import Cause, Record
from domain.kernel.log.request import read_commands
from domain.kernel.rules.command import Command
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import enumerated, type_name
from domain.kernel.rules.refusal import Refusal


def leave_answer(game: Game, seat: Seat, answer: Answer, chance: Chance, cause: Cause, at: str) -> Decided:
    """Leave an answer in advance.

    Raises:
        Refusal: the game does not go on, the seat has resigned (TAB-SEAT-04), the command cannot be read (TAB-CMD-01),
            the ruleset has no such decision, the command does not answer it or has letters beyond ASCII (TAB-ADV-01),
            or the seat has left too many answers (TAB-ADV-02).
    """
    ruleset = game.running_ruleset
    game.require_not_resigned(seat)
    command = read_commands(ruleset, (canonical(answer.command),))[0]
    if answer.decision not in ruleset.answers:
        wrong = f"{ruleset.title} asks for no decision {answer.decision!r}."
        raise Refusal("TAB-ADV-01", wrong, f"Expected one of {enumerated([*ruleset.answers])}.")
    if answer.decision not in command.answers:
        wrong = f"The command {type_name(type(command))} does not answer the decision {answer.decision}."
        raise Refusal("TAB-ADV-01", wrong, f"Commands that do: {enumerated(ruleset.answers[answer.decision])}.")
    if sum(each.seat == seat for each in game.answers.values()) >= MOST:
        wrong = f"You have left {MOST} answers in advance."
        raise Refusal("TAB-ADV-02", wrong, "Revoke one before you leave another.")
    content = canonical(command)
    if not content.isascii():  # other programs may sort names beyond ASCII in another order
        raise Refusal("TAB-ADV-01", "The command has letters beyond ASCII.", "Answer this yourself when you are asked.")
    limited = replace(
        answer, command=msgspec.json.decode(content), round=game.round if answer.until == "round" else None
    )
    draft = Draft[Any](game.table, chance, Vault(), game.draws)
    event = AnswerLeft(seat, draft.seal(limited, (seat,)))
    return game.log([(event, draft.draws)], replace(cause, seat=seat), at, draft)


def revoke_answer(game: Game, seat: Seat, version: Version, cause: Cause, at: str) -> Decided:
    """Take back an answer. Raises `Refusal` when the seat left none at this version (TAB-ADV-02)."""
    _require_left(game, seat, version)
    return game.log([(AnswerRevoked(seat, version), game.draws)], replace(cause, seat=seat), at)


def give_answer(
    game: Game, seat: Seat, version: Version, command: Command[Any], chance: Chance, vault: Vault, cause: Cause, at: str
) -> Decided:
    """Give an answer left at a version, whose command is `command`.

    Raises:
        Refusal: the seat left no answer at that version (TAB-ADV-02), the command is not lawful now, or `vault` shows
            that the answer has ended, has another command or does not fit an open decision (TAB-ADV-01).
    """
    sealed = _require_left(game, seat, version).answer
    if vault.holds(sealed):
        answer = read_answer(vault.open(sealed))
        is_open = any(seat in decision.seats and answer.fits(decision) for decision in game.decisions)
        has_ended = answer.has_ended(game.round, game.answers[version].given)
        if has_ended or not is_open or canonical(answer.command) != canonical(command):
            wrong = f"The answer that {seat} left at version {version} is not this one, or not given now."
            raise Refusal("TAB-ADV-01", wrong, "An answer is given as it was left, when its decision is open.")
    return game.decide(seat, command, chance, vault, cause, at, AnswerGiven(seat, version))


def _require_left(game: Game, seat: Seat, version: Version) -> Left:
    answer = game.answers.get(version)
    if answer is None or answer.seat != seat:
        own = [str(left_at) for left_at, each in game.answers.items() if each.seat == seat]
        allowed = f"Versions at which {seat} left an answer: {', '.join(own)}." if own else f"{seat} has left none."
        raise Refusal("TAB-ADV-02", f"{seat} has left no answer at version {version}.", allowed)
    return answer


def answer_due(game: Game, chance: Chance, vault: Vault, at: str) -> Decided | None:
    """Give the answer left in advance that is due now; return None when there is none.

    Decisions and their seats are tried in order, and the answers of a seat from the newest on, until one is lawful.
    """
    for decision in game.decisions:
        for seat in decision.seats:
            for version, each in reversed(game.answers.items()):
                if each.seat != seat or not vault.holds(each.answer):
                    continue
                answer = read_answer(vault.open(each.answer))
                if answer.has_ended(game.round, each.given) or not answer.fits(decision):
                    continue
                try:
                    command = read_commands(game.ruleset, (canonical(answer.command),))[0]
                    cause = Cause(game.players[seat])
                    return game.decide(seat, command, chance, vault, cause, at, AnswerGiven(seat, version))
                except Refusal:
                    continue
    return None


def given_in_advance(step: Decided, chance: Chance, vault: Vault, at: str) -> Iterator[Decided]:
    """Give the answers left in advance that are due after the request `step`, at most `AT_ONCE`, and yield each.

    After a retraction none is given: a player who is asked again may think again. After an act whose events all stay,
    none is given either, so that such acts never move the game. `vault` holds all secrets from before `step`.
    """
    if not step.game.answers or not moves_on(step.records):
        return
    for _ in range(AT_ONCE):
        vault = vault.joined_by(step.secrets)
        answer = answer_due(step.game, chance, vault, at)
        if answer is None:
            return
        yield answer
        step = answer


def moves_on(records: Sequence[Record]) -> bool:
    """Tell whether a request moved the game on: it took nothing back, and not all of its events stay."""
    return not all(map(stays, records)) and not any(retraction(record) is not None for record in records)
