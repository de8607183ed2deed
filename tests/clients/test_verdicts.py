"""Both packages say of every export the same, and what the browser says: all that needs no rules."""

import contextlib
import re
from collections.abc import Iterable
from random import Random
from typing import Final

import pytest
from tabularium_client.proof import origin

from domain.kernel.ids import Seat, TournamentId
from domain.kernel.log import officials
from domain.kernel.log.record import Cause
from domain.kernel.proof.origin import AROUND_THE_TABLE
from domain.kernel.rules.message import type_name
from domain.kernel.rules.refusal import Refusal
from tests.clients.packed import PACKAGES, Speaker
from tests.domain.judging import test_proof as cases
from tests.domain.kernel.log import test_assigned as assigned
from tests.domain.kernel.log import test_clock_proofs as clocks
from tests.domain.kernel.log import test_ends as ends
from tests.domain.kernel.log import test_forks as forks
from tests.domain.kernel.log import test_seat_proofs as seats
from tests.domain.kernel.log.test_aside import BLUE, gift, undone
from tests.domain.kernel.log.test_aside import forged as gift_forged
from tests.forgeries.every import FORGERIES, UNDETECTABLE
from tests.forgeries.games import GAMES
from tests.helpers.forger import Line, forged, forged_in_parts, lines_of, rows_of, whole
from tests.helpers.judging import JUDGE, Court
from tests.helpers.play import CASE, Play, player_of
from tests.tiny.auction import ROOM, TinyAuction
from tests.viewer.test_proofs import CONTINUATION_FORGERIES, FORK_FORGERIES

Packages = dict[str, Speaker]
READ: Final = ("versions", "head", "ruleset", "commitment")
"""How far a log was read that is refused, is up to each package."""


def said(packages: Packages, export: Iterable[bytes], played: Iterable[bytes] | None = None) -> str:
    """Return what is wrong with an export, "" if nothing is, in the words of both packages."""
    asked = {"text": b"".join(export).decode(), "played": played and b"".join(played).decode()}
    python, typescript = (packages[language].ask("verify", ruleset=None, **asked) for language in PACKAGES)
    if (python["problem"] or "").startswith("This cannot be read: "):
        assert typescript["problem"].startswith("This cannot be read: ")
        return "This cannot be read"
    passed_over = () if python["ok"] else READ
    for name in python.keys() - passed_over:
        assert python[name] == typescript.get(name), name
    assert python["ok"] == (python["problem"] is None)
    return python["problem"] or ""


def test_every_forgery_is_named_that_the_browser_names(packages: Packages) -> None:
    for forgery in FORGERIES:
        problem = said(packages, forgery.export())
        expected = "^$" if forgery.page is None else forgery.page or forgery.said
        assert re.search(expected, problem), (forgery.name, problem)
        assert bool(problem) == (forgery.page is not None), forgery.name
    assert sum(forgery.page is not None for forgery in FORGERIES) >= 158


def test_honest_exports_and_what_no_export_can_show_verify(packages: Packages) -> None:
    for export in (*(GAMES[game]() for game in GAMES), *(forgery.export() for forgery in UNDETECTABLE)):
        assert said(packages, export) == ""
    tournament = Play(TinyAuction(), ROOM, 3, tournament=TournamentId("t4xq2m7ahbk3oxw7c")).run(Random(1))
    assert said(packages, tournament.export()) == ""


def test_python_has_the_table_of_who_may_cause_which_event() -> None:
    for event, right in AROUND_THE_TABLE.items():
        found = origin.AROUND_THE_TABLE[type_name(event)]
        assert (found.act, found.by, found.seat, found.command) == (right.act, right.by, right.seat, right.command)
        assert (found.on_case, found.in_tournament) == (right.case, right.tournament)
        assert (found.stays, found.in_pause) == (event.stays, event.in_pause)
    assert len(origin.AROUND_THE_TABLE) == len(AROUND_THE_TABLE)


def test_who_changes_seats_is_checked(packages: Packages) -> None:
    for play in (*map(seats.random_game, range(4)), seats.resigned_of_two(), seats.handed_over(), seats.taken_back()):
        assert said(packages, play.export()) == ""
    for forge in seats.FORGERIES:
        # When the house has to answer, only the rules say.
        assert bool(said(packages, forged(seats.handed_over().export(), forge))) == (forge is not seats.not_answered)
    for forge, problem in (
        (seats.taken_back_by_another, "seats player-blue, who holds a seat"),
        (seats.taken_back_after_resigning, "takes back red, which has resigned"),
        (seats.given_back, "takes back red, which its clock did not leave open"),
    ):
        assert problem in said(packages, forged(seats.taken_back().export(), forge))


def test_who_assigns_seats_is_checked(packages: Packages) -> None:
    for play in (assigned.begun(), assigned.whole_game()):
        assert said(packages, play.export()) == ""
    for forge in assigned.FORGERIES:
        assert said(packages, forged(assigned.begun().export(), forge))


def test_what_the_clock_does_is_checked(packages: Packages) -> None:
    for play in map(clocks.random_game, range(4)):
        assert said(packages, play.export()) == ""
    found = set[str]()
    for number, forge in enumerate(clocks.FORGERIES):
        with contextlib.suppress(IndexError):  # A game without such an event.
            changed = forged(clocks.random_game(number).export(), lambda lines: forge(lines, Random(number)))  # noqa: B023
            found.add(said(packages, changed)[:10])
    assert len(found) > 1


