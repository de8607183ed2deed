"""Games that other services recorded: imported over HTTP, looked at, deleted, and counted nowhere."""

import asyncio
import lzma
import re
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from domain.importing import examine
from domain.kernel.ids import GameId
from domain.kernel.proof.reading import read
from domain.kernel.proof.verify import verify
from domain.library import LIBRARY as RULES
from domain.transparency.entry import Entry
from service.accounts.limits import IMPORTS
from service.api.contract.document import endpoints
from service.imports import examiner, imports
from service.imports.examiner import Answer, Question, answer_to
from service.transparency.keys import check
from tests.forgeries.every import FORGERIES
from tests.forgeries.forging import nothing
from tests.helpers.forger import forged
from tests.helpers.play import Play
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_administration import appointed
from tests.service.api.test_attacks import POST
from tests.service.api.test_attacks import ask as attacked
from tests.service.api.test_ratings import counted
from tests.service.api.test_tokens import narrower
from tests.service.cli.test_certificates import KEY, certificate
from tests.service.rig import LIBRARY
from tests.tiny.auction import ROOM, TinyAuction

RECORDED: Final = Path(__file__).parents[2] / "recorded" / "conquest-classic-friz" / "v1"
POLICY: Final = f"log {KEY.signers[0].key}\nquorum none\n"


def exported(seed: int = 5) -> str:
    return b"".join(Play(TinyAuction(), ROOM, 2, seed).run(Random(seed)).export()).decode()


EXPORT: Final = exported()


def renamed(before: str, after: str, export: str = EXPORT) -> str:
    """Return a whole export in which something has another name, with a chain of its own."""
    lines = export.replace(before, after).encode().splitlines(keepends=True)
    return b"".join(forged(lines, nothing)).decode()


def certified(export: str = EXPORT) -> dict[str, str]:
    game = read(export.encode().splitlines(keepends=True))
    last = game.records[-1]
    entry = Entry("game", game.game, last.version, last.hash.hex(), "over", last.at)
    return {"certificate": certificate(entry), "policy": POLICY}


