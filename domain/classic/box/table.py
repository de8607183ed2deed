"""The table of Conquest of the Empire Classic: what lies where, whose turn it is, and what is under way.

Everything is public.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import field
from msgspec.structs import replace

from domain.classic.box.editions import Edition
from domain.classic.box.pieces import NO_ARMY, Army, Galley, Leader
from domain.classic.box.state import (
    Acclamation,
    Alliance,
    Battle,
    Combat,
    Defeat,
    Grant,
    Inflation,
    Journey,
    NavalBattle,
    Offer,
    Passage,
    Phase,
    Player,
    Province,
    Purchase,
    Rescue,
    RoadId,
)
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import command, message
from domain.kernel.rules.board import Map
from domain.kernel.rules.table import Table as KernelTable


class Table(KernelTable):
    """The whole position, made of the structs in state.py and pieces.py. `static` fields are fixed for the game."""

    static: ClassVar[tuple[str, ...]] = (
        "edition",
        "map",
        "pick_homes",
        "agreed_homes",
        "each_lone_leader",
        "generals_saved_with_fleet",
    )
    later: ClassVar[tuple[str, ...]] = ("proposed", "waived", "always_waived")

    edition: Edition
    map: Map
    pick_homes: bool = False
    """Homes are picked in seat order instead of drawn (CC-SET-03)."""
    agreed_homes: Mapping[Seat, AreaId] = field(default_factory=dict[Seat, AreaId])
    """Homes that the creator of the game fixed (CC-SET-03); none when they are drawn or picked."""
    each_lone_leader: bool = False
    """Lone leaders are attacked or spared one by one, not all of a player together (CC-CAP-04, CC-CAP-05)."""
    generals_saved_with_fleet: bool = False
    """A general of a sunk galley goes aboard another one, as a Caesar does (CC-NAV-14, CC-NAV-15)."""

    phase: Phase = "setup"
    round: int = 1
    order: list[Seat] = field(default_factory=list[Seat])
    """The seats in turn order (CC-TRN-01). It includes the fallen, whose turns are skipped."""
    active: Seat | None = None
    players: dict[Seat, Player] = field(default_factory=dict[Seat, Player])
    provinces: dict[AreaId, Province] = field(default_factory=dict[AreaId, Province])
    leaders: dict[str, Leader] = field(default_factory=dict[str, Leader])
    """Leaders in the game, prisoners included. Killed generals and captured Caesars are removed."""
    galleys: dict[str, Galley] = field(default_factory=dict[str, Galley])
    next_galley: int = 1
    roads: list[RoadId] = field(default_factory=list[str])
    """Roads as `road_id` of the two provinces."""

    journey: Journey | None = None
    request: Passage | None = None
    """The passage for which consent was requested."""
    passages: list[Passage] = field(default_factory=list[Passage])
    """Passages that were granted and not yet used, and those that were refused this turn."""
    grants: list[Grant] = field(default_factory=list[Grant])
    landings: list[AreaId] = field(default_factory=list[AreaId])
    """Provinces where the active player landed a legion this turn (CC-SEA-23)."""

    combat: Combat | None = None
    battle: Battle | None = None
    naval_battle: NavalBattle | None = None
    defeats: list[Defeat] = field(default_factory=list[Defeat])
    rescues: list[Rescue] = field(default_factory=list[Rescue])

    bought: Purchase | None = None
    reinforced: bool = False
    """New land combat units were placed this turn (CC-CAP-06)."""
    inflations: list[Inflation] = field(default_factory=list[Inflation])
    offers: list[Offer] = field(default_factory=list[Offer])
    declined: list[str] = field(default_factory=list[str])
    """``general/seat``: the seat's last offer for the general failed this turn; the other side makes the next one."""
    proposed: list[str] = field(default_factory=list[str])
    """``seat/other``: the first seat has proposed a ransom to the other this turn (CC-RAN-14)."""
    waived: list[Seat] = field(default_factory=list[Seat])
    """The seats that waived talks for this turn (CC-RAN-13)."""
    always_waived: list[Seat] = field(default_factory=list[Seat])
    """The seats that waived talks until further notice (CC-RAN-13)."""
    alliances: list[Alliance] = field(default_factory=list[Alliance])
    acclamation: Acclamation | None = None
    next_talk: int = 1
    """The number of the next offer or alliance."""
    winner: Seat | None = None
    won_by: str = ""
    """The rule by which the game was won."""

    # --- looking ---

    @property
    def names(self) -> message.Names:
        """Display names for the questions that are put to players."""
        return message.Names(self.map.names, self.players)

    def army(self, province: AreaId, seat: Seat) -> Army:
        """The land combat units of `seat` there; an empty army when it has none."""
        return self.provinces[province].armies.get(seat, NO_ARMY)

    def enemies_in(self, province: AreaId, seat: Seat) -> list[Seat]:
        """Other seats with land combat units there."""
        return [other for other in self.provinces[province].armies if other != seat]

    def leaders_at(self, province: AreaId, seat: Seat) -> list[str]:
        """The leaders that serve `seat` and are in the province (not aboard a galley)."""
        return [name for name, leader in self.leaders.items() if leader.at == province and leader.owner == seat]

    def leaders_aboard(self, galley: str) -> list[str]:
        """The leaders aboard a galley."""
        return [name for name, leader in self.leaders.items() if leader.aboard == galley]

    def galleys_at(self, area: AreaId, seat: Seat) -> list[str]:
        """The galleys of a seat in a sea zone or on a province's coasts."""
        return [name for name, galley in self.galleys.items() if galley.at == area and galley.owner == seat]

    def playing(self) -> list[Seat]:
        """The seats still in the game, in turn order."""
        return [seat for seat in self.order or self.players if self.players[seat].fallen_to is None]

    @property
    def acting(self) -> Seat:
        """Who decides for the active player: they do, or the player who took their empire in mid-turn (CC-CAP-24)."""
        assert self.active is not None, "it is somebody's turn"
        seat = self.active
        while (captor := self.players[seat].fallen_to) is not None:
            seat = captor
        return seat

    def home(self, seat: Seat) -> AreaId:
        """The original Home Province of a seat. Raises `ValueError` before homes are assigned."""
        home = self.players[seat].home
        if home is None:
            raise ValueError(f"{seat} has no Home Province yet")
        return home

    def controls_home(self, seat: Seat) -> bool:
        """Tell whether a seat controls its original Home Province."""
        return self.provinces[self.home(seat)].owner == seat

    def tribute(self, seat: Seat) -> int:
        """The tribute value of a seat in talents. Its marker stands at that number (CC-ECO-01, -03)."""
        return sum(self.value_of(area) for area, province in self.provinces.items() if province.owner == seat)

    def value_of(self, area: AreaId) -> int:
        """What a province adds to its owner's tribute value, in talents: its own value and that of a city."""
        return self.map.area(area).value("tribute") + (5 if self.provinces[area].city else 0)

    # --- changing; for `apply` only ---
    # Events that are applied hundreds of times a game call `replace` themselves: passing ``**changes`` on takes five
    # times as long.

    def set_army(self, province: AreaId, seat: Seat, army: Army) -> None:
        """Put `army` there instead of what `seat` has; an empty army removes the seat's entry."""
        place = self.provinces[province]
        armies = place.armies.copy()
        armies.pop(seat, None)
        if army != NO_ARMY:
            armies[seat] = army
        self.provinces[province] = replace(place, armies=armies)

    def change_province(self, province: AreaId, **changes: Any) -> None:
        """Replace fields of a province."""
        self.provinces[province] = replace(self.provinces[province], **changes)

    def change_leader(self, leader: str, **changes: Any) -> None:
        """Replace fields of a leader."""
        self.leaders[leader] = replace(self.leaders[leader], **changes)

    def change_galley(self, galley: str, **changes: Any) -> None:
        """Replace fields of a galley."""
        self.galleys[galley] = replace(self.galleys[galley], **changes)

    def change_player(self, seat: Seat, **changes: Any) -> None:
        """Replace fields of a player."""
        self.players[seat] = replace(self.players[seat], **changes)


def combat_of(table: Table) -> Combat:
    """Return the combat phase under way."""
    assert table.combat is not None, "the combat phase is under way"
    return table.combat


def battle_of(table: Table) -> Battle:
    """Return the land battle under way."""
    assert table.battle is not None, "a land battle is under way"
    return table.battle


def naval_battle_of(table: Table) -> NavalBattle:
    """Return the naval battle under way."""
    assert table.naval_battle is not None, "a naval battle is under way"
    return table.naval_battle


class Event(message.Event[Table], frozen=True):
    """An event at a Classic table."""


class Command(command.Command[Table], frozen=True):
    """A command at a Classic table."""
