"""Galleys: sailing, coasts, embarking and landing (chapter SEA; what happens to galleys in combat is in conquest.py).

A galley spends a point for each space, from sea zone to sea zone or between a sea zone and a coast; its cargo spends
nothing (CC-SEA-09). Pieces embark and land only where the galley is on a coast of their province, and what lands stays
there for the turn. In the community edition a galley may enter a foreign coast only to land a legion, or as an escort
(CC-SEA-22, CC-SEA-23). So `Sail` can enter a coast and land pieces in one command. In this way no galley stands on a
coast that it may not enter.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from domain.classic.box.pieces import LEADER_MOVES, Army, Galley, GalleyId, Leader, LeaderId
from domain.classic.box.table import Command, Event, Table
from domain.conquest.pieces import NO_UNITS, Units
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Names
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.schema import Schema

CAPACITY = 7
"""Land combat units that a galley carries, besides any number of leaders (CC-SEA-08)."""

Crews = Mapping[str, Sequence[str]]
"""The leaders aboard, by galley."""


class Party(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Leaders and units that go ashore together."""

    leaders: tuple[LeaderId, ...] = ()
    units: Units = NO_UNITS


# --- what happens ---


class GalleySailed(Event, frozen=True):
    """A galley sailed one space, into a sea zone or onto a coast (CC-SEA-02), with all that is aboard (CC-SEA-09).

    Attributes:
        coast: which coast of the province; null at sea.
    """

    rules = ("CC-SEA-02", "CC-SEA-09")
    places = (("origin", "from"), ("to", "to"))

    galley: GalleyId
    origin: AreaId
    to: AreaId
    coast: str | None = None

    def apply(self, table: Table) -> None:
        galley = table.galleys[self.galley]
        came_from = self.origin if self.coast else None
        table.galleys[self.galley] = replace(
            galley, at=self.to, coast=self.coast, moves=galley.moves - 1, came_from=came_from
        )

    def tell(self, names: Names) -> str:
        if self.coast:
            return f"{names(self.galley)} sailed from {names(self.origin)} to the coast of {names(self.to)}."
        return f"{names(self.galley)} sailed from {names(self.origin)} to {names(self.to)}."


class PiecesEmbarked(Event, frozen=True):
    """Leaders and units boarded a galley on a coast of their province (CC-SEA-10).

    Attributes:
        at: the province.
    """

    rules = ("CC-SEA-10",)
    places = (("at", "at"),)

    galley: GalleyId
    at: AreaId
    leaders: tuple[LeaderId, ...] = ()
    units: Units = NO_UNITS

    def apply(self, table: Table) -> None:
        galley = table.galleys[self.galley]
        army = table.army(self.at, galley.owner)
        table.set_army(self.at, galley.owner, Army(army.fresh - self.units, army.tired, army.spent, army.landed))
        table.change_galley(self.galley, cargo=galley.cargo + self.units)
        for leader in self.leaders:
            table.change_leader(leader, at=None, aboard=self.galley)

    def tell(self, names: Names) -> str:
        return f"{_group_in_words(names, self.leaders, self.units)} boarded {names(self.galley)} in {names(self.at)}."


class PiecesLanded(Event, frozen=True):
    """Leaders and units went ashore; they make no other move this turn (CC-SEA-11, CC-SEA-14) and cannot retreat.

    Attributes:
        at: the province.
        automatic: whether the movement phase ended with them aboard a galley on a coast (CC-SEA-28).
    """

    rules = ("CC-SEA-11", "CC-SEA-14")
    places = (("at", "at"),)

    galley: GalleyId
    at: AreaId
    leaders: tuple[LeaderId, ...] = ()
    units: Units = NO_UNITS
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        galley = table.galleys[self.galley]
        army = table.army(self.at, galley.owner)
        table.set_army(self.at, galley.owner, Army(army.fresh, army.tired, army.spent, army.landed + self.units))
        table.change_galley(self.galley, cargo=galley.cargo - self.units)
        for leader in self.leaders:
            table.change_leader(leader, at=self.at, aboard=None, moves=0, landed=True)
        if self.leaders and self.units.total and self.at not in table.landings:
            table.landings.append(self.at)

    def tell(self, names: Names) -> str:
        return (
            f"{_group_in_words(names, self.leaders, self.units)} landed from {names(self.galley)} in {names(self.at)}."
        )


