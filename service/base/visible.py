"""A check that a name can be seen: names of only blanks and invisible characters all look the same.

Unicode says which characters are invisible: those of `White_Space`, which Python knows, and those of
`Default_Ignorable_Code_Point` (DerivedCoreProperties.txt), which Python does not know, so that they are listed here. A
few more characters have an empty picture.
"""

import re
from typing import Final

UNICODE: Final = "17.0"
"""The version of Unicode that `IGNORABLE` is taken from. A test compares it with a newer one."""

IGNORABLE: Final = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
"""The code points of `Default_Ignorable_Code_Point`, as ranges with both ends."""

BLANK: Final = ((0x2800, 0x2800), (0xFFF9, 0xFFFB), (0x16FE4, 0x16FE4), (0x1D159, 0x1D159))
"""The Braille pattern without dots, marks of annotations, the Khitan filler and the null notehead."""

INVISIBLE: Final = r"\s\x00-\x1f\x7f-\x9f" + "".join(
    f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in (*IGNORABLE, *BLANK)
)
"""All invisible characters, for a character class in a regular expression of Python."""

_VISIBLE: Final = re.compile(f"[^{INVISIBLE}]")


def shows(text: str) -> bool:
    """Tell whether a text has at least one character that can be seen."""
    return _VISIBLE.search(text) is not None
