"""An undo that gives a bystander's command again, over HTTP."""

from pathlib import Path

from domain.kernel.proof.verify import verify
from domain.kernel.rules.ruleset import Library
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_statistics import until
from tests.tiny.house import House


async def second_round(service: Service, anna: Player, bert: Player) -> str:
    """Return a game in which red has won two coins, and it is blue's turn."""
    for _ in range(40):
        game = await service.begun(anna, bert)
        await service.give(game, anna, "put-up", coins=2)
        await service.give(game, anna, "open-bidding")
        for player in (anna, bert):
            await service.give(game, player, "choose-card", card=await service.first_card(game, player))
        view = (await service.get(f"/v1/games/{game}/state", anna))["view"]
        if view["coins"]["red"] == 2:
            return game
    raise AssertionError("red never wins")


async def test_moves_of_a_bystander_stay_when_the_active_player_takes_moves_back(
    tmp_path: Path, database_url: str
) -> None:
    library = Library([House()])
    async with serving(tmp_path, library, durable=False, database_url=database_url) as service:
        anna, bert = await service.register("Anna"), await service.register("Bert")
        game = await second_round(service, anna, bert)
        start = (await service.get(f"/v1/games/{game}"))["version"]
        await service.give(game, bert, "put-up", coins=3)
        await service.give(game, anna, "give", coins={"blue": 1})
        for player, to in ((bert, start), (anna, start + 1)):
            options = (await service.get(f"/v1/games/{game}/options", player))["options"]
            (undo,) = (option for option in options if option["command"] == "undo")
            assert undo["schema"]["properties"]["to"]["const"] == to
        done = await service.give(game, bert, "undo", to=start)
        assert [(each["type"], each["event"].get("again")) for each in done["events"]] == [
            ("moves-retracted", [start + 2]),
            ("coins-given", None),
        ]
        view = (await service.get(f"/v1/games/{game}/state"))["view"]
        assert (view["prize"], view["coins"]) == (0, {"red": 1, "blue": 1})
        events = (await service.get(f"/v1/games/{game}/events?after={start}"))["items"]
        assert [(each["cause"] or {}).get("seat") for each in events] == ["blue", "red", "blue", "red"]
        frames = (await service.get(f"/v1/games/{game}/frames?after={start}"))["frames"]
        assert frames[-2]["text"].startswith("The last commands were taken back")
        assert "What others did meanwhile stays." in frames[-2]["text"]
        await service.give(game, bert, "put-up", coins=1)
        await service.play_out(game, anna, bert)
        exported = (await service.ask("GET", f"/v1/games/{game}/export")).content
        verdict = verify(exported.splitlines(keepends=True), library)
        assert verdict.ok, verdict
        board = await until(service, f"/v1/games/{game}/scoreboard", status="over")
        assert board["retractions"] == 1
