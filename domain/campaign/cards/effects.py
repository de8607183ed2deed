"""What cards and the prizes of votes bring (chapter EFF): talents, chaos, points, units and influence."""

from domain.campaign.box.data import CardId, Gain, Levy, Tokens, name_of
from domain.campaign.box.state import Army
from domain.campaign.box.table import Event, Table
from domain.conquest.pieces import Units, amount_of
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Count, Names, enumerated


class Gained(Event, frozen=True):
    """A card brought talents, chaos or victory points (CS-EFF-01, CS-EFF-03 to CS-EFF-06, CS-EFF-16, CS-EFF-17).

    Attributes:
        chaos: chaos points; negative ones were removed (CS-EFF-05).
        points: victory points.
        talents: talents from the bank.
    """

    rules = ("CS-EFF-01", "CS-EFF-03", "CS-EFF-04", "CS-EFF-05", "CS-EFF-06", "CS-EFF-16", "CS-EFF-17")

    seat: Seat
    card: CardId
    talents: int = 0
    chaos: int = 0
    points: int = 0

    def apply(self, table: Table) -> None:
        table.pay(self.seat, -self.talents)
        table.add_chaos(self.seat, self.chaos)
        table.change_player(self.seat, points=table.players[self.seat].points + self.points)

    def tell(self, names: Names) -> str:
        figures = ((self.talents, "talents"), (self.chaos, "chaos"), (self.points, "victory points"))
        gained = enumerated([f"{number} {what}" for number, what in figures if number > 0])
        relief = f"got rid of {-self.chaos} chaos" if self.chaos < 0 else ""
        got = f"got {gained or 'nothing'}" if gained or not relief else ""
        return f"{name_of(self.card)}: {names(self.seat)} {enumerated(list(filter(None, (got, relief))))}."


class UnitsLevied(Event, frozen=True):
    """A card brought units from the supply, as many as it had (CS-EFF-07, CS-EFF-13, CS-EFF-15, CS-PCS-04)."""

    rules = ("CS-EFF-07", "CS-EFF-13", "CS-EFF-15", "CS-PCS-04")
    places = (("at", "at"),)

    seat: Seat
    card: CardId
    at: AreaId
    units: Units
    galleys: Count = 0

    def apply(self, table: Table) -> None:
        if self.units.total:
            table.set_army(self.at, self.seat, table.army(self.at, self.seat) + Army(self.units))
        if self.galleys:
            table.add_galleys(self.at, self.seat, self.galleys)

    def tell(self, names: Names) -> str:
        units = [str(Army(self.units))] if self.units.total else []
        ships = [amount_of("galleys", self.galleys)] if self.galleys else []
        got = enumerated([*units, *ships]) or "no units"
        return f"{name_of(self.card)}: {names(self.seat)} got {got} in {names(self.at)}."


class TokensGained(Event, frozen=True):
    """A card brought influence tokens from the supply (CS-EFF-08, CS-EFF-18), as many as it had (CS-TOK-03).

    Attributes:
        number: how many; fewer than the card brings where the supply has no more.
    """

    rules = ("CS-EFF-08", "CS-EFF-18", "CS-TOK-02", "CS-TOK-03")
    places = (("province", "at"),)

    seat: Seat
    card: CardId
    province: AreaId
    number: Count

    def apply(self, table: Table) -> None:
        if self.number:
            table.add_influence(self.province, self.seat, self.number)

    def tell(self, names: Names) -> str:
        got = f"{self.number or 'no'} influence in {names(self.province)}"
        return f"{name_of(self.card)}: {names(self.seat)} got {got}."


def gain(draft: Draft[Table], seat: Seat, card: CardId, effect: Gain) -> None:
    """Give talents, chaos and points; no more chaos is removed than the player has (CS-EFF-05)."""
    chaos = max(effect.chaos, -draft.table.players[seat].chaos)
    draft.emit(Gained(seat, card, effect.talents, chaos, effect.points))


def levied(table: Table, seat: Seat, effect: Levy) -> tuple[Units, int]:
    """Return the units and galleys that a levy brings, as many as the supply has (CS-PCS-04)."""
    supply = table.supply(seat)
    units = Units(min(effect.infantry, supply["infantry"]), min(effect.cavalry, supply["cavalry"]))
    return units, min(effect.galleys, supply["galleys"])


def levy(draft: Draft[Table], seat: Seat, card: CardId, effect: Levy, at: AreaId) -> None:
    """Place the units of a levy, all in one area."""
    draft.emit(UnitsLevied(seat, card, at, *levied(draft.table, seat, effect)))


def add_tokens(draft: Draft[Table], seat: Seat, card: CardId, effect: Tokens) -> None:
    """Place influence tokens where the card says, or where the Caesar is."""
    area = effect.province or caesar_at(draft.table, seat)
    assert area is not None, "the Caesar is on the board"
    draft.emit(TokensGained(seat, card, area, min(effect.number, draft.table.supply(seat)["influence"])))


def caesar_at(table: Table, seat: Seat) -> AreaId | None:
    """Return the province where a player's Caesar is; None before it is deployed."""
    return next((area for area in table.map.lands if table.army(area, seat).caesar), None)


EVENTS = (Gained, UnitsLevied, TokensGained)
