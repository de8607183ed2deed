"""Leagues over HTTP: founded, begun, filled with tournaments, closed, exported and proved."""

import asyncio
import csv
import io
from collections.abc import Mapping
from typing import Any

import httpx
import pytest
from msgspec import Struct

from domain.league.proof import verify
from domain.tournament.proof import read
from service.api.contract.document import endpoints
from service.leagues.leagues import MOST_LEAGUES
from tests.service.api.clubs import Club, club_of
from tests.service.api.serving import Player, Service
from tests.service.api.test_statistics import caught_up

RULES: Mapping[str, Any] = {"points": [10, 6, 3, 1], "best": 2, "divisions": 2, "up": 1, "down": 1}
ONE_ROUND: Mapping[str, Any] = {"stages": [{"type": "swiss", "rounds": 1}]}
MISSED = {"reason": "Missed a game.", "points": 2}


class Series(Struct, eq=False):
    """A league: its organizer, and a club whose director holds its tournaments."""

    club: Club
    url: str = ""

    @property
    def service(self) -> Service:
        return self.club.service

    @property
    def organizer(self) -> Player:
        return self.club.director

    @property
    def id(self) -> str:
        return self.url.rpartition("/")[2]

    async def found(self, **changes: Any) -> dict[str, Any]:
        wish = {"regulations": {**RULES, **changes}, "title": "League of Ostia"}
        told = await self.service.post("/v1/leagues", self.organizer, wish)
        self.url = f"/v1/leagues/{told['summary']['league']}"
        return told

    async def do(self, what: str, body: Any = None, player: Player | None = None, **headers: str) -> dict[str, Any]:
        return await self.service.post(f"{self.url}/{what}", player or self.organizer, body, **headers)

    async def ask(self, what: str, body: Any = None, player: Player | None = None, **headers: str) -> httpx.Response:
        return await self.service.ask("POST", f"{self.url}/{what}", player or self.organizer, body, **headers)

    async def announce(self, division: int, season: int = 1, *, add: bool = True) -> str:
        """Announce a tournament of a division, and add it; return its id."""
        named = {"league": self.id, "season": season, "division": division}
        told = await self.club.announce(**ONE_ROUND, league=named)
        tournament = told["summary"]["tournament"]
        if add:
            await self.do("tournaments", {"tournament": tournament})
        return tournament

    async def hold(self, division: int, *players: Player) -> str:
        """Hold a tournament of a division; return its id."""
        tournament = await self.announce(division)
        await self.club.enter(*players)
        await self.club.play_round()
        await self.club.do("closing")
        return tournament


@pytest.fixture
async def series(service: Service) -> Series:
    series = Series(await club_of(service))
    await series.found()
    return series


