"""Cases over HTTP: opened, argued, ruled on, and proved."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from msgspec import Struct

from domain.judging.case import MOST_WRITTEN
from domain.judging.proof import verify
from domain.kernel.proof import reading
from domain.kernel.proof.verify import verify as verify_game
from service.store.protocol import KeptUse
from tests.service.api.serving import Player, Service
from tests.service.api.test_statistics import caught_up
from tests.service.rig import LIBRARY

RULED = {"decision": "stands", "rules": ["TAB-UNDO-02"], "reason": "Nothing was wrong with it."}


class Court(Struct, eq=False):
    """A game of Anna and Bert, whose official is Julia; Carla only watches."""

    service: Service
    anna: Player
    bert: Player
    carla: Player
    julia: Player
    game: str

    @property
    def url(self) -> str:
        return f"/v1/games/{self.game}"

    async def ask(self, method: str, path: str, *rest: Any, **headers: str) -> httpx.Response:
        return await self.service.ask(method, path, *rest, **headers)

    async def open(self, player: Player | None = None, **body: Any) -> str:
        wish = {"kind": "slip", "version": 4, "statement": "I clicked on the wrong one."} | body
        opened = await self.service.post(f"{self.url}/cases", player or self.anna, wish)
        return f"/v1/cases/{opened['summary']['case']}"

    async def head(self) -> dict[str, Any]:
        event = (await self.service.get(f"{self.url}/events?limit=500"))["items"][-1]
        return {"version": event["version"], "hash": event["hash"]}

    async def rule(self, case: str, player: Player | None = None, **changes: Any) -> httpx.Response:
        ruling = RULED | await self.head() | changes
        return await self.ask("POST", f"{case}/rulings", player or self.julia, ruling)

    async def put_up(self) -> int:
        """Let Anna give a command; return the version before it."""
        version = (await self.service.get(self.url))["version"]
        await self.service.post(f"{self.url}/commands", self.anna, {"command": {"type": "put-up", "coins": 1}})
        return version


@pytest.fixture
async def court(service: Service, anna: Player, bert: Player) -> Court:
    carla, julia = await service.register("Carla"), await service.register("Julia")
    game = await service.begun(anna, bert)
    assert (await service.ask("PUT", f"/v1/games/{game}/officials/{julia.id}", anna)).status_code == 200
    return Court(service, anna, bert, carla, julia, game)


def problem(answer: httpx.Response) -> str:
    return answer.json()["type"].removeprefix("/problems/")


async def test_a_case_from_the_complaint_to_the_last_word(court: Court) -> None:
    case = await court.open(rules=["TA-PUT-01"])
    await court.service.post(f"{case}/answer", court.bert, {"statement": "We agreed that moves stand."})
    await court.service.post(f"{case}/statements", court.anna, {"statement": "We did not."})
    ruled = await court.rule(case)
    assert (ruled.status_code, ruled.headers["etag"]) == (200, '"4"'), ruled.text
    await court.service.post(f"{case}/appeal", court.anna, {"statement": "Look again."})
    assert problem(await court.rule(case)) == "already-ruled"
    other = await court.service.register("Otto")
    await court.ask("PUT", f"{court.url}/officials/{other.id}", court.anna)
    final = (await court.rule(case, other, decision="dismissed")).json()
    summary = final["summary"]
    assert (summary["status"], summary["rules"], summary["version"]) == ("final", ["TA-PUT-01", "TAB-UNDO-02"], 6)
    assert [(each["player"], each["is_final"]) for each in final["rulings"]] == [
        (court.julia.id, False),
        (other.id, True),
    ]
    assert final["rulings"][1]["ruling"]["decision"] == "dismissed"
    written = (await court.service.get(case, court.bert))["statements"]
    said = [(each["kind"], each["seat"], each["text"]) for each in written]
    assert said == [
        ("case-opened", "red", "I clicked on the wrong one."),
        ("case-answered", "blue", "We agreed that moves stand."),
        ("statement-made", "red", "We did not."),
        ("appealed", "red", "Look again."),
    ]
    assert problem(await court.rule(case)) == "case-closed"


async def test_a_ruling_that_goes_back_changes_case_and_game_together(court: Court) -> None:
    case, before = await court.open(), await court.put_up()
    options = {each["command"] for each in (await court.service.get(f"{court.url}/options", court.anna))["options"]}
    assert "open-bidding" in options
    ruled = await court.rule(case, decision="back", to=before)
    assert ruled.status_code == 200, ruled.text
    last = (await court.service.get(f"{court.url}/events?limit=500"))["items"][-1]
    assert (last["type"], last["event"]["to"], last["event"]["by"]) == ("moves-retracted", before, "ruling")
    assert last["cause"] == {"case": case.rpartition("/")[2], "player": court.julia.id}
    options = {each["command"] for each in (await court.service.get(f"{court.url}/options", court.anna))["options"]}
    assert "open-bidding" not in options
    assert await proved(court, case, court.julia)


async def test_a_ruling_pauses_resumes_and_ends_a_game(court: Court) -> None:
    case = await court.open()
    assert (await court.rule(case, decision="pause")).status_code == 200
    refused = await court.ask("POST", f"{court.url}/commands", court.anna, {"command": {"type": "put-up", "coins": 1}})
    assert refused.json()["rule"] == "TAB-RUL-03"
    other, third = await court.open(version=5), await court.open(version=6)
    assert (await court.rule(other, decision="resume")).status_code == 200
    assert (await court.rule(third, decision="result", order=[["blue"], ["red"]])).status_code == 200
    game = await court.service.get(court.url)
    assert (game["status"], game["result"]["winners"]) == ("over", ["blue"])
    late = await court.open(court.bert, kind="result", version=game["version"])
    assert (await court.rule(late, decision="result", order=[["red", "blue"]])).status_code == 200
    assert (await court.service.get(court.url))["version"] == game["version"]
    assert problem(await court.rule(await court.open(version=3), decision="back", to=5)) == "refused"
    for each in (case, other, third, late):
        assert await proved(court, each)


async def proved(court: Court, case: str, reader: Player | None = None) -> bool:
    """Tell whether the exports of a case and of its game verify together."""
    headers = reader.headers if reader is not None else {}
    lines = [
        (await court.service.client.get(f"{url}/export", headers=headers)).content.splitlines(keepends=True)
        for url in (case, court.url)
    ]
    verdict = verify(lines[0], LIBRARY, reading.read(lines[1]))
    assert verdict.ok, verdict.problem
    whole = verify_game(lines[1], LIBRARY)
    assert whole.ok, whole.problem
    return not verdict.unproved


async def test_a_ruling_on_a_game_that_went_on_stores_nothing(court: Court) -> None:
    case, looked_at = await court.open(), await court.head()
    before = await court.put_up()
    head = await court.head()
    heads: tuple[dict[str, Any], ...] = (looked_at, {"version": head["version"], "hash": "00" * 32})
    for wrong in heads:
        stale = await court.rule(case, decision="back", to=before, **wrong)
        assert (stale.status_code, problem(stale)) == (412, "stale-ruling")
    assert (await court.service.get(case))["summary"]["version"] == 1
    assert await court.head() == head


async def test_a_refusal_is_decided_again_at_that_version_and_shown(court: Court) -> None:
    version = (await court.service.get(court.url))["version"]
    command = {"type": "put-up", "coins": 99}
    about: dict[str, Any] = {"kind": "refusal", "version": version}
    accepted = {"statement": "?", "command": command | {"coins": 1}} | about
    refused = await court.ask("POST", f"{court.url}/cases", court.anna, accepted)
    assert refused.json()["rule"] == "TAB-CASE-05"
    unknown = await court.ask("POST", f"{court.url}/cases", court.anna, accepted | {"command": {"type": "fly"}})
    assert unknown.json()["rule"] == "TAB-CMD-01"
    case = await court.open(command=command, **about)
    await court.put_up()
    shown = await court.service.get(case, court.anna)
    assert (shown["command"], shown["refusal"]["rule"]) == (command, "TA-PUT-01")
    assert shown["refusal"]["detail"]
    assert (await court.service.get(case, court.julia))["refusal"] == shown["refusal"]
    assert (await court.service.get(case, court.bert))["refusal"] is None


async def test_a_refused_secret_is_not_in_the_log(court: Court) -> None:
    version = (await court.service.get(court.url))["version"]
    command = {"type": "choose-card", "card": 1}
    case = await court.open(court.bert, kind="refusal", version=version, command=command)
    shown = await court.service.get(case, court.bert)
    assert shown["command"] == {"type": "choose-card"}
    assert shown["refusal"]["rule"]
    assert "card" not in (await court.service.get(f"{case}/events"))["items"][0]["event"]["command"]


# --- who sees and who may ---


async def test_seats_and_officials_read_what_was_written_and_everybody_after_the_game(court: Court) -> None:
    case = await court.open()
    for player, text in (
        (court.anna, True),
        (court.bert, True),
        (court.julia, True),
        (court.carla, False),
        (None, False),
    ):
        statement = (await court.service.get(case, player))["statements"][0]
        assert (statement["text"] is not None, statement["salt"] is not None) == (text, text)
        exported = await court.ask("GET", f"{case}/export", player)
        assert ("wrong one" in exported.text) is text
        assert verify(exported.content.splitlines(keepends=True), LIBRARY).ok
    await court.rule(case, decision="result", order=[["blue"], ["red"]])
    assert (await court.service.get(case))["statements"][0]["text"]


async def test_a_statement_is_erased_by_officials_and_administrators(court: Court) -> None:
    case = await court.open(statement="<script>alert(1)</script>")
    path = f"{case}/statements/1"
    assert problem(await court.ask("DELETE", path, court.carla)) == "not-an-official"
    assert problem(await court.ask("DELETE", f"{case}/statements/x", court.julia)) == "unknown-statement"
    for _ in range(2):
        erased = await court.ask("DELETE", path, court.julia)
        statement = erased.json()["statements"][0]
        assert (erased.status_code, statement["text"], statement["salt"]) == (200, None, None)
        assert statement["erased"]
    exported = await court.ask("GET", f"{case}/export", court.julia)
    verdict = verify(exported.content.splitlines(keepends=True), LIBRARY)
    assert verdict.ok
    assert "alert" not in exported.text
    row, value = await court.service.services.accounts.register("Olga", ("admin",))
    olga = Player(row.player, {"authorization": f"Bearer {value}"})
    other = await court.open(version=5)
    assert (await court.ask("DELETE", f"{other}/statements/1", olga)).status_code == 200


async def test_strangers_and_tokens_for_other_things_are_turned_away(court: Court) -> None:
    wish = {"kind": "slip", "version": 4, "statement": "?"}
    assert problem(await court.ask("POST", f"{court.url}/cases", court.carla, wish)) == "not-seated"
    case = await court.open(court.julia)
    assert problem(await court.rule(case)) == "own-game"
    assert problem(await court.rule(case, court.bert)) == "own-game"
    assert problem(await court.rule(case, court.carla)) == "not-an-official"
    made = await court.service.post("/v1/tokens", court.julia, {"name": "bot", "scopes": ["organize", "play"]})
    bot = Player(court.julia.id, {"authorization": f"Bearer {made['token']}"})
    assert problem(await court.rule(case, bot)) == "scope-missing"
    assert problem(await court.ask("POST", f"{court.url}/cases", bot, wish)) == "scope-missing"
    for path in ("statements", "answer", "appeal"):
        answer = await court.ask("POST", f"{case}/{path}", court.carla, {"statement": "?"})
        assert answer.status_code in (409, 422)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"version": 1000}, "TAB-CASE-02"),
        ({"version": 0}, "invalid-body"),
        ({"version": 2**60}, "invalid-body"),
        ({"kind": "quarrel"}, "invalid-body"),
        ({"kind": "result"}, "TAB-CASE-02"),
        ({"statement": ""}, "TAB-CASE-06"),
        ({"statement": "x" * 2001}, "TAB-CASE-06"),
        ({"statement": "bell\x07"}, "TAB-CASE-06"),
        ({"statement": "\u202eturned"}, "TAB-CASE-06"),
        ({"rules": ["CC-MOV-03"]}, "TAB-RUL-08"),
        ({"rules": ["nonsense"]}, "TAB-RUL-08"),
        ({"command": {"type": "put-up"}}, "TAB-CASE-05"),
        ({"kind": "refusal"}, "TAB-CASE-05"),
        ({"kind": "refusal", "command": 5}, "TAB-CMD-01"),
        ({"unknown": 1}, "invalid-body"),
    ],
)
async def test_a_case_that_cannot_be_is_refused(court: Court, wrong: dict[str, Any], said: str) -> None:
    wish = {"kind": "slip", "version": 4, "statement": "?"} | wrong
    answer = await court.ask("POST", f"{court.url}/cases", court.anna, wish)
    assert answer.status_code in (409, 422), answer.text
    assert said in (answer.json().get("rule"), problem(answer)), answer.text


async def test_the_same_event_and_a_fourth_case_are_refused(court: Court) -> None:
    await court.open()
    wish = {"kind": "move", "version": 4, "statement": "?"}
    assert (await court.ask("POST", f"{court.url}/cases", court.anna, wish)).json()["rule"] == "TAB-CASE-04"
    assert (await court.ask("POST", f"{court.url}/cases", court.bert, wish)).status_code == 201
    for version in (5, 6):
        await court.open(version=version)
    fourth = await court.ask("POST", f"{court.url}/cases", court.anna, {"kind": "move", "version": 3, "statement": "?"})
    assert fourth.json()["rule"] == "TAB-CASE-03"


# --- how much there may be ---


@pytest.mark.rule("TAB-LIM-01")
async def test_a_seat_writes_twenty_texts_in_a_case_and_appeals_all_the_same(court: Court) -> None:
    case, said = await court.open(), {"statement": "And another thing."}
    for _ in range(MOST_WRITTEN - 1):
        await court.service.post(f"{case}/statements", court.anna, said)
    refused = await court.ask("POST", f"{case}/statements", court.anna, said)
    assert (refused.status_code, refused.json()["rule"]) == (422, "TAB-LIM-01")
    await court.service.post(f"{case}/answer", court.bert, said)
    await court.service.post(f"{case}/statements", court.bert, said)
    await court.rule(case)
    await court.service.post(f"{case}/appeal", court.anna, said)
    assert await proved(court, case, court.julia)


@pytest.mark.rule("TAB-LIM-02")
async def test_an_account_opens_fifty_cases_of_a_game(court: Court, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domain.judging.case.MOST_OPENED", 2)
    for version in (4, 5):
        await court.service.post(f"{await court.open(version=version)}/withdrawal", court.anna)
    wish = {"kind": "slip", "version": 6, "statement": "?"}
    refused = await court.ask("POST", f"{court.url}/cases", court.anna, wish)
    assert (refused.status_code, refused.json()["rule"]) == (422, "TAB-LIM-02")
    await court.open(court.bert, version=6)


async def test_statements_are_paged_and_an_act_answers_with_its_own(court: Court) -> None:
    case, texts = await court.open(), ["I clicked on the wrong one.", "One.", "Two.", "Three."]
    for text in texts[1:]:
        made = await court.service.post(f"{case}/statements", court.anna, {"statement": text})
        assert ([each["text"] for each in made["statements"]], made["next"]) == ([text], None)
    seen, after = list[str](), 0
    while after is not None:
        page = await court.service.get(f"{case}?limit=2&after={after}", court.anna)
        seen += [each["text"] for each in page["statements"]]
        after = page["next"]
    assert seen == texts
    assert (await court.rule(case)).json()["statements"] == []
    assert (await court.service.get(f"{case}?after=4"))["statements"] == []


async def test_neither_a_game_nor_a_step_is_shown_by_reading_cases(
    court: Court, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a long case would slow down every game whose steps concern the same rules."""
    before = await court.put_up()
    step, case = f"{court.url}/inspection?version={before + 1}", await court.open(rules=["TA-PUT-01"], version=3)
    await court.rule(case, decision="result", order=[["blue"], ["red"]])
    end = (await court.service.get(court.url))["version"]
    late = await court.open(court.bert, kind="result", version=end)
    await court.rule(late, decision="result", order=[["red"], ["blue"]])
    # Projections read cases in the background; those reads belong to no request.
    await caught_up(court.service)
    asked = list[str]()
    read, statements = court.service.services.store.read, court.service.services.store.statements
    store = court.service.services.store
    monkeypatch.setattr(store, "read", lambda stream, *rest: asked.append(stream) or read(stream, *rest))
    monkeypatch.setattr(store, "statements", lambda stream, *rest: asked.append(stream) or statements(stream, *rest))
    assert (await court.service.get(court.url))["result"]["winners"] == ["red"]
    shown = (await court.service.get(step))["precedents"]
    assert [(f"/v1/cases/{each['summary']['case']}", each["rulings"][0]["ruling"]["decision"]) for each in shown] == [
        (case, "result")
    ]
    assert [stream for stream in asked if stream.startswith("c")] == []
    await court.service.get(case)
    assert [stream for stream in asked if stream.startswith("c")] == [case.rpartition("/")[2]] * 2


