"""The position, what may be done, and doing it: each as the caller may see it."""

from pathlib import Path
from typing import Any
from uuid import RFC_4122, UUID

import pytest

from domain import library
from domain.boards import builtin, drawing_of
from service.api.contract.document import endpoints
from service.api.downloads import STILL_THE_SAME
from tests.service.api.serving import Player, Service, serving


@pytest.fixture
async def game(service: Service, anna: Player, bert: Player) -> str:
    return await service.begun(anna, bert, rounds=1)


async def bidding(service: Service, game: str, anna: Player) -> None:
    await service.give(game, anna, "put-up", coins=1)
    await service.give(game, anna, "open-bidding")


async def test_a_seat_sees_its_own_hand_and_no_other(service: Service, game: str, anna: Player, bert: Player) -> None:
    reds = await service.get(f"/v1/games/{game}/state", anna)
    publics = await service.get(f"/v1/games/{game}/state")
    assert (reds["seat"], publics["seat"]) == ("red", None)
    assert (reds["everything"], publics["everything"]) == (False, False)
    assert None not in reds["view"]["hands"]["red"]
    assert set(reds["view"]["hands"]["blue"]) == {None}
    assert set(publics["view"]["hands"]["red"]) == {None}


async def test_an_organizer_without_a_seat_sees_everything(service: Service, anna: Player, bert: Player) -> None:
    carla = await service.register("Carla")
    game = await service.begun(anna, bert, organizer=carla, organizer_sees="all")
    whole = await service.get(f"/v1/games/{game}/state", carla)
    assert whole["everything"]
    assert None not in whole["view"]["hands"]["red"]
    assert None not in whole["view"]["hands"]["blue"]


async def test_an_organizer_sees_no_more_than_spectators_unless_the_game_was_created_so(
    service: Service, anna: Player, bert: Player
) -> None:
    carla = await service.register("Carla")
    game = await service.begun(anna, bert, organizer=carla)
    assert (await service.get(f"/v1/games/{game}"))["organizer_sees"] == "spectator"
    for path in ("", "/state", "/events", "/history", "/marks"):
        url = f"/v1/games/{game}{path}"
        assert await service.get(url, carla) == await service.get(url), path
    exports = [(await service.ask("GET", f"/v1/games/{game}/export", each)).content for each in (carla, None)]
    assert exports[0] == exports[1]


async def test_the_first_event_shows_everybody_what_the_organizer_sees(
    service: Service, anna: Player, bert: Player
) -> None:
    for sight in ("all", "spectator"):
        game = await service.gathering(anna, organizer_sees=sight)
        assert (await service.get(f"/v1/games/{game}", bert))["organizer_sees"] == sight
        assert (await service.get(f"/v1/games/{game}/events"))["items"][0]["event"]["organizer_sees"] == sight
    wrong = {"ruleset": "tiny-auction", "players": 2, "organizer_sees": "some"}
    answer = await service.ask("POST", "/v1/games", anna, wrong)
    assert (answer.status_code, answer.json()["path"]) == (422, "$.organizer_sees")


async def test_an_organizer_who_plays_sees_what_the_seat_sees(service: Service, game: str, anna: Player) -> None:
    assert (await service.get(f"/v1/games/{game}"))["organizer"] == anna.id
    assert set((await service.get(f"/v1/games/{game}/state", anna))["view"]["hands"]["blue"]) == {None}


async def test_events_show_a_secret_to_its_readers_alone(service: Service, game: str, anna: Player) -> None:
    def secrets(page: dict[str, Any]) -> list[Any]:
        return [secret for event in page["items"] for secret in event.get("secrets", [])]

    assert secrets(await service.get(f"/v1/games/{game}/events")) == []
    reds = secrets(await service.get(f"/v1/games/{game}/events", anna))
    assert [secret["readers"] for secret in reds] == [["red"]] * 3


