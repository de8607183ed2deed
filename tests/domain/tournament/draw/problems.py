"""Random problems for the draw, and every draw of a small one."""

from collections.abc import Iterator
from itertools import combinations

from hypothesis import strategies as st

from domain.kernel.ids import PlayerId
from domain.tournament.draw import Draw, Entrant, Met, Problem, Weights

SMALL = st.integers(0, 3)


@st.composite
def problems(draw: st.DrawFn, most: int = 8, bans: bool = True) -> Problem:
    """A problem without flaws, of 1 to `most` players. It may have no lawful draw."""
    count = draw(st.integers(1, most))
    players = [PlayerId(f"p{number}") for number in range(count)]
    pairs = list(combinations(players, 2))
    lots = draw(st.permutations(range(1, count + 1)))
    sizes = draw(st.lists(st.integers(2, 6), min_size=1, unique=True))
    return Problem(
        entrants=tuple(
            Entrant(
                player=player,
                lot=lot,
                score=draw(st.integers(0, 60)),
                byes=draw(SMALL),
                club=draw(st.sampled_from(["", "north", "south"])),
                seats=tuple(draw(st.lists(SMALL, max_size=4))),
            )
            for player, lot in zip(players, lots, strict=True)
        ),
        sizes=tuple(sizes),
        preferred=draw(st.sampled_from(sizes)),
        byes=draw(st.integers(0, 2)),
        step=draw(st.sampled_from([1, 7, 12])),
        met=tuple(Met(one, other, draw(SMALL)) for one, other in draw(_some(pairs))),
        bans=tuple(draw(_some(pairs, 4))) if bans else (),
        weights=Weights(*(draw(st.integers(0, 50)) for _ in Weights.__struct_fields__)),
    )


def _some(pairs: list[tuple[PlayerId, PlayerId]], most: int | None = None) -> st.SearchStrategy:
    return st.lists(st.sampled_from(pairs), unique=True, max_size=most) if pairs else st.just([])


def every_draw(problem: Problem) -> Iterator[Draw]:
    """Yield every lawful draw of a problem once, its players in the order of the entrants, by trying all."""
    players = [entrant.player for entrant in problem.entrants]
    banned = {frozenset(pair) for pair in problem.bans}

    def tables(left: list[PlayerId]) -> Iterator[tuple[tuple[PlayerId, ...], ...]]:
        if not left:
            yield ()
            return
        for size in problem.sizes:
            for others in combinations(left[1:], size - 1):
                table = (left[0], *others)
                if not any(frozenset(pair) in banned for pair in combinations(table, 2)):
                    for rest in tables([player for player in left if player not in table]):
                        yield table, *rest

    for count in range(min(problem.byes, len(players)) + 1):
        for byes in combinations(players, count):
            for seated in tables([player for player in players if player not in byes]):
                yield Draw(seated, byes)
