"""The free set-up: the players in turn spend 36 points around their own capitals (MN-SET-10 to MN-SET-17).

Players may build at once where they place a marker (MN-SET-13). Otherwise the limits are those of `construction`.
`setup` continues with the neutral civilizations and the roles.
"""

from collections.abc import Iterable, Mapping
from typing import Literal

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Draw, Names
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box.data import CARDS, FREE_POINTS, OWN_HERO, PRICES, CardId, Item, Resource, price_of
from domain.mare_nostrum.box.table import Command, Event, Table
from domain.mare_nostrum.economy import construction
from domain.mare_nostrum.economy.construction import Obstacle

Piece = Literal["influence", "city", "market", "temple", "fortress", "legion", "trireme"]
"""Every piece except the caravan, which needs an icon."""

PIECES: tuple[Piece, ...] = ("influence", "city", "market", "temple", "fortress", "legion", "trireme")
MOBILE = ("legion", "trireme")
AT_SEA: Mapping[str, str] = {"trireme": "MN-BLD-10", "influence": "MN-INF-05"}
"""The rule that says why a piece cannot be at sea. For kinds that are not listed here it is MN-SET-12."""


# --- events ---


class FoundersDrawn(Event, frozen=True):
    """The order in which the players spend their points was drawn (MN-SET-17).

    Attributes:
        order: the players, the first to spend points first.
    """

    rules = ("MN-SET-17",)

    order: tuple[Seat, ...]
    draw: Draw

    def apply(self, table: Table) -> None:
        table.order[:] = self.order
        table.points = FREE_POINTS

    def tell(self, names: Names) -> str:
        return f"{names.all(self.order)} each spend {FREE_POINTS} points, in this order."


class PieceFounded(Event, frozen=True):
    """A marker, a building or a unit was put on the board for points (MN-SET-10).

    Attributes:
        points: what it cost.
        good: the icon of a caravan; null for anything else.
    """

    rules = ("MN-SET-10",)
    places = (("province", "at"),)

    seat: Seat
    item: Item
    province: AreaId
    points: int
    good: Resource | None = None

    def apply(self, table: Table) -> None:
        table.points -= self.points
        construction.put(table, self.seat, self.item, self.province, self.good)

    def tell(self, names: Names) -> str:
        what = {"influence": "an influence marker", "caravan": f"a caravan on {self.good}"}.get(
            self.item, f"a {self.item}"
        )
        return f"{names(self.seat)} put {what} in {names(self.province)} for {self.points} points."


class HeroChosen(Event, frozen=True):
    """A player bought the hero of their own civilization for points (MN-SET-11); it works from now on (MN-SET-10).

    Attributes:
        points: what it cost.
    """

    rules = ("MN-SET-11", "MN-SET-10")

    seat: Seat
    hero: CardId
    points: int

    def apply(self, table: Table) -> None:
        table.points -= self.points
        table.cards[self.seat] = (self.hero,)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} chose {CARDS[self.hero].name} for {self.points} points."


class FoundingFinished(Event, frozen=True):
    """A player has finished spending points; those that are left are lost (MN-SET-10).

    Attributes:
        lost: the points that were left.
        automatic: whether they could not buy anything more.
    """

    rules = ("MN-SET-10",)

    seat: Seat
    lost: int
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.order.remove(self.seat)
        table.points = FREE_POINTS if table.order else 0

    def tell(self, names: Names) -> str:
        loss = "; 1 point was lost" if self.lost == 1 else f"; {self.lost} points were lost"
        return f"{names(self.seat)} finished founding an empire{loss if self.lost else ''}."


def open(draft: Draft[Table]) -> None:  # noqa: A001  (the word of the ruleset protocol)
    """Draw who spends first (MN-SET-17)."""
    order = draft.shuffle(draft.table.seats)
    draft.emit(FoundersDrawn(tuple(order), draft.draws))


# --- what may be founded, and where ---


