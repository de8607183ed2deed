"""After the battle: pillage, occupy or convert (chapter AFT, MN-HER-10)."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Count, Names, enumerated
from domain.kernel.rules.refusal import Refusal, or_none
from domain.mare_nostrum.box import phrases
from domain.mare_nostrum.box.data import TAX, Resource
from domain.mare_nostrum.box.pieces import NO_FORCE, Post, Province
from domain.mare_nostrum.box.posts import MARKER, gives_up, leaving, most_leaving, one_on_each, post_name
from domain.mare_nostrum.box.state import Spoils
from domain.mare_nostrum.box.table import Command, Event, Table


def ways(table: Table, area: AreaId, seat: Seat) -> tuple[str, ...]:
    """Return what an invader alone in a province may do there: nothing in their own or an unmarked one (MN-LEG-08).

    They can pillage or occupy buildings. They can convert the marker, unless it is that of a capital (`protected`) or
    a legion of theirs is already on it.
    """
    province = table.provinces[area]
    if province.owner is None or province.owner == seat:
        return ()
    buildings = ("pillage", "occupy") if province.buildings else ()
    is_protected = protected(table, area) or MARKER in province.forces.get(seat, NO_FORCE).posts
    return buildings if is_protected else (*buildings, "convert")


def protected(table: Table, area: AreaId) -> bool:
    """Tell whether the marker in a province can never be converted: that of a player's capital (MN-INF-07)."""
    owners = table.seats if table.rules.neutral_capitals_convert else table.capitals
    return any(table.capitals[civilization] == area for civilization in owners)


def can_exploit(table: Table, area: AreaId, seat: Seat) -> bool:
    """Tell whether an invader alone in a province has something to choose there, once a turn (MN-AFT-01)."""
    return seat not in table.exploited.get(area, ()) and bool(ways(table, area, seat))


def chooses_after_battle(table: Table, area: AreaId, seat: Seat) -> bool:
    """Tell whether an attacker who is alone after a battle has something to choose (MN-AFT-01)."""
    return bool(ways(table, area, seat)) if table.rules.choice_after_each_battle else can_exploit(table, area, seat)


# --- events ---


class ProvinceOverrun(Event, frozen=True):
    """Legions attacked an opponent's undefended province, without dice (MN-LEG-06, MN-AFT-10).

    Attributes:
        posts: the posts that some of them left to take part.
    """

    rules = ("MN-LEG-06", "MN-AFT-10")
    places = (("province", "lost"),)

    seat: Seat
    province: AreaId
    legions: int
    posts: tuple[Post, ...] = ()

    def apply(self, table: Table) -> None:
        force = table.provinces[self.province].forces[self.seat]
        table.set_force(self.province, self.seat, force.committed(self.legions).leaving_posts(*self.posts))
        table.spoils = Spoils(self.province, self.legions)
        table.exploit(self.province, self.seat)
        table.ashore = True

    def tell(self, names: Names) -> str:
        return f"{phrases.units(self.legions)} of {names(self.seat)} attacked undefended {names(self.province)}."


class ProvincePillaged(Event, frozen=True):
    """A building was destroyed, and its token went back to the supply (MN-AFT-02, MN-PCS-06).

    Attributes:
        post: the building: `city`, `market`, `temple`, or a good for the caravan on it.
        card: the card that Nebuchadnezzar's owner took from the bank for it (MN-HER-10); null when none was taken.
    """

    rules = ("MN-AFT-02", "MN-PCS-06")
    places = (("province", "lost"),)

    seat: Seat
    province: AreaId
    post: Post
    card: Resource | None = None

    def apply(self, table: Table) -> None:
        table.spoils = None
        table.raze(self.province, self.post)
        force = table.provinces[self.province].forces[self.seat]
        table.set_force(self.province, self.seat, force.leaving_posts(self.post))
        if self.card is not None:
            table.draw(self.seat, {self.card: 1})

    def tell(self, names: Names) -> str:
        booty = f", which brought {phrases.card(self.card)}" if self.card is not None else ""
        return f"{names(self.seat)} pillaged {names(self.province)}: the {post_name(self.post)} was destroyed{booty}."


