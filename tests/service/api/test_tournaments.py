"""Tournaments over HTTP: announced, entered, drawn, played, closed, exported and proved."""

import asyncio
from collections.abc import Mapping
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from domain.kernel.ids import GameId, PlayerId, TournamentId
from domain.kernel.proof import reading
from domain.kernel.proof.verify import verify as verify_game
from domain.tournament.fold import fold
from domain.tournament.proof import read, verify
from domain.tournament.standings import standings
from service.api.contract.document import endpoints
from service.base.clock import written
from service.games.clocks import Fall
from service.tournaments.committee import MOST_TOURNAMENTS
from tests.service.api.clubs import LATE, NAMES, REGULATIONS, Club, club_of
from tests.service.api.serving import Service, serving
from tests.service.api.test_notifications import followed
from tests.service.api.test_statistics import caught_up
from tests.service.rig import LIBRARY, Hands


async def test_a_tournament_is_played_across_a_restart_and_proved_with_all_its_games(
    tmp_path: Path, database_url: str
) -> None:
    async with serving(tmp_path, durable=False, database_url=database_url) as service:
        club = await club_of(service, 8)
        await club.announce()
        await club.enter()
        first = await club.play_round()
        assert all(table["result"]["confirmed"] for table in first["tables"])
        second = await club.publish()
        assert second["number"] == 2
        assert len(second["tables"]) == 4
    # The service ends between the publication of a round and its games, or after some of them.
    async with serving(tmp_path, durable=False, database_url=database_url) as service:
        club.service = service
        second = await club.opened(2)
        games = [table["game"] for table in second["tables"]]
        assert len({*games, *(table["game"] for table in first["tables"])}) == 8
        seated = {seat["player"] for game in games for seat in (await service.get(f"/v1/games/{game}"))["seats"]}
        assert seated == {player.id for player in club.players}
        for table in second["tables"]:
            await club.play(table)
        for table in (await club.finished(2))["tables"]:
            await club.do(f"rounds/2/tables/{table['number']}/confirmation")
        closed = await club.do("closing")
        assert closed["summary"]["status"] == "closed"
        told = await service.get(f"{club.url}/standings")

        lines = await club.export()
        exports = {}
        for game in (table["game"] for each in (first, second) for table in each["tables"]):
            content = await club.export(f"/v1/games/{game}")
            assert verify_game(content, LIBRARY).ok
            exports[GameId(game)] = reading.read(content)
    verdict = verify(lines, LIBRARY, exports)
    assert verdict.ok, verdict.problem
    assert sorted(verdict.games) == sorted(exports)
    assert "8 results are those of their games." in verdict.proved
    exported = read(lines)
    anew = standings(fold(exported.tournament, exported.records).field)
    assert [(each.place, each.player, each.points) for each in anew] == [
        (each["place"], each["player"], Fraction(each["points"])) for each in told["items"]
    ]
    assert [player for tied in closed["order"] for player in tied] == [each.player for each in anew]


MAY: Mapping[str, tuple[str, Any]] = {
    "announceTournament": ("account", {"regulations": REGULATIONS}),
    "enterTournament": ("account", {}),
    "checkIn": ("account", {}),
    "withdrawFromTournament": ("account", None),
    "changeRegulations": ("director", REGULATIONS),
    "nameDirector": ("organizer", None),
    "releaseDirector": ("organizer", None),
    "cancelTournament": ("organizer", LATE),
    "closeTournament": ("director", None),
    "makeAnnouncement": ("director", {"text": "Hello."}),
    "dropPlayer": ("director", {"player": "pnobody", **LATE}),
    "givePenalty": ("director", {"player": "pnobody", "sort": "caution", **LATE}),
    "drawRound": ("director", None),
    "publishRound": ("director", {"draft": 1}),
    "cancelRound": ("director", LATE),
    "overruleResult": ("director", {"order": [["pnobody"]], **LATE}),
    "confirmResult": ("director", None),
    "seatSubstitute": ("director", {"player": "pnobody", "to": "pnobody", **LATE}),
    "checkPublication": ("director", {"draft": 1, "drawn": {"tables": [["pnobody"]]}}),
    "showAgenda": ("director", None),
    "showDraft": ("director", None),
}
"""Who may ask for what changes a tournament and for what directors read, with a body for it; the rest is for all."""

ROLES = ("nobody", "account", "director", "organizer")


