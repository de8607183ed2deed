"""The export of a tournament, and what its verification finds."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from functools import cache, partial
from operator import itemgetter
from random import Random
from typing import Any

import msgspec
import pytest

from domain.kernel.ids import PlayerId, TournamentId
from domain.kernel.proof import reading
from domain.kernel.proof.export import export as game_export
from domain.kernel.rules.ruleset import Library
from domain.tournament import directing, entering, results, rounds
from domain.tournament.departing import depart
from domain.tournament.draw import Draw
from domain.tournament.events import TOURNAMENT_EVENTS, TournamentCancelled
from domain.tournament.fold import read_event
from domain.tournament.outcome import outcome_of
from domain.tournament.proof import TournamentVerdict, export, is_export, verify
from domain.tournament.regulations import Swiss
from domain.tournament.standings import standings
from tests.helpers.forger import Line, forged, rows_of
from tests.helpers.play import Play, player_of
from tests.helpers.sampling import sampled
from tests.helpers.tournaments import DIRECTOR, ORGANIZER, Club, player
from tests.tiny.auction import ROOM, SEATS, TinyAuction

LIBRARY = Library([TinyAuction()])
RULESET = TinyAuction().id
TOURNAMENT = TournamentId("t-club")
MALLORY = PlayerId("mallory")
LATE = PlayerId("player-late")
TOURNAMENTS = 8
"""So many tournaments are forged, each in every way."""


def played(number: int = 0) -> Club:
    """Return a tournament in which everything happened that can. Each number has other players and lots."""
    club = Club(
        9 + number, seed=bytes([number] * 32), ruleset=RULESET, sizes=(3, 2), points=((60, 20), (60, 36, 12)), late=2
    )
    club.act(directing.name_director, DIRECTOR)
    club.act(directing.name_director, player(1))
    club.act(directing.change, regulations_of(club, confirmed_after=12), (2, 3))
    club.act(directing.tell_all, "We begin at noon.")
    club.lots()
    club.draft()
    drawn = club.draft()
    swapped = Draw((drawn.tables[1], drawn.tables[0], *drawn.tables[2:]), drawn.byes)
    club.act(rounds.publish, 2, swapped, "Table 1 has the better light.", by=DIRECTOR)
    club.act(rounds.cancel_round, 1, "Fire alarm")
    club.publish()
    club.act(entering.enter, "Riga", by=LATE)
    club.act(entering.check_in, "late", by=LATE)
    table = next(each for each in club.round.tables if player(1) not in each.players)
    club.act(rounds.substitute, 2, table.number, table.players[0], LATE, "Ill")
    for each in club.round.tables:
        club.result(each.number, left=each.players[:1] if each is table else ())
    club.result(1, (club.round.tables[0].players,), how="ruled")
    club.act(results.confirm, 2, 1)
    club.wait(hours=13)
    for each in club.round.waiting:
        club.act(results.confirm, 2, each.number, by=None)
    club.act(results.overrule, 2, 2, (club.round.tables[1].players,), "Dice off the board.")
    club.act(directing.penalize, standings(club.field)[0].player, "points", 300, "Late")
    club.act(entering.withdraw, by=player(3))
    club.act(directing.drop, player(4), "Absent")
    club.act(directing.release_director, DIRECTOR)
    club.act(directing.pass_on, player(1))
    club.play()
    club.act(directing.close)
    return club


def regulations_of(club: Club, **changes: Any) -> Any:
    return msgspec.structs.replace(club.tournament.regulations, **changes)


@cache
def played_export(number: int) -> list[bytes]:
    club = played(number)
    return list(export(club.tournament, club.records))


@pytest.fixture
def sound() -> list[bytes]:
    return played_export(0)


def check(lines: list[bytes]) -> TournamentVerdict:
    return verify(lines, LIBRARY, {})


def test_an_export_verifies_and_says_what_it_takes_for_granted(sound: list[bytes]) -> None:
    verdict = check(sound)
    assert verdict.ok, verdict.problem
    assert is_export(sound[0])
    assert (verdict.tournament, verdict.status) == ("t-club", "closed")
    assert len(verdict.games) == 3 + 3
    assert any("exports are missing" in each for each in verdict.unproved)


def test_every_kind_of_event_is_decided_again(sound: list[bytes]) -> None:
    kinds = {row["event"]["type"] for row in rows_of([json.loads(line) for line in sound])}
    assert len(kinds) == len(TOURNAMENT_EVENTS) - 1
    assert TournamentCancelled in TOURNAMENT_EVENTS
    club = Club(4, ruleset=RULESET, sizes=(3,), points=((60, 36, 12),))
    club.act(directing.cancel, "Flood")
    assert check(list(export(club.tournament, club.records))).ok


def test_a_departure_is_proved() -> None:
    club = Club(4, ruleset=RULESET, sizes=(3,), points=((60, 36, 12),))
    club.act(directing.name_director, DIRECTOR)
    club.act(entering.enter, None)
    for by in (ORGANIZER, DIRECTOR):
        club.act(partial(depart, able={DIRECTOR}), by=by)
    verdict = check(list(export(club.tournament, club.records)))
    assert (verdict.ok, verdict.status) == (True, "cancelled"), verdict


def test_every_event_tells_itself(sound: list[bytes]) -> None:
    club = played()
    said = [read_event(record).tell(lambda each: each.title()) for record in club.records]
    assert all(re.fullmatch(r"[A-Z].*\.|Late|Ill|Absent|Fire alarm|.*: [A-Z][A-Za-z ]+", each) for each in said), said
    assert "Player-001 directs the tournament, too." in said
    assert "Player-002 checked in for round 1." in said
    assert said[-1].startswith("The tournament was closed. ")


@pytest.mark.rule("TAB-TRN-13")
def test_who_gets_the_points_of_substitutes_is_proved() -> None:
    club = Club(4, ruleset=RULESET, sizes=(3,), points=((60, 36, 12),), bye=30, stages=(Swiss(1),))
    club.act(directing.change, regulations_of(club, points_of_substitutes="replaced"), (2, 3))
    bye, out = club.publish().byes[0], club.round.tables[0].players[0]
    club.act(rounds.substitute, 1, 1, out, bye, "Ill")
    club.result(1)
    club.act(results.confirm, 1, 1)
    assert club.act(directing.close).order[0] == (out,)
    lines = list(export(club.tournament, club.records))
    assert check(lines).ok
    other = forged(lines, changed("regulations-changed", lambda e: e["regulations"].pop("points_of_substitutes")))
    assert "is not what follows" in check(other).problem


def test_regulations_without_the_field_are_stored_as_they_were(sound: list[bytes]) -> None:
    assert b"points_of_substitutes" not in b"".join(sound)


# --- forgeries ---


def row(lines: list[Line], kind: str, number: int = 0) -> Line:
    return [each for each in rows_of(lines) if each["event"]["type"] == kind][number]


def changed(kind: str, change: Callable[[Line], object], number: int = 0) -> Callable[[list[Line]], object]:
    """Return a forgery: an event of a kind changed."""
    return lambda lines: change(row(lines, kind, number)["event"])


def caused(kind: str, number: int = 0, **cause: Any) -> Callable[[list[Line]], object]:
    """Return a forgery: an event of a kind in another's name."""
    return lambda lines: row(lines, kind, number).update(cause=cause)


