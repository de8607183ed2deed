"""Pictures over HTTP: of any version that the caller may see, and not drawn again for a client that has them."""

import asyncio
import json
from pathlib import Path
from typing import Any
from unittest import mock
from xml.etree import ElementTree

import httpx
import msgspec
import pytest

from domain.boards import builtin
from domain.kernel.rules.board import Map
from domain.library import LIBRARY
from service.bots.simulation import Plan, Simulation
from service.pictures.png import NotConverted, png
from service.store.protocol import Append, Opening
from tests.service.api.serving import Player, Service, serving

SVG = "{http://www.w3.org/2000/svg}"


async def ask(service: Service, path: str, player: Player | None = None, **headers: str) -> httpx.Response:
    answer = await service.ask("GET", path, player, **headers)
    assert answer.status_code == 200, answer.text
    return answer


async def frames(service: Service, game: str, player: Player | None = None, after: int = 0, **more: int) -> Any:
    query = "&".join(f"{name}={value}" for name, value in {"after": after, **more}.items())
    return (await ask(service, f"/v1/games/{game}/frames?{query}", player)).json()


async def test_a_ruleset_has_a_map_and_a_bare_board(service: Service) -> None:
    shown = (await ask(service, "/v1/rulesets/tiny-auction/board/map")).json()
    assert shown["map"]["areas"]["hall"]["text"] == "The hall"
    bare = await ask(service, "/v1/rulesets/tiny-auction/board.svg")
    assert bare.headers["content-type"] == "image/svg+xml"
    assert "script" not in bare.headers["content-security-policy"]
    groups = {each.get("id"): each for each in ElementTree.fromstring(bare.content).iter(f"{SVG}g")}
    assert groups["area-hall"].attrib.items() >= {"data-area": "hall", "tabindex": "0", "role": "img"}.items()
    assert not list(groups["area-hall"])
    assert not list(groups["links"])