async def test_a_season_is_held_closed_and_proved_and_says_who_goes_up(series: Series) -> None:
    one, two, three, four = series.club.players
    for player in (one, two):
        await series.do("placements", {"player": player.id, "division": 1, "reason": "Founder."})
    began = await series.do("seasons")
    assert began["season"]["members"] == [sorted([one.id, two.id]), []]
    upper = await series.announce(1)
    refused = await series.club.ask("entries", {}, three)
    assert (refused.status_code, refused.json()["rule"]) == (422, "TAB-LGE-07")
    await series.club.enter(one, two)
    # While it runs, the table has it as it stands.
    await series.club.publish()
    drawn = await series.club.opened(1)
    await series.club.play(drawn["tables"][0])
    await series.club.finished(1)
    running = await series.service.get(series.url)
    assert running["season"]["tables"][0][0]["results"][0]["provisional"] is True
    early = await series.ask("seasons/1/closing")
    assert (early.status_code, early.json()["rule"]) == (409, "TAB-LGE-12")
    await series.club.do("rounds/1/tables/1/confirmation")
    await series.club.do("closing")
    lower = await series.hold(2, three, four)
    await series.do("penalties", {"player": one.id, **MISSED})
    closed = await series.do("seasons/1/closing", idempotency_key="close")
    assert await series.do("seasons/1/closing", idempotency_key="close") == {**closed, "repeated": True}
    season = closed["season"]
    assert season["closed"] is True
    assert [(each["tournament"], each["status"]) for each in season["tournaments"]] == [
        (upper, "closed"),
        (lower, "closed"),
    ]
    down, up = season["tables"][0][-1], season["tables"][1][0]
    assert (down["moves"], up["moves"], up["above"]) == ("down", "up", "points")
    assert {up["player"]} <= {*closed["next"][0]}
    assert {down["player"]} <= {*closed["next"][1]}
    assert await series.service.get(f"{series.url}?season=1") == {**closed, "repeated": False}

    exported = (await series.service.client.get(f"{series.url}/export")).content.splitlines(keepends=True)
    tournaments = {}
    for each in (upper, lower):
        lines = (await series.service.client.get(f"/v1/tournaments/{each}/export")).content.splitlines(keepends=True)
        tournaments[read(lines).tournament] = read(lines)
    verdict = verify(exported, tournaments)
    assert verdict.ok, verdict.problem
    assert "The tables of season 1 follow from its tournaments." in verdict.proved

    answer = await series.service.client.get(f"{series.url}/table.csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["division"] for row in rows] == ["1", "1", "2", "2"]
    assert {row[upper] for row in rows} == {"10", "6", ""}
    same = await series.service.client.get(f"{series.url}/table.csv", headers={"if-none-match": answer.headers["etag"]})
    assert same.status_code == 304


MAY: Mapping[str, Any] = {
    "foundLeague": {"regulations": RULES},
    "changeLeagueRegulations": RULES,
    "placePlayer": {"player": "", "division": 1, "reason": "Founder."},
    "beginSeason": None,
    "addTournament": {"tournament": ""},
    "takePoints": {"player": "", **MISSED},
    "closeSeason": None,
}
"""What changes a league, each with a body."""


async def test_what_each_role_may_ask_for_in_a_league(series: Series) -> None:
    await series.do("seasons")
    tournament, player = await series.announce(2, add=False), series.club.players[0]
    asked = [each for each in endpoints() if "/leagues" in each[0]]
    assert {said.name for _, method, said in asked if method != "GET"} == {*MAY}
    words = {"league": series.id, "season": "1"}
    for path, method, said in asked:
        body = MAY.get(said.name)
        body = {**body, "player": player.id} if body and "player" in body else body
        body = {"tournament": tournament} if said.name == "addTournament" else body
        for role in (None, player, series.organizer):
            headers = {"if-match": '"999"'} if "If-Match" in said.headers else {}
            sent = {**(role.headers if role else {}), **headers}
            answer = await series.service.client.request(method, path.format_map(words), headers=sent, json=body)
            code = answer.status_code
            if method == "GET":
                assert code in (200, 404), (said.name, code)  # the certificate is of a later tree
            elif said.name == "foundLeague":
                assert code == (401 if role is None else 201), code
            elif role is not series.organizer:
                assert code == (401 if role is None else 403), (said.name, code)
            else:
                # Of a version that it does not have, or too early, so that nothing is changed.
                assert code in (409, 412), (said.name, code, answer.text)
    assert (await series.service.get(series.url))["summary"]["version"] == 2


async def test_a_tournament_counts_when_both_sides_say_so(series: Series) -> None:
    early = {"regulations": {**ONE_ROUND, "ruleset": "tiny-auction", "sizes": [2], "points": [[60, 0]]}}
    early["regulations"]["league"] = {"league": series.id, "season": 1, "division": 2}
    refused = await series.service.ask("POST", "/v1/tournaments", series.organizer, early)
    assert (refused.status_code, refused.json()["rule"]) == (409, "TAB-LGE-06")
    early["regulations"]["league"]["league"] = "lnone"
    unknown = await series.service.ask("POST", "/v1/tournaments", series.organizer, early)
    assert unknown.json()["type"] == "/problems/unknown-league"
    await series.do("seasons")
    # Somebody else announces one: it counts for nothing until the organizer of the league adds it.
    other = Series(Club(series.service, series.club.players[3], series.club.players[:3]), series.url)
    tournament = await other.announce(2, add=False)
    mine = await other.ask("tournaments", {"tournament": tournament})
    assert mine.json()["type"] == "/problems/not-league-organizer"
    assert (await series.service.get(series.url))["season"]["tournaments"] == []
    added = await series.do("tournaments", {"tournament": tournament}, idempotency_key="add")
    assert [each["tournament"] for each in added["season"]["tournaments"]] == [tournament]
    again = await series.do("tournaments", {"tournament": tournament}, idempotency_key="add")
    assert again == {**added, "repeated": True}
    twice = await series.ask("tournaments", {"tournament": tournament})
    assert twice.json()["rule"] == "TAB-LGE-06"
    gone = await series.ask("tournaments", {"tournament": "tgone"})
    assert gone.json()["type"] == "/problems/unknown-tournament"
    plain = await series.club.announce()
    strange = await series.ask("tournaments", {"tournament": plain["summary"]["tournament"]})
    assert strange.json()["rule"] == "TAB-LGE-06"


async def test_a_tournament_announced_with_a_key_is_the_same_after_the_season(series: Series) -> None:
    await series.do("seasons")
    await series.hold(2, *series.club.players[:2])
    named = {"league": series.id, "season": 1, "division": 2}
    regulations = {**ONE_ROUND, "ruleset": "tiny-auction", "sizes": [2], "points": [[60, 0]], "league": named}
    wish, path = {"regulations": regulations}, "/v1/tournaments"
    first = await series.service.post(path, series.organizer, wish, idempotency_key="late")
    await series.do("seasons/1/closing")
    again = await series.service.post(path, series.organizer, wish, idempotency_key="late")
    assert (again["summary"], again["repeated"]) == (first["summary"], True)


async def test_what_is_wrong_is_told_with_what_would_be_right(series: Series) -> None:
    for path, query in ((f"{series.url}x", ""), ("/v1/leagues/tgone", ""), (f"{series.url}x/export", "")):
        answer = await series.service.ask("GET", path + query)
        assert (answer.status_code, answer.json()["type"]) == (404, "/problems/unknown-league")
    for query in ("?season=1", "?season=9007199254740991"):
        answer = await series.service.ask("GET", series.url + query)
        assert (answer.status_code, answer.json()["type"]) == (404, "/problems/unknown-season")
    assert (await series.service.ask("GET", f"{series.url}?season=0")).status_code == 400
    assert (await series.service.ask("GET", f"{series.url}/table.csv")).json()["type"] == "/problems/unknown-season"
    for season in ("x", "0", "2", "9" * 30):
        answer = await series.ask(f"seasons/{season}/closing")
        assert answer.json()["type"] == "/problems/unknown-season", season
    gone = await series.ask("placements", {"player": "pgone", "division": 1, "reason": "?"})
    assert gone.json()["type"] == "/problems/unknown-player"
    wrong = await series.service.ask("PUT", f"{series.url}/regulations", series.organizer, {**RULES, "best": 0})
    assert (wrong.status_code, wrong.json()["rule"]) == (422, "TAB-LGE-02")
    for best in (2**63, 10**30, -(10**30), 1.5, "2", None, True):
        wrong = await series.service.ask("PUT", f"{series.url}/regulations", series.organizer, {**RULES, "best": best})
        assert wrong.status_code == 422, (best, wrong.text)
    regulations = {**ONE_ROUND, "ruleset": "tiny-auction", "sizes": [2], "points": [[60, 0]]}
    for league, season, division in (
        ("l\0", 1, 1),
        ("l" * 65, 1, 1),
        ("", 1, 1),
        (series.id, 0, 1),
        (series.id, 1, 11),
    ):
        named = {"league": league, "season": season, "division": division}
        wish = {"regulations": {**regulations, "league": named}}
        wrong = await series.service.ask("POST", "/v1/tournaments", series.organizer, wish)
        assert wrong.status_code in (404, 422), (named, wrong.text)
    assert (await series.service.ask("GET", "/v1/leagues/l%00")).status_code in (400, 404)
    stale = await series.ask("seasons", if_match='"7"')
    assert (stale.status_code, stale.json()["type"]) == (412, "/problems/stale-version")


async def test_a_repeated_request_gets_the_first_answer(series: Series) -> None:
    wish = {"regulations": RULES, "title": "Twice"}
    first, again = [
        await series.service.post("/v1/leagues", series.organizer, wish, idempotency_key="a") for _ in range(2)
    ]
    assert (first["summary"], again["repeated"]) == (again["summary"], True)
    other = await series.service.ask(
        "POST", "/v1/leagues", series.organizer, {**wish, "title": "x"}, idempotency_key="a"
    )
    assert other.json()["type"] == "/problems/key-reused"
    # The same request twice at once begins one season.
    both = await asyncio.gather(*(series.ask("seasons", idempotency_key="b") for _ in range(2)))
    assert [answer.status_code for answer in both] == [200, 200]
    assert (await series.service.get(series.url))["summary"]["seasons"] == 1


async def test_leagues_are_listed_and_an_account_has_only_so_many(series: Series) -> None:
    for _ in range(MOST_LEAGUES - 1):
        await series.found()
    many = await series.service.ask("POST", "/v1/leagues", series.organizer, {"regulations": RULES})
    assert (many.status_code, many.json()["type"]) == (409, "/problems/too-many-leagues")
    page = await series.service.get(f"/v1/leagues?organizer={series.organizer.id}&limit=15")
    rest = await series.service.get(f"/v1/leagues?limit=15&cursor={page['next']}")
    assert (len(page["items"]), len(rest["items"]), rest["next"]) == (15, 5, None)
    assert (await series.service.get("/v1/leagues?organizer=pnone"))["items"] == []
    events = await series.service.get(f"{series.url}/events")
    assert [(row["type"], row["version"]) for row in events["items"]] == [("league-founded", 1)]


async def test_what_happens_in_a_league_disturbs_no_game_no_webhook_and_no_stream(series: Series) -> None:
    await series.do("seasons")
    game = await series.service.begun(*series.club.players[:2])
    async with series.service.client.stream(
        "GET", "/v1/players/me/events?after=0", headers=series.club.players[0].headers
    ) as frames:
        async for line in frames.aiter_lines():
            if line.startswith("data:"):
                assert game in line
                break
    await caught_up(series.service)
