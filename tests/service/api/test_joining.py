"""Two accounts of one person are joined (TAB-JOIN): who may, what passes, and what stays where it was played."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from domain.kernel.ids import PlayerId
from domain.kernel.proof.verify import verify
from projections import officials
from service import joining
from service.base.scopes import EVERYBODYS
from tests.service.api.apps import App, bearer
from tests.service.api.browsers import browser
from tests.service.api.clubs import Club
from tests.service.api.joining import asked, confirmed, joined, make_lasting, planned, refusal
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_administration import appointed, put
from tests.service.api.test_data import parts_of
from tests.service.api.test_leagues import RULES, Series
from tests.service.api.test_private import begun as begun_in_private
from tests.service.api.test_ratings import counted
from tests.service.api.test_tokens import narrower
from tests.service.rig import LIBRARY, Hands


@pytest.fixture
async def carl(service: Service) -> Player:
    return await service.register("Carl")


async def seats(service: Service, game: str, viewer: Player | None = None) -> dict[str, str | None]:
    return {seat["seat"]: seat["player"] for seat in (await service.get(f"/v1/games/{game}", viewer))["seats"]}


# --- a whole joining ---


async def test_two_accounts_are_joined_and_everybody_sees_it(service: Service, anna: Player, bert: Player) -> None:
    told = await joined(service, bert, anna)
    assert (told["account"], told["kept"]) == (bert.id, anna.id)
    gone = await service.get(f"/v1/players/{bert.id}")
    assert (gone["name"], gone["joined"]) == ("Bert", anna.id)
    assert (await service.get(f"/v1/players/{anna.id}"))["joined"] is None
    assert await service.get("/v1/joinings", anna) == {"items": [told], "next": None}
    ended = await service.ask("GET", "/v1/players/me", bert)
    assert (ended.status_code, ended.json()["type"]) == (401, "/problems/token-ended")
    assert anna.id in ended.json()["detail"]
    admin = await appointed(service, "admin")
    accounts = {each["id"]: each for each in (await service.get("/v1/players", admin))["items"]}
    assert accounts[bert.id]["joined"] == anna.id
    assert accounts[bert.id]["closed"] == told["at"]


@pytest.mark.rule("TAB-JOIN-04")
async def test_seats_pass_by_the_events_of_substitutes_and_the_log_is_proved(
    service: Service, anna: Player, bert: Player, carl: Player
) -> None:
    """TAB-JOIN-04, TAB-JOIN-06"""
    game = await service.begun(bert, carl)
    await service.give(game, bert, "put-up", coins=1)
    gathering = await service.gathering(bert)
    judged = await service.begun(carl, await service.register("Dora"))
    assert (await service.ask("PUT", f"/v1/games/{judged}/officials/{bert.id}", carl)).status_code == 200
    seat = next(seat for seat, holder in (await seats(service, game)).items() if holder == bert.id)
    for _ in range(500):  # a projection knows offices a moment later
        if await officials.games_of(service.services.rows, PlayerId(bert.id)):
            break
        await asyncio.sleep(0.02)
    plan = (await planned(service, bert, code := await asked(service, anna))).json()
    assert (plan["account"]["id"], plan["kept"]["id"]) == (bert.id, anna.id)
    assert {each["id"]: (each["seat"], each["organizer"]) for each in plan["games"]} == {
        game: (seat, anna.id),
        gathering: ("red", anna.id),
        judged: (None, carl.id),
    }
    assert (await seats(service, game))[seat] == bert.id, "a plan does nothing"
    assert (await confirmed(service, bert, code)).status_code == 201
    assert (await seats(service, game))[seat] == anna.id
    assert (await seats(service, gathering))["red"] == anna.id
    assert [each["id"] for each in (await service.get("/v1/players/me/games", anna))["items"]] == [gathering, game]
    assert bert.id not in (await service.get(f"/v1/games/{judged}"))["officials"]
    events = (await service.get(f"/v1/games/{game}/events", anna))["items"]
    assert [event["type"] for event in events[-3:]] == ["seat-offered", "seat-taken-over", "organizer-changed"]
    assert [event["cause"]["player"] for event in events[-3:]] == [bert.id, anna.id, bert.id]
    await service.give(game, anna, "open-bidding")
    await service.play_out(game, anna, carl)
    export = (await service.client.get(f"/v1/games/{game}/export")).content
    assert verify(export.splitlines(keepends=True), LIBRARY).ok
    assert bert.id.encode() in export


async def test_what_signs_in_ends_and_what_others_know_moves(service: Service, anna: Player, bert: Player) -> None:
    """TAB-JOIN-01"""
    store = service.services.store
    app = await App(service).signed_in(bert)
    token = await narrower(service, bert, "play")
    codes = (await service.post("/v1/recovery-codes", bert))["codes"]
    await store.accounts.link(PlayerId(bert.id), "https://login.example", "bert")
    redirects = ["https://boards.example.org/back"]
    client = await service.post("/v1/clients", bert, {"name": "Boards", "redirects": redirects})
    await service.post("/v1/webhooks", bert, {"url": "https://hooks.invalid/"})
    await joined(service, bert, anna)
    for gone in (bert, token, bearer(app)):
        assert (await service.ask("GET", "/v1/players/me", gone)).status_code == 401
    async with browser(service) as page:
        refused = await page.post("/v1/session/recovery-code", json={"code": codes[0]})
        assert refused.json()["type"] == "/problems/code-refused"
    known = await store.accounts.by_identity("https://login.example", "bert")
    assert known is not None
    assert known.player == anna.id, "who signs in at the provider comes to the account that stays"
    assert [each["id"] for each in (await service.get("/v1/clients", anna))["items"]] == [client["client"]["id"]]
    assert await store.webhooks.webhooks(PlayerId(bert.id)) == []


async def test_the_browser_that_confirmed_is_signed_out(service: Service, anna: Player, bert: Player) -> None:
    code = await asked(service, anna)
    async with browser(service, bert) as page:
        body = {"code": code.upper().replace("-", " "), "confirm": bert.id}
        answer = await page.post("/v1/joinings", json=body)
        assert (answer.status_code, answer.headers["cache-control"]) == (201, "no-store")
        assert "Max-Age=0" in answer.headers["set-cookie"]
        again = await page.post("/v1/joinings", json=body)
        assert again.status_code == 401, "a repeated request changes nothing"
    assert len((await service.get("/v1/joinings", anna))["items"]) == 1


# --- TAB-JOIN-01: who proves what ---


@pytest.mark.rule("TAB-JOIN-01")
async def test_only_a_browser_that_has_just_signed_in_joins_accounts(tmp_path: Path, database_url: str) -> None:
    clock = Hands()
    async with serving(tmp_path, durable=False, database_url=database_url, clock=clock) as service:
        anna, bert = await service.register("Anna"), await service.register("Bert")
        await make_lasting(service, anna)
        async with browser(service, anna) as hers, browser(service, bert) as his:
            code = (await hers.post("/v1/joinings/code")).json()["code"]
            clock.now += joining.FRESH
            for page, path, body in (
                (hers, "/v1/joinings/code", None),
                (his, "/v1/joinings/plan", {"code": code}),
                (his, "/v1/joinings", {"code": code, "confirm": bert.id}),
            ):
                stale = await page.post(path, json=body) if body else await page.post(path)
                assert refusal(stale) == (409, "TAB-JOIN-01")
                assert "ten minutes ago" in stale.json()["detail"]
        late = await confirmed(service, bert, code)
        assert refusal(late) == (422, "TAB-JOIN-01"), "the code has ended, too"


async def test_no_token_joins_accounts_and_no_other_site(service: Service, anna: Player, bert: Player) -> None:
    code = await asked(service, anna)
    body = {"code": code, "confirm": bert.id}
    for player in (bert, await narrower(service, bert, "account")):
        for path, sent in (("/v1/joinings/code", None), ("/v1/joinings", body)):
            answer = await service.ask("POST", path, player, sent)
            assert answer.json()["type"] == "/problems/cross-site", path
            answer = await service.ask("POST", path, player, sent, tabularium_page="1")
            assert refusal(answer) == (422, "TAB-JOIN-01"), path
    app = await App(service).signed_in(bert, "play organize judge notify")
    refused = await service.ask("POST", "/v1/joinings", bearer(app), body, tabularium_page="1")
    assert refused.json()["type"] == "/problems/scope-missing"
    async with browser(service, bert) as page:
        for headers in ({"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example"}):
            answer = await page.post("/v1/joinings", json=body, headers=headers)
            assert answer.json()["type"] == "/problems/cross-site"
        del page.headers["tabularium-page"]
        assert (await page.post("/v1/joinings", json=body)).json()["type"] == "/problems/cross-site"
    assert (await service.get("/v1/joinings", bert))["items"] == []


async def test_the_account_that_stays_can_be_come_back_to(service: Service, anna: Player) -> None:
    async with browser(service, anna) as page:
        assert refusal(await page.post("/v1/joinings/code")) == (422, "TAB-JOIN-01")


@pytest.mark.rule("TAB-JOIN-01")
async def test_a_code_is_good_once_and_the_newest_alone(
    service: Service, anna: Player, bert: Player, carl: Player
) -> None:
    first = await asked(service, anna)
    code = await asked(service, anna)
    assert refusal(await confirmed(service, bert, first)) == (422, "TAB-JOIN-01")
    assert refusal(await confirmed(service, bert, "k4xq-2m7a-hbk3-oxw7")) == (422, "TAB-JOIN-01")
    assert (await confirmed(service, bert, code)).status_code == 201
    assert refusal(await confirmed(service, carl, code)) == (409, "TAB-JOIN-02")


async def test_an_account_is_joined_only_under_its_own_id(service: Service, anna: Player, bert: Player) -> None:
    code = await asked(service, anna)
    answer = await confirmed(service, bert, code, confirm=anna.id)
    assert (answer.status_code, answer.json()["type"]) == (422, "/problems/invalid-body")
    assert bert.id in answer.json()["allowed"]
    assert (await confirmed(service, bert, code)).status_code == 201


# --- TAB-JOIN-02: which accounts ---


@pytest.mark.rule("TAB-JOIN-02")
async def test_bots_operators_and_the_same_account_are_not_joined(
    service: Service, anna: Player, bert: Player, carl: Player
) -> None:
    code = await asked(service, anna)
    assert refusal(await confirmed(service, anna, code)) == (422, "TAB-JOIN-02")
    await service.ask("PUT", "/v1/players/me/bot", bert)
    assert refusal(await confirmed(service, bert, code)) == (422, "TAB-JOIN-02")
    admin = await appointed(service, "admin")
    refused = await confirmed(service, admin, code)
    assert refusal(refused) == (422, "TAB-JOIN-02")
    assert "admin" in refused.json()["detail"]
    for player in (bert, admin):
        await make_lasting(service, player)
        async with browser(service, player) as page:
            assert refusal(await page.post("/v1/joinings/code")) == (422, "TAB-JOIN-02")
    await put(service, admin, anna.id, *EVERYBODYS, "audit")
    assert refusal(await confirmed(service, carl, code)) == (422, "TAB-JOIN-02")
    await service.ask("DELETE", f"/v1/players/{anna.id}", admin)
    closed = await confirmed(service, carl, code)
    assert refusal(closed) == (422, "TAB-JOIN-02")
    assert "is closed" in closed.json()["detail"]


@pytest.mark.rule("TAB-JOIN-02")
async def test_an_account_with_which_others_were_joined_stays(
    service: Service, anna: Player, bert: Player, carl: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    await joined(service, bert, anna)
    assert refusal(await confirmed(service, anna, await asked(service, carl))) == (422, "TAB-JOIN-02")
    game = await service.begun(carl, await service.register("Dora"))
    code = await asked(service, anna)
    monkeypatch.setattr(joining, "MOST_JOINED", 1)
    full = await confirmed(service, carl, code)
    assert (refusal(full), full.json()["detail"]) == (
        (422, "TAB-JOIN-02"),
        "1 accounts were joined with the account of the code.",
    )
    seats = {seat["player"] for seat in (await service.get(f"/v1/games/{game}", carl))["seats"]}
    assert carl.id in seats, "the seats have not passed"
    async with browser(service, anna) as page:
        assert refusal(await page.post("/v1/joinings/code")) == (422, "TAB-JOIN-02")


@pytest.mark.rule("TAB-JOIN-02")
async def test_of_two_joinings_at_once_one_counts(service: Service, anna: Player, bert: Player, carl: Player) -> None:
    codes = [await asked(service, anna), await asked(service, carl)]
    answers = await asyncio.gather(*(confirmed(service, bert, code) for code in codes))
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses[0] == 201
    assert statuses[1] in (401, 409)
    kept = (await service.get(f"/v1/players/{bert.id}"))["joined"]
    rows = [*(await service.get("/v1/joinings", anna))["items"], *(await service.get("/v1/joinings", carl))["items"]]
    assert [row["kept"] for row in rows] == [kept]


async def test_two_accounts_are_not_joined_with_each_other_at_once(
    service: Service, anna: Player, bert: Player
) -> None:
    codes = {bert.id: await asked(service, anna), anna.id: await asked(service, bert)}
    answers = await asyncio.gather(*(confirmed(service, each, codes[each.id]) for each in (anna, bert)))
    assert sorted(answer.status_code for answer in answers)[0] == 201
    gone = [each for each in (anna, bert) if (await service.get(f"/v1/players/{each.id}"))["joined"]]
    assert len(gone) == 1


# --- TAB-JOIN-03, TAB-JOIN-04: what stands in the way ---


@pytest.mark.rule("TAB-JOIN-03")
async def test_nobody_with_two_sides_of_a_game_joins_them(
    service: Service, anna: Player, bert: Player, carl: Player
) -> None:
    game = await service.begun(anna, bert, rounds=1)
    refused = await confirmed(service, bert, await asked(service, anna))
    assert refusal(refused) == (422, "TAB-JOIN-03")
    assert game in refused.json()["detail"]
    await service.play_out(game, anna, bert)
    judged = await service.begun(bert, carl)
    await service.ask("PUT", f"/v1/games/{judged}/officials/{anna.id}", bert)
    await service.ask("DELETE", f"/v1/games/{judged}/officials/{anna.id}", bert)
    assert refusal(await confirmed(service, bert, await asked(service, anna))) == (422, "TAB-JOIN-03")
    sees_all = await service.begun(bert, carl, organizer=anna, organizer_sees="all")
    await service.ask("DELETE", f"/v1/games/{judged}/seats/red", bert)
    assert sees_all in (await planned(service, bert, await asked(service, anna))).text


async def test_a_rematch_that_has_not_begun_stands_in_the_way(service: Service, anna: Player, bert: Player) -> None:
    carl = await service.register("Carl")
    game = await service.begun(bert, carl, rounds=1)
    await service.play_out(game, bert, carl)
    offered = await service.ask("PUT", f"/v1/games/{game}/rematches/1", carl, {})
    assert offered.status_code in (200, 201), offered.text
    refused = await confirmed(service, bert, await asked(service, anna))
    assert refusal(refused) == (422, "TAB-JOIN-04")
    await service.ask("DELETE", f"/v1/games/{game}/rematches/1", bert)
    assert (await confirmed(service, bert, await asked(service, anna))).status_code == 201


async def test_tournaments_and_leagues_stand_in_the_way(club: Club, anna: Player, service: Service) -> None:
    await club.enter()
    bert = club.players[1]
    await _eventually_refused(service, bert, anna, (409, "TAB-JOIN-04"))
    await club.do("entries", {}, anna)
    await _eventually_refused(service, bert, anna, (422, "TAB-JOIN-03"))
    carl, dora = await service.register("Carl"), await service.register("Dora")
    await service.post("/v1/leagues", carl, {"regulations": dict(RULES), "title": "Rome"})
    refused = await confirmed(service, carl, await asked(service, dora))
    assert refusal(refused) == (422, "TAB-JOIN-04")
    assert (await confirmed(service, dora, await asked(service, carl))).status_code == 201, "the other way round"


@pytest.mark.rule("TAB-JOIN-03")
async def test_two_of_one_season_are_not_joined_while_one_plays_in_it(club: Club, service: Service) -> None:
    series = Series(club)
    await series.found()
    plays, belongs, another, _ = club.players
    for player in (plays, belongs):
        await series.do("placements", {"player": player.id, "division": 1, "reason": "Founder."})
    await series.do("seasons")
    await series.announce(1)
    await club.enter(plays)
    await _eventually_refused(service, belongs, plays, (422, "TAB-JOIN-03"))
    assert (await planned(service, another, await asked(service, plays))).status_code == 200


async def _eventually_refused(service: Service, account: Player, kept: Player, wanted: tuple[int, str]) -> None:
    """Projections follow a moment later."""
    code = await asked(service, kept)
    for _ in range(500):
        answer = await planned(service, account, code)
        if answer.status_code != 200 and refusal(answer) == wanted:
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the answer never changed")


@pytest.mark.rule("TAB-JOIN-04")
async def test_games_asked_for_in_bulk_stand_in_the_way(service: Service, anna: Player, bert: Player) -> None:
    table = {"ruleset": "tiny-auction", "players": 2}
    bulk = (await service.ask("POST", "/v1/bulks", bert, {"games": [table]})).json()["id"]
    code = await asked(service, anna)
    assert refusal(await planned(service, bert, code)) == (409, "TAB-JOIN-04")
    assert (await service.ask("DELETE", f"/v1/bulks/{bulk}", bert)).status_code in (200, 202)
    for _ in range(500):
        answer = await planned(service, bert, code)
        if answer.status_code == 200:
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the answer never changed")


async def test_more_games_than_a_request_looks_at_stand_in_the_way(
    service: Service, anna: Player, bert: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joining, "MOST_GAMES", 1)
    await service.gathering(bert)
    assert (await planned(service, bert, await asked(service, anna))).status_code == 200
    await service.gathering(bert)
    assert refusal(await planned(service, bert, await asked(service, anna))) == (422, "TAB-JOIN-04")


async def test_an_interrupted_joining_is_finished_by_the_same_code(
    service: Service, anna: Player, bert: Player, carl: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = await service.begun(bert, carl)
    code, store = await asked(service, anna), service.services.store.joinings

    async def killed(*_: Any, **__: Any) -> None:
        raise ConnectionError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(store, "join", killed)
        assert (await confirmed(service, bert, code)).status_code == 500
    assert anna.id in (await seats(service, game)).values()
    dora = await service.register("Dora")
    assert refusal(await confirmed(service, dora, code)) == (409, "TAB-JOIN-02"), "bert's joining holds it"
    async with browser(service, anna) as page:
        assert refusal(await page.post("/v1/joinings/code")) == (409, "TAB-JOIN-01")
    assert (await confirmed(service, bert, code)).status_code == 201


# --- TAB-JOIN-05: one person from then on ---


@pytest.mark.rule("TAB-JOIN-05")
async def test_a_person_takes_no_second_side_by_another_account(
    service: Service, anna: Player, bert: Player, carl: Player
) -> None:
    game = await service.begun(bert, carl)
    (red,) = [seat for seat, holder in (await seats(service, game)).items() if holder == bert.id]
    blue = "blue" if red == "red" else "red"
    assert (await service.ask("DELETE", f"/v1/games/{game}/seats/{red}", bert)).status_code == 200
    judged = await service.gathering(carl)
    office = f"/v1/games/{judged}/officials/{bert.id}"
    assert (await service.ask("PUT", office, carl)).status_code == 200
    assert (await service.ask("DELETE", office, carl)).status_code == 200
    await joined(service, bert, anna)
    await service.post(f"/v1/games/{game}/seats/{blue}/offer", carl, {"to": anna.id})
    for path in (f"/v1/games/{game}/seats/{blue}/acceptance", f"/v1/games/{judged}/seats"):
        refused = await service.ask("POST", path, anna, {} if path.endswith("seats") else None)
        assert refusal(refused) == (422, "TAB-JOIN-05"), path
        assert bert.id in refused.json()["detail"]
    named = await service.ask("PUT", f"/v1/games/{game}/officials/{anna.id}", bert)
    assert named.status_code == 401
    taken = await service.ask("POST", f"/v1/games/{game}/seats/{red}/acceptance", anna)
    assert taken.status_code == 200, "it is the same seat"


@pytest.mark.rule("TAB-JOIN-05")
async def test_a_person_enters_a_tournament_once(club: Club, service: Service, anna: Player) -> None:
    bert = club.players[1]
    await club.enter(bert)
    assert (await service.ask("DELETE", f"{club.url}/entries/me", bert)).status_code == 200
    await _eventually_planned(service, bert, anna)
    await joined(service, bert, anna)
    assert refusal(await club.ask("entries", {}, anna)) == (422, "TAB-JOIN-05")


async def _eventually_planned(service: Service, account: Player, kept: Player) -> None:
    code = await asked(service, kept)
    for _ in range(500):
        if (await planned(service, account, code)).status_code == 200:
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the withdrawal was never read")


@pytest.mark.rule("TAB-JOIN-05")
async def test_what_an_administrator_took_from_one_the_other_loses(
    service: Service, anna: Player, bert: Player
) -> None:
    admin = await appointed(service, "admin")
    await put(service, admin, bert.id, "account", "play", "judge", "notify")
    assert (await service.get("/v1/players/me", anna))["granted"] == list(EVERYBODYS)
    await joined(service, bert, anna)
    granted = ["account", "play", "judge", "notify"]
    assert (await service.get("/v1/players/me", anna))["granted"] == granted, "at once"


async def test_the_private_games_of_both_are_read(service: Service, anna: Player, bert: Player, carl: Player) -> None:
    game = await begun_in_private(service, bert, carl, await service.register("Julia"))
    seat = next(seat for seat, holder in (await seats(service, game, bert)).items() if holder == bert.id)
    await service.post(f"/v1/games/{game}/seats/{seat}/resignation", bert)
    assert (await service.ask("GET", f"/v1/games/{game}", anna)).status_code == 403
    await joined(service, bert, anna)
    assert (await service.get(f"/v1/games/{game}", anna))["status"] == "over"
    assert (await service.ask("GET", f"/v1/games/{game}", await service.register("Dora"))).status_code == 403


# --- TAB-JOIN-06: what stays ---


@pytest.mark.rule("TAB-JOIN-06")
async def test_ratings_stay_apart(service: Service, anna: Player, bert: Player, carl: Player) -> None:
    for _ in range(2):
        game = await service.begun(bert, carl, rounds=1)
        await service.play_out(game, bert, carl)
    await counted(service)
    before = await service.get(f"/v1/players/{bert.id}/ratings")
    await joined(service, bert, anna)
    await counted(service)
    assert await service.get(f"/v1/players/{bert.id}/ratings") == before
    assert (await service.get(f"/v1/players/{anna.id}/ratings"))["ratings"] == []


async def test_the_data_of_both_are_downloaded(service: Service, anna: Player, bert: Player, carl: Player) -> None:
    await counted(service)
    told = await joined(service, bert, anna)
    for whose in ("", f"?account={bert.id}"):
        parts = parts_of((await service.ask("GET", f"/v1/players/me/data{whose}", anna)).content)
        assert parts["joining"] == [told]
        assert parts["account"][0]["id"] == (bert.id if whose else anna.id)
    for other in (carl.id, "nobody"):
        answer = await service.ask("GET", f"/v1/players/me/data?account={other}", anna)
        assert (answer.status_code, answer.json()["type"]) == (404, "/problems/unknown-player")


async def test_closing_the_account_that_stays_takes_the_names_of_both(
    service: Service, anna: Player, bert: Player
) -> None:
    wish = {"ruleset": "tiny-auction", "players": 2, "title": "Bert's game"}
    game = (await service.post("/v1/games", bert, wish))["id"]
    await joined(service, bert, anna)
    assert (await service.get(f"/v1/games/{game}"))["title"] == "Bert's game"
    assert (await service.ask("DELETE", f"/v1/players/me?confirm={anna.id}", anna)).status_code == 200
    for player in (anna, bert):
        assert (await service.get(f"/v1/players/{player.id}"))["name"].startswith("Former player ")
    assert "Bert" not in json.dumps(await service.get(f"/v1/games/{game}"))