async def test_the_answer_to_a_command_shows_what_the_seat_may_see(
    service: Service, game: str, anna: Player, bert: Player
) -> None:
    await bidding(service, game, anna)
    card = await service.first_card(game, anna)
    answer = await service.give(game, anna, "choose-card", card=card)
    (secret,) = {each["value"] for event in answer["events"] for each in event["secrets"] if each["value"] == card}
    assert secret == card
    berts = await service.get(f"/v1/games/{game}/events?after={answer['after']}", bert)
    assert all("secrets" not in event for event in berts["items"])
    assert set(berts["items"][0]["cause"]["command"]) == {"type", "sealed"}


async def test_whatever_has_the_shape_of_a_ruleset_names_it(
    service: Service, game: str, anna: Player, bert: Player
) -> None:
    given = await service.give(game, anna, "put-up", coins=1)
    events = (await service.get(f"/v1/games/{game}/events?limit=500"))["items"]
    state = await service.get(f"/v1/games/{game}/state")
    options = await service.get(f"/v1/games/{game}/options", bert)
    assert {each["ruleset"] for each in (*given["events"], *events, state, options)} == {"tiny-auction"}


async def test_every_option_is_accepted(service: Service, game: str, anna: Player) -> None:
    options = await service.get(f"/v1/games/{game}/options", anna)
    (put_up,) = [option for option in options["options"] if option["command"] == "put-up"]
    assert put_up["schema"]["properties"]["coins"] == {"type": "integer", "minimum": 1, "maximum": 3}
    assert [decision["kind"] for decision in options["decisions"]] == ["put-up-prize"]
    await service.give(game, anna, "put-up", coins=3)


async def test_a_seat_that_need_not_decide_has_no_answer_to_give(service: Service, game: str, bert: Player) -> None:
    options = await service.get(f"/v1/games/{game}/options", bert)
    assert (options["decisions"], options["options"]) == ([], [])


async def test_several_commands_happen_together(service: Service, game: str, anna: Player) -> None:
    commands = [{"type": "put-up", "coins": 1}, {"type": "put-up", "coins": 1}, {"type": "open-bidding"}]
    answer = await service.post(f"/v1/games/{game}/commands", anna, {"commands": commands})
    assert [event["type"] for event in answer["events"]] == ["prize-put-up", "prize-put-up", "bidding-opened"]


async def test_a_check_stores_nothing(service: Service, game: str, anna: Player) -> None:
    before = await service.get(f"/v1/games/{game}")
    body = {"command": {"type": "put-up", "coins": 1}}
    checked = await service.post(f"/v1/games/{game}/commands/check", anna, body)
    assert checked == {"version": before["version"], "commands": 1, "can_undo": True, "gone": {}}
    refused = await service.ask("POST", f"/v1/games/{game}/commands/check", anna, {"command": {"type": "open-bidding"}})
    assert (refused.status_code, refused.json()["rule"]) == (422, "TA-PUT-02")
    assert (await service.get(f"/v1/games/{game}"))["head"] == before["head"]


async def test_a_check_says_what_would_be_asked_next(service: Service, game: str, anna: Player) -> None:
    async def check(*commands: dict[str, Any]) -> Any:
        return await service.post(f"/v1/games/{game}/commands/check?next=true", anna, {"commands": commands})

    put_up, opening = {"type": "put-up", "coins": 1}, {"type": "open-bidding"}
    foreseen = await check(put_up, opening)
    await service.post(f"/v1/games/{game}/commands", anna, {"commands": [put_up, opening]})
    now = await service.get(f"/v1/games/{game}/options", anna)
    assert foreseen["next"]["decisions"] == now["decisions"]
    assert foreseen["next"]["options"] == [option for option in now["options"] if option["command"] != "undo"]
    # Nobody can take back a card that was chosen.
    assert "next" not in await check({"type": "choose-card", "card": await service.first_card(game, anna)})


