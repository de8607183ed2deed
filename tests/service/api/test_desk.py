"""What a judge sees at an earlier version: what a seat might have done, and all that an inspection shows."""

from typing import Any

import pytest

from tests.service.api.serving import Player, Service


def kinds(options: dict[str, Any]) -> set[str]:
    return {option["command"] for option in options["options"]}


@pytest.fixture
async def julia(service: Service) -> Player:
    return await service.register("Julia")


@pytest.fixture
async def game(service: Service, anna: Player, bert: Player, julia: Player) -> str:
    """A game of Anna and Bert with Julia as its official: Anna has put up a prize at version 6 and opened bidding."""
    game = await service.begun(anna, bert)
    assert (await service.ask("PUT", f"/v1/games/{game}/officials/{julia.id}", anna)).status_code == 200
    await service.give(game, anna, "put-up", coins=1)
    await service.give(game, anna, "open-bidding")
    return game


# --- the options of the past ---


async def test_a_seat_sees_what_it_might_have_done(service: Service, game: str, anna: Player) -> None:
    url = f"/v1/games/{game}/options"
    now, then = await service.get(url, anna), await service.get(f"{url}?version=6", anna)
    assert (kinds(now), kinds(then)) == ({"choose-card", "undo"}, {"put-up"})
    assert ([each["kind"] for each in then["decisions"]], then["version"], then["seat"]) == (["put-up-prize"], 6, "red")
    # Of the past no undo is shown, wherever the service has it from.
    assert kinds(await service.get(f"{url}?version=7", anna)) == {"put-up", "open-bidding"}
    assert kinds(await service.get(f"{url}?version=1", anna)) == set()


async def test_an_official_sees_what_any_seat_might_have_done(service: Service, game: str, julia: Player) -> None:
    url = f"/v1/games/{game}/options"
    for query, found in (
        ("?seat=red&version=6", {"put-up"}),
        ("?seat=blue", {"choose-card"}),
        ("?seat=blue&version=6", set()),
    ):
        assert kinds(await service.get(url + query, julia)) == found
    # But has none of their own.
    assert (await service.ask("GET", url, julia)).json()["type"] == "/problems/not-seated"


async def test_the_options_of_a_seat_with_a_hand_are_hidden_from_the_others(
    service: Service, game: str, anna: Player, bert: Player
) -> None:
    url = f"/v1/games/{game}/options"
    for player in (None, bert):
        for query in ("?seat=red", "?seat=red&version=6"):
            answer = await service.ask("GET", url + query, player)
            assert (answer.status_code, answer.json()["type"]) == (403, "/problems/options-hidden")
    # Before the cards were dealt nothing was hidden.
    assert kinds(await service.get(f"{url}?seat=red&version=3")) == set()
    await service.play_out(game, anna, bert)
    assert kinds(await service.get(f"{url}?seat=red&version=6")) == {"put-up"}


async def test_whose_options_must_be_clear(service: Service, game: str, anna: Player) -> None:
    url = f"/v1/games/{game}/options"
    for query, player, status, kind in (
        ("?version=6", None, 401, "missing-token"),
        ("?seat=pink", anna, 404, "unknown-seat"),
        ("?version=99", anna, 404, "unknown-version"),
        ("?version=0", anna, 400, "invalid-query"),
        ("?at=6", anna, 400, "invalid-query"),
    ):
        answer = await service.ask("GET", url + query, player)
        assert (answer.json()["type"], answer.status_code) == (f"/problems/{kind}", status)
    made = await service.post("/v1/tokens", anna, {"name": "organizer", "scopes": ["organize"]})
    other = Player(anna.id, {"authorization": f"Bearer {made['token']}"})
    assert (await service.ask("GET", url, other)).json()["type"] == "/problems/scope-missing"
    assert (await service.ask("GET", f"{url}?seat=red", other)).json()["type"] == "/problems/options-hidden"


# --- the inspection ---


