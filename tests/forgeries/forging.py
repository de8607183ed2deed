"""What a forgery is: a change of an honest game's export, and what must be said of it."""

from msgspec import Struct

from domain.kernel.proof.verify import Verdict, verify
from tests.forgeries.games import GAMES, LIBRARY
from tests.helpers.forger import Change, Line, forged


def nothing(lines: list[Line]) -> None:
    """Change nothing."""


class Forgery(Struct, frozen=True):
    """A change of an honest game's export.

    Attributes:
        game: which of `GAMES`.
        change: what the forger changes before the chain is made good.
        said: what the verdict must match.
        page: what the page must say, where it says something else; None when only the rules can tell.
        afterwards: what is changed when the chain is made.
    """

    name: str
    game: str
    change: Change
    said: str = ""
    page: str | None = ""
    afterwards: Change = nothing

    def export(self) -> list[bytes]:
        lines = forged(GAMES[self.game](), self.change, self.afterwards)
        assert lines != list(GAMES[self.game]()), f"{self.name} forges nothing"
        return lines

    def __str__(self) -> str:
        return self.name


def check(lines: list[bytes]) -> Verdict:
    return verify(lines, LIBRARY)
