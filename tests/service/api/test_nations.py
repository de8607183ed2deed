"""Nations that a seat leads, over HTTP: pieces that name theirs, and standings that list them."""

from pathlib import Path
from xml.etree import ElementTree

from domain.kernel.rules.ruleset import Library
from tests.service.api.serving import serving
from tests.tiny.house import House

SVG = "{http://www.w3.org/2000/svg}"


async def test_a_seats_nations_are_told_apart_by_their_signs(tmp_path: Path, database_url: str) -> None:
    async with serving(tmp_path, Library([House()]), durable=False, database_url=database_url) as service:
        anna, bert = await service.register("Anna"), await service.register("Bert")
        game = await service.begun(anna, bert)
        marks = await service.get(f"/v1/games/{game}/marks")
        assert [each["nation"] for each in marks["places"]["hall"]["stacks"]] == ["western-buyers", "dealers"]
        red, blue = marks["standings"]
        assert red["nations"] == [
            {
                "nation": "western-buyers",
                "name": "Western Buyers",
                "sign": "WB",
                "figures": {"points": 0},
                "items": [],
                "words": "led by House of Red",
                "absent": False,
                "active": red["active"],
            },
            {
                "nation": "ruined",
                "name": "ruined",
                "sign": "Ru",
                "figures": {},
                "items": [],
                "words": "",
                "absent": True,
                "active": False,
            },
        ]
        assert [each["sign"] for each in blue["nations"]] == ["De", "Ru"]
        drawn = ElementTree.fromstring((await service.ask("GET", f"/v1/games/{game}/board.svg")).content)
        hall = next(each for each in drawn.iter(f"{SVG}g") if each.get("id") == "area-hall")
        assert (hall.findtext(f"{SVG}title") or "").startswith("The hall, Western Buyers of House of Red; ")
        assert [each.text for each in hall.iter(f"{SVG}text") if each.text in ("WB", "De")] == ["WB", "De"]
        assert not [each for each in hall.iter(f"{SVG}use") if "emblem" in each.get("href", "")]
        legend = [each.text for each in drawn.iter(f"{SVG}text")]
        assert {"Western Buyers", "points 0", "led by House of Red", "Ru", "ruined"} <= set(legend)
