"""Naming and releasing officials of a game over HTTP, and what they see."""

import pytest

from tests.service.api.serving import Player, Service
from tests.service.api.test_tokens import narrower, seen


@pytest.fixture
async def olga(service: Service) -> Player:
    return await service.register("Olga")


@pytest.fixture
async def ines(service: Service) -> Player:
    return await service.register("Ines")


@pytest.fixture
async def game(service: Service, anna: Player, bert: Player, olga: Player) -> str:
    game = await service.begun(anna, bert, organizer=olga)
    await service.give(game, anna, "put-up", coins=1)
    await service.give(game, anna, "open-bidding")
    await service.give(game, anna, "choose-card", card=await service.first_card(game, anna))
    return game


def official(game: str, player: Player) -> str:
    return f"/v1/games/{game}/officials/{player.id}"


@pytest.mark.rule("TAB-RUL-01")
async def test_the_organizer_names_an_official_and_everybody_sees_it(
    service: Service, game: str, olga: Player, ines: Player
) -> None:
    named = await service.ask("PUT", official(game, ines), olga)
    assert named.status_code == 200, named.text
    assert [each["event"] for each in named.json()["events"]] == [{"type": "official-named", "player": ines.id}]
    shown = await service.get(f"/v1/games/{game}")
    assert shown["officials"] == [{"player": ines.id, "name": "Ines", "looks_alike": False}]
    assert (shown["paused"], shown["take_backs"]) == (None, [])
    told = await service.get(f"/v1/games/{game}/history")
    assert f"The organizer named {ines.id} an official of this game." in str(told)
    released = await service.ask("DELETE", official(game, ines), olga)
    assert released.status_code == 200
    assert (await service.get(f"/v1/games/{game}"))["officials"] == []


async def test_an_official_sees_everything_with_the_scope_judge_and_nothing_more_afterwards(
    service: Service, game: str, olga: Player, ines: Player
) -> None:
    await service.ask("PUT", official(game, ines), olga)
    spectator, whole = await seen(service, game, None), await seen(service, game, ines)
    assert spectator != whole
    state = await service.get(f"/v1/games/{game}/state", ines)
    assert (state["seat"], state["everything"]) == (None, True)
    for scope, sees in (("judge", whole), ("organize", spectator), ("play", spectator), ("account", spectator)):
        assert await seen(service, game, await narrower(service, ines, scope)) == sees, scope
    assert await seen(service, game, olga) == spectator, "the organizer is no official by themselves"
    await service.ask("DELETE", official(game, ines), olga)
    assert await seen(service, game, ines) == await seen(service, game, None)


@pytest.mark.rule("TAB-RUL-01")
async def test_acts_that_are_not_allowed_are_refused_with_the_rule(
    service: Service, game: str, anna: Player, bert: Player, olga: Player, ines: Player
) -> None:
    for player in (anna, ines):
        refused = await service.ask("PUT", official(game, ines), player)
        assert (refused.status_code, refused.json()["type"]) == (403, "/problems/not-organizer")
        refused = await service.ask("DELETE", official(game, ines), player)
        assert (refused.status_code, refused.json()["type"]) == (403, "/problems/not-organizer")
    unknown = await service.ask("PUT", f"/v1/games/{game}/officials/pnobody", olga)
    assert (unknown.status_code, unknown.json()["type"]) == (404, "/problems/unknown-player")
    for method, player in (("PUT", bert), ("DELETE", ines)):
        refused = await service.ask(method, official(game, player), olga)
        assert (refused.status_code, refused.json()["rule"]) == (422, "TAB-RUL-01")
    await service.ask("PUT", official(game, ines), olga)
    assert (await service.ask("PUT", official(game, ines), olga)).json()["rule"] == "TAB-RUL-01"
    stale = await service.ask("DELETE", official(game, ines), olga, if_match='"1"')
    assert stale.json()["type"] == "/problems/stale-version"
    await service.play_out(game, anna, bert)
    late = await service.ask("DELETE", official(game, ines), olga)
    assert (late.status_code, late.json()["type"]) == (409, "/problems/not-now")


@pytest.mark.rule("TAB-RUL-01")
async def test_an_official_never_takes_a_seat(service: Service, anna: Player, bert: Player) -> None:
    game = await service.gathering(anna)
    await service.ask("PUT", official(game, bert), anna)
    for released in (False, True):
        if released:
            await service.ask("DELETE", official(game, bert), anna)
        refused = await service.ask("POST", f"/v1/games/{game}/seats", bert, {})
        assert refused.json()["rule"] == "TAB-RUL-01", refused.text


