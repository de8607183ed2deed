"""The end of rebuilding cities (chapter CTY)."""

from collections.abc import Iterable

from domain.italia.box.table import Command, Table
from domain.italia.course import next_stage
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture


class EndRebuilding(Command, frozen=True):
    """Rebuild no more cities now (IT-CTY-09)."""

    rules = ("IT-CTY-09",)
    answers = frozenset({"rebuild"})
    gesture = Gesture(quiet=True, called="Rebuild no more cities")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        next_stage(draft)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option()


COMMANDS = (EndRebuilding,)
