"""The follower: an honest service never alarms it, and whatever is told otherwise than it was signed does."""

import asyncio
import json
import random
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from domain.transparency.note import read_note
from domain.transparency.policy import Policy, read_policy
from domain.transparency.proof import read_proof
from service.base.clock import written
from service.transparency.follower import GIVE_UP, Follower, Report
from service.transparency.keys import check, new_key, read_log_key
from service.transparency.memory import LOG
from service.transparency.pages import Page, Unreachable
from service.transparency.site import HttpSite
from tests.service.transparency.logs import KEY
from tests.service.transparency.shown import Shown

OTHER = read_log_key(new_key(KEY.origin, lambda count: b"o" * count))


@pytest.fixture
def policy() -> Policy:
    return read_policy(f"log {KEY.signers[0].key}\nquorum none\n".encode())


@pytest.fixture
def shown() -> Shown:
    """A service with 300 games, of which some moved again."""
    site = Shown()
    for number in range(300):
        site.go_on(f"g{number}", events=3)
    for number in range(0, 300, 30):
        site.go_on(f"g{number}", status="over")
    return site


@pytest.fixture
def follower(shown: Shown, policy: Policy, tmp_path: Path) -> Iterator[Follower]:
    found = Follower(shown, policy, tmp_path, check, pause=lambda seconds: None)
    yield found
    found.close()


def test_an_honest_service_never_alarms(policy: Policy, tmp_path: Path) -> None:
    rng = random.Random(1)
    for number in range(20):
        site = Shown()
        directory = tmp_path / str(number)
        for look in range(4):
            for _ in range(rng.randrange(1, 60)):
                for _ in range(rng.randrange(1, 9)):
                    site.play(f"g{rng.randrange(40)}", rng.randrange(1, 4))
                moved = [game for game, rows in site.games.items() if len(rows) > site.logged.get(game, 0)]
                site.log(*rng.sample(moved, rng.randrange(len(moved) + 1)))
            site.go_on("g0")
            follower = Follower(site, policy, directory, check, pause=_never)
            report = follower.look()
            follower.close()
            assert report.found == (), look
            assert report.size == len(site.entries)
        assert not (directory / "evidence").exists()


def _never(seconds: float) -> None:
    raise AssertionError("an honest service is not asked twice")


def test_every_entry_is_read_once_and_every_stream_looked_at(follower: Follower, shown: Shown) -> None:
    assert follower.look() == Report(KEY.origin, 310, 310, 300, (), ())
    shown.go_on("g7")
    shown.asked.clear()
    assert follower.look(recheck=0) == Report(KEY.origin, 311, 1, 1, (), ())
    assert shown.asked == [
        "/transparency/checkpoint",
        "/transparency/tile/entries/001.p/55",
        "/v1/games/g7",
        "/v1/games/g7/events?after=2&limit=2",
    ]
    assert follower.look(recheck=0).streams == 0


def test_streams_of_before_come_round_by_chance_and_each_once_in_a_cycle(
    shown: Shown, policy: Policy, tmp_path: Path
) -> None:
    # Each look is that of another process.
    def looked(directory: str, recheck: int) -> list[str]:
        follower = Follower(shown, policy, tmp_path / directory, check)
        shown.asked.clear()
        follower.look(recheck)
        follower.close()
        return [path for path in shown.asked if path.startswith("/v1/") and "?" not in path]

    new = looked("one", 0)
    assert len(new) == 300
    assert new != [f"/v1/games/{game}" for game in shown.games], "in the order of the log"
    cycle = [looked("one", 75) for _ in range(4)]
    assert sorted(path for each in cycle for path in each) == sorted(f"/v1/games/{game}" for game in shown.games)
    assert {frozenset(each) for each in cycle} != {frozenset(looked("one", 75)) for _ in range(4)}
    looked("two", 0)
    assert set(looked("two", 75)) != set(cycle[0])


def test_a_service_with_many_new_games_cannot_put_off_when_the_old_ones_are_looked_at_again(
    follower: Follower, shown: Shown
) -> None:
    follower.look()
    old = set(shown.games)
    for look in range(4):
        for number in range(200):
            shown.go_on(f"new-{look}-{number}")
        shown.asked.clear()
        assert follower.look(recheck=75).streams >= 275
        old -= {path.removeprefix("/v1/games/") for path in shown.asked}
    assert not old


def test_a_partial_tile_that_was_filled_meanwhile_is_cut_from_the_full_one(follower: Follower, shown: Shown) -> None:
    shown.size = 200
    get = shown.get
    shown.get = lambda path: Page(404, b"{}") if ".p/" in path else get(path)
    assert follower.look().size == 200


