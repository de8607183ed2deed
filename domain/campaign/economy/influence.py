"""Buying influence (chapter INF)."""

from collections.abc import Iterable

from msgspec import field

from domain.campaign.box.table import Command, Event, Table, turn_of
from domain.campaign.turn.turn import ACT, require_action
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Count, Names, enumerated
from domain.kernel.rules.refusal import Refusal

PRICE = 10
"""Talents for each token (CS-INF-03)."""
WITH_GENERAL, WITH_CAESAR = 1, 2
"""Tokens that can be bought in one action (CS-INF-02)."""


class InfluenceBought(Event, frozen=True):
    """A player paid for influence in a province (CS-INF-01).

    Attributes:
        tokens: province tokens that were replaced; they leave the game (CS-INF-04).
        of: influence tokens of other players that were replaced; they return to their owners (CS-INF-05).
        talents: what was paid to the bank (CS-INF-03).
    """

    rules = ("CS-INF-01", "CS-INF-03", "CS-INF-04", "CS-INF-05")
    places = (("province", "at"),)

    seat: Seat
    province: AreaId
    tokens: Count
    of: dict[Seat, Count]
    talents: Count

    def apply(self, table: Table) -> None:
        table.spend_action()
        table.pay(self.seat, self.talents)
        table.add_tokens(self.province, -self.tokens)
        for owner, number in self.of.items():
            table.add_influence(self.province, owner, -number)
        table.add_influence(self.province, self.seat, self.tokens + sum(self.of.values()))

    def tell(self, names: Names) -> str:
        tokens = [f"{self.tokens} province token{'s' * (self.tokens > 1)}"] if self.tokens else []
        others = [f"{number} of {names(owner)}'s tokens" for owner, number in sorted(self.of.items())]
        bought = enumerated([*tokens, *others])
        return f"{names(self.seat)} bought influence in {names(self.province)} for {self.talents} talents: {bought}."


def limit(table: Table, seat: Seat, area: AreaId) -> int:
    """Return how many tokens a player's leaders there allow in one action (CS-INF-02)."""
    army = table.army(area, seat)
    return WITH_CAESAR if army.caesar else WITH_GENERAL if army.generals else 0


def unprotected(table: Table, seat: Seat, area: AreaId) -> dict[Seat, int]:
    """Return the tokens that a player may buy from others there (CS-INF-06, CS-INF-07)."""
    tokens = table.provinces[area].influence
    owners = (other for other in table.seats if other in tokens and not table.are_allied(seat, other))
    return {other: tokens[other] for other in owners if not table.army(area, other).units.total}


class BuyInfluence(Command, frozen=True):
    """Buy influence in one province where you have a leader: one token, or up to two with your Caesar (CS-INF-02).

    Attributes:
        tokens: province tokens.
        of: unprotected influence tokens of players who are not your allies.
    """

    rules = ("CS-INF-01", "CS-INF-02", "CS-INF-09")
    answers = ACT
    gesture = Gesture(to="province", counts=("tokens", "of"), control="purchase")

    province: AreaId
    tokens: Count = 0
    of: dict[Seat, Count] = field(default={})

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        number = self.tokens + sum(self.of.values())
        wrong = f"You asked to buy {number} influence token{'s' * (number != 1)} in {self.province}."
        require_action(table, wrong)
        self._check(table, seat, wrong)
        of = {other: number for other, number in sorted(self.of.items()) if number}
        draft.emit(InfluenceBought(seat, self.province, self.tokens, of, PRICE * (self.tokens + sum(of.values()))))

    def _check(self, table: Table, seat: Seat, wrong: str) -> None:
        number, area = self.tokens + sum(self.of.values()), self.province
        if area not in table.provinces or not (most := limit(table, seat, area)):
            raise Refusal("CS-INF-01", wrong, "Buy influence where you have a General or your Caesar.")
        if area not in table.keys:
            raise Refusal("CS-TOK-01", wrong, f"Key provinces, where influence can be: {', '.join(table.keys)}.")
        if not 1 <= number <= most:
            raise Refusal(
                "CS-INF-02", wrong, f"Your leaders there allow {'1 token' if most == 1 else '1 or 2 tokens'}."
            )
        if self.tokens > (available := table.provinces[area].tokens):
            raise Refusal("CS-INF-04", wrong, f"Province tokens there: {available}.")
        for other, tokens in self.of.items():
            if other == seat:
                raise Refusal("CS-INF-05", wrong, "Buy from other players.")
            if table.are_allied(seat, other):
                raise Refusal("CS-INF-06", wrong, "Buy from players who are not allied with you.")
            if (has := table.provinces[area].influence.get(other, 0)) < max(tokens, 1):
                raise Refusal("CS-INF-05", wrong, f"Influence tokens of {other} there: {has}.")
            if table.army(area, other).units.total:
                raise Refusal("CS-INF-07", wrong, f"Land military units of {other} protect their influence there.")
        if number > (supply := table.supply(seat)["influence"]):
            raise Refusal("CS-TOK-03", wrong, f"You have {supply} influence tokens left to place.")
        if (price := PRICE * number) > (talents := table.players[seat].talents):
            raise Refusal("CS-INF-03", wrong, f"That costs {price} talents; you have {talents}.")

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        obtainable = min(table.players[seat].talents // PRICE, table.supply(seat)["influence"])
        if not turn_of(table).actions:
            return
        for area in table.keys:
            most = min(limit(table, seat, area), obtainable)
            tokens, others = table.provinces[area].tokens, unprotected(table, seat, area)
            if not most or not (tokens or others):
                continue
            fields: dict[str, schema.Schema] = {"province": schema.const(area)}
            if tokens:
                fields["tokens"] = schema.count(0, min(tokens, most))
            if others:
                counts = {other: schema.count(0, min(number, most)) for other, number in others.items()}
                fields["of"] = schema.record(counts, others)
            sources = [name for name in fields if name != "province"]
            total = {"of": sources, "minimum": 1, "maximum": most}
            yield cls.option(f"Buy influence in {table.names(area)}", fields, optional=sources, x_total=total)


EVENTS = (InfluenceBought,)
COMMANDS = (BuyInfluence,)
