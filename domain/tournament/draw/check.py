"""What must hold in every draw, and why a problem has no draw at all."""

from collections import Counter
from collections.abc import Iterator

from domain.tournament.draw.field import Field
from domain.tournament.draw.lawful import lawful, shapes
from domain.tournament.draw.problem import LEAST_SIZE, MOST_SIZE, Draw, Problem, Weights


def faults(problem: Problem, draw: Draw) -> list[str]:
    """Return what is unlawful in a draw, a sentence for each fault; empty when it is lawful.

    In a lawful draw, everybody sits once or has a bye, each table has an allowed size, no more players have a bye than
    allowed, and nobody sits with a player whom they must not meet.
    """
    return list(_faults(problem, draw))


def _faults(problem: Problem, draw: Draw) -> Iterator[str]:
    entrants = {entrant.player for entrant in problem.entrants}
    times_drawn = Counter(player for table in (*draw.tables, draw.byes) for player in table)
    for player, times in times_drawn.items():
        if player not in entrants:
            yield f"{player} is in the draw but is not an entrant of this round."
        elif times > 1:
            yield f"{player} is in the draw {times} times; everybody sits at one table or has a bye."
    for player in sorted(entrants - times_drawn.keys()):
        yield f"{player} is missing: everybody sits at one table or has a bye."
    for number, table in enumerate(draw.tables, start=1):
        if len(table) not in problem.sizes:
            yield f"Table {number} has {_players(len(table))}; allowed are tables of {_listed(problem.sizes)}."
    if len(draw.byes) > problem.byes:
        have = "has" if len(draw.byes) == 1 else "have"
        yield f"{_players(len(draw.byes))} {have} a bye; at most {problem.byes} may."
    banned = {frozenset(pair) for pair in problem.bans}
    for number, table in enumerate(draw.tables, start=1):
        if len(table) > MOST_SIZE:
            continue  # already a fault; a request can have thousands of players, and their pairs would take seconds
        for place, one in enumerate(table):
            for other in table[place + 1 :]:
                if frozenset((one, other)) in banned:
                    yield f"{one} and {other} sit together at table {number}, but must not meet."


def flaws(problem: Problem) -> list[str]:
    """Return what is wrong with a problem itself, a sentence for each flaw. The other functions here expect none."""
    return list(_flaws(problem))


def _flaws(problem: Problem) -> Iterator[str]:
    for player, times in Counter(entrant.player for entrant in problem.entrants).items():
        if times > 1:
            yield f"{player} is an entrant {times} times; everybody enters once."
    for lot, times in Counter(entrant.lot for entrant in problem.entrants).items():
        if times > 1:
            yield f"{times} entrants have lot {lot}; everybody has a lot of their own."
    for entrant in problem.entrants:
        counts = (entrant.byes, *entrant.seats)
        if entrant.lot < 1:
            yield f"{entrant.player} has lot {entrant.lot}; lots are numbers from 1."
        if min(counts) < 0:
            yield f"{entrant.player} has had a seat or a bye {min(counts)} times; expected 0 or more."
    if not problem.sizes:
        yield f"No table size is allowed; expected one or more from {LEAST_SIZE} to {MOST_SIZE}."
    for size in problem.sizes:
        if not LEAST_SIZE <= size <= MOST_SIZE:
            yield f"Tables of {size} are allowed; expected sizes from {LEAST_SIZE} to {MOST_SIZE}."
    if problem.sizes and problem.preferred not in problem.sizes:
        yield f"Tables of {problem.preferred} are preferred; expected one of {_listed(problem.sizes)}."
    if problem.byes < 0:
        yield f"{problem.byes} byes are allowed; expected 0 or more."
    if problem.step < 1:
        yield f"A step is a score of {problem.step}; expected 1 or more."
    for pair, times in Counter(frozenset((met.one, met.other)) for met in problem.met).items():
        if len(pair) < 2:
            yield f"{next(iter(pair))} is said to have met themselves; expected two players."
        elif times > 1:
            yield f"{' and '.join(sorted(pair))} are listed {times} times as having met; expected one number."
    for met in problem.met:
        if met.times < 0:
            yield f"{met.one} and {met.other} are said to have met {met.times} times; expected 0 or more."
    for one, other in problem.bans:
        if one == other:
            yield f"{one} is banned from meeting themselves; expected two players."
    for name in Weights.__struct_fields__:
        if (weight := getattr(problem.weights, name)) < 0:
            yield f"The weight {name} is {weight}; expected 0 or more."


def obstacle(problem: Problem) -> str | None:
    """Return why a problem without flaws has no lawful draw, as a sentence; None when it has one.

    It names the sizes when no number of tables fits, else bans that together leave no draw. Without any one of these
    bans there would be a draw.

    Raises:
        Undecided: there are so many bans that the search for a draw was given up.
    """
    field = Field(problem)
    if not shapes(field):
        count = len(problem.entrants)
        byes = f" with {problem.byes} byes at most" if problem.byes else " without byes"
        return f"{_players(count)} cannot fill tables of {_listed(problem.sizes)}{byes}."
    if lawful(field) is not None:
        return None
    bans = [(one, other) for one, others in enumerate(field.banned) for other in sorted(others) if one < other]
    needed = list(bans)
    for ban in bans:
        rest = [other for other in needed if other != ban]
        if lawful(field, rest) is None:
            needed = rest
    pairs = _banned(field, needed)
    return f"No draw keeps apart all of {pairs}. Lift one of these bans, or allow other tables or more byes."


def _banned(field: Field, bans: list[tuple[int, int]]) -> str:
    return "; ".join(f"{field.players[one]} and {field.players[other]}" for one, other in bans)


def _players(count: int) -> str:
    return "1 player" if count == 1 else f"{count} players"


def _listed(sizes: tuple[int, ...]) -> str:
    return " or ".join(str(size) for size in sorted(set(sizes)))
