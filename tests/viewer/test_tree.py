"""The Merkle tree in the browser: a later tree goes on from an earlier one exactly where the service's does."""

import base64

from domain.transparency.tiles import numbered
from domain.transparency.tree import TILE_WIDTH, Frontier, leaf_hash
from tests.viewer.logic import evaluate

CONTINUES = """async (cases) => {
    const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const { continues } = await import('/viewer/proof/tree.js');
    const tree = ([size, root]) => ({ size, root: bytes(root) });
    return Promise.all(cases.map(([before, after, tiles]) =>
        continues(tree(before), tree(after), async (path) => bytes(tiles[path]))));
}"""


def grown(size: int, changed: int = -1) -> tuple[Frontier, dict[tuple[int, int], list[bytes]]]:
    """Return a tree, and its tiles by level and number; the leaf `changed` is another one."""
    frontier, tiles = Frontier(), dict[tuple[int, int], list[bytes]]()
    for level, number, each in frontier.extend(leaf_hash(b"%d" % (at + (at == changed))) for at in range(size)):
        tiles.setdefault((level, number // TILE_WIDTH), []).append(each)
    return frontier, tiles


def text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def test_a_tree_of_any_size_goes_on_from_any_smaller_one_and_from_no_other() -> None:
    cases, right = list[object](), dict[tuple[int, int, int], bool]()
    for after in (1, 2, 7, 8, 255, 256, 257, 1100):
        now, tiles = grown(after)
        served = {f"{level}/{numbered(n, len(hashes))}": text(b"".join(hashes)) for (level, n), hashes in tiles.items()}
        for before in sorted({0, 1, 2, 3, after // 2, after - 1, after} & set(range(after + 1))):
            for changed in {-1, 0, before - 1}:
                then = grown(before, changed)[0]
                cases.append([[before, text(then.root)], [after, text(now.root)], served])
                right[before, after, changed] = changed < 0 or before == 0
    assert dict(zip(right, evaluate(CONTINUES, cases), strict=True)) == right
