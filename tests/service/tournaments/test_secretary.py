"""What happens by itself in a tournament: games start, results are taken and count, cancelled games end."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from service.cluster.lease import Lease
from service.tournaments.secretary import Secretary
from service.tournaments.tables import START_AFTER
from tests.service.api.clubs import LATE, Club, club_of
from tests.service.api.serving import Player, Service, serving
from tests.service.rig import Hands

DAY = 24 * 60 * 60


class Evening(Struct, eq=False):
    """A club whose tournament goes on when the test says so, and at the time that the test sets."""

    club: Club
    hands: Hands
    secretary: Secretary

    @property
    def service(self) -> Service:
        return self.club.service

    async def later(self, seconds: float = 0) -> None:
        """Let time pass, and the service do what is due then."""
        self.hands.now += timedelta(seconds=seconds)
        await self.secretary.turn()

    async def published(self) -> dict[str, Any]:
        """Return the first table of the next round, which has its game."""
        number = (await self.club.publish())["number"]
        await self.later()
        return (await self.service.get(f"{self.club.url}/rounds/{number}"))["tables"][0]

    async def table(self) -> dict[str, Any]:
        return (await self.service.get(f"{self.club.url}/rounds/1"))["tables"][0]

    async def status(self, table: dict[str, Any]) -> str:
        return (await self.service.get(f"/v1/games/{table['game']}"))["status"]

    async def confirm(self, table: dict[str, Any], player: Player) -> None:
        seats = (await self.service.get(f"/v1/games/{table['game']}"))["seats"]
        seat = next(each["seat"] for each in seats if each["player"] == player.id)
        await self.service.post(f"/v1/games/{table['game']}/seats/{seat}/confirmation", player, {})


@pytest.fixture
async def evening(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Evening]:
    monkeypatch.setattr("service.tournaments.secretary.COMPARE_AGAIN_AFTER", 0.0)
    hands = Hands()
    async with serving(tmp_path, durable=False, database_url=database_url, clock=hands, tournaments=False) as service:
        club = await club_of(service)
        await club.announce()
        await club.enter()
        yield Evening(club, hands, secretary_of(service, hands))


def secretary_of(service: Service, hands: Hands) -> Secretary:
    services = service.services

    async def wanted() -> bool:
        return True

    lease = Lease(services.rows, "tournaments", wanted)
    return Secretary(services.committee, services.games, services.store, services.desk, hands, lease)


@pytest.mark.rule("TAB-TRN-12")
async def test_a_game_starts_when_all_its_players_have_confirmed_their_seats(evening: Evening) -> None:
    table = await evening.published()
    one, other = evening.club.named(table["players"])
    await evening.confirm(table, one)
    await evening.later(START_AFTER - 60)
    assert await evening.status(table) == "gathering"
    await evening.confirm(table, other)
    await evening.later()
    assert await evening.status(table) == "running"


@pytest.mark.rule("TAB-TRN-12")
async def test_a_game_starts_after_ten_minutes_though_not_everybody_has_confirmed(evening: Evening) -> None:
    table = await evening.published()
    await evening.later(START_AFTER - 60)
    assert await evening.status(table) == "gathering"
    await evening.later(60)
    assert await evening.status(table) == "running"


@pytest.mark.rule("TAB-TRN-15")
async def test_a_result_counts_by_itself_a_day_after_it_was_taken_but_not_while_a_case_is_open(
    evening: Evening,
) -> None:
    table = await evening.published()
    await evening.club.play(table)
    case = await opened_case(evening, table)
    await evening.later()
    await evening.later(DAY + 60)
    assert (await evening.table())["result"]["confirmed"] is False
    await evening.service.post(f"/v1/cases/{case}/withdrawal", evening.club.named(table["players"])[0])
    await evening.later()
    assert (await evening.table())["result"]["confirmed"] is True


@pytest.mark.rule("TAB-TRN-15")
async def test_a_result_does_not_count_before_its_day_is_over(evening: Evening) -> None:
    await evening.club.play(await evening.published())
    await evening.later()
    await evening.later(DAY - 60)
    assert (await evening.table())["result"]["confirmed"] is False
    await evening.later(60)
    assert (await evening.table())["result"]["confirmed"] is True


@pytest.mark.rule("TAB-TRN-14")
async def test_a_ruling_after_the_end_changes_the_result_until_it_counts(evening: Evening) -> None:
    table = await evening.published()
    await evening.club.play(table)
    await evening.later()
    assert (await evening.table())["result"]["how"] == "won"
    order = await ruled(evening, table, 1)
    await evening.later()
    result = (await evening.table())["result"]
    assert (result["how"], result["order"]) == ("ruled", order)
    await evening.club.do("rounds/1/tables/1/confirmation")
    await ruled(evening, table, 0)
    await evening.later()
    assert (await evening.table())["result"]["order"] == order


@pytest.mark.rule("TAB-TRN-11")
async def test_a_cancelled_round_cancels_its_games_though_another_is_drawn_at_once(evening: Evening) -> None:
    first = await evening.published()
    await evening.club.do("rounds/1/cancellation", LATE)
    second = await evening.published()
    assert (await evening.status(first), await evening.status(second)) == ("cancelled", "gathering")


@pytest.mark.rule("TAB-TRN-19")
async def test_a_cancelled_tournament_cancels_its_games_that_have_not_begun(evening: Evening) -> None:
    begun = await evening.published()
    waiting = (await evening.service.get(f"{evening.club.url}/rounds/1"))["tables"][1]
    await evening.service.post(f"/v1/games/{begun['game']}/start", evening.club.named(begun["players"])[0])
    await evening.club.do("cancellation", LATE)
    await evening.later()
    assert (await evening.status(begun), await evening.status(waiting)) == ("running", "cancelled")
    cancelled = (await evening.service.get(f"/v1/games/{waiting['game']}/events"))["items"][-1]
    assert (cancelled["type"], cancelled["cause"]["tournament"]) == (
        "game-cancelled",
        evening.club.url.rpartition("/")[2],
    )


@pytest.mark.rule("TAB-TRN-19")
async def test_a_tournament_that_was_cancelled_before_this_process_began_is_looked_at_once(evening: Evening) -> None:
    table = await evening.published()
    await evening.club.do("cancellation", LATE)
    looked = list[str]()
    another = secretary_of(evening.service, evening.hands)
    look = another.look

    async def noted(row: Any) -> None:
        looked.append(row.tournament)
        await look(row)

    another.look = noted
    await another.turn()
    await another.turn()
    assert await evening.status(table) == "cancelled"
    assert looked == [evening.club.url.rpartition("/")[2]]


async def opened_case(evening: Evening, table: dict[str, Any], by: int = 0) -> str:
    player, game = evening.club.named(table["players"])[by], f"/v1/games/{table['game']}"
    version = (await evening.service.get(game))["version"]
    wish = {"kind": "result", "version": version, "statement": "The last bid was mine."}
    return (await evening.service.post(f"{game}/cases", player, wish))["summary"]["case"]


async def ruled(evening: Evening, table: dict[str, Any], winner: int) -> list[list[str]]:
    """Let the director give a game to one of its two seats; return the order that it has now, of players."""
    case, game = await opened_case(evening, table, winner), f"/v1/games/{table['game']}"
    head = (await evening.service.get(f"{game}/events?limit=500"))["items"][-1]
    seats = (await evening.service.get(game))["seats"]
    order = [seats[winner], seats[1 - winner]]
    ruling = {"decision": "result", "order": [[each["seat"]] for each in order], "rules": ["TAB-RUL-09"]}
    ruling |= {"reason": "The bid was made.", "version": head["version"], "hash": head["hash"]}
    await evening.service.post(f"/v1/cases/{case}/rulings", evening.club.director, ruling)
    return [[each["player"]] for each in order]


# --- substitutes ---


@pytest.mark.rule("TAB-TRN-13", "TAB-SEAT-01")
async def test_a_seat_of_a_running_game_is_offered_to_the_substitute_who_plays_on(evening: Evening) -> None:
    club, service = evening.club, evening.service
    spare, other = [await entered(evening, name) for name in ("Olga", "Pola")]
    published, absent = await begun(evening)
    players = list(published["players"])
    for substitute in (spare, other):
        await substituted(evening, absent, substitute)
        await evening.later()
        assert (await offers(evening, published)) == [substitute.id]
        absent = substitute
    await evening.later()
    assert (await offers(evening, published)) == [other.id]
    seat = next(each for each in await seats(evening, published) if each["player"] == players[1])["seat"]
    refused = await service.ask("POST", f"/v1/games/{published['game']}/seats/{seat}/acceptance", spare)
    assert refused.status_code == 422, refused.text
    await service.post(f"/v1/games/{published['game']}/seats/{seat}/acceptance", other)
    await service.play_out(published["game"], *club.named([players[0], other.id]))
    await evening.later()
    table = await evening.table()
    assert sorted(each for tied in table["result"]["order"] for each in tied) == sorted([players[0], other.id])
    assert (table["result"]["left"], table["away"]) == ([], [players[1], spare.id])


@pytest.mark.rule("TAB-TRN-13", "TAB-TRN-14")
async def test_a_game_that_ends_before_the_substitute_accepts_has_a_result(evening: Evening) -> None:
    spare = await entered(evening, "Olga")
    published, absent = await begun(evening)
    await substituted(evening, absent, spare)
    await evening.service.play_out(published["game"], *evening.club.named(published["players"]))
    await evening.later()
    result = (await evening.table())["result"]
    assert sorted(each for tied in result["order"] for each in tied) == sorted([published["players"][0], spare.id])
    assert result["left"] == []


async def entered(evening: Evening, name: str) -> Player:
    """Return a player who has entered, but not checked in, so that they are not drawn."""
    player = await evening.service.register(name)
    await evening.club.do("entries", {}, player)
    evening.club.players = (*evening.club.players, player)
    return player


async def begun(evening: Evening) -> tuple[dict[str, Any], Player]:
    """Return a table of a round, whose game has begun, and who is to leave it."""
    table = await evening.published()
    one, other = evening.club.named(table["players"])
    await evening.service.post(f"/v1/games/{table['game']}/start", one)
    return table, next(each for each in (one, other) if each.id == table["players"][1])


async def substituted(evening: Evening, absent: Player, substitute: Player) -> None:
    wish = {"player": absent.id, "to": substitute.id, "reason": "Ill"}
    await evening.club.do("rounds/1/tables/1/substitutes", wish)


async def seats(evening: Evening, table: dict[str, Any]) -> list[dict[str, Any]]:
    return (await evening.service.get(f"/v1/games/{table['game']}"))["seats"]


async def offers(evening: Evening, table: dict[str, Any]) -> list[str]:
    return [each["to"] for each in (await evening.service.get(f"/v1/games/{table['game']}"))["offers"]]