def _group_in_words(names: Names, leaders: Sequence[str], units: Units) -> str:
    return " with ".join(filter(None, [names.all(leaders) if leaders else "", str(units) if units.total else ""]))


# --- for other chapters ---


def disembark_all(draft: Draft[Table]) -> None:
    """Put everything ashore that the active player has aboard galleys on coasts (CC-SEA-28)."""
    table = draft.table
    crews = _crews(table)
    for name, galley in sorted(table.galleys.items()):
        crew = crews.get(name, ())
        if galley.owner == table.active and galley.coast and (crew or galley.cargo.total):
            draft.emit(PiecesLanded(name, galley.at, tuple(sorted(crew)), galley.cargo, automatic=True))


# --- sailing ---


class Entry(NamedTuple):
    """What a galley with its present cargo must land when it enters a coast of a province, or when its leaders land."""

    must_land: bool
    """The galley must land a legion as it enters: the coast is foreign, and it is no escort (CC-SEA-22, -23)."""
    with_units: bool
    """Leaders may land only with units: other players have units there, and the galley's owner has none (CC-MOV-20)."""

    @classmethod
    def of(cls, table: Table, galley: Galley, to: AreaId) -> "Entry":
        province = table.provinces[to]
        foreign = table.edition.foreign_coasts_for_landing_only and province.owner not in (None, galley.owner)
        escort = to in table.landings and not galley.cargo.total
        return cls(foreign and not escort, bool(province.armies) and galley.owner not in province.armies)

    def open_to(self, galley: Galley, crew: Sequence[str]) -> bool:
        """Tell whether the galley may enter and land nobody yet. All aboard land when movement ends (CC-SEA-28)."""
        return not self.must_land and not (self.with_units and crew and not galley.cargo.total)

    @property
    def fewest_units(self) -> int:
        """The least number of units in a landing."""
        return 1 if self.must_land or self.with_units else 0


