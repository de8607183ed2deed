"""The end of announcing raids and blocks (chapter CAM)."""

from collections.abc import Iterable

from domain.italia.box.table import Command, Table
from domain.italia.course import next_stage
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture


class EndAnnouncing(Command, frozen=True):
    """Announce no more raids and blocks in this campaign move (IT-CAM-03)."""

    rules = ("IT-CAM-03",)
    answers = frozenset({"announce"})
    gesture = Gesture(quiet=True, called="Announce nothing more")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        next_stage(draft)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option()


COMMANDS = (EndAnnouncing,)
