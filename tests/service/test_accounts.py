"""Accounts and their tokens."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from domain.kernel.words import PlayerId
from service.accounts import BadName, UnknownToken
from tests.service.halls import House, open_house


@pytest.fixture
async def house(tmp_path: Path, database_url: str) -> AsyncIterator[House]:
    async with open_house(tmp_path, database_url=database_url) as opened:
        yield opened


async def test_a_token_is_its_owners_and_nobody_elses(house: House) -> None:
    anna, token = await house.accounts.register("  Änna 🎲 ")
    bert, other = await house.accounts.register("Bert")
    assert anna.name == "Änna 🎲"
    assert anna.player != bert.player
    assert (await house.accounts.authenticate(token)).player == anna.player
    assert (await house.accounts.authenticate(other)).player == bert.player
    for wrong in ("", "tab_", token[:-1], token + "x", token.upper(), "\udcff", "tab_" + "é" * 50):
        with pytest.raises(UnknownToken):
            await house.accounts.authenticate(wrong)


async def test_two_may_bear_one_name(house: House) -> None:
    one, _ = await house.accounts.register("Anna")
    two, _ = await house.accounts.register("Anna")
    assert one.player != two.player
    assert await house.accounts.player(one.player) == one
    assert await house.accounts.player(PlayerId("pnobody")) is None


async def test_a_token_is_stored_nowhere(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        anna, token = await house.accounts.register("Anna")
        assert token.startswith("tab_")
        assert len(token) == 47
    kept = (tmp_path / "tabularium.db").read_bytes()
    assert anna.player.encode() in kept
    assert token.removeprefix("tab_").encode() not in kept
    async with open_house(tmp_path) as house:
        assert (await house.accounts.authenticate(token)).player == anna.player


@pytest.mark.parametrize("name", ["", "  ", "a" * 81, "a\nb", "a\0b", "\u202ea"])
async def test_what_is_no_name_is_refused(house: House, name: str) -> None:
    with pytest.raises(BadName, match="1 to 80 characters"):
        await house.accounts.register(name)
