"""A service that does not answer a follower: no lie, until it lasts too long."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from domain.transparency.policy import Policy
from domain.transparency.proof import read_proof
from service.base.clock import written
from service.transparency.follower import GIVE_UP, Follower, Report
from service.transparency.keys import check
from service.transparency.memory import LOG
from service.transparency.pages import Page, Unreachable
from service.transparency.site import HttpSite
from tests.service.transparency.shown import Shown
from tests.service.transparency.test_follower import _never, changes_an_entry_and_goes_on, cuts_and_signs_again


def test_a_service_that_is_behind_is_asked_again(shown: Shown, policy: Policy, tmp_path: Path) -> None:
    pauses: list[float] = []
    late = shown.games["g30"].pop()

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        shown.games["g30"].append(late)

    follower = Follower(shown, policy, tmp_path, check, pause=pause)
    shown.statuses["g30"] = "over"
    assert follower.look().ok
    assert pauses == [1.0]
    follower.close()


NO_ANSWERS = (
    Page(500, b""),
    Page(403, b"{}"),
    Page(301, b""),
    Page(200, b"<html>"),
    Page(200, b"\xff"),
    Page(200, b'{"version": ' + b"[" * 5000),
)


@pytest.fixture
def times() -> list[datetime]:
    """Turns of a clock that stands still until it is set."""
    return [datetime(2026, 11, 28, 6, tzinfo=UTC)]


@pytest.fixture
def patient(shown: Shown, policy: Policy, tmp_path: Path, times: list[datetime]) -> Iterator[Follower]:
    """A follower of the service that knows these times, and is patient for a minute."""
    found = Follower(
        shown, policy, tmp_path, check, patience=60, pause=lambda seconds: None, now=lambda: written(times[-1])
    )
    yield found
    found.close()


def silences(shown: Shown, *hidden: str, page: Page = NO_ANSWERS[0]) -> Callable[[], None]:
    """Let the service answer no path that has one of these in it. What is returned ends that."""
    get = shown.get
    shown.get = lambda path: page if any(each in path for each in hidden) else get(path)

    def ends() -> None:
        shown.get = get

    return ends


@pytest.mark.parametrize("page", NO_ANSWERS, ids=lambda page: f"{page.status}-{page.body[:6]!r}")
def test_an_error_is_no_lie_and_hides_none_until_it_lasts_too_long(
    patient: Follower, shown: Shown, times: list[datetime], page: Page
) -> None:
    patient.look()
    ends = silences(shown, "games/g30", page=page)
    removes_another = shown.games.pop("g77")
    report = patient.look()
    assert ["version 3 of game g77" in found.message for found in report.findings] == [True]
    assert [(each.stream, each.since) for each in report.unanswered] == [("g30", written(times[0]))]
    shown.games["g77"] = removes_another
    times.append(times[0] + timedelta(seconds=59))
    assert patient.look(recheck=0).ok, "it is asked again, whatever is looked at again"
    times.append(times[0] + timedelta(seconds=60))
    (found,) = patient.look(recheck=0).findings
    assert (found.kind, found.stream) == ("unanswered", "g30")
    assert f"no answer that shows game g30 since {written(times[0])}" in found.message
    assert patient.look(recheck=0).evidence == patient.look(recheck=0).evidence
    ends()
    assert (patient.look(recheck=0).ok, patient.look(recheck=0).streams) == (True, 0)


@pytest.mark.parametrize("hidden", ["checkpoint", "tile/entries"])
def test_a_log_that_is_not_answered_for_hides_no_stream_and_is_a_finding_when_it_lasts_too_long(
    patient: Follower, shown: Shown, times: list[datetime], hidden: str
) -> None:
    patient.look()
    shown.go_on("g9")
    del shown.games["g31"]
    ends = silences(shown, hidden)
    report = patient.look()
    assert ["game g31" in found.message for found in report.findings] == [True]
    assert (report.entries, [each.stream for each in report.unanswered]) == (0, [LOG])
    times.append(times[0] + timedelta(hours=1))
    assert "shows its log since" in patient.look(recheck=0).findings[0].message
    ends()
    report = patient.look(recheck=0)
    assert (report.ok, report.entries, report.unanswered) == (True, 1, ())


def test_what_was_signed_before_an_error_is_looked_at_after_it(patient: Follower, shown: Shown) -> None:
    patient.look()
    ends = silences(shown, "games/g31")
    shown.go_on("g31")
    shown.rehash("g31", 4)
    assert patient.look(recheck=0).ok
    for _ in range(3):
        shown.go_on("g31")
    assert patient.look(recheck=0).ok
    ends()
    (found,) = patient.look(recheck=0).findings
    assert "signed version 4 of game g31 with the hash" in found.message


def test_a_contradiction_is_found_though_the_service_answers_for_nothing_else(patient: Follower, shown: Shown) -> None:
    patient.look()
    cuts_and_signs_again(shown)
    silences(shown, "games/g31", "tile/0", "tile/1")
    report = patient.look(recheck=0)
    assert ["has version 3 of game g31, and after it version 3" in found.message for found in report.findings] == [True]
    proofs = [read_proof(file.read_text()) for file in Path(report.evidence[0]).glob("*.tlog-proof")]
    assert [proof.proves(proof.extra or b"") for proof in proofs] == [True, True]


def test_history_that_was_rewritten_is_found_though_its_hashes_are_not_shown(patient: Follower, shown: Shown) -> None:
    patient.look()
    changes_an_entry_and_goes_on(shown)
    silences(shown, "tile/0", "tile/1")
    assert [found.kind for found in patient.look().findings] == ["wrong-entries"]


def test_a_service_that_is_away_is_not_asked_for_every_stream_and_nothing_is_forgotten(
    patient: Follower, shown: Shown
) -> None:
    patient.look()
    for game in ("g1", "g2", "g3", "g4", "g5", "g6", "g7"):
        shown.go_on(game)
    ends = silences(shown, "/v1/")
    report = patient.look()
    assert report.streams == 0
    assert GIVE_UP <= len(report.unanswered) <= GIVE_UP + 7
    assert {"g1", "g2", "g3", "g4", "g5", "g6", "g7"} <= {each.stream for each in report.unanswered}
    ends()
    del shown.games["g5"]
    assert ["game g5" in found.message for found in patient.look(recheck=0).findings] == [True]


def test_evidence_is_kept_before_the_look_ends(patient: Follower, shown: Shown, tmp_path: Path) -> None:
    patient.look()
    del shown.games["g30"]
    get = shown.get

    def never_ends(path: str) -> Page:
        if list(tmp_path.glob("evidence/not-as-signed-*/shown.json")):
            raise KeyboardInterrupt
        return get(path)

    shown.get = never_ends
    with suppress(KeyboardInterrupt):
        assert "game g30" in patient.look().findings[-1].message, "it was the last one"
    assert [json.loads(file.read_bytes())["stream"] for file in tmp_path.glob("evidence/*/finding.json")] == ["g30"]


def test_what_was_seen_is_remembered_after_it_was_told(shown: Shown, policy: Policy, tmp_path: Path) -> None:
    def killed(report: Report) -> None:
        raise KeyboardInterrupt

    first = Follower(shown, policy, tmp_path, check, pause=lambda seconds: None)
    first.look()
    first.close()
    cuts_and_signs_again(shown)
    for tell in (killed, lambda report: None):
        follower = Follower(shown, policy, tmp_path, check, tell=tell, pause=lambda seconds: None)
        with suppress(KeyboardInterrupt):
            assert "after it version 3" in follower.look(recheck=0).findings[0].message
        follower.close()


def test_the_memory_of_an_older_follower_goes_on(
    follower: Follower, shown: Shown, policy: Policy, tmp_path: Path
) -> None:
    follower.look()
    follower.close()
    with closing(sqlite3.connect(tmp_path / "followed.db")) as memory:
        memory.executescript("DROP TABLE streams; DROP TABLE unanswered;")
    again = Follower(shown, policy, tmp_path, check, pause=_never)
    assert [again.look(recheck=150).streams for _ in range(2)] == [150, 150]
    again.close()


@pytest.mark.parametrize("version", [[], {}, True, -1, 10**400, "3", None])
def test_what_makes_no_sense_is_found_and_ends_nothing(follower: Follower, shown: Shown, version: object) -> None:
    follower.look()
    shown.games["g30"][-1]["version"] = version
    assert ["version 4 of game g30" in found.message for found in follower.look().findings] == [True]


def test_a_service_that_names_a_time_to_retry_is_asked_then() -> None:
    answers = iter([(429, "7"), (503, "soon"), (200, "")])
    waits: list[float] = []

    def answer(request: httpx.Request) -> httpx.Response:
        status, wait = next(answers)
        return httpx.Response(status, headers={"Retry-After": wait}, content=request.url.path.encode())

    with HttpSite("http://x/", httpx.AsyncClient(transport=httpx.MockTransport(answer)), waits.append) as site:
        assert site.get("/there") == Page(200, b"/there")
        assert waits == [7.0, 1.0]
    with HttpSite("http://127.0.0.1:1") as site, pytest.raises(Unreachable, match="cannot be reached"):
        site.get("/")


def test_a_page_that_does_not_end_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def drips() -> AsyncIterator[bytes]:
        while True:
            await asyncio.sleep(0.01)
            yield b"?" * 1000

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=drips())

    for bound, limit, said in (
        ("LONGEST_DOWNLOAD", 0.1, "has not answered for"),
        ("LARGEST_PAGE", 5000, "more than 5000 bytes"),
    ):
        with monkeypatch.context() as patch, HttpSite("http://x", _client(answer)) as site:
            patch.setattr(f"service.transparency.site.{bound}", limit)
            with pytest.raises(Unreachable, match=said):
                site.get("/")


def test_a_service_that_always_asks_to_retry_is_waited_for_a_minute() -> None:
    waits: list[float] = []
    with HttpSite(
        "http://x", _client(lambda _: httpx.Response(503, headers={"Retry-After": "40"})), waits.append
    ) as site:
        assert site.get("/").status == 503
    assert waits == [40.0]


def _client(answer: Callable[[httpx.Request], httpx.Response]) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.MockTransport(answer))
