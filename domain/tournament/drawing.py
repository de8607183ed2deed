"""Who plays the next round of a tournament, and the problem that its draw has to solve (TAB-TRN-09)."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations

from domain.kernel.ids import PlayerId
from domain.tournament.draw import Draw, Entrant, Met, Problem, arranged, faults, slices
from domain.tournament.field import Field, Round, Table
from domain.tournament.regulations import FinalTable, KnockOut, Regulations, RoundRobin, Swiss
from domain.tournament.standings import Scores, scored, standings

UNIT: int = 60
"""A point counts 60, so that points shared by two to six players are whole numbers."""


def problem_of(field: Field, current: Round) -> Problem:
    """Return the problem of a round whose lots were drawn. Players who have left since then are not drawn.

    Scores are in sixtieths of a point, and a step is the mean difference between two places of a table of the preferred
    size. They count only in a Swiss stage. Fewer byes are allowed than the largest table has seats. A round robin may
    have any number of byes, because nobody meets twice there.
    """
    regulations, played = field.regulations, field.played
    stage = regulations.stage_of(len(played))
    counts = isinstance(stage, Swiss)
    points = Scores(field).points if counts else {}
    seats = Counter(
        (seat, player) for each in played for table in each.tables for seat, player in enumerate(table.players)
    )
    byes = Counter(player for each in played for player in each.byes)
    entrants = (
        Entrant(
            player,
            lot,
            int(points.get(player, 0) * UNIT),
            byes[player],
            field.entrants[player].club or "",
            seats=tuple(seats[seat, player] for seat in range(max(regulations.sizes))),
        )
        for lot, player in enumerate(current.present, start=1)
        if not field.entrants[player].out
    )
    return Problem(
        tuple(entrants),
        (stage.size,) if isinstance(stage, FinalTable) else tuple(sorted(regulations.sizes)),
        stage.size if isinstance(stage, FinalTable) else regulations.sizes[0],
        byes=len(current.present) if isinstance(stage, RoundRobin) else max(regulations.sizes) - 1,
        step=_step(regulations),
        met=_met(played),
        bans=(
            *((PlayerId(one), PlayerId(other)) for one, other in regulations.bans),
            *((met.one, met.other) for met in _met(_of_stage(field)) if isinstance(stage, RoundRobin)),
        ),
    )


def drawn_without_solver(field: Field, current: Round) -> Draw:
    """Return tables for a round: in a round robin by the circle method while its players stay the same; else by slices.

    Raises:
        NoDraw, Undecided: as `slices` does.
    """
    problem = problem_of(field, current)
    if isinstance(field.regulations.stage_of(len(field.played)), RoundRobin):
        pairing = _circle(field, current)
        if not faults(problem, pairing):
            return arranged(problem, pairing)
    return slices(problem)


def _circle(field: Field, current: Round) -> Draw:
    """Return the pairs of a round by the circle method, over those who played the first round of the stage."""
    before = _of_stage(field)
    first = before[0] if before else current
    seats: list[PlayerId | None] = [*first.present, *([None] if len(first.present) % 2 else [])]
    turned = [seats[0], *(seats[1 + (at + len(before)) % (len(seats) - 1)] for at in range(len(seats) - 1))]
    pairs = list(zip(turned[: len(seats) // 2], reversed(turned), strict=False))
    return Draw(
        tuple((one, other) for one, other in pairs if one is not None and other is not None),
        tuple(player for pair in pairs if None in pair for player in pair if player is not None),
    )


def eligible(field: Field) -> list[PlayerId]:
    """Return who may play the next round if they check in: in a knock-out, who plays on; otherwise everybody.

    For a final they are in the order of the standings: the best who check in play it.
    """
    match field.regulations.stage_of(len(field.played)):
        case KnockOut(_, advance) if before := _of_stage(field):
            rank = {line.player: at for at, line in enumerate(standings(field))}
            advancing = {player for table in before[-1].tables for player in _first(table, advance, field, rank)}
            return [player for player in field.entrants if player in advancing or player in before[-1].byes]
        case FinalTable():
            return [line.player for line in standings(field)]
        case _:
            return list(field.entrants)


def _first(table: Table, advance: int, field: Field, rank: Mapping[PlayerId, int]) -> list[PlayerId]:
    """Return the first `advance` players of a table; players who tie there are in the order of the standings."""
    order = scored(table.result, field.regulations.agreed == "tied") if table.result is not None else ()
    earners = ([table.earner(player, field.regulations) for player in tied] for tied in order)
    return [player for tied in earners for player in sorted(tied, key=rank.__getitem__)][:advance]


def _of_stage(field: Field) -> list[Round]:
    """Return the published rounds that belong to the stage of the next round."""
    played = field.played
    *before, stage = field.regulations.stages_of(len(played) + 1)
    return [each for each, at in zip(played, before, strict=True) if at == stage]


def _step(regulations: Regulations) -> int:
    points = regulations.points_of(regulations.sizes[0])
    return max(1, UNIT * (points[0] - points[-1]) // (len(points) - 1))


def _met(rounds: Iterable[Round]) -> tuple[Met, ...]:
    pairs = Counter(pair for each in rounds for table in each.tables for pair in combinations(sorted(table.players), 2))
    return tuple(Met(one, other, times) for (one, other), times in sorted(pairs.items()))
