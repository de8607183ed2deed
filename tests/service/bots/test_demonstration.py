"""A demonstration asks a view how each seat stands only where it says that."""

from typing import Any

import pytest

from service.bots.demonstration import Demonstration

OPTION = {
    "command": "pass",
    "decision": "1",
    "schema": {"type": "object", "properties": {"type": {"const": "pass"}}, "required": ["type"]},
}


class Scripted:
    """A service that always asks red, and whose views say of the seats what it was made with."""

    def __init__(self, seats: Any) -> None:
        self.view = {"seats": seats}
        self.sent: list[Any] = []

    def get(self, path: str) -> dict[str, Any]:
        match path.rpartition("/")[2]:
            case "board":
                return {"board": {}}
            case "state":
                return {"view": self.view}
            case "options":
                return {"options": [OPTION]}
            case "tiny-auction":
                return {"documents": ["prizes"]}
            case "prizes":
                return {"document": {}}
            case _:
                return {"status": "running", "version": 1, "decisions": [{"seats": ["red"]}]}

    def command(self, game: str, choice: Any, *, key: str) -> None:
        self.sent.append(choice)


@pytest.mark.parametrize(
    ("seats", "fallen"),
    [({"red": {"playing": True}, "blue": {"playing": False}}, 1), ({"red": {}}, 0), (["red", "blue"], 0)],
)
def test_it_counts_who_has_fallen_where_the_view_says_it(seats: Any, fallen: int) -> None:
    service: Any = Scripted(seats)
    demonstration = Demonstration("tiny-auction", 2, 1)
    demonstration.resume(service, [service], {"id": "g", "seats": [{"seat": "red"}]})
    assert demonstration.step()
    assert demonstration.fallen == fallen
    assert service.sent == [{"type": "pass"}]