async def test_what_each_role_may_ask_for_in_a_tournament(club: Club) -> None:
    await club.enter()
    await club.publish()
    director, stranger = await club.service.register("Yann"), await club.service.register("Nemo")
    await club.do(f"directors/{director.id}")
    callers = dict(zip(ROLES, (None, stranger, director, club.director), strict=True))
    words = {
        "tournament": club.url.rpartition("/")[2],
        "round": "1",
        "draft": "1",
        "table": "1",
        "player": club.players[0].id,
    }
    asked = [each for each in endpoints() if each[0].startswith("/v1/tournaments")]
    assert {said.name for _, method, said in asked if method != "GET"} == {*MAY} - {"showAgenda", "showDraft"}
    for path, method, said in asked:
        least, body = MAY.get(said.name, ("nobody", None))
        for role, player in callers.items():
            # Of a version that it does not have, so that nothing is changed.
            headers = {"if-match": '"999"'} if "If-Match" in said.headers else {}
            address = path.format_map(words) + ("?after=0" if said.name == "streamTournamentEvents" else "")
            sent = {**(player.headers if player else {}), **headers}
            async with club.service.client.stream(method, address, headers=sent, json=body) as answer:
                code = answer.status_code
            is_let_in = code in (200, 201, 404, 412)  # the certificate is of a later tree
            assert is_let_in == (ROLES.index(role) >= ROLES.index(least)), (said.name, role, code)
            assert is_let_in or code == (401 if role == "nobody" else 403), (said.name, role, code)


async def test_everybody_reads_a_tournament(club: Club) -> None:
    await club.enter()
    told = await club.service.get(club.url)
    assert [player["name"] for player in told["players"]] == [*NAMES[:4]]
    assert told["summary"]["status"] == "open"
    listed = await club.service.get("/v1/tournaments?status=open&ruleset=tiny-auction")
    assert [each["tournament"] for each in listed["items"]] == [told["summary"]["tournament"]]
    assert (await club.service.get("/v1/tournaments?status=closed"))["items"] == []
    assert (await club.service.ask("GET", f"{club.url}x")).json()["type"] == "/problems/unknown-tournament"
    assert (await club.service.ask("GET", f"{club.url}/rounds/1")).json()["type"] == "/problems/unknown-round"


async def test_a_director_who_was_named_directs_and_a_released_one_does_not(club: Club) -> None:
    helper = club.players[0]
    await club.do(f"directors/{helper.id}")
    await club.do("announcements", {"text": "Welcome."}, helper)
    assert (await club.ask("cancellation", LATE, helper)).json()["type"] == "/problems/not-a-director"
    assert (await club.ask("directors/pnobody")).json()["type"] == "/problems/unknown-player"
    released = await club.service.ask("DELETE", f"{club.url}/directors/{helper.id}", helper)
    assert released.json()["directors"] == [club.director.id]
    assert (await club.ask("announcements", {"text": "Again."}, helper)).status_code == 403


@pytest.mark.rule("TAB-TRN-23")
async def test_a_tournament_passes_on_when_the_account_of_its_organizer_is_closed(service: Service) -> None:
    club = await club_of(service)
    await club.announce("Evening with Zeno and Anna")
    heir, anna = await service.register("Yann"), club.players[0]
    await club.do(f"directors/{heir.id}")
    await club.enter(*club.players, club.director)
    await club.publish()
    for closed in (club.director, anna):
        await caught_up(service)
        answer = await service.ask("DELETE", f"/v1/players/me?confirm={closed.id}", closed)
        assert answer.status_code == 200, answer.text
    told = await service.get(club.url)
    summary = told["summary"]
    assert (summary["organizer"], told["directors"]) == (heir.id, [heir.id])
    assert summary["title"] == f"Evening with Former player {club.director.id[1:6]} and Former player {anna.id[1:6]}"
    assert (await service.get("/v1/tournaments"))["items"][0] == summary
    out = {player["player"] for player in told["players"] if player["out"]}
    assert out == {club.director.id, anna.id}
    told = await club.do("announcements", {"text": "We go on."}, heir)
    assert told["summary"]["organizer"] == heir.id


async def test_what_the_regulations_forbid_is_refused_with_the_rule(club: Club) -> None:
    refused = await club.service.ask(
        "POST", "/v1/tournaments", club.director, {"regulations": {**REGULATIONS, "sizes": [9], "points": [[0] * 9]}}
    )
    assert (refused.status_code, refused.json()["rule"]) == (422, "TAB-TRN-02")
    setup = {"regulations": {**REGULATIONS, "setup": {"nonsense": 1}}}
    refused = await club.service.ask("POST", "/v1/tournaments", club.director, setup)
    assert (refused.status_code, refused.json()["path"]) == (422, "$.regulations.setup"), refused.text
    unknown = {"regulations": {**REGULATIONS, "ruleset": "chess"}}
    refused = await club.service.ask("POST", "/v1/tournaments", club.director, unknown)
    assert refused.json()["type"] == "/problems/unknown-ruleset"
    refused = await club.ask("rounds")
    assert (refused.status_code, refused.json()["rule"]) == (409, "TAB-TRN-08")
    changed = await club.service.ask("PUT", f"{club.url}/regulations", club.director, {**REGULATIONS, "bye": 12})
    assert changed.json()["regulations"]["bye"] == 12