async def test_a_snapshot_is_the_position_with_ones_options(
    service: Service, game: str, anna: Player, bert: Player
) -> None:
    await bidding(service, game, anna)
    newest = (await service.get(f"/v1/games/{game}"))["version"]
    for player in (anna, bert, None):
        for query in ("", "?version=1", f"?version={newest - 1}", f"?version={newest}"):
            snapshot = await service.get(f"/v1/games/{game}/snapshot{query}", player)
            options = snapshot.pop("options")
            assert snapshot == await service.get(f"/v1/games/{game}/state{query}", player)
            offered = (await service.get(f"/v1/games/{game}/options{query}", player))["options"] if player else []
            assert options == offered, (player, query)
    unknown = await service.ask("GET", f"/v1/games/{game}/snapshot?version={newest + 1}", anna)
    assert (unknown.status_code, unknown.json()["type"]) == (404, "/problems/unknown-version")


async def test_commands_are_answered_with_what_comes_next(
    service: Service, game: str, anna: Player, bert: Player
) -> None:
    url, body = f"/v1/games/{game}/commands", {"command": {"type": "put-up", "coins": 1}}
    plain = await service.post(url, anna, body)
    assert "next" not in plain
    given = await service.post(f"{url}?next=true", anna, {"command": {"type": "open-bidding"}}, idempotency_key="k")
    assert given["next"] == await service.get(f"/v1/games/{game}/snapshot", anna)
    assert given["next"]["version"] == given["version"]
    assert "undo" in {option["command"] for option in given["next"]["options"]}

    again = await service.post(f"{url}?next=true", anna, {"command": {"type": "open-bidding"}}, idempotency_key="k")
    assert again == {**given, "repeated": True}
    await service.give(game, bert, "choose-card", card=await service.first_card(game, bert))
    later = await service.post(f"{url}?next=true", anna, {"command": {"type": "open-bidding"}}, idempotency_key="k")
    assert later["next"] == await service.get(f"/v1/games/{game}/snapshot?version={given['version']}", anna)


async def test_a_program_plays_on_with_one_request_for_each_move(
    service: Service, game: str, anna: Player, bert: Player
) -> None:
    url = f"/v1/games/{game}/commands?next=true"
    now = await service.get(f"/v1/games/{game}/snapshot", anna)
    for command in ({"type": "put-up", "coins": 1}, {"type": "open-bidding"}):
        assert command["type"] in {option["command"] for option in now["options"]}
        now = (await service.post(url, anna, {"command": command}, if_match=f'"{now["version"]}"'))["next"]
    cards = next(
        option["schema"]["properties"]["card"] for option in now["options"] if option["command"] == "choose-card"
    )
    chosen = {"type": "choose-card", "card": cards.get("const", cards.get("enum", [None])[0])}
    now = (await service.post(url, anna, {"command": chosen}, if_match=f'"{now["version"]}"'))["next"]
    assert (now["seat"], now["decisions"][0]["seats"]) == ("red", ["blue"])
    assert now["view"]["hands"]["blue"] == (await service.get(f"/v1/games/{game}/state", anna))["view"]["hands"]["blue"]


async def test_a_check_says_whether_commands_can_be_taken_back(
    service: Service, game: str, anna: Player, bert: Player
) -> None:
    async def can_undo(player: Player, *commands: dict[str, Any]) -> bool:
        checked = await service.post(f"/v1/games/{game}/commands/check", player, {"commands": commands})
        return checked["can_undo"]

    begun = (await service.get(f"/v1/games/{game}"))["version"]
    put_up = {"type": "put-up", "coins": 1}
    assert await can_undo(anna, put_up, put_up)
    await service.give(game, anna, "put-up", coins=1)
    assert await can_undo(anna, {"type": "open-bidding"})
    assert not await can_undo(anna, {"type": "undo", "to": begun})
    await service.give(game, anna, "open-bidding")
    await service.give(game, anna, "choose-card", card=await service.first_card(game, anna))
    # The last card that is chosen turns all of them up.
    assert not await can_undo(bert, {"type": "choose-card", "card": await service.first_card(game, bert)})


