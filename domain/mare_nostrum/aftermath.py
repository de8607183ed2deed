"""After the battle: pillage, occupy or convert (chapter AFT, MN-HER-10)."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Automatic, Count, Names, enumerated
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum import wording
from domain.mare_nostrum.data import TAX, Resource
from domain.mare_nostrum.pieces import NO_FORCE, Post, Province
from domain.mare_nostrum.posts import MARKER, gives_up, leaving, most_leaving, named, one_on_each
from domain.mare_nostrum.table import Command, Event, Spoils, Table


def ways(table: Table, area: AreaId, seat: Seat) -> tuple[str, ...]:
    """Return what an invader alone in a province may do there: nothing in his own or an unmarked one (MN-LEG-08).

    A building can be pillaged or occupied; the marker of a capital is never converted (`protected`), nor one again on
    which a legion of his stands already.
    """
    province = table.provinces[area]
    if province.owner is None or province.owner == seat:
        return ()
    buildings = ("pillage", "occupy") if province.buildings else ()
    kept = protected(table, area) or MARKER in province.forces.get(seat, NO_FORCE).posts
    return buildings if kept else (*buildings, "convert")


def protected(table: Table, area: AreaId) -> bool:
    """Tell whether the marker in a province is never converted: that of a player's capital (MN-INF-07)."""
    owners = table.seats if table.rules.neutral_capitals_convert else table.capitals
    return any(table.capitals[civilization] == area for civilization in owners)


def can_exploit(table: Table, area: AreaId, seat: Seat) -> bool:
    """Tell whether an invader alone in a province has something to choose there: one way a turn (MN-AFT-01)."""
    return seat not in table.exploited.get(area, ()) and bool(ways(table, area, seat))


def chooses_after_battle(table: Table, area: AreaId, seat: Seat) -> bool:
    """Tell whether an attacker who is alone after a battle has something to choose: after each battle (MN-AFT-01)."""
    return bool(ways(table, area, seat)) if table.rules.choice_after_each_battle else can_exploit(table, area, seat)


# --- events ---


class ProvinceOverrun(Event, frozen=True):
    """Legions attacked an opponent's undefended province, without dice (MN-LEG-06, MN-AFT-10).

    Attributes:
        posts: what some of them stood on and gave up for it.
    """

    rules = ("MN-LEG-06", "MN-AFT-10")

    seat: Seat
    province: AreaId
    legions: int
    posts: tuple[Post, ...] = ()

    def apply(self, table: Table) -> None:
        force = table.provinces[self.province].forces[self.seat]
        table.set_force(self.province, self.seat, force.committed(self.legions).off(*self.posts))
        table.spoils = Spoils(self.province, self.legions)
        table.exploit(self.province, self.seat)
        table.ashore = True

    def tell(self, names: Names) -> str:
        legions, their = wording.units(self.legions).capitalize(), "its" if self.legions == 1 else "their"
        return f"{legions} of {names(self.seat)} had {names(self.province)} at {their} mercy."


class ProvincePillaged(Event, frozen=True):
    """A building was destroyed; its token is back in the supply (MN-AFT-02, MN-PCS-06).

    Attributes:
        post: the building: `city`, `market`, `temple`, or a good for the caravan on it.
        card: what Nebuchadnezzar's owner took from the bank for it (MN-HER-10); null when nobody did.
    """

    rules = ("MN-AFT-02", "MN-PCS-06")

    seat: Seat
    province: AreaId
    post: Post
    card: Resource | None = None

    def apply(self, table: Table) -> None:
        table.spoils = None
        table.raze(self.province, self.post)
        force = table.provinces[self.province].forces[self.seat]
        table.set_force(self.province, self.seat, force.off(self.post))
        if self.card is not None:
            table.draw(self.seat, {self.card: 1})

    def tell(self, names: Names) -> str:
        taken = f" and brought {wording.card(self.card)}" if self.card is not None else ""
        return f"{names(self.seat)} pillaged {names(self.province)}: the {named(self.post)} was destroyed{taken}."


class ProvinceOccupied(Event, frozen=True):
    """Legions were placed on buildings, one on each; their income and role value are the occupier's (MN-AFT-05).

    Attributes:
        posts: the buildings.
    """

    rules = ("MN-AFT-05",)

    seat: Seat
    province: AreaId
    posts: tuple[Post, ...]

    def apply(self, table: Table) -> None:
        table.spoils = None
        _post(table, self.province, self.seat, self.posts)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} occupied the {_all_named(self.posts)} of {names(self.province)}."