async def test_a_repeated_request_gets_the_first_answer(club: Club) -> None:
    wish = {"regulations": REGULATIONS, "title": "Twice"}
    first, again = [
        await club.service.post("/v1/tournaments", club.director, wish, idempotency_key="a") for _ in range(2)
    ]
    assert first["summary"] == again["summary"]
    assert (first["repeated"], again["repeated"]) == (False, True)
    other = await club.service.ask(
        "POST", "/v1/tournaments", club.director, {**wish, "title": "x"}, idempotency_key="a"
    )
    assert other.json()["type"] == "/problems/key-reused"
    await club.enter()
    drawn, again = [await club.do("rounds", idempotency_key="b") for _ in range(2)]
    assert len(again["drafts"]) == 1
    assert again == {**drawn, "repeated": True}
    another = await club.do("rounds")
    assert len(another["drafts"]) == 2
    assert another["present"] == drawn["present"]
    stale = await club.ask("rounds", if_match='"1"')
    assert (stale.status_code, stale.json()["type"]) == (412, "/problems/stale-version")


async def test_many_act_at_once(service: Service) -> None:
    club = await club_of(service)
    await club.announce()
    await asyncio.gather(*(club.do("entries", {}, player) for player in club.players))
    caution = {"player": club.players[0].id, "sort": "caution"}
    told = await asyncio.gather(*(club.ask("penalties", {**caution, "reason": f"{number}"}) for number in range(20)))
    assert {each.status_code for each in told} == {200}


async def test_a_substitute_is_seated_before_the_game_begins(service: Service) -> None:
    club = await club_of(service, 5)
    await club.announce()
    await club.enter()
    published = await club.publish()
    (bye,) = published["byes"]
    opened = await club.opened(1)
    absent = opened["tables"][0]["players"][1]
    await club.do("rounds/1/tables/1/substitutes", {"player": absent, "to": bye, **LATE})
    game, seats = f"/v1/games/{opened['tables'][0]['game']}", list[str]()
    for _ in range(3_000):
        seats = [seat["player"] for seat in (await service.get(game))["seats"]]
        if bye in seats:
            break
        await asyncio.sleep(0.02)
    assert seats == [opened["tables"][0]["players"][0], bye]


async def test_games_know_their_tournament_and_its_director_is_their_official(club: Club) -> None:
    await club.enter()
    await club.publish()
    table = (await club.opened(1))["tables"][0]
    told = await club.service.get(f"/v1/games/{table['game']}")
    assert [each["player"] for each in told["officials"]] == [club.director.id]
    assert [seat["player"] for seat in told["seats"]] == table["players"]
    events = (await club.service.get(f"/v1/games/{table['game']}/events"))["items"]
    assigned = [each["cause"] for each in events if each["type"] == "seat-assigned"]
    assert [each["tournament"] for each in assigned if each] == [club.url.rpartition("/")[2]] * 2


async def test_a_director_overrules_and_nobody_decides_at_their_own_table(service: Service) -> None:
    club = await club_of(service)
    club.director = club.players[0]
    await club.announce()
    await club.enter()
    helper = await service.register("Zeno")
    await club.do(f"directors/{helper.id}")
    await club.publish()
    opened = await club.opened(1)
    mine = next(table for table in opened["tables"] if club.director.id in table["players"])
    await club.play(mine)
    finished = await club.until(1, lambda table: table["number"] != mine["number"] or table["result"] is not None)
    assert finished["tables"][mine["number"] - 1]["result"]["confirmed"] is False
    where = f"rounds/1/tables/{mine['number']}"
    assert (await club.ask(f"{where}/confirmation")).json()["rule"] == "TAB-TRN-22"
    order = [[each] for each in mine["players"]]
    given = await club.do(f"{where}/result", {"order": order, "reason": "By the book."}, helper)
    assert given["tables"][mine["number"] - 1]["result"]["how"] == "overruled"


