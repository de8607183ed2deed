"""Streams resume where they broke off: each version once and in order, whatever happens to the connection."""

import json

import pytest

from tests.clients.packed import Speaker
from tests.clients.scripted import CLOSED, OVER, Part, Script, answer, frame, problem, row, scripted, stream

START = b"retry: 2000\n: connected\nid: 0\n\n"
BEAT = b": still here\n\n"


def followed(speaker: Speaker, service: Script, **settings: float) -> list[int]:
    """Return the versions that arrive until no more will come."""
    said = speaker.ask("events", url=service.url, game="g1", settings={"silence": 5, **settings})
    assert isinstance(said, list), said
    return [each["version"] for each in said]


def resumed(service: Script) -> list[str | None]:
    """Return after which event the stream was opened, each time."""
    return [each.headers.get("last-event-id") for each in service.received if "/stream" in each.path]


def test_it_goes_on_after_the_last_whole_frame(speaker: Speaker) -> None:
    cut = frame(2)[:40]
    with scripted(stream(START, frame(1), cut), stream(frame(2), frame(3)), OVER) as service:
        assert followed(speaker, service) == [1, 2, 3]
    assert resumed(service) == [None, "1", "3"]


def test_it_begins_after_a_version_also_when_nothing_has_arrived_yet(speaker: Speaker) -> None:
    with scripted(stream(b"id: 7\n\n"), CLOSED, stream(frame(8)), OVER) as service:
        assert followed(speaker, service) == [8]
    assert resumed(service) == [None, "7", "7", "8"]
    with scripted(stream(), stream(frame(8)), OVER) as service:
        said = speaker.ask("events", url=service.url, game="g1", after=7)
    assert [each["version"] for each in said] == [8]
    assert resumed(service) == ["7", "7", "8"]


def test_a_frame_arrives_in_any_pieces(speaker: Speaker) -> None:
    whole = START + frame(1) + frame(2)
    pieces: list[Part] = []
    for at in range(0, len(whole), 7):  # Also in the middle of a letter.
        pieces += [whole[at : at + 7], 0.001]
    with scripted(stream(*pieces), OVER) as service:
        said = speaker.ask("events", url=service.url, game="g1")
    assert [(each["version"], each["event"]["text"]) for each in said] == [(1, "Ἰουδαία"), (2, "Ἰουδαία")]


def test_what_comes_twice_is_delivered_once(speaker: Speaker) -> None:
    with scripted(stream(START, frame(1), frame(1), frame(2)), stream(frame(1), frame(2), frame(3)), OVER) as service:
        assert followed(speaker, service) == [1, 2, 3]


def test_a_gap_is_asked_for_again(speaker: Speaker) -> None:
    with scripted(stream(START, frame(1), frame(3), frame(4)), stream(frame(2), frame(3)), OVER) as service:
        assert followed(speaker, service) == [1, 2, 3]
    assert resumed(service) == [None, "1", "3"]


def test_a_gap_that_stays_is_told(speaker: Speaker) -> None:
    with scripted(*[stream(frame(1), frame(3))] * 3) as service:
        said = speaker.ask("events", url=service.url, game="g1")
    assert (said["error"], [each["version"] for each in said["got"]]) == ("Gap", [1])
    assert "from version 1 to 3" in said["message"]
    assert len(service.received) == 2


def test_a_service_that_restarts_is_found_again(speaker: Speaker) -> None:
    gone = [CLOSED, problem(503), answer(b"", 502), (b"HTTP/1.1 200",)]
    with scripted(stream(START, frame(1)), *gone, stream(frame(2)), OVER) as service:
        assert followed(speaker, service) == [1, 2]
    assert resumed(service) == [None, "1", "1", "1", "1", "1", "2"]


def test_signs_of_life_keep_a_stream_open(speaker: Speaker) -> None:
    beats: list[Part] = [0.5, BEAT] * 4
    with scripted(stream(START, *beats, frame(1)), OVER) as service:
        assert followed(speaker, service, silence=1.5) == [1]
    assert resumed(service) == [None, "1"]


def test_a_silent_stream_is_lost_and_what_a_proxy_holds_back_is_fetched(speaker: Speaker) -> None:
    page = answer({"items": [row(2), row(3)], "next": None})
    with scripted(stream(START, frame(1), 5.0), page, stream(5.0), CLOSED, page, stream(frame(4)), OVER) as service:
        assert followed(speaker, service, silence=1) == [1, 2, 3, 4]
    assert [each.path for each in service.received if "/stream" not in each.path] == [
        "/v1/games/g1/events?after=1",
        "/v1/games/g1/events?after=3",
        "/v1/games/g1/events?after=3",
    ]
    assert resumed(service) == [None, "3", "3", "4"]