async def test_requests_at_once_are_limited_as_those_one_after_another(
    court: Court, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one stream holds is counted on the version that it is appended to."""
    monkeypatch.setattr("domain.judging.case.MOST_WRITTEN", 3)
    monkeypatch.setattr("domain.kernel.log.officials.MOST_OFFICIALS", 3)
    case, others = await court.open(), [await court.service.register(f"Otto {number}") for number in range(4)]
    wish = {"kind": "slip", "statement": "?"}
    opened, stated, named = await asyncio.gather(
        asyncio.gather(
            *(court.ask("POST", f"{court.url}/cases", court.bert, wish | {"version": at}) for at in (1, 2, 3, 5, 6))
        ),
        asyncio.gather(*(court.ask("POST", f"{case}/statements", court.anna, {"statement": "!"}) for _ in range(5))),
        asyncio.gather(*(court.ask("PUT", f"{court.url}/officials/{each.id}", court.anna) for each in others)),
    )
    assert [sum(each.status_code < 300 for each in some) for some in (opened, stated, named)] == [3, 2, 2]


# --- repetitions and races ---


async def test_a_repeated_request_gets_the_first_answer(court: Court) -> None:
    wish = {"kind": "slip", "version": 4, "statement": "I clicked on the wrong one."}
    opened = [await court.ask("POST", f"{court.url}/cases", court.anna, wish, idempotency_key="k") for _ in range(2)]
    assert [each.status_code for each in opened] == [201, 201]
    first, second = (each.json() for each in opened)
    assert (first.pop("repeated"), second.pop("repeated")) == (False, True)
    assert first == second
    case = opened[0].headers["location"]
    other = await court.ask("POST", f"{court.url}/cases", court.anna, wish | {"version": 5}, idempotency_key="k")
    assert problem(other) == "key-reused"
    ruling = RULED | await court.head() | {"decision": "pause"}
    for repeated in (False, True):
        ruled = await court.ask("POST", f"{case}/rulings", court.julia, ruling, idempotency_key="r")
        assert (ruled.status_code, ruled.json()["repeated"], ruled.headers["etag"]) == (200, repeated, '"2"')
    twice = await court.ask("POST", f"{case}/rulings", court.julia, ruling, idempotency_key="another")
    assert problem(twice) == "already-ruled"
    for _ in range(2):
        await court.ask("POST", f"{case}/consent", court.bert, idempotency_key="c")
    assert (await court.service.get(case))["consents"] == ["blue"]


async def test_a_request_that_comes_again_while_the_first_is_stored_gets_its_answer(
    court: Court, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process was killed, and the database went on: the key is not there yet when it is looked up."""
    store = court.service.services.store
    seen, looks = store.use_of_key, list[object]()

    async def seen_later(*use: Any) -> KeptUse | None:
        looks.append(use)
        return await seen(*use) if len(looks) % 2 == 0 else None

    monkeypatch.setattr(store, "use_of_key", seen_later)
    wish = {"kind": "slip", "version": 4, "statement": "I clicked on the wrong one."}
    case, ruling = "", RULED | await court.head() | {"decision": "pause"}
    for path, player, body in (
        (f"{court.url}/cases", court.anna, wish),
        ("rulings", court.julia, ruling),
    ):
        address = path if path.startswith("/") else f"{case}/{path}"
        first = await court.ask("POST", address, player, body, idempotency_key=path[-8:])
        looks.clear()
        again = await court.ask("POST", address, player, body, idempotency_key=path[-8:])
        assert (again.status_code, again.json()["repeated"]) == (first.status_code, True), again.text
        assert len(looks) == 2
        case = case or first.headers["location"]


async def test_if_match_names_the_version_of_the_case(court: Court) -> None:
    case = await court.open()
    said = {"statement": "?"}
    stale = await court.ask("POST", f"{case}/statements", court.anna, said, if_match='"2"')
    assert (stale.status_code, problem(stale)) == (412, "stale-version")
    assert (await court.ask("POST", f"{case}/statements", court.anna, said, if_match='"1"')).status_code == 200


async def test_cases_opened_at_once_have_numbers_of_their_own(court: Court) -> None:
    players = (court.anna, court.bert, court.julia)
    opened = await asyncio.gather(*(court.open(players[number % 3], version=number + 1) for number in range(6)))
    listed = (await court.service.get(f"{court.url}/cases"))["items"]
    assert [each["number"] for each in listed] == list(range(6, 0, -1))
    assert {f"/v1/cases/{each['case']}" for each in listed} == set(opened)


# --- lists, and what else reads the log ---


async def test_cases_are_listed_by_game_status_and_rule(court: Court) -> None:
    one, two = await court.open(rules=["TA-PUT-01"]), await court.open(version=5)
    await court.rule(one)
    get = court.service.get

    async def found(query: str) -> list[str]:
        return [f"/v1/cases/{each['case']}" for each in (await get(f"/v1/cases{query}"))["items"]]

    assert await found("") == await found(f"?game={court.game}") == [two, one]
    assert await found("?status=open") == [two]
    assert await found("?rule=TAB-UNDO-02") == await found("?rule=TA-PUT-01&status=ruled") == [one]
    assert await found("?game=gother") == []
    page = await get(f"{court.url}/cases?limit=1")
    rest = await get(f"{court.url}/cases?limit=1&cursor={page['next']}")
    assert (len(page["items"]), len(rest["items"]), rest["next"]) == (1, 1, None)
    assert problem(await court.ask("GET", "/v1/cases?cursor=nonsense")) == "invalid-query"
    assert problem(await court.ask("GET", "/v1/games/gone/cases")) == "unknown-game"


async def test_the_events_of_a_case_are_a_chain(court: Court) -> None:
    case = await court.open()
    await court.service.post(f"{case}/statements", court.bert, {"statement": "?"})
    events = await court.service.get(f"{case}/events")
    assert [each["type"] for each in events["items"]] == ["case-opened", "statement-made"]
    assert events["items"][0]["text"].startswith("Red opened case 1 of the game: a slip at version 4.")
    beyond = await court.service.ask("GET", f"{case}/events?after=999")
    assert (beyond.json()["items"], beyond.headers["etag"]) == ([], f'"{len(events["items"])}"')
    page = await court.service.get(f"{case}/events?limit=1")
    assert page["next"] == 1
    assert (await court.service.get(f"{case}/events?after=1"))["items"] == events["items"][1:]


async def test_whatever_follows_the_games_passes_the_rows_of_cases(court: Court) -> None:
    case = await court.open()
    await court.put_up()
    row, value = await court.service.services.accounts.register("Olga", ("audit",))
    olga = Player(row.player, {"authorization": f"Bearer {value}"})
    seen, cursor = [], ""
    while page := (await court.service.get(f"/v1/log?limit=1{cursor}", olga))["items"]:
        seen.extend(page)
        cursor = f"&cursor={(await court.service.get(f'/v1/log?limit=1{cursor}', olga))['next']}"
    assert {each["game"] for each in seen} == {court.game}
    assert [each["event"]["version"] for each in seen] == list(range(1, len(seen) + 1))
    assert len((await court.service.get("/v1/games"))["items"]) == 1
    assert (await court.ask("GET", case.replace("/cases/", "/games/"))).status_code == 404
    head, found = (await court.head())["version"], 0
    for _ in range(200):
        if found != head:
            await asyncio.sleep(0.05)
            items = (await court.service.get("/v1/games?text=tiny"))["items"]
            found = items[0]["version"] if items else 0
    assert found == head


async def test_answers_are_json_that_a_case_export_agrees_with(court: Court) -> None:
    case = await court.open()
    exported = (await court.ask("GET", f"{case}/export", court.anna)).content.splitlines()
    row = json.loads(exported[1])
    shown = (await court.service.get(f"{case}/events"))["items"][0]
    assert (row["event"], row["hash"], row["cause"]) == (shown["event"], shown["hash"], shown["cause"])