async def test_own_commands_are_taken_back(service: Service, game: str, anna: Player) -> None:
    before = await service.get(f"/v1/games/{game}/state", anna)
    await service.give(game, anna, "put-up", coins=2)
    await service.give(game, anna, "undo", to=before["version"])
    after = await service.get(f"/v1/games/{game}/state", anna)
    assert after["view"] == before["view"]
    assert after["version"] == before["version"] + 2


async def test_the_position_is_shown_at_every_version(service: Service, game: str, anna: Player) -> None:
    begun = await service.get(f"/v1/games/{game}/state", anna)
    await service.give(game, anna, "put-up", coins=2)
    then = await service.ask("GET", f"/v1/games/{game}/state?version={begun['version']}", anna)
    assert then.json() == begun
    assert then.headers["etag"] == f'"{begun["version"]}"'
    assert (await service.get(f"/v1/games/{game}/state?version=1"))["view"] is None


async def test_an_answer_that_the_client_has_is_not_sent_again(service: Service, game: str, anna: Player) -> None:
    asked = [
        (path.replace("{game}", game), said)
        for path, method, said in endpoints()
        if method == "GET" and "{game}" in path and any(answer.status == 304 for answer in said.answers)
        if STILL_THE_SAME not in said.answers  # which are tried in test_downloads.py
    ]
    assert {"showState", "showOptions", "listAnswers", "listEvents", "tellHistory"} <= {said.name for _, said in asked}
    tags = {url: (await service.ask("GET", url, anna)).headers["etag"] for url, _ in asked}
    for url, tag in tags.items():
        for same in (tag, f"W/{tag}", f'"other", {tag}', "*"):
            again = await service.ask("GET", url, anna, if_none_match=same)
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag), (url, same)
        assert (await service.ask("GET", url, anna, if_none_match='"other"')).status_code == 200, url
    await service.give(game, anna, "put-up", coins=1)
    for url, tag in tags.items():
        assert (await service.ask("GET", url, anna, if_none_match=tag)).status_code == 200, url


async def test_options_that_have_passed_are_not_taken_for_what_they_were(
    service: Service, game: str, anna: Player
) -> None:
    await service.give(game, anna, "put-up", coins=1)
    now = await service.ask("GET", f"/v1/games/{game}/options", anna)
    assert "undo" in {option["command"] for option in now.json()["options"]}
    await service.give(game, anna, "open-bidding")
    url, tag = f"/v1/games/{game}/options?version={now.json()['version']}", now.headers["etag"]
    then = await service.ask("GET", url, anna, if_none_match=tag)
    assert (then.status_code, then.headers["etag"]) == (200, tag)
    assert "undo" not in {option["command"] for option in then.json()["options"]}


def test_what_can_be_unchanged_says_so_in_all_three_places() -> None:
    for path, _, said in endpoints():
        reads = "If-None-Match" in said.headers
        assert reads == any(answer.status == 304 for answer in said.answers), path
        assert not reads or all("ETag" in answer.headers for answer in said.answers), path


async def test_when_the_game_is_over_nothing_is_hidden(service: Service, game: str, anna: Player, bert: Player) -> None:
    url = f"/v1/games/{game}/state"
    hidden = await service.ask("GET", url)
    await service.play_out(game, anna, bert)
    past = f"{url}?version={hidden.json()['version']}"
    shown = await service.ask("GET", past, None, None, if_none_match=hidden.headers["etag"])
    assert (shown.status_code, shown.json()["everything"]) == (200, True)
    assert None not in shown.json()["view"]["hands"]["blue"]
    over = await service.get(f"/v1/games/{game}")
    assert (over["status"], over["decisions"]) == ("over", [])
    assert over["result"]["rule"] == "TA-END-01"


