"""Laws of tournaments, over tournaments that go on at random."""

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from msgspec import UNSET

from domain.kernel.ids import PlayerId
from domain.kernel.log.record import first_broken
from domain.kernel.rules.ruleset import Library
from domain.tournament import directing, entering, results, rounds
from domain.tournament.crosstable import crosstable
from domain.tournament.draw import faults
from domain.tournament.drawing import problem_of
from domain.tournament.events import Order
from domain.tournament.fold import fold
from domain.tournament.proof import export, verify
from domain.tournament.regulations import TIE_BREAK_NAMES, AnyStage, FinalTable, Heats, KnockOut, RoundRobin, Swiss
from domain.tournament.regulations import Random as Lots
from domain.tournament.standings import Scores, standings
from tests.championship.standings import Book
from tests.helpers.sampling import sampled
from tests.helpers.tournaments import Club, player
from tests.tiny.auction import TinyAuction

LIBRARY = Library([TinyAuction()])
POINTS = {2: (9, 2), 3: (60, 36, 12)}
HOWS = ("won", "ruled", "agreed", "abandoned", "resigned")


def shuffled_order(players: tuple[PlayerId, ...], rng: Random) -> Order:
    """Return an order of players in which some tie."""
    left, order = rng.sample(players, len(players)), list[tuple[PlayerId, ...]]()
    while left:
        tied = rng.choice((1, 1, 2))
        order.append(tuple(left[:tied]))
        left = left[tied:]
    return tuple(order)


def stages_at_random(sizes: tuple[int, ...], rng: Random) -> tuple[AnyStage, ...]:
    first: list[AnyStage] = [Swiss(rng.randint(1, 3)), Lots(2), Heats(3, rng.randint(1, 3))]
    first += [RoundRobin(rng.randint(1, 3))] if sizes == (2,) else []
    then: list[tuple[AnyStage, ...]] = [(), (FinalTable(1, sizes[0]),), (KnockOut(1, 1),), (Swiss(1), KnockOut(1, 1))]
    return (rng.choice(first), *rng.choice(then))


def at_random(seed: int) -> Club:
    """Return a tournament that was played to its end, with whatever may happen in one."""
    rng = Random(seed)
    sizes = rng.choice(((2,), (3,), (3, 2), (2, 3)))
    club = Club(
        rng.randint(4, 14),
        seed=rng.randbytes(32),
        ruleset=TinyAuction().id,
        stages=stages_at_random(sizes, rng),
        sizes=sizes,
        points=tuple(POINTS[size] for size in sizes),
        bye=rng.randint(0, 40),
        tie_breaks=tuple(rng.sample(TIE_BREAK_NAMES, rng.randint(0, len(TIE_BREAK_NAMES)))),
        agreed=rng.choice(("agreed", "tied")),
        points_of_substitutes=rng.choice((UNSET, "substitute", "replaced")),
    )
    while club.tournament.regulations.stage_of(len(club.field.played)) is not None:
        for each in club.field.entrants.values():
            if not each.out and rng.random() < 0.05 and sum(not one.out for one in club.field.entrants.values()) > 4:
                club.act(entering.withdraw, by=each.player)
        drawn = club.publish()
        if rng.random() < 0.1:
            club.act(rounds.cancel_round, drawn.number, "Fire alarm")
            continue
        if drawn.byes and rng.random() < 0.5:
            out = rng.choice(drawn.tables[0].players)
            club.act(rounds.substitute, drawn.number, 1, out, drawn.byes[0], "Ill")
        for table in club.round.tables:
            left = tuple(each for each in table.players if rng.random() < 0.1)
            club.result(table.number, shuffled_order(table.players, rng), rng.choice(HOWS), left)
            club.act(results.confirm, club.round.number, table.number)
        if rng.random() < 0.3:
            club.act(directing.penalize, player(1), "points", rng.randint(1, 30), "Late")
    club.act(directing.close)
    return club


@pytest.mark.parametrize("seed", sampled("tournaments at random", range(100), 5))
def test_laws_hold_in_tournaments_at_random(seed: int) -> None:
    club = at_random(seed)
    field = club.field
    assert first_broken(club.tournament.id, club.records) is None
    assert fold(club.tournament.id, club.records) == club.tournament
    verdict = verify(export(club.tournament, club.records), LIBRARY, {})
    assert verdict.ok, verdict.problem

    # Every table gives out all its points, however its players tie; of heats, not all of them count.
    given = -sum(
        (each.points for line in Scores(field).rounds.values() for each in line if not each.counts), Fraction(0)
    )
    for each in field.played:
        given += field.regulations.bye * len(each.byes)
        given += sum(sum(field.regulations.points_of(len(table.players))) for table in each.tables)
    taken = sum(each.points for each in field.penalties)
    assert sum(Scores(field).points.values()) == given - taken

    # The standings have everybody once, no one below somebody with fewer points, and the crosstable says the same.
    lines = standings(field)
    assert sorted(line.player for line in lines) == sorted(field.entrants)
    if not any(isinstance(stage, KnockOut | FinalTable) for stage in field.regulations.stages):
        assert [line.points for line in lines] == sorted((line.points for line in lines), reverse=True)
    for above, below in pairwise(lines):
        assert (above.above is None) == (above.place == below.place)
    for line in crosstable(field):
        earned = sum((cell.points for cell in line.cells if cell.points is not None and cell.counts), Fraction(0))
        assert earned - Scores(field).penalty_points(line.player) == line.points

    # A program that was written from the rules alone finds the same in the export.
    book = Book(export(club.tournament, club.records))
    assert list(map(sorted, book.standings())) == list(map(sorted, book.closed or ()))
    assert {line.player: book.points(line.player) for line in lines} == Scores(field).points


@pytest.mark.parametrize("seed", sampled("draws of tournaments at random", range(50), 3))
def test_every_draft_was_lawful_when_it_was_drawn(seed: int) -> None:
    club = at_random(1_000 + seed)
    for version in range(1, len(club.records) + 1):
        tournament = fold(club.tournament.id, club.records[:version])
        current = tournament.field.current
        if current is not None and current.status == "drawn" and current.drafts:
            assert faults(problem_of(tournament.field, current), current.drafts[-1]) == []