def find_obstacle(table: Table, seat: Seat, item: Item, area: AreaId, good: Resource | None = None) -> Obstacle | None:
    """Return why a piece may not be founded in an area, whether or not the player can pay for it; None if it may."""
    if area not in table.map:
        return "MN-BRD-01", f"There is no {area} on the board."
    if area not in table.provinces:
        return AT_SEA.get(item, "MN-SET-12"), "You can start only in provinces, never at sea."
    return (
        _why_out_of_reach(table, seat, area)
        or _why_markers_forbid(table, seat, item, area)
        or construction.limit_reached(table, seat, item, area, good)
    )


def reach(table: Table, seat: Seat) -> list[AreaId]:
    """Return the capital, its neighbours over land, and what the board adds for a civilization (MN-SET-12, -15).

    The capitals of other civilizations are excluded, whether anybody plays them or not.
    """
    capital = table.capitals[seat]
    near = {capital, *table.map.land_neighbours(capital)}
    added = {area for area in table.map.lands if seat in table.map.area(area).traits.get("free_start_of", ())}
    foreign = {other for owner, other in table.capitals.items() if owner != seat}
    return [area for area in table.map.lands if area in (near | added) - foreign]


def _why_out_of_reach(table: Table, seat: Seat, area: AreaId) -> Obstacle | None:
    if area in (near := reach(table, seat)):
        return None
    return "MN-SET-12", f"{seat} can start in {', '.join(near)}."


def _why_markers_forbid(table: Table, seat: Seat, item: Item, area: AreaId) -> Obstacle | None:
    """Return why a piece of this kind may not go into a province, given the markers on the board."""
    capital, owner = table.capitals[seat], table.provinces[area].owner
    if table.provinces[capital].owner != seat and (item, area) != ("influence", capital):
        return "MN-SET-13", f"You must first place the marker in {capital}."
    if item == "influence":
        rule = "MN-INF-03" if owner == seat else "MN-SET-12"
        return (rule, f"The marker of {owner} is already there.") if owner is not None else None
    if item in MOBILE and area != capital:
        return "MN-SET-14", f"Your legions and triremes must start in {capital}."
    if owner != seat:
        return "MN-SET-13", "You must first place your marker there."
    return None


def _why_too_expensive(table: Table, points: int) -> Obstacle | None:
    if points > table.points:
        return "MN-SET-10", f"It costs {points} points, and you have {table.points} left."
    return None


def _places(table: Table, seat: Seat, item: Item) -> list[AreaId]:
    """Return where a player may found an item other than a caravan; nowhere if they cannot pay for it."""
    if _why_too_expensive(table, price_of(item, table.cards[seat])):
        return []
    return [area for area in reach(table, seat) if find_obstacle(table, seat, item, area) is None]


def _icons(table: Table, seat: Seat) -> dict[AreaId, list[Resource]]:
    """Return the icons on which a player may put a caravan; none if they cannot pay for it."""
    if _why_too_expensive(table, price_of("caravan", table.cards[seat])):
        return {}
    free = {
        area: [good for good in table.icons(area) if find_obstacle(table, seat, "caravan", area, good) is None]
        for area in reach(table, seat)
    }
    return {area: goods for area, goods in free.items() if goods}


def _why_no_hero(table: Table, seat: Seat) -> Obstacle | None:
    hero = CARDS[OWN_HERO[seat]]
    if table.cards[seat]:
        return "MN-SET-11", f"You already have {hero.name}, and other heroes and wonders are not for sale yet."
    if table.provinces[capital := table.capitals[seat]].owner != seat:
        return "MN-SET-13", f"You must first place the marker in {capital}."
    return _why_too_expensive(table, hero.price)


def can_spend(table: Table, seat: Seat) -> bool:
    """Tell whether a player's points can still buy anything."""
    if any(_places(table, seat, item) for item in PIECES):
        return True
    return bool(_icons(table, seat)) or _why_no_hero(table, seat) is None