def without(kind: str, number: int = 0) -> Callable[[list[Line]], object]:
    return lambda lines: lines.remove(row(lines, kind, number))


def again(kind: str, number: int = 0) -> Callable[[list[Line]], object]:
    def change(lines: list[Line]) -> None:
        found = row(lines, kind, number)
        lines.insert(lines.index(found) + 1, found | {})

    return change


def swap(items: list[Any], one: int = 0, other: int = -1) -> None:
    items[one], items[other] = items[other], items[one]


def swap_players(event: Line) -> None:
    """Seat a friend at another table."""
    tables = event["drawn"]["tables"]
    tables[0][0], tables[1][0] = tables[1][0], tables[0][0]


FORGERIES: dict[str, tuple[Callable[[list[Line]], object], str]] = {
    "an entry by somebody else": (caused("player-entered", player=MALLORY), "in the name of mallory"),
    "a check-in by somebody else": (caused("player-checked-in", player=MALLORY), "in the name of mallory"),
    "an entropy changed": (changed("player-checked-in", lambda e: e.update(entropy="mine")), "is not what follows"),
    "a check-in left out": (without("player-checked-in"), "is not what follows"),
    "an entry left out": (without("player-entered"), "has not entered"),
    "an entry twice": (again("player-entered"), "entered already"),
    "a secret changed": (changed("lots-drawn", lambda e: e.update(secret="ab" * 32)), "does not follow from the"),
    "a commitment changed": (
        changed("tournament-announced", lambda e: e.update(commitment="ab" * 32)),
        "does not follow from the commitment",
    ),
    "a lot changed": (changed("lots-drawn", lambda e: swap(e["present"])), "is not what follows"),
    "a player without a lot": (changed("lots-drawn", lambda e: e["present"].pop()), "is not what follows"),
    "lots by a player": (caused("lots-drawn", player=str(player(5))), "do not direct"),
    "lots by nobody": (caused("lots-drawn", by="house"), "nothing that the service does by itself"),
    "a draft hidden": (without("round-drafted"), "is not what follows"),
    "the published draft hidden": (without("round-drafted", 1), "has no draft 2"),
    "a draft cheaper than it is": (
        changed("round-drafted", lambda e: e["cost"].update(dict.fromkeys(e["cost"], 0) | {"lots": -1})),
        "is not what follows",
    ),
    "a draft without a player": (changed("round-drafted", lambda e: e["drawn"]["tables"].pop()), "TAB-TRN-09"),
    "a table of friends": (changed("round-published", swap_players, 1), "is not what follows"),
    "a table of friends with its reason left out": (
        changed("round-published", lambda e: e.pop("reason")),
        "is not what follows",
    ),
    "a publication of no draft": (changed("round-published", lambda e: e.update(draft=9)), "has no draft 9"),
    "a publication by a player": (caused("round-published", player=str(player(5))), "do not direct"),
    "a game twice": (
        changed("table-opened", lambda e: e.update(game="g-2-2")),
        "is played at another table",
    ),
    "a substitute who plays elsewhere": (
        changed("substitute-seated", lambda e: e.update(to=str(player(1)))),
        "has a table in this round",
    ),
    "a result with its first and its last exchanged": (
        changed("result-taken", lambda e: swap(e["order"]), -1),
        "is not what follows",
    ),
    "a result with a player twice": (changed("result-taken", lambda e: e["order"].append(e["order"][0])), "TAB-TRN-14"),
    "a result left out": (without("result-taken", -1), "has no result"),
    "a result confirmed early": (
        lambda lines: row(lines, "result-confirmed", 1).update(at=row(lines, "result-confirmed")["at"]),
        "12 hours after it was taken",
    ),
    "a confirmation by a player": (caused("result-confirmed", player=str(player(5))), "do not direct"),
    "a last round that counts by itself": (caused("result-confirmed", -1, by="house"), "when a director confirms"),
    "a director at their own table": (
        changed("result-overruled", lambda e: e.update(order=[["nobody"]])),
        "not one of the table",
    ),
    "an overruling by the service": (caused("result-overruled", by="house"), "nothing that the service does"),
    "a passing on by a director": (caused("tournament-passed-on", player=str(player(1))), "do not organize"),
    "a passing on to a player": (
        changed("tournament-passed-on", lambda e: e.update(player=str(player(2)))),
        "is no other director",
    ),
    "a penalty by a player": (caused("penalty-given", player=str(player(5))), "do not direct"),
    "a penalty larger than there are": (changed("penalty-given", lambda e: e.update(points=1_001)), "TAB-TRN-17"),
    "a penalty left out": (without("penalty-given"), "is not what follows"),
    "a withdrawal left out": (without("player-withdrew"), "is not what follows"),
    "a drop by the player": (caused("player-dropped", player=str(player(4))), "do not direct"),
    "points changed after the first round": (
        lambda lines: lines.insert(
            lines.index(row(lines, "result-overruled")),
            row(lines, "regulations-changed") | {"at": row(lines, "result-overruled")["at"], "event": _generous(lines)},
        ),
        "has been published",
    ),
    "a closing order changed": (changed("tournament-closed", lambda e: swap(e["order"])), "is not what follows"),
    "a first place that is shared": (
        changed("tournament-closed", lambda e: e["order"].insert(0, e["order"].pop(0) + e["order"].pop(0))),
        "is not what follows",
    ),
    "a closing left out": (without("tournament-closed"), "says that the tournament is closed"),
    "a second announcement": (again("tournament-announced"), "a second time"),
    "another organizer": (caused("tournament-announced", player=MALLORY), "do not organize"),
}