async def test_head_is_answered_wherever_get_is(service: Service, game: str, anna: Player) -> None:
    for path in ("/v1/games", f"/v1/games/{game}", f"/v1/games/{game}/state", "/openapi.json", "/docs"):
        got, head = await service.ask("GET", path, anna), await service.ask("HEAD", path, anna)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-length"] == got.headers["content-length"]
        assert "HEAD" in (await service.client.put(path)).headers["allow"].split(", ")
    stream = await service.client.put(f"/v1/games/{game}/events/stream")
    assert "HEAD" not in stream.headers["allow"].split(", ")


async def test_a_frontend_from_anywhere_may_ask(service: Service) -> None:
    asked = {"origin": "https://play.example", "access-control-request-method": "POST"}
    wanted = {"access-control-request-headers": "authorization,content-type,idempotency-key,if-match"}
    allowed = await service.client.options("/v1/games", headers={**asked, **wanted})
    assert allowed.status_code == 204
    assert allowed.headers["access-control-allow-origin"] == "*"
    methods = await service.client.options("/v1/games")
    assert methods.headers["allow"] == "GET, HEAD, OPTIONS, POST"
    answer = await service.client.get("/v1/games", headers={"origin": "https://play.example"})
    assert "ETag" in answer.headers["access-control-expose-headers"]
    assert answer.headers["access-control-allow-origin"] == "*"
    with_cookie = await service.client.get("/v1/games", headers={"origin": "https://play.example", "cookie": "a=b"})
    assert with_cookie.headers["access-control-allow-origin"] == "https://play.example"
    assert with_cookie.headers["vary"] == "Origin"
    refused = await service.client.put("/v1/games", headers={"origin": "https://play.example"})
    assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (405, "*")


async def test_a_frontend_may_not_send_what_no_endpoint_takes(service: Service) -> None:
    asked = {"origin": "https://play.example", "access-control-request-method": "TRACE"}
    refused = await service.client.options("/v1/games", headers={**asked, "access-control-request-headers": "x-own"})
    assert (refused.status_code, refused.text) == (400, "Disallowed CORS method, headers")


async def test_every_request_has_an_id_of_its_own(service: Service) -> None:
    ids = {UUID((await service.client.get("/v1/games")).headers["request-id"]) for _ in range(20)}
    assert len(ids) == 20
    assert {(each.version, each.variant) for each in ids} == {(4, RFC_4122)}


@pytest.mark.parametrize("what", ["state", "", "options"])
async def test_no_cache_keeps_what_an_account_sees(service: Service, game: str, anna: Player, what: str) -> None:
    answer = await service.ask("GET", f"/v1/games/{game}/{what}".rstrip("/"), anna)
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.rule("TAB-CMD-02")
async def test_a_count_of_0_is_refused_wherever_a_command_is_sent(tmp_path: Path) -> None:
    async with serving(tmp_path, library.LIBRARY, builtin, drawings=drawing_of, durable=False) as service:
        anna, bert = await service.register("Anna"), await service.register("Bert")
        carla = await service.register("Carla")
        game = (await service.post("/v1/games", anna, {"ruleset": "italia-1", "players": 3}))["id"]
        for player in (anna, bert, carla):
            await service.post(f"/v1/games/{game}/seats", player, {})
        await service.post(f"/v1/games/{game}/start", anna)
        now = await service.get(f"/v1/games/{game}")
        seats = {seat["seat"]: seat["player"] for seat in now["seats"]}
        asked = next(each for each in (anna, bert, carla) if seats[now["decisions"][0]["seats"][0]] == each.id)
        command = {"type": "place", "kind": "infantry", "area": "africa", "number": 0}
        for path, body in (
            ("commands", {"command": command}),
            ("commands/check", {"command": command}),
            ("answers", {"decision": now["decisions"][0]["kind"], "command": command}),
        ):
            refused = await service.ask("POST", f"/v1/games/{game}/{path}", asked, body)
            assert (refused.status_code, refused.json().get("rule")) == (422, "TAB-CMD-02"), refused.text
            assert "number = 0" in refused.json()["detail"]
