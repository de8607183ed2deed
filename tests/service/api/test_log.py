"""The log: its pages, its chain, its sentences, its export."""

import hashlib
import json

import msgspec

from domain.kernel.proof.reading import read
from domain.kernel.proof.verify import verify
from tests.service.api.serving import Player, Service
from tests.service.rig import LIBRARY


async def test_the_log_is_read_page_by_page_without_a_gap(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert, rounds=1)
    await service.play_out(game, anna, bert)
    versions, after = [], 0
    while after is not None:
        page = await service.get(f"/v1/games/{game}/events?after={after}&limit=3")
        versions += [event["version"] for event in page["items"]]
        after = page["next"]
    assert versions == list(range(1, len(versions) + 1))
    assert len(versions) == (await service.get(f"/v1/games/{game}"))["version"]


async def test_the_shown_values_are_the_hashed_values(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    head = hashlib.sha256(f"tabularium/1 {game}".encode()).digest()
    for event in (await service.get(f"/v1/games/{game}/events"))["items"]:
        row = {name: event[name] for name in ("at", "draws", "event", "schema", "version")}
        row |= {"game": game} | ({"cause": event["cause"]} if "cause" in event else {})
        canonical = json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        head = hashlib.sha256(head + canonical).digest()
        assert event["hash"] == head.hex()


async def test_beyond_the_end_of_the_log_is_nothing(service: Service, anna: Player) -> None:
    game = await service.gathering(anna)
    for what in ("events", "history"):
        answer = await service.ask("GET", f"/v1/games/{game}/{what}?after=999")
        assert answer.json() == {"items": [], "next": None}
        assert answer.headers["etag"] == '"2"', "it says where the log ends"


async def test_the_history_is_told_by_round_and_the_same_in_pages(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert, rounds=2)
    before = (await service.get(f"/v1/games/{game}"))["version"]
    await service.give(game, anna, "put-up", coins=2)
    await service.give(game, anna, "undo", to=before)
    await service.play_out(game, anna, bert)

    whole = await service.get(f"/v1/games/{game}/history?limit=500")
    assert whole["next"] is None
    headings = [passage["heading"] for passage in whole["items"]]
    assert [heading for heading in headings if heading][:1] == ["Round 1"]
    sentences = [sentence for passage in whole["items"] for sentence in passage["sentences"]]
    assert [sentence["version"] for sentence in sentences] == list(range(1, len(sentences) + 1))
    assert sentences[1]["text"] == "Red was taken."
    assert any("taken back" in sentence["text"] for sentence in sentences)

    paged, after = [], 0
    while after is not None:
        page = await service.get(f"/v1/games/{game}/history?after={after}&limit=4")
        paged += [(p["heading"], sentence) for p in page["items"] for sentence in p["sentences"]]
        after = page["next"]
    assert paged == [(p["heading"], sentence) for p in whole["items"] for sentence in p["sentences"]]


async def test_an_exported_game_is_proved_offline(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert, rounds=1)
    await service.play_out(game, anna, bert)
    answer = await service.ask("GET", f"/v1/games/{game}/export")
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    assert f'filename="{game}.jsonl"' in answer.headers["content-disposition"]
    verdict = verify(answer.content.splitlines(keepends=True), LIBRARY)
    assert (verdict.ok, verdict.unproved) == (True, ()), verdict.problem


async def test_an_export_of_a_running_game_holds_no_secret_of_others(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await service.begun(anna, bert)
    spectators = (await service.ask("GET", f"/v1/games/{game}/export")).content.splitlines(keepends=True)
    reds = (await service.ask("GET", f"/v1/games/{game}/export", anna)).content.splitlines(keepends=True)
    assert read(spectators).secrets == ()
    assert {secret.readers for secret in read(reds).secrets} == {("red",)}
    assert all(b'"secret":{' not in line or msgspec.json.decode(line)["secret"]["readers"] == ["red"] for line in reds)