def test_it_begins_now_also_behind_a_proxy_that_holds_back_all(speaker: Speaker) -> None:
    now, page = answer({"id": "g1", "version": 7}), answer({"items": [row(8)], "next": None})
    with scripted((5.0,), now, (5.0,), page, stream(frame(9)), OVER) as service:
        assert followed(speaker, service, silence=0.5) == [8, 9]
    asked = ["/v1/games/g1", "/v1/games/g1/events?after=7"]
    assert [each.path for each in service.received if "/stream" not in each.path] == asked
    assert resumed(service) == [None, "7", "8", "9"]


def test_a_bot_behind_a_proxy_that_holds_back_all_is_asked_all_the_same(speaker: Speaker) -> None:
    mine = {
        "kind": "bid",
        "seats": ["rome"],
        "rule": "MN-BID-01",
        "title": "What do you bid?",
        "depends": "",
        "about": {},
    }
    other = mine | {"seats": ["carthage"]}
    options = {"game": "g1", "ruleset": "mare-nostrum", "version": 5, "seat": "rome", "options": []}
    games = answer({"items": [{"id": "g1", "title": "An evening"}], "next": None})
    with scripted((5.0,), games, answer(options | {"decisions": [mine, other]})) as service:
        (said,) = speaker.ask("waiting", url=service.url, token="t0", most=1, settings={"silence": 0.5})
    assert (said["game"], said["title"], said["version"], said["seat"]) == ("g1", "An evening", 5, "rome")
    assert [each["kind"] for each in said["decisions"]] == ["bid"]
    assert service.received[1].path == "/v1/players/me/games?waiting=true"


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_the_service_refuses_ends_a_stream(speaker: Speaker, status: int) -> None:
    with scripted(stream(START, frame(1)), problem(status, detail="Your token was revoked.")) as service:
        said = speaker.ask("events", url=service.url, token="t0", game="g1")
    assert (said["error"], said["status"], said["message"]) == ("Problem", status, "Your token was revoked.")
    assert [each["version"] for each in said["got"]] == [1]
    assert {each.headers["authorization"] for each in service.received} == {"Bearer t0"}


def test_types_that_are_not_known_are_delivered_as_unknown(speaker: Speaker) -> None:
    newer = frame(2, "comet-seen", weather="fine")
    other = frame(3, ruleset="mare-nostrum-2")
    with scripted(stream(START, frame(1), newer, other), OVER) as service:
        said = speaker.ask("events", url=service.url, game="g1")
    assert [(each["version"], each["type"], each["ruleset"]) for each in said] == [
        (1, "seat-taken", "mare-nostrum"),
        (2, "comet-seen", "mare-nostrum"),
        (3, "seat-taken", "mare-nostrum-2"),
    ]
    assert said[1]["event"]["text"] == "Ἰουδαία"
    assert speaker.ask("known", events=said) == [True, False, False]


def test_what_waits_comes_whole_after_each_break(speaker: Speaker) -> None:
    newer = b"id: 11\nevent: weather\ndata: {}\n\n"
    asked = {"game": "g1", "title": "", "ruleset": "mare-nostrum", "version": 5, "seat": "rome", "decisions": []}
    asked |= {"take_backs": [], "end_proposals": [], "new": 1}
    block = f"id: 12\nevent: waiting\ndata: {json.dumps(asked)}\n\n".encode()
    with scripted(stream(newer, block), stream(block)) as service:
        said = speaker.ask("waiting", url=service.url, token="t0", most=2)
    assert [(each["game"], each["version"]) for each in said] == [("g1", 5)] * 2
    assert resumed(service) == [None, None]


def test_any_stream_of_the_contract_can_be_followed(speaker: Speaker) -> None:
    blocks = [b"id: 4\nevent: ruled\ndata: {\ndata: }\n\n", b"data: 1\n\n"]
    path, given = "/v1/cases/{case}/stream", {"case": "c1"}
    with scripted(stream(*blocks), stream(b"id: 5\ndata: 2\n\n"), OVER) as service:
        said = speaker.ask("stream", url=service.url, path=path, given=given, last="3")
    assert said == [
        {"id": "4", "type": "ruled", "data": "{\n}"},
        {"id": "4", "type": "message", "data": "1"},
        {"id": "5", "type": "message", "data": "2"},
    ]
    assert resumed(service) == ["3", "4", "5"]
