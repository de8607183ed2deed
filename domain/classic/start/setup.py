"""Set-up: Home Provinces, starting pieces and the order of turns (chapter SET, CC-TRN-01, CC-TRN-02)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType

from domain.classic.box.editions import Edition
from domain.classic.box.pieces import Army, Leader
from domain.classic.box.state import Player, Province
from domain.classic.box.table import Command, Event, Table
from domain.classic.turn import turn
from domain.conquest.pieces import Units
from domain.conquest.seats import COLOURS, Colours
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.board import Map
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Count, Draw, Names
from domain.kernel.rules.refusal import Refusal

Method = Literal["drawn", "picked"]
"""How homes are assigned (CC-SET-03): by chance, or by the players in seat order."""

HOME_ORDER: Final = tuple(
    map(AreaId, ("macedonia", "galatia", "mesopotamia", "egypt", "numidia", "hispania", "italia"))
)
"""Clockwise around the Mediterranean: the order of turns (CC-TRN-01)."""

Home = Literal["macedonia", "galatia", "mesopotamia", "egypt", "numidia", "hispania", "italia"]


class AgreedHomes(Struct, frozen=True, forbid_unknown_fields=True):
    """The Home Province of each colour in play, as the players agreed (CC-SET-03)."""

    red: Home | UnsetType = UNSET
    blue: Home | UnsetType = UNSET
    green: Home | UnsetType = UNSET
    yellow: Home | UnsetType = UNSET
    purple: Home | UnsetType = UNSET
    black: Home | UnsetType = UNSET

    @property
    def by_seat(self) -> dict[Seat, AreaId]:
        """The colours that have an agreed home, with that home."""
        return {seat: AreaId(home) for seat in COLOURS if (home := getattr(self, seat)) is not UNSET}


class Setup(Struct, frozen=True, forbid_unknown_fields=True):
    """What the creator of a game chooses.

    Attributes:
        homes: whether the Home Provinces are drawn by lot, or picked by the players in seat order (CC-SET-03).
        colours: the colours in play, one for each player (CC-SET-01); by default those with an agreed home, otherwise
            the first of the six.
        agreed_homes: the Home Province of each colour, if the players have agreed on them (CC-SET-03); they are then
            neither drawn nor picked.
        each_lone_leader: whether the lone leaders of a player in a province are attacked or spared one by one
            (CC-CAP-04, CC-CAP-05); otherwise all of them together.
        generals_saved_with_fleet: whether generals of a sunk galley go aboard another galley of their owner in that
            sea zone, as the Caesar does (CC-NAV-14, CC-NAV-15); otherwise the opponent captures or kills them.
    """

    homes: Method = "drawn"
    colours: Colours | UnsetType = UNSET
    agreed_homes: AgreedHomes | UnsetType = UNSET
    each_lone_leader: bool | UnsetType = UNSET
    generals_saved_with_fleet: bool | UnsetType = UNSET

    @property
    def agreed(self) -> dict[Seat, AreaId]:
        """The colours that have an agreed home, with that home."""
        return self.agreed_homes.by_seat if isinstance(self.agreed_homes, AgreedHomes) else {}


def seats(edition: Edition, players: int, choices: Setup) -> tuple[Seat, ...]:
    """Return the seats of a game; none when the rules have no game for this number of players.

    Raises:
        Refusal: there is not one colour for each player (CC-SET-01), a home is not in play (CC-SET-02), or there is
            not one home for each colour (CC-SET-03).
    """
    if players not in edition.homes:
        return ()
    colours: Sequence[str] = choices.colours or tuple(choices.agreed) or tuple(COLOURS)[:players]
    if len(colours) != players or len(set(colours)) < players:
        wrong = f"You chose the colours {', '.join(colours)} for {players} players."
        raise Refusal("CC-SET-01", wrong, f"Choose {players} different colours from {', '.join(COLOURS)}.")
    if choices.agreed:
        _check_agreed(choices.agreed, colours, choices.homes, edition.homes[players])
    return tuple(seat for seat in COLOURS if seat in colours)


def _check_agreed(
    agreed: Mapping[Seat, AreaId], colours: Sequence[str], method: Method, in_play: Sequence[AreaId]
) -> None:
    wrong = f"You set the homes {', '.join(f'{home} for {seat}' for seat, home in agreed.items())}."
    if method == "picked":
        raise Refusal("CC-SET-03", wrong, "Either set the homes or let the players pick them, not both.")
    if set(agreed) != set(colours):
        raise Refusal("CC-SET-03", wrong, f"Set a home for each of {', '.join(colours)}.")
    if not set(agreed.values()).issubset(in_play):
        raise Refusal("CC-SET-02", wrong, f"With {len(colours)} players, the homes are {', '.join(in_play)}.")
    if len(set(agreed.values())) < len(colours):
        raise Refusal("CC-SET-03", wrong, "Each player needs a different home.")


def bare(edition: Edition, board: Map, seats: tuple[Seat, ...], choices: Setup) -> Table:
    """Return the table before set-up: every seat without a home, every province neutral and empty (CC-SET-07)."""
    return Table(
        edition=edition,
        map=board,
        pick_homes=choices.homes == "picked",
        agreed_homes=choices.agreed,
        each_lone_leader=choices.each_lone_leader is True,
        generals_saved_with_fleet=choices.generals_saved_with_fleet is True,
        players={seat: Player((seat,)) for seat in seats},
        provinces={land: Province() for land in board.lands},
    )


class HomesAssigned(Event, frozen=True):
    """Every player got the Home Province that the creator of the game set for them (CC-SET-03)."""

    rules = ("CC-SET-03",)

    homes: dict[Seat, AreaId]

    def apply(self, table: Table) -> None:
        for seat, home in self.homes.items():
            table.change_player(seat, home=home)

    def tell(self, names: Names) -> str:
        agreed = [f"{names(home)} for {names(seat)}" for seat, home in self.homes.items()]
        return f"The Home Provinces were agreed: {', '.join(agreed)}."


class HomesDrawn(Event, frozen=True):
    """Chance gave every player a Home Province (CC-SET-03)."""

    rules = ("CC-SET-03",)

    draw: Draw
    homes: dict[Seat, AreaId]

    def apply(self, table: Table) -> None:
        for seat, home in self.homes.items():
            table.change_player(seat, home=home)

    def tell(self, names: Names) -> str:
        homes = [f"{names(home)} for {names(seat)}" for seat, home in self.homes.items()]
        return f"The Home Provinces were drawn: {', '.join(homes)}."


class HomePicked(Event, frozen=True):
    """A player picked a Home Province, or got the last one (CC-SET-03)."""

    rules = ("CC-SET-03",)
    places = (("home", "at"),)

    seat: Seat
    home: AreaId
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.change_player(self.seat, home=self.home)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} {'gets' if self.automatic else 'picked'} {names(self.home)}."


class EmpireFounded(Event, frozen=True):
    """A player's starting pieces, with a Caesar and a fortified city, were put into their Home Province (CC-SET-04).

    Attributes:
        generals: how many generals.
    """

    rules = ("CC-SET-04",)
    places = (("home", "at"),)

    seat: Seat
    home: AreaId
    generals: Count
    infantry: Count

    def apply(self, table: Table) -> None:
        army = Army(fresh=Units(infantry=self.infantry))
        table.change_province(self.home, owner=self.seat, city=True, fortified=True, armies={self.seat: army})
        table.leaders[f"{self.seat}-caesar"] = Leader("caesar", self.seat, self.seat, at=self.home)
        for number in range(1, self.generals + 1):
            table.leaders[f"{self.seat}-general-{number}"] = Leader("general", self.seat, self.seat, at=self.home)

    def tell(self, names: Names) -> str:
        pieces = f"a Caesar, {self.generals} generals, {self.infantry} infantry and a fortified city"
        return f"{names(self.seat)} starts in {names(self.home)} with {pieces}."


class TurnOrderSet(Event, frozen=True):
    """The Home Provinces determined the order of turns (CC-TRN-01, CC-TRN-02)."""

    rules = ("CC-TRN-01", "CC-TRN-02")

    order: tuple[Seat, ...]

    def apply(self, table: Table) -> None:
        table.order[:] = self.order

    def tell(self, names: Names) -> str:
        return f"The turn order is {', '.join(map(names, self.order))}."


def open(draft: Draft[Table]) -> None:  # noqa: A001  (the word of the ruleset protocol)
    """Assign the homes, or draw them, unless the players pick them."""
    if draft.table.pick_homes:
        return
    seats = _seats(draft.table)
    if agreed := draft.table.agreed_homes:
        draft.emit(HomesAssigned({seat: agreed[seat] for seat in seats}))
        return
    homes = draft.shuffle(_homes(draft.table))
    draft.emit(HomesDrawn(draft.draws, dict(zip(seats, homes, strict=True))))


def _found_empires(draft: Draft[Table]) -> None:
    table = draft.table
    order = sorted(_seats(table), key=lambda seat: HOME_ORDER.index(table.home(seat)))
    for seat in order:
        draft.emit(EmpireFounded(seat, table.home(seat), table.edition.generals, table.edition.infantry))
    draft.emit(TurnOrderSet(tuple(order)))
    turn.begin(draft)


def _seats(table: Table) -> list[Seat]:
    # Not the order of the dictionary: a table restored from canonical JSON has it by name.
    return [seat for seat in COLOURS if seat in table.players]


def _homes(table: Table) -> Sequence[AreaId]:
    return table.edition.homes[len(table.players)]


def _free_homes(table: Table) -> list[AreaId]:
    occupied = {player.home for player in table.players.values()}
    return [home for home in _homes(table) if home not in occupied]


class PickHome(Command, frozen=True):
    """Take a Home Province that is still free (CC-SET-03)."""

    rules = ("CC-SET-03",)
    answers = frozenset({"pick-home"})
    gesture = Gesture(to="home")

    home: AreaId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        wrong = f"You cannot take {self.home} as your Home Province."
        if self.home not in _homes(table):
            homes = ", ".join(_homes(table))
            raise Refusal("CC-SET-02", wrong, f"With {len(table.players)} players, the homes are {homes}.")
        free = _free_homes(table)
        if self.home not in free:
            raise Refusal("CC-SET-03", wrong, f"Still free: {', '.join(free)}.")
        draft.emit(HomePicked(seat, self.home))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        homes = schema.one_of(_free_homes(table))
        yield cls.option("Pick a Home Province", {"home": homes})


def choose_homes(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the next seat for its home. The last seat has no choice: set up the table."""
    homeless = [seat for seat in _seats(table) if table.players[seat].home is None]
    if len(homeless) < 2:
        return _set_the_table
    return [
        Decision(
            "pick-home",
            (homeless[0],),
            RuleId("CC-SET-03"),
            "Which Home Province do you take?",
            "The game begins when everybody has a Home Province.",
            {"homes": _free_homes(table)},
        )
    ]


def _set_the_table(draft: Draft[Table]) -> None:
    table = draft.table
    for seat in _seats(table):
        if table.players[seat].home is None:
            draft.emit(HomePicked(seat, _free_homes(table)[0], automatic=True))
    _found_empires(draft)


EVENTS = (HomesAssigned, HomesDrawn, HomePicked, EmpireFounded, TurnOrderSet)
COMMANDS = (PickHome,)
