"""What lies open beside the board for everybody to read, such as the cards of nations: told line by line.

A ruleset tells its papers from the documents that a game is played with (`Ruleset.papers`). Each line says where it is
from, so that no reader takes what we made up for what is printed.
"""

from collections.abc import Mapping

from msgspec import Struct


class Line(Struct, frozen=True, omit_defaults=True):
    """A line of a paper.

    Attributes:
        words: what it says.
        origin: where it is from: a key of `Papers.origins`.
        source: where that is, or why it looks as it does; words in brackets are keys of `Papers.sources`.
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
        title: what it is called; wherever a text names it, a page can lead here.
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
        sources: what the words in brackets in a `source` mean, by those words.
        papers: the papers.
    """

    origins: Mapping[str, str] = {}
    sources: Mapping[str, str] = {}
    papers: tuple[Paper, ...] = ()