def test_another_follower_goes_on_from_what_was_remembered(
    follower: Follower, shown: Shown, policy: Policy, tmp_path: Path
) -> None:
    follower.look()
    follower.close()
    shown.entries = shown.entries[:-1]
    shown.go_on("g299")
    again = Follower(shown, policy, tmp_path, check, pause=lambda seconds: None)
    assert [found.kind for found in again.look().found] == ["two-trees"]
    again.close()


# --- lies -------------------------------------------------------------------------------------------------------------


def removes(shown: Shown) -> None:
    del shown.games["g30"]


def cuts(shown: Shown) -> None:
    del shown.games["g30"][-1]
    shown.statuses["g30"] = "running"


def tells_it_as_running(shown: Shown) -> None:
    shown.statuses["g30"] = "running"


def rehashes(shown: Shown) -> None:
    shown.rehash("g30", 2)


def backdates(shown: Shown) -> None:
    shown.games["g30"][3]["at"] = "2026-11-20T06:00:00.000000Z"


def rehashes_and_goes_on(shown: Shown) -> None:
    shown.rehash("g31", 2)
    shown.go_on("g31")


def cuts_and_signs_again(shown: Shown) -> None:
    del shown.games["g31"][-1]
    shown.statuses["g31"] = "running"
    shown.go_on("g31")


def goes_on_after_the_end(shown: Shown) -> None:
    shown.go_on("g30")


@pytest.mark.parametrize(
    ("lie", "said"),
    [
        (removes, "signed version 4 of game g30, and shows no such game any more"),
        (cuts, "signed version 4 of game g30, and shows the game at version 3: it was cut short"),
        (tells_it_as_running, "signed version 4 of game g30 as over, and shows it as running"),
        (rehashes, "of game g30 with the hash"),
        (backdates, "signed version 4 of game g30 with the at 2026-11-21"),
        (rehashes_and_goes_on, "signed version 3 of game g31 with the hash"),
        (cuts_and_signs_again, "has version 3 of game g31, and after it version 3"),
        (goes_on_after_the_end, "Version 4 of game g30 was over, and version 5 came after it"),
    ],
)
def test_what_is_shown_otherwise_than_it_was_signed_is_kept_as_evidence(
    follower: Follower, shown: Shown, policy: Policy, lie: Callable[[Shown], None], said: str
) -> None:
    assert follower.look().ok
    lie(shown)
    report = follower.look()
    assert said in report.found[0].said
    folder = Path(report.evidence[0])
    assert (folder / "finding.json").exists()
    proofs = [read_proof(file.read_text()) for file in folder.glob("*.tlog-proof")]
    assert proofs
    for proof in proofs:
        assert proof.extra is not None
        assert proof.proves(proof.extra)
        policy.judge(proof.note, check)
    if "after it version" not in said and "was over" not in said:
        assert (folder / "shown.json").read_bytes() == report.found[0].files["shown.json"]
    # It is said as long as it is so, and kept once.
    assert follower.look().evidence[0] == report.evidence[0]


def shows_an_old_checkpoint(shown: Shown) -> None:
    shown.size = 200


def drops_an_entry(shown: Shown) -> None:
    del shown.entries[5]


def changes_an_entry(shown: Shown) -> None:
    shown.entries[5] = shown.entries[6]


def changes_an_entry_and_goes_on(shown: Shown) -> None:
    shown.entries[5] = shown.entries[6]
    shown.go_on("g9")


def signs_with_another_key(shown: Shown) -> None:
    shown.key = OTHER


def shows_nothing(shown: Shown) -> None:
    shown.entries.clear()


def signs_nonsense(shown: Shown) -> None:
    shown.entries.append(b"{}")


def hides_its_entries(shown: Shown) -> None:
    note = str(shown.checkpoint([*shown.entries, b"x"])).encode()
    get = shown.get
    shown.get = lambda path: Page(200, note) if path.endswith("checkpoint") else get(path)


def signs_other_entries_than_it_shows(shown: Shown) -> None:
    note = str(shown.checkpoint([*shown.entries, b"x"])).encode()
    shown.go_on("g9")
    get = shown.get
    shown.get = lambda path: Page(200, note) if path.endswith("checkpoint") else get(path)