class Sail(Command, frozen=True):
    """Sail one space: into a sea zone, or onto a coast, where pieces may land at once (CC-SEA-02).

    Attributes:
        coast: which coast of the province; you may leave it out where there is only one, and at sea.
        landing: who goes ashore on that coast; nobody when left out.
    """

    rules = ("CC-SEA-02",)
    answers = frozenset({"move"})
    gesture = Gesture(start="galley", to="to", counts=("landing",), targets=("coast",))

    galley: GalleyId
    to: AreaId
    coast: str | None = None
    landing: Party | None = None

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        galley = _own_galley(table, self.galley, seat)
        crew = table.leaders_aboard(self.galley)
        self._check_able(galley, crew)
        coast = self._check_coast(table, galley) if galley.coast is None else self._check_leaving(table, galley)
        if coast is not None:
            self._check_entry(table, galley, crew)
        elif self.landing is not None:
            raise Refusal("CC-SEA-10", f"You cannot land in {self.to}, a sea zone.", "Pieces land only on a coast.")
        draft.emit(GalleySailed(self.galley, galley.at, self.to, coast))
        if self.landing is not None:
            draft.emit(PiecesLanded(self.galley, self.to, self.landing.leaders, self.landing.units))

    def _check_able(self, galley: Galley, crew: Sequence[str]) -> None:
        if not galley.moves:
            raise Refusal("CC-SEA-02", f"{self.galley} has no moves left.", "A galley sails at most 2 spaces per turn.")
        if galley.cargo.total and not crew:
            raise Refusal(
                "CC-SEA-07",
                f"{self.galley} carries {galley.cargo.total} land combat units and no leader.",
                "A galley with land combat units aboard sails only with a leader aboard.",
            )

    def _check_coast(self, table: Table, galley: Galley) -> str | None:
        """Return the coast onto which the galley sails from a sea zone; None for another sea zone. Raises `Refusal`."""
        seas = table.map.sea_neighbours(galley.at)
        if self.to in seas:
            if self.coast is not None:
                raise Refusal("CC-SEA-01", f"{self.to} has no coast {self.coast}.", "Only a province has coasts.")
            return None
        coasts = [coast for land, coast in table.map.coasts_on(galley.at) if land == self.to]
        if self.to not in table.map.lands:
            allowed = f"{galley.at} is adjacent to the sea zones {_listed(seas)}."
            raise Refusal("CC-SEA-03", f"You cannot sail from {galley.at} to {self.to}.", allowed)
        if not coasts:
            lands = {land for land, _ in table.map.coasts_on(galley.at)}
            allowed = f"{galley.at} has coasts of {_listed(lands)}."
            raise Refusal("CC-SEA-04", f"You cannot sail from {galley.at} to {self.to}.", allowed)
        ids = [coast.id for coast in table.map.coasts(self.to)]
        coast = self.coast or (coasts[0] if len(ids) == 1 else None)
        if coast is not None and coast not in ids:
            raise Refusal("CC-SEA-01", f"{self.to} has no coast {coast}.", f"Coasts of {self.to}: {_listed(ids)}.")
        if coast not in coasts:
            wrong = f"{galley.at} does not touch the coast {coast} of {self.to}."
            wrong = wrong if coast else f"{self.to} has several coasts, and you named none."
            raise Refusal("CC-SEA-21", wrong, f"Coasts of {self.to} that {galley.at} touches: {_listed(coasts)}.")
        return coast

    def _check_leaving(self, table: Table, galley: Galley) -> None:
        """Raise `Refusal` unless the galley may sail from its coast into the sea zone `to`."""
        if self.to in table.map.lands:
            wrong = f"You cannot sail from the coast of {galley.at} straight to {self.to}."
            raise Refusal("CC-SEA-05", wrong, "From a coast, a galley sails into a sea zone.")
        if self.coast is not None:
            raise Refusal("CC-SEA-01", f"{self.to} has no coast {self.coast}.", "Only a province has coasts.")
        seas = _seas_off(table, galley)
        if self.to in seas:
            return
        if table.edition.coast_leads_back_only and galley.came_from is not None:
            raise Refusal(
                "CC-SEA-16",
                f"{self.galley} came to {galley.at} from {galley.came_from} this turn and cannot sail to {self.to}.",
                f"It can only go back to {galley.came_from}.",
            )
        elsewhere = any(self.to in coast.seas for coast in table.map.coasts(galley.at))
        rule = "CC-SEA-21" if elsewhere else "CC-SEA-04"
        wrong = f"You cannot sail from {galley.at} ({galley.coast}) to {self.to}."
        raise Refusal(rule, wrong, f"This coast leads to {_listed(seas)}.")

    def _check_entry(self, table: Table, galley: Galley, crew: Sequence[str]) -> None:
        entry, landing = Entry.of(table, galley, self.to), self.landing
        if entry.must_land and not (landing and landing.units.total):
            has_landing = self.to in table.landings
            raise Refusal(
                "CC-SEA-23" if has_landing else "CC-SEA-22",
                f"Another player controls {self.to}, and {self.galley} would land no legion there.",
                "Land at least 1 leader and 1 land combat unit. Galleys that carry no units may follow after that.",
            )
        if landing is not None:
            _check_party(table, galley, crew, landing, self.to)
        elif not entry.open_to(galley, crew):
            raise _stranding(self.to)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        crews = _crews(table)
        for name, galley in table.galleys.items():
            crew = crews.get(name, ())
            if galley.owner != seat or not galley.moves or (galley.cargo.total and not crew):
                continue
            if seas := _seas_off(table, galley):
                yield cls._option(table, name, {"to": schema.one_of(seas)})
            if galley.coast is None:
                yield from cls._coast_options(table, name, galley, crew)

    @classmethod
    def _coast_options(cls, table: Table, name: str, galley: Galley, crew: Sequence[str]) -> Iterator[Option]:
        """Yield options to sail onto the coasts of a sea zone: first without a landing, then with one.

        Provinces are one option if their coasts have the same id and a landing needs the same number of units.
        """
        without_landing: dict[tuple[str, bool], list[AreaId]] = defaultdict(list)
        with_landing: dict[tuple[str, bool, int], list[AreaId]] = defaultdict(list)
        for to, coast in table.map.coasts_on(galley.at):
            entry = Entry.of(table, galley, to)
            is_only_coast = len(table.map.coasts(to)) == 1
            if entry.open_to(galley, crew):
                without_landing[coast, is_only_coast].append(to)
            if crew and entry.fewest_units <= galley.cargo.total:
                with_landing[coast, is_only_coast, entry.fewest_units].append(to)
        for (coast, is_only_coast), places in without_landing.items():
            fields = {"to": schema.one_of(places), "coast": schema.const(coast)}
            yield cls._option(table, name, fields, coast_named=not is_only_coast)
        for (coast, is_only_coast, fewest), places in with_landing.items():
            fields = {"to": schema.one_of(places), "coast": schema.const(coast)}
            fields["landing"] = schema.record(_party_fields(crew, galley.cargo, fewest), () if fewest else ("units",))
            yield cls._option(table, name, fields, coast_named=not is_only_coast)

    @classmethod
    def _option(cls, table: Table, galley: str, fields: dict[str, Schema], *, coast_named: bool = True) -> Option:
        title = f"Sail {table.names(galley)}{' and land' if 'landing' in fields else ''}"
        optional = () if coast_named else ("coast",)
        places = {galley: table.galleys[galley].at}
        return cls.option(title, {"galley": schema.const(galley), **fields}, optional=optional, places=places)


