"""Papers: texts beside the board that everybody may read, such as the cards of nations.

A ruleset makes its papers from the documents that a game is played with (`Ruleset.papers`). Each line says where it is
from, so that readers can tell what is printed from what we made up.
"""

from collections.abc import Mapping

from msgspec import Struct


class Line(Struct, frozen=True, omit_defaults=True):
    """A line of a paper.

    Attributes:
        words: what it says.
        origin: where it is from: a key of `Papers.origins`.
        source: the place in the origin, or the reason for what we made up; words in brackets are keys of
            `Papers.sources`.
    """

    words: str
    origin: str = ""
    source: str = ""


class Section(Struct, frozen=True):
    """A part of a paper.

    Attributes:
        title: what it is about.
        lines: what it says.
    """

    title: str
    lines: tuple[Line, ...]


class Paper(Struct, frozen=True, omit_defaults=True):
    """A paper that everybody may read.

    Attributes:
        id: its id: that of the nation, piece or card that it describes.
        title: its name; where another text has that name, a page can link to this paper.
        sections: what it says.
        document: the name of the document that it is from.
    """

    id: str
    title: str
    sections: tuple[Section, ...]
    document: str = ""


class Papers(Struct, frozen=True):
    """All papers of a game.

    Attributes:
        origins: where lines can be from, by key, each in words: stated in the rules, or made up by us.
        sources: the meaning of each word that stands in brackets in a `source`.
        papers: the papers.
    """

    origins: Mapping[str, str] = {}
    sources: Mapping[str, str] = {}
    papers: tuple[Paper, ...] = ()
