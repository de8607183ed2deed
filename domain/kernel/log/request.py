"""Commands as they are sent: JSON texts, read strictly and refused when they are not commands of the ruleset."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct

from domain.kernel.ids import Version
from domain.kernel.log.lifecycle import Undo
from domain.kernel.rules.command import Command, refuse_zeros
from domain.kernel.rules.message import enumerated, type_name
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Ruleset

UNDO: Final = type_name(Undo)


def read_commands(ruleset: Ruleset[Any], raws: Sequence[bytes | Raw]) -> list[Command[Any]]:
    """Return the commands in JSON texts.

    Raises:
        Refusal: the ruleset has no such command, or the command does not have these fields (TAB-CMD-01).
        msgspec.DecodeError: one is not JSON.
    """
    commands: list[Command[Any]] = []
    for number, raw in enumerate(raws, start=1):
        try:
            commands.append(ruleset.read_command(raw))
        except msgspec.ValidationError as error:
            which = f"Command {number} of {len(raws)}" if len(raws) > 1 else "The command"
            refusal = Refusal("TAB-CMD-01", f"{which} cannot be read: {error}.", _readable(ruleset, raw))
            refusal.number = number
            raise refusal from None
    return commands


def sent_commands(ruleset: Ruleset[Any], raws: Sequence[bytes | Raw]) -> list[Command[Any]]:
    """Return the commands of a new request, in which a count of 0 that may be left out is refused.

    Older logs have commands with such counts; `read_commands` reads them.

    Raises:
        Refusal: a command cannot be read (TAB-CMD-01), or has a count of 0 that may be left out (TAB-CMD-02).
        msgspec.DecodeError: one is not JSON.
    """
    commands = read_commands(ruleset, raws)
    for number, (command, raw) in enumerate(zip(commands, raws, strict=True), start=1):
        try:
            refuse_zeros(type(command), msgspec.json.decode(raw))
        except Refusal as refusal:
            refusal.number = number if len(raws) > 1 else 0
            raise
    return commands


class _Typed(Struct):
    type: Any = None


def _readable(ruleset: Ruleset[Any], raw: bytes | Raw) -> str:
    """Return a sentence with the fields of the command of this type, or with all commands if there is no such type."""
    commands = {type_name(command): command for command in ruleset.commands}
    try:
        command = commands[msgspec.json.decode(raw, type=_Typed).type]
    except (msgspec.ValidationError, LookupError, TypeError):
        return f"{ruleset.title} has the commands {enumerated(list(commands))}."
    fields = msgspec.structs.fields(command)
    needed = [field.encode_name for field in fields if field.required]
    others = [field.encode_name for field in fields if not field.required]
    sentence = f"Fields of {type_name(command)}: {enumerated([*needed, *others]) or 'none'}."
    return f"{sentence} Optional: {enumerated(others)}." if others else sentence


def read_undo(raws: Sequence[bytes | Raw]) -> Version | None:
    """Return the version to which an undo asks to go back; None when the request is no undo.

    Raises:
        Refusal: an undo is one of several commands (TAB-LIST-01), or cannot be read (TAB-CMD-01).
        msgspec.DecodeError: a command is not JSON.
    """
    for raw in raws:
        try:
            if msgspec.json.decode(raw, type=_Typed).type != UNDO:
                continue
        except msgspec.ValidationError:
            continue
        if len(raws) > 1:
            raise Refusal("TAB-LIST-01", "You sent an undo together with other commands.", "Send an undo alone.")
        try:
            return msgspec.json.decode(raw, type=Undo).to
        except msgspec.ValidationError as error:
            wrong = f"The undo cannot be read: {error}."
            raise Refusal("TAB-CMD-01", wrong, "An undo has the field `to`, a version.") from None
    return None
