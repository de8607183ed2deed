"""The regulations of a tournament: data in its log that decide how it is played (TAB-TRN-02)."""

from collections.abc import Collection, Iterator
from fractions import Fraction
from typing import Annotated, Any, Final, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType, field

from domain.kernel.ids import LeagueId
from domain.kernel.log.clock import PRESETS, Clock, require_sound
from domain.kernel.rules.message import enumerated, kebab
from domain.kernel.rules.refusal import Refusal

SMALLEST_TABLE: Final = 2
LARGEST_TABLE: Final = 6
MOST_ROUNDS: Final = 30
"""The most rounds that a tournament can have."""
MOST_ENTRANTS: Final = 1_000
MOST_POINTS: Final = 1_000
"""The most points for a place, a bye or a penalty."""
MOST_BANS: Final = 500

CheckIn = Literal["once", "each round"]
"""When players check in: before the first round that they play, or before each."""
PointsOfSubstitutes = Literal["substitute", "replaced"]
"""Who gets what the seat of a substitute earns: the substitute, in place of a bye, or the player whom they replaced."""
AgreedEnds = Literal["agreed", "tied"]
"""How an agreed end counts: in the order that was agreed, or as a tie of all."""

TieBreak = Literal["wins", "places", "meetings", "opponents", "penalties", "lot"]
"""What decides between players with the same points; `standings.py` says what each counts."""
TIE_BREAK_NAMES: Final[tuple[TieBreak, ...]] = get_args(TieBreak)


class Stage(Struct, frozen=True, tag=kebab, forbid_unknown_fields=True):
    """Rounds that are drawn in one way.

    Attributes:
        rounds: how many there are.
    """

    rounds: int


class Swiss(Stage, frozen=True):
    """Players with the same points meet, as far as they have not met before."""


class Random(Stage, frozen=True):
    """Everybody meets whomever the lots bring, as far as they have not met before."""


class RoundRobin(Stage, frozen=True):
    """At tables of two, everybody meets everybody once: as many rounds as there are opponents, or fewer."""


class Heats(Stage, frozen=True):
    """Players come to as many rounds as they like, and meet as in a random stage.

    Attributes:
        best: how many of their results count, the best ones.
    """

    best: int


class KnockOut(Stage, frozen=True):
    """The first of each table play on, and stand above those who do not.

    Attributes:
        advance: how many of each table play on.
    """

    advance: int


class FinalTable(Stage, frozen=True):
    """The best play a last round at one table. They stand above all others, in the order in which they finish there.

    Attributes:
        size: how many play it.
    """

    size: int


AnyStage = Swiss | Random | RoundRobin | Heats | KnockOut | FinalTable


class Unfinished(Struct, frozen=True, forbid_unknown_fields=True):
    """What becomes of a game that does not end.

    Attributes:
        days: after how many days from its opening a director may adjudicate it.
    """

    days: int = 90


class InLeague(Struct, frozen=True, forbid_unknown_fields=True):
    """Where a tournament belongs in a league (TAB-LGE-06).

    Attributes:
        league: the id of the league.
        season: the number of the season, which must run when the tournament is announced.
        division: the division, 1 for the highest.
    """

    league: LeagueId
    season: Annotated[int, Meta(ge=1, le=10_000)]
    division: Annotated[int, Meta(ge=1, le=10)]


