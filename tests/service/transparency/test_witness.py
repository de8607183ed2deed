"""The witness: it cosigns what goes on from what it saw, and nothing else, even if several ask at once."""

import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain.transparency.checkpoint import ED25519_COSIGNATURE, Checkpoint, verified
from domain.transparency.note import Note, NoteError, read_note, read_signatures
from domain.transparency.policy import Party, read_policy
from domain.transparency.request import AddCheckpoint, read_add_checkpoint
from domain.transparency.tree import EMPTY, Frontier, consistency, leaf_hash, range_hash
from service.store.sqlite.store import SqliteStore
from service.transparency.cosigning import Cosigning, WitnessAhead
from service.transparency.keys import KeyUnusable, check, new_key, read_log_key, read_signer, witness_key
from service.transparency.log import TransparencyLog
from service.transparency.sequencer import Stopped
from service.transparency.witness import SIZE, Witness, application, origin_hash
from tests.domain.transparency.reference import Kept
from tests.service.transparency.logs import KEY, Streams, sequencer

SIGNER = read_signer(new_key("w.example", lambda count: b"w" * count, ED25519_COSIGNATURE), ED25519_COSIGNATURE)
POLICY = read_policy(f"log {KEY.signers[0].key}\nquorum none\n".encode())


class Log:
    """A log of its own, of which any size is signed."""

    def __init__(self, text: str = "") -> None:
        self.leaves = [leaf_hash(f"{text} {number}".encode()) for number in range(300)]
        self.kept = Kept()
        self.kept.keep(Frontier().extend(self.leaves))

    def note(self, size: int, key: Any = KEY) -> Note:
        frontier = Frontier()
        frontier.extend(self.leaves[:size])
        text = Checkpoint(key.origin, size, frontier.root).text
        return Note(text, tuple(key.signatures(text)))

    def asked(self, old: int, new: int) -> bytes:
        proof = tuple(range_hash(each, self.kept.read) for each in consistency(old, new)) if old <= new else ()
        return str(AddCheckpoint(old, proof, self.note(new))).encode()


LOG, OTHER = Log(), Log("other")


@pytest.fixture
def witness(tmp_path: Path) -> Witness:
    return Witness(SIGNER, POLICY, tmp_path / "witness.db", lambda: 1_795_242_000)


def test_it_cosigns_what_goes_on(witness: Witness, tmp_path: Path) -> None:
    assert witness.checkpoint(origin_hash(KEY.origin)).status == 404
    for old, new in ((0, 3), (3, 3), (3, 200), (200, 300)):
        answer = witness.add_checkpoint(LOG.asked(old, new))
        assert answer.status == 200, answer.body
        note = LOG.note(new).signed(read_signatures(answer.body))
        assert [seen.time for seen in verified(note, [SIGNER.key], check)] == [1_795_242_000]
        kept = read_note(witness.checkpoint(origin_hash(KEY.origin)).body)
        assert kept == note
    again = Witness(SIGNER, POLICY, tmp_path / "witness.db")
    answer = again.add_checkpoint(LOG.asked(0, 300))
    assert (answer.status, answer.body, answer.media) == (409, "300\n", SIZE)


def test_it_refuses_everything_else(witness: Witness) -> None:
    assert witness.add_checkpoint(LOG.asked(0, 100)).status == 200
    empty = Checkpoint(KEY.origin, 0, leaf_hash(b"")).text
    not_empty = str(AddCheckpoint(0, (), Note(empty, tuple(KEY.signatures(empty))))).encode()
    stranger = read_log_key(new_key(KEY.origin, lambda count: b"s" * count))
    unknown = read_log_key(new_key("unknown.example", lambda count: b"s" * count))
    forged = LOG.asked(100, 200).replace(b"\n200\n", b"\n201\n")
    for content, status in (
        (b"", 400),
        (b"\xff", 400),
        (LOG.asked(100, 200).replace(b"old 100", b"old 0100"), 400),
        (b"old 200\n\n" + str(LOG.note(100)).encode(), 400),
        (str(AddCheckpoint(0, (), LOG.note(5, unknown))).encode(), 404),
        (str(AddCheckpoint(0, (), LOG.note(5, stranger))).encode(), 403),
        (forged, 403),
        (LOG.asked(50, 200), 409),
        (not_empty, 409),
        (OTHER.asked(100, 200), 422),
        (OTHER.asked(100, 100), 422),
        (LOG.asked(100, 200).replace(b"old 100\n", b"old 100\n" + b"A" * 43 + b"=\n"), 422),
    ):
        answer = witness.add_checkpoint(content)
        assert answer.status == status, (content, answer)
    assert witness.add_checkpoint(LOG.asked(100, 200)).status == 200


def test_the_empty_tree_has_one_root(tmp_path: Path) -> None:
    witness = Witness(SIGNER, POLICY, tmp_path / "witness.db")
    for root, status in ((leaf_hash(b""), 422), (EMPTY, 200)):
        text = Checkpoint(KEY.origin, 0, root).text
        note = Note(text, tuple(KEY.signatures(text)))
        assert witness.add_checkpoint(str(AddCheckpoint(0, (), note)).encode()).status == status