async def test_an_inspection_shows_who_was_asked_what_was_done_and_by_which_rules(
    service: Service, game: str, anna: Player, julia: Player
) -> None:
    url = f"/v1/games/{game}/inspection"
    shown = await service.get(f"{url}?version=7", julia)
    assert (shown["version"], shown["before"], shown["after"], shown["seat"]) == (7, 6, 7, "red")
    assert (shown["command"], [each["kind"] for each in shown["decisions"]]) == ("put-up", ["put-up-prize"])
    (event,) = shown["events"]
    assert (event["event"]["type"], event["counts"]) == ("prize-put-up", True)
    assert event["event"] == (await service.get(f"/v1/games/{game}/events?after=6&limit=1"))["items"][0]
    assert kinds(shown["alternatives"]) == {"put-up"}
    rule = next(each for each in shown["rules"] if each["id"] == "TA-PUT-01")
    assert rule == await service.get("/v1/rulesets/tiny-auction/rules/TA-PUT-01")
    assert {*shown["command_rules"], *event["rules"]} <= {each["id"] for each in shown["rules"]}
    assert shown["at"] == event["event"]["at"]
    assert (await service.get(url, julia))["version"] == 8


async def test_any_version_can_be_inspected(service: Service, game: str, anna: Player, bert: Player) -> None:
    await service.give(game, anna, "undo", to=7)
    await service.give(game, anna, "open-bidding")
    await service.play_out(game, anna, bert)
    last = (await service.get(f"/v1/games/{game}"))["version"]
    for version in range(1, last + 1):
        shown = await service.get(f"/v1/games/{game}/inspection?version={version}")
        assert shown["before"] < version <= shown["after"]
        assert [each["event"]["version"] for each in shown["events"]] == [
            *range(shown["before"] + 1, shown["after"] + 1)
        ]
        assert [each["counts"] for each in shown["events"]] == [
            each["event"]["version"] not in (8, 9) for each in shown["events"]
        ]
        assert shown["secret"] is not None
        assert shown["way_back"] is None
        assert all(draw["again"] == draw["shown"] for draw in shown["draws"] if draw["kind"] == "dice")
        assert (shown["alternatives"] is None) == (shown["command"] is None)
    for version, status in ((last + 1, 404), (0, 400)):
        assert (await service.ask("GET", f"/v1/games/{game}/inspection?version={version}")).status_code == status
    assert (await service.ask("GET", "/v1/games/gone/inspection")).json()["type"] == "/problems/unknown-game"


async def test_the_secret_of_a_running_game_is_not_shown(service: Service, game: str, julia: Player) -> None:
    dealt = await service.get(f"/v1/games/{game}/inspection?version=5", julia)
    assert (dealt["before"], dealt["after"], dealt["command"]) == (3, 5, None)
    assert (dealt["secret"], dealt["commitment"]) == (None, (await service.get(f"/v1/games/{game}"))["commitment"])


async def test_what_a_way_back_would_cost(
    service: Service, game: str, anna: Player, bert: Player, julia: Player
) -> None:
    await service.give(game, anna, "choose-card", card=await service.first_card(game, anna))
    await service.give(game, bert, "choose-card", card=await service.first_card(game, bert))
    way = (await service.get(f"/v1/games/{game}/inspection?version=7", julia))["way_back"]
    assert (way["to"], way["commands"]) == (6, 4)
    taken = [(each["seat"], each["command"]) for each in way["taken"]]
    assert taken == [("red", "put-up"), ("red", "open-bidding"), ("red", "choose-card"), ("blue", "choose-card")]
    # Each saw the card of the other, as it was dealt and as it was chosen. Its own is no news to a seat.
    assert [(each["seat"], each["secrets"]) for each in way["learnt"]] == [("red", 2), ("blue", 2)]
    assert way["draws"] >= 2
    later = (await service.get(f"/v1/games/{game}/inspection?version=8", julia))["way_back"]
    assert (later["to"], later["commands"]) == (7, 3)
    # Nothing begins at the deal, so nobody can go back to before it.
    assert (await service.get(f"/v1/games/{game}/inspection?version=5", julia))["way_back"] is None


async def test_the_hand_of_another_stays_hidden_in_an_inspection(
    service: Service, game: str, anna: Player, bert: Player, julia: Player
) -> None:
    await service.give(game, anna, "choose-card", card=await service.first_card(game, anna))
    url = f"/v1/games/{game}/inspection?version=9"
    for player, sees in ((None, False), (bert, False), (anna, True), (julia, True)):
        shown = await service.get(url, player)
        assert (shown["alternatives"] is not None, bool(shown["events"][0]["event"].get("secrets"))) == (sees, sees)
        assert shown["command"] == "choose-card"
    await service.play_out(game, anna, bert)
    assert (await service.get(url))["alternatives"] is not None