async def here(content: bytes, question: Question) -> Answer:
    """Examine in this process, by the rules of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(examiner, "LIBRARY", LIBRARY)
        return answer_to(question, content)


@pytest.fixture
async def service(tmp_path: Path, database_url: str) -> AsyncIterator[Service]:
    async with serving(tmp_path, durable=False, database_url=database_url) as running:
        running.services.imports.examine = here
        yield running


async def bring(service: Service, player: Player, export: str = EXPORT, **more: str) -> Any:
    return await service.ask("POST", "/v1/games/import", player, {"export": export, **more})


async def refused(service: Service, player: Player, export: str = EXPORT, **more: str) -> tuple[int, str, str]:
    answer = await bring(service, player, export, **more)
    said = answer.json()
    assert said["type"] == "/problems/not-imported", said
    assert said["rule_title"]
    assert said["allowed"]
    return answer.status_code, said["rule"], said["detail"]


@pytest.mark.rule("TAB-IMP-01")
@pytest.mark.rule("TAB-IMP-07")
async def test_an_export_is_imported_once_and_shown_as_it_came(service: Service, anna: Player, bert: Player) -> None:
    first, again = await bring(service, anna), await bring(service, bert)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.content == again.content
    url = first.headers["location"]
    told = await service.get(url)
    assert url == again.headers["location"] == f"/v1/imports/{told['id']}"
    assert first.json() == {name: told[name] for name in ("id", "game", "provenance")}
    assert (told["player"], told["game"], told["issuer"], told["origin"]) == (anna.id, "game-5", None, None)
    assert "nobody vouches for it" in told["provenance"]
    assert [seat["account"] for seat in told["seats"]] == ["player-red", "player-blue"]
    assert told["finish"]["how"] == "won"
    kept = await service.client.get(f"{url}/export")
    assert (kept.text, told["bytes"]) == (EXPORT, len(EXPORT.encode()))
    assert verify(kept.content.splitlines(keepends=True), LIBRARY).ok
    part = await service.client.get(f"{url}/export", headers={"range": "bytes=10-19"})
    assert (part.status_code, part.text) == (206, EXPORT[10:20])


@pytest.mark.rule("TAB-IMP-07")
async def test_many_at_once_bring_one_import(service: Service) -> None:
    players = [await service.register(name) for name in ("Anna", "Bert", "Carla", "Dora")]
    answers = await asyncio.gather(*(bring(service, player) for player in players))
    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 201]
    assert len({answer.content for answer in answers}) == 1
    assert len((await service.get("/v1/imports"))["items"]) == 1


async def test_a_position_is_what_it_was_in_its_own_service(service: Service, anna: Player) -> None:
    url = (await bring(service, anna)).headers["location"]
    head = (await service.get(url))["events"]
    log = read(EXPORT.encode().splitlines(keepends=True))
    for version in (1, 2, 7, head // 2, head):
        state = await service.get(f"{url}/state?version={version}")
        then = log.fold(LIBRARY, version)
        assert (state["version"], state["heading"], state["everything"]) == (version, then.heading, True)
        assert state["status"] == then.status
    assert await service.get(f"{url}/state") == state
    events = await service.get(f"{url}/events?limit=3")
    assert [event["hash"] for event in events["items"]] == [record.hash.hex() for record in log.records[:3]]
    assert events["next"] == 3
    rest = await service.get(f"{url}/events?after={head - 1}&limit=500")
    assert (len(rest["items"]), rest["next"]) == (1, None)
    frames = await service.get(f"{url}/frames?after=5&limit=4")
    assert (frames["head"], frames["key"]["version"], frames["next"]) == (head, 5, 9)
    assert [frame["version"] for frame in frames["frames"]] == [6, 7, 8, 9]
    drawn = await service.client.get(f"{url}/board.svg?version=9")
    assert (drawn.status_code, drawn.text[:4]) == (200, "<svg")
    assert drawn.headers["content-security-policy"] == "default-src 'none'"
    for path in ("state", "board.svg"):
        unknown = await service.ask("GET", f"{url}/{path}?version={head + 1}")
        assert (unknown.status_code, unknown.json()["type"]) == (404, "/problems/unknown-version")
        tag = (await service.client.get(f"{url}/{path}")).headers["etag"]
        assert (await service.client.get(f"{url}/{path}", headers={"if-none-match": tag})).status_code == 304


@pytest.mark.rule("TAB-IMP-01")
async def test_what_does_not_verify_is_refused_in_the_words_of_verify(service: Service, anna: Player) -> None:
    for forgery in FORGERIES[::40]:
        lines = forgery.export()
        verdict = verify(lines, LIBRARY)
        status, rule, detail = await refused(service, anna, b"".join(lines).decode())
        assert (status, rule) == (422, "TAB-IMP-01")
        assert detail.endswith(verdict.problem)
    assert (await service.get("/v1/imports"))["items"] == []


@pytest.mark.rule("TAB-IMP-05")
async def test_a_certificate_says_who_stands_by_a_game(service: Service, anna: Player, bert: Player) -> None:
    brought = await bring(service, anna), await bring(service, bert, **certified())
    plain, signed = [await service.get(answer.headers["location"]) for answer in brought]
    assert plain["id"] != signed["id"], "an import without a certificate stands in nobody's way"
    assert signed["origin"] == signed["issuer"]["origin"] == "games.example/log"
    assert (signed["issuer"]["key"], signed["issuer"]["own"]) == (str(KEY.signers[0].key), False)
    assert "does not vouch for that log" in signed["provenance"]
    assert {name: signed["issuer"][name] for name in ("certificate", "policy")} == certified()
    assert (await bring(service, anna, **certified())).status_code == 200
    forged_one = certified()["certificate"].replace("games.example", "game.examples")
    assert (await refused(service, anna, certificate=forged_one, policy=POLICY))[:2] == (422, "TAB-IMP-05")
    assert (await refused(service, anna, certificate="?"))[:2] == (422, "TAB-IMP-05")


async def test_what_this_service_itself_signed_says_so(tmp_path: Path) -> None:
    key = f"PRIVATE+KEY+{'+'.join(str(KEY.signers[0].key).split('+')[:2])}"
    assert key  # the log below has the key of the certificate
    from tests.service.cli.test_certificates import new_key

    async with serving(
        tmp_path, durable=False, log_key=new_key("games.example/log", lambda count: b"k" * count)
    ) as own:
        own.services.imports.examine = here
        told = await own.get((await bring(own, await own.register("Anna"), **certified())).headers["location"])
    assert told["issuer"]["own"] is True
    assert "of this service signed its end, but the service does not have the game" in told["provenance"]


@pytest.mark.rule("TAB-IMP-04")
async def test_a_game_of_this_service_is_not_imported(
    service: Service, anna: Player, bert: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = await service.begun(anna, bert, rounds=1)
    await service.play_out(game, anna, bert)
    own = (await service.client.get(f"/v1/games/{game}/export")).text
    _, rule, detail = await refused(service, anna, own)
    assert (rule, detail) == ("TAB-IMP-04", f"Game {game} is one of this service.")
    known = await service.services.store.game(GameId(game))
    monkeypatch.setattr(
        service.services.store, "game", lambda name: asyncio.sleep(0, known if name == "game-5" else None)
    )
    assert (await refused(service, anna))[1:] == ("TAB-IMP-04", "Game game-5 is one of this service.")


@pytest.mark.rule("TAB-IMP-06")
async def test_an_import_counts_nowhere(service: Service, anna: Player, bert: Player) -> None:
    async def seen() -> dict[str, Any]:
        await counted(service)
        of_anna = ("", "/luck", "/ratings", "/record")
        paths = [
            "/v1/games",
            "/v1/cases",
            "/v1/players/me/games",
            "/v1/notifications",
            "/v1/ratings?ruleset=tiny-auction",
        ]
        paths += ["/v1/statistics/dice?ruleset=tiny-auction", "/v1/statistics/rules?ruleset=tiny-auction"]
        return {
            path: await service.get(path, anna) for path in (*paths, *(f"/v1/players/{anna.id}{of}" for of in of_anna))
        }

    game = await service.begun(anna, bert, rounds=1)
    await service.play_out(game, anna, bert)
    before, positions = await seen(), await service.services.store.end()
    # Its accounts have the ids of accounts of this service.
    mine = renamed("player-blue", bert.id, renamed("player-red", anna.id))
    told = await service.get((await bring(service, anna, mine)).headers["location"])
    assert {seat["account"] for seat in told["seats"]} == {anna.id, bert.id}
    after = await seen()
    assert {address: told for address, told in after.items() if told != before[address]} == {}
    assert await service.services.store.end() == positions
    # No endpoint takes an import for a game.
    for path, method, _ in endpoints():
        if "{game}" in path and path.startswith("/v1/games/"):
            names = re.sub(r"\{(?!game)\w+\}", "1", path)
            answer = await service.ask(method, names.format(game=told["id"]), anna, {} if method != "GET" else None)
            assert answer.status_code in (400, 403, 404, 422, 426), (method, path, answer.text)


@pytest.mark.rule("TAB-IMP-07")
async def test_who_brought_an_import_deletes_it_and_so_does_an_administrator(
    service: Service, anna: Player, bert: Player
) -> None:
    url = f"/v1/imports/{(await bring(service, anna)).json()['id']}"
    await service.get(f"{url}/state")
    other = await service.ask("DELETE", url, bert)
    assert (other.status_code, other.json()["type"]) == (403, "/problems/not-importer")
    weak = await service.ask("DELETE", url, await narrower(service, anna, "play"))
    assert weak.json()["type"] == "/problems/scope-missing"
    assert (await service.ask("DELETE", url, anna)).status_code == 204
    for path in ("", "/export", "/state", "/events", "/frames", "/board.svg"):
        gone = await service.ask("GET", url + path)
        assert (gone.status_code, gone.json()["type"]) == (404, "/problems/unknown-import")
    assert (await service.ask("DELETE", url, anna)).status_code == 404
    assert (await bring(service, bert)).status_code == 201
    assert (await service.ask("DELETE", url, await appointed(service, "admin"))).status_code == 204


@pytest.mark.rule("TAB-IMP-07")
async def test_what_an_account_brought_goes_with_it(service: Service, anna: Player, bert: Player) -> None:
    await bring(service, anna)
    await bring(service, bert, exported(6))
    page = await service.get(f"/v1/imports?player={anna.id}&ruleset=tiny-auction")
    assert [item["player"] for item in page["items"]] == [anna.id]
    closed = await service.ask("DELETE", f"/v1/players/me?confirm={anna.id}", anna)
    assert closed.status_code in (200, 204), closed.text
    assert [item["player"] for item in (await service.get("/v1/imports"))["items"]] == [bert.id]


async def test_pages_of_imports(service: Service, anna: Player) -> None:
    for seed in (5, 6, 7):
        assert (await bring(service, anna, exported(seed))).status_code == 201
    one = await service.get("/v1/imports?limit=2")
    two = await service.get(f"/v1/imports?limit=2&cursor={one['next']}")
    assert [item["game"] for item in (*one["items"], *two["items"])] == ["game-7", "game-6", "game-5"]
    assert two["next"] is None


async def test_what_an_account_brings_is_bounded(
    service: Service, anna: Player, bert: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(content: bytes, question: Question) -> Answer:
        begun.set()
        await go_on.wait()
        return await here(content, question)

    service.services.imports.examine = slow
    first = asyncio.create_task(bring(service, anna))
    await begun.wait()
    busy = await bring(service, anna)
    assert (busy.status_code, busy.headers["retry-after"]) == (429, "5")
    monkeypatch.setattr(imports, "WAITING", 1)
    assert (await bring(service, bert)).status_code == 429
    go_on.set()
    assert (await first).status_code == 201
    monkeypatch.setattr(imports, "MOST_IMPORTS", 1)
    full = await bring(service, anna, exported(6))
    assert (full.status_code, full.json()["type"]) == (409, "/problems/too-many-imports")
    # A day's worth: what is there already is not counted.
    wrong = [await bring(service, anna, "{}\n") for _ in range(IMPORTS.burst - 2)]
    assert {answer.status_code for answer in wrong} == {422}
    over = await bring(service, anna, "{}\n")
    assert (over.status_code, over.json()["detail"]) == (429, "An account may have 20 exports examined a day.")
    assert (await bring(service, anna)).status_code == 200


async def test_bodies_that_are_too_large_or_no_export_are_refused(service: Service, anna: Player) -> None:
    for body, kind in (
        (b'{"export": "a", "export": "b"}', "malformed-json"),
        (b'{"export": "\\ud800"}', "malformed-json"),
        (b'{"export": ' + b"[" * 100_000, "invalid-body"),
        (b'{"export": 7}', "invalid-body"),
        (b'{"export": "", "verified": true}', "invalid-body"),
    ):
        answer = await service.ask("POST", "/v1/games/import", anna, body)
        assert answer.json()["type"] == f"/problems/{kind}", answer.text
    head = (
        POST.replace(b"/v1/players", b"/v1/games/import") + b"Authorization: " + anna.headers["authorization"].encode()
    )
    large = await attacked(service, head + b"\r\nContent-Length: %d\r\n\r\n" % (imports.LARGEST + 1))
    assert (large.status, large.problem["type"]) == (413, "/problems/body-too-large")
    packed = await service.ask("POST", "/v1/games/import", anna, b"\x1f\x8b", content_encoding="gzip")
    assert packed.status_code in (400, 415, 422)
    assert (await bring(service, anna)).status_code == 201, "nothing is left of those"


def recorded() -> bytes:
    return lzma.decompress(min(RECORDED.glob("*.xz"), key=lambda file: file.stat().st_size).read_bytes())


async def test_an_examiner_of_its_own_verifies_a_recorded_game(monkeypatch: pytest.MonkeyPatch) -> None:
    content = recorded()
    found = await imports.ask_examiner(content, Question())
    assert found.examined == examine(content, RULES, check)
    wrong = await imports.ask_examiner(content[:-2] + b"\n", Question())
    assert wrong.refused is not None
    assert wrong.refused.rule == "TAB-IMP-01"


@pytest.mark.rule("TAB-IMP-01")
@pytest.mark.parametrize("bound", ["SECONDS", "MEMORY", "PATIENCE"])
async def test_an_examination_beyond_its_bounds_is_a_refusal(bound: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = {
        "SECONDS": "import service.imports.examiner as e; e.SECONDS = 1; e.answer_to = lambda *_: max(iter(int, 1))",
        "MEMORY": "import service.imports.examiner as e; e.MEMORY = 300 << 20",
        "PATIENCE": "import time; time.sleep(60)",
    }[bound] + "; e.main()"
    found = imports.asyncio.create_subprocess_exec

    async def started(python: str, *_: str, **how: Any) -> Any:
        return await found(python, "-c", program, **how)

    monkeypatch.setattr(imports.asyncio, "create_subprocess_exec", started)
    monkeypatch.setattr(imports, "PATIENCE", 0.5 if bound == "PATIENCE" else 60)
    content = b"[" + b"[]," * (4 << 20) + b"1]\n" if bound == "MEMORY" else b""
    assert (await imports.ask_examiner(content, Question())).refused == examiner.TOO_MUCH