# --- what may be done ---


class Found(Command, frozen=True):
    """Put a marker, a building or a unit on the board; it costs as many points as it later costs cards (MN-SET-10)."""

    rules = ("MN-SET-10",)
    answers = frozenset({"found"})
    gesture = Gesture(to="province", targets=("item",))

    item: Piece
    province: AreaId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        _found(draft, seat, self.item, self.province)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        for item in PIECES:
            if places := _places(table, seat, item):
                fields = {"item": schema.const(item), "province": schema.one_of(places)}
                piece = "an influence marker" if item == "influence" else f"a {item}"
                yield cls.option(f"Place {piece} for {price_of(item, table.cards[seat])} points", fields)


class FoundCaravan(Command, frozen=True):
    """Put a caravan on an icon of your own province for points (MN-SET-13).

    Attributes:
        good: the icon.
    """

    rules = ("MN-SET-13",)
    answers = frozenset({"found"})
    gesture = Gesture(to="province", targets=("good",))

    province: AreaId
    good: Resource

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        _found(draft, seat, "caravan", self.province, self.good)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        price = price_of("caravan", table.cards[seat])
        for area, goods in _icons(table, seat).items():
            fields = {"province": schema.const(area), "good": schema.one_of(goods)}
            yield cls.option(f"Place a caravan in {table.names(area)} for {price} points", fields)


class ChooseHero(Command, frozen=True):
    """Buy the hero of your own civilization for points; it is optional (MN-SET-16)."""

    rules = ("MN-SET-16",)
    answers = frozenset({"found"})

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        hero = CARDS[OWN_HERO[seat]]
        if (obstacle := _why_no_hero(draft.table, seat)) is not None:
            raise Refusal(obstacle[0], f"You cannot choose {hero.name}.", obstacle[1])
        draft.emit(HeroChosen(seat, hero.id, hero.price))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if _why_no_hero(table, seat) is None:
            hero = CARDS[OWN_HERO[seat]]
            yield cls.option(f"Choose {hero.name} for {hero.price} points")


class FinishFounding(Command, frozen=True):
    """Stop spending points; those that are left are lost (MN-SET-10)."""

    rules = ("MN-SET-10",)
    answers = frozenset({"found"})
    gesture = Gesture(quiet=True, called="Done spending points")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        if table.provinces[capital := table.capitals[seat]].owner != seat:
            raise Refusal("MN-SET-13", f"You have no marker in {capital} yet.", f"Place a marker in {capital} first.")
        draft.emit(FoundingFinished(seat, table.points))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if table.provinces[table.capitals[seat]].owner == seat:
            yield cls.option()


def _found(draft: Draft[Table], seat: Seat, item: Item, area: AreaId, good: Resource | None = None) -> None:
    table = draft.table
    points = price_of(item, table.cards[seat])
    if (obstacle := find_obstacle(table, seat, item, area, good) or _why_too_expensive(table, points)) is not None:
        what = f"{item} on {good}" if good else item
        raise Refusal(obstacle[0], f"You cannot place {what} in {area}.", obstacle[1])
    draft.emit(PieceFounded(seat, item, area, points, good))


def spend(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the first of those who still have to spend points; if they cannot buy anything more, they have finished."""
    seat = table.order[0]
    if not can_spend(table, seat):
        return lambda draft: draft.emit(FoundingFinished(seat, table.points, automatic=True))
    about = {"points": table.points, "prices": {item: price_of(item, table.cards[seat]) for item in PRICES}}
    return [
        Decision(
            "found",
            (seat,),
            RuleId("MN-SET-10"),
            "What do you start with?",
            "The next player spends points when this player has finished.",
            about,
        )
    ]


EVENTS = (FoundersDrawn, PieceFounded, HeroChosen, FoundingFinished)
COMMANDS = (Found, FoundCaravan, ChooseHero, FinishFounding)
