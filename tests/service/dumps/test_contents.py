"""What a dump has: only what everybody may read, nothing of accounts but their ids, and rows that prove themselves."""

import asyncio
import hashlib
import json
import shutil
from collections import Counter
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import zstandard

from domain.kernel.ids import GameId
from domain.kernel.log.record import Record, genesis, row_bytes
from domain.library import LIBRARY as RULESETS
from projections import dice
from service.dumps.index import read_index
from service.dumps.tables import TABLES
from service.readmodels import runner
from service.store.protocol import Append
from service.store.sqlite.rows import SqliteRows
from service.store.sqlite.store import SqliteStore
from tests.helpers.stored import appended, filled
from tests.service.api.conftest import anna, bert, service
from tests.service.api.serving import Player, Service
from tests.service.api.test_forks import fork
from tests.service.api.test_private import play_out
from tests.service.api.test_results import Contest, contest
from tests.service.cli.calling import Call
from tests.service.dumps.conftest import chosen, dump
from tests.service.rig import LIBRARY

__all__ = ["anna", "bert", "contest", "service"]


def unpacked(file: Path) -> bytes:
    with zstandard.ZstdDecompressor().stream_reader(BytesIO(file.read_bytes()), read_across_frames=True) as reader:
        return reader.read()


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    """Return the rows of a table of all sets."""
    found = sorted(folder.glob(f"*.{table}.parquet"))
    return [row for each in found for row in pq.read_table(each).to_pylist()]


def dumped_games(folder: Path) -> set[str]:
    return {row["game"] for row in rows(folder, "games")}