# --- embarking and landing ---


class Embark(Command, frozen=True):
    """Board a galley on a coast of the province (CC-SEA-10), with pieces that have not moved this turn (CC-SEA-11).

    Pieces that have landed cannot board again in the same turn (CC-SEA-14).
    """

    rules = ("CC-SEA-10", "CC-SEA-11", "CC-SEA-14")
    answers = frozenset({"move"})
    gesture = Gesture(to="galley", pieces=("leaders",), counts=("units",))

    galley: GalleyId
    leaders: tuple[LeaderId, ...] = ()
    units: Units = NO_UNITS

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        galley = _own_galley(table, self.galley, seat, "CC-SEA-29")
        _check_on_coast(self.galley, galley)
        if not self.leaders and not self.units.total:
            raise Refusal("CC-SEA-10", "You named no piece to embark.", "Name leaders or units of the province.")
        if len(set(self.leaders)) < len(self.leaders):
            raise Refusal("CC-SEA-10", "You named the same leader twice.", "Name each leader once.")
        for name in self.leaders:
            self._check_leader(table, name, galley)
        self._check_units(table, galley)
        if self.units.total > CAPACITY - galley.cargo.total:
            raise Refusal(
                "CC-SEA-08",
                f"{self.galley} carries {galley.cargo.total} units and cannot take {self.units.total} more.",
                f"A galley carries at most {CAPACITY} land combat units.",
            )
        if not self.leaders and not table.leaders_aboard(self.galley):
            wrong = f"There is no leader aboard {self.galley}, and you named none."
            raise Refusal("CC-SEA-07", wrong, "Land combat units board only with a leader.")
        draft.emit(PiecesEmbarked(self.galley, galley.at, self.leaders, self.units))

    def _check_leader(self, table: Table, name: str, galley: Galley) -> None:
        leader = table.leaders.get(name)
        if leader is None or leader.owner != galley.owner:
            raise Refusal("CC-SEA-29", f"{name} is not one of your leaders.", "A galley carries its owner's pieces.")
        if leader.captor is not None:
            raise Refusal("CC-CAP-08", f"{name} is a prisoner.", "A captured general can do nothing until released.")
        if leader.at != galley.at:
            raise Refusal("CC-SEA-10", f"{name} is not in {galley.at}.", f"Only leaders in {galley.at} can board.")
        if leader.landed:
            allowed = "Pieces that have landed cannot board again this turn."
            raise Refusal("CC-SEA-14", f"{name} landed this turn.", allowed)
        if not _rested(leader):
            rule, allowed = table.edition.cite("CC-SEA-11"), "Only pieces that have not moved this turn can board."
            raise Refusal(rule, f"{name} has moved on land this turn.", allowed)

    def _check_units(self, table: Table, galley: Galley) -> None:
        army = table.army(galley.at, galley.owner)
        if self.units.within(army.fresh):
            return
        if not self.units.within(army.units):
            wrong = f"You asked to embark {self.units} from {galley.at}."
            raise Refusal("CC-SEA-10", wrong, f"You have {army.units} there.")
        allowed = f"Units that can embark: {army.fresh}."
        if self.units.within(army.fresh + army.landed):
            raise Refusal("CC-SEA-14", "Some of these units landed this turn.", allowed)
        rule = table.edition.cite("CC-SEA-11")
        raise Refusal(rule, "Some of these units have moved on land this turn.", allowed)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        for name, galley in table.galleys.items():
            if galley.owner == seat and galley.coast:
                crew = table.leaders_aboard(name)
                ashore = [each for each in table.leaders_at(galley.at, seat) if _rested(table.leaders[each])]
                fresh = table.army(galley.at, seat).fresh
                yield from cls._galley_options(table, name, galley, crew, ashore, fresh)

    @classmethod
    def _galley_options(
        cls, table: Table, name: str, galley: Galley, crew: Sequence[str], ashore: Sequence[str], fresh: Units
    ) -> Iterator[Option]:
        room = min(CAPACITY - galley.cargo.total, fresh.total)
        if ashore:
            fields = {"leaders": schema.subset(ashore, 1), "units": _units(fresh, 0, room)}
            yield cls._option(table, name, fields, ("units",))
        if crew and room:
            yield cls._option(table, name, {"units": _units(fresh, 1, room)})

    @classmethod
    def _option(cls, table: Table, galley: str, fields: dict[str, Schema], optional: Collection[str] = ()) -> Option:
        title, places = f"Board {table.names(galley)}", {galley: table.galleys[galley].at}
        return cls.option(title, {"galley": schema.const(galley), **fields}, optional=optional, places=places)


