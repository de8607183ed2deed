"""The table of a division: what earns points, and who stands above whom."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from domain.kernel.ids import PlayerId, TournamentId
from domain.league.league import Added, Season, Taken
from domain.league.moving import moves
from domain.league.regulations import LeagueTieBreak, Regulations
from domain.league.table import Finish, Line, table_of
from tests.helpers.leagues import league_regulations

TIE_BREAKS: tuple[LeagueTieBreak, ...] = ("wins", "places", "meetings", "all", "last")


def season(members: Sequence[str] = ("", ""), tournaments: Sequence[int] = (1, 1, 1), **changes: Any) -> Season:
    """Return a season with members by their letters, and a tournament t0, t1, … of each division that is given."""
    added = tuple(Added(TournamentId(f"t{at}"), division, "") for at, division in enumerate(tournaments))
    listed = tuple(tuple(map(PlayerId, letters)) for letters in members)
    return Season(1, league_regulations(**changes), listed, added)


def finish(at: int, order: str, counted: str | None = None, status: Any = "closed") -> Finish:
    """Return a tournament with its players by their letters, the first first: `a bc` has b and c tied."""
    tied = tuple(tuple(map(PlayerId, group)) for group in order.split())
    players = order.replace(" ", "") if counted is None else counted
    return Finish(TournamentId(f"t{at}"), status, tied, frozenset(map(PlayerId, players)))


def table(of: Season, *orders: Finish, division: int = 1) -> list[Line]:
    return table_of(of, division, {each.tournament: each for each in orders})


def points(lines: Sequence[Line]) -> dict[str, Fraction]:
    return {line.player: line.points for line in lines}


def above(lines: Sequence[Line]) -> str:
    return " ".join(f"{line.player}:{line.above}" for line in lines)


@pytest.mark.rule("TAB-LGE-08")
def test_places_earn_points_and_those_who_tie_share_them() -> None:
    lines = table(season(["abcdef"], [1], divisions=1, up=0, down=0), finish(0, "a bc de f"))
    half = Fraction(1, 2)
    assert points(lines) == {"a": 10, "b": 9 * half, "c": 9 * half, "d": half, "e": half, "f": 0}
    assert [line.results[0].place for line in lines] == [1, 2, 2, 4, 4, 6]


@pytest.mark.rule("TAB-LGE-08")
def test_guests_and_who_did_not_play_have_no_result_and_their_places_are_not_passed_on() -> None:
    lines = table(season(["ab", "xy"], [1]), finish(0, "x a b c", counted="xa"))
    assert points(lines) == {"a": 6, "b": 0}
    assert [line.played for line in lines] == [1, 0]
    assert above(lines) == "a:played b:None"
    assert not table(season(["ab", "xy"], [1]), finish(0, "x a b"), division=2)[0].played


@pytest.mark.rule("TAB-LGE-06")
def test_a_tournament_that_was_cancelled_does_not_count() -> None:
    lines = table(season(["ab"], [1, 1]), finish(0, "b a", status="cancelled"), finish(1, "a b"))
    assert points(lines) == {"a": 10, "b": 6}
    assert [result.tournament for line in lines for result in line.results] == ["t1", "t1"]


@pytest.mark.rule("TAB-LGE-09")
def test_the_best_results_count_of_equal_ones_the_earlier() -> None:
    lines = table(season(["abc"], [1, 1, 1]), finish(0, "a b"), finish(1, "a b c"), finish(2, "a c b"))
    assert points(lines) == {"a": 20, "b": 12, "c": 9}
    assert [[result.counts for result in line.results] for line in lines] == [
        [True, True, False],
        [True, True, False],
        [True, True],  # fewer than count: all of them do
    ]


@pytest.mark.rule("TAB-LGE-10")
@pytest.mark.parametrize(
    ("name", "orders"),
    [
        ("wins", ("a b", "b a", "b a")),
        ("places", ("a b c", "b c a")),
        ("meetings", ("a", "b a")),
        ("all", ("b c a", "a b c")),
        ("last", ("a b", "b a")),
    ],
)
def test_tie_breaks_put_one_above_the_other(name: LeagueTieBreak, orders: tuple[str, ...]) -> None:
    of = season(["abc"], [1] * len(orders), best=1, tie_breaks=(name,))
    lines = table(of, *(finish(at, order) for at, order in enumerate(orders)))
    assert (lines[0].player, lines[0].points, lines[0].above) == ("b", lines[1].points, name)


@pytest.mark.rule("TAB-LGE-10")
def test_each_tie_break_counts_what_it_says() -> None:
    orders = [finish(0, "a b c"), finish(1, "b a c"), finish(2, "c ab"), finish(3, "d", counted="d")]
    lines = table(season(["abcd"], [1, 1, 1, 1], best=1, tie_breaks=TIE_BREAKS), *orders)
    # All four have 10 points by their best result, and so tie before the first tie-break.
    values: dict[str, dict[str, Any]] = {line.player: dict(zip(TIE_BREAKS, line.values, strict=True)) for line in lines}
    assert {player: value["wins"] for player, value in values.items()} == dict.fromkeys("abcd", (1,))
    assert values["a"]["places"] == values["b"]["places"] == (1, 2, 0)
    assert values["c"]["places"] == (1, 0, 2)
    assert values["d"]["places"] == (1, 0, 0)
    assert values["a"]["meetings"] == values["b"]["meetings"] == (Fraction(41, 2),)
    assert values["a"]["last"] == (0, Fraction(9, 2), 6, 10)
    assert above(lines) == "b:last a:places c:places d:None"


@pytest.mark.rule("TAB-LGE-10")
def test_those_who_tie_to_the_end_share_the_place() -> None:
    lines = table(season(["ab"], [1]), finish(0, "ab"))
    assert [(line.place, line.above) for line in lines] == [(1, None), (1, None)]


@pytest.mark.rule("TAB-LGE-10", "TAB-LGE-11")
def test_penalties_count_and_who_has_no_result_stands_below() -> None:
    of = season(["abc"], [1])
    of = Season(1, of.regulations, of.members, of.tournaments, (Taken(PlayerId("a"), 11, "Late"),))
    lines = table(of, finish(0, "a b"))
    assert [(line.player, line.points, line.taken) for line in lines] == [("b", 6, 0), ("a", -1, 11), ("c", 0, 0)]


@pytest.mark.rule("TAB-LGE-10")
def test_a_tournament_that_runs_is_in_the_table_as_it_stands() -> None:
    lines = table(season(["ab"], [1, 1]), finish(0, "a b"), finish(1, "b a", status="running"))
    assert [[result.provisional for result in line.results] for line in lines] == [[False, True]] * 2


# --- up and down ---


def moved(of: Season, *orders: Finish, division: int = 1) -> str:
    found = moves(of.regulations, division, table(of, *orders, division=division))
    return " ".join(f"{player}{change:+}" for player, change in sorted(found.items()))


@pytest.mark.rule("TAB-LGE-13")
def test_the_first_go_up_and_the_last_go_down() -> None:
    of = season(["abc", "def", "ghi"], [1, 2, 3], divisions=3)
    assert moved(of, finish(0, "a b c")) == "c+1"
    assert moved(of, finish(1, "d e f"), division=2) == "d-1 f+1"
    assert moved(of, finish(2, "g h i"), division=3) == "g-1"


@pytest.mark.rule("TAB-LGE-13")
@pytest.mark.parametrize(
    ("order", "up", "down", "wanted"),
    [
        ("de f", 1, 1, "f+1"),  # d and e tie over the border
        ("d ef", 1, 1, "d-1"),
        ("def", 3, 3, "d-1 e-1 f-1"),  # and who goes up does not go down
        ("d e f", 5, 5, "d-1 e-1 f-1"),  # there are fewer than go up
        ("d e f", 1, 5, "d-1 e+1 f+1"),
        ("d e f", 0, 0, ""),
    ],
)
def test_those_who_tie_over_the_border_stay(order: str, up: int, down: int, wanted: str) -> None:
    of = season(["abc", "def", "ghi"], [2], divisions=3, up=up, down=down)
    assert moved(of, finish(0, order), division=2) == wanted


@pytest.mark.rule("TAB-LGE-13")
@pytest.mark.parametrize(("counted", "down", "wanted"), [("ab", 2, "b+1 c+1"), ("a", 1, "b+1 c+1"), ("", 1, "")])
def test_who_has_no_result_goes_down_first(counted: str, down: int, wanted: str) -> None:
    assert moved(season(["abc", ""], [1], down=down), finish(0, "a b c", counted=counted)) == wanted
    assert moved(season(["abc", ""], [2], down=down), finish(0, "a b c"), division=1) == ""


# --- another program ---


def random_season(rng: Random) -> tuple[Season, list[Finish]]:
    """Return a season with all that makes tables hard: few points, ties, guests, absent players, cancellations."""
    letters = "abcdefghijkl"[: rng.randint(2, 12)]
    divisions = rng.randint(1, 3)
    members = ["".join(each for each in letters if rng.random() < 0.3) for _ in range(divisions)]
    members = [
        "".join(each for each in own if not any(each in earlier for earlier in members[:at]))
        for at, own in enumerate(members)
    ]
    given = sorted((rng.choice((0, 1, 2, 3, 5, 8)) for _ in range(rng.randint(1, 5))), reverse=True)
    of = season(
        members,
        [rng.randint(1, divisions) for _ in range(rng.randint(1, 6))],
        divisions=divisions,
        points=(given[0] or 1, *given[1:]),
        best=rng.randint(1, 4),
        up=rng.randint(0, 3) if divisions > 1 else 0,
        down=rng.randint(0, 3) if divisions > 1 else 0,
        tie_breaks=tuple(rng.sample(TIE_BREAKS, rng.randint(0, 5))),
    )
    penalties = tuple(Taken(PlayerId(rng.choice(letters)), rng.randint(1, 4), "") for _ in range(rng.randint(0, 2)))
    of = Season(1, of.regulations, of.members, of.tournaments, penalties)
    finishes = list[Finish]()
    for at in range(len(of.tournaments)):
        there = rng.sample(letters, rng.randint(1, len(letters)))
        order = "".join(each + rng.choice(("", " ", " ")) for each in there)
        counted = "".join(each for each in there if rng.random() < 0.85)
        finishes.append(finish(at, order, counted, rng.choice(("closed", "closed", "closed", "running", "cancelled"))))
    return of, finishes


def by_the_rules(of: Season, finishes: list[Finish], division: int) -> tuple[list[list[str]], dict[str, Any]]:
    """Return a table, groups of those who share a place, and the points: from TAB-LGE-08 to TAB-LGE-10 alone."""
    rules: Regulations = of.regulations
    held = [
        each
        for added, each in zip(of.tournaments, finishes, strict=True)
        if added.division == division and each.status != "cancelled"
    ]
    own = set(of.members[division - 1])
    elsewhere = {player for members in of.members for player in members} - own
    earned: dict[str, dict[int, tuple[int, bool, Fraction]]] = {player: {} for player in own}
    for number, each in enumerate(held):
        ahead = 0
        for group in each.order:
            share = Fraction(sum([*rules.points, *[0] * 100][ahead + more] for more in range(len(group))), len(group))
            for player in set(group) & each.counted:
                is_own = player in own or (division == rules.divisions and player not in elsewhere)
                if is_own:
                    earned.setdefault(player, {})[number] = (ahead, len(group) == 1, share)
            ahead += len(group)
    total = {
        player: sum(sorted((won[2] for won in results.values()), reverse=True)[: rules.best], Fraction(0))
        - sum(each.points for each in of.penalties if each.player == player)
        for player, results in earned.items()
    }

    def key(name: str, player: str, tied: list[str]) -> Any:
        results = earned[player]
        match name:
            case "played":
                return bool(results)
            case "points":
                return total[player]
            case "wins":
                return len([won for won in results.values() if won[:2] == (0, True)])
            case "places":
                return [len([won for won in results.values() if won[0] == place]) for place in range(40)]
            case "meetings":
                return sum(won[2] for at, won in results.items() if all(at in earned[other] for other in tied))
            case "all":
                return sum(won[2] for won in results.values())
            case _:
                return [results[at][2] if at in results else 0 for at in range(len(held) - 1, -1, -1)]

    groups = [sorted(earned)]
    for name in ("played", "points", *rules.tie_breaks):
        finer = list[list[str]]()
        for tied in groups:
            keys = {player: key(name, player, tied) for player in tied}
            distinct = [value for at, value in enumerate(keys.values()) if value not in list(keys.values())[:at]]
            finer += [[player for player in tied if keys[player] == best] for best in sorted(distinct, reverse=True)]
        groups = finer
    return [group for group in groups if group], total


@pytest.mark.rule("TAB-LGE-08", "TAB-LGE-09", "TAB-LGE-10")
def test_another_program_computes_the_same_tables_of_200_random_seasons() -> None:
    rng, lines_seen, ties = Random(32), 0, 0
    for _ in range(200):
        of, finishes = random_season(rng)
        for division in range(1, of.regulations.divisions + 1):
            lines = table(of, *finishes, division=division)
            groups, total = by_the_rules(of, finishes, division)
            found = [
                [line.player for line in lines if line.place == place]
                for place in dict.fromkeys(line.place for line in lines)
            ]
            assert found == groups
            assert points(lines) == total
            lines_seen += len(lines)
            ties += sum(len(group) > 1 for group in groups)
    assert lines_seen > 1_000
    assert ties > 50