class ProvinceOccupied(Event, frozen=True):
    """Legions were placed on buildings, one on each; the occupier gets their income and role value (MN-AFT-05).

    Attributes:
        posts: the buildings.
    """

    rules = ("MN-AFT-05",)
    places = (("province", "lost"),)

    seat: Seat
    province: AreaId
    posts: tuple[Post, ...]

    def apply(self, table: Table) -> None:
        table.spoils = None
        _post(table, self.province, self.seat, self.posts)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} occupied the {_posts_in_words(self.posts)} of {names(self.province)}."


class ConversionBegan(Event, frozen=True):
    """A legion was placed on the marker; it may be replaced in the next Construction Phase (MN-AFT-07).

    Attributes:
        automatic: whether there was no building to choose instead.
    """

    rules = ("MN-AFT-07",)
    places = (("province", "at"),)

    seat: Seat
    province: AreaId
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.spoils = None
        _post(table, self.province, self.seat, (MARKER,))

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} began to convert {names(self.province)}."


class PostsKept(Event, frozen=True):
    """An occupier who was attacked and is alone again chose what their legions hold from now on (MN-AFT-11).

    Attributes:
        posts: what they hold; empty when they no longer occupy or convert.
    """

    rules = ("MN-AFT-11",)
    places = (("province", "at"),)

    seat: Seat
    province: AreaId
    posts: tuple[Post, ...] = ()

    def apply(self, table: Table) -> None:
        table.holding = None
        _post(table, self.province, self.seat, self.posts)

    def tell(self, names: Names) -> str:
        if not self.posts:
            return f"{names(self.seat)} gave up the posts held in {names(self.province)}."
        return f"{names(self.seat)} still holds the {_posts_in_words(self.posts)} of {names(self.province)}."


def _posts_in_words(posts: tuple[str, ...]) -> str:
    return enumerated([post_name(post) for post in posts])


def _post(table: Table, area: AreaId, seat: Seat, posts: tuple[str, ...]) -> None:
    force = table.provinces[area].forces[seat]
    new = tuple(post for post in posts if post not in force.posts)
    settled = min(force.moved + force.fought, len(posts))
    table.set_force(area, seat, replace(force, posts=(*force.posts, *new), settled=settled))


# --- an undefended province ---


class Exploit(Command, frozen=True):
    """Attack an opponent's province that holds only your own land units, without dice.

    Legions that have just entered (MN-LEG-06) and those that stayed from an earlier turn (MN-AFT-10) can do so. It is
    their attack of the turn.

    Attributes:
        posts: the posts that some of them leave to take part.
    """

    rules = ("MN-LEG-06", "MN-AFT-10")
    answers = frozenset({"campaign"})
    gesture = Gesture(to="province", pieces=("posts",), counts=("legions",))

    province: AreaId
    legions: Count
    posts: tuple[Post, ...] = ()

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        wrong = f"You asked to pillage, occupy or convert {self.province} with {self.legions} legions."
        if self.province not in table.provinces:
            rule = "MN-SEA-08" if self.province in table.map else "MN-BRD-01"
            raise Refusal(rule, wrong, f"{self.province} is not a province.")
        if enemies := table.enemies_in(self.province, seat):
            allowed = f"Defeat the units of {', '.join(enemies)} first."
            raise Refusal(_barrier(table, self.province, seat), wrong, allowed)
        self._check_legions(table, seat, wrong)
        if not ways(table, self.province, seat):
            owner = table.provinces[self.province].owner
            rule = "MN-LEG-08" if owner is None else self.rule if owner == seat else "MN-AFT-01"
            allowed = "There must be an opponent's building there, or a marker that you can convert."
            raise Refusal(rule, wrong, allowed)
        draft.emit(ProvinceOverrun(seat, self.province, self.legions, self.posts))

    def _check_legions(self, table: Table, seat: Seat, wrong: str) -> None:
        force = table.provinces[self.province].forces.get(seat, NO_FORCE)
        if not 1 <= self.legions <= force.legions:
            raise Refusal(self.rule, wrong, f"Your legions there: {force.legions}.")
        if self.legions > force.ready:
            raise Refusal("MN-MIL-04", wrong, f"Your legions there that have not attacked this turn: {force.ready}.")
        if seat in table.exploited.get(self.province, ()):
            raise Refusal("MN-AFT-01", wrong, "You have already done so in this province this turn.")
        if not gives_up(self.posts, self.legions, force.posts, force.legions):
            allowed = "Name in `posts` those that these legions leave, so that one legion stays on each of the others."
            raise Refusal("MN-AFT-08", wrong, allowed)
        most = most_leaving(force.ready, force.posts, force.legions, len(self.posts))
        if table.rules.all_legions_choose and self.legions < most:
            allowed = f"Send all {most} that can take part. To use some elsewhere, march them first."
            raise Refusal("MN-AFT-01", wrong, allowed)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        for area, province in table.provinces.items():
            force = province.forces.get(seat)
            if force is None or province.at_war or not force.ready or not can_exploit(table, area, seat):
                continue
            everybody = table.rules.all_legions_choose
            for legions, posts in leaving(force.ready, force.posts, force.legions, everybody=everybody):
                fields = {"province": schema.const(area), "legions": legions, **posts}
                yield cls.option(f"Pillage, occupy or convert {table.names(area)}", fields)