def test_ends_that_no_rule_book_provides_are_checked(packages: Packages) -> None:
    for play in (*map(ends.random_game, range(3)), ends.agreed(), ends.agreed_after_a_resignation(), ends.abandoned()):
        assert said(packages, play.export()) == ""
    for game, forge in (
        *((ends.agreed, each) for each in (ends.asks_less, ends.answers_for_another, ends.wins, ends.turned_down)),
        *((ends.abandoned, each) for each in (ends.too_early, ends.by_a_player, ends.since_earlier, ends.wins)),
    ):
        assert said(packages, forged(game().export(), forge))


def test_what_an_undo_gives_again_must_follow_it(packages: Packages) -> None:
    assert said(packages, undone().export()) == ""
    problem = "is not the command that the undo before it gives again"
    assert problem in said(packages, gift_forged(forget=False, instead=gift(BLUE)).export())


def test_a_fork_is_checked_with_its_past(packages: Packages) -> None:
    parent = forks.over()
    analysis = parent.fork(forks.middle(parent)).run(Random(3))
    continuation = parent.fork(forks.middle(parent), "continuation", player_of(Seat("red")))
    continuation.sit(Seat("red"), player_of(Seat("red")), "more entropy")
    continuation.take(officials.rule_start(continuation.game, Cause(JUDGE, case=CASE), continuation.now))
    continuation.run(Random(3))
    for fork, forgeries in ((analysis, FORK_FORGERIES), (continuation, CONTINUATION_FORGERIES)):
        assert said(packages, fork.export()) == ""
        for change, problem in forgeries:
            assert re.search(problem, said(packages, forged_in_parts(fork.export(), change)))
        lines = lines_of(fork.export())
        lines[3]["at"] = lines[3]["at"].replace("T00", "T01")
        assert "In the past of the fork, game-1: " in said(packages, whole(lines))
    waits = forged_in_parts(analysis.export(), lambda lines: forks.past_of(lines).pop("secret"))
    assert said(packages, waits) == ""


@pytest.mark.parametrize("seed", range(3))
def test_whatever_happens_in_a_case_is_possible(packages: Packages, seed: int) -> None:
    rng = Random(seed)
    court = Court(Play(TinyAuction(), ROOM, 3, seed))
    court.open(rng.choice([player_of(Seat("red")), JUDGE]), "slip", 5)
    for _ in range(40):
        with contextlib.suppress(Refusal):
            cases.act_at_random(court, rng)
    for played in (None, court.play.export()):
        assert said(packages, court.export(), played) == ""


def test_a_case_is_checked_with_its_game(packages: Packages) -> None:
    court = cases.played()
    assert said(packages, court.export(), court.play.export()) == ""
    court = Court(Play(TinyAuction(), ROOM, 3))
    court.open(player_of(Seat("red")), "move", 5, cited=["TA-PUT-01"])
    court.answer(player_of(Seat("blue")))
    court.rule(JUDGE, "pause")
    game = list(court.play.export())
    for change, problem in (
        (cases.changing(1, hash="00" * 32), "with another hash than it has"),
        (cases.changing(2, player="somebody"), "who does not hold blue"),
        (cases.changing(3, player="somebody"), "who is no official of the game"),
        (cases.changing(3, version=3), "names an earlier version"),
        (cases.changing(3, reason="Another one."), "is not what the ruling on version"),
        (cases.changing(3, decision="stands"), "names this case, which did not order it"),
        (cases.changing(3, cited=[]), "cites no rule"),
        (cases.changing(1, kind="result"), "disputes the result of a game that is not over"),
    ):
        assert problem in said(packages, cases.forged(court, change), game)
    court.play.rule_resume(Cause(JUDGE, case=court.id))
    assert "which did not order it" in said(packages, court.export(), court.play.export())
    assert "is about game game-1, not about game-2" in said(
        packages, court.export(), Play(TinyAuction(), ROOM, 3, 2).export()
    )


@pytest.mark.parametrize("sealed", [None, [], "", {}])
def test_a_sealed_command_has_a_commitment(packages: Packages, sealed: object) -> None:
    def change(lines: list[Line]) -> None:
        cause = next(row["cause"] for row in rows_of(lines) if "sealed" in row.get("cause", {}).get("command", {}))
        cause["command"]["sealed"] = sealed

    export = b"".join(forged(GAMES["running"](), change)).decode()
    for package in packages.values():
        assert not package.ask("verify", text=export, ruleset=None)["ok"]


def test_true_is_no_number(packages: Packages) -> None:
    """Python takes them for the same."""
    honest = GAMES["gathering"]()
    changed = forged(honest, lambda lines: None, lambda lines: rows_of(lines)[0].update(version=True))
    assert "expected version 1, found version" in said_alike(packages, changed)
    changed = forged(honest, lambda lines: None, lambda lines: lines[-1]["end"].update(secrets=False))
    assert "the last line has secrets" in said_alike(packages, changed)


def said_alike(packages: Packages, export: list[bytes]) -> str:
    """Return what is wrong in the words of one package, where the other writes a value in another way."""
    asked = {"text": b"".join(export).decode(), "ruleset": None, "played": None}
    python, typescript = (packages[language].ask("verify", **asked)["problem"] for language in PACKAGES)
    assert python is not None
    assert python.casefold() == typescript.casefold()
    return python[0].lower() + python[1:]
