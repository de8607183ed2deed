"""The follower: an honest service never alarms it, and whatever is told otherwise than it was signed does."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from domain.transparency.note import read_note
from domain.transparency.policy import Policy, read_policy
from domain.transparency.proof import read_proof
from service.transparency.follower import Follower, Report
from service.transparency.keys import check, new_key, read_log_key
from service.transparency.pages import Page
from tests.service.transparency.logs import KEY
from tests.service.transparency.shown import Shown

OTHER = read_log_key(new_key(KEY.origin, lambda count: b"o" * count))


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
            assert report.findings == (), look
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
    assert [found.kind for found in again.look().findings] == ["two-trees"]
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
def test_a_page_that_differs_from_what_was_signed_is_kept_as_evidence(
    follower: Follower, shown: Shown, policy: Policy, lie: Callable[[Shown], None], said: str
) -> None:
    assert follower.look().ok
    lie(shown)
    report = follower.look()
    assert said in report.findings[0].message
    folder = Path(report.evidence[0])
    assert (folder / "finding.json").exists()
    proofs = [read_proof(file.read_text()) for file in folder.glob("*.tlog-proof")]
    assert proofs
    for proof in proofs:
        assert proof.extra is not None
        assert proof.proves(proof.extra)
        policy.judge(proof.note, check)
    if "after it version" not in said and "was over" not in said:
        assert (folder / "shown.json").read_bytes() == report.findings[0].files["shown.json"]
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
        assert [(found.kind, said in found.message) for found in report.findings] == [(kind, True)], report.findings
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
    assert "shows the log games.example/log/after/310" in follower.look().findings[0].message
    follower.close()
