"""Parts of requests and answers that several endpoints share: texts, pages of lists, the empty query."""

from typing import Annotated, Final, Generic, Literal, TypeVar

from msgspec import Meta, Struct

from domain.kernel.ids import LARGEST_INTEGER
from service.base.visible import INVISIBLE

T = TypeVar("T")

LARGEST_PAGE = 500


# No control characters, line breaks, or marks that also change the writing direction of the text around.
_CONTROL: Final = r"\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
_LINE: Final = f"[^{_CONTROL}]*"

# The published pattern excludes only blanks: JSON Schema has no short way to name all invisible characters, so the
# description names them. U+FEFF is listed because `\s` includes it in JavaScript, but not in Python.
_SHOWN: Final = rf"[^{_CONTROL}\s\ufeff]"
_END: Final = r"$(?!\n)"  # Python's `$` alone would let a line break through, and JavaScript has no `\Z`

Text = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=80,
        pattern=rf"^{_LINE}[^{INVISIBLE}]{_LINE}{_END}",
        description="a line of 1 to 80 characters, not all blank or invisible, and without control characters",
        extra_json_schema={"pattern": f"^{_LINE}{_SHOWN}{_LINE}{_END}"},
    ),
]
"""A line of text for people, such as a name."""


Title = Annotated[
    str,
    Meta(
        max_length=120,
        pattern=rf"^({_LINE}[^{INVISIBLE}]{_LINE})?{_END}",
        description="a line of at most 120 characters, empty or not all blank or invisible, and without control "
        "characters",
        extra_json_schema={"pattern": f"^({_LINE}{_SHOWN}{_LINE})?{_END}"},
    ),
]


Entropy = Annotated[
    str, Meta(max_length=256, pattern=rf"^[\x20-\x7e]*{_END}", description="at most 256 printable ASCII characters")
]
"""Text that a player adds to the randomness of the dice."""


Identifier = Annotated[str, Meta(min_length=1, max_length=64)]


Limit = Annotated[int, Meta(ge=1, le=LARGEST_PAGE)]


Cursor = Annotated[str, Meta(min_length=1, max_length=800)]


Past = Annotated[int, Meta(ge=0, le=LARGEST_INTEGER)]


Players = Annotated[int, Meta(ge=1, le=100)]


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    """The query of an endpoint that takes no query parameters."""


class Page(Struct, frozen=True, forbid_unknown_fields=True):
    """Which page of a list.

    Attributes:
        cursor: the `next` of the previous page; absent for the first page.
        limit: how many items at most.
    """

    cursor: Cursor | None = None
    limit: Limit = 50


class Listed(Struct, Generic[T], frozen=True):
    """A page of a list.

    Attributes:
        items: the items of this page.
        next: the `cursor` of the next page; null after the last.
    """

    items: tuple[T, ...]
    next: str | None


class Health(Struct, frozen=True):
    """Whether the service is well.

    Attributes:
        status: ``ok``; otherwise the answer is a problem.
    """

    status: Literal["ok"]