def _generous(lines: list[Line]) -> Line:
    event = row(lines, "regulations-changed")["event"]
    return event | {"regulations": event["regulations"] | {"bye": 60}}


FORGED = [(name, number) for name in FORGERIES for number in range(TOURNAMENTS)]


@pytest.mark.parametrize(("name", "number"), sampled("forged tournaments", FORGED, 1, by=itemgetter(0)))
def test_forgeries_are_named_though_the_chain_is_made_good(name: str, number: int) -> None:
    change, said = FORGERIES[name]
    verdict = check(forged(played_export(number), change))
    assert not verdict.ok
    assert said in verdict.problem


def test_a_line_that_is_cut_off_or_doubled_is_named(sound: list[bytes]) -> None:
    assert "cut off" in check(sound[:-1]).problem
    assert "Expected version 3, found version 2" in check([*sound[:3], sound[2], *sound[3:]]).problem
    assert "not 'tabularium-tournament/1'" in check([sound[0].replace(b"ment/1", b"ment/2"), *sound[1:]]).problem


# --- with the games ---


def played_out(seed: int = 1) -> Play:
    """Return a game of three seats that came to its end."""
    play, rng = Play(TinyAuction(), ROOM, 3, seed, tournament=TOURNAMENT), Random(seed)
    while play.game.status != "over":
        play.step(rng)
    return play