class Regulations(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The regulations of a tournament.

    Attributes:
        ruleset: the id of the ruleset of all its games.
        setup: what the ruleset lets the creator of a game choose.
        stages: the stages, in their order.
        sizes: how many may sit at a table, the size that is preferred first.
        points: the points for the first place, the second, and so on, for each size of a table: `[60, 48, 36]` is for
            tables of three. Those who tie share the points of their places.
        bye: the points of a player who has no table in a round.
        tie_breaks: what decides between players with the same points, in this order.
        clock: the clock of all games; null for none.
        check_in: whether players check in once, or before each round.
        late: the last round before which players can enter; 1 when nobody can enter late.
        agreed: what an agreed end counts.
        unfinished: what becomes of a game that does not end.
        confirmed_after: after how many hours a result counts by itself, unless a case about its game is open. Those of
            the last round count when a director confirms them.
        entrants: how many can enter.
        bans: pairs of players who must not meet.
        points_of_substitutes: who gets what a seat earns after a substitute was seated: the `substitute`, in place of a
            bye; or the player who was `replaced`, and the substitute keeps the bye. Absent: the substitute.
        league: the season of a league that it is part of; absent when of none. It never changes.
    """

    ruleset: str
    setup: dict[str, Any] = field(default_factory=dict[str, Any])
    stages: tuple[AnyStage, ...]
    sizes: tuple[int, ...]
    points: tuple[tuple[int, ...], ...]
    bye: int = 0
    tie_breaks: tuple[TieBreak, ...] = TIE_BREAK_NAMES
    clock: Clock | None = None
    check_in: CheckIn = "once"
    late: int = 1
    agreed: AgreedEnds = "agreed"
    unfinished: Unfinished = Unfinished()
    confirmed_after: int = 24
    entrants: int = 240
    bans: tuple[tuple[str, str], ...] = ()
    # Absent in older logs, whose bytes must not change.
    points_of_substitutes: PointsOfSubstitutes | UnsetType = UNSET
    league: InLeague | UnsetType = UNSET

    @property
    def rounds(self) -> int:
        """How many rounds are to be played."""
        return sum(stage.rounds for stage in self.stages)

    def stage_of(self, played: int) -> AnyStage | None:
        """Return the stage of the next round after `played` rounds; None when all were played."""
        for stage in self.stages:
            if played < stage.rounds:
                return stage
            played -= stage.rounds
        return None

    def stages_of(self, played: int) -> list[int]:
        """Return, for each of the first `played` rounds, the index of its stage in `stages`."""
        return [place for place, stage in enumerate(self.stages) for _ in range(stage.rounds)][:played]

    def points_of(self, size: int) -> tuple[int, ...]:
        """Return the points for the places at a table of a size."""
        return next(each for each in self.points if len(each) == size)

    def shared(self, size: int, place: int, tied: int) -> Fraction:
        """Return the points of each of `tied` players who share the places from `place` on; the first place is 0."""
        return Fraction(sum(self.points_of(size)[place : place + tied]), tied)


def require_sound_regulations(regulations: Regulations, seats: Collection[int]) -> None:
    """Raise `Refusal` unless a tournament can be played by these regulations (TAB-TRN-02).

    `seats` are the numbers of players that the ruleset takes.
    """
    for wrong, right in _faults(regulations, seats):
        raise Refusal("TAB-TRN-02", wrong, right)
    if regulations.clock is not None:
        for size in regulations.sizes:
            require_sound(regulations.clock, size)


def _faults(regulations: Regulations, seats: Collection[int]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong, and what would be right."""
    sizes = regulations.sizes
    lawful = [size for size in range(SMALLEST_TABLE, LARGEST_TABLE + 1) if size in seats]
    right = f"A table of {regulations.ruleset} has {', '.join(map(str, lawful))} players."
    if not sizes:
        yield "There are no sizes of tables.", right
    for size in sizes:
        if size not in lawful:
            yield f"A table of {size} cannot be played.", right
    if len(set(sizes)) != len(sizes):
        yield "A size of tables stands there twice.", "Name each size once, the preferred one first."
    yield from _faults_of_points(regulations)
    if not 1 <= len(regulations.stages) <= MOST_ROUNDS or any(stage.rounds < 1 for stage in regulations.stages):
        yield "A stage has no rounds, or there is no stage.", "Give one stage or more, each of one round or more."
    for value, name, least, most in (
        (regulations.rounds, "rounds", 1, MOST_ROUNDS),
        (regulations.bye, "bye", 0, MOST_POINTS),
        (regulations.late, "late", 1, max(1, regulations.rounds)),
        (regulations.unfinished.days, "unfinished.days", 1, 1_000),
        (regulations.confirmed_after, "confirmed_after", 0, 30 * 24),
        (regulations.entrants, "entrants", min(sizes, default=SMALLEST_TABLE), MOST_ENTRANTS),
        (len(regulations.bans), "the number of bans", 0, MOST_BANS),
    ):
        if not least <= value <= most:
            yield f"The regulations have {name} = {value}.", f"Expected {least} to {most}."
    for stage in regulations.stages:
        yield from _faults_of_stage(stage, regulations)
    if len(set(regulations.tie_breaks)) != len(regulations.tie_breaks):
        yield "A tie-break stands there twice.", "Name each tie-break once."
    if any(one == other for one, other in regulations.bans):
        yield "Somebody is banned from meeting themselves.", "A ban names two players."


def _faults_of_stage(stage: AnyStage, regulations: Regulations) -> Iterator[tuple[str, str]]:
    match stage:
        case RoundRobin() if regulations.sizes != (2,):
            yield "A round robin has tables of other sizes than two.", "Expected sizes = [2], or a random stage."
        case Heats(rounds, best) if not 1 <= best <= rounds:
            yield f"Of {rounds} heats, the best {best} count.", f"Expected 1 to {rounds}."
        case KnockOut(_, advance) if not 1 <= advance < min(regulations.sizes, default=2):
            yield f"Of each table {advance} play on.", "Expected one or more, and fewer than sit at the smallest table."
        case FinalTable(rounds, size) if rounds != 1 or size not in regulations.sizes:
            yield f"A final of {size} has {rounds} rounds.", "A final is one round of a size that tables have."
        case _:
            pass


def _faults_of_points(regulations: Regulations) -> Iterator[tuple[str, str]]:
    lengths = sorted(len(each) for each in regulations.points)
    if lengths != sorted(set(regulations.sizes)):
        sizes = enumerated([str(size) for size in sorted(set(regulations.sizes))])
        yield (
            f"There are points for tables of {enumerated([str(size) for size in lengths]) or 'no size'}.",
            f"Expected points for tables of {sizes}, one list each.",
        )
    for each in regulations.points:
        sequence = "-".join(map(str, each))
        if any(not 0 <= points <= MOST_POINTS for points in each):
            yield f"The points {sequence} are out of bounds.", f"Points are 0 to {MOST_POINTS:,}."
        if list(each) != sorted(each, reverse=True):
            yield (
                f"The points {sequence} rise with the place.",
                "A later place never has more points than an earlier one.",
            )


POINTS: Final = {
    2: (60, 0),
    3: (60, 36, 12),
    4: (60, 42, 24, 6),
    5: (60, 45, 30, 15, 5),
    6: (60, 48, 36, 24, 12, 4),
}
"""The points of the presets: the first has 60 at every size of a table, so that a win is worth the same."""

PresetName = Literal["club evening", "weekend", "league season"]


class Preset(Struct, frozen=True):
    """Regulations that a club can begin with, for any ruleset.

    Attributes:
        name: what it is called.
        what: whom it is for, in a sentence.
        rounds: how many rounds of Swiss it has.
        clock: the name of the clock of its games.
        check_in: when players check in.
    """

    name: PresetName
    what: str
    rounds: int
    clock: str
    check_in: CheckIn = "once"

    def regulations(self, ruleset: str, seats: Collection[int]) -> Regulations:
        """Return the regulations for a ruleset. `seats` are the numbers of players that it takes.

        Tables have two sizes where possible, so that few players have a bye.
        """
        sizes = tuple(size for size in (4, 3, 5, 2, 6) if size in seats)[:2]
        return Regulations(
            ruleset=ruleset,
            stages=(Swiss(self.rounds),),
            sizes=sizes,
            points=tuple(POINTS[size] for size in sorted(sizes)),
            bye=30,
            clock=PRESETS[self.clock],
            check_in=self.check_in,
        )


TOURNAMENTS: Final = (
    Preset("club evening", "Two rounds in an evening, for players who are all there.", 2, "live"),
    Preset("weekend", "Five rounds in two days, for players who are all there.", 5, "live"),
    Preset("league season", "Seven rounds of some weeks each, for players who move once or twice a day.", 7, "fast"),
)
"""The presets of tournaments, for the page, the guide and programs."""
