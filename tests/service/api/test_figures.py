"""Half points over HTTP: as numbers in data, as ½ in pictures."""

from pathlib import Path

from domain.kernel.rules.ruleset import Library
from tests.service.api.serving import serving
from tests.service.api.test_statistics import until
from tests.tiny.house import House


async def test_half_points_are_numbers_in_data_and_halves_in_pictures(tmp_path: Path, database_url: str) -> None:
    async with serving(tmp_path, Library([House()]), durable=False, database_url=database_url) as service:
        anna, bert = await service.register("Anna"), await service.register("Bert")
        game = await service.begun(anna, bert)
        await service.play_out(game, anna, bert)
        standings = (await service.get(f"/v1/games/{game}/marks"))["standings"]
        points = {each["seat"]: each["figures"]["points"] for each in standings}
        assert points == {each["seat"]: each["figures"]["coins"] / 2 for each in standings}
        assert sum(points.values()) == 1.5  # three coins
        board = await until(service, f"/v1/games/{game}/scoreboard", status="over")
        last = board["rounds"][-1]
        assert {seat: each["points"] for seat, each in last["scores"].items()} == points
        assert last["nations"] == {
            "red": {"western-buyers": {"points": points["red"]}},
            "blue": {"dealers": {"points": points["blue"]}},
        }
        charts = f"/v1/games/{game}/charts"
        for picture in (f"/v1/games/{game}/board.svg", f"{charts}/points.svg", f"{charts}/points-by-nation.svg"):
            drawn = (await service.ask("GET", picture)).text
            assert "½" in drawn
            assert ".5<" not in drawn
