"""Accounts and their tokens."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest
from structlog.testing import capture_logs

from domain.kernel.ids import PlayerId
from service import readmodels
from service.accounts import callers
from service.accounts.accounts import Accounts
from service.accounts.caller import TokenEnded, UnknownToken
from service.accounts.names import BadName
from service.base.clock import utc_now
from service.readmodels import Refusals
from service.store.accounts import AccountStore, PlayerRow, TokenId, TokenRow
from tests.service.rig import Rig, open_rig


@pytest.fixture
async def rig(tmp_path: Path, database_url: str) -> AsyncIterator[Rig]:
    async with open_rig(tmp_path, database_url=database_url) as opened:
        yield opened


async def test_a_token_is_its_owners_and_nobody_elses(rig: Rig) -> None:
    anna, token = await rig.accounts.register("  Änna 🎲 ")
    bert, other = await rig.accounts.register("Bert")
    assert anna.name == "Änna 🎲"
    assert anna.player != bert.player
    assert (await rig.accounts.callers.authenticate(token)).player == anna.player
    assert (await rig.accounts.callers.authenticate(other)).player == bert.player
    for wrong in ("", "tab_", token[:-1], token + "x", token.upper(), "\udcff", "tab_" + "é" * 50):
        with pytest.raises(UnknownToken):
            await rig.accounts.callers.authenticate(wrong)


async def test_two_may_bear_one_name(rig: Rig) -> None:
    one, _ = await rig.accounts.register("Anna")
    two, _ = await rig.accounts.register("Anna")
    assert one.player != two.player
    assert await rig.accounts.player(one.player) == one
    assert await rig.accounts.player(PlayerId("pnobody")) is None


async def test_a_token_is_stored_nowhere(tmp_path: Path) -> None:
    async with open_rig(tmp_path) as rig:
        anna, token = await rig.accounts.register("Anna")
        assert token.startswith("tab_")
        assert len(token) == 47
    kept = (tmp_path / "tabularium.db").read_bytes()
    assert anna.player.encode() in kept
    assert token.removeprefix("tab_").encode() not in kept
    async with open_rig(tmp_path) as rig:
        assert (await rig.accounts.callers.authenticate(token)).player == anna.player


@pytest.mark.parametrize("name", ["", "  ", "a" * 81, "a\nb", "a\0b", "\u202ea"])
async def test_texts_that_are_not_names_are_refused(rig: Rig, name: str) -> None:
    with pytest.raises(BadName, match="1 to 80 printable characters"):
        await rig.accounts.register(name)


async def test_nobody_is_called_as_the_bots_are(rig: Rig) -> None:
    for name in (
        "Livia, greedy bot",
        "Ann,Thinker  BOT ",
        "Livia, greedy ｂｏｔ",
        "Livia，greedy bot",
        "Livia, greedy bot 2.",
    ):
        with pytest.raises(BadName, match="own bots are called"):
            await rig.accounts.register(name)
    await rig.accounts.register("Talbot")


class Late:
    """The accounts of a store, of which what is read of a token arrives late."""

    def __init__(self, store: AccountStore) -> None:
        self._store = store
        self.read, self.arrive = asyncio.Event(), asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def by_digest(self, digest: bytes) -> tuple[TokenRow, PlayerRow] | None:
        found = await self._store.by_digest(digest)
        self.read.set()
        await self.arrive.wait()
        return found


@pytest.mark.parametrize("how", ["revoked", "closed"])
async def test_what_was_read_before_a_token_ended_is_not_remembered(rig: Rig, how: str) -> None:
    late = Late(rig.store.accounts)
    found = Accounts(cast(AccountStore, late), utc_now, remember=3600.0)
    anna, token = await found.register("Anna")
    asking = asyncio.create_task(found.callers.authenticate(token))
    await late.read.wait()
    if how == "revoked":
        await found.revoke((await found.tokens(anna.player))[0].token)
    else:
        await found.close(anna.player)
    late.arrive.set()
    await asking
    with pytest.raises(TokenEnded):
        await found.callers.authenticate(token)


class Broken:
    """Rows and accounts to which nothing can be written, for a reason that nobody foresaw."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def used(self, *_: object) -> None:
        self.asked.set()
        raise ZeroDivisionError

    note_refusals = used


@pytest.mark.parametrize("what", ["uses of tokens are written", "refusals are counted"])
async def test_what_is_written_now_and_then_does_not_end_in_silence(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.setattr(callers, "FLUSH", 0.0)
    monkeypatch.setattr(readmodels, "FLUSH", 0.0)
    broken: Any = Broken()
    if what == "refusals are counted":
        writing = Refusals(broken)
        writing.note("tiny", "R-1")
    else:
        writing = Accounts(broken, utc_now).callers
        writing._used.add(TokenId("t"))
    with capture_logs() as logs:
        async with writing.writing():
            await broken.asked.wait()
            for _ in range(10):  # turns of the loop, until the task has ended and that is told
                await asyncio.sleep(0)
    assert [(line["event"], line["what"]) for line in logs] == [("background work ended", what)]