def _barrier(table: Table, area: AreaId, seat: Seat) -> str:
    """Return the rule against exploiting a defended province: only a fortress is left, or enemy legions are there.

    Legions that have entered must fight them (MN-LEG-05). Others must be alone to choose (MN-AFT-01).
    """
    forces = table.provinces[area].forces
    if not any(force.legions for owner, force in forces.items() if owner != seat):
        return "MN-BAT-08"
    return "MN-LEG-05" if forces.get(seat, NO_FORCE).moved else "MN-AFT-01"


# --- the choice ---


class Pillage(Command, frozen=True):
    """Destroy one building of the province (MN-AFT-02), at once and permanently (MN-AFT-04).

    Attributes:
        post: the building: `city`, `market`, `temple`, or a good for the caravan on it.
    """

    rules = ("MN-AFT-02", "MN-AFT-04")
    answers = frozenset({"exploit"})
    gesture = Gesture(pieces=("post",))

    post: Post

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        spoils, province = _spoils(draft.table)
        if self.post not in province.buildings:
            rule = "MN-AFT-03" if self.post in ("fortress", "influence", "trireme", "legion") else self.rule
            allowed = f"Buildings there: {or_none(province.buildings)}."
            raise Refusal(rule, f"You cannot destroy {self.post!r}.", allowed)
        draft.emit(ProvincePillaged(seat, spoils.province, self.post, _plunder(draft.table, seat, self.post)))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        # There are buildings to choose from: where there are none, conversion begins without a choice.
        _, province = _spoils(table)
        yield cls.option("Destroy a building", {"post": schema.one_of(province.buildings)})


def _plunder(table: Table, seat: Seat, post: str) -> Resource | None:
    """Return the card that a destroyed building brings: a tax for a city, its good for a caravan (MN-HER-10)."""
    if not table.has(seat, "plunder") or post in ("temple", "market"):
        return None
    card = TAX if post == "city" else post
    return card if table.bank[card] else None


class Occupy(Command, frozen=True):
    """Place one legion on each building that you choose (MN-AFT-05, MN-AFT-06).

    Attributes:
        posts: the buildings.
    """

    rules = ("MN-AFT-05", "MN-AFT-06")
    answers = frozenset({"exploit"})
    gesture = Gesture(pieces=("posts",), control="division")

    posts: tuple[Post, ...]

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        spoils, province = _spoils(draft.table)
        if not self.posts or not one_on_each(self.posts, province.buildings, spoils.legions):
            wrong = f"You asked to occupy {', '.join(self.posts) or 'nothing'}."
            buildings = ", ".join(province.buildings) or "none"
            allowed = f"You have {spoils.legions} legions, one for each building. Buildings there: {buildings}."
            raise Refusal(self.rule if self.posts else "MN-AFT-01", wrong, allowed)
        draft.emit(ProvinceOccupied(seat, spoils.province, _in_order(province, self.posts)))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        spoils, province = _spoils(table)
        yield cls.option("Place legions on buildings", {"posts": schema.subset(province.buildings, 1, spoils.legions)})