@pytest.fixture
def of_the_auction(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let dumps know the tiny auction, and be made some months later."""
    monkeypatch.setattr("service.dumps.pieces.LIBRARY", LIBRARY)
    monkeypatch.setattr("service.cli.dump.utc_now", lambda: datetime(2027, 3, 1, tzinfo=UTC))


def dump_of(service: Service, folder: Path) -> None:
    settings = service.services.settings
    place = ["--url", settings.database_url] if settings.database_url else ["--data", settings.data]
    assert dump(folder, *place, "--processes", 1) == 0


# --- what is in -------------------------------------------------------------------------------------------------------


async def test_only_finished_games_that_everybody_may_list_are_dumped(
    service: Service, anna: Player, bert: Player, tmp_path: Path, of_the_auction: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABULARIUM_TRANSPARENCY", "false")
    games: dict[str, str] = {}
    for name, more in (("public", {}), ("unlisted", {"listed": False}), ("private", {"readers": "invited"})):
        body = {"ruleset": "tiny-auction", "players": 2, "setup": {"rounds": 1}, **more}
        games[name] = (await service.post("/v1/games", anna, body))["id"]
        seats = [anna] if name == "private" else [anna, bert]
        for player in seats:
            await service.post(f"/v1/games/{games[name]}/seats", player, {})
        if name == "private":
            made = await service.post(f"/v1/games/{games[name]}/invitations", anna)
            await service.post(f"/v1/invitations/{made['token']}", bert, {})
        await service.post(f"/v1/games/{games[name]}/start", anna)
    games["running"] = await service.begun(anna, bert, rounds=1)
    games["cancelled"] = await service.gathering(anna, bert)
    assert (await service.ask("DELETE", f"/v1/games/{games['cancelled']}", anna)).status_code == 200
    await service.play_out(games["public"], anna, bert)
    games["fork"] = (await fork(service, f"/v1/games/{games['public']}", anna))["id"]
    await service.play_out(games["fork"], anna)
    for name in ("unlisted", "private"):
        await play_out(service, games[name], anna, bert)
    await asyncio.to_thread(dump_of, service, tmp_path / "dumps")
    assert dumped_games(tmp_path / "dumps") == {games["public"]}
    exports = unpacked(next((tmp_path / "dumps").glob("*.jsonl.zst")))
    answer = await service.ask("GET", f"/v1/games/{games['public']}/export", accept_encoding="identity")
    assert exports == answer.content, "an export is the same to the byte, wherever it comes from"


async def test_nothing_of_an_account_but_its_id_is_in_any_file(
    service: Service, tmp_path: Path, of_the_auction: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABULARIUM_TRANSPARENCY", "false")
    ottilie, balthasar = await service.register("Ottilie Quastenberg"), await service.register("Balthasar Wrzesniewski")
    body = {"ruleset": "tiny-auction", "players": 2, "title": "The Quastenberg chrysanthemum", "setup": {"rounds": 1}}
    game = (await service.post("/v1/games", ottilie, body))["id"]
    for player in (ottilie, balthasar):
        await service.post(f"/v1/games/{game}/seats", player, {}, idempotency_key="key-of-quastenberg")
    await service.post(f"/v1/games/{game}/start", ottilie)
    await service.play_out(game, ottilie, balthasar)
    await asyncio.to_thread(dump_of, service, tmp_path / "dumps")
    tokens = [each.headers["authorization"].removeprefix("Bearer ") for each in (ottilie, balthasar)]
    # Long words only: three letters stand in a signature or a hash now and then.
    words = ["Quastenberg", "Ottilie", "Wrzesniewski", "Balthasar", "chrysanthemum"]
    secret = [*tokens, *(token[-20:] for token in tokens), *words]
    files = [each for each in (tmp_path / "dumps").iterdir() if each.name != ".lock"]
    assert len(files) == 8
    found = b""
    for each in files:
        texts = [each.read_bytes()]
        if each.suffix == ".zst":
            texts.append(unpacked(each))
        if each.suffix == ".parquet":
            texts.append(repr(pq.read_table(each).to_pylist()).encode())
        found += b"".join(texts)
    for word in secret:
        assert word.lower().encode() not in found.lower(), word
    assert ottilie.id.encode() in found, "the ids of accounts are there: they are pseudonyms"


async def test_a_ruling_is_in_the_month_in_which_it_was_made(
    contest: Contest, tmp_path: Path, of_the_auction: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABULARIUM_TRANSPARENCY", "false")
    service, folder = contest.service, tmp_path / "dumps"
    monkeypatch.setattr("service.cli.dump.utc_now", lambda: datetime(2026, 12, 20, tzinfo=UTC))
    await asyncio.to_thread(dump_of, service, folder)
    ends = rows(folder, "results")
    winners = {row["seat"] for row in ends if row["won"]}
    order = sorted([[row["seat"]] for row in ends], key=lambda tied: tied[0] in winners)
    before = {each: each.read_bytes() for each in folder.glob("*2026-11*")}
    january = iter(range(10_000))
    service.services.desk._clock = lambda: datetime(2027, 1, 5, 10, 0, 0, next(january), tzinfo=UTC)
    await contest.rule(decision="result", order=order)
    ruled_on = contest.case
    wish = {"kind": "dice", "version": 4, "statement": "I wonder, too."}
    contest.case = (await service.post(f"{contest.url}/cases", contest.players[1], wish))["summary"]["case"]
    await contest.rule(decision="dismissed")
    other, contest.case = contest.case, ruled_on
    await service.post(f"/v1/cases/{contest.case}/appeal", contest.players[0], {"statement": "Look again."})
    await contest.rule(1, decision="dismissed")
    monkeypatch.setattr("service.cli.dump.utc_now", lambda: datetime(2027, 3, 1, tzinfo=UTC))
    await asyncio.to_thread(dump_of, service, folder)
    assert {each: each.read_bytes() for each in folder.glob("*2026-11*")} == before
    ruled = pq.read_table(folder / "tiny-auction-2027-01.results.parquet").to_pylist()
    assert [(row["by"], row["rule"], row["case"]) for row in ruled] == [
        ("ruling", "TAB-RUL-09", case) for case in (contest.case, other, contest.case) for _ in range(2)
    ]
    first, beside, second = ruled[:2], ruled[2:4], ruled[4:]
    for each in (first, beside):
        assert {row["seat"] for row in each if row["won"]} == set(order[0]), "another case leaves the result alone"
    assert {row["seat"]: (row["place"], row["won"]) for row in second} == {
        row["seat"]: (row["place"], row["won"]) for row in ends
    }, "after the appeal the end holds again"
    assert pq.read_table(folder / "tiny-auction-2027-01.games.parquet").num_rows == 0
    assert unpacked(folder / "tiny-auction-2027-01.jsonl.zst") == b""
    assert (folder / "tiny-auction-2027-01.jsonl.zst").stat().st_size > 0, "a frame, which every reader takes"


# --- what it proves ---------------------------------------------------------------------------------------------------


def test_verify_proves_a_dump_as_it_is_and_that_the_log_has_its_games(call: Call, dumps: Path, policy: Path) -> None:
    said = call("verify", dumps, "--policy", policy, "--processes", 1)
    assert (said.code, said.out.count("over, certified")) == (0, 5), said.out
    assert "5 proved, 0 not proved, 0 not read." in said.out


def test_verify_notices_a_game_that_was_changed_left_out_or_not_signed(
    call: Call, dumps: Path, policy: Path, tmp_path: Path
) -> None:
    for each in dumps.glob("conquest-campaign*.zst"):
        shutil.copy(each, tmp_path)
    exports, proofs = (next(tmp_path.glob(f"*{ending}")) for ending in ("01.jsonl.zst", "ndjson.zst"))
    lines, pack = unpacked(exports).splitlines(keepends=True), zstandard.ZstdCompressor().compress
    kept = exports.read_bytes()
    for forged, where in ((lines[:500] + lines[501:], "1 not proved"), (lines[:-1], "1 not proved")):
        exports.write_bytes(pack(b"".join(forged)))
        said = call("verify", exports, "--processes", 1)
        assert (said.code, where in said.out) == (1, True), said.out
    exports.write_bytes(kept[:-20])
    assert call("verify", exports, "--processes", 1).code in (1, 2)
    exports.write_bytes(kept)
    certificates = unpacked(proofs).splitlines(keepends=True)
    proofs.write_bytes(pack(b"".join(certificates[1:])))
    said = call("verify", exports, "--policy", policy, "--processes", 1)
    assert (said.code, "The dump has no certificate of this game." in said.out) == (1, True)
    swapped = [json.loads(line) for line in certificates]
    swapped[0]["certificate"], swapped[1]["certificate"] = swapped[1]["certificate"], swapped[0]["certificate"]
    proofs.write_bytes(pack("".join(json.dumps(each) + "\n" for each in swapped).encode()))
    said = call("verify", exports, "--policy", policy, "--processes", 1)
    assert (said.code, said.out.count("The certificate is of game")) == (1, 2)
    proofs.unlink()
    assert call("verify", exports, "--policy", policy, "--processes", 1).code == 2
    assert "--policy is for dumps" in call("verify", exports, __file__, "--policy", policy).complaint


def test_the_rows_of_events_make_the_chain_that_was_signed(dumps: Path) -> None:
    heads = {row["game"]: genesis(row["game"]) for row in rows(dumps, "games")}
    for row in rows(dumps, "events"):
        record = Record(
            row["version"],
            row["event"].encode(),
            row["schema"],
            row["draws"],
            row["at"].strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            row["cause"].encode() if row["cause"] is not None else None,
            b"",
        )
        heads[row["game"]] = hashlib.sha256(heads[row["game"]] + row_bytes(row["game"], record)).digest()
    games = rows(dumps, "games")
    assert {row["game"]: row["head"] for row in games} == {game: head.hex() for game, head in heads.items()}
    assert sum(row["events"] for row in games) == sum(each.events for each in read_index(dumps))


def test_the_tables_say_what_happened(dumps: Path) -> None:
    games = {row["game"]: row for row in rows(dumps, "games")}
    results = rows(dumps, "results")
    assert len(results) == sum(row["seats"] for row in games.values())
    for game, row in games.items():
        mine = [each for each in results if each["game"] == game]
        assert [each["number"] for each in mine] == list(range(1, row["seats"] + 1))
        assert {each["place"] for each in mine if each["won"]} == {1}
        assert all(each["at"] == row["ended"] and each["rule"] == row["rule"] for each in mine)
        assert row["created"] <= row["began"] < row["ended"]
        assert row["rounds"] > 0
        assert 0 < row["commands"] < row["events"]


def test_every_column_says_what_it_means(dumps: Path) -> None:
    for table, columns in TABLES.items():
        for file in dumps.glob(f"*.{table}.parquet"):
            schema = pq.read_schema(file)
            told = [(field.name, field.metadata[b"description"].decode()) for field in schema]
            assert told == [(column.name, column.meaning) for column in columns]


def test_rolls_and_refusals_are_what_the_read_models_count(data: Path, tmp_path: Path) -> None:
    shutil.copytree(data, tmp_path / "data")
    counted = asyncio.run(_counted(tmp_path / "data"))
    assert dump(tmp_path / "dumps", "--data", tmp_path / "data", "--processes", 1) == 0
    refused = rows(tmp_path / "dumps", "refusals")
    assert [(row["ruleset"], row["rule"], row["refusals"], row["title"]) for row in refused] == [
        ("mare-nostrum", "MN-TRD-02", 3, RULESETS.current("mare-nostrum").catalogue.rule("MN-TRD-02").title)
    ]
    of = {row["game"]: row["ruleset"] for row in rows(tmp_path / "dumps", "games")}
    rolled = Counter((of[row["game"]], row["die"], row["face"]) for row in rows(tmp_path / "dumps", "rolls"))
    assert rolled == {(*die, face): times for die, faces in counted.items() for face, times in faces.items()}
    numbers = [(row["game"], row["version"], row["number"]) for row in rows(tmp_path / "dumps", "rolls")]
    assert len(set(numbers)) == len(numbers) > 50


async def _counted(data: Path) -> dict[tuple[str, str], dict[str, int]]:
    """Fold the log for the read models, count refusals, and return how often each face came up."""
    store, rows = await SqliteStore.open(data / "tabularium.db"), await SqliteRows.open(data / "projections.db")
    await runner(store, rows, RULESETS).catch_up()
    await rows.note_refusals({("mare-nostrum", "MN-TRD-02"): 3})
    counted = await dice.counts(rows)
    await rows.close()
    await store.close()
    return counted


def test_a_private_game_is_not_dumped_even_if_a_list_had_it(tmp_path: Path) -> None:
    first, second = chosen()[:2]
    asyncio.run(_with_private(tmp_path / "data", appended(first), appended(second, private=True)))
    assert dump(tmp_path / "dumps", "--data", tmp_path / "data", "--processes", 1) == 0
    assert dumped_games(tmp_path / "dumps") == {appended(first).game}


async def _with_private(data: Path, public: Append, private: Append) -> None:
    await filled(data, [public, private])
    store = await SqliteStore.open(data / "tabularium.db", durable=False)
    await store.list_game(GameId(private.game), True)
    await store.close()
