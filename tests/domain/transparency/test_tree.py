"""The tree and its proofs against RFC 6962 written down naively, and against published vectors."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.transparency.tree import (
    EMPTY,
    Frontier,
    Range,
    consistency,
    continues,
    includes,
    inclusion,
    leaf_hash,
    parts,
    range_hash,
    runs,
)
from tests.domain.transparency import reference
from tests.domain.transparency.reference import Kept

ENTRIES = [bytes.fromhex(each) for each in (
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
)]  # fmt: skip
ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
"""The tree of the Certificate Transparency project's reference tests, of each size from 1 on."""

LEAVES = [leaf_hash(b"%d" % number) for number in range(70_000)]


def grown(size: int) -> tuple[Frontier, Kept]:
    frontier, kept = Frontier(), Kept()
    kept.keep(frontier.extend(LEAVES[:size]))
    return frontier, kept


FRONTIER, KEPT = grown(len(LEAVES))


def test_published_roots() -> None:
    frontier = Frontier()
    assert frontier.root == EMPTY
    for entry, root in zip(ENTRIES, ROOTS, strict=True):
        frontier.extend([leaf_hash(entry)])
        assert frontier.root.hex() == root


def test_published_proofs() -> None:
    """The example of RFC 6962, 2.1.3, whose hashes are of the leaves d0 … d6."""
    kept = Kept()
    kept.keep(Frontier().extend(map(leaf_hash, ENTRIES[:7])))
    letters = {
        "b": Range(1, 2), "c": Range(2, 3), "d": Range(3, 4), "e": Range(4, 5), "f": Range(5, 6), "g": Range(0, 2),
        "h": Range(2, 4), "i": Range(4, 6), "j": Range(6, 7), "k": Range(0, 4), "l": Range(4, 7),
    }  # fmt: skip
    assert inclusion(0, 7) == [letters[each] for each in "bhl"]
    assert inclusion(3, 7) == [letters[each] for each in "cgl"]
    assert inclusion(4, 7) == [letters[each] for each in "fjk"]
    assert inclusion(6, 7) == [letters[each] for each in "ik"]
    assert consistency(3, 7) == [letters[each] for each in "cdgl"]
    assert consistency(4, 7) == [letters[each] for each in "l"]
    assert consistency(6, 7) == [letters[each] for each in "ijk"]


@given(st.integers(0, 600), st.integers(0, 600))
def test_proofs_are_those_of_the_rfc(one: int, other: int) -> None:
    old, new = sorted((one, other))
    leaves = LEAVES[:new]
    frontier, kept = grown(new)
    assert frontier.root == reference.root_of(leaves)
    if old < new:
        hashes = [range_hash(each, kept.read) for each in inclusion(old, new)]
        assert hashes == reference.path(old, leaves)
        assert includes(leaves[old], old, new, hashes, frontier.root)
    if old:
        hashes = [range_hash(each, kept.read) for each in consistency(old, new)]
        assert hashes == reference.proof(old, leaves)
        assert continues(old, reference.root_of(leaves[:old]), new, frontier.root, hashes)


@given(st.integers(1, 69_999), st.integers(1, 70_000), st.data())
@settings(max_examples=50)
def test_a_proof_of_something_else_proves_nothing(one: int, other: int, data: st.DataObject) -> None:
    index, size = min(one, other - 1), other
    root = range_hash(Range(0, size), KEPT.read)
    hashes = [range_hash(each, KEPT.read) for each in inclusion(index, size)]
    assert includes(LEAVES[index], index, size, hashes, root)
    wrong = data.draw(st.integers(0, len(LEAVES) - 1).filter(lambda number: number != index))
    assert not includes(LEAVES[wrong], index, size, hashes, root)
    assert not includes(LEAVES[index], wrong, size, hashes, root)
    assert not includes(LEAVES[index], index, size, [*hashes, root], root)
    assert not includes(LEAVES[index], index, size, hashes[:-1], root) or not hashes
    for place in range(len(hashes)):
        assert not includes(LEAVES[index], index, size, [*hashes[:place], root, *hashes[place + 1 :]], root)

    old, new = sorted((one, other))
    old_root, new_root = (range_hash(Range(0, each), KEPT.read) for each in (old, new))
    hashes = [range_hash(each, KEPT.read) for each in consistency(old, new)]
    assert continues(old, old_root, new, new_root, hashes)
    if old != new:
        assert not continues(old, LEAVES[0], new, new_root, hashes) or old == 1
        assert not continues(old, old_root, new, LEAVES[0], hashes)
        assert not continues(old, old_root, new, new_root, [*hashes, new_root])
        assert not continues(old, old_root, new, new_root, hashes[:-1])
        assert not continues(new, new_root, old, old_root, hashes)
        for place in range(len(hashes)):
            assert not continues(old, old_root, new, new_root, [*hashes[:place], LEAVES[-1], *hashes[place + 1 :]])


@pytest.mark.parametrize("proof", [[], [EMPTY]])
def test_the_empty_tree_is_the_beginning_of_every_tree_without_a_proof(proof: list[bytes]) -> None:
    root = reference.root_of(LEAVES[:5])
    assert continues(0, EMPTY, 5, root, proof) == (not proof)
    assert not continues(0, root, 5, root, proof)
    assert continues(5, root, 5, root, proof) == (not proof)
    assert not includes(LEAVES[0], 0, 0, proof, EMPTY)


@given(st.lists(st.integers(0, 700), max_size=8))
def test_a_frontier_that_was_put_down_and_taken_up_again_goes_on_as_if_it_had_not(steps: list[int]) -> None:
    kept, size, frontier = Kept(), 0, Frontier()
    for step in steps:
        frontier = Frontier(size, [range_hash(Range(s.number << s.height, (s.number + 1) << s.height), kept.read)
                                   for s in parts(Range(0, size))])  # fmt: skip
        kept.keep(frontier.extend(LEAVES[size : size + step]))
        size += step
    assert frontier.root == grown(size)[0].root
    assert kept.hashes == grown(size)[1].hashes


@given(st.integers(1, 70_000), st.integers(0, 70_000))
def test_every_hash_of_a_proof_is_in_one_tile(size: int, other: int) -> None:
    for run in runs([*inclusion(other % size, size), *consistency(other % size, size), Range(0, size)]):
        assert run.start // 256 == (run.stop - 1) // 256
        assert run.stop <= size >> (8 * run.level)
