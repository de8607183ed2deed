"""What the nation cards say, entry by entry: what a nation has, gets and scores, and what is special about it."""

from typing import Annotated, Final, Literal, TypeVar

from msgspec import Meta, Struct

from domain.italia.box.pieces import Kind, LeaderId, NationId, Piece
from domain.kernel.ids import AreaId
from domain.kernel.rules.board import Map

Game = Literal["italia-1", "italia-2"]
Mark = Literal["seed", "published", "reconstructed"]
"""Where a fact is from: stated in the rules, found in a public source, or ours."""
Region = Literal["north-italy", "south-italy", "sicily", "sardinia", "corsica", "africa", "entry-italy", "entry-africa"]
UnitKind = Piece
"""A type of land units, or fleets."""

TurnKind = Literal["normal", "major-invasion", "campaign", "campaign-only"]
"""What a nation does in its turn (IT-SEQ-02, IT-MAJ-01, IT-CAM-02, IT-CAM-08)."""

Round = Annotated[int, Meta(ge=1, le=10)]
Number = Annotated[int, Meta(ge=0, le=99)]
Some = Annotated[int, Meta(ge=1, le=99)]
Face = Annotated[int, Meta(ge=1, le=10)]
"""The least face of a die that has an effect."""
Halves = Annotated[int, Meta(ge=-99, le=99, description="Half points: 2 for a point.")]
Text = Annotated[str, Meta(max_length=600)]
Name = Annotated[str, Meta(min_length=1, max_length=60)]
Key = Annotated[str, Meta(max_length=40, pattern=r"^[!-~]+\Z")]
"""A key of an object, in ASCII, so that every program sorts the keys alike."""
Units = dict[UnitKind, Some]
Span = tuple[Round, Round]
"""The first and the last of some rounds."""

Areas = Annotated[tuple[AreaId, ...], Meta(max_length=50)]
SomeAreas = Annotated[tuple[AreaId, ...], Meta(min_length=1, max_length=50)]

ITALY: Final[tuple[Region, ...]] = ("north-italy", "south-italy", "sicily", "sardinia", "corsica")
"""The regions that belong to Italy (IT-BRD-02 to IT-BRD-05)."""


