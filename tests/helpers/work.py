"""How much work something is, in steps that do not depend on the machine.

A step is an instruction of Python code, or a comparison of a `Counted` text: what `in`, `count` and `index` do inside a
single instruction is seen by those. `growth` compares the work on an input with that on one four times as large: 4 or
less when the work grows with the input, 16 when it grows with its square.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, ClassVar

from msgspec import Struct

LINEAR = 6
"""The most that `growth` may be: four times as much, and something for what is sorted."""


class Counted(str):
    """A text that counts how often it is compared; no two are the same object, so that Python cannot look away."""

    __slots__ = ()
    comparisons: ClassVar[int] = 0

    def __eq__(self, other: object) -> bool:
        Counted.comparisons += 1
        return str.__eq__(self, other) if isinstance(other, str) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: str) -> bool:
        Counted.comparisons += 1
        return str.__lt__(self, other)

    def __hash__(self) -> int:
        Counted.comparisons += 1
        return str.__hash__(self)


def counted(value: Any) -> Any:
    """Return a copy of a JSON-shaped value or a struct in which every text is `Counted`."""
    match value:
        case str():
            return Counted(value)
        case dict():
            return {counted(name): counted(each) for name, each in value.items()}
        case list() | tuple():
            return type(value)(counted(each) for each in value)
        case Struct():
            return type(value)(**{name: counted(getattr(value, name)) for name in value.__struct_fields__})
        case _:
            return value


_COMPARING = {method.__code__ for method in (Counted.__eq__, Counted.__ne__, Counted.__lt__, Counted.__hash__)}


class Work:
    """What `working` counts."""

    steps = 0


@contextmanager
def working() -> Iterator[Work]:
    """Count the steps of this thread, coroutines that run meanwhile among them."""
    work, before = Work(), Counted.comparisons

    def count(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code not in _COMPARING:
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            work.steps += event == "opcode"
            return count
        return None

    tracing = sys.gettrace()
    sys.settrace(count)
    try:
        yield work
    finally:
        sys.settrace(tracing)
        work.steps += Counted.comparisons - before


def steps(act: Callable[[], object]) -> int:
    """Return the steps of `act`."""
    with working() as work:
        act()
    return work.steps


def growth(act: Callable[[Any], object], of: Callable[[int], Any], size: int) -> float:
    """Return how many times the work of `act` grows when what `of` makes of a size is four times as large."""
    one, four = of(size), of(4 * size)
    return steps(lambda: act(four)) / steps(lambda: act(one))
