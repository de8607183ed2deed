"""Rounds of tournaments over HTTP: drawn, changed by hand, published, cancelled, and a game for each table."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.kernel.ids import GameId, PlayerId, TournamentId
from domain.tournament.draw import Undecided
from service.cluster.lease import Lessor
from service.tournaments.drafts import INTERRUPTED, Drafts
from service.tournaments.tables import open_game, seat
from tests.service.api.clubs import LATE, Club, club_of
from tests.service.api.serving import Player, Service, serving


async def test_a_draw_that_is_asked_for_twice_at_once_is_made_once(club: Club) -> None:
    await club.enter()
    one, other = await asyncio.gather(*(club.do("rounds", idempotency_key="a") for _ in range(2)))
    assert {**one, "repeated": True} == {**other, "repeated": True}
    assert len(one["drafts"]) == 1
    third, fourth = await asyncio.gather(*(club.do("rounds") for _ in range(2)))
    assert {len(third["drafts"]), len(fourth["drafts"])} == {2, 3}


async def stands(club: Club, location: str, player: Player | None = None) -> dict[str, Any]:
    """Return where a draft stands when it is drawn no longer."""
    for _ in range(1_000):
        state = await club.service.get(location, player or club.director)
        if state["status"] != "drawing":
            return state
        await asyncio.sleep(0.02)
    raise AssertionError("it is still being drawn")


@pytest.mark.rule("TAB-TRN-09")
async def test_a_round_is_drawn_beside_the_request_for_who_prefers_that(club: Club) -> None:
    later: dict[str, Any] = {"prefer": "wait=10, respond-async"}
    early = await club.ask("rounds", **later)
    assert (early.status_code, early.json()["rule"]) == (409, "TAB-TRN-08")
    await club.enter()
    committee, go_on = club.service.services.committee, asyncio.Event()
    draw, draws = committee.draw, 0

    async def slowly(field: Any, drawn: Any) -> Any:
        nonlocal draws
        draws += 1
        await go_on.wait()
        return await draw(field, drawn)

    committee.draw = slowly
    answers = await asyncio.gather(*(club.ask("rounds", idempotency_key="a", **later) for _ in range(4)))
    assert [(each.status_code, each.json()["drafts"]) for each in answers] == [(202, [])] * 4
    location = f"{club.url}/rounds/1/drafts/1"
    assert {each.headers["location"] for each in answers} == {location}
    state = await club.service.get(location, club.director)
    assert (state["status"], state["problem"]) == ("drawing", None)
    anybody = await club.service.ask("GET", location, club.players[0])
    assert anybody.json()["type"] == "/problems/not-a-director"
    go_on.set()
    assert (await stands(club, location))["status"] == "drafted"
    done = await club.ask("rounds", idempotency_key="a", **later)
    assert (done.status_code, len(done.json()["drafts"]), done.json()["repeated"], draws) == (200, 1, True, 1)
    for beyond in ("3", "0", "x"):
        answer = await club.service.ask("GET", f"{club.url}/rounds/1/drafts/{beyond}", club.director)
        assert answer.json()["type"] == "/problems/unknown-round"


@pytest.mark.rule("TAB-TRN-09")
async def test_a_draw_that_was_interrupted_or_failed_says_so_and_is_repeated(club: Club) -> None:
    await club.enter()
    services = club.service.services
    draw = services.committee.draw
    later: dict[str, Any] = {"prefer": "respond-async", "idempotency_key": "a"}

    async def never(field: Any, drawn: Any) -> Any:
        await asyncio.Event().wait()

    services.committee.draw = never
    location = (await club.ask("rounds", **later)).headers["location"]
    elsewhere = Drafts(services.committee, services.rows)  # another process
    tournament = TournamentId(club.url.rsplit("/", 1)[1])
    assert (await elsewhere.state(tournament, 1, 1)).status == "drawing"
    await services.drafts.close()
    for state in (await stands(club, location), msgspec.to_builtins(await elsewhere.state(tournament, 1, 1))):
        assert (state["status"], state["problem"]) == ("failed", INTERRUPTED)
    services.committee.draw = draw
    assert (await club.ask("rounds", **later)).headers["location"] == location
    assert (await stands(club, location))["status"] == "drafted"

    async def fails(field: Any, drawn: Any) -> Any:
        raise Undecided("too many bans")

    services.committee.draw = fails
    location = (await club.ask("rounds", prefer="respond-async")).headers["location"]
    state = await stands(club, location)
    assert (state["draft"], state["status"]) == (2, "failed")
    assert state["problem"].startswith("No draw was found: too many bans.")


class Pausing:
    """A lessor that waits after it took a lease, or before it gives one back."""

    def __init__(self, lessor: Lessor) -> None:
        self._lessor = lessor
        self.taken, self.ending, self.ended = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.may_take, self.may_end = asyncio.Event(), asyncio.Event()

    async def lease(self, holder: str, seconds: float, work: str) -> bool:
        if is_end := seconds == 0 and self.may_take.is_set():
            self.ending.set()
            await self.may_end.wait()
        is_held = await self._lessor.lease(holder, seconds, work)
        if seconds > 0:
            self.taken.set()
            await self.may_take.wait()
        if is_end:
            self.ended.set()
        return is_held


async def test_looking_at_a_draft_leaves_the_lease_with_who_is_about_to_draw_it(club: Club) -> None:
    await club.enter()
    services, tournament = club.service.services, TournamentId(club.url.rpartition("/")[2])
    lessor, director = Pausing(services.rows), PlayerId(club.director.id)
    here, elsewhere = Drafts(services.committee, lessor), Drafts(services.committee, services.rows)
    begun = asyncio.create_task(here.begin(tournament, director))
    await lessor.taken.wait()
    assert [(await each.state(tournament, 1, 1)).status for each in (here, elsewhere)] == ["drawing"] * 2
    lessor.may_take.set()
    await begun
    lessor.may_end.set()
    await here.close()


async def test_the_end_of_a_draw_leaves_the_lease_with_the_next_draw(club: Club) -> None:
    await club.enter()
    services, tournament = club.service.services, TournamentId(club.url.rpartition("/")[2])
    lessor, director = Pausing(services.rows), PlayerId(club.director.id)
    lessor.may_take.set()
    here, elsewhere = Drafts(services.committee, lessor), Drafts(services.committee, services.rows)
    await here.begin(tournament, director)
    await lessor.ending.wait()  # the first draft is in the log, and its draw is about to give its lease back

    async def never(field: Any, drawn: Any) -> Any:
        await asyncio.Event().wait()

    services.committee.draw = never
    next_begins = asyncio.create_task(here.begin(tournament, director))
    await asyncio.sleep(0.05)  # in which it would find the lease taken
    lessor.may_end.set()
    await next_begins
    await lessor.ended.wait()
    assert [(await each.state(tournament, 1, 2)).status for each in (here, elsewhere)] == ["drawing"] * 2
    await here.close()


async def test_a_director_changes_a_draft_by_hand_with_a_reason(club: Club) -> None:
    await club.enter()
    drawn = await club.do("rounds")
    (one, other), (third, fourth) = drawn["drafts"][0]["drawn"]["tables"]
    by_hand = {"draft": 1, "drawn": {"tables": [[one, third], [other, fourth]]}}
    assert (await club.ask("rounds/1/publication", by_hand)).json()["rule"] == "TAB-TRN-10"
    published = await club.do("rounds/1/publication", {**by_hand, "reason": "They came together."})
    assert [table["players"] for table in published["tables"]] == [[one, third], [other, fourth]]
    assert published["reason"] == "They came together."
    assert published["cost"] is not None


async def test_a_cancelled_round_cancels_its_games_and_another_is_drawn(club: Club) -> None:
    await club.enter()
    await club.publish()
    opened = await club.opened(1)
    cancelled = await club.do("rounds/1/cancellation", LATE)
    assert (cancelled["status"], cancelled["reason"]) == ("cancelled", LATE["reason"])
    await club.publish()
    second = await club.opened(2)
    for table in opened["tables"]:
        for _ in range(3_000):
            if (await club.service.get(f"/v1/games/{table['game']}"))["status"] == "cancelled":
                break
            await asyncio.sleep(0.02)
        else:
            raise AssertionError("a game of a cancelled round goes on")
    await club.play(second["tables"][0])
    refused = await club.ask("rounds/2/cancellation", LATE)
    assert (refused.status_code, refused.json()["rule"]) == (409, "TAB-TRN-11")


async def test_a_game_that_was_not_noted_before_its_round_was_cancelled_is_cancelled_too(tmp_path: Path) -> None:
    """A process died between the game of a table and its note, and the director drew another round at once."""
    async with serving(tmp_path, durable=False, tournaments=False) as service:
        club = await club_of(service)
        await club.announce()
        await club.enter()
        await club.publish()
        committee, games, store = service.services.committee, service.services.games, service.services.store
        now = (await committee.now(TournamentId(club.url.rpartition("/")[2]))).tournament
        seed = await store.seed(now.id)
        assert seed is not None
        game = await open_game(games, now, seed, "Club evening", 1, now.field.rounds[1].tables[0])
        await club.do("rounds/1/cancellation", {"reason": "Fire alarm."})
        assert (await club.publish())["number"] == 2
    async with serving(tmp_path, durable=False) as service:
        club.service = service
        await club.opened(2)
        async with asyncio.timeout(20):
            while (await service.get(f"/v1/games/{game}"))["status"] != "cancelled":  # noqa: ASYNC110
                await asyncio.sleep(0.02)


async def test_a_table_has_one_game_whatever_directors_change_before_it_is_noted(tmp_path: Path) -> None:
    """A process that dies between the game of a table and its note leaves a game; the next one takes that."""
    async with serving(tmp_path, durable=False, tournaments=False) as service:
        club = await club_of(service, 5)
        await club.announce()
        await club.enter()
        drawn = await club.publish()
        committee, games, store = service.services.committee, service.services.games, service.services.store
        tournament = TournamentId(club.url.rpartition("/")[2])
        seed = await store.seed(tournament)
        assert seed is not None

        async def opened() -> tuple[GameId, tuple[PlayerId, ...]]:
            now = (await committee.now(tournament)).tournament
            table = now.field.rounds[1].tables[0]
            game = await open_game(games, now, seed, "Club evening", 1, table)
            await seat(games, now, game, table)
            return game, tuple(player for player in (await games.game(game)).players.values() if player)

        first, players = await opened()
        await club.do(f"directors/{(await service.register('Yann')).id}")
        await club.do("rounds/1/tables/1/substitutes", {"player": players[0], "to": drawn["byes"][0], "reason": "Ill"})
        again, seated = await opened()
    assert again == first
    assert seated == (drawn["byes"][0], players[1])


async def test_tables_are_priced_as_publishing_them_would_and_nothing_is_stored(club: Club) -> None:
    await club.enter()
    drawn = await club.do("rounds")
    (draft,), version = drawn["drafts"], drawn["version"]
    (one, two), (three, four) = draft["drawn"]["tables"]
    changed = {"tables": [[one, three], [two, four]], "byes": []}
    check = "rounds/1/publication/check"
    priced = await club.do(check, {"draft": 1, "drawn": changed})
    assert priced["before"] == draft["cost"]
    assert [sum(table[part] for table in priced["tables"]) for part in draft["cost"]] == [*priced["cost"].values()]

    for wrong, why in (
        ({"draft": 2, "drawn": changed}, "Round 1 has no draft 2."),
        ({"draft": 1, "drawn": {"tables": [[one, two, three], [four]], "byes": []}}, "Table 1 has 3 players"),
        ({"draft": 1, "drawn": {"tables": [[one, two]], "byes": [three]}}, f"{four} is missing"),
        (
            {"draft": 1, "drawn": {"tables": [[one, two], [three, one]], "byes": [four]}},
            f"{one} is in the draw 2 times",
        ),
    ):
        refused = await club.ask(check, wrong)
        assert (refused.status_code, refused.json()["rule"]) == (422, "TAB-TRN-10")
        assert why in refused.json()["detail"]
    stranger = await club.ask(check, {"draft": 1, "drawn": changed}, club.players[0])
    assert (stranger.status_code, stranger.json()["type"]) == (403, "/problems/not-a-director")
    stale = await club.ask(check, {"draft": 1, "drawn": changed}, if_match='"1"')
    assert (stale.status_code, stale.json()["type"]) == (412, "/problems/stale-version")
    assert (await club.service.get(club.url))["summary"]["version"] == version

    published = await club.do("rounds/1/publication", {"draft": 1, "drawn": changed, "reason": "Friends."})
    assert published["cost"] == priced["cost"]
    late = await club.ask(check, {"draft": 1, "drawn": changed})
    assert (late.status_code, late.json()["rule"]) == (409, "TAB-TRN-10")


async def test_a_round_is_not_published_by_the_address_of_another(service: Service) -> None:
    club = await club_of(service)
    await club.announce(stages=[{"type": "random", "rounds": 2}])
    await club.enter()
    await club.publish()
    drawn = await club.do("rounds")
    for what, body in (
        ("publication", {"draft": 1}),
        ("publication/check", {"draft": 1, "drawn": drawn["drafts"][0]["drawn"]}),
    ):
        refused = await club.ask(f"rounds/1/{what}", body)
        assert (refused.status_code, refused.json()["rule"]) == (409, "TAB-TRN-10"), what
        assert refused.json()["allowed"] == "Publish round 2."
    assert (await club.do("rounds/2/publication", {"draft": 1}))["status"] == "published"
