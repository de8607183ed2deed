"""Tiny Auction with a correction: the ruleset with two versions that tests move games between."""

from typing import ClassVar

import msgspec

from domain.kernel.chance.draws import Chance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.command import Command
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.versions import Change
from tests.tiny.auction import PutUp, Table, TinyAuction


class Corrected(TinyAuction):
    """Tiny Auction, in whose second version a prize grows by one coin at a time."""

    changes: ClassVar[tuple[Change, ...]] = (
        Change("coin_by_coin", 2, (RuleId("TA-PUT-01"),), "One coin is put up at a time.", "The rules say so."),
    )

    def decide(
        self, table: Table, seat: Seat, command: Command[Table], chance: Chance, vault: Vault, draws: int = 0
    ) -> Draft[Table]:
        if self.version >= 2 and isinstance(command, PutUp) and command.coins > 1:
            raise Refusal("TA-PUT-01", f"{command.coins} coins were put up.", "Put up one coin.")
        return super().decide(table, seat, command, chance, vault, draws)

    def options(self, table: Table, seat: Seat, vault: Vault) -> list[Option]:
        one = schema.command("put-up", {"coins": schema.count(1, 1)})
        return [
            msgspec.structs.replace(option, schema=one) if self.version >= 2 and option.command == "put-up" else option
            for option in super().options(table, seat, vault)
        ]

    def refuse_to_carry(self, table: Table) -> str:
        return "Cards lie face down." if table.chosen else ""
