"""How legions march (chapter LEG)."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Count, Names
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box import chains, phrases, posts
from domain.mare_nostrum.box.pieces import NO_FORCE, Force, Post
from domain.mare_nostrum.box.state import Entry
from domain.mare_nostrum.box.table import Command, Event, Table


class LegionsMarched(Event, frozen=True):
    """Legions moved to an adjacent province, over a border or a chain of triremes (MN-LEG-01, MN-LEG-02).

    Attributes:
        posts: the posts that some of them left.
        tempted: the owner of Helen, who may convert one of them (MN-HER-07); null when nobody may.
    """

    rules = ("MN-LEG-01", "MN-LEG-02")
    places = (("origin", "from"), ("to", "to"))

    seat: Seat
    origin: AreaId
    to: AreaId
    legions: int
    posts: tuple[Post, ...] = ()
    tempted: Seat | None = None

    def apply(self, table: Table) -> None:
        force = table.provinces[self.origin].forces[self.seat]
        destination = table.provinces[self.to].forces.get(self.seat, NO_FORCE)
        table.set_force(
            self.origin, self.seat, replace(force, fresh=force.fresh - self.legions).leaving_posts(*self.posts)
        )
        table.set_force(self.to, self.seat, replace(destination, moved=destination.moved + self.legions))
        table.ashore = True
        if self.tempted is not None:
            table.entry = Entry(self.to, self.tempted)

    def tell(self, names: Names) -> str:
        legions = phrases.units(self.legions).capitalize()
        return f"{legions} of {names(self.seat)} marched from {names(self.origin)} to {names(self.to)}."


class March(Command, frozen=True):
    """Move legions that have neither moved nor attacked to an adjacent province (MN-LEG-01).

    Any number can cross a chain of your own triremes at once (MN-LEG-04).

    Attributes:
        posts: the posts that some of them leave; legions stay on the others.
    """

    rules = ("MN-LEG-01", "MN-LEG-04")
    answers = frozenset({"campaign"})
    gesture = Gesture(start="origin", to="to", pieces=("posts",), counts=("legions",))

    origin: AreaId
    to: AreaId
    legions: Count
    posts: tuple[Post, ...] = ()

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        wrong = f"You cannot march with {self.legions} legions from {self.origin} to {self.to}."
        province = table.provinces.get(self.origin)
        force = province.forces.get(seat, NO_FORCE) if province is not None else NO_FORCE
        self._check_legions(force, wrong)
        reached = chains.adjacent(table, self.origin, seat)
        if self.to not in reached:
            allowed = f"Legions in {self.origin} can reach {', '.join(reached) or 'no province'}."
            raise Refusal(_gap(table, self.origin, self.to, seat), wrong, allowed)
        tempted = _tempted(table, seat, self.to)
        draft.emit(LegionsMarched(seat, self.origin, self.to, self.legions, self.posts, tempted))

    def _check_legions(self, force: Force, wrong: str) -> None:
        if force.fortresses and not force.legions:
            raise Refusal("MN-PCS-02", wrong, "Fortresses never move.")
        if not 1 <= self.legions <= force.legions:
            raise Refusal(self.rule, wrong, f"Your legions in {self.origin}: {force.legions}.")
        if self.legions > force.fresh:
            allowed = f"Your legions there that have neither moved nor attacked this turn: {force.fresh}."
            raise Refusal("MN-MIL-04", wrong, allowed)
        if not posts.gives_up(self.posts, self.legions, force.posts, force.garrison):
            allowed = "Name in `posts` those that they leave, so that a legion stays on each of the others."
            raise Refusal("MN-AFT-08", wrong, allowed)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        for area, province in table.provinces.items():
            force = province.forces.get(seat, NO_FORCE)
            reached = chains.adjacent(table, area, seat) if force.fresh else ()
            if not reached:
                continue
            for legions, posts_field in posts.leaving(force.fresh, force.posts, force.garrison):
                fields = {"origin": schema.const(area), "to": schema.one_of(reached), "legions": legions, **posts_field}
                yield cls.option(f"March from {table.names(area)}", fields)


def _gap(table: Table, origin: AreaId, to: AreaId, seat: Seat) -> str:
    """Return the rule that keeps legions from getting from one province to another."""
    if to not in table.provinces or not chains.seas_of(table, to) or not chains.seas_of(table, origin):
        return "MN-LEG-01"
    return "MN-LEG-03" if to in chains.across(table, origin, seat, any_player=True) else "MN-LEG-02"


def _tempted(table: Table, mover: Seat, area: AreaId) -> Seat | None:
    """Return the seat that may convert one of the legions that enter a province, as Helen does; None without one.

    It is the province's owner, once in a Military Phase (MN-HER-07), while they have a legion in stock (MN-HER-09).
    """
    owner = table.provinces[area].owner
    if owner is None or owner == mover or table.seduced or not table.has(owner, "seduce"):
        return None
    return owner if table.stock(owner)["legion"] else None


EVENTS = (LegionsMarched,)
COMMANDS = (March,)