class ConversionBegan(Event, frozen=True):
    """A legion was placed on the marker; it may be replaced in the next Construction Phase (MN-AFT-07).

    Attributes:
        automatic: whether there was no building to choose instead.
    """

    rules = ("MN-AFT-07",)

    seat: Seat
    province: AreaId
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.spoils = None
        _post(table, self.province, self.seat, (MARKER,))

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} began to convert {names(self.province)}."


class PostsKept(Event, frozen=True):
    """An occupier who was attacked and is alone again said what his legions stand on from now on (MN-AFT-11).

    Attributes:
        posts: what they stand on; nothing when he occupies and converts no more.
    """

    rules = ("MN-AFT-11",)

    seat: Seat
    province: AreaId
    posts: tuple[Post, ...] = ()

    def apply(self, table: Table) -> None:
        table.holding = None
        _post(table, self.province, self.seat, self.posts)

    def tell(self, names: Names) -> str:
        if not self.posts:
            return f"{names(self.seat)} gave up what it held in {names(self.province)}."
        return f"{names(self.seat)} went on holding the {_all_named(self.posts)} of {names(self.province)}."


def _all_named(posts: tuple[str, ...]) -> str:
    return enumerated([named(post) for post in posts])


def _post(table: Table, area: AreaId, seat: Seat, posts: tuple[str, ...]) -> None:
    force = table.provinces[area].forces[seat]
    new = tuple(post for post in posts if post not in force.posts)
    settled = min(force.moved + force.fought, len(posts))
    table.set_force(area, seat, replace(force, posts=(*force.posts, *new), settled=settled))


# --- an undefended province ---


class Exploit(Command, frozen=True):
    """Attack an opponent's province in which only one's own land units are, without dice.

    For legions that have just entered (MN-LEG-06) as for those that stayed from an earlier turn (MN-AFT-10): it is
    their attack of the turn.

    Attributes:
        posts: what some of them stand on and give up for it.
    """

    rules = ("MN-LEG-06", "MN-AFT-10")
    answers = frozenset({"campaign"})

    province: AreaId
    legions: Count
    posts: tuple[Post, ...] = ()

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        asked = f"{self.legions} legions were to pillage, occupy or convert {self.province}."
        if self.province not in table.provinces:
            raise Refusal(self.rule, asked, "Legions pillage, occupy or convert a province.")
        if enemies := table.enemies_in(self.province, seat):
            raise Refusal(_barrier(table, self.province), asked, f"First destroy the units of {', '.join(enemies)}.")
        self._check_legions(table, seat, asked)
        if not ways(table, self.province, seat):
            rule = "MN-AFT-01" if table.provinces[self.province].owner else "MN-LEG-08"
            allowed = "There must be an opponent's building, or a marker outside a capital that no legion converts yet."
            raise Refusal(rule, asked, allowed)
        draft.emit(ProvinceOverrun(seat, self.province, self.legions, self.posts))

    def _check_legions(self, table: Table, seat: Seat, asked: str) -> None:
        force = table.provinces[self.province].forces.get(seat, NO_FORCE)
        if not 1 <= self.legions <= force.ready:
            raise Refusal("MN-MIL-04", asked, f"{force.ready} legions there have not attacked this turn.")
        if seat in table.exploited.get(self.province, ()):
            raise Refusal("MN-AFT-01", asked, "One way for a province: own legions have chosen there this turn.")
        if not gives_up(self.posts, self.legions, force.posts, force.legions):
            allowed = "Name the posts that these legions leave, so that one stays on each of the others."
            raise Refusal("MN-AFT-08", asked, allowed)
        most = most_leaving(force.ready, force.posts, force.legions, len(self.posts))
        if table.rules.all_legions_choose and self.legions < most:
            allowed = f"Send all that can go: {most}. Legions that are to go elsewhere march first."
            raise Refusal("MN-AFT-01", asked, allowed)

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


def _barrier(table: Table, area: AreaId) -> str:
    """Return why a defended province cannot be exploited: enemy legions, or only a fortress (MN-BAT-08)."""
    forces = table.provinces[area].forces.items()
    return "MN-LEG-05" if any(force.legions for owner, force in forces if owner != table.active) else "MN-BAT-08"


# --- the choice ---


class Pillage(Command, frozen=True):
    """Destroy one building of the province (MN-AFT-02); at once and for good (MN-AFT-04).

    Attributes:
        post: the building: `city`, `market`, `temple`, or a good for the caravan on it.
    """

    rules = ("MN-AFT-02", "MN-AFT-04")
    answers = frozenset({"exploit"})

    post: Post

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        spoils, province = _spoils(draft.table)
        if self.post not in province.buildings:
            rule = "MN-AFT-03" if self.post in ("fortress", "influence", "trireme", "legion") else self.rule
            allowed = f"Buildings there are: {', '.join(province.buildings) or 'none'}."
            raise Refusal(rule, f"The {self.post} was to be destroyed.", allowed)
        draft.emit(ProvincePillaged(seat, spoils.province, self.post, _plunder(draft.table, seat, self.post)))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        # Who has to choose has buildings to choose from: where there are none, conversion begins of itself.
        _, province = _spoils(table)
        yield cls.option("Destroy a building", {"post": schema.one_of(province.buildings)})


