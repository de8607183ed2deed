"""The base of commands: how one is decided and offered as an option, and the refusal of needless zeros (TAB-CMD-02)."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, ClassVar, Generic, TypeVar, cast

import msgspec
from msgspec import Struct

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import kebab, type_name
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.schema import Schema
from domain.kernel.rules.table import Table

T = TypeVar("T", bound=Table)


class Command(Struct, Generic[T], frozen=True, tag=kebab, forbid_unknown_fields=True, omit_defaults=True):
    """Something that a seat asks for. Class names are imperatives.

    One class has everything about a command: `decide` refuses it or emits events, and `options` says beforehand what
    `decide` would accept.
    """

    rules: ClassVar[tuple[str, ...]] = ()
    """The ids of the rules that it concerns. The first provides for the command."""
    rule: ClassVar[str]
    """The first of `rules`, set by the kernel; cited when the seat may not give the command now."""
    answers: ClassVar[frozenset[str]] = frozenset()
    """The kinds of open decision that it answers; empty for one that may be given at any time."""
    aside: ClassVar[bool] = False
    """True for a command that leaves other seats their undo (TAB-UNDO-03): a bystander may give it at any time.

    When another seat takes its commands back, this one is given again in the earlier position, and lapses when it is
    refused there. It answers no decision, draws nothing and neither hides nor reads a secret.
    """
    sealed: ClassVar[bool] = False
    """True when the command itself is a secret (a face-down offer): the log then holds only its commitment."""

    gesture: ClassVar[Gesture | str] = ""
    """How it can be given by pointing. A text says why a command with an area is not given so."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.rules:
            cls.rule = cls.rules[0]
        if cls.aside and (cls.answers or cls.sealed):
            raise TypeError(f"{cls.__name__} answers a decision or is a secret, so it does not stand aside")

    def decide(self, draft: Draft[T], seat: Seat) -> None:
        """Emit what happens, or raise `Refusal`. The kernel has checked that the seat may answer this decision."""
        raise NotImplementedError

    @classmethod
    def options(cls, table: T, seat: Seat, vault: Vault) -> Iterable[Option]:
        """Return exactly what `decide` would accept from `seat`, knowing only what `seat` may read."""
        raise NotImplementedError

    @classmethod
    def option(
        cls,
        title: str = "",
        fields: Mapping[str, Schema] | None = None,
        *,
        rule: str | None = None,
        decision: str | None = None,
        optional: Collection[str] | None = None,
        places: Mapping[Any, AreaId] | None = None,
        **keywords: Any,
    ) -> Option:
        """Return an option of this command, for `options` to return.

        Args:
            title: what it does, in a few words, with the `Names` of areas and seats; by default what its gesture says.
            fields: the schemas of the command's fields.
            rule: the rule that allows it, when that is not the one that provides for the command.
            decision: the kind of decision that it answers, when the command answers several.
            optional: the fields that may be left out; by default counts that may be 0 and arrays that may be empty.
            places: the areas of pieces, by id, when the fields where its gesture begins or ends name pieces.
            keywords: further keywords of the schema (``x_total`` …).
        """
        kind = type_name(cls)
        if decision is None and cls.answers:
            (decision,) = cls.answers
        shape = schema.command(kind, fields, optional, keywords)
        if isinstance(cls.gesture, Gesture):
            if keyword := cls.gesture.keyword(shape["properties"], places):
                shape["x-gesture"] = keyword
            title = title or cls.gesture.called
        return Option(kind, RuleId(rule or cls.rule), shape, title, decision)


def refuse_zeros(command: type[Command[Any]], content: Mapping[str, Any]) -> None:
    """Refuse a command of this type, as JSON, that has a count of 0 which it could leave out (TAB-CMD-02)."""
    for name, value in content.items():
        path = next(_zeros(value, name), None)
        if path is not None and path not in _needed(command):
            wrong = f"The command {type_name(command)} has {path} = 0."
            raise Refusal("TAB-CMD-02", wrong, f"Leave {path} out, or count at least 1.")


@cache
def _needed(command: type[Command[Any]]) -> frozenset[str]:
    """Return the names of the fields that a command of this type must have."""
    return frozenset(field.encode_name for field in msgspec.structs.fields(command) if field.required)


def _zeros(value: Any, path: str) -> Iterator[str]:
    """Yield the path of each number 0 in a JSON value: every number of a command counts something."""
    if isinstance(value, dict):
        for name, each in cast(dict[str, Any], value).items():
            yield from _zeros(each, f"{path}.{name}")
    elif isinstance(value, list):
        for number, each in enumerate(cast(list[Any], value)):
            yield from _zeros(each, f"{path}[{number}]")
    elif type(value) is int and not value:
        yield path
