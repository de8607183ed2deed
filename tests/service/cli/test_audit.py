"""``tabularium audit follow`` and certificates, with a service that really runs, or one that is made to lie."""

import json
import shlex
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from service.transparency.alarm import Alarm, Unheard
from service.transparency.evidence import Found
from service.transparency.follower import Report
from service.transparency.pages import Page
from tests.service.cli.calling import Call, http, serving, start
from tests.service.transparency.logs import KEY
from tests.service.transparency.shown import Shown


def test_a_game_is_certified_and_followed_until_the_service_lies(call: Call, tmp_path: Path) -> None:
    data, policy, proof, exported = (tmp_path / name for name in ("data", "policy", "game.tlog-proof", "game.jsonl"))
    follow = ("--policy", policy, "--state", tmp_path / "state", "--json")
    with serving(data) as service:
        game = service.game(service.player())
        policy.write_text(http.get(f"{service.address}/v1/transparency/key").json()["policy"])
        while (answer := http.get(f"{service.address}/v1/games/{game}/certificate")).status_code == 404:
            time.sleep(0.1)
        proof.write_bytes(answer.content)
        assert call("export", game, "--url", service.address, "-o", exported).code == 0
        said = call("verify", exported, "--certificate", proof, "--policy", policy)
        assert (said.code, "Certified: version" in said.out) == (0, True), said.out
        said = call("audit", "follow", service.address, *follow)
        assert (said.code, said.err) == (0, "")
        report = json.loads(said.out)
        assert (report["ok"], report["streams"]) == (True, 1)
        assert service.interrupt() == 0
    # The same key over an empty database: whatever was signed is gone.
    for file in data.glob("tabularium.db*"):
        file.unlink()
    with serving(data) as service:
        said = call("audit", "follow", service.address, *follow)
        assert said.code == 1
        found, gone = json.loads(said.out)["found"]
        assert (found["kind"], gone["stream"]) == ("older-checkpoint", game)
        assert (Path(found["evidence"]) / "before.checkpoint").read_text().startswith(report["origin"])
        said = call("audit", "follow", service.address, "--policy", policy, "--state", tmp_path / "state")
        assert (said.code, "DOES NOT FIT: The service shows no checkpoint any more." in said.out) == (1, True)
        assert service.interrupt() == 0


