"""Requests without an answer are sent again and happen once; commands are decided again; refusals name the rule."""

import base64
import json
import time
from typing import Any, Final

import pytest

from tests.clients.packed import Speaker
from tests.clients.scripted import CLOSED, answer, problem, row, scripted

PLAYED: Final = {"game": "g1", "after": 5, "version": 6, "events": [row(6)], "repeated": False}


def options(version: int) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"type": {"const": f"pass-{version}"}}, "required": ["type"]}
    schema |= {"additionalProperties": False}
    option = {"command": "pass", "rule": "TA-1", "schema": schema, "title": "Pass", "decision": "move"}
    shown = {"game": "g1", "ruleset": "mare-nostrum", "version": version, "seat": "rome", "decisions": []}
    return shown | {"options": [option]}


@pytest.mark.parametrize(
    "failed",
    [
        CLOSED,
        (b"HTTP/1.1 200 OK\r\n",),
        answer({"games": ["a", "b", "c"]}, cut=0.5),
        answer(b'{"games": ["a",'),
        answer({}, 503, Retry_After="0"),
        problem(429),
        answer(b"<h1>Bad gateway</h1>", 502),
    ],
    ids=["no answer", "cut in the head", "cut in half", "cut by a proxy", "unavailable", "too many", "bad gateway"],
)
def test_a_request_without_a_whole_answer_is_sent_again_with_its_key(
    speaker: Speaker, failed: tuple[bytes | float, ...]
) -> None:
    with scripted(failed, failed, answer({"id": "g1"}, 201)) as service:
        said = speaker.ask("post", url=service.url, path="/v1/games", body={"ruleset": "mare-nostrum"})
    assert said == {"id": "g1"}
    first, *others = service.received
    assert len(others) == 2
    assert len(first.headers["idempotency-key"]) == 32
    for other in others:
        assert (other.body, other.headers["idempotency-key"]) == (first.body, first.headers["idempotency-key"])
    assert json.loads(first.body) == {"ruleset": "mare-nostrum"}


def test_each_request_has_a_key_of_its_own_and_reading_has_none(speaker: Speaker) -> None:
    with scripted(answer({}), answer({}), answer({})) as service:
        for _ in range(2):
            speaker.ask("post", url=service.url, path="/v1/games")
        speaker.ask("get", url=service.url, path="/v1/games")
    one, other, read = (each.headers.get("idempotency-key") for each in service.received)
    assert one != other
    assert read is None


def test_names_fill_the_path_and_the_rest_is_the_query(speaker: Speaker) -> None:
    given = {"game": "a/b c", "after": 3}
    with scripted(answer({"items": []})) as service:
        speaker.ask("get", url=service.url, token="t0", path="/v1/games/{game}/events", given=given)
    (request,) = service.received
    assert request.path == "/v1/games/a%2Fb%20c/events?after=3"
    assert request.headers["authorization"] == "Bearer t0"


def test_a_query_in_the_path_stays_and_lists_repeat_their_name(speaker: Speaker) -> None:
    with scripted(answer({"items": []}), answer({"items": []})) as service:
        for given in ({}, {"status": ["over", "running"]}):
            speaker.ask("get", url=service.url, path="/v1/games?text=a", given=given)
    alone, together = service.received
    assert (alone.path, together.path) == ("/v1/games?text=a", "/v1/games?text=a&status=over&status=running")


@pytest.mark.parametrize(("places", "name"), [(["c1", "c2"], "cursor"), ([3, 7], "after")])
def test_a_list_is_gone_through_page_by_page(speaker: Speaker, places: list[Any], name: str) -> None:
    pages = [answer({"items": [place], "next": place}) for place in places]
    with scripted(*pages, CLOSED, answer({"items": [9], "next": None})) as service:
        said = speaker.ask("items", url=service.url, path="/v1/games", given={"status": "over"})
    assert said == [*places, 9]
    rest = [f"&{name}={place}" for place in (*places, places[-1])]
    assert [each.path for each in service.received] == [f"/v1/games?status=over{each}" for each in ("", *rest)]


def test_a_list_ends_where_it_leads_nowhere(speaker: Speaker) -> None:
    """The log of all games names a next page also at its end."""
    with scripted(answer({"items": [1], "next": "a"}), answer({"items": [], "next": "a"})) as service:
        assert speaker.ask("items", url=service.url, path="/v1/log") == [1]


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://service.example", "http://", "http://host:port", "/v1"])
def test_what_is_no_address_is_refused_before_anything_is_sent(package: Speaker, url: str) -> None:
    said = package.ask("client", url=url, token="t0")
    assert said == f"{url} is no address of a service. Expected one such as https://service.example."


@pytest.mark.parametrize("token", ["tab_x\n", " tab_x", "tab_é", ""])
def test_what_is_no_token_is_refused_before_anything_is_sent(package: Speaker, token: str) -> None:
    """Or else it is lost in five attempts, or in a message about headers."""
    said = package.ask("client", url="http://localhost:8000", token=token)
    assert said == "This is no token. Expected visible ASCII characters without blanks."
    assert package.ask("client", url="http://localhost:8000/", token=None) is None


def test_after_enough_attempts_a_request_is_lost(speaker: Speaker) -> None:
    with scripted(*[CLOSED] * 9) as service:
        said = speaker.ask("get", url=service.url, path="/v1/games", settings={"attempts": 3})
    assert said["error"] == "Lost"
    assert said["message"].startswith(f"{service.url} gave no whole answer: ")
    assert len(service.received) == 3


