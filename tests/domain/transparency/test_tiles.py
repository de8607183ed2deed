"""Paths and bodies of tiles, with the examples of the specification."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.transparency.tiles import (
    Tile,
    bundle,
    entries_of,
    hashes_of,
    numbered,
    read_number,
    tile_of,
    tiles_between,
)
from domain.transparency.tree import Range, runs


def test_paths_of_the_specification() -> None:
    assert numbered(1234067, 256) == "x001/x234/067"
    assert numbered(0, 256) == "000"
    assert numbered(1000, 1) == "x001/000.p/1"
    assert Tile(2, 5, 7).path == "2/005.p/7"


@given(st.integers(0, 10**15), st.integers(1, 256))
def test_a_path_is_read_as_it_was_written(number: int, width: int) -> None:
    assert read_number(numbered(number, width)) == (number, width)


@pytest.mark.parametrize(
    "path",
    ["", "0", "00", "0000", "x000/001", "001/002", "x001", "001.p/0", "001.p/256", "001.p/01", "001.p/", "001.p/1/2",
     "-01", "٠٠١", "001\n", "x001/x234/067.p/1000", "x999/" * 12 + "000"],
)  # fmt: skip
def test_a_tile_has_one_path(path: str) -> None:
    assert read_number(path) is None


def test_the_tiles_of_a_tree_of_70_000() -> None:
    """The example of the specification: 273 full tiles and one of 112, one full and one of 17, one of 1."""
    assert Tile(0, 272, 256).exists_in(70_000)
    assert Tile(0, 273, 112).exists_in(70_000)
    assert not Tile(0, 273, 113).exists_in(70_000)
    assert Tile(1, 0, 256).exists_in(70_000)
    assert Tile(1, 1, 17).exists_in(70_000)
    assert not Tile(1, 1, 18).exists_in(70_000)
    assert Tile(2, 0, 1).exists_in(70_000)
    assert not Tile(2, 0, 2).exists_in(70_000)
    assert not Tile(3, 0, 1).exists_in(70_000)
    assert tile_of(runs([Range(0, 65_536)])[0], 70_000) == Tile(2, 0, 1)


def test_the_new_bundles_between_two_sizes() -> None:
    assert list(tiles_between(0, 0)) == list(tiles_between(300, 300)) == []
    assert list(tiles_between(0, 3)) == [Tile(0, 0, 3)]
    assert list(tiles_between(255, 257)) == [Tile(0, 0, 256), Tile(0, 1, 1)]
    assert list(tiles_between(256, 512)) == [Tile(0, 1, 256)]


@given(st.lists(st.binary(max_size=400), max_size=256))
def test_a_bundle_is_read_as_it_was_written(entries: list[bytes]) -> None:
    tile = Tile(0, 0, len(entries))
    assert entries_of(bundle(entries), tile) == entries
    with pytest.raises(ValueError, match="has"):
        entries_of(bundle([*entries, b""]), tile)
    with pytest.raises(ValueError, match="ends in the middle"):
        entries_of(bundle([*entries, b"x"])[:-1], tile)


def test_a_tile_has_32_bytes_for_each_hash() -> None:
    assert hashes_of(b"a" * 32 + b"b" * 32, Tile(0, 0, 2)) == [b"a" * 32, b"b" * 32]
    with pytest.raises(ValueError, match="65 bytes in place of 64"):
        hashes_of(b"a" * 65, Tile(0, 0, 2))
