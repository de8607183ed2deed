"""Results over HTTP after rulings: the game, its scoreboard, lists and the records of players say the same."""

from typing import Any

import pytest

from tests.service.api.serving import Player, Service
from tests.service.api.test_forks import fork
from tests.service.api.test_statistics import until


class Contest:
    """A game of Anna and Bert that is over, with a case about it and two officials."""

    def __init__(self, service: Service, players: tuple[Player, Player], officials: tuple[Player, Player], game: str):
        self.service, self.players, self.officials, self.game = service, players, officials, game
        self.case = ""

    @property
    def url(self) -> str:
        return f"/v1/games/{self.game}"

    async def open(self) -> None:
        wish = {"kind": "dice", "version": 4, "statement": "Those dice!"}
        opened = await self.service.post(f"{self.url}/cases", self.players[0], wish)
        self.case = opened["summary"]["case"]

    async def rule(self, official: int = 0, **more: Any) -> None:
        end = (await self.service.get(f"{self.url}/events?limit=500"))["items"][-1]
        ruling = {"rules": ["TAB-FORK-04"], "reason": "As it was seen.", "version": end["version"], "hash": end["hash"]}
        await self.service.post(f"/v1/cases/{self.case}/rulings", self.officials[official], ruling | more)

    async def holders(self, game: str | None = None) -> dict[str, Player]:
        seats = (await self.service.get(f"/v1/games/{game or self.game}"))["seats"]
        return {seat["seat"]: next(each for each in self.players if each.id == seat["player"]) for seat in seats}

    async def say(self, winners: list[str], rule: str | None, **more: Any) -> None:
        """Hold that everything that states a winner says who has won, and that the game counts once."""
        detail = await self.service.get(self.url)
        result = detail["result"]
        assert (result and (result["winners"], result["rule"])) == ((winners, rule) if rule else None)
        rest = [seat for seat in ("red", "blue") if seat not in winners]
        assert result is None or result["order"] == [group for group in (winners, rest) if group]
        board = await until(self.service, f"{self.url}/scoreboard", winners=winners, ended_by=rule, **more)
        told = result is not None and (not detail["continued_in"] or rule == "TAB-RUL-09")
        assert board["order"] == (detail["result"]["order"] if told else [])
        for name, value in more.items():
            assert detail[name] == board[name] == value
        running = int(rule is None)
        for seat, player in (await self.holders()).items():
            wanted = {"finished": 1 - running, "won": int(seat in winners)}
            record = await until(self.service, f"/v1/players/{player.id}/record", **wanted)
            (counts,) = record["rulesets"]
            assert (counts["running"], counts["finished"], counts["won"]) == (running, *wanted.values())


@pytest.fixture
async def contest(service: Service, anna: Player, bert: Player) -> Contest:
    officials = await service.register("Julia"), await service.register("Otto")
    game = await service.begun(anna, bert, rounds=2)
    for each in officials:
        assert (await service.ask("PUT", f"/v1/games/{game}/officials/{each.id}", anna)).status_code == 200
    await service.play_out(game, anna, bert)
    contest = Contest(service, (anna, bert), officials, game)
    await contest.open()
    return contest


async def test_a_ruling_on_the_result_changes_who_won_and_an_appeal_brings_it_back(contest: Contest) -> None:
    before = (await contest.service.get(contest.url))["result"]
    await contest.say(before["winners"], before["rule"], ruled_by=None, continued_in=None)
    order = sorted([[seat] for seat in await contest.holders()], key=lambda tied: tied[0] in before["winners"])
    await contest.rule(decision="result", order=order)
    await contest.say(order[0], "TAB-RUL-09", ruled_by=contest.case, continued_in=None)
    await contest.service.post(f"/v1/cases/{contest.case}/appeal", contest.players[0], {"statement": "Look again."})
    await contest.say(order[0], "TAB-RUL-09", ruled_by=contest.case, continued_in=None)
    await contest.rule(1, decision="dismissed")
    await contest.say(before["winners"], before["rule"], ruled_by=None, continued_in=None)


async def test_a_game_that_continues_has_the_result_of_its_continuation(contest: Contest) -> None:
    service = contest.service
    before = (await service.get(contest.url))["result"]
    made = await fork(service, contest.url, contest.players[0], purpose="continuation")
    other = await fork(service, contest.url, contest.players[0], purpose="continuation")
    analysis = await fork(service, contest.url, contest.players[0])
    await contest.say(before["winners"], before["rule"], continued_in=None)
    await contest.rule(decision="continue", to=made["id"])
    await contest.say([], None, ruled_by=contest.case, continued_in=made["id"])
    await service.play_out(analysis["id"], contest.players[0])
    for player in contest.players:
        await service.post(f"/v1/games/{other['id']}/seats", player, {})
    await service.play_out(other["id"], *contest.players)
    await contest.say([], None, ruled_by=contest.case, continued_in=made["id"])
    await service.play_out(made["id"], *contest.players)
    after = (await service.get(f"/v1/games/{made['id']}"))["result"]
    await contest.say(after["winners"], after["rule"], ruled_by=contest.case, continued_in=made["id"])
    listed = (await service.get("/v1/games?status=over"))["items"]
    assert [each["id"] for each in listed] == [contest.game], "a continuation is in no list beside its game"