async def test_cases_about_the_step_and_earlier_rulings_on_its_rules_stand_beside_it(
    service: Service, game: str, anna: Player, bert: Player, julia: Player
) -> None:
    async def ruled(of: str) -> str:
        wish = {"kind": "move", "version": 7, "statement": "That was not lawful.", "rules": ["TA-PUT-01"]}
        case = (await service.post(f"/v1/games/{of}/cases", bert, wish))["summary"]["case"]
        head = (await service.get(f"/v1/games/{of}/events?limit=500"))["items"][-1]
        ruling = {"decision": "dismissed", "rules": ["TA-PUT-01"], "reason": "It was.", "version": head["version"]}
        await service.post(f"/v1/cases/{case}/rulings", julia, {**ruling, "hash": head["hash"]})
        return case

    url = f"/v1/games/{game}/inspection?version=7"
    assert (await service.get(url))["precedents"] == []
    other = await service.begun(anna, bert)
    assert (await service.ask("PUT", f"/v1/games/{other}/officials/{julia.id}", anna)).status_code == 200
    await service.give(other, anna, "put-up", coins=1)
    earlier, mine = await ruled(other), await ruled(game)
    shown = await service.get(url)
    assert [each["case"] for each in shown["cases"]] == [mine]
    (precedent,) = shown["precedents"]
    assert precedent["summary"]["case"] == earlier
    assert precedent["rulings"][0]["ruling"]["reason"] == "It was."
    assert (await service.get(f"/v1/games/{game}/inspection?version=8"))["cases"] == []


# --- what if ---


async def test_an_official_asks_what_commands_would_have_led_to(
    service: Service, game: str, anna: Player, julia: Player
) -> None:
    url = f"/v1/games/{game}"
    before = await service.get(f"{url}/events?limit=500")
    commands = [{"seat": "red", "command": {"type": "put-up", "coins": 2}}]
    asked = {"version": 6, "commands": commands, "times": 20}
    found = await service.post(f"{url}/what-if", julia, asked)
    assert (found["game"], found["version"], found["played"], found["different"]) == (game, 6, 20, 1)
    (outcome,) = found["outcomes"]
    assert (outcome["times"], outcome["share"], outcome["forbidden"], outcome["result"]) == (20, 1.0, None, None)
    assert outcome["told"]
    again = {"version": 6, "commands": [*commands, {"seat": "blue", "command": {"type": "open-bidding"}}]}
    (refused,) = (await service.post(f"{url}/what-if", julia, again))["outcomes"]
    assert (refused["times"], refused["forbidden"]["number"]) == (100, 2)
    assert refused["forbidden"]["rule"].startswith("T")
    assert await service.get(f"{url}/events?limit=500") == before
    case = await service.post(f"{url}/cases", anna, {"kind": "slip", "version": 6, "statement": "?"})
    head = before["items"][-1]
    ruling = {"decision": "pause", "rules": ["TAB-RUL-03"], "reason": "We look at it."}
    ruling |= {"version": head["version"], "hash": head["hash"]}
    await service.post(f"/v1/cases/{case['summary']['case']}/rulings", julia, ruling)
    now = (await service.get(url))["version"]
    pick = {"version": now, "commands": [{"seat": "blue", "command": {"type": "choose-card", "card": 1}}]}
    assert (await service.post(f"{url}/what-if", julia, pick))["played"] == 100  # a pause does not hold it up


async def test_nobody_else_asks_what_if_and_nothing_wrong_is_played(
    service: Service, game: str, anna: Player, julia: Player
) -> None:
    url = f"/v1/games/{game}/what-if"
    commands = [{"seat": "red", "command": {"type": "put-up", "coins": 2}}]
    asked: dict[str, Any] = {"version": 6, "commands": commands}
    problem = (await service.ask("POST", url, anna, asked)).json()
    assert problem["type"] == "/problems/not-an-official"
    for change, kind in (
        ({"version": 99}, "unknown-version"),
        ({"version": 1}, "not-now"),
        ({"times": 1001}, "invalid-body"),
        ({"commands": []}, "invalid-body"),
        ({"commands": [{"seat": "pink", "command": {}}]}, "unknown-seat"),
        ({"commands": [{"seat": "red", "command": {"type": "fly"}}]}, "refused"),
    ):
        problem = (await service.ask("POST", url, julia, asked | change)).json()
        assert problem["type"] == f"/problems/{kind}", problem