def with_table(play: Play) -> Club:
    """Return a tournament of one table, where a game is played."""
    club = Club(ruleset=RULESET, sizes=(3,), points=((60, 36, 12),), stages=(Swiss(1),))
    for seat in play.game.players:
        club.act(entering.enter, None, by=player_of(seat))
        club.act(entering.check_in, "", by=player_of(seat))
    club.lots()
    club.draft()
    club.act(rounds.publish, 1, None, None)
    club.act(rounds.open_table, 1, 1, play.game.id, by=None)
    return club


def of_one_table(play: Play, **taken: Any) -> Club:
    """Return a tournament of one table, which took the result of a game, or what is given instead."""
    club = with_table(play)
    found = outcome_of(play.game, play.records, club.round.tables[0])
    assert found is not None
    told = msgspec.structs.asdict(found) | taken
    club.act(results.take_result, 1, 1, *told.values(), by=None)
    club.act(results.confirm, 1, 1)
    return club


def with_game(club: Club, play: Play) -> TournamentVerdict:
    game = reading.read(list(game_export(play.game, play.records, play.vault)))
    return verify(export(club.tournament, club.records), Library([play.ruleset]), {game.game: game})


@pytest.mark.rule("TAB-TRN-14")
def test_results_are_compared_with_their_games() -> None:
    play = played_out()
    verdict = with_game(of_one_table(play), play)
    assert verdict.ok, verdict.problem
    assert "1 results are those of their games." in verdict.proved
    assert not any("exports are missing" in each for each in verdict.unproved)


@pytest.mark.rule("TAB-TRN-14")
@pytest.mark.parametrize(
    ("taken", "said"),
    [
        ({"hash": "ab" * 32}, "with a hash that the game does not have there"),
        ({"version": 10_000}, "with a hash that the game does not have there"),
        ({"how": "agreed"}, "which ended otherwise"),
        ({"rule": "TAB-END-01"}, "which ended otherwise"),
        ({"left": (player_of(SEATS[0]),)}, "which ended otherwise"),
        ({"order": (tuple(player_of(seat) for seat in SEATS[:3]),)}, "which ended otherwise"),
    ],
)
def test_a_result_that_its_game_does_not_have_is_named(taken: dict[str, Any], said: str) -> None:
    play = played_out()
    verdict = with_game(of_one_table(play, **taken), play)
    assert not verdict.ok
    assert said in verdict.problem