class Places(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Areas, and all areas of regions."""

    areas: Areas = ()
    regions: Annotated[tuple[Region, ...], Meta(max_length=8)] = ()

    def on(self, map_: Map) -> tuple[AreaId, ...]:
        """Return the areas on a board, sorted by id."""
        regions = frozenset(self.regions)
        return tuple(
            land
            for land in map_.lands
            if land in self.areas or not regions.isdisjoint(map_.area(land).traits.get("region", ()))
        )


class Entry(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Something that a card says.

    Attributes:
        mark: where it is from.
        ours: what of a `seed` or `published` entry is ours.
        source: where it stands, or why it looks as it does; words in brackets are among the document's sources.
    """

    mark: Mark
    ours: Text = ""
    source: Text = ""


# --- what a nation has and gets ---


class Leader(Entry, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A leader of a nation. The set-up and the arrivals say when he comes.

    Attributes:
        stays_until: he leaves in phase 2 of his nation's turn of this round; where it is absent, of its next turn
            (IT-RNF-12).
    """

    id: LeaderId
    name: Name
    stays_until: Round | None = None


class Place(Entry, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a nation has in an area when the game begins (IT-SET-04): units, a leader, and perhaps a city."""

    area: AreaId
    units: Units = {}
    leader: LeaderId | None = None
    city: bool = False


class Site(Struct, frozen=True, tag_field="kind", omit_defaults=True, forbid_unknown_fields=True):
    """Where reinforcements may stand."""


class At(Site, frozen=True, tag="at"):
    """One of these areas, all on land or all at sea."""

    areas: SomeAreas


class Controlled(
    Struct, frozen=True, tag="controlled", tag_field="kind", omit_defaults=True, forbid_unknown_fields=True
):
    """The areas that the nation controls (IT-RNF-03). Fleets go to a sea next to one of them.

    Attributes:
        region: only those of this region.
        fallback: the areas of which the player chooses when the nation controls none.
        most_each: no more units than this in each area.
        or_all_in: instead all units in this area, if nobody else is there (IT-I1-32).
    """

    region: Region | None = None
    fallback: Areas = ()
    most_each: Some | None = None
    or_all_in: AreaId | None = None


class Open(Site, frozen=True, tag="open"):
    """The areas among these that are empty or that the nation controls (IT-I2-12); fleets go to `seas`."""

    among: Places
    seas: Areas = ()


class Arrival(Entry, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Reinforcements of a nation (IT-RNF-01).

    Attributes:
        when: in the nation's own placement phase, before the first nation's turn, or after the transformations at the
            end of the round (IT-RNF-07, IT-SEQ-09).
        up_to: the nation gets units until it has this number on the board, instead of `units` (IT-RNF-08).
        leaders: those who come along, or are moved there (IT-RNF-15).
        place: where they may stand.
        spread: `with-leader`, all stand where the leader does; `among-leaders`, units are divided among the areas of
            the leaders, who may stand in different ones (IT-RNF-05); `freely`, leaders and units stand wherever `place`
            allows (IT-RNF-04). Without a leader it is always `freely` (IT-RNF-03).
        aboard: whether the land units and leaders `must` or `may` begin aboard the fleets that arrive with them. Those
            on land stand where `place` allows; if that is at sea, in an area that the nation controls. With a leader,
            all are where he is (IT-RNF-04).
        evicts: units of other nations in the area must retreat before these are placed (IT-RNF-17).
        apart_from: they stand in another area than this leader, who arrives in the same round.
        without_leader: the units come even when the leader is dead (IT-RNF-16).
    """

    round: Round
    when: Literal["placement", "round-start", "round-end"] = "placement"
    units: Units = {}
    up_to: Units = {}
    leaders: Annotated[tuple[LeaderId, ...], Meta(max_length=5)] = ()
    place: At | Controlled | Open
    spread: Literal["with-leader", "among-leaders", "freely"] = "with-leader"
    aboard: Literal["no", "may", "must"] = "no"
    evicts: bool = False
    apart_from: LeaderId | None = None
    without_leader: bool = False


class Plan(Entry, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A turn that is not a normal one. A nation has a normal turn in all rounds without a plan (IT-SEQ-02).

    Attributes:
        kind: two movements and two combats (IT-MAJ-02); a normal turn and then a campaign (IT-CAM-02); only a campaign
            (IT-CAM-08); or no turn, but campaigns of several nations step by step, in turn (IT-I1-15).
        leader: who conducts the campaign, or leads the invasion.
        gold: what the nation gets when the campaign begins (IT-CAM-06).
        waits_in: the entry area that the leader and those with him need not leave before the campaign (IT-I1-03).
        waits_until: when they must have left it: at the first move of the campaign, or when it is over (IT-ENT-01).
        gathers_from: land units in this region may be put into `waits_in` as their whole movement (IT-I1-04).
        first_move_free: an army that appears among strangers may leave them behind at the first step (IT-I1-34).
        unlimited_stack: with an invasion, no stacking limit where the leader stands after the first movement
            (IT-MAJ-04).
        extra_step: with an invasion, one more area for each unit in the first movement (IT-MAJ-04).
    """

    round: Round
    kind: Literal["major-invasion", "campaign", "campaign-only", "alternating-campaign"]
    leader: LeaderId | None = None
    gold: Number = 0
    waits_in: AreaId | None = None
    waits_until: Literal["first-move", "campaign-end"] = "first-move"
    gathers_from: Region | None = None
    first_move_free: bool = False
    unlimited_stack: bool = False
    extra_step: bool = False


# --- what a nation scores ---


class Holding(Entry, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Points for what a nation holds at the end of a round."""

    round: Round
    halves: Halves


class AreaPoints(Holding, frozen=True, kw_only=True, tag="area", tag_field="kind"):
    """Points for each of these areas that the nation controls (IT-VP-05)."""

    at: Places


class CityPoints(Holding, frozen=True, kw_only=True, tag="city", tag_field="kind"):
    """Points for each city in an area that the nation controls, of `at` or any, added to the area's (IT-VP-09)."""

    at: Places | None = None


class AreaAndCityPoints(Holding, frozen=True, kw_only=True, tag="area-and-city", tag_field="kind"):
    """Points for each of these areas that the nation controls with a city in it (IT-VP-08)."""

    at: Places


class RegionPoints(Holding, frozen=True, kw_only=True, tag="region", tag_field="kind"):
    """Points for a region (IT-VP-11, IT-VP-12).

    Attributes:
        halves_less: half points taken off for each area of the region that others hold, if they are not its subjects,
            down to no points; with 0, one such area is enough to score nothing.
    """

    region: Region
    halves_less: Number = 0


class Deed(Entry, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Points for something that a nation does.

    Attributes:
        rounds: the first and the last round in which it counts; all of the nation's rounds where it is absent.
        option: the option of the set-up that turns this limit on; while it is off, all of the nation's rounds count.
    """

    halves: Halves
    rounds: Span | None = None
    option: Name | None = None


class EliminationPoints(Deed, frozen=True, kw_only=True, tag="eliminate", tag_field="kind"):
    """Points for each unit eliminated (IT-VP-13 to IT-VP-18); of several entries the most specific counts (IT-VP-20).

    Attributes:
        nation: whose unit; anybody's where it is absent.
        unit: a type; `any` for units and leaders of every kind; `leader` for any leader, or for the one named; the
            `last-unit` or the `last-land-unit` that the nation had.
        leader: with `leader`, which one.
        any_turn: it counts in the turns of other nations, too, if the nation takes part (IT-VP-14).
    """

    nation: NationId | None = None
    unit: UnitKind | Literal["any", "leader", "last-unit", "last-land-unit"] = "any"
    leader: LeaderId | None = None
    any_turn: bool = False


class SackPoints(Deed, frozen=True, kw_only=True, tag="sack", tag_field="kind"):
    """Points for a city sacked or raided, which the player may take instead of the gold (IT-CTY-05, IT-RAI-07).

    Attributes:
        city: the city; any city where it is absent.
        first: only for the first time that the nation does it.
        by: only for a raid, or only for a sack.
    """

    city: AreaId | None = None
    first: bool = False
    by: Literal["raid", "sack"] | None = None


class PitchedBattlePoints(Deed, frozen=True, kw_only=True, tag="pitched-battle", tag_field="kind"):
    """Points for each pitched battle won (IT-I1-08, IT-I1-22).

    Attributes:
        against: the nations against whom it counts.
        least: the units that each side needs.
        leader: who must be in the battle.
        subjects_count: units of the nation's subjects count for its side.
    """

    against: Annotated[tuple[NationId, ...], Meta(min_length=1, max_length=30)]
    least: Some
    leader: LeaderId | None = None
    subjects_count: bool = False


class SubjectionPoints(Deed, frozen=True, kw_only=True, tag="submission", tag_field="kind"):
    """Points for each nation that submits to this one (IT-I1-24)."""


class LeaderRetreatPoints(Deed, frozen=True, kw_only=True, tag="leader-retreat", tag_field="kind"):
    """Negative points for each retreat of a leader of the nation (IT-I1-28)."""


class ExitPoints(Deed, frozen=True, kw_only=True, tag="exit", tag_field="kind"):
    """Points for each unit in this area that leaves the game at the end of the nation's turn (IT-I2-09)."""

    area: AreaId


class TitlePoints(Deed, frozen=True, kw_only=True, tag="title", tag_field="kind"):
    """Points for a title that a leader takes in an area, once a game (IT-I2-14).

    Attributes:
        witnesses: the nations that may be in the area besides; no battle with them is needed.
    """

    title: Name
    leader: LeaderId
    area: AreaId
    witnesses: Annotated[tuple[NationId, ...], Meta(max_length=30)] = ()


Scoring = (
    AreaPoints
    | CityPoints
    | AreaAndCityPoints
    | RegionPoints
    | EliminationPoints
    | SackPoints
    | PitchedBattlePoints
    | SubjectionPoints
    | LeaderRetreatPoints
    | ExitPoints
    | TitlePoints
)


# --- what else a card says ---


class Submission(Entry, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """When a nation submits to another one that attacks it (IT-SUB-01), by how many land areas it controls.

    Attributes:
        may_at_most: it may submit when it controls no more areas than this.
        must_at_most: it must submit when it controls no more areas than this; 0 for never.
        rounds: the first and the last round in which it can submit; all where it is absent.
        during: only while this leader of the other nation conducts a campaign.
    """

    to: NationId
    may_at_most: Some
    must_at_most: Number = 0
    rounds: Span | None = None
    during: LeaderId | None = None


class Special(Entry, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A special rule of a nation. `text` says to readers of the card what the other fields say to the service."""

    text: Annotated[str, Meta(min_length=1, max_length=600)]


class Revolt(Special, frozen=True, kw_only=True, tag="revolt", tag_field="kind"):
    """When a nation may end its submission, or when that ends by itself (IT-REV-01).

    Attributes:
        against: the overlord.
        when: the nation may revolt at the start of its turn, or while `leader` is in or beside an area with its units
            (IT-I1-05); or the submission ends by itself when the round begins.
    """

    round: Round
    against: NationId
    when: Literal["turn-start", "near-leader", "round-start"]
    leader: LeaderId | None = None


class EntryAreas(Special, frozen=True, kw_only=True, tag="entry-areas", tag_field="kind"):
    """Entry areas that the nation treats as normal ones, though still highlands (IT-ENT-03, IT-ENT-04).

    Attributes:
        income: they give income (IT-INC-06).
        retreat_to_origin: the nation may retreat there even if it was attacked from there.
    """

    areas: SomeAreas
    income: bool = False
    retreat_to_origin: bool = False


class NoCities(Special, frozen=True, kw_only=True, tag="no-cities", tag_field="kind"):
    """Areas in which the nation builds no city."""

    areas: SomeAreas


class FleetSeas(Special, frozen=True, kw_only=True, tag="fleet-seas", tag_field="kind"):
    """The only seas in which newly bought fleets are placed (IT-I1-36)."""

    seas: SomeAreas


class FixedCapital(Special, frozen=True, kw_only=True, tag="fixed-capital", tag_field="kind"):
    """The area that always is the nation's capital (IT-I1-01)."""

    area: AreaId


class Clearance(Special, frozen=True, kw_only=True, tag="clearance", tag_field="kind"):
    """At the start of the nation's turns all others retreat from an area, and its city is rebuilt free (IT-I1-02)."""

    area: AreaId
    rounds: Span


class Transformation(Special, frozen=True, kw_only=True, tag="transformation", tag_field="kind"):
    """The end of a nation after the scoring of a round: another one replaces it (IT-TRF-01 to IT-TRF-03).

    Attributes:
        into: the other nation.
        unit: the type of the units of the other nation that take its place.
        each: `area`, one `unit` for each area; `unit`, one for each land unit, and a fleet for each fleet. No more than
            there are counters.
        at: only in these areas; everywhere where it is absent.
        most: no more units than this.
        first: the area that gets a unit before all others.
    """

    round: Round
    into: NationId
    unit: Kind
    each: Literal["area", "unit"]
    at: Places | None = None
    most: Some | None = None
    first: AreaId | None = None


class Departure(Special, frozen=True, kw_only=True, tag="departure", tag_field="kind"):
    """All units of the nation leave the game after a round."""

    round: Round


class Removal(Special, frozen=True, kw_only=True, tag="removal", tag_field="kind"):
    """At the end of its turn of a round the nation removes units of a type until `left` are left (IT-I2-09)."""

    round: Round
    unit: Kind
    left: Number


class ElephantPanic(Special, frozen=True, kw_only=True, tag="elephant-panic", tag_field="kind"):
    """Units of a nation that desert when they fight against elephants (IT-I1-10, IT-I1-11).

    Attributes:
        of: the nation.
        least: the least face on which each of its units deserts: the first time in the game, the second and so on.
        exempt: the types that never desert.
    """

    of: NationId
    least: Annotated[tuple[Face, ...], Meta(min_length=1, max_length=10)]
    exempt: Annotated[tuple[UnitKind, ...], Meta(max_length=7)] = ()


class Desertion(Special, frozen=True, kw_only=True, tag="desertion", tag_field="kind"):
    """Units of the nation that desert before a battle's first round, and become infantry of the enemy (IT-I2-02).

    Attributes:
        unit: their type.
        least: the least face on which each deserts, by the nation that it meets; of several the lowest counts.
    """

    unit: UnitKind
    least: Annotated[dict[NationId, Face], Meta(min_length=1, max_length=10)]


class Defection(Special, frozen=True, kw_only=True, tag="defection", tag_field="kind"):
    """Units of another nation that go over to a leader of this one in their area (IT-I1-18 to IT-I1-21).

    Attributes:
        unit: their type, on both sides.
        least: the least face on which each goes over.
        but_with: another type: if a unit of it is in the area, `least_with` counts instead of `least`.
    """

    leader: LeaderId
    of: NationId
    unit: Kind
    least: Face
    but_with: Kind
    least_with: Face


class CityLimit(Special, frozen=True, kw_only=True, tag="city-limit", tag_field="kind"):
    """Consular legions, which the nation buys only up to one for every `cities` cities that it controls (IT-BUY-07).

    The rules limit no other type, so whatever `unit` says, consular legions are meant.
    """

    unit: UnitKind
    cities: Some


class Levy(Special, frozen=True, kw_only=True, tag="levy", tag_field="kind"):
    """Units of a type that the nation may buy when it arrives in a round without purchases (IT-BUY-09)."""

    round: Round
    unit: Kind


class Handicap(Special, frozen=True, kw_only=True, tag="handicap", tag_field="kind"):
    """A modifier on each of the nation's dice, unless it controls `area` and `leader` is on the board (IT-I2-10)."""

    modifier: Annotated[int, Meta(ge=-9, le=9)]
    area: AreaId
    leader: LeaderId


class Conversion(Special, frozen=True, kw_only=True, tag="conversion", tag_field="kind"):
    """Units of other players that the nation may convert, a number of times in a game (IT-I2-06 to IT-I2-08)."""

    times: Some
    exempt: Annotated[tuple[UnitKind, ...], Meta(max_length=7)] = ()


class Remark(Special, frozen=True, kw_only=True, tag="remark", tag_field="kind"):
    """A note for the reader, without an effect of its own: other entries, or the rules, have that."""


AnySpecial = (
    Revolt
    | EntryAreas
    | NoCities
    | FleetSeas
    | FixedCapital
    | Clearance
    | Transformation
    | Departure
    | Removal
    | ElephantPanic
    | Desertion
    | Defection
    | CityLimit
    | Levy
    | Handicap
    | Conversion
    | Remark
)
S = TypeVar("S", bound=Special)
