"""The state that events fold into."""

import copy
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, Self

import msgspec
from msgspec import UNSET, Struct, UnsetType

from domain.kernel.canonical import digest


class Table(Struct, kw_only=True):
    """The state of one game, mutable inside the fold. Each ruleset derives its own.

    Dictionaries and lists at the top level are changed in place. Their values are frozen and replaced as a whole, so
    `copy` takes only a few microseconds and no two tables share anything that changes. Dictionary keys are strings, and
    there are no sets, because their order differs between processes. Fields named in `static` (the board, the edition)
    are fixed when the game opens; they are not part of `state` and `digest`.
    """

    static: ClassVar[tuple[str, ...]] = ()
    later: ClassVar[tuple[str, ...]] = ()
    """Fields that came with a later version of the ruleset. With their default values they are not part of `state` and
    `digest`, so that earlier positions keep their digests."""

    def copy(self) -> Self:
        """Return an independent table in the same position."""
        twin = copy.copy(self)
        for name in containers(type(self)):
            setattr(twin, name, getattr(self, name).copy())
        return twin

    def assume(self, view: Struct, *excluded: str) -> None:
        """Copy the fields of a view that the table has too, except static fields and those in `excluded`."""
        for name in view.__struct_fields__:
            if name in self.__struct_fields__ and name not in (*self.static, *excluded):
                own, visible = getattr(self, name), getattr(view, name)
                # A view may show a list as a tuple.
                setattr(self, name, list(visible) if isinstance(own, list) else visible)

    def state(self) -> dict[str, Any]:
        """Return the fields by name, without the static ones, and without `later` ones that have their defaults."""
        state = {name: getattr(self, name) for name in self.__struct_fields__ if name not in self.static}
        for name, default in _defaults(type(self)).items():
            if state[name] == default:
                del state[name]
        return state

    def digest(self) -> str:
        """Return ``sha256:<hex>`` of the position's canonical bytes: equal tables, equal digests."""
        return digest(self.state())

    def snapshot(self) -> bytes:
        """Return the position as JSON for `restore`. Dictionaries keep their order, which rules may depend on."""
        return msgspec.json.encode(self.state())

    @classmethod
    def restore(cls, snapshot: bytes, static: Mapping[str, Any]) -> Self:
        """Return the table of a `snapshot`, with its static fields given.

        Raises:
            msgspec.ValidationError: the snapshot does not have the shape of this ruleset version.
        """
        state = msgspec.json.decode(snapshot, type=_state_type(cls))
        fields = {name: getattr(state, name) for name in state.__struct_fields__}
        return cls(**static, **{name: value for name, value in fields.items() if value is not UNSET})


@cache
def containers(table: type[Table]) -> tuple[str, ...]:
    """Return the names of the fields of a table class that are dictionaries or lists and not static."""
    return tuple(
        info.name
        for info in msgspec.structs.fields(table)
        if info.name not in table.static and getattr(info.type, "__origin__", info.type) in (dict, list)
    )


@cache
def _defaults(table: type[Table]) -> dict[str, Any]:
    """Return the default values of the `later` fields, by name."""
    later = [info for info in msgspec.structs.fields(table) if info.name in table.later]
    return {
        info.name: info.default if info.default_factory is msgspec.NODEFAULT else info.default_factory()
        for info in later
    }


@cache
def _state_type(table: type[Table]) -> type[Struct]:
    own_fields = [info for info in msgspec.structs.fields(table) if info.name not in table.static]
    fields = [
        (info.name, info.type | UnsetType, UNSET) if info.name in table.later else (info.name, info.type)
        for info in own_fields
    ]
    return msgspec.defstruct(f"{table.__name__}State", fields, forbid_unknown_fields=True, kw_only=True)