def test_a_witness_of_a_club_cosigns_what_the_service_signs(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, policy, proof, exported = (tmp_path / name for name in ("data", "policy", "game.tlog-proof", "game.jsonl"))
    vkey = call("transparency", "key", "games.example/log", "--data", data).out.strip()
    policy.write_text(f"log {vkey}\nquorum none\n")
    given = ("--policy", policy, "--state", tmp_path / "club", "--port", 0)
    with start("witness", *given, "--name", "club.example") as club:
        try:
            assert club.stdout is not None
            line = club.stdout.readline()
            assert line.startswith("witness club.example club.example+")
            policy.write_text(f"log {vkey}\n{line}quorum club.example\n")
            monkeypatch.setenv("TABULARIUM_LOG_POLICY", str(policy))
            with serving(data) as service:
                game = service.game(service.player())
                certificate = f"{service.address}/v1/games/{game}/certificate"
                while "\N{EM DASH} club.example " not in (answer := http.get(certificate)).text:
                    time.sleep(0.1)
                proof.write_bytes(answer.content)
                call("export", game, "--url", service.address, "-o", exported)
                said = call("verify", exported, "--certificate", proof, "--policy", policy)
                assert (said.code, "That log was seen by club.example (20" in said.out) == (0, True), said.out
                state = tmp_path / "state"
                assert call("audit", "follow", service.address, "--policy", policy, "--state", state).code == 0
                assert service.interrupt() == 0
        finally:
            club.kill()
            club.communicate()
    policy.write_text("quorum none")
    assert "names no log" in call("witness", *given).complaint
    policy.write_text(f"log {vkey}\nquorum none\n")
    assert "is the key of club.example" in call("witness", *given, "--name", "other").complaint


def test_what_cannot_be_followed(call: Call, tmp_path: Path) -> None:
    policy, state = tmp_path / "policy", tmp_path / "state"
    policy.write_text("quorum none")
    given = ("--policy", policy, "--state", state)
    assert "cannot be reached" in call("audit", "follow", "http://127.0.0.1:1", *given).complaint
    assert "is not an address" in call("audit", "follow", "127.0.0.1:1", *given).complaint
    state.rename(tmp_path / "moved")
    state.write_text("a file")
    assert "cannot be used" in call("audit", "follow", "http://127.0.0.1:1", *given).complaint
    policy.write_text("nonsense")
    assert "line 1 of the policy" in call("audit", "follow", "http://127.0.0.1:1", *given).complaint


# --- a service that is made to lie ------------------------------------------------------------------------------------


class Served(Shown):
    """A service in memory, at an address."""

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self.failing: set[str] = set()
        """The games of which it shows nothing."""
        shown = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                page = shown.get(self.path)
                self.send_response(page.status)
                self.end_headers()
                self.wfile.write(page.body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        for game in ("g1", "g2", "g3"):
            self.go_on(game, events=3)
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        policy = directory / "policy"
        policy.write_text(f"log {KEY.signers[0].key}\nquorum none\n")
        address = f"http://127.0.0.1:{self.server.server_port}"
        self.follow = ("audit", "follow", address, "--policy", policy, "--state", directory / "state")

    def get(self, path: str) -> Page:
        return Page(500, b"") if any(game in path for game in self.failing) else super().get(path)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    made = Served(tmp_path)
    thread = threading.Thread(target=made.server.serve_forever, args=(0.05,))
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def test_a_game_that_is_not_answered_for_hides_no_other_and_becomes_a_finding(call: Call, served: Served) -> None:
    assert call(*served.follow).code == 0
    served.failing.add("g1")
    said = call(*served.follow)
    assert said.complaint == "the service answers 500 at /v1/games/g1"
    assert "3 entries; 0 new entries, 2 games looked at" in said.out
    del served.games["g3"]
    said = call(*served.follow)
    assert (said.code, "DOES NOT FIT: The service signed version 3 of game g3" in said.out) == (1, True), said.out
    served.play("g3", 3)
    assert call(*served.follow, "--patience", 0, "--recheck", 0).code == 1


RECORDS = "import pathlib, sys; pathlib.Path(sys.argv[1]).open('a').write(sys.stdin.read() + chr(10))"


def test_following_ends_at_what_does_not_fit_so_that_whoever_started_it_hears(
    call: Call, served: Served, tmp_path: Path
) -> None:
    metrics = tmp_path / "audit.prom"
    assert call(*served.follow, "--metrics", metrics).code == 0
    assert told(metrics)["evidence"] == 0
    del served.games["g2"]
    said = call(*served.follow, "--every", 1, "--metrics", metrics)
    assert (said.code, "shows no such game any more" in said.out) == (1, True)
    now = told(metrics)
    looked = now.pop("looked_timestamp_seconds")
    assert now == {"findings": 1, "evidence": 1, "unanswered": 0, "entries": 3, "streams": 3}
    assert abs(time.time() - looked) < 600
    assert call(*served.follow, "--recheck", 0, "--metrics", metrics).code == 0
    assert (told(metrics)["findings"], told(metrics)["evidence"]) == (0, 1), "until somebody has dealt with it"


def test_an_alarm_is_told_once_for_each_finding_and_following_goes_on(served: Served, tmp_path: Path) -> None:
    heard, metrics = tmp_path / "heard", tmp_path / "audit.prom"
    command = shlex.join((sys.executable, "-c", RECORDS, str(heard)))
    given = ("--every", 1, "--json", "--on-alarm", command, "--metrics", metrics)
    served.rehash("g1", 1)
    with start(*served.follow, *given) as process:
        assert process.stdout is not None
        try:
            said = [json.loads(process.stdout.readline()) for _ in range(2)]
            served.rehash("g2", 1)
            while len(said[-1]["found"]) < 2:
                said.append(json.loads(process.stdout.readline()))
            said.append(json.loads(process.stdout.readline()))  # then the look before has told all that it tells
        finally:
            process.kill()
            process.communicate()
    assert [len(each["found"]) for each in said[:2]] == [1, 1]
    alarms = [json.loads(line) for line in heard.read_text().splitlines()]
    assert [{found["stream"] for found in each["found"]} for each in alarms] == [{"g1"}, {"g1", "g2"}]
    assert told(metrics)["findings"] == 2


@pytest.mark.parametrize("command", [(sys.executable, "-c", "raise SystemExit(3)"), ("/",)])
def test_an_alarm_that_nobody_heard_is_said_and_told_again(tmp_path: Path, command: tuple[str, ...]) -> None:
    report = Report("x", 1, 1, 1, (Found("unanswered", "Said."),), ("folder",))
    alarm = Alarm(sys.executable)
    alarm._command = list(command)  # such as one that is gone by now
    for _ in range(2):
        with pytest.raises(Unheard, match="not heard"):
            alarm.raise_for(report)
    alarm._command = [sys.executable, "-c", f"import sys; assert sys.stdin.read(), {str(tmp_path)!r}"]
    alarm.raise_for(report)


def test_what_cannot_be_told_is_said_before_anybody_looks(call: Call, served: Served, tmp_path: Path) -> None:
    assert "no program for" in call(*served.follow, "--on-alarm", "no-such-program --now").complaint
    assert "is not a command" in call(*served.follow, "--on-alarm", "mail 'me").complaint
    assert "no program for" in call(*served.follow, "--on-alarm", " ").complaint
    assert "there is no directory" in call(*served.follow, "--metrics", tmp_path / "no" / "audit.prom").complaint


def told(metrics: Path) -> dict[str, float]:
    """Return what the file of metrics says."""
    families = text_string_to_metric_families(metrics.read_text())
    return {family.name.removeprefix("tabularium_audit_"): family.samples[0].value for family in families}