class Land(Command, frozen=True):
    """Go ashore from a galley that is on a coast; units only together with a leader (CC-SEA-15)."""

    rules = ("CC-SEA-10", "CC-SEA-15")
    answers = frozenset({"move"})
    gesture = Gesture(start="galley", pieces=("leaders",), counts=("units",))

    galley: GalleyId
    leaders: tuple[LeaderId, ...] = ()
    units: Units = NO_UNITS

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        galley = _own_galley(table, self.galley, seat)
        _check_on_coast(self.galley, galley)
        crew = table.leaders_aboard(self.galley)
        _check_party(table, galley, crew, Party(self.leaders, self.units), galley.at)
        draft.emit(PiecesLanded(self.galley, galley.at, self.leaders, self.units))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        crews = _crews(table)
        for name, galley in table.galleys.items():
            crew = crews.get(name, ())
            if galley.owner != seat or not galley.coast or not crew:
                continue
            fewest = int(Entry.of(table, galley, galley.at).with_units)
            if fewest > galley.cargo.total:
                continue
            fields = {"galley": schema.const(name), **_party_fields(crew, galley.cargo, fewest)}
            optional = () if fewest else ("units",)
            yield cls.option(f"Land from {table.names(name)}", fields, optional=optional, places={name: galley.at})


