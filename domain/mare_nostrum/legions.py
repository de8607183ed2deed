"""A military turn on land: legions move, and must fight where enemies are (chapters MIL, LEG).

First the triremes move and fight (`fleets`, `naval`), then the legions (MN-MIL-03). Legions march into a province one
group after the other, each over its own border or chain, and attack there together or in groups (MN-MIL-06, -07):
`Attack` where there are land units of others, `Exploit` where there are none. So a legion is fresh, then moved, then it
has fought.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Count, Names
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum import aftermath, chains, helen, order, phrases, posts, war
from domain.mare_nostrum.pieces import NO_FORCE, Force, Post
from domain.mare_nostrum.table import Command, Entry, Event, Table


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
        there = table.provinces[self.to].forces.get(self.seat, NO_FORCE)
        table.set_force(self.origin, self.seat, replace(force, fresh=force.fresh - self.legions).off(*self.posts))
        table.set_force(self.to, self.seat, replace(there, moved=there.moved + self.legions))
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
        asked = f"You cannot march with {self.legions} legions from {self.origin} to {self.to}."
        province = table.provinces.get(self.origin)
        force = province.forces.get(seat, NO_FORCE) if province is not None else NO_FORCE
        self._check_legions(force, asked)
        reached = chains.adjacent(table, self.origin, seat)
        if self.to not in reached:
            allowed = f"Legions in {self.origin} can reach {', '.join(reached) or 'no province'}."
            raise Refusal(_gap(table, self.origin, self.to, seat), asked, allowed)
        tempted = helen.tempted(table, seat, self.to)
        draft.emit(LegionsMarched(seat, self.origin, self.to, self.legions, self.posts, tempted))

    def _check_legions(self, force: Force, asked: str) -> None:
        if force.fortresses and not force.legions:
            raise Refusal("MN-PCS-02", asked, "Fortresses never move.")
        if not 1 <= self.legions <= force.legions:
            raise Refusal(self.rule, asked, f"Your legions in {self.origin}: {force.legions}.")
        if self.legions > force.fresh:
            allowed = f"Your legions there that have neither moved nor attacked this turn: {force.fresh}."
            raise Refusal("MN-MIL-04", asked, allowed)
        if not posts.gives_up(self.posts, self.legions, force.posts, force.garrison):
            allowed = "Name in `posts` those that they leave, so that a legion stays on each of the others."
            raise Refusal("MN-AFT-08", asked, allowed)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        for area, province in table.provinces.items():
            force = province.forces.get(seat, NO_FORCE)
            reached = chains.adjacent(table, area, seat) if force.fresh else ()
            if not reached:
                continue
            for legions, left in posts.leaving(force.fresh, force.posts, force.garrison):
                fields = {"origin": schema.const(area), "to": schema.one_of(reached), "legions": legions, **left}
                yield cls.option(f"March from {table.names(area)}", fields)


def _gap(table: Table, origin: AreaId, to: AreaId, seat: Seat) -> str:
    """Return the rule that keeps legions from getting from one province to another."""
    if to not in table.provinces or not chains.seas_of(table, to) or not chains.seas_of(table, origin):
        return "MN-LEG-01"
    return "MN-LEG-03" if to in chains.across(table, origin, seat, any_player=True) else "MN-LEG-02"


class FinishCampaign(Command, frozen=True):
    """Stop moving and fighting in this turn (MN-MIL-02), when all units have fought that must."""

    rules = ("MN-MIL-02",)
    answers = frozenset({"campaign"})
    gesture = Gesture(quiet=True, called="Done moving and fighting")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        for area, rule in unfinished(draft.table, seat).items():
            asked = f"Your units in {area} must still act."
            raise Refusal(rule, asked, "Fight there first, or pillage, occupy or convert.")
        order.finish(draft)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if not unfinished(table, seat):
            yield cls.option()


def unfinished(table: Table, seat: Seat) -> dict[AreaId, RuleId]:
    """Return where a player's units must still fight or choose, each with the rule that requires it."""
    found = ((area, _duty(table, seat, area)) for area, province in table.provinces.items() if seat in province.forces)
    return {area: rule for area, rule in found if rule is not None}


def _duty(table: Table, seat: Seat, area: AreaId) -> RuleId | None:
    """Legions that entered must fight one opponent (MN-LEG-05, MN-BAT-10), or choose where nobody defends."""
    if not table.provinces[area].forces[seat].moved:
        return war.debt(table, seat, area)
    if enemies := table.enemies_in(area, seat):
        return RuleId("MN-LEG-05") if len(enemies) == 1 else RuleId("MN-BAT-10")
    return RuleId("MN-AFT-01") if aftermath.can_exploit(table, area, seat) else None


def campaign(table: Table) -> list[Decision]:
    """Ask the active player for moves and battles."""
    seat = table.active
    assert seat is not None, "it is somebody's turn"
    return [
        Decision(
            "campaign",
            (seat,),
            RuleId("MN-MIL-02"),
            "What do your triremes and legions do?",
            "The next player is chosen when this turn is finished.",
            {"unfinished": list(unfinished(table, seat))},
        )
    ]


EVENTS = (LegionsMarched,)
COMMANDS = (March, FinishCampaign)