@pytest.mark.rule("TAB-TRN-14", "TAB-RUL-09")
def test_a_ruling_after_the_end_is_for_its_case_to_prove() -> None:
    play = played_out()
    ruled = {"order": (tuple(player_of(seat) for seat in SEATS[:3]),), "how": "ruled", "rule": "TAB-RUL-09"}
    verdict = with_game(of_one_table(play, **ruled), play)
    assert verdict.ok, verdict.problem
    assert f"The rulings on {play.game.id}: verify the exports of their cases." in verdict.unproved
    assert not any("are those of their games" in each for each in verdict.proved)
    assert not with_game(of_one_table(play, **ruled, left=(player_of(SEATS[0]),)), play).ok


@pytest.mark.rule("TAB-TRN-14")
def test_the_game_of_a_table_was_played_by_its_players() -> None:
    play, other = played_out(), played_out(2)
    club = of_one_table(play)
    game = reading.read(list(game_export(other.game, other.records, other.vault)))
    export_of_other = msgspec.structs.replace(game, game=play.game.id)
    verdict = verify(export(club.tournament, club.records), LIBRARY, {play.game.id: export_of_other})
    assert not verdict.ok


@pytest.mark.rule("TAB-TRN-12", "TAB-SEAT-10")
def test_a_game_of_no_tournament_has_no_result_for_one() -> None:
    play = Play(TinyAuction(), ROOM, 3).run(Random(1))
    assert with_game(of_one_table(play), play).problem.endswith("which is no game of this tournament.")


@pytest.mark.rule("TAB-TRN-11")
def test_a_round_that_was_played_cannot_have_been_cancelled() -> None:
    play = Play(TinyAuction(), ROOM, 3, tournament=TOURNAMENT)
    club = with_table(play)
    play.step(Random(1))
    club.act(rounds.cancel_round, 1, "Fire alarm")
    assert with_game(club, play).problem.endswith(f"cancels round 1, in which {play.game.id} was being played.")


@pytest.mark.rule("TAB-TRN-11")
@pytest.mark.parametrize(("earlier", "is_honest"), [(-60, True), (0, True), (9, True), (11, False)])
def test_only_a_command_well_before_the_cancellation_of_its_round_was_given_before_it(
    earlier: int, is_honest: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command is stamped before it is stored: it may be on its way when the service looks whether there is one."""
    play = Play(TinyAuction(), ROOM, 3, tournament=TOURNAMENT)
    club = with_table(play)
    at = (club.now - timedelta(seconds=earlier)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    club.act(rounds.cancel_round, 1, "Fire alarm")
    monkeypatch.setattr(Play, "now", at)
    play.step(Random(1))
    assert with_game(club, play).ok is is_honest


@pytest.mark.rule("TAB-TRN-11", "TAB-TRN-19")
@pytest.mark.parametrize("cancel", [(rounds.cancel_round, 1, "Fire alarm"), (directing.cancel, "Flood")])
def test_games_are_cancelled_for_a_tournament_with_their_round_or_with_all(cancel: tuple[Any, ...]) -> None:
    play = Play(TinyAuction(), ROOM, 3, start=False, tournament=TOURNAMENT)
    club = with_table(play)
    going_on = club.tournament
    assert with_game(club, play).ok
    club.act(*cancel)
    waits = f"That {play.game.id} will not be played, of what was cancelled: verify later exports."
    assert waits in with_game(club, play).unproved
    play.cancel(tournament=TOURNAMENT)
    verdict = with_game(club, play)
    assert (verdict.ok, waits in verdict.unproved) == (True, False), verdict
    club.tournament, club.records = going_on, club.records[:-1]
    assert "was cancelled for the tournament, but neither" in with_game(club, play).problem