# --- what these commands share ---


def _own_galley(table: Table, name: str, seat: Seat, rule: str = "CC-MOV-25") -> Galley:
    """Return a galley of `seat`. Raises `Refusal` by `rule` when the seat has no galley of that id."""
    galley = table.galleys.get(name)
    if galley is None or galley.owner != seat:
        wrong = f"{name} is not one of your galleys."
        raise Refusal(rule, wrong, "You can only move and load your own galleys.")
    return galley


def _check_on_coast(name: str, galley: Galley) -> None:
    if galley.coast is None:
        raise Refusal(
            "CC-SEA-10", f"{name} is at sea in {galley.at}.", "Pieces board and land only where a galley is on a coast."
        )


def _check_party(table: Table, galley: Galley, crew: Sequence[str], party: Party, to: AreaId) -> None:
    """Raise `Refusal` unless the party may go ashore in `to`."""
    if len(set(party.leaders)) < len(party.leaders) or not set(party.leaders) <= set(crew):
        wrong = f"You asked to land the leaders {_listed(party.leaders)}."
        raise Refusal("CC-SEA-10", wrong, f"Name each leader once. Leaders aboard: {_listed(crew)}.")
    if not party.units.within(galley.cargo):
        raise Refusal("CC-SEA-10", f"You asked to land {party.units}.", f"Units aboard: {galley.cargo}.")
    # One leader is enough: seven units to a leader, and a galley carries no more (CC-SEA-08).
    if not party.leaders:
        raise Refusal("CC-SEA-15", "You named no leader to land.", "At least one leader must land with the units.")
    if not party.units.total and Entry.of(table, galley, to).with_units:
        raise _stranding(to)


def _stranding(to: AreaId) -> Refusal:
    return Refusal(
        "CC-MOV-20",
        f"Your leaders cannot land in {to} without units: other players' units are there.",
        "They may only join land combat units of yours.",
    )


def _seas_off(table: Table, galley: Galley) -> tuple[AreaId, ...]:
    """Return the sea zones that the galley may enter from where it is."""
    if galley.coast is None:
        return table.map.sea_neighbours(galley.at)
    seas = next(coast.seas for coast in table.map.coasts(galley.at) if coast.id == galley.coast)
    if table.edition.coast_leads_back_only and galley.came_from is not None:
        return tuple(sea for sea in seas if sea == galley.came_from)
    return tuple(seas)


def _rested(leader: Leader) -> bool:
    """Tell whether a leader has all moves: marching and landing cost moves and prevent embarking (CC-SEA-11, -14)."""
    return leader.moves == LEADER_MOVES


def _crews(table: Table) -> Crews:
    crews: dict[str, list[str]] = defaultdict(list)
    for name, leader in table.leaders.items():
        if leader.aboard is not None:
            crews[leader.aboard].append(name)
    return crews


def _party_fields(crew: Sequence[str], cargo: Units, fewest: int) -> dict[str, Schema]:
    return {"leaders": schema.subset(crew, 1), "units": _units(cargo, fewest, cargo.total)}


def _units(available: Units, minimum: int, maximum: int) -> Schema:
    counts = {kind: schema.count(0, number) for kind, number in available.by_type.items() if number}
    return schema.record(counts, counts, x_sum={"minimum": minimum, "maximum": maximum})


def _listed(names: Iterable[Any]) -> str:
    return ", ".join(map(str, names)) or "nothing"


EVENTS = (GalleySailed, PiecesEmbarked, PiecesLanded)
COMMANDS = (Sail, Embark, Land)