@pytest.mark.parametrize(
    "head", ["", "old 1", "old -1\n\n", "old 1\nAAAA\n\n", "old 1\n" + "A" * 44 + "\n" * 2, "new 1\n\n"]
)
def test_texts_that_are_not_requests_are_refused(head: str) -> None:
    with pytest.raises(NoteError):
        read_add_checkpoint(f"{head}{LOG.note(3)}".encode())
    with pytest.raises(NoteError):
        read_add_checkpoint(b"old 1\n" + (b"A" * 43 + b"=\n") * 64 + b"\n" + str(LOG.note(3)).encode())


def test_one_of_many_requests_at_once_wins(tmp_path: Path) -> None:
    """Two witnesses over one file, each in threads, and two logs of one name: one tree is cosigned."""
    witnesses = [Witness(SIGNER, POLICY, tmp_path / "witness.db") for _ in range(2)]
    assert witnesses[0].add_checkpoint(LOG.asked(0, 1)).status in (200, 409)
    statuses: list[tuple[int, int, int]] = []
    old = 1
    for new in range(2, 12):
        threads = [
            threading.Thread(
                target=lambda number: statuses.append(
                    (new, number, witnesses[number % 2].add_checkpoint(LOG.asked(old, new + number)).status)  # noqa: B023
                ),
                args=(number,),
            )
            for number in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        won = [number for at, number, status in statuses if at == new and status == 200]
        assert len(won) == 1
        assert {status for at, _, status in statuses if at == new} == {200, 409}
        old = new + won[0]
        if old > new:
            break


# --- over HTTP, and with a log ----------------------------------------------------------------------------------------


@pytest.fixture
async def http(witness: Witness) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(application(witness))
    async with httpx.AsyncClient(transport=transport, base_url="http://w.example") as client:
        yield client


async def test_it_is_asked_over_http(http: httpx.AsyncClient) -> None:
    assert (await http.get("/")).text == f"{SIGNER.key}\n"
    assert (await http.post("/add-checkpoint", content=LOG.asked(0, 7))).text.startswith("— w.example ")
    answer = await http.post("/add-checkpoint", content=LOG.asked(0, 9))
    assert (answer.status_code, answer.headers["content-type"], answer.text) == (409, "text/x.tlog.size", "7\n")
    assert read_note((await http.get(f"/{origin_hash(KEY.origin)}/checkpoint")).content).text == LOG.note(7).text
    for method, path, status in (
        ("GET", "/add-checkpoint", 405),
        ("POST", "/", 405),
        ("GET", "/x/y/z", 404),
        ("GET", f"/{origin_hash('x')}/checkpoint", 404),
    ):
        assert (await http.request(method, path)).status_code == status
    assert (await http.post("/add-checkpoint", content=b"x" * 200_000)).status_code == 413


async def test_a_log_keeps_what_its_witnesses_cosign(http: httpx.AsyncClient, tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "tabularium.db")
    streams, works = Streams(store, ("g1", "g2")), sequencer(store, tmp_path)
    away = Party(SIGNER.key, "http://127.0.0.1:1")
    bringing = Cosigning(store.tree, {"club": Party(SIGNER.key, "http://w.example/"), "none": Party(SIGNER.key)}, http)
    await bringing.look()
    for name in ("g1", "g2", "g1"):
        await streams.go_on(name)
        await works.turn()
        await bringing.look()
        await bringing.look()
        note = await TransparencyLog(store.tree).checkpoint()
        assert note is not None
        policy = f"log {KEY.signers[0].key}\nwitness club {SIGNER.key}\nquorum club\n"
        assert list(read_policy(policy.encode()).judge(note, check).witnesses) == ["club"]
    # Another process, which does not know what the witness has seen, is told.
    await streams.go_on("g2")
    await works.turn()
    await Cosigning(store.tree, {"club": Party(SIGNER.key, "http://w.example")}, http).look()
    assert len(await store.tree.cosignatures(KEY.origin, 4)) == 1
    async with httpx.AsyncClient(trust_env=False) as nowhere:
        await Cosigning(store.tree, {"away": away}, nowhere).look()
    await store.close()


async def test_a_witness_that_saw_more_stops_the_log(http: httpx.AsyncClient, tmp_path: Path) -> None:
    assert (await http.post("/add-checkpoint", content=LOG.asked(0, 7))).status_code == 200
    store = await SqliteStore.open(tmp_path / "tabularium.db")
    works = sequencer(store, tmp_path)
    await Streams(store, ("g1",)).go_on("g1")
    assert await works.turn()
    assert works.leads
    with pytest.raises(WitnessAhead, match="the witness club has seen 7 entries") as caught:
        await Cosigning(store.tree, {"club": Party(SIGNER.key, "http://w.example")}, http).look()
    works.stop(str(caught.value))
    assert not works.leads
    with pytest.raises(Stopped, match="restored from an older copy"):
        await works.turn()
    await store.close()


def test_the_key_of_a_witness_is_made_once(tmp_path: Path) -> None:
    key = witness_key(tmp_path / "witness.key", "club.example").key
    assert key.kind == ED25519_COSIGNATURE
    assert witness_key(tmp_path / "witness.key", None).key == key
    with pytest.raises(KeyUnusable, match=r"is the key of club\.example, not of other"):
        witness_key(tmp_path / "witness.key", "other")
