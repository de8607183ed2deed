"""Influence markers: placing them, and completing a conversion with one (chapter INF, MN-HER-14, MN-WON-05)."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box import chains, hands, phrases
from domain.mare_nostrum.box.data import Resource, price_of
from domain.mare_nostrum.box.pieces import NO_FORCE
from domain.mare_nostrum.box.table import Command, Event, Table
from domain.mare_nostrum.combat import aftermath
from domain.mare_nostrum.economy import combinations, construction
from domain.mare_nostrum.economy.construction import Obstacle


class InfluencePlaced(Event, frozen=True):
    """A player placed an influence marker (MN-INF-01).

    Attributes:
        paid: the cards of the combination, by kind.
        replaced: whose marker it converted (MN-INF-06); null when there was none.
        free: whether it is Hammurabi's free marker (MN-HER-14).
    """

    rules = ("MN-INF-01",)
    places = (("province", "at"),)

    seat: Seat
    province: AreaId
    paid: dict[Resource, int]
    replaced: Seat | None = None
    free: bool = False

    def apply(self, table: Table) -> None:
        table.draw(self.seat, hands.negated(self.paid))
        construction.put(table, self.seat, "influence", self.province)
        table.free_marker = table.free_marker or self.free
        if self.replaced is not None:
            table.replaced[self.province] = self.replaced
            # The legion leaves the marker, and any buildings that legions hold now belong to the player.
            force = table.provinces[self.province].forces[self.seat]
            table.set_force(self.province, self.seat, replace(force, posts=()))

    def tell(self, names: Names) -> str:
        cost = "free of charge" if self.free else f"for {phrases.cards(self.paid)}"
        if self.replaced is not None:
            former = phrases.owner(self.replaced)
            return f"{names(self.seat)} converted {names(self.province)} from {former} {cost}."
        return f"{names(self.seat)} placed influence in {names(self.province)} {cost}."


# --- where a marker may be placed ---


def find_obstacle(table: Table, seat: Seat, area: AreaId) -> Obstacle | None:
    """Return why a player may not place a marker in an area; None when they may."""
    if area not in table.map:
        return "MN-BRD-01", f"There is no {area} on the board."
    if area not in table.provinces:
        return "MN-INF-05", "You can place markers only in provinces, never at sea."
    return _unfit(table, seat, area, reach(table, seat)) or construction.none_left(table, seat, "influence")


def reach(table: Table, seat: Seat) -> frozenset[AreaId]:
    """Return the provinces adjacent to those that a player has controlled since the turn began (MN-INF-01, MN-INF-04).

    With the Lighthouse, return all provinces (MN-WON-05).
    """
    if table.has(seat, "distant-markers"):
        return frozenset(table.map.lands)
    return _next_to(table, seat, (area for area in table.map.lands if table.controls(seat, area)))


def _next_to(table: Table, seat: Seat, areas: Iterable[AreaId]) -> frozenset[AreaId]:
    of_any_player = table.setup.influence_chain_any_player
    return frozenset(
        neighbour for area in areas for neighbour in chains.adjacent(table, area, seat, any_player=of_any_player)
    )


def _unfit(table: Table, seat: Seat, area: AreaId, reached: frozenset[AreaId]) -> Obstacle | None:
    owner = table.provinces[area].owner
    if owner == seat:
        return "MN-INF-03", "Your marker is already there."
    if owner is not None:
        return _not_converted(table, seat, area, owner)
    if enemies := table.enemies_in(area, seat):
        return "MN-INF-10", f"You cannot place a marker where land units of {' and '.join(enemies)} are."
    if area in reached:
        return None
    return (
        _gap(table, seat, area),
        f"Provinces adjacent to those that you have controlled since the turn began: {', '.join(sorted(reached))}.",
    )


def _gap(table: Table, seat: Seat, area: AreaId) -> str:
    """Return the rule that keeps a province out of reach: a new marker, others' triremes, or plain distance."""
    if area in _next_to(table, seat, (land for land, province in table.provinces.items() if province.owner == seat)):
        return "MN-INF-02"
    controlled = (land for land in table.map.lands if table.controls(seat, land))
    foreign = any(area in chains.across(table, land, seat, any_player=True) for land in controlled)
    return "MN-INF-04" if foreign else "MN-INF-01"


def _not_converted(table: Table, seat: Seat, area: AreaId, owner: Seat) -> Obstacle | None:
    """Return why a player may not replace another's marker (MN-INF-03, -06, -07, MN-AFT-08)."""
    province = table.provinces[area]
    if aftermath.protected(table, area):
        return "MN-INF-07", "You cannot convert the marker in a capital."
    if "influence" not in province.forces.get(seat, NO_FORCE).posts:
        return "MN-INF-03", f"You can replace the marker of {owner} only with a legion of yours on it."
    if province.at_war:
        return "MN-AFT-08", "You cannot convert a province that is at war."
    return None


# --- what may be done ---


class PlaceInfluence(Command, frozen=True):
    """Place an influence marker in a province, or replace one that you are converting (MN-INF-01, MN-INF-06).

    Attributes:
        pay: the cards of the combination, in any order; none for a free marker.
        free: whether to use Hammurabi's free marker, once a turn (MN-HER-14).
    """

    rules = ("MN-INF-01", "MN-INF-06")
    answers = frozenset({"build"})
    gesture = Gesture(to="province", cards=("pay",))

    province: AreaId
    pay: tuple[Resource, ...] = ()
    free: bool = False

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        if (obstacle := find_obstacle(table, seat, self.province)) is not None:
            raise Refusal(obstacle[0], f"You cannot place influence in {self.province}.", obstacle[1])
        paid = self._paid(draft, seat)
        replaced = table.provinces[self.province].owner
        draft.emit(InfluencePlaced(seat, self.province, paid, replaced, self.free))

    def _paid(self, draft: Draft[Table], seat: Seat) -> dict[Resource, int]:
        table = draft.table
        if not self.free:
            price = price_of("influence", table.cards[seat])
            return combinations.checked(self.pay, price, hands.hand_of(table, seat, draft))
        if not table.has(seat, "free-marker"):
            raise Refusal("MN-HER-14", "You asked for a free marker.", "Only Hammurabi's owner gets one.")
        if table.free_marker:
            raise Refusal("MN-HER-14", "You have already placed your free marker this turn.", "Pay for this one.")
        if self.pay:
            raise Refusal("MN-HER-14", "You offered cards for the free marker.", "Leave out `pay`.")
        return {}

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        places = _places(table, seat)
        if not places:
            return
        province = schema.one_of(places)
        if table.has(seat, "free-marker") and not table.free_marker:
            fields = {"province": province, "free": schema.const(True)}
            yield cls.option("Place influence free of charge", fields, rule="MN-HER-14")
        for pay, word in combinations.payments(
            hands.hand_of(table, seat, vault), price_of("influence", table.cards[seat])
        ):
            yield cls.option(f"Place influence for {word}", {"province": province, "pay": pay})


def _places(table: Table, seat: Seat) -> list[AreaId]:
    if construction.none_left(table, seat, "influence") is not None:
        return []
    reached = reach(table, seat)
    near = (area for area in table.map.lands if area in reached or table.provinces[area].owner is not None)
    return [area for area in near if _unfit(table, seat, area, reached) is None]


EVENTS = (InfluencePlaced,)
COMMANDS = (PlaceInfluence,)