@pytest.mark.parametrize(
    ("lie", "kind", "said"),
    [
        (shows_an_old_checkpoint, "older-checkpoint", "a checkpoint of 200 entries, and signed one of 310 before"),
        (drops_an_entry, "older-checkpoint", "a checkpoint of 309 entries"),
        (shows_nothing, "older-checkpoint", "shows no checkpoint any more"),
        (changes_an_entry, "two-trees", "signed two trees of 310 entries"),
        (changes_an_entry_and_goes_on, "rewritten", "does not go on from the tree of 310"),
        (signs_with_another_key, "not-accepted", "not signed by a key that the policy has"),
        (signs_nonsense, "strange-entry", "Entry 310 is not an entry of this log"),
        (hides_its_entries, "missing-tile", "does not show /transparency/tile/entries/001.p/55"),
        (signs_other_entries_than_it_shows, "wrong-entries", "do not make the tree of 311"),
    ],
)
def test_a_log_that_does_not_go_on_is_not_accepted(
    follower: Follower, shown: Shown, lie: Callable[[Shown], None], kind: str, said: str
) -> None:
    assert follower.look().ok
    lie(shown)
    for report in (follower.look(), follower.look()):
        assert [(found.kind, said in found.said) for found in report.found] == [(kind, True)], report.found
        assert report.entries == 0
    folder = Path(follower.look().evidence[0])
    if kind in ("older-checkpoint", "two-trees", "rewritten"):
        assert read_note((folder / "before.checkpoint").read_bytes()).text.startswith(KEY.origin)
    if kind in ("two-trees", "rewritten"):
        assert read_note((folder / "now.checkpoint").read_bytes()).text.startswith(KEY.origin)


def test_another_log_is_not_taken_for_the_same(shown: Shown, tmp_path: Path) -> None:
    other = read_log_key(new_key("games.example/log/after/310-0f0f0f0f0f0f0f0f", lambda count: b"n" * count))
    both = "".join(f"log {key.signers[0].key}\n" for key in (KEY, other))
    follower = Follower(shown, read_policy(f"{both}quorum none\n".encode()), tmp_path, check)
    assert follower.look().ok
    shown.key = other
    assert "shows the log games.example/log/after/310" in follower.look().found[0].said
    follower.close()


# --- services that do not answer --------------------------------------------------------------------------------------


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
    assert ["version 3 of game g77" in found.said for found in report.found] == [True]
    assert [(each.stream, each.since) for each in report.unanswered] == [("g30", written(times[0]))]
    shown.games["g77"] = removes_another
    times.append(times[0] + timedelta(seconds=59))
    assert patient.look(recheck=0).ok, "it is asked again, whatever is looked at again"
    times.append(times[0] + timedelta(seconds=60))
    (found,) = patient.look(recheck=0).found
    assert (found.kind, found.stream) == ("unanswered", "g30")
    assert f"no answer that shows game g30 since {written(times[0])}" in found.said
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
    assert ["game g31" in found.said for found in report.found] == [True]
    assert (report.entries, [each.stream for each in report.unanswered]) == (0, [LOG])
    times.append(times[0] + timedelta(hours=1))
    assert "shows its log since" in patient.look(recheck=0).found[0].said
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
    (found,) = patient.look(recheck=0).found
    assert "signed version 4 of game g31 with the hash" in found.said


def test_a_contradiction_is_found_though_the_service_answers_for_nothing_else(patient: Follower, shown: Shown) -> None:
    patient.look()
    cuts_and_signs_again(shown)
    silences(shown, "games/g31", "tile/0", "tile/1")
    report = patient.look(recheck=0)
    assert ["has version 3 of game g31, and after it version 3" in found.said for found in report.found] == [True]
    proofs = [read_proof(file.read_text()) for file in Path(report.evidence[0]).glob("*.tlog-proof")]
    assert [proof.proves(proof.extra or b"") for proof in proofs] == [True, True]


def test_history_that_was_rewritten_is_found_though_its_hashes_are_not_shown(patient: Follower, shown: Shown) -> None:
    patient.look()
    changes_an_entry_and_goes_on(shown)
    silences(shown, "tile/0", "tile/1")
    assert [found.kind for found in patient.look().found] == ["wrong-entries"]


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
    assert ["game g5" in found.said for found in patient.look(recheck=0).found] == [True]


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
        assert "game g30" in patient.look().found[-1].said, "it was the last one"
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
            assert "after it version 3" in follower.look(recheck=0).found[0].said
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
    assert ["version 4 of game g30" in found.said for found in follower.look().found] == [True]


def test_who_says_when_to_come_again_is_asked_then() -> None:
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

    for bound, limit, said in (("LONGEST", 0.1, "has not answered for"), ("LARGEST", 5000, "more than 5000 bytes")):
        with monkeypatch.context() as patch, HttpSite("http://x", _client(answer)) as site:
            patch.setattr(f"service.transparency.site.{bound}", limit)
            with pytest.raises(Unreachable, match=said):
                site.get("/")


def test_who_always_says_when_to_come_again_is_waited_for_a_minute() -> None:
    waits: list[float] = []
    with HttpSite(
        "http://x", _client(lambda _: httpx.Response(503, headers={"Retry-After": "40"})), waits.append
    ) as site:
        assert site.get("/").status == 503
    assert waits == [40.0]


def _client(answer: Callable[[httpx.Request], httpx.Response]) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.MockTransport(answer))