class Convert(Command, frozen=True):
    """Place a legion on the opponent's influence marker (MN-AFT-07)."""

    rules = ("MN-AFT-07",)
    answers = frozenset({"exploit"})

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        spoils, province = _spoils(draft.table)
        if protected(draft.table, spoils.province):
            raise Refusal("MN-INF-07", f"{spoils.province} is a capital.", "You can only pillage or occupy a capital.")
        if MARKER in province.forces[seat].posts:
            wrong = f"A legion of yours is already converting {spoils.province}."
            raise Refusal(self.rule, wrong, "Your other legions there can pillage or occupy.")
        draft.emit(ConversionBegan(seat, spoils.province))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        spoils, _ = _spoils(table)
        if "convert" in ways(table, spoils.province, seat):
            yield cls.option("Begin to convert")


def _spoils(table: Table) -> tuple[Spoils, Province]:
    assert table.spoils is not None, "an invader chooses"
    return table.spoils, table.provinces[table.spoils.province]


def _in_order(province: Province, posts: Iterable[str]) -> tuple[str, ...]:
    return tuple(post for post in (*province.buildings, MARKER) if post in set(posts))


# --- an occupier who was attacked ---


class KeepPosts(Command, frozen=True):
    """Keep occupying or converting with the legions that are left, on no more posts than before (MN-AFT-11).

    Attributes:
        posts: what they hold from now on; you may choose other buildings than before.
    """

    rules = ("MN-AFT-11",)
    answers = frozenset({"keep-posts"})
    gesture = Gesture(pieces=("posts",), keeps=("posts",), control="division")

    posts: tuple[Post, ...] = ()

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        holding = draft.table.holding
        assert holding is not None, "somebody holds a province"
        within, legions = _occupation_choice(draft.table)
        if not one_on_each(self.posts, within, legions):
            wrong = f"You asked to hold {', '.join(self.posts)}."
            raise Refusal(self.rule, wrong, f"Legions you can use: {legions}, one for each of {', '.join(within)}.")
        posts = _in_order(draft.table.provinces[holding.province], self.posts)
        draft.emit(PostsKept(seat, holding.province, posts))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        within, legions = _occupation_choice(table)
        yield cls.option("Choose what your legions keep holding", {"posts": schema.subset(within, 0, legions)})


def _occupation_choice(table: Table) -> tuple[tuple[str, ...], int]:
    """Return the posts that an occupier may hold, buildings or the marker as first chosen, and how many of them."""
    holding = table.holding
    assert holding is not None, "somebody holds a province"
    province = table.provinces[holding.province]
    buildings = province.buildings if set(holding.posts) - {MARKER} else ()
    marker = (MARKER,) if MARKER in holding.posts else ()
    return (*buildings, *marker), min(len(holding.posts), province.forces[holding.seat].legions)


# --- what players are asked ---


def keep_posts(table: Table) -> list[Decision]:
    """Ask an occupier who is alone again what their legions keep holding."""
    holding = table.holding
    assert holding is not None, "somebody held something"
    return [
        Decision(
            "keep-posts",
            (holding.seat,),
            RuleId("MN-AFT-11"),
            f"What do your legions in {table.names(holding.province)} keep holding?",
            "The attacker's turn continues after this choice.",
            {"province": holding.province, "posts": list(holding.posts)},
        )
    ]


def exploit(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask an invader who is alone what to do, where there is a choice; without one, the conversion begins."""
    spoils, seat = table.spoils, table.active
    assert spoils is not None, "somebody is alone"
    assert seat is not None, "it is somebody's turn"
    possible = ways(table, spoils.province, seat)
    if len(possible) == 1:
        return lambda draft: draft.emit(ConversionBegan(seat, spoils.province, automatic=True))
    return [
        Decision(
            "exploit",
            (seat,),
            RuleId("MN-AFT-01"),
            f"Do your legions in {table.names(spoils.province)} pillage, occupy or convert?",
            "The turn continues after this choice.",
            {"province": spoils.province, "legions": spoils.legions, "ways": list(possible)},
        )
    ]


EVENTS = (ProvinceOverrun, ProvincePillaged, ProvinceOccupied, ConversionBegan, PostsKept)
COMMANDS = (Exploit, Pillage, Occupy, Convert, KeepPosts)
