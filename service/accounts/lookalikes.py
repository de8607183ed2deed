"""Names that nobody can tell apart by eye, such as Anna and Аnna, by the confusable characters that Unicode lists.

A skeleton (UTS #39, 4) has each character replaced by the one that stands for all that look like it.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache

from service.store.accounts import folded


def skeleton(name: str) -> str:
    """Return a key that is equal for names that look the same. It is only for comparing: do not show it."""
    letters = (each for each in folded(name) if unicodedata.category(each) != "Cf")
    return folded("".join(_stands_for(each) for each in unicodedata.normalize("NFD", "".join(letters))))


def looking_alike(names: Iterable[str]) -> frozenset[str]:
    """Return the names that look the same as another one of them. Equal names do, too."""
    skeletons = [(name, skeleton(name)) for name in names]
    times = Counter(each for _, each in skeletons)
    return frozenset(name for name, each in skeletons if times[each] > 1)


@cache
def _stands_for(character: str) -> str:
    """Return the prototype of a character.

    The data has the prototype of each character, and for a prototype all characters that look like it.
    """
    # Imported here because it reads 600 kB.
    from confusable_homoglyphs.confusables import confusables_data

    def similar(text: str) -> list[str]:
        return [each["c"] for each in confusables_data.get(text, ())]

    others = similar(character)
    if len(others) != 1 or len(similar(others[0])) == 1:
        # A prototype; or one of two that look only like each other.
        return min([character, *others]) if len(others) == 1 else character
    return others[0]