def test_it_waits_as_long_as_the_service_says(speaker: Speaker) -> None:
    with scripted(answer({}, 503, Retry_After="1"), answer({})) as service:
        before = time.monotonic()
        assert speaker.ask("get", url=service.url, path="/v1/games") == {}
        assert time.monotonic() - before >= 1


@pytest.mark.parametrize("after", ["86400", "1e99", "Sat, 28 Nov 2037 12:00:00 GMT", "-5"])
def test_no_service_makes_it_wait_for_a_day(speaker: Speaker, after: str) -> None:
    with scripted(*[answer({}, 429, Retry_After=after)] * 2, answer({})) as service:
        settings = {"attempts": 3, "longest": 0.1}
        assert speaker.ask("get", within=20, url=service.url, path="/v1/games", settings=settings) == {}


def test_a_refusal_names_its_rule_and_is_not_sent_again(speaker: Speaker) -> None:
    document = {"detail": "You cannot march.", "allowed": "Wait for Red.", "rule": "CC-MOV-25", "source": "page 7"}
    with scripted(problem(409, **document)) as service:
        said = speaker.ask("command", url=service.url, game="g1", choice={"type": "march"}, version=5)
    assert (said["error"], said["rule"], said["source"]) == ("Refusal", "CC-MOV-25", "page 7")
    assert said["message"] == "You cannot march. Wait for Red."
    (request,) = service.received
    assert request.headers["if-match"] == '"5"'


@pytest.mark.parametrize(
    "cut", [{"cut": 0.5}, {"Content_Type": "application/problem+json"}], ids=["broken off", "whole"]
)
def test_a_refusal_that_is_cut_in_half_is_asked_for_again(speaker: Speaker, cut: dict[str, Any]) -> None:
    """Or else a bot would take it for a problem without a rule."""
    half = b'{"type": "/problems/not-now", "title": "The command cannot'
    with scripted(answer(half, 409, **cut), problem(409, detail="Not now.", rule="CC-MOV-25")) as service:
        said = speaker.ask("command", url=service.url, game="g1", choice={"type": "march"})
    assert (said["error"], said["rule"]) == ("Refusal", "CC-MOV-25")
    first, again = service.received
    assert first.headers["idempotency-key"] == again.headers["idempotency-key"]


def test_an_export_that_is_cut_in_half_is_asked_for_again(speaker: Speaker) -> None:
    with scripted(answer(b"{}\n{}\n", cut=0.5), answer(b"{}\n{}\n")) as service:
        said = speaker.ask("text", url=service.url, path="/v1/games/{game}/export", given={"game": "g1"})
    assert said == "{}\n{}\n"


def test_a_picture_is_fetched_byte_for_byte(speaker: Speaker) -> None:
    picture = bytes(range(256))
    with scripted(answer(picture, cut=0.5), answer(picture)) as service:
        said = speaker.ask("content", url=service.url, path="/v1/games/{game}/board.png", given={"game": "g1"})
    assert base64.b64decode(said) == picture


def test_a_problem_without_a_rule_is_no_refusal(speaker: Speaker) -> None:
    with scripted(problem(401, detail="No account has this token.")) as service:
        said = speaker.ask("command", url=service.url, game="g1", choice={"type": "march"})
    assert (said["error"], said["status"], said["type"]) == ("Problem", 401, "/problems/some")
    assert len(service.received) == 1


def test_what_is_no_problem_is_one_all_the_same(speaker: Speaker) -> None:
    with scripted(answer(b"<h1>Not found</h1>", 404)) as service:
        said = speaker.ask("get", url=service.url, path="/v1/games")
    assert (said["error"], said["status"], said["message"]) == ("Problem", 404, "The service answered 404.")


def test_several_commands_are_one_request(speaker: Speaker) -> None:
    with scripted(answer(PLAYED)) as service:
        said = speaker.ask("command", url=service.url, game="g1", choice=[{"type": "a"}, {"type": "b"}], key="k" * 16)
    assert said["version"] == 6
    (request,) = service.received
    assert json.loads(request.body) == {"commands": [{"type": "a"}, {"type": "b"}]}
    assert request.headers["idempotency-key"] == "k" * 16


def test_what_was_decided_for_an_older_version_is_decided_again(speaker: Speaker) -> None:
    stale = problem(412, detail="The game is at version 6.")
    with scripted(answer(options(5)), CLOSED, stale, answer(options(6)), answer(PLAYED)) as service:
        said = speaker.ask("decide", url=service.url, game="g1")
    assert said["asked"] == [5, 6]
    assert said["played"]["version"] == 6
    lost, refused, accepted = (each for each in service.received if each.method == "POST")
    assert lost.headers["idempotency-key"] == refused.headers["idempotency-key"] != accepted.headers["idempotency-key"]
    assert [each.headers["if-match"] for each in (lost, refused, accepted)] == ['"5"', '"5"', '"6"']
    assert json.loads(accepted.body) == {"command": {"type": "pass-6"}}


def test_somebody_who_decides_nothing_sends_nothing(speaker: Speaker) -> None:
    with scripted(answer(options(5) | {"options": []})) as service:
        assert speaker.ask("decide", url=service.url, game="g1") == {"played": None, "asked": [5]}


def test_a_game_that_never_stands_still_is_given_up(speaker: Speaker) -> None:
    moves = [each for version in range(9) for each in (answer(options(version)), problem(412))]
    with scripted(*moves) as service:
        said = speaker.ask("decide", url=service.url, game="g1", settings={"attempts": 3})
    assert said["error"] == "Stale"
    assert len(service.received) == 6
