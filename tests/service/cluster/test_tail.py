"""What the readers of more than one game share."""

from typing import Any, cast

import pytest

from domain.kernel.ids import CaseId
from service.cluster import tail
from service.cluster.wake import LocalWake


class _Cases:
    """A store that has every case, and counts the looks at each."""

    books = 1

    def __init__(self) -> None:
        self.asked = list[CaseId]()

    async def case(self, case: CaseId) -> Any:
        self.asked.append(case)
        return type("Row", (), {"game": f"game of {case}"})


async def test_the_game_of_a_case_is_looked_up_once_and_not_for_ever_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tail, "KEPT", 2)
    store = _Cases()
    followed = tail.Tail(cast(Any, store), LocalWake())
    one, two, three = map(CaseId, ("c1", "c2", "c3"))
    for case in (one, one, two, two, three, two, one):
        assert await followed.game_of(case) == f"game of {case}"
    assert store.asked == [one, two, three, one], "the oldest gives way"