async def test_the_result_that_a_director_confirms_is_the_one_that_was_ruled(club: Club) -> None:
    """The service looks for rulings every minute. A director who is quicker confirms what was ruled, too."""
    await club.enter()
    await club.publish()
    opened = await club.opened(1)
    await club.play(opened["tables"][0])
    finished = await club.until(1, lambda table: table["number"] != 1 or table["result"] is not None)
    (winner,), (loser,) = finished["tables"][0]["result"]["order"]
    url = f"/v1/games/{opened['tables'][0]['game']}"
    game = await club.service.get(url)
    complaint = {"kind": "result", "version": game["version"], "statement": "The last bid was mine."}
    case = await club.service.post(f"{url}/cases", club.named([loser])[0], complaint)
    seats = {each["player"]: each["seat"] for each in game["seats"]}
    ruling = {
        "decision": "result",
        "rules": ["TAB-RUL-09"],
        "reason": "It was.",
        "order": [[seats[loser]], [seats[winner]]],
    }
    ruling |= {"version": game["version"], "hash": game["head"]}
    await club.service.post(f"/v1/cases/{case['summary']['case']}/rulings", club.director, ruling)
    confirmed = await club.do("rounds/1/tables/1/confirmation")
    result = confirmed["tables"][0]["result"]
    assert (result["order"], result["how"], result["confirmed"]) == ([[loser], [winner]], "ruled", True)


async def test_the_stream_brings_what_happens_and_ends_with_the_tournament(club: Club) -> None:
    async with club.service.client.stream("GET", f"{club.url}/stream?after=0") as stream:
        await club.do("announcements", {"text": "Welcome."})
        await club.do("cancellation", LATE)
        told = [line async for line in stream.aiter_lines()]
    assert [line for line in told if line.startswith("event: ")] == [
        "event: tournament-announced",
        "event: announcement-made",
        "event: tournament-cancelled",
    ]
    assert (await club.service.ask("GET", f"{club.url}/stream?after=3")).status_code == 204


async def test_an_account_has_only_so_many_tournaments_that_are_not_over(club: Club) -> None:
    for _ in range(MOST_TOURNAMENTS - 1):
        await club.announce()
    wish = {"regulations": REGULATIONS}
    refused = await club.service.ask("POST", "/v1/tournaments", club.director, wish)
    assert refused.json()["type"] == "/problems/too-many-tournaments"
    await club.do("cancellation", LATE)
    assert (await club.service.ask("POST", "/v1/tournaments", club.director, wish)).status_code == 201


async def test_the_seed_of_the_lots_is_nowhere_to_be_read(club: Club) -> None:
    await club.enter()
    drawn = await club.do("rounds")
    seed = await club.service.services.store.seed(TournamentId(club.url.rpartition("/")[2]))
    assert seed is not None
    text = b"".join(await club.export()).decode()
    assert seed.hex() not in text
    assert drawn["secret"] in text


async def test_presets_can_be_announced_as_they_are(service: Service) -> None:
    director = await service.register("Zeno")
    presets = await service.get("/v1/rulesets/tiny-auction/tournament-presets")
    assert [each["name"] for each in presets["items"]] == ["club evening", "weekend", "league season"]
    for each in presets["items"]:
        told = await service.post("/v1/tournaments", director, {"regulations": each["regulations"]})
        assert told["regulations"] == each["regulations"]
    unknown = await service.ask("GET", "/v1/rulesets/chess/tournament-presets")
    assert unknown.json()["type"] == "/problems/unknown-ruleset"