async def test_a_picture_shows_what_its_viewer_may_see(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    card = (await service.get(f"/v1/games/{game}/state", anna))["view"]["hands"]["red"][0]
    for path in ("marks", "board.svg", "frames"):
        mine = await ask(service, f"/v1/games/{game}/{path}", anna)
        his = await ask(service, f"/v1/games/{game}/{path}", bert)
        nobodys = await ask(service, f"/v1/games/{game}/{path}")
        assert len({mine.content, his.content, nobodys.content}) == 3
    red = (await service.get(f"/v1/games/{game}/marks", anna))["places"]["hall"]["stacks"][0]
    assert (red["seat"], red["marks"][0]["label"]) == ("red", str(card))
    assert "label" not in json.dumps((await service.get(f"/v1/games/{game}/marks"))["places"])


async def test_a_picture_of_any_version_and_its_etag(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    path = f"/v1/games/{game}"
    now = (await service.get(path))["version"]
    for kind in ("marks", "board.svg", "board.png?width=200"):
        asked = f"{path}/{kind}"
        answer = await ask(service, asked)
        tag = answer.headers["etag"]
        assert tag.startswith(f'W/"{now}.')
        again = await service.ask("GET", asked, if_none_match=tag.removeprefix("W/"))
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag
        assert again.headers["cache-control"] == answer.headers["cache-control"] == "no-cache"
        past = await ask(service, f"{asked}{'&' if '?' in asked else '?'}version=2", if_none_match=tag)
        assert past.headers["etag"].startswith('W/"2.')
        assert past.content != answer.content
    assert (await service.get(f"{path}/marks?version=2"))["places"] == {}
    assert "Before the game" in (await ask(service, f"{path}/board.svg?version=2")).text


async def test_a_picture_cached_from_another_release_is_sent_again(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await service.begun(anna, bert)
    kinds = ("marks", "board.svg", "board.png?width=200", "frames")
    paths = ["/v1/rulesets/tiny-auction/board/map", "/v1/rulesets/tiny-auction/board.svg"]
    paths += [f"/v1/games/{game}/{kind}" for kind in kinds]
    tags = {path: (await ask(service, path)).headers["etag"] for path in paths}
    for path, tag in tags.items():
        unchanged = await service.ask("GET", path, if_none_match=tag)
        assert (unchanged.status_code, unchanged.content) == (304, b""), path
    msgspec.structs.force_setattr(service.services, "drawn_by", "another release")
    for path, tag in tags.items():
        answer = await ask(service, path, if_none_match=tag)
        assert answer.headers["etag"] != tag, path
        assert (await service.ask("GET", path, if_none_match=answer.headers["etag"])).status_code == 304, path


async def test_no_browser_keeps_a_picture_that_a_token_was_sent_for(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await service.begun(anna, bert)
    for kind in ("board.svg", "board.png?width=200", "marks", "frames"):
        asked = f"/v1/games/{game}/{kind}"
        nobodys, mine = await ask(service, asked), await ask(service, asked, anna)
        assert (nobodys.headers["cache-control"], mine.headers["cache-control"]) == ("no-cache", "no-store")
        # What was kept of a spectator's picture is not what a seat sees.
        again = await service.ask("GET", asked, anna, if_none_match=nobodys.headers["etag"])
        assert (again.status_code, again.content) == (200, mine.content)
        assert (await service.ask("GET", asked, anna, if_none_match=mine.headers["etag"])).status_code == 304
        assert (await service.ask("GET", asked, bert, if_none_match=mine.headers["etag"])).status_code == 200


async def test_a_png_is_as_wide_as_was_asked(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    answer = await ask(service, f"/v1/games/{game}/board.png?width=321")
    assert answer.headers["content-type"] == "image/png"
    assert int.from_bytes(answer.content[16:20]) == 321
    for wrong in ("199", "3201", "-1", "wide"):
        refused = await service.ask("GET", f"/v1/games/{game}/board.png?width={wrong}")
        assert (refused.status_code, refused.json()["type"]) == (400, "/problems/invalid-query")


async def test_pictures_and_exports_come_as_bytes_to_a_client_that_takes_nothing_else(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await service.begun(anna, bert)
    for path in ("board.svg", "board.png", "export", "charts/dice.svg"):
        usual = await service.ask("GET", f"/v1/games/{game}/{path}")
        octets = await service.client.get(f"/v1/games/{game}/{path}", headers={"accept": "application/octet-stream"})
        assert octets.headers["content-type"] == "application/octet-stream"
        assert octets.content == usual.content
        assert all("Accept" in each.headers["vary"].split(", ") for each in (usual, octets))
        preferred = {"accept": "application/octet-stream, */*"}
        either = await service.client.get(f"/v1/games/{game}/{path}", headers=preferred)
        assert either.headers["content-type"] == usual.headers["content-type"]


async def test_when_a_game_ends_its_past_is_drawn_for_everybody(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert, rounds=1)
    path = f"/v1/games/{game}/marks?version=5"
    before = await ask(service, path)
    tag = before.headers["etag"]
    assert (await service.ask("GET", path, if_none_match=tag)).status_code == 304
    await service.play_out(game, anna, bert)
    after = await ask(service, path, if_none_match=tag)
    assert "label" not in before.text
    assert "label" in after.text
    assert (await service.ask("GET", path, if_none_match=after.headers["etag"])).status_code == 304
    told = await frames(service, game)
    assert told["next"] is None
    assert told["frames"][-1]["type"] == "game-ended"


async def test_frames_come_in_pages_and_say_what_changed(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    whole = await frames(service, game)
    head = whole["head"]
    assert whole["key"]["version"] == 0
    assert [frame["version"] for frame in whole["frames"]] == list(range(1, head + 1))
    first = await frames(service, game, limit=3)
    assert (first["next"], len(first["frames"])) == (3, 3)
    rest = await frames(service, game, after=3)
    assert first["frames"] + rest["frames"] == whole["frames"]
    assert rest["key"]["areas"].keys() == whole["key"]["areas"].keys()
    started = next(frame for frame in whole["frames"] if frame["type"] == "game-started")
    dealt = next(frame for frame in whole["frames"] if frame["type"] == "cards-dealt")
    assert started["command"] is True
    assert "command" not in dealt
    assert dealt["areas"].keys() == {"hall"}
    at_head = await frames(service, game, after=head)
    assert (at_head["frames"], at_head["next"], at_head["key"]["version"]) == ([], None, head)
    beyond = await service.ask("GET", f"/v1/games/{game}/frames?after={head + 1}")
    assert (beyond.status_code, beyond.json()["type"]) == (404, "/problems/unknown-version")


async def test_what_was_taken_back_jumps_back(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    version = (await service.get(f"/v1/games/{game}"))["version"]
    await service.give(game, anna, "put-up", coins=2)
    between = await frames(service, game, after=version)
    await service.give(game, anna, "undo", to=version)
    taken_back = (await frames(service, game, after=version + 1))["frames"][-1]
    assert taken_back["type"] == "moves-retracted"
    assert taken_back["shelves"] == between["key"]["shelves"]


async def test_many_who_ask_at_once_get_the_same(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    asked = [service.ask("GET", f"/v1/games/{game}/board.png?width=300") for _ in range(12)]
    answers = await asyncio.gather(*asked)
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1


async def test_a_corrected_board_is_drawn_where_its_areas_are_on_the_map(tmp_path: Path) -> None:
    async with serving(tmp_path, LIBRARY, builtin, durable=False) as service:
        anna = await service.register("Anna")
        board = msgspec.to_builtins(builtin("conquest"))
        next(area for area in board["areas"] if area["id"] == "italia")["values"]["tribute"] = 5
        new = {"ruleset": "conquest-classic-friz", "players": 2, "board": board}
        game = (await service.post("/v1/games", anna, new))["id"]
        key = (await frames(service, game))["key"]
        assert "tribute 5 talents" in key["areas"]["italia"]
        next(area for area in board["areas"] if area["id"] == "italia")["id"] = "italy"
        for border in board["borders"]:
            border["between"] = ["italy" if end == "italia" else end for end in border["between"]]
        other = (await service.post("/v1/games", anna, new))["id"]
        answer = await service.ask("GET", f"/v1/games/{other}/board.svg")
        assert (answer.status_code, answer.json()["type"]) == (404, "/problems/no-map")
        assert (await ask(service, f"/v1/games/{other}/marks")).json()["places"] == {}


async def test_frames_tell_of_a_board_that_is_on_no_map_and_draw_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path, drawings=lambda board: None, durable=False) as unmapped:
        anna, bert = [await unmapped.register(name) for name in ("Anna", "Bert")]
        game = await unmapped.begun(anna, bert)
        await unmapped.play_out(game, anna, bert)
        page = await frames(unmapped, game)
        assert (page["key"]["areas"], page["key"]["links"]) == ({}, "")
        assert not any(frame.get("areas") or frame.get("links") for frame in page["frames"])
        assert page["frames"][-1]["text"]
        assert any(frame.get("standings") for frame in page["frames"])


async def test_others_are_served_while_somebody_has_pictures_drawn(tmp_path: Path) -> None:
    simulation = Simulation(Plan("conquest-classic-friz", 6, seed=3, rounds=4))
    for _ in simulation.play():
        pass
    now = simulation.game
    opening = Opening(
        ruleset=now.ruleset.id,
        ruleset_version=now.ruleset.version,
        title="long",
        organizer=now.organizer,
        chance=simulation.secret,
        board=Map.of(now.board).digest,
        board_file=msgspec.json.encode(now.board),
    )
    async with serving(tmp_path, LIBRARY, builtin, durable=False) as service:
        service.client.timeout = httpx.Timeout(60)
        records = tuple(simulation.records)
        await service.services.store.append(Append(now.id, 0, records, "running", seats=now.players, opening=opening))
        await ask(service, f"/v1/games/{now.id}")
        for path in ("frames", "board.png?width=900"):
            drawing = asyncio.create_task(ask(service, f"/v1/games/{now.id}/{path}"))
            served = 0
            while not drawing.done():
                await ask(service, "/health")
                served += 1
            await drawing
            assert served >= 3, path


async def test_a_converter_that_fails_is_no_picture(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    with mock.patch("service.pictures.png.SECONDS", 0):
        answer = await service.ask("GET", f"/v1/games/{game}/board.png?width=300")
    assert (answer.status_code, answer.json()["type"]) == (503, "/problems/unavailable")
    with pytest.raises(NotConverted, match="root node"):
        await png(b"<svg", 300)
    await ask(service, f"/v1/games/{game}/board.png?width=300")