@pytest.mark.rule("TAB-RUL-03")
async def test_the_official_who_paused_a_game_resumes_it_and_without_one_its_organizer(
    service: Service, game: str, anna: Player, olga: Player, ines: Player
) -> None:
    async def pause(version: int) -> None:
        case = await service.post(
            f"/v1/games/{game}/cases", anna, {"kind": "slip", "version": version, "statement": "?"}
        )
        now = await service.get(f"/v1/games/{game}")
        ruling = {"decision": "pause", "rules": ["TAB-RUL-03"], "reason": "Tea.", "version": now["version"]}
        await service.post(f"/v1/cases/{case['summary']['case']}/rulings", ines, ruling | {"hash": now["head"]})

    resume = f"/v1/games/{game}/pause"
    await service.ask("PUT", official(game, ines), olga)
    assert (await service.ask("DELETE", resume, ines)).json()["type"] == "/problems/not-now"
    await pause(6)
    for player in (anna, olga):
        refused = await service.ask("DELETE", resume, player)
        assert (refused.status_code, refused.json()["type"]) == (403, "/problems/not-an-official")
    refused = await service.ask("DELETE", resume, await narrower(service, ines, "organize"))
    assert refused.json()["type"] == "/problems/scope-missing"
    resumed = await service.ask("DELETE", resume, ines, idempotency_key="once")
    assert [each["event"] for each in resumed.json()["events"]] == [{"type": "game-resumed"}]
    assert (await service.ask("DELETE", resume, ines, idempotency_key="once")).json()["repeated"]
    await pause(7)
    assert (await service.ask("DELETE", official(game, ines), ines)).is_success, "an official lays the office down"
    assert (await service.ask("DELETE", resume, ines)).status_code == 403
    assert (await service.ask("DELETE", resume, olga)).is_success
    assert (await service.get(f"/v1/games/{game}"))["paused"] is None


async def test_a_repeated_naming_gets_the_first_answer(service: Service, game: str, olga: Player, ines: Player) -> None:
    first = await service.ask("PUT", official(game, ines), olga, idempotency_key="once")
    await service.ask("DELETE", official(game, ines), olga)
    again = await service.ask("PUT", official(game, ines), olga, idempotency_key="once")
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json()["events"] == again.json()["events"]
    assert again.json()["repeated"]
    assert (await service.get(f"/v1/games/{game}"))["officials"] == []


@pytest.mark.rule("TAB-LIM-03")
async def test_a_game_has_twenty_officials_at_most_released_ones_among_them(
    service: Service, game: str, olga: Player, ines: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("domain.kernel.log.officials.MOST_OFFICIALS", 1)
    for method in ("PUT", "DELETE", "PUT"):
        assert (await service.ask(method, official(game, ines), olga)).status_code == 200
    refused = await service.ask("PUT", official(game, await service.register("Otto")), olga)
    assert (refused.status_code, refused.json()["rule"]) == (422, "TAB-LIM-03")


@pytest.mark.rule("TAB-LIM-05")
async def test_a_game_turns_to_the_same_account_ten_times_by_naming_it_or_by_offers(
    service: Service, olga: Player, ines: Player
) -> None:
    game = await service.begun(olga, await service.register("Otto"))
    offer = f"/v1/games/{game}/seats/red/offer"
    for _ in range(8):
        assert (await service.ask("POST", offer, olga, {"to": ines.id})).status_code == 200
        assert (await service.ask("DELETE", offer, olga)).status_code == 200
    for method in ("PUT", "PUT", "DELETE", "PUT"):  # who is one already is not named again
        await service.ask(method, official(game, ines), olga)
    assert [each["player"] for each in (await service.get(f"/v1/games/{game}"))["officials"]] == [ines.id]
    await service.ask("DELETE", official(game, ines), olga)
    refused = await service.ask("PUT", official(game, ines), olga)
    assert (refused.status_code, refused.json()["rule"]) == (422, "TAB-LIM-05")
    jo = await service.register("Jo")
    for _ in range(10):
        assert (await service.ask("POST", offer, olga, {"to": jo.id})).status_code == 200
        assert (await service.ask("DELETE", offer, olga)).status_code == 200
    refused = await service.ask("POST", offer, olga, {"to": jo.id})
    assert (refused.status_code, refused.json()["rule"]) == (422, "TAB-LIM-05")
    assert (await service.ask("POST", offer, olga, {})).status_code == 200, "to anybody"