async def test_a_director_sees_what_waits_at_every_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    time = Hands()
    async with serving(tmp_path, durable=False, clock=time, clocks=False) as service:
        club = await club_of(service, 5)
        clock = {"kind": "bank", "time": 60, "cap": 60, "at_zero": "vacate"}
        await club.announce(stages=[{"type": "random", "rounds": 2}], check_in="each round", clock=clock)
        *here, late = club.players
        await club.enter(*here)
        await club.do("entries", {}, late)

        async def agenda() -> dict[str, Any]:
            return await service.get(f"{club.url}/agenda", club.director)

        assert (await agenda())["absent"] == [late.id]
        await club.publish()
        one, two = (await club.opened(1))["tables"]
        told = await agenda()
        assert told["absent"] == [player.id for player in club.players]
        assert [(each["waits_for"], each["absent"]) for each in told["tables"]] == [
            ("players", one["players"]),
            ("players", two["players"]),
        ]
        opened_at = datetime.fromisoformat(one["opened"])
        assert datetime.fromisoformat(told["tables"][0]["adjudicated_from"]) == opened_at + timedelta(days=90)

        await club.play(two)
        await club.until(1, lambda table: table["number"] == 1 or table["result"] is not None)
        game = f"/v1/games/{one['game']}"
        await service.post(f"{game}/start", club.named(one["players"])[0])
        shown = await service.get(game)
        seat = next(each["seat"] for each in shown["clocks"]["seats"] if each["runs"])
        (player,) = club.named([each["player"] for each in shown["seats"] if each["seat"] == seat])
        complaint = {"kind": "conduct", "version": shown["version"], "statement": "They left."}
        case = (await service.post(f"{game}/cases", player, complaint))["summary"]["case"]
        assert (await agenda())["tables"][0]["flagged"] == []
        time.now += timedelta(seconds=63)
        await service.services.rows.watch({0: written(time.now)}, 1)
        await service.services.games.by_clock(GameId(one["game"]), Fall(seat))
        told = await agenda()
        assert [(each["table"], each["waits_for"]) for each in told["tables"]] == [(1, "end"), (2, "confirmation")]
        first = told["tables"][0]
        assert first["cases"] == [{"case": case, "about": shown["version"]}]
        assert [first[name] for name in ("absent", "flagged", "open")] == [[], [player.id], [player.id]]
        monkeypatch.setattr("service.tournaments.agenda.MOST_TABLES", 1)
        told = await agenda()
        assert ([each["table"] for each in told["tables"]], told["more"]) == ([1], 1)
        await club.do("rounds/1/tables/2/confirmation")
        told = await agenda()
        assert ([each["table"] for each in told["tables"]], told["more"]) == ([1], 0)
        refused = await service.ask("GET", f"{club.url}/agenda", player)
        assert (refused.status_code, refused.json()["type"]) == (403, "/problems/not-a-director")


async def test_the_stream_of_an_inbox_tells_of_a_tournament_at_once(club: Club) -> None:
    await club.enter()
    await caught_up(club.service)
    async with followed(club.service, club.players[0]) as frames:
        begins = await anext(frames)
        await club.do("announcements", {"text": "We begin at eight."})
        async with asyncio.timeout(7):  # the heartbeat comes after 15
            assert (await anext(frames))["unread"] == begins["unread"] + 1


async def test_what_players_are_told_is_in_their_inboxes_until_they_have_read_it(club: Club) -> None:
    await club.enter()
    anna, *_ = club.players
    tournament = club.url.rpartition("/")[2]
    await club.service.post("/v1/notifications/read", anna, {"tournament": tournament, "version": 2})
    marks = await club.service.services.store.accounts.read_marks(PlayerId(anna.id))
    assert marks == {TournamentId(tournament): 2}, "what is shown is read before anything is told of it"
    await club.do("announcements", {"text": "We begin at eight."})
    await caught_up(club.service)
    page = await club.service.get("/v1/notifications", anna)
    told = page["items"][0]
    assert (told["kind"], told["tournament"], told["game"]) == ("announcement-made", tournament, None)
    assert (told["title"], told["read"], page["state"]["unread"]) == ("Club evening", False, 1)
    state = await club.service.post("/v1/notifications/read", anna, {"tournament": tournament, "version": 999})
    assert state["unread"] == 0
    await club.do("announcements", {"text": "At nine."})
    await caught_up(club.service)
    settings = {"games": {tournament: ["announcement-made"]}}
    page = await club.service.get("/v1/notifications?unread=true", anna)
    assert [each["version"] for each in page["items"]] == [told["version"] + 1]
    assert (await club.service.ask("PUT", "/v1/notifications/settings", anna, settings)).status_code == 200
    assert (await club.service.get("/v1/notifications", anna))["items"] == []


async def test_spreadsheets_and_calendars_get_a_tournament_and_need_not_get_it_twice(club: Club) -> None:
    await club.enter()
    await club.publish()
    await club.opened(1)
    tournament = club.url.rpartition("/")[2]
    for what, media, begins, name in (
        ("standings.csv", "text/csv", "place,player,name,points", f"{tournament}-standings.csv"),
        ("crosstable.csv", "text/csv", "place,player,name,points", f"{tournament}-crosstable.csv"),
        ("calendar.ics", "text/calendar", "BEGIN:VCALENDAR\r\n", f"{tournament}.ics"),
    ):
        got = await club.service.client.get(f"{club.url}/{what}")
        assert got.status_code == 200
        assert got.headers["content-type"].startswith(media)
        assert got.headers["content-disposition"] == f'attachment; filename="{name}"'
        assert got.text.startswith(begins)
        again = await club.service.client.get(f"{club.url}/{what}", headers={"if-none-match": got.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        unknown = await club.service.client.get(f"/v1/tournaments/tgone/{what}")
        assert unknown.json()["type"] == "/problems/unknown-tournament"
    assert f"round-1@{tournament}" in got.text