def _plunder(table: Table, seat: Seat, post: str) -> Resource | None:
    """Return the card that a destroyed building brings: a tax for a city, its good for a caravan (MN-HER-10)."""
    if not table.has(seat, "plunder") or post in ("temple", "market"):
        return None
    card = TAX if post == "city" else post
    return card if table.bank[card] else None


class Occupy(Command, frozen=True):
    """Place one legion on each of some buildings (MN-AFT-05, MN-AFT-06).

    Attributes:
        posts: the buildings.
    """

    rules = ("MN-AFT-05", "MN-AFT-06")
    answers = frozenset({"exploit"})

    posts: tuple[Post, ...]

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        spoils, province = _spoils(draft.table)
        if not self.posts or not one_on_each(self.posts, province.buildings, spoils.legions):
            asked = f"Legions were to occupy: {', '.join(self.posts) or 'nothing'}."
            allowed = f"{spoils.legions} legions, one on each of: {', '.join(province.buildings) or 'no building'}."
            raise Refusal(self.rule, asked, allowed)
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
            raise Refusal("MN-INF-07", f"{spoils.province} is a capital.", "A capital is pillaged or occupied.")
        if MARKER in province.forces[seat].posts:
            raise Refusal(self.rule, f"A legion converts {spoils.province} already.", "The others pillage or occupy.")
        draft.emit(ConversionBegan(seat, spoils.province))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        spoils, _ = _spoils(table)
        if "convert" in ways(table, spoils.province, seat):
            yield cls.option("Begin to convert")


def _spoils(table: Table) -> tuple[Spoils, Province]:
    assert table.spoils is not None, "somebody chooses"
    return table.spoils, table.provinces[table.spoils.province]


def _in_order(province: Province, posts: Iterable[str]) -> tuple[str, ...]:
    return tuple(post for post in (*province.buildings, MARKER) if post in set(posts))


# --- an occupier who was attacked ---


class KeepPosts(Command, frozen=True):
    """Go on occupying or converting with the legions that are left, on no more posts than before (MN-AFT-11).

    Attributes:
        posts: what they stand on from now on; it may be other buildings.
    """

    rules = ("MN-AFT-11",)
    answers = frozenset({"keep-posts"})

    posts: tuple[Post, ...] = ()

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        holding = draft.table.holding
        assert holding is not None, "somebody holds a province"
        within, legions = _held(draft.table)
        if not one_on_each(self.posts, within, legions):
            asked = f"Legions were to go on holding: {', '.join(self.posts)}."
            raise Refusal(self.rule, asked, f"{legions} legions, one on each of: {', '.join(within)}.")
        posts = _in_order(draft.table.provinces[holding.province], self.posts)
        draft.emit(PostsKept(seat, holding.province, posts))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        within, legions = _held(table)
        yield cls.option("Choose what they go on holding", {"posts": schema.subset(within, 0, legions)})


def _held(table: Table) -> tuple[tuple[str, ...], int]:
    """Return what the occupier's legions may stand on, which is in the way he chose once, and how many of them may."""
    holding = table.holding
    assert holding is not None, "somebody holds a province"
    province = table.provinces[holding.province]
    buildings = province.buildings if set(holding.posts) - {MARKER} else ()
    marker = (MARKER,) if MARKER in holding.posts else ()
    return (*buildings, *marker), min(len(holding.posts), province.forces[holding.seat].legions)


# --- what is open ---


def keep_posts(table: Table) -> list[Decision]:
    """Ask an occupier who is alone again what their legions go on holding."""
    holding = table.holding
    assert holding is not None, "somebody held something"
    return [
        Decision(
            "keep-posts",
            (holding.seat,),
            RuleId("MN-AFT-11"),
            f"What do your legions in {table.names(holding.province)} go on holding?",
            "The attacker goes on when you have chosen.",
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
            "Your turn goes on when you have chosen.",
            {"province": spoils.province, "legions": spoils.legions, "ways": list(possible)},
        )
    ]


EVENTS = (ProvinceOverrun, ProvincePillaged, ProvinceOccupied, ConversionBegan, PostsKept)
COMMANDS = (Exploit, Pillage, Occupy, Convert, KeepPosts)
